/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the window says while one searches, draws or chooses: as much as there is, as long as it
 * holds. */

#include "config.h"

#include <glib/gstdio.h>
#include <string.h>

#include "attn-epsilon-slider.h"
#include "attn-export-dialog.h"
#include "attn-typed.h"
#include "window-fixture.h"

static void
search (const char *text)
{
  gtk_search_bar_set_search_mode (window->search_bar, TRUE);
  gtk_editable_set_text (window->search_entry, text);
  g_signal_emit_by_name (window->search_entry, "search-changed");
}

static void
assert_state (const char *state)
{
  g_assert_cmpstr (gtk_label_get_label (window->search_state), ==, state);
}

/* Only the first of three inputs has roses, in three panels: query, key and value. */
static void
test_search_goes_to_another_panel (gpointer      *fixture,
                                   gconstpointer  data)
{
  AttnGrid *grid = attn_reading_get (window->reading).grid;
  int last = (int) (grid->n_rows * grid->n_columns) - 1;

  g_assert_cmpint (last, ==, 8);
  go_to (last, 0, 0);
  search ("rose");
  assert_state ("In 3 panels");
  attn_window_find_next (window);
  g_assert_cmpint (attn_reading_get (window->reading).cursor.group, <, last);
  assert_state ("1 of 4 in this panel");
  g_assert_true (attn_reading_get (window->reading).cursor.row ==
                 attn_reading_get (window->reading).cursor.column);

  int first = attn_reading_get (window->reading).cursor.group;
  attn_window_find_previous (window);
  assert_state ("4 of 4 in this panel");
  g_assert_cmpint (attn_reading_get (window->reading).cursor.group, ==, first);
  search ("zebra");
  assert_state ("Not found");
  attn_window_find_next (window);
  assert_state ("Not found");
  g_assert_cmpint (attn_reading_get (window->reading).cursor.group, ==, first);
}

static void
test_search_of_one_panel_says_less (gpointer      *fixture,
                                    gconstpointer  data)
{
  attn_window_load_preset (window, "single");
  wait_for_figure (window);
  search ("rose");
  assert_state ("4 tokens");
  attn_window_find_next (window);
  assert_state ("1 of 4");
}

static gboolean
says_hint_of_tool (void)
{
  return strstr (gtk_label_get_label (window->readout_note), "Drag over") != NULL;
}

static gboolean
says_hint_below (void)
{
  return strstr (gtk_label_get_label (window->readout_panel), "Drag over") != NULL;
}

static void
test_hint_goes_with_its_tool (gpointer      *fixture,
                              gconstpointer  data)
{
  attn_reading_set_tool (window->reading, ATTN_READING_TOOL_ZOOM);
  g_assert_true (says_hint_of_tool ());
  attn_reading_set_tool (window->reading, ATTN_READING_TOOL_MOVE);
  g_assert_false (says_hint_of_tool ());

  go_to (0, 1, 1);
  attn_reading_set_tool (window->reading, ATTN_READING_TOOL_REGION);
  go_to (0, 2, 1);
  g_assert_true (says_hint_below ());
  attn_reading_set_tool (window->reading, ATTN_READING_TOOL_MOVE);
  g_assert_false (says_hint_below ());
  g_assert_false (says_hint_of_tool ());
  g_assert_cmpstr (gtk_label_get_label (window->readout_cell), !=, "");
}

/* A note of something else comes in between, and goes when it is old. */
static void
test_hint_stays_with_its_tool (gpointer      *fixture,
                               gconstpointer  data)
{
  attn_reading_set_tool (window->reading, ATTN_READING_TOOL_REGION);
  g_assert_cmpuint (window->note_timeout, ==, 0);
  g_assert_true (says_hint_of_tool ());
  attn_window_show_note (window, "Something was done");
  g_assert_false (says_hint_of_tool ());

  /* The time is over. */
  GSource *source = g_main_context_find_source_by_id (NULL, window->note_timeout);
  g_source_set_ready_time (source, 0);
  WAIT_UNTIL (window->note_timeout == 0);
  g_assert_true (says_hint_of_tool ());
  attn_reading_set_tool (window->reading, ATTN_READING_TOOL_MOVE);
  g_assert_false (says_hint_of_tool ());
}

