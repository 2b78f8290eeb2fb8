/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The state behind the figure view and the inspector, without a display. */

#include "config.h"

#include <math.h>

#include "attn-navigator.h"
#include "attn-profile.h"
#include "attn-readout.h"
#include "attn-region-drag.h"
#include "attn-selection.h"
#include "attn-study-edits.h"
#include "attn-token-search.h"
#include "waiting.h"

/* Sums of a few numbers of order 1 that are float32 to begin with. */
#define TOLERANCE 1e-6

static AttnPanel *
make_panel (const float        *values,
            gsize               n,
            AttnMask            mask,
            const char * const *labels)
{
  gsize shape[2] = { n, n };
  g_autoptr (AttnTensor) tensor = attn_tensor_new (2, shape, NULL);

  for (gsize i = 0; i < n * n; i++)
    tensor->data[i] = values[i];
  return attn_panel_new (tensor, mask, labels, labels);
}

static const char * const words[] = { "It", "is", "I", "I", NULL };

/* Two panels beside an empty place: four tokens and two. */
static AttnGrid *
make_grid (void)
{
  static const float values[16] = { 1 };
  static const char * const others[] = { "island", "Sea", NULL };
  AttnGrid *grid = attn_grid_new (1, 3);

  grid->cells[0].panel = make_panel (values, 4, ATTN_MASK_CAUSAL, words);
  grid->cells[2].panel = make_panel (values, 2, ATTN_MASK_NONE, others);
  return grid;
}

static void
assert_cursor (AttnCellCursor cursor,
               int            group,
               gsize          row,
               gsize          column)
{
  g_assert_cmpint (cursor.group, ==, group);
  g_assert_cmpuint (cursor.row, ==, row);
  g_assert_cmpuint (cursor.column, ==, column);
}

static void
test_cursor_stays_within_its_panel (void)
{
  g_autoptr (AttnGrid) grid = make_grid ();
  AttnCellCursor cursor = { 0, 1, 2 };

  assert_cursor (attn_cell_cursor_move (cursor, grid, 1, -1), 0, 2, 1);
  assert_cursor (attn_cell_cursor_move (cursor, grid, 10, -10), 0, 3, 0);
  assert_cursor (attn_cell_cursor_move (cursor, grid, G_MINSSIZE, G_MAXSSIZE), 0, 0, 3);
  assert_cursor (attn_cell_cursor_move ((AttnCellCursor) { 0, 9, 9 }, grid, 0, 0), 0, 3, 3);
  g_assert_cmpint (attn_cell_cursor_move ((AttnCellCursor) { 1, 0, 0 }, grid, 0, 0).group, ==, -1);
  g_assert_cmpint (attn_cell_cursor_move (ATTN_CELL_CURSOR_NONE, grid, 1, 1).group, ==, -1);
  g_assert_cmpint (attn_cell_cursor_move (cursor, NULL, 1, 1).group, ==, -1);
}

static void
test_cursor_skips_empty_panels (void)
{
  g_autoptr (AttnGrid) grid = make_grid ();
  AttnCellCursor cursor = { 0, 3, 1 };

  assert_cursor (attn_cell_cursor_move_panel (cursor, grid, 1), 2, 1, 1);
  assert_cursor (attn_cell_cursor_move_panel (cursor, grid, -1), 0, 3, 1);
  assert_cursor (attn_cell_cursor_move_panel (ATTN_CELL_CURSOR_NONE, grid, 1), 0, 0, 0);
  assert_cursor (attn_cell_cursor_move_panel (ATTN_CELL_CURSOR_NONE, grid, -1), 2, 0, 0);
}

static void
assert_rows (const AttnSelection *selection,
             const char          *expected)
{
  g_autofree char *text = attn_selection_to_string (selection, NULL);

  g_assert_cmpstr (text, ==, expected);
}

