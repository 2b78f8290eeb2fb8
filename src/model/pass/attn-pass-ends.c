/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The ends of a pass: from token ids to the residual stream, and from the last layer to the
 * logits. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "attn-linear.h"
#include "attn-ops.h"
#include "attn-parallel.h"
#include "attn-pass.h"
#include "attn-pass-sight.h"
#include "attn-rotary.h"

/* The count of numbers that a thread processes at a time; for fewer numbers it does not pay to wake
 * a thread. */
#define NUMBERS_A_TASK ((gsize) 1 << 15)

typedef struct
{
  const AttnPass *pass;
  gsize n_rows; /* tokens of a task */
  AttnRowsFunc func;
  gpointer user_data;
} Rows;

static void
run_some_rows (gsize    task,
               gsize    worker,
               gpointer user_data)
{
  const Rows *rows = user_data;
  gsize first = task * rows->n_rows;

  rows->func (rows->pass, first, MIN (rows->n_rows, rows->pass->n_tokens - first), rows->user_data);
}

/**
 * attn_pass_run_rows:
 * @width: about how many numbers @func processes of a token
 * @func: called for some tokens at a time; its result for a token must not depend on other tokens
 *
 * Runs @func over all tokens in the threads of the pass.
 */
void
attn_pass_run_rows (const AttnPass *pass,
                    gsize           width,
                    AttnRowsFunc    func,
                    gpointer        user_data)
{
  Rows rows = { pass, MAX (NUMBERS_A_TASK / width, 1), func, user_data };

  attn_parallel_run ((pass->n_tokens + rows.n_rows - 1) / rows.n_rows, pass->n_workers,
                     run_some_rows, &rows);
}

/**
 * attn_pass_normalize_row:
 * @x: [@width]
 * @out: [@width], may be @x
 *
 * Applies the family's norm to one vector.
 */
void
attn_pass_normalize_row (const AttnConfig     *config,
                         const AttnParameters *parameters,
                         const float          *x,
                         gsize                 width,
                         float                 epsilon,
                         float                *out)
{
  if (config->norm == ATTN_NORM_LAYER)
    attn_ops_layer_norm (x, width, parameters->weight, parameters->bias, epsilon, out);
  else
    attn_ops_rms_norm (x, width, parameters->weight,
                       config->norm == ATTN_NORM_RMS_OFFSET ? 1.0f : 0.0f, epsilon, out);
}

typedef struct
{
  AttnBuffer from;
  const AttnParameters *parameters;
  AttnBuffer to;
  gsize width;
  float epsilon;
} Normalization;

static void
normalize_rows (const AttnPass *pass,
                gsize           first_row,
                gsize           n_rows,
                gpointer        user_data)
{
  const Normalization *n = user_data;
  gsize width = n->width;

  for (gsize i = first_row; i < first_row + n_rows; i++)
    attn_pass_normalize_row (pass->config, n->parameters, pass->buffers[n->from] + i * width,
                             width, n->epsilon, pass->buffers[n->to] + i * width);
}

/**
 * attn_pass_normalize:
 * @from: [T, @width]
 * @epsilon: what the norm adds before it takes the root
 * @parameters: weight and bias, [@width] each, %NULL if the norm has none
 * @to: [T, @width], may be @from
 *
 * Applies the family's norm to each token's vector.
 */
void
attn_pass_normalize (const AttnPass       *pass,
                     AttnBuffer            from,
                     gsize                 width,
                     double                epsilon,
                     const AttnParameters *parameters,
                     AttnBuffer            to)
{
  Normalization normalization = { from, parameters, to, width, (float) epsilon };

  attn_pass_run_rows (pass, width, normalize_rows, &normalization);
}

/* Applies a norm that the model has once, not in each layer, to vectors of @width numbers. Sets
 * *result to the buffer with the result, which is @from if the model does not have the norm. */
