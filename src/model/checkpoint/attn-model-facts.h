/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Facts about a model, such as its family and number of layers, which the command `info` prints and
 * the window lists. */

#pragma once

#include "attn-model.h"

G_BEGIN_DECLS

/**
 * AttnFactKind:
 * @ATTN_FACT_TEXT: a name, such as "gpt2"; may be missing
 * @ATTN_FACT_WORDS: English words; pass them through gettext before people read them
 * @ATTN_FACT_COUNT: a number
 * @ATTN_FACT_BYTES: a number of bytes
 * @ATTN_FACT_FLAG: yes or no
 *
 * The kind of a fact's value.
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
 * @name: as the JSON output of the command `info` has it, such as "key_value_heads"
 * @title: as the window calls it, in English: pass it through gettext; %NULL for a fact that is of
 *   use to programs only
 * @text: (nullable): the value, for %ATTN_FACT_WORDS and %ATTN_FACT_TEXT; %NULL where the model has
 *   none, as a model without a tokenizer
 * @number: the value, for the other kinds
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
