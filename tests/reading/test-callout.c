/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What is drawn around a cell that is read leaves the titles of panels alone. */

#include "config.h"

#include "attn-callout.h"
#include "reading-fixture.h"

#define N_ROWS    3
#define N_COLUMNS 4

static AttnGrid *
make_grid (gboolean has_headings)
{
  AttnGrid *grid = attn_grid_new (N_ROWS, N_COLUMNS);

  for (gsize i = 0; i < N_ROWS * N_COLUMNS; i++)
    {
      grid->cells[i].panel = reading_fixture_panel (0);
      grid->cells[i].title = g_strdup ("Modifying <i>Query</i> with ε");
      grid->cells[i].name = g_strdup_printf ("Input %zu, Query", i + 1);
    }
  if (!has_headings)
    return grid;
  grid->row_headings = g_strsplit ("Query,Key,Value", ",", 0);
  grid->column_headings = g_strsplit ("Input 1,Input 2,Input 3,Input 4", ",", 0);
  return grid;
}

static gboolean
is_touched (cairo_surface_t     *surface,
            const AttnRectangle *box)
{
  const unsigned char *data = cairo_image_surface_get_data (surface);
  int stride = cairo_image_surface_get_stride (surface);

  for (int y = (int) box->y + 1; y < (int) (box->y + box->height); y++)
    for (int x = (int) box->x + 1; x < (int) (box->x + box->width); x++)
      if (((const guint32 *) (const void *) (data + y * stride))[x] != 0)
        return TRUE;
  return FALSE;
}

/* Points at a cell of each panel, and checks that no title is touched. Returns the number of
 * titles. */
static guint
check_titles (AttnReading *reading,
              int          width,
              int          height)
{
  AttnPlaces places = attn_reading_get_places (reading);
  g_autoptr (GArray) titles = attn_places_list_titles (&places);

  for (int group = 0; group < N_ROWS * N_COLUMNS; group++)
    for (gsize row = 0; row < N_TOKENS; row += 3)
      {
        cairo_surface_t *surface =
            cairo_image_surface_create (CAIRO_FORMAT_ARGB32, width, height);
        cairo_t *cr = cairo_create (surface);
        AttnRectangle cell;

        g_assert_true (attn_places_get_cell (&places, (AttnCellCursor) { group, row, 0 }, &cell));
        attn_reading_point (reading, TRUE, cell.x + cell.width / 2, cell.y + cell.height / 2);
        g_assert_nonnull (attn_reading_get (reading).hit);
        attn_callout_draw (reading, cr);
        cairo_surface_flush (surface);
        for (guint i = 0; i < titles->len; i++)
          g_assert_false (is_touched (surface, &g_array_index (titles, AttnRectangle, i)));
        cairo_destroy (cr);
        cairo_surface_destroy (surface);
      }
  return titles->len;
}

/* In a window of any size that has titles or headings, twelve panels among them. */
static void
test_titles_are_left_alone (void)
{
  guint n_titles = 0;

  for (int has_headings = 0; has_headings < 2; has_headings++)
    for (int height = 300; height <= 700; height += 50)
      {
        g_autoptr (AttnReading) reading = attn_reading_new ();
        g_autoptr (AttnGrid) grid = make_grid (has_headings);
        AttnStyle style = attn_style_default ();
        int width = height * 4 / 3;

        attn_reading_set_screen (reading, &(AttnScreen) { width, height, 1, { 0, 0, 0 } });
        attn_reading_set_figure (reading, grid, &style);
        attn_reading_set_readout (reading, "L1 H2");
        n_titles += check_titles (reading, width, height);
      }
  g_assert_cmpuint (n_titles, >, 0);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/reading/callout/titles-are-left-alone", test_titles_are_left_alone);
  return g_test_run ();
}
