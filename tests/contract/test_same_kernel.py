"""One rule kernel behind every face: the same seeds and the same choices give the same games."""

import numpy as np
import pytest

import agents
import cardgames_env
from cardgames_env.core.asking import AgentError
from cardgames_env.core.playout import play_games
from cardgames_env.core.rng import stream_key
from tests.contract.play import REWARDS, choose_by_the_view, games_of, viewer

ROOT = 77
GAMES = 6


def raw(variant, scaled):
    """The int16 view behind a float32 observation of a seat environment."""
    low, high = variant.game.view_bounds()
    largest = np.maximum(np.abs(low.astype(float)), np.abs(high.astype(float)))
    return np.rint(scaled * largest).astype(np.int16)


def table_of(variant):
    """All seats to agent 0."""
    return np.zeros((1, 1, variant.players), np.int64)


def played(variant, player, count=GAMES, root=ROOT, first_game=0):
    return play_games(
        variant.game, variant.options, [player], table_of(variant), root=root,
        first_game=first_game, count=count,
    )  # fmt: skip


# -- the playout -----------------------------------------------------------------------------------


def test_the_agent_of_these_tests_chooses_alike_compiled_and_in_python(variant):
    agent = viewer(variant)
    for game in games_of(variant, ROOT, 1):
        for decision in game.decisions:
            assert agent(decision.observation, decision.mask) == decision.action


@pytest.mark.parametrize("lane", ["compiled", "Python"])
def test_whole_games_are_those_of_the_turn_based_environment(variant, lane):
    games = games_of(variant, ROOT, GAMES)
    block = played(variant, viewer(variant) if lane == "compiled" else choose_by_the_view)
    sign = -1 if variant.game.lower_is_better else 1
    assert (sign * block.points).tolist() == [game.scores for game in games]
    assert block.ranks.tolist() == [game.ranks for game in games]
    assert block.decisions == sum(len(game.decisions) for game in games)
    assert (block.rounds > 0).all()


def test_a_callable_gets_the_same_rows_in_the_python_lane_as_the_agent_does_compiled(variant):
    """Every agent of the registry: policies, memory and their random streams are the same in both."""
    for name in agents.names(variant.id):
        known = agents.entries(variant.id)[name].parameters
        few = {"simulations": 1} if "simulations" in [p.name for p in known] else {}
        agent = agents.get(variant.id, name, **few)
        compiled = played(variant, agent, count=1)
        in_python = played(variant, InPython(agent), count=1)
        for column in ("points", "ranks", "rounds", "agents"):
            np.testing.assert_array_equal(getattr(compiled, column), getattr(in_python, column))
        assert compiled.decisions == in_python.decisions


class InPython:
    """An agent that the library cannot know to be a compiled one."""

    def __init__(self, agent):
        self.agent = agent

    def reset(self, seed):
        self.agent.reset(seed)

    def __call__(self, observation, mask, info):
        np.testing.assert_array_equal(mask, info["action_mask"])
        return self.agent(observation, mask, info)


def test_the_deal_goes_with_the_deal_and_not_with_who_sits_where(variant):
    """Seatings of one deal: game g is seating g % S of deal g // S."""
    players = variant.players
    agent = viewer(variant)
    rotations = np.array([[[p % 2 for p in range(players)], [(p + 1) % 2 for p in range(players)]]])
    block = play_games(
        variant.game, variant.options, [agent, agent], rotations, root=ROOT, first_game=0,
        count=2 * GAMES,
    )  # fmt: skip
    once = played(variant, agent)
    np.testing.assert_array_equal(block.points[0::2], once.points)
    np.testing.assert_array_equal(block.points[1::2], once.points)
    np.testing.assert_array_equal(block.agents, np.tile(rotations[0], (GAMES, 1)))


# -- the vector ------------------------------------------------------------------------------------


