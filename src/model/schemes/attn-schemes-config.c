/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads from a configuration how matrices are quantized: the method, its settings for all modules,
 * and rules for single modules. */

#include "config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-error.h"
#include "attn-scheme-rules.h"
#include "attn-schemes.h"

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

/* Reads the number of inputs that share a scale. -1 or a missing member means all inputs of a
 * row. */
static gsize
read_group_size (AttnJsonReader *json,
                 const char     *member)
{
  JsonNode *node = json_object_get_member (json->object, member);
  gint64 size = node != NULL && JSON_NODE_HOLDS_VALUE (node) ? json_node_get_int (node) : -1;

  if (size == -1)
    return G_MAXSIZE;
  return attn_json_read_size (json, member, 1, ATTN_SCHEMES_MAX_GROUP, 128);
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

/* Reads GPTQ's bits and group size, for all modules or for those of a rule. Where a member is
 * missing, @quantization is left as it is, so that a rule has the settings of all modules that it
 * does not change. */
static void
read_gptq_numbers (AttnJsonReader   *json,
                   AttnQuantization *quantization)
{
  expect_word (json, "pack_dtype", (const char * const[]) { "int32", NULL });
  quantization->bits =
      (guint) attn_json_read_size (json, "bits", 2, 8, quantization->bits);
  if (json_object_has_member (json->object, "group_size"))
    quantization->group_size = read_group_size (json, "group_size");
  quantization->has_groups =
      attn_json_read_boolean (json, "desc_act", quantization->has_groups) &&
      quantization->group_size != G_MAXSIZE;
}

/* Reads “dynamic”: rules for modules whose names fit a regular expression. Rules that say that a
 * module is not quantized ("-:") come before others: GPTQModel, quantization/config.py
 * (dynamic_get, __post_init__). */
static void
read_dynamic (AttnJsonReader   *json,
              AttnQuantization *quantization)
{
  static const char * const formats[] = { "gptq", "gptq_v2", NULL };
  JsonObject *root = json->object;
  JsonObject *rules = attn_json_read_object (json, "dynamic");
  g_autoptr (GList) members = rules != NULL ? json_object_get_members (rules) : NULL;

  if (members != NULL)
    quantization->rules = attn_scheme_rules_new (json->where);
  for (GList *item = members; item != NULL; item = item->next)
    {
      const char *pattern = item->data;
      JsonNode *node = json_object_get_member (rules, pattern);
      AttnQuantization own = *quantization;
      gboolean is_plain = g_str_has_prefix (pattern, "-:");

      if (is_plain || g_str_has_prefix (pattern, "+:"))
        pattern += strlen ("-:");
      if (!is_plain && !JSON_NODE_HOLDS_OBJECT (node))
        attn_json_fail (json, ATTN_ERROR_FORMAT, _("%s: “%s” found, expected %s"), json->where,
                        pattern, "{…}");
      if (!is_plain && JSON_NODE_HOLDS_OBJECT (node))
        {
          json->object = json_node_get_object (node);
          expect_word (json, "format", formats);
          read_gptq_numbers (json, &own);
          json->object = root;
        }
      attn_scheme_rules_add_pattern (quantization->rules, pattern, is_plain ? NULL : &own, json);
    }
}

/* Reads GPTQ's settings. The member with the format is called “checkpoint_format” in files of
 * GPTQModel and is a flag in old files of AutoGPTQ: quantization/config.py of both. Rotated
 * matrices (“rotation”) are refused. */
static void
read_gptq (AttnJsonReader   *json,
           AttnQuantization *quantization)
{
  static const char * const formats[] = { "gptq", "gptq_v2", NULL };
  static const char marlin[] = "is_marlin_format";
  const char *member =
      json_object_has_member (json->object, "checkpoint_format") ? "checkpoint_format" : "format";

  expect_word (json, member, formats);
  if (attn_json_read_boolean (json, marlin, FALSE))
    attn_json_fail (json, ATTN_ERROR_UNSUPPORTED, _("%s: “%s”: %s found, expected %s"), json->where,
                    marlin, "true", "false");
  if (attn_json_read_string (json, "rotation", NULL) != NULL)
    attn_json_fail (json, ATTN_ERROR_UNSUPPORTED, _("%s: “%s” found, expected none"), json->where,
                    "rotation");
  const char *format = attn_json_read_string (json, member, "gptq");
  quantization->zero = g_ascii_strcasecmp (format, "gptq_v2") == 0 ? 0 : 1;
  read_gptq_numbers (json, quantization);
  read_dynamic (json, quantization);
}

static void
read_auto_round_numbers (AttnJsonReader   *json,
                         AttnQuantization *quantization)
{
  expect_word (json, "data_type", (const char * const[]) { "int", NULL });
  quantization->bits = (guint) attn_json_read_size (json, "bits", 2, 8, quantization->bits);
  if (json_object_has_member (json->object, "group_size"))
    quantization->group_size = read_group_size (json, "group_size");
}

/* Reads AutoRound's settings: intel/auto-round, export_to_autoround/export.py. Matrices are packed
 * as GPTQ or AWQ packs them; the member that says so was once called “backend”. “extra_config” has
 * settings of single modules by name; a module of more than 8 bits is not quantized. */
static void
read_auto_round (AttnJsonReader   *json,
                 AttnQuantization *quantization)
{
  static const char * const forms[] = { "auto_round:auto_gptq", "auto_round:gptq",
                                        "auto_round:gptq:exllamav2", "auto_round:gptq:triton",
                                        "auto_round:auto_awq", "auto_round:awq", NULL };
  JsonObject *root = json->object;
  const char *member = json_object_has_member (root, "packing_format") ? "packing_format"
                                                                       : "backend";
  const char *form = attn_json_read_string (json, member, forms[0]);
  JsonObject *modules = attn_json_read_object (json, "extra_config");
  g_autoptr (GList) members = modules != NULL ? json_object_get_members (modules) : NULL;

  expect_word (json, member, forms);
  quantization->method = strstr (form, "awq") != NULL ? "awq" : "gptq";
  quantization->zero = strcmp (quantization->method, "gptq") == 0 ? 1 : 0;
  read_auto_round_numbers (json, quantization);
  if (members != NULL)
    quantization->rules = attn_scheme_rules_new (json->where);
  for (GList *item = members; item != NULL; item = item->next)
    {
      JsonNode *node = json_object_get_member (modules, item->data);
      AttnQuantization own = *quantization;

      if (!JSON_NODE_HOLDS_OBJECT (node))
        continue;
      json->object = json_node_get_object (node);
      gboolean is_plain = attn_json_read_size (json, "bits", 2, 32, own.bits) > 8;
      if (!is_plain)
        read_auto_round_numbers (json, &own);
      attn_scheme_rules_add_name (quantization->rules, item->data, is_plain ? NULL : &own);
    }
  json->object = root;
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

/* The default settings of each mode of MLX: mlx, nn/layers/quantized.py (_defaults_for_mode). Modes
 * whose codes are floats, all but “affine”, allow no others: mlx/ops.cpp (fp_dequantize). */
static const struct
{
  const char *name;
  gsize group_size;
  gsize bits;
} modes[] = { { "affine", 64, 4 }, { "mxfp4", 32, 4 }, { "nvfp4", 16, 4 }, { "mxfp8", 32, 8 } };

static void
read_mlx_numbers (AttnJsonReader   *json,
                  gboolean          is_whole,
                  AttnQuantization *quantization)
{
  static const char * const names[] = { "affine", "mxfp4", "nvfp4", "mxfp8", NULL };
  const char *name = attn_json_read_string (json, "mode", names[0]);
  gsize mode = 0;

  expect_word (json, "mode", names);
  while (mode + 1 < G_N_ELEMENTS (modes) && g_ascii_strcasecmp (name, modes[mode].name) != 0)
    mode++;
  quantization->mode = mode > 0 ? modes[mode].name : NULL;
  gsize least_bits = mode > 0 ? modes[mode].bits : 2;
  gsize most_bits = mode > 0 ? modes[mode].bits : 8;
  quantization->bits =
      (guint) attn_json_read_size (json, "bits", least_bits, most_bits, modes[mode].bits);
  if (mode > 0)
    quantization->group_size =
        attn_json_read_size (json, "group_size", modes[mode].group_size, modes[mode].group_size,
                             modes[mode].group_size);
  else if (is_whole || json_object_has_member (json->object, "group_size"))
    quantization->group_size = read_group_size (json, "group_size");
  else
    quantization->group_size = modes[0].group_size;
}

/* Reads the bits and the group size of all modules. A member by the name of a module is an object
 * with its own settings, or false: mlx-lm, utils.py (quantize_model). False is ignored, since a
 * module that is not quantized is known by its missing scales. */
static void
read_mlx (AttnJsonReader   *json,
          AttnQuantization *quantization)
{
  JsonObject *root = json->object;
  g_autoptr (GList) members = json_object_get_members (root);

  read_mlx_numbers (json, TRUE, quantization);
  for (GList *item = members; item != NULL; item = item->next)
    {
      JsonNode *node = json_object_get_member (root, item->data);
      AttnQuantization own = *quantization;

      if (!JSON_NODE_HOLDS_OBJECT (node))
        continue;
      if (quantization->rules == NULL)
        quantization->rules = attn_scheme_rules_new (json->where);
      json->object = json_node_get_object (node);
      read_mlx_numbers (json, FALSE, &own);
      json->object = root;
      attn_scheme_rules_add_name (quantization->rules, item->data, &own);
    }
}

/* Tells whether inputs were reordered for quantization (“actorder”), so that a tensor has the group
 * of each input: compressed-tensors, quantization/quant_args.py. */
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

      if (value < 1 || value > ATTN_SCHEMES_MAX_GROUP)
        attn_json_fail (json, ATTN_ERROR_LIMIT, _("%s: “%s”: %g found, expected %g to %g"),
                        json->where, member, (double) value, 1.0, (double) ATTN_SCHEMES_MAX_GROUP);
      *values[i] = (gsize) MAX (value, 1);
    }
}

