"""DTC: what a bluff is worth, and how well calls are calibrated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from matplotlib.figure import Figure

from cardgames_env.core.jit import kernel
from cardgames_env.games.dtc.beliefs import chance_true
from cardgames_env.games.dtc.state import ACCEPT, ANNOUNCE, ANSWER, REJECT
from experiments.alternatives import Question, StudyColumn
from experiments.studies.classes import compared, shortfalls
from experiments.studies.means import (
    EVERYBODY,
    GAIN_COLUMNS,
    Gains,
    Means,
    choice_table,
    percent,
)
from experiments.studies.pictures import (
    Line,
    Panel,
    gain_panels,
    lined_figure,
    look_of,
    share_panel,
)
from experiments.studies.study import Evaluation, Rows, Study, Table

BLUFF, TRUE = "bluff", "true offer"
VOLUNTARY, FORCED = "voluntary bluff", "forced bluff"
LARGEST = 6  # cards of an offer; more are counted with these
MOST_PILE, PILE_BIN = 40, 5  # cards of the pile, by fives; more are counted with the most
BELIEF_BINS = 10
MODEL = (2.5, 2.0)  # weight of lies, and how fast it falls, of imagined deals: the agents' defaults


# -- bluffing --------------------------------------------------------------------------------------


def announcement(view: Any, mask: np.ndarray) -> bool:
    return bool(view["phase"] == ANNOUNCE)


OFFER_ALONG = {
    "size": "cards of the best true offer",
    "pile": "cards in the pile",
    "chain": "offers accepted before",
}
MOST_CHAIN = 5


def evaluate_bluffing(rows: Rows) -> Evaluation:
    bluffing, choices = Gains(), Gains()
    kinds = {kind: Means() for kind in (TRUE, VOLUNTARY, FORCED)}
    accepted = {kind: Means() for kind in kinds}
    paid = {kind: Means() for kind in kinds}
    bluffed = Means()
    for frame in rows.blocks():
        frame["class"] = np.where(frame["could_be_true"], TRUE, BLUFF)
        pairs = compared(frame, BLUFF, TRUE).merge(true_sizes(frame), on=["game", "decision"])
        pairs["pile"] = (pairs["pile_size"] // PILE_BIN * PILE_BIN).clip(upper=MOST_PILE)
        pairs["chain"] = pairs["chain"].clip(upper=MOST_CHAIN)
        bluffing.add(pairs, ["took", *OFFER_ALONG])
        bluffed.add(pairs.assign(bluffed=pairs["took"] == BLUFF), "bluffed", OFFER_ALONG)
        told = offers_made(frame)
        for kind in kinds:
            mine = told["kind"] == kind
            kinds[kind].add(told.assign(is_it=mine), "is_it")
            accepted[kind].add(told[mine], "accepted")
            paid[kind].add(told[mine], "cost")
        choices.add(shortfalls(frame))
    tables = (
        bluff_values(rows, bluffing),
        offers(rows, kinds, accepted, paid),
        *(bluffs_along(column, bluffed, bluffing) for column in OFFER_ALONG),
        choice_table(choices, rows.agents),
    )
    return tables, lambda: bluff_pictures(rows, bluffed, bluffing)


def true_sizes(frame: pd.DataFrame) -> pd.DataFrame:
    """Cards of the largest true offer, by decision."""
    largest = frame[frame["class"] == TRUE].groupby(["game", "decision"])["count"].max()
    return largest.clip(upper=LARGEST).rename("size").reset_index()


def offers_made(frame: pd.DataFrame) -> pd.DataFrame:
    """The offers that were made, one row each: their kind, and what they cost their giver.

    An offer that could have been true and was composed falsely is a voluntary bluff, too.
    """
    told = frame[frame["chosen"]].copy()
    false = ~told["truth"].eq(True)
    told["kind"] = np.select([~false, told["true_possible"].eq(True)], [TRUE, VOLUNTARY], FORCED)
    told["cost"] = np.where(false, told["paid"], 0).astype(float)
    told["accepted"] = told["accepted"].astype(float)
    return told


def bluff_values(rows: Rows, bluffing: Gains) -> Table:
    return Table(
        "bluffing",
        "Best bluff against best true offer",
        ("agent", "announced", *GAIN_COLUMNS),
        bluffing.by_choice(rows.agents, {BLUFF: BLUFF, TRUE: TRUE}),
        "Where a true offer was possible: the best offer that the hand could not make true less the best "
        "that it could, on the true deal. Above 0 it pays to bluff. Points gained are cards less.",
    )


def offers(
    rows: Rows, kinds: dict[str, Means], accepted: dict[str, Means], paid: dict[str, Means]
) -> Table:
    lines = []
    for agent in kinds[TRUE].agents(rows.agents):
        for kind in kinds:
            key = (agent,)
            shares = percent(kinds[kind][key]), percent(accepted[kind][key])
            lines.append((agent, kind, accepted[kind].count(key), *shares, paid[kind][key]))
    return Table(
        "offers",
        "Offers made",
        ("agent", "offer", "offers", "share of its offers %", "accepted %", "cards taken back"),
        tuple(lines),
        "A bluff is forced where no legal offer could be made true. Cards taken back: the penalty of the "
        "giver for an offer, 0 if it was accepted.",
    )


def offer_step(column: str, value: int) -> str:
    if column == "pile":
        return f"{value}+" if value == MOST_PILE else f"{value}–{value + PILE_BIN - 1}"
    last = LARGEST if column == "size" else MOST_CHAIN
    return f"{value}+" if value == last else str(value)


def bluffs_along(column: str, bluffed: Means, bluffing: Gains) -> Table:
    lines = []
    for value in bluffed.steps(column):
        key = (EVERYBODY, column, value)
        lines.append((offer_step(column, value), percent(bluffed[key]), *bluffing.cells(key)))
    return Table(
        f"bluffing_by_{column}",
        f"By {OFFER_ALONG[column]}",
        (OFFER_ALONG[column], "bluffed %", *GAIN_COLUMNS),
        tuple(lines),
        "Agents together, where a true offer was possible: how often they bluffed, and the best bluff "
        "less the best true offer.",
    )


def bluff_pictures(rows: Rows, bluffed: Means, bluffing: Gains) -> dict[str, Figure]:
    figures = {}
    for column, label in OFFER_ALONG.items():
        steps = bluffed.steps(column)
        figures[f"bluffing_by_{column}.png"] = lined_figure(
            [
                share_panel(bluffed, column, rows.agents, "bluffed without need"),
                *gain_panels(bluffing, column, rows.agents, "best bluff less best true offer"),
            ],
            label,
            "Value of a bluff where a true offer was possible",
            (steps, [offer_step(column, value) for value in steps]),
        )
    return figures


# -- calling ---------------------------------------------------------------------------------------


def answer(view: Any, mask: np.ndarray) -> bool:
    """An answer that is free (D4: sometimes only a rejection is legal)."""
    return bool(view["phase"] == ANSWER and mask[ACCEPT])


@kernel
def chance_true_row(views, lies, fall):
    return chance_true(views[0], lies, fall)


def beliefs(views: np.ndarray, parameters: Mapping[str, float]) -> tuple[float, float | None]:
    """P(true) in closed form: of a giver as honest as cards allow, and by the agent's own model."""
    own = None
    if "lies" in parameters and "fall" in parameters:
        own = chance_true_row(views, parameters["lies"], parameters["fall"])
    return chance_true_row(views, 1.0, 0.0), own


