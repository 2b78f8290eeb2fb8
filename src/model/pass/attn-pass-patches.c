/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Turns the pixels of a picture into the vectors that enter the first layer, and the last layer's
 * output into labels. */

#include "config.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "attn-linear.h"
#include "attn-memory.h"
#include "attn-ops.h"
#include "attn-pass.h"

/* In this file: N patches, n_rows x n_columns of them; C channels; P the height and width of a
 * patch in pixels; D the width of the model. */

/* Returns the index of a patch in the picture's grid, row times columns plus column, which differs
 * from its number where the model orders patches by windows. */
static gsize
find_place (const AttnPatched *patched,
            gsize              patch)
{
  return patched->places != NULL ? patched->places[patch] : patch;
}

/* Cuts the picture into patches, [N, C F P P]. A patch's numbers are in the order of a
 * convolution's weights. If these are for F frames, all frames are the same picture. */
static void
unfold (const AttnPatched *patched,
        gsize              size,
        gsize              n_frames,
        float             *out)
{
  const AttnTensor *pixels = patched->pixels;
  gsize n_patches = patched->n_rows * patched->n_columns;

  for (gsize patch = 0; patch < n_patches; patch++)
    {
      gsize row = find_place (patched, patch) / patched->n_columns;
      gsize column = find_place (patched, patch) % patched->n_columns;

      for (gsize channel = 0; channel < pixels->shape[0]; channel++)
        for (gsize y = 0; y < n_frames * size; y++, out += size)
          memcpy (out,
                  pixels->data +
                      (channel * pixels->shape[1] + row * size + y % size) * pixels->shape[2] +
                      column * size,
                  size * sizeof (float));
    }
}

/* Projects patches to the model's width. A convolution without overlap is a matrix product. */
static gboolean
project_patches (const AttnPass     *pass,
                 const AttnPatched  *patched,
                 float              *out,
                 GError            **error)
{
  const AttnPictures *pictures = &pass->config->pictures;
  gsize n_patches = patched->n_rows * patched->n_columns;
  gsize n_pixels = pictures->n_channels * pictures->n_frames * pictures->patch_size *
                   pictures->patch_size;
  const gsize shape[] = { n_patches, n_pixels };
  g_autoptr (AttnTensor) unfolded = attn_tensor_new_unset (2, shape, error);
  g_autoptr (AttnTensor) weight = NULL;
  g_autoptr (AttnTensor) bias = NULL;

  if (unfolded == NULL ||
      !attn_weights_load (pass->weights, ATTN_ROLE_PATCHES, ATTN_SLOT_WEIGHT, &weight, error) ||
      !attn_weights_load (pass->weights, ATTN_ROLE_PATCHES, ATTN_SLOT_BIAS, &bias, error))
    return FALSE;
  unfold (patched, pictures->patch_size, pictures->n_frames, unfolded->data);

  AttnLinear linear = {
    .x = unfolded->data,
    .n_rows = n_patches,
    .n_in = n_pixels,
    .n_out = pass->config->width,
    .is_alone = pass->is_alone,
    .weight = weight->data,
    .bias = bias != NULL ? bias->data : NULL,
    .out = out,
    .out_stride = pass->config->width,
  };
  attn_linear_run (&linear, pass->n_workers);
  return TRUE;
}

/* Returns the kernel of cubic convolution (Keys 1981, IEEE ASSP-29(6), equation 4) with the
 * parameter @a. */
static double
get_cubic (double x,
           double a)
{
  x = fabs (x);
  if (x < 1.0)
    return ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0;
  return x < 2.0 ? (((x - 5.0) * x + 8.0) * x - 4.0) * a : 0.0;
}

/* Computes the weights, [n_from], with which the values at @n_from places of a row or column make
 * up the value at place @to of @n_to, as torch.nn.functional.interpolate does with mode “bicubic”,
 * align_corners=False, and antialias=True or False. */
