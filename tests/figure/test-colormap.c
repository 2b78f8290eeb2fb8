/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Colour maps against the values that are published for them. */

#include "config.h"

#include <glib/gstdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attn-error.h"
#include "attn-style.h"
#include "figure-fixture.h"

/* Of 256 equal parts between 0 and 1. */
static AttnRgb
get_color (AttnColormap colormap,
           double       position)
{
  return attn_colormap_get_table (colormap, FALSE)[(guint) MIN (position * 256, 255)];
}

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
  assert_near (get_color (ATTN_COLORMAP_COOLWARM, 0), 59, 76, 192, 0);
  assert_near (get_color (ATTN_COLORMAP_COOLWARM, 0.5), 221, 221, 221, 2);
  assert_near (get_color (ATTN_COLORMAP_COOLWARM, 1), 180, 4, 38, 0);
  assert_near (get_color (ATTN_COLORMAP_COOLWARM, 0.25), 141, 176, 254, 2);
  assert_near (get_color (ATTN_COLORMAP_COOLWARM, 0.75), 244, 154, 123, 2);
  assert_near (get_color (ATTN_COLORMAP_BLUES, 0), 247, 251, 255, 0);
  assert_near (get_color (ATTN_COLORMAP_BLUES, 1), 8, 48, 107, 0);
  assert_near (get_color (ATTN_COLORMAP_VIRIDIS, 0), 68, 1, 84, 0);
  assert_near (get_color (ATTN_COLORMAP_VIRIDIS, 0.5), 33, 145, 140, 1);
  assert_near (get_color (ATTN_COLORMAP_VIRIDIS, 1), 253, 231, 37, 0);
  assert_near (get_color (ATTN_COLORMAP_MAGMA, 0), 0, 0, 4, 0);
  assert_near (get_color (ATTN_COLORMAP_MAGMA, 0.5), 183, 55, 121, 1);
  assert_near (get_color (ATTN_COLORMAP_MAGMA, 1), 252, 253, 191, 0);
  assert_near (get_color (ATTN_COLORMAP_CIVIDIS, 0), 0, 34, 78, 0);
  assert_near (get_color (ATTN_COLORMAP_CIVIDIS, 0.5), 125, 124, 120, 1);
  assert_near (get_color (ATTN_COLORMAP_CIVIDIS, 1), 254, 232, 56, 0);
  assert_near (get_color (ATTN_COLORMAP_RDBU, 0), 103, 0, 31, 0);
  assert_near (get_color (ATTN_COLORMAP_RDBU, 0.5), 247, 247, 247, 1);
  assert_near (get_color (ATTN_COLORMAP_RDBU, 1), 5, 48, 97, 0);
  for (int i = 0; i < ATTN_COLORMAP_SIZE; i++)
    assert_near (attn_colormap_get_table (ATTN_COLORMAP_GRAY, FALSE)[i], i, i, i, 0);
}

static void
test_sequential_is_monotone (void)
{
  const struct
  {
    AttnColormap colormap;
    int direction;
  } maps[] = {
    { ATTN_COLORMAP_BLUES, -1 },
    { ATTN_COLORMAP_VIRIDIS, 1 },
    { ATTN_COLORMAP_MAGMA, 1 },
    { ATTN_COLORMAP_CIVIDIS, 1 },
    { ATTN_COLORMAP_GRAY, 1 },
  };

  for (guint m = 0; m < G_N_ELEMENTS (maps); m++)
    {
      const AttnRgb *table = attn_colormap_get_table (maps[m].colormap, FALSE);

      /* A step of luminance is about 1/256; rounding to 8 bits takes back less than half of it. */
      for (guint i = 1; i < ATTN_COLORMAP_SIZE; i++)
        g_assert_cmpfloat (maps[m].direction *
                               (get_luminance (table[i]) - get_luminance (table[i - 1])),
                           >=, -0.002);
    }
}

