/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The letters of tokens on the colours of a row, over the whole scale of each colour map. */

#include "config.h"

#include "attn-contrast.h"
#include "attn-sentence-letters.h"

static double
get_contrast (AttnRgb a,
              AttnRgb b)
{
  double first = attn_contrast_get_luminance (a);
  double second = attn_contrast_get_luminance (b);

  return (MAX (first, second) + 0.05) / (MIN (first, second) + 0.05);
}

/* Chooses the letters on the colours of a map from @begin to @end, which have enough contrast on
 * grounds that are no other colours to the eye. */
static void
choose (AttnColormap colormap,
        gsize        begin,
        gsize        end,
        AttnRgb      letters[ATTN_COLORMAP_SIZE])
{
  const AttnRgb *table = attn_colormap_get_table (colormap, FALSE);
  gboolean is_used[ATTN_COLORMAP_SIZE] = { FALSE };
  AttnRgb grounds[ATTN_COLORMAP_SIZE];

  for (gsize i = 0; i < ATTN_COLORMAP_SIZE; i++)
    {
      grounds[i] = table[i];
      is_used[i] = i >= begin && i < end;
    }
  attn_sentence_letters_choose (grounds, is_used, ATTN_COLORMAP_SIZE, letters);
  for (gsize i = 0; i < ATTN_COLORMAP_SIZE; i++)
    {
      g_assert_cmpint (ABS (grounds[i].red - table[i].red), <=, is_used[i] ? 16 : 0);
      g_assert_cmpint (ABS (grounds[i].green - table[i].green), <=, is_used[i] ? 16 : 0);
      g_assert_cmpint (ABS (grounds[i].blue - table[i].blue), <=, is_used[i] ? 16 : 0);
      if (is_used[i])
        g_assert_cmpfloat (get_contrast (grounds[i], letters[i]), >=, 4.5);
    }
}

/* White letters stand on all that is darker than the darkest ground of black ones. */
static void
test_whole_scale (void)
{
  AttnRgb letters[ATTN_COLORMAP_SIZE];

  for (AttnColormap map = 0; map < ATTN_N_COLORMAPS; map++)
    {
      const AttnRgb *table = attn_colormap_get_table (map, FALSE);
      double lightest_under_white = 0, darkest_under_black = 1;

      choose (map, 0, ATTN_COLORMAP_SIZE, letters);
      for (gsize i = 0; i < ATTN_COLORMAP_SIZE; i++)
        {
          double luminance = attn_contrast_get_luminance (table[i]);

          if (letters[i].red > 0)
            lightest_under_white = MAX (lightest_under_white, luminance);
          else
            darkest_under_black = MIN (darkest_under_black, luminance);
        }
      g_assert_cmpfloat (lightest_under_white, <, darkest_under_black);
    }
}

/* Whatever neighbours of a map the tokens have: those as light as one another have one letter. */
static void
test_neighbours (void)
{
  AttnRgb letters[ATTN_COLORMAP_SIZE];

  for (AttnColormap map = 0; map < ATTN_N_COLORMAPS; map++)
    for (gsize begin = 0; begin < ATTN_COLORMAP_SIZE; begin++)
      {
        const AttnRgb *table = attn_colormap_get_table (map, FALSE);
        double least = 1, most = 0;

        for (gsize end = begin + 1; end <= ATTN_COLORMAP_SIZE; end++)
          {
            double luminance = attn_contrast_get_luminance (table[end - 1]);

            least = MIN (least, luminance);
            most = MAX (most, luminance);
            if (most - least > 0.04)
              break;
            choose (map, begin, end, letters);
            for (gsize i = begin; i < end; i++)
              g_assert_true (attn_rgb_equal (letters[i], letters[begin]));
          }
      }
}

/* Between two clouds of colours, the letters change in the gap and nowhere else. */
static void
test_change_is_in_the_gap (void)
{
  const AttnRgb *table = attn_colormap_get_table (ATTN_COLORMAP_GRAY, FALSE);
  gboolean is_used[ATTN_COLORMAP_SIZE] = { FALSE };
  AttnRgb grounds[ATTN_COLORMAP_SIZE], letters[ATTN_COLORMAP_SIZE];

  for (gsize i = 0; i < ATTN_COLORMAP_SIZE; i++)
    {
      grounds[i] = table[i];
      is_used[i] = i < 40 || (i >= 112 && i < 124) || i > 200;
    }
  attn_sentence_letters_choose (grounds, is_used, ATTN_COLORMAP_SIZE, letters);
  for (gsize i = 0; i < ATTN_COLORMAP_SIZE; i++)
    if (is_used[i])
      g_assert_cmpint (letters[i].red, ==, i <= 200 ? 255 : 0);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/reading/sentence-letters/whole-scale", test_whole_scale);
  g_test_add_func ("/reading/sentence-letters/neighbours", test_neighbours);
  g_test_add_func ("/reading/sentence-letters/change-is-in-the-gap", test_change_is_in_the_gap);
  return g_test_run ();
}
