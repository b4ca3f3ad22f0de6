"""Dackel drauf! in slow, plain Python, to be checked by eye against the rules.

"Dn" are the numbered decisions of the project's rules page. An animal is its number, 0 to 8; a seat is
a number from 0; a die is its number, 0 to 14; a pile is a list, its next card first. The special cards
go by their names.
"""

DOG, DUCK, HARE, CAT, COW, MOUSE, HORSE, SHEEP, PIG = ANIMALS = range(9)
EXTRA, FACE_DOWN, JOKER = KINDS = ["extra", "face_down", "joker"]

DICE = 15
HAND = 10
EVERY_CARD = [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8]  # of one player
EVERY_SPECIAL = [EXTRA] * 3 + [FACE_DOWN] * 3 + [JOKER] * 3  # D2

PLAY_FACE_DOWN = 9  # "play a dog face down"; one more for each animal
STOP = 18  # pass; after a card just played: end the turn
KEEP_OPEN, CLOSE = 19, 20
USE_JOKERS, DECLINE = 21, 22

THRESHOLDS = {2: 1, 3: 2, 4: 3, 5: 4}  # D3: by the number of players


def default_faces():
    """D1: each die lacks three animals, and has the other six in ascending order."""
    lacking = [
        [0, 1, 2], [3, 4, 5], [6, 7, 8],
        [0, 3, 6], [1, 4, 7], [2, 5, 8],
        [0, 4, 8], [1, 5, 6], [2, 3, 7],
        [0, 5, 7], [1, 3, 8], [2, 4, 6],
        [0, 2, 4], [1, 6, 8], [3, 5, 7],
    ]  # fmt: skip
    return [[animal for animal in ANIMALS if animal not in three] for three in lacking]


# ---- The showdown ----


def judge(chain, dice):
    """Which cards of a chain find a die: True or False for each.

    chain: for each card, its seat and its animal. dice: the animals they show.
    """
    free = list(dice)
    right = []
    for _, animal in chain:
        if animal in free:
            free.remove(animal)
            right.append(True)
        else:
            right.append(False)
    return right


def judge_with_takeback(chain, dice, jokers=None, answers=None):
    """The same in the variant, where a player whose card finds no die is out at once (D11).

    jokers: how many joker dice each seat holds when the showdown begins (None: nobody any).
    answers: for each position at which a joker has been asked for, whether it was used.

    Returns the marks, and the position at which a joker is to be asked for now, or None. The marks
    from there on are None.
    """
    free = list(dice)
    right = [None] * len(chain)
    out = []
    real = []  # the positions of the cards that hold a real die
    jokers = dict(enumerate(jokers or []))
    answers = answers or {}
    for position, (seat, animal) in enumerate(chain):
        if seat in out:
            right[position] = False
            continue
        if animal in free:
            free.remove(animal)
            real.append(position)
            right[position] = True
            continue
        if jokers.get(seat, 0) > 0:
            if position not in answers:
                return right, position
            if answers[position]:
                jokers[seat] -= 1  # D7: an imagined die: it takes no real one, and is never free
                right[position] = True
                continue
        out.append(seat)
        for earlier in range(position + 1):
            if chain[earlier][0] == seat:
                right[earlier] = False
                if earlier in real:
                    real.remove(earlier)
                    free.append(chain[earlier][1])
    return right, None


