"""Diddly: the courses of events that may lead from one view of a seat to another.

They are found by playing on from the first view in all ways that the rules allow and the second view
does not exclude. A card that is not seen is a *token*, a negative number; where it is seen later tells
what it was. More courses than are possible may be found (what a renewed deck holds is not looked at),
never fewer. Swaps that leave no trace are one event. Cards are numbered as in views: 1 + type.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

from cardgames_env.core.drawing import View
from cardgames_env.games.diddly import state
from cardgames_env.games.diddly.render_words import in_hand, places
from cardgames_env.games.diddly.state import (
    CARDS,
    DRAW,
    EXCHANGE,
    FACE_DOWN,
    FACE_UP,
    FINISHED,
    FROM_DECK,
    FROM_DISCARD,
    LOOK_AT,
    NOTHING_IN_HAND,
    PEEKED,
    PLACE,
    RECYCLED,
    SHOWN,
    TURN_UP,
)

PEEK, SWAP, RECYCLE = 1 + state.PEEK, 1 + state.SWAP, 1 + state.RECYCLE
MOST_MOMENTS = 2000  # that are looked at

MOST_CHANGES = 3  # of cards of a board in one turn: a swap, and a card placed
#: What there is to tell of a go, in order.
PARTS = ("deal", "turn up", "renew", "take", "effect", "place", "finish")

Card = tuple[int, int]  # a card of a board and how it lies
Board = tuple[Card, ...]
#: The place of an event in a course: whose go, counted from the begin of the round, which of the parts,
#: and the how manieth of that part.
Key = tuple[int, int, int]


@dataclass(frozen=True)
class Event:
    """What a seat did: ``kind``, a card, one position or two, and the card that it discarded."""

    kind: str
    seat: int
    card: int = 0
    position: int = -1
    other: int = -1
    discarded: int = 0


#: By the place of an event, what it may have been; None: it may not have been at all.
History = dict[Key, frozenset[Event | None]]


@dataclass(frozen=True)
class Moment:
    """What all see, with tokens for the cards that are not seen, and what the last action was."""

    boards: tuple[Board, ...]
    pile: tuple[int, ...]  # top card first
    deck: int
    phase: int
    seat: int
    source: int
    hand: int
    pending: tuple[int, ...]
    turns: tuple[int, ...]
    finished: int  # or -1
    dealer: int
    max_turns: int
    tokens: int  # so many were given out
    plain: frozenset[int] = frozenset()  # tokens that are neither Peek nor Swap
    bound: tuple[tuple[int, int], ...] = ()  # tokens, and what they turned out to be
    events: tuple[tuple[Key, Event], ...] = ()

    def __hash__(self) -> int:  # of few fields, since it is the costliest step
        return hash((self.boards, self.pile, self.hand))

    @property
    def go(self) -> int:
        """Whose go it is, counted from the begin of the round: set-ups, then turns."""
        n = len(self.boards)
        if self.phase == TURN_UP or (
            self.phase in (LOOK_AT, EXCHANGE) and self.source == NOTHING_IN_HAND
        ):
            return (self.seat - self.dealer - 1) % n
        return n + sum(self.turns)

    @property
    def progress(self) -> tuple[int, int]:
        """How far the go is: the cards turned up, then the effects to come; or draw, effect, place."""
        if self.phase == TURN_UP:
            return sum(lies == FACE_UP for _, lies in self.board), 0
        if self.go < len(self.boards):
            return 2, 2 - len(self.pending)
        return {DRAW: 0, LOOK_AT: 1, EXCHANGE: 1, PLACE: 2, FINISHED: 3}[self.phase], 0

    @property
    def board(self) -> Board:
        return self.boards[self.seat]

    @property
    def rank(self) -> tuple[int, int, int]:
        """Grows with every action."""
        return self.go, *self.progress

    def then(self, part: str, kind: str, **about: int) -> Moment:
        """With one more event of the seat to act."""
        number = 0
        if part == "turn up":
            number = about["position"]  # in which order, the cards do not tell
        elif self.go < len(self.boards):
            number = len(self.board) - len(self.pending)
        event = ((self.go, PARTS.index(part), number), Event(kind, self.seat, **about))
        return replace(self, events=(*self.events, event))

    def laid(self, cards: dict[int, Card]) -> Moment:
        """With these cards at positions of the board of the seat to act."""
        board = tuple(cards.get(k, card) for k, card in enumerate(self.board))
        return replace(
            self, boards=(*self.boards[: self.seat], board, *self.boards[self.seat + 1 :])
        )


# -- from views ------------------------------------------------------------------------------------


def courses(before: View | None, after: View) -> History | None:
    """All that may have happened between two views of one round; ``before`` None is its begin.

    By the place of an event in the course of events, what it may have been; None: perhaps nothing.
    None if there is too much to look at, or if the views count too far.
    """
    if before is None:
        first = _dealt(after)
        history: History = {
            (-1, PARTS.index("deal"), 0): frozenset({Event("deal", first.dealer, first.pile[0])})
        }
    else:
        first, history = _moment(before), {}
    if max(first.turns) >= SHOWN or after["turns"].max() >= SHOWN:
        return None
    end = _End(after)
    #: Moments to go on from, by their rank, each with what may have happened before.
    waiting: dict[tuple[int, int, int], dict[Moment, History]] = {}
    _add(waiting, first, history)
    reached: History | None = None
    looked_at = 0
    while waiting:
        for moment, history in waiting.pop(min(waiting)).items():
            if looked_at > MOST_MOMENTS:
                return None
            bound = end.reached(moment)
            if bound is not None:
                reached = _either(reached, _resolved(history, bound))
            if bound is not None or end.is_missed(moment):
                continue
            for following in _actions(moment, end):
                looked_at += 1
                if end.may_follow(moment, following):
                    _add(waiting, following, history)
    return reached


def _add(
    waiting: dict[tuple[int, int, int], dict[Moment, History]], moment: Moment, history: History
) -> None:
    """Let a moment wait, with the history of the one before it and its own events."""
    history = _resolved(history, dict(moment.bound)) if moment.bound else dict(history)
    history |= {key: frozenset({event}) for key, event in moment.events}
    moment = replace(moment, events=(), bound=())
    moments = waiting.setdefault(moment.rank, {})
    moments[moment] = _either(moments.get(moment), history)


def _either(one: History | None, other: History) -> History:
    """What may have happened if either history is true."""
    if one is None:
        return other
    nothing = frozenset({None})
    return {key: one.get(key, nothing) | other.get(key, nothing) for key in {**one, **other}}


def _resolved(history: History, bound: dict[int, int]) -> History:
    """With the cards that tokens turned out to be."""

    def seen(event: Event | None) -> Event | None:
        if event is None:
            return None
        card, discarded = (bound.get(c, c) for c in (event.card, event.discarded))
        return replace(event, card=card, discarded=discarded)

    return {key: frozenset(map(seen, events)) for key, events in history.items()}


def _moment(view: View) -> Moment:
    n = int(view["players"])
    tokens = 0
    boards = []
    for seat in range(n):
        board = []
        for k in range(places(view)):
            card = int(view["boards"][seat, k])
            if not card:
                tokens += 1
                card = -tokens
            lies = FACE_DOWN
            if view["face_up"][seat, k]:
                lies = FACE_UP
            elif view["peeked"][seat, k]:
                lies = PEEKED
            board.append((card, lies))
        boards.append(tuple(board))
    hand = in_hand(view)
    if view["source"] != NOTHING_IN_HAND and not hand:
        tokens += 1
        hand = -tokens
    return Moment(
        boards=tuple(boards),
        pile=tuple(view["discard"][: int(view["discard_size"])].tolist()),
        deck=int(view["deck_size"]),
        phase=int(view["phase"]),
        seat=int(view["to_act"]),
        source=int(view["source"]),
        hand=hand,
        pending=_pending(view),
        turns=tuple(view["turns"][:n].tolist()),
        finished=int(view["finished"]) - 1,
        dealer=int(view["dealer"]),
        max_turns=int(view["turns"][0] + view["turns_left"]),
        tokens=tokens,
    )


def _pending(view: View) -> tuple[int, ...]:
    return tuple(int(card) for card in view["pending"] if card)


def _dealt(after: View) -> Moment:
    """The begin of the round of a view."""
    n, cards = int(after["players"]), places(after)
    tokens = n * cards + 1
    boards = tuple(
        tuple((-1 - seat * cards - k, FACE_DOWN) for k in range(cards)) for seat in range(n)
    )
    dealer = int(after["dealer"])
    return Moment(
        boards=boards,
        pile=(-tokens,),
        deck=CARDS - tokens,
        phase=TURN_UP,
        seat=(dealer + 1) % n,
        source=NOTHING_IN_HAND,
        hand=0,
        pending=(),
        turns=(0,) * n,
        finished=-1,
        dealer=dealer,
        max_turns=int(after["turns"][0] + after["turns_left"]),
        tokens=tokens,
    )


class _End:
    """The second view, and what it excludes."""

    def __init__(self, view: View) -> None:
        self.over = bool(view["phase"] == FINISHED)
        self.moment = _moment(view)
        self.shown = [set(view["boards"][seat].tolist()) for seat in range(len(self.moment.boards))]

    def may_show(self, moment: Moment, card: int) -> bool:
        """Whether the seat to act may leave a card face up on its board."""
        last_go = moment.turns[moment.seat] + (moment.go >= len(moment.boards))
        stays = last_go == self.moment.turns[moment.seat] and self._is_done(moment.seat)
        return not stays or card < 0 or card in self.shown[moment.seat]

    def _is_done(self, seat: int) -> bool:
        """Whether its board does not change any more between its last go and the second view."""
        return self.over or seat != self.moment.seat or self.moment.phase == DRAW

    def is_missed(self, moment: Moment) -> bool:
        """Whether a moment that is not the second view's lies as far on."""
        if moment.go != self.moment.go:
            return moment.go > self.moment.go
        return moment.progress >= self.moment.progress

    def may_follow(self, moment: Moment, following: Moment) -> bool:
        """Whether the second view may still come; ``moment`` is the one before ``following``."""
        seat = moment.seat
        turns_left = self.moment.turns[seat] - following.turns[seat]
        if turns_left < 0:
            return False
        if following.go == self.moment.go and not self.over:
            return True
        changes = MOST_CHANGES * turns_left
        if not self._is_done(seat):
            changes += MOST_CHANGES
        if following.go == moment.go:
            changes += self._changes(following)
        return self._differences(following, seat) <= changes

    def _changes(self, moment: Moment) -> int:
        """How many cards of its board the seat to act may still change in this go of it, at most.

        Less those of a turn, if it is its turn, which counts as one to come.
        """
        if moment.go >= len(moment.boards):
            return {DRAW: 0, EXCHANGE: 0, LOOK_AT: -1, PLACE: -2, FINISHED: 0}[moment.phase]
        effects = {SWAP: 2, PEEK: 1}
        changes = sum(effects[card] for card in moment.pending)
        if moment.phase == TURN_UP:
            effect = 1 + self.may_show(moment, SWAP)
            changes += (2 - sum(moment.progress)) * (1 + effect)
        return changes

    def _differences(self, moment: Moment, seat: int) -> int:
        """How many cards of a board are not as the second view shows them."""
        return sum(
            (lies != lies_now and not self.over) or not _may_be(moment, card, card_now)
            for (card, lies), (card_now, lies_now) in zip(
                moment.boards[seat], self.moment.boards[seat], strict=True
            )
        )

    def reached(self, moment: Moment) -> dict[int, int] | None:
        """What the tokens are, if the moment is that of the second view; else None."""
        end = self.moment
        if (
            (moment.phase, moment.source, moment.pending, moment.turns, moment.deck)
            != (end.phase, end.source, end.pending, end.turns, end.deck)
            or moment.finished != end.finished
            or len(moment.pile) != len(end.pile)
            or not (self.over or moment.seat == end.seat)
        ):
            return None
        pairs = [*zip(moment.pile, end.pile, strict=True), (moment.hand, end.hand)]
        for seat, board in enumerate(moment.boards):
            if self._differences(moment, seat):
                return None
            cards_now = self.moment.boards[seat]
            pairs += [(card, now) for (card, _), (now, _) in zip(board, cards_now, strict=True)]
        if not all(_may_be(moment, card, now) for card, now in pairs):
            return None
        return {card: now for card, now in pairs if card < 0 < now}


