# SPDX-License-Identifier: GPL-2.0
"""Sorts a run's verdict records by property, and judges them."""

import dataclasses


@dataclasses.dataclass
class Verdict:
    """The verdict of one property's run."""

    tests: list = dataclasses.field(default_factory=list)
    figures: list = dataclasses.field(default_factory=list)
    done: list = dataclasses.field(default_factory=list)
    status: int | None = None     # status of run.sh; None: it did not end

    def faults(self) -> list[str]:
        """Returns all reasons why this is not a pass. The list is empty for a pass."""
        found = [f"{record['test']}: {record.get('why') or 'no reason given'}"
                 for record in self.tests if record.get("ok") is not True]
        if self.status is None:
            found.append("run.sh did not end")
        elif self.status:
            found.append(f"run.sh ended with status {self.status}")
        if not self.done:
            found.append('no "done" record')
        elif len(self.done) > 1:
            found.append(f'{len(self.done)} "done" records')
        elif self.done[0] != len(self.tests):
            found.append(f'"done" says {self.done[0]} verdicts, {len(self.tests)} came')
        elif not self.tests:
            found.append("no verdict")
        return found


def whole(records: list[dict], status: int | None) -> Verdict:
    """Returns the verdict of a run with one script, from all its records and the script's status."""
    return sort([{"begin": "run.sh"}, *records, {"end": "run.sh", "status": status}])["run.sh"]


def sort(records: list[dict]) -> dict[str, Verdict]:
    """Sorts records. Those between {"begin": name} and {"end": name} belong to that property."""
    verdicts: dict[str, Verdict] = {}
    current = None
    for record in records:
        if "begin" in record:
            current = verdicts[record["begin"]] = Verdict()
        elif current is None:
            continue
        elif "test" in record:
            current.tests.append(record)
        elif "figure" in record:
            current.figures.append(record["figure"])
        elif "done" in record:
            current.done.append(record["done"])
        elif "end" in record:
            current.status, current = record["status"], None
    return verdicts