@pytest.mark.parametrize("reward", REWARDS)
def test_the_vector_plays_the_turn_based_games_and_numbers_new_ones_by_step_and_row(
    variant, reward
):
    """Row by row and step by step, rewards, ends and last views included."""
    rows = 4
    games = games_of(variant, ROOT, 4 * rows, reward=reward)
    vector = cardgames_env.make_vec(variant.id, rows, seed=ROOT, reward=reward, **variant.given)
    playing = list(range(rows))
    at = [0] * rows
    following = rows
    ends = 0
    while following + rows <= len(games):
        decisions = [games[g].decisions[k] for g, k in zip(playing, at, strict=True)]
        assert vector.seats.tolist() == [decision.seat for decision in decisions]
        np.testing.assert_array_equal(vector.observations, [d.observation for d in decisions])
        np.testing.assert_array_equal(vector.action_masks, [d.mask for d in decisions])
        vector.step(np.array([decision.action for decision in decisions]))
        np.testing.assert_allclose(vector.rewards, [d.rewards for d in decisions], rtol=1e-6)
        for row in range(rows):
            at[row] += 1
            ended = at[row] == len(games[playing[row]].decisions)
            assert vector.terminations[row] == ended
            if ended:
                ends += 1
                np.testing.assert_array_equal(
                    vector.final_observations[row], games[playing[row]].last_views
                )
                playing[row], at[row] = following, 0
                following += 1
    assert ends > 0


def test_reset_of_the_vector_deals_the_next_games_of_the_root(variant):
    firsts = [game.decisions[0].observation for game in games_of(variant, ROOT, 6)]
    vector = cardgames_env.make_vec(variant.id, 3, seed=ROOT, **variant.given)
    np.testing.assert_array_equal(vector.observations, firsts[:3])
    vector.reset()
    np.testing.assert_array_equal(vector.observations, firsts[3:])
    vector.reset(seed=ROOT)
    np.testing.assert_array_equal(vector.observations, firsts[:3])


def test_the_vectors_arrays_are_the_same_ones_all_along(any_variant):
    vector = cardgames_env.make_vec(any_variant.id, 3, seed=1, **any_variant.given)
    names = ("observations", "action_masks", "seats", "rewards", "terminations",
             "final_observations")  # fmt: skip
    before = {name: id(getattr(vector, name)) for name in names}
    vector.step(vector.action_masks.argmax(axis=1))
    vector.reset()
    assert {name: id(getattr(vector, name)) for name in names} == before
    players = any_variant.players
    assert vector.observations.shape == (3, any_variant.game.view_size)
    assert vector.rewards.shape == (3, players)
    assert vector.final_observations.shape == (3, players, any_variant.game.view_size)
    assert [vector.observations.dtype, vector.action_masks.dtype, vector.rewards.dtype] == [
        np.int16, np.int8, np.float32,
    ]  # fmt: skip


# -- simultaneous choices --------------------------------------------------------------------------


@pytest.mark.parametrize("reward", REWARDS)
def test_the_simultaneous_form_is_the_same_game(variant, reward):
    if not variant.game.simultaneous:
        assert not hasattr(variant.module, "parallel_env")
        return
    players = variant.players
    env = variant.parallel_env(reward=reward)
    for number, game in enumerate(games_of(variant, ROOT, GAMES, reward=reward)):
        observations, infos = env.reset(seed=ROOT if number == 0 else None)
        for first in range(0, len(game.decisions), players):
            round_ = game.decisions[first : first + players]
            assert len(round_) == players
            for name, decision in zip(env.agents, round_, strict=True):
                np.testing.assert_array_equal(observations[name]["action_mask"], decision.mask)
                np.testing.assert_array_equal(infos[name]["action_mask"], decision.mask)
                np.testing.assert_array_equal(
                    observations[name]["observation"], decision.observation
                )
            actions = {n: d.action for n, d in zip(env.agents, round_, strict=True)}
            observations, rewards, terminations, truncations, infos = env.step(actions)
            assert list(rewards.values()) == pytest.approx(round_[-1].rewards)
            last = first + players == len(game.decisions)
            assert set(terminations.values()) == {last}
            assert set(truncations.values()) == {False}
        assert env.agents == []
        assert [infos[a]["score"] for a in env.possible_agents] == game.scores
        assert [infos[a]["rank"] for a in env.possible_agents] == game.ranks


