/* Random play of Dicht dran in C: the yardstick of benchmarks/run.py (usage in common.h).
 *
 * Plays exactly the games that cardgames_env.core.playout.play_games plays with random agents: the same
 * streams (xoshiro256++ seeded by SplitMix64; stream 0 is chance, stream 1 + seat the seat's choices), the
 * same shuffle, the same choice among the legal actions. At every decision it fills the 540 int16 entries
 * of the seat's view and the 100 int8 entries of the mask, as the library does, and chooses from the mask.
 * The data structures are C's own. Rule and D numbers as in docs/games/dicht_dran.md.
 */
#define GAME "dicht_dran"

enum {
    VIEW_SIZE = 540,
    CARDS = 100,
    ACTIONS = CARDS, /* action a plays card a + 1 */
    DRAWN_CARDS = 98, /* 2 ... 99; the 1 and the 100 are always in the circle */
    CIRCLE = 6,
    HAND = 8,
    MIN_PLAYERS = 2,
    MAX_PLAYERS = 5,
    DEALS = 2,
    SPREAD_WORDS = 13 /* uint64 words that hold the mask's 100 bytes */
};

#include "common.h"

/* -- state and view -------------------------------------------------------------------------------- */

typedef struct { uint64_t bits[2]; } Hand; /* card c at bit c - 1 */

typedef struct {
    Rng rng;
    Hand hand[MAX_PLAYERS];
    int players, to_act, deal;
    int round, target_position, gap_low, gap_high;
    int hand_size[MAX_PLAYERS];
    int won_peppers[MAX_PLAYERS];
    int total[MAX_PLAYERS];
    int pile_next, pile_end, discard_size;
    int last_winner, last_target; /* -1 and 0: none yet */
    uint8_t pile[DRAWN_CARDS];
    uint8_t discard[DRAWN_CARDS];
    uint8_t circle[CIRCLE];
    uint8_t chosen[MAX_PLAYERS];
    uint8_t last_plays[MAX_PLAYERS];
    /* What lay open in this deal, card by card, ready to be copied into a view. */
    int16_t seen[CARDS];
    int16_t played_by[CARDS]; /* 1 + seat, or 0 */
    int16_t won_by[CARDS];
} State;

typedef struct {
    int16_t players, deal, deals_left, round, over;
    int16_t circle[CIRCLE];
    int16_t target_position, target, gap_low, gap_high;
    int16_t hand[CARDS];
    int16_t chosen;
    int16_t seen[CARDS], played_by[CARDS], won_by[CARDS], peppers[CARDS];
    int16_t hand_sizes[MAX_PLAYERS];
    int16_t won_peppers[MAX_PLAYERS];
    int16_t pile_size, discard_size;
    int16_t scores[MAX_PLAYERS];
    int16_t last_plays[MAX_PLAYERS];
    int16_t last_winner, last_target;
} View;

_Static_assert(sizeof(View) == VIEW_SIZE * sizeof(int16_t), "the library's view has 540 entries");

static int16_t peppers[CARDS]; /* of card c at c - 1 */

static void prepare(void)
{
    for (int n = 1; n <= CARDS; n++)
        peppers[n - 1] = (int16_t)(1 + (n + n / 10 + 1) % 3); /* D1 */
}

static bool set_variant(const char *name)
{
    (void)name;
    return false;
}

/* -- rules ----------------------------------------------------------------------------------------- */

static inline int min(int a, int b) { return a < b ? a : b; }
static inline int max(int a, int b) { return a > b ? a : b; }

static inline void flip(Hand *hand, int card)
{
    hand->bits[(card - 1) >> 6] ^= UINT64_C(1) << ((card - 1) & 63);
}

static inline void draw(State *s, int p)
{
    flip(&s->hand[p], s->pile[s->pile_next++]);
    s->hand_size[p]++;
}

static inline void begin_round(State *s, int round)
{
    s->round = round;
    s->target_position = round % CIRCLE;
    int left = s->circle[(s->target_position + CIRCLE - 1) % CIRCLE];
    int right = s->circle[(s->target_position + 1) % CIRCLE];
    s->gap_low = min(left, right);
    s->gap_high = max(left, right);
    s->to_act = 0;
}

