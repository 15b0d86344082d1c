# SPDX-License-Identifier: GPL-2.0
# The version and its date are those of the first entry of the packages' changelog.

CHANGELOG := packaging/debian/changelog
LIMPET_VERSION := $(shell sed -n '1s/^.*(\(.*\)).*$$/\1/p' $(CHANGELOG))
LIMPET_DATE := $(shell date -u -I -d "$$(sed -n 's/^ -- .*>  //p' $(CHANGELOG) | head -n 1)")
