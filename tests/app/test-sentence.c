/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The tokens below an input take the colours of the row or column that is read in the figure. */

#include "config.h"

#include "attn-contrast.h"
#include "attn-input-row.h"
#include "attn-text.h"
#include "attn-token-chips.h"
#include "sidebar-fixture.h"
#include "window-fixture.h"

/* A channel of a colour of 256 steps. */
#define STEP (0.6f / 255)

#define PATH "/app/sentence/"

#define VALUE_PANEL 2 /* of Query, Key and Value of the first input */

static AttnTokenChips *
get_chips (guint nth)
{
  return find_widget (find_nth (window->sidebar, ATTN_TYPE_INPUT_ROW, nth), ATTN_TYPE_TOKEN_CHIPS);
}

static AttnPanel *
get_panel (int group)
{
  return attn_reading_get (window->reading).grid->cells[group].panel;
}

static double
get_luminance (const GdkRGBA *color)
{
  return attn_contrast_get_luminance ((AttnRgb) { (guint8) lroundf (color->red * 255),
                                                  (guint8) lroundf (color->green * 255),
                                                  (guint8) lroundf (color->blue * 255) });
}

static void
assert_contrast (const GdkRGBA *ground,
                 const GdkRGBA *text)
{
  double a = get_luminance (ground), b = get_luminance (text);

  g_assert_cmpfloat ((MAX (a, b) + 0.05) / (MIN (a, b) + 0.05), >=, 4.5);
}

/* The colour of the map "coolwarm" from 0 to 1, that the preset has. Where neither black nor white
 * letters have much contrast on it, it is that within a shade, and the letters have enough. */
static void
assert_color (AttnTokenChips *chips,
              gsize           index,
              int             group,
              gsize           row,
              gsize           column)
{
  const AttnRgb *map = attn_colormap_get_table (ATTN_COLORMAP_COOLWARM, FALSE);
  float value = attn_panel_get_value (get_panel (group), row, column);
  AttnRgb expected = map[MIN ((guint) (value * 256), 255)];
  AttnRgb stands_out = attn_contrast_get_text (expected);
  GdkRGBA ground, text;

  g_assert_true (attn_token_chips_get_colors (chips, index, &ground, &text));
  double luminance = attn_contrast_get_luminance (expected);
  float shade = luminance < 0.16 || luminance > 0.2 ? 0 : 12 / 255.0f;
  g_assert_cmpfloat_with_epsilon (ground.red, expected.red / 255.0f, STEP + shade);
  g_assert_cmpfloat_with_epsilon (ground.green, expected.green / 255.0f, STEP + shade);
  g_assert_cmpfloat_with_epsilon (ground.blue, expected.blue / 255.0f, STEP + shade);
  g_assert_cmpfloat (ground.alpha, ==, 1);
  if (shade > 0)
    assert_contrast (&ground, &text);
  else
    g_assert_cmpfloat_with_epsilon (text.red, stands_out.red / 255.0f, STEP);
}

static void
assert_plain (AttnTokenChips *chips,
              gsize           index)
{
  GdkRGBA ground, text;

  g_assert_false (attn_token_chips_get_colors (chips, index, &ground, &text));
  g_assert_cmpfloat (ground.alpha, <, 0.5);
}

/* A query sees itself and what stands before it. */
static void
assert_row (AttnTokenChips *chips,
            int             group,
            gsize           row)
{
  gsize n = attn_panel_get_n_columns (get_panel (group));

  for (gsize i = 0; i < n; i++)
    if (i <= row)
      assert_color (chips, i, group, row, i);
    else
      assert_plain (chips, i);
}

static void
assert_all_plain (AttnTokenChips *chips,
                  int             group)
{
  for (gsize i = 0; i < attn_panel_get_n_columns (get_panel (group)); i++)
    assert_plain (chips, i);
}

static AttnRectangle
find_cell (int   group,
           gsize row,
           gsize column)
{
  AttnPlaces places = attn_reading_get_places (window->reading);
  AttnRectangle box;

  g_assert_true (attn_places_get_cell (&places, (AttnCellCursor) { group, row, column }, &box));
  return box;
}

/* Moves the pointer on the figure. */
static void
point (double x,
       double y)
{
  g_autoptr (GPtrArray) motions =
      find_controllers (window->view, GTK_TYPE_EVENT_CONTROLLER_MOTION);

  g_assert_cmpuint (motions->len, >, 0);
  for (guint i = 0; i < motions->len; i++)
    g_signal_emit_by_name (motions->pdata[i], "motion", x, y);
}