static const char * const compressed_formats[] = {
  "pack-quantized", "int-quantized", "float-quantized", "naive-quantized",
  "nvfp4-pack-quantized", "mxfp4-pack-quantized", "mxfp8-quantized", "mixed-precision",
  "dense", NULL
};

/* Reads how the weights of a group of modules in “config_groups” are stored. Returns FALSE if they
 * are not quantized. */
static gboolean
read_group (AttnJsonReader   *json,
            JsonNode         *node,
            AttnQuantization *own)
{
  JsonObject *weights = NULL;

  if (!JSON_NODE_HOLDS_OBJECT (node))
    return FALSE;
  json->object = json_node_get_object (node);
  expect_word (json, "format", compressed_formats);
  weights = attn_json_read_object (json, "weights");
  if (weights == NULL)
    return FALSE;
  json->object = weights;
  own->bits = (guint) attn_json_read_size (json, "num_bits", 2, 16, 8);
  own->group_size = read_group_size (json, "group_size");
  if (own->group_size != G_MAXSIZE)
    own->n_block_columns = own->group_size;
  read_block_size (json, "block_structure", own);
  own->has_zeros = !attn_json_read_boolean (json, "symmetric", TRUE);
  own->has_groups = is_ordered (json);
  own->zero = 1 << (MIN (own->bits, 8) - 1);
  return TRUE;
}

