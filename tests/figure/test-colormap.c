/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Colour maps against the values that are published for them. */

#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attn-error.h"
#include "attn-style.h"

static void
assert_near (AttnRgb color,
             int     red,
             int     green,
             int     blue,
             int     tolerance)
{
  g_assert_cmpint (abs (color.red - red), <=, tolerance);
  g_assert_cmpint (abs (color.green - green), <=, tolerance);
  g_assert_cmpint (abs (color.blue - blue), <=, tolerance);
}

static void
test_published (void)
{
  /* Points inside of a map fall between two of its 256 entries, which differ by up to 2 of 255. */
  assert_near (attn_colormap_get (ATTN_COLORMAP_COOLWARM, 0), 59, 76, 192, 0);
  assert_near (attn_colormap_get (ATTN_COLORMAP_COOLWARM, 0.5), 221, 221, 221, 2);
  assert_near (attn_colormap_get (ATTN_COLORMAP_COOLWARM, 1), 180, 4, 38, 0);
  assert_near (attn_colormap_get (ATTN_COLORMAP_COOLWARM, 0.25), 141, 176, 254, 2);
  assert_near (attn_colormap_get (ATTN_COLORMAP_COOLWARM, 0.75), 244, 154, 123, 2);
  assert_near (attn_colormap_get (ATTN_COLORMAP_BLUES, 0), 247, 251, 255, 0);
  assert_near (attn_colormap_get (ATTN_COLORMAP_BLUES, 1), 8, 48, 107, 0);
  assert_near (attn_colormap_get (ATTN_COLORMAP_VIRIDIS, 0), 68, 1, 84, 0);
  assert_near (attn_colormap_get (ATTN_COLORMAP_VIRIDIS, 0.5), 33, 145, 140, 1);
  assert_near (attn_colormap_get (ATTN_COLORMAP_VIRIDIS, 1), 253, 231, 37, 0);
  assert_near (attn_colormap_get (ATTN_COLORMAP_MAGMA, 0), 0, 0, 4, 0);
  assert_near (attn_colormap_get (ATTN_COLORMAP_MAGMA, 0.5), 183, 55, 121, 1);
  assert_near (attn_colormap_get (ATTN_COLORMAP_MAGMA, 1), 252, 253, 191, 0);
  assert_near (attn_colormap_get (ATTN_COLORMAP_CIVIDIS, 0), 0, 34, 78, 0);
  assert_near (attn_colormap_get (ATTN_COLORMAP_CIVIDIS, 0.5), 125, 124, 120, 1);
  assert_near (attn_colormap_get (ATTN_COLORMAP_CIVIDIS, 1), 254, 232, 56, 0);
  assert_near (attn_colormap_get (ATTN_COLORMAP_RDBU, 0), 103, 0, 31, 0);
  assert_near (attn_colormap_get (ATTN_COLORMAP_RDBU, 0.5), 247, 247, 247, 1);
  assert_near (attn_colormap_get (ATTN_COLORMAP_RDBU, 1), 5, 48, 97, 0);
  for (int i = 0; i < ATTN_COLORMAP_SIZE; i++)
    assert_near (attn_colormap_get_table (ATTN_COLORMAP_GRAY)[i], i, i, i, 0);
}

/* Relative luminance, sRGB. */
static double
get_luminance (AttnRgb color)
{
  const double weights[3] = { 0.2126, 0.7152, 0.0722 };
  const guint8 channels[3] = { color.red, color.green, color.blue };
  double sum = 0;

  for (int i = 0; i < 3; i++)
    sum += weights[i] * pow (channels[i] / 255.0, 2.2);
  return sum;
}

static void
test_sequential_is_monotone (void)
{
  const struct
  {
    AttnColormap colormap;
    int direction;
  } maps[] = {
    { ATTN_COLORMAP_BLUES, -1 }, { ATTN_COLORMAP_VIRIDIS, 1 }, { ATTN_COLORMAP_MAGMA, 1 },
    { ATTN_COLORMAP_CIVIDIS, 1 }, { ATTN_COLORMAP_GRAY, 1 },
  };

  for (guint m = 0; m < G_N_ELEMENTS (maps); m++)
    {
      const AttnRgb *table = attn_colormap_get_table (maps[m].colormap);

      /* A step of luminance is about 1/256; rounding to 8 bits takes back less than half of it. */
      for (guint i = 1; i < ATTN_COLORMAP_SIZE; i++)
        g_assert_cmpfloat (maps[m].direction *
                               (get_luminance (table[i]) - get_luminance (table[i - 1])),
                           >=, -0.002);
    }
}

static void
test_beyond_the_range (void)
{
  for (guint m = 0; m < ATTN_N_COLORMAPS; m++)
    {
      const AttnRgb *table = attn_colormap_get_table (m);

      g_assert_true (attn_rgb_equal (attn_colormap_get (m, -3), table[0]));
      g_assert_true (attn_rgb_equal (attn_colormap_get (m, -INFINITY), table[0]));
      g_assert_true (attn_rgb_equal (attn_colormap_get (m, 1.5), table[255]));
      g_assert_true (attn_rgb_equal (attn_colormap_get (m, INFINITY), table[255]));
      g_assert_true (attn_rgb_equal (attn_colormap_get (m, NAN), ATTN_COLOR_NAN));
      for (guint i = 0; i < ATTN_COLORMAP_SIZE; i++)
        {
          g_assert_true (attn_rgb_equal (attn_colormap_get (m, (i + 0.5) / 256), table[i]));
          /* What is not a number cannot be taken for a number. */
          g_assert_cmpint (abs (table[i].red - ATTN_COLOR_NAN.red) +
                           abs (table[i].green - ATTN_COLOR_NAN.green) +
                           abs (table[i].blue - ATTN_COLOR_NAN.blue), >, 60);
        }
    }
}

static void
test_names (void)
{
  AttnColormap colormap;
  g_autoptr (GError) error = NULL;

  for (guint m = 0; m < ATTN_N_COLORMAPS; m++)
    {
      g_assert_true (attn_colormap_parse (attn_colormap_get_name (m), &colormap, NULL));
      g_assert_cmpuint (colormap, ==, m);
    }
  g_assert_true (attn_colormap_parse ("VIRIDIS", &colormap, NULL));
  g_assert_false (attn_colormap_parse ("jet", &colormap, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
  g_assert_nonnull (strstr (error->message, "jet"));
  g_assert_nonnull (strstr (error->message, "coolwarm, Blues, viridis"));
}

static void
test_style_range (void)
{
  AttnStyle style = attn_style_default ();
  const AttnRgb *table = attn_colormap_get_table (style.colormap);

  style.low = -2;
  style.high = 2;
  g_assert_true (attn_rgb_equal (attn_style_get_color (&style, 0), table[128]));
  g_assert_true (attn_rgb_equal (attn_style_get_color (&style, 2), table[255]));
  style.high = style.low;
  g_assert_true (attn_rgb_equal (attn_style_get_color (&style, -3), table[0]));
  g_assert_true (attn_rgb_equal (attn_style_get_color (&style, -2), table[255]));
  g_assert_true (attn_rgb_equal (attn_style_get_color (&style, NAN), ATTN_COLOR_NAN));
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/figure/colormap/published-values", test_published);
  g_test_add_func ("/figure/colormap/sequential-maps-are-monotone", test_sequential_is_monotone);
  g_test_add_func ("/figure/colormap/beyond-the-range", test_beyond_the_range);
  g_test_add_func ("/figure/colormap/names", test_names);
  g_test_add_func ("/figure/colormap/style-range", test_style_range);
  return g_test_run ();
}
