/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads adapters with the names and scaling factors that PEFT uses (huggingface/peft, tuners/lora
 * and utils/save_and_load.py), and those of MLX (ml-explore/mlx-lm, tuner/utils.py, load_adapters;
 * tuner/lora.py and dora.py), whose matrices A and B are transposed. */

#include "config.h"

#include "attn-adapter.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "attn-error.h"
#include "attn-file.h"
#include "attn-json.h"

/* The largest rank that is accepted, above the width of any matrix. */
#define MAX_RANK 65536

/* The change of an adapter to a module, or a tensor that replaces one of the model's (@whole).
 * @is_used: whether the model has asked for it */
typedef struct
{
  AttnAdapterModule is;
  const AttnArray *whole;
  gboolean is_used;
} Entry;

struct _AttnAdapter
{
  char *path; /* path of the adapter, as the caller gave it */
  char *folder;
  char *where; /* path of the configuration as displayed at the beginning of messages */
  JsonNode *root;
  AttnArrayFile *file;
  GHashTable *modules; /* Entry by the module's name */
  GHashTable *tensors; /* Entry by the tensor's name */
  GPtrArray *turned;   /* AttnArray: matrices of an MLX adapter, transposed to PEFT's [rank, in] and
                        * [out, rank] */
  const char *base;
  const char *revision;
  gsize rank;
  double alpha;
  double scale; /* scale of an MLX adapter, which does not follow from alpha and rank */
  gboolean is_mlx;
  gboolean is_stabilised;
  gboolean has_magnitudes;
  JsonObject *ranks;
  JsonObject *alphas;
};

/* Names of the file with an adapter's tensors: the one that PEFT writes now, the one that it wrote
 * earlier, and MLX's. */
static const char * const weights_names[] = { "adapter_model.safetensors", "adapter_model.bin",
                                              "adapters.safetensors", NULL };

static gboolean
exists_in (const char *folder,
           const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);

  return g_file_test (path, G_FILE_TEST_EXISTS);
}

/**
 * attn_adapter_dup_weights_path:
 * @folder: folder of an adapter
 *
 * Returns: (transfer full): the path of the file with its tensors; if there is none, the path that
 *   PEFT would give it, for a message
 */
char *
attn_adapter_dup_weights_path (const char *folder)
{
  for (gsize i = 0; weights_names[i] != NULL; i++)
    if (exists_in (folder, weights_names[i]))
      return g_build_filename (folder, weights_names[i], NULL);
  return g_build_filename (folder, weights_names[0], NULL);
}

/**
 * attn_adapter_find_file:
 * @folder: folder of a model
 *
 * Returns: (transfer full) (nullable): the path of the first file found in it that belongs to an
 *   adapter, %NULL for none
 */
char *
attn_adapter_find_file (const char *folder)
{
  if (exists_in (folder, ATTN_ADAPTER_CONFIG))
    return g_build_filename (folder, ATTN_ADAPTER_CONFIG, NULL);
  g_autofree char *weights = attn_adapter_dup_weights_path (folder);
  return g_file_test (weights, G_FILE_TEST_EXISTS) ? g_steal_pointer (&weights) : NULL;
}

/**
 * attn_adapter_dup_folder:
 * @path: path of an adapter's folder, or of a file in it
 *
 * Returns: (transfer full) (nullable): the adapter's folder, %NULL if @path is not of an adapter
 */
char *
attn_adapter_dup_folder (const char *path)
{
  g_autofree char *folder = g_file_test (path, G_FILE_TEST_IS_DIR) ? g_strdup (path)
                                                                   : g_path_get_dirname (path);
  g_autofree char *name = g_path_get_basename (path);

  if (!g_file_test (path, G_FILE_TEST_IS_DIR) && strcmp (name, ATTN_ADAPTER_CONFIG) != 0 &&
      !g_strv_contains (weights_names, name))
    return NULL;
  return exists_in (folder, ATTN_ADAPTER_CONFIG) ? g_steal_pointer (&folder) : NULL;
}

/**
 * attn_adapter_is_one:
 * @path: (nullable): path of the file or folder that is to be opened
 *
 * Returns: whether @path is the folder of an adapter, or a file in it, and no model is in that
 *   folder
 */
