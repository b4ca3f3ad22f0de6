"""For all tests: matplotlib without a window, whatever the machine has."""

import os

os.environ.setdefault("MPLBACKEND", "Agg")
