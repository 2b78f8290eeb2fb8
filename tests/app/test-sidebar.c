/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The side bar: its controls say what the study says, and the study what they do. */

#include "config.h"

#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <locale.h>
#include <math.h>
#include <string.h>

#include "attn-application.h"
#include "attn-epsilon-chart.h"
#include "attn-epsilon-player.h"
#include "attn-epsilon-row.h"
#include "attn-input-row.h"
#include "attn-intervention.h"
#include "attn-sidebar.h"
#include "attn-token-chips.h"
#include "attn-worker.h"

#define PATIENCE_SECONDS 30

typedef struct
{
  AttnSession *session;
  GtkWindow *window;
  AttnSidebar *sidebar;
  guint n_failures;
  char *failure; /* (nullable): the last one, if a test asks for it */
} Fixture;

static gboolean
out_of_patience_cb (gpointer data)
{
  g_error ("waited in vain");
  return G_SOURCE_REMOVE;
}

/* The widgets of a type that show, depth first. */
static void
collect (GtkWidget *widget,
         GType      type,
         GPtrArray *found)
{
  if (!gtk_widget_get_visible (widget))
    return;
  if (g_type_is_a (G_OBJECT_TYPE (widget), type))
    g_ptr_array_add (found, widget);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    collect (child, type, found);
}

static GPtrArray *
find_all (gpointer widget,
          GType    type)
{
  GPtrArray *found = g_ptr_array_new ();

  collect (widget, type, found);
  return found;
}

static gpointer
find_nth (gpointer widget,
          GType    type,
          guint    n)
{
  g_autoptr (GPtrArray) found = find_all (widget, type);

  g_assert_cmpuint (found->len, >, n);
  return g_ptr_array_index (found, n);
}

/* The control that a label is for; NULL where the label does not show. */
static gpointer
find_labelled (Fixture    *fixture,
               const char *text)
{
  g_autoptr (GPtrArray) labels = find_all (fixture->sidebar, GTK_TYPE_LABEL);

  for (guint i = 0; i < labels->len; i++)
    {
      GtkLabel *label = labels->pdata[i];

      if (g_str_equal (gtk_label_get_text (label), text) &&
          gtk_label_get_mnemonic_widget (label) != NULL)
        return gtk_label_get_mnemonic_widget (label);
    }
  return NULL;
}

static const AttnStudy *
get_study (Fixture *fixture)
{
  return attn_session_get_study (fixture->session);
}

static void
wait_for_result (Fixture *fixture)
{
  guint source = g_timeout_add_seconds (PATIENCE_SECONDS, out_of_patience_cb, NULL);

  while (!attn_session_is_current (fixture->session))
    g_main_context_iteration (NULL, TRUE);
  g_source_remove (source);
}

static void
failed_cb (Fixture *fixture)
{
  fixture->n_failures++;
}

static void
set_up (Fixture       *fixture,
        gconstpointer  preset)
{
  fixture->n_failures = 0;
  fixture->failure = NULL;
  fixture->session = attn_session_new ();
  attn_session_open (fixture->session, attn_presets_load (preset, NULL));
  fixture->sidebar = g_object_new (ATTN_TYPE_SIDEBAR, NULL);
  g_signal_connect_swapped (fixture->sidebar, "failed", G_CALLBACK (failed_cb), fixture);
  attn_sidebar_set_session (fixture->sidebar, fixture->session);
  fixture->window = GTK_WINDOW (gtk_window_new ());
  gtk_window_set_default_size (fixture->window, 300, 600);
  gtk_window_set_child (fixture->window, GTK_WIDGET (fixture->sidebar));
  gtk_window_present (fixture->window);
  wait_for_result (fixture);
}

static void
tear_down (Fixture       *fixture,
           gconstpointer  data)
{
  g_object_add_weak_pointer (G_OBJECT (fixture->sidebar), (gpointer *) &fixture->sidebar);
  gtk_window_destroy (fixture->window);
  while (fixture->sidebar != NULL)
    g_main_context_iteration (NULL, TRUE);
  g_assert_finalize_object (fixture->session);
  attn_worker_wait_for_threads ();
}

static GtkWidget *
get_row (Fixture *fixture,
         guint    index)
{
  return find_nth (fixture->sidebar, ATTN_TYPE_INPUT_ROW, index);
}

static const char *
get_input_text (Fixture *fixture,
                guint    index)
{
  const AttnInput *input = g_ptr_array_index (get_study (fixture)->inputs, index);

  return input->text;
}

static const char *
get_shown_text (Fixture *fixture,
                guint    index)
{
  return gtk_editable_get_text (find_nth (get_row (fixture, index), GTK_TYPE_ENTRY, 0));
}

static void
type (Fixture    *fixture,
      guint       index,
      const char *text)
{
  GtkEditable *entry = find_nth (get_row (fixture, index), GTK_TYPE_ENTRY, 0);

  gtk_editable_set_text (entry, text);
  g_signal_emit_by_name (entry, "activate");
}

static void
act (Fixture    *fixture,
     guint       index,
     const char *action)
{
  gtk_widget_activate_action (get_row (fixture, index), action, NULL);
}

static double
get_epsilon (Fixture *fixture)
{
  return g_array_index (get_study (fixture)->epsilons, double, 0);
}

/* --- Inputs --- */

