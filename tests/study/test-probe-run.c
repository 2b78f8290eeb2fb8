/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Probes of the shipped model, against what make_answers.py computes by NumPy and scikit-learn. */

#include "config.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "attn-error.h"
#include "attn-probe-file.h"
#include "attn-save.h"
#include "attn-threads.h"
#include "study-fixture.h"

/* Columns of the maps. */
#define LAST_QUESTION 0
#define EXACT_FIRST   4

static char *
find_file (const char *name)
{
  return g_test_build_filename (G_TEST_DIST, "study", "probes", name, NULL);
}

/* What is asked for of answers.csv. @label: (nullable): another column of labels */
static void
init_spec (AttnProbeSpec     *spec,
           AttnProbeQuantity  quantity,
           const char        *label)
{
  attn_probe_spec_init (spec);
  spec->table = find_file ("answers.csv");
  spec->quantity = quantity;
  if (label == NULL)
    return;
  g_free (spec->columns[ATTN_PROBE_COLUMN_LABEL]);
  spec->columns[ATTN_PROBE_COLUMN_LABEL] = g_strdup (label);
}

static AttnProbe *
try_run (const AttnProbeSpec  *spec,
         GError              **error)
{
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  AttnModel *model = attn_workspace_open_model (workspace, NULL, NULL, error);

  return model != NULL ? attn_probe_run (spec, model, NULL, NULL, error) : NULL;
}

static AttnProbe *
run (const AttnProbeSpec *spec)
{
  g_autoptr (GError) error = NULL;
  AttnProbe *probe = try_run (spec, &error);

  g_assert_no_error (error);
  return probe;
}

static void
assert_map (const AttnProbe     *probe,
            const AttnArrayFile *expected,
            const char          *name,
            gsize                place)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnTensor) map =
      attn_array_to_tensor (attn_array_file_lookup (expected, name), &error);
  gsize n_known = 0;

  g_assert_no_error (error);
  g_assert_cmpuint (map->shape[0], ==, probe->n_layers);
  g_assert_cmpuint (map->shape[1], ==, probe->n_roles);
  for (gsize i = 0; i < probe->n_layers * probe->n_roles; i++)
    {
      double found = G_STRUCT_MEMBER (double, &probe->scores[i], place);

      if (isnan (map->data[i]))
        continue;
      n_known++;
      if (!(fabs (found - map->data[i]) <= 2e-3))
        g_error ("%s: %g found at %zu, expected %g", name, found, i, map->data[i]);
    }
  g_assert_cmpuint (n_known, >=, 40);
}

/* The same folds, the same tokens, the same vectors, the same regressions. */
static void
test_scikit_learn (gconstpointer data)
{
  AttnProbeQuantity quantity = GPOINTER_TO_UINT (data);
  const char *name = attn_probe_quantity_names[quantity];
  g_autoptr (GError) error = NULL;
  g_auto (AttnProbeSpec) spec = { 0 };
  g_autofree char *path = find_file ("answers.npz");
  g_autoptr (AttnArrayFile) expected = attn_array_file_load (path, &error);
  g_autofree char *auc = g_strconcat (name, ".auc", NULL);
  g_autofree char *accuracy = g_strconcat (name, ".accuracy", NULL);

  if (!fixture_has_model ())
    return;
  g_assert_no_error (error);
  init_spec (&spec, quantity, NULL);
  g_autoptr (AttnProbe) probe = run (&spec);
  g_autoptr (AttnTensor) folds =
      attn_array_to_tensor (attn_array_file_lookup (expected, "fold"), &error);
  g_autoptr (AttnTensor) rows =
      attn_array_to_tensor (attn_array_file_lookup (expected, "rows"), &error);
  g_assert_no_error (error);
  g_assert_cmpuint (probe->n_rows, ==, folds->shape[0]);
  for (gsize i = 0; i < probe->n_rows; i++)
    g_assert_cmpint (probe->folds[i], ==, (gint64) folds->data[i]);
  for (gsize i = 0; i < probe->n_roles; i++)
    g_assert_cmpint (probe->role_rows[i], ==, (gint64) rows->data[i]);
  assert_map (probe, expected, auc, G_STRUCT_OFFSET (AttnProbeScore, auc));
  assert_map (probe, expected, accuracy, G_STRUCT_OFFSET (AttnProbeScore, accuracy));
}

