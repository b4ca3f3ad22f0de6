"""What a player reads of Dackel drauf!: the text of a view, and what happened told in words."""

import random
import re
from collections import Counter

import numpy as np
import pytest

from cardgames_env.core import drawing
from cardgames_env.core.game import apply_row, deal_row, legal_row, look_row, to_act_row
from cardgames_env.games.dackel_drauf import GAME, render, render_words
from cardgames_env.games.dackel_drauf.state import ANIMALS

NAMES = [f"player_{seat}" for seat in range(5)]
LONG_NAMES = [
    "the_extraordinarily_long_named_search_agent_0",
    "mcts_determinized_1000_simulations_variant_a",
    "Wilhelmina Wolkenbruch von Hohenstein zu Weit",
    "W" * 70,
    "another name that is long",
]
ODD_NAMES = ["a\nb", "$x_1$ \\frac", "\x1b[31mred", "", "名前の長いプレイヤーの名前の長い"]
STOP, KEEP_OPEN, CLOSE, USE_JOKERS, DECLINE = 18, 19, 20, 21, 22
USED = {"extra": "extra card", "face_down": "face-down card", "joker": "joker die"}
MICE = {"mouse": "mice", "sheep": "sheep"}
FILL = "cow cow dog dog duck duck hare hare cat cat mouse mouse horse horse sheep sheep pig pig"
NO_COW = "2 dog 2 duck 2 hare 2 cat 2 mouse 2 horse 2 sheep 1 pig"
EXAMPLE = "3 pig 2 dog 1 hare 9 sheep"


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

    def act(self, *actions):
        for action in actions:
            assert apply_row(self.states, 0, action) == 0
        return self

    def play(self, text):
        """Cards in turn: "pig (dog) -" is a pig, a dog face down, a pass or the end of a turn."""
        for word in text.split():
            if word == "-":
                self.act(STOP)
            elif word.startswith("("):
                self.act(9 + ANIMALS.index(word[1:-1]))
            else:
                self.act(ANIMALS.index(word))
        return self

    def all_pass(self):
        return self.play("- " * self.snapshot()["passed"].count(False))

    def fail(self, seat):
        """A round in which this seat plays a cow, which no die shows, and nobody anything else."""
        number, played = self.snapshot()["round"], False
        while self.snapshot()["round"] == number:
            if self.snapshot()["phase"] == "look":
                self.act(CLOSE)
            elif self.snapshot()["phase"] == "jokers":
                self.act(DECLINE)
            elif self.to_act() == seat and not played:
                played = True
                self.play("cow")
            else:
                self.play("-")

    def told(self, seat, *steps):
        """What the seat is told after each of the steps, functions of the table."""
        sentences = []
        for step in steps:
            before = self.view(seat)
            step(self)
            sentences.append(render.describe(before, self.view(seat), seen_from(seat, self.names)))
        return sentences if len(steps) > 1 else sentences[0]

    @property
    def names(self):
        return NAMES[: self.players]

    def text(self, seat):
        return render.render_text(self.view(seat), seen_from(seat, self.names))

    def play_any(self, chance, boldness=0.8):
        mask = np.zeros(GAME.num_actions, np.int8)
        legal_row(self.states, 0, mask)
        legal = np.flatnonzero(mask).tolist()
        if STOP in legal:
            if len(legal) == 1 or chance.random() > boldness:
                legal = [STOP]
            else:
                legal.remove(STOP)
                if legal[-1] > 8 and chance.random() < 0.5:
                    legal = [a for a in legal if a > 8]
        action = chance.choice(legal)
        self.act(action)
        return action


def scripted(hands, dice=NO_COW, holding=None, specials="", starter=0, **options):
    """Hands begin with the given cards; the dice show the same in every round.

    ``holding``: special cards by seat, got in earlier rounds in which they alone played, a cow that no
    die shows; ``specials``: the next ones of the pile. The lid closes after one tick.
    """
    gained = [(seat, name) for seat, text in (holding or {}).items() for name in text.split()]
    words = dice.split()
    dice = [
        ANIMALS.index(b)
        for a, b in zip(words[::2], words[1::2], strict=True)
        for _ in range(int(a))
    ]
    first = [*(name for _, name in gained), *specials.split()]
    rest = Counter(extra=3, face_down=3, joker=3) - Counter(first)
    piles = []
    for text in hands:
        wanted = text.split()
        others = Counter(FILL.split()) - Counter(wanted)
        piles.append([ANIMALS.index(name) for name in [*wanted, *others.elements()]])
    deal = {
        "starter": (starter - len(gained)) % len(hands),
        "piles": piles,
        "dice": dice,
        "special_pile": [*first, *rest.elements()],
    }
    options = {"faces": [[animal] * 6 for animal in dice], "max_looks": 1, "notice": 0.0} | options
    table = Table(len(hands), deal=deal, **options)
    for seat, _ in gained:
        table.fail(seat)
    return table