static gboolean
normalize_once (const AttnPass  *pass,
                AttnRole         role,
                gsize            width,
                AttnBuffer       from,
                AttnBuffer       to,
                AttnBuffer      *result,
                GError         **error)
{
  g_autoptr (AttnTensor) weight = NULL;
  g_autoptr (AttnTensor) bias = NULL;

  *result = from;
  if (!attn_config_has_role (pass->config, role))
    return TRUE;
  if (!attn_weights_load (pass->weights, role, ATTN_SLOT_WEIGHT, &weight, error) ||
      !attn_weights_load (pass->weights, role, ATTN_SLOT_BIAS, &bias, error))
    return FALSE;
  AttnParameters parameters = { weight != NULL ? weight->data : NULL,
                                bias != NULL ? bias->data : NULL };
  attn_pass_normalize (pass, from, width, pass->config->norm_epsilon, &parameters, to);
  *result = to;
  return TRUE;
}

/* Runs a linear layer that exists once in a model, not in each layer. */
static gboolean
run_linear_once (const AttnPass        *pass,
                 AttnRole               role,
                 AttnBuffer             from,
                 gsize                  n_in,
                 const AttnActivation  *activation,
                 AttnBuffer             to,
                 gsize                  n_out,
                 GError               **error)
{
  g_autoptr (AttnTensor) weight = NULL;
  g_autoptr (AttnTensor) bias = NULL;

  if (!attn_weights_load (pass->weights, role, ATTN_SLOT_WEIGHT, &weight, error) ||
      !attn_weights_load (pass->weights, role, ATTN_SLOT_BIAS, &bias, error))
    return FALSE;

  AttnLinear linear = {
    .x = pass->buffers[from],
    .n_rows = pass->n_tokens,
    .n_in = n_in,
    .n_out = n_out,
    .is_alone = pass->is_alone,
    .weight = weight->data,
    .is_input_major = pass->config->is_input_major,
    .bias = bias != NULL ? bias->data : NULL,
    .activation = activation,
    .out = pass->buffers[to],
    .out_stride = n_out,
  };
  attn_linear_run (&linear, pass->n_workers);
  return TRUE;
}

/* The share of tokens that the training of ESM left unmasked: all but 80 % of 15 % (transformers,
 * modeling_esm.py). */
#define UNMASKED_IN_TRAINING (1.0 - 0.15 * 0.8)

/* Returns the factor for the embeddings of unmasked tokens in a text, which makes up for the masked
 * tokens, or 0 if all tokens are masked. */
static float
measure_unmasked (const AttnConfig *config,
                  const guint32    *ids,
                  gsize             n_ids)
{
  gsize n_unmasked = 0;

  for (gsize i = 0; i < n_ids; i++)
    n_unmasked += ids[i] != config->mask_id ? 1 : 0;
  return n_unmasked > 0 ? (float) (UNMASKED_IN_TRAINING * (double) n_ids / (double) n_unmasked)
                        : 0.0f;
}

/* Sets the embeddings of masked tokens to 0, and scales up the others in each text. */
static void
drop_masked (const AttnPass *pass,
             AttnBuffer      to)
{
  const AttnConfig *config = pass->config;
  const AttnForward *forward = pass->forward;
  gsize width = config->embedding_width;
  gsize begin = 0;

  for (gsize text = 0; text < MAX (pass->n_texts, 1); text++)
    {
      gsize end = pass->n_texts > 1 ? attn_pass_get_end (pass, text) : forward->n_ids;
      float factor = measure_unmasked (config, forward->ids + begin, end - begin);

      for (gsize i = MAX (begin, forward->first_token); i < end; i++)
        {
          float *row = pass->buffers[to] + (i - forward->first_token) * width;

          for (gsize j = 0; j < width; j++)
            row[j] = forward->ids[i] == config->mask_id ? 0.0f : row[j] * factor;
        }
      begin = end;
    }
}

/* Reads the embeddings of the tokens, scaled if the family does so, and inserts the embeddings of
 * pictures in the text. */
static gboolean
embed_tokens (const AttnPass  *pass,
              AttnBuffer       to,
              GError         **error)
{
  const AttnConfig *config = pass->config;
  const AttnArray *tokens = attn_weights_get (pass->weights, ATTN_ROLE_TOKEN_EMBEDDING, 0);
  gsize width = config->embedding_width;
  float factor = (float) config->embedding_multiplier;

  for (gsize i = 0; i < pass->n_tokens; i++)
    {
      float *row = pass->buffers[to] + i * width;

      if (!attn_array_read (tokens, pass->forward->ids[pass->forward->first_token + i] * width,
                            width, row, error))
        return FALSE;
      for (gsize j = 0; factor != 1.0f && j < width; j++)
        row[j] *= factor;
    }
  if (config->has_mask_dropout)
    drop_masked (pass, to);
  return attn_pass_insert_pictures (pass, to, error);
}

