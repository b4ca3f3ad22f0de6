"""The project's random streams re-stated with plain Python ints, for the reference games.

Every intermediate value is a Python int cut to 64 bits. The generator is xoshiro256++
(Blackman and Vigna); the mixing function is the finaliser of SplitMix64 (Steele et al.).
"""

MASK = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15


def mix(z):
    """Scramble one 64-bit word."""
    z &= MASK
    z ^= z >> 30
    z = (z * 0xBF58476D1CE4E5B9) & MASK
    z ^= z >> 27
    z = (z * 0x94D049BB133111EB) & MASK
    z ^= z >> 31
    return z


def rotl(x, bits):
    """Rotate a 64-bit word to the left."""
    return ((x << bits) | (x >> (64 - bits))) & MASK


class Stream:
    """One stream of random numbers, named by a root seed, a game number and a stream number.

    Stream 0 is the chance stream of a game, stream 1 + seat the policy stream of that seat.
    """

    def __init__(self, root, game, stream=0):
        key = mix(int(root) + GOLDEN)
        key = mix((key ^ (int(game) & MASK)) + GOLDEN)
        key = mix((key ^ (int(stream) & MASK)) + GOLDEN)
        self.s = [mix(key + (i + 1) * GOLDEN) for i in range(4)]

    def next(self):
        """The next number, from 0 to 2**64 - 1."""
        s = self.s
        result = (rotl((s[0] + s[3]) & MASK, 23) + s[0]) & MASK
        t = (s[1] << 17) & MASK
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = rotl(s[3], 45)
        return result

    def below(self, n):
        """A number from 0 to n - 1, made of the upper half of one 64-bit number."""
        return ((self.next() >> 32) * n) >> 32

    def shuffle(self, x):
        """Shuffle a list in place, from its last place down."""
        for i in range(len(x) - 1, 0, -1):
            j = self.below(i + 1)
            x[i], x[j] = x[j], x[i]