def _may_be(moment: Moment, card: int, now: int) -> bool:
    """Whether a card, or a token, is what the second view shows (a token, if it does not)."""
    if card < 0:
        return not (card in moment.plain and now in (PEEK, SWAP))
    return card == now or now < 0


# -- the rules, with tokens ------------------------------------------------------------------------


def _actions(moment: Moment, end: _End) -> Iterator[Moment]:
    """The moments that may follow."""
    if moment.phase == TURN_UP:
        yield from _turn_up(moment, end)
    elif moment.phase == LOOK_AT:
        for following in _look_at(moment):
            yield from _effect_done(following)
    elif moment.phase == EXCHANGE:
        for following in _exchange(moment):
            yield from _effect_done(following)
    elif moment.phase == DRAW:
        yield from _take(moment, end)
    elif moment.phase == PLACE:
        for k in range(len(moment.board)):
            if moment.source != RECYCLED or _may_be_recycle(moment, k):
                yield _place(moment, k)


def _revealed(moment: Moment, card: int, end: _End) -> Iterator[tuple[Moment, int]]:
    """A card that comes to be seen, by its effect at least: Peek, Swap or another."""
    if card > 0 or card in moment.plain:
        if end.may_show(moment, card):
            yield moment, card
        return
    yield replace(moment, plain=moment.plain | {card}), card
    for effect in (PEEK, SWAP):
        if end.may_show(moment, effect):
            yield replace(moment, bound=((card, effect),)), effect