static void
test_inputs_are_reordered (Fixture       *fixture,
                           gconstpointer  data)
{
  g_autofree char *first = g_strdup (get_input_text (fixture, 0));
  g_autofree char *second = g_strdup (get_input_text (fixture, 1));
  g_autofree char *third = g_strdup (get_input_text (fixture, 2));

  act (fixture, 0, "input.move-down");
  g_assert_cmpstr (get_input_text (fixture, 0), ==, second);
  g_assert_cmpstr (get_shown_text (fixture, 1), ==, first);
  /* The keyboard stays with the input. */
  g_assert_true (gtk_widget_is_ancestor (gtk_window_get_focus (fixture->window),
                                         get_row (fixture, 1)));

  /* The last one is dropped on the first. */
  g_signal_emit_by_name (get_row (fixture, 0), "dropped", get_row (fixture, 2));
  g_assert_cmpstr (get_shown_text (fixture, 0), ==, third);
  g_assert_cmpstr (get_shown_text (fixture, 2), ==, first);
}

static void
test_inputs_are_duplicated_and_removed (Fixture       *fixture,
                                        gconstpointer  data)
{
  act (fixture, 1, "input.duplicate");
  g_assert_cmpuint (get_study (fixture)->inputs->len, ==, 4);
  g_assert_cmpstr (get_shown_text (fixture, 1), ==, get_shown_text (fixture, 2));
  for (guint i = 0; i < 3; i++)
    act (fixture, 0, "input.remove");
  /* The last one cannot go. */
  act (fixture, 0, "input.remove");
  g_assert_cmpuint (get_study (fixture)->inputs->len, ==, 1);
}

/* What was typed and has not rested yet moves along. */
static void
test_typed_text_moves_along (Fixture       *fixture,
                             gconstpointer  data)
{
  gtk_editable_set_text (find_nth (get_row (fixture, 0), GTK_TYPE_ENTRY, 0), "Typed");
  act (fixture, 0, "input.move-down");
  g_assert_cmpstr (get_input_text (fixture, 1), ==, "Typed");
  g_assert_cmpstr (get_shown_text (fixture, 1), ==, "Typed");
}

static void
test_typed_text_keeps_its_range (Fixture       *fixture,
                                 gconstpointer  data)
{
  type (fixture, 0, "It is I");

  const AttnInput *input = g_ptr_array_index (get_study (fixture)->inputs, 0);
  g_assert_cmpstr (input->text, ==, "It is I");
  g_assert_cmpuint (input->n_tokens, ==, 15);
}

static void
test_chips_say_the_tokens (Fixture       *fixture,
                           gconstpointer  data)
{
  AttnTokenChips *chips = find_nth (get_row (fixture, 0), ATTN_TYPE_TOKEN_CHIPS, 0);
  AttnTokens *tokens = attn_session_get_result (fixture->session)->inputs[0];
  g_autofree char *id = g_strdup_printf ("id %u", tokens->tokens[1].id);
  g_autofree char *description = attn_token_chips_describe (chips, 1);
  g_autofree char *special = attn_token_chips_describe (chips, 0);
  g_autofree gboolean *is_found = g_new0 (gboolean, tokens->n_tokens);

  g_assert_nonnull (strstr (description, id));
  g_assert_nonnull (strstr (description, tokens->labels[1]));
  g_assert_nonnull (strstr (special, "special"));

  /* Every token has a place of its own within the widget. */
  gtk_test_widget_wait_for_draw (GTK_WIDGET (chips));
  for (int y = 0; y < gtk_widget_get_height (GTK_WIDGET (chips)); y += 2)
    for (int x = 0; x < gtk_widget_get_width (GTK_WIDGET (chips)); x += 2)
      {
        gsize index = attn_token_chips_find (chips, x, y);

        g_assert_true (index == G_MAXSIZE || index < tokens->n_tokens);
        if (index != G_MAXSIZE)
          is_found[index] = TRUE;
      }
  for (gsize i = 0; i < tokens->n_tokens; i++)
    g_assert_true (is_found[i]);
}

static void
test_long_text_is_counted (Fixture       *fixture,
                           gconstpointer  data)
{
  AttnTokenChips *chips = g_object_ref_sink (g_object_new (ATTN_TYPE_TOKEN_CHIPS, NULL));
  guint32 ids[ATTN_TOKEN_CHIPS_MAX + 40] = { 0 };
  g_autoptr (AttnTokens) tokens = attn_tokens_new_from_ids (ids, G_N_ELEMENTS (ids), NULL);
  int height;

  attn_token_chips_set_tokens (chips, tokens);
  gtk_widget_measure (GTK_WIDGET (chips), GTK_ORIENTATION_VERTICAL, 200, NULL, &height, NULL,
                      NULL);
  g_autofree char *rest = attn_token_chips_describe (chips, ATTN_TOKEN_CHIPS_MAX);
  g_assert_nonnull (strstr (rest, "100 tokens"));
  /* Sixty of two letters, seven a line. */
  g_assert_cmpint (height, <, 300);

  /* So is what a figure leaves out of a text. */
  g_autoptr (AttnTokens) first = attn_tokens_truncate (tokens, 3);
  attn_token_chips_set_tokens (chips, first);
  g_autofree char *cut = attn_token_chips_describe (chips, 3);
  g_assert_cmpstr (cut, ==, "first 3 of 100 tokens");
  g_assert_finalize_object (chips);
}

static GFile *
write_file (const char *directory,
            const char *text)
{
  g_autofree char *path = g_build_filename (directory, "texts.txt", NULL);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  return g_file_new_for_path (path);
}