gboolean
attn_adapter_is_one (const char *path)
{
  g_autofree char *folder = path != NULL ? attn_adapter_dup_folder (path) : NULL;

  return folder != NULL && !exists_in (folder, "model.safetensors") &&
         !exists_in (folder, "model.safetensors.index.json") && !exists_in (folder, "config.json");
}

/* -- Configuration -- */

/* Refuses settings of PEFT that change what the model computes in ways that are not implemented. */
static void
check_unknown (AttnJsonReader *json)
{
  static const char * const flags[] = { "use_qalora", "lora_bias", "ensure_weight_tying" };
  static const char * const starts[] = { "pissa", "olora", "corda", "loftq" };
  static const char * const members[] = { "layer_replication", "alora_invocation_tokens",
                                          "arrow_config", "trainable_token_indices",
                                          "target_parameters" };
  JsonNode *start = json_object_get_member (json->object, "init_lora_weights");
  const char *word = start != NULL && json_node_get_value_type (start) == G_TYPE_STRING
                         ? json_node_get_string (start)
                         : "";

  for (gsize i = 0; i < G_N_ELEMENTS (flags); i++)
    if (attn_json_read_boolean (json, flags[i], FALSE))
      attn_json_fail (json, ATTN_ERROR_UNSUPPORTED, _("%s: “%s” found, expected none"),
                      json->where, flags[i]);
  for (gsize i = 0; i < G_N_ELEMENTS (members); i++)
    {
      JsonNode *node = json_object_get_member (json->object, members[i]);

      if (node != NULL && !JSON_NODE_HOLDS_NULL (node))
        attn_json_fail (json, ATTN_ERROR_UNSUPPORTED, _("%s: “%s” found, expected none"),
                        json->where, members[i]);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (starts); i++)
    if (g_str_has_prefix (word, starts[i]))
      attn_json_fail (json, ATTN_ERROR_UNSUPPORTED,
                      _("%s: “init_lora_weights” “%s” found, which changes the model itself, "
                        "expected an adapter that was converted to plain LoRA"),
                      json->where, word);
}

static void
read_peft (AttnAdapter    *adapter,
           AttnJsonReader *json)
{
  const char *kind = attn_json_read_string (json, "peft_type", "");

  if (g_ascii_strcasecmp (kind, "LORA") != 0)
    attn_json_fail (json, ATTN_ERROR_UNSUPPORTED, _("%s: “peft_type” “%s” found, expected LORA"),
                    adapter->where, kind);
  adapter->base = attn_json_read_string (json, "base_model_name_or_path", "");
  adapter->revision = attn_json_read_string (json, "revision", NULL);
  adapter->rank = attn_json_read_size (json, "r", 1, MAX_RANK, 8);
  adapter->alpha = attn_json_read_number (json, "lora_alpha", 8.0);
  adapter->is_stabilised = attn_json_read_boolean (json, "use_rslora", FALSE);
  adapter->has_magnitudes = attn_json_read_boolean (json, "use_dora", FALSE);
  adapter->ranks = attn_json_read_object (json, "rank_pattern");
  adapter->alphas = attn_json_read_object (json, "alpha_pattern");
  check_unknown (json);
}

/* Reads the arguments of MLX's training, which its configuration holds. Tensors of an adapter of
 * type “full” replace the model's own. */
static void
read_mlx (AttnAdapter    *adapter,
          AttnJsonReader *json)
{
  JsonObject *root = json->object;
  const char *kind = attn_json_read_string (json, "fine_tune_type", "lora");
  JsonObject *parameters = attn_json_read_object (json, "lora_parameters");

  adapter->base = attn_json_read_string (json, "model", "");
  adapter->has_magnitudes = strcmp (kind, "dora") == 0;
  if (!adapter->has_magnitudes && strcmp (kind, "lora") != 0 && strcmp (kind, "full") != 0)
    attn_json_fail (json, ATTN_ERROR_UNSUPPORTED, _("%s: “%s”: %s found, expected %s"), json->where,
                    "fine_tune_type", kind, "lora, dora, full");
  if (parameters != NULL)
    json->object = parameters;
  adapter->rank = attn_json_read_size (json, "rank", 1, MAX_RANK, 8);
  adapter->scale = attn_json_read_number (json, "scale", 20.0);
  json->object = root;
}

