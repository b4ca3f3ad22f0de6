"""The value of an alternative, against games played out in plain Python from the same point."""

import copy

import numpy as np
import pandas as pd
import pytest

from cardgames_env import Agent
from cardgames_env.core.game import (
    OK,
    apply_row,
    deal_row,
    get_game,
    legal_row,
    look_row,
    result_row,
    to_act_row,
)
from cardgames_env.core.playout import AgentError, play_games
from cardgames_env.core.policy import reset_players, seat_players
from cardgames_env.core.rng import below
from experiments.alternatives import Question, Trial, alternatives_schema, try_alternatives
from experiments.lineup import Contestant, contestants
from tests.contract.play import copied
from tests.reference_rng import GOLDEN, Stream, mix

GAME = get_game("dicht_dran_v0")
OPTIONS = GAME.check_options({"num_players": 3, "deals": 2})
SEATINGS = np.array([[[0, 1, 0], [1, 0, 0]]])
ROOT = 11
EVERYTHING = Question(lambda view, mask: True)


def forgetful(view, obs, mask, memory, params, rng):
    """By its memory and its stream: every third decision of a game at random, else the lowest card."""
    memory[0] += 1.0
    cards = 0
    for a in range(len(mask)):
        cards += mask[a]
    left = np.int64(below(rng, cards)) if memory[0] % 3 == 0 else 0
    for a in range(len(mask)):
        if mask[a]:
            if left == 0:
                return a
            left -= 1
    return -1


FORGETFUL = Contestant("forgetful", Agent(GAME, forgetful, memory=1))
LINE_UP = [FORGETFUL, *contestants("dicht_dran", ["random"])]


def tried(
    line_up=LINE_UP, question=EVERYTHING, *, game=GAME, options=OPTIONS, seatings=SEATINGS, **kw
):
    given = {"first_game": 0, "count": 4, "playouts": 3, "worlds": 2, "share": 0.15} | kw
    return try_alternatives(game, options, line_up, seatings, question, root=ROOT, **given)


@pytest.fixture(scope="module")
def rows():
    return tried().to_pandas()


@pytest.fixture(scope="module")
def everything():
    """All decisions of the same games."""
    return tried(share=1.0, playouts=1, worlds=1).to_pandas()


def decisions(frame):
    return frame.groupby(["game", "decision"])


# -- the games -------------------------------------------------------------------------------------


