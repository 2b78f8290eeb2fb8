/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Finds the tensors of a quantized matrix whose codes are small integers, packed in words or
 * bytes. */

#include "config.h"

#include "attn-schemes.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-error.h"
#include "attn-packed.h"
#include "attn-scheme-rules.h"

/* A way of storing matrices. Its tensors are named as the module with these ends, for codes
 * (words), scales, zeros, biases, numbers of groups, and the shape. Sources, as read:
 *
 * - GPTQ: AutoGPTQ, nn_modules/qlinear/qlinear_cuda.py: the bits of a column follow one another in
 *   words of 32, also those of 3 bits, of which 32 fill 3 words. Zeros are stored less 1, and 1 is
 *   added when they are read: there, and in triton_utils/dequant.py, a stored 15 of 4 bits is 16;
 *   qlinear_cuda_old.py and the kernels make 0 of it. Here it is 16. Zeros of gptq_v2 are stored as
 *   they are: GPTQModel, utils/model.py.
 * - AWQ: AutoAWQ, utils/packing_utils.py.
 * - compressed-tensors, compressors/pack_quantized and quantization/quant_args.py.
 * - bitsandbytes, functional.py (QuantState, int8_vectorwise_dequant) and backends/default/ops.py.
 * - MLX, mlx/ops.cpp (affine_quantize, affine_dequantize, pack_and_quantize): code times scale plus
 *   bias, the bits of a row following one another, the lowest first. */
typedef struct
{
  const char *method;
  AttnPackedOrder order;
  AttnDtype dtypes[2]; /* element types that codes may have */
  const char *words;
  const char *scales;
  const char *zeros;
  const char *biases;
  const char *groups;
  const char *shape;
  const char *bits; /* numbers of bits that a code of the scheme may have */
  float divisor;    /* number by which scales are divided, 0 for no division */
} Scheme;

static const Scheme schemes[] = {
  {
      .method = "gptq",
      .order = ATTN_PACKED_DOWN,
      .dtypes = { ATTN_DTYPE_I32, ATTN_DTYPE_U32 },
      .words = ".qweight",
      .scales = ".scales",
      .zeros = ".qzeros",
      .groups = ".g_idx",
      .bits = "2, 3, 4, 8",
  },
  {
      .method = "awq",
      .order = ATTN_PACKED_INTERLEAVED,
      .dtypes = { ATTN_DTYPE_I32, ATTN_DTYPE_U32 },
      .words = ".qweight",
      .scales = ".scales",
      .zeros = ".qzeros",
      .bits = "4",
  },
  {
      .method = "compressed-tensors",
      .order = ATTN_PACKED_ACROSS,
      .dtypes = { ATTN_DTYPE_I32, ATTN_DTYPE_U32 },
      .words = ".weight_packed",
      .scales = ".weight_scale",
      .zeros = ".weight_zero_point",
      .groups = ".weight_g_idx",
      .shape = ".weight_shape",
      .bits = "4, 8",
  },
  {
      .method = "compressed-tensors",
      .order = ATTN_PACKED_BYTES,
      .dtypes = { ATTN_DTYPE_I8, ATTN_DTYPE_I8 },
      .words = ".weight",
      .scales = ".weight_scale",
      .zeros = ".weight_zero_point",
      .groups = ".weight_g_idx",
      .bits = "4, 8",
  },
  {
      .method = "mlx",
      .order = ATTN_PACKED_ACROSS,
      .dtypes = { ATTN_DTYPE_U32, ATTN_DTYPE_U32 },
      .words = ".weight",
      .scales = ".scales",
      .biases = ".biases",
      .bits = "2, 3, 4, 5, 6, 8",
  },
  {
      .method = "bitsandbytes",
      .order = ATTN_PACKED_FLAT,
      .dtypes = { ATTN_DTYPE_U8, ATTN_DTYPE_I8 },
      .words = ".weight",
      .scales = ".weight.absmax",
      .shape = ".weight.quant_state.bitsandbytes__nf4",
      .bits = "4, 8",
  },
  {
      .method = "bitsandbytes",
      .order = ATTN_PACKED_FLAT,
      .dtypes = { ATTN_DTYPE_U8, ATTN_DTYPE_I8 },
      .words = ".weight",
      .scales = ".weight.absmax",
      .shape = ".weight.quant_state.bitsandbytes__fp4",
      .bits = "4, 8",
  },
  {
      .method = "bitsandbytes",
      .order = ATTN_PACKED_BYTES,
      .dtypes = { ATTN_DTYPE_I8, ATTN_DTYPE_I8 },
      .words = ".weight",
      .scales = ".SCB",
      .bits = "4, 8",
      .divisor = 127.0f, /* 127, the divisor of scales, is the code of the largest number of a row:
                          * functional.py (int8_vectorwise_dequant) */
  },
};

