"""Progress of a run: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

LINE_EVERY = 10.0  # seconds between plain lines


class Progress:
    """Counts games of a run of ``total``, with games/s and the time left."""

    def __init__(self, console: Console, total: int) -> None:
        self.done = 0
        self._console = console
        self._total = total
        self._bar: Bar | None = None
        if console.is_terminal:
            self._bar = Bar(
                TextColumn("{task.completed:,.0f} of {task.total:,.0f} games"),
                BarColumn(),
                TextColumn("{task.fields[rate]:,.0f} games/s"),
                TimeElapsedColumn(),
                TextColumn("· left"),
                TimeRemainingColumn(),
                console=console,
            )
            self._task = self._bar.add_task("", total=total, rate=0.0)

    def __enter__(self) -> Progress:
        self._start = self._last_line = time.perf_counter()
        if self._bar:
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar:
            self._bar.stop()
        elif self.done:
            self._line()

    def advance(self, games: int) -> None:
        """So many games more are finished."""
        self.done += games
        now = time.perf_counter()
        if self._bar:
            self._bar.update(self._task, advance=games, rate=self.done / (now - self._start))
        elif now - self._last_line >= LINE_EVERY:
            self._last_line = now
            self._line()

    def _line(self) -> None:
        seconds = time.perf_counter() - self._start
        rate = self.done / seconds
        left = (self._total - self.done) / rate
        self._console.print(
            f"{self.done:,} of {self._total:,} games, {rate:,.0f} games/s, {left:.0f} s left",
            highlight=False,
        )
