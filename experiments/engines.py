"""Where blocks are played: threads of this process, or the workers of a Ray cluster.

An engine plays numbered blocks and gives the results in the order of their numbers, whatever the order
in which they were finished. So files, sequential tests and interruptions are the same for every engine
and every number of workers.
"""

from __future__ import annotations

import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")

THREADS: Final = "threads"
RAY: Final = "ray"
ENGINES = (THREADS, RAY)
AHEAD = 2  # blocks handed out for each worker: nobody waits, and few results wait for their turn
POLL = 0.2  # seconds between looks at whether to stop
RAY_RETRIES = 20  # workers that may die over one block


class Engine(Protocol):
    """``name`` as in the manifest; ``workers`` that play at once."""

    name: str
    workers: int

    def results(
        self,
        play: Callable[[Task, int], Result],
        task: Task,
        blocks: Iterable[int],
        stop: threading.Event,
    ) -> Generator[Result, None, None]:
        """``play(task, block)`` for every block, in order; few are handed out ahead.

        Once ``stop`` is set no more are handed out, and the results end with those under way.
        """


class Threads:
    """A pool of threads of this process; compiled games release the GIL."""

    name = THREADS

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers or default_threads()

    def results(
        self,
        play: Callable[[Task, int], Result],
        task: Task,
        blocks: Iterable[int],
        stop: threading.Event,
    ) -> Generator[Result, None, None]:
        """As ``Engine.results``."""
        todo = iter(blocks)
        waiting: deque[Future[Result]] = deque()
        with ThreadPoolExecutor(self.workers) as pool:
            try:
                while True:
                    while not stop.is_set() and len(waiting) < AHEAD * self.workers:
                        block = next(todo, None)
                        if block is None:
                            break
                        waiting.append(pool.submit(play, task, block))
                    if not waiting or waiting[0].cancelled():
                        return
                    try:
                        result = waiting[0].result(timeout=POLL)
                    except NotYet:
                        if waiting[0].done():
                            raise  # the block's own
                    else:
                        waiting.popleft()
                        yield result
                    if stop.is_set():
                        for future in waiting:
                            future.cancel()  # those under way cannot be, and are finished
            finally:
                for future in waiting:
                    future.cancel()


class Ray:
    """The workers of a Ray cluster: at ``address``, or a cluster of this machine's for this run.

    A block whose worker dies is played again by another. Raises ValueError if Ray is not installed or
    nothing answers at the address.
    """

    name = RAY

    def __init__(self, address: str | None = None, workers: int | None = None) -> None:
        try:
            import ray
        except ImportError:
            raise ValueError(
                "engine ray needs Ray: python -m pip install 'cardgames_env[cluster]'"
            ) from None
        self._ray = ray
        # Workers import the modules of a user's own agents from the current folder, as we do.
        folders = [str(Path.cwd()), *filter(None, os.environ.get("PYTHONPATH", "").split(":"))]
        settings: dict[str, Any] = {
            "runtime_env": {"env_vars": {"PYTHONPATH": ":".join(folders)}},
            "log_to_driver": False,
            "logging_level": "ERROR",
        }
        if address is None:
            settings |= {
                "num_cpus": workers or default_threads(),
                "include_dashboard": False,
                "_node_ip_address": "127.0.0.1",
            }
        try:
            ray.init(address=address or "local", **settings)
        except Exception as error:
            reason = (str(error).splitlines() or [type(error).__name__])[0]
            raise ValueError(
                f"no Ray cluster at {address or 'this machine'}: {reason}; start one with "
                "`ray start --head`, or leave --address out"
            ) from None
        there = int(ray.cluster_resources().get("CPU", 1))
        self.workers = min(workers or there, there)

    def results(
        self,
        play: Callable[[Task, int], Result],
        task: Task,
        blocks: Iterable[int],
        stop: threading.Event,
    ) -> Generator[Result, None, None]:
        """As ``Engine.results``; ``play``, the task and results are pickled."""
        ray = self._ray
        remote = ray.remote(max_retries=RAY_RETRIES)(play)
        shared = ray.put(task)
        todo = iter(blocks)
        waiting: deque[Any] = deque()
        try:
            while True:
                while not stop.is_set() and len(waiting) < AHEAD * self.workers:
                    block = next(todo, None)
                    if block is None:
                        break
                    waiting.append(remote.remote(shared, block))
                if not waiting:
                    return
                finished, _ = ray.wait([waiting[0]], timeout=POLL)
                if finished:
                    try:
                        result = ray.get(waiting[0])
                    except ray.exceptions.TaskCancelledError:
                        return
                    except ray.exceptions.RayTaskError as error:
                        raise error.cause from None
                    waiting.popleft()
                    yield result
                if stop.is_set():
                    while len(waiting) > self.workers:
                        ray.cancel(waiting.pop())
        finally:
            for reference in waiting:
                ray.cancel(reference)

    def close(self) -> None:
        """Leave the cluster; one started for this run ends."""
        self._ray.shutdown()


def default_threads() -> int:
    """The processors that this process may use."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
