// SPDX-License-Identifier: GPL-2.0
/*
 * Makes a function that allocates memory, or another one, return NULL or 0 at once in threads with a given name:
 *
 *   insmod hunger.ko function=MODULE:FUNCTION name=NAME
 *   echo 1 >/sys/module/hunger/parameters/refuse    starts; 0 stops
 *   /sys/module/hunger/parameters/refused           number of NULLs returned
 *
 * A kprobe at the function's first instruction continues in another function, which returns to the caller.
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/string.h>

static char *function = "", *name = "";
module_param(function, charp, 0444);
module_param(name, charp, 0444);
static bool refuse;
module_param(refuse, bool, 0644);
static uint refused;
module_param(refused, uint, 0444);

static noinline void *nothing(void)
{
	return NULL;
}

static int return_null(struct kprobe *probe, struct pt_regs *regs)
{
	if (!READ_ONCE(refuse) || strcmp(current->comm, name))
		return 0;
	refused++;
	regs->ip = (unsigned long)nothing;
	return 1;
}
NOKPROBE_SYMBOL(return_null);

/* The post_handler prevents Linux from turning the probe into a jump, which would ignore the new ip. */
static void after(struct kprobe *probe, struct pt_regs *regs, unsigned long flags)
{
}
NOKPROBE_SYMBOL(after);

static struct kprobe probe = { .pre_handler = return_null, .post_handler = after };

static int __init hunger_init(void)
{
	probe.symbol_name = function;
	return register_kprobe(&probe);
}

static void __exit hunger_exit(void)
{
	unregister_kprobe(&probe);
}

module_init(hunger_init);
module_exit(hunger_exit);
MODULE_LICENSE("GPL");
