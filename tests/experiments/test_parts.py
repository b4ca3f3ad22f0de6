"""Parts of a sweep, compared by deal, against plain Python."""

import json
import random
from collections.abc import Iterable
from pathlib import Path

import pytest

from experiments.parts import compare
from experiments.results import ResultsError
from experiments.statistics import summarize
from tests.experiments.test_statistics import (
    Row,
    agrees,
    tournament,
    write_results,
    write_shard,
)


def write_parts(directory: Path, parts: dict[str, list[Row]], cuts: Iterable[int] = ()) -> Path:
    """Parts by name, the k-th setting the option ``heat`` to k; all but the first cut in shards."""
    listed = []
    for number, (name, rows) in enumerate(parts.items()):
        folder = f"parts/{number:02d}-{name}"
        listed.append({"name": name, "folder": folder, "values": {"heat": number}})
        if rows:
            agents = list(dict.fromkeys(row["agent"] for row in rows))
            shards = cuts if number else ()
            write_results(directory / folder, rows, shards=shards, agents=agents)
    (directory / "parts.json").write_text(json.dumps(listed))
    return directory


def naive_difference(
    part: list[Row], first: list[Row], agent: str, there: str
) -> list[tuple[int, float]]:
    """(deal, the agent's mean win share less that of ``there``) where both parts have the deal."""

    def mean(rows: list[Row], deal: int, name: str) -> float | None:
        shares = [x["win_share"] for x in rows if (x["deal"], x["agent"]) == (deal, name)]
        return sum(shares) / len(shares) if shares else None

    pairs = [
        (deal, mean(part, deal, agent), mean(first, deal, there))
        for deal in sorted({row["deal"] for row in part})
    ]
    return [(d, one - other) for d, one, other in pairs if one is not None and other is not None]


TABLES = [["a", "bb", "c"], ["dd", "bb", "c"], ["c", "c", "a"]] * 5
VARIANTS = {
    "plain": tournament(TABLES, seed=1),
    "warm": tournament(TABLES, seed=2),
    "short": tournament(TABLES[:8], seed=3),
}


@pytest.mark.parametrize("cuts", [(), (1, 4, 5, 9)], ids=["whole", "cut"])
def test_every_agent_is_compared_with_itself_in_the_first_part(cuts, tmp_path):
    compared = compare(write_parts(tmp_path, VARIANTS, cuts))
    assert [part.name for part in compared.parts] == list(VARIANTS)
    assert [part.values for part in compared.parts] == [{"heat": 0}, {"heat": 1}, {"heat": 2}]
    assert compared.missing == ()
    assert compared.parts[0].difference == ()
    for part in compared.parts:
        assert part.focus is None
        assert part.summary == summarize(next(tmp_path.glob(f"parts/*-{part.name}")))
    for part in compared.parts[1:]:
        assert [label for label, _ in part.difference] == ["a", "bb", "c", "dd"]
        for label, estimate in part.difference:
            rows = VARIANTS[part.name]
            assert agrees(estimate, naive_difference(rows, VARIANTS["plain"], label, label))


def renamed(rows: list[Row], agent: str, name: str) -> list[Row]:
    return [row | {"agent": name if row["agent"] == agent else row["agent"]} for row in rows]


@pytest.mark.parametrize("agent", ["a", "bb"])
def test_an_agent_that_changes_its_label_is_compared_with_what_it_was(agent, tmp_path):
    parts = {
        f"heat={k}": renamed(rows, agent, f"{agent}:heat={k}")
        for k, rows in enumerate(VARIANTS.values())
    }
    compared = compare(write_parts(tmp_path, parts))
    assert [part.focus for part in compared.parts] == [f"{agent}:heat={k}" for k in range(3)]
    for part in compared.parts[1:]:
        ((label, estimate),) = part.difference
        assert label == part.focus
        expected = naive_difference(
            parts[part.name], parts["heat=0"], label, compared.parts[0].focus
        )
        assert agrees(estimate, expected)


def test_the_same_deals_tell_a_small_difference_that_each_part_alone_would_not(tmp_path):
    chance = random.Random(6)
    rows = tournament([["a", "bb"]] * 300, seed=4)
    # In one deal of ten, a wins in the other part what it had lost.
    gifts = {deal for deal in range(300) if chance.random() < 0.1}
    better = [
        row | {"win_share": float(row["agent"] == "a")} if row["deal"] in gifts else row
        for row in rows
    ]
    plain, part = compare(write_parts(tmp_path, {"plain": rows, "better": better})).parts
    paired = dict(part.difference)["a"]
    assert paired.interval[0] > 0
    own = {entry.agent: entry.win_share for entry in part.summary.agents}["a"]
    first = {entry.agent: entry.win_share for entry in plain.summary.agents}["a"]
    assert paired.half_width < 0.7 * (own.half_width**2 + first.half_width**2) ** 0.5


def test_deals_that_one_part_lacks_are_left_out(tmp_path):
    directory = write_parts(tmp_path, VARIANTS, cuts=(4, 6, 9))
    (folder,) = directory.glob("parts/*-warm")
    (folder / "games" / "00001.parquet").unlink()
    write_shard(folder, 1, [])
    rows = [row for row in VARIANTS["warm"] if not 4 <= row["deal"] < 6]
    for label, estimate in compare(directory).parts[1].difference:
        assert agrees(estimate, naive_difference(rows, VARIANTS["plain"], label, label))


def test_agents_that_the_first_part_lacks_have_no_difference(tmp_path):
    parts = {
        "one": tournament([["a", "bb"]] * 3),
        "more": tournament([["a", "bb"], ["a", "e"]] * 3),
    }
    part = compare(write_parts(tmp_path, parts)).parts[1]
    assert [label for label, _ in part.difference] == ["a", "bb"]


def test_parts_not_played_yet_are_named(tmp_path):
    parts = {"plain": VARIANTS["plain"], "late": [], "warm": VARIANTS["warm"]}
    compared = compare(write_parts(tmp_path, parts))
    assert [part.name for part in compared.parts] == ["plain", "warm"]
    assert compared.missing == ("late",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "parts.json: not found"),
        ("{", "parts.json: cannot be read"),
        ("[]", "is not a list of parts"),
        ('[{"name": "x"}]', "is not a list of parts"),
    ],
)
def test_a_damaged_list_of_parts_is_refused(text, message, tmp_path):
    write_parts(tmp_path, VARIANTS)
    (tmp_path / "parts.json").unlink()
    if text is not None:
        (tmp_path / "parts.json").write_text(text)
    with pytest.raises(ResultsError, match=message):
        compare(tmp_path)


def test_without_the_first_part_nothing_can_be_compared(tmp_path):
    parts = {"plain": [], "warm": VARIANTS["warm"]}
    with pytest.raises(ResultsError, match="the first part has no games"):
        compare(write_parts(tmp_path, parts))
