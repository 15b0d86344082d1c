# SPDX-License-Identifier: BSD-2-Clause
"""Talk to Limpet's components through channels: see limpet.channel."""

from .channel import Channel, Info, Mode

__all__ = ["Channel", "Info", "Mode"]