static void deal_cards(State *s)
{
    for (int k = 0; k < DRAWN_CARDS; k++)
        s->pile[k] = (uint8_t)(2 + k);
    shuffle(&s->rng, s->pile, DRAWN_CARDS);
    const uint8_t circle[CIRCLE] = {1, s->pile[0], s->pile[1], CARDS, s->pile[2], s->pile[3]};
    memcpy(s->circle, circle, sizeof circle);
    s->pile_next = 4;
    s->pile_end = DRAWN_CARDS;
    s->discard_size = 0;
    memset(s->hand, 0, sizeof s->hand);
    memset(s->hand_size, 0, sizeof s->hand_size);
    memset(s->won_peppers, 0, sizeof s->won_peppers);
    memset(s->seen, 0, sizeof s->seen);
    memset(s->played_by, 0, sizeof s->played_by);
    memset(s->won_by, 0, sizeof s->won_by);
    for (int p = 0; p < s->players; p++)
        for (int k = 0; k < HAND; k++)
            draw(s, p);
    for (int k = 0; k < CIRCLE; k++)
        s->seen[s->circle[k] - 1] = 1;
    begin_round(s, 1);
}

static void deal_game(State *s, Rng chance)
{
    s->rng = chance;
    s->deal = 0;
    s->last_winner = -1;
    s->last_target = 0;
    memset(s->total, 0, sizeof s->total);
    memset(s->last_plays, 0, sizeof s->last_plays);
    memset(s->chosen, 0, sizeof s->chosen);
    deal_cards(s);
}

/* Rule 4: the closest card; of two equally close, the higher. */
static inline int closest(const State *s)
{
    int target = s->circle[s->target_position];
    int best = 0;
    int best_distance = CARDS;
    for (int p = 0; p < s->players; p++) {
        int distance = abs(s->chosen[p] - target);
        if (distance < best_distance
            || (distance == best_distance && s->chosen[p] > s->chosen[best])) {
            best = p;
            best_distance = distance;
        }
    }
    return best;
}

/* D4: the whole discard pile becomes the pile. */
static void renew_pile(State *s)
{
    shuffle(&s->rng, s->discard, s->discard_size);
    memcpy(s->pile, s->discard, (size_t)s->discard_size);
    s->pile_next = 0;
    s->pile_end = s->discard_size;
    s->discard_size = 0;
}

static void score_deal(State *s)
{
    for (int p = 0; p < s->players; p++) {
        int points = s->won_peppers[p];
        for (int w = 0; w < 2; w++)
            for (uint64_t rest = s->hand[p].bits[w]; rest; rest &= rest - 1)
                points -= peppers[64 * w + __builtin_ctzll(rest)];
        s->total[p] += points;
    }
    if (++s->deal < DEALS)
        deal_cards(s);
    else
        s->to_act = -1;
}

/* Actions 2 to 4 of a round in which everyone has chosen. */
static void resolve_round(State *s)
{
    int n = s->players;
    int winner = closest(s);
    uint8_t *lying = &s->circle[s->target_position];
    int target = *lying;
    *lying = s->chosen[winner];
    s->won_by[target - 1] = (int16_t)(1 + winner);
    s->won_peppers[winner] += peppers[target - 1];
    s->last_target = target;
    s->last_winner = winner;

    int missing[MAX_PLAYERS];
    int misses = 0;
    for (int p = 0; p < n; p++) {
        int card = s->chosen[p];
        s->seen[card - 1] = 1;
        s->played_by[card - 1] = (int16_t)(1 + p);
        s->last_plays[p] = (uint8_t)card;
        if (p == winner)
            continue;
        if (s->gap_low <= card && card <= s->gap_high)
            s->discard[s->discard_size++] = (uint8_t)card;
        else
            missing[misses++] = p;
    }
    for (int m = 0; m < misses; m++) /* D3: after the cards in the gap, in seat order */
        s->discard[s->discard_size++] = s->chosen[missing[m]];

    bool ran_out = false; /* D5 */
    for (int m = 0; m < misses; m++) {
        int p = missing[m];
        for (int owed = peppers[s->chosen[p] - 1]; owed > 0; owed--) {
            if (s->pile_next == s->pile_end) {
                renew_pile(s);
                ran_out = true;
            }
            draw(s, p);
        }
    }
    ran_out |= s->pile_next == s->pile_end;
    bool out_of_cards = false;
    for (int p = 0; p < n; p++)
        out_of_cards |= s->hand_size[p] == 0;
    memset(s->chosen, 0, sizeof s->chosen);
    if (ran_out || out_of_cards)
        score_deal(s);
    else
        begin_round(s, s->round + 1);
}

/* The seat to act plays a card it holds. */
static inline void play(State *s, int card)
{
    int p = s->to_act++;
    flip(&s->hand[p], card);
    s->hand_size[p]--;
    s->chosen[p] = (uint8_t)card;
    if (s->to_act == s->players)
        resolve_round(s);
}

/* -- what a seat sees ------------------------------------------------------------------------------ */