static gboolean
escape_stops_work (void)
{
  return g_action_group_get_action_enabled (G_ACTION_GROUP (window), "escape");
}

/* Escape right behind an edit would take it back. */
static void
test_escape_leaves_what_one_does_first (gpointer      *fixture,
                                        gconstpointer  data)
{
  g_assert_false (escape_stops_work ());
  attn_work_bar_start (window->job_bar, "Computing");
  g_assert_false (escape_stops_work ());
  WAIT_UNTIL (attn_work_bar_is_shown (window->job_bar));
  g_assert_true (escape_stops_work ());
  attn_reading_set_tool (window->reading, ATTN_READING_TOOL_REGION);
  g_assert_false (escape_stops_work ());
  attn_reading_set_tool (window->reading, ATTN_READING_TOOL_MOVE);
  g_assert_true (escape_stops_work ());
  attn_work_bar_stop (window->job_bar);
  g_assert_false (escape_stops_work ());
}

static void
assert_meaning (const char *id,
                const char *beginning)
{
  wait_for_figure (window);
  WAIT_UNTIL (gtk_widget_get_mapped (find_id (window, id)));
  g_assert_true (g_str_has_prefix (gtk_label_get_label (find_id (window, id)), beginning));
}

static void
check_text (const char *text)
{
  g_assert_true (text == NULL || strstr (text, "5e-1") == NULL);
}

/* What a widget and all that is in it say, as labels, entries and tooltips. */
static void
check_texts (GtkWidget *widget)
{
  if (GTK_IS_LABEL (widget))
    check_text (gtk_label_get_label (GTK_LABEL (widget)));
  if (GTK_IS_EDITABLE (widget))
    check_text (gtk_editable_get_text (GTK_EDITABLE (widget)));
  check_text (gtk_widget_get_tooltip_text (widget));
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    check_texts (child);
}

/* The window writes an ε in one way, 0.5, also where it names a panel that the figure of a paper
 * calls ε = 5e-1. */
static void
test_epsilon_is_written_in_one_way (gpointer      *fixture,
                                    gconstpointer  data)
{
  attn_window_load_preset (window, "epsilon");
  wait_for_figure (window);
  g_assert_cmpstr (attn_reading_get (window->reading).grid->cells[0].name, ==, "Query, ε = 5e-1");
  g_action_group_change_action_state (G_ACTION_GROUP (window), "inspector",
                                      g_variant_new_boolean (TRUE));
  go_to (0, 2, 1);
  WAIT_UNTIL (find_label_with (window, "ε = 0.5") != NULL);
  check_texts (GTK_WIDGET (window));
  g_action_group_change_action_state (G_ACTION_GROUP (window), "maximize-panel",
                                      g_variant_new_boolean (TRUE));
  activate ("palette");
  check_texts (GTK_WIDGET (window));
}

/* What is told on the strip does not stay over the palette. */
static void
test_palette_hides_what_is_told (gpointer      *fixture,
                                 gconstpointer  data)
{
  gboolean is_shown;

  attn_window_load_preset (window, "epsilon");
  wait_for_figure (window);
  GtkWidget *slider = find_widget (window, ATTN_TYPE_EPSILON_SLIDER);
  WAIT_UNTIL (gtk_widget_get_height (slider) > 0);
  g_signal_emit_by_name (slider, "query-tooltip", 200, gtk_widget_get_height (slider) / 2, FALSE,
                         NULL, &is_shown);
  GtkWidget *tip = find_widget (slider, GTK_TYPE_POPOVER);
  WAIT_UNTIL (gtk_widget_get_mapped (tip));
  activate ("palette");
  g_assert_false (gtk_widget_get_visible (tip));
}

/* The inspector does not ask for a click where a click opens another figure. */
static void
test_inspector_says_what_a_click_does (gpointer      *fixture,
                                       gconstpointer  data)
{
  g_action_group_change_action_state (G_ACTION_GROUP (window), "inspector",
                                      g_variant_new_boolean (TRUE));
  WAIT_UNTIL (find_label (window, "Click a cell,") != NULL);
  attn_window_load_preset (window, "score-atlas");
  WAIT_UNTIL (find_label (window, "a click opens it") != NULL);
  g_assert_null (find_label (window, "Click a cell,"));
}

