"""Dackel drauf! by the rules: each rule and decision at the table, for the reference and the environment.

Numbers of decisions (D1 …) are those of the project's rules page. Cards and dice are written with the
animals' names: hands "pig pig hare", dice "3 pig 2 dog 1 hare 9 sheep", a chain "pig (dog) -": a pig, a
dog face down, a pass (or the end of a turn).
"""

import itertools
import math
import random
from collections import Counter
from functools import partial

import numpy as np
import pytest

import cardgames_env
from cardgames_env import dackel_drauf_v0
from tests.contract.play import seen_by
from tests.games.dackel_drauf.reference import Reference, judge, judge_with_takeback
from tests.reference_rng import Stream

ROOT = 20181

NAMES = ["dog", "duck", "hare", "cat", "cow", "mouse", "horse", "sheep", "pig"]
COPIES = Counter(dict.fromkeys(NAMES, 2))
FILL = "cow cow dog dog duck duck hare hare cat cat mouse mouse horse horse sheep sheep pig pig"
SPECIALS = Counter(extra=3, face_down=3, joker=3)  # D2
PLENTY = "2 dog 2 duck 2 hare 2 cat 2 mouse 2 horse 2 sheep 1 pig"  # no cow: a cow is wrong

STOP, KEEP_OPEN, CLOSE, USE_JOKERS, DECLINE = 18, 19, 20, 21, 22
OTHER_ACTIONS = (-1, 23, 100)


def faces_of_the_page():
    """D1: each die lacks three animals."""
    lacking = "012 345 678 036 147 258 048 156 237 057 138 246 024 168 357"
    return [[a for a in range(9) if str(a) not in three] for three in lacking.split()]


def numbers(names):
    """The animals of a text, or of a list of names."""
    return [NAMES.index(name) for name in (names.split() if isinstance(names, str) else names)]


def named(animals):
    return " ".join(NAMES[animal] for animal in animals)


def dice_of(text):
    """15 dice from a text like "3 pig 2 dog 1 hare 9 sheep"."""
    words = text.split()
    dice = []
    for count, name in zip(words[::2], words[1::2], strict=True):
        dice += [name] * int(count)
    assert len(dice) == 15
    return numbers(dice)


def pile_of(text):
    """A player's 18 cards: first those of the text, then the others."""
    first = text.split()
    rest = COPIES - Counter(first)
    assert rest.total() + len(first) == 18
    later = [name for name in dict.fromkeys(FILL.split()) for _ in range(rest[name])]
    return numbers(first + later)


def specials_of(text):
    """The special pile: first those of the text, then the others."""
    first = text.split()
    rest = SPECIALS - Counter(first)
    assert rest.total() + len(first) == 9
    return first + list(rest.elements())


class OnReference:
    """A game played by the plain-Python reference."""

    def __init__(self, players, options, deal):
        self.game = Reference(players, **options, chance=Stream(1, 0), deal=deal)
        self.step = self.game.apply
        self.legal = self.game.legal
        self.snapshot = self.game.snapshot
        self.scores = self.game.scores
        self.ranks = self.game.ranks
        self.win_shares = self.game.win_shares


class OnEnvironment:
    """The same game played in the turn-based environment."""

    def __init__(self, players, options, deal):
        self.env = dackel_drauf_v0.raw_env(num_players=players, **options)
        self.env.reset(seed=1, options={"deal": deal})
        self.step = self.env.step
        self.snapshot = self.env.snapshot

    def legal(self):
        mask = self.env.observe(self.env.agent_selection)["action_mask"]
        return np.flatnonzero(mask).tolist()

    def scores(self):
        return [self.env.infos[agent]["score"] for agent in self.env.agents]

    def ranks(self):
        return [self.env.infos[agent]["rank"] for agent in self.env.agents]

    def win_shares(self):
        return [self.env.rewards[agent] + 1 / len(self.env.agents) for agent in self.env.agents]


KINDS = {"reference": OnReference, "environment": OnEnvironment}


class Table:
    """A game whose cards and dice a test lays and plays.

    hands: a text for every seat, the first cards of its pile; what is missing is filled up.
    dice: what they show in every round, since each has six equal faces (unless ``faces`` are given).
    holding: the special cards that seats hold, by seat: "joker extra". They have got them in earlier
        rounds, in which they alone played, a cow that no die shows.
    specials: the special pile then, its next cards.
    starter: who starts then.
    The lid closes after one tick, unless ``max_looks`` is given.
    """

    def __init__(self, kind, hands=("", "", ""), dice=PLENTY, holding=None, specials="",
                 starter=0, **options):  # fmt: skip
        gained = [(seat, name) for seat, text in (holding or {}).items() for name in text.split()]
        dice = dice_of(dice)
        deal = {
            "starter": (starter - len(gained)) % len(hands),
            "piles": [pile_of(text) for text in hands],
            "dice": dice,
            "special_pile": specials_of(" ".join([*(name for _, name in gained), specials])),
        }
        self.deal = deal
        options = {"faces": [[animal] * 6 for animal in dice], "max_looks": 1} | options
        self.game = KINDS[kind](len(hands), options, deal)
        for seat, _ in gained:
            self.fail(seat)

    def __getattr__(self, name):
        """``to_act``, ``phase``, ``piles``, ``passed``, ``used`` …"""
        return self.game.snapshot()[name]

    def legal(self):
        return self.game.legal()

    # What lies on the table, by name.

    def hand(self, seat):
        return named(self.hands[seat])

    def pile(self, seat):
        return named(self.piles[seat])

    def discarded(self, seat):
        return named(self.discards[seat])

    def held(self, seat):
        return " ".join(self.specials[seat])

    def row(self):
        """The chain: "0 pig, 1 dog, 2 (pig)"."""
        words = "{} ({})", "{} {}"
        return ", ".join(
            words[not card["face_down"]].format(card["seat"], NAMES[card["animal"]])
            for card in self.chain
        )

    def marks(self):
        """The chain's cards: right +, wrong -, not judged ?."""
        return "".join({True: "+", False: "-", None: "?"}[card["right"]] for card in self.chain)

    def may_play(self):
        """What the seat to act may play, in the form of ``play``."""
        words = [*NAMES, *(f"({name})" for name in NAMES), "-"]
        assert all(action < len(words) for action in self.legal())
        return " ".join(words[action] for action in self.legal())

    # What is done.

    def in_phase(self, phase, action):
        assert self.phase == phase
        self.game.step(action)
        return self

    def play(self, text):
        """Cards in turn: "pig (dog) -" is a pig, a dog face down, a pass or the end of a turn."""
        for word in text.split():
            if word == "-":
                self.in_phase("chain", STOP)
            elif word.startswith("("):
                self.in_phase("chain", 9 + NAMES.index(word[1:-1]))
            else:
                self.in_phase("chain", NAMES.index(word))
        return self

    def all_pass(self):
        """Everybody still in the round."""
        for _ in range(self.passed.count(False)):
            self.play("-")
        return self

    def use_jokers(self):
        return self.in_phase("jokers", USE_JOKERS)

    def decline(self):
        return self.in_phase("jokers", DECLINE)

    def keep_open(self):
        return self.in_phase("look", KEEP_OPEN)

    def close(self):
        return self.in_phase("look", CLOSE)

    def fail(self, *seats):
        """A round in which these seats play a cow, which no die shows, and nobody anything else."""
        assert NAMES.index("cow") not in self.dice
        number, to_play = self.round, set(seats)
        while self.round == number and not self.over:
            if self.phase == "look":
                self.close()
            elif self.phase == "jokers":
                self.decline()
            elif self.to_act in to_play:
                to_play.remove(self.to_act)
                self.play("cow")
            else:
                self.play("-")
        return self


@pytest.fixture(params=KINDS)
def lay(request):
    """Lays a deal, in one run for the reference and in one for the environment."""
    return partial(Table, request.param)


@pytest.fixture
def lay_for_eyes():
    """Lays a deal for the environment, whose views the test compares."""
    return partial(Table, "environment")


def refused(table, action):
    """An action that is refused, and changes nothing."""
    before = table.game.snapshot()
    with pytest.raises(ValueError):  # noqa: PT011 (the words differ)
        table.game.step(action)
    return table.game.snapshot() == before


# -- the worked examples of the rules page ---------------------------------------------------------

EXAMPLE = "3 pig 2 dog 1 hare 9 sheep"
THREE_HANDS = ("pig pig hare", "dog pig", "pig hare")  # A, B and C


def test_the_second_hare_is_wrong(lay):
    table = lay(THREE_HANDS, EXAMPLE, specials="extra")
    hand = table.hand(2)
    table.play("pig dog pig hare pig hare").all_pass()
    assert table.round == 2
    assert [table.discarded(seat) for seat in range(3)] == ["pig hare", "dog pig", ""]
    assert [table.held(seat) for seat in range(3)] == ["", "", "extra"]
    assert table.hand(2) == hand


def test_with_a_joker_die_the_second_hare_is_right(lay):
    table = lay(THREE_HANDS, EXAMPLE, holding={2: "joker"}, specials="extra")
    table.play("pig dog pig hare pig hare").all_pass()
    assert (table.phase, table.to_act, table.marks()) == ("jokers", 2, "+++++-")
    table.use_jokers()
    assert [table.discarded(seat) for seat in range(3)] == ["pig hare", "dog pig", "pig hare"]
    assert [table.held(seat) for seat in range(3)] == ["", "", ""]


@pytest.mark.parametrize("takeback", [False, True])
def test_in_the_variant_a_further_pig_finds_the_die_that_was_taken_back(lay, takeback):
    table = lay(THREE_HANDS, EXAMPLE, takeback=takeback)
    table.play("pig dog pig hare pig hare pig").all_pass()
    held = [table.held(seat) != "" for seat in range(3)]
    if takeback:
        assert held == [False, False, True]
        assert table.discarded(0) == "pig hare pig"
    else:
        assert held == [True, False, True]
        assert table.discarded(0) == ""
    assert table.discarded(1) == "dog pig"


