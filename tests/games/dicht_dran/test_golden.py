"""Golden games: whole games, word for word. ``tests/regenerate_golden.py`` writes them anew."""

import pytest

from tests.regenerate_golden import GOLDEN, path_of, transcript

GAME = "dicht_dran_v0"


@pytest.mark.parametrize("name", GOLDEN[GAME])
def test_a_golden_game_is_played_as_it_was_written_down(name):
    written = path_of(GAME, name).read_text(encoding="utf-8")
    assert transcript(GAME, name) == written


def test_there_is_one_for_every_number_of_players_and_for_other_peppers():
    options = GOLDEN[GAME].values()
    assert {given["num_players"] for given in options} == {2, 3, 4, 5}
    assert any("peppers" in given for given in options)


def test_no_golden_game_is_left_over_and_none_is_too_long_to_read():
    folder = path_of(GAME, "any").parent
    assert sorted(folder.iterdir()) == sorted(path_of(GAME, name) for name in GOLDEN[GAME])
    assert all(path.stat().st_size < 50_000 for path in folder.iterdir())


def test_a_golden_game_tells_renewals_and_ends():
    """They show more than the beginning: a deal that ended by the pile, and one by an empty hand."""
    texts = [path_of(GAME, name).read_text(encoding="utf-8") for name in GOLDEN[GAME]]
    assert any("the pile has run out" in text for text in texts)
    assert any("no card left" in text for text in texts)
