/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Keys. Alt and a letter means one thing: in no language and no preset do two mnemonics that show
 * at the same time have the same letter. The window of shortcuts lists every action. And the words
 * of no language are too wide for a small window. */

#include "config.h"

#include <glib/gi18n.h>
#include <string.h>

#include "app-fixture.h"
#include "attn-edits.h"
#include "attn-export-dialog.h"
#include "attn-input-row.h"
#include "attn-preferences.h"
#include "attn-probe-dialog.h"
#include "attn-probe-table.h"
#include "attn-settings.h"

static GtkApplication *application;

/* What is folded together shows too. */
static void
unfold (GtkWidget *widget)
{
  if (GTK_IS_EXPANDER (widget))
    gtk_expander_set_expanded (GTK_EXPANDER (widget), TRUE);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    unfold (child);
}

/* Of a dialog all count, for what is hidden for one format shows for another. Returns: the number
 * of collisions */
static guint
collect (GtkWidget  *widget,
         GHashTable *taken,
         const char *where,
         gboolean    counts_hidden)
{
  guint n = 0;

  if (!counts_hidden && !gtk_widget_get_mapped (widget))
    return 0;
  if (GTK_IS_LABEL (widget) && gtk_label_get_use_underline (GTK_LABEL (widget)))
    {
      guint key = gdk_keyval_to_lower (gtk_label_get_mnemonic_keyval (GTK_LABEL (widget)));
      const char *label = gtk_label_get_label (GTK_LABEL (widget));
      const char *other = g_hash_table_lookup (taken, GUINT_TO_POINTER (key));

      if (strchr (label, '_') == NULL)
        ;
      else if (other != NULL)
        {
          g_test_message ("%s: %s, %s", where, other, label);
          n++;
        }
      else
        g_hash_table_insert (taken, GUINT_TO_POINTER (key), (gpointer) label);
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    n += collect (child, taken, where, counts_hidden);
  return n;
}

static guint
collect_of_dialog (GtkWindow  *dialog,
                   const char *where)
{
  g_autoptr (GHashTable) taken = g_hash_table_new (NULL, NULL);
  guint n = collect (GTK_WIDGET (dialog), taken, where, TRUE);

  g_assert_cmpuint (g_hash_table_size (taken), >, 5);
  gtk_window_destroy (dialog);
  return n;
}

/* Says what keeps a window wide: the widgets that need the most, down to those that stand alone. */
static void
tell_widths (GtkWidget *widget,
             int        depth)
{
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      int width;

      gtk_widget_measure (child, GTK_ORIENTATION_HORIZONTAL, -1, &width, NULL, NULL, NULL);
      if (!gtk_widget_should_layout (child) || width < 280)
        continue;
      g_test_message ("%*s%s %s %s: %d", depth, "", G_OBJECT_TYPE_NAME (child),
                      gtk_buildable_get_buildable_id (GTK_BUILDABLE (child)),
                      GTK_IS_LABEL (child) ? gtk_label_get_label (GTK_LABEL (child)) : "", width);
      tell_widths (child, depth + 1);
    }
}

/* 800 pixels are enough for a preset as it shows now. */
static void
check_width (AttnWindow *window,
             const char *preset)
{
  int width;

  /* Of the axes of the mean, the one with most beside it */
  gtk_toggle_button_set_active (
      find_id (window, "axis:head"), TRUE);
  wait_for_figure (window);
  iterate ();
  gtk_widget_measure (GTK_WIDGET (window), GTK_ORIENTATION_HORIZONTAL, -1, &width, NULL, NULL,
                      NULL);
  g_test_message ("%s: %d pixels", preset, width);
  if (width > 800)
    tell_widths (GTK_WIDGET (window), 0);
  g_assert_cmpint (width, <=, 800);
}

static AttnWindow *
open_small_window (void)
{
  AttnWindow *window = attn_window_new (application);

  gtk_window_set_default_size (GTK_WINDOW (window), 800, 600);
  gtk_window_present (GTK_WINDOW (window));
  return window;
}

