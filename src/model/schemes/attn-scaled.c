/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-scaled.h"

#include <float.h>
#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "attn-error.h"

/* The inputs that share a scale in formats of half-byte numbers: NVFP4, whose scales are one-byte
 * floats (E4M3), and MXFP4, whose scales are powers of 2 (OCP Microscaling Formats 1.0). */
#define NVFP4_GROUP ((gsize) 16)
#define MXFP4_GROUP ((gsize) 32)

/* How the tensors of a matrix are named: the matrix's name with these ends, for its codes, the
 * scales of its blocks, and the scale of the whole matrix. Sources, as read:
 *
 * - gpt_oss: transformers, integrations/mxfp4.py (convert_moe_packed_tensors): [..., blocks, 16].
 * - compressed-tensors, compressors/nvfp4, mxfp4, mxfp8 and naive_quantized: scales of NVFP4 are
 *   divided by the scale of the whole matrix (quantization/lifecycle/forward.py).
 * - NVIDIA's ModelOpt: scales of NVFP4 are multiplied by the scale of the whole matrix
 *   (transformers, quantizers/finegrained/nvfp4.py).
 * - fp8: transformers, integrations/finegrained_fp8.py, and fbgemm_fp8.py with a scale a row. */
typedef struct
{
  const char *codes;
  const char *scales;
  const char *whole;
  gboolean divides;
} Form;

static const Form forms[] = {
  { .codes = "_blocks", .scales = "_scales" },
  { .codes = "_packed", .scales = "_scale", .whole = "_global_scale", .divides = TRUE },
  { .codes = "", .scales = "_scale_inv" },
  { .codes = "", .scales = "_scale", .whole = "_scale_2" },
};

/* The form of MLX, mlx/ops.cpp (fp_quantize): codes packed in words of 32 bits; scales stored as
 * bytes, which are E4M3 floats (nvfp4) or powers of 2. */
static const Form mlx_form = { .codes = "", .scales = ".scales" };

typedef struct
{
  const AttnQuantization *quantization;
  const char *name;
  AttnSchemeLookup lookup;
  gconstpointer data;
  const Form *form;
  const AttnArray *codes;
  const AttnArray *scales;
  gboolean is_half; /* whether a byte holds two numbers (codes), the first in its lower half */
} Search;

static const AttnArray *
look (const Search *search,
      const char   *suffix)
{
  g_autofree char *name = suffix != NULL ? g_strconcat (search->name, suffix, NULL) : NULL;

  return name != NULL ? search->lookup (search->data, name) : NULL;
}

/* Finds the scale of a matrix "STEM.weight" in a GGUF file: "STEM.scale", one number, or one for
 * each expert. A tensor of this name with another shape is no scale. */
static const AttnArray *
look_gguf (const Search    *search,
           const AttnArray *array)
{
  gsize n_stem = strlen (array->name) - MIN (strlen (array->name), strlen (".weight"));
  g_autofree char *name = g_strdup_printf ("%.*s.scale", (int) n_stem, array->name);
  const AttnArray *scale = array->n_dims > 1 && !g_str_has_prefix (name, "token_embd.")
                               ? search->lookup (search->data, name)
                               : NULL;

  return scale != NULL && scale->dtype == ATTN_DTYPE_F32 &&
                 attn_array_get_n_elements (scale) == (array->n_dims > 2 ? array->shape[0] : 1)
             ? scale
             : NULL;
}

static gboolean
is_byte (AttnDtype dtype)
{
  return dtype == ATTN_DTYPE_I8 || dtype == ATTN_DTYPE_F8_E4M3 || dtype == ATTN_DTYPE_F8_E5M2;
}

/* Tells whether the checkpoint has the matrix in one form of small floats, and sets @codes and
 * @scales of @search to its tensors. */
static gboolean
has_form (Search     *search,
          const Form *form)
{
  gboolean is_plain = *form->codes == '\0';

  search->form = form;
  search->codes = look (search, form->codes);
  search->scales = NULL;
  if (search->codes == NULL || search->codes->n_dims < 2)
    return FALSE;
  search->is_half = search->codes->dtype == ATTN_DTYPE_U8;
  if (!search->is_half && !(is_plain && is_byte (search->codes->dtype)))
    return FALSE;
  if (form == &forms[0] ? search->codes->n_dims < 3 : search->codes->n_dims != 2)
    return FALSE;
  search->scales = look (search, form->scales);
  if (is_plain && search->is_half)
    return search->scales != NULL && search->scales->dtype == ATTN_DTYPE_F8_E4M3;
  return search->scales != NULL || *form->codes == '_';
}

