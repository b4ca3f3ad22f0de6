/* Random play of Dackel drauf! in C: the yardstick of benchmarks/run.py (usage in common.h).
 *
 * Plays exactly the games that cardgames_env.core.playout.play_games plays with random agents: the same
 * streams, the same shuffles and dice, the same choice among the legal actions. At every decision it fills
 * the 640 int16 entries of the seat's view and the 23 int8 entries of the mask, as the library does, and
 * chooses from the mask. The data structures are C's own. What a view shows is kept as the view shows it,
 * in rows that are copied as they lie; of the seats in a chain, counted from the viewer, this is done for
 * a whole row at once. What concerns all seats is held twice over, so that what a seat sees, clockwise,
 * lies in one piece. Dice noticed are bits, and so are the dice that show an animal: how many dice of each
 * animal a seat remembers is counted when it looks. D numbers as in docs/games/dackel_drauf.md.
 *
 * Variants: takeback, forget=F (a probability), memory=agent.
 */
#define GAME "dackel_drauf"

enum {
    ANIMALS = 9,
    COPIES = 2,
    CARDS = COPIES * ANIMALS, /* of a player */
    HAND = 10,
    MIN_PLAYERS = 2,
    MAX_PLAYERS = 5,
    CHAIN = MAX_PLAYERS * HAND,
    DICE = 15,
    FACES = 6,
    KINDS = 3, /* of special cards */
    SPECIALS = 9,
    MAX_LOOKS = 5,
    MAX_ROUNDS = 60,
    PARTS = 10000, /* a view gives probabilities in these */
    FIRST_FACE_DOWN = ANIMALS,
    PASS = 2 * ANIMALS,
    KEEP_OPEN,
    CLOSE,
    USE_JOKERS,
    DECLINE,
    ACTIONS
};

enum { EXTRA, FACE_DOWN, JOKER };

/* Where the fields of a view begin. */
enum {
    V_PLAYERS,
    V_NOTICE,
    V_FORGET,
    V_MAX_LOOKS,
    V_MEMORY,
    V_TAKEBACK,
    V_WIN_THRESHOLD,
    V_FACES,
    V_ROUND = V_FACES + DICE * FACES,
    V_ROUNDS_LEFT,
    V_STARTER,
    V_PHASE,
    V_TO_ACT,
    V_AGAIN,
    V_TICKS,
    V_REMEMBERED,
    V_HAND = V_REMEMBERED + ANIMALS,
    V_SPECIAL = V_HAND + ANIMALS,
    V_HAND_SIZES = V_SPECIAL + KINDS,
    V_PASSED = V_HAND_SIZES + MAX_PLAYERS,
    V_LEFT = V_PASSED + MAX_PLAYERS,
    V_CARDS_LEFT = V_LEFT + MAX_PLAYERS * ANIMALS,
    V_KNOWN = V_CARDS_LEFT + MAX_PLAYERS,
    V_CHAIN_LENGTH = V_KNOWN + MAX_PLAYERS * ANIMALS,
    V_CHAIN_SEATS,
    V_CHAIN_ANIMALS = V_CHAIN_SEATS + CHAIN,
    V_CHAIN_DOWN = V_CHAIN_ANIMALS + CHAIN,
    V_CHAIN_RIGHT = V_CHAIN_DOWN + CHAIN,
    V_DICE = V_CHAIN_RIGHT + CHAIN,
    V_AT = V_DICE + ANIMALS,
    V_SPECIAL_COUNTS,
    V_SPECIAL_KNOWN = V_SPECIAL_COUNTS + MAX_PLAYERS,
    V_SPECIAL_SIZE = V_SPECIAL_KNOWN + MAX_PLAYERS * KINDS,
    V_SPECIAL_PILE,
    V_USED = V_SPECIAL_PILE + SPECIALS,
    V_LAST_DICE = V_USED + SPECIALS,
    V_LAST_LENGTH = V_LAST_DICE + ANIMALS,
    V_LAST_SEATS,
    V_LAST_ANIMALS = V_LAST_SEATS + CHAIN,
    V_LAST_RIGHT = V_LAST_ANIMALS + CHAIN,
    VIEW_SIZE = V_LAST_RIGHT + CHAIN
};

