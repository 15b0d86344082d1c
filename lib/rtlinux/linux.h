/* SPDX-License-Identifier: BSD-2-Clause */
/* Defines names of Linux's kernel that RTLinux modules use, without this kernel. <rtlinux/api.h> includes this file. */
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
#define RTLINUX_LETTER_byte "b"
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
#define MODULE_GENERIC_TABLE(type, name) struct rtlinux_nothing
#define MODULE_DEVICE_TABLE(type, name) struct rtlinux_nothing
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
#define GFP_USER 0
#define GFP_DMA 0

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
size_t strspn(const char *text, const char *letters);
size_t strcspn(const char *text, const char *letters);
char *strpbrk(const char *text, const char *letters);
char *strsep(char **text, const char *letters);
char *strtok(char *text, const char *letters);
void *memchr(const void *from, int byte, size_t size);
unsigned long simple_strtoul(const char *text, char **end, unsigned int base);
long simple_strtol(const char *text, char **end, unsigned int base);
void *rtlinux_allocate(size_t size); /* bytes, at most 1 MiB; uses whole pages */
void rtlinux_free(const void *address);
#define kmalloc(size, flags) rtlinux_allocate(size)
#define kfree(address) rtlinux_free(address)
#define vmalloc(size) rtlinux_allocate(size)
#define vfree(address) rtlinux_free(address)
#define __get_free_page(flags) ((unsigned long)rtlinux_allocate(PAGE_SIZE))
#define get_free_page __get_free_page
#define get_zeroed_page __get_free_page
#define __get_free_pages(flags, order) ((unsigned long)rtlinux_allocate(PAGE_SIZE << (order)))
#define free_page(address) rtlinux_free((void *)(address))
#define free_pages(address, order) rtlinux_free((void *)(address))
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
#define panic(...) ((void)rtl_printf(__VA_ARGS__), BUG())
#define min_t(type, a, b) ((type)(a) < (type)(b) ? (type)(a) : (type)(b))
#define max_t(type, a, b) ((type)(a) > (type)(b) ? (type)(a) : (type)(b))
#define htons(x) __builtin_bswap16(x)
#define ntohs htons
#define htonl(x) __builtin_bswap32(x)
#define ntohl htonl
#define cpu_to_le16(x) ((u16)(x))
#define cpu_to_le32(x) ((u32)(x))
#define le16_to_cpu(x) ((u16)(x))
#define le32_to_cpu(x) ((u32)(x))
#define cpu_to_be16 htons
#define cpu_to_be32 htonl
#define be16_to_cpu htons
#define be32_to_cpu htonl
#define xchg(p, value) __sync_lock_test_and_set(p, value)
#define cmpxchg(p, old, new) __sync_val_compare_and_swap(p, old, new)
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
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define SHRT_MAX 32767
#define SHRT_MIN (-SHRT_MAX - 1)
#define USHRT_MAX 65535
#define INT_MAX 0x7fffffff
#define INT_MIN (-INT_MAX - 1)
#define UINT_MAX 0xffffffffu
#define LONG_MAX 0x7fffffffffffffffl
#define LONG_MIN (-LONG_MAX - 1)
#define ULONG_MAX (~0ul)
#define CHAR_BIT 8
#define PATH_MAX 4096
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
#define get_cycles() ((unsigned long long)__builtin_ia32_rdtsc())
#define time_after(a, b) ((long)((b) - (a)) < 0)
#define time_before(a, b) time_after(b, a)
#define time_after_eq(a, b) ((long)((a) - (b)) >= 0)
#define time_before_eq(a, b) time_after_eq(b, a)

/* Linux's thread that executes init_module(), handlers and soft interrupts, as far as modules read it. */
#define TASK_RUNNING 0
#define TASK_INTERRUPTIBLE 1
#define TASK_UNINTERRUPTIBLE 2
struct task_struct {
	long state;
	int pid, uid, euid;
	char comm[16];
};

