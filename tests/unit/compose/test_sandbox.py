# SPDX-License-Identifier: BSD-2-Clause
"""Tests of the policies of exec.sandbox: the translation from TOML, and the mistakes, each with its line."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from tools.compose import argument, ramdisk, sandbox, table
from tools.compose.errors import Refused

ROOT = Path(__file__).resolve().parents[3]

if not any(path.is_file() for path in sandbox.NUMBERS):
    pytest.skip("needs make build/lib/include/guest/numbers.h", allow_module_level=True)


def lines_of(tmp_path, text):
    """Returns the lines of rules of a policy."""
    (tmp_path / "p.toml").write_text(text)
    return sandbox.translate(tmp_path / "p.toml").decode().splitlines()


def mistakes_of(tmp_path, text):
    """Returns the messages for a policy, without its folder."""
    with pytest.raises(Refused) as caught:
        lines_of(tmp_path, text)
    return [line.removeprefix(f"{tmp_path}/") for line in caught.value.lines]


def test_empty_policy_denies_everything(tmp_path):
    assert lines_of(tmp_path, "") == ["default deny", "refusal deny"]


def test_all_rules(tmp_path):
    assert lines_of(tmp_path, """
refusal = "kill"
[calls]
default = "allow"
allow = ["read", "write"]
deny = ["sync"]
kill = ["ptrace"]
[paths]
read = ["/etc/passwd", "/usr/"]
write = ["/tmp"]
execute = ["/"]
relative = ["read", "execute"]
[addresses]
connect = ["unix", "10.1.0.0/16:80", "127.0.0.1", "0.0.0.0/0:53", "16"]
bind = ["127.0.0.1:7001", "any"]
""") == ["default allow", "allow read write", "deny sync", "kill ptrace", "read /etc/passwd /usr", "write /tmp", "execute /",
         "relative read execute", "connect unix", "connect inet 10.1.0.0/16 80", "connect inet 127.0.0.1",
         "connect inet 0.0.0.0/0 53", "connect 16", "bind inet 127.0.0.1 7001", "bind any", "refusal kill"]


ONE = {
    "refusal = 'allow'": "p.toml:1:[refusal]: 'allow' is not one of deny, kill.",
    "refusal = 1": "p.toml:1:[refusal]: 'refusal' is of type integer. It must be a text.",
    "permit = ['read']": "p.toml:1:[permit]: 'permit' is unknown here.",
    "calls = ['read']": "p.toml:1:[calls]: 'calls' is of type list. It must be a table.",
    "[calls]\ndefault = 'pass'": "p.toml:2:[calls/default]: 'pass' is not one of allow, deny, kill.",
    "[calls]\nallow = 'read'": "p.toml:2:[calls/allow]: 'allow' is of type text. It must be a list.",
    "[calls]\nallow = [3]": "p.toml:2:[calls/allow]: 3 is not a text.",
    "[calls]\nallow = ['read', 'reed']": "p.toml:2:[calls/allow]: 'reed' is not a system call that can be named. Did you mean",
    "[calls]\nallow = ['read', 'read']": "p.toml:2:[calls/allow]: 'read' is listed twice.",
    "[calls]\nallow = ['read']\nkill = ['read']": "p.toml:3:[calls/kill]: 'read' is also in the list 'allow'.",
    "[calls]\nforbid = ['read']": "p.toml:2:[calls/forbid]: 'forbid' is unknown here.",
    "[paths]\nread = ['usr']": "p.toml:2:[paths/read]: 'usr' is not an absolute path.",
    "[paths]\nread = ['/usr/../etc']": "p.toml:2:[paths/read]: '/usr/../etc' has a part '.' or '..'",
    "[paths]\nwrite = ['/usr//lib']": "p.toml:2:[paths/write]: '/usr//lib' has a part '.' or '..' or a repeated slash.",
    "[paths]\nwrite = ['/usr//']": "p.toml:2:[paths/write]: '/usr//' has a part '.' or '..' or a repeated slash.",
    "[paths]\nread = ['/a b']": "p.toml:2:[paths/read]: '/a b' has a space or a control character",
    "[paths]\nrelative = ['see']": "p.toml:2:[paths/relative]: 'see' is not one of read, write, execute.",
    "[paths]\nlook = ['/']": "p.toml:2:[paths/look]: 'look' is unknown here.",
    "[addresses]\nconnect = ['256']": "p.toml:2:[addresses/connect]: '256' is not an address.",
    "[addresses]\nconnect = ['1.2.3']": "p.toml:2:[addresses/connect]: '1.2.3' is not an address.",
    "[addresses]\nconnect = ['unix 1.2.3.4']": "p.toml:2:[addresses/connect]: 'unix 1.2.3.4' is not an address.",
    "[addresses]\nconnect = ['1.2.3.256']": "p.toml:2:[addresses/connect]: '1.2.3.256' has a number that is out of range.",
    "[addresses]\nconnect = ['1.2.3.4/33']": "p.toml:2:[addresses/connect]: '1.2.3.4/33' has a number that is out of range.",
    "[addresses]\nconnect = ['1.2.3.4/8']": "p.toml:2:[addresses/connect]: '1.2.3.4/8' has bits behind its prefix of 8 bits.",
    "[addresses]\nbind = ['1.2.3.4:0']": "p.toml:2:[addresses/bind]: '1.2.3.4:0' has a number that is out of range.",
    "[addresses]\nbind = ['1.2.3.4:65536']": "p.toml:2:[addresses/bind]: '1.2.3.4:65536' has a number that is out of range.",
    "[addresses]\nlisten = ['unix']": "p.toml:2:[addresses/listen]: 'listen' is unknown here.",
    "[calls\n": "p.toml:1:[file]: The file is not valid TOML:",
    "[paths]\nread = [" + ", ".join(f"'/{i}'" for i in range(129)) + "]": "p.toml:1:[paths]: 'paths' has 129 paths.",
    "[addresses]\nbind = [" + ", ".join(f"'1.2.3.{i}'" for i in range(65)) + "]":
        "p.toml:1:[addresses]: 'addresses' has 65 addresses.",
}


@pytest.mark.parametrize("text", ONE)
def test_one_mistake(tmp_path, text):
    found = mistakes_of(tmp_path, text)
    assert len(found) == 1 and found[0].startswith(ONE[text]), found


def test_all_mistakes_are_reported_with_their_lines(tmp_path):
    """A list can have several lines, and a mistake has the line of its value."""
    found = mistakes_of(tmp_path, """# "reed" in a comment
