// SPDX-License-Identifier: BSD-2-Clause
/* A module as a component: parameters, init_module(), cleanup_module(), soft interrupts, memory. */
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
#define SOFT_EVENT 1   /* at the component's endpoint: a soft interrupt is pending */

/* The module's parameters, ended by NULL; written by `limpet-rtlinux`. */
extern const struct rtlinux_parameter *const rtlinux_parameters[];

typedef void handler_of_irq(int irq, void *nothing, struct pt_regs *regs);

static handler_of_irq *soft_handlers[SOFT_IRQS];
static uint32_t soft_pending; /* bit N: soft interrupt N */
static struct sched_param lowest;

long rtlinux_refuse(const char *function, const char *reason, long error)
{
	limpet_print("%s is refused: %s\n", function, reason);
	return error;
}

/* Sets one value of a parameter, and returns what follows it; NULL: it has the wrong form. */
static const char *value_set(char kind, void *to, const char *text)
{
	bool negative = *text == '-';
	char *end;
	long value;

	if (kind == 's') {
		*(const char **)to = text;
		return text + strlen(text);
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

static size_t size_of(char kind)
{
	return kind == 'b' ? 1 : kind == 'h' ? 2 : kind == 'i' ? 4 : 8;
}

/*
 * Sets a parameter from "VALUE" or "VALUE,VALUE". Its type is one of MODULE_PARM, such as "i", "2i" or "1-4i", or a word of
 * module_param.
 */
static bool parameter_set(const struct rtlinux_parameter *parameter, const char *text)
{
	static const char *const words[][2] = { { "int", "i" },	   { "uint", "i" },
						{ "bool", "i" },   { "long", "l" },
						{ "ulong", "l" },  { "short", "h" },
						{ "ushort", "h" }, { "charp", "s" } };
	const char *type = parameter->type;
	unsigned long most = 1;
	char *end;

	for (unsigned int i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(type, words[i][0]))
			type = words[i][1];
	if (*type >= '0' && *type <= '9') {
		most = simple_strtoul(type, &end, 10);
		if (*end == '-')
			most = simple_strtoul(end + 1, &end, 10);
		type = end;
	}
	for (unsigned long i = 0; i < most; i++) {
		text = value_set(*type, (char *)parameter->value + i * size_of(*type), text);
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
	limpet_print("parameter %s: the module has none of this name\n", text);
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
	for (uint32_t left = __atomic_load_n(&soft_pending, __ATOMIC_SEQ_CST); left;
	     left &= left - 1) {
		const int i = __builtin_ctz(left);

		if (soft_take(1u << i) && soft_handlers[i])
			soft_handlers[i](SOFT_FIRST + i, NULL, NULL);
	}
}

int rtl_get_soft_irq(void (*handler)(int, void *, struct pt_regs *), const char *name)
{
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
	if (!is_soft(irq))
		return;
	soft_handlers[irq - SOFT_FIRST] = NULL;
	soft_take(soft_bit(irq));
}

void rtl_global_pend_irq(int irq)
{
	if (!is_soft((unsigned int)irq))
		return;
	__atomic_fetch_or(&soft_pending, soft_bit((unsigned int)irq), __ATOMIC_SEQ_CST);
	limpet_call_endpoint_send(LIMPET_SLOT_ENDPOINT, SOFT_EVENT);
}

int rtl_global_ispending_irq(int irq)
{
	return is_soft((unsigned int)irq) &&
	       __atomic_load_n(&soft_pending, __ATOMIC_SEQ_CST) & soft_bit((unsigned int)irq);
}

/*
 * Runs soft interrupts and handlers of FIFOs in the Linux context until the module is removed: at the time `until`, or when
 * the system is stopped.
 */
static void serve(uint64_t until)
{
	while (limpet_time() < until && !stop_requested()) {
		soft_run();
		rtlinux_fifos_serve(until);
	}
}

void rtlinux_main(void)
{
	const struct limpet_info *info = limpet_info();
	int64_t remove_ms = limpet_arg_within(info, "remove-after-ms", 0, 0, 3600000);
	struct rtl_thread_struct *self = pthread_self();
	int status;

	*self = (struct rtl_thread_struct){
		.sched_param = lowest,
		.resume_time = HRTIME_INFINITY,
		.rtlinux_ceiling = -1,
		.rtlinux_level = (unsigned char)info->priority,
		.magic = RTL_THREAD_MAGIC,
	};
	rtlinux_order();
	if (!parameters_set(info))
		return;
	status = init_module();
	if (status) {
		limpet_print("init_module() returned %d: the module is not loaded\n", status);
		return;
	}
	stop_begin();
	limpet_print("module is loaded\n");
	serve(remove_ms ? rtlinux_stamp(gethrtime() + remove_ms * 1000000) : LIMPET_NEVER);
	cleanup_module();
	limpet_print("module is removed\n");
	stop_end();
}

void *rtlinux_allocate(size_t size)
{
	word address;

	if (!size || mem_allocate((size + PAGE - 1) / PAGE, &address) < 0) {
		errno = ENOMEM;
		return NULL;
	}
	return (void *)address;
}

void rtlinux_free(const void *address)
{
	if (address)
		mem_free((word)address);
}

#define NO_INTERRUPTS "a component gets interrupts only from the system file"

int rtl_request_irq(unsigned int irq, unsigned int (*handler)(unsigned int, struct pt_regs *))
{
	(void)handler;
	return irq >= NR_IRQS ? -EINVAL
			      : (int)rtlinux_refuse("rtl_request_irq", NO_INTERRUPTS, -EBUSY);
}

int rtl_free_irq(unsigned int irq)
{
	(void)irq;
	return -EINVAL;
}

int request_RTirq(unsigned int irq, void (*handler)(void))
{
	(void)handler;
	return irq >= NR_IRQS ? -EINVAL
			      : (int)rtlinux_refuse("request_RTirq", NO_INTERRUPTS, -EBUSY);
}

int rtl_request_local_irq(int vector, unsigned int (*handler)(struct pt_regs *), unsigned int cpu)
{
	(void)vector;
	(void)handler;
	(void)cpu;
	return (int)rtlinux_refuse("rtl_request_local_irq", NO_INTERRUPTS, -EINVAL);
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
	return -1; /* as RTLinux on one CPU */
}

int uname(struct utsname *names)
{
	*names = (struct utsname){
		.sysname = "RTLinux", .release = "3.2", .version = "Limpet", .machine = "x86_64"
	};
	return 0;
}

int free_RTirq(unsigned int irq)
{
	(void)irq;
	return -EINVAL;
}

void rtl_hard_enable_irq(unsigned int irq)
{
	(void)irq;
}

void rtl_hard_disable_irq(unsigned int irq)
{
	(void)irq;
}

int rtl_rt_system_is_idle(void)
{
	return pthread_self() == pthread_linux();
}
