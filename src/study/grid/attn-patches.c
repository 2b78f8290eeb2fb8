/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-patches.h"

#include <glib/gi18n-lib.h>

#include "attn-error.h"

/**
 * attn_patches_are_shown:
 * @model: the first model of the study
 *
 * Returns: whether the panels are drawn over a picture: the study asks for it, and there is a
 *   picture
 */
gboolean
attn_patches_are_shown (const AttnStudy *study,
                        const AttnModel *model)
{
  const AttnModelInfo *info = attn_model_get_info (model);
  const AttnInput *first = study->inputs->len > 0 ? study->inputs->pdata[0] : NULL;

  return study->is_over_picture &&
         (attn_model_count_pictures (model) > 0 ||
          (info->takes_picture && first != NULL && attn_input_is_picture (first)));
}

/**
 * attn_patches_is_chosen:
 * @query: position of a query, below @n, the number of queries
 *
 * Returns: whether the map over the picture uses @query. If @study selects no queries, that is the
 *   first, or for a model that takes text and pictures the last, which predicts the next token.
 */
gboolean
attn_patches_is_chosen (const AttnStudy *study,
                        const AttnModel *model,
                        gsize            query,
                        gsize            n)
{
  gsize usual = attn_model_get_info (model)->takes_picture ? n - 1 : 0;

  if (study->n_last_queries > 0)
    return query + study->n_last_queries >= n;
  return study->queries != NULL ? attn_index_set_contains (study->queries, query) : query == usual;
}

/**
 * attn_patches_choose_picture:
 * @model: the model, which has the pictures of the input
 * @n_queries: number of tokens of the input
 * @error: return location: %ATTN_ERROR_ARGUMENT for a number beyond the pictures
 *
 * Returns: the number, from 0, of the picture that panels are drawn over: the one that the study
 *   names; or that of the first query in use, if this is a patch of a picture; or else the first;
 *   %G_MAXSIZE on error
 */
gsize
attn_patches_choose_picture (const AttnStudy  *study,
                             const AttnModel  *model,
                             gsize             n_queries,
                             GError          **error)
{
  gsize n = attn_model_count_pictures (model), query = 0;

  /* A vision model always sees a single picture. */
  if (!attn_model_get_info (model)->takes_picture || n == 1)
    return 0;
  if (study->picture > n)
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("picture %zu found, expected one of the %zu of the text"), study->picture,
                      n)
               ? 0
               : G_MAXSIZE;
  if (study->picture > 0)
    return study->picture - 1;
  while (query < n_queries && !attn_patches_is_chosen (study, model, query, n_queries))
    query++;
  gsize own = attn_model_find_picture (model, query);
  return own < n ? own : 0;
}

/**
 * attn_patches_find_token:
 * @model: a model of pictures or of texts with pictures, or a recording with a picture
 * @tokens: the tokens of its input
 * @cell: a cell whose panel is drawn over a picture
 * @row: row of a patch in the picture
 * @column: column of that patch
 *
 * Returns: the position of the patch among the tokens
 */
gsize
attn_patches_find_token (const AttnModel    *model,
                         const AttnTokens   *tokens,
                         const AttnGridCell *cell,
                         gsize               row,
                         gsize               column)
{
  const AttnModelInfo *info = attn_model_get_info (model);
  g_autofree char *prefix =
      cell->picture > 0 ? g_strdup_printf ("%zu:", cell->picture) : g_strdup ("");
  g_autofree char *label = g_strdup_printf ("%s%zu,%zu", prefix, row, column);

  /* Tokens of patches have labels by row and column, by which the token is found. In a recording
   * with its own labels, the token is found by its number. */
  for (gsize i = 0; !info->is_recording && i < tokens->n_tokens; i++)
    if ((!info->takes_picture || tokens->tokens[i].id == (guint32) info->image_token) &&
        g_str_equal (tokens->labels[i], label))
      return i;
  return info->n_leading_tokens + row * attn_panel_get_n_columns (cell->panel) + column;
}

/**
 * attn_patches_set_picture:
 * @model: the model, which has the pictures of the input
 * @n_tokens: number of tokens of the input
 * @cell: (inout): a cell of the grid; gets the picture that its panel is drawn over
 */
void
attn_patches_set_picture (const AttnStudy *study,
                          const AttnModel *model,
                          gsize            n_tokens,
                          AttnGridCell    *cell)
{
  gsize number = attn_patches_choose_picture (study, model, n_tokens, NULL);
  gsize n = attn_model_count_pictures (model);

  if (number >= n)
    return;
  const AttnPicture picture = attn_model_get_picture (model, number);
  cell->picture = n > 1 ? number + 1 : 0;
  if (picture.image != NULL)
    cell->image = attn_image_ref (picture.image);
}

