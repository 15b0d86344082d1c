// SPDX-License-Identifier: GPL-2.0
/* See control.h. */
#include <linux/capability.h>
#include <linux/mutex.h>
#include <linux/oom.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include <limpet/trace.h>

#include <host/linux/control.h>
#include <host/linux/parts.h>

static DEFINE_MUTEX(tracing);
static const struct control_session *tracer; /* NULL: the trace is off */

int control_open(struct inode *inode, struct file *file)
{
	struct control_session *session;

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	session = kzalloc(sizeof(*session), GFP_KERNEL);
	if (!session)
		return -ENOMEM;
	session->ops = container_of(file->f_op, struct control_operations, file);
	file->private_data = session;
	return 0;
}

/* Ends the trace that this session started, even if no system runs. */
static void trace_end(const struct control_session *session)
{
	mutex_lock(&tracing);
	if (tracer == session) {
		session->ops->trace(session, 0);
		tracer = NULL;
	}
	mutex_unlock(&tracing);
}

/*
 * Logs how the current thread's host process died. A host process that ends normally closes the file before it exits.
 * cli/host/witness.c finds the line by its first words, so that `limpet log` can show it.
 */
static void host_death(const struct control_session *session)
{
	const char *outcome = session->ops->close
				      ? "its system ended"
				      : "its system continues, and its console is not read";
	const int signal = current->exit_code & 0x7f;

	if (!(current->flags & PF_EXITING) || session->host != task_tgid_vnr(current))
		return;
	if (signal)
		pr_warn("limpet: host process %d was killed by signal %d%s: %s\n", session->host,
			signal, tsk_is_oom_victim(current) ? " for lack of memory" : "", outcome);
	else
		pr_warn("limpet: host process %d exited with status %d: %s\n", session->host,
			current->exit_code >> 8, outcome);
}

int control_release(struct inode *inode, struct file *file)
{
	struct control_session *session = file->private_data;

	trace_end(session);
	if (session->ops->close)
		session->ops->close(session);
	host_death(session);
	kfree(session);
	return 0;
}

/* --- ioctl. User memory is copied before a lock that other callers need is taken. */

static long ioc_stat(const struct control_session *session, void __user *to)
{
	struct limpet_ioc_stat *stat = memdup_user(to, sizeof(*stat));
	long error;

	if (IS_ERR(stat))
		return PTR_ERR(stat);
	error = session->ops->stat(session, stat);
	if (!error && copy_to_user(to, stat, sizeof(*stat)))
		error = -EFAULT;
	kfree(stat);
	return error;
}

static long ioc_image(const struct control_session *session, const struct limpet_ioc_image *image)
{
	void *copy = vmalloc(clamp_t(u64, image->size, 1, LIMPET_IMAGE_MAX));
	long size = copy ? session->ops->image(session, copy, image->size) : -ENOMEM;

	if (size > 0)
		size = copy_to_user(u64_to_user_ptr(image->buffer), copy, size) ? -EFAULT : 0;
	vfree(copy);
	return size;
}

/* Copies at most TRACE_PART events per call, through a buffer, because a copy to user memory can sleep. */
static long ioc_trace_read(const struct control_session *session, struct limpet_ioc_trace *read)
{
	const size_t event = sizeof(struct limpet_trace_event);
	void *copy = kmalloc_array(TRACE_PART, event, GFP_KERNEL);
	long error;

	read->count = min_t(u32, read->count, TRACE_PART);
	error = copy ? session->ops->trace_read(session, read, copy) : -ENOMEM;
	if (!error && copy_to_user(u64_to_user_ptr(read->buffer), copy, read->count * event))
		error = -EFAULT;
	kfree(copy);
	return error;
}

static long ioc_trace(const struct control_session *session, u64 kinds)
{
	long error = -EBUSY;

	mutex_lock(&tracing);
	if (!tracer || tracer == session)
		error = session->ops->trace(session, kinds);
	if (!error)
		tracer = kinds ? session : NULL;
	mutex_unlock(&tracing);
	return error;
}

static long ioc_load(struct control_session *session, struct limpet_ioc_load *load)
{
	void *image;
	long error;

	load->error[0] = 0;
	image = system_image(load);
	if (IS_ERR(image))
		return PTR_ERR(image);
	error = session->ops->load(session, load, image);
	vfree(image);
	if (!error)
		session->host = task_tgid_vnr(current);
	return error;
}

static long command_run(struct control_session *session, unsigned int command,
			unsigned long argument, union control_argument *copy)
{
	const struct control_operations *ops = session->ops;

	switch (command) {
		/* clang-format off */
	case LIMPET_IOC_INFO: return ops->info(session, &copy->info);
	case LIMPET_IOC_LOAD: return ioc_load(session, &copy->load);
	case LIMPET_IOC_SELECT: return ops->select(session, (u32)argument);
	case LIMPET_IOC_STOP: return ops->stop(session);
	case LIMPET_IOC_STAT: return ioc_stat(session, (void __user *)argument);
	case LIMPET_IOC_IMAGE: return ioc_image(session, &copy->image);
	case LIMPET_IOC_TRACE: return ioc_trace(session, argument);
	case LIMPET_IOC_TRACE_READ: return ioc_trace_read(session, &copy->trace);
		/* clang-format on */
	}
	return ops->other(session, command, copy);
}

long control_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	void __user *user = (void __user *)argument;
	const size_t size = _IOC_SIZE(command);
	union control_argument copy = { .value = argument };
	long error;

	if (size > sizeof(copy))
		return -ENOTTY;
	if (_IOC_DIR(command) & _IOC_WRITE && copy_from_user(&copy, user, size))
		return -EFAULT;
	error = command_run(file->private_data, command, argument, &copy);
	if (_IOC_DIR(command) & _IOC_READ && (!error || command == LIMPET_IOC_LOAD) &&
	    copy_to_user(user, &copy, size))
		return -EFAULT;
	return error;
}
