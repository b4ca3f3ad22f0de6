"""Whatever is given wrongly is refused at once, by its name, with what it may be."""

import numpy as np
import pytest

import agents
import cardgames_env
from tests.contract.conftest import ROWS
from tests.contract.play import everything

BAD_OPTIONS = [
    pytest.param(game, options, word, id=f"{game}: {str(options)[:40]}")
    for game, row in ROWS.items()
    for options, word in row.bad_options
]
BAD_SEEDS = [-1, 2**63, 2**64, 1.0, "1", True, [1], np.float64(3)]


def faces(game):
    """All ways to make an environment of a game, by name."""
    module = __import__(f"cardgames_env.{game}", fromlist=["env"])
    made = {
        "make": lambda **options: cardgames_env.make(game, **options),
        "env": module.env,
        "raw_env": module.raw_env,
        "make_vec": lambda **options: cardgames_env.make_vec(game, 2, **options),
        "make_seat": lambda **options: cardgames_env.make_seat(game, **options),
        "make_seat_vec": lambda **options: cardgames_env.make_seat_vec(game, 2, **options),
    }
    if hasattr(module, "parallel_env"):
        made["parallel_env"] = module.parallel_env
    return made


@pytest.mark.parametrize(("game", "options", "word"), BAD_OPTIONS)
def test_a_bad_rule_option_is_refused_when_the_environment_is_made(game, options, word):
    for name, make in faces(game).items():
        with pytest.raises(ValueError, match="option") as refusal:
            make(**options)
        assert word in str(refusal.value), name


@pytest.mark.parametrize("reward", ["win", "Outcome", None, 0, ["outcome"]])
def test_a_bad_reward_is_refused(game_id, reward):
    for make in faces(game_id).values():
        with pytest.raises(ValueError, match="outcome, margin, points"):
            make(reward=reward)


@pytest.mark.parametrize("mode", ["text", "ANSI", 1, True])
def test_a_bad_render_mode_is_refused(game_id, mode):
    for name, make in faces(game_id).items():
        if name not in ("make_vec", "make_seat_vec"):
            with pytest.raises(ValueError, match="human, ansi, rgb_array"):
                make(render_mode=mode)


@pytest.mark.parametrize("name", ["nobody", "dicht", "", None, 3])
def test_an_unknown_game_is_refused_and_the_known_ones_are_named(name):
    for make in (cardgames_env.make, cardgames_env.make_seat, agents.names):
        with pytest.raises(ValueError, match=cardgames_env.games()[0]):
            make(name)


def test_a_misspelt_game_is_guessed(game_id):
    with pytest.raises(ValueError, match="did you mean"):
        cardgames_env.make(game_id[:-1])


def test_a_game_goes_by_its_name_without_the_version_too(game_id):
    name = game_id.rsplit("_v", 1)[0]
    assert cardgames_env.make(name).game is cardgames_env.make(game_id).game


@pytest.mark.parametrize("count", [0, -1, 1.0, "2", True, None])
def test_a_bad_number_of_environments_is_refused(game_id, count):
    for make in (cardgames_env.make_vec, cardgames_env.make_seat_vec):
        with pytest.raises(ValueError, match="num_envs"):
            make(game_id, count)


@pytest.mark.parametrize("seat", [-1, 99, "first", 0.0, True, None])
def test_a_bad_seat_is_refused(any_variant, seat):
    for make in (
        cardgames_env.make_seat,
        lambda game, **kwargs: cardgames_env.make_seat_vec(game, 2, **kwargs),
    ):
        with pytest.raises(ValueError, match="seat must be 0"):
            make(any_variant.id, seat=seat, **any_variant.given)


def test_bad_opponents_are_refused(any_variant):
    agent = agents.get(any_variant.id, "random")
    for make in (
        cardgames_env.make_seat,
        lambda game, **kwargs: cardgames_env.make_seat_vec(game, 2, **kwargs),
    ):
        for opponents, word in (
            ("random", "not names"),
            (7, "neither an agent nor a callable"),
            ([agent] * any_variant.players, "one for each other seat"),
            ([], "one for each other seat"),
            ([None] * (any_variant.players - 1), "neither an agent nor a callable"),
        ):
            with pytest.raises(ValueError, match=word):
                make(any_variant.id, opponents=opponents, **any_variant.given)
    with pytest.raises(ValueError, match="not compiled"):
        cardgames_env.make_seat_vec(
            any_variant.id, 2, opponents=lambda o, m, i: 0, **any_variant.given
        )


# -- seeds -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", BAD_SEEDS)
@pytest.mark.parametrize("face", ["env", "raw_env"])
def test_a_bad_seed_is_refused_and_the_game_goes_on(any_variant, face, seed):
    env = getattr(any_variant, face)()
    with pytest.raises(ValueError, match="seed"):
        env.reset(seed=seed)
    env.reset(seed=1)
    before = everything(env)
    with pytest.raises(ValueError, match="seed"):
        env.reset(seed=seed)
    assert everything(env) == before


