/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Facts about a model at a glance, which `info` prints and the window shows. */

#pragma once

#include "attn-model.h"

G_BEGIN_DECLS

/**
 * AttnFactKind:
 * @ATTN_FACT_TEXT: a name, or nothing
 * @ATTN_FACT_WORDS: words, untranslated: pass them through gettext where people read them
 * @ATTN_FACT_COUNT: a number
 * @ATTN_FACT_BYTES: a number of bytes
 * @ATTN_FACT_FLAG: yes or no
 */
typedef enum
{
  ATTN_FACT_TEXT,
  ATTN_FACT_WORDS,
  ATTN_FACT_COUNT,
  ATTN_FACT_BYTES,
  ATTN_FACT_FLAG,
} AttnFactKind;

/**
 * AttnFact:
 * @name: as the JSON of `info` has it, such as "key_value_heads"
 * @title: as the window has it, untranslated: pass it through gettext; %NULL for what is of use to
 *   programs only
 * @text: (nullable): of %ATTN_FACT_TEXT, %NULL where the model has none of it; of %ATTN_FACT_WORDS
 * @number: of the other kinds
 */
typedef struct
{
  const char *name;
  const char *title;
  AttnFactKind kind;
  char *text;
  guint64 number;
} AttnFact;

GPtrArray *attn_model_list_facts (const AttnModel        *model,
                                  AttnTokenizerOutlining *outlining);
void       attn_fact_free        (AttnFact *fact);

G_END_DECLS
