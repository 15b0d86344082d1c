# SPDX-License-Identifier: GPL-2.0
"""Requirements on the figures."""

import dataclasses

from .graphs import PROMISES
from .results import find


@dataclasses.dataclass(frozen=True)
class Verdict:
    """A requirement on a figure."""

    case: str
    subject: str
    must: str       # in words
    holds: bool


#: case -> maximum median, in instructions. Subject: limpet. The processor needs no mitigation at entries.
INSTRUCTIONS_MAX = {"invoke-0": 128, "invoke-4": 144, "dispatch": 187, "lock": 40, "block-dispatch": 500,
           "page": 1500}

#: Cases of other Linux processes that take the same before, attached, with an idle system, and after.
UNCHANGED = ("null-syscall", "context-switch")

#: Maximum of the median lateness of a 1 kHz loop, idle or loaded, in instructions.
TIMER_MEDIAN = 150

#: The value of the first bucket of a histogram, 0 to 63 instructions. Limpet's reports of a loop distinguish no smaller
#: values, and those of a Linux thread do.
FIRST_BUCKET = 32

#: Maximum cost of a period for Linux, as a part of cyclictest's: 1.04 on 6.1, and 1.09 on 6.12.
PERIOD = 1.15

#: Maximum distance of a chain of 25 components from 25 times one invocation, as a part.
CHAIN, CHAIN_OFF = 25, 0.1

#: Maximum additional cost of a traced invocation, as a part.
TRACED = 0.25

#: Maximum time from a component's crash until it serves again, in instructions.
CRASH = 150_000

#: A channel one way, and a call of a component through one, as a part of a pipe's. In beside mode, Linux's waking of a
#: thread and switching to it are 0.47 to 0.63 by themselves (docs/reference/costs.md), so the limits there are higher.
ONE_WAY = {"beneath": {"to-linux": 0.57, "from-linux": 0.7, "call": 0.6},
           "beside": {"to-linux": 0.85, "from-linux": 0.85, "call": 0.85}}

#: Maximum for a polled message, in instructions.
POLLED = 150

#: Maximum additional time of the job when attached, with an idle system or without a system, as a part.
JOB_SLOWER = 0.001

#: Limits in beneath mode. The median and maximum lateness of a period are in instructions. The job, round trips and a
#: restart of Linux are relative to the same without Limpet. A restart lasts from Linux's death to the next one's first
#: program, and is compared with that kernel's boot from its entry point.
BENEATH_MEDIAN, BENEATH_MAX, BENEATH_JOB, BENEATH_RPC, BENEATH_RESTART = 500, 1000, 0.01, 1.02, 1.3
LOADS = ("idle", "cpu", "vm", "io", "fork", "mix", "irqs-off", "dead", "restart")

#: Maximum from the interrupt of a UDP datagram to its receiver, as a part of the time with Linux's own socket. A
#: component needs no switch of Linux's threads, and a process does. On PREEMPT_RT the interrupt has a thread, so both
#: need one.
ARRIVAL = {"limpet0": 0.94, "limpet-tun": 1.55}
ARRIVAL_RT = ARRIVAL | {"limpet0": 1}

#: The packet streams with a promise.
STREAMS = range(3)

#: Received datagrams: 42,000 in each of 10 s.
STREAMED = 420_000

#: Limits of growth with the number of sleeping threads. KIND: (N, PART) compares with the case of the smallest count
#: that is at least N. PART is the maximum growth, as a part of that figure.
FLAT = {"invoke": (1, 0.02), "dispatch": (1, 0.02), "wake": (16, 0.15)}
#: Guests, medians in instructions. CASE: (MAX, MORE): at most MAX, or at most MORE above null/linux.
GUEST_CALLS = {"served": (250, None), "passed": (0, 220), "result": (0, 700), "filtered": (0, 14), "other": (0, 0)}
#: Maximum; or, for a single fault, the cost of Linux's own insertion, if that is larger.
GUEST_FAULTS = {"fault": 2200, "fault-batch": 500}
GUEST_SWITCH = 4000
#: Maximum additional time of the job, and maximum error of a sleep, as a part of Linux's.
GUEST_BUILDS = {"build-count": 0.025, "build-filtered": 0.005}
GUEST_SLEEPS = {"sleep": 0.1, "sleep-slack": 0.3}