@pytest.mark.parametrize("seed", BAD_SEEDS)
def test_a_bad_seed_is_refused_by_the_other_faces(any_variant, seed):
    game, given = any_variant.id, any_variant.given
    resets = [
        lambda: cardgames_env.make_vec(game, 2, seed=seed, **given),
        lambda: cardgames_env.make_vec(game, 2, seed=1, **given).reset(seed=seed),
        lambda: cardgames_env.make_seat_vec(game, 2, **given).reset(seed=seed),
        lambda: cardgames_env.make_seat(game, **given).reset(seed=seed),
    ]
    if any_variant.game.simultaneous:
        resets.append(lambda: any_variant.parallel_env().reset(seed=seed))
    for reset in resets:
        with pytest.raises(ValueError, match="seed"):
            reset()


@pytest.mark.parametrize("seed", [0, 1, 2**31, 2**63 - 1, np.int64(5), np.uint8(5), np.uint64(7)])
def test_any_whole_number_below_2_to_the_63_is_a_seed(any_variant, seed):
    env, other = any_variant.env(), any_variant.env()
    env.reset(seed=seed)
    other.reset(seed=int(seed))
    assert env.snapshot() == other.snapshot()
    vector = cardgames_env.make_vec(any_variant.id, 1, seed=seed, **any_variant.given)
    assert vector.snapshot(0) == env.snapshot()
    seats = cardgames_env.make_seat_vec(any_variant.id, 1, **any_variant.given)
    single = cardgames_env.make_seat(any_variant.id, **any_variant.given)
    np.testing.assert_array_equal(seats.reset(seed=seed)[0][0], single.reset(seed=int(seed))[0])


# -- deals -----------------------------------------------------------------------------------------


def deal_of(variant, seed=1):
    env = variant.env()
    env.reset(seed=seed)
    return variant.row.given_deal(env.snapshot())


def test_every_damaged_deal_is_refused_by_name_and_the_game_goes_on(variant):
    env = variant.env()
    env.reset(seed=2)
    before = everything(env)
    seat = cardgames_env.make_seat(variant.id, **variant.given)
    seat.reset(seed=2)
    tried = 0
    for word, deal in variant.row.bad_deals(deal_of(variant)):
        with pytest.raises(ValueError, match="deal") as refusal:
            env.reset(seed=3, options={"deal": deal})
        assert word in str(refusal.value)
        assert everything(env) == before
        with pytest.raises(ValueError, match="deal"):
            seat.reset(seed=3, options={"deal": deal})
        tried += 1
    assert tried >= 5
    env.reset()
    other = variant.env()
    other.begin_numbered(2, 1)
    assert env.snapshot() == other.snapshot()


@pytest.mark.parametrize("seed", range(8))
def test_a_given_deal_is_set_up_under_any_seed_in_every_face(variant, seed):
    deal = deal_of(variant)
    faces = [variant.env(), cardgames_env.make_seat(variant.id, **variant.given)]
    if variant.game.simultaneous:
        faces.append(variant.parallel_env())
    for env in faces:
        for given in ({"seed": seed}, {}):
            env.reset(**given, options={"deal": deal})
            # A seat environment lets the opponents open: the deal is what its replay begins with.
            assert variant.row.given_deal(next(env.replay().steps()).snapshot()) == deal
            assert env.replay().check().snapshot() == env.snapshot()


def test_a_deal_may_hold_arrays(variant):
    def as_arrays(part):
        flat = isinstance(part, list) and all(isinstance(entry, int) for entry in part)
        return np.array(part) if flat else part

    deal = deal_of(variant)
    env = variant.env()
    env.reset(seed=4, options={"deal": {key: as_arrays(part) for key, part in deal.items()}})
    assert variant.row.given_deal(env.snapshot()) == deal


@pytest.mark.parametrize("key", ["dael", "deals", "Deal"])
def test_a_misspelt_deal_is_refused(any_variant, key):
    env = any_variant.env()
    with pytest.raises(ValueError, match='did you mean "deal"'):
        env.reset(seed=1, options={key: deal_of(any_variant)})


def test_the_vector_of_seats_takes_no_deal(any_variant):
    envs = cardgames_env.make_seat_vec(any_variant.id, 2, **any_variant.given)
    with pytest.raises(ValueError, match="deal"):
        envs.reset(seed=1, options={"deal": deal_of(any_variant)})


def test_an_observation_of_another_shape_or_type_is_refused(any_variant):
    env = any_variant.env()
    env.reset(seed=1)
    observation = env.observe(env.agent_selection)["observation"]
    for wrong in (
        observation[:-1],
        observation.astype(float),
        observation[None],
        list(observation),
    ):
        with pytest.raises(ValueError, match="observation must be"):
            cardgames_env.named_view(any_variant.id, wrong)
