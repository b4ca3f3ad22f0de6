/* Random play of DTC in C: the yardstick of benchmarks/run.py (usage in common.h).
 *
 * Plays exactly the games that cardgames_env.core.playout.play_games plays with random agents: the same
 * streams, the same shuffle, the same choice among the legal actions. At every decision it fills the 488
 * int16 entries of the seat's view and the 411 int8 entries of the mask, as the library does, and chooses
 * from the mask. The data structures are C's own: cards by type are eight bytes of a word, so that a hand
 * is changed, or what a seat knows diminished, in a few instructions; the table in front of the players
 * is held twice over, so that what a seat sees, clockwise, lies in one piece. D numbers as in
 * docs/games/dtc.md.
 */
#define GAME "dtc"

enum {
    VALUES = 6,
    COPIES = 9,
    JOKERS = 12,
    CARDS = VALUES * COPIES + JOKERS,
    HAND = 6,
    JOKER = 0, /* cards by type: jokers, then the values */
    TYPES = 1 + VALUES,
    MIN_PLAYERS = 2,
    MAX_PLAYERS = 6,
    ARCS = MAX_PLAYERS - 1,
    OFFERS = VALUES * CARDS, /* k cards of value v: number 6 (k - 1) + (v - 1) */
    ACCEPT = 0,
    REJECT = 1,
    FIRST_TAKE = 2,
    FIRST_OFFER = FIRST_TAKE + 1 + JOKERS,
    ACTIONS = FIRST_OFFER + OFFERS
};

/* Where the fields of a view begin. */
enum {
    V_PLAYERS,
    V_VALUES,
    V_COPIES,
    V_JOKERS,
    V_FULL_HAND,
    V_HIGHER,
    V_PHASE,
    V_TO_ACT,
    V_HAND,
    V_ASKING = V_HAND + TYPES,
    V_TO_BEAT_COUNT,
    V_TO_BEAT_VALUE,
    V_OFFER_GIVER,
    V_OFFER_COUNT,
    V_OFFER_VALUE,
    V_OFFER_CARDS,
    V_CHAIN_LENGTH = V_OFFER_CARDS + TYPES,
    V_CHAIN,
    V_HAND_SIZES = V_CHAIN + OFFERS,
    V_FRESH = V_HAND_SIZES + MAX_PLAYERS,
    V_PENALTY_SIZES = V_FRESH + MAX_PLAYERS,
    V_SHOWN = V_PENALTY_SIZES + MAX_PLAYERS,
    V_PASSED_ON = V_SHOWN + TYPES,
    V_PILE_SIZE = V_PASSED_ON + ARCS * TYPES,
    V_ENDS,
    V_REJECTIONS,
    VIEW_SIZE
};

#include "common.h"

_Static_assert(VIEW_SIZE == 488, "the library's view has 488 entries");

/* -- cards by type --------------------------------------------------------------------------------- */

typedef uint64_t Cards; /* byte t: how many of type t, at most 127 */

#define EVERY_BYTE UINT64_C(0x0101010101010101)

static inline int count_of(Cards cards, int t) { return (int)(cards >> 8 * t & 0xff); }

static inline Cards copies_of(int t, int count) { return (Cards)count << 8 * t; }

/* How many in all (fewer than 256): the product adds up the bytes in its highest one. */
static inline int size_of(Cards cards) { return (int)(cards * EVERY_BYTE >> 56); }

/* Each type less what `gone` has of it, but not below 0. */
static inline Cards without(Cards cards, Cards gone)
{
    Cards left = (cards | 0x80 * EVERY_BYTE) - gone;
    Cards enough = left & 0x80 * EVERY_BYTE;
    return left & (enough - (enough >> 7));
}

/* Of each type the more. */
static inline Cards more_of(Cards a, Cards b) { return a + without(b, a); }

/* -- state ----------------------------------------------------------------------------------------- */

typedef enum { ANNOUNCE, COMPOSE, ANSWER, OVER } Phase;

enum { TABLE = 2 * MAX_PLAYERS + 4 }; /* all seats twice, and what a load of eight may read beyond */

typedef struct {
    Rng rng;
    Cards hand[MAX_PLAYERS];
    Cards passed_on[MAX_PLAYERS][ARCS]; /* row m: known to be with the m + 1 seats after */
    Cards offer;                        /* the cards chosen for it */
    Cards shown;
    int players, to_act, giver;
    Phase phase;
    int offer_count, offer_value, to_beat;
    int asking, least, most; /* the question while composing */
    int missing, to_come;    /* cards; to come: in hand, of the types not asked for yet */
    int pile_next, rejections, chain_first, chain_length;
    bool ends;
    int16_t hand_size[TABLE], fresh[TABLE], penalty_size[TABLE]; /* of seat p at p and at p + players */
    uint16_t chain[OFFERS];
    uint8_t pile[CARDS];
} State;

