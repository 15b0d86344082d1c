# SPDX-License-Identifier: BSD-2-Clause
"""Generates both sides of an interface for Rust: modules of the crates `import` and `export`, and the C functions under them.

Rust cannot name rbx and rbp in inline assembly, so a call goes through a C function that contains the C stub. The served
functions are those that the C prototypes of the server's side declare.
"""

import textwrap

from . import contract, stub_text

#: Keywords of Rust that are valid names in an interface. They are written as r#NAME.
KEYWORDS = frozenset("as async await box crate dyn fn impl in let loop match mod move mut priv pub ref self super trait type "
                     "unsafe use where yield abstract become final macro override try typeof unsized virtual true false gen"
                     .split())
#: Keywords that cannot be written in this way.
RESERVED = frozenset(("self", "super", "crate"))

def word(name):
    """Returns a name of an interface as Rust writes it."""
    if name in RESERVED:
        return f"{name}_"
    return f"r#{name}" if name in KEYWORDS else name


def type_name(name):
    """Returns the name of the structure with a function's results: `periodic_wait` -> PeriodicWait."""
    return "".join(part.capitalize() for part in name.split("_"))


def comment(text, indent="", mark="///"):
    """Returns a documentation comment."""
    lines = textwrap.wrap(text, 120 - len(indent), break_long_words=False, break_on_hyphens=False)
    return "".join(f"{indent}{mark} {line}\n" for line in lines)


def plain(text):
    """Returns text for rustdoc, in which brackets would be links."""
    return text.replace("[", "\\[").replace("]", "\\]").replace("<", "\\<")


def results(function):
    """Returns the structure with the results of a function; empty if it has none."""
    if not function.results:
        return ""
    text = comment(f"Results of the function {function.name}.", "    ")
    text += "    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]\n"
    text += f"    pub struct {type_name(function.name)} {{\n"
    text += comment("Status, 0 or more.", " " * 8) + "        pub status: u64,\n"
    for result in function.results:
        text += comment(plain(stub_text.sentence(stub_text.word_text(result))), " " * 8)
        text += f"        pub {field(result)}: u64,\n"
    return text + "    }\n\n"


def field(result):
    """Returns the name of a result in the structure, in which `status` is the status."""
    return "status_" if result.name == "status" else word(result.name)


def outcome(function):
    """Returns the type of a successful call: the results, or the status alone."""
    return type_name(function.name) if function.results else "u64"


def arguments(function):
    return [f"{word(w.name)}: u64" for w in function.args]


def doc(function, indent):
    return comment(plain(stub_text.function_doc(function, "Results:")), indent)


def symbol(prefix, function):
    """Returns the name of the C function that makes a call."""
    return f"limpet_rust_import_{prefix}_{function.name}"


def client_function(prefix, function):
    pointers = [f"{word(w.name)}: *mut u64" for w in function.results]
    names = [word(w.name) for w in function.args]
    text = doc(function, "    ")
    text += f"    pub fn {word(function.name)}({', '.join(arguments(function))}) -> limpet::Result<{outcome(function)}> {{\n"
    text += "        extern \"C\" {\n"
    text += f"            fn {symbol(prefix, function)}({', '.join(arguments(function) + pointers)}) -> i64;\n        }}\n"
    if not function.results:
        return text + f"        limpet::Error::check(unsafe {{ {symbol(prefix, function)}({', '.join(names)}) }})\n    }}\n"
    outs = [f"&mut limpet_out.{field(w)}" for w in function.results]
    text += f"        let mut limpet_out = {outcome(function)}::default();\n"
    text += f"        let limpet_status = unsafe {{ {symbol(prefix, function)}({', '.join(names + outs)}) }};\n"
    return text + ("        limpet_out.status = limpet::Error::check(limpet_status)?;\n"
                   "        Ok(limpet_out)\n    }\n")


def client(interface, prefix):
    """Returns the module of an import in the crate `import`."""
    text = comment(plain(stub_text.sentence(interface.doc)))
    text += f"pub mod {word(prefix)} {{\n"
    text += comment("Version of the interface.", "    ")
    text += f"    pub const VERSION: u32 = {interface.version};\n\n"
    text += "\n".join(results(f) + client_function(prefix, f) for f in interface.functions)
    return text + "}\n"


