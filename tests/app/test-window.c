/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The window's life: it is gone once closed, whatever it was doing. */

#include "config.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include <glib/gi18n.h>

#include "app-fixture.h"
#include "attn-epsilon-slider.h"
#include "attn-preferences.h"
#include "attn-preset-list.h"
#include "attn-settings.h"
#include "attn-worker.h"

static GtkApplication *application;

/* The first label below @widget that says @part. */
static GtkLabel *
find_text (gpointer    widget,
           const char *part)
{
  if (GTK_IS_LABEL (widget) && strstr (gtk_label_get_text (widget), part) != NULL)
    return widget;

  GtkLabel *found = NULL;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = find_text (child, part);
  return found;
}

static void
test_closed_while_computing (void)
{
  for (guint i = 0; i < 5; i++)
    {
      AttnWindow *window = attn_window_new (application);

      gtk_window_present (GTK_WINDOW (window));
      for (guint k = 0; k < i; k++)
        g_main_context_iteration (NULL, FALSE);
      close_window (window);
    }
  attn_worker_wait_for_threads ();
}

static void
test_closed_with_a_figure (void)
{
  close_window (open_window (application));
}

/* Places of widgets in a window: x and width of the figure, of the button with what it shows and of
 * the menu of the strip. */
typedef struct
{
  AttnWindow *window;
  double places[6]; /* when a figure was painted first */
  gboolean is_painted;
} FirstFrame;

static void
find_places (AttnWindow *window,
             double      places[6])
{
  GtkWidget *widgets[] = { GTK_WIDGET (window->view), find_id (window->strip, "head"),
                           find_id (window->strip, "reach") };
  graphene_rect_t bounds;

  for (gsize i = 0; i < G_N_ELEMENTS (widgets); i++)
    {
      g_assert_true (gtk_widget_compute_bounds (widgets[i], GTK_WIDGET (window), &bounds));
      places[2 * i] = bounds.origin.x;
      places[2 * i + 1] = bounds.size.width;
    }
}

static void
first_painted_cb (FirstFrame *first)
{
  if (!first->is_painted)
    {
      g_assert_null (first->window->sidebar);
      find_places (first->window, first->places);
    }
  first->is_painted = TRUE;
}

/* The figure does not wait for the side bar, and nothing moves when that comes. */
static void
test_sidebar_comes_behind_the_figure (void)
{
  static const int widths[] = { 1280, 800 };

  for (gsize i = 0; i < G_N_ELEMENTS (widths); i++)
    {
      FirstFrame first = { .window = attn_window_new (application) };
      double places[6];

      gtk_window_set_default_size (GTK_WINDOW (first.window), widths[i], 600);
      g_signal_connect_swapped (first.window->view, "painted", G_CALLBACK (first_painted_cb),
                                &first);
      gtk_window_present (GTK_WINDOW (first.window));
      wait_for_figure (first.window);
      WAIT_UNTIL (gtk_widget_get_mapped (find_id (first.window->sidebar, "input_list")));
      g_assert_true (first.is_painted);
      find_places (first.window, places);
      for (gsize k = 0; k < G_N_ELEMENTS (places); k++)
        g_assert_cmpfloat_with_epsilon (places[k], first.places[k], 1e-3);
      g_signal_handlers_disconnect_by_data (first.window->view, &first);
      close_window (first.window);
    }
}

static void
test_sidebar_comes_without_a_figure (void)
{
  AttnWindow *window = attn_window_new (application);

  attn_session_pause (window->session);
  gtk_window_present (GTK_WINDOW (window));
  WAIT_UNTIL (window->sidebar != NULL && gtk_widget_get_mapped (GTK_WIDGET (window->sidebar)));
  g_assert_null (attn_session_get_result (window->session));
  close_window (window);
}

/* Whatever is for the side bar is not lost before it is there. */
static void
test_sidebar_comes_when_asked_for (void)
{
  AttnWindow *window = attn_window_new (application);
  guint n = attn_session_get_study (window->session)->inputs->len;

  g_assert_null (window->sidebar);
  g_action_group_activate_action (G_ACTION_GROUP (window), "add-input", NULL);
  g_assert_cmpuint (attn_session_get_study (window->session)->inputs->len, ==, n + 1);
  close_window (window);

  window = attn_window_new (application);
  g_autoptr (GPtrArray) keys = find_controllers (window, GTK_TYPE_EVENT_CONTROLLER_KEY);
  for (guint i = 0; i < keys->len; i++)
    {
      gboolean is_taken;

      if (gtk_event_controller_get_propagation_phase (keys->pdata[i]) == GTK_PHASE_CAPTURE)
        g_signal_emit_by_name (keys->pdata[i], "key-pressed", GDK_KEY_Alt_L, 0, 0, &is_taken);
    }
  g_assert_nonnull (window->sidebar);
  close_window (window);
}

