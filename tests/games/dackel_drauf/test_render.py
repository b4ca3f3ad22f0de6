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
    dice = [ANIMALS.index(b) for a, b in zip(words[::2], words[1::2], strict=True) for _ in range(int(a))]
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
            self.told.append(f"{who} keeps the lid open to tick {ticks} of at most {self.max_looks}.")
            if ticks == self.max_looks:
                self.told.append(f"The lid closes by itself after tick {ticks}.")
            self.noticed(remembered(new, self.seat) - remembered(self.old, self.seat))
        else:
            self.told.append(f"{who} closes the lid after tick {ticks}.")

    def noticed(self, dice):
        shown = self.memory != "agent" or self.new["phase"] == "look" or self.new["to_act"] == self.seat
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
        old, new = self.old, self.new
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
        return [p for p in self.order if self.own[p] and self.new["discards"][p] == self.old["discards"][p]]

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
        if asked and actor == self.seat:
            if not use:
                self.told.append(f"p{actor} declines to use a joker die.")
            elif actor in outs:
                self.told.append(f"p{actor} uses a joker die for {with_numbers(at, self.cards)}.")
        for p in self.order:
            if sees and p in outs - known:
                self.told.append(f"p{p} is out with {with_numbers(self.own[p], self.cards)}.")
        if use and actor not in outs:
            self.told.append(f"p{actor} uses a joker die for {with_numbers(at, self.cards)}.")
        elif use and actor != self.seat:
            self.told.append(f"p{actor} has also used: joker die.")

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
                self.told.append(f"p{p} draws a special card" + (f": {kind}." if p == self.seat else "."))
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
    for table, chance, boldness in random_games(players, 3, **options):
        old, before = table.snapshot(), [table.view(seat) for seat in range(players)]
        while table.to_act() >= 0:
            action = table.play_any(chance, boldness)
            new, after = table.snapshot(), [table.view(seat) for seat in range(players)]
            for seat in range(players):
                told = render.describe(before[seat], after[seat], seen_from(seat, names))
                truth = Oracle(old, new, action, seat, **options).told
                assert told == truth, (seat, action)
            old, before = new, after
