/* SPDX-License-Identifier: GPL-3.0-or-later */

/* `render --sweep`: writes a figure for each of several values of ε. Private to src/cli. */

#pragma once

#include "attn-cli-options.h"
#include "attn-sweep.h"

G_BEGIN_DECLS

void      attn_cli_sweep_add_entry (GArray             *entries,
                                 char                 **range);
gboolean  attn_cli_sweep_check  (const char            *text,
                                 const AttnCliOptions  *options,
                                 AttnSweepRange        *range,
                                 GError               **error);
gboolean  attn_cli_sweep_write  (const AttnStudy       *study,
                                 const AttnSweepRange  *range,
                                 const AttnCliOptions  *options,
                                 GError               **error);

G_END_DECLS
