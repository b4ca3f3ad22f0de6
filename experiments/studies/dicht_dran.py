"""Dicht dran: what a safe card costs, and what a risky one does."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure

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

GAP, OTHER = "gap card", "other card"
LARGEST_HAND, LAST_ROUND = 9, 12  # what is more is counted with these
KINDS = {"hand": ("cards in hand", LARGEST_HAND), "round": ("round of the deal", LAST_ROUND)}


def any_card(view: Any, mask: np.ndarray) -> bool:
    """Every choice of a card: those without a gap card are counted, too."""
    return True


def evaluate(rows: Rows) -> Evaluation:
    available, played = Means(), Means()
    safety, choices = Gains(), Gains()
    for frame in rows.blocks():
        frame["class"] = np.where(frame["in_gap"], GAP, OTHER)
        frame["hand"] = frame["hand_size"].clip(upper=LARGEST_HAND)
        frame["round"] = frame["round_number"].clip(upper=LAST_ROUND)
        frame["available"] = frame["gap_cards"] > 0
        decisions = frame[frame["chosen"]]
        both = decisions["available"] & (decisions["gap_cards"] < decisions["hand_size"])
        available.add(decisions, "available", KINDS)
        played.add(decisions[both], "in_gap", KINDS)
        safety.add(compared(frame, GAP, OTHER), ["took", *KINDS])
        choices.add(shortfalls(frame))
    tables = (
        availability(rows, available, played),
        costs(rows, safety),
        *(along(kind, available, played, safety) for kind in KINDS),
        choice_table(choices, rows.agents),
    )
    return tables, lambda: pictures(rows, available, played, safety)


def availability(rows: Rows, available: Means, played: Means) -> Table:
    return Table(
        "gap_cards",
        "Cards that lie in the gap",
        ("agent", "choices", "gap card in hand %", "choices of both kinds", "gap card played %"),
        tuple(
            (
                agent,
                available.count((agent,)),
                percent(available[agent,]),
                played.count((agent,)),
                percent(played[agent,]),
            )
            for agent in available.agents(rows.agents)
        ),
        "How often a card in the gap was in hand, and how often one was played when another card was "
        "there, too.",
    )


COSTS = {GAP: "gap card: cost of safety", OTHER: "other card: cost of risk"}


def costs(rows: Rows, safety: Gains) -> Table:
    return Table(
        "safety",
        "Best gap card against best other card",
        ("agent", "played", *GAIN_COLUMNS),
        safety.by_choice(rows.agents, COSTS),
        "The best gap card less the best other card, valued on the true deal. Where the gap card was "
        "played, less than 0 is what safety cost; where another was, more than 0 is what risk cost.",
    )


def along(kind: str, available: Means, played: Means, safety: Gains) -> Table:
    """All agents, by hand size or by round."""
    label, last = KINDS[kind]
    lines = []
    for value, name in zip(*open_ended(available.steps(kind), last), strict=True):
        key = (EVERYBODY, kind, value)
        shares = percent(available[key]), percent(played[key])
        lines.append((name, available.count(key), *shares, *safety.cells(key)))
    return Table(
        f"by_{kind}",
        f"By {label}",
        (label, "choices", "gap card in hand %", "gap card played %", *GAIN_COLUMNS),
        tuple(lines),
        "Agents together; on the right the best gap card less the best other card. In round 3 the "
        "highest card wins, in round 6 the lowest.",
    )


def pictures(rows: Rows, available: Means, played: Means, safety: Gains) -> dict[str, Figure]:
    figures = {}
    for kind, (label, last) in KINDS.items():
        ticks = open_ended(available.steps(kind), last)
        figures[f"safety_by_{kind}.png"] = lined_figure(
            gain_panels(safety, kind, rows.agents, "gap card less other card"),
            label,
            "Value of playing safe: best card in the gap less best other card",
            ticks,
        )
        figures[f"gap_cards_by_{kind}.png"] = lined_figure(
            [
                share_panel(available, kind, rows.agents, "a gap card was in hand"),
                share_panel(played, kind, rows.agents, "it was played, both kinds being held"),
            ],
            label,
            "How often a gap card was there, and how often it was played",
            ticks,
        )
    return figures


STUDIES = (
    Study(
        "safety",
        "Dicht dran: safety and risk",
        "What does it cost to play a card that lies in the gap, and what to play another one?",
        Question(any_card),
        ("in_gap", "gap_cards", "hand_size", "round_number"),
        evaluate,
    ),
)
