"""Diddly: when to finish."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from cardgames_env.games.diddly.state import PLACE
from experiments.alternatives import Question
from experiments.studies.classes import compared, shortfalls
from experiments.studies.means import (
    EVERYBODY,
    GAIN_COLUMNS,
    Gains,
    Means,
    choice_table,
    percent,
)
from experiments.studies.pictures import gain_panels, lined_figure, share_panel
from experiments.studies.study import Evaluation, Rows, Study, Table

FINISH, GO_ON = "finish", "go on"
BIN, LAST_BIN = 4, 20  # points of the board, by fours; more are counted with these
LAST_TURN = 12


def may_finish(view: Any, mask: np.ndarray) -> bool:
    """Placing a card, one own card being face down, and nobody finished: it may go there or elsewhere."""
    if view["phase"] != PLACE or view["finished"] > 0:
        return False
    down = np.flatnonzero(view["face_up"][0, : 2 * view["columns"]] == 0)
    return len(down) == 1 and bool(mask[down[0]]) and mask.sum() > 1


ALONG = {
    "board": "points of the board when finished",
    "others_down": "face-down cards of the furthest other",
    "turn": "turns completed",
}


def evaluate(rows: Rows) -> Evaluation:
    finishing, choices = Gains(), Gains()
    finished, score = Means(), Means()
    for frame in rows.blocks():
        frame["class"] = np.where(frame["completes"].eq(True), FINISH, GO_ON)
        pairs = compared(frame, FINISH, GO_ON)
        pairs["board"] = (pairs["known_points"] // BIN * BIN).clip(upper=LAST_BIN)
        pairs["turn"] = pairs["turn"].clip(upper=LAST_TURN)
        finishing.add(pairs, ["took", *ALONG])
        pairs["finished"] = pairs["took"] == FINISH
        finished.add(pairs, "finished", ALONG)
        score.add(pairs, "known_points")
        choices.add(shortfalls(frame))
    tables = (
        costs(rows, finishing, finished, score),
        *(along(column, finishing, finished) for column in ALONG),
        choice_table(choices, rows.agents),
    )
    return tables, lambda: pictures(rows, finishing, finished)


def costs(rows: Rows, finishing: Gains, finished: Means, score: Means) -> Table:
    lines: list[tuple[Any, ...]] = []
    for agent in finishing.win_share.agents(rows.agents):
        shares = percent(finished[agent,]), score[agent,]
        lines.append((agent, "either", *shares, *finishing.cells((agent,))))
        for took in (FINISH, GO_ON):
            key = (agent, "took", took)
            lines.append((agent, took, None, None, *finishing.cells(key)))
    return Table(
        "finishing",
        "Finishing now against going on",
        ("agent", "did", "finished %", "points of the board", *GAIN_COLUMNS),
        tuple(lines),
        "A card is placed, one own card is face down, nobody has finished: the card goes there, and the "
        "round ends after one more turn of the others; or it goes elsewhere. The value of finishing less "
        "that of the best other place; above 0 it is better to finish. Points gained are points less.",
    )


def named(column: str, value: int) -> str:
    if column == "board":
        return f"{value}+" if value == LAST_BIN else f"{value}–{value + BIN - 1}"
    return f"{value}+" if (column, value) == ("turn", LAST_TURN) else str(value)


def along(column: str, finishing: Gains, finished: Means) -> Table:
    lines = []
    for value in finished.steps(column):
        key = (EVERYBODY, column, value)
        lines.append((named(column, value), percent(finished[key]), *finishing.cells(key)))
    return Table(
        f"finishing_by_{column}",
        f"By {ALONG[column]}",
        (ALONG[column], "finished %", *GAIN_COLUMNS),
        tuple(lines),
        "Agents together: how often they finished, and the value of finishing less that of going on.",
    )


def pictures(rows: Rows, finishing: Gains, finished: Means) -> dict[str, Figure]:
    figures = {}
    for column, label in ALONG.items():
        steps = finished.steps(column)
        figures[f"finishing_by_{column}.png"] = lined_figure(
            [
                share_panel(finished, column, rows.agents, "finished"),
                *gain_panels(finishing, column, rows.agents, "finishing less going on"),
            ],
            label,
            "When to finish",
            (steps, [named(column, value) for value in steps]),
        )
    return figures


STUDIES = (
    Study(
        "finishing",
        "Diddly: when to finish",
        "Is it better to finish the round now, or to go on and improve the board?",
        Question(may_finish),
        ("completes", "known_points", "others_down", "turn"),
        evaluate,
    ),
)