static GtkWidget *
find_button (gpointer    widget,
             const char *label)
{
  g_autoptr (GPtrArray) buttons = find_all (widget, GTK_TYPE_BUTTON);

  for (guint i = 0; i < buttons->len; i++)
    if (g_strcmp0 (gtk_button_get_label (buttons->pdata[i]), label) == 0)
      return buttons->pdata[i];
  return NULL;
}

/* One line is one input; of several it is asked. */
static void
test_texts_from_a_file (Fixture       *fixture,
                        gconstpointer  data)
{
  guint source = g_timeout_add_seconds (PATIENCE_SECONDS, out_of_patience_cb, NULL);
  g_autofree char *directory = g_dir_make_tmp ("attn-sidebar-XXXXXX", NULL);
  g_autoptr (GFile) file = write_file (directory, "It is I\n");

  attn_sidebar_load_texts (fixture->sidebar, file);
  while (get_study (fixture)->inputs->len < 4)
    g_main_context_iteration (NULL, TRUE);
  g_assert_cmpstr (get_shown_text (fixture, 3), ==, "It is I");

  g_object_unref (write_file (directory, "One\n\nTwo\n"));
  attn_sidebar_load_texts (fixture->sidebar, file);
  GtkWidget *button = NULL;
  while ((button = find_button (fixture->sidebar, "One Input per _Line")) == NULL)
    g_main_context_iteration (NULL, TRUE);
  g_signal_emit_by_name (button, "clicked");
  g_assert_cmpuint (get_study (fixture)->inputs->len, ==, 6);
  g_assert_cmpstr (get_shown_text (fixture, 5), ==, "Two");
  while (find_button (fixture->sidebar, "One Input per _Line") != NULL)
    g_main_context_iteration (NULL, TRUE);

  g_object_unref (write_file (directory, "caf\xE9"));
  attn_sidebar_load_texts (fixture->sidebar, file);
  while (fixture->n_failures == 0)
    g_main_context_iteration (NULL, TRUE);
  g_assert_cmpuint (get_study (fixture)->inputs->len, ==, 6);
  g_source_remove (source);
  g_file_delete (file, NULL, NULL);
  g_rmdir (directory);
}

/* Every edit is a step back. */
static void
test_undone_to_the_beginning (Fixture       *fixture,
                              gconstpointer  data)
{
  g_autoptr (AttnStudy) origin = attn_study_copy (get_study (fixture));

  type (fixture, 0, "It is I");
  act (fixture, 0, "input.move-down");
  act (fixture, 1, "input.duplicate");
  gtk_drop_down_set_selected (find_labelled (fixture, "Rows"), ATTN_DIMENSION_HEAD);
  gtk_drop_down_set_selected (find_labelled (fixture, "Scale"), ATTN_SCALE_LOG);
  g_assert_false (attn_study_equal (origin, get_study (fixture)));
  while (attn_session_can_undo (fixture->session))
    attn_session_undo (fixture->session);
  g_assert_true (attn_study_equal (origin, get_study (fixture)));
  for (guint i = 0; i < 3; i++)
    g_assert_cmpstr (get_shown_text (fixture, i), ==, get_input_text (fixture, i));
  g_assert_cmpuint (fixture->n_failures, ==, 0);
}

static gboolean
shows_text (Fixture    *fixture,
            const char *text)
{
  g_autoptr (GPtrArray) labels = find_all (fixture->sidebar, GTK_TYPE_LABEL);

  for (guint i = 0; i < labels->len; i++)
    if (g_str_equal (gtk_label_get_text (labels->pdata[i]), text))
      return TRUE;
  return FALSE;
}

/* A recording has tokens of its own: the texts of the study are neither shown nor offered, and what
 * is recorded cannot be intervened on. They are there again with a model. */