# -- material and options --------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_every_player_has_each_animal_twice_and_ten_of_the_18_cards_in_hand(players):
    env = dackel_drauf_v0.raw_env(num_players=players)
    for number in range(20):
        env.reset(seed=ROOT if number == 0 else None)
        reference = Reference(players, chance=Stream(ROOT, number))
        snapshot = env.snapshot()
        assert snapshot == reference.snapshot()
        assert [len(hand) for hand in snapshot["hands"]] == [10] * players
        for hand, pile in zip(snapshot["hands"], snapshot["piles"], strict=True):
            assert Counter(NAMES[animal] for animal in hand + pile) == COPIES


def test_the_deal_mixes_cards_special_cards_and_starting_players():
    env = dackel_drauf_v0.raw_env(num_players=4)
    games = 2000
    starters, first_kind, last_kind, tops = Counter(), Counter(), Counter(), [Counter(), Counter()]
    for number in range(games):
        env.reset(seed=ROOT if number == 0 else None)
        snapshot = env.snapshot()
        starters[snapshot["starter"]] += 1
        first_kind[snapshot["special_pile"][0]] += 1
        last_kind[snapshot["special_pile"][8]] += 1
        for seat in (0, 1):
            tops[seat][snapshot["piles"][3 * seat][0]] += 1
    for counts, ways in (
        (starters, 4),
        (first_kind, 3),
        (last_kind, 3),
        (tops[0], 9),
        (tops[1], 9),
    ):
        assert len(counts) == ways
        chi = sum((count - games / ways) ** 2 / (games / ways) for count in counts.values())
        assert chi < 35  # eight degrees of freedom at most: one in twenty-five thousand


def test_d2_the_special_cards_are_three_of_each_kind():
    env = dackel_drauf_v0.raw_env()
    env.reset(seed=ROOT)
    assert Counter(env.snapshot()["special_pile"]) == SPECIALS
    assert env.snapshot()["specials"] == [[], [], []]


def test_three_players_if_nothing_is_said():
    for env in (dackel_drauf_v0.env(), cardgames_env.make("dackel_drauf_v0")):
        env.reset(seed=1)
        assert env.snapshot()["players"] == 3


def test_d1_the_dice_have_six_different_animals_and_every_animal_is_on_ten_dice():
    faces = faces_of_the_page()
    assert [len(set(six)) for six in faces] == [6] * 15
    assert all(six == sorted(six) for six in faces)
    assert Counter(animal for six in faces for animal in six) == dict.fromkeys(range(9), 10)


def test_d1_each_die_shows_its_six_faces_equally_often():
    env = dackel_drauf_v0.raw_env()
    seen = [Counter() for _ in range(15)]
    games = 1500
    for number in range(games):
        env.reset(seed=ROOT if number == 0 else None)
        for die, animal in enumerate(env.snapshot()["dice"]):
            seen[die][animal] += 1
    for counts, six in zip(seen, faces_of_the_page(), strict=True):
        assert sorted(counts) == six
        chi = sum((count - games / 6) ** 2 / (games / 6) for count in counts.values())
        assert chi < 32  # five degrees of freedom: one in 160,000


def test_d1_a_face_that_is_on_a_die_twice_is_thrown_twice_as_often():
    """Dice of the caller: the first with a dog on three sides."""
    faces = [[0, 0, 0, 1, 2, 3]] + [[8] * 6] * 14
    env = dackel_drauf_v0.raw_env(faces=faces)
    shown = Counter()
    for number in range(1200):
        env.reset(seed=ROOT if number == 0 else None)
        assert env.snapshot()["dice"][1:] == [8] * 14
        shown[env.snapshot()["dice"][0]] += 1
    assert 520 < shown[0] < 680
    assert sorted(shown) == [0, 1, 2, 3]


BAD_OPTIONS = [
    ({"num_players": 1}, "num_players"),
    ({"num_players": 6}, "num_players"),
    ({"faces": [[0, 1, 2, 3, 4, 5]] * 14}, "faces"),
    ({"faces": [[0, 1, 2, 3, 4, 5]] * 16}, "faces"),
    ({"faces": [[0, 1, 2, 3, 4, 5]] * 14 + [[0, 1, 2, 3, 4]]}, "faces"),
    ({"faces": [[0, 1, 2, 3, 4, 5]] * 14 + [[0, 1, 2, 3, 4, 5, 6]]}, "faces"),
    ({"faces": [[0, 1, 2, 3, 4, 9]] * 15}, "faces"),
    ({"faces": [[0, 1, 2, 3, 4, -1]] * 15}, "faces"),
    ({"win_threshold": -1}, "win_threshold"),
    ({"win_threshold": 18}, "win_threshold"),
    ({"notice": -0.1}, "notice"),
    ({"notice": 1.1}, "notice"),
    ({"notice": math.nan}, "notice"),
    ({"forget": -0.1}, "forget"),
    ({"forget": 1.1}, "forget"),
    ({"forget": math.nan}, "forget"),
    ({"max_looks": 0}, "max_looks"),
    ({"max_looks": 1001}, "max_looks"),
    ({"memory": "human"}, "memory"),
    ({"memory": ""}, "memory"),
    ({"takeback": "yes"}, "takeback"),
    ({"max_rounds": 0}, "max_rounds"),
    ({"max_rounds": 10001}, "max_rounds"),
]
BAD_FOR_THE_ENVIRONMENT = [
    ({"num_players": 2.0}, "num_players"),
    ({"num_players": True}, "num_players"),
    ({"num_players": None}, "num_players"),
    ({"faces": "animals"}, "faces"),
    ({"faces": 6}, "faces"),
    ({"faces": [[0.0, 1, 2, 3, 4, 5]] * 15}, "faces"),
    ({"faces": [["dog"] * 6] * 15}, "faces"),
    ({"faces": [3] * 15}, "faces"),
    ({"win_threshold": 2.0}, "win_threshold"),
    ({"win_threshold": "2"}, "win_threshold"),
    ({"notice": "often"}, "notice"),
    ({"notice": None}, "notice"),
    ({"forget": "never"}, "forget"),
    ({"forget": math.inf}, "forget"),
    ({"max_looks": None}, "max_looks"),
    ({"max_looks": 2.5}, "max_looks"),
    ({"memory": None}, "memory"),
    ({"memory": 1}, "memory"),
    ({"takeback": None}, "takeback"),
    ({"max_rounds": None}, "max_rounds"),
    ({"max_rounds": 1.5}, "max_rounds"),
    ({"forgets": 0.1}, "did you mean 'forget'"),
    ({"players": 3}, "num_players"),
]


@pytest.mark.parametrize(("options", "word"), BAD_OPTIONS)
def test_options_that_the_rules_do_not_allow_are_refused_by_both(options, word):
    with pytest.raises(ValueError, match=word):
        Reference(**options, chance=Stream(1, 0))
    with pytest.raises(ValueError, match=word):
        cardgames_env.make("dackel_drauf_v0", **options)


@pytest.mark.parametrize(("options", "word"), BAD_FOR_THE_ENVIRONMENT)
def test_options_that_are_no_such_thing_are_refused_by_name(options, word):
    with pytest.raises(ValueError, match=word):
        cardgames_env.make("dackel_drauf_v0", **options)


@pytest.mark.parametrize(
    "options",
    [
        {"notice": 0, "forget": 1},
        {"notice": 1, "forget": 0},
        {"notice": 1.0, "forget": 1.0},
        {"win_threshold": 0},
        {"win_threshold": 17},
        {"max_looks": 1000},
        {"max_rounds": 10000},
        {"memory": "agent", "takeback": True},
        {"faces": [[8] * 6] * 15},
        {"faces": np.full((15, 6), 8)},
        {"faces": [(0, 1, 2, 3, 4, 5)] * 15},
    ],
)
def test_options_at_their_bounds_are_taken(options):
    env = cardgames_env.make("dackel_drauf_v0", **options)
    env.reset(seed=ROOT)
    assert env.snapshot() == Reference(**options, chance=Stream(ROOT, 0)).snapshot()


# -- scripted deals --------------------------------------------------------------------------------


def a_deal(players=3):
    """One that the set-up could make, of dice with the faces of D1."""
    return {
        "starter": 1,
        "piles": [pile_of("") for _ in range(players)],
        "dice": [six[die % 6] for die, six in enumerate(faces_of_the_page())],
        "special_pile": specials_of(""),
    }


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_the_whole_state_after_a_scripted_deal(players):
    deal = a_deal(players)
    options = {"num_players": players, "notice": 0.0}
    env = dackel_drauf_v0.raw_env(**options)
    env.reset(seed=1, options={"deal": deal})
    reference = Reference(**options, chance=Stream(1, 0), deal=deal)
    for snapshot in (env.snapshot(), reference.snapshot()):
        assert snapshot == {
            "players": players,
            "round": 1,
            "starter": 1,
            "to_act": 1,
            "phase": "look",
            "again": False,
            "at": None,
            "piles": [numbers(FILL.split()[10:])] * players,
            "hands": [sorted(numbers(FILL.split()[:10]))] * players,
            "chain": [],
            "dice": deal["dice"],
            "noticed": [[False] * 15] * players,
            "ticks": 1,
            "passed": [False] * players,
            "specials": [[]] * players,
            "special_pile": deal["special_pile"],
            "used": [],
            "discards": [[]] * players,
            "over": False,
        }