static void
test_color_of_nan (void)
{
  for (guint m = 0; m < ATTN_N_COLORMAPS; m++)
    {
      const AttnRgb *table = attn_colormap_get_table (m, FALSE);

      for (guint i = 0; i < ATTN_COLORMAP_SIZE; i++)
        {
          /* What is not a number cannot be taken for a number. */
          g_assert_cmpint (abs (table[i].red - ATTN_COLOR_NAN.red) +
                               abs (table[i].green - ATTN_COLOR_NAN.green) +
                               abs (table[i].blue - ATTN_COLOR_NAN.blue),
                           >, 60);
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
  const AttnRgb *table = attn_colormap_get_table (style.colormap, FALSE);

  style.low = -2;
  style.high = 2;
  g_assert_true (attn_rgb_equal (get_style_color (&style, 0), table[128]));
  g_assert_true (attn_rgb_equal (get_style_color (&style, 2), table[255]));
  style.high = style.low;
  g_assert_true (attn_rgb_equal (get_style_color (&style, -3), table[0]));
  g_assert_true (attn_rgb_equal (get_style_color (&style, -2), table[255]));
  g_assert_true (attn_rgb_equal (get_style_color (&style, NAN), ATTN_COLOR_NAN));
}

static void
test_reversed (void)
{
  AttnStyle style = attn_style_default ();

  for (guint m = 0; m < ATTN_N_COLORMAPS; m++)
    {
      const AttnRgb *table = attn_colormap_get_table (m, FALSE);
      const AttnRgb *reversed = attn_colormap_get_table (m, TRUE);

      for (guint i = 0; i < ATTN_COLORMAP_SIZE; i++)
        g_assert_true (attn_rgb_equal (table[i], reversed[ATTN_COLORMAP_SIZE - 1 - i]));
    }
  style.is_reversed = TRUE;
  assert_near (get_style_color (&style, 1), 59, 76, 192, 0);
  assert_near (get_style_color (&style, 0), 180, 4, 38, 0);
}

static void
test_csv (void)
{
  const char *fractions = "0,0,0\n0.5,0.25,0\n1,1,1\n";
  const char *bytes = "\xef\xbb\xbfred;green;blue\r\n# a comment\r\n\r\n0;0;0\r\n255;0;128\r\n";
  const char *blanks = "0  0 255\n 255\t255 0";
  AttnColormap colormap, again, other;
  AttnStyle style = attn_style_default ();
  GError *error = NULL;

  g_assert_true (attn_colormap_parse_csv ("a.csv", fractions, strlen (fractions), &colormap,
                                          &error));
  g_assert_no_error (error);
  g_assert_cmpuint (colormap, >=, ATTN_N_COLORMAPS);
  assert_near (get_color (colormap, 0), 0, 0, 0, 0);
  assert_near (get_color (colormap, 1), 255, 255, 255, 0);
  /* The middle falls between two entries. */
  assert_near (get_color (colormap, 0.5), 128, 64, 0, 1);
  assert_near (get_color (colormap, 0.25), 64, 32, 0, 1);
  g_assert_cmpstr (attn_colormap_get_name (colormap), ==, "a.csv");
  style.colormap = colormap;
  assert_near (get_style_color (&style, 1), 255, 255, 255, 0);

  /* Once more is the same map; other colours are another, and take over the name. */
  g_assert_true (attn_colormap_parse_csv ("a.csv", fractions, strlen (fractions), &again, &error));
  g_assert_cmpuint (again, ==, colormap);
  g_assert_true (attn_colormap_parse_csv ("a.csv", bytes, strlen (bytes), &other, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (other, !=, colormap);
  assert_near (get_color (other, 1), 255, 0, 128, 0);
  assert_near (get_color (colormap, 1), 255, 255, 255, 0);
  g_assert_true (attn_colormap_parse ("A.CSV", &again, NULL));
  g_assert_cmpuint (again, ==, other);
  g_assert_true (attn_colormap_parse_csv ("b.csv", blanks, strlen (blanks), &other, &error));
  assert_near (get_color (other, 0), 0, 0, 255, 0);
  assert_near (get_color (other, 1), 255, 255, 0, 0);

  /* 256 colours come back as they are: a study can carry the table of a map. */
  double colors[ATTN_COLORMAP_SIZE][3];
  const AttnRgb *viridis = attn_colormap_get_table (ATTN_COLORMAP_VIRIDIS, FALSE);
  for (guint i = 0; i < ATTN_COLORMAP_SIZE; i++)
    {
      colors[i][0] = viridis[i].red / 255.0;
      colors[i][1] = viridis[i].green / 255.0;
      colors[i][2] = viridis[i].blue / 255.0;
    }
  g_assert_true (attn_colormap_register ("copy", colors[0], ATTN_COLORMAP_SIZE, &other, &error));
  g_assert_cmpmem (attn_colormap_get_table (other, FALSE), ATTN_COLORMAP_SIZE * sizeof (AttnRgb),
                   viridis, ATTN_COLORMAP_SIZE * sizeof (AttnRgb));
  g_assert_false (attn_colormap_register ("Viridis", colors[0], 2, &other, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
  g_clear_error (&error);
}

static void
test_hostile_csv (void)
{
  const struct
  {
    const char *text;
    gsize length; /* 0: up to the null byte */
    const char *said;
  } cases[] = {
    { "", 0, "found 0 colours" },
    { "0,0,0\n", 0, "found 1 colours" },
    { "r,g,b\n", 0, "found 0 colours" },
    { "0,0,0\n1,1\n", 0, "line 2: found “1,1”" },
    { "0,0,0\n1,1,1,1\n", 0, "line 2" },
    { "0,0,0\n\n# x\n1,x,1\n", 0, "line 4: found “x”" },
    { "r,g,b\nr,g,b\n0,0,0\n", 0, "line 2: found “r”" },
    { "0,0,0\n1,nan,1\n", 0, "line 2: found “nan”" },
    { "0,0,0\n1,inf,1\n", 0, "line 2: found “inf”" },
    { "0,0,0\n1,1e999,1\n", 0, "line 2: found “1e999”" },
    { "0,0,0\n1,0x1,1\n", 0, "line 2: found “0x1”" },
    { "0,0,0\n-0.1,0,0\n", 0, "line 2: found “-0.1”" },
    { "0,0,0\n256,0,0\n", 0, "line 2: found “256”" },
    { "0,0.5,0\n1.5,0,0\n", 0, "line 2: found “1.5”" },
    { "0,0,0\n0,\xff\xfe,0\n", 0, "line 2" },
    { "0,0,0\n0,0,0\0,1\n", 16, "line 2" },
    { "0,0,0\n0 0 0 0\n", 0, "line 2" },
    { "0,,0\n", 0, "line 1" },
  };
  g_autoptr (GString) many = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      gsize length = cases[i].length > 0 ? cases[i].length : strlen (cases[i].text);
      AttnColormap colormap = ATTN_COLORMAP_GRAY;
      g_autoptr (GError) error = NULL;

      g_assert_false (attn_colormap_parse_csv ("bad.csv", cases[i].text, length, &colormap,
                                               &error));
      g_assert_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT);
      g_assert_true (g_str_has_prefix (error->message, "bad.csv: "));
      g_assert_nonnull (strstr (error->message, cases[i].said));
      g_assert_true (g_utf8_validate (error->message, -1, NULL));
      g_assert_cmpuint (colormap, ==, ATTN_COLORMAP_GRAY);
    }

  AttnColormap colormap;
  for (guint i = 0; i < ATTN_COLORMAP_MAX_COLORS; i++)
    g_string_append_printf (many, "%u,0,0\n", i * 255 / (ATTN_COLORMAP_MAX_COLORS - 1));
  g_assert_true (attn_colormap_parse_csv ("many.csv", many->str, many->len, &colormap, NULL));
  assert_near (get_color (colormap, 0.5), 128, 0, 0, 1);
  g_string_append (many, "0,0,0\n");
  g_autoptr (GError) error = NULL;
  g_assert_false (attn_colormap_parse_csv ("many.csv", many->str, many->len, &colormap, &error));
  g_assert_nonnull (strstr (error->message, "line 4097"));
}

static void
test_csv_file (void)
{
  g_autofree char *directory = g_dir_make_tmp ("attn-figure-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (directory, "map.csv", NULL);
  g_autofree char *pipe = g_build_filename (directory, "pipe.csv", NULL);
  AttnColormap colormap;
  GError *error = NULL;

  g_assert_true (g_file_set_contents (path, "0,0,0\n0,0,1\n", -1, NULL));
  g_assert_true (attn_colormap_load_csv (path, &colormap, &error));
  g_assert_no_error (error);
  assert_near (get_color (colormap, 1), 0, 0, 255, 0);
  g_assert_cmpstr (attn_colormap_get_name (colormap), ==, path);

  g_assert_cmpint (truncate (path, 1024 * 1024 + 1), ==, 0);
  g_assert_false (attn_colormap_load_csv (path, &colormap, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_LIMIT);
  g_clear_error (&error);
  /* A file without an end, and a pipe that nobody writes to. */
  g_assert_false (attn_colormap_load_csv ("/dev/zero", &colormap, &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL);
  g_clear_error (&error);
  g_assert_cmpint (mkfifo (pipe, 0600), ==, 0);
  g_assert_false (attn_colormap_load_csv (pipe, &colormap, &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL);
  g_clear_error (&error);
  g_remove (pipe);
  g_assert_false (attn_colormap_load_csv (directory, &colormap, &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_ISDIR);
  g_clear_error (&error);
  g_remove (path);
  g_assert_false (attn_colormap_load_csv (path, &colormap, &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT);
  g_assert_true (g_str_has_prefix (error->message, path));
  g_clear_error (&error);
  g_rmdir (directory);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/figure/colormap/published-values", test_published);
  g_test_add_func ("/figure/colormap/sequential-maps-are-monotone", test_sequential_is_monotone);
  g_test_add_func ("/figure/colormap/color-of-nan", test_color_of_nan);
  g_test_add_func ("/figure/colormap/names", test_names);
  g_test_add_func ("/figure/colormap/style-range", test_style_range);
  g_test_add_func ("/figure/colormap/reversed", test_reversed);
  g_test_add_func ("/figure/colormap/csv", test_csv);
  g_test_add_func ("/figure/colormap/hostile-csv-names-the-line", test_hostile_csv);
  g_test_add_func ("/figure/colormap/csv-file", test_csv_file);
  return g_test_run ();
}