static void
test_recording_shows_its_own_tokens (Fixture       *fixture,
                                     gconstpointer  data)
{
  g_autofree char *directory = g_dir_make_tmp ("attn-sidebar-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (directory, "weights.csv", NULL);
  g_autoptr (GError) error = NULL;

  g_assert_true (g_file_set_contents (path, ",one,two\none,1,0\ntwo,0.25,0.75\n", -1, &error));
  g_assert_no_error (error);
  g_assert_true (attn_sidebar_takes_inputs (fixture->sidebar));
  AttnStudy *study = attn_presets_load ("single", NULL);
  g_free (study->model_path);
  study->model_path = g_strdup (path);
  attn_session_edit (fixture->session, study, NULL);
  wait_for_result (fixture);

  g_autoptr (GPtrArray) rows = find_all (fixture->sidebar, ATTN_TYPE_INPUT_ROW);
  g_assert_cmpuint (rows->len, ==, 1);
  g_autoptr (GPtrArray) entries = find_all (rows->pdata[0], GTK_TYPE_ENTRY);
  g_assert_cmpuint (entries->len, ==, 0);
  g_assert_true (shows_text (fixture, "Recorded tokens"));
  g_assert_true (shows_text (fixture, "2 tokens"));
  g_assert_false (shows_text (fixture, "Special tokens"));
  g_assert_false (shows_text (fixture, "Intervention"));
  g_assert_false (attn_sidebar_takes_inputs (fixture->sidebar));
  AttnTokenChips *chips = find_nth (rows->pdata[0], ATTN_TYPE_TOKEN_CHIPS, 0);
  g_autofree char *token = attn_token_chips_describe (chips, 1);
  g_assert_nonnull (strstr (token, "two"));

  attn_session_undo (fixture->session);
  wait_for_result (fixture);
  g_assert_cmpstr (get_shown_text (fixture, 2), ==, get_input_text (fixture, 2));
  g_assert_true (shows_text (fixture, "Intervention"));
  g_assert_true (shows_text (fixture, "Special tokens"));
  g_unlink (path);
  g_rmdir (directory);
}

/* Inputs can wait for their figure: the rows say that this one does not show them. */
static void
test_inputs_beyond_the_figure (Fixture       *fixture,
                               gconstpointer  data)
{
  g_assert_true (attn_sidebar_takes_inputs (fixture->sidebar));
  attn_sidebar_add_input (fixture->sidebar);
  wait_for_result (fixture);
  g_assert_true (shows_text (fixture, "not in this figure"));
  gtk_drop_down_set_selected (find_labelled (fixture, "Rows"), ATTN_DIMENSION_INPUT);
  wait_for_result (fixture);
  g_assert_false (shows_text (fixture, "not in this figure"));
}

/* Where a question and its answer are the input, there is no list to add to. */
static void
test_question_is_the_input (Fixture       *fixture,
                            gconstpointer  data)
{
  g_assert_nonnull (find_labelled (fixture, "Question"));
  g_assert_false (attn_sidebar_takes_inputs (fixture->sidebar));
  g_assert_null (find_labelled (fixture, "Shared by"));
}

/* What is on or off has colours of its own; what is graded has those of the map. */
static void
test_on_and_off_have_no_map (Fixture       *fixture,
                             gconstpointer  data)
{
  g_assert_null (find_labelled (fixture, "Colour map"));
  AttnStudy *study = attn_study_copy (get_study (fixture));
  study->groups.is_graded = TRUE;
  attn_session_edit (fixture->session, study, NULL);
  g_assert_nonnull (find_labelled (fixture, "Colour map"));
  wait_for_result (fixture);
}

/* With the window's other parts, 436 pixels, a window of 800 holds it also in a large font. */
static void
test_large_font_fits (Fixture       *fixture,
                      gconstpointer  data)
{
  GtkSettings *settings = gtk_settings_get_default ();
  g_autofree char *font = NULL;
  int width;

  g_object_get (settings, "gtk-font-name", &font, NULL);
  g_object_set (settings, "gtk-font-name", "Sans 15", NULL);
  gtk_widget_measure (GTK_WIDGET (fixture->sidebar), GTK_ORIENTATION_HORIZONTAL, -1, &width, NULL,
                      NULL, NULL);
  g_object_set (settings, "gtk-font-name", font, NULL);
  g_assert_cmpint (width, <=, 800 - 436);
}

/* --- Figure --- */

static void
test_only_what_applies_shows (Fixture       *fixture,
                              gconstpointer  data)
{
  g_assert_nonnull (find_labelled (fixture, "Head"));
  g_assert_null (find_labelled (fixture, "Heads"));
  gtk_drop_down_set_selected (find_labelled (fixture, "Rows"), ATTN_DIMENSION_HEAD);
  g_assert_null (find_labelled (fixture, "Head"));
  g_assert_nonnull (find_labelled (fixture, "Heads"));
  wait_for_result (fixture);
  g_assert_cmpuint (attn_session_get_result (fixture->session)->grid->n_rows, ==, 4);
}

static void
test_numbers_are_checked (Fixture       *fixture,
                          gconstpointer  data)
{
  gtk_drop_down_set_selected (find_labelled (fixture, "Rows"), ATTN_DIMENSION_HEAD);

  GtkEditable *heads = find_labelled (fixture, "Heads");
  gtk_editable_set_text (heads, "1,x");
  g_signal_emit_by_name (heads, "activate");
  g_assert_cmpuint (fixture->n_failures, ==, 1);
  g_assert_null (get_study (fixture)->heads);
  gtk_editable_set_text (heads, "1,3");
  g_signal_emit_by_name (heads, "activate");
  g_assert_cmpuint (attn_index_set_count (get_study (fixture)->heads, 4), ==, 2);
  gtk_editable_set_text (heads, "");
  g_signal_emit_by_name (heads, "activate");
  g_assert_null (get_study (fixture)->heads);
}

/* --- The scope --- */

static GtkExpander *
find_scope (Fixture *fixture)
{
  g_autoptr (GPtrArray) expanders = find_all (fixture->sidebar, GTK_TYPE_EXPANDER);

  for (guint i = 0; i < expanders->len; i++)
    if (g_str_equal (gtk_expander_get_label (expanders->pdata[i]), "Scope"))
      return expanders->pdata[i];
  g_assert_not_reached ();
}

static GtkEditable *
enter (Fixture    *fixture,
       const char *label,
       const char *text)
{
  GtkEditable *entry = find_labelled (fixture, label);

  gtk_editable_set_text (entry, text);
  g_signal_emit_by_name (entry, "activate");
  return entry;
}

static AttnPanel *
get_modified (Fixture *fixture)
{
  wait_for_result (fixture);
  return attn_session_get_result (fixture->session)->grid->cells[0].panel;
}

/* Layer 2 is shown, and what is done in layer 0 changes it; by default layer 2 is acted on. */
static void
test_scope_reaches_the_panel (Fixture       *fixture,
                              gconstpointer  data)
{
  AttnStudy *study = attn_study_copy (get_study (fixture));

  study->layer = 2;
  study->head = 0;
  study->operation = ATTN_OPERATION_SCALE;
  study->components[ATTN_COMPONENT_VALUE] = TRUE;
  attn_session_edit (fixture->session, study, NULL);
  float own = attn_panel_get_value (get_modified (fixture), 5, 1);
  g_assert_true (get_study (fixture)->acts_on_shown_layer);

  g_assert_false (gtk_expander_get_expanded (find_scope (fixture)));
  gtk_expander_set_expanded (find_scope (fixture), TRUE);
  GtkEditable *layers = enter (fixture, "Layers", "0");
  g_assert_false (get_study (fixture)->acts_on_shown_layer);
  g_assert_true (attn_index_set_contains (get_study (fixture)->scope_layers, 0));
  g_assert_false (attn_index_set_contains (get_study (fixture)->scope_layers, 2));
  /* The value of a layer never changes the weights of that layer, only those that come after. */
  float below = attn_panel_get_value (get_modified (fixture), 5, 1);
  g_assert_cmpfloat (fabsf (below - own), >, 1e-4);

  enter (fixture, "Heads", "1");
  float head = attn_panel_get_value (get_modified (fixture), 5, 1);
  g_assert_cmpfloat (head, !=, below);
  enter (fixture, "Tokens", "0-3");
  g_assert_cmpuint (attn_index_set_count (get_study (fixture)->scope_tokens, 15), ==, 4);
  g_assert_cmpfloat (attn_panel_get_value (get_modified (fixture), 5, 1), !=, head);

  attn_session_undo (fixture->session);
  attn_session_undo (fixture->session);
  g_assert_cmpfloat (attn_panel_get_value (get_modified (fixture), 5, 1), ==, below);
  attn_session_undo (fixture->session);
  g_assert_true (get_study (fixture)->acts_on_shown_layer);
  g_assert_cmpstr (gtk_editable_get_text (layers), ==, "");
  g_assert_cmpfloat (attn_panel_get_value (get_modified (fixture), 5, 1), ==, own);
  g_assert_cmpuint (fixture->n_failures, ==, 0);
}

/* Nothing and "all" are two scopes in layers, and one in heads. */
static void
test_scope_of_all_layers (Fixture       *fixture,
                          gconstpointer  data)
{
  gtk_expander_set_expanded (find_scope (fixture), TRUE);
  GtkEditable *layers = enter (fixture, "Layers", "all");
  g_assert_false (get_study (fixture)->acts_on_shown_layer);
  g_assert_null (get_study (fixture)->scope_layers);
  g_assert_cmpstr (gtk_editable_get_text (layers), ==, "all");
  enter (fixture, "Layers", "1,2");
  g_assert_cmpstr (gtk_editable_get_text (layers), ==, "1-2");
  enter (fixture, "Layers", "");
  g_assert_true (get_study (fixture)->acts_on_shown_layer);
  g_assert_null (get_study (fixture)->scope_layers);
  enter (fixture, "Heads", "all");
  g_assert_null (get_study (fixture)->scope_heads);
  wait_for_result (fixture);
}

static void
keep_cb (Fixture      *fixture,
         const GError *error)
{
  g_free (fixture->failure);
  fixture->failure = g_strdup (error->message);
}

/* What makes no sense is not taken; what the model does not have is said by the job, and one step
 * back all is as before. */
static void
test_bad_scope_is_refused (Fixture       *fixture,
                           gconstpointer  data)
{
  guint source = g_timeout_add_seconds (PATIENCE_SECONDS, out_of_patience_cb, NULL);

  g_signal_connect_swapped (fixture->sidebar, "failed", G_CALLBACK (keep_cb), fixture);
  g_signal_connect_swapped (fixture->session, "failed", G_CALLBACK (keep_cb), fixture);
  gtk_expander_set_expanded (find_scope (fixture), TRUE);
  GtkEditable *tokens = enter (fixture, "Tokens", "3-1");
  g_assert_cmpstr (fixture->failure, ==,
                   "Tokens: “3-1” found, expected numbers and ranges such as 3 or 1,4-6, or all");
  g_assert_null (get_study (fixture)->scope_tokens);
  g_assert_true (gtk_widget_has_css_class (GTK_WIDGET (tokens), "error"));
  g_assert_cmpstr (gtk_editable_get_text (tokens), ==, "3-1");
  enter (fixture, "Tokens", "");
  g_assert_false (gtk_widget_has_css_class (GTK_WIDGET (tokens), "error"));
  g_assert_true (attn_session_is_current (fixture->session));

  g_clear_pointer (&fixture->failure, g_free);
  AttnResult *result = attn_session_get_result (fixture->session);
  enter (fixture, "Layers", "0,9");
  while (fixture->failure == NULL)
    g_main_context_iteration (NULL, TRUE);
  g_assert_cmpstr (fixture->failure, ==, "layers 0,9 found, expected 0 to 2");
  g_assert_true (attn_session_get_result (fixture->session) == result);
  attn_session_undo (fixture->session);
  wait_for_result (fixture);
  g_clear_pointer (&fixture->failure, g_free);
  g_source_remove (source);
}

/* A scope that a study brings shows without looking for it; without an intervention, and in a
 * recording of queries and keys in another layer, there is nothing that could act. */
static void
test_scope_shows_where_it_acts (Fixture       *fixture,
                                gconstpointer  data)
{
  g_assert_true (gtk_widget_is_sensitive (GTK_WIDGET (find_scope (fixture))));
  AttnStudy *study = attn_presets_load ("single", NULL);
  study->scope_tokens = attn_index_set_new_range (2, 5);
  attn_session_edit (fixture->session, study, NULL);
  wait_for_result (fixture);
  g_assert_false (gtk_expander_get_expanded (find_scope (fixture)));
  g_assert_false (gtk_widget_is_sensitive (GTK_WIDGET (find_scope (fixture))));
  study = attn_study_copy (study);
  study->components[ATTN_COMPONENT_KEY] = TRUE;
  attn_session_edit (fixture->session, study, NULL);
  wait_for_result (fixture);
  g_assert_true (gtk_expander_get_expanded (find_scope (fixture)));
  g_assert_true (gtk_widget_is_sensitive (GTK_WIDGET (find_scope (fixture))));
  g_assert_cmpstr (gtk_editable_get_text (find_labelled (fixture, "Tokens")), ==, "2-5");
  g_assert_nonnull (find_labelled (fixture, "Layers"));

  g_autofree char *directory = g_dir_make_tmp ("attn-sidebar-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (directory, "weights.csv", NULL);
  g_assert_true (g_file_set_contents (path, ",one,two\none,1,0\ntwo,0.25,0.75\n", -1, NULL));
  study = attn_presets_load ("single", NULL);
  g_free (study->model_path);
  study->model_path = g_strdup (path);
  study->components[ATTN_COMPONENT_KEY] = TRUE;
  attn_session_edit (fixture->session, study, NULL);
  g_assert_null (find_labelled (fixture, "Layers"));
  g_assert_nonnull (find_labelled (fixture, "Heads"));
  attn_session_undo (fixture->session);
  g_assert_nonnull (find_labelled (fixture, "Layers"));
  wait_for_result (fixture);
  g_unlink (path);
  g_rmdir (directory);
}

/* --- Keys --- */

/* The first key goes unless another one is named. */
static void
test_first_key_is_hidden (Fixture       *fixture,
                          gconstpointer  data)
{
  g_autoptr (GPtrArray) checks = NULL;

  gtk_expander_set_expanded (find_nth (fixture->sidebar, GTK_TYPE_EXPANDER, 0), TRUE);
  checks = find_all (fixture->sidebar, GTK_TYPE_CHECK_BUTTON);
  for (guint i = 0; i < checks->len; i++)
    if (g_strcmp0 (gtk_check_button_get_label (checks->pdata[i]), "Hide ke_ys") == 0)
      gtk_check_button_set_active (checks->pdata[i], TRUE);
  g_assert_true (get_study (fixture)->hides_keys);
  g_assert_true (attn_index_set_contains (get_study (fixture)->hidden_keys, 0));
  g_assert_false (attn_index_set_contains (get_study (fixture)->hidden_keys, 1));
  wait_for_result (fixture);
  g_assert_cmpuint (
      attn_panel_get_n_columns (attn_session_get_result (fixture->session)->grid->cells[0].panel),
      ==, 14);
}

/* --- Colour --- */

/* Tells @widget that the focus is gone from it, or from what is in it. */
static void
leave (gpointer widget)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (widget);

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);

      if (GTK_IS_EVENT_CONTROLLER_FOCUS (controller))
        g_signal_emit_by_name (controller, "leave");
    }
}

