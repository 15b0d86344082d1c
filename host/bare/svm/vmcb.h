/* SPDX-License-Identifier: GPL-2.0 */
/* AMD-V's virtual machine control block (APM vol. 2 appendix B): the fields that are used have names. */
#ifndef BARE_VMCB_H
#define BARE_VMCB_H

#include <hal/types.h>

/* Vectors. intercept_exceptions has a bit for each exception. */

/* intercept_1, intercept_2: events and instructions that exit (APM vol. 2 table B-1). */
#define VMCB_1_INTR (1u << 0)
#define VMCB_1_NMI (1u << 1)
#define VMCB_1_SMI (1u << 2)
#define VMCB_1_CPUID (1u << 18)
#define VMCB_1_IRET (1u << 20)
#define VMCB_1_INVD (1u << 22)
#define VMCB_1_HLT (1u << 24)
#define VMCB_1_INVLPGA (1u << 26)
#define VMCB_1_IOIO (1u << 27)
#define VMCB_1_MSR (1u << 28)
#define VMCB_1_SHUTDOWN (1u << 31)
#define VMCB_2_VMRUN (1u << 0)
#define VMCB_2_VMMCALL (1u << 1)
#define VMCB_2_VMLOAD (1u << 2)
#define VMCB_2_VMSAVE (1u << 3)
#define VMCB_2_STGI (1u << 4)
#define VMCB_2_CLGI (1u << 5)
#define VMCB_2_SKINIT (1u << 6)
#define VMCB_2_WBINVD (1u << 9)

/* exit_code of an exception (APM vol. 2 appendix C); enum vm_reason has the others. */
#define VMCB_EXIT_EXCEPTION 0x40u /* plus the vector */

/* virtual_interrupt: an interrupt that the guest gets when it accepts one (APM vol. 2 section 15.21). */
#define VMCB_V_IRQ (1ul << 8)
#define VMCB_V_PRIORITY_SHIFT 16
#define VMCB_V_IGNORE_PRIORITY (1ul << 20)
#define VMCB_V_MASKING (1ul << 24)
#define VMCB_V_VECTOR_SHIFT 32

/* exit_info_1 of an access to a port (APM vol. 2 section 15.10.2). */
#define VMCB_PORT_IN (1u << 0)
#define VMCB_PORT_STRING (1u << 2)
#define VMCB_PORT_SIZE(info) ((info) >> 4 & 7) /* bytes */
#define VMCB_PORT(info) ((u16)((info) >> 16))

/* nested_paging: enables it, and INVLPGB and TLBSYNC, which Linux uses since 6.15. */
#define VMCB_NESTED (1ul << 0)
#define VMCB_INVLPGB (1ul << 7)

#define VMCB_FLUSH_ALL 1 /* tlb_control: before the guest runs */

#define VMCB_EVENT_VALID (1ul << 31)
#define VMCB_EVENT_ERROR (1ul << 11) /* the event has an error code in bits 63:32 */
#define VMCB_EVENT_EXCEPTION (3ul << 8)
#define VMCB_EVENT_NMI (2ul << 8)

struct vmcb_segment {
	u16 selector;
	u16 attributes; /* bits 47:40, then 55:52 of the descriptor */
	u32 limit;
	u64 base;
};

struct vmcb {
	/* control area */
	u32 intercept_cr, intercept_dr, intercept_exceptions, intercept_1, intercept_2;
	u8 pad_14[0x40 - 0x14];
	u64 iopm, msrpm, tsc_offset;
	u32 asid;
	u8 tlb_control, pad_5d[3];
	u64 virtual_interrupt, interrupt_shadow;
	u64 exit_code, exit_info_1, exit_info_2, exit_interrupt;
	u64 nested_paging;
	u8 pad_98[0xa8 - 0x98];
	u64 event;
	u64 nested_cr3;
	u8 pad_b8[0xc8 - 0xb8];
	u64 next_ip;
	u8 pad_d0[0x400 - 0xd0];
	/* state area */
	struct vmcb_segment es, cs, ss, ds, fs, gs, gdtr, ldtr, idtr, tr;
	u8 pad_4a0[0x4cb - 0x4a0];
	u8 cpl, pad_4cc[4];
	u64 efer;
	u8 pad_4d8[0x548 - 0x4d8];
	u64 cr4, cr3, cr0, dr7, dr6, flags, ip;
	u8 pad_580[0x5d8 - 0x580];
	u64 sp;
	u8 pad_5e0[0x5f8 - 0x5e0];
	u64 ax, star, lstar, cstar, sfmask, kernel_gs_base, sysenter_cs, sysenter_sp, sysenter_ip,
		cr2;
	u8 pad_648[0x668 - 0x648];
	u64 pat;
	u8 pad_670[0x1000 - 0x670];
};

#define VMCB_AT(member, offset)                                                                    \
	_Static_assert(offsetof(struct vmcb, member) == (offset), "APM vol. 2 appendix B: " #member)
VMCB_AT(iopm, 0x40);
VMCB_AT(asid, 0x58);
VMCB_AT(virtual_interrupt, 0x60);
VMCB_AT(exit_code, 0x70);
VMCB_AT(nested_paging, 0x90);
VMCB_AT(event, 0xa8);
VMCB_AT(nested_cr3, 0xb0);
VMCB_AT(next_ip, 0xc8);
VMCB_AT(es, 0x400);
VMCB_AT(tr, 0x490);
VMCB_AT(cpl, 0x4cb);
VMCB_AT(efer, 0x4d0);
VMCB_AT(cr4, 0x548);
VMCB_AT(ip, 0x578);
VMCB_AT(sp, 0x5d8);
VMCB_AT(ax, 0x5f8);
VMCB_AT(cr2, 0x640);
VMCB_AT(pat, 0x668);
_Static_assert(sizeof(struct vmcb) == 4096, "one page");

#endif
