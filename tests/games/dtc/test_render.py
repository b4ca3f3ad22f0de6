"""What a player reads and sees of DTC: text, picture, and what happened told in words."""

import random
import re
import subprocess
import sys
from collections import Counter
from functools import lru_cache
from itertools import chain

import numpy as np
import pytest

from cardgames_env.core import drawing
from cardgames_env.core.game import apply_row, deal_row, legal_row, look_row, to_act_row
from cardgames_env.games.dtc import GAME, render, render_picture, render_words
from cardgames_env.games.dtc.state import ACCEPT, FIRST_OFFER, FIRST_TAKE, REJECT, offer_name
from tests.pictures import check_words, words_in_picture

NAMES = [f"player_{seat}" for seat in range(6)]
LONG_NAMES = [
    "the_extraordinarily_long_named_search_agent_0",
    "mcts_determinized_1000_simulations_variant_a",
    "Wilhelmina Wolkenbruch von Hohenstein zu Weit",
    "W" * 70,
    "x",
    "another name that is long",
]
ODD_NAMES = ["a\nb", "$x_1$ \\frac", "\x1b[31mred", "", "名前の長いプレイヤーの名前の長い", "é"]
TYPES = ["joker", "1", "2", "3", "4", "5", "6"]


def offer(count, value):
    return FIRST_OFFER + 6 * (count - 1) + value - 1


def take(count):
    return FIRST_TAKE + count


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

    def give(self, count, value, cards):
        """Announce ``count`` cards of ``value``, and choose ``cards`` when asked."""
        self.play(offer(count, value))
        while self.snapshot()["phase"] == "compose":
            self.play(take(cards.count(self.snapshot()["offer"]["asking"])))
        assert sorted(self.snapshot()["offer"]["cards"]) == sorted(cards)

    def play_any(self, chance, accepts=0.7):
        """Any legal action; of the offers mostly one of the weakest, so that chains grow long."""
        mask = np.zeros(GAME.num_actions, np.int8)
        legal_row(self.states, 0, mask)
        legal = np.flatnonzero(mask).tolist()
        action = chance.choice(legal)
        if legal == [ACCEPT, REJECT]:
            action = ACCEPT if chance.random() < accepts else REJECT
        elif legal[0] >= FIRST_OFFER and chance.random() < 0.8:
            action = legal[min(len(legal) - 1, int(chance.expovariate(0.5)))]
        self.play(action)
        return action


def scripted(hands, first=0, **options):
    """A table at which seat p holds ``hands[p]``; the pile is what remains."""
    rest = Counter({0: 12} | dict.fromkeys(range(1, 7), 9))
    for hand in hands:
        rest.subtract(hand)
    deal = {"first": first, "hands": hands, "pile": sorted(rest.elements())}
    return Table(len(hands), deal=deal, **options)


def random_games(players, games, accepts=(0.3, 0.7, 0.97), **options):
    for game in range(games):
        yield Table(players, game, **options), random.Random(game), accepts[game % len(accepts)]


def positions(players, games, **options):
    """A view at every decision, the seats in turn, with the snapshot; and the end."""
    for table, chance, accepts in random_games(players, games, **options):
        step = 0
        while True:
            seat = step % players
            yield seat, table.view(seat), table.snapshot()
            if table.to_act() < 0:
                break
            table.play_any(chance, accepts)
            step += 1


def seen_from(seat, names):
    return [*names[seat:], *names[:seat]]


def is_amid_a_game(view):
    """Another seat's offer to another lies on the table; a chain, cards shown and passed on."""
    return (
        view["offer_giver"] > 1
        and (view["to_act"] > 0 or view["players"] == 2)
        and view["chain_length"] > 3
        and view["shown"].sum() > 3
        and view["passed_on"].sum() > 2
        and view["pile_size"] > 5
    )


@lru_cache
def seat_0_amid_a_game(players):
    for table, chance, _ in random_games(players, 100):
        while table.to_act() >= 0:
            if is_amid_a_game(view := table.view(0)):
                return view
            table.play_any(chance, 0.8)
    raise AssertionError("no such position")


def a_view(players=4):
    return {name: value.copy() for name, value in seat_0_amid_a_game(players).items()}


# -- what happened: single actions -----------------------------------------------------------------


