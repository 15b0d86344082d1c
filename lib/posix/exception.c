// SPDX-License-Identifier: BSD-2-Clause
/*
 * Signals for exceptions of the processor. The kernel invokes posix_fault() in entry.S for a fault of the program. If
 * the program has a handler for the signal, the thread continues at posix_exception(), which enters the handler. All
 * other faults are passed to the handler of faults that the system file names. See POSIX.1-2017, section 2.4 and
 * <signal.h>. The codes are those of Linux's arch/x86/kernel/traps.c.
 */
#include <runtime/kernel_call.h>

#include <import/faults.h>
#include <import/mem.h>

#include "map.h"
#include "map_end.h"
#include "signal_state.h"

#define DIVIDE 0
#define DEBUG 1
#define BREAKPOINT 3
#define OVERFLOW 4
#define BOUND 5
#define OPCODE 6
#define SEGMENT 11
#define STACK 12
#define PROTECTION 13
#define PAGE_FAULT 14
#define X87 16
#define ALIGNMENT 17
#define SIMD 19

#define CODE_PRESENT 1u /* bit of a page fault's code: the page is mapped, access is not allowed */

/*
 * Returns the signal for an exception, or 0 if it does not become a signal. `address` is that of a page fault. A page
 * beyond the end of a mapped file is SIGBUS. POSIX.1-2017, mmap().
 */
static int signal_of(word vector, word address)
{
	static const uint8_t signals[] = {
		[DIVIDE] = SIGFPE,	[DEBUG] = SIGTRAP, [BREAKPOINT] = SIGTRAP,
		[OVERFLOW] = SIGSEGV,	[BOUND] = SIGSEGV, [OPCODE] = SIGILL,
		[SEGMENT] = SIGBUS,	[STACK] = SIGBUS,  [PROTECTION] = SIGSEGV,
		[PAGE_FAULT] = SIGSEGV, [X87] = SIGFPE,	   [ALIGNMENT] = SIGBUS,
		[SIMD] = SIGFPE,
	};

	if (vector == PAGE_FAULT && end_has(address))
		return SIGBUS;
	return vector < array_size(signals) ? signals[vector] : 0;
}

/*
 * Returns the si_code of a floating-point exception. Flags and masks have the same order in the x87 status and control
 * words and in MXCSR: invalid, denormal, zero divide, overflow, underflow, precision. Intel SDM vol. 1, 8.1.3 and
 * 10.2.3.
 */
static int float_code(word raised)
{
	static const int codes[] = { FPE_FLTINV, FPE_FLTUND, FPE_FLTDIV,
				     FPE_FLTOVF, FPE_FLTUND, FPE_FLTRES };

	for (unsigned int i = 0; i < array_size(codes); i++)
		if (raised >> i & 1)
			return codes[i];
	return FPE_FLTINV;
}

/*
 * Returns the flags of the unmasked floating-point exceptions. FXSAVE stores the x87 control word at 0, the status word
 * at 2 and MXCSR at 24. Intel SDM vol. 1, table 10-2.
 */
static word float_raised(const struct posix_thread *thread)
{
	const uint16_t *x87 = (const void *)thread->vectors;
	const uint32_t mxcsr = *(const uint32_t *)(const void *)(thread->vectors + 24);

	return thread->exception.vector == X87 ? x87[1] & ~(word)x87[0] : mxcsr & ~(mxcsr >> 7);
}

static int code_of(const struct posix_thread *thread)
{
	const struct posix_exception *exception = &thread->exception;

	switch (exception->vector) {
	case DIVIDE:
		return FPE_INTDIV;
	case DEBUG:
		return TRAP_TRACE;
	case OPCODE:
		return ILL_ILLOPN;
	case ALIGNMENT:
		return BUS_ADRALN;
	case X87:
	case SIMD:
		return float_code(float_raised(thread));
	case PAGE_FAULT:
		if (end_has(exception->address))
			return BUS_ADRERR;
		if (exception->address >= LIMPET_USER_END)
			return SEGV_MAPERR;
		return exception->code & CODE_PRESENT || memory_given(exception->address)
			       ? SEGV_ACCERR
			       : SEGV_MAPERR;
	default:
		return SI_KERNEL;
	}
}

/*
 * Returns si_addr as Linux sets it: the accessed address of a page fault, the address of the instruction if the reason
 * is known, or 0.
 */
static word address_of(const struct posix_thread *thread, int code)
{
	if (thread->exception.vector == PAGE_FAULT)
		return thread->exception.address;
	return code == SI_KERNEL || code == BUS_ADRALN ? 0 : thread->fault_ip;
}

/*
 * Makes the thread continue at posix_exception(). It is marked as diverted until it is there, so other threads do not
 * divert it. LIMPET_EAGAIN: another thread has diverted it already, for a signal. After the signal it faults again.
 */
static bool fault_catch(struct posix_thread *thread, word ip)
{
	struct limpet_out out = { 0 };
	long status;

	thread->fault_ip = ip;
	thread->diverted = true;
	barrier();
	status = limpet_call_thread_divert(posix_id(thread), ip, (word)posix_exception, &out);
	return status >= 0 || status == LIMPET_EAGAIN;
}

long posix_fault_handle(word kind, word address, word code, word ip, word inside)
{
	struct posix_thread *thread = posix_self();
	const int signal = signal_of(kind, address);

	if (kind == PAGE_FAULT && mem_touch(address, code) >= 0)
		return 0;
	if (!inside && signal && signal_catchable(thread, signal)) {
		thread->exception = (struct posix_exception){ kind, address, code };
		if (fault_catch(thread, ip))
			return 0;
	}
	return faults_handle(kind, address, code, ip, limpet_thread_id(), limpet_info()->index);
}

struct posix_leave posix_exception_signal(struct posix_frame *frame)
{
	struct posix_thread *thread = posix_self();
	const int signal = signal_of(thread->exception.vector, thread->exception.address);
	const int code = code_of(thread);
	const struct siginfo info = {
		.si_signo = signal,
		.si_code = code,
		.si_addr = (void *)address_of(thread, code),
	};

	thread->frame = frame;
	thread->number = NO_CALL;
	thread->full = true;
	barrier();
	thread->diverted = false;
	signal_exception(thread, signal, &info);
	return posix_leave(thread);
}
