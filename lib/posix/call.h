/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The system calls that the library serves. Each is a function of words that returns a result or a negative error.
 * Pointers of the program are used without a check, because the library is in the same component. An invalid pointer
 * causes a fault, as in the program's own code.
 */
#ifndef POSIX_CALL_H
#define POSIX_CALL_H

#include <runtime/types.h>

/* Lists all calls as X(name of the number, arguments). call.c makes the table from it, and this file the prototypes. */
#define POSIX_CALLS(X)                                                                             \
	X(arch_prctl, 2)                                                                           \
	X(set_tid_address, 1)                                                                      \
	X(clone, 5)                                                                                \
	X(exit, 1)                                                                                 \
	X(exit_group, 1)                                                                           \
	X(gettid, 0)                                                                               \
	X(sched_yield, 0)                                                                          \
	X(sched_setscheduler, 3)                                                                   \
	X(sched_getscheduler, 1)                                                                   \
	X(sched_setparam, 2)                                                                       \
	X(sched_getparam, 2)                                                                       \
	X(sched_get_priority_max, 1)                                                               \
	X(sched_get_priority_min, 1)                                                               \
	X(sched_setattr, 3)                                                                        \
	X(sched_getattr, 4)                                                                        \
	X(sched_rr_get_interval, 2)                                                                \
	X(sched_getaffinity, 3)                                                                    \
	X(sched_setaffinity, 3)                                                                    \
	X(futex, 6)                                                                                \
	X(set_robust_list, 2)                                                                      \
	X(clock_gettime, 2)                                                                        \
	X(clock_getres, 2)                                                                         \
	X(clock_settime, 2)                                                                        \
	X(clock_nanosleep, 4)                                                                      \
	X(nanosleep, 2)                                                                            \
	X(gettimeofday, 1)                                                                         \
	X(time, 1)                                                                                 \
	X(timer_create, 3)                                                                         \
	X(timer_settime, 4)                                                                        \
	X(timer_gettime, 2)                                                                        \
	X(timer_getoverrun, 1)                                                                     \
	X(timer_delete, 1)                                                                         \
	X(setitimer, 3)                                                                            \
	X(getitimer, 2)                                                                            \
	X(alarm, 1)                                                                                \
	X(rt_sigaction, 4)                                                                         \
	X(rt_sigprocmask, 4)                                                                       \
	X(rt_sigpending, 2)                                                                        \
	X(rt_sigtimedwait, 4)                                                                      \
	X(rt_sigsuspend, 2)                                                                        \
	X(rt_sigreturn, 0)                                                                         \
	X(sigaltstack, 2)                                                                          \
	X(kill, 2)                                                                                 \
	X(tkill, 2)                                                                                \
	X(tgkill, 3)                                                                               \
	X(pause, 0)                                                                                \
	X(mmap, 6)                                                                                 \
	X(munmap, 2)                                                                               \
	X(mprotect, 3)                                                                             \
	X(mremap, 4)                                                                               \
	X(madvise, 3)                                                                              \
	X(brk, 1)                                                                                  \
	X(mlock, 2)                                                                                \
	X(munlock, 2)                                                                              \
	X(mlockall, 1)                                                                             \
	X(munlockall, 0)                                                                           \
	X(msync, 3)                                                                                \
	X(mincore, 3)                                                                              \
	X(link, 2)                                                                                 \
	X(linkat, 5)                                                                               \
	X(mq_open, 4)                                                                              \
	X(mq_unlink, 1)                                                                            \
	X(mq_timedsend, 5)                                                                         \
	X(mq_timedreceive, 5)                                                                      \
	X(mq_notify, 2)                                                                            \
	X(mq_getsetattr, 3)                                                                        \
	X(rt_sigqueueinfo, 3)                                                                      \
	X(rt_tgsigqueueinfo, 4)                                                                    \
	X(get_robust_list, 3)                                                                      \
	X(prctl, 5)                                                                                \
	X(statfs, 2)                                                                               \
	X(fstatfs, 2)                                                                              \
	X(setuid, 1)                                                                               \
	X(setgid, 1)                                                                               \
	X(setreuid, 2)                                                                             \
	X(setresuid, 3)                                                                            \
	X(getpgrp, 0)                                                                              \
	X(getsid, 1)                                                                               \
	X(wait4, 4)                                                                                \
	X(open, 3)                                                                                 \
	X(openat, 4)                                                                               \
	X(creat, 2)                                                                                \
	X(close, 1)                                                                                \
	X(read, 3)                                                                                 \
	X(pread64, 4)                                                                              \
	X(readv, 3)                                                                                \
	X(preadv, 4)                                                                               \
	X(pwritev, 4)                                                                              \
	X(sendfile, 4)                                                                             \
	X(fallocate, 4)                                                                            \
	X(fadvise64, 4)                                                                            \
	X(sync, 0)                                                                                 \
	X(flock, 2)                                                                                \
	X(mknodat, 4)                                                                              \
	X(mknod, 3)                                                                                \
	X(write, 3)                                                                                \
	X(pwrite64, 4)                                                                             \
	X(writev, 3)                                                                               \
	X(lseek, 3)                                                                                \
	X(dup, 1)                                                                                  \
	X(dup2, 2)                                                                                 \
	X(dup3, 3)                                                                                 \
	X(fcntl, 3)                                                                                \
	X(ioctl, 3)                                                                                \
	X(ftruncate, 2)                                                                            \
	X(truncate, 2)                                                                             \
	X(fsync, 1)                                                                                \
	X(fdatasync, 1)                                                                            \
	X(stat, 2)                                                                                 \
	X(lstat, 2)                                                                                \
	X(fstat, 2)                                                                                \
	X(newfstatat, 4)                                                                           \
	X(access, 2)                                                                               \
	X(faccessat, 3)                                                                            \
	X(unlink, 1)                                                                               \
	X(unlinkat, 3)                                                                             \
	X(rmdir, 1)                                                                                \
	X(mkdir, 2)                                                                                \
	X(mkdirat, 3)                                                                              \
	X(rename, 2)                                                                               \
	X(renameat, 4)                                                                             \
	X(renameat2, 5)                                                                            \
	X(getdents64, 3)                                                                           \
	X(getcwd, 2)                                                                               \
	X(chdir, 1)                                                                                \
	X(fchdir, 1)                                                                               \
	X(chmod, 2)                                                                                \
	X(fchmod, 2)                                                                               \
	X(fchmodat, 3)                                                                             \
	X(chown, 3)                                                                                \
	X(fchown, 3)                                                                               \
	X(lchown, 3)                                                                               \
	X(utimensat, 4)                                                                            \
	X(umask, 1)                                                                                \
	X(readlink, 3)                                                                             \
	X(pipe, 1)                                                                                 \
	X(pipe2, 2)                                                                                \
	X(poll, 3)                                                                                 \
	X(ppoll, 5)                                                                                \
	X(select, 5)                                                                               \
	X(pselect6, 6)                                                                             \
	X(eventfd, 1)                                                                              \
	X(eventfd2, 2)                                                                             \
	X(signalfd, 3)                                                                             \
	X(signalfd4, 4)                                                                            \
	X(timerfd_create, 2)                                                                       \
	X(timerfd_settime, 4)                                                                      \
	X(timerfd_gettime, 2)                                                                      \
	X(epoll_create, 1)                                                                         \
	X(epoll_create1, 1)                                                                        \
	X(epoll_ctl, 4)                                                                            \
	X(epoll_wait, 4)                                                                           \
	X(epoll_pwait, 6)                                                                          \
	X(epoll_pwait2, 6)                                                                         \
	X(socket, 3)                                                                               \
	X(bind, 3)                                                                                 \
	X(listen, 2)                                                                               \
	X(accept, 3)                                                                               \
	X(accept4, 4)                                                                              \
	X(connect, 3)                                                                              \
	X(shutdown, 2)                                                                             \
	X(getsockname, 3)                                                                          \
	X(getpeername, 3)                                                                          \
	X(setsockopt, 5)                                                                           \
	X(getsockopt, 5)                                                                           \
	X(sendto, 6)                                                                               \
	X(recvfrom, 6)                                                                             \
	X(sendmsg, 3)                                                                              \
	X(recvmsg, 3)                                                                              \
	X(getrandom, 3)                                                                            \
	X(sethostname, 2)                                                                          \
	X(uname, 1)                                                                                \
	X(getpid, 0)                                                                               \
	X(getppid, 0)                                                                              \
	X(getuid, 0)                                                                               \
	X(geteuid, 0)                                                                              \
	X(getgid, 0)                                                                               \
	X(getegid, 0)                                                                              \
	X(getpgid, 1)                                                                              \
	X(setpgid, 2)                                                                              \
	X(setsid, 0)                                                                               \
	X(getgroups, 2)                                                                            \
	X(setgroups, 2)                                                                            \
	X(getpriority, 2)                                                                          \
	X(setpriority, 3)                                                                          \
	X(getrlimit, 2)                                                                            \
	X(setrlimit, 2)                                                                            \
	X(prlimit64, 4)                                                                            \
	X(getrusage, 2)                                                                            \
	X(times, 1)                                                                                \
	X(sysinfo, 1)                                                                              \
	X(getcpu, 2)