static bool higher_counts_as_true;
static uint8_t deck[CARDS];

enum { RAMP = 64 * MASK_BLOCKS };
static uint8_t ramp[2 * RAMP]; /* zeros, then as many ones */

static bool set_variant(const char *name)
{
    higher_counts_as_true = strcmp(name, "higher_counts_as_true") == 0;
    return higher_counts_as_true;
}

static void prepare(void)
{
    for (int k = 0; k < CARDS; k++)
        deck[k] = (uint8_t)(k < JOKERS ? JOKER : 1 + (k - JOKERS) / COPIES);
    memset(ramp + RAMP, 1, RAMP);
}

/* -- rules ----------------------------------------------------------------------------------------- */

static inline int min(int a, int b) { return a < b ? a : b; }
static inline int max(int a, int b) { return a > b ? a : b; }

static inline void change(int16_t *sizes, int players, int p, int by)
{
    sizes[p] = sizes[p + players] = (int16_t)(sizes[p] + by);
}

static inline void draw(State *s, int p, int count)
{
    Cards drawn = 0;
    for (int k = 0; k < count; k++)
        drawn += copies_of(s->pile[s->pile_next + k], 1);
    s->hand[p] += drawn;
    s->pile_next += count;
    change(s->hand_size, s->players, p, count);
    change(s->fresh, s->players, p, count);
}

static inline void clear_offer(State *s)
{
    s->giver = -1;
    s->offer_count = s->offer_value = 0;
}

static inline void lead(State *s, int p)
{
    s->to_act = p;
    s->phase = ANNOUNCE;
    s->chain_first = p;
    s->chain_length = 0;
    s->to_beat = -1;
    clear_offer(s);
}

static void deal_game(State *s, Rng chance)
{
    s->rng = chance;
    memcpy(s->pile, deck, sizeof deck);
    shuffle(&s->rng, s->pile, CARDS);
    memset(s->hand, 0, sizeof s->hand);
    memset(s->passed_on, 0, sizeof s->passed_on);
    memset(s->hand_size, 0, sizeof s->hand_size);
    memset(s->fresh, 0, sizeof s->fresh);
    memset(s->penalty_size, 0, sizeof s->penalty_size);
    s->offer = s->shown = 0;
    s->pile_next = s->rejections = 0;
    for (int p = 0; p < s->players; p++)
        draw(s, p, HAND);
    s->ends = false; /* even six players leave 30 cards */
    lead(s, (int)below(&s->rng, (uint32_t)s->players));
}

static inline int seat_after(const State *s, int p) { return p + 1 == s->players ? 0 : p + 1; }

/* How many places clockwise of `seat` seat `p` sits. */
static inline int clockwise(int p, int seat, int n) { return p >= seat ? p - seat : p - seat + n; }

/* D4 */
static inline bool may_accept(const State *s)
{
    return s->hand_size[s->to_act] > 0 || s->offer_value < VALUES;
}

/* The announced value, jokers, the other values ascending. */
static inline int type_after(int t, int value)
{
    if (t == value)
        return JOKER;
    return t + 1 == value ? t + 2 : t + 1;
}

static inline void lay_down(State *s, int p)
{
    draw(s, p, min(max(0, HAND - s->hand_size[p]), CARDS - s->pile_next)); /* D3 */
    s->ends = s->pile_next == CARDS; /* D6 */
    s->to_beat = -1;
    s->phase = ANSWER;
    s->to_act = seat_after(s, p);
}

static inline void choose(State *s, int p, int t, int count)
{
    s->hand[p] -= copies_of(t, count);
    s->offer += copies_of(t, count);
    s->missing -= count;
}

/* Asks for cards from type `t` on; what leaves no choice is not asked. */
static inline void ask(State *s, int p, int t)
{
    for (;; t = type_after(t, s->offer_value)) {
        int held = count_of(s->hand[p], t);
        s->to_come -= held;
        s->least = max(0, s->missing - s->to_come);
        s->most = min(held, s->missing);
        if (s->least < s->most) {
            s->asking = t;
            return;
        }
        choose(s, p, t, s->most);
        if (s->missing == 0) {
            lay_down(s, p);
            return;
        }
    }
}

