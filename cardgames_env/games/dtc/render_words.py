"""DTC: a seat's view read in the game's words, and what happened between two views.

All that is said comes from the views and the players' names; seats are relative to the viewer (0 = the
viewer, then clockwise). D numbers as in ``docs/games/dtc.md``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cardgames_env.core.drawing import View, count, listed, one_line
from cardgames_env.games.dtc.state import (
    ANNOUNCE,
    ANSWER,
    COMPOSE,
    FINISHED,
    JOKER,
    MAX_VALUES,
    NAMES,
    offer_name,
)

LISTED_CARDS = 8  # so many cards are named one by one, more by type


@dataclass(frozen=True)
class Offer:
    """Who announces how many cards of which value."""

    giver: int
    count: int
    value: int

    def __str__(self) -> str:
        return offer_name(self.count, self.value)


# -- reading a view --------------------------------------------------------------------------------


def offer_of(view: View) -> Offer | None:
    """The offer on the table, also while the viewer composes it."""
    if not view["offer_giver"]:
        return None
    return Offer(int(view["offer_giver"]) - 1, int(view["offer_count"]), int(view["offer_value"]))


def chain_of(view: View) -> list[Offer]:
    """The offers of the current chain in order; the seat after its giver accepted all but the last."""
    givers = view["chain"].reshape(-1)
    return [
        Offer(int(givers[number]) - 1, number // MAX_VALUES + 1, number % MAX_VALUES + 1)
        for number in np.flatnonzero(givers).tolist()
    ]


def to_beat(view: View) -> str | None:
    """The offer just accepted, in words."""
    if not view["to_beat_count"]:
        return None
    return offer_name(int(view["to_beat_count"]), int(view["to_beat_value"]))


def seat_after(view: View, seat: int) -> int:
    """The challenger of the giver ``seat``."""
    return (seat + 1) % int(view["players"])


def to_act(view: View) -> int | None:
    return None if view["phase"] == FINISHED else int(view["to_act"])


def asking(view: View) -> int | None:
    """The type of which the viewer is asked how many cards it gives."""
    return int(view["asking"]) - 1 if view["asking"] else None


def missing(view: View) -> int:
    """How many cards of its offer the viewer has still to choose."""
    return int(view["offer_count"] - view["offer_cards"].sum())


def in_hand(view: View, seat: int) -> int:
    """Cards in a hand: of the viewer's, while it composes, those not chosen yet, too."""
    composing = seat == 0 and view["phase"] == COMPOSE
    return int(view["hand"].sum() if composing else view["hand_sizes"][seat])


def must_reject(view: View) -> bool:
    """D4: the offer on the table cannot be accepted, since no stronger one could follow."""
    if view["phase"] != ANSWER:
        return False
    return bool(view["hand_sizes"][view["to_act"]] == 0 and view["offer_value"] == view["values"])


def is_true(cards: np.ndarray, value: int, higher_counts: bool) -> bool:
    """D1, D5: whether all cards (by type) are the announced value or jokers (or all are higher)."""
    others = cards.sum() - cards[JOKER]
    return bool(cards[value] == others or (higher_counts and cards[value + 1 :].sum() == others))


def own_offer_is_true(view: View) -> bool:
    return is_true(
        view["offer_cards"], int(view["offer_value"]), bool(view["higher_counts_as_true"])
    )


def elsewhere(view: View) -> np.ndarray:
    """Cards by type that the viewer does not see: in the pile, others' hands or their offer."""
    deck = np.zeros(len(NAMES), int)
    deck[JOKER] = view["jokers"]
    deck[1 : 1 + int(view["values"])] = view["copies"]
    return deck - view["hand"] - view["offer_cards"] - view["shown"]


