/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-past.h"

#include <string.h>

/* Adds the bytes of n_rows * n_floats floats to *total, or sets *total to G_MAXSIZE on overflow. */
static void
add_bytes (gsize *total,
           gsize  n_rows,
           gsize  n_floats)
{
  gsize n;

  if (!g_size_checked_mul (&n, n_rows, n_floats) || !g_size_checked_mul (&n, n, sizeof (float)) ||
      !g_size_checked_add (total, *total, n))
    *total = G_MAXSIZE;
}

/**
 * attn_past_estimate:
 * @n_room: the most tokens of a text
 * @n_encoded: S, tokens of an encoder that the layers attend to; 0 for none
 *
 * Returns: bytes that [func@attn_past_new] takes; %G_MAXSIZE if that does not fit in a gsize
 */
gsize
attn_past_estimate (const AttnConfig *config,
                    gsize             n_room,
                    gsize             n_encoded)
{
  const AttnFamilyDelta *delta = &config->delta;
  gsize n_bytes = 0;

  for (gsize i = 0; i < config->n_layers; i++)
    {
      const AttnLayer *layer = &config->layers[i];

      if (layer->is_delta)
        {
          add_bytes (&n_bytes, delta->kernel_width - 1, attn_delta_get_mixed_width (delta));
          add_bytes (&n_bytes, delta->n_value_heads, delta->key_width * delta->value_width);
        }
      else
        add_bytes (&n_bytes, n_room,
                   layer->n_key_heads * (layer->head_width + layer->value_width));
      add_bytes (&n_bytes, n_encoded,
                 config->n_key_heads * (config->head_width + config->value_width));
    }
  return n_bytes;
}

static gboolean
add_layer (const AttnConfig  *config,
           const AttnLayer   *layer,
           gsize              n_room,
           AttnPastLayer     *past,
           GError           **error)
{
  const AttnFamilyDelta *delta = &config->delta;

  if (layer->is_delta)
    {
      const gsize memory[] = { delta->n_value_heads, delta->key_width, delta->value_width };
      /* At least one row of the cache is allocated, even if the convolution covers no earlier
       * token. */
      gsize n_rows = MAX (delta->kernel_width, 2) - 1;
      const gsize mixed[] = { n_rows, attn_delta_get_mixed_width (delta) };

      past->mixed = attn_tensor_new (2, mixed, error);
      past->memory = past->mixed != NULL ? attn_tensor_new (3, memory, error) : NULL;
      return past->memory != NULL;
    }

  const gsize key[] = { layer->n_key_heads, n_room, layer->head_width };
  const gsize value[] = { layer->n_key_heads, n_room, layer->value_width };
  past->key = attn_tensor_new_unset (3, key, error);
  past->value = past->key != NULL ? attn_tensor_new_unset (3, value, error) : NULL;
  return past->value != NULL;
}

/* Allocates the keys and values that each layer computes from the encoder's tokens. */
static gboolean
add_sources (const AttnConfig  *config,
             gsize              n_encoded,
             AttnPast          *past,
             GError           **error)
{
  const gsize key[] = { config->n_key_heads, n_encoded, config->head_width };
  const gsize value[] = { config->n_key_heads, n_encoded, config->value_width };

  for (gsize i = 0; n_encoded > 0 && i < config->n_layers; i++)
    {
      AttnPastLayer *layer = &past->layers[i];

      layer->source_key = attn_tensor_new_unset (3, key, error);
      layer->source_value =
          layer->source_key != NULL ? attn_tensor_new_unset (3, value, error) : NULL;
      if (layer->source_value == NULL)
        return FALSE;
    }
  return TRUE;
}

/**
 * attn_past_new:
 * @n_together: see #AttnPast
 * @n_room: the most tokens of a text
 * @n_encoded: S, tokens of an encoder that the layers attend to; 0 for none
 * @n_interventions: how many act on the pass
 * @error: return location for %ATTN_ERROR_MEMORY
 *
 * All memory is taken here, but for that of means over tokens, [H, d] float64 a layer.
 *
 * Returns: (transfer full) (nullable): an empty cache, for the first token of a text
 */
