/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Turns SIGINT (Ctrl+C) into a request to stop computing. Private to src/cli. */

#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct _AttnCliInterrupt AttnCliInterrupt;

AttnCliInterrupt *attn_cli_interrupt_new  (GCancellable     *cancellable);
void              attn_cli_interrupt_free (AttnCliInterrupt *interrupt);

G_END_DECLS