def passed_on(view: View) -> list[tuple[list[int], np.ndarray]]:
    """What the viewer knows of cards that it passed on: seats, and cards that are among them.

    Seats further on are named only where more is known to be with them and those before.
    """
    known = []
    before = np.zeros(len(NAMES), int)
    for m in range(int(view["players"]) - 1):
        # What is known to be with some of the seats is with all of them.
        cards = np.maximum(view["passed_on"][m], before)
        if (cards != before).any():
            known.append((list(range(1, m + 2)), cards))
        before = cards
    return known


def totals(view: View) -> list[int]:
    """Cards in hand and penalty pile, which are the result when the game is over."""
    n = int(view["players"])
    return [in_hand(view, seat) + int(view["penalty_sizes"][seat]) for seat in range(n)]


def winners(view: View) -> list[int]:
    """The seats with the fewest cards (D7: a tie is shared)."""
    cards = totals(view)
    return [seat for seat, number in enumerate(cards) if number == min(cards)]


# -- words -----------------------------------------------------------------------------------------


def cards_in_words(cards: np.ndarray) -> str:
    """Cards by type: ``joker, 6, 6``; many: ``joker x2, 6 x9``."""
    if cards.sum() <= LISTED_CARDS:
        return ", ".join(NAMES[t] for t in range(len(NAMES)) for _ in range(cards[t]))
    return ", ".join(f"{NAMES[t]} x{cards[t]}" for t in range(len(NAMES)) if cards[t])


def type_name(t: int) -> str:
    """A type, of several cards: ``jokers``, ``6s``."""
    return f"{NAMES[t]}s"


def win_in_words(view: View) -> str:
    return "wins with" if len(winners(view)) == 1 else "share the win with"


def winning_cards(view: View) -> str:
    first = winners(view)
    return count(min(totals(view)), "card") + ("" if len(first) == 1 else " each")


def result_in_words(view: View, names: Sequence[str]) -> str:
    who = listed([names[seat] for seat in winners(view)])
    return f"{who} {win_in_words(view)} {winning_cards(view)}."


# -- what happened ---------------------------------------------------------------------------------

PILE_IS_EMPTY = "The pile is empty: the next rejection ends the game."


def describe(before: View, after: View, names: Sequence[str]) -> list[str]:
    """What happened between two views of one seat in one game; a sentence each.

    Whatever a single action changes is told in full. The views may also lie several actions apart: offers
    of the chain that still goes on are told one by one, of a chain that was rejected meanwhile what is
    certain. Two views that a single rejection would explain are taken to lie one action apart.
    """
    story = _Story(before, after, [one_line(name) for name in names])
    if before["rejections"] == after["rejections"]:
        story.chain_goes_on()
    else:
        story.rejections()
    return story.told


