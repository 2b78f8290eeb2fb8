/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-weights.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "attn-error.h"
#include "attn-weights-private.h"

/* Returns the mapped elements, or NULL if they must be converted first. */
static const float *
peek (const AttnWeights *weights,
      AttnRole           role,
      const AttnArray   *array)
{
  return array != NULL && !attn_weights_is_paired (&weights->config, role)
             ? attn_array_peek_float32 (array)
             : NULL;
}

static gboolean
read_paired (const AttnArray  *array,
             gsize             head_width,
             float            *out,
             GError          **error)
{
  gsize n_columns = array->n_dims == 2 ? array->shape[1] : 1;

  for (gsize row = 0; row < array->shape[0]; row++, out += n_columns)
    {
      gsize source = attn_weights_find_row (row, head_width);

      if (!attn_array_read (array, source * n_columns, n_columns, out, error))
        return FALSE;
    }
  return TRUE;
}

/* Computes the scratch floats for those vectors of a layer that must be converted before use. */
static gsize
compute_scratch (AttnWeights *weights,
                 gsize        layer)
{
  gsize n = 0;

  for (AttnRole role = ATTN_FIRST_LAYER_ROLE; role < ATTN_N_ROLES; role++)
    for (AttnSlot slot = 0; slot < ATTN_N_SLOTS; slot++)
      {
        const AttnArray *array = attn_weights_get_slot (weights, role, slot, layer);

        if (array == NULL || peek (weights, role, array) != NULL)
          continue;
        if (array->n_dims == 1)
          n += attn_array_get_n_elements (array);
        else
          weights->has_tiles = TRUE;
      }
  return n;
}

/* Returns the bytes of all tensors of all layers. */
static gsize
count_bytes (const AttnWeights *weights)
{
  gsize n_bytes = 0;

  for (gsize layer = 0; layer < weights->config.n_layers; layer++)
    {
      gsize n_experts = weights->experts[layer] != NULL ? weights->config.n_experts : 0;

      for (AttnRole role = ATTN_FIRST_LAYER_ROLE; role < ATTN_N_ROLES; role++)
        for (AttnSlot slot = 0; slot < ATTN_N_SLOTS; slot++)
          {
            const AttnArray *array = attn_weights_get_slot (weights, role, slot, layer);

            n_bytes += array != NULL ? g_bytes_get_size (array->bytes) : 0;
          }
      for (gsize i = 0; i < ATTN_N_EXPERT_TENSORS * n_experts; i++)
        if (weights->experts[layer][i] != NULL)
          n_bytes += g_bytes_get_size (weights->experts[layer][i]->bytes);
    }
  return n_bytes;
}

/**
 * attn_weights_new:
 * @file: the checkpoint's arrays; a reference is taken
 * @config: what they must fit
 * @adapter: (nullable) (transfer full): what changes them
 * @error: return location: %ATTN_ERROR_FORMAT for a missing tensor or one of a
 *   layer too many, %ATTN_ERROR_SHAPE for one of
 *   another shape, %ATTN_ERROR_UNSUPPORTED for one of integers, or one that no role has
 *
 * A tensor of one of the layers, or of an adapter, that no role has would be left out in silence:
 * it is an error, but for buffers such as the stored causal masks of old checkpoints. What stands
 * beside the layers, such as the heads of other tasks, is passed over; in a GGUF file, which has
 * nothing more than its architecture names, it is an error, too. Reads no element. The queries and
 * keys of llama.cpp come out in the order of the other checkpoints.
 *
 * Returns: (transfer full) (nullable): the tensors by their role
 */
