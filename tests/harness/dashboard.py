# SPDX-License-Identifier: GPL-2.0
"""Checks a Grafana dashboard against a schema and against metrics in Prometheus' text format.

The schema is the part of Grafana's published dashboard model that the dashboard uses. Grafana itself is not in Debian,
so no test loads the dashboard into Grafana, and no test sees its panels.
"""

import json
import re
from pathlib import Path

import jsonschema

SCHEMA = json.loads(Path(__file__).with_name("dashboard_schema.json").read_text())

#: Words of PromQL in the dashboards. All other words outside braces and `by (...)` are metrics.
WORDS = {"sum", "by", "rate", "increase", "histogram_quantile", "max", "label_values"}
VARIABLES = {"__rate_interval", "__range", "datasource"}
COLUMNS = 24


def samples(metrics: str) -> dict[str, set[str]]:
    """Returns the labels of each sample name, such as a_bucket."""
    found: dict[str, set[str]] = {}
    for line in metrics.splitlines():
        name = re.match(r"([a-z_]+)(?:\{(.*)\})? ", line)
        if name:
            found.setdefault(name[1], set()).update(re.findall(r'([a-z_]+)="', name[2] or ""))
    return found


def query_check(query: str, known: dict[str, set[str]], variables: set[str]) -> None:
    """Raises AssertionError if a query has a metric, label or variable that does not exist."""
    assert query.count("(") == query.count(")") and query.count("{") == query.count("}"), query
    for name in re.findall(r"\$\{?(\w+)", query):
        assert name in variables, f"{query}: no variable {name}"
    asked = re.sub(r"\[[^]]*\]", "", query)    # ranges
    labels = set(re.findall(r"(\w+)\s*=~?", " ".join(re.findall(r"\{([^}]*)\}", asked))))
    asked = re.sub(r"\{[^}]*\}", "", asked)
    labels |= {word for group in re.findall(r"by \(([^)]*)\)", asked) for word in re.findall(r"\w+", group)}
    asked = re.sub(r"by \([^)]*\)", "", asked)
    called = re.match(r"label_values\((\w+), (\w+)\)$", asked)
    if called:
        labels, asked = {called[2]}, called[1]
    names = {word for word in re.findall(r"[a-z_]\w*", asked) if word not in WORDS}
    assert names, f"{query}: no metric"
    for name in names:
        assert name in known, f"{query}: no metric {name}"
        assert labels <= known[name], f"{query}: {name} has no label {labels - known[name]}"


def panel_check(panel: dict, known: dict[str, set[str]], variables: set[str]) -> None:
    """Raises AssertionError if a panel lacks a key that Grafana requires, or has a wrong query or legend."""
    for key, kind in (("id", int), ("type", str), ("title", str), ("gridPos", dict), ("datasource", dict),
                      ("targets", list), ("fieldConfig", dict), ("options", dict)):
        assert isinstance(panel.get(key), kind), f'{panel.get("title")}: {key}'
    assert panel["type"] in ("stat", "table", "timeseries", "heatmap") and panel["targets"]
    assert panel["fieldConfig"]["defaults"]["unit"] and isinstance(panel["fieldConfig"]["overrides"], list)
    assert len({target["refId"] for target in panel["targets"]}) == len(panel["targets"])
    for target in panel["targets"]:
        assert target["datasource"] == panel["datasource"] == {"type": "prometheus", "uid": "${datasource}"}
        query_check(target["expr"], known, variables)
        legend = set(re.findall(r"\{\{(\w+)\}\}", target["legendFormat"]))
        kept = re.search(r"by \(([^)]*)\)", target["expr"])
        for name in legend if kept else ():
            assert name in re.findall(r"\w+", kept[1]), f'{target["expr"]}: the legend has {name}'


def schema_check(dashboard: dict) -> None:
    """Raises AssertionError if a dashboard does not have the form of Grafana's model."""
    for error in jsonschema.Draft7Validator(SCHEMA).iter_errors(dashboard):
        raise AssertionError(f'{"/".join(map(str, error.absolute_path))}: {error.message}')


def dashboard_check(dashboard: dict, metrics: str) -> None:
    """Raises AssertionError if a dashboard has a mistake."""
    schema_check(dashboard)
    known = samples(metrics)
    for key, kind in (("title", str), ("uid", str), ("schemaVersion", int), ("version", int), ("panels", list),
                      ("templating", dict), ("time", dict), ("annotations", dict), ("tags", list)):
        assert isinstance(dashboard.get(key), kind), key
    assert 0 < len(dashboard["uid"]) <= 40 and dashboard.get("id") is None
    chosen = dashboard["templating"]["list"]
    variables = VARIABLES | {variable["name"] for variable in chosen}
    assert [one["query"] for one in chosen if one["type"] == "datasource"] == ["prometheus"]
    for variable in chosen:
        if variable["type"] == "query":
            query_check(variable["query"]["query"], known, variables)
    taken: dict[tuple[int, int], str] = {}
    for panel in dashboard["panels"]:
        panel_check(panel, known, variables)
        at = panel["gridPos"]
        assert at["x"] + at["w"] <= COLUMNS, panel["title"]
        for place in ((x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])):
            assert place not in taken, f'{panel["title"]} is on {taken[place]}'
            taken[place] = panel["title"]
    assert len({panel["id"] for panel in dashboard["panels"]}) == len(dashboard["panels"])
