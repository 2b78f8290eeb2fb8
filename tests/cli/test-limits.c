/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The program where it may not have the address space that it wants, as by `ulimit -v`. */

#include "config.h"

#include <glib/gstdio.h>
#include <string.h>

#include "../save-arrays.h"
#include "cli-fixture.h"

#define N_TOKENS 3000

/* Queries and keys of so many tokens, which take little; their maps take 144 MB for each layer. */
static void
save_vectors (Fixture    *fixture,
              const char *name)
{
  const gsize shape[] = { 1, 4, N_TOKENS, 8 };
  g_autofree char *path = fixture_get_path (fixture, name);
  g_autoptr (AttnArrayFile) file = attn_array_file_new (NULL);
  g_autoptr (AttnTensor) vectors = attn_tensor_new (4, shape, NULL);
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < attn_tensor_get_n_elements (vectors); i++)
    vectors->data[i] = (float) (i * 7 % 31) / 31;
  attn_array_file_add (file, attn_array_new_from_tensor ("query", vectors), &error);
  attn_array_file_add (file, attn_array_new_from_tensor ("key", vectors), &error);
  save_arrays (file, path, &error);
  g_assert_no_error (error);
}

/* OpenBLAS looks for ever for the address space that it wants: newer ones while the program is
 * loaded. */
static void
test_matrix_products (Fixture       *fixture,
                      gconstpointer  data)
{
  static const gsize limits[] = { 150000, 200000, ATTN_HAS_WINDOW ? 300000 : 250000 };
  g_autofree char *npy = fixture_get_path (fixture, "a.npy");
  g_autofree char *svg = fixture_get_path (fixture, "a.svg");

  for (gsize i = 0; i < G_N_ELEMENTS (limits); i++)
    {
      fixture_set_address_space (limits[i]);
      fixture_fail (1, "matrix products: ", "compute", "-o", npy, NULL);
      fixture_fail (1, "matrix products: ", "render", "single", "-o", svg, NULL);
    }
  fixture_set_address_space (400000);
  g_autofree char *presets = fixture_run ("presets", NULL);
  fixture_set_address_space (0);
}

/* GTK ends the process where it does not get the address space that it asks for. */
static void
test_window (Fixture       *fixture,
             gconstpointer  data)
{
  fixture_set_address_space (400000);
  fixture_fail (1, "409.6 MB of address space found (ulimit -v), expected at least ", "none.npy",
                NULL);
  fixture_set_address_space (0);
}

/* Before anything is computed, while it is computed and when it is written. */
static void
test_long_input (Fixture       *fixture,
                 gconstpointer  data)
{
  g_autofree char *vectors = fixture_get_path (fixture, "vectors.npz");
  g_autofree char *npz = fixture_get_path (fixture, "a.npz");
  g_autofree char *csv = fixture_get_path (fixture, "a.csv");

  save_vectors (fixture, "vectors.npz");
  fixture_set_address_space (1500000);
  fixture_fail (1, "panels: 1.6\302\240GB of memory needed, expected at most ", "compute",
                "epsilon", "--model", vectors, "--layer", "0", "--head", "0", "--epsilons",
                "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15", "-o", npz, NULL);
  fixture_fail (1, ".csv file: ", "compute", "--model", vectors, "-o", csv, NULL);
  /* GTK and its libraries take what is left of it otherwise. */
  fixture_set_address_space (ATTN_HAS_WINDOW ? 700000 : 560000);
  fixture_fail (1, "144.0\302\240MB of memory needed, expected at most ", "compute", "--model",
                vectors, "-o", npz, NULL);
  fixture_set_address_space (0);
  fixture_remove (fixture, "vectors.npz");
}

/* A figure that programs take long to open is said to be one, with what would make it small. */
static void
test_large_figure (Fixture       *fixture,
                   gconstpointer  data)
{
  const gsize shape[] = { 900, 900 };
  g_autofree char *weights = fixture_get_path (fixture, "weights.npy");
  g_autofree char *svg = fixture_get_path (fixture, "a.svg");
  g_autoptr (AttnArrayFile) file = attn_array_file_new (NULL);
  g_autoptr (AttnTensor) tensor = attn_tensor_new (2, shape, NULL);
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < attn_tensor_get_n_elements (tensor); i++)
    tensor->data[i] = 1.0f / 900;
  attn_array_file_add (file, attn_array_new_from_tensor ("weights", tensor), &error);
  save_arrays (file, weights, &error);
  g_assert_no_error (error);
  fixture_note (" MB written, which most programs take long to open; without --cell-titles it is "
                "0.",
                "render", "single", "--model", weights, "--cell-titles",
                "-o", svg, NULL);
  fixture_remove (fixture, "weights.npy");
  fixture_remove (fixture, "a.svg");
}

/* Fewer threads than asked for multiply, and the numbers are the same. */
static void
test_few_threads (Fixture       *fixture,
                  gconstpointer  data)
{
  g_autofree char *free_path = fixture_get_path (fixture, "free.npy");
  g_autofree char *limited_path = fixture_get_path (fixture, "limited.npy");
  g_autofree char *first = fixture_run ("compute", "--threads", "4", "-o", free_path, NULL);

  fixture_set_address_space (600000);
  g_autofree char *second = fixture_run ("compute", "--threads", "4", "-o", limited_path, NULL);
  fixture_set_address_space (0);
  g_autoptr (AttnArrayFile) unlimited = fixture_load (fixture, "free.npy");
  g_autoptr (AttnArrayFile) limited = fixture_load (fixture, "limited.npy");
  g_autoptr (AttnTensor) a = fixture_get_tensor (unlimited, "");
  g_autoptr (AttnTensor) b = fixture_get_tensor (limited, "");
  gsize n_bytes = attn_tensor_get_n_elements (a) * sizeof (float);
  g_assert_cmpmem (a->data, n_bytes, b->data,
                   attn_tensor_get_n_elements (b) * sizeof (float));
  fixture_remove (fixture, "free.npy");
  fixture_remove (fixture, "limited.npy");
}

int
main (int    argc,
      char **argv)
{
  fixture_init (&argc, &argv);

  fixture_add ("/cli/limits/matrix-products", test_matrix_products);
  if (ATTN_HAS_WINDOW)
    fixture_add ("/cli/limits/window", test_window);
  fixture_add ("/cli/limits/long-input", test_long_input);
  fixture_add ("/cli/limits/large-figure", test_large_figure);
  fixture_add ("/cli/limits/few-threads", test_few_threads);

  return g_test_run ();
}