static void
leave_figure (void)
{
  g_autoptr (GPtrArray) motions =
      find_controllers (window->view, GTK_TYPE_EVENT_CONTROLLER_MOTION);

  for (guint i = 0; i < motions->len; i++)
    g_signal_emit_by_name (motions->pdata[i], "leave");
}

static void
point_at_cell (int   group,
               gsize row,
               gsize column)
{
  AttnRectangle box = find_cell (group, row, column);

  point (box.x + box.width / 2, box.y + box.height / 2);
}

/* The place of a chip, in its widget. */
static void
find_chip (AttnTokenChips *chips,
           gsize           index,
           double         *x,
           double         *y)
{
  for (*y = 5; *y < gtk_widget_get_height (GTK_WIDGET (chips)); *y += 5)
    for (*x = 0; *x < gtk_widget_get_width (GTK_WIDGET (chips)); *x += 1)
      if (attn_token_chips_find (chips, *x, *y) == index)
        return;
  g_assert_not_reached ();
}

static void
point_at_chip (AttnTokenChips *chips,
               gsize           index)
{
  g_autoptr (GPtrArray) motions = find_controllers (chips, GTK_TYPE_EVENT_CONTROLLER_MOTION);
  double x, y;

  find_chip (chips, index, &x, &y);
  g_signal_emit_by_name (motions->pdata[0], "motion", x, y);
}

static void
leave_chips (AttnTokenChips *chips)
{
  g_autoptr (GPtrArray) motions = find_controllers (chips, GTK_TYPE_EVENT_CONTROLLER_MOTION);

  g_signal_emit_by_name (motions->pdata[0], "leave");
}

static void
show_chips (void)
{
  gtk_test_widget_wait_for_draw (GTK_WIDGET (get_chips (0)));
  gtk_test_widget_wait_for_draw (GTK_WIDGET (window->view));
}

/* What is under the pointer, and only in the input of its panel; nothing once it has left. */
static void
test_row_under_the_pointer (gpointer      *fixture,
                            gconstpointer  data)
{
  show_chips ();
  assert_all_plain (get_chips (0), VALUE_PANEL);
  point_at_cell (VALUE_PANEL, 5, 2);
  assert_row (get_chips (0), VALUE_PANEL, 5);
  assert_all_plain (get_chips (1), VALUE_PANEL);
  point_at_cell (VALUE_PANEL, 9, 2);
  assert_row (get_chips (0), VALUE_PANEL, 9);
  point_at_cell (3 + VALUE_PANEL, 4, 2);
  assert_all_plain (get_chips (0), VALUE_PANEL);
  assert_row (get_chips (1), 3 + VALUE_PANEL, 4);
  leave_figure ();
  assert_all_plain (get_chips (1), VALUE_PANEL);
}

/* Tokens that are looked at with nearly the same weight have letters of one colour. */
static void
test_nearly_one_color_has_one_letter (gpointer      *fixture,
                                      gconstpointer  data)
{
  AttnTokenChips *chips = get_chips (0);
  gsize n = attn_panel_get_n_rows (get_panel (0));
  GdkRGBA ground, first, text;

  show_chips ();
  for (gsize row = 6; row < n; row++)
    {
      float least = INFINITY, most = 0;

      for (gsize i = 0; i <= row; i++)
        {
          least = MIN (least, attn_panel_get_value (get_panel (0), row, i));
          most = MAX (most, attn_panel_get_value (get_panel (0), row, i));
        }
      if (most - least > 0.05f)
        continue;
      point_at_cell (0, row, 0);
      g_assert_true (attn_token_chips_get_colors (chips, 0, &ground, &first));
      for (gsize i = 0; i <= row; i++)
        {
          g_assert_true (attn_token_chips_get_colors (chips, i, &ground, &text));
          g_assert_true (gdk_rgba_equal (&text, &first));
          assert_contrast (&ground, &text);
        }
    }
}