static gboolean
load_config (AttnAdapter  *adapter,
             GError      **error)
{
  g_autofree char *path = g_build_filename (adapter->folder, ATTN_ADAPTER_CONFIG, NULL);

  adapter->where = g_filename_display_name (path);
  adapter->root = attn_json_load (path, error);
  if (adapter->root == NULL)
    return FALSE;
  AttnJsonReader json = attn_json_begin (adapter->root, adapter->where);
  adapter->is_mlx = json.object != NULL && !json_object_has_member (json.object, "peft_type") &&
                    (json_object_has_member (json.object, "fine_tune_type") ||
                     json_object_has_member (json.object, "lora_parameters"));
  if (adapter->is_mlx)
    read_mlx (adapter, &json);
  else
    read_peft (adapter, &json);
  return attn_json_finish (&json, error);
}

/* Sets *number to the value of the first pattern in @patterns that matches the module's name, or
 * the end of the name after a dot. Leaves *number unchanged if no pattern matches. */
static gboolean
find_pattern (const AttnAdapter  *adapter,
              JsonObject         *patterns,
              const char         *member,
              const char         *name,
              double             *number,
              GError            **error)
{
  g_autoptr (GList) keys = patterns != NULL ? json_object_get_members (patterns) : NULL;

  for (GList *key = keys; key != NULL; key = key->next)
    {
      g_autofree char *pattern = g_strdup_printf ("^(.*\\.)?(%s)$", (const char *) key->data);
      JsonNode *node = json_object_get_member (patterns, key->data);
      g_autoptr (GError) own_error = NULL;
      g_autoptr (GRegex) regex = g_regex_new (pattern, 0, 0, &own_error);
      gboolean is_match =
          regex != NULL && g_regex_match_full (regex, name, -1, 0, 0, NULL, &own_error);

      if (own_error != NULL || !JSON_NODE_HOLDS_VALUE (node) ||
          (json_node_get_value_type (node) != G_TYPE_INT64 &&
           json_node_get_value_type (node) != G_TYPE_DOUBLE))
        return attn_fail (error, ATTN_ERROR_FORMAT,
                          _("%s: “%s”: “%s” found, expected a pattern of names with a number"),
                          adapter->where, member, (const char *) key->data);
      if (!is_match)
        continue;
      *number = json_node_get_double (node);
      if (json_node_get_value_type (node) == G_TYPE_INT64)
        *number = (double) json_node_get_int (node);
      return TRUE;
    }
  return TRUE;
}

/* -- Tensors -- */

static void
free_entry (gpointer entry)
{
  g_free (entry);
}

static Entry *
need_entry (GHashTable *entries,
            const char *name)
{
  Entry *entry = g_hash_table_lookup (entries, name);

  if (entry == NULL)
    {
      entry = g_new0 (Entry, 1);
      g_hash_table_insert (entries, g_strdup (name), entry);
    }
  return entry;
}

/* Cuts the name of a tensor off at a marker such as ".lora_A", which leaves that of its module.
 * Returns FALSE if the marker is missing, or followed by anything but “.default”, an adapter's
 * usual name, and “.weight”. */
static gboolean
cut_marker (char       *name,
            const char *marker)
{
  char *at = g_strrstr (name, marker);
  const char *rest = at != NULL ? at + strlen (marker) : NULL;

  if (at == NULL || !(*rest == '\0' || strcmp (rest, ".weight") == 0 ||
                      strcmp (rest, ".default") == 0 || strcmp (rest, ".default.weight") == 0))
    return FALSE;
  *at = '\0';
  return TRUE;
}

