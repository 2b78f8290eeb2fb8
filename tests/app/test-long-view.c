/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A long panel in a figure view: what is seen from near is read by another thread, and the view
 * goes on meanwhile. */

#include "config.h"

#include "app-fixture.h"
#include "attn-part-loader.h"
#include "attn-readout.h"

#define N_CELLS  ((gsize) 1300)
#define PATIENCE (20 * G_TIME_SPAN_SECOND)

static GtkWindow *window;
static AttnFigureView *view;
static AttnReading *reading;
static AttnPanel *panel;
static gint n_read;    /* atomic: rows */
static gint is_held;   /* atomic: reading waits */
static gint n_in_main; /* atomic: rows that the main thread read */
static GThread *main_thread;
static guint n_painted;

static float
get_value (gsize row,
           gsize column)
{
  return (float) ((row * 31 + column * 17) % 101) / 200;
}

static gboolean
read_rows (gpointer   data,
           gsize      first_row,
           gsize      n_rows,
           float     *rows,
           GError   **error)
{
  if (g_thread_self () == main_thread)
    g_atomic_int_add (&n_in_main, (gint) n_rows);
  else
    while (g_atomic_int_get (&is_held) != 0)
      g_usleep (500);
  g_atomic_int_add (&n_read, (gint) n_rows);
  for (gsize i = 0; i < n_rows * N_CELLS; i++)
    rows[i] = get_value (first_row + i / N_CELLS, i % N_CELLS);
  return TRUE;
}

static void
painted_cb (void)
{
  n_painted++;
}

/* The window has more pixels than the overview has cells, which is the first that is asked for. */
static void
wait_for_whole (void)
{
  const AttnSpan all = { 0, N_CELLS };
  gint64 begin = g_get_monotonic_time ();

  for (gboolean is_there = FALSE; !is_there;)
    {
      g_auto (AttnPanelTile) tile = { 0 };

      is_there = attn_panel_get_tile (panel, 1, all, all, &tile);
      g_assert_cmpint (g_get_monotonic_time () - begin, <, PATIENCE);
      g_main_context_iteration (NULL, FALSE);
      g_usleep (200);
    }
}

static void
set_up (gpointer      *fixture,
        gconstpointer  data)
{
  const AttnRowSource source = { read_rows, NULL, NULL };
  g_autoptr (AttnGrid) grid = attn_grid_new (1, 1);

  main_thread = g_thread_self ();
  attn_panel_set_max_cells (20000);
  panel = attn_panel_new_long (N_CELLS, N_CELLS, &source, ATTN_MASK_NONE, NULL, NULL, NULL);
  attn_panel_load (panel, NULL, NULL, NULL);
  grid->cells[0].panel = attn_panel_ref (panel);
  g_atomic_int_set (&is_held, 0);
  g_atomic_int_set (&n_read, 0);
  g_atomic_int_set (&n_in_main, 0);
  n_painted = 0;

  view = attn_figure_view_new ();
  reading = attn_figure_view_get_reading (view);
  g_signal_connect (view, "painted", painted_cb, NULL);
  window = open_figure_view (view, grid);
  wait_for_whole ();
}

static void
tear_down (gpointer      *fixture,
           gconstpointer  data)
{
  close_figure_view (window, view);
  g_atomic_int_set (&is_held, 0);
  attn_part_loader_wait_for_all ();
  g_clear_pointer (&panel, attn_panel_unref);
  attn_panel_set_max_cells (0);
}

/* Whether the cells of a viewport are there as they are; rows and columns alike. */
static gboolean
has_cells (const AttnViewport *viewport)
{
  AttnSpan rows = { (gsize) (viewport->y * N_CELLS),
                    (gsize) ((viewport->y + viewport->height) * N_CELLS) };
  AttnSpan columns = { (gsize) (viewport->x * N_CELLS),
                       (gsize) ((viewport->x + viewport->width) * N_CELLS) };
  g_auto (AttnPanelTile) tile = { 0 };

  if (!attn_panel_get_tile (panel, 0, rows, columns, &tile))
    return FALSE;
  for (gsize row = rows.first; row < rows.end; row++)
    for (gsize column = columns.first; column < columns.end; column++)
      g_assert_cmpfloat (tile.values->data[(row - tile.first_row) * tile.values->shape[1] + column -
                                           tile.first_column],
                         ==, get_value (row, column));
  return TRUE;
}

