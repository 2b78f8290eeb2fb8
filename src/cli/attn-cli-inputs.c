/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-cli-inputs.h"

#include "attn-cli-private.h"
#include "attn-input-bind.h"
#include "attn-workspace.h"
#include "attn-source.h"

/**
 * attn_cli_inputs_is_written:
 * @input: number of an input, from 0
 *
 * Returns: whether the results of that input are written: an input that a --patch takes its values
 *   from only serves the patch, unless all inputs do
 */
gboolean
attn_cli_inputs_is_written (const AttnCliOptions *options,
                            gsize                 input)
{
  gboolean has_others = FALSE;

  for (guint i = 0; i < options->asked->inputs->len; i++)
    has_others = has_others || !attn_cli_options_patches_from (options, i);
  return !has_others || !attn_cli_options_patches_from (options, input);
}

/**
 * attn_cli_inputs_count:
 *
 * Returns: number of inputs whose results are written
 */
gsize
attn_cli_inputs_count (const AttnCliOptions *options)
{
  gsize n = 0;

  for (guint i = 0; i < options->asked->inputs->len; i++)
    n += attn_cli_inputs_is_written (options, i);
  return n;
}

/**
 * attn_cli_inputs_tokenize:
 * @n_answer: tokens that a decoder generates without a target, as for [func@attn_input_bind]
 * @models: (out) (transfer full) (element-type AttnModel): the model for each input, as
 *   [func@attn_input_bind] makes it
 * @error: return location for errors of [func@attn_input_bind]
 *
 * Tokenizes all inputs. Prints on standard error which characters no token stands for.
 *
 * Returns: (transfer full) (nullable) (element-type AttnTokens): the tokens of each input
 */
GPtrArray *
attn_cli_inputs_tokenize (const AttnCliOptions  *options,
                          AttnModel             *model,
                          gssize                 n_answer,
                          GPtrArray            **models,
                          GError               **error)
{
  const AttnStudy *asked = options->asked;
  g_autoptr (GPtrArray) inputs =
      g_ptr_array_new_with_free_func ((GDestroyNotify) attn_tokens_unref);
  g_autoptr (GPtrArray) all = g_ptr_array_new_with_free_func ((GDestroyNotify) attn_model_unref);

  for (guint i = 0; i < asked->inputs->len; i++)
    {
      AttnTokens *tokens;
      g_autoptr (AttnTokens) source = NULL;
      AttnModel *bound = attn_input_bind (asked->inputs->pdata[i], i + 1, model, asked,
                                          n_answer, NULL, &tokens, &source, error);

      if (bound == NULL)
        return NULL;
      g_ptr_array_add (all, bound);
      attn_cli_note_dropped (source != NULL ? source : tokens, i + 1);
      g_ptr_array_add (inputs, tokens);
    }
  *models = g_steal_pointer (&all);
  return g_steal_pointer (&inputs);
}

/**
 * attn_cli_inputs_bind_patches:
 * @inputs: (element-type AttnTokens): tokens of each input
 * @models: (element-type AttnModel): model for each input
 * @interventions: (inout) (element-type AttnIntervention): interventions, among them patches
 *
 * Sets the source of each patch: the tokens and model of the input that it takes its values from.
 * Patches from the same input share it.
 */
void
attn_cli_inputs_bind_patches (const GPtrArray *inputs,
                              const GPtrArray *models,
                              GPtrArray       *interventions)
{
  for (guint i = 0; i < interventions->len; i++)
    {
      AttnIntervention *patch = g_ptr_array_index (interventions, i);

      if (patch->operation != ATTN_OPERATION_PATCH || patch->input >= inputs->len)
        continue;
      for (guint k = 0; k < i && patch->source == NULL; k++)
        {
          const AttnIntervention *other = g_ptr_array_index (interventions, k);

          if (other->source != NULL && other->input == patch->input)
            patch->source = attn_source_ref (other->source);
        }
      if (patch->source != NULL)
        continue;
      const AttnTokens *tokens = g_ptr_array_index (inputs, patch->input);
      g_autofree guint32 *ids = attn_tokens_dup_ids (tokens);
      patch->source = attn_source_new (models->pdata[patch->input], ids, tokens->n_tokens);
    }
}
