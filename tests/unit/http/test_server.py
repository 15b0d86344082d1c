# SPDX-License-Identifier: BSD-2-Clause
"""Tests the HTTP server's components, as a program on POSIX sockets, with correct and incorrect clients."""

import contextlib
import http.client
import json
import random
import re
import shutil
import socket
import subprocess
import sys
import time
import xml.etree.ElementTree
from pathlib import Path

import pytest

TOP = Path(__file__).parents[3]
BUILD = TOP / "build/unit/http"
sys.path.insert(0, str(TOP / "tools"))
from compose import ramdisk     # noqa: E402  pylint: disable=wrong-import-position

HOST = b"Host: a\r\n"


class Program:
    """Runs a component as a program, with a `port` of its own."""

    def __init__(self, name: str, *words: str, said: str = "") -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.process = subprocess.Popen([BUILD / name, f"port={self.port}", *words], text=True,
                                        stderr=subprocess.PIPE)
        if said:
            assert said in self.process.stderr.readline()
        self.said = self.process.stderr.readline()
        assert "is open" in self.said

    def end(self) -> str:
        """Ends the program and returns its output. Fails if a sanitizer has already ended it."""
        assert self.process.poll() is None, self.process.stderr.read()
        self.process.terminate()
        return self.process.communicate(timeout=20)[1]

    def connect(self) -> socket.socket:
        """Returns a connection with a timeout of 20 s."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=20)

    def url(self, path: str) -> str:
        """Returns the URL of a path, for clients."""
        return f"http://127.0.0.1:{self.port}/{path}"


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> Path:
    """Makes a ramdisk. Returns its path."""
    folder = tmp_path_factory.mktemp("files")
    (folder / "deep").mkdir()
    (folder / "deep/index.html").write_text("the folder's page")
    (folder / "empty.txt").write_bytes(b"")
    (folder / "long.bin").write_bytes(random.Random(1).randbytes(300000))
    (folder / "short.txt").write_text("short")
    archive = folder.parent / "archive"
    archive.write_bytes(ramdisk.pack(folder))
    return archive


@pytest.fixture
def server(files: Path):
    """Runs a server with short timeouts."""
    program = Program("server", f"ramdisk={files}", "connections=8", "idle-ms=400", "request-ms=500",
                      "send-ms=700")
    yield program
    program.end()


def answers(stream: socket.socket) -> bytes:
    """Returns all bytes until the server ends the connection."""
    text = b""
    with contextlib.suppress(ConnectionResetError):
        while piece := stream.recv(65536):
            text += piece
    return text


def answer_to(server: Program, request: bytes) -> bytes:
    """Returns the answer to one or more requests, after which nothing is sent."""
    with server.connect() as stream:
        stream.sendall(request)
        return answers(stream)


def codes(text: bytes) -> list[int]:
    """Returns the codes of consecutive answers."""
    return [int(code) for code in re.findall(rb"HTTP/1\.1 (\d+) [^\r]+\r\nServer", text)]


def figures(server: Program) -> dict:
    """Returns the figures that the server reports."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    connection.request("GET", "/figures.json")
    return json.load(connection.getresponse())


@pytest.mark.parametrize("path, size, kind", [
    ("short.txt", 5, "text/plain; charset=utf-8"), ("empty.txt", 0, "text/plain; charset=utf-8"),
    ("long.bin", 300000, "application/octet-stream"), ("deep/", 17, "text/html; charset=utf-8"),
    ("./deep/../deep/index.html?x=y", 17, "text/html; charset=utf-8")])
def test_files(server, path, size, kind):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    for method in ("GET", "HEAD", "GET"):
        connection.request(method, "/" + path)
        answer = connection.getresponse()
        body = answer.read()
        assert (answer.status, answer.getheader("Content-Type")) == (200, kind)
        assert int(answer.getheader("Content-Length")) == size
        assert len(body) == (0 if method == "HEAD" else size)
    if path == "long.bin":
        assert body == random.Random(1).randbytes(300000)


@pytest.mark.parametrize("request_text, code", [
    (b"GET /none HTTP/1.1\r\n" + HOST + b"\r\n", 404),
    (b"GET / HTTP/1.1\r\n\r\n", 400),
    (b"rubbish\r\n\r\n", 400),
    (b"POST / HTTP/1.1\r\n" + HOST + b"Content-Length: 3\r\n\r\nabc", 405),
    (b"GET / HTTP/1.1\r\n" + HOST + b"Content-Length: 99999999\r\n\r\n", 413),
    (b"POST / HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", 411),
    (b"GET /" + b"a" * 5000 + b" HTTP/1.1\r\n" + HOST + b"\r\n", 414),
    (b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 2000 + b"\r\n", 431),
    (b"BREW / HTTP/1.1\r\n" + HOST + b"\r\n", 501),
    (b"GET / HTTP/2.0\r\n" + HOST + b"\r\n", 505)])
