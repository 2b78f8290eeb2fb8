/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A figure that is read, moved and drawn on, without a display. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "attn-callout.h"
#include "attn-overlay.h"
#include "attn-readout.h"
#include "attn-reading-private.h"
#include "reading-fixture.h"

static AttnReading *reading;
static AttnRegionEdit last_edit;
static guint n_edits;

static void
region_edited_cb (AttnReading          *edited,
                  const AttnRegionEdit *edit)
{
  last_edit = *edit;
  n_edits++;
}

static void
set_up (gpointer      *fixture,
        gconstpointer  data)
{
  AttnStyle style = attn_style_default ();
  g_autoptr (AttnGrid) grid = reading_fixture_grid ();

  n_edits = 0;
  reading = attn_reading_new ();
  g_signal_connect (reading, "region-edited", G_CALLBACK (region_edited_cb), NULL);
  attn_reading_set_screen (reading, &(AttnScreen) { 700, 600, 1, { 0, 0, 0 } });
  attn_reading_set_figure (reading, grid, &style);
}

static void
tear_down (gpointer      *fixture,
           gconstpointer  data)
{
  g_assert_finalize_object (reading);
}

static gboolean
command (AttnCommand what,
         double      down,
         double      right)
{
  return attn_reading_do (reading, what, down, right);
}

/* Where a cell of the scene stands, in widget pixels. */
static void
locate (int     group,
        gsize   row,
        gsize   column,
        double *x,
        double *y)
{
  AttnPlaces places = attn_reading_get_places (reading);
  AttnRectangle cell;

  g_assert_true (attn_scene_get_cell (places.scene, group, row, column, &cell));
  *x = (cell.x + cell.width / 2) * places.scale;
  *y = (cell.y + cell.height / 2) * places.scale;
}

static void
assert_hit (int   group,
            gsize row,
            gsize column)
{
  const AttnHit *hit = attn_reading_get (reading).hit;

  g_assert_nonnull (hit);
  g_assert_cmpint (hit->group, ==, group);
  g_assert_cmpuint (hit->row, ==, row);
  g_assert_cmpuint (hit->column, ==, column);
}

static void
assert_cursor (int   group,
               gsize row,
               gsize column)
{
  AttnCellCursor cursor = attn_reading_get (reading).cursor;

  g_assert_cmpint (cursor.group, ==, group);
  g_assert_cmpuint (cursor.row, ==, row);
  g_assert_cmpuint (cursor.column, ==, column);
}

static void
drag_by (double x,
         double y,
         double dx,
         double dy)
{
  attn_reading_press (reading, x, y, FALSE);
  attn_reading_drag (reading, dx / 2, dy / 2);
  attn_reading_drag (reading, dx, dy);
  attn_reading_release (reading, TRUE);
}

static void
test_hover_finds_every_cell (gpointer      *fixture,
                             gconstpointer  data)
{
  for (int group = 0; group < 4; group++)
    for (gsize row = 0; row < N_TOKENS; row++)
      for (gsize column = 0; column < N_TOKENS; column++)
        {
          double x, y;

          locate (group, row, column, &x, &y);
          attn_reading_point (reading, TRUE, x, y);
          assert_hit (group, row, column);
        }
  attn_reading_point (reading, FALSE, 0, 0);
  g_assert_null (attn_reading_get (reading).hit);
}

/* A map is not compared with anything. */
static void
test_readout_of_a_map (gpointer      *fixture,
                       gconstpointer  data)
{
  const gsize shape[] = { 1, 2 };
  g_autoptr (AttnTensor) values = attn_tensor_new (2, shape, NULL);
  g_autoptr (AttnGrid) grid = attn_grid_new (1, 1);
  AttnHit hit = { .group = 0, .row = 0, .column = 1, .n_rows = 1, .n_columns = 1 };

  values->data[0] = 0.75f;
  values->data[1] = 0.25f;
  grid->cells[0].panel = attn_panel_new (values, ATTN_MASK_NONE, NULL, NULL);
  grid->cells[0].baseline = attn_panel_ref (grid->cells[0].panel);
  grid->value_word = "%s of the logit difference recovered";
  g_autofree char *text = attn_readout_describe_value (grid, &hit);
  g_autofree char *brief = attn_readout_describe_brief (grid, &hit);

  g_assert_cmpstr (text, ==, "0.2500 of the logit difference recovered · rank 2 of 2 in the row");
  g_assert_cmpstr (brief, ==, "0.2500");
  grid->is_untouched = TRUE;
  g_assert_false (attn_grid_is_compared (grid, -1));
}

static void
test_readout_of_masked_and_nan (gpointer      *fixture,
                                gconstpointer  data)
{
  AttnGrid *grid = (attn_reading_get_places (reading).scene)->grid;
  AttnHit masked = { .group = 0, .row = 2, .column = 5, .n_rows = 1, .n_columns = 1 };
  AttnHit nan = { .group = 3, .row = 0, .column = 0, .n_rows = 1, .n_columns = 1 };
  AttnHit several = { .group = 0, .row = 2, .column = 1, .n_rows = 3, .n_columns = 4 };
  g_autofree char *masked_text = attn_readout_describe_value (grid, &masked);
  g_autofree char *nan_text = attn_readout_describe_value (grid, &nan);
  g_autofree char *several_text = attn_readout_describe_value (grid, &several);

  g_assert_cmpstr (masked_text, ==, "masked: this query cannot attend to this key");
  g_assert_cmpstr (nan_text, ==, "weight not a number");
  g_assert_cmpstr (several_text, ==,
                   "weight 0.02000 · baseline 0.02000 · difference 0.000 · rank 2 of 3 in the row"
                   " · largest of 3 × 4 cells");
}

/* Where nothing is done to the model, as with recorded weights, no baseline is said. */
static void
test_readout_of_an_untouched_grid (gpointer      *fixture,
                                   gconstpointer  data)
{
  AttnGrid *grid = attn_reading_get_places (reading).scene->grid;
  const AttnHit hit = { .group = 0, .row = 2, .column = 1, .n_rows = 1, .n_columns = 1 };

  attn_panel_unref (grid->cells[0].baseline);
  grid->cells[0].baseline = attn_panel_ref (grid->cells[0].panel);
  g_assert_true (attn_grid_is_compared (grid, 0));
  grid->is_untouched = TRUE;
  g_assert_false (attn_grid_is_compared (grid, 0));
  g_autofree char *same = attn_readout_describe_value (grid, &hit);
  g_assert_cmpstr (same, ==, "weight 0.02000 · rank 2 of 3 in the row");
  /* What is compared with another model has a baseline of its own, as other panels here have. */
  g_assert_true (attn_grid_is_compared (grid, -1));
  attn_panel_unref (grid->cells[0].baseline);
  grid->cells[0].baseline = attn_panel_ref (grid->cells[1].panel);
  g_assert_true (attn_grid_is_compared (grid, 0));
}

static void
test_readout_of_a_panel (gpointer      *fixture,
                         gconstpointer  data)
{
  AttnPanelMeasures measures = { 0.5, 1.25, 0.75, 0.125 };
  g_autofree char *text = attn_readout_describe_panel (&measures, TRUE);
  g_autofree char *lone = attn_readout_describe_panel (&measures, FALSE);

  g_assert_cmpstr (text, ==,
                   "panel: sink score 0.5000 · entropy 1.250 bits · largest difference 0.7500 · "
                   "total variation 0.1250");
  g_assert_cmpstr (lone, ==, "panel: sink score 0.5000 · entropy 1.250 bits");
  measures.is_unnormalised = TRUE;
  g_autofree char *other = attn_readout_describe_panel (&measures, FALSE);
  g_assert_cmpstr (other, ==, "panel: its rows do not sum to 1: no sink score, no entropy");
}

