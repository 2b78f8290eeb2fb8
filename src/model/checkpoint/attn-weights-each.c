/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Finds the matrices of single experts or heads: tensors of their own, or slices of a tensor that
 * holds all experts or heads. */

#include "config.h"

#include <string.h>

#include "attn-weights-private.h"

/* Returns a tensor's name with “%e” replaced by @index, the number of an expert or a head. */
static char *
number_name (const char *name,
             gsize       index)
{
  g_autofree char *number = g_strdup_printf ("%zu", index);
  g_autoptr (GString) own_name = g_string_new (name);

  g_string_replace (own_name, "%e", number, 1);
  return g_string_free (g_steal_pointer (&own_name), FALSE);
}

/* Finds the matrices with which each head projects a latent vector, and which a tensor [heads,
 * rows, columns] holds for all heads of a layer. */
gboolean
attn_weights_find_heads (AttnWeights  *weights,
                         AttnRole      role,
                         gsize         layer,
                         GError      **error)
{
  const AttnConfig *config = &weights->config;
  gsize n = config->n_heads;
  g_autofree char *name = attn_weights_dup_name (config, role, ATTN_SLOT_WEIGHT, layer);
  const AttnArray *array = attn_weights_lookup (weights, name);
  gsize shape[3] = { n };
  guint n_dims = attn_weights_get_shape (config, role, ATTN_SLOT_WEIGHT, layer, shape + 1);

  if (!attn_weights_check_array (weights, array, name, n_dims + 1, shape, error))
    return FALSE;
  if (weights->heads[layer] == NULL)
    weights->heads[layer] = g_new0 (const AttnArray *, 2 * n);
  weights->arrays[attn_weights_get_index (role, layer)][ATTN_SLOT_WEIGHT] = array;
  for (gsize i = 0; i < n; i++)
    {
      const AttnArray *part = attn_weights_take_part (weights, array, i, error);

      if (part == NULL)
        return FALSE;
      weights->heads[layer][attn_weights_get_head_index (config, role, i)] = part;
    }
  return TRUE;
}

/* Returns the name of a fused tensor that the file has in place of a tensor @name for each expert:
 * one of all experts with gate and up projection concatenated, or one of all experts for each
 * projection (mlx-lm, models/switch_layers.py). @half: (out): 0 for the upper part, 1 for the
 * lower, 2 for the whole */
static char *
dup_fused_name (const AttnWeights *weights,
                const char        *name,
                gsize             *half)
{
  static const struct
  {
    const char *usual;
    const char *fused;
    gsize half;
  } spellings[] = {
    { "experts.%e.gate_proj.weight", "experts.gate_up_proj", 0 },
    { "experts.%e.up_proj.weight", "experts.gate_up_proj", 1 },
    { "experts.%e.down_proj.weight", "experts.down_proj", 2 },
    { "experts.%e.gate_proj.weight", "switch_mlp.gate_proj.weight", 2 },
    { "experts.%e.up_proj.weight", "switch_mlp.up_proj.weight", 2 },
    { "experts.%e.down_proj.weight", "switch_mlp.down_proj.weight", 2 },
    { "experts.%e.w1.weight", "switch_mlp.gate_proj.weight", 2 },
    { "experts.%e.w3.weight", "switch_mlp.up_proj.weight", 2 },
    { "experts.%e.w2.weight", "switch_mlp.down_proj.weight", 2 },
    { "experts.%e.gate_proj.weight", "experts.switch_glu.gate_proj.weight", 2 },
    { "experts.%e.up_proj.weight", "experts.switch_glu.up_proj.weight", 2 },
    { "experts.%e.down_proj.weight", "experts.switch_glu.down_proj.weight", 2 },
    { "ffn_gate_exps.weight", "ffn_gate_up_exps.weight", 0 },
    { "ffn_up_exps.weight", "ffn_gate_up_exps.weight", 1 },
  };
  g_autofree char *first_name = number_name (name, 0);

  if (attn_weights_lookup (weights, first_name) != NULL)
    return NULL;
  for (gsize i = 0; i < G_N_ELEMENTS (spellings); i++)
    if (g_str_has_suffix (name, spellings[i].usual))
      {
        gsize n = strlen (name) - strlen (spellings[i].usual);
        char *fused = g_strdup_printf ("%.*s%s", (int) n, name, spellings[i].fused);

        *half = spellings[i].half;
        if (attn_weights_lookup (weights, fused) != NULL)
          return fused;
        g_free (fused);
      }
  return NULL;
}

/* Cuts the fused tensor @name into the matrices of single experts. @shape: [experts, rows, columns]
 * of the role's matrices, without the other role that the tensor may hold */
