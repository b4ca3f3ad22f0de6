/* Random play of Diddly in C: the yardstick of benchmarks/run.py (usage in common.h).
 *
 * Plays exactly the games that cardgames_env.core.playout.play_games plays with random agents: the same
 * streams, the same shuffles, the same choice among the legal actions. At every decision it fills the 430
 * int16 entries of the seat's view and the 54 int8 entries of the mask, as the library does, and chooses
 * from the mask. The data structures are C's own. What a view shows is kept as the view shows it: the
 * boards as rows of eight entries, the discard pile growing downwards in front of zeros, so that it is
 * copied as it lies; cards by type as rows of sixteen, changed one by one and subtracted at once. What a
 * mask shows of a board is eight bytes of a word. D numbers as in docs/games/diddly.md.
 *
 * Variants: columns=4 (boards of eight, for 2 to 6 players), max_turns=K, rounds=K.
 */
#define GAME "diddly"

enum {
    NUMBERS = 10,
    DIDDLY = NUMBERS, /* cards are types: the numbers less 1, then these */
    SWAP,
    HALF,
    PEEK,
    RECYCLE,
    TYPES,
    CARDS = 104,
    MIN_PLAYERS = 2,
    MAX_PLAYERS = 8,
    PLACES = 8, /* room for them on a board */
    FROM_DECK_ACTION = 8,
    FROM_DISCARD_ACTION = 9,
    FIRST_RECYCLE = 10,
    DECLINE = FIRST_RECYCLE + TYPES,
    FIRST_SWAP = DECLINE + 1,
    SWAPS = PLACES * (PLACES - 1) / 2,
    ACTIONS = FIRST_SWAP + SWAPS,
    ROUNDS_SHOWN = 8,
    SHOWN = 1000 /* a view counts rounds, turns and points up to here */
};

/* Where the fields of a view begin. */
enum {
    V_PLAYERS,
    V_COLUMNS,
    V_ROUND,
    V_ROUNDS_LEFT,
    V_DEALER,
    V_TO_ACT,
    V_PHASE,
    V_BOARDS,
    V_FACE_UP = V_BOARDS + MAX_PLAYERS * PLACES,
    V_PEEKED = V_FACE_UP + MAX_PLAYERS * PLACES,
    V_IN_HAND = V_PEEKED + MAX_PLAYERS * PLACES,
    V_SOURCE,
    V_PENDING,
    V_DISCARD = V_PENDING + 2,
    V_DISCARD_SIZE = V_DISCARD + CARDS,
    V_DECK_SIZE,
    V_RENEWED,
    V_IN_DECK,
    V_UNSEEN = V_IN_DECK + TYPES,
    V_TURNS = V_UNSEEN + TYPES,
    V_TURNS_LEFT = V_TURNS + MAX_PLAYERS,
    V_FINISHED,
    V_LAST_SCORES,
    V_ROUND_SCORES = V_LAST_SCORES + MAX_PLAYERS,
    V_SCORES = V_ROUND_SCORES + MAX_PLAYERS * ROUNDS_SHOWN,
    VIEW_SIZE = V_SCORES + MAX_PLAYERS
};

#include "common.h"

#include <stddef.h>

_Static_assert(VIEW_SIZE == 430, "the library's view has 430 entries");

/* -- state ----------------------------------------------------------------------------------------- */

typedef enum { TURN_UP, LOOK_AT, EXCHANGE, DRAW, PLACE, OVER } Phase;
typedef enum { NOTHING, FROM_DECK, FROM_DISCARD, RECYCLED } Source;

typedef struct { _Alignas(16) int16_t entries[8]; } Row; /* places of a board, or seats */

enum { LANES = 16 };
typedef struct { _Alignas(32) int16_t entries[LANES]; } ByType; /* the last one is not used */

/* A board as the owner's masks need it: byte k of a word is 1 for place k. */
typedef struct {
    uint64_t down;     /* what lies face down */
    uint64_t recycles; /* the face-up Recycles */
    int face_up;       /* how many */
} Marks;

