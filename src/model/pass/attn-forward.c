/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-forward.h"

#include <math.h>
#include <string.h>

#include "attn-ops.h"
#include "attn-parallel.h"
#include "attn-pass-sight.h"
#include "attn-pass.h"
#include "attn-threads.h"

/* Applies norm and rotation to projected queries, keys and values, for use in scores, with the
 * interventions before, between and after the two. */
static void
prepare_components (const AttnPass    *pass,
                    const AttnVectors  components[ATTN_N_COMPONENTS])
{
  attn_pass_intervene (pass, ATTN_SITE_PROJECTION, components);
  if (pass->parameters[ATTN_ROLE_QUERY_NORM].weight != NULL)
    attn_pass_normalize_components (pass, components);
  attn_pass_intervene (pass, ATTN_SITE_NORMED, components);
  if (pass->config->layers[pass->layer].rope != ATTN_NO_ROPE)
    attn_pass_rotate_components (pass, components);
  attn_pass_intervene (pass, ATTN_SITE_ROTATED, components);
  attn_pass_share (pass);
}

static void
set_sink_scores (const AttnPass *pass,
                 gsize           layer)
{
  const AttnForward *forward = pass->forward;
  gsize n_heads = pass->config->n_heads;

  for (gsize head = 0; head < n_heads; head++)
    {
      const float *column = pass->buffers[ATTN_BUFFER_FIRST_COLUMN] + head * pass->n_tokens;
      gsize n_before = forward->first_token;
      double sum = 0.0;

      if (!attn_index_set_contains (forward->heads, head))
        continue;
      if (forward->first_columns != NULL)
        {
          float *whole = forward->first_columns + (layer * n_heads + head) * forward->n_ids;

          memcpy (whole + n_before, column, pass->n_tokens * sizeof (float));
          column = whole;
        }
      for (gsize i = 0; i < forward->n_ids; i++)
        sum += column[i];
      pass->forward->sink_scores[layer * n_heads + head] = (float) (sum / (double) forward->n_ids);
    }
}

/* Returns the keys or values that the pass keeps of a layer, including those of the first tokens,
 * which were copied from another pass. */
static AttnVectors
see_kept (const AttnPass *pass,
          gsize           layer,
          AttnQuantity    quantity)
{
  return attn_vectors_wrap (attn_kept_get (&pass->forward->kept[layer], quantity),
                            pass->config->n_heads);
}

/* Runs attention for each text separately, since no query may attend to keys of another text. */
static void
run_texts (const AttnPass      *pass,
           const AttnAttention *all)
{
  for (gsize text = 0; text < pass->n_texts; text++)
    {
      AttnAttention attention = *all;
      gsize begin = attn_pass_get_begin (pass, text);
      gsize n_tokens = attn_pass_get_end (pass, text) - begin;

      attention.query = attn_pass_cut_rows (&all->query, begin, n_tokens);
      attention.key = attn_pass_cut_rows (&all->key, begin, n_tokens);
      attention.value = attn_pass_cut_rows (&all->value, begin, n_tokens);
      attention.seen.text = text;
      if (all->context != NULL)
        attention.context += begin * all->query.n_heads * all->value.width;
      attn_attention_run (&attention);
    }
}

/* Gets the queries of the decoder's tokens and the keys and values of the encoder's tokens. If
 * there is a cache, keys and values are computed once and then taken from it. */
static void
get_cross_components (const AttnPass *pass,
                      AttnVectors     components[ATTN_N_COMPONENTS])
{
  AttnPast *past = pass->forward->past;
  AttnPastLayer *kept = past != NULL ? &past->layers[pass->layer] : NULL;

  attn_pass_set_cross_components (pass, components);
  attn_pass_intervene (pass, ATTN_SITE_PROJECTION, components);
  if (kept == NULL)
    return;
  if (!kept->has_source)
    attn_past_set_source (kept, &components[ATTN_COMPONENT_KEY],
                          &components[ATTN_COMPONENT_VALUE]);
  components[ATTN_COMPONENT_KEY] = attn_vectors_wrap (kept->source_key, pass->config->n_heads);
  components[ATTN_COMPONENT_VALUE] = attn_vectors_wrap (kept->source_value, pass->config->n_heads);
}

