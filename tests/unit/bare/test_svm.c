// SPDX-License-Identifier: GPL-2.0
/* Tests the implementation of <host/bare/vm.h> for AMD-V, on a control block that is not used by a processor. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <host/bare/vm.h>
#include <limpet/device.h>

#define EVENT_VALID (1ul << 31)
#define EVENT_ERROR (1ul << 11)

static struct vmcb vmcb, own;
static struct vm_cpu vm;

static int begin(void **state)
{
	(void)state;
	vmcb = own = (struct vmcb){ 0 };
	vm = (struct vm_cpu){ .vmcb = &vmcb, .own = &own };
	return 0;
}

static void test_reasons(void **state)
{
	(void)state;
	vmcb.exit_code = 0x40 + 17;
	assert_int_equal(vm_reason(&vm), VM_EXCEPTION);
	assert_int_equal(vm_exception(&vm), 17);
	vmcb.exit_code = 0x5f;
	assert_int_equal(vm_exception(&vm), 31);
	vmcb.exit_code = 0x60;
	assert_int_equal(vm_reason(&vm), VM_INTERRUPT);
	vmcb.exit_code = 0x3f;
	assert_int_not_equal(vm_reason(&vm), VM_EXCEPTION);
	vmcb.exit_code = 0x7c;
	vmcb.exit_info_1 = 1;
	assert_true(vm_reason(&vm) == VM_MSR && vm_msr_is_write(&vm));
	vmcb.exit_info_1 = 0;
	assert_false(vm_msr_is_write(&vm));
	vmcb.exit_info_2 = 0xfee00300;
	assert_int_equal(vm_address(&vm), 0xfee00300);
}

static void test_port(void **state)
{
	struct vm_port port;

	(void)state;
	vmcb.ip = 0x1000;
	vmcb.exit_info_1 = 0xcf9ul << 16 | 2 << 4 | 1;
	vmcb.exit_info_2 = 0x1003;
	port = vm_port(&vm);
	assert_true(port.port == 0xcf9 && port.size == 2 && port.length == 3);
	assert_true(port.in && !port.string);
	vmcb.exit_info_1 = 0x64ul << 16 | 1 << 4 | 4;
	port = vm_port(&vm);
	assert_true(port.port == 0x64 && port.size == 1 && !port.in && port.string);
}

/* A valid event that the exit interrupted is delivered again. */
static void test_left(void **state)
{
	(void)state;
	vmcb.exit_interrupt = EVENT_VALID | 0x31;
	vmcb.tlb_control = 1;
	vm_left(&vm);
	assert_int_equal(vmcb.event, EVENT_VALID | 0x31);
	assert_int_equal(vmcb.tlb_control, 0);
	assert_true(vm_event_waits(&vm) && vm_interrupt_waits(&vm));
	vmcb.exit_interrupt = 0x31;
	vm_left(&vm);
	assert_false(vm_event_waits(&vm) || vm_interrupt_waits(&vm));
}

static void test_inject(void **state)
{
	(void)state;
	vm_inject(&vm, 6);
	assert_int_equal(vmcb.event, EVENT_VALID | 3 << 8 | 6);
	assert_true(vm_event_waits(&vm) && !vm_interrupt_waits(&vm));
	for (unsigned int i = 0; i < 3; i++) {
		static const unsigned int with_error[] = { 8, 13, 17 };

		vm_inject(&vm, with_error[i]);
		assert_int_equal(vmcb.event, EVENT_VALID | EVENT_ERROR | 3 << 8 | with_error[i]);
	}
}

/* Another NMI waits until the guest has executed IRET, or is reset. */
static void test_nmi(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 2; i++) {
		vm_inject_nmi(&vm);
		assert_int_equal(vmcb.event, EVENT_VALID | 2 << 8 | 2);
		assert_int_equal(vmcb.intercept_1, 1 << 20);
		vmcb.exit_interrupt = 0;
		vm_left(&vm);
		assert_true(!vmcb.event && vm_event_waits(&vm) && !vm_interrupt_waits(&vm));
		if (i)
			vm_reset(&vm, 0);
		else
			vm_nmi_unmask(&vm);
		assert_false(vm_event_waits(&vm));
		assert_int_equal(vmcb.intercept_1, 0);
	}
}

static void test_offer(void **state)
{
	(void)state;
	vm_interrupt_offer(&vm, 0x51);
	assert_true(vm_interrupt_offered(&vm));
	assert_int_equal(vmcb.virtual_interrupt,
			 1ul << 8 | 5ul << 16 | 1ul << 20 | 1ul << 24 | 0x51ul << 32);
	vm_interrupt_offer(&vm, 0);
	assert_false(vm_interrupt_offered(&vm));
	assert_int_equal(vmcb.virtual_interrupt, 1ul << 24);
	vmcb.flags = 0x200;
	vmcb.interrupt_shadow = 1;
	assert_true(vm_interrupts_on(&vm) && vm_interrupts_held(&vm));
	vm_skip(&vm, 2);
	assert_false(vm_interrupts_held(&vm));
	assert_int_equal(vm_ip(&vm), 2);
}

