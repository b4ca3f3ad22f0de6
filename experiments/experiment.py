"""An experiment as the runs that it consists of: planned, told of, played, resumed."""

from __future__ import annotations

import itertools
import json
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from cardgames_env.core.game import get_game, json_ready
from experiments import config, folder, tournament
from experiments.config import CROSS_PLAY, LADDER, STUDY, SWEEP, VARIANTS, Experiment
from experiments.engines import RAY, Engine, Ray, Threads
from experiments.lineup import Contestant, contestants
from experiments.tournament import Alternatives, Tournament

MAX_PARTS = 200
TRIAL_SECONDS = 1.0  # of play for an estimate


@dataclass(frozen=True)
class Part:
    """A run of an experiment: its name, what it sets, where it lies below the results ("": there)."""

    name: str
    values: Mapping[str, Any]
    place: str
    tournament: Tournament


def parts(experiment: Experiment) -> list[Part]:
    """The runs of an experiment, checked. Raises ValueError."""
    if experiment.kind == SWEEP:
        settings = _grid(experiment.vary)
    elif experiment.kind == VARIANTS:
        settings = {name: dict(values) for name, values in experiment.variants.items()}
    else:
        return [Part("", {}, "", _run(experiment, experiment.agents, experiment.options))]
    if len(settings) > MAX_PARTS:
        raise ValueError(f"an experiment takes at most {MAX_PARTS} runs, got {len(settings)}")
    result = []
    for number, (name, values) in enumerate(settings.items(), start=1):
        options, specs = _apply(experiment, values)
        try:
            run = _run(experiment, specs, options)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
        slug = re.sub(r"[^A-Za-z0-9._=+-]+", "_", name)[:60]
        result.append(Part(name, values, f"{folder.PARTS_DIR}/{number:02d}-{slug}", run))
    return result


def _grid(vary: Mapping[str, Sequence[Any]]) -> dict[str, dict[str, Any]]:
    """Every combination of values, by a name that tells it."""
    named: list[list[tuple[str, Any]]] = []
    for key, values in vary.items():
        if not values:
            raise ValueError(f"vary: {key} has no values")
        for k, value in enumerate(values):
            if value in values[:k]:
                raise ValueError(f"vary: {key} has the value {_short(value)} twice")
        texts = [_short(value) for value in values]
        named.append(
            [
                (text if texts.count(text) == 1 else f"{text} #{k}", value)
                for k, (text, value) in enumerate(zip(texts, values, strict=True), start=1)
            ]
        )
    return {
        ", ".join(f"{key}={text}" for key, (text, _) in zip(vary, combination, strict=True)): {
            key: value for key, (_, value) in zip(vary, combination, strict=True)
        }
        for combination in itertools.product(*named)
    }


def _short(value: Any) -> str:
    """A value in a name; long lists are cut."""
    text = value if isinstance(value, str) else json.dumps(value, default=str)
    return text if len(text) <= 24 else text[:23] + "…"


