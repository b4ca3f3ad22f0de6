"""The kernel decorator, and the cache that keeps compiled kernels between processes.

numba's own cache looks only at the file that defines a function: it serves stale machine code when a
*called* kernel in another file has changed. Here compiled code lives in a directory named by a hash of
every source file of ``cardgames_env``, of the versions of numba, NumPy and Python, and of the CPU; a
kernel from outside the library (an agent's policy) is keyed by the sources it calls as well, and every
kernel by those that its record types stand for (``note_sources``). Every file carries a checksum: a
damaged or cut one is compiled anew.

The directory is the platform's per-user cache, or ``CARDGAMES_CACHE_DIR``; where nothing can be
written, kernels are compiled in every process. ``NUMBA_DISABLE_JIT=1`` runs all kernels as plain Python.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import inspect
import os
import pickle
import platform
import shutil
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import llvmlite.binding
import numba
import numba.core.errors
import numpy as np
import platformdirs
from numba.core.caching import CompileResultCacheImpl, _Cache, _CacheLocator
from numba.core.dispatcher import Dispatcher

from cardgames_env.core.files import write_whole

LIBRARY_ROOT = Path(__file__).resolve().parent.parent
CACHE_VARIABLE = "CARDGAMES_CACHE_DIR"
USER = os.getuid() if hasattr(os, "getuid") else 0  # Windows: all files belong to 0
MODULE_DEPTH = 4  # package.package.module.name in a kernel: deeper names are not followed
KEPT_CACHES = 8  # directories of earlier sources or other CPUs that are left alone

#: Every kernel: releases the GIL (whole games run in a pool of threads), divides like C, and becomes a
#: part of the kernels that call it. Whole games then run a fifth to a quarter faster: a call hands
#: over seven numbers for each array, and hides from the compiler what the caller knows. They take no
#: longer to compile.
KERNEL_OPTIONS = {"nopython": True, "nogil": True, "error_model": "numpy", "forceinline": True}

# Policies are first-class functions: tried, and settled enough for this library's one use of them.
warnings.filterwarnings(
    "ignore", "First-class function type", numba.core.errors.NumbaExperimentalFeatureWarning
)

#: ``NUMBA_DISABLE_JIT=1``: kernels are plain Python functions.
COMPILER_OFF = bool(numba.config.DISABLE_JIT)

if COMPILER_OFF:
    # Random streams wrap around in uint64 on purpose; NumPy's scalars would warn at every draw.
    np.seterr(over="ignore")


def kernel(function: Callable[..., Any] | None = None, *, signature: Any = None) -> Any:
    """Compile a function with the project's options and its cache.

    ``@kernel`` compiles lazily, for each combination of argument types. ``kernel(f, signature=sig)``
    compiles at once and for that signature alone, which makes ``f`` a first-class function that
    compiled code can receive as an argument.
    """
    if function is None:
        return functools.partial(kernel, signature=signature)
    dispatcher = numba.jit(**KERNEL_OPTIONS)(function)
    if COMPILER_OFF:
        return dispatcher
    dispatcher._cache = KernelCache(function)
    if signature is not None:
        dispatcher.compile(signature)
        dispatcher.disable_compile()
    return dispatcher


def cache_directory() -> Path | None:
    """Where compiled kernels are kept: a directory of this library's sources, versions and CPU.

    None where nothing can be written. Created by the first call.
    """
    return _cache_directory(os.environ.get(CACHE_VARIABLE))


@functools.lru_cache
def _cache_directory(wanted: str | None) -> Path | None:
    for base in _candidates(wanted):
        directory = base / _library_key()
        try:
            new = not directory.exists()
            directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            if directory.stat().st_uid != USER:
                continue  # somebody else's directory could hold anybody's code
            tempfile.TemporaryFile(dir=directory).close()
        except OSError:
            continue
        if new:
            _remove_oldest(base)
        return directory
    return None


def _candidates(wanted: str | None) -> list[Path]:
    if wanted:
        return [Path(wanted)]
    private_temporary = Path(tempfile.gettempdir()) / f"cardgames_env-{USER}"
    return [platformdirs.user_cache_path("cardgames_env"), private_temporary]


def _remove_oldest(base: Path) -> None:
    caches = [path for path in base.iterdir() if path.name.startswith("kernels-")]
    caches.sort(key=lambda path: path.stat().st_mtime, reverse=True)
    for path in caches[KEPT_CACHES:]:
        shutil.rmtree(path, ignore_errors=True)


@functools.lru_cache
def _library_key() -> str:
    digest = hashlib.sha256()
    for path in sorted(LIBRARY_ROOT.rglob("*.py")):
        digest.update(path.relative_to(LIBRARY_ROOT).as_posix().encode())
        digest.update(path.read_bytes())
    versions = [numba.__version__, llvmlite.__version__, np.__version__, sys.version]
    machine = [
        platform.system(),
        platform.machine(),
        llvmlite.binding.get_host_cpu_name(),
        llvmlite.binding.get_host_cpu_features().flatten(),
    ]
    digest.update("\n".join(versions + machine).encode())
    return f"kernels-{digest.hexdigest()[:20]}"


_BEHIND_RECORDS: dict[str, dict[str, Callable[..., Any]]] = {}


def note_sources(record: Any, name: str, function: Callable[..., Any]) -> None:
    """Compiled code for this numba record type calls ``function`` by the stub ``name`` (a verb)."""
    function = getattr(function, "py_func", function)
    _BEHIND_RECORDS.setdefault(str(record), {})[name] = function


def _sources_behind(sig: Any) -> list[str]:
    """The functions, and hashes of their sources, that the record types of a signature stand for."""
    arguments = getattr(sig, "args", sig)  # a Signature, or the tuple of its arguments
    signature = " ".join(str(argument) for argument in arguments)
    found = set()
    for record, functions in _BEHIND_RECORDS.items():
        if record in signature:
            for name, function in functions.items():
                found.add(f"{name} {function.__module__}.{function.__qualname__}")
                found.update(_sources_called(function))
    return sorted(found)


@functools.cache
def _hash_of(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def _hash_of_code(code: CodeType) -> str:
    """A hash of what a function's code does: instructions, names and constants."""
    digest = hashlib.sha256(code.co_code)
    digest.update(repr((code.co_names, code.co_varnames, code.co_freevars)).encode())
    for constant in code.co_consts:
        inner = isinstance(constant, CodeType)
        digest.update((_hash_of_code(constant) if inner else repr(constant)).encode())
    return digest.hexdigest()


