/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The loader of parts of long panels, without a display: its owner never waits. */

#include "config.h"

#include "attn-part-loader.h"
#include "waiting.h"

#define N_CELLS ((gsize) 1300)

static GThread *main_thread;
static gint n_read;  /* atomic: rows */
static gint is_held; /* atomic: reading waits */
static guint n_told[ATTN_PART_N_KINDS];

typedef struct
{
  AttnPanel *panel;
  AttnPartLoader *loader;
} Fixture;

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
  while (g_atomic_int_get (&is_held) != 0)
    g_usleep (500);
  g_atomic_int_add (&n_read, (gint) n_rows);
  for (gsize i = 0; i < n_rows * N_CELLS; i++)
    rows[i] = get_value (first_row + i / N_CELLS, i % N_CELLS);
  return TRUE;
}

static void
told_cb (AttnPartKind kind,
         gpointer     user_data)
{
  g_assert_true (g_thread_self () == main_thread);
  g_assert_cmpuint (GPOINTER_TO_UINT (user_data), ==, 7);
  n_told[kind]++;
}

static void
set_up (Fixture       *fixture,
        gconstpointer  data)
{
  const AttnRowSource source = { read_rows, NULL, NULL };

  main_thread = g_thread_self ();
  attn_panel_set_max_cells (20000);
  fixture->panel =
      attn_panel_new_long (N_CELLS, N_CELLS, &source, ATTN_MASK_NONE, NULL, NULL, NULL);
  fixture->loader = attn_part_loader_new (told_cb, GUINT_TO_POINTER (7));
  g_atomic_int_set (&is_held, 0);
  g_assert_true (attn_panel_load (fixture->panel, NULL, NULL, NULL));
  g_atomic_int_set (&n_read, 0);
  n_told[ATTN_PART_ROWS] = n_told[ATTN_PART_TILES] = 0;
}

static void
tear_down (Fixture       *fixture,
           gconstpointer  data)
{
  g_clear_pointer (&fixture->loader, attn_part_loader_free);
  g_atomic_int_set (&is_held, 0);
  attn_part_loader_wait_for_all ();
  g_clear_pointer (&fixture->panel, attn_panel_unref);
  attn_panel_set_max_cells (0);
}

static void
request (Fixture      *fixture,
         AttnPartKind  kind,
         gsize         first,
         gsize         end)
{
  g_autoptr (GPtrArray) parts =
      g_ptr_array_new_with_free_func ((GDestroyNotify) attn_panel_part_free);
  const AttnSpan span = { first, end };
  const AttnPanelPart part = { attn_panel_ref (fixture->panel), 0, span, span };

  g_ptr_array_add (parts, g_memdup2 (&part, sizeof part));
  attn_part_loader_request (fixture->loader, kind, parts);
}

static gboolean
has_tile (Fixture *fixture,
          gsize    first,
          gsize    end)
{
  const AttnSpan span = { first, end };
  g_auto (AttnPanelTile) tile = { 0 };

  if (!attn_panel_get_tile (fixture->panel, 0, span, span, &tile))
    return FALSE;
  for (gsize row = first; row < end; row++)
    for (gsize column = first; column < end; column++)
      g_assert_cmpfloat (tile.values->data[(row - tile.first_row) * tile.values->shape[1] + column -
                                           tile.first_column],
                         ==, get_value (row, column));
  return TRUE;
}

/* With a fourth of it on every side, which is not read again. */
static void
test_tile_comes_with_a_margin (Fixture       *fixture,
                               gconstpointer  data)
{
  g_atomic_int_set (&is_held, 1);
  request (fixture, ATTN_PART_TILES, 600, 680);
  g_assert_false (has_tile (fixture, 600, 680));
  g_atomic_int_set (&is_held, 0);
  WAIT_UNTIL (n_told[ATTN_PART_TILES] == 1);
  g_assert_true (has_tile (fixture, 580, 700));
  gint n = g_atomic_int_get (&n_read);
  request (fixture, ATTN_PART_TILES, 590, 690);
  attn_part_loader_wait_for_all ();
  g_assert_cmpint (g_atomic_int_get (&n_read), ==, n);
  g_assert_cmpuint (n_told[ATTN_PART_TILES], ==, 1);
}