extern struct task_struct rtlinux_task;
#ifndef RTLINUX_LIBRARY
#define current (&rtlinux_task)
#endif
#define set_current_state(to) ((void)(rtlinux_task.state = (to)))
#define schedule() ((void)pthread_yield())
#define schedule_timeout(ticks)                                                                    \
	(usleep((ticks) * (1000000 / HZ)), rtlinux_task.state = TASK_RUNNING, 0)
#define signal_pending(task) 0
#define in_interrupt() 0
#define smp_processor_id() 0
#define num_online_cpus() 1
#define lock_kernel() ((void)0)
#define unlock_kernel() ((void)0)

/*
 * Tasklets and tasks of queues run once in the Linux context after the call that schedules them, as soft interrupts do.
 * Both structures begin with the same four members.
 */
struct tasklet_struct {
	struct tasklet_struct *next;
	unsigned long state; /* 1: it is queued */
	void (*func)(unsigned long);
	unsigned long data;
};

struct tq_struct {
	struct tq_struct *next;
	unsigned long sync; /* 1: it is queued */
	void (*routine)(void *);
	void *data;
};

int rtlinux_defer(void *work); /* returns 0 if it is queued already */
#define DECLARE_TASKLET(name, function, value)                                                     \
	struct tasklet_struct name = { .func = (function), .data = (value) }
#define tasklet_init(tasklet, function, value)                                                     \
	((void)(*(tasklet) = (struct tasklet_struct){ .func = (function), .data = (value) }))
#define tasklet_schedule(tasklet) ((void)rtlinux_defer(tasklet))
#define tasklet_hi_schedule tasklet_schedule
#define tasklet_kill(tasklet) ((void)(tasklet))
#define INIT_TQUEUE(task, function, value)                                                         \
	((void)(*(task) = (struct tq_struct){ .routine = (function), .data = (value) }))
#define PREPARE_TQUEUE(task, function, value)                                                      \
	((void)((task)->routine = (function), (task)->data = (value)))
#define schedule_task(task) rtlinux_defer(task)
#define rtl_schedule_task schedule_task
#define queue_task(task, queue) rtlinux_defer(task)
#define mark_bh(number) ((void)0)
#define tq_immediate 0 /* names of queues, which are all the same */
#define tq_timer 0
#define tq_scheduler 0
#define IMMEDIATE_BH 0
#define TIMER_BH 0
#define flush_scheduled_tasks() ((void)0)

/* Linux's semaphores. */
struct semaphore {
	sem_t value;
};

#define __MUTEX_INITIALIZER(name) { { 2 } }
#define DECLARE_MUTEX(name) struct semaphore name = { { 2 } }
#define DECLARE_MUTEX_LOCKED(name) struct semaphore name = { { 0 } }
#define sema_init(semaphore, count) ((void)sem_init(&(semaphore)->value, 0, count))
#define init_MUTEX(semaphore) sema_init(semaphore, 1)
#define init_MUTEX_LOCKED(semaphore) sema_init(semaphore, 0)
#define down(semaphore)                                                                            \
	do                                                                                         \
		;                                                                                  \
	while (sem_wait(&(semaphore)->value))
#define down_interruptible(semaphore) (sem_wait(&(semaphore)->value) ? -EINTR : 0)
#define down_trylock(semaphore) (sem_trywait(&(semaphore)->value) != 0)
#define up(semaphore) ((void)sem_post(&(semaphore)->value))

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
#define test_and_change_bit(n, p)                                                                  \
	((__sync_fetch_and_xor(RTLINUX_WORD(n, p), RTLINUX_BIT(n)) & RTLINUX_BIT(n)) != 0)