def named(cards):
    cards = sorted(cards)
    if len(cards) <= 8:
        return ", ".join(TYPES[t] for t in cards)
    return ", ".join(f"{TYPES[t]} x{cards.count(t)}" for t in sorted(set(cards)))


def without(cards, others):
    return list((Counter(cards) - Counter(others)).elements())


def cards_in_words(number):
    return "1 card" if number == 1 else f"{number} cards"


def truth(old, new, action, seat):
    """What the rules page says that happened, as ``seat`` saw it; players are p0, p1, …"""
    n, actor = old["players"], old["to_act"]
    told = []
    if old["phase"] in ("announce", "compose"):
        given = old["hands"][actor]
        laid = new["offer"]["cards"]
        count = new["offer"]["count"]
        kept = len(given) - count
        if old["phase"] == "announce":
            value = new["offer"]["value"]
            told.append(f"p{actor} offers {offer_name(count, value)} to p{(actor + 1) % n}.")
            chosen = laid
        else:
            chosen = without(laid, old["offer"]["cards"])
            kept += len(old["offer"]["cards"])
        if chosen and seat == actor:
            told.append(f"p{actor} puts {named(chosen)} into the offer.")
        drawn = min(max(0, 6 - kept), len(old["pile"]))
        if new["phase"] == "answer" and seat == actor and drawn:
            own = without(new["hands"][actor], without(given, chosen))
            assert len(own) == drawn
            told.append(f"p{actor} draws {cards_in_words(drawn)}: {named(own)}.")
        elif old["phase"] == "announce" and seat != actor and drawn:
            told.append(f"p{actor} draws {cards_in_words(drawn)}.")
        if told and "draws" in told[-1] and drawn == len(old["pile"]):
            told.append("The pile is empty: the next rejection ends the game.")
        return told
    cards, value, giver = old["offer"]["cards"], old["offer"]["value"], old["offer"]["giver"]
    if action == ACCEPT:
        return [f"p{actor} accepts: {named(cards)}." if seat == actor else f"p{actor} accepts."]
    values = {card for card in cards if card}
    true = values <= {value} or (old["higher_counts_as_true"] and min(values) > value)
    loser = actor if true else giver
    verb = "is" if len(cards) == 1 else "are"
    told = [
        f"p{actor} rejects: {named(cards)} {verb} shown. The offer was {str(true).lower()}: "
        f"p{loser} takes {cards_in_words(len(cards))} as a penalty."
    ]
    if new["phase"] == "over":
        ends = {p: (len(new["hands"][p]), len(new["penalty"][p])) for p in range(n)}
        for k in range(n):
            p = (seat + k) % n
            hand, taken = ends[p]
            told.append(
                f"p{p} ends with {cards_in_words(hand + taken)}: "
                f"{hand} in hand and {taken} in the penalty pile."
            )
        fewest = min(map(sum, ends.values()))
        best = [f"p{(seat + k) % n}" for k in range(n) if sum(ends[(seat + k) % n]) == fewest]
        if len(best) == 1:
            result = f"{best[0]} wins with {cards_in_words(fewest)}."
        else:
            who = f"{', '.join(best[:-1])} and {best[-1]}"
            result = f"{who} share the win with {cards_in_words(fewest)} each."
        told.append(f"The game is over: {result}")
    return told


@pytest.mark.parametrize("higher", [False, True])
@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_every_action_is_told_to_every_seat_as_it_happened(players, higher):
    names = [f"p{p}" for p in range(players)]
    for table, chance, accepts in random_games(players, 6, higher_counts_as_true=higher):
        old, before = table.snapshot(), [table.view(seat) for seat in range(players)]
        while table.to_act() >= 0:
            action = table.play_any(chance, accepts)
            new, after = table.snapshot(), [table.view(seat) for seat in range(players)]
            for seat in range(players):
                told = render.describe(before[seat], after[seat], seen_from(seat, names))
                assert told == truth(old, new, action, seat)
            old, before = new, after


def test_a_true_offer_that_is_rejected_is_told_as_the_rules_page_tells_it():
    hands = [[1, 1, 2, 3, 4, 5], [0, 1, 3, 4, 6, 6], [2, 2, 3, 3, 5, 5]]
    table = scripted(hands, first=1)
    before = table.view(0)
    table.give(3, 6, [6, 6, 0])
    on_table = table.view(0)
    assert render.describe(before, on_table, NAMES) == [
        "player_1 offers three 6s to player_2.",
        "player_1 draws 3 cards.",
    ]
    table.play(REJECT)
    assert render.describe(on_table, table.view(0), NAMES) == [
        "player_2 rejects: joker, 6, 6 are shown. The offer was true: "
        "player_2 takes 3 cards as a penalty."
    ]