typedef struct
{
  const Scheme *scheme;
  const char *stem;
  AttnSchemeLookup lookup;
  gconstpointer data;
} Search;

static const AttnArray *
look (const Search *search,
      const char   *suffix)
{
  g_autofree char *name = suffix != NULL ? g_strconcat (search->stem, suffix, NULL) : NULL;

  return name != NULL ? search->lookup (search->data, name) : NULL;
}

static gboolean
fail_lack (const Search  *search,
           const char    *suffix,
           GError       **error)
{
  g_autofree char *name = g_strconcat (search->stem, suffix, NULL);

  return attn_fail (error, ATTN_ERROR_FORMAT, _("%s: no tensor “%s” found, expected it as %s says"),
                    search->scheme->method, name, "quant_method");
}

static gboolean
fail_shape (const AttnArray  *array,
            const char       *expected,
            GError          **error)
{
  g_autofree char *found = attn_shape_to_string (array->n_dims, array->shape);

  return attn_fail (error, ATTN_ERROR_SHAPE, _("%s: shape %s found, expected %s"), array->name,
                    found, expected);
}

/* Reads the sizes of a matrix, [out, in], from a tensor of two numbers. */
static gboolean
read_shape (const AttnArray  *array,
            gsize             shape[2],
            GError          **error)
{
  float sizes[2] = { 0 };

  if (array->n_dims != 1 || array->shape[0] != 2)
    return fail_shape (array, "[2]", error);
  if (!attn_array_read (array, 0, 2, sizes, error))
    return FALSE;
  for (gsize i = 0; i < 2; i++)
    {
      if (!(sizes[i] >= 1.0f && sizes[i] <= 1 << 24))
        return attn_fail (error, ATTN_ERROR_LIMIT, _("%s: “%s”: %g found, expected %g to %g"),
                          array->name, "shape", sizes[i], 1.0, (double) (1 << 24));
      shape[i] = (gsize) sizes[i];
    }
  return TRUE;
}

/* Reads the settings of a matrix, which bitsandbytes writes as JSON in a tensor of bytes. */
static gboolean
read_state (const Search     *search,
            const AttnArray  *array,
            AttnPacking      *packing,
            gsize             shape[2],
            GError          **error)
{
  gsize n_bytes;
  const char *text = g_bytes_get_data (array->bytes, &n_bytes);
  g_autoptr (JsonNode) root =
      attn_json_parse (array->name, n_bytes > 0 ? text : "", (gssize) n_bytes, error);

  if (root == NULL)
    return FALSE;
  if (!JSON_NODE_HOLDS_OBJECT (root))
    return attn_fail (error, ATTN_ERROR_FORMAT, _("%s: something else found, expected %s"),
                      array->name, "JSON");

  AttnJsonReader json = { .object = json_node_get_object (root), .where = array->name };
  JsonArray *sizes = attn_json_read_array (&json, "shape");
  for (guint i = 0; sizes != NULL && i < 2 && json_array_get_length (sizes) == 2; i++)
    {
      JsonNode *node = json_array_get_element (sizes, i);
      gint64 size = JSON_NODE_HOLDS_VALUE (node) ? json_node_get_int (node) : 0;

      shape[i] = size > 0 && size <= 1 << 24 ? (gsize) size : 0;
    }
  packing->group_size = attn_json_read_size (&json, "blocksize", 1, ATTN_SCHEMES_MAX_GROUP, 64);
  packing->nested_size = 1;
  packing->table = look (search, ".weight.quant_map");
  packing->nested = look (search, ".weight.nested_quant_map");
  packing->nested_scales = look (search, ".weight.nested_absmax");
  if (packing->nested != NULL)
    {
      JsonNode *offset = json_object_get_member (json.object, "nested_offset");

      packing->nested_size =
          attn_json_read_size (&json, "nested_blocksize", 1, ATTN_SCHEMES_MAX_GROUP, 256);
      packing->nested_offset = offset != NULL && JSON_NODE_HOLDS_VALUE (offset)
                                   ? (float) json_node_get_double (offset)
                                   : 0.0f;
    }
  if (!attn_json_finish (&json, error))
    return FALSE;
  if (packing->table == NULL)
    return fail_lack (search, ".weight.quant_map", error);
  if (packing->nested == NULL && packing->nested_scales != NULL)
    return fail_lack (search, ".weight.nested_quant_map", error);
  if (packing->nested != NULL && packing->nested_scales == NULL)
    return fail_lack (search, ".weight.nested_absmax", error);
  if (shape[0] == 0 || shape[1] == 0)
    return attn_fail (error, ATTN_ERROR_SHAPE, _("%s: “%s” found, expected %s"), array->name,
                      "shape", "[out, in]");
  return TRUE;
}

