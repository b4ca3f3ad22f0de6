"""What an experiment is, as a file says it: the keys of a configuration, read, checked and written.

The same keys are the options of the command line (``--move-timeout`` is ``move_timeout``).
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal

import tomli_w
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

import agents
from cardgames_env.core.files import write_whole
from cardgames_env.core.game import get_game
from cardgames_env.core.rng import checked_root
from experiments.engines import THREADS
from experiments.seating import ROTATIONS
from experiments.sequential import Sprt

CONFIGS = Path(__file__).parent / "configs"
DEFAULT_GAMES = 20_000

TOURNAMENT: Final = "tournament"
CROSS_PLAY: Final = "cross_play"
LADDER: Final = "ladder"
SWEEP: Final = "sweep"
VARIANTS: Final = "variants"
STUDY: Final = "study"


class _Keys(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class UntilDecided(_Keys):
    """The table ``until_decided``: a sequential test of A against B."""

    agents: list[str] = Field(
        min_length=2, max_length=2, description="A and B: is A stronger than B?"
    )
    elo0: float = Field(
        0.0, ge=-4000, le=4000, description="A's lead in Elo over B, if it is not stronger"
    )
    elo1: float = Field(
        5.0, ge=-4000, le=4000, description="A's lead in Elo over B, if it is stronger"
    )
    alpha: float = Field(
        0.05, description="share of such tests that take a lead of elo0 for one of elo1"
    )
    beta: float = Field(
        0.05, description="share of such tests that take a lead of elo1 for one of elo0"
    )

    def test(self) -> Sprt:
        """The test, before any deal. Raises ValueError."""
        return Sprt(self.elo0, self.elo1, self.alpha, self.beta)

    @model_validator(mode="after")
    def _a_test(self) -> UntilDecided:
        self.test()
        return self


class Experiment(_Keys):
    """A configuration with all defaults filled in; see the descriptions of the fields.

    The keys from ``engine`` on say how and where it is run; the rows do not depend on them.
    """

    kind: Literal["tournament", "cross_play", "ladder", "sweep", "variants", "study"] = Field(
        TOURNAMENT, description="what is played"
    )
    game: str = Field(description="the game")
    agents: list[str] = Field([], description="agents; none: all of the game's but the slow ones")
    opponents: list[str] = Field(
        [],
        description="each agent sits alone against these, one for all other seats or one each, all "
        "on the same deals",
    )
    options: dict[str, Any] = Field({}, description="rule options of the game")
    games: int = Field(
        DEFAULT_GAMES, ge=1, le=10**10, description="games of each run, rounded up to whole deals"
    )
    seed: int = Field(1, description="root seed of all chance")
    seating: Literal["rotations", "full"] = Field(
        ROTATIONS,
        description="each deal under all rotations of the seats (of all circular orders, where "
        "neighbours matter), or under all orders",
    )
    decisions: float | Literal["all"] = Field(
        0.0, description="keep a row for every decision, of all deals or of a share such as 0.01"
    )
    move_timeout: float | None = Field(
        None, gt=0, le=1e6, description="seconds after which a Python agent forfeits the game"
    )
    until_decided: UntilDecided | None = Field(
        None, description="stop once a sequential test tells whether agent A is stronger than B"
    )
    vary: dict[str, list[Any]] = Field(
        {},
        description="sweep: values of a rule option (name), or of an agent's parameter "
        "(agent.parameter)",
    )
    variants: dict[str, dict[str, Any]] = Field(
        {}, description="variants: rule options of each, by its name"
    )
    study: str | None = Field(None, description="study: which")
    share: float = Field(0.05, gt=0, le=1, description="study: share of the decisions tried")
    playouts: int = Field(16, ge=1, le=100_000, description="study: playouts of each alternative")
    worlds: int = Field(16, ge=1, le=100_000, description="study: imagined deals for each choice")
    engine: Literal["threads", "ray"] = Field(THREADS, description="where blocks are played")
    address: str | None = Field(None, description="ray: the cluster's address (none: this machine)")
    threads: int | None = Field(
        None, ge=1, le=1024, description="blocks played at once (none: one a processor)"
    )
    out: str | None = Field(
        None, min_length=1, description="results folder (none: a new one under results/)"
    )

    @field_validator("game")
    @classmethod
    def _known_game(cls, name: str) -> str:
        return get_game(name).id

    @field_validator("seed")
    @classmethod
    def _a_root(cls, seed: int) -> int:
        return checked_root(seed)

    @field_validator("decisions")
    @classmethod
    def _a_share(cls, value: float | str) -> float:
        share = 1.0 if value == "all" else float(value)
        if not 0 <= share <= 1:  # nor NaN
            raise ValueError(f"must be all, or a share from 0 to 1, got {value}")
        return share

    @field_validator("options", "vary", "variants")
    @classmethod
    def _with_none(cls, value: dict[str, Any]) -> dict[str, Any]:
        return {name: _unstored(inner) for name, inner in value.items()}

    @model_validator(mode="after")
    def _keys_of_the_kind(self) -> Experiment:
        """What one kind needs, the others refuse."""
        for key, kind in (("vary", SWEEP), ("variants", VARIANTS), ("study", STUDY)):
            if bool(getattr(self, key)) != (self.kind == kind):
                needs = "needs" if self.kind == kind else "takes no"
                raise ValueError(f"kind {self.kind} {needs} {key}")
        if self.kind in (CROSS_PLAY, LADDER) and self.opponents:
            raise ValueError(f"kind {self.kind} takes no opponents: the agents are each other's")
        if self.kind in (SWEEP, VARIANTS, STUDY) and self.until_decided:
            raise ValueError(f"kind {self.kind} takes no until_decided")
        if self.address is not None and self.engine == THREADS:
            raise ValueError("address is for engine ray")
        return self

    def identity(self) -> dict[str, Any]:
        """The keys that decide about the rows."""
        return {k: v for k, v in self.model_dump().items() if k not in RUNNING}


RUNNING = ("engine", "address", "threads", "out")


def experiment(content: Mapping[str, Any], source: str = "configuration") -> Experiment:
    """A checked configuration; without agents, with all of the game's but the slow ones.

    Raises ValueError naming source, key and remedy.
    """
    try:
        checked = Experiment.model_validate(dict(content))
    except ValidationError as error:
        raise ValueError(f"{source}: {_told(error)}") from None
    return checked.model_copy(update={"agents": checked.agents or agents.quick_names(checked.game)})


def _told(error: ValidationError) -> str:
    """The first mistake, in our words."""
    mistake = error.errors()[0]
    key = ".".join(map(str, mistake["loc"]))
    if mistake["type"] == "extra_forbidden":
        model = UntilDecided if len(mistake["loc"]) > 1 else Experiment
        known = list(model.model_fields)
        close = difflib.get_close_matches(str(mistake["loc"][-1]), known, n=1)
        hint = f" (did you mean {close[0]!r}?)" if close else ""
        return f"unknown key {key!r}{hint}; keys: {', '.join(known)}"
    if mistake["type"] == "missing":
        return f"{key} is missing"
    if mistake["type"] == "value_error":
        return f"{key}: {mistake['ctx']['error']}" if key else str(mistake["ctx"]["error"])
    message = mistake["msg"][0].lower() + mistake["msg"][1:]
    given = mistake["input"]
    return (
        f"{key}: {message}, got {given!r}"
        if not isinstance(given, Mapping)
        else f"{key}: {message}"
    )


def read(path: Path) -> dict[str, Any]:
    """What a file says, not checked yet. A name without a folder may be one of ours (see ``CONFIGS``).

    Raises ValueError, OSError.
    """
    shipped = CONFIGS / f"{path}.toml"
    if not path.exists() and path.parent == Path() and shipped.is_file():
        path = shipped
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        close = difflib.get_close_matches(path.stem, names(), n=1)
        hint = f" (did you mean {close[0]!r}?)" if close else ""
        raise ValueError(
            f"{path}: no such configuration{hint}; shipped are: {', '.join(names())}"
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: is no TOML: {error}") from None


def names() -> list[str]:
    """The configurations that come with the library."""
    return sorted(path.stem for path in CONFIGS.glob("*.toml"))


def write(path: Path, content: Experiment) -> None:
    """Write a configuration with all its keys, but those that are none. Raises OSError."""
    keys = {k: _stored(v) for k, v in content.model_dump().items() if v is not None}
    write_whole(path, tomli_w.dumps(keys).encode())


NONE = "none"  # TOML has no null


def _stored(value: Any) -> Any:
    """As TOML takes it."""
    if isinstance(value, dict):
        return {k: _stored(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_stored(v) for v in value]
    return NONE if value is None else value


def _unstored(value: Any) -> Any:
    """As it was before ``_stored``."""
    if isinstance(value, dict):
        return {k: _unstored(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_unstored(v) for v in value]
    return None if value == NONE else value
