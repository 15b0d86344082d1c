/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The programming interface of RTLinux 3.x, for modules that are compiled as components. Each header name that such a
 * module includes (<rtl.h>, <pthread.h>, <time.h>, <linux/module.h>, ...) leads to this file, so the order of includes
 * does not matter. docs/reference/rtlinux.md lists each function with its errors and its differences from RTLinux.
 *
 * Contexts: init_module(), cleanup_module() and FIFO handlers run in the Linux context, which is the component's
 * initial thread at the lowest priority. All other code runs in threads. pthread_create() makes those of the module.
 * The library makes a thread above all of them for the handlers of interrupts, and another one for the handler of the
 * hardware clock. These handlers run with masked interrupts and can call every function.
 */
#ifndef RTLINUX_API_H
#define RTLINUX_API_H

#include <stdarg.h>
#include <stddef.h>

#include <rtlinux/errors.h>

/*
 * A module is linked with the library in one step, so no address is in a table of addresses. Otherwise the linker would
 * have to replace accesses to the table, and cannot do that for all instructions.
 */
#ifdef MODULE
#pragma GCC visibility push(hidden)
#endif

#ifdef __cplusplus
extern "C" {
int init_module(void);
void cleanup_module(void);
#endif

#define RTLINUX_VERSION(a, b, c) (((a) << 16) + ((b) << 8) + (c))
#define RTLINUX_VERSION_CODE RTLINUX_VERSION(3, 2, 0)
#define RTLINUX_V3 1
#define CONFIG_RTL_USE_V1_API 1
#define CONFIG_OC_PSIGNALS 1
#define CONFIG_OC_PBARRIERS 1
#define CONFIG_OC_PTIMERS 1
#define CONFIG_OC_PMQUEUES 1
#define _RTL_POSIX_TIMEOUTS 1
#define _RTL_POSIX_SPIN_LOCKS 1
#define _RTL_POSIX_THREAD_KEYS_MAX RTL_PTHREAD_KEYS_MAX
#define _RTL_POSIX_THREAD_THREADS_MAX 62
#define _POSIX_THREADS 1
#define _POSIX_SEMAPHORES 1
#define _POSIX_MONOTONIC_CLOCK 1
#define _POSIX_THREAD_PRIORITY_SCHEDULING 1
#define _POSIX_THREAD_ATTR_STACKADDR 1
#define _POSIX_THREAD_ATTR_STACKSIZE 1

typedef long ssize_t;
typedef long off_t;
typedef long time_t;
typedef unsigned int mode_t;
typedef unsigned int useconds_t;

/* Time: nanoseconds of the processor's time-stamp counter, which is monotonic. */
typedef long long hrtime_t;
typedef long long RTIME; /* v1: ticks of 1/1193180 s */

struct timespec {
	time_t tv_sec;
	long tv_nsec;
};

struct timeval {
	time_t tv_sec;
	long tv_usec;
};

struct sched_param {
	int sched_priority;
};

#define rtl_sched_param sched_param
#define SCHED_OTHER 0
#define SCHED_FIFO 1
#define SCHED_RR 2
#define RTLINUX_PRIORITY_MAX 1000000
#define sched_get_priority_max(policy) RTLINUX_PRIORITY_MAX
#define sched_get_priority_min(policy) 0

/* Signals of threads. */
typedef unsigned long rtl_sigset_t;
typedef rtl_sigset_t sigset_t;

#define RTL_SIGNAL_NULL 0
#define RTL_SIGNAL_WAKEUP 1
#define RTL_SIGNAL_CANCEL 2
#define RTL_SIGNAL_SUSPEND 3
#define RTL_SIGNAL_HANDLER_EXECUTION_INPROGRESS 4
#define RTL_SIGNAL_TIMER 5
#define RTL_SIGNAL_READY 6
#define RTL_SIGUSR1 7
#define RTL_SIGUSR2 8
#define RTL_SIGRTMIN 9
#define RTL_SIGRTMAX 31
#define RTL_MAX_SIGNAL 31
#define RTL_SIGIRQMIN 256
#define RTL_SIGLOCALIRQMIN 512
#define RTL_SIGIRQMAX 1024
#define RTL_LINUX_MIN_SIGNAL 256
#define RTL_LINUX_MIN_LOCAL_SIGNAL 512
#define RTL_LINUX_MAX_SIGNAL 1024
/* Numbers of Linux. Those from 7 on are signals of threads here, too. */
#define SIGHUP 1
#define SIGINT 2
#define SIGQUIT 3
#define SIGILL 4
#define SIGTRAP 5
#define SIGABRT 6
#define SIGBUS 7
#define SIGFPE 8
#define SIGKILL 9
#define SIGUSR1 10
#define SIGSEGV 11
#define SIGUSR2 12
#define SIGPIPE 13
#define SIGALRM 14
#define SIGTERM 15
#define SIGCHLD 17
#define SIGCONT 18
#define SIGSTOP 19
#define SIGTSTP 20
#define SIGURG 23
#define SIGXCPU 24
#define SIGVTALRM 26
#define SIGPROF 27
#define SIGWINCH 28
#define SIGIO 29
#define SIGPOLL SIGIO
#define SIGPWR 30
#define RTL_SIG_DFL ((void (*)(int))0)
#define RTL_SIG_IGN ((void (*)(int))0)
#define SIG_DFL ((void (*)(int))0)
#define SIG_IGN ((void (*)(int))1)
#define SIG_BLOCK 0
#define SIG_UNBLOCK 1
#define SIG_SETMASK 2
#define SA_FOCUS 0x8
#define SA_IRQ 0x10
#define SA_RESETHAND 0x80000000 /* for interrupt lines: the handler runs once */
#define SA_ONESHOT SA_RESETHAND

#define rtl_sigemptyset(set) ((void)(*(set) = 0))
#define rtl_sigfillset(set) ((void)(*(set) = ~0ul))
#define rtl_sigaddset(set, signal) ((void)(*(set) |= 1ul << (signal)))
#define rtl_sigdelset(set, signal) ((void)(*(set) &= ~(1ul << (signal))))
#define rtl_sigismember(set, signal) ((int)(*(set) >> (signal) & 1))
#define sigemptyset rtl_sigemptyset
#define sigfillset rtl_sigfillset
#define sigaddset rtl_sigaddset
#define sigdelset rtl_sigdelset
#define sigismember rtl_sigismember

struct rtl_siginfo {
	int si_signo;
};

typedef struct rtl_siginfo siginfo_t;

struct sigaction {
	union {
		void (*sa_handler)(int);
		void (*sa_sigaction)(int, struct rtl_siginfo *, void *);
	};
	int sa_flags;
	unsigned long sa_focus;
	struct rtl_thread_struct *owner;
	rtl_sigset_t sa_mask;
};

#define rtl_sigaction sigaction

/* Threads. */
#define RTL_THREAD_MAGIC 0x79433743
#define RTL_PTHREAD_KEYS_MAX 20
#define RTL_PTHREAD_STACK_MIN 8192
#define RTL_PRIO(thread) ((thread)->sched_param.sched_priority)
#define RTL_CURRENT pthread_self()
#define LOCAL_SCHED rtlinux_sched()
#define sched_data(cpu) rtlinux_sched()

struct rtl_cleanup {
	void (*function)(void *);
	void *argument;
	struct rtl_cleanup *next;
};

/* A thread. Programs read the first part; the second part is the library's. */
struct rtl_thread_struct {
	int magic; /* RTL_THREAD_MAGIC while the thread is valid */
	struct sched_param sched_param;
	int cpu;
	hrtime_t period;
	hrtime_t resume_time;
	struct timespec timeval; /* of hrt2ts() */
	rtl_sigset_t pending, blocked;
	void *user[4];
	int errno_val;
	int uses_fp;
	unsigned int threadflags;
	void *tsd[RTL_PTHREAD_KEYS_MAX];
	void *posix_data;
	struct rtl_thread_struct *next; /* in the list of LOCAL_SCHED */

	void *(*rtlinux_entry)(void *);
	void *rtlinux_argument;
	const void *rtlinux_object; /* object that it waits for */
	struct rtl_cleanup *rtlinux_cleanup;
	void *rtlinux_transfer;	    /* its innermost call of a message queue */
	unsigned int rtlinux_waits; /* number of waits that it has started */
	int rtlinux_ceiling;	    /* highest ceiling of the mutexes that it has locked, or -1 */
	unsigned char rtlinux_level;
	unsigned char rtlinux_masked, rtlinux_deleted, rtlinux_dormant, rtlinux_detached;
	unsigned char rtlinux_cancel_off, rtlinux_cancel_async;
	unsigned char rtlinux_ended;	/* it does not run the module's code any more */
	unsigned char rtlinux_inside;	/* depth of calls of the library; 0: in the module's code */
	unsigned char rtlinux_look;	/* another thread has changed its signals */
	unsigned char rtlinux_diverted; /* it continues at rtlinux_interrupt() when it runs */
	unsigned long rtlinux_interrupted; /* address at which it was diverted */
};

typedef struct rtl_thread_struct *pthread_t;
typedef struct rtl_thread_struct RTL_THREAD_STRUCT;
typedef int pthread_key_t;

/* The scheduler of the CPU, as rtlinux_sched() describes it at the time of the call. */
struct rtl_sched_cpu_struct {
	struct rtl_thread_struct *rtl_current, *rtl_linux_task;
	struct rtl_thread_struct *rtl_tasks; /* all threads, by their member `next` */
	struct rtl_clock *clock;
	unsigned long sched_flags;
	void *sched_user[4];
};

typedef struct rtl_sched_cpu_struct schedule_t;
schedule_t *rtlinux_sched(void);

typedef struct {
	size_t stack_size;
	void *stack_addr;
	struct sched_param sched_param;
	int cpu;
	int use_fp;
	rtl_sigset_t initial_state;
	int detachstate;
} pthread_attr_t;

#define PTHREAD_CREATE_JOINABLE 0
#define PTHREAD_CREATE_DETACHED 1
#define PTHREAD_CANCELED ((void *)-1)
#define PTHREAD_CANCEL_ENABLE 0
#define PTHREAD_CANCEL_DISABLE 1
#define PTHREAD_CANCEL_DEFERRED 0
#define PTHREAD_CANCEL_ASYNCHRONOUS 1

int pthread_attr_init(pthread_attr_t *attributes);
int pthread_attr_destroy(pthread_attr_t *attributes);
int pthread_attr_setstacksize(pthread_attr_t *attributes, size_t size);
int pthread_attr_getstacksize(const pthread_attr_t *attributes, size_t *size);
int pthread_attr_setstackaddr(pthread_attr_t *attributes, void *address);
int pthread_attr_getstackaddr(const pthread_attr_t *attributes, void **address);
int pthread_attr_setschedparam(pthread_attr_t *attributes, const struct sched_param *param);
int pthread_attr_getschedparam(const pthread_attr_t *attributes, struct sched_param *param);
int pthread_attr_setdetachstate(pthread_attr_t *attributes, int state);
int pthread_attr_getdetachstate(const pthread_attr_t *attributes, int *state);
int pthread_attr_setcpu_np(pthread_attr_t *attributes, int cpu);
int pthread_attr_getcpu_np(const pthread_attr_t *attributes, int *cpu);
int pthread_attr_setfp_np(pthread_attr_t *attributes, int use);
int pthread_attr_getfp_np(const pthread_attr_t *attributes, int *use);
#define pthread_attr_setcpu pthread_attr_setcpu_np
#define pthread_attr_getcpu pthread_attr_getcpu_np
#define pthread_attr_setfp pthread_attr_setfp_np
#define pthread_attr_getfp pthread_attr_getfp_np

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*entry)(void *),
		   void *argument);
