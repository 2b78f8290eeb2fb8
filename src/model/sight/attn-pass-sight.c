/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-pass-sight.h"

#include <string.h>

#include "attn-linear.h"
#include "attn-ops.h"
#include "attn-rotary.h"
#include "attn-threads.h"

/* In this file, “tower” is the vision encoder of a vision-language model, T the number of its
 * tokens, N that of the picture's tokens in the text, W the tower's width times the number of
 * layers whose output is used, and D the width of the language model. */

/**
 * attn_seen_new:
 * @tower: the half for pictures with its picture; a reference is taken
 * @interventions: (nullable): interventions on the half for pictures, checked and prepared; a
 *   reference is taken
 *
 * Returns: (transfer full): a picture whose tokens are computed when a pass first needs them
 */
AttnSeen *
attn_seen_new (AttnModel *tower,
               GPtrArray *interventions)
{
  AttnSeen *seen = g_new0 (AttnSeen, 1);

  g_mutex_init (&seen->lock);
  seen->tower = attn_model_ref (tower);
  seen->interventions = interventions != NULL ? g_ptr_array_ref (interventions) : NULL;
  return seen;
}

void
attn_seen_free (AttnSeen *seen)
{
  if (seen == NULL)
    return;
  g_mutex_clear (&seen->lock);
  g_clear_pointer (&seen->rows, attn_tensor_unref);
  for (gsize i = 0; i < ATTN_SIGHT_MAX_LAYERS; i++)
    g_clear_pointer (&seen->deep[i], attn_tensor_unref);
  g_clear_pointer (&seen->interventions, g_ptr_array_unref);
  attn_model_unref (seen->tower);
  g_free (seen);
}

/**
 * attn_sight_count_tokens:
 * @tower: the half for pictures with its picture
 *
 * Returns: N, how many tokens the picture becomes in a text
 */
gsize
attn_sight_count_tokens (const AttnModel *tower)
{
  const AttnSeeing *seeing = &((const AttnTransformer *) tower)->config.seeing;

  return (tower->info.n_patch_rows / seeing->pool) * (tower->info.n_patch_columns / seeing->pool) +
         (seeing->keeps_class ? tower->info.n_leading_tokens : 0);
}

/* Copies the output of a layer, @rows, [T, width], into the columns of @taken, [T, W], that it has
 * among the layers used, without tokens before the patches that @taken leaves out. */
static void
take_layer (const AttnModel  *tower,
            const AttnTensor *rows,
            gsize             index,
            AttnTensor       *taken)
{
  gsize width = tower->info.width;
  gsize first = rows->shape[0] - taken->shape[0];

  for (gsize i = 0; i < taken->shape[0]; i++)
    memcpy (taken->data + i * taken->shape[1] + index * width, rows->data + (first + i) * width,
            width * sizeof (float));
}

/* Applies the tower's final norm or the projector's norm, which @role names, to each row of @x. */
static gboolean
normalize (const AttnTransformer  *tower,
           AttnRole                role,
           AttnTensor             *x,
           GError                **error)
{
  const AttnConfig *config = &tower->config;
  g_autoptr (AttnTensor) weight = NULL;
  g_autoptr (AttnTensor) bias = NULL;

  if (!attn_weights_load (tower->weights, role, ATTN_SLOT_WEIGHT, &weight, error) ||
      !attn_weights_load (tower->weights, role, ATTN_SLOT_BIAS, &bias, error))
    return FALSE;
  for (gsize i = 0; weight != NULL && i < x->shape[0]; i++)
    {
      float *row = x->data + i * x->shape[1];

      if (bias != NULL)
        attn_ops_layer_norm (row, x->shape[1], weight->data, bias->data,
                             (float) config->norm_epsilon, row);
      else
        attn_ops_rms_norm (row, x->shape[1], weight->data,
                           config->sight->has_offset_norm ? 1.0f : 0.0f,
                           (float) config->norm_epsilon, row);
    }
  return TRUE;
}

/* Averages each square of a picture's patches to one token. @x: [patches, W]. Returns: (transfer
 * full) (nullable): [N, W] */
