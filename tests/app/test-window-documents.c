/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a window does with files and with what it has to say about them: dropped files, a study that
 * two windows want, notices, and a figure that is not that of the study. */

#include "config.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "../save-arrays.h"
#include "app-fixture.h"
#include "attn-epsilon-slider.h"
#include "attn-export-dialog.h"
#include "attn-recent.h"

static GtkApplication *application;

typedef struct
{
  AttnWindow *window;
  char *directory;
} Fixture;

static void
set_up (Fixture       *fixture,
        gconstpointer  data)
{
  fixture->directory = g_dir_make_tmp ("attn-documents-XXXXXX", NULL);
  fixture->window = open_window (application);
}

static void
tear_down (Fixture       *fixture,
           gconstpointer  data)
{
  const char *name;

  while (gtk_application_get_windows (application) != NULL)
    close_window (gtk_application_get_windows (application)->data);
  g_autoptr (GDir) dir = g_dir_open (fixture->directory, 0, NULL);
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (fixture->directory, name, NULL);

      g_unlink (path);
    }
  g_rmdir (fixture->directory);
  g_free (fixture->directory);
}

static char *
save_preset (Fixture    *fixture,
             const char *preset,
             const char *name)
{
  g_autoptr (AttnStudy) study = attn_presets_load (preset, NULL);
  char *path = g_build_filename (fixture->directory, name, NULL);

  g_assert_true (attn_study_save (study, path, NULL));
  return path;
}

static void
drop (AttnWindow         *window,
      const char * const *paths)
{
  g_autoptr (GPtrArray) targets = find_controllers (window, GTK_TYPE_DROP_TARGET);
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func (g_object_unref);
  g_auto (GValue) value = G_VALUE_INIT;
  gboolean is_taken = FALSE;

  for (guint i = 0; paths[i] != NULL; i++)
    g_ptr_array_add (files, g_file_new_for_path (paths[i]));
  g_value_init (&value, GDK_TYPE_FILE_LIST);
  g_value_take_boxed (&value, gdk_file_list_new_from_array ((GFile **) files->pdata, files->len));
  for (guint i = 0; i < targets->len; i++)
    g_signal_emit_by_name (targets->pdata[i], "drop", &value, 0.0, 0.0, &is_taken);
  g_assert_true (is_taken);
}

/* The window that shows the file, or %NULL. */
static AttnWindow *
find_window (const char *path)
{
  return attn_window_find_document (gtk_application_get_windows (application)->data, path);
}

/* Opens a file and waits until it is read. */
static void
open_path (AttnWindow *window,
           const char *path)
{
  attn_window_open_path (window, path);
  WAIT_UNTIL (window->opening == NULL);
}

/* Saves the study and waits until it is written. */
static void
save (AttnWindow *window)
{
  g_action_group_activate_action (G_ACTION_GROUP (window), "save", NULL);
  WAIT_UNTIL (window->saving == NULL);
}

static guint
count_windows (void)
{
  return g_list_length (gtk_application_get_windows (application));
}

static void
test_dropped_text_is_an_input (Fixture       *fixture,
                               gconstpointer  data)
{
  g_autofree char *path = g_build_filename (fixture->directory, "words.txt", NULL);
  const char *paths[] = { path, NULL };
  guint n = attn_session_get_study (fixture->window->session)->inputs->len;

  g_assert_true (g_file_set_contents (path, "The sea is the sea.\n", -1, NULL));
  drop (fixture->window, paths);
  WAIT_UNTIL (attn_session_get_study (fixture->window->session)->inputs->len == n + 1);
  const AttnInput *input =
      g_ptr_array_index (attn_session_get_study (fixture->window->session)->inputs, n);
  g_assert_cmpstr (input->text, ==, "The sea is the sea.");
}

