/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Inserts the tokens of pictures into the tokens of a text, which has one token in the place of
 * each picture. */

#include "config.h"

#include <glib/gi18n-lib.h>

#include "attn-error.h"
#include "attn-transformer.h"

/* Appends a token to @tokens and its label to @labels, which takes ownership of it. */
static void
append (GArray          *tokens,
        GPtrArray       *labels,
        const AttnToken *token,
        char            *label)
{
  g_array_append_vals (tokens, token, 1);
  g_ptr_array_add (labels, label);
}

/* Makes the label of a picture's token: "[CLS]" for a class token, or row and column of its patch,
 * "0,3"; if there are several pictures, the picture's number comes first, "2:0,3". @number: number
 * of the token within the picture, from 0 */
static char *
make_label (const AttnModel *model,
            gsize            index,
            gsize            number)
{
  const AttnPicture picture = attn_model_get_picture (model, index);
  gsize n_before = picture.end - picture.begin - picture.n_rows * picture.n_columns;
  gsize patch = number - MIN (number, n_before);
  g_autofree char *prefix =
      model->pictures->len > 1 ? g_strdup_printf ("%zu:", index + 1) : g_strdup ("");
  g_autofree char *label = number < n_before
                               ? g_strconcat (prefix, "[CLS]", NULL)
                               : g_strdup_printf ("%s%zu,%zu", prefix, patch / picture.n_columns,
                                                  patch % picture.n_columns);

  return g_ref_string_new (label);
}

static gboolean
fail_number (const AttnModel  *model,
             gsize             n_found,
             gsize             n_all,
             GError          **error)
{
  if (model->pictures->len > 1)
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("%zu tokens of pictures and %u pictures found, expected one token for each "
                        "picture, in their order, or the %zu that they become"),
                      n_found, model->pictures->len, n_all);
  if (n_found == 0)
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("a text without the token of a picture found, expected token %zd once, "
                        "where the picture stands"),
                      model->info.image_token);
  return attn_fail (error, ATTN_ERROR_ARGUMENT,
                    _("%zu tokens of a picture found, expected one, which stands for it, or the "
                      "%zu that it becomes, side by side"),
                    n_found, n_all);
}

/* Sets the positions of the pictures in the text by the picture tokens that it has. @is_whole:
 * (out): whether the text already has as many tokens for each picture as the picture becomes, and
 * not one */
static gboolean
place_pictures (AttnModel         *model,
                const AttnTokens  *tokens,
                gboolean          *is_whole,
                GError           **error)
{
  GArray *pictures = model->pictures;
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (gsize));
  gsize n_all = 0, n_passed = 0, n_added = 0;
  gboolean is_good = TRUE;

  for (guint i = 0; i < pictures->len; i++)
    {
      const AttnPicture *picture = &g_array_index (pictures, AttnPicture, i);

      n_all += picture->end - picture->begin;
    }
  for (gsize i = 0; i < tokens->n_tokens; i++)
    if (tokens->tokens[i].id == (guint32) model->info.image_token)
      g_array_append_val (found, i);
  *is_whole = found->len == n_all;
  if (!*is_whole && found->len != pictures->len)
    return fail_number (model, found->len, n_all, error);
  for (guint i = 0; i < pictures->len; i++)
    {
      AttnPicture *picture = &g_array_index (pictures, AttnPicture, i);
      gsize n = picture->end - picture->begin;
      gsize first = g_array_index (found, gsize, n_passed);

      n_passed += *is_whole ? n : 1;
      is_good = is_good && (!*is_whole ||
                            g_array_index (found, gsize, n_passed - 1) - first == n - 1);
      picture->begin = first + n_added;
      picture->end = picture->begin + n;
      picture->first_patch = picture->end - picture->n_rows * picture->n_columns;
      n_added += *is_whole ? 0 : n - 1;
    }
  return is_good || fail_number (model, found->len, n_all, error);
}

/* Lets all tokens of a picture see each other, though the model is causal. Pictures without a token
 * of the text between them count as one, as in the published model. */
static void
set_blocks (AttnModel *model)
{
  AttnTransformer *self = (AttnTransformer *) model;
  gsize n = 0;

  if (self->blocks == NULL)
    self->blocks = g_malloc0_n (model->pictures->len, sizeof *self->blocks);
  for (gsize i = 0; i < model->pictures->len; i++)
    {
      const AttnPicture picture = attn_model_get_picture (model, i);

      if (n == 0 || self->blocks[n - 1][1] != picture.begin)
        self->blocks[n++][0] = picture.begin;
      self->blocks[n - 1][1] = picture.end;
    }
  model->info.is_causal = FALSE;
  for (gsize i = 0; i < model->n_rules; i++)
    {
      model->rules[i].blocks = (const gsize (*)[2]) self->blocks;
      model->rules[i].n_blocks = n;
    }
}

/**
 * attn_model_insert_pictures:
 * @model: (inout): a half for texts from [func@attn_model_bind_pictures], which no other thread
 *   uses yet
 * @tokens: tokens of a text with one picture token in the place of each picture, in the order of
 *   the pictures, or already with as many side by side as each picture becomes
 * @error: return location: %ATTN_ERROR_ARGUMENT for another number of picture tokens
 *
 * Tells the model where in the text its pictures stand.
 *
 * Returns: (transfer full) (nullable): the tokens of the text with as many picture tokens as each
 *   picture becomes, labeled with the row and column of their patch
 */
AttnTokens *
attn_model_insert_pictures (AttnModel         *model,
                            const AttnTokens  *tokens,
                            GError           **error)
{
  g_autoptr (GArray) list = g_array_new (FALSE, FALSE, sizeof (AttnToken));
  GPtrArray *labels;
  gsize number = 0;
  gboolean is_whole;

  if (!place_pictures (model, tokens, &is_whole, error))
    return NULL;
  labels = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ref_string_release);
  for (gsize i = 0; i < tokens->n_tokens; i++)
    {
      AttnToken token = tokens->tokens[i];

      if (token.id != (guint32) model->info.image_token)
        {
          append (list, labels, &token, g_ref_string_acquire (tokens->labels[i]));
          continue;
        }
      const AttnPicture picture = attn_model_get_picture (model, number);
      gsize n = picture.end - picture.begin;

      token.is_special = TRUE;
      if (!is_whole)
        for (gsize k = 0; k < n; k++)
          append (list, labels, &token, make_label (model, number, k));
      else
        append (list, labels, &token, make_label (model, number, i - picture.begin));
      if (!is_whole || i + 1 == picture.end)
        number++;
    }
  if (((const AttnTransformer *) model)->config.sight->is_mutual)
    set_blocks (model);
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
 * @tokens: tokens of a text to which no picture was given
 * @error: return location: %ATTN_ERROR_ARGUMENT for a token in the place of a picture
 *
 * Returns: whether none of the tokens is in the place of a picture
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