class _Story:
    """Follows the hands' sizes and the pile from one view to the other, and tells as it goes."""

    def __init__(self, before: View, after: View, names: Sequence[str]) -> None:
        self.before, self.after, self.names = before, after, names
        self.hands = before["hand_sizes"].tolist()
        self.pile = int(before["pile_size"])
        self.told: list[str] = []
        self.to_name: list[tuple[int, int]] = []  # sentences to which own cards may be added

    def chain_goes_on(self) -> None:
        """No rejection: all that happened is seen, but for cards that came and went."""
        lying = offer_of(self.before)
        offers = chain_of(self.after)[int(self.before["chain_length"]) :]
        hand = self.before["hand"].copy()
        left_unseen = False  # cards of an own offer that nobody saw go
        if lying is not None:
            still_lies = not offers and offer_of(self.after) == lying
            if self.before["phase"] == COMPOSE:
                if still_lies:
                    chosen = self.after["offer_cards"] - self.before["offer_cards"]
                    self.put(chosen)
                    hand -= chosen
                if self.after["phase"] != COMPOSE or not still_lies:
                    left_unseen = not still_lies
                    self.draw(0)
            if not still_lies:
                self.accept(lying)
        self.offers(offers)
        for offer in offers:
            if offer.giver == 0:
                left_unseen = left_unseen or offer != offers[-1] or self.after["offer_giver"] != 1
        if offers and self.after["offer_giver"] == 1:
            hand -= self.after["offer_cards"]
        if not left_unseen and len(self.to_name) == 1:
            self.name_cards(self.after["hand"] - hand)

    def offers(self, offers: Sequence[Offer]) -> None:
        """Offers of one chain; each was accepted, but for the last if it lies on the table."""
        lying = offer_of(self.after)
        for offer in offers:
            last = offer == offers[-1]
            challenger = seat_after(self.after, offer.giver)
            self.tell(f"{self.names[offer.giver]} offers {offer} to {self.names[challenger]}.")
            self.hands[offer.giver] -= offer.count
            if last and lying is not None and offer.giver == 0:
                self.put(self.after["offer_cards"])
            if not last or self.after["phase"] != COMPOSE:
                self.draw(offer.giver)
            if not last or lying is None:
                self.accept(offer)

    def rejections(self) -> None:
        """One or several; the offers after the last are seen, of those before it what follows."""
        offers = chain_of(self.after)
        number = int(self.after["rejections"] - self.before["rejections"])
        left = self._pile_at_lead()
        if self.before["phase"] == COMPOSE:
            self.draw(0)
        if number == 1:
            self._rejection(left)
        else:
            self._drawn_by_some(left)
            self._several_rejections(number)
        n = int(self.after["players"])
        self.hands, self.pile = [int(self.after["full_hand"])] * n, left
        self.offers(offers)
        if self.after["phase"] == FINISHED:
            self._result()

    def tell(self, sentence: str) -> None:
        self.told.append(sentence)

    def put(self, cards: np.ndarray) -> None:
        """The viewer's own cards, which only it sees."""
        if cards.any():
            self.tell(f"{self.names[0]} puts {cards_in_words(cards)} into the offer.")

    def draw(self, giver: int) -> None:
        """D3: the refill after an offer."""
        wanted = max(0, int(self.after["full_hand"]) - self.hands[giver])
        drawn = min(wanted, self.pile)
        if drawn == 0:
            return
        self.hands[giver] += drawn
        self.pile -= drawn
        self._come_to(giver, f"{self.names[giver]} draws {count(drawn, 'card')}")
        if self.pile == 0:
            self.tell(PILE_IS_EMPTY)

    def accept(self, offer: Offer) -> None:
        challenger = seat_after(self.after, offer.giver)
        self.hands[challenger] += offer.count
        self._come_to(challenger, f"{self.names[challenger]} accepts")

    def _come_to(self, seat: int, words: str) -> None:
        if seat == 0:
            self.to_name.append((len(self.told), len(words)))
        self.tell(f"{words}.")

    def name_cards(self, cards: np.ndarray) -> None:
        """Add what cards came to the viewer to the only sentence that tells of such."""
        index, end = self.to_name[0]
        self.told[index] = f"{self.told[index][:end]}: {cards_in_words(cards)}."

    # -- a rejection --

    def _pile_at_lead(self) -> int:
        """The size of the pile right after the last rejection.

        Unless the game is over it was not empty, so that every hand had been refilled.
        """
        if self.after["phase"] == FINISHED:
            return 0
        n = int(self.after["players"])
        in_hands = int(self.after["hand_sizes"][:n].sum() + self.after["offer_count"])
        return int(self.after["pile_size"]) + in_hands - n * int(self.after["full_hand"])

    def _rejection(self, left: int) -> None:
        shown = self.after["shown"] - self.before["shown"]
        loser = int(np.argmax(self.after["penalty_sizes"] - self.before["penalty_sizes"]))
        penalty = f"takes {count(int(shown.sum()), 'card')} as a penalty"
        are_shown = f"{cards_in_words(shown)} {'is' if shown.sum() == 1 else 'are'} shown"
        lying = offer_of(self.before)
        stories = possible_rejections(self.before, self.after, shown, loser)
        givers = {giver for giver, _ in stories}
        at_once = {earlier == 0 for _, earlier in stories}
        if lying is not None and at_once == {False}:
            self.accept(lying)
        self._drawn_by_some(left)
        if len(givers) != 1:
            self.tell(f"An offer is rejected: {are_shown}. {self.names[loser]} {penalty}.")
            return
        giver = givers.pop()
        challenger = seat_after(self.after, giver)
        of_whom = "" if at_once == {True} else f" an offer of {self.names[giver]}"
        truth = "true" if loser == challenger else "false"
        self.tell(
            f"{self.names[challenger]} rejects{of_whom}: {are_shown}. "
            f"The offer was {truth}: {self.names[loser]} {penalty}."
        )

    def _drawn_by_some(self, left: int) -> None:
        """Cards that were drawn before a rejection, by whom is not seen."""
        drawn = self.pile - left
        if drawn > 0:
            self.tell(f"{count(drawn, 'card')} {'is' if drawn == 1 else 'are'} drawn.")
        if drawn > 0 and left == 0:
            self.tell("The pile is empty.")
        self.pile = left

    def _several_rejections(self, number: int) -> None:
        shown = self.after["shown"] - self.before["shown"]
        taken = self.after["penalty_sizes"] - self.before["penalty_sizes"]
        takers = [
            f"{self.names[seat]} takes {count(int(taken[seat]), 'card')}"
            for seat in range(int(self.after["players"]))
            if taken[seat]
        ]
        self.tell(
            f"{number} offers are rejected: {cards_in_words(shown)} are shown. "
            f"{listed(takers)} as a penalty."
        )

    def _result(self) -> None:
        for seat, total in enumerate(totals(self.after)):
            in_hand = int(self.after["hand_sizes"][seat])
            self.tell(
                f"{self.names[seat]} ends with {count(total, 'card')}: "
                f"{in_hand} in hand and {total - in_hand} in the penalty pile."
            )
        self.tell(f"The game is over: {result_in_words(self.after, self.names)}")


