/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Layers of linear attention, by gated delta nets (Yang et al. 2024, arXiv 2412.06464). Each head
 * remembers the text in a matrix, from which each token removes the old value of its key before it
 * writes the new one. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "attn-clones.h"
#include "attn-ops.h"
#include "attn-parallel.h"
#include "attn-pass.h"

/* The number added to the squared length of a query or key of linear attention before its root is
 * taken, as in the published code. */
#define LENGTH_EPSILON 1e-6f

/* Returns the size of a token's values of all heads of linear attention, in numbers. */
static gsize
get_value_width (const AttnFamilyDelta *delta)
{
  return delta->n_value_heads * delta->value_width;
}

/* Sorts the output of the fused matrix, which has, for each key head, its query, its key, and the
 * values and gates of its value heads. Strengths and decays are fused in the same order of heads,
 * but stay so; see find_strength(). */
static void
sort_mixed (const AttnPass *pass,
            gsize           first_row,
            gsize           n_rows,
            gpointer        user_data)
{
  const AttnFamilyDelta *delta = &pass->config->delta;
  gsize n_keys = delta->n_key_heads * delta->key_width;
  gsize n_mixed = attn_delta_get_mixed_width (delta);
  gsize n_values = get_value_width (delta);
  gsize n_shared = n_values / delta->n_key_heads;

  for (gsize row = first_row; row < first_row + n_rows; row++)
    {
      const float *from = pass->buffers[ATTN_BUFFER_EXPANDED] + row * (n_mixed + n_values);
      float *mixed = pass->buffers[ATTN_BUFFER_MIXED] + row * n_mixed;
      float *gate = pass->buffers[ATTN_BUFFER_OUTPUT_GATE] + row * n_values;

      for (gsize head = 0; head < delta->n_key_heads; head++)
        {
          const struct
          {
            float *to;
            gsize n;
          } parts[] = {
            { mixed + head * delta->key_width, delta->key_width },
            { mixed + n_keys + head * delta->key_width, delta->key_width },
            { mixed + 2 * n_keys + head * n_shared, n_shared },
            { gate + head * n_shared, n_shared },
          };

          for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
            {
              memcpy (parts[i].to, from, parts[i].n * sizeof *from);
              from += parts[i].n;
            }
        }
    }
}

static void
project (const AttnPass *pass,
         AttnBuffer      from)
{
  const AttnConfig *config = pass->config;
  gsize width = config->width;
  gsize n_mixed = attn_delta_get_mixed_width (&config->delta);
  gsize n_values = get_value_width (&config->delta);
  gsize n_heads = config->delta.n_value_heads;

  if (attn_config_has_role (config, ATTN_ROLE_DELTA_QKV_GATE))
    {
      attn_pass_run_linear (pass, from, width, ATTN_ROLE_DELTA_QKV_GATE, NULL,
                            ATTN_BUFFER_EXPANDED, n_mixed + n_values);
      attn_pass_run_rows (pass, n_mixed + n_values, sort_mixed, NULL);
    }
  else
    {
      attn_pass_run_linear (pass, from, width, ATTN_ROLE_DELTA_QKV, NULL, ATTN_BUFFER_MIXED,
                            n_mixed);
      attn_pass_run_linear (pass, from, width, ATTN_ROLE_DELTA_GATE, NULL,
                            ATTN_BUFFER_OUTPUT_GATE, n_values);
    }
  if (attn_config_has_role (config, ATTN_ROLE_DELTA_STRENGTH_DECAY))
    attn_pass_run_linear (pass, from, width, ATTN_ROLE_DELTA_STRENGTH_DECAY, NULL,
                          ATTN_BUFFER_STRENGTHS, 2 * n_heads);
  else
    {
      attn_pass_run_linear_part (pass, from, width, ATTN_ROLE_DELTA_STRENGTH, NULL,
                                 ATTN_BUFFER_STRENGTHS, 0, n_heads, 2 * n_heads);
      attn_pass_run_linear_part (pass, from, width, ATTN_ROLE_DELTA_DECAY, NULL,
                                 ATTN_BUFFER_STRENGTHS, n_heads, n_heads, 2 * n_heads);
    }
}

/* Returns the index in a token's row of the strength of a value head of linear attention. The decay
 * is @gap numbers behind the strength. */
static gsize
find_strength (const AttnConfig *config,
               gsize             head,
               gsize            *gap)
{
  gsize n_shared = config->delta.n_value_heads / config->delta.n_key_heads;

  if (attn_config_has_role (config, ATTN_ROLE_DELTA_STRENGTH_DECAY))
    {
      *gap = n_shared;
      return head / n_shared * 2 * n_shared + head % n_shared;
    }
  *gap = config->delta.n_value_heads;
  return head;
}