def test_only_the_giver_is_told_what_it_gives_and_draws():
    hands = [[1, 1, 2, 3, 4, 5], [0, 1, 3, 4, 6, 6], [2, 2, 3, 3, 5, 5]]
    table = scripted(hands, first=1)
    steps = []
    for action in (offer(3, 6), take(1), take(1), take(0), take(1)):
        before = table.view(1), table.view(2)
        table.play(action)
        own = render.describe(before[0], table.view(1), seen_from(1, NAMES[:3]))
        steps.append((own, render.describe(before[1], table.view(2), seen_from(2, NAMES[:3]))))
    assert steps == [
        (["player_1 offers three 6s to player_2."],
         ["player_1 offers three 6s to player_2.", "player_1 draws 3 cards."]),
        (["player_1 puts 6 into the offer."], []),
        (["player_1 puts joker into the offer."], []),
        ([], []),
        (["player_1 puts 3 into the offer.", "player_1 draws 3 cards: joker, joker, joker."], []),
    ]  # fmt: skip


def test_nothing_is_told_of_nothing():
    for _, view, _ in positions(3, 2):
        assert render.describe(view, view, NAMES) == []


def test_a_game_is_told_in_one_line_a_sentence_whatever_the_names():
    table = Table(6)
    before = table.view(0)
    table.play(offer(1, 1))
    for sentence in render.describe(before, table.view(0), ODD_NAMES):
        assert sentence.isprintable()


# -- what happened: several actions at once --------------------------------------------------------


def is_told(sentence, event):
    """Whether it tells of an event, perhaps without the cards that only the viewer saw."""
    bare = re.sub(r"^(p\d (?:accepts|draws \d+ cards?)):.*", r"\1.", event)
    return sentence in (event, bare)


def is_public(sentence):
    return re.match(r"p\d (offers|draws|accepts)", sentence) is not None


def last_own_offer(events):
    """The sentences that tell what the viewer put into its last offer."""
    puts = [i for i, event in enumerate(events) if " puts " in event]
    giver = events[puts[-1]][:2]
    offers = [i for i, event in enumerate(events) if event.startswith(f"{giver} offers")]
    begin = max((i for i in offers if i < puts[-1]), default=-1)
    return [events[i] for i in puts if i > begin]


def cards_put(sentence):
    cards = Counter()
    for card in re.search(r"puts (.*) into", sentence)[1].split(", "):
        name, _, number = card.partition(" x")
        cards[name] += int(number or 1)
    return cards


def check_story(told, events, after):
    """Every sentence of ``told`` must be true of ``events``, the sentences of the single actions."""
    rejected = [i for i, event in enumerate(events) if " rejects" in event]
    last = rejected[-1] if rejected else -1
    # What all saw of the chain that goes on is told without gaps.
    public = [e for e in events[last + 1 :] if is_public(e)]
    if public:
        assert all(map(is_told, [s for s in told if is_public(s)][-len(public) :], public))
    position = 0
    for sentence in told:
        some = re.match(r"(\d+) cards? (?:is|are) drawn\.$", sentence)
        unsure = re.match(r"An offer is rejected: (.* shown)\. (p\d takes .*)$", sentence)
        later = re.match(r"(p\d) rejects an offer of (p\d): (.*)$", sentence)
        several = re.match(
            r"(\d+) offers are rejected: (.*) are shown\. (.*) as a penalty", sentence
        )
        if some:
            drawn = [re.match(r"p\d draws (\d+)", e) for e in events[position:last]]
            assert int(some[1]) == sum(int(m[1]) for m in drawn if m)
        elif unsure:
            assert len(rejected) == 1
            assert unsure[1] in events[last]
            assert events[last].endswith(unsure[2])
            position = last + 1
        elif later:
            assert len(rejected) == 1
            assert events[last] == f"{later[1]} rejects: {later[3]}"
            giver = (int(later[1][1]) - 1) % int(after["players"])
            assert later[2] == f"p{giver}"
            position = last + 1
        elif several:
            assert int(several[1]) == len(rejected)
            taken = Counter()
            for i in rejected:
                who, number = re.search(r"(p\d) takes (\d+) card", events[i]).groups()
                taken[who] += int(number)
            claimed = re.findall(r"(p\d) takes (\d+) card", several[3])
            assert {who: int(number) for who, number in claimed} == taken
            position = last + 1
        elif sentence == "The pile is empty.":
            assert any(e.startswith("The pile is empty") for e in events[:last])
        elif " puts " in sentence:
            assert cards_put(sentence) == sum(map(cards_put, last_own_offer(events)), Counter())
        else:
            match = [i for i in range(position, len(events)) if is_told(sentence, events[i])]
            assert match, (sentence, events)
            position = match[0] + 1


