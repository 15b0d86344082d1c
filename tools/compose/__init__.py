# SPDX-License-Identifier: BSD-2-Clause
"""limpet-compose: from a system description to an image, a report and a picture."""
