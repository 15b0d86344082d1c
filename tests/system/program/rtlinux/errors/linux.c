// SPDX-License-Identifier: GPL-2.0
/* Tests names of Linux's kernel: counters, bits, lists, texts, tasks and memory of processes. */
#include <rtl.h>
#include <asm/atomic.h>
#include <asm/bitops.h>
#include <asm/uaccess.h>
#include <errno.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tqueue.h>
#include <linux/vmalloc.h>
#include <rtl_sched.h>
#include "errors.h"

static void counters(void)
{
	atomic_t a = ATOMIC_INIT(5);
	int value = 3;

	atomic_inc(&a);
	atomic_add(4, &a);
	atomic_sub(7, &a);
	atomic_dec(&a);
	expect(atomic_read(&a) == 2, "atomic_read");
	expect(!atomic_dec_and_test(&a) && atomic_dec_and_test(&a) && atomic_read(&a) == 0,
	       "atomic_dec_and_test");
	atomic_set(&a, -2);
	expect(!atomic_inc_and_test(&a) && atomic_inc_and_test(&a), "atomic_inc_and_test");
	expect(xchg(&value, 4) == 3 && cmpxchg(&value, 3, 9) == 4 && cmpxchg(&value, 4, 9) == 4 &&
		       value == 9,
	       "xchg and cmpxchg");
}

static void bits(void)
{
	unsigned long words[2] = { 0, 0 };

	set_bit(3, words);
	set_bit(64, words);
	expect(words[0] == 8 && words[1] == 1 && test_bit(64, words) && !test_bit(65, words),
	       "set_bit");
	clear_bit(64, words);
	change_bit(70, words);
	expect(words[1] == 64, "clear_bit and change_bit");
	expect(test_and_set_bit(3, words) && !test_and_set_bit(4, words) && words[0] == 24,
	       "test_and_set_bit");
	expect(test_and_clear_bit(3, words) && !test_and_clear_bit(3, words) && words[0] == 16,
	       "test_and_clear_bit");
	expect(test_and_change_bit(4, words) && !test_and_change_bit(5, words) && words[0] == 32,
	       "test_and_change_bit");
	expect(ffz(0) == 0 && ffz(7) == 3, "ffz");
}

struct entry {
	int number;
	struct list_head list;
};

static void lists(void)
{
	struct list_head head = LIST_HEAD_INIT(head), *at, *after;
	struct entry entries[3];
	int i, sum = 0;

	for (i = 0; i < 3; i++) {
		entries[i].number = i + 1;
		list_add_tail(&entries[i].list, &head);
	}
	list_for_each(at, &head) sum = sum * 10 + list_entry(at, struct entry, list)->number;
	list_for_each_prev(at, &head) sum = sum * 10 + container_of(at, struct entry, list)->number;
	expect(sum == 123321, "list_for_each");
	list_for_each_safe(at, after, &head) list_del_init(at);
	expect(list_empty(&head) && list_empty(&entries[1].list), "list_del_init");
}

static void format(char *to, size_t size, const char *text, ...)
{
	va_list values;

	va_start(values, text);
	if (size)
		vsnprintf(to, size, text, values);
	else
		vsprintf(to, text, values);
	va_end(values);
}

static void texts(void)
{
	char text[16] = "abcdef", *end;

	memmove(text + 1, text, 5);
	expect(!strcmp(text, "aabcde") && strlen(text) == 6, "memmove");
	expect(snprintf(text, 4, "%d", 123456) == 6 && !strcmp(text, "123"),
	       "snprintf that is cut");
	format(text, 3, "%s", "long");
	expect(!strcmp(text, "lo"), "vsnprintf that is cut");
	format(text, 0, "%s-%d", "long", 5);
	expect(!strcmp(text, "long-5"), "vsprintf");
	strcat(text, "6");
	expect(!strncmp(text, "long-7", 5) && strncmp(text, "long-7", 6) < 0, "strncmp");
	expect(strchr(text, '-') == text + 4 && !strchr(text, 'x') && strspn(text, "gnol") == 4,
	       "strchr and strspn");
	strncpy(text, "abc", 8);
	expect(!memcmp(text, "abc\0\0\0\0\0", 8), "strncpy fills with zeros");
	expect(simple_strtoul("0x1fz", &end, 0) == 31 && *end == 'z', "simple_strtoul");
	expect(islower('a') && isupper('A') && isalpha('z') && isalnum('9') && isprint(' ') &&
		       !isprint('\n') && tolower('A') == 'a',
	       "ctype.h");
	conpr("text of conpr\n");
	conprn(0x1f);
	conpr(" of conprn\n");
}