def seen_from(seat, names):
    return [*names[seat:], *names[:seat]]


OPTIONS = ({}, {"takeback": True}, {"memory": "agent"}, {"memory": "perfect", "notice": 1.0})


def random_games(players, games, **options):
    for game in range(games):
        chance = random.Random(game)
        boldness = (0.6, 0.8, 0.95)[game % 3]
        yield Table(players, game, **{"max_rounds": 12, "max_looks": 3} | options), chance, boldness


def positions(players, games, **options):
    """A view at every decision, the seats in turn, with the snapshot; and the end."""
    for table, chance, boldness in random_games(players, games, **options):
        step = 0
        while True:
            seat = step % players
            yield seat, table.view(seat), table.snapshot()
            if table.to_act() < 0:
                break
            table.play_any(chance, boldness)
            step += 1


# -- what happened: single actions -----------------------------------------------------------------


def animals(counts):
    words = []
    for a, name in enumerate(ANIMALS):
        if counts[a]:
            words.append(f"{counts[a]} {name if counts[a] == 1 else MICE.get(name, name + 's')}")
    return ", ".join(words) or "none"


def by_name(cards):
    counts = Counter(sorted(cards))
    return ", ".join(ANIMALS[a] + (f" x{k}" if k > 1 else "") for a, k in counts.items())


def number_of_cards(number):
    return "1 card" if number == 1 else f"{number} cards"


def listed(words):
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1]


def with_numbers(numbers, chain):
    return listed([f"{ANIMALS[chain[i]['animal']]} (card {i + 1})" for i in numbers])


def dice_jokers(number):
    return "a joker die" if number == 1 else f"{number} joker dice"


def remembered(state, seat):
    return Counter(
        die for die, noticed in zip(state["dice"], state["noticed"][seat], strict=True) if noticed
    )


