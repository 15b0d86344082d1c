# SPDX-License-Identifier: GPL-2.0
# The kernel on hal/fake: one program for each file tests/unit/kernel/test_*.c, with sanitizers.
#   check-kernel       builds and runs them
#   RANDOM_CALLS=n     how many calls the random test makes; RANDOM_SEED=n replays one

KUNIT := build/unit/kernel
KUNIT_FLAGS := -std=gnu11 -O1 -g -Wall -Wextra -Werror -I. -Ihal -Ihal/fake -Iinclude \
	-Itests/unit/kernel -fno-strict-aliasing -fsanitize=address,undefined \
	-fno-sanitize-recover=all -MMD -MP
# Calls between the kernel's files that registry.c watches.
KUNIT_WRAP := table_create page_table_create component_create thread_create endpoint_create \
	frames_take frames_release
KUNIT_LINK := -fsanitize=address,undefined -pthread $(KUNIT_WRAP:%=-Wl,--wrap=%)
KUNIT_TESTS := $(wildcard tests/unit/kernel/test_*.c)
KUNIT_SOURCES := $(wildcard kernel/*.c hal/fake/*.c) lib/image/check.c \
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

# What of the layer beneath needs no processor of its own.
BUNIT := build/unit/bare
BUNIT_FLAGS := $(KUNIT_FLAGS) -Itests/unit/bare
# Each program, and which files of the layer it tests together.
BUNIT_bare := policy tables guest
BUNIT_apic := apic apic_msr apic_timer guest
BUNIT_port := port death
BUNIT_io_apic := io_apic
BUNIT_resource := resource pci policy
BUNIT_NAMES := bare apic port io_apic resource
BUNIT_PROGRAMS := $(BUNIT_NAMES:%=$(BUNIT)/test_%)
UNIT_PROGRAMS += $(BUNIT_PROGRAMS)

$(foreach name,$(BUNIT_NAMES),$(eval $(BUNIT)/test_$(name): $(BUNIT_$(name):%=$(BUNIT)/host/bare/%.o)))
$(BUNIT_PROGRAMS): $(BUNIT)/%: $(BUNIT)/tests/unit/bare/%.o
	$(CC) -fsanitize=address,undefined -o $@ $^ -lcmocka

$(BUNIT)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(BUNIT_FLAGS) -c $< -o $@

-include $(wildcard $(BUNIT)/host/bare/*.d $(BUNIT)/tests/unit/bare/*.d)

# The ends of channels, lib/channel/end.h; tests/model has every order of two of them.
CHUNIT := build/unit/channel
CHUNIT_FLAGS := $(filter-out -Ihal% -Itests/unit/kernel,$(KUNIT_FLAGS)) -Ilib
CHUNIT_PROGRAMS := $(patsubst tests/unit/channel/%.c,$(CHUNIT)/%,$(wildcard tests/unit/channel/test_*.c))
UNIT_PROGRAMS += $(CHUNIT_PROGRAMS)

$(CHUNIT_PROGRAMS): $(CHUNIT)/%: tests/unit/channel/%.c tests/unit/channel/pair.c
	@mkdir -p $(@D)
	$(CC) $(CHUNIT_FLAGS) -MF $@.d -MT $@ -o $@ $^ -lcmocka

-include $(wildcard $(CHUNIT)/*.d)
