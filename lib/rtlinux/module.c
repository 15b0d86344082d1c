// SPDX-License-Identifier: BSD-2-Clause
/* Runs a module as a component: parameters, init_module(), cleanup_module(), soft interrupts, memory. */
#include "core.h"

#include <channel/stop.h>
#include <runtime/kernel_call.h>
#include <runtime/print.h>
#include <runtime/time.h>

#include <import/mem.h>
#include <import/sched.h>

#define PAGE 4096u
#define SOFT_IRQS 16
#define SOFT_FIRST 240 /* numbers above those of hardware */

/* The module's parameters, ended by NULL; written by `limpet-rtlinux`. */
extern const struct rtlinux_parameter *const rtlinux_parameters[];

typedef void handler_of_irq(int irq, void *nothing, struct pt_regs *regs);

static handler_of_irq *soft_handlers[SOFT_IRQS];
static uint32_t soft_pending;	   /* bit N: soft interrupt N */
static struct tq_struct *deferred; /* the last one that was queued, and by `next` those before it */
struct task_struct rtlinux_task = { .pid = 1, .comm = "insmod" };
static struct sched_param lowest;

/*
 * Sets one value of a parameter of `size` bytes, and returns the text after it. Returns NULL if
 * the value has the wrong form. Copies a text of kind "c".
 */
static const char *value_set(char kind, size_t size, void *to, const char *text)
{
	bool negative = *text == '-';
	char *end;
	long value;

	if (kind == 's') {
		*(const char **)to = text;
		return text + strlen(text);
	}
	if (kind == 'c') {
		const size_t length = strcspn(text, ",");

		if (length >= size)
			return NULL;
		memcpy(to, text, length);
		((char *)to)[length] = 0;
		return text + length;
	}
	value = (long)simple_strtoul(text + negative, &end, 0);
	if (end == text + negative)
		return NULL;
	value = negative ? -value : value;
	if (kind == 'b')
		*(char *)to = (char)value;
	else if (kind == 'h')
		*(short *)to = (short)value;
	else if (kind == 'l')
		*(long *)to = value;
	else
		*(int *)to = (int)value;
	return end;
}

/* Returns the size of a value. The type of a text is "c" and the size of its array, such as "c20". */
static size_t size_of(const char *type)
{
	if (*type == 'c')
		return simple_strtoul(type + 1, NULL, 10);
	return *type == 'b' ? 1 : *type == 'h' ? 2 : *type == 'i' ? 4 : 8;
}

/*
 * Sets a parameter from "VALUE" or "VALUE,VALUE". Its type is one of MODULE_PARM, such as "i", "2i", "1-4i" or "c20", or
 * a word of module_param.
 */
static bool parameter_set(const struct rtlinux_parameter *parameter, const char *text)
{
	static const char *const words[][2] = { { "int", "i" },	   { "uint", "i" },
						{ "bool", "i" },   { "long", "l" },
						{ "ulong", "l" },  { "short", "h" },
						{ "ushort", "h" }, { "charp", "s" },
						{ "byte", "b" } };
	const char *type = parameter->type;
	unsigned long max = 1;
	char *end;

	for (unsigned int i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(type, words[i][0]))
			type = words[i][1];
	if (*type >= '0' && *type <= '9') {
		max = simple_strtoul(type, &end, 10);
		if (*end == '-')
			max = simple_strtoul(end + 1, &end, 10);
		type = end;
	}
	for (unsigned long i = 0; i < max; i++) {
		text = value_set(*type, size_of(type), (char *)parameter->value + i * size_of(type),
				 text);
		if (!text || *text != ',')
			return text && !*text;
		text++;
	}
	return false;
}