static gboolean
fail_lack (const Search  *search,
           const char    *suffix,
           GError       **error)
{
  g_autofree char *name = g_strconcat (search->name, suffix, NULL);
  const char *method = search->quantization->method;

  return attn_fail (error, ATTN_ERROR_FORMAT, _("%s: no tensor “%s” found, expected it as %s says"),
                    method != NULL ? method : "mxfp4", name,
                    method != NULL ? "quant_method" : search->codes->name);
}

/* Returns how many of @n rows, or columns, share a scale for @n_blocks scales: all if one scale
 * exists, 1 if each has a scale and @may_be_one, else @usual. */
static gsize
find_block (gsize    n,
            gsize    n_blocks,
            gsize    usual,
            gboolean may_be_one)
{
  return n_blocks == 1 ? MAX (n, 1) : n_blocks == n && may_be_one ? 1
                                                                  : usual;
}

static gboolean
check_scales (const Search  *search,
              GError       **error)
{
  const AttnArray *scales = search->scales;
  AttnDtype dtype = scales->dtype;
  gboolean is_number = dtype <= ATTN_DTYPE_F64 || dtype == ATTN_DTYPE_F8_E8M0;
  gboolean fits = search->is_half ? dtype == ATTN_DTYPE_F8_E4M3 || dtype == ATTN_DTYPE_F8_E8M0 ||
                                        dtype == ATTN_DTYPE_U8
                                  : is_number || dtype == ATTN_DTYPE_U8;

  if (fits)
    return TRUE;
  return attn_fail (error, ATTN_ERROR_UNSUPPORTED, _("%s: “%s”: %s found, expected %s"),
                    scales->name, "dtype", attn_dtype_get_name (dtype),
                    search->is_half ? "F8_E4M3, U8" : "F32, F16, BF16");
}

/* Applies the scale of the whole matrix to the scales of its blocks: multiplies or, in some forms,
 * divides. */
static gboolean
take_whole (const Search  *search,
            AttnArray     *scales,
            GError       **error)
{
  const Form *form = search->form;
  const AttnArray *whole = look (search, form->whole);
  g_autoptr (AttnTensor) tensor = NULL;
  float value = 0.0f;

  if (whole == NULL)
    return scales->dtype != ATTN_DTYPE_F8_E4M3 || fail_lack (search, form->whole, error);
  if (attn_array_get_n_elements (whole) != 1 || whole->n_dims > 1)
    {
      g_autofree char *found = attn_shape_to_string (whole->n_dims, whole->shape);

      return attn_fail (error, ATTN_ERROR_SHAPE, _("%s: shape %s found, expected %s"), whole->name,
                        found, "[1]");
    }
  if (whole->dtype > ATTN_DTYPE_F64)
    return attn_fail (error, ATTN_ERROR_UNSUPPORTED, _("%s: “%s”: %s found, expected %s"),
                      whole->name, "dtype", attn_dtype_get_name (whole->dtype), "F32, F16, BF16");
  if (!attn_array_read (whole, 0, 1, &value, error))
    return FALSE;
  if (!(value >= FLT_MIN && value <= FLT_MAX))
    return attn_fail (error, ATTN_ERROR_LIMIT, _("%s: “%s”: %g found, expected %g to %g"),
                      whole->name, "scale", value, FLT_MIN, FLT_MAX);

  const gsize one = 1;
  tensor = attn_tensor_new (1, &one, error);
  if (tensor == NULL)
    return FALSE;
  tensor->data[0] = form->divides ? 1.0f / value : value;
  g_autoptr (AttnArray) factor = attn_array_new_from_tensor (whole->name, tensor);
  return attn_array_set_scales (scales, factor, scales->shape[0], scales->shape[1], error);
}

/* Returns a quantized matrix as one array: its codes, with a scale for each block of @n_rows rows
 * and @n_columns columns. */
static AttnArray *
join (const Search  *search,
      gsize          n_rows,
      gsize          n_columns,
      GError       **error)
{
  const AttnArray *codes = search->codes, *scales = search->scales;
  AttnDtype dtype = search->is_half ? ATTN_DTYPE_F4 : codes->dtype;
  gsize shape[ATTN_ARRAY_MAX_DIMS];
  guint n_dims = codes->n_dims;

  memcpy (shape, codes->shape, sizeof shape);
  if (search->is_half && search->form == &forms[0])
    {
      n_dims--;
      shape[n_dims - 1] *= shape[n_dims];
    }
  if (search->is_half)
    shape[n_dims - 1] *= 2;
  if (!attn_array_is_row_major (codes) || !attn_array_is_row_major (scales))
    return attn_fail_null (error, ATTN_ERROR_UNSUPPORTED,
                           _("%s: elements that do not lie row by row found, expected those of "
                             "numbers with scales"),
                           codes->name);
  g_autoptr (AttnArray) array =
      attn_array_new (codes->name, dtype, n_dims, shape, codes->bytes, error);
  g_autoptr (AttnArray) factors = attn_array_new (
      scales->name, scales->dtype == ATTN_DTYPE_U8 ? ATTN_DTYPE_F8_E8M0 : scales->dtype,
      scales->n_dims, scales->shape, scales->bytes, error);
  if (array == NULL || factors == NULL)
    return NULL;
  array->is_swapped = codes->is_swapped;
  factors->is_swapped = scales->is_swapped;
  if (search->is_half && search->form->whole != NULL && !take_whole (search, factors, error))
    return NULL;
  return attn_array_set_scales (array, factors, n_rows, n_columns, error)
             ? g_steal_pointer (&array)
             : NULL;
}

