"""What a player reads and sees of Diddly: text, picture, and what happened told in words."""

import random
import re
import subprocess
import sys
from collections import Counter
from functools import lru_cache
from itertools import combinations

import numpy as np
import pytest

from cardgames_env.core import drawing
from cardgames_env.core.game import apply_row, deal_row, legal_row, look_row, to_act_row
from cardgames_env.games.diddly import GAME, render, render_words
from tests.pictures import check_words, words_in_picture

NAMES = [f"player_{seat}" for seat in range(8)]
LONG_NAMES = [
    "the_extraordinarily_long_named_search_agent_0",
    "mcts_determinized_1000_simulations_variant_a",
    "Wilhelmina Wolkenbruch von Hohenstein zu Weit",
    "W" * 70,
    "x",
    "another name that is long",
    "m" * 30,
    "yet another agent with very many words in its name",
]
ODD_NAMES = [
    "a\nb",
    "$x_1$ \\frac",
    "\x1b[31mred",
    "",
    "名前の長いプレイヤーの名前の長い",
    "é",
    "\t",
    "%s",
]
CARDS = [*map(str, range(1, 11)), "Diddly", "Swap", "Half", "Peek", "Recycle"]
SWAP, HALF, PEEK, RECYCLE = 11, 12, 13, 14
DRAW, TAKE, FIRST_RECYCLE, DECLINE, FIRST_SWAP = 8, 9, 10, 25, 26
PAIRS = list(combinations(range(8), 2))
SIZES = [(2, 3), (4, 3), (8, 3), (3, 4), (6, 4)]  # players, columns


def swap(i, j):
    return FIRST_SWAP + PAIRS.index((i, j))


class Table:
    """A game of which a test chooses the actions."""

    def __init__(self, players, game=0, deal=None, **options):
        self.players = players
        options = GAME.check_options({"num_players": players, **options})
        self.states = GAME.new_states(options, 1)
        self.views, self.flat = GAME.new_views(1)
        deal_row(self.states, 0, 1, game)
        if deal is not None:
            GAME.set_deal(self.states, 0, deal)

    def view(self, seat):
        look_row(self.states, 0, seat, self.views, 0)
        return {name: np.array(value) for name, value in GAME.named(self.flat[0]).items()}

    def to_act(self):
        return int(to_act_row(self.states, 0))

    def snapshot(self):
        return GAME.snapshot(self.states, 0)

    def play(self, *actions):
        for action in actions:
            assert apply_row(self.states, 0, action) == 0

    def play_any(self, chance, lingering=False):
        """Any legal action, of the kinds at the start of a turn equally often.

        Who lingers lays cards on face-up ones, so that the round goes on.
        """
        mask = np.zeros(GAME.num_actions, np.int8)
        legal_row(self.states, 0, mask)
        legal = np.flatnonzero(mask).tolist()
        action = chance.choice(legal)
        if legal[0] == DRAW and action >= FIRST_RECYCLE:
            action = chance.choice([DRAW, TAKE, action])
        truly = self.snapshot()
        if lingering and truly["phase"] == "place" and len(legal) > 1:
            face_up = truly["face_up"][truly["to_act"]]
            action = chance.choice([k for k in legal if face_up[k]])
        self.play(action)
        return action


def scripted(boards, next_cards, discard, **options):
    """A table with these boards; the deck begins with ``next_cards``, then what remains."""
    rest = Counter(dict.fromkeys(range(11), 8) | dict.fromkeys(range(11, 15), 4))
    for cards in (*boards, next_cards, discard):
        rest.subtract(cards)
    deck = [*next_cards, *sorted(rest.elements())]
    return Table(len(boards), deal={"boards": boards, "deck": deck, "discard": discard}, **options)


def random_games(players, games, **options):
    for game in range(games):
        yield Table(players, game, **options), random.Random(game)


def positions(players, games, **options):
    """A view at every decision, the seats in turn, with the snapshot; and the end."""
    for table, chance in random_games(players, games, **options):
        step = 0
        while True:
            seat = step % players
            yield seat, table.view(seat), table.snapshot()
            if table.to_act() < 0:
                break
            table.play_any(chance)
            step += 1


