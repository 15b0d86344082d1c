// SPDX-License-Identifier: GPL-2.0
/* Uses arguments, environment, memory, files and time as a small C program does, and handles exceptions. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static __thread int counted = 41;
static __thread char zeros[100] __attribute__((aligned(64)));

static void wrong(const char *what)
{
	printf("wrong: %s: %s\n", what, strerror(errno));
}

static void environment(void)
{
	const char *greeting = getenv("GREETING"), *empty = getenv("EMPTY");

	if (!empty || *empty || strcmp(getenv("LC_ALL"), "C"))
		printf("wrong: environment\n");
	printf("GREETING is %s\n", greeting ? greeting : "not there");
}

static void memory(void)
{
	char *parts[200];

	for (int i = 0; i < 200; i++) {
		size_t size = (size_t)i * 97 + 1;

		parts[i] = malloc(size);
		if (!parts[i]) {
			wrong("malloc");
			return;
		}
		memset(parts[i], i, size);
	}
	for (int i = 0; i < 200; i++) {
		size_t size = (size_t)i * 97 + 1;

		for (size_t n = 0; n < size; n++)
			if (parts[i][n] != (char)i)
				printf("wrong: part %d\n", i);
		parts[i] = realloc(parts[i], size * 2);
		free(parts[i]);
	}
	printf("malloc done\n");
}

static void files(void)
{
	char text[64] = "";
	struct stat stat_of;
	struct dirent *entry;
	FILE *file = fopen("/greeting.txt", "r");
	DIR *folder;
	int entries = 0;

	if (!file || !fgets(text, sizeof(text), file))
		wrong("ramdisk");
	printf("ramdisk says %s", text);
	if (file)
		fclose(file);
	if (fopen("/greeting.txt", "w") || errno != EROFS)
		wrong("the ramdisk can be written");
	file = fopen("/tmp/numbers", "w+");
	if (!file)
		wrong("open in /tmp");
	for (int i = 0; file && i < 10000; i++)
		fprintf(file, "%d\n", i);
	if (!file || fseek(file, -5, SEEK_END) || !fgets(text, sizeof(text), file) ||
	    strcmp(text, "9999\n"))
		wrong("file in /tmp");
	fclose(file);
	if (stat("/tmp/numbers", &stat_of) || stat_of.st_size != 48890)
		wrong("stat");
	mkdir("/tmp/folder", 0755);
	if (rename("/tmp/numbers", "/tmp/folder/numbers") || !access("/tmp/numbers", F_OK))
		wrong("rename");
	folder = opendir("/tmp/folder");
	while (folder && (entry = readdir(folder)))
		entries += entry->d_type == DT_REG ? 10 : 1;
	if (folder)
		closedir(folder);
	if (entries != 12 || rmdir("/tmp/folder") != -1 || errno != ENOTEMPTY ||
	    unlink("/tmp/folder/numbers") || rmdir("/tmp/folder"))
		wrong("folder");
	printf("files done\n");
}

/* --- signals for exceptions of the processor */

static sigjmp_buf back;
static siginfo_t caught;
static greg_t caught_vector, caught_address;
static char *guarded;

/* Skips an undefined instruction, and repeats an access to `guarded`. All other exceptions jump to `back`. */
static void on_exception(int signal, siginfo_t *info, void *context)
{
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;

	caught = *info;
	caught_vector = registers[REG_TRAPNO];
	caught_address = registers[REG_CR2];
	if (signal == SIGILL && info->si_addr == (void *)registers[REG_RIP])
		registers[REG_RIP] += 2;
	else if (guarded && info->si_addr == guarded)
		mprotect(guarded, 4096, PROT_READ | PROT_WRITE);
	else
		siglongjmp(back, 1);
}

static void expect(const char *what, int signal, int code, const void *address, greg_t vector)
{
	if (caught.si_signo != signal || caught.si_code != code || caught_vector != vector ||
	    (address && (caught.si_addr != address || (void *)caught_address != address)))
		printf("wrong: %s: signal %d, code %d, address %p, vector %d\n", what,
		       caught.si_signo, caught.si_code, caught.si_addr, (int)caught_vector);
	memset(&caught, 0, sizeof(caught));
}

static volatile int enough; /* always 0 */

static int overflow(volatile char *outer)
{
	volatile char inner[512];

	inner[0] = outer ? (char)(outer[0] + 1) : 0;
	return enough ? 0 : overflow(inner) + inner[0];
}

static void stack_use_up(void)
{
	if (!sigsetjmp(back, 1))
		overflow(NULL);
	expect("used-up stack", SIGSEGV, SEGV_ACCERR, NULL, 14);
}