/* Labels that were drawn by lot are not told from each other; those that are a matter of the exact
 * answer are, by what is added at its token. */
static void
test_facts (void)
{
  g_auto (AttnProbeSpec) chance = { 0 };
  g_auto (AttnProbeSpec) place = { 0 };
  double sum = 0;

  if (!fixture_has_model ())
    return;
  init_spec (&chance, ATTN_PROBE_MLP, "chance");
  g_autoptr (AttnProbe) by_lot = run (&chance);
  gsize n = by_lot->n_layers * by_lot->n_roles;
  for (gsize i = 0; i < n; i++)
    sum += by_lot->scores[i].auc;
  g_assert_cmpfloat (fabs (sum / (double) n - 0.5), <, 0.1);

  init_spec (&place, ATTN_PROBE_MLP, "place");
  g_autoptr (AttnProbe) known = run (&place);
  g_assert_cmpfloat (known->scores[EXACT_FIRST].auc, ==, 1.0);
  g_assert_cmpfloat (known->scores[EXACT_FIRST].accuracy, ==, 1.0);
  g_assert_cmpfloat (known->scores[EXACT_FIRST].auc_low, ==, 1.0);
  g_assert_cmpfloat (known->scores[LAST_QUESTION].auc, <, 0.9);
}

/* What was trained on is told apart, for there are more numbers than rows. */
static void
test_validation (void)
{
  g_auto (AttnProbeSpec) spec = { 0 };

  if (!fixture_has_model ())
    return;
  init_spec (&spec, ATTN_PROBE_RESIDUAL, NULL);
  spec.validation = g_strdup (spec.table);
  g_autoptr (AttnProbe) probe = run (&spec);
  g_assert_cmpuint (probe->n_rows, ==, 96);
  g_assert_cmpint (probe->folds[47], ==, ATTN_PROBE_NO_FOLD);
  g_assert_cmpint (probe->folds[48], ==, 0);
  g_assert_cmpint (probe->role_rows[EXACT_FIRST], ==, 48);
  g_assert_cmpfloat (probe->scores[3 * probe->n_roles + EXACT_FIRST].auc, >, 0.9);
}

static GBytes *
serialize (const AttnProbeSpec *spec,
           guint                n_threads)
{
  g_autoptr (GError) error = NULL;
  guint before = attn_threads_get ();

  attn_threads_set (n_threads);
  g_autoptr (AttnProbe) probe = run (spec);
  attn_threads_set (before);
  GBytes *bytes = attn_probe_serialize (probe, "p.npz", &error);
  g_assert_no_error (error);
  return bytes;
}

static void
test_threads (void)
{
  g_auto (AttnProbeSpec) spec = { 0 };

  if (!fixture_has_model ())
    return;
  init_spec (&spec, ATTN_PROBE_ATTENTION, NULL);
  g_autoptr (GBytes) one = serialize (&spec, 1);
  g_autoptr (GBytes) two = serialize (&spec, 2);
  g_assert_true (g_bytes_equal (one, two));
}

static void
draw (const char  *path,
      const char  *array,
      const char  *label,
      AttnResult **result)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_auto (AttnModelReference) reference = { .path = g_strdup (path), .array = g_strdup (array) };

  g_assert_true (attn_probe_map_is_one (&reference));
  g_autoptr (AttnStudy) study = attn_probe_load_study (&reference, &error);
  g_assert_no_error (error);
  *result = fixture_run (study, workspace);
  g_assert_cmpstr ((*result)->grid->value_label, ==, label);
  g_assert_true (attn_model_get_info ((*result)->model)->is_probe);
}