AttnWeights *
attn_weights_new (AttnArrayFile     *file,
                  const AttnConfig  *config,
                  AttnAdapter       *adapter,
                  GError           **error)
{
  g_autoptr (AttnWeights) weights = g_new0 (AttnWeights, 1);

  weights->file = attn_array_file_ref (file);
  weights->adapter = adapter;
  weights->config = *config;
  weights->has_logits = attn_config_has_role (config, ATTN_ROLE_LOGITS);
  weights->experts = g_new0 (const AttnArray **, config->n_layers);
  weights->heads = g_new0 (const AttnArray **, config->n_layers);
  weights->parts = g_ptr_array_new_with_free_func ((GDestroyNotify) attn_array_free);
  weights->arrays = g_malloc0_n (attn_weights_get_index (ATTN_FIRST_LAYER_ROLE, config->n_layers),
                                 sizeof *weights->arrays);
  weights->found = g_hash_table_new (NULL, NULL);
  weights->counts = g_hash_table_new (NULL, NULL);
  gboolean is_found =
      attn_weights_find (weights, error) && attn_weights_check_rest (weights, error) &&
      attn_weights_check_adapted (weights, error);
  if (is_found)
    attn_weights_count_parameters (weights);
  g_clear_pointer (&weights->found, g_hash_table_unref);
  g_clear_pointer (&weights->counts, g_hash_table_unref);
  if (!is_found)
    return NULL;
  for (gsize layer = 0; layer < config->n_layers; layer++)
    weights->n_scratch = MAX (weights->n_scratch, compute_scratch (weights, layer));
  weights->n_bytes = count_bytes (weights);
  weights->are_read = g_new0 (gint, config->n_layers * (config->n_experts + 2));
  return g_steal_pointer (&weights);
}

void
attn_weights_free (AttnWeights *weights)
{
  if (weights == NULL)
    return;
  for (gsize i = 0; i < weights->config.n_layers; i++)
    {
      g_free (weights->experts[i]);
      g_free (weights->heads[i]);
    }
  g_free (weights->experts);
  g_free (weights->heads);
  g_ptr_array_unref (weights->parts);
  attn_adapter_free (weights->adapter);
  attn_array_file_unref (weights->file);
  g_free (weights->arrays);
  g_free (weights->are_read);
  g_free (weights);
}

/**
 * attn_weights_get_n_parameters:
 *
 * Returns: the numbers that all tensors of the file hold, those of its other half included; of a
 *   matrix that is stored as codes its own, without scales
 */
gsize
attn_weights_get_n_parameters (const AttnWeights *weights)
{
  return weights->n_parameters;
}

/**
 * attn_weights_get:
 * @layer: ignored for the roles that exist once
 *
 * Returns: (transfer none) (nullable): the weight as it lies in the file, %NULL for a role that the
 *   model does not have
 */
const AttnArray *
attn_weights_get (const AttnWeights *weights,
                  AttnRole           role,
                  gsize              layer)
{
  return attn_weights_get_slot (weights, role, ATTN_SLOT_WEIGHT, layer);
}

/**
 * attn_weights_get_slot:
 * @slot: the weight of the role, or its bias
 * @layer: for a role that exists once a layer
 *
 * Returns: (transfer none) (nullable): the tensor as it lies in the file, %NULL for one that the
 *   model does not have
 */
const AttnArray *
attn_weights_get_slot (const AttnWeights *weights,
                       AttnRole           role,
                       AttnSlot           slot,
                       gsize              layer)
{
  return weights->arrays[attn_weights_get_index (role, layer)][slot];
}

/**
 * attn_weights_get_expert:
 * @role: of the experts
 * @layer: one that has experts
 *
 * Returns: (transfer none) (nullable): the expert's tensor, %NULL for a role that the model does
 *   not have
 */
const AttnArray *
attn_weights_get_expert (const AttnWeights *weights,
                         AttnRole           role,
                         AttnSlot           slot,
                         gsize              layer,
                         gsize              expert)
{
  return weights->experts[layer][attn_weights_get_expert_index (&weights->config, role, slot,
                                                                expert)];
}

/**
 * attn_weights_get_head:
 * @role: %ATTN_ROLE_K_B, whose matrices are [in, out], or %ATTN_ROLE_V_B, [out, in]
 *
 * Returns: (transfer none): the head's matrix; the model has the role
 */
const AttnArray *
attn_weights_get_head (const AttnWeights *weights,
                       AttnRole           role,
                       gsize              layer,
                       gsize              head)
{
  return weights->heads[layer][attn_weights_get_head_index (&weights->config, role, head)];
}

/**
 * attn_weights_get_n_bytes:
 *
 * Returns: bytes of the tensors of all layers, experts included
 */
gsize
attn_weights_get_n_bytes (const AttnWeights *weights)
{
  return weights->n_bytes;
}

static gint *
find_flag (const AttnWeights *weights,
           gsize              layer,
           gssize             part)
{
  return &weights->are_read[layer * (weights->config.n_experts + 2) + (gsize) (part + 2)];
}

