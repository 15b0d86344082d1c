/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Notes in assembly for Linux's checker of kernel code (objtool). The module does not keep their sections. Each note is
 * written in two forms. The checker of Linux up to 6.12 reads one section for each kind of note. The checker of Linux
 * 7.3 reads .discard.annotate_insn, with the kinds of <linux/objtool_types.h>.
 */
/* clang-format off */
#ifndef ENTRY_NOTES_H
#define ENTRY_NOTES_H

.macro note section:req, kind:req
.Lnote\@:
	.pushsection .discard.\section, "", @progbits
	.long	.Lnote\@ - .
	.popsection
	.pushsection .discard.annotate_insn, "M", @progbits, 8
	.long	.Lnote\@ - ., \kind
	.popsection
.endm

/* The return or indirect jump that follows is as it must be. */
.macro meant
	note	retpoline_safe, 2
.endm

/* The address of the next instruction is taken, but no indirect jump or call goes there. */
.macro no_target
	note	noendbr, 1
.endm

/* `make objtool` follows each way from here, and finds returns that come before an annotated NOP. Since Linux 6.5. */
.macro note_entry
	note	validate_unret, 5
.endm

#endif
