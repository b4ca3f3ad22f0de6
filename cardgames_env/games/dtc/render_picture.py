"""DTC: one seat's view as a picture."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cardgames_env.core.drawing import (
    ASPECT,
    BACK_LINE,
    CARD_EDGE,
    CREAM,
    GOLD,
    HEADER_HEIGHT,
    IMAGE_WIDTH,
    INK,
    MARGIN,
    PALE,
    SHADE,
    SMALLEST,
    Colour,
    Picture,
    View,
    count,
    fitted,
    listed,
    one_line,
    text_width,
)
from cardgames_env.games.dtc.render_words import (
    Offer,
    asking,
    chain_of,
    elsewhere,
    in_hand,
    missing,
    must_reject,
    offer_of,
    own_offer_is_true,
    passed_on,
    seat_after,
    to_act,
    to_beat,
    totals,
    type_name,
    win_in_words,
    winners,
    winning_cards,
)
from cardgames_env.games.dtc.state import ANNOUNCE, COMPOSE, JOKER, NAMES, TYPES

# Okabe & Ito's hues. A value's is that of its pips, which say the same; a seat's marks its offers.
TYPE_COLOURS = (
    (120, 70, 160), (0, 114, 178), (0, 140, 104), (120, 130, 20), (226, 140, 0), (204, 58, 20),
    (170, 60, 120),
)  # fmt: skip
SEAT_COLOURS = (
    (255, 250, 236), (86, 180, 233), (240, 228, 66), (0, 190, 140), (244, 130, 80), (216, 140, 190),
)  # fmt: skip
WARNING = (255, 176, 150)
# A jester's cap in a square of side 1: its left horn, which is mirrored, and its middle one.
CAP_SIDE = (
    (0.5, 0.84), (0.24, 0.84), (0.22, 0.62), (0.14, 0.52), (0.05, 0.62), (0.0, 0.56), (0.04, 0.36),
    (0.15, 0.24), (0.3, 0.26), (0.42, 0.4), (0.5, 0.58),
)  # fmt: skip
CAP_MIDDLE = (0.32, 0.5), (0.42, 0.3), (0.5, 0.1), (0.58, 0.3), (0.68, 0.5), (0.5, 0.72)
CAP_COLOURS = TYPE_COLOURS[0], TYPE_COLOURS[4], TYPE_COLOURS[5]

TABLE_LEFT, TABLE_RIGHT, TABLE_TOP, TABLE_BOTTOM = 16, 684, 54, 462
CENTRE_X, CENTRE_Y = 350, 258
PLATE_WIDTH, PLATE_HEIGHT = 196, 86
LEFT, MIDDLE, RIGHT = 16 + 98, 350, 684 - 98
TOP, SIDE, BOTTOM = 54 + 43, 258, 462 - 43
#: Middles of the other seats' plates, clockwise from the viewer's left hand, by number of players.
PLATES = {
    2: ((MIDDLE, TOP),),
    3: ((LEFT, 190), (RIGHT, 190)),
    4: ((LEFT, SIDE), (MIDDLE, TOP), (RIGHT, SIDE)),
    5: ((LEFT, SIDE), (228, TOP), (472, TOP), (RIGHT, SIDE)),
    6: ((LEFT, SIDE), (LEFT, TOP), (MIDDLE, TOP), (RIGHT, TOP), (RIGHT, SIDE)),
}
OFFER_X, OFFER_ROOM = 384, 190
BUBBLES_LEFT, BUBBLES_RIGHT = 224, 478
PILE_X, PILE_Y, PILE_WIDTH = 252, 306, 44

PANEL_LEFT, PANEL_RIGHT = 696, 944
TYPES_LEFT, TYPE_SPACE = 782, 24.6

CHAIN_TOP, CHAIN_ROWS, CHAIN_SPACE = 479, 3, 21
HAND_LEFT, HAND_RIGHT, HAND_TOP, HAND_BOTTOM = 20, 940, 562, 710
ONE_BY_ONE = 10  # so many cards are drawn one by one, more by type


class _Picture(Picture):
    """The table of DTC."""

    def __init__(self) -> None:
        super().__init__((CENTRE_X, CENTRE_Y))

    def emblem(self, x: float, y: float, size: float) -> None:
        self.cap(x, y, size, (BACK_LINE, CREAM, BACK_LINE))

    def cap(self, x: float, y: float, size: float, colours: Sequence[Colour]) -> None:
        """A jester's cap around the middle (x, y): colours of its sides, its middle, and its bells."""
        left, top = x - size / 2, y - size / 2
        sides, middle, bells = colours

        def at(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
            return [(left + size * u, top + size * v) for u, v in points]

        self.polygon(at(CAP_SIDE), sides)
        self.polygon(at([(1 - u, v) for u, v in CAP_SIDE]), sides)
        self.polygon(at(CAP_MIDDLE), middle)
        self.box(x, y + 0.36 * size, 0.6 * size, 0.11 * size, 0.04 * size, bells)
        for u, v in ((0.05, 0.64), (0.5, 0.09), (0.95, 0.64)):
            self.disc(left + size * u, top + size * v, 0.085 * size, bells)

    def card(
        self, x: float, y: float, width: float, t: int, edge: Colour = CARD_EDGE, line: float = 1
    ) -> None:
        """A card of type ``t`` face up around the middle (x, y)."""
        height = width * ASPECT
        self.front(x, y, width, edge, line)
        colour = TYPE_COLOURS[t]
        small = width < 40
        if t == JOKER:
            up = 0.0 if small else 0.06
            size = width * (0.74 if small else 0.62)
            self.cap(x, y - up * height, size, CAP_COLOURS)
            if not small:
                size = max(SMALLEST, round(width * 0.17))
                self.text(x, y + 0.33 * height, "joker", size, INK)
            return
        size = max(SMALLEST + 1, round(width * 0.5))
        self.text(x, y - 0.1 * height, NAMES[t], size, INK)
        if small:
            self.box(x, y + 0.34 * height, width * 0.6, 3, 1, colour)
            return
        for k in range(t):
            across = x + (k - (t - 1) / 2) * width * 0.135
            self.disc(across, y + 0.3 * height, width * 0.052, colour)

    def times(self, x: float, y: float, number: int, size: int = 12) -> None:
        self.text(x, y, f"×{number}", size, CREAM)


def render_image(view: View, names: Sequence[str]) -> np.ndarray:
    """The table from one seat as a picture, uint8 (720, 960, 3); ``names`` by relative seat."""
    names = [one_line(name) for name in names]
    picture = _Picture()
    _draw_header(picture, view, names)
    _draw_middle(picture, view, names)
    for seat in range(int(view["players"])):
        _draw_plate(picture, view, seat, names[seat])
    _draw_known(picture, view, names)
    _draw_chain(picture, view, names)
    _draw_hand(picture, view)
    return picture.pixels()


def _draw_header(picture: _Picture, view: View, names: Sequence[str]) -> None:
    where = f"{count(int(view['rejections']), 'rejection')}"
    if view["higher_counts_as_true"]:
        where += "  ·  all higher counts as true"
    picture.header("DTC", where, 130, names[0], 320)
    picture.cap(30, HEADER_HEIGHT / 2, 28, ((176, 130, 220), TYPE_COLOURS[4], (255, 120, 80)))


# -- players ---------------------------------------------------------------------------------------


def _place(view: View, seat: int) -> tuple[float, float]:
    """The middle of a seat's plate."""
    return (MIDDLE, BOTTOM) if seat == 0 else PLATES[int(view["players"])][seat - 1]


def _draw_plate(picture: _Picture, view: View, seat: int, name: str) -> None:
    """Name, cards in hand, penalty pile, and both together."""
    x, y = _place(view, seat)
    actor = to_act(view)
    wins = actor is None and seat in winners(view)
    edge = GOLD if wins or seat == actor else None
    picture.box(x, y, PLATE_WIDTH, PLATE_HEIGHT, 10, (8, 60, 44), edge, 2.5)
    left = x - PLATE_WIDTH / 2
    picture.box(left + 9, y - 24, 6, 18, 3, SEAT_COLOURS[seat])
    picture.name(left + 17, y - 24, PLATE_WIDTH - 27, name, 15, seat == 0, wins)
    held, taken = in_hand(view, seat), int(view["penalty_sizes"][seat])
    backs = min(held, 6)
    for k in range(backs):
        picture.back(left + 18 + 6 * k, y + 5, 14, 0.7)
    picture.text(left + 14 + 6 * max(backs, 1) + 12, y + 5, str(held), 15, CREAM, "l")
    stack = left + 88
    layers = min(6, -(-taken // 3))
    if not layers:
        picture.box(stack + 7, y + 5, 14, 19, 2, (0, 0, 0, 30), (255, 255, 255, 70), 1)
    for k in range(layers):
        picture.box(stack + 7 + 2 * k, y + 5 + (layers / 2 - k), 14, 19, 2, WARNING, INK, 0.7)
    picture.text(stack + 20 + 2 * max(layers - 1, 0), y + 5, str(taken), 15, CREAM, "l")
    total = totals(view)[seat]
    picture.text(left + 158, y + 5, str(total), 15, GOLD if wins else CREAM, "l")
    for along, label in ((11, "in hand"), (88, "penalty"), (158, "in all")):
        picture.text(left + along, y + 29, label, 11, PALE, "l", bold=False)


# -- the middle of the table -----------------------------------------------------------------------


def _draw_middle(picture: _Picture, view: View, names: Sequence[str]) -> None:
    picture.box(CENTRE_X, CENTRE_Y, 560, 300, 150, (255, 255, 255, 12), (255, 255, 255, 26), 2)
    if to_act(view) is None:
        first = winners(view)
        who = names[first[0]] if len(first) == 1 else f"{len(first)} players"
        picture.result(CENTRE_X, CENTRE_Y, who, win_in_words(view), winning_cards(view))
        return
    _draw_pile(picture, view)
    offer = offer_of(view)
    if offer is None:
        _draw_demand(picture, view, names)
    else:
        _draw_offer(picture, view, names, offer)


def _draw_pile(picture: _Picture, view: View) -> None:
    pile = int(view["pile_size"])
    picture.pile(PILE_X, PILE_Y, PILE_WIDTH, min(5, -(-pile // 12)))
    picture.text(PILE_X, PILE_Y + 46, f"Pile: {pile}", 14, CREAM)
    if view["ends"]:
        picture.text(PILE_X, PILE_Y - 8, "empty", 11, WARNING)


def _draw_demand(picture: _Picture, view: View, names: Sequence[str]) -> None:
    """No offer on the table: who is to make which."""
    accepted = to_beat(view)
    giver = names[int(view["to_act"])]
    if accepted is None:
        first, second, third = f"{giver} leads", "any offer", ""
    else:
        first, second, third = f"{giver} has accepted", accepted, "a stronger offer must follow"
    picture.box(OFFER_X, 262, OFFER_ROOM, 96, 14, SHADE, GOLD, 2)
    words, size = fitted(first, 13, OFFER_ROOM - 20, bold=False)
    picture.text(OFFER_X, 236, words, size, CREAM, bold=False)
    words, size = fitted(second, 22, OFFER_ROOM - 20)
    picture.text(OFFER_X, 262, words, size, GOLD)
    picture.text(OFFER_X, 290, third, 11, PALE, bold=False)
    _draw_warning(picture, view, 196)


def _draw_warning(picture: _Picture, view: View, y: float) -> None:
    if view["ends"]:
        picture.text(OFFER_X - 20, y, "The next rejection ends the game", 12, WARNING)


def _draw_offer(picture: _Picture, view: View, names: Sequence[str], offer: Offer) -> None:
    """The cards, what was announced in a speech bubble, and who gives them to whom."""
    own = offer.giver == 0
    bubble_y, cards_y, words_y = (346, 262, 196) if own else (186, 262, 322)
    _draw_bubble(picture, view, offer, bubble_y)
    if own:
        _draw_open(picture, view, cards_y)
    else:
        shown = min(offer.count, 15)
        step = min(20.0, (OFFER_ROOM - 58) / max(shown - 1, 1))
        for k in range(shown):
            picture.back(OFFER_X + (k - (shown - 1) / 2) * step, cards_y, 50, 1)
    challenger = names[seat_after(view, offer.giver)]
    t = asking(view)
    if t is not None:
        first = f"How many {type_name(t)}?"
        second = f"{missing(view)} of {count(offer.count, 'card')} still missing"
    else:
        first = f"to {challenger}"
        second = "must be rejected" if must_reject(view) else "accept or reject?"
        if own:
            second = f"your offer is {'true' if own_offer_is_true(view) else 'false'}"
    words, size = fitted(first, 14, OFFER_ROOM)
    picture.text(OFFER_X, words_y, words, size, GOLD if t is not None else CREAM)
    picture.text(OFFER_X, words_y + 19, second, 12, PALE, bold=False)
    drawn = int(view["fresh"][offer.giver])
    if drawn and not own:
        words = f"drew {count(drawn, 'card')} after it"
        picture.text(OFFER_X, words_y + 36, words, 11, PALE, bold=False)
    _draw_warning(picture, view, 157)


def _draw_bubble(picture: _Picture, view: View, offer: Offer, y: float) -> None:
    """What the giver announces, from its plate."""
    words, size = fitted(str(offer), 20, OFFER_ROOM - 20)
    width = text_width(words, size) + 32
    plate = np.array(_place(view, offer.giver), float)
    room = (BUBBLES_RIGHT - BUBBLES_LEFT - width) / 2
    middle = (BUBBLES_LEFT + BUBBLES_RIGHT) / 2
    x = min(max(OFFER_X + 0.3 * (plate[0] - OFFER_X), middle - room), middle + room)
    away = plate - (x, y)
    to_edge = min(np.array((PLATE_WIDTH, PLATE_HEIGHT)) / 2 / np.maximum(abs(away), 1e-9))
    across = np.array((-away[1], away[0])) / np.hypot(*away) * 11
    tail = (away * (1 - to_edge), across, -across)
    picture.polygon([(x + float(u), y + float(v)) for u, v in tail], CREAM)
    picture.box(x, y, width, 36, 16, CREAM)
    picture.text(x, y, words, size, INK)


def _draw_open(picture: _Picture, view: View, y: float) -> None:
    """The viewer's own offer, of which it sees the cards; those to be chosen yet as outlines."""
    cards = view["offer_cards"]
    still = missing(view)
    if int(view["offer_count"]) <= ONE_BY_ONE:
        shown: list[int | None] = [t for t in range(TYPES) for _ in range(cards[t])]
        shown += [None] * still
        step = min(54.0, (OFFER_ROOM - 50) / max(len(shown) - 1, 1))
        width = 46 if step >= 20 else 40
        for k, t in enumerate(shown):
            x = OFFER_X + (k - (len(shown) - 1) / 2) * step
            if t is None:
                picture.box(x, y, width, width * ASPECT, 5, (0, 40, 28, 160), PALE, 1.2)
            else:
                _draw_slim(picture, x, y, width, t, step)
        return
    types = [t for t in range(TYPES) if cards[t]]
    step = OFFER_ROOM / max(len(types), 5)
    for k, t in enumerate(types):
        x = OFFER_X + (k - (len(types) - 1) / 2) * step
        picture.card(x, y - 8, min(24.0, step - 3), t)
        picture.times(x, y + 22, int(cards[t]), 11)


def _draw_slim(picture: _Picture, x: float, y: float, width: float, t: int, step: float) -> None:
    """A card of a row in which the next one may cover all but ``step`` of it."""
    if step >= width:
        picture.card(x, y, width, t)
        return
    picture.front(x, y, width, CARD_EDGE, 1)
    seen = x - width / 2 + min(step, width) / 2
    if t == JOKER:
        picture.cap(seen, y, min(step, 20) * 0.8, CAP_COLOURS)
    else:
        picture.text(seen, y - 14, NAMES[t], 14, INK)
        picture.box(seen, y + 8, min(step, 20) * 0.5, 3, 1, TYPE_COLOURS[t])


# -- what is known ---------------------------------------------------------------------------------


def _draw_known(picture: _Picture, view: View, names: Sequence[str]) -> None:
    """Cards shown and hidden by type, and what is known of cards passed on."""
    middle, width = (PANEL_LEFT + PANEL_RIGHT) / 2, PANEL_RIGHT - PANEL_LEFT
    picture.box(middle, 110, width, 112, 10, SHADE)
    for t in range(1 + int(view["values"])):
        picture.card(TYPES_LEFT + TYPE_SPACE * t, 78, 21, t)
    for y, label, cards in ((114, "shown", view["shown"]), (133, "elsewhere", elsewhere(view))):
        picture.text(PANEL_LEFT + 10, y, label, 11, PALE, "l", bold=False)
        _draw_counts(picture, view, cards, y)
    words = "elsewhere: neither shown nor yours"
    picture.text(PANEL_LEFT + 10, 153, words, 11, PALE, "l", bold=False)
    known = passed_on(view)
    if not known:
        return
    picture.box(middle, 187 + 20 * len(known), width, 34 + 40 * len(known), 10, SHADE)
    picture.text(PANEL_LEFT + 10, 186, "Cards you passed on, still with", 12, CREAM, "l")
    room = PANEL_RIGHT - PANEL_LEFT - 20
    for row, (seats, cards) in enumerate(known):
        who = listed([names[seat] for seat in seats], "or")
        if 1 < len(seats) == int(view["players"]) - 1:
            who = "the others together"
        y = 207 + 40 * row
        words, size = fitted(who, 12, room, bold=False)
        picture.text(PANEL_LEFT + 10, y, words, size, PALE, "l", bold=False)
        _draw_counts(picture, view, cards, y + 18)


def _draw_counts(picture: _Picture, view: View, cards: np.ndarray, y: float) -> None:
    """Numbers of cards, below the types."""
    for t in range(1 + int(view["values"])):
        number = int(cards[t])
        x = TYPES_LEFT + TYPE_SPACE * t
        picture.text(x, y, str(number) if number else "–", 13, CREAM if number else PALE)


# -- the chain -------------------------------------------------------------------------------------


def _draw_chain(picture: _Picture, view: View, names: Sequence[str]) -> None:
    """The offers in order; each was accepted by the giver of the next."""
    offers = chain_of(view)
    room = IMAGE_WIDTH - 2 * MARGIN
    if not offers:
        return
    lies = offer_of(view) is not None
    texts = [str(offer) for offer in offers]
    with_names = [_chain_name(names[offer.giver]) for offer in offers]
    widths = [
        max(text_width(text, 13), text_width(name, SMALLEST, False)) + 20
        for text, name in zip(texts, with_names, strict=True)
    ]
    title = text_width("Chain", 13) + 14
    picture.text(MARGIN + 4, CHAIN_TOP, "Chain", 13, CREAM, "l")
    if sum(widths) + 16 * len(widths) + title <= room:
        x = MARGIN + title
        for k, offer in enumerate(offers):
            on_table = lies and k == len(offers) - 1
            _draw_label(picture, x, CHAIN_TOP + 15, widths[k], 42, offer, on_table)
            picture.text(x + 13, CHAIN_TOP + 6, with_names[k], SMALLEST, PALE, "l", bold=False)
            picture.text(x + 13, CHAIN_TOP + 24, texts[k], 13, GOLD if on_table else CREAM, "l")
            x += widths[k] + 16
            if k < len(offers) - 1:
                _draw_step(picture, x - 8, CHAIN_TOP + 15)
        return
    _draw_long_chain(picture, offers, lies, title)


def _chain_name(name: str) -> str:
    return fitted(name, SMALLEST, 96, bold=False)[0]


def _draw_label(
    picture: _Picture,
    x: float,
    y: float,
    width: float,
    height: float,
    offer: Offer,
    on_table: bool,
) -> None:
    """The box of an offer, its left edge at x, in its giver's colour."""
    edge = GOLD if on_table else None
    picture.box(x + width / 2, y, width, height, 6, SHADE, edge, 1.6)
    picture.box(x + 6, y, 4, height - 8, 2, SEAT_COLOURS[offer.giver])


def _draw_step(picture: _Picture, x: float, y: float) -> None:
    """From one offer to the next."""
    picture.polygon([(x - 3, y - 5), (x + 4, y), (x - 3, y + 5)], PALE)


def _draw_long_chain(picture: _Picture, offers: Sequence[Offer], lies: bool, title: float) -> None:
    """Labels without names in up to three rows; of a chain longer still, the latest."""
    cell = max(text_width(f"{offer.count} × {offer.value}", 12) for offer in offers) + 34
    in_row = int((IMAGE_WIDTH - 2 * MARGIN - title) // cell)
    left_out = max(0, len(offers) - in_row * CHAIN_ROWS)
    if left_out:
        left_out += 1  # the first place tells how many
        picture.text(MARGIN + title, CHAIN_TOP, f"{left_out} earlier", 11, PALE, "l")
    for k, offer in enumerate(offers[left_out:]):
        row, column = divmod(k + bool(left_out), in_row)
        x, y = MARGIN + title + column * cell, CHAIN_TOP + row * CHAIN_SPACE
        on_table = lies and offer == offers[-1]
        _draw_label(picture, x, y, cell - 14, 18, offer, on_table)
        words = f"{offer.count} × {offer.value}"
        picture.text(x + 13, y, words, 12, GOLD if on_table else CREAM, "l")
        if offer != offers[-1]:
            _draw_step(picture, x + cell - 7, y)


# -- the hand --------------------------------------------------------------------------------------


def _draw_hand(picture: _Picture, view: View) -> None:
    """Each card, or with many cards a stack a type."""
    hand = view["hand"]
    size = int(hand.sum())
    picture.text(HAND_LEFT, HAND_TOP - 14, f"Your hand: {count(size, 'card')}", 15, CREAM, "l")
    prompt = _prompt(view)
    picture.text(HAND_RIGHT, HAND_TOP - 14, prompt, 13, GOLD, "r")
    asked = asking(view)
    types = [t for t in range(TYPES) if hand[t]]
    places = [t for t in types for _ in range(hand[t])] if size <= ONE_BY_ONE else types
    width, space = 84.0, 8
    y = (HAND_TOP + HAND_BOTTOM) / 2 + 2
    step = width + (space if size <= ONE_BY_ONE else 44)
    for k, t in enumerate(places):
        x = (HAND_LEFT + HAND_RIGHT) / 2 + (k - (len(places) - 1) / 2) * step
        edge, line = (GOLD, 4.0) if t == asked else (CARD_EDGE, 1.0)
        if size > ONE_BY_ONE:
            for behind in range(min(int(hand[t]), 5) - 1, 0, -1):
                picture.front(x - 12 + 4 * behind, y - 2 * behind, width, CARD_EDGE, 1)
            picture.card(x - 12, y, width, t, edge, line)
            if hand[t] > 1:
                picture.disc(x + 30, y - 44, 17, INK, CREAM, 1.5)
                picture.times(x + 30, y - 44, int(hand[t]), 14)
        else:
            picture.card(x, y, width, t, edge, line)


def _prompt(view: View) -> str:
    """What the viewer is to do."""
    if to_act(view) != 0:
        return ""
    if view["phase"] == ANNOUNCE:
        accepted = to_beat(view)
        return "Your turn: any offer" if accepted is None else f"Your turn: beat {accepted}"
    if view["phase"] == COMPOSE:
        return f"Your turn: how many {type_name(int(view['asking']) - 1)}?"
    return "Your turn: reject" if must_reject(view) else "Your turn: accept or reject"