/* The strip names the components that the mean changes, and where it does. */
static void
test_mean_says_what_it_changes (gpointer      *fixture,
                                gconstpointer  data)
{
  attn_window_load_preset (window, "state");
  gtk_check_button_set_active (find_id (window, "components:key"), TRUE);
  gtk_toggle_button_set_active (find_id (window, "axis:head"), TRUE);
  assert_meaning ("axis_meaning",
                  "Key (all layers): every vector becomes the mean over the heads");
  gtk_check_button_set_active (find_id (window, "components:value"), TRUE);
  assert_meaning ("axis_meaning", "Key, Value (all layers): every vector");
  attn_window_load_preset (window, "mean-operation");
  activate ("undo");
  activate ("redo");
  assert_meaning ("axis_meaning",
                  "Query / Key / Value (this head): every vector becomes the mean over the heads");
  g_assert_cmpstr (gtk_widget_get_tooltip_text (find_id (window, "axis:token")), ==,
                   "Query / Key / Value (this head): every vector becomes the mean over the "
                   "tokens");
  gtk_check_button_set_active (find_id (window, "scope.heads:shown:axis"), FALSE);
  assert_meaning ("axis_meaning", "Query / Key / Value: every vector");
}

/* The strip does not say that something is replaced as long as no component is chosen. */
static void
test_no_component_is_no_replacement (gpointer      *fixture,
                                     gconstpointer  data)
{
  attn_window_load_preset (window, "state");
  assert_meaning ("axis_meaning", "Choose a component");
  gtk_check_button_set_active (find_id (window, "components:key"), TRUE);
  assert_meaning ("axis_meaning", "Key (all layers): each vector becomes its own mean");
  gtk_toggle_button_set_active (find_id (window, "operation:zero"), TRUE);
  assert_meaning ("zero_meaning", "Zero ablation");
  gtk_check_button_set_active (find_id (window, "components:key"), FALSE);
  assert_meaning ("zero_meaning", "Choose a component");
  attn_window_load_preset (window, "score-atlas");
  assert_meaning ("zero_meaning", "The output of one head");
}

/* --- A number that cannot be used ------------------------------------------------------------- */

static gboolean
press_escape (gpointer widget)
{
  g_autoptr (GPtrArray) keys = find_controllers (widget, GTK_TYPE_EVENT_CONTROLLER_KEY);
  gboolean is_taken = FALSE;

  for (guint i = 0; i < keys->len && !is_taken; i++)
    g_signal_emit_by_name (keys->pdata[i], "key-pressed", GDK_KEY_Escape, 0, 0, &is_taken);
  return is_taken;
}

static GtkLabel *
find_refusal (void)
{
  return find_label_with (window->notices, "That Cannot Be Used");
}

/* Types what is no number at the first handle. */
static GtkEditable *
type_nonsense (void)
{
  GtkWidget *slider = find_widget (window, ATTN_TYPE_EPSILON_SLIDER);
  GtkEditable *entry = find_widget (slider, GTK_TYPE_ENTRY);

  gtk_widget_grab_focus (GTK_WIDGET (entry));
  gtk_editable_set_text (entry, "many");
  return entry;
}

/* Leaves a number for the handle, as Tab does. */
static void
leave (GtkEditable *entry)
{
  gtk_widget_grab_focus (
      find_widget (gtk_widget_get_parent (GTK_WIDGET (entry)), GTK_TYPE_SCALE));
}

/* What is said of a number that was refused goes with it; one that was refused as it was left is
 * said until a number is taken. */