def _turn_up(moment: Moment, end: _End) -> Iterator[Moment]:
    for k, (token, lies) in enumerate(moment.board):
        if lies == FACE_UP:
            continue
        for following, card in _revealed(moment, token, end):
            following = following.laid({k: (card, FACE_UP)})
            following = following.then("turn up", "turn up", card=card, position=k)
            if card in (PEEK, SWAP):
                following = replace(following, pending=(*following.pending, card))
            turned = sum(lies == FACE_UP for _, lies in following.board)
            yield _go_on_setting_up(following) if turned == 2 else following


def _go_on_setting_up(moment: Moment) -> Moment:
    if moment.pending:
        return replace(moment, phase=LOOK_AT if moment.pending[0] == PEEK else EXCHANGE)
    following = (moment.seat + 1) % len(moment.boards)
    phase = DRAW if moment.seat == moment.dealer else TURN_UP
    return replace(moment, seat=following, phase=phase)


def _look_at(moment: Moment) -> Iterator[Moment]:
    seen = [k for k, (_, lies) in enumerate(moment.board) if lies == PEEKED]
    for k, (card, lies) in enumerate(moment.board):
        if lies == FACE_DOWN or seen == [k]:
            yield moment.laid({k: (card, PEEKED)}).then("effect", "peek", card=card, position=k)
    if len(seen) > 1:
        yield moment.then("effect", "peek again")


