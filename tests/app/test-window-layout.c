/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What has room in a window: controls and inspector beside the figure, words in the header. */

#include "config.h"

#include <glib/gstdio.h>

#include "app-fixture.h"
#include "attn-edits.h"

static GtkApplication *application;

/* A window of this width, with the inspector as it was left. */
static AttnWindow *
open_wide (int      width,
           gboolean shows_inspector)
{
  AttnWindow *window = attn_window_new (application);

  g_settings_set_int (window->settings, "window-width", width);
  g_settings_set_int (window->settings, "window-height", 600);
  g_settings_set_boolean (window->settings, "shows-inspector", shows_inspector);
  close_window (window);
  return open_window (application);
}

static gboolean
has_sidebar (AttnWindow *window)
{
  return gtk_widget_get_visible (GTK_WIDGET (window->sidebar));
}

static gboolean
has_inspector (AttnWindow *window)
{
  return gtk_widget_get_visible (GTK_WIDGET (window->inspector));
}

/* The program was left with the inspector shown, and starts on a small screen. */
static void
test_narrow_from_the_start (void)
{
  AttnWindow *window = open_wide (800, TRUE);

  WAIT_UNTIL (gtk_widget_get_width (GTK_WIDGET (window)) > 0);
  g_assert_true (has_inspector (window));
  g_assert_false (has_sidebar (window));
  g_assert_cmpint (gtk_widget_get_width (GTK_WIDGET (window)), <=, 800);
  g_action_group_activate_action (G_ACTION_GROUP (window), "inspector", NULL);
  g_assert_true (has_sidebar (window));
  g_assert_false (has_inspector (window));
  close_window (window);
}

static void
test_folds_in_one_step (void)
{
  AttnWindow *window = open_wide (1100, TRUE);

  g_assert_true (has_sidebar (window));
  g_assert_true (has_inspector (window));
  gtk_window_set_default_size (GTK_WINDOW (window), 820, 600);
  WAIT_UNTIL (!has_sidebar (window));
  g_assert_true (has_inspector (window));
  gtk_window_set_default_size (GTK_WINDOW (window), 1100, 600);
  WAIT_UNTIL (has_sidebar (window));
  g_assert_true (has_inspector (window));
  close_window (window);
}

static void
test_maximized_has_both (void)
{
  AttnWindow *window = open_wide (820, TRUE);

  g_assert_false (has_sidebar (window));
  gtk_window_maximize (GTK_WINDOW (window));
  WAIT_UNTIL (has_sidebar (window));
  g_assert_true (gtk_window_is_maximized (GTK_WINDOW (window)));
  g_assert_true (has_inspector (window));
  gtk_window_unmaximize (GTK_WINDOW (window));
  WAIT_UNTIL (!has_sidebar (window));
  g_assert_true (has_inspector (window));
  close_window (window);
}

/* One button does with its symbol before a word is cut off. */
static void
test_header_folds_a_word (void)
{
  AttnWindow *window = open_wide (800, FALSE);

  gtk_label_set_label (window->document_title, "S");
  gtk_label_set_label (window->document_subtitle, "S");
  WAIT_UNTIL (gtk_widget_get_visible (window->export_label));
  g_assert_false (gtk_widget_get_visible (window->export_symbol));
  gtk_label_set_label (window->document_title, "A study of the attention of all heads");
  WAIT_UNTIL (gtk_widget_get_visible (window->export_symbol));
  g_assert_false (gtk_widget_get_visible (window->export_label));
  gtk_window_set_default_size (GTK_WINDOW (window), 1200, 600);
  WAIT_UNTIL (gtk_widget_get_visible (window->export_label));
  g_assert_false (gtk_widget_get_visible (window->export_symbol));
  close_window (window);
}

/* What exports the figure and what exports the sweep do not look the same in a narrow window. */
static void
test_exports_have_their_symbols (void)
{
  AttnWindow *window = open_wide (800, FALSE);
  GtkIconTheme *theme = gtk_icon_theme_get_for_display (gdk_display_get_default ());
  const char *figure = gtk_image_get_icon_name (GTK_IMAGE (window->export_symbol));
  const char *sweep = gtk_button_get_icon_name (find_id (window, "export_sweep"));

  g_assert_cmpstr (figure, !=, sweep);
  g_assert_true (gtk_icon_theme_has_icon (theme, figure));
  g_assert_true (gtk_icon_theme_has_icon (theme, sweep));
  close_window (window);
}

