"""Decision studies: for each game, which decisions are tried out, and what is made of the results.

A study is run as an experiment of its own (``experiments.alternatives`` says how decisions are valued);
``analyse`` turns its folder into tables and pictures.
"""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path

from cardgames_env.core.game import get_game
from experiments import studies as package
from experiments.statistics import read_manifest
from experiments.studies.study import Study, StudyResult, Table, study_rows

__all__ = ["Study", "StudyResult", "Table", "analyse", "get", "studies"]


def studies(game: str) -> dict[str, Study]:
    """The studies of a game (an id or a name) by name. Raises ValueError for an unknown game."""
    name = get_game(game).name
    modules = {module.name for module in pkgutil.iter_modules(package.__path__)}
    own = importlib.import_module(f"experiments.studies.{name}").STUDIES if name in modules else ()
    return {study.name: study for study in own}


def get(game: str, name: str) -> Study:
    """A study by name. Raises ValueError naming those there are."""
    known = studies(game)
    if name not in known:
        raise ValueError(
            f"{get_game(game).id} has no study {name!r}; studies: {', '.join(known) or 'none'}"
        )
    return known[name]


def analyse(directory: Path) -> StudyResult:
    """Evaluate the study in a results folder, finished or not.

    ``manifest.json`` there names the game, the agents and the study. Raises ResultsError for a
    folder without these or without rows, ValueError for a study that there is not.
    """
    manifest = read_manifest(directory)
    study = get(manifest["game"], str(manifest.get("study")))
    tables, figures = study.evaluate(study_rows(directory, study.columns))
    return StudyResult(study.title, study.asks, tables, figures)