static void
test_refusal_goes_with_its_cause (gpointer      *fixture,
                                  gconstpointer  data)
{
  wait_for_figure (window);
  GtkEditable *entry = type_nonsense ();
  g_signal_emit_by_name (entry, "activate");
  g_assert_nonnull (find_refusal ());
  g_assert_true (press_escape (entry));
  WAIT_UNTIL (find_refusal () == NULL);
  g_autofree char *factor = g_strdup (gtk_editable_get_text (entry));

  g_signal_emit_by_name (type_nonsense (), "activate");
  g_assert_nonnull (find_refusal ());
  leave (entry);
  WAIT_UNTIL (find_refusal () == NULL);

  leave (type_nonsense ());
  g_assert_cmpstr (gtk_editable_get_text (entry), ==, factor);
  gtk_test_widget_wait_for_draw (GTK_WIDGET (window));
  g_assert_nonnull (find_refusal ());
  /* The number that acts is taken, too, though nothing changes. */
  g_signal_emit_by_name (entry, "activate");
  WAIT_UNTIL (find_refusal () == NULL);

  /* A press on what is said leaves the number. */
  g_signal_emit_by_name (type_nonsense (), "activate");
  gtk_widget_grab_focus (GTK_WIDGET (find_refusal ()));
  WAIT_UNTIL (find_refusal () == NULL);
  g_assert_cmpstr (gtk_editable_get_text (entry), ==, factor);
}

/* So does what is said of the ε of a further operation. */
static void
test_refused_operation_is_mended (gpointer      *fixture,
                                  gconstpointer  data)
{
  wait_for_figure (window);
  AttnStudy *study = attn_study_copy (attn_session_get_study (window->session));
  g_ptr_array_add (study->extra_interventions,
                   attn_intervention_new_scale (ATTN_COMPONENT_KEY, 0.5, ATTN_SITE_PROJECTION));
  attn_session_edit (window->session, study, NULL);
  GtkEditable *factor = find_widget (find_id (window, "operations"), GTK_TYPE_ENTRY);

  g_assert_cmpstr (gtk_editable_get_text (factor), ==, "0.5");
  gtk_editable_set_text (factor, "many");
  g_signal_emit_by_name (factor, "activate");
  g_assert_nonnull (find_refusal ());
  gtk_editable_set_text (factor, "0.5");
  g_signal_emit_by_name (factor, "activate");
  WAIT_UNTIL (find_refusal () == NULL);
  g_assert_false (gtk_widget_has_css_class (GTK_WIDGET (factor), "error"));
}

/* So does what is said of a range, where the one that acts is typed again. */
static void
test_refused_range_is_mended (gpointer      *fixture,
                              gconstpointer  data)
{
  wait_for_figure (window);
  GtkEditable *low = find_id (window, "low");
  g_autofree char *acting = g_strdup (gtk_editable_get_text (low));

  gtk_editable_set_text (low, "9");
  g_signal_emit_by_name (low, "activate");
  g_assert_nonnull (find_refusal ());
  g_assert_true (gtk_widget_has_css_class (GTK_WIDGET (low), "error"));
  gtk_editable_set_text (low, acting);
  g_signal_emit_by_name (low, "activate");
  WAIT_UNTIL (find_refusal () == NULL);
  g_assert_false (gtk_widget_has_css_class (GTK_WIDGET (low), "error"));
}

/* A spin button takes another number than was typed, and says so. */
static void
test_spin_says_its_range (gpointer      *fixture,
                          gconstpointer  data)
{
  wait_for_figure (window);
  GtkEditable *spin = find_id (window, "continuation");

  gtk_editable_set_text (spin, "-9");
  gtk_spin_button_update (GTK_SPIN_BUTTON (spin));
  g_assert_cmpstr (gtk_editable_get_text (spin), ==, "0");
  g_assert_nonnull (find_label_with (window, "“-9” found, expected a number from 0 to "));
  gtk_editable_set_text (spin, "1");
  gtk_spin_button_update (GTK_SPIN_BUTTON (spin));
  g_assert_null (find_label_with (window, "“1” found"));
  WAIT_UNTIL (find_label_with (window, "“-9” found") == NULL);

  /* What is read as the focus leaves is still told when it has left. */
  gtk_widget_grab_focus (GTK_WIDGET (spin));
  gtk_editable_set_text (spin, "-8");
  gtk_window_set_focus (GTK_WINDOW (window), NULL);
  g_assert_cmpstr (gtk_editable_get_text (spin), ==, "0");
  while (g_main_context_iteration (NULL, FALSE))
    continue;
  g_assert_nonnull (find_label_with (window, "“-8” found"));
}