typedef struct {
    Rng rng;
    Row open[MAX_PLAYERS];       /* 1 + type of the face-up cards */
    Row is_open[MAX_PLAYERS];    /* 1 there */
    Row is_peeked[MAX_PLAYERS];  /* 1 for the face-down cards that the owner knows */
    Row own[MAX_PLAYERS];        /* 1 + type of these */
    Marks marks[MAX_PLAYERS];
    ByType secret[MAX_PLAYERS];  /* how many of these, by type */
    ByType not_public;           /* cards that not everyone sees, by type */
    ByType in_deck;              /* of a renewed deck, those not drawn and placed, by type */
    uint8_t board[MAX_PLAYERS][PLACES]; /* types */
    uint8_t pile_counts[LANES];  /* the discard pile by type */
    int16_t pile[2 * CARDS];     /* 1 + type, the bottom one at CARDS - 1, then zeros */
    int16_t turns[2 * MAX_PLAYERS + 8]; /* of seat p at p and at p + players */
    int16_t last_scores[2 * MAX_PLAYERS + 8];
    int16_t scores[2 * MAX_PLAYERS + 8]; /* up to SHOWN */
    int16_t round_scores[MAX_PLAYERS][ROUNDS_SHOWN];
    int32_t total[MAX_PLAYERS];
    uint8_t deck[CARDS];
    int players, to_act, dealer, round, finished;
    Phase phase;
    Source source;
    int in_hand;     /* 1 + type, or 0 */
    int pending[2];  /* 1 + type, or 0 */
    int deck_next, deck_end, top; /* top: of the pile */
    bool renewed;
} State;

static int columns = 3, rounds = 5, max_turns = 50;
static uint64_t all_places;
static uint8_t full_deck[CARDS];
static ByType copies;
static Mask swaps;
static uint8_t pairs[SWAPS][2];

static bool set_variant(const char *name)
{
    return sscanf(name, "columns=%d", &columns) == 1 || sscanf(name, "max_turns=%d", &max_turns) == 1
           || sscanf(name, "rounds=%d", &rounds) == 1;
}

static void prepare(void)
{
    int size = 0;
    for (int t = 0; t < TYPES; t++) {
        copies.entries[t] = t <= DIDDLY ? 8 : 4;
        for (int k = 0; k < copies.entries[t]; k++)
            full_deck[size++] = (uint8_t)t;
    }
    all_places = UINT64_MAX >> (64 - 16 * columns) & UINT64_C(0x0101010101010101);
    swaps.legal[DECLINE] = 1;
    int a = 0;
    for (int i = 0; i < PLACES; i++)
        for (int j = i + 1; j < PLACES; j++, a++) {
            pairs[a][0] = (uint8_t)i;
            pairs[a][1] = (uint8_t)j;
            swaps.legal[FIRST_SWAP + a] = j < 2 * columns;
        }
}

/* -- rules ----------------------------------------------------------------------------------------- */

static inline int min(int a, int b) { return a < b ? a : b; }

static inline int seat_after(const State *s, int p) { return p + 1 == s->players ? 0 : p + 1; }

static inline void set_both(int16_t *table, int players, int p, int value)
{
    table[p] = table[p + players] = (int16_t)value;
}

static inline uint64_t byte(int k) { return UINT64_C(1) << 8 * k; }

static inline int lowest_byte(uint64_t marks) { return __builtin_ctzll(marks) >> 3; }

static inline void discard(State *s, int t)
{
    s->pile[--s->top] = (int16_t)(1 + t);
    s->pile_counts[t]++;
}

