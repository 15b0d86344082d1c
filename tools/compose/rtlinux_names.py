# SPDX-License-Identifier: BSD-2-Clause
"""Names that RTLinux modules use: headers, and functions that a component does not have, with the reason."""

#: The headers that a module may include. Together they are one interface.
HEADERS = """rtl.h rtl_conf.h rtl_version.h rtl_sched.h rtl_time.h rtl_core.h rtl_sync.h rtl_spinlock.h rtl_mutex.h rtl_sema.h
rtl_barrier.h rtl_fifo.h rtl_posixio.h mbuff.h rtl_signal.h rtl_posix.h rtl_limits.h rtl_printf.h rtl_debug.h
rtl_tracer.h rtl_stdlib.h rtl_compat.h rtl_timer.h rtl_mqueue.h rtl_ipc.h rtl_unistd.h rtl_errno.h
pthread.h time.h errno.h unistd.h signal.h semaphore.h mqueue.h fcntl.h string.h strings.h ctype.h sched.h stdlib.h stdio.h assert.h
endian.h memory.h malloc.h limits.h
sys/types.h sys/stat.h sys/mman.h sys/utsname.h sys/ioctl.h sys/time.h sys/errno.h sys/param.h sys/signal.h sys/fcntl.h sys/cdefs.h
posix/pthread.h posix/time.h posix/unistd.h posix/signal.h posix/semaphore.h posix/errno.h
posix/fcntl.h posix/mqueue.h posix/sched.h posix/string.h posix/sys/mman.h posix/sys/types.h posix/sys/stat.h
linux/module.h linux/kernel.h linux/init.h linux/errno.h linux/version.h linux/sched.h linux/slab.h linux/malloc.h linux/vmalloc.h
linux/types.h linux/string.h linux/time.h linux/delay.h linux/spinlock.h linux/cons.h linux/rtl.h linux/rt_time.h linux/rt_sched.h
linux/stddef.h linux/ctype.h linux/compiler.h linux/moduleparam.h linux/posix_types.h linux/rtf.h linux/rtl_sched.h linux/smp.h
linux/smp_lock.h linux/signal.h linux/utsname.h linux/mman.h linux/mm.h linux/unistd.h linux/limits.h linux/config.h
linux/autoconf.h linux/modversions.h linux/interrupt.h linux/irq.h linux/param.h linux/list.h linux/timer.h linux/timex.h
linux/tqueue.h linux/wait.h linux/ptrace.h linux/fcntl.h linux/stat.h linux/cache.h linux/bitops.h linux/byteorder.h
linux/ioctl.h linux/kernel_stat.h linux/linkage.h linux/threads.h linux/random.h linux/jiffies.h linux/math64.h linux/stringify.h
rtl_tqueue.h reserve_cpu.h rtl_fpu.h arch/rtl_fpu.h arch/constants.h arch/rtl_time.h arch/rtl_sync.h
asm/ptrace.h asm/system.h asm/bitops.h asm/atomic.h asm/rt_irq.h asm/rt_time.h asm/irq.h asm/types.h asm/param.h asm/timex.h
asm/msr.h asm/page.h asm/delay.h asm/byteorder.h asm/processor.h asm/semaphore.h asm/spinlock.h asm/current.h asm/errno.h
asm/string.h asm/unistd.h asm/fcntl.h asm/segment.h asm/smp.h asm/hardirq.h asm/softirq.h asm/cache.h asm/i387.h asm/div64.h
asm/uaccess.h linux/uaccess.h asm/io.h sys/io.h arch/rtl_io.h rtl_io.h linux/ioport.h
asm/pgtable.h asm/signal.h asm/stat.h asm/ioctl.h asm/hw_irq.h asm/fixmap.h asm/apic.h asm/rtl.h""".split()

#: Headers that follow the interface with declarations of their own.
OWN_HEADERS = {"math.h": "rtlinux/math.h", "rtl_math.h": "rtlinux/math.h", "rtl_cpp.h": "rtlinux/cpp.h"}

