/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Numbers as text, in any locale; paths that are no text. */

#include "config.h"

#include <math.h>

#include "attn-text.h"
#include "../comma-locale.h"

static void
check_factors (void)
{
  static const struct
  {
    double factor;
    const char *text;
  } cases[] = {
    { 0.5, "5e-1" },
    { 1e-3, "1e-3" },
    { 1e-10, "1e-10" },
    { 1, "1e0" },
    { 2.5e-3, "2.5e-3" },
    { 1e3, "1e3" },
    { 0.1, "1e-1" },
    { 1e-12, "1e-12" },
    { 123.456, "1.23456e2" },
    { 0, "0e0" },
    { 1.0 / 3, "3.333333333333333e-1" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = attn_text_format_factor (cases[i].factor);
      double again;

      g_assert_cmpstr (text, ==, cases[i].text);
      g_assert_true (attn_text_parse_number (text, &again));
      g_assert_cmpfloat (again, ==, cases[i].factor);
    }
}

/* No other text as short reads back to the same number. */
static void
check_fewest_digits (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (20261123);

  for (int i = 0; i < 2000; i++)
    {
      double factor = pow (10, g_rand_double_range (random, -12, 3));
      char rounded[G_ASCII_DTOSTR_BUF_SIZE];
      int n_digits = 0;

      /* Of any number of digits */
      g_snprintf (rounded, sizeof rounded, "%.*e", i % 17, factor);
      factor = g_ascii_strtod (rounded, NULL);
      do
        g_snprintf (rounded, sizeof rounded, "%.*e", n_digits++, factor);
      while (g_ascii_strtod (rounded, NULL) != factor);
      attn_text_trim_exponent (rounded);
      g_autofree char *text = attn_text_format_factor (factor);
      g_assert_cmpstr (text, ==, rounded);
    }
}

static void
check_weights (void)
{
  static const struct
  {
    double weight;
    guint n_digits;
    const char *text;
  } cases[] = {
    { 0.5, 4, "0.5000" },
    { 1, 4, "1.000" },
    { 0, 4, "0.000" },
    { 1.0 / 3, 4, "0.3333" },
    { 1, 1, "1" },
    { 0.00012345, 4, "0.0001234" },
    { 1e-7, 4, "1.000e-7" },
    { -0.25, 2, "-0.25" },
    { NAN, 4, "NaN" },
    { 0, 1, "0" },
    { -0.0, 2, "0.0" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = attn_text_format_weight (cases[i].weight, cases[i].n_digits);

      g_assert_cmpstr (text, ==, cases[i].text);
    }
}

/* Two numbers beside each other have as many digits as tell them apart, unless they are the same in
 * every digit that float32 has. */
static void
check_digits (void)
{
  static const struct
  {
    double before;
    double after;
    guint n_digits;
  } cases[] = {
    { 11.8, 12.3, 3 },
    { 11.8012, 11.8431, 4 },
    { 9.998, 10.001, 4 },
    { 11.80431, 11.80439, 6 },
    { 11.8043, 11.8043, 0 },
    { 11.8043, 11.8043 + 1e-6, 0 },
    { -0.25, 0.25, 3 },
    { 0, 1e-9, 3 },
    { NAN, 0.5, 3 },
    { NAN, NAN, 0 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    g_assert_cmpuint (attn_text_find_digits (cases[i].before, cases[i].after, 3), ==,
                      cases[i].n_digits);
}

static void
check_numbers (void)
{
  static const char * const bad[] = { "", " ", "nan", "NaN", "inf", "-inf", "INFINITY", "1e999",
                                      "1x", "x1", "1 2", "1,5", "0.5,", "1e", "--1", "e5" };
  double value = 7;

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      if (attn_text_parse_number (bad[i], &value))
        g_error ("“%s” accepted", bad[i]);
      g_assert_cmpfloat (value, ==, 7);
    }
  g_assert_true (attn_text_parse_number ("5e-1", &value));
  g_assert_cmpfloat (value, ==, 0.5);
  g_assert_true (attn_text_parse_number (" -0.25 ", &value));
  g_assert_cmpfloat (value, ==, -0.25);
}

static void
test_comma_locale (void)
{
  if (!enter_comma_locale ())
    return;
  check_factors ();
  check_weights ();
  check_numbers ();
  setlocale (LC_NUMERIC, "C");
}

/* Whatever bytes a path has, it comes back; what is UTF-8 is not rewritten. */
/* A title for the terminal, a colour, and the same by one character of Latin-1. */
static void
check_controls (void)
{
  g_autofree char *title = attn_text_show_controls ("\x1b]0;owned\x07 caf\u00e9\n", "\n");
  g_autofree char *color = attn_text_show_controls ("a\tb\x7f\xc2\x9b"
                                                    "31m\n",
                                                    "");

  g_assert_cmpstr (title, ==, "\u241b]0;owned\u2407 caf\u00e9\n");
  g_assert_cmpstr (color, ==, "a\u2409b\u2421\ufffd31m\u240a");
}

static void
check_paths (void)
{
  static const struct
  {
    const char *path;
    const char *text;
  } cases[] = {
    { "/models/50%25 é", "/models/50%25 é" },
    { "relative", "relative" },
    { "", "" },
    { "/models/caf\xe9 50%", "file:/models/caf%E9%2050%25" },
    { "caf\xe9", "file:caf%E9" },
    { "file:a%20b", "file:file%3Aa%2520b" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = attn_text_escape_path (cases[i].path);
      g_autofree char *path = attn_text_unescape_path (text);

      g_assert_cmpstr (text, ==, cases[i].text);
      g_assert_cmpstr (path, ==, cases[i].path);
    }
  g_autofree char *bad = attn_text_unescape_path ("file:50%");
  g_assert_cmpstr (bad, ==, "file:50%");
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/core/text/factors-as-the-figures-write-them", check_factors);
  g_test_add_func ("/core/text/factors-have-the-fewest-digits", check_fewest_digits);
  g_test_add_func ("/core/text/weights-keep-their-digits", check_weights);
  g_test_add_func ("/core/text/digits-tell-numbers-apart", check_digits);
  g_test_add_func ("/core/text/only-finite-numbers-are-numbers", check_numbers);
  g_test_add_func ("/core/text/paths-come-back", check_paths);
  g_test_add_func ("/core/text/controls-are-shown", check_controls);
  g_test_add_func ("/core/text/point-in-a-locale-with-commas", test_comma_locale);
  return g_test_run ();
}