static gboolean
find_fused (AttnWeights      *weights,
            const char       *name,
            gsize             half,
            const gsize       shape[3],
            const AttnArray **whole,
            const AttnArray **experts,
            GError          **error)
{
  const gsize all_shape[] = { shape[0], half < 2 ? 2 * shape[1] : shape[1], shape[2] };
  const gsize rows_shape[] = { shape[0] * all_shape[1], shape[2] };

  if (!attn_weights_find_scaled (weights, name, whole, error))
    return FALSE;
  /* A tensor of packed codes is one matrix, with the rows of all experts one below the other. */
  gboolean is_packed = *whole != NULL && (*whole)->packed != NULL;
  if (!attn_weights_check_array (weights, *whole, name, is_packed ? 2 : 3,
                                 is_packed ? rows_shape : all_shape, error))
    return FALSE;
  weights->has_tiles |= attn_array_peek_float32 (*whole) == NULL;
  for (gsize i = 0; i < shape[0]; i++)
    {
      const AttnArray *part =
          is_packed ? attn_weights_take_rows (weights, *whole, i * all_shape[1], all_shape[1],
                                              error)
                    : attn_weights_take_part (weights, *whole, i, error);

      experts[i] = part == NULL || half == 2
                       ? part
                       : attn_weights_take_rows (weights, part, half * shape[1], shape[1], error);
      if (experts[i] == NULL)
        return FALSE;
    }
  return TRUE;
}

/* Finds the matrices of all experts of a layer: a tensor for each expert, or one tensor for all. */
gboolean
attn_weights_find_experts (AttnWeights  *weights,
                           AttnRole      role,
                           AttnSlot      slot,
                           gsize         layer,
                           GError      **error)
{
  const AttnConfig *config = &weights->config;
  gsize n = config->n_experts;
  g_autofree char *name = attn_weights_dup_name (config, role, slot, layer);
  gsize shape[3] = { n };
  guint n_dims = attn_weights_get_shape (config, role, slot, layer, shape + 1);
  const AttnArray **whole = &weights->arrays[attn_weights_get_index (role, layer)][slot];
  const AttnArray **experts;
  g_autofree char *fused_name = NULL;
  gsize half = 2;

  if (weights->experts[layer] == NULL)
    weights->experts[layer] = g_new0 (const AttnArray *, ATTN_N_EXPERT_TENSORS *n);
  experts = weights->experts[layer] + attn_weights_get_expert_index (config, role, slot, 0);
  fused_name = dup_fused_name (weights, name, &half);
  if (fused_name != NULL)
    return find_fused (weights, fused_name, half, shape, whole, experts, error);
  if (strstr (name, "%e") == NULL)
    {
      const AttnArray *array;

      if (!attn_weights_find_scaled (weights, name, &array, error))
        return FALSE;
      if (config->has_input_major_experts && n_dims == 2 && array != NULL && array->scales == NULL)
        {
          gsize n_out = shape[1];

          shape[1] = shape[2];
          shape[2] = n_out;
        }
      if (!attn_weights_check_array (weights, array, name, n_dims + 1, shape, error))
        return FALSE;
      weights->has_tiles |= attn_array_peek_float32 (array) == NULL;
      *whole = array;
      for (gsize i = 0; i < n; i++)
        {
          experts[i] = attn_weights_take_part (weights, array, i, error);
          if (experts[i] == NULL)
            return FALSE;
        }
      return TRUE;
    }
  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *own_name = number_name (name, i);

      if (!attn_weights_find_scaled (weights, own_name, &experts[i], error) ||
          !attn_weights_check_array (weights, experts[i], own_name, n_dims, shape + 1, error) ||
          (slot == ATTN_SLOT_WEIGHT &&
           !attn_weights_adapt (weights, own_name, role, 0, 0, &experts[i], error)))
        return FALSE;
      weights->has_tiles |= attn_array_peek_float32 (experts[i]) == NULL;
    }
  return TRUE;
}

/* Finds the weights of a query or key norm that differ from head to head, in a tensor for each head
 * or in one of [heads, d], and joins them to one vector. */
gboolean
attn_weights_find_head_norms (AttnWeights  *weights,
                              AttnRole      role,
                              AttnSlot      slot,
                              gsize         layer,
                              const char   *name,
                              GError      **error)
{
  gsize width = weights->config.head_width;
  gsize all_shape[2];
  attn_weights_get_shape (&weights->config, role, slot, layer, all_shape);
  gsize n = all_shape[0];
  const gsize shape[] = { n / width, width };
  gboolean is_one = strstr (name, "%e") == NULL;
  gsize n_arrays = is_one ? 1 : shape[0];
  g_autofree float *numbers = g_new (float, n);

  for (gsize i = 0; i < n_arrays; i++)
    {
      g_autofree char *own_name = number_name (name, i);
      const AttnArray *array = attn_weights_lookup (weights, own_name);

      if (!attn_weights_check_array (weights, array, own_name, is_one ? 2 : 1, shape + !is_one,
                                     error) ||
          !attn_array_read (array, 0, n / n_arrays, numbers + i * width, error))
        return FALSE;
    }
  g_autoptr (GBytes) bytes = g_bytes_new_take (g_steal_pointer (&numbers), n * sizeof (float));
  AttnArray *all = attn_array_new (name, ATTN_DTYPE_F32, 1, all_shape, bytes, error);
  if (all == NULL)
    return FALSE;
  g_ptr_array_add (weights->parts, all);
  weights->arrays[attn_weights_get_index (role, layer)][slot] = all;
  return TRUE;
}
