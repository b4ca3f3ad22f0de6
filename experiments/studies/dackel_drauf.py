"""Dackel drauf!: when to stop, and when to close the lid."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from cardgames_env.games.dackel_drauf.state import CHAIN, CLOSE, LOOK, PASS
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
from experiments.studies.pictures import gain_panels, lined_figure, open_ended, share_panel
from experiments.studies.study import Evaluation, Rows, Study, Table

STOP, SURE, UNSURE = "pass", "sure card", "unsure card"
CLOSING, KEEPING = "close", "keep open"
MOST_PLAYED = 6  # own cards in the chain; more are counted with these
CARD_KINDS = (SURE, UNSURE)
MODEL = (0.3,)  # how often others are thought to play a wrong card, in imagined deals


# -- stopping --------------------------------------------------------------------------------------


def chain_decision(view: Any, mask: np.ndarray) -> bool:
    """A turn of the chain; an extra card ends no turn's choice between going on and stopping."""
    return bool(view["phase"] == CHAIN and not view["again"])


def evaluate_stopping(rows: Rows) -> Evaluation:
    going_on = {kind: Gains() for kind in CARD_KINDS}
    played = {kind: Means() for kind in (STOP, *CARD_KINDS)}
    right = {kind: Means() for kind in CARD_KINDS}
    choices = Gains()
    for frame in rows.blocks():
        sure = frame["sure"].eq(True)
        frame["class"] = np.select([frame["action"] == PASS, sure], [STOP, SURE], UNSURE)
        frame["own"] = frame["played"].clip(upper=MOST_PLAYED)
        chosen = frame[frame["chosen"]]
        for kind, means in played.items():
            means.add(chosen.assign(is_it=chosen["class"] == kind), "is_it", ["own"])
        for kind in CARD_KINDS:
            right[kind].add(chosen[chosen["class"] == kind], "right", ["own"])
            going_on[kind].add(compared(frame, kind, STOP), ["took", "own"])
        choices.add(shortfalls(frame))
    tables = (
        stopping_costs(rows, going_on),
        stopping_by_cards(played, right, going_on),
        choice_table(choices, rows.agents),
    )
    return tables, lambda: stopping_pictures(rows, played, right, going_on)


def stopping_costs(rows: Rows, going_on: dict[str, Gains]) -> Table:
    lines: list[tuple[Any, ...]] = []
    for kind, gains in going_on.items():
        for agent in gains.win_share.agents(rows.agents):
            lines.append((kind, agent, "anything", *gains.cells((agent,))))
            for took in gains.win_share.steps("took"):
                lines.append((kind, agent, took, *gains.cells((agent, "took", took))))
    return Table(
        "going_on",
        "Best card of each kind against passing",
        ("card", "agent", "played", *GAIN_COLUMNS),
        tuple(lines),
        "A card is sure if the seat remembers more dice of its animal than cards of it can lie in the "
        "chain. The best sure, or unsure, card less passing, valued on the true dice: above 0 it pays to "
        "go on. Points are cards got rid of.",
    )


def stopping_by_cards(
    played: dict[str, Means], right: dict[str, Means], going_on: dict[str, Gains]
) -> Table:
    lines = []
    for own, name in zip(*open_ended(played[STOP].steps("own"), MOST_PLAYED), strict=True):
        key = (EVERYBODY, "own", own)
        cells: list[Any] = [name, played[STOP].count(key)]
        cells += [percent(means[key]) for means in played.values()]
        for kind in CARD_KINDS:
            cells += [percent(right[kind][key]), *going_on[kind].cells(key)[1:]]
        lines.append(tuple(cells))
    head = ["own cards", "decisions", "passed %", "sure %", "unsure %"]
    for kind in ("sure", "unsure"):
        head += [f"{kind}: right %", f"{kind} less pass, pp", f"{kind} less pass, points"]
    return Table(
        "by_cards",
        "By own cards in the chain",
        tuple(head),
        tuple(lines),
        "Agents together. Right: in the end, jokers included.",
    )