void pthread_exit(void *value) __attribute__((noreturn));
int pthread_join(pthread_t thread, void **value);
int pthread_detach(pthread_t thread);
pthread_t pthread_self(void);
pthread_t pthread_linux(void);
int pthread_equal(pthread_t a, pthread_t b);
int pthread_setschedparam(pthread_t thread, int policy, const struct sched_param *param);
int pthread_getschedparam(pthread_t thread, int *policy, struct sched_param *param);
int pthread_delete_np(pthread_t thread);
int pthread_cancel(pthread_t thread);
int pthread_setcancelstate(int state, int *old);
int pthread_setcanceltype(int type, int *old);
void pthread_testcancel(void);
int pthread_make_periodic_np(pthread_t thread, hrtime_t start, hrtime_t period);
int pthread_wait_np(void);
int pthread_suspend_np(pthread_t thread);
int pthread_wakeup_np(pthread_t thread);
int pthread_kill(pthread_t thread, int signal);
int pthread_setfp_np(pthread_t thread, int use);
int pthread_yield(void);
int pthread_setspecific(pthread_key_t key, const void *value);
void *pthread_getspecific(pthread_key_t key);
int rtl_schedule(void);
#define rtl_reschedule(cpu) ((void)rtl_schedule())
#define rtl_reschedule_thread(thread) ((void)rtl_schedule())
/* Suspends or resumes a thread. A thread that marks itself suspended stops in its next rtl_schedule(). */
#define RTL_MARK_SUSPENDED(thread)                                                                 \
	((void)__sync_fetch_and_or(&(thread)->pending, 1ul << RTL_SIGNAL_SUSPEND))
