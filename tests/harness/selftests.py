# SPDX-License-Identifier: GPL-2.0
"""Builds the kernel's own tests of system calls, signals, tracers and filters, from Debian's linux-source-6.1.

They are static programs in a folder of the cache. Tests that need other programs, scripts or 32-bit code are not
built, and neither are those that stock Linux in QEMU does not survive or pass: x86/mov_ss_trap,
x86/sysret_ss_attrs, x86/check_initial_reg_state, ptrace/vmaccess.

    python3 -m tests.harness.selftests             prints that folder
"""

import hashlib
import subprocess
import sys
from pathlib import Path

from .cache import cache_dir, command, locked, publish, say
from .debug_kernel import COMPILER, SOURCE, SUITES
from .suites import Suites, unpacked

TESTS = "tools/testing/selftests"
#: Parts of the source that are unpacked.
PARTS = (TESTS, "arch/x86/include")
#: Files below TESTS: folder/file.
PROGRAMS = """
breakpoints/breakpoint_test clone3/clone3 clone3/clone3_clear_sighand clone3/clone3_set_tid core/close_range_test
futex/functional/futex_requeue futex/functional/futex_requeue_pi futex/functional/futex_requeue_pi_mismatched_ops
futex/functional/futex_requeue_pi_signal_restart futex/functional/futex_wait futex/functional/futex_wait_timeout
futex/functional/futex_wait_wouldblock futex/functional/futex_waitv kcmp/kcmp_test
membarrier/membarrier_test_multi_thread membarrier/membarrier_test_single_thread
pidfd/pidfd_fdinfo_test pidfd/pidfd_getfd_test pidfd/pidfd_open_test pidfd/pidfd_poll_test pidfd/pidfd_setns_test
pidfd/pidfd_test pidfd/pidfd_wait proc/fd-001-lookup proc/proc-pid-vm proc/proc-self-map-files-001
proc/proc-self-syscall proc/proc-self-wchan proc/proc-tid0 proc/read proc/self proc/setns-dcache proc/setns-sysvipc
proc/thread-self ptrace/get_syscall_info ptrace/peeksiginfo seccomp/seccomp_bpf sigaltstack/sas
syscall_user_dispatch/sud_test timens/clock_nanosleep timens/exec timens/futex timens/procfs timens/timens timens/timer
timens/timerfd timers/posix_timers x86/corrupt_xstate_header x86/fsgsbase
x86/fsgsbase_restore x86/ioperm x86/iopl x86/ldt_gdt x86/ptrace_syscall x86/sigaltstack x86/sigreturn
x86/sigtrap_loop x86/single_step_syscall x86/syscall_arg_fault x86/syscall_nt x86/syscall_numbering x86/sysret_rip
x86/test_mremap_vdso x86/test_vsyscall
""".split()
FLAGS = "-O2 -w -s -static -no-pie -D_GNU_SOURCE -DCAN_BUILD_64 -Wl,-z,noexecstack"
LIBRARIES = "-lpthread -lrt -lm -ldl -lcap"


def root() -> Path:
    """Returns the folder with the programs; builds them if it is missing."""
    digest = hashlib.sha256(f"{PROGRAMS}{FLAGS}{LIBRARIES}".encode()).hexdigest()[:8]
    final = cache_dir() / f"selftests-{digest}"
    with locked("selftests"):
        if not final.exists():
            work = final.with_name(f"{final.name}.build")
            command("rm", "-rf", work)
            (work / "made").mkdir(parents=True)
            _unpack(work)
            capabilities = unpacked("libcap", Suites("bookworm"), ["libcap-dev"], dependencies=False)
            for program in PROGRAMS:
                _build(work, program, capabilities)
            publish(work / "made", final)
            command("rm", "-rf", work)
    return final


def _unpack(work: Path) -> None:
    deb = Suites(*SUITES).download(SOURCE)
    say(f"unpacking {deb.name}")
    parts = " ".join(f"'*/{part}/*'" for part in PARTS)
    script = f"""set -o pipefail
        dpkg-deb --fsys-tarfile '{deb}' | tar -xO --wildcards '*.tar.xz' |
        tar -xJ --strip-components=1 -C '{work}' --wildcards {parts}"""
    command("bash", "-c", script)


def _build(work: Path, program: str, capabilities: Path) -> None:
    tests = work / TESTS
    folder = tests / Path(program).parent
    sources = [f"{tests / program}.c", *([tests / "x86/thunks.S"] if program.startswith("x86/") else [])]
    includes = [f"-I{path}" for path in (tests, folder, tests / "futex/include", capabilities / "usr/include")]
    words = [COMPILER, *FLAGS.split(), *includes, *map(str, sources), "-o", str(work / "made" / program.replace("/", "-")),
             f"-L{capabilities}/usr/lib/x86_64-linux-gnu", *LIBRARIES.split()]
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{program} of {SOURCE} does not build: {done.stderr[-400:]}")


if __name__ == "__main__":
    print(root())
    sys.exit(0)