/* As it comes from the command line, before the window shows a figure. */
static void
test_opened_text_is_an_input (Fixture       *fixture,
                              gconstpointer  data)
{
  g_autofree char *path = g_build_filename (fixture->directory, "words.txt", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  AttnWindow *window = attn_window_new (application);
  guint n = attn_session_get_study (window->session)->inputs->len;

  g_assert_true (g_file_set_contents (path, "The sea is the sea.\n", -1, NULL));
  attn_window_open (window, file);
  gtk_window_present (GTK_WINDOW (window));
  WAIT_UNTIL (attn_session_get_study (window->session)->inputs->len == n + 1);
  const AttnInput *input =
      g_ptr_array_index (attn_session_get_study (window->session)->inputs, n);
  g_assert_cmpstr (input->text, ==, "The sea is the sea.");
  wait_for_figure (window);
}

static void
test_dropped_studies_have_a_window_each (Fixture       *fixture,
                                         gconstpointer  data)
{
  g_autofree char *first = save_preset (fixture, "epsilon", "first.json");
  g_autofree char *second = save_preset (fixture, "single", "second.json");
  const char *paths[] = { first, second, NULL };

  drop (fixture->window, paths);
  WAIT_UNTIL (count_windows () == 2);
  WAIT_UNTIL (find_window (first) == fixture->window);
  WAIT_UNTIL (find_window (second) != NULL);
  g_assert_true (find_window (second) != fixture->window);
}

static void
change (AttnWindow *window)
{
  AttnStudy *study = attn_study_copy (attn_session_get_study (window->session));

  study->shows_differences = !study->shows_differences;
  study->style.n_digits++;
  attn_session_edit (window->session, study, NULL);
}

/* By whatever name: what one saved the other would write over. */
static void
test_study_is_opened_once (Fixture       *fixture,
                           gconstpointer  data)
{
  g_autofree char *path = save_preset (fixture, "epsilon", "study.json");
  g_autofree char *other_name = g_build_filename (fixture->directory, ".", "study.json", NULL);
  AttnWindow *second = open_window (application);

  open_path (fixture->window, path);
  open_path (second, other_name);
  g_assert_null (attn_session_get_document (second->session)->path);
  g_auto (GStrv) shown = attn_window_list_documents (second, NULL);
  g_assert_cmpstr (attn_document_file_find_same (other_name, (const char * const *) shown), ==,
                   path);
  change (fixture->window);
  open_path (fixture->window, path);
  g_assert_cmpuint (count_windows (), ==, 2);
}

/* With the events that closing it brings: while the pointer counts as in the menu, a tooltip may be
 * about to be shown, of which GTK 4.8 complains when the menu is gone. */
static void
close_menu (AttnWindow *window)
{
  gtk_menu_button_popdown (window->open_button);
  gdk_display_sync (gtk_widget_get_display (GTK_WIDGET (window)));
  iterate ();
}

/* Until it offers what there is. */
static void
open_menu (AttnWindow *window)
{
  gtk_menu_button_popup (window->open_button);
  while (window->listing != NULL)
    g_main_context_iteration (NULL, TRUE);
}

static char *
dup_recent (AttnWindow *window,
            int         index)
{
  g_autoptr (GVariant) label = g_menu_model_get_item_attribute_value (
      G_MENU_MODEL (window->recent_section), index, G_MENU_ATTRIBUTE_LABEL, NULL);

  return label != NULL ? g_variant_dup_string (label, NULL) : NULL;
}

/* The menu offers what was opened; where names are the same, it says of which folder. */
static void
test_recent_are_offered (Fixture       *fixture,
                         gconstpointer  data)
{
  g_autofree char *folder = g_build_filename (fixture->directory, "folder", NULL);
  g_autofree char *other = g_build_filename (fixture->directory, "other", NULL);
  g_autofree char *first = g_build_filename (folder, "my_study.json", NULL);
  g_autofree char *second = g_build_filename (other, "my_study.json", NULL);
  g_autoptr (AttnStudy) study = attn_presets_load ("epsilon", NULL);

  g_mkdir (folder, 0700);
  g_mkdir (other, 0700);
  g_assert_true (attn_study_save (study, first, NULL));
  g_assert_true (attn_study_save (study, second, NULL));
  attn_recent_clear ();
  attn_recent_add (first);
  open_menu (fixture->window);
  g_autofree char *alone = dup_recent (fixture->window, 0);
  g_assert_cmpstr (alone, ==, "my__study.json");
  close_menu (fixture->window);

  attn_recent_add (second);
  open_menu (fixture->window);
  g_autofree char *newest = dup_recent (fixture->window, 0);
  g_autofree char *oldest = dup_recent (fixture->window, 1);
  g_assert_cmpstr (newest, ==, "my__study.json (other)");
  g_assert_cmpstr (oldest, ==, "my__study.json (folder)");
  close_menu (fixture->window);
  attn_recent_clear ();
  g_unlink (first);
  g_unlink (second);
  g_rmdir (folder);
  g_rmdir (other);
}

/* Opens the menu and waits until it offers what there is. */
static void
offer_found (AttnWindow *window)
{
  gtk_menu_button_popup (window->open_button);
  WAIT_UNTIL (window->searching == NULL);
}

/* So are the models that llama.cpp has downloaded; without any there is no such item, and what is
 * offered already stays the same item. */
static void
test_found_models_are_offered (Fixture       *fixture,
                               gconstpointer  data)
{
  g_autofree char *path = g_build_filename (fixture->directory, "a_model.gguf", NULL);
  GMenuModel *section = G_MENU_MODEL (fixture->window->found_section);

  WAIT_UNTIL (fixture->window->searching == NULL);
  g_setenv ("LLAMA_CACHE", fixture->directory, TRUE);
  offer_found (fixture->window);
  g_assert_cmpint (g_menu_model_get_n_items (section), ==, 0);
  close_menu (fixture->window);

  g_assert_true (g_file_set_contents (path, "", 0, NULL));
  offer_found (fixture->window);
  g_assert_cmpint (g_menu_model_get_n_items (section), ==, 1);
  g_autoptr (GMenuModel) programs = g_menu_model_get_item_link (section, 0, G_MENU_LINK_SUBMENU);
  g_autoptr (GMenuModel) models = g_menu_model_get_item_link (programs, 0, G_MENU_LINK_SECTION);
  g_autoptr (GVariant) label =
      g_menu_model_get_item_attribute_value (models, 0, G_MENU_ATTRIBUTE_LABEL, NULL);
  g_autoptr (GVariant) target =
      g_menu_model_get_item_attribute_value (models, 0, G_MENU_ATTRIBUTE_TARGET, NULL);
  g_assert_cmpstr (g_variant_get_string (label, NULL), ==, "a__model");
  g_assert_cmpstr (g_variant_get_bytestring (target), ==, path);
  close_menu (fixture->window);

  offer_found (fixture->window);
  g_autoptr (GMenuModel) again = g_menu_model_get_item_link (section, 0, G_MENU_LINK_SUBMENU);
  g_assert_true (again == programs);
  close_menu (fixture->window);
  g_unsetenv ("LLAMA_CACHE");
  g_unlink (path);
}

static GtkWidget *
find_notice (AttnWindow *window,
             const char *title)
{
  for (GtkWidget *bar = gtk_widget_get_first_child (GTK_WIDGET (window->notices)); bar != NULL;
       bar = gtk_widget_get_next_sibling (bar))
    if (g_object_get_data (G_OBJECT (bar), "attn-notice-id") != NULL &&
        strstr (g_object_get_data (G_OBJECT (bar), "attn-notice-text"), title) != NULL)
      return bar;
  return NULL;
}

static void
test_file_of_another_window_is_not_written_over (Fixture       *fixture,
                                                 gconstpointer  data)
{
  g_autofree char *path = save_preset (fixture, "epsilon", "study.json");
  g_autofree char *before = NULL;
  g_autofree char *after = NULL;
  AttnWindow *second = open_window (application);

  /* Both have it, as if the one had been given its name while the other had it. */
  open_path (fixture->window, path);
  g_assert_true (attn_session_save (second->session, path, NULL));
  g_assert_true (g_file_get_contents (path, &before, NULL, NULL));
  change (second);
  save (second);
  g_assert_nonnull (find_notice (second, path));
  g_assert_true (g_file_get_contents (path, &after, NULL, NULL));
  g_assert_cmpstr (before, ==, after);
  g_assert_true (attn_session_is_changed (second->session));

  close_window (fixture->window);
  save (second);
  g_assert_null (find_notice (second, path));
  g_assert_false (attn_session_is_changed (second->session));
}

static void
show_notice (AttnWindow *window,
             const char *title)
{
  const AttnNotice notice = {
    .id = title,
    .type = GTK_MESSAGE_INFO,
    .title = title,
    .text = "What happened, to be selected.",
    .actions = { { "_Undo", "win.undo" }, { "戻す(_U)…", "win.undo" } },
  };

  attn_notices_show (window->notices, &notice);
}

/* The letters are those of the controls, so the buttons of a notice have none. */
/* Where assistive technology reads a label, GDBus ends a program whose text is not UTF-8. */
static void
test_notices_are_utf8 (Fixture       *fixture,
                       gconstpointer  data)
{
  show_notice (fixture->window, "caf\xe9");
  g_assert_nonnull (find_label_with (find_notice (fixture->window, "caf"), "caf\357\277\275"));
}

static void
test_buttons_of_a_notice_have_no_mnemonics (Fixture       *fixture,
                                            gconstpointer  data)
{
  show_notice (fixture->window, "Only");
  g_assert_nonnull (find_label (find_notice (fixture->window, "Only"), "Undo"));
  g_assert_nonnull (find_label (find_notice (fixture->window, "Only"), "戻す…"));
}

/* There is always room for the figure, and no notice is lost. */
static void
test_older_notices_wait (Fixture       *fixture,
                         gconstpointer  data)
{
  static const char * const titles[] = { "First", "Second", "Third" };

  for (gsize i = 0; i < G_N_ELEMENTS (titles); i++)
    show_notice (fixture->window, titles[i]);
  g_assert_false (gtk_widget_get_visible (find_notice (fixture->window, "First")));
  g_assert_true (gtk_widget_get_visible (find_notice (fixture->window, "Second")));
  g_assert_true (gtk_widget_get_visible (find_notice (fixture->window, "Third")));
  attn_notices_hide (fixture->window->notices, "Third");
  g_assert_true (gtk_widget_get_visible (find_notice (fixture->window, "First")));
}

/* Notices lie over what is read below the figure, which stays where it is, all of it, on one line
 * where they have room for it. */
static void
test_figure_stays_below_a_notice (Fixture       *fixture,
                                  gconstpointer  data)
{
  GtkWidget *view = GTK_WIDGET (fixture->window->view);
  int height = gtk_widget_get_height (view);

  show_notice (fixture->window, "Only");
  GtkWidget *bar = find_notice (fixture->window, "Only");
  WAIT_UNTIL (gtk_widget_get_height (bar) > 0);
  g_assert_cmpint (gtk_widget_get_height (view), ==, height);
  graphene_rect_t place, read;
  g_assert_true (gtk_widget_compute_bounds (GTK_WIDGET (fixture->window->notices), view, &place));
  g_assert_true (gtk_widget_compute_bounds (fixture->window->readout, view, &read));
  g_assert_cmpfloat (place.origin.y, >=, height);
  g_assert_true (graphene_rect_contains_rect (&place, &read));
  GtkWidget *text = GTK_WIDGET (find_label_with (bar, "What happened"));
  GtkWidget *button = GTK_WIDGET (find_label (bar, "Undo"));
  double left, top;

  g_assert_cmpint (pango_layout_get_line_count (gtk_label_get_layout (GTK_LABEL (text))), ==, 1);
  g_assert_true (gtk_widget_translate_coordinates (button, text, 0, 0, &left, &top));
  g_assert_cmpfloat (left, >=, gtk_widget_get_width (text));
}

/* Who closes a notice from the keyboard stands beside it then, not where the window begins. */
static void
test_focus_goes_on_from_a_notice (Fixture       *fixture,
                                  gconstpointer  data)
{
  show_notice (fixture->window, "Only");
  g_assert_true (gtk_widget_child_focus (find_notice (fixture->window, "Only"),
                                         GTK_DIR_TAB_FORWARD));
  attn_notices_hide (fixture->window->notices, "Only");
  g_assert_true (gtk_window_get_focus (GTK_WINDOW (fixture->window)) ==
                 GTK_WIDGET (fixture->window->view));
}

static void
hide_only_cb (AttnWindow *window)
{
  attn_notices_hide (window->notices, "Only");
}

/* A press on the text of a notice takes the focus from a field, whose number is taken then, with
 * which the notice goes: GTK looked for its parents for ever. */
static void
test_notice_goes_while_its_text_takes_the_focus (Fixture       *fixture,
                                                 gconstpointer  data)
{
  AttnWindow *window = fixture->window;
  GtkWidget *entry = find_widget (find_widget (window, ATTN_TYPE_EPSILON_SLIDER), GTK_TYPE_ENTRY);
  GtkEventController *focus = gtk_event_controller_focus_new ();

  attn_window_load_preset (window, "epsilon");
  wait_for_figure (window);
  show_notice (window, "Only");
  g_signal_connect_swapped (focus, "leave", G_CALLBACK (hide_only_cb), window);
  gtk_widget_add_controller (entry, focus);
  g_assert_true (gtk_widget_grab_focus (entry));
  gtk_widget_grab_focus (
      GTK_WIDGET (find_label_with (find_notice (window, "Only"), "What happened")));
  g_assert_null (find_notice (window, "Only"));
  WAIT_UNTIL (gtk_widget_get_first_child (GTK_WIDGET (window->notices)) == NULL);
  gtk_widget_remove_controller (entry, focus);
}

/* What cannot be computed leaves the figure before it, which does not pass for its own. */
static void
test_figure_of_an_earlier_study_is_faded (Fixture       *fixture,
                                          gconstpointer  data)
{
  AttnSession *session = fixture->window->session;
  GtkWidget *view = GTK_WIDGET (fixture->window->view);
  AttnStudy *study = attn_study_copy (attn_session_get_study (session));

  g_assert_false (gtk_widget_has_css_class (view, "stale"));
  study->layer = 1000;
  attn_session_edit (session, study, NULL);
  WAIT_UNTIL (gtk_widget_has_css_class (view, "stale"));
  g_assert_nonnull (attn_session_get_result (session));
  attn_session_undo (session);
  WAIT_UNTIL (attn_session_is_current (session));
  g_assert_false (gtk_widget_has_css_class (view, "stale"));
}

static gboolean
is_enabled (AttnWindow *window,
            const char *action)
{
  return g_action_group_get_action_enabled (G_ACTION_GROUP (window), action);
}

/* What is written or copied is the figure of the study, never one of an earlier study. */
static void
test_earlier_figure_is_not_exported (Fixture       *fixture,
                                     gconstpointer  data)
{
  AttnSession *session = fixture->window->session;
  AttnStudy *study = attn_study_copy (attn_session_get_study (session));
  GtkWidget *button = fixture->window->export_button;

  g_assert_true (is_enabled (fixture->window, "export"));
  g_autofree char *usual = g_strdup (gtk_widget_get_tooltip_text (button));
  study->layer = 1000;
  attn_session_edit (session, study, NULL);
  WAIT_UNTIL (fixture->window->is_stale);
  g_assert_false (is_enabled (fixture->window, "export"));
  g_assert_false (is_enabled (fixture->window, "copy"));
  g_assert_false (is_enabled (fixture->window, "copy-figure"));
  g_assert_cmpstr (gtk_widget_get_tooltip_text (button), !=, usual);
  attn_session_undo (session);
  WAIT_UNTIL (attn_session_is_current (session));
  g_assert_true (is_enabled (fixture->window, "export"));
  g_assert_true (is_enabled (fixture->window, "copy-figure"));
  g_assert_cmpstr (gtk_widget_get_tooltip_text (button), ==, usual);
}

/* Its table names the panels, so the one that was waited for. */
static void
test_copy_waits_for_the_figure (Fixture       *fixture,
                                gconstpointer  data)
{
  AttnSession *session = fixture->window->session;
  AttnStudy *study = attn_study_copy (attn_session_get_study (session));

  gdk_clipboard_set_content (gtk_widget_get_clipboard (GTK_WIDGET (fixture->window)), NULL);
  study->components[ATTN_COMPONENT_KEY] = FALSE;
  attn_session_edit (session, study, NULL);
  g_assert_false (attn_session_is_current (session));
  g_action_group_activate_action (G_ACTION_GROUP (fixture->window), "copy-figure", NULL);
  g_autofree char *text = read_copied_text (fixture->window);
  g_assert_nonnull (strstr (text, "Query"));
  g_assert_null (strstr (text, "Key"));
}

/* The dialog keeps it. */
static const AttnStudy *
get_chosen (AttnExportDialog *dialog)
{
  g_autoptr (AttnResult) result = attn_export_dialog_dup_result (dialog);

  return result->study;
}

/* The page and what stands on it are chosen for the file; the study is as it was. */
static void
test_export_leaves_the_study (Fixture       *fixture,
                              gconstpointer  data)
{
  AttnSession *session = fixture->window->session;
  const AttnStudy *before = attn_session_get_study (session);
  const AttnViewport fit = ATTN_VIEWPORT_FIT;
  AttnExportDialog *dialog =
      attn_export_dialog_new (GTK_WINDOW (fixture->window), session, NULL, NULL, &fit, NULL,
                              FALSE, NULL);
  const AttnStudy *chosen;

  gtk_widget_activate_action (GTK_WIDGET (dialog), "export.columns", "i", 1);
  chosen = get_chosen (dialog);
  g_assert_cmpfloat (chosen->page.width, ==, 85);
  g_assert_true (chosen->page.unit == ATTN_UNIT_MILLIMETRES);
  g_assert_cmpfloat (chosen->style.font_size, <, before->style.font_size);
  g_assert_true (attn_session_get_study (session) == before);
  g_assert_cmpuint (attn_session_get_document (session)->undo->len, ==, 0);

  /* The next export begins with them. */
  AttnExportDialog *next =
      attn_export_dialog_new (GTK_WINDOW (fixture->window), session, before, chosen, &fit,
                              NULL, FALSE, NULL);
  g_assert_cmpfloat (get_chosen (next)->page.width, ==, 85);
  g_assert_cmpfloat (get_chosen (next)->style.font_size, ==, chosen->style.font_size);
  gtk_window_destroy (GTK_WINDOW (next));
  gtk_widget_activate_action (GTK_WIDGET (dialog), "export.columns", "i", 0);
  chosen = get_chosen (dialog);
  g_assert_cmpfloat (chosen->page.width, ==, 0);
  g_assert_cmpfloat (chosen->style.font_size, ==, before->style.font_size);
  gtk_window_destroy (GTK_WINDOW (dialog));
}

/* The same in the dialog: it does not go on before there is the figure of the study, and what it
 * writes then carries that study. */
static void
test_export_waits_for_the_figure (Fixture       *fixture,
                                  gconstpointer  data)
{
  AttnSession *session = fixture->window->session;
  AttnStudy *study = attn_study_copy (attn_session_get_study (session));
  const AttnViewport fit = ATTN_VIEWPORT_FIT;
  g_autofree char *path = g_build_filename (fixture->directory, "figure.svg", NULL);
  AttnExportDialog *dialog =
      attn_export_dialog_new (GTK_WINDOW (fixture->window), session, NULL, NULL, &fit, NULL,
                              FALSE, NULL);
  GtkWidget *export = gtk_window_get_default_widget (GTK_WINDOW (dialog));

  g_assert_true (gtk_widget_get_sensitive (export));
  study->components[ATTN_COMPONENT_KEY] = FALSE;
  attn_session_edit (session, study, NULL);
  g_assert_false (gtk_widget_get_sensitive (export));
  WAIT_UNTIL (attn_session_is_current (session));
  g_assert_true (gtk_widget_get_sensitive (export));
  gtk_window_destroy (GTK_WINDOW (dialog));

  export_figure (fixture->window, path, ATTN_EXPORT_SVG, 0);
  WAIT_UNTIL (fixture->window->exporting == NULL);
  g_autoptr (AttnStudy) written = attn_study_load (path, NULL);
  g_assert_nonnull (written);
  g_assert_false (written->components[ATTN_COMPONENT_KEY]);
}

/* What a hint says in a long language can be read in a small window, and moves nothing. */
static void
test_long_note_is_read_to_the_end (Fixture       *fixture,
                                   gconstpointer  data)
{
  AttnWindow *window = attn_window_new (application);
  GtkWidget *note = GTK_WIDGET (window->readout_note);

  gtk_window_set_default_size (GTK_WINDOW (window), 800, 600);
  gtk_window_present (GTK_WINDOW (window));
  WAIT_UNTIL (attn_session_is_current (window->session) &&
              gtk_widget_get_height (GTK_WIDGET (window->view)) > 0);
  g_assert_cmpint (gtk_widget_get_width (GTK_WIDGET (window)), <, 900);
  int height = gtk_widget_get_height (GTK_WIDGET (window->view));

  attn_window_show_note (window, "Zum Ablesen auf eine Zelle zeigen; zum Zoomen rollen, zum "
                                 "Verschieben ziehen, zum Messen lange ziehen, zum Öffnen eines "
                                 "Heads auf ihn klicken");
  WAIT_UNTIL (gtk_widget_get_mapped (note) && gtk_widget_get_width (note) > 0 &&
              pango_layout_get_line_count (gtk_label_get_layout (window->readout_note)) > 1);
  g_assert_false (pango_layout_is_ellipsized (gtk_label_get_layout (window->readout_note)));
  g_assert_cmpint (gtk_widget_get_height (GTK_WIDGET (window->view)), ==, height);
}

/* The question that is asked at present, or %NULL. */
static GtkWidget *
find_question (void)
{
  GListModel *toplevels = gtk_window_get_toplevels ();

  for (guint i = 0; i < g_list_model_get_n_items (toplevels); i++)
    {
      g_autoptr (GtkWidget) toplevel = g_list_model_get_item (toplevels, i);

      if (GTK_IS_MESSAGE_DIALOG (toplevel) && gtk_widget_get_visible (toplevel))
        return toplevel;
    }
  return NULL;
}

#define FOREIGN "written by another program"

/* A study that is changed in the window, and in its file by another program. Returns: that file */
static char *
open_and_overtake (Fixture *fixture)
{
  AttnWindow *window = fixture->window;
  char *path = save_preset (fixture, "epsilon", "study.json");

  open_path (window, path);
  WAIT_UNTIL (attn_session_is_current (window->session));
  change (window);
  g_assert_true (g_file_set_contents (path, FOREIGN, -1, NULL));
  return path;
}

/* That a question is asked, and until then the file is left alone. */
static void
check_asks (const char *path)
{
  g_autofree char *text = NULL;

  g_assert_nonnull (find_question ());
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, FOREIGN);
}

