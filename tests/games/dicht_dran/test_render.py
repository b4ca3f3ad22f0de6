"""What a player reads and sees of Dicht dran: text, picture, and rounds told in words."""

import random
import re
import subprocess
import sys
from itertools import combinations

import numpy as np
import pytest

from cardgames_env.core.game import apply_row, deal_row, legal_row, look_row, to_act_row
from cardgames_env.games.dicht_dran import GAME, render

NAMES = [f"player_{seat}" for seat in range(5)]
LONG_NAMES = [
    "the_extraordinarily_long_named_search_agent_0",
    "mcts_determinized_1000_simulations_variant_a",
    "Wilhelmina Wolkenbruch von Hohenstein zu Weit",
    "W" * 70,
    "x",
]
ODD_NAMES = ["a\nb", "$x_1$ \\frac", "\x1b[31mred", "", "名前の長いプレイヤーの名前の長い"]


class Table:
    """A game of which a test plays the cards by number."""

    def __init__(self, players, deals=2, game=0, deal=None):
        self.players = players
        options = GAME.check_options({"num_players": players, "deals": deals})
        self.states = GAME.new_states(options, 1)
        self.views, self.flat = GAME.new_views(1)
        deal_row(self.states, 0, 1, game)
        if deal is not None:
            GAME.set_deal(self.states, 0, deal)

    def view(self, seat):
        look_row(self.states, 0, seat, self.views, 0)
        return GAME.named(self.flat[0])

    def snapshot(self):
        return GAME.snapshot(self.states, 0)

    def over(self):
        return to_act_row(self.states, 0) < 0

    def play(self, *cards):
        for card in cards:
            assert apply_row(self.states, 0, card - 1) == 0

    def play_any(self, chance):
        mask = np.zeros(100, np.int8)
        legal_row(self.states, 0, mask)
        self.play(1 + chance.choice(np.flatnonzero(mask).tolist()))


def scripted(circle, cards, deals=1):
    """A table at which seat p holds ``cards[p]`` among others."""
    placed = {*circle, *(card for own in cards for card in own)}
    rest = [n for n in range(2, 100) if n not in placed]
    hands = []
    for own in cards:
        needed = 8 - len(own)
        hands.append(own + rest[:needed])
        rest = rest[needed:]
    deal = {"circle": circle, "hands": hands, "pile": rest}
    return Table(len(cards), deals=deals, deal=deal)


def rounds_of_random_games(players, games, deals=2):
    """For each round: the table before and after it as a seat sees it, and both snapshots."""
    for game in range(games):
        table = Table(players, deals, game)
        chance = random.Random(game)
        while not table.over():
            seat = game % players
            before, snapshot = table.view(seat), table.snapshot()
            for _ in range(players):
                table.play_any(chance)
            yield seat, before, table.view(seat), snapshot, table.snapshot()


def views_of_random_games(players, games):
    """A view at every decision, the seats in turn, and one at the end."""
    for game in range(games):
        table = Table(players, game=game)
        chance = random.Random(game)
        step = 0
        while not table.over():
            yield table.view(step % players)
            table.play_any(chance)
            step += 1
        yield table.view(0)


def a_view(players=4, steps=22, game=3):
    table = Table(players, game=game)
    chance = random.Random(game)
    for _ in range(steps):
        table.play_any(chance)
    return table.view(steps % players)


@pytest.fixture
def worked_example():
    return scripted([1, 67, 38, 100, 20, 50], [[4], [32], [63], [70]])


# -- words -----------------------------------------------------------------------------------------


def test_the_worked_example_is_told_as_the_rules_page_tells_it(worked_example):
    before = worked_example.view(0)
    worked_example.play(4, 32, 63, 70)
    assert render.describe(before, worked_example.view(0), NAMES) == [
        "player_3 plays 70, the closest to 67, and takes it (3 peppers).",
        "player_0 drops 4 into the gap 1-38.",
        "player_1 drops 32 into the gap 1-38.",
        "player_2 misses with 63 and draws 2 cards.",
    ]


def test_of_two_equally_close_the_higher_is_told_to_win():
    table = scripted([1, 34, 63, 100, 20, 50], [[33], [35], [75]])
    before = table.view(0)
    table.play(33, 35, 75)
    assert render.describe(before, table.view(0), NAMES) == [
        "player_1 plays 35, as close to 34 as 33 but higher, and takes it (3 peppers).",
        "player_0 drops 33 into the gap 1-63.",
        "player_2 misses with 75 and draws 3 cards.",
    ]


def test_nothing_is_told_while_cards_are_chosen(worked_example):
    before = worked_example.view(2)
    assert render.describe(before, before, NAMES) == []
    worked_example.play(4, 32, 63)
    assert render.describe(before, worked_example.view(2), NAMES) == []