#define RTL_MARK_READY(thread) ((void)rtlinux_mark_ready(thread))
#define RTL_TIMED_OUT(set) ((*(set) >> RTL_SIGNAL_TIMER) & 1)
int rtlinux_mark_ready(pthread_t thread);
#define rtl_reserve_cpus(mask) (-EINVAL) /* the system file assigns the CPUs of Limpet */
#define rtl_unreserve_cpus() (-EINVAL)
/* Policies and scopes. RTLinux ignores them, too. */
#define PTHREAD_INHERIT_SCHED 0
#define PTHREAD_EXPLICIT_SCHED 1
#define PTHREAD_SCOPE_SYSTEM 0
#define PTHREAD_SCOPE_PROCESS 1
#define pthread_attr_setschedpolicy(attributes, policy) ((void)(attributes), (void)(policy), 0)
#define pthread_attr_setinheritsched(attributes, how) ((void)(attributes), (void)(how), 0)
#define pthread_attr_setscope(attributes, scope) ((void)(attributes), (void)(scope), 0)
#ifndef RTLINUX_LIBRARY /* the scheduler's interface has a function of this name */
#define sched_yield() pthread_yield()
#endif

void rtlinux_cleanup_push(struct rtl_cleanup *cleanup);
void rtlinux_cleanup_pop(struct rtl_cleanup *cleanup, int execute);
#define pthread_cleanup_push(f, a)                                                                 \
	do {                                                                                       \
		struct rtl_cleanup rtlinux_cleanup_here = { (void (*)(void *))(f), (a), 0 };       \
	rtlinux_cleanup_push(&rtlinux_cleanup_here)
#define pthread_cleanup_pop(execute)                                                               \
	rtlinux_cleanup_pop(&rtlinux_cleanup_here, execute);                                       \
	}                                                                                          \
	while (0)