static void
answer (GtkResponseType response)
{
  gtk_dialog_response (GTK_DIALOG (find_question ()), response);
}

static void
check_is_saved (AttnWindow *window,
                const char *path)
{
  g_autoptr (AttnStudy) saved = attn_study_load (path, NULL);

  g_assert_null (find_question ());
  g_assert_false (attn_session_is_changed (window->session));
  g_assert_true (attn_study_equal (saved, attn_session_get_study (window->session)));
}

/* What another program has written goes only where that is said. */
static void
test_file_of_another_program_is_asked_about (Fixture       *fixture,
                                             gconstpointer  data)
{
  AttnWindow *window = fixture->window;
  g_autofree char *path = open_and_overtake (fixture);

  save (window);
  check_asks (path);
  answer (GTK_RESPONSE_CANCEL);
  g_assert_null (find_question ());
  g_assert_true (attn_session_is_changed (window->session));

  save (window);
  check_asks (path);
  answer (GTK_RESPONSE_REJECT);
  WAIT_UNTIL (window->saving == NULL);
  check_is_saved (window, path);
  change (window);
  save (window);
  check_is_saved (window, path);
}

/* The same where a window is closed. */
static void
test_file_of_another_program_is_asked_about_before_closing (Fixture       *fixture,
                                                            gconstpointer  data)
{
  g_autofree char *path = open_and_overtake (fixture);

  gtk_window_close (GTK_WINDOW (fixture->window));
  check_asks (path);
  answer (GTK_RESPONSE_ACCEPT);
  WAIT_UNTIL (fixture->window->saving == NULL);
  check_asks (path);
  answer (GTK_RESPONSE_REJECT);
  WAIT_UNTIL (count_windows () == 0);
  g_autoptr (AttnStudy) saved = attn_study_load (path, NULL);
  g_assert_nonnull (saved);
}