static void
assert_components (gboolean query,
                   gboolean key,
                   gboolean value)
{
  const gboolean *components = attn_session_get_study (window->session)->components;

  g_assert_cmpint (components[ATTN_COMPONENT_QUERY], ==, query);
  g_assert_cmpint (components[ATTN_COMPONENT_KEY], ==, key);
  g_assert_cmpint (components[ATTN_COMPONENT_VALUE], ==, value);
}

/* The key of a component chooses it alone, and once more all; the key of another chooses that. */
static void
test_component_alone_and_all_again (gpointer      *fixture,
                                    gconstpointer  data)
{
  GVariant *key = g_variant_ref_sink (g_variant_new ("(sb)", "key", FALSE));
  GVariant *value = g_variant_ref_sink (g_variant_new ("(sb)", "value", FALSE));

  wait_for_figure (window);
  assert_components (TRUE, TRUE, TRUE);
  g_action_group_activate_action (G_ACTION_GROUP (window), "component", key);
  assert_components (FALSE, TRUE, FALSE);
  g_action_group_activate_action (G_ACTION_GROUP (window), "component", value);
  assert_components (FALSE, FALSE, TRUE);
  g_action_group_activate_action (G_ACTION_GROUP (window), "component", value);
  assert_components (TRUE, TRUE, TRUE);
  g_assert_nonnull (strstr (gtk_widget_get_tooltip_text (find_id (window, "components:key")),
                            "by K, only them, and once more all three"));
  wait_for_figure (window);
  g_variant_unref (key);
  g_variant_unref (value);
}

static AttnExportDialog *
find_export_dialog (void)
{
  g_autoptr (GList) windows = gtk_window_list_toplevels ();

  for (GList *w = windows; w != NULL; w = w->next)
    if (ATTN_IS_EXPORT_DIALOG (w->data) && gtk_widget_get_visible (w->data))
      return w->data;
  g_assert_not_reached ();
}

/* What is chosen in the export dialog is there when it is opened again, though nothing was
 * exported. */
static void
test_export_choices_are_kept (gpointer      *fixture,
                              gconstpointer  data)
{
  gboolean has_titles = get_shown_study ()->style.shows_titles;

  activate ("export");
  AttnExportDialog *dialog = find_export_dialog ();
  gtk_widget_activate_action (GTK_WIDGET (dialog), "export.columns", "i", 1);
  gtk_check_button_set_active (find_id (dialog, "style.shows-titles"), !has_titles);
  gtk_window_close (GTK_WINDOW (dialog));
  iterate ();

  activate ("export");
  dialog = find_export_dialog ();
  const AttnStudy *chosen = attn_export_dialog_get_study (dialog);
  g_assert_cmpfloat (chosen->page.width, ==, 85);
  g_assert_cmpfloat (chosen->style.font_size, <, get_shown_study ()->style.font_size);
  g_assert_true (chosen->style.shows_titles != has_titles);
  g_assert_true (get_shown_study ()->style.shows_titles == has_titles);
  gtk_window_destroy (GTK_WINDOW (dialog));
  iterate ();
}

/* Another figure in the window, such as of another head, leaves what was chosen in the open dialog;
 * of the window's own settings, those that were not chosen there follow. */
static void
test_export_choices_outlast_another_figure (gpointer      *fixture,
                                            gconstpointer  data)
{
  AttnStyle shown = get_shown_study ()->style;

  wait_for_figure (window);
  activate ("export");
  AttnExportDialog *dialog = find_export_dialog ();
  gtk_widget_activate_action (GTK_WIDGET (dialog), "export.columns", "i", 1);
  gtk_check_button_set_active (find_id (dialog, "style.shows-titles"), !shown.shows_titles);
  gtk_check_button_set_active (find_id (dialog, "style.shows-values"), !shown.shows_values);
  double font_size = attn_export_dialog_get_study (dialog)->style.font_size;

  AttnStudy *study = attn_study_copy (attn_session_get_study (window->session));
  study->layer = 0;
  study->head = 1;
  study->style.shows_caption = !shown.shows_caption;
  attn_session_edit (window->session, study, NULL);
  wait_for_figure (window);
  const AttnStudy *chosen = attn_export_dialog_get_study (dialog);
  g_assert_cmpint (chosen->head, ==, 1);
  g_assert_true (chosen->style.shows_titles != shown.shows_titles);
  g_assert_true (chosen->style.shows_values != shown.shows_values);
  g_assert_true (chosen->style.shows_caption != shown.shows_caption);
  g_assert_cmpfloat (chosen->page.width, ==, 85);
  g_assert_cmpfloat (chosen->style.font_size, ==, font_size);
  g_assert_true (gtk_check_button_get_active (find_id (dialog, "style.shows-titles")) !=
                 shown.shows_titles);
  gtk_window_destroy (GTK_WINDOW (dialog));
  iterate ();
}

