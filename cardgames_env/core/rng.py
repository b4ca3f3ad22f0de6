"""Counter-seeded random streams: xoshiro256++ in four uint64 words, seeded by SplitMix64.

A stream is a function of ``(root seed, game index, stream number)`` alone. Stream 0 is the game's
chance (deals, shuffles), stream 1 + seat the policy's at that seat, ``SEAT_STREAM`` draws the
learner's seat; ``LOG_STREAM``, with the deal for the game, says whether its decisions are logged;
``STUDY_STREAM`` is the root of what decision studies draw (see ``experiments.alternatives``).
Nothing depends on threads, processes, NumPy's global state or Python's hash seed.

All arithmetic is in uint64: numba turns a mixture with int64 into float64.
Sources: Blackman and Vigna, *Scrambled linear pseudorandom number generators* (2021), xoshiro256++;
Steele, Lea and Flood, *Fast splittable pseudorandom number generators* (2014), SplitMix64's mixer.
"""

from __future__ import annotations

import secrets

import numpy as np

from cardgames_env.core.jit import kernel

WORDS = 4  # uint64 words of a stream's state
CHANCE_STREAM = 0
STUDY_STREAM = 253  # these three are above the policy streams of any number of seats
LOG_STREAM = 254
SEAT_STREAM = 255

U64 = np.uint64
GOLDEN = U64(0x9E3779B97F4A7C15)
MIX_1 = U64(0xBF58476D1CE4E5B9)
MIX_2 = U64(0x94D049BB133111EB)


@kernel
def mix(z):
    """SplitMix64's finalizer: a bijection of uint64 in which every bit depends on every other."""
    z = (z ^ (z >> U64(30))) * MIX_1
    z = (z ^ (z >> U64(27))) * MIX_2
    return z ^ (z >> U64(31))


@kernel
def stream_key(root, game, stream):
    """The uint64 that names a stream, from the root seed, the game's index and the stream number."""
    key = mix(U64(root) + GOLDEN)
    key = mix((key ^ U64(game)) + GOLDEN)
    return mix((key ^ U64(stream)) + GOLDEN)


@kernel
def seed_stream(rng, key):
    """Set the four words of ``rng`` (uint64) from a stream key."""
    word = U64(key)
    for i in range(WORDS):
        word += GOLDEN
        rng[i] = mix(word)


@kernel
def advance(s0, s1, s2, s3):
    """One step of xoshiro256++: the output word, then the four new state words."""
    total = s0 + s3
    result = ((total << U64(23)) | (total >> U64(41))) + s0
    t = s1 << U64(17)
    s2 ^= s0
    s3 ^= s1
    s1 ^= s2
    s0 ^= s3
    s2 ^= t
    s3 = (s3 << U64(45)) | (s3 >> U64(19))
    return result, s0, s1, s2, s3


@kernel
def next_word(rng):
    """The next uint64 of the stream."""
    result, rng[0], rng[1], rng[2], rng[3] = advance(rng[0], rng[1], rng[2], rng[3])
    return result


@kernel
def scaled(word, n):
    """The upper half of a random word, brought to ``range(n)`` (uint64)."""
    return ((word >> U64(32)) * U64(n)) >> U64(32)


@kernel
def below(rng, n):
    """A uniform integer in ``range(n)``, 1 ≤ n < 2³¹, as uint64; its bias is under n / 2³²."""
    return scaled(next_word(rng), n)


@kernel
def uniform(rng):
    """A uniform float64 in [0, 1)."""
    return np.float64(next_word(rng) >> U64(11)) * (1.0 / 9007199254740992.0)


@kernel
def shuffle(rng, cards, n):
    """Put the first ``n`` entries of ``cards`` into random order (Fisher and Yates, from the end)."""
    # The state stays in registers: written back at every draw, it halves the speed of a deal.
    s0, s1, s2, s3 = rng[0], rng[1], rng[2], rng[3]
    for i in range(n - 1, 0, -1):
        word, s0, s1, s2, s3 = advance(s0, s1, s2, s3)
        j = scaled(word, i + 1)
        cards[i], cards[j] = cards[j], cards[i]
    rng[0], rng[1], rng[2], rng[3] = s0, s1, s2, s3


def fresh_root() -> int:
    """A root seed from the operating system, for a user who gave none."""
    return secrets.randbits(63)


def checked_root(seed: object) -> int:
    """A root seed given by a user, as an int in 0 … 2⁶³ − 1; None draws a fresh one.

    Raises ValueError for anything else.
    """
    if seed is None:
        return fresh_root()
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
        raise ValueError(f"seed must be an integer, got {seed!r}")
    if not 0 <= seed < 2**63:
        raise ValueError(f"seed must be in 0 … 2**63 - 1, got {seed}")
    return int(seed)
