/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The layer-token figure and regions on the command line. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "attn-study.h"
#include "cli-fixture.h"

#define QUESTION "What is the capital of France?"
#define ANSWER   "The capital of France is Paris."

static void
test_texts (Fixture       *fixture,
            gconstpointer  data)
{
  g_autofree char *path = fixture_get_path (fixture, "l.svg");

  g_autofree char *output =
      fixture_run ("render", "layer-token", "--question", QUESTION, "--answer", ANSWER,
                   "--exact-answer", "Paris", "--region", "first_answer:-1,0-1", "-o", path, NULL);
  g_autofree char *svg = fixture_read_text (path);

  g_assert_nonnull (strstr (svg, ">exact_answer_before_first</text>"));
  g_assert_nonnull (strstr (svg, ">Layer</text>"));
  g_assert_nonnull (strstr (svg, ">Token</text>"));
  g_assert_nonnull (strstr (svg, ">Attention of the last token, mean over 4 heads"));
  /* The preset's own region gave way, and only it is there. */
  g_assert_null (strstr (svg, "Exact answer"));
  g_assert_nonnull (strstr (svg, "&quot;count&quot;:26,&quot;mean&quot;:"));
  fixture_remove (fixture, "l.svg");
}

/* The same positions in three ways, and in the weights that were written before. */
static void
test_same_roles (Fixture       *fixture,
                 gconstpointer  data)
{
  g_autofree char *texts = fixture_get_path (fixture, "texts.npz");
  g_autofree char *marked = fixture_get_path (fixture, "marked.npz");
  g_autofree char *positions = fixture_get_path (fixture, "positions.npz");
  g_autofree char *weights = fixture_get_path (fixture, "weights.npz");
  g_autofree char *recorded = fixture_get_path (fixture, "recorded.npz");

  g_autofree char *a = fixture_run ("compute", "layer-token", "--question", QUESTION, "--answer",
                                    ANSWER, "--exact-answer", "Paris", "-o", texts, NULL);
  g_autofree char *b =
      fixture_run ("compute", "layer-token", "--marked",
                   QUESTION " || The capital of France is [[Paris]].", "-o", marked, NULL);
  g_autofree char *c =
      fixture_run ("compute", "layer-token", "--text", QUESTION " " ANSWER, "--positions",
                   "answer=8,exact=13-13", "-o", positions, NULL);
  g_autofree char *d = fixture_run ("compute", "--text", QUESTION " " ANSWER, "-o", weights, NULL);
  g_autofree char *e = fixture_run ("compute", "layer-token", "--array", weights, "--positions",
                                    "answer=8,exact=13-13", "-o", recorded, NULL);
  static const char * const names[] = { "texts.npz", "marked.npz", "positions.npz",
                                        "recorded.npz" };
  AttnTensor *panels[G_N_ELEMENTS (names)];
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (AttnArrayFile) file = fixture_load (fixture, names[i]);

      panels[i] = fixture_get_tensor (file, "panel_0_0");
      g_assert_cmpuint (panels[i]->shape[0], ==, 3);
      g_assert_cmpuint (panels[i]->shape[1], ==, 14);
      /* Weights of a layer alone and of a whole pass: float32 rounding, of quotients up to 1. */
      for (gsize k = 0; k < 42; k++)
        g_assert_cmpfloat_with_epsilon (panels[i]->data[k], panels[0]->data[k], 1e-5);
    }
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      attn_tensor_unref (panels[i]);
      fixture_remove (fixture, names[i]);
    }
  fixture_fail (1, "positions", "compute", "layer-token", "--array", weights, "-o", recorded, NULL);
  fixture_remove (fixture, "weights.npz");
}

