# SPDX-License-Identifier: GPL-2.0
# The kernel on hal/fake: one program for each file tests/unit/kernel/test_*.c, with sanitizers.
#   check-kernel       builds and runs them
#   RANDOM_CALLS=n     number of calls of the random test; RANDOM_SEED=n replays one

KUNIT := build/unit/kernel
KUNIT_FLAGS := -std=gnu11 -O1 -g -Wall -Wextra -Werror -I. -Ihal -Ihal/fake -Iinclude \
	-Itests/unit/kernel -fno-strict-aliasing -fsanitize=address,undefined \
	-fno-sanitize-recover=all -MMD -MP
# Calls between the kernel's files that registry.c watches.
KUNIT_WRAP := table_create page_table_create component_create thread_create endpoint_create \
	frames_take frames_release
KUNIT_LINK := -fsanitize=address,undefined -pthread $(KUNIT_WRAP:%=-Wl,--wrap=%)
KUNIT_TESTS := $(wildcard tests/unit/kernel/test_*.c)
KUNIT_SOURCES := $(wildcard kernel/*.c hal/*.c hal/fake/*.c) $(IMAGE_CHECK) \
	$(filter-out $(KUNIT_TESTS),$(wildcard tests/unit/kernel/*.c))
KUNIT_OBJECTS := $(KUNIT_SOURCES:%.c=$(KUNIT)/%.o)
KUNIT_PROGRAMS := $(KUNIT_TESTS:tests/unit/kernel/%.c=$(KUNIT)/%)

UNIT_PROGRAMS += $(KUNIT_PROGRAMS)

$(KUNIT_PROGRAMS): $(KUNIT)/%: $(KUNIT)/tests/unit/kernel/%.o $(KUNIT_OBJECTS)
	$(CC) $(KUNIT_LINK) -o $@ $^ -lcmocka

$(KUNIT)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(KUNIT_FLAGS) -c $< -o $@

check-kernel: $(KUNIT_PROGRAMS)
	@for test in $(KUNIT_PROGRAMS); do $$test || exit 1; done

-include $(KUNIT_OBJECTS:.o=.d) $(KUNIT_TESTS:%.c=$(KUNIT)/%.d)

.PHONY: check-kernel
.SECONDARY: $(KUNIT_OBJECTS) $(KUNIT_TESTS:%.c=$(KUNIT)/%.o)

# The parts of hal/x86 that need no privileges.
HAL_UNIT := build/unit/hal
UNIT_PROGRAMS += $(HAL_UNIT)/test_regs

$(HAL_UNIT)/test_regs: tests/unit/hal/test_regs.c hal/x86/regs.c
	@mkdir -p $(@D)
	$(CC) $(subst hal/fake,hal/x86,$(KUNIT_FLAGS)) -MF $@.d -MT $@ -o $@ $(filter %.c,$^) -lcmocka

-include $(wildcard $(HAL_UNIT)/*.d)

# The parts of the layer beneath that need no processor of their own.
BUNIT := build/unit/bare
BUNIT_FLAGS := $(KUNIT_FLAGS) -Itests/unit/bare
# Each program, and the files of the layer that it tests together.
BUNIT_bare := policy tables guest svm/control
BUNIT_apic := apic apic_access apic_msr apic_timer guest
BUNIT_svm := svm/control svm/state
BUNIT_msr := msr svm/control
BUNIT_msr_access := msr_access svm/switch
BUNIT_port := port death
BUNIT_io_apic := io_apic layer
BUNIT_resource := resource resource_event pci layer policy svm/control
BUNIT_gravity :=
BUNIT_channel := channel layer
BUNIT_guard :=
BUNIT_bus_masters :=
BUNIT_NAMES := bare svm apic msr msr_access port io_apic resource channel gravity guard bus_masters
BUNIT_PROGRAMS := $(BUNIT_NAMES:%=$(BUNIT)/test_%)
UNIT_PROGRAMS += $(BUNIT_PROGRAMS)

$(foreach name,$(BUNIT_NAMES),$(eval $(BUNIT)/test_$(name): $(BUNIT_$(name):%=$(BUNIT)/host/bare/%.o)))
$(BUNIT)/test_msr_access: BUNIT_LINK := -no-pie # the layer's assembly uses 32-bit addresses
# The part of the module that changes the layer's image, with headers in place of Linux's, and the image of the build.
$(BUNIT)/test_guard: $(BUNIT)/host/linux/beneath/guard.o $(BUNIT)/host/linux/beneath/bare_image.o
$(BUNIT)/host/linux/beneath/bare_image.o: build/bare/bare.bin
$(BUNIT)/host/linux/beneath/% $(BUNIT)/tests/unit/bare/test_guard.o: BUNIT_FLAGS := -Itests/unit/bare/fake $(BUNIT_FLAGS) \
	-DBARE_IMAGE='"build/bare/bare.bin"'
$(BUNIT_PROGRAMS): $(BUNIT)/%: $(BUNIT)/tests/unit/bare/%.o
	$(CC) -fsanitize=address,undefined $(BUNIT_LINK) -o $@ $^ -lcmocka

$(BUNIT)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(BUNIT_FLAGS) -c $< -o $@

$(BUNIT)/%.o: %.S build/bare/bare-offsets.h build/core/offsets.h
	@mkdir -p $(@D)
	$(CC) $(BUNIT_FLAGS) -Ibuild/bare -Ibuild/core -c $< -o $@

-include $(wildcard $(BUNIT)/host/bare/*.d $(BUNIT)/host/bare/svm/*.d $(BUNIT)/host/linux/beneath/*.d $(BUNIT)/tests/unit/bare/*.d)

# The network component with simulated servers, in libraries that a test can load twice; lwIP with sanitizers.
NUNIT := build/unit/net
NUNIT_SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all
NUNIT_FLAGS := $(filter-out -Itests/unit/components,$(CUNIT_FLAGS)) $(NUNIT_SANITIZE) -fPIC -Icomponents/system/net \
	-Ibuild/packages/lwip/src/include -I$(NUNIT) -DNUNIT='"$(NUNIT)"'
NUNIT_LWIP := $(shell sed -n 's/[",]/ /g;s/ *src\//\nsrc\//gp' components/system/net/component.toml | grep '^src/.*\.c')
NUNIT_OWN := $(wildcard components/system/net/*.c) lib/channel/channel.c lib/runtime/info.c lib/sync/core.c tests/unit/net/info.c
NUNIT_STACK := $(patsubst %,$(NUNIT)/%.o,$(filter-out components/system/net/random.c,$(NUNIT_OWN))) \
	$(patsubst %,$(NUNIT)/lwip/%.o,$(NUNIT_LWIP))
NUNIT_TESTS := $(wildcard tests/unit/net/*_test.c)
NUNIT_PROGRAMS := $(NUNIT_TESTS:tests/unit/net/%.c=$(NUNIT)/%)
UNIT_PROGRAMS += $(NUNIT_PROGRAMS)

$(NUNIT)/import/memory.h: interfaces/mem/interface.toml $(COMPOSE_FILES)
	@$(PYTHON) -B -m tools.compose.interface $< --prefix memory --client $@

$(NUNIT)/stack.so: $(NUNIT_STACK)
	$(CC) $(NUNIT_SANITIZE) -shared -Wl,-Bsymbolic -o $@ $^

# The same, with a separate allocation for each of lwIP's pieces of memory.
NUNIT_PIECES := -DMEM_LIBC_MALLOC=1 -DMEMP_MEM_MALLOC=1 -include tests/unit/net/pieces.h
$(NUNIT)/pieces.so: $(NUNIT_STACK:$(NUNIT)/%=$(NUNIT)/pieces/%)
	$(CC) $(NUNIT_SANITIZE) -shared -Wl,-Bsymbolic -o $@ $^
$(patsubst %,$(NUNIT)/pieces/lwip/%.o,$(NUNIT_LWIP)): $(NUNIT)/pieces/lwip/%.o: \
		$(wildcard components/system/net/*.h components/system/net/arch/*.h) | build/packages/lwip
	@mkdir -p $(@D)
	$(CC) $(NUNIT_FLAGS) $(NUNIT_PIECES) -w -c build/packages/lwip/$* -o $@
$(patsubst %,$(NUNIT)/pieces/%.o,$(filter-out components/system/net/random.c,$(NUNIT_OWN))): $(NUNIT)/pieces/%.o: % build/interfaces/.made \
		$(NUNIT)/import/memory.h $(wildcard components/system/net/*.h components/system/net/arch/*.h) | build/packages/lwip
	@mkdir -p $(@D)
	$(CC) $(NUNIT_FLAGS) $(NUNIT_PIECES) -c $< -o $@
$(NUNIT)/fuzz_test: $(NUNIT)/pieces.so

NUNIT_SHARED := world servers stack peers frames

$(NUNIT_PROGRAMS): $(NUNIT)/%: $(NUNIT)/tests/unit/net/%.c.o \
		$(NUNIT_SHARED:%=$(NUNIT)/tests/unit/net/%.c.o) | $(NUNIT)/stack.so
	$(CC) $(NUNIT_SANITIZE) -rdynamic -o $@ $(filter %.o,$^) -lcmocka -ldl

$(patsubst %,$(NUNIT)/lwip/%.o,$(NUNIT_LWIP)): $(NUNIT)/lwip/%.o: $(wildcard components/system/net/*.h components/system/net/arch/*.h) | build/packages/lwip
	@mkdir -p $(@D)
	$(CC) $(NUNIT_FLAGS) -w -c build/packages/lwip/$* -o $@

$(NUNIT)/%.o: % build/interfaces/.made $(NUNIT)/import/memory.h | build/packages/lwip
	@mkdir -p $(@D)
	$(CC) $(NUNIT_FLAGS) -c $< -o $@

-include $(wildcard $(NUNIT)/*/*/*.d $(NUNIT)/*/*/*/*.d $(NUNIT)/*/*/*/*/*.d)
.PRECIOUS: $(NUNIT)/%.o $(NUNIT)/lwip/%.o

# tests/unit/docs/test_cycles.py reads the objects of all sources.
unit-python: components bench-programs build/module-6.1/limpet.ko build/restart/restart.bin build/lib/posix.o

include tests/unit/http/build.mk
include tests/unit/guest/build.mk
# The ends of channels, shared/channel/end.h. tests/model runs two of them in every order.
CHUNIT := build/unit/channel
CHUNIT_FLAGS := $(filter-out -Ihal% -Itests/unit/kernel,$(KUNIT_FLAGS)) -Ilib -Ishared
CHUNIT_PROGRAMS := $(patsubst tests/unit/channel/%.c,$(CHUNIT)/%,$(wildcard tests/unit/channel/test_*.c))
UNIT_PROGRAMS += $(CHUNIT_PROGRAMS)

$(CHUNIT_PROGRAMS): $(CHUNIT)/%: tests/unit/channel/%.c tests/unit/channel/pair.c
	@mkdir -p $(@D)
	$(CC) $(CHUNIT_FLAGS) -MF $@.d -MT $@ -o $@ $(filter %.c,$^) -lcmocka

-include $(wildcard $(CHUNIT)/*.d)