static void
test_rows_are_chosen (void)
{
  static const gsize positions[] = { 4, 5, 9, 10, 11, 20, 21, 22 };
  g_autoptr (AttnSelection) selection = attn_selection_new ();

  g_assert_cmpint (selection->group, ==, -1);
  attn_selection_choose (selection, 1, FALSE, 4, ATTN_CHOICE_ONE);
  attn_selection_choose (selection, 1, FALSE, 2, ATTN_CHOICE_TOGGLE);
  attn_selection_choose (selection, 1, FALSE, 3, ATTN_CHOICE_TOGGLE);
  attn_selection_choose (selection, 1, FALSE, 7, ATTN_CHOICE_TOGGLE);
  assert_rows (selection, "2-4,7");
  g_autofree char *places = attn_selection_to_string (selection, positions);
  g_assert_cmpstr (places, ==, "9-11,22");
  attn_selection_choose (selection, 1, FALSE, 3, ATTN_CHOICE_KEEP);
  assert_rows (selection, "2-4,7");
  attn_selection_choose (selection, 1, FALSE, 3, ATTN_CHOICE_TOGGLE);
  assert_rows (selection, "2,4,7");
  attn_selection_choose (selection, 1, FALSE, 5, ATTN_CHOICE_EXTEND);
  assert_rows (selection, "3-5");
  attn_selection_choose (selection, 1, FALSE, 1, ATTN_CHOICE_EXTEND);
  assert_rows (selection, "1-3");
  attn_selection_limit (selection, 3);
  assert_rows (selection, "1-2");
  attn_selection_choose (selection, 1, FALSE, 6, ATTN_CHOICE_KEEP);
  assert_rows (selection, "6");
  attn_selection_choose (selection, 0, FALSE, 0, ATTN_CHOICE_TOGGLE);
  assert_rows (selection, "0");
  g_assert_cmpint (selection->group, ==, 0);
  attn_selection_choose (selection, 0, FALSE, 0, ATTN_CHOICE_TOGGLE);
  g_assert_cmpint (selection->group, ==, -1);
}

static void
test_views_of_one_or_all (void)
{
  g_autoptr (AttnViews) views = attn_views_new ();
  AttnViewport part = { 0.25, 0.25, 0.5, 0.5 };
  AttnViewport beyond = { 0.9, 0, 0.5, 0.5 };

  attn_views_set (views, 1, &part);
  g_assert_cmpfloat (attn_views_get (views, 0).x, ==, 0.25);
  attn_views_unlink (views, 3);
  g_assert_null (attn_views_dup_own (views));
  attn_views_set (views, 1, &beyond);
  g_assert_cmpfloat (attn_views_get (views, 1).x, ==, 0.5);
  g_assert_cmpfloat (attn_views_get (views, 2).x, ==, 0.25);
  g_autoptr (AttnViews) copy = attn_views_copy (views);
  g_autoptr (GArray) own = attn_views_dup_own (copy);
  g_assert_true (attn_views_equal (copy, views));
  g_assert_cmpuint (own->len, ==, 3);
  views->maximized = 2;
  g_assert_false (attn_views_equal (copy, views));
  attn_views_resize (views, 2);
  g_assert_cmpint (views->maximized, ==, -1);
  attn_views_link (views, 1);
  g_assert_cmpfloat (attn_views_get (views, 0).x, ==, 0.5);
  g_assert_null (views->own);
}

static gboolean
show (AttnNavigator *navigator,
      double         width,
      const char    *step)
{
  AttnViewport viewport = { 0, 0, width, width };
  AttnViews *views = attn_views_copy (navigator->views);

  attn_views_set (views, ATTN_VIEWS_ALL, &viewport);
  return attn_navigator_set_views (navigator, views, step);
}

static void
test_history_of_views (void)
{
  AttnNavigator navigator;

  attn_navigator_init (&navigator);
  g_assert_false (attn_navigator_travel (&navigator, -1, 1));
  /* Three notches of the wheel are one step, a fourth after a rest is another. */
  g_assert_true (show (&navigator, 0.8, "zoom"));
  g_assert_true (show (&navigator, 0.6, "zoom"));
  g_assert_true (show (&navigator, 0.5, "zoom"));
  g_assert_false (show (&navigator, 0.5, "zoom"));
  navigator.time -= 10 * G_TIME_SPAN_SECOND;
  g_assert_true (show (&navigator, 0.4, "zoom"));
  g_assert_true (attn_navigator_travel (&navigator, -1, 1));
  g_assert_cmpfloat (navigator.views->shared.width, ==, 0.5);
  g_assert_true (attn_navigator_travel (&navigator, -1, 1));
  g_assert_cmpfloat (navigator.views->shared.width, ==, 1);
  g_assert_cmpuint (navigator.back->len, ==, 0);
  g_assert_true (attn_navigator_travel (&navigator, 1, 1));
  g_assert_cmpfloat (navigator.views->shared.width, ==, 0.5);
  g_assert_cmpuint (navigator.forward->len, ==, 1);
  g_assert_true (show (&navigator, 0.3, NULL));
  g_assert_cmpuint (navigator.forward->len, ==, 0);
  attn_navigator_clear (&navigator);
}

