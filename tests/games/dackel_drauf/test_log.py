"""Dackel drauf!: what the decision log tells, against the game in plain Python."""

from collections import Counter

import numpy as np
import pytest

import agents
from cardgames_env.core.game import NOTHING
from cardgames_env.core.playout import play_games
from cardgames_env.games.dackel_drauf import GAME
from tests.games.dackel_drauf.reference import Reference, judge
from tests.reference_rng import Stream

ROOT = 20141
GAMES = 20
NAMES = [column.name for column in GAME.log_columns]
PASS = 18


def known_now(snapshot, action):
    """The columns that are known when the decision is made."""
    seat, chain = snapshot["to_act"], snapshot["chain"]
    played = sum(card["seat"] == seat for card in chain)
    left = 18 - len(snapshot["discards"][seat])
    row = dict.fromkeys(NAMES, NOTHING) | {
        "phase": ("look", "chain", "jokers").index(snapshot["phase"]),
        "round": snapshot["round"],
        "place": (seat - snapshot["starter"]) % snapshot["players"],
        "ticks": snapshot["ticks"],
        "chain": len(chain),
        "played": played,
        "hand_size": min(10, left) - played,
        "left": left,
        "remembered": sum(snapshot["noticed"][seat]),
    }
    if snapshot["phase"] != "chain":
        return row
    row["again"] = snapshot["again"]
    if action != PASS:
        animal = action % 9
        seen = [
            d
            for d, noticed in zip(snapshot["dice"], snapshot["noticed"][seat], strict=True)
            if noticed
        ]
        hidden = sum(card["face_down"] and card["seat"] != seat for card in chain)
        shown = [c["animal"] for c in chain if c["seat"] == seat or not c["face_down"]]
        row["animal"], row["face_down"] = animal, action >= 9
        row["sure"] = seen.count(animal) > shown.count(animal) + hidden
    return row  # fmt: skip


def expected_rows(options, number, actions):
    """The rows of a game, from the plain reference."""
    reference = Reference(chance=Stream(ROOT, number), **options)
    rows, of_round = [], []
    for action in actions:
        before = reference.snapshot()
        row = known_now(before, action)
        of_round.append((before["to_act"], row))
        rows.append(row)
        reference.apply(action)
        after = reference.snapshot()
        if not after["over"] and after["round"] == before["round"]:
            continue
        chain = [
            (seat, row["animal"]) for seat, row in of_round if row["animal"] != NOTHING
        ]  # in order: every card of the round was a decision
        marks = iter(judge(chain, before["dice"]))
        for seat, row in of_round:
            gone = len(after["discards"][seat]) - len(before["discards"][seat])
            row["gone"] = gone
            row["failed"] = gone == 0 and any(p == seat for p, _ in chain)
            if row["animal"] != NOTHING:
                mark = next(marks)
                row["right"] = not row["failed"] or (mark and not options["takeback"])
        of_round = []
    assert reference.snapshot()["over"]
    return rows


@pytest.mark.parametrize(
    "given",
    [
        {"num_players": 2, "notice": 0.1},
        {"num_players": 3, "forget": 0.2},
        {"num_players": 4, "takeback": True},
        {"num_players": 5, "memory": "agent", "max_rounds": 4},
    ],
)
def test_the_log_tells_what_happened(given):
    options = GAME.check_options(given)
    table = [agents.get(GAME.id, name) for name in ("random", "odds", "cautious", "random")]
    players = options["num_players"]
    log = play_games(
        GAME, options, table, np.array([[[p % 4 for p in range(players)]]]), root=ROOT,
        first_game=0, count=GAMES, logged=1.0,
    ).log  # fmt: skip
    met = Counter()
    for number in range(GAMES):
        mine = log.games == number
        told = [dict(zip(NAMES, row, strict=True)) for row in log.own[mine].tolist()]
        assert told == expected_rows(options, number, log.actions[mine].tolist())
        for row in told:
            met["sure"] += row["sure"] == 1
            met["a guess that was right"] += row["sure"] == 0 and row["right"] == 1
            met["wrong"] += row["right"] == 0
            met["right in vain"] += row["right"] == 1 and row["failed"] == 1
            met["face down"] += row["face_down"] == 1
            met["again"] += row["again"] == 1
            met["a pass that kept cards"] += row["animal"] == NOTHING and row["gone"] > 0
            met["looks"] += row["phase"] == 0 and row["ticks"] > 1
    if options["takeback"]:
        del met["right in vain"]  # all cards of who fails are wrong
    assert min(met.values()) > 5