/* Over the label of a column, those who look at it; over that of a row, what it looks at. */
static void
test_labels (gpointer      *fixture,
             gconstpointer  data)
{
  AttnTokenChips *chips = get_chips (0);
  gsize n = attn_panel_get_n_rows (get_panel (0));
  AttnRectangle last, first;

  show_chips ();
  last = find_cell (0, n - 1, 1);
  point (last.x + last.width / 2, last.y + last.height + 8);
  assert_plain (chips, 0);
  for (gsize i = 1; i < n; i++)
    assert_color (chips, i, 0, i, 1);
  first = find_cell (0, 6, 0);
  point (first.x - 8, first.y + first.height / 2);
  assert_row (chips, 0, 6);
}

/* A token that was clicked keeps them, until Escape lets go of it. */
static void
test_chosen_token_keeps_them (gpointer      *fixture,
                              gconstpointer  data)
{
  AttnTokenChips *chips = get_chips (0);
  g_autoptr (GPtrArray) drags = find_controllers (chips, GTK_TYPE_GESTURE_DRAG);
  double x, y;

  show_chips ();
  point_at_cell (VALUE_PANEL, 7, 3);
  AttnRectangle box = find_cell (VALUE_PANEL, 7, 3);
  attn_reading_click (window->reading, box.x + box.width / 2, box.y + box.height / 2,
                      ATTN_CHOICE_ONE);
  leave_figure ();
  assert_row (chips, VALUE_PANEL, 7);
  point_at_cell (VALUE_PANEL, 3, 1);
  assert_row (chips, VALUE_PANEL, 3);
  leave_figure ();
  assert_row (chips, VALUE_PANEL, 7);

  find_chip (chips, 10, &x, &y);
  g_signal_emit_by_name (drags->pdata[0], "drag-begin", x, y);
  leave_chips (chips);
  g_assert_false (attn_reading_get (window->reading).selection->is_column);
  assert_row (chips, VALUE_PANEL, 10);
  attn_reading_do (window->reading, ATTN_COMMAND_ESCAPE, 0, 0);
  assert_all_plain (chips, VALUE_PANEL);
}

/* The keyboard is where one has written, and not in the figure. */
static void
test_escape_lets_go_from_anywhere (gpointer      *fixture,
                                   gconstpointer  data)
{
  AttnTokenChips *chips = get_chips (0);
  g_autoptr (GPtrArray) drags = find_controllers (chips, GTK_TYPE_GESTURE_DRAG);
  double x, y;

  show_chips ();
  gtk_widget_grab_focus (find_widget (window->sidebar, GTK_TYPE_TEXT_VIEW));
  find_chip (chips, 10, &x, &y);
  g_signal_emit_by_name (drags->pdata[0], "drag-begin", x, y);
  leave_chips (chips);
  g_assert_cmpint (attn_reading_get (window->reading).cursor.group, >=, 0);
  press_shortcut (window, GDK_KEY_Escape, 0);
  g_assert_cmpint (attn_reading_get (window->reading).cursor.group, <, 0);
  for (gsize i = 0; i < 10; i++)
    assert_plain (chips, i);
}

static void
press_chip (AttnTokenChips *chips,
            gsize           index,
            int             n_presses)
{
  g_autoptr (GPtrArray) clicks = find_controllers (chips, GTK_TYPE_GESTURE_CLICK);
  g_autoptr (GPtrArray) drags = find_controllers (chips, GTK_TYPE_GESTURE_DRAG);
  double x, y;

  find_chip (chips, index, &x, &y);
  g_signal_emit_by_name (clicks->pdata[0], "pressed", n_presses, x, y);
  g_signal_emit_by_name (drags->pdata[0], "drag-begin", x, y);
  g_signal_emit_by_name (drags->pdata[0], "drag-update", 1.0, 0.0);
  g_signal_emit_by_name (drags->pdata[0], "drag-end", 1.0, 0.0);
}

static void
click_chip (AttnTokenChips *chips,
            gsize           index)
{
  press_chip (chips, index, 1);
}

