// SPDX-License-Identifier: GPL-2.0
/*
 * Checks for features that would break the hook, and for work at Linux's own kernel entry that
 * Limpet's guarded entries do not do. Each refusal names the reason and the remedy. A refused
 * attach changes nothing.
 */
#include <linux/mem_encrypt.h>
#include <linux/module.h>
#include <asm/cpufeature.h>
#include <asm/fpu/xcr.h>
#include <asm/special_insns.h>
#include <asm/tlbflush.h>
#include <asm/tsc.h>

#include <host/linux/compat.h>
#include <host/linux/parts.h>

#define XSTATE_VECTOR (3ul | 4ul | 0xe0ul) /* x87, SSE, AVX, AVX-512 */

word check_xsave_mask(void)
{
	return xgetbv(0) & XSTATE_VECTOR;
}

word check_clear_mask(void)
{
	return xgetbv(0) & XFEATURE_MASK_PKRU;
}

int check_machine(bool beneath, bool trusted, bool untried)
{
	const bool guarded = !beneath && !trusted;
	const unsigned long cr4 = native_read_cr4();
	const bool xsave = cr4 & X86_CR4_OSXSAVE;
	const struct {
		bool refused;
		const char *why;
	} reasons[] = {
		{ LINUX_VERSION_CODE >= check_untried && !untried,
		  "This kernel is newer than any that Limpet was tried on. Attach with --untried, which first compares what Limpet relies on, or boot a kernel that `limpet doctor` names." },
		{ boot_cpu_has(X86_FEATURE_XENPV),
		  "Linux runs as a Xen PV guest. Run it on the machine or in HVM." },
		{ boot_cpu_has(X86_FEATURE_TDX_GUEST),
		  "Linux is a TDX guest. Run it on a machine or in an ordinary guest." },
		{ guarded && boot_cpu_has(X86_FEATURE_KERNEL_IBRS) &&
			  !boot_cpu_has(X86_FEATURE_PTI),
		  "Linux sets IBRS at each kernel entry, without page-table isolation. Boot without pti=off, or attach with --trust-components." },
		{ guarded && calls_are_counted(),
		  "Linux counts calls (retbleed=stuff). Attach with --trust-components." },
		{ beneath && (boot_cpu_has(X86_FEATURE_ENTRY_IBPB) ||
			      boot_cpu_has(X86_FEATURE_IBPB_ON_VMEXIT)),
		  "Linux flushes the branch predictor at kernel entry or exit of a virtual machine, which beneath mode does not do. Boot without retbleed=ibpb, spec_rstack_overflow=ibpb and ibpb-vmexit." },
		{ beneath && check_locked(),
		  "The kernel is locked down, as with Secure Boot. Attach in beside mode." },
		{ cr4 & X86_CR4_FRED, "FRED event delivery is active. Boot with fred=off." },
		{ !(cr4 & X86_CR4_FSGSBASE),
		  "FSGSBASE is not in use. Use a processor that has it, and boot without nofsgsbase." },
		{ !xsave, "XSAVE is not in use. Use a processor with it, without noxsave." },
		{ sme_get_me_mask(), "Memory encryption is active. Boot with mem_encrypt=off." },
		{ !boot_cpu_has(X86_FEATURE_TSC) || !tsc_khz,
		  "The time-stamp counter is not usable. Boot without notsc." },
		{ xsave && hal_xsave_size(check_xsave_mask()) > HAL_FPU_MAX,
		  "The processor's vector state is larger than this build handles. Report this as a bug." },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(reasons); i++) {
		if (!reasons[i].refused)
			continue;
		pr_err(REFUSED "%s\n", reasons[i].why);
		return -ENODEV;
	}
	return 0;
}