static void
check_widths_in_large_font (void)
{
  GtkSettings *settings = gtk_settings_get_default ();
  gsize n_presets;
  const AttnPreset *presets = attn_presets_get_own (&n_presets);
  g_autofree char *font = NULL;

  g_object_get (settings, "gtk-font-name", &font, NULL);
  g_object_set (settings, "gtk-font-name", "Sans 15", NULL);
  AttnWindow *window = open_small_window ();
  for (gsize i = 0; i < n_presets; i++)
    {
      attn_window_load_preset (window, presets[i].name);
      unfold (GTK_WIDGET (attn_window_get_sidebar (window)));
      check_width (window, presets[i].name);
    }
  close_window (window);
  g_object_set (settings, "gtk-font-name", font, NULL);
}

/* The window of shortcuts, which does not scroll, fits a small screen, too. It has the size of its
 * largest section. */
static void
check_size_of_shortcuts (AttnWindow *window)
{
  GtkApplicationWindow *parent = GTK_APPLICATION_WINDOW (window);
  GtkRequisition size;

  g_assert_null (gtk_application_window_get_help_overlay (parent));
  g_action_group_activate_action (G_ACTION_GROUP (window), "show-help-overlay", NULL);
  GtkShortcutsWindow *shortcuts = gtk_application_window_get_help_overlay (parent);
  g_assert_nonnull (shortcuts);
  /* Again, as the same window */
  g_action_group_activate_action (G_ACTION_GROUP (window), "show-help-overlay", NULL);
  g_assert_true (gtk_application_window_get_help_overlay (parent) == shortcuts);
  g_assert_true (gtk_widget_get_visible (GTK_WIDGET (shortcuts)));
  gtk_test_widget_wait_for_draw (GTK_WIDGET (shortcuts));
  gtk_widget_get_preferred_size (GTK_WIDGET (shortcuts), NULL, &size);
  g_test_message ("shortcuts: %d x %d pixels", size.width, size.height);
  g_assert_cmpint (size.width, <=, 800);
  g_assert_cmpint (size.height, <=, 600);
  gtk_window_close (GTK_WINDOW (shortcuts));
}

/* What a newcomer reads first is read to the end, in one line in a window of the usual width. */
static void
check_introduction (AttnWindow *window)
{
  GtkLabel *introduction = find_id (window, "introduction");

  WAIT_UNTIL (gtk_widget_get_mapped (GTK_WIDGET (introduction)) &&
              gtk_widget_get_width (GTK_WIDGET (introduction)) > 0);
  gtk_test_widget_wait_for_draw (GTK_WIDGET (window));
  g_assert_false (pango_layout_is_ellipsized (gtk_label_get_layout (introduction)));
  g_autoptr (PangoLayout) line = gtk_widget_create_pango_layout (
      GTK_WIDGET (introduction), gtk_label_get_label (introduction));
  int width, room = gtk_widget_get_width (GTK_WIDGET (introduction)) + 1280 -
                    gtk_widget_get_width (GTK_WIDGET (window));
  pango_layout_get_pixel_size (line, &width, NULL);
  g_test_message ("introduction: %d of %d pixels", width, room);
  g_assert_cmpint (width, <=, room);
}

/* What the preset of inactive heads measures is read without opening the list of them. */
static void
check_measure_is_read (AttnWindow *window)
{
  attn_window_load_preset (window, "score-atlas");
  AttnStudy *study = attn_study_copy (attn_session_get_study (window->session));
  study->measure = ATTN_HEAD_MEASURE_OUTPUT_NORM;
  attn_session_edit (window->session, study, NULL);
  wait_for_figure (window);
  GtkLabel *chosen = find_label (find_id (window, "measure"), _("Output norm"));
  g_assert_nonnull (chosen);
  WAIT_UNTIL (gtk_widget_get_mapped (GTK_WIDGET (chosen)) &&
              gtk_widget_get_width (GTK_WIDGET (chosen)) > 0);
  gtk_test_widget_wait_for_draw (GTK_WIDGET (window));
  g_test_message ("%s", gtk_label_get_label (chosen));
  g_assert_false (pango_layout_is_ellipsized (gtk_label_get_layout (chosen)));
}