/* Pointing at another token reads what the kept one gives it; a second click lets go of it. */
static void
test_kept_token_is_read_at_others (gpointer      *fixture,
                                   gconstpointer  data)
{
  AttnTokenChips *chips = get_chips (0);

  show_chips ();
  point_at_chip (chips, 10);
  click_chip (chips, 10);
  point_at_chip (chips, 3);
  assert_row (chips, 0, 10);
  g_autofree char *told = attn_token_chips_describe (chips, 3);
  g_assert_nonnull (strstr (told, "Input 1, Query · 10 “␣rose” → 3 “␣is”: 0."));
  g_autofree char *other = attn_token_chips_describe (chips, 4);
  g_assert_nonnull (strstr (other, "Input 1, Query · 10 “␣rose” → 4 “␣a”: 0."));
  g_assert_cmpstr (gtk_label_get_label (window->readout_cell), ==,
                   "Input 1, Query: query 10 “␣rose” → key 3 “␣is”");
  leave_chips (chips);
  assert_row (chips, 0, 10);

  point_at_chip (chips, 10);
  click_chip (chips, 10);
  g_assert_cmpint (attn_reading_get (window->reading).selection->group, ==, -1);
  leave_chips (chips);
  assert_all_plain (chips, 0);

  /* One that is kept as a cell's row is not let go: its row is. */
  go_to (0, 10, 0);
  point_at_chip (chips, 10);
  click_chip (chips, 10);
  leave_chips (chips);
  assert_row (chips, 0, 10);
}

static void
assert_cursor (gsize row,
               gsize column)
{
  AttnCellCursor cursor = attn_reading_get (window->reading).cursor;

  g_assert_cmpint (cursor.group, ==, VALUE_PANEL);
  g_assert_cmpuint (cursor.row, ==, row);
  g_assert_cmpuint (cursor.column, ==, column);
}

/* What a token's chip tells when it is clicked is read on when the pointer has left; the row of a
 * token that is not pointed at is read at the key of the cell before, or of the first. */
static void
test_cell_stays_where_it_was (gpointer      *fixture,
                              gconstpointer  data)
{
  AttnTokenChips *chips = get_chips (0);

  show_chips ();
  go_to (VALUE_PANEL, 12, 5);
  point_at_chip (chips, 3);
  leave_chips (chips);
  assert_cursor (12, 5);
  point_at_chip (chips, 10);
  click_chip (chips, 10);
  leave_chips (chips);
  assert_cursor (10, 10);
  point_at_chip (chips, 3);
  g_assert_cmpstr (gtk_label_get_label (window->readout_cell), ==,
                   "Input 1, Value: query 10 “␣rose” → key 3 “␣is”");
  leave_chips (chips);
  g_assert_cmpstr (gtk_label_get_label (window->readout_cell), ==,
                   "Input 1, Value: query 10 “␣rose” → key 10 “␣rose”");

  go_to (VALUE_PANEL, 12, 5);
  click_chip (chips, 8);
  assert_cursor (8, 5);
  click_chip (chips, 4);
  assert_cursor (4, 0);
}

/* The colour in the middle of the map is hardly another than that of chips without one. */
static void
test_pale_colors_have_an_edge (gpointer      *fixture,
                               gconstpointer  data)
{
  AttnTokenChips *chips = get_chips (0);
  GdkRGBA ground, text;

  show_chips ();
  point_at_cell (0, 1, 0);
  g_assert_true (attn_token_chips_get_colors (chips, 1, &ground, &text));
  g_assert_cmpfloat (ground.red, >, 0.8);
  g_assert_false (attn_token_chips_get_colors (chips, 2, &ground, &text));
  g_assert_cmpfloat_with_epsilon (ground.alpha, 0, 1e-6);
  leave_figure ();
  g_assert_false (attn_token_chips_get_colors (chips, 2, &ground, &text));
  g_assert_cmpfloat (ground.alpha, >, 0.05);
}

/* Returns what the tip tells of the largest cells of a row: of each, before all smaller ones. */
static char *
list_largest_three (AttnPanel *panel,
                    gsize      row)
{
  GString *list = g_string_new ("Largest in its row: ");
  gsize taken[3];

  for (gsize k = 0; k < 3; k++)
    {
      gsize largest = G_MAXSIZE;

      for (gsize column = 0; column <= row; column++)
        {
          gboolean is_taken = FALSE;

          for (gsize j = 0; j < k; j++)
            is_taken |= taken[j] == column;
          if (!is_taken && (largest == G_MAXSIZE || attn_panel_get_value (panel, row, column) >
                                                        attn_panel_get_value (panel, row, largest)))
            largest = column;
        }
      taken[k] = largest;
      g_autofree char *value =
          attn_text_format_weight (attn_panel_get_value (panel, row, largest), 3);
      g_string_append_printf (list, "%s%zu “%s” %s", k > 0 ? " · " : "", largest,
                              attn_panel_get_column_labels (panel)[largest], value);
    }
  return g_string_free (list, FALSE);
}

/* A token that is pointed at tells where it looks, first the largest cells of its row: in the panel
 * that was read last. */
