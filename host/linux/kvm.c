// SPDX-License-Identifier: GPL-2.0
/*
 * Keeps KVM and Limpet from breaking each other.
 *
 * In beneath mode the layer uses AMD-V, so KVM must not be loaded.
 *
 * In beside mode KVM for Intel is dangerous before Linux 6.12. It reads the system call MSRs of each CPU in an
 * interrupt when the first virtual machine is created. It writes these values back whenever a virtual CPU returns to
 * Linux. If a guest of Limpet is on the CPU when KVM reads the MSRs, KVM stores Limpet's entry points, and Linux
 * crashes after detach. Therefore a system with executives, which can have guests, holds a virtual machine from before
 * its first host thread enters until after its last one has left. KVM then stores Linux's values, and reads the MSRs
 * again only after its last virtual machine is gone. If KVM is not loaded before such a system, KVM for Intel cannot be
 * loaded while that system runs. While components run, Limpet's entry points are loaded only with interrupts disabled
 * in Linux, so other systems need none of this.
 *
 * KVM for AMD, and KVM of Linux 6.12, are safe because they read the MSRs in a thread. Limpet's entry points are never
 * loaded there. The IDT is different: KVM for Intel reads the address of the IDT in the thread that loads the module,
 * and loads this address at each exit of a virtual CPU. In a guest's thread this can be Limpet's IDT, which does not
 * exist after detach. Therefore a guest cannot load these modules.
 */
#include <linux/fdtable.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kvm.h>
#include <linux/miscdevice.h>
#include <linux/module.h>

#include <host/linux/compat.h>
#include <host/linux/guest/guest.h>
#include <host/linux/parts.h>
#include <shared/image/check.h>

#define KVM_SYMBOL "kvm_get_kvm"
#define READS_IN_THREAD (LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0))

/* Protected by system_lock. */
static unsigned int holders;
static struct file *machine; /* NULL or an error if not held */

static struct notifier_block guest_keep_out;

/* Called in the thread that loads a module. Refuses kvm_intel and kvm_amd, or refuses them to guests only. */
static int module_coming(struct notifier_block *block, unsigned long state, void *data)
{
	const struct module *module = data;
	const bool guests = block == &guest_keep_out;

	if (state != MODULE_STATE_COMING || strncmp(module->name, "kvm_", 4) ||
	    (guests && !guest_current()))
		return NOTIFY_DONE;
	pr_warn("limpet: KVM does not load%s\n",
		guests ? " from a guest: load it in a process that is not a guest"
		       : ": a system with executives runs, or Limpet is attached beneath");
	return notifier_from_errno(-EBUSY);
}

struct notifier_block kvm_keep_out = { .notifier_call = module_coming };
static struct notifier_block guest_keep_out = { .notifier_call = module_coming };
static struct notifier_block *const keep_out = READS_IN_THREAD ? &guest_keep_out : &kvm_keep_out;

bool kvm_loaded(void)
{
	if (!__symbol_get(KVM_SYMBOL))
		return false;
	__symbol_put(KVM_SYMBOL);
	return true;
}

/* Creates a virtual machine through /dev/kvm. Returns its file, without a descriptor, or an error pointer. */
static struct file *machine_create(void)
{
	struct file *kvm = filp_open("/dev/kvm", O_RDWR, 0), *file;
	long fd = -ENODEV;

	if (IS_ERR(kvm))
		return kvm;
	if (file_inode(kvm)->i_rdev == MKDEV(MISC_MAJOR, KVM_MINOR))
		fd = kvm->f_op->unlocked_ioctl(kvm, KVM_CREATE_VM, 0);
	fput(kvm);
	if (fd < 0)
		return ERR_PTR(fd);
	file = fget(fd);
	close_fd(fd);
	return file ?: ERR_PTR(-EBADF);
}

/*
 * Registers the notifier before it checks for KVM. KVM for Intel loads only after KVM itself, so the check finds a
 * module that began to load before the notifier was registered.
 */
int kvm_hold(const struct limpet_image *image)
{
	if (!limpet_image_executive(image) || !boot_cpu_has(X86_FEATURE_VMX) || holders++)
		return 0;
	register_module_notifier(keep_out);
	if (READS_IN_THREAD)
		return 0;
	machine = kvm_loaded() ? machine_create() : NULL;
	return PTR_ERR_OR_ZERO(machine);
}

void kvm_release(const struct limpet_image *image)
{
	if (!limpet_image_executive(image) || !holders || --holders)
		return;
	if (!IS_ERR_OR_NULL(machine))
		fput(machine);
	machine = NULL;
	unregister_module_notifier(keep_out);
}