#: Maximum bytes for a component and its thread, 24 KiB for each of both, and instructions (1 ns of guest time each) to
#: start or stop a system.
BYTES_EACH, GUEST_SECOND = 2 * (24 << 10), 10 ** 9


#: RTLinux modules: CASE and the largest ratio to Linux's figure.
RTLINUX_PARTS = {"mutex": 1, "semaphore": 1, "mq": 1, "mutex-waiting": 0.5, "semaphore-waiting": 0.5, "mq-waiting": 0.5}
#: The largest ratio of a FIFO's event to a channel's event.
RTLINUX_FIFO = 1.05
#: The case of the periods under each load of Linux: idle, the mix, the cache flooder, and both.
RTLINUX_PERIODS = ("periodic", "periodic-loaded", "periodic-flood", "periodic-both")
#: The largest lateness of a period in beneath mode, also under load.
RTLINUX_LATE = 1200


#: Number of requirements that each suite checks, because a missing figure is a failure, too. MORE are those that only all
#: samples have: packet streams, the periodic event and the sleep under load of exec, and the Linux thread that waits
#: under load of table1.
REQUIREMENTS = {"table1": 12, "host": 2, "sched": 5, "fault": 2, "trace": 4, "beneath": 18, "table2": 7,
                "table2-beneath": 7, "table3": 2, "net": 3, "scale": 20, "rtlinux": 11, "rtlinux-beneath": 11, "exec": 13}
MORE = {"table1": 1, "exec": 6}


def required(suite: str, figures: list[dict], quick: bool) -> int:
    """Returns the number of requirements on the figures of a suite. verdicts() omits those whose figures are missing.

    `quick`: the figures are of a short run. If Linux alone does not receive the packet streams, exec has none of them.
    """
    number = REQUIREMENTS[suite] + (0 if quick else MORE.get(suite, 0))
    return number if streams_possible(figures) else number - len(STREAMS)


def verdicts(figures: list[dict]) -> list[Verdict]:
    """Returns the met and unmet requirements on the figures of one suite, kernel and CPUS."""
    return [*_limits(figures), *_unchanged(figures), *_timer(figures), *_job(figures),
            *_beneath(figures), *_native(figures), *_restart(figures), *_sched(figures), *_trace(figures),
            *_crash(figures), *_channel(figures), *_arrival(figures), *_net(figures), *_scale(figures),
            *_guest(figures), *_rtlinux(figures)]


def streams_possible(figures):
    """Returns whether Linux receives as many datagrams as are promised. On 6.1-rt it does not."""
    received = [find(figures, f"stream-rate-{stream}", "linux-same") for stream in range(len(PROMISES))]
    return not all(received) or sum(figure["mean"] for figure in received) >= sum(filter(None, PROMISES))