static void
test_token_pointed_at (gpointer      *fixture,
                       gconstpointer  data)
{
  AttnTokenChips *chips = get_chips (0);

  show_chips ();
  point_at_chip (chips, 8);
  assert_row (chips, 0, 8);
  g_autofree char *told = attn_token_chips_describe (chips, 0);
  g_assert_nonnull (strstr (told, "Token 0: “<s>”"));
  g_assert_nonnull (strstr (told, "Input 1, Query · 8 “␣a” → 0 “<s>”: 0."));
  g_assert_nonnull (strstr (told, "In panel Input 1, Query · "));
  g_autofree char *largest = list_largest_three (get_panel (0), 8);
  g_autofree char *pointed = attn_token_chips_describe (chips, 8);
  g_autofree char *lines = g_strdup_printf ("\n%s\nIn panel Input 1, Query · ", largest);
  g_assert_nonnull (strstr (pointed, lines));
  g_assert_null (strstr (told, "Largest in its row"));
  g_autofree char *masked = attn_token_chips_describe (chips, 9);
  g_assert_true (g_str_has_suffix (masked, "\nIn panel Input 1, Query"));
  leave_chips (chips);
  assert_all_plain (chips, 0);

  go_to (VALUE_PANEL, 4, 0);
  point_at_chip (chips, 12);
  assert_row (chips, VALUE_PANEL, 12);
  g_autofree char *value =
      gtk_test_accessible_check_property (GTK_ACCESSIBLE (chips),
                                          GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, "?");
  g_assert_nonnull (strstr (value, "the largest: Input 1, Value · 12 “␣a” → 0 “<s>”: 0.9"));
}

/* The line below the figure tells of the token that is pointed at, and not of what was done before
 * that. */
static void
test_note_gives_way (gpointer      *fixture,
                     gconstpointer  data)
{
  AttnTokenChips *chips = get_chips (0);

  show_chips ();
  attn_window_show_note (window, "Copied");
  g_assert_true (g_str_has_prefix (gtk_label_get_label (window->readout_note), "Copied"));
  point_at_chip (chips, 8);
  g_assert_cmpstr (gtk_label_get_label (window->readout_note), ==, "");
  g_assert_cmpstr (gtk_label_get_label (window->readout_cell), ==,
                   "Input 1, Query: query 8 “␣a” → key 8 “␣a”");
  g_autofree char *largest = list_largest_three (get_panel (0), 8);
  g_assert_cmpstr (gtk_label_get_label (window->readout_value), ==, largest);
  /* A click tells the same as long as the pointer stays. */
  g_autofree char *own = g_strdup (gtk_label_get_label (window->readout_panel));
  click_chip (chips, 8);
  g_assert_cmpstr (gtk_label_get_label (window->readout_panel), ==, own);
  g_assert_cmpstr (gtk_label_get_label (window->readout_value), ==, largest);
  leave_chips (chips);
}

static void
assert_source (guint       input,
               const char *text)
{
  GtkLabel *label = find_id (find_nth (window->sidebar, ATTN_TYPE_INPUT_ROW, input), "source");

  WAIT_UNTIL (g_str_equal (gtk_label_get_label (label), text));
  g_assert_true (*text == '\0' || gtk_widget_get_mapped (GTK_WIDGET (label)));
}

/* Before a token is pointed at, it is said of which panel its colours will be; the one under the
 * pointer, then the one that was read last. */
static void
test_panel_is_said_beforehand (gpointer      *fixture,
                               gconstpointer  data)
{
  show_chips ();
  assert_source (0, "Panel: Query");
  assert_source (1, "Panel: Query");
  point_at_cell (VALUE_PANEL, 5, 2);
  assert_source (0, "Panel: Value");
  assert_source (1, "Panel: Query");
  leave_figure ();
  assert_source (0, "Panel: Query");
  go_to (4, 3, 0);
  assert_source (0, "Panel: Query");
  assert_source (1, "Panel: Key");
  point_at_chip (get_chips (1), 8);
  assert_row (get_chips (1), 4, 8);
  leave_chips (get_chips (1));
  GtkWidget *label = find_id (find_nth (window->sidebar, ATTN_TYPE_INPUT_ROW, 1), "source");
  g_assert_nonnull (strstr (gtk_widget_get_tooltip_text (label), "Input 2, Key"));

  attn_window_load_preset (window, "single");
  wait_for_figure (window);
  assert_source (0, "");
}