class Oracle:
    """What the rules page says that one action did, as ``seat`` saw it; players are p0, p1, …"""

    def __init__(self, old, new, action, seat, takeback=False, max_looks=3, memory="player", **_):
        self.old, self.new, self.action, self.seat = old, new, action, seat
        self.takeback, self.max_looks, self.memory = takeback, max_looks, memory
        self.n, self.actor = old["players"], old["to_act"]
        self.order = [(old["starter"] + k) % self.n for k in range(self.n)]
        self.told = []
        self.round_is_over = old["round"] != new["round"] or new["over"]
        if old["phase"] == "look":
            self.look()
        elif old["phase"] == "chain":
            self.chain()
        if self.round_is_over or new["phase"] == "jokers":
            self.showdown()
        if memory == "agent" and "chain" == old["phase"] == new["phase"]:
            self.reminded()

    def look(self):
        new, who = self.new, f"p{self.actor}"
        ticks = new["ticks"]
        if self.action == KEEP_OPEN:
            self.told.append(
                f"{who} keeps the lid open to tick {ticks} of at most {self.max_looks}."
            )
            if ticks == self.max_looks:
                self.told.append(f"The lid closes by itself after tick {ticks}.")
            self.noticed(remembered(new, self.seat) - remembered(self.old, self.seat))
        else:
            self.told.append(f"{who} closes the lid after tick {ticks}.")

    def noticed(self, dice):
        shown = (
            self.memory != "agent" or self.new["phase"] == "look" or self.new["to_act"] == self.seat
        )
        if dice and shown:
            self.told.append(f"You have noticed: {animals(dice)}.")

    def reminded(self):
        """D5: at the first decision in the chain it is shown what was noticed."""
        old, new, seat = self.old, self.new, self.seat
        if self.turn(new) != seat or self.turn(old) == seat:
            return
        if seat not in [card["seat"] for card in new["chain"]] and remembered(new, seat):
            self.told.append(f"You remember: {animals(remembered(new, seat))}.")

    def turn(self, state):
        """Whose turn it is for the others, who do not see who is asked for an extra card."""
        if not state["again"]:
            return state["to_act"]
        others = [(state["to_act"] + k) % self.n for k in range(1, self.n + 1)]
        return next(p for p in others if not state["passed"][p])

    def chain(self):
        who, action, again = f"p{self.actor}", self.action, self.old["again"]
        self.cards = [dict(card) for card in self.old["chain"]]
        if action == STOP:
            if not again:
                self.told.append(f"{who} passes.")
            elif self.actor == self.seat:
                self.told.append(f"{who} ends the turn.")
            return
        down = action > 8
        self.cards.append({"seat": self.actor, "animal": action % 9, "face_down": down})
        hidden = down and self.seat != self.actor
        if hidden and self.new["phase"] == "chain":
            what = "a card"
        else:
            what = f"a {ANIMALS[action % 9]}"
        if down:
            what += " face down"
        if again:
            what += " with an extra card"
        if len(self.old["hands"][self.actor]) == 1:
            what += ", the last card in hand"
        self.told.append(f"{who} plays {what}.")

    def showdown(self):
        old = self.old
        entered = old["phase"] == "chain"
        if not entered:
            self.cards = old["chain"]
        self.dice = Counter(old["dice"])
        if entered:
            self.told.append(f"The lid is lifted: {animals(self.dice)}.")
            for i, card in enumerate(old["chain"]):
                if card["face_down"] and card["seat"] != self.seat:
                    name = ANIMALS[card["animal"]]
                    self.told.append(f"Card {i + 1}, face down, of p{card['seat']} is a {name}.")
        self.own = [[i for i, c in enumerate(self.cards) if c["seat"] == p] for p in range(self.n)]
        if self.takeback:
            self.variant()
        else:
            self.jokers(entered)
        if self.round_is_over:
            self.end()

    def wrong(self, p):
        """Those not among the first of their animal for which there are dice."""
        chain = [card["animal"] for card in self.cards]
        return [i for i in self.own[p] if chain[:i].count(chain[i]) >= self.dice[chain[i]]]

    def jokers(self, entered):
        wrong = self.wrong(self.actor)
        if not entered and self.action == DECLINE and self.actor == self.seat:
            self.told.append(f"p{self.seat} declines to use {dice_jokers(len(wrong))}.")
        for p in self.order if entered else ():
            if cards := self.wrong(p):
                verb = "is" if len(cards) == 1 else "are"
                self.told.append(f"Of p{p}, {with_numbers(cards, self.cards)} {verb} wrong.")
        if not entered and self.action == USE_JOKERS:
            cards = with_numbers(wrong, self.cards)
            self.told.append(f"p{self.actor} uses {dice_jokers(len(wrong))} for {cards}.")

    def failed(self):
        return [
            p
            for p in self.order
            if self.own[p] and self.new["discards"][p] == self.old["discards"][p]
        ]

    def variant(self):
        old, new, actor = self.old, self.new, self.actor
        asked = old["phase"] == "jokers"
        use = asked and self.action == USE_JOKERS
        sees = self.round_is_over or new["to_act"] == self.seat

        def out(state):
            return {c["seat"] for c in state["chain"] if c["right"] is False}

        outs = set(self.failed()) if self.round_is_over else out(new)
        known = out(old) if asked and actor == self.seat else set()
        at = [old["at"]] if asked else []
        if asked and actor == self.seat and not use:
            self.told.append(f"p{actor} declines to use a joker die.")
        for p in self.order:
            if sees and p in outs - known:
                self.told.append(f"p{p} is out with {with_numbers(self.own[p], self.cards)}.")
        if use:
            self.told.append(f"p{actor} uses a joker die for {with_numbers(at, self.cards)}.")

    def end(self):
        old, new = self.old, self.new
        pile = list(old["special_pile"])
        for p in self.order:
            cards = [self.cards[i]["animal"] for i in self.own[p]]
            if not cards:
                continue
            what = f"{number_of_cards(len(cards))}: {by_name(cards)}"
            if p not in self.failed():
                assert new["discards"][p] == old["discards"][p] + cards
                self.told.append(f"p{p} discards {what}.")
                continue
            self.told.append(f"p{p} takes back {what}.")
            if pile:
                kind = USED[pile.pop(0)]
                self.told.append(
                    f"p{p} draws a special card" + (f": {kind}." if p == self.seat else ".")
                )
        if new["over"]:
            left = [18 - len(cards) for cards in new["discards"]]
            best = [f"p{p}" for p in seen_from(self.seat, range(self.n)) if left[p] == min(left)]
            fewest = f"{number_of_cards(min(left))} left"
            one = f"{best[0]} wins with {fewest}."
            several = f"{listed(best)} share the win with {fewest} each."
            self.told.append(f"The game is over: {one if len(best) == 1 else several}")
            return
        self.told.append(f"Round {new['round']} begins: p{new['starter']} starts.")
        if self.max_looks == 1:
            self.told.append("The lid closes by itself after tick 1.")
        self.noticed(remembered(new, self.seat))


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("players", [2, 3, 5])
def test_every_action_is_told_to_every_seat_as_it_happened(players, options):
    names = [f"p{p}" for p in range(players)]
    for table, chance, boldness in random_games(players, 2, **options):
        old, before = table.snapshot(), [table.view(seat) for seat in range(players)]
        while table.to_act() >= 0:
            action = table.play_any(chance, boldness)
            new, after = table.snapshot(), [table.view(seat) for seat in range(players)]
            for seat in range(players):
                told = render.describe(before[seat], after[seat], seen_from(seat, names))
                truth = Oracle(old, new, action, seat, **options).told
                assert told == truth, (seat, action)
            old, before = new, after


