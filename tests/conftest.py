"""For all tests: matplotlib without a window, whatever the machine has; kernels compiled once; pictures
drawn fast.
"""

import os
import subprocess
import sys

import pytest

import cardgames_env
from cardgames_env.core import drawing

os.environ.setdefault("MPLBACKEND", "Agg")

WARM_UP = """
import sys
from cardgames_env.core.game import get_game
from experiments.bench import warm_up
for game in sys.argv[1:]:
    warm_up(get_game(game))
"""


def pytest_sessionstart(session):
    """Before all tests are shared out among processes, compile the games, some in each of as many.

    Otherwise every process would compile the same kernels at the same time.
    """
    option = session.config.option
    processes = getattr(option, "numprocesses", None)
    if not isinstance(processes, int) or processes < 2 or option.collectonly:
        return
    if option.file_or_dir or option.keyword:
        return
    games = cardgames_env.games()
    shares = [games[k::processes] for k in range(processes)]
    running = [
        subprocess.Popen([sys.executable, "-c", WARM_UP, *share], stderr=subprocess.DEVNULL)
        for share in shares
    ]
    for process in running:
        process.wait()  # what does not compile, the tests will tell


@pytest.fixture
def rough_pictures(monkeypatch):
    """Pictures without smooth edges, which are drawn ten times as fast."""
    drawing.felt.cache_clear()
    monkeypatch.setattr(drawing, "SCALE", 1)
    yield
    drawing.felt.cache_clear()