static AttnArray *
divide (const AttnArray  *scales,
        float             divisor,
        GError          **error)
{
  g_autoptr (AttnTensor) tensor = NULL;

  if (scales->dtype > ATTN_DTYPE_F64)
    {
      attn_set_error (error, ATTN_ERROR_UNSUPPORTED, _("%s: “%s”: %s found, expected %s"),
                      scales->name, "dtype", attn_dtype_get_name (scales->dtype),
                      "F32, F16, BF16");
      return NULL;
    }
  tensor = attn_array_to_tensor (scales, error);
  if (tensor == NULL)
    return NULL;
  for (gsize i = 0; i < attn_tensor_get_n_elements (tensor); i++)
    tensor->data[i] /= divisor;
  return attn_array_new_from_tensor (scales->name, tensor);
}

static gboolean
find_shape (const Search  *search,
            AttnPacking   *packing,
            gsize          shape[2],
            GError       **error)
{
  const AttnArray *words = packing->words, *scales = packing->scales;
  const AttnArray *array = look (search, search->scheme->shape);
  gsize per_word = 32 / packing->bits;

  if (packing->order == ATTN_PACKED_FLAT)
    return read_state (search, array, packing, shape, error);
  if (array != NULL)
    return read_shape (array, shape, error);
  if (words->n_dims != 2 || (packing->order != ATTN_PACKED_BYTES && scales->n_dims != 2))
    return fail_shape (words->n_dims != 2 ? words : scales, "[out, in]", error);
  switch (packing->order)
    {
    case ATTN_PACKED_DOWN:
      shape[0] = words->shape[1];
      shape[1] = packing->groups != NULL ? attn_array_get_n_elements (packing->groups)
                                         : words->shape[0] * 32 / packing->bits;
      break;
    case ATTN_PACKED_INTERLEAVED:
      shape[0] = words->shape[1] * per_word;
      shape[1] = words->shape[0];
      break;
    default:
      shape[0] = words->shape[0];
      shape[1] = packing->order == ATTN_PACKED_BYTES ? words->shape[1]
                                                     : words->shape[1] * 32 / packing->bits;
      break;
    }
  return TRUE;
}

/* Returns the tensor of the matrix's codes in a scheme of quantization, or NULL if none has the
 * right name and element type. */
static const AttnArray *
find_words (const Search *search)
{
  const Scheme *scheme = search->scheme;
  const AttnArray *words = look (search, scheme->words);

  return words != NULL && (words->dtype == scheme->dtypes[0] || words->dtype == scheme->dtypes[1])
             ? words
             : NULL;
}

/* Tells whether the matrix is in a scheme of quantization, by the tensors beside its codes. The end
 * “.weight” is that of codes in several schemes, and of plain matrices. */
static gboolean
has_scheme (const Search           *search,
            const AttnQuantization *own)
{
  const Scheme *scheme = search->scheme;

  if (scheme->order == ATTN_PACKED_FLAT)
    return look (search, scheme->shape) != NULL;
  if (scheme->order == ATTN_PACKED_BYTES && scheme->zeros != NULL)
    return own->has_zeros || own->has_groups || look (search, scheme->zeros) != NULL ||
           look (search, scheme->groups) != NULL;
  return strcmp (scheme->words, ".weight") != 0 || look (search, scheme->scales) != NULL;
}

