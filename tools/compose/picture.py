# SPDX-License-Identifier: BSD-2-Clause
"""Draws the wiring: boxes in layers, with clients above their servers. Graphviz computes the layout."""

import re
import shutil
import subprocess

from .errors import Refused

INK, PALE, LINE = "#1f2d3d", "#6b7c8f", "#9aa8b7"
# Fill and frame of a box, by the first privilege that the component has.
COLOURS = {"scheduler": ("#fff0d6", "#d99a2b"), "memory": ("#e3f3e3", "#5a9e5d"),
           "console": ("#e6ecfa", "#5f7fc4"), "cpu": ("#fde4e4", "#cc5f5f"),
           "": ("#ffffff", "#7d8fa3")}
FONT = "Helvetica,Arial,sans-serif"


def escape(text):
    return str(text).replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")


def colours(c):
    return COLOURS[next((p for p in c["privileges"] if p in COLOURS), "")]


def row(text, size, colour, bold=False):
    text = f"<b>{escape(text)}</b>" if bold else escape(text)
    return f'<tr><td><font point-size="{size}" color="{colour}">{text}</font></td></tr>'


def box(c):
    """Returns the box of a component: name, image, thread and priority."""
    fill, frame = colours(c)
    rows = row(c["name"], 14, INK, bold=True)
    if c["image"] != c["name"]:
        rows += row(c["image"], 10, PALE)
    if c["priority"]:
        rows += row(f"thread {c['thread']}, priority {c['priority']}", 10, INK)
    if c["privileges"]:
        rows += row(" ".join(c["privileges"]), 10, frame)
    if c["resources"]:
        rows += row(", ".join(c["resources"]), 10, INK)
    label = f'<table border="0" cellborder="0" cellspacing="0" cellpadding="1">{rows}</table>'
    return (f'n{c["index"]} [label=<{label}>, fillcolor="{fill}", color="{frame}", '
            f'tooltip="{escape(c["doc"])}"];\n')


def cluster(data, number):
    """Returns the components of one CPU."""
    boxes = "".join("\t\t" + box(c) for c in data["components"] if c["cpu"] == number)
    return (f'\tsubgraph cluster_{number} {{\n\t\tlabel=<<b>CPU {number}</b>>; labeljust=l;\n'
            f'\t\tstyle="rounded,filled"; color="#dbe2ea"; fillcolor="#f7f9fb";\n'
            f'\t\tfontsize=12; fontcolor="{PALE}"; margin=16;\n{boxes}\t}}\n')


def arrow(data, wire):
    index = {c["name"]: c["index"] for c in data["components"]}
    functions = escape(" ".join(wire["functions"]))
    return (f'\tn{index[wire["client"]]} -> n{index[wire["server"]]} '
            f'[label=" {escape(wire["import"])} ", tooltip="{functions}"];\n')


def guests(data):
    """Returns arrows for the calls of guests that one executive passes to the next."""
    index = {c["name"]: c["index"] for c in data["components"]}
    for c in data["components"]:
        if c["guest"]:
            yield f'\tn{c["index"]} -> n{index[c["guest"]]} [label=" guest ", style=dashed, arrowhead=vee];\n'


def events(data):
    """Returns arrows for ports: events that cross CPUs."""
    index = {c["name"]: c["index"] for c in data["components"]}
    for client, server in data["ports"]:
        yield (f'\tn{index[client]} -> n{index[server]} [label=" event ", style=dashed, '
               f'constraint=false, arrowhead=vee];\n')


def channels(data):
    """Returns the things that Linux shares with components: network devices, and nodes below /dev."""
    index = {c["name"]: c["index"] for c in data["components"]}
    for c in data["channels"]:
        if c["mode"] == "attached":
            continue
        node = f'l{c["cpu"]}_{c["number"]}'
        head = {"to-linux": "back", "from-linux": "forward"}.get(c["direction"], "both")
        yield (f'\t{node} [label="{escape(c["node"])}", shape=cds, fillcolor="#f3eafa", '
               f'color="#8c6bb1", fontsize=11, tooltip="{c["mode"]}, {c["size"] // 1024}K"];\n'
               f'\t{node} -> n{index[c["owner"]]} [label=" {c["mode"]} ", color="#8c6bb1", '
               f'dir={head}];\n')


def graph(data):
    frames = f'{data["frames"] * 4 // 1024}M' if data["frames"] % 256 == 0 else \
        f'{data["frames"] * 4}K'
    title = (f'<font point-size="18" color="{INK}"><b>{escape(data["name"])}</b></font>'
             f'<font point-size="11" color="{PALE}">   {len(data["components"])} components, '
             f'{frames} for each CPU; arrows go from client to server, the booter is not '
             f'drawn{"; violet is Linux" if data["channels"] else ""}</font>')
    text = (f'digraph system {{\n\tlabel=<{title}>; labelloc=t; labeljust=l; bgcolor=white;\n'
            f'\trankdir=TB; nodesep=0.45; ranksep=0.6; pad=0.3; fontname="{FONT}";\n'
            f'\tnode [shape=box, style="rounded,filled", penwidth=1.4, fontname="{FONT}", '
            f'margin="0.14,0.08"];\n'
            f'\tedge [color="{LINE}", fontname="{FONT}", fontsize=10, fontcolor="{PALE}", '
            f'arrowsize=0.7, penwidth=1.2];\n')
    text += "".join(cluster(data, number) for number in range(data["cpus"]))
    text += "".join(arrow(data, wire) for wire in data["imports"]) + "".join(events(data))
    text += "".join(guests(data))
    text += "".join(channels(data))
    return text + "}\n"


def draw(data, form="svg"):
    """Returns the bytes of the picture."""
    if not shutil.which("dot"):
        raise Refused("dot", "svg", "'dot' is not installed. It lays out the picture. Run apt-get install graphviz.")
    result = subprocess.run(["dot", f"-T{form}"], input=graph(data).encode(), capture_output=True,
                            check=False)
    if result.returncode:
        reason = (result.stderr.decode(errors="replace").strip().splitlines() or ["no reason"])[0]
        raise Refused("dot", "svg", f"'dot' failed: {reason}. Omit --svg.")
    if form != "svg":
        return result.stdout
    # Comments name the version of graphviz; the picture does not depend on them.
    return re.sub(rb"<!--.*?-->\n?", b"", result.stdout, flags=re.S)