/* Returns a string of “targets” or “ignore”, and sets *is_pattern to whether it begins with “re:”,
 * which marks a regular expression and is left out. */
static const char *
get_target (JsonArray *targets,
            guint      index,
            gboolean  *is_pattern)
{
  static const char mark[] = "re:";
  JsonNode *node = json_array_get_element (targets, index);
  const char *target = JSON_NODE_HOLDS_VALUE (node) &&
                               json_node_get_value_type (node) == G_TYPE_STRING
                           ? json_node_get_string (node)
                           : "";

  *is_pattern = g_str_has_prefix (target, mark);
  return *is_pattern ? target + strlen (mark) : target;
}

static gint
compare (gconstpointer a,
         gconstpointer b)
{
  return strcmp (a, b);
}

/* Adds rules for the modules that are targets of a group. Rules for full names count first, then
 * those for regular expressions in alphabetical order, then those for classes of modules; “Linear”
 * is every module with a matrix. If groups share a target, the last one has it. Modules without a
 * target are not quantized: compressed-tensors, utils/match.py (match_targets),
 * quantization/lifecycle/apply.py (apply_quantization_config). */
static void
add_targets (GHashTable       *patterns,
             JsonArray        *targets,
             AttnQuantization *own,
             AttnQuantization *quantization,
             gboolean         *has_rest)
{
  for (guint i = 0; i < json_array_get_length (targets); i++)
    {
      gboolean is_pattern;
      const char *target = get_target (targets, i, &is_pattern);

      if (is_pattern)
        g_hash_table_insert (patterns, g_strdup (target), g_memdup2 (own, sizeof *own));
      else if (strcmp (target, "Linear") != 0)
        attn_scheme_rules_add_name (quantization->rules, target, own);
      else
        {
          AttnSchemeRules *rules = quantization->rules;

          *quantization = *own;
          quantization->rules = rules;
          *has_rest = TRUE;
        }
    }
}

