"""What the golden games of DTC show; ``tests/contract/test_golden.py`` holds them to it."""

from tests.regenerate_golden import GOLDEN, path_of

GAME = "dtc_v0"


def test_both_variants_have_golden_games_of_full_size():
    full = [given for given in GOLDEN[GAME].values() if "values" not in given]
    assert {given.get("higher_counts_as_true", False) for given in full} == {False, True}
    assert {given["num_players"] for given in full} == {2, 3, 4, 5, 6}


def test_golden_games_tell_true_and_false_offers_and_the_end_of_the_pile():
    text = "".join(path_of(GAME, name).read_text(encoding="utf-8") for name in GOLDEN[GAME])
    for told in ("The offer was true", "The offer was false", "accepts", "the pile is empty"):
        assert told.lower() in text.lower(), told
