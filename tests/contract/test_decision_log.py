"""The decision log: the decisions of the games as they are played, and nothing else."""

import dataclasses

import numpy as np
import pytest

from cardgames_env.core import log as decision_log
from cardgames_env.core.asking import AgentError
from cardgames_env.core.game import EVERYONE, NOTHING, StateField, note_after, note_before
from cardgames_env.core.jit import kernel
from cardgames_env.core.playout import play_games
from cardgames_env.core.policy import Agent, random_agent
from experiments.decisions import GENERAL_COLUMNS
from tests.contract.play import choose_by_the_view, games_of, viewer
from tests.reference_rng import Stream

ROOT = 78
GAMES = 6


def played(variant, players, *, logged=1.0, seatings=None, first_game=0, count=GAMES):
    seatings = np.zeros((1, 1, variant.players), int) if seatings is None else seatings
    return play_games(
        variant.game, variant.options, players, seatings, root=ROOT, first_game=first_game,
        count=count, logged=logged,
    )  # fmt: skip


def rotations(variant):
    """Two agents who change seats: two seatings of every deal."""
    return np.array([[[(p + k) % 2 for p in range(variant.players)] for k in range(2)]])


def same(log, other):
    for field in dataclasses.fields(log):
        np.testing.assert_array_equal(getattr(log, field.name), getattr(other, field.name))


def chosen(log, rows):
    """A log with these rows alone."""
    return dataclasses.replace(log, **{name: values[rows] for name, values in vars(log).items()})


@pytest.mark.parametrize("lane", ["compiled", "Python"])
def test_the_rows_are_the_decisions_of_the_turn_based_environment(variant, lane):
    agent = viewer(variant) if lane == "compiled" else choose_by_the_view
    log = played(variant, [agent]).log
    rows = zip(
        log.games.tolist(), log.decisions.tolist(), log.seats.tolist(), log.agents.tolist(),
        log.actions.tolist(), log.legal_actions.tolist(), strict=True,
    )  # fmt: skip
    assert list(rows) == [
        (number, k, decision.seat, 0, decision.action, decision.mask.sum())
        for number, game in enumerate(games_of(variant, ROOT, GAMES))
        for k, decision in enumerate(game.decisions)
    ]


def test_both_lanes_write_the_same_rows(variant):
    seatings = rotations(variant)
    compiled = played(variant, [viewer(variant)] * 2, seatings=seatings)
    in_python = played(variant, [choose_by_the_view] * 2, seatings=seatings)
    same(compiled.log, in_python.log)
    log = compiled.log
    np.testing.assert_array_equal(log.agents, compiled.agents[log.games, log.seats])
    assert len(log.games) == compiled.decisions


def test_the_log_changes_no_game(variant):
    plain = played(variant, [viewer(variant)], logged=0.0)
    assert plain.log is None
    for share in (0.5, 1.0):
        logged = played(variant, [viewer(variant)], logged=share)
        for column in ("agents", "points", "ranks", "rounds"):
            np.testing.assert_array_equal(getattr(plain, column), getattr(logged, column))
        assert plain.decisions == logged.decisions


