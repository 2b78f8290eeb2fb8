/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Byte-pair encoding. */

#pragma once

#include <json-glib/json-glib.h>

#include "attn-subword.h"
#include "attn-vocabulary.h"

G_BEGIN_DECLS

AttnSubword *attn_bpe_new (JsonObject            *object,
                           const char            *where,
                           const AttnVocabulary  *vocabulary,
                           GError               **error);

G_END_DECLS