static gpointer
find_entry (Fixture    *fixture,
            const char *text)
{
  g_autoptr (GPtrArray) entries = find_all (fixture->sidebar, GTK_TYPE_ENTRY);

  for (guint i = 0; i < entries->len; i++)
    if (g_str_equal (gtk_editable_get_text (entries->pdata[i]), text))
      return entries->pdata[i];
  g_assert_not_reached ();
}

/* From 0…1 to 2…3: on the way between the ends it makes no sense, and nothing is said. */
static void
test_both_ends_are_typed (Fixture       *fixture,
                          gconstpointer  data)
{
  GtkEditable *low = find_entry (fixture, "0");
  GtkEditable *high = find_entry (fixture, "1");
  GtkWidget *both = gtk_widget_get_parent (GTK_WIDGET (low));

  gtk_editable_set_text (low, "2");
  leave (low);
  g_assert_cmpuint (fixture->n_failures, ==, 0);
  g_assert_cmpfloat (get_study (fixture)->style.low, ==, 0);
  leave (both);
  g_assert_cmpuint (fixture->n_failures, ==, 1);
  gtk_editable_set_text (high, "3");
  leave (high);
  g_assert_cmpfloat (get_study (fixture)->style.low, ==, 2);
  g_assert_cmpfloat (get_study (fixture)->style.high, ==, 3);
  leave (both);
  g_assert_cmpuint (fixture->n_failures, ==, 1);
}

