# SPDX-License-Identifier: BSD-2-Clause
# Unit tests of the runtime and of components, on the build machine. Components themselves are
# built by tools/build.mk.

CUNIT := build/unit/components
CUNIT_FLAGS := -std=gnu11 -O1 -g -Wall -Wextra -Werror -DLIMPET_FAKE_KERNEL -Iinclude -Ilib -Ishared \
	-Ibuild/interfaces -Itests/unit/components -MMD -MP
CUNIT_PROGRAMS := $(patsubst tests/unit/components/%.c,$(CUNIT)/%,\
	$(wildcard tests/unit/components/*_test.c))
UNIT_PROGRAMS += $(CUNIT_PROGRAMS)

# The tested code is instrumented. Tests use the hooks before each access as points of preemption.
CUNIT_POINTS := -fsanitize=thread

# A scheduler is lib/sched compiled with its policy. $(1): its name, $(2): its own sources
define CUNIT_SCHED_RULE
CUNIT_SCHED_$(1) := $(patsubst %,$(CUNIT)/sched.$(1)/%.points.o,$(wildcard lib/sched/*.c) $(2))
$(CUNIT)/sched.$(1)/%.points.o: % build/interfaces/.made
	@mkdir -p $$(@D)
	$$(CC) $$(CUNIT_FLAGS) $$(CUNIT_POINTS) -Icomponents/system/sched.$(1) -c $$< -o $$@
endef
$(eval $(call CUNIT_SCHED_RULE,fixed-priority))
$(eval $(call CUNIT_SCHED_RULE,edf))
$(eval $(call CUNIT_SCHED_RULE,table,components/system/sched.table/table.c))
$(CUNIT)/tree_test $(CUNIT)/timers_test: $(patsubst %,$(CUNIT)/lib/sched/%.c.points.o,tree timers) $(CUNIT)/tests/unit/components/points.c.o
CUNIT_RUNTIME := $(patsubst %,$(CUNIT)/lib/runtime/%.c.o,info format)
$(CUNIT)/tests/unit/components/sched_test.c.o: CUNIT_FLAGS += -Icomponents/system/sched.fixed-priority
$(CUNIT)/tests/unit/components/sched_early_test.c.o: CUNIT_FLAGS += -Icomponents/system/sched.fixed-priority
$(CUNIT)/tests/unit/components/sched_part_test.c.o: CUNIT_FLAGS += -Icomponents/system/sched.fixed-priority
$(CUNIT)/tests/unit/components/sched_part_lock_test.c.o: CUNIT_FLAGS += -Icomponents/system/sched.fixed-priority
$(CUNIT)/tests/unit/components/lend_test.c.o: CUNIT_FLAGS += -Icomponents/system/sched.fixed-priority
$(CUNIT)/tests/unit/components/sched_budget_test.c.o: CUNIT_FLAGS += -Icomponents/system/sched.fixed-priority
$(CUNIT)/tests/unit/components/sched_edf_test.c.o: CUNIT_FLAGS += -Icomponents/system/sched.edf
$(CUNIT)/tests/unit/components/sched_table_test.c.o: CUNIT_FLAGS += -Icomponents/system/sched.table

CUNIT_FAKE := $(CUNIT)/tests/unit/components/fake.c.o $(CUNIT)/tests/unit/components/points.c.o
$(CUNIT)/sched_test $(CUNIT)/sched_early_test $(CUNIT)/sched_budget_test $(CUNIT)/sched_part_test $(CUNIT)/lend_test: $(CUNIT_FAKE) $(CUNIT_RUNTIME) $(CUNIT_SCHED_fixed-priority)
$(CUNIT)/sched_edf_test: $(CUNIT_FAKE) $(CUNIT_RUNTIME) $(CUNIT_SCHED_edf)
$(CUNIT)/sched_table_test: $(CUNIT_FAKE) $(CUNIT_RUNTIME) $(CUNIT_SCHED_table)
CUNIT_SYNC_OBJECTS := $(patsubst %,$(CUNIT)/%.points.o,$(filter-out lib/sync/stack.c,$(wildcard lib/sync/*.c)))
$(CUNIT)/lock_test $(CUNIT)/sched_part_lock_test: $(CUNIT_FAKE) $(CUNIT_RUNTIME) $(CUNIT_SCHED_fixed-priority) \
	$(CUNIT_SYNC_OBJECTS)
CUNIT_SYNC := $(patsubst %,$(CUNIT)/sync_%_test,mutex condition semaphore rwlock barrier flags queue crash stack)
$(CUNIT_SYNC:$(CUNIT)/%=$(CUNIT)/tests/unit/components/%.c.o): CUNIT_FLAGS += $(CUNIT_POINTS)
$(CUNIT_SYNC): $(patsubst %,$(CUNIT)/tests/unit/components/%.c.o,model points) \
	$(CUNIT_SYNC_OBJECTS)
$(CUNIT)/sync_stack_test: $(CUNIT)/lib/sync/stack.c.points.o $(CUNIT)/lib/runtime/stack_pool.c.o
$(CUNIT)/log_test: $(patsubst %,$(CUNIT)/%.points.o,$(wildcard components/system/log/*.c)) \
	$(CUNIT)/lib/runtime/ring.c.points.o $(CUNIT)/lib/runtime/format.c.o $(CUNIT)/tests/unit/components/points.c.o
# The supervisor.
CUNIT_SUPERVISOR := $(wildcard components/system/supervisor/*.c) tests/unit/components/supervisor_test.c
$(CUNIT)/supervisor/import/keeper.h: interfaces/mem_keeper/interface.toml $(COMPOSE_FILES)
	@$(PYTHON) -B -m tools.compose.interface $< --prefix keeper --client $@
$(CUNIT_SUPERVISOR:%=$(CUNIT)/%.o): CUNIT_FLAGS += -I$(CUNIT)/supervisor
$(CUNIT_SUPERVISOR:%=$(CUNIT)/%.o): $(CUNIT)/supervisor/import/keeper.h
$(CUNIT)/supervisor_test: $(patsubst %,$(CUNIT)/%.o,$(wildcard components/system/supervisor/*.[cS])) \
	$(CUNIT)/lib/runtime/format.c.o $(CUNIT)/lib/runtime/info.c.o
$(CUNIT)/supervisor_debug_test: $(patsubst %,$(CUNIT)/components/system/supervisor/%.c.o,debug debug_memory debug_stop state image)
# The memory manager, with headers of its imports by their names.
CUNIT_MEM := $(wildcard components/system/mem/*.c) tests/unit/components/mem_fake.c
CUNIT_MEM_IMPORTS := $(CUNIT)/mem/import/next.h $(CUNIT)/mem/import/parent.h
$(CUNIT)/mem/import/next.h: interfaces/faults/interface.toml
$(CUNIT)/mem/import/parent.h: interfaces/mem/interface.toml
$(CUNIT_MEM_IMPORTS): $(COMPOSE_FILES)
	@$(PYTHON) -B -m tools.compose.interface $(filter %.toml,$^) --prefix $(basename $(@F)) --client $@
$(CUNIT_MEM:%=$(CUNIT)/%.o): CUNIT_FLAGS += -I$(CUNIT)/mem
$(CUNIT_MEM:%=$(CUNIT)/%.o): $(CUNIT_MEM_IMPORTS)
$(CUNIT)/mem_test $(CUNIT)/mem_random_test: $(CUNIT_MEM:%=$(CUNIT)/%.o)
# The booter, on systems that are built already.
CUNIT_BOOTER := $(patsubst %,tests/unit/components/booter_%.c,fake image check) $(wildcard components/system/booter/*.c) \
	$(IMAGE_CHECK) $(patsubst %,lib/runtime/%.c,info format ring)
$(patsubst %,$(CUNIT)/tests/unit/components/booter_%.c.o,image check test resource_test channel_test): \
	CUNIT_FLAGS += -Icomponents/system/booter
$(CUNIT)/booter_test $(CUNIT)/booter_resource_test $(CUNIT)/booter_channel_test: $(CUNIT_BOOTER:%=$(CUNIT)/%.o) \
	| $(patsubst %,build/systems/%.limpet,ping ping-pool demo hog idle two-cpus)
# These functions get other names, next to the C library's. Otherwise each would call itself.
$(CUNIT)/lib/runtime/memory.c.o: CUNIT_FLAGS += -fno-tree-loop-distribute-patterns \
	$(foreach f,memcpy memmove memset memcmp strlen strcmp,-D$(f)=tested_$(f))
$(CUNIT)/memory_test: $(CUNIT)/lib/runtime/memory.c.o
$(CUNIT)/buffer_test: $(CUNIT)/lib/buffer/buffer.c.o
$(CUNIT)/tests/unit/components/responder_test.c.o $(CUNIT)/components/demo/responder/packet.c.o: \
	CUNIT_FLAGS += -Icomponents/demo -fsanitize=address,undefined -fno-sanitize-recover=all
$(CUNIT)/responder_test: $(CUNIT)/components/demo/responder/packet.c.o
$(CUNIT)/responder_test: CC += -fsanitize=address,undefined
# Component mqtt, without lwIP: with sanitizers.
CUNIT_MQTT := $(patsubst %,components/system/mqtt/%.c,queue stream) tests/unit/components/mqtt_test.c
CUNIT_SESSION := $(patsubst %,components/system/mqtt/%.c,queue session) tests/unit/components/mqtt_session_test.c
CUNIT_MQTT_SETUP := $(patsubst %,components/system/mqtt/%.c,queue setup) tests/unit/components/mqtt_setup_test.c
$(patsubst %,$(CUNIT)/%.o,$(sort $(CUNIT_MQTT) $(CUNIT_SESSION) $(CUNIT_MQTT_SETUP))): CUNIT_FLAGS += -Icomponents/system/mqtt -Icomponents/system/net -Ibuild/packages/lwip/src/include \
	-fsanitize=address,undefined -fno-sanitize-recover=all
$(patsubst %,$(CUNIT)/%.o,$(CUNIT_MQTT) $(CUNIT_SESSION) $(CUNIT_MQTT_SETUP)): | build/packages/lwip
$(CUNIT)/mqtt_test: $(CUNIT_MQTT:%=$(CUNIT)/%.o)
$(CUNIT)/mqtt_session_test: $(CUNIT_SESSION:%=$(CUNIT)/%.o)
$(CUNIT)/mqtt_setup_test: $(CUNIT_MQTT_SETUP:%=$(CUNIT)/%.o) $(patsubst %,$(CUNIT)/lib/runtime/%.c.o,info format)
$(CUNIT)/mqtt_test $(CUNIT)/mqtt_session_test $(CUNIT)/mqtt_setup_test: private CC += -fsanitize=address,undefined
$(CUNIT)/channel_test: $(patsubst %,$(CUNIT)/lib/%.c.o,channel/channel channel/argument runtime/info)
$(CUNIT)/channel_until_test: $(patsubst %,$(CUNIT)/lib/%.c.o,channel/channel channel/until runtime/info)
$(CUNIT)/fifo_test: $(patsubst %,$(CUNIT)/lib/%.c.o,fifo/find fifo/fifo fifo/wait fifo/mbuff runtime/info sync/mutex sync/core)
# Component exchange: with sanitizers.
CUNIT_EXCHANGE := $(wildcard components/system/exchange/*.c) tests/unit/components/exchange_test.c
$(CUNIT_EXCHANGE:%=$(CUNIT)/%.o): CUNIT_FLAGS += -fsanitize=address,undefined -fno-sanitize-recover=all
$(CUNIT)/exchange_test: $(CUNIT_EXCHANGE:%=$(CUNIT)/%.o) $(patsubst %,$(CUNIT)/lib/%.c.o,runtime/info sync/lock sync/mutex sync/core)
$(CUNIT)/exchange_test: private CC += -fsanitize=address,undefined # not for the objects that other tests have, too
$(CUNIT)/device_test: $(CUNIT)/lib/runtime/device.c.o
$(CUNIT)/runtime_test: $(patsubst %,$(CUNIT)/lib/runtime/%.c.o,argument figure format histogram info)

# lib/executive, and executives, on a guest and a kernel in miniature: with sanitizers, or with points of preemption.
# $(1): name of the executive, or that and _ and a part of its tests; $(2): folder of the objects
CUNIT_EXECUTIVE := $(wildcard lib/executive/*.c) $(patsubst %,lib/runtime/%.c,argument archive format info print ring text) \
	$(wildcard lib/guest/*.c) build/guest/table.c tests/unit/components/guest_fake.c
CUNIT_POINTED := $(CUNIT)/pointed
CUNIT_SANE := $(CUNIT)/sane
define CUNIT_EXECUTIVE_RULE
$(CUNIT)/exec_$(1)_test: $(patsubst %,$(2)/%.o,$(CUNIT_EXECUTIVE) $(wildcard components/executive/exec.$(firstword $(subst _, ,$(1)))/*.c))
$(CUNIT)/tests/unit/components/exec_$(1)_test.c.o: CUNIT_FLAGS += -Icomponents/executive/exec.$(firstword $(subst _, ,$(1)))
endef
CUNIT_SANDBOX := sandbox sandbox_path sandbox_address sandbox_page
$(foreach name,probe sleep clock spaces $(CUNIT_SANDBOX),$(eval $(call CUNIT_EXECUTIVE_RULE,$(name),$(CUNIT_SANE))))
$(foreach name,count trace schedule stream,$(eval $(call CUNIT_EXECUTIVE_RULE,$(name),$(CUNIT_POINTED))))
$(CUNIT)/exec_probe_test: $(patsubst %,$(CUNIT_SANE)/lib/runtime/%.c.o,figure histogram)
CUNIT_EXEC_SANE := $(patsubst %,$(CUNIT)/exec_%_test,probe sleep clock spaces $(CUNIT_SANDBOX))
$(CUNIT_SANDBOX:%=$(CUNIT)/exec_%_test): $(CUNIT_SANE)/tests/unit/components/sandbox_guest.c.o
$(CUNIT_SANE)/tests/unit/components/sandbox_guest.c.o: CUNIT_FLAGS += -Icomponents/executive/exec.sandbox
$(CUNIT_EXEC_SANE): CC += -fsanitize=address,undefined
$(CUNIT_EXEC_SANE:$(CUNIT)/%=$(CUNIT)/tests/unit/components/%.c.o): CUNIT_FLAGS += -fsanitize=address,undefined
$(patsubst %,$(CUNIT)/exec_%_test,schedule stream): $(CUNIT)/tests/unit/components/turns.c.o
$(CUNIT)/executive_test: $(CUNIT_EXECUTIVE:%=$(CUNIT_POINTED)/%.o)
$(CUNIT)/exec_sandbox_race_test: $(patsubst %,$(CUNIT_POINTED)/%.o,$(CUNIT_EXECUTIVE) $(wildcard components/executive/exec.sandbox/*.c))
$(CUNIT)/tests/unit/components/exec_sandbox_race_test.c.o: CUNIT_FLAGS += -Icomponents/executive/exec.sandbox
$(patsubst %,$(CUNIT)/%,executive_test exec_count_test exec_trace_test exec_sandbox_race_test exec_schedule_test exec_stream_test): $(CUNIT)/tests/unit/components/points.c.o
CUNIT_EXEC_OBJECTS := $(patsubst %,$(CUNIT)/tests/unit/components/%.c.o,executive_test \
	$(patsubst %,exec_%_test,probe sleep clock spaces $(CUNIT_SANDBOX) sandbox_race count trace schedule stream) turns)
$(CUNIT_EXEC_OBJECTS): CUNIT_FLAGS += -Ibuild/lib/include
$(CUNIT_EXEC_OBJECTS): build/lib/include/guest/numbers.h
$(CUNIT_POINTED)/tests/%.o: tests/% build/interfaces/.made
	@mkdir -p $(@D)
	$(CC) $(CUNIT_FLAGS) -c $< -o $@
$(CUNIT_POINTED)/%.o: % build/interfaces/.made build/lib/include/guest/numbers.h
	@mkdir -p $(@D)
	$(CC) $(CUNIT_FLAGS) -Ibuild/lib/include $(CUNIT_POINTS) -c $< -o $@
$(CUNIT_SANE)/%.o: % build/interfaces/.made build/lib/include/guest/numbers.h
	@mkdir -p $(@D)
	$(CC) $(CUNIT_FLAGS) -Ibuild/lib/include -fsanitize=address,undefined -fno-sanitize-recover=all -c $< -o $@

# Calls from Linux: liblimpet's end and component `calls`, on one piece of memory; Linux's files, without the
# component's entry in assembly. With sanitizers, so with objects of their own.
CUNIT_CHECKED := -fsanitize=address,undefined -fno-sanitize-recover=all
CUNIT_CALL := cli/client/call.c components/system/calls/serve.c lib/channel/channel.c lib/runtime/info.c \
	tests/unit/components/call_server.c tests/unit/components/call_test.c
CUNIT_FILES := $(wildcard components/system/files/*.c) lib/channel/channel.c lib/channel/argument.c lib/sync/core.c lib/sync/mutex.c \
	lib/sync/condition.c lib/runtime/info.c tests/unit/components/files_test.c
CUNIT_CAN := $(wildcard components/system/can/*.c) lib/channel/channel.c lib/channel/argument.c lib/sync/core.c lib/sync/mutex.c \
	lib/runtime/info.c tests/unit/components/can_test.c
CUNIT_ETHERCAT := $(filter-out %/port.c %/main.c,$(wildcard components/system/ethercat/*.c)) lib/sync/core.c lib/sync/mutex.c \
	lib/runtime/info.c lib/runtime/format.c lib/runtime/argument.c tests/unit/components/ethercat_test.c
$(CUNIT)/calls.d/import/server.h: components/system/calls/component.toml $(COMPOSE_FILES)
	@tools/limpet-component components/system/calls -o $(CUNIT)/calls.o --stubs-only
$(CUNIT_CALL:%=$(CUNIT)/call/%.o): CUNIT_FLAGS += -I. -Icli -Icomponents/system/calls -I$(CUNIT)/calls.d $(CUNIT_CHECKED)
$(CUNIT_CALL:%=$(CUNIT)/call/%.o): $(CUNIT)/calls.d/import/server.h
$(CUNIT_FILES:%=$(CUNIT)/files/%.o): CUNIT_FLAGS += -Icomponents/system/files $(CUNIT_CHECKED)
$(CUNIT_CAN:%=$(CUNIT)/can/%.o): CUNIT_FLAGS += -Icomponents/system/can $(CUNIT_CHECKED)
$(CUNIT)/can/%.o: % build/interfaces/.made
	@mkdir -p $(@D)
	$(CC) $(CUNIT_FLAGS) -c $< -o $@
$(CUNIT_ETHERCAT:%=$(CUNIT)/ethercat/%.o): CUNIT_FLAGS += -Icomponents/system/ethercat $(CUNIT_CHECKED)
$(CUNIT)/ethercat/%.o: % build/interfaces/.made
	@mkdir -p $(@D)
	$(CC) $(CUNIT_FLAGS) -c $< -o $@
$(CUNIT)/call/%.o: % build/interfaces/.made
	@mkdir -p $(@D)
	$(CC) $(CUNIT_FLAGS) -c $< -o $@
$(CUNIT)/files/%.o: % build/interfaces/.made
	@mkdir -p $(@D)
	$(CC) $(CUNIT_FLAGS) -c $< -o $@
$(CUNIT)/call_test: $(CUNIT_CALL:%=$(CUNIT)/call/%.o)
	$(CC) $(CUNIT_CHECKED) -o $@ $^ -lcmocka
$(CUNIT)/files_test: $(CUNIT_FILES:%=$(CUNIT)/files/%.o)
	$(CC) $(CUNIT_CHECKED) -o $@ $^ -lcmocka
$(CUNIT)/can_test: $(CUNIT_CAN:%=$(CUNIT)/can/%.o)
	$(CC) $(CUNIT_CHECKED) -o $@ $^ -lcmocka
$(CUNIT)/ethercat_test: $(CUNIT_ETHERCAT:%=$(CUNIT)/ethercat/%.o)
	$(CC) $(CUNIT_CHECKED) -o $@ $^ -lcmocka

$(filter-out %/call_test %/files_test %/can_test %/ethercat_test,$(CUNIT_PROGRAMS)): $(CUNIT)/%: $(CUNIT)/tests/unit/components/%.c.o
	$(CC) -o $@ $^ -lcmocka -lm

$(CUNIT)/%.points.o: % build/interfaces/.made
	@mkdir -p $(@D)
	$(CC) $(CUNIT_FLAGS) $(CUNIT_POINTS) -c $< -o $@

$(CUNIT)/%.o: % build/interfaces/.made
	@mkdir -p $(@D)
	$(CC) $(CUNIT_FLAGS) -c $< -o $@

check-components: $(CUNIT_PROGRAMS)	## the unit tests of the runtime and of components
	@for test in $(CUNIT_PROGRAMS); do $$test || exit 1; done

-include $(wildcard $(CUNIT)/*/*/*.d $(CUNIT)/*/*/*/*.d $(CUNIT)/*/*/*/*/*.d)

.PHONY: check-components
.PRECIOUS: $(CUNIT)/%.o $(CUNIT)/%.points.o

# lib/posix with simulated servers. Some of its names are those of a C library's functions.
PUNIT := build/unit/posix
PUNIT_FLAGS := $(filter-out -Itests/unit/components,$(CUNIT_FLAGS)) -fsanitize=address,undefined \
	-fno-sanitize-recover=all
PUNIT_TESTS := $(wildcard tests/unit/posix/*_test.c)
PUNIT_SOURCES := $(filter-out lib/posix/start.c,$(wildcard lib/posix/*.c)) lib/sync/lock.c lib/runtime/info.c lib/runtime/archive.c \
	lib/sync/core.c lib/sync/mutex.c \
	tests/unit/posix/fake.c tests/unit/posix/fake_net.c
PUNIT_PROGRAMS := $(PUNIT_TESTS:tests/unit/posix/%.c=$(PUNIT)/%)
UNIT_PROGRAMS += $(PUNIT_PROGRAMS)

$(PUNIT_PROGRAMS): $(PUNIT)/%: $(PUNIT)/tests/unit/posix/%.c.o $(PUNIT_SOURCES:%=$(PUNIT)/%.o)
	$(CC) -fsanitize=address,undefined -o $@ $^ -lcmocka

$(PUNIT)/lib/%.o: PUNIT_FLAGS += -ffreestanding -Ibuild/lib/include
$(PUNIT)/%.o: % build/interfaces/.made build/lib/include/posix/names.h
	@mkdir -p $(@D)
	$(CC) $(PUNIT_FLAGS) -c $< -o $@

-include $(wildcard $(PUNIT)/*/*/*.d $(PUNIT)/*/*/*/*.d)