static void
fill_taps (AttnInterpolation  interpolation,
           gsize              to,
           gsize              n_to,
           gsize              n_from,
           double            *taps)
{
  double scale = (double) n_from / (double) n_to;
  double center = ((double) to + 0.5) * scale;

  memset (taps, 0, n_from * sizeof *taps);
  if (interpolation == ATTN_INTERPOLATION_LINEAR)
    {
      /* The step is computed in float32, as torch.linspace() does, so that the same two neighbors
       * are chosen. */
      float step = n_to > 1 ? (float) (n_from - 1) / (float) (n_to - 1) : 0.0f;
      float at = to < n_to / 2 || n_to == 1 ? step * (float) to
                                            : (float) (n_from - 1) - step * (float) (n_to - 1 - to);
      gsize below = (gsize) at;

      taps[below] += 1.0 - ((double) at - (double) below);
      taps[MIN (below + 1, n_from - 1)] += (double) at - (double) below;
      return;
    }
  if (interpolation == ATTN_INTERPOLATION_BICUBIC)
    {
      double first = floor (center - 0.5);

      for (int i = -1; i <= 2; i++)
        taps[(gsize) CLAMP (first + i, 0.0, (double) (n_from - 1))] +=
            get_cubic (center - 0.5 - first - i, -0.75);
      return;
    }

  double stretch = MAX (scale, 1.0), sum = 0.0;
  gsize begin = (gsize) MAX (center - 2.0 * stretch + 0.5, 0.0);
  gsize end = (gsize) MIN (center + 2.0 * stretch + 0.5, (double) n_from);
  for (gsize i = begin; i < end; i++)
    {
      taps[i] = get_cubic (((double) i - center + 0.5) / stretch, -0.5);
      sum += taps[i];
    }
  for (gsize i = begin; i < end && sum != 0.0; i++)
    taps[i] /= sum;
}

/* Adds its position to each patch, interpolated from the grid for which positions were learned to
 * the grid of the picture. @learned: [rows of that grid, its columns, D]; @out: [N, D] */
static void
add_interpolated (const AttnPass    *pass,
                  const AttnPatched *patched,
                  const float       *learned,
                  float             *out)
{
  const AttnPictures *pictures = &pass->config->pictures;
  AttnInterpolation interpolation = pass->config->family->pictures.interpolation;
  gsize width = pass->config->width;
  gsize n_patches = patched->n_rows * patched->n_columns;
  g_autofree double *all_down = g_new (double, patched->n_rows * pictures->n_rows);
  g_autofree double *across = g_new (double, patched->n_columns * pictures->n_columns);
  g_autofree double *sums = g_new (double, width);

  for (gsize x = 0; x < patched->n_columns; x++)
    fill_taps (interpolation, x, patched->n_columns, pictures->n_columns,
               across + x * pictures->n_columns);
  for (gsize y = 0; y < patched->n_rows; y++)
    fill_taps (interpolation, y, patched->n_rows, pictures->n_rows,
               all_down + y * pictures->n_rows);
  for (gsize patch = 0; patch < n_patches; patch++, out += width)
    {
      gsize place = find_place (patched, patch), x = place % patched->n_columns;
      const double *down = all_down + place / patched->n_columns * pictures->n_rows;

      memset (sums, 0, width * sizeof *sums);
      for (gsize row = 0; row < pictures->n_rows; row++)
        for (gsize column = 0; down[row] != 0.0 && column < pictures->n_columns; column++)
          {
            double tap = down[row] * across[x * pictures->n_columns + column];
            const float *from = learned + (row * pictures->n_columns + column) * width;

            for (gsize i = 0; tap != 0.0 && i < width; i++)
              sums[i] += tap * from[i];
          }
      for (gsize i = 0; i < width; i++)
        out[i] += (float) sums[i];
    }
}

/* Adds the embeddings of positions. @rows: [tokens, D], leading tokens and patches, before
 * registers are inserted */