static void
test_kinetic_ends (void)
{
  AttnKinetic kinetic = { 0 };
  double x = 0;
  double dx, dy;
  guint n_frames = 1;

  for (guint i = 0; i <= 5; i++)
    attn_kinetic_follow (&kinetic, i * 0.01, i * 10.0, 0);
  g_assert_true (attn_kinetic_release (&kinetic, 0.05));
  g_assert_cmpfloat_with_epsilon (kinetic.x, 1000, TOLERANCE);
  while (attn_kinetic_step (&kinetic, 1 / 60.0, &dx, &dy))
    {
      x += dx;
      g_assert_cmpfloat (dx, >, 0);
      g_assert_cmpuint (++n_frames, <, 120);
    }
  /* All of the way is v τ; what is left at the slowest speed is not gone. */
  g_assert_cmpfloat_with_epsilon (x, 1000 * ATTN_KINETIC_FADING,
                                  2 * ATTN_KINETIC_SLOWEST * ATTN_KINETIC_FADING);
  g_assert_false (attn_kinetic_is_moving (&kinetic));
}

static void
test_hand_at_rest_moves_nothing (void)
{
  AttnKinetic kinetic = { 0 };

  for (guint i = 0; i < 20; i++)
    attn_kinetic_follow (&kinetic, i * 0.01, i * 10.0, 0);
  g_assert_false (attn_kinetic_release (&kinetic, 1));
  g_assert_false (attn_kinetic_release (&kinetic, 1));
}

static void
assert_region (AttnRegion region,
               gsize      first_row,
               gsize      last_row,
               gsize      first_column,
               gsize      last_column)
{
  g_assert_cmpuint (region.first_row, ==, first_row);
  g_assert_cmpuint (region.last_row, ==, last_row);
  g_assert_cmpuint (region.first_column, ==, first_column);
  g_assert_cmpuint (region.last_column, ==, last_column);
}

static void
test_region_is_dragged (void)
{
  AttnRegion region = attn_region_between (5, 2, 3, 4);

  assert_region (region, 3, 5, 2, 4);
  assert_region (attn_region_drag (&region, 0, 4, 3, 6, 2, 10, 10), 5, 7, 1, 3);
  /* It stops at the edge with its size. */
  assert_region (attn_region_drag (&region, 0, 4, 3, 0, 9, 10, 10), 0, 2, 7, 9);
  assert_region (attn_region_drag (&region, 0, 4, 3, 9, 0, 10, 10), 7, 9, 0, 2);
  assert_region (attn_region_drag (&region, ATTN_SIDE_BOTTOM | ATTN_SIDE_RIGHT, 5, 4, 8, 9, 10, 10),
                 3, 8, 2, 9);
  assert_region (attn_region_drag (&region, ATTN_SIDE_LEFT, 4, 2, 9, 0, 10, 10), 3, 5, 0, 4);
  /* Over the opposite side. */
  assert_region (attn_region_drag (&region, ATTN_SIDE_TOP, 3, 3, 8, 3, 10, 10), 5, 8, 2, 4);
}

static void
test_search_finds_rows_and_columns (void)
{
  g_autoptr (AttnGrid) grid = make_grid ();
  g_autoptr (AttnTokenSearch) search = attn_token_search_new (grid, "IS");
  gsize place;

  g_assert_null (attn_token_search_new (grid, ""));
  g_assert_true (attn_token_search_has (search, 0, TRUE, 1));
  g_assert_true (attn_token_search_has (search, 2, FALSE, 0));
  g_assert_false (attn_token_search_has (search, 0, TRUE, 2));
  g_assert_false (attn_token_search_has (search, 1, TRUE, 0));
  g_assert_cmpuint (attn_token_search_count (search, 0), ==, 1);
  assert_cursor (attn_token_search_step (search, ATTN_CELL_CURSOR_NONE, 0, 1, &place), 0, 1, 1);
  g_assert_cmpuint (place, ==, 1);
}

