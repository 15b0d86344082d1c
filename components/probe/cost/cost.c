// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/component.h>
#include <runtime/kernel_call.h>
#include <runtime/measure.h>

#include <import/mem.h>
#include <import/sched.h>

/* Measures `code`, which returns a status. Prints the first error, too. */
#define COST(subject, code)                                                                        \
	do {                                                                                       \
		long worst = LIMPET_OK, one;                                                       \
                                                                                                   \
		MEASURE(one = (code); worst = one < 0 ? one : worst);                              \
		if (worst)                                                                         \
			limpet_print("wrong: %s: %s\n", subject, limpet_error_text(worst));        \
		measure_report("sched", "cost", subject);                                          \
	} while (0)

static long send_receive(void)
{
	struct limpet_out out;
	long status = limpet_call_endpoint_send(LIMPET_SLOT_ENDPOINT, 1);

	return status ? status
		      : limpet_call_endpoint_receive(LIMPET_SLOT_ENDPOINT, 0, LIMPET_NOWAIT, &out);
}

static long copy_delete(void)
{
	long status = limpet_call_cap_copy(LIMPET_SLOT_TABLE, LIMPET_SLOT_ENDPOINT,
					   LIMPET_SLOT_TABLE, LIMPET_SLOT_FREE, LIMPET_READ);

	return status ? status : limpet_call_cap_delete(LIMPET_SLOT_TABLE, LIMPET_SLOT_FREE);
}

static void cost_kernel(void)
{
	struct limpet_out out;

	COST("kernel.nop", limpet_call_nop());
	COST("kernel.cap-info",
	     limpet_call_cap_info(LIMPET_SLOT_TABLE, LIMPET_SLOT_ENDPOINT, &out));
	COST("kernel.cap-copy-delete", copy_delete());
	COST("kernel.send-receive", send_receive());
}

static long wake_block(word self)
{
	long status = sched_wake(self);

	return status ? status : sched_block();
}

static long resume_suspend(word self)
{
	long status = sched_resume(self);

	return status ? status : sched_suspend();
}

static void cost_sched(word self)
{
	word ticks, misses, overruns;

	COST("sched.thread-id", sched_thread_id());
	COST("sched.yield", sched_yield());
	COST("sched.wake-block", wake_block(self));
	COST("sched.resume-suspend", resume_suspend(self));
	COST("sched.priority", sched_priority(0, 0));
	COST("sched.account", sched_account(0, &ticks, &misses, &overruns));
}

static long allocate_free(word pages)
{
	word address;
	long status = mem_allocate(pages, &address);

	return status ? status : mem_free(address);
}

static void cost_mem(void)
{
	word used, frames, address;
	long status = mem_allocate(2, &address);

	COST("mem.available", mem_available(&used, &frames));
	COST("mem.allocate-free-1", allocate_free(1));
	COST("mem.allocate-free-16", allocate_free(16));
	COST("mem.protect", status ? status : mem_protect(address, 1, LIMPET_READ));
}

void component_main(const struct limpet_info *info)
{
	measure_begin(info);
	cost_kernel();
	cost_sched(info->thread);
	cost_mem();
	limpet_print("done\n");
}