/**
 * attn_weights_is_read:
 * @part: %ATTN_WEIGHTS_OF_MAPS, %ATTN_WEIGHTS_BEHIND_MAPS or the number of an expert
 *
 * Returns: whether [func@attn_weights_set_read] was called for that. Any thread may call.
 */
gboolean
attn_weights_is_read (const AttnWeights *weights,
                      gsize              layer,
                      gssize             part)
{
  return g_atomic_int_get (find_flag (weights, layer, part));
}

/**
 * attn_weights_set_read:
 * @part: of [func@attn_weights_is_read]
 *
 * Notes that the tensors were read from the file and that their pages were left where they are
 * mapped. Any thread may call.
 */
void
attn_weights_set_read (const AttnWeights *weights,
                       gsize              layer,
                       gssize             part)
{
  g_atomic_int_set (find_flag (weights, layer, part), TRUE);
}

/**
 * attn_weights_has_logits:
 *
 * Returns: whether the checkpoint brings all that logits need; one without a language-model head
 *   does not
 */
gboolean
attn_weights_has_logits (const AttnWeights *weights)
{
  return weights->has_logits;
}

/**
 * attn_weights_load:
 * @role: one of those that exist once
 * @tensor: (out) (nullable): float32, %NULL where the model has none
 * @error: return location for errors of [func@attn_array_to_tensor]
 */
gboolean
attn_weights_load (const AttnWeights  *weights,
                   AttnRole            role,
                   AttnSlot            slot,
                   AttnTensor        **tensor,
                   GError            **error)
{
  const AttnArray *array = attn_weights_get_slot (weights, role, slot, 0);

  *tensor = array != NULL ? attn_array_to_tensor (array, error) : NULL;
  return array == NULL || *tensor != NULL;
}

/**
 * attn_weights_load_named:
 * @name: without what may stand before the names of the model's tensors
 * @shape: (array length=n_dims): that it must have
 * @error: return location: %ATTN_ERROR_FORMAT where there is none, %ATTN_ERROR_SHAPE, and errors of
 *   [func@attn_array_to_tensor]
 *
 * A tensor that no role has.
 *
 * Returns: (transfer full) (nullable): float32
 */
AttnTensor *
attn_weights_load_named (const AttnWeights  *weights,
                         const char         *name,
                         guint               n_dims,
                         const gsize        *shape,
                         GError            **error)
{
  g_auto (GStrv) prefixes = g_strsplit (weights->config.prefix, " ", -1);
  const AttnArray *array = attn_array_file_lookup (weights->file, name);

  for (char **prefix = prefixes; array == NULL && *prefix != NULL; prefix++)
    {
      g_autofree char *long_name = g_strconcat (*prefix, name, NULL);

      array = attn_array_file_lookup (weights->file, long_name);
    }
  return attn_weights_check_array (weights, array, name, n_dims, shape, error)
             ? attn_array_to_tensor (array, error)
             : NULL;
}

/**
 * attn_weights_get_scratch:
 *
 * Returns: how many floats [func@attn_weights_read_layer] needs; 0 where every tensor is used as
 *   mapped
 */
gsize
attn_weights_get_scratch (const AttnWeights *weights)
{
  return weights->n_scratch;
}

/**
 * attn_weights_get_changed_width:
 *
 * Returns: how many floats a token takes beside the buffers of a pass while an adapter changes what
 *   a matrix gives, 0 without one
 */
gsize
attn_weights_get_changed_width (const AttnWeights *weights)
{
  return weights->changed_width;
}

/**
 * attn_weights_has_tiles:
 *
 * Returns: whether a layer has a matrix that has to be converted
 */
gboolean
attn_weights_has_tiles (const AttnWeights *weights)
{
  return weights->has_tiles;
}

/**
 * attn_weights_get_paired_width:
 *
 * Returns: the head width d if the rows of a role lie in the order of
 *   [func@attn_weights_find_row], else 0
 */
gsize
attn_weights_get_paired_width (const AttnWeights *weights,
                               AttnRole           role)
{
  return attn_weights_is_paired (&weights->config, role) ? weights->config.head_width : 0;
}

