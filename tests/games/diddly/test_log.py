"""Diddly: what the decision log tells, against the game in plain Python."""

from collections import Counter

import numpy as np
import pytest

import agents
from cardgames_env.core.game import NOTHING
from cardgames_env.core.playout import play_games
from cardgames_env.games.diddly import GAME
from tests.games.diddly.reference import Reference, score_of_column
from tests.reference_rng import Stream

ROOT = 20143
GAMES = 8
NAMES = [column.name for column in GAME.log_columns]
PHASES = ["turn_up", "peek", "swap", "draw", "place"]


def known_now(table, action):
    """The columns that are known when the decision is made, from a snapshot of the reference."""
    seat = table["to_act"]
    down = [row.count(False) for row in table["face_up"]]
    row = dict.fromkeys(NAMES, NOTHING) | {
        "phase": PHASES.index(table["phase"]),
        "round": table["round"],
        "place": (seat - table["dealer"] - 1) % table["players"],
        "turn": table["turns"][seat],
        "face_down": down[seat],
        "others_down": min(down[:seat] + down[seat + 1 :]),
        "last_turn": table["finished"] is not None,
    }
    board = [
        card if known else None
        for card, known in zip(table["boards"][seat], table["known"][seat], strict=True)
    ]
    if table["phase"] == "draw" and action > 8:
        row["card"] = table["discard"][-1] if action == 9 else action - 10
    if table["phase"] == "place":
        row["card"] = board[action] = table["in_hand"]
        last = down[seat] == 1 and not table["face_up"][seat][action]
        row["completes"] = last and table["finished"] is None
    columns = [board[k : k + 2] for k in range(0, len(board), 2)]
    known = [column for column in columns if None not in column]
    row["known_columns"] = len(known)
    row["known_points"] = sum(score_of_column(*column) for column in known)
    return row


def expected_rows(options, number, actions):
    reference = Reference(chance=Stream(ROOT, number), **options)
    rows, of_round = [], []
    for action in actions:
        before = reference.snapshot()
        row = known_now(before, action)
        rows.append(row)
        of_round.append((before["to_act"], row))
        reference.play(action)
        after = reference.snapshot()
        if not after["over"] and after["round"] == before["round"]:
            continue
        finisher = [seat for seat, earlier in of_round if earlier["completes"] == 1]
        for seat, earlier in of_round:
            earlier["finishes"] = seat in finisher
            earlier["round_points"] = after["scores"][seat][before["round"] - 1]
        of_round = []
    assert reference.snapshot()["over"]
    return rows


@pytest.mark.parametrize(
    "given",
    [
        {"num_players": 4},
        {"num_players": 2, "columns": 4, "rounds": 2},
        {"num_players": 3, "rounds": 3, "max_turns": 4},
    ],
)
def test_the_log_tells_what_happened(given):
    options = GAME.check_options(given)
    table = [agents.get(GAME.id, name) for name in ("random", "greedy", "pairs", "lookahead")]
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
            met["a peeked card in a known column"] += row["phase"] == 1 and row["known_columns"] > 0
            met["drawn unseen"] += row["phase"] == 3 and row["card"] == NOTHING
            met["taken from the pile"] += row["phase"] == 3 and row["card"] != NOTHING
            met["finished"] += row["completes"] == 1
            met["last turn"] += row["last_turn"]
            met["a round without an end"] += row["finishes"] == 0
    if "max_turns" in given:
        met = {"drawn unseen": met["drawn unseen"]}  # few boards are complete by then
    assert min(met.values()) > 0
