# SPDX-License-Identifier: GPL-2.0
# `make install [PREFIX=/usr/local] [DESTDIR=]`: the command, its pages, liblimpet, the Python package, the udev
# rule, the exporter's unit. Not the module, which belongs to one kernel: `make module`.

PREFIX ?= /usr/local
DESTDIR ?=
UDEV_RULES ?= /etc/udev/rules.d
UNITS ?= $(PREFIX)/lib/systemd/system
PYTHON_PACKAGES ?= $(PREFIX)/lib/python3/dist-packages
LIMPET_VERSION := 0.1

INSTALL_HEADERS := $(wildcard include/limpet/*.h) shared/channel/end.h cli/client/rtlinux/mbuff.h \
	$(CLIENT_SOURCES:.c=.h)
INSTALL_INCLUDE := $(DESTDIR)$(PREFIX)/include/liblimpet
# Where each header's own folder is, so that programs write what they write in this tree.
INSTALL_AT = $(INSTALL_INCLUDE)/$(patsubst include/%,%,$(patsubst cli/%,%,$(1)))

install: cli liblimpet	## install command, man pages, liblimpet, Python package, udev rule, unit to PREFIX
	$(Q)install -D -m 755 -t $(DESTDIR)$(PREFIX)/bin build/cli/limpet build/cli/limpet-top
	$(Q)install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/man/man1 $(wildcard cli/man/*.1)
	$(Q)install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/man/man3 $(wildcard cli/man/*.3)
	$(Q)install -D -m 644 -t $(DESTDIR)$(PREFIX)/lib build/lib/liblimpet.a
	$(Q)install -D -m 755 -t $(DESTDIR)$(PREFIX)/lib build/lib/liblimpet.so.$(LIMPET_SO)
	$(Q)ln -sf liblimpet.so.$(LIMPET_SO) $(DESTDIR)$(PREFIX)/lib/liblimpet.so
	$(Q)$(foreach h,$(INSTALL_HEADERS),install -D -m 644 $(h) $(call INSTALL_AT,$(h)) &&) true
	$(Q)mkdir -p $(DESTDIR)$(PREFIX)/lib/pkgconfig
	$(Q)sed 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(LIMPET_VERSION)|' packaging/pkgconfig/limpet.pc.in \
		>$(DESTDIR)$(PREFIX)/lib/pkgconfig/limpet.pc
	$(Q)install -D -m 644 -t $(DESTDIR)$(PYTHON_PACKAGES)/limpet $(wildcard python/limpet/*.py) python/limpet/py.typed
	$(Q)install -D -m 644 -t $(DESTDIR)$(UDEV_RULES) packaging/udev/60-limpet.rules
	$(Q)mkdir -p $(DESTDIR)$(UNITS)
	$(Q)sed 's|/usr/local/|$(PREFIX)/|' packaging/systemd/limpet-exporter.service >$(DESTDIR)$(UNITS)/limpet-exporter.service

liblimpet: build/lib/liblimpet.a build/lib/liblimpet.so.$(LIMPET_SO)

.PHONY: install liblimpet
