/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-state-picture.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "attn-error.h"
#include "attn-patches.h"

/**
 * attn_state_new_picture_grid:
 * @n_layers: number of layers, each of which has a map over the picture
 * @is_pair: whether each layer has a baseline, a modified map and their difference side by side
 *
 * Returns: (transfer full): an empty grid of about as many rows as columns; or, if @is_pair, of
 *   three columns
 */
AttnGrid *
attn_state_new_picture_grid (gsize    n_layers,
                             gboolean is_pair)
{
  gsize n_columns = is_pair ? 3 : (gsize) ceil (sqrt ((double) n_layers));
  AttnGrid *grid =
      attn_grid_new (is_pair ? n_layers : (n_layers + n_columns - 1) / n_columns, n_columns);

  grid->row_title = g_strdup ("Row");
  grid->column_title = g_strdup ("Column");
  return grid;
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
 * attn_state_fill_picture:
 * @cell: (inout): a cell of the grid from [func@attn_state_new_picture_grid]
 * @study: says which of several pictures is shown
 * @model: the model, which has the pictures of the input
 * @layer: number of the layer, which is the panel's title
 * @values: (array length=n_tokens): the state of each token
 * @channels: (array length=n_tokens) (nullable): number of the largest channel of each token, which
 *   is shown beside its value
 * @error: return location: %ATTN_ERROR_ARGUMENT for fewer tokens than patches, %ATTN_ERROR_MEMORY
 *
 * Makes the panel of the values of the patches, by row and column of the picture that it is drawn
 * over.
 */
gboolean
attn_state_fill_picture (AttnGridCell     *cell,
                         const AttnStudy  *study,
                         const AttnModel  *model,
                         gsize             layer,
                         const float      *values,
                         const guint32    *channels,
                         gsize             n_tokens,
                         GError          **error)
{
  const AttnModelInfo *info = attn_model_get_info (model);
  gsize n_pictures = attn_model_count_pictures (model);
  gsize number =
      n_pictures > 0 ? attn_patches_choose_picture (study, model, n_tokens, error) : 0;
  AttnPicture picture = { .first_patch = 0 };

  if (number == G_MAXSIZE)
    return FALSE;
  if (n_pictures > 0)
    picture = attn_model_get_picture (model, number);
  const gsize shape[] = { picture.n_rows, picture.n_columns };
  gsize n = shape[0] * shape[1];
  if (n == 0 || n_tokens < picture.end)
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("%s: a model of texts found, expected one of pictures, for weights "
                        "lie over its picture"),
                      attn_model_get_path (model));
  g_autoptr (AttnTensor) tensor = attn_tensor_new (2, shape, error);
  if (tensor == NULL)
    return FALSE;
  if (channels != NULL)
    cell->cell_numbers = g_new0 (guint32, n);
  for (gsize i = 0; i < n; i++)
    {
      gsize place = info->patch_places != NULL ? info->patch_places[i] : i;

      tensor->data[place] = values[picture.first_patch + i];
      if (channels != NULL)
        cell->cell_numbers[place] = channels[picture.first_patch + i];
    }
  g_auto (GStrv) rows = number_labels (shape[0]);
  g_auto (GStrv) columns = number_labels (shape[1]);
  cell->panel = attn_panel_new (tensor, ATTN_MASK_NONE, (const char * const *) rows,
                                (const char * const *) columns);
  cell->title = g_strdup_printf ("L%zu", layer);
  cell->name = g_strdup (cell->title);
  attn_patches_set_picture (study, model, n_tokens, cell);
  return TRUE;
}
