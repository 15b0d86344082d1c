# SPDX-License-Identifier: GPL-2.0
"""Records which case passed with which tree, so that `make test-all` can continue after an interruption.

    python3 -m tests.harness.record [FILE]     prints the current tree's results as a page, or writes it to FILE

The file that LIMPET_RECORD names has a line of JSON for each finished case, with the fields of `Ended`. A case counts
if the files that it depends on have not changed since. `Tree` says which files these are. With LIMPET_RECORD_SINCE, a
case of that commit or of a later one counts, too. Other lines are ignored, and writing the page removes them. The file
is part of the repository, so a run can continue on another machine.
"""

import collections
import dataclasses
import functools
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

TOP = Path(__file__).parents[2]
PAGE = "docs/test-results.md"
RECORD = "docs/test-results.jsonl"
#: The name of a property's case, with its property, kernel, number of processors and mode.
CASE = re.compile(r"test_property\[(.+?)-((?:\d\.\d+|newest)(?:-rt|-debug|-cloud)?)-(\d+)cpu(-beneath)?\]$")
#: The name of a figure suite's case, with its kernel and suite.
FIGURES = re.compile(r"test_figures\[((?:\d\.\d+|newest)(?:-rt)?)-(.+)\]$")


#: Documents. No case depends on them, except those of a module that mentions docs/.
DOCUMENTS = re.compile(r"docs/|.*\.md$")
#: Tests that need no guest, and modules of tests/system. The property bridge is built from files of tests/unit/bridge.
UNIT_TESTS = re.compile(r"\.ci/|tests/(compose|fresh|model|objtool)/|tests/unit/(?!bridge/)")
MODULE = re.compile(r"tests/system/test_\w+\.py$")
#: The folder of a property, such as tests/system/channel/fifo, and the mention of one in another's files.
PROPERTY = re.compile(r"tests/system/[^/]+/[^/]+(?=/)")
MENTION = re.compile(r"(?:tests|build)/(system/[\w.-]+/[\w.-]+)")


@dataclasses.dataclass(frozen=True)
class Ended:
    """The result of a case. `tree` identifies the files that the case depends on."""

    tree: str
    commit: str
    case: str
    passed: bool
    seconds: float
    date: str