/* Returns a token's queries, keys and values, which the convolution mixes with those of its
 * neighbors. A negative @row is a token before the computed ones, whose numbers are in the
 * cache. */
static const float *
find_mixed (const AttnPass *pass,
            gssize          row)
{
  gsize n = attn_delta_get_mixed_width (&pass->config->delta);

  if (row >= 0)
    return pass->buffers[ATTN_BUFFER_MIXED] + (gsize) row * n;
  const AttnTensor *mixed = pass->forward->past->layers[pass->layer].mixed;
  return mixed->data + (gsize) ((gssize) mixed->shape[0] + row) * n;
}

/* Stores in the cache the last tokens' queries, keys and values, which the convolution needs for
 * the next tokens. */
static void
leave_mixed (const AttnPass *pass)
{
  AttnTensor *mixed = pass->forward->past->layers[pass->layer].mixed;
  gsize n_rows = mixed->shape[0];
  gsize n = mixed->shape[1];

  /* The oldest rows of the cache are moved first, so that no row is overwritten before it has been
   * moved. */
  for (gsize i = 0; i < n_rows; i++)
    memmove (mixed->data + i * n,
             find_mixed (pass, (gssize) pass->n_tokens + (gssize) i - (gssize) n_rows),
             n * sizeof (float));
}

/* Replaces each number of a token by a weighted sum of the same number in this token and the few
 * tokens before, and applies the activation. */
static void
convolve (const AttnPass *pass,
          gsize           first_row,
          gsize           n_rows,
          gpointer        user_data)
{
  const AttnConfig *config = pass->config;
  const float *kernel = pass->buffers[ATTN_BUFFER_KERNEL];
  gsize n_taps = config->delta.kernel_width;
  gsize n = attn_delta_get_mixed_width (&config->delta);
  gsize text = 0;

  for (gsize row = first_row; row < first_row + n_rows; row++)
    {
      while (row >= attn_pass_get_end (pass, text))
        text++;
      gsize position = pass->forward->first_token + row - attn_pass_get_begin (pass, text);
      gsize n_before = MIN (position, n_taps - 1);
      float *out = pass->buffers[ATTN_BUFFER_QKV] + row * n;

      memset (out, 0, n * sizeof *out);
      for (gsize tap = n_taps - 1 - n_before; tap < n_taps; tap++)
        {
          const float *x = find_mixed (pass, (gssize) (row + tap) - (gssize) (n_taps - 1));

          for (gsize i = 0; i < n; i++)
            out[i] += kernel[i * n_taps + tap] * x[i];
        }
      attn_ops_activate (config->activation, NULL, n, out);
    }
}

/* Scales a query or a key to the length @length. */
static void
set_length (const float *x,
            gsize        n,
            float        length,
            float       *out)
{
  double sum = 0.0;

  for (gsize i = 0; i < n; i++)
    sum += (double) x[i] * (double) x[i];
  float factor = length / sqrtf ((float) sum + LENGTH_EPSILON);
  for (gsize i = 0; i < n; i++)
    out[i] = x[i] * factor;
}

/* Processes one token: the memory decays, the value found by the key is replaced by the new one in
 * proportion to the strength, and the query reads the result. @memory: [n_keys, n_values]; @found:
 * [n_values], scratch */
ATTN_CLONES (static, void, step,
             (float *memory, const float *query, const float *key, const float *value, float decay,
              float strength, gsize n_keys, gsize n_values, float *found, float *out),
             (memory, query, key, value, decay, strength, n_keys, n_values, found, out))
{
  memset (found, 0, n_values * sizeof *found);
  for (gsize i = 0; i < n_keys; i++)
    {
      float *row = memory + i * n_values;

      for (gsize j = 0; j < n_values; j++)
        {
          row[j] *= decay;
          found[j] += key[i] * row[j];
        }
    }
  for (gsize j = 0; j < n_values; j++)
    found[j] = (value[j] - found[j]) * strength;
  memset (out, 0, n_values * sizeof *out);
  for (gsize i = 0; i < n_keys; i++)
    {
      float *row = memory + i * n_values;

      for (gsize j = 0; j < n_values; j++)
        {
          row[j] += key[i] * found[j];
          out[j] += query[i] * row[j];
        }
    }
}

/* Returns the softplus log (1 + e^x), which is x in float32 if x is large. */
static float
softplus (float x)
{
  return x > 20.0f ? x : log1pf (expf (x));
}