def test_a_scripted_deal_draws_only_the_first_tick_from_the_stream():
    """What is noticed at first is decided by the first words of the game's stream."""
    env = dackel_drauf_v0.raw_env(notice=0.5)
    env.reset(seed=ROOT, options={"deal": a_deal()})
    stream = Stream(ROOT, 0)
    noticed = []
    for _ in range(3):
        words = [stream.next() for _ in range(8)]
        halves = [half for word in words for half in (word % 2**32, word // 2**32)]
        noticed.append([half < 2**31 for half in halves[:15]])
    assert env.snapshot()["noticed"] == noticed


BAD_DEALS = {
    "no starter": (lambda deal: deal.pop("starter"), "starter"),
    "no piles": (lambda deal: deal.pop("piles"), "piles"),
    "no dice": (lambda deal: deal.pop("dice"), "dice"),
    "no special pile": (lambda deal: deal.pop("special_pile"), "special_pile"),
    "one thing more": (lambda deal: deal.update(hands=[]), "hands"),
    "a fourth seat starts": (lambda deal: deal.update(starter=3), "starter"),
    "seat -1 starts": (lambda deal: deal.update(starter=-1), "starter"),
    "nobody starts": (lambda deal: deal.update(starter=None), "starter"),
    "a pile too many": (lambda deal: deal["piles"].append(pile_of("")), "piles"),
    "a pile too few": (lambda deal: deal["piles"].pop(), "piles"),
    "17 cards": (lambda deal: deal["piles"][1].pop(), "piles"),
    "19 cards": (lambda deal: deal["piles"][1].append(0), "piles"),
    "three dogs": (lambda deal: deal["piles"][1].__setitem__(17, 0), "piles"),
    "a tenth animal": (lambda deal: deal["piles"][1].__setitem__(17, 9), "piles"),
    "an animal -1": (lambda deal: deal["piles"][1].__setitem__(17, -1), "piles"),
    "14 dice": (lambda deal: deal["dice"].pop(), "dice"),
    "16 dice": (lambda deal: deal["dice"].append(8), "dice"),
    "a dog on die 0, which has none": (lambda deal: deal["dice"].__setitem__(0, 0), "dice"),
    "a die shows animal 9": (lambda deal: deal["dice"].__setitem__(0, 9), "dice"),
    "eight special cards": (lambda deal: deal["special_pile"].pop(), "special_pile"),
    "ten special cards": (lambda deal: deal["special_pile"].append("joker"), "special_pile"),
    "a fourth joker": (lambda deal: deal["special_pile"].__setitem__(0, "joker"), "special_pile"),
    "another kind": (lambda deal: deal["special_pile"].__setitem__(0, "dackel"), "special_pile"),
}


@pytest.mark.parametrize("bad", BAD_DEALS)
def test_a_deal_that_the_set_up_could_not_make_is_refused_and_named(bad):
    damage, word = BAD_DEALS[bad]
    deal = a_deal()
    env = dackel_drauf_v0.raw_env()
    env.reset(seed=1, options={"deal": deal})
    before = env.snapshot(), env.state().tobytes()
    Reference(chance=Stream(1, 0), deal=deal)
    damage(deal)
    with pytest.raises(ValueError, match=word):
        env.reset(seed=2, options={"deal": deal})
    assert (env.snapshot(), env.state().tobytes()) == before
    with pytest.raises((ValueError, TypeError)):
        Reference(chance=Stream(1, 0), deal=deal)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("starter", 1.0),
        ("starter", "1"),
        ("starter", True),
        ("piles", 3),
        ("piles", [3, 4, 5]),
        ("piles", ["many"] * 3),
        ("dice", "fifteen"),
        ("dice", [3.0] * 15),
        ("special_pile", 9),
        ("special_pile", "joker"),
        ("special_pile", [2.5] * 9),
    ],
)
def test_a_deal_of_other_things_is_refused_and_named(name, value):
    env = dackel_drauf_v0.raw_env()
    with pytest.raises(ValueError, match=name):
        env.reset(seed=1, options={"deal": a_deal() | {name: value}})


def test_dealt_dice_must_fit_the_callers_faces(lay):
    faces = [[0, 1, 2, 3, 4, 5]] * 14 + [[6] * 6]
    lay(dice="14 dog 1 horse", faces=faces)
    for dice in ("15 dog", "14 horse 1 horse", "13 dog 1 pig 1 horse"):
        with pytest.raises(ValueError, match="dice"):
            lay(dice=dice, faces=faces)


def test_what_the_deal_was_made_of_may_change_later():
    deal = a_deal()
    env = dackel_drauf_v0.raw_env()
    env.reset(seed=1, options={"deal": deal})
    before = env.snapshot()
    for pile in (*deal["piles"], deal["dice"], deal["special_pile"]):
        pile.clear()
    assert env.snapshot() == before


# -- a round begins --------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_the_start_passes_to_the_left_every_round(lay, players):
    table = lay([""] * players, starter=1)
    for number in range(2 * players + 1):
        assert (table.round, table.starter) == (number + 1, (1 + number) % players)
        assert table.to_act == table.starter
        table.all_pass()


def test_the_hand_is_the_top_ten_of_the_pile(lay):
    table = lay(["pig sheep horse mouse pig dog cat hare duck sheep", "", ""])
    assert table.hand(0) == "dog duck hare cat mouse horse sheep sheep pig pig"
    assert table.pile(0) == "cow cow dog duck hare cat mouse horse"


def test_with_fewer_than_ten_cards_left_the_hand_is_all_of_them(lay):
    """18, then 14, then 10, then 7 cards left."""
    table = lay(["dog duck hare cat dog duck hare cat", "", ""], win_threshold=0)
    table.play("dog - - duck hare cat").all_pass()
    assert (len(table.hands[0]), len(table.piles[0])) == (10, 4)
    table.play("- - dog duck hare cat").all_pass()
    assert (len(table.hands[0]), len(table.piles[0])) == (10, 0)
    table.play("- mouse - horse sheep").all_pass()
    assert (len(table.hands[0]), len(table.piles[0])) == (7, 0)


def test_the_dice_are_thrown_again_every_round():
    env = dackel_drauf_v0.raw_env(max_looks=1)
    env.reset(seed=ROOT)
    dice = []
    for number in range(1, 9):
        assert env.snapshot()["round"] == number
        dice.append(tuple(env.snapshot()["dice"]))
        for _ in range(3):
            env.step(STOP)
    assert len(set(dice)) == 8


# -- the look --------------------------------------------------------------------------------------


@pytest.mark.parametrize("starter", [0, 1, 2])
def test_d4_only_the_starting_player_decides_about_the_lid(lay, starter):
    table = lay(starter=starter, max_looks=5)
    for ticks in (1, 2, 3):
        assert (table.phase, table.to_act, table.ticks) == ("look", starter, ticks)
        assert table.legal() == [KEEP_OPEN, CLOSE]
        table.keep_open()
    table.close()
    assert (table.phase, table.to_act, table.ticks) == ("chain", starter, 4)


def test_d4_after_max_looks_ticks_the_lid_closes_by_itself(lay):
    table = lay(max_looks=3).keep_open().keep_open()
    assert (table.phase, table.to_act, table.ticks) == ("chain", 0, 3)


def test_d4_five_ticks_at_most_if_nothing_is_said():
    env = dackel_drauf_v0.raw_env()
    env.reset(seed=1)
    for ticks in (1, 2, 3, 4):
        assert (env.snapshot()["phase"], env.snapshot()["ticks"]) == ("look", ticks)
        env.step(KEEP_OPEN)
    assert (env.snapshot()["phase"], env.snapshot()["ticks"]) == ("chain", 5)


def test_d4_with_max_looks_1_the_lid_is_not_asked_about_and_one_tick_takes_place(lay):
    table = lay(max_looks=1, notice=1.0)
    assert (table.phase, table.ticks) == ("chain", 1)
    assert table.noticed == [[True] * 15] * 3


def test_d4_the_lid_can_be_closed_after_the_first_tick(lay):
    table = lay(max_looks=5, notice=0.0).close()
    assert (table.phase, table.ticks) == ("chain", 1)
    assert table.noticed == [[False] * 15] * 3


def test_nothing_else_can_be_done_at_the_look(lay):
    table = lay(max_looks=5)
    for action in (*range(19), USE_JOKERS, DECLINE, *OTHER_ACTIONS):
        assert refused(table, action)


def test_the_lid_stays_closed_during_the_chain(lay):
    table = lay(max_looks=5).close().play("dog")
    for action in (KEEP_OPEN, CLOSE, USE_JOKERS, DECLINE, *OTHER_ACTIONS):
        assert refused(table, action)


def test_d4_every_player_notices_each_die_independently_with_the_same_probability_at_every_tick():
    env = dackel_drauf_v0.raw_env(num_players=2, notice=0.2, max_looks=1000)
    games, ticks = 300, 4
    alone, both = [0] * ticks, [0] * ticks
    for number in range(games):
        env.reset(seed=ROOT if number == 0 else None)
        before = [[False] * 15] * 2
        for tick in range(ticks):
            noticed = env.snapshot()["noticed"]
            alone[tick] += sum(map(sum, noticed))
            both[tick] += sum(one and other for one, other in zip(*noticed, strict=True))
            for row, earlier in zip(noticed, before, strict=True):
                assert all(now or not then for now, then in zip(row, earlier, strict=True))
            before = noticed
            env.step(KEEP_OPEN)
    for tick in range(ticks):
        chance = 1 - 0.8 ** (tick + 1)
        for count, p, of in ((alone, chance, 30 * games), (both, chance**2, 15 * games)):
            assert abs(count[tick] - p * of) < 4.5 * math.sqrt(of * p * (1 - p))


def test_d4_in_the_five_looks_of_the_default_about_two_thirds_are_noticed():
    assert 0.66 < 1 - (1 - 0.2) ** 5 < 0.68


# -- remembering -----------------------------------------------------------------------------------


@pytest.mark.parametrize("memory", ["player", "perfect", "agent"])
def test_d5_nothing_is_forgotten_if_nothing_is_said(lay, memory):
    table = lay(memory=memory, notice=0.5)
    noticed = table.noticed
    table.play("dog duck hare cat -")
    assert table.noticed == noticed


def test_d5_with_perfect_memory_all_dice_are_noticed_at_the_first_tick_and_none_is_forgotten(lay):
    table = lay(memory="perfect", notice=0.0, forget=1.0, max_looks=4)
    assert table.phase == "look"  # the lid is still asked about
    assert table.noticed == [[True] * 15] * 3
    table.keep_open().close().play("dog duck hare")
    assert table.noticed == [[True] * 15] * 3


