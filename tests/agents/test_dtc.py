"""What the agents of DTC do, and what they believe."""

import math

import numpy as np
import pytest

import agents
import cardgames_env
from cardgames_env.core.game import get_game
from cardgames_env.core.jit import kernel
from cardgames_env.core.playout import play_games
from cardgames_env.games.dtc.beliefs import able, at_least, chance_true
from cardgames_env.games.dtc.log import COLUMNS

GAME = get_game("dtc_v0")
NAMES = [column.name for column in COLUMNS]


def log_of(*names, players=4, games=300, **options):
    """Columns of the decision log of agents at one table, each with its agent's number."""
    brought = [agents.get("dtc_v0", n) if isinstance(n, str) else n for n in names]
    seating = [[k % len(brought) for k in range(players)]]
    resolved = GAME.check_options({"num_players": players, **options})
    log = play_games(
        GAME, resolved, brought, np.array([seating]), root=3, first_game=0, count=games, logged=1.0
    ).log
    columns = dict(zip(NAMES, log.own.T, strict=True))
    return columns | {"agent": log.seats % len(brought), "legal": log.legal_actions}


def announcements(log, agent=0):
    mine = (log["phase"] == 0) & (log["agent"] == agent)
    return {name: column[mine] for name, column in log.items()}


# -- what they do ----------------------------------------------------------------------------------


@pytest.mark.parametrize("higher", [False, True])
@pytest.mark.parametrize("players", [2, 4, 6])
@pytest.mark.parametrize("name", ["honest", "counter"])
def test_who_does_not_bluff_offers_truly_whenever_it_can(name, players, higher):
    mine = announcements(
        log_of(name, "random", players=players, games=150, higher_counts_as_true=higher)
    )
    assert (mine["truth"] == mine["true_possible"]).all()
    assert (mine["truth"] == 1).sum() > 100


@pytest.mark.parametrize("rate", [0.0, 0.3, 1.0])
def test_the_bluffer_lies_without_need_as_often_as_it_is_told_to(rate):
    bluffer = agents.get("dtc_v0", "bluffer", rate=rate)
    mine = announcements(log_of(bluffer, "counter", games=400))
    able_to = mine["true_possible"] == 1
    lies = (mine["truth"][able_to] == 0).mean()
    error = math.sqrt(rate * (1 - rate) / able_to.sum())
    # At the highest rate there are hands of which nothing large enough is false.
    assert rate - 5 * error - 0.02 * rate <= lies <= rate + 5 * error


@pytest.mark.parametrize("higher", [False, True])
@pytest.mark.parametrize("agent", ["bluffer", "bayes"])
def test_an_honest_twin_never_bluffs_without_need(agent, higher):
    given = {"rate": 0.8} if agent == "bluffer" else {}
    options = {"games": 150, "higher_counts_as_true": higher}
    lies = []
    for honest in (0, 1):
        twin = agents.get("dtc_v0", agent, honest=honest, **given)
        mine = announcements(log_of(twin, "counter", **options))
        able_to = mine["true_possible"] == 1
        lies.append((mine["truth"][able_to] == 0).sum())
        assert able_to.sum() > 100
    assert lies[0] > 0
    assert lies[1] == 0


@pytest.mark.parametrize(
    ("agent", "points"),
    [
        ("bluffer", [[29, 17, 17, 3], [48, 6, 6, 6], [18, 20, 11, 17], [26, 20, 4, 16]]),
        ("bayes", [[4, 37, 6, 19], [36, 2, 3, 25], [21, 20, 10, 15], [15, 30, 16, 5]]),
    ],
)
def test_who_is_no_honest_twin_plays_as_before_there_were_any(agent, points):
    """Results of the agents as they were without the parameter."""
    played = [agents.get("dtc_v0", agent, honest=0), agents.get("dtc_v0", "counter")]
    block = play_games(
        GAME, GAME.check_options({}), played, np.array([[[0, 1, 0, 1]]]), root=5, first_game=0, count=4
    )  # fmt: skip
    assert (-block.points).tolist() == points


def test_a_counter_that_doubts_everything_rejects_and_one_that_doubts_nothing_accepts():
    doubter = agents.get("dtc_v0", "counter", base=1, stake=1)
    believer = agents.get("dtc_v0", "counter", base=-1, stake=0)
    log = log_of(doubter, believer)
    answers = log["phase"] == 2
    assert (log["accepted"][answers & (log["agent"] == 0)] == 0).all()
    mine = answers & (log["agent"] == 1)
    assert (log["accepted"][mine] == (log["legal"][mine] == 2)).all()  # D4: one may have to reject


