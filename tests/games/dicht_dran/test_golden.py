"""What the golden games of Dicht dran show; ``tests/contract/test_golden.py`` holds them to it."""

from tests.regenerate_golden import GOLDEN, path_of

GAME = "dicht_dran_v0"


def test_a_golden_game_tells_renewals_and_ends():
    """They show more than the beginning: a deal that ended by the pile, and one by an empty hand."""
    texts = [path_of(GAME, name).read_text(encoding="utf-8") for name in GOLDEN[GAME]]
    assert any("the pile has run out" in text for text in texts)
    assert any("no card left" in text for text in texts)
