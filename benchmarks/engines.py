"""What it costs to hand a block to another process: the engines compared, over sizes of blocks.

    python benchmarks/engines.py [--workers 2] [--rounds 5]

Needs Ray (the extra `cluster`). Blocks of Dicht dran between two quick agents are played by both engines
with as many workers, in turns; nothing is written. The cost of Ray is the median over the rounds of the
difference between its time for a block and that of threads. It includes pickling the rows.
"""

from __future__ import annotations

import argparse
import statistics
import threading
import time
from collections.abc import Sequence
from dataclasses import replace

from experiments.engines import Engine, Ray, Threads
from experiments.lineup import contestants
from experiments.tournament import BLOCKS, Tournament, plan, play_block

SIZES = (4, 100, 1000, 10_000, 25_000)  # games of a block
SECONDS = 2.0  # about, of play for each figure


def with_blocks_of(tournament: Tournament, games: int) -> Tournament:
    """The same with blocks of so many games."""
    return replace(tournament, games=games * BLOCKS)


def seconds_a_block(engine: Engine, tournament: Tournament, blocks: int) -> float:
    """Seconds for a block, all workers together."""
    start = time.perf_counter()
    for _ in engine.results(play_block, tournament, range(blocks), threading.Event()):
        pass
    return (time.perf_counter() - start) / blocks


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    chosen = parser.parse_args(arguments)
    agents = contestants("dicht_dran_v0", ["closest", "balanced"])
    tournament = plan("dicht_dran_v0", {}, agents, games=4 * BLOCKS, seed=1)
    threads: Engine = Threads(chosen.workers)
    ray = Ray(workers=chosen.workers)
    print("| games of a block | threads, ms a block | ray, ms a block | ray costs, ms |")
    print("| ---: | ---: | ---: | ---: |")
    for size in SIZES:
        sized = with_blocks_of(tournament, size)
        for engine in (threads, ray):  # every worker compiles, or loads what is compiled
            seconds_a_block(engine, sized, 4 * chosen.workers)
        blocks = max(8, min(BLOCKS, int(SECONDS / seconds_a_block(threads, sized, 8))))
        times = [
            (seconds_a_block(threads, sized, blocks), seconds_a_block(ray, sized, blocks))
            for _ in range(chosen.rounds)
        ]
        one, other = (1000 * statistics.median(column) for column in zip(*times, strict=True))
        cost = 1000 * statistics.median(b - a for a, b in times)
        print(f"| {size:,} | {one:.2f} | {other:.2f} | {cost:.2f} |", flush=True)
    ray.close()


if __name__ == "__main__":
    main()