def jumps(players, games, length, **options):
    """Views of a seat some actions apart, and the sentences of the single actions between them."""
    names = [f"p{p}" for p in range(players)]
    for table, chance, accepts in random_games(players, games, **options):
        seat = chance.randrange(players)
        before, old, events, actions = table.view(seat), table.snapshot(), [], 0
        while table.to_act() >= 0:
            action = table.play_any(chance, accepts)
            new = table.snapshot()
            events += truth(old, new, action, seat)
            actions += 1
            old = new
            at_stop = table.to_act() in (seat, -1) if length is None else actions >= length
            if at_stop or table.to_act() < 0:
                after = table.view(seat)
                told = render.describe(before, after, seen_from(seat, names))
                yield before, after, told, events, actions
                before, events, actions = after, [], 0
                if length is not None:
                    length = chance.randint(1, 12)


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_from_decision_to_decision_nothing_false_is_told(players):
    """As a seat environment shows a game: to its learner, at its own decisions."""
    seen = Counter()
    for _, after, told, events, _ in jumps(players, 21, None):
        check_story(told, events, after)
        seen["unsure"] += any("An offer is rejected" in s for s in told)
        seen["sure"] += any(" rejects" in s for s in told)
        seen["several"] += any("offers are rejected" in s for s in told)
    assert seen["sure"]
    assert seen["unsure"]
    assert seen["several"] or players < 4


@pytest.mark.parametrize("players", [2, 3, 4, 6])
def test_over_any_number_of_actions_nothing_false_is_told(players):
    told_apart = 0
    for before, after, told, events, actions in jumps(players, 24, 5):
        if actions > 1 and render_words._one_action_apart(before, after):
            continue  # such views are taken to lie one action apart
        told_apart += actions > 1
        check_story(told, events, after)
    assert told_apart > 50


@pytest.mark.parametrize("players", [2, 4])
def test_a_chain_that_goes_on_is_told_without_gaps(players):
    for before, after, told, events, _ in jumps(players, 9, 7):
        if before["rejections"] == after["rejections"]:
            public = [e for e in events if " puts " not in e]
            assert len([s for s in told if " puts " not in s]) == len(public)
            assert all(map(is_told, [s for s in told if " puts " not in s], public))


def test_of_an_offer_whose_giver_only_the_cards_betray_no_more_is_told_than_they_tell():
    hands = [[1, 1, 2, 3, 4, 5], [0, 1, 3, 4, 6, 6], [2, 2, 3, 3, 5, 5]]
    table = scripted(hands)
    before = table.view(1)
    # player_0 offers a 1 to player_1, who passes it on as a 2; player_2 rejects, and leads.
    table.give(1, 1, [1])
    table.play(ACCEPT)
    table.give(1, 2, [1])
    table.play(REJECT)
    told = render.describe(before, table.view(1), seen_from(1, NAMES[:3]))
    assert told[-1] == (
        "An offer is rejected: 1 is shown. player_1 takes 1 card as a penalty."
    )  # player_0 might have given it as a 1, and player_1 rejected


# -- text ------------------------------------------------------------------------------------------


def row_of(text, title):
    """The numbers of a row of the table of cards: in all, then by type; None without the row."""
    match = re.search(rf"^{title} +([\d. ]+)$", text, re.MULTILINE)
    if match is None:
        return None
    return [0 if number == "." else int(number) for number in match[1].split()]


def counted(cards):
    cards = list(cards)
    return [len(cards), *(cards.count(t) for t in range(7))]