/* 800 x 600 is enough, also with a large font. */
static void
test_large_font_fits (void)
{
  GtkSettings *settings = gtk_settings_get_default ();
  AttnWindow *window = open_window (application);
  g_autofree char *font = NULL;
  int width, height;

  g_object_get (settings, "gtk-font-name", &font, NULL);
  g_object_set (settings, "gtk-font-name", "Sans 15", NULL);
  gtk_widget_measure (GTK_WIDGET (window), GTK_ORIENTATION_HORIZONTAL, -1, &width, NULL, NULL,
                      NULL);
  gtk_widget_measure (GTK_WIDGET (window), GTK_ORIENTATION_VERTICAL, 800, &height, NULL, NULL,
                      NULL);
  g_object_set (settings, "gtk-font-name", font, NULL);
  g_assert_cmpint (width, <=, 800);
  g_assert_cmpint (height, <=, 600);
  close_window (window);
}

static gboolean
is_text_light (AttnWindow *window)
{
  GdkRGBA color;

  gtk_style_context_get_color (gtk_widget_get_style_context (GTK_WIDGET (window)), &color);
  return color.red + color.green + color.blue > 1.5;
}

/* Dark or light at once, and back to what it was. */
static void
test_appearance_is_as_chosen (void)
{
  g_autoptr (GSettings) settings = attn_settings_new ();
  AttnWindow *window = open_window (application);

  g_assert_false (is_text_light (window));
  g_settings_set_string (settings, "color-scheme", "dark");
  g_assert_true (is_text_light (window));
  g_settings_set_string (settings, "color-scheme", "light");
  g_assert_false (is_text_light (window));
  g_settings_set_string (settings, "color-scheme", "dark");
  g_settings_reset (settings, "color-scheme");
  g_assert_false (is_text_light (window));
  close_window (window);
}

/* Relative luminance of sRGB, 0 to 1 (WCAG 2). */
static double
get_luminance (const double channels[3])
{
  static const double weights[] = { 0.2126, 0.7152, 0.0722 };
  double sum = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (weights); i++)
    sum += weights[i] * (channels[i] <= 0.04045 ? channels[i] / 12.92
                                                : pow ((channels[i] + 0.055) / 1.055, 2.4));
  return sum;
}

/* Returns the contrast of a button's text to what is drawn behind it, at its left edge. */
static double
get_contrast (GtkWidget *button)
{
  GskRenderer *renderer = gtk_native_get_renderer (gtk_widget_get_native (button));
  g_autoptr (GdkPaintable) paintable = gtk_widget_paintable_new (button);
  GtkSnapshot *snapshot = gtk_snapshot_new ();
  int width = gtk_widget_get_width (button), height = gtk_widget_get_height (button);
  GdkRGBA color;

  gtk_style_context_get_color (gtk_widget_get_style_context (button), &color);
  gdk_paintable_snapshot (paintable, snapshot, width, height);
  g_autoptr (GskRenderNode) node = gtk_snapshot_free_to_node (snapshot);
  g_autoptr (GdkTexture) texture = gsk_renderer_render_texture (
      renderer, node, &GRAPHENE_RECT_INIT (0, 0, (float) width, (float) height));
  g_autofree guchar *pixels = g_malloc (4 * (gsize) width * (gsize) height);
  gdk_texture_download (texture, pixels, 4 * (gsize) width);
  const guchar *bgra = pixels + 4 * ((gsize) (height / 2) * (gsize) width + 3);
  const double ground[] = { bgra[2] / 255.0, bgra[1] / 255.0, bgra[0] / 255.0 };
  const double text[] = { color.red, color.green, color.blue };
  double a = get_luminance (ground) + 0.05, b = get_luminance (text) + 0.05;
  return MAX (a, b) / MIN (a, b);
}

/* Tells whether the text of a button can be read; one that a narrow window has folded away is not
 * drawn. */
static gboolean
is_read (GtkWidget *button)
{
  return !gtk_widget_get_mapped (button) || get_contrast (button) > 6;
}

/* The text of a chosen button can be read on its ground, light and dark: 4.5 to one is the least
 * for text (WCAG 2, 1.4.3), at which small letters with thin strokes look dim. */
