/* SPDX-License-Identifier: BSD-2-Clause */
/* What debian/rules writes when it builds Lua: part of a path for modules, of which there are none. */
#define DEB_HOST_MULTIARCH "x86_64-linux-musl"