/* Gets the queries, keys and values of the present self- or cross-attention, as its scores use
 * them. */
static void
get_components (const AttnPass *pass,
                AttnVectors     components[ATTN_N_COMPONENTS])
{
  if (pass->is_cross != pass->is_aside)
    {
      get_cross_components (pass, components);
      return;
    }
  attn_pass_set_components (pass, components);
  prepare_components (pass, components);
}

static gboolean
run_attention (const AttnPass  *pass,
               gsize            layer,
               gboolean         has_context,
               GError         **error)
{
  const AttnConfig *config = pass->config;
  const AttnTransformer *transformer = (const AttnTransformer *) pass->forward->model;
  gboolean is_aside = pass->is_aside;
  AttnPast *past = pass->forward->past;
  AttnVectors components[ATTN_N_COMPONENTS];

  get_components (pass, components);
  const gsize shape[] = { attn_index_set_count (pass->forward->heads, config->n_heads),
                          pass->n_tokens, components[ATTN_COMPONENT_KEY].n_tokens };

  AttnAttention attention = {
    .query = components[ATTN_COMPONENT_QUERY],
    .key = components[ATTN_COMPONENT_KEY],
    .value = components[ATTN_COMPONENT_VALUE],
    .rules = is_aside ? transformer->other_rules[layer]
                      : *attn_model_get_rules (pass->forward->model, layer),
    .heads = pass->forward->heads,
    .context = has_context ? pass->buffers[ATTN_BUFFER_CONTEXT] : NULL,
    .first_column = pass->buffers[ATTN_BUFFER_FIRST_COLUMN],
    .interventions = is_aside ? NULL : pass->forward->interventions,
    .look = is_aside ? NULL : pass->forward->look,
    .look_data = pass->forward->look_data,
    .seen.layer = layer,
    .n_workers = pass->n_workers,
    .scratch = pass->buffers[ATTN_BUFFER_ATTENTION],
    .cancellable = pass->forward->cancellable,
  };

  attn_pass_show_states (pass, ATTN_QUANTITY_QUERY, layer, &attention.query);
  attn_pass_show_states (pass, ATTN_QUANTITY_KEY, layer, &attention.key);
  attn_pass_show_states (pass, ATTN_QUANTITY_VALUE, layer, &attention.value);
  /* The output of attention, which every layer but the last needs, is made of all heads, even heads
   * whose weights are not kept. */
  if (has_context)
    attention.heads = NULL;
  if (!attn_pass_keep_vectors (pass, layer, ATTN_QUANTITY_QUERY, &attention.query, error) ||
      !attn_pass_keep_vectors (pass, layer, ATTN_QUANTITY_KEY, &attention.key, error) ||
      !attn_pass_keep_vectors (pass, layer, ATTN_QUANTITY_VALUE, &attention.value, error) ||
      !attn_pass_keep (pass, layer, ATTN_QUANTITY_SCORES, 3, shape, &attention.scores, error) ||
      !attn_pass_keep (pass, layer, ATTN_QUANTITY_WEIGHTS, 3, shape, &attention.weights, error))
    return FALSE;
  attention.first_query = pass->forward->first_token;
  if (past != NULL && !attn_pass_is_of_source (pass, ATTN_COMPONENT_KEY))
    {
      attention.key = attn_past_add (past->layers[layer].key, &components[ATTN_COMPONENT_KEY],
                                     attention.first_query, config->n_heads);
      attention.value = attn_past_add (past->layers[layer].value,
                                       &components[ATTN_COMPONENT_VALUE], attention.first_query,
                                       config->n_heads);
    }
  else if (past == NULL && attention.first_query > 0)
    {
      attention.key = see_kept (pass, layer, ATTN_QUANTITY_KEY);
      attention.value = see_kept (pass, layer, ATTN_QUANTITY_VALUE);
    }
  if (pass->forward->sink_scores == NULL && !has_context && attention.scores == NULL &&
      attention.weights == NULL && attention.look == NULL)
    return TRUE;
  if (pass->n_texts > 1)
    run_texts (pass, &attention);
  else
    attn_attention_run (&attention);
  if (g_cancellable_set_error_if_cancelled (pass->forward->cancellable, error))
    return FALSE;
  if (pass->forward->sink_scores != NULL && !is_aside)
    set_sink_scores (pass, layer);
  return TRUE;
}