# -- one seat --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("reward", "seat"), [("outcome", 0), ("margin", -1), ("points", "random")])
def test_the_seat_environment_is_the_same_game_seen_from_one_seat(variant, reward, seat):
    seat = variant.players - 1 if seat == -1 else seat
    env = cardgames_env.make_seat(
        variant.id, opponents=choose_by_the_view, seat=seat, reward=reward,
        **variant.given,
    )  # fmt: skip
    sat = set()
    games = games_of(variant, ROOT, GAMES, reward=reward)
    env.reset(seed=ROOT)
    while (number := env.replay().number) < GAMES:
        game = games[number]
        observation, info = env._observation(), env._info()
        sat.add(env.seat)
        assert seat in ("random", env.seat)
        mine = [k for k, decision in enumerate(game.decisions) if decision.seat == env.seat]
        total = sum(d.rewards[env.seat] for d in game.decisions[: mine[0]])
        for k, following in zip(mine, [*mine[1:], len(game.decisions)], strict=True):
            decision = game.decisions[k]
            assert observation.dtype == np.float32
            np.testing.assert_array_equal(raw(variant, observation), decision.observation)
            np.testing.assert_array_equal(info["action_mask"], decision.mask)
            np.testing.assert_array_equal(env.action_masks(), decision.mask.astype(bool))
            observation, reward_now, over, cut, info = env.step(decision.action)
            meanwhile = sum(d.rewards[env.seat] for d in game.decisions[k:following])
            # What fell before the learner's first decision comes with its first reward.
            assert reward_now == pytest.approx(meanwhile + (total if k == mine[0] else 0), abs=1e-5)
            assert (over, cut) == (following == len(game.decisions), False)
        np.testing.assert_array_equal(raw(variant, observation), game.last_views[env.seat])
        assert (info["score"], info["rank"]) == (game.scores[env.seat], game.ranks[env.seat])
        assert not info["action_mask"].any()
        observation, again = env.reset()
        np.testing.assert_array_equal(again["action_mask"], env._info()["action_mask"])
        np.testing.assert_array_equal(observation, env._observation())
        for passed_over in games[number + 1 : env.replay().number]:
            if seat != "random":
                assert seat not in {decision.seat for decision in passed_over.decisions}
    if seat == "random":
        assert len(sat) > 1


@pytest.mark.parametrize(("reward", "seat"), [("outcome", 0), ("margin", -1), ("points", "random")])
def test_the_vector_of_seats_is_the_seat_environment_row_by_row(variant, reward, seat):
    """Games of new numbers by step and row; opponents with random streams of their own."""
    agent = viewer(variant)
    seat = variant.players - 1 if seat == -1 else seat
    opponents = [agents.get(variant.id, "random"), *[agent] * (variant.players - 2)]
    kwargs = {"opponents": opponents, "seat": seat, "reward": reward, **variant.given}
    rows = 3
    vector = cardgames_env.make_seat_vec(variant.id, rows, **kwargs)
    single = cardgames_env.make_seat(variant.id, **kwargs)
    games = [_seat_game(variant, single, ROOT if n == 0 else None) for n in range(3 * rows)]
    observations, infos = vector.reset(seed=ROOT)
    playing, at, following, ends = list(range(rows)), [0] * rows, rows, 0
    while following + rows <= len(games):
        now = [games[g][k] for g, k in zip(playing, at, strict=True)]
        np.testing.assert_array_equal(observations, [step["observation"] for step in now])
        np.testing.assert_array_equal(infos["action_mask"], [step["mask"] for step in now])
        np.testing.assert_array_equal(vector.action_masks(), infos["action_mask"].astype(bool))
        actions = np.array([step["action"] for step in now])
        observations, rewards, over, cut, infos = vector.step(actions)
        np.testing.assert_allclose(rewards, [step["reward"] for step in now], rtol=1e-6)
        assert not cut.any()
        for row in range(rows):
            at[row] += 1
            game = games[playing[row]]
            assert over[row] == (at[row] == len(game) - 1)
            if over[row]:
                ends += 1
                np.testing.assert_array_equal(infos["final_obs"][row], game[-1]["observation"])
                assert infos["final_info"]["score"][row] == game[-1]["info"]["score"]
                assert infos["final_info"]["rank"][row] == game[-1]["info"]["rank"]
                assert infos["final_info"]["_score"][row]
                playing[row], at[row] = following, 0
                following += 1
    assert ends > 0


