"""Kuhn's poker as a game of the library: a test of tools that know no game, with a known solution.

Three cards; each player antes 1 and is dealt a card. Pass or bet 1; a bet is called or not; the higher
card wins the pot. Kuhn, *A simplified two-person poker* (1950): worth −1/18 to the player who leads.

Two options break the game in ways that an enumeration has to notice.
"""

import itertools

import numpy as np

from cardgames_env.core.game import (
    EVERYONE,
    ILLEGAL,
    NOBODY,
    OK,
    OWNER,
    Action,
    Game,
    Option,
    StateField,
    ViewField,
    ranks_of,
    whole_number,
)
from cardgames_env.core.jit import kernel
from cardgames_env.core.rng import next_word

PASS, BET = 0, 1
NOTHING, PASSED, BETTED, PASSED_BET, FINISHED = range(5)


@kernel
def to_act(s):
    if s.stage == FINISHED:
        return -1
    return 0 if s.stage == NOTHING or s.stage == PASSED_BET else 1


@kernel
def legal(s, mask):
    mask[PASS] = 1
    mask[BET] = 1
    if s.unfair == 1 and s.card[1 - to_act(s)] == 2:
        mask[BET] = 0


@kernel
def apply(s, action):
    if action != PASS and action != BET:
        return ILLEGAL
    if s.dice == 1:
        next_word(s.rng)
    p = to_act(s)
    s.stake[p] += action
    if s.stage == NOTHING:
        s.stage = BETTED if action == BET else PASSED
    elif s.stage == PASSED and action == BET:
        s.stage = PASSED_BET
    else:
        s.stage = FINISHED
    return OK


@kernel
def look(s, seat, v):
    v.card = s.card[seat]
    v.stage = s.stage
    v.own_stake = s.stake[seat]
    v.other_stake = s.stake[1 - seat]


@kernel
def returns(s, out):
    higher = 0 if s.card[0] > s.card[1] else 1
    for p in range(2):
        out[p] = -s.stake[p]
    winner = higher
    if s.stake[0] != s.stake[1]:
        winner = 0 if s.stake[0] > s.stake[1] else 1
    out[winner] += s.stake[0] + s.stake[1]


@kernel
def ranks(s, out):
    points = np.zeros(2, np.int32)
    returns(s, points)
    ranks_of(points, 2, out)


def configure(states, options):
    states["players"] = 2
    states["dice"] = options["dice"]
    states["unfair"] = options["unfair"]


def set_deal(states, i, deal):
    states["card"][i] = deal["cards"]
    states["stage"][i] = NOTHING
    states["stake"][i] = 1


def every_deal(options):
    for cards in itertools.permutations(range(3), 2):
        yield {"cards": cards}, 1


def not_needed(*arguments):
    raise NotImplementedError


KUHN = Game(
    name="kuhn",
    version=0,
    title="Kuhn's poker",
    options=(
        Option("num_players", 2, whole_number(2, 3), "players"),
        Option("dice", 0, whole_number(0, 1), "1: chance goes on after the deal"),
        Option("unfair", 0, whole_number(0, 1), "1: what is legal depends on what nobody sees"),
    ),
    state_fields=lambda options: (
        StateField("rng", "u8", (4,), NOBODY, "the chance stream"),
        StateField("players", "i2", (), EVERYONE, "two"),
        StateField("dice", "i2", (), EVERYONE, "see the options"),
        StateField("unfair", "i2", (), EVERYONE, "see the options"),
        StateField("stage", "i2", (), EVERYONE, "what has been done"),
        StateField("card", "i2", (2,), OWNER, "0, 1 or 2"),
        StateField("stake", "i2", (2,), EVERYONE, "paid into the pot"),
    ),
    view_fields=(
        ViewField("card", (), 0, 2, "own card"),
        ViewField("stage", (), 0, 4, "what has been done"),
        ViewField("own_stake", (), 1, 2, "paid by this seat"),
        ViewField("other_stake", (), 1, 2, "paid by the other seat"),
    ),
    num_actions=2,
    actions=(Action("0", "pass", "always"), Action("1", "bet, or call a bet", "always")),
    simultaneous=False,
    lower_is_better=False,
    margin_scale=lambda options: 1.0,
    verbs={
        "to_act": to_act,
        "legal": legal,
        "apply": apply,
        "look": look,
        "returns": returns,
        "ranks": ranks,
    },
    configure=configure,
    set_deal=set_deal,
    every_deal=every_deal,
    snapshot=not_needed,
    action_name=lambda action: ("pass", "bet")[action],
    describe=not_needed,
    render_text=not_needed,
    render_image=not_needed,
)
# The record types are known; the registry of games is not: other tests run over all that are there.
KUHN.state_dtype(KUHN.check_options({}))
KUHN._stand_behind(KUHN.view_dtype)
