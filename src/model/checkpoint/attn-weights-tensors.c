/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Joins the tensors of a quantized matrix (codes and scales) to one array, and cuts the matrices of
 * single roles or experts from larger tensors. */

#include "config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-error.h"
#include "attn-packed.h"
#include "attn-scaled.h"
#include "attn-weights-private.h"

/* A search for the tensors of one matrix, and the tensors of the file that it has found so far. */
typedef struct
{
  const AttnWeights *weights;
  GPtrArray *found;
} Search;

static const AttnArray *
lookup (gconstpointer  data,
        const char    *name)
{
  const Search *search = data;
  const AttnArray *array = attn_weights_lookup (search->weights, name);

  if (array != NULL)
    g_ptr_array_add (search->found, (gpointer) array);
  return array;
}

/* Finds a matrix or vector by its name: as one tensor, or as codes with scales if the checkpoint is
 * quantized. Sets *found to %NULL if there is no such tensor. */
gboolean
attn_weights_find_scaled (AttnWeights      *weights,
                          const char       *name,
                          const AttnArray **found,
                          GError          **error)
{
  const AttnConfig *config = &weights->config;
  const AttnQuantization *quantization = &config->quantization;
  AttnArray *made;

  /* Tensors of plain numbers need no search for scales. It would take long in a checkpoint of
   * 20,000 tensors. */
  *found = quantization->method == NULL && !config->is_gguf ? attn_weights_lookup (weights, name)
                                                            : NULL;
  if (*found != NULL && (*found)->dtype <= ATTN_DTYPE_F64)
    return TRUE;

  g_autoptr (GPtrArray) parts = g_ptr_array_new ();
  const Search search = { weights, parts };
  if (!attn_schemes_find (quantization, name, lookup, &search, &made, error) ||
      (made == NULL && !attn_scaled_find (quantization, config->is_gguf, name, lookup, &search,
                                          &made, error)))
    {
      g_prefix_error (error, "%s: ", attn_array_file_get_path (weights->file));
      return FALSE;
    }
  *found = made != NULL ? made : attn_weights_lookup (weights, name);
  if (made == NULL)
    return TRUE;
  g_ptr_array_add (weights->parts, made);
  for (guint i = 0; i < parts->len; i++)
    g_hash_table_insert (weights->counts, parts->pdata[i], GSIZE_TO_POINTER (0));
  g_hash_table_insert (weights->counts, parts->pdata[0],
                       GSIZE_TO_POINTER (attn_array_get_n_elements (made)));
  return TRUE;
}

/* Joins a quantized matrix without a role, such as one of the other half of a vision-language
 * model, so that its parameters are counted. @name: of the tensor of its codes */
static void
find_other (AttnWeights *weights,
            const char  *name)
{
  static const char * const ends[][2] = {
    { ".qweight", ".weight" },
    { ".weight_packed", ".weight" },
    { "_blocks", "" },
    { "", "" },
  };
  gsize i = 0;

  while (!g_str_has_suffix (name, ends[i][0]))
    i++;
  gsize n_stem = strlen (name) - strlen (ends[i][0]);
  g_autofree char *matrix = g_strdup_printf ("%.*s%s", (int) n_stem, name, ends[i][1]);
  const AttnArray *found;
  attn_weights_find_scaled (weights, matrix, &found, NULL);
}

/* Counts the numbers of all tensors of the file. A quantized matrix counts its own numbers, not its
 * scales and other tensors that belong to it; tensors without effect do not count. Arrays that
 * share their memory, as tied weights saved by PyTorch do, count once. */
void
attn_weights_count_parameters (AttnWeights *weights)
{
  g_autoptr (GHashTable) places = g_hash_table_new (NULL, NULL);
  gsize n = attn_array_file_get_n_arrays (weights->file);

  for (gsize i = 0; i < n; i++)
    {
      const AttnArray *array = attn_array_file_get_nth (weights->file, i);

      if (!g_hash_table_contains (weights->found, array) && attn_weights_is_idle (weights, array))
        g_hash_table_insert (weights->counts, (gpointer) array, GSIZE_TO_POINTER (0));
      else if (!g_hash_table_contains (weights->found, array))
        find_other (weights, array->name);
    }
  for (gsize i = 0; i < n; i++)
    {
      const AttnArray *array = attn_array_file_get_nth (weights->file, i);
      gsize n_bytes;
      gconstpointer place = g_bytes_get_data (array->bytes, &n_bytes);
      gpointer count;

      if (n_bytes > 0 && !g_hash_table_add (places, (gpointer) place))
        continue;
      weights->n_parameters += g_hash_table_lookup_extended (weights->counts, array, NULL, &count)
                                   ? GPOINTER_TO_SIZE (count)
                                   : attn_array_get_n_elements (array);
    }
}

