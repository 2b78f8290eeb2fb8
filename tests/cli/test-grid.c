/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Grids of any dimensions on the command line. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "attn-study.h"
#include "cli-fixture.h"

static gsize
count (const char *text,
       const char *needle)
{
  gsize n = 0;

  for (const char *p = strstr (text, needle); p != NULL; p = strstr (p + 1, needle))
    n++;
  return n;
}

/* The atlas holds the weights that `compute` writes without a preset. */
static void
test_atlas (Fixture       *fixture,
            gconstpointer  data)
{
  g_autofree char *atlas = fixture_get_path (fixture, "atlas.npz");
  g_autofree char *weights = fixture_get_path (fixture, "weights.npz");

  g_autofree char *first = fixture_run ("compute", "head-atlas", "--text", "A rose is a rose.",
                                        "--layers", "1-2", "--heads", "0,3", "-o", atlas, NULL);
  g_autofree char *second =
      fixture_run ("compute", "--text", "A rose is a rose.", "-o", weights, NULL);
  g_autoptr (AttnArrayFile) panels = fixture_load (fixture, "atlas.npz");
  g_autoptr (AttnArrayFile) all = fixture_load (fixture, "weights.npz");
  g_autoptr (AttnTensor) panel = fixture_get_tensor (panels, "panel_1_1");
  g_autoptr (AttnTensor) expected = fixture_get_tensor (all, "weights");
  gsize n = panel->shape[0];
  const float *cells = expected->data + (2 * expected->shape[1] + 3) * n * n;

  g_assert_null (attn_array_file_lookup (panels, "panel_2_0"));
  g_assert_null (attn_array_file_lookup (panels, "panel_0_2"));
  for (gsize i = 0; i < n * n; i++)
    g_assert_cmpfloat_with_epsilon (panel->data[i], cells[i], 1e-6);
  fixture_remove (fixture, "atlas.npz");
  fixture_remove (fixture, "weights.npz");
}