/* Applies the norm @norm of the current layer to the residual stream and puts the result into the
 * buffer @to. */
static void
normalize (const AttnPass *pass,
           AttnRole        norm,
           AttnBuffer      to)
{
  attn_pass_normalize (pass, ATTN_BUFFER_RESIDUAL, pass->config->width, pass->config->norm_epsilon,
                       &pass->parameters[norm], to);
}

/* Runs the part of a layer that mixes tokens, softmax or linear attention. @is_last: whether the
 * pass ends in this layer, so that the output is not needed */
static gboolean
run_mixer (AttnPass    *pass,
           AttnBuffer   from,
           gboolean     is_last,
           GError     **error)
{
  const AttnConfig *config = pass->config;

  if (config->layers[pass->layer].is_delta)
    return is_last || attn_pass_run_delta (pass, from, error);
  attn_pass_project (pass, from);
  if (g_cancellable_set_error_if_cancelled (pass->forward->cancellable, error) ||
      !run_attention (pass, pass->layer, !is_last, error))
    return FALSE;
  if (is_last)
    return TRUE;
  attn_pass_gate_output (pass);
  attn_pass_intervene_in (pass, ATTN_COMPONENT_OUTPUT, ATTN_BUFFER_CONTEXT, config->n_heads,
                          config->layers[pass->layer].value_width);
  attn_pass_keep_output (pass);
  return TRUE;
}

/* Runs the cross-attention of a decoder's layer to the encoder's output, with the norm before or
 * after it. @is_last: whether the pass ends here, so that the output is not needed */
static gboolean
run_cross (AttnPass  *pass,
           gboolean   is_last,
           GError   **error)
{
  const AttnConfig *config = pass->config;
  gboolean is_post_norm = config->order == ATTN_ORDER_POST_NORM;
  gsize n_context = config->n_heads * config->value_width;

  if (!is_post_norm)
    normalize (pass, ATTN_ROLE_CROSS_NORM, ATTN_BUFFER_NORMED);
  attn_pass_project_cross (pass, is_post_norm ? ATTN_BUFFER_RESIDUAL : ATTN_BUFFER_NORMED);
  pass->is_aside = !pass->is_cross;
  gboolean is_done =
      !g_cancellable_set_error_if_cancelled (pass->forward->cancellable, error) &&
      run_attention (pass, pass->layer, !is_last, error);
  if (is_done && !is_last)
    {
      attn_pass_intervene_in (pass, ATTN_COMPONENT_OUTPUT, ATTN_BUFFER_CONTEXT, config->n_heads,
                              config->value_width);
      attn_pass_keep_output (pass);
      attn_pass_add_branch (pass, ATTN_BUFFER_CONTEXT, n_context, ATTN_ROLE_CROSS_OUTPUT,
                            ATTN_ROLE_OUTPUT_NORM,
                            pass->is_cross ? ATTN_HALF_ATTENTION : ATTN_HALF_NONE);
      if (is_post_norm)
        normalize (pass, ATTN_ROLE_CROSS_NORM, ATTN_BUFFER_RESIDUAL);
    }
  pass->is_aside = FALSE;
  return is_done;
}

/* Computes the vector of P numbers that the current layer has for each token, beside the residual
 * stream: (norm (W e / sqrt (D)) + sqrt (P) t) / sqrt (2). e is the token's embedding, and t
 * another embedding of the token, for this layer alone. */