static void
add_tensor (AttnAdapter     *adapter,
            const AttnArray *array)
{
  static const char * const markers[][5] = {
    { ".lora_A", ".lora_B", ".lora_magnitude_vector", ".lora_embedding_A", ".lora_embedding_B" },
    { ".lora_a", ".lora_b", ".m" },
  };
  static const char * const front = "base_model.model.";
  g_autofree char *name = g_strdup (
      g_str_has_prefix (array->name, front) ? array->name + strlen (front) : array->name);
  g_autoptr (GString) own = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (markers[0]); i++)
    if (markers[adapter->is_mlx][i] != NULL && cut_marker (name, markers[adapter->is_mlx][i]))
      {
        AttnAdapterModule *is = &need_entry (adapter->modules, name)->is;
        const AttnArray **places[] = { &is->a, &is->b, &is->magnitude, &is->a, &is->b };

        *places[i] = array;
        is->is_embedding |= i > 2;
        return;
      }
  own = g_string_new (name);
  g_string_replace (own, ".modules_to_save.default.", ".", 0);
  g_string_replace (own, ".modules_to_save.", ".", 0);
  g_string_replace (own, ".base_layer.", ".", 0);
  need_entry (adapter->tensors, own->str)->whole = array;
}

/* Transposes a matrix of MLX to PEFT's order. Fails if its dimension @rank_side is not the rank.
 * @shape: the expected shape for the message, as a format for the rank */
static gboolean
turn (AttnAdapter      *adapter,
      guint             rank_side,
      const char       *shape,
      const AttnArray **matrix,
      GError          **error)
{
  const AttnArray *array = *matrix;
  AttnArray *turned;

  if (array->n_dims != 2 || array->shape[rank_side] != adapter->rank)
    {
      g_autofree char *found = attn_shape_to_string (array->n_dims, array->shape);
      g_autofree char *expected = g_strdup_printf (shape, adapter->rank);

      return attn_fail (error, ATTN_ERROR_SHAPE, _("%s: shape %s found, expected %s"), array->name,
                        found, expected);
    }
  const gsize sizes[] = { array->shape[1], array->shape[0] };
  const gsize strides[] = { array->is_strided ? array->strides[1] : 1,
                            array->is_strided ? array->strides[0] : array->shape[1] };
  turned = attn_array_new_strided (array->name, array->dtype, 2, sizes, strides, array->bytes,
                                   error);
  if (turned == NULL)
    return FALSE;
  turned->is_swapped = array->is_swapped;
  g_ptr_array_add (adapter->turned, turned);
  *matrix = turned;
  return TRUE;
}

static gboolean
check_module (AttnAdapter  *adapter,
              const char   *name,
              Entry        *entry,
              GError      **error)
{
  AttnAdapterModule *is = &entry->is;
  const char *where = attn_array_file_get_path (adapter->file);
  double rank = (double) adapter->rank;
  double alpha = adapter->alpha;

  if (is->a == NULL || is->b == NULL)
    return attn_fail (error, ATTN_ERROR_FORMAT,
                      _("%s: one of two tensors of “%s” found, expected lora_A and lora_B"), where,
                      name);
  if (adapter->is_mlx && (!turn (adapter, 1, "[in, %zu]", &is->a, error) ||
                          !turn (adapter, 0, "[%zu, out]", &is->b, error)))
    return FALSE;
  if (!find_pattern (adapter, adapter->ranks, "rank_pattern", name, &rank, error) ||
      !find_pattern (adapter, adapter->alphas, "alpha_pattern", name, &alpha, error))
    return FALSE;
  if (!(rank >= 1 && rank <= MAX_RANK) || !isfinite (alpha))
    return attn_fail (error, ATTN_ERROR_LIMIT,
                      _("%s: rank %g and alpha %g found for “%s”, expected a rank from 1 to %d"),
                      adapter->where, rank, alpha, name, MAX_RANK);
  if (is->a->n_dims != 2 || is->b->n_dims != 2 || (double) is->a->shape[0] != rank ||
      is->a->shape[0] != is->b->shape[1])
    {
      g_autofree char *a_shape = attn_shape_to_string (is->a->n_dims, is->a->shape);
      g_autofree char *b_shape = attn_shape_to_string (is->b->n_dims, is->b->shape);

      return attn_fail (error, ATTN_ERROR_SHAPE,
                        _("%s: “%s”: lora_A of shape %s and lora_B of shape %s found, expected "
                          "[rank, inputs] and [outputs, rank] with the rank %g"),
                        where, name, a_shape, b_shape, rank);
    }
  if ((is->magnitude != NULL) != adapter->has_magnitudes)
    return attn_fail (error, ATTN_ERROR_FORMAT,
                      adapter->has_magnitudes
                          ? _("%s: no magnitudes of “%s” found, expected them with “%s”")
                          : _("%s: magnitudes of “%s” found, expected none without “%s”"),
                      where, name, adapter->is_mlx ? "dora" : "use_dora");
  if (is->magnitude != NULL && attn_array_get_n_elements (is->magnitude) != is->b->shape[0])
    return attn_fail (error, ATTN_ERROR_SHAPE,
                      _("%s: “%s”: %zu magnitudes found, expected one for each of %zu outputs"),
                      where, name, attn_array_get_n_elements (is->magnitude), is->b->shape[0]);
  is->scale = (float) (adapter->is_mlx          ? adapter->scale
                       : adapter->is_stabilised ? alpha / sqrt (rank)
                                                : alpha / rank);
  return TRUE;
}