static void
wait_for_cells (const AttnViewport *viewport)
{
  gint64 begin = g_get_monotonic_time ();

  while (!has_cells (viewport))
    {
      g_assert_cmpint (g_get_monotonic_time () - begin, <, PATIENCE);
      g_main_context_iteration (NULL, FALSE);
      g_usleep (200);
    }
}

/* The view paints what it has, at once, and again when the cells are there. */
static void
test_seen_from_near (gpointer      *fixture,
                     gconstpointer  data)
{
  const AttnViewport viewport = { 0.5, 0.4, 0.1, 0.1 };
  guint n = n_painted;

  g_atomic_int_set (&is_held, 1);
  g_atomic_int_set (&n_in_main, 0);
  attn_reading_set_views (reading, &viewport, NULL);
  gtk_test_widget_wait_for_draw (GTK_WIDGET (view));
  g_assert_cmpuint (n_painted, ==, n + 1);
  g_assert_false (has_cells (&viewport));
  g_atomic_int_set (&is_held, 0);
  wait_for_cells (&viewport);
  WAIT_UNTIL (n_painted != n + 1);
  g_assert_cmpint (g_atomic_int_get (&n_in_main), ==, 0);

  /* A small step is there already, and nothing is read twice. */
  gint n_before = g_atomic_int_get (&n_read);
  const AttnViewport next = { 0.51, 0.41, 0.1, 0.1 };
  attn_reading_set_views (reading, &next, NULL);
  gtk_test_widget_wait_for_draw (GTK_WIDGET (view));
  g_assert_true (has_cells (&next));
  g_assert_cmpint (g_atomic_int_get (&n_read), ==, n_before);
}

/* However many parts are passed over meanwhile, the last one comes, and few others are read. */
static void
test_latest_wins (gpointer      *fixture,
                  gconstpointer  data)
{
  AttnViewport viewport = { 0, 0, 0.05, 0.05 };

  g_atomic_int_set (&is_held, 1);
  for (guint i = 0; i < 12; i++)
    {
      viewport.x = viewport.y = 0.07 * i;
      attn_reading_set_views (reading, &viewport, NULL);
      gtk_test_widget_wait_for_draw (GTK_WIDGET (view));
    }
  gint n_before = g_atomic_int_get (&n_read);
  g_atomic_int_set (&is_held, 0);
  wait_for_cells (&viewport);
  /* The first and the last part, at most three bands each. */
  g_assert_cmpint (g_atomic_int_get (&n_read) - n_before, <=, 6 * (gint) ATTN_PANEL_BAND_ROWS);
}

/* A view that goes away while its worker reads. */
static void
test_closed_meanwhile (gpointer      *fixture,
                       gconstpointer  data)
{
  const AttnViewport viewport = { 0.2, 0.2, 0.05, 0.05 };

  g_atomic_int_set (&is_held, 1);
  attn_reading_set_views (reading, &viewport, NULL);
  gtk_test_widget_wait_for_draw (GTK_WIDGET (view));
}

static void
told_cb (guint *n_told)
{
  ++*n_told;
}

static void
wait_for_value (const char *expected)
{
  gint64 begin = g_get_monotonic_time ();

  for (;;)
    {
      g_autofree char *value = attn_readout_describe_value (attn_reading_get (reading).grid,
                                                            attn_reading_get (reading).hit);

      if (g_str_has_prefix (value, expected))
        return;
      g_assert_cmpint (g_get_monotonic_time () - begin, <, PATIENCE);
      g_main_context_iteration (NULL, FALSE);
      g_usleep (200);
    }
}

/* A cell whose row is not there is read by another thread: meanwhile it has no value, and who shows
 * the value is told when it does. */
static void
test_read_by_the_worker (gpointer      *fixture,
                         gconstpointer  data)
{
  const AttnCellCursor cursor = { 0, 1200, 77 };
  guint n_told = 0;
  g_autofree char *number = attn_readout_format_number (get_value (cursor.row, cursor.column));
  g_autofree char *expected = g_strdup_printf ("weight %s", number);

  g_atomic_int_set (&is_held, 1);
  g_atomic_int_set (&n_in_main, 0);
  g_signal_connect_swapped (reading, "hit-changed", G_CALLBACK (told_cb), &n_told);
  attn_reading_set_cursor (reading, &cursor);
  g_assert_cmpuint (n_told, ==, 1);
  wait_for_value ("…");
  g_atomic_int_set (&is_held, 0);
  wait_for_value (expected);
  WAIT_UNTIL (n_told != 1);
  g_assert_cmpint (g_atomic_int_get (&n_in_main), ==, 0);
  g_signal_handlers_disconnect_by_data (reading, &n_told);
}

