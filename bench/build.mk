# SPDX-License-Identifier: GPL-2.0
# The programs that measure Linux, for the guest: static, without dependencies.

BENCH_CC ?= musl-gcc
# The programs of suite exec have their own folder. They need Linux's headers, which musl-gcc does not find.
EXEC_PROGRAMS := system_calls page_faults hand_over nap timer_signal packet_send packet_task span guest_mode \
	working_set
BENCH_PROGRAMS := peers null_syscall yield job cyclic ticks minor_fault spawn ferry receive load streams call early \
	taken flood real_time $(EXEC_PROGRAMS)
BENCH_FLAGS := -std=c11 -D_GNU_SOURCE -O2 -g -Wall -Wextra -Werror -static -I. -Ilib -Ishared -Iinclude -Icli \
	-Ibuild/interfaces

bench-programs: $(BENCH_PROGRAMS:%=build/bench/%)

# Tests run these programs.
unit-python: $(addprefix build/bench/,cyclic flood real_time) $(EXEC_PROGRAMS:%=build/bench/%)

$(addprefix build/bench/,cyclic early nap timer_signal real_time): bench/figure_histogram.c lib/runtime/histogram.c
$(addprefix build/bench/,early timer_signal packet_send packet_task real_time): bench/clock.c bench/clock.h
$(addprefix build/bench/,receive real_time): bench/thread.c bench/thread.h
build/bench/system_calls: $(wildcard bench/exec/calls*) bench/exec/filter.h
build/bench/page_faults: $(wildcard bench/exec/faults*)
build/bench/packet_send build/bench/packet_task: bench/exec/packets.h
build/bench/real_time: bench/rtlinux/loops.h
build/bench/working_set: components/executive/exec.spaces/spaces.h
$(EXEC_PROGRAMS:%=build/bench/%): BENCH_FLAGS += -idirafter /usr/include -idirafter /usr/include/x86_64-linux-gnu
build/bench/ferry: cli/client/channel.c $(wildcard components/probe/ferry/*.h cli/client/channel.h shared/channel/end.h)
build/bench/call: cli/client/call.c cli/client/channel.c $(wildcard cli/client/*.h) | $(STUBS)
build/bench/%: bench/%.c bench/figure.c bench/figure.h
	$(BENCH_LINK)
build/bench/%: bench/exec/%.c bench/figure.c bench/figure.h
	$(BENCH_LINK)
build/bench/%: bench/rtlinux/%.c bench/figure.c bench/figure.h
	$(BENCH_LINK)
define BENCH_LINK
	@mkdir -p $(@D)
	$(BENCH_CC) $(BENCH_FLAGS) -o $@ $(filter %.c,$^) -lm
endef

# The module of suite rtlinux.
build/systems/rtlinux.limpet: $(wildcard bench/rtlinux/*) build/lib/runtime-fpu.a build/components/booter.o \
		$(COMPOSE_FILES) $(patsubst %,build/components/%.o,sched.fixed-priority log mem)
	@mkdir -p $(@D)
	@echo "system rtlinux"
	@tools/limpet-rtlinux build bench/rtlinux/module.c --name rtlinux -o $@ --priority 250
bench-programs: build/systems/rtlinux.limpet

.PHONY: bench-programs
