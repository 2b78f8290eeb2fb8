/* SPDX-License-Identifier: GPL-3.0-or-later */

/* An adapter from outside: named beside its model, opened like one, or compared with it. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "../compare-tensors.h"
#include "cli-fixture.h"

#define IDS "1,7,3,29,12"

static char *
find_adapter (const char *name)
{
  return g_test_build_filename (G_TEST_DIST, "model", "adapters", name, NULL);
}

static char *
find_base (void)
{
  return g_test_build_filename (G_TEST_DIST, "model", "llama", NULL);
}

/* Logits by the options given. */
static AttnTensor *
compute (Fixture    *fixture,
         const char *model,
         const char *adapter)
{
  g_autofree char *path = fixture_get_path (fixture, "logits.npy");

  if (model != NULL && adapter != NULL)
    g_free (fixture_run ("compute", "--model", model, "--adapter", adapter, "--ids", IDS, "--what",
                         "logits", "-o", path, NULL));
  else
    g_free (fixture_run ("compute", model != NULL ? "--model" : "--adapter",
                         model != NULL ? model : adapter, "--ids", IDS, "--what", "logits", "-o",
                         path, NULL));
  g_autoptr (AttnArrayFile) file = fixture_load (fixture, "logits.npy");
  AttnTensor *logits = fixture_get_tensor (file, "");
  fixture_remove (fixture, "logits.npy");
  return logits;
}

/* The same model, whichever way it is named. */
static void
test_ways (Fixture       *fixture,
           gconstpointer  data)
{
  g_autofree char *adapter = find_adapter ("llama");
  g_autofree char *base = find_base ();
  g_autoptr (AttnTensor) plain = compute (fixture, base, NULL);
  g_autoptr (AttnTensor) both = compute (fixture, base, adapter);
  g_autoptr (AttnTensor) alone = compute (fixture, NULL, adapter);
  g_autoptr (AttnTensor) folder = compute (fixture, adapter, NULL);

  g_assert_cmpfloat (compare_tensors (plain, both), >, 0.1);
  g_assert_cmpfloat (compare_tensors (both, alone), ==, 0.0);
  g_assert_cmpfloat (compare_tensors (both, folder), ==, 0.0);
}

/* Base, adapter and their difference; the study in the figure names both. */
static void
test_comparison (Fixture       *fixture,
                 gconstpointer  data)
{
  g_autofree char *adapter = find_adapter ("llama-dora");
  g_autofree char *base = find_base ();
  g_autofree char *path = fixture_get_path (fixture, "c.svg");

  g_free (fixture_run ("render", "compare", "--compare", "model", "--model", base, "--with-model",
                       adapter, "--ids", IDS, "--layer", "1", "--head", "0", "-o", path, NULL));
  g_autofree char *svg = fixture_read_text (path);
  g_assert_nonnull (strstr (svg, "adapters/llama-dora"));

  g_free (fixture_run ("render", "single", "--model", base, "--adapter", adapter, "--ids", IDS,
                       "--layer", "1", "--head", "0", "-o", path, NULL));
  g_autofree char *single = fixture_read_text (path);
  g_assert_nonnull (strstr (single, "&quot;adapter&quot;:&quot;"));
  fixture_remove (fixture, "c.svg");
}

static void
test_info (Fixture       *fixture,
           gconstpointer  data)
{
  g_autofree char *adapter = find_adapter ("llama");
  g_autofree char *base = find_base ();
  g_autofree char *own = fixture_run ("info", adapter, NULL);
  g_autofree char *both = fixture_run ("info", base, "--adapter", adapter, NULL);
  g_autofree char *plain = fixture_run ("info", base, NULL);

  g_assert_nonnull (strstr (own, "llama + llama"));
  g_assert_nonnull (strstr (both, "adapters/llama"));
  g_assert_null (strstr (plain, "\nadapter"));
}

static void
test_refused (Fixture       *fixture,
              gconstpointer  data)
{
  g_autofree char *adapter = find_adapter ("mixtral");
  g_autofree char *base = find_base ();
  g_autofree char *table = fixture_get_path (fixture, "t.csv");
  g_autofree char *path = fixture_get_path (fixture, "c.svg");

  g_assert_true (g_file_set_contents (table, "a,b\n1,0\n0.5,0.5\n", -1, NULL));
  fixture_fail (1, "block_sparse_moe", "render", "single", "--model", base, "--adapter", adapter,
                "--ids", IDS, "-o", path, NULL);
  fixture_fail (1, "adapter_config.json", "render", "single", "--model", base, "--adapter", base,
                "--ids", IDS, "-o", path, NULL);
  fixture_fail (1, "arrays found with an adapter", "compute", "--model", table, "--adapter",
                adapter, "-o", "-", NULL);
  g_autofree char *other = find_adapter ("llama");
  fixture_fail (1, "in the place of the model of another", "compute", "--model", other, "--adapter",
                adapter, "--ids", IDS, "-o", "-", NULL);
  fixture_remove (fixture, "t.csv");
}

int
main (int   argc,
      char *argv[])
{
  fixture_init (&argc, &argv);
  fixture_add ("/cli/adapters/ways", test_ways);
  fixture_add ("/cli/adapters/comparison", test_comparison);
  fixture_add ("/cli/adapters/info", test_info);
  fixture_add ("/cli/adapters/refused", test_refused);
  return g_test_run ();
}
