/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-probe-file.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-array-format.h"
#include "attn-error.h"
#include "attn-json.h"

/* Name of the array with the number of test rows for each role. */
#define ROWS "rows"

/* Metadata names for the paths of model and adapter. */
#define MODEL_PATH   "model_path"
#define ADAPTER_PATH "adapter_path"

/* Measures of a probe, each stored in three arrays: NAME, NAME_low and NAME_high. */
static const struct
{
  const char *name;
  const char *label;
  gsize value; /* offsets in #AttnProbeScore */
  gsize low;
  gsize high;
} measures[] = {
  { "auc", "AUC", G_STRUCT_OFFSET (AttnProbeScore, auc), G_STRUCT_OFFSET (AttnProbeScore, auc_low),
    G_STRUCT_OFFSET (AttnProbeScore, auc_high) },
  { "accuracy", "Accuracy", G_STRUCT_OFFSET (AttnProbeScore, accuracy),
    G_STRUCT_OFFSET (AttnProbeScore, accuracy_low),
    G_STRUCT_OFFSET (AttnProbeScore, accuracy_high) },
};

/* Texts of the figure's caption, indexed by the quantity that is probed; not translated. */
static const char * const captions[] = {
  [ATTN_PROBE_MLP] = "What the MLP Adds",
  [ATTN_PROBE_ATTENTION] = "What the Attention Adds",
  [ATTN_PROBE_RESIDUAL] = "the Residual Stream",
};

/* --- Writing --- */

/* Adds an array [layers, roles] of one number of each score. @place: offset of the number in
 * #AttnProbeScore */
static gboolean
add_map (AttnArrayFile    *file,
         const char       *name,
         const char       *suffix,
         const AttnProbe  *probe,
         gsize             place,
         GError          **error)
{
  const gsize shape[] = { probe->n_layers, probe->n_roles };
  g_autofree char *full_name = g_strconcat (name, suffix, NULL);
  g_autofree double *values = g_new (double, shape[0] * shape[1]);

  for (gsize i = 0; i < shape[0] * shape[1]; i++)
    values[i] = G_STRUCT_MEMBER (double, &probe->scores[i], place);
  return attn_array_file_add_numbers (file, full_name, ATTN_DTYPE_F64, 2, shape, values, error);
}

static gboolean
add_labels (AttnArrayFile    *file,
            const AttnProbe  *probe,
            GError          **error)
{
  g_auto (GStrv) layers = g_new0 (char *, probe->n_layers + 1);
  g_autofree const char **roles = g_new0 (const char *, probe->n_roles + 1);

  for (gsize i = 0; i < probe->n_layers; i++)
    layers[i] = g_strdup_printf ("%zu", i);
  for (gsize i = 0; i < probe->n_roles; i++)
    roles[i] = attn_probe_get_role (i);
  return attn_array_file_add (
             file, attn_array_new_strings ("row_labels", (const char * const *) layers), error) &&
         attn_array_file_add (file, attn_array_new_strings ("column_labels", roles), error);
}

/**
 * attn_probe_serialize:
 * @path: (type filename): path whose ending tells the format, such as .npz
 * @error: return location for errors of [func@attn_array_file_serialize]
 *
 * Writes the arrays "auc", "auc_low", "auc_high", "accuracy", "accuracy_low" and "accuracy_high"
 * [layers, roles], float64; "row_labels", the layers, and "column_labels", the roles; "rows"
 * [roles], how many rows are tested at each role; "fold" and "label" of each row of the table,
 * followed by those of the validation table; and the settings as metadata.
 *
 * Returns: (transfer full) (nullable): the contents of the file
 */