BELIEFS = {
    "belief": "the agent's own P(true)",
    "chance": "P(true) of cards alone",
}


def evaluate_calling(rows: Rows) -> Evaluation:
    meant, truth, called = Means(), Means(), Means()
    lie_when_called = Means()
    calling, choices = Gains(), Gains()
    for frame in rows.blocks():
        frame["class"] = np.where(frame["action"] == REJECT, "reject", "accept")
        for belief in BELIEFS:
            place = np.floor(frame[belief] * BELIEF_BINS).clip(upper=BELIEF_BINS - 1)
            frame[f"{belief} bin"] = place
        frame["true"] = frame["truth"].astype(float)
        chosen = frame[frame["chosen"]].copy()
        chosen["called"] = (chosen["action"] == REJECT).astype(float)
        chosen["lie"] = 1 - chosen["true"]
        pairs = compared(frame, "reject", "accept")
        for belief in BELIEFS:
            column = f"{belief} bin"
            known = chosen.dropna(subset=column)
            meant.add(known, belief, [column])
            truth.add(known, "true", [column])
            called.add(known, "called", [column])
            lie_when_called.add(known[known["called"] == 1], "lie", [column])
            calling.add(pairs.dropna(subset=column), [column])
        choices.add(shortfalls(frame))
    tables = (
        *(
            calibration(rows, belief, meant, truth, called, lie_when_called, calling)
            for belief in BELIEFS
        ),
        choice_table(choices, rows.agents),
    )
    return tables, lambda: calling_pictures(rows, meant, truth, called, calling)


