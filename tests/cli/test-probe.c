/* SPDX-License-Identifier: GPL-3.0-or-later */

/* `attention-grid probe`, and what draws its file. */

#include "config.h"

#include <string.h>

#include "cli-fixture.h"

static char *
get_table (void)
{
  return g_test_build_filename (G_TEST_DIST, "study", "probes", "answers.csv", NULL);
}

/* The file has what the help says, and is drawn without being told how. */
static void
test_file (Fixture       *fixture,
           gconstpointer  data)
{
  static const char * const maps[] = { "auc", "auc_low", "auc_high",
                                       "accuracy", "accuracy_low", "accuracy_high" };
  const gsize shape[] = { 3, 15 };
  g_autofree char *table = get_table ();
  g_autofree char *npz = fixture_get_path (fixture, "p.npz");
  g_autofree char *svg = fixture_get_path (fixture, "p.svg");
  g_autofree char *accuracy = g_strconcat (npz, ":accuracy", NULL);
  g_autofree char *quiet = fixture_run ("probe", "--table", table, "--threads", "1", "-o", npz,
                                        NULL);
  g_autoptr (AttnArrayFile) file = fixture_load (fixture, "p.npz");
  g_autoptr (AttnTensor) folds = fixture_get_tensor (file, "fold");
  g_autoptr (AttnTensor) rows = fixture_get_tensor (file, "rows");

  g_assert_cmpstr (quiet, ==, "");
  for (gsize i = 0; i < G_N_ELEMENTS (maps); i++)
    {
      g_autoptr (AttnTensor) map = fixture_get_tensor (file, maps[i]);

      g_assert_true (attn_tensor_has_shape (map, 2, shape));
    }
  g_assert_cmpuint (folds->shape[0], ==, 48);
  g_assert_cmpuint (rows->shape[0], ==, 15);
  g_assert_nonnull (
      strstr (attn_array_file_get_metadata (file, "probe"), "\"quantity\":\"mlp\",\"folds\":5"));

  g_autofree char *drawn = fixture_run ("render", npz, "-o", svg, NULL);
  g_autofree char *figure = fixture_read_text (svg);
  g_assert_nonnull (strstr (figure, ">AUC<"));
  g_assert_nonnull (strstr (figure, ">exact_answer_after_last<"));
  g_assert_nonnull (strstr (figure, ">0.5<"));
  g_assert_nonnull (strstr (figure, "What the MLP Adds, 48 Rows in 5 Folds"));
  g_autofree char *other = fixture_run ("render", accuracy, "-o", svg, NULL);
  g_autofree char *second = fixture_read_text (svg);
  g_assert_nonnull (strstr (second, ">Accuracy<"));
  fixture_remove (fixture, "p.npz");
  fixture_remove (fixture, "p.svg");
}

static void
test_validation (Fixture       *fixture,
                 gconstpointer  data)
{
  g_autofree char *table = get_table ();
  g_autofree char *npz = fixture_get_path (fixture, "p.npz");
  g_autofree char *svg = fixture_get_path (fixture, "p.svg");
  g_autofree char *quiet = fixture_run ("probe", "--table", table, "--validation", table,
                                        "--label-column", "place", "--quantity", "residual", "-o",
                                        npz, NULL);
  g_autofree char *drawn = fixture_run ("render", npz, "-o", svg, NULL);
  g_autofree char *figure = fixture_read_text (svg);

  g_assert_nonnull (
      strstr (figure, "the Residual Stream, Trained on 48 Rows, Tested on 48"));
  fixture_remove (fixture, "p.npz");
  fixture_remove (fixture, "p.svg");
}

static void
test_refused (Fixture       *fixture,
              gconstpointer  data)
{
  g_autofree char *table = get_table ();
  g_autofree char *npz = fixture_get_path (fixture, "p.npz");
  g_autofree char *npy = fixture_get_path (fixture, "p.npy");

  fixture_fail (2, "no --table", "probe", "-o", npz, NULL);
  fixture_fail (2, "-o FILE", "probe", "--table", table, NULL);
  fixture_fail (2, "FILE.npz", "probe", "--table", table, "-o", npy, NULL);
  fixture_fail (2, "mlp, attention or residual", "probe", "--table", table, "--quantity", "query",
                "-o", npz, NULL);
  fixture_fail (2, "from 2 to 1000", "probe", "--table", table, "--folds", "1", "-o", npz, NULL);
  fixture_fail (2, "--seed", "probe", "--table", table, "--seed", "-1", "-o", npz, NULL);
  fixture_fail (2, "--folds and --validation", "probe", "--table", table, "--folds", "3",
                "--validation", table, "-o", npz, NULL);
  fixture_fail (1, "expected a column “right” (see --label-column)", "probe", "--table", table,
                "--label-column", "right", "-o", npz, NULL);
  fixture_fail (1, "label 0 found in", "probe", "--table", table, "--folds", "30", "-o", npz,
                NULL);
  fixture_fail (1, "no such file", "probe", "--table", npy, "-o", npz, NULL);
}

int
main (int    argc,
      char **argv)
{
  fixture_init (&argc, &argv);
  fixture_add ("/cli/probe/file", test_file);
  fixture_add ("/cli/probe/validation", test_validation);
  fixture_add ("/cli/probe/refused", test_refused);
  return g_test_run ();
}
