"""What a game is: its tables, its options, and the verbs that every game implements.

A game package declares its STATE and VIEW as tables of fields, writes the verbs as kernels, and calls
``register(Game(...))``. The verbs below are stubs: inside compiled code each picks the game's own kernel
by the record type of its argument, so that ``playout``, ``vector`` and the searches are written once and
compiled, and cached, per game.

Every STATE has the fields ``players`` (number of seats) and ``rng`` (the chance stream's four words).
A verb takes one record (``states[i]`` inside a kernel). Python code calls the entry points at the end,
which take the array and the row: passing a record from Python costs several microseconds.
"""

from __future__ import annotations

import difflib
import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
from numba.extending import overload

from cardgames_env.core.jit import COMPILER_OFF, kernel, note_sources
from cardgames_env.core.rng import CHANCE_STREAM, seed_stream, stream_key

OK, ILLEGAL, OVER = 0, 1, 2  # what `apply` returns

OUTCOME, MARGIN, POINTS = 0, 1, 2
REWARDS = {"outcome": OUTCOME, "margin": MARGIN, "points": POINTS}

#: In a row of the decision log: this column has no value (null in Parquet).
NOTHING = int(np.iinfo(np.int32).min)

RENDER_MODES = ("human", "ansi", "rgb_array")

#: Who may see a field of the state: everyone; only the seat whose row it is (first axis = seat); nobody.
EVERYONE, OWNER, NOBODY = "everyone", "owner", "nobody"


@dataclass(frozen=True)
class StateField:
    """One field of a game's state: NumPy type, shape, who may see it (see EVERYONE …), meaning."""

    name: str
    type: str
    shape: tuple[int, ...]
    seen_by: str
    meaning: str


@dataclass(frozen=True)
class ViewField:
    """One int16 field of a seat's view: shape, bounds (both included), meaning."""

    name: str
    shape: tuple[int, ...]
    low: int
    high: int
    meaning: str

    @property
    def size(self) -> int:
        return int(np.prod(self.shape, dtype=int))


@dataclass(frozen=True)
class Option:
    """A rule option: ``check(value)`` returns the value as plain Python, or raises ValueError.

    The message of that error completes the sentence "option … ".
    """

    name: str
    default: Any
    check: Callable[[Any], Any]
    meaning: str


@dataclass(frozen=True)
class Action:
    """A row of the documented action table."""

    numbers: str
    meaning: str
    when: str


@dataclass(frozen=True)
class LogColumn:
    """A column that a game adds to the decision log: meaning, and NumPy type in files ("?": true/false).

    In kernels it is an int32, NOTHING where there is no value.
    """

    name: str
    meaning: str
    type: str = "i4"


