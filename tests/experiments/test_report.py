"""The report of a run, or of several: a page, Markdown, pictures, tables on the screen."""

import dataclasses
import io
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import matplotlib.image
import pytest
from matplotlib.figure import Figure
from rich.console import Console

from experiments import page, plots, report
from experiments.comparisons import Comparison, PairSummary
from experiments.convergence import Convergence
from experiments.cross_play import LineUp
from experiments.duplicate import Duplicate
from experiments.moments import Estimate
from experiments.part_sections import parts_report
from experiments.parts import PartsSummary, PartSummary
from experiments.ratings import Misfit, Rating
from experiments.report import markdown, screen_parts, screen_tables, write_report
from experiments.results import read_manifest
from experiments.run_sections import run_report
from experiments.sections import Report
from experiments.statistics import AgentSummary, Distribution, SeatSummary, Summary, summarize
from experiments.studies import StudyResult, Table
from tests.experiments import browser
from tests.experiments.test_statistics import PLAIN, one_game, tournament, write_results

WIDTHS = {"phone": 390, "desk": 1280}
NASTY = "<b>x</b>&|[1]"  # a label that HTML, Markdown and rich would each take for their own
ONE_OF_EACH = {
    "win_share.png", "comparisons.png", "cross_play.png", "ratings.png", "seats.png",
    "places.png", "distributions.png", "convergence.png",
}  # fmt: skip


def about(mean: float, half_width: float = 0.0123, deals: int = 400) -> Estimate:
    return Estimate(mean, (mean - half_width, mean + half_width), deals)


def made_up(*names: str, **changes: Any) -> Summary:
    """A summary with something in every field; the numbers mean nothing, but no two are equal."""
    names = names or ("alpha", "beta", "gamma")
    pairs = [(a, b) for k, a in enumerate(names) for b in names[k + 1 :]]
    fields: dict[str, Any] = {
        "kind": "tournament",
        "game": "dtc_v0",
        "num_players": 4,
        "labels": tuple(reversed(names)),
        "games": 1604,
        "deals": 401,
        "complete": True,
        "agents": tuple(
            AgentSummary(
                agent=name,
                games=1201 + k,
                win_share=about(0.41 - 0.031 * k),
                points=about(17.37 + k, 0.77),
                places=tuple(about(0.2417 + 0.0013 * k + 0.01 * place) for place in range(4)),
                lead=about(0.031, 0.0417) if k + 1 < len(names) else None,
                separated=False if k + 1 < len(names) else None,
            )
            for k, name in enumerate(names)
        ),
        "seats": tuple(
            SeatSummary(k, about(0.2471 + 0.0019 * k), about(5.13 + k)) for k in range(4)
        ),
        "cross_play": tuple(
            PairSummary(a, b, about(0.5611), about(0.0531), about(1.93, 0.21)) for a, b in pairs
        )
        + tuple(
            PairSummary(b, a, about(0.4389), about(-0.0531), about(-1.93, 0.21)) for a, b in pairs
        ),
        "rounds": about(7.77, 0.11),
        "comparisons": tuple(
            Comparison(a, b, about(0.0531), (-0.0217, 0.0829), 0.0314, 0.0942, k > 0)
            for k, (a, b) in enumerate(pairs)
        ),
        "line_ups": (),
        "ratings": tuple(
            Rating(name, 55.5 - 40 * k, (31.19 - 40 * k, 79.83 - 40 * k))
            for k, name in enumerate(names)
        ),
        "rating_misfit": (Misfit(names[0], names[1], 0.6127, 0.5733),) if pairs else (),
        "cycles": (names[:3],) if len(names) > 2 else (),
        "alpha_rank": tuple((name, 0.6113 / (k + 1)) for k, name in enumerate(names)),
        "maximal_lottery": ((names[0], 0.7019), (names[-1], 0.2981)),
        "duplicate": Duplicate(
            tuple((name, 1.83 + k) for k, name in enumerate(names)),
            tuple((pair, None if k else 1.57) for k, pair in enumerate(pairs)),
        ),
        "distributions": tuple(
            Distribution(name, (0, 3, 90), (0.50711, 0.29123, 0.20166)) for name in names
        ),
        "convergence": Convergence(
            (4, 40, 401),
            tuple((name, (None, about(0.3777), about(0.4123))) for name in names),
        ),
        "forfeits": ((names[0], "timeout", 37), (names[-1], "illegal", 19)),
        "sole_winner": about(0.9371),
        "margin": about(4.19, 0.31),
    }
    return Summary(**(fields | changes))


