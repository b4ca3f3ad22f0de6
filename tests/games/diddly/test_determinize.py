"""Diddly: from which distribution whole states are made up."""

import math
import random
from collections import Counter

import numpy as np
import pytest

from cardgames_env.core.game import OK, apply_row, deal_row, determinize_row, get_game
from tests.contract.play import (
    Variant,
    copied,
    mask_of,
    positions,
    stream,
    to_act,
    view_of,
)

GAME = get_game("diddly_v0")
SWAP, PEEK = 11, 13
COPIES = np.array([8] * 11 + [4] * 4)


def variant(**options):
    return Variant("diddly_v0", "", options, None)


def made_from(flat_view, options, count, rng):
    """Snapshots of states made up from a view."""
    views, flat = GAME.new_views(1)
    flat[0] = flat_view
    states = GAME.new_states(options, 1)
    for _ in range(count):
        determinize_row(views, 0, rng, states, 0)
        yield GAME.snapshot(states, 0)


def seen_by(snapshot, seat):
    """Cards by type that a seat sees on the table, counted from the snapshot."""
    seen = Counter(snapshot["discard"])
    for p, board in enumerate(snapshot["boards"]):
        shown = snapshot["known" if p == seat else "face_up"][p]
        seen.update(card for card, is_shown in zip(board, shown, strict=True) if is_shown)
    return seen


def test_what_a_seat_does_not_see_is_counted():
    """``unseen`` is the deck of 104 less what lies open to the seat."""
    for states in positions(variant(num_players=3, rounds=1), games=8, every=5):
        snapshot = GAME.snapshot(states, 0)
        for seat in range(3):
            v = GAME.named(view_of(GAME, states, seat))
            seen = seen_by(snapshot, seat)
            if v["in_hand"]:
                seen[int(v["in_hand"]) - 1] += 1
                assert snapshot["in_hand"] == v["in_hand"] - 1
            expected = [COPIES[t] - seen[t] for t in range(15)]
            assert v["unseen"].tolist() == expected


def test_cards_that_the_viewer_knows_stay_where_they_are():
    kept = 0
    for number, states in enumerate(positions(variant(num_players=4, rounds=1), games=30, every=7)):
        true = GAME.snapshot(states, 0)
        for seat in range(4):
            view = view_of(GAME, states, seat)
            options = variant(num_players=4, rounds=1).options
            for made in made_from(view, options, 2, stream(number)):
                for k in range(4):
                    p = (seat + k) % 4
                    shown = true["known" if k == 0 else "face_up"][p]
                    for place, is_shown in enumerate(shown):
                        if is_shown:
                            assert made["boards"][k][place] == true["boards"][p][place]
                    kept += k == 0 and shown != true["face_up"][p]
                    # That others have peeked is public; at what, is not.
                    assert made["known"][k] == true["known"][p]
                assert made["discard"] == true["discard"]
    assert kept > 30


def test_anothers_hidden_card_is_none_that_would_have_told_itself():
    """A Swap is asked about, and a Peek looks at a card: what lies hidden in a hand is neither."""
    met = 0
    for number, states in enumerate(positions(variant(num_players=2, rounds=1), games=40, every=3)):
        v = GAME.named(view_of(GAME, states, 1 - max(to_act(states), 0)))
        down = 6 - v["face_up"][1, :6].sum()
        if v["phase"] != 4 or v["source"] != 1 or v["in_hand"] or down < 2:
            continue
        met += 1
        view = view_of(GAME, states, 1 - to_act(states))
        options = variant(num_players=2, rounds=1).options
        for made in made_from(view, options, 40, stream(number)):
            assert made["in_hand"] not in (SWAP, PEEK, None)
    assert met > 20


def chi_square(counts, expected):
    return sum((counts[t] - e) ** 2 / e for t, e in enumerate(expected) if e > 0)


@pytest.mark.parametrize("number", range(4))
def test_hidden_places_hold_any_unseen_card_as_likely_as_any_other(number):
    """Each single place, and neighbours: how often which type, against the counts of the unseen."""
    options = variant(num_players=3, rounds=1).options
    states = list(positions(variant(num_players=3, rounds=1), games=1, every=9, root=number))[1]
    seat = to_act(states)
    view = view_of(GAME, states, seat)
    unseen = GAME.named(view)["unseen"].astype(float)
    draws = 4000
    at = [Counter(), Counter(), Counter()]  # next of the deck, two places of another's board
    together = 0
    first = None
    for made in made_from(view, options, draws, stream(number)):
        hidden = [(k, place) for k in (1, 2) for place in range(6) if not made["face_up"][k][place]]
        first = first or hidden[:2]
        cards = [made["deck"][0], *(made["boards"][k][place] for k, place in first)]
        for counter, card in zip(at, cards, strict=True):
            counter[card] += 1
        together += cards[1] == cards[2]
    total = unseen.sum()
    for counter in at:
        assert set(counter) <= set(np.flatnonzero(unseen))
        freedom = np.count_nonzero(unseen) - 1
        chi = chi_square(counter, draws * unseen / total)
        assert abs(chi - freedom) < 5 * math.sqrt(2 * freedom)
    equal = (unseen * (unseen - 1)).sum() / (total * (total - 1))
    assert abs(together - draws * equal) < 5 * math.sqrt(draws * equal)


def renewed_positions(variant):
    """Positions after a renewal: everybody draws, and lays the card on one that lies face up."""
    states = variant.new_state()
    deal_row(states, 0, 6, 0)
    chance = random.Random(6)
    while (seat := to_act(states)) >= 0:
        v = GAME.named(view_of(GAME, states, seat))
        legal = np.flatnonzero(mask_of(GAME, states)).tolist()
        if v["renewed"] and not v["face_up"][: variant.players, :6].all():
            yield copied(states)
        open_places = [place for place in legal if place < 8 and v["face_up"][0, place]]
        if v["phase"] == 3:
            action = 8
        else:
            action = chance.choice(open_places or legal)
        assert apply_row(states, 0, action) == OK


def test_after_a_renewal_the_deck_holds_the_renewed_cards_and_boards_the_rest():
    """D6: what the seat saw on the discard pile lies in the deck, and cannot lie face down."""
    eight = variant(num_players=8, rounds=1, max_turns=15)
    options = eight.options
    renewed = list(renewed_positions(eight))
    assert len(renewed) > 100
    for states in renewed[::4]:
        true = GAME.snapshot(states, 0)
        seat = to_act(states)
        view = view_of(GAME, states, seat)
        assert GAME.named(view)["in_deck"].tolist() == [true["deck"].count(t) for t in range(15)]
        orders = set()
        for made in made_from(view, options, 5, stream(1)):
            assert Counter(made["deck"]) == Counter(true["deck"])
            orders.add(tuple(made["deck"]))
        assert len(orders) > 1 or len(set(true["deck"])) < 2