@dataclass(frozen=True, eq=False)
class Game:
    """Everything that the environments and tools know of a game."""

    name: str
    version: int
    title: str
    options: tuple[Option, ...]
    state_fields: Callable[[Mapping[str, Any]], tuple[StateField, ...]]
    view_fields: tuple[ViewField, ...]
    num_actions: int
    actions: tuple[Action, ...]
    simultaneous: bool
    lower_is_better: bool
    margin_scale: Callable[[Mapping[str, Any]], float]
    verbs: Mapping[str, Any]
    configure: Callable[[np.ndarray, Mapping[str, Any]], None]
    set_deal: Callable[[np.ndarray, int, Mapping[str, Any]], None]
    snapshot: Callable[[np.ndarray, int], dict[str, Any]]
    action_name: Callable[[int], str]
    describe: Callable[
        [Mapping[str, np.ndarray], Mapping[str, np.ndarray], Sequence[str]], list[str]
    ]
    render_text: Callable[[Mapping[str, np.ndarray], Sequence[str]], str]
    render_image: Callable[[Mapping[str, np.ndarray], Sequence[str]], np.ndarray]
    #: Refuses options that are good one by one, but not together: ValueError naming the remedy.
    check_together: Callable[[Mapping[str, Any]], None] = lambda options: None
    log_columns: tuple[LogColumn, ...] = ()
    #: All deals that differ, as `set_deal` takes them, seat 0 leading, and in how many ways each can
    #: come about. For games without chance after the deal; lazy: there may be too many to list.
    every_deal: Callable[[Mapping[str, Any]], Iterator[tuple[dict[str, Any], int]]] | None = None

    def __reduce__(self) -> tuple[Callable[[str], Game], tuple[str]]:
        """Copies and pickles of an environment share the one registered game."""
        return get_game, (self.id,)

    @property
    def score_sign(self) -> int:
        """What turns points for which more is better into the game's own score."""
        return -1 if self.lower_is_better else 1

    @property
    def id(self) -> str:
        return f"{self.name}_v{self.version}"

    @functools.cached_property
    def view_dtype(self) -> np.dtype:
        return np.dtype([(f.name, np.int16, f.shape) for f in self.view_fields], align=True)

    @functools.cached_property
    def view_size(self) -> int:
        return sum(field.size for field in self.view_fields)

    def view_bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Lowest and highest value of each entry of the flat view, two int16 arrays (D,)."""
        low = [np.full(f.size, f.low, np.int16) for f in self.view_fields]
        high = [np.full(f.size, f.high, np.int16) for f in self.view_fields]
        return np.concatenate(low), np.concatenate(high)

    def named(self, observation: np.ndarray) -> dict[str, np.ndarray]:
        """The named fields of a flat observation, int16 (D,), as fresh arrays (scalars 0-d).

        Raises ValueError for an array of another shape or type.
        """
        expect(observation, np.int16, (self.view_size,), "observation")
        view = np.ascontiguousarray(observation).view(self.view_dtype)[0]
        return {f.name: np.array(view[f.name]) for f in self.view_fields}

    def state_dtype(self, options: Mapping[str, Any]) -> np.dtype:
        fields = self.state_fields(options)
        dtype = np.dtype([(f.name, f.type, f.shape) for f in fields], align=True)
        if dtype not in _BY_DTYPE:
            self._stand_behind(dtype)
        return dtype

    def _stand_behind(self, dtype: np.dtype) -> None:
        """Verbs called with a record of this type are this game's."""
        record = numba.from_dtype(dtype)
        _BY_DTYPE[dtype] = self
        _BY_RECORD[record] = self
        for name, verb in self.verbs.items():
            note_sources(record, name, verb)

    def check_options(self, options: Mapping[str, Any], also: Sequence[str] = ()) -> dict[str, Any]:
        """All rule options with their defaults filled in, as plain Python.

        ``also``: what the caller takes besides, to be named in messages. Raises ValueError naming
        the option and what it may be.
        """
        known = {option.name: option for option in self.options}
        for name in options:
            if name not in known:
                allowed = [*known, *also]
                raise ValueError(
                    f"{self.id} has no option {name!r}{_did_you_mean(name, allowed)}; "
                    f"options: {', '.join(allowed)}"
                )
        resolved = {}
        for name, option in known.items():
            try:
                resolved[name] = option.check(options.get(name, option.default))
            except ValueError as error:
                raise ValueError(f"{self.id}: option {name} {error}") from None
        try:
            self.check_together(resolved)
        except ValueError as error:
            raise ValueError(f"{self.id}: options do not fit together: {error}") from None
        return resolved

    def new_states(self, options: Mapping[str, Any], count: int) -> np.ndarray:
        """``count`` states with these (checked) options, not dealt yet."""
        states = records(np.zeros(count, self.state_dtype(options)))
        self.configure(states, options)
        return states

    def states_from(self, options: Mapping[str, Any], content: bytes) -> np.ndarray:
        """States from their bytes (``states.tobytes()``).

        How copies and pickles keep a state: NumPy copies structured arrays field by field, and what
        lies between the fields would come out as whatever was in memory.
        """
        return records(np.frombuffer(bytearray(content), self.state_dtype(options)))

    def new_views(self, *shape: int) -> tuple[np.ndarray, np.ndarray]:
        """Empty views (shape …), and the same memory as int16 (…, D)."""
        views = np.zeros(shape, self.view_dtype)
        return records(views), views.view(np.int16).reshape(*shape, self.view_size)