/* Eight bits of the hand become eight bytes of 0 or 1 at a time, without a branch. */
static inline void fill_mask(const State *s, Mask *mask)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    const uint64_t *bits = s->hand[s->to_act].bits;
    for (int w = 0; w < SPREAD_WORDS; w++) {
        uint64_t eight = bits[w / 8] >> (8 * w % 64) & 0xff;
        uint64_t spread = eight * ones & UINT64_C(0x8040201008040201); /* byte i keeps bit i */
        mask->words[w] = (spread + 0x7f * ones) >> 7 & ones;
    }
}

/* Seats counted from the viewer: `to[i] = 1 + (from[i] - 1 - seat) mod n`, and 0 stays 0. */
static inline void count_seats_from(int seat, int n, const int16_t *restrict from, int16_t *restrict to)
{
    int16_t viewer = (int16_t)seat;
    int16_t players = (int16_t)n;
    for (int c = 0; c < CARDS; c++) {
        int16_t k = (int16_t)(from[c] - viewer);
        int16_t wrapped = k <= 0 ? (int16_t)(k + players) : k;
        to[c] = from[c] == 0 ? 0 : wrapped;
    }
}

/* The view of the seat to act, whose hand is its mask. */
static void fill_view(const State *restrict s, const Mask *restrict mask, View *restrict v)
{
    int seat = s->to_act;
    int n = s->players;
    v->players = (int16_t)n;
    v->deal = (int16_t)s->deal;
    v->deals_left = (int16_t)(DEALS - 1 - s->deal);
    v->round = (int16_t)s->round;
    v->over = 0;
    for (int k = 0; k < CIRCLE; k++)
        v->circle[k] = s->circle[k];
    v->target_position = (int16_t)s->target_position;
    v->target = s->circle[s->target_position];
    v->gap_low = (int16_t)s->gap_low;
    v->gap_high = (int16_t)s->gap_high;
    for (int c = 0; c < CARDS; c++)
        v->hand[c] = mask->legal[c];
    v->chosen = s->chosen[seat];
    memcpy(v->seen, s->seen, sizeof v->seen);
    count_seats_from(seat, n, s->played_by, v->played_by);
    count_seats_from(seat, n, s->won_by, v->won_by);
    memcpy(v->peppers, peppers, sizeof v->peppers);
    v->pile_size = (int16_t)(s->pile_end - s->pile_next);
    v->discard_size = (int16_t)s->discard_size;
    for (int k = 0; k < MAX_PLAYERS; k++) { /* no branch in it, so that it can be unrolled */
        int p = seat + k;
        p -= p >= n ? n : 0;
        int there = k < n ? -1 : 0;
        v->hand_sizes[k] = (int16_t)((s->hand_size[p] + (p < s->to_act)) & there);
        v->won_peppers[k] = (int16_t)(s->won_peppers[p] & there);
        v->scores[k] = (int16_t)(max(-INT16_MAX, min(s->total[p], INT16_MAX)) & there);
        v->last_plays[k] = (int16_t)(s->last_plays[p] & there);
    }
    int k = s->last_winner - seat;
    v->last_winner = (int16_t)(s->last_winner < 0 ? 0 : 1 + (k < 0 ? k + n : k));
    v->last_target = (int16_t)s->last_target;
}

/* -- random choice --------------------------------------------------------------------------------- */

/* The same choice without a mask. */
static inline int choose_from_hand(const State *s, Rng *rng)
{
    const uint64_t *bits = s->hand[s->to_act].bits;
    int left = (int)below(rng, (uint32_t)s->hand_size[s->to_act]);
    int low = __builtin_popcountll(bits[0]);
    int w = left >= low;
    uint64_t rest = bits[w];
    for (left -= w ? low : 0; left > 0; left--)
        rest &= rest - 1;
    return 64 * w + __builtin_ctzll(rest);
}

/* -- play ------------------------------------------------------------------------------------------ */

/* One game; final points into `points`. Returns the number of decisions. */
static inline int64_t play_game(int players, uint64_t root, uint64_t game, Mode mode, int32_t *points)
{
    static _Alignas(64) State s;
    static _Alignas(64) View view;
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
            action = choose_from_hand(&s, &seat[s.to_act]);
        } else {
            fill_mask(&s, &mask);
            fill_view(&s, &mask, &view);
            show((const int16_t *)&view, &mask, mode);
            action = choose_from_mask(&mask, &seat[s.to_act]);
        }
        play(&s, action + 1);
        decisions++;
    }
    for (int p = 0; p < players; p++)
        points[p] = s.total[p];
    return decisions;
}