static AttnTensor *
pool (const AttnModel   *tower,
      const AttnTensor  *x,
      GError           **error)
{
  gsize side = ((const AttnTransformer *) tower)->config.seeing.pool, width = x->shape[1];
  gsize n_columns = tower->info.n_patch_columns / side;
  const gsize shape[] = { attn_sight_count_tokens (tower), width };
  AttnTensor *out = attn_tensor_new (2, shape, error);
  g_autofree double *sums = g_new (double, width);

  for (gsize i = 0; out != NULL && i < shape[0]; i++)
    {
      memset (sums, 0, width * sizeof *sums);
      for (gsize k = 0; k < side * side; k++)
        {
          gsize row = i / n_columns * side + k / side, column = i % n_columns * side + k % side;
          const float *patch = x->data + (row * tower->info.n_patch_columns + column) * width;

          for (gsize j = 0; j < width; j++)
            sums[j] += patch[j];
        }
      for (gsize j = 0; j < width; j++)
        out->data[i * width + j] = (float) (sums[j] / (double) (side * side));
    }
  return out;
}

/* Requests the vectors that enter layer @layer, which is the output of the first @layer layers: an
 * entry of @residuals that is set is filled in by the pass. */
static gboolean
want (AttnTensor  **residuals,
      gsize         layer,
      gsize         n_layers,
      const gsize  *shape,
      GError      **error)
{
  if (layer < n_layers && residuals[layer] == NULL)
    residuals[layer] = attn_tensor_new_unset (2, shape, error);
  return layer >= n_layers || residuals[layer] != NULL;
}

/* Runs the vision encoder. @deep: (out) (array): [n_deep], outputs of the layers that further
 * projectors get. Returns: (transfer full) (nullable): outputs of the layers that the projector
 * gets, [T, W], without tokens before the patches if these are left out */
static AttnTensor *
look (const AttnSeen  *seen,
      gsize            n_workers,
      AttnTensor     **deep,
      GCancellable    *cancellable,
      GError         **error)
{
  const AttnTransformer *self = (const AttnTransformer *) seen->tower;
  const AttnSeeing *seeing = &self->config.seeing;
  gsize n_layers = self->config.n_layers;
  g_autoptr (AttnTokens) tokens = attn_model_list_patches (seen->tower);
  g_autofree guint32 *ids = attn_tokens_dup_ids (tokens);
  AttnTensor **residuals = g_new0 (AttnTensor *, n_layers);
  g_autofree AttnKept *kept = g_new0 (AttnKept, n_layers);
  g_autoptr (AttnTensor) final = NULL;
  const gsize whole[] = { tokens->n_tokens, self->config.width };
  const gsize shape[] = {
    tokens->n_tokens - (seeing->keeps_class ? 0 : seen->tower->info.n_leading_tokens),
    seeing->n_layers * self->config.width
  };
  g_autoptr (AttnTensor) taken = attn_tensor_new_unset (2, shape, error);

  gboolean is_good = taken != NULL;

  for (gsize i = 0; is_good && i < seeing->n_layers; i++)
    is_good = want (residuals, seeing->layers[i], n_layers, whole, error);
  for (gsize i = 0; is_good && i < seeing->n_deep; i++)
    is_good = want (residuals, seeing->deep_layers[i] + 1, n_layers, whole, error);
  const AttnForward forward = {
    .model = seen->tower,
    .ids = ids,
    .n_ids = tokens->n_tokens,
    .interventions = seen->interventions,
    .keep = ATTN_QUANTITY_FINAL,
    .kept = kept,
    .final = &final,
    .residuals = residuals,
    .n_workers = n_workers,
    .cancellable = cancellable,
  };

  is_good = is_good && seen->tower->class->run (&forward, error);
  for (gsize i = 0; is_good && i < seeing->n_deep; i++)
    {
      gsize layer = seeing->deep_layers[i] + 1;

      deep[i] = attn_tensor_ref (layer < n_layers ? residuals[layer] : final);
    }
  is_good = is_good && (!self->config.sight->has_final_norm ||
                        normalize (self, ATTN_ROLE_FINAL_NORM, final, error));
  for (gsize i = 0; is_good && i < seeing->n_layers; i++)
    take_layer (seen->tower,
                seeing->layers[i] < n_layers ? residuals[seeing->layers[i]] : final, i, taken);
  for (gsize i = 0; i < n_layers; i++)
    g_clear_pointer (&residuals[i], attn_tensor_unref);
  g_free (residuals);
  return is_good ? g_steal_pointer (&taken) : NULL;
}