def test_d5_whoever_is_asked_for_a_card_forgets_first_and_nobody_else(lay):
    table = lay(notice=1.0, forget=1.0, max_looks=2)
    assert table.noticed == [[True] * 15] * 3
    table.close()
    assert table.noticed == [[False] * 15, [True] * 15, [True] * 15]
    table.play("dog")
    assert table.noticed == [[False] * 15, [False] * 15, [True] * 15]
    table.play("-")
    assert table.noticed == [[False] * 15] * 3


def test_d5_each_die_is_forgotten_with_the_given_probability_before_every_card():
    env = dackel_drauf_v0.raw_env(num_players=2, notice=1.0, forget=0.3, max_looks=1)
    games = 200
    kept = [0] * 4
    for number in range(games):
        env.reset(seed=ROOT if number == 0 else None)
        seat = env.snapshot()["to_act"]
        for card in range(4):
            snapshot = env.snapshot()
            assert snapshot["to_act"] == seat
            kept[card] += sum(snapshot["noticed"][seat])
            env.step(snapshot["hands"][seat][0])
            if card == 0:
                env.step(STOP)  # the other: from now on nobody else is asked
    for card in range(4):
        p = 0.7 ** (card + 1)
        assert abs(kept[card] - p * 15 * games) < 4.5 * math.sqrt(15 * games * p * (1 - p))


def test_d5_the_question_after_an_extra_card_makes_forget_too(lay):
    """At a half each time, by the stream: the environment forgets as the reference does."""
    table = lay(holding={0: "extra"}, notice=1.0, forget=0.5)
    first = table.noticed[0]
    table.play("dog")
    assert table.again
    second = table.noticed[0]
    assert all(then or not now for then, now in zip(first, second, strict=True))
    assert sum(second) < sum(first) < 15


def test_d5_there_is_no_forgetting_at_the_look_or_for_jokers(lay):
    table = lay(holding={1: "joker"}, notice=1.0, forget=1.0, max_looks=3)
    table.keep_open()
    assert table.noticed == [[True] * 15] * 3
    table = lay(holding={1: "joker"}, notice=1.0, forget=0.5)
    table.play("- cow - ")
    noticed = table.noticed
    table.play("-")
    assert table.phase == "jokers"
    assert table.noticed == noticed


def test_d5_with_memory_of_the_agent_forget_is_ignored(lay):
    table = lay(memory="agent", notice=1.0, forget=1.0).play("dog duck hare")
    assert table.noticed == [[True] * 15] * 3


def test_at_the_next_round_everything_is_to_be_noticed_again(lay):
    table = lay(notice=0.0)
    table.all_pass()
    assert table.noticed == [[False] * 15] * 3
    env = dackel_drauf_v0.raw_env(notice=0.2, max_looks=1)
    env.reset(seed=ROOT)
    for _ in range(3):
        env.step(STOP)
    assert sum(map(sum, env.snapshot()["noticed"])) < 25  # of 45, at about nine to be expected


# -- the chain -------------------------------------------------------------------------------------


def test_cards_are_played_in_turn_from_the_starting_player_clockwise(lay):
    table = lay(starter=2)
    table.play("dog duck hare cat dog duck")
    assert table.row() == "2 dog, 0 duck, 1 hare, 2 cat, 0 dog, 1 duck"
    assert table.to_act == 2


def test_each_card_in_hand_may_be_played_or_none(lay):
    table = lay(["pig pig dog cow cow sheep sheep dog hare hare", "", ""])
    assert table.may_play() == "dog hare cow sheep pig -"
    for action in (1, 3, 5, 6, *range(9, 18), KEEP_OPEN, CLOSE, USE_JOKERS, DECLINE):
        assert refused(table, action)
    table.play("sheep - - sheep")
    assert table.may_play() == "dog hare cow pig -"
    assert table.hand(0) == "dog dog hare hare cow cow pig pig"


def test_passing_is_final_for_the_round(lay):
    table = lay().play("dog - duck hare cat dog duck")
    assert table.row() == "0 dog, 2 duck, 0 hare, 2 cat, 0 dog, 2 duck"
    assert (table.to_act, table.passed) == (0, [False, True, False])


def test_the_last_one_in_the_round_goes_on_alone(lay):
    table = lay().play("dog - - duck hare cat")
    assert (table.to_act, table.phase, table.again) == (0, "chain", False)
    assert table.row() == "0 dog, 0 duck, 0 hare, 0 cat"
    table.play("-")
    assert table.round == 2


def test_d6_anyone_may_pass_at_once_the_starting_player_too(lay):
    table = lay(starter=1).play("-")
    assert table.passed == [False, True, False]
    table.play("- -")
    assert (table.round, table.starter) == (2, 2)
    assert table.discards == [[], [], []]
    assert table.specials == [[], [], []]


def test_d12_whoever_passes_lays_the_hand_back_on_top_of_the_pile_at_once(lay):
    table = lay(["pig dog sheep pig dog horse mouse duck hare cat", "", ""]).play(
        "horse dog duck -"
    )
    assert table.hand(0) == ""
    returned, rest = (
        "dog dog duck hare cat mouse sheep pig pig",
        "cow cow duck hare cat mouse horse sheep",
    )
    assert table.pile(0) == f"{returned} {rest}"
    assert (table.phase, table.to_act) == ("chain", 1)


def test_whoever_plays_the_last_card_has_passed_with_it(lay):
    table = lay(["dog duck hare cat dog duck hare cat mouse horse", "", ""])
    table.play("dog - - duck hare cat dog duck hare cat mouse")
    assert table.passed == [False, True, True]
    table.play("horse")
    assert table.round == 2
    assert len(table.discards[0]) == 10


def test_the_others_go_on_when_somebody_has_played_the_last_card(lay):
    table = lay(["dog duck hare cat dog duck hare cat mouse horse", "", ""])
    for name in ["dog", "duck", "hare", "cat", "dog", "duck", "hare", "cat", "mouse"]:
        table.play(name)
        while table.to_act:
            table.play("-" if table.to_act == 2 else table.may_play().split()[0])
    table.play("horse")
    assert table.passed == [True, False, True]
    assert (table.to_act, table.hand(0), len(table.piles[0])) == (1, "", 8)


def test_the_chain_ends_when_all_have_passed(lay):
    table = lay().play("dog duck - cat -")
    assert (table.phase, table.passed) == ("chain", [False, True, True])
    table.play("-")
    assert (table.round, table.chain) == (2, [])


# -- face-down cards -------------------------------------------------------------------------------


def test_a_face_down_card_needs_the_special_card(lay):
    table = lay(holding={1: "face_down"}, starter=0)
    assert table.may_play() == "dog duck hare cat cow -"
    table.play("dog")
    assert table.may_play() == "dog duck hare cat cow (dog) (duck) (hare) (cat) (cow) -"


def test_the_special_card_of_a_face_down_card_is_used_up(lay):
    table = lay(holding={0: "face_down"}).play("(dog) duck hare")
    assert table.row() == "0 (dog), 1 duck, 2 hare"
    assert table.used == ["face_down"]
    assert table.held(0) == ""
    assert table.may_play() == "dog duck hare cat cow -"


def test_the_special_card_need_not_be_used(lay):
    table = lay(holding={0: "face_down"}).play("dog duck hare")
    assert table.held(0) == "face_down"
    assert "(dog)" in table.may_play()
    table.all_pass()
    assert table.held(0) == "face_down"


def test_several_face_down_cards_in_a_round(lay):
    table = lay(holding={0: "face_down face_down"}).play("(dog) duck hare (cat) dog duck")
    assert table.row() == "0 (dog), 1 duck, 2 hare, 0 (cat), 1 dog, 2 duck"
    assert table.used == ["face_down", "face_down"]


def test_a_face_down_card_takes_a_die_like_any_other(lay):
    table = lay(THREE_HANDS, EXAMPLE, holding={0: "face_down"}, specials="joker")
    table.play("(hare) dog hare").all_pass()
    assert table.discarded(0) == "hare"
    assert table.discarded(1) == "dog"
    assert table.held(2) == "joker"


# -- extra cards -----------------------------------------------------------------------------------


def test_an_extra_card_lets_its_owner_play_another_card_right_after_one(lay):
    table = lay(holding={0: "extra"}).play("dog")
    assert (table.to_act, table.again, table.used) == (0, True, [])
    assert table.may_play() == "dog duck hare cat cow -"
    table.play("duck")
    assert (table.to_act, table.again, table.used) == (1, False, ["extra"])
    assert table.row() == "0 dog, 0 duck"
    assert table.held(0) == ""


def test_without_the_special_card_nobody_is_asked_again(lay):
    table = lay(holding={0: "joker face_down", 1: "extra"}).play("dog")
    assert (table.to_act, table.again) == (1, False)


def test_to_end_the_turn_after_a_card_is_not_to_pass(lay):
    table = lay(holding={0: "extra"}).play("dog -")
    assert (table.to_act, table.again, table.used) == (1, False, [])
    assert table.passed == [False, False, False]
    assert table.held(0) == "extra"
    assert len(table.hands[0]) == 9
    table.play("duck hare")
    assert table.to_act == 0


def test_the_first_question_of_a_turn_uses_no_extra_card(lay):
    table = lay(holding={0: "extra"})
    assert not table.again
    table.play("-")
    assert table.passed[0]
    assert table.used == []


def test_any_number_of_extra_cards_in_a_turn(lay):
    table = lay(holding={0: "extra extra extra"}).play("dog")
    for used, name in enumerate(["duck", "hare", "cat"]):
        assert (table.to_act, table.again, table.used) == (0, True, ["extra"] * used)
        table.play(name)
    assert (table.to_act, table.again, table.used) == (1, False, ["extra"] * 3)
    assert table.row() == "0 dog, 0 duck, 0 hare, 0 cat"


def test_a_card_that_uses_both_kinds_uses_the_extra_card_first(lay):
    table = lay(holding={0: "face_down extra"}).play("dog")
    assert table.may_play() == "dog duck hare cat cow (dog) (duck) (hare) (cat) (cow) -"
    table.play("(duck)")
    assert table.used == ["extra", "face_down"]
    assert table.row() == "0 dog, 0 (duck)"
    assert table.to_act == 1


