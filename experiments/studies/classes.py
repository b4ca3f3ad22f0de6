"""Classes of actions, and what stands for a class.

A study sorts the actions of a decision into classes (cards that lie in the gap, and others). A class is
represented by its best action by the imagined values, which do not know the true deal; the value of a
class is that action's on the true deal.
"""

from __future__ import annotations

import pandas as pd

DECISION = ["game", "decision"]  # what names a decision


def representatives(rows: pd.DataFrame) -> pd.DataFrame:
    """The row of each class of each decision that looks best without knowledge of the true deal.

    By the imagined share of the win, then by imagined points, then the lowest action. (The other way
    round, what is chosen was worth 0.1 to 1 percentage points less in all games, 16 to 24 deals being
    imagined.) ``rows``: one an action, with a column ``class``;
    rows without a class are left out.
    """
    order = ["imagined_win_share", "imagined_gain", "action"]
    ordered = rows.dropna(subset="class").sort_values(order, ascending=[False, False, True])
    return ordered.drop_duplicates([*DECISION, "class"])


def compared(rows: pd.DataFrame, first: str, second: str) -> pd.DataFrame:
    """Decisions that have both classes: ``win_share`` and ``gain`` of the first less the second's.

    One row a decision: the first's other columns, and ``took``, the class of the action that was chosen.
    """
    best = representatives(rows[rows["class"].isin([first, second])])
    one = best[best["class"] == first]
    other = best[best["class"] == second]
    pairs = one.merge(other[[*DECISION, "win_share", "gain"]], on=DECISION, suffixes=("", " other"))
    for column in ("win_share", "gain"):
        pairs[column] -= pairs.pop(f"{column} other")
    return pairs.merge(chosen_class(rows), on=DECISION)


def chosen_class(rows: pd.DataFrame) -> pd.DataFrame:
    """The class of the chosen action by decision, as ``took``."""
    took = rows.loc[rows["chosen"], [*DECISION, "class"]]
    return took.rename(columns={"class": "took"})


def shortfalls(rows: pd.DataFrame) -> pd.DataFrame:
    """What was chosen against the action that looks best: ``win_share`` and ``gain`` less the other's.

    One row a decision with several actions. Below 0 on average where an agent's choice costs.
    """
    several = rows.groupby(DECISION)["action"].transform("size") > 1
    best = representatives(rows[several].assign(**{"class": "any"}))
    chosen = rows[rows["chosen"] & several]
    pairs = chosen.merge(
        best[[*DECISION, "win_share", "gain"]], on=DECISION, suffixes=("", " best")
    )
    for column in ("win_share", "gain"):
        pairs[column] -= pairs.pop(f"{column} best")
    return pairs