#include "common.h"

_Static_assert(VIEW_SIZE == 640, "the library's view has 640 entries");

/* -- state ----------------------------------------------------------------------------------------- */

typedef enum { LOOK, IN_CHAIN, JOKERS, OVER } Phase;
typedef enum { UNJUDGED, WRONG, RIGHT, RESCUED, IN_VAIN } Mark;
typedef enum { PLAYER, PERFECT, AGENT } Memory;

enum {
    BOTH = 2 * MAX_PLAYERS, /* seat p at p and at p + players */
    TABLE = BOTH + 4        /* and what a load of eight may read beyond */
};

typedef struct {
    int16_t seats[CHAIN];   /* 1 + seat, then zeros */
    int16_t animals[CHAIN]; /* 1 + animal, 0 if nobody but its owner knows it, then zeros */
    int16_t right[CHAIN];   /* marks */
} Row;

typedef struct {
    Rng rng;
    Row chain, last;
    int16_t chain_down[CHAIN];
    int16_t hand_size[TABLE], passed[TABLE], cards_left[TABLE], special_count[TABLE];
    int16_t left[BOTH][ANIMALS], known[BOTH][ANIMALS];
    int16_t special_known[BOTH][KINDS];
    int16_t hand[MAX_PLAYERS][ANIMALS];
    int16_t special[MAX_PLAYERS][KINDS];
    int16_t dice[ANIMALS], last_dice[ANIMALS]; /* in the showdown: how many show each animal */
    int16_t special_open[SPECIALS]; /* 1 + kind where all know it, else 0 */
    int16_t used[SPECIALS];         /* 1 + kind, then zeros */
    uint32_t held[MAX_PLAYERS];     /* animals in hand, as bits */
    uint32_t noticed[MAX_PLAYERS];  /* dice, as bits */
    uint32_t showing[ANIMALS];      /* dice, as bits */
    uint8_t pile[MAX_PLAYERS][CARDS];
    int pile_next[MAX_PLAYERS];
    uint8_t special_pile[SPECIALS];
    uint8_t down[MAX_PLAYERS][KINDS], down_at[MAX_PLAYERS][KINDS]; /* own face-down cards, and where */
    int downs[MAX_PLAYERS];
    int played[MAX_PLAYERS];
    int wrong[MAX_PLAYERS]; /* wrong cards; in the variant 1 for who is out */
    int free[ANIMALS];      /* dice */
    int players, to_act, starter, round, ticks, chain_length, last_length, special_size, used_size;
    int at; /* variant: the card that a joker is asked for, or -1 */
    int again;
    int threshold;
    Phase phase;
} State;

static bool takeback;
static double notice = 0.2, forget = 0;
static Memory memory = PLAYER;

static uint8_t faces[DICE][FACES];
static int16_t faces_shown[DICE * FACES];
static uint8_t deck[CARDS], special_deck[SPECIALS];

static bool set_variant(const char *name)
{
    if (strcmp(name, "takeback") == 0)
        return takeback = true;
    if (strcmp(name, "memory=agent") == 0) {
        memory = AGENT;
        return true;
    }
    return sscanf(name, "forget=%lf", &forget) == 1;
}