/* The file is drawn, from 0.5 to 1; each cell has its interval and its number of rows. */
static void
test_figure (void)
{
  g_autoptr (GError) error = NULL;
  g_auto (AttnProbeSpec) spec = { 0 };
  g_autoptr (AttnResult) auc = NULL;
  g_autoptr (AttnResult) accuracy = NULL;
  g_autoptr (AttnResult) low = NULL;
  g_autofree char *folder = g_dir_make_tmp ("probe-XXXXXX", &error);
  g_autofree char *path = g_build_filename (folder, "p.npz", NULL);

  if (!fixture_has_model ())
    return;
  g_assert_no_error (error);
  init_spec (&spec, ATTN_PROBE_MLP, NULL);
  g_autoptr (AttnProbe) probe = run (&spec);
  g_autoptr (GBytes) bytes = attn_probe_serialize (probe, path, &error);
  g_assert_no_error (error);
  g_assert_true (attn_save_bytes (path, bytes, &error));

  draw (path, NULL, "AUC", &auc);
  const AttnGridCell *cell = &auc->grid->cells[0];
  g_assert_cmpstr (attn_panel_get_column_labels (cell->panel)[EXACT_FIRST], ==,
                   "exact_answer_first");
  g_assert_cmpstr (attn_panel_get_row_labels (cell->panel)[2], ==, "2");
  for (gsize i = 0; i < probe->n_layers * probe->n_roles; i++)
    {
      g_assert_cmpfloat_with_epsilon (
          attn_panel_get_value (cell->panel, i / probe->n_roles, i % probe->n_roles),
          probe->scores[i].auc, 1e-6);
      g_assert_cmpfloat_with_epsilon (cell->cell_intervals[2 * i], probe->scores[i].auc_low, 1e-6);
      g_assert_cmpfloat_with_epsilon (cell->cell_intervals[2 * i + 1], probe->scores[i].auc_high,
                                      1e-6);
      g_assert_cmpuint (cell->cell_numbers[i], ==, 48);
    }
  g_assert_cmpstr (auc->grid->caption, ==,
                   "Linear Probes of What the MLP Adds, 48 Rows in 5 Folds");
  g_assert_cmpfloat (auc->study->style.low, ==, 0.5);
  g_assert_cmpfloat (auc->study->style.high, ==, 1.0);
  draw (path, "accuracy", "Accuracy", &accuracy);
  g_assert_cmpfloat_with_epsilon (attn_panel_get_value (accuracy->grid->cells[0].panel, 1, 2),
                                  probe->scores[probe->n_roles + 2].accuracy, 1e-6);
  draw (path, "auc_low", "auc_low", &low);
  g_assert_null (low->grid->cells[0].cell_intervals);
  g_unlink (path);
  g_rmdir (folder);
}

#define HEADER "question,answer,exact_answer,label\n"
#define RIGHT  "Where is the rose?,The rose is in the garden.,garden,1\n"
#define WRONG  "Where is the rose?,The rose is in the river.,river,0\n"

/* One sentence each: what was found and what was expected. */
static const struct
{
  const char *table;
  int code;
  const char *found;
} bad[] = {
  { "q,answer,exact_answer,label\n1,2,3,1\n", ATTN_ERROR_FORMAT,
    "q, answer, exact_answer, label found in the first row, expected a column “question”" },
  { "question,answer,answer,exact_answer,label\n", ATTN_ERROR_FORMAT, "“answer” found twice" },
  { HEADER RIGHT WRONG "Where?,Here.,Here,2\n", ATTN_ERROR_FORMAT,
    "row 3: label “2” found, expected 0 or 1" },
  { HEADER RIGHT "Where?,Here.,Here,\n", ATTN_ERROR_FORMAT, "row 2: label “” found" },
  { HEADER RIGHT "Where?,Here.\n", ATTN_ERROR_FORMAT, "row 2: 2 cells found" },
  { HEADER RIGHT "\"Where?,Here.,x,1\n", ATTN_ERROR_FORMAT, "row 2: a quote" },
  { HEADER RIGHT RIGHT RIGHT, ATTN_ERROR_ARGUMENT,
    "label 0 found in 0 of 3 rows, expected it in at least 2, one a fold" },
  { HEADER RIGHT WRONG, ATTN_ERROR_ARGUMENT,
    "label 0 found in 1 of 2 rows, expected it in at least 2" },
  { HEADER RIGHT WRONG RIGHT "Where?,The rose is here.,garden,0\n", ATTN_ERROR_ARGUMENT,
    "row 4: exact answer: “garden” found nowhere in the answer “The rose is here.”" },
  { HEADER RIGHT WRONG RIGHT "Where?,,garden,0\n", ATTN_ERROR_ARGUMENT, "row 4: answer: none" },
};