static void
add_ignored (AttnJsonReader   *json,
             AttnQuantization *quantization)
{
  JsonArray *ignored = attn_json_read_array (json, "ignore");

  for (guint i = 0; ignored != NULL && i < json_array_get_length (ignored); i++)
    {
      gboolean is_pattern;
      const char *target = get_target (ignored, i, &is_pattern);

      if (is_pattern)
        attn_scheme_rules_add_pattern (quantization->rules, target, NULL, json);
      else
        attn_scheme_rules_add_name (quantization->rules, target, NULL);
    }
}

static void
read_compressed (AttnJsonReader   *json,
                 AttnQuantization *quantization)
{
  JsonObject *root = json->object;
  JsonObject *groups = attn_json_read_object (json, "config_groups");
  g_autoptr (GList) members = groups != NULL ? json_object_get_members (groups) : NULL;
  g_autoptr (GHashTable) patterns =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  const AttnQuantization fallback = *quantization;
  gboolean has_rest = FALSE;
  guint n_groups = 0;

  expect_word (json, "format", compressed_formats);
  quantization->rules = attn_scheme_rules_new (json->where);
  add_ignored (json, quantization);
  for (GList *item = members; item != NULL; item = item->next)
    {
      AttnQuantization own = fallback;
      JsonNode *node = json_object_get_member (groups, item->data);
      gboolean has_weights = read_group (json, node, &own);

      if (!has_weights)
        continue;
      json->object = json_node_get_object (node);
      JsonArray *targets = attn_json_read_array (json, "targets");
      if (targets != NULL)
        add_targets (patterns, targets, &own, quantization, &has_rest);
      /* If this stays the only group, its settings hold for all modules, whose tensors show which
       * of them are quantized. If there are more, modules that no rule fits count as not quantized,
       * see below. */
      if (n_groups++ == 0 && !has_rest)
        {
          own.rules = quantization->rules;
          *quantization = own;
        }
    }
  json->object = root;
  g_autoptr (GList) sorted = g_list_sort (g_hash_table_get_keys (patterns), compare);
  for (GList *item = sorted; item != NULL; item = item->next)
    attn_scheme_rules_add_pattern (quantization->rules, item->data,
                                   g_hash_table_lookup (patterns, item->data), json);
  if (n_groups > 1 && !has_rest)
    attn_scheme_rules_end (quantization->rules);
  if (n_groups == 0)
    quantization->zero = 1 << (quantization->bits - 1);
}

/* Refuses ModelOpt's algorithms that are not listed. Those listed are told apart by their tensors;
 * others also scale the inputs or pack codes differently: ModelOpt, torch/export/quant_utils.py
 * (process_layer_quant_config). */
static void
expect_algorithm (AttnJsonReader *json,
                  gboolean        is_whole)
{
  static const char * const whole[] = { "FP8", "FP8_PER_CHANNEL_PER_TOKEN", "FP8_PB_WO", "NVFP4",
                                        "W8A16", "MIXED_PRECISION", NULL };
  static const char * const own[] = { "FP8", "FP8_PER_CHANNEL_PER_TOKEN", "FP8_PB_WO", "NVFP4",
                                      "W8A16", NULL };

  expect_word (json, "quant_algo", is_whole ? whole : own);
}

/* Checks “quant_algo”, ModelOpt's algorithm for all modules, and that of each module in
 * “quantized_layers”. */
static void
read_modelopt (AttnJsonReader   *json,
               AttnQuantization *quantization)
{
  JsonObject *root = json->object;
  JsonObject *layers = attn_json_read_object (json, "quantized_layers");
  g_autoptr (GList) members = layers != NULL ? json_object_get_members (layers) : NULL;

  expect_algorithm (json, TRUE);
  for (GList *item = members; item != NULL; item = item->next)
    {
      JsonNode *node = json_object_get_member (layers, item->data);

      if (!JSON_NODE_HOLDS_OBJECT (node))
        continue;
      json->object = json_node_get_object (node);
      expect_algorithm (json, FALSE);
    }
  json->object = root;
}

