"""Dicht dran in slow, plain Python, to be checked by eye against the rulebook.

"Rule n" and "Dn" are the numbered rules and house decisions of the project's rules page.
A card is its number, 1 to 100; a seat is a number from 0; lists of cards are plain lists.
"""

LOWEST_CARD = 1
HIGHEST_CARD = 100
CIRCLE_SIZE = 6
PLACE_OF_LOWEST = 0
PLACE_OF_HIGHEST = 3
OTHER_PLACES = (1, 2, 4, 5)
HAND_SIZE = 8
FEWEST_PLAYERS = 2
MOST_PLAYERS = 5


def default_peppers():
    """D1: the assumed pepper table, 100 integers; the entry at n - 1 belongs to card n."""
    return [1 + (n + n // 10 + 1) % 3 for n in range(LOWEST_CARD, HIGHEST_CARD + 1)]


def checked_peppers(peppers):
    """D1: a caller's table has 100 integers from 1 to 3; ValueError otherwise."""
    table = list(peppers)
    if len(table) != HIGHEST_CARD:
        raise ValueError("peppers must have 100 entries")
    for number in table:
        if number not in (1, 2, 3):
            raise ValueError("every card has 1, 2 or 3 peppers")
    return [int(number) for number in table]


class Reference:
    """One game of Dicht dran, of one or more deals.

    num_players: 2 to 5 (D2).
    deals: how many deals the game has, at least 1.
    peppers: 100 integers in 1..3, or None for the assumed table (D1).
    chance: a stream with `shuffle(list)`; needed for every deal that is not scripted and for
        every renewal of the pile.
    deal: a dict with `circle`, `hands` and `pile` for a scripted first deal, or None.
    """

    def __init__(self, num_players=4, deals=2, peppers=None, chance=None, deal=None):
        if not FEWEST_PLAYERS <= num_players <= MOST_PLAYERS:
            raise ValueError("Dicht dran is for 2 to 5 players")
        if deals < 1:
            raise ValueError("a game has at least one deal")
        self.players = num_players
        self.deals = deals
        self.peppers = default_peppers() if peppers is None else checked_peppers(peppers)
        self.chance = chance
        self.deal = 0
        self.scores = []  # the points of finished deals: for each deal a list, one entry a seat
        self.over = False
        if deal is None:
            self.set_up_random_deal()
        else:
            self.set_up_scripted_deal(deal)

    # ---- Setting up a deal (rule 1) ----

    def set_up_random_deal(self):
        """Four cards into the circle, eight to each seat, the rest is the pile."""
        cards = list(range(LOWEST_CARD + 1, HIGHEST_CARD))  # 1 and 100 are already in the circle
        self.shuffle(cards)

        circle = [None] * CIRCLE_SIZE
        circle[PLACE_OF_LOWEST] = LOWEST_CARD
        circle[PLACE_OF_HIGHEST] = HIGHEST_CARD
        for place in OTHER_PLACES:  # as drawn, not sorted
            circle[place] = cards.pop(0)

        hands = []
        for _ in self.seats():
            hands.append(cards[:HAND_SIZE])
            cards = cards[HAND_SIZE:]

        self.start_deal(circle, hands, cards)

    def set_up_scripted_deal(self, deal):
        """A deal given by the caller; ValueError if the set-up could not make it."""
        for name in ("circle", "hands", "pile"):
            if name not in deal:
                raise ValueError(f"a scripted deal needs its {name}")
        circle = [int(card) for card in deal["circle"]]
        hands = [[int(card) for card in hand] for hand in deal["hands"]]
        pile = [int(card) for card in deal["pile"]]

        if len(circle) != CIRCLE_SIZE:
            raise ValueError("the circle has six cards")
        if circle[PLACE_OF_LOWEST] != LOWEST_CARD or circle[PLACE_OF_HIGHEST] != HIGHEST_CARD:
            raise ValueError("the 1 lies at position 0 and the 100 at position 3")
        if [len(hand) for hand in hands] != [HAND_SIZE] * self.players:
            raise ValueError("every player has eight cards")
        every_card = circle + pile
        for hand in hands:
            every_card = every_card + hand
        if sorted(every_card) != list(range(LOWEST_CARD, HIGHEST_CARD + 1)):
            raise ValueError("every card is in exactly one place")

        self.start_deal(circle, hands, pile)

    def start_deal(self, circle, hands, pile):
        self.circle = circle
        self.hands = [sorted(hand) for hand in hands]
        self.pile = pile  # next card first
        self.discard = []
        self.won = [[] for _ in self.seats()]
        self.renewed = False  # has the pile of this deal been renewed (D4)?
        self.start_round(1)

    def start_round(self, number):
        self.round = number
        self.chosen = [None] * self.players
        self.to_act = 0

    def shuffle(self, cards):
        if self.chance is None:
            raise ValueError("a chance stream is needed to shuffle")
        self.chance.shuffle(cards)

    # ---- The table ----

    def seats(self):
        return range(self.players)

    def peppers_on(self, card):
        return self.peppers[card - 1]

    def target_place(self):
        """Rule 2: the target moves clockwise, one place a round, from position 1."""
        return self.round % CIRCLE_SIZE

    def target(self):
        return self.circle[self.target_place()]

    def gap(self):
        """Rule 2: from the smaller to the larger of the two neighbours of the target."""
        before = self.circle[(self.target_place() - 1) % CIRCLE_SIZE]
        after = self.circle[(self.target_place() + 1) % CIRCLE_SIZE]
        return min(before, after), max(before, after)

    # ---- Action 1: choosing (rule 3) ----

    def legal(self):
        """The cards the seat to act may play, in ascending order; none when the game is over."""
        if self.over:
            return []
        return sorted(self.hands[self.to_act])

    def play(self, card):
        """The seat to act chooses a card; the last choice of a round plays the round out."""
        if card not in self.legal():
            raise ValueError(f"card {card} cannot be played")
        card = int(card)
        self.hands[self.to_act].remove(card)
        self.chosen[self.to_act] = card
        self.to_act += 1
        if self.to_act == self.players:
            self.play_out_round()

    def play_out_round(self):
        # The winner, the cards that fit and the cards that miss are all found before anything
        # moves, because replacing the target must not change the gap (rule 5).
        winner = self.winner()
        fitting_seats = self.seats_that_fit(winner)
        missing_seats = self.seats_that_miss(winner)

        self.take_target(winner)
        self.discard_cards_of(fitting_seats)
        self.discard_cards_of(missing_seats)
        self.draw_penalties(missing_seats)

        if self.deal_has_ended():
            self.end_deal()
        else:
            self.start_round(self.round + 1)

    # ---- Action 2: the winner (rule 4) ----

    def distance(self, card):
        return abs(card - self.target())

    def winner(self):
        """The seat whose card is closest to the target; of two equally close, the higher."""
        winner = 0
        for seat in self.seats():
            if self.is_better(self.chosen[seat], self.chosen[winner]):
                winner = seat
        return winner

    def is_better(self, card, other):
        if self.distance(card) == self.distance(other):
            return card > other
        return self.distance(card) < self.distance(other)

    def take_target(self, winner):
        """The winner takes the target; the winning card takes its place in the circle."""
        self.won[winner].append(self.target())
        self.circle[self.target_place()] = self.chosen[winner]

    # ---- Actions 3 and 4: discards and penalties (rules 5 and 6) ----

    def fits_gap(self, card):
        lower, upper = self.gap()
        return lower <= card <= upper

    def seats_that_fit(self, winner):
        """Rule 5: the seats, other than the winner, whose card lies in the gap."""
        return [s for s in self.seats() if s != winner and self.fits_gap(self.chosen[s])]

    def seats_that_miss(self, winner):
        """Rule 6: the seats whose card is neither the winning card nor in the gap."""
        return [s for s in self.seats() if s != winner and not self.fits_gap(self.chosen[s])]

    def discard_cards_of(self, seats):
        """D3: in seat order; Action 3 comes before Action 4, and all before the first draw."""
        for seat in seats:
            self.discard.append(self.chosen[seat])

    def draw_penalties(self, seats):
        """Rule 6: as many cards as the missed card shows peppers. D3: seat after seat."""
        for seat in seats:
            for _ in range(self.peppers_on(self.chosen[seat])):
                self.draw_card(seat)
            self.hands[seat].sort()

    def draw_card(self, seat):
        # D4: the pile is renewed only now, when a card is owed and there is none.
        if len(self.pile) == 0:
            self.renew_pile()
        self.hands[seat].append(self.pile.pop(0))

    def renew_pile(self):
        """D4: the whole discard pile, this round's discards included, becomes the pile."""
        self.pile = self.discard
        self.discard = []
        self.shuffle(self.pile)
        self.renewed = True

    # ---- The end of a deal (rules 7 and 8) ----

    def deal_has_ended(self):
        return self.somebody_is_out() or self.pile_ran_out()

    def somebody_is_out(self):
        # Asked after the draws: a player whose last card missed the gap is not out.
        return any(len(hand) == 0 for hand in self.hands)

    def pile_ran_out(self):
        """D5: it is empty after the draws, or had to be renewed during them."""
        return len(self.pile) == 0 or self.renewed

    def end_deal(self):
        """Score the deal; then deal the next one at once, or end the game."""
        self.scores.append([self.points(seat) for seat in self.seats()])
        if len(self.scores) == self.deals:
            self.end_game()
        else:
            self.deal += 1
            self.set_up_random_deal()

    def points(self, seat):
        """Rule 8: peppers on cards won minus peppers on cards in hand."""
        plus = sum(self.peppers_on(card) for card in self.won[seat])
        minus = sum(self.peppers_on(card) for card in self.hands[seat])
        return plus - minus

    def end_game(self):
        """Nobody is to act; everything else stays as it lies."""
        self.over = True
        self.to_act = None
        self.chosen = [None] * self.players

    # ---- The result of the game ----

    def totals(self):
        """The points of each seat, over all finished deals."""
        return [sum(points[seat] for points in self.scores) for seat in self.seats()]

    def ranks(self):
        """1 for the highest total; equals share a rank, and the ranks after it are skipped."""
        totals = self.totals()
        return [1 + sum(1 for other in totals if other > own) for own in totals]

    def win_shares(self):
        """D6: those with the highest total share the win equally."""
        totals = self.totals()
        winners = totals.count(max(totals))
        return [1 / winners if own == max(totals) else 0.0 for own in totals]

    # ---- The whole state ----

    def snapshot(self):
        """The state as plain ints, lists, bools and None; no list is shared with the game."""
        return {
            "players": self.players,
            "deal": self.deal,
            "deals": self.deals,
            "round": self.round,
            "to_act": self.to_act,
            "circle": list(self.circle),
            "hands": [sorted(hand) for hand in self.hands],
            "pile": list(self.pile),
            "discard": list(self.discard),
            "won": [list(cards) for cards in self.won],
            "chosen": list(self.chosen),
            "peppers": list(self.peppers),
            "scores": [list(points) for points in self.scores],
            "over": self.over,
        }
