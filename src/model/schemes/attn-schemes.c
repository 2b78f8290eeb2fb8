/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-schemes.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-error.h"
#include "attn-packed.h"

/* Inputs or rows that share a scale, at most. */
#define MAX_GROUP (1 << 20)

/* Names of tensors are a module's own with such an end. Sources, as read:
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
  AttnDtype dtypes[2]; /* of the codes */
  const char *words;
  const char *scales;
  const char *zeros;
  const char *biases;
  const char *groups;
  const char *shape;
  const char *bits; /* those that there are, as digits */
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
  },
};

/* Methods whose bytes have their scales in blocks, which the tensors tell: attn-scaled.c. */
static const char * const plain_methods[] = { "fp8", "fbgemm_fp8", "mxfp4", "modelopt" };

static const char *
find_method (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (plain_methods); i++)
    if (strcmp (name, plain_methods[i]) == 0)
      return plain_methods[i];
  for (gsize i = 0; i < G_N_ELEMENTS (schemes); i++)
    if (strcmp (name, schemes[i].method) == 0)
      return schemes[i].method;
  return NULL;
}

static void
refuse_member (AttnJsonReader *json,
               const char     *member)
{
  JsonNode *node = json_object_get_member (json->object, member);

  if (node != NULL && JSON_NODE_HOLDS_OBJECT (node) &&
      json_object_get_size (json_node_get_object (node)) > 0)
    attn_json_fail (json, ATTN_ERROR_UNSUPPORTED, _("%s: “%s” found, expected none"), json->where,
                    member);
}

/* -1, or nothing, is a group of the whole row. */
static gsize
read_group_size (AttnJsonReader *json,
                 const char     *member)
{
  JsonNode *node = json_object_get_member (json->object, member);
  gint64 size = node != NULL && JSON_NODE_HOLDS_VALUE (node) ? json_node_get_int (node) : -1;

  if (size == -1)
    return G_MAXSIZE;
  return attn_json_read_size (json, member, 1, MAX_GROUP, 128);
}

static void
expect_word (AttnJsonReader     *json,
             const char         *member,
             const char * const *words)
{
  const char *word = attn_json_read_string (json, member, NULL);
  g_autofree char *expected = g_strjoinv (", ", (char **) words);

  for (gsize i = 0; word != NULL && words[i] != NULL; i++)
    if (g_ascii_strcasecmp (word, words[i]) == 0)
      return;
  if (word != NULL)
    attn_json_fail (json, ATTN_ERROR_UNSUPPORTED, _("%s: “%s”: %s found, expected %s"), json->where,
                    member, word, expected);
}

/* The format stands by another name in files of GPTQModel, and as a flag in old ones of AutoGPTQ:
 * quantization/config.py of both. */
static void
read_gptq (AttnJsonReader   *json,
           AttnQuantization *quantization)
{
  static const char * const formats[] = { "gptq", "gptq_v2", NULL };
  static const char marlin[] = "is_marlin_format";
  const char *member =
      json_object_has_member (json->object, "checkpoint_format") ? "checkpoint_format" : "format";

  refuse_member (json, "dynamic");
  expect_word (json, member, formats);
  if (attn_json_read_boolean (json, marlin, FALSE))
    attn_json_fail (json, ATTN_ERROR_UNSUPPORTED, _("%s: “%s”: %s found, expected %s"), json->where,
                    marlin, "true", "false");
  expect_word (json, "pack_dtype", (const char * const[]) { "int32", NULL });
  quantization->bits = (guint) attn_json_read_size (json, "bits", 2, 8, 4);
  quantization->group_size = read_group_size (json, "group_size");
  const char *format = attn_json_read_string (json, member, "gptq");
  quantization->zero = g_ascii_strcasecmp (format, "gptq_v2") == 0 ? 0 : 1;
  quantization->has_groups = attn_json_read_boolean (json, "desc_act", FALSE) &&
                             quantization->group_size != G_MAXSIZE;
}

static void
read_awq (AttnJsonReader   *json,
          AttnQuantization *quantization)
{
  gboolean is_old = json_object_has_member (json->object, "w_bit");

  expect_word (json, "version", (const char * const[]) { "gemm", NULL });
  quantization->bits = (guint) attn_json_read_size (json, is_old ? "w_bit" : "bits", 2, 8, 4);
  quantization->group_size = read_group_size (json, is_old ? "q_group_size" : "group_size");
}

