# SPDX-License-Identifier: GPL-2.0
"""Boots a kernel under QEMU, follows the guest, and ends it in bounded time.

    python3 -m tests.harness.qemu --kernel 6.1 --file a:/b --script run.sh
"""

import contextlib
import dataclasses
import json
import os
import re
import select
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from . import saved
from .console import splat
from .initramfs import Initramfs
from .kernels import fetch
from .machine import Machine
from .monitor import Monitor
from .slots import slot
from .stream import Pipe, Socket
from .verdict import whole

LOGS = Path(os.environ.get("LIMPET_LOGS") or Path(__file__).parents[2] / "build/logs")

#: Limits of the output after the first sign of an error: seconds in total, and seconds of silence.
REPORT_MAX, REPORT_SILENCE = 15, 2
#: Maximum seconds for the boot of a guest whose state is saved. It takes 3 to 40 s unless the machine is loaded.
SAVE_MAX = 480
#: Maximum seconds from the end of an emulator's output to its own end.
DYING_MAX = 2


@dataclasses.dataclass
class Result:
    """The result of a run."""

    console: str
    records: list
    reason: str        # "poweroff", or the reason why the run ended
    elapsed: float
    log: Path
    registers: str = ""
    status: int | None = None   # status of the script; None if it did not end
    trouble: str | None = None  # the first sign of an error on the console
    trouble_at: int = 0         # number of the records that had arrived before it

    @property
    def ok(self) -> bool:
        """Returns whether the guest powered off itself, the script succeeded, and no verdict was bad."""
        bad = any(record.get("ok") is False for record in self.records)
        return self.reason == "poweroff" and self.status == 0 and not bad

    def faults(self) -> list[str]:
        """Returns all reasons why a script with verdicts (guest/verdict.sh) has not passed. The list is empty for a pass.

        Unlike `ok`, this requires that all verdicts arrived, and that there was one.
        """
        ended = [] if self.reason == "poweroff" else [f"guest ended by: {self.reason}"]
        return ended + whole(self.records, self.status).faults()

    def report(self) -> str:
        """Describes a failure: the reason, the last console lines, the registers."""
        lines = "\n".join(self.console.splitlines()[-60:])
        text = f"{self.reason} after {self.elapsed:.1f} s, script status {self.status}\n"
        text += "".join(f"  {json.dumps(record)}\n" for record in self.records if record.get("ok") is False)
        text += f"--- console, last lines of {self.log}\n{lines}\n"
        return text + (f"--- registers\n{self.registers}\n" if self.registers else "")


