"""A whole game made up from a view: it agrees with all that the seat knows, and only with that."""

import random
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pytest

from cardgames_env.core.game import determinize_row, look_row
from tests.contract.conftest import VARIANTS
from tests.contract.play import (
    copied,
    mask_of,
    positions,
    random_move,
    scratch_view,
    stream,
    to_act,
    view_of,
)

SIGMAS = 5
UNIFORM_VARIANTS = [case for case in VARIANTS if case.values[0].row.uniform]


def determinized(variant, flat_view, rng, into=None):
    """A state made up from a flat view (int16 (D,)); ``into`` a state or a fresh one."""
    views, flat = scratch_view(variant.game)
    flat[0] = flat_view
    states = variant.new_state() if into is None else into
    determinize_row(views, 0, rng, states, 0)
    return states


def snapshot_of(variant, states):
    return variant.game.snapshot(states, 0)


def finish(variant, states, chance):
    """Play on to the end; returns the number of decisions."""
    decisions = 0
    while to_act(states) >= 0:
        random_move(variant.game, states, chance)
        decisions += 1
    return decisions


def test_the_view_of_the_state_made_up_is_the_view_it_was_made_from(variant):
    """At every seat, whether or not it is to act, and at the end of the game."""
    ends = 0
    for number, states in enumerate(positions(variant, games=25, every=8)):
        ends += to_act(states) < 0
        for seat in range(variant.players):
            view = view_of(variant.game, states, seat)
            rng = stream(number)
            for _ in range(3):
                made = determinized(variant, view, rng)
                np.testing.assert_array_equal(view_of(variant.game, made, 0), view)
    assert ends == 25


def test_the_state_made_up_holds_every_card_once_as_the_true_one_does(variant):
    material = variant.row.material
    for number, states in enumerate(positions(variant, games=25, every=8)):
        expected = material(snapshot_of(variant, states))
        for seat in range(variant.players):
            made = determinized(variant, view_of(variant.game, states, seat), stream(number))
            assert material(snapshot_of(variant, made)) == expected


def test_hidden_places_are_as_large_as_they_truly_are(variant):
    hidden = variant.row.hidden
    for number, states in enumerate(positions(variant, games=25, every=8)):
        for seat in range(variant.players):
            made = determinized(variant, view_of(variant.game, states, seat), stream(number))
            true = hidden(snapshot_of(variant, states), seat)
            assert sizes(hidden(snapshot_of(variant, made), 0)) == sizes(true)


def sizes(places):
    return {place: len(cards) for place, cards in places.items()}


def test_the_viewer_may_do_there_what_it_may_truly_do(variant):
    for number, states in enumerate(positions(variant, games=25, every=3)):
        seat = to_act(states)
        if seat < 0:
            continue
        made = determinized(variant, view_of(variant.game, states, seat), stream(number))
        assert to_act(made) == 0
        np.testing.assert_array_equal(mask_of(variant.game, made), mask_of(variant.game, states))


def test_a_state_made_up_can_be_played_to_the_end(variant):
    material = variant.row.material
    for number, states in enumerate(positions(variant, games=25, every=6)):
        seat = number % variant.players
        made = determinized(variant, view_of(variant.game, states, seat), stream(number))
        cards = material(snapshot_of(variant, made))
        decisions = finish(variant, made, random.Random(number))
        assert (decisions > 0) == (to_act(states) >= 0)
        assert material(snapshot_of(variant, made)) == cards


def test_a_game_that_is_over_stays_over(variant):
    for states in positions(variant, games=20):
        if to_act(states) < 0:
            for seat in range(variant.players):
                made = determinized(variant, view_of(variant.game, states, seat), stream(1))
                assert to_act(made) == -1


def test_it_is_a_function_of_the_view_and_the_stream_alone(variant):
    """Made into the true state, or over noise, it is the same: nothing is copied from either."""
    for number, states in enumerate(positions(variant, games=8, every=7)):
        for seat in range(variant.players):
            view = view_of(variant.game, states, seat)
            fresh = determinized(variant, view, stream(number))
            over_truth = determinized(variant, view, stream(number), into=copied(states))
            assert snapshot_of(variant, over_truth) == snapshot_of(variant, fresh)
            assert over_truth["rng"].tobytes() == fresh["rng"].tobytes()
            # … and they go on alike.
            finish(variant, fresh, random.Random(seat))
            finish(variant, over_truth, random.Random(seat))
            assert snapshot_of(variant, over_truth) == snapshot_of(variant, fresh)


def test_the_viewers_stream_moves_on_and_another_stream_makes_another_state(variant):
    tried = differing = 0
    for states in positions(variant, games=20, every=4):
        if to_act(states) < 0:
            continue
        tried += 1
        view = view_of(variant.game, states, to_act(states))
        rng = stream(1)
        made = [determinized(variant, view, rng) for _ in range(2)]
        made.append(determinized(variant, view, stream(2)))
        assert rng.tobytes() != stream(1).tobytes()
        assert len({one["rng"].tobytes() for one in made}) == 3
        snapshots = [repr(snapshot_of(variant, one)) for one in made]
        differing += len(set(snapshots)) == 3
    assert differing > tried / 2 > 10