static void prepare(void)
{
    static const uint8_t lacking[DICE][3] = { /* D1 */
        {0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {0, 3, 6}, {1, 4, 7}, {2, 5, 8}, {0, 4, 8}, {1, 5, 6},
        {2, 3, 7}, {0, 5, 7}, {1, 3, 8}, {2, 4, 6}, {0, 2, 4}, {1, 6, 8}, {3, 5, 7},
    };
    for (int i = 0; i < DICE; i++) {
        int f = 0;
        for (int a = 0; a < ANIMALS; a++)
            if (a != lacking[i][0] && a != lacking[i][1] && a != lacking[i][2])
                faces[i][f++] = (uint8_t)a;
        for (f = 0; f < FACES; f++)
            faces_shown[i * FACES + f] = faces[i][f];
    }
    for (int k = 0; k < CARDS; k++)
        deck[k] = (uint8_t)(k / COPIES);
    for (int k = 0; k < SPECIALS; k++)
        special_deck[k] = (uint8_t)(k / KINDS);
}

/* -- rules ----------------------------------------------------------------------------------------- */

static inline int min(int a, int b) { return a < b ? a : b; }

static inline int seat_after(const State *s, int p) { return p + 1 == s->players ? 0 : p + 1; }

/* How many places clockwise of `seat` seat `p` sits. */
static inline int clockwise(int p, int seat, int n) { return p >= seat ? p - seat : p - seat + n; }

static inline void set_both(int16_t *table, int players, int p, int value)
{
    table[p] = table[p + players] = (int16_t)value;
}

static inline void change(int16_t *table, int players, int p, int by)
{
    set_both(table, players, p, table[p] + by);
}

static inline void change_in_row(int16_t (*table)[ANIMALS], int players, int p, int animal, int by)
{
    table[p][animal] = table[p + players][animal] = (int16_t)(table[p][animal] + by);
}

static inline void ask(State *s, int p);
static void end_round(State *s);

/* Each die with a probability, as bits; a random word decides about two dice. */
static inline uint32_t some_dice(Rng *rng, double chance)
{
    uint64_t bound = (uint64_t)(chance * 4294967296.0);
    uint32_t dice = 0;
    for (int i = 0; i < DICE; i += 2) {
        uint64_t word = next_word(rng);
        dice |= (uint32_t)((word & UINT32_MAX) < bound) << i;
        dice |= (uint32_t)(word >> 32 < bound) << (i + 1);
    }
    return dice & ((1u << DICE) - 1);
}

static inline void take_in_hand(State *s, int p, int animal)
{
    s->hand[p][animal]++;
    s->held[p] |= 1u << animal;
}

static inline void close_lid(State *s)
{
    s->phase = IN_CHAIN;
    ask(s, s->starter);
}

/* D4 */
static inline void tick(State *s)
{
    Rng rng = s->rng;
    for (int p = 0; p < s->players; p++)
        s->noticed[p] |= some_dice(&rng, notice);
    s->rng = rng;
    if (++s->ticks == MAX_LOOKS)
        close_lid(s);
}

static void begin_round(State *s)
{
    for (int p = 0; p < s->players; p++) {
        int more = min(HAND - s->hand_size[p], CARDS - s->pile_next[p]);
        for (int k = 0; k < more; k++)
            take_in_hand(s, p, s->pile[p][s->pile_next[p]++]);
        change(s->hand_size, s->players, p, more);
    }
    memset(&s->chain, 0, sizeof s->chain);
    memset(s->chain_down, 0, sizeof s->chain_down);
    memset(s->passed, 0, sizeof s->passed);
    memset(s->used, 0, sizeof s->used);
    memset(s->dice, 0, sizeof s->dice);
    memset(s->downs, 0, sizeof s->downs);
    memset(s->played, 0, sizeof s->played);
    memset(s->wrong, 0, sizeof s->wrong);
    memset(s->noticed, 0, sizeof s->noticed);
    memset(s->showing, 0, sizeof s->showing);
    s->chain_length = s->used_size = s->again = 0;
    s->at = -1;
    Rng rng = s->rng;
    for (int i = 0; i < DICE; i++)
        s->showing[faces[i][below(&rng, FACES)]] |= 1u << i;
    s->rng = rng;
    s->phase = LOOK;
    s->to_act = s->starter;
    s->ticks = 0;
    tick(s);
}

static void deal_game(State *s, Rng chance)
{
    int players = s->players;
    memset(s, 0, sizeof *s);
    s->rng = chance;
    s->players = players;
    s->threshold = players - 1; /* D3 */
    for (int p = 0; p < players; p++) {
        memcpy(s->pile[p], deck, sizeof deck);
        shuffle(&s->rng, s->pile[p], CARDS);
        set_both(s->cards_left, players, p, CARDS);
        for (int a = 0; a < ANIMALS; a++)
            change_in_row(s->left, players, p, a, COPIES);
    }
    memcpy(s->special_pile, special_deck, sizeof special_deck);
    shuffle(&s->rng, s->special_pile, SPECIALS);
    s->special_size = SPECIALS;
    s->starter = (int)below(&s->rng, (uint32_t)players);
    s->round = 1;
    begin_round(s);
}

/* D5: who is asked for a card may forget first. */
static inline void ask(State *s, int p)
{
    s->to_act = p;
    if (forget > 0)
        s->noticed[p] &= ~some_dice(&s->rng, forget);
}

/* All see a card of a hand: it is one of those known, if there are any. */
static inline void show_card(State *s, int p, int animal)
{
    change_in_row(s->known, s->players, p, animal, -(s->known[p][animal] > 0));
}

static inline void use_special(State *s, int p, int kind)
{
    int16_t known = (int16_t)(s->special_known[p][kind] - (s->special_known[p][kind] > 0));
    s->special[p][kind]--;
    change(s->special_count, s->players, p, -1);
    s->special_known[p][kind] = s->special_known[p + s->players][kind] = known;
    s->used[s->used_size++] = (int16_t)(1 + kind);
}

/* The variant: the owner of the card at `at` is out, the dice of its cards become free (D11). */
static inline void put_out(State *s, int at)
{
    int seat = s->chain.seats[at];
    s->wrong[seat - 1] = 1;
    for (int i = 0; i < at; i++)
        if (s->chain.seats[i] == seat) {
            if (s->chain.right[i] == RIGHT)
                s->free[s->chain.animals[i] - 1]++;
            s->chain.right[i] = s->chain.right[i] >= RESCUED ? IN_VAIN : WRONG;
        }
    s->chain.right[at] = WRONG;
}

/* The variant: judges from position `first` on, until a player with a joker is asked (D11). */
static void judge_on(State *s, int first)
{
    for (int i = first; i < s->chain_length; i++) {
        int p = s->chain.seats[i] - 1, animal = s->chain.animals[i] - 1;
        if (s->wrong[p]) {
            s->chain.right[i] = WRONG;
        } else if (s->free[animal] > 0) {
            s->free[animal]--;
            s->chain.right[i] = RIGHT;
        } else if (s->special[p][JOKER] > 0) {
            s->at = i;
            s->to_act = p;
            return;
        } else {
            put_out(s, i);
        }
    }
    s->at = -1;
    end_round(s);
}

/* D7: the next in turn order, from number `first` on, whom jokers could rescue is asked. */
static inline void ask_for_jokers(State *s, int first)
{
    int p = s->starter + first;
    if (p >= s->players)
        p -= s->players;
    for (int k = first; k < s->players; k++, p = seat_after(s, p))
        if (s->wrong[p] > 0 && s->special[p][JOKER] >= s->wrong[p]) {
            s->to_act = p;
            return;
        }
    end_round(s);
}

static inline void judge(State *s)
{
    for (int i = 0; i < s->chain_length; i++) {
        int p = s->chain.seats[i] - 1, animal = s->chain.animals[i] - 1;
        bool right = s->free[animal] > 0;
        s->free[animal] -= right;
        s->wrong[p] += !right;
        s->chain.right[i] = right ? RIGHT : WRONG;
    }
}

static void begin_showdown(State *s)
{
    s->phase = JOKERS;
    for (int a = 0; a < ANIMALS; a++)
        s->free[a] = s->dice[a] = (int16_t)__builtin_popcount(s->showing[a]);
    for (int p = 0; p < s->players; p++)
        for (int k = 0; k < s->downs[p]; k++) {
            s->chain.animals[s->down_at[p][k]] = (int16_t)(1 + s->down[p][k]);
            show_card(s, p, s->down[p][k]);
        }
    if (takeback) {
        judge_on(s, 0);
    } else {
        judge(s);
        ask_for_jokers(s, 0);
    }
}

static inline void end_turn(State *s, int p)
{
    s->again = 0;
    int q = p;
    for (int k = 0; k < s->players; k++) {
        q = seat_after(s, q);
        if (!s->passed[q]) {
            ask(s, q);
            return;
        }
    }
    begin_showdown(s);
}

static inline void play_card(State *s, int p, int animal, bool face_down)
{
    int i = s->chain_length++;
    if (--s->hand[p][animal] == 0)
        s->held[p] &= ~(1u << animal);
    change(s->hand_size, s->players, p, -1);
    s->chain.seats[i] = (int16_t)(1 + p);
    s->chain_down[i] = face_down;
    s->played[p]++;
    if (face_down) {
        s->down[p][s->downs[p]] = (uint8_t)animal;
        s->down_at[p][s->downs[p]++] = (uint8_t)i;
    } else {
        s->chain.animals[i] = (int16_t)(1 + animal);
        show_card(s, p, animal);
    }
    if (s->hand_size[p] == 0) {
        set_both(s->passed, s->players, p, 1);
    } else if (s->special[p][EXTRA] > 0) {
        s->again = 1;
        ask(s, p);
        return;
    }
    end_turn(s, p);
}

static inline void decide_jokers(State *s, int p, bool use)
{
    if (takeback) {
        int at = s->at;
        if (use) {
            use_special(s, p, JOKER);
            s->chain.right[at] = RESCUED;
        } else {
            put_out(s, at);
        }
        judge_on(s, at + 1);
        return;
    }
    if (use) {
        for (int i = 0; i < s->chain_length; i++)
            if (s->chain.seats[i] == 1 + p && s->chain.right[i] == WRONG) {
                use_special(s, p, JOKER);
                s->chain.right[i] = RESCUED;
            }
        s->wrong[p] = 0;
    }
    ask_for_jokers(s, clockwise(p, s->starter, s->players) + 1);
}

/* D13, D8 */
static inline void draw_specials(State *s)
{
    int drawn = 0;
    for (int k = 0, p = s->starter; k < s->players; k++, p = seat_after(s, p))
        if (s->wrong[p] && drawn < s->special_size) {
            s->special[p][s->special_pile[drawn]]++;
            change(s->special_count, s->players, p, 1);
            int open = s->special_open[drawn++];
            if (open) {
                int16_t known = (int16_t)(s->special_known[p][open - 1] + 1);
                s->special_known[p][open - 1] = s->special_known[p + s->players][open - 1] = known;
            }
        }
    int size = 0;
    for (int k = drawn; k < s->special_size; k++, size++) {
        s->special_pile[size] = s->special_pile[k];
        s->special_open[size] = s->special_open[k];
    }
    for (int k = 0; k < s->used_size; k++, size++) {
        s->special_pile[size] = (uint8_t)(s->used[k] - 1);
        s->special_open[size] = s->used[k];
    }
    s->special_size = size;
    for (; size < SPECIALS; size++)
        s->special_open[size] = 0;
}

/* Discard or take back, draw special cards; then the next round, or the end. */
static void end_round(State *s)
{
    int n = s->players;
    if (memory == AGENT) /* a view shows what was taken back just before, and no more */
        memset(s->known, 0, sizeof s->known);
    for (int i = 0; i < s->chain_length; i++) {
        int p = s->chain.seats[i] - 1, animal = s->chain.animals[i] - 1;
        if (s->wrong[p]) {
            take_in_hand(s, p, animal);
            change(s->hand_size, n, p, 1);
            change_in_row(s->known, n, p, animal, 1);
        } else {
            change_in_row(s->left, n, p, animal, -1);
            change(s->cards_left, n, p, -1);
        }
    }
    draw_specials(s);
    s->last = s->chain;
    s->last_length = s->chain_length;
    memcpy(s->last_dice, s->dice, sizeof s->dice);
    bool won = false;
    for (int p = 0; p < n; p++)
        won |= s->cards_left[p] <= s->threshold; /* D16 */
    if (won || s->round == MAX_ROUNDS) { /* D10 */
        s->phase = OVER;
        s->to_act = -1;
        return;
    }
    s->round++;
    s->starter = seat_after(s, s->starter);
    begin_round(s);
}

static inline void play(State *s, int action)
{
    int p = s->to_act;
    if (action < PASS) {
        bool face_down = action >= FIRST_FACE_DOWN;
        if (s->again)
            use_special(s, p, EXTRA);
        if (face_down)
            use_special(s, p, FACE_DOWN);
        play_card(s, p, face_down ? action - FIRST_FACE_DOWN : action, face_down);
    } else if (action == PASS) {
        if (!s->again)
            set_both(s->passed, s->players, p, 1);
        end_turn(s, p);
    } else if (action == KEEP_OPEN) {
        tick(s);
    } else if (action == CLOSE) {
        close_lid(s);
    } else {
        decide_jokers(s, p, action == USE_JOKERS);
    }
}

/* -- what a seat sees ------------------------------------------------------------------------------ */

/* As bits. */
static inline uint32_t legal_actions(const State *s)
{
    int p = s->to_act;
    if (s->phase == LOOK)
        return 1u << KEEP_OPEN | 1u << CLOSE;
    if (s->phase == JOKERS)
        return 1u << USE_JOKERS | 1u << DECLINE;
    uint32_t down = s->special[p][FACE_DOWN] > 0 ? s->held[p] << FIRST_FACE_DOWN : 0;
    return 1u << PASS | s->held[p] | down;
}

/* Eight bytes of 0 or 1 from eight bits. */
static inline uint64_t bytes_of(uint32_t bits)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t spread = (bits & 0xff) * ones & UINT64_C(0x8040201008040201); /* byte i keeps bit i */
    return (spread + 0x7f * ones) >> 7 & ones;
}

