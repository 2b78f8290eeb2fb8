/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads tokens from a checkpoint's generation_config.json, above all those that end an answer. */

#pragma once

#include "attn-model.h"

G_BEGIN_DECLS

gboolean attn_model_list_tokens     (const AttnModel  *model,
                                     const char       *member,
                                     GArray           *ids,
                                     GError          **error);
gboolean attn_model_list_single_tokens (const AttnModel *model,
                                     const char       *member,
                                     GArray           *ids,
                                     GError          **error);
gboolean attn_model_list_end_tokens (const AttnModel  *model,
                                     GArray          **ids,
                                     GError          **error);

G_END_DECLS