/* The pointer passes between two chips without letting go of the first. */
static void
test_gaps_keep_the_token (gpointer      *fixture,
                          gconstpointer  data)
{
  AttnTokenChips *chips = get_chips (0);
  g_autoptr (GPtrArray) motions = find_controllers (chips, GTK_TYPE_EVENT_CONTROLLER_MOTION);
  double x, y;

  show_chips ();
  find_chip (chips, 5, &x, &y);
  while (attn_token_chips_find (chips, x, y) == 5)
    x += 0.5;
  g_assert_cmpuint (attn_token_chips_find (chips, x, y), ==, G_MAXSIZE);
  point_at_chip (chips, 5);
  g_signal_emit_by_name (motions->pdata[0], "motion", x, y);
  assert_row (chips, 0, 5);
  g_assert_true (g_str_has_prefix (gtk_label_get_label (window->readout_value), "Largest in"));
  leave_chips (chips);
  assert_all_plain (chips, 0);
}

static GskRenderNode *
draw (AttnTokenChips *chips)
{
  GtkSnapshot *snapshot = gtk_snapshot_new ();

  GTK_WIDGET_GET_CLASS (chips)->snapshot (GTK_WIDGET (chips), snapshot);
  return gtk_snapshot_free_to_node (snapshot);
}

/* A chip whose colour stays is not drawn again. */
static void
test_only_what_changes_is_drawn (gpointer      *fixture,
                                 gconstpointer  data)
{
  AttnTokenChips *chips = get_chips (0);
  guint n = attn_panel_get_n_columns (get_panel (0));

  show_chips ();
  point_at_cell (VALUE_PANEL, 5, 2);
  g_autoptr (GskRenderNode) before = draw (chips);
  point_at_cell (VALUE_PANEL, 6, 2);
  g_autoptr (GskRenderNode) after = draw (chips);
  g_assert_cmpuint (gsk_container_node_get_n_children (before), ==, n);
  g_assert_cmpuint (gsk_container_node_get_n_children (after), ==, n);
  for (guint i = 0; i < n; i++)
    if (i > 6)
      g_assert_true (gsk_container_node_get_child (before, i) ==
                     gsk_container_node_get_child (after, i));
  g_assert_true (gsk_container_node_get_child (before, 6) !=
                 gsk_container_node_get_child (after, 6));
}

/* The decoder's tokens are rows, the text's are columns. */
static void
test_two_sequences (gpointer      *fixture,
                    gconstpointer  data)
{
  const guint32 ids[] = { 1, 2, 3, 4, 5 };
  const guint32 target_ids[] = { 0, 9, 8 };
  AttnStudy *study = attn_study_copy (get_shown_study ());
  AttnInput *input = attn_input_new_ids (ids, G_N_ELEMENTS (ids), 0);

  g_free (study->model.path);
  study->model.path = g_test_build_filename (G_TEST_DIST, "model", "t5", NULL);
  input->target_ids = g_memdup2 (target_ids, sizeof target_ids);
  input->n_target_ids = G_N_ELEMENTS (target_ids);
  g_ptr_array_set_size (study->inputs, 0);
  g_ptr_array_add (study->inputs, input);
  study->attention = g_strdup ("cross");
  study->style.range = ATTN_RANGE_FIXED;
  attn_session_edit (window->session, study, NULL);
  wait_for_figure (window);
  show_chips ();
  AttnTokenChips *source = get_chips (0);
  AttnTokenChips *target = find_id (gtk_widget_get_ancestor (GTK_WIDGET (source),
                                                             ATTN_TYPE_INPUT_ROW),
                                    "target_chips");

  point_at_cell (0, 1, 3);
  for (gsize i = 0; i < G_N_ELEMENTS (ids); i++)
    assert_color (source, i, 0, 1, i);
  for (gsize i = 0; i < G_N_ELEMENTS (target_ids); i++)
    assert_plain (target, i);
  point_at_chip (target, 2);
  for (gsize i = 0; i < G_N_ELEMENTS (ids); i++)
    assert_color (source, i, 0, 2, i);
  leave_chips (target);
  leave_figure ();

  /* Who looks at this token of the text? */
  point_at_chip (source, 4);
  for (gsize i = 0; i < G_N_ELEMENTS (target_ids); i++)
    assert_color (target, i, 0, i, 4);
  for (gsize i = 0; i < G_N_ELEMENTS (ids); i++)
    assert_plain (source, i);
}