static gboolean
add_positions (const AttnPass     *pass,
               const AttnPatched  *patched,
               float              *rows,
               GError            **error)
{
  const AttnPictures *pictures = &pass->config->pictures;
  gsize height = patched->pixels->shape[1];
  gboolean is_same = patched->n_rows * patched->n_columns ==
                     pictures->n_rows * pictures->n_columns;
  AttnInterpolation interpolation = pass->config->family->pictures.interpolation;
  gboolean is_fixed = interpolation == ATTN_INTERPOLATION_NONE;
  gsize width = pass->config->width;
  gsize n_leading = pictures->n_leading * width;
  g_autoptr (AttnTensor) positions = NULL;

  if (!attn_weights_load (pass->weights, ATTN_ROLE_POSITION_EMBEDDING, ATTN_SLOT_WEIGHT,
                          &positions, error))
    return FALSE;
  if (positions == NULL)
    return TRUE;
  attn_ops_add (rows, positions->data, n_leading);
  /* Positions are added as they were learned if the family never interpolates. Other published
   * models interpolate unless the number of patches is the same and the picture a square, and
   * linearly even then. */
  if (is_fixed || (is_same && height == patched->pixels->shape[2] &&
                   interpolation != ATTN_INTERPOLATION_LINEAR))
    attn_ops_add (rows + n_leading, positions->data + n_leading,
                  patched->n_rows * patched->n_columns * width);
  else
    add_interpolated (pass, patched, positions->data + n_leading, rows + n_leading);
  return TRUE;
}

/* Puts the leading tokens, which precede the patches, into the first of @rows. */
static gboolean
put_leading (const AttnPass  *pass,
             float           *rows,
             GError         **error)
{
  static const AttnRole roles[] = { ATTN_ROLE_CLASS_TOKEN, ATTN_ROLE_SECOND_TOKEN };
  gsize width = pass->config->width;

  for (gsize i = 0; i < G_N_ELEMENTS (roles); i++)
    {
      g_autoptr (AttnTensor) token = NULL;

      if (!attn_weights_load (pass->weights, roles[i], ATTN_SLOT_WEIGHT, &token, error))
        return FALSE;
      if (token == NULL)
        continue;
      memcpy (rows, token->data, width * sizeof (float));
      rows += width;
    }
  return TRUE;
}

/* Inserts the registers between the leading tokens and the patches. They have no positions. */
static gboolean
insert_registers (const AttnPass  *pass,
                  gsize            n_tokens,
                  float           *rows,
                  GError         **error)
{
  const AttnPictures *pictures = &pass->config->pictures;
  gsize width = pass->config->width;
  g_autoptr (AttnTensor) registers = NULL;
  float *at = rows + pictures->n_leading * width;

  if (!attn_weights_load (pass->weights, ATTN_ROLE_REGISTERS, ATTN_SLOT_WEIGHT, &registers, error))
    return FALSE;
  if (registers == NULL)
    return TRUE;
  gsize n = pictures->n_registers * width;
  memmove (at + n, at, ((n_tokens - pictures->n_leading) * width - n) * sizeof (float));
  memcpy (at, registers->data, n * sizeof (float));
  return TRUE;
}

/* Computes the vectors of all tokens of a picture. Returns: (transfer full) (nullable): [tokens,
 * D] */
static AttnTensor *
embed (const AttnPass     *pass,
       const AttnPatched  *patched,
       GError            **error)
{
  const AttnPictures *pictures = &pass->config->pictures;
  gsize n_patches = patched->n_rows * patched->n_columns;
  const gsize shape[] = { pictures->n_leading + pictures->n_registers + n_patches,
                          pass->config->width };
  gsize n_bytes = n_patches * sizeof (float) *
                  (pass->config->width + pictures->n_channels * pictures->n_frames *
                                             pictures->patch_size * pictures->patch_size);
  g_autoptr (AttnTensor) rows = NULL;

  if (!attn_memory_check (n_bytes, _("the patches of a picture"), error) ||
      (rows = attn_tensor_new_unset (2, shape, error)) == NULL ||
      !put_leading (pass, rows->data, error) ||
      !project_patches (pass, patched, rows->data + pictures->n_leading * shape[1], error) ||
      !add_positions (pass, patched, rows->data, error) ||
      !insert_registers (pass, shape[0], rows->data, error))
    return NULL;
  return g_steal_pointer (&rows);
}

