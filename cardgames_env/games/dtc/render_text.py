"""DTC: one seat's view as a text for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cardgames_env.core.drawing import (
    WIDTH,
    View,
    columns,
    count,
    heading,
    joined,
    listed,
    one_line,
    padded,
    shortened,
    wrapped,
)
from cardgames_env.games.dtc.render_words import (
    PILE_IS_EMPTY,
    asking,
    cards_in_words,
    chain_of,
    elsewhere,
    in_hand,
    missing,
    must_reject,
    offer_of,
    own_offer_is_true,
    passed_on,
    result_in_words,
    seat_after,
    to_act,
    to_beat,
    totals,
    type_name,
    winners,
)
from cardgames_env.games.dtc.state import ANNOUNCE, COMPOSE, NAMES

NAME_WIDTH = 26
ROW_WIDTH = 14  # of what a row of the cards is about


def render_text(view: View, names: Sequence[str]) -> str:
    """The table from one seat as plain text of at most 80 columns; ``names`` by relative seat."""
    names = [shortened(one_line(name), NAME_WIDTH, columns) for name in names]
    left = (
        f"DTC   {count(int(view['pile_size']), 'card')} in the pile   "
        f"{count(int(view['rejections']), 'rejection')}"
    )
    blocks = [
        heading(left, shortened(names[0], WIDTH - len(left) - 10, columns)),
        _situation(view, names),
        _players(view, names),
        _cards(view, names),
    ]
    if view["chain_length"]:
        blocks.append(_chain(view, names))
    return joined(blocks)


def _situation(view: View, names: Sequence[str]) -> list[str]:
    """Whose turn it is and what is asked, a sentence or two a line."""
    actor = to_act(view)
    if actor is None:
        sentences = [f"Game over: {result_in_words(view, names)}"]
    else:
        if view["phase"] == ANNOUNCE:
            sentences = _to_announce(view, names, actor)
        else:
            sentences = _offered(view, names)
        if view["ends"]:
            sentences.append(PILE_IS_EMPTY)
    if view["higher_counts_as_true"]:
        sentences.append(
            "Variant: an offer is true, too, if all its cards but jokers are higher than announced."
        )
    return [line for sentence in sentences for line in wrapped(sentence)]


def _to_announce(view: View, names: Sequence[str], giver: int) -> list[str]:
    challenger = names[seat_after(view, giver)]
    accepted = to_beat(view)
    if accepted is None:
        return [f"{names[giver]} leads with any offer to {challenger}."]
    return [
        f"{names[giver]} has accepted {accepted}: a stronger offer to {challenger} must follow."
    ]


def _offered(view: View, names: Sequence[str]) -> list[str]:
    offer = offer_of(view)
    assert offer is not None
    giver, challenger = names[offer.giver], names[seat_after(view, offer.giver)]
    sentences = [f"{giver} offers {offer} to {challenger}."]
    if drawn := int(view["fresh"][offer.giver]):
        sentences[0] += f" {giver} has drawn {count(drawn, 'card')}."
    if view["phase"] == COMPOSE:
        return [*sentences, *_question(view)]
    if offer.giver == 0:
        truth = "true" if own_offer_is_true(view) else "false"
        sentences.append(f"Your offer is {truth}: {cards_in_words(view['offer_cards'])}.")
    if must_reject(view):
        sentences.append(f"{challenger} must reject: no stronger offer could follow.")
    else:
        sentences.append(f"{challenger} is to accept or to reject.")
    return sentences


def _question(view: View) -> list[str]:
    """What a giver who composes is asked, and what lies in the offer so far."""
    t = asking(view)
    assert t is not None
    accepted = to_beat(view)
    chosen = cards_in_words(view["offer_cards"]) or "nothing"
    still = f"{missing(view)} of {count(int(view['offer_count']), 'card')} still missing"
    return [
        *([] if accepted is None else [f"It beats {accepted}, which you have accepted."]),
        f"Chosen so far: {chosen}; {still}.",
        f"How many {type_name(t)} go into the offer? You hold {int(view['hand'][t])}.",
    ]


def _players(view: View, names: Sequence[str]) -> list[str]:
    lines = [f"  {'Player':{NAME_WIDTH}}   Hand  Penalty pile  In all"]
    actor = to_act(view)
    for seat, total in enumerate(totals(view)):
        name = names[seat]
        if seat == 0:
            name = shortened(name, NAME_WIDTH - len(" (you)"), columns) + " (you)"
        if actor is None:
            mark, note = " ", "wins" if seat in winners(view) else ""
        else:
            mark = ">" if seat == actor else " "
            note = _role(view, seat)
        lines.append(
            f"{mark} {padded(name, NAME_WIDTH)}  {in_hand(view, seat):5}"
            f"  {int(view['penalty_sizes'][seat]):12}  {total:6}   {note}"
        )
    if actor is not None:
        lines.append("> is to act. Cards of an offer on the table are in nobody's hand.")
    return lines


def _role(view: View, seat: int) -> str:
    """What a seat is in the offer on the table, or in the next."""
    offer = offer_of(view)
    giver = int(view["to_act"]) if offer is None else offer.giver
    if seat == giver:
        return "giver"
    return "challenger" if seat == seat_after(view, giver) else ""


def _cards(view: View, names: Sequence[str]) -> list[str]:
    """Cards by type: the viewer's own, those shown, those it does not see; and those passed on."""
    types = [0, *range(1, int(view["values"]) + 1)]
    lines = [f"{'Cards':{ROW_WIDTH}}   All  {'  '.join(f'{NAMES[t]:>5}' for t in types)}"]
    rows = [("Your hand", view["hand"])]
    if view["offer_giver"] == 1:
        rows.append(("Your offer", view["offer_cards"]))
    rows += [("Shown so far", view["shown"]), ("Elsewhere", elsewhere(view))]
    for words, cards in rows:
        lines.append(
            f"{words:{ROW_WIDTH}}  {_counts([cards.sum()], 4)}  {_counts(cards[types], 5)}"
        )
    for seats, cards in passed_on(view):
        lines += wrapped(_still_with(view, names, seats, cards))
    return lines


