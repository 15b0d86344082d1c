# SPDX-License-Identifier: BSD-2-Clause
"""Makes components, systems and projects from the templates. Existing files are not overwritten."""

from pathlib import Path

from tools.compose import component, table
from tools.compose.errors import Refused

TEMPLATES = Path(__file__).parent / "templates"
#: Forms of components, which are also the names of their templates: form -> suffix of the source.
SUFFIXES = {"component": "c", "program": "c", "cpp": "cpp", "rust": "rs"}
#: Servers of the interfaces that the templates import: import -> (instance, its table in the system file).
SERVERS = {"mem": '\n[[component]]\nname    = "mem"\nimage   = "mem"\nimports = { sched = "sched" }\n'}


def name_check(kind, name):
    """Refuses a name that no component or system can have."""
    if len(name) > component.NAME_MAX or not table.NAME.fullmatch(name):
        raise Refused.plainly(f"'{name}' is not a valid name of a {kind}. A name has at most {component.NAME_MAX} "
                              "letters a-z, digits, and single . or - between them, and begins with a letter. Choose "
                              "another name.")
    return name


def fill(template, **values):
    """Returns the text of a template with the values in place of @KEY@."""
    text = (TEMPLATES / f"{template}.in").read_text()
    for key, value in values.items():
        text = text.replace(f"@{key}@", value)
    return text


def component_files(name, form):
    """Returns the files {path: text} of a component and its unit test. `form` is a key of SUFFIXES."""
    suffix = SUFFIXES[form]
    return {f"{name}/component.toml": fill(f"{form}.toml", NAME=name),
            f"{name}/{name}.{suffix}": fill(f"{form}.{suffix}", NAME=name),
            f"tests/{name}_test.{suffix}": fill(f"{form}_test.{suffix}", NAME=name)}


def instance(definition, names):
    """Returns the table of a component in a system file. Each import is wired to the component of the same name.

    An optional import is wired only if its name is in `names`, the components of the system.
    """
    wires = ", ".join(f'{name} = "{name}"' for name in sorted(definition.imports)
                      if name not in definition.optional or name in names)
    lines = ["", "[[component]]", f'name    = "{definition.name}"', f'image   = "{definition.name}"']
    if wires:
        lines.append(f"imports = {{ {wires} }}")
    if definition.libc:
        lines += ['faults  = "mem"', 'quota   = "4M"']
    return "\n".join(lines) + "\n"


def system_file(name, definitions):
    """Returns the text of a system with these components, and the servers that they import."""
    servers = [text for wanted, text in SERVERS.items() if any(wanted in d.imports for d in definitions)]
    names = [d.name for d in definitions]
    return fill("system.toml", NAME=name, COMPONENTS="".join(servers + [instance(d, names) for d in definitions]))


def refuse_existing(paths):
    """Refuses if one of the files exists."""
    for path in paths:
        if path.exists():
            raise Refused.plainly(f"{path}: The file already exists. Existing files are not overwritten. Choose "
                                  "another name or remove it.")


def write(folder, files):
    """Writes the files {name: text} below a folder, unless one of them exists. Returns their paths."""
    paths = [folder / name for name in files]
    refuse_existing(paths)
    for path, text in zip(paths, files.values()):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return paths


def project_files(root):
    """Returns the files {name: text} that each project has."""
    return {"Makefile": fill("Makefile", SDK=str(root)), ".gitignore": fill("gitignore")}


def project(folder, form, root):
    """Makes a project with one component, one system and a test of each, or without them if the form is "empty"."""
    name = name_check("project", folder.resolve().name)
    if form == "empty":
        return write(folder, project_files(root))
    refuse_existing([folder / f"{name}.toml"])
    made = write(folder, {**project_files(root), **component_files(name, form),
                          f"tests/{name}.sh": fill("system_test.sh", NAME=name)})
    definition = component.read(folder / name / "component.toml")
    return made + write(folder, {f"{name}.toml": system_file(name, [definition])})


def make(kind, name, form, root):
    """Makes the files of `limpet new KIND NAME` in the current folder. Returns their paths."""
    if kind == "project":
        return project(Path(name), form, root)
    name_check(kind, name)
    if kind == "component":
        return write(Path("."), component_files(name, form))
    definitions = [component.read(path) for path in component.paths(".")]
    return write(Path("."), {f"{name}.toml": system_file(name, definitions)})
