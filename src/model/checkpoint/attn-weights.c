/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Opens a checkpoint's tensors by their role in the model, looks up a tensor, and reads the tensors
 * of a layer as float32 numbers. */

#include "config.h"

#include "attn-weights.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "attn-error.h"
#include "attn-weights-private.h"

/* Returns the numbers of a tensor where they are mapped; NULL if they must be converted first,
 * being not float32 or in another order. */
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

/* Returns the number of floats of the layer's vectors that must be converted before use, and notes
 * the matrices that must be converted. */
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

/* Returns how many bytes the tensors of all layers take in the file. */
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
 * @config: the configuration that names, shapes and element types must fit
 * @adapter: (nullable) (transfer full): the adapter that changes the weights
 * @error: return location: %ATTN_ERROR_FORMAT for a missing tensor or a layer too many,
 *   %ATTN_ERROR_SHAPE for a tensor of another shape, %ATTN_ERROR_UNSUPPORTED for a tensor of
 *   integers, or one that no role has
 *
 * A tensor of a layer, or of an adapter, that no role has would be left out silently, so it is an
 * error; buffers such as the stored causal masks of old checkpoints are ignored. Tensors outside
 * the layers, such as the heads of other tasks, are ignored, too, but not in a GGUF file, which
 * holds only what its architecture names. No number is read. Rows of queries and keys that
 * llama.cpp has reordered are read in the order of the other checkpoints.
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
 * Returns: how many numbers all tensors of the file hold, those of a vision-language model's other
 *   half included; a quantized matrix counts its own numbers, not its scales
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
 * Returns: (transfer none) (nullable): the weight as it is stored in the file, %NULL for a role
 *   that the model does not have
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
 * @layer: ignored for the roles that exist once
 *
 * Returns: (transfer none) (nullable): the tensor as it is stored in the file, %NULL for one that
 *   the model does not have
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
 * @role: one of those of experts, such as %ATTN_ROLE_EXPERT_UP
 * @layer: a layer that has experts
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
 * @role: %ATTN_ROLE_K_B, whose matrices are [in, out], or %ATTN_ROLE_V_B, whose matrices are [out,
 *   in]; the model must have the role
 *
 * Returns: (transfer none): the head's matrix
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
 * Returns: bytes that the tensors of all layers take in the file, experts included
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
 * Returns: whether [func@attn_weights_set_read] was called for this part of the layer; any thread
 *   may call
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
 * @part: as for [func@attn_weights_is_read]
 *
 * Notes that the tensors of the part were read from the disk and that their pages were left in
 * memory. Any thread may call.
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
 * Returns: whether the checkpoint has all tensors that logits need; one without a language-model
 *   head has not
 */
gboolean
attn_weights_has_logits (const AttnWeights *weights)
{
  return weights->has_logits;
}

/**
 * attn_weights_load:
 * @role: a role that exists once in the model
 * @tensor: (out) (nullable): the tensor as float32 numbers, %NULL if the model does not have it
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
 * @name: the tensor's name without a prefix such as "model."
 * @shape: (array length=n_dims): the shape that it must have
 * @error: return location: %ATTN_ERROR_FORMAT if it is missing, %ATTN_ERROR_SHAPE, and errors of
 *   [func@attn_array_to_tensor]
 *
 * Reads a tensor that has no role, by its name.
 *
 * Returns: (transfer full) (nullable): its numbers as float32
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
 * Returns: how many floats of scratch memory [func@attn_weights_read_layer] needs; 0 if every
 *   vector is used where it is mapped
 */
gsize
attn_weights_get_scratch (const AttnWeights *weights)
{
  return weights->n_scratch;
}

/**
 * attn_weights_get_changed_width:
 *
 * Returns: how many floats a pass needs for each token to add an adapter's change to the output of
 *   a matrix: its rank, and with magnitudes the matrix's outputs; 0 without an adapter
 */
gsize
attn_weights_get_changed_width (const AttnWeights *weights)
{
  return weights->changed_width;
}

/**
 * attn_weights_has_tiles:
 *
 * Returns: whether any layer has a matrix that is not float32, which a pass converts in tiles of
 *   rows
 */
gboolean
attn_weights_has_tiles (const AttnWeights *weights)
{
  return weights->has_tiles;
}

/**
 * attn_weights_get_paired_width:
 *
 * Returns: the head width d if the rows of the role's matrix are stored in the order of
 *   [func@attn_weights_find_row], as llama.cpp pairs them, else 0
 */
gsize
attn_weights_get_paired_width (const AttnWeights *weights,
                               AttnRole           role)
{
  return attn_weights_is_paired (&weights->config, role) ? weights->config.head_width : 0;
}

/* Sets *numbers to a tensor's numbers: mapped, or converted into @scratch. @scratch: (inout): free
 * memory; advanced past the numbers that are written */
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
 * @scratch: memory for [func@attn_weights_get_scratch] floats
 * @parameters: (out caller-allocates): [ATTN_N_ROLES]: pointers to the numbers of each role of a
 *   layer; entries of other roles are left as they are
 * @error: return location for errors of [func@attn_array_read]
 *
 * Finds the numbers of a layer's tensors. Those that are float32 are used where they are mapped.
 * Other vectors are converted into @scratch; other matrices get %NULL, and [func@attn_linear_run]
 * converts them, a tile at a time. The pointers are valid until @scratch is filled again.
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
 * @last_layer: the last layer whose tensors are checked
 * @with_logits: whether the tensors between the last layer and the logits are checked, too
 * @error: return location: %ATTN_ERROR_FORMAT for NaN or an infinity; the message names the tensor
 *
 * Reads every number, which takes long: to be called after a pass had a result that is not finite,
 * to tell whether the weights are the cause.
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
