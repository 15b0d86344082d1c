# SPDX-License-Identifier: BSD-2-Clause
"""Generates the server's side of an interface: an entry in assembly and a C prototype for each function."""

from . import stub_text
from .stub_text import REGISTERS

ARGUMENTS = ("rdi", "rsi", "rdx", "rcx", "r8", "r9")
HEAD = """\
/* {license} */
/*
 * Generated from interface {name}, version {version}, by tools/compose. Do not edit.
 *
 * Entries of the gates. In: rax = badge, rsp = top of the stack, aligned to 16, words in rbx rbp
 * r12 r13 r14 r15. Out, through the kernel call RETURN: status in r13, results in rbx rbp r12.
 *
 * Nothing of this component leaks: the C function preserves rbx, rbp and r12 to r15, so on return
 * those that carry no result still hold the caller's own words, and the kernel clears the rest.
 *
 * With a pool of stacks, rsp is the top of the thread's entry stack, and the two macros change stacks.
 */
#include <runtime/stack_pool.h>

#define LIMPET_RETURN -4096

"""

FPU = """\
#ifdef LIMPET_FPU
/*
 * Vector registers, MXCSR and the x87 control word: the caller's are not trusted, and ours do not
 * leave, also those that the C function used.
 */
#ifdef __AVX512F__
#error "these stubs do not clear AVX-512 registers: build the component without them"
#endif
{area}
	.macro	limpet_clean
	fxrstor64 __limpet_clean(%rip)
#ifdef __AVX__
	vzeroupper
#endif
	.endm
#else
	.macro	limpet_clean
	.endm
#endif

"""


def parameters(function):
    """Returns the source of each parameter of the C function: registers, then 'out'."""
    count = len(function.args)
    return ["rax", *REGISTERS[:count]] + (["out"] if function.results else [])


def entry_lines(function):
    """Returns the instructions of one entry."""
    sources = parameters(function)
    in_registers, on_stack = sources[:len(ARGUMENTS)], sources[len(ARGUMENTS):]
    results = len(function.results)
    # Clears the results, so that a result that C does not set reveals nothing. One more word keeps the alignment.
    lines = ["pushq\t$0"] * (results + (results + len(on_stack)) % 2)
    lines += [f"pushq\t%{'rsp' if source == 'out' else source}" for source in reversed(on_stack)]
    lines += [f"movq\t%{'rsp' if source == 'out' else source}, %{target}"
              for source, target in zip(in_registers, ARGUMENTS)]
    return lines, exit_lines(len(on_stack), results)


def exit_lines(on_stack, results):
    lines = [f"popq\t%{register}" for register in REGISTERS[:results]]
    if on_stack:
        lines = [f"movq\t{8 * (on_stack + index)}(%rsp), %{register}"
                 for index, register in enumerate(REGISTERS[:results])]
    return lines + ["movq\t%rax, %r13", "limpet_stack_drop", "limpet_clean",
                    "movq\t$LIMPET_RETURN, %rax", "syscall", "ud2"]


def entry(interface, function):
    name = f"__limpet_export_{interface.name}_{function.name}"
    before, after = entry_lines(function)
    lines = ["limpet_clean", "limpet_stack_take", *before,
             f"call\t{interface.name}_serve_{function.name}", *after]
    return (f"\t.globl\t{name}\n\t.hidden\t{name}\n\t.type\t{name}, @function\n\t.balign\t16\n"
            f"{name}:\n" + "".join(f"\t{line}\n" for line in lines) +
            f"\t.size\t{name}, . - {name}\n")


def assembly(interface):
    """Returns the file export/NAME.S."""
    area = "".join(f"\t{line}\n" for line in stub_text.CLEAN_AREA).rstrip("\n")
    text = HEAD.format(license=stub_text.LICENSE, name=interface.name, version=interface.version)
    text += FPU.replace("{area}", area) + '\t.section .text.export, "ax", @progbits\n\n'
    text += "\n".join(entry(interface, function) for function in interface.functions)
    return text + '\n\t.section .note.GNU-stack, "", @progbits\n'


def results_struct(interface, function):
    if not function.results:
        return ""
    words = "".join(f"\tword {word.name};\n" for word in function.results)
    return f"struct {interface.name}_{function.name}_results {{\n{words}}};\n\n"


def header(interface):
    """Returns the header <export/NAME.h>."""
    upper = interface.name.upper()
    text = (f"/* {stub_text.LICENSE} */\n/* Generated from interface {interface.name}, version "
            f"{interface.version}, by tools/compose. Do not edit. */\n#ifndef EXPORT_{upper}_H\n"
            f"#define EXPORT_{upper}_H\n\n#include <runtime/types.h>\n\n")
    text += stub_text.ids(interface, interface.name)
    text += '#ifdef __cplusplus\nextern "C" {\n#endif\n\n'
    text += stub_text.comment("The component defines these functions. badge: 1 + index of the "
                              "component that calls. `out` is zero at first. They return 0 or "
                              "more, or a negative LIMPET_E... value.") + "\n"
    for function in interface.functions:
        name = f"{interface.name}_{function.name}"
        words = ["word badge"] + [f"word {word.name}" for word in function.args]
        words += [f"struct {name}_results *out"] if function.results else []
        text += results_struct(interface, function)
        text += stub_text.comment(stub_text.function_doc(function, "Results:"))
        head = f"long {interface.name}_serve_{function.name}"
        text += stub_text.prototype(head, words) + ";\n\n"
    return text + "#ifdef __cplusplus\n}\n#endif\n\n#endif\n"