static gboolean
make_layer_input (const AttnPass  *pass,
                  GError         **error)
{
  const AttnConfig *config = pass->config;
  const AttnArray *array = attn_weights_get (pass->weights, ATTN_ROLE_LAYER_EMBEDDING, 0);
  gsize width = config->layer_width;
  float *own = pass->buffers[ATTN_BUFFER_LAYER_INPUT];
  float *read = pass->buffers[ATTN_BUFFER_LAYER_GATE];
  float factor = sqrtf ((float) width);

  attn_pass_run_linear (pass, ATTN_BUFFER_EMBEDDED, config->width, ATTN_ROLE_LAYER_INPUT, NULL,
                        ATTN_BUFFER_LAYER_INPUT, width);
  attn_ops_scale (own, 1.0f / sqrtf ((float) config->width), pass->n_tokens * width);
  attn_pass_normalize (pass, ATTN_BUFFER_LAYER_INPUT, width, config->norm_epsilon,
                       &pass->parameters[ATTN_ROLE_LAYER_INPUT_NORM], ATTN_BUFFER_LAYER_INPUT);
  for (gsize i = 0; i < pass->n_tokens; i++, own += width)
    {
      gsize id = pass->forward->ids[pass->forward->first_token + i];

      if (!attn_array_read (array, (id * config->n_layers + pass->layer) * width, width, read,
                            error))
        return FALSE;
      for (gsize j = 0; j < width; j++)
        own[j] = (own[j] + factor * read[j]) * (float) G_SQRT2 / 2.0f;
    }
  return TRUE;
}

/* Adds norm (W2 (activation (W1 x) v)) to the residual stream x, where v is the vector of the token
 * that make_layer_input() computes. */
static gboolean
add_layer_input (const AttnPass  *pass,
                 GError         **error)
{
  const AttnConfig *config = pass->config;
  gsize width = config->layer_width;

  if (!make_layer_input (pass, error))
    return FALSE;
  attn_pass_run_linear (pass, ATTN_BUFFER_RESIDUAL, config->width, ATTN_ROLE_LAYER_GATE,
                        &config->activation, ATTN_BUFFER_LAYER_GATE, width);
  attn_ops_multiply (pass->buffers[ATTN_BUFFER_LAYER_GATE],
                     pass->buffers[ATTN_BUFFER_LAYER_INPUT], pass->n_tokens * width);
  attn_pass_add_branch (pass, ATTN_BUFFER_LAYER_GATE, width, ATTN_ROLE_LAYER_OUTPUT,
                        ATTN_ROLE_LAYER_OUTPUT_NORM, ATTN_HALF_NONE);
  return TRUE;
}

/* Runs attention and MLP of a layer, with norms before or after them, see #AttnOrder. */
static gboolean
run_layer (AttnPass  *pass,
           gsize      layer,
           GError   **error)
{
  const AttnConfig *config = pass->config;
  gboolean is_last = layer == pass->last_layer && !pass->is_whole;
  gboolean is_post_norm = config->order == ATTN_ORDER_POST_NORM;
  AttnBuffer input = ATTN_BUFFER_RESIDUAL;
  AttnBuffer normed = config->adds_normed ? ATTN_BUFFER_RESIDUAL : ATTN_BUFFER_NORMED;

  if (pass->forward->residuals != NULL && pass->forward->residuals[layer] != NULL)
    memcpy (pass->forward->residuals[layer]->data, pass->buffers[ATTN_BUFFER_RESIDUAL],
            pass->n_tokens * config->width * sizeof (float));
  if (!attn_weights_read_layer (pass->weights, layer, pass->buffers[ATTN_BUFFER_WEIGHTS],
                                pass->parameters, error))
    return FALSE;

  if (layer > pass->forward->first_layer || !pass->forward->is_changed)
    attn_pass_intervene_in (pass, ATTN_COMPONENT_RESIDUAL, ATTN_BUFFER_RESIDUAL, 1, config->width);
  if (!attn_pass_keep_residual (pass, layer, error) || !attn_pass_prepare_kept (pass, error))
    return FALSE;
  attn_pass_show_stream (pass, ATTN_QUANTITY_RESIDUAL, ATTN_BUFFER_RESIDUAL, layer);
  /* Models with norms only after attention and MLP have no norm here, nor has the first layer of
   * some families. */
  if (!is_post_norm && attn_config_has_role (config, ATTN_ROLE_ATTENTION_NORM) &&
      !(layer == 0 && config->family->lacks_first_norm))
    {
      normalize (pass, ATTN_ROLE_ATTENTION_NORM, normed);
      input = normed;
    }
  pass->is_aside = pass->is_cross;
  if (!run_mixer (pass, input, is_last && !pass->is_cross, error))
    return FALSE;
  pass->is_aside = FALSE;
  if (is_last && !pass->is_cross)
    return TRUE;
  attn_pass_leave_ends (pass);

  /* If attention and MLP are parallel, both have the layer's input as their input, so the MLP's
   * norm comes before attention is added to it. */
  if (config->order == ATTN_ORDER_PARALLEL &&
      attn_config_has_role (config, ATTN_ROLE_MLP_NORM))
    normalize (pass, ATTN_ROLE_MLP_NORM, ATTN_BUFFER_NORMED);
  if (config->layers[layer].is_delta)
    attn_pass_add_branch (pass, ATTN_BUFFER_CONTEXT,
                          config->delta.n_value_heads * config->delta.value_width,
                          ATTN_ROLE_DELTA_OUTPUT, ATTN_ROLE_OUTPUT_NORM, ATTN_HALF_ATTENTION);
  else
    attn_pass_add_branch (pass, ATTN_BUFFER_CONTEXT,
                          config->n_heads * config->layers[layer].value_width,
                          ATTN_ROLE_OUTPUT, ATTN_ROLE_OUTPUT_NORM,
                          pass->is_cross ? ATTN_HALF_NONE : ATTN_HALF_ATTENTION);
  if (is_post_norm)
    normalize (pass, ATTN_ROLE_ATTENTION_NORM, ATTN_BUFFER_RESIDUAL);
  if (pass->encoded != NULL && !run_cross (pass, is_last, error))
    return FALSE;
  if (is_last)
    return TRUE;
  if (config->order == ATTN_ORDER_PRE_NORM &&
      attn_config_has_role (config, ATTN_ROLE_MLP_NORM))
    {
      normalize (pass, ATTN_ROLE_MLP_NORM, normed);
      input = normed;
    }

  if (!attn_pass_run_mlp (pass, input, error))
    return FALSE;
  if (is_post_norm)
    normalize (pass, ATTN_ROLE_MLP_NORM, ATTN_BUFFER_RESIDUAL);
  if (config->layer_width > 0 && !add_layer_input (pass, error))
    return FALSE;
  if (!attn_pass_add_deep (pass, layer, error))
    return FALSE;
  const float *factor = pass->parameters[ATTN_ROLE_LAYER_FACTOR].weight;
  if (factor != NULL)
    attn_ops_scale (pass->buffers[ATTN_BUFFER_RESIDUAL], *factor,
                    pass->n_tokens * config->width);
  return TRUE;
}

