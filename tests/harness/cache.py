# SPDX-License-Identifier: GPL-2.0
"""The cache folder, in which fetched and built files stay between runs."""

import contextlib
import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path


def cache_dir() -> Path:
    """Returns the cache folder ($LIMPET_CACHE, or ~/.cache/limpet). Makes it if it is missing."""
    path = Path(os.environ.get("LIMPET_CACHE") or Path.home() / ".cache/limpet")
    path.mkdir(parents=True, exist_ok=True)
    return path.resolve()


@contextlib.contextmanager
def locked(name: str):
    """Holds the lock CACHE/NAME.lock, so that two processes do not make the same files."""
    with open(cache_dir() / f"{name}.lock", "w") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"waiting for another process that holds {handle.name}")
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def say(text: str) -> None:
    """Prints a line of progress to stderr, because stdout is for results."""
    print(f"  {text}", file=sys.stderr, flush=True)


def command(*words, **options) -> str:
    """Runs a program and returns its stdout. A failure shows all of its output."""
    done = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, **options)
    if done.returncode:
        sys.stderr.write(done.stdout)
        raise RuntimeError(f"`{' '.join(map(str, words))}` failed ({done.returncode})")
    return done.stdout


def publish(temporary: Path, final: Path) -> None:
    """Renames a finished folder, so that readers see all of it or nothing."""
    if final.exists():
        shutil.rmtree(final)
    temporary.rename(final)
