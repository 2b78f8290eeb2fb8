/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A probe in the window: a table's columns are chosen, what is computed opens as a figure; what
 * goes wrong is told where it was asked; closing the dialog ends it. */

#include "config.h"

#include <glib/gstdio.h>

#include "app-fixture.h"
#include "attn-probe-dialog.h"
#include "attn-probe-file.h"

static GtkApplication *application;
static AttnWindow *window;
static char *folder;
static char *path;
static char *written;

static void
set_up (gpointer      *fixture,
        gconstpointer  data)
{
  g_autoptr (GError) error = NULL;

  window = open_preset (application, "mean-operation");
  folder = g_dir_make_tmp ("probe-XXXXXX", &error);
  g_assert_no_error (error);
  path = g_build_filename (folder, "p.npz", NULL);
}

static void
tear_down (gpointer      *fixture,
           gconstpointer  data)
{
  close_window (window);
  g_unlink (path);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
  g_clear_pointer (&folder, g_free);
  g_clear_pointer (&path, g_free);
  g_clear_pointer (&written, g_free);
}

static char *
find_table (void)
{
  return g_test_build_filename (G_TEST_DIST, "study", "probes", "answers.csv", NULL);
}

static void
written_cb (AttnProbeDialog *dialog,
            const char      *file)
{
  written = g_strdup (file);
}

static AttnProbeDialog *
open_dialog (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *table = find_table ();
  GStrv names = attn_probe_table_list_columns (table, &error);
  g_assert_no_error (error);
  AttnProbeDialog *dialog = attn_probe_dialog_new (
      GTK_WINDOW (window), table, names, &attn_session_get_study (window->session)->model,
      ATTN_FRAMING_SPECIAL);

  g_signal_connect (dialog, "written", G_CALLBACK (written_cb), NULL);
  gtk_window_present (GTK_WINDOW (dialog));
  return dialog;
}

static const char *
get_choice (AttnProbeDialog *dialog,
            const char      *id)
{
  GtkDropDown *drop_down = find_id (dialog, id);

  return gtk_string_object_get_string (gtk_drop_down_get_selected_item (drop_down));
}

/* Columns that are called as usual are found; the file opens with the figure that suits it. */
static void
test_result (gpointer      *fixture,
             gconstpointer  data)
{
  AttnProbeDialog *dialog = open_dialog ();

  g_assert_cmpstr (get_choice (dialog, "question"), ==, "question");
  g_assert_cmpstr (get_choice (dialog, "answer"), ==, "answer");
  g_assert_cmpstr (get_choice (dialog, "exact_answer"), ==, "exact_answer");
  g_assert_cmpstr (get_choice (dialog, "label"), ==, "label");
  gtk_drop_down_set_selected (find_id (dialog, "quantity"), ATTN_PROBE_RESIDUAL);
  attn_probe_dialog_compute (dialog, path);
  g_assert_false (gtk_widget_get_sensitive (find_id (dialog, "compute")));
  g_assert_true (gtk_widget_get_visible (find_id (dialog, "progress")));
  WAIT_UNTIL (written != NULL);
  g_assert_cmpstr (written, ==, path);

  attn_window_open_path (window, path);
  wait_for_figure (window);
  const AttnResult *result = attn_session_get_result (window->session);
  g_assert_true (attn_model_get_info (result->model)->is_probe);
  g_assert_true (attn_study_get_traits (result->study)->has_roles);
  g_assert_cmpstr (result->grid->value_label, ==, "AUC");
  g_assert_cmpuint (attn_panel_get_n_rows (result->grid->cells[0].panel), ==, 4);
  const AttnCellCursor cursor = { 0, 2, 4 };
  attn_reading_set_cursor (window->reading, &cursor);
  iterate ();
  g_autofree char *auc = g_strdup_printf (
      "AUC %.4f", attn_panel_get_value (result->grid->cells[0].panel, cursor.row, cursor.column));
  g_assert_nonnull (strstr (gtk_label_get_label (window->readout_value), auc));
  g_assert_nonnull (strstr (gtk_label_get_label (window->readout_value), "rows: 48"));

  /* The side bar has the other measure, and back, and nothing about inputs, heads or operations. */
  GtkDropDown *map = find_id (window, "probe_map");
  g_assert_true (gtk_widget_get_mapped (GTK_WIDGET (map)));
  g_assert_false (gtk_widget_get_mapped (find_id (window, "inputs_section")));
  g_assert_false (gtk_widget_get_mapped (find_id (window, "roles.reduction")));
  g_assert_false (gtk_widget_get_mapped (find_id (window, "axis_meaning")));
  gtk_drop_down_set_selected (map, 1);
  wait_for_figure (window);
  result = attn_session_get_result (window->session);
  g_assert_cmpstr (result->grid->value_label, ==, "Accuracy");
  g_assert_cmpuint (gtk_drop_down_get_selected (map), ==, 1);
  gtk_drop_down_set_selected (map, 0);
  wait_for_figure (window);
  result = attn_session_get_result (window->session);
  g_assert_cmpstr (result->grid->value_label, ==, "AUC");
  g_assert_null (attn_session_get_study (window->session)->model.array);
}

/* The same as on the command line, and the dialog stays. */
static void
test_wrong_column (gpointer      *fixture,
                   gconstpointer  data)
{
  AttnProbeDialog *dialog = open_dialog ();

  gtk_drop_down_set_selected (find_id (dialog, "label"), 0);
  attn_probe_dialog_compute (dialog, path);
  WAIT_UNTIL (gtk_widget_get_visible (find_id (dialog, "note")));
  g_assert_nonnull (
      strstr (gtk_label_get_label (find_id (dialog, "note")), "expected 0 or 1"));
  g_assert_true (gtk_widget_get_sensitive (find_id (dialog, "compute")));
  g_assert_null (written);
  gtk_window_close (GTK_WINDOW (dialog));
  iterate ();
}

static void
test_closed (gpointer      *fixture,
             gconstpointer  data)
{
  AttnProbeDialog *dialog = open_dialog ();

  attn_probe_dialog_compute (dialog, path);
  gtk_window_close (GTK_WINDOW (dialog));
  iterate ();
  g_assert_null (written);
}

int
main (int    argc,
      char **argv)
{
  fixture_init (&argc, &argv);
  application = fixture_new_application ();
  g_test_add ("/app/window-probe/result", gpointer, NULL, set_up, test_result, tear_down);
  g_test_add ("/app/window-probe/wrong-column", gpointer, NULL, set_up, test_wrong_column,
              tear_down);
  g_test_add ("/app/window-probe/closed", gpointer, NULL, set_up, test_closed, tear_down);
  return fixture_run (application);
}