/* A figure of other panels under a pointer that rests: the readout is of the new one. */
static void
test_new_figure_is_read_at_once (gpointer      *fixture,
                                 gconstpointer  data)
{
  AttnStyle style = attn_style_default ();
  g_autoptr (AttnGrid) grid = attn_grid_new (1, 1);
  double x, y;

  locate (0, 3, 1, &x, &y);
  attn_reading_point (reading, TRUE, x, y);
  grid->cells[0].panel = reading_fixture_panel (2);
  attn_reading_set_figure (reading, grid, &style);
  const AttnHit *hit = attn_reading_get (reading).hit;
  g_assert_true (hit == NULL || hit->group == 0);
  attn_reading_set_figure (reading, NULL, &style);
  g_assert_null (attn_reading_get (reading).hit);
}

static void
test_cursor_is_kept_in_view (gpointer      *fixture,
                             gconstpointer  data)
{
  AttnRectangle cell;

  command (ATTN_COMMAND_ZOOM, 3, 0);
  command (ATTN_COMMAND_MOVE, 1, 0);
  command (ATTN_COMMAND_MOVE, 1e15, 1e15);
  assert_cursor (0, 11, 11);
  g_assert_true (attn_scene_get_cell (attn_reading_get_places (reading).scene, 0, 11, 11, &cell));
  AttnViewport viewport = attn_reading_get (reading).views->shared;
  g_assert_cmpfloat_with_epsilon (viewport.width, 1.0 / 3, 1e-9);
  command (ATTN_COMMAND_ZOOM, 1.5, 0);
  g_assert_true (attn_scene_get_cell (attn_reading_get_places (reading).scene, 0, 11, 11, &cell));
}

static void
test_figure_keeps_what_is_read (gpointer      *fixture,
                                gconstpointer  data)
{
  AttnStyle style = attn_style_default ();
  AttnCellCursor cursor = { 3, 7, 5 };
  g_autoptr (AttnGrid) same = reading_fixture_grid ();
  g_autoptr (AttnGrid) fewer = attn_grid_new (1, 1);

  attn_reading_set_cursor (reading, &cursor);
  attn_reading_set_figure (reading, same, &style);
  assert_cursor (3, 7, 5);
  fewer->cells[0].panel = reading_fixture_panel (0);
  attn_reading_set_figure (reading, fewer, &style);
  assert_cursor (-1, 0, 0);
  g_assert_cmpint (
      attn_reading_get (reading).selection->group, ==, -1);
}

/* A run of rows is extended within what a shorter figure has. */
static void
test_shorter_figure_has_what_is_chosen (gpointer      *fixture,
                                        gconstpointer  data)
{
  AttnStyle style = attn_style_default ();
  g_autoptr (AttnGrid) shorter = reading_fixture_grid ();
  const gsize shape[] = { 5, 5 };
  g_autoptr (AttnTensor) values = attn_tensor_new (2, shape, NULL);

  for (gsize i = 0; i < 4; i++)
    {
      attn_panel_unref (shorter->cells[i].panel);
      shorter->cells[i].panel = attn_panel_new (values, ATTN_MASK_CAUSAL, NULL, NULL);
    }
  attn_reading_choose_line (reading, 1, FALSE, 9, ATTN_CHOICE_ONE);
  attn_reading_choose_line (reading, 1, FALSE, 11, ATTN_CHOICE_EXTEND);
  attn_reading_set_figure (reading, shorter, &style);
  attn_reading_choose_line (reading, 1, FALSE, 2, ATTN_CHOICE_EXTEND);
  const AttnSelection *selection = attn_reading_get (reading).selection;
  g_assert_cmpuint (selection->indices->len, ==, 3);
  for (guint i = 0; i < 3; i++)
    g_assert_cmpuint (g_array_index (selection->indices, gsize, i), ==, i + 2);
}

/* A figure of other rows or columns lets go; one with a panel more goes on with the panel of that
 * name, and one of words with the word of the token. */
static void
test_cell_that_means_nothing_is_let_go (gpointer      *fixture,
                                        gconstpointer  data)
{
  AttnStyle style = attn_style_default ();
  AttnCellCursor cursor = { 1, 7, 5 };
  g_autoptr (AttnGrid) wider = attn_grid_new (2, 3);
  g_autoptr (AttnGrid) map = reading_fixture_grid ();
  g_autoptr (AttnGrid) other = reading_fixture_grid ();
  gsize group = 3;

  wider->cells[0].panel = reading_fixture_panel (0);
  for (gsize i = 0; i < 2; i++)
    {
      wider->cells[i + 1].panel = reading_fixture_panel (i);
      wider->cells[i + 1].name = g_strdup_printf ("Panel %zu", i);
      wider->cells[i + 4].panel = reading_fixture_panel (i + 2);
      wider->cells[i + 4].name = g_strdup_printf ("Panel %zu", i + 2);
    }
  attn_reading_set_cursor (reading, &cursor);
  attn_reading_set_figure (reading, wider, &style);
  assert_cursor (2, 7, 5);
  g_assert_cmpint (attn_reading_get (reading).selection->group, ==, 2);

  map->row_title = g_strdup ("Layer");
  attn_reading_set_figure (reading, map, &style);
  assert_cursor (-1, 0, 0);
  g_assert_cmpint (attn_reading_get (reading).selection->group, ==, -1);
  g_assert_null (attn_reading_get (reading).hit);

  cursor.group = (int) group;
  attn_reading_set_cursor (reading, &cursor);
  other->row_title = g_strdup ("Layer");
  other->cells[group].input = 1;
  attn_reading_set_figure (reading, other, &style);
  assert_cursor (-1, 0, 0);
}

static void
test_one_panel_moves_alone (gpointer      *fixture,
                            gconstpointer  data)
{
  AttnViewport first, second;
  double x, y;

  command (ATTN_COMMAND_LINK, FALSE, 0);
  locate (1, 4, 4, &x, &y);
  attn_reading_point (reading, TRUE, x, y);
  command (ATTN_COMMAND_ZOOM_AT_POINTER, 1.25, 0);
  command (ATTN_COMMAND_ZOOM_AT_POINTER, 1.25, 0);
  first = attn_scene_get_heatmap (attn_reading_get_places (reading).scene, 0)->viewport;
  second = attn_scene_get_heatmap (attn_reading_get_places (reading).scene, 1)->viewport;
  g_assert_true (attn_viewport_is_fit (&first));
  g_assert_false (attn_viewport_is_fit (&second));
  /* Together again, all show what the one under the pointer does. */
  command (ATTN_COMMAND_LINK, TRUE, 0);
  first = attn_scene_get_heatmap (attn_reading_get_places (reading).scene, 0)->viewport;
  g_assert_true (attn_viewport_equal (&first, &second));
}

static void
test_panel_is_maximised_and_back (gpointer      *fixture,
                                  gconstpointer  data)
{
  AttnCellCursor cursor = { 2, 3, 1 };
  AttnRectangle small, large;
  double x, y;

  attn_reading_get_places (reading);
  small = attn_scene_get_heatmap (attn_reading_get_places (reading).scene, 2)->rectangle;
  attn_reading_set_cursor (reading, &cursor);
  command (ATTN_COMMAND_MAXIMIZE, 0, 0);
  g_assert_cmpint (attn_reading_get (reading).views->maximized, ==, 2);
  large = attn_scene_get_heatmap (attn_reading_get_places (reading).scene, 0)->rectangle;
  g_assert_cmpfloat (large.width, >, 1.5 * small.width);
  /* A cell under the pointer is still one of the third panel. */
  locate (0, 5, 2, &x, &y);
  attn_reading_point (reading, TRUE, x, y);
  assert_hit (2, 5, 2);
  command (ATTN_COMMAND_PANEL, 1, 0);
  g_assert_cmpint (attn_reading_get (reading).views->maximized, ==, 3);
  command (ATTN_COMMAND_ESCAPE, 0, 0);
  g_assert_cmpint (attn_reading_get (reading).views->maximized, ==, -1);
  command (ATTN_COMMAND_BACK, 0, 0);
  g_assert_cmpint (attn_reading_get (reading).views->maximized, ==, 3);
}

