"""What the golden games of Dackel drauf! show; ``tests/contract/test_golden.py`` holds them to it."""

from tests.regenerate_golden import GOLDEN, path_of

GAME = "dackel_drauf_v0"


def test_every_memory_and_both_variants_have_golden_games():
    options = list(GOLDEN[GAME].values())
    memories = {given.get("memory", "player") for given in options}
    assert memories == {"player", "perfect", "agent"}
    assert {given.get("takeback", False) for given in options} == {False, True}
    assert any(given.get("forget") for given in options)


def test_golden_games_tell_specials_looks_and_failures():
    text = "".join(path_of(GAME, name).read_text(encoding="utf-8") for name in GOLDEN[GAME])
    for action in ("(keep open)", "(close)", "face down)", "(use jokers)", "(decline)", "(pass)"):
        assert action in text
    for words in ("with an extra card", "is wrong", "takes back", "is out with", "draws a special"):
        assert words in text