/* Multiplies the rows of @x by a matrix, adds @bias (nullable) and applies the activation, if any.
 * Returns: (transfer full) (nullable): [N, out] */
static AttnTensor *
run_linear (const AttnTensor      *x,
            const AttnTensor      *weight,
            const AttnTensor      *bias,
            gboolean               is_input_major,
            const AttnActivation  *activation,
            gsize                  n_workers,
            GError               **error)
{
  const gsize shape[] = { x->shape[0], weight->shape[is_input_major ? 1 : 0] };
  AttnTensor *out = attn_tensor_new_unset (2, shape, error);

  if (out == NULL)
    return NULL;
  AttnLinear linear = {
    .x = x->data,
    .n_rows = shape[0],
    .n_in = x->shape[1],
    .n_out = shape[1],
    .weight = weight->data,
    .is_input_major = is_input_major,
    .bias = bias != NULL ? bias->data : NULL,
    .activation = activation,
    .out = out->data,
    .out_stride = shape[1],
  };
  attn_linear_run (&linear, n_workers > 0 ? n_workers : attn_threads_get ());
  return out;
}

/* Multiplies the rows of @x by a matrix of the projector, which @role names. Returns: (transfer
 * full) (nullable): [N, out] */
static AttnTensor *
multiply (const AttnTransformer  *tower,
          AttnRole                role,
          const AttnTensor       *x,
          const AttnActivation   *activation,
          gsize                   n_workers,
          GError                **error)
{
  g_autoptr (AttnTensor) weight = NULL;
  g_autoptr (AttnTensor) bias = NULL;

  if (!attn_weights_load (tower->weights, role, ATTN_SLOT_WEIGHT, &weight, error) ||
      !attn_weights_load (tower->weights, role, ATTN_SLOT_BIAS, &bias, error))
    return NULL;
  return run_linear (x, weight, bias,
                     role == ATTN_ROLE_PROJECTOR_OUT && tower->config.sight->is_input_major,
                     activation, n_workers, error);
}

/* Joins the vectors of the patches of a group, merge rows and columns, that become one token; they
 * lie one behind the other. Returns: (transfer full) (nullable): [N, merge^2 W] */
static AttnTensor *
join_groups (const AttnModel   *tower,
             const AttnTensor  *rows,
             GError           **error)
{
  gsize n = attn_sight_count_tokens (tower);
  const gsize shape[] = { n, attn_tensor_get_n_elements (rows) / n };
  AttnTensor *joined = attn_tensor_new_unset (2, shape, error);

  if (joined != NULL)
    memcpy (joined->data, rows->data, shape[0] * shape[1] * sizeof (float));
  return joined;
}

/* Sorts tokens row by row, from the order of the vision tower's groups of patches. Returns:
 * (transfer full) (nullable): [N, D] */
static AttnTensor *
sort_groups (const AttnModel   *tower,
             const AttnTensor  *rows,
             GError           **error)
{
  const AttnTransformer *self = (const AttnTransformer *) tower;
  gsize merge = self->config.pictures.merge, n_columns = tower->info.n_patch_columns;
  AttnTensor *sorted = attn_tensor_new_unset (2, rows->shape, error);

  for (gsize i = 0; sorted != NULL && i < rows->shape[0]; i++)
    {
      gsize place = self->patched->places[i * merge * merge];
      gsize to = place / n_columns / merge * (n_columns / merge) + place % n_columns / merge;

      memcpy (sorted->data + to * rows->shape[1], rows->data + i * rows->shape[1],
              rows->shape[1] * sizeof (float));
    }
  return sorted;
}

/* Replaces the tensor *rows by @made, the result of a computation. Returns whether @made is not
 * NULL. @made: (transfer full) (nullable) */