int sigaction(int signal, const struct sigaction *action, struct sigaction *old);
int pthread_sigmask(int how, const rtl_sigset_t *set, rtl_sigset_t *old);
#define sigprocmask pthread_sigmask
int sigsuspend(const rtl_sigset_t *mask);
int sigpending(rtl_sigset_t *set);

/* errno is the error number of the calling thread. */
int *rtlinux_errno(void);
#define errno (*rtlinux_errno())
#define __set_errno(value) ((void)(errno = (value)))

/* Clocks. */
#define NSECS_PER_SEC 1000000000
#define HRTICKS_PER_SEC 1000000000
#define HRTIME_INFINITY 0x7fffffffffffffffLL
#define HRT_FROM_NS(x) (x)
#define HRT_TO_8254(x) ((hrtime_t)(x) / 838)
#define HRT_FROM_8254(x) ((hrtime_t)(x) * 838)
#define RTL_CLOCK_MODE_UNINITIALIZED 1
#define RTL_CLOCK_MODE_ONESHOT 2
#define RTL_CLOCK_MODE_PERIODIC 3
#define TIMER_ABSTIME 1

struct pt_regs;
struct rtl_clock {
	int (*init)(struct rtl_clock *clock);
	void (*uninit)(struct rtl_clock *clock);
	hrtime_t (*gethrtime)(struct rtl_clock *clock);
	int (*sethrtime)(struct rtl_clock *clock, hrtime_t time);
	int (*settimer)(struct rtl_clock *clock, hrtime_t interval);
	int (*settimermode)(struct rtl_clock *clock, int mode);
	void (*handler)(struct pt_regs *regs);
	int mode;
	hrtime_t resolution;
	hrtime_t value;
	hrtime_t delta;
};

typedef struct rtl_clock *clockid_t;
extern struct rtl_clock rtlinux_clock, rtlinux_clock_hardware, rtlinux_clock_gpos;
#define CLOCK_RTL_SCHED (&rtlinux_clock)
#define CLOCK_REALTIME (&rtlinux_clock)
#define CLOCK_MONOTONIC (&rtlinux_clock)
#define CLOCK_UST (&rtlinux_clock)
#define CLOCK_8254 (&rtlinux_clock_hardware)
#define CLOCK_APIC (&rtlinux_clock_hardware)
#define CLOCK_GPOS (&rtlinux_clock_gpos) /* since the Epoch */

hrtime_t gethrtime(void);
hrtime_t gethrtimeres(void);
hrtime_t clock_gethrtime(clockid_t clock);
int clock_gettime(clockid_t clock, struct timespec *now);
int clock_settime(clockid_t clock, const struct timespec *now);
int clock_getres(clockid_t clock, struct timespec *resolution);
time_t time(time_t *now);
int rtl_setclockmode(clockid_t clock, int mode, hrtime_t period);
clockid_t rtl_getschedclock(void);
clockid_t rtl_getbestclock(unsigned int cpu);
int rtl_setclockhandler(clockid_t clock, void (*handler)(struct pt_regs *));
int rtl_unsetclockhandler(clockid_t clock);
int rtl_clockadjust(clockid_t clock, hrtime_t time); /* -EINVAL: no clock can be adjusted */
int I8253_channel2_free(void); /* returns 0, because Linux uses the timer chip */
void rtl_delay(long ns);
int nanosleep(const struct timespec *time, struct timespec *rest);
int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *rest);
int usleep(useconds_t us);
const struct timespec *hrt2ts(hrtime_t time);