def _still_with(view: View, names: Sequence[str], seats: list[int], cards: np.ndarray) -> str:
    """What the viewer knows to be with one or several seats, since it passed it on."""
    if len(seats) == 1:
        who = names[seats[0]]
    elif len(seats) == int(view["players"]) - 1:
        who = "the others together"
    else:
        who = listed([names[seat] for seat in seats]) + " together"
    offer = offer_of(view)
    where = " (in hand or offered)" if offer is not None and offer.giver in seats else ""
    verb = "has" if len(seats) == 1 else "have"
    return f"Of the cards you passed on, {who} still {verb}{where}: {cards_in_words(cards)}."


def _counts(numbers: Sequence[int] | np.ndarray, width: int) -> str:
    return "  ".join(f"{int(number) or '.':>{width}}" for number in numbers)


def _chain(view: View, names: Sequence[str]) -> list[str]:
    """The offers below their givers, a line for each time around the table."""
    n = int(view["players"])
    cell = min(WIDTH // n, NAME_WIDTH + 2)
    heads = [padded(shortened(name, cell - 2, columns), cell) for name in names[:n]]
    offers = chain_of(view)
    words = [str(offer) for offer in offers]
    if max(len(text) for text in words) > cell - 3:
        words = [f"{offer.count} x {offer.value}" for offer in offers]
    lies = offer_of(view) is not None
    if lies:
        words[-1] = f"[{words[-1]}]"
    cells = [""] * offers[0].giver + words
    rows = [cells[i : i + n] for i in range(0, len(cells), n)]
    title = "Offers of this chain, each accepted by the next player"
    title += "; [ ] lies on the table:" if lies else ":"
    return [title, "".join(heads), *("".join(f"{c:{cell}}" for c in row) for row in rows)]
