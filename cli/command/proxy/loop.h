/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CLI_PROXY_LOOP_H
#define CLI_PROXY_LOOP_H

#include <cli/command/proxy/serve.h>

/*
 * Tells the component that a proxy begins, and answers its requests until the channel's other side is gone.
 * Returns 0 then, or a negative errno. `channel` is the node, not blocking.
 */
int loop_serve(struct serve *server, int channel);

#endif