def _guest(figures):
    """Judges the costs of guests: in instructions, or against Linux's figure of the same job in the same boot."""
    null = find(figures, "null", "linux")
    for case, (base, more) in GUEST_CALLS.items():
        figure = find(figures, case, "limpet")
        if null and figure and figure["suite"] == "exec":
            maximum = max(base, null["median"] + more) if more is not None else base
            yield Verdict(case, "limpet", f"median <= {maximum}", figure["median"] <= maximum)
    for case, maximum in GUEST_FAULTS.items():
        figure, linux = find(figures, case, "limpet"), find(figures, "fault", "linux-insert")
        if figure and linux and figure["suite"] == "exec":
            maximum = max(maximum, linux["median"]) if case == "fault" else maximum
            yield Verdict(case, "limpet", f"median <= {maximum:,.0f}", figure["median"] <= maximum)
    switch = find(figures, "switch", "limpet")
    if switch:
        yield Verdict("switch", "limpet", f"median <= {GUEST_SWITCH:,}", switch["median"] <= GUEST_SWITCH)
    for stream in STREAMS:
        kept = find(figures, f"stream-{stream}", "limpet")
        if kept and streams_possible(figures):
            yield Verdict(f"stream-{stream}", "limpet", "the promise is kept in 100 % of the periods",
                          kept["median"] == 100)
    plain = find(figures, "build", "linux")
    for case, maximum in GUEST_BUILDS.items():
        figure = find(figures, case, "limpet")
        if plain and figure:
            more = figure["median"] / plain["median"] - 1
            yield Verdict(case, "limpet", f"{more:+.2%} against build/linux, must be <= {maximum:.1%}", more <= maximum)
    # On Linux 6.12 and later the requirement under load holds with a time slice of the guest's own.
    sliced = find(figures, "sleep-slice-loaded", "limpet")
    for load, name in ("", "sleep"), ("-loaded", "sleep-slice-loaded" if sliced else "sleep-loaded"):
        for case, maximum in GUEST_SLEEPS.items():
            ours, linux = find(figures, name, "limpet"), find(figures, case + load, "linux")
            if ours and linux:
                part = ours["p99"] / linux["median"]
                yield Verdict(name, "limpet", f"p99 is {part:.3f} of the median of {case}{load}/linux, must be <= "
                              f"{maximum}", part <= maximum)
    for case in ("event", "event-loaded"):
        ours, linux = find(figures, case, "limpet"), find(figures, case, "linux-signal")
        if ours and linux:
            yield Verdict(case, "limpet", "p99 <= that of linux-signal", ours["p99"] <= linux["p99"])


def _rtlinux(figures):
    """Compares an RTLinux module with Linux's threads and with a channel, in the same boot."""
    for case, maximum in RTLINUX_PARTS.items():
        ours, linux = (find(figures, case, subject) for subject in ("limpet", "linux"))
        if ours and linux and ours["suite"].startswith("rtlinux"):
            part = ours["median"] / linux["median"]
            yield Verdict(case, "limpet", f"{part:.2f} of linux, must be <= {maximum}", part <= maximum)
    ours, channel = (find(figures, "fifo", subject) for subject in ("limpet", "channel"))
    if ours and channel:
        part = ours["median"] / channel["median"]
        yield Verdict("fifo", "limpet", f"{part:.3f} of a channel's event, must be <= {RTLINUX_FIFO}", part <= RTLINUX_FIFO)
    for case in RTLINUX_PERIODS:
        figure, linux = (find(figures, case, subject) for subject in ("limpet", "linux"))
        if figure and figure["mode"] == "beneath":
            yield Verdict(case, "limpet", f"max <= {RTLINUX_LATE}", figure["max"] <= RTLINUX_LATE)
        elif figure and linux:
            yield Verdict(case, "limpet", "median <= linux's", figure["median"] <= linux["median"])


def _limits(figures):
    for case, maximum in INSTRUCTIONS_MAX.items():
        figure = find(figures, case, "limpet")
        if figure and figure["unit"] == "instructions":
            yield Verdict(case, "limpet", f"median <= {maximum}", figure["median"] <= maximum)


def _unchanged(figures):
    """Judges Linux's own paths, on which Limpet must not cost one instruction."""
    for case in UNCHANGED:
        before = find(figures, case, "before")
        for subject in ("attached", "running", "after"):
            figure = find(figures, case, subject)
            if before and figure:
                yield Verdict(case, subject, "median as before", figure["median"] <= before["median"])