/* Projects embeddings to the width of the model. */
static gboolean
project_embedded (const AttnPass  *pass,
                  GError         **error)
{
  return run_linear_once (pass, ATTN_ROLE_PROJECT_IN, ATTN_BUFFER_EMBEDDED,
                          pass->config->embedding_width, NULL, ATTN_BUFFER_RESIDUAL,
                          pass->config->width, error);
}

/* Fills in the sines, then the cosines, of the position @row, [@width]. A padding token has
 * zeros. */
static void
fill_sines (const AttnConfig *config,
            gsize             row,
            gboolean          is_padding,
            gsize             width,
            float            *position)
{
  gsize half = (width + 1) / 2;
  gsize n_rates = config->family->has_slowest_sine ? width / 2 : half;
  double step = config->family->has_slowest_sine ? 1.0 / MAX ((double) n_rates - 1.0, 1.0)
                                                 : 2.0 / (double) width;

  memset (position, 0, width * sizeof (float));
  for (gsize i = 0; i < n_rates && !is_padding; i++)
    {
      double angle = (double) row * pow (10000.0, -step * (double) i);

      position[i] = (float) sin (angle);
      if (n_rates + i < width)
        position[n_rates + i] = (float) cos (angle);
    }
}

/* Adds learned or sinusoidal positions to the tokens. In models with padding, a padding token is
 * not counted, and all padding tokens have the same position. */
static gboolean
add_positions (const AttnPass  *pass,
               AttnBuffer       to,
               gsize            width,
               GError         **error)
{
  const AttnConfig *config = pass->config;
  const AttnArray *positions = attn_weights_get (pass->weights, ATTN_ROLE_POSITION_EMBEDDING, 0);
  float *position = pass->buffers[ATTN_BUFFER_NORMED];
  gsize row = config->position_offset;
  gsize first = pass->forward->first_token;
  gsize text = 0;

  gboolean has_sines = config->positions == ATTN_POSITIONS_SINES;

  for (gsize i = 0; (positions != NULL || has_sines) && i < pass->forward->n_ids; i++)
    {
      if (pass->n_texts > 1 && i == attn_pass_get_end (pass, text))
        {
          row = config->position_offset;
          text++;
        }

      gboolean is_padding = config->has_padding && pass->forward->ids[i] == config->padding_id;
      gsize own_row = is_padding ? config->padding_id : row;

      row += is_padding ? 0 : 1;
      if (i < first)
        continue;
      if (has_sines)
        fill_sines (config, own_row, is_padding, width, position);
      else if (!attn_array_read (positions, own_row * width, width, position, error))
        return FALSE;
      attn_ops_add (pass->buffers[to] + (i - first) * width, position, width);
    }
  return TRUE;
}

/* Adds the first row of the type embedding to every token, as all are of the first segment. */
static gboolean
add_types (const AttnPass  *pass,
           AttnBuffer       to,
           gsize            width,
           GError         **error)
{
  const AttnArray *types = attn_weights_get (pass->weights, ATTN_ROLE_TYPE_EMBEDDING, 0);
  float *type = pass->buffers[ATTN_BUFFER_NORMED];

  if (types == NULL)
    return TRUE;
  if (!attn_array_read (types, 0, width, type, error))
    return FALSE;
  for (gsize i = 0; i < pass->n_tokens; i++)
    attn_ops_add (pass->buffers[to] + i * width, type, width);
  return TRUE;
}

/**
 * attn_pass_begin:
 * @error: return location for errors of [func@attn_array_read] and %ATTN_ERROR_MEMORY
 *
 * Fills the residual stream that enters the first layer of the pass, from what the caller gives or
 * from embeddings, and the tables of the rotary embeddings.
 */