static gsize
get_n_tokens (AttnWindow *window)
{
  const AttnInput *input = attn_session_get_study (window->session)->inputs->pdata[0];

  return input->n_tokens;
}

/* A study that is too long for its model shows what it can, and says so. The whole of it is a step
 * back, and what the model takes of it a click away. */
static void
test_too_long_a_study_is_shown (Fixture       *fixture,
                                gconstpointer  data)
{
  AttnWindow *window = fixture->window;
  g_autoptr (AttnStudy) study = attn_presets_load ("epsilon", NULL);
  g_autofree char *path = g_build_filename (fixture->directory, "long.json", NULL);
  g_autofree char *text = g_strnfill (100000, 'x');

  wait_for_figure (window);
  gsize n_positions =
      attn_model_get_info (attn_session_get_result (window->session)->model)->n_positions;
  g_autofree char *shown = g_strdup_printf ("The First %zu Tokens Are Shown", n_positions);

  attn_input_free (g_ptr_array_index (study->inputs, 0));
  g_ptr_array_index (study->inputs, 0) = attn_input_new_text (text, 0);
  study->rows = study->columns = ATTN_DIMENSION_NONE;
  g_assert_true (attn_study_save (study, path, NULL));
  open_path (window, path);
  WAIT_UNTIL (attn_session_is_current (window->session) && get_n_tokens (window) > 0);
  g_assert_true (find_window (path) == window);
  g_assert_cmpuint (get_n_tokens (window), ==, n_positions);
  g_assert_cmpuint (attn_session_get_result (window->session)->inputs[0]->n_tokens, ==,
                    n_positions);
  g_assert_nonnull (find_label_with (window->notices, shown));
  g_assert_nonnull (find_notice (window, "tokens found, expected 1 to"));

  attn_session_edit (window->session, attn_study_copy (study), NULL);
  WAIT_UNTIL (!attn_session_is_busy (window->session) && window->is_stale);
  g_assert_cmpuint (get_n_tokens (window), ==, 0);
  /* The first tokens are no longer what is shown. */
  WAIT_UNTIL (find_label_with (window->notices, shown) == NULL);
  g_autofree char *label = g_strdup_printf ("Use the First %zu", n_positions);
  g_assert_nonnull (find_label (window->notices, label));
  g_action_group_activate_action (G_ACTION_GROUP (window), "use-first-tokens", NULL);
  WAIT_UNTIL (attn_session_is_current (window->session));
  g_assert_cmpuint (get_n_tokens (window), ==, n_positions);
  g_assert_false (window->is_stale);
}