/* Whole pixels: the raster of every cell is as wide as that of its neighbour. */
static void
test_cells_of_whole_pixels (gpointer      *fixture,
                            gconstpointer  data)
{
  AttnRectangle panel;
  AttnViewport viewport;

  command (ATTN_COMMAND_MOVE, 1, 0);
  command (ATTN_COMMAND_PIXELS, 0, 0);
  panel = attn_scene_get_heatmap (attn_reading_get_places (reading).scene, 0)->rectangle;
  viewport = attn_scene_get_heatmap (attn_reading_get_places (reading).scene, 0)->viewport;
  double pixels =
      panel.width * attn_reading_get_places (reading).scale / (viewport.width * N_TOKENS);
  g_assert_cmpfloat_with_epsilon (pixels, round (pixels), 1e-6);
  g_assert_cmpfloat (pixels, >=,
                     panel.width * attn_reading_get_places (reading).scale / N_TOKENS - 1e-6);
}

static void
test_rectangle_is_zoomed_to_and_back (gpointer      *fixture,
                                      gconstpointer  data)
{
  double x, y, end_x, end_y;

  locate (0, 2, 3, &x, &y);
  locate (0, 7, 8, &end_x, &end_y);
  attn_reading_set_tool (reading, ATTN_READING_TOOL_ZOOM);
  drag_by (x, y, end_x - x, end_y - y);
  AttnViewport viewport = attn_reading_get (reading).views->shared;
  /* From the middle of one cell to the middle of another; layout is in whole points at most. */
  g_assert_cmpfloat_with_epsilon (viewport.x, 3.5 / N_TOKENS, 1e-6);
  g_assert_cmpfloat_with_epsilon (viewport.y, 2.5 / N_TOKENS, 1e-6);
  g_assert_cmpfloat_with_epsilon (viewport.width, 5.0 / N_TOKENS, 1e-6);
  g_assert_cmpint (attn_reading_get (reading).tool, ==, ATTN_READING_TOOL_MOVE);
  command (ATTN_COMMAND_BACK, 0, 0);
  viewport = attn_reading_get (reading).views->shared;
  g_assert_true (attn_viewport_is_fit (&viewport));
  command (ATTN_COMMAND_FORWARD, 0, 0);
  viewport = attn_reading_get (reading).views->shared;
  g_assert_false (attn_viewport_is_fit (&viewport));
}

static void
test_region_is_drawn_and_resized (gpointer      *fixture,
                                  gconstpointer  data)
{
  AttnStyle style = attn_style_default ();
  g_autoptr (AttnGrid) grid = reading_fixture_grid ();
  AttnRectangle place;
  double x, y, end_x, end_y;

  attn_reading_set_tool (reading, ATTN_READING_TOOL_REGION);
  locate (1, 6, 5, &x, &y);
  locate (1, 3, 2, &end_x, &end_y);
  drag_by (x, y, end_x - x, end_y - y);
  g_assert_cmpuint (n_edits, ==, 1);
  g_assert_cmpint (last_edit.kind, ==, ATTN_REGION_EDIT_ADD);
  g_assert_cmpint (last_edit.group, ==, 1);
  g_assert_cmpuint (last_edit.region.first_row, ==, 3);
  g_assert_cmpuint (last_edit.region.last_column, ==, 5);

  attn_grid_add_region (grid, 0, 1, &last_edit.region);
  attn_reading_set_figure (reading, grid, &style);
  g_assert_true (attn_reading_get (reading).regions->has_picked);
  place = attn_scene_get_region (attn_reading_get_places (reading).scene, 1, 0)->rectangle;
  x = (place.x + place.width) * attn_reading_get_places (reading).scale;
  y = (place.y + place.height) * attn_reading_get_places (reading).scale;
  locate (1, 8, 9, &end_x, &end_y);
  drag_by (x, y, end_x - x, end_y - y);
  g_assert_cmpuint (n_edits, ==, 2);
  g_assert_cmpint (last_edit.kind, ==, ATTN_REGION_EDIT_CHANGE);
  g_assert_cmpuint (last_edit.region.first_row, ==, 3);
  g_assert_cmpuint (last_edit.region.last_row, ==, 8);
  g_assert_cmpuint (last_edit.region.last_column, ==, 9);
  command (ATTN_COMMAND_REMOVE, 0, 0);
  g_assert_cmpuint (n_edits, ==, 3);
  g_assert_cmpint (last_edit.kind, ==, ATTN_REGION_EDIT_REMOVE);
  g_assert_cmpuint (last_edit.index, ==, 0);
}

static void
test_region_and_pin_by_keys (gpointer      *fixture,
                             gconstpointer  data)
{
  command (ATTN_COMMAND_MOVE, 1, 0);
  command (ATTN_COMMAND_PIN, 0, 0);
  g_assert_cmpuint (n_edits, ==, 1);
  g_assert_true (last_edit.region.is_pin);
  attn_reading_set_tool (reading, ATTN_READING_TOOL_REGION);
  command (ATTN_COMMAND_ACTIVATE, 0, 0);
  command (ATTN_COMMAND_MOVE, 1, 0);
  command (ATTN_COMMAND_MOVE, 0, 1);
  command (ATTN_COMMAND_ACTIVATE, 0, 0);
  g_assert_cmpuint (n_edits, ==, 2);
  g_assert_false (last_edit.region.is_pin);
  g_assert_cmpuint (last_edit.region.last_row, ==, 1);
  g_assert_cmpuint (last_edit.region.last_column, ==, 1);
  /* Escape leaves what is half drawn, and then the tool. */
  command (ATTN_COMMAND_ACTIVATE, 0, 0);
  command (ATTN_COMMAND_ESCAPE, 0, 0);
  g_assert_cmpint (attn_reading_get (reading).tool, ==, ATTN_READING_TOOL_REGION);
  command (ATTN_COMMAND_ESCAPE, 0, 0);
  g_assert_cmpint (attn_reading_get (reading).tool, ==, ATTN_READING_TOOL_MOVE);
  g_assert_cmpuint (n_edits, ==, 2);
}

static void
test_search_goes_to_tokens (gpointer      *fixture,
                            gconstpointer  data)
{
  /* t1, t10, t11 */
  gsize n_panels;

  attn_reading_search (reading, "T1");
  g_assert_cmpuint (attn_reading_count_found (reading, &n_panels), ==, 3);
  g_assert_cmpuint (n_panels, ==, 4);
  g_assert_cmpuint (attn_reading_search_step (reading, 1), ==, 1);
  assert_cursor (0, 1, 1);
  g_assert_cmpuint (attn_reading_search_step (reading, 1), ==, 2);
  assert_cursor (0, 10, 10);
  g_assert_cmpuint (attn_reading_search_step (reading, -1), ==, 1);
  attn_reading_search (reading, "nowhere");
  g_assert_cmpuint (attn_reading_count_found (reading, &n_panels), ==, 0);
  g_assert_cmpuint (attn_reading_search_step (reading, 1), ==, 0);
  assert_cursor (0, 1, 1);
  attn_reading_search (reading, NULL);
}

/* What was drawn and let go stays in view until the figure has it, or will never have it. Escape
 * and fingers that take hold give up what is half drawn. */
static void
test_region_is_given_up (gpointer      *fixture,
                         gconstpointer  data)
{
  const AttnRegionTool *regions = attn_reading_get (reading).regions;
  double x, y;

  locate (1, 6, 5, &x, &y);
  attn_reading_set_tool (reading, ATTN_READING_TOOL_REGION);
  for (guint way = 0; way < 2; way++)
    {
      attn_reading_press (reading, x, y, FALSE);
      attn_reading_drag (reading, 30, 30);
      g_assert_true (regions->has_band);
      if (way == 0)
        g_assert_true (command (ATTN_COMMAND_ESCAPE, 0, 0));
      else
        attn_reading_pinch (reading, 0, x, y);
      g_assert_false (regions->has_band);
      attn_reading_release (reading, TRUE);
    }
  g_assert_cmpuint (n_edits, ==, 0);
  drag_by (x, y, 30, 30);
  g_assert_cmpuint (n_edits, ==, 1);
  g_assert_true (regions->has_band);
  attn_reading_drop_pending (reading);
  g_assert_false (regions->has_band);
}