/**
 * attn_pass_embed_patches:
 * @to: [T, D]
 * @error: return location: errors of [func@attn_model_check_source], %ATTN_ERROR_MEMORY
 *
 * Fills in the vectors of the computed tokens, from the picture of the model. The vectors of a
 * picture are computed at the first call and kept. Any thread may call.
 */
gboolean
attn_pass_embed_patches (const AttnPass  *pass,
                         AttnBuffer       to,
                         GError         **error)
{
  const AttnForward *forward = pass->forward;
  AttnPatched *patched = ((AttnTransformer *) forward->model)->patched;
  gsize width = pass->config->width;

  if (!attn_model_check_source (forward->model, error))
    return FALSE;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&patched->lock);
  if (patched->rows == NULL)
    patched->rows = embed (pass, patched, error);
  for (gsize i = 0; patched->rows != NULL && i < pass->n_tokens; i++)
    memcpy (pass->buffers[to] + i * width,
            patched->rows->data + forward->ids[forward->first_token + i] * width,
            width * sizeof (float));
  return patched->rows != NULL;
}

/**
 * attn_pass_rotate_patches:
 * @rope: a rotary embedding of the configuration
 * @table: (out caller-allocates): [T, R], see [func@attn_rotary_fill]
 *
 * Fills in the cosines and sines of the angles of the computed tokens: first the angles of the
 * patch's row, then those of its column, both from -2 π at one edge of the picture to 2 π at the
 * other, times the frequencies θ^(-4 i / R), i < R / 4 (Siméoni et al. 2025, arXiv 2508.10104,
 * section 3.2, and DINOv3ViTRopePositionEmbedding of transformers 4.57); or, in families that count
 * places, the numbers of row and column times the frequencies. Tokens before the patches are not
 * turned.
 */
void
attn_pass_rotate_patches (const AttnPass *pass,
                          const AttnRope *rope,
                          float          *table)
{
  const AttnForward *forward = pass->forward;
  const AttnModelInfo *info = attn_model_get_info (forward->model);
  const AttnPatched *patched = ((const AttnTransformer *) forward->model)->patched;
  gboolean counts = pass->config->family->pictures.counts_places;
  gsize n_angles = rope->width / 2, n = n_angles / 2;

  for (gsize i = 0; i < pass->n_tokens; i++, table += rope->width)
    {
      gsize token = forward->ids[forward->first_token + i];
      gboolean is_patch = token >= info->n_leading_tokens;
      gsize patch =
          is_patch ? find_place (patched, token - info->n_leading_tokens) : 0;
      const double numbers[] = { (double) (patch / info->n_patch_columns),
                                 (double) (patch % info->n_patch_columns) };
      const double places[] = {
        (numbers[0] + 0.5) / (double) info->n_patch_rows,
        (numbers[1] + 0.5) / (double) info->n_patch_columns,
      };

      for (gsize k = 0; k < n_angles; k++)
        {
          double frequency = pow (rope->base, -4.0 * (double) (k % n) / (double) rope->width);
          double turned = counts ? numbers[k / n] : 2.0 * G_PI * (2.0 * places[k / n] - 1.0);
          double angle = is_patch ? turned * frequency : 0.0;

          table[k] = (float) cos (angle);
          table[n_angles + k] = (float) sin (angle);
        }
    }
}

