/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The inputs of a subcommand that computes without a study: `compute` and `generate`. Private to
 * src/cli. */

#pragma once

#include "attn-cli-options.h"

G_BEGIN_DECLS

gboolean   attn_cli_inputs_is_written   (const AttnCliOptions *options,
                                         gsize                 input);
gsize      attn_cli_inputs_count        (const AttnCliOptions *options);
GPtrArray *attn_cli_inputs_tokenize     (const AttnCliOptions *options,
                                         AttnModel            *model,
                                         gssize                n_answer,
                                         GPtrArray           **models,
                                         GError              **error);
void       attn_cli_inputs_bind_patches (const GPtrArray      *inputs,
                                         const GPtrArray      *models,
                                         GPtrArray            *interventions);

G_END_DECLS
