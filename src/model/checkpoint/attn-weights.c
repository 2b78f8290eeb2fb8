/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-weights.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "attn-error.h"

/**
 * AttnWeights:
 *
 * Immutable after it was made; any thread may read.
 */
struct _AttnWeights
{
  AttnArrayFile *file;
  AttnConfig config;
  const AttnArray **arrays; /* [role] for the roles of the model, then [layer][role - first] */
  gboolean has_logits;
  gsize n_scratch;    /* floats */
  gboolean has_tiles; /* of some layer's matrix */

  /* [layer][role][expert]; some are parts of an array or have scales, and are owned. */
  const AttnArray ***experts;
  GPtrArray *parts;
};

#define N_EXPERT_ROLES (ATTN_ROLE_EXPERT_GATE_UP_BIAS + 1 - ATTN_ROLE_EXPERT_GATE)
#define N_LAYER_ROLES  (ATTN_N_ROLES - ATTN_FIRST_LAYER_ROLE)

static gsize
get_index (AttnRole role,
           gsize    layer)
{
  return role < ATTN_FIRST_LAYER_ROLE ? role : role + layer * N_LAYER_ROLES;
}

/* Sizes that a role's tensor must have. A linear weight is [out, in] until the family says
 * otherwise. */
static guint
get_shape (const AttnConfig *config,
           AttnRole          role,
           gsize             layer,
           gsize             shape[2])
{
  gsize n_queries = config->n_heads * config->head_width;
  gsize n_keys = config->n_key_heads * config->head_width;
  gsize width = config->width;
  gsize head_width = config->head_width;
  gsize embedding_width = config->embedding_width;
  gsize inner_width = config->layers[layer].inner_width;
  gsize expert_width = config->expert_width;
  gboolean is_whole = config->family->has_whole_query_key_norm;
  gsize vocabulary_size = config->vocabulary_size;
  const struct
  {
    gsize out;
    gsize in; /* 0 for a vector */
    gboolean is_linear;
  } shapes[ATTN_N_ROLES] = {
    [ATTN_ROLE_TOKEN_EMBEDDING] = { vocabulary_size, embedding_width, FALSE },
    [ATTN_ROLE_POSITION_EMBEDDING] = { config->n_position_rows, width, FALSE },
    [ATTN_ROLE_TYPE_EMBEDDING] = { 1, width, FALSE }, /* at least */
    [ATTN_ROLE_PROJECT_IN] = { width, embedding_width, TRUE },
    [ATTN_ROLE_PROJECT_OUT] = { embedding_width, width, TRUE },
    [ATTN_ROLE_HEAD] = { width, width, TRUE },
    [ATTN_ROLE_LOGITS] = { vocabulary_size, embedding_width, FALSE },
    [ATTN_ROLE_QKV] = { n_queries + 2 * n_keys, width, TRUE },
    [ATTN_ROLE_QUERY] = { n_queries, width, TRUE },
    [ATTN_ROLE_KEY] = { n_keys, width, TRUE },
    [ATTN_ROLE_VALUE] = { n_keys, width, TRUE },
    [ATTN_ROLE_QUERY_NORM_SCALE] = { is_whole ? n_queries : head_width, 0, FALSE },
    [ATTN_ROLE_KEY_NORM_SCALE] = { is_whole ? n_keys : head_width, 0, FALSE },
    [ATTN_ROLE_OUTPUT] = { width, n_queries, TRUE },
    [ATTN_ROLE_SINKS] = { config->n_heads, 0, FALSE },
    [ATTN_ROLE_GATE] = { inner_width, width, TRUE },
    [ATTN_ROLE_UP] = { inner_width, width, TRUE },
    [ATTN_ROLE_DOWN] = { width, inner_width, TRUE },
    [ATTN_ROLE_ROUTER] = { config->n_experts, width, TRUE },
    [ATTN_ROLE_EXPERT_GATE] = { expert_width, width, TRUE },
    [ATTN_ROLE_EXPERT_UP] = { expert_width, width, TRUE },
    [ATTN_ROLE_EXPERT_DOWN] = { width, expert_width, TRUE },
    [ATTN_ROLE_EXPERT_GATE_UP] = { 2 * expert_width, width, TRUE },
    [ATTN_ROLE_SHARED_GATE] = { 1, width, TRUE },
  };
  AttnRole weight = attn_role_is_bias (role) ? role - 1 : role;
  gsize out = shapes[weight].out > 0 ? shapes[weight].out : width; /* the other norms */
  gsize in = weight == role ? shapes[role].in : 0;
  gboolean is_swapped = in > 0 && shapes[role].is_linear && config->is_input_major;

  shape[0] = is_swapped ? in : out;
  shape[1] = is_swapped ? out : in;
  return in > 0 ? 2 : 1;
}

