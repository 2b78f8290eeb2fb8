/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The model of a tokenizer.json. */

#pragma once

#include <json-glib/json-glib.h>

#include "attn-subword.h"
#include "attn-vocabulary.h"

G_BEGIN_DECLS

AttnSubword *attn_subword_new_from_json (JsonNode        *node,
                                         AttnJsonWalk    *pieces,
                                         AttnJsonWalk    *merges,
                                         gboolean         is_byte_level,
                                         AttnVocabulary  *vocabulary,
                                         GError         **error);
gboolean     attn_subword_outline_json  (JsonNode        *node,
                                         AttnJsonWalk    *pieces,
                                         AttnJsonWalk    *merges,
                                         gboolean         is_byte_level,
                                         const char     **kind,
                                         gsize           *n_ids,
                                         GError         **error);

G_END_DECLS
