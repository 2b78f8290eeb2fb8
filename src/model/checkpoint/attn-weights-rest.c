/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Checks the tensors of a checkpoint that have no role: ignores those without effect on the result,
 * and refuses the others. */

#include "config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-error.h"
#include "attn-weights-private.h"

/* Refuses a file with more layers than config.json says, since the surplus layers would otherwise
 * be ignored silently. */
static gboolean
check_surplus (const AttnWeights  *weights,
               GError            **error)
{
  const AttnConfig *config = &weights->config;
  static const AttnRole roles[] = { ATTN_ROLE_OUTPUT, ATTN_ROLE_DELTA_OUTPUT };

  for (gsize i = 0; i < G_N_ELEMENTS (roles); i++)
    {
      g_autofree char *name =
          attn_weights_dup_name (config, roles[i], ATTN_SLOT_WEIGHT,
                                 config->n_layers + config->n_surplus_layers);
      g_autofree char *last_name =
          attn_weights_dup_name (config, roles[i], ATTN_SLOT_WEIGHT, config->n_layers - 1);

      /* Layers that share their tensors (ALBERT) have the same name for each layer, which says
       * nothing about their number. */
      if (name != NULL && strcmp (name, last_name) != 0 &&
          attn_weights_lookup (weights, name) != NULL)
        return attn_fail (error, ATTN_ERROR_FORMAT,
                          _("%s: tensor “%s” found, expected no more than the %zu layers of the "
                            "configuration"),
                          attn_array_file_get_path (weights->file), name, config->n_layers);
    }
  return TRUE;
}

/* Tells whether a tensor of a GGUF file belongs to a surplus layer behind those of the model, for
 * predicting several tokens at once. */
static gboolean
is_surplus (const AttnConfig *config,
            const char       *name)
{
  guint64 layer = g_str_has_prefix (name, "blk.") ? g_ascii_strtoull (name + 4, NULL, 10) : 0;

  return layer >= config->n_layers && layer < config->n_layers + config->n_surplus_layers;
}

/* Tells whether the tensor would make keys or values in a layer that uses those of a lower layer
 * instead. Some files have such tensors, though nothing uses them. */
static gboolean
is_replaced (const AttnConfig *config,
             const char       *name)
{
  static const AttnRole roles[] = { ATTN_ROLE_KEY, ATTN_ROLE_VALUE, ATTN_ROLE_KEY_NORM };
  guint64 layer = g_str_has_prefix (name, "blk.") ? g_ascii_strtoull (name + 4, NULL, 10) : 0;

  for (gsize i = 0; i < G_N_ELEMENTS (roles) && layer < config->n_layers; i++)
    {
      g_autofree char *own = attn_weights_dup_name (config, roles[i], ATTN_SLOT_WEIGHT, layer);

      if (config->layers[layer].source != layer && g_strcmp0 (name, own) == 0)
        return TRUE;
    }
  return FALSE;
}

/* Tells whether the tensor is the scale by which other programs quantize the inputs of a known
 * matrix. A pass here does not quantize inputs, so the scale has no effect. */
static gboolean
is_input_scale (GHashTable *known,
                const char *name)
{
  gsize n_stem = strlen (name) - MIN (strlen (name), strlen (".input_scale"));
  g_autofree char *weight = g_strdup_printf ("%.*s.weight", (int) n_stem, name);

  return strcmp (name + n_stem, ".input_scale") == 0 && g_hash_table_contains (known, weight);
}

/* Finds the first number between dots in a tensor's name: "model.layers.3.mlp" gives the stem
 * "model.layers." and 3. Returns FALSE if there is no such number. */
static gboolean
split_layer (const char  *name,
             char       **stem,
             guint64     *layer)
{
  for (const char *dot = strchr (name, '.'); dot != NULL; dot = strchr (dot + 1, '.'))
    {
      char *end;

      if (!g_ascii_isdigit (dot[1]))
        continue;
      *layer = g_ascii_strtoull (dot + 1, &end, 10);
      if (*end != '.')
        continue;
      *stem = g_strndup (name, (gsize) (dot + 1 - name));
      return TRUE;
    }
  return FALSE;
}

/* Tells from its name whether a tensor of a layer has no effect: stored causal masks and rotary
 * angles follow from the configuration, and scales of quantized activations are not needed, since a
 * pass does not quantize activations. */
static gboolean
is_buffer (const char *name)
{
  static const char * const suffixes[] = { ".attn.bias", ".attn.masked_bias",
                                           ".attention.bias", ".attention.masked_bias",
                                           ".inv_freq", ".cos_cached", ".sin_cached",
                                           ".position_ids", ".input_scale", ".k_scale",
                                           ".v_scale", ".output_scale", ".input_global_scale",
                                           ".input_zero_point", ".output_zero_point" };

  for (gsize i = 0; i < G_N_ELEMENTS (suffixes); i++)
    if (g_str_has_suffix (name, suffixes[i]))
      return TRUE;
  return FALSE;
}