#define __set_bit set_bit
#define __clear_bit clear_bit
#define ffz(word) __builtin_ctzl(~(unsigned long)(word))
#define cli rtl_stop_interrupts
#define sti rtl_allow_interrupts
#define save_flags rtl_hard_save_flags
#define restore_flags rtl_restore_interrupts
#define __cli cli
#define __sti sti
#define __save_flags save_flags
#define __restore_flags restore_flags
#define save_and_cli rtl_no_interrupts
#define local_irq_save rtl_no_interrupts
#define local_irq_restore rtl_restore_interrupts
#define local_irq_disable cli
#define local_irq_enable sti
#define local_bh_disable() ((void)0)
#define local_bh_enable() ((void)0)

#define O_RDONLY 0
#define O_WRONLY 1
#define O_RDWR 2
#define O_CREAT 0100
#define O_EXCL 0200
#define O_ACCMODE 3
#define O_TRUNC 01000
#define O_APPEND 02000
#define O_NONBLOCK 04000
#define O_NDELAY O_NONBLOCK
#define O_SYNC 010000
#define S_IRWXU 0700
#define S_IRUSR 0400
#define S_IWUSR 0200
#define S_IXUSR 0100
#define S_IRWXG 070
#define S_IRGRP 040
#define S_IWGRP 020
#define S_IRWXO 07
#define S_IROTH 04
#define S_IWOTH 02
#define S_IRUGO 0444
#define S_IWUGO 0222
#define NR_IRQS 224
#define SA_INTERRUPT 0x20000000
#define SA_SHIRQ 0x04000000
#define SA_SAMPLE_RANDOM 0x10000000
/* Interrupts with a handler in the Linux context. -EBUSY: the interrupt has a handler. Errors as rtl_request_irq(). */
int request_irq(unsigned int irq, void (*handler)(int irq, void *device, struct pt_regs *registers),
		unsigned long flags, const char *name, void *device);
void free_irq(unsigned int irq, void *device);
#define enable_irq rtl_hard_enable_irq
#define disable_irq rtl_hard_disable_irq

/*
 * I/O ports, which the system file assigns to the module. Reading another port returns ones, and writing has no effect.
 * Both are logged. `bytes` is 1, 2 or 4.
 */
unsigned int rtlinux_in(unsigned int port, unsigned int bytes);
void rtlinux_out(unsigned int value, unsigned int port, unsigned int bytes);
void rtlinux_in_string(unsigned int port, void *to, unsigned long count, unsigned int bytes);
void rtlinux_out_string(unsigned int port, const void *from, unsigned long count,
			unsigned int bytes);
#define inb(port) ((unsigned char)rtlinux_in((port), 1))
#define inw(port) ((unsigned short)rtlinux_in((port), 2))
#define inl(port) rtlinux_in((port), 4)
#define outb(value, port) rtlinux_out((unsigned char)(value), (port), 1)
#define outw(value, port) rtlinux_out((unsigned short)(value), (port), 2)
#define outl(value, port) rtlinux_out((value), (port), 4)
#define inb_p inb
#define inw_p inw
#define inl_p inl
#define outb_p outb
#define outw_p outw
#define outl_p outl
#define rtl_inb inb
#define rtl_inw inw
#define rtl_inl inl
#define rtl_outb outb
#define rtl_outw outw
#define rtl_outl outl
#define rtl_inb_p inb
#define rtl_outb_p outb
#define insb(port, to, count) rtlinux_in_string((port), (to), (count), 1)
#define insw(port, to, count) rtlinux_in_string((port), (to), (count), 2)
#define insl(port, to, count) rtlinux_in_string((port), (to), (count), 4)
#define outsb(port, from, count) rtlinux_out_string((port), (from), (count), 1)
#define outsw(port, from, count) rtlinux_out_string((port), (from), (count), 2)
#define outsl(port, from, count) rtlinux_out_string((port), (from), (count), 4)
#define check_region(first, count) ((void)(first), (void)(count), 0)
#define request_region(first, count, name) ((void)(first), (void)(count), (void)(name), (void *)1)
#define release_region(first, count) ((void)(first), (void)(count))
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
#define debugpr(...) ((void)0)

#include <rtlinux/linux_list.h>
#include <rtlinux/linux_user.h>

#endif
