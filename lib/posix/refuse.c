// SPDX-License-Identifier: BSD-2-Clause
/* Logs the calls of Linux that are refused. */
#include <runtime/print.h>

#include <asm/unistd.h>

#include "call.h"
#include "posix.h"

#define NAME(name) [__NR_##name] = #name,
static const char *const names[CALLS] = {
#include <posix/names.h>
};

/* Logs only the first refusal of each number. */
void call_refused(word number, bool served, const char *error, const char *why)
{
	static uint64_t logged[CALLS / 64];
	const word n = number < CALLS ? number : 0;
	const uint64_t bit = 1ul << n % 64;

	if (__atomic_fetch_or(&logged[n / 64], bit, __ATOMIC_RELAXED) & bit)
		return;
	limpet_print("system call %lu of Linux (%s) is not served%s, the program gets %s%s%s\n",
		     number, number < CALLS && names[number] ? names[number] : "unknown",
		     served ? " in this form" : "", error, why ? ": " : "", why ? why : "");
}

long call_refuse(long status, const char *error, const char *why)
{
	call_refused(posix_self()->number, true, error, why);
	return status;
}
