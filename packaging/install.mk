# SPDX-License-Identifier: GPL-2.0
# Rules for `make install [PREFIX=/usr/local] [DESTDIR=] [PARTS="command bridge library development python"]`, for
# `make uninstall` with the same variables, and for `make deb`. `make deb` uses `make install` with other folders, so
# this file has the only list of files.
#
#   command        the command, its man pages and completions, udev rule, systemd units, limpet.conf
#   bridge         the program of `limpet bridge` with its man page and unit, where it is built: cli/build.mk
#   library        the shared liblimpet, which programs need to run
#   development    the headers and libraries that programs need to be built with liblimpet
#   python         the Python package
#   module         the sources from which DKMS builds the module. No part has a built module, because that belongs to
#                  one kernel: `make module` builds it
#   kit            composer, component builder, interfaces, libraries, components and the harness
#   documentation  the site that `make docs` builds

PREFIX ?= /usr/local
DESTDIR ?=
LIBDIR ?= $(PREFIX)/lib
CONFIGURATION ?= /etc/limpet
UDEV_RULES ?= /etc/udev/rules.d
UNITS ?= $(PREFIX)/lib/systemd/system
PYTHON_PACKAGES ?= $(PREFIX)/lib/python3/dist-packages
PARTS ?= command $(if $(BRIDGE),bridge) library development python

BRIDGE_MAN := cli/man/limpet-bridge.1
BRIDGE_UNIT := limpet-bridge@.service

# The targets that each part needs before its installation.
BUILT_command := cli
BUILT_bridge := $(BRIDGE)
BUILT_library := liblimpet
BUILT_development := liblimpet
BUILT_kit := components systems schema build/tools/image-check
BUILT_documentation := docs

# The folder of generated files, which depend on PREFIX, and of links.
MADE := build/install

ifneq ($(filter install uninstall deb,$(MAKECMDGOALS)),)
# $(call files,PART,KIND,FOLDER,FILES) puts files into a folder. KIND is file, program, link (copied as a link), or
# configuration (never overwritten, and removed only if it is unchanged).
files = $(foreach file,$(4),$(eval FILES_$(1) += $(2):$(strip $(3)):$(file)))
# $(call tree,PART,KIND,FOLDER,FILES) puts files into the same folders below FOLDER.
tree = $(foreach entry,$(4),$(call files,$(1),$(2),$(strip $(3))/$(dir $(entry)),$(entry)))

$(call files,command,program,$(PREFIX)/bin,build/cli/limpet build/cli/limpet-top)
$(call files,bridge,program,$(PREFIX)/bin,$(BRIDGE))
$(call files,bridge,file,$(PREFIX)/share/man/man1,$(BRIDGE_MAN))
$(call files,bridge,file,$(UNITS),$(MADE)/$(BRIDGE_UNIT))
$(call files,command,file,$(PREFIX)/share/man/man1,$(filter-out $(BRIDGE_MAN),$(wildcard cli/man/*.1)))
$(call files,command,file,$(PREFIX)/share/man/man5,$(wildcard cli/man/*.5))
$(call files,command,file,$(PREFIX)/share/bash-completion/completions,packaging/completion/limpet)
$(call files,command,file,$(PREFIX)/share/zsh/vendor-completions,packaging/completion/_limpet)
$(call files,command,file,$(PREFIX)/share/fish/vendor_completions.d,packaging/completion/limpet.fish)
$(call files,command,file,$(PREFIX)/share/limpet/grafana,packaging/grafana/limpet.json)
$(call files,command,file,$(UDEV_RULES),packaging/udev/60-limpet.rules)
$(call files,command,file,$(UNITS),$(filter-out %/$(BRIDGE_UNIT),$(patsubst packaging/systemd/%,$(MADE)/%,$(wildcard packaging/systemd/*))))
$(call files,command,configuration,$(CONFIGURATION),packaging/limpet.conf)
$(call files,command,file,$(CONFIGURATION)/systems,packaging/systems/README)

$(call files,library,file,$(LIBDIR),build/lib/liblimpet.so.$(LIMPET_SO))

# Headers keep their folders, so that programs include them as sources of this tree do.
INSTALL_HEADERS := $(wildcard include/limpet/*.h) shared/channel/end.h $(wildcard cli/client/rtlinux/*.h) \
	$(CLIENT_SOURCES:.c=.h)
$(foreach file,$(INSTALL_HEADERS),$(call files,development,file,\
	$(PREFIX)/include/liblimpet/$(patsubst %/,%,$(dir $(patsubst include/%,%,$(patsubst cli/%,%,$(file))))),$(file)))
$(call files,development,file,$(PREFIX)/share/man/man3,$(wildcard cli/man/*.3))
$(call files,development,file,$(LIBDIR),build/lib/liblimpet.a)
$(call files,development,link,$(LIBDIR),$(MADE)/liblimpet.so)
$(call files,development,file,$(LIBDIR)/pkgconfig,$(MADE)/limpet.pc)

$(call files,python,file,$(PYTHON_PACKAGES)/limpet,$(wildcard python/limpet/*.py) python/limpet/py.typed)

# DKMS requires the version in the folder's name.
MODULE_FOLDER := $(PREFIX)/src/limpet-$(LIMPET_VERSION)
$(call files,module,file,$(MODULE_FOLDER),packaging/dkms/Makefile)
$(call tree,module,file,$(MODULE_FOLDER),$(filter-out %.md,$(shell find entry hal/*.[ch] hal/x86 host include kernel shared -type f)))

# The kit has the folders of this tree, so its tools work as they do here. Built files depend on the processor, so they
# are not below share/.
KIT := $(PREFIX)/share/limpet/sdk
KIT_BUILD := $(PREFIX)/lib/limpet/sdk
KIT_TREE := find components include interfaces lib shared systems tests/harness tools/compose tools/kit tools/limpet-* -type f -not -name '*.pyc'
$(call tree,kit,file,$(KIT),$(shell $(KIT_TREE) -not -perm -u+x))
$(call tree,kit,program,$(KIT),$(shell $(KIT_TREE) -perm -u+x))
$(call files,kit,link,$(KIT),$(MADE)/sdk/build)
$(call files,kit,file,$(KIT),$(SCHEMA))
# The tools read their version there.
$(call files,kit,file,$(KIT)/packaging/debian,$(CHANGELOG))
# The tools with a man page of their own are commands. `limpet` calls the others.
$(call files,kit,link,$(PREFIX)/bin,$(patsubst tools/compose/%.1,$(MADE)/bin/%,$(wildcard tools/compose/*.1)))
$(call files,kit,file,$(PREFIX)/share/man/man1,$(wildcard tools/compose/*.1))
$(call files,kit,file,$(KIT_BUILD)/lib,$(RUNTIME))
$(call files,kit,file,$(KIT_BUILD)/lib/include/guest,build/lib/include/guest/numbers.h)
$(call files,kit,file,$(KIT_BUILD)/components,$(foreach file,$(wildcard components/*/component.toml components/*/*/component.toml),\
	build/components/$(notdir $(file:%/component.toml=%)).o))