static gboolean
find_gguf (Search     *search,
           AttnArray **found,
           GError    **error)
{
  search->codes = look (search, "");
  search->scales = search->codes != NULL ? look_gguf (search, search->codes) : NULL;
  if (search->scales == NULL)
    return TRUE;
  *found = join (search, search->codes->shape[search->codes->n_dims - 2],
                 search->codes->shape[search->codes->n_dims - 1], error);
  return *found != NULL;
}

/* Returns an array over the same bytes with elements of type @dtype, of which @n_each are in an
 * element of @array. */
static AttnArray *
view (const AttnArray  *array,
      AttnDtype         dtype,
      gsize             n_each,
      GError          **error)
{
  gsize shape[ATTN_ARRAY_MAX_DIMS];

  if (!attn_array_is_row_major (array))
    return attn_fail_null (error, ATTN_ERROR_UNSUPPORTED,
                           _("%s: elements that do not lie row by row found, expected those of "
                             "numbers with scales"),
                           array->name);
  memcpy (shape, array->shape, sizeof shape);
  shape[array->n_dims - 1] *= n_each;
  return attn_array_new (array->name, dtype, array->n_dims, shape, array->bytes, error);
}

static gboolean
find_mlx (Search                  *search,
          const AttnQuantization  *own,
          AttnArray              **found,
          GError                 **error)
{
  gboolean is_nvfp4 = strcmp (own->mode, "nvfp4") == 0;
  const AttnArray *codes = search->codes;
  gsize n_stem = strlen (search->name) - strlen (".weight");
  g_autofree char *scales_name = g_strdup_printf ("%.*s.scales", (int) n_stem, search->name);
  const AttnArray *scales = search->lookup (search->data, scales_name);

  search->form = &mlx_form;
  search->is_half = own->bits == 4;
  if (scales == NULL)
    return attn_fail (error, ATTN_ERROR_FORMAT,
                      _("%s: no tensor “%s” found, expected it as %s says"), "mlx", scales_name,
                      "mode");
  if (scales->dtype != ATTN_DTYPE_U8)
    return attn_fail (error, ATTN_ERROR_UNSUPPORTED, _("%s: “%s”: %s found, expected %s"),
                      scales->name, "dtype", attn_dtype_get_name (scales->dtype), "U8");

  gsize n_columns = codes->shape[codes->n_dims - 1] * (32 / own->bits);
  gsize expected[ATTN_ARRAY_MAX_DIMS];
  memcpy (expected, codes->shape, sizeof expected);
  expected[codes->n_dims - 1] = (n_columns + own->group_size - 1) / own->group_size;
  if (scales->n_dims != codes->n_dims ||
      memcmp (scales->shape, expected, codes->n_dims * sizeof *expected) != 0)
    {
      g_autofree char *text = attn_shape_to_string (scales->n_dims, scales->shape);
      g_autofree char *wanted = attn_shape_to_string (codes->n_dims, expected);

      return attn_fail (error, ATTN_ERROR_SHAPE, _("%s: shape %s found, expected %s"),
                        scales->name, text, wanted);
    }
  g_autoptr (AttnArray) bytes =
      view (codes, search->is_half ? ATTN_DTYPE_U8 : ATTN_DTYPE_F8_E4M3, sizeof (guint32), error);
  g_autoptr (AttnArray) factors =
      bytes != NULL ? view (scales, is_nvfp4 ? ATTN_DTYPE_F8_E4M3 : ATTN_DTYPE_F8_E8M0, 1, error)
                    : NULL;
  if (factors == NULL)
    return FALSE;
  search->codes = bytes;
  search->scales = factors;
  *found = join (search, 1, own->group_size, error);
  return *found != NULL;
}

/* Sets *is_found to whether MLX has stored the matrix with small floats as codes, and *own to its
 * settings. */