def chain_in_text(text):
    block = text[text.index("Offers of this chain") :].splitlines()[2:]
    return re.findall(r"\[?((?:[a-z-]+|\d+)(?: x)? \d)s?\]?", "\n".join(block))


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_the_text_shows_what_a_seat_may_know(players):
    names = [f"p{p}" for p in range(players)]
    for seat, view, truly in positions(players, 3):
        text = render.render_text(view, seen_from(seat, names))
        own = truly["offer"] is not None and truly["offer"]["giver"] == seat
        composing = truly["phase"] == "compose"
        refilled = composing and not own
        assert row_of(text, "Your hand") == counted(truly["hands"][seat])
        assert row_of(text, "Shown so far") == counted(chain(*truly["penalty"]))
        if own:
            assert row_of(text, "Your offer") == counted(truly["offer"]["cards"])
        else:
            assert row_of(text, "Your offer") is None
        for p in range(players):
            found = re.search(
                rf"^(.) p{p}(?: \(you\))? +(\d+) +(\d+) +(\d+) *(.*)$", text, re.MULTILINE
            )
            penalty = len(truly["penalty"][p])
            assert int(found[3]) == penalty
            assert int(found[4]) == int(found[2]) + penalty
            giver = truly["offer"] and truly["offer"]["giver"] == p
            if not (composing and giver):
                assert int(found[2]) == len(truly["hands"][p])
            if truly["phase"] == "over":
                fewest = min(
                    len(h) + len(t) for h, t in zip(truly["hands"], truly["penalty"], strict=True)
                )
                assert (found[5] == "wins") == (int(found[4]) == fewest)
            elif giver:
                assert found[5] == "giver"
            if truly["phase"] != "over" and not refilled:
                assert (found[1] == ">") == (truly["to_act"] == p)
        assert ("Game over" in text) == (truly["phase"] == "over")
        if not refilled:
            pile = cards_in_words(len(truly["pile"]))
            assert f"DTC   {pile} in the pile" in text
            if truly["phase"] != "over":
                assert ("next rejection ends the game" in text) == truly["ends"]
        if truly["offer"]:
            giver, count = truly["offer"]["giver"], truly["offer"]["count"]
            words = offer_name(count, truly["offer"]["value"])
            assert f"p{giver} offers {words} to p{(giver + 1) % players}." in text
            assert len(chain_in_text(text)) == view["chain_length"]
        if truly["phase"] == "announce" and truly["to_beat"]:
            assert f"has accepted {offer_name(*truly['to_beat'])}: " in text
        if own and composing:
            asked = truly["offer"]["asking"]
            held = truly["hands"][seat].count(asked)
            assert f"How many {TYPES[asked]}s go into the offer? You hold {held}." in text
            still = truly["offer"]["count"] - len(truly["offer"]["cards"])
            missing = f"{still} of {cards_in_words(truly['offer']['count'])} still missing"
            assert missing in text.replace("\n", " ")
        elif own:
            assert re.search(r"Your offer is (true|false): ", text)


@pytest.mark.parametrize("players", [2, 6])
def test_the_text_stays_within_80_columns_and_is_plain(players):
    for _, view, _ in positions(players, 3):
        text = render.render_text(view, LONG_NAMES)
        assert text.isascii()
        for line in text.splitlines():
            assert len(line) <= 80
            assert line == line.rstrip()
            assert line.isprintable()


def test_names_that_cannot_be_shown_do_no_harm():
    view = a_view(players=6)
    text = render.render_text(view, ODD_NAMES)
    assert "\x1b" not in text
    assert len(text.splitlines()) == len(render.render_text(view, NAMES).splitlines())
    assert max(drawing.columns(line) for line in text.splitlines()) <= 80
    render.render_image(view, ODD_NAMES)


def test_the_chain_stands_below_its_givers_in_order():
    hands = [[1, 1, 2, 3, 4, 5], [0, 1, 3, 4, 6, 6], [2, 2, 3, 3, 5, 5]]
    table = scripted(hands, first=1)
    for count, value, cards in ((1, 6, [6]), (2, 1, [2, 2]), (3, 4, [4, 2, 2])):
        table.give(count, value, cards)
        table.play(ACCEPT)
    table.give(3, 6, [6, 0, 4])
    text = render.render_text(table.view(0), NAMES)
    lines = text[text.index("Offers of this chain") :].splitlines()
    assert lines == [
        "Offers of this chain, each accepted by the next player; [ ] lies on the table:",
        "player_0                  player_1                  player_2",
        "                          one 6                     two 1s",
        "three 4s                  [three 6s]",
    ]