/* A time that is too large becomes HRTIME_INFINITY. */
static inline hrtime_t timespec_to_ns(const struct timespec *t)
{
	hrtime_t ns;

	if (__builtin_mul_overflow((hrtime_t)t->tv_sec, NSECS_PER_SEC, &ns) ||
	    __builtin_add_overflow(ns, t->tv_nsec, &ns))
		return t->tv_sec < 0 ? -HRTIME_INFINITY : HRTIME_INFINITY;
	return ns;
}

static inline struct timespec timespec_from_ns(hrtime_t ns)
{
	struct timespec t = { ns / NSECS_PER_SEC, ns % NSECS_PER_SEC };

	if (t.tv_nsec < 0) {
		t.tv_sec--;
		t.tv_nsec += NSECS_PER_SEC;
	}
	return t;
}

#define timespec_add_ns(t, n) ((void)(*(t) = timespec_from_ns(timespec_to_ns(t) + (n))))
#define timespec_add(a, b) timespec_add_ns(a, timespec_to_ns(b))
#define timespec_sub(a, b) timespec_add_ns(a, -timespec_to_ns(b))
#define timespec_normalize(t) timespec_add_ns(t, 0)
#define timespec_nz(t) ((t)->tv_sec != 0 || (t)->tv_nsec != 0)
#define timespec_lt(a, b) (timespec_to_ns(a) < timespec_to_ns(b))
#define timespec_gt(a, b) (timespec_to_ns(a) > timespec_to_ns(b))
#define timespec_le(a, b) (timespec_to_ns(a) <= timespec_to_ns(b))
#define timespec_ge(a, b) (timespec_to_ns(a) >= timespec_to_ns(b))
#define timespec_eq(a, b) (timespec_to_ns(a) == timespec_to_ns(b))

/* Timers. */
typedef int timer_t;
#define SIGEV_SIGNAL 0
#define SIGEV_NONE 1
#define SIGEV_THREAD 2
#define RTL_MAX_TIMERS 32

union sigval {
	int sival_int;
	void *sival_ptr;
};

struct sigevent {
	int sigev_notify, sigev_signo;
	union sigval sigev_value;
};

struct itimerspec {
	struct timespec it_interval, it_value;
};

int timer_create(clockid_t clock, struct sigevent *event, timer_t *timer);
int timer_settime(timer_t timer, int flags, const struct itimerspec *value, struct itimerspec *old);
int timer_gettime(timer_t timer, struct itimerspec *value);
int timer_getoverrun(timer_t timer);
int timer_delete(timer_t timer);

/* Mutexes and condition variables. */
#define PTHREAD_MUTEX_NORMAL 0
#define PTHREAD_MUTEX_RECURSIVE 1
#define PTHREAD_MUTEX_ERRORCHECK 2
#define PTHREAD_MUTEX_SPINLOCK_NP 3
#define PTHREAD_MUTEX_DEFAULT PTHREAD_MUTEX_NORMAL
#define PTHREAD_PRIO_NONE 0
#define PTHREAD_PRIO_PROTECT 1
#define PTHREAD_PROCESS_PRIVATE 0
#define PTHREAD_PROCESS_SHARED 1
#define RTLINUX_VALID 0x4d757478

typedef struct {
	int type, protocol, prioceiling, pshared;
} pthread_mutexattr_t;

typedef struct {
	int valid;
	int state; /* 0: free; 1: locked; 2: locked, and threads can be waiting */
	int type, protocol, prioceiling;
	int before; /* ceiling that the owner had before */
} pthread_mutex_t;

typedef struct {
	unsigned int wakes;
} pthread_cond_t;

typedef struct {
	int pshared;
} pthread_condattr_t;

#define PTHREAD_MUTEX_INITIALIZER { RTLINUX_VALID, 0, 0, 0, 0, 0 }
#define PTHREAD_COND_INITIALIZER { 0 }

