"""Dackel drauf!: how many dice show an animal, against counting and against dice that are rolled."""

import itertools
from collections import Counter, defaultdict
from fractions import Fraction
from math import comb

import numpy as np
import pytest

from cardgames_env.core.game import deal_row, determinize_row, get_game
from cardgames_env.core.jit import kernel
from cardgames_env.games.dackel_drauf.odds import chances, dice_distribution
from tests.contract.play import stream, view_of

GAME = get_game("dackel_drauf_v0")
DOG, DUCK, HARE, PIG = 0, 1, 2, 8
SIGMAS = 5


# -- one animal ------------------------------------------------------------------------------------


def counted(dice, chance, remembered, showing):
    """The distribution by Bayes, over all sets of dice that may be the ones remembered."""
    weights = defaultdict(Fraction)
    for seen in itertools.combinations(range(15), remembered):
        having = sum(d < dice for d in seen)  # the first ones have the animal
        if having < showing:
            continue
        likelihood = comb(having, showing) * chance**showing * (1 - chance) ** (having - showing)
        weights[having] += likelihood
    whole = sum(weights.values())
    out = [Fraction(0)] * 16
    for having, weight in weights.items():
        unseen = dice - having
        for more in range(unseen + 1):
            p = comb(unseen, more) * chance**more * (1 - chance) ** (unseen - more)
            out[showing + more] += weight / whole * p
    return out


@pytest.mark.parametrize(
    ("dice", "chance", "remembered", "showing"),
    [
        (10, Fraction(1, 6), 0, 0),
        (10, Fraction(1, 6), 4, 0),
        (10, Fraction(1, 6), 5, 2),
        (10, Fraction(1, 6), 12, 1),
        (10, Fraction(1, 6), 15, 3),
        (3, Fraction(1, 2), 6, 3),
        (15, Fraction(1, 3), 3, 1),
        (1, Fraction(1, 1), 4, 0),
        (1, Fraction(1, 1), 4, 1),
    ],
)
def test_the_number_of_dice_that_show_an_animal_given_those_remembered(
    dice, chance, remembered, showing
):
    out = np.zeros(16)
    dice_distribution(dice, float(chance), remembered, showing, out)
    np.testing.assert_allclose(out, [float(p) for p in counted(dice, chance, remembered, showing)])


# -- all animals, from a view ----------------------------------------------------------------------


@kernel
def chances_row(views, remembered, doubt, out):
    chances(views[0], remembered, doubt, out)


def odds_of(view, remembered, doubt=1.0):
    views, flat = GAME.new_views(1)
    flat[0] = view
    out = np.zeros((9, 17))
    chances_row(views, np.array(remembered, np.int64), doubt, out)
    return out


def a_view(chain=(), remembered=(0,) * 9, players=3):
    """A view in the first round with a chain of (relative seat, animal or None)."""
    states = GAME.new_states(GAME.check_options({"num_players": players}), 1)
    deal_row(states, 0, 1, 1)
    views, flat = GAME.new_views(1)
    flat[0] = view_of(GAME, states, 0)
    v = views[0]
    v["phase"], v["to_act"], v["remembered"] = 1, 1, remembered
    v["chain_length"] = len(chain)
    for i, (seat, animal) in enumerate(chain):
        v["chain_seats"][i] = 1 + seat
        v["chain_animals"][i] = 0 if animal is None else 1 + animal
        v["chain_down"][i] = animal is None
    return flat[0]


def test_without_any_memory_every_animal_is_on_ten_dice_once():
    odds = odds_of(a_view(), [0] * 9)
    for k in range(17):
        expected = sum(comb(10, c) * (1 / 6) ** c * (5 / 6) ** (10 - c) for c in range(k, 11))
        np.testing.assert_allclose(odds[:, k], expected, atol=1e-12)


def test_what_is_remembered_is_certain():
    remembered = [3, 0, 1, 0, 0, 0, 0, 2, 0]
    odds = odds_of(a_view(remembered=remembered), remembered)
    for animal, count in enumerate(remembered):
        assert (odds[animal, : count + 1] > 1 - 1e-12).all()
        assert 0 < odds[animal, count + 1] < 0.9


def test_with_all_dice_remembered_there_are_no_others():
    remembered = [3, 0, 1, 4, 0, 5, 0, 2, 0]
    odds = odds_of(a_view(remembered=remembered), remembered)
    for animal, count in enumerate(remembered):
        np.testing.assert_allclose(odds[animal, : count + 1], 1)
        np.testing.assert_allclose(odds[animal, count + 1 :], 0)


def test_another_who_plays_an_animal_makes_it_likelier_and_an_own_card_does_not():
    without = odds_of(a_view(), [0] * 9, doubt=0.2)
    others = odds_of(a_view([(1, PIG)]), [0] * 9, doubt=0.2)
    own = odds_of(a_view([(0, PIG)]), [0] * 9, doubt=0.2)
    assert others[PIG, 1] > without[PIG, 1] + 0.05
    np.testing.assert_allclose(own, without)
    np.testing.assert_allclose(others[DOG], without[DOG])
    # Bayes: without a pig such a card is played a fifth as often as with one.
    none = 1 - without[PIG, 1]
    np.testing.assert_allclose(1 - others[PIG, 1], 0.2 * none / (0.2 * none + 1 - none))


def test_nothing_is_inferred_without_doubt():
    chain = [(1, PIG), (2, PIG), (1, DOG)]
    np.testing.assert_allclose(odds_of(a_view(chain), [0] * 9), odds_of(a_view(), [0] * 9))


def test_a_face_down_card_may_have_taken_a_die_of_any_animal_its_owner_has_left():
    remembered = [1] * 9
    plain = odds_of(a_view(), remembered)
    hidden = odds_of(a_view([(1, None)]), remembered)
    expected = (
        plain[:, 1] * (1 - 2 / 18) + plain[:, 2] * 2 / 18
    )  # two cards of each of nine animals
    np.testing.assert_allclose(hidden[:, 1], expected)


def test_the_odds_are_those_of_the_dice_that_are_rolled_around_what_is_remembered():
    """``determinize`` is exact; the odds of one animal leave out which others are remembered."""
    remembered = [2, 0, 1, 0, 2, 0, 0, 1, 0]
    view = a_view(remembered=remembered)
    odds = odds_of(view, remembered)
    views, flat = GAME.new_views(1)
    flat[0] = view
    states = GAME.new_states(GAME.check_options({}), 1)
    rng = stream(3)
    draws = 4000
    at_least = np.zeros((9, 17))
    for _ in range(draws):
        determinize_row(views, 0, rng, states, 0)
        counts = Counter(states["dice"][0].tolist())
        for animal in range(9):
            at_least[animal, : counts[animal] + 1] += 1
    for animal in range(9):
        for k in range(5):
            p = odds[animal, k]
            bound = SIGMAS * (draws * p * (1 - p)) ** 0.5 + 0.01 * draws
            assert abs(at_least[animal, k] - draws * p) < bound, (animal, k)