static void
test_array (Fixture       *fixture,
            gconstpointer  data)
{
  g_autofree char *table = fixture_get_path (fixture, "probe.csv");
  g_autofree char *path = fixture_get_path (fixture, "p.svg");

  g_assert_true (g_file_set_contents (table,
                                      "layer,last_q,first_answer,-1\n"
                                      "0,0.5,0.625,0.75\n"
                                      "1,0.25,0.875,1\n",
                                      -1, NULL));
  g_autofree char *output =
      fixture_run ("render", "layer-token", "--array", table, "--range", "0.5:1", "--value-label",
                   "AUC", "--region", "Answer=first_answer:-1,0-1", "-o", path, NULL);
  g_autofree char *svg = fixture_read_text (path);

  g_assert_nonnull (strstr (svg, ">first_answer</text>"));
  g_assert_nonnull (strstr (svg, ">AUC</text>"));
  g_assert_nonnull (strstr (svg, "&quot;count&quot;:4,&quot;mean&quot;:0.8125"));
  g_assert_null (strstr (svg, ">exact_answer_first</text>"));
  fixture_remove (fixture, "p.svg");

  fixture_fail (2, "second_answer", "render", "layer-token", "--array", table, "--region",
                "second_answer,0", "-o", path, NULL);

  /* It is drawn as it is, and it is the model. */
  static const char * const useless[][2] = {
    { "--question", QUESTION },
    { "--reduce", "max" },
    { "--scale", "key=0.5" },
    { "--layers", "0" },
    { "--special-tokens", "off" },
    { "--head", "1" },
    { "--model", "elsewhere.npz" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (useless); i++)
    fixture_fail (2, useless[i][0], "render", "layer-token", "--array", table, useless[i][0],
                  useless[i][1], "-o", path, NULL);
  fixture_remove (fixture, "probe.csv");
}

/* What names columns and rows where that cannot be told, on either side of the file's name. */
static void
test_header (Fixture       *fixture,
             gconstpointer  data)
{
  g_autofree char *table = fixture_get_path (fixture, "counts.csv");
  g_autofree char *path = fixture_get_path (fixture, "h.svg");

  g_assert_true (g_file_set_contents (table, "0,1,2\n5,6,7\n8,9,3\n", -1, NULL));
  fixture_fail (1, "--header", "render", "layer-token", "--array", table, "-o", path, NULL);
  fixture_fail (2, "“rows” found", "render", "layer-token", "--array", table, "--header", "rows",
                "-o", path, NULL);
  fixture_fail (2, "--header: found with a figure that it does not change", "render", "single",
                "--header", "row", "-o", path, NULL);
  fixture_fail (2, "--header: found with a figure that it does not change", "compute", "--header",
                "row", "-o", "-", NULL);
  g_autofree char *after = fixture_run ("render", "layer-token", "--array", table, "--header",
                                        "row", "--range", "0:9", "-o", path, NULL);
  g_autofree char *row = fixture_read_text (path);
  g_autofree char *before = fixture_run ("render", "layer-token", "--header", "none", "--array",
                                         table, "--range", "0:9", "-o", path, NULL);
  g_autofree char *none = fixture_read_text (path);
  g_assert_nonnull (strstr (row, "&quot;header&quot;:&quot;row&quot;"));
  g_assert_nonnull (strstr (none, "&quot;header&quot;:&quot;none&quot;"));
  g_autofree char *model = fixture_run ("compute", "--model", table, "--header", "column", "-o",
                                        "-", "--format", "csv", NULL);
  g_assert_nonnull (strstr (model, "0,0,5,1,7\n"));
  g_autofree char *info = fixture_run ("info", table, "--header", "both", NULL);
  g_assert_nonnull (strstr (info, "recording"));
  fixture_remove (fixture, "h.svg");
  fixture_remove (fixture, "counts.csv");
}

/* One of the arrays of a file is a matrix or a recording as a file of its own is. */
static void
test_named_array (Fixture       *fixture,
                  gconstpointer  data)
{
  g_autofree char *file = fixture_get_path (fixture, "both.npz");
  g_autofree char *path = fixture_get_path (fixture, "n.svg");
  g_autofree char *first = g_strconcat (file, ":panel_0_0", NULL);
  g_autofree char *second = g_strconcat (file, ":panel_0_1", NULL);
  g_autofree char *third = g_strconcat (file, ":panel_0_9", NULL);
  g_autofree char *made = fixture_run ("compute", "compare", "--text", "A rose is a rose", "-o",
                                       file, NULL);

  g_autofree char *drawn = fixture_run ("render", "layer-token", "--array", second, "-o", path,
                                        NULL);
  g_autofree char *svg = fixture_read_text (path);
  g_assert_nonnull (strstr (svg, "&quot;array&quot;:&quot;panel_0_1&quot;"));
  g_autofree char *again = fixture_run ("compute", path, "-o", "-", "--format", "csv", NULL);
  g_autofree char *model = fixture_run ("compute", "--model", second, "-o", "-", "--format", "csv",
                                        NULL);
  g_autofree char *other = fixture_run ("compute", "--model", first, "-o", "-", "--format", "csv",
                                        NULL);
  g_assert_nonnull (strstr (again, "rose"));
  g_assert_cmpstr (model, !=, other);
  g_autofree char *info = fixture_run ("info", second, NULL);
  g_assert_nonnull (strstr (info, "recording"));
  fixture_fail (1, "“panel_0_9” asked for", "compute", "--model", third, "-o", "-", NULL);
  fixture_fail (1, "“panel_0_9” asked for", "info", third, NULL);
  fixture_fail (2, "--text: found with", "compute", "--model", second, "--text", "a", "-o", "-",
                NULL);
  fixture_remove (fixture, "n.svg");
  fixture_remove (fixture, "both.npz");
}

/* A question is a text, whatever the inputs are that it takes the place of. */
static void
test_special_tokens (Fixture       *fixture,
                     gconstpointer  data)
{
  g_autofree char *study = fixture_get_path (fixture, "ids.json");
  g_autofree char *path = fixture_get_path (fixture, "ids.svg");

  fixture_write_text (
      fixture, "ids.json",
      "{\"version\": 1, \"figure\": \"layer-token\", \"inputs\": [{\"ids\": [2, 17]}],"
      " \"roles\": {\"question\": \"Where is the rose?\","
      " \"answer\": \"In the [[garden]].\"}}");
  g_free (fixture_run ("render", study, "--special-tokens", "off", "-o", path, NULL));
  fixture_remove (fixture, "ids.svg");
  fixture_remove (fixture, "ids.json");
}

static void
test_refused (Fixture       *fixture,
              gconstpointer  data)
{
  g_autofree char *path = fixture_get_path (fixture, "l.svg");

  fixture_fail (2, "--marked", "render", "layer-token", "--marked", "Who?", "-o", path, NULL);
  fixture_fail (2, "--positions", "render", "layer-token", "--positions", "8", "-o", path, NULL);
  fixture_fail (2, "--reduce", "render", "layer-token", "--reduce", "least", "-o", path, NULL);
  fixture_fail (2, "--region", "render", "layer-token", "--region", "frist:-1,0", "-o", path, NULL);
  fixture_fail (2, "--region", "render", "layer-token", "--region", "first_answer", "-o", path,
                NULL);
  fixture_fail (2, "--layers", "render", "layer-token", "--layer", "1", "-o", path, NULL);
  fixture_fail (2, "--positions", "render", "layer-token", "--text", "A rose", "-o", path, NULL);
  fixture_fail (1, "Rome", "render", "layer-token", "--exact-answer", "Rome", "-o", path, NULL);
  fixture_fail (1, "4-28", "render", "layer-token", "--region", "first_answer:-1,4-28", "-o", path,
                NULL);
  fixture_fail (1, "panel 9", "render", "mean-operation", "--region", "9/0,0", "-o", path, NULL);
}

int
main (int    argc,
      char **argv)
{
  fixture_init (&argc, &argv);
  fixture_add ("/cli/roles/texts", test_texts);
  fixture_add ("/cli/roles/same-roles", test_same_roles);
  fixture_add ("/cli/roles/array", test_array);
  fixture_add ("/cli/roles/header", test_header);
  fixture_add ("/cli/roles/named-array", test_named_array);
  fixture_add ("/cli/roles/special-tokens-of-a-question", test_special_tokens);
  fixture_add ("/cli/roles/refused", test_refused);
  return g_test_run ();
}