/* In the order of the instruction set: ax cx dx bx sp bp si di r8 to r15. */
static void test_registers(void **state)
{
	u64 *const inside[] = { &vmcb.ax,     &vm.regs.cx,  &vm.regs.dx,  &vm.regs.bx,
				&vmcb.sp,     &vm.regs.bp,  &vm.regs.si,  &vm.regs.di,
				&vm.regs.r8,  &vm.regs.r9,  &vm.regs.r10, &vm.regs.r11,
				&vm.regs.r12, &vm.regs.r13, &vm.regs.r14, &vm.regs.r15 };

	(void)state;
	for (unsigned int i = 0; i < 16; i++)
		assert_ptr_equal(vm_register(&vm, i), inside[i]);
	vm_efer_set(&vm, 0x501);
	assert_int_equal(vmcb.efer, 0x1501);
	assert_int_equal(vm_efer(&vm), 0x501);
}

static void test_reset(void **state)
{
	(void)state;
	vmcb.event = vmcb.cr3 = vmcb.star = vmcb.interrupt_shadow = vm.regs.r15 = 1;
	vm_reset(&vm, 0x9a);
	assert_true(vmcb.cs.selector == 0x9a00 && vmcb.cs.base == 0x9a000 && !vmcb.ip);
	assert_true(vmcb.cs.limit == 0xffff && vmcb.cs.attributes == 0x9b);
	assert_true(!vmcb.event && !vmcb.cr3 && !vmcb.star && !vmcb.interrupt_shadow);
	assert_true(vmcb.cr0 == 0x10 && vmcb.efer == 0x1000 && vmcb.flags == 2);
	assert_true(!vm.regs.r15 && vm.regs.dx && vmcb.tlb_control == VMCB_FLUSH_ALL);
	vm_reset_flat(&vm, 0x4000000);
	assert_true(vmcb.cr0 == 0x11 && vmcb.ip == 0x4000000 && vm.regs.si == 0x4000000);
	assert_true(vmcb.cs.limit == ~0u && vmcb.cs.attributes == 0xc9b && !vmcb.cs.base);
	assert_true(vmcb.ss.limit == ~0u && vmcb.ss.attributes == 0xc93);
}

static void test_record(void **state)
{
	struct limpet_record record = { .cpu = 3 };

	(void)state;
	vmcb.ip = 1;
	vmcb.cr2 = 2;
	vmcb.ax = 3;
	vm.regs.di = 4;
	vm.regs.r8 = 5;
	vm.regs.r15 = 6;
	vm_record(&vm, &record);
	assert_true(record.cpu == 3 && record.ip == 1 && record.cr2 == 2 && record.ax == 3);
	assert_true(record.di == 4 && record.r8 == 5 && record.r15 == 6);
}

static void test_own(void **state)
{
	const struct vm_own wanted = { .gs = 1,
				       .task = 2,
				       .lstar = 3,
				       .cstar = 4,
				       .star = 5,
				       .sfmask = 6,
				       .task_limit = 7,
				       .task_selector = 0x40 };

	(void)state;
	vm_own_make(&vm, &wanted);
	assert_true(own.gs.base == 1 && own.tr.base == 2 && own.lstar == 3 && own.cstar == 4);
	assert_true(own.star == 5 && own.sfmask == 6 && own.tr.limit == 7);
	assert_true(own.tr.selector == 0x40 && own.tr.attributes == 0x8b);
}

static void test_hidden(void **state)
{
	struct vm_cpuid result = { ~0u, ~0u, ~0u, ~0u };

	(void)state;
	vm_cpuid_hide(1, &result);
	assert_int_equal(result.c, ~0u);
	vm_cpuid_hide(0x80000001, &result);
	assert_true(result.c == ~4u && result.a == ~0u && result.b == ~0u && result.d == ~0u);
	vm_cpuid_hide(0x8000000a, &result);
	assert_true(!result.a && !result.b && !result.c && !result.d);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, begin)
	const struct CMUnitTest tests[] = {
		TEST(test_reasons), TEST(test_port),  TEST(test_left),	 TEST(test_inject),
		TEST(test_nmi),	    TEST(test_offer), TEST(test_record), TEST(test_registers),
		TEST(test_reset),   TEST(test_own),   TEST(test_hidden),
	};

	return cmocka_run_group_tests_name("svm", tests, NULL, NULL);
}