def calibration(
    rows: Rows,
    belief: str,
    meant: Means,
    truth: Means,
    called: Means,
    lie_when_called: Means,
    calling: Gains,
) -> Table:
    column = f"{belief} bin"
    lines = []
    for agent in meant.agents(rows.agents):
        for value in meant.steps(column):
            key = (agent, column, value)
            if meant.count(key) == 0:
                continue
            lines.append(
                (
                    agent,
                    f"{value / BELIEF_BINS:.1f}–{(value + 1) / BELIEF_BINS:.1f}",
                    meant.count(key),
                    percent(meant[key]),
                    percent(truth[key]),
                    percent(called[key]),
                    percent(lie_when_called[key]),
                    *calling.cells(key)[1:],
                )
            )
    return Table(
        f"calls_by_{belief}",
        f"Calls by {BELIEFS[belief]}",
        (
            "agent", BELIEFS[belief], "answers", "mean P(true) %", "true %", "rejected %",
            "lies among the rejected %", "reject less accept, pp", "reject less accept, points",
        ),
        tuple(lines),
        "A belief is calibrated if as many offers are true as it says. On the right the value of "
        "rejecting less that of accepting, on the true deal: above 0 it is better to call.",
    )  # fmt: skip


def calling_pictures(
    rows: Rows, meant: Means, truth: Means, called: Means, calling: Gains
) -> dict[str, Figure]:
    figures = {}
    for belief, label in BELIEFS.items():
        column = f"{belief} bin"
        names = [a for a in meant.agents(rows.agents) if any_along(meant, a, column)]

        def lines(means: Means, column: str = column, names: list[str] = names) -> list[Line]:
            """Where the mean belief of a bin stands on the axis."""
            result = []
            for name in names:
                keys = [(name, column, x) for x in meant.steps(column)]
                keys = [key for key in keys if meant.count(key)]
                at = [100 * meant[key].mean for key in keys]  # type: ignore[union-attr]
                known = [means[key] for key in keys]
                result.append(Line(name, at, known, look_of(name, rows.agents)))
            return result

        figure = lined_figure(
            [
                Panel("offers that were true", "%", lines(truth), 100, share=True),
                Panel("offers that were rejected", "%", lines(called), 100, share=True),
                Panel(
                    "rejecting less accepting: win share",
                    "percentage points",
                    lines(calling.win_share),
                    100,
                ),
            ],
            f"{label} (%)",
            "How well calls are calibrated",
        )
        figure.axes[0].axline((0, 0), slope=1, color="0.35", linestyle="--", linewidth=1.0)
        figures[f"calls_by_{belief}.png"] = figure
    return figures


def any_along(means: Means, agent: str, column: str) -> bool:
    return any(means.count((agent, column, value)) for value in means.steps(column))


STUDIES = (
    Study(
        "bluffing",
        "DTC: the value of a bluff",
        "Is a bluff worth more than the best true offer, and how often was it forced?",
        Question(announcement, model=MODEL),
        (
            "could_be_true", "true_possible", "count", "truth", "accepted", "paid", "pile_size",
            "chain",
        ),
        evaluate_bluffing,
    ),
    Study(
        "calling",
        "DTC: the calibration of calls",
        "Are offers as often true as the challenger believes, and does it pay to reject them?",
        Question(
            answer,
            (
                StudyColumn("chance", pa.float32(), "P(true) by the cards alone, as the seat sees it"),
                StudyColumn("belief", pa.float32(), "P(true) by the agent's own model; none: no model"),
            ),
            beliefs,
            MODEL,
        ),
        ("truth", *BELIEFS),
        evaluate_calling,
    ),
)  # fmt: skip
