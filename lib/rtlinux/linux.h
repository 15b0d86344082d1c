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

/*
 * `limpet-rtlinux` finds these declarations and defines the records at the end of the source, because a parameter can
 * be declared after its MODULE_PARM().
 */
#define MODULE_PARM(parameter, kind) extern const char rtlinux_declared_##parameter[sizeof(kind)]
#define module_param(parameter, kind, mode) MODULE_PARM(parameter, #kind)
#define module_param_array(parameter, kind, count, mode)                                           \
	MODULE_PARM(parameter, "1-64" RTLINUX_LETTER_##kind)
#define RTLINUX_LETTER_int "i"
#define RTLINUX_LETTER_uint "i"
#define RTLINUX_LETTER_bool "i"
#define RTLINUX_LETTER_long "l"
#define RTLINUX_LETTER_ulong "l"
#define RTLINUX_LETTER_short "h"
#define RTLINUX_LETTER_ushort "h"
#define RTLINUX_LETTER_charp "s"
#define MODULE_PARM_DESC(name, text) struct rtlinux_nothing
#define MODULE_LICENSE(text) struct rtlinux_nothing
#define MODULE_AUTHOR(text) struct rtlinux_nothing
#define MODULE_DESCRIPTION(text) struct rtlinux_nothing
#define MODULE_SUPPORTED_DEVICE(text) struct rtlinux_nothing
#define MODULE_VERSION(text) struct rtlinux_nothing
#define MODULE_ALIAS(text) struct rtlinux_nothing
#define EXPORT_SYMBOL(name) struct rtlinux_nothing
#define EXPORT_SYMBOL_GPL(name) struct rtlinux_nothing
#define EXPORT_SYMBOL_NOVERS(name) struct rtlinux_nothing
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
#define __initdata
#define __exitdata
#define __devinit
#define __devexit
#define THIS_MODULE 0
#define __this_module (*(int *)0)
#define try_module_get(module) 1
#define module_put(module) ((void)0)
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
char *strncat(char *to, const char *from, size_t size);
char *strchr(const char *text, int letter);
char *strrchr(const char *text, int letter);
char *strstr(const char *text, const char *part);
size_t strnlen(const char *text, size_t size);
void *memchr(const void *from, int byte, size_t size);
unsigned long simple_strtoul(const char *text, char **end, unsigned int base);
long simple_strtol(const char *text, char **end, unsigned int base);
void *rtlinux_allocate(size_t size); /* whole pages of the memory manager, at most 1 MiB */
void rtlinux_free(const void *address);
#define kmalloc(size, flags) rtlinux_allocate(size)
#define kfree(address) rtlinux_free(address)
#define vmalloc(size) rtlinux_allocate(size)
#define vfree(address) rtlinux_free(address)
#define malloc(size) rtlinux_allocate(size)
#define free(address) rtlinux_free(address)

#define isdigit(c) ((unsigned int)(c) - '0' < 10)
#define islower(c) ((unsigned int)(c) - 'a' < 26)
#define isupper(c) ((unsigned int)(c) - 'A' < 26)
#define isalpha(c) (((unsigned int)(c) | 32) - 'a' < 26)
#define isalnum(c) (isalpha(c) || isdigit(c))
#define isspace(c) ((c) == ' ' || (unsigned int)(c) - '\t' < 5)
#define isxdigit(c) (isdigit(c) || ((unsigned int)(c) | 32) - 'a' < 6)
#define isprint(c) ((unsigned int)(c) - 32 < 95)
#define tolower(c) (isupper(c) ? (c) + 32 : (c))
#define toupper(c) (islower(c) ? (c) - 32 : (c))

typedef signed char s8, __s8;
typedef unsigned char u8, __u8, u_char;
typedef short s16, __s16;
typedef unsigned short u16, __u16, u_short, ushort;
typedef int s32, __s32;
typedef unsigned int u32, __u32, u_int, uint;
typedef long long s64, __s64;
typedef unsigned long long u64, __u64;
typedef unsigned long u_long, ulong;
typedef int pid_t;
typedef long long loff_t;
typedef char *caddr_t;

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define barrier() __asm__ volatile("" ::: "memory")
#define mb() __sync_synchronize()
#define rmb() __sync_synchronize()
#define wmb() __sync_synchronize()
#define cpu_relax() __builtin_ia32_pause()
#define BUG() __builtin_trap()
#define BUG_ON(x) ((x) ? BUG() : (void)0)
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define container_of(pointer, type, member)                                                        \
	((type *)((char *)(pointer) - __builtin_offsetof(type, member)))
/* Divides a 64-bit variable and returns the remainder. */
#define do_div(value, by)                                                                          \
	({                                                                                         \
		unsigned int rtlinux_rest = (unsigned long long)(value) % (unsigned int)(by);      \
		(value) = (unsigned long long)(value) / (unsigned int)(by);                        \
		rtlinux_rest;                                                                      \
	})
#define PAGE_SHIFT 12
#define PAGE_SIZE 4096ul
#define PAGE_OFFSET 0xc0000000ul

#define abs(value) __builtin_abs(value)

/* Time. */
#define HZ 100
#define jiffies ((unsigned long)(gethrtime() / (NSECS_PER_SEC / HZ)))
#define udelay(us) rtl_delay((us) * 1000l)
#define mdelay(ms) rtl_delay((ms) * 1000000l)
#define ndelay(ns) rtl_delay(ns)
#define do_gettimeofday(now) rtlinux_timeofday(now)
void rtlinux_timeofday(struct timeval *now); /* since boot, as gethrtime() */
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
#define atomic_add(n, a) ((void)__sync_fetch_and_add(&(a)->counter, n))
#define atomic_sub(n, a) ((void)__sync_fetch_and_sub(&(a)->counter, n))
#define atomic_inc_and_test(a) (__sync_add_and_fetch(&(a)->counter, 1) == 0)
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
#define change_bit(n, p) ((void)__sync_fetch_and_xor(RTLINUX_WORD(n, p), RTLINUX_BIT(n)))
#define cli rtl_stop_interrupts
#define sti rtl_allow_interrupts
#define save_flags rtl_hard_save_flags
#define restore_flags rtl_restore_interrupts

#define O_RDONLY 0
#define O_WRONLY 1
#define O_RDWR 2
#define O_CREAT 0100
#define O_EXCL 0200
#define O_ACCMODE 3
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
