/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the window writes of a result, and what the user's preferences make of a new study. */

#include "config.h"

#include <glib/gstdio.h>
#include <string.h>

#include "attn-error.h"
#include "attn-export-job.h"
#include "attn-json.h"
#include "attn-memory.h"
#include "attn-settings.h"
#include "attn-threads.h"

static AttnResult *
run_preset (const char *name)
{
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (AttnStudy) study = attn_presets_load (name, NULL);
  g_autoptr (GError) error = NULL;
  AttnResult *result = attn_job_run (study, workspace, NULL, NULL, &error);

  g_assert_no_error (error);
  return result;
}

static AttnExportKind
get_kind (const char *path)
{
  AttnExportKind kind;

  g_assert_true (attn_export_kind_parse (path, &kind, NULL));
  return kind;
}

static void
test_kinds (void)
{
  AttnExportKind kind;
  g_autoptr (GError) error = NULL;

  for (AttnExportKind i = 0; i < attn_export_kind_get_n (); i++)
    {
      g_autofree char *path = g_strconcat ("a.b.", attn_export_kind_get_suffix (i), NULL);
      g_autofree char *loud = g_ascii_strup (path, -1);

      g_assert_true (attn_export_kind_parse (path, &kind, NULL));
      g_assert_cmpint (kind, ==, i);
      g_assert_true (attn_export_kind_parse (loud, &kind, NULL));
      g_assert_cmpint (kind, ==, i);
    }
  g_assert_false (attn_export_kind_parse ("svg", &kind, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
}

/* The window and `render` write the same figure. */
static void
test_figures_are_those_of_render (void)
{
  g_autoptr (AttnResult) result = run_preset ("epsilon");
  const AttnExportFormat formats[] = { ATTN_EXPORT_SVG, ATTN_EXPORT_PDF, ATTN_EXPORT_PNG,
                                       ATTN_EXPORT_HTML };

  for (AttnExportKind kind = 0; attn_export_kind_is_figure (kind); kind++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GBytes) made =
          attn_export_kind_make (kind, result, result->study, ATTN_ALL_PANELS, &error);
      g_autoptr (GBytes) rendered =
          attn_result_export (result, result->study, formats[kind], NULL, &error);

      g_assert_no_error (error);
      g_assert_true (g_bytes_equal (made, rendered));
    }
}

static AttnArrayFile *
load_arrays (GBytes     *bytes,
             const char *suffix)
{
  g_autofree char *directory = g_dir_make_tmp ("attention-grid-export-XXXXXX", NULL);
  g_autofree char *name = g_strconcat ("a.", suffix, NULL);
  g_autofree char *path = g_build_filename (directory, name, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_true (g_file_set_contents (path, g_bytes_get_data (bytes, NULL),
                                      g_bytes_get_size (bytes), NULL));
  AttnArrayFile *file = attn_array_file_load (path, &error);
  g_assert_no_error (error);
  g_unlink (path);
  g_rmdir (directory);
  return file;
}

static void
assert_is_panel (const AttnArray *array,
                 AttnPanel       *panel)
{
  g_autoptr (AttnTensor) tensor = attn_array_to_tensor (array, NULL);
  AttnTensor *values = attn_panel_get_values (panel);

  g_assert_cmpuint (tensor->n_dims, ==, 2);
  g_assert_cmpmem (tensor->data, attn_tensor_get_n_elements (tensor) * sizeof (float),
                   values->data, attn_tensor_get_n_elements (values) * sizeof (float));
}

static void
test_arrays (void)
{
  g_autoptr (AttnResult) result = run_preset ("epsilon");
  gsize n_columns = result->grid->n_columns;
  g_autoptr (GBytes) all =
      attn_export_kind_make (get_kind ("a.npz"), result, result->study, 0, NULL);
  g_autoptr (GBytes) one =
      attn_export_kind_make (get_kind ("a.npy"), result, result->study, 4, NULL);
  g_autoptr (GBytes) table =
      attn_export_kind_make (get_kind ("a.csv"), result, result->study, 4, NULL);
  g_autoptr (AttnArrayFile) npz = load_arrays (all, "npz");
  g_autoptr (AttnArrayFile) npy = load_arrays (one, "npy");
  g_autoptr (AttnArrayFile) csv = load_arrays (table, "csv");

  for (gsize i = 0; i < result->grid->n_rows * n_columns; i++)
    {
      g_autofree char *name = g_strdup_printf ("panel_%zu_%zu", i / n_columns, i % n_columns);

      assert_is_panel (attn_array_file_lookup (npz, name), result->grid->cells[i].panel);
    }
  assert_is_panel (attn_array_file_get_nth (npy, 0), result->grid->cells[4].panel);
  /* Nine digits are enough for a float to come back as it was. */
  assert_is_panel (attn_array_file_get_nth (csv, 0), result->grid->cells[4].panel);
}

static void
test_json (void)
{
  g_autoptr (AttnResult) result = run_preset ("epsilon");
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes =
      attn_export_kind_make (get_kind ("a.json"), result, result->study, 0, &error);
  g_autoptr (JsonNode) root = attn_json_parse ("json", g_bytes_get_data (bytes, NULL),
                                               g_bytes_get_size (bytes), &error);
  g_assert_no_error (error);
  JsonArray *panels = json_object_get_array_member (json_node_get_object (root), "panels");

  g_assert_cmpuint (json_array_get_length (panels), ==, 9);
  for (guint i = 0; i < 9; i++)
    {
      JsonObject *object = json_array_get_object_element (panels, i);
      AttnPanel *panel = result->grid->cells[i].panel;
      JsonArray *rows = json_object_get_array_member (object, "values");

      g_assert_cmpstr (json_object_get_string_member (object, "name"), ==,
                       result->grid->cells[i].name);
      g_assert_cmpuint (json_array_get_length (rows), ==, attn_panel_get_n_rows (panel));
      for (guint row = 0; row < json_array_get_length (rows); row++)
        {
          JsonArray *values = json_array_get_array_element (rows, row);

          g_assert_cmpuint (json_array_get_length (values), ==, attn_panel_get_n_columns (panel));
          for (guint k = 0; k < json_array_get_length (values); k++)
            g_assert_true ((float) json_array_get_double_element (values, k) ==
                           attn_panel_get_value (panel, row, k));
        }
    }
}

/* A spreadsheet takes it as a table: every line has as many tabs. */
static void
test_table_for_the_clipboard (void)
{
  g_autoptr (AttnResult) result = run_preset ("epsilon");
  AttnPanel *panel = result->grid->cells[0].panel;
  g_autofree char *text = attn_panel_to_text (panel);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

  g_assert_cmpuint (g_strv_length (lines), ==, attn_panel_get_n_rows (panel) + 2);
  for (gsize i = 0; i <= attn_panel_get_n_rows (panel); i++)
    {
      g_auto (GStrv) cells = g_strsplit (lines[i], "\t", -1);

      g_assert_cmpuint (g_strv_length (cells), ==, attn_panel_get_n_columns (panel) + 1);
      if (i == 0)
        continue;
      g_assert_cmpstr (cells[0], ==, attn_panel_get_row_labels (panel)[i - 1]);
      g_assert_true ((float) g_ascii_strtod (cells[1], NULL) ==
                     attn_panel_get_value (panel, i - 1, 0));
    }
  g_assert_cmpstr (lines[attn_panel_get_n_rows (panel) + 1], ==, "");
}

/* Rows and columns without labels have their numbers. */
static void
test_table_without_labels (void)
{
  const gsize shape[] = { 2, 3 };
  g_autoptr (AttnTensor) values = attn_tensor_new (2, shape, NULL);
  g_autoptr (AttnPanel) panel = attn_panel_new (values, ATTN_MASK_NONE, NULL, NULL);
  g_autofree char *text = attn_panel_to_text (panel);

  g_assert_cmpstr (text, ==, "\t0\t1\t2\n0\t0\t0\t0\n1\t0\t0\t0\n");
}

static void
test_one_panel_as_a_picture (void)
{
  g_autoptr (AttnResult) result = run_preset ("epsilon");
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) first = attn_export_panel (result, 0, ATTN_EXPORT_SVG, &error);
  g_autoptr (GBytes) last = attn_export_panel (result, 8, ATTN_EXPORT_SVG, &error);

  g_assert_no_error (error);
  g_assert_nonnull (g_strstr_len (g_bytes_get_data (first, NULL), g_bytes_get_size (first),
                                  result->grid->cells[0].name));
  g_assert_null (g_strstr_len (g_bytes_get_data (first, NULL), g_bytes_get_size (first),
                               result->grid->cells[8].name));
  g_assert_false (g_bytes_equal (first, last));
}

static gboolean
has_color (GBytes  *svg,
           AttnRgb  color)
{
  g_autofree char *text = g_strdup_printf ("#%02x%02x%02x", color.red, color.green, color.blue);

  return g_strstr_len (g_bytes_get_data (svg, NULL), g_bytes_get_size (svg), text) != NULL;
}

/* No difference is the middle of its own map, not the lower end of the weights'. */
static void
test_difference_as_a_picture (void)
{
  g_autoptr (AttnResult) result = run_preset ("compare");
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) svg = attn_export_panel (result, 2, ATTN_EXPORT_SVG, &error);
  AttnStyle difference = attn_style_get_difference (&result->study->style);
  AttnRgb none = attn_style_get_table (&difference)[ATTN_COLORMAP_SIZE / 2];
  AttnRgb low = attn_style_get_table (&result->study->style)[0];

  g_assert_no_error (error);
  g_assert_true (result->grid->cells[2].is_difference);
  g_assert_false (attn_rgb_equal (none, low));
  g_assert_true (has_color (svg, none));
  g_assert_false (has_color (svg, low));
}

