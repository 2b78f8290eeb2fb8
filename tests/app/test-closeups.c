/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The inspector's closer looks: what the model says next, and why a query attends to a key. */

#include "config.h"

#include "app-fixture.h"
#include "attn-readout.h"

static GtkApplication *application;

static void
unfold (AttnWindow *window,
        const char *title)
{
  GtkLabel *label = find_label (window, title);

  g_assert_nonnull (label);
  gtk_expander_set_expanded (
      GTK_EXPANDER (gtk_widget_get_ancestor (GTK_WIDGET (label), GTK_TYPE_EXPANDER)), TRUE);
}

static void
go_to (AttnWindow *window,
       gsize       row,
       gsize       column)
{
  const AttnCellCursor cursor = { 0, row, column };

  attn_reading_set_cursor (window->reading, &cursor);
}

/* Folded, nothing is asked for; unfolded, what is read has its prediction and its score, and so has
 * the next query that is read. */
static void
test_sections (void)
{
  AttnWindow *window = open_preset (application, "effect");
  AttnSession *session = window->session;

  WAIT_UNTIL (attn_session_is_complete (session));
  g_action_group_activate_action (G_ACTION_GROUP (window), "inspector", NULL);
  go_to (window, 12, 6);
  WAIT_UNTIL (find_label (window, "Prediction") != NULL);
  g_assert_null (attn_session_get_prediction (session));
  g_assert_null (attn_session_get_explanation (session));

  unfold (window, "Prediction");
  unfold (window, "Why This Edge");
  AttnResult *result = attn_session_get_result (session);
  WAIT_UNTIL (attn_explanation_has (attn_session_get_explanation (session), result, 0, 12, 6));
  WAIT_UNTIL (attn_prediction_has (attn_session_get_prediction (session), result, 0, 0));
  WAIT_UNTIL (find_label (window, "Nothing follows in the input") != NULL);
  g_assert_nonnull (find_label (window, "␣Paris"));
  g_assert_nonnull (find_label (window, "99%"));
  const AttnEdge *edge = attn_session_get_explanation (session)->edge;
  g_autofree char *number = attn_readout_format_short (edge->score);
  g_autofree char *score = g_strdup_printf ("Score %s", number);
  WAIT_UNTIL (find_label (window, score) != NULL);
  g_assert_nonnull (find_label (window, "Others (6)"));

  /* Those around it are there: nothing has to be waited for. */
  go_to (window, 5, 2);
  g_assert_nonnull (find_label (window, "“␣France” follows in the input"));
  go_to (window, 5, 8);
  WAIT_UNTIL (find_label (window, "The query does not see the key") != NULL);
  close_window (window);
}

/* In the inspector: elsewhere a statistic may be called the same. */
static gboolean
shows_label (AttnWindow *window,
             const char *text)
{
  GtkLabel *label = find_label (window->inspector, text);

  return label != NULL && gtk_widget_get_mapped (GTK_WIDGET (label));
}

/* Where nothing is done to the model there is no baseline to compare with, and where the values are
 * no weights there is no score. */
static void
test_only_what_there_is (void)
{
  AttnWindow *window = open_preset (application, "mean-operation");

  WAIT_UNTIL (attn_session_is_complete (window->session));
  g_action_group_change_action_state (G_ACTION_GROUP (window), "inspector",
                                      g_variant_new_boolean (TRUE));
  go_to (window, 5, 2);
  WAIT_UNTIL (shows_label (window, "Score − max"));
  g_assert_true (shows_label (window, "Modified"));
  g_assert_true (shows_label (window, "Total variation"));

  attn_window_load_preset (window, "matrix-entropy");
  WAIT_UNTIL (attn_session_is_complete (window->session));
  go_to (window, 1, 2);
  WAIT_UNTIL (!shows_label (window, "Modified"));
  g_assert_true (shows_label (window, "Rank in row"));
  g_assert_false (shows_label (window, "Score − max"));
  g_assert_false (shows_label (window, "Total variation"));
  close_window (window);
}

/* Checks that the baseline comes first in each table under @widget. Returns: how many there are */
static guint
check_order (GtkWidget *widget)
{
  guint n = 0;

  if (GTK_IS_GRID (widget))
    {
      GtkLabel *baseline = find_label (widget, "Baseline");
      GtkLabel *modified = find_label (widget, "Modified");
      int first, second;

      g_assert_true ((baseline != NULL) == (modified != NULL));
      if (baseline == NULL)
        return 0;
      gtk_grid_query_child (GTK_GRID (widget), GTK_WIDGET (baseline), &first, NULL, NULL, NULL);
      gtk_grid_query_child (GTK_GRID (widget), GTK_WIDGET (modified), &second, NULL, NULL, NULL);
      g_assert_cmpint (first, <, second);
      return 1;
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    n += check_order (child);
  return n;
}

/* As in the figure, which has the baseline in its first column. */
static void
test_baseline_comes_first (void)
{
  AttnWindow *window = open_preset (application, "mean-operation");
  AttnSession *session = window->session;

  WAIT_UNTIL (attn_session_is_complete (session));
  g_action_group_change_action_state (G_ACTION_GROUP (window), "inspector",
                                      g_variant_new_boolean (TRUE));
  go_to (window, 5, 2);
  WAIT_UNTIL (shows_label (window, "Score − max"));
  unfold (window, "Prediction");
  unfold (window, "Answer");
  WAIT_UNTIL (attn_prediction_has (attn_session_get_prediction (session),
                                   attn_session_get_result (session), 0, 5));
  WAIT_UNTIL (shows_label (window, "Loss"));
  /* Of the cell, its row, its column and the distances; two of the prediction; the answer. */
  g_assert_cmpuint (check_order (GTK_WIDGET (window->inspector)), ==, 7);

  const AttnPrediction *prediction = attn_session_get_prediction (session);
  const AttnPredictionEffect *effect =
      &prediction->effects[5 - prediction->request.first_row];
  GtkWidget *name = GTK_WIDGET (find_label (window->inspector, "Loss"));
  GtkGrid *table = GTK_GRID (gtk_widget_get_parent (name));
  const char * const headings[] = { "Baseline", "Modified" };
  int row;

  gtk_grid_query_child (table, name, NULL, &row, NULL, NULL);
  for (int side = 0; side < 2; side++)
    {
      g_autofree char *loss = attn_readout_format_short (effect->loss[side]);
      GtkLabel *number = GTK_LABEL (gtk_grid_get_child_at (table, side + 1, row));

      g_assert_true (GTK_WIDGET (find_label (table, headings[side])) ==
                     gtk_grid_get_child_at (table, side + 1, 0));
      g_assert_cmpstr (gtk_label_get_label (number), ==, loss);
    }
  close_window (window);
}

int
main (int   argc,
      char *argv[])
{
  fixture_init (&argc, &argv);
  application = fixture_new_application ();
  g_test_add_func ("/app/closeups/sections", test_sections);
  g_test_add_func ("/app/closeups/only-what-there-is", test_only_what_there_is);
  g_test_add_func ("/app/closeups/baseline-comes-first", test_baseline_comes_first);
  return fixture_run (application);
}