static void exceptions(void)
{
	struct sigaction action = { .sa_sigaction = on_exception,
				    .sa_flags = SA_SIGINFO | SA_ONSTACK };
	stack_t stack = { .ss_sp = malloc(SIGSTKSZ), .ss_size = SIGSTKSZ };
	volatile int zero = 0, one = 1;
	volatile double kept = 0.5;
	char *volatile nowhere = (char *)0x123456;

	sigaction(SIGFPE, &action, NULL);
	sigaction(SIGILL, &action, NULL);
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGTRAP, &action, NULL);
	if (!stack.ss_sp || sigaltstack(&stack, NULL))
		wrong("sigaltstack");
	if (!sigsetjmp(back, 1))
		one /= zero;
	expect("division by 0", SIGFPE, FPE_INTDIV, NULL, 0);
	__asm__ volatile("ud2");
	expect("undefined instruction", SIGILL, ILL_ILLOPN, NULL, 6);
	if (!sigsetjmp(back, 1))
		__asm__ volatile("int3");
	expect("breakpoint", SIGTRAP, SI_KERNEL, NULL, 3);
	if (!sigsetjmp(back, 1))
		*nowhere = 1;
	expect("no memory", SIGSEGV, SEGV_MAPERR, nowhere, 14);
	if (!sigsetjmp(back, 1))
		*(volatile char *)0x8000000000000000 = 1;
	expect("no address", SIGSEGV, SI_KERNEL, NULL, 13);
	guarded = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	guarded[0] = (char)(kept * 84);
	expect("guard page", SIGSEGV, SEGV_ACCERR, guarded, 14);
	if (guarded[0] != 42)
		wrong("the access was not repeated");
	stack_use_up();
	stack_use_up();
	if (sigaltstack(NULL, &stack) || stack.ss_flags & SS_ONSTACK)
		wrong("the alternate stack is still in use");
	printf("exceptions done\n");
}

/* --- calls for processes, of which there is one: each fails immediately */

static struct timespec process_start;

static void process_fails(const char *what, bool failed, int error)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (!failed || errno != error)
		wrong(what);
	if (now.tv_sec - process_start.tv_sec > 5)
		printf("wrong: %s took %d s\n", what, (int)(now.tv_sec - process_start.tv_sec));
	process_start = now;
	errno = 0;
}

static void processes(void)
{
	char *const arguments[] = { "true", NULL };
	posix_spawn_file_actions_t actions;
	siginfo_t ended;
	pid_t child;
	int status;

	clock_gettime(CLOCK_MONOTONIC, &process_start);
	process_fails("fork", fork() == -1, ENOSYS);
	process_fails("vfork", vfork() == -1, ENOSYS);
	errno = posix_spawn(&child, "/bin/true", NULL, NULL, arguments, environ);
	process_fails("posix_spawn", true, ENOSYS);
	posix_spawn_file_actions_init(&actions);
	errno = posix_spawnp(&child, "true", &actions, NULL, arguments, environ);
	process_fails("posix_spawnp", true, ENOSYS);
	process_fails("popen", !popen("true", "r"), ENOSYS);
	process_fails("system", system("true") == -1, ENOSYS);
	process_fails("execve", execve("/bin/true", arguments, environ) == -1, ENOSYS);
	process_fails("wait", wait(&status) == -1, ECHILD);
	process_fails("waitpid", waitpid(-1, &status, 0) == -1, ECHILD);
	process_fails("waitpid of a process", waitpid(2, &status, WNOHANG) == -1, ECHILD);
	process_fails("waitid", waitid(P_ALL, 0, &ended, WEXITED) == -1, ENOSYS);
	printf("processes done\n");
}

int main(int argc, char **argv)
{
	struct timespec before, after, nap = { 0, 20000000 };

	if (argc == 2 && !strcmp(argv[1], "fault"))
		*(volatile char *)0x123456 = 1; /* without a handler */
	printf("hello, %d arguments:", argc - 1);
	for (int i = 1; i < argc; i++)
		printf(" [%s]", argv[i]);
	printf("\n");
	if (++counted != 42 || (size_t)zeros % 64 || zeros[99])
		wrong("thread-local variables");
	environment();
	memory();
	files();
	exceptions();
	processes();
	clock_gettime(CLOCK_MONOTONIC, &before);
	nanosleep(&nap, NULL);
	clock_gettime(CLOCK_MONOTONIC, &after);
	if ((after.tv_sec - before.tv_sec) * 1000000000 + after.tv_nsec - before.tv_nsec < 20000000)
		wrong("nanosleep");
	printf("clock: %lld\n", (long long)time(NULL));
	printf("sqrt(2) = %.15f, %s\n", sqrt(2.0 * argc / argc),
	       getenv("HOME") ? "wrong: HOME" : "no HOME");
	prctl(PR_SET_DUMPABLE, 0);
	if (prctl(PR_SET_DUMPABLE, 0) != -1 || errno != EINVAL)
		wrong("an option of prctl() that is not served");
	if (syscall(444, 0) != -1 || errno != ENOSYS || syscall(444, 0) != -1)
		wrong("a call that is not served");
	return 7;
}
