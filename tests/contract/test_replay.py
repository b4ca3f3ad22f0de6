"""A game that was recorded can be played again; a damaged record is refused in plain words."""

import json
import random

import pytest

import cardgames_env
from cardgames_env import Replay
from cardgames_env.core.replay import ReplayError
from tests.contract.play import everything, over, play_randomly


@pytest.fixture(params=[3, None], ids=["in mid-game", "at the end"])
def played(request, variant):
    """A game of the third number of its root."""
    env = variant.env()
    env.reset(seed=31)
    env.reset()
    env.reset()
    play_randomly(env, random.Random(31), request.param)
    return env


def test_a_recorded_game_is_played_again(played, tmp_path):
    path = tmp_path / "game.json"
    played.replay().save(path)
    replay = Replay.load(path)
    assert replay == played.replay()
    again = replay.check()
    assert again.snapshot() == played.snapshot()
    assert again.state().tobytes() == played.state().tobytes()
    assert again.terminations == played.terminations


def test_every_step_can_be_looked_at(played):
    replay = played.replay()
    states = [env.snapshot() for env in replay.steps(render_mode="ansi")]
    assert len(states) == len(replay.actions) + 1
    assert states[-1] == played.snapshot()
    assert all(env.render() for env in replay.steps(render_mode="ansi"))


def test_a_replayed_environment_goes_on_as_the_original_does(played):
    again = played.replay().check()
    for env in (again, played):
        if not over(env):
            play_randomly(env, random.Random(1))
        env.reset()
    assert again.snapshot() == played.snapshot()


def test_a_replay_of_the_deal_alone(variant):
    env = variant.env()
    env.reset(seed=32)
    assert env.replay().actions == ()
    assert env.replay().check().snapshot() == env.snapshot()


@pytest.mark.parametrize("seed", range(6))
def test_a_given_deal_is_played_again_with_the_chance_of_its_seed(variant, seed, tmp_path):
    source, env = variant.env(), variant.env()
    source.reset(seed=100)
    deal = variant.row.given_deal(source.snapshot())
    env.reset(seed=seed, options={"deal": deal})
    assert variant.row.given_deal(env.snapshot()) == deal
    play_randomly(env, random.Random(seed))
    env.replay().save(tmp_path / "game.json")
    assert Replay.load(tmp_path / "game.json").check().snapshot() == env.snapshot()


def test_an_illegal_action_is_no_part_of_the_record(variant):
    env = variant.env()
    env.reset(seed=33)
    play_randomly(env, random.Random(33), 2)
    actions = env.replay().actions
    env.step(int(env.observe(env.agent_selection)["action_mask"].argmin()))
    assert env.replay().actions == actions


def test_the_other_faces_record_too(variant):
    seat = cardgames_env.make_seat(variant.id, seat=variant.players - 1, **variant.given)
    seat.reset(seed=34)
    seat.step(int(seat.action_masks().argmax()))
    assert seat.replay().check().snapshot() == seat.snapshot()
    if variant.game.simultaneous:
        env = variant.parallel_env()
        observations, _ = env.reset(seed=34)
        env.step({a: int(o["action_mask"].argmax()) for a, o in observations.items()})
        assert env.replay().check().snapshot() == env.snapshot()


# -- damage ----------------------------------------------------------------------------------------


@pytest.fixture
def record(any_variant, tmp_path):
    """A sound record as plain JSON, and where to write a damaged one."""
    env = any_variant.env()
    env.reset(seed=35)
    play_randomly(env, random.Random(35))
    path = tmp_path / "game.json"
    env.replay().save(path)
    return json.loads(path.read_text()), path


def refusal(content, path):
    path.write_text(json.dumps(content))
    with pytest.raises(ReplayError) as refused:
        Replay.load(path).check()
    return str(refused.value)


@pytest.mark.parametrize(
    "damage", [b"", b"{", b"\xff\xfe\x00", b"[1, 2]", b'"replay"', b"null", b'{"format": "other"}']
)
def test_a_file_that_is_no_replay_is_refused(record, damage):
    _, path = record
    path.write_bytes(damage)
    with pytest.raises(ReplayError, match=r"game\.json is not a replay"):
        Replay.load(path)


def test_a_record_cut_short_is_refused(record):
    content, path = record
    whole = json.dumps(content)
    for length in (1, len(whole) // 2, len(whole) - 1):
        path.write_text(whole[:length])
        with pytest.raises(ReplayError, match="is not a replay"):
            Replay.load(path)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(ReplayError, match="cannot read .*missing"):
        Replay.load(tmp_path / "missing.json")
    with pytest.raises(ReplayError, match="cannot read"):
        Replay.load(tmp_path)


@pytest.mark.parametrize("key", ["format", "game", "options", "seed", "number", "deal", "actions"])
def test_a_record_without_a_key_is_refused_by_its_name(record, key):
    content, path = record
    del content[key]
    assert key in refusal(content, path)


def test_a_record_with_a_key_too_many_is_refused_by_its_name(record):
    content, path = record
    assert "comment" in refusal({**content, "comment": "well played"}, path)


@pytest.mark.parametrize(
    ("key", "value", "word"),
    [
        ("game", "canasta_v0", "canasta_v0"),
        ("game", 7, "7"),
        ("game", ["dicht_dran_v0"], "game"),
        ("options", {"trumps": 2}, "trumps"),
        ("options", {"num_players": 99}, "num_players"),
        ("options", [1], "game.json"),
        ("options", None, "game.json"),
        ("seed", -1, "seed"),
        ("seed", 1.5, "seed"),
        ("seed", "1", "seed"),
        ("seed", True, "seed"),
        ("seed", None, "seed"),
        ("seed", 2**63, "seed"),
        ("number", -1, "number"),
        ("number", "first", "number"),
        ("number", None, "number"),
        ("number", 2**80, "number"),
        ("actions", "none", "actions"),
        ("actions", None, "game.json"),
        ("actions", [1.5], "actions"),
        ("actions", ["1"], "actions"),
        ("actions", [True], "actions"),
        ("actions", [None], "game.json"),
        ("actions", {"0": 1}, "actions"),
        ("deal", {"joker": 1}, "joker"),
        ("deal", 5, "deal"),
    ],
)
def test_a_record_with_a_wrong_value_is_refused_by_its_name(record, key, value, word):
    content, path = record
    assert word in refusal({**content, key: value}, path)


@pytest.mark.parametrize("wrong", [-1, 10**6, 2**40])
def test_an_action_that_the_rules_refuse_is_named_with_its_place(record, wrong):
    content, path = record
    content["actions"][4] = wrong
    words = refusal(content, path)
    assert "action 5" in words
    assert "player_" in words
    assert "legal actions" in words


def test_an_action_after_the_end_is_refused(record):
    content, path = record
    content["actions"].append(0)
    assert f"action {len(content['actions'])} comes after the end" in refusal(content, path)


def test_a_record_is_written_whole_or_not_at_all(any_variant, tmp_path):
    env = any_variant.env()
    env.reset(seed=36)
    with pytest.raises(OSError):  # noqa: PT011 (any of its kinds)
        env.replay().save(tmp_path / "nowhere" / "game.json")
    assert list(tmp_path.iterdir()) == []
    env.replay().save(tmp_path / "game.json")
    assert [path.name for path in tmp_path.iterdir()] == ["game.json"]


def test_a_replay_may_start_from_another_environment(any_variant):
    env = any_variant.env(reward="points")
    env.reset(seed=37)
    play_randomly(env, random.Random(37))
    *_, last = env.replay().steps(reward="points")
    assert everything(last)["rewards"] == everything(env)["rewards"]