static gboolean
load_tensors (AttnAdapter  *adapter,
              GError      **error)
{
  g_autofree char *path = attn_adapter_dup_weights_path (adapter->folder);
  GHashTableIter iter;
  gpointer name, entry;

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    {
      g_autofree char *where = g_filename_display_name (path);
      g_autofree char *others = g_strjoinv (", ", (char **) weights_names + 1);

      return attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                        _("%s: no such file found, expected the tensors of the adapter, or %s"),
                        where, others);
    }
  adapter->file = attn_array_file_load (path, error);
  if (adapter->file == NULL)
    return FALSE;
  for (gsize i = 0; i < attn_array_file_get_n_arrays (adapter->file); i++)
    {
      const AttnArray *array = attn_array_file_get_nth (adapter->file, i);

      if (array->dtype > ATTN_DTYPE_F64)
        return attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                          _("%s: tensor “%s”: dtype %s found, expected F32, F16, BF16 or F64"),
                          attn_array_file_get_path (adapter->file), array->name,
                          attn_dtype_get_name (array->dtype));
      add_tensor (adapter, array);
    }
  g_hash_table_iter_init (&iter, adapter->modules);
  while (g_hash_table_iter_next (&iter, &name, &entry))
    if (!check_module (adapter, name, entry, error))
      return FALSE;
  return TRUE;
}

/**
 * attn_adapter_load:
 * @path: path of an adapter's folder, or of a file in it
 * @error: return location: #GFileError, %ATTN_ERROR_UNSUPPORTED for an adapter other than LoRA,
 *   %ATTN_ERROR_FORMAT, %ATTN_ERROR_SHAPE and %ATTN_ERROR_LIMIT for tensors that do not fit each
 *   other or the configuration
 *
 * Reads the configuration and maps the tensors, whose numbers are not read.
 *
 * Returns: (transfer full) (nullable): the adapter
 */
AttnAdapter *
attn_adapter_load (const char  *path,
                   GError     **error)
{
  g_autoptr (AttnAdapter) adapter = g_new0 (AttnAdapter, 1);

  adapter->path = g_strdup (path);
  adapter->folder = attn_adapter_dup_folder (path);
  adapter->modules = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_entry);
  adapter->tensors = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_entry);
  adapter->turned = g_ptr_array_new_with_free_func ((GDestroyNotify) attn_array_free);
  if (adapter->folder == NULL)
    {
      g_autofree char *where = g_filename_display_name (path);

      g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT,
                   _("%s: no %s found, expected the folder of an adapter"), where,
                   ATTN_ADAPTER_CONFIG);
      return NULL;
    }
  if (!load_config (adapter, error) || !load_tensors (adapter, error))
    return NULL;
  return g_steal_pointer (&adapter);
}

void
attn_adapter_free (AttnAdapter *adapter)
{
  if (adapter == NULL)
    return;
  g_free (adapter->path);
  g_free (adapter->folder);
  g_free (adapter->where);
  g_clear_pointer (&adapter->root, json_node_unref);
  g_hash_table_unref (adapter->modules);
  g_hash_table_unref (adapter->tensors);
  g_ptr_array_unref (adapter->turned);
  g_clear_pointer (&adapter->file, attn_array_file_unref);
  g_free (adapter);
}

/**
 * attn_adapter_get_path:
 *
 * Returns: (transfer none): the path of the file with the tensors, for messages
 */
