/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Pictures of a model: giving pictures to a model of pictures or to a vision-language model, and
 * finding which tokens of the input are theirs. */

#include "config.h"

#include "attn-model-private.h"

/**
 * attn_model_bind_pictures:
 * @model: one whose `needs_picture` or `takes_picture` is set
 * @pictures: (array length=n_pictures): the pictures; references are taken
 * @n_pictures: 1; for a vision-language model the number of pictures in the text, which are in the
 *   order in which they stand there
 * @shown: number of the picture whose patches are the tokens of the half for pictures
 * @error: return location: %ATTN_ERROR_SHAPE for another number of channels, or another height or
 *   width where the model has positions for one size alone, %ATTN_ERROR_LIMIT for more than
 *   %ATTN_MODEL_MAX_PATCHES patches
 *
 * Gives a model its pictures. Rows and columns of pixels beyond the last whole patch are left out,
 * as the published models do.
 *
 * Returns: (transfer full) (nullable): a model with the same weights, which has the pictures; its
 *   token ids are 0, 1, … to its last token, but for the half for texts, whose ids are those of the
 *   text, see [func@attn_model_insert_pictures]
 */
AttnModel *
attn_model_bind_pictures (AttnModel         *model,
                          const AttnPixels  *pictures,
                          gsize              n_pictures,
                          gsize              shown,
                          GError           **error)
{
  g_return_val_if_fail ((model->info.needs_picture || model->info.takes_picture) &&
                            model->base == NULL && shown < n_pictures &&
                            (n_pictures == 1 || model->info.sees),
                        NULL);

  return model->class->bind_pixels (model, pictures, n_pictures, shown, error);
}

/**
 * attn_model_bind_pixels:
 * @pixels: [channels, height, width], prepared as the model expects them; a reference is taken
 * @error: return location: errors of [func@attn_model_bind_pictures]
 *
 * Returns: (transfer full) (nullable): what [func@attn_model_bind_pictures] returns for one picture
 *   without an image for display
 */
AttnModel *
attn_model_bind_pixels (AttnModel   *model,
                        AttnTensor  *pixels,
                        GError     **error)
{
  const AttnPixels picture = { .pixels = pixels };

  return attn_model_bind_pictures (model, &picture, 1, 0, error);
}

/**
 * attn_model_count_pictures:
 *
 * Returns: how many pictures [func@attn_model_get_picture] knows: those in a text, or 1 for a model
 *   of pictures or a recording with a picture; 0 for a model without pictures
 */
gsize
attn_model_count_pictures (const AttnModel *model)
{
  if (model->pictures != NULL)
    return model->pictures->len;
  return model->info.n_patch_rows > 0 ? 1 : 0;
}

/**
 * attn_model_get_picture:
 * @number: of the picture, from 0, below [func@attn_model_count_pictures]
 *
 * Returns: the picture, with nothing for the caller to free; positions of a picture in a text are
 *   set only after [func@attn_model_insert_pictures]
 */
AttnPicture
attn_model_get_picture (const AttnModel *model,
                        gsize            number)
{
  const AttnModelInfo *info = &model->info;

  if (model->pictures != NULL)
    return g_array_index (model->pictures, AttnPicture, number);
  return (AttnPicture) {
    .first_patch = info->n_leading_tokens,
    .end = info->n_leading_tokens + info->n_patch_rows * info->n_patch_columns,
    .n_rows = info->n_patch_rows,
    .n_columns = info->n_patch_columns,
    .image = model->image,
  };
}

/**
 * attn_model_find_picture:
 * @token: position in the text
 *
 * Returns: the number of the picture that the token belongs to, from 0; if it belongs to none, how
 *   many pictures there are
 */
gsize
attn_model_find_picture (const AttnModel *model,
                         gsize            token)
{
  gsize n = attn_model_count_pictures (model), i = 0;

  while (i < n)
    {
      const AttnPicture picture = attn_model_get_picture (model, i);

      if (token >= picture.begin && token < picture.end)
        break;
      i++;
    }
  return i;
}

/**
 * attn_model_get_image_path:
 *
 * Returns: (transfer none) (nullable): path of the picture's file, where the model is a recording
 *   that names one
 */
const char *
attn_model_get_image_path (const AttnModel *model)
{
  return model->image_path;
}

/**
 * attn_model_set_image:
 * @model: a recording that no other thread uses yet
 * @image: the picture of [func@attn_model_get_image_path]; a reference is taken
 */
void
attn_model_set_image (AttnModel *model,
                      AttnImage *image)
{
  g_return_if_fail (model->image == NULL);

  model->image = attn_image_ref (image);
}

/* Returns the label of a picture's token: "[CLS]", "[DIST]" or "[REG 1]" for a token before the
 * patches, or the row and column of a patch, "0,3". */
static char *
make_patch_label (const AttnModelInfo *info,
                  gsize                token)
{
  gsize n_classes = info->n_leading_tokens - info->n_registers;

  if (token == 0 && n_classes > 0)
    return g_strdup ("[CLS]");
  if (token < n_classes)
    return g_strdup ("[DIST]");
  if (token < info->n_leading_tokens)
    return g_strdup_printf ("[REG %zu]", token - n_classes + 1);
  token -= info->n_leading_tokens;
  if (info->patch_places != NULL)
    token = info->patch_places[token];
  return g_strdup_printf ("%zu,%zu", token / info->n_patch_columns, token % info->n_patch_columns);
}

/**
 * attn_model_list_patches:
 * @model: a model of pictures from [func@attn_model_bind_pictures]
 *
 * Returns: (transfer full): the tokens of its picture in the order of the published model, labeled
 *   "[CLS]", "[REG 1]", …, then the patches with row and column, "0,0", "0,1", …
 */
AttnTokens *
attn_model_list_patches (const AttnModel *model)
{
  const AttnModelInfo *info = &model->info;
  gsize n = info->n_positions;
  g_autofree guint32 *ids = g_new (guint32, n);
  g_auto (GStrv) labels = g_new0 (char *, n + 1);

  for (gsize i = 0; i < n; i++)
    {
      ids[i] = (guint32) i;
      labels[i] = make_patch_label (info, i);
    }
  return attn_tokens_new_from_ids (ids, n, labels);
}
