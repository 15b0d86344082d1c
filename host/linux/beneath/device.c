// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/limpet/control while the layer is beneath: see <limpet/device.h>. The system is the layer's; what is
 * asked here is passed on to it (<host/bare/call.h>), and nothing of a system is kept.
 */
#include <linux/acpi.h>
#include <linux/delay.h>
#include <linux/io.h>
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/module.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <asm/hw_irq.h>
#include <asm/tsc.h>

#include <host/linux/compat.h>
#include <host/linux/channel/channel.h>
#include <host/linux/control.h>
#include <host/linux/parts.h>
#include <shared/image/check.h>

#define LOG_PART 256
#define KEEP_PART 65536
/* How often to look at what components print, and whether they run; and without an interrupt, notify. */
#define LOOK_EVERY msecs_to_jiffies(100)
#define LOOK_OFTEN msecs_to_jiffies(10)
#define GSI_FIRST 16 /* lines of the I/O APIC that are no ISA interrupts */
#define GSI_LAST 23
#define TRIES_MS 100

static DEFINE_MUTEX(
	system_change);	   /* a system is loaded or ends, with its channels; outside `lock` */
static DEFINE_MUTEX(lock); /* one call at a time; and the interrupt's line */
static int irq = -1, gsi;
static bool interrupted; /* one came */

static u64 ns_of(u64 ticks)
{
	return mul_u64_u64_div_u64(ticks, 1000000, tsc_khz);
}

/* A call under the lock, because the layer lets a CPU that calls during another call wait busily. */
static long call_alone(enum bare_call call, void *argument, u64 size)
{
	long result;

	mutex_lock(&lock);
	result = beneath_call(call, argument, size);
	mutex_unlock(&lock);
	return result;
}

static long info_get(struct bare_info *info)
{
	*info = (struct bare_info){ 0 };
	return call_alone(BARE_CALL_INFO, info, sizeof(*info));
}

static bool system_runs(void)
{
	struct bare_info of;

	return !info_get(&of) && of.state == LIMPET_STATE_RUNNING;
}

/* --- what components said meanwhile */

static void log_take(void)
{
	char text[LOG_PART];
	long got;

	while ((got = call_alone(BARE_CALL_LOG, text, sizeof(text))) > 0)
		system_print(text, got);
}

static void look(struct work_struct *work);
static DECLARE_DELAYED_WORK(looking, look);

static void look(struct work_struct *work)
{
	mutex_lock(&system_change);
	log_take();
	if (system_runs())
		schedule_delayed_work(&looking, irq < 0 ? LOOK_OFTEN : LOOK_EVERY);
	else
		host_channels_end();
	mutex_unlock(&system_change);
	beneath_channels_look();
}

/* --- the interrupt that says that components notified */

static irqreturn_t events_changed(int number, void *unused)
{
	WRITE_ONCE(interrupted, true);
	beneath_channels_look();
	return IRQ_HANDLED;
}

/* A line of the I/O APIC that nothing is connected to: the layer raises its vector instead. */
static bool line_take(void)
{
	int error;

	irq = acpi_register_gsi(NULL, gsi, ACPI_EDGE_SENSITIVE, ACPI_ACTIVE_HIGH);
	if (irq < 0)
		return false;
	error = request_irq(irq, events_changed, IRQF_NOBALANCING, "limpet", &interrupted);
	if (error) {
		acpi_unregister_gsi(gsi);
		irq = -1;
	}
	return !error;
}

static void line_give(void)
{
	beneath_call(BARE_CALL_VECTOR, NULL, 0);
	free_irq(irq, &interrupted);
	acpi_unregister_gsi(gsi);
	irq = -1;
}

/* The vector is in what the local APIC's domain keeps of an interrupt, at its beginning. */
static const struct irq_cfg *vector_of(void)
{
	struct irq_data *data = irq_get_irq_data(irq);

	while (data && data->parent_data)
		data = data->parent_data;
	return data ? irq_data_get_irq_chip_data(data) : NULL;
}

static bool line_tell(void)
{
	const struct irq_cfg *vector = vector_of();
	unsigned int cpu = cpumask_first(irq_get_effective_affinity_mask(irq));

	return vector && !beneath_call(BARE_CALL_VECTOR, (void *)(word)cpu, vector->vector);
}

void beneath_device_move(void)
{
	mutex_lock(&lock);
	if (irq >= 0)
		line_tell();
	mutex_unlock(&lock);
}

static bool line_works(void)
{
	if (!line_tell())
		return false;
	for (unsigned int i = 0; i < TRIES_MS && !READ_ONCE(interrupted); i++)
		msleep(1);
	return READ_ONCE(interrupted);
}

static bool line_find(void)
{
	for (gsi = GSI_LAST; gsi >= GSI_FIRST; gsi--) {
		if (!line_take())
			continue;
		if (line_works())
			return true;
		line_give();
	}
	return false;
}

