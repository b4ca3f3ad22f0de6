/* What the C programs of all games share: random streams, the choice from a mask, modes, timing, main.
 *
 * A game's file defines GAME, MIN_PLAYERS, MAX_PLAYERS, VIEW_SIZE and ACTIONS, includes this, and then
 * defines the functions declared under "what a game provides".
 *
 *     cc -O3 -march=native -o GAME GAME.c
 *     ./GAME PLAYERS GAMES ROOT filled         views and masks filled at every decision
 *     ./GAME PLAYERS GAMES ROOT bare           nothing filled, choice straight from the rules
 *     ./GAME PLAYERS GAMES ROOT check          also hashes every entry of every view and mask (slow)
 *     ./GAME PLAYERS GAMES ROOT MODE VARIANT   a variant of the rules, where the game has one
 *
 * Prints: decisions, seconds (of the play alone), checksum of the final points, hash of views and masks.
 */
#ifndef COMMON_H
#define COMMON_H

#define _POSIX_C_SOURCE 199309L

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef __AVX2__
#include <immintrin.h>
#endif

enum { MASK_BLOCKS = (ACTIONS + 63) / 64 }; /* of 64 actions */

typedef union {
    int8_t legal[ACTIONS];
    uint64_t words[8 * MASK_BLOCKS]; /* what lies behind the last action stays 0 */
} Mask;

typedef enum { FILLED, BARE, CHECK } Mode;

/* -- what a game provides -------------------------------------------------------------------------- */

/* Once, before the first game. */
static void prepare(void);

/* Switches to a variant of the rules; false if the game has none of that name. */
static bool set_variant(const char *name);

/* One game; final points into `points`. Returns the number of decisions. */
static inline int64_t play_game(int players, uint64_t root, uint64_t game, Mode mode, int32_t *points);

/* -- random streams -------------------------------------------------------------------------------- */

#define GOLDEN UINT64_C(0x9E3779B97F4A7C15)

typedef struct { uint64_t s[4]; } Rng;

static inline uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static inline Rng stream(uint64_t root, uint64_t game, uint64_t number)
{
    uint64_t word = mix(root + GOLDEN);
    word = mix((word ^ game) + GOLDEN);
    word = mix((word ^ number) + GOLDEN);
    Rng rng;
    for (int i = 0; i < 4; i++)
        rng.s[i] = mix(word += GOLDEN);
    return rng;
}

static inline uint64_t rotate(uint64_t x, int k) { return x << k | x >> (64 - k); }