def test_chance_to_come_is_not_the_true_one(variant):
    for number, states in enumerate(positions(variant, games=20, every=5)):
        made = determinized(
            variant, view_of(variant.game, states, max(to_act(states), 0)), stream(number)
        )
        assert not set(made["rng"][0].tolist()) & set(states["rng"][0].tolist())


def test_every_hidden_card_comes_to_lie_in_every_hidden_place(variant):
    hidden, pool = variant.row.hidden, variant.row.pool
    tried = 0
    for number, states in enumerate(positions(variant, games=20, every=19)):
        seat = to_act(states)
        if seat < 0 or tried == 6:
            continue
        true = hidden(snapshot_of(variant, states), seat)
        if not any(true.values()):
            continue
        cards = defaultdict(set)  # of each pool
        for place, there in true.items():
            cards[pool(place)].update(there)
        rng = stream(number)
        view = view_of(variant.game, states, seat)
        seen_at = {place: set() for place, there in true.items() if there}
        # The rarest event, a card in a place for one, is missed with probability e^-14 each.
        for _ in range(14 * sum(sizes(true).values())):
            made = hidden(snapshot_of(variant, determinized(variant, view, rng)), 0)
            for place in seen_at:
                seen_at[place].update(made[place])
        for place, came in seen_at.items():
            missed = cards[pool(place)] - came
            assert not missed, f"never came to {place}: {sorted(missed)}"
            assert came <= cards[pool(place)]
        tried += 1
    assert tried == 6


def test_a_distribution_of_its_own_has_tests_of_its_own(any_variant):
    if not any_variant.row.uniform:
        folder = Path(__file__).parents[1] / "games" / any_variant.game.name
        assert (folder / "test_determinize.py").exists()


@pytest.mark.parametrize("variant", UNIFORM_VARIANTS)
def test_hidden_cards_are_laid_out_uniformly(variant):
    """How often each card came to each place, against equal shares (chi-square, fixed seed).

    Where it is not so, the game's own tests hold the distribution that its docstring tells.
    """
    hidden = variant.row.hidden
    draws = 2000
    for number, states in enumerate(positions(variant, games=1, every=23)):
        seat = to_act(states)
        if seat < 0:
            continue
        true = hidden(snapshot_of(variant, states), seat)
        cards = sorted({card for place in true.values() for card in place})
        counts = {place: Counter() for place, there in true.items() if there}
        together = Counter()
        rng = stream(100 + number)
        view = view_of(variant.game, states, seat)
        for _ in range(draws):
            made = hidden(snapshot_of(variant, determinized(variant, view, rng)), 0)
            for place, count in counts.items():
                count.update(made[place])
                # Are neighbours kept together? That is no more likely than for any two cards.
                there = set(made[place])
                together[place] += cards[0] in there and cards[1] in there
        for place, count in counts.items():
            size = len(true[place])
            share = size / len(cards)
            variance = draws * share * (1 - share)
            if variance == 0:
                continue
            # Summed over all cards; rows are negatively correlated by 1/(n-1), hence the factor.
            freedom = len(cards) - 1
            chi = sum((count[card] - draws * share) ** 2 for card in cards)
            chi *= freedom / len(cards) / variance
            assert abs(chi - freedom) < SIGMAS * (2 * freedom) ** 0.5 + 10, (place, chi, freedom)
            pair = share * (size - 1) / (len(cards) - 1)
            bound = SIGMAS * (draws * pair * (1 - pair)) ** 0.5 + 1
            assert abs(together[place] - draws * pair) < bound, place


@pytest.mark.parametrize("variant", UNIFORM_VARIANTS)
def test_the_true_places_of_hidden_cards_are_met_no_more_often_than_by_chance(variant):
    """How many hidden cards lie where they truly lie: a copy, or half a copy, has too many."""
    hidden = variant.row.hidden
    met = expected = variance = 0.0
    for number, states in enumerate(positions(variant, games=25, every=7)):
        if to_act(states) < 0:
            continue
        for seat in range(variant.players):
            true = {k: set(v) for k, v in hidden(snapshot_of(variant, states), seat).items()}
            total = sum(map(len, true.values()))
            view = view_of(variant.game, states, seat)
            made = hidden(snapshot_of(variant, determinized(variant, view, stream(number))), 0)
            met += sum(len(true[place] & set(made[place])) for place in true)
            expected += sum(len(cards) ** 2 for cards in true.values()) / total
            variance += total / 4  # generous: cards that lie without replacement vary less
    assert abs(met - expected) < SIGMAS * variance**0.5
    assert expected > 100


def test_the_order_of_looking_does_not_matter(variant):
    """A view is of one moment: looking for one seat leaves nothing in the next one's."""
    for states in positions(variant, games=5, every=11):
        views, flat = variant.game.new_views(1)
        seats = [*range(variant.players), *reversed(range(variant.players))]
        for seat in seats:
            look_row(states, 0, seat, views, 0)
            np.testing.assert_array_equal(flat[0], view_of(variant.game, states, seat))
