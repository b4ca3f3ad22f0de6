"""Dackel drauf!: a seat's view read in the game's words, and what happened between two views.

All that is said comes from the views and the players' names; seats are relative to the viewer (0 = the
viewer, then clockwise). D numbers as in ``docs/games/dackel_drauf.md``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from cardgames_env.core.drawing import View, count, listed, one_line
from cardgames_env.games.dackel_drauf.state import (
    AGENT,
    ANIMALS,
    CHAIN,
    EXTRA,
    FACE_DOWN,
    FINISHED,
    IN_VAIN,
    JOKER,
    JOKERS,
    KINDS,
    LOOK,
    RESCUED,
    SHOWN,
    WRONG,
)

SPECIAL_NAMES = ("extra card", "face-down card", "joker die")
WRONG_MARKS, JOKER_MARKS = (WRONG, IN_VAIN), (RESCUED, IN_VAIN)
FOLLOWED = 3  # with so many cards played before a showdown, who used what is worked out
MANY_ANIMALS = tuple({"mouse": "mice", "sheep": "sheep"}.get(name, f"{name}s") for name in ANIMALS)


@dataclass(frozen=True)
class Card:
    """A card in a chain: ``number`` from 1; the animal None where the viewer does not know it."""

    number: int
    seat: int
    animal: int | None
    down: bool
    mark: int  # UNJUDGED, WRONG, RIGHT, RESCUED, IN_VAIN

    @property
    def wrong(self) -> bool:
        return self.mark in WRONG_MARKS

    @property
    def used_joker(self) -> bool:
        """Whether a joker was used for it, be it in vain."""
        return self.mark in JOKER_MARKS


# -- reading a view --------------------------------------------------------------------------------


def chain_of(view: View) -> list[Card]:
    return [
        Card(
            number=i + 1,
            seat=int(view["chain_seats"][i]) - 1,
            animal=int(view["chain_animals"][i]) - 1 if view["chain_animals"][i] else None,
            down=bool(view["chain_down"][i]),
            mark=int(view["chain_right"][i]),
        )
        for i in range(int(view["chain_length"]))
    ]


def last_chain(view: View) -> list[Card]:
    """The chain of the round before; which of its cards were face down, a view does not tell."""
    return [
        Card(
            number=i + 1,
            seat=int(view["last_seats"][i]) - 1,
            animal=int(view["last_animals"][i]) - 1,
            down=False,
            mark=int(view["last_right"][i]),
        )
        for i in range(int(view["last_length"]))
    ]


def to_act(view: View) -> int | None:
    """Whose turn it is, as far as the viewer sees; None when over, or when another may use jokers."""
    return int(view["to_act"]) - 1 if view["to_act"] else None


def is_over(view: View) -> bool:
    return bool(view["phase"] == FINISHED)


def last_is_shown(view: View) -> bool:
    """Whether the view has the showdown of the round before."""
    return bool(view["last_dice"].any())


def memory_is_shown(view: View) -> bool:
    """Whether ``remembered`` is what the viewer remembers (D5: in memory="agent" only at times)."""
    if view["memory"] != AGENT or view["phase"] == LOOK:
        return True
    asked = view["phase"] == CHAIN and view["to_act"] == 1
    return bool(asked and not (view["chain_seats"] == 1).any())


def wrong_of(cards: Iterable[Card], seat: int) -> list[Card]:
    return [card for card in cards if card.seat == seat and card.wrong]


def failed_seats(cards: Sequence[Card]) -> set[int]:
    return {card.seat for card in cards if card.wrong}


def clockwise_from(seat: int, players: int) -> list[int]:
    return [(seat + k) % players for k in range(players)]


def winners(view: View) -> list[int]:
    """The seats with the fewest cards left (D9: a tie is shared)."""
    cards = view["cards_left"][: view["players"]].tolist()
    return [seat for seat, number in enumerate(cards) if number == min(cards)]


# -- words -----------------------------------------------------------------------------------------


def dice_in_words(dice: np.ndarray) -> str:
    """Dice by animal: ``2 dogs, 1 hare``; ``none``."""
    shown = [
        f"{number} {ANIMALS[a] if number == 1 else MANY_ANIMALS[a]}"
        for a, number in enumerate(dice.tolist())
        if number
    ]
    return ", ".join(shown) or "none"


def cards_in_words(cards: np.ndarray | Sequence[int]) -> str:
    """Cards by animal: ``dog, pig x2``."""
    return times([ANIMALS[a] for a in range(KINDS) for _ in range(int(cards[a]))])


def times(names: Sequence[str]) -> str:
    """Names in order, equal ones together."""
    return ", ".join(
        name if names.count(name) == 1 else f"{name} x{names.count(name)}"
        for name in dict.fromkeys(names)
    )


def the_card(card: Card) -> str:
    """``pig (card 3)``."""
    animal = "card" if card.animal is None else ANIMALS[card.animal]
    return f"{animal} (card {card.number})"


def the_cards(cards: Sequence[Card]) -> str:
    return listed([the_card(card) for card in cards])


def round_in_words(view: View) -> str:
    """``round 3 of at most 60``, as far as the view counts."""
    number, rest = int(view["round_number"]), int(view["rounds_left"])
    if number >= SHOWN:
        return f"round {SHOWN} or later"
    return f"round {number}" if rest >= SHOWN else f"round {number} of at most {number + rest}"


def win_in_words(view: View) -> str:
    return "wins with" if len(winners(view)) == 1 else "share the win with"


def winning_cards(view: View) -> str:
    first = winners(view)
    fewest = count(int(view["cards_left"][first[0]]), "card") + " left"
    return fewest if len(first) == 1 else f"{fewest} each"


def result_in_words(view: View, names: Sequence[str]) -> str:
    who = listed([names[seat] for seat in winners(view)])
    return f"{who} {win_in_words(view)} {winning_cards(view)}."


def jokers_wanted(view: View) -> list[Card]:
    """The cards for which the viewer is asked about jokers; none if it is not asked."""
    if view["phase"] != JOKERS or view["to_act"] != 1:
        return []
    cards = chain_of(view)
    return [cards[int(view["at"]) - 1]] if view["at"] else wrong_of(cards, 0)


def jokers_in_words(number: int) -> str:
    return "a joker die" if number == 1 else f"{number} joker dice"


# -- who did what in the chain ---------------------------------------------------------------------


@dataclass(frozen=True)
class Start:
    """Where a chain stood: what is needed to follow who played and who passed from then on."""

    turn: int  # the seat to play, or the one that comes next while another may add an extra card
    last: int  # the seat that may add a card with an extra card, or -1
    passed: tuple[bool, ...]
    hands: tuple[int, ...]


@dataclass(frozen=True)
class Play:
    card: Card
    extra: bool | None  # with an extra card; None: it cannot be told
    down: bool | None
    last_in_hand: bool


Event = Play | int  # a card played, or the seat that passed
Story = tuple[Event, ...]


def next_in_chain(seat: int, passed: Sequence[bool]) -> int:
    """Who is to play after ``seat``; -1 when all have passed."""
    n = len(passed)
    return next((q for q in clockwise_from((seat + 1) % n, n) if not passed[q]), -1)


def start_of(view: View) -> Start:
    """Where the chain of a view stands (if the lid is still open: where it will begin)."""
    n = int(view["players"])
    passed = tuple(bool(view["passed"][p]) for p in range(n))
    hands = tuple(int(view["hand_sizes"][p]) for p in range(n))
    if view["phase"] == LOOK:
        return Start(int(view["starter"]), -1, passed, hands)
    if view["phase"] != CHAIN:
        return Start(-1, -1, passed, hands)
    if view["again"]:
        return Start(next_in_chain(0, passed), 0, passed, hands)
    turn = int(view["to_act"]) - 1
    last = int(view["chain_seats"][view["chain_length"] - 1]) - 1 if view["chain_length"] else -1
    may_add = last > 0 and not passed[last] and next_in_chain(last, passed) == turn
    return Start(turn, last if may_add else -1, passed, hands)


def start_of_round(view: View) -> Start:
    """Where the round of a view began."""
    n = int(view["players"])
    # What was in hand at first: what is left there and in the chain.
    hands = [int(view["hand_sizes"][p]) for p in range(n)]
    for card in chain_of(view):
        hands[card.seat] += 1
    return Start(int(view["starter"]), -1, (False,) * n, tuple(hands))


def stories(
    start: Start, cards: Sequence[Card], used: Sequence[int | None], end: Start, open_: bool
) -> list[Story]:
    """All that can have happened from one view of a chain to another, in order.

    ``cards`` were played meanwhile, and special cards of the kinds ``used`` (None: of some kind). Of the
    cards of a round that is over, whether they were face down is not known: ``open_``.
    """
    found: list[Story] = []
    everybody = all(end.passed)

    def finish(turn: int, passed: list[bool], events: list[Event]) -> None:
        """Only passes are left."""
        passed = passed.copy()
        goal = -1 if everybody else end.turn
        while turn != goal and turn >= 0:
            if not end.passed[turn]:
                return
            passed[turn] = True
            events = [*events, turn]
            turn = next_in_chain(turn, passed)
        if turn == goal and tuple(passed) == end.passed:
            found.append(tuple(events))

    def play(
        k: int, turn: int, passed: list[bool], hands: list[int], at: int, events: list[Event],
        extra: bool,
    ) -> None:  # fmt: skip
        """Card ``k`` is played by its owner, whose turn it is."""
        card = cards[k]
        if extra:
            if at == len(used) or used[at] not in (EXTRA, None):
                return
            at += 1
        hands = hands.copy()
        passed = passed.copy()
        hands[card.seat] -= 1
        passed[card.seat] = hands[card.seat] == 0
        turn = next_in_chain(card.seat, passed)
        for down in (False, True) if open_ else (card.down,):
            if down and (at == len(used) or used[at] not in (FACE_DOWN, None)):
                continue
            event = Play(card, extra, down, passed[card.seat])
            last = -1 if passed[card.seat] else card.seat
            follow(k + 1, turn, last, passed, hands, at + down, [*events, event])

    def follow(
        k: int, turn: int, last: int, passed: list[bool], hands: list[int], at: int,
        events: list[Event],
    ) -> None:  # fmt: skip
        if k == len(cards):
            if not any(kind in (EXTRA, FACE_DOWN) for kind in used[at:]):
                finish(turn, passed, events)
            return
        owner = cards[k].seat
        if owner == last:
            play(k, turn, passed, hands, at, events, True)
        passed = passed.copy()
        events = list(events)
        while turn >= 0 and turn != owner:
            if not end.passed[turn]:
                return
            passed[turn] = True
            events.append(turn)
            turn = next_in_chain(turn, passed)
        if turn == owner:
            play(k, turn, passed, hands, at, events, False)

    follow(0, start.turn, start.last, list(start.passed), list(start.hands), 0, [])
    return found


def what_is_certain(
    found: Sequence[Story], cards: Sequence[Card], start: Start, end: Start
) -> Story:
    """Of all that can have happened what is the same in all; passes go last if their place differs."""
    if found and all(story == found[0] for story in found):
        return found[0]
    told: list[Event] = []
    hands = list(start.hands)
    passes = [p for p in range(len(end.passed)) if end.passed[p] and not start.passed[p]]
    for k, card in enumerate(cards):
        plays = [[event for event in story if isinstance(event, Play)][k] for story in found]
        extras, downs = {play.extra for play in plays}, {play.down for play in plays}
        hands[card.seat] -= 1
        last_in_hand = hands[card.seat] == 0
        told.append(
            Play(
                card,
                extras.pop() if len(extras) == 1 else None,
                downs.pop() if len(downs) == 1 else (card.down or None),
                last_in_hand,
            )
        )
        if last_in_hand:
            passes.remove(card.seat)
    return (*told, *passes)


# -- what happened ---------------------------------------------------------------------------------


def describe(before: View, after: View, names: Sequence[str]) -> list[str]:
    """What happened between two views of one seat in one game; a sentence each.

    Whatever a single action changes is told in full. The views may also lie several actions apart: then
    what is certain is told. Of rounds of which neither view has the showdown, only what was discarded.
    """
    if all((before[name] == after[name]).all() for name in before):
        return []
    story = _Story(before, after, [one_line(name) for name in names])
    rounds = rounds_ended(before, after)
    if rounds == 0:
        story.round_goes_on()
    else:
        story.rounds_end(rounds)
    return story.told


def rounds_ended(before: View, after: View) -> int:
    """How many rounds came to their end between two views."""
    # The counts are cut off at a bound; the starting player is not.
    counted = int(after["round_number"] - before["round_number"])
    still = int(before["rounds_left"] - after["rounds_left"])
    turned = int(after["starter"] - before["starter"]) % int(after["players"])
    return max(counted, still, turned) + (is_over(after) and not is_over(before))


class _Story:
    """Tells one thing after the other; ``told`` are the sentences so far."""

    def __init__(self, before: View, after: View, names: Sequence[str]) -> None:
        self.before, self.after, self.names = before, after, names
        self.players = int(after["players"])
        self.starter = int(after["starter"])  # of the round that is told of
        self.told: list[str] = []
        self.explained: list[int] = [0] * self.players  # special cards told to be used, by seat
        self.used: list[int | None] = []  # those not told yet

    def tell(self, sentence: str) -> None:
        self.told.append(sentence)

    # -- a round that goes on --

    def round_goes_on(self) -> None:
        before, after = self.before, self.after
        self.used = used_in(after)[len(used_in(before)) :]
        cards = chain_of(after)
        if before["phase"] == LOOK:
            self.look(int(before["ticks"]))
            self.memory(new_round=False)
        if before["phase"] != JOKERS:
            self.chain(start_of(before), cards[int(before["chain_length"]) :], before)
        if before["phase"] != LOOK:
            self.memory(new_round=False)
        gone = (before["special_counts"] - after["special_counts"])[: self.players].tolist()
        if after["phase"] == JOKERS:
            if before["phase"] != JOKERS:
                self.dice(after["dice"], turned_up(before, cards))
            self.own_decision(cards, gone[0])
            self.judged(cards, before)
        self.others_used(gone)

    def look(self, ticks: int) -> None:
        """The lid was open, after so many ticks."""
        after = self.after
        now, most = int(after["ticks"]), int(after["max_looks"])
        starter = self.names[int(after["starter"])]
        if now > ticks:
            self.tell(f"{starter} keeps the lid open to tick {now} of at most {most}.")
        if after["phase"] == LOOK:
            return
        if now == most:
            self.tell(f"The lid closes by itself after tick {now}.")
        else:
            self.tell(f"{starter} closes the lid after tick {now}.")

    def memory(self, new_round: bool) -> None:
        """What the viewer has noticed and forgotten, as far as the views show it."""
        before, after = self.before, self.after
        if not memory_is_shown(after) or after["phase"] not in (LOOK, CHAIN, JOKERS):
            return
        now = after["remembered"]
        change = now if new_round else now - before["remembered"]
        if not change.any():
            return
        looked = new_round or before["phase"] == LOOK
        mixed = looked and after["forget"] > 0 and after["phase"] != LOOK
        if mixed or not (new_round or memory_is_shown(before)):
            self.tell(f"You remember: {dice_in_words(now)}.")
            return
        for words, dice in (("noticed", change.clip(0)), ("forgotten", (-change).clip(0))):
            if dice.any():
                self.tell(f"You have {words}: {dice_in_words(dice)}.")

    def chain(self, start: Start, cards: Sequence[Card], before: View | None) -> None:
        """The cards played since ``start`` in the round of the view ``after``, and who passed."""
        if self.after["phase"] == LOOK:
            return
        if before is not None:
            self.end_of_own_turn(cards)
        self.events(start, cards, start_of(self.after), open_=False)

    def end_of_own_turn(self, cards: Sequence[Card]) -> None:
        """The viewer was asked for an extra card, and did not play one."""
        if self.before["again"] and not (cards and cards[0].seat == 0):
            self.tell(f"{self.names[0]} ends the turn.")

    def events(self, start: Start, cards: Sequence[Card], end: Start, open_: bool) -> None:
        """Who played what, and who passed; ``open_`` as in ``stories``."""
        found = []
        if not open_ or len(cards) <= FOLLOWED:
            found = stories(start, cards, self.used, end, open_)
        for event in what_is_certain(found, cards, start, end):
            if isinstance(event, Play):
                self.play(event)
            else:
                self.tell(f"{self.names[event]} passes.")

    def play(self, event: Play) -> None:
        card = event.card
        what = "a card" if card.animal is None else f"a {ANIMALS[card.animal]}"
        if event.down:
            what += " face down"
            self.explain(card.seat, FACE_DOWN)
        if event.extra:
            what += " with an extra card"
            self.explain(card.seat, EXTRA)
        if event.last_in_hand:
            what += ", the last card in hand"
        self.tell(f"{self.names[card.seat]} plays {what}.")

    def explain(self, seat: int, kind: int, number: int = 1) -> None:
        """Special cards of a seat have been told of."""
        self.explained[seat] += number
        for _ in range(number):
            one = kind if kind in self.used else None
            if one in self.used:
                self.used.remove(one)

    def others_used(self, used_by: Sequence[int]) -> None:
        """Special cards of which nothing was told yet; ``used_by``: how many each seat used in all."""
        if not self.used:
            return
        names = [SPECIAL_NAMES[kind] for kind in self.used if kind is not None]
        unknown = len(self.used) - len(names)
        words = times(names) if not unknown else count(len(self.used), "special card")
        who = [p for p in range(self.players) if used_by[p] > self.explained[p]]
        if len(who) == 1:
            self.tell(f"{self.names[who[0]]} has also used: {words}.")
        else:
            self.tell(f"Also used: {words}.")
        self.used = []

    # -- the showdown --

    def dice(self, dice: np.ndarray, turned_up: Sequence[Card]) -> None:
        """The lid is lifted, and cards are turned up that the viewer has seen lying face down."""
        self.tell(f"The lid is lifted: {dice_in_words(dice)}.")
        for card in turned_up:
            assert card.animal is not None
            self.tell(
                f"Card {card.number}, face down, of {self.names[card.seat]} is a {ANIMALS[card.animal]}."
            )

    def judged(self, cards: Sequence[Card], before: View | None) -> None:
        """Wrong cards and jokers used that the view ``before`` (of the same round) did not show."""
        takeback = bool(self.after["takeback"])
        earlier = {}
        if before is not None and before["phase"] == JOKERS:
            earlier = {card.number: card.mark for card in chain_of(before)}
        news = [card for card in cards if card.mark != earlier.get(card.number)]
        saved = [c for c in news if c.used_joker and earlier.get(c.number) not in JOKER_MARKS]
        wrong = [card for card in news if card.wrong]
        if takeback:  # who is out, is out with all its cards
            known = {card.seat for card in cards if earlier.get(card.number) in WRONG_MARKS}
            out = {card.seat for card in wrong} - known
            wrong = [card for card in cards if card.seat in out]
        elif not earlier:  # jokers come after the judging
            wrong = [card for card in cards if card.wrong or card.used_joker]
        for seat in clockwise_from(self.starter, self.players):
            own = [card for card in wrong if card.seat == seat]
            if own and takeback:
                self.tell(f"{self.names[seat]} is out with {the_cards(own)}.")
            elif own:
                verb = "is" if len(own) == 1 else "are"
                self.tell(f"Of {self.names[seat]}, {the_cards(own)} {verb} wrong.")
        for seat in clockwise_from(self.starter, self.players):
            own = [card for card in saved if card.seat == seat]
            for together in [[card] for card in own] if takeback else [own] if own else []:  # D11
                self.jokers(seat, together)

    def jokers(self, seat: int, cards: Sequence[Card]) -> None:
        jokers = jokers_in_words(len(cards))
        self.tell(f"{self.names[seat]} uses {jokers} for {the_cards(cards)}.")
        self.explain(seat, JOKER, len(cards))

    def own_decision(self, cards: Sequence[Card], used: int | None) -> None:
        """What the viewer, asked about jokers, did; ``used``: special cards that it has used since."""
        asked = [cards[card.number - 1] for card in jokers_wanted(self.before)]
        if not asked or asked[0].used_joker:
            return  # not asked, or told with the other jokers
        if used == 0 or not self.after["takeback"]:
            self.tell(f"{self.names[0]} declines to use {jokers_in_words(len(asked))}.")

    # -- the end of rounds --

    def rounds_end(self, number: int) -> None:
        before, after = self.before, self.after
        over = is_over(after)
        self.starter = (int(after["starter"]) - (not over)) % self.players
        if number > 1:
            self.tell(f"{number} rounds have ended.")
        elif before["phase"] == LOOK:
            self.tell("The lid is shut.")
        if not last_is_shown(after):
            self.round_not_shown(number)
        else:
            cards = last_chain(after)
            if number == 1:
                self.rest_of_round(cards)
            else:
                self.earlier_discards(cards)
                self.dice(after["last_dice"], [])
                self.judged(cards, None)
                self.back_or_away(cards, frozenset())
        if over:
            self.tell(f"The game is over: {result_in_words(after, self.names)}")
        else:
            self.new_round()

    def rest_of_round(self, cards: Sequence[Card]) -> None:
        """From the view ``before`` to the end of its round, of which ``cards`` are the chain."""
        before, after = self.before, self.after
        drew = self.who_drew(cards)
        kinds = used_in_last_round(before, after, len(drew))
        self.used = kinds[len(used_in(before)) :]
        if before["phase"] == JOKERS:
            self.used = [JOKER] * len(self.used)  # nothing else is used from there on
        else:
            known = chain_of(before)
            self.end_of_own_turn(cards[len(known) :])
            start = start_of(before)
            everybody = (True,) * self.players
            self.events(start, cards[len(known) :], Start(-1, -1, everybody, ()), open_=True)
            self.dice(after["last_dice"], turned_up(before, cards))
        gone = (before["special_counts"] - after["special_counts"])[: self.players].tolist()
        used_by = [gone[p] + (p in drew) for p in range(self.players)]
        certain = not used_in(after)  # nothing was used in the new round
        self.own_decision(cards, used_by[0] if certain else None)
        self.judged(cards, before)
        self.others_used(used_by if certain else [0] * self.players)
        self.back_or_away(cards, drew)

    def who_drew(self, cards: Sequence[Card]) -> frozenset[int]:
        """D13: the seats that failed, in turn order, as long as there were special cards."""
        failed = failed_seats(cards)
        takers = [p for p in clockwise_from(self.starter, self.players) if p in failed]
        return frozenset(takers[: int(self.before["special_size"])])

    def back_or_away(self, cards: Sequence[Card], drew: frozenset[int]) -> None:
        """Who discards what, and who takes it back."""
        failed = failed_seats(cards)
        for seat in clockwise_from(self.starter, self.players):
            own = np.zeros(KINDS, int)
            for card in cards:
                if card.seat == seat:
                    own[card.animal] += 1
            if not own.any():
                continue
            what = f"{count(int(own.sum()), 'card')}: {cards_in_words(own)}"
            if seat not in failed:
                self.tell(f"{self.names[seat]} discards {what}.")
                continue
            self.tell(f"{self.names[seat]} takes back {what}.")
            if seat in drew:
                kind = self.own_drawn(len(drew)) if seat == 0 else None
                special = "a special card" + ("" if kind is None else f": {SPECIAL_NAMES[kind]}")
                self.tell(f"{self.names[seat]} draws {special}.")

    def own_drawn(self, drawn: int) -> int | None:
        """The kind of special card that the viewer drew when the round ended, if it is certain.

        ``drawn``: how many special cards were drawn then, one by the viewer.
        """
        before, after = self.before, self.after
        more = (after["special"] - before["special"]).astype(int)
        if (more > 0).any():
            return int(np.argmax(more))
        # It has also used one of the kind that it drew.
        own = 1 - int(more.sum())
        used = [*used_in_last_round(before, after, drawn), *used_in(after)][len(used_in(before)) :]
        if before["phase"] == JOKERS and not used_in(after):
            more[JOKER] += own
        elif own == len(used) and None not in used:
            for kind in used:
                more[kind] += 1
        else:
            return None
        return int(np.argmax(more))

    def discarded(self) -> np.ndarray:
        """Cards by seat and animal."""
        return (self.before["left"] - self.after["left"]).astype(int)

    def earlier_discards(self, cards: Sequence[Card]) -> None:
        """Several rounds have ended, of which the last was played with ``cards``."""
        gone = self.discarded()
        failed = failed_seats(cards)
        for card in cards:
            if card.seat not in failed:
                gone[card.seat, card.animal] -= 1
        for seat in range(self.players):
            if gone[seat].any():
                what = f"{count(int(gone[seat].sum()), 'card')}: {cards_in_words(gone[seat])}"
                self.tell(f"Before the last of them, {self.names[seat]} discarded {what}.")

    def round_not_shown(self, number: int) -> None:
        """memory="agent": the showdown is gone; what it led to is seen."""
        if number == 1:
            self.tell("The round ends.")
        gone = self.discarded()
        played = {card.seat for card in chain_of(self.before)}
        for seat in clockwise_from(self.starter, self.players):
            if gone[seat].any():
                what = f"{count(int(gone[seat].sum()), 'card')}: {cards_in_words(gone[seat])}"
                verb = "discards" if number == 1 else "has discarded"
                self.tell(f"{self.names[seat]} {verb} {what}.")
            elif number == 1 and seat in played:
                self.tell(f"{self.names[seat]} takes its cards back.")

    def new_round(self) -> None:
        after = self.after
        self.starter = int(after["starter"])
        self.explained = [0] * self.players
        self.used = used_in(after)
        number = int(after["round_number"])
        which = f"Round {number}" if number < SHOWN else "A new round"
        self.tell(f"{which} begins: {self.names[self.starter]} starts.")
        self.look(1)
        self.memory(new_round=True)
        self.chain(start_of_round(after), chain_of(after), None)
        if after["phase"] == JOKERS:
            self.dice(after["dice"], [])
            self.judged(chain_of(after), None)
        self.others_used([0] * self.players)


def turned_up(before: View, cards: Sequence[Card]) -> list[Card]:
    """The cards of the chain that the viewer did not know in the view ``before``."""
    return [cards[card.number - 1] for card in chain_of(before) if card.animal is None]


def used_in(view: View) -> list[int | None]:
    """The kinds of special cards used in the round so far, in order."""
    return [kind - 1 for kind in view["used"].tolist() if kind]


def used_in_last_round(before: View, after: View, drawn: int) -> list[int | None]:
    """The same for the round that ended between two views: at the bottom of the special pile now."""
    size = int(after["special_size"])
    number = size - int(before["special_size"]) + drawn
    return [
        kind - 1 if kind else None for kind in after["special_pile"][size - number : size].tolist()
    ]