/* The part of the panels is chosen, too, and the panel of a format that holds one. */
static void
test_export_part_outlasts_another_figure (gpointer      *fixture,
                                          gconstpointer  data)
{
  wait_for_figure (window);
  attn_reading_do (window->reading, ATTN_COMMAND_ZOOM, 2, 0);
  activate ("export");
  AttnExportDialog *dialog = find_export_dialog ();
  gtk_drop_down_set_selected (find_id (dialog, "part"), 1);
  gtk_drop_down_set_selected (find_id (dialog, "panel"), 5);
  g_assert_false (attn_viewport_is_fit (&attn_export_dialog_get_study (dialog)->viewport));

  AttnStudy *study = attn_study_copy (attn_session_get_study (window->session));
  study->components[ATTN_COMPONENT_QUERY] = FALSE;
  attn_session_edit (window->session, study, NULL);
  wait_for_figure (window);
  g_assert_false (attn_viewport_is_fit (&attn_export_dialog_get_study (dialog)->viewport));
  /* “Input 2, Value” is the sixth of nine, and the fourth of six. */
  g_assert_cmpint (attn_export_dialog_get_panel (dialog), ==, 3);
  gtk_window_destroy (GTK_WINDOW (dialog));
  attn_reading_do (window->reading, ATTN_COMMAND_FIT, 0, 0);
  iterate ();
}

/* Returns the contents of a file, and removes it. */
static GBytes *
read_file (const char *directory,
           const char *name)
{
  g_autofree char *path = g_build_filename (directory, name, NULL);
  g_autoptr (GError) error = NULL;
  char *bytes = NULL;
  gsize n_bytes;

  g_file_get_contents (path, &bytes, &n_bytes, &error);
  g_assert_no_error (error);
  g_unlink (path);
  return g_bytes_new_take (bytes, n_bytes);
}

/* Runs a line of a shell in a directory, and returns the file that it writes there. */
static GBytes *
run_line (const char *line,
          const char *directory,
          const char *name)
{
  g_autoptr (GSubprocessLauncher) launcher =
      g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDERR_SILENCE);
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) words = NULL;

  g_assert_true (g_shell_parse_argv (line, NULL, &words, NULL));
  g_free (words[0]);
  words[0] = g_test_build_filename (G_TEST_BUILT, "..", "src", "attention-grid", NULL);
  g_subprocess_launcher_set_cwd (launcher, directory);
  g_autoptr (GSubprocess) process =
      g_subprocess_launcher_spawnv (launcher, (const char * const *) words, &error);
  g_assert_no_error (error);
  g_subprocess_wait_check (process, NULL, &error);
  g_assert_no_error (error);
  return read_file (directory, name);
}

/* Exports the figure as the open dialog says, and closes it. */
static GBytes *
export_as (AttnExportDialog *dialog,
           const char       *directory,
           const char       *name,
           AttnExportKind    kind)
{
  g_autofree char *path = g_build_filename (directory, name, NULL);
  g_autoptr (AttnResult) result = attn_export_dialog_dup_result (dialog);

  gtk_window_close (GTK_WINDOW (dialog));
  iterate ();
  attn_window_export (window, result, path, kind, 0);
  WAIT_UNTIL (window->exporting == NULL);
  return read_file (directory, name);
}

static char *
copy_line (void)
{
  gdk_clipboard_set_content (gtk_widget_get_clipboard (GTK_WIDGET (window)), NULL);
  activate ("copy-command");
  return read_copied_text (window);
}

/* After an export the command has its format, its name and what was chosen for it, and draws the
 * same bytes; of a figure that is not drawn, such as an array, nothing is kept. */