/* Of panels that do not show the same part, each keeps its own. */
static void
test_panel_with_a_view_of_its_own (void)
{
  g_autoptr (AttnResult) result = run_preset ("epsilon");
  g_autoptr (AttnStudy) study = attn_study_copy (result->study);
  g_autoptr (GError) error = NULL;
  const AttnViewport fit = ATTN_VIEWPORT_FIT;
  const AttnViewport close = { 0, 0, 0.5, 0.5 };

  study->views = g_array_new (FALSE, FALSE, sizeof (AttnViewport));
  for (gsize i = 0; i < 9; i++)
    g_array_append_val (study->views, *(i == 1 ? &close : &fit));
  g_autoptr (AttnResult) near = attn_result_restyle (result, study);
  g_autoptr (AttnStudy) far_study = attn_study_copy (study);
  g_array_index (far_study->views, AttnViewport, 1) = fit;
  g_autoptr (AttnResult) far = attn_result_restyle (result, far_study);
  g_autoptr (GBytes) whole = attn_export_panel (result, 1, ATTN_EXPORT_SVG, &error);
  g_autoptr (GBytes) part = attn_export_panel (near, 1, ATTN_EXPORT_SVG, &error);
  g_autoptr (GBytes) again = attn_export_panel (far, 1, ATTN_EXPORT_SVG, &error);

  g_assert_no_error (error);
  g_assert_false (g_bytes_equal (whole, part));
  g_assert_true (g_bytes_equal (whole, again));
}

