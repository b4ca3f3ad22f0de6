"""Agents: those of the registry, and those that users bring."""

import numpy as np
import pytest

import agents
import cardgames_env
from cardgames_env.core.playout import play_games
from tests.contract.play import positions, to_act, viewer

SIGMAS = 4.5


def quick(game, name):
    """An agent by name, a searching one with next to no search."""
    parameters = [parameter.name for parameter in agents.entries(game)[name].parameters]
    return agents.get(game, name, **({"simulations": 1} if "simulations" in parameters else {}))


def searches(game, name):
    return "simulations" in [p.name for p in agents.entries(game)[name].parameters]


# -- the registry ----------------------------------------------------------------------------------


def test_every_game_has_a_random_agent_and_rules_of_thumb(game_id):
    names = agents.names(game_id)
    assert names[0] == "random"
    assert len(names) >= 3
    assert len(set(names)) == len(names)


def test_every_agent_says_in_a_sentence_what_it_does(game_id):
    for name, entry in agents.entries(game_id).items():
        assert entry.name == name
        assert 20 < len(entry.summary) < 200
        assert entry.summary.endswith(".")


def test_every_agent_plays_legal_moves_through_hundreds_of_games(variant):
    """An illegal one would be an AgentError. All at one table, and each by itself."""
    game, players = variant.game, variant.players
    for name in agents.names(variant.id):
        count = 4 if searches(variant.id, name) else 400
        block = play_games(
            game, variant.options, [quick(variant.id, name)], np.zeros((1, 1, players), int),
            root=41, first_game=0, count=count,
        )  # fmt: skip
        assert block.decisions >= count * players
        assert (block.ranks.min(axis=1) == 1).all()
    everybody = [quick(variant.id, name) for name in agents.names(variant.id)]
    rotations = [[(seat + turn) % len(everybody) for seat in range(players)]
                 for turn in range(len(everybody))]  # fmt: skip
    block = play_games(
        game, variant.options, everybody, np.array([rotations]), root=42, first_game=0,
        count=4 * len(everybody),
    )  # fmt: skip
    assert set(block.agents.ravel()) == set(range(len(everybody)))


def test_every_agent_plays_legal_moves_from_python_too(variant):
    for name in agents.names(variant.id):
        agent = quick(variant.id, name)
        env = variant.env()
        for states in positions(variant, games=1, every=11):
            if to_act(states) < 0:
                continue
            env.reset(seed=1)
            env._states[:] = states
            env._fresh_look = -1
            seat = to_act(states)
            seen = env.observe(env.possible_agents[seat])
            agent.reset(5)
            action = agent(seen["observation"], seen["action_mask"])
            assert type(action) is int
            assert seen["action_mask"][action]


def test_an_agent_is_a_function_of_what_it_sees_and_of_its_seed(any_variant):
    env = any_variant.env()
    env.reset(seed=1)
    seen = env.observe(env.agent_selection)
    ask = seen["observation"], seen["action_mask"]
    for name in agents.names(any_variant.id):
        choices = []
        for _ in range(2):
            agent = quick(any_variant.id, name)
            agent.reset(9)
            choices.append([agent(*ask) for _ in range(5)])
        assert choices[0] == choices[1]


def test_arrays_of_another_form_are_refused_by_an_agent(any_variant):
    env = any_variant.env()
    env.reset(seed=1)
    seen = env.observe(env.agent_selection)
    observation, mask = seen["observation"], seen["action_mask"]
    agent = agents.get(any_variant.id, "random")
    for wrong in (observation[1:], observation.astype(np.float32), list(observation), None):
        with pytest.raises(ValueError, match="observation must be"):
            agent(wrong, mask)
    for wrong in (mask[1:], mask.astype(bool), list(mask), None):
        with pytest.raises(ValueError, match="mask must be"):
            agent(observation, wrong)
    with pytest.raises(ValueError, match="without a legal action"):
        agent(observation, np.zeros_like(mask))
    for seed in (-1, 2**64):
        with pytest.raises(ValueError, match="seed"):
            agent.reset(seed)


def test_an_unknown_agent_is_refused_and_the_known_ones_are_named(game_id):
    with pytest.raises(ValueError, match=r"did you mean 'random'\?.*agents: random, "):
        agents.get(game_id, "randm")


def test_bad_parameters_are_refused_by_name_and_range(game_id):
    with pytest.raises(ValueError, match="random has no parameter 'luck'.*it has none"):
        agents.get(game_id, "random", luck=7)
    tried = 0
    for name, entry in agents.entries(game_id).items():
        for parameter in entry.parameters:
            for value in (
                parameter.low - 1,
                parameter.high * 2 + 1,
                "x",
                None,
                True,
                np.nan,
                np.inf,
            ):
                with pytest.raises(ValueError, match=f"parameter {parameter.name} must be"):
                    agents.get(game_id, name, **{parameter.name: value})
            with pytest.raises(ValueError, match=f"did you mean '{parameter.name}'"):
                agents.get(game_id, name, **{parameter.name + "x": 1})
            tried += 1
    assert tried > 0


def test_an_agents_label_tells_its_parameters(game_id):
    for name, entry in agents.entries(game_id).items():
        assert agents.get(game_id, name).name == name
        for parameter in entry.parameters:
            other = parameter.low if parameter.low != parameter.default else parameter.high
            changed = agents.get(game_id, name, **{parameter.name: other})
            assert changed.name == f"{name}:{parameter.name}={other:g}"


# -- chances ---------------------------------------------------------------------------------------


def win_shares(block):
    won = block.ranks == 1
    return won / won.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("which", ["random", "all others"])
