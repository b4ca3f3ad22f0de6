"""For all tests: matplotlib without a window, whatever the machine has; and pictures drawn fast."""

import os

import pytest

from cardgames_env.core import drawing

os.environ.setdefault("MPLBACKEND", "Agg")


@pytest.fixture
def rough_pictures(monkeypatch):
    """Pictures without smooth edges, which are drawn ten times as fast."""
    drawing.felt.cache_clear()
    monkeypatch.setattr(drawing, "SCALE", 1)
    yield
    drawing.felt.cache_clear()