def seen_from(seat, names, players=None):
    names = names[: players or len(names)]
    return [*names[seat:], *names[:seat]]


@lru_cache
def seat_0_amid_a_game(players, columns=3):
    """Another is to place a card, taken from the discard pile; own and others' cards peeked at."""
    for table, chance in random_games(players, 300, columns=columns, rounds=3):
        while table.to_act() >= 0:
            view = table.view(0)
            if (
                view["round_number"] == 2
                and view["phase"] == 4
                and view["to_act"] == 1
                and view["source"] == 2
                and view["peeked"][0].any()
                and view["discard_size"] > 6
                and view["turns"].sum() > 2 * players
                and not view["finished"]
            ):
                return view
            table.play_any(chance, lingering=chance.random() < 0.7)
    raise AssertionError("no such position")


def a_view(players=4, columns=3):
    return {name: value.copy() for name, value in seat_0_amid_a_game(players, columns).items()}


# -- what happened: single actions -----------------------------------------------------------------


def happened(old, new, action):
    """The events of an action from all that is true: kind, seat, and what there is to tell."""
    p, phase = old["to_act"], old["phase"]
    board, face_up, known = (list(old[key][p]) for key in ("boards", "face_up", "known"))
    card, told = old["in_hand"], []
    recycling = old["recycling"]

    def alike(i, j):
        """For the owner and for others, whether two cards look alike."""
        if face_up[i] != face_up[j] or known[i] != known[j]:
            return False, False
        same = board[i] == board[j]
        return (same or not known[i]), (same or not face_up[i])

    def peek(k):
        others = sum(known[i] and not face_up[i] for i in range(len(board)))
        again = known[k] and others > 1
        told.append(("peek", p, board[k], k, again))
        known[k] = True

    if phase == "turn_up":
        told.append(("turn up", p, board[action], action))
        return told
    if phase == "peek":
        peek(action)
    elif phase == "swap":
        pairs = [alike(i, j) for i, j in combinations(range(len(board)), 2)]
        some = tuple(any(pair[who] for pair in pairs) for who in (0, 1))
        if action == DECLINE:
            told.append(("swap", p, None, None, some))
        else:
            i, j = PAIRS[action - FIRST_SWAP]
            told.append(("swap", p, i, j, alike(i, j)))
            for cards in (board, face_up, known):
                cards[i], cards[j] = cards[j], cards[i]
    elif phase == "draw":
        if action == DRAW:
            if not old["deck"]:
                told.append(("renew", p))
            card = new["in_hand"]
            told.append(("draw", p, card))
        elif action == TAKE:
            card = old["discard"][-1]
            told.append(("take", p, card))
        else:
            card, recycling = action - FIRST_RECYCLE, True
            is_top = card == old["discard"][-1] and old["turns"] != new["turns"]
            told.append(("recycle", p, card, is_top))
        down = [k for k in range(len(board)) if not face_up[k]]
        if card == PEEK and len(down) == 1:
            peek(down[0])
    ended = old["round"] != new["round"] or new["over"]
    if not ended and old["turns"] == new["turns"]:
        return told
    place = action
    if phase != "place":
        assert recycling
        (place,) = [k for k in range(len(board)) if face_up[k] and board[k] == RECYCLE]
    hidden = card if old["phase"] == "place" and not recycling else None
    like_it = [k for k in range(len(board)) if face_up[k] and board[k] == card]
    no_trace = place in like_it and len(like_it) > 1  # a card takes the place of an equal one
    told.append(("place", p, card, place, board[place], hidden, no_trace))
    face_up[place] = True
    if all(face_up) and old["finished"] is None:
        told.append(("finish", p))
    if ended:
        told.append(("end", old["round"]))
    if old["round"] != new["round"]:
        told.append(("deal", new["dealer"], new["discard"][-1]))
    return told


