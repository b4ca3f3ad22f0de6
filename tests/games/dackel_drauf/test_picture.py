"""What a player sees of Dackel drauf!: the picture of a view."""

import random
import subprocess
import sys

import numpy as np
import pytest

from cardgames_env.games.dackel_drauf import render
from cardgames_env.games.dackel_drauf.state import ANIMALS
from tests.games.dackel_drauf.test_render import LONG_NAMES, NAMES, Table, positions
from tests.pictures import check_words, words_in_picture


def a_view(players=3, game=0, decisions=60, **options):
    """A view after some decisions of a game of random moves."""
    table = Table(players, game, **options)
    chance = random.Random(game)
    for _ in range(decisions):
        if table.to_act() >= 0:
            table.play_any(chance, 0.7)
    return table.view(0)


def in_chain(words):
    """Those of the words that lie on the chain."""
    return [text for text, box in words if 260 < box[1] < 436]


def test_the_picture_is_an_rgb_array_and_the_same_each_time():
    view = a_view()
    image = render.render_image(view, NAMES)
    assert image.shape == (720, 960, 3)
    assert image.dtype == np.uint8
    first = image.tobytes()
    image[:] = 0  # the caller's own: nothing of it is kept
    render.render_image(a_view(players=2), NAMES)
    assert render.render_image(view, NAMES).tobytes() == first


OPTIONS = [{}, {"takeback": True}, {"memory": "agent"}, {"memory": "perfect"}]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_no_words_of_the_picture_overlap_or_are_cut_off(players, options, monkeypatch):
    views = [view for _, view, _ in positions(players, 2, **options)]
    asked = [view for view in views if view["phase"] == 2]
    for view in [*random.Random(players).sample(views, 12), *asked[:3], views[-1]]:
        for names in (NAMES, LONG_NAMES):
            check_words(words_in_picture(monkeypatch, render.render_image, view, names))


@pytest.mark.parametrize("cards", [1, 17, 18, 19, 25, 26, 44, 45, 50])
def test_a_chain_of_any_length_stays_readable(cards, monkeypatch):
    view = a_view(players=5)
    view["phase"], view["to_act"], view["chain_length"] = 1, 3, cards
    view["chain_seats"][:cards] = 1 + np.arange(cards) % 5
    view["chain_animals"][:cards] = 1 + np.arange(cards) % 9
    view["chain_down"][:] = 0
    view["chain_down"][:cards:7] = 1
    words = words_in_picture(monkeypatch, render.render_image, view, LONG_NAMES)
    check_words(words)
    animals = {name[:length] for name in ANIMALS for length in (4, 5)}
    assert sum(word in animals for word in in_chain(words)) == cards
    assert in_chain(words).count("down") == len(range(0, cards, 7))


def test_another_seats_face_down_card_is_a_back(monkeypatch):
    view = a_view()
    view["phase"], view["chain_length"] = 1, 2
    view["chain_seats"][:2], view["chain_animals"][:2], view["chain_down"][:2] = 2, (0, 9), 1
    words = words_in_picture(monkeypatch, render.render_image, view, NAMES)
    assert sorted(in_chain(words)) == ["down", "pig"]


def test_dice_not_remembered_are_question_marks(monkeypatch):
    view = a_view(decisions=0, memory="perfect")
    view["remembered"][:] = [3, 0, 1, 0, 0, 0, 0, 0, 2]
    words = [t for t, _ in words_in_picture(monkeypatch, render.render_image, view, NAMES)]
    assert words.count("?") == 15 - 6
    assert "Lid open: you remember 6 of 15" in words
    view["phase"], view["memory"], view["remembered"][:] = 1, 2, 0
    view["to_act"] = 2
    words = [t for t, _ in words_in_picture(monkeypatch, render.render_image, view, NAMES)]
    assert words.count("?") == 15
    assert "Lid shut: not shown again" in words


def test_whom_a_joker_is_asked_for_is_told_to_nobody_else(monkeypatch):
    view = a_view()
    view["phase"], view["to_act"] = 2, 0
    words = [t for t, _ in words_in_picture(monkeypatch, render.render_image, view, NAMES)]
    assert "who is asked, is secret" in words
    view["to_act"] = 1
    words = [t for t, _ in words_in_picture(monkeypatch, render.render_image, view, NAMES)]
    assert "player_0: use jokers?" in words


def test_a_long_name_is_shortened_and_what_it_does_is_not(monkeypatch):
    view = a_view(players=4, decisions=0)
    view["phase"], view["to_act"], view["starter"] = 1, 4, 3
    words = [t for t, _ in words_in_picture(monkeypatch, render.render_image, view, LONG_NAMES)]
    assert any(text.startswith("W") and text.endswith("W to play") for text in words)
    assert any(text.endswith("W started this round") for text in words)


def test_when_over_nobody_is_said_to_have_kept_cards_it_took_back(monkeypatch):
    view = [view for _, view, _ in positions(3, 1)][-1]
    assert view["phase"] == 3
    assert view["passed"][1]
    words = [t for t, _ in words_in_picture(monkeypatch, render.render_image, view, NAMES)]
    assert words.count("of last round") == 2
    assert not any(text == "passed" or text.startswith("kept") for text in words)


@pytest.mark.parametrize(
    ("field", "index", "value"),
    [
        ("round_number", (), 40),
        ("takeback", (), 1),
        ("win_threshold", (), 9),
        ("starter", (), 2),
        ("phase", (), 0),
        ("to_act", (), 3),
        ("again", (), 1),
        ("ticks", (), 4),
        ("max_looks", (), 9),
        ("remembered", 4, 9),
        ("hand", 3, 2),
        ("special", 2, 3),
        ("hand_sizes", 1, 3),
        ("passed", 1, 1),
        ("left", (1, 4), 0),
        ("cards_left", 2, 4),
        ("known", (1, 3), 2),
        ("chain_length", (), 2),
        ("chain_seats", 1, 3),
        ("chain_animals", 1, 4),
        ("chain_down", 1, 1),
        ("chain_right", 1, 1),
        ("special_counts", 1, 3),
        ("special_size", (), 1),
        ("used", 0, 2),
        ("at", (), 3),
        ("last_dice", 3, 9),
        ("last_seats", 0, 3),
        ("last_right", 0, 3),
    ],
)
def test_the_picture_shows_each_fact(field, index, value, rough_pictures):
    view = a_view(decisions=0)
    view["phase"][...], view["to_act"][...], view["passed"][:] = 1, 1, 0
    view["remembered"][:] = view["hand"][:] = view["known"][:] = 0
    view["left"][:3], view["chain_length"][...], view["last_length"][...] = 1, 3, 3
    view["chain_seats"][:3], view["chain_animals"][:3], view["chain_down"][:3] = (2, 2, 3), 1, 0
    view["last_seats"][:3], view["last_animals"][:3], view["last_right"][:3] = (2, 2, 3), 1, 2
    view["last_dice"][:], view["used"][:], view["special_counts"][:] = 1, 0, 0
    image = render.render_image(view, NAMES)
    assert view[field][index] != value
    view[field][index] = value
    assert (render.render_image(view, NAMES) != image).any()


def test_importing_the_pictures_does_not_load_drawing_libraries():
    code = (
        "import sys\n"
        "for name in ('matplotlib', 'PIL'): sys.modules[name] = None\n"  # an import would fail
        "import cardgames_env.games.dackel_drauf.render\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
