# SPDX-License-Identifier: GPL-2.0
"""Draws pictures as SVG.

Suite exec: error of nanosleep, lateness of a periodic event, packet streams, working sets. Suites rtlinux and
rtlinux-beneath: density of the lateness of periods under each load.
"""

from pathlib import Path

from .results import BUILD, find, width

#: Promised datagrams a second of each stream, as in guest/exec.sh. Stream 3 has no promise.
PROMISES = (35000, 20000, 10000, 0)

#: (case without load, subject) -> label.
SLEEPS = {("sleep", "linux"): "Linux", ("sleep-slack", "linux"): "Linux, timer slack 1 ns",
          ("sleep", "limpet"): "guest of exec.sleep"}
EVENTS = {("event", "linux-signal"): "Linux, timer signal", ("event", "limpet"): "Limpet, at an executive"}
STREAMS = {"linux-same": "Linux, same priority", "linux-priority": "Linux, different priorities",
           "limpet": "guests of exec.stream"}
LOADS = {"": "idle", "-loaded": "two busy processes"}
#: Pages that working_set.c touches, and (case without the number, subject) -> label.
WORKING_SETS = (0, 1, 4, 16, 64, 256, 1024)
SWITCHES = {("space", "linux"): "switch, two processes, futex",
            ("space", "linux-yield"): "switch, two processes, sched_yield",
            ("space", "limpet"): "switch, two spaces of exec.spaces",
            ("call", "linux"): "null system call, Linux",
            ("call", "limpet"): "system call that an executive answers"}
#: Suites with densities, case of the periods under each load -> label, and subject -> title.
RTLINUX = ("rtlinux", "rtlinux-beneath")
PERIODS = {"periodic": "idle", "periodic-loaded": "stress-ng", "periodic-flood": "cache flooder",
           "periodic-both": "stress-ng and cache flooder"}
THREADS = {"limpet": "RTLinux thread on Limpet", "linux": "Linux's periodic thread, SCHED_FIFO"}


def write(figures: list[dict], histograms: list[dict], folder: Path = BUILD) -> list[Path]:
    """Writes the pictures of one run of a suite and returns their paths: none for a suite without pictures."""
    first = figures[0]
    if first["suite"] in RTLINUX:
        return write_densities(histograms, folder)
    if first["suite"] != "exec":
        return []
    where = f"Linux {first['kernel']}, {first['cpus']} CPU"
    paths = [folder / f"exec-{kind}-{first['kernel']}-{first['cpus']}.svg" for kind in ("sleep", "event", "stream", "space")]
    sleep_error(histograms, paths[0], f"Error of nanosleep(1 ms): {where}")
    periodic_event(histograms, paths[1], f"Lateness of a 1 kHz event at a program: {where}")
    streams(figures, paths[2], f"Four streams of 42,000 datagrams a second: {where}")
    working_sets(figures, paths[3], f"Switches over the working set, processor without PCIDs: {where}")
    return paths


def write_densities(histograms: list[dict], folder: Path) -> list[Path]:
    """Writes a picture for each measured subject of one run of a suite RTLINUX, and returns their paths."""
    paths = []
    for subject, words in THREADS.items():
        found = {label: histogram["buckets"] for case, label in PERIODS.items()
                 if (histogram := find(histograms, case, subject))}
        if found:
            first = histograms[0]
            # The script measures Linux before attach in both modes.
            mode = first["mode"] if subject == "limpet" else "before attach"
            paths.append(folder / f"{first['suite']}-{subject}-{first['kernel']}-{first['cpus']}.svg")
            densities(found, paths[-1], f"{words}: Linux {first['kernel']}, {mode}, {first['cpus']} CPU",
                      first["unit"])
    return paths


def densities(found: dict[str, list], path: Path, title: str, unit: str) -> None:
    """Draws the density of the time from a release to the thread's first instruction, as a curve for each label."""
    picture, axis = _subplots(figsize=(9, 4.5))
    for place, (label, buckets) in enumerate(found.items()):
        # The first curves are wider, so that they stay visible below the others.
        axis.stairs(*density(buckets), baseline=None, linewidth=3.4 - 0.8 * place, label=label)
    axis.set(xscale="log", yscale="log", xlabel=f"time from the release to the thread's first instruction, in {unit}",
             ylabel=f"density, 1 / {unit}")
    axis.legend()
    _save(picture, path, title)