static void
test_preferences_change_a_new_study (void)
{
  g_autoptr (GSettings) settings = attn_settings_new ();
  g_autoptr (AttnStudy) study = attn_presets_load ("epsilon", NULL);
  g_autoptr (AttnStudy) preset = attn_presets_load ("epsilon", NULL);

  g_assert_nonnull (settings);
  /* Without a preference the preset is what it is. */
  attn_settings_apply_to_study (settings, study);
  g_assert_true (attn_study_equal (study, preset));

  g_settings_set_string (settings, "new-study-colormap", "blues");
  g_settings_set_string (settings, "new-study-range", "fixed");
  g_settings_set_double (settings, "new-study-high", 0.5);
  g_settings_set_int (settings, "new-study-digits", 4);
  g_settings_set_string (settings, "new-study-font", "Serif Bold 11");
  g_settings_set_boolean (settings, "new-study-special-tokens", FALSE);
  attn_settings_apply_to_study (settings, study);
  g_assert_cmpint (study->style.colormap, ==, ATTN_COLORMAP_BLUES);
  g_assert_cmpfloat (study->style.high, ==, 0.5);
  g_assert_cmpfloat_with_epsilon (study->style.tick, 0.1, 1e-12);
  g_assert_cmpuint (study->style.n_digits, ==, 4);
  g_assert_cmpstr (study->style.font_family, ==, "Serif");
  g_assert_cmpfloat (study->style.font_size, ==, 11);
  g_assert_false (study->adds_special_tokens);

  /* What makes no sense is left alone. */
  g_settings_set_string (settings, "new-study-colormap", "no such map");
  g_settings_set_double (settings, "new-study-low", 2);
  attn_settings_apply_to_study (settings, preset);
  g_assert_cmpint (preset->style.colormap, ==, ATTN_COLORMAP_COOLWARM);
  g_assert_cmpfloat (preset->style.low, ==, 0);
}