/* More rows under a pixel than can be there at once are not read, again and again, and their first
 * cell is not taken for the largest. */
static void
test_too_many_under_a_pixel (gpointer      *fixture,
                             gconstpointer  data)
{
  AttnGrid *grid = attn_reading_get (reading).grid;
  AttnHit hit = { 0, 0, 0, 700, 700, 0, TRUE };
  g_autofree char *many = attn_readout_describe_value (grid, &hit);
  hit.n_rows = 300;
  g_autofree char *some = attn_readout_describe_value (grid, &hit);

  g_assert_false (attn_panel_can_keep_rows (panel, (AttnSpan) { 0, 700 }));
  g_assert_true (attn_panel_can_keep_rows (panel, (AttnSpan) { 100, 400 }));
  g_assert_nonnull (strstr (many, "700 × 700"));
  g_assert_cmpstr (some, ==, "…");
}

/* Labels of pins in many bands are drawn without their rows being read. */
static void
test_pins_are_drawn_unread (gpointer      *fixture,
                            gconstpointer  data)
{
  AttnStyle style = attn_style_default ();
  g_autoptr (AttnGrid) grid = attn_grid_new (1, 1);
  char name[] = "Pin";

  grid->cells[0].panel = attn_panel_ref (panel);
  for (gsize row = 50; row < N_CELLS; row += ATTN_PANEL_BAND_ROWS)
    {
      const AttnRegion pin = { name, row, row, 7, 7, TRUE };

      attn_grid_add_region (grid, 0, 0, &pin);
      g_assert_cmpfloat (grid->cells[0].regions[grid->cells[0].n_regions - 1].value, ==,
                         get_value (row, 7));
    }
  g_atomic_int_set (&n_in_main, 0);
  attn_reading_set_figure (reading, grid, &style);
  gtk_test_widget_wait_for_draw (GTK_WIDGET (view));
  gsize n_labels = 0;
  const AttnScene *scene = attn_reading_get_places (reading).scene;
  for (gsize i = 0; i < scene->marks->len; i++)
    n_labels += g_strcmp0 (attn_scene_get_mark (scene, i)->role, "pin-label") == 0;
  g_assert_cmpuint (n_labels, >=, grid->cells[0].n_regions);
  g_assert_cmpint (g_atomic_int_get (&n_in_main), ==, 0);
}

static gsize
count_numbers (void)
{
  const AttnScene *scene = attn_reading_get_places (reading).scene;
  gsize n = 0;

  for (gsize i = 0; i < scene->marks->len; i++)
    n += g_strcmp0 (attn_scene_get_mark (scene, i)->role, "value") == 0;
  return n;
}

/* The numbers in cells that are seen from very near come when the worker has read them. */
static void
test_numbers_are_read_by_the_worker (gpointer      *fixture,
                                     gconstpointer  data)
{
  const AttnViewport viewport = { 0.5, 0.4, 0.004, 0.004 };
  gint64 begin = g_get_monotonic_time ();

  g_atomic_int_set (&is_held, 1);
  g_atomic_int_set (&n_in_main, 0);
  attn_reading_set_views (reading, &viewport, NULL);
  gtk_test_widget_wait_for_draw (GTK_WIDGET (view));
  g_assert_cmpuint (count_numbers (), ==, 0);
  g_atomic_int_set (&is_held, 0);
  while (count_numbers () == 0)
    {
      g_assert_cmpint (g_get_monotonic_time () - begin, <, PATIENCE);
      g_main_context_iteration (NULL, FALSE);
      g_usleep (200);
    }
  g_assert_cmpint (g_atomic_int_get (&n_in_main), ==, 0);
}

#define ADD(name, function) \
  g_test_add ("/app/long-view/" name, gpointer, NULL, set_up, function, tear_down)

int
main (int    argc,
      char **argv)
{
  fixture_init (&argc, &argv);
  ADD ("seen-from-near", test_seen_from_near);
  ADD ("latest-wins", test_latest_wins);
  ADD ("read-by-the-worker", test_read_by_the_worker);
  ADD ("numbers-are-read-by-the-worker", test_numbers_are_read_by_the_worker);
  ADD ("too-many-under-a-pixel", test_too_many_under_a_pixel);
  ADD ("pins-are-drawn-unread", test_pins_are_drawn_unread);
  ADD ("closed-meanwhile", test_closed_meanwhile);
  return g_test_run ();
}
