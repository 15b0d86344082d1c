# SPDX-License-Identifier: GPL-2.0
"""`limpet bridge` between FIFOs in place of channels, and programs of Eclipse Cyclone DDS that do not know Limpet.

A FIFO keeps messages apart, as a channel does, if its writer has set O_DIRECT: pipe(2). It then holds 16 messages.
"""

import contextlib
import fcntl
import json
import os
import re
import signal
import struct
import subprocess
import threading
import time
from pathlib import Path

import pytest

HERE = Path(__file__).parent
LIMPET = Path(os.environ.get("LIMPET") or HERE.parents[2] / "build/cli/limpet")
DOMAIN = 1 + os.getpid() % 200
#: Only the loopback device, without multicast. DDS removes a participant that was killed or stopped when its lease
#: ends. The lease is long, so that a delay of the machine does not end it.
LEASE = "60s"
NETWORK = f"""<CycloneDDS><Domain id="{DOMAIN}"><General><Interfaces><NetworkInterface address="127.0.0.1"/></Interfaces>
<AllowMulticast>false</AllowMulticast></General><Discovery><ParticipantIndex>auto</ParticipantIndex>
<Peers><Peer address="127.0.0.1"/></Peers><LeaseDuration>%s</LeaseDuration></Discovery>%s</Domain></CycloneDDS>"""
#: DDS then accepts 1,024 bytes, 86 numbers, that subscribers have not acknowledged.
NARROW = """<Internal><Watermarks><WhcLow>1 KiB</WhcLow><WhcHigh>1 KiB</WhcHigh><WhcHighInit>1 KiB</WhcHighInit>
<WhcAdaptive>false</WhcAdaptive></Watermarks></Internal>"""
FLOAT = "rt/speed std_msgs::msg::dds_::Float64_\nfield double value 1 0\n"
#: Mixed of types.idl: time, string<7>, boolean, sequence<double, 3>, float[3], sequence<boolean, 4>, int16, octet.
MIXED = """rt/mixed limpet_test::msg::dds_::Mixed_
field int32 value 1 0
field uint32 value 1 4
field string string 8 8
field boolean value 1 16
field double sequence 3 20
field float array 3 48
field boolean sequence 4 60
field int16 value 1 68
field octet value 1 70
"""
MIXED_STRUCT = struct.Struct("<iI8s?3xI3d3fI4BhBx")
WAIT = 240


@pytest.fixture(name="peer", scope="session")
def built_peer(tmp_path_factory):
    """Builds the program that uses DDS and does not know Limpet."""
    folder = tmp_path_factory.mktemp("peer")
    subprocess.run(["idlc", "-o", folder, HERE / "types.idl"], check=True)
    subprocess.run(["gcc", "-O1", f"-I{folder}", "-o", folder / "peer", HERE / "peer.c", folder / "types.c", "-lddsc"],
                   check=True)
    return folder / "peer"


def preloaded(folder, name):
    """Builds a library that is loaded before all others. Returns its path."""
    library = folder / f"{name}.so"
    subprocess.run(["gcc", "-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-o", library, HERE / f"{name}.c"], check=True)
    return library


@pytest.fixture(name="late", scope="session")
def built_late(tmp_path_factory):
    """Builds the library that delays discovery."""
    return preloaded(tmp_path_factory.mktemp("late"), "late")


@pytest.fixture(name="whole", scope="session")
def built_whole(tmp_path_factory):
    """Builds the library that makes FIFOs refuse a read that is shorter than the message."""
    return preloaded(tmp_path_factory.mktemp("whole"), "whole")


