# SPDX-License-Identifier: GPL-2.0
"""Figures of Limpet and of the Linux beside it, measured in the same boot."""