static char *
dup_name (const AttnConfig *config,
          AttnRole          role,
          gsize             layer)
{
  if (role >= ATTN_ROLE_GATE && role <= ATTN_ROLE_DOWN_BIAS && layer < config->n_layers &&
      config->layers[layer].has_experts)
    return attn_family_dup_shared_name (config->family, config->is_gguf, role, layer);
  return attn_family_dup_name (config->family, config->is_gguf, role, layer);
}

static gboolean
is_of_experts (AttnRole role)
{
  return role >= ATTN_ROLE_EXPERT_GATE && role <= ATTN_ROLE_EXPERT_GATE_UP_BIAS;
}

/* Whether the layer brings the tensor; @layer is ignored for the roles that exist once. */
static gboolean
has_role (const AttnConfig *config,
          AttnRole          role,
          gsize             layer)
{
  if (!attn_config_has_role (config, role))
    return FALSE;
  if (role == ATTN_ROLE_SHARED_GATE || (role >= ATTN_ROLE_GATE && role <= ATTN_ROLE_DOWN_BIAS))
    return config->layers[layer].inner_width > 0 &&
           (role != ATTN_ROLE_SHARED_GATE || config->layers[layer].has_experts);
  return role < ATTN_ROLE_ROUTER || config->layers[layer].has_experts;
}

/* Programs save the bare model or the one with a head; the latter's names carry the prefix. Old
 * BERT checkpoints call the scale and bias of a norm by other names. */
static const AttnArray *
lookup (const AttnWeights *weights,
        const char        *name)
{
  static const char * const spellings[][2] = {
    { "LayerNorm.weight", "LayerNorm.gamma" },
    { "LayerNorm.bias", "LayerNorm.beta" },
  };
  const AttnArray *array = attn_array_file_lookup (weights->file, name);

  g_auto (GStrv) prefixes = g_strsplit (weights->config.family->prefix, " ", -1);
  for (char **prefix = prefixes; array == NULL && *prefix != NULL; prefix++)
    {
      g_autofree char *long_name = g_strconcat (*prefix, name, NULL);
      array = attn_array_file_lookup (weights->file, long_name);
    }
  for (gsize i = 0; array == NULL && i < G_N_ELEMENTS (spellings); i++)
    if (g_str_has_suffix (name, spellings[i][0]))
      {
        gsize n = strlen (name) - strlen (spellings[i][0]);
        g_autofree char *old_name =
            g_strdup_printf ("%.*s%s", (int) n, name, spellings[i][1]);
        array = lookup (weights, old_name);
      }
  return array;
}

/* How many rows or columns share a scale, of @n in @n_blocks. */
static gsize
find_block (gsize n,
            gsize n_blocks,
            gsize usual)
{
  return n_blocks == 1 ? n : n_blocks == n ? 1
                                           : usual;
}

/* What multiplies the numbers of an array of one byte each; %NULL where the checkpoint has none. */
static const AttnArray *
lookup_scales (const AttnWeights *weights,
               const char        *name)
{
  static const char * const suffixes[] = { "_scale_inv", "_scale" };
  const AttnArray *scales = NULL;

  for (gsize i = 0; scales == NULL && i < G_N_ELEMENTS (suffixes); i++)
    {
      g_autofree char *scale_name = g_strconcat (name, suffixes[i], NULL);

      scales = lookup (weights, scale_name);
    }
  return scales;
}

/* The tensor, with its scales where it has any: @name in blocks of 32 with an exponent each (OCP
 * Microscaling Formats 1.0), or bytes and what multiplies blocks, rows or all of them. *found is
 * %NULL where there is no such tensor. */