class Process:
    """A running program, with the lines that it has printed."""

    def __init__(self, *words, lease=LEASE, internal="", **environment):
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        env={**os.environ, "ROS_DOMAIN_ID": str(DOMAIN),
                                             "CYCLONEDDS_URI": NETWORK % (lease, internal), **environment})
        self.out, self.err, self._changed = [], [], threading.Condition()
        self._threads = [threading.Thread(target=self._collect, args=pair) for pair in
                         ((self.process.stdout, self.out), (self.process.stderr, self.err))]
        for thread in self._threads:
            thread.start()

    def _collect(self, stream, lines):
        for line in stream:
            with self._changed:
                lines.append(line.rstrip("\n"))
                self._changed.notify_all()

    def wait(self, found):
        """Waits until found() is true, and returns its result. Each line that is printed can change the result."""
        with self._changed:
            result = self._changed.wait_for(found, WAIT)
            assert result, (len(self.out), self.out[-3:], self.err)
            return result

    def wait_err(self, pattern):
        """Waits for a line on stderr, and returns its match."""
        return self.wait(lambda: next((match for line in self.err if (match := re.search(pattern, line))), None))

    def wait_out(self, count):
        """Waits for a number of lines on stdout."""
        self.wait(lambda: len(self.out) >= count)

    def stop(self):
        """Stops the process. All its threads have stopped at the return, as far as Linux reports."""
        self.process.send_signal(signal.SIGSTOP)
        states = list(Path(f"/proc/{self.process.pid}/task").glob("*/stat"))
        end = time.monotonic() + WAIT
        while any(state.read_text().rpartition(")")[2].split()[0] != "T" for state in states):
            assert time.monotonic() < end, "the process does not stop"
            time.sleep(0.001)

    def end(self, number=None):
        """Sends the signal, if any, and waits for the end. Returns the status and all output."""
        if number:
            self.process.send_signal(number)
        status = self.process.wait(WAIT)
        for thread in self._threads:
            thread.join()
        return status, self.out, self.err


class Case:
    """The table and the processes of a test. The processes end with the test."""

    def __init__(self, folder, peer):
        self.folder, self.peer, self.stack = folder, peer, contextlib.ExitStack()
        self.table = folder / "test.bridge"

    def run(self, *words, **settings):
        process = Process(*words, **settings)
        self.stack.callback(lambda: process.process.poll() is None and process.end(signal.SIGKILL))
        return process

    def bridge(self, *words, **settings):
        return self.run(LIMPET, "bridge", *words, self.table, **settings)

    def other(self, *words, **settings):
        return self.run(self.peer, *words, **settings)

    def channel(self, qos, row, size=8):
        """Writes a table with a FIFO as channel. Returns a file descriptor of the FIFO."""
        path = self.folder / "fifo"
        os.mkfifo(path)
        self.table.write_text(f"limpet-bridge 1\nbridge {size} {qos} {path} {row}")
        fd = os.open(path, os.O_RDWR)
        fcntl.fcntl(fd, fcntl.F_SETFL, os.O_DIRECT)
        self.stack.callback(os.close, fd)
        return fd


@pytest.fixture(name="case")
def case_of_test(tmp_path, peer):
    case = Case(tmp_path, peer)
    with case.stack:
        yield case


def send(fd, first, last):
    """Writes numbers like a component. Waits while the channel is full."""
    for number in range(first, last):
        os.write(fd, struct.pack("<d", number))


def sending(fd, first, last):
    """Returns a thread that sends. A failed test does not wait for it."""
    sender = threading.Thread(target=send, args=(fd, first, last), daemon=True)
    sender.start()
    return sender


def left(bridge, subscribers=1):
    """Waits until this number of subscribers have left, one after the other. Returns the messages sent before."""
    def found():
        lines = [line for line in bridge.err if "1 subscriber left" in line]
        return lines[subscribers - 1:] and re.search(r"after (\d+) messages, 0 now\. .* in flight are lost", lines[-1])
    return int(bridge.wait(found)[1])


def numbers(process):
    return [int(line) for line in process.out]


ALL = "reliable volatile keep_all 1"


def test_all_messages_arrive_in_order(case):
    fd = case.channel(f"publish {ALL}", FLOAT)
    bridge = case.bridge("--json")
    sender = sending(fd, 0, 3000)
    subscriber = case.other("take", "rt/speed", "3000")
    assert subscriber.end()[0] == 0
    sender.join()
    assert numbers(subscriber) == list(range(3000))
    status, out, _ = bridge.end(signal.SIGTERM)
    counts = json.loads(out[0])["topics"][0]
    assert status == 0 and counts["messages"] == 3000 and counts["acknowledged"]
    assert counts["refused"] == counts["without_subscriber"] == counts["lost"] == 0


def test_restarted_subscriber_loses_what_was_in_flight(case):
    fd = case.channel(f"publish {ALL}", FLOAT)
    bridge = case.bridge()
    sender = sending(fd, 0, 3000)
    first = case.other("take", "rt/speed", "500")
    first.wait_out(500)
    sent = left(bridge)
    second = case.other("take", "rt/speed", "0")
    second.wait_out(3000 - sent)
    assert numbers(first) == list(range(500)) and sent >= 500
    assert numbers(second) == list(range(sent, 3000))
    sender.join()