def test_a_sample_is_the_rows_of_its_deals_whatever_the_blocks(variant):
    """By the root and the deal's number alone, as re-stated here in plain Python."""
    share, deals = 0.4, 12
    sampled = [d for d in range(deals) if Stream(ROOT, d, 254).next() / 2**64 < share]
    assert 0 < len(sampled) < deals
    agents, seatings = [viewer(variant)] * 2, rotations(variant)
    everything = played(variant, agents, seatings=seatings, count=2 * deals).log
    sample = played(variant, agents, seatings=seatings, count=2 * deals, logged=share).log
    same(sample, chosen(everything, np.isin(everything.games // 2, sampled)))
    second = played(
        variant, agents, seatings=seatings, first_game=10, count=2 * deals - 10, logged=share
    ).log
    same(second, chosen(sample, sample.games >= 10))


def test_a_larger_share_has_the_deals_of_a_smaller_one():
    deals = np.arange(10_000)
    few, many = (decision_log.sampled_deals(ROOT, deals, share) for share in (0.1, 0.3))
    assert 900 < few.sum() < 1100
    assert 2800 < many.sum() < 3200
    assert not (few & ~many).any()
    assert decision_log.sampled_deals(ROOT, deals, 1.0).all()


@pytest.mark.parametrize("lane", ["compiled", "Python"])
@pytest.mark.parametrize("room", [1, 50])
def test_a_log_grows_with_its_games(any_variant, lane, room, monkeypatch):
    agent = viewer(any_variant) if lane == "compiled" else choose_by_the_view
    ample = played(any_variant, [agent], logged=0.5)
    monkeypatch.setattr(decision_log, "FIRST_ROOM", room)
    narrow = played(any_variant, [agent], logged=0.5)
    assert 50 < len(ample.log.games) < decision_log.GENERAL * 10**4
    same(ample.log, narrow.log)
    assert narrow.decisions == ample.decisions
    np.testing.assert_array_equal(ample.points, narrow.points)


# -- the game's own columns ------------------------------------------------------------------------


def test_own_columns_are_named_apart_explained_and_filled_within_their_type(variant):
    own = variant.game.log_columns
    names = [name for name, _, _ in GENERAL_COLUMNS] + [column.name for column in own]
    assert len(set(names)) == len(names)
    log = played(variant, [random_agent(variant.game)], count=10).log
    assert log.own.shape == (len(log.games), len(own))
    assert log.own.dtype == np.int32
    for column, values in zip(own, log.own.T, strict=True):
        assert column.meaning
        values = values[values != NOTHING]
        assert len(values), column.name
        if np.dtype(column.type) == bool:
            assert set(values) <= {0, 1}, column.name
        else:
            limits = np.iinfo(column.type)
            assert limits.min <= values.min(), column.name
            assert values.max() <= limits.max, column.name


@kernel
def note_both(states, rows):
    note_before(states[0], 0, rows[0])
    note_after(states[0], rows, 0)


def test_a_game_may_do_without_own_columns(any_variant):
    game = any_variant.game
    plain = dataclasses.replace(
        game,
        log_columns=(),
        verbs={name: verb for name, verb in game.verbs.items() if not name.startswith("note_")},
        # A record type of its own, by which verbs are found.
        state_fields=lambda options: (
            StateField("no_log", "i8", (), EVERYONE, "tells this game from the other"),
            *game.state_fields(options),
        ),
    )
    rows = np.full((1, 3), NOTHING, np.int32)
    note_both(plain.new_states(any_variant.options, 1), rows)
    assert (rows == NOTHING).all()


# -- agents that fail ------------------------------------------------------------------------------


def far_beyond(view, obs, mask, memory, params, rng):
    """Chooses no action at all, and does away with the mask that says so."""
    mask[:] = 1
    return 1_000_000_000


def below_all(view, obs, mask, memory, params, rng):
    mask[:] = 1
    return -1_000_000_000


def not_allowed(view, obs, mask, memory, params, rng):
    """An action that is illegal now."""
    for action in range(len(mask)):
        if not mask[action]:
            mask[:] = 1
            return action
    return -1


@pytest.mark.parametrize("policy", [far_beyond, below_all, not_allowed])
def test_an_illegal_action_is_refused_as_without_the_log(any_variant, policy):
    """The game is not asked about an action that it could not carry out."""
    agent = Agent(any_variant.game, policy)
    for logged in (0.0, 1.0):
        with pytest.raises(
            AgentError, match=f"{policy.__name__} chose an illegal action in game 3"
        ):
            played(any_variant, [agent], first_game=3, logged=logged)


def test_a_python_agents_illegal_action_is_refused_as_without_the_log(any_variant):
    def beyond(observation, mask, info):
        return len(mask)

    with pytest.raises(AgentError, match="beyond chose the illegal action .* in game 5"):
        played(any_variant, [beyond], first_game=5)
