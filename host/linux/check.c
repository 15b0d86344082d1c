// SPDX-License-Identifier: GPL-2.0
/*
 * What would break the hook, or what Linux does at its own kernel entry that Limpet's does not. Each
 * refusal names the reason and the remedy, and has changed nothing.
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

static bool feature_refused(void)
{
	static const struct {
		unsigned int feature;
		const char *what, *remedy;
	} refused[] = {
		{ X86_FEATURE_PTI, "page-table isolation is active",
		  "use a processor that Meltdown does not affect, or boot with nopti" },
		{ X86_FEATURE_XENPV, "Linux runs as a Xen PV guest",
		  "run it on the machine or in HVM" },
		{ X86_FEATURE_TDX_GUEST, "Linux is a TDX guest",
		  "run it on a machine or in an ordinary guest" },
		{ X86_FEATURE_KERNEL_IBRS, "Linux sets IBRS at each kernel entry (retbleed)",
		  "boot with retbleed=off if all components are trusted" },
		{ X86_FEATURE_UNRET,
		  "Linux untrains the return predictor at kernel entry (retbleed)",
		  "boot with retbleed=off if all components are trusted" },
		{ X86_FEATURE_ENTRY_IBPB, "Linux flushes the branch predictor at kernel entry",
		  "boot with retbleed=off if all components are trusted" },
		{ X86_FEATURE_SRSO, "Linux uses safe returns (speculative return stack overflow)",
		  "boot with spec_rstack_overflow=off if all components are trusted" },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(refused); i++) {
		if (!boot_cpu_has(refused[i].feature))
			continue;
		pr_err(REFUSED "%s; %s\n", refused[i].what, refused[i].remedy);
		return true;
	}
	return false;
}

word check_xsave_mask(void)
{
	return xgetbv(0) & XSTATE_VECTOR;
}

int check_machine(void)
{
	unsigned long cr4 = native_read_cr4();
	const char *why = NULL;

	if (feature_refused())
		return -ENODEV;
	if (cr4 & X86_CR4_FRED)
		why = "FRED event delivery is active; boot with fred=off";
	else if (!(cr4 & X86_CR4_FSGSBASE))
		why = "FSGSBASE is not in use; use a processor with it, boot without nofsgsbase";
	else if (!(cr4 & X86_CR4_OSXSAVE))
		why = "XSAVE is not in use; use a processor with it, boot without noxsave";
	else if (sme_get_me_mask())
		why = "memory encryption is active; boot with mem_encrypt=off";
	else if (!boot_cpu_has(X86_FEATURE_TSC) || !tsc_khz)
		why = "the time-stamp counter is not usable; boot without notsc";
	else if (hal_xsave_size(check_xsave_mask()) > HAL_FPU_MAX)
		why = "the processor's vector state is larger than this build handles; report it";
	if (!why)
		return 0;
	pr_err(REFUSED "%s\n", why);
	return -ENODEV;
}