static inline void fill_mask(const State *s, Mask *mask)
{
    uint32_t actions = legal_actions(s);
    for (int w = 0; w < (ACTIONS + 7) / 8; w++)
        mask->words[w] = bytes_of(actions >> 8 * w);
}

/* Clockwise from a seat, 0 where nobody sits; three entries more, overwritten by the fields that follow. */
static inline void put_by_seat(int16_t *entries, const int16_t *table, int n)
{
    int16_t eight[8];
    memcpy(eight, table, sizeof eight);
    for (int k = 0; k < 8; k++)
        eight[k] = (int16_t)(k < n ? eight[k] : 0);
    memcpy(entries, eight, sizeof eight);
}

/* Seats of a chain counted from the viewer: 1 + seat becomes 1 + places clockwise, and 0 stays 0. */
static inline void put_seats(int16_t *restrict entries, const int16_t *restrict seats, int seat, int n)
{
    int16_t viewer = (int16_t)seat, players = (int16_t)n;
    for (int i = 0; i < CHAIN; i++) {
        int16_t k = (int16_t)(seats[i] - viewer);
        int16_t wrapped = k <= 0 ? (int16_t)(k + players) : k;
        entries[i] = seats[i] == 0 ? 0 : wrapped;
    }
}

/* D5: whether the seat to act is shown what it noticed, and the showdown of the round before. */
static inline bool is_reminded(const State *s)
{
    return memory != AGENT || s->phase == LOOK
           || (s->phase == IN_CHAIN && s->played[s->to_act] == 0);
}

