# SPDX-License-Identifier: GPL-2.0
"""Tests that the model of the rings finds defects in shared/channel/end.h, with one mistake at a time.

A programmer could plausibly make each mistake. One scenario must detect it, with the expected message.
"""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
FLAGS = ["-std=gnu11", "-O2", "-fno-strict-aliasing", "-w"]
SLEEP = "both sleep, and something"

#: name: (text in end.h, its replacement, scenario, the model's message)
MISTAKES = {
    "a sender looks before its message is visible": (
        "\tend->must_notify = false;\n\tLIMPET_FENCE();\n", "\tend->must_notify = false;\n", "messages", SLEEP),
    "a side looks before its sleep is visible": (
        "\tLIMPET_SAY(end->self->sleeping, what);\n\tLIMPET_FENCE();\n",
        "\tLIMPET_SAY(end->self->sleeping, what);\n", "messages", SLEEP),
    "a side does not report that it sleeps": (
        "\tLIMPET_SAY(end->self->sleeping, what);\n", "\t(void)what;\n", "messages", SLEEP),
    "a restarted side does not notify the other one": (
        "\tend->must_notify = true;\n", "", "both-die", "both sleep, and are not connected"),
    "a restarted side resets `seen` last": (
        "\tLIMPET_SAY(end->self->seen, 0u); /* first: limpet_end_doubt() */\n\tlimpet_end_zero(end);\n",
        "\tlimpet_end_zero(end);\n\tLIMPET_SAY(end->self->seen, 0u);\n", "sender-dies",
        "a side took the other one for broken"),
    "another generation counts as nonsense": (
        "\tif (LIMPET_CLAIM(end->peer->seen) == end->generation &&\n"
        "\t    LIMPET_CLAIM(end->peer->generation) == end->peer_generation)\n",
        "", "sender-dies", "a side took the other one for broken"),
    "the check for another generation is in the wrong order": (
        "\tif (LIMPET_CLAIM(end->peer->seen) == end->generation &&\n"
        "\t    LIMPET_CLAIM(end->peer->generation) == end->peer_generation)\n",
        "\tif (LIMPET_CLAIM(end->peer->generation) == end->peer_generation &&\n"
        "\t    LIMPET_CLAIM(end->peer->seen) == end->generation)\n",
        "sender-dies", "a side took the other one for broken"),
    "a side that sees another generation resets its counts too late": (
        "\t\tlimpet_end_zero(end);\n\t\tend->peer_generation = generation;\n"
        "\t\tLIMPET_SAY(end->self->seen, generation);\n",
        "\t\tend->peer_generation = generation;\n"
        "\t\tLIMPET_SAY(end->self->seen, generation);\n\t\tlimpet_end_zero(end);\n",
        "receiver-dies", ""),
    "a side does not wait until the other one has seen it": (
        "\treturn generation && LIMPET_CLAIM(end->peer->seen) == end->generation;\n",
        "\treturn generation;\n", "sender-dies", ""),
    "events of another generation are counted": (
        "\tif (count >> 63) {\n", "\tif (false) {\n", "events-die", "more events than were sent"),
    "a message is announced before its length is written": (
        "\tLIMPET_SAY(*(uint32_t *)(end->out + (end->next & (end->out_size - 1))), (uint32_t)length);\n"
        "\tlimpet_end_head(end, end->next + space);\n",
        "\tuint64_t next = end->next;\n\tlimpet_end_head(end, end->next + space);\n"
        "\tLIMPET_SAY(*(uint32_t *)(end->out + (next & (end->out_size - 1))), (uint32_t)length);\n",
        "messages", ""),
    "skipped bytes are not reported": (
        "\tif (skip)\n", "\tif (false)\n", "messages", ""),
    "skipped bytes are not counted": (
        "\tif (length > end->out_size || end->out_size - limpet_end_filled(end) < skip + space)\n",
        "\tif (length > end->out_size || end->out_size - limpet_end_filled(end) < space)\n",
        "messages", ""),
    "free space is not checked": (
        "end->out_size - limpet_end_filled(end) < skip + space)\n", "end->out_size < skip + space)\n",
        "messages", ""),
    "overwritten own words are not detected": (
        "\tif (!limpet_end_stands(end))\n", "\tif (false)\n", "scribbled", "both sleep"),
    "nonsense is dropped without a restart": (
        "\t\tlimpet_end_broken(end);\n}\n", "\t\tend->broken++;\n}\n", "scribbled-traffic", ""),
    "a message's length is believed": (
        "\tif (end->taken > used || end->taken > rest) {\n", "\tif (end->taken > used) {\n",
        "hostile-in", "a message outside of the ring"),
    "the other side's head is believed": (
        "\tif (used <= end->in_size)\n\t\treturn used;\n", "\treturn used;\n",
        "sender-dies", ""),
}


def build(tmp_path: Path, text: str) -> Path:
    """Builds the model with `text` in place of end.h. Returns the program."""
    header = tmp_path / "channel" / "end.h"
    header.parent.mkdir()
    header.write_text(text)
    program = tmp_path / "model"
    subprocess.run(["gcc", *FLAGS, f"-I{tmp_path}", f"-I{ROOT}/include", f"-I{ROOT}/tests/model",
                    *map(str, sorted((ROOT / "tests/model").glob("*.c"))), "-o", program],
                   check=True, timeout=60)
    return program


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistake_is_found(mistake: str, tmp_path: Path):
    right, wrong, scenario, says = MISTAKES[mistake]
    text = (ROOT / "shared/channel/end.h").read_text()
    assert text.count(right) == 1, "end.h has changed: so must the mistake"
    program = build(tmp_path, text.replace(right, wrong))
    run = subprocess.run([program, scenario], capture_output=True, text=True, timeout=120,
                         check=False)
    assert run.returncode == 1, run.stdout[-500:]
    assert run.stdout.startswith("WRONG: " + says), run.stdout[:200]


def test_unknown_scenario(tmp_path: Path):
    program = build(tmp_path, (ROOT / "shared/channel/end.h").read_text())
    assert subprocess.run([program, "no-such"], timeout=60, check=False).returncode == 2