static gboolean
replace (AttnTensor **rows,
         AttnTensor  *made)
{
  attn_tensor_unref (*rows);
  *rows = made;
  return made != NULL;
}

/* Loads weight and bias of one part of further projector @number. @part: 0 for its norm, 1 and 2
 * for its matrices; @n_in: 0 for the norm */
static gboolean
load_deep (const AttnTransformer  *tower,
           gsize                   part,
           gsize                   number,
           gsize                   n_out,
           gsize                   n_in,
           AttnTensor            **weight,
           AttnTensor            **bias,
           GError                **error)
{
  const char *name = tower->config.sight->deep_names[part];
  g_autofree char *weight_name = attn_family_spell (name, ATTN_SLOT_WEIGHT, number);
  g_autofree char *bias_name = attn_family_spell (name, ATTN_SLOT_BIAS, number);
  const gsize shape[] = { n_out, n_in };

  *weight = attn_weights_load_named (tower->weights, weight_name, n_in > 0 ? 2 : 1, shape, error);
  if (*weight != NULL)
    *bias = attn_weights_load_named (tower->weights, bias_name, 1, shape, error);
  return *weight != NULL && *bias != NULL;
}

/* Projects a layer's output, [T, width], by further projector @number, whose norm spans a whole
 * group of patches. Returns: (transfer full) (nullable): [N, D] */
static AttnTensor *
see_deep (const AttnSeen    *seen,
          gsize              number,
          const AttnTensor  *rows,
          gsize              n_workers,
          GError           **error)
{
  static const AttnActivation gelu = ATTN_ACTIVATION_GELU;
  const AttnTransformer *tower = (const AttnTransformer *) seen->tower;
  g_autoptr (AttnTensor) x = join_groups (seen->tower, rows, error);
  g_autoptr (AttnTensor) scale = NULL;
  g_autoptr (AttnTensor) shift = NULL;
  gsize group = x != NULL ? x->shape[1] : 0;

  if (x == NULL || !load_deep (tower, 0, number, group, 0, &scale, &shift, error))
    return NULL;
  for (gsize i = 0; i < x->shape[0]; i++)
    attn_ops_layer_norm (x->data + i * group, group, scale->data, shift->data,
                         (float) tower->config.norm_epsilon, x->data + i * group);
  for (gsize part = 1; part < ATTN_N_PROJECTOR_ROLES; part++)
    {
      g_autoptr (AttnTensor) weight = NULL;
      g_autoptr (AttnTensor) bias = NULL;
      gsize n_out = part == 1 ? group : tower->config.seeing.text_width;

      if (!load_deep (tower, part, number, n_out, group, &weight, &bias, error) ||
          !replace (&x, run_linear (x, weight, bias, FALSE, part == 1 ? &gelu : NULL, n_workers,
                                    error)))
        return NULL;
    }
  return sort_groups (seen->tower, x, error);
}

/* Runs the tower and all projectors. Returns: (transfer full) (nullable): the picture's tokens, [N,
 * D] */
static AttnTensor *
see (AttnSeen      *seen,
     gsize          n_workers,
     GCancellable  *cancellable,
     GError       **error)
{
  const AttnTransformer *tower = (const AttnTransformer *) seen->tower;
  AttnTensor *deep[ATTN_SIGHT_MAX_LAYERS] = { NULL };
  g_autoptr (AttnTensor) rows = look (seen, n_workers, deep, cancellable, error);
  gboolean is_good = rows != NULL;

  for (gsize i = 0; i < tower->config.seeing.n_deep; i++)
    {
      g_clear_pointer (&seen->deep[i], attn_tensor_unref);
      if (is_good)
        seen->deep[i] = see_deep (seen, i, deep[i], n_workers, error);
      is_good = is_good && seen->deep[i] != NULL;
      g_clear_pointer (&deep[i], attn_tensor_unref);
    }
  if (!is_good)
    return NULL;

  gboolean has_groups = tower->config.pictures.merge > 1;
  if ((tower->config.sight->pooled_tokens > 0 &&
       !replace (&rows, pool (seen->tower, rows, error))) ||
      (attn_config_has_role (&tower->config, ATTN_ROLE_PROJECTOR_NORM) &&
       !normalize (tower, ATTN_ROLE_PROJECTOR_NORM, rows, error)) ||
      (has_groups && !replace (&rows, join_groups (seen->tower, rows, error))) ||
      (attn_config_has_role (&tower->config, ATTN_ROLE_PROJECTOR_IN) &&
       !replace (&rows, multiply (tower, ATTN_ROLE_PROJECTOR_IN, rows,
                                  &tower->config.seeing.activation, n_workers, error))) ||
      !replace (&rows, multiply (tower, ATTN_ROLE_PROJECTOR_OUT, rows, NULL, n_workers, error)) ||
      (has_groups && !replace (&rows, sort_groups (seen->tower, rows, error))))
    return NULL;
  return g_steal_pointer (&rows);
}