/* The ends are asked for where they are fixed, and nothing else shows them. */
static void
test_ends_show_where_they_count (Fixture       *fixture,
                                 gconstpointer  data)
{
  GtkWidget *high = find_entry (fixture, "1");

  g_assert_true (gtk_widget_is_visible (high));
  for (guint i = ATTN_RANGE_DATA; i <= ATTN_RANGE_VISIBLE; i++)
    {
      gtk_drop_down_set_selected (find_labelled (fixture, "Range"), i);
      g_assert_false (gtk_widget_is_visible (high));
    }
  gtk_drop_down_set_selected (find_labelled (fixture, "Range"), ATTN_RANGE_FIXED);
  g_assert_true (gtk_widget_is_visible (high));
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (high)), ==, "1");
}

static void
test_range_steps_by_keys (Fixture       *fixture,
                          gconstpointer  data)
{
  GtkWidget *high = find_entry (fixture, "1");
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (high);
  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);
      gboolean is_handled;

      if (GTK_IS_EVENT_CONTROLLER_KEY (controller))
        g_signal_emit_by_name (controller, "key-pressed", GDK_KEY_Down, 0, 0, &is_handled);
    }
  /* 19 x 0.05. */
  g_assert_cmpfloat_with_epsilon (get_study (fixture)->style.high, 0.95, 1e-12);
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (high)), ==, "0.95");
}

