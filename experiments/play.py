"""A person at the table, and recorded games told again: the text interface."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np

from cardgames_env.core.aec import AECGame
from cardgames_env.core.asking import AgentError, Asker
from cardgames_env.core.files import write_whole
from cardgames_env.core.game import Game
from cardgames_env.core.policy import reset_players, seat_players
from cardgames_env.core.replay import Replay
from experiments.lineup import Contestant


class Narrator:
    """Tells what happens at a table, as one seat sees it."""

    def __init__(self, env: AECGame, seat: int, names: Sequence[str]) -> None:
        players = len(env.possible_agents)
        if not 0 <= seat < players:
            raise ValueError(f"--seat must be 0 … {players - 1}, got {seat}")
        self._env = env
        self._agent = env.possible_agents[seat]
        self.names = [*names[seat:], *names[:seat]]
        self._last = env.view(self._agent)

    def tell(self) -> list[str]:
        """What has happened since the last call, a sentence each."""
        before, self._last = self._last, self._env.view(self._agent)
        return self._env.game.describe(before, self._last, self.names)

    def board(self) -> str:
        return self._env.game.render_text(self._last, self.names)


def play_game(
    game: Game,
    options: Mapping[str, Any],
    opponents: Sequence[Contestant],
    *,
    seat: int,
    seed: int | None,
    record: Path | None,
) -> None:
    """A game of a person at ``seat`` against agents, on standard input and output."""
    if record is not None:
        write_whole(record, b"")  # better told now than after the game
    env = AECGame(game, end_on_illegal=False, **options)
    env.reset(seed=seed)
    players = len(env.possible_agents)
    others = [(seat + k) % players for k in range(1, players)]
    names = list(env.possible_agents)
    for other, contestant in zip(others, opponents, strict=True):
        names[other] = f"{contestant.label} ({other})"
    narrator = Narrator(env, seat, names)
    seated = seat_players([contestant.player for contestant in opponents])
    replay = env.replay()
    reset_players(seated, replay.seed, replay.number, others)
    player_at = dict(zip(others, seated, strict=True))
    click.echo(f"{game.title}, seed {replay.seed}. Type a move, ? for the moves, q to stop.")
    try:
        while not env.terminations[env.agent_selection]:
            p = env.possible_agents.index(env.agent_selection)
            observation = env.observe(env.agent_selection)
            mask = observation["action_mask"]
            if p == seat:
                click.echo("\n" + narrator.board())
                env.step(ask_person(game, mask))
            else:
                action = Asker().ask(player_at[p], observation["observation"], mask, replay.number)
                if not 0 <= action < len(mask) or not mask[action]:
                    raise AgentError(f"{names[p]} chose the illegal action {action}")
                env.step(action)
            for sentence in narrator.tell():
                click.echo(sentence)
        click.echo("\n" + narrator.board())
        click.echo(final_scores(env, names))
    except StopPlaying:
        click.echo("Stopped.")
    finally:
        if record is not None:
            env.replay().save(record)
            click.echo(f"Recorded: {record}")


class StopPlaying(Exception):  # noqa: N818 (no error)
    """The person wants to stop."""


MOVES_SHOWN = 12  # of a longer list, the first ones and the last


def ask_person(game: Game, mask: np.ndarray) -> int:
    """Ask until a legal move is given, by its name, its end or a beginning (see ``meant_moves``)."""
    moves = {int(action): game.action_name(int(action)) for action in np.flatnonzero(mask)}
    while True:
        try:
            answer = input("your move> ").strip().lower()
        except (EOFError, KeyboardInterrupt):
            click.echo()
            raise StopPlaying from None
        if answer in ("q", "quit"):
            raise StopPlaying
        if answer in ("", "?"):
            click.echo(f"moves: {listed(list(moves.values()))}")
            continue
        meant = meant_moves(answer, moves)
        if len(meant) == 1:
            return meant[0]
        if meant:
            click.echo(f"{answer!r} may be {listed([moves[a] for a in meant])}")
        else:
            click.echo(
                f"{answer!r} is not a move you can make; moves: {listed(list(moves.values()))} "
                "(q to stop)"
            )


def listed(names: Sequence[str]) -> str:
    """Names of moves, the middle of a long list left out."""
    if len(names) <= MOVES_SHOWN:
        return ", ".join(names)
    return f"{', '.join(names[: MOVES_SHOWN - 1])}, … {names[-1]} ({len(names)} in all)"


def meant_moves(answer: str, moves: Mapping[int, str]) -> list[int]:
    """The moves that an answer may mean: those of its name; or else whose name ends with its words; or
    else begins with them. ``3x5``, ``3 5`` and ``three 5s`` all are ``announce 3 x 5``."""
    given = words_of(answer)
    if not given:
        return []
    names = {action: words_of(name) for action, name in moves.items()}
    for fits in (
        lambda name: name == given,
        lambda name: name[-len(given) :] == given,
        lambda name: name[: len(given)] == given,
        lambda name: " ".join(name).startswith(" ".join(given)),
    ):
        if meant := [action for action, name in names.items() if fits(name)]:
            return meant
    return []


def words_of(text: str) -> list[str]:
    """Words and numbers, a number word as a number, without the "x" between numbers and a plural s."""
    numbers = {name: str(n) for n, name in enumerate(NUMBER_WORDS)}
    words = re.findall(r"[a-z]+|\d+", text.lower())
    return [numbers.get(word, word) for word in words if word not in ("x", "s")]


NUMBER_WORDS = (
    "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve",
)  # fmt: skip


def final_scores(env: AECGame, names: Sequence[str]) -> str:
    """Places and points of a finished game, a line a player."""
    infos = [env.infos[agent] for agent in env.possible_agents]
    order = sorted(range(len(names)), key=lambda p: infos[p]["rank"])
    lines = [f"{infos[p]['rank']}. {names[p]}: {infos[p]['score']} points" for p in order]
    return "\n".join(lines)


def tell_replay(replay: Replay, *, seat: int, boards: bool) -> None:
    """Print a recorded game as one seat saw it. Raises ReplayError where the rules refuse it."""
    steps = replay.steps()
    env = next(steps)
    names = env.possible_agents
    narrator = Narrator(env, seat, names)
    click.echo(f"{replay.game}, seed {replay.seed}, game {replay.number}, as {names[seat]} saw it")
    click.echo("\n" + narrator.board() + "\n")
    for _ in steps:
        sentences = narrator.tell()
        for sentence in sentences:
            click.echo(sentence)
        if boards and sentences:
            click.echo("\n" + narrator.board() + "\n")
    if env.terminations[env.agent_selection]:
        click.echo("\n" + final_scores(env, names))
    else:
        click.echo(f"\nThe recording ends here; {env.agent_selection} is to act.")
