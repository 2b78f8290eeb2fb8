/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The stage that normalizes a text before it is cut into words: composes accents, lowercases,
 * replaces. */

#pragma once

#include <json-glib/json-glib.h>

#include "attn-charsmap.h"
#include "attn-mapped-text.h"

G_BEGIN_DECLS

/**
 * AttnBertOptions:
 * @cleans_text: control characters are dropped, each white-space character becomes a space
 * @spaces_chinese: Chinese characters are words of their own
 * @strips_accents: accents are dropped
 * @lowercases: letters become lower case
 */
typedef struct
{
  gboolean cleans_text;
  gboolean spaces_chinese;
  gboolean strips_accents;
  gboolean lowercases;
} AttnBertOptions;

typedef struct _AttnNormalizer AttnNormalizer;

AttnNormalizer *attn_normalizer_new             (JsonNode               *node,
                                                 const char             *where,
                                                 GError                **error);
void            attn_normalizer_free            (AttnNormalizer         *normalizer);
void            attn_normalizer_append_bert     (AttnNormalizer         *normalizer,
                                                 const AttnBertOptions  *options);
void            attn_normalizer_append_form     (AttnNormalizer         *normalizer,
                                                 GNormalizeMode          mode);
void            attn_normalizer_append_charsmap (AttnNormalizer         *normalizer,
                                                 AttnCharsmap           *charsmap);
void            attn_normalizer_append_replace  (AttnNormalizer         *normalizer,
                                                 const char             *pattern,
                                                 const char             *content);
gboolean        attn_normalizer_apply           (const AttnNormalizer   *normalizer,
                                                 AttnMappedText         *text,
                                                 GError                **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnNormalizer, attn_normalizer_free)

G_END_DECLS