class Guest:
    """A running guest: `with Guest(machine, initramfs, name) as guest: ...`"""

    def __init__(self, machine: Machine, initramfs: Initramfs, name: str) -> None:
        self.machine, self.name = machine, name
        self.kernel = machine.kernel
        if isinstance(self.kernel, str):
            self.kernel = fetch(self.kernel)
        self.initramfs = initramfs
        self.lines: list[str] = []
        self.records: list[dict] = []
        self.trouble: str | None = None
        self.records_before_trouble = 0
        self.state: saved.State | None = None    # the state from which it continues; None: it boots
        self.on_line = None              # called with each console line
        self.abort = lambda: False       # called regularly; True ends the run
        self.folder: Path | None = None  # for its pipes and sockets
        self._open = contextlib.ExitStack()

    def __enter__(self) -> "Guest":
        with self._open:
            folder = self.folder = Path(self._open.enter_context(tempfile.TemporaryDirectory(prefix="limpet-")))
            # Making the state takes and releases a slot, so this comes first.
            self.state = self._open.enter_context(saved.held(self.machine, self.kernel, self._save)) \
                if saved.usable(self.machine) else None
            self.initramfs.write(folder / "initramfs", saved.base() if self.state else None)
            self._prepare(folder)
            LOGS.mkdir(parents=True, exist_ok=True)
            self.log_path = LOGS / f"{self.name}.log"
            self._log = self._open.enter_context(open(self.log_path, "w", errors="replace"))
            self._open.enter_context(self._slot())
            self._start(folder)
            self._open = self._open.pop_all()
        return self

    def __exit__(self, *_) -> None:
        self._open.close()

    def wait(self, until, timeout: float | None = None) -> bool:
        """Follows the guest until `until()` holds. Returns False if the guest ended or the time has passed."""
        end = self.deadline
        if timeout is not None:
            end = min(end, time.monotonic() + timeout)
        while not until():
            if self.over() or time.monotonic() > end:
                return False
            self.follow(0.1)
        return True

    def wait_console(self, pattern: str, timeout: float | None = None) -> bool:
        """Follows the guest until a new console line matches a regular expression."""
        seen = len(self.lines)
        return self.wait(lambda: any(re.search(pattern, line) for line in self.lines[seen:]), timeout)

    def wait_record(self, key: str, value=None, timeout: float | None = None) -> bool:
        """Follows the guest until a verdict record has a key (with a value)."""
        return self.wait(lambda: any(key in record and value in (None, record[key]) for record in self.records),
                         timeout)

    def forwarded(self, where: str) -> int:
        """Returns the TCP port of 127.0.0.1 that leads to an entry of Machine.forward."""
        address, _, port = where.rpartition(":")
        seen = self.monitor.human("info usernet")
        found = re.search(rf"HOST_FORWARD\]\s+\d+\s+127\.0\.0\.1\s+(\d+)\s+{re.escape(address)}\s+{port}\s", seen)
        if not found:
            raise RuntimeError(f"nothing leads to {where}:\n{seen}")
        return int(found[1])

    def follow(self, timeout: float) -> None:
        """Reads the guest's output within a time."""
        select.select([stream for stream in (self.console, self.verdicts) if not stream.closed], [], [], timeout)
        for line in self.console.read_lines(0):
            self._take_line(line)
        for line in self.verdicts.read_lines(0):
            if self.machine.firmware and not self.records and not line.startswith("{"):
                continue
            self.records.append(_parsed(line))
            self._note(f"> {line}")
        self.monitor.poll()

    def over(self) -> bool:
        """Returns whether the guest has stopped, or has had an error and printed its report."""
        if self.monitor.shutdown() or self.console.closed or self.abort():
            return True
        now = time.monotonic()
        return bool(self.trouble and self.machine.watch and (
            now > self._trouble_at + REPORT_MAX or now > self._heard_at + REPORT_SILENCE))

    def finish(self) -> Result:
        """Follows the guest to its end, in bounded time. Returns the result."""
        self.wait(lambda: False)
        stopped = self.monitor.shutdown()
        self.follow(0)
        while self.console.raw or self.verdicts.raw:
            self.follow(0.05)
        status = next((record["exit"] for record in self.records if "exit" in record), None)
        reason = "poweroff" if stopped == "guest-shutdown" else stopped or self._last_words()
        if not stopped and not self.console.closed:
            reason = f"timeout of {self.machine.timeout:.0f} s"
        if self.trouble and self.machine.watch:
            reason = self.trouble
        registers = "" if reason == "poweroff" else self._registers()
        return Result("\n".join(self.lines), self.records, reason, time.monotonic() - self.started, self.log_path,
                      registers, status, self.trouble if self.machine.watch else None, self.records_before_trouble)

    def _last_words(self) -> str:
        """Returns the reason for an emulator that ended by itself: the signal that killed it, and its messages."""
        until = time.monotonic() + DYING_MAX
        while not (ended := os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)):
            if time.monotonic() > until:
                break
            time.sleep(0.01)
        killed = ended and ended.si_code in (os.CLD_KILLED, os.CLD_DUMPED)
        died = f"died of {signal.Signals(ended.si_status).name}" if killed else "died"
        self.errors.seek(0)
        return f"{self.machine.emulator} {died}: {self.errors.read().strip()[-500:]}".rstrip(": ")

    def _slot(self) -> contextlib.AbstractContextManager:
        return slot()

    def _prepare(self, folder: Path) -> None:
        """Prepares files that the emulator needs, before the run holds a slot."""

    def _start(self, folder: Path) -> None:
        self._open_streams(folder)
        monitor = Socket(folder / "qmp")
        self._open.callback(monitor.close)
        root = folder / "initramfs"
        start = self.state.restore_words(self.machine, root) if self.state else \
            self.machine.boot_words(self.kernel, root)
        self._launch(folder, [*self.machine.words(folder), *start])
        try:
            monitor.accept(20)
        except TimeoutError:
            self.errors.seek(0)
            raise RuntimeError(f"QEMU does not start: {self.errors.read()}") from None
        self.monitor = Monitor(monitor)
        if self.state:
            self._restore(self.state)

    def _open_streams(self, folder: Path) -> None:
        self.console, self.verdicts = Pipe(folder / "console"), Pipe(folder / "verdicts")
        for stream in (self.console, self.verdicts):
            self._open.callback(stream.close)

    def _launch(self, folder: Path, words: list[str]) -> None:
        """Starts the emulator and its time limit. The emulator is killed if this process ends."""
        self.errors = errors = self._open.enter_context(open(folder / "errors", "w+"))
        self.started = self._heard_at = self._trouble_at = time.monotonic()
        self.deadline = self.started + self.machine.timeout
        self.process = subprocess.Popen(["setpriv", "--pdeathsig", "KILL", *words],
                                        stdin=subprocess.DEVNULL, stdout=errors, stderr=errors)
        self._open.callback(self._reap, self.process)

    def _restore(self, state: saved.State) -> None:
        try:
            state.restore(self.monitor)
        except RuntimeError as error:
            raise RuntimeError(f"the state in {state.folder} cannot be used: {error}; {self._last_words()}") from None

    def _save(self, state: saved.State) -> bool:
        """Boots a machine like this one until /init has set it up. Saves its state and returns True if it is fit."""
        machine = dataclasses.replace(self.machine, boot=True, timeout=SAVE_MAX,
                                      qemu=(*state.words(self.machine, share=True), *saved.STOP))
        with Guest(machine, saved.base(), f"state-{state.folder.name}") as guest:
            if not guest.wait(lambda: guest.monitor.saw("GUEST_PANICKED")):
                if not saved.is_fit(guest.lines):
                    return False
                raise RuntimeError(f"the guest of a new state did not reach its end: {guest.finish().report()}")
            if fit := not guest.trouble and saved.is_fit(guest.lines):
                state.save(guest.monitor)
        return fit

    def _reap(self, process: subprocess.Popen) -> None:
        """Ends the emulator, and writes its processor time as the last line of the log."""
        os.kill(process.pid, signal.SIGKILL)    # process.kill() would reap an ended process and lose its usage
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self._note(f"{self.machine.emulator} ended: {used.ru_utime + used.ru_stime:.1f} s of processor time")

    def _note(self, text: str) -> None:
        """Writes a line to the log."""
        self._log.write(f"{time.monotonic() - self.started:8.3f} {text}\n")
        self._log.flush()

    def _take_line(self, line: str) -> None:
        now = time.monotonic()
        self._heard_at = now
        self.lines.append(line)
        self._note(line)
        kind = splat(line)
        if kind and not self.trouble:
            self.trouble, self._trouble_at = f"{kind}: {line.strip()}", now
            self.records_before_trouble = len(self.records)
        if self.on_line:
            self.on_line(line)

    def _registers(self) -> str:
        try:
            texts = [self.monitor.human("info registers -a")]
            texts += [self.monitor.human(f"info lapic {cpu}") for cpu in range(self.machine.cpus)]
            return "\n".join(texts).replace("\r", "")
        except (RuntimeError, OSError) as error:
            return f"(no registers: {error})"


def run(machine: Machine, initramfs: Initramfs, name: str) -> Result:
    """Boots a guest, follows it to the end, and returns the result."""
    with Guest(machine, initramfs, name) as guest:
        return guest.finish()


def _parsed(line: str) -> dict:
    try:
        record = json.loads(line)
    except ValueError:
        record = None
    if isinstance(record, dict):
        return record
    return {"test": "protocol", "ok": False, "why": f"not a JSON object: {line!r}"}


if __name__ == "__main__":
    import sys
    from .boot import main
    sys.exit(main(sys.argv[1:]))