def records(array: np.ndarray) -> np.ndarray:
    """A structured array as the kernels take it.

    Python code reads fields as ``array["name"]``. Kernels read ``array[i].name``, which in plain
    Python (the compiler is off) only a recarray understands; compiled, a recarray would cost each
    call from Python two microseconds.
    """
    return array.view(np.recarray) if COMPILER_OFF else array


def expect(array: Any, dtype: Any, shape: tuple[int, ...], what: str) -> None:
    """Refuse an array before it reaches compiled code. Raises ValueError."""
    if not isinstance(array, np.ndarray):
        raise ValueError(f"{what} must be a NumPy array, got {type(array).__name__}")
    if array.dtype != dtype or array.shape != shape:
        raise ValueError(
            f"{what} must be {np.dtype(dtype).name} of shape {shape}, "
            f"got {array.dtype.name} of shape {array.shape}"
        )


def whole_number(low: int, high: int | None = None) -> Callable[[Any], int]:
    """An option check: an integer from ``low`` to ``high`` (None: no bound)."""
    expected = f"must be a whole number ≥ {low}" if high is None else f"must be {low} … {high}"

    def check(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
            raise ValueError(f"{expected}, got {value!r}")
        if value < low or (high is not None and value > high):
            raise ValueError(f"{expected}, got {value}")
        return int(value)

    return check


def truth_value(value: Any) -> bool:
    """An option check: True or False. Raises ValueError."""
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"must be true or false, got {value!r}")
    return bool(value)


def check_deal_keys(deal: Any, keys: Sequence[str]) -> None:
    """A scripted deal is a mapping with exactly these keys. Raises ValueError."""
    if not isinstance(deal, Mapping):
        raise ValueError(
            f"deal must be a mapping with {', '.join(keys)}, got {type(deal).__name__}"
        )
    for key in deal:
        if key not in keys:
            raise ValueError(
                f"deal: unknown key {key!r}{_did_you_mean(key, keys)}; keys: {', '.join(keys)}"
            )
    missing = [key for key in keys if key not in deal]
    if missing:
        raise ValueError(f"deal: {missing[0]} is missing; a deal needs {', '.join(keys)}")


def is_list(value: Any) -> bool:
    """Whether a value of a user's is a list, a tuple, or an array of one axis or more."""
    return isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.ndim > 0)


def whole_numbers(value: Any, what: str) -> list[int]:
    """A list, tuple or array of integers as a list of ints. Raises ValueError naming ``what``."""
    if not is_list(value):
        raise ValueError(
            f"deal: {what} must be a list of whole numbers, got {type(value).__name__}"
        )
    for entry in value:
        if isinstance(entry, (bool, np.bool_)) or not isinstance(entry, (int, np.integer)):
            raise ValueError(f"deal: {what} must hold whole numbers, got {entry!r}")
    return [int(entry) for entry in value]


def whole_action(action: object) -> int:
    """An action as an int; −1 (never legal) for what is no whole number."""
    if isinstance(action, (int, np.integer)) and not isinstance(action, bool):
        return int(action) if 0 <= action < 2**31 else -1
    if isinstance(action, np.ndarray) and action.ndim == 0 and action.dtype.kind in "iu":
        return whole_action(int(action))
    return -1


