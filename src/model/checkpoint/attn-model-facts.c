/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-model-facts.h"

#include <glib/gi18n-lib.h>

static void
free_fact (gpointer fact)
{
  attn_fact_free (fact);
}

static void
add (GPtrArray    *facts,
     const char   *name,
     const char   *title,
     AttnFactKind  kind,
     const char   *text,
     guint64       number)
{
  AttnFact *fact = g_new (AttnFact, 1);

  *fact = (AttnFact) { name, title, kind, g_strdup (text), number };
  g_ptr_array_add (facts, fact);
}

static void
add_text (GPtrArray  *facts,
          const char *name,
          const char *title,
          const char *text)
{
  add (facts, name, title, ATTN_FACT_TEXT, text, 0);
}

static void
add_count (GPtrArray  *facts,
           const char *name,
           const char *title,
           guint64     number)
{
  add (facts, name, title, ATTN_FACT_COUNT, NULL, number);
}

static void
add_bytes (GPtrArray  *facts,
           const char *name,
           const char *title,
           guint64     number)
{
  add (facts, name, title, ATTN_FACT_BYTES, NULL, number);
}

static void
add_tokenizer (GPtrArray       *facts,
               const AttnModel *model)
{
  g_autoptr (GError) error = NULL;
  AttnTokenizerOutline outline = { 0 };
  gboolean has_tokenizer = attn_model_outline_tokenizer (model, &outline, &error);

  add_text (facts, "tokenizer", N_("Tokenizer"),
            has_tokenizer ? outline.kind : NULL);
  if (has_tokenizer)
    add_count (facts, "tokenizer_vocabulary", NULL, outline.size);
  else
    add_text (facts, "tokenizer_error", N_("Why"), error->message);
}

/**
 * attn_model_list_facts:
 *
 * Returns: (transfer full) (element-type AttnFact): name, shape, tokenizer, size, the memory that
 *   an input of 128 and of 1024 tokens needs, and the fingerprint
 */
GPtrArray *
attn_model_list_facts (const AttnModel *model)
{
  GPtrArray *facts = g_ptr_array_new_with_free_func (free_fact);
  const AttnModelInfo *info = attn_model_get_info (model);

  add_text (facts, "name", N_("Name"), attn_model_get_name (model));
  add_text (facts, "family", N_("Family"), info->family);
  add_count (facts, "layers", N_("Layers"), info->n_layers);
  add_count (facts, "heads", N_("Heads"), info->n_heads);
  add_count (facts, "key_value_heads", N_("Key and value heads"), info->n_key_heads);
  add_count (facts, "head_width", N_("Width of a head"), info->head_width);
  add_count (facts, "width", N_("Width of the model"), info->width);
  add_count (facts, "inner_width", N_("Width of the feed-forward layer"), info->inner_width);
  add_count (facts, "positions", N_("Most tokens"), info->n_positions);
  add (facts, "position_scheme", N_("Positions"), ATTN_FACT_WORDS, info->position_scheme, 0);
  add (facts, "causal", N_("Causal"), ATTN_FACT_FLAG, NULL, info->is_causal);
  add_count (facts, "vocabulary", N_("Vocabulary"), info->vocabulary_size);
  add_tokenizer (facts, model);
  add_text (facts, "dtype", N_("Weights stored as"), info->dtype);
  add_count (facts, "parameters", N_("Parameters"), info->n_parameters);
  add_bytes (facts, "bytes", N_("Size on disk"), info->n_bytes);
  add_bytes (facts, "memory_128_tokens", NULL, attn_model_estimate_memory (model, 128));
  add_bytes (facts, "memory_1024_tokens", NULL, attn_model_estimate_memory (model, 1024));
  add_text (facts, "fingerprint", N_("Fingerprint"), attn_model_get_fingerprint (model));
  return facts;
}

void
attn_fact_free (AttnFact *fact)
{
  g_free (fact->text);
  g_free (fact);
}