/* Which input it is is read beside that the figure does not have it. */
static void
check_input_is_named (AttnWindow *window)
{
  attn_window_load_preset (window, "score-atlas");
  AttnStudy *study = attn_study_copy (attn_session_get_study (window->session));
  attn_edits_duplicate_input (study, 0);
  attn_session_edit (window->session, study, NULL);
  wait_for_figure (window);
  GtkLabel *status = find_label (window->sidebar, _("not in this figure"));
  g_assert_nonnull (status);
  GtkWidget *row = gtk_widget_get_ancestor (GTK_WIDGET (status), ATTN_TYPE_INPUT_ROW);
  GtkLabel *title = find_id (row, "title");
  WAIT_UNTIL (gtk_widget_get_mapped (GTK_WIDGET (title)) &&
              gtk_widget_get_width (GTK_WIDGET (title)) > 0);
  gtk_test_widget_wait_for_draw (GTK_WIDGET (window));
  g_test_message ("%s, %s", gtk_label_get_label (title), gtk_label_get_label (status));
  g_assert_false (pango_layout_is_ellipsized (gtk_label_get_layout (title)));
}

/* Counts the labels of the side bar that are cut: each of its words is read to the end. */
static guint
count_cut (GtkWidget  *widget,
           const char *preset)
{
  guint n = 0;

  if (!gtk_widget_get_mapped (widget) || GTK_IS_POPOVER (widget))
    return 0;
  if (GTK_IS_LABEL (widget) && gtk_widget_get_width (widget) > 0 &&
      pango_layout_is_ellipsized (gtk_label_get_layout (GTK_LABEL (widget))))
    {
      g_test_message ("%s: “%s” is cut", preset, gtk_label_get_label (GTK_LABEL (widget)));
      n++;
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    n += count_cut (child, preset);
  return n;
}

static void
test_mnemonics (gconstpointer language)
{
  gsize n_presets;
  const AttnPreset *presets = attn_presets_get_own (&n_presets);
  guint n_collisions = 0, n_cut = 0;
  gsize n_mnemonics = 0;

  set_language (language);
  g_assert_cmpint (g_str_equal (_("Inputs"), "Inputs"), ==, g_str_equal (language, "en"));
  check_widths_in_large_font ();
  AttnWindow *window = open_small_window ();
  check_introduction (window);
  check_size_of_shortcuts (window);
  for (gsize i = 0; i < n_presets; i++)
    {
      g_autoptr (GHashTable) taken = g_hash_table_new (NULL, NULL);

      attn_window_load_preset (window, presets[i].name);
      unfold (GTK_WIDGET (window));
      wait_for_figure (window);
      iterate ();
      n_collisions += collect (GTK_WIDGET (window), taken, presets[i].name, FALSE);
      n_mnemonics = MAX (n_mnemonics, g_hash_table_size (taken));
      check_width (window, presets[i].name);
      gtk_test_widget_wait_for_draw (GTK_WIDGET (window));
      n_cut += count_cut (GTK_WIDGET (window->sidebar), presets[i].name);
    }
  check_measure_is_read (window);
  check_input_is_named (window);
  AttnViewport whole = attn_reading_get (window->reading).views->shared;
  AttnExportDialog *dialog =
      attn_export_dialog_new (GTK_WINDOW (window), window->session, NULL, NULL, &whole, NULL,
                              FALSE, NULL);
  n_collisions += collect_of_dialog (GTK_WINDOW (dialog), "export");
  g_autoptr (GSettings) settings = attn_settings_new ();
  g_assert_nonnull (settings);
  n_collisions += collect_of_dialog (
      GTK_WINDOW (attn_preferences_new (GTK_WINDOW (window), settings)), "preferences");
  g_autofree char *table =
      g_test_build_filename (G_TEST_DIST, "study", "probes", "answers.csv", NULL);
  GStrv names = attn_probe_table_list_columns (table, NULL);
  g_assert_nonnull (names);
  AttnProbeDialog *probe = attn_probe_dialog_new (
      GTK_WINDOW (window), table, names, &attn_session_get_study (window->session)->model,
      ATTN_FRAMING_SPECIAL);
  n_collisions += collect_of_dialog (GTK_WINDOW (probe), "probe");
  close_window (window);
  g_assert_cmpuint (n_mnemonics, >, 10);
  g_assert_cmpuint (n_collisions, ==, 0);
  g_assert_cmpuint (n_cut, ==, 0);
}

static char *
normalize (const char *accelerator)
{
  guint key;
  GdkModifierType modifiers;

  g_assert_true (gtk_accelerator_parse (accelerator, &key, &modifiers));
  return gtk_accelerator_name (key, modifiers);
}

/* Returns: (element-type utf8): what the window of shortcuts shows */
static GHashTable *
read_listed_keys (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = g_resources_lookup_data (
      "/io/github/attentiongrid/AttentionGrid/help-overlay.ui", 0, &error);
  g_assert_no_error (error);
  g_autofree char *text = g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  g_auto (GStrv) parts = g_strsplit (text, "\"accelerator\">", -1);
  GHashTable *keys = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 1; parts[0] != NULL && parts[i] != NULL; i++)
    {
      g_autoptr (GString) value = g_string_new_len (parts[i], strcspn (parts[i], "<"));
      g_string_replace (value, "&lt;", "<", 0);
      g_string_replace (value, "&gt;", ">", 0);
      g_string_replace (value, "...", " ", 0);
      g_auto (GStrv) accelerators = g_strsplit (value->str, " ", -1);
      for (guint k = 0; accelerators[k] != NULL; k++)
        g_hash_table_add (keys, normalize (accelerators[k]));
    }
  return keys;
}

