"""Golden games: whole games, word for word. ``tests/regenerate_golden.py`` writes them anew."""

import pytest

from tests.regenerate_golden import GOLDEN, path_of, transcript

CASES = [pytest.param(game, name, id=f"{game}: {name}") for game in GOLDEN for name in GOLDEN[game]]


@pytest.mark.parametrize(("game", "name"), CASES)
def test_a_golden_game_is_played_as_it_was_written_down(game, name):
    assert transcript(game, name) == path_of(game, name).read_text(encoding="utf-8")


def test_every_game_has_golden_games(game_id):
    """One for every number of players, and other options beside."""
    options = list(GOLDEN[game_id].values())
    assert len(options) > len({given["num_players"] for given in options}) >= 4


def test_no_golden_game_is_left_over_and_none_is_too_long_to_read(game_id):
    folder = path_of(game_id, "any").parent
    assert sorted(folder.iterdir()) == sorted(path_of(game_id, name) for name in GOLDEN[game_id])
    assert all(path.stat().st_size < 50_000 for path in folder.iterdir())