def json_ready(value: Any) -> Any:
    """Plain Python for arrays and NumPy numbers, through dicts, lists and tuples."""
    if isinstance(value, Mapping):
        return {str(k): json_ready(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [json_ready(v) for v in value]
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    return value


def check_reward(reward: object) -> int:
    """The number of a reward scheme; ValueError naming the schemes."""
    if not isinstance(reward, str) or reward not in REWARDS:
        raise ValueError(f"option reward must be one of {', '.join(REWARDS)}, got {reward!r}")
    return REWARDS[reward]


def check_render_mode(render_mode: object) -> None:
    if render_mode is not None and render_mode not in RENDER_MODES:
        modes = ", ".join(RENDER_MODES)
        raise ValueError(f"option render_mode must be None or one of {modes}, got {render_mode!r}")


# -- the registry ----------------------------------------------------------------------------------

_BY_ID: dict[str, Game] = {}
_BY_DTYPE: dict[np.dtype, Game] = {}
_BY_RECORD: dict[Any, Game] = {}


def register(game: Game) -> None:
    """Make a game known by its id and by the record types of its states and views."""
    defaults = game.check_options({})
    names = [f.name for f in game.state_fields(defaults)] + [f.name for f in game.view_fields]
    for name in names:
        if hasattr(np.record, name):  # `s.round` would be NumPy's method in plain Python
            raise ValueError(f"{game.id}: a field cannot be called {name!r}")
    _BY_ID[game.id] = game
    game.state_dtype(defaults)
    game._stand_behind(game.view_dtype)


def game_ids() -> list[str]:
    """The ids of all registered games, sorted."""
    return sorted(_BY_ID)


def get_game(name: str) -> Game:
    """A game by its id (``dicht_dran_v0``) or its name (``dicht_dran``: the newest version).

    Raises ValueError naming the games there are.
    """
    if not isinstance(name, str):
        raise ValueError(
            f"a game is given by its name, got {name!r}; games: {', '.join(game_ids())}"
        )
    if name in _BY_ID:
        return _BY_ID[name]
    versions = [game for game in _BY_ID.values() if game.name == name]
    if versions:
        return max(versions, key=lambda game: game.version)
    hint = _did_you_mean(name, [*_BY_ID, *(game.name for game in _BY_ID.values())])
    raise ValueError(f"no game {name!r}{hint}; games: {', '.join(game_ids())}")


def _did_you_mean(name: object, known: Any) -> str:
    close = difflib.get_close_matches(str(name), list(known), n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""


@kernel
def note_nothing(s, action_or_rows, row_or_index):
    """``note_before`` and ``note_after`` of a game without ``log_columns``."""


#: What a game does that does not implement a verb; a verb that is not here is required.
DEFAULT_VERBS: dict[str, Any] = {"note_before": note_nothing, "note_after": note_nothing}


def _verb(record: Any, name: str) -> Any:
    game = _BY_RECORD.get(record)
    return None if game is None else game.verbs.get(name) or DEFAULT_VERBS[name]


def _plain(record: Any, name: str) -> Any:
    """The verb for a record outside compiled code (the compiler is off)."""
    return _BY_DTYPE[record.dtype].verbs.get(name) or DEFAULT_VERBS[name]


# -- the verbs -------------------------------------------------------------------------------------


def deal(s, seed):
    """Begin the game of the options in ``s``, with the chance stream of key ``seed`` (uint64)."""
    _plain(s, "deal")(s, seed)


@overload(deal)
def _deal(s, seed):
    verb = _verb(s, "deal")
    return verb and (lambda s, seed: verb(s, seed))


def to_act(s):
    """The seat to act, or −1 when the game is over."""
    return _plain(s, "to_act")(s)


@overload(to_act)
def _to_act(s):
    verb = _verb(s, "to_act")
    return verb and (lambda s: verb(s))


def legal(s, mask):
    """Fill ``mask`` (int8, one entry an action) with 1 for what the seat to act may do, else 0."""
    _plain(s, "legal")(s, mask)


@overload(legal)
def _legal(s, mask):
    verb = _verb(s, "legal")
    return verb and (lambda s, mask: verb(s, mask))


def apply(s, action):
    """Carry out an action of the seat to act; return OK, or ILLEGAL or OVER with ``s`` untouched."""
    return _plain(s, "apply")(s, action)


@overload(apply)
def _apply(s, action):
    verb = _verb(s, "apply")
    return verb and (lambda s, action: verb(s, action))


def look(s, seat, view):
    """Write what ``seat`` may know into ``view``, seats relative to it."""
    _plain(s, "look")(s, seat, view)


@overload(look)
def _look(s, seat, view):
    verb = _verb(s, "look")
    return verb and (lambda s, seat, view: verb(s, seat, view))


def returns(s, out):
    """Write the points scored so far into ``out`` (int32, one a seat); more is better."""
    _plain(s, "returns")(s, out)


@overload(returns)
def _returns(s, out):
    verb = _verb(s, "returns")
    return verb and (lambda s, out: verb(s, out))


def ranks(s, out):
    """Write the places as they stand into ``out`` (int8, one a seat): from 1, equals share one."""
    _plain(s, "ranks")(s, out)


@overload(ranks)
def _ranks(s, out):
    verb = _verb(s, "ranks")
    return verb and (lambda s, out: verb(s, out))


def rounds(s):
    """How many rounds, in the game's own sense, have been completed."""
    return _plain(s, "rounds")(s)


@overload(rounds)
def _rounds(s):
    verb = _verb(s, "rounds")
    return verb and (lambda s: verb(s))


def determinize(view, rng, s):
    """Make ``s`` a complete state that agrees with ``view``; the viewer sits at seat 0.

    Everything unknown, and all chance still to come, is drawn from the stream ``rng``; the game's
    own docstring says from which distribution.
    """
    _plain(view, "determinize")(view, rng, s)


@overload(determinize)
def _determinize(view, rng, s):
    verb = _verb(view, "determinize")
    return verb and (lambda view, rng, s: verb(view, rng, s))


def determinize_weighted(view, rng, s, model):
    """``determinize``, and the weight of the state: how likely what the others did is in it.

    ``model``: the game's own numbers (float, 1-D) that tell how they are believed to act. Averages over
    such states, weighted, are averages over the posterior. Without this verb a game weighs all alike.
    """
    verbs = _BY_DTYPE[view.dtype].verbs
    if "determinize_weighted" in verbs:
        return verbs["determinize_weighted"](view, rng, s, model)
    determinize(view, rng, s)
    return 1.0


@overload(determinize_weighted)
def _determinize_weighted(view, rng, s, model):
    game = _BY_RECORD.get(view)
    if game is None:
        return None
    if "determinize_weighted" in game.verbs:
        verb = game.verbs["determinize_weighted"]
        return lambda view, rng, s, model: verb(view, rng, s, model)

    def unweighted(view, rng, s, model):
        determinize(view, rng, s)
        return 1.0

    return unweighted


def note_before(s, action, row):
    """Write into ``row`` (int32, one entry a ``log_columns``; all NOTHING) what is known of a decision.

    The seat to act in ``s`` has chosen ``action``, which is legal and not carried out yet.
    """
    _plain(s, "note_before")(s, action, row)


@overload(note_before)
def _note_before(s, action, row):
    verb = _verb(s, "note_before")
    return verb and (lambda s, action, row: verb(s, action, row))


def note_after(s, rows, i):
    """Write into ``rows`` (int32, (D, C): the game's decisions so far) what decision ``i`` has shown.

    ``s`` is the state after the last decision, ``i == D - 1``; rows of earlier ones may be written, too.
    """
    _plain(s, "note_after")(s, rows, i)


@overload(note_after)
def _note_after(s, rows, i):
    verb = _verb(s, "note_after")
    return verb and (lambda s, rows, i: verb(s, rows, i))


def scratch_states(view, count):
    """Room for ``count`` states of the game of ``view`` (a searcher's own; zeroed).

    A record is a bare pointer into its array: numba frees the array after its last use *by name*, so
    pass the array on, or use it later on, as long as its records are in use.
    """
    game = _BY_DTYPE[view.dtype]
    return records(np.zeros(count, game.state_dtype(game.check_options({}))))


@overload(scratch_states)
def _scratch_states(view, count):
    game = _BY_RECORD.get(view)
    if game is None:
        return None
    dtype = game.state_dtype(game.check_options({}))
    return lambda view, count: np.zeros(count, dtype)


def scratch_views(view, count):
    """Room for ``count`` views of the same game; zeroed, and with the caution of ``scratch_states``."""
    return records(np.zeros(count, _BY_DTYPE[view.dtype].view_dtype))


@overload(scratch_views)
def _scratch_views(view, count):
    game = _BY_RECORD.get(view)
    if game is None:
        return None
    dtype = game.view_dtype
    return lambda view, count: np.zeros(count, dtype)


# -- what follows from the verbs, for every game ---------------------------------------------------


@kernel
def ranks_of(points, n, out):
    """Places of ``points`` (more is better) into ``out``: 1 + how many seats have more."""
    for p in range(n):
        out[p] = 1
        for q in range(n):
            if points[q] > points[p]:
                out[p] += 1


@kernel
def win_shares(places, n, out):
    """The share of the win of each seat: 1 split among those in first place."""
    winners = 0
    for p in range(n):
        winners += places[p] == 1
    for p in range(n):
        out[p] = 1.0 / winners if places[p] == 1 else 0.0


@kernel
def rewards_of_step(s, scheme, scale, before, points, places, out):
    """Rewards (float32, one a seat) of the step that led to ``s``.

    ``before`` holds the points before it (int32); ``points`` (int32) and ``places`` (int8) are scratch.
    POINTS pays what fell in this step. OUTCOME pays the share of the win less 1/n at the end; MARGIN
    own points less the mean of the others', times ``scale``, at the end.
    """
    n = s.players
    if scheme == POINTS:
        returns(s, points)
        for p in range(n):
            out[p] = points[p] - before[p]
        return
    for p in range(n):
        out[p] = 0.0
    if to_act(s) >= 0:
        return
    if scheme == OUTCOME:
        ranks(s, places)
        win_shares(places, n, out)
        for p in range(n):
            out[p] -= np.float32(1.0 / n)  # as exact as `out`: a tie of all pays 0
    else:
        returns(s, points)
        total = 0
        for p in range(n):
            total += points[p]
        for p in range(n):
            out[p] = scale * (points[p] - (total - points[p]) / (n - 1))


# -- entry points for Python -----------------------------------------------------------------------


@kernel
def deal_row(states, i, root, game):
    """Deal game number ``game`` of the root seed into row ``i``."""
    deal(states[i], stream_key(root, game, CHANCE_STREAM))


@kernel
def seed_chance_row(states, i, root, game):
    """Seed the chance stream of row ``i`` as for game number ``game``, dealing nothing."""
    seed_stream(states[i].rng, stream_key(root, game, CHANCE_STREAM))


@kernel
def to_act_row(states, i):
    return to_act(states[i])


@kernel
def apply_row(states, i, action):
    return apply(states[i], action)


@kernel
def legal_row(states, i, mask):
    """Fill ``mask`` for the seat to act; all zero when the game is over."""
    if to_act(states[i]) < 0:
        mask[:] = 0
    else:
        legal(states[i], mask)


@kernel
def look_row(states, i, seat, views, j):
    look(states[i], seat, views[j])


@kernel
def result_row(states, i, points, places):
    """Points so far and places of row ``i``; returns the rounds completed."""
    returns(states[i], points)
    ranks(states[i], places)
    return rounds(states[i])


@kernel
def determinize_row(views, j, rng, states, i):
    determinize(views[j], rng, states[i])


@kernel
def determinize_weighted_row(views, j, rng, states, i, model):
    return determinize_weighted(views[j], rng, states[i], model)


@kernel
def rewards_row(states, scheme, scale, before, points, places, rewards):
    """``rewards_of_step`` for the one game of a table."""
    rewards_of_step(states[0], scheme, scale, before, points, places, rewards)