gboolean
attn_weights_check_array (const AttnWeights  *weights,
                          const AttnArray    *array,
                          const char         *name,
                          guint               n_dims,
                          const gsize        *shape,
                          GError            **error)
{
  const char *path = attn_array_file_get_path (weights->file);

  if (array == NULL)
    {
      g_autofree char *expected = attn_shape_to_string (n_dims, shape);
      return attn_fail (error, ATTN_ERROR_FORMAT,
                        _("%s: no tensor “%s” found, expected one of shape %s"), path, name,
                        expected);
    }
  if (array->n_dims != n_dims || memcmp (array->shape, shape, n_dims * sizeof *shape) != 0)
    {
      g_autofree char *expected = attn_shape_to_string (n_dims, shape);
      g_autofree char *found = attn_shape_to_string (array->n_dims, array->shape);
      return attn_fail (error, ATTN_ERROR_SHAPE,
                        _("%s: tensor “%s”: shape %s found, expected %s as the configuration says"),
                        path, name, found, expected);
    }
  if (array->dtype > ATTN_DTYPE_F64 && array->dtype != ATTN_DTYPE_F8_E4M3 &&
      array->dtype != ATTN_DTYPE_F8_E5M2 && array->scales == NULL &&
      array->packed == NULL && !attn_dtype_is_block (array->dtype))
    return attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                      _("%s: tensor “%s”: dtype %s found, expected F32, F16, BF16, F64, F8_E4M3 "
                        "or F8_E5M2, or I8 with scales"),
                      path,
                      name, attn_dtype_get_name (array->dtype));
  return TRUE;
}

/* Cuts @n items of the first dimension from an array, from item @first on. @shape: shape of the
 * result, which has as many elements as the items */
static AttnArray *
cut (const AttnArray  *array,
     gsize             first,
     gsize             n,
     guint             n_dims,
     const gsize      *shape,
     GError          **error)
{
  gsize n_all_bytes = g_bytes_get_size (array->bytes);
  gsize n_bytes = array->is_strided ? array->strides[0] * array->item_size
                                    : n_all_bytes / array->shape[0];
  gsize n_part = array->is_strided ? n_all_bytes - first * n_bytes : n * n_bytes;
  g_autoptr (GBytes) bytes = g_bytes_new_from_bytes (array->bytes, first * n_bytes, n_part);
  AttnArray *part =
      array->is_strided
          ? attn_array_new_strided (array->name, array->dtype, n_dims, shape,
                                    array->strides + array->n_dims - n_dims, bytes, error)
          : attn_array_new (array->name, array->dtype, n_dims, shape, bytes, error);

  if (part != NULL)
    part->is_swapped = array->is_swapped;
  return part;
}

static AttnArray *
slice (const AttnArray  *array,
       gsize             index,
       GError          **error)
{
  return cut (array, index, 1, array->n_dims - 1, array->shape + 1, error);
}

/* Returns the @n rows of a matrix from row @first on, with their scales, or @n numbers of a
 * vector. */
const AttnArray *
attn_weights_take_rows (AttnWeights      *weights,
                        const AttnArray  *array,
                        gsize             first,
                        gsize             n,
                        GError          **error)
{
  if (array->packed != NULL)
    {
      AttnArray *rows = attn_packed_take_rows (array, first, n);

      g_ptr_array_add (weights->parts, rows);
      return rows;
    }

  const gsize shape[] = { n, array->n_dims > 1 ? array->shape[1] : 0 };
  const AttnArray *scales = array->scales;
  gsize n_scale_rows = array->n_scale_rows;
  gboolean has_one = scales != NULL && n_scale_rows >= array->shape[0];
  g_autoptr (AttnArray) part = cut (array, first, n, array->n_dims, shape, error);
  g_autoptr (AttnArray) own_scales = NULL;

  if (part == NULL)
    return NULL;
  if (scales != NULL && !has_one)
    {
      gsize scale_shape[ATTN_ARRAY_MAX_DIMS];

      if (first % n_scale_rows != 0)
        return attn_fail_null (error, ATTN_ERROR_UNSUPPORTED,
                               _("%s: tensor “%s”: a scale for each %zu rows found, expected a "
                                 "number that divides the %zu rows of a half"),
                               attn_array_file_get_path (weights->file), array->name,
                               n_scale_rows, n);
      memcpy (scale_shape, scales->shape, sizeof scale_shape);
      scale_shape[0] = (n + n_scale_rows - 1) / n_scale_rows;
      own_scales = cut (scales, first / n_scale_rows, scale_shape[0], scales->n_dims, scale_shape,
                        error);
      if (own_scales == NULL ||
          (scales->scales != NULL &&
           !attn_array_set_scales (own_scales, scales->scales, scale_shape[0], scale_shape[1],
                                   error)))
        return NULL;
      scales = own_scales;
    }
  if (scales != NULL && !attn_array_set_scales (part, scales, has_one ? n : n_scale_rows,
                                                array->n_scale_columns, error))
    return NULL;
  g_ptr_array_add (weights->parts, part);
  return g_steal_pointer (&part);
}

/* Returns the matrix or vector of one expert, or of one head, cut from a tensor of all experts or
 * heads. */
const AttnArray *
attn_weights_take_part (AttnWeights      *weights,
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