#define POSIX_WORDS_0 void
#define POSIX_WORDS_1 word a
#define POSIX_WORDS_2 word a, word b
#define POSIX_WORDS_3 word a, word b, word c
#define POSIX_WORDS_4 word a, word b, word c, word d
#define POSIX_WORDS_5 word a, word b, word c, word d, word e
#define POSIX_WORDS_6 word a, word b, word c, word d, word e, word f
#define POSIX_PROTOTYPE(name, words) long call_##name(POSIX_WORDS_##words);
POSIX_CALLS(POSIX_PROTOTYPE)
#undef POSIX_PROTOTYPE

/*
 * Logs that the calling thread's system call is refused although Linux would serve it, once for each call. Returns the
 * negative error. POSIX.1-2017, section 2.3.
 */
#define CALL_REFUSE(error, why) call_refuse(-(error), #error, why)
long call_refuse(long status, const char *error, const char *why);
/*
 * Does the same for a call with that number. `served`: the call is served in another form. `why` is NULL if the call is
 * never served and has no substitute.
 */
void call_refused(word number, bool served, const char *error, const char *why);
#define CALLS 512 /* Linux has fewer numbers */

struct posix_thread;

/* clock_read.c: returns the run time of all threads of the program. */
uint64_t clock_process_ns(void);
/* Starts the processor time of a thread at 0. Requires posix_lock(). */
void clock_thread_begin(struct posix_thread *thread);
/* Starts the processor time of the program at 0. */
void clock_program_begin(void);
/*
 * Excludes a thread that works for the library from the processor time of the program, from now on. Requires
 * posix_lock(), for which that thread waits before it does anything else. At most two threads can be excluded.
 */
void clock_helper_begin(const struct posix_thread *helper);
/* user.c: returns the effective user of the program. User 0 has all rights. */
uint32_t user_effective(void);
/*
 * sched_calls.c: gives the first thread its policy "other", "fifo" or "rr", the last two with the maximum priority.
 * Returns false if the policy is unknown.
 */
bool policy_begin(struct posix_thread *thread, const char *name);
/*
 * futex.c: waits at `address`. `real`: the deadline depends on CLOCK_REALTIME. Setting that clock ends the wait, and
 * the caller computes the deadline again. Returns 0, -ETIMEDOUT or -EINTR. Requires posix_lock(), and releases it
 * during the wait.
 */
long futex_wait(const uint32_t *address, uint64_t deadline, bool real);

#endif