/* Inputs that share a scale where a module does not say: mlx, nn/layers/quantized.py. */
#define MLX_GROUP ((gsize) 64)

static void
read_mlx_numbers (AttnJsonReader   *json,
                  AttnQuantization *quantization)
{
  expect_word (json, "mode", (const char * const[]) { "affine", NULL });
  quantization->bits = (guint) attn_json_read_size (json, "bits", 2, 8, 4);
  quantization->group_size = read_group_size (json, "group_size");
}

/* Reads the bits and the group size of all modules, beside which each that differs has an object,
 * or false: mlx-lm, utils.py (quantize_model). One that is not quantised has no scales. */
static void
read_mlx (AttnJsonReader   *json,
          AttnQuantization *quantization)
{
  JsonObject *root = json->object;
  g_autoptr (GList) members = json_object_get_members (root);

  read_mlx_numbers (json, quantization);
  for (GList *item = members; item != NULL; item = item->next)
    {
      JsonNode *node = json_object_get_member (root, item->data);
      AttnQuantization other = *quantization;

      if (!JSON_NODE_HOLDS_OBJECT (node))
        continue;
      if (quantization->others == NULL)
        quantization->others = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
      json->object = json_node_get_object (node);
      other.others = NULL;
      read_mlx_numbers (json, &other);
      if (!json_object_has_member (json->object, "group_size"))
        other.group_size = MLX_GROUP;
      json->object = root;
      g_hash_table_insert (quantization->others, g_strdup (item->data),
                           g_memdup2 (&other, sizeof other));
    }
}

/* Tells whether inputs were quantised in an order that the file keeps: compressed-tensors,
 * quantization/quant_args.py. */
static gboolean
is_ordered (AttnJsonReader *json)
{
  JsonNode *node = json_object_get_member (json->object, "actorder");

  if (node != NULL && json_node_get_value_type (node) == G_TYPE_STRING)
    return g_ascii_strcasecmp (json_node_get_string (node), "group") == 0 ||
           g_ascii_strcasecmp (json_node_get_string (node), "dynamic") == 0;
  return node != NULL && json_node_get_value_type (node) == G_TYPE_BOOLEAN &&
         json_node_get_boolean (node);
}

static void
read_block_size (AttnJsonReader   *json,
                 const char       *member,
                 AttnQuantization *quantization)
{
  JsonArray *sizes = attn_json_read_array (json, member);
  gsize *values[] = { &quantization->n_block_rows, &quantization->n_block_columns };

  for (guint i = 0; sizes != NULL && i < MIN (json_array_get_length (sizes), 2); i++)
    {
      JsonNode *node = json_array_get_element (sizes, i);
      gint64 value = JSON_NODE_HOLDS_VALUE (node) ? json_node_get_int (node) : 128;

      if (value < 1 || value > MAX_GROUP)
        attn_json_fail (json, ATTN_ERROR_LIMIT, _("%s: “%s”: %g found, expected %g to %g"),
                        json->where, member, (double) value, 1.0, (double) MAX_GROUP);
      *values[i] = (gsize) MAX (value, 1);
    }
}

/* The weights of all groups of modules are taken to be stored alike. */
static void
read_compressed (AttnJsonReader   *json,
                 AttnQuantization *quantization)
{
  static const char * const formats[] = { "pack-quantized", "int-quantized",
                                          "float-quantized", "naive-quantized",
                                          "nvfp4-pack-quantized", "mxfp4-pack-quantized",
                                          "mxfp8-quantized", "dense",
                                          NULL };
  JsonObject *root = json->object;
  JsonObject *groups = attn_json_read_object (json, "config_groups");
  g_autoptr (GList) members = groups != NULL ? json_object_get_members (groups) : NULL;
  gboolean is_first = TRUE;

  refuse_member (json, "transform_config");
  expect_word (json, "format", formats);
  for (GList *item = members; item != NULL; item = item->next)
    {
      JsonNode *node = json_object_get_member (groups, item->data);
      JsonObject *weights = NULL;

      if (!JSON_NODE_HOLDS_OBJECT (node))
        continue;
      json->object = json_node_get_object (node);
      expect_word (json, "format", formats);
      weights = attn_json_read_object (json, "weights");
      if (weights == NULL)
        continue;
      json->object = weights;
      guint bits = (guint) attn_json_read_size (json, "num_bits", 2, 16, 8);
      gsize group_size = read_group_size (json, "group_size");
      if (!is_first && (bits != quantization->bits || group_size != quantization->group_size))
        attn_json_fail (json, ATTN_ERROR_UNSUPPORTED, _("%s: “%s”: %s found, expected %s"),
                        json->where, "config_groups", (const char *) item->data,
                        "weights of one kind");
      quantization->bits = bits;
      quantization->group_size = group_size;
      if (group_size != G_MAXSIZE)
        quantization->n_block_columns = group_size;
      read_block_size (json, "block_structure", quantization);
      quantization->has_zeros = (is_first || quantization->has_zeros) &&
                                !attn_json_read_boolean (json, "symmetric", TRUE);
      quantization->has_groups = (is_first || quantization->has_groups) && is_ordered (json);
      is_first = FALSE;
    }
  json->object = root;
  quantization->zero = quantization->bits >= 1 ? 1 << (MIN (quantization->bits, 8) - 1) : 0;
}