static gboolean
is_mlx (Search                  *search,
        gboolean                *is_found,
        const AttnQuantization **own,
        GError                 **error)
{
  *is_found = FALSE;
  if (g_strcmp0 (search->quantization->method, "mlx") != 0 ||
      !g_str_has_suffix (search->name, ".weight"))
    return TRUE;
  search->codes = look (search, "");
  if (search->codes == NULL || search->codes->dtype != ATTN_DTYPE_U32 || search->codes->n_dims < 2)
    return TRUE;
  if (!attn_schemes_choose (search->quantization, search->codes, ".weight", own, error))
    return FALSE;
  *is_found = (*own)->mode != NULL;
  return TRUE;
}

/* Checks that there is a scale for each block of @n_rows x @n_columns. If blocks span whole rows,
 * scales may lack the second dimension. */
static gboolean
check_shape (const Search  *search,
             gsize          n_rows,
             gsize          n_columns,
             GError       **error)
{
  const AttnArray *scales = search->scales;
  gsize n_all = search->codes->shape[1] * (search->is_half ? 2 : 1);
  const gsize expected[] = { (search->codes->shape[0] + n_rows - 1) / n_rows,
                             (n_all + n_columns - 1) / n_columns };
  gboolean fits = attn_array_get_n_elements (scales) == expected[0] * expected[1] &&
                  (scales->n_dims == 2 ? scales->shape[0] == expected[0]
                                       : scales->n_dims < 2 && expected[1] == 1);

  if (fits && !(search->is_half && scales->n_dims != 2))
    return TRUE;
  g_autofree char *found = attn_shape_to_string (scales->n_dims, scales->shape);
  g_autofree char *wanted = attn_shape_to_string (2, expected);
  return attn_fail (error, ATTN_ERROR_SHAPE,
                    _("%s: scales of shape %s found, expected %s, one for each block of %zu x %zu"),
                    scales->name, found, wanted, n_rows, n_columns);
}

/**
 * attn_scaled_find:
 * @is_gguf: whether scales have the names that they have in a GGUF file
 * @name: name of a matrix as if it were not quantized
 * @found: (out) (nullable): the matrix with its scales; %NULL if it has no scales
 * @error: return location: %ATTN_ERROR_SHAPE for another number of scales than of blocks,
 *   %ATTN_ERROR_FORMAT for missing scales, %ATTN_ERROR_UNSUPPORTED for numbers of another type
 *
 * Finds a matrix of small floats, or bytes, with a scale for each block, for each row, or for the
 * whole.
 */
gboolean
attn_scaled_find (const AttnQuantization  *quantization,
                  gboolean                 is_gguf,
                  const char              *name,
                  AttnSchemeLookup         lookup,
                  gconstpointer            data,
                  AttnArray              **found,
                  GError                 **error)
{
  Search search = { quantization, name, lookup, data };
  const AttnQuantization *own = quantization;
  gboolean is_found = FALSE, is_float;
  gsize n_rows = 1, n_columns;

  *found = NULL;
  if (is_gguf)
    return find_gguf (&search, found, error);
  /* A matrix of plain numbers (F32, F16, …) has no scales. */
  search.codes = look (&search, "");
  if (search.codes != NULL && search.codes->dtype <= ATTN_DTYPE_F64)
    return TRUE;
  if (!is_mlx (&search, &is_found, &own, error))
    return FALSE;
  if (is_found)
    return find_mlx (&search, own, found, error);
  for (gsize i = 0; i < G_N_ELEMENTS (forms) && !is_found; i++)
    is_found = has_form (&search, &forms[i]);
  if (!is_found)
    {
      is_float = search.codes != NULL && search.codes->n_dims == 2 &&
                 is_byte (search.codes->dtype) && search.codes->dtype != ATTN_DTYPE_I8;
      return quantization->method == NULL || !is_float ||
             fail_lack (&search, search.form->scales, error);
    }
  if (search.scales == NULL)
    return fail_lack (&search, search.form->scales, error);
  g_autofree char *end = g_strconcat (".weight", search.form->codes, NULL);
  if (!attn_schemes_choose (quantization, search.codes, end, &own, error) ||
      !check_scales (&search, error))
    return FALSE;

  const AttnArray *codes = search.codes, *scales = search.scales;
  if (search.is_half)
    n_columns = scales->dtype == ATTN_DTYPE_F8_E4M3 ? NVFP4_GROUP : MXFP4_GROUP;
  else
    {
      /* Each row may have a scale; each column may have one only if the configuration names no
       * method of quantization. */
      n_rows = find_block (codes->shape[0], scales->n_dims > 0 ? scales->shape[0] : 1,
                           own->n_block_rows, TRUE);
      n_columns = find_block (codes->shape[1], scales->n_dims > 1 ? scales->shape[1] : 1,
                              own->n_block_columns, quantization->method == NULL);
    }
  if (search.form != &forms[0] && !check_shape (&search, n_rows, n_columns, error))
    return FALSE;
  *found = join (&search, n_rows, n_columns, error);
  return *found != NULL;
}