def sentences(event, seat):
    """How a seat may be told of an event: as fully as it can know it first, then more vaguely."""
    kind, p = event[0], event[1]
    who, own = f"p{p}", p == seat
    if kind == "turn up":
        card, k = CARDS[event[2]], event[3]
        return [f"{who} turns up {card} at position {k}.", f"{who} turns up {card}.",
                f"{who} turns up a card."]  # fmt: skip
    if kind == "peek":
        _, _, card, k, again = event
        vague = f"{who} peeks at a card."
        if again:
            return [f"{who} peeks again at a card seen before.", vague]
        full = [f"{who} peeks at position {k}: {CARDS[card]}."] if own else []
        return [*full, f"{who} peeks at position {k}.", vague]
    if kind == "swap":
        _, _, i, j, alike = event
        no_trace = f"{who} swaps no cards, or two that look alike."
        unsure = f"{who} swaps two cards or none; which, the cards do not show."
        if alike[not own]:
            return [no_trace, unsure]
        if i is None:
            return [f"{who} declines to swap.", unsure]
        return [f"{who} swaps positions {i} and {j}.", unsure]
    if kind == "renew":
        return ["The deck is empty: the discards but the top one are shuffled and become the deck."]
    vague = f"{who} takes a card."
    if kind == "draw":
        full = [f"{who} draws {CARDS[event[2]]} from the deck."] if own else []
        return [*full, f"{who} draws from the deck.", vague]
    from_pile = f"{who} takes a card from the discard pile."
    if kind == "take":
        return [f"{who} takes {CARDS[event[2]]} from the discard pile.", from_pile, vague]
    if kind == "recycle":
        _, _, card, is_top = event
        full = f"{who} recycles: {CARDS[card]} comes from the discard pile."
        as_taken = f"{who} takes {CARDS[card]} from the discard pile."
        if is_top:  # taken as any top card, and placed on the Recycle, it would look the same
            return [as_taken, full, f"{who} recycles.", from_pile, vague]
        return [full, as_taken, f"{who} recycles.", from_pile, vague]
    if kind == "place":
        card, k, replaced = CARDS[event[2]], event[3], CARDS[event[4]]
        vague = [f"{who} places {card} and discards {replaced}.",
                 f"{who} places a card at position {k}.", f"{who} places {card}.",
                 f"{who} places a card."]  # fmt: skip
        if event[6]:
            return vague
        at = f"{who} places {card} at position {k}"
        return [f"{at} and discards {replaced}.", f"{at}.", *vague]
    if kind == "finish":
        return [f"{who} is finished: all its cards lie face up."]
    assert kind == "deal"
    return [f"{who} deals. {CARDS[event[2]]} is the first discard.", f"{who} deals."]


def scoring(new, rounds, seat):
    """What is told of the end of one round or of several, the last of which has just been scored."""
    n = new["players"]
    told = [
        f"Round {rounds[0]} is over." if len(rounds) == 1 else f"{len(rounds)} rounds are over."
    ]
    in_last = "" if len(rounds) == 1 else " in the last"
    for k in range(n):
        p = (seat + k) % n
        points = new["scores"][p]
        in_all = f"; {sum(points)} in all" if sum(points) != points[-1] else ""
        told.append(f"p{p} scores {points[-1]}{in_last}{in_all}.")
    if new["over"]:
        told.append(result(new, seat))
    return told


def result(new, seat):
    n = new["players"]
    totals = [sum(scores) for scores in new["scores"]]
    best = [p for p in ((seat + k) % n for k in range(n)) if totals[p] == min(totals)]
    if len(new["scores"][0]) <= 8:
        best_first = {p: sorted(new["scores"][p]) for p in best}
        best = [p for p in best if best_first[p] == min(best_first.values())]
    points = "1 point" if min(totals) == 1 else f"{min(totals)} points"
    who = " and ".join([", ".join(f"p{p}" for p in best[:-1]), f"p{best[-1]}"] if best[1:] else
                       [f"p{best[0]}"])  # fmt: skip
    if len(best) == 1:
        return f"The game is over: {who} wins with {points}."
    if len(new["scores"][0]) > 8:
        return f"The game is over: {who} tie with {points} each; their best rounds decide."
    return f"The game is over: {who} share the win with {points} each."


