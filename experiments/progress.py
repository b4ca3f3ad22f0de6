"""Progress of a run: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

LINE_EVERY = 10.0  # seconds between plain lines


class Progress:
    """Counts games of a run of ``total``, with games/s and the time left.

    The rate is that since the first games came in: before that, kernels may have been compiled.
    """

    def __init__(self, console: Console, total: int) -> None:
        self.done = 0
        self._first: tuple[float, int] | None = None  # when the first games came in, and how many
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
        self._last_line = time.perf_counter()
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
        if self._first is None:
            self._first = now, games
        if self._bar:
            self._bar.update(self._task, advance=games, rate=self._rate())
        elif now - self._last_line >= LINE_EVERY:
            self._last_line = now
            self._line()

    def _rate(self) -> float:
        """Games a second; 0 as long as it is not known."""
        if self._first is None or self.done == self._first[1]:
            return 0.0
        return (self.done - self._first[1]) / (time.perf_counter() - self._first[0])

    def _line(self) -> None:
        line = f"{self.done:,} of {self._total:,} games"
        rate = self._rate()
        if rate:
            line += f", {rate:,.0f} games/s, {(self._total - self.done) / rate:.0f} s left"
        self._console.print(line, highlight=False)