# -- what happened: several actions at once --------------------------------------------------------

PLAY = re.compile(
    r"(p\d) plays a (\w+)( face down)?( with an extra card)?(, the last card in hand)?\.$"
)


def fits(sentence, event):
    """Whether it tells of an event, perhaps leaving out how a card was played."""
    told, truth = PLAY.match(sentence), PLAY.match(event)
    if not told or not truth:
        return sentence == event or sentence == re.sub(r"special card: .*", "special card.", event)
    same = told[1] == truth[1] and told[5] == truth[5] and told[2] in (truth[2], "card")
    hidden = truth[2] == "card" and told[1] == truth[1] and told[5] == truth[5]
    return (same or hidden) and told[3] in (truth[3], None) and told[4] in (truth[4], None)


OF_SEVERAL = re.compile(
    r"You (have|remember)|\d+ rounds have ended|The lid is shut|The round ends"
    r"|.* takes its cards back|.*has discarded|Before the last|Also used|.* has also used"
)


def check_story(told, events):
    """Every sentence of ``told`` must be true of ``events``, the sentences of the single actions."""
    plays = [event for event in events if PLAY.match(event)]
    place = 0
    for sentence in told:
        if PLAY.match(sentence):
            while place < len(plays) and not fits(sentence, plays[place]):
                place += 1
            assert place < len(plays), (sentence, events)
            place += 1
        elif not OF_SEVERAL.match(sentence) and "discard" not in sentence:
            assert any(fits(sentence, event) for event in events), (sentence, events)
        elif " takes its cards back" in sentence:
            assert any(event.startswith(f"{sentence[:2]} takes back") for event in events)
    if any(event.startswith(("Round", "The game")) for event in events):
        assert discarded(told) == discarded(events)
    used = sum(s.count("extra card") + s.count("face down") for s in plays)
    used += sum(number_of_jokers(s) + number_also_used(s) for s in events)
    claimed = sum(
        s.count(" with an extra card") + s.count(" face down") for s in told if PLAY.match(s)
    )
    claimed += sum(number_of_jokers(s) for s in told)
    assert claimed + sum(map(number_also_used, told)) <= used


def discarded(sentences):
    """Cards that go for good, by player and animal."""
    gone = Counter()
    for sentence in sentences:
        if found := re.search(r"(p\d) (?:has )?discard(?:s|ed) \d+ cards?: (.*)\.", sentence):
            for card in found[2].split(", "):
                name, _, number = card.partition(" x")
                gone[found[1], name] += int(number or 1)
    return gone


def number_of_jokers(sentence):
    found = re.match(r"p\d uses (a|\d+) joker", sentence)
    return 0 if not found else int(found[1]) if found[1] != "a" else 1


def number_also_used(sentence):
    found = re.match(r".*[Aa]lso used: (.*)\.", sentence)
    if not found:
        return 0
    if number := re.match(r"(\d+) special", found[1]):
        return int(number[1])
    return sum(int(card.partition(" x")[2] or 1) for card in found[1].split(", "))


def jumps(players, games, length, **options):
    """Views of a seat some actions apart, and the sentences of the single actions between them.

    Without ``length``, from each decision of the seat to its next, as a seat environment shows a game.
    """
    names = [f"p{p}" for p in range(players)]
    for table, chance, boldness in random_games(players, games, **options):
        seat = chance.randrange(players)
        before, old, events, actions = table.view(seat), table.snapshot(), [], 0
        while table.to_act() >= 0:
            action = table.play_any(chance, boldness)
            new = table.snapshot()
            events += Oracle(old, new, action, seat, **options).told
            actions, old = actions + 1, new
            at_stop = table.to_act() == seat if length is None else actions >= length
            if at_stop or table.to_act() < 0:
                after = table.view(seat)
                yield before, after, render.describe(before, after, seen_from(seat, names)), events
                before, events, actions = after, [], 0
                if length is not None:
                    length = chance.choice((2, 5, 11, 40))


@pytest.mark.parametrize("length", [None, 3])
@pytest.mark.parametrize("options", OPTIONS[:3], ids=str)
@pytest.mark.parametrize("players", [2, 3, 5])
def test_over_any_number_of_actions_nothing_false_is_told(players, options, length):
    kinds = Counter()
    for before, after, told, events in jumps(players, 3, length, **options):
        check_story(told, events)
        ended = sum(event.startswith("Round ") for event in events)
        kinds[min(2, ended)] += 1
        if before["phase"] == 1 and before["round_number"] == after["round_number"] and not ended:
            # What all saw of a chain that goes on is told without gaps.
            plays = [s for s in told if PLAY.match(s)]
            truth = [s for s in events if PLAY.match(s)]
            assert len(plays) == len(truth)
            passes = Counter(s for s in told if s.endswith(" passes."))
            assert passes == Counter(s for s in events if s.endswith(" passes."))
        elif ended and told:
            assert sum(s.startswith("Round ") for s in told) + any(
                "game is over" in s for s in told
            )
    assert kinds[0]
    assert kinds[1]
    assert kinds[2] or length is None


