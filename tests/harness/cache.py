# SPDX-License-Identifier: GPL-2.0
"""The cache folder: where fetched and built things live between runs."""

import contextlib
import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path


def cache_dir() -> Path:
    """The cache folder ($LIMPET_CACHE, or ~/.cache/limpet), made if missing."""
    path = Path(os.environ.get("LIMPET_CACHE") or Path.home() / ".cache/limpet")
    path.mkdir(parents=True, exist_ok=True)
    return path.resolve()


@contextlib.contextmanager
def locked(name: str):
    """Hold the lock CACHE/NAME.lock: two processes never make the same thing."""
    with open(cache_dir() / f"{name}.lock", "w") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"waiting for another process that holds {handle.name}")
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def say(text: str) -> None:
    """One line of progress, on stderr so that stdout stays for answers."""
    print(f"  {text}", file=sys.stderr, flush=True)


def command(*words, **options) -> str:
    """Run a program, return its stdout; a failure shows all that it said."""
    done = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, **options)
    if done.returncode:
        sys.stderr.write(done.stdout)
        raise RuntimeError(f"`{' '.join(map(str, words))}` failed ({done.returncode})")
    return done.stdout


def publish(temporary: Path, final: Path) -> None:
    """Rename a finished folder into place: readers see all of it or nothing."""
    if final.exists():
        shutil.rmtree(final)
    temporary.rename(final)
