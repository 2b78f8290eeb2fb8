/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Writes the outputs that -o names to files or standard output. Private to src/cli. */

#pragma once

#include "attn-cli-options.h"

G_BEGIN_DECLS

gboolean attn_cli_output_set_format (AttnCliOptions       *options,
                                     const char           *usual,
                                     GError              **error);
gboolean attn_cli_output_check      (const AttnCliOptions *options,
                                     GError              **error);
gboolean attn_cli_output_begin      (const char           *subcommand,
                                     const AttnCliOptions *options,
                                     int                  *status);
gboolean attn_cli_output_write      (const AttnCliTarget  *target,
                                     GBytes               *bytes,
                                     GError              **error);

G_END_DECLS