/* As it is typed, and as the label shows it. */
static void
test_search_finds_spaces (void)
{
  static const float values[4] = { 1 };
  static const char * const labels[] = { "primrose", "␣Rose", NULL };
  g_autoptr (AttnGrid) grid = attn_grid_new (1, 1);

  grid->cells[0].panel = make_panel (values, 2, ATTN_MASK_CAUSAL, labels);
  g_autoptr (AttnTokenSearch) typed = attn_token_search_new (grid, " rose");
  g_autoptr (AttnTokenSearch) shown = attn_token_search_new (grid, "␣rose");
  g_assert_false (attn_token_search_has (typed, 0, TRUE, 0));
  g_assert_true (attn_token_search_has (typed, 0, TRUE, 1));
  g_assert_cmpuint (attn_token_search_count (shown, 0), ==, 1);
}

static void
test_search_goes_round (void)
{
  g_autoptr (AttnGrid) grid = make_grid ();
  g_autoptr (AttnTokenSearch) search = attn_token_search_new (grid, "i");
  g_autoptr (AttnTokenSearch) nothing = attn_token_search_new (grid, "zebra");
  AttnCellCursor cursor = { 0, 2, 2 };
  gsize place;

  g_assert_cmpuint (attn_token_search_count (search, 0), ==, 4);
  cursor = attn_token_search_step (search, cursor, 0, 1, &place);
  assert_cursor (cursor, 0, 3, 3);
  g_assert_cmpuint (place, ==, 4);
  cursor = attn_token_search_step (search, cursor, 0, 1, &place);
  assert_cursor (cursor, 0, 0, 0);
  g_assert_cmpuint (place, ==, 1);
  cursor = attn_token_search_step (search, cursor, 0, -1, &place);
  assert_cursor (cursor, 0, 3, 3);
  assert_cursor (attn_token_search_step (nothing, cursor, 0, 1, &place), 0, 3, 3);
  g_assert_cmpuint (place, ==, 0);
}

static const float before[16] = {
  1.0f,
  0.0f,
  0.0f,
  0.0f,
  0.5f,
  0.5f,
  0.0f,
  0.0f,
  0.25f,
  0.25f,
  0.5f,
  0.0f,
  0.25f,
  0.25f,
  0.25f,
  0.25f,
};

static const float after[16] = {
  1.0f,
  0.0f,
  0.0f,
  0.0f,
  0.25f,
  0.75f,
  0.0f,
  0.0f,
  0.5f,
  0.5f,
  0.0f,
  0.0f,
  0.0f,
  0.0f,
  0.0f,
  1.0f,
};

static AttnProfile *
read_profile (AttnProfileKind  kind,
              AttnPanel       *panel,
              AttnPanel       *baseline,
              const gsize     *indices,
              gsize            n_indices)
{
  AttnProfile *profile = attn_profile_new (kind, panel, baseline, indices, n_indices);

  g_assert_false (attn_profile_takes_long (profile));
  g_assert_true (isnan (profile->sum));
  attn_profile_read (profile, NULL);
  return profile;
}

static void
test_profile_of_rows (void)
{
  g_autoptr (AttnPanel) panel = make_panel (after, 4, ATTN_MASK_CAUSAL, words);
  g_autoptr (AttnPanel) baseline = make_panel (before, 4, ATTN_MASK_CAUSAL, words);
  const gsize rows[] = { 1, 2 };
  g_autoptr (AttnProfile) profile = read_profile (ATTN_PROFILE_ROWS, panel, baseline, rows, 2);
  gsize top[3];

  g_assert_cmpfloat_with_epsilon (profile->values[1], 1.25, TOLERANCE);
  g_assert_cmpfloat_with_epsilon (profile->baseline[1], 0.75, TOLERANCE);
  g_assert_cmpfloat_with_epsilon (profile->sum, 2, TOLERANCE);
  /* Half of 0.25 + 0.25 and half of 0.25 + 0.25 + 0.5, and their mean. */
  g_assert_cmpfloat_with_epsilon (profile->distance, 0.375, TOLERANCE);
  /* 0.375 and 0.625. */
  g_assert_cmpfloat_with_epsilon (profile->entropy, 0.954434, 1e-5);
  g_assert_cmpuint (profile->n_visible, ==, 3);
  g_assert_cmpuint (attn_profile_get_top (profile, top, 3), ==, 3);
  g_assert_cmpuint (top[0], ==, 1);
  g_assert_cmpuint (top[1], ==, 0);
  g_assert_cmpuint (top[2], ==, 2);
  g_autofree char *name = attn_profile_dup_name (profile, 1);
  g_assert_cmpstr (name, ==, "1 is");
}

