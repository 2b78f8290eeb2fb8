/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Long inputs: what is computed by rows when it is looked at is what is computed as a whole. */

#include "config.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "../bus-error.h"
#include "../save-arrays.h"
#include "attn-error.h"
#include "attn-memory.h"
#include "attn-result-data.h"
#include "study-fixture.h"

/* A panel of 150 tokens is long. */
#define MAX_CELLS 5000
#define N_TOKENS  150

static AttnStudy *
new_study (const char *preset)
{
  AttnStudy *study = attn_presets_load (preset, NULL);
  guint32 ids[N_TOKENS];

  for (guint32 i = 0; i < N_TOKENS; i++)
    ids[i] = 3 + (i * i * 31) % 50;
  fixture_set_ids (study, ids, N_TOKENS);
  study->layer = 1;
  study->head = 0;
  return study;
}

static AttnResult *
run (const AttnStudy *study,
     gsize            max_cells)
{
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();

  attn_panel_set_max_cells (max_cells);
  AttnResult *result = fixture_run (study, workspace);
  attn_panel_set_max_cells (0);
  return result;
}

static void
assert_near (double a,
             double b,
             double tolerance)
{
  if (isnan (a) != isnan (b) || fabs (a - b) > tolerance)
    g_error ("%.9g found, expected %.9g", b, a);
}

/* @tolerance: 0 where both are the same products, rounding where a scale is applied to scores in
 * one and to queries in the other. */
static void
assert_same (const AttnResult *a,
             const AttnResult *b,
             gboolean          is_long,
             double            tolerance)
{
  gsize n_panels = a->grid->n_rows * a->grid->n_columns;

  g_assert_cmpuint (n_panels, ==, b->grid->n_rows * b->grid->n_columns);
  for (gsize i = 0; i < n_panels; i++)
    {
      AttnPanel *kept = a->grid->cells[i].panel;
      AttnPanel *panel = b->grid->cells[i].panel;
      g_auto (AttnPanelReader) reader = { .panel = panel };
      gsize n_columns = attn_panel_get_n_columns (kept);

      g_assert_false (attn_panel_is_long (kept));
      g_assert_true (!attn_panel_is_long (panel) == !is_long);
      g_assert_true (attn_panel_has_overview (panel));
      g_assert_cmpuint (attn_panel_get_n_rows (panel), ==, attn_panel_get_n_rows (kept));
      g_assert_cmpuint (attn_panel_get_n_columns (panel), ==, n_columns);
      for (gsize row = 0; row < attn_panel_get_n_rows (kept); row++)
        {
          const float *values = attn_panel_reader_get_row (&reader, row);
          AttnSpan span = attn_panel_get_visible (kept, row);
          AttnSpan other = attn_panel_get_visible (panel, row);

          g_assert_cmpuint (span.first, ==, other.first);
          g_assert_cmpuint (span.end, ==, other.end);
          g_assert_cmpuint (attn_panel_get_row_position (kept, row), ==,
                            attn_panel_get_row_position (panel, row));
          for (gsize column = 0; column < n_columns; column++)
            assert_near (attn_panel_get_value (kept, row, column), values[column], tolerance);
        }
      const AttnPanelMeasures *before = &a->measures[i];
      const AttnPanelMeasures *after = &b->measures[i];
      assert_near (before->sink_score, after->sink_score, tolerance);
      assert_near (before->mean_entropy, after->mean_entropy, 10 * tolerance);
      assert_near (before->largest_difference, after->largest_difference, tolerance);
      assert_near (before->total_variation, after->total_variation, tolerance);
      assert_near (before->previous_token, after->previous_token, tolerance);
      assert_near (before->induction, after->induction, tolerance);
    }
}

static void
test_baseline (void)
{
  g_autoptr (AttnStudy) study = new_study ("single");

  for (int head = ATTN_HEAD_MEAN; head < 2; head++)
    {
      study->head = head;
      g_autoptr (AttnResult) whole = run (study, 0);
      g_autoptr (AttnResult) by_rows = run (study, MAX_CELLS);
      /* The mean may be added up in another order. */
      assert_same (whole, by_rows, TRUE, head == ATTN_HEAD_MEAN ? 1e-7 : 0);
    }
}

static void
test_interventions (void)
{
  const char *presets[] = { "epsilon", "mean-operation", "compare" };

  for (gsize i = 0; i < G_N_ELEMENTS (presets); i++)
    {
      g_autoptr (AttnStudy) study = new_study (presets[i]);
      g_autoptr (AttnResult) whole = run (study, 0);
      g_autoptr (AttnResult) by_rows = run (study, MAX_CELLS);

      assert_same (whole, by_rows, TRUE, 1e-5);
    }
}