def test_nothing_is_told_of_nothing():
    for _, view, _ in positions(3, 2):
        assert render.describe(view, view, NAMES) == []


def test_a_game_is_told_in_one_line_a_sentence_whatever_the_names():
    for before, after, _, _ in jumps(5, 1, 3):
        for sentence in render.describe(before, after, ODD_NAMES):
            assert sentence.isprintable()


# -- what happened: an example of every kind -------------------------------------------------------

THREE_HANDS = ("pig pig hare", "dog pig", "pig hare")


def test_the_second_hare_is_told_to_be_wrong():
    table = scripted(THREE_HANDS, EXAMPLE, specials="extra")
    table.play("pig dog pig hare pig hare - -")
    assert table.told(1, lambda t: t.play("-")) == [
        "player_2 passes.",
        "The lid is lifted: 2 dogs, 1 hare, 9 sheep, 3 pigs.",
        "Of player_2, hare (card 6) is wrong.",
        "player_0 discards 2 cards: hare, pig.",
        "player_1 discards 2 cards: dog, pig.",
        "player_2 takes back 2 cards: hare, pig.",
        "player_2 draws a special card.",
        "Round 2 begins: player_1 starts.",
        "The lid closes by itself after tick 1.",
    ]


def test_only_who_draws_a_special_card_is_told_which():
    for seat, drawn in ((2, ": extra card."), (0, ".")):
        table = scripted(THREE_HANDS, EXAMPLE, specials="extra")
        table.play("pig dog pig hare pig hare - -")
        assert f"player_2 draws a special card{drawn}" in table.told(seat, lambda t: t.play("-"))


def test_who_uses_a_joker_die_is_told_but_who_is_asked_is_not():
    table = scripted(THREE_HANDS, EXAMPLE, holding={2: "joker"})
    table.play("pig dog pig hare pig hare - -")
    passing, using = table.told(0, lambda t: t.play("-"), lambda t: t.act(USE_JOKERS))
    assert passing == [
        "player_2 passes.",
        "The lid is lifted: 2 dogs, 1 hare, 9 sheep, 3 pigs.",
        "Of player_2, hare (card 6) is wrong.",
    ]
    assert using[:4] == [
        "player_2 uses a joker die for hare (card 6).",
        "player_0 discards 2 cards: hare, pig.",
        "player_1 discards 2 cards: dog, pig.",
        "player_2 discards 2 cards: hare, pig.",
    ]


@pytest.mark.parametrize(("seat", "told"), [(2, True), (0, False)])
def test_that_a_joker_die_was_declined_only_its_owner_is_told(seat, told):
    table = scripted(THREE_HANDS, EXAMPLE, holding={2: "joker"})
    table.play("pig dog pig hare pig hare - - -")
    sentences = table.told(seat, lambda t: t.act(DECLINE))
    assert ("player_2 declines to use a joker die." in sentences) == told
    assert "player_2 takes back 2 cards: hare, pig." in sentences


def test_a_card_face_down_is_told_to_its_owner_and_turned_up_in_the_showdown():
    hands = ("pig pig", "dog", "duck")
    for seat, told in ((0, "plays a pig face down."), (1, "plays a card face down.")):
        table = scripted(hands, holding={0: "face_down"})
        assert table.told(seat, lambda t: t.play("(pig)")) == [f"player_0 {told}"]
        table.play("- -")
        end = table.told(seat, lambda t: t.play("-"))
        assert ("Card 1, face down, of player_0 is a pig." in end) == (seat == 1)


def test_an_extra_card_is_told_and_who_ends_the_turn_only_to_itself():
    hands = ("pig dog", "dog", "duck")
    for seat in (0, 1):
        table = scripted(hands, holding={0: "extra extra"})
        first, second, end = table.told(
            seat, lambda t: t.play("pig"), lambda t: t.play("dog"), lambda t: t.play("-")
        )
        assert first == ["player_0 plays a pig."]
        assert second == ["player_0 plays a dog with an extra card."]
        assert end == (["player_0 ends the turn."] if seat == 0 else [])


@pytest.mark.parametrize("words", ["- - pig - pig dog", "- - pig pig dog"])
def test_which_card_was_the_extra_one_is_not_told_if_it_cannot_be_seen(words):
    """The seat alone in the chain: after the end of its turn it is its turn again."""
    table = scripted(("pig pig dog", "", ""), holding={0: "extra"}, starter=1)
    assert table.told(1, lambda t: t.play(words)) == [
        "player_0 plays a pig.",
        "player_0 plays a pig.",
        "player_0 plays a dog.",
        "player_1 passes.",
        "player_2 passes.",
        "player_0 has also used: extra card.",
    ]