static void
test_profile_of_a_column (void)
{
  g_autoptr (AttnPanel) panel = make_panel (after, 4, ATTN_MASK_CAUSAL, words);
  const gsize key = 1;
  g_autoptr (AttnProfile) column = read_profile (ATTN_PROFILE_COLUMNS, panel, NULL, &key, 1);
  g_autoptr (AttnPanel) baseline = make_panel (before, 4, ATTN_MASK_CAUSAL, words);
  g_autoptr (AttnProfile) distances =
      read_profile (ATTN_PROFILE_DISTANCES, panel, baseline, NULL, 0);

  /* The three queries that see it: its sink score. */
  g_assert_cmpuint (column->n_visible, ==, 3);
  g_assert_cmpfloat_with_epsilon (column->mean, 1.25 / 3, TOLERANCE);
  g_assert_true (isnan (column->baseline_sum));
  g_assert_cmpfloat_with_epsilon (distances->values[0], 0, TOLERANCE);
  g_assert_cmpfloat_with_epsilon (distances->values[1], 0.25, TOLERANCE);
  g_assert_cmpfloat_with_epsilon (distances->values[3], 0.75, TOLERANCE);
}

static void
test_profile_of_nan_and_differences (void)
{
  float values[16] = { 0 };
  values[4] = NAN;
  values[5] = -0.5f;
  g_autoptr (AttnPanel) panel = make_panel (values, 4, ATTN_MASK_NONE, NULL);
  const gsize row = 1;
  g_autoptr (AttnProfile) profile = read_profile (ATTN_PROFILE_ROWS, panel, NULL, &row, 1);
  gsize top[4];

  g_assert_true (isnan (profile->entropy));
  g_assert_cmpuint (attn_profile_get_top (profile, top, 4), ==, 3);
  g_autofree char *name = attn_profile_dup_name (profile, 0);
  g_assert_cmpstr (name, ==, "0 ");
}

