"""The command line called in this process, for the many tests that ask what it says."""

import sys

import pytest

from experiments.cli import main


@pytest.fixture
def here(tmp_path, monkeypatch, capsys):
    """``cardgames`` in this process and a folder of its own: (status, standard output and error)."""

    def run(*arguments):
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", ["cardgames", *arguments])
        with pytest.raises(SystemExit) as end:
            main()
        return end.value.code, *capsys.readouterr()

    return run