$(call files,kit,file,$(KIT_BUILD)/systems,$(SYSTEM_IMAGES))
$(call files,kit,program,$(KIT_BUILD)/tools,build/tools/image-check)

# The site's files are known only after BUILT_documentation.
FILES_documentation = $(shell cd $(SITE) && find * -type f | \
	sed 's|^\(.*/\)\?[^/]*$$|file:$(PREFIX)/share/doc/limpet-doc/html/\1:$(SITE)/&|')
endif

define NEWLINE


endef

install: $(MADE)/list	## install PARTS to PREFIX: packaging/install.mk
	$(Q)packaging/install-files install "$(DESTDIR)" <$<

uninstall: $(MADE)/list	## remove what `make install` with the same variables has installed
	$(Q)packaging/install-files uninstall "$(DESTDIR)" <$<

$(MADE)/list: $(foreach part,$(PARTS),$(BUILT_$(part))) install-made
	$(file >$@,$(subst $() $(),$(NEWLINE),$(strip $(foreach part,$(PARTS),$(FILES_$(part))))))
	$(Q)test -s $@

install-made:
	@mkdir -p $(MADE)/bin $(MADE)/sdk
	$(Q)for unit in packaging/systemd/*; do \
		sed 's|/usr/local/|$(PREFIX)/|; s|/etc/limpet|$(CONFIGURATION)|' $$unit >$(MADE)/$${unit##*/}; done
	$(Q)sed 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(LIBDIR)|; s|@VERSION@|$(LIMPET_VERSION)|' packaging/pkgconfig/limpet.pc.in \
		>$(MADE)/limpet.pc
	$(Q)ln -sfn liblimpet.so.$(LIMPET_SO) $(MADE)/liblimpet.so
	$(Q)ln -sfn ../../../lib/limpet/sdk $(MADE)/sdk/build
	$(Q)for tool in tools/limpet-*; do ln -sfn ../share/limpet/sdk/$$tool $(MADE)/bin/$${tool##*/}; done

liblimpet: build/lib/liblimpet.a build/lib/liblimpet.so.$(LIMPET_SO)

# Makes the packages in build/, so that no generated files are in the tree.
DEBS := build/debs
deb: cli liblimpet $(BUILT_kit) docs	## make the Debian packages in build/debs, and check them with lintian
	$(Q)rm -rf build/packages-made $(DEBS) && mkdir -p build/packages-made $(DEBS)
	$(Q)cp -a packaging/debian build/packages-made/debian
	$(Q)cd build/packages-made && dpkg-checkbuilddeps -I && debian/rules binary >log 2>&1 || { tail -n 40 log; exit 1; }
	$(Q)lintian --fail-on error --tag-display-limit 0 $(DEBS)/*.deb
	@ls $(DEBS)

.PHONY: install uninstall install-made liblimpet deb