def test_a_face_down_card_first_and_then_an_extra_card(lay):
    table = lay(holding={0: "face_down extra"}).play("(dog)")
    assert table.may_play() == "dog duck hare cat cow -"
    table.play("duck")
    assert table.used == ["face_down", "extra"]


def test_without_another_card_nobody_is_asked_for_an_extra_card(lay):
    hand = "cow dog duck hare cat dog duck hare cat mouse"
    table = lay([hand, "", ""], holding={0: "extra extra"}, win_threshold=0)
    table.play("dog - - -")
    for name in ["duck", "hare", "cat", "dog", "duck", "hare", "cat", "mouse"]:
        table.play(name + " -")
    assert table.hand(0) == "cow"
    table.play("cow")
    assert table.round == 4
    assert table.held(0).split().count("extra") >= 2


def test_the_last_card_of_a_hand_as_an_extra_card_ends_the_round_for_its_owner(lay):
    hand = "cow dog duck hare cat dog duck hare cat mouse"
    table = lay([hand, "", ""], holding={0: "extra extra"}, win_threshold=0)
    table.play("dog - - -")
    for name in ["duck", "hare", "cat", "dog", "duck", "hare", "cat"]:
        table.play(name + " -")
    table.play("mouse")
    assert (table.to_act, table.again) == (0, True)
    table.play("cow")
    assert table.round == 4


def test_extra_cards_are_for_those_who_are_alone_in_the_round_too(lay):
    table = lay(holding={0: "extra"}).play("dog - - -")
    assert (table.to_act, table.again) == (0, False)
    table.play("duck")
    assert (table.to_act, table.again) == (0, True)


# -- the showdown ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("chain", "wrong"),
    [
        ("pig pig pig", []),
        ("pig pig pig pig", [3]),
        ("pig pig pig pig hare pig", [3, 5]),
        ("hare hare", [1]),
        ("cow", [0]),
        ("cow hare cow hare dog dog dog", [0, 2, 3, 6]),
        ("", []),
    ],
)
def test_each_card_takes_a_die_that_is_still_free(chain, wrong):
    cards = [(0, NAMES.index(name)) for name in chain.split()]
    right = judge(cards, dice_of(EXAMPLE))
    assert [position for position, mark in enumerate(right) if not mark] == wrong


def test_dice_taken_by_cards_of_a_player_who_fails_stay_taken(lay):
    table = lay(THREE_HANDS, EXAMPLE).play("hare - cow -").all_pass()
    assert table.discarded(0) == "hare"
    table = lay(("cow hare", "hare", ""), EXAMPLE).play("cow dog - hare hare").all_pass()
    assert [bool(table.held(seat)) for seat in range(3)] == [True, True, False]
    assert table.discards == [[], [], []]


def test_one_wrong_card_loses_the_whole_round(lay):
    table = lay(THREE_HANDS, EXAMPLE)
    hand = table.hand(0)
    table.play("pig - - hare pig cow").all_pass()
    assert table.discards == [[], [], []]
    assert table.hand(0) == hand
    assert len(table.piles[0]) == 8


def test_whoever_failed_holds_the_same_cards_again(lay):
    table = lay(starter=1)
    hands, piles = table.hands, table.piles
    table.play("cow dog cow duck hare cat").all_pass()
    assert table.hands[:2] == hands[:2]
    assert table.piles[:2] == piles[:2]
    assert table.hands[2] != hands[2]


def test_whoever_played_no_card_loses_nothing_and_gains_nothing(lay):
    table = lay()
    table.play("- cow -").all_pass()
    assert [bool(table.held(seat)) for seat in range(3)] == [False, True, False]
    assert table.discards == [[], [], []]


def test_cards_without_a_fault_are_discarded_for_good(lay):
    table = lay().play("dog duck - hare -").all_pass()
    assert [table.discarded(seat) for seat in range(3)] == ["dog hare", "duck", ""]
    for _ in range(3):
        table.all_pass()
    assert [table.discarded(seat) for seat in range(3)] == ["dog hare", "duck", ""]
    left = Counter(table.hand(0).split() + table.pile(0).split())
    assert left == COPIES - Counter(["dog", "hare"])


def test_discards_lie_in_the_order_in_which_they_were_played(lay):
    table = lay().play("hare - - dog cat").all_pass()
    table.play("- - hare duck").all_pass()
    assert table.discarded(0) == "hare dog cat hare duck"


# -- joker dice ------------------------------------------------------------------------------------


def test_d7_joker_dice_make_all_wrong_cards_right_or_none(lay):
    table = lay(holding={0: "joker joker"}).play("cow - - dog cow").all_pass()
    assert (table.phase, table.to_act, table.at) == ("jokers", 0, None)
    assert table.marks() == "-+-"
    assert table.legal() == [USE_JOKERS, DECLINE]
    for action in (*range(21), *OTHER_ACTIONS):
        assert refused(table, action)
    table.use_jokers()
    assert table.discarded(0) == "cow dog cow"
    assert table.held(0) == ""


def test_d7_a_partial_rescue_is_not_offered(lay):
    table = lay(holding={0: "joker"}).play("cow - - dog cow").all_pass()
    assert table.round == 3
    assert table.discards == [[], [], []]
    assert table.held(0).split().count("joker") >= 1
    assert len(table.specials[0]) == 2


def test_d7_only_as_many_are_used_as_there_are_wrong_cards(lay):
    table = lay(holding={0: "joker joker joker"}).play("cow - - dog cow").all_pass().use_jokers()
    assert table.held(0) == "joker"
    assert table.special_pile[-2:] == ["joker", "joker"]


def test_d7_whoever_declines_fails_and_keeps_the_jokers(lay):
    table = lay(holding={0: "joker"}, specials="extra").play("cow dog -").all_pass().decline()
    assert table.round == 3
    assert table.held(0) == "extra joker"
    assert table.discards == [[], [0], []]


def test_d7_without_a_wrong_card_nobody_is_asked(lay):
    table = lay(holding={0: "joker"}).play("dog duck -").all_pass()
    assert table.round == 3
    assert table.held(0) == "joker"


@pytest.mark.parametrize("starter", [0, 1, 2])
def test_d7_players_decide_in_turn_order(lay, starter):
    table = lay(holding={0: "joker", 1: "joker", 2: "joker"}, starter=starter)
    table.play("cow cow cow").all_pass()
    order = [(starter + k) % 3 for k in range(3)]
    for seat in order:
        assert (table.phase, table.to_act) == ("jokers", seat)
        if seat == order[1]:
            table.decline()
        else:
            table.use_jokers()
    assert [table.discarded(seat) for seat in order] == ["cow", "", "cow"]


def test_d7_a_rescued_card_is_right_as_soon_as_the_joker_is_used(lay):
    table = lay(holding={0: "joker", 1: "joker"}).play("cow cow cow dog").all_pass()
    assert table.marks() == "---+"
    table.use_jokers()
    assert (table.to_act, table.marks(), table.used) == (1, "+--+", ["joker"])


def test_d7_an_imagined_die_takes_no_real_one(lay):
    """The hares of 1 and 2 are judged as if there were no joker."""
    table = lay(("cow", "hare", "hare"), EXAMPLE, holding={0: "joker"})
    table.play("hare hare hare -").all_pass()
    assert table.round == 3
    assert table.discarded(0) == "hare"
    table = lay(("cow", "hare", "hare"), EXAMPLE, holding={1: "joker", 2: "joker"})
    table.play("hare hare hare").all_pass()
    assert table.marks() == "+--"
    table.use_jokers()
    assert (table.marks(), table.to_act) == ("++-", 2)


def test_d8_a_joker_gained_now_does_not_serve_in_this_round(lay):
    table = lay(specials="joker joker joker").play("cow cow -").all_pass()
    assert table.round == 2
    assert [table.held(seat) for seat in range(3)] == ["joker", "joker", ""]
    table.play("cow").all_pass()
    assert (table.phase, table.to_act) == ("jokers", 1)


def test_jokers_are_used_after_the_special_cards_of_the_chain(lay):
    table = lay(holding={0: "joker extra face_down", 1: "joker"})
    table.play("(cow) dog cow").all_pass().use_jokers()
    assert table.used == ["face_down", "extra", "joker"]
    table.use_jokers()
    assert table.special_pile[-4:] == ["face_down", "extra", "joker", "joker"]


# -- special cards, gained and given back ----------------------------------------------------------


@pytest.mark.parametrize(("starter", "order"), [(0, [0, 2]), (1, [2, 0]), (2, [2, 0])])
def test_who_fails_takes_a_special_card_the_starting_player_first(lay, starter, order):
    table = lay(starter=starter, specials="face_down joker extra").fail(0, 2)
    assert [table.held(seat) for seat in order] == ["face_down", "joker"]
    assert table.held(1) == ""
    assert table.special_pile[0] == "extra"
    assert len(table.special_pile) == 7


def test_one_special_card_however_many_cards_were_wrong(lay):
    table = lay(specials="extra joker").play("cow - - cow").all_pass()
    assert table.held(0) == "extra"


def test_d13_it_is_always_taken_as_long_as_there_is_one(lay):
    table = lay()
    for number in range(1, 10):
        table.fail(0)
        assert len(table.specials[0]) == number
    assert table.special_pile == []
    assert Counter(table.specials[0]) == SPECIALS
    table.fail(0)
    assert Counter(table.specials[0]) == SPECIALS


def test_d13_when_one_is_left_the_first_in_turn_takes_it(lay):
    table = lay(holding={0: "extra extra extra joker joker joker face_down face_down"}, starter=2)
    table.play("cow - cow").all_pass()
    assert [len(held) for held in table.specials] == [8, 0, 1]