static inline uint64_t next_word(Rng *rng)
{
    uint64_t *s = rng->s;
    uint64_t result = rotate(s[0] + s[3], 23) + s[0];
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

static inline uint32_t below(Rng *rng, uint32_t n)
{
    return (uint32_t)((next_word(rng) >> 32) * n >> 32);
}

static void shuffle(Rng *rng, uint8_t *cards, int n)
{
    Rng local = *rng; /* in registers: a store to `cards` could otherwise change it */
    for (int i = n - 1; i > 0; i--) {
        uint32_t j = below(&local, (uint32_t)i + 1);
        uint8_t card = cards[i];
        cards[i] = cards[j];
        cards[j] = card;
    }
    *rng = local;
}

/* -- random choice --------------------------------------------------------------------------------- */

/* 64 entries of a mask as the bits of a word. */
static inline uint64_t bits_of(const uint64_t *words)
{
#ifdef __AVX2__
    __m256i low = _mm256_slli_epi16(_mm256_loadu_si256((const __m256i *)words), 7);
    __m256i high = _mm256_slli_epi16(_mm256_loadu_si256((const __m256i *)(words + 4)), 7);
    return (uint32_t)_mm256_movemask_epi8(low) | (uint64_t)(uint32_t)_mm256_movemask_epi8(high) << 32;
#else
    uint64_t bits = 0;
    for (int i = 0; i < 8; i++) /* the product gathers eight bytes of 0 or 1 in its highest byte */
        bits |= words[i] * UINT64_C(0x0102040810204080) >> 56 << (8 * i);
    return bits;
#endif
}

/* The position of the set bit that has `left` set bits below it. */
static inline int nth_bit(uint64_t word, int left)
{
#ifdef __BMI2__
    return __builtin_ctzll(_pdep_u64(UINT64_C(1) << left, word));
#else
    while (left-- > 0)
        word &= word - 1;
    return __builtin_ctzll(word);
#endif
}

/* Uniform among the legal actions: count them, then pick one; 64 actions at a time. */
static inline int choose_from_mask(const Mask *mask, Rng *rng)
{
    uint64_t bits[MASK_BLOCKS];
    uint32_t count = 0;
    for (int b = 0; b < MASK_BLOCKS; b++) {
        bits[b] = bits_of(mask->words + 8 * b);
        count += (uint32_t)__builtin_popcountll(bits[b]);
    }
    int left = (int)below(rng, count);
    int b = 0;
    for (int here; left >= (here = __builtin_popcountll(bits[b])); b++)
        left -= here;
    return 64 * b + nth_bit(bits[b], left);
}

/* -- play ------------------------------------------------------------------------------------------ */

static uint64_t hash; /* of all views and masks, in mode CHECK */

static void hash_entries(const int16_t *view, const Mask *mask)
{
    for (int i = 0; i < VIEW_SIZE; i++)
        hash = (hash ^ (uint16_t)view[i]) * UINT64_C(0x100000001B3);
    for (int a = 0; a < ACTIONS; a++)
        hash = (hash ^ (uint8_t)mask->legal[a]) * UINT64_C(0x100000001B3);
}

/* A filled view and mask are read by somebody, as far as the compiler can tell. */
static inline void show(const int16_t *view, const Mask *mask, Mode mode)
{
    __asm__ volatile("" : : "r"(view), "r"(mask) : "memory");
    if (mode == CHECK)
        hash_entries(view, mask);
}

/* `mode` is a constant in each of its three copies. */
static inline __attribute__((always_inline)) int64_t
play_games(int players, uint64_t games, uint64_t root, Mode mode, int32_t *points)
{
    int64_t decisions = 0;
    for (uint64_t game = 0; game < games; game++)
        decisions += play_game(players, root, game, mode, points + game * (uint64_t)players);
    return decisions;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    int players = argc > 1 ? atoi(argv[1]) : 0;
    uint64_t games = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    uint64_t root = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
    const char *mode = argc > 4 ? argv[4] : "";
    bool filled = strcmp(mode, "filled") == 0, bare = strcmp(mode, "bare") == 0;
    bool check = strcmp(mode, "check") == 0;
    if (players < MIN_PLAYERS || players > MAX_PLAYERS || games == 0 || !(filled || bare || check)
        || (argc > 5 && !set_variant(argv[5]))) {
        fprintf(stderr, "usage: " GAME " PLAYERS(%d-%d) GAMES ROOT filled|bare|check [VARIANT]\n",
                MIN_PLAYERS, MAX_PLAYERS);
        return 2;
    }
    prepare();
    int32_t *points = calloc(games, (size_t)players * sizeof *points);
    if (points == NULL) {
        perror(GAME);
        return 1;
    }
    memset(points, 0xff, games * (size_t)players * sizeof *points); /* pages mapped before the clock */

    double begin = now();
    int64_t decisions;
    if (bare)
        decisions = play_games(players, games, root, BARE, points);
    else if (check)
        decisions = play_games(players, games, root, CHECK, points);
    else
        decisions = play_games(players, games, root, FILLED, points);
    double seconds = now() - begin;

    uint64_t checksum = 0;
    for (uint64_t i = 0; i < games * (uint64_t)players; i++)
        checksum += (uint64_t)(int64_t)points[i] * mix(i);
    printf("%" PRId64 " %.9f %016" PRIx64 " %016" PRIx64 "\n", decisions, seconds, checksum, hash);
    free(points);
    return 0;
}

#endif