static void
read_method (AttnJsonReader   *json,
             const char       *name,
             AttnQuantization *quantization)
{
  quantization->method = name != NULL ? find_method (name) : NULL;
  if (name != NULL && quantization->method == NULL)
    attn_json_fail (json, ATTN_ERROR_UNSUPPORTED, _("%s: “%s”: %s found, expected %s"), json->where,
                    "quant_method", name,
                    "fp8, fbgemm_fp8, mxfp4, modelopt, compressed-tensors, gptq, awq, "
                    "bitsandbytes");
  refuse_member (json, "transform_config");
  if (g_strcmp0 (quantization->method, "gptq") == 0)
    read_gptq (json, quantization);
  else if (g_strcmp0 (quantization->method, "awq") == 0)
    read_awq (json, quantization);
  else if (g_strcmp0 (quantization->method, "compressed-tensors") == 0)
    read_compressed (json, quantization);
  read_block_size (json, "weight_block_size", quantization);
}

/* Tells whether it is of before methods were named: transformers, quantizers/auto.py. */
static gboolean
is_old_bitsandbytes (AttnJsonReader *json)
{
  return attn_json_read_boolean (json, "load_in_4bit", FALSE) ||
         attn_json_read_boolean (json, "load_in_8bit", FALSE);
}

static const AttnQuantization usual = {
  .bits = 4,
  .group_size = G_MAXSIZE,
  .n_block_rows = 128,
  .n_block_columns = 128,
};

/**
 * attn_schemes_has_config:
 * @json: as of attn_schemes_read_config()
 *
 * Tells whether it says anything of how matrices are stored.
 */
gboolean
attn_schemes_has_config (AttnJsonReader *json)
{
  return attn_json_read_object (json, "quantization_config") != NULL ||
         attn_json_read_object (json, "quantization") != NULL;
}

/**
 * attn_schemes_read_config:
 * @json: at the root of a config.json; fails for a method, or a setting of one, that is not known
 * @quantization: (out caller-allocates): what it says
 *
 * Reads `quantization_config`, or the `quantization` of MLX.
 */
void
attn_schemes_read_config (AttnJsonReader   *json,
                          AttnQuantization *quantization)
{
  JsonObject *root = json->object;
  JsonObject *object = attn_json_read_object (json, "quantization_config");
  gboolean has_method = object != NULL && json_object_has_member (object, "quant_method");
  JsonObject *mlx = has_method ? NULL : attn_json_read_object (json, "quantization");

  *quantization = usual;
  if (mlx != NULL)
    {
      json->object = mlx;
      quantization->method = find_method ("mlx");
      read_mlx (json, quantization);
    }
  else if (object != NULL)
    {
      json->object = object;
      read_method (json,
                   attn_json_read_string (json, "quant_method",
                                          is_old_bitsandbytes (json) ? "bitsandbytes" : NULL),
                   quantization);
    }
  json->object = root;
}

/**
 * attn_schemes_read_beside:
 * @json: at the root of a quantize_config.json; fails as attn_schemes_read_config()
 * @quantization: (out caller-allocates): what it says
 *
 * Reads what AutoGPTQ (quantization/config.py) and GPTQModel write beside a config.json; a file
 * that names no method is of GPTQ.
 */