static void begin_round(State *s)
{
    memcpy(s->deck, full_deck, sizeof full_deck);
    shuffle(&s->rng, s->deck, CARDS);
    int places = 2 * columns;
    for (int p = 0; p < s->players; p++)
        memcpy(s->board[p], s->deck + p * places, PLACES);
    memset(s->open, 0, offsetof(State, marks) - offsetof(State, open));
    for (int p = 0; p < s->players; p++)
        s->marks[p] = (Marks){all_places, 0, 0};
    memset(s->secret, 0, sizeof s->secret);
    memset(&s->in_deck, 0, sizeof s->in_deck);
    memset(s->pile_counts, 0, sizeof s->pile_counts);
    memset(s->turns, 0, sizeof s->turns);
    s->top = CARDS;
    s->deck_next = s->players * places;
    s->deck_end = CARDS;
    int first = s->deck[s->deck_next++]; /* D11 */
    discard(s, first);
    s->not_public = copies;
    s->not_public.entries[first]--;
    s->renewed = false;
    s->finished = -1;
    s->pending[0] = s->pending[1] = 0;
    s->source = NOTHING;
    s->in_hand = 0;
    s->phase = TURN_UP;
    s->to_act = seat_after(s, s->dealer);
}

static void deal_game(State *s, Rng chance)
{
    s->rng = chance;
    s->round = 1;
    s->dealer = 0;
    memset(s->pile + CARDS, 0, CARDS * sizeof *s->pile);
    memset(s->last_scores, 0, sizeof s->last_scores);
    memset(s->scores, 0, sizeof s->scores);
    memset(s->total, 0, sizeof s->total);
    memset(s->round_scores, 0, sizeof s->round_scores);
    begin_round(s);
}

/* A face-down card is no longer on the board, or no longer face down: everyone sees it. */
static inline void reveal(State *s, int p, int k)
{
    int t = s->board[p][k];
    s->not_public.entries[t]--;
    s->secret[p].entries[t] -= s->is_peeked[p].entries[k];
    s->is_peeked[p].entries[k] = 0;
    s->own[p].entries[k] = 0;
    s->is_open[p].entries[k] = 1;
    s->marks[p].down &= ~byte(k);
    s->marks[p].face_up++;
}

static inline void look_at(State *s, int p, int k)
{
    int t = s->board[p][k];
    s->secret[p].entries[t] += (int16_t)(1 - s->is_peeked[p].entries[k]);
    s->is_peeked[p].entries[k] = 1;
    s->own[p].entries[k] = (int16_t)(1 + t);
}

/* Begins the effect of a card; false if there is none, or nothing to ask (D4). */
static inline bool asked(State *s, int p, int t)
{
    if (t == SWAP) {
        s->phase = EXCHANGE;
        return true;
    }
    if (t == PEEK) {
        int down = 2 * columns - s->marks[p].face_up;
        if (down > 1) {
            s->phase = LOOK_AT;
            return true;
        }
        if (down == 1)
            look_at(s, p, lowest_byte(s->marks[p].down));
    }
    return false;
}

static inline int board_points(const uint8_t *board)
{
    static const uint8_t points_of[TYPES] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0, 0, 0, 10, 10};
    int points = 0;
    for (int k = 0; k < 2 * columns; k += 2) {
        int a = board[k], b = board[k + 1];
        int sum = points_of[a] + points_of[b];
        if (a == HALF || b == HALF)
            sum = (sum + 1) / 2; /* D9 */
        points += a == b ? 0 : sum; /* D8 */
    }
    return points;
}

static void score_round(State *s)
{
    for (int p = 0; p < s->players; p++) {
        int points = board_points(s->board[p]);
        s->total[p] += points;
        if (s->round <= ROUNDS_SHOWN)
            s->round_scores[p][s->round - 1] = (int16_t)points;
        set_both(s->last_scores, s->players, p, points);
        set_both(s->scores, s->players, p, min(s->total[p], SHOWN));
    }
    if (s->round < rounds) {
        s->round++;
        s->dealer = seat_after(s, s->dealer);
        begin_round(s);
    } else {
        s->to_act = -1;
        s->phase = OVER;
    }
}

