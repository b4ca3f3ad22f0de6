"""Diddly in slow, plain Python, to be checked by eye against the rules.

"Dn" are the numbered decisions of the project's rules page. A card is the index of its type, 0 to 9
for the numbers 1 to 10; a seat is a number from 0; a board is a list of cards by position, two
positions to a column; lists of cards are plain lists.
"""

DIDDLY, SWAP, HALF, PEEK, RECYCLE = 10, 11, 12, 13, 14
TYPES = range(15)
MANY, FEW = 8, 4  # D1: eight of each number and of Diddly, four of each other type

FEWEST_PLAYERS = 2
MOST_PLAYERS = {3: 8, 4: 6}  # D2: by the number of columns

DRAW_FROM_DECK = 8
TAKE_DISCARD = 9
RECYCLE_FOR = 10  # "recycle for a card of type 0"; one more for each type
DECLINE = 25
FIRST_SWAP = 26
SWAPS = [(i, j) for i in range(8) for j in range(i + 1, 8)]  # in the order of their numbers


def whole_deck():
    """All 104 cards in the order of their types."""
    cards = []
    for kind in TYPES:
        cards = cards + [kind] * (MANY if kind <= DIDDLY else FEW)
    return cards


def points(card):
    """The points of a card in a column that does not match."""
    if card < DIDDLY:
        return card + 1  # the number on it
    if card in (PEEK, RECYCLE):
        return 10
    return 0


def halved(number):
    """D9: half of it, rounded up."""
    return (number + 1) // 2


def score_of_column(card, other):
    if card == other:  # D8: a Diddly matches only a Diddly
        return 0
    score, other_score = points(card), points(other)
    if card == HALF:
        other_score = halved(other_score)
    if other == HALF:
        score = halved(score)
    return score + other_score


def score_of_board(cards, columns):
    return sum(score_of_column(cards[2 * c], cards[2 * c + 1]) for c in range(columns))