gboolean
attn_pass_begin (AttnPass  *pass,
                 GError   **error)
{
  const AttnForward *forward = pass->forward;
  const AttnConfig *config = pass->config;
  gboolean is_projected = attn_config_has_role (config, ATTN_ROLE_PROJECT_IN);
  /* Embeddings of positions and types have the width of the token embedding in some families, and
   * the width of the model in others. */
  gboolean is_narrow = is_projected && config->family->embeds_narrowly;
  AttnBuffer to = is_narrow ? ATTN_BUFFER_EMBEDDED : ATTN_BUFFER_RESIDUAL;
  gsize width = is_narrow ? config->embedding_width : config->width;
  AttnBuffer result;

  for (int i = 0; i < ATTN_N_ROPES; i++)
    if (config->ropes[i].width > 0 && config->pictures.patch_size > 0)
      attn_pass_rotate_patches (pass, &config->ropes[i], attn_pass_get_rotation (pass, i));
    else if (attn_pass_has_sections (pass, i))
      attn_pass_rotate_seen (pass, &config->ropes[i], attn_pass_get_rotation (pass, i));
    else if (pass->config->ropes[i].width > 0)
      attn_rotary_fill (&pass->config->ropes[i], pass->n_seen, forward->first_token,
                        attn_pass_get_rotation (pass, i));
  if (config->layer_width > 0 && !embed_tokens (pass, ATTN_BUFFER_EMBEDDED, error))
    return FALSE;
  if (forward->residual != NULL)
    {
      memcpy (pass->buffers[ATTN_BUFFER_RESIDUAL],
              forward->residual->data + forward->first_token * pass->config->width,
              pass->n_tokens * pass->config->width * sizeof (float));
      return TRUE;
    }
  if (config->pictures.patch_size > 0)
    return attn_pass_embed_patches (pass, to, error) &&
           normalize_once (pass, ATTN_ROLE_EMBEDDING_NORM, width, to, to, &result, error);
  if (config->sounds.n_bins > 0)
    return attn_pass_embed_frames (pass, to, error);
  return embed_tokens (pass, is_projected ? ATTN_BUFFER_EMBEDDED : to, error) &&
         (!is_projected || is_narrow || project_embedded (pass, error)) &&
         add_positions (pass, to, width, error) && add_types (pass, to, width, error) &&
         normalize_once (pass, ATTN_ROLE_EMBEDDING_NORM, width, to, to, &result, error) &&
         (!is_narrow || project_embedded (pass, error));
}

/* Runs the steps between the last layer and the unembedding: the final norm, the projection to the
 * embedding's width, and the head of a masked language model. */
static gboolean
run_head (const AttnPass  *pass,
          AttnBuffer      *result,
          GError         **error)
{
  const AttnConfig *config = pass->config;

  if (!normalize_once (pass, ATTN_ROLE_FINAL_NORM, config->width, ATTN_BUFFER_RESIDUAL,
                       ATTN_BUFFER_NORMED, result, error))
    return FALSE;
  if (attn_config_has_role (config, ATTN_ROLE_PROJECT_OUT))
    {
      if (!run_linear_once (pass, ATTN_ROLE_PROJECT_OUT, *result, config->width, NULL,
                            ATTN_BUFFER_EMBEDDED, config->embedding_width, error))
        return FALSE;
      *result = ATTN_BUFFER_EMBEDDED;
    }
  if (attn_config_has_role (config, ATTN_ROLE_HEAD))
    return run_linear_once (pass, ATTN_ROLE_HEAD, *result, config->width, &config->head_activation,
                            ATTN_BUFFER_BRANCH, config->embedding_width, error) &&
           normalize_once (pass, ATTN_ROLE_HEAD_NORM, config->embedding_width,
                           ATTN_BUFFER_BRANCH, ATTN_BUFFER_BRANCH, result, error);
  return TRUE;
}

/* Reads the rows of @array, [V, width], that belong to the tokens whose logits are requested. */
static AttnTensor *
take_rows (const AttnPass   *pass,
           const AttnArray  *array,
           gsize             width,
           GError          **error)
{
  const gsize shape[] = { pass->forward->n_logit_ids, width };
  g_autoptr (AttnTensor) rows = attn_tensor_new_unset (2, shape, error);

  for (gsize i = 0; rows != NULL && i < shape[0]; i++)
    if (!attn_array_read (array, pass->forward->logit_ids[i] * width, width,
                          rows->data + i * width, error))
      return NULL;
  return g_steal_pointer (&rows);
}