static inline void end_turn(State *s, int p)
{
    int turns = s->turns[p] + 1;
    set_both(s->turns, s->players, p, turns);
    if (s->finished < 0 && s->marks[p].face_up == 2 * columns)
        s->finished = p;
    int following = seat_after(s, p);
    if (following == s->finished || (p == s->dealer && turns == max_turns)) { /* D7 */
        score_round(s);
    } else {
        s->to_act = following;
        s->phase = DRAW;
    }
}

static inline void place(State *s, int p, int k)
{
    int t = s->in_hand - 1;
    if (s->source == FROM_DECK) {
        s->not_public.entries[t]--;
        s->in_deck.entries[t] -= s->renewed;
    }
    if (!s->is_open[p].entries[k])
        reveal(s, p, k);
    discard(s, s->board[p][k]);
    s->board[p][k] = (uint8_t)t;
    s->open[p].entries[k] = (int16_t)(1 + t);
    s->marks[p].recycles = (s->marks[p].recycles & ~byte(k)) | (t == RECYCLE ? byte(k) : 0);
    s->in_hand = 0;
    s->source = NOTHING;
    end_turn(s, p);
}

static inline void begin_placing(State *s, int p)
{
    uint64_t recycles = s->marks[p].recycles;
    if (s->source == RECYCLED && (recycles & (recycles - 1)) == 0)
        place(s, p, lowest_byte(recycles));
    else
        s->phase = PLACE;
}

static inline void go_on_setting_up(State *s, int p)
{
    while (s->pending[0]) {
        if (asked(s, p, s->pending[0] - 1))
            return;
        s->pending[0] = s->pending[1];
        s->pending[1] = 0;
    }
    s->to_act = seat_after(s, p);
    s->phase = p == s->dealer ? DRAW : TURN_UP;
}

static inline void turn_up(State *s, int p, int k)
{
    int t = s->board[p][k];
    reveal(s, p, k);
    s->open[p].entries[k] = (int16_t)(1 + t);
    if (t == RECYCLE)
        s->marks[p].recycles |= byte(k);
    if (t == PEEK || t == SWAP)
        s->pending[s->pending[0] ? 1 : 0] = 1 + t;
    if (s->marks[p].face_up == 2) /* D3 */
        go_on_setting_up(s, p);
}

static inline void effect_done(State *s, int p)
{
    if (s->pending[0]) {
        s->pending[0] = s->pending[1];
        s->pending[1] = 0;
        go_on_setting_up(s, p);
    } else {
        begin_placing(s, p);
    }
}

static inline void swap_entries(Row *row, int i, int j)
{
    int16_t first = row->entries[i];
    row->entries[i] = row->entries[j];
    row->entries[j] = first;
}

static inline uint64_t swap_bytes(uint64_t marks, int i, int j)
{
    uint64_t differ = (marks >> 8 * i ^ marks >> 8 * j) & 1;
    return marks ^ (differ << 8 * i | differ << 8 * j);
}

static inline void exchange(State *s, int p, int i, int j)
{
    uint8_t first = s->board[p][i];
    s->board[p][i] = s->board[p][j];
    s->board[p][j] = first;
    swap_entries(&s->open[p], i, j);
    swap_entries(&s->is_open[p], i, j);
    swap_entries(&s->is_peeked[p], i, j);
    swap_entries(&s->own[p], i, j);
    s->marks[p].down = swap_bytes(s->marks[p].down, i, j);
    s->marks[p].recycles = swap_bytes(s->marks[p].recycles, i, j);
}

/* D6 */
static void renew_deck(State *s)
{
    int size = CARDS - 1 - s->top;
    int16_t top_card = s->pile[s->top];
    for (int k = 0; k < size; k++)
        s->deck[k] = (uint8_t)(s->pile[CARDS - 1 - k] - 1);
    s->pile_counts[top_card - 1]--;
    for (int t = 0; t < LANES; t++) {
        s->in_deck.entries[t] = s->pile_counts[t];
        s->not_public.entries[t] = (int16_t)(s->not_public.entries[t] + s->pile_counts[t]);
    }
    memset(s->pile_counts, 0, sizeof s->pile_counts);
    s->top = CARDS;
    discard(s, top_card - 1);
    shuffle(&s->rng, s->deck, size);
    s->deck_next = 0;
    s->deck_end = size;
    s->renewed = true;
}