/* Where two inputs are compared and there is one, another is a click away. */
static void
test_comparison_of_one_input (Fixture       *fixture,
                              gconstpointer  data)
{
  AttnWindow *window = fixture->window;
  AttnStudy *study = attn_presets_load ("compare", NULL);

  study->compared = ATTN_DIMENSION_INPUT;
  g_ptr_array_set_size (study->inputs, 1);
  attn_session_edit (window->session, study, NULL);
  WAIT_UNTIL (!attn_session_is_busy (window->session) && window->is_stale);
  g_assert_nonnull (find_label (window->notices, "Add Input"));
  g_action_group_activate_action (G_ACTION_GROUP (window), "add-input", NULL);
  WAIT_UNTIL (attn_session_is_current (window->session));
}

/* A model is called by its name while it is opened. */
static void
test_model_is_named_while_it_is_opened (Fixture       *fixture,
                                        gconstpointer  data)
{
  g_autofree char *shipped = attn_data_find_model ();
  g_autofree char *path = g_build_filename (fixture->directory, "other", NULL);
  AttnWindow *first = attn_window_new (application);
  AttnSidebar *sidebar = attn_window_get_sidebar (first);

  g_assert_cmpint (symlink (shipped, path), ==, 0);
  g_assert_true (attn_session_is_busy (first->session));
  g_assert_null (find_label (sidebar, "No model"));
  g_assert_nonnull (find_label (sidebar, "rose"));
  g_assert_nonnull (find_label (sidebar, "Opening…"));
  open_path (fixture->window, path);
  g_assert_nonnull (find_label (fixture->window->sidebar, "other"));
  g_assert_nonnull (find_label (fixture->window->sidebar, "Opening…"));
  WAIT_UNTIL (!attn_session_is_busy (fixture->window->session));
  g_assert_null (find_label (fixture->window->sidebar, "Opening…"));
  open_path (fixture->window, fixture->directory);
  WAIT_UNTIL (!attn_session_is_busy (fixture->window->session));
  g_assert_nonnull (find_label (fixture->window->sidebar, "other"));
  g_assert_null (find_label (fixture->window->sidebar, "Opening…"));
}