def test_message_that_a_lost_subscriber_did_not_accept_goes_to_the_next(case):
    fd = case.channel(f"publish {ALL}", FLOAT)
    fcntl.fcntl(fd, fcntl.F_SETPIPE_SZ, 1 << 20)
    bridge = case.bridge("--json", internal=NARROW)
    send(fd, 0, 200)
    sent, first = 200, 0
    for count in range(5):
        subscriber = case.other("take", "rt/speed", "0", lease="1s")
        subscriber.wait_out(sent - first)
        assert numbers(subscriber) == list(range(first, sent))
        subscriber.stop()
        send(fd, sent, sent + 200)
        sent += 200
        first = left(bridge, count + 1)
        assert first < sent - 16
        subscriber.end(signal.SIGKILL)
    _, out, err = bridge.end(signal.SIGTERM)
    counts = json.loads(out[-1])["topics"][0]
    lost = len([line for line in err if "1 message is lost, because the topic has no subscriber" in line])
    assert counts["messages"] == first and counts["without_subscriber"] == 0 and counts["acknowledged"] == (not lost)
    assert struct.unpack("<d", os.read(fd, 8))[0] == first + lost


def test_subscriber_that_discovers_the_bridge_late_loses_nothing(case, late):
    fd = case.channel(f"publish {ALL}", FLOAT)
    sender = sending(fd, 0, 3000)
    case.bridge()
    subscriber = case.other("take", "rt/speed", "0", LD_PRELOAD=str(late), LATE_SAMPLES="500")
    assert int(subscriber.wait_err(r"late: an announcement after (\d+) samples")[1]) >= 500
    subscriber.wait_out(3000)
    assert numbers(subscriber) == list(range(3000))
    sender.join()


def test_stopped_subscriber_is_reported_at_the_end(case):
    fd = case.channel(f"publish {ALL}", FLOAT)
    bridge = case.bridge("--json")
    subscriber = case.other("take", "rt/speed", "2")
    send(fd, 0, 1)
    subscriber.wait_out(1)
    subscriber.stop()
    send(fd, 1, 2)
    passed(bridge, 2)
    status, out, err = bridge.end(signal.SIGTERM)
    assert status == 0 and not json.loads(out[-1])["topics"][0]["acknowledged"]
    assert [line for line in err if "rt/speed: Subscribers have not acknowledged all samples in time" in line]


def test_restarted_bridge_loses_nothing(case):
    fd = case.channel(f"publish {ALL}", FLOAT)
    subscriber = case.other("take", "rt/speed", "2000")
    sender = sending(fd, 0, 2000)
    for count in (200, 700):
        bridge = case.bridge()
        bridge.wait_err("1 topic in domain")
        subscriber.wait_out(count)
        status, _, err = bridge.end(signal.SIGTERM)
        assert status == 0 and not [line for line in err if "not acknowledged" in line]
    case.bridge()
    assert subscriber.end()[0] == 0
    sender.join()
    assert numbers(subscriber) == list(range(2000))


def test_killed_bridge_loses_what_was_in_flight(case):
    fd = case.channel(f"publish {ALL}", FLOAT)
    subscriber = case.other("take", "rt/speed", "0")
    sender = sending(fd, 0, 2000)
    bridge = case.bridge()
    subscriber.wait_out(300)
    bridge.end(signal.SIGKILL)
    case.bridge("--json")
    sender.join()
    last = 2000
    while not subscriber.out or int(subscriber.out[-1]) < 2000:
        count = len(subscriber.out)
        send(fd, last, last + 1)
        subscriber.wait_out(count + 1)
        last += 1
    got = numbers(subscriber)
    gaps = [(a, b) for a, b in zip(got, got[1:]) if b != a + 1]
    assert got[0] == 0 and len(gaps) <= 1 and all(b > a for a, b in gaps)


def test_samples_go_to_the_channel_in_order(case):
    fd = case.channel(f"subscribe {ALL}", FLOAT)
    bridge = case.bridge("--json")
    publisher = case.other("send", "rt/speed", "9000", "100000")
    bridge.wait_err("1 publisher came")
    got = [struct.unpack("<d", os.read(fd, 8))[0] for _ in range(9000)]
    assert got == list(range(9000))
    assert publisher.end()[0] == 0
    assert int(bridge.wait_err(r"1 publisher left after (\d+) messages, 0 now")[1]) <= 9000
    assert passed(bridge, 9000)["messages"] == 9000


