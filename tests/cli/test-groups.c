/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The options of the head-groups figure. */

#include "config.h"

#include <string.h>

#include "attn-study.h"
#include "cli-fixture.h"

/* The panel of the figure, row by row: "#" for on, "." for off. */
static char *
read_panel (Fixture    *fixture,
            const char *name)
{
  g_autoptr (AttnArrayFile) file = fixture_load (fixture, name);
  g_autoptr (AttnTensor) values = fixture_get_tensor (file, "panel_0_0");
  GString *text = g_string_new (NULL);

  for (gsize i = 0; i < attn_tensor_get_n_elements (values); i++)
    g_string_append_printf (text, "%s%s", i > 0 && i % values->shape[1] == 0 ? " " : "",
                            values->data[i] > 0 ? "#" : ".");
  return g_string_free (text, FALSE);
}

/* The command of the manual, and what a reader of the SVG finds in it. */
static void
test_render (Fixture       *fixture,
             gconstpointer  data)
{
  static const char * const texts[] = { ">Head 0<", ">Head 1<", ">Head 2<", ">It<", ">the<",
                                        ">On<", ">Off<", ">Key<", ">Query<" };
  g_autofree char *path = fixture_get_path (fixture, "g.svg");
  g_autofree char *svg = NULL;
  gsize length;

  g_free (fixture_run ("render", "head-groups", "--text", "It I is am the", "--group", "0=It,I",
                       "--group", "1=is,am,the", "--group", "2=is,am,the", "--mask", "none", "-o",
                       path, NULL));
  g_assert_true (g_file_get_contents (path, &svg, &length, NULL));
  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    g_assert_nonnull (strstr (svg, texts[i]));
  g_assert_null (strstr (svg, ">&lt;s&gt;<"));
  fixture_remove (fixture, "g.svg");
}

static void
test_matrix (Fixture       *fixture,
             gconstpointer  data)
{
  const struct
  {
    const char *mask;
    const char *expected;
  } cases[] = {
    { "none", "##... ##... ..### ..### ..###" },
    { "causal", "#.... ##... ..#.. ..##. ..###" },
    { "model", "#.... ##... ..#.. ..##. ..###" },
  };
  g_autofree char *path = fixture_get_path (fixture, "g.npz");

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_free (fixture_run ("compute", "head-groups", "--mask", cases[i].mask, "-o", path, NULL));
      g_autofree char *found = read_panel (fixture, "g.npz");
      g_assert_cmpstr (found, ==, cases[i].expected);
      fixture_remove (fixture, "g.npz");
    }
}

/* The first --group takes the place of the preset's groups, further ones join it, and a file says
 * all of them. */
static void
test_replace (Fixture       *fixture,
              gconstpointer  data)
{
  g_autofree char *path = fixture_get_path (fixture, "g.npz");
  g_autofree char *groups = fixture_get_path (fixture, "groups.json");

  g_free (fixture_run ("compute", "head-groups", "--group", "3=is,the", "-o", path, NULL));
  g_autofree char *one = read_panel (fixture, "g.npz");
  g_assert_cmpstr (one, ==, "## ##");
  /* The first three say what the preset says; the fourth does not make them go away. */
  g_free (fixture_run ("compute", "head-groups", "--group", "0=It,I", "--group", "1=is,am,the",
                       "--group", "2=is,am,the", "--group", "3=I,is", "-o", path, NULL));
  g_autofree char *four = read_panel (fixture, "g.npz");
  g_assert_cmpstr (four, ==, "##... ###.. .#### ..### ..###");
  fixture_write_text (fixture, "groups.json", "{\"0\": [\"It\", \"#5\"], \"2\": [\"am\"]}");
  g_free (fixture_run ("compute", "head-groups", "--groups", groups, "-o", path, NULL));
  g_autofree char *file = read_panel (fixture, "g.npz");
  g_assert_cmpstr (file, ==, "#.# .#. #.#");
  fixture_remove (fixture, "groups.json");
  fixture_remove (fixture, "g.npz");
}

/* A comma within a token is written with a backslash. */
static void
test_comma (Fixture       *fixture,
            gconstpointer  data)
{
  g_autofree char *path = fixture_get_path (fixture, "g.npz");

  g_free (fixture_run ("compute", "head-groups", "--text", "It, I", "--group", "0=\\,,I", "-o",
                       path, NULL));
  g_autofree char *found = read_panel (fixture, "g.npz");
  g_assert_cmpstr (found, ==, "## ##");
  fixture_remove (fixture, "g.npz");
}

/* Detected groups come from the attention of the model, with its mask. */
static void
test_detect (Fixture       *fixture,
             gconstpointer  data)
{
  g_autofree char *path = fixture_get_path (fixture, "g.npz");
  g_autofree char *svg_path = fixture_get_path (fixture, "g.svg");
  g_autofree char *svg = NULL;

  g_free (fixture_run ("compute", "head-groups", "--detect", "share=1", "-o", path, NULL));
  g_autofree char *found = read_panel (fixture, "g.npz");
  g_assert_cmpstr (found, ==, "#..... ##.... ###... ####.. #####. ######");
  g_free (fixture_run ("render", "head-groups", "--detect", "share", "--graded", "-o", svg_path,
                       NULL));
  g_assert_true (g_file_get_contents (svg_path, &svg, NULL, NULL));
  g_assert_nonnull (strstr (svg, "Hold 0.7 of a Row"));
  g_assert_nonnull (strstr (svg, ">Largest Attention Weight<"));
  fixture_remove (fixture, "g.npz");
  fixture_remove (fixture, "g.svg");
}

static void
test_refused (Fixture       *fixture,
              gconstpointer  data)
{
  const char * const wrong[][2] = {
    { "--group", "0" },
    { "--group", "x=It" },
    { "--group", "0=It,,I" },
    { "--group", "-1=It" },
    { "--detect", "threshold" },
    { "--detect", "share=1.5" },
    { "--detect", "share=0" },
    { "--detect", "assigned=0.5" },
    { "--detect", "threshold=x" },
    { "--mask", "both" },
  };
  g_autofree char *path = fixture_get_path (fixture, "g.svg");
  g_autofree char *groups = fixture_get_path (fixture, "groups.json");
  const char * const files[] = { "[]", "{}", "{\"0\": \"It\"}", "{\"0\": []}", "{\"0\": [1]}",
                                 "{\"x\": [\"It\"]}" };

  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    fixture_fail (2, wrong[i][0], "render", "head-groups", wrong[i][0], wrong[i][1], "-o", path,
                  NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (files); i++)
    {
      fixture_write_text (fixture, "groups.json", files[i]);
      fixture_fail (2, "groups.json", "render", "head-groups", "--groups", groups, "-o", path,
                    NULL);
      fixture_remove (fixture, "groups.json");
    }
  fixture_fail (1, "Ix", "render", "head-groups", "--group", "0=It,Ix", "-o", path, NULL);
  fixture_fail (1, "head 4", "render", "head-groups", "--group", "4=It", "-o", path, NULL);
}

int
main (int    argc,
      char **argv)
{
  fixture_init (&argc, &argv);
  fixture_add ("/cli/groups/render", test_render);
  fixture_add ("/cli/groups/matrix", test_matrix);
  fixture_add ("/cli/groups/replace", test_replace);
  fixture_add ("/cli/groups/comma", test_comma);
  fixture_add ("/cli/groups/detect", test_detect);
  fixture_add ("/cli/groups/refused", test_refused);
  return g_test_run ();
}