/* Sets the parameter of "NAME=VALUE". */
static bool argument_use(const char *text)
{
	const char *value = strchr(text, '=');

	for (unsigned int i = 0; value && rtlinux_parameters[i]; i++) {
		const struct rtlinux_parameter *parameter = rtlinux_parameters[i];

		if (strlen(parameter->name) != (size_t)(value - text) ||
		    strncmp(parameter->name, text, (size_t)(value - text)) != 0)
			continue;
		if (parameter_set(parameter, value + 1))
			return true;
		limpet_print("parameter %s: the value does not have the form of its type \"%s\"\n",
			     text, parameter->type);
		return false;
	}
	limpet_print("parameter %s: the module has no parameter of this name\n", text);
	return false;
}

static bool parameters_set(const struct limpet_info *info)
{
	char name[] = "param00";

	for (unsigned int i = 0; i < 16; i++) {
		const char *text;

		name[5] = i < 10 ? (char)('0' + i) : '1';
		name[6] = i < 10 ? 0 : (char)('0' + i - 10);
		text = limpet_arg_text(info, name, NULL);
		if (text && !argument_use(text))
			return false;
	}
	return true;
}

static bool is_soft(unsigned int irq)
{
	return irq - SOFT_FIRST < SOFT_IRQS;
}

static uint32_t soft_bit(unsigned int irq)
{
	return 1u << (irq - SOFT_FIRST);
}

/* Returns which of these soft interrupts are pending, and clears them. */
static uint32_t soft_take(uint32_t bits)
{
	return __atomic_fetch_and(&soft_pending, ~bits, __ATOMIC_SEQ_CST) & bits;
}

/* Runs each pending soft interrupt once. A handler can free another one. */
static void soft_run(void)
{
	struct rtl_thread_struct *self = rtlinux_self();

	for (uint32_t left = __atomic_load_n(&soft_pending, __ATOMIC_SEQ_CST); left;
	     left &= left - 1) {
		const int i = __builtin_ctz(left);
		unsigned char depth;

		if (!soft_take(1u << i) || !soft_handlers[i])
			continue;
		depth = rtlinux_module_begin(self);
		soft_handlers[i](SOFT_FIRST + i, NULL, NULL);
		rtlinux_module_end(self, depth);
	}
}

int rtl_get_soft_irq(void (*handler)(int, void *, struct pt_regs *), const char *name)
{
	INSIDE;

	(void)name;
	for (int i = 0; i < SOFT_IRQS; i++)
		if (!soft_handlers[i]) {
			soft_take(1u << i);
			soft_handlers[i] = handler;
			return SOFT_FIRST + i;
		}
	return -EBUSY;
}

void rtl_free_soft_irq(unsigned int irq)
{
	INSIDE;

	if (!is_soft(irq))
		return;
	soft_handlers[irq - SOFT_FIRST] = NULL;
	soft_take(soft_bit(irq));
}

void rtl_global_pend_irq(int irq)
{
	INSIDE;

	if (!is_soft((unsigned int)irq))
		return;
	__atomic_fetch_or(&soft_pending, soft_bit((unsigned int)irq), __ATOMIC_SEQ_CST);
	limpet_call_endpoint_send(LIMPET_SLOT_ENDPOINT, RTLINUX_SERVE);
}

int rtl_global_ispending_irq(int irq)
{
	return is_soft((unsigned int)irq) &&
	       __atomic_load_n(&soft_pending, __ATOMIC_SEQ_CST) & soft_bit((unsigned int)irq);
}

int rtlinux_defer(void *work)
{
	INSIDE;
	struct tq_struct *task = work;

	if (__atomic_exchange_n(&task->sync, 1, __ATOMIC_SEQ_CST))
		return 0;
	task->next = __atomic_load_n(&deferred, __ATOMIC_SEQ_CST);
	while (!__atomic_compare_exchange_n(&deferred, &task->next, task, false, __ATOMIC_SEQ_CST,
					    __ATOMIC_SEQ_CST))
		;
	limpet_call_endpoint_send(LIMPET_SLOT_ENDPOINT, RTLINUX_SERVE);
	return 1;
}