def _timer(figures):
    for load in ("idle", "loaded"):
        ours = find(figures, "timer", f"limpet-{load}")
        linux = find(figures, "timer", f"cyclictest-{load}")
        if ours and linux:
            yield Verdict("timer", f"limpet-{load}", f"median <= {TIMER_MEDIAN}, p99 <= cyclictest's",
                          ours["median"] <= TIMER_MEDIAN and ours["p99"] <= linux["p99"])
    # A Linux thread can wake early and wait, too. Under load Limpet's loop must not be later than that thread.
    ours, early = (find(figures, "timer", f"{subject}-loaded") for subject in ("limpet", "linux-early"))
    if ours and early:
        yield Verdict("timer", "limpet-loaded", f"median and p99 <= linux-early's, or {FIRST_BUCKET}",
                      all(ours[value] <= max(early[value], FIRST_BUCKET) for value in ("median", "p99")))
    ours, linux = (find(figures, "period", subject) for subject in ("limpet", "cyclictest"))
    if ours and linux:
        part = ours["median"] / linux["median"]
        yield Verdict("period", "limpet", f"{part:.3f} of cyclictest's, must be <= {PERIOD}", part <= PERIOD)


def _job(figures):
    """Judges the job. The reference is the mean of the runs before and after, so that the drift of a running Linux
    (its memory fills and fragments) does not count. Means are used instead of medians, because a job takes one of a
    few durations, depending on its memory's layout: a median of some tens of samples jumps by 0.05 %, a mean by
    0.02 %. All samples count.
    """
    outside = [figure["mean"] for subject in ("before", "after")
               if (figure := find(figures, "job", subject))]
    for subject in ("attached", "running"):
        figure = find(figures, "job", subject)
        if outside and figure:
            more = figure["mean"] / (sum(outside) / len(outside)) - 1
            yield Verdict("job", subject, f"mean {more:+.3%} against before and after, must be <= "
                          f"{JOB_SLOWER:.1%}", more <= JOB_SLOWER)


def _beneath(figures):
    for load in LOADS:
        figure = find(figures, "timer", load)
        if figure:
            yield Verdict("timer", load, f"median <= {BENEATH_MEDIAN}, max <= {BENEATH_MAX}",
                          figure["median"] <= BENEATH_MEDIAN and figure["max"] <= BENEATH_MAX)


def _native(figures):
    for figure in figures:
        native = find(figures, figure["case"], figure["subject"].replace("beneath", "native"))
        if not figure["subject"].startswith("beneath") or not native:
            continue
        # Round trips between two processes have two typical times, because Linux wakes the other process before or after
        # the first one waits. If about half of the trips take each, the median differs between boots. So the mean counts.
        value = "mean" if figure["case"] == "rpc" else "median"
        part = figure[value] / native[value]
        maximum = {"null-syscall": 1, "job": 1 + BENEATH_JOB}.get(figure["case"], BENEATH_RPC)
        yield Verdict(figure["case"], figure["subject"],
                      f"{value} is {part:.4f} of native, must be <= {maximum}", part <= maximum)


def _restart(figures):
    ours, cold = (find(figures, "restart", subject) for subject in ("limpet", "cold-boot"))
    if ours and cold:
        part = ours["median"] / cold["median"]
        yield Verdict("restart", "limpet", f"{part:.3f} of cold-boot, must be <= {BENEATH_RESTART}",
                      part <= BENEATH_RESTART)


def _sched(figures):
    ours, linux = (find(figures, "timer", subject) for subject in ("limpet", "cyclictest"))
    if ours and linux:
        yield Verdict("timer", "limpet", "median <= cyclictest's", ours["median"] <= linux["median"])
    chain, one = (find(figures, case, "limpet") for case in (f"chain-{CHAIN}", "invoke-0"))
    if chain and one:
        alone = CHAIN * one["median"]
        more = chain["median"] - alone
        yield Verdict(f"chain-{CHAIN}", "limpet", f"{more / alone:+.1%} of {CHAIN} invocations, must be "
                      f"within {CHAIN_OFF:.0%}", abs(more) <= CHAIN_OFF * alone)


