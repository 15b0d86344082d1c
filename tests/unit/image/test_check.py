# SPDX-License-Identifier: BSD-2-Clause
"""Tests the image checker with 100,000 random damages under sanitizers, and with cases that damages do not reach."""

import re
import subprocess

import good
import pytest
import support

SEEDS, EACH = (1, 2), 50_000
# A few random changes do not lead to these reasons.
RARE = {"must leave at most 1023 threads on its CPU", "must be 3 for a component that can be updated",
        "must be in one of at most 64 resources, including parts of PCI functions",
        "must have the place, size and rights of its part for updates", "must not form a cycle of memory managers",
        "must use all segments, wires and arguments of the tables", "is a component with more than 16 channels",
        "is already the name of another channel", "must not be attached twice",
        "must not form a chain of more than 4 executives"}
GCC = ["gcc", "-std=gnu11", "-g", "-O2", "-Wall", "-Wextra", "-Werror", "-Ishared", "-Iinclude"]
SANITIZE = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]


@pytest.fixture(scope="module")
def image(tmp_path_factory):
    path = tmp_path_factory.mktemp("image") / "good.limpet"
    path.write_bytes(good.pack())
    return path


def reasons():
    """Returns the reason of each refuse() in the checker."""
    text = "".join(path.read_text() for path in support.CHECKER)
    calls = [call.split(";")[0].split('"') for call in re.split(r"refuse\(\s*c,\s*", text)[1:]]
    return {call[-2] for call in calls if len(call) > 2}


def test_random_damage(image, tmp_path):
    """Each image is refused with a field and a reason, or read completely."""
    fuzz, correct = tmp_path / "fuzz", tmp_path / "correct.o"
    result = support.run(*GCC, "-c", "-o", correct, "tests/unit/image/correct.c")
    assert result.returncode == 0, result.stderr
    result = support.run(*GCC, *SANITIZE, "-o", fuzz, "tests/unit/image/fuzz.c",
                         "tests/unit/image/walk.c", *support.CHECKER, correct)
    assert result.returncode == 0, result.stderr
    runs = [subprocess.Popen([fuzz, image, str(seed), str(EACH)], text=True, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE) for seed in SEEDS]
    seen = ""
    for run in runs:
        output, messages = run.communicate(timeout=300)
        assert run.returncode == 0, messages[-4000:]
        seen += output
    missing = {reason for reason in reasons() if reason not in seen} - RARE
    assert not missing


def test_good_image_is_accepted(built, image):
    result = support.run(built / "tools" / "image-check", image)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("threads, code", [(1018, 0), (1019, 1)])
def test_threads_of_a_cpu(built, tmp_path, threads, code):
    """The system has five threads. A CPU can have 1023 in addition to the booter's."""
    path = tmp_path / "many.limpet"
    path.write_bytes(good.pack(threads))
    result = support.run(built / "tools" / "image-check", path)
    assert result.returncode == code
    assert code == 0 or "must leave at most 1023 threads on its CPU" in support.only_line(result)


@pytest.mark.parametrize("count, code", [(4, 0), (5, 1)])
def test_chain_of_executives(built, tmp_path, count, code):
    path = tmp_path / "chain.limpet"
    path.write_bytes(good.pack_chain(count))
    result = support.run(built / "tools" / "image-check", path)
    assert result.returncode == code, result.stderr
    assert code == 0 or "[component.guest 11]: The value 10 must not form a chain of more than 4" in support.only_line(result)


@pytest.mark.parametrize("last, code", [("INTERRUPT", 0), ("PCI", 1)])
def test_resources_of_a_system(built, tmp_path, last, code):
    """Nine PCI functions of seven parts, and one more resource, are 64."""
    path = tmp_path / "many.limpet"
    path.write_bytes(good.pack_resources(["PCI"] * 9 + [last]))
    result = support.run(built / "tools" / "image-check", path)
    assert result.returncode == code, result.stderr
    assert code == 0 or "must be in one of at most 64 resources, including parts" in support.only_line(result)


