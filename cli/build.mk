# SPDX-License-Identifier: GPL-2.0
# The command `limpet`: one static program that needs nothing on the target.
#   build/cli/limpet   the command
#   build/cli/limpet-top   the screen of `limpet top`: static, too, but with the C library that ncurses has
#   build/cli/limpet-bridge   the program of `limpet bridge`, where Eclipse Cyclone DDS is installed (cyclonedds-dev)
#   check-cli          its unit tests, with sanitizers

CLI_CC ?= musl-gcc
CLI_WARN := -Wall -Wextra -Werror
CLI_INCLUDE := -I. -Iinclude -Icli
CLI_FLAGS := -std=c11 -D_GNU_SOURCE -O2 -g $(CLI_WARN) $(CLI_INCLUDE)

# The screen of `limpet top` and the bridge to DDS are separate programs.
BRIDGE_SOURCES := $(filter-out %/command.c,$(wildcard cli/command/bridge/*.c))
CLI_SOURCES := $(filter-out %/top/main.c %/top/screen.c $(BRIDGE_SOURCES),$(wildcard cli/*.c cli/*/*.c cli/command/*/*.c))
# lib/guest's table of system calls, whose names `limpet guest` reads, and the files that include its header.
CLI_GUEST := lib/guest/calls.o build/guest/table.o
CLI_GUEST_USERS := $(CLI_GUEST) cli/command/guest/calls.o cli/command/trace/words.o cli/command/trace/ctf.o
CLI_OBJECTS := $(CLI_SOURCES:%.c=build/cli/%.o) \
	$(IMAGE_CHECK:%.c=build/cli/%.o) build/cli/cli/restart/code.o \
	build/cli/cli/command/exporter/live.o $(CLI_GUEST:%=build/cli/%)

build/cli/limpet: $(CLI_OBJECTS)
	@echo "command limpet"
	$(Q)$(CLI_CC) -static -pthread -o $@ $^

build/cli/%.o: %.c
	@mkdir -p $(@D)
	$(Q)$(CLI_CC) $(CLI_FLAGS) -MMD -MP -c $< -o $@

build/cli/%.o: %.S
	@mkdir -p $(@D)
	$(Q)$(CLI_CC) $(CLI_INCLUDE) -c $< -o $@

$(CLI_GUEST_USERS:%=build/cli/%): CLI_FLAGS += -Ilib

# Linux's headers define its boot protocol, its type information and the attributes of its scheduler. They are not in
# musl's folder.
build/cli/cli/restart/plan.o build/cli/cli/common/btf.o build/cli/cli/command/guest/slice.o: CLI_FLAGS += -idirafter /usr/include -idirafter /usr/include/x86_64-linux-gnu
# The headers of SocketCAN are there, too.
build/cli/cli/command/proxy/can.o: CLI_FLAGS += -idirafter /usr/include -idirafter /usr/include/x86_64-linux-gnu
build/cli/cli/restart/code.o: build/restart/restart.bin

# `limpet update` calls a component through the generated header of its interface.
build/cli/cli/command/update/send.o: CLI_FLAGS += -Ibuild/interfaces
build/cli/test/cli/command/update/send.o: CLI_TEST_FLAGS += -Ibuild/interfaces
build/cli/cli/command/update/send.o build/cli/test/cli/command/update/send.o: build/interfaces/.made

build/cli/cli/command/exporter/live.o build/cli/test/cli/command/exporter/live.o: cli/command/exporter/live.html

# The stub that calls the supervisor's interface is generated.
DEBUG_STUB := cli/command/debug/target.o
$(DEBUG_STUB:%=build/cli/%): CLI_FLAGS += -Ibuild/interfaces
$(DEBUG_STUB:%=build/cli/test/%): CLI_TEST_FLAGS += -Ibuild/interfaces
$(DEBUG_STUB:%=build/cli/%) $(DEBUG_STUB:%=build/cli/test/%): build/interfaces/.made

# packaging/version.mk reads the version and its date from the packages' changelog.
build/cli/cli/main.o: CLI_FLAGS += -DLIMPET_VERSION='"$(LIMPET_VERSION), $(LIMPET_DATE)"'
build/cli/cli/main.o: $(CHANGELOG)

-include $(CLI_OBJECTS:.o=.d)

# liblimpet: the library of programs that talk to components, built with this machine's own compiler.
#   build/lib/liblimpet.a, .so   the library; `make install` puts it, its headers and its .pc file in place
LIMPET_SO := 0
# The rest of the folder is the command's own.
CLIENT_OWN := ring
CLIENT_SOURCES := $(filter-out $(CLIENT_OWN:%=cli/client/%.c),$(wildcard cli/client/*.c))
CLIENT_OBJECTS := $(CLIENT_SOURCES:%.c=build/lib/client/%.o)

build/lib/liblimpet.a: $(CLIENT_OBJECTS)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

build/lib/liblimpet.so.$(LIMPET_SO): $(CLIENT_OBJECTS)
	$(Q)$(CC) -shared -Wl,-soname,$(@F) -o $@ $^

build/lib/client/%.o: %.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(CLI_FLAGS) -fPIC -MMD -MP -c $< -o $@

-include $(CLIENT_OBJECTS:.o=.d)

# The other parts of the command do not use a terminal library.
SCREEN_FLAGS := -std=c11 -D_GNU_SOURCE -D_XOPEN_SOURCE_EXTENDED -O2 -g $(CLI_WARN) $(CLI_INCLUDE)
SCREEN_SOURCES := $(wildcard cli/command/top/*.c) \
	$(patsubst %,cli/common/%.c,fault image json report snapshot system text) cli/client/device.c $(IMAGE_CHECK)
SCREEN_OBJECTS := $(filter-out build/cli/screen/cli/command/top/command.o,$(SCREEN_SOURCES:%.c=build/cli/screen/%.o))

build/cli/limpet-top: $(SCREEN_OBJECTS)
	@echo "command limpet-top"
	$(Q)$(CC) -static -o $@ $^ -lncursesw -ltinfo

build/cli/screen/%.o: %.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(SCREEN_FLAGS) -MMD -MP -c $< -o $@

-include $(SCREEN_OBJECTS:.o=.d)

# The bridge is built only if DDS is installed.
BRIDGE := $(if $(wildcard /usr/include/dds/dds.h),build/cli/limpet-bridge)
BRIDGE_FLAGS := -std=c11 -D_GNU_SOURCE -O2 -g $(CLI_WARN) $(CLI_INCLUDE)
BRIDGE_OBJECTS := $(patsubst %.c,build/cli/bridge/%.o,$(BRIDGE_SOURCES) $(patsubst %,cli/common/%.c,json report text))

build/cli/limpet-bridge: $(BRIDGE_OBJECTS)
	@echo "command limpet-bridge"
	$(Q)$(CC) -o $@ $^ -lddsc

build/cli/bridge/%.o: %.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(BRIDGE_FLAGS) -MMD -MP -c $< -o $@

-include $(BRIDGE_OBJECTS:.o=.d)

# Unit tests: compiled for this machine with sanitizers, apart from the command's own objects.
CLI_TESTS := $(patsubst tests/unit/cli/test_%.c,%,$(wildcard tests/unit/cli/test_*.c))
CLI_TEST_FLAGS := -std=c11 -D_GNU_SOURCE -O1 -g $(CLI_WARN) $(CLI_INCLUDE) -Itests/unit/cli \
	-fsanitize=address,undefined -fno-sanitize-recover=all
CLI_TEST_SOURCES := $(filter-out cli/main.c,$(CLI_SOURCES)) $(IMAGE_CHECK) \
	tests/unit/cli/json_check.c tests/unit/cli/metrics_check.c
CLI_TEST_OBJECTS := $(CLI_TEST_SOURCES:%.c=build/cli/test/%.o) \
	build/cli/test/cli/restart/code.o build/cli/test/cli/command/exporter/live.o $(CLI_GUEST:%=build/cli/test/%)

CLI_TEST_PROGRAMS := $(CLI_TESTS:%=build/cli/test/test_%)
UNIT_PROGRAMS += $(CLI_TEST_PROGRAMS)
unit-python: build/cli/limpet build/cli/limpet-top build/cli/test/top_screen build/cli/test/report_page $(BRIDGE)

-include build/cli/screen/tests/unit/cli/top_screen.d

# For a terminal that the test reads.
build/cli/test/top_screen: build/cli/screen/tests/unit/cli/top_screen.o \
		$(filter-out build/cli/screen/cli/command/top/main.o,$(SCREEN_OBJECTS))
	$(Q)$(CC) -static -o $@ $^ -lncursesw -ltinfo

# Writes reports of made-up systems for test_report.py.
build/cli/test/report_page: build/cli/test/tests/unit/cli/report_page.o $(CLI_TEST_OBJECTS)
	$(Q)$(CC) -fsanitize=address,undefined -pthread -o $@ $^ -lcmocka -lm

-include build/cli/test/tests/unit/cli/report_page.d

check-cli: $(CLI_TEST_PROGRAMS) build/cli/limpet build/cli/limpet-top build/cli/test/top_screen \
		build/cli/test/report_page
	@for test in $(CLI_TEST_PROGRAMS); do $$test || exit 1; done
	@/usr/bin/python3 -m pytest -q -p no:cacheprovider tests/unit/cli

build/cli/test/test_%: build/cli/test/tests/unit/cli/test_%.o $(CLI_TEST_OBJECTS)
	$(Q)$(CC) -fsanitize=address,undefined -pthread $(LINK_WITH) -o $@ $^ -lcmocka -lm

build/cli/test/test_update: | build/systems/call.limpet
build/cli/test/test_tun build/cli/test/test_channel: LINK_WITH := -Wl,--wrap=ioctl
build/cli/test/test_guest_device: LINK_WITH := -Wl,--wrap=ioctl,--wrap=open
build/cli/test/test_holder: LINK_WITH := -Wl,--wrap=stat,--wrap=fstatat
build/cli/test/test_unload: LINK_WITH := -Wl,--wrap=stat,--wrap=fstatat,--wrap=syscall,--wrap=seconds_now,--wrap=nanosleep
FINISH_WRAP := snapshot_read_from snapshot_release snapshot_failed image_header image_channel image_string \
	image_component image_component_name limpet_stat limpet_stat_free seconds_now limpet_channel_open \
	limpet_channel_close limpet_channel_memory limpet_channel_notify limpet_channel_wait
build/cli/test/test_finish: LINK_WITH := $(FINISH_WRAP:%=-Wl,--wrap=%)
$(CLI_GUEST_USERS:%=build/cli/test/%): CLI_TEST_FLAGS += -Ilib

build/cli/test/cli/restart/code.o: build/restart/restart.bin

build/cli/test/%.o: %.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(CLI_TEST_FLAGS) -MMD -MP -c $< -o $@

build/cli/test/%.o: %.S
	@mkdir -p $(@D)
	$(Q)$(CC) $(CLI_INCLUDE) -c $< -o $@

-include $(CLI_TEST_OBJECTS:.o=.d) $(CLI_TESTS:%=build/cli/test/tests/unit/cli/test_%.d)

.PHONY: check-cli
.SECONDARY: $(CLI_TEST_OBJECTS) $(CLI_TESTS:%=build/cli/test/tests/unit/cli/test_%.o)