def _exchange(moment: Moment) -> Iterator[Moment]:
    no_trace = False
    for i, j in combinations(range(len(moment.board)), 2):
        if _look_alike(moment.seat, moment.board[i], moment.board[j]):
            no_trace = True
        else:
            swapped = moment.laid({i: moment.board[j], j: moment.board[i]})
            yield swapped.then("effect", "swap", position=i, other=j)
    yield moment.then("effect", "no swap" if no_trace else "decline")


def _look_alike(seat: int, one: Card, other: Card) -> bool:
    """Whether the viewer cannot tell that the two have changed places."""
    if one[1] != other[1]:
        return False
    return one[0] == other[0] or one[1] == FACE_DOWN or (one[1] == PEEKED and seat != 0)


def _effect_done(moment: Moment) -> Iterator[Moment]:
    if moment.source == NOTHING_IN_HAND:
        yield _go_on_setting_up(replace(moment, pending=moment.pending[1:]))
    else:
        yield from _begin_placing(moment)


def _take(moment: Moment, end: _End) -> Iterator[Moment]:
    """From the deck, the top discard, or any discard by recycling."""
    drawing = moment
    if moment.deck == 0:  # D6
        drawing = replace(moment, deck=len(moment.pile) - 1, pile=moment.pile[:1]).then(
            "renew", "renew"
        )
    token = -drawing.tokens - 1
    drawing = replace(drawing, deck=drawing.deck - 1, tokens=drawing.tokens + 1, source=FROM_DECK)
    for following, card in _revealed(drawing, token, end):
        yield from _begin_effect(replace(following, hand=card).then("take", "draw", card=card))
    yield from _take_discard(moment, 0, FROM_DISCARD, "take", end)
    if any(_may_be_recycle(moment, k) for k in range(len(moment.board))):
        for where, card in enumerate(moment.pile):
            if card < 0 or card not in moment.pile[:where]:  # D5
                yield from _take_discard(moment, where, RECYCLED, "recycle", end)


