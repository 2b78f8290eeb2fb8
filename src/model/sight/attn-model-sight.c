/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Inserts the tokens of a picture into a text. */

#include "config.h"

#include <glib/gi18n-lib.h>

#include "attn-error.h"
#include "attn-transformer.h"

/* Appends a token and its label, of which it takes ownership. */
static void
append (GArray          *tokens,
        GPtrArray       *labels,
        const AttnToken *token,
        char            *label)
{
  g_array_append_vals (tokens, token, 1);
  g_ptr_array_add (labels, label);
}

/* Makes the label of a picture's token: its class, or the row and column of its patch. */
static char *
make_label (const AttnModelInfo *info,
            gsize                number)
{
  gsize n_before = info->n_picture_tokens - info->n_patch_rows * info->n_patch_columns;
  gsize patch = number - MIN (number, n_before);
  g_autofree char *label = number < n_before
                               ? g_strdup ("[CLS]")
                               : g_strdup_printf ("%zu,%zu", patch / info->n_patch_columns,
                                                  patch % info->n_patch_columns);

  return g_ref_string_new (label);
}

/**
 * attn_model_insert_picture:
 * @model: of texts, with a picture, by [func@attn_model_bind_pixels]; nobody else knows it yet
 * @tokens: of a text with one token that stands for the picture, or already with as many as it
 *   becomes, side by side
 * @error: return location: %ATTN_ERROR_ARGUMENT for none, or another number
 *
 * Tells the model where its picture stands.
 *
 * Returns: (transfer full) (nullable): the tokens with as many of the picture as it becomes, each
 *   called by the row and the column of its patch
 */
AttnTokens *
attn_model_insert_picture (AttnModel         *model,
                           const AttnTokens  *tokens,
                           GError           **error)
{
  AttnModelInfo *info = &model->info;
  g_autoptr (GArray) list = g_array_new (FALSE, FALSE, sizeof (AttnToken));
  GPtrArray *labels = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ref_string_release);
  gsize n_found = 0, first = 0, last = 0;

  for (gsize i = 0; i < tokens->n_tokens; i++)
    if (tokens->tokens[i].id == (guint32) info->image_token)
      {
        first = n_found == 0 ? i : first;
        last = i;
        n_found++;
      }
  if (n_found == 0 || (n_found != 1 && n_found != info->n_picture_tokens) ||
      last - first + 1 != n_found)
    {
      g_ptr_array_unref (labels);
      if (n_found == 0)
        return attn_fail_null (error, ATTN_ERROR_ARGUMENT,
                               _("a text without the token of a picture found, expected token "
                                 "%zd once, where the picture stands"),
                               info->image_token);
      return attn_fail_null (error, ATTN_ERROR_ARGUMENT,
                             _("%zu tokens of a picture found, expected one, which stands for it, "
                               "or the %zu that it becomes, side by side"),
                             n_found, info->n_picture_tokens);
    }
  for (gsize i = 0; i < tokens->n_tokens; i++)
    {
      AttnToken token = tokens->tokens[i];
      gboolean is_picture = i >= first && i <= last;

      if (!is_picture)
        append (list, labels, &token, g_ref_string_acquire (tokens->labels[i]));
      token.is_special = TRUE;
      for (gsize k = 0; is_picture && k < info->n_picture_tokens / n_found; k++)
        append (list, labels, &token, make_label (info, n_found == 1 ? k : i - first));
    }
  info->n_leading_tokens =
      first + info->n_picture_tokens - info->n_patch_rows * info->n_patch_columns;
  if (((const AttnTransformer *) model)->config.sight->is_mutual)
    {
      info->is_causal = FALSE;
      for (gsize i = 0; i < model->n_rules; i++)
        {
          model->rules[i].block_begin = first;
          model->rules[i].block_end = first + info->n_picture_tokens;
        }
    }
  g_ptr_array_add (labels, NULL);
  AttnTokens *inserted = attn_tokens_new_take (g_steal_pointer (&list),
                                               (char **) g_ptr_array_free (labels, FALSE));
  inserted->n_cut = tokens->n_cut;
  inserted->n_dropped = tokens->n_dropped;
  inserted->first_dropped = tokens->first_dropped;
  return inserted;
}

/**
 * attn_model_check_picture_token:
 * @tokens: of a text without a picture
 * @error: return location for %ATTN_ERROR_ARGUMENT
 *
 * Returns: whether none of them stands for a picture
 */
gboolean
attn_model_check_picture_token (const AttnModel   *model,
                                const AttnTokens  *tokens,
                                GError           **error)
{
  for (gsize i = 0; model->info.takes_picture && i < tokens->n_tokens; i++)
    if (tokens->tokens[i].id == (guint32) model->info.image_token)
      return attn_fail (error, ATTN_ERROR_ARGUMENT,
                        _("token %zd of a picture found at position %zu and no picture, expected "
                          "one beside the text"),
                        model->info.image_token, i);
  return TRUE;
}