/* The methods that “quant_method” may name, and the function that reads their settings. A method
 * without a function needs no settings: its tensors tell how they are stored. */
static const struct
{
  const char *name;
  void (*read) (AttnJsonReader *json,
                AttnQuantization *quantization);
} methods[] = {
  { "fp8" },
  { "fbgemm_fp8" },
  { "mxfp4" },
  { "modelopt", read_modelopt },
  { "compressed-tensors", read_compressed },
  { "gptq", read_gptq },
  { "awq", read_awq },
  { "auto-round", read_auto_round },
  { "intel/auto-round", read_auto_round },
  { "bitsandbytes" },
  { "mlx", read_mlx },
};

static void
fail_method (AttnJsonReader *json,
             const char     *name)
{
  g_autoptr (GString) known = g_string_new (methods[0].name);

  for (gsize i = 1; i < G_N_ELEMENTS (methods); i++)
    g_string_append_printf (known, ", %s", methods[i].name);
  attn_json_fail (json, ATTN_ERROR_UNSUPPORTED, _("%s: “%s”: %s found, expected %s"), json->where,
                  "quant_method", name, known->str);
}

static void
read_method (AttnJsonReader   *json,
             const char       *name,
             AttnQuantization *quantization)
{
  gsize i = 0;

  while (name != NULL && i < G_N_ELEMENTS (methods) && strcmp (name, methods[i].name) != 0)
    i++;
  if (i == G_N_ELEMENTS (methods))
    fail_method (json, name);
  refuse_member (json, "transform_config");
  if (name != NULL && i < G_N_ELEMENTS (methods))
    {
      quantization->method = methods[i].name;
      if (methods[i].read != NULL)
        methods[i].read (json, quantization);
    }
  read_block_size (json, "weight_block_size", quantization);
}

/* Tells whether the configuration is an old one of bitsandbytes, without “quant_method”:
 * transformers, quantizers/auto.py. */
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
 * @json: at the root of a config.json
 *
 * Returns: whether the object says how matrices are quantized
 */
gboolean
attn_schemes_has_config (AttnJsonReader *json)
{
  return attn_json_read_object (json, "quantization_config") != NULL ||
         attn_json_read_object (json, "quantization") != NULL;
}

/**
 * attn_schemes_read_config:
 * @json: at the root of a config.json; gets an error for a method or a setting that is not known
 * @quantization: (out caller-allocates): the settings; @method is %NULL if there are none
 *
 * Reads how matrices are quantized from `quantization_config`, or from `quantization`, which MLX
 * writes.
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
      read_method (json, "mlx", quantization);
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

/* Files beside config.json that tell how matrices are quantized if config.json does not: AutoGPTQ
 * and GPTQModel (quantization/config.py), ModelOpt (torch/export/unified_export_hf.py). */
static const char * const besides[] = { "quantize_config.json", "hf_quant_config.json" };

/**
 * attn_schemes_get_beside:
 *
 * Returns: (transfer none) (nullable): the name of file number @index that may stand beside
 *   config.json and tell how matrices are quantized; %NULL behind the last
 */
const char *
attn_schemes_get_beside (gsize index)
{
  return index < G_N_ELEMENTS (besides) ? besides[index] : NULL;
}

/**
 * attn_schemes_read_beside:
 * @json: at the root of a file that attn_schemes_get_beside() names; gets errors as in
 *   attn_schemes_read_config()
 * @index: number of that file
 * @quantization: (out caller-allocates): the settings; @method is %NULL if there are none
 *
 * Reads how matrices are quantized. A quantize_config.json that names no method is of GPTQ.
 */
void
attn_schemes_read_beside (AttnJsonReader   *json,
                          gsize             index,
                          AttnQuantization *quantization)
{
  JsonObject *root = json->object;

  *quantization = usual;
  quantization->beside = besides[index];
  if (root == NULL)
    return;
  if (index == 0)
    read_method (json,
                 attn_json_read_string (json, "quant_method",
                                        attn_json_read_string (json, "method", "gptq")),
                 quantization);
  else
    {
      JsonObject *own = attn_json_read_object (json, "quantization");

      if (own != NULL)
        json->object = own;
      read_method (json, "modelopt", quantization);
      json->object = root;
    }
}