def _take_discard(
    moment: Moment, where: int, source: int, kind: str, end: _End
) -> Iterator[Moment]:
    pile = moment.pile[:where] + moment.pile[where + 1 :]
    taken = replace(moment, pile=pile, source=source)
    for following, card in _revealed(taken, moment.pile[where], end):
        yield from _begin_effect(replace(following, hand=card).then("take", kind, card=card))


def _begin_effect(moment: Moment) -> Iterator[Moment]:
    """The effect of the card in hand, or of a Peek with one card to look at the look itself (D4)."""
    if moment.hand == SWAP:
        yield replace(moment, phase=EXCHANGE)
        return
    down = [k for k, (_, lies) in enumerate(moment.board) if lies != FACE_UP]
    if moment.hand == PEEK and len(down) > 1:
        yield replace(moment, phase=LOOK_AT)
        return
    if moment.hand == PEEK and down:
        card = moment.board[down[0]][0]
        moment = moment.laid({down[0]: (card, PEEKED)})
        moment = moment.then("effect", "peek", card=card, position=down[0])
    yield from _begin_placing(moment)


def _may_be_recycle(moment: Moment, k: int) -> bool:
    card, lies = moment.board[k]
    return lies == FACE_UP and (card == RECYCLE or card < 0)


def _begin_placing(moment: Moment) -> Iterator[Moment]:
    """A recycled card takes the place of the only Recycle unasked."""
    recycles = [k for k in range(len(moment.board)) if _may_be_recycle(moment, k)]
    if moment.source != RECYCLED or len(recycles) > 1:
        yield replace(moment, phase=PLACE)
    certain = sum(moment.board[k][0] == RECYCLE for k in recycles)
    if moment.source == RECYCLED and certain < 2:
        for k in recycles:
            yield _place(moment, k)


def _place(moment: Moment, k: int) -> Moment:
    """The end of a turn, and perhaps of the round."""
    replaced = moment.board[k][0]
    seat, n = moment.seat, len(moment.boards)
    if moment.source == RECYCLED and replaced < 0:
        moment = replace(moment, bound=(*moment.bound, (replaced, RECYCLE)))
        replaced = RECYCLE
    placed = moment.laid({k: (moment.hand, FACE_UP)})
    placed = placed.then("place", "place", card=moment.hand, position=k, discarded=replaced)
    turns = tuple(taken + (p == seat) for p, taken in enumerate(moment.turns))
    first = moment.finished
    if first < 0 and all(lies == FACE_UP for _, lies in placed.board):
        first = seat
        placed = placed.then("finish", "finish")
    following = (seat + 1) % n
    ends = following == first or (seat == moment.dealer and turns[seat] == moment.max_turns)
    return replace(
        placed,
        pile=(replaced, *moment.pile),
        hand=0,
        source=NOTHING_IN_HAND,
        turns=turns,
        finished=first,
        phase=FINISHED if ends else DRAW,
        seat=0 if ends else following,
        boards=tuple(
            tuple((card, FACE_UP if ends else lies) for card, lies in board)
            for board in placed.boards
        ),
    )