MANIFEST: dict[str, Any] = {
    "kind": "tournament",
    "game": "dtc_v0",
    "options": {"num_players": 4, "hand_size": 6},
    "agents": ["gamma", "beta", "alpha"],
    "parameters": {"alpha": {"lies": 2.5}, "beta": {}, "gamma": {}},
    "seed": 31,
    "seating": "rotations",
    "games": 1604,
    "complete": True,
    "command": "cardgames tournament dtc --games 1600",
    "versions": {"cardgames_env": "0.1.0"},
    "commit": "0123abcd",
}


def as_page(told: Report) -> str:
    drawn = {
        picture.name: plots.svg(picture.draw())
        for section in told.sections
        for picture in section.pictures
    }
    return page.html(told, drawn)


class Reader(HTMLParser):
    """What a page is made of: tags with their attributes, the text, the rows of its tables."""

    def __init__(self, text: str):
        super().__init__()
        self.tags: list[tuple[str, dict[str, Any]]] = []
        self.inside: list[str] = []
        self.text = ""
        self.style = ""
        self.rows: list[list[str]] = []
        self.bare_tables = 0
        self.feed(text)
        self.close()
        assert self.inside == [], "an element is not closed"

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag == "table" and "scroll" not in self.inside:
            self.bare_tables += 1
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
        if tag not in ("meta", "img"):
            self.inside.append("scroll" if dict(attrs).get("class") == "scroll" else tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.inside.pop() in (tag, "scroll")

    def handle_data(self, data: str) -> None:
        if "style" in self.inside:
            self.style += data
            return
        self.text += f"{data} "
        if self.inside and self.inside[-1] in ("td", "th"):
            self.rows[-1][-1] += data

    def all(self, tag: str) -> list[dict[str, Any]]:
        return [attributes for name, attributes in self.tags if name == tag]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tournament's folder with its report; one agent has a nasty label."""
    folder = tmp_path_factory.mktemp("results")
    tables = [[NASTY if name == "greedy" else name for name in table] for table in PLAIN]
    write_report(write_results(folder, tournament(tables)))
    return folder


@pytest.fixture(scope="module")
def read(results: Path) -> Reader:
    return Reader((results / "report.html").read_text(encoding="utf-8"))


def parts(values: list[dict[str, Any]], focus: bool) -> PartsSummary:
    """Parts of a sweep or of a comparison; in a sweep the first agent is named by its parameter."""
    made = []
    for k, value in enumerate(values):
        first = f"alpha:p={k}" if focus else "alpha"
        summary = made_up(first, "beta", rounds=about(6.13 + k), sole_winner=about(0.91 - k / 100))
        moved = about(0.0217 * k)
        difference = ((first, moved),) if focus else ((first, moved), ("beta", about(-0.0133 * k)))
        made.append(
            PartSummary(
                name=", ".join(f"{name}={one}" for name, one in value.items())
                or "as the rules say",
                values=value,
                summary=summary,
                focus=first if focus else None,
                difference=difference if k else (),
            )
        )
    return PartsSummary(tuple(made), missing=())


def report_on_parts(summary: PartsSummary, kind: str) -> Report:
    manifests = [MANIFEST | {"agents": list(part.summary.labels)} for part in summary.parts]
    return parts_report(summary, kind, manifests)


SWEEP = parts([{"p": 0.4}, {"p": 0.1}, {"p": 0.2}], focus=True)
VARIANTS = parts([{}, {"hand_size": 7}, {"open": True}], focus=False)


# -- what is in the page ---------------------------------------------------------------------------


def test_the_report_is_written_whole_with_pictures_that_open(results):
    written = {path.name for path in results.iterdir()} - {"games", "manifest.json"}
    assert written == {"report.html", "report.md", "summary.json"} | ONE_OF_EACH
    content = json.loads((results / "summary.json").read_text())
    assert set(content.pop("files")) == written - {"summary.json"}
    assert content == json.loads(json.dumps(summarize(results).to_dict()))
    text = (results / "report.md").read_text()
    for picture in ONE_OF_EACH:
        assert f"]({picture})" in text
        assert matplotlib.image.imread(results / picture).std() > 0


def test_the_same_results_give_the_same_page(results):
    before = (results / "report.html").read_bytes()
    write_report(results)
    assert (results / "report.html").read_bytes() == before


def test_the_page_asks_for_nothing_outside_itself(read):
    assert {tag for tag, _ in read.tags} & {"script", "link", "iframe", "object", "base"} == set()
    for tag, attributes in read.tags:
        for name in ("src", "href", "srcset", "data", "action", "poster"):
            if name in attributes:
                assert attributes[name].startswith(("data:image/svg+xml,", "#")), tag
    assert "url(" not in read.style
    assert "@import" not in read.style
    assert "http" not in read.text + read.style


def test_a_pictures_svg_asks_for_nothing_either():
    svg = plots.svg(plots.win_share(made_up())).decode()
    assert re.findall(r'(?:href|src)="(?!#|data:)[^"]*"|url\((?!#)', svg) == []


def test_labels_are_text_not_markup(results, read):
    assert "b" not in {tag for tag, _ in read.tags}
    assert NASTY in [cell for row in read.rows for cell in row]
    assert any(NASTY in image["alt"] for image in read.all("img"))
    assert "<b>" not in (results / "report.md").read_text()


def test_the_contents_lead_to_every_section(read):
    targets = [attributes["id"] for _, attributes in read.tags if "id" in attributes]
    assert len(set(targets)) == len(targets)
    assert [link["href"] for link in read.all("a")] == [f"#{target}" for target in targets]
    assert len(read.all("h1")) == 1
    assert len(read.all("h2")) == len(targets)


def test_every_picture_is_described_and_every_table_scrolls(read):
    assert len(read.all("img")) == len(ONE_OF_EACH)
    assert all(len(image["alt"]) > 30 for image in read.all("img"))
    assert read.bare_tables == 0
    assert {"name": "viewport", "content": "width=device-width, initial-scale=1"} in read.all(
        "meta"
    )
    assert read.all("html")[0]["lang"] == "en"


def test_the_page_of_a_usual_tournament_stays_below_a_megabyte():
    names = [f"agent_{k}" for k in range(12)]
    deals = tuple(range(100, 10_100, 100))
    summary = made_up(
        *names,
        convergence=Convergence(
            deals, tuple((name, (about(0.25 + len(name) / 99),) * 100) for name in names)
        ),
        distributions=tuple(
            Distribution(name, tuple(range(200)), (0.005,) * 200) for name in names
        ),
    )
    assert len(as_page(run_report(summary, MANIFEST))) < 1_000_000


def shown(number: float, words: set[str]) -> bool:
    """Whether a number is among the words as it is, in percent, or with a thousands separator."""
    if isinstance(number, int):
        return f"{number:,}" in words
    forms = [f"{number * scale:.{digits}f}" for scale in (1, 100) for digits in (1, 2, 3, 4)]
    return any(form.lstrip("-") in words for form in forms)


def numbers_of(content: Any) -> list[float]:
    """All numbers of a summary as JSON; an interval about a mean counts as its half width."""
    if isinstance(content, bool) or content is None or isinstance(content, str):
        return []
    if isinstance(content, int | float):
        return [content]
    if isinstance(content, list):
        return [number for entry in content for number in numbers_of(entry)]
    if content.keys() == {"mean", "interval", "deals"}:
        low, high = content["interval"] or (content["mean"], content["mean"])
        return [content["mean"], (high - low) / 2, content["deals"]]
    return [number for entry in content.values() for number in numbers_of(entry)]


def test_every_number_of_the_summary_is_shown():
    line_ups = (LineUp("alpha", ("beta",) * 3, about(0.2871), about(9.91), about(0.0371), None),)
    summary = made_up(line_ups=line_ups)
    text = Reader(as_page(run_report(summary, MANIFEST))).text
    words = {word.strip("±+-,.;()%").lstrip("±+-") for word in text.split()}
    content = json.loads(json.dumps(summary.to_dict()))
    missing = [number for number in numbers_of(content) if not shown(number, words)]
    assert missing == []
    assert not shown(0.123987, words)


def test_it_says_what_was_run():
    summary = made_up()
    for text in (
        Reader(as_page(run_report(summary, MANIFEST))).text,
        markdown(run_report(summary, MANIFEST)),
    ):
        for told in ("Tournament of dtc_v0", "num_players=4, hand_size=6", "lies=2.5", "1,604",
                     "31", "cardgames_env 0.1.0", "0123abcd", MANIFEST["command"]):  # fmt: skip
            assert told in text


def test_the_report_says_what_is_not_separated_and_that_it_was_interrupted(tmp_path):
    rows = one_game(0, 0, 0, ["strong|x", "weak[1]"], [3, 1])
    directory = write_results(tmp_path, rows, complete=False, games=5000)
    summary = summarize(directory)
    text = markdown(run_report(summary, read_manifest(directory)))
    assert "interrupted before the 5,000 planned" in text
    assert "cardgames tournament dicht_dran_v0 --seed 1" in text
    assert "| strong\\|x | 1 | 100.00 | +100.00 ≈ |" in text
    assert "weak[1]" in printed(screen_tables(summary))


def test_an_agent_against_its_copies_has_no_cross_play(tmp_path):
    summary, _ = write_report(write_results(tmp_path, tournament([["random", "random"]] * 3)))
    assert summary.cross_play == ()
    assert summary.agents[0].win_share.interval == pytest.approx((0.5, 0.5))
    assert not (tmp_path / "cross_play.png").exists()
    assert "cross_play.png" not in (tmp_path / "report.md").read_text()


def test_a_single_deal_has_a_report_without_intervals(tmp_path):
    write_report(write_results(tmp_path, one_game(0, 0, 0, ["strong", "weak"], [3, 1])))
    shown = Reader((tmp_path / "report.html").read_text())
    assert "A single deal gives no interval." in shown.text
    assert ["strong", "1", "100.00", "+100.00 ≈", "3.00", "1"] in shown.rows


def test_the_verdict_of_a_sequential_test_is_told_first():
    manifest = MANIFEST | {
        "until_decided": {"agents": ["a", "b"], "elo0": 0, "elo1": 5, "alpha": 0.05, "beta": 0.05},
        "decision": {"hypothesis": "H1", "llr": 2.97, "bounds": [-2.94, 2.94], "deals": 7013},
    }
    verdict = run_report(made_up(), manifest).short[1]
    assert "a is at least 5 Elo points ahead of b, after 7,013 deals" in verdict
    undecided = manifest | {"decision": manifest["decision"] | {"hypothesis": None}}
    assert "has not decided" in run_report(made_up(), undecided).short[1]


def test_the_first_failure_of_each_kind_is_shown_with_its_message():
    failure = {
        "agent": "alpha", "kind": "raised", "game": 1234, "message": "KeyError: 'x'",
        "traceback": "…",
    }  # fmt: skip
    shown = Reader(as_page(run_report(made_up(), MANIFEST | {"failures": [failure]})))
    assert ["alpha", "raised", "KeyError: 'x'", "1,234"] in shown.rows


def test_cycles_are_shown_and_their_absence_is_told():
    def told(summary: Summary) -> str:
        return markdown(run_report(summary, MANIFEST))

    assert "alpha → beta → gamma → alpha" in told(made_up())
    assert "No cycle" in told(made_up(cycles=()))


def test_sections_without_anything_to_say_are_left_out():
    bare = made_up(forfeits=(), ratings=(), comparisons=(), cross_play=(), convergence=None)
    titles = [section.title for section in run_report(bare, MANIFEST).sections]
    assert titles == [
        "Agents by win share", "Seats", "Places", "Points", "What duplicate deals save",
        "How to read the numbers",
    ]  # fmt: skip


def test_forfeits_are_counted_by_agent_and_kind():
    rows = Reader(as_page(run_report(made_up(), MANIFEST))).rows
    assert ["agent", "timeout", "illegal"] in rows
    assert ["alpha", "37", "0"] in rows
    assert ["gamma", "0", "19"] in rows


def test_line_ups_are_a_matrix_of_the_one_against_the_others():
    summary = made_up(
        kind="ladder",
        line_ups=(
            LineUp("alpha", ("beta",) * 3, about(0.2871), about(9.91), about(0.0371), None),
            LineUp(
                "beta",
                ("alpha", "gamma", "gamma"),
                about(0.2211),
                about(8),
                about(-0.0289),
                about(-0.066),
            ),
        ),
    )
    told = run_report(summary, MANIFEST)
    assert told.title == "Ladder of dtc_v0"
    assert told.sections[0].grids[0].rows == [
        ["alpha", "28.71 ±1.23", ""],
        ["beta", "", "22.11 ±1.23"],
    ]
    assert "28.7" in printed(screen_tables(summary))


def test_a_study_is_shown_with_its_tables_and_pictures(tmp_path, monkeypatch):
    def figures() -> dict[str, Figure]:
        figure = Figure()
        figure.subplots().plot([1, 2])
        return {"bluffs.png": figure}

    table = Table(
        "bluffs", "Bluffs & truth", ("how", "value", "times"),
        (("forced", about(0.04567, 0.00123), 12_345), ("voluntary", None, 0)), "per game",
    )  # fmt: skip
    study = StudyResult("Value of a bluff", "Does it pay?", (table,), figures)
    monkeypatch.setattr("experiments.studies.analyse", lambda directory: study)
    (tmp_path / "alternatives").mkdir()
    write_report(write_results(tmp_path, tournament(PLAIN)))
    shown = Reader((tmp_path / "report.html").read_text())
    assert "Does it pay?" in shown.text
    assert ["forced", "0.0457 ±0.0012", "12,345"] in shown.rows
    assert ["voluntary", "–", "0"] in shown.rows
    files = json.loads((tmp_path / "summary.json").read_text())["files"]
    assert {"bluffs.csv", "bluffs.png"} <= set(files)
    assert (tmp_path / "bluffs.png").exists()
    assert "forced,0.04567" in (tmp_path / "bluffs.csv").read_text()


# -- sweeps and variants ---------------------------------------------------------------------------


def test_a_sweep_is_about_its_first_agent_whatever_its_label():
    shown = Reader(as_page(report_on_parts(SWEEP, "sweep")))
    assert ["part", "alpha"] in shown.rows
    assert ["p=0.1", "+2.17 ±1.23"] in shown.rows
    assert ["p=0.4", ""] in shown.rows  # the first part has nothing to differ from
    assert "alpha wins most in p=0.4" in shown.text


def test_variants_are_compared_for_every_agent():
    shown = Reader(as_page(report_on_parts(VARIANTS, "variants")))
    assert ["part", "beta", "alpha"] in shown.rows
    assert ["hand_size=7", "-1.33 ±1.23", "+2.17 ±1.23"] in shown.rows
    assert ["open=True", "8.13 ±0.01", "89.00 ±1.23", "4.19 ±0.31"] in shown.rows
    assert "of beta differs in 2 of 2 parts, most in open=True: by -2.66 ±1.23" in shown.text


def test_parts_with_other_numbers_of_players_have_seats_of_their_own():
    three = dataclasses.replace(
        VARIANTS.parts[1],
        summary=dataclasses.replace(
            VARIANTS.parts[1].summary,
            num_players=3,
            seats=VARIANTS.parts[1].summary.seats[:3],
        ),
    )
    summary = PartsSummary((VARIANTS.parts[0], three), missing=())
    shown = Reader(as_page(report_on_parts(summary, "variants")))
    seats = [row for row in shown.rows if row[0] == "hand_size=7" and len(row) == 6]
    assert seats == [["hand_size=7", "33.33", "24.71 ±1.23", "24.90 ±1.23", "25.09 ±1.23", ""]]


def test_a_folder_of_parts_gets_one_page(tmp_path, monkeypatch):
    entries = []
    for k in range(2):
        folder = tmp_path / "parts" / str(k)
        write_results(folder, tournament(PLAIN, seed=k))
        entries.append({"name": f"p={k}", "folder": f"parts/{k}", "values": {"p": k}})
    (tmp_path / "parts.json").write_text(json.dumps(entries))
    (tmp_path / "config.toml").write_text('kind = "variants"\ngame = "dicht_dran_v0"\n')
    summary, _ = report.write_parts_report(tmp_path)
    assert [part.name for part in summary.parts] == ["p=0", "p=1"]
    shown = Reader((tmp_path / "report.html").read_text())
    assert "Rule variants of dicht_dran_v0" in shown.text
    for path in (tmp_path / "summary.json", tmp_path / "report.md", tmp_path / "parts_rounds.png"):
        assert path.stat().st_size > 0


# -- pictures --------------------------------------------------------------------------------------


def points_of(figure: Figure, panel: int = 0) -> list[tuple[float, float]]:
    """Where single marks stand."""
    return [
        (float(line.get_xdata()[0]), float(line.get_ydata()[0]))
        for line in figure.axes[panel].lines
        if len(line.get_xdata()) == 1 and line.get_marker() not in ("|", "_")
    ]


def test_the_ratings_stand_where_they_are_with_uneven_intervals():
    figure = plots.ratings(made_up())
    assert points_of(figure)[1::2] == [(55.5, 0.0), (15.5, 1.0), (-24.5, 2.0)]
    bars = [c.get_segments()[0] for c in figure.axes[0].collections]
    assert bars[0][:, 0] == pytest.approx([31.19, 79.83])


def test_pairs_that_are_not_separated_are_hollow():
    figure = plots.comparisons(made_up())
    marks = [line for line in figure.axes[0].lines if line.get_marker() == "o"]
    assert [mark.get_markerfacecolor() for mark in marks] == ["white", "black", "black"]


def test_of_many_pairs_the_closest_are_drawn():
    pairs = tuple(
        Comparison(f"a{k}", f"b{k}", about(abs(k - 29.5) / 100), None, None, None, True)
        for k in range(60)
    )
    kept = plots.closest(pairs)
    assert [pair.better for pair in kept] == [f"a{k}" for k in range(12, 48)]


def test_a_distribution_keeps_all_its_games_in_the_bars():
    figure = plots.distributions(made_up())
    for axes in figure.axes[:3]:
        (bars,) = axes.patches
        assert sum(bars.get_data().values) == pytest.approx(1.0)


def test_a_swept_value_is_an_axis_and_variants_are_rows():
    sweep = report_on_parts(SWEEP, "sweep").sections[1].pictures[0].draw()
    (line,) = [line for line in sweep.axes[0].lines if line.get_linestyle() == "-"]
    assert list(line.get_xdata()) == [0.1, 0.2, 0.4]
    assert sweep.axes[0].get_xlabel() == "p"
    rows = report_on_parts(VARIANTS, "variants").sections[1].pictures[0].draw()
    labels = [label.get_text() for label in rows.axes[0].get_yticklabels()]
    assert labels == ["as the rules say", "hand_size=7", "open=True"]


def test_agents_are_told_apart_without_colour():
    labels = [f"agent_{k}" for k in range(12)]
    looks = [plots.look(labels, label) for label in labels]
    assert len({look["marker"] for look in looks}) == 12
    assert len({look["color"] for look in looks}) == 12


# -- the screen ------------------------------------------------------------------------------------


def printed(tables: list[Any]) -> str:
    console = Console(width=80, file=io.StringIO())
    for table in tables:
        console.print(table)
    text: str = console.file.getvalue()
    return text


def test_the_tables_on_the_screen_lose_nothing_on_80_columns():
    long = made_up("counter:stake=0.25", "bluffer:rate=0.125", "bayes")
    for tables in (screen_tables(long), screen_parts(SWEEP), screen_parts(VARIANTS)):
        text = printed(tables)
        assert max(map(len, text.splitlines())) <= 80
        assert "…" not in text
    assert "+16" in printed(screen_tables(long))  # the rating of the second agent


# -- in a real browser -----------------------------------------------------------------------------


def pages() -> dict[str, Any]:
    """Every kind of report, with labels too long for a phone."""
    long = "searcher:iterations=1000,exploration=1.25"
    ladder = made_up(
        long, "beta", kind="ladder",
        line_ups=(LineUp(long, ("beta",) * 3, about(0.28), about(9.9), about(0.03), None),),
    )  # fmt: skip
    return {
        "tournament": run_report(made_up(long, NASTY, "gamma"), MANIFEST),
        "ladder": run_report(ladder, MANIFEST),
        "sweep": report_on_parts(SWEEP, "sweep"),
        "variants": report_on_parts(VARIANTS, "variants"),
    }


@pytest.mark.parametrize("width", WIDTHS.values(), ids=WIDTHS.keys())
@pytest.mark.parametrize("kind", ["tournament", "ladder", "sweep", "variants"])
def test_a_browser_shows_the_page_without_a_network(kind, width, tmp_path):
    text = as_page(pages()[kind])
    seen = browser.visit(text, width, tmp_path)
    assert seen["window"] == width
    assert seen["faults"] == []
    assert seen["requests"] == []
    assert seen["page"] <= width
    assert len(seen["images"]) == text.count("<img ") > 4
    assert all(natural > 0 for natural in seen["images"])
    assert seen["narrowest"] > 0.7  # letters of 10 points stay at 7 or more


def test_the_browser_would_see_what_is_wrong(tmp_path):
    wrong = (
        '<main><img src="http://example.org/x.png"><script>missing()</script>'
        '<p style="width: 2000px">wide'
    )
    text = as_page(run_report(made_up(), MANIFEST)).replace("<main>", wrong)
    seen = browser.visit(text, 390, tmp_path)
    assert len(seen["faults"]) == 2
    assert seen["requests"] == ["http://example.org/x.png"]
    assert seen["page"] > 2000
    assert seen["images"][0] == 0


def test_a_missing_browser_is_a_failure_where_tests_must_be_whole(monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="install Chromium"):
        browser.find()
    monkeypatch.delenv("CI")
    with pytest.raises(pytest.skip.Exception, match="install Chromium"):
        browser.find()