/* An intervention in a layer below goes through the model. */
static void
test_from_below (void)
{
  g_autoptr (AttnStudy) study = new_study ("epsilon");

  study->acts_on_shown_layer = FALSE;
  study->scope_layers = attn_index_set_new_range (0, 0);
  g_autoptr (AttnResult) whole = run (study, 0);
  g_autoptr (AttnResult) by_rows = run (study, MAX_CELLS);
  assert_same (whole, by_rows, TRUE, 1e-5);
}

/* All layers and heads of a long input, none of which is kept as a whole. */
static void
test_atlas (void)
{
  g_autoptr (AttnStudy) study = new_study ("head-atlas");
  g_autoptr (AttnResult) whole = run (study, 0);
  g_autoptr (AttnResult) by_rows = run (study, MAX_CELLS);

  assert_same (whole, by_rows, TRUE, 1e-6);
}

/* Words and hidden keys make another panel of a long one, which may be long itself. */
static void
test_shown (void)
{
  g_autoptr (AttnStudy) study = new_study ("single");

  g_autoptr (GString) text = g_string_new (NULL);
  for (guint i = 0; i < 30; i++)
    g_string_append (text, "It is I am the rose. ");
  g_ptr_array_set_size (study->inputs, 0);
  g_ptr_array_add (study->inputs, attn_input_new_text (text->str, N_TOKENS));
  study->hides_keys = TRUE;
  study->hidden_keys = attn_index_set_parse ("0,7-9", NULL);
  study->renormalises = TRUE;
  for (guint joins = 0; joins < 2; joins++)
    {
      study->joins_words = joins != 0;
      g_autoptr (AttnResult) whole = run (study, 0);
      gsize n = attn_panel_get_n_rows (whole->grid->cells[0].panel) *
                attn_panel_get_n_columns (whole->grid->cells[0].panel);
      g_autoptr (AttnResult) by_rows = run (study, MIN (MAX_CELLS, n - 1));
      /* The last bit of a sum of a row in another order of its terms. */
      assert_same (whole, by_rows, TRUE, 1e-7);
    }
}

/* The last rows are those of the whole, and so are any others that are asked for. */
static void
test_queries (void)
{
  g_autoptr (AttnStudy) study = new_study ("single");
  g_autoptr (AttnResult) whole = run (study, 0);
  AttnPanel *all = whole->grid->cells[0].panel;

  study->n_last_queries = 4;
  for (guint i = 0; i < 2; i++)
    {
      if (i == 1)
        study->queries = attn_index_set_parse ("3,20-90", NULL);
      g_autoptr (AttnResult) part = run (study, MAX_CELLS);
      AttnPanel *panel = part->grid->cells[0].panel;
      double sink = 0;

      g_assert_cmpuint (attn_panel_get_n_rows (panel), ==, 4);
      g_assert_false (attn_panel_is_long (panel));
      for (gsize row = 0; row < 4; row++)
        {
          gsize position = attn_panel_get_row_position (panel, row);

          g_assert_cmpuint (position, ==, (i == 1 ? 87 : N_TOKENS - 4) + row);
          sink += attn_panel_get_value (panel, row, 0) / 4;
          for (gsize column = 0; column < N_TOKENS; column++)
            g_assert_cmpfloat (attn_panel_get_value (panel, row, column), ==,
                               attn_panel_get_value (all, position, column));
        }
      /* What was not computed is not measured. */
      assert_near (sink, part->measures[0].sink_score, 1e-6);
    }
}

/* A second study of the same workspace, which knows the panel in part only. */
static void
test_all_after_some (void)
{
  g_autoptr (AttnStudy) study = new_study ("single");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (AttnResult) whole = run (study, 0);

  attn_panel_set_max_cells (MAX_CELLS);
  study->n_last_queries = 4;
  attn_result_unref (fixture_run (study, workspace));
  study->n_last_queries = 0;
  g_autoptr (AttnResult) by_rows = fixture_run (study, workspace);
  attn_panel_set_max_cells (0);
  assert_same (whole, by_rows, TRUE, 0);
}

/* A file holds the same picture whether the panel is long or not, from near too. */
static void
test_export (void)
{
  g_autoptr (AttnStudy) study = new_study ("single");

  for (guint i = 0; i < 2; i++)
    {
      if (i == 1)
        study->viewport = (AttnViewport) { 0.3, 0.45, 0.25, 0.25 };
      g_autoptr (AttnResult) whole = run (study, 0);
      g_autoptr (AttnResult) by_rows = run (study, MAX_CELLS);

      for (AttnExportFormat format = 0; format < ATTN_N_EXPORT_FORMATS; format++)
        {
          g_autoptr (GBytes) a = attn_result_export (whole, study, format, NULL, NULL);
          g_autoptr (GBytes) b = attn_result_export (by_rows, study, format, NULL, NULL);

          g_assert_nonnull (a);
          g_assert_nonnull (b);
          g_assert_true (g_bytes_equal (a, b));
        }
    }
}