static void
test_command_is_that_of_the_export (gpointer      *fixture,
                                    gconstpointer  data)
{
  static const char * const names[] = { "a b.svg", "plain.pdf", "large.png", "page.html" };
  g_autofree char *directory = g_dir_make_tmp ("attention-grid-command-XXXXXX", NULL);
  g_autofree char *first = copy_line ();

  wait_for_figure (window);
  g_assert_true (g_str_has_suffix (first, " -o figure.svg"));
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *quoted = g_shell_quote (names[i]);
      g_autofree char *end =
          g_strdup_printf (" -o %s", strchr (names[i], ' ') != NULL ? quoted : names[i]);
      AttnExportKind kind;

      g_assert_true (attn_export_kind_parse (names[i], &kind, NULL));
      activate ("export");
      AttnExportDialog *dialog = find_export_dialog ();
      gtk_widget_activate_action (GTK_WIDGET (dialog), "export.columns", "i", (int) i);
      gtk_check_button_set_active (find_id (dialog, "style.shows-caption"), i % 2 == 0);
      g_autoptr (GBytes) exported = export_as (dialog, directory, names[i], kind);
      g_autofree char *line = copy_line ();
      g_assert_true (g_str_has_suffix (line, end));
      g_autoptr (GBytes) drawn = run_line (line, directory, names[i]);
      g_assert_true (g_bytes_equal (drawn, exported));
    }

  activate ("export");
  g_autoptr (GBytes) array =
      export_as (find_export_dialog (), directory, "weights.json", attn_export_kind_get_n () - 1);
  g_autofree char *same = copy_line ();
  g_assert_true (g_str_has_suffix (same, " -o page.html"));
  attn_window_load_preset (window, "single");
  wait_for_figure (window);
  g_autofree char *other = copy_line ();
  g_assert_true (g_str_has_suffix (other, " -o figure.html"));
  g_rmdir (directory);
}

/* The dialog copies the command of what is chosen in it, which is exported under the name that it
 * offers; no command draws an array. */
static void
test_dialog_copies_its_command (gpointer      *fixture,
                                gconstpointer  data)
{
  g_autofree char *directory = g_dir_make_tmp ("attention-grid-command-XXXXXX", NULL);

  wait_for_figure (window);
  activate ("export");
  AttnExportDialog *dialog = find_export_dialog ();
  GtkWidget *button = find_id (dialog, "copy_command");
  gtk_drop_down_set_selected (find_id (dialog, "kind"), ATTN_EXPORT_PDF);
  gtk_widget_activate_action (GTK_WIDGET (dialog), "export.columns", "i", 2);
  gtk_check_button_set_active (find_id (dialog, "style.shows-caption"), FALSE);
  g_assert_true (gtk_widget_get_sensitive (button));
  g_signal_emit_by_name (button, "clicked");
  g_assert_cmpstr (gtk_button_get_label (GTK_BUTTON (button)), ==, "Copied");
  g_autofree char *line = read_copied_text (window);
  g_auto (GStrv) words = NULL;
  g_assert_true (g_shell_parse_argv (line, NULL, &words, NULL));
  const char *name = words[g_strv_length (words) - 1];
  g_assert_cmpstr (strrchr (name, '.'), ==, ".pdf");
  g_autoptr (GBytes) drawn = run_line (line, directory, name);

  gtk_drop_down_set_selected (find_id (dialog, "kind"), attn_export_kind_get_n () - 1);
  g_assert_false (gtk_widget_get_sensitive (button));
  g_assert_cmpstr (gtk_button_get_label (GTK_BUTTON (button)), ==, "Copy as Command");
  g_settings_reset (window->settings, "export-format");
  g_autoptr (GBytes) exported = export_as (dialog, directory, name, ATTN_EXPORT_PDF);
  g_assert_true (g_bytes_equal (drawn, exported));
  g_rmdir (directory);
}