static inline void take(State *s, int p, int action)
{
    if (action == FROM_DECK_ACTION) {
        if (s->deck_next == s->deck_end)
            renew_deck(s);
        s->in_hand = 1 + s->deck[s->deck_next++];
        s->source = FROM_DECK;
    } else {
        if (action == FROM_DISCARD_ACTION) {
            s->in_hand = s->pile[s->top];
            s->source = FROM_DISCARD;
        } else { /* D5 */
            s->in_hand = 1 + action - FIRST_RECYCLE;
            s->source = RECYCLED;
            int where = s->top;
            while (s->pile[where] != s->in_hand)
                where++;
            for (; where > s->top; where--)
                s->pile[where] = s->pile[where - 1];
        }
        s->top++;
        s->pile_counts[s->in_hand - 1]--;
    }
    if (!asked(s, p, s->in_hand - 1))
        begin_placing(s, p);
}

static inline void play(State *s, int action)
{
    int p = s->to_act;
    switch (s->phase) {
    case TURN_UP:
        turn_up(s, p, action);
        break;
    case LOOK_AT:
        look_at(s, p, action);
        effect_done(s, p);
        break;
    case EXCHANGE:
        if (action != DECLINE)
            exchange(s, p, pairs[action - FIRST_SWAP][0], pairs[action - FIRST_SWAP][1]);
        effect_done(s, p);
        break;
    case DRAW:
        take(s, p, action);
        break;
    default:
        place(s, p, action);
    }
}

/* -- what a seat sees ------------------------------------------------------------------------------ */

static inline void fill_mask(const State *s, Mask *mask)
{
    const Marks *marks = &s->marks[s->to_act];
    if (s->phase == EXCHANGE) {
        memcpy(mask, &swaps, sizeof swaps);
        return;
    }
    memset(mask, 0, sizeof *mask);
    if (s->phase == DRAW) {
        if (marks->recycles) /* the byte behind the last type stays 0 */
            for (int t = 0; t < LANES; t++)
                mask->legal[FIRST_RECYCLE + t] = s->pile_counts[t] != 0;
        mask->legal[FROM_DECK_ACTION] = mask->legal[FROM_DISCARD_ACTION] = 1;
    } else if (s->phase == PLACE) {
        mask->words[0] = s->source == RECYCLED ? marks->recycles : all_places;
    } else {
        mask->words[0] = marks->down;
    }
}

/* Clockwise from a seat, 0 where nobody sits. */
static inline void put_by_seat(int16_t *entries, const int16_t *table, int n)
{
    int16_t eight[8];
    memcpy(eight, table, sizeof eight);
    for (int k = 0; k < 8; k++)
        entries[k] = (int16_t)(k < n ? eight[k] : 0);
}