static const AttnArray *
lookup (gconstpointer  weights,
        const char    *name)
{
  const AttnWeights *self = weights;

  return attn_array_file_lookup (self->file, name);
}

/* Tells whether a tensor without a role has no effect on any result. */
gboolean
attn_weights_is_idle (const AttnWeights *weights,
                      const AttnArray   *array)
{
  return is_buffer (array->name) ||
         attn_schemes_is_idle (&weights->config.quantization, array, lookup, weights);
}

/* Refuses tensors without a role that would change what their layer computes, such as zero points
 * of quantized weights or an unexpected bias; and tensors of an adapter, in a layer or not. */
static gboolean
check_layers (const AttnWeights  *weights,
              GError            **error)
{
  g_autoptr (GHashTable) stems = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  GHashTableIter iter;
  gpointer found;

  if (weights->config.is_gguf)
    return TRUE;
  g_hash_table_iter_init (&iter, weights->found);
  while (g_hash_table_iter_next (&iter, &found, NULL))
    {
      char *stem;
      guint64 layer;

      if (split_layer (((const AttnArray *) found)->name, &stem, &layer))
        g_hash_table_add (stems, stem);
    }
  for (gsize i = 0; i < attn_array_file_get_n_arrays (weights->file); i++)
    {
      const AttnArray *array = attn_array_file_get_nth (weights->file, i);
      g_autofree char *stem = NULL;
      guint64 layer = 0;
      gboolean is_adapter =
          strstr (array->name, ".lora_") != NULL || strstr (array->name, ".adapter") != NULL;

      if (g_hash_table_contains (weights->found, array) || is_buffer (array->name) ||
          (!is_adapter &&
           (!split_layer (array->name, &stem, &layer) || !g_hash_table_contains (stems, stem) ||
            layer >= weights->config.n_layers)) ||
          attn_weights_is_idle (weights, array))
        continue;
      return attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                        is_adapter ? _("%s: tensor “%s” found, a part of an adapter, expected a "
                                       "model that it was merged into")
                                   : _("%s: tensor “%s” found, which would be left out, expected "
                                       "only those that the model’s layers use"),
                        attn_array_file_get_path (weights->file), array->name);
    }
  return TRUE;
}

/* Refuses tensors of a GGUF file that have no role. Such a file holds only what its architecture
 * names, so a tensor without a role, such as a bias by another name, would be a part of the model
 * that is ignored. */
static gboolean
check_known (const AttnWeights  *weights,
             GError            **error)
{
  const AttnConfig *config = &weights->config;
  static const char * const others[] = { "rope_freqs.weight", "rope_factors_", "cls", "pooler" };
  g_autoptr (GHashTable) known = g_hash_table_new (g_str_hash, g_str_equal);

  if (!config->is_gguf)
    return TRUE;
  for (gsize i = 0; i < attn_weights_get_index (ATTN_FIRST_LAYER_ROLE, config->n_layers); i++)
    for (AttnSlot slot = 0; slot < ATTN_N_SLOTS; slot++)
      {
        const AttnArray *array = weights->arrays[i][slot];

        if (array != NULL)
          g_hash_table_add (known, array->name);
        if (array != NULL && array->scales != NULL)
          g_hash_table_add (known, array->scales->name);
      }
  for (gsize i = 0; i < attn_array_file_get_n_arrays (weights->file); i++)
    {
      const AttnArray *array = attn_array_file_get_nth (weights->file, i);
      gboolean is_known =
          g_hash_table_contains (known, array->name) || is_input_scale (known, array->name) ||
          is_surplus (config, array->name) || is_replaced (config, array->name);

      for (gsize j = 0; j < G_N_ELEMENTS (others); j++)
        is_known |= g_str_has_prefix (array->name, others[j]);
      if (is_known)
        continue;
      return attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                        _("%s: tensor “%s” found, expected only those of a model of architecture "
                          "%s"),
                        attn_array_file_get_path (weights->file), array->name,
                        config->family->architecture);
    }
  return TRUE;
}

/**
 * attn_weights_check_rest:
 * @weights: after [func@attn_weights_find] has found the tensors of the roles
 * @error: return location: %ATTN_ERROR_FORMAT for a layer too many, %ATTN_ERROR_UNSUPPORTED for
 *   another tensor that would be left out though it changes a result
 *
 * Returns: whether all other tensors of the file have no effect
 */
gboolean
attn_weights_check_rest (const AttnWeights  *weights,
                         GError            **error)
{
  return check_surplus (weights, error) && check_layers (weights, error) &&
         check_known (weights, error);
}
