"""Asking agents that are Python code: what they answer, and how they fail."""

from __future__ import annotations

import contextlib
import ctypes
import threading
import traceback
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Any

import numpy as np

from cardgames_env.core.game import whole_action
from cardgames_env.core.policy import Agent, Player

#: How an agent can fail, and the numbers of these kinds in arrays; 0 is none of them.
RAISED, TIMEOUT, ILLEGAL = 1, 2, 3
FAILURES = {RAISED: "raised", TIMEOUT: "timeout", ILLEGAL: "illegal"}

#: An action and None, or None and what was raised.
Answer = tuple[Any, BaseException | None]


class AgentError(RuntimeError):
    """An agent that raised an exception, took too long, or chose an illegal action.

    ``kind``: RAISED, TIMEOUT or ILLEGAL; ``trace``: the traceback where it raised, or "".
    """

    def __init__(self, message: str, kind: int = ILLEGAL, trace: str = "") -> None:
        super().__init__(message)
        self.kind = kind
        self.trace = trace


def agent_name(player: Player) -> str:
    """What to call an agent in messages and tables."""
    return str(getattr(player, "name", None) or getattr(player, "__name__", type(player).__name__))


class Asker:
    """Asks Python agents, one after the other, each for at most ``timeout`` seconds (None: as it takes).

    With a limit an agent is asked in a thread of its own. One that does not answer in time is told to
    stop by an exception and left behind: code that never returns to Python cannot be stopped, only
    abandoned, and what such an agent holds must not be used again.
    """

    def __init__(self, timeout: float | None = None) -> None:
        self._timeout = timeout
        self._worker: _Worker | None = None

    def ask(self, player: Player, observation: np.ndarray, mask: np.ndarray, number: int) -> int:
        """The choice of an agent in game ``number``; −1 for what is no whole number.

        Raises AgentError if it raises or takes too long.
        """
        info = {"action_mask": mask.copy()}
        return whole_action(self._call(player, player, (observation, mask, info), number))

    def reset(self, player: Player, key: int, number: int) -> None:
        """Tell an agent that has ``reset`` of game ``number``. Raises AgentError likewise."""
        if hasattr(player, "reset"):
            self._call(player, player.reset, (key,), number)

    def _call(
        self, player: Player, call: Callable[..., Any], given: tuple[Any, ...], number: int
    ) -> Any:
        if self._timeout is None or isinstance(player, Agent):  # compiled code cannot be stopped
            answer, error = _answer(call, given)
        else:
            if self._worker is None:
                self._worker = _Worker()
            try:
                answer, error = self._worker.answer(call, given, self._timeout)
            except Empty:
                self._worker.abandon()
                self._worker = None
                message = (
                    f"{agent_name(player)} took more than {self._timeout:g} s in game {number}"
                )
                raise AgentError(message, TIMEOUT) from None
        if error is not None:
            name = type(error).__name__
            message = f"{agent_name(player)} raised {name} in game {number}: {_text(str, error)}"
            raise AgentError(message, RAISED, _text(_trace, error)) from error
        return answer

    def close(self) -> None:
        """End the thread, if there is one."""
        if self._worker is not None:
            self._worker.questions.put(None)
            self._worker = None


def _answer(call: Callable[..., Any], given: tuple[Any, ...]) -> Answer:
    """What the agent says, or what it raises."""
    try:
        return call(*given), None
    except (Exception, SystemExit) as error:
        return None, error


def _trace(error: BaseException) -> str:
    return "".join(traceback.format_exception(error))


def _text(tell: Callable[[BaseException], str], error: BaseException) -> str:
    """What can be told of an error, and written to a file, even if its own code fails."""
    try:
        text = tell(error)
    except Exception:
        text = "(it cannot be told)"
    return text.encode(errors="backslashreplace").decode()


class _Abandoned(BaseException):
    """Raised in the thread of an agent that took too long."""


class _Worker:
    """A thread that answers questions in turn."""

    def __init__(self) -> None:
        self.questions: SimpleQueue[tuple[Callable[..., Any], tuple[Any, ...]] | None]
        self.questions = SimpleQueue()
        self._answers: SimpleQueue[Answer] = SimpleQueue()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def _work(self) -> None:
        with contextlib.suppress(_Abandoned):
            while (question := self.questions.get()) is not None:
                try:
                    answer = _answer(*question)
                except _Abandoned:
                    raise
                except BaseException as error:  # nobody else would hear of it in this thread
                    answer = None, error
                self._answers.put(answer)

    def answer(self, call: Callable[..., Any], given: tuple[Any, ...], timeout: float) -> Answer:
        """Raises Empty after ``timeout`` seconds without an answer."""
        self.questions.put((call, given))
        return self._answers.get(timeout=timeout)

    def abandon(self) -> None:
        """Stop the agent as soon as it comes back to Python code."""
        thread = ctypes.c_ulong(self._thread.ident or 0)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, ctypes.py_object(_Abandoned))
        self.questions.put(None)