@pytest.mark.parametrize(
    ("players", "columns", "lingering"),
    [*((*size, False) for size in SIZES), (2, 3, True), (3, 4, True)],
)
def test_every_action_is_told_to_every_seat_as_it_happened(players, columns, lingering):
    names = [f"p{p}" for p in range(players)]
    seats = random.Random(players).sample(range(players), 2)
    games = 1 if players > 2 or lingering else 2
    kinds = Counter()
    options = {"columns": columns, "rounds": 2, "max_turns": 60 // players if lingering else 50}
    for table, chance in random_games(players, games, **options):
        old, before = table.snapshot(), [table.view(seat) for seat in seats]
        while table.to_act() >= 0:
            action = table.play_any(chance, lingering)
            new, after = table.snapshot(), [table.view(seat) for seat in seats]
            events = happened(old, new, action)
            kinds.update(event[0] for event in events)
            for at, seat in enumerate(seats):
                told = render.describe(before[at], after[at], seen_from(seat, names))
                check_action(told, events, old, new, seat)
            old, before = new, after
    assert {"turn up", "peek", "swap", "draw", "take", "place", "end", "deal"} <= set(kinds)


def check_action(told, events, old, new, seat):
    if not any(event[0] == "end" for event in events):
        assert told == [sentences(event, seat)[0] for event in events]
        return
    rounds = [event[1] for event in events if event[0] == "end"]
    scored = scoring(new, rounds, seat)
    begin = told.index(scored[0])
    assert told[begin : begin + len(scored)] == scored
    assert told[begin + len(scored) :] == [sentences(e, seat)[0] for e in events if e[0] == "deal"]
    before_end = [e for e in events if e[0] not in ("end", "deal")]
    if new["over"]:  # the boards are seen, but of face-down cards not which one was replaced
        for sentence, event in zip(told[:begin], before_end, strict=True):
            assert sentence in sentences(event, seat)
    elif old["phase"] == "draw" and old["finished"] is None:
        assert told[:begin] == []  # the turn that ends the round by D7, all in one action
    elif old["phase"] == "draw":
        assert told[:begin] == [f"p{old['to_act']} has its last turn."]
    else:
        (place,) = [e for e in before_end if e[0] == "place"]
        hidden = place[5] is not None and seat != old["to_act"]
        card = CARDS[place[2]]
        expected = [f"p{place[1]} places {card}."]
        if hidden:
            expected.append(f"p{place[1]} places the card drawn.")
        assert len(told[:begin]) == 1
        assert told[0] in expected


def test_a_peek_is_told_to_its_owner_with_the_card_to_others_with_the_position():
    boards = [[0, 1, 2, 3, 4, 5], [PEEK, 9, 8, 7, 6, 5]]
    table = scripted(boards, [], [0])
    told = []
    for action in (0, 2, 5):
        before = table.view(0), table.view(1)
        table.play(action)
        told.append(
            (
                render.describe(before[0], table.view(0), NAMES[:2]),
                render.describe(before[1], table.view(1), NAMES[1::-1]),
            )
        )
    turned_up = ["player_1 turns up Peek at position 0."], ["player_1 turns up 9 at position 2."]
    assert told[:2] == [(turned_up[0],) * 2, (turned_up[1],) * 2]
    assert told[2] == (
        ["player_1 peeks at position 5."],
        ["player_1 peeks at position 5: 6."],
    )


def test_swaps_that_leave_no_trace_are_told_as_such():
    boards = [[0, 1, 2, 3, 4, 5], [SWAP, 9, 8, 7, 6, 5]]
    for action in (swap(1, 3), DECLINE):
        table = scripted(boards, [], [0])
        table.play(0, 2)
        before = table.view(0)
        table.play(action)
        told = render.describe(before, table.view(0), NAMES)
        assert told == ["player_1 swaps no cards, or two that look alike."]
    table = scripted(boards, [], [0])
    table.play(0, 2)
    before = table.view(0)
    table.play(swap(0, 3))
    assert render.describe(before, table.view(0), NAMES) == ["player_1 swaps positions 0 and 3."]


def test_nothing_is_told_of_nothing():
    for _, view, _ in positions(3, 2, rounds=2):
        assert render.describe(view, view, NAMES) == []


def test_a_game_is_told_in_one_line_a_sentence_whatever_the_names():
    table = Table(6)
    before = table.view(0)
    table.play(0)
    for sentence in render.describe(before, table.view(0), ODD_NAMES):
        assert sentence.isprintable()


# -- what happened: several actions at once --------------------------------------------------------


def jumps(players, games, length, **options):
    """Views of a seat some actions apart, or from decision to decision, and what happened between."""
    for table, chance in random_games(players, games, **options):
        seat = chance.randrange(players)
        before, old, events, actions = table.view(seat), table.snapshot(), [], 0
        stop = length
        while table.to_act() >= 0:
            action = table.play_any(chance, lingering=chance.random() < 0.3)
            new = table.snapshot()
            events += happened(old, new, action)
            actions += 1
            old = new
            at_stop = table.to_act() == seat if length is None else actions >= stop
            if at_stop or table.to_act() < 0:
                yield seat, before, table.view(seat), events, new
                before, events, actions = table.view(seat), [], 0
                stop = length and chance.randint(1, 2 * length)


def check_story(told, seat, events, before, new):
    """Every sentence must be true of what happened, in order."""
    ends = [i for i, event in enumerate(events) if event[0] == "end"]
    if not ends:
        check_stretch(told, seat, events)
        return
    scored = scoring(new, [events[i][1] for i in ends], seat)
    begin = told.index(scored[0])
    assert told[begin : begin + len(scored)] == scored
    check_stretch(told[begin + len(scored) :], seat, events[ends[-1] + 1 :])
    first = events[: ends[0]]
    placed = [e for e in first if e[0] == "place"]
    rest = []
    for sentence in told[:begin]:
        last = re.match(r"(.*) (?:has its last turn|have their last turns)\.$", sentence)
        if last:
            who = [int(p) for p in re.findall(r"p(\d)", last[1])]
            assert who == [e[1] for e in placed][-len(who) :]
            assert len(placed) - len(who) == bool(before["source"])
        elif sentence.endswith(" places the card drawn."):
            assert sentence.startswith(f"p{placed[0][1]} ")
        else:
            rest.append(sentence)
    check_stretch(rest, seat, first)


def check_stretch(told, seat, events):
    position = 0
    for sentence in told:
        turns = re.match(r"p(\d) takes (\d+) turns?\.$", sentence)
        if turns:
            taken = sum(e[0] == "place" and e[1] == int(turns[1]) for e in events)
            assert int(turns[2]) == taken
            continue
        first = 0 if " turns up " in sentence else position  # both cards turned up are one event
        match = [i for i in range(first, len(events)) if sentence in sentences(events[i], seat)]
        assert match, (sentence, events)
        position = max(position, match[0] + 1)


@pytest.mark.parametrize(("players", "columns"), [(2, 4), (4, 3), (8, 3)])
def test_from_decision_to_decision_nothing_false_is_told_and_little_left_out(players, columns):
    """As a seat environment shows a game: to its learner, at its own decisions."""
    to_tell = told_fully = 0
    options = {"columns": columns, "rounds": 2, "max_turns": 12}
    for seat, before, after, events, new in jumps(players, 1, None, **options):
        told = render.describe(before, after, seen_from(seat, [f"p{p}" for p in range(players)]))
        check_story(told, seat, events, before, new)
        if not any(event[0] == "end" for event in events):
            to_tell += len(events)
            told_fully += sum(any(s in told for s in sentences(e, seat)[:1]) for e in events)
    assert told_fully > 0.65 * to_tell


@pytest.mark.parametrize(("players", "length"), [(2, 5), (2, 100), (4, 4), (4, 12)])
def test_over_any_number_of_actions_nothing_false_is_told(players, length):
    options = {"rounds": 3, "max_turns": 6}
    for seat, before, after, events, new in jumps(players, 1, length, **options):
        told = render.describe(before, after, seen_from(seat, [f"p{p}" for p in range(players)]))
        check_story(told, seat, events, before, new)
        assert told or not any(event[0] == "place" for event in events)


# -- text ------------------------------------------------------------------------------------------


def board_in_text(text, name, columns):
    """Mark, cells by position, and the words beside and below of a player's board."""
    lines = text.splitlines()
    (first,) = [
        i for i, line in enumerate(lines) if re.match(rf"[ >*] {name}(?: \(you\))?  ", line)
    ]
    block = [line.ljust(80) for line in lines[first : first + 3]]
    cells = [""] * (2 * columns)
    for row in (0, 1):
        for c in range(columns):
            cell = block[row][32 + 12 * c : 44 + 12 * c].split()
            assert int(cell[0]) == 2 * c + row
            cells[2 * c + row] = cell[1]
    below = [block[2][32 + 12 * c : 44 + 12 * c].strip() for c in range(columns)]
    return block[0][0], cells, block[1][:32].strip(), block[2][:32].strip(), below


def points_of_column(a, b):
    """By the rules page, of the cards that are seen."""
    if a is not None and a == b:
        return 0
    seen = [card for card in (a, b) if card is not None]
    points = sum(card + 1 if card < 10 else 10 if card in (PEEK, RECYCLE) else 0 for card in seen)
    return -(-points // 2) if HALF in seen else points


@pytest.mark.parametrize(("players", "columns"), SIZES)
def test_the_text_shows_what_a_seat_may_know(players, columns):
    names = [f"p{p}" for p in range(players)]
    for seat, view, truly in positions(players, 1, columns=columns, rounds=2):
        text = render.render_text(view, seen_from(seat, names))
        played = sum(len(scores) for scores in truly["scores"]) // players
        for p in range(players):
            mark, cells, line, on_board, below = board_in_text(text, f"p{p}", columns)
            seen = []
            for k, cell in enumerate(cells):
                card, up, known = (truly[key][p][k] for key in ("boards", "face_up", "known"))
                is_seen = up or (known and p == seat)
                shown = CARDS[card] if is_seen else "##"
                assert cell == (f"({shown})" if known and not up else shown)
                seen.append(card if is_seen else None)
            total = 0
            for c, words in enumerate(below):
                pair = seen[2 * c], seen[2 * c + 1]
                points = points_of_column(*pair)
                total += points
                unseen = pair.count(None)
                expected = "?" if unseen == 2 else f"{points} + ?" if unseen else str(points)
                assert words == ("match: 0" if unseen == 0 and pair[0] == pair[1] else expected)
            unseen = f" + {seen.count(None)} unseen" if None in seen else ""
            assert on_board == f"board {total}{unseen}"
            last = f" ({truly['scores'][p][-1]})" if played else ""
            turns = "1 turn" if truly["turns"][p] == 1 else f"{truly['turns'][p]} turns"
            assert line == f"{sum(truly['scores'][p])} points{last}, {turns}"
            assert (mark == ">") == (truly["to_act"] == p)
        check_piles(text, truly, seat)
        check_situation(" ".join(text.split()), truly, seat)


def row_of(text, title):
    match = re.search(rf"^{title} +([\d. ]+)$", text, re.MULTILINE)
    return [0 if number == "." else int(number) for number in match[1].split()]


def check_piles(text, truly, seat):
    size = len(truly["deck"])
    assert f"Deck: {size} card{'' if size == 1 else 's'}" in text
    assert row_of(text, "Discarded") == [truly["discard"].count(t) for t in range(15)]
    hidden = [*truly["deck"]]
    for p in range(truly["players"]):
        for k, card in enumerate(truly["boards"][p]):
            if not (truly["face_up"][p][k] or (truly["known"][p][k] and p == seat)):
                hidden.append(card)
    open_phase = truly["phase"] in ("peek", "swap")  # whose card in hand is no secret
    if truly["in_hand"] is not None and truly["to_act"] != seat and not open_phase:
        in_doubt = truly["in_hand"]
    else:
        in_doubt = None
    unseen = row_of(text, "Unseen")
    if in_doubt is None:
        assert unseen == [hidden.count(t) for t in range(15)]
    else:  # unseen if it is from the deck
        also = [*hidden, in_doubt]
        assert unseen in ([hidden.count(t) for t in range(15)], [also.count(t) for t in range(15)])
    pile = truly["discard"][::-1]
    if pile:
        words = re.search(r"Discard pile: (\d+) cards?, from the top: ([^.]*)\.", text)
        assert int(words[1]) == len(pile)
        shown = re.split(r", ", re.sub(r" and (\d+) below$", "", " ".join(words[2].split())))
        assert shown == [CARDS[card] for card in pile[: len(shown)]]
        below = re.search(r" and (\d+) below$", " ".join(words[2].split()))
        assert len(shown) + (int(below[1]) if below else 0) == len(pile)


def check_situation(text, truly, seat):
    assert f"Diddly round {truly['round']} of {truly['rounds']} " in text
    assert f"p{truly['dealer']} has dealt." in text
    assert ("Game over" in text) == truly["over"]
    if truly["over"]:
        assert result(truly, seat).removeprefix("The game is over: ") in text
        return
    asked = {
        "turn_up": "turn up a card",
        "peek": "peek at a face-down card",
        "swap": "swap two cards, or decline",
        "draw": "draw, take the discard or recycle|draw or take the discard",
        "place": "place the card|place the recycled card",
    }[truly["phase"]]
    assert re.search(rf"p{truly['to_act']} is to (?:{asked})\.", text)
    assert ("Set-up: " in text) == (truly["phase"] == "turn_up" or bool(truly["pending"]))
    held = re.search(r"(p\d) holds (\w+|a card) from", text)
    assert (held is not None) == (truly["in_hand"] is not None)
    if held:
        assert held[1] == f"p{truly['to_act']}"
        assert held[2] in (CARDS[truly["in_hand"]], "a card")
        assert held[2] != "a card" or (truly["to_act"] != seat and truly["phase"] == "place")
    if truly["finished"] is not None:
        n = truly["players"]
        left = [(truly["to_act"] + k) % n for k in range((truly["finished"] - truly["to_act"]) % n)]
        words = " and ".join(
            [", ".join(f"p{p}" for p in left[:-1]), f"p{left[-1]}"][not left[1:] :]
        )
        assert f"p{truly['finished']} is finished. Last turns: {words}." in text
    else:
        assert "is finished" not in text


@pytest.mark.parametrize(("players", "columns"), [(2, 4), (8, 3)])
def test_the_text_stays_within_80_columns_and_is_plain(players, columns):
    for _, view, _ in positions(players, 1, columns=columns, rounds=2):
        text = render.render_text(view, LONG_NAMES)
        assert text.isascii()
        for line in text.splitlines():
            assert len(line) <= 80
            assert line == line.rstrip()
            assert line.isprintable()


def test_names_that_cannot_be_shown_do_no_harm():
    view = a_view(players=8)
    text = render.render_text(view, ODD_NAMES)
    assert "\x1b" not in text
    assert len(text.splitlines()) == len(render.render_text(view, NAMES).splitlines())
    assert max(drawing.columns(line) for line in text.splitlines()) <= 80
    render.render_image(view, ODD_NAMES)


def test_a_tie_is_decided_as_far_as_the_view_tells():
    view = a_view(players=3)
    view["phase"], view["to_act"], view["rounds_left"] = 5, 0, 0
    view["scores"][:3] = 31, 40, 31
    view["round_scores"][:3, :5] = [[2, 9, 4, 8, 8], [8, 8, 8, 8, 8], [3, 2, 10, 7, 9]]
    view["round_number"] = 9
    words = render_words.result_in_words(view, NAMES)
    assert words == ("player_0 and player_2 tie with 31 points each; their best rounds decide.")
    view["round_number"] = 5  # the rules page's example: 2 and 2, then 4 and 3
    assert render_words.result_in_words(view, NAMES) == "player_2 wins with 31 points."
    view["round_scores"][:3] = 0
    view["round_scores"][:3, 0] = 31, 40, 31
    view["round_number"] = 1
    words = render_words.result_in_words(view, NAMES)
    assert words == "player_0 and player_2 share the win with 31 points each."
    view["scores"][:3] = 1000
    words = render_words.result_in_words(view, NAMES)
    assert words.endswith("player_2 have 1000+ points each; who has fewest is not seen.")


def test_after_a_finish_the_bound_on_turns_may_take_the_last_turns_of_some():
    view = a_view(players=4)
    view["finished"], view["to_act"], view["dealer"] = 1 + 1, 2, 3
    view["turns_left"] = 1  # the viewer has had its turn of this circle, and there is one more
    assert render_words.last_turns(view) == [2, 3, 0]
    view["turns_left"] = 0
    assert render_words.last_turns(view) == [2, 3]


# -- picture ---------------------------------------------------------------------------------------


def test_the_picture_is_an_rgb_array_and_the_same_each_time():
    view = a_view()
    image = render.render_image(view, NAMES)
    assert image.shape == (720, 960, 3)
    assert image.dtype == np.uint8
    first = image.tobytes()
    image[:] = 0  # the caller's own: nothing of it is kept
    render.render_image(a_view(players=2), NAMES)
    assert render.render_image(view, NAMES).tobytes() == first


@pytest.mark.parametrize(
    ("field", "index", "value"),
    [
        ("round_number", (), 4),
        ("rounds_left", (), 7),
        ("dealer", (), 2),
        ("to_act", (), 3),
        ("phase", (), 5),
        ("boards", (2, 1), 15),
        ("boards", (0, 0), 14),
        ("peeked", (3, 0), 1),
        ("in_hand", (), 12),
        ("source", (), 3),
        ("discard", 0, 14),
        ("discard", 4, 14),
        ("discard_size", (), 5),
        ("deck_size", (), 5),
        ("renewed", (), 1),
        ("unseen", 3, 0),
        ("turns", 1, 31),
        ("turns_left", (), 3),
        ("finished", (), 3),
        ("last_scores", 2, 71),
        ("scores", 0, 171),
    ],
)
def test_text_and_picture_show_each_fact(field, index, value, rough_pictures):
    view = a_view()
    view["face_up"][:4, :2] = 0
    view["face_up"][2, 1] = view["face_up"][0, 0] = 1
    view["peeked"][3, 0] = 0
    view["boards"][2, 1] = view["boards"][0, 0] = 3
    text, image = render.render_text(view, NAMES), render.render_image(view, NAMES)
    assert view[field][index] != value
    view[field][index] = value
    assert render.render_text(view, NAMES) != text
    assert (render.render_image(view, NAMES) != image).any()


@pytest.mark.parametrize(
    ("players", "columns"), [(n, c) for c in (3, 4) for n in range(2, 9 if c == 3 else 7)]
)
def test_no_words_of_the_picture_overlap_or_are_cut_off(players, columns, monkeypatch):
    views = [view for _, view, _ in positions(players, 1, columns=columns, rounds=3)]
    chosen = [*random.Random(players).sample(views, 5), views[0], views[-1]]
    for view in chosen:
        check_words(words_in_picture(monkeypatch, render.render_image, view, LONG_NAMES))
    check_words(words_in_picture(monkeypatch, render.render_image, chosen[0], NAMES))
    view = chosen[0]
    view["scores"][:] = view["turns"][:] = view["round_number"] = 1000
    view["last_scores"][:] = 80
    view["renewed"], view["turns_left"] = 1, 0
    check_words(words_in_picture(monkeypatch, render.render_image, view, LONG_NAMES))


@pytest.mark.parametrize(
    ("phase", "source"),
    [*((phase, 0) for phase in (0, 1, 2, 3, 5)), *((p, s) for p in (1, 2, 4) for s in (1, 3))],
)
def test_every_question_is_readable(phase, source, monkeypatch):
    view = a_view(players=8)
    view["phase"], view["source"], view["turns_left"] = phase, source, 2
    view["pending"][:] = (12, 14) if source == 0 else 0
    for seat in (0, 3):
        view["to_act"] = seat
        view["finished"] = 6
        check_words(words_in_picture(monkeypatch, render.render_image, view, LONG_NAMES))


def test_a_card_that_only_its_owner_knows_is_shown_to_nobody_else():
    for table, chance in random_games(3, 1, rounds=1):
        while table.to_act() >= 0:
            table.play_any(chance)
            truly, view = table.snapshot(), table.view(0)
            for p in (1, 2):
                for k in range(6):
                    _, cells, *_ = board_in_text(render.render_text(view, NAMES), NAMES[p], 3)
                    assert ("##" in cells[k]) == (not truly["face_up"][p][k])


def test_importing_the_pictures_does_not_load_drawing_libraries():
    code = (
        "import sys\n"
        "for name in ('matplotlib', 'PIL'): sys.modules[name] = None\n"  # an import would fail
        "import cardgames_env.games.diddly.render\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