def _apply(experiment: Experiment, values: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Options and agents with these values set: ``option``, or ``agent.parameter``. Raises ValueError."""
    options = dict(experiment.options)
    specs = list(experiment.agents)
    for key, value in values.items():
        name, dot, parameter = key.partition(".")
        if not dot:
            options[key] = value
            continue
        at = [k for k, spec in enumerate(specs) if spec.split(":")[0] == name]
        if not at:
            raise ValueError(f"{key}: {name} is not among the agents; agents: {', '.join(specs)}")
        for k in at:
            specs[k] = ":".join([*_without(specs[k], parameter), f"{parameter}={value}"])
    return options, specs


def _without(spec: str, parameter: str) -> list[str]:
    return [part for part in spec.split(":") if not part.startswith(f"{parameter}=")]


def _run(experiment: Experiment, specs: Sequence[str], options: Mapping[str, Any]) -> Tournament:
    """One run of an experiment. Raises ValueError."""
    game = get_game(experiment.game)
    study = None
    if experiment.kind == STUDY:
        study = _study(experiment)
    own = contestants(game.id, specs)
    resolved = game.check_options(options)
    players = resolved["num_players"]
    everybody: list[Contestant] = own
    line_ups: list[list[int]] = []
    if experiment.kind in (CROSS_PLAY, LADDER):
        if len(own) < 2:
            raise ValueError(f"kind {experiment.kind} takes two agents or more, got {len(own)}")
        pairs = (
            itertools.permutations(range(len(own)), 2)
            if experiment.kind == CROSS_PLAY
            else [(k + 1, k) for k in range(len(own) - 1)]
        )
        line_ups = [[a, *[b] * (players - 1)] for a, b in pairs]
    elif experiment.opponents:
        others = list(experiment.opponents)
        if len(others) == 1:
            others *= players - 1
        if len(others) != players - 1:
            raise ValueError(f"opponents: 1 or {players - 1} agents, got {len(others)}")
        known = list(dict.fromkeys(others))
        everybody = contestants(game.id, [*specs, *known])
        line_ups = [
            [k, *(len(own) + known.index(other) for other in others)] for k in range(len(own))
        ]
    assert not isinstance(experiment.decisions, str)  # resolved
    return tournament.plan(
        game.id,
        resolved,
        everybody,
        games=experiment.games,
        seed=experiment.seed,
        seating=experiment.seating,
        logged=experiment.decisions,
        line_ups=line_ups,
        kind=experiment.kind,
        move_timeout=experiment.move_timeout,
        until_decided=experiment.until_decided,
        alternatives=study,
    )


def _study(experiment: Experiment) -> Alternatives:
    """The study that an experiment names. Raises ValueError."""
    from experiments import studies  # pandas, matplotlib: a second that no other run need wait for

    studies.get(experiment.game, str(experiment.study))
    return Alternatives(
        str(experiment.study), experiment.share, experiment.playouts, experiment.worlds
    )


# -- playing ---------------------------------------------------------------------------------------


def new_engine(experiment: Experiment) -> Engine:
    """The engine that an experiment asks for. Raises ValueError."""
    if experiment.engine == RAY:
        return Ray(experiment.address, experiment.threads)
    return Threads(experiment.threads)


def prepare(experiment: Experiment, directory: Path, *, force: bool, resume: bool) -> None:
    """Make the results folder ready. Raises ValueError, OSError."""
    several = experiment.kind in (SWEEP, VARIANTS)
    if resume:
        if not (directory / (folder.PARTS if several else folder.MANIFEST)).is_file():
            raise ValueError(f"{directory} holds no run to go on with; start it without --resume")
        if several:
            check_same_experiment(experiment, directory)
        return
    shards = folder.PARTS_DIR if several else folder.GAMES_DIR
    folder.prepare_folder(directory, force=force, shards=shards)
    config.write(directory / folder.CONFIGURATION, experiment)


def check_same_experiment(experiment: Experiment, directory: Path) -> None:
    """Raises ValueError naming what the experiment in a folder, to be gone on with, does otherwise."""
    before = config.experiment(config.read(directory / folder.CONFIGURATION)).identity()
    for key, value in experiment.identity().items():
        if before[key] != value:
            raise ValueError(
                f"{directory} was begun with another configuration: {key} {before[key]!r}, now "
                f"{value!r}; play it anew with --force, or in another folder"
            )


def play(
    runs: Sequence[Part],
    directory: Path,
    *,
    engine: Engine,
    command: str,
    resume: bool,
    on_progress: Callable[[int], None],
    on_damage: Callable[[str], None],
) -> bool:
    """Play all runs into a prepared folder; True if all were finished. Raises ValueError, OSError."""
    if runs[0].place:
        listed = [
            {"name": part.name, "folder": part.place, "values": json_ready(part.values)}
            for part in runs
        ]
        folder.write_json(directory / folder.PARTS, listed)
    for part in runs:
        place = directory / part.place
        begun = (place / folder.MANIFEST).is_file()
        if part.place and not (resume and begun):
            folder.prepare_folder(place, force=False)
        complete = tournament.run(
            part.tournament,
            place,
            engine=engine,
            command=command,
            on_progress=on_progress,
            on_damage=on_damage,
            resume=resume and begun,
        )
        if not complete:
            return False
    return True


# -- the plan --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Estimate:
    """What a run will be: its part, and seconds of play on one worker, as tried."""

    part: Part
    seconds: float


def estimate(runs: Sequence[Part]) -> list[Estimate]:
    """How long each run will take on one worker, from about a second of play of each."""
    return [Estimate(part, _seconds(part.tournament)) for part in runs]


def _seconds(plan: Tournament) -> float:
    """Seconds for all games of a plan, by playing some deals of it after one that compiles."""
    tournament.play_block(_with_block_of(plan, 1), 0)
    played, spent, deals = 0, 0.0, 1
    while spent < TRIAL_SECONDS and played < plan.games:
        trial = _with_block_of(plan, deals)
        start = time.perf_counter()
        tournament.play_block(trial, 0)
        spent += time.perf_counter() - start
        played += trial.block_games
        deals *= 2
    return spent / played * plan.games


def _with_block_of(plan: Tournament, deals: int) -> Tournament:
    """The plan with so many games that a block has this many deals, if it may have so many."""
    return replace(plan, games=deals * tournament.BLOCKS * plan.games_per_deal)


def workers(experiment: Experiment, runs: Sequence[Part]) -> int:
    """Blocks that this machine would play at once; of a cluster, unknown before it is asked."""
    compiled = all(part.tournament.compiled for part in runs)
    return Threads(experiment.threads if compiled else 1).workers


def blocks(runs: Sequence[Part]) -> int:
    """Blocks of all runs."""
    return sum(part.tournament.blocks for part in runs)


def games(runs: Sequence[Part]) -> int:
    """Games of all runs."""
    return sum(part.tournament.games for part in runs)
