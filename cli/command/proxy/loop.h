/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CLI_PROXY_LOOP_H
#define CLI_PROXY_LOOP_H

#include <cli/command/proxy/serve.h>

/*
 * Notifies the component that a proxy has started, and answers the component's requests until its side of the channel
 * ends. Returns 0 at that end, or a negative errno. `channel` is the open node in non-blocking mode.
 */
int loop_serve(struct serve *server, int channel);

#endif