def test_the_games_are_those_of_a_tournament(rows, everything):
    """The chosen actions, and all that the decision log tells of them."""
    log = play_games(
        GAME, OPTIONS, [c.player for c in LINE_UP], SEATINGS, root=ROOT, first_game=0, count=4, logged=1.0
    ).log  # fmt: skip
    chosen = everything[everything["chosen"]]
    assert chosen["game"].tolist() == log.games.tolist()
    assert chosen["decision"].tolist() == log.decisions.tolist()
    assert chosen["seat"].tolist() == log.seats.tolist()
    assert chosen["action"].tolist() == log.actions.tolist()
    assert chosen["agent"].tolist() == [LINE_UP[k].label for k in log.agents]
    assert decisions(everything).size().tolist() == log.legal_actions.tolist()
    own = [column.name for column in GAME.log_columns]
    np.testing.assert_array_equal(chosen[own].astype(float).to_numpy(), log.own)
    sampled = rows.merge(everything[["game", "decision", "action", "chosen"]], how="left")
    assert len(sampled) == len(rows)
    assert (sampled["deal"] == sampled["game"] // 2).all()
    assert (sampled["seating"] == sampled["game"] % 2).all()


def test_one_action_of_each_decision_is_the_chosen_one(rows):
    assert (decisions(rows)["chosen"].sum() == 1).all()
    assert not rows.duplicated(["game", "decision", "action"]).any()


def test_the_columns_tell_what_each_action_would_be(rows):
    assert (rows["card"] == rows["action"] + 1).all()
    inside = (rows["card"] >= rows["gap_low"]) & (rows["card"] <= rows["gap_high"])
    assert (rows["in_gap"] == inside).all()
    assert (decisions(rows)["in_gap"].sum() == decisions(rows)["gap_cards"].first()).all()
    assert rows.loc[~rows["chosen"], "won"].isna().all()
    assert rows.loc[rows["chosen"], "won"].notna().all()


def test_a_decision_is_studied_whatever_the_blocks(rows):
    halves = [tried(first_game=first, count=2).to_pandas() for first in (0, 2)]
    pd.testing.assert_frame_equal(pd.concat(halves, ignore_index=True), rows)


def test_a_smaller_share_studies_some_of_the_same_decisions(rows):
    fewer = tried(share=0.07).to_pandas()
    assert 0 < len(fewer) < len(rows)
    same = fewer.merge(rows, how="left", indicator=True)
    assert (same["_merge"] == "both").all()


def test_only_wanted_decisions_are_studied():
    def late(view, mask):
        return bool(view["round_number"] > 4 and mask.sum() > 2)

    frame = tried(question=Question(late), share=1.0, playouts=1, worlds=1, count=2).to_pandas()
    assert len(frame)
    assert (frame["round_number"] > 4).all()
    assert (decisions(frame).size() > 2).all()


def test_a_table_without_rows_has_all_columns():
    table = tried(question=Question(lambda view, mask: False))
    assert table.num_rows == 0
    assert table.schema == alternatives_schema(GAME, EVERYTHING)


# -- the values ------------------------------------------------------------------------------------


def key_of(root, game, stream):
    """The name of a stream, in plain Python."""
    key = mix(root + GOLDEN)
    key = mix((key ^ game) + GOLDEN)
    return mix((key ^ stream) + GOLDEN)


def words(key):
    """The state of the stream with this key."""
    return np.array([mix(key + (i + 1) * GOLDEN) for i in range(4)], np.uint64)


def ask(player, states, seat):
    views, flat = GAME.new_views(1)
    mask = np.zeros(GAME.num_actions, np.int8)
    look_row(states, 0, seat, views, 0)
    legal_row(states, 0, mask)
    return player(flat[0], mask)


def played_on(states, players, number, decision, j, action):
    """Win shares and points if ``action`` is made now, in playout ``j``, one decision after the other."""
    states, players = copied(states), copy.deepcopy(players)
    key = key_of(key_of(key_of(ROOT, number, 253), decision, 1), j, 0)
    states["rng"][0] = words(key)
    for seat, player in enumerate(players):
        memory = player._memory.copy()
        player.reset(key_of(key_of(key_of(ROOT, number, 253), decision, 1), j, 1 + seat))
        player._memory[:] = memory
    while True:
        assert apply_row(states, 0, action) == OK
        seat = to_act_row(states, 0)
        if seat < 0:
            break
        action = ask(players[seat], states, seat)
    points, ranks = np.zeros(3, np.int32), np.zeros(3, np.int8)
    result_row(states, 0, points, ranks)
    return (ranks == 1) / (ranks == 1).sum(), points


def test_values_are_those_of_games_played_out_in_python(rows):
    checked = 0
    for number in range(3):
        mine = rows[rows["game"] == number]
        players = seat_players([LINE_UP[k].player for k in SEATINGS[0, number % 2]])
        reset_players(players, ROOT, number, range(3))
        states = GAME.new_states(OPTIONS, 1)
        deal_row(states, 0, ROOT, number // 2)
        decision = 0
        while (seat := to_act_row(states, 0)) >= 0:
            chosen = ask(players[seat], states, seat)  # what it learns now, it knows in playouts
            for row in mine[mine["decision"] == decision].itertuples():
                results = [
                    played_on(states, players, number, decision, j, row.action) for j in range(3)
                ]
                shares = [share[seat] for share, _ in results]
                points = [score[seat] for _, score in results]
                assert row.win_share == pytest.approx(np.mean(shares))
                assert row.points == pytest.approx(np.mean(points))
                assert row.points_error == pytest.approx(np.std(points, ddof=1) / 3**0.5)
                assert row.win_share_error == pytest.approx(np.std(shares, ddof=1) / 3**0.5)
                checked += 1
            assert apply_row(states, 0, chosen) == OK
            decision += 1
    assert checked > 50


def test_which_decisions_are_studied_is_a_hash_of_their_numbers(rows, everything):
    expected = {
        (number, decision)
        for number, decision in decisions(everything).groups
        if (key_of(key_of(ROOT, number, 253), decision, 0) >> 11) * 2**-53 < 0.15
    }
    assert set(decisions(rows).groups) == expected
    assert Stream(ROOT, 3, 253).s == words(key_of(ROOT, 3, 253)).tolist()  # as other tests have it


def test_the_last_decision_of_a_game_is_worth_what_it_leads_to():
    """Nobody decides after it, so that every value is the result of the action itself."""
    options = GAME.check_options({"num_players": 2, "deals": 1})
    line_up = contestants("dicht_dran", ["closest"])
    kw = {"options": options, "seatings": np.zeros((1, 1, 2), int), "share": 1.0, "count": 30}
    frame = tried(line_up, playouts=2, worlds=1, **kw).to_pandas()
    met = 0
    for number, game in frame.groupby("game"):
        last = game[game["decision"] == game["decision"].max()]
        states = GAME.new_states(options, 1)
        deal_row(states, 0, ROOT, number)
        for action in game[game["chosen"]].sort_values("decision")["action"][:-1]:
            assert apply_row(states, 0, action) == OK
        for row in last.itertuples():
            after = copied(states)
            assert apply_row(after, 0, row.action) == OK
            if to_act_row(after, 0) >= 0:
                continue  # with this card the game would not have ended
            if row.pile_size < 6:
                continue  # the pile may have been renewed by chance
            points, ranks = np.zeros(2, np.int32), np.zeros(2, np.int8)
            result_row(after, 0, points, ranks)
            assert row.points == points[row.seat]
            assert row.win_share == (ranks[row.seat] == 1) / (ranks == 1).sum()
            met += 1
    assert met > 12


def test_a_single_playout_has_no_error():
    assert tried(playouts=1).to_pandas()["points_error"].isna().all()


# -- imagined deals --------------------------------------------------------------------------------


def test_imagined_values_know_the_view_and_the_own_memory_alone():
    """The others' hands exchanged, and what they remember changed: only the true values move."""
    trial = Trial(GAME, OPTIONS, [c.player for c in LINE_UP], (), playouts=4, worlds=4)
    key = np.uint64(123)
    true, imagined = [], []
    for number in range(5):
        trial.begin(ROOT, number, number, np.array([0, 0, 0]))
        assert trial.see() == 0
        for _ in range(2):
            actions = np.flatnonzero(trial.mask)
            values = trial.values(actions, key, decision=0, seat=0)
            true.append(values[:, :4])
            imagined.append(values[:, 4:])
            trial.states["hand"][0, [1, 2]] = trial.states["hand"][0, [2, 1]]
            trial.memory[1:] += 1
            assert trial.see() == 0
    np.testing.assert_array_equal(imagined[::2], imagined[1::2])
    assert not np.array_equal(true[::2], true[1::2])
    trial.memory[0] += 1
    changed = trial.values(actions, key, decision=0, seat=0)[:, 4:]
    assert not np.array_equal(changed, imagined[-1])


def test_the_same_imagined_deals_serve_all_actions():
    """Two actions that lead to the same game have the same values, whoever is imagined to hold what."""
    trial = Trial(GAME, OPTIONS, [c.player for c in LINE_UP], (), playouts=2, worlds=3)
    trial.begin(ROOT, 0, 0, np.array([1, 0, 1]))
    trial.see()
    action = int(np.flatnonzero(trial.mask)[0])
    values = trial.values(np.array([action, action]), np.uint64(5), decision=0, seat=0)
    np.testing.assert_array_equal(values[0], values[1])


# -- a game without chance after the deal ----------------------------------------------------------


def test_where_nothing_is_left_to_chance_there_is_no_error():
    """DTC with agents that draw nothing: one playout tells all, and the chosen action what happened."""
    game = get_game("dtc_v0")
    options = game.check_options(
        {"num_players": 2, "values": 3, "copies": 3, "jokers": 2, "hand_size": 3}
    )
    line_up = contestants("dtc", ["honest", "counter"])
    seatings = np.array([[[0, 1], [1, 0]]])
    kw = {"root": 4, "first_game": 0, "count": 6}
    frame = try_alternatives(
        game, options, line_up, seatings, EVERYTHING, playouts=3, worlds=2, **kw
    ).to_pandas()
    assert (frame["win_share_error"] == 0).all()
    assert (frame["points_error"] == 0).all()
    block = play_games(game, options, [c.player for c in line_up], seatings, **kw)
    chosen = frame[frame["chosen"]]
    results = block.points[chosen["game"], chosen["seat"]]
    assert (chosen["points"] == -results).all()  # the game's own: fewer are better
    assert frame["points"].nunique() > 3


# -- what is refused -------------------------------------------------------------------------------


def test_an_agent_in_python_is_refused_by_name():
    def mine(observation, mask, info):
        return int(mask.argmax())

    with pytest.raises(ValueError, match="agent my own is not compiled"):
        tried([LINE_UP[0], Contestant("my own", mine)])


@pytest.mark.parametrize(
    ("name", "value"), [("playouts", 0), ("worlds", 0), ("share", 0.0), ("share", 1.5)]
)
def test_numbers_out_of_range_are_refused_by_name(name, value):
    with pytest.raises(ValueError, match=name):
        tried(**{name: value})


def test_an_illegal_action_is_told_with_agent_and_game():
    def wrong(view, obs, mask, memory, params, rng):
        return -1

    line_up = [Contestant("wrong", Agent(GAME, wrong, name="wrong")), LINE_UP[1]]
    with pytest.raises(AgentError, match="wrong"):
        tried(line_up, share=1.0)