/**
 * attn_schemes_choose:
 * @codes: tensor of a matrix's codes
 * @suffix: end of that tensor's name behind the name of the module
 * @own: (out): how the matrix is stored: as a rule says for its module, else as all are
 * @error: return location for %ATTN_ERROR_UNSUPPORTED for a module that should not be quantized,
 *   errors of attn_scheme_rules_choose()
 */
gboolean
attn_schemes_choose (const AttnQuantization  *quantization,
                     const AttnArray         *codes,
                     const char              *suffix,
                     const AttnQuantization **own,
                     GError                 **error)
{
  gsize n_stem = strlen (codes->name);
  g_autofree char *module = NULL;

  if (g_str_has_suffix (codes->name, suffix))
    n_stem -= strlen (suffix);
  module = g_strndup (codes->name, n_stem);
  if (!attn_scheme_rules_choose (quantization, module, own, error))
    return FALSE;
  return *own != NULL ||
         attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                    _("%s: tensor “%s” found, expected a matrix of plain numbers, as the "
                      "configuration says of its module"),
                    quantization->method, codes->name);
}

/* Reshapes a tensor [experts, rows, columns] to one matrix, with the rows of all experts one below
 * the other. */
static AttnArray *
stack (const AttnArray  *array,
       GError          **error)
{
  const gsize shape[] = { array->shape[0] * array->shape[1], array->shape[2] };
  AttnArray *flat;

  if (!attn_array_is_row_major (array))
    return attn_fail_null (error, ATTN_ERROR_UNSUPPORTED,
                           _("%s: elements that do not lie row by row found, expected those of "
                             "numbers with scales"),
                           array->name);
  flat = attn_array_new (array->name, array->dtype, 2, shape, array->bytes, error);
  if (flat != NULL)
    flat->is_swapped = array->is_swapped;
  return flat;
}

/* Reshapes tensors as stack() does. @arrays: (inout): codes, scales and biases of all experts;
 * @parts: (out): the arrays that replace them, for the caller to free */
static gboolean
stack_all (const AttnArray **arrays[3],
           AttnArray        *parts[3],
           GError          **error)
{
  gsize n_experts = (*arrays[0])->shape[0];

  for (gsize i = 0; i < 3; i++)
    {
      const AttnArray *array = *arrays[i];

      if (array == NULL)
        continue;
      if (array->n_dims != 3 || array->shape[0] != n_experts)
        return fail_shape (array, "[experts, out, in]", error);
      parts[i] = stack (array, error);
      if (parts[i] == NULL)
        return FALSE;
      *arrays[i] = parts[i];
    }
  return TRUE;
}

static gboolean
make (const Search            *search,
      const AttnQuantization  *quantization,
      AttnArray              **found,
      GError                 **error)
{
  const Scheme *scheme = search->scheme;
  g_autofree char *name = g_strconcat (search->stem, ".weight", NULL);
  g_autoptr (AttnArray) divided = NULL;
  gsize shape[2] = { 0 };
  const AttnArray *words = look (search, scheme->words);
  AttnPacking packing = {
    .order = scheme->order,
    .bits = quantization->bits,
    .group_size = quantization->group_size,
    .zero = quantization->zero,
    .words = words,
    .scales = look (search, scheme->scales),
    .zeros = look (search, scheme->zeros),
    .biases = look (search, scheme->biases),
    .groups = look (search, scheme->groups),
  };
  AttnArray *parts[3] = { NULL };
  gboolean is_stacked = words->n_dims == 3 && scheme->biases != NULL;

  if (packing.bits > 8 || strchr (scheme->bits, (char) ('0' + packing.bits)) == NULL)
    {
      g_autofree char *bits = g_strdup_printf ("%u", packing.bits);

      return attn_fail (error, ATTN_ERROR_UNSUPPORTED, _("%s: “%s”: %s found, expected one of %s"),
                        scheme->method, "bits", bits, scheme->bits);
    }
  if (packing.scales == NULL || (scheme->biases != NULL && packing.biases == NULL))
    return fail_lack (search, packing.scales == NULL ? scheme->scales : scheme->biases, error);
  if (packing.zeros == NULL && scheme->zeros != NULL &&
      (scheme->order <= ATTN_PACKED_INTERLEAVED || quantization->has_zeros))
    return fail_lack (search, scheme->zeros, error);
  if (packing.groups == NULL && scheme->groups != NULL && quantization->has_groups)
    return fail_lack (search, scheme->groups, error);
  if (scheme->order == ATTN_PACKED_BYTES)
    packing.zero = 0;
  if (scheme->divisor != 0.0f)
    {
      divided = divide (packing.scales, scheme->divisor, error);
      if (divided == NULL)
        return FALSE;
      packing.scales = divided;
    }
  if ((!is_stacked ||
       stack_all ((const AttnArray **[]) { &packing.words, &packing.scales, &packing.biases },
                  parts, error)) &&
      find_shape (search, &packing, shape, error))
    *found = attn_packed_new (name, &packing, shape[0], shape[1], error);
  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    g_clear_pointer (&parts[i], attn_array_free);
  return *found != NULL;
}