int pthread_mutexattr_init(pthread_mutexattr_t *attributes);
int pthread_mutexattr_destroy(pthread_mutexattr_t *attributes);
int pthread_mutexattr_settype(pthread_mutexattr_t *attributes, int type);
int pthread_mutexattr_gettype(const pthread_mutexattr_t *attributes, int *type);
int pthread_mutexattr_setprotocol(pthread_mutexattr_t *attributes, int protocol);
int pthread_mutexattr_getprotocol(const pthread_mutexattr_t *attributes, int *protocol);
int pthread_mutexattr_setprioceiling(pthread_mutexattr_t *attributes, int ceiling);
int pthread_mutexattr_getprioceiling(const pthread_mutexattr_t *attributes, int *ceiling);
int pthread_mutexattr_setpshared(pthread_mutexattr_t *attributes, int shared);
int pthread_mutexattr_getpshared(const pthread_mutexattr_t *attributes, int *shared);
int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes);
int pthread_mutex_destroy(pthread_mutex_t *mutex);
int pthread_mutex_lock(pthread_mutex_t *mutex);
int pthread_mutex_trylock(pthread_mutex_t *mutex);
int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until);
int pthread_mutex_unlock(pthread_mutex_t *mutex);
/*
 * Changes the ceiling and sets *old to the previous one. EINVAL: the ceiling is out of range, the mutex is not valid,
 * or it does not have PTHREAD_PRIO_PROTECT.
 */
int pthread_mutex_setprioceiling(pthread_mutex_t *mutex, int ceiling, int *old);
int pthread_mutex_getprioceiling(const pthread_mutex_t *mutex, int *ceiling);
int pthread_condattr_setpshared(pthread_condattr_t *attributes, int shared);
int pthread_condattr_getpshared(const pthread_condattr_t *attributes, int *shared);
int pthread_condattr_init(pthread_condattr_t *attributes);
int pthread_condattr_destroy(pthread_condattr_t *attributes);
int pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attributes);
int pthread_cond_destroy(pthread_cond_t *condition);
int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex);
int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
			   const struct timespec *until);
int pthread_cond_broadcast(pthread_cond_t *condition);
#define pthread_cond_signal pthread_cond_broadcast

/* Queues of waiting threads, for drivers. rtl_wait_sleep() unlocks the lock, waits, and does not lock it again. */
typedef struct {
	unsigned int wakes;
} rtl_wait_t;

#define RTL_WAIT_INITIALIZER { 0 }
#define rtl_wait_init(queue) ((void)((queue)->wakes = 0))

/* Semaphores. */
typedef struct {
	unsigned int state; /* twice the value, plus 1 if threads can be waiting */
} sem_t;

int sem_init(sem_t *semaphore, int shared, unsigned int value);
int sem_destroy(sem_t *semaphore);
int sem_wait(sem_t *semaphore);
int sem_trywait(sem_t *semaphore);
int sem_timedwait(sem_t *semaphore, const struct timespec *until);
int sem_post(sem_t *semaphore);
int sem_getvalue(sem_t *semaphore, int *value);

/* Message queues between the threads of a module. */
typedef long mqd_t;

struct mq_attr {
	long mq_flags, mq_maxmsg, mq_msgsize, mq_curmsgs;
};

#define MQ_PRIO_MAX 32
#define MQ_OPEN_MAX 64
mqd_t mq_open(const char *name, int flags, ...);
int mq_close(mqd_t queue);
int mq_unlink(const char *name);
int mq_getattr(mqd_t queue, struct mq_attr *attributes);
int mq_setattr(mqd_t queue, const struct mq_attr *attributes, struct mq_attr *old);
int mq_notify(mqd_t queue, const struct sigevent *event);
int mq_timedsend(mqd_t queue, const char *data, size_t size, unsigned int priority,
		 const struct timespec *until);
ssize_t mq_timedreceive(mqd_t queue, char *data, size_t size, unsigned int *priority,
			const struct timespec *until);
#define mq_send(queue, data, size, priority) mq_timedsend(queue, data, size, priority, 0)
#define mq_receive(queue, data, size, priority) mq_timedreceive(queue, data, size, priority, 0)

/* Barriers. */
#define PTHREAD_BARRIER_SERIAL_THREAD 2

typedef struct {
	int pshared;
} pthread_barrierattr_t;

typedef struct {
	unsigned int count;
	unsigned long state; /* threads that have arrived; number of the round << 32 */
} pthread_barrier_t;

int pthread_barrierattr_init(pthread_barrierattr_t *attributes);
int pthread_barrierattr_destroy(pthread_barrierattr_t *attributes);
int pthread_barrierattr_setpshared(pthread_barrierattr_t *attributes, int shared);
int pthread_barrierattr_getpshared(const pthread_barrierattr_t *attributes, int *shared);
int pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *attributes,
			 unsigned int count);