/* The view of the seat to act, its fields in ascending order. */
static inline void fill_view(const State *restrict s, int16_t *restrict v)
{
    int n = s->players, seat = s->to_act;
    bool reminded = is_reminded(s);
    v[V_PLAYERS] = (int16_t)n;
    v[V_NOTICE] = (int16_t)(notice * PARTS + 0.5);
    v[V_FORGET] = (int16_t)(forget * PARTS + 0.5);
    v[V_MAX_LOOKS] = MAX_LOOKS;
    v[V_MEMORY] = (int16_t)memory;
    v[V_TAKEBACK] = takeback;
    v[V_WIN_THRESHOLD] = (int16_t)s->threshold;
    memcpy(v + V_FACES, faces_shown, sizeof faces_shown);
    v[V_ROUND] = (int16_t)s->round;
    v[V_ROUNDS_LEFT] = (int16_t)(MAX_ROUNDS - s->round);
    v[V_STARTER] = (int16_t)clockwise(s->starter, seat, n);
    v[V_PHASE] = (int16_t)s->phase;
    v[V_TO_ACT] = 1;
    v[V_AGAIN] = (int16_t)s->again;
    v[V_TICKS] = (int16_t)s->ticks;
    uint32_t remembered = reminded ? s->noticed[seat] : 0;
    for (int a = 0; a < ANIMALS; a++)
        v[V_REMEMBERED + a] = (int16_t)__builtin_popcount(remembered & s->showing[a]);
    memcpy(v + V_HAND, s->hand[seat], sizeof s->hand[seat]);
    memcpy(v + V_SPECIAL, s->special[seat], sizeof s->special[seat]);
    put_by_seat(v + V_HAND_SIZES, s->hand_size + seat, n);
    put_by_seat(v + V_PASSED, s->passed + seat, n);
    memset(v + V_LEFT, 0, MAX_PLAYERS * sizeof *s->left);
    for (int k = 0; k < n; k++)
        memcpy(v + V_LEFT + k * ANIMALS, s->left[seat + k], sizeof *s->left);
    put_by_seat(v + V_CARDS_LEFT, s->cards_left + seat, n);
    memset(v + V_KNOWN, 0, MAX_PLAYERS * sizeof *s->known);
    if (reminded)
        for (int k = 0; k < n; k++)
            memcpy(v + V_KNOWN + k * ANIMALS, s->known[seat + k], sizeof *s->known);
    v[V_CHAIN_LENGTH] = (int16_t)s->chain_length;
    put_seats(v + V_CHAIN_SEATS, s->chain.seats, seat, n);
    memcpy(v + V_CHAIN_ANIMALS, s->chain.animals, sizeof s->chain.animals);
    for (int k = 0; k < s->downs[seat]; k++)
        v[V_CHAIN_ANIMALS + s->down_at[seat][k]] = (int16_t)(1 + s->down[seat][k]);
    memcpy(v + V_CHAIN_DOWN, s->chain_down, sizeof s->chain_down);
    memcpy(v + V_CHAIN_RIGHT, s->chain.right, sizeof s->chain.right);
    memcpy(v + V_DICE, s->dice, sizeof s->dice);
    v[V_AT] = (int16_t)(1 + s->at);
    put_by_seat(v + V_SPECIAL_COUNTS, s->special_count + seat, n);
    memset(v + V_SPECIAL_KNOWN, 0, MAX_PLAYERS * sizeof *s->special_known);
    if (memory != AGENT)
        for (int k = 0; k < n; k++)
            memcpy(v + V_SPECIAL_KNOWN + k * KINDS, s->special_known[seat + k], sizeof *s->special_known);
    v[V_SPECIAL_SIZE] = (int16_t)s->special_size;
    if (memory != AGENT)
        memcpy(v + V_SPECIAL_PILE, s->special_open, sizeof s->special_open);
    else
        memset(v + V_SPECIAL_PILE, 0, sizeof s->special_open);
    memcpy(v + V_USED, s->used, sizeof s->used);
    if (reminded) {
        memcpy(v + V_LAST_DICE, s->last_dice, sizeof s->last_dice);
        v[V_LAST_LENGTH] = (int16_t)s->last_length;
        put_seats(v + V_LAST_SEATS, s->last.seats, seat, n);
        memcpy(v + V_LAST_ANIMALS, s->last.animals, sizeof s->last.animals);
        memcpy(v + V_LAST_RIGHT, s->last.right, sizeof s->last.right);
    } else {
        memset(v + V_LAST_DICE, 0, (VIEW_SIZE - V_LAST_DICE) * sizeof *v);
    }
}

/* -- play ------------------------------------------------------------------------------------------ */

/* The choice among the legal actions without a mask. */
static inline int choose_bare(const State *s, Rng *rng)
{
    uint32_t actions = legal_actions(s);
    return nth_bit(actions, (int)below(rng, (uint32_t)__builtin_popcount(actions)));
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
        points[p] = -s.cards_left[p];
    return decisions;
}
