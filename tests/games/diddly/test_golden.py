"""What the golden games of Diddly show; ``tests/contract/test_golden.py`` holds them to it."""

from tests.regenerate_golden import GOLDEN, path_of

GAME = "diddly_v0"


def test_both_boards_have_golden_games():
    assert {given.get("columns", 3) for given in GOLDEN[GAME].values()} == {3, 4}


def test_golden_games_tell_peeks_swaps_and_recycling():
    text = "".join(path_of(GAME, name).read_text(encoding="utf-8") for name in GOLDEN[GAME])
    for action in ("(recycle ", "(swap ", "(take)", "(draw)"):
        assert action in text