def test_names_are_those_of_the_seats_seen_from_the_viewer(worked_example):
    before = worked_example.view(2)
    worked_example.play(4, 32, 63, 70)
    told = render.describe(before, worked_example.view(2), ["me", "left", "across", "right"])
    assert told[0].startswith("left plays 70")
    assert told[-1] == "me misses with 63 and draws 2 cards."


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_draws_and_scores_are_told_as_they_happened(players):
    for seat, before, after, old, new in rounds_of_random_games(players, games=4):
        names = [f"p{(seat + k) % players}" for k in range(players)]
        told = render.describe(before, after, names)
        ended = len(new["scores"]) > len(old["scores"])
        assert len(told) == players + ended * (1 + players) + new["over"]
        if not ended:
            drawn = dict(re.findall(r"(p\d) misses with \d+ and draws (\d)", "\n".join(told)))
            for p in range(players):
                owed = len(new["hands"][p]) - len(old["hands"][p]) + 1
                assert int(drawn.get(f"p{p}", 0)) == owed
            continue
        deal = old["deal"] + 1
        assert told[players].startswith(f"Deal {deal} of 2 is over: ")
        scores = re.findall(
            r"(p\d) scores (-?\d+): (\d+) peppers? won less (\d+) in hand", "\n".join(told)
        )
        assert {p: int(points) for p, points, _, _ in scores} == {
            f"p{p}": points for p, points in enumerate(new["scores"][-1])
        }
        assert all(int(points) == int(won) - int(held) for _, points, won, held in scores)
        out_of_cards = "no card left" in told[players]
        assert out_of_cards or "the pile has run out" in told[players]
        if new["over"]:
            assert out_of_cards == any(not hand for hand in new["hands"])
            totals = np.sum(new["scores"], axis=0)
            best = [f"p{p}" for p in range(players) if totals[p] == max(totals)]
            assert re.match(r"The game is over: .* (wins|share the win) with ", told[-1])
            assert set(re.findall(r"p\d", told[-1])) == set(best)
            assert re.search(rf"{max(totals)} points?", told[-1])


@pytest.mark.parametrize("players", [2, 5])
def test_the_gap_of_the_last_round_is_read_off_the_circle(players):
    for _, before, after, _, _ in rounds_of_random_games(players, games=5):
        gap = render.gap_of_last_round(after)
        if after["round_number"] == 1:
            assert gap is None
        else:
            assert gap == (before["gap_low"], before["gap_high"])


def test_a_tie_for_most_points_is_a_shared_win():
    view = a_view()
    view["scores"][:4] = 7, 3, 7, 7
    result = render.result_in_words(view, NAMES)
    assert result == "player_0, player_2 and player_3 share the win with 7 points each."


def test_no_more_is_claimed_than_points_that_were_cut_off_tell():
    view = a_view()
    bound = render.POINTS_SHOWN
    view["scores"][:4] = bound, 3, bound, 7
    result = render.result_in_words(view, NAMES)
    assert result == f"player_0 and player_2 lead with >={bound} points each."
    assert f">={bound}" in render.render_text(view, NAMES)


# -- text ------------------------------------------------------------------------------------------


def test_the_text_shows_gap_target_and_hand_of_the_worked_example(worked_example):
    text = render.render_text(worked_example.view(0), NAMES)
    assert re.search(r"Target +67\*\*\*\n", text)
    assert "Gap       1-38 (target outside)" in text
    assert re.search(r"\(1\*+\)", text)  # the neighbours span the gap
    assert "[67***]" in text
    assert "(38*)" in text
    worked_example.play(4, 32, 63, 70)
    text = render.render_text(worked_example.view(3), [NAMES[3], *NAMES[:3]])
    assert "Gap       70-100 (target outside)" in text
    assert re.search(r"Target +38\*\n", text)
    assert "Last round, target 67***" in text
    assert re.search(r"player_3 \(you\) +7 +3 +0 +70\* +takes the 67\n", text)
    assert re.search(r"player_0 +7 +0 +0 +4\*\*\* +in the gap 1-38\n", text)
    assert re.search(r"player_2 +9 +0 +0 +63\*\* +misses, draws 2\n", text)


def hand_in_text(text):
    """Card, peppers and whether it is marked as safe, for each card of the hand."""
    block = text[text.index("Your hand") :].split("\n\n")[0]
    lines = [line for line in block.splitlines()[1:] if line.startswith(" ")]
    cells = re.findall(r"(\(?)(\d+)(\*+)\)?", " ".join(lines))
    return [(int(card), len(peppers), bool(mark)) for mark, card, peppers in cells]


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_the_text_shows_the_whole_hand_and_stays_within_80_columns(players):
    for view in views_of_random_games(players, games=3):
        text = render.render_text(view, LONG_NAMES)
        assert max(len(line) for line in text.splitlines()) <= 80
        assert text.isascii()
        low, high = view["gap_low"], view["gap_high"]
        expected = [
            (c + 1, view["peppers"][c], bool(low <= c + 1 <= high) and not view["over"])
            for c in range(100)
            if view["hand"][c]
        ]
        assert hand_in_text(text) == expected
        assert f"Pile      {view['pile_size']:2} cards" in text
        for card in view["circle"]:
            assert re.search(rf"\b{card}\*", text)
        if view["chosen"]:
            assert re.search(rf"face down: {view['chosen']}\*+$", text, re.MULTILINE)
        assert ("Game over" in text) == bool(view["over"])