/* What is the same at the end of every study takes no room; the hint says where the file is. */
static void
test_title_is_short (void)
{
  AttnWindow *window = open_wide (800, FALSE);
  g_autofree char *directory = g_dir_make_tmp ("attn-window-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (directory, "odd.attention.json", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnStudy) study = attn_presets_load ("single", &error);

  g_assert_no_error (error);
  attn_study_save (study, path, &error);
  g_assert_no_error (error);
  attn_window_open (window, file);
  WAIT_UNTIL (g_str_equal (gtk_label_get_label (window->document_title), "odd"));
  g_assert_cmpstr (gtk_widget_get_tooltip_text (GTK_WIDGET (window->document_title)), ==, path);
  wait_for_figure (window);
  close_window (window);
  g_unlink (path);
  g_rmdir (directory);
}

/* Every text has room from the start, whatever size the window manager gives the window. */
static void
test_texts_show_from_the_start (void)
{
  for (int width = 1000; width <= 1280; width += 140)
    {
      AttnWindow *window = open_wide (width, FALSE);
      GtkWidget *text = find_widget (window, GTK_TYPE_TEXT_VIEW);

      WAIT_UNTIL (gtk_widget_get_height (text) > 20);
      close_window (window);
    }
}

/* The axis of the mean and the words below it stand in the middle of the room that the strip keeps
 * for each operation, and stay there when the introduction goes. */
static void
test_mean_is_in_the_middle (void)
{
  AttnWindow *window = open_wide (1280, FALSE);
  GtkWidget *room = find_id (window, "parameter");
  graphene_rect_t row, after, words;

  wait_for_figure (window);
  WAIT_UNTIL (gtk_widget_get_mapped (find_id (window, "introduction")) &&
              gtk_widget_get_height (room) > 0);
  g_assert_true (gtk_widget_compute_bounds (find_id (window, "axis_row"), room, &row));
  g_assert_true (gtk_widget_compute_bounds (find_id (window, "axis_words"), room, &words));
  g_assert_cmpfloat_with_epsilon (row.origin.y,
                                  gtk_widget_get_height (room) - words.origin.y -
                                      words.size.height,
                                  1);
  gtk_check_button_set_active (find_id (window, "components:value"), FALSE);
  wait_for_figure (window);
  WAIT_UNTIL (!gtk_widget_get_mapped (find_id (window, "introduction")));
  g_assert_true (gtk_widget_get_mapped (find_id (window, "axis_meaning")));
  g_assert_true (gtk_widget_compute_bounds (find_id (window, "axis_row"), room, &after));
  g_assert_cmpfloat (after.origin.y, ==, row.origin.y);
  close_window (window);
}

/* The tokens that a patch pairs stand beside its controls, not above them. */
static void
test_pairs_stand_beside_their_controls (void)
{
  AttnWindow *window = open_wide (1280, FALSE);
  GtkWidget *room = find_id (window, "parameter"), *pairs = find_id (window, "patch_pairs");
  graphene_rect_t input, beside;

  wait_for_figure (window);
  g_action_group_activate_action (G_ACTION_GROUP (window), "component",
                                  g_variant_new ("(sb)", "query", FALSE));
  gtk_toggle_button_set_active (find_id (window, "operation:patch"), TRUE);
  wait_for_figure (window);
  WAIT_UNTIL (gtk_widget_get_mapped (pairs) && gtk_widget_get_height (pairs) > 0);
  gtk_test_widget_wait_for_draw (GTK_WIDGET (window));
  GtkWidget *content = gtk_widget_get_first_child (pairs);
  g_assert_true (gtk_widget_compute_bounds (find_id (window, "patch-input"), room, &input));
  g_assert_true (gtk_widget_compute_bounds (content, room, &beside));
  g_assert_cmpfloat (beside.size.height, <, 2 * input.size.height);
  g_assert_cmpfloat_with_epsilon (input.origin.y + input.size.height / 2,
                                  beside.origin.y + beside.size.height / 2, 1);
  close_window (window);
}

/* A long name of what the cells hold is wrapped: the figure keeps its width. */
static void
test_inspector_keeps_its_width (void)
{
  static const char * const presets[] = { "mean-operation", "patch-map", "state" };
  AttnWindow *window = open_wide (1280, TRUE);
  int usual = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (presets); i++)
    {
      int least;

      attn_window_load_preset (window, presets[i]);
      wait_for_figure (window);
      gtk_widget_measure (GTK_WIDGET (window->inspector), GTK_ORIENTATION_HORIZONTAL, -1, &least,
                          NULL, NULL, NULL);
      if (i == 0)
        usual = least;
      g_assert_cmpint (least, ==, usual);
    }
  close_window (window);
}

