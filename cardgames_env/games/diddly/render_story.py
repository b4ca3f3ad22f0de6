"""Diddly: what happened between two views of a seat, in words, from views alone."""

from __future__ import annotations

from collections.abc import Sequence
from string import Formatter

from cardgames_env.core.drawing import View, count, listed, one_line
from cardgames_env.games.diddly.render_courses import Event, courses
from cardgames_env.games.diddly.render_words import (
    card_name,
    finished,
    in_hand,
    last_turns,
    points_in_words,
    result_in_words,
    rounds_scored,
    totals,
)
from cardgames_env.games.diddly.state import FINISHED, NOTHING_IN_HAND, SHOWN

UNSURE = "{who} swaps two cards or none; which, the cards do not show."
NO_TRACE = "{who} swaps no cards, or two that look alike."
PEEKS, TAKES = "{who} peeks at a card.", "{who} takes a card."
#: How each kind of event is told, from the fullest sentence to the vaguest; ``own`` is a card that only
#: who acts sees.
SENTENCES = {
    "deal": ("{who} deals. {card} is the first discard.", "{who} deals."),
    "turn up": (
        "{who} turns up {card} at {at}.",
        "{who} turns up {card}.",
        "{who} turns up a card.",
    ),
    "peek": ("{who} peeks at {at}: {own}.", "{who} peeks at {at}.", PEEKS),
    "peek again": ("{who} peeks again at a card seen before.", PEEKS),
    "swap": ("{who} swaps positions {position} and {other}.", UNSURE),
    "no swap": (NO_TRACE, UNSURE),
    "decline": ("{who} declines to swap.", NO_TRACE, UNSURE),
    "draw": ("{who} draws {own} from the deck.", "{who} draws from the deck.", TAKES),
    "renew": ("The deck is empty: the discards but the top one are shuffled and become the deck.",),
    "take": (
        "{who} takes {card} from the discard pile.",
        "{who} takes a card from the discard pile.",
        TAKES,
    ),
    "recycle": (
        "{who} recycles: {card} comes from the discard pile.",
        "{who} takes {card} from the discard pile.",
        "{who} recycles.",
        "{who} takes a card from the discard pile.",
        TAKES,
    ),
    "place": (
        "{who} places {card} at {at} and discards {discarded}.",
        "{who} places {card} at {at}.",
        "{who} places {card} and discards {discarded}.",
        "{who} places a card at {at}.",
        "{who} places {card}.",
        "{who} places a card.",
    ),
    "finish": ("{who} is finished: all its cards lie face up.",),
}


def describe(before: View, after: View, names: Sequence[str]) -> list[str]:
    """What happened between two views of one seat in one game; a sentence each.

    The views may lie any number of actions apart. What is told is what all courses of events that lead
    from one to the other have in common; of too many turns at once only their number is told.
    """
    names = [one_line(name) for name in names]
    scored = _rounds_between(before, after)
    if scored == 0:
        return _told(before, after, names)
    told: list[str] = []
    if after["phase"] == FINISHED and scored == 1:
        told += _told(before, after, names)
    else:
        told += _end_of_round(before, names)
    told += _scored(before, after, scored, names)
    if after["phase"] == FINISHED:
        told.append(f"The game is over: {result_in_words(after, names)}")
    else:
        told += _told(None, after, names)
    return told


def _rounds_between(before: View, after: View) -> int:
    """Rounds scored between the views; of those beyond the bound of a view, at least one if any."""
    by_number = rounds_scored(after) - rounds_scored(before)
    by_left = int(before["rounds_left"]) - int(after["rounds_left"])
    over = int(before["phase"] != FINISHED and after["phase"] == FINISHED)
    dealers = int(before["dealer"] != after["dealer"])
    return max(by_number, by_left + over, dealers)


def _told(before: View | None, after: View, names: Sequence[str]) -> list[str]:
    """What is certain of each event that is certain, in as much detail as all possibilities share."""
    history = courses(before, after)
    if history is None:
        return _turns_taken(before, after, names)
    told = []
    for _, events in sorted(history.items()):
        versions = [[] if event is None else _versions(event, names) for event in events]
        for sentence in versions[0]:
            if all(sentence in version for version in versions):
                told.append(sentence)
                break
    return told


def _versions(event: Event, names: Sequence[str]) -> list[str]:
    """Sentences that tell of an event, from the fullest to the vaguest; only what is seen is named."""
    words = {
        "who": names[event.seat],
        "at": f"position {event.position}",
        "position": str(event.position),
        "other": str(event.other),
    }
    if event.card > 0:
        words["card"] = card_name(event.card)
        if event.seat == 0:
            words["own"] = words["card"]
    if event.discarded > 0:
        words["discarded"] = card_name(event.discarded)
    versions = []
    for sentence in SENTENCES[event.kind]:
        needed = {field for _, field, _, _ in Formatter().parse(sentence) if field}
        if needed <= set(words):
            versions.append(sentence.format(**words))
    return versions


def _turns_taken(before: View | None, after: View, names: Sequence[str]) -> list[str]:
    """Of too much at once: how many turns each player has taken."""
    n = int(after["players"])
    taken = after["turns"][:n] - (0 if before is None else before["turns"][:n])
    told = []
    for seat in range(n):
        if taken[seat] > 0 and after["turns"][seat] < SHOWN:
            told.append(f"{names[seat]} takes {count(int(taken[seat]), 'turn')}.")
    first = finished(after)
    if first is not None and (before is None or finished(before) is None):
        told.append(f"{names[first]} is finished: all its cards lie face up.")
    return told


def _end_of_round(before: View, names: Sequence[str]) -> list[str]:
    """What is certain of a round whose end is not seen, since the next one has been dealt."""
    actor = int(before["to_act"])
    card = in_hand(before)
    told = []
    if before["source"] != NOTHING_IN_HAND:
        told.append(f"{names[actor]} places {card_name(card) if card else 'the card drawn'}.")
    following = last_turns(before)[1 if told else 0 :]
    if following:
        verb = "has its last turn" if len(following) == 1 else "have their last turns"
        told.append(f"{listed([names[seat] for seat in following])} {verb}.")
    return told


def _scored(before: View, after: View, scored: int, names: Sequence[str]) -> list[str]:
    number = int(before["round_number"])
    if scored == 1 and number < SHOWN:
        told = [f"Round {number} is over."]
        in_round = ""
    elif scored == 1:
        told = ["The round is over."]
        in_round = ""
    else:
        told = [f"{scored} rounds are over."]
        in_round = " in the last"
    for seat, total in enumerate(totals(after)):
        points = int(after["last_scores"][seat])
        in_all = f"; {points_in_words(total)} in all" if total != points else ""
        told.append(f"{names[seat]} scores {points}{in_round}{in_all}.")
    return told