static void
test_chosen_buttons_are_read (void)
{
  static const char * const schemes[] = { "light", "dark" };
  g_autoptr (GSettings) settings = attn_settings_new ();
  AttnWindow *window = open_window (application);

  wait_for_figure (window);
  g_assert_true (gtk_widget_get_mapped (find_id (window, "axis:head")));
  for (gsize i = 0; i < G_N_ELEMENTS (schemes); i++)
    {
      g_settings_set_string (settings, "color-scheme", schemes[i]);
      WAIT_UNTIL (is_read (find_id (window, "axis:head")));
      WAIT_UNTIL (is_read (find_id (window, "operation:mean")));
    }
  g_settings_reset (settings, "color-scheme");
  close_window (window);
}

static void
test_two_windows_do_not_share_a_study (void)
{
  AttnWindow *first = attn_window_new (application);
  AttnWindow *second = attn_window_new (application);

  gtk_window_present (GTK_WINDOW (first));
  gtk_window_present (GTK_WINDOW (second));
  wait_for_figure (first);
  wait_for_figure (second);
  gtk_toggle_button_set_active (find_id (first, "axis:token"), TRUE);

  g_assert_cmpint (attn_session_get_study (first->session)->axis, ==, ATTN_AXIS_TOKEN);
  g_assert_cmpint (attn_session_get_study (second->session)->axis, ==, ATTN_AXIS_HEAD);
  g_assert_true (gtk_toggle_button_get_active (find_id (second, "axis:head")));
  close_window (first);
  close_window (second);
}

/* And it says why. */
static void
test_last_component_stays (void)
{
  AttnWindow *window = attn_window_new (application);
  static const char * const ids[] = { "components:query", "components:key", "components:value" };

  for (gsize i = 0; i < G_N_ELEMENTS (ids); i++)
    gtk_check_button_set_active (find_id (window, ids[i]), FALSE);

  g_assert_false (gtk_check_button_get_active (find_id (window, "components:key")));
  g_assert_true (gtk_check_button_get_active (find_id (window, "components:value")));
  g_assert_true (attn_session_get_study (window->session)->components[ATTN_COMPONENT_VALUE]);
  const char *notice = _("The figure has a panel for each component: at least one stays. "
                         "Another one takes its place once that is on.");
  g_assert_nonnull (find_label_with (window->notices, notice));
  close_window (window);
}

static void
painted_cb (gboolean *is_painted)
{
  *is_painted = TRUE;
}

/* Every place of the slider is computed and painted: the figure says the ε of the slider. */
static void
test_epsilon_follows_the_hand (void)
{
  AttnWindow *window = attn_window_new (application);
  guint source = fixture_begin_wait ("every ε that was asked for");
  gboolean is_painted = FALSE;

  attn_window_load_preset (window, "epsilon");
  gtk_window_present (GTK_WINDOW (window));
  wait_for_figure (window);
  g_signal_connect_swapped (window->view, "painted", G_CALLBACK (painted_cb), &is_painted);

  GtkRange *scale = find_widget (find_widget (window, ATTN_TYPE_EPSILON_SLIDER), GTK_TYPE_SCALE);
  gint64 start = g_get_monotonic_time ();
  for (guint i = 1; i <= 60; i++)
    {
      g_autofree char *wanted = i % 10 == 0 ? g_strdup_printf ("ε = 1e-%u", i / 10) : NULL;
      gboolean is_shown = FALSE;

      gtk_range_set_value (scale, -0.1 * i);
      while (!is_shown)
        {
          is_painted = FALSE;
          while (!is_painted)
            g_main_context_iteration (NULL, TRUE);
          AttnGrid *grid = (attn_reading_get_places (window->reading).scene)->grid;
          is_shown = wanted == NULL || g_str_has_suffix (grid->cells[0].title, wanted);
        }
    }
  g_test_message ("%.1f ms a step", (g_get_monotonic_time () - start) / 60e3);
  g_source_remove (source);
  g_signal_handlers_disconnect_by_data (window->view, &is_painted);
  close_window (window);
}