def test_samples_that_do_not_fit_into_the_channel_are_reported_at_the_end(case):
    fd = case.channel(f"subscribe {ALL}", FLOAT)
    fcntl.fcntl(fd, fcntl.F_SETPIPE_SZ, 4096)
    bridge = case.bridge()
    assert case.other("send", "rt/speed", "1000", "100000").end()[0] == 0
    _, _, err = bridge.end(signal.SIGTERM)
    lost = next(int(match[1]) for line in err if (match := re.search(r"(\d+) samples are lost, because channel", line)))
    assert lost == 1000 - len(os.read(fd, 8000)) // 8


def test_waits_for_a_channel(case):
    fd = case.channel(f"publish {ALL}", FLOAT)
    fifo, away = case.folder / "fifo", case.folder / "away"
    fifo.rename(away)
    bridge = case.bridge()
    bridge.wait_err("fifo: Waiting for the channel, because no system with this channel runs")
    away.rename(fifo)
    subscriber = case.other("take", "rt/speed", "10")
    send(fd, 0, 10)
    assert subscriber.end()[0] == 0


def test_channel_that_cannot_be_opened(case):
    case.table.write_text(f"limpet-bridge 1\nbridge 8 publish {ALL} {case.folder} {FLOAT}")
    status, _, err = case.bridge().end()
    assert status == 1 and err[-1] == f"limpet bridge: {case.folder}: Is a directory"


def test_each_kind_of_field_from_the_channel(case):
    fd = case.channel(f"publish {ALL}", MIXED, MIXED_STRUCT.size)
    case.bridge()
    subscriber = case.other("take-mixed", "rt/mixed")
    os.write(fd, MIXED_STRUCT.pack(-1, 2, b"base", True, 2, 0.5, 1e300, 7, 1, 2, 3, 3, 1, 0, 9, 7, -5, 200))
    assert subscriber.end()[:2] == (0, ["-1.2 'base' 1 [ 0.5 1e+300 ] 1 2 3 [ 1 0 1 ] -5 200"])


def test_each_kind_of_field_to_the_channel(case):
    fd = case.channel(f"subscribe {ALL}", MIXED, MIXED_STRUCT.size)
    bridge = case.bridge()
    case.other("send-mixed", "rt/mixed", "too long").end()
    assert bridge.wait_err("A message for rt/mixed is dropped: a string is longer than its bound")
    case.other("send-mixed", "rt/mixed", "7 bytes").end()
    assert MIXED_STRUCT.unpack(os.read(fd, 200)) == (
        -3, 4, b"7 bytes\0", True, 2, 1.5, -2, 0, 7, 8, 9, 3, 1, 0, 1, 0, -32768, 255)