/* How the pointer looks says what the hand would do. */
static void
test_pointer_says_what_it_does (gpointer      *fixture,
                                gconstpointer  data)
{
  AttnStyle style = attn_style_default ();
  g_autoptr (AttnGrid) grid = reading_fixture_grid ();
  const AttnRegion region = { .first_row = 3, .last_row = 6, .first_column = 2, .last_column = 5 };
  AttnRectangle place;
  double x, y;

  attn_grid_add_region (grid, 0, 1, &region);
  attn_reading_set_figure (reading, grid, &style);
  AttnPlaces places = attn_reading_get_places (reading);
  place = attn_scene_get_region (places.scene, 1, 0)->rectangle;
  locate (1, 5, 3, &x, &y);
  attn_reading_point (reading, TRUE, x, y);
  g_assert_null (attn_reading_get_pointer_name (reading));
  attn_reading_set_tool (reading, ATTN_READING_TOOL_REGION);
  g_assert_cmpstr (attn_reading_get_pointer_name (reading), ==, "move");
  attn_reading_point (reading, TRUE, place.x * places.scale, y);
  g_assert_cmpstr (attn_reading_get_pointer_name (reading), ==, "w-resize");
  attn_reading_point (reading, TRUE, 1, 1);
  g_assert_cmpstr (attn_reading_get_pointer_name (reading), ==, "crosshair");
  attn_reading_set_tool (reading, ATTN_READING_TOOL_MOVE);
  attn_reading_point (reading, TRUE, x, y);
  command (ATTN_COMMAND_ZOOM, 2, 0);
  attn_reading_press (reading, x, y, FALSE);
  attn_reading_drag (reading, 9, 9);
  g_assert_cmpstr (attn_reading_get_pointer_name (reading), ==, "grabbing");
  attn_reading_release (reading, FALSE);
  g_assert_null (attn_reading_get_pointer_name (reading));
}

static void
count_cb (guint *n)
{
  ++*n;
}

/* On the title of a panel, on a panel, and beside all. */
static void
test_double_click (gpointer      *fixture,
                   gconstpointer  data)
{
  AttnStyle style = attn_style_default ();
  g_autoptr (AttnGrid) grid = reading_fixture_grid ();
  AttnRectangle panel;
  guint n_clicked = 0;
  double x, y;

  for (gsize i = 0; i < 4; i++)
    grid->cells[i].title = g_strdup_printf ("Title %zu", i);
  attn_reading_set_figure (reading, grid, &style);
  g_signal_connect_swapped (reading, "double-clicked", G_CALLBACK (count_cb), &n_clicked);
  locate (3, 5, 2, &x, &y);
  attn_reading_double_click (reading, x, y);
  g_assert_cmpuint (n_clicked, ==, 1);
  AttnPlaces places = attn_reading_get_places (reading);
  g_assert_true (attn_places_get_panel (&places, 3, &panel));
  attn_reading_double_click (reading, panel.x + panel.width / 2, panel.y - 6);
  g_assert_cmpint (attn_reading_get (reading).views->maximized, ==, 3);
  places = attn_reading_get_places (reading);
  g_assert_false (attn_places_get_panel (&places, 0, &panel));
  g_assert_true (attn_places_get_panel (&places, 3, &panel));
  attn_reading_double_click (reading, panel.x + panel.width / 2, panel.y - 6);
  g_assert_cmpint (attn_reading_get (reading).views->maximized, ==, -1);
  command (ATTN_COMMAND_ZOOM, 3, 0);
  attn_reading_double_click (reading, 1, 1);
  g_assert_true (attn_viewport_is_fit (&attn_reading_get (reading).views->shared));
  g_assert_cmpuint (n_clicked, ==, 1);
}

static guint32
get_pixel (cairo_surface_t *surface,
           double           x,
           double           y)
{
  const guint8 *data = cairo_image_surface_get_data (surface);

  return *(const guint32 *) (const void *) (data +
                                            (gsize) y * cairo_image_surface_get_stride (surface) +
                                            4 * (gsize) x);
}

/* Nothing while nothing is read; the accent beside a chosen row, white in black at the cursor. */
static void
test_overlay (gpointer      *fixture,
              gconstpointer  data)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, 700, 600);
  cairo_t *cr = cairo_create (surface);
  cairo_pattern_t *accent = cairo_pattern_create_rgb (1, 0, 0);
  AttnCellCursor cursor = { 1, 6, 3 };
  AttnRectangle panel, cell;

  attn_overlay_draw (reading, accent, cr);
  cairo_surface_flush (surface);
  for (guint y = 0; y < 600; y++)
    for (guint x = 0; x < 700; x++)
      g_assert_cmphex (get_pixel (surface, x, y), ==, 0);

  attn_reading_set_cursor (reading, &cursor);
  AttnPlaces places = attn_reading_get_places (reading);
  attn_overlay_draw (reading, accent, cr);
  cairo_surface_flush (surface);
  g_assert_true (attn_places_get_panel (&places, 1, &panel));
  g_assert_true (attn_places_get_cell (&places, cursor, &cell));
  double middle = cell.y + cell.height / 2;
  g_assert_cmphex (get_pixel (surface, panel.x + panel.width + 3, middle), ==, 0xffff0000);
  g_assert_cmphex (get_pixel (surface, panel.x + panel.width + 3, cell.y - 3), ==, 0);
  g_assert_cmphex (get_pixel (surface, cell.x, middle), ==, 0xff000000);
  g_assert_cmphex (get_pixel (surface, cell.x + cell.width / 2, middle), ==, 0);
  cairo_pattern_destroy (accent);
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
}

/* The cell under the pointer is marked in every panel, around its middle; a picked region has
 * handles. */
static void
test_overlay_of_pointer_and_region (gpointer      *fixture,
                                    gconstpointer  data)
{
  const AttnRegion region = { NULL, 2, 5, 3, 8, FALSE };
  AttnStyle style = attn_style_default ();
  g_autoptr (AttnGrid) grid = reading_fixture_grid ();
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, 700, 600);
  cairo_t *cr = cairo_create (surface);
  cairo_pattern_t *accent = cairo_pattern_create_rgb (1, 0, 0);
  AttnRectangle cell, other;
  double x, y;

  attn_grid_add_region (grid, 0, 1, &region);
  attn_reading_set_figure (reading, grid, &style);
  locate (1, 9, 4, &x, &y);
  attn_reading_point (reading, TRUE, x, y);
  attn_reading_pick (reading, 1, 0);
  attn_overlay_draw (reading, accent, cr);
  cairo_surface_flush (surface);
  AttnPlaces places = attn_reading_get_places (reading);
  for (int group = 0; group < 4; group++)
    {
      g_assert_true (attn_places_get_cell (&places, (AttnCellCursor) { group, 9, 4 }, &cell));
      double middle = cell.y + cell.height / 2;
      g_assert_cmphex (get_pixel (surface, round (cell.x) + 0.5, middle), ==, 0xffffffff);
      g_assert_cmphex (get_pixel (surface, round (cell.x) - 1.5, middle), ==, 0xff000000);
      g_assert_cmphex (get_pixel (surface, cell.x + cell.width / 2, middle), ==, 0);
      g_assert_true (attn_places_get_cell (&places, (AttnCellCursor) { group, 1, 11 }, &other));
      g_assert_cmphex (get_pixel (surface, other.x + 1, other.y + 1), ==, 0);
    }
  g_assert_true (attn_places_get_cells (&places, 1, &region, &cell));
  g_assert_cmphex (get_pixel (surface, cell.x, cell.y), ==, 0xffffffff);
  g_assert_cmphex (get_pixel (surface, cell.x + cell.width / 2, cell.y + cell.height), ==,
                   0xffffffff);
  g_assert_cmphex (get_pixel (surface, cell.x + cell.width / 4, cell.y), ==, 0);
  cairo_pattern_destroy (accent);
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
}