static inline void announce(State *s, int number)
{
    int p = s->to_act;
    s->giver = p;
    s->offer_count = number / VALUES + 1;
    s->offer_value = number % VALUES + 1;
    s->missing = s->offer_count;
    s->to_come = s->hand_size[p];
    change(s->hand_size, s->players, p, -s->offer_count);
    change(s->fresh, s->players, p, -s->fresh[p]);
    s->chain[s->chain_length++] = (uint16_t)number;
    s->phase = COMPOSE;
    ask(s, p, s->offer_value);
}

static inline void take(State *s, int count)
{
    choose(s, s->to_act, s->asking, count);
    if (s->missing == 0)
        lay_down(s, s->to_act);
    else
        ask(s, s->to_act, type_after(s->asking, s->offer_value));
}

/* Row m of what a seat knows, when `gone` may have left its seats: no less than row m - 1. */
static inline void diminish(Cards *rows, int m, Cards gone)
{
    Cards left = without(rows[m], gone);
    rows[m] = m == 0 ? left : more_of(left, rows[m - 1]);
}

static inline void accept(State *s)
{
    int n = s->players, giver = s->giver, p = s->to_act;
    for (int m = 0; m < n - 1; m++) /* the giver knows what it gave */
        s->passed_on[giver][m] += s->offer;
    for (int q = 0; q < n; q++) /* any of the cards may be those that others gave */
        if (q != giver && q != p)
            diminish(s->passed_on[q], clockwise(giver, q, n) - 1, (Cards)s->offer_count * EVERY_BYTE);
    diminish(s->passed_on[p], n - 2, s->offer); /* the challenger sees them */
    s->hand[p] += s->offer;
    s->offer = 0;
    change(s->hand_size, n, p, s->offer_count);
    s->to_beat = VALUES * (s->offer_count - 1) + s->offer_value - 1;
    s->phase = ANNOUNCE;
    clear_offer(s);
}

/* D1, D5 */
static inline bool is_true(const State *s)
{
    int others = s->offer_count - count_of(s->offer, JOKER);
    int higher = size_of(s->offer >> 8 * s->offer_value >> 8);
    return count_of(s->offer, s->offer_value) == others
        || (higher_counts_as_true && higher == others);
}

static inline void reject(State *s)
{
    int n = s->players;
    int loser = is_true(s) ? s->to_act : s->giver;
    for (int q = 0; q < n; q++) /* these cards are no longer with the giver */
        if (q != s->giver)
            for (int m = clockwise(s->giver, q, n) - 1; m < n - 1; m++)
                diminish(s->passed_on[q], m, s->offer);
    s->shown += s->offer;
    s->offer = 0;
    change(s->penalty_size, n, loser, s->offer_count);
    s->rejections++;
    lead(s, loser);
    if (s->ends) {
        s->phase = OVER;
        s->to_act = -1;
    }
}

static inline void play(State *s, int action)
{
    if (s->phase == ANNOUNCE)
        announce(s, action - FIRST_OFFER);
    else if (s->phase == COMPOSE)
        take(s, action - FIRST_TAKE);
    else if (action == ACCEPT)
        accept(s);
    else
        reject(s);
}

/* -- what a seat sees ------------------------------------------------------------------------------ */

/* The first legal action; those up to the last are all legal. */
static inline int legal_actions(const State *s, int *last)
{
    if (s->phase == ANNOUNCE) {
        *last = FIRST_OFFER + VALUES * s->hand_size[s->to_act] - 1;
        return FIRST_OFFER + s->to_beat + 1;
    }
    if (s->phase == COMPOSE) {
        *last = FIRST_TAKE + s->most;
        return FIRST_TAKE + s->least;
    }
    *last = REJECT;
    return may_accept(s) ? ACCEPT : REJECT;
}

/* Zeros, then every block of 64 with legal actions whole: 1 from the first legal action on, but not from
 * the one after the last on, which are two views of one ramp. (A block of which only a part is written
 * anew could not be read as a whole before it has reached the cache.) */
static inline void fill_mask(const State *s, Mask *mask)
{
    int last, first = legal_actions(s, &last);
    const uint8_t *from_first = ramp + RAMP - first, *behind_last = ramp + RAMP - last - 1;
    uint8_t *restrict entries = (uint8_t *)mask;
    memset(mask, 0, sizeof *mask);
    for (int b = first & -64; b <= last; b += 64)
        for (int a = b; a < b + 64; a++)
            entries[a] = from_first[a] & ~behind_last[a];
}