static gsize
find_last_layer (const AttnForward *forward,
                 gboolean           is_whole,
                 gsize              n_layers)
{
  gsize last = n_layers - 1;

  while (!is_whole && last > 0 && !attn_index_set_contains (forward->layers, last))
    last--;
  return last;
}

static gboolean
run_layers (AttnPass  *pass,
            GError   **error)
{
  gsize first = pass->forward->first_layer;

  for (gsize layer = first; layer <= pass->last_layer; layer++)
    {
      pass->layer = layer;
      attn_pass_report (pass, FALSE);
      if (g_cancellable_set_error_if_cancelled (pass->forward->cancellable, error) ||
          !run_layer (pass, layer, error) ||
          g_cancellable_set_error_if_cancelled (pass->forward->cancellable, error))
        return FALSE;
      attn_pass_end_reading (pass, ATTN_WEIGHTS_OF_MAPS);
      if (pass->is_whole || layer < pass->last_layer)
        attn_pass_end_reading (pass, ATTN_WEIGHTS_BEHIND_MAPS);
    }
  return TRUE;
}

static gboolean
keep_final (const AttnPass  *pass,
            GError         **error)
{
  const gsize shape[] = { pass->n_tokens, pass->config->width };

  attn_pass_keep_last_rows (pass);
  attn_pass_show_stream (pass, ATTN_QUANTITY_FINAL, ATTN_BUFFER_RESIDUAL, pass->config->n_layers);
  if ((pass->forward->keep & ATTN_QUANTITY_FINAL) == 0)
    return TRUE;
  *pass->forward->final = attn_tensor_new_unset (2, shape, error);
  if (*pass->forward->final != NULL)
    memcpy ((*pass->forward->final)->data, pass->buffers[ATTN_BUFFER_RESIDUAL],
            shape[0] * shape[1] * sizeof (float));
  return *pass->forward->final != NULL;
}

typedef struct
{
  const AttnTensor *logits; /* [T, V] */
  int is_finite;            /* whether all rows are finite: FALSE once a thread finds a row that is
                             * not; atomic */
} LogitsCheck;