/* No memory is asked for that would hold a map of a file: 36 MB of numbers where 20 MB may be
 * had. */
static void
test_memory (void)
{
  g_autofree char *directory = g_dir_make_tmp ("attn-long-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (directory, "map.npy", NULL);
  const gsize n = 3000;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  const char *shape = "{'descr': '|u1', 'fortran_order': False, 'shape': (3000, 3000), }";
  guint8 head[128] = "\x93NUMPY\x01";
  g_autoptr (AttnStudy) study = attn_presets_load ("single", NULL);
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (GError) error = NULL;

  memset (head + 10, ' ', sizeof head - 10);
  head[8] = sizeof head - 10;
  memcpy (head + 10, shape, strlen (shape));
  head[sizeof head - 1] = '\n';
  g_byte_array_append (bytes, head, sizeof head);
  g_byte_array_set_size (bytes, sizeof head + n * n);
  for (gsize i = 0; i < n * n; i++)
    bytes->data[sizeof head + i] = (guint8) (i * 7 % 251 + (i == n * n / 2 ? 1 : 0));
  g_assert_true (g_file_set_contents (path, (const char *) bytes->data, bytes->len, NULL));
  study->model.path = g_strdup (path);
  study->layer = study->head = -1;

  attn_panel_set_max_cells (1000 * 1000);
  attn_memory_set_limit (20 * 1000 * 1000);
  g_autoptr (AttnResult) result = attn_job_run (study, workspace, NULL, NULL, &error);
  attn_memory_set_limit (0);
  attn_panel_set_max_cells (0);
  g_unlink (path);
  g_rmdir (directory);
  g_assert_no_error (error);
  AttnPanel *panel = result->grid->cells[0].panel;
  g_assert_true (attn_panel_is_long (panel));
  for (gsize i = 1; i < n * n; i += 98765)
    g_assert_cmpfloat (attn_panel_get_value (panel, i / n, i % n), ==, bytes->data[128 + i]);
}

/* What a long panel is drawn from is read when it is drawn, from the file as it is then. */
static void
test_recording_cut_short (void)
{
  if (skip_without_bus_error_addresses ())
    return;
  const gsize shape[] = { 1, 1, N_TOKENS, N_TOKENS };
  g_autofree char *directory = g_dir_make_tmp ("attn-long-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (directory, "weights.npy", NULL);
  g_autoptr (AttnTensor) tensor = attn_tensor_new (4, shape, NULL);
  g_autoptr (AttnArrayFile) file = attn_array_file_new (NULL);
  g_autoptr (AttnStudy) study = attn_presets_load ("single", NULL);

  for (gsize i = 0; i < N_TOKENS * N_TOKENS; i++)
    tensor->data[i] = (float) (i % 101) / 101;
  g_assert_true (attn_array_file_add (file, attn_array_new_from_tensor ("weights", tensor), NULL));
  g_assert_true (save_arrays (file, path, NULL));
  study->model.path = g_strdup (path);
  g_autoptr (AttnResult) result = run (study, MAX_CELLS);
  g_assert_true (attn_panel_is_long (fixture_get_panel (result, 0, 0)));
  g_assert_true (attn_grid_check (result->grid, NULL));
  g_assert_cmpint (truncate (path, 0), ==, 0);
  for (AttnExportFormat format = ATTN_EXPORT_SVG; format < ATTN_N_EXPORT_FORMATS; format++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (attn_result_export (result, result->study, format, NULL, &error));
      g_assert_error (error, ATTN_ERROR, ATTN_ERROR_CHANGED);
    }
  g_autoptr (GError) error = NULL;
  g_assert_null (attn_result_to_arrays (result, 0, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_CHANGED);
  g_unlink (path);
  g_rmdir (directory);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (fixture_has_model ())
    {
      g_test_add_func ("/long/baseline", test_baseline);
      g_test_add_func ("/long/interventions", test_interventions);
      g_test_add_func ("/long/from-below", test_from_below);
      g_test_add_func ("/long/atlas", test_atlas);
      g_test_add_func ("/long/recording-cut-short", test_recording_cut_short);
      g_test_add_func ("/long/shown", test_shown);
      g_test_add_func ("/long/queries", test_queries);
      g_test_add_func ("/long/all-after-some", test_all_after_some);
      g_test_add_func ("/long/export", test_export);
    }
  g_test_add_func ("/long/memory", test_memory);
  return g_test_run ();
}
