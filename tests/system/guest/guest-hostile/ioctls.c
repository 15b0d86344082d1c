// SPDX-License-Identifier: GPL-2.0
/* Makes random and invalid requests to /dev/limpet/guest. Argument: the number of random requests. */
#include "tests/system/lib/guest.h"

static int device;

static long request(unsigned long command, const void *argument)
{
	return ioctl(device, command, argument) < 0 ? -errno : 0;
}

static void check_bad(void)
{
	struct limpet_guest_enter enter = { .component = LIMPET_GUEST_ANY };
	struct limpet_guest_filter filter = { .pid = 1 };
	struct limpet_guest_list list = { 0, 0, 0 };
	struct limpet_guest_info info[2];

	section("bad requests");
	for (unsigned int n = 1; n <= 5; n++) {
		EXPECT(request(_IOC(_IOC_WRITE, 'g', n, 1), NULL) < 0);
		EXPECT(request(_IOC(_IOC_WRITE, 'g', n, 0x3fff), &enter) < 0);
		EXPECT(request(_IOC(_IOC_READ, 'g', n, 8), &enter) < 0);
	}
	EQUAL(request(LIMPET_GUEST_IOC_ENTER, NULL), -EFAULT);
	EQUAL(request(LIMPET_GUEST_IOC_ENTER, (void *)-1ul), -EFAULT);
	EQUAL(request(LIMPET_GUEST_IOC_ATTACH, (void *)8), -EFAULT);
	enter.component = 12345;
	EXPECT(request(LIMPET_GUEST_IOC_ATTACH, &enter) < 0);
	enter = (struct limpet_guest_enter){ .pid = 0, .component = LIMPET_GUEST_ANY };
	EQUAL(request(LIMPET_GUEST_IOC_ATTACH, &enter), -ESRCH);
	enter.pid = 0xffffffff;
	EQUAL(request(LIMPET_GUEST_IOC_ATTACH, &enter), -ESRCH);
	enter = (struct limpet_guest_enter){ .pid = 2, .component = LIMPET_GUEST_ANY };
	EQUAL(request(LIMPET_GUEST_IOC_ATTACH, &enter), -EPERM);
	enter.flags = ~3u;
	EQUAL(request(LIMPET_GUEST_IOC_ATTACH, &enter), -EINVAL);
	enter = (struct limpet_guest_enter){ .pid = 1,
					     .system = LIMPET_SYSTEMS_MAX,
					     .component = LIMPET_GUEST_ANY };
	EQUAL(request(LIMPET_GUEST_IOC_ATTACH, &enter), -ENODEV);
	filter.reserved = 1;
	EQUAL(request(LIMPET_GUEST_IOC_FILTER, &filter), -EINVAL);
	filter.reserved = 0;
	EXPECT(request(LIMPET_GUEST_IOC_FILTER, &filter) < 0);
	EXPECT(request(LIMPET_GUEST_IOC_RELEASE, (void *)1) < 0);
	EXPECT(request(LIMPET_GUEST_IOC_RELEASE, (void *)-1ul) < 0);
	EQUAL(ioctl(device, LIMPET_GUEST_IOC_LIST, &list), 0);
	list = (struct limpet_guest_list){ 8, 0, ~0u };
	EQUAL(request(LIMPET_GUEST_IOC_LIST, &list), -EFAULT);
	list = (struct limpet_guest_list){ (uintptr_t)info, ~0u, 2 };
	EQUAL(ioctl(device, LIMPET_GUEST_IOC_LIST, &list), 0);
	list = (struct limpet_guest_list){ (uintptr_t)info, 0, 1 };
	EQUAL(ioctl(device, LIMPET_GUEST_IOC_LIST, &list), 1);
	EXPECT(read(device, info, 8) < 0 && write(device, info, 8) < 0);
	EXPECT(mmap(NULL, 4096, PROT_READ, MAP_SHARED, device, 0) == MAP_FAILED);
}

/*
 * Makes requests with words of which some are valid. A child makes them, because it can become a guest by them, or be
 * released.
 */
static void check_random(long count)
{
	static const unsigned long commands[] = { LIMPET_GUEST_IOC_ENTER, LIMPET_GUEST_IOC_ATTACH,
						  LIMPET_GUEST_IOC_RELEASE, LIMPET_GUEST_IOC_FILTER,
						  LIMPET_GUEST_IOC_LIST };
	pid_t pid;

	section("random requests");
	pid = fork();
	if (!pid) {
		const pid_t self = getpid();
		uint64_t seed = 99, words[12];

		for (long i = 0; i < count; i++) {
			const uint64_t what = random_next(&seed);
			unsigned long command = commands[what % 5];

			for (int k = 0; k < 12; k++)
				words[k] = random_next(&seed) % 3 ? 0 : random_next(&seed);
			if (what >> 8 & 1)
				words[0] = (what >> 9 & 3 ? (uint64_t)self : what & 0xfff) |
					   (what >> 12 & 3 ? (uint64_t)LIMPET_GUEST_ANY << 32 : 0);
			if (!(what >> 16 & 15))
				command ^= 1ul << (what >> 20 & 31);
			/* Process 1 and the witness must not get a filter or become guests. */
			if ((uint32_t)words[0] != (uint32_t)self &&
			    (command == LIMPET_GUEST_IOC_ATTACH ||
			     command == LIMPET_GUEST_IOC_FILTER))
				words[0] |= 1ul << 30;
			if (command == LIMPET_GUEST_IOC_LIST)
				words[0] = what >> 24 & 1 ? (uintptr_t)words : words[0];
			if (command == LIMPET_GUEST_IOC_LIST && (uintptr_t)words == words[0])
				continue; /* it would write over the stack */
			raw(SYS_ioctl, device, (long)command,
			    command == LIMPET_GUEST_IOC_RELEASE
				    ? self
				    : (long)(what >> 28 & 7 ? (uintptr_t)words : words[3]));
		}
		_exit(CHILD_GOOD);
	}
	const int status = child_wait(pid, 60);

	/* The child must end. Its calls can have any result, because a filter may lack calls such as exit_group. */
	if (status < 0) {
		failed("the child does not end: state %c", task_state(pid));
		kill(pid, SIGKILL);
		child_wait(pid, 5);
	}
}

static void check_twice(void)
{
	struct limpet_guest_enter enter = { .component = LIMPET_GUEST_ANY,
					    .flags = LIMPET_GUEST_OPEN };
	pid_t pid;

	section("a guest that enters again");
	pid = fork();
	if (!pid) {
		const long first = request(LIMPET_GUEST_IOC_ENTER, &enter);

		EXPECT(!first || first == -EBUSY);
		EQUAL(request(LIMPET_GUEST_IOC_ENTER, &enter), -EBUSY);
		child_exit();
	}
	GOOD(pid);
}

int main(int argc, char **argv)
{
	device = open(LIMPET_GUEST_DEVICE, O_RDWR | O_CLOEXEC);
	if (device < 0)
		die("%s: %s", LIMPET_GUEST_DEVICE, strerror(errno));
	check_bad();
	check_twice();
	check_random(argc > 1 ? atol(argv[1]) : 1000);
	return sections_finish();
}