/* Counts the tokens of pictures among the first @first tokens of the text. */
static gsize
count_before (const AttnForward *forward,
              guint32            image_token,
              gsize              first)
{
  gsize n = 0;

  for (gsize i = 0; i < first; i++)
    n += forward->ids[i] == image_token ? 1 : 0;
  return n;
}

/* Computes the tokens of the pictures whose tokens were not computed before. */
static gboolean
see_all (const AttnPass  *pass,
         GPtrArray       *seen,
         GError         **error)
{
  gboolean is_good = TRUE;

  for (guint i = 0; is_good && i < seen->len; i++)
    {
      AttnSeen *own = seen->pdata[i];
      g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&own->lock);

      if (own->rows == NULL)
        own->rows = see (own, pass->forward->n_workers, pass->forward->cancellable, error);
      is_good = own->rows != NULL;
    }
  return is_good;
}

/* Returns vector @row of the tokens of all pictures, one picture behind the other; NULL behind the
 * last. @deep: number of the further projector that the vector is from, -1 for the first one. */
static const float *
find_row (const GPtrArray *seen,
          gssize           deep,
          gsize            row)
{
  for (guint i = 0; i < seen->len; i++)
    {
      const AttnSeen *own = seen->pdata[i];
      const AttnTensor *rows = deep < 0 ? own->rows : own->deep[deep];

      if (row < rows->shape[0])
        return rows->data + row * rows->shape[1];
      row -= rows->shape[0];
    }
  return NULL;
}

/* Replaces the embeddings of the pictures' tokens by the projector's output, or adds to them the
 * output of further projector @deep, if that is not -1. The first call runs the vision encoder. */
static gboolean
use_rows (const AttnPass  *pass,
          gssize           deep,
          AttnBuffer       to,
          GError         **error)
{
  const AttnForward *forward = pass->forward;
  GPtrArray *seen = ((AttnTransformer *) forward->model)->seen;
  guint32 image_token = (guint32) pass->config->seeing.image_token;
  gsize width = pass->config->width;
  gsize text = 0, row = count_before (forward, image_token, forward->first_token);

  if (!see_all (pass, seen, error))
    return FALSE;
  for (gsize i = 0; i < pass->n_tokens; i++)
    {
      if (pass->n_texts > 1 && i == attn_pass_get_end (pass, text))
        {
          row = 0;
          text++;
        }
      if (forward->ids[forward->first_token + i] != image_token)
        continue;
      const float *own = find_row (seen, deep, row++);
      if (own != NULL && deep < 0)
        memcpy (pass->buffers[to] + i * width, own, width * sizeof (float));
      else if (own != NULL)
        attn_ops_add (pass->buffers[to] + i * width, own, width);
    }
  return TRUE;
}

/**
 * attn_pass_insert_pictures:
 * @to: (inout): buffer of the pass, with the embeddings of the tokens that it computes
 * @error: return location: errors of [func@attn_forward_run]
 *
 * Replaces the embeddings of the pictures' tokens by what the projector makes of the pictures. Does
 * nothing for a model without pictures. Any thread may call.
 */
gboolean
attn_pass_insert_pictures (const AttnPass  *pass,
                           AttnBuffer       to,
                           GError         **error)
{
  return ((const AttnTransformer *) pass->forward->model)->seen == NULL ||
         use_rows (pass, -1, to, error);
}