DEVICES = "write a component with the privilege devices"
DMA = f"DMA channels are the machine's: {DEVICES}"
PHYSICAL = f"physical memory belongs to the system file: {DEVICES}"
PCI = f"PCI devices belong to the system file: {DEVICES}"
CLOCK_CHIP = f"the clock chip belongs to the system file: {DEVICES}"
PROC = "a component has no files in /proc: print to the log"
DRIVER = "a component is not a driver of Linux: use a channel"
PROCESSES = "a component does not share memory with processes by address: use a channel"
LINUX = "a component does not run in Linux's kernel: use threads, semaphores and soft interrupts of RTLinux"
USER = "this is a function of user programs"

#: Headers of subjects that a component does not have. A module may include them, and may not use their contents.
FOREIGN_HEADERS = {
    "asm/dma.h": DMA,
    "linux/mc146818rtc.h": CLOCK_CHIP, "asm/mc146818rtc.h": CLOCK_CHIP, "linux/rtc.h": CLOCK_CHIP,
    "linux/pci.h": PCI,
    "linux/proc_fs.h": PROC,
    "linux/fs.h": DRIVER, "linux/poll.h": DRIVER, "linux/major.h": DRIVER, "linux/kdev_t.h": DRIVER, "linux/miscdevice.h": DRIVER,
    "linux/devfs_fs_kernel.h": DRIVER, "linux/kmod.h": DRIVER, "linux/tty.h": DRIVER, "linux/serial.h": DRIVER,
    "rtl_com.h": "a component has no driver of the serial port: let a process copy between a FIFO and the port",
    "rt_com.h": "a component has no driver of the serial port: let a process copy between a FIFO and the port",
}
#: Headers that cannot be included at all.
REFUSED = {
    "linux/sysctl.h": "a component has no sysctl: give module parameters",
    "rtlinux_signal.h": "signals into user processes (PSC) are not supported: make the function a thread of the module",
}

#: Functions that a component does not have, and what to do instead.
FUNCTIONS = {
    **dict.fromkeys("request_dma free_dma".split(), DMA),
    **dict.fromkeys("""ioremap iounmap ioremap_nocache phys_to_virt virt_to_phys virt_to_bus bus_to_virt readb readw readl writeb
writew writel check_mem_region request_mem_region release_mem_region""".split(), PHYSICAL),
    **dict.fromkeys("CMOS_READ CMOS_WRITE".split(), CLOCK_CHIP),
    **dict.fromkeys("""pci_find_device pci_find_class pci_present pci_enable_device pci_read_config_byte pci_read_config_word
pci_read_config_dword pci_write_config_byte pci_write_config_word pci_write_config_dword pci_resource_start""".split(), PCI),
    **dict.fromkeys("create_proc_entry create_proc_read_entry create_proc_info_entry remove_proc_entry proc_mkdir".split(), PROC),
    **dict.fromkeys("""register_chrdev unregister_chrdev misc_register misc_deregister""".split(), DRIVER),
    **dict.fromkeys("memcpy_tofs memcpy_fromfs".split(), PROCESSES),
    **dict.fromkeys("""kernel_thread wake_up wake_up_interruptible wake_up_process sleep_on
interruptible_sleep_on interruptible_sleep_on_timeout init_waitqueue_head add_wait_queue remove_wait_queue add_timer del_timer
del_timer_sync mod_timer init_timer queue_task mark_bh schedule_task tasklet_schedule tasklet_init tasklet_kill daemonize
kill_proc send_sig""".split(), LINUX),
    **dict.fromkeys("""ioperm iopl printf fprintf scanf sscanf fopen fclose fread fwrite fgets fputs puts perror exit select poll fork system
strtod atof strdup""".split(), USER),
}

#: Functions of <math.h>, from which a module gets those of the C library.
MATHEMATICS = {name + suffix for suffix in ("", "f") for name in """sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp
exp2 expm1 log log2 log10 log1p sqrt cbrt floor ceil fabs rint round trunc atan2 pow hypot fmod fmin fmax remainder copysign ldexp
frexp modf lrint lround sincos""".split()}