/* What a token is stands above all lines of chips, as on the next line it would hide what is read
 * next; it goes when the pointer or the focus does. */
static void
test_token_is_told_above_all (gpointer      *fixture,
                              gconstpointer  data)
{
  AttnTokenChips *chips = get_chips (0);
  gboolean is_shown = FALSE;
  GdkRectangle place;
  double x, y;

  show_chips ();
  find_chip (chips, 1, &x, &y);
  g_signal_emit_by_name (chips, "query-tooltip", (int) x, (int) y, FALSE, NULL, &is_shown);
  g_assert_false (is_shown);
  GtkPopover *tip = find_widget (chips, GTK_TYPE_POPOVER);
  g_assert_nonnull (find_label_with (tip, "Token 1: "));
  g_assert_true (gtk_widget_get_visible (GTK_WIDGET (tip)));
  g_assert_true (gtk_popover_get_pointing_to (tip, &place));
  g_assert_cmpint (place.y, ==, 0);
  g_assert_cmpint (gtk_popover_get_position (tip), ==, GTK_POS_TOP);
  point_at_chip (chips, 2);
  g_assert_nonnull (find_label_with (tip, "Token 2: "));
  g_autofree char *told = attn_token_chips_describe (chips, 2);
  g_assert_nonnull (find_label_with (tip, told)); /* with its value in the row that is read now */
  leave_chips (chips);
  g_assert_false (gtk_widget_get_visible (GTK_WIDGET (tip)));

  g_signal_emit_by_name (chips, "query-tooltip", (int) x, (int) y, FALSE, NULL, &is_shown);
  WAIT_UNTIL (gtk_widget_get_mapped (GTK_WIDGET (tip)));
  activate ("palette");
  g_assert_false (gtk_widget_get_visible (GTK_WIDGET (tip)));
}

/* The second press of a double click does not take back what the first did; a click of its own
 * does. */
static void
test_double_click_keeps (gpointer      *fixture,
                         gconstpointer  data)
{
  AttnTokenChips *chips = get_chips (0);

  show_chips ();
  click_chip (chips, 10);
  assert_row (chips, 0, 10);
  press_chip (chips, 10, 2);
  assert_row (chips, 0, 10);
  click_chip (chips, 10);
  assert_all_plain (chips, 0);
  press_chip (chips, 10, 2);
  assert_all_plain (chips, 0);
}

int
main (int    argc,
      char **argv)
{
  fixture_init (&argc, &argv);
  application = fixture_new_application ();
  ADD_TO (PATH, "row-under-the-pointer", "mean-operation", test_row_under_the_pointer);
  ADD_TO (PATH, "nearly-one-color-has-one-letter", "mean-operation",
          test_nearly_one_color_has_one_letter);
  ADD_TO (PATH, "labels", "mean-operation", test_labels);
  ADD_TO (PATH, "chosen-token-keeps-them", "mean-operation", test_chosen_token_keeps_them);
  ADD_TO (PATH, "escape-lets-go-from-anywhere", "mean-operation",
          test_escape_lets_go_from_anywhere);
  ADD_TO (PATH, "token-is-told-above-all", "mean-operation", test_token_is_told_above_all);
  ADD_TO (PATH, "double-click-keeps", "mean-operation", test_double_click_keeps);
  ADD_TO (PATH, "kept-token-is-read-at-others", "mean-operation",
          test_kept_token_is_read_at_others);
  ADD_TO (PATH, "cell-stays-where-it-was", "mean-operation", test_cell_stays_where_it_was);
  ADD_TO (PATH, "pale-colors-have-an-edge", "mean-operation", test_pale_colors_have_an_edge);
  ADD_TO (PATH, "token-pointed-at", "mean-operation", test_token_pointed_at);
  ADD_TO (PATH, "note-gives-way", "mean-operation", test_note_gives_way);
  ADD_TO (PATH, "panel-is-said-beforehand", "mean-operation", test_panel_is_said_beforehand);
  ADD_TO (PATH, "gaps-keep-the-token", "mean-operation", test_gaps_keep_the_token);
  ADD_TO (PATH, "only-what-changes-is-drawn", "mean-operation", test_only_what_changes_is_drawn);
  ADD_TO (PATH, "two-sequences", "single", test_two_sequences);
  return fixture_run (application);
}