const char *
attn_adapter_get_path (const AttnAdapter *adapter)
{
  return attn_array_file_get_path (adapter->file);
}

const char *
attn_adapter_get_folder (const AttnAdapter *adapter)
{
  return adapter->folder;
}

/**
 * attn_adapter_get_base:
 * @revision: (out) (nullable) (optional): branch, tag or commit of that model
 *
 * Returns: (transfer none): the model that the adapter was trained on, by its path or its name at
 *   the Hugging Face hub, "" if the configuration does not say
 */
const char *
attn_adapter_get_base (const AttnAdapter  *adapter,
                       const char        **revision)
{
  if (revision != NULL)
    *revision = adapter->revision;
  return adapter->base;
}

/* -- Names -- */

/* Returns the name without its prefix: the longest of @prefixes with which it begins. */
static const char *
strip_prefix (char       **prefixes,
              const char  *name)
{
  gsize longest = 0;

  for (char **prefix = prefixes; *prefix != NULL; prefix++)
    if (strlen (*prefix) > longest && g_str_has_prefix (name, *prefix))
      longest = strlen (*prefix);
  return name + longest;
}

static Entry *
find_entry (GHashTable *entries,
            const char *prefixes,
            const char *name)
{
  g_auto (GStrv) all = g_strsplit (prefixes, " ", -1);
  const char *bare = strip_prefix (all, name);
  Entry *entry = g_hash_table_lookup (entries, bare);

  for (char **prefix = all; entry == NULL && *prefix != NULL; prefix++)
    {
      g_autofree char *long_name = g_strconcat (*prefix, bare, NULL);

      entry = g_hash_table_lookup (entries, long_name);
    }
  if (entry != NULL)
    entry->is_used = TRUE;
  return entry;
}

/**
 * attn_adapter_find_module:
 * @prefixes: prefixes that names may have, separated by spaces
 * @name: name of a matrix of the model, or of its module, without “.weight”
 *
 * Finds the change of a matrix, and notes that it is used.
 *
 * Returns: (transfer none) (nullable): the change, %NULL if the adapter does not change the matrix
 */
const AttnAdapterModule *
attn_adapter_find_module (const AttnAdapter *adapter,
                          const char        *prefixes,
                          const char        *name)
{
  gsize n = strlen (name) - (g_str_has_suffix (name, ".weight") ? strlen (".weight") : 0);
  g_autofree char *module = g_strndup (name, n);
  const Entry *entry = find_entry (adapter->modules, prefixes, module);

  return entry != NULL ? &entry->is : NULL;
}

/**
 * attn_adapter_find_tensor:
 * @prefixes: as for [func@attn_adapter_find_module]
 * @name: name of a tensor of the model
 *
 * Returns: (transfer none) (nullable): the adapter's tensor that replaces it, which is noted as
 *   used; %NULL if there is none
 */
const AttnArray *
attn_adapter_find_tensor (const AttnAdapter *adapter,
                          const char        *prefixes,
                          const char        *name)
{
  const Entry *entry = find_entry (adapter->tensors, prefixes, name);

  return entry != NULL ? entry->whole : NULL;
}

/**
 * attn_adapter_list_unused:
 * @names: (element-type utf8): list to which the names of tensors of the adapter are added that no
 *   caller has asked for, one for each module
 * @replaced: (element-type utf8): list to which, for each of these, the name of the model's tensor
 *   is added that it would change or replace
 */
void
attn_adapter_list_unused (const AttnAdapter *adapter,
                          GPtrArray         *names,
                          GPtrArray         *replaced)
{
  GHashTable *both[] = { adapter->modules, adapter->tensors };
  GHashTableIter iter;
  gpointer name, data;

  for (gsize i = 0; i < G_N_ELEMENTS (both); i++)
    {
      g_hash_table_iter_init (&iter, both[i]);
      while (g_hash_table_iter_next (&iter, &name, &data))
        {
          const Entry *entry = data;

          if (entry->is_used)
            continue;
          g_ptr_array_add (names, g_strdup (i == 0 ? entry->is.a->name : entry->whole->name));
          g_ptr_array_add (replaced, i == 0 ? g_strconcat (name, ".weight", NULL)
                                            : g_strdup (name));
        }
    }
}