int pthread_barrier_destroy(pthread_barrier_t *barrier);
int pthread_barrier_wait(pthread_barrier_t *barrier);

/*
 * Interrupts. A component cannot disable the processor's interrupts. Instead, these functions exclude the other threads
 * of the module. The caller has a higher priority than all of them until it restores the state or waits.
 */
typedef unsigned long rtl_irqstate_t;
unsigned long rtlinux_mask(void);	     /* returns the previous state */
void rtlinux_mask_set(unsigned long masked); /* 0: the thread has its own priority again */
unsigned long rtlinux_masked(void);

#define rtl_no_interrupts(flags) ((void)((flags) = rtlinux_mask()))
#define rtl_restore_interrupts(flags) rtlinux_mask_set(flags)
#define rtl_stop_interrupts() ((void)rtlinux_mask())
#define rtl_allow_interrupts() rtlinux_mask_set(0)
#define rtl_critical rtl_no_interrupts
#define rtl_end_critical rtl_restore_interrupts
#define rtl_hard_savef_and_cli rtl_no_interrupts
#define rtl_hard_save_flags(flags) ((void)((flags) = rtlinux_masked()))
#define rtl_hard_restore_flags rtl_restore_interrupts
#define rtl_hard_cli rtl_stop_interrupts
#define rtl_hard_sti rtl_allow_interrupts
#define r_cli rtl_stop_interrupts
#define r_sti rtl_allow_interrupts
#define r_save_flags rtl_hard_save_flags
#define r_restore_flags rtl_restore_interrupts

typedef struct {
	unsigned long flags;
	int taken;
} spinlock_t;

typedef spinlock_t rtl_spinlock_t;
typedef spinlock_t pthread_spinlock_t;
#define SPIN_LOCK_UNLOCKED ((spinlock_t){ 0, 0 })
int pthread_spin_init(pthread_spinlock_t *lock, int shared);
int pthread_spin_destroy(pthread_spinlock_t *lock);
int pthread_spin_lock(pthread_spinlock_t *lock);
int pthread_spin_trylock(pthread_spinlock_t *lock);
int pthread_spin_unlock(pthread_spinlock_t *lock);
#define spin_lock_init(lock) ((void)pthread_spin_init(lock, 0))
#define spin_lock(lock) ((void)pthread_spin_lock(lock))
#define spin_trylock(lock) (!pthread_spin_trylock(lock))
#define spin_unlock(lock) ((void)pthread_spin_unlock(lock))
#define spin_lock_irqsave(lock, f) ((void)((f) = 0), spin_lock(lock))
#define spin_unlock_irqrestore(lock, f) spin_unlock(lock)
#define spin_lock_irq spin_lock
#define spin_unlock_irq spin_unlock
#define spin_lock_bh spin_lock
#define spin_unlock_bh spin_unlock
#define spin_is_locked(lock) ((lock)->taken != 0)
#define rtl_spin_lock_init spin_lock_init
#define rtl_spin_lock spin_lock
#define rtl_spin_trylock spin_trylock
#define rtl_spin_unlock spin_unlock
#define rtl_spin_lock_irqsave spin_lock_irqsave
#define rtl_spin_unlock_irqrestore spin_unlock_irqrestore

int rtl_wait_sleep(rtl_wait_t *queue, spinlock_t *lock); /* returns the pending signals */
void rtl_wait_wakeup(rtl_wait_t *queue);

int rtl_request_irq(unsigned int irq, unsigned int (*handler)(unsigned int, struct pt_regs *));
int rtl_free_irq(unsigned int irq);
#define rtl_request_global_irq rtl_request_irq
#define rtl_free_global_irq rtl_free_irq
int request_RTirq(unsigned int irq, void (*handler)(void));
int free_RTirq(unsigned int irq);
void rtl_hard_enable_irq(unsigned int irq);
void rtl_hard_disable_irq(unsigned int irq);
int rtl_get_soft_irq(void (*handler)(int, void *, struct pt_regs *), const char *name);
void rtl_free_soft_irq(unsigned int irq);
void rtl_global_pend_irq(int irq);
int rtl_global_ispending_irq(int irq);
int rtl_irq_set_affinity(unsigned int irq, const unsigned long *mask, unsigned long *old);
int rtl_request_local_irq(int vector, unsigned int (*handler)(struct pt_regs *), unsigned int cpu);
int rtl_free_local_irq(int vector, unsigned int cpu);
#define rtl_getcpuid() 0
#define rtl_num_cpus() 1
#define rtl_cpu_exists(cpu) ((cpu) == 0)
int rtl_rt_system_is_idle(void);