static GtkWidget *
find_button (GtkWidget  *root,
             const char *action)
{
  GtkWidget *found = NULL;

  if (GTK_IS_BUTTON (root) &&
      g_strcmp0 (gtk_actionable_get_action_name (GTK_ACTIONABLE (root)), action) == 0)
    return root;
  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = find_button (child, action);
  return found;
}

static float
get_x_of (AttnWindow *window,
          const char *action)
{
  graphene_rect_t bounds;

  gtk_test_widget_wait_for_draw (GTK_WIDGET (window));
  g_assert_true (gtk_widget_compute_bounds (
      find_button (gtk_window_get_titlebar (GTK_WINDOW (window)), action), GTK_WIDGET (window),
      &bounds));
  return bounds.origin.x;
}

/* One clicks it several times, and what is undone is the preset, too. */
static void
test_undo_stays_where_it_is (void)
{
  static const char * const presets[] = { "epsilon", "layer-token", "score-atlas" };
  AttnWindow *window = open_wide (1280, FALSE);
  float undo = get_x_of (window, "win.undo");
  float redo = get_x_of (window, "win.redo");

  for (gsize i = 0; i < G_N_ELEMENTS (presets); i++)
    {
      attn_window_load_preset (window, presets[i]);
      wait_for_figure (window);
      g_assert_cmpfloat (get_x_of (window, "win.undo"), ==, undo);
      g_assert_cmpfloat (get_x_of (window, "win.redo"), ==, redo);
    }
  close_window (window);
}

/* On a small screen the list of the presets says that there are more: its scroll bar stays in
 * sight. */
static void
test_list_of_presets_shows_that_it_scrolls (void)
{
  AttnWindow *window = open_wide (800, FALSE);
  GtkScrolledWindow *list = find_widget (window->presets, GTK_TYPE_SCROLLED_WINDOW);
  GtkPolicyType policy;

  gtk_scrolled_window_get_policy (list, NULL, &policy);
  g_assert_cmpint (policy, ==, GTK_POLICY_AUTOMATIC);
  g_assert_false (gtk_scrolled_window_get_overlay_scrolling (list));
  gtk_widget_activate (GTK_WIDGET (window->presets));
  WAIT_UNTIL (gtk_widget_get_height (GTK_WIDGET (list)) > 0);
  /* It ends within the window, below whose header it begins. */
  g_assert_cmpint (gtk_scrolled_window_get_max_content_height (list), <,
                   gtk_widget_get_height (GTK_WIDGET (window)) -
                       gtk_widget_get_height (GTK_WIDGET (window->presets)));
  WAIT_UNTIL (gtk_widget_get_height (GTK_WIDGET (list)) <=
              gtk_scrolled_window_get_max_content_height (list));
  /* No text lies below the scroll bar. */
  GtkWidget *heading = find_widget (gtk_scrolled_window_get_child (list), GTK_TYPE_LABEL);
  GtkWidget *text = gtk_widget_get_last_child (gtk_widget_get_parent (heading));
  GtkWidget *bar = gtk_scrolled_window_get_vscrollbar (list);
  graphene_rect_t bounds;
  g_assert_true (gtk_widget_compute_bounds (text, GTK_WIDGET (list), &bounds));
  g_assert_cmpfloat (bounds.origin.x + bounds.size.width, <=,
                     gtk_widget_get_width (GTK_WIDGET (list)) - gtk_widget_get_width (bar));
  close_window (window);
}

static gboolean
says (AttnWindow *window,
      const char *words)
{
  return strstr (gtk_label_get_label (window->readout_note), words) != NULL;
}

static double
get_panel_width (AttnWindow *window)
{
  AttnRectangle panel;
  AttnPlaces places = attn_reading_get_places (window->reading);

  g_assert_true (attn_places_get_panel (&places, 0, &panel));
  return panel.width;
}

/* What four inputs leave no room for is said, also below a note such as that another head is
 * shown. */