class Tree:
    """The files that git would commit now, committed or not.

    A property depends on all files but documents, other tests, and the folders of properties that it does not mention.
    Another case depends on all files but other tests, and on documents only if its module mentions docs/.
    """

    def __init__(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            index = {"GIT_INDEX_FILE": f"{folder}/index"}
            _git("read-tree", "HEAD", **index)
            _git("add", "--all", **index)
            listed = [line.split(maxsplit=3) for line in _git("ls-files", "--stage", **index).splitlines()]
        self.files = {path: f"{mode} {blob}" for mode, blob, _, path in listed if not UNIT_TESTS.match(path)}
        self.properties = {folder for path in self.files if path == f"{(folder := _folder(path))}/test.toml"}

    @functools.cache
    def of(self, case: str) -> str:
        """Returns an identifier of the files that a case depends on."""
        module = case.partition("::")[0]
        found = CASE.search(case)
        own = {folder for folder in self.properties if found and folder.endswith(f"/{found[1]}")}
        while more := self._mentioned(own) - own:
            own |= more
        folders = own or self.properties
        documents = "docs/" in self._text(module)
        files = (f"{about} {path}" for path, about in sorted(self.files.items())
                 if (path == module or not MODULE.match(path))
                 and (_folder(path) in folders or _folder(path) not in self.properties)
                 and (documents and path not in (PAGE, RECORD) or not DOCUMENTS.match(path)))
        return hashlib.sha1("\n".join(files).encode()).hexdigest()

    def _mentioned(self, folders: set) -> set:
        """Returns the folders of properties that the files in these folders mention."""
        texts = (self._text(path) for path in self.files if _folder(path) in folders)
        return {f"tests/{place}" for text in texts for place in MENTION.findall(text)} & self.properties

    def _text(self, path: str) -> str:
        return (TOP / path).read_text(errors="replace") if path in self.files else ""


def _folder(path: str) -> str:
    """Returns the folder below tests/system/GROUP that a path is in, or nothing."""
    found = PROPERTY.match(path)
    return found[0] if found else ""


class Record:
    """The results of the cases whose files have not changed, and the file that holds them."""

    def __init__(self, path: Path, tree: Tree, commit: str, commits: frozenset = frozenset()) -> None:
        """Reads the file. Results of `commits` count, too, though files have changed since."""
        self.path, self.tree, self.commit = path, tree, commit
        self.ended: dict[str, Ended] = {}
        self.noted: set[str] = set()    # cases that have ended in this run
        self.writing = threading.Lock()
        for line in path.read_text().splitlines() if path.exists() else ():
            try:
                one = Ended(**json.loads(line))
            except ValueError:      # the torn last line of a run that was killed
                continue
            if one.tree == tree.of(one.case) or one.commit in commits:
                self.ended[one.case] = one

    def passed(self, case: str) -> bool:
        """Returns whether a case has passed and need not run again."""
        return case in self.ended and self.ended[case].passed

    def is_older(self, case: str) -> bool:
        """Returns whether files that a case depends on have changed since it ended."""
        return self.ended[case].tree != self.tree.of(case)

    def note(self, case: str, passed: bool, seconds: float) -> None:
        """Adds the result of a case to the file. `seconds` is the time that the case took. Any thread may call this."""
        with self.writing:
            self._write(case, passed, seconds)
            self.noted.add(case)

    def _write(self, case: str, passed: bool, seconds: float) -> None:
        one = Ended(self.tree.of(case), self.commit, case, passed, round(seconds, 1), time.strftime("%Y-%m-%d"))
        self.ended[case] = one
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with open(self.path, "a+b") as out:
            if out.tell():      # ends the torn line of a run that was killed
                out.seek(-1, os.SEEK_END)
                if out.read(1) != b"\n":
                    out.write(b"\n")
            out.write(json.dumps(dataclasses.asdict(one)).encode() + b"\n")
            out.flush()
            os.fsync(out.fileno())

    def compact(self) -> None:
        """Removes the results that do not count any more, and earlier results of the same case, from the file."""
        lines = (json.dumps(dataclasses.asdict(self.ended[case])) + "\n" for case in sorted(self.ended))
        new = self.path.with_suffix(".new")
        new.write_text("".join(lines))
        new.replace(self.path)


def of_this_tree() -> Record | None:
    """Returns the record in the file that LIMPET_RECORD names, or None if LIMPET_RECORD is not set."""
    path, since = os.environ.get("LIMPET_RECORD"), os.environ.get("LIMPET_RECORD_SINCE")
    commits = _git("rev-list", "--abbrev=12", "--abbrev-commit", "HEAD", f"^{since}^@").split() if since else ()
    return Record(TOP / path, Tree(), _git("rev-parse", "--short=12", "HEAD"), frozenset(commits)) if path else None


def _git(*words: str, **environment: str) -> str:
    return subprocess.run(["git", *words], cwd=TOP, env=os.environ | environment, check=True,
                          stdout=subprocess.PIPE, text=True).stdout.strip()


def page(record: Record) -> str:
    """Returns the results as a page of docs/."""
    ended = list(record.ended.values())
    failed = sum(not one.passed for one in ended)
    text = ["<!-- SPDX-License-Identifier: GPL-2.0 -->", "<!-- Made by `make test-results`. -->", "# Test results", "",
            f"`make test-all`: {len(ended) - failed} passed, {failed} failed.", "", *_commits(ended)]
    older = {one.case for one in ended if record.is_older(one.case)}
    if older:
        text += [f"Files have changed since {len(older)} of the cases ended. An asterisk (*) marks them.", ""]
    properties, figures, others = collections.defaultdict(dict), collections.defaultdict(dict), []
    for one in ended:
        cell = _cell(one) + " *" * (one.case in older)
        if found := CASE.search(one.case):
            name, kernel, cpus, beneath = found.groups()
            properties[name, "beneath" if beneath else "beside"][f"{kernel}, {cpus} CPU"] = cell
        elif found := FIGURES.search(one.case):
            figures[(found[2],)][found[1]] = cell
        else:
            others.append((one.case.rpartition("/")[2], cell))
    text += _table("Properties", ("property", "mode"), properties)
    text += _table("Figures that are required", ("suite",), figures)
    if others:
        text += ["## Other tests", "", "| test | seconds |", "|---|---|",
                 *(f"| {name} | {cell} |" for name, cell in sorted(others)), ""]
    return "\n".join(text)


def _commits(ended: list) -> list[str]:
    """Returns the commits on which the cases ran."""
    cases = collections.Counter(one.commit for one in ended)
    first = {commit: min(one.date for one in ended if one.commit == commit) for commit in cases}
    return ["| commit | first day | cases |", "|---|---|---|",
            *(f"| {commit} | {first[commit]} | {cases[commit]} |" for commit in sorted(cases, key=first.get)), ""]


def _table(title: str, keys: tuple, rows: dict) -> list[str]:
    """Returns a table with a row for each key and a column for each machine."""
    if not rows:
        return []
    columns = sorted({column for row in rows.values() for column in row}, key=_order)
    text = [f"## {title}", "", "Seconds of each case that passed. A dash means that the case does not exist.", "",
            "| " + " | ".join([*keys, *columns]) + " |", "|" + "---|" * (len(keys) + len(columns))]
    for key in sorted(rows):
        cells = [rows[key].get(column, "-") for column in columns]
        text.append("| " + " | ".join([*key, *cells]) + " |")
    return [*text, ""]


def _order(column: str) -> tuple:
    """Returns a sort key that puts 6.1 before 6.12, and real-time and debug kernels last."""
    kernel, _, cpus = column.partition(", ")
    version, _, flavour = kernel.partition("-")
    return flavour, [int(part) if part.isdigit() else 99 for part in version.split(".")], cpus


def _cell(one: Ended) -> str:
    return f"{one.seconds:.0f}" if one.passed else "FAILED"


def main(arguments: list[str]) -> int:
    """Prints or writes the page. Returns 1 if a case failed or if the tree has no recorded case, else 0."""
    record = of_this_tree()
    if not record or not record.ended:
        print("no case is recorded for this tree: `make test-all` records them", file=sys.stderr)
        return 1
    if arguments:
        Path(arguments[0]).write_text(page(record))
        record.compact()
    else:
        print(page(record))
    return int(not all(one.passed for one in record.ended.values()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