/* Text. */
int rtl_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
void conpr(const char *text);
void conprn(unsigned int number);
int vsnprintf(char *to, size_t size, const char *format, va_list values);
int snprintf(char *to, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
int vsprintf(char *to, const char *format, va_list values);
int sprintf(char *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
#define printk rtl_printf
#define rt_printk rtl_printf
#define rtl_cprintf rtl_printf

/* FIFOs. Linux processes open them as /dev/rtfN. */
#define RTF_NO 64
#define RTF_MAX_FIFO RTF_NO
#define RTF_SETSIZE 1
#define RTFSETSIZE 0
#define RTFMMAPABLE 1
#define RTF_MAJOR 150
int rtf_create(unsigned int fifo, int size);
int rtf_destroy(unsigned int fifo);
int rtf_resize(unsigned int fifo, int size);
int rtf_put(unsigned int fifo, const void *data, int count);
int rtf_get(unsigned int fifo, void *data, int count);
int rtf_flush(unsigned int fifo);
int rtf_isempty(unsigned int fifo);
int rtf_isused(unsigned int fifo);
int rtf_create_handler(unsigned int fifo, int (*handler)(unsigned int fifo));
int rtf_create_rt_handler(unsigned int fifo, int (*handler)(unsigned int fifo));
int rtf_make_user_pair(unsigned int get, unsigned int put);
typedef int rtlinux_ioctl_handler(unsigned int fifo, unsigned int command, unsigned long argument);
int rtf_link_user_ioctl(unsigned int fifo, rtlinux_ioctl_handler *handler);

/* Files. FIFOs and devices of the module can be opened. */
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
int open(const char *path, int flags, ...);
ssize_t read(int file, void *to, size_t count);
ssize_t write(int file, const void *from, size_t count);
int close(int file);
int ioctl(int file, int command, ...);
off_t lseek(int file, off_t offset, int from);
long sysconf(int name);
/* Returns MAP_FAILED with EINVAL and logs a line, because a component cannot map physical memory. */
#define PROT_READ 1
#define PROT_WRITE 2
#define PROT_EXEC 4
#define MAP_SHARED 1
#define MAP_PRIVATE 2
#define MAP_FIXED 16
#define MAP_ANONYMOUS 32
#define MAP_FILE 0
#define MAP_FAILED ((void *)-1)
char *mmap(void *start, size_t length, int protection, int flags, int file, off_t offset);
/* These succeed and do nothing, as in RTLinux, because all memory of a component is resident. */
#define MCL_CURRENT 1
#define MCL_FUTURE 2
#define munmap(start, length) ((void)(start), (void)(length), 0)
#define mprotect(start, length, protection) ((void)(start), (void)(length), (void)(protection), 0)
#define msync(start, length, flags) ((void)(start), (void)(length), (void)(flags), 0)
#define mlock(start, length) ((void)(start), (void)(length), 0)
#define munlock(start, length) ((void)(start), (void)(length), 0)
#define mlockall(flags) ((void)(flags), 0)
#define munlockall() 0

struct utsname {
	char sysname[65], nodename[65], release[65], version[65], machine[65], domainname[65];
};

int uname(struct utsname *names);

/* Shared buffers. */
#define MBUFF_NAME_LEN 32
#define MBUFF_DEV_NAME "/dev/mbuff"
void *mbuff_alloc(const char *name, int size);
void mbuff_free(const char *name, void *memory);
#define mbuff_attach mbuff_alloc
#define mbuff_detach mbuff_free
int shm_allocate(const char *name, unsigned int size, void **memory);
int shm_deallocate(void *memory);

/* v1. */
typedef pthread_t RT_TASK;
#define RT_TICKS_PER_SEC 1193180
#define RT_TIME_END (HRTIME_INFINITY / 838)
int rt_task_init(RT_TASK *task, void (*entry)(int), int data, int stack, int priority);
int rt_task_make_periodic(RT_TASK *task, RTIME start, RTIME period);
int rt_task_wait(void);
int rt_task_suspend(RT_TASK *task);
int rt_task_wakeup(RT_TASK *task);
int rt_task_delete(RT_TASK *task);
int rt_task_use_fp(RT_TASK *task, int use);
RTIME rt_get_time(void);
void rt_delay(RTIME ticks);
hrtime_t rtl_set_periodic_mode(RTIME period);
int rtl_set_oneshot_mode(void);
int rt_request_timer(void (*handler)(struct pt_regs *)); /* -EBUSY: the scheduler has the timer */
void rt_free_timer(void);

#include <rtlinux/linux.h>
#include <rtlinux/posixio.h>

#ifdef __cplusplus
}
#endif

#endif