/* --- ε --- */

static void
test_player_runs_there_and_back (Fixture       *fixture,
                                 gconstpointer  data)
{
  double seconds = ATTN_EPSILON_PLAYER_SECONDS;

  g_assert_cmpfloat (attn_epsilon_player_get_epsilon (0, TRUE), ==, 1);
  /* pow() and log10() are good to a few units in the last place. */
  g_assert_cmpfloat_with_epsilon (
      attn_epsilon_player_get_epsilon (seconds, TRUE) / ATTN_EPSILON_MIN, 1, 1e-12);
  g_assert_cmpfloat_with_epsilon (attn_epsilon_player_get_epsilon (0.5 * seconds, TRUE),
                                  attn_epsilon_player_get_epsilon (1.5 * seconds, TRUE), 1e-15);
  g_assert_true (isnan (attn_epsilon_player_get_epsilon (2 * seconds, TRUE)));
  /* In steps it stands still between two powers of ten. */
  g_assert_cmpfloat (attn_epsilon_player_get_epsilon (0.51 * seconds, FALSE), ==,
                     attn_epsilon_player_get_epsilon (0.52 * seconds, FALSE));
}

static void
test_play_moves_and_stops (Fixture       *fixture,
                           gconstpointer  data)
{
  guint source = g_timeout_add_seconds (PATIENCE_SECONDS, out_of_patience_cb, NULL);

  gtk_widget_activate_action (GTK_WIDGET (fixture->sidebar), "sidebar.play", NULL);
  while (get_epsilon (fixture) > 0.4)
    g_main_context_iteration (NULL, TRUE);
  gtk_widget_activate_action (GTK_WIDGET (fixture->sidebar), "sidebar.play", NULL);

  double caught = get_epsilon (fixture);
  for (guint i = 0; i < 50; i++)
    g_main_context_iteration (NULL, FALSE);
  g_assert_cmpfloat (get_epsilon (fixture), ==, caught);
  g_assert_cmpfloat (g_array_index (get_study (fixture)->epsilons, double, 1), ==, 1e-3);
  /* However many frames it had, it is one step of the history. */
  attn_session_undo (fixture->session);
  g_assert_cmpfloat (get_epsilon (fixture), ==, 0.5);
  g_source_remove (source);
}

static void
test_chart_shows_the_sweep (Fixture       *fixture,
                            gconstpointer  data)
{
  guint source = g_timeout_add_seconds (PATIENCE_SECONDS, out_of_patience_cb, NULL);

  while (attn_session_get_sweep (fixture->session) == NULL)
    g_main_context_iteration (NULL, TRUE);
  AttnSweep *sweep = attn_session_get_sweep (fixture->session);
  g_autofree char *text = attn_epsilon_chart_describe (sweep);
  g_assert_true (g_str_has_prefix (text, "Query: collapses at ε = "));
  g_assert_true (g_str_has_suffix (text, "Value: does not collapse"));

  /* Moving ε does not change the curves, and they are not computed again. */
  AttnStudy *study = attn_study_copy (get_study (fixture));
  g_array_index (study->epsilons, double, 0) = 0.25;
  attn_session_edit (fixture->session, study, NULL);
  wait_for_result (fixture);
  for (guint i = 0; i < 50; i++)
    g_main_context_iteration (NULL, FALSE);
  g_assert_true (attn_session_get_sweep (fixture->session) == sweep);
  g_source_remove (source);
}

/* The legend speaks the language of the window. */
static void
test_chart_is_translated (Fixture       *fixture,
                          gconstpointer  data)
{
  guint source = g_timeout_add_seconds (PATIENCE_SECONDS, out_of_patience_cb, NULL);
  g_autofree char *directory =
      g_build_filename (g_getenv ("ATTENTION_GRID_DATADIR"), "..", "po", NULL);

  while (attn_session_get_sweep (fixture->session) == NULL)
    g_main_context_iteration (NULL, TRUE);
  bindtextdomain (GETTEXT_PACKAGE, directory);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);
  g_setenv ("LANGUAGE", "fr", TRUE);
  /* Makes gettext look again, which it does when the locale becomes another. */
  setlocale (LC_ALL, "C");
  setlocale (LC_ALL, "C.UTF-8");
  g_assert_cmpstr (_("Query"), ==, "Requête");
  g_autofree char *text = attn_epsilon_chart_describe (attn_session_get_sweep (fixture->session));
  g_assert_true (g_str_has_prefix (text, "Requête"));
  g_assert_nonnull (strstr (text, "Clé"));
  g_assert_null (strstr (text, "Query"));
  g_setenv ("LANGUAGE", "en", TRUE);
  setlocale (LC_ALL, "C");
  setlocale (LC_ALL, "C.UTF-8");
  g_source_remove (source);
}

