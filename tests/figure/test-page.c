/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A figure as a web page: what stands in the file. How it behaves in a browser is tested by
 * tests/cli/page_browser.py. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "attn-error.h"
#include "attn-page-private.h"
#include "attn-page.h"
#include "figure-fixture.h"

static char *
write_page (const AttnScene *scene,
            const char      *title,
            const char      *metadata)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes =
      export_to_bytes (scene, ATTN_EXPORT_HTML, 0, title, metadata, &error);

  g_assert_no_error (error);
  return g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
}

static AttnScene *
lay_out (AttnGrid *grid)
{
  AttnStyle style = attn_style_default ();
  AttnViewport fit = ATTN_VIEWPORT_FIT;

  return attn_layout_figure (grid, &style, &fit, 0, 0);
}

/* Nine panels of 15 tokens fit into a mail, and their script into a glance. */
static void
test_size (void)
{
  g_autoptr (AttnGrid) grid = figure_fixture_grid (3, 3, 15);
  g_autoptr (AttnScene) scene = lay_out (grid);
  g_autofree char *page = write_page (scene, "T", "{}");
  const char *script = strstr (page, "<script>");

  g_assert_cmpuint (strlen (page), <, 150 * 1000);
  g_assert_nonnull (script);
  g_assert_cmpuint (strlen (script), <, 40 * 1000);
}

/* The policy names the style and the script by what they are, and lets nothing else in. */
static void
test_policy (void)
{
  g_autoptr (AttnGrid) grid = figure_fixture_grid (1, 1, 3);
  g_autoptr (AttnScene) scene = lay_out (grid);
  g_autofree char *page = write_page (scene, "T", "{}");
  const char *elements[] = { "style", "script" };

  g_assert_nonnull (strstr (page, "content=\"default-src 'none'; img-src data:; "));
  g_assert_null (strstr (page, "unsafe"));
  g_assert_null (strstr (page, " style=\""));
  g_assert_null (strstr (page, "<?xml"));
  for (guint i = 0; i < G_N_ELEMENTS (elements); i++)
    {
      g_autofree char *begin_tag = g_strdup_printf ("<%s>", elements[i]);
      g_autofree char *end_tag = g_strdup_printf ("</%s>", elements[i]);
      const char *begin = strstr (page, begin_tag) + strlen (begin_tag);
      const char *end = strstr (begin, end_tag);
      guint8 digest[32];
      gsize length = sizeof digest;

      g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
      g_checksum_update (checksum, (const guchar *) begin, end - begin);
      g_checksum_get_digest (checksum, digest, &length);
      g_autofree char *base64 = g_base64_encode (digest, length);
      g_autofree char *source = g_strdup_printf ("%s-src 'sha256-%s';", elements[i], base64);
      g_assert_nonnull (strstr (page, source));
    }
}

/* IEEE 754-2008, table 3.5, and the numbers around the ends of its ranges. */
static void
test_halves (void)
{
  const struct
  {
    float value;
    guint16 half;
  } cases[] = {
    { 0.0f, 0x0000 },
    { -0.0f, 0x8000 },
    { 1.0f, 0x3c00 },
    { -2.0f, 0xc000 },
    { 0.333251953125f, 0x3555 },
    { 65504.0f, 0x7bff },
    { 65519.0f, 0x7bff },
    { 65520.0f, 0x7c00 },
    { INFINITY, 0x7c00 },
    { 0x1p-14f, 0x0400 },
    { 0x1.ff8p-15f, 0x03ff },
    { 0x1p-24f, 0x0001 },
    { 0x1p-25f, 0x0000 },
    { 0x1.8p-24f, 0x0002 },
    { 1.00048828125f, 0x3c00 },
    { 1.00146484375f, 0x3c02 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    g_assert_cmphex (attn_page_round_to_half (cases[i].value), ==, cases[i].half);
  g_assert_true (isnan (attn_page_get_half (attn_page_round_to_half (NAN))));
  for (guint half = 0; half < 0x7c00; half++)
    g_assert_cmphex (attn_page_round_to_half (attn_page_get_half (half)), ==, half);
}

/* Text in JSON is the text that was given, without a character that means something in HTML. */
static void
test_strings (void)
{
  g_autoptr (GString) json = g_string_new (NULL);

  attn_page_append_string (json, "</script>\"\\\n\x01\x7f-->]]>&\xe2\x80\xa8😀\xf4\x8f\xbf\xbf");
  g_assert_cmpstr (json->str, ==,
                   "\"\\u003c/script\\u003e\\u0022\\u005c\\u000a\\u0001\\u007f--\\u003e]]\\u003e"
                   "\\u0026\\u2028😀\\udbff\\udfff\"");
}

/* Many numbers have 16 bits, and the page says the largest error; too many are refused with both
 * sizes. */
static void
test_many (void)
{
  g_autoptr (AttnGrid) grid = figure_fixture_grid (1, 1, 1300);
  g_autoptr (AttnScene) scene = lay_out (grid);
  g_autofree char *page = write_page (scene, "T", NULL);

  g_assert_null (strstr (page, "opens this page"));
  g_assert_nonnull (strstr (page, "\"bits\":16"));
  g_assert_null (strstr (page, "\"bits\":32"));
  g_assert_null (strstr (page, "\"error\":0,"));

  g_autoptr (AttnGrid) large = figure_fixture_grid (1, 1, 4000);
  g_autoptr (AttnScene) refused = lay_out (large);
  g_autoptr (GError) error = NULL;
  g_assert_null (export_to_bytes (refused, ATTN_EXPORT_HTML, 0, NULL, NULL, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_LIMIT);
  g_assert_nonnull (strstr (error->message, "20.0"));
}

/* A cell is named by its row and column in the words that the window has for the axes; of axes
 * without such words, by their titles. Queries and keys need none. */
static void
test_places (void)
{
  static const struct
  {
    const char *row_title;
    const char *column_title;
    const char *place;
  } axes[] = {
    { "Layer", "Head", "\"place\":[\"Layer \",\", head \"]" },
    { "Layer", "Token", "\"place\":[\"Layer \",\", token \"]" },
    { "Row", "Column", "\"place\":[\"Row \",\", column \"]" },
    { "Layer", "100 %s", "\"place\":[\"Layer \",\" → 100 %s \"]" },
    { NULL, NULL, NULL },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (axes); i++)
    {
      g_autoptr (AttnGrid) grid = figure_fixture_grid (1, 2, 3);

      grid->row_title = g_strdup (axes[i].row_title);
      grid->column_title = g_strdup (axes[i].column_title);
      g_autoptr (AttnScene) scene = lay_out (grid);
      g_autofree char *page = write_page (scene, "T", NULL);
      if (axes[i].place != NULL)
        g_assert_nonnull (strstr (page, axes[i].place));
      else
        g_assert_null (strstr (page, "\"place\":"));
    }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/figure/page/size", test_size);
  g_test_add_func ("/figure/page/policy", test_policy);
  g_test_add_func ("/figure/page/halves", test_halves);
  g_test_add_func ("/figure/page/strings", test_strings);
  g_test_add_func ("/figure/page/many-numbers", test_many);
  g_test_add_func ("/figure/page/places", test_places);
  return g_test_run ();
}