static gboolean
find_scaled (AttnWeights      *weights,
             const char       *name,
             const AttnArray **found,
             GError          **error)
{
  const AttnConfig *config = &weights->config;
  g_autofree char *blocks_name = g_strconcat (name, "_blocks", NULL);
  g_autofree char *exponents_name = g_strconcat (name, "_scales", NULL);
  const AttnArray *data = lookup (weights, name);
  const AttnArray *scales = NULL;
  AttnDtype dtype = data != NULL ? data->dtype : ATTN_DTYPE_F4;
  gsize shape[ATTN_ARRAY_MAX_DIMS];
  gsize n_rows = 1, n_columns = 32;
  guint n_dims;

  *found = data;
  if (data == NULL)
    {
      data = lookup (weights, blocks_name);
      scales = lookup (weights, exponents_name);
      if (data == NULL || scales == NULL || data->n_dims < 3 || data->dtype != ATTN_DTYPE_U8 ||
          scales->dtype != ATTN_DTYPE_U8)
        return TRUE;
      n_dims = data->n_dims - 1;
      memcpy (shape, data->shape, sizeof shape);
      shape[n_dims - 1] *= 2 * data->shape[n_dims];
    }
  else
    {
      gboolean is_small = dtype == ATTN_DTYPE_I8 || dtype == ATTN_DTYPE_F8_E4M3 ||
                          dtype == ATTN_DTYPE_F8_E5M2;

      scales = is_small && data->n_dims == 2 ? lookup_scales (weights, name) : NULL;
      if (scales == NULL)
        return TRUE;
      n_dims = data->n_dims;
      memcpy (shape, data->shape, sizeof shape);
      n_rows = find_block (shape[0], scales->n_dims > 0 ? scales->shape[0] : 1,
                           config->n_scale_rows);
      n_columns = find_block (shape[1], scales->n_dims > 1 ? scales->shape[1] : 1,
                              config->n_scale_columns);
    }

  g_autoptr (AttnArray) array =
      attn_array_new (data->name, dtype, n_dims, shape, data->bytes, error);
  g_autoptr (AttnArray) exponents = attn_array_new (
      scales->name, dtype == ATTN_DTYPE_F4 ? ATTN_DTYPE_F8_E8M0 : scales->dtype, scales->n_dims,
      scales->shape, scales->bytes, error);
  if (array == NULL || exponents == NULL)
    return FALSE;
  exponents->is_swapped = scales->is_swapped;
  if (!attn_array_set_scales (array, exponents, n_rows, n_columns, error))
    return FALSE;
  *found = array;
  g_ptr_array_add (weights->parts, g_steal_pointer (&array));
  return TRUE;
}

static gboolean
check_array (const AttnWeights  *weights,
             const AttnArray    *array,
             const char         *name,
             guint               n_dims,
             const gsize        *shape,
             GError            **error)
{
  const char *path = attn_array_file_get_path (weights->file);
  g_autofree char *expected = attn_shape_to_string (n_dims, shape);

  if (array == NULL)
    return attn_fail (error, ATTN_ERROR_FORMAT,
                      _("%s: no tensor “%s” found, expected one of shape %s"), path, name,
                      expected);
  if (array->n_dims != n_dims || memcmp (array->shape, shape, n_dims * sizeof *shape) != 0)
    {
      g_autofree char *found = attn_shape_to_string (array->n_dims, array->shape);
      return attn_fail (error, ATTN_ERROR_SHAPE,
                        _("%s: tensor “%s”: shape %s found, expected %s as the configuration says"),
                        path, name, found, expected);
    }
  if (array->dtype > ATTN_DTYPE_F64 && array->dtype != ATTN_DTYPE_F8_E4M3 &&
      array->dtype != ATTN_DTYPE_F8_E5M2 && array->scales == NULL &&
      !attn_dtype_is_block (array->dtype))
    return attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                      _("%s: tensor “%s”: dtype %s found, expected F32, F16, BF16 or F64"), path,
                      name, attn_dtype_get_name (array->dtype));
  return TRUE;
}

/* What stands between the last layer and the logits; a checkpoint without a head lacks it. */
static gboolean
is_of_head (AttnRole role)
{
  return role >= ATTN_ROLE_HEAD && role <= ATTN_ROLE_LOGITS_BIAS;
}

/* Whether the checkpoint holds the bare model, or a family's model that is often saved with the
 * head of another task. */
static gboolean
may_lack_head (const AttnWeights *weights)
{
  g_autofree char *name = dup_name (&weights->config, ATTN_ROLE_TOKEN_EMBEDDING, 0);

  return attn_config_has_role (&weights->config, ATTN_ROLE_HEAD) ||
         attn_array_file_lookup (weights->file, name) != NULL;
}