GBytes *
attn_probe_serialize (const AttnProbe  *probe,
                      const char       *path,
                      GError          **error)
{
  g_autoptr (AttnArrayFile) file = attn_array_file_new (path);

  attn_array_file_set_metadata (file, ATTN_MODEL_REFERENCE_PROBE, probe->settings);
  attn_array_file_set_metadata (file, MODEL_PATH, probe->model_path);
  if (probe->adapter_path != NULL)
    attn_array_file_set_metadata (file, ADAPTER_PATH, probe->adapter_path);
  for (gsize i = 0; i < G_N_ELEMENTS (measures); i++)
    if (!add_map (file, measures[i].name, "", probe, measures[i].value, error) ||
        !add_map (file, measures[i].name, "_low", probe, measures[i].low, error) ||
        !add_map (file, measures[i].name, "_high", probe, measures[i].high, error))
      return NULL;
  if (!add_labels (file, probe, error) ||
      !attn_array_file_add_numbers (file, ROWS, ATTN_DTYPE_I64, 1, &probe->n_roles,
                                    probe->role_rows, error) ||
      !attn_array_file_add_numbers (file, "fold", ATTN_DTYPE_I64, 1, &probe->n_rows, probe->folds,
                                    error) ||
      !attn_array_file_add_numbers (file, "label", ATTN_DTYPE_U8, 1, &probe->n_rows,
                                    probe->labels, error))
    return NULL;
  return attn_array_file_serialize (file, path, error);
}

/* --- Reading --- */

/**
 * attn_probe_map_is_one:
 *
 * Returns: whether @reference names a file that [func@attn_probe_serialize] made, or an array in
 *   one
 */
gboolean
attn_probe_map_is_one (const AttnModelReference *reference)
{
  const char *path = reference->path;

  if (path == NULL || g_file_test (path, G_FILE_TEST_IS_DIR) ||
      !attn_array_format_has (path, ATTN_ARRAY_FORMAT_RECORDING) ||
      attn_array_format_has (path, ATTN_ARRAY_FORMAT_TEXT))
    return FALSE;

  g_autoptr (AttnArrayFile) file = attn_array_file_load (path, NULL);
  return file != NULL && attn_array_file_get_metadata (file, ATTN_MODEL_REFERENCE_PROBE) != NULL;
}

/**
 * attn_probe_map_dup_model:
 * @reference: a reference to the file of a probe
 *
 * Returns: (transfer full) (nullable): the model that was probed; %NULL if the file does not name
 *   it
 */
AttnModelReference *
attn_probe_map_dup_model (const AttnModelReference *reference)
{
  g_autoptr (AttnArrayFile) file = attn_array_file_load (reference->path, NULL);
  const char *path = file != NULL ? attn_array_file_get_metadata (file, MODEL_PATH) : NULL;

  if (path == NULL)
    return NULL;
  AttnModelReference *model = attn_model_reference_new (path, NULL);
  model->adapter = g_strdup (attn_array_file_get_metadata (file, ADAPTER_PATH));
  return model;
}

/* Reads the array [n] of a probe's file that is named @name with @suffix. (transfer full) */
static AttnTensor *
read_array (const AttnArrayFile  *file,
            const char           *name,
            const char           *suffix,
            gsize                 n,
            GError              **error)
{
  g_autofree char *full_name = g_strconcat (name, suffix, NULL);
  const AttnArray *array = attn_array_file_lookup (file, full_name);

  if (array == NULL || array->dtype == ATTN_DTYPE_UNICODE || array->n_dims == 0 ||
      attn_array_get_n_elements (array) != n)
    return attn_fail_null (error, ATTN_ERROR_FORMAT,
                           _("%s: no “%s” of %zu numbers found, expected what a probe writes"),
                           attn_array_file_get_path (file), full_name, n);
  return attn_array_to_tensor (array, error);
}

/* Builds the caption of a probe's map: the quantity that was probed, and the number of rows. */
static char *
build_caption (const AttnArrayFile  *file,
               GError              **error)
{
  const char *where = attn_array_file_get_path (file);
  const char *text = attn_array_file_get_metadata (file, ATTN_MODEL_REFERENCE_PROBE);
  g_autoptr (JsonNode) node = attn_json_parse (where, text, -1, error);
  AttnProbeQuantity quantity = 0;

  if (node == NULL)
    return NULL;
  AttnJsonReader json = attn_json_begin (node, where);
  const char *name = attn_json_read_string (&json, "quantity", "");
  gsize n_folds = attn_json_read_size (&json, "folds", 2, ATTN_PROBE_MAX_FOLDS, 0);
  gsize n_rows = attn_json_read_size (&json, "rows", 1, G_MAXINT64, 1);
  gsize n_tested = attn_json_read_size (&json, "validation-rows", 1, G_MAXINT64, 0);

  while (quantity < ATTN_N_PROBE_QUANTITIES &&
         !g_str_equal (name, attn_probe_quantity_names[quantity]))
    quantity++;
  if (quantity == ATTN_N_PROBE_QUANTITIES)
    attn_json_fail (&json, ATTN_ERROR_FORMAT,
                    _("%s: quantity “%s” found, expected what a probe writes"), where, name);
  if (!attn_json_finish (&json, error))
    return NULL;
  return n_tested > 0
             ? g_strdup_printf ("Linear Probes of %s, Trained on %zu Rows, Tested on %zu",
                                captions[quantity], n_rows, n_tested)
             : g_strdup_printf ("Linear Probes of %s, %zu Rows in %zu Folds", captions[quantity],
                                n_rows, n_folds);
}