def _seat_game(variant, env, seed):
    observation, info = env.reset(seed=seed)
    steps, over = [], False
    while not over:
        mask = info["action_mask"]
        action = choose_by_the_view(raw(variant, observation), mask)
        step = {"observation": observation, "mask": mask, "action": action}
        observation, step["reward"], over, _, info = env.step(action)
        steps.append(step)
    return [*steps, {"observation": observation, "info": info}]


def test_the_learners_seat_is_drawn_evenly(variant):
    """ "random" is a function of root and game, and all seats are drawn as often."""
    games = 1200
    env = cardgames_env.make_seat_vec(variant.id, games, seat="random", **variant.given)
    env.reset(seed=1)
    counts = np.bincount(env._seats, minlength=variant.players)
    share = 1 / variant.players
    bound = 4.5 * (games * share * (1 - share)) ** 0.5
    assert (np.abs(counts - games * share) < bound).all()
    single = cardgames_env.make_seat(variant.id, seat="random", **variant.given)
    for number in range(10):
        single.reset(seed=1 if number == 0 else None)
        assert single.seat == env._seats[number]


# -- numbering -------------------------------------------------------------------------------------


def test_a_reset_without_a_seed_is_the_next_game_of_the_same_root(variant):
    env, other = variant.env(), variant.env()
    env.reset(seed=ROOT)
    snapshots = [env.snapshot()]
    for _ in range(3):
        env.reset()
        snapshots.append(env.snapshot())
    assert len({repr(snapshot) for snapshot in snapshots}) == 4
    for number, snapshot in enumerate(snapshots):
        other.begin_numbered(ROOT, number)
        assert other.snapshot() == snapshot
    other.reset()
    env.reset()
    assert other.snapshot() == env.snapshot()
    env.reset(seed=ROOT)
    assert env.snapshot() == snapshots[0]


def test_without_any_seed_every_environment_plays_its_own_games(any_variant):
    snapshots = []
    for _ in range(3):
        env = any_variant.env()
        env.reset()
        snapshots.append(repr(env.snapshot()))
    vectors = [
        cardgames_env.make_vec(any_variant.id, 1, **any_variant.given).snapshot(0) for _ in range(2)
    ]
    assert len({*snapshots, *map(repr, vectors)}) == 5


# -- agents that fail ------------------------------------------------------------------------------


def test_a_player_that_breaks_the_rules_is_named_with_its_game(any_variant):
    def beyond(observation, mask, info):
        return len(mask)

    with pytest.raises(AgentError, match="beyond chose the illegal action .* in game 5"):
        played(any_variant, beyond, first_game=5)


def test_a_player_that_raises_is_named_with_its_game(any_variant):
    def broken(observation, mask, info):
        raise KeyError("lost")

    with pytest.raises(AgentError, match=r"broken raised KeyError in game 3: 'lost'"):
        played(any_variant, broken, first_game=3)


def test_seatings_are_checked(any_variant):
    game, options = any_variant.game, any_variant.options
    agent = viewer(any_variant)
    for wrong in (np.zeros((1, any_variant.players), int), np.zeros((1, 1, 9), int)):
        with pytest.raises(ValueError, match="shape"):
            play_games(game, options, [agent], wrong, root=1, first_game=0, count=1)
    with pytest.raises(ValueError, match=r"0 … 0"):
        play_games(game, options, [agent], table_of(any_variant) + 1, root=1, first_game=0, count=1)


def test_an_agents_seed_is_the_key_of_its_seat(any_variant):
    """The streams are those of root, game and seat, whichever face the agent plays in."""
    agent = agents.get(any_variant.id, "random")
    block = played(any_variant, agent, count=4, root=9)
    env = any_variant.raw_env()
    for number in range(4):
        env.begin_numbered(9, number)
        players = [agents.get(any_variant.id, "random") for _ in env.agents]
        for seat, player in enumerate(players):
            player.reset(int(stream_key(9, number, 1 + seat)))
        while not env.terminations[env.agent_selection]:
            name = env.agent_selection
            seen = env.observe(name)
            env.step(players[env.agents.index(name)](seen["observation"], seen["action_mask"]))
        assert [env.infos[a]["rank"] for a in env.agents] == block.ranks[number].tolist()
