# SPDX-License-Identifier: GPL-2.0
# The programs that measure Linux, for the guest: static, without dependencies.

BENCH_CC ?= musl-gcc
# The programs of suite exec have their own folder. They need Linux's headers, which musl-gcc does not find.
EXEC_PROGRAMS := system_calls page_faults hand_over nap timer_signal packet_send packet_task span guest_mode \
	working_set
BENCH_PROGRAMS := peers null_syscall yield job cyclic ticks minor_fault spawn ferry receive load streams call early \
	taken flood real_time $(EXEC_PROGRAMS)
BENCH_FLAGS := -std=c11 -D_GNU_SOURCE -O2 -g -Wall -Wextra -Werror -I. -Ilib -Ishared -Iinclude -Icli \
	-Ibuild/interfaces

bench-programs: $(BENCH_PROGRAMS:%=build/bench/%)

# Tests run these programs.
unit-python: $(addprefix build/bench/,cyclic flood real_time) $(EXEC_PROGRAMS:%=build/bench/%)

BENCH_OBJECTS := build/bench/objects
# A program is the file of its name and bench/figure.c, and these. $(1): programs, $(2): sources
bench_adds = $(1:%=build/bench/%): $(patsubst %.c,$(BENCH_OBJECTS)/%.o,$(2))
$(call bench_adds,cyclic early nap timer_signal real_time,bench/figure_histogram.c lib/runtime/histogram.c)
$(call bench_adds,early timer_signal packet_send packet_task real_time,bench/clock.c)
$(call bench_adds,receive real_time,bench/thread.c)
$(call bench_adds,system_calls,$(wildcard bench/exec/calls*.c))
$(call bench_adds,page_faults,$(wildcard bench/exec/faults*.c))
$(call bench_adds,ferry,cli/client/channel.c)
$(call bench_adds,call,cli/client/call.c cli/client/channel.c)
$(foreach p,$(BENCH_PROGRAMS),$(eval $(call bench_adds,$(p),$(wildcard $(patsubst %,%/$(p).c,bench bench/exec bench/rtlinux)) bench/figure.c)))

$(BENCH_PROGRAMS:%=build/bench/%):
	@mkdir -p $(@D)
	$(BENCH_CC) -static -o $@ $^ -lm

$(BENCH_OBJECTS)/bench/exec/%.o: BENCH_FLAGS += -idirafter /usr/include -idirafter /usr/include/x86_64-linux-gnu
$(BENCH_OBJECTS)/bench/call.o: | $(STUBS)
$(BENCH_OBJECTS)/%.o: %.c
	@mkdir -p $(@D)
	$(BENCH_CC) $(BENCH_FLAGS) -MMD -MP -c $< -o $@

-include $(wildcard $(BENCH_OBJECTS)/*/*.d $(BENCH_OBJECTS)/*/*/*.d)

# The module of suite rtlinux.
build/systems/rtlinux.limpet: $(wildcard bench/rtlinux/*) build/lib/runtime-fpu.a build/components/booter.o \
		$(COMPOSE_FILES) $(patsubst %,build/components/%.o,sched.fixed-priority log mem)
	@mkdir -p $(@D)
	@echo "system rtlinux"
	@tools/limpet-rtlinux build bench/rtlinux/module.c --name rtlinux -o $@ --priority 250
bench-programs: build/systems/rtlinux.limpet

.PHONY: bench-programs
