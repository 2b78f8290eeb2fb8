/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Applies the changes of an adapter to the tensors of a model as they are looked up. */

#include "config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-error.h"
#include "attn-low-rank.h"
#include "attn-weights-private.h"

/* Tells whether the matrix of a role is the same in a GGUF file as in the checkpoint that an
 * adapter was trained on, except for the order of its rows, which [func@attn_weights_find_row]
 * undoes. */
static gboolean
is_kept_by_gguf (const AttnWeights *weights,
                 AttnRole           role)
{
  const AttnRole roles[] = { ATTN_ROLE_TOKEN_EMBEDDING, ATTN_ROLE_LOGITS, ATTN_ROLE_QUERY,
                             ATTN_ROLE_KEY, ATTN_ROLE_VALUE, ATTN_ROLE_OUTPUT, ATTN_ROLE_GATE,
                             ATTN_ROLE_UP, ATTN_ROLE_DOWN };

  for (gsize i = 0; i < G_N_ELEMENTS (roles); i++)
    if (roles[i] == role)
      return TRUE;
  return role == ATTN_ROLE_QKV && weights->config.family->qkv_layout == ATTN_QKV_BY_COMPONENT;
}

/**
 * attn_weights_replace:
 * @name: (nullable): the name that the role's tensor has in the layout of Hugging Face
 * @array: (inout) (nullable): the role's tensor; set to the adapter's tensor if that replaces it
 * @error: return location: %ATTN_ERROR_UNSUPPORTED for a tensor that GGUF files store in another
 *   form
 */
gboolean
attn_weights_replace (AttnWeights      *weights,
                      const char       *name,
                      AttnRole          role,
                      const AttnArray **array,
                      GError          **error)
{
  const AttnConfig *config = &weights->config;
  const AttnArray *own =
      weights->adapter != NULL && name != NULL
          ? attn_adapter_find_tensor (weights->adapter, config->prefix, name)
          : NULL;

  if (own == NULL)
    return TRUE;
  if (config->is_gguf && role != ATTN_ROLE_TOKEN_EMBEDDING && role != ATTN_ROLE_LOGITS)
    return attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                      _("%s: tensor “%s” found, expected none in the place of one of a GGUF file, "
                        "whose numbers are others"),
                      attn_adapter_get_path (weights->adapter), own->name);
  *array = own;
  return TRUE;
}

static gboolean
check_sizes (const AttnWeights        *weights,
             const AttnAdapterModule  *module,
             gsize                     n_in,
             gsize                     n_out,
             GError                  **error)
{
  if (module->a->shape[1] == n_in && module->b->shape[0] == n_out)
    return TRUE;
  return attn_fail (error, ATTN_ERROR_SHAPE,
                    _("%s: tensor “%s”: %zu inputs and %zu outputs found, expected %zu and %zu as "
                      "the model has them"),
                    attn_adapter_get_path (weights->adapter), module->a->name,
                    module->a->shape[1], module->b->shape[0], n_in, n_out);
}

/**
 * attn_weights_adapt:
 * @name: (nullable): the name that the matrix has in the layout of Hugging Face
 * @first_row: row of the adapter's change that belongs to the first row of @array
 * @n_rows: rows of the adapter's change, if @array is a part of its matrix; 0 if both have the same
 * @array: (inout): the role's matrix; set to the changed one if the adapter changes it
 * @error: return location: %ATTN_ERROR_SHAPE for a change of another shape, %ATTN_ERROR_UNSUPPORTED
 *   for a change of a tensor that is no such matrix
 */
