/* SPDX-License-Identifier: BSD-2-Clause */
/* The names of Linux's kernel that RTLinux modules use and that need no kernel. <rtlinux/api.h> includes this file. */
#ifndef RTLINUX_LINUX_H
#define RTLINUX_LINUX_H

#define KERNEL_VERSION(a, b, c) (((a) << 16) + ((b) << 8) + (c))
#define LINUX_VERSION_CODE KERNEL_VERSION(2, 4, 20)

/* Modules. */
struct rtlinux_parameter {
	const char *name, *type;
	void *value;
};

#define MODULE_PARM(parameter, kind)                                                               \
	const struct rtlinux_parameter rtlinux_parameter_##parameter = { #parameter, kind,         \
									 (void *)&parameter }
#define module_param(parameter, kind, mode) MODULE_PARM(parameter, #kind)
#define MODULE_PARM_DESC(name, text) struct rtlinux_nothing
#define MODULE_LICENSE(text) struct rtlinux_nothing
#define MODULE_AUTHOR(text) struct rtlinux_nothing
#define MODULE_DESCRIPTION(text) struct rtlinux_nothing
#define MODULE_SUPPORTED_DEVICE(text) struct rtlinux_nothing
#define EXPORT_SYMBOL(name) struct rtlinux_nothing
#define EXPORT_NO_SYMBOLS struct rtlinux_nothing
#define module_init(function)                                                                      \
	int init_module(void)                                                                      \
	{                                                                                          \
		return function();                                                                 \
	}
#define module_exit(function)                                                                      \
	void cleanup_module(void)                                                                  \
	{                                                                                          \
		function();                                                                        \
	}
#define __init
#define __exit
#define THIS_MODULE 0
#define MOD_INC_USE_COUNT ((void)0)
#define MOD_DEC_USE_COUNT ((void)0)

/* Text and memory. */
#define KERN_EMERG "<0>"
#define KERN_ALERT "<1>"
#define KERN_CRIT "<2>"
#define KERN_ERR "<3>"
#define KERN_WARNING "<4>"
#define KERN_NOTICE "<5>"
#define KERN_INFO "<6>"
#define KERN_DEBUG "<7>"
#define GFP_KERNEL 0
#define GFP_ATOMIC 1

void *memcpy(void *to, const void *from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
int memcmp(const void *a, const void *b, size_t size);
size_t strlen(const char *text);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t size);
char *strcpy(char *to, const char *from);
char *strncpy(char *to, const char *from, size_t size);
char *strcat(char *to, const char *from);
char *strchr(const char *text, int letter);
unsigned long simple_strtoul(const char *text, char **end, unsigned int base);
void *rtlinux_allocate(size_t size); /* whole pages of the memory manager, at most 1 MiB */
void rtlinux_free(const void *address);
#define kmalloc(size, flags) rtlinux_allocate(size)
#define kfree(address) rtlinux_free(address)
#define vmalloc(size) rtlinux_allocate(size)
#define vfree(address) rtlinux_free(address)
#define malloc(size) rtlinux_allocate(size)
#define free(address) rtlinux_free(address)

#define abs(value) __builtin_abs(value)

/* Time. */
#define HZ 100
#define jiffies ((unsigned long)(gethrtime() / (NSECS_PER_SEC / HZ)))
#define udelay(us) rtl_delay((us) * 1000l)
#define rdtscll(value) ((void)((value) = __builtin_ia32_rdtsc()))
#define rdtscl(value) ((void)((value) = (unsigned int)__builtin_ia32_rdtsc()))
#define TASK_RUNNING 0
#define TASK_INTERRUPTIBLE 1
#define TASK_UNINTERRUPTIBLE 2
#define set_current_state(state) ((void)(state))
#define schedule_timeout(ticks) ((void)usleep((ticks) * (1000000 / HZ)))

/* Bits and counters, atomic between the threads of a module. */
typedef struct {
	volatile int counter;
} atomic_t;

#define ATOMIC_INIT(value) { (value) }
#define atomic_read(a) ((a)->counter)
#define atomic_set(a, value) ((void)((a)->counter = (value)))
#define atomic_inc(a) ((void)__sync_fetch_and_add(&(a)->counter, 1))
#define atomic_dec(a) ((void)__sync_fetch_and_sub(&(a)->counter, 1))
#define atomic_dec_and_test(a) (__sync_sub_and_fetch(&(a)->counter, 1) == 0)
#define RTLINUX_BIT(n) (1ul << ((n) % 64))
#define RTLINUX_WORD(n, p) ((unsigned long *)(p) + (n) / 64)
#define set_bit(n, p) ((void)__sync_fetch_and_or(RTLINUX_WORD(n, p), RTLINUX_BIT(n)))
#define clear_bit(n, p) ((void)__sync_fetch_and_and(RTLINUX_WORD(n, p), ~RTLINUX_BIT(n)))
#define test_bit(n, p) ((*RTLINUX_WORD(n, p) & RTLINUX_BIT(n)) != 0)
#define test_and_set_bit(n, p)                                                                     \
	((__sync_fetch_and_or(RTLINUX_WORD(n, p), RTLINUX_BIT(n)) & RTLINUX_BIT(n)) != 0)
#define test_and_clear_bit(n, p)                                                                   \
	((__sync_fetch_and_and(RTLINUX_WORD(n, p), ~RTLINUX_BIT(n)) & RTLINUX_BIT(n)) != 0)
#define cli rtl_stop_interrupts
#define sti rtl_allow_interrupts
#define save_flags rtl_hard_save_flags
#define restore_flags rtl_restore_interrupts

#define O_RDONLY 0
#define O_WRONLY 1
#define O_RDWR 2
#define O_CREAT 0100
#define O_NONBLOCK 04000
#define NR_IRQS 224
#define NR_CPUS 1
#define smp_num_cpus 1

/* <rtl_debug.h> and <rtl_tracer.h>. */
#define do_first(n)                                                                                \
	if (({                                                                                     \
		    static unsigned int rtlinux_times;                                             \
		    rtlinux_times < (n) && ++rtlinux_times;                                        \
	    }))
#define do_every(n)                                                                                \
	if (({                                                                                     \
		    static unsigned int rtlinux_times;                                             \
		    ++rtlinux_times % (n) == 0;                                                    \
	    }))
#define breakpoint() ((void)0)
#define BREAKPOINT() ((void)0)
#define rtl_trace2(event, data) ((void)0)
#define RTL_TRACE_USER 0
#define RTL_TRACE_FINALIZE 0

#endif