def _trace(figures):
    """Judges the trace. While it is off, the costs are those without a trace; while it is on, they may exceed the
    limits of table1 by a part.
    """
    for case, maximum in INSTRUCTIONS_MAX.items():
        off, on = (find(figures, case, subject) for subject in ("off", "on"))
        if off:
            yield Verdict(case, "off", f"median <= {maximum}", off["median"] <= maximum)
        if off and on and case == "invoke-0":
            part = on["median"] / off["median"] - 1
            yield Verdict(case, "on", f"{part:+.1%} against off, must be <= {TRACED:.0%}",
                          part <= TRACED)


def _crash(figures):
    figure = find(figures, "restart", "limpet")
    if figure and figure["suite"] == "fault":
        yield Verdict("restart", "limpet", f"median <= {CRASH}", figure["median"] <= CRASH)


def _arrival(figures):
    linux = find(figures, "udp", "linux-udp")
    real_time = linux and linux["kernel"].endswith("-rt")
    for subject, maximum in (ARRIVAL_RT if real_time else ARRIVAL).items():
        figure = find(figures, "udp", subject)
        if linux and figure:
            part = figure["median"] / linux["median"]
            yield Verdict("udp", subject, f"{part:.2f} of linux-udp, must be <= {maximum}", part <= maximum)


def _channel(figures):
    for case, maximum in ONE_WAY[figures[0]["mode"]].items() if figures else ():
        ours, pipe = (find(figures, case, subject) for subject in ("limpet", "pipe"))
        if ours and pipe:
            part = ours["median"] / pipe["median"]
            yield Verdict(case, "limpet", f"{part:.3f} of a pipe, must be <= {maximum}", part <= maximum)
    for figure in figures:
        if figure["case"] == "polled":
            yield Verdict("polled", figure["subject"], f"median <= {POLLED}", figure["median"] <= POLLED)


def _net(figures):
    """Judges the network: an answer of the components takes less than that of a Linux server on the same CPU, and no
    datagram is lost.
    """
    for case, peer in {"http": "nginx", "http-close": "busybox"}.items():
        ours, theirs = (find(figures, case, subject) for subject in ("limpet", peer))
        if ours and theirs:
            part = ours["median"] / theirs["median"]
            yield Verdict(case, "limpet", f"{part:.2f} of {peer}, must be < 1", part < 1)
    streams = find(figures, "streams", "limpet")
    if streams:
        yield Verdict("streams", "limpet", f"n = {STREAMED}", streams["n"] == STREAMED)


def _scale(figures):
    """Judges growth with N, the number after the last dash of a case. The lateness of wake-ups may shrink."""
    kinds: dict[str, dict] = {}
    for figure in figures:
        if figure["suite"] == "scale":
            kind, count = figure["case"].rsplit("-", 1)
            kinds.setdefault(kind, {})[int(count)] = figure["median"]
    for kind, (first, maximum) in FLAT.items():
        counts = sorted(count for count in kinds.get(kind, {}) if count >= first)
        for count in counts[1:]:
            few, many = kinds[kind][counts[0]], kinds[kind][count]
            holds = many <= few * (1 + maximum) and (kind == "wake" or many >= few * (1 - maximum))
            yield Verdict(f"{kind}-{count}", "limpet", f"{many / few - 1:+.1%} against {kind}-{counts[0]}, must "
                          f"be {'<= ' if kind == 'wake' else 'within '}{maximum:.0%}", holds)
    for kind, maximum in {"memory": BYTES_EACH, "start": GUEST_SECOND, "stop": GUEST_SECOND}.items():
        for count, value in kinds.get(kind, {}).items():
            yield Verdict(f"{kind}-{count}", "limpet", f"<= {maximum:,}", value <= maximum)