/* A system that this Linux finds running: its channels are those of its image. */
static void channels_find(void)
{
	struct limpet_image_error wrong;
	struct bare_info info;
	char error[80] = "its image cannot be had, or makes no sense";
	void *image;

	if (info_get(&info) || info.state != LIMPET_STATE_RUNNING)
		return;
	image = vmalloc(info.image_size);
	if (!image || beneath_call(BARE_CALL_IMAGE, image, info.image_size) != info.image_size ||
	    limpet_image_check(image, info.image_size, &wrong) ||
	    beneath_channels(image, error, sizeof(error)))
		pr_err("limpet: the channels of the system that runs are not there: %s\n", error);
	vfree(image);
}

void beneath_device_init(void)
{
	bool found;

	mutex_lock(&lock);
	found = line_find();
	mutex_unlock(&lock);
	channels_find();
	mod_delayed_work(system_wq, &looking, 0);
	beneath_call(BARE_CALL_TRACE, NULL, 0); /* who traced for the Linux before is gone */
	if (!found)
		pr_notice(
			"limpet: no free interrupt: Linux hears of notifications up to 10 ms later\n");
}

void beneath_device_exit(void)
{
	cancel_delayed_work_sync(&looking);
	host_channels_destroy();
	mutex_lock(&lock);
	if (irq >= 0)
		line_give();
	mutex_unlock(&lock);
}

/* --- ioctl */

/* Called with system_change. */
static long system_stop(void)
{
	struct bare_info of;
	long error = info_get(&of);

	if (error)
		return error;
	return of.state == LIMPET_STATE_EMPTY ? -ENODEV : call_alone(BARE_CALL_STOP, NULL, 0);
}

static long load_pass_on(const struct limpet_ioc_load *load, const void *image)
{
	struct bare_load call = { .image = (word)image,
				  .size = load->size,
				  .cpus = load->cpus,
				  .linux_share = load->linux_share,
				  .early_us = load->early_us };

	memcpy(call.cpu, load->cpu, sizeof(call.cpu));
	return call_alone(BARE_CALL_LOAD, &call, 0);
}

/* What the layer refuses, in a line. NULL: not by itself. */
static const char *refusal(long error)
{
	switch (error) {
	case BARE_ENOMEM:
		return "its frames do not fit the memory that is hidden for systems; lower [system] "
		       "frames, or attach with more --memory";
	case BARE_ENOSPC:
		return "frames: too few for the booter; raise [system] frames";
	case BARE_EBUSY:
		return "a system is loaded already; stop it first";
	case BARE_ENXIO:
		return "its components should get what this machine does not have: an interrupt line, "
		       "a PCI function or memory; compare [[component]] with lspci and "
		       "/proc/interrupts";
	case BARE_E2BIG:
		return "its components should get too much of the machine: at most 64 parts, and 64 MiB "
		       "for one of a PCI function; give fewer, or smaller ones";
	case BARE_EEXIST:
		return "two of its components should get the same ports or registers, or one should get "
		       "PCI's configuration as memory: see lspci -v for what a PCI function has";
	}
	return NULL;
}

/*
 * Destroys the channels of the last system first, because the layer gives their memory to the new one. A system that
 * runs is not loaded over, even if it ends before the layer could refuse: its channels still exist then.
 */
static long load_with_channels(struct limpet_ioc_load *load, const void *image)
{
	long error = BARE_EBUSY;

	mutex_lock(&system_change);
	if (!system_runs()) {
		host_channels_destroy();
		error = load_pass_on(load, image);
	}
	if (error && refusal(error)) {
		strscpy(load->error, refusal(error), sizeof(load->error));
	} else if (!error) {
		error = beneath_channels(image, load->error, sizeof(load->error));
		if (error)
			system_stop();
	}
	mutex_unlock(&system_change);
	return error;
}

static long operation_load(struct file *file, struct limpet_ioc_load *load)
{
	void *image;
	long error;

	load->error[0] = 0;
	image = system_image(load);
	if (IS_ERR(image))
		return PTR_ERR(image);
	error = machine_allows(image, load->error, sizeof(load->error));
	if (!error)
		error = load_with_channels(load, image);
	vfree(image);
	if (!error)
		mod_delayed_work(system_wq, &looking, 0);
	return error;
}

