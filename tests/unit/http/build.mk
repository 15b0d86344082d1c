# SPDX-License-Identifier: BSD-2-Clause
# The HTTP server's components, and the TCP sink, on the build machine: the parser alone, and as programs on
# POSIX sockets, which real clients talk to (test_server.py).

HUNIT := build/unit/http
HUNIT_FLAGS := -std=gnu11 -O1 -g -Wall -Wextra -Werror -DLIMPET_FAKE_KERNEL -Iinclude -Ilib -Ishared -I$(HUNIT) \
	-Ibuild/interfaces -pthread -fsanitize=address,undefined -fno-sanitize-recover=all -MMD -MP
UNIT_PROGRAMS += $(HUNIT)/request_test $(HUNIT)/store_test
unit-python: $(HUNIT)/server $(HUNIT)/sink

# Interfaces under the names of the components' imports.
$(HUNIT)/import/count.h: interfaces/http_figures/interface.toml
$(HUNIT)/import/files.h $(HUNIT)/import/live.h: interfaces/content/interface.toml
HUNIT_IMPORTS := $(patsubst %,$(HUNIT)/import/%.h,count files live)
$(HUNIT_IMPORTS): $(COMPOSE_FILES)
	@$(PYTHON) -B -m tools.compose.interface $(filter %.toml,$^) --prefix $(basename $(@F)) --client $@

# In one program each component's functions have names of their own. $(1): component, $(2): prefix
define HUNIT_COMPONENT
$(HUNIT)/components/demo/$(1)/%.o: HUNIT_FLAGS += -Icomponents/demo/$(1) \
	$(foreach f,component_init component_main content_serve_open content_serve_find,-D$(f)=$(2)_$(f))
HUNIT_$(2) := $(patsubst %,$(HUNIT)/%.o,$(wildcard components/demo/$(1)/*.c))
endef
$(eval $(call HUNIT_COMPONENT,http.accept,accept))
$(eval $(call HUNIT_COMPONENT,http.parse,parse))
$(eval $(call HUNIT_COMPONENT,http.files,files))
$(eval $(call HUNIT_COMPONENT,http.status,live))
$(eval $(call HUNIT_COMPONENT,tcp.sink,sink))

HUNIT_COMMON := $(patsubst %,$(HUNIT)/%.c.o,tests/unit/http/posix tests/unit/http/machine lib/socket/server lib/http/share \
	lib/http/store \
	$(patsubst %,lib/runtime/%,argument format text info histogram archive))
$(HUNIT)/server: $(HUNIT)/tests/unit/http/server.c.o $(HUNIT_accept) $(HUNIT_parse) $(HUNIT_files) $(HUNIT_live) \
	$(HUNIT_COMMON)
$(HUNIT)/sink: $(HUNIT)/tests/unit/http/sink.c.o $(HUNIT_sink) $(HUNIT_COMMON)
$(HUNIT)/tests/unit/http/request_test.c.o: HUNIT_FLAGS += -Icomponents/demo/http.parse
$(HUNIT)/request_test: $(HUNIT)/tests/unit/http/request_test.c.o \
	$(patsubst %,$(HUNIT)/components/demo/http.parse/%.c.o,request fields target)
$(HUNIT)/store_test: $(patsubst %,$(HUNIT)/%.c.o,tests/unit/http/store_test lib/http/share lib/http/store)
$(HUNIT)/server $(HUNIT)/sink $(HUNIT)/request_test $(HUNIT)/store_test:
	$(CC) -fsanitize=address,undefined -pthread -o $@ $^ -lcmocka

$(HUNIT)/%.o: % build/interfaces/.made $(HUNIT_IMPORTS)
	@mkdir -p $(@D)
	$(CC) $(HUNIT_FLAGS) -c $< -o $@

-include $(wildcard $(HUNIT)/*/*/*.d $(HUNIT)/*/*/*/*.d)
.PRECIOUS: $(HUNIT)/%.o
