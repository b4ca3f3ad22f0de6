"""The decision log as tables: the columns of every game, then the game's own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from cardgames_env.core.game import NOTHING, Game
from cardgames_env.core.log import DecisionLog

MEANING = b"meaning"  # key of a column's metadata

GENERAL_COLUMNS = (
    ("game", pa.int64(), "number of the game, as in the table of games"),
    ("deal", pa.int64(), "number of the deal, the same for all its seatings"),
    ("seating", pa.int16(), "seating of the deal, from 0"),
    ("decision", pa.int32(), "decisions made before in this game"),
    ("seat", pa.int8(), "seat that decided"),
    ("agent", pa.dictionary(pa.int8(), pa.string()), "agent at that seat"),
    ("action", pa.int32(), "number of the action"),
    ("legal_actions", pa.int32(), "how many actions were legal"),
)


def decision_schema(game: Game) -> pa.Schema:
    """The columns of a game's decision log; each field's metadata holds its meaning."""
    own = [(c.name, pa.from_numpy_dtype(c.type), c.meaning) for c in game.log_columns]
    return pa.schema(
        [
            pa.field(name, type_, metadata={MEANING: meaning.encode()})
            for name, type_, meaning in [*GENERAL_COLUMNS, *own]
        ]
    )


def decision_table(
    game: Game, log: DecisionLog, games_per_deal: int, labels: Sequence[str]
) -> pa.Table:
    """The rows of a log, one a decision; ``labels`` by agent. NOTHING becomes null."""
    columns = [
        pa.array(log.games),
        pa.array(log.games // games_per_deal),
        pa.array(log.games % games_per_deal),
        pa.array(log.decisions),
        pa.array(log.seats),
        pa.DictionaryArray.from_arrays(pa.array(log.agents.astype(np.int8)), labels),
        pa.array(log.actions),
        pa.array(log.legal_actions),
    ]
    columns += [pa.array(values, mask=values == NOTHING) for values in log.own.T]
    # A cast refuses numbers that are too large for a column's type.
    schema = decision_schema(game)
    cast = [column.cast(type_) for column, type_ in zip(columns, schema.types, strict=True)]
    return pa.table(cast, schema=schema)