@functools.cache
def _sources_called(function: Callable[..., Any]) -> list[str]:
    """Hashes of the files of all kernels that a function reaches by name, and the constants it reads."""
    found: dict[str, str] = {}
    waiting = [function]
    done = set()
    while waiting:
        current = waiting.pop()
        if current in done:
            continue
        done.add(current)
        path = Path(inspect.getfile(current))
        found[str(path)] = _hash_of(path)
        # The code itself, too: a notebook's source is no file, and one file may hold many lambdas.
        found[f"{current.__qualname__} {len(done)}"] = _hash_of_code(current.__code__)
        for name, value in _names_read(current):
            if isinstance(value, Dispatcher):
                waiting.append(value.py_func)
            elif isinstance(value, np.ndarray):
                found[f"{current.__qualname__}.{name}"] = hashlib.sha256(
                    value.tobytes()
                ).hexdigest()
            elif isinstance(value, (int, float, str, np.number, np.dtype)):
                found[f"{current.__qualname__}.{name}"] = repr(value)
    return sorted(found.values())


def _names_read(function: Callable[..., Any]) -> Iterator[tuple[str, Any]]:
    """Globals and closure variables of a function with their values, and what is inside these.

    Inside are the attributes of a module that the function names, and the members of a tuple.
    """
    code = function.__code__
    known = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))
    values = [(n, function.__globals__[n]) for n in code.co_names if n in function.__globals__]
    values += [(n, cell.cell_contents) for n, cell in known.items()]
    while values:
        name, value = values.pop()
        if isinstance(value, ModuleType):
            if name.count(".") < MODULE_DEPTH:  # modules may hold each other
                named = [n for n in code.co_names if n in vars(value)]
                values += [(f"{name}.{n}", vars(value)[n]) for n in named]
        elif isinstance(value, tuple):
            values += [(f"{name}[{k}]", member) for k, member in enumerate(value)]
        yield name, value


class _Locator(_CacheLocator):
    """Satisfies numba's cache machinery; KernelCache names its files itself."""

    def __init__(self, py_file: str) -> None:
        self._py_file = py_file

    def get_cache_path(self) -> str:
        return str(cache_directory())

    def get_source_stamp(self) -> None:
        return None

    def get_disambiguator(self) -> str:
        return ""

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> _Locator:
        return cls(py_file)


class _CompileResults(CompileResultCacheImpl):
    _locator_classes = [_Locator]


class KernelCache(_Cache):
    """One file per kernel and signature: a SHA-256 checksum, then the pickled compile result."""

    announced = False

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._results = _CompileResults(function)
        self._enabled = True

    @property
    def cache_path(self) -> str:
        return str(cache_directory())

    def enable(self) -> None:
        self._enabled = True

    def disable(self) -> None:
        self._enabled = False

    def flush(self) -> None:
        """Nothing to do: a file that is not wanted is never looked up."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        target_context.refresh()
        if self._enabled and cache_directory() is not None:
            # Whatever is wrong with a file (cut, damaged, of a function whose module cannot be
            # imported here), compiling anew puts it right.
            with contextlib.suppress(Exception):
                stored = self._path(sig).read_bytes()
                checksum, payload = stored[:32], stored[32:]
                if hashlib.sha256(payload).digest() == checksum:
                    return self._results.rebuild(target_context, pickle.loads(payload))
        self._announce()
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        if not self._enabled or cache_directory() is None:
            return
        if not self._results.check_cachable(data):
            return
        payload = pickle.dumps(self._results.reduce(data), protocol=pickle.HIGHEST_PROTOCOL)
        # A full disk costs the next process its compile time, nothing else.
        with contextlib.suppress(OSError):
            write_whole(self._path(sig), hashlib.sha256(payload).digest() + payload)

    def _path(self, sig: Any) -> Path:
        directory = cache_directory()
        assert directory is not None
        function = self._function
        parts = [function.__module__, function.__qualname__, str(sig)]
        parts += [*_sources_called(function), *_sources_behind(sig)]
        digest = hashlib.sha256("\n".join(parts).encode()).hexdigest()
        return directory / f"{function.__name__}-{digest[:24]}.kernel"

    @classmethod
    def _announce(cls) -> None:
        if KernelCache.announced:
            return
        KernelCache.announced = True
        where = cache_directory()
        kept = f"kept in {where}" if where else "no cache folder can be written"
        print(f"cardgames_env: compiling kernels, once ({kept}) …", file=sys.stderr, flush=True)