/* Computes the mean of the patches among @rows, [T, D]. */
static void
average (const AttnPass *pass,
         const float    *rows,
         float          *out)
{
  const AttnPictures *pictures = &pass->config->pictures;
  gsize width = pass->config->width;
  gsize first = pictures->n_leading + pictures->n_registers;
  g_autofree double *sums = g_new0 (double, width);

  for (gsize i = first; i < pass->n_tokens; i++)
    for (gsize j = 0; j < width; j++)
      sums[j] += rows[i * width + j];
  for (gsize j = 0; j < width; j++)
    out[j] = (float) (sums[j] / (double) (pass->n_tokens - first));
}

/* Adds the output of a classifier for @x, times @share, to @logits. With two classifiers @share is
 * one half. */
static gboolean
classify (const AttnPass  *pass,
          AttnRole         role,
          const float     *x,
          float            share,
          float           *logits,
          GError         **error)
{
  gsize n = pass->config->vocabulary_size;
  g_autoptr (AttnTensor) weight = NULL;
  g_autoptr (AttnTensor) bias = NULL;
  g_autofree float *own = g_new (float, n);

  if (!attn_weights_load (pass->weights, role, ATTN_SLOT_WEIGHT, &weight, error) ||
      !attn_weights_load (pass->weights, role, ATTN_SLOT_BIAS, &bias, error))
    return FALSE;

  AttnLinear linear = {
    .x = x,
    .n_rows = 1,
    .n_in = weight->shape[1],
    .n_out = n,
    .is_alone = pass->is_alone,
    .weight = weight->data,
    .bias = bias != NULL ? bias->data : NULL,
    .out = own,
    .out_stride = n,
  };
  attn_linear_run (&linear, pass->n_workers);
  for (gsize i = 0; i < n; i++)
    logits[i] += share * own[i];
  return TRUE;
}

/* Computes the logits of a picture's labels. @rows: [T, D] after the final norm; @logits: [labels],
 * zeros */
static gboolean
label (const AttnPass  *pass,
       const float     *rows,
       float           *logits,
       GError         **error)
{
  gsize width = pass->config->width;
  gboolean has_second = attn_weights_get (pass->weights, ATTN_ROLE_SECOND_LOGITS, 0) != NULL;
  g_autofree float *pooled = g_new (float, 2 * width);

  memcpy (pooled, rows, width * sizeof (float));
  if (pass->config->pictures.pooling == ATTN_POOLING_FIRST_AND_MEAN)
    average (pass, rows, pooled + width);
  if (pass->config->pictures.pooling == ATTN_POOLING_MEAN)
    average (pass, rows, pooled);
  return classify (pass, ATTN_ROLE_LOGITS, pooled, has_second ? 0.5f : 1.0f, logits, error) &&
         (!has_second || classify (pass, ATTN_ROLE_SECOND_LOGITS, rows + width, 0.5f, logits,
                                   error));
}

/**
 * attn_pass_compute_labels:
 * @from: [T, D] of all tokens of a picture, behind the final norm
 * @error: return location: %ATTN_ERROR_MEMORY
 *
 * All rows are the same, for a classifier has one result for a picture.
 *
 * Returns: (transfer full) (nullable): [rows asked for, labels], or [rows, n] of the n labels asked
 *   for
 */
AttnTensor *
attn_pass_compute_labels (const AttnPass  *pass,
                          AttnBuffer       from,
                          GError         **error)
{
  const AttnForward *forward = pass->forward;
  gsize n = pass->config->vocabulary_size;
  const gsize shape[] = { forward->n_logit_rows > 0 ? forward->n_logit_rows : pass->n_tokens,
                          forward->n_logit_ids > 0 ? forward->n_logit_ids : n };
  g_autoptr (AttnTensor) logits = attn_tensor_new_unset (2, shape, error);
  g_autofree float *all = g_new0 (float, n);

  if (logits == NULL || !label (pass, pass->buffers[from], all, error))
    return NULL;
  for (gsize row = 0; row < shape[0]; row++)
    for (gsize i = 0; i < shape[1]; i++)
      logits->data[row * shape[1] + i] =
          all[forward->n_logit_ids > 0 ? forward->logit_ids[i] : i];
  return g_steal_pointer (&logits);
}
