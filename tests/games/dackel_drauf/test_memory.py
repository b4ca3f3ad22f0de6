"""Dackel drauf!: what was shown and is gone, where remembering is the agent's own work (D5)."""

import numpy as np
import pytest

from cardgames_env.core.game import get_game
from tests.contract.play import Variant, copied, positions, to_act, view_of

GAME = get_game("dackel_drauf_v0")
#: Everything that a seat has been shown, and that is no longer on the table.
GONE = ("noticed", "remembered", "known", "special_known", "special_open",
        "last_dice", "last_length", "last_seat", "last_animal", "last_right")  # fmt: skip


def variant(**options):
    return Variant("dackel_drauf_v0", "", {"max_rounds": 6, **options}, None)


def shown_again(snapshot, seat):
    """Whether it is one of the times at which a seat is shown what it noticed."""
    if snapshot["phase"] == "look":
        return True
    played = any(card["seat"] == seat for card in snapshot["chain"])
    asked = snapshot["to_act"]
    if snapshot["again"]:  # to the others the turn is over already
        asked = next_in_chain(snapshot)
    return snapshot["phase"] == "chain" and asked == seat and not played


def next_in_chain(snapshot):
    n = snapshot["players"]
    after = [(snapshot["to_act"] + k) % n for k in range(1, n + 1)]
    return next(p for p in after if not snapshot["passed"][p])


@pytest.mark.parametrize("players", [2, 4])
def test_at_other_times_a_view_is_the_same_whatever_was_shown(players):
    """The seat's own memory included: nothing of it can be got back from the view."""
    noise = np.random.default_rng(1)
    tried = 0
    for states in positions(variant(memory="agent", num_players=players), games=12, every=3):
        snapshot = GAME.snapshot(states, 0)
        if to_act(states) < 0:
            continue
        for seat in range(players):
            if shown_again(snapshot, seat):
                continue
            expected = view_of(GAME, states, seat)
            other = copied(states)
            for name in GONE:
                field = other[name]
                other[name] = np.frombuffer(noise.bytes(field.nbytes), field.dtype).reshape(
                    field.shape
                )
            np.testing.assert_array_equal(view_of(GAME, other, seat), expected)
            tried += 1
    assert tried > 300


def test_at_the_look_and_the_first_decision_it_is_told_what_it_noticed():
    tried = 0
    for states in positions(variant(memory="agent"), games=20, every=2):
        snapshot = GAME.snapshot(states, 0)
        for seat in range(3):
            remembered = GAME.named(view_of(GAME, states, seat))["remembered"]
            if to_act(states) >= 0 and shown_again(snapshot, seat):
                seen = np.array(snapshot["dice"])[snapshot["noticed"][seat]]
                assert remembered.tolist() == np.bincount(seen, minlength=9).tolist()
                tried += remembered.any()
            else:
                assert not remembered.any()
    assert tried > 200


@pytest.mark.parametrize("memory", ["player", "perfect"])
def test_in_the_other_modes_it_is_told_at_all_times(memory):
    for states in positions(variant(memory=memory), games=10, every=3):
        snapshot = GAME.snapshot(states, 0)
        for seat in range(3):
            remembered = GAME.named(view_of(GAME, states, seat))["remembered"]
            seen = np.array(snapshot["dice"])[snapshot["noticed"][seat]]
            assert remembered.tolist() == np.bincount(seen, minlength=9).tolist()


def test_of_the_dice_a_view_tells_how_many_and_not_which():
    """Two dice that show the same, one of them noticed: which of the two, changes nothing."""
    tried = 0
    for states in positions(variant(), games=10, every=3):
        dice = states["dice"][0].tolist()
        for a in range(15):
            for b in range(a):
                bits = int(states["noticed"][0, 0])
                if dice[a] == dice[b] and (bits >> a & 1) != (bits >> b & 1):
                    other = copied(states)
                    other["noticed"][0, 0] = bits ^ (1 << a | 1 << b)
                    view = view_of(GAME, states, 0)
                    np.testing.assert_array_equal(view_of(GAME, other, 0), view)
                    tried += 1
    assert tried > 100
