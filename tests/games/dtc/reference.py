"""DTC in slow, plain Python, to be checked by eye against the rulebook.

"Dn" are the numbered decisions of the project's rules page. A card is its value, 1 to 6, or 0 for a
joker; a seat is a number from 0; lists of cards are plain lists.
"""

JOKER = 0
HIGHEST_VALUE = 6
MOST_COPIES = 9
MOST_JOKERS = 12
LARGEST_HAND = 6
FEWEST_PLAYERS = 2
MOST_PLAYERS = 6

ACCEPT = 0
REJECT = 1
TAKE_NONE = 2  # "no card of the type in question"; one more for each card
ONE_ONE = 15  # "one card of value 1"; one more for each value, six more for each card


def announcement(count, value):
    """The number of the action "I give you `count` cards of value `value`"."""
    return ONE_ONE + HIGHEST_VALUE * (count - 1) + (value - 1)


def announced(action):
    """The count and the value that an announcement names."""
    return (action - ONE_ONE) // HIGHEST_VALUE + 1, (action - ONE_ONE) % HIGHEST_VALUE + 1


def is_stronger(offer, other):
    """Is (count, value) stronger than the other (count, value)?"""
    count, value = offer
    other_count, other_value = other
    return count > other_count or (count == other_count and value > other_value)


def is_true(value, cards, higher_counts_as_true=False):
    """Do the cards match an announcement of this value?"""
    real_cards = [card for card in cards if card != JOKER]  # D1: jokers only is always true
    if all(card == value for card in real_cards):
        return True
    # The variant. D5: equal and higher mixed is false.
    return higher_counts_as_true and all(card > value for card in real_cards)


class Offer:
    """An offer from its announcement to its answer."""

    def __init__(self, giver, count, value, types):
        self.giver = giver
        self.count = count
        self.value = value
        self.cards = []  # chosen so far, in that order
        self.types_to_come = types  # that have not been decided yet; the first is in question
        self.asking = None  # the type in question

    def missing(self):
        return self.count - len(self.cards)


