/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * debian/rules generates this file for Lua: a part of the path for modules. There are no modules
 * here.
 */
#define DEB_HOST_MULTIARCH "x86_64-linux-musl"