/* A number tells a factor from others; without others there is none, and nothing to add. */
static void
test_only_factor_has_no_number (Fixture       *fixture,
                                gconstpointer  data)
{
  GtkWidget *row = find_nth (fixture->sidebar, ATTN_TYPE_EPSILON_ROW, 0);
  g_autoptr (GPtrArray) labels = find_all (row, GTK_TYPE_LABEL);

  g_assert_cmpuint (labels->len, ==, 0);
  gtk_drop_down_set_selected (find_labelled (fixture, "Rows"), ATTN_DIMENSION_EPSILON);
  gtk_widget_activate_action (GTK_WIDGET (fixture->sidebar), "sidebar.add-epsilon", NULL);
  g_autoptr (GPtrArray) more = find_all (row, GTK_TYPE_LABEL);
  g_assert_cmpuint (more->len, ==, 1);
}

/* The wheel moves the side bar; no number changes under it. */
static void
test_wheel_leaves_numbers_alone (Fixture       *fixture,
                                 gconstpointer  data)
{
  g_autoptr (AttnStudy) before = attn_study_copy (get_study (fixture));
  g_autoptr (GPtrArray) numbers = NULL;

  for (guint i = 0; i < 2; i++)
    gtk_expander_set_expanded (find_nth (fixture->sidebar, GTK_TYPE_EXPANDER, i), TRUE);
  numbers = find_all (fixture->sidebar, GTK_TYPE_SPIN_BUTTON);
  g_assert_cmpuint (numbers->len, >, 1);
  for (guint i = 0; i < numbers->len; i++)
    {
      g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (numbers->pdata[i]);

      for (guint k = 0; k < g_list_model_get_n_items (controllers); k++)
        {
          g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, k);
          gboolean is_handled;

          if (GTK_IS_EVENT_CONTROLLER_SCROLL (controller))
            g_signal_emit_by_name (controller, "scroll", 0.0, -1.0, &is_handled);
        }
    }
  g_assert_true (attn_study_equal (before, get_study (fixture)));
}

/* An empty chart says why. */
static void
test_empty_chart_says_why (Fixture       *fixture,
                           gconstpointer  data)
{
  AttnEpsilonChart *chart = find_nth (fixture->sidebar, ATTN_TYPE_EPSILON_CHART, 0);

  attn_epsilon_chart_set_sweep (chart, NULL, "too many");
  gtk_test_accessible_assert_property (chart, GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, "too many");
  attn_epsilon_chart_set_sweep (chart, NULL, NULL);
  gtk_test_accessible_assert_property (chart, GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, "");
}

#define ADD(name, preset, function) \
  g_test_add ("/app/sidebar/" name, Fixture, preset, set_up, function, tear_down)

int
main (int    argc,
      char **argv)
{
  gtk_test_init (&argc, &argv, NULL);
  /* Brings the resources. */
  g_autoptr (AttnApplication) application = attn_application_new ();

  ADD ("inputs-are-reordered", "mean-operation", test_inputs_are_reordered);
  ADD ("inputs-are-duplicated-and-removed", "mean-operation",
       test_inputs_are_duplicated_and_removed);
  ADD ("typed-text-moves-along", "mean-operation", test_typed_text_moves_along);
  ADD ("typed-text-keeps-its-range", "mean-operation", test_typed_text_keeps_its_range);
  ADD ("chips-say-the-tokens", "mean-operation", test_chips_say_the_tokens);
  ADD ("long-text-is-counted", "mean-operation", test_long_text_is_counted);
  ADD ("texts-from-a-file", "mean-operation", test_texts_from_a_file);
  ADD ("undone-to-the-beginning", "mean-operation", test_undone_to_the_beginning);
  ADD ("recording-shows-its-own-tokens", "mean-operation", test_recording_shows_its_own_tokens);
  ADD ("inputs-beyond-the-figure", "single", test_inputs_beyond_the_figure);
  ADD ("question-is-the-input", "layer-token", test_question_is_the_input);
  ADD ("on-and-off-have-no-map", "head-groups", test_on_and_off_have_no_map);
  ADD ("large-font-fits", "epsilon", test_large_font_fits);
  ADD ("only-what-applies-shows", "mean-operation", test_only_what_applies_shows);
  ADD ("numbers-are-checked", "mean-operation", test_numbers_are_checked);
  ADD ("scope-reaches-the-panel", "single", test_scope_reaches_the_panel);
  ADD ("scope-of-all-layers", "mean-operation", test_scope_of_all_layers);
  ADD ("bad-scope-is-refused", "mean-operation", test_bad_scope_is_refused);
  ADD ("scope-shows-where-it-acts", "mean-operation", test_scope_shows_where_it_acts);
  ADD ("first-key-is-hidden", "mean-operation", test_first_key_is_hidden);
  ADD ("both-ends-are-typed", "mean-operation", test_both_ends_are_typed);
  ADD ("ends-show-where-they-count", "mean-operation", test_ends_show_where_they_count);
  ADD ("range-steps-by-keys", "mean-operation", test_range_steps_by_keys);
  ADD ("player-runs-there-and-back", "epsilon", test_player_runs_there_and_back);
  ADD ("play-moves-and-stops", "epsilon", test_play_moves_and_stops);
  ADD ("chart-shows-the-sweep", "epsilon", test_chart_shows_the_sweep);
  ADD ("only-factor-has-no-number", "compare", test_only_factor_has_no_number);
  ADD ("wheel-leaves-numbers-alone", "mean-operation", test_wheel_leaves_numbers_alone);
  ADD ("empty-chart-says-why", "epsilon", test_empty_chart_says_why);
  ADD ("chart-is-translated", "epsilon", test_chart_is_translated);
  return g_test_run ();
}