def density(buckets: list) -> tuple[list[float], list[int]]:
    """Returns the density of each bin from the first to the last value, and the edges of the bins. The integral is 1.

    A bin has whole buckets and is a fifth as wide as its start, or one bucket, because the picture has to show single
    values at a thousand times the median.
    """
    total = sum(count for _, count in buckets)
    values: list[float] = []
    edges = [0]
    while edges[-1] <= buckets[-1][0]:
        start = edges[-1]
        end = max(start + width(start), start * 6 // 5)
        end = -(-end // width(end)) * width(end)
        count = sum(count for floor, count in buckets if start <= floor < end)
        values.append(count / total / (end - start))
        edges.append(end)
    first = next(place for place, value in enumerate(values) if value)
    return values[first:], edges[first:]


def sleep_error(histograms: list[dict], path: Path, title: str) -> None:
    """Draws the cumulative distribution of each subject, with and without load."""
    def draw(axis, buckets, label):
        total = sum(count for _, count in buckets)
        ends, parts, seen = [buckets[0][0]], [0.0], 0
        for floor, count in buckets:
            seen += count
            ends += [floor, floor + width(floor)]
            parts += [parts[-1], seen / total]
        axis.plot(ends, parts, label=label)

    _panels(histograms, SLEEPS, draw, path, title, "error", "part of the calls")


def periodic_event(histograms: list[dict], path: Path, title: str) -> None:
    """Draws a histogram of each subject, with and without load."""
    def draw(axis, buckets, label):
        floors, counts = zip(*buckets)
        axis.hist(floors, bins=[2 ** (i / 4) for i in range(24, 90)], weights=counts, alpha=0.6, label=label)
        axis.set_yscale("log")

    _panels(histograms, EVENTS, draw, path, title, "lateness", "events")


def _panels(histograms, subjects, draw, path, title, across, up):
    """Draws the subjects into one panel for each load."""
    picture, axes = _subplots(1, 2, sharex=True, sharey=True, figsize=(11, 4))
    for axis, (suffix, words) in zip(axes, LOADS.items()):
        for (case, subject), label in subjects.items():
            found = find(histograms, case + suffix, subject)
            if found:
                draw(axis, found["buckets"], label)
        axis.set(title=words, xscale="log", xlabel=f"{across} in {histograms[0]['unit']}")
    axes[0].set_ylabel(up)
    axes[0].legend()
    _save(picture, path, title)


def streams(figures: list[dict], path: Path, title: str) -> None:
    """Draws the mean rate and the maximum jitter of each stream as bars, a color for each subject."""
    picture, axes = _subplots(2, 1, sharex=True, figsize=(9, 7))
    found = [subject for subject in STREAMS if find(figures, "stream-rate-0", subject)]
    for place, subject in enumerate(found):
        at = [stream + (place - (len(found) - 1) / 2) * 0.25 for stream in range(len(PROMISES))]
        for axis, kind, value in ((axes[0], "rate", "mean"), (axes[1], "jitter", "max")):
            measured = [find(figures, f"stream-{kind}-{stream}", subject) for stream in range(len(PROMISES))]
            axis.bar(at, [figure[value] if figure else 0 for figure in measured], 0.22, label=STREAMS[subject])
    axes[0].hlines(PROMISES[:-1], [s - 0.45 for s in range(3)], [s + 0.45 for s in range(3)], "black",
                   linestyles="dotted", label="promised")
    axes[0].set_ylabel("packets a second")
    axes[0].legend()
    axes[1].set(yscale="log", ylabel=f"maximum jitter in {figures[0]['unit']}", xticks=range(len(PROMISES)),
                xticklabels=[f"task {s}" if promise else f"task {s}, best effort"
                             for s, promise in enumerate(PROMISES)])
    _save(picture, path, title)


def working_sets(figures: list[dict], path: Path, title: str) -> None:
    """Draws the cost of switches and calls, and the page walks that follow, over the pages that the program touches."""
    picture, axes = _subplots(1, 2, sharex=True, figsize=(11, 4.5))
    for axis, kind in zip(axes, ("", "-walks")):
        for (case, subject), label in SWITCHES.items():
            found = [(pages, figure["median"]) for pages in WORKING_SETS
                     if (figure := find(figures, f"{case}{kind}-{pages}", subject))]
            if found:
                axis.plot(*zip(*found), marker="o", markersize=3, label=label)
        axis.set(xscale="symlog", xlim=0, xlabel="pages touched", xticks=WORKING_SETS, xticklabels=WORKING_SETS)
        axis.minorticks_off()
    axes[0].set(ylim=(0, axes[0].get_ylim()[1] * 1.5), ylabel=f"{figures[0]['unit']}, without touching the pages")
    axes[1].set(yscale="symlog", ylim=0, ylabel="pages looked up in the page tables again")
    axes[0].legend()
    _save(picture, path, title)


def _subplots(*grid, **options):
    """Returns a picture and its axes."""
    import matplotlib       # slow to load, and only needed here
    matplotlib.use("Agg")
    from matplotlib import pyplot
    return pyplot.subplots(*grid, **options)


def _save(picture, path: Path, title: str) -> None:
    from matplotlib import pyplot
    picture.suptitle(title)
    picture.tight_layout()
    picture.savefig(path)
    pyplot.close(picture)