/* Runs the queued tasklets and tasks in the order in which they were queued. Each can be queued again while it runs. */
static void deferred_run(void)
{
	struct rtl_thread_struct *self = rtlinux_self();
	struct tq_struct *newest = __atomic_exchange_n(&deferred, NULL, __ATOMIC_SEQ_CST);
	struct tq_struct *oldest = NULL, *next;
	unsigned char depth;

	for (; newest; newest = next) {
		next = newest->next;
		newest->next = oldest;
		oldest = newest;
	}
	for (; oldest; oldest = next) {
		next = oldest->next;
		__atomic_store_n(&oldest->sync, 0, __ATOMIC_SEQ_CST);
		depth = rtlinux_module_begin(self);
		oldest->routine(oldest->data);
		rtlinux_module_end(self, depth);
	}
}

/*
 * Runs soft interrupts, tasklets and handlers of FIFOs in the Linux context until the module is removed: at the time `until`, or when
 * the system is stopped.
 */
static void serve(uint64_t until)
{
	while (limpet_time() < until && !stop_requested()) {
		soft_run();
		deferred_run();
		rtlinux_fifos_serve(until);
	}
}

void rtlinux_main(void)
{
	const struct limpet_info *info = limpet_info();
	int64_t remove_ms = limpet_arg_within(info, "remove-after-ms", 0, 0, 3600000);
	struct rtl_thread_struct *self = rtlinux_self();
	unsigned char depth;
	int status;

	*self = (struct rtl_thread_struct){
		.sched_param = lowest,
		.resume_time = HRTIME_INFINITY,
		.rtlinux_ceiling = -1,
		.rtlinux_level = (unsigned char)info->priority,
		.rtlinux_inside = 1,
		.magic = RTL_THREAD_MAGIC,
	};
	rtlinux_order();
	if (!parameters_set(info))
		return;
	if (rtlinux_thread_begin)
		rtlinux_thread_begin();
	depth = rtlinux_module_begin(self);
	status = init_module();
	rtlinux_module_end(self, depth);
	if (status) {
		limpet_print("init_module() returned %d: the module is not loaded\n", status);
		return;
	}
	stop_begin();
	limpet_print("module is loaded\n");
	serve(remove_ms ? rtlinux_stamp(gethrtime() + remove_ms * 1000000) : LIMPET_NEVER);
	depth = rtlinux_module_begin(self);
	cleanup_module();
	rtlinux_module_end(self, depth);
	limpet_print("module is removed\n");
	stop_end();
}

void *rtlinux_allocate(size_t size)
{
	INSIDE;
	word address;

	if (!size || mem_allocate((size + PAGE - 1) / PAGE, &address) < 0) {
		errno = ENOMEM;
		return NULL;
	}
	return (void *)address;
}

void rtlinux_free(const void *address)
{
	INSIDE;

	if (address)
		mem_free((word)address);
}

int rtl_request_local_irq(int vector, unsigned int (*handler)(struct pt_regs *), unsigned int cpu)
{
	(void)vector;
	(void)handler;
	(void)cpu;
	return (int)rtlinux_refuse("rtl_request_local_irq",
				   "a component has no interrupts of its own processor", -EINVAL);
}

int rtl_free_local_irq(int vector, unsigned int cpu)
{
	(void)vector;
	(void)cpu;
	return -EINVAL;
}

int rtl_irq_set_affinity(unsigned int irq, const unsigned long *mask, unsigned long *old)
{
	(void)irq;
	(void)mask;
	(void)old;
	return -1; /* the result of RTLinux on one CPU */
}

int uname(struct utsname *names)
{
	*names = (struct utsname){
		.sysname = "RTLinux", .release = "3.2", .version = "Limpet", .machine = "x86_64"
	};
	return 0;
}

int rtl_rt_system_is_idle(void)
{
	return rtlinux_self() == pthread_linux();
}