/* Labels of the cell under the pointer on a ground of their own, a tick beside the colour bar at
 * its value, and its numbers beside the pointer if they are asked for. */
static void
test_callout (gpointer      *fixture,
              gconstpointer  data)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, 700, 600);
  cairo_t *cr = cairo_create (surface);
  AttnRectangle panel, cell;
  double x, y;

  attn_callout_draw (reading, cr);
  locate (0, 9, 4, &x, &y);
  attn_reading_point (reading, TRUE, x, y);
  g_assert_true (attn_reading_get (reading).is_pointed);
  attn_callout_draw (reading, cr);
  cairo_surface_flush (surface);
  AttnPlaces places = attn_reading_get_places (reading);
  g_assert_true (attn_places_get_panel (&places, 0, &panel));
  g_assert_true (attn_places_get_cell (&places, (AttnCellCursor) { 0, 9, 4 }, &cell));
  g_assert_cmphex (get_pixel (surface, panel.x - 4, cell.y + cell.height / 2), ==, 0xff000000);
  g_assert_cmphex (get_pixel (surface, x + 20, y + 24), ==, 0);
  for (gsize i = 0; i < places.scene->marks->len; i++)
    {
      const AttnMark *mark = attn_scene_get_mark (places.scene, i);
      const AttnRectangle *bar = &mark->rectangle;

      if (mark->kind != ATTN_MARK_COLORBAR)
        continue;
      double value = attn_panel_get_value (places.grid->cells[0].panel, 9, 4);
      double at = (bar->y + (1 - (value - mark->scale.low) /
                                     (mark->scale.high - mark->scale.low)) *
                                bar->height) *
                  places.scale;
      g_assert_cmphex (get_pixel (surface, bar->x * places.scale - 3, at), ==, 0xff000000);
    }
  attn_reading_set_readout (reading, "L1 H2");
  attn_callout_draw (reading, cr);
  cairo_surface_flush (surface);
  g_assert_cmphex (get_pixel (surface, x + 20, y + 24), !=, 0);
  cairo_destroy (cr);
  cairo_surface_destroy (surface);

  g_autofree char *pair =
      attn_readout_describe_pair (places.grid, attn_reading_get (reading).hit, "L1 H2");
  g_assert_cmpstr (pair, ==, "L1 H2 · 9 “t9” → 4 “t4”");
  g_autofree char *brief =
      attn_readout_describe_brief (places.grid, attn_reading_get (reading).hit);
  g_assert_nonnull (strstr (brief, " · Δ "));
  g_assert_null (strstr (brief, "rank"));
}

/* The label of a row that the edge cuts covers the one at the axis, in the middle of all of it. */
static void
test_label_of_a_cut_row (gpointer      *fixture,
                         gconstpointer  data)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, 700, 600);
  cairo_t *cr = cairo_create (surface);
  AttnRectangle panel, cell;
  double first = -1, last = -1, pitch;
  gsize row = 0;

  command (ATTN_COMMAND_ZOOM, 3, 0);
  AttnPlaces places = attn_reading_get_places (reading);
  g_assert_true (attn_places_get_panel (&places, 0, &panel));
  gsize n_rows = attn_panel_get_n_rows (places.grid->cells[0].panel), column = n_rows / 2;
  while (!attn_places_get_cell (&places, (AttnCellCursor) { 0, row, column }, &cell))
    g_assert_cmpuint (++row, <, n_rows);
  pitch = panel.height / ((double) n_rows * attn_reading_get (reading).views->shared.height);
  /* Seven tenths of the row are left in sight. */
  drag_by (panel.x + panel.width / 2, panel.y + panel.height / 2, 0, 0.7 * pitch - cell.height);
  places = attn_reading_get_places (reading);
  g_assert_true (attn_places_get_cell (&places, (AttnCellCursor) { 0, row, column }, &cell));
  g_assert_cmpfloat_with_epsilon (cell.height, 0.7 * pitch, 1.0);
  attn_reading_point (reading, TRUE, panel.x + panel.width / 2, cell.y + cell.height / 2);
  attn_callout_draw (reading, cr);
  cairo_surface_flush (surface);
  for (double y = MAX (panel.y - 20, 0); y < panel.y + panel.height; y++)
    if (get_pixel (surface, panel.x - 4, y) == 0xff000000)
      {
        first = first < 0 ? y : first;
        last = y;
      }
  g_assert_cmpfloat (first, >=, 0);
  g_assert_cmpfloat_with_epsilon ((first + last + 1) / 2, cell.y + cell.height - pitch / 2, 1.5);
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
}

/* The ground of a label covers no neighbour, unless the letters themselves do. */
static void
test_label_leaves_its_neighbours (gpointer      *fixture,
                                  gconstpointer  data)
{
  attn_reading_set_screen (reading, &(AttnScreen) { 300, 260, 1, { 0, 0, 0 } });

  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, 300, 260);
  cairo_t *cr = cairo_create (surface);
  AttnRectangle panel, cell;
  double x, y;
  int n_rows = 0, n_columns = 0;

  locate (2, 9, 4, &x, &y);
  attn_reading_point (reading, TRUE, x, y);
  attn_callout_draw (reading, cr);
  cairo_surface_flush (surface);
  AttnPlaces places = attn_reading_get_places (reading);
  g_assert_true (attn_places_get_panel (&places, 2, &panel));
  g_assert_true (attn_places_get_cell (&places, (AttnCellCursor) { 2, 9, 4 }, &cell));
  for (double at = panel.y; at < panel.y + panel.height; at++)
    n_rows += get_pixel (surface, panel.x - 4, at) == 0xff000000;
  for (double at = panel.x; at < panel.x + panel.width; at++)
    n_columns += get_pixel (surface, at, panel.y + panel.height + 4) == 0xff000000;
  g_test_message ("%g x %g: %d, %d", cell.width, cell.height, n_columns, n_rows);
  g_assert_cmpint (n_rows, >, 0);
  g_assert_cmpint (n_rows, <=, (int) ceil (cell.height));
  g_assert_cmpint (n_columns, >, 0);
  g_assert_cmpint (n_columns, <=, (int) ceil (cell.width));
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
}

/* Of many panels the one under the pointer is framed, and shown large beside it. */
static void
test_thumbnails (gpointer      *fixture,
                 gconstpointer  data)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, 700, 600);
  cairo_t *cr = cairo_create (surface);
  cairo_pattern_t *accent = cairo_pattern_create_rgb (1, 0, 0);
  g_autoptr (AttnGrid) grid = attn_grid_new (9, 9);
  AttnStyle style = attn_style_default ();
  AttnRectangle panel, cell;
  double x, y;

  for (gsize i = 0; i < 81; i++)
    {
      grid->cells[i].panel = reading_fixture_panel (0);
      grid->cells[i].name = g_strdup ("Layer 1, head 2");
    }
  attn_reading_set_figure (reading, grid, &style);
  attn_reading_set_readout (reading, "");
  locate (0, 9, 4, &x, &y);
  attn_reading_point (reading, TRUE, x, y);
  AttnPlaces places = attn_reading_get_places (reading);
  g_assert_true (attn_places_are_thumbnails (&places));
  attn_overlay_draw (reading, accent, cr);
  cairo_surface_flush (surface);
  g_assert_true (attn_places_get_panel (&places, 0, &panel));
  g_assert_cmphex (get_pixel (surface, panel.x + 1, panel.y - 1), !=, 0);
  g_assert_true (attn_places_get_cell (&places, (AttnCellCursor) { 40, 9, 4 }, &cell));
  for (int dx = -3; dx <= 3; dx++)
    g_assert_cmphex (get_pixel (surface, cell.x + dx, cell.y), ==, 0);
  attn_callout_draw (reading, cr);
  cairo_surface_flush (surface);
  g_assert_cmphex (get_pixel (surface, x + 140, y + 180), !=, 0);
  cairo_pattern_destroy (accent);
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
}

