# SPDX-License-Identifier: GPL-2.0
"""Checks the Grafana dashboard against the metrics of a made-up system, and checks that dashboard_check() finds mistakes."""

import copy
import json
import os
import subprocess
from pathlib import Path

import jsonschema
import pytest

from tests.harness.dashboard import SCHEMA, dashboard_check, schema_check

TOP = Path(__file__).parents[3]
DASHBOARD = json.loads((TOP / "packaging/grafana/limpet.json").read_text())


@pytest.fixture(name="metrics", scope="module")
def fixture_metrics(tmp_path_factory):
    path = tmp_path_factory.mktemp("metrics") / "metrics"
    subprocess.run([TOP / "build/cli/test/report_page", "metrics", path], check=True, timeout=60,
                   env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"})
    return path.read_text()


def test_dashboard(metrics):
    dashboard_check(DASHBOARD, metrics)


def test_schema():
    jsonschema.Draft7Validator.check_schema(SCHEMA)
    schema_check(DASHBOARD)


def of_type(dashboard, kind):
    return next(panel for panel in dashboard["panels"] if panel["type"] == kind)


@pytest.mark.parametrize("damage", [
    lambda d: d.update(panel=[]), lambda d: d.update(version="1"), lambda d: d.update(uid="a b"), lambda d: d.update(uid="a" * 41),
    lambda d: d.update(schemaVersion=1), lambda d: d.update(refresh="often"), lambda d: d.update(graphTooltip=3),
    lambda d: d["time"].update(until="now"), lambda d: d["time"].pop("from"),
    lambda d: d["templating"]["list"][0].update(hide=3), lambda d: d["templating"]["list"][0].update(type="source"),
    lambda d: d["panels"][0].update(kind="stat"), lambda d: d["panels"][0].update(id="1"), lambda d: d["panels"][0].pop("fieldConfig"),
    lambda d: d["panels"][0]["gridPos"].update(w=25), lambda d: d["panels"][0]["gridPos"].update(h=0),
    lambda d: d["panels"][0]["fieldConfig"]["defaults"].update(units="s"),
    lambda d: d["panels"][0]["fieldConfig"]["defaults"].update(color={"mode": "red"}),
    lambda d: d["panels"][0]["fieldConfig"]["defaults"].update(thresholds={"mode": "absolute", "steps": [{"value": 1}]}),
    lambda d: d["panels"][0]["fieldConfig"]["defaults"].update(mappings=[{"type": "value", "options": {"0": "no"}}]),
    lambda d: d["panels"][0]["targets"][0].update(format="graph"), lambda d: d["panels"][0]["targets"][0].pop("expr"),
    lambda d: of_type(d, "stat")["options"].update(colorMode="blue"),
    lambda d: of_type(d, "stat")["options"]["reduceOptions"].update(calc=["last"]),
    lambda d: of_type(d, "heatmap")["options"]["color"].update(steps=1),
    lambda d: of_type(d, "heatmap")["options"]["color"].pop("fill"),
    lambda d: of_type(d, "table")["transformations"][0].pop("id"),
])
def test_schema_finds_mistakes(damage):
    dashboard = copy.deepcopy(DASHBOARD)
    damage(dashboard)
    with pytest.raises(AssertionError):
        schema_check(dashboard)


def test_covers_the_times(metrics):
    """The dashboard has a panel for each histogram of jobs."""
    queries = json.dumps(DASHBOARD)
    names = {line.split()[2] for line in metrics.splitlines() if line.startswith("# TYPE") and line.endswith("histogram")}
    assert len(names) == 3 and all(f"{name}_bucket" in queries for name in names)


@pytest.mark.parametrize("before, after", [
    ("limpet_job_run_seconds_bucket", "limpet_job_walk_seconds_bucket"),
    ("sum by (le, component, thread)", "sum by (le, color)"),
    ("$id", "$system"),
    ("label_values(limpet_system_info, id)", "label_values(limpet_system_info, name)"),
    ("sum by (component)", "sum by (component"),
    ('"type": "stat"', '"type": "gaugeboard"'),
    ('"y": 4', '"y": 3'),
    ('"unit": "s"', '"unit": ""'),
    ('"uid": "limpet"', '"uid": ""'),
    ("{{component}}, faults", "{{image}}, faults"),
])
def test_mistakes(metrics, before, after):
    text = json.dumps(DASHBOARD)
    assert before in text
    with pytest.raises(AssertionError):
        dashboard_check(json.loads(text.replace(before, after)), metrics)


@pytest.mark.parametrize("key", ["title", "uid", "schemaVersion", "panels", "templating"])
def test_required(metrics, key):
    dashboard = copy.deepcopy(DASHBOARD)
    del dashboard[key]
    with pytest.raises((AssertionError, KeyError)):
        dashboard_check(dashboard, metrics)
