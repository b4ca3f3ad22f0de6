"""The random streams, against the same ones in plain Python, and against chance."""

import numpy as np
import pytest

from cardgames_env.core.rng import (
    WORDS,
    below,
    checked_root,
    mix,
    next_word,
    seed_stream,
    shuffle,
    stream_key,
    uniform,
)
from tests import reference_rng

ROOTS = [0, 1, 12345, 2**31, 2**53 + 1, 2**63 - 1]


def stream(root, game=0, number=0):
    rng = np.zeros(WORDS, np.uint64)
    seed_stream(rng, np.uint64(stream_key(root, game, number)))
    return rng


@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize(("game", "number"), [(0, 0), (1, 0), (0, 1), (10**12, 255)])
def test_a_stream_is_the_reference_stream(root, game, number):
    rng = stream(root, game, number)
    reference = reference_rng.Stream(root, game, number)
    assert rng.tolist() == reference.s
    assert [next_word(rng) for _ in range(200)] == [reference.next() for _ in range(200)]
    assert rng.tolist() == reference.s


@pytest.mark.parametrize("word", [0, 1, 2**32, 2**63, 2**64 - 1, 0x9E3779B97F4A7C15])
def test_mixing_is_the_references(word):
    assert int(mix(np.uint64(word))) == reference_rng.mix(word)


def test_mixing_a_known_word():
    """SplitMix64 from state 0 begins with 0xE220A8397B1DCDAF (Vigna's reference code)."""
    assert int(mix(np.uint64(0x9E3779B97F4A7C15))) == 0xE220A8397B1DCDAF


def test_xoshiro_from_the_state_1_2_3_4():
    """The first words of xoshiro256++ from this state, as its authors' code gives them."""
    rng = np.array([1, 2, 3, 4], np.uint64)
    assert [int(next_word(rng)) for _ in range(4)] == [
        41943041, 58720359, 3588806011781223, 3591011842654386,
    ]  # fmt: skip


@pytest.mark.parametrize("n", [1, 2, 3, 94, 98, 1000, 2**31 - 1])
def test_a_number_below_is_the_references_and_in_range(n):
    rng, reference = stream(5, n), reference_rng.Stream(5, n)
    drawn = [int(below(rng, n)) for _ in range(300)]
    assert drawn == [reference.below(n) for _ in range(300)]
    assert 0 <= min(drawn) <= max(drawn) < n


@pytest.mark.parametrize("n", [0, 1, 2, 5, 98])
def test_a_shuffle_is_the_references_and_touches_no_more_than_it_was_told(n):
    rng, reference = stream(6, n), reference_rng.Stream(6, n)
    for _ in range(50):
        cards = np.arange(100, dtype=np.uint8)
        shuffle(rng, cards, n)
        expected = list(range(n))
        reference.shuffle(expected)
        assert cards.tolist() == expected + list(range(n, 100))
    assert rng.tolist() == reference.s


def test_numbers_below_are_uniform():
    rng, n, draws = stream(7), 20, 20_000
    counts = np.bincount([int(below(rng, n)) for _ in range(draws)], minlength=n)
    chi = ((counts - draws / n) ** 2 / (draws / n)).sum()
    assert abs(chi - (n - 1)) < 5 * (2 * (n - 1)) ** 0.5


def test_uniform_numbers_lie_in_0_to_1_and_are_uniform():
    rng = stream(8)
    drawn = np.array([uniform(rng) for _ in range(20_000)])
    assert drawn.min() >= 0
    assert drawn.max() < 1
    assert abs(drawn.mean() - 0.5) < 5 * (1 / 12 / len(drawn)) ** 0.5
    counts = np.bincount((drawn * 10).astype(int), minlength=10)
    assert ((counts - 2000) ** 2 / 2000).sum() < 9 + 5 * 18**0.5


def test_every_order_of_a_shuffle_is_as_likely():
    rng, draws = stream(9), 12_000
    counts = {}
    for _ in range(draws):
        cards = np.arange(4, dtype=np.uint8)
        shuffle(rng, cards, 4)
        counts[tuple(cards.tolist())] = counts.get(tuple(cards.tolist()), 0) + 1
    assert len(counts) == 24
    chi = sum((count - draws / 24) ** 2 / (draws / 24) for count in counts.values())
    assert abs(chi - 23) < 5 * 46**0.5


def test_neighbouring_games_and_streams_have_nothing_in_common():
    """Words of many streams: no word twice, and each bit set half of the time."""
    words = []
    for root in range(10):
        for game in range(10):
            for number in range(6):
                rng = stream(root, game, number)
                words += [int(next_word(rng)) for _ in range(5)]
    assert len(set(words)) == len(words) == 3000
    bits = np.array([[word >> b & 1 for b in range(64)] for word in words])
    assert (np.abs(bits.mean(axis=0) - 0.5) < 5 * 0.5 / len(words) ** 0.5).all()


def test_root_game_and_stream_are_not_interchangeable():
    keys = {int(stream_key(*order)) for order in [(1, 2, 3), (1, 3, 2), (2, 1, 3), (2, 3, 1),
                                                  (3, 1, 2), (3, 2, 1)]}  # fmt: skip
    assert len(keys) == 6


def test_a_root_is_checked():
    assert checked_root(np.int64(5)) == 5
    assert type(checked_root(np.int64(5))) is int
    assert 0 <= checked_root(None) < 2**63
    assert checked_root(None) != checked_root(None)
    for wrong in (-1, 2**63, 1.0, "1", True):
        with pytest.raises(ValueError, match="seed"):
            checked_root(wrong)