/* Of a long panel of which a part is shown there is a map, on which the hand moves the part. */
static void
test_map (gpointer      *fixture,
          gconstpointer  data)
{
  const gsize shape[] = { 64, 64 };
  g_autoptr (AttnTensor) tensor = attn_tensor_new (2, shape, NULL);
  g_autoptr (AttnGrid) grid = attn_grid_new (1, 1);
  AttnStyle style = attn_style_default ();
  AttnRectangle map;
  AttnHit hit;
  int group;

  memset (tensor->data, 0, 64 * 64 * sizeof *tensor->data);
  grid->cells[0].panel = attn_panel_new (tensor, ATTN_MASK_NONE, NULL, NULL);
  attn_reading_set_figure (reading, grid, &style);
  AttnPlaces places = attn_reading_get_places (reading);
  g_assert_false (attn_places_get_map (&places, &group, &map));
  command (ATTN_COMMAND_ZOOM, 4, 0);
  places = attn_reading_get_places (reading);
  g_assert_true (attn_places_get_map (&places, &group, &map));
  g_assert_false (attn_places_hit (&places, map.x + 5, map.y + 5, &hit));

  attn_reading_press (reading, map.x + map.width / 2, map.y + map.height / 2, FALSE);
  attn_reading_drag (reading, map.width / 4, -map.height / 4);
  attn_reading_release (reading, TRUE);
  AttnViewport view = attn_views_get (attn_reading_get (reading).views, 0);
  g_assert_cmpfloat_with_epsilon (view.x + view.width / 2, 0.75, 1e-6);
  g_assert_cmpfloat_with_epsilon (view.y + view.height / 2, 0.25, 1e-6);
  g_assert_cmpfloat_with_epsilon (view.width, 0.25, 1e-6);
  command (ATTN_COMMAND_FIT, 0, 0);
  places = attn_reading_get_places (reading);
  g_assert_false (attn_places_get_map (&places, &group, &map));
}

/* Over the heads of all layers the wheel and the hand move the page; panels in another order are
 * still known by their own index. */
static void
test_atlas (gpointer      *fixture,
            gconstpointer  data)
{
  g_autoptr (AttnStudy) study = attn_study_new ();
  g_autoptr (AttnGrid) grid = attn_grid_new (3, 4);
  AttnStyle style = attn_style_default ();
  AttnRectangle before, after, middle;
  AttnHit hit;
  const gsize chosen[] = { 7, 2 };

  for (gsize i = 0; i < 12; i++)
    grid->cells[i].panel = reading_fixture_panel (0);
  study->rows = ATTN_DIMENSION_LAYER;
  study->columns = ATTN_DIMENSION_HEAD;
  attn_reading_set_place (reading, study);
  attn_reading_set_figure (reading, grid, &style);
  AttnPlaces places = attn_reading_get_places (reading);
  g_assert_true (attn_places_are_thumbnails (&places));
  g_assert_true (attn_places_get_panel (&places, 5, &before));
  double x = before.x + before.width / 2;
  double y = before.y + before.height / 2;
  attn_reading_point (reading, TRUE, x, y);

  /* The thumbnail under the pointer stays there, and all of it is shown. */
  command (ATTN_COMMAND_ZOOM_AT_POINTER, 2, 0);
  places = attn_reading_get_places (reading);
  g_assert_true (attn_places_get_panel (&places, 5, &after));
  g_assert_cmpfloat (after.width, >, 1.8 * before.width);
  g_assert_cmpint (attn_places_find_panel (&places, x, y, &middle), ==, 5);
  AttnViewport view = attn_views_get (places.views, 5);
  g_assert_true (attn_viewport_is_fit (&view));
  g_autofree char *pill = attn_readout_describe_view (grid, places.views);
  g_assert_nonnull (pill);

  /* The hand takes it along. */
  attn_reading_press (reading, x, y, FALSE);
  attn_reading_drag (reading, 60, 30);
  attn_reading_release (reading, FALSE);
  places = attn_reading_get_places (reading);
  g_assert_true (attn_places_get_panel (&places, 5, &middle));
  g_assert_cmpfloat_with_epsilon (middle.x, after.x + 60, 1.1);
  g_assert_cmpfloat_with_epsilon (middle.y, after.y + 30, 1.1);
  command (ATTN_COMMAND_FIT, 0, 0);
  places = attn_reading_get_places (reading);
  g_assert_true (attn_places_get_panel (&places, 5, &middle));
  g_assert_cmpfloat (middle.x, ==, before.x);

  /* Two of them, the other way round. */
  GArray *order = g_array_new (FALSE, FALSE, sizeof (gsize));
  g_array_append_vals (order, chosen, 2);
  attn_reading_arrange (reading, order);
  places = attn_reading_get_places (reading);
  g_assert_false (attn_places_get_panel (&places, 5, &middle));
  g_assert_true (attn_places_get_panel (&places, 7, &before));
  g_assert_true (attn_places_get_panel (&places, 2, &after));
  g_assert_cmpfloat (before.x, <, after.x);
  g_assert_true (attn_places_hit (&places, after.x + 3, after.y + 3, &hit));
  g_assert_cmpint (hit.group, ==, 2);
  /* Keys go from one to the other as they are shown, and not to those that are not. */
  const AttnCellCursor nowhere = ATTN_CELL_CURSOR_NONE;
  attn_reading_point (reading, FALSE, 0, 0);
  command (ATTN_COMMAND_MOVE, 0, 1);
  g_assert_cmpint (attn_reading_get (reading).cursor.group, ==, 7);
  command (ATTN_COMMAND_PANEL, 1, 0);
  g_assert_cmpint (attn_reading_get (reading).cursor.group, ==, 2);
  g_assert_false (attn_reading_do (reading, ATTN_COMMAND_PANEL, 1, 0));
  command (ATTN_COMMAND_PANEL_ROW, -1, 0);
  command (ATTN_COMMAND_PANEL, -1, 0);
  g_assert_cmpint (attn_reading_get (reading).cursor.group, ==, 7);
  attn_reading_set_cursor (reading, &nowhere);
  attn_reading_arrange (reading, NULL);
  places = attn_reading_get_places (reading);
  g_assert_true (attn_places_get_panel (&places, 5, &middle));
}

static void
range_asked_cb (double *ends,
                double  low,
                double  high)
{
  ends[0] = low;
  ends[1] = high;
}

/* The colour bar is dragged, and fitted by a double click. */
static void
test_colour_bar_is_held (gpointer      *fixture,
                         gconstpointer  data)
{
  AttnPlaces places = attn_reading_get_places (reading);
  double ends[2] = { -1, -1 };
  double position;

  g_signal_connect_swapped (reading, "range-asked", G_CALLBACK (range_asked_cb), ends);
  for (gsize i = 0; i < places.scene->marks->len; i++)
    {
      const AttnMark *mark = attn_scene_get_mark (places.scene, i);
      double x = (mark->rectangle.x + 2) * places.scale;
      double y = mark->rectangle.y * places.scale;
      double height = mark->rectangle.height * places.scale;

      if (mark->kind != ATTN_MARK_COLORBAR)
        continue;
      g_assert_true (attn_places_find_bar (&places, x, y + height / 4, &position) == mark);
      g_assert_cmpfloat_with_epsilon (position, 0.75, 1e-9);
      attn_reading_double_click (reading, x, y + 5);
      g_assert_cmpfloat (ends[1], ==, 0);
      attn_reading_press (reading, x, y + height / 4, FALSE);
      attn_reading_drag (reading, 0, height / 4);
      attn_reading_release (reading, TRUE);
      g_assert_cmpfloat (ends[0], ==, mark->scale.low);
      g_assert_cmpfloat_with_epsilon (ends[1], 1.5 * mark->scale.high, 1e-9);
      g_assert_true (attn_viewport_is_fit (&attn_reading_get (reading).views->shared));
    }
  g_assert_cmpfloat (ends[1], >, 0);
}