/* Moves the rows of the last tokens, if only their logits are requested, to the front, and drops
 * the others from the pass. */
static void
keep_last_rows (AttnPass *pass)
{
  gsize n = pass->forward->n_logit_rows;
  gsize width = pass->config->width;
  float *residual = pass->buffers[ATTN_BUFFER_RESIDUAL];

  if (n == 0 || n >= pass->n_tokens)
    return;
  memmove (residual, residual + (pass->n_tokens - n) * width, n * width * sizeof (float));
  pass->n_tokens = n;
}

/**
 * attn_pass_compute_logits:
 * @error: return location: %ATTN_ERROR_MEMORY, %G_IO_ERROR_CANCELLED
 *
 * logits = head (x) E^T + b, where x leaves the last layer and E is the unembedding. If E is not
 * stored as float32, it is converted a part at a time.
 *
 * For a picture all rows are the same: the logits of the classifier's labels.
 *
 * Returns: (transfer full) (nullable): [T, V], or [T, n] of the n tokens asked for; if only the
 *   last rows are asked for, T is their number, and the pass keeps no others
 */
AttnTensor *
attn_pass_compute_logits (AttnPass  *pass,
                          GError   **error)
{
  const AttnConfig *config = pass->config;
  const AttnArray *array = attn_weights_get (pass->weights, ATTN_ROLE_LOGITS, 0);
  gsize width = config->embedding_width;
  gboolean has_some = pass->forward->n_logit_ids > 0;
  AttnBuffer from;

  if (config->pictures.patch_size > 0)
    return run_head (pass, &from, error) ? attn_pass_compute_labels (pass, from, error) : NULL;

  keep_last_rows (pass);
  const gsize shape[] = { pass->n_tokens,
                          has_some ? pass->forward->n_logit_ids : config->vocabulary_size };
  g_autoptr (AttnTensor) logits = attn_tensor_new_unset (2, shape, error);
  g_autoptr (AttnTensor) bias = NULL;
  g_autoptr (AttnTensor) rows = NULL;
  g_autofree float *rows_bias = g_new (float, MAX (pass->forward->n_logit_ids, 1));

  if (logits == NULL ||
      !attn_weights_load (pass->weights, ATTN_ROLE_LOGITS, ATTN_SLOT_BIAS, &bias, error) ||
      !run_head (pass, &from, error) ||
      (has_some && (rows = take_rows (pass, array, width, error)) == NULL))
    return NULL;
  for (gsize i = 0; has_some && bias != NULL && i < shape[1]; i++)
    rows_bias[i] = bias->data[pass->forward->logit_ids[i]];

  if (g_cancellable_set_error_if_cancelled (pass->forward->cancellable, error))
    return NULL;

  AttnLinear linear = {
    .x = pass->buffers[from],
    .n_rows = pass->n_tokens,
    .n_in = width,
    .n_out = shape[1],
    .weight = has_some ? rows->data : attn_array_peek_float32 (array),
    .array = has_some ? NULL : array,
    .scratch = pass->buffers[ATTN_BUFFER_TILES],
    .n_scratch = attn_pass_get_tile (config),
    .is_alone = pass->is_alone,
    .bias = bias == NULL ? NULL : has_some ? rows_bias
                                           : bias->data,
    .out = logits->data,
    .out_stride = shape[1],
  };
  if (!attn_pass_need (pass, linear.array))
    {
      g_cancellable_set_error_if_cancelled (pass->forward->cancellable, error);
      return NULL;
    }
  attn_linear_run (&linear, pass->n_workers);
  if (config->logit_scale != 1.0)
    attn_ops_scale (logits->data, (float) config->logit_scale, shape[0] * shape[1]);
  if (config->final_logit_softcap > 0.0)
    attn_ops_cap ((float) config->final_logit_softcap, shape[0] * shape[1], logits->data);
  return g_steal_pointer (&logits);
}