class Reference:
    """One game of Diddly.

    num_players: 2 to 8 with three columns, 2 to 6 with four (D2).
    columns: 3 or 4.
    rounds: how many rounds the game has, at least 1.
    max_turns: after so many turns of each player a round ends (D7), at least 1.
    chance: a stream with `shuffle(list)`; needed for every round that is not scripted and for
        every renewal of the deck.
    deal: a dict with `boards`, `deck` and `discard` for a scripted first round, or None.
    """

    def __init__(
        self, num_players=4, columns=3, rounds=5, max_turns=50, chance=None, deal=None
    ):  # fmt: skip
        if columns not in MOST_PLAYERS:
            raise ValueError("columns: a board has three or four")
        if not FEWEST_PLAYERS <= num_players <= MOST_PLAYERS[columns]:
            raise ValueError("num_players: 2 to 8 with three columns, 2 to 6 with four")
        if rounds < 1:
            raise ValueError("rounds: a game has at least one")
        if max_turns < 1:
            raise ValueError("max_turns: every player has at least one turn")
        self.players = num_players
        self.columns = columns
        self.rounds = rounds
        self.max_turns = max_turns
        self.chance = chance
        self.round = 1
        self.dealer = 0
        self.round_scores = [[] for _ in self.seats()]
        if deal is None:
            self.deal_random_round()
        else:
            self.deal_scripted_round(deal)

    score_of_board = staticmethod(score_of_board)

    # ---- Dealing ----

    def deal_random_round(self):
        cards = whole_deck()
        self.shuffle(cards)
        boards = []
        for _ in self.seats():
            boards.append(cards[: 2 * self.columns])
            cards = cards[2 * self.columns :]
        discard = [cards.pop(0)]  # D11: before the set-up
        self.start_round(boards, cards, discard)

    def deal_scripted_round(self, deal):
        """A deal given by the caller; ValueError if it is not one."""
        if set(deal) != {"boards", "deck", "discard"}:
            raise ValueError("a scripted deal has boards, deck and discard, and nothing else")
        boards = [list(board) for board in deal["boards"]]
        deck = list(deal["deck"])
        discard = list(deal["discard"])

        if [len(board) for board in boards] != [2 * self.columns] * self.players:
            raise ValueError(f"boards: every player has {2 * self.columns} cards")
        if len(discard) == 0:
            raise ValueError("discard: it has at least one card")
        every_card = deck + discard
        for board in boards:
            every_card = every_card + board
        if sorted(every_card) != whole_deck():
            raise ValueError("boards, deck and discard: every card is in exactly one place")

        self.start_round(boards, deck, discard)

    def start_round(self, boards, deck, discard):
        self.boards = boards
        self.face_up = [[False] * 2 * self.columns for _ in self.seats()]
        self.known = [[False] * 2 * self.columns for _ in self.seats()]
        self.deck = deck  # next card first
        self.discard = discard  # top card last
        self.in_hand = None
        self.recycling = False
        self.pending = []
        self.turns = [0] * self.players
        self.finished = None
        self.to_act = self.next_seat(self.dealer)
        self.phase = "turn_up"

    def shuffle(self, cards):
        if self.chance is None:
            raise ValueError("a chance stream is needed to shuffle")
        self.chance.shuffle(cards)

    # ---- The table ----

    def seats(self):
        return range(self.players)

    def next_seat(self, seat):
        """The player on the left."""
        return (seat + 1) % self.players

    def positions(self):
        return range(2 * self.columns)

    def face_down_positions(self):
        """Of the player to act."""
        return [p for p in self.positions() if not self.face_up[self.to_act][p]]

    def recycle_positions(self):
        """Where the player to act has a face-up Recycle."""
        board, face_up = self.boards[self.to_act], self.face_up[self.to_act]
        return [p for p in self.positions() if face_up[p] and board[p] == RECYCLE]

    # ---- What may be done ----

    def legal(self):
        """The action numbers of the seat to act, in ascending order; none when the game is over."""
        if self.phase in ("turn_up", "peek"):
            return self.face_down_positions()
        if self.phase == "swap":
            return [DECLINE, *self.possible_swaps()]
        if self.phase == "draw":
            return [DRAW_FROM_DECK, TAKE_DISCARD, *self.possible_recyclings()]
        if self.phase == "place":
            return self.recycle_positions() if self.recycling else list(self.positions())
        return []

    def possible_swaps(self):
        """Any two cards of the board."""
        cards = len(self.positions())
        return [FIRST_SWAP + k for k, (i, j) in enumerate(SWAPS) if i < cards and j < cards]

    def possible_recyclings(self):
        """For a face-up Recycle: any card of the discard pile."""
        if not self.recycle_positions():
            return []
        return [RECYCLE_FOR + kind for kind in TYPES if kind in self.discard]

    def play(self, action):
        """The seat to act carries out an action; ValueError if it may not."""
        if action not in self.legal():
            raise ValueError(f"action {action} is not possible")
        if self.phase == "turn_up":
            self.turn_up(action)
        elif self.phase == "peek":
            self.look_at(action)
            self.effect_is_done()
        elif self.phase == "swap":
            if action != DECLINE:
                self.swap(*SWAPS[action - FIRST_SWAP])
            self.effect_is_done()
        elif self.phase == "place":
            self.place(action)
        elif action == DRAW_FROM_DECK:
            self.draw_from_deck()
        elif action == TAKE_DISCARD:
            self.take_discard()
        else:
            self.recycle(action - RECYCLE_FOR)

    # ---- The set-up ----

    def turn_up(self, position):
        """D3: the effects are carried out after the second card, in the order of turning."""
        self.face_up[self.to_act][position] = True
        self.known[self.to_act][position] = True
        card = self.boards[self.to_act][position]
        if card in (PEEK, SWAP):
            self.pending.append(card)
        if sum(self.face_up[self.to_act]) == 2:
            self.go_on_setting_up()

    def go_on_setting_up(self):
        """On to the next effect, the next player, or the first turn."""
        if self.pending:
            self.carry_out_effect(self.pending[0])
            return
        first = self.next_seat(self.dealer)
        self.to_act = self.next_seat(self.to_act)
        self.phase = "draw" if self.to_act == first else "turn_up"

    # ---- Effects, at set-up and of a card in hand ----

    def carry_out_effect(self, card):
        """Ask for it, if the card has one and there is a choice."""
        face_down = self.face_down_positions()
        if card == SWAP:
            self.phase = "swap"
        elif card == PEEK and len(face_down) > 1:
            self.phase = "peek"  # D4: any face-down card, known or not
        else:
            if card == PEEK and len(face_down) == 1:
                self.look_at(face_down[0])  # D4: not asked
            self.effect_is_done()

    def effect_is_done(self):
        if self.in_hand is None:
            self.pending.pop(0)
            self.go_on_setting_up()
        else:
            self.ask_where_to_place()

    def look_at(self, position):
        self.known[self.to_act][position] = True

    def swap(self, position, other):
        """The cards keep their sides, and what is known of them."""
        seat = self.to_act
        for row in (self.boards[seat], self.face_up[seat], self.known[seat]):
            row[position], row[other] = row[other], row[position]

    # ---- A turn ----

    def draw_from_deck(self):
        if len(self.deck) == 0:
            self.renew_deck()
        self.take_in_hand(self.deck.pop(0))

    def renew_deck(self):
        """D6: all of the discard pile but its top card."""
        self.deck = self.discard[:-1]
        self.discard = self.discard[-1:]
        self.shuffle(self.deck)

    def take_discard(self):
        self.take_in_hand(self.discard.pop())

    def recycle(self, kind):
        """D5: take the uppermost card of this type out of the discard pile."""
        for place in range(len(self.discard) - 1, -1, -1):
            if self.discard[place] == kind:
                self.recycling = True
                self.take_in_hand(self.discard.pop(place))
                return

    def take_in_hand(self, card):
        self.in_hand = card
        self.carry_out_effect(card)

    def ask_where_to_place(self):
        """Anywhere; or, when recycling, where a Recycle lies, which is asked if there are several."""
        self.phase = "place"
        if self.recycling and len(self.recycle_positions()) == 1:
            self.place(self.recycle_positions()[0])

    def place(self, position):
        """The card in hand replaces a card of the board, which goes onto the discard pile."""
        seat = self.to_act
        self.discard.append(self.boards[seat][position])
        self.boards[seat][position] = self.in_hand
        self.face_up[seat][position] = True
        self.known[seat][position] = True
        self.in_hand = None
        self.recycling = False
        self.end_turn()

    def end_turn(self):
        seat = self.to_act
        self.turns[seat] += 1
        if self.finished is None and all(self.face_up[seat]):
            self.finished = seat
        following = self.next_seat(seat)
        # Everybody has had a last turn, or (D7) as many turns as there may be.
        if following == self.finished or self.turns[following] == self.max_turns:
            self.end_round()
        else:
            self.to_act = following
            self.phase = "draw"

    # ---- The end of a round, and of the game ----

    def end_round(self):
        """Turn everything up and score; then deal the next round at once, or end the game."""
        for seat in self.seats():
            self.face_up[seat] = [True] * 2 * self.columns
            self.known[seat] = [True] * 2 * self.columns
            self.round_scores[seat].append(score_of_board(self.boards[seat], self.columns))
        if self.round == self.rounds:
            self.phase = "over"
            self.to_act = None
        else:
            self.round += 1
            self.dealer = self.next_seat(self.dealer)
            self.deal_random_round()

    def scores(self):
        """The total of each seat, over all finished rounds."""
        return [sum(own) for own in self.round_scores]

    def standing(self, seat):
        """What is compared, the lower the better: the total, the best round, the next best …"""
        return [self.scores()[seat], *sorted(self.round_scores[seat])]

    def ranks(self):
        """1 for the best; D10: equals share a rank, and the ranks after it are skipped."""
        standings = [self.standing(seat) for seat in self.seats()]
        return [1 + sum(1 for other in standings if other < own) for own in standings]

    def win_shares(self):
        """D10: the best share the win equally."""
        ranks = self.ranks()
        return [1 / ranks.count(1) if rank == 1 else 0.0 for rank in ranks]

    # ---- The whole state ----

    def snapshot(self):
        """The state as plain ints, lists, strings, bools and None; no list is shared with the game."""
        return {
            "players": self.players,
            "columns": self.columns,
            "round": self.round,
            "rounds": self.rounds,
            "dealer": self.dealer,
            "to_act": self.to_act,
            "phase": self.phase,
            "boards": [list(board) for board in self.boards],
            "face_up": [list(row) for row in self.face_up],
            "known": [list(row) for row in self.known],
            "in_hand": self.in_hand,
            "recycling": self.recycling,
            "pending": list(self.pending),
            "deck": list(self.deck),
            "discard": list(self.discard),
            "turns": list(self.turns),
            "finished": self.finished,
            "scores": [list(own) for own in self.round_scores],
            "over": self.phase == "over",
        }