#define ADD(name, function) \
  g_test_add ("/app/window-documents/" name, Fixture, NULL, set_up, function, tear_down)

/* A first figure that lacks an input says so in its place, and offers that. */
static void
test_first_figure_lacks_an_input (Fixture       *fixture,
                                  gconstpointer  data)
{
  g_autofree char *path = g_build_filename (fixture->directory, "one.attention.json", NULL);
  g_autoptr (AttnStudy) study = attn_presets_load ("compare", NULL);
  AttnWindow *new_window;

  study->compared = ATTN_DIMENSION_INPUT;
  g_ptr_array_set_size (study->inputs, 1);
  g_assert_true (attn_study_save (study, path, NULL));
  new_window = attn_window_new (application);
  open_path (new_window, path);
  gtk_window_present (GTK_WINDOW (new_window));
  WAIT_UNTIL (g_str_equal (gtk_stack_get_visible_child_name (new_window->stack), "empty"));
  g_assert_nonnull (strstr (gtk_label_get_label (new_window->empty_text), "one input"));
  g_signal_emit_by_name (new_window->empty_button, "clicked");
  wait_for_figure (new_window);
  g_assert_cmpuint (attn_session_get_study (new_window->session)->inputs->len, ==, 2);
  close_window (new_window);
}

/* Three matrices, none of which is called attention. */
static char *
save_several (Fixture *fixture)
{
  static const char * const names[] = { "first", "second", "third" };
  static const float values[] = { 1, 0, 0.5, 0.5 };
  const gsize shape[] = { 2, 2 };
  char *path = g_build_filename (fixture->directory, "several.npz", NULL);
  g_autoptr (AttnArrayFile) file = attn_array_file_new (NULL);
  g_autoptr (GBytes) bytes = g_bytes_new_static (values, sizeof values);

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    attn_array_file_add (file, attn_array_new (names[i], ATTN_DTYPE_F32, 2, shape, bytes, NULL),
                         NULL);
  g_assert_true (save_arrays (file, path, NULL));
  return path;
}