static void
test_lack_of_room_is_said (void)
{
  AttnWindow *window = open_wide (1280, FALSE);
  AttnStudy *study = attn_presets_load ("epsilon", NULL);

  for (guint i = 0; i < 3; i++)
    attn_edits_duplicate_input (study, 0);
  study->rows = ATTN_DIMENSION_INPUT;
  attn_session_edit (window->session, study, NULL);
  wait_for_figure (window);
  WAIT_UNTIL (says (window, "\nNo room for: "));
  attn_window_show_note (window, "Another head");
  g_assert_true (says (window, "Another head\nNo room for: "));
  attn_window_sync_readout (window);
  g_assert_true (says (window, "Another head\nNo room for: "));
  close_window (window);
}

/* Panels of one column are as large as the height allows; how they get larger is said, and done. */
static void
test_one_column_is_said (void)
{
  static const char words[] = "side by side (Columns: Inputs) they are larger";
  AttnWindow *window = attn_window_new (application);

  g_settings_set_int (window->settings, "window-width", 1280);
  g_settings_set_int (window->settings, "window-height", 860);
  g_settings_set_boolean (window->settings, "shows-inspector", FALSE);
  close_window (window);
  window = open_window (application);
  g_assert_false (says (window, words));
  g_action_group_activate_action (G_ACTION_GROUP (window), "component",
                                  g_variant_new ("(sb)", "key", FALSE));
  wait_for_figure (window);
  WAIT_UNTIL (says (window, words));
  double before = get_panel_width (window);
  gtk_drop_down_set_selected (find_id (window, "columns"), ATTN_DIMENSION_INPUT);
  wait_for_figure (window);
  WAIT_UNTIL (!says (window, words));
  g_assert_cmpfloat (get_panel_width (window), >, 1.3 * before);
  close_window (window);
}

static double
get_top_of_way_back (AttnWindow *window)
{
  double x, y;

  for (guint i = 0; i < 2; i++)
    gtk_test_widget_wait_for_draw (GTK_WIDGET (window));
  g_assert_true (gtk_widget_get_mapped (GTK_WIDGET (window->back_pill)));
  g_assert_true (gtk_widget_translate_coordinates (GTK_WIDGET (window->back_pill),
                                                   GTK_WIDGET (window), 0, 0, &x, &y));
  return y;
}

/* The button that leads back stays where it is whatever is read: a hint in three lines, the numbers
 * of a cell, or a note. */
static void
test_way_back_stands_still (void)
{
  AttnWindow *window = open_wide (800, FALSE);
  AttnStudy *study = attn_presets_load ("mean-operation", NULL);
  const AttnCellCursor cell = { 2, 14, 14 };

  study->components[ATTN_COMPONENT_QUERY] = study->components[ATTN_COMPONENT_VALUE] = FALSE;
  attn_session_edit (window->session, study, NULL);
  wait_for_figure (window);
  g_action_group_activate_action (G_ACTION_GROUP (window), "go-to-head",
                                  g_variant_new ("(ii)", 1, 3));
  wait_for_figure (window);
  WAIT_UNTIL (strstr (gtk_label_get_label (window->readout_said), "No room for: ") != NULL);
  double top = get_top_of_way_back (window);
  g_assert_cmpint (
      pango_layout_get_line_count (gtk_label_get_layout (window->readout_said)), ==, 3);
  attn_reading_set_cursor (window->reading, &cell);
  g_assert_true (g_str_has_prefix (gtk_label_get_label (window->readout_value), "weight"));
  g_assert_cmpfloat (get_top_of_way_back (window), ==, top);
  attn_window_show_note (window, "Another head");
  g_assert_cmpfloat (get_top_of_way_back (window), ==, top);
  attn_reading_set_tool (window->reading, ATTN_READING_TOOL_ZOOM);
  g_assert_cmpfloat (get_top_of_way_back (window), ==, top);
  close_window (window);
}

