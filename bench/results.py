# SPDX-License-Identifier: GPL-2.0
"""Reads and writes build/bench.jsonl, with one figure on each line. The names of its fields are an interface."""

import json
from pathlib import Path

BUILD = Path(__file__).parents[1] / "build"
FIGURES = BUILD / "bench.jsonl"
HISTOGRAMS = BUILD / "bench-histograms.jsonl"

FIELDS = ["suite", "case", "subject", "kernel", "mode", "cpus", "unit",
          "n", "min", "median", "p99", "max", "mean", "stddev"]


def read(path: Path = FIGURES) -> list[dict]:
    """Returns all records of a file, or an empty list without a file."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text().splitlines()]


def replace(new: list[dict], path: Path = FIGURES) -> None:
    """Replaces older records of the same suite, kernel and number of CPUs."""
    def run_of(record):
        return record["suite"], record["kernel"], record["cpus"]

    replaced = {run_of(record) for record in new}
    kept = [record for record in read(path) if run_of(record) not in replaced]
    path.parent.mkdir(exist_ok=True)
    part = path.with_suffix(".part")
    part.write_text("".join(json.dumps(record) + "\n" for record in kept + new))
    part.rename(path)


def histograms(records: list[dict], where: dict) -> list[dict]:
    """Returns the histograms among a guest's records. Those of one case and subject are added up."""
    counts: dict[tuple, dict] = {}
    for record in records:
        part = record.get("histogram")
        if part:
            sums = counts.setdefault((part["case"], part["subject"]), {})
            for floor, count in part["buckets"]:
                sums[floor] = sums.get(floor, 0) + count
    return [{"case": case, "subject": subject, **where, "buckets": sorted(map(list, sums.items()))}
            for (case, subject), sums in counts.items()]


def figures(records: list[dict], where: dict) -> list[dict]:
    """Returns the figures among a guest's records, with the fields of `where`."""
    parts: dict[tuple, list] = {}
    for record in records:
        if "figure" in record:
            figure = record["figure"] | where
            if record["figure"].get("unit", "ticks") != "ticks":
                figure["unit"] = record["figure"]["unit"]
            missing = [name for name in FIELDS if name not in figure]
            if missing:
                raise ValueError(f"a figure lacks {', '.join(missing)}: {record}")
            parts.setdefault((figure["case"], figure["subject"]), []).append(
                {name: figure[name] for name in FIELDS})
    joined = histograms(records, where)
    return [_merged(same, find(joined, *key)) for key, same in parts.items()]


def _merged(parts: list[dict], histogram: dict | None) -> dict:
    """Merges several figures. The histogram of all samples supplies median and p99."""
    if len(parts) == 1:
        return parts[0]
    if histogram is None:
        raise ValueError(f"several figures, but no histogram of them: {parts[0]}")
    n = sum(part["n"] for part in parts)
    mean = sum(part["n"] * part["mean"] for part in parts) / n
    square = sum(part["n"] * (part["stddev"] ** 2 + part["mean"] ** 2) for part in parts) / n
    low, high = min(part["min"] for part in parts), max(part["max"] for part in parts)
    return parts[0] | {
        "n": n, "min": low, "max": high, "mean": round(mean, 1),
        "stddev": round(max(0, square - mean ** 2) ** 0.5, 1),
        "median": min(max(quantile(histogram["buckets"], 500), low), high),
        "p99": min(max(quantile(histogram["buckets"], 990), low), high)}


def quantile(buckets: list, permille: int) -> int:
    """Returns a quantile like histogram_quantile() of lib/runtime: the middle of its bucket."""
    total = sum(count for _, count in buckets)
    wanted, seen = -(-total * permille // 1000), 0
    for floor, count in buckets:
        seen += count
        if seen >= wanted:
            break
    return floor + width(floor) // 2


def width(floor: int) -> int:
    """Returns the width of the bucket that starts there: 64; from 32,768 on, a 16th of the power of two."""
    return 64 if floor < 32768 else 1 << (floor.bit_length() - 5)


def find(records: list[dict], case: str, subject: str) -> dict | None:
    """Returns the record of a case and subject."""
    for record in records:
        if (record["case"], record["subject"]) == (case, subject):
            return record
    return None
