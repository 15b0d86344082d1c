# SPDX-License-Identifier: BSD-2-Clause
# The documentation site; included by the top Makefile.

SITE := build/docs/html
SITE_STATE := build/docs/doctrees

# Sphinx fails at a broken link, a missing image, and a page that docs/index.md does not list. The check reads the HTML.
# Sphinx does not repeat its warnings about unchanged pages, so its state is removed after a failure.
docs:	## build the documentation site build/docs/html and check its links
	$(Q){ $(PYTHON) -m sphinx -q -W --keep-going -b html -c docs/site -d $(SITE_STATE) . $(SITE) && \
		$(PYTHON) docs/site/check.py $(SITE); } || { rm -rf $(SITE_STATE); exit 1; }

.PHONY: docs