def test_closest_cards_come_with_their_distance_and_of_equals_the_higher_first():
    table = scripted([1, 34, 63, 100, 20, 50], [[33, 35, 37, 30, 90, 91, 92, 93], [2], [3]])
    text = render.render_text(table.view(0), NAMES)
    assert "Closest to the target 34: 35 (1 off), 33 (1 off), 37 (3 off), 30 (4 off)\n" in text


def test_names_are_shortened_in_the_middle():
    assert render.shortened("mcts_1000_a", 9, len) == "mct...0_a"
    assert render.shortened("short", 9, len) == "short"


def test_names_that_cannot_be_shown_do_no_harm():
    view = a_view(players=5)
    text = render.render_text(view, ODD_NAMES)
    assert "\x1b" not in text
    assert len(text.splitlines()) == len(render.render_text(view, NAMES).splitlines())
    assert max(render.columns(line) for line in text.splitlines()) <= 80
    render.render_image(view, ODD_NAMES)


def test_no_terminal_codes_and_no_blanks_at_line_ends():
    for view in views_of_random_games(3, games=1):
        lines = render.render_text(view, NAMES).splitlines()
        assert all(line == line.rstrip() and line.isprintable() for line in lines)


# -- picture ---------------------------------------------------------------------------------------


def test_the_picture_is_an_rgb_array_and_the_same_each_time():
    view = a_view()
    image = render.render_image(view, NAMES)
    assert image.shape == (720, 960, 3)
    assert image.dtype == np.uint8
    first = image.tobytes()
    image[:] = 0  # the caller's own: nothing of it is kept
    render.render_image(a_view(players=2), NAMES)
    assert render.render_image(view, NAMES).tobytes() == first


@pytest.mark.parametrize(
    ("field", "index", "value"),
    [
        ("hand", 56, 1),
        ("chosen", (), 57),
        ("circle", 3, 57),
        ("gap_high", (), 99),
        ("target", (), 57),
        ("peppers", 34, 2),
        ("hand_sizes", 2, 31),
        ("won_peppers", 1, 31),
        ("scores", 3, -17),
        ("pile_size", (), 17),
        ("discard_size", (), 77),
        ("round_number", (), 33),
        ("deals_left", (), 7),
        ("last_plays", 1, 57),
        ("last_winner", (), 0),
        ("over", (), 1),
    ],
)
def test_text_and_picture_show_each_fact(field, index, value):
    view = a_view()
    text, image = render.render_text(view, NAMES), render.render_image(view, NAMES)
    assert view[field][index] != value
    view[field][index] = value
    assert render.render_text(view, NAMES) != text
    assert (render.render_image(view, NAMES) != image).any()


def words_in_picture(monkeypatch, view, names):
    """The words set in a picture, each with the box that its letters cover."""
    words = []

    def keep(picture):
        from PIL import ImageDraw

        draw = ImageDraw.Draw(picture.image)
        for x, y, text, anchor, size, bold, _ in picture.words:
            font = render._font(size, bold)
            words.append((text, draw.textbbox((round(x), round(y)), text, font, anchor)))

    monkeypatch.setattr(render._Picture, "pixels", keep)
    render.render_image(view, names)
    return words


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_no_words_of_the_picture_overlap_or_are_cut_off(players, monkeypatch):
    views = list(views_of_random_games(players, games=1))
    for view in [*views[::9], views[-1]]:
        words = words_in_picture(monkeypatch, view, LONG_NAMES)
        for text, (left, top, right, bottom) in words:
            assert 0 <= left <= right <= 960, text
            assert 0 <= top <= bottom <= 720, text
        for (one, a), (other, b) in combinations(words, 2):
            apart = a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
            assert apart, (one, other)


@pytest.mark.parametrize("cards", [0, 1, 8, 15, 16, 31, 60, 94])
def test_a_hand_of_any_size_lies_within_the_picture(cards, monkeypatch):
    view = a_view()
    view["hand"][:] = 0
    view["hand"][1 : 1 + cards] = 1
    words = words_in_picture(monkeypatch, view, NAMES)
    in_hand = {int(t): box for t, box in words if t.isdigit() and box[1] > render.HAND_TOP}
    assert sorted(in_hand) == list(range(2, 2 + cards))
    for left, top, right, bottom in in_hand.values():
        assert render.HAND_LEFT <= left < right <= render.HAND_RIGHT
        assert top < bottom <= render.HAND_BOTTOM


def test_importing_the_pictures_does_not_load_drawing_libraries():
    code = (
        "import sys\n"
        "for name in ('matplotlib', 'PIL'): sys.modules[name] = None\n"  # an import would fail
        "import cardgames_env.games.dicht_dran.render\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