/* Eight entries from eight bytes; the eighth is overwritten by the field that follows. */
static inline void put_cards(int16_t *entries, Cards cards)
{
#ifdef __SSE4_1__
    __m128i wide = _mm_cvtepu8_epi16(_mm_cvtsi64_si128((long long)cards));
    _mm_storeu_si128((__m128i *)entries, wide);
#else
    for (int t = 0; t < 8; t++)
        entries[t] = (int16_t)(cards >> 8 * t & 0xff);
#endif
}

/* Sizes clockwise from a seat, 0 where nobody sits; two entries more, overwritten as above. */
static inline void put_sizes(int16_t *entries, const int16_t *sizes, int n)
{
    int16_t eight[8];
    memcpy(eight, sizes, sizeof eight);
    for (int k = 0; k < 8; k++)
        eight[k] = (int16_t)(k < n ? eight[k] : 0);
    memcpy(entries, eight, sizeof eight);
}

/* The view of the seat to act, its fields in ascending order. */
static inline void fill_view(const State *restrict s, int16_t *restrict v)
{
    int n = s->players, seat = s->to_act;
    v[V_PLAYERS] = (int16_t)n;
    v[V_VALUES] = VALUES;
    v[V_COPIES] = COPIES;
    v[V_JOKERS] = JOKERS;
    v[V_FULL_HAND] = HAND;
    v[V_HIGHER] = higher_counts_as_true;
    v[V_PHASE] = (int16_t)s->phase;
    v[V_TO_ACT] = 0;
    put_cards(v + V_HAND, s->hand[seat]);
    v[V_ASKING] = (int16_t)(s->phase == COMPOSE ? 1 + s->asking : 0);
    v[V_TO_BEAT_COUNT] = (int16_t)(s->to_beat < 0 ? 0 : s->to_beat / VALUES + 1);
    v[V_TO_BEAT_VALUE] = (int16_t)(s->to_beat < 0 ? 0 : s->to_beat % VALUES + 1);
    v[V_OFFER_GIVER] = (int16_t)(s->giver < 0 ? 0 : 1 + clockwise(s->giver, seat, n));
    v[V_OFFER_COUNT] = (int16_t)s->offer_count;
    v[V_OFFER_VALUE] = (int16_t)s->offer_value;
    put_cards(v + V_OFFER_CARDS, s->phase == COMPOSE ? s->offer : 0);
    v[V_CHAIN_LENGTH] = (int16_t)s->chain_length;
    memset(v + V_CHAIN, 0, OFFERS * sizeof *v);
    int k = 1 + clockwise(s->chain_first, seat, n);
    for (int i = 0; i < s->chain_length; i++) {
        v[V_CHAIN + s->chain[i]] = (int16_t)k;
        k = k == n ? 1 : k + 1;
    }
    put_sizes(v + V_HAND_SIZES, s->hand_size + seat, n);
    put_sizes(v + V_FRESH, s->fresh + seat, n);
    put_sizes(v + V_PENALTY_SIZES, s->penalty_size + seat, n);
    put_cards(v + V_SHOWN, s->shown);
    for (int m = 0; m < ARCS; m++)
        put_cards(v + V_PASSED_ON + m * TYPES, s->passed_on[seat][m]);
    v[V_PILE_SIZE] = (int16_t)(CARDS - s->pile_next);
    v[V_ENDS] = s->ends;
    v[V_REJECTIONS] = (int16_t)s->rejections;
}

/* -- play ------------------------------------------------------------------------------------------ */

/* The choice among the legal actions without a mask. */
static inline int choose_bare(const State *s, Rng *rng)
{
    int last, first = legal_actions(s, &last);
    return first + (int)below(rng, (uint32_t)(last - first + 1));
}

static inline int64_t play_game(int players, uint64_t root, uint64_t game, Mode mode, int32_t *points)
{
    static _Alignas(64) State s;
    static _Alignas(64) int16_t view[VIEW_SIZE];
    static _Alignas(64) Mask mask;
    Rng seat[MAX_PLAYERS];
    s.players = players;
    deal_game(&s, stream(root, game, 0));
    for (int p = 0; p < players; p++)
        seat[p] = stream(root, game, (uint64_t)(1 + p));
    int64_t decisions = 0;
    while (s.to_act >= 0) {
        int action;
        if (mode == BARE) {
            action = choose_bare(&s, &seat[s.to_act]);
        } else {
            fill_mask(&s, &mask);
            fill_view(&s, view);
            show(view, &mask, mode);
            action = choose_from_mask(&mask, &seat[s.to_act]);
        }
        play(&s, action);
        decisions++;
    }
    for (int p = 0; p < players; p++)
        points[p] = -s.hand_size[p] - s.penalty_size[p];
    return decisions;
}
