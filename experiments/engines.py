"""Where blocks are played: threads of this process, or the workers of a Ray cluster.

An engine plays numbered blocks and gives the results in the order of their numbers, whatever the order
in which they were finished. So files, sequential tests and interruptions are the same for every engine
and every number of workers.
"""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any, Final, Protocol

THREADS: Final = "threads"
RAY: Final = "ray"
ENGINES = (THREADS, RAY)
AHEAD = 2  # blocks handed out for each worker: nobody waits, and few results wait for their turn
POLL = 0.2  # seconds between looks at whether to stop
RAY_RETRIES = 20  # workers that may die over one block

#: What plays a block: ``play(task, block)`` gives its result.
Play = Callable[[Any, int], Any]


class Pool(Protocol):
    """Workers that play the blocks of one task. Jobs are begun in the order of their submission."""

    def submit(self, block: int) -> Any:
        """Hand out a block; returns the job."""

    def is_done(self, job: Any, seconds: float) -> bool:
        """Whether a job is done, waiting for it so long at most."""

    def result(self, job: Any) -> Any:
        """What a job that is done gave; raises what it raised."""

    def cancel(self, job: Any) -> bool:
        """Take a job back, if that is still possible."""


class Engine(ABC):
    """``name`` as in the manifest; ``workers``: blocks that are played at once."""

    name: str
    workers: int

    @abstractmethod
    def pool(self, play: Play, task: Any) -> contextlib.AbstractContextManager[Pool]:
        """The workers, for one task."""

    @abstractmethod
    def close(self) -> None:
        """Give back what the engine holds."""

    def results(
        self, play: Play, task: Any, blocks: Iterable[int], stop: threading.Event
    ) -> Generator[Any, None, None]:
        """``play(task, block)`` for every block, in order; few are handed out ahead.

        Once ``stop`` is set no more are handed out, and the results end with those under way.
        """
        todo = iter(blocks)
        waiting: deque[Any] = deque()
        with self.pool(play, task) as pool:
            try:
                while True:
                    while not stop.is_set() and len(waiting) < AHEAD * self.workers:
                        block = next(todo, None)
                        if block is None:
                            break
                        waiting.append(pool.submit(block))
                    if not waiting:
                        return
                    if pool.is_done(waiting[0], POLL):
                        yield pool.result(waiting.popleft())
                    if stop.is_set():
                        under_way = list(waiting)[: self.workers]
                        later = list(waiting)[self.workers :]
                        waiting = deque(under_way + [job for job in later if not pool.cancel(job)])
            finally:
                for job in waiting:
                    pool.cancel(job)


class Threads(Engine):
    """A pool of threads of this process; compiled games release the GIL."""

    name = THREADS

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers or default_threads()

    @contextlib.contextmanager
    def pool(self, play: Play, task: Any) -> Iterator[Pool]:
        with ThreadPoolExecutor(self.workers) as executor:
            yield _ThreadPool(executor, play, task)

    def close(self) -> None:
        """Threads last as long as their task."""


class _ThreadPool:
    def __init__(self, executor: ThreadPoolExecutor, play: Play, task: Any) -> None:
        self._executor = executor
        self._play = play
        self._task = task

    def submit(self, block: int) -> Any:
        return self._executor.submit(self._play, self._task, block)

    def is_done(self, job: Any, seconds: float) -> bool:
        return bool(wait([job], timeout=seconds).done)

    def result(self, job: Any) -> Any:
        return job.result()

    def cancel(self, job: Any) -> bool:
        return bool(job.cancel())


class Ray(Engine):
    """The workers of a Ray cluster: at ``address``, or a cluster of this machine's for this run.

    A block whose worker dies is played again by another. ``play``, the task and the results are
    pickled. Raises ValueError if Ray is not installed or nothing answers at the address.
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
            if address is not None and "://" not in address and ":" in address:
                _knock(address)  # Ray itself would try for a minute
            ray.init(address=address or "local", **settings)
        except Exception as error:
            reason = (str(error).splitlines() or [type(error).__name__])[0]
            raise ValueError(
                f"no Ray cluster at {address or 'this machine'}: {reason}; start one with "
                "`ray start --head`, or leave --address out"
            ) from None
        there = int(ray.cluster_resources().get("CPU", 1))
        self.workers = min(workers or there, there)

    @contextlib.contextmanager
    def pool(self, play: Play, task: Any) -> Iterator[Pool]:
        yield _RayPool(self._ray, play, task)

    def close(self) -> None:
        """Leave the cluster; one started for this run ends."""
        self._ray.shutdown()


class _RayPool:
    def __init__(self, ray: Any, play: Play, task: Any) -> None:
        self._ray = ray
        self._play = ray.remote(max_retries=RAY_RETRIES)(play)
        self._task = ray.put(task)

    def submit(self, block: int) -> Any:
        return self._play.remote(self._task, block)

    def is_done(self, job: Any, seconds: float) -> bool:
        return bool(self._ray.wait([job], timeout=seconds)[0])

    def result(self, job: Any) -> Any:
        try:
            return self._ray.get(job)
        except self._ray.exceptions.RayTaskError as error:
            raise error.cause from None
        except self._ray.exceptions.RayError as error:
            reason = (str(error).splitlines() or [type(error).__name__])[0]
            raise ValueError(
                f"Ray gave up on a block ({reason}); what was played stays: go on with --resume"
            ) from None

    def cancel(self, job: Any) -> bool:
        self._ray.cancel(job)
        return True


def _knock(address: str) -> None:
    """Raises OSError or ValueError if nothing listens at HOST:PORT."""
    host, _, port = address.rpartition(":")
    socket.create_connection((host, int(port)), timeout=5).close()


def default_threads() -> int:
    """The processors that this process may use."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