/* Each baseline in the place of its panel, on the panels' scale, and the panels again. */
static void
test_baseline_is_shown (gpointer      *fixture,
                        gconstpointer  data)
{
  AttnGrid *grid = attn_reading_get (reading).grid;
  g_autoptr (AttnGrid) empty = attn_grid_new (1, 1);
  AttnStyle style = attn_style_default ();

  style.range = ATTN_RANGE_DATA;
  attn_reading_set_figure (reading, grid, &style);
  AttnScale scale = attn_scene_get_heatmap (attn_reading_get_places (reading).scene, 1)->scale;
  g_assert_true (attn_reading_show_baseline (reading, TRUE));
  g_assert_false (attn_reading_show_baseline (reading, TRUE));
  const AttnGridCell *cells = attn_reading_get (reading).grid->cells;
  for (gsize i = 0; i < 4; i++)
    g_assert_true (cells[i].panel == grid->cells[i].baseline);
  command (ATTN_COMMAND_MAXIMIZE, 0, 0);
  for (int i = 0; i < 2; i++)
    {
      const AttnMark *mark =
          attn_scene_get_heatmap (attn_reading_get_places (reading).scene, 0);

      g_assert_cmpfloat (mark->scale.low, ==, scale.low);
      g_assert_cmpfloat (mark->scale.high, ==, scale.high);
      command (ATTN_COMMAND_MAXIMIZE, 0, 0);
    }
  g_assert_true (attn_reading_show_baseline (reading, FALSE));
  g_assert_true (attn_reading_get (reading).grid == grid);
  attn_reading_set_figure (reading, empty, &style);
  g_assert_false (attn_reading_show_baseline (reading, TRUE));
}

/* Without a size there is no scene, and nothing that can be done fails. */
static void
test_without_a_screen (gpointer      *fixture,
                       gconstpointer  data)
{

  attn_reading_set_screen (reading, &(AttnScreen) { 0, 0, 1, { 0, 0, 0 } });
  g_assert_null (attn_reading_get_places (reading).scene);
  attn_reading_point (reading, TRUE, 5, 5);
  drag_by (5, 5, 20, 20);
  attn_reading_pinch (reading, 0, 5, 5);
  for (AttnCommand what = 0; what <= ATTN_COMMAND_ESCAPE; what++)
    command (what, 1, 1);
  attn_reading_click (reading, 5, 5, ATTN_CHOICE_ONE);
  attn_reading_double_click (reading, 5, 5);
  g_assert_null (attn_reading_get_places (reading).scene);
}

#define ADD(name, function) \
  g_test_add ("/reading/figure/" name, gpointer, NULL, set_up, function, tear_down)

/* A point on the label of a row, or a column. */
static void
locate_label (gboolean  is_column,
              guint     n,
              double   *x,
              double   *y)
{
  AttnPlaces places = attn_reading_get_places (reading);

  for (gsize i = 0; i < places.scene->marks->len; i++)
    {
      const AttnMark *mark = attn_scene_get_mark (places.scene, i);

      if (g_strcmp0 (mark->role, is_column ? "column-label" : "row-label") != 0 || n-- > 0)
        continue;
      *x = (mark->rectangle.x - (is_column ? 0 : 3)) * places.scale;
      *y = (mark->rectangle.y + (is_column ? 3 : -2)) * places.scale;
      return;
    }
  g_assert_not_reached ();
}

static void
assert_chosen (gboolean    is_column,
               const char *expected)
{
  const AttnSelection *selection = attn_reading_get (reading).selection;
  g_autofree char *chosen = attn_selection_to_string (selection, NULL);

  g_assert_cmpint (selection->is_column, ==, is_column);
  g_assert_cmpstr (chosen, ==, expected);
}

static void
assert_told (const char *expected)
{
  AttnReadingState state = attn_reading_get (reading);
  g_autoptr (AttnProfile) profile = attn_readout_new_profile (state.grid, state.selection);

  g_assert_nonnull (profile);
  attn_profile_read (profile, NULL);
  g_autofree char *told = attn_readout_describe_selection (state.grid, state.selection, profile);
  g_assert_cmpstr (told, ==, expected);
}

/* A label beside the panel stands for its row or column; dragging over labels chooses several,
 * whose sum and mean are told. */
static void
test_labels_choose (gpointer      *fixture,
                    gconstpointer  data)
{
  double x, y, to_x, to_y;

  for (guint is_column = 0; is_column < 2; is_column++)
    {
      locate_label (is_column, 3, &x, &y);
      attn_reading_press (reading, x, y, FALSE);
      attn_reading_release (reading, TRUE);
      attn_reading_click (reading, x, y, ATTN_CHOICE_ONE);
      assert_chosen (is_column, "3");
      attn_reading_point (reading, TRUE, x, y);
      g_assert_cmpstr (attn_reading_get_pointer_name (reading), ==, "pointer");

      locate_label (is_column, 5, &to_x, &to_y);
      attn_reading_click (reading, to_x, to_y, ATTN_CHOICE_TOGGLE);
      assert_chosen (is_column, "3,5");
      attn_reading_press (reading, x, y, FALSE);
      attn_reading_drag (reading, to_x - x, to_y - y);
      attn_reading_release (reading, TRUE);
      attn_reading_click (reading, to_x, to_y, ATTN_CHOICE_ONE);
      assert_chosen (is_column, "3-5");
    }
  /* Columns 3 to 5 of the panel below, 2 of the grid: 9, 8 and 7 queries see them with 0.24, 0.25
   * and 0.26; 9 queries see one of them at least. */
  g_assert_cmpint (attn_reading_get (reading).selection->group, ==, 2);
  assert_told ("Columns 3-5: sum 5.980, mean 0.6644 per row");
  g_assert_true (attn_reading_do (reading, ATTN_COMMAND_ESCAPE, 0, 0));
  assert_chosen (TRUE, "");
}

/* The second press of a double click on a label leaves what the first did, and the view. */
static void
test_double_click_on_label (gpointer      *fixture,
                            gconstpointer  data)
{
  double x, y;

  command (ATTN_COMMAND_ZOOM, 2, 0);
  for (guint is_column = 0; is_column < 2; is_column++)
    {
      locate_label (is_column, 5, &x, &y);
      attn_reading_press (reading, x, y, FALSE);
      attn_reading_release (reading, TRUE);
      attn_reading_click (reading, x, y, ATTN_CHOICE_ONE);
      g_autofree char *chosen =
          attn_selection_to_string (attn_reading_get (reading).selection, NULL);
      g_assert_cmpstr (chosen, !=, "");
      attn_reading_double_click (reading, x, y);
      assert_chosen (is_column, chosen);
      g_assert_false (attn_viewport_is_fit (&attn_reading_get (reading).views->shared));
    }
}

/* The same by keys: down for rows, to the right for columns. */
static void
test_keys_choose_columns (gpointer      *fixture,
                          gconstpointer  data)
{
  const AttnCellCursor cursor = { 0, 4, 1 };

  attn_reading_set_cursor (reading, &cursor);
  command (ATTN_COMMAND_EXTEND, 1, 0);
  assert_chosen (FALSE, "4-5");
  /* Rows 4 and 5: 0.15 and 0.21 over 6 keys. */
  assert_told ("Rows 4-5: sum 0.3600, mean 0.06000 per column");
  command (ATTN_COMMAND_EXTEND, 0, 1);
  command (ATTN_COMMAND_EXTEND, 0, 1);
  assert_chosen (TRUE, "1-3");
  command (ATTN_COMMAND_MOVE, 0, 1);
  assert_chosen (FALSE, "5");
}

