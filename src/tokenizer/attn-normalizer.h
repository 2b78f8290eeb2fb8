/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The stage that makes texts alike before they are cut: composed accents, lower case,
 * replacements. */

#pragma once

#include <json-glib/json-glib.h>

#include "attn-mapped-text.h"

G_BEGIN_DECLS

typedef struct _AttnNormalizer AttnNormalizer;

AttnNormalizer *attn_normalizer_new   (JsonNode              *node,
                                       const char            *where,
                                       GError               **error);
void            attn_normalizer_free  (AttnNormalizer        *normalizer);
gboolean        attn_normalizer_apply (const AttnNormalizer  *normalizer,
                                       AttnMappedText        *text,
                                       GError               **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnNormalizer, attn_normalizer_free)

G_END_DECLS