static void
test_dropped_checkpoint_opens (void)
{
  AttnWindow *window = open_window (application);
  g_autoptr (GPtrArray) targets = find_controllers (window, GTK_TYPE_DROP_TARGET);
  g_autofree char *directory = g_dir_make_tmp ("attn-window-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (directory, "dropped", NULL);
  g_autofree char *model =
      g_build_filename (g_getenv ("ATTENTION_GRID_DATADIR"), "models", "rose", NULL);
  g_auto (GValue) value = G_VALUE_INIT;
  gboolean is_taken = FALSE;

  g_assert_cmpuint (targets->len, >, 0);
  g_assert_cmpint (symlink (model, path), ==, 0);
  g_assert_null (find_label (window, "dropped"));

  g_value_init (&value, G_TYPE_FILE);
  g_value_take_object (&value, g_file_new_for_path (path));
  g_signal_emit_by_name (targets->pdata[0], "drop", &value, 0.0, 0.0, &is_taken);
  g_assert_true (is_taken);
  WAIT_UNTIL (find_label (window, "dropped") != NULL);

  close_window (window);
  g_unlink (path);
  g_rmdir (directory);
}

static void
viewed_cb (gboolean *is_viewed)
{
  *is_viewed = TRUE;
}

static void
save_views (const char         *path,
            const AttnViewport *view,
            GArray             *views)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnStudy) study = attn_presets_load ("epsilon", &error);

  g_assert_no_error (error);
  study->viewport = *view;
  study->views = views;
  attn_study_save (study, path, &error);
  g_assert_no_error (error);
}