class Reference:
    """One game of Dackel drauf!

    num_players: 2 to 5.
    faces: for each of the 15 dice its six animals; None for those of D1.
    win_threshold: who has no more cards left wins, 0 to 17; None for that of D3.
    notice: the probability that a player notices a die in a tick of the look (D4).
    forget: the probability that a remembered die is forgotten before a chain decision (D5).
    max_looks: after so many ticks the lid closes by itself, 1 to 1000.
    memory: "player", "perfect" or "agent" (D5).
    takeback: True for the variant.
    max_rounds: after so many rounds the game ends (D10), 1 to 10000.
    chance: a stream with `next()`, `below(n)` and `shuffle(list)`.
    deal: a dict with `starter`, `piles`, `dice` and `special_pile` for a scripted first round, or None.
    """

    def __init__(
        self, num_players=3, faces=None, win_threshold=None, notice=0.2, forget=0.0, max_looks=5,
        memory="player", takeback=False, max_rounds=60, chance=None, deal=None,
    ):  # fmt: skip
        if num_players not in THRESHOLDS:
            raise ValueError("num_players: 2 to 5")
        if faces is None:
            faces = default_faces()
        if len(faces) != DICE or any(len(six) != 6 for six in faces):
            raise ValueError("faces: 15 dice with six animals each")
        if any(animal not in ANIMALS for six in faces for animal in six):
            raise ValueError("faces: the animals are 0 to 8")
        if win_threshold is None:
            win_threshold = THRESHOLDS[num_players]
        if not 0 <= win_threshold < len(EVERY_CARD):
            raise ValueError("win_threshold: 0 to 17")
        if not 0 <= notice <= 1:
            raise ValueError("notice: a probability")
        if not 0 <= forget <= 1:
            raise ValueError("forget: a probability")
        if not 1 <= max_looks <= 1000:
            raise ValueError("max_looks: 1 to 1000")
        if memory not in ("player", "perfect", "agent"):
            raise ValueError("memory: player, perfect or agent")
        if takeback not in (True, False):
            raise ValueError("takeback: True or False")
        if not 1 <= max_rounds <= 10000:
            raise ValueError("max_rounds: 1 to 10000")
        self.players = num_players
        self.faces = faces
        self.win_threshold = win_threshold
        self.notice = notice
        self.forget = forget
        self.max_looks = max_looks
        self.memory = memory
        self.takeback = takeback
        self.max_rounds = max_rounds
        self.chance = chance

        self.round = 1
        self.hands = [[] for _ in self.seats()]
        self.specials = [[] for _ in self.seats()]
        self.discards = [[] for _ in self.seats()]
        self.used = []
        if deal is None:
            self.set_up_at_random()
        else:
            self.set_up_as_scripted(deal)

    # ---- The set-up ----

    def set_up_at_random(self):
        self.piles = []
        for _ in self.seats():
            pile = list(EVERY_CARD)
            self.chance.shuffle(pile)
            self.piles.append(pile)
        self.special_pile = list(EVERY_SPECIAL)
        self.chance.shuffle(self.special_pile)
        self.starter = self.chance.below(self.players)
        self.begin_round(self.roll())

    def set_up_as_scripted(self, deal):
        """A first round given by the caller; ValueError if the set-up could not make it."""
        if set(deal) != {"starter", "piles", "dice", "special_pile"}:
            raise ValueError("a scripted deal has starter, piles, dice and special_pile, no more")
        piles = [list(pile) for pile in deal["piles"]]
        dice = list(deal["dice"])
        special_pile = list(deal["special_pile"])
        if deal["starter"] not in self.seats():
            raise ValueError("starter: one of the seats")
        if len(piles) != self.players:
            raise ValueError("piles: one for each player")
        if any(sorted(pile) != EVERY_CARD for pile in piles):
            raise ValueError("piles: every player has each animal twice")
        if len(dice) != DICE:
            raise ValueError("dice: there are 15")
        if any(animal not in six for animal, six in zip(dice, self.faces, strict=True)):
            raise ValueError("dice: each shows one of its faces")
        if sorted(special_pile) != EVERY_SPECIAL:
            raise ValueError("special_pile: three of each kind")
        self.piles = piles
        self.special_pile = special_pile
        self.starter = deal["starter"]
        self.begin_round(dice)

    def roll(self):
        return [six[self.chance.below(6)] for six in self.faces]

    # ---- The table ----

    def seats(self):
        return range(self.players)

    def in_turn_order(self):
        """All seats, from the starting player clockwise."""
        return [(self.starter + k) % self.players for k in self.seats()]

    def cards_left(self, seat):
        """D16: in hand and pile, and in the chain as long as they lie there."""
        return len(EVERY_CARD) - len(self.discards[seat])

    def use(self, seat, kind):
        """A special card is used."""
        self.specials[seat].remove(kind)
        self.used.append(kind)

    # ---- What may be done ----

    def legal(self):
        """The action numbers of the seat to act, in ascending order; none when the game is over."""
        if self.phase == "look":
            return [KEEP_OPEN, CLOSE]
        if self.phase == "chain":
            animals = sorted(set(self.hands[self.to_act]))
            face_down = []
            if FACE_DOWN in self.specials[self.to_act]:
                face_down = [PLAY_FACE_DOWN + animal for animal in animals]
            return [*animals, *face_down, STOP]
        if self.phase == "jokers":
            return [USE_JOKERS, DECLINE]
        return []

    def apply(self, action):
        """The seat to act carries out an action; ValueError if it may not."""
        if action not in self.legal():
            raise ValueError(f"action {action} is not possible")
        if action == KEEP_OPEN:
            self.tick()
        elif action == CLOSE:
            self.begin_chain()
        elif action == USE_JOKERS:
            self.answer_joker(True)
        elif action == DECLINE:
            self.answer_joker(False)
        elif action == STOP:
            self.stop()
        elif action >= PLAY_FACE_DOWN:
            self.play(action - PLAY_FACE_DOWN, face_down=True)
        else:
            self.play(action, face_down=False)

    # ---- A round begins ----

    def begin_round(self, dice):
        for seat in self.seats():
            self.hands[seat] = sorted(self.piles[seat][:HAND])
            self.piles[seat] = self.piles[seat][HAND:]
        self.dice = dice
        self.noticed = [[False] * DICE for _ in self.seats()]
        self.ticks = 0
        self.chain = []
        self.passed = [False] * self.players
        self.again = False
        self.at = None
        self.phase = "look"
        self.to_act = self.starter
        self.tick()

    # ---- The look ----

    def tick(self):
        """D4: everybody notices some dice; after the last tick the lid closes by itself."""
        self.ticks += 1
        for seat in self.seats():
            if self.memory == "perfect":
                self.noticed[seat] = [True] * DICE
            else:
                for die, happens in enumerate(self.happens_to_each_die(self.notice)):
                    if happens:
                        self.noticed[seat][die] = True
        if self.ticks == self.max_looks:
            self.begin_chain()

    def happens_to_each_die(self, probability):
        """Drawn for all 15 dice: half a random word each, the lower half first."""
        words = [self.chance.next() for _ in range(8)]
        happens = []
        for die in range(DICE):
            word = words[die // 2]
            half = word % 2**32 if die % 2 == 0 else word // 2**32
            happens.append(half < int(probability * 2**32))
        return happens

    # ---- The chain ----

    def begin_chain(self):
        self.phase = "chain"
        self.ask(self.starter)

    def ask(self, seat, again=False):
        """For a card; again: for another one after a card just played, with an extra card."""
        self.to_act = seat
        self.again = again
        if self.memory == "player" and self.forget > 0:  # D5
            for die, happens in enumerate(self.happens_to_each_die(self.forget)):
                if happens:
                    self.noticed[seat][die] = False

    def play(self, animal, face_down):
        seat = self.to_act
        if self.again:
            self.use(seat, EXTRA)
        if face_down:
            self.use(seat, FACE_DOWN)
        self.hands[seat].remove(animal)
        self.chain.append({"seat": seat, "animal": animal, "face_down": face_down, "right": None})
        if not self.hands[seat]:
            self.passed[seat] = True  # with the last card in hand
            self.ask_next()
        elif EXTRA in self.specials[seat]:
            self.ask(seat, again=True)
        else:
            self.ask_next()

    def stop(self):
        """Pass; or, after a card just played, only end the turn."""
        seat = self.to_act
        if not self.again:
            self.passed[seat] = True
            self.piles[seat] = self.hands[seat] + self.piles[seat]  # D12
            self.hands[seat] = []
        self.ask_next()

    def ask_next(self):
        """The next player clockwise who has not passed; when all have, the showdown."""
        self.again = False
        for k in range(1, self.players + 1):
            seat = (self.to_act + k) % self.players
            if not self.passed[seat]:
                self.ask(seat)
                return
        self.showdown()

    # ---- The showdown ----

    def showdown(self):
        self.jokers = [self.specials[seat].count(JOKER) for seat in self.seats()]
        self.answers = {}  # with take-back by position, otherwise by seat
        if not self.takeback:
            self.mark(judge(self.cards_of_chain(), self.dice))
        self.ask_for_jokers()

    def ask_for_jokers(self):
        """Whoever is the next to decide about them; if nobody is, the round is over."""
        if self.takeback:
            self.ask_for_a_joker_on_the_way()
        else:
            self.ask_for_jokers_in_turn_order()

    def ask_for_jokers_in_turn_order(self):
        """D7: enough of them for all wrong cards, or none."""
        for seat in self.in_turn_order():
            wrong = self.wrong_cards(seat)
            if seat not in self.answers and 1 <= len(wrong) <= self.jokers[seat]:
                self.phase = "jokers"
                self.to_act = seat
                return
        self.end_round()

    def ask_for_a_joker_on_the_way(self):
        """D11: for the next card that finds no die."""
        right, position = judge_with_takeback(
            self.cards_of_chain(), self.dice, self.jokers, self.answers
        )
        self.mark(right)
        self.at = position
        if position is None:
            self.end_round()
        else:
            self.phase = "jokers"
            self.to_act = self.chain[position]["seat"]

    def answer_joker(self, used):
        seat = self.to_act
        if self.takeback:
            self.answers[self.at] = used
            if used:
                self.use(seat, JOKER)
        else:
            self.answers[seat] = used
            if used:
                for card in self.wrong_cards(seat):
                    self.use(seat, JOKER)
                    card["right"] = True
        self.ask_for_jokers()

    def cards_of_chain(self):
        return [(card["seat"], card["animal"]) for card in self.chain]

    def mark(self, right):
        for card, mark in zip(self.chain, right, strict=True):
            card["right"] = mark

    def wrong_cards(self, seat):
        return [card for card in self.chain if card["seat"] == seat and not card["right"]]

    # ---- The end of a round, and of the game ----

    def end_round(self):
        for seat in self.in_turn_order():
            animals = [card["animal"] for card in self.chain if card["seat"] == seat]
            if not self.wrong_cards(seat):
                self.discards[seat] += animals
            else:
                self.piles[seat] = sorted(animals) + self.piles[seat]
                if self.special_pile:  # D13: everybody takes one as long as there are any
                    self.specials[seat].append(self.special_pile.pop(0))
        self.special_pile += self.used
        self.used = []
        self.chain = []

        fewest = min(self.scores())
        if fewest <= self.win_threshold or self.round == self.max_rounds:
            self.phase = "over"
            self.to_act = None
            self.at = None
        else:
            self.round += 1
            self.starter = (self.starter + 1) % self.players
            self.begin_round(self.roll())

    def scores(self):
        """The cards left of each seat: the fewest win."""
        return [self.cards_left(seat) for seat in self.seats()]

    def ranks(self):
        """1 for the best; D9: equals share a rank, and the ranks after it are skipped."""
        scores = self.scores()
        return [1 + sum(1 for other in scores if other < own) for own in scores]

    def win_shares(self):
        """D9: the best share the win equally."""
        ranks = self.ranks()
        return [1 / ranks.count(1) if rank == 1 else 0.0 for rank in ranks]

    # ---- The whole state ----

    def snapshot(self):
        """The state as plain ints, lists, strings, bools and None; no list is shared with the game."""
        return {
            "players": self.players,
            "round": self.round,
            "starter": self.starter,
            "to_act": self.to_act,
            "phase": self.phase,
            "again": self.again,
            "at": self.at,
            "piles": [list(pile) for pile in self.piles],
            "hands": [list(hand) for hand in self.hands],
            "chain": [dict(card) for card in self.chain],
            "dice": list(self.dice),
            "noticed": [list(row) for row in self.noticed],
            "ticks": self.ticks,
            "passed": list(self.passed),
            "specials": [sorted(held) for held in self.specials],
            "special_pile": list(self.special_pile),
            "used": list(self.used),
            "discards": [list(pile) for pile in self.discards],
            "over": self.phase == "over",
        }
