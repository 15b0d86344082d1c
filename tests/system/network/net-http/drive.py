# SPDX-License-Identifier: GPL-2.0
"""Clients of the build machine: curl, ApacheBench, iperf."""

import socket
import subprocess

WEB, SINK = "10.0.2.15:80", "10.0.2.15:5001"


def drive(guest):
    """Checks that all clients get their requests answered."""
    assert guest.wait_record("outside"), "the guest never came so far"
    url = f"http://127.0.0.1:{guest.forwarded(WEB)}/"
    assert "Who answers here" in run(guest, "curl", "-sS", "--fail", url + "about.html")
    assert run(guest, "curl", "-sS", "-o", "/dev/null", "-w", "%{http_code}", url + "none") == "404"
    for words in (["-k", "-n", "1000", "-c", "4"], ["-n", "200", "-c", "4"]):
        said = run(guest, "ab", "-q", *words, url + "1k.txt")
        assert "Failed requests:        0" in said and "Non-2xx" not in said, said
    picture = run(guest, "curl", "-sS", "--fail", url + "picture.svg")
    assert picture.startswith("<svg ") and picture.endswith("</svg>\n")
    run(guest, "iperf", "-c", "127.0.0.1", "-p", str(guest.forwarded(SINK)), "-n", "2M", "-P", "2")
    # Notifies the guest after all clients have ended, because a client of an ended guest would wait forever.
    with socket.create_connection(("127.0.0.1", guest.forwarded(SINK))) as end:
        end.sendall(b"end")


def run(guest, *words: str) -> str:
    """Returns the output of a client. Follows the guest meanwhile."""
    client = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    ended = guest.wait(lambda: client.poll() is not None)
    if not ended:
        client.kill()
    said = client.communicate()[0]
    assert ended, f"{' '.join(words)} did not end before the guest, or in time: {said}"
    assert client.returncode == 0, f"{' '.join(words)}: {client.returncode}: {said}"
    return said