/**
 * attn_schemes_find:
 * @name: name of a matrix as if it were not quantized, "….weight"
 * @found: (out) (nullable): the matrix [out, in], for a tensor of all experts with their rows one
 *   below the other; %NULL if it is not stored as integer codes
 * @error: return location: errors of [func@attn_packed_new], %ATTN_ERROR_FORMAT for a missing
 *   tensor, %ATTN_ERROR_UNSUPPORTED for a number of bits that the scheme does not have
 */
gboolean
attn_schemes_find (const AttnQuantization  *quantization,
                   const char              *name,
                   AttnSchemeLookup         lookup,
                   gconstpointer            data,
                   AttnArray              **found,
                   GError                 **error)
{
  g_autofree char *stem = NULL;

  *found = NULL;
  if (quantization->method == NULL || !g_str_has_suffix (name, ".weight"))
    return TRUE;
  stem = g_strndup (name, strlen (name) - strlen (".weight"));
  for (gsize i = 0; i < G_N_ELEMENTS (schemes); i++)
    {
      Search search = { &schemes[i], stem, lookup, data };

      const AttnArray *words = strcmp (quantization->method, schemes[i].method) == 0
                                   ? find_words (&search)
                                   : NULL;
      const AttnQuantization *own;

      if (words == NULL)
        continue;
      if (!attn_schemes_choose (quantization, words, schemes[i].words, &own, error))
        return FALSE;
      if (own->mode == NULL && has_scheme (&search, own))
        return make (&search, own, found, error);
    }
  return TRUE;
}

static gboolean
is_zero (const AttnArray *array)
{
  gsize n = attn_array_get_n_elements (array);
  float values[256];

  for (gsize first = 0; first < n; first += G_N_ELEMENTS (values))
    {
      gsize n_values = MIN (n - first, G_N_ELEMENTS (values));

      if (!attn_array_read (array, first, n_values, values, NULL))
        return FALSE;
      for (gsize i = 0; i < n_values; i++)
        if (values[i] != 0.0f)
          return FALSE;
    }
  return TRUE;
}

/**
 * attn_schemes_is_idle:
 * @array: a tensor that has no role in the model
 *
 * Returns: whether the tensor belongs to a quantized matrix and has no effect: a bias of zeros,
 *   which programs give every matrix (AutoGPTQ, nn_modules/qlinear), or the 0 that says that codes
 *   are stored row by row (bitsandbytes, nn/modules.py, `weight_format`)
 */
gboolean
attn_schemes_is_idle (const AttnQuantization *quantization,
                      const AttnArray        *array,
                      AttnSchemeLookup        lookup,
                      gconstpointer           data)
{
  static const char * const ends[][3] = {
    { "gptq", ".bias", ".qweight" },
    { "awq", ".bias", ".qweight" },
    { "bitsandbytes", ".weight_format", ".SCB" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (ends) && quantization->method != NULL; i++)
    {
      if (strcmp (quantization->method, ends[i][0]) != 0 ||
          !g_str_has_suffix (array->name, ends[i][1]))
        continue;
      gsize n_stem = strlen (array->name) - strlen (ends[i][1]);
      g_autofree char *beside = g_strdup_printf ("%.*s%s", (int) n_stem, array->name, ends[i][2]);

      return lookup (data, beside) != NULL && is_zero (array);
    }
  return FALSE;
}
