/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Checks that each option of a command line has an effect. Private to src/cli. */

#pragma once

#include "attn-cli-options.h"

G_BEGIN_DECLS

gboolean attn_cli_check_effects       (const AttnStudy       *study,
                                       const AttnCliOptions  *options,
                                       GError               **error);
gboolean attn_cli_check_inputs        (const AttnModelReference *model,
                                       const GPtrArray       *inputs,
                                       const AttnCliOptions  *options,
                                       GError               **error);
gboolean attn_cli_check_settings      (const AttnStudy       *study,
                                       const AttnCliOptions  *options,
                                       GError               **error);

G_END_DECLS