@pytest.mark.parametrize("one, other, reason", [
    (16, 238, None), (17, 0, "[channel.component 16]: The value 7 is a component with more than 16 channels"),
    (16, 239, "[channel.number 254]: The value 256 must be the next number of its CPU, and at most 255")])
def test_channels_of_a_component_and_a_cpu(built, tmp_path, one, other, reason):
    path = tmp_path / "many.limpet"
    path.write_bytes(good.pack_channels(one=one, other=other))
    result = support.run(built / "tools" / "image-check", path)
    assert result.returncode == (1 if reason else 0), result.stderr
    assert not reason or reason in support.only_line(result)


@pytest.mark.parametrize("times, reason", [(1, None), (2, "[channel.number 6]: The value 3 must not be attached twice")])
def test_attached_buffers(built, tmp_path, times, reason):
    path = tmp_path / "attached.limpet"
    path.write_bytes(good.pack_attached(times))
    result = support.run(built / "tools" / "image-check", path)
    assert result.returncode == (1 if reason else 0), result.stderr
    assert not reason or reason in support.only_line(result)


def test_a_buffer_of_a_later_component(built, tmp_path):
    path = tmp_path / "attached.limpet"
    path.write_bytes(good.pack_attached_before())
    result = support.run(built / "tools" / "image-check", path)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("name, mode, code", [
    ("a" * 31, "messages", 0), ("a" * 32, "messages", 1), ("a" * 15, "network", 0),
    ("a" * 16, "network", 1), ("control", "messages", 1), ("controls", "bytes", 0),
    ("guest", "messages", 1), ("guests", "bytes", 0), ("guest.1", "bytes", 0),
    ("a-b.c9", "network", 0), ("9a", "messages", 1), ("a/b", "messages", 1), ("..", "bytes", 1)])
def test_name_of_a_channel(built, tmp_path, name, mode, code):
    path = tmp_path / "named.limpet"
    path.write_bytes(good.pack_channels(name, 1, mode=mode))
    result = support.run(built / "tools" / "image-check", path)
    assert result.returncode == code, result.stderr
    assert code == 0 or "[channel.name 0]: The field must be a valid name" in support.only_line(result)


def test_calls_grow_with_the_number_of_channels(tmp_path):
    """The checker's calls are counted. Comparing each name with all names would make the factor about 4."""
    program = tmp_path / "calls"
    result = support.run(*GCC[:-3], "-O0", "-finstrument-functions", "-Ishared", "-Iinclude", "-o", program,
                         "tests/unit/image/calls.c", *support.CHECKER)
    assert result.returncode == 0, result.stderr
    calls = []
    for count in (64, 128, 254):
        path = tmp_path / f"{count}.limpet"
        path.write_bytes(good.pack_channels(one=16, other=count - 16))
        result = support.run(program, path)
        assert result.returncode == 0, result.stderr
        calls.append(int(result.stdout))
    assert calls[2] - calls[1] < 2.5 * (calls[1] - calls[0])


def test_without_ramdisk(built, tmp_path):
    path = tmp_path / "none.limpet"
    path.write_bytes(good.pack(ramdisk=b""))
    assert support.run(built / "tools" / "image-check", path).returncode == 0


def test_freestanding(tmp_path):
    """The checker calls no functions outside its files, so that it can be linked into the kernel module."""
    together = tmp_path / "check.o"
    result = support.run("gcc", "-std=gnu11", "-O2", "-ffreestanding", "-mgeneral-regs-only", "-Iinclude",
                         "-r", "-nostdlib", "-o", together, *support.CHECKER)
    assert result.stderr == ""
    assert support.run("nm", "-u", together).stdout == ""


def test_parts_of_a_component_that_can_be_replaced(built, tmp_path):
    """The parts have equal sizes and follow one another."""
    path = tmp_path / "update.limpet"
    path.write_bytes(good.pack_update())
    result = support.run(built / "tools" / "image-check", path)
    assert "must have the place, size and rights of its part for updates" in support.only_line(result)
