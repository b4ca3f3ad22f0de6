"""Dicht dran: what the decision log tells, against the game in plain Python."""

import numpy as np
import pytest

import agents
from cardgames_env.core.playout import play_games
from cardgames_env.games.dicht_dran import GAME
from tests.games.dicht_dran.reference import Reference
from tests.reference_rng import Stream

ROOT = 20139
GAMES = 12


class Told(Reference):
    """The reference, telling a row for every decision."""

    def __init__(self, *arguments, **given):
        self.rows = []
        super().__init__(*arguments, **given)

    def play(self, card):
        low, high = self.gap()
        hand = self.hands[self.to_act]
        self.rows.append(
            {
                "deal_number": self.deal,
                "round_number": self.round,
                "target": self.target(),
                "gap_low": low,
                "gap_high": high,
                "card": card,
                "peppers": self.peppers_on(card),
                "gap_cards": sum(self.fits_gap(held) for held in hand),
                "hand_size": len(hand),
                "pile_size": len(self.pile),
                "in_gap": self.fits_gap(card),
                "won": False,
                "drawn": 0,
            }
        )
        super().play(card)

    def rows_of_the_round(self):
        return self.rows[-self.players :]

    def take_target(self, winner):
        self.rows_of_the_round()[winner]["won"] = True
        super().take_target(winner)

    def draw_card(self, seat):
        self.rows_of_the_round()[seat]["drawn"] += 1
        super().draw_card(seat)


@pytest.mark.parametrize("peppers", [None, [3] * 100])
@pytest.mark.parametrize(("players", "deals"), [(2, 1), (3, 3), (4, 2), (5, 2)])
def test_the_log_tells_what_happened(players, deals, peppers):
    options = GAME.check_options({"num_players": players, "deals": deals, "peppers": peppers})
    table = [agents.get(GAME.id, name) for name in ("balanced", "random", "closest", "safe_gap")]
    seatings = np.array([[[p % 4 for p in range(players)]]])
    log = play_games(
        GAME, options, table, seatings, root=ROOT, first_game=0, count=GAMES, logged=1.0
    ).log
    seen = {"won": 0, "drawn": 0, "missed": 0}
    for number in range(GAMES):
        reference = Told(players, deals, options["peppers"], chance=Stream(ROOT, number))
        for seat, action in zip(
            log.seats[log.games == number], log.actions[log.games == number], strict=True
        ):
            assert seat == reference.to_act
            reference.play(int(action) + 1)
        assert reference.over
        names = [column.name for column in GAME.log_columns]
        told = [dict(zip(names, row, strict=True)) for row in log.own[log.games == number].tolist()]
        assert told == reference.rows
        seen["won"] += sum(row["won"] and not row["in_gap"] for row in told)
        seen["drawn"] += sum(row["drawn"] > 1 for row in told)
        seen["missed"] += sum(not row["won"] and row["in_gap"] for row in told)
    assert min(seen.values()) > 5  # the kinds of plays that differ were all there