static void
test_compare (Fixture       *fixture,
              gconstpointer  data)
{
  g_autofree char *path = fixture_get_path (fixture, "c.npz");
  static const char * const options[][4] = {
    { "--scale", "key=0.5", "--layer", "1" },
    { "--mean", "query", "--layer", "1" },
    { "--compare", "layer", "--layers", "0,2" },
    { "--compare", "head", "--heads", "1,2" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (options); i++)
    {
      g_autofree char *output = fixture_run ("compute", "compare", options[i][0], options[i][1],
                                             options[i][2], options[i][3], "-o", path, NULL);
      g_autoptr (AttnArrayFile) file = fixture_load (fixture, "c.npz");
      g_autoptr (AttnTensor) a = fixture_get_tensor (file, "panel_0_0");
      g_autoptr (AttnTensor) b = fixture_get_tensor (file, "panel_0_1");
      g_autoptr (AttnTensor) difference = fixture_get_tensor (file, "panel_0_2");
      double largest = 0;

      for (gsize k = 0; k < attn_tensor_get_n_elements (a); k++)
        {
          g_assert_cmpfloat (difference->data[k], ==, b->data[k] - a->data[k]);
          largest = MAX (largest, fabs (difference->data[k]));
        }
      g_assert_cmpfloat (largest, >, 0.05);
      fixture_remove (fixture, "c.npz");
    }
}

/* --mean takes the place of what the preset does; a comparison of inputs does nothing to the
 * model. */
static void
test_titles (Fixture       *fixture,
             gconstpointer  data)
{
  g_autofree char *path = fixture_get_path (fixture, "g.svg");

  g_autofree char *first =
      fixture_run ("render", "compare", "--mean", "query", "--layer", "1", "-o", path, NULL);
  g_autofree char *means = fixture_read_text (path);
  g_assert_nonnull (strstr (means, ">Modified − Baseline</text>"));
  g_assert_nonnull (strstr (means, ">Difference</text>"));
  g_assert_null (strstr (means, "key scale"));
  g_assert_cmpuint (count (means, "query mean feature"), ==, 2); /* of B and of B - A */

  g_autofree char *second =
      fixture_run ("render", "compare", "--compare", "input", "--text", "A rose is a rose.",
                   "--text", "A list is a list.", "--caption", "{tokens} tokens", "-o", path, NULL);
  g_autofree char *inputs = fixture_read_text (path);
  g_assert_nonnull (strstr (inputs, ">Input 2 − Input 1</text>"));
  g_assert_nonnull (strstr (inputs, ">7 tokens</text>"));
  g_assert_null (strstr (inputs, "key scale"));

  g_autofree char *third = fixture_run ("render", "epsilon", "--rows", "input", "--columns",
                                        "epsilon", "--hide-keys", "0", "-o", path, NULL);
  g_autofree char *grid = fixture_read_text (path);
  g_assert_nonnull (strstr (grid, ">Input 1, ε = 1e-3</text>"));
  g_assert_nonnull (strstr (grid, "Key 0 hidden</text>"));

  g_autofree char *fourth =
      fixture_run ("render", "epsilon", "--differences", "0,3-4", "-o", path, NULL);
  g_autofree char *differences = fixture_read_text (path);
  g_assert_cmpuint (count (differences, "<g id=\"colorbar"), ==, 2);

  g_autofree char *fifth =
      fixture_run ("render", "single", "--layer", "1", "--head", "2", "--words", "--text",
                   "The unbelievable rose", "--title", "{model}, {head}", "-o", path, NULL);
  g_autofree char *words = fixture_read_text (path);
  g_assert_nonnull (strstr (words, ">rose, 2</text>"));
  g_assert_nonnull (strstr (words, ">unbelievable</text>"));
  fixture_remove (fixture, "g.svg");
}

/* Draws the figure of means with three settings, in that order. */
static char *
draw_means (const char *path,
            const char *first,
            const char *second,
            const char *third)
{
  g_autofree char *said = fixture_run ("render", "mean-operation", "--set", first, "--set", second,
                                       "--set", third, "-o", path, NULL);

  return fixture_read_text (path);
}

/* Titles that speak of means go with the mean, and come back with it; the order of settings does
 * not count, and neither does whether they come from a file. */
static void
test_titles_follow_from_the_study (Fixture       *fixture,
                                   gconstpointer  data)
{
  static const char scale[] = "operation=\"scale\"", mean[] = "operation=\"mean\"";
  static const char key[] = "components=[\"key\"]";
  g_autofree char *path = fixture_get_path (fixture, "g.svg");
  g_autofree char *again_path = fixture_get_path (fixture, "again.svg");

  g_autofree char *scaled = draw_means (path, scale, key, "epsilons=[0.5]");
  g_assert_null (strstr (scaled, ">Taking the Mean"));
  g_assert_null (strstr (scaled, ">The Mean Operation"));
  g_assert_nonnull (strstr (scaled, ">Input 1, "));
  g_autofree char *said = fixture_run ("render", path, "-o", again_path, NULL);
  g_autofree char *opened = fixture_read_text (again_path);
  g_assert_cmpstr (opened, ==, scaled);

  g_autofree char *one_way = draw_means (path, key, scale, mean);
  g_autofree char *other_way = draw_means (path, scale, mean, key);
  g_assert_cmpstr (one_way, ==, other_way);
  g_assert_nonnull (strstr (one_way, ">Taking the Mean"));
  fixture_remove (fixture, "g.svg");
  fixture_remove (fixture, "again.svg");
}

/* What the ends of the colour bar are, and what stands at and below them. */
static void
test_color_bar (Fixture       *fixture,
                gconstpointer  data)
{
  g_autofree char *path = fixture_get_path (fixture, "g.svg");
  g_autofree char *first = fixture_run ("render", "single", "--range", "clipped", "--clip", "5",
                                        "--key", "-o", path, NULL);
  g_autofree char *marked = fixture_read_text (path);
  g_autofree char *second =
      fixture_run ("render", "single", "--range", "clipped", "--clip", "49", "--no-marks-overflow",
                   "--key", "--no-key", "-o", path, NULL);
  g_autofree char *plain = fixture_read_text (path);

  g_assert_nonnull (strstr (marked, "&quot;clip&quot;:5"));
  g_assert_nonnull (strstr (marked, "&quot;shows-key&quot;:true"));
  g_assert_nonnull (strstr (marked, "class=\"overflow\""));
  g_assert_nonnull (strstr (plain, "&quot;clip&quot;:49"));
  g_assert_null (strstr (plain, "&quot;shows-key&quot;:true"));
  g_assert_nonnull (strstr (plain, "&quot;marks-overflow&quot;:false"));
  g_assert_null (strstr (plain, "class=\"overflow\""));

  g_autofree char *third =
      fixture_run ("render", "single", "--range", "clipped", "--no-marks-overflow",
                   "--marks-overflow", "-o", path, NULL);
  g_autofree char *again = fixture_read_text (path);
  g_assert_nonnull (strstr (again, "class=\"overflow\""));
  fixture_fail (2, "--clip", "render", "single", "--clip", "50", "-o", path, NULL);
  fixture_remove (fixture, "g.svg");
}

static void
test_refused (Fixture       *fixture,
              gconstpointer  data)
{
  g_autofree char *path = fixture_get_path (fixture, "no.svg");

  fixture_fail (2, "--rows", "render", "single", "--rows", "layr", "-o", path, NULL);
  fixture_fail (2, "--compare", "render", "compare", "--compare", "axis", "-o", path, NULL);
  fixture_fail (2, "room for a comparison", "render", "epsilon", "--compare", "layer", "-o", path,
                NULL);
  fixture_fail (2, "--last-queries", "render", "single", "--last-queries", "0", "-o", path, NULL);
  fixture_fail (2, "--hide-keys", "render", "single", "--hide-keys", "all", "-o", path, NULL);
  fixture_fail (2, "--sites", "render", "single", "--sites", "middle", "-o", path, NULL);
  fixture_fail (1, "7 tokens found in input 1 and 5 in input 2", "render", "compare", "--compare",
                "input", "--text", "A rose is a rose.", "--text", "It is I.", "-o", path, NULL);
  fixture_fail (2, "{nothing}", "render", "single", "--title", "{nothing}", "-o", path, NULL);
  fixture_fail (1, "layers", "render", "head-atlas", "--layers", "2-9", "-o", path, NULL);
}

/* What would leave the figure as it is is refused, not passed over. */
static void
test_options_without_effect (Fixture       *fixture,
                             gconstpointer  data)
{
  g_autofree char *path = fixture_get_path (fixture, "no.svg");
  g_autofree char *array = fixture_get_path (fixture, "weights.npy");
  static const char * const cases[][3] = {
    { "single", "--axis", "token" },
    { "epsilon", "--axis", "token" },
    { "single", "--site", "rotated" },
    { "single", "--scope-tokens", "2" },
    { "single", "--renormalise", "--no-caption" },
    { "head-atlas", "--layer", "1" },
    { "head-atlas", "--head", "mean" },
    { "head-groups", "--head", "1" },
    { "head-groups", "--scale", "key=0.5" },
    { "head-groups", "--queries", "1" },
    { "layer-token", "--differences", "0" },
    { "head-groups", "--heads", "0" },
    { "epsilon", "--array", "elsewhere.npz" },
    { "single", "--layers", "1" },
    { "head-groups", "--layers", "1" },
    { "epsilon", "--heads", "0" },
    { "single", "--sites", "rotated" },
    { "epsilon", "--axes", "token" },
    { "single", "--with-model", "elsewhere" },
    { "single", "--answer", "Paris" },
    { "epsilon", "--group", "0=It" },
    { "layer-token", "--mask", "none" },
    { "head-groups", "--reduce", "max" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    fixture_fail (2, cases[i][1], "render", cases[i][0], cases[i][1], cases[i][2], "-o", path,
                  NULL);
  fixture_fail (2, "--axis", "compute", "--axis", "token", "-o", array, NULL);
  fixture_fail (2, "--axis", "compute", "--scale", "key=0.5", "--axis", "token", "-o", array, NULL);
  fixture_fail (2, "--site", "compute", "--site", "rotated", "-o", array, NULL);
  fixture_fail (2, "--scope-tokens", "compute", "--scope-tokens", "2", "-o", array, NULL);

  g_free (fixture_run ("compute", "--text", "A rose", "-o", array, NULL));
  fixture_fail (2, "--text", "render", "single", "--model", array, "--text", "A rose", "-o", path,
                NULL);
  fixture_fail (2, "--text", "compute", "--model", array, "--ids", "2,17", "-o", array, NULL);
  /* Nothing is added to ids, nor to what was recorded. */
  fixture_fail (2, "--special-tokens", "render", "single", "--ids", "2,17", "--special-tokens",
                "off", "-o", path, NULL);
  fixture_fail (2, "--special-tokens", "compute", "--ids", "2,17", "--special-tokens", "off", "-o",
                array, NULL);
  fixture_fail (2, "--special-tokens", "render", "single", "--model", array, "--special-tokens",
                "on", "-o", path, NULL);
  /* Recorded arrays predict nothing that could change. */
  fixture_fail (2, "--effect: found with recorded arrays", "render", "single", "--model", array,
                "--effect", "numbers", "-o", path, NULL);
  fixture_remove (fixture, "weights.npy");
}

/* Rows that are no distributions have no sink scores, and that is said. */
static void
test_recorded_sums (Fixture       *fixture,
                    gconstpointer  data)
{
  g_autofree char *figure = fixture_get_path (fixture, "atlas.svg");
  g_autofree char *weights = fixture_get_path (fixture, "weights.csv");
  g_autofree char *others = fixture_get_path (fixture, "others.csv");

  fixture_write_text (fixture, "weights.csv", ",a,b\na,1,0\nb,0.25,0.75\n");
  fixture_write_text (fixture, "others.csv", ",a,b\na,1,0\nb,2.5,-7.5\n");
  g_free (fixture_run ("render", "sink-rate", "--model", weights, "-o", figure, NULL));
  fixture_fail (1, "rows that do not sum to 1", "render", "sink-rate", "--model", others, "-o",
                figure, NULL);
  g_free (fixture_run ("render", "single", "--model", others, "-o", figure, NULL));
  fixture_remove (fixture, "weights.csv");
  fixture_remove (fixture, "others.csv");
  fixture_remove (fixture, "atlas.svg");
}

/* What is drawn, but not as one would expect, is said in a line: letters that no font has, for
 * these are no letters at all; a page without room; values that the range leaves out. Of a sweep,
 * too. */
static void
test_notes (Fixture       *fixture,
            gconstpointer  data)
{
  g_autofree char *path = fixture_get_path (fixture, "noted.svg");
  g_autofree char *frames = fixture_get_path (fixture, "frames.svg");
  g_autofree char *table = fixture_get_path (fixture, "noted.csv");

  fixture_note ("no font found that has U+0378 U+0379, drawn as boxes", "render", "single",
                "--caption", "\u0378 a \u0379", "-o", path, NULL);
  g_free (fixture_run ("render", "single", "--caption", "a", "-o", path, NULL));
  fixture_note ("no room for", "render", "mean-operation", "--size", "30x30mm", "-o", path, NULL);
  fixture_write_text (fixture, "noted.csv", "a,b\n100,200\n150,50\n");
  fixture_note ("outside 0.5 to 1", "render", "layer-token", "--array", table, "-o", path, NULL);
  fixture_note ("U+0378", "render", "epsilon", "--sweep", "1e-2:1:2", "--caption", "\u0378", "-o",
                frames, NULL);
  fixture_remove (fixture, "frames.svg");
  fixture_remove (fixture, "noted.csv");
  fixture_remove (fixture, "noted.svg");
}

int
main (int    argc,
      char **argv)
{
  fixture_init (&argc, &argv);
  fixture_add ("/cli/grid/atlas", test_atlas);
  fixture_add ("/cli/grid/compare", test_compare);
  fixture_add ("/cli/grid/titles", test_titles);
  fixture_add ("/cli/grid/titles-follow-from-the-study", test_titles_follow_from_the_study);
  fixture_add ("/cli/grid/color-bar", test_color_bar);
  fixture_add ("/cli/grid/refused", test_refused);
  fixture_add ("/cli/grid/options-without-effect", test_options_without_effect);
  fixture_add ("/cli/grid/recorded-sums", test_recorded_sums);
  fixture_add ("/cli/grid/notes", test_notes);
  return g_test_run ();
}