static char **
number_labels (gsize n)
{
  char **labels = g_new0 (char *, n + 1);

  for (gsize i = 0; i < n; i++)
    labels[i] = g_strdup_printf ("%zu", i);
  return labels;
}

/**
 * attn_patches_make_panel:
 * @study: the study, which selects the queries that are averaged
 * @model: a model that takes pictures, or a recording with a picture
 * @panel: [T, T], weights of all queries and keys
 * @error: return location: %ATTN_ERROR_ARGUMENT for a model of texts, or no query;
 *   %ATTN_ERROR_MEMORY
 *
 * Returns: (transfer full) (nullable): a panel [rows, columns] of patches: their weights, averaged
 *   over the selected queries
 */
AttnPanel *
attn_patches_make_panel (const AttnStudy  *study,
                         const AttnModel  *model,
                         AttnPanel        *panel,
                         GError          **error)
{
  const AttnModelInfo *info = attn_model_get_info (model);
  gsize n_keys = attn_panel_get_n_columns (panel);
  gsize n_queries = attn_panel_get_n_rows (panel);
  gsize n_chosen = 0, n_pictures = attn_model_count_pictures (model);
  gsize number =
      n_pictures > 0 ? attn_patches_choose_picture (study, model, n_queries, error) : 0;
  AttnPicture picture = { .first_patch = 0 };

  if (number == G_MAXSIZE)
    return NULL;
  if (n_pictures > 0)
    picture = attn_model_get_picture (model, number);
  const gsize shape[] = { picture.n_rows, picture.n_columns };
  if (n_pictures == 0 || n_keys < picture.end)
    return attn_fail_null (error, ATTN_ERROR_ARGUMENT,
                           _("%s: a model of texts found, expected one of pictures, for weights "
                             "lie over its picture"),
                           attn_model_get_path (model));
  g_autoptr (AttnTensor) values = attn_tensor_new (2, shape, error);
  g_autofree float *row = g_new (float, n_keys);
  if (values == NULL)
    return NULL;
  for (gsize query = 0; query < n_queries; query++)
    {
      if (!attn_patches_is_chosen (study, model, query, n_queries))
        continue;
      if (!attn_panel_read_rows (panel, query, 1, row, error))
        return NULL;
      for (gsize i = 0; i < shape[0] * shape[1]; i++)
        values->data[info->patch_places != NULL ? info->patch_places[i] : i] +=
            row[picture.first_patch + i];
      n_chosen++;
    }
  if (n_chosen == 0)
    return attn_fail_null (error, ATTN_ERROR_ARGUMENT,
                           _("queries: none of the %zu tokens found, expected at least one"),
                           n_queries);
  for (gsize i = 0; n_chosen > 1 && i < shape[0] * shape[1]; i++)
    values->data[i] /= (float) n_chosen;
  g_auto (GStrv) rows = number_labels (shape[0]);
  g_auto (GStrv) columns = number_labels (shape[1]);
  return attn_panel_new (values, ATTN_MASK_NONE, (const char * const *) rows,
                         (const char * const *) columns);
}

/**
 * attn_patches_name_axes:
 * @model: the study's model, which has the pictures of the first input
 * @tokens: the tokens of the first input
 *
 * Labels the axes of @grid as rows and columns of patches, and adds to its caption whose attention
 * is shown.
 */
void
attn_patches_name_axes (const AttnStudy  *study,
                        const AttnModel  *model,
                        AttnGrid         *grid,
                        const AttnTokens *tokens)
{
  gsize n_chosen = 0, first = 0;

  for (gsize i = tokens->n_tokens; i-- > 0;)
    if (attn_patches_is_chosen (study, model, i, tokens->n_tokens))
      {
        first = i;
        n_chosen++;
      }
  g_free (grid->row_title);
  g_free (grid->column_title);
  grid->row_title = g_strdup ("Row");
  grid->column_title = g_strdup ("Column");

  /* Texts of the figure are always English, and not translated. */
  g_autofree char *query = n_chosen == 1 ? g_markup_escape_text (tokens->labels[first], -1)
                                         : g_strdup_printf ("the mean of %zu tokens", n_chosen);
  gsize n_pictures = attn_model_count_pictures (model);
  gsize number = attn_patches_choose_picture (study, model, tokens->n_tokens, NULL);
  g_autofree char *which =
      n_pictures > 1 ? g_strdup_printf ("Picture %zu of %zu. ", number + 1, n_pictures) : NULL;
  g_autofree char *said = g_strdup_printf ("%sQuery: %s", which != NULL ? which : "", query);
  char *caption = grid->caption != NULL && *grid->caption != '\0'
                      ? g_strdup_printf ("%s. %s", grid->caption, said)
                      : g_strdup (said);
  g_free (grid->caption);
  grid->caption = caption;
}