/* On a small screen the figure has at least half of the window, whatever there is to say of it. */
static void
test_figure_has_half_of_the_window (void)
{
  AttnWindow *window = open_wide (800, FALSE);
  gsize n_presets;
  const AttnPreset *presets = attn_presets_get_own (&n_presets);

  for (gsize i = 0; i < n_presets; i++)
    {
      attn_window_load_preset (window, presets[i].name);
      wait_for_figure (window);
      gtk_test_widget_wait_for_draw (GTK_WIDGET (window));
      g_test_message ("%s: %d of %d pixels, strip %d, readout %d", presets[i].name,
                      gtk_widget_get_height (GTK_WIDGET (window->view)),
                      gtk_widget_get_height (GTK_WIDGET (window)),
                      gtk_widget_get_height (GTK_WIDGET (window->strip)),
                      gtk_widget_get_height (window->readout));
      g_assert_cmpint (2 * gtk_widget_get_height (GTK_WIDGET (window->view)), >=,
                       gtk_widget_get_height (GTK_WIDGET (window)));
    }
  close_window (window);
}

/* Whatever is read in a low window, its last line is whole: hints, and the numbers of a cell. */
static void
test_readout_has_room_in_a_low_window (void)
{
  static const char * const presets[] = { "epsilon", "head-atlas", "mean-operation", "compare" };
  AttnWindow *window = open_wide (800, FALSE);

  for (gsize i = 0; i < G_N_ELEMENTS (presets); i++)
    for (int group = -1; group <= 0; group++)
      {
        const AttnCellCursor cell = { group, 8, 8 };

        attn_window_load_preset (window, presets[i]);
        wait_for_figure (window);
        if (group >= 0)
          attn_reading_set_cursor (window->reading, &cell);
        for (guint frame = 0; frame < 2; frame++)
          gtk_test_widget_wait_for_draw (GTK_WIDGET (window));
        int width = gtk_widget_get_width (GTK_WIDGET (window->readout_pages));
        int height = gtk_widget_get_height (GTK_WIDGET (window->readout_pages));
        int wanted;
        double bottom;
        gtk_widget_measure (GTK_WIDGET (gtk_stack_get_visible_child (window->readout_pages)),
                            GTK_ORIENTATION_VERTICAL, width, &wanted, NULL, NULL, NULL);
        g_assert_cmpint (wanted, <=, height);
        g_assert_true (gtk_widget_translate_coordinates (GTK_WIDGET (window->readout_pages),
                                                         GTK_WIDGET (window), 0, height, NULL,
                                                         &bottom));
        g_assert_cmpfloat (bottom, <=, gtk_widget_get_height (GTK_WIDGET (window)));
        if (group >= 0)
          g_assert_cmpint (
              pango_layout_get_line_count (gtk_label_get_layout (window->readout_panel)), ==, 1);
      }
  close_window (window);
}

int
main (int    argc,
      char **argv)
{
  fixture_init (&argc, &argv);
  application = fixture_new_application ();
  g_test_add_func ("/app/window-layout/narrow-from-the-start", test_narrow_from_the_start);
  g_test_add_func ("/app/window-layout/folds-in-one-step", test_folds_in_one_step);
  g_test_add_func ("/app/window-layout/maximized-has-both", test_maximized_has_both);
  g_test_add_func ("/app/window-layout/header-folds-a-word", test_header_folds_a_word);
  g_test_add_func ("/app/window-layout/exports-have-their-symbols",
                   test_exports_have_their_symbols);
  g_test_add_func ("/app/window-layout/title-is-short", test_title_is_short);
  g_test_add_func ("/app/window-layout/texts-show-from-the-start", test_texts_show_from_the_start);
  g_test_add_func ("/app/window-layout/mean-is-in-the-middle", test_mean_is_in_the_middle);
  g_test_add_func ("/app/window-layout/pairs-stand-beside-their-controls",
                   test_pairs_stand_beside_their_controls);
  g_test_add_func ("/app/window-layout/inspector-keeps-its-width", test_inspector_keeps_its_width);
  g_test_add_func ("/app/window-layout/lack-of-room-is-said", test_lack_of_room_is_said);
  g_test_add_func ("/app/window-layout/one-column-is-said", test_one_column_is_said);
  g_test_add_func ("/app/window-layout/way-back-stands-still", test_way_back_stands_still);
  g_test_add_func ("/app/window-layout/readout-has-room-in-a-low-window",
                   test_readout_has_room_in_a_low_window);
  g_test_add_func ("/app/window-layout/undo-stays-where-it-is", test_undo_stays_where_it_is);
  g_test_add_func ("/app/window-layout/figure-has-half-of-the-window",
                   test_figure_has_half_of_the_window);
  g_test_add_func ("/app/window-layout/list-of-presets-shows-that-it-scrolls",
                   test_list_of_presets_shows_that_it_scrolls);
  return fixture_run (application);
}