def test_the_text_tells_whether_the_own_offer_is_true_also_by_the_variant():
    for higher, expected in ((False, "false"), (True, "true")):
        hands = [[0, 5, 6, 3, 4, 5], [0, 1, 3, 4, 6, 6], [2, 2, 3, 3, 5, 5]]
        table = scripted(hands, higher_counts_as_true=higher)
        table.give(3, 2, [0, 5, 6])
        text = render.render_text(table.view(0), NAMES)
        assert f"Your offer is {expected}: joker, 5, 6." in text
        assert ("Variant" in text) == higher


def test_what_is_known_of_cards_passed_on_is_told_once():
    view = a_view()
    view["passed_on"][:] = 0
    view["passed_on"][0, 6] = 2
    view["passed_on"][1:3, 6] = 2
    view["passed_on"][2, 0] = 1
    view["phase"] = view["offer_giver"] = 0
    text = render.render_text(view, NAMES).replace("\n", " ")
    assert "Of the cards you passed on, player_1 still has: 6, 6." in text
    assert "Of the cards you passed on, the others together still have: joker, 6, 6." in text
    assert text.count("you passed on") == 2
    view["phase"] = view["offer_giver"] = 2
    assert "still has (in hand or offered): 6, 6." in render.render_text(view, NAMES)


@pytest.mark.parametrize("players", [2, 3, 5])
def test_cards_said_to_have_been_passed_on_are_there(players):
    names = [f"p{p}" for p in range(players)]
    told = 0
    for seat, view, truly in positions(players, 3):
        for seats, cards in render_words.passed_on(view):
            there = Counter()
            for k in seats:
                p = (seat + k) % players
                there.update(truly["hands"][p])
                if truly["offer"] and truly["offer"]["giver"] == p:
                    there.update(truly["offer"]["cards"])
            assert all(there[t] >= cards[t] for t in range(7))
            assert cards.sum() > 0
            told += 1
        text = render.render_text(view, seen_from(seat, names))
        assert text.count("you passed on") == len(render_words.passed_on(view))
    assert told > 20


def test_a_tie_for_the_fewest_cards_is_a_shared_win():
    view = a_view()
    view["phase"] = 3
    view["hand_sizes"][:4] = 3, 6, 2, 6
    view["penalty_sizes"][:4] = 5, 2, 9, 6
    result = render_words.result_in_words(view, NAMES)
    assert result == "player_0 and player_1 share the win with 8 cards each."


def test_a_challenger_without_cards_must_reject_the_highest_value():
    view = a_view()
    view["offer_value"] = 6
    view["hand_sizes"][view["to_act"]] = 0
    assert "must reject: no stronger offer could follow" in render.render_text(view, NAMES)
    view["offer_value"] = 5
    assert "is to accept or to reject" in render.render_text(view, NAMES)


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
        ("hand", 0, 7),
        ("hand", 6, 9),
        ("to_act", (), 0),
        ("offer_giver", (), 1),
        ("offer_count", (), 9),
        ("offer_value", (), 6),
        ("fresh", "giver", 6),
        ("fresh", "giver", 0),
        ("hand_sizes", 2, 31),
        ("penalty_sizes", 1, 41),
        ("shown", 5, 8),
        ("passed_on", (2, 4), 7),
        ("pile_size", (), 17),
        ("ends", (), 1),
        ("rejections", (), 33),
        ("higher_counts_as_true", (), 1),
        ("copies", (), 8),
        ("phase", (), 3),
    ],
)
def test_text_and_picture_show_each_fact(field, index, value):
    view = a_view()
    if index == "giver":
        index = int(view["offer_giver"]) - 1
        view[field][index] = 3
    text, image = render.render_text(view, NAMES), render.render_image(view, NAMES)
    assert view[field][index] != value
    view[field][index] = value
    assert render.render_text(view, NAMES) != text
    assert (render.render_image(view, NAMES) != image).any()


@pytest.mark.parametrize("offers", [4, 30, 90])
def test_text_and_picture_show_who_made_the_last_offer_of_the_chain(offers):
    view = a_view()
    with_chain(view, offers)
    text, image = render.render_text(view, NAMES), render.render_image(view, NAMES)
    last = np.flatnonzero(view["chain"])[-1]
    view["chain"].reshape(-1)[last] = 0
    view["chain"].reshape(-1)[last + 1] = 1
    assert render.render_text(view, NAMES) != text
    assert (render.render_image(view, NAMES) != image).any()