/* Runs one value head over the tokens of one text, one after the other. @task: text times heads
 * plus head */
static void
run_head (gsize    task,
          gsize    worker,
          gpointer user_data)
{
  const AttnPass *pass = user_data;
  const AttnConfig *config = pass->config;
  const AttnFamilyDelta *delta = &config->delta;
  gsize n_keys = delta->key_width, n_values = delta->value_width;
  gsize n_mixed = attn_delta_get_mixed_width (delta);
  gsize text = task / delta->n_value_heads, head = task % delta->n_value_heads;
  gsize n_shared = delta->n_value_heads / delta->n_key_heads;
  gsize key_head = config->has_tiled_values ? head % delta->n_key_heads : head / n_shared;
  gsize gap, at = find_strength (config, head, &gap);
  float rate = pass->parameters[ATTN_ROLE_DELTA_RATE].weight[head];
  float shift = pass->parameters[ATTN_ROLE_DELTA_SHIFT].weight[head];
  float *memory = pass->buffers[ATTN_BUFFER_MEMORY] +
                  worker * (n_keys * n_values + 2 * n_keys + n_values);
  float *query = memory + n_keys * n_values, *key = query + n_keys, *found = key + n_keys;
  AttnPast *past = pass->forward->past;

  /* A GGUF file stores the rate of decay itself (negative), other files the logarithm of its
   * absolute value. */
  rate = config->is_gguf ? rate : -expf (rate);
  if (past != NULL)
    memory = past->layers[pass->layer].memory->data + head * n_keys * n_values;
  else
    memset (memory, 0, n_keys * n_values * sizeof *memory);
  for (gsize row = attn_pass_get_begin (pass, text); row < attn_pass_get_end (pass, text); row++)
    {
      const float *mixed = pass->buffers[ATTN_BUFFER_QKV] + row * n_mixed;
      const float *strength =
          pass->buffers[ATTN_BUFFER_STRENGTHS] + row * 2 * delta->n_value_heads + at;
      gsize offset = row * get_value_width (delta) + head * n_values;
      float *out = pass->buffers[ATTN_BUFFER_CONTEXT] + offset;
      float *gate = pass->buffers[ATTN_BUFFER_OUTPUT_GATE] + offset;

      set_length (mixed + key_head * n_keys, n_keys, 1.0f / sqrtf ((float) n_keys), query);
      mixed += delta->n_key_heads * n_keys;
      set_length (mixed + key_head * n_keys, n_keys, 1.0f, key);
      mixed += delta->n_key_heads * n_keys;
      step (memory, query, key, mixed + head * n_values,
            expf (rate * softplus (strength[gap] + shift)), 1.0f / (1.0f + expf (-strength[0])),
            n_keys, n_values, found, out);
      attn_ops_rms_norm (out, n_values, pass->parameters[ATTN_ROLE_DELTA_NORM].weight, 0.0f,
                         (float) config->norm_epsilon, out);
      attn_ops_activate (ATTN_ACTIVATION_SILU, NULL, n_values, gate);
      attn_ops_multiply (out, gate, n_values);
    }
}

/**
 * attn_pass_run_delta:
 * @from: [T, D], the input of the current layer, which has linear attention
 * @error: return location for errors of [func@attn_array_read] and %G_IO_ERROR_CANCELLED
 *
 * Leaves the outputs of a token's heads in %ATTN_BUFFER_CONTEXT, side by side. Texts do not affect
 * each other, and the result has the same bits for any number of threads.
 */
gboolean
attn_pass_run_delta (const AttnPass  *pass,
                     AttnBuffer       from,
                     GError         **error)
{
  const AttnFamilyDelta *delta = &pass->config->delta;
  const AttnArray *kernel =
      attn_weights_get (pass->weights, ATTN_ROLE_DELTA_KERNEL, pass->layer);

  gsize n_mixed = attn_delta_get_mixed_width (delta);

  if (!attn_array_read (kernel, 0, n_mixed * delta->kernel_width,
                        pass->buffers[ATTN_BUFFER_KERNEL], error))
    return FALSE;
  project (pass, from);
  attn_pass_run_rows (pass, n_mixed * delta->kernel_width, convolve, NULL);
  if (g_cancellable_set_error_if_cancelled (pass->forward->cancellable, error))
    return FALSE;
  if (pass->forward->past != NULL)
    leave_mixed (pass);
  attn_parallel_run (pass->n_texts * delta->n_value_heads, pass->n_workers, run_head,
                     (gpointer) pass);
  return !g_cancellable_set_error_if_cancelled (pass->forward->cancellable, error);
}