/* The arrays of a file with several are listed, and the one that is chosen is opened. */
static void
test_array_is_asked_for (Fixture       *fixture,
                         gconstpointer  data)
{
  AttnSession *session = fixture->window->session;
  g_autofree char *path = save_several (fixture);

  open_path (fixture->window, path);
  WAIT_UNTIL (find_question () != NULL);
  answer (GTK_RESPONSE_CANCEL);
  g_assert_null (attn_session_get_study (session)->model.path);

  open_path (fixture->window, path);
  WAIT_UNTIL (find_question () != NULL);
  GtkListView *list = find_widget (find_question (), GTK_TYPE_LIST_VIEW);
  GtkSelectionModel *arrays = gtk_list_view_get_model (list);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (arrays)), ==, 3);
  gtk_selection_model_select_item (arrays, 2, TRUE);
  answer (GTK_RESPONSE_ACCEPT);
  WAIT_UNTIL (g_strcmp0 (attn_session_get_study (session)->model.array, "third") == 0);
  g_assert_cmpstr (attn_session_get_study (session)->model.path, ==, path);
  g_assert_null (find_question ());
}

/* So are those of a file that the study compares with; until then the error stands there. */
static void
test_array_of_other_is_asked_for (Fixture       *fixture,
                                  gconstpointer  data)
{
  AttnSession *session = fixture->window->session;
  g_autofree char *path = save_several (fixture);
  AttnStudy *study = attn_presets_load ("single", NULL);
  AttnModelReference *other = attn_model_reference_new (path, NULL);

  attn_session_open_array (session, path, "first");
  WAIT_UNTIL (g_strcmp0 (attn_session_get_study (session)->model.array, "first") == 0);
  WAIT_UNTIL (!attn_session_is_opening (session));
  attn_model_reference_take (&study->model, &attn_session_get_study (session)->model);
  study->columns = ATTN_DIMENSION_MODEL;
  g_ptr_array_add (study->other_models, other);
  attn_session_edit (session, study, NULL);
  WAIT_UNTIL (find_question () != NULL);
  answer (GTK_RESPONSE_CANCEL);
  other = g_ptr_array_index (attn_session_get_study (session)->other_models, 0);
  g_assert_null (other->array);

  study = attn_study_copy (attn_session_get_study (session));
  study->rows = ATTN_DIMENSION_MODEL;
  study->columns = ATTN_DIMENSION_NONE;
  attn_session_edit (session, study, NULL);
  WAIT_UNTIL (find_question () != NULL);
  GtkListView *list = find_widget (find_question (), GTK_TYPE_LIST_VIEW);
  gtk_selection_model_select_item (gtk_list_view_get_model (list), 1, TRUE);
  answer (GTK_RESPONSE_ACCEPT);
  other = g_ptr_array_index (attn_session_get_study (session)->other_models, 0);
  g_assert_cmpstr (other->array, ==, "second");
  WAIT_UNTIL (attn_session_get_result (session) != NULL &&
              attn_session_get_result (session)->models->len == 2);
  g_assert_null (find_question ());
}