def test_a_card_that_follows_ones_own_while_others_play_on_must_be_an_extra_one():
    table = scripted(("pig dog", "duck", "hare"), holding={0: "extra extra"})
    assert table.told(2, lambda t: t.play("pig dog - duck")) == [
        "player_0 plays a pig.",
        "player_0 plays a dog with an extra card.",
        "player_1 plays a duck.",
    ]


def test_who_has_played_the_last_card_in_hand_is_not_told_to_pass():
    table = scripted(("dog dog duck duck hare hare cat cat mouse mouse", "", ""), max_rounds=2)
    played = table.told(1, lambda t: t.play("dog - - dog duck duck hare hare cat cat mouse"))
    assert not any("last card in hand" in sentence for sentence in played)
    assert table.told(1, lambda t: t.play("mouse"))[:2] == [
        "player_0 plays a mouse, the last card in hand.",
        "The lid is lifted: 2 dogs, 2 ducks, 2 hares, 2 cats, 2 mice, 2 horses, 2 sheep, 1 pig.",
    ]


def test_what_is_forgotten_is_told_to_who_forgets():
    table = scripted(("dog", "duck", "hare"), EXAMPLE, notice=1.0, forget=1.0, max_looks=2)
    closing, playing = (lambda t: t.act(CLOSE)), (lambda t: t.play("dog"))
    assert table.view(1)["remembered"].sum() == 15
    assert table.told(1, closing, playing) == [
        ["player_0 closes the lid after tick 1."],
        ["player_0 plays a dog.", "You have forgotten: 2 dogs, 1 hare, 9 sheep, 3 pigs."],
    ]


def test_the_lid_is_kept_open_and_closes_by_itself():
    table = scripted(("", "", ""), max_looks=3)
    keep = (lambda t: t.act(KEEP_OPEN)), (lambda t: t.act(KEEP_OPEN))
    assert table.told(2, *keep) == [
        ["player_0 keeps the lid open to tick 2 of at most 3."],
        [
            "player_0 keeps the lid open to tick 3 of at most 3.",
            "The lid closes by itself after tick 3.",
        ],
    ]


def test_what_the_agent_is_to_remember_itself_is_told_when_it_is_shown():
    table = scripted(("dog", "duck", "hare"), EXAMPLE, notice=1.0, memory="agent", max_looks=2)
    told = table.told(1, lambda t: t.act(CLOSE), lambda t: t.play("dog"), lambda t: t.play("duck"))
    assert told == [
        ["player_0 closes the lid after tick 1."],
        ["player_0 plays a dog.", "You remember: 2 dogs, 1 hare, 9 sheep, 3 pigs."],
        ["player_1 plays a duck."],
    ]


def test_in_the_variant_who_has_a_wrong_card_is_told_to_be_out_with_all():
    table = scripted(THREE_HANDS, EXAMPLE, takeback=True)
    table.play("pig dog pig hare pig hare pig - -")
    told = table.told(0, lambda t: t.play("-"))
    assert [s for s in told if "out" in s or "wrong" in s] == [
        "player_2 is out with pig (card 3) and hare (card 6)."
    ]
    assert "player_0 discards 3 cards: hare, pig x2." in told


def test_the_end_and_who_wins_are_told():
    table = scripted(("pig", "dog dog", "dog"), EXAMPLE, max_rounds=1)
    table.play("pig dog - - dog")
    assert table.told(2, lambda t: t.play("-"))[-1] == (
        "The game is over: player_1 wins with 16 cards left."
    )
    table = scripted(("pig", "", "dog"), EXAMPLE, max_rounds=1)
    table.play("pig - dog -")
    assert table.told(2, lambda t: t.play("-"))[-1] == (
        "The game is over: player_2 and player_0 share the win with 17 cards left each."
    )


# -- text ------------------------------------------------------------------------------------------


def row_of(text, title):
    """The numbers of a row by animal; None without the row."""
    match = re.search(rf"^{re.escape(title)} +([\d. ]+)$", text, re.MULTILINE)
    return None if match is None else [0 if n == "." else int(n) for n in match[1].split()]


def counted(cards):
    return [list(cards).count(a) for a in range(9)]