def test_special_cards_used_go_under_the_pile_in_the_order_of_use_after_the_others_were_taken(lay):
    table = lay(holding={0: "extra face_down", 1: "face_down"}, specials="joker joker extra")
    table.play("dog (duck) (cow) -")
    assert table.used == ["extra", "face_down", "face_down"]
    pile = table.special_pile
    table.all_pass()
    assert table.held(1) == "joker"
    assert table.special_pile == [*pile[1:], "extra", "face_down", "face_down"]
    assert table.used == []


def test_a_special_card_used_this_round_is_not_there_to_be_taken(lay):
    """The pile is empty: seat 0 has them all, uses one and fails."""
    table = lay(holding={0: " ".join(SPECIALS.elements())})
    table.play("dog cow")
    assert table.used == ["extra"]
    table.play("- - - -").decline()
    assert len(table.specials[0]) == 8
    assert table.special_pile == ["extra"]
    table.fail(1)
    assert table.held(1) == "extra"


def test_special_cards_of_who_fails_stay_used(lay):
    table = lay(holding={0: "face_down"}, specials="joker").play("(cow)").all_pass()
    assert table.held(0) == "joker"
    assert table.special_pile[-1] == "face_down"


# -- take-back -------------------------------------------------------------------------------------


def cards_of(text):
    """ "0 pig, 1 dog" as pairs of seat and animal."""
    pairs = [word.split() for word in text.split(", ")]
    return [(int(seat), NAMES.index(name)) for seat, name in pairs]


def marks_of(right):
    return "".join({True: "+", False: "-", None: "?"}[mark] for mark in right)