static void numbers(void)
{
	int array[7], first = 0, every = 0, i;

	expect(ARRAY_SIZE(array) == 7 && min_t(int, 3, -1) == -1 && max_t(int, 3, -1) == 3 &&
		       abs(-4) == 4,
	       "min_t and max_t");
	expect(htonl(0x12345678) == 0x78563412 && cpu_to_le16(0x1234) == 0x1234 &&
		       le32_to_cpu(0x12345678) == 0x12345678 && cpu_to_be16(0x1234) == 0x3412,
	       "orders of bytes");
	for (i = 0; i < 6; i++) {
		do_first(2) first++;
		do_every(3) every++;
	}
	expect(first == 2 && every == 2, "do_first and do_every");
	mb();
	rmb();
	wmb();
	barrier();
	BUG_ON(likely(i != 6) && unlikely(i != 6));
}

static void memory(void)
{
	unsigned long page = __get_free_page(GFP_KERNEL), pages = __get_free_pages(GFP_KERNEL, 1);
	char *bytes = vmalloc(100);

	expect(page && pages && bytes && page % PAGE_SIZE == 0, "pages");
	memset((void *)pages, 1, 2 * PAGE_SIZE);
	free_page(page);
	free_pages(pages, 1);
	vfree(bytes);
	errno = 0;
	expect(!vmalloc(0) && errno == ENOMEM, "vmalloc of 0 bytes");
	errno = 0;
}

static void user_memory(void)
{
	int value = 7, other = 8;

	expect(copy_from_user(&value, &other, 4) == 4 && copy_to_user(&other, &value, 4) == 4 &&
		       get_user(value, &other) == -EFAULT && put_user(5, &other) == -EFAULT &&
		       other == 8,
	       "memory of no process");
	expect(verify_area(VERIFY_READ, &value, 4) == 0 && access_ok(VERIFY_WRITE, &value, 4),
	       "access_ok");
	expect(_IOC_DIR(_IOWR('x', 3, int)) == 3 && _IOC_TYPE(_IO('x', 3)) == 'x' &&
		       _IOC_NR(_IOR('x', 3, int)) == 3 && _IOC_SIZE(_IOW('x', 3, int)) == 4,
	       "numbers of commands");
}

static int tasks;

static void task(void *amount)
{
	tasks += (int)(long)amount;
}

static void tasks_and_time(void)
{
	struct timeval day;
	static struct tq_struct queued;
	unsigned long before = jiffies;
	unsigned int low;
	unsigned long long all;

	INIT_TQUEUE(&queued, task, (void *)1);
	PREPARE_TQUEUE(&queued, task, (void *)2);
	flush_scheduled_tasks();
	set_current_state(TASK_INTERRUPTIBLE);
	schedule_timeout(1);
	expect(current->state == TASK_RUNNING && time_after(jiffies, before) &&
		       time_before(before, jiffies) && time_after_eq(jiffies, before) &&
		       time_before_eq(before, jiffies),
	       "schedule_timeout");
	schedule();
	do_gettimeofday(&day);
	rdtscl(low);
	rdtscll(all);
	expect(day.tv_usec < 1000000 && low && all && get_cycles() > all, "rdtscll");
	expect(!signal_pending(current) && !in_interrupt() && smp_processor_id() == 0 &&
		       num_online_cpus() == 1,
	       "the processor");
	lock_kernel();
	unlock_kernel();
	errno = 0;
}

void linux_test(void)
{
	counters();
	bits();
	lists();
	texts();
	numbers();
	memory();
	user_memory();
	tasks_and_time();
}