def stopping_pictures(
    rows: Rows,
    played: dict[str, Means],
    right: dict[str, Means],
    going_on: dict[str, Gains],
) -> dict[str, Figure]:
    ticks = open_ended(played[STOP].steps("own"), MOST_PLAYED)
    label = "own cards in the chain"
    figures = {
        f"going_on_{kind.split()[0]}.png": lined_figure(
            gain_panels(gains, "own", rows.agents, f"best {kind} less passing"),
            label,
            f"When to stop: value of one more {kind}",
            ticks,
        )
        for kind, gains in going_on.items()
    }
    figures["stopped.png"] = lined_figure(
        [
            share_panel(played[STOP], "own", rows.agents, "passed"),
            share_panel(played[UNSURE], "own", rows.agents, "played an unsure card"),
            share_panel(right[UNSURE], "own", rows.agents, "unsure cards that were right"),
        ],
        label,
        "How often the agents stopped, and how often they risked a card",
        ticks,
    )
    return figures


# -- the lid ---------------------------------------------------------------------------------------


def lid_decision(view: Any, mask: np.ndarray) -> bool:
    return bool(view["phase"] == LOOK)


def evaluate_lid(rows: Rows) -> Evaluation:
    closing, choices, closed = Gains(), Gains(), Means()
    for frame in rows.blocks():
        frame["class"] = np.where(frame["action"] == CLOSE, CLOSING, KEEPING)
        chosen = frame[frame["chosen"]]
        closed.add(chosen.assign(closed=chosen["class"] == CLOSING), "closed", LID_ALONG)
        closing.add(compared(frame, CLOSING, KEEPING), ["took", *LID_ALONG])
        choices.add(shortfalls(frame))
    tables = (
        lid_costs(rows, closing),
        *(lid_along(column, closed, closing) for column in LID_ALONG),
        choice_table(choices, rows.agents),
    )
    return tables, lambda: lid_pictures(rows, closed, closing)


LID_ALONG = {"ticks": "ticks so far", "remembered": "dice noticed"}


def lid_costs(rows: Rows, closing: Gains) -> Table:
    return Table(
        "lid",
        "Closing the lid against keeping it open",
        ("agent", "did", *GAIN_COLUMNS),
        closing.by_choice(rows.agents, {CLOSING: CLOSING, KEEPING: KEEPING}),
        "The value of closing less that of keeping open for one more tick at least; above 0 it is better "
        "to close. Points are cards got rid of.",
    )


def lid_along(column: str, closed: Means, closing: Gains) -> Table:
    lines = []
    for value in closed.steps(column):
        key = (EVERYBODY, column, value)
        lines.append((value, percent(closed[key]), *closing.cells(key)))
    return Table(
        f"lid_by_{column}",
        f"By {LID_ALONG[column]}",
        (LID_ALONG[column], "closed %", *GAIN_COLUMNS),
        tuple(lines),
        "Agents together: how often they closed, and the value of closing less that of keeping open.",
    )


def lid_pictures(rows: Rows, closed: Means, closing: Gains) -> dict[str, Figure]:
    return {
        f"lid_by_{column}.png": lined_figure(
            [
                share_panel(closed, column, rows.agents, "closed"),
                *gain_panels(closing, column, rows.agents, "closing less keeping open"),
            ],
            label,
            "When to close the lid",
            None if column == "remembered" else open_ended(closed.steps(column), -1),
        )
        for column, label in LID_ALONG.items()
    }


STUDIES = (
    Study(
        "stopping",
        "Dackel drauf!: when to stop",
        "Is one more card, sure or unsure, worth more than passing?",
        Question(chain_decision, model=MODEL),
        ("sure", "played", "right"),
        evaluate_stopping,
    ),
    Study(
        "lid",
        "Dackel drauf!: when to close the lid",
        "Is it better to close the lid now, or to let all see more?",
        Question(lid_decision, model=MODEL),
        ("ticks", "remembered"),
        evaluate_lid,
    ),
)