def test_wrong_messages_are_refused(case):
    fd = case.channel(f"publish {ALL}", MIXED, MIXED_STRUCT.size)
    bridge = case.bridge("--json")
    subscriber = case.other("take-mixed", "rt/mixed")
    good = [1, 2, b"x", True, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    no_end, long_sequence = list(good), list(good)
    no_end[2], long_sequence[4] = b"12345678", 4
    packed = MIXED_STRUCT.pack(*good)
    for wrong in (packed[:-1], packed + b"x", packed * 3, MIXED_STRUCT.pack(*no_end), MIXED_STRUCT.pack(*long_sequence)):
        os.write(fd, wrong)
    os.write(fd, packed)
    assert subscriber.end()[1] == ["1.2 'x' 1 [ ] 0 0 0 [ ] 0 0"]
    status, out, err = bridge.end(signal.SIGINT)
    counts = json.loads(out[0])["topics"][0]
    assert status == 0 and counts["refused"] == 5 and counts["messages"] == 1
    assert len([line for line in err if "is dropped: its length is not that of the type" in line]) == 1


def test_message_that_is_much_too_long_is_refused(case, whole):
    fd = case.channel("publish reliable volatile keep_last 8", FLOAT)
    bridge = case.bridge("--json", LD_PRELOAD=str(whole))
    os.write(fd, bytes(4000))
    bridge.wait_err("is dropped: its length is not that of the type")
    send(fd, 1, 2)
    passed(bridge, 1)
    status, out, _ = bridge.end(signal.SIGTERM)
    assert status == 0 and json.loads(out[-1])["topics"][0]["refused"] == 1


def passed(bridge, count):
    """Waits until a bridge has passed at least `count` messages on. Returns its counts."""
    bridge.wait_err("1 topic in domain")
    while True:
        lines = len(bridge.out)
        bridge.process.send_signal(signal.SIGUSR1)
        bridge.wait_out(lines + 1)
        counts = json.loads(bridge.out[-1])["topics"][0]
        if counts["messages"] >= count:
            return counts


def test_without_subscribers_history_keep_last_drops_messages(case):
    fd = case.channel("publish best_effort volatile keep_last 1", FLOAT)
    bridge = case.bridge("--json")
    send(fd, 0, 100)
    assert passed(bridge, 100)["without_subscriber"] == 100


def test_quality_that_does_not_fit_is_reported(case):
    case.channel("publish best_effort volatile keep_last 1", FLOAT)
    bridge = case.bridge()
    case.other("take", "rt/speed", "1")
    bridge.wait_err("A subscriber is not connected, because its reliability does not fit")


def test_late_subscriber_of_transient_local_gets_the_last(case):
    fd = case.channel("publish reliable transient_local keep_last 3", FLOAT)
    send(fd, 0, 10)
    passed(case.bridge("--json"), 10)
    late = case.other("take-last", "rt/speed", "3")
    assert late.end()[0] == 0
    assert numbers(late) == [7, 8, 9]


BAD_TABLES = {
    "version": "limpet-bridge 2\n",
    "empty": "",
    "no field": f"limpet-bridge 1\nbridge 8 publish {ALL} c t T\n",
    "field first": "limpet-bridge 1\nfield double value 1 0\n",
    "direction": f"limpet-bridge 1\nbridge 8 both {ALL} c t T\nfield double value 1 0\n",
    "size": f"limpet-bridge 1\nbridge 65537 publish {ALL} c t T\nfield double value 1 0\n",
    "outside": f"limpet-bridge 1\nbridge 8 publish {ALL} c t T\nfield double array 2 0\n",
    "sequence": f"limpet-bridge 1\nbridge 16 publish {ALL} c t T\nfield double sequence 2 0\n",
    "huge": f"limpet-bridge 1\nbridge 8 publish {ALL} c t T\nfield double array 536870913 0\n",
    "unaligned": f"limpet-bridge 1\nbridge 16 publish {ALL} c t T\nfield double value 1 4\n",
    "type": f"limpet-bridge 1\nbridge 16 publish {ALL} c t T\nfield doubles value 1 0\n",
    "string of numbers": f"limpet-bridge 1\nbridge 16 publish {ALL} c t T\nfield double string 1 0\n",
    "more": f"limpet-bridge 1\nbridge 16 publish {ALL} c t T x\nfield double value 1 0\n",
}


@pytest.mark.parametrize("text", BAD_TABLES.values(), ids=BAD_TABLES)
def test_bad_table(tmp_path, text):
    table = tmp_path / "bad.bridge"
    table.write_text(text)
    done = subprocess.run([LIMPET, "bridge", table], capture_output=True, text=True, timeout=WAIT)
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1
    assert re.match(rf"limpet bridge: {table}(:\d)?: (This is not a line of a table|The table has no topic)", done.stderr)


def test_wrong_usage(tmp_path):
    for status, words, said in ((2, ["--domain", "233", "x"], "--domain 233: must be 0 to 232"), (2, [], "The table"),
                                (1, [tmp_path / "missing"], "Give the table that limpet-compose writes")):
        done = subprocess.run([LIMPET, "bridge", *words], capture_output=True, text=True, timeout=WAIT)
        assert done.returncode == status and said in done.stderr


@pytest.mark.parametrize("words, said", [([], "ROS_DOMAIN_ID=233: must be 0 to 232"), (["--domain", "0"], "Give the table")])
def test_domain_of_the_environment(tmp_path, words, said):
    done = subprocess.run([LIMPET, "bridge", *words, tmp_path / "missing"], capture_output=True, text=True, timeout=WAIT,
                          env={**os.environ, "ROS_DOMAIN_ID": "233"})
    assert done.returncode == 1 and said in done.stderr