TAKEN_BACK = {
    "the example": ("0 pig, 1 dog, 2 pig, 0 hare, 1 pig, 2 hare, 0 pig", "++-++-+"),
    "later cards of a player who is out take no die": (
        "0 cow, 1 dog, 0 hare, 1 hare", "-+-+"
    ),
    "dice taken before are free for later cards, not for earlier ones": (
        "0 hare, 1 hare, 0 cow, 2 hare", "---+"
    ),
    "who is out by another's card stays out when its die is taken back": (
        "0 hare, 1 pig, 1 hare, 0 cow, 1 dog, 2 dog, 2 dog", "-----++"
    ),
    "a freed die is taken once": ("0 hare, 0 cow, 1 hare, 2 hare", "--+-"),
    "a freed die is freed again": ("0 hare, 0 cow, 1 hare, 1 cow, 2 hare", "----+"),
    "nobody is out": ("0 pig, 1 pig, 2 pig, 0 dog, 1 dog, 2 hare", "++++++"),
    "all are out": ("0 cow, 1 cow, 2 cow, 0 pig, 1 pig, 2 pig", "------"),
    "two dice are taken back at once": (
        "0 dog, 0 dog, 1 hare, 0 hare, 1 dog, 2 dog, 2 hare", "--+-+--"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TAKEN_BACK)
def test_take_back_in_the_reference(name):
    chain, marks = TAKEN_BACK[name]
    right, position = judge_with_takeback(cards_of(chain), dice_of(EXAMPLE))
    assert (marks_of(right), position) == (marks, None)


@pytest.mark.parametrize("name", ["the example", "nobody is out", "all are out"])
def test_who_is_out_takes_all_cards_back_and_a_special_card_and_the_others_discard(lay, name):
    """The chains of three players in turn, at the table."""
    chain, marks = TAKEN_BACK[name]
    cards = cards_of(chain)
    table = lay(("cow pig pig hare", "dog pig cow", "pig hare cow"), EXAMPLE, takeback=True)
    table.play(named(animal for _, animal in cards)).all_pass()
    for seat in range(3):
        own = [place for place, card in enumerate(cards) if card[0] == seat]
        out = any(marks[place] == "-" for place in own)
        assert bool(table.held(seat)) == out
        assert table.discarded(seat) == ("" if out else named(cards[place][1] for place in own))


def test_without_the_variant_no_die_is_taken_back(lay):
    table = lay(("cow hare", "hare", ""), EXAMPLE).play("hare hare - cow").all_pass()
    assert [bool(table.held(seat)) for seat in range(3)] == [True, True, False]


def test_a_die_taken_back_serves_a_later_card(lay):
    hands = ("cow hare", "hare", "")
    table = lay(hands, EXAMPLE, takeback=True).play("hare dog - cow hare").all_pass()
    assert table.discarded(1) == "dog hare"
    assert table.discards[0] == []


def test_d11_a_joker_is_asked_for_at_the_very_moment_when_a_card_finds_no_die(lay):
    table = lay(
        ("pig pig hare", "dog pig", "pig hare"), EXAMPLE, holding={2: "joker"}, takeback=True
    )
    table.play("pig dog pig hare pig hare pig").all_pass()
    assert (table.phase, table.to_act, table.at) == ("jokers", 2, 5)
    assert table.marks() == "+++++??"
    assert table.legal() == [USE_JOKERS, DECLINE]


def test_d11_a_joker_used_keeps_the_player_in(lay):
    table = lay(THREE_HANDS, EXAMPLE, holding={2: "joker"}, takeback=True)
    table.play("pig dog pig hare pig hare pig").all_pass().use_jokers()
    assert table.discarded(2) == "pig hare"
    assert table.discarded(1) == "dog pig"
    assert table.discards[0] == []  # its second pig finds no die: that of seat 2 is not free
    assert table.held(0) != ""


def test_d11_whoever_declines_is_out_and_keeps_the_joker(lay):
    table = lay(THREE_HANDS, EXAMPLE, holding={2: "joker"}, specials="extra", takeback=True)
    table.play("pig dog pig hare pig hare pig").all_pass().decline()
    assert table.discarded(0) == "pig hare pig"
    assert table.held(2) == "extra joker"


def test_d11_one_joker_is_enough_to_be_asked_whatever_comes_later(lay):
    """Two wrong cards and one joker: without the variant that is not offered."""
    table = lay(holding={0: "joker"}, takeback=True).play("cow - - dog cow duck").all_pass()
    assert (table.phase, table.at, table.marks()) == ("jokers", 0, "????")
    table.use_jokers()
    assert table.round == 3
    assert table.discards == [[], [], []]
    # The joker is lost; D13: what the player gets is the next of the pile.
    assert len(table.specials[0]) == 1
    assert table.special_pile[-1] == "joker"


def test_d11_one_wrong_card_is_asked_about_at_a_time(lay):
    table = lay(holding={0: "joker joker"}, takeback=True).play("cow - - dog cow duck").all_pass()
    assert (table.at, table.marks(), table.used) == (0, "????", [])
    table.use_jokers()
    assert (table.to_act, table.at, table.marks(), table.used) == (0, 2, "++??", ["joker"])
    table.use_jokers()
    assert table.discarded(0) == "cow dog cow duck"
    assert table.held(0) == ""


def test_d11_whoever_declines_is_not_asked_about_later_cards(lay):
    table = lay(holding={0: "joker joker"}, takeback=True).play("cow - - dog cow duck").all_pass()
    table.decline()
    assert table.round == 4
    assert table.held(0).split().count("joker") >= 2


def test_d11_who_is_out_has_false_marks_before_the_question_at_once_and_behind_it_none(lay):
    """Seat 0 declines at its second card: its first is wrong now; its last has not been judged."""
    table = lay(
        ("hare cow sheep", "dog cow", "dog"), EXAMPLE, {0: "joker", 1: "joker"}, takeback=True
    )
    table.play("hare dog dog cow cow - sheep").all_pass()
    assert (table.to_act, table.at, table.marks()) == (0, 3, "+++???")
    table.decline()
    assert (table.to_act, table.at, table.marks()) == (1, 4, "-++-??")


def test_d11_later_cards_of_who_is_out_are_false_when_the_judging_reaches_them(lay):
    table = lay(("cow hare sheep", "dog cow", "dog"), EXAMPLE, {1: "joker"}, takeback=True)
    table.play("cow dog dog hare cow - sheep").all_pass()
    assert (table.to_act, table.at, table.marks()) == (1, 4, "-++-??")


def test_d11_a_rescued_card_is_false_again_when_its_owner_is_out_later(lay):
    table = lay(("cow cow", "cow", ""), EXAMPLE, {0: "joker", 1: "joker"}, takeback=True)
    table.play("cow dog - cow cow").all_pass()
    table.use_jokers()
    assert (table.to_act, table.at, table.marks()) == (1, 3, "-+-?")
    table.decline()
    assert table.discards == [[], [], []]


def test_d11_an_imagined_die_never_becomes_free(lay):
    """Seat 0's second hare holds an imagined die; when it is out, one hare is free, not two."""
    table = lay(("hare hare cow", "hare", "hare"), EXAMPLE, {0: "joker"}, takeback=True)
    table.play("hare dog dog hare - - cow").all_pass()
    assert (table.to_act, table.at) == (0, 3)
    table.use_jokers()
    assert table.discarded(1) == "dog"
    chain = cards_of("0 hare, 0 hare, 0 cow, 1 hare, 2 hare")
    right, position = judge_with_takeback(chain, dice_of(EXAMPLE), [1, 0, 0], {1: True})
    assert (marks_of(right), position) == ("---+-", None)


def test_d11_the_real_dice_of_a_rescued_player_stay_taken(lay):
    chain = cards_of("0 hare, 0 cow, 1 hare")
    right, position = judge_with_takeback(chain, dice_of(EXAMPLE), [1, 0], {1: True})
    assert (marks_of(right), position) == ("++-", None)
    table = lay(("hare cow", "dog hare", ""), EXAMPLE, {0: "joker"}, takeback=True)
    table.play("hare dog - cow hare").all_pass().use_jokers()
    assert table.discarded(0) == "hare cow"
    assert table.discards[1] == []


def test_d11_jokers_are_asked_for_along_the_chain_and_not_in_turn_order(lay):
    hands = ("dog cow sheep", "sheep cow", "dog cow")
    table = lay(hands, EXAMPLE, {0: "joker", 1: "joker", 2: "joker"}, takeback=True)
    table.play("dog sheep dog sheep cow cow cow").all_pass()
    for seat, at in ((1, 4), (2, 5), (0, 6)):
        assert (table.to_act, table.at) == (seat, at)
        table.use_jokers()
    assert [table.discarded(seat) for seat in range(3)] == ["dog sheep cow", "sheep cow", "dog cow"]


def test_d11_a_joker_decides_whether_anothers_card_finds_a_die(lay):
    """If seat 0 declines, its hare's die is free, and seat 1 is not asked at all."""
    hands, dice = ("hare cow", "hare", ""), EXAMPLE
    for used in (True, False):
        table = lay(hands, dice, {0: "joker", 1: "joker"}, takeback=True)
        table.play("hare dog - cow hare").all_pass()
        assert (table.to_act, table.at) == (0, 2)
        if used:
            table.use_jokers()
            assert (table.to_act, table.at, table.marks()) == (1, 3, "+++?")
        else:
            table.decline()
            assert table.round == 4
            assert table.discarded(1) == "dog hare"


def test_d13_whoever_is_out_after_spending_jokers_gets_one_special_card(lay):
    table = lay(holding={0: "joker"}, specials="extra", takeback=True)
    table.play("cow - - cow").all_pass().use_jokers()
    assert table.held(0) == "extra"


# -- the end ---------------------------------------------------------------------------------------


def shed_one_a_round(table, seat, rounds):
    """So many rounds in which this seat plays one card that is right, and nobody else any."""
    for _ in range(rounds):
        number = table.round
        played = False
        while table.round == number and not table.over:
            if table.to_act == seat and not played:
                played = True
                table.play(named([next(a for a in table.hands[seat] if a in table.dice)]))
            else:
                table.play("-")
    return table


ALL_ANIMALS = "2 dog 2 duck 2 hare 2 cat 2 cow 2 mouse 1 horse 1 sheep 1 pig"


@pytest.mark.parametrize(("players", "threshold"), [(2, 1), (3, 2), (4, 3), (5, 4)])
def test_d3_who_has_no_more_cards_than_the_threshold_wins(lay, players, threshold):
    table = lay([""] * players, ALL_ANIMALS)
    shed_one_a_round(table, 1, 18 - threshold - 1)
    assert not table.over
    shed_one_a_round(table, 1, 1)
    assert table.over
    assert table.game.scores() == [18, threshold, *[18] * (players - 2)]
    assert table.game.ranks() == [2, 1, *[2] * (players - 2)]
    assert table.game.win_shares() == pytest.approx([0, 1, *[0] * (players - 2)], abs=1e-6)


@pytest.mark.parametrize("threshold", [0, 1, 5, 16, 17])
def test_d3_another_threshold_may_be_set(lay, threshold):
    table = lay(["", ""], ALL_ANIMALS, win_threshold=threshold)
    shed_one_a_round(table, 0, 18 - threshold - 1)
    assert not table.over
    shed_one_a_round(table, 0, 1)
    assert table.over
    assert table.game.scores() == [threshold, 18]


def test_d16_cards_in_hand_and_pile_count_together(lay):
    """Two left in hand, eight in the pile."""
    table = lay(win_threshold=9).play("dog - - dog duck duck hare hare cat cat").all_pass()
    assert not table.over
    table.play("- - mouse").all_pass()
    assert table.over
    assert table.game.scores() == [9, 18, 18]


def test_whoever_gets_below_the_threshold_but_fails_does_not_win(lay):
    table = lay(win_threshold=17).play("dog - - cow").all_pass()
    assert not table.over


def test_the_round_is_played_to_its_end(lay):
    """Seat 0 has one card left only in the chain; seat 1 goes on."""
    table = lay(win_threshold=17).play("dog duck - - duck hare")
    assert not table.over
    table.all_pass()
    assert table.over
    assert table.game.ranks() == [2, 1, 3]


def test_of_several_the_one_with_the_fewest_cards_wins(lay):
    table = lay(win_threshold=17).play("dog duck hare dog -").all_pass()
    assert table.game.scores() == [16, 17, 17]
    assert table.game.ranks() == [1, 2, 2]
    assert table.game.win_shares() == pytest.approx([1, 0, 0], abs=1e-6)


def test_d9_if_equal_they_share_the_win(lay):
    table = lay(win_threshold=17).play("dog duck - hare cat").all_pass()
    assert table.over
    assert table.game.scores() == [16, 16, 18]
    assert table.game.ranks() == [1, 1, 3]
    assert table.game.win_shares() == pytest.approx([0.5, 0.5, 0], abs=1e-6)


def test_d10_after_max_rounds_the_fewest_cards_left_win(lay):
    table = lay(max_rounds=3)
    table.play("dog - -").all_pass()
    table.play("dog - - hare").all_pass()
    assert not table.over
    table.play("cow").all_pass()
    assert (table.over, table.round) == (True, 3)
    assert table.game.scores() == [17, 16, 18]
    assert table.game.ranks() == [2, 1, 3]


def test_d10_if_equal_they_share(lay):
    table = lay(max_rounds=1).all_pass()
    assert table.over
    assert table.game.ranks() == [1, 1, 1]
    assert table.game.win_shares() == pytest.approx([1 / 3] * 3, abs=1e-6)


def test_d10_sixty_rounds_if_nothing_is_said():
    env = dackel_drauf_v0.raw_env(num_players=2, max_looks=1)
    env.reset(seed=ROOT)
    for _ in range(2 * 60):
        assert not env.terminations["player_0"]
        env.step(STOP)
    assert env.terminations == {"player_0": True, "player_1": True}
    assert env.snapshot()["round"] == 60


def test_the_whole_state_when_the_game_is_over(lay):
    """Seat 0 has discarded two cards, seat 1 has failed, seat 2 has played none."""
    table = lay(
        ("pig dog sheep", "pig cow dog", ""),
        specials="joker extra extra",
        win_threshold=17,
        notice=1.0,
        starter=2,
    )
    table.play("- sheep pig dog cow -").all_pass()
    assert table.game.snapshot() == {
        "players": 3,
        "round": 1,
        "starter": 2,
        "to_act": None,
        "phase": "over",
        "again": False,
        "at": None,
        "piles": [
            # In ascending order: what was taken back (seat 1), then (D12) what was in hand; the rest.
            numbers("dog duck duck hare hare cow cow pig" + " cat cat mouse mouse horse horse sheep pig"),
            numbers("cow pig" + " dog dog duck duck hare hare cat cow"
                    + " cat mouse mouse horse horse sheep sheep pig"),
            numbers("dog dog duck duck hare hare cat cat cow cow"
                    + " mouse mouse horse horse sheep sheep pig pig"),
        ],
        "hands": [[], [], []],
        "chain": [],
        "dice": dice_of(PLENTY),
        "noticed": [[True] * 15] * 3,
        "ticks": 1,
        "passed": [True] * 3,
        "specials": [[], ["joker"], []],
        "special_pile": specials_of("joker extra extra")[1:],
        "used": [],
        "discards": [[7, 0], [], []],
        "over": True,
    }  # fmt: skip
    assert table.legal() == []


def test_special_cards_used_in_the_last_round_lie_under_the_pile(lay):
    table = lay(holding={0: "extra joker"}, win_threshold=17).play("dog cow").all_pass()
    table.use_jokers()
    assert table.over
    assert table.used == []
    assert table.special_pile[-2:] == ["extra", "joker"]


# -- rewards ---------------------------------------------------------------------------------------


def test_points_fall_with_each_discard_and_end_at_minus_the_cards_left():
    dice = dice_of(PLENTY)
    env = dackel_drauf_v0.raw_env(
        faces=[[animal] * 6 for animal in dice], max_looks=1, win_threshold=15, reward="points"
    )
    env.reset(seed=1, options={"deal": a_deal() | {"dice": dice, "starter": 0}})
    total = dict.fromkeys(env.agents, 0.0)
    rewards = []
    first, second = [*numbers("dog duck cow hare"), *[STOP] * 3], [STOP, STOP, 0, 1, STOP]
    for action in first + second:
        env.step(action)
        for agent in env.agents:
            total[agent] += env.rewards[agent]
        rewards.append([env.rewards[agent] for agent in env.agents])
    assert rewards[6] == [2, 1, 0]
    assert rewards[11] == [2 - 18, 0 - 18, 0 - 18]
    assert all(row == [0, 0, 0] for place, row in enumerate(rewards) if place not in (6, 11))
    assert list(total.values()) == [-14, -17, -18]
    assert [env.infos[agent]["score"] for agent in env.agents] == [14, 17, 18]


def test_an_illegal_action_ends_the_game_where_it_is_not_refused():
    env = dackel_drauf_v0.env(max_looks=1)
    env.reset(seed=1, options={"deal": a_deal()})
    env.step(NAMES.index("pig"))  # not in hand
    assert env.terminations == dict.fromkeys(env.possible_agents, True)
    assert env.rewards == {"player_0": 0, "player_1": -1, "player_2": 0}


# -- who knows what --------------------------------------------------------------------------------


def looks(table, *seats):
    """All that the environment tells these seats."""
    return [seen_by(table.game.env, f"player_{seat}") for seat in seats]


def told_apart(tables, seats=range(3)):
    """The seats that see not the same at all tables."""
    return [seat for seat in seats if len({str(looks(table, seat)) for table in tables}) > 1]


def test_a_card_played_face_down_is_known_to_its_owner_alone(lay_for_eyes):
    tables = [lay_for_eyes(holding={1: "face_down"}, memory="agent") for _ in range(2)]
    for table, card in zip(tables, ("(dog)", "(duck)"), strict=True):
        table.play("hare").play(card)
    assert told_apart(tables) == [1]
    for text in ("cat", "hare", "cat", "-", "dog"):
        for table in tables:
            table.play(text)
        assert told_apart(tables) == [1]


def test_whose_a_face_down_card_is_and_where_it_lies_is_public(lay_for_eyes):
    """And that a special card was used, and of which kind."""
    tables = [lay_for_eyes(holding={1: "face_down"}) for _ in range(3)]
    for table, text in zip(
        tables, ("(dog) hare dog", "dog hare (dog)", "dog hare dog"), strict=True
    ):
        table.play("cat").play(text.replace(" hare ", " hare cat "))
    for pair in itertools.combinations(tables, 2):
        assert told_apart(pair) == [0, 1, 2]


def test_hands_are_seen_by_their_owners_alone(lay_for_eyes):
    """A pig and a mouse change places between hand and pile of seat 1."""
    hands = ("pig", "mouse")
    tables = [lay_for_eyes(("", f"{card} dog", "")) for card in hands]
    assert told_apart(tables) == [1]


def test_nobody_sees_the_order_of_a_pile_not_even_its_owner(lay_for_eyes):
    first = "dog duck hare cat mouse horse sheep pig cow dog"
    tables = [
        lay_for_eyes(("", f"{first} {rest}", "")) for rest in ("cow pig sheep", "pig sheep cow")
    ]
    assert told_apart(tables) == []
    for table in tables:
        table.play("dog dog hare - - ")
    assert told_apart(tables) == []


def test_nobody_sees_the_special_pile(lay_for_eyes):
    tables = [lay_for_eyes(specials=first) for first in ("extra joker", "joker extra")]
    assert told_apart(tables) == []
    for table in tables:
        table.play("dog duck hare")
    assert told_apart(tables) == []


def test_the_special_card_somebody_takes_is_seen_by_nobody_else(lay_for_eyes):
    tables = [lay_for_eyes(specials=kind).fail(1) for kind in ("extra", "joker", "face_down")]
    assert told_apart(tables) == [1]
    for table in tables:
        assert table.round == 2
        table.play("- - ")  # seats 1 and 2
    assert told_apart(tables) == [1]


def test_how_many_ticks_there_were_is_public(lay_for_eyes):
    tables = []
    for ticks in (1, 2, 3):
        table = lay_for_eyes(notice=0.0, max_looks=5)
        for _ in range(ticks - 1):
            table.keep_open()
        tables.append(table.close())
    for pair in itertools.combinations(tables, 2):
        assert told_apart(pair) == [0, 1, 2]


class Worlds:
    """The same table, and once more for every die with that die showing another animal.

    The dice are thrown anew in every round, so only the first round is compared.
    """

    def __init__(self, players=3, **options):
        faces = [[7, 7, 7, 8, 8, 8]] * 15
        self.tables = []
        for other in [None, *range(15)]:
            table = Table("environment", [""] * players, "15 sheep", faces=faces, **options)
            deal = dict(table.deal, dice=[8 if die == other else 7 for die in range(15)])
            table.game.env.reset(seed=ROOT, options={"deal": deal})
            self.tables.append(table)

    def play(self, text):
        for table in self.tables:
            table.play(text)

    def step(self, action):
        for table in self.tables:
            table.game.step(action)

    def __getattr__(self, name):
        return getattr(self.tables[0], name)

    def seen(self, seat):
        """For each die whether the seat sees a difference when it shows another animal."""
        as_it_is, *others = (str(looks(table, seat)) for table in self.tables)
        return [other != as_it_is for other in others]


NOTHING = [False] * 15


@pytest.mark.parametrize("forget", [0.0, 0.4])
def test_d5_a_player_is_shown_the_dice_it_remembers_at_all_times_and_no_other(forget):
    worlds = Worlds(notice=0.3, forget=forget, max_looks=3)
    for action in [KEEP_OPEN, CLOSE, *numbers("dog duck hare cat"), STOP, STOP]:
        noticed = worlds.noticed
        assert any(map(any, noticed))
        for seat in range(3):
            assert worlds.seen(seat) == noticed[seat]
        worlds.step(action)


def test_d5_with_perfect_memory_everybody_is_shown_all_dice():
    worlds = Worlds(memory="perfect", notice=0.3, forget=0.4, max_looks=3)
    for action in [KEEP_OPEN, CLOSE, *numbers("dog duck hare cat"), STOP]:
        for seat in range(3):
            assert worlds.seen(seat) == [True] * 15
        worlds.step(action)


def test_d5_with_memory_of_the_agent_a_player_is_shown_them_at_the_look():
    worlds = Worlds(memory="agent", notice=0.3, forget=0.4, max_looks=3)
    for action in (KEEP_OPEN, CLOSE):
        for seat in range(3):
            assert worlds.seen(seat) == worlds.noticed[seat]
        worlds.step(action)


def test_d5_with_memory_of_the_agent_a_player_is_shown_them_at_its_first_card_and_not_later():
    worlds = Worlds(memory="agent", notice=0.3, max_looks=1)
    for seat, word in enumerate(["dog", "duck", "hare"]):
        assert worlds.to_act == seat
        assert worlds.seen(seat) == worlds.noticed[seat] != NOTHING
        for earlier in range(seat):
            assert worlds.seen(earlier) == NOTHING
        worlds.play(word)
    for word in ("cat", "-", "cat", "hare"):
        for seat in range(3):
            assert worlds.seen(seat) == NOTHING
        worlds.play(word)


def second_rounds(lay, holding, **options):
    """The second round of tables at which only the dice differ, thrown by the seeds' streams."""
    seat, special = holding
    dice, faces = "15 sheep", [[7, 7, 7, 8, 8, 8]] * 15
    tables = {}
    for seed in range(1, 8):
        table = lay(dice=dice, faces=faces, specials=special, starter=2, **options)
        table.game.env.reset(seed=seed, options={"deal": table.deal})
        tables.setdefault(table.fail(seat).dice.count(7), table)
    assert len(tables) > 2
    return list(tables.values())


def test_d5_with_memory_of_the_agent_the_question_after_an_extra_card_is_not_the_first(
    lay_for_eyes,
):
    """To seat 1 it then looks as if it were its turn: that seat 0 is asked again is not to be seen."""
    tables = second_rounds(lay_for_eyes, (0, "extra"), memory="agent", notice=1.0)
    assert told_apart(tables) == [0]
    for table in tables:
        table.play("dog")
        assert (table.to_act, table.again) == (0, True)
    assert told_apart(tables, [0, 2]) == []
    for table in tables:
        table.play("duck")
    assert told_apart(tables) == [1]


@pytest.mark.parametrize("memory", ["player", "agent"])
def test_whether_somebody_is_asked_for_an_extra_card_is_seen_by_nobody_else(lay_for_eyes, memory):
    """Only that one is used. Which card it was that somebody took is secret as long."""
    asked, not_asked = (
        lay_for_eyes(holding={0: kind}, memory=memory, notice=1.0) for kind in ("extra", "joker")
    )
    for table in (asked, not_asked):
        table.play("dog")
    assert (asked.to_act, not_asked.to_act) == (0, 1)
    for _ in range(2):
        for seat in (1, 2):
            one, other = (
                table.game.env.observe(f"player_{seat}")["observation"]
                for table in (asked, not_asked)
            )
            assert (one == other).all()
        if asked.again:
            asked.play("-")


def test_d15_all_dice_are_public_after_the_chain(lay_for_eyes):
    tables = second_rounds(lay_for_eyes, (1, "joker"), notice=0.0)
    for table in tables:
        table.play("- dog -")
    assert told_apart(tables) == []
    for table in tables:
        table.play("-")
        assert (table.phase, table.to_act) == ("jokers", 1)
    assert told_apart(tables) == [0, 1, 2]


def test_d15_cards_played_face_down_are_public_after_the_chain(lay_for_eyes):
    tables = [lay_for_eyes(holding={1: "face_down", 2: "joker"}) for _ in range(2)]
    for table, card in zip(tables, ("(dog)", "(duck)"), strict=True):
        table.play(f"- {card} cow -")
    assert told_apart(tables) == [1]
    for table in tables:
        table.play("-")
        assert (table.phase, table.to_act) == ("jokers", 2)
    assert told_apart(tables) == [0, 1, 2]


def test_d5_which_of_the_dice_it_was_that_shows_an_animal_is_not_told(lay_for_eyes):
    """Only the count of each animal."""
    tables = [
        lay_for_eyes(dice=dice, faces=[[7, 7, 7, 8, 8, 8]] * 15, notice=1.0)
        for dice in ("8 sheep 7 pig", "7 pig 8 sheep")
    ]
    assert tables[0].dice != tables[1].dice
    assert told_apart(tables) == []


def test_what_others_have_noticed_is_private(lay_for_eyes):
    """The same table by other seeds: seats that noticed the same see the same, whatever others did."""
    seen = {}
    for seed in range(1, 60):
        table = lay_for_eyes(notice=0.1, dice="15 sheep", faces=[[7] * 6] * 15)
        table.game.env.reset(seed=seed, options={"deal": table.deal})
        for seat in range(3):
            key = seat, sum(table.noticed[seat])
            seen.setdefault(key, set()).add(str(looks(table, seat)))
    assert all(len(different) == 1 for different in seen.values())
    for seat in range(3):
        counts = [count for other, count in seen if other == seat]
        assert len(counts) > 2
        texts = [
            text for (other, _), different in seen.items() if other == seat for text in different
        ]
        assert len(set(texts)) == len(counts)


# -- a whole small game ----------------------------------------------------------------------------


def test_random_games_can_be_played_by_number_in_the_environment_as_in_the_reference():
    options = {"num_players": 4, "forget": 0.1, "takeback": True, "max_rounds": 6}
    env = dackel_drauf_v0.raw_env(**options)
    for number in range(5):
        env.reset(seed=ROOT if number == 0 else None)
        reference = Reference(**options, chance=Stream(ROOT, number))
        chance = random.Random(number)
        while reference.legal():
            assert env.agent_selection == f"player_{reference.to_act}"
            mask = env.observe(env.agent_selection)["action_mask"]
            assert np.flatnonzero(mask).tolist() == reference.legal()
            action = chance.choice(reference.legal())
            env.step(action)
            reference.apply(action)
            assert env.snapshot() == reference.snapshot()
        assert [env.infos[agent]["score"] for agent in env.agents] == reference.scores()
        assert [env.infos[agent]["rank"] for agent in env.agents] == reference.ranks()