static gboolean
read_intervals (const AttnArrayFile   *file,
                const AttnMatrixFile  *matrix,
                AttnProbeMap          *map,
                GError               **error)
{
  gsize n = attn_tensor_get_n_elements (matrix->values);
  g_autoptr (AttnTensor) low = read_array (file, matrix->name, "_low", n, error);
  g_autoptr (AttnTensor) high =
      low != NULL ? read_array (file, matrix->name, "_high", n, error) : NULL;

  if (high == NULL)
    return FALSE;
  map->intervals = g_new (float, 2 * n);
  for (gsize i = 0; i < n; i++)
    {
      map->intervals[2 * i] = low->data[i];
      map->intervals[2 * i + 1] = high->data[i];
    }
  return TRUE;
}

static gboolean
read_rows (const AttnArrayFile   *file,
           const AttnMatrixFile  *matrix,
           AttnProbeMap          *map,
           GError               **error)
{
  gsize n = matrix->values->shape[1];
  g_autoptr (AttnTensor) rows = read_array (file, ROWS, "", n, error);

  if (rows == NULL)
    return FALSE;
  map->role_rows = g_new (guint32, n);
  for (gsize i = 0; i < n; i++)
    map->role_rows[i] =
        rows->data[i] >= 0 && rows->data[i] < (float) G_MAXINT32 ? (guint32) rows->data[i] : 0;
  return TRUE;
}

/**
 * attn_probe_map_load:
 * @reference: a reference to the file of a probe
 * @matrix: the array of the file that is shown
 * @error: return location for %ATTN_ERROR_FORMAT and errors of reading a file
 *
 * Returns: (transfer full) (nullable): what the file says about @matrix; without label and
 *   intervals, if this is neither "auc" nor "accuracy"
 */
AttnProbeMap *
attn_probe_map_load (const AttnModelReference  *reference,
                     const AttnMatrixFile      *matrix,
                     GError                   **error)
{
  g_autoptr (AttnArrayFile) file = attn_array_file_load (reference->path, error);
  g_autoptr (AttnProbeMap) map = g_new0 (AttnProbeMap, 1);

  if (file == NULL)
    return NULL;
  map->caption = build_caption (file, error);
  if (map->caption == NULL || !read_rows (file, matrix, map, error))
    return NULL;
  for (gsize i = 0; i < G_N_ELEMENTS (measures); i++)
    if (g_str_equal (matrix->name, measures[i].name))
      {
        map->label = measures[i].label;
        if (!read_intervals (file, matrix, map, error))
          return NULL;
      }
  return g_steal_pointer (&map);
}

void
attn_probe_map_free (AttnProbeMap *map)
{
  if (map == NULL)
    return;
  g_free (map->caption);
  g_free (map->intervals);
  g_free (map->role_rows);
  g_free (map);
}

/**
 * attn_probe_load_study:
 * @reference: a reference to the file of a probe, or to an array in it
 * @error: return location for errors of [func@attn_presets_load]
 *
 * Returns: (transfer full) (nullable): a study that draws the map of the probe
 */
AttnStudy *
attn_probe_load_study (const AttnModelReference  *reference,
                       GError                   **error)
{
  g_autoptr (AttnStudy) study = attn_presets_load ("layer-token", error);

  if (study == NULL)
    return NULL;
  attn_model_reference_take (&study->model, reference);
  /* The preset's regions are removed, as they mark tokens of its own text. */
  g_ptr_array_set_size (study->regions, 0);
  return g_steal_pointer (&study);
}
