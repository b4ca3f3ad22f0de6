"""Dackel drauf!: one seat's view as a text for a terminal."""

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
    one_line,
    padded,
    shortened,
    wrapped,
)
from cardgames_env.games.dackel_drauf.render_words import (
    SPECIAL_NAMES,
    Card,
    chain_of,
    dice_in_words,
    failed_seats,
    is_over,
    jokers_in_words,
    jokers_wanted,
    last_chain,
    last_is_shown,
    memory_is_shown,
    result_in_words,
    round_in_words,
    the_cards,
    times,
    to_act,
    winners,
    wrong_of,
)
from cardgames_env.games.dackel_drauf.state import (
    ANIMALS,
    CHAIN,
    DICE,
    IN_VAIN,
    JOKERS,
    LOOK,
    RESCUED,
    RIGHT,
    SPECIAL_KINDS,
    WRONG,
)

NAME_WIDTH = 22
LABEL_WIDTH = WIDTH - 6 * len(ANIMALS)  # of what a row by animal is about
KNOWN = (
    "Known: taken back, seen by all; in hand or face down in the chain (after a pass: on the pile)."
)
MARKS = {WRONG: "x", RIGHT: "+", RESCUED: "j", IN_VAIN: "x"}


def render_text(view: View, names: Sequence[str]) -> str:
    """The table from one seat as plain text of at most 80 columns; ``names`` by relative seat."""
    names = [shortened(one_line(name), NAME_WIDTH, columns) for name in names]
    left = f"Dackel drauf!   {round_in_words(view)}"
    blocks = [
        heading(left, shortened(names[0], WIDTH - len(left) - 10, columns)),
        _situation(view, names),
        _players(view, names),
        _by_animal(view, names),
        _specials(view),
    ]
    if view["chain_length"]:
        blocks.append(_chain(view, names))
    if last_is_shown(view):
        blocks.append(_last_round(view, names))
    return joined(blocks)


# -- what is asked ---------------------------------------------------------------------------------


def _situation(view: View, names: Sequence[str]) -> list[str]:
    """What is asked of whom, and what the viewer remembers, a sentence or two a line."""
    if is_over(view):
        sentences = [f"Game over: {result_in_words(view, names)}"]
    elif view["phase"] == LOOK:
        sentences = _to_look(view, names)
    elif view["phase"] == CHAIN:
        sentences = _to_play(view, names)
    else:
        sentences = _to_rescue(view, names)
    if view["phase"] in (LOOK, CHAIN):
        sentences.append(_memory(view))
    aim = count(int(view["win_threshold"]), "card")
    sentences.append(f"Who has {aim} left or fewer after a round wins; the fewest count.")
    if view["takeback"]:
        sentences.append(
            "Variant: with a wrong card one is out at once, and the dice of one's cards are free again."
        )
    return [line for sentence in sentences for line in wrapped(sentence)]


def _to_look(view: View, names: Sequence[str]) -> list[str]:
    starter = names[int(view["starter"])]
    return [
        f"The lid is open: tick {int(view['ticks'])} of at most {int(view['max_looks'])}. "
        f"{starter} keeps it open or closes it."
    ]


def _to_play(view: View, names: Sequence[str]) -> list[str]:
    lid = f"The lid is shut, after {count(int(view['ticks']), 'tick')}."
    if view["again"]:
        return [f"{lid} {names[0]} plays another card with an extra card or ends the turn."]
    actor = to_act(view)
    assert actor is not None
    return [f"{lid} {names[actor]} plays a card or passes."]


def _to_rescue(view: View, names: Sequence[str]) -> list[str]:
    sentences = [
        f"The showdown, after {count(int(view['ticks']), 'tick')} of the look. "
        f"The dice: {dice_in_words(view['dice'])}."
    ]
    wanted = jokers_wanted(view)
    if wanted:
        jokers = jokers_in_words(len(wanted))
        sentences.append(f"{names[0]} uses {jokers} for {the_cards(wanted)} or declines.")
    else:
        sentences.append("Another player decides about joker dice; who, is not told.")
    return sentences


def _memory(view: View) -> str:
    """The dice that the viewer remembers."""
    if not memory_is_shown(view):
        return "What you remember of the dice is not shown now (memory='agent')."
    number = int(view["remembered"].sum())
    if number == 0:
        return f"You remember none of the {DICE} dice."
    return f"You remember {number} of {DICE} dice: {dice_in_words(view['remembered'])}."


# -- players and cards -----------------------------------------------------------------------------


def _players(view: View, names: Sequence[str]) -> list[str]:
    lines = [f"  {'Player':{NAME_WIDTH}}  Left  In hand  Special cards"]
    actor = to_act(view)
    for seat in range(int(view["players"])):
        name = names[seat]
        if seat == 0:
            name = shortened(name, NAME_WIDTH - len(" (you)"), columns) + " (you)"
        mark = ">" if seat == actor else " "
        held = "-" if is_over(view) else str(int(view["hand_sizes"][seat]))
        if is_over(view):
            note = "wins" if seat in winners(view) else ""
        elif view["passed"][seat]:
            held, note = "-", _passed(view, seat)
        else:
            note = "starts" if seat == view["starter"] else ""
        line = f"{mark} {padded(name, NAME_WIDTH)}  {int(view['cards_left'][seat]):4}  {held:>7}"
        lines.append(f"{line}  {_special(view, seat):24} {note}")
    if actor is not None:
        lines.append("> is to act.")
    return lines


