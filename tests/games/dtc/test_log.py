"""DTC: what the decision log tells, against the game in plain Python."""

from collections import Counter

import numpy as np
import pytest

import agents
from cardgames_env.core.game import NOTHING
from cardgames_env.core.playout import play_games
from cardgames_env.games.dtc import GAME
from tests.games.dtc.reference import Reference, announced, is_stronger, is_true
from tests.reference_rng import Stream

ROOT = 20139
GAMES = 25
NAMES = [column.name for column in GAME.log_columns]


def this_could_be_true(reference, count, value):
    """Whether some cards of the hand make this very announcement true."""
    hand, variant = reference.hands[reference.to_act], reference.higher_counts_as_true
    fitting = [
        [card for card in hand if card == value or card == 0],
        [card for card in hand if card > value or card == 0],
    ]
    return any(
        len(cards) >= count and is_true(value, sorted(cards)[-count:], variant) for cards in fitting
    )


def could_be_true(reference):
    """Whether some legal announcement could be made true from the hand."""
    hand, variant = reference.hands[reference.to_act], reference.higher_counts_as_true
    jokers = hand.count(0)
    for value in range(1, reference.values + 1):
        equal = [card for card in hand if card == value]
        higher = [card for card in hand if card > value]
        for cards in (equal, higher):
            count = len(cards) + jokers
            if count == 0 or (
                reference.to_beat and not is_stronger((count, value), reference.to_beat)
            ):
                continue
            if is_true(value, cards + [0] * jokers, variant):
                return True
    return False


def expected_rows(options, number, actions):
    """The rows of a game, from the plain reference."""
    reference = Reference(chance=Stream(ROOT, number), **options)
    rows, chain, announcement = [], 0, None
    for action in actions:
        seat, phase, hand = reference.to_act, reference.phase, reference.hands[reference.to_act]
        row = dict.fromkeys(NAMES, NOTHING)
        row |= {"hand_size": len(hand), "pile_size": len(reference.pile)}
        row["phase"] = ("announce", "compose", "answer").index(phase)
        offer = reference.offer
        if phase == "announce":
            chain = chain if reference.to_beat else 0
            row["count"], row["value"] = announced(action)
            row["true_possible"] = could_be_true(reference)
            row["could_be_true"] = this_could_be_true(reference, row["count"], row["value"])
            announcement = row
        else:
            row |= {"count": offer.count, "value": offer.value}
            if phase == "compose":
                row |= {"type": offer.asking, "taken": action - 2}
            else:
                truth = is_true(offer.value, offer.cards, reference.higher_counts_as_true)
                announcement["truth"] = row["truth"] = truth
                answer = {"accepted": action == 0, "paid": 0}
                if action == 1:
                    answer |= {"payer": seat if truth else offer.giver, "paid": offer.count}
                row |= answer
                announcement |= answer
        row["chain"] = chain
        chain += action == 0 and phase == "answer"
        reference.play(action)
        rows.append(row)
    assert reference.phase == "over"
    return rows


@pytest.mark.parametrize(
    "given",
    [
        {"num_players": 2},
        {"num_players": 4},
        {"num_players": 4, "higher_counts_as_true": True},
        {"num_players": 6},
        {"num_players": 3, "values": 4, "copies": 4, "jokers": 2, "hand_size": 4},
    ],
)
def test_the_log_tells_what_happened(given):
    options = GAME.check_options(given)
    table = [agents.get(GAME.id, name) for name in ("bluffer", "random", "counter", "honest")]
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
            met["composed"] += row["phase"] == 1
            met["caught"] += row["phase"] == 0 and row["truth"] == 0 and row["paid"] > 0
            met["doubted in vain"] += row["phase"] == 0 and row["truth"] == 1 and row["paid"] > 0
            met["lied without need"] += row["truth"] == 0 and row["true_possible"] == 1
            met["forced to lie"] += row["phase"] == 0 and row["true_possible"] == 0
            met["long chain"] += row["chain"] > 2
    if options["higher_counts_as_true"]:
        del met["forced to lie"]  # hardly ever: something is true of almost every hand
    assert min(met.values()) > 5