/* An action may have several keys: one of them is enough. */
static void
test_every_action_is_listed (void)
{
  g_autoptr (GHashTable) keys = read_listed_keys ();
  g_auto (GStrv) actions = gtk_application_list_action_descriptions (application);

  g_assert_cmpuint (g_strv_length (actions), >, 20);
  for (guint i = 0; actions[i] != NULL; i++)
    {
      g_auto (GStrv) accelerators = gtk_application_get_accels_for_action (application, actions[i]);
      gboolean is_listed = accelerators[0] == NULL;

      for (guint k = 0; accelerators[k] != NULL; k++)
        {
          g_autofree char *name = normalize (accelerators[k]);
          is_listed = is_listed || g_hash_table_contains (keys, name);
        }
      if (!is_listed)
        g_test_message ("%s", actions[i]);
      g_assert_true (is_listed);
    }
}

int
main (int    argc,
      char **argv)
{
  g_autofree char *path =
      g_build_filename (g_getenv ("G_TEST_SRCDIR"), "..", "po", "LINGUAS", NULL);
  g_autofree char *text = NULL;

  g_setenv ("LANGUAGE", "en", TRUE);
  fixture_init (&argc, &argv);
  bind_translations ();
  application = fixture_new_application ();

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_auto (GStrv) languages = g_strsplit_set (text, " \n", -1);
  g_test_add_data_func ("/app/mnemonics/en", "en", test_mnemonics);
  for (guint i = 0; languages[i] != NULL; i++)
    if (*languages[i] != '\0' && *languages[i] != '#')
      {
        g_autofree char *name = g_strconcat ("/app/mnemonics/", languages[i], NULL);
        g_test_add_data_func (name, languages[i], test_mnemonics);
      }
  g_test_add_func ("/app/shortcuts/every-action-is-listed", test_every_action_is_listed);
  return fixture_run (application);
}