static GtkWidget *
find_list (GtkWidget *widget)
{
  GtkWidget *found = GTK_IS_LIST_VIEW (widget) ? widget : NULL;

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = find_list (child);
  return found;
}

/* The preset that is shown can be chosen again from the list: what was changed in it is undone. */
static void
test_changed_preset_is_chosen_again (Fixture       *fixture,
                                     gconstpointer  data)
{
  AttnWindow *window = fixture->window;
  GtkWidget *list = find_list (GTK_WIDGET (window->presets));
  GtkPopover *popover = GTK_POPOVER (gtk_widget_get_ancestor (list, GTK_TYPE_POPOVER));

  WAIT_UNTIL (!attn_session_is_busy (window->session));
  AttnStudy *study = attn_study_copy (attn_session_get_study (window->session));
  study->axis = ATTN_AXIS_TOKEN;
  attn_session_edit (window->session, study, NULL);
  gtk_popover_popup (popover);
  g_signal_emit_by_name (list, "activate", gtk_drop_down_get_selected (window->presets));
  gtk_popover_popdown (popover);
  g_assert_cmpint (attn_session_get_study (window->session)->axis, ==, ATTN_AXIS_HEAD);
  WAIT_UNTIL (!attn_session_is_busy (window->session));
}

int
main (int    argc,
      char **argv)
{
  fixture_init (&argc, &argv);
  application = fixture_new_application ();
  ADD ("dropped-text-is-an-input", test_dropped_text_is_an_input);
  ADD ("opened-text-is-an-input", test_opened_text_is_an_input);
  ADD ("dropped-studies-have-a-window-each", test_dropped_studies_have_a_window_each);
  ADD ("study-is-opened-once", test_study_is_opened_once);
  ADD ("file-of-another-window-is-not-written-over",
       test_file_of_another_window_is_not_written_over);
  ADD ("recent-are-offered", test_recent_are_offered);
  ADD ("found-models-are-offered", test_found_models_are_offered);
  ADD ("notices-are-utf8", test_notices_are_utf8);
  ADD ("buttons-of-a-notice-have-no-mnemonics", test_buttons_of_a_notice_have_no_mnemonics);
  ADD ("first-figure-lacks-an-input", test_first_figure_lacks_an_input);
  ADD ("figure-stays-below-a-notice", test_figure_stays_below_a_notice);
  ADD ("older-notices-wait", test_older_notices_wait);
  ADD ("focus-goes-on-from-a-notice", test_focus_goes_on_from_a_notice);
  ADD ("notice-goes-while-its-text-takes-the-focus",
       test_notice_goes_while_its_text_takes_the_focus);
  ADD ("figure-of-an-earlier-study-is-faded", test_figure_of_an_earlier_study_is_faded);
  ADD ("earlier-figure-is-not-exported", test_earlier_figure_is_not_exported);
  ADD ("copy-waits-for-the-figure", test_copy_waits_for_the_figure);
  ADD ("export-leaves-the-study", test_export_leaves_the_study);
  ADD ("export-waits-for-the-figure", test_export_waits_for_the_figure);
  ADD ("long-note-is-read-to-the-end", test_long_note_is_read_to_the_end);
  ADD ("file-of-another-program-is-asked-about", test_file_of_another_program_is_asked_about);
  ADD ("file-of-another-program-is-asked-about-before-closing",
       test_file_of_another_program_is_asked_about_before_closing);
  ADD ("array-is-asked-for", test_array_is_asked_for);
  ADD ("array-of-other-is-asked-for", test_array_of_other_is_asked_for);
  ADD ("too-long-a-study-is-shown", test_too_long_a_study_is_shown);
  ADD ("comparison-of-one-input", test_comparison_of_one_input);
  ADD ("model-is-named-while-it-is-opened", test_model_is_named_while_it_is_opened);
  ADD ("changed-preset-is-chosen-again", test_changed_preset_is_chosen_again);
  return fixture_run (application);
}
