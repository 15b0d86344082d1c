# SPDX-License-Identifier: GPL-2.0
"""Figures of Limpet and of the Linux on the same machine, measured in the same boot."""