refusal = "no"
[calls]
allow = [
    "read", # "reed"
    "reed",
    "rite",
]
[paths]
read = [
    "/usr",
    "etc",
]
[addresses]
bind = ["1.2.3"]
""")
    assert [line.split(": ", 1)[0] for line in found] == [
        "p.toml:6:[calls/allow]", "p.toml:7:[calls/allow]", "p.toml:12:[paths/read]", "p.toml:15:[addresses/bind]",
        "p.toml:2:[refusal]"]


@pytest.mark.parametrize("path", [ROOT / "systems/guest-files/sandbox.toml",
                                  *(ROOT / "tests/system/guest/guest-sandbox/files").glob("*.toml")], ids=lambda p: p.name)
def test_policies_of_the_tree(path):
    assert sandbox.translate(path)


def system_of(tmp_path, file, folder=True):
    """Returns a system with one component that has a policy, and its ramdisk's folder."""
    (tmp_path / "files").mkdir()
    args = {} if file is None else {"policy": file}
    t = table.Table({"name": "s", "args": args}, tmp_path / "s.toml", "component.s")
    instance = SimpleNamespace(table=t, args=args, definition=SimpleNamespace(args={
        "policy": argument.Argument("policy"), "report": argument.Argument("integer")}))
    return SimpleNamespace(instances=[instance, instance], ramdisk=tmp_path / "files" if folder else None, translated={})


@pytest.mark.parametrize("file", ["mine.toml", None])
def test_ramdisk_has_the_translation(tmp_path, file):
    system = system_of(tmp_path, file)
    (system.ramdisk / (file or "sandbox.toml")).write_text('[calls]\nkill = ["sync"]\n')
    (system.ramdisk / "other").write_text("other")
    sandbox.resolve(system)
    packed = ramdisk.pack(system.ramdisk, "s.toml", system.translated)
    assert b"default deny\nkill sync\nrefusal deny\n" in packed and b"[calls]" not in packed and b"other" in packed


def test_policy_that_cannot_be_read(tmp_path):
    system = system_of(tmp_path, "mine.policy")
    (system.ramdisk / "mine.policy").write_text("")
    (system.ramdisk / "mine.toml").write_text("")
    for name, ramdisk_folder, text in [("mine.policy", system.ramdisk, "'mine.policy' does not end with .toml."),
                                       ("mine.tom", system.ramdisk, "The ramdisk has no file 'mine.tom'. Did you mean 'mine"),
                                       ("mine.toml", None, "'policy' names the policy 'mine.toml', but the system has no ramdisk.")]:
        system.ramdisk, system.instances[0].args["policy"] = ramdisk_folder, name
        with pytest.raises(Refused) as caught:
            sandbox.resolve(system)
        assert len(caught.value.lines) == 1 and f":[component.s/args/policy]: {text}" in caught.value.lines[0]