class Reference:
    """One game of DTC.

    num_players: 2 to 6 (D0).
    higher_counts_as_true: the variant.
    values, copies, jokers, hand_size: the deck has so many copies of each of the values 1, 2 …
        and so many jokers; everybody is dealt, and draws up to, so many cards.
    chance: a stream with `shuffle(list)` and `below(n)`; needed unless the deal is scripted.
    deal: a dict with `first`, `hands` and `pile` for a scripted deal, or None.
    """

    def __init__(
        self,
        num_players=4,
        higher_counts_as_true=False,
        values=6,
        copies=9,
        jokers=12,
        hand_size=6,
        chance=None,
        deal=None,
    ):
        if not FEWEST_PLAYERS <= num_players <= MOST_PLAYERS:
            raise ValueError("num_players: DTC is for 2 to 6 players")
        if not 1 <= values <= HIGHEST_VALUE:
            raise ValueError("values: there are 1 to 6 of them")
        if not 1 <= copies <= MOST_COPIES:
            raise ValueError("copies: there are 1 to 9 of each value")
        if not 0 <= jokers <= MOST_JOKERS:
            raise ValueError("jokers: there are 0 to 12")
        if not 1 <= hand_size <= LARGEST_HAND:
            raise ValueError("hand_size: everybody is dealt 1 to 6 cards")
        self.players = num_players
        self.higher_counts_as_true = higher_counts_as_true
        self.values = values
        self.copies = copies
        self.jokers = jokers
        self.hand_size = hand_size
        if len(self.deck()) < num_players * hand_size:
            raise ValueError("hand_size: there are not enough cards for all hands")

        if deal is None:
            self.set_up_random_deal(chance)
        else:
            self.set_up_scripted_deal(deal)

    # ---- Setting up ----

    def deck(self):
        """All cards: the jokers, then the copies of each value, ascending."""
        cards = [JOKER] * self.jokers
        for value in range(1, self.values + 1):
            cards = cards + [value] * self.copies
        return cards

    def set_up_random_deal(self, chance):
        if chance is None:
            raise ValueError("a chance stream is needed to shuffle")
        cards = self.deck()
        chance.shuffle(cards)
        hands = []
        for _ in self.seats():
            hands.append(cards[: self.hand_size])
            cards = cards[self.hand_size :]
        first = chance.below(self.players)  # D8
        self.start(first, hands, cards)

    def set_up_scripted_deal(self, deal):
        """A deal given by the caller; ValueError if the set-up could not make it."""
        if set(deal) != {"first", "hands", "pile"}:
            raise ValueError("a scripted deal has first, hands and pile, and nothing else")
        first = deal["first"]
        hands = [list(hand) for hand in deal["hands"]]
        pile = list(deal["pile"])

        if first not in self.seats():
            raise ValueError("first: there is no such seat")
        if [len(hand) for hand in hands] != [self.hand_size] * self.players:
            raise ValueError(f"hands: every player has {self.hand_size} cards")
        every_card = list(pile)
        for hand in hands:
            every_card = every_card + hand
        if sorted(every_card) != sorted(self.deck()):
            raise ValueError("hands and pile: every card is in exactly one place")

        self.start(first, hands, pile)

    def start(self, first, hands, pile):
        self.first = first
        self.hands = [sorted(hand) for hand in hands]
        self.pile = pile  # next card first
        self.penalty = [[] for _ in self.seats()]
        self.offer = None
        self.lead(first)

    # ---- The table ----

    def seats(self):
        return range(self.players)

    def next_seat(self, seat):
        """The player on the left."""
        return (seat + 1) % self.players

    def pile_is_empty(self):
        """D6: the next rejection ends the game."""
        return len(self.pile) == 0

    # ---- What may be done ----

    def legal(self):
        """The action numbers of the seat to act, in ascending order; none when the game is over."""
        if self.phase == "announce":
            return sorted(announcement(*offer) for offer in self.possible_announcements())
        if self.phase == "compose":
            return [TAKE_NONE + number for number in self.possible_numbers()]
        if self.phase == "answer":
            return [ACCEPT, REJECT] if self.may_accept() else [REJECT]
        return []

    def play(self, action):
        """The seat to act carries out an action; ValueError if it may not."""
        if action not in self.legal():
            raise ValueError(f"action {action} is not possible")
        if self.phase == "announce":
            self.announce(*announced(action))
        elif self.phase == "compose":
            self.choose(action - TAKE_NONE)
            self.go_on_composing()
        elif action == ACCEPT:
            self.accept()
        else:
            self.reject()

    # ---- Announcing ----

    def lead(self, seat):
        """A seat starts afresh, with any offer."""
        self.phase = "announce"
        self.to_act = seat
        self.to_beat = None

    def possible_announcements(self):
        """D2: up to the whole hand; stronger than the offer that was just accepted."""
        possible = []
        for count in range(1, len(self.hands[self.to_act]) + 1):
            for value in range(1, self.values + 1):
                if self.to_beat is None or is_stronger((count, value), self.to_beat):
                    possible.append((count, value))
        return possible

    def announce(self, count, value):
        other_values = [v for v in range(1, self.values + 1) if v != value]
        self.offer = Offer(self.to_act, count, value, [value, JOKER, *other_values])
        self.go_on_composing()

    # ---- Composing: which cards go into the offer, asked type by type ----

    def possible_numbers(self):
        """How many cards of the type in question may go into the offer."""
        offer = self.offer
        hand = self.hands[offer.giver]
        held = hand.count(offer.types_to_come[0])
        held_of_later_types = sum(hand.count(kind) for kind in offer.types_to_come[1:])
        possible = []
        for number in range(held + 1):
            still_missing = offer.missing() - number
            if 0 <= still_missing <= held_of_later_types:
                possible.append(number)
        return possible

    def choose(self, number):
        """So many cards of the type in question leave the hand and go into the offer."""
        offer = self.offer
        kind = offer.types_to_come.pop(0)
        for _ in range(number):
            self.hands[offer.giver].remove(kind)
            offer.cards.append(kind)
        offer.asking = None

    def go_on_composing(self):
        """On to the next question with more than one possible answer, or to the answer."""
        offer = self.offer
        while offer.missing() > 0:
            possible = self.possible_numbers()
            if len(possible) > 1:
                self.phase = "compose"
                offer.asking = offer.types_to_come[0]
                return
            self.choose(possible[0])
        self.lay_on_the_table()

    def lay_on_the_table(self):
        """The last card is chosen: the giver draws, and the next player is asked."""
        self.refill(self.offer.giver)
        self.to_beat = None
        self.phase = "answer"
        self.to_act = self.next_seat(self.offer.giver)

    def refill(self, seat):
        while len(self.hands[seat]) < self.hand_size:
            if self.pile_is_empty():
                break  # D3: what the pile cannot supply is not drawn
            self.hands[seat].append(self.pile.pop(0))
        self.hands[seat].sort()

    # ---- Answering ----

    def may_accept(self):
        """D4: only if a stronger offer could follow.

        The challenger may give away all that it holds and accepts, so with a card of its own it can
        announce more cards, and without one as many of a higher value.
        """
        most_cards = len(self.hands[self.to_act]) + self.offer.count
        strongest = most_cards, self.values
        return is_stronger(strongest, (self.offer.count, self.offer.value))

    def accept(self):
        """The challenger takes the cards, draws none, and is the giver of a stronger offer."""
        offer = self.offer
        self.hands[self.to_act] = sorted(self.hands[self.to_act] + offer.cards)
        self.to_beat = offer.count, offer.value
        self.offer = None
        self.phase = "announce"

    def reject(self):
        """True: the challenger takes the penalty; false: the giver. Who took it starts afresh."""
        offer = self.offer
        if is_true(offer.value, offer.cards, self.higher_counts_as_true):
            taker = self.to_act
        else:
            taker = offer.giver
        self.penalty[taker] = self.penalty[taker] + offer.cards
        self.offer = None
        if self.pile_is_empty():
            self.end_game()
        else:
            self.lead(taker)

    # ---- The end ----

    def end_game(self):
        """Nobody is to act; everything else stays as it lies."""
        self.phase = "over"
        self.to_act = None

    def scores(self):
        """The cards of each seat, in hand and in its penalty pile."""
        return [len(self.hands[seat]) + len(self.penalty[seat]) for seat in self.seats()]

    def ranks(self):
        """1 for the fewest cards; equals share a rank, and the ranks after it are skipped."""
        scores = self.scores()
        return [1 + sum(1 for other in scores if other < own) for own in scores]

    def win_shares(self):
        """D7: those with the fewest cards share the win equally."""
        scores = self.scores()
        winners = scores.count(min(scores))
        return [1 / winners if own == min(scores) else 0.0 for own in scores]

    # ---- The whole state ----

    def snapshot(self):
        """The state as plain ints, lists, strings, bools and None; no list is shared with the game."""
        offer = None
        if self.offer is not None:
            offer = {
                "giver": self.offer.giver,
                "count": self.offer.count,
                "value": self.offer.value,
                "cards": list(self.offer.cards),
                "asking": self.offer.asking,
            }
        return {
            "players": self.players,
            "first": self.first,
            "to_act": self.to_act,
            "phase": self.phase,
            "hands": [sorted(hand) for hand in self.hands],
            "pile": list(self.pile),
            "penalty": [list(cards) for cards in self.penalty],
            "offer": offer,
            "to_beat": None if self.to_beat is None else list(self.to_beat),
            "ends": self.pile_is_empty(),
            "higher_counts_as_true": self.higher_counts_as_true,
        }