/* @scratch: (inout): free memory; advanced past the numbers that are read */
static gboolean
read_slot (const AttnWeights  *weights,
           AttnRole            role,
           AttnSlot            slot,
           gsize               layer,
           float             **scratch,
           const float       **numbers,
           GError            **error)
{
  const AttnArray *array = attn_weights_get_slot (weights, role, slot, layer);

  *numbers = peek (weights, role, array);
  if (array == NULL || *numbers != NULL || array->n_dims > 1)
    return TRUE;

  gsize n_elements = attn_array_get_n_elements (array);
  if (attn_weights_is_paired (&weights->config, role)
          ? !read_paired (array, weights->config.head_width, *scratch, error)
          : !attn_array_read (array, 0, n_elements, *scratch, error))
    return FALSE;
  *numbers = *scratch;
  *scratch += n_elements;
  return TRUE;
}

/**
 * attn_weights_read_layer:
 * @scratch: room for [func@attn_weights_get_scratch] floats
 * @parameters: (out caller-allocates): [ATTN_N_ROLES], those of the roles of a layer are set,
 *   float32
 * @error: return location for errors of [func@attn_array_read]
 *
 * Tensors that are float32 already are used where they are mapped. Other vectors are converted;
 * other matrices are for [func@attn_linear_run] to convert, a tile at a time. Valid until @scratch
 * is filled again.
 */
gboolean
attn_weights_read_layer (const AttnWeights  *weights,
                         gsize               layer,
                         float              *scratch,
                         AttnParameters     *parameters,
                         GError            **error)
{
  for (AttnRole role = ATTN_FIRST_LAYER_ROLE; role < ATTN_N_ROLES; role++)
    if (!read_slot (weights, role, ATTN_SLOT_WEIGHT, layer, &scratch, &parameters[role].weight,
                    error) ||
        !read_slot (weights, role, ATTN_SLOT_BIAS, layer, &scratch, &parameters[role].bias, error))
      return FALSE;
  return TRUE;
}

static gboolean
check_finite (const AttnWeights  *weights,
              const AttnArray    *array,
              GError            **error)
{
  float part[4096];
  gsize n = array != NULL ? attn_array_get_n_elements (array) : 0;

  for (gsize begin = 0; begin < n; begin += G_N_ELEMENTS (part))
    {
      gsize n_part = MIN (n - begin, G_N_ELEMENTS (part));

      if (!attn_array_read (array, begin, n_part, part, error))
        return FALSE;
      for (gsize i = 0; i < n_part; i++)
        if (!isfinite (part[i]))
          return attn_fail (error, ATTN_ERROR_FORMAT,
                            _("%s: tensor “%s”: %g found at %zu, expected finite numbers"),
                            attn_array_file_get_path (weights->file), array->name, part[i],
                            begin + i);
    }
  return TRUE;
}

static gboolean
check_role (const AttnWeights  *weights,
            AttnRole            role,
            gsize               layer,
            GError            **error)
{
  for (AttnSlot slot = 0; slot < ATTN_N_SLOTS; slot++)
    if (!check_finite (weights, attn_weights_get_slot (weights, role, slot, layer), error))
      return FALSE;
  return TRUE;
}

/**
 * attn_weights_check_finite:
 * @last_layer: the last one to look at
 * @with_logits: whether to look at what stands behind the last layer, too
 * @error: return location: %ATTN_ERROR_FORMAT for NaN or an infinity, with the tensor's name
 *
 * Reads every element: for when a result is not finite, to tell what it came from.
 */
gboolean
attn_weights_check_finite (const AttnWeights  *weights,
                           gsize               last_layer,
                           gboolean            with_logits,
                           GError            **error)
{
  AttnRole n_end_roles = with_logits ? ATTN_FIRST_LAYER_ROLE : ATTN_ROLE_FINAL_NORM;

  for (AttnRole role = 0; role < n_end_roles; role++)
    if (!check_role (weights, role, 0, error))
      return FALSE;
  for (gsize layer = 0; layer <= last_layer; layer++)
    {
      for (AttnRole role = ATTN_FIRST_LAYER_ROLE; role < ATTN_N_ROLES; role++)
        if (!check_role (weights, role, layer, error))
          return FALSE;
      gsize n_experts = weights->experts[layer] != NULL ? weights->config.n_experts : 0;
      gsize n = ATTN_N_EXPERT_TENSORS * n_experts;
      for (gsize i = 0; i < n; i++)
        if (!check_finite (weights, weights->experts[layer][i], error))
          return FALSE;
    }
  return TRUE;
}