def _passed(view: View, seat: int) -> str:
    started = ", starts" if seat == view["starter"] else ""
    return f"passed{started}"


def _special(view: View, seat: int) -> str:
    """``2: extra, joker``; ``3: joker, ? x2``; ``-``."""
    number = int(view["special_counts"][seat])
    if number == 0:
        return "-"
    kinds = view["special"] if seat == 0 else view["special_known"][seat]
    known = _kinds(kinds)
    unknown = number - len(known)
    return f"{number}: " + times([*known, *["?"] * unknown])


def _kinds(kinds: np.ndarray) -> list[str]:
    short = ("extra", "down", "joker")
    return [short[kind] for kind in range(SPECIAL_KINDS) for _ in range(int(kinds[kind]))]


def _by_animal(view: View, names: Sequence[str]) -> list[str]:
    """Dice and cards by animal."""
    lines = [f"{'By animal':{LABEL_WIDTH}}" + "".join(f"{name:>6}" for name in ANIMALS)]
    rows: list[tuple[str, np.ndarray]] = []
    if view["phase"] in (LOOK, CHAIN) and memory_is_shown(view):
        rows.append(("Dice you remember", view["remembered"]))
    elif view["phase"] == JOKERS:
        rows.append(("Dice", view["dice"]))
    if not is_over(view):
        passed = view["passed"][0]
        rows.append(("Not played (on the pile)" if passed else "Your hand", view["hand"]))
    for seat in range(int(view["players"])):
        rows.append((f"Left: {names[seat]}", view["left"][seat]))
        if seat > 0 and view["known"][seat].any():
            rows.append(("  known to be there", view["known"][seat]))
    for label, numbers in rows:
        label = shortened(label, LABEL_WIDTH, columns)
        lines.append(
            padded(label, LABEL_WIDTH) + "".join(f"{int(n) or '.':>6}" for n in numbers.tolist())
        )
    if view["known"].any():
        lines += wrapped(KNOWN)
    return lines


def _specials(view: View) -> list[str]:
    size = int(view["special_size"])
    pile = f"Special pile: {count(size, 'card')}"
    kinds = view["special_pile"][:size].tolist()
    if any(kinds):
        short = ("?", "extra", "down", "joker")
        pile += f", next first: {', '.join(short[kind] for kind in kinds)}"
    sentences = [f"{pile}."]
    used = [SPECIAL_NAMES[kind - 1] for kind in view["used"].tolist() if kind]
    if used:
        sentences.append(f"Used in this round, in order: {', '.join(used)}.")
    return [line for sentence in sentences for line in wrapped(sentence)]


# -- the chain, and the round before ---------------------------------------------------------------


def _chain(view: View, names: Sequence[str]) -> list[str]:
    """The cards below their owners, numbered in order, a line for each time around the table."""
    n = int(view["players"])
    cell = min(WIDTH // n, NAME_WIDTH + 2)
    heads = [padded(shortened(name, cell - 2, columns), cell) for name in names[:n]]
    cards = chain_of(view)
    rows: list[list[str]] = []
    last = n
    for card in cards:
        if card.seat <= last:
            rows.append([""] * n)
        rows[-1][card.seat] = _card(card)
        last = card.seat
    title = "The chain in order; [ ] face down"
    if any(card.mark for card in cards):
        title += "; + right, x wrong, j by a joker die"
    lines = ["".join(f"{c:{cell}}" for c in row) for row in rows]
    return [f"{title}:", "".join(heads), *lines]


def _card(card: Card) -> str:
    animal = f"[{_animal(card)}]" if card.down else _animal(card)
    return f"{card.number:2} {animal} {MARKS.get(card.mark, '')}"


def _last_round(view: View, names: Sequence[str]) -> list[str]:
    """The showdown of the round before; when the game is over, of the last round."""
    title = "The last showdown" if is_over(view) else "The showdown of the round before"
    sentences = [f"{title}: the dice were {dice_in_words(view['last_dice'])}."]
    cards = last_chain(view)
    if cards:
        sentences[0] += " Numbers are places in the chain."
    failed = failed_seats(cards)
    for seat in range(int(view["players"])):
        own = [card for card in cards if card.seat == seat]
        rescued = [card for card in own if card.mark == RESCUED]
        if seat in failed:
            what = "was out with" if view["takeback"] else "had wrong"
            sentences.append(f"{names[seat]} {what} {_numbered(wrong_of(cards, seat))}.")
        elif own:
            by = f"; by joker dice: {_numbered(rescued)}" if rescued else ""
            sentences.append(f"{names[seat]} was right with {_numbered(own)}{by}.")
        else:
            sentences.append(f"{names[seat]} had played nothing.")
    return [line for sentence in sentences for line in wrapped(sentence)]


def _numbered(cards: Sequence[Card]) -> str:
    """``3 pig, 6 hare``, as in the chain."""
    return ", ".join(f"{card.number} {_animal(card)}" for card in cards)


def _animal(card: Card) -> str:
    return "?" if card.animal is None else ANIMALS[card.animal]