AttnPast *
attn_past_new (const AttnConfig  *config,
               gsize              n_together,
               gsize              n_room,
               gsize              n_encoded,
               gsize              n_interventions,
               GError           **error)
{
  g_autoptr (AttnPast) past = g_new0 (AttnPast, 1);

  past->n_together = n_together;
  past->n_room = n_room;
  past->n_layers = config->n_layers;
  past->layers = g_new0 (AttnPastLayer, config->n_layers);
  past->n_interventions = n_interventions;
  past->sums = g_new0 (double *, n_interventions * config->n_layers + 1);
  for (gsize i = 0; i < config->n_layers; i++)
    if (!add_layer (config, &config->layers[i], n_room, &past->layers[i], error))
      return NULL;
  return add_sources (config, n_encoded, past, error) ? g_steal_pointer (&past) : NULL;
}

static void
forget_sums (AttnPast *past)
{
  for (gsize i = 0; i < past->n_interventions * past->n_layers; i++)
    g_clear_pointer (&past->sums[i], g_free);
}

void
attn_past_free (AttnPast *past)
{
  if (past == NULL)
    return;
  forget_sums (past);
  g_free (past->sums);
  for (gsize i = 0; i < past->n_layers; i++)
    {
      g_clear_pointer (&past->layers[i].key, attn_tensor_unref);
      g_clear_pointer (&past->layers[i].value, attn_tensor_unref);
      g_clear_pointer (&past->layers[i].mixed, attn_tensor_unref);
      g_clear_pointer (&past->layers[i].memory, attn_tensor_unref);
      g_clear_pointer (&past->layers[i].source_key, attn_tensor_unref);
      g_clear_pointer (&past->layers[i].source_value, attn_tensor_unref);
    }
  g_free (past->layers);
  g_free (past);
}

static void
clear_tensor (AttnTensor *tensor)
{
  if (tensor != NULL)
    memset (tensor->data, 0, attn_tensor_get_n_elements (tensor) * sizeof (float));
}

/**
 * attn_past_forget:
 *
 * Empties the cache, so that the first token of a text can follow.
 */
void
attn_past_forget (AttnPast *past)
{
  past->n_tokens = 0;
  forget_sums (past);
  for (gsize i = 0; i < past->n_layers; i++)
    {
      clear_tensor (past->layers[i].mixed);
      clear_tensor (past->layers[i].memory);
      past->layers[i].has_source = FALSE;
    }
}

/**
 * attn_past_add:
 * @kept: (inout): [Hk, room, d], keys or values of a layer
 * @rows: the same of the tokens from @first_token on, which are added
 * @n_heads: H, the number of query heads
 *
 * Returns: a view of @kept, which has all tokens up to the last of @rows
 */
AttnVectors
attn_past_add (AttnTensor        *kept,
               const AttnVectors *rows,
               gsize              first_token,
               gsize              n_heads)
{
  gsize n_room = kept->shape[1];
  gsize width = kept->shape[2];
  AttnVectors all = attn_vectors_wrap (kept, n_heads);

  g_return_val_if_fail (rows->n_heads == kept->shape[0] && rows->width == width &&
                            first_token <= n_room && rows->n_tokens <= n_room - first_token,
                        all);

  for (gsize head = 0; head < rows->n_heads; head++)
    attn_vectors_copy_head (rows, head, attn_vectors_get (&all, head, first_token));
  all.n_tokens = first_token + rows->n_tokens;
  return all;
}

/**
 * attn_past_set_source:
 * @key: keys of all tokens of the encoder, as the scores of the layer use them
 * @value: values, likewise
 *
 * Keeps the keys and values of the encoder's tokens, which are the same for each token that the
 * decoder computes.
 */
void
attn_past_set_source (AttnPastLayer     *layer,
                      const AttnVectors *key,
                      const AttnVectors *value)
{
  gsize n_keys = layer->source_key->shape[1] * layer->source_key->shape[2];
  gsize n_values = layer->source_value->shape[1] * layer->source_value->shape[2];

  for (gsize head = 0; head < key->n_heads; head++)
    {
      attn_vectors_copy_head (key, head, layer->source_key->data + head * n_keys);
      attn_vectors_copy_head (value, head, layer->source_value->data + head * n_values);
    }
  layer->has_source = TRUE;
}

/**
 * attn_past_get_mean:
 * @intervention: number of the intervention in the list
 * @n_numbers: how many numbers all heads of a token have
 *
 * Returns: the running mean over tokens that an intervention takes in a layer, for the caller to
 *   update
 */
AttnRunningMean
attn_past_get_mean (AttnPast *past,
                    gsize     intervention,
                    gsize     layer,
                    gsize     n_numbers)
{
  double **sums = &past->sums[intervention * past->n_layers + layer];

  if (*sums == NULL)
    *sums = g_new0 (double, n_numbers);
  return (AttnRunningMean) { *sums, past->n_together };
}