/* Nothing is wider than the column it is in, and zeros are not taken for digits. */
static void
test_short_numbers (void)
{
  static const struct
  {
    double value;
    const char *text;
  } numbers[] = {
    { 1, "1.00" },
    { 0.00138, "0.00138" },
    { 0.000138, "0.00014" },
    { -3.2712, "−3.27" },
    { -0.01214, "−0.0121" },
    { -0.00121, "−0.0012" },
    { -0.000138, "−1.4e-4" },
    { 1.38e-12, "1.4e-12" },
    { 0, "0.00" },
    { 16384, "1.64e4" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      g_autofree char *text = attn_readout_format_short (numbers[i].value);

      g_assert_cmpstr (text, ==, numbers[i].text);
      g_assert_cmpint (g_utf8_strlen (text, -1), <=, ATTN_READOUT_SHORT);
    }
}

/* A number beside another has as many digits as tell the two apart. */
static void
test_numbers_beside_each_other (void)
{
  static const struct
  {
    double value;
    double other;
    const char *text;
  } numbers[] = {
    { 11.8, 12.3, "11.8" },
    { 11.8012, 11.8431, "11.80" },
    { -11.8431, -11.8012, "−11.84" },
    { 0.000138, 0.000141, "0.000138" },
    { 11.8, 11.8, "11.8" },
    { 11.8, NAN, "11.8" },
  };
  static const struct
  {
    double before;
    double after;
    const char *text;
  } changes[] = {
    { 0.5, 0.25, "0.500 → 0.250" },
    { 0.12341, 0.12349, "0.1234 → 0.1235" },
    { 0.00012, 0.00013, "0.00012 → 0.00013" },
    { 0.5, 0.5, "0.500 → same" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      g_autofree char *text = attn_readout_format_beside (numbers[i].value, numbers[i].other);

      g_assert_cmpstr (text, ==, numbers[i].text);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (changes); i++)
    {
      g_autofree char *text = attn_readout_format_change (changes[i].before, changes[i].after);

      g_assert_cmpstr (text, ==, changes[i].text);
    }
}

static void
test_positions_of_rows_left (void)
{
  const gsize positions[] = { 3, 4, 6, 9 };
  AttnPanel *panel = make_panel (after, 4, ATTN_MASK_NONE, words);
  g_autoptr (AttnPanel) kept = panel;

  g_assert_cmpuint (attn_panel_get_row_position (panel, 2), ==, 2);
  attn_panel_set_positions (panel, positions, NULL);
  g_assert_cmpuint (attn_panel_get_row_position (panel, 2), ==, 6);
  g_assert_cmpuint (attn_panel_get_column_position (panel, 2), ==, 2);
  g_autoptr (AttnPanel) difference = attn_panel_new_difference (panel, panel, NULL);
  g_assert_cmpuint (attn_panel_get_row_position (difference, 3), ==, 9);
}

/* Over a picture a cell is a patch, and its rank that among all of them. */
static void
test_readout_of_a_patch (void)
{
  g_autoptr (AttnGrid) grid = attn_grid_new (1, 1);
  AttnGridCell *cell = &grid->cells[0];
  const AttnHit hit = { .group = 0, .row = 1, .column = 2, .n_rows = 1, .n_columns = 1 };
  const gsize shape[] = { 2, 3 };
  static const float values[] = { 0.5f, 0.1f, 0.25f, 0.05f, 0.0f, 0.1f };
  static const char * const rows[] = { "0", "1", NULL };
  static const char * const columns[] = { "0", "1", "2", NULL };
  g_autoptr (AttnTensor) tensor = attn_tensor_new (2, shape, NULL);

  memcpy (tensor->data, values, sizeof values);
  cell->panel = attn_panel_new (tensor, ATTN_MASK_NONE, rows, columns);
  cell->name = g_strdup ("L0 H1");
  grid->row_title = g_strdup ("Row");
  grid->column_title = g_strdup ("Column");
  g_autofree char *in_row = attn_readout_describe_value (grid, &hit);
  g_assert_cmpstr (in_row, ==, "weight 0.1000 · rank 1 of 3 in the row");
  cell->image = attn_image_new (3, 2, NULL);
  g_autofree char *among_all = attn_readout_describe_value (grid, &hit);
  g_autofree char *place = attn_readout_describe_cell (grid, &hit);
  g_assert_cmpstr (among_all, ==, "weight 0.1000 · rank 3 of 6 in the panel");
  g_assert_true (g_str_has_suffix (place, ": patch 1,2"));
}

/* Tokens of which some have the same text are told by position where the axis is of tokens. */
static void
test_readout_of_a_repeated_token (void)
{
  g_autoptr (AttnGrid) grid = attn_grid_new (1, 1);
  AttnGridCell *cell = &grid->cells[0];
  const AttnHit hit = { .group = 0, .row = 1, .column = 2, .n_rows = 1, .n_columns = 1 };
  const gsize shape[] = { 2, 3 };
  static const char * const rows[] = { "0", "1", NULL };
  static const char * const columns[] = { "rose", "a", "rose", NULL };
  g_autoptr (AttnTensor) tensor = attn_tensor_new (2, shape, NULL);

  cell->panel = attn_panel_new (tensor, ATTN_MASK_NONE, rows, columns);
  grid->row_title = g_strdup ("Layer");
  grid->column_title = g_strdup ("Token");
  g_autofree char *pair = attn_readout_describe_pair (grid, &hit, "L0");
  g_autofree char *place = attn_readout_describe_cell (grid, &hit);
  g_autofree char *column = attn_readout_describe_token (grid, "%zu: %s", cell->panel, FALSE, 0);
  g_assert_cmpstr (pair, ==, "Layer 1, token 2 “rose”");
  g_assert_cmpstr (place, ==, "Layer 1, token 2 “rose”");
  g_assert_cmpstr (column, ==, "Token 0 “rose”");
}

/* A map of the heads tells its head as one would; its name says no more than the axes do, while
 * those of several maps tell them apart. */
static void
test_readout_of_a_map_of_heads (void)
{
  g_autoptr (AttnGrid) grid = attn_grid_new (1, 1);
  g_autoptr (AttnGrid) pair = attn_grid_new (1, 2);
  const AttnHit hit = { .group = 0, .row = 1, .column = 2, .n_rows = 1, .n_columns = 1 };
  const gsize shape[] = { 2, 3 };
  static const char * const rows[] = { "0", "1", NULL };
  static const char * const columns[] = { "0", "1", "2", NULL };
  AttnGrid * const grids[] = { grid, pair };

  for (gsize i = 0; i < G_N_ELEMENTS (grids); i++)
    {
      g_autoptr (AttnTensor) tensor = attn_tensor_new (2, shape, NULL);

      grids[i]->cells[0].panel = attn_panel_new (tensor, ATTN_MASK_NONE, rows, columns);
      grids[i]->cells[0].name = g_strdup (i == 0 ? "Layer x head" : "Baseline");
      grids[i]->row_title = g_strdup ("Layer");
      grids[i]->column_title = g_strdup ("Head");
      g_autofree char *brief = attn_readout_describe_pair (grids[i], &hit, "");
      g_autofree char *place = attn_readout_describe_cell (grids[i], &hit);
      g_assert_cmpstr (brief, ==, "Layer 1, head 2");
      g_assert_cmpstr (place, ==, i == 0 ? "Layer 1, head 2" : "Baseline: Layer 1, head 2");
    }
}

/* What is subtracted from what is told by name where it is no baseline. */
static void
test_readout_of_a_difference (void)
{
  g_autoptr (AttnGrid) grid = attn_grid_new (1, 2);
  AttnGridCell *place = &grid->cells[1];
  const AttnHit modified = { .group = 0, .row = 1, .column = 1, .n_rows = 1, .n_columns = 1 };
  AttnHit difference = modified;

  difference.group = 1;
  grid->cells[0].panel = make_panel (after, 4, ATTN_MASK_CAUSAL, words);
  grid->cells[0].baseline = make_panel (before, 4, ATTN_MASK_CAUSAL, words);
  place->is_difference = TRUE;
  place->minuend = attn_panel_ref (grid->cells[0].panel);
  place->baseline = attn_panel_ref (grid->cells[0].baseline);
  place->panel = attn_panel_new_difference (place->minuend, place->baseline, NULL);
  g_autofree char *one = attn_readout_describe_value (grid, &modified);
  g_autofree char *other = attn_readout_describe_value (grid, &difference);
  g_assert_cmpstr (one, ==,
                   "weight 0.7500 · baseline 0.5000 · difference +0.2500 · "
                   "rank 1 of 2 in the row");
  g_assert_cmpstr (other, ==, one);

  place->minuend_name = g_strdup ("L2");
  place->baseline_name = g_strdup ("Input 1");
  g_autofree char *named = attn_readout_describe_value (grid, &difference);
  g_assert_cmpstr (named, ==,
                   "L2 0.7500 · Input 1 0.5000 · difference +0.2500 · "
                   "rank 1 of 2 in the row");
}

/* The weights of one softmax tell the scores but for a constant of the row. */
static void
test_scores (void)
{
  g_autoptr (AttnPanel) panel = make_panel (after, 4, ATTN_MASK_CAUSAL, words);
  g_autoptr (AttnStudy) study = attn_study_new ();
  g_autoptr (AttnGrid) grid = attn_grid_new (1, 1);

  g_assert_cmpfloat_with_epsilon (attn_readout_get_score (panel, 1, 0), log (0.25 / 0.75),
                                  TOLERANCE);
  g_assert_cmpfloat (attn_readout_get_score (panel, 1, 1), ==, 0);
  g_assert_true (isnan (attn_readout_get_score (panel, 3, 0)));
  study->head = 0;
  g_assert_true (attn_readout_has_scores (study, grid));
  g_assert_false (attn_readout_has_distances (grid));
  grid->cells[0].baseline = attn_panel_ref (panel);
  g_assert_true (attn_readout_has_distances (grid));
  study->head = ATTN_HEAD_MEAN;
  g_assert_false (attn_readout_has_scores (study, grid));
  study->columns = ATTN_DIMENSION_HEAD;
  g_assert_true (attn_readout_has_scores (study, grid));
  study->joins_words = TRUE;
  g_assert_false (attn_readout_has_scores (study, grid));
}

static void
test_tokens_by_name (void)
{
  g_autoptr (AttnGrid) grid = make_grid ();
  g_autofree char *row =
      attn_readout_describe_token (grid, "%zu: %s", grid->cells[0].panel, TRUE, 2);
  grid->column_title = g_strdup ("Token");
  g_autofree char *column =
      attn_readout_describe_token (grid, "%zu: %s", grid->cells[0].panel, FALSE, 1);

  g_assert_cmpstr (row, ==, "2: I");
  g_assert_cmpstr (column, ==, "Token 1 “is”");
}

static const AttnStudyRegion *
get_region (const AttnStudy *study,
            guint            index)
{
  return g_ptr_array_index (study->regions, index);
}

static void
test_regions_of_the_study (void)
{
  static const float values[64] = { 0 };
  g_autoptr (AttnStudy) study = attn_study_new ();
  g_autoptr (AttnGrid) grid = attn_grid_new (1, 2);
  AttnRegionEdit add = { ATTN_REGION_EDIT_ADD, 1, 0, attn_region_between (1, 1, 2, 2) };
  AttnRegionEdit other = { ATTN_REGION_EDIT_ADD, 0, 0, attn_region_between (0, 0, 0, 0) };
  AttnRegionEdit change = { ATTN_REGION_EDIT_CHANGE, 1, 1, attn_region_between (5, 5, 5, 5) };
  AttnRegionEdit take_away = { ATTN_REGION_EDIT_REMOVE, 1, 0, { 0 } };
  guint place;

  grid->cells[0].panel = make_panel (values, 4, ATTN_MASK_NONE, NULL);
  grid->cells[1].panel = make_panel (values, 8, ATTN_MASK_NONE, NULL);
  g_assert_true (attn_study_edits_apply (study, grid, &add, "first"));
  g_assert_true (attn_study_edits_apply (study, grid, &other, "elsewhere"));
  g_assert_true (attn_study_edits_apply (study, grid, &add, "second"));
  g_assert_true (attn_study_edits_find_region (study, grid, 1, 1, &place));
  g_assert_cmpuint (place, ==, 2);
  g_assert_true (attn_study_edits_apply (study, grid, &change, NULL));
  g_assert_cmpuint (get_region (study, 2)->region.first_row, ==, 5);
  g_assert_cmpstr (get_region (study, 2)->region.name, ==, "second");
  g_assert_true (attn_study_edits_apply (study, grid, &take_away, NULL));
  g_assert_false (attn_study_edits_apply (study, grid, &change, NULL));
  g_assert_cmpuint (study->regions->len, ==, 2);
  g_assert_true (attn_study_edits_rename (study, grid, 1, 0, "Region 1"));
  g_autofree char *name = attn_study_edits_name_region (study);
  g_assert_cmpstr (name, ==, "Region 2");

  /* A region that the figure has no place for is not counted. */
  g_autoptr (AttnGrid) smaller = attn_grid_new (1, 2);
  smaller->cells[1].panel = make_panel (values, 4, ATTN_MASK_NONE, NULL);
  g_assert_false (attn_study_edits_find_region (study, smaller, 1, 0, &place));
  g_assert_false (attn_study_edits_find_region (study, smaller, 0, 0, &place));
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/reading/cursor-stays-within-its-panel",
                   test_cursor_stays_within_its_panel);
  g_test_add_func ("/app/reading/cursor-skips-empty-panels", test_cursor_skips_empty_panels);
  g_test_add_func ("/app/reading/rows-are-chosen", test_rows_are_chosen);
  g_test_add_func ("/app/reading/views-of-one-or-all", test_views_of_one_or_all);
  g_test_add_func ("/app/reading/history-of-views", test_history_of_views);
  g_test_add_func ("/app/reading/kinetic-ends", test_kinetic_ends);
  g_test_add_func ("/app/reading/hand-at-rest-moves-nothing", test_hand_at_rest_moves_nothing);
  g_test_add_func ("/app/reading/region-is-dragged", test_region_is_dragged);
  g_test_add_func ("/app/reading/search-finds-rows-and-columns",
                   test_search_finds_rows_and_columns);
  g_test_add_func ("/app/reading/search-finds-spaces", test_search_finds_spaces);
  g_test_add_func ("/app/reading/search-goes-round", test_search_goes_round);
  g_test_add_func ("/app/reading/profile-of-rows", test_profile_of_rows);
  g_test_add_func ("/app/reading/profile-of-a-column", test_profile_of_a_column);
  g_test_add_func ("/app/reading/profile-of-nan-and-differences",
                   test_profile_of_nan_and_differences);
  g_test_add_func ("/app/reading/short-numbers", test_short_numbers);
  g_test_add_func ("/app/reading/numbers-beside-each-other", test_numbers_beside_each_other);
  g_test_add_func ("/app/reading/positions-of-rows-left", test_positions_of_rows_left);
  g_test_add_func ("/app/reading/readout-of-a-difference", test_readout_of_a_difference);
  g_test_add_func ("/app/reading/readout-of-a-patch", test_readout_of_a_patch);
  g_test_add_func ("/app/reading/readout-of-a-repeated-token", test_readout_of_a_repeated_token);
  g_test_add_func ("/app/reading/readout-of-a-map-of-heads",
                   test_readout_of_a_map_of_heads);
  g_test_add_func ("/app/reading/scores", test_scores);
  g_test_add_func ("/app/reading/tokens-by-name", test_tokens_by_name);
  g_test_add_func ("/app/reading/regions-of-the-study", test_regions_of_the_study);
  return g_test_run ();
}