def with_chain(view, offers):
    """The first ``offers`` offers, each one stronger than the last, made in turn."""
    n = int(view["players"])
    view["chain"][:] = 0
    view["chain"].reshape(-1)[:offers] = [1 + i % n for i in range(offers)]
    view["chain_length"] = offers
    view["offer_count"], view["offer_value"] = divmod(offers - 1, 6) + np.array((1, 1))
    view["offer_giver"] = 1 + (offers - 1) % n
    if view["offer_giver"] == 1:
        view["offer_cards"][:] = 0
        view["offer_cards"][1] = view["offer_count"]


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_no_words_of_the_picture_overlap_or_are_cut_off(players, monkeypatch):
    views = [view for _, view, _ in positions(players, 3)]
    for view in [*random.Random(players).sample(views, 16), views[-1]]:
        for names in (NAMES, LONG_NAMES):
            check_words(words_in_picture(monkeypatch, render.render_image, view, names))


@pytest.mark.parametrize("offers", [1, 5, 8, 21, 33, 34, 60, 200, 396])
@pytest.mark.parametrize("players", [2, 5])
def test_a_chain_of_any_length_stays_readable(players, offers, monkeypatch):
    view = a_view(players=players)
    with_chain(view, offers)
    for names in (NAMES, LONG_NAMES):
        words = words_in_picture(monkeypatch, render.render_image, view, names)
        check_words(words)
        in_row = [t for t, box in words if 465 < box[1] < 540]
        left_out = sum(int(t.split()[0]) for t in in_row if t.endswith(" earlier"))
        shown = [t for t in in_row if re.match(r"[\w-]+ (× )?\ds?$", t)]
        assert len(shown) + left_out == offers
        assert len(shown) >= min(offers, 25)
        text = render.render_text(view, names)
        assert len(chain_in_text(text)) == offers
        assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize("cards", [0, 1, 6, 10, 11, 23, 60])
def test_a_hand_of_any_size_lies_within_the_picture(cards, monkeypatch):
    view = a_view()
    chance = random.Random(cards)
    deck = [t for t in range(7) for _ in range(9 if t else 12)]
    view["hand"][:] = np.bincount(chance.sample(deck, cards), minlength=7)
    words = words_in_picture(monkeypatch, render.render_image, view, NAMES)
    check_words(words)
    in_hand = [(text, box) for text, box in words if box[1] > render_picture.HAND_TOP]
    faces = Counter(text for text, _ in in_hand if text in TYPES)
    times = sorted(int(text[1:]) for text, _ in in_hand if text[0] == "×")
    if cards <= 10:
        assert [faces[name] for name in TYPES] == view["hand"].tolist()
    else:
        assert faces == Counter(name for name, n in zip(TYPES, view["hand"], strict=True) if n)
        assert times == sorted(n for n in view["hand"].tolist() if n > 1)
    for _, (left, top, right, bottom) in in_hand:
        assert render_picture.HAND_LEFT <= left < right <= render_picture.HAND_RIGHT
        assert top < bottom <= render_picture.HAND_BOTTOM


@pytest.mark.parametrize("size", [1, 3, 7, 10, 11, 40])
def test_the_cards_of_the_own_offer_lie_open_and_what_is_missing_too(size, monkeypatch):
    view = a_view()
    view["offer_giver"] = 1
    view["offer_count"] = size
    view["offer_cards"][:] = 0
    view["offer_cards"][2] = size // 2
    for phase in (1, 2):
        view["phase"] = phase
        view["asking"] = 4 if phase == 1 else 0
        words = words_in_picture(monkeypatch, render.render_image, view, LONG_NAMES)
        check_words(words)
        in_offer = [t for t, box in words if 280 < box[0] < 480 and 230 < box[1] < 300]
        shown = in_offer.count("2")
        if size <= 10:
            assert shown == size // 2
        else:
            assert f"×{size // 2}" in in_offer
        assert any("still missing" in t for t, _ in words) == (phase == 1)


def test_importing_the_pictures_does_not_load_drawing_libraries():
    code = (
        "import sys\n"
        "for name in ('matplotlib', 'PIL'): sys.modules[name] = None\n"  # an import would fail
        "import cardgames_env.games.dtc.render\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