static AttnArray *
slice (const AttnArray  *array,
       gsize             index,
       GError          **error)
{
  gsize n_bytes = g_bytes_get_size (array->bytes) / array->shape[0];
  g_autoptr (GBytes) bytes = g_bytes_new_from_bytes (array->bytes, index * n_bytes, n_bytes);
  AttnArray *part = attn_array_new (array->name, array->dtype, array->n_dims - 1, array->shape + 1,
                                    bytes, error);

  if (part != NULL)
    part->is_swapped = array->is_swapped;
  return part;
}

/* One expert's part of an array of all. */
static const AttnArray *
take_part (AttnWeights      *weights,
           const AttnArray  *array,
           gsize             expert,
           GError          **error)
{
  g_autoptr (AttnArray) part = slice (array, expert, error);
  g_autoptr (AttnArray) scales =
      part != NULL && array->scales != NULL ? slice (array->scales, expert, error) : NULL;

  if (part == NULL || (array->scales != NULL &&
                       (scales == NULL || !attn_array_set_scales (part, scales, array->n_scale_rows,
                                                                  array->n_scale_columns, error))))
    return NULL;
  g_ptr_array_add (weights->parts, part);
  return g_steal_pointer (&part);
}

/* A tensor an expert, or one of all. */
static gboolean
find_experts (AttnWeights  *weights,
              AttnRole      role,
              gsize         layer,
              GError      **error)
{
  const AttnConfig *config = &weights->config;
  gsize n = config->n_experts;
  g_autofree char *name = dup_name (config, role, layer);
  gsize shape[3] = { n };
  guint n_dims = get_shape (config, role, layer, shape + 1);
  const AttnArray **experts;

  if (weights->experts[layer] == NULL)
    weights->experts[layer] = g_new0 (const AttnArray *, N_EXPERT_ROLES *n);
  experts = weights->experts[layer] + (role - ATTN_ROLE_EXPERT_GATE) * n;
  if (strstr (name, "%e") == NULL)
    {
      const AttnArray *array;

      if (!find_scaled (weights, name, &array, error))
        return FALSE;
      if (config->has_input_major_experts && n_dims == 2 && array != NULL && array->scales == NULL)
        {
          gsize n_out = shape[1];

          shape[1] = shape[2];
          shape[2] = n_out;
        }
      if (!check_array (weights, array, name, n_dims + 1, shape, error))
        return FALSE;
      weights->has_tiles |= attn_array_peek_float32 (array) == NULL;
      weights->arrays[get_index (role, layer)] = array;
      for (gsize i = 0; i < n; i++)
        {
          experts[i] = take_part (weights, array, i, error);
          if (experts[i] == NULL)
            return FALSE;
        }
      return TRUE;
    }
  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *number = g_strdup_printf ("%zu", i);
      g_autoptr (GString) own_name = g_string_new (name);

      g_string_replace (own_name, "%e", number, 1);
      if (!find_scaled (weights, own_name->str, &experts[i], error) ||
          !check_array (weights, experts[i], own_name->str, n_dims, shape + 1, error))
        return FALSE;
      weights->has_tiles |= attn_array_peek_float32 (experts[i]) == NULL;
    }
  return TRUE;
}

static gboolean
find_array (AttnWeights  *weights,
            AttnRole      role,
            gsize         layer,
            GError      **error)
{
  const AttnConfig *config = &weights->config;

  if (!has_role (config, role, layer))
    return TRUE;
  if (is_of_experts (role))
    return find_experts (weights, role, layer, error);

  g_autofree char *name = dup_name (config, role, layer);
  const AttnArray *array;
  gsize shape[2];
  guint n_dims = get_shape (config, role, layer, shape);

  if (!find_scaled (weights, name, &array, error))
    return FALSE;

  /* A GGUF file has it as a vector. */
  if (role == ATTN_ROLE_SHARED_GATE && array != NULL && array->n_dims == 1)
    {
      shape[0] = config->width;
      n_dims = 1;
    }

  /* Tied: the logits are products with the embedding. */
  if (array == NULL && role == ATTN_ROLE_LOGITS && !config->has_own_logits)
    array = weights->arrays[ATTN_ROLE_TOKEN_EMBEDDING];
  if (array == NULL && is_of_head (role) && may_lack_head (weights))
    {
      weights->has_logits = FALSE;
      return TRUE;
    }
  /* One row of it is used, however many kinds of token there are. */
  if (role == ATTN_ROLE_TYPE_EMBEDDING && array != NULL && array->n_dims == 2)
    shape[0] = MAX (array->shape[0], 1);
  if (!check_array (weights, array, name, n_dims, shape, error))
    return FALSE;
  weights->arrays[get_index (role, layer)] = array;
  return TRUE;
}

