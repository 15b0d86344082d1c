// SPDX-License-Identifier: GPL-2.0
/*
 * Keeps KVM and Limpet from breaking each other.
 *
 * Beneath, the layer has AMD-V, and KVM must not be loaded.
 *
 * Beside, KVM for Intel is the danger. It reads the system call MSRs of each CPU when the first virtual
 * machine is created, and writes these values back whenever a virtual CPU returns to Linux. Before Linux
 * 6.12 it reads them in an interrupt. If a host thread is on the CPU at that time, KVM reads Limpet's
 * entry points, and Linux crashes after detach. So a system holds a virtual machine from before its
 * first host thread enters until after the last one has left. KVM has read Linux's values by then, and reads
 * them again only after its last virtual machine is gone. If KVM is not loaded when a system is, KVM for
 * Intel cannot be loaded while that system runs.
 *
 * KVM for AMD saves the MSRs in the thread of the virtual CPU, and Linux 6.12 reads them in a thread, too:
 * there Limpet's entry points are never loaded.
 */
#include <linux/fdtable.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kvm.h>
#include <linux/miscdevice.h>
#include <linux/module.h>

#include <host/linux/compat.h>
#include <host/linux/parts.h>

#define KVM_SYMBOL "kvm_get_kvm"

static struct file *machine; /* protected by system_lock; NULL or an error: none */

static int module_coming(struct notifier_block *block, unsigned long state, void *module)
{
	if (state != MODULE_STATE_COMING || strncmp(((struct module *)module)->name, "kvm_", 4))
		return NOTIFY_DONE;
	pr_warn("limpet: KVM does not load: a system runs beside, or Limpet is attached beneath\n");
	return notifier_from_errno(-EBUSY);
}

struct notifier_block kvm_keep_out = { .notifier_call = module_coming };

bool kvm_loaded(void)
{
	if (!__symbol_get(KVM_SYMBOL))
		return false;
	__symbol_put(KVM_SYMBOL);
	return true;
}

/* Creates it as a program does, and keeps the file without its descriptor. */
static struct file *machine_create(void)
{
	struct file *kvm = filp_open("/dev/kvm", O_RDWR, 0), *file;
	long fd = -ENODEV;

	if (IS_ERR(kvm))
		return kvm;
	if (file_inode(kvm)->i_rdev == MKDEV(MISC_MAJOR, KVM_MINOR))
		fd = vfs_ioctl(kvm, KVM_CREATE_VM, 0);
	fput(kvm);
	if (fd < 0)
		return ERR_PTR(fd);
	file = fget(fd);
	close_fd(fd);
	return file ?: ERR_PTR(-EBADF);
}

/*
 * KVM for Intel does not load before KVM itself is there. So the check for KVM comes after the notifier is
 * registered: a module that began to load earlier is found by the check.
 */
int kvm_hold(void)
{
	if (LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0) || !boot_cpu_has(X86_FEATURE_VMX))
		return 0;
	register_module_notifier(&kvm_keep_out);
	machine = kvm_loaded() ? machine_create() : NULL;
	return PTR_ERR_OR_ZERO(machine);
}

void kvm_release(void)
{
	if (!IS_ERR_OR_NULL(machine))
		fput(machine);
	machine = NULL;
	unregister_module_notifier(&kvm_keep_out); /* if it is registered */
}