def test_wrong_requests(server, request_text, code):
    text = answer_to(server, request_text)
    head, _, body = text.partition(b"\r\n\r\n")
    assert codes(text) == [code]
    assert int(re.search(rb"Content-Length: (\d+)", head)[1]) == len(body)
    assert (b"Allow: GET, HEAD" in head) == (code == 405)
    reason = head.split(b"\r\n")[0].removeprefix(b"HTTP/1.1 ")
    assert b"<title>" + reason + b"</title>" in body and b"<h1>" + reason + b"</h1>" in body
    assert (reason == b"501 Unknown Method or Coding") == (code == 501)


def test_requests_in_a_row(server):
    """Several requests in one packet are answered in order. An unused body is skipped."""
    get = b"GET /short.txt HTTP/1.1\r\n" + HOST
    text = answer_to(server, (get + b"\r\n") * 20 + get + b"Content-Length: 9\r\n\r\nGET / HTT" +
                     b"DELETE /x HTTP/1.1\r\n" + HOST + b"\r\n" +
                     get + b"Connection: close\r\n\r\n" + get + b"\r\n")
    assert codes(text) == [200] * 21 + [405, 200]


def test_byte_by_byte(server):
    """A request can arrive in pieces of any size."""
    with server.connect() as stream:
        for byte in b"GET /short.txt HTTP/1.1\r\n" + HOST + b"Connection: close\r\n\r\n":
            stream.sendall(bytes([byte]))
        assert answers(stream).endswith(b"\r\n\r\nshort")


def test_old_clients(server):
    """With HTTP/1.0, the connection ends unless the client requests otherwise."""
    assert b"Connection: close" in answer_to(server, b"GET /short.txt HTTP/1.0\r\n\r\n")
    kept = answer_to(server, b"GET /short.txt HTTP/1.0\r\nConnection: keep-alive\r\n\r\n" * 2)
    assert codes(kept) == [200, 200]


def test_requests_of_a_connection_have_a_limit(files):
    program = Program("server", f"ramdisk={files}", "requests=3")
    text = answer_to(program, (b"GET /short.txt HTTP/1.1\r\n" + HOST + b"\r\n") * 5)
    assert codes(text) == [200] * 3
    assert text.count(b"Connection: close") == 1
    program.end()


@pytest.mark.parametrize("folder, code, said", [
    ("deep", 200, ""), ("deeper", 404, "folder 'deeper': The ramdisk has no file in it"),
    ("deep/", 404, "folder 'deep/': The ramdisk has no file in it")])
def test_folder(files, folder, code, said):
    program = Program("server", f"ramdisk={files}", f"folder={folder}", said=said)
    assert codes(answer_to(program, b"GET /index.html HTTP/1.1\r\n" + HOST + b"Connection: close\r\n\r\n")) == [code]
    program.end()


def test_slow_clients(server):
    """Silence ends a connection, an incomplete request gets 408, and other connections continue."""
    with server.connect() as silent, server.connect() as slow:
        begin = time.monotonic()
        slow.sendall(b"GET / HT")
        with contextlib.suppress(ConnectionError):
            for _ in range(20):
                time.sleep(0.05)
                slow.sendall(b"x")
        assert codes(answers(slow)) == [408]
        assert answers(silent) == b""
        assert time.monotonic() - begin < 10
    assert codes(answer_to(server, b"GET / HTTP/1.1\r\n" + HOST + b"\r\n")) == [200]


def test_clients_that_do_not_read(server):
    """One client per thread requests much data and does not read it. The server ends these connections."""
    with contextlib.ExitStack() as stack:
        for _ in range(8):
            stream = stack.enter_context(server.connect())
            stream.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            with contextlib.suppress(ConnectionError):
                stream.sendall((b"GET /long.bin HTTP/1.1\r\n" + HOST + b"\r\n") * 40)
        assert codes(answer_to(server, b"GET / HTTP/1.1\r\n" + HOST + b"\r\n")) == [200]