def flat(text):
    return " ".join(text.split())


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("players", [2, 3, 5])
def test_the_text_shows_what_a_seat_may_know(players, options):
    phases = Counter()
    names = [f"p{p}" for p in range(players)]
    for seat, view, truly in positions(players, 2, **options):
        text = render.render_text(view, seen_from(seat, names))
        phases[truly["phase"]] += 1
        assert f"round {truly['round']} of at most 12" in text
        chain = truly["chain"]
        gone = [counted(cards) for cards in truly["discards"]]
        for p in range(players):
            assert row_of(text, f"Left: p{p}") == [2 - k for k in gone[p]]
            line = re.search(rf"^(.) p{p}(?: \(you\))? +(\d+) +([\d-]*) +(.*)$", text, re.MULTILINE)
            assert int(line[2]) == 18 - sum(gone[p])
            kinds = truly["specials"][p]
            if p == seat and kinds:
                short = [kind.replace("face_", "") for kind in kinds]
                counts = [k if n == 1 else f"{k} x{n}" for k, n in Counter(short).items()]
                order = sorted(counts, key=lambda k: ["e", "d", "j"].index(k[0]))
                assert line[4].startswith(f"{len(kinds)}: {', '.join(order)}")
            assert line[4].startswith(f"{len(kinds)}: " if kinds else "-")
            if truly["phase"] in ("look", "chain"):
                assert ("passed" in line[4]) == truly["passed"][p]
                if not truly["passed"][p]:
                    assert int(line[3]) == len(truly["hands"][p])
            if truly["phase"] == "look":
                assert (line[1] == ">") == (p == truly["to_act"])
            if truly["phase"] == "over":
                best = min(18 - sum(g) for g in gone)
                assert ("wins" in line[4]) == (18 - sum(gone[p]) == best)
        if truly["phase"] in ("look", "chain"):
            hand = truly["hands"][seat]
            if not truly["passed"][seat]:
                assert row_of(text, "Your hand") == counted(hand)
            mine = remembered(truly, seat)
            if options.get("memory") != "agent" or truly["phase"] == "look":
                assert row_of(text, "Dice you remember") == [mine[a] for a in range(9)]
                assert ("none of the 15" in text) if not mine else (animals(mine) in flat(text))
        assert ("The lid is open" in text) == (truly["phase"] == "look")
        assert ("Game over" in text) == (truly["phase"] == "over")
        if truly["phase"] == "jokers":
            assert row_of(text, "Dice") == counted(truly["dice"])
            assert (f"p{seat} uses " in text) == (truly["to_act"] == seat)
        else:
            assert row_of(text, "Dice") is None
        block = text[text.index("The chain in order") :] if chain else ""
        cells = re.findall(r"(\d+) (\[?[a-z?]+\]?)(?: ([x+j]))?(?=\s|$)", block.split("\n\n")[0])
        assert sorted(int(cell[0]) for cell in cells) == list(range(1, 1 + len(chain)))
        for number, word, _ in cells:
            card = chain[int(number) - 1]
            hidden = card["face_down"] and card["seat"] != seat and truly["phase"] == "chain"
            name = "?" if hidden else ANIMALS[card["animal"]]
            assert word == (f"[{name}]" if card["face_down"] else name)
        assert f"Special pile: {number_of_cards(len(truly['special_pile']))}" in text
        used = ", ".join(USED[kind] for kind in truly["used"])
        assert (f"in order: {used}." in flat(text)) if used else ("Used in this round" not in text)
    assert phases["look"]
    assert phases["chain"]
    assert phases["jokers"]
    assert phases["over"] == 2


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_the_text_stays_within_80_columns_and_is_plain(players, options):
    for step, (_, view, _) in enumerate(positions(players, 2, **options)):
        if step % 4 == 0:
            text = render.render_text(view, LONG_NAMES)
            assert text.isascii()
            for line in text.splitlines():
                assert len(line) <= 80
                assert line == line.rstrip()
                assert line.isprintable()


def test_names_that_cannot_be_shown_do_no_harm():
    for _, view, _ in positions(5, 1):
        text = render.render_text(view, ODD_NAMES)
        assert "\x1b" not in text
        assert max(drawing.columns(line) for line in text.splitlines()) <= 80


def test_the_chain_stands_below_its_owners_in_order():
    table = scripted(("pig dog duck", "dog", "hare duck"), holding={0: "face_down extra"})
    table.play("(pig) dog - hare duck")
    lines = table.text(1).split("\n\n")[5].splitlines()
    assert lines == [
        "The chain in order; [ ] face down:",
        "player_1                player_2                player_0",
        "                                                 1 [?]",
        "                                                 2 dog",
        "                         3 hare                  4 duck",
    ]
    assert " 1 [pig]" in table.text(0)


def test_once_judged_the_chain_shows_which_cards_are_wrong():
    table = scripted(THREE_HANDS, EXAMPLE, holding={2: "joker"})
    table.play("pig dog pig hare pig hare - - -")
    for seat in (0, 2):
        text = table.text(seat)
        assert "+ right, x wrong, j by a joker die" in text
        assert {" 3 pig +", " 6 hare x", " 1 pig +"} <= set(re.findall(r" \d \w+ [+xj]", text))
    assert "player_2 uses a joker die for hare (card 6) or declines." in flat(table.text(2))
    assert "Another player decides about joker dice; who, is not told." in table.text(0)
    table.act(USE_JOKERS)
    assert "player_2 was right with 3 pig, 6 hare; by joker dice: 6 hare." in flat(table.text(0))