/* What is asked for while something is read replaces what was asked for and has not begun; rows
 * come first. */
static void
test_latest_wins (Fixture       *fixture,
                  gconstpointer  data)
{
  g_atomic_int_set (&is_held, 1);
  for (gsize i = 0; i < 12; i++)
    request (fixture, ATTN_PART_TILES, 100 * i, 100 * i + 60);
  request (fixture, ATTN_PART_ROWS, 3, 4);
  g_atomic_int_set (&is_held, 0);
  WAIT_UNTIL (n_told[ATTN_PART_ROWS] == 1);
  g_assert_cmpuint (n_told[ATTN_PART_TILES], ==, 1);
  g_assert_true (attn_panel_has_rows (fixture->panel, (AttnSpan) { 3, 4 }));
  WAIT_UNTIL (n_told[ATTN_PART_TILES] == 2);
  g_assert_true (has_tile (fixture, 1100, 1160));
  g_assert_false (has_tile (fixture, 500, 560));
}

/* A panel keeps only some rows: those that have gone come again. */
static void
test_rows_come_again (Fixture       *fixture,
                      gconstpointer  data)
{
  gsize row = 0;

  request (fixture, ATTN_PART_ROWS, 0, 1);
  WAIT_UNTIL (n_told[ATTN_PART_ROWS] == 1);
  for (guint n = 2; attn_panel_has_rows (fixture->panel, (AttnSpan) { 0, 1 }); n++)
    {
      row += ATTN_PANEL_BAND_ROWS;
      g_assert_cmpuint (row, <, N_CELLS);
      request (fixture, ATTN_PART_ROWS, row, row + 1);
      WAIT_UNTIL (n_told[ATTN_PART_ROWS] == n);
    }
  request (fixture, ATTN_PART_ROWS, 0, 1);
  attn_part_loader_wait_for_all ();
  g_assert_true (attn_panel_has_rows (fixture->panel, (AttnSpan) { 0, 1 }));
}

/* Of another figure nothing is on its way, even if its panels are the same. */
static void
test_forgotten_is_asked_again (Fixture       *fixture,
                               gconstpointer  data)
{
  g_atomic_int_set (&is_held, 1);
  request (fixture, ATTN_PART_ROWS, 0, 1);
  request (fixture, ATTN_PART_TILES, 700, 760);
  attn_part_loader_forget (fixture->loader);
  g_atomic_int_set (&is_held, 0);
  attn_part_loader_wait_for_all ();
  g_assert_cmpuint (n_told[ATTN_PART_TILES], ==, 0);
  request (fixture, ATTN_PART_TILES, 700, 760);
  attn_part_loader_wait_for_all ();
  g_assert_true (has_tile (fixture, 700, 760));
}

static void
test_nothing_is_heard_after_free (Fixture       *fixture,
                                  gconstpointer  data)
{
  g_atomic_int_set (&is_held, 1);
  request (fixture, ATTN_PART_ROWS, 0, 1);
  request (fixture, ATTN_PART_TILES, 200, 260);
  g_clear_pointer (&fixture->loader, attn_part_loader_free);
  g_atomic_int_set (&is_held, 0);
  attn_part_loader_wait_for_all ();
  g_assert_cmpuint (n_told[ATTN_PART_ROWS] + n_told[ATTN_PART_TILES], ==, 0);
  g_assert_false (has_tile (fixture, 200, 260));
}

#define ADD(name, function) \
  g_test_add ("/session/part-loader/" name, Fixture, NULL, set_up, function, tear_down)

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("tile-comes-with-a-margin", test_tile_comes_with_a_margin);
  ADD ("latest-wins", test_latest_wins);
  ADD ("rows-come-again", test_rows_come_again);
  ADD ("forgotten-is-asked-again", test_forgotten_is_asked_again);
  ADD ("nothing-is-heard-after-free", test_nothing_is_heard_after_free);
  return g_test_run ();
}