def possible_rejections(
    before: View, after: View, shown: np.ndarray, loser: int
) -> set[tuple[int, int]]:
    """How the only rejection between two views may have come: its giver, and offers since ``before``.

    ``shown`` are the cards by type, ``loser`` the seat that took them. Nothing that happened is left out.
    """
    n, values = int(after["players"]), int(after["values"])
    higher_counts = bool(after["higher_counts_as_true"])
    size = int(shown.sum())
    lying = offer_of(before)

    def fits(giver: int, value: int) -> bool:
        if loser not in (giver, (giver + 1) % n):
            return False
        return is_true(shown, value, higher_counts) == (loser != giver)

    possible = set()
    if lying is not None and lying.count == size and fits(lying.giver, lying.value):
        possible.add((lying.giver, 0))
        if _one_action_apart(before, after):
            return possible
    if lying is not None:
        strength, giver = values * (lying.count - 1) + lying.value, lying.giver + 1
    else:
        strength, giver = 0, int(before["to_act"])
        if before["to_beat_count"]:
            strength = values * int(before["to_beat_count"] - 1) + int(before["to_beat_value"])
    # The offer rejected is the ``number``-th since, each stronger by one at least.
    for number in range(1, values * size - strength + 1):
        last_giver = (giver + number - 1) % n
        weakest = max(1, strength + number - values * (size - 1))
        if any(fits(last_giver, value) for value in range(weakest, values + 1)):
            possible.add((last_giver, number))
    return possible


def _one_action_apart(before: View, after: View) -> bool:
    """Whether rejecting the offer that lies on the table in ``before`` would lead to ``after``."""
    return bool(
        before["phase"] == ANSWER
        and after["phase"] in (ANNOUNCE, FINISHED)
        and after["chain_length"] == 0
        and after["rejections"] == before["rejections"] + 1
        and (before["hand_sizes"] == after["hand_sizes"]).all()
        and (before["hand"] == after["hand"]).all()
    )