def test_the_showdown_of_the_round_before_is_shown():
    table = scripted(THREE_HANDS, EXAMPLE)
    assert "round before" not in table.text(0)
    table.play("pig dog pig hare pig hare - - -")
    text = flat(table.text(0))
    assert "round before: the dice were 2 dogs, 1 hare, 9 sheep, 3 pigs." in text
    assert "player_2 had wrong 6 hare." in text
    assert "player_1 was right with 2 dog, 5 pig." in text
    assert row_of(table.text(0), "  known to be there") == [0, 0, 1, 0, 0, 0, 0, 0, 1]
    assert row_of(table.text(2), "  known to be there") is None


def test_who_is_asked_for_an_extra_card_is_shown_only_to_itself():
    texts = {}
    for holding in ("extra", "joker"):
        table = scripted(("pig dog", "dog", "duck"), holding={0: holding})
        table.play("pig")
        texts[holding] = [table.text(seat) for seat in range(3)]
        asked = "player_0 plays another card with an extra card or ends the turn."
        assert (asked in flat(texts[holding][0])) == (holding == "extra")
        assert "player_1 plays a card or passes." in texts[holding][1]
    assert texts["extra"][1:] == texts["joker"][1:]


def test_in_agents_memory_the_text_says_what_is_not_shown():
    table = scripted(("dog", "duck", "hare"), EXAMPLE, notice=1.0, memory="agent", max_looks=2)
    hidden = "What you remember of the dice is not shown now"
    assert hidden not in table.text(1)
    table.act(CLOSE)
    assert hidden in table.text(1)
    assert hidden not in table.text(0)
    assert row_of(table.text(1), "Dice you remember") is None


def test_what_is_known_of_special_cards_is_shown():
    table = scripted(("pig dog", "dog", "duck"), EXAMPLE, holding={0: "extra"}, specials="joker")
    table.play("pig dog - - -").all_pass()
    text = table.text(0)
    assert "Special pile: 9 cards, next first: ?, ?, ?, ?, ?, ?, ?, ?, extra." in text


@pytest.mark.parametrize(
    ("field", "index", "value"),
    [
        ("round_number", (), 7),
        ("rounds_left", (), 3),
        ("starter", (), 2),
        ("phase", (), 3),
        ("to_act", (), 3),
        ("again", (), 1),
        ("ticks", (), 3),
        ("remembered", 4, 9),
        ("hand", 4, 1),
        ("special", 1, 3),
        ("hand_sizes", 2, 3),
        ("passed", 2, 1),
        ("left", (1, 3), 0),
        ("cards_left", 1, 5),
        ("known", (2, 4), 2),
        ("chain_animals", 1, 4),
        ("chain_seats", 2, 3),
        ("chain_down", 1, 1),
        ("chain_right", 1, 1),
        ("special_counts", 2, 4),
        ("special_known", (1, 2), 1),
        ("special_size", (), 4),
        ("special_pile", 2, 3),
        ("used", 0, 2),
        ("last_dice", 2, 9),
        ("last_seats", 0, 3),
        ("last_animals", 0, 7),
        ("last_right", 0, 1),
        ("win_threshold", (), 0),
        ("takeback", (), 1),
    ],
)
def test_the_text_shows_each_fact(field, index, value):
    table = scripted(THREE_HANDS, EXAMPLE, holding={0: "joker", 1: "extra"}, starter=1)
    table.play("dog - pig pig - hare pig -")
    view = table.view(0)
    for name, number in (("phase", 1), ("to_act", 2), ("passed", 0), ("last_length", 2)):
        view[name][...] = number
    view["last_seats"][:2], view["last_animals"][:2] = (1, 2), (5, 5)
    view["last_right"][:2] = 2
    view["special_counts"][1] = 2
    if field == "again":
        view["to_act"][...] = 1
    text = render.render_text(view, NAMES)
    assert view[field][index] != value
    view[field][index] = value
    assert render.render_text(view, NAMES) != text


def test_a_count_of_rounds_that_is_cut_off_is_not_told_as_exact():
    view = scripted(("", "", ""), max_rounds=5000).view(0)
    assert "round 1 of" not in render.render_text(view, NAMES)
    view["round_number"][...] = 1000
    assert "round 1000 or later" in render.render_text(view, NAMES)
    later = {name: value.copy() for name, value in view.items()}
    later["starter"][...] = (view["starter"] + 1) % 3
    assert render_words.rounds_ended(view, later) == 1
