// SPDX-License-Identifier: GPL-2.0
/*
 * partner WHAT: the Linux side of the shared memory of shm.toml. Exits with 0, or prints the error.
 *   ring COUNT   sends values through both components, and adds to the counter at the same time
 *   own          exchanges words with the first component alone
 *   die          writes a word, and is killed
 *   kept         checks that word
 *   crash        makes the first component crash, and waits for its restart
 */
#include <signal.h>
#include <sys/mman.h>

#include "../../lib/device.h"
#include "area.h"
#include <cli/client/rtlinux/mbuff.h>

#define PATIENCE 60.0 /* s */
#define WORD 0x1234567890abcdefull

static struct area *area_map(void)
{
	struct area *area = mbuff_attach("posix-area", sizeof(*area));

	if (!area)
		die("posix-area: %s", strerror(errno));
	return area;
}

static void ring(uint64_t count)
{
	struct area *area = area_map();
	const uint64_t before = area->counter;
	uint64_t sent = 0, got = 0, added = 0, value;
	const double end = seconds() + PATIENCE;

	while (got < count) {
		if (sent < count && ring_put(&area->ring[TO_FIRST], sent))
			sent++;
		area->counter++;
		added++;
		if (!ring_get(&area->ring[TO_PARTNER], &value)) {
			if (added % 1000 == 0)
				pause_us(100);
			if (seconds() > end)
				die("%lu of %lu values have come back", got, count);
			continue;
		}
		if (value != got + 2) /* each component adds 1 */
			die("value %lu came back as %lu", got, value);
		got++;
	}
	if (area->counter != before + 2 * count + added)
		die("the counter rose by %lu instead of %lu", area->counter - before,
		    2 * count + added);
}

static void within(_Atomic uint64_t *word, uint64_t wanted, const char *what)
{
	const double end = seconds() + PATIENCE;

	while (*word != wanted) {
		if (seconds() > end)
			die("%s: %lu instead of %lu", what, *word, wanted);
		pause_us(1000);
	}
}

/* Maps the node without a library. The memory follows the header. */
static void own(void)
{
	int fd = node_open("own", O_RDWR);
	char *memory =
		mmap(NULL, LIMPET_CHANNEL_PAGE + 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	struct own *own = (struct own *)(void *)(memory + LIMPET_CHANNEL_PAGE);

	if (memory == MAP_FAILED)
		die("mmap: %s", strerror(errno));
	for (uint64_t n = 1; n < 100; n++) {
		own->request = n;
		within(&own->answer, 2 * n, "answer");
	}
}

static void crash(void)
{
	struct area *area = area_map();
	const uint64_t starts = area->starts[0], counter = area->counter;

	ring_put(&area->ring[TO_FIRST], CRASH);
	within(&area->starts[0], starts + 1, "starts of the component");
	if (area->counter != counter || area->kept != WORD)
		die("the content changed");
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "ring") && argc == 3) {
		ring(strtoull(argv[2], NULL, 10));
	} else if (!strcmp(what, "own")) {
		own();
	} else if (!strcmp(what, "die")) {
		area_map()->kept = WORD;
		raise(SIGKILL);
	} else if (!strcmp(what, "kept")) {
		if (area_map()->kept != WORD)
			die("the word is %lx", area_map()->kept);
	} else if (!strcmp(what, "crash")) {
		crash();
	} else {
		die("partner WHAT");
	}
	return 0;
}