/* Each number of the dialog says what it is of: of the page, the file, the text. */
static void
test_export_says_what_numbers_are_of (gpointer      *fixture,
                                      gconstpointer  data)
{
  wait_for_figure (window);
  activate ("export");
  AttnExportDialog *dialog = find_export_dialog ();
  WAIT_UNTIL (find_label_with (dialog, "Page ") != NULL);
  const char *text = gtk_label_get_label (find_label_with (dialog, "Page "));
  g_assert_true (g_regex_match_simple ("^Page \\d+ × \\d+ mm · file .*B · smallest text [\\d.]+ pt",
                                       text, 0, 0));
  g_assert_cmpstr (gtk_label_get_label (find_id (dialog, "width_unit")), ==, "pt");
  g_assert_nonnull (find_label (find_id (dialog, "font"), "pt"));
  gtk_window_destroy (GTK_WINDOW (dialog));
  iterate ();
}

/* Another unit leaves the page as large as it is; what is no length is not exported. */
static void
test_export_size_is_converted (gpointer      *fixture,
                               gconstpointer  data)
{
  activate ("export");
  AttnExportDialog *dialog = find_export_dialog ();
  GtkEditable *width = find_id (dialog, "width");

  gtk_drop_down_set_selected (find_id (dialog, "unit_choice"), ATTN_UNIT_MILLIMETRES);
  gtk_editable_set_text (width, "254");
  gtk_drop_down_set_selected (find_id (dialog, "unit_choice"), ATTN_UNIT_INCHES);
  g_assert_cmpstr (gtk_editable_get_text (width), ==, "10");
  g_assert_cmpstr (gtk_label_get_label (find_id (dialog, "width_unit")), ==, "in");
  const AttnExportOptions *page = &attn_export_dialog_get_study (dialog)->page;
  g_assert_true (page->unit == ATTN_UNIT_INCHES);
  g_assert_cmpfloat (page->width, ==, 10);

  gtk_editable_set_text (width, "wide");
  g_assert_true (attn_typed_is_refused (GTK_WIDGET (width)));
  g_assert_false (gtk_widget_get_sensitive (gtk_window_get_default_widget (GTK_WINDOW (dialog))));
  gtk_editable_set_text (width, "");
  g_assert_false (attn_typed_is_refused (GTK_WIDGET (width)));
  g_assert_cmpfloat (attn_export_dialog_get_study (dialog)->page.width, ==, 0);
  gtk_window_destroy (GTK_WINDOW (dialog));
  iterate ();
}

#define ADD(name, test) ADD_TO ("/app/window-tools/", name, NULL, test)

int
main (int    argc,
      char **argv)
{
  fixture_init (&argc, &argv);
  application = fixture_new_application ();
  ADD ("search-goes-to-another-panel", test_search_goes_to_another_panel);
  ADD ("search-of-one-panel-says-less", test_search_of_one_panel_says_less);
  ADD ("hint-goes-with-its-tool", test_hint_goes_with_its_tool);
  ADD ("hint-stays-with-its-tool", test_hint_stays_with_its_tool);
  ADD ("escape-leaves-what-one-does-first", test_escape_leaves_what_one_does_first);
  ADD ("component-alone-and-all-again", test_component_alone_and_all_again);
  ADD ("no-component-is-no-replacement", test_no_component_is_no_replacement);
  ADD ("mean-says-what-it-changes", test_mean_says_what_it_changes);
  ADD ("inspector-says-what-a-click-does", test_inspector_says_what_a_click_does);
  ADD ("palette-hides-what-is-told", test_palette_hides_what_is_told);
  ADD ("epsilon-is-written-in-one-way", test_epsilon_is_written_in_one_way);
  ADD_TO ("/app/window-tools/", "refusal-goes-with-its-cause", "epsilon",
          test_refusal_goes_with_its_cause);
  ADD ("refused-operation-is-mended", test_refused_operation_is_mended);
  ADD ("refused-range-is-mended", test_refused_range_is_mended);
  ADD ("spin-says-its-range", test_spin_says_its_range);
  ADD ("export-choices-are-kept", test_export_choices_are_kept);
  ADD ("export-choices-outlast-another-figure", test_export_choices_outlast_another_figure);
  ADD ("export-part-outlasts-another-figure", test_export_part_outlasts_another_figure);
  ADD ("command-is-that-of-the-export", test_command_is_that_of_the_export);
  ADD ("dialog-copies-its-command", test_dialog_copies_its_command);
  ADD ("export-says-what-numbers-are-of", test_export_says_what_numbers_are_of);
  ADD ("export-size-is-converted", test_export_size_is_converted);
  return fixture_run (application);
}