static long operation_info(struct limpet_ioc_info *info)
{
	struct bare_info of;
	long error = info_get(&of);

	if (error)
		return error;
	*info = (struct limpet_ioc_info){
		.version = LIMPET_DEVICE_VERSION,
		.ticks_per_ms = tsc_khz,
		.levels = pgtable_l5_enabled() ? 5 : 4,
		.xsave_size = hal_xsave_size(check_xsave_mask()),
		.mode = LIMPET_MODE_BENEATH,
	};
	info->state = of.state;
	info->end_reason = of.end_reason;
	info->hidden = of.hidden;
	info->hidden_size = of.hidden_size;
	info->room = of.room;
	info->kept = of.kept;
	info->restarts = of.restarts;
	info->death = of.death;
	if (of.state == LIMPET_STATE_RUNNING) {
		info->cpus = of.cpus;
		memcpy(info->cpu, of.cpu, sizeof(info->cpu));
		info->linux_share = of.linux_share;
		info->uptime_ns = ns_of(of.uptime_ticks);
		info->image_size = of.image_size;
		info->region_size = of.region_size;
	}
	return 0;
}

static long operation_stat(struct limpet_ioc_stat *stat)
{
	return call_alone(BARE_CALL_STAT, stat, 0);
}

static long operation_trace(u64 kinds)
{
	return call_alone(BARE_CALL_TRACE, (void *)kinds, 0);
}

static long operation_trace_read(struct limpet_ioc_trace *read, void *to)
{
	struct bare_trace call = { .cpu = read->cpu,
				   .count = read->count,
				   .address = (word)to,
				   .position = read->position };
	long error = call_alone(BARE_CALL_TRACE_READ, &call, 0);

	read->count = call.count;
	read->position = call.position;
	read->lost = call.lost;
	return error;
}

static long operation_image(void *to, u64 size)
{
	struct bare_info of;
	long got;

	mutex_lock(&system_change);
	got = info_get(&of);
	if (!got && of.state != LIMPET_STATE_RUNNING)
		got = -ENODEV;
	if (!got)
		got = call_alone(BARE_CALL_IMAGE, to, min(size, of.image_size));
	mutex_unlock(&system_change);
	return got;
}

static long operation_stop(void)
{
	long error;

	mutex_lock(&system_change);
	error = system_stop();
	if (!error)
		host_channels_end();
	mutex_unlock(&system_change);
	return error;
}

/* A copy at a time: the caller's memory may not be there when the layer looks, and is not touched with the lock. */
static long ioc_keep(struct limpet_ioc_keep keep)
{
	struct bare_keep call;
	void *copy = kvmalloc(KEEP_PART, GFP_KERNEL);
	long error = 0;

	if (!copy)
		return -ENOMEM;
	while (keep.size && !error) {
		call = (struct bare_keep){ keep.at, (word)copy, min_t(u64, keep.size, KEEP_PART) };
		if (signal_pending(current))
			error = -EINTR;
		else if (copy_from_user(copy, u64_to_user_ptr(keep.buffer), call.size))
			error = -EFAULT;
		else
			error = call_alone(BARE_CALL_KEEP, &call, 0);
		keep.at += call.size;
		keep.buffer += call.size;
		keep.size -= call.size;
		cond_resched();
	}
	kvfree(copy);
	return error;
}

/* It is in no map of this Linux's memory. */
static long ioc_record(const struct limpet_ioc_keep *want)
{
	struct bare_info of;
	struct limpet_record *record;
	long error = info_get(&of);

	if (error || !of.record || !of.restarts)
		return error ?: -ENODATA;
	if (want->at > LIMPET_RECORD_SIZE || want->size > LIMPET_RECORD_SIZE - want->at)
		return -EINVAL;
	record = memremap(of.record, LIMPET_RECORD_SIZE, MEMREMAP_WB);
	if (!record)
		return -ENOMEM;
	if (record->magic != LIMPET_RECORD_MAGIC)
		error = -ENODATA;
	else if (copy_to_user(u64_to_user_ptr(want->buffer), (u8 *)record + want->at, want->size))
		error = -EFAULT;
	memunmap(record);
	return error;
}

static long operation_other(const struct file *file, unsigned int command,
			    const union control_argument *argument)
{
	struct limpet_ioc_save save = argument->save;

	switch (command) {
	case LIMPET_IOC_KEEP:
		return ioc_keep(argument->keep);
	case LIMPET_IOC_SAVE:
		return call_alone(BARE_CALL_SAVE, &save, 0);
	case LIMPET_IOC_RECORD:
		return ioc_record(&argument->keep);
	case LIMPET_IOC_KEPT:
		return call_alone(BARE_CALL_KEPT, (void *)argument->value, 0);
	}
	return -ENOTTY;
}

const struct control_operations beneath_control = {
	.file = {
		.owner = THIS_MODULE,
		.open = control_open,
		.release = control_release,
		.unlocked_ioctl = control_ioctl,
	},
	.info = operation_info,
	.load = operation_load,
	.stop = operation_stop,
	.stat = operation_stat,
	.image = operation_image,
	.trace = operation_trace,
	.trace_read = operation_trace_read,
	.other = operation_other,
};