def test_copies_of_one_policy_win_equally_often(variant, which):
    """n copies, each in every seat in turn: 1/n each. If seats are alike: 1/n at every seat, too."""
    players = variant.players
    for name in agents.names(variant.id):
        if (name == "random") != (which == "random") or searches(variant.id, name):
            continue
        copies = [agents.get(variant.id, name) for _ in range(players)]
        turns = [[(seat + turn) % players for seat in range(players)] for turn in range(players)]
        deals = 600
        block = play_games(
            variant.game, variant.options, copies, np.array([turns]), root=43, first_game=0,
            count=players * deals,
        )  # fmt: skip
        shares = win_shares(block)
        by_copy = np.stack([shares[block.agents == k] for k in range(players)], axis=1)
        # Games of one deal go together, so that the deal is the unit.
        by_copy = by_copy.reshape(deals, players, players).mean(axis=1)
        even(by_copy, players, f"{name} by copy")
        if variant.row.seats_alike:
            # One game of each deal: those under other seatings are not independent of it.
            even(shares[::players], players, f"{name} by seat")


def even(shares, players, what):
    error = shares.std(axis=0, ddof=1) / len(shares) ** 0.5
    assert (np.abs(shares.mean(axis=0) - 1 / players) < SIGMAS * error + 1e-9).all(), what


# -- agents that users bring -----------------------------------------------------------------------


def counting(view, obs, mask, memory, params, rng):
    """Plays the first legal action params[0] times, then the last; counts its moves in memory."""
    memory[0] += 1.0
    first = -1
    last = -1
    for a in range(len(mask)):
        if mask[a]:
            if first < 0:
                first = a
            last = a
    return first if memory[0] <= params[0] else last


class CountingInPython:
    """The same from scratch, for the slower lane."""

    def __init__(self, turns):
        self.turns = turns

    def reset(self, seed):
        self.moves = 0

    def __call__(self, observation, mask, info):
        self.moves += 1
        legal = np.flatnonzero(mask)
        return int(legal[0] if self.moves <= self.turns else legal[-1])


@pytest.mark.parametrize("turns", [0, 2, 1000])
def test_a_users_policy_has_its_params_and_a_memory_that_is_cleared_at_the_deal(variant, turns):
    """Were it not cleared, later games would be played with the last card from the start."""
    agent = cardgames_env.Agent(variant.id, counting, params=[turns], memory=1)
    table = np.zeros((1, 1, variant.players), int)
    blocks = [
        play_games(variant.game, variant.options, [player], table, root=44, first_game=0, count=5)
        for player in (agent, CountingInPython(turns))
    ]
    np.testing.assert_array_equal(blocks[0].points, blocks[1].points)
    assert blocks[0].decisions == blocks[1].decisions


def test_agents_with_different_params_and_memories_do_not_meet(any_variant):
    """Seat by seat, in one run: each reads its own."""
    players = any_variant.players
    turns = [0, 3, 1, 1000, 2][:players]
    brought = [
        cardgames_env.Agent(any_variant.id, counting, params=[t, -t], memory=1 + k)
        for k, t in enumerate(turns)
    ]
    table = np.arange(players)[None, None]
    blocks = [
        play_games(
            any_variant.game, any_variant.options, lineup, table, root=45, first_game=0, count=20
        )
        for lineup in (brought, [CountingInPython(t) for t in turns])
    ]
    np.testing.assert_array_equal(blocks[0].points, blocks[1].points)


def test_a_users_agent_counts_on_in_python_until_it_is_reset(any_variant):
    agent = cardgames_env.Agent(any_variant.id, counting, params=[1], memory=1)
    env = any_variant.env()
    env.reset(seed=1)
    seen = env.observe(env.agent_selection)
    ask = seen["observation"], seen["action_mask"]
    legal = np.flatnonzero(seen["action_mask"]).tolist()
    assert [agent(*ask), agent(*ask)] == [legal[0], legal[-1]]
    agent.reset(1)
    assert agent(*ask) == legal[0]


def test_a_users_agent_may_sit_at_a_seat_environment(any_variant):
    brought = cardgames_env.Agent(any_variant.id, counting, params=[2], memory=1)
    steps = []
    for opponent in (brought, CountingInPython(2)):
        env = cardgames_env.make_seat(
            any_variant.id, opponents=opponent, reward="points", **any_variant.given
        )
        observation, _ = env.reset(seed=46)
        told = [observation.tobytes()]
        done = False
        while not done:
            observation, reward, done, _, _ = env.step(int(env.action_masks().argmax()))
            told.append((observation.tobytes(), reward))
        steps.append(told)
    assert steps[0] == steps[1]


def test_a_policy_that_does_not_compile_is_refused_by_its_name(any_variant):
    def wordy(view, obs, mask, memory, params, rng):
        return view.no_such_field

    with pytest.raises(ValueError, match="policy wordy does not compile"):
        cardgames_env.Agent(any_variant.id, wordy)
    with pytest.raises(ValueError, match="params"):
        cardgames_env.Agent(any_variant.id, counting, params=[[1, 2]])


def test_a_run_takes_sixteen_agents_and_no_more(any_variant):
    agent = viewer(any_variant)
    table = np.zeros((1, 1, any_variant.players), int)
    kwargs = {"root": 1, "first_game": 0, "count": 1}
    play_games(any_variant.game, any_variant.options, [agent] * 16, table, **kwargs)
    with pytest.raises(ValueError, match="16 agents"):
        play_games(any_variant.game, any_variant.options, [agent] * 17, table, **kwargs)
