/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-model-facts.h"

#include <glib/gi18n-lib.h>

#include "attn-error.h"

static const char mapped_layers_name[] = "layers_with_weights";
static const char adapter_name[] = "adapter";
static const char attentions_name[] = "attentions";
static const char labels_name[] = "labels";
static const char vocabulary_name[] = "vocabulary";

static void
free_fact (gpointer fact)
{
  attn_fact_free (fact);
}

/**
 * attn_model_list_facts:
 * @outlining: (nullable): see [func@attn_model_outline_tokenizer]
 *
 * Returns: (transfer full) (element-type AttnFact): the facts in the order in which they are
 *   displayed: name, sizes of the architecture, tokenizer, size on disk, the memory that inputs of
 *   128 and of 1024 tokens need, and the fingerprint
 */
GPtrArray *
attn_model_list_facts (const AttnModel        *model,
                       AttnTokenizerOutlining *outlining)
{
  const AttnModelInfo *info = attn_model_get_info (model);
  GPtrArray *facts = g_ptr_array_new_with_free_func (free_fact);
  g_autoptr (GError) error = NULL;
  AttnTokenizerOutline outline = { 0 };
  gboolean has_tokenizer = attn_model_outline_tokenizer (model, outlining, &outline, &error);
  g_autoptr (GError) chat_error = NULL;
  char *chat = attn_tokenizer_find_chat (attn_model_get_path (model), &chat_error);
  gboolean has_no_chat = g_error_matches (chat_error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
  const AttnFact all[] = {
    { "name", N_("Name"), ATTN_FACT_TEXT, g_strdup (attn_model_get_name (model)), 0 },
    { adapter_name, N_("Adapter"), ATTN_FACT_TEXT,
      attn_model_get_adapter (model) != NULL
          ? g_filename_display_name (attn_model_get_adapter (model))
          : NULL,
      0 },
    { "family", N_("Family"), ATTN_FACT_TEXT, g_strdup (info->family), 0 },
    { attentions_name, N_("Attentions"), ATTN_FACT_TEXT,
      g_strjoinv (", ", (char **) info->attentions), 0 },
    { "layers", N_("Layers"), ATTN_FACT_COUNT, NULL, info->n_layers },
    { mapped_layers_name, N_("Layers with attention weights"), ATTN_FACT_TEXT,
      info->mapped_layers != NULL ? attn_index_set_to_string (info->mapped_layers) : NULL, 0 },
    { "heads", N_("Heads"), ATTN_FACT_COUNT, NULL, info->n_heads },
    { "key_value_heads", N_("Key/value heads"), ATTN_FACT_COUNT, NULL, info->n_key_heads },
    { "head_width", N_("Head width (d_head)"), ATTN_FACT_COUNT, NULL, info->head_width },
    { "width", N_("Model width (d_model)"), ATTN_FACT_COUNT, NULL, info->width },
    { "inner_width", N_("Feed-forward width (d_ff)"), ATTN_FACT_COUNT, NULL,
      info->mlp_width },
    { "positions", N_("Context length"), ATTN_FACT_COUNT, NULL, info->n_positions },
    { "position_scheme", N_("Position embedding"), ATTN_FACT_WORDS,
      g_strdup (info->position_scheme), 0 },
    { "causal", N_("Causal"), ATTN_FACT_FLAG, NULL, info->is_causal },
    { labels_name, N_("Labels"), ATTN_FACT_COUNT, NULL, info->vocabulary_size },
    { vocabulary_name, N_("Vocabulary"), ATTN_FACT_COUNT, NULL, info->vocabulary_size },
    { "tokenizer", N_("Tokenizer"), ATTN_FACT_TEXT,
      g_strdup (has_tokenizer ? outline.kind : NULL), 0 },
    has_tokenizer
        ? (AttnFact) { "tokenizer_vocabulary", NULL, ATTN_FACT_COUNT, NULL, outline.size }
        : (AttnFact) { "tokenizer_error", N_("Reason"), ATTN_FACT_TEXT,
                       g_strdup (error->message), 0 },
    chat != NULL || has_no_chat
        ? (AttnFact) { "chat_template", N_("Chat template"), ATTN_FACT_TEXT, chat, 0 }
        : (AttnFact) { "chat_template_error", N_("Chat template that cannot be run"),
                       ATTN_FACT_TEXT, g_strdup (chat_error->message), 0 },
    { "dtype", N_("Weights stored as"), ATTN_FACT_TEXT, g_strdup (info->dtype), 0 },
    { "parameters", N_("Parameters"), ATTN_FACT_COUNT, NULL, info->n_parameters },
    { "bytes", N_("Size on disk"), ATTN_FACT_BYTES, NULL, info->n_bytes },
    { "memory_128_tokens", NULL, ATTN_FACT_BYTES, NULL, attn_model_estimate_memory (model, 128) },
    { "memory_1024_tokens", NULL, ATTN_FACT_BYTES, NULL, attn_model_estimate_memory (model, 1024) },
    { "fingerprint", N_("Fingerprint"), ATTN_FACT_TEXT,
      g_strdup (attn_model_get_fingerprint (model)), 0 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (all); i++)
    /* Leaves out the list of layers with attention weights if all layers have them, and the list of
     * attentions if there is only one. A model of pictures has labels and no vocabulary. */
    if (all[i].name == mapped_layers_name ? info->mapped_layers != NULL
        : all[i].name == labels_name      ? info->needs_picture && info->has_logits
        : all[i].name == vocabulary_name  ? !info->needs_picture
        : all[i].name == adapter_name     ? all[i].text != NULL
        : all[i].name == attentions_name  ? g_strv_length ((char **) info->attentions) > 1
                                          : TRUE)
      g_ptr_array_add (facts, g_memdup2 (&all[i], sizeof all[i]));
    else
      g_free (all[i].text);
  return facts;
}

void
attn_fact_free (AttnFact *fact)
{
  g_free (fact->text);
  g_free (fact);
}