gboolean
attn_weights_adapt (AttnWeights      *weights,
                    const char       *name,
                    AttnRole          role,
                    gsize             first_row,
                    gsize             n_rows,
                    const AttnArray **array,
                    GError          **error)
{
  const AttnConfig *config = &weights->config;
  const char *prefix = config->prefix;
  const AttnAdapterModule *module = NULL;

  if (weights->adapter == NULL || *array == NULL)
    return TRUE;
  if (name != NULL)
    module = attn_adapter_find_module (weights->adapter, prefix, name);
  /* A change may name its module as the file does. Not so for logits that are tied to the token
   * embedding: a change of the embedding's module does not apply to them. */
  if (module == NULL && !config->is_gguf && role != ATTN_ROLE_LOGITS)
    module = attn_adapter_find_module (weights->adapter, prefix, (*array)->name);
  if (module == NULL)
    return TRUE;
  gboolean is_table = role == ATTN_ROLE_TOKEN_EMBEDDING;
  if ((*array)->n_dims != 2 || module->is_embedding != is_table ||
      (config->is_gguf && !is_kept_by_gguf (weights, role)))
    return attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                      _("%s: tensor “%s” found, expected changes of matrices that the model "
                        "multiplies by"),
                      attn_adapter_get_path (weights->adapter), module->a->name);

  AttnLowRank change = {
    .base = *array,
    .a = module->a,
    .b = module->b,
    .magnitude = module->magnitude,
    .scale = module->scale,
    .is_input_major = is_table || (config->is_input_major && role != ATTN_ROLE_LOGITS),
    .paired_width = attn_weights_is_paired (config, role) ? config->head_width : 0,
  };
  gsize n_out = (*array)->shape[change.is_input_major ? 1 : 0];
  gsize n_in = (*array)->shape[change.is_input_major ? 0 : 1];
  if (!check_sizes (weights, module, n_in, n_rows > 0 ? n_rows : n_out, error))
    return FALSE;
  if (n_rows > 0 && n_rows != n_out)
    {
      change.b = attn_weights_take_rows (weights, change.b, first_row, n_out, error);
      if (change.b != NULL && change.magnitude != NULL)
        change.magnitude = attn_weights_take_rows (weights, change.magnitude, first_row, n_out,
                                                   error);
      if (change.b == NULL || (change.magnitude == NULL) != (module->magnitude == NULL))
        return FALSE;
    }
  weights->changed_width =
      MAX (weights->changed_width,
           change.a->shape[0] + (change.magnitude != NULL ? n_out : 0));
  AttnArray *changed = attn_low_rank_new (&change);
  g_ptr_array_add (weights->parts, changed);
  *array = changed;
  return TRUE;
}

/* Tells whether the checkpoint has a tensor of this name that the model does not compute with, such
 * as the head of another task or a tensor of its decoder. An adapter's change of such a tensor has
 * no effect. */
static gboolean
is_idle (const AttnWeights *weights,
         const char        *name)
{
  g_auto (GStrv) prefixes = g_strsplit (weights->config.prefix, " ", -1);
  const AttnArray *array = attn_array_file_lookup (weights->file, name);

  for (char **prefix = prefixes; array == NULL && *prefix != NULL; prefix++)
    {
      g_autofree char *long_name = g_strconcat (*prefix, name, NULL);

      array = attn_array_file_lookup (weights->file, long_name);
      if (array == NULL && **prefix != '\0' && g_str_has_prefix (name, *prefix))
        array = attn_array_file_lookup (weights->file, name + strlen (*prefix));
    }
  return array != NULL && !weights->config.is_gguf &&
         !g_hash_table_contains (weights->found, array);
}

/**
 * attn_weights_check_adapted:
 * @error: return location: %ATTN_ERROR_UNSUPPORTED for a tensor of the adapter that no role has
 *   asked for, so that it would be left out though it changes a result; the message names the first
 */
gboolean
attn_weights_check_adapted (const AttnWeights  *weights,
                            GError            **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) replaced = g_ptr_array_new_with_free_func (g_free);
  const char *first = NULL;

  if (weights->adapter == NULL)
    return TRUE;
  attn_adapter_list_unused (weights->adapter, names, replaced);
  for (guint i = 0; i < names->len; i++)
    if (!is_idle (weights, replaced->pdata[i]) &&
        (first == NULL || strcmp (names->pdata[i], first) < 0))
      first = names->pdata[i];
  return first == NULL ||
         attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                    _("%s: tensor “%s” found, expected one of a matrix that the model has"),
                    attn_adapter_get_path (weights->adapter), first);
}