def test_the_stake_makes_a_counter_doubt_large_offers():
    careful = agents.get("dtc_v0", "counter", base=-1, stake=0.25)
    log = log_of(careful, "bluffer")
    mine = (log["phase"] == 2) & (log["agent"] == 0)
    rejected = log["accepted"][mine] == 0
    assert not rejected[log["count"][mine] <= 4].any()
    assert rejected[log["count"][mine] > 8].all()


def test_who_counts_rejects_what_cannot_be():
    """Three 6s and no joker in the deck, two of them in the own hand: an offer of two 6s is false."""
    env = cardgames_env.make("dtc_v0", num_players=2, values=6, copies=3, jokers=0, hand_size=3)
    pile = [1, 1, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5]
    deal = {"first": 1, "hands": [[6, 6, 5], [1, 2, 6]], "pile": pile}
    env.reset(seed=1, options={"deal": deal})
    env.step(15 + 6 * 1 + 5)  # two 6s
    while env.agent_selection == "player_1":
        env.step(int(env.observe("player_1")["action_mask"].argmax()))
    seen = env.observe("player_0")
    for name in ("honest", "counter", "bayes"):
        agent = agents.get("dtc_v0", name)
        agent.reset(1)
        assert agent(seen["observation"], seen["action_mask"]) == 1


# -- what they believe -----------------------------------------------------------------------------


def test_the_hypergeometric_tail_is_that_of_counting():
    for need, drawn, matching, cards in [(1, 3, 2, 7), (2, 3, 4, 9), (3, 3, 3, 5), (4, 3, 5, 9)]:
        ways = sum(
            math.comb(matching, i) * math.comb(cards - matching, drawn - i)
            for i in range(need, drawn + 1)
        )
        expected = ways / math.comb(cards, drawn)
        assert at_least(need, drawn, matching, cards) == pytest.approx(expected)


@kernel
def _chance(views, lies, fall):
    return chance_true(views[0], lies, fall)


@kernel
def _able(views, count, value, held, unseen):
    return able(views[0], count, value, held, unseen, 0, 0, 0.0)


def view_with(**fields):
    env = cardgames_env.make("dtc_v0", num_players=fields.pop("players", 4))
    env.reset(seed=1)
    views, flat = GAME.new_views(1)
    flat[0] = env.observe("player_0")["observation"]
    for name, value in fields.items():
        views[name][0] = value
    return views


def test_bayes_weighs_the_chance_to_have_the_cards_against_lies():
    """A first offer of three 5s by a hand of six; 15 of the 60 unseen cards would serve."""
    views = view_with(
        hand=[3, 0, 0, 0, 0, 3, 0], offer_giver=4, offer_count=3, offer_value=5, phase=2,
        hand_sizes=[6, 6, 6, 6, 0, 0], fresh=[6, 6, 6, 3, 0, 0],
    )  # fmt: skip
    views["chain"][0, 2, 4] = 4
    have = at_least(3, 6, 15, 60)
    lie = 2.0 * math.exp(-0.5 * 3)
    assert _chance(views, 2.0, 0.5) == pytest.approx(have / (have + lie * (1 - have)))


def test_cards_known_to_be_elsewhere_are_not_the_givers():
    offer = {
        "players": 3, "hand": [0, 2, 2, 2, 0, 0, 0], "offer_giver": 3, "offer_count": 2,
        "offer_value": 6, "phase": 2, "hand_sizes": [6, 9, 6, 0, 0, 0],
        "fresh": [6, 6, 2, 0, 0, 0],
    }  # fmt: skip
    blind = view_with(**offer)
    knowing = view_with(**offer)
    for views in (blind, knowing):
        views["chain"][0, 1, 5] = 3
    knowing["passed_on"][0, :2, 6] = 6  # seat 1 holds six 6s
    assert _chance(knowing, 1.0, 0.0) < 0.8 * _chance(blind, 1.0, 0.0)


def test_in_the_variant_higher_cards_make_an_offer_likely():
    unseen = np.array([12, 9, 9, 9, 9, 9, 9])
    plain, variant = view_with(), view_with(higher_counts_as_true=1)
    assert _able(plain, 3, 1, 6, unseen) == pytest.approx(at_least(3, 6, 21, 66))
    assert _able(variant, 3, 1, 6, unseen) == pytest.approx(at_least(3, 6, 57, 66))
    assert _able(variant, 3, 6, 6, unseen) == _able(plain, 3, 6, 6, unseen)
