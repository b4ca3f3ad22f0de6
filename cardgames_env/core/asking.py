"""Asking agents that are Python code: what they answer, and how they fail."""

from __future__ import annotations

import contextlib
import ctypes
import threading
import traceback
from queue import Empty, SimpleQueue
from typing import Any

import numpy as np

from cardgames_env.core.game import whole_action
from cardgames_env.core.policy import Player

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
        question = (player, observation, mask, {"action_mask": mask.copy()})
        action, error = _answer(*question) if self._timeout is None else self._in_time(question)
        if error is not None:
            name = type(error).__name__
            message = f"{agent_name(player)} raised {name} in game {number}: {error}"
            trace = "".join(traceback.format_exception(error))
            raise AgentError(message, RAISED, trace) from error
        return whole_action(action)

    def _in_time(self, question: tuple[Any, ...]) -> Answer:
        assert self._timeout is not None
        if self._worker is None:
            self._worker = _Worker()
        try:
            return self._worker.answer(question, self._timeout)
        except Empty:
            self._worker.abandon()
            self._worker = None
            message = f"{agent_name(question[0])} took more than {self._timeout:g} s for a decision"
            raise AgentError(message, TIMEOUT) from None

    def close(self) -> None:
        """End the thread, if there is one."""
        if self._worker is not None:
            self._worker.questions.put(None)
            self._worker = None


def _answer(player: Player, *question: Any) -> Answer:
    """What the agent says, or what it raises."""
    try:
        return player(*question), None
    except (Exception, SystemExit) as error:
        return None, error


class _Abandoned(BaseException):
    """Raised in the thread of an agent that took too long."""


class _Worker:
    """A thread that answers questions in turn."""

    def __init__(self) -> None:
        self.questions: SimpleQueue[tuple[Any, ...] | None] = SimpleQueue()
        self._answers: SimpleQueue[Answer] = SimpleQueue()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def _work(self) -> None:
        with contextlib.suppress(_Abandoned):
            while (question := self.questions.get()) is not None:
                self._answers.put(_answer(*question))

    def answer(self, question: tuple[Any, ...], timeout: float) -> Answer:
        """Raises Empty after ``timeout`` seconds without an answer."""
        self.questions.put(question)
        return self._answers.get(timeout=timeout)

    def abandon(self) -> None:
        """Stop the agent as soon as it comes back to Python code."""
        thread = ctypes.c_ulong(self._thread.ident or 0)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, ctypes.py_object(_Abandoned))
        self.questions.put(None)