/* A layer beyond those of config.json would be left out in silence. */
static gboolean
check_surplus (const AttnWeights  *weights,
               GError            **error)
{
  const AttnConfig *config = &weights->config;
  g_autofree char *name = dup_name (config, ATTN_ROLE_OUTPUT, config->n_layers);

  if (lookup (weights, name) == NULL)
    return TRUE;
  return attn_fail (error, ATTN_ERROR_FORMAT,
                    _("%s: tensor “%s” found, expected no more than the %zu layers of the "
                      "configuration"),
                    attn_array_file_get_path (weights->file), name,
                    config->n_layers);
}

/* A GGUF file holds what its architecture names; anything more, such as a bias by another name, is
 * a part of the model that would be left out in silence. */
static gboolean
check_known (const AttnWeights  *weights,
             GError            **error)
{
  const AttnConfig *config = &weights->config;
  static const char * const others[] = { "rope_freqs.weight", "cls", "pooler" };
  g_autoptr (GHashTable) known = g_hash_table_new (NULL, NULL);

  if (!config->is_gguf)
    return TRUE;
  for (gsize i = 0; i < ATTN_FIRST_LAYER_ROLE + config->n_layers * N_LAYER_ROLES; i++)
    g_hash_table_add (known, (gpointer) weights->arrays[i]);
  for (gsize i = 0; i < attn_array_file_get_n_arrays (weights->file); i++)
    {
      const AttnArray *array = attn_array_file_get_nth (weights->file, i);
      gboolean is_known = g_hash_table_contains (known, array);

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

/* Whether the rows of a tensor lie in the order of llama.cpp. */
static gboolean
is_paired (const AttnWeights *weights,
           AttnRole           role)
{
  return weights->config.has_paired_rows && role >= ATTN_ROLE_QUERY &&
         role <= ATTN_ROLE_KEY_BIAS;
}

/* The elements where they are mapped, or NULL for those that must be converted. */
static const float *
peek (const AttnWeights *weights,
      AttnRole           role,
      const AttnArray   *array)
{
  return array != NULL && !is_paired (weights, role) ? attn_array_peek_float32 (array) : NULL;
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

/* Room for the vectors of any one layer that cannot be used where they are mapped. */
static gsize
compute_scratch (AttnWeights *weights)
{
  gsize largest = 0;

  for (gsize layer = 0; layer < weights->config.n_layers; layer++)
    {
      gsize n = 0;

      for (AttnRole role = ATTN_FIRST_LAYER_ROLE; role < ATTN_N_ROLES; role++)
        {
          const AttnArray *array = attn_weights_get (weights, role, layer);

          if (array == NULL || peek (weights, role, array) != NULL)
            continue;
          if (array->n_dims == 1)
            n += attn_array_get_n_elements (array);
          else
            weights->has_tiles = TRUE;
        }
      largest = MAX (largest, n);
    }
  return largest;
}

/**
 * attn_weights_new:
 * @file: the checkpoint's arrays; a reference is taken
 * @config: what they must fit
 * @error: return location: %ATTN_ERROR_FORMAT for a missing tensor or one of a
 *   layer too many, %ATTN_ERROR_SHAPE for one of
 *   another shape, %ATTN_ERROR_UNSUPPORTED for one of integers
 *
 * Tensors that the family does not name, such as the stored causal masks of old checkpoints, are
 * ignored; in a GGUF file, which has none, they are an error. Reads no element. The queries and
 * keys of llama.cpp come out in the order of the other checkpoints.
 *
 * Returns: (transfer full) (nullable): the tensors by their role
 */
AttnWeights *
attn_weights_new (AttnArrayFile     *file,
                  const AttnConfig  *config,
                  GError           **error)
{
  g_autoptr (AttnWeights) weights = g_new0 (AttnWeights, 1);

  weights->file = attn_array_file_ref (file);
  weights->config = *config;
  weights->has_logits = attn_config_has_role (config, ATTN_ROLE_LOGITS);
  weights->experts = g_new0 (const AttnArray **, config->n_layers);
  weights->parts = g_ptr_array_new_with_free_func ((GDestroyNotify) attn_array_free);
  weights->arrays =
      g_new0 (const AttnArray *, ATTN_FIRST_LAYER_ROLE + config->n_layers * N_LAYER_ROLES);
  for (AttnRole role = 0; role < ATTN_FIRST_LAYER_ROLE; role++)
    if (!find_array (weights, role, 0, error))
      return NULL;
  for (gsize layer = 0; layer < config->n_layers; layer++)
    for (AttnRole role = ATTN_FIRST_LAYER_ROLE; role < ATTN_N_ROLES; role++)
      if (!find_array (weights, role, layer, error))
        return NULL;
  if (!check_surplus (weights, error) || !check_known (weights, error))
    return NULL;
  weights->n_scratch = compute_scratch (weights);
  return g_steal_pointer (&weights);
}

void
attn_weights_free (AttnWeights *weights)
{
  if (weights == NULL)
    return;
  for (gsize i = 0; i < weights->config.n_layers; i++)
    g_free (weights->experts[i]);
  g_free (weights->experts);
  g_ptr_array_unref (weights->parts);
  attn_array_file_unref (weights->file);
  g_free (weights->arrays);
  g_free (weights);
}

/**
 * attn_weights_get:
 * @layer: ignored for the roles that exist once
 *
 * Returns: (transfer none) (nullable): the tensor as it lies in the file, %NULL for a role that the
 *   model does not have
 */
const AttnArray *
attn_weights_get (const AttnWeights *weights,
                  AttnRole           role,
                  gsize              layer)
{
  return weights->arrays[get_index (role, layer)];
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
                         gsize              layer,
                         gsize              expert)
{
  return weights->experts[layer][(role - ATTN_ROLE_EXPERT_GATE) * weights->config.n_experts +
                                 expert];
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
                   AttnTensor        **tensor,
                   GError            **error)
{
  const AttnArray *array = attn_weights_get (weights, role, 0);

  *tensor = array != NULL ? attn_array_to_tensor (array, error) : NULL;
  return array == NULL || *tensor != NULL;
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
  return is_paired (weights, role) ? weights->config.head_width : 0;
}

/**
 * attn_weights_read_layer:
 * @scratch: room for [func@attn_weights_get_scratch] floats
 * @tensors: (out caller-allocates): [ATTN_N_ROLES], those of the roles of a layer are set, float32,
 *   or %NULL where the model has none or a matrix is not stored as float32
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
                         const float       **tensors,
                         GError            **error)
{
  for (AttnRole role = ATTN_FIRST_LAYER_ROLE; role < ATTN_N_ROLES; role++)
    {
      const AttnArray *array = attn_weights_get (weights, role, layer);

      tensors[role] = peek (weights, role, array);
      if (array == NULL || tensors[role] != NULL || array->n_dims > 1)
        continue;

      gsize n_elements = attn_array_get_n_elements (array);
      if (is_paired (weights, role)
              ? !read_paired (array, weights->config.head_width, scratch, error)
              : !attn_array_read (array, 0, n_elements, scratch, error))
        return FALSE;
      tensors[role] = scratch;
      scratch += n_elements;
    }
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
  for (AttnRole role = 0; role < ATTN_FIRST_LAYER_ROLE; role++)
    if ((with_logits || role <= ATTN_ROLE_EMBEDDING_NORM_BIAS) &&
        !check_finite (weights, attn_weights_get (weights, role, 0), error))
      return FALSE;
  for (gsize layer = 0; layer <= last_layer; layer++)
    {
      for (AttnRole role = ATTN_FIRST_LAYER_ROLE; role < ATTN_N_ROLES; role++)
        if (!check_finite (weights, attn_weights_get (weights, role, layer), error))
          return FALSE;
      gsize n = weights->experts[layer] != NULL ? N_EXPERT_ROLES * weights->config.n_experts : 0;
      for (gsize i = 0; i < n; i++)
        if (!check_finite (weights, weights->experts[layer][i], error))
          return FALSE;
    }
  return TRUE;
}