void
attn_schemes_read_beside (AttnJsonReader   *json,
                          AttnQuantization *quantization)
{
  *quantization = usual;
  quantization->is_beside = TRUE;
  if (json->object != NULL)
    read_method (json,
                 attn_json_read_string (json, "quant_method",
                                        attn_json_read_string (json, "method", "gptq")),
                 quantization);
}

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

/* Sizes of the matrix as a tensor of two numbers has them. */
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

/* Reads the JSON that bitsandbytes writes beside a matrix, in bytes. */
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
  packing->group_size = attn_json_read_size (&json, "blocksize", 1, MAX_GROUP, 64);
  packing->nested_size = 1;
  packing->table = look (search, ".weight.quant_map");
  packing->nested = look (search, ".weight.nested_quant_map");
  packing->nested_scales = look (search, ".weight.nested_absmax");
  if (packing->nested != NULL)
    {
      JsonNode *offset = json_object_get_member (json.object, "nested_offset");

      packing->nested_size = attn_json_read_size (&json, "nested_blocksize", 1, MAX_GROUP, 256);
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

/* Factors of rows of bytes up to 127: bitsandbytes, functional.py (int8_vectorwise_dequant). */
static AttnArray *
divide (const AttnArray  *scales,
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
    tensor->data[i] /= 127.0f;
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

/* Tells whether the tensors of the scheme are there. */
static gboolean
has_scheme (const Search           *search,
            const AttnQuantization *quantization)
{
  const Scheme *scheme = search->scheme;
  g_autofree char *name = g_strconcat (search->stem, scheme->words, NULL);
  const AttnArray *words = search->lookup (search->data, name);

  if (words == NULL || (words->dtype != scheme->dtypes[0] && words->dtype != scheme->dtypes[1]))
    return FALSE;
  if (scheme->order == ATTN_PACKED_FLAT)
    return look (search, scheme->shape) != NULL;
  if (scheme->order == ATTN_PACKED_BYTES && scheme->zeros != NULL)
    return quantization->has_zeros || quantization->has_groups ||
           look (search, scheme->zeros) != NULL || look (search, scheme->groups) != NULL;
  return strcmp (scheme->words, ".weight") != 0 || look (search, scheme->scales) != NULL;
}

/* The numbers of bits and inputs in a group of the matrix whose codes are @words. */
static const AttnQuantization *
choose (const AttnQuantization *quantization,
        const Scheme           *scheme,
        const AttnArray        *words)
{
  gsize n_stem = strlen (words->name) - strlen (scheme->words);
  g_autofree char *module = g_strndup (words->name, n_stem);
  const AttnQuantization *other =
      quantization->others != NULL ? g_hash_table_lookup (quantization->others, module) : NULL;

  return other != NULL ? other : quantization;
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
  const AttnQuantization *own = choose (quantization, scheme, words);
  AttnPacking packing = {
    .order = scheme->order,
    .bits = own->bits,
    .group_size = own->group_size,
    .zero = quantization->zero,
    .words = words,
    .scales = look (search, scheme->scales),
    .zeros = look (search, scheme->zeros),
    .biases = look (search, scheme->biases),
    .groups = look (search, scheme->groups),
  };

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
  if (scheme->order == ATTN_PACKED_BYTES && scheme->zeros == NULL)
    {
      divided = divide (packing.scales, error);
      if (divided == NULL)
        return FALSE;
      packing.scales = divided;
    }
  if (!find_shape (search, &packing, shape, error))
    return FALSE;
  *found = attn_packed_new (name, &packing, shape[0], shape[1], error);
  return *found != NULL;
}

/**
 * attn_schemes_find:
 * @name: of a matrix as if it were not quantised
 * @found: (out) (nullable): the matrix [out, in], %NULL where it is stored otherwise
 * @error: return location for errors of [func@attn_packed_new], %ATTN_ERROR_FORMAT for a tensor
 *   that lacks, %ATTN_ERROR_UNSUPPORTED for bits that the scheme does not have
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

      if (strcmp (quantization->method, schemes[i].method) == 0 &&
          has_scheme (&search, quantization))
        return make (&search, quantization, found, error);
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
 * @array: a tensor that the model has no place for
 *
 * Tells whether it stands beside a packed matrix and changes nothing: the bias of zeros that
 * programs give every matrix (AutoGPTQ, nn_modules/qlinear), or the 0 that says that bytes lie in
 * rows (bitsandbytes, nn/modules.py, `weight_format`).
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