/* A study that was saved zoomed opens zoomed, and one that was not shows whole panels. */
static void
test_document_opens_as_it_was_zoomed (void)
{
  AttnWindow *window = open_window (application);
  AttnReading *reading = window->reading;
  g_autofree char *directory = g_dir_make_tmp ("attn-window-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (directory, "zoomed.json", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  const AttnViewport fit = ATTN_VIEWPORT_FIT;
  const AttnViewport shared = { 0.25, 0.25, 0.5, 0.5 };
  const AttnViewport last = { 0.5, 0.5, 0.25, 0.25 };
  GArray *views = g_array_new (FALSE, FALSE, sizeof (AttnViewport));
  gboolean is_viewed = FALSE;

  g_signal_connect_swapped (reading, "viewport-changed", G_CALLBACK (viewed_cb), &is_viewed);

  for (guint i = 0; i < 9; i++)
    g_array_append_val (views, *(i < 8 ? &shared : &last));
  save_views (path, &shared, views);
  attn_window_open (window, file);
  /* Another grid than before is shown as a whole until it is computed. */
  WAIT_UNTIL (attn_reading_get (reading).views->own != NULL);
  AttnViewport shown = attn_reading_get (reading).views->shared;
  g_autoptr (GArray) own = attn_views_dup_own (attn_reading_get (reading).views);
  g_assert_true (attn_viewport_equal (&shown, &shared));
  g_assert_nonnull (attn_reading_get (reading).views->own);
  g_assert_nonnull (own);
  g_assert_cmpuint (own->len, ==, 9);
  g_assert_true (attn_viewport_equal (&g_array_index (own, AttnViewport, 7), &shared));
  g_assert_true (attn_viewport_equal (&g_array_index (own, AttnViewport, 8), &last));

  is_viewed = FALSE;
  save_views (path, &fit, NULL);
  attn_window_open (window, file);
  WAIT_UNTIL (is_viewed);
  shown = attn_reading_get (reading).views->shared;
  g_assert_true (attn_viewport_is_fit (&shown));
  g_assert_null (attn_reading_get (reading).views->own);

  g_signal_handlers_disconnect_by_data (reading, &is_viewed);
  close_window (window);
  g_unlink (path);
  g_rmdir (directory);
}

/* What an edit has changed since the preset is said by the words of the command line. */
static void
test_copied_command (void)
{
  AttnWindow *window = open_window (application);
  AttnStudy *study = attn_window_copy_study (window);

  study->layer = 1;
  study->style.n_digits = 4;
  attn_session_edit (window->session, study, NULL);
  gdk_clipboard_set_content (gtk_widget_get_clipboard (GTK_WIDGET (window)), NULL);
  g_action_group_activate_action (G_ACTION_GROUP (window), "copy-command", NULL);
  g_autofree char *text = read_copied_text (window);
  g_assert_true (g_str_has_prefix (text, "attention-grid render "));
  g_assert_nonnull (strstr (text, " --layer 1"));
  g_assert_nonnull (strstr (text, " --digits 4"));
  g_assert_null (strstr (text, "--set"));
  gdk_clipboard_set_content (gtk_widget_get_clipboard (GTK_WIDGET (window)), NULL);
}

/* Factors that another figure had along ε are not in the command of one that does not use them. */
static void
test_command_has_no_unused_epsilons (void)
{
  AttnWindow *window = open_preset (application, "epsilon");

  attn_window_load_preset (window, "mean-operation");
  wait_for_figure (window);
  AttnStudy *study = attn_window_copy_study (window);
  const double epsilons[] = { 0.25, 1e-3, 1e-10 };
  g_array_set_size (study->epsilons, 0);
  g_array_append_vals (study->epsilons, epsilons, G_N_ELEMENTS (epsilons));
  attn_session_edit (window->session, study, NULL);
  g_action_group_activate_action (G_ACTION_GROUP (window), "copy-command", NULL);
  g_autofree char *mean = read_copied_text (window);
  g_assert_cmpstr (mean, ==, "attention-grid render mean-operation -o figure.svg");

  study = attn_window_copy_study (window);
  study->operation = ATTN_OPERATION_SCALE;
  attn_session_edit (window->session, study, NULL);
  gdk_clipboard_set_content (gtk_widget_get_clipboard (GTK_WIDGET (window)), NULL);
  g_action_group_activate_action (G_ACTION_GROUP (window), "copy-command", NULL);
  g_autofree char *scale = read_copied_text (window);
  g_assert_nonnull (strstr (scale, "0.25"));
  g_assert_null (strstr (scale, "0.001"));
  gdk_clipboard_set_content (gtk_widget_get_clipboard (GTK_WIDGET (window)), NULL);
}

/* Whoever pastes takes a picture, a drawing or a table. */
static void
test_copied_figure (void)
{
  AttnWindow *window = open_window (application);
  GdkClipboard *clipboard = gtk_widget_get_clipboard (GTK_WIDGET (window));
  g_auto (GValue) picture = G_VALUE_INIT;
  g_autoptr (GError) error = NULL;

  g_action_group_activate_action (G_ACTION_GROUP (window), "copy-figure", NULL);
  g_autofree char *text = read_copied_text (window);

  GdkContentProvider *content = gdk_clipboard_get_content (clipboard);
  g_autoptr (GdkContentFormats) formats = gdk_content_provider_ref_formats (content);
  g_assert_true (gdk_content_formats_contain_mime_type (formats, "image/svg+xml"));
  /* Nine panels of fifteen rows, each with its name, its keys and an empty line between. */
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  g_assert_cmpuint (g_strv_length (lines), ==, 9 * (15 + 3));
  g_value_init (&picture, GDK_TYPE_TEXTURE);
  g_assert_true (gdk_content_provider_get_value (content, &picture, &error));
  g_assert_no_error (error);
  g_assert_cmpint (gdk_texture_get_width (g_value_get_object (&picture)), >, 500);
  gdk_clipboard_set_content (clipboard, NULL);
  close_window (window);
}

/* GTK's own writer of strings would wait for good, in the main thread, for the reader there. */
static void
test_megabytes_are_pasted (void)
{
  AttnWindow *window = open_window (application);
  GdkClipboard *clipboard = gtk_widget_get_clipboard (GTK_WIDGET (window));
  g_autofree char *copied = g_strnfill (3000000, 'a');
  g_autoptr (GdkContentProvider) content = attn_window_offer_text (copied);

  gdk_clipboard_set_content (clipboard, content);
  g_autofree char *pasted = read_copied_text (window);
  g_assert_true (g_str_equal (pasted, copied));
  gdk_clipboard_set_content (clipboard, NULL);
  close_window (window);
}

/* The file is whole, and the window closes by itself. */
static void
test_closed_while_exporting (void)
{
  AttnWindow *window = open_window (application);
  gpointer weak_window = window;
  g_autofree char *directory = g_dir_make_tmp ("attention-grid-export-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (directory, "figure.svg", NULL);
  g_autofree char *text = NULL;

  g_object_add_weak_pointer (G_OBJECT (window), &weak_window);
  export_figure (window, path, ATTN_EXPORT_SVG, ATTN_ALL_PANELS);
  gtk_window_close (GTK_WINDOW (window));
  g_assert_nonnull (weak_window);
  g_assert_true (gtk_widget_get_visible (GTK_WIDGET (window)));
  WAIT_UNTIL (weak_window == NULL);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_true (g_str_has_suffix (text, "</svg>\n"));
  g_unlink (path);
  g_rmdir (directory);
}

static void
test_closed_twice_while_exporting (void)
{
  AttnWindow *window = open_window (application);
  gpointer weak_window = window;

  g_object_add_weak_pointer (G_OBJECT (window), &weak_window);
  export_figure (window, "/nowhere/figure.svg", ATTN_EXPORT_SVG, ATTN_ALL_PANELS);
  gtk_window_close (GTK_WINDOW (window));
  gtk_window_close (GTK_WINDOW (window));
  WAIT_UNTIL (weak_window == NULL);
}

/* A survey is written as a figure is; the window says what became of it. */
static void
test_survey_is_saved (void)
{
  AttnWindow *window = open_preset (application, "survey");
  AttnSurveyData *survey = attn_session_get_result (window->session)->survey;
  g_autofree char *directory = g_dir_make_tmp ("attention-grid-survey-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (directory, "survey.npz", NULL);
  g_autoptr (GError) error = NULL;

  attn_window_save_survey (window, survey, path);
  g_assert_false (g_action_group_get_action_enabled (G_ACTION_GROUP (window), "save-survey"));
  WAIT_UNTIL (g_action_group_get_action_enabled (G_ACTION_GROUP (window), "save-survey"));
  g_assert_nonnull (find_label (window, "The survey was saved"));
  g_autoptr (AttnSurveyData) saved = attn_survey_data_load (path, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (saved->json, ==, survey->json);

  attn_window_save_survey (window, survey, "/nowhere/survey.npz");
  WAIT_UNTIL (find_label_with (window, "Could Not Save the Survey") != NULL);
  close_window (window);
  g_unlink (path);
  g_rmdir (directory);
}

/* Who closes is told that there is no file, and may try again. */
static void
test_closed_while_an_export_fails (void)
{
  AttnWindow *window = open_window (application);

  export_figure (window, "/nowhere/figure.svg", ATTN_EXPORT_SVG, ATTN_ALL_PANELS);
  gtk_window_close (GTK_WINDOW (window));
  WAIT_UNTIL (!g_action_group_get_action_enabled (G_ACTION_GROUP (window), "cancel-export"));
  iterate ();
  g_assert_true (gtk_widget_get_visible (GTK_WIDGET (window)));
  g_assert_nonnull (find_text (window, "/nowhere/figure.svg"));
  close_window (window);
}

static void
test_model_is_not_exported_over (void)
{
  AttnWindow *window = open_window (application);
  g_autofree char *directory = g_dir_make_tmp ("attention-grid-export-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (directory, "panels.npz", NULL);
  g_autofree char *model = attn_data_find_model ();
  g_autofree char *weights = g_build_filename (model, "model.safetensors", NULL);
  AttnExportKind kind;

  g_assert_cmpint (symlink (weights, path), ==, 0);
  g_assert_true (attn_export_kind_parse (path, &kind, NULL));
  export_figure (window, path, kind, ATTN_ALL_PANELS);
  WAIT_UNTIL (!g_action_group_get_action_enabled (G_ACTION_GROUP (window), "cancel-export"));
  iterate ();
  g_assert_nonnull (find_text (window, "which is being read"));
  close_window (window);
  g_unlink (path);
  g_rmdir (directory);
}

/* What was to be copied is given up without a word. */
static void
test_closed_while_copying (void)
{
  AttnWindow *window = open_window (application);

  g_action_group_activate_action (G_ACTION_GROUP (window), "copy-figure", NULL);
  close_window (window);
}

/* A preset keeps one's own inputs as far as it can tell which they are, and says so where not. */
static void
test_replaced_inputs_are_told (void)
{
  AttnWindow *window = open_preset (application, "mean-operation");
  AttnStudy *own = attn_study_copy (attn_session_get_study (window->session));

  attn_window_load_preset (window, "epsilon");
  g_assert_true (window->note == NULL || strstr (window->note, "inputs of the preset") == NULL);
  wait_for_figure (window);
  g_clear_pointer (&own->preset, g_free);
  attn_input_free (own->inputs->pdata[1]);
  own->inputs->pdata[1] = attn_input_new_text ("A cat", 0);
  attn_session_edit (window->session, own, NULL);
  wait_for_figure (window);
  attn_window_load_preset (window, "epsilon");
  g_assert_nonnull (strstr (window->note, "inputs of the preset"));
  wait_for_figure (window);
  g_assert_cmpuint (attn_session_get_study (window->session)->inputs->len, ==, 1);
  attn_session_undo (window->session);
  g_assert_cmpuint (attn_session_get_study (window->session)->inputs->len, ==, 3);
  wait_for_figure (window);
  close_window (window);
}

/* An input of the preset that was removed stays away when another preset has been shown in between;
 * chosen again, the preset brings it back and says so. */
static void
test_removed_input_stays_away (void)
{
  AttnWindow *window = open_preset (application, "mean-operation");
  AttnStudy *study = attn_study_copy (attn_session_get_study (window->session));

  g_assert_cmpuint (study->inputs->len, ==, 3);
  g_ptr_array_remove_index (study->inputs, 0);
  g_autofree char *first = g_strdup (((AttnInput *) study->inputs->pdata[0])->text);
  attn_session_edit (window->session, study, NULL);
  wait_for_figure (window);
  attn_window_load_preset (window, "epsilon");
  wait_for_figure (window);
  attn_window_load_preset (window, "mean-operation");
  wait_for_figure (window);
  const GPtrArray *inputs = attn_session_get_study (window->session)->inputs;
  g_assert_cmpuint (inputs->len, ==, 2);
  g_assert_cmpstr (((AttnInput *) inputs->pdata[0])->text, ==, first);
  g_assert_true (window->note == NULL || strstr (window->note, "are back") == NULL);

  attn_window_load_preset (window, "mean-operation");
  wait_for_figure (window);
  inputs = attn_session_get_study (window->session)->inputs;
  g_assert_cmpuint (inputs->len, ==, 3);
  g_assert_cmpstr (((AttnInput *) inputs->pdata[1])->text, ==, first);
  g_assert_nonnull (strstr (window->note, "undo removes them again"));
  attn_session_undo (window->session);
  g_assert_null (window->note);
  g_assert_cmpuint (attn_session_get_study (window->session)->inputs->len, ==, 2);
  wait_for_figure (window);
  close_window (window);
}

/* The button of the presets says when what is shown is none any more: not for another head or text,
 * and no longer once it is undone. */
static void
test_changed_preset_says_so (void)
{
  AttnWindow *window = open_window (application);
  GtkStack *pages = g_object_get_data (G_OBJECT (window->presets), ATTN_PRESET_LIST_PAGES);
  gsize n_presets;
  const AttnPreset *presets = attn_presets_get_own (&n_presets);

  for (gsize i = 0; i < n_presets; i++)
    {
      attn_window_load_preset (window, presets[i].name);
      wait_for_figure (window);
      g_test_message ("%s", presets[i].name);
      g_assert_cmpstr (gtk_stack_get_visible_child_name (pages), ==, "plain");
    }
  attn_window_load_preset (window, "mean-operation");
  wait_for_figure (window);
  g_action_group_activate_action (G_ACTION_GROUP (window), "head-previous", NULL);
  wait_for_figure (window);
  g_assert_cmpstr (gtk_stack_get_visible_child_name (pages), ==, "plain");

  AttnStudy *study = attn_study_copy (attn_session_get_study (window->session));
  study->axis = ATTN_AXIS_TOKEN;
  attn_session_edit (window->session, study, NULL);
  wait_for_figure (window);
  g_assert_cmpstr (gtk_stack_get_visible_child_name (pages), ==, "changed");
  g_assert_cmpstr (gtk_label_get_label (GTK_LABEL (gtk_stack_get_visible_child (pages))), ==,
                   "Mean Operation (changed)");
  attn_session_undo (window->session);
  wait_for_figure (window);
  g_assert_cmpstr (gtk_stack_get_visible_child_name (pages), ==, "plain");
  close_window (window);
}

/* A figure of weights does not take the colours of a map that could not be computed. */
static void
test_figure_keeps_its_colors (void)
{
  AttnWindow *window = open_window (application);
  AttnStyle before = attn_reading_get_places (window->reading).scene->style;
  AttnStudy *study = attn_presets_load ("patch-map", NULL);

  attn_input_free (g_ptr_array_index (study->inputs, 1));
  g_ptr_array_index (study->inputs, 1) = attn_input_new_text ("A text of another length", 0);
  attn_session_edit (window->session, study, NULL);
  WAIT_UNTIL (!attn_session_is_busy (window->session) && window->is_stale);
  AttnStyle after = attn_reading_get_places (window->reading).scene->style;
  g_assert_cmpint (after.colormap, ==, before.colormap);
  g_assert_cmpfloat (after.low, ==, before.low);
  g_assert_cmpfloat (after.high, ==, before.high);
  attn_session_undo (window->session);
  wait_for_figure (window);
  close_window (window);
}

/* A number that was typed and not yet confirmed is saved as its window goes. */
static void
test_preferences_close_in_a_field (void)
{
  AttnWindow *window = open_window (application);
  g_autoptr (GSettings) settings = attn_settings_new ();
  GtkWindow *preferences = GTK_WINDOW (attn_preferences_new (GTK_WINDOW (window), settings));
  GtkSpinButton *digits = find_widget (preferences, GTK_TYPE_SPIN_BUTTON);

  gtk_window_present (preferences);
  gtk_widget_grab_focus (GTK_WIDGET (digits));
  WAIT_UNTIL (gtk_widget_get_mapped (GTK_WIDGET (digits)));
  gtk_editable_set_text (GTK_EDITABLE (digits), "5");
  g_assert_cmpint (g_settings_get_int (settings, "new-study-digits"), !=, 5);
  gtk_window_destroy (preferences);
  g_assert_cmpint (g_settings_get_int (settings, "new-study-digits"), ==, 5);
  g_settings_reset (settings, "new-study-digits");
  close_window (window);
}

static guint
count_guards (GtkWidget *widget)
{
  g_autoptr (GPtrArray) events = find_controllers (widget, GTK_TYPE_EVENT_CONTROLLER_LEGACY);
  guint n = 0;

  for (guint i = 0; i < events->len; i++)
    n += gtk_event_controller_get_propagation_phase (events->pdata[i]) == GTK_PHASE_CAPTURE;
  return n;
}

/* Counts the windows and popovers in @widget, each of which must have one guard of its clicks. */
static guint
count_guarded (GtkWidget *widget)
{
  guint n = GTK_IS_WINDOW (widget) || GTK_IS_POPOVER (widget);

  if (n > 0 && count_guards (widget) != 1)
    g_error ("%u guards of %s in %s", count_guards (widget), G_OBJECT_TYPE_NAME (widget),
             G_OBJECT_TYPE_NAME (gtk_widget_get_parent (widget)));
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    n += count_guarded (child);
  return n;
}

/* Clicks are guarded wherever there is something to click, in popovers of rows as well. */
static void
test_clicks_are_guarded (void)
{
  AttnWindow *window = open_window (application);

  wait_for_figure (window);
  g_assert_cmpuint (count_guarded (GTK_WIDGET (window)), >, 10);
  close_window (window);
}

int
main (int    argc,
      char **argv)
{
  fixture_init (&argc, &argv);
  application = fixture_new_application ();
  g_test_add_func ("/app/window/closed-while-computing", test_closed_while_computing);
  g_test_add_func ("/app/window/closed-with-a-figure", test_closed_with_a_figure);
  g_test_add_func ("/app/window/sidebar-comes-behind-the-figure",
                   test_sidebar_comes_behind_the_figure);
  g_test_add_func ("/app/window/sidebar-comes-without-a-figure",
                   test_sidebar_comes_without_a_figure);
  g_test_add_func ("/app/window/sidebar-comes-when-asked-for", test_sidebar_comes_when_asked_for);
  g_test_add_func ("/app/window/large-font-fits", test_large_font_fits);
  g_test_add_func ("/app/window/appearance-is-as-chosen", test_appearance_is_as_chosen);
  g_test_add_func ("/app/window/chosen-buttons-are-read", test_chosen_buttons_are_read);
  g_test_add_func ("/app/window/two-windows-do-not-share-a-study",
                   test_two_windows_do_not_share_a_study);
  g_test_add_func ("/app/window/last-component-stays", test_last_component_stays);
  g_test_add_func ("/app/window/epsilon-follows-the-hand", test_epsilon_follows_the_hand);
  g_test_add_func ("/app/window/dropped-checkpoint-opens", test_dropped_checkpoint_opens);
  g_test_add_func ("/app/window/document-opens-as-it-was-zoomed",
                   test_document_opens_as_it_was_zoomed);
  g_test_add_func ("/app/window/copied-figure", test_copied_figure);
  g_test_add_func ("/app/window/copied-command", test_copied_command);
  g_test_add_func ("/app/window/command-has-no-unused-epsilons",
                   test_command_has_no_unused_epsilons);
  g_test_add_func ("/app/window/pasted-megabytes", test_megabytes_are_pasted);
  g_test_add_func ("/app/window/preferences-close-in-a-field", test_preferences_close_in_a_field);
  g_test_add_func ("/app/window/closed-while-exporting", test_closed_while_exporting);
  g_test_add_func ("/app/window/closed-twice-while-exporting", test_closed_twice_while_exporting);
  g_test_add_func ("/app/window/closed-while-an-export-fails", test_closed_while_an_export_fails);
  g_test_add_func ("/app/window/model-is-not-exported-over", test_model_is_not_exported_over);
  g_test_add_func ("/app/window/survey-is-saved", test_survey_is_saved);
  g_test_add_func ("/app/window/changed-preset-says-so", test_changed_preset_says_so);
  g_test_add_func ("/app/window/replaced-inputs-are-told", test_replaced_inputs_are_told);
  g_test_add_func ("/app/window/removed-input-stays-away", test_removed_input_stays_away);
  g_test_add_func ("/app/window/figure-keeps-its-colors", test_figure_keeps_its_colors);
  g_test_add_func ("/app/window/clicks-are-guarded", test_clicks_are_guarded);
  g_test_add_func ("/app/window/closed-while-copying", test_closed_while_copying);
  return fixture_run (application);
}