def client_c(interface, prefix):
    """Returns the C file with a function for each function of an import."""
    text = f"/* {stub_text.LICENSE} */\n/* Generated from interface {interface.name}, version {interface.version}, by " \
           f"tools/compose. Do not edit. */\n#include <import/{prefix}.h>\n"
    for function in interface.functions:
        words = [f"word {w.name}" for w in function.args] + [f"word *{w.name}" for w in function.results]
        names = ", ".join(w.name for w in function.args + function.results)
        head = stub_text.prototype(f"long {symbol(prefix, function)}", words)
        text += f"\n{head}\n{{\n\treturn {prefix}_{function.name}({names});\n}}\n"
    return text


def server_method(function):
    words = ", ".join(["badge: u64", *arguments(function)])
    return doc(function, " " * 8) + \
        f"        fn {word(function.name)}({words}) -> limpet::Result<{outcome(function)}>;\n"


def server_entry(interface, function):
    """Returns the function that the assembly of the server's side calls, as a part of the macro."""
    module = f"$crate::{word(interface.name)}"
    words = ["badge: u64", *arguments(function)]
    names = ", ".join(["badge", *(word(w.name) for w in function.args)])
    structure = f"{interface.name}_{function.name}_results"
    stores, declared, value = "", "", "status as i64"
    if function.results:
        words.append(f"out: &mut [u64; {len(function.results)}]")
        stores = f"*out = [{', '.join(f'status.{field(w)}' for w in function.results)}]; "
        declared = f"            // struct {structure} of C\n"
        value = "status.status as i64"
    return (f"{declared}            #[no_mangle]\n"
            f"            extern \"C\" fn {interface.name}_serve_{function.name}({', '.join(words)}) -> i64 {{\n"
            f"                match <$server as {module}::Server>::{word(function.name)}({names}) {{\n"
            f"                    Ok(status) => {{ {stores}{value} }}\n"
            f"                    Err(error) => error.status(),\n                }}\n            }}\n")


def server(interface):
    """Returns the module of an exported interface in the crate `export`."""
    macro = f"__serve_{interface.name}"
    text = comment(plain(stub_text.sentence(interface.doc)))
    text += f"pub mod {word(interface.name)} {{\n"
    text += comment("Version of the interface.", "    ")
    text += f"    pub const VERSION: u32 = {interface.version};\n\n"
    text += "".join(results(f) for f in interface.functions)
    text += comment("The functions that the component serves. `badge` is 1 + the index of the component that calls.", "    ")
    text += "    pub trait Server {\n" + "\n".join(map(server_method, interface.functions)) + "    }\n\n"
    text += comment("Serves the interface with the functions of a type that implements [`Server`].", "    ")
    text += f"    #[macro_export]\n    macro_rules! {macro} {{\n        ($server:ty) => {{\n"
    text += "".join(server_entry(interface, f) for f in interface.functions)
    text += f"        }};\n    }}\n    pub use {macro} as serve;\n"
    return text + "}\n"


def crate(modules, about):
    """Returns the root of a crate with these modules."""
    return (f"// {stub_text.LICENSE}\n// Generated by tools/compose. Do not edit.\n//! {about}\n#![no_std]\n"
            "#![allow(clippy::too_many_arguments)]\n\n" + "\n".join(modules))


def errors():
    """Returns the list of errors, for the macro in lib/rust/error.rs."""
    lines = [f'    {name} {number} "{text}",' for name, number, text in contract.error_list()]
    return "errors! {\n" + "\n".join(lines) + "\n}\n"


def abi():
    """Returns the constants of the headers that lib/rust uses."""
    values = contract.VALUES
    return (f"/// Bytes of a page.\npub const PAGE: usize = {values['LIMPET_PAGE']};\n"
            f"/// Right to read memory.\npub const READ: u64 = {values['LIMPET_READ']};\n"
            f"/// Right to write memory.\npub const WRITE: u64 = {values['LIMPET_WRITE']};\n"
            "/// Time stamp that never comes.\npub const NEVER: u64 = u64::MAX;\n")