def test_parts_that_crash(server):
    """Requests that need a crashed component get 503, and others are answered. The connection continues if that is
    possible.
    """
    def get(path):
        return b"GET /" + path + b" HTTP/1.1\r\n" + HOST + b"\r\n"

    text = answer_to(server, get(b"crash-files") + get(b"crash-live") + get(b"short.txt"))
    assert codes(text) == [503, 503, 200] and text.count(b"Retry-After: 1\r\n") == 2
    text = answer_to(server, get(b"crash-parse") + get(b"short.txt"))
    assert codes(text) == [503] and text.endswith(b"\r\n\r\n")
    assert b"Connection: close\r\n" in text and b"Retry-After: 1\r\nContent-Length: 0\r\n" in text
    with server.connect() as late:
        late.sendall(b"GET /late-parse HTTP")
        assert codes(answers(late)) == [503]
    assert codes(answer_to(server, get(b"short.txt"))) == [200]
    assert figures(server)["failed"] == 4


def test_anything(server):
    """Sends random bytes, and truncated and changed requests: each is answered or ends the connection, without a
    crash.
    """
    chance = random.Random(7)
    good = b"GET /short.txt HTTP/1.1\r\n" + HOST + b"Content-Length: 4\r\nConnection: keep-alive\r\n\r\nbody"
    for number in range(150):
        if number % 3:
            text = bytearray(good * chance.randrange(1, 4))
            for _ in range(chance.randrange(1, 6)):
                text[chance.randrange(len(text))] = chance.randrange(256)
            text = text[:chance.randrange(1, len(text) + 1)]
        else:
            text = chance.randbytes(chance.randrange(1, 6000))
        with server.connect() as stream:
            with contextlib.suppress(ConnectionError):
                stream.sendall(text)
                stream.shutdown(socket.SHUT_WR)
                got = answers(stream)
                assert not got or codes(got)
    # The last connection's thread may not have seen its end yet.
    limit = time.monotonic() + 20
    while (told := figures(server))["open"] != 1 and time.monotonic() < limit:
        time.sleep(0.05)
    assert told["failed"] == 0 and told["open"] == 1


def test_page(server):
    """The page with its picture is well-formed, and its figures are correct."""
    for _ in range(12):
        answer_to(server, b"GET /short.txt HTTP/1.0\r\n\r\n")
    text = answer_to(server, b"GET / HTTP/1.0\r\n\r\n").decode()
    assert "Cache-Control: no-store" in text
    picture = answer_to(server, b"GET /picture.svg HTTP/1.0\r\n\r\n").partition(b"\r\n\r\n")[2].decode()
    words = [e.text for e in xml.etree.ElementTree.fromstring(picture).iter() if e.text]
    assert {"13", "14 connections", "14 requests"} & set(words) and "http.accept" in words
    assert text.endswith("</html>\n") and "<svg " in text
    told = figures(server)
    assert (told["answers"], told["good"], told["refused"], told["connections"]) == (14, 14, 0, 15)
    assert 0 < told["median_ns"] <= told["max_ns"]
    time.sleep(1.1)
    assert 14 <= sum(figures(server)["per_second"]) <= 15


def test_clients_of_others(server):
    """curl and ApacheBench work with the server."""
    got = subprocess.run(["curl", "-sS", "--fail", server.url("long.bin"), server.url("short.txt")],
                         capture_output=True, timeout=30, check=True).stdout
    assert got == random.Random(1).randbytes(300000) + b"short"
    for words in (["-k", "-n", "20000", "-c", "8"], ["-n", "2000", "-c", "12"]):
        said = subprocess.run(["ab", "-q", *words, server.url("short.txt")], capture_output=True,
                              timeout=100, check=True, text=True).stdout
        assert "Failed requests:        0" in said and "Non-2xx" not in said
    assert figures(server)["good"] >= 22002


def test_sink():
    """iperf's client works with four connections at a time, and one connection is reset."""
    program = Program("sink")
    said = subprocess.run(["iperf", "-c", "127.0.0.1", "-p", str(program.port), "-n", "8M", "-P", "4"],
                          capture_output=True, timeout=60, check=True, text=True).stdout
    assert "connect failed" not in said
    with program.connect() as stream:
        stream.sendall(b"x" * 1000)
        stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    time.sleep(0.3)
    told = program.end()
    taken = [int(number) for number in re.findall(r"127\.0\.0\.1: (\d+) bytes", told)]
    assert len([number for number in taken if number >= 8 << 20]) == 4, told
    assert "the connection failed" in told


def test_programs_are_there():
    """The programs must exist, because the tests above need them."""
    assert shutil.which("curl") and shutil.which("ab") and shutil.which("iperf")