/**
 * attn_pass_add_deep:
 * @layer: the layer of the language model that has just been computed
 * @error: return location: errors of [func@attn_forward_run]
 *
 * Adds to the pictures' tokens the output of further projector number @layer, which is made from a
 * layer of the vision encoder, if the model has one of that number (Meng et al. 2024, arXiv
 * 2406.04334).
 */
gboolean
attn_pass_add_deep (const AttnPass  *pass,
                    gsize            layer,
                    GError         **error)
{
  const AttnTransformer *self = (const AttnTransformer *) pass->forward->model;

  return self->seen == NULL || pass->is_at_ends ||
         layer >= ((const AttnTransformer *) self->tower)->config.seeing.n_deep ||
         use_rows (pass, (gssize) layer, ATTN_BUFFER_RESIDUAL, error);
}

/**
 * attn_pass_has_sections:
 * @rope: index of the rotary embedding in the configuration
 *
 * Returns: whether the text has pictures and angles of the rotary embedding depend on the time, row
 *   and column of their tokens
 */
gboolean
attn_pass_has_sections (const AttnPass *pass,
                        int             rope)
{
  const gsize *sections = pass->config->ropes[rope].sections;

  return ((const AttnTransformer *) pass->forward->model)->seen != NULL &&
         sections[0] + sections[1] + sections[2] > 0;
}

/* Returns whether an angle depends on the time (0), the row (1) or the column (2) of a token. */
static gsize
find_section (const AttnRope *rope,
              gsize           angle)
{
  if (rope->is_interleaved)
    return angle % 3 > 0 && angle < 3 * rope->sections[angle % 3] ? angle % 3 : 0;
  return angle < rope->sections[0]                       ? 0
         : angle < rope->sections[0] + rope->sections[1] ? 1
                                                         : 2;
}

/**
 * attn_pass_rotate_seen:
 * @rope: a rotary embedding of the configuration that has sections
 * @table: (out caller-allocates): [T, R], see [func@attn_rotary_fill]
 *
 * Fills in the cosines and sines of the tokens that a pass computes. Time, row and column of a text
 * token are all its position, which grows by one a token. The tokens of a picture have the time at
 * which the picture begins, and rows and columns counted from that time. The text behind it goes on
 * at that time plus the number of rows or of columns, whichever is larger (Wang et al. 2024, arXiv
 * 2409.12191, section 2.1; get_rope_index() of transformers 4.57).
 */
void
attn_pass_rotate_seen (const AttnPass *pass,
                       const AttnRope *rope,
                       float          *table)
{
  const AttnModel *model = pass->forward->model;
  gsize n_angles = rope->width / 2, n_pictures = attn_model_count_pictures (model);
  gsize next = 0, before = 0; /* numbers of tokens and of positions that the pictures before the
                               * present token take */
  gsize number = 0;
  g_autofree float *all = g_new (float, pass->n_seen * rope->width);

  attn_rotary_fill (rope, pass->n_seen, 0, all);
  for (gsize i = 0; i < attn_pass_count_rotations (pass); i++, table += rope->width)
    {
      gsize token = pass->forward->first_token + i;
      AttnPicture picture = { .begin = G_MAXSIZE };
      gsize places[3];

      for (; number < n_pictures; number++)
        {
          picture = attn_model_get_picture (model, number);
          if (token < picture.end)
            break;
          next += picture.end - picture.begin;
          before += MAX (picture.n_rows, picture.n_columns);
          picture.begin = G_MAXSIZE;
        }
      places[0] = places[1] = places[2] = token - next + before;
      if (token >= picture.begin)
        {
          gsize patch = token - picture.begin;

          places[0] = picture.begin - next + before;
          places[1] = places[0] + patch / picture.n_columns;
          places[2] = places[0] + patch % picture.n_columns;
        }
      for (gsize k = 0; k < n_angles; k++)
        {
          const float *row = all + places[find_section (rope, k)] * rope->width;

          table[k] = row[k];
          table[n_angles + k] = row[n_angles + k];
        }
    }
}
