"""Dackel drauf!: which cards of many chains are right."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cardgames_env.games.dackel_drauf import judge_chains
from tests.games.dackel_drauf.reference import judge_with_takeback

DOG, DUCK, HARE, PIG = 0, 1, 2, 8
CARDS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 8)), max_size=50)
FEW_ANIMALS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2)), max_size=30)
DICE = st.lists(st.integers(0, 8), min_size=15, max_size=15)


def array_of(chains, longest=None):
    """Chains of different lengths in one array, −1 behind them."""
    longest = max(map(len, chains), default=0) if longest is None else longest
    array = np.full((len(chains), longest, 2), -1)
    for k, chain in enumerate(chains):
        if chain:
            array[k, : len(chain)] = chain
    return array


EXAMPLE = [(0, PIG), (1, DOG), (2, PIG), (0, HARE), (1, PIG), (2, HARE), (0, PIG)]
EXAMPLE_DICE = [PIG] * 3 + [DOG] * 2 + [HARE] + [DUCK] * 9


def test_the_example_of_the_rules():
    right = judge_chains(array_of([EXAMPLE]), EXAMPLE_DICE)
    assert right.dtype == bool
    assert right.tolist() == [[True] * 5 + [False, False]]
    taken_back = judge_chains(array_of([EXAMPLE]), EXAMPLE_DICE, takeback=True)
    assert taken_back.tolist() == [[True, True, False, True, True, False, True]]


@settings(max_examples=300, deadline=None)
@given(CARDS | FEW_ANIMALS, DICE)
def test_a_card_is_right_if_it_is_among_the_first_cards_of_its_animal_as_many_as_there_are_dice(
    chain, dice
):
    expected = []
    for i, (_, animal) in enumerate(chain):
        number = sum(other == animal for _, other in chain[: i + 1])
        expected.append(number <= dice.count(animal))
    assert judge_chains(array_of([chain]), np.array(dice))[0].tolist() == expected


@settings(max_examples=300, deadline=None)
@given(CARDS | FEW_ANIMALS, DICE)
def test_in_the_variant_as_the_plain_reference_judges(chain, dice):
    right = judge_chains(array_of([chain]), np.array(dice), takeback=True)[0]
    assert right.tolist() == judge_with_takeback(chain, dice)[0]
    failed = {chain[i][0] for i in np.flatnonzero(~right)}
    assert all(right[i] == (seat not in failed) for i, (seat, _) in enumerate(chain))


def test_many_chains_of_different_lengths_with_their_own_dice():
    rng = np.random.default_rng(1)
    chains = [
        [(int(rng.integers(5)), int(rng.integers(4))) for _ in range(rng.integers(0, 40))]
        for _ in range(200)
    ]
    dice = rng.integers(0, 5, (200, 15))
    for takeback in (False, True):
        together = judge_chains(array_of(chains, 45), dice, takeback)
        assert together.shape == (200, 45)
        for k, chain in enumerate(chains):
            alone = judge_chains(array_of([chain]), dice[k], takeback)[0]
            assert together[k, : len(chain)].tolist() == alone.tolist()
            assert not together[k, len(chain) :].any()
    assert (together != judge_chains(array_of(chains, 45), dice)).any()


def test_dice_may_be_given_once_for_all():
    chains = array_of([EXAMPLE, EXAMPLE[:3]])
    once = judge_chains(chains, EXAMPLE_DICE)
    assert once.tolist() == judge_chains(chains, [EXAMPLE_DICE] * 2).tolist()


@pytest.mark.parametrize("count", [0, 2])
def test_no_chains_and_empty_chains(count):
    assert judge_chains(np.zeros((count, 0, 2), int), [0] * 15).shape == (count, 0)


CHAINS = array_of([EXAMPLE])


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ((CHAINS[0], EXAMPLE_DICE), r"chains .*\(N, L, 2\)"),
        ((CHAINS[:, :, :1], EXAMPLE_DICE), "chains"),
        ((CHAINS * 1.0, EXAMPLE_DICE), "chains .* float64"),
        ((np.where(CHAINS == PIG, 9, CHAINS), EXAMPLE_DICE), "animals 0 … 8"),
        ((CHAINS + np.array([5, 0]), EXAMPLE_DICE), "seats 0 … 4"),
        (([EXAMPLE, EXAMPLE[:2]], EXAMPLE_DICE), "same length"),
        ((CHAINS, [EXAMPLE_DICE, EXAMPLE_DICE[:3]]), "same length"),
        ((CHAINS - [[[1, 0]]], EXAMPLE_DICE), "seats 0 … 4"),
        ((array_of([[(-1, -1), *EXAMPLE]]), EXAMPLE_DICE), "−1 only behind"),
        ((CHAINS, EXAMPLE_DICE[:14]), "dice .*15"),
        ((CHAINS, [EXAMPLE_DICE] * 2), "dice"),
        ((CHAINS, [9] * 15), "animals 0 … 8"),
        ((CHAINS, [-1] * 15), "animals 0 … 8"),
        ((CHAINS, [0.5] * 15), "dice"),
        ((CHAINS, EXAMPLE_DICE, 1), "takeback"),
    ],
)  # fmt: skip
def test_what_is_no_chain_is_refused_by_name(arguments, named):
    with pytest.raises(ValueError, match=named):
        judge_chains(*arguments)