static void
check_row (gsize    row,
           gsize    worker,
           gpointer user_data)
{
  LogitsCheck *check = user_data;
  gsize n = check->logits->shape[1];

  if (!isfinite (attn_ops_get_magnitude (check->logits->data + row * n, n)))
    g_atomic_int_set (&check->is_finite, FALSE);
}

/* Accepts results that are finite or merely overflowed. Fails if they are not finite because
 * weights in the file are not. */
static gboolean
check_result (const AttnPass    *pass,
              const AttnTensor  *logits,
              GError           **error)
{
  gsize n_heads = pass->config->n_heads;
  LogitsCheck check = { logits, TRUE };
  gboolean is_finite = TRUE;

  for (gsize layer = pass->forward->first_layer;
       pass->forward->sink_scores != NULL && layer <= pass->last_layer; layer++)
    for (gsize head = 0; head < n_heads && !pass->config->layers[layer].is_delta; head++)
      is_finite &= isfinite (pass->forward->sink_scores[layer * n_heads + head]) != 0;
  if (logits != NULL)
    attn_parallel_run (logits->shape[0], pass->n_workers, check_row, &check);
  return (is_finite && check.is_finite) ||
         attn_weights_check_finite (pass->weights, pass->last_layer, logits != NULL, error);
}

/**
 * attn_forward_run:
 * @forward: what to compute, of an #AttnTransformer; checked by the caller
 * @error: return location: %ATTN_ERROR_MEMORY, %ATTN_ERROR_UNSUPPORTED for logits of a checkpoint
 *   without a language-model head, %G_IO_ERROR_CANCELLED
 *
 * Computes the embeddings, the layers and the logits. The model's family determines the order of
 * norms, attention and MLP in a layer; see #AttnOrder. Any thread may call.
 */
gboolean
attn_forward_run (const AttnForward  *forward,
                  GError            **error)
{
  const AttnTransformer *transformer = (const AttnTransformer *) forward->model;
  gboolean has_logits = (forward->keep & ATTN_QUANTITY_LOGITS) != 0;
  gboolean has_end = ((forward->keep | forward->seen) & ATTN_QUANTITIES_OF_END) != 0 ||
                     forward->last_rows != NULL;
  AttnPass pass = {
    .forward = forward,
    .config = &transformer->config,
    .weights = transformer->weights,
    .n_tokens = forward->n_ids - forward->first_token,
    .n_seen = forward->n_ids,
    .n_texts = MAX (forward->n_texts, 1),
    .n_workers = forward->n_workers > 0 ? forward->n_workers : attn_threads_get (),
    .is_alone = forward->n_workers == 1,
    .has_logits = has_logits,
    .is_cross = transformer->is_cross,
    .is_whole =
        has_end || ((forward->keep | forward->seen) & ATTN_QUANTITIES_BEHIND_MAPS) != 0,
  };

  if (pass.n_texts > 1)
    {
      pass.n_seen = 0;
      for (gsize text = 0; text < pass.n_texts; text++)
        pass.n_seen = MAX (pass.n_seen, attn_pass_get_end (&pass, text) -
                                            attn_pass_get_begin (&pass, text));
    }

  if (has_logits && !attn_model_check_logits (forward->model, error))
    return FALSE;
  pass.last_layer = find_last_layer (forward, has_end, pass.config->n_layers);
  if (forward->first_layer < pass.config->n_layers &&
      !attn_pass_get_encoded (transformer, forward->n_workers, forward->cancellable, &pass.encoded,
                              error))
    return FALSE;
  gboolean is_done = attn_pass_allocate (&pass, error);
  if (is_done)
    attn_pass_begin_reading (&pass);
  is_done = is_done && attn_pass_begin (&pass, error) && run_layers (&pass, error) &&
            keep_final (&pass, error);
  if (is_done && has_logits)
    {
      *forward->logits = attn_pass_compute_logits (&pass, error);
      is_done = *forward->logits != NULL;
    }
  if (is_done && (forward->sink_scores != NULL || forward->past != NULL))
    is_done = check_result (&pass, has_logits ? *forward->logits : NULL, error);
  attn_pass_free (&pass);
  return is_done;
}