/* What a hand or another program has written there is a number between bounds when it is read. */
static void
test_numbers_of_settings_have_bounds (void)
{
  g_autoptr (GSettings) settings = attn_settings_new ();
  g_autoptr (GSettingsSchema) schema = NULL;

  g_object_get (settings, "settings-schema", &schema, NULL);
  g_auto (GStrv) keys = g_settings_schema_list_keys (schema);
  for (char **name = keys; *name != NULL; name++)
    {
      g_autoptr (GSettingsSchemaKey) key = g_settings_schema_get_key (schema, *name);
      g_autoptr (GVariant) range = g_settings_schema_key_get_range (key);
      const GVariantType *type = g_settings_schema_key_get_value_type (key);
      const char *kind;

      g_variant_get (range, "(&sv)", &kind, NULL);
      g_test_message ("%s: %s", *name, kind);
      if (g_variant_type_equal (type, G_VARIANT_TYPE_INT32) ||
          g_variant_type_equal (type, G_VARIANT_TYPE_DOUBLE))
        g_assert_cmpstr (kind, ==, "range");
    }
}

static void
assert_name (const AttnStudy *study,
             const AttnStudy *preset,
             const char      *path,
             const char      *expected)
{
  g_autofree char *name = attn_export_dup_name (study, preset, "gpt2", path);

  g_assert_cmpstr (name, ==, expected);
}

/* The name that is offered for a figure does not speak of an operation that is not there. */
static void
test_name_says_what_is_done (void)
{
  g_autoptr (AttnStudy) preset = attn_presets_load ("mean-operation", NULL);
  g_autoptr (AttnStudy) study = attn_study_copy (preset);

  assert_name (study, preset, NULL, "mean-operation-gpt2");
  study->operation = ATTN_OPERATION_SCALE;
  assert_name (study, preset, NULL, "scale-gpt2");
  assert_name (study, preset, "/tmp/sink.attention.json", "sink");
  assert_name (study, preset, "/tmp/.attention", ".attention");
  g_autoptr (AttnStudy) own = attn_study_new ();
  assert_name (own, NULL, NULL, "figure-gpt2");
}

static void
test_preferences_bound_the_machine (void)
{
  g_autoptr (GSettings) settings = attn_settings_new ();
  gsize natural = attn_memory_get_limit ();

  g_settings_set_int (settings, "threads", 3);
  g_settings_set_double (settings, "memory-limit", 2.5);
  attn_settings_apply_to_machine (settings);
  g_assert_cmpuint (attn_threads_get (), ==, 3);
  g_assert_cmpuint (attn_memory_get_limit (), ==, 2500000000);
  g_settings_reset (settings, "threads");
  g_settings_reset (settings, "memory-limit");
  attn_settings_apply_to_machine (settings);
  g_assert_cmpuint (attn_memory_get_limit (), ==, natural);
  /* Without a schema the program runs as it is. */
  attn_settings_apply_to_machine (NULL);
  attn_settings_apply_to_study (NULL, NULL);
}

int
main (int    argc,
      char **argv)
{
  g_setenv ("GSETTINGS_BACKEND", "memory", TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/export/kinds", test_kinds);
  g_test_add_func ("/app/export/figures-are-those-of-render", test_figures_are_those_of_render);
  g_test_add_func ("/app/export/arrays", test_arrays);
  g_test_add_func ("/app/export/json", test_json);
  g_test_add_func ("/app/export/name-says-what-is-done", test_name_says_what_is_done);
  g_test_add_func ("/app/export/table-for-the-clipboard", test_table_for_the_clipboard);
  g_test_add_func ("/app/export/table-without-labels", test_table_without_labels);
  g_test_add_func ("/app/export/one-panel-as-a-picture", test_one_panel_as_a_picture);
  g_test_add_func ("/app/export/panel-with-a-view-of-its-own", test_panel_with_a_view_of_its_own);
  g_test_add_func ("/app/writing/difference-as-a-picture", test_difference_as_a_picture);
  g_test_add_func ("/app/preferences/change-a-new-study", test_preferences_change_a_new_study);
  g_test_add_func ("/app/preferences/numbers-have-bounds", test_numbers_of_settings_have_bounds);
  g_test_add_func ("/app/preferences/bound-the-machine", test_preferences_bound_the_machine);
  return g_test_run ();
}