static gboolean
keeps_token (gsize          input,
             AttnTokenLines lines,
             gsize          token)
{
  AttnReadingState state = attn_reading_get (reading);

  return attn_reading_keeps_token (&state, input, lines, token);
}

/* A token is read where something is done to it, not in the column of the baseline. */
static void
test_token_is_read_beside_the_baseline (gpointer      *fixture,
                                        gconstpointer  data)
{
  AttnStyle style = attn_style_default ();
  AttnCellCursor cursor = { 2, 7, 5 };
  g_autoptr (AttnGrid) grid = reading_fixture_grid ();

  grid->has_baseline_column = TRUE;
  attn_reading_set_figure (reading, grid, &style);
  attn_reading_point_token (reading, 0, ATTN_TOKEN_OF_BOTH, 5);
  AttnReadingState state = attn_reading_get (reading);
  g_assert_cmpint (attn_reading_get_line (&state).group, ==, 1);
  attn_reading_set_cursor (reading, &cursor);
  state = attn_reading_get (reading);
  g_assert_cmpint (attn_reading_get_line (&state).group, ==, 2);
}

/* Tokens pointed at and chosen where they are written, as far as the figure is of their input. */
static void
test_tokens_of_an_input (gpointer      *fixture,
                         gconstpointer  data)
{
  AttnStyle style = attn_style_default ();
  g_autoptr (AttnGrid) grid = reading_fixture_grid ();
  gsize index;

  for (gsize i = 0; i < 4; i++)
    grid->cells[i].input = i / 2;
  attn_reading_set_figure (reading, grid, &style);
  attn_reading_point_token (reading, 1, ATTN_TOKEN_OF_BOTH, 7);
  g_assert_cmpint (attn_reading_get (reading).token, ==, 7);
  g_assert_true (attn_reading_find_token (grid, 2, 1, 7, TRUE, &index));
  g_assert_cmpuint (index, ==, 7);
  g_assert_false (attn_reading_find_token (grid, 0, 1, 7, TRUE, &index));
  g_assert_false (attn_reading_find_token (grid, 2, 1, N_TOKENS, TRUE, &index));

  attn_reading_choose_tokens (reading, 1, ATTN_TOKEN_OF_BOTH, 8, 6);
  assert_chosen (TRUE, "6-8");
  g_assert_cmpint (attn_reading_get (reading).selection->group, ==, 2);
  g_assert_true (attn_reading_has_chosen (reading, 1, ATTN_TOKEN_OF_BOTH, 7));
  g_assert_false (attn_reading_has_chosen (reading, 0, ATTN_TOKEN_OF_BOTH, 7));
  g_assert_false (attn_reading_has_chosen (reading, 1, ATTN_TOKEN_OF_BOTH, 9));
  /* Beyond what is shown there is none. */
  attn_reading_choose_tokens (reading, 1, ATTN_TOKEN_OF_BOTH, 10, N_TOKENS + 5);
  assert_chosen (TRUE, "10-11");
  attn_reading_choose_tokens (reading, 2, ATTN_TOKEN_OF_BOTH, 0, 3);
  assert_chosen (TRUE, "10-11");

  /* The row of one is kept, and read at those that are pointed at. */
  g_assert_false (keeps_token (1, ATTN_TOKEN_OF_BOTH, 10));
  attn_reading_choose_tokens (reading, 1, ATTN_TOKEN_OF_BOTH, 8, 8);
  g_assert_true (keeps_token (1, ATTN_TOKEN_OF_BOTH, 8));
  g_assert_false (keeps_token (1, ATTN_TOKEN_OF_BOTH, 7));
  g_assert_false (keeps_token (0, ATTN_TOKEN_OF_BOTH, 8));
  attn_reading_point_token (reading, 1, ATTN_TOKEN_OF_BOTH, 5);
  g_assert_cmpuint (attn_reading_get (reading).hit->row, ==, 8);
  g_assert_cmpuint (attn_reading_get (reading).hit->column, ==, 5);
  attn_reading_point_token (reading, 1, ATTN_TOKEN_OF_BOTH, -1);
  g_assert_cmpuint (attn_reading_get (reading).hit->column, ==, 0);
  attn_reading_let_go (reading);
  g_assert_false (keeps_token (1, ATTN_TOKEN_OF_BOTH, 8));
  g_assert_null (attn_reading_get (reading).hit);

  /* Without one the token that is pointed at is read in its own row, as the tip at it tells it. */
  attn_reading_point_token (reading, 1, ATTN_TOKEN_OF_BOTH, 5);
  g_assert_cmpint (attn_reading_get (reading).hit->group, ==, 2);
  g_assert_cmpuint (attn_reading_get (reading).hit->row, ==, 5);
  g_assert_cmpuint (attn_reading_get (reading).hit->column, ==, 5);
  attn_reading_point_token (reading, 1, ATTN_TOKEN_OF_BOTH, -1);
  g_assert_null (attn_reading_get (reading).hit);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("hover-finds-every-cell", test_hover_finds_every_cell);
  ADD ("readout-of-masked-and-nan", test_readout_of_masked_and_nan);
  ADD ("readout-of-an-untouched-grid", test_readout_of_an_untouched_grid);
  ADD ("readout-of-a-map", test_readout_of_a_map);
  ADD ("readout-of-a-panel", test_readout_of_a_panel);
  ADD ("new-figure-is-read-at-once", test_new_figure_is_read_at_once);
  ADD ("cursor-is-kept-in-view", test_cursor_is_kept_in_view);
  ADD ("figure-keeps-what-is-read", test_figure_keeps_what_is_read);
  ADD ("cell-that-means-nothing-is-let-go", test_cell_that_means_nothing_is_let_go);
  ADD ("shorter-figure-has-what-is-chosen", test_shorter_figure_has_what_is_chosen);
  ADD ("token-is-read-beside-the-baseline", test_token_is_read_beside_the_baseline);
  ADD ("one-panel-moves-alone", test_one_panel_moves_alone);
  ADD ("panel-is-maximised-and-back", test_panel_is_maximised_and_back);
  ADD ("labels-choose", test_labels_choose);
  ADD ("double-click-on-label", test_double_click_on_label);
  ADD ("keys-choose-columns", test_keys_choose_columns);
  ADD ("tokens-of-an-input", test_tokens_of_an_input);
  ADD ("cells-of-whole-pixels", test_cells_of_whole_pixels);
  ADD ("rectangle-is-zoomed-to-and-back", test_rectangle_is_zoomed_to_and_back);
  ADD ("region-is-drawn-and-resized", test_region_is_drawn_and_resized);
  ADD ("region-and-pin-by-keys", test_region_and_pin_by_keys);
  ADD ("search-goes-to-tokens", test_search_goes_to_tokens);
  ADD ("region-is-given-up", test_region_is_given_up);
  ADD ("pointer-says-what-it-does", test_pointer_says_what_it_does);
  ADD ("double-click", test_double_click);
  ADD ("callout", test_callout);
  ADD ("label-of-a-cut-row", test_label_of_a_cut_row);
  ADD ("thumbnails", test_thumbnails);
  ADD ("atlas", test_atlas);
  ADD ("label-leaves-its-neighbours", test_label_leaves_its_neighbours);
  ADD ("map", test_map);
  ADD ("colour-bar-is-held", test_colour_bar_is_held);
  ADD ("baseline-is-shown", test_baseline_is_shown);
  ADD ("overlay", test_overlay);
  ADD ("overlay-of-pointer-and-region", test_overlay_of_pointer_and_region);
  ADD ("without-a-screen", test_without_a_screen);
  return g_test_run ();
}