static void
test_bad_tables (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = NULL;
  int file = g_file_open_tmp ("answers-XXXXXX.csv", &path, &error);

  if (!fixture_has_model ())
    return;
  g_assert_no_error (error);
  close (file);
  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_auto (AttnProbeSpec) spec = { 0 };
      g_autoptr (GError) refusal = NULL;

      attn_probe_spec_init (&spec);
      spec.table = g_strdup (path);
      spec.n_folds = 2;
      g_assert_true (g_file_set_contents (path, bad[i].table, -1, &error));
      g_assert_null (try_run (&spec, &refusal));
      g_assert_error (refusal, ATTN_ERROR, bad[i].code);
      if (strstr (refusal->message, bad[i].found) == NULL ||
          !g_str_has_prefix (refusal->message, path))
        g_error ("“%s” found, expected “%s”", refusal->message, bad[i].found);
    }
  g_unlink (path);
}

/* A text of more tokens than the model has positions is named by its row. */
static void
test_long_text (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GError) refusal = NULL;
  g_auto (AttnProbeSpec) spec = { 0 };
  g_autoptr (GString) table = g_string_new (HEADER RIGHT WRONG RIGHT);
  int file;

  if (!fixture_has_model ())
    return;
  attn_probe_spec_init (&spec);
  spec.n_folds = 2;
  file = g_file_open_tmp ("answers-XXXXXX.csv", &spec.table, &error);
  g_assert_no_error (error);
  close (file);
  for (gsize i = 0; i < 300; i++)
    g_string_append (table, "rose ");
  g_string_append (table, "?,The rose.,rose,0\n");
  g_assert_true (g_file_set_contents (spec.table, table->str, -1, &error));
  g_assert_null (try_run (&spec, &refusal));
  g_assert_error (refusal, ATTN_ERROR, ATTN_ERROR_LIMIT);
  g_assert_nonnull (strstr (refusal->message, ": row 4: "));
  g_unlink (spec.table);
}

/* A token that the text is too short for has no row there; of such a column there is no number. */
static void
test_absent_roles (void)
{
  g_autoptr (GError) error = NULL;
  g_auto (AttnProbeSpec) spec = { 0 };
  g_autoptr (GString) table = g_string_new (HEADER);
  int file;

  if (!fixture_has_model ())
    return;
  attn_probe_spec_init (&spec);
  spec.n_folds = 2;
  file = g_file_open_tmp ("answers-XXXXXX.csv", &spec.table, &error);
  g_assert_no_error (error);
  close (file);
  for (gsize i = 0; i < 8; i++)
    g_string_append_printf (table, "Is it?,%s,%s,%zu\n", i % 2 ? "yes" : "no",
                            i % 2 ? "yes" : "no", i % 2);
  g_assert_true (g_file_set_contents (spec.table, table->str, -1, &error));
  g_autoptr (AttnProbe) probe = run (&spec);
  g_assert_cmpint (probe->role_rows[EXACT_FIRST], ==, 8);
  g_assert_cmpint (probe->role_rows[EXACT_FIRST + 2], ==, 0); /* behind the exact answer */
  g_assert_true (isnan (probe->scores[EXACT_FIRST + 2].auc));
  g_assert_cmpfloat (probe->scores[EXACT_FIRST].auc, ==, 1.0);
  g_unlink (spec.table);
}

static void
test_cancelled (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_auto (AttnProbeSpec) spec = { 0 };
  AttnModel *model = attn_workspace_open_model (workspace, NULL, NULL, &error);

  if (!fixture_has_model ())
    return;
  g_assert_no_error (error);
  init_spec (&spec, ATTN_PROBE_MLP, NULL);
  g_cancellable_cancel (cancellable);
  g_assert_null (attn_probe_run (&spec, model, NULL, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < ATTN_N_PROBE_QUANTITIES; i++)
    {
      g_autofree char *path =
          g_strconcat ("/study/probe-run/scikit-learn/", attn_probe_quantity_names[i], NULL);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_scikit_learn);
    }
  g_test_add_func ("/study/probe-run/facts", test_facts);
  g_test_add_func ("/study/probe-run/validation", test_validation);
  g_test_add_func ("/study/probe-run/threads", test_threads);
  g_test_add_func ("/study/probe-run/figure", test_figure);
  g_test_add_func ("/study/probe-run/bad-tables", test_bad_tables);
  g_test_add_func ("/study/probe-run/long-text", test_long_text);
  g_test_add_func ("/study/probe-run/absent-roles", test_absent_roles);
  g_test_add_func ("/study/probe-run/cancelled", test_cancelled);
  return g_test_run ();
}