/* The view of the seat to act. */
static inline void fill_view(const State *restrict s, int16_t *restrict v)
{
    int seat = s->to_act, n = s->players;
    v[V_PLAYERS] = (int16_t)n;
    v[V_COLUMNS] = (int16_t)columns;
    v[V_ROUND] = (int16_t)min(s->round, SHOWN);
    v[V_ROUNDS_LEFT] = (int16_t)min(rounds - s->round, SHOWN);
    v[V_DEALER] = (int16_t)(s->dealer - seat + (s->dealer < seat ? n : 0));
    v[V_TO_ACT] = 0;
    v[V_PHASE] = (int16_t)s->phase;
    Row *boards = (Row *)(v + V_BOARDS), *face_up = (Row *)(v + V_FACE_UP);
    Row *peeked = (Row *)(v + V_PEEKED);
    for (int k = 0, p = seat; k < n; k++, p = seat_after(s, p)) {
        memcpy(boards + k, s->open + p, sizeof(Row));
        memcpy(face_up + k, s->is_open + p, sizeof(Row));
        memcpy(peeked + k, s->is_peeked + p, sizeof(Row));
    }
    for (int k = n; k < MAX_PLAYERS; k++) {
        memset(boards + k, 0, sizeof(Row));
        memset(face_up + k, 0, sizeof(Row));
        memset(peeked + k, 0, sizeof(Row));
    }
    for (int i = 0; i < PLACES; i++)
        v[V_BOARDS + i] = (int16_t)(s->open[seat].entries[i] + s->own[seat].entries[i]);
    v[V_IN_HAND] = (int16_t)s->in_hand;
    v[V_SOURCE] = (int16_t)s->source;
    v[V_PENDING] = (int16_t)s->pending[0];
    v[V_PENDING + 1] = (int16_t)s->pending[1];
    memcpy(v + V_DISCARD, s->pile + s->top, CARDS * sizeof *v);
    v[V_DISCARD_SIZE] = (int16_t)(CARDS - s->top);
    v[V_DECK_SIZE] = (int16_t)(s->deck_end - s->deck_next);
    v[V_RENEWED] = s->renewed;
    memcpy(v + V_IN_DECK, &s->in_deck, sizeof(ByType)); /* the sixteenth is overwritten by what follows */
    for (int t = 0; t < LANES; t++)
        v[V_UNSEEN + t] = (int16_t)(s->not_public.entries[t] - s->secret[seat].entries[t]);
    if (s->source == FROM_DECK) {
        v[V_UNSEEN + s->in_hand - 1]--;
        v[V_IN_DECK + s->in_hand - 1] -= s->renewed;
    }
    put_by_seat(v + V_TURNS, s->turns + seat, n);
    v[V_TURNS_LEFT] = (int16_t)min(max_turns - s->turns[seat], SHOWN);
    v[V_FINISHED] = (int16_t)(s->finished < 0 ? 0 : 1 + s->finished - seat + (s->finished < seat ? n : 0));
    put_by_seat(v + V_LAST_SCORES, s->last_scores + seat, n);
    put_by_seat(v + V_SCORES, s->scores + seat, n);
    memset(v + V_ROUND_SCORES, 0, MAX_PLAYERS * ROUNDS_SHOWN * sizeof *v);
    for (int k = 0; k < n; k++)
        memcpy(v + V_ROUND_SCORES + k * ROUNDS_SHOWN, s->round_scores[seat + k < n ? seat + k : seat + k - n],
               ROUNDS_SHOWN * sizeof *v);
}

/* -- play ------------------------------------------------------------------------------------------ */

/* The choice among the legal actions without a mask. */
static inline int choose_bare(const State *s, Rng *rng)
{
    const Marks *marks = &s->marks[s->to_act];
    uint64_t places = marks->down;
    if (s->phase == EXCHANGE) {
        int i = (int)below(rng, (uint32_t)(columns * (2 * columns - 1) + 1));
        if (i == 0)
            return DECLINE;
        for (int a = 0;; a++)
            if (swaps.legal[FIRST_SWAP + a] && --i == 0)
                return FIRST_SWAP + a;
    }
    if (s->phase == DRAW) {
        uint32_t types = 0;
        if (marks->recycles)
            for (int t = 0; t < LANES; t++)
                types |= (uint32_t)(s->pile_counts[t] != 0) << t;
        int i = (int)below(rng, 2 + (uint32_t)__builtin_popcount(types));
        return i < 2 ? FROM_DECK_ACTION + i : FIRST_RECYCLE + nth_bit(types, i - 2);
    }
    if (s->phase == PLACE)
        places = s->source == RECYCLED ? marks->recycles : all_places;
    int i = (int)below(rng, (uint32_t)__builtin_popcountll(places));
    return nth_bit(places, i) >> 3;
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
        points[p] = -s.total[p];
    return decisions;
}
