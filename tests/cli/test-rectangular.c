/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Recorded weights whose keys are not their queries, [1, 4, T, S]: what is shown and computed of
 * them, or refused. What is expected is computed here from the weights themselves. */

#include "config.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "../save-arrays.h"
#include "cli-fixture.h"

#define N_HEADS   4
#define TOLERANCE 1e-6

typedef struct
{
  gsize n_rows;
  gsize n_columns;
} Size;

static const Size sizes[] = { { 2, 3 }, { 3, 2 }, { 40, 97 }, { 1, 5 }, { 5, 1 } };

/* Where the names of the tokens stand. */
typedef enum
{
  LABELS_NONE,
  LABELS_TOKENS,
  LABELS_ROWS,
  LABELS_METADATA,
  LABELS_BESIDE,
  N_LABELS,
} Labels;

/* Rows that add up to 1, no two alike. */
static double
get_weight (const Size *size,
            gsize       head,
            gsize       row,
            gsize       column)
{
  double sum = 0;

  for (gsize k = 0; k < size->n_columns; k++)
    sum += 1 + (7 * head + 3 * row + 5 * k) % 11;
  return (1 + (7 * head + 3 * row + 5 * column) % 11) / sum;
}

static double
get_mean (const Size *size,
          gsize       row,
          gsize       column)
{
  double sum = 0;

  for (gsize head = 0; head < N_HEADS; head++)
    sum += get_weight (size, head, row, column);
  return sum / N_HEADS;
}

static char **
list_labels (const char *prefix,
             gsize       n)
{
  char **labels = g_new0 (char *, n + 1);

  for (gsize i = 0; i < n; i++)
    labels[i] = g_strdup_printf ("%s%zu", prefix, i);
  return labels;
}

/* ["q0", "q1"] */
static char *
list_json (char **labels)
{
  g_autofree char *joined = g_strjoinv ("\", \"", labels);

  return g_strdup_printf ("[\"%s\"]", joined);
}

/* Returns: (transfer full): the path of the recording; "r.safetensors" or "r.npz" in the fixture */
static char *
save_recording (Fixture    *fixture,
                const Size *size,
                Labels      labels,
                const char *causal)
{
  const gsize shape[] = { 1, N_HEADS, size->n_rows, size->n_columns };
  g_autoptr (AttnArrayFile) file = attn_array_file_new (NULL);
  g_autoptr (AttnTensor) weights = attn_tensor_new (4, shape, NULL);
  g_auto (GStrv) queries = list_labels ("q", size->n_rows);
  g_auto (GStrv) keys = list_labels ("k", size->n_columns);
  g_autofree char *query_list = list_json (queries);
  g_autofree char *key_list = list_json (keys);
  char *path = fixture_get_path (fixture, "r.safetensors");
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < attn_tensor_get_n_elements (weights); i++)
    weights->data[i] =
        (float) get_weight (size, i / size->n_columns / size->n_rows,
                            i / size->n_columns % size->n_rows, i % size->n_columns);
  attn_array_file_add (file, attn_array_new_from_tensor ("attention", weights), &error);
  if (labels == LABELS_TOKENS || labels == LABELS_ROWS)
    {
      const char *names[] = { labels == LABELS_ROWS ? "row_labels" : "query_tokens",
                              labels == LABELS_ROWS ? "column_labels" : "key_tokens" };

      g_free (path);
      path = fixture_get_path (fixture, "r.npz");
      attn_array_file_add (
          file, attn_array_new_strings (names[0], (const char * const *) queries), &error);
      attn_array_file_add (file, attn_array_new_strings (names[1], (const char * const *) keys),
                           &error);
    }
  if (labels == LABELS_METADATA)
    {
      attn_array_file_set_metadata (file, "query_tokens", query_list);
      attn_array_file_set_metadata (file, "key_tokens", key_list);
    }
  if (labels == LABELS_BESIDE)
    {
      g_autofree char *text = g_strdup_printf ("{\"query_tokens\": %s, \"key_tokens\": %s}",
                                               query_list, key_list);

      fixture_write_text (fixture, "r.tokens.json", text);
    }
  if (causal != NULL)
    attn_array_file_set_metadata (file, "causal", causal);
  save_arrays (file, path, &error);
  g_assert_no_error (error);
  return path;
}

static void
remove_recording (const char *path)
{
  g_autofree char *directory = g_path_get_dirname (path);
  g_autofree char *beside = g_build_filename (directory, "r.tokens.json", NULL);

  g_assert_cmpint (g_unlink (path), ==, 0);
  g_unlink (beside);
}

/* What `compute @line` writes of the recording, as safetensors. */
static AttnArrayFile *
compute (Fixture    *fixture,
         const char *recording,
         const char *line)
{
  return fixture_compute (fixture, recording, "out.safetensors", line);
}

/* A panel that shows the rows and columns from some on, of a head or of the mean of all. */
static void
test_panels (Fixture       *fixture,
             gconstpointer  data)
{
  static const struct
  {
    const char *line;
    int head; /* or -1 */
    gboolean is_last_row;
    gboolean hides_first;
    gboolean is_renormalised;
  } cases[] = {
    { "single --head mean", -1, FALSE, FALSE, FALSE },
    { "single --head 2", 2, FALSE, FALSE, FALSE },
    { "single --head mean --words", -1, FALSE, FALSE, FALSE },
    { "single --head mean --last-queries 1", -1, TRUE, FALSE, FALSE },
    { "single --head 1 --hide-keys 0", 1, FALSE, TRUE, FALSE },
    { "single --head 1 --hide-keys 0 --renormalise", 1, FALSE, TRUE, TRUE },
    { "single --head mean --hide-keys 0 --last-queries 1", -1, TRUE, TRUE, FALSE },
  };

  for (gsize s = 0; s < G_N_ELEMENTS (sizes); s++)
    {
      const Size *size = &sizes[s];
      g_autofree char *path = save_recording (fixture, size, LABELS_TOKENS, NULL);
      g_autofree char *out = fixture_get_path (fixture, "a.npy");

      for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
        {
          gsize first_row = cases[i].is_last_row ? size->n_rows - 1 : 0;
          gsize first_column = cases[i].hides_first ? 1 : 0;
          const gsize shape[] = { size->n_rows - first_row, size->n_columns - first_column };

          if (shape[1] == 0)
            {
              fixture_fail (1, "all 1 keys", "compute", "single", "--hide-keys", "0", "--model",
                            path, "-o", out, NULL);
              continue;
            }
          g_autoptr (AttnArrayFile) file = compute (fixture, path, cases[i].line);
          g_autoptr (AttnTensor) panel = fixture_get_tensor (file, "panel_0_0");
          g_assert_true (attn_tensor_has_shape (panel, 2, shape));
          for (gsize k = 0; k < shape[0] * shape[1]; k++)
            {
              gsize row = first_row + k / shape[1];
              gsize column = first_column + k % shape[1];
              double hidden = cases[i].is_renormalised ? get_weight (size, cases[i].head, row, 0)
                                                       : 0;
              double expected = cases[i].head < 0
                                    ? get_mean (size, row, column)
                                    : get_weight (size, cases[i].head, row, column);

              g_assert_cmpfloat_with_epsilon (panel->data[k], expected / (1 - hidden), TOLERANCE);
            }
          fixture_assert_labels (file, "panel_0_0_rows", "q", first_row, shape[0]);
          fixture_assert_labels (file, "panel_0_0_columns", "k", first_column, shape[1]);
        }
      remove_recording (path);
    }
}

/* All heads at once, two of them and their difference, and all of the array. */
static void
test_grids (Fixture       *fixture,
            gconstpointer  data)
{
  for (gsize s = 0; s < G_N_ELEMENTS (sizes); s++)
    {
      const Size *size = &sizes[s];
      g_autofree char *path = save_recording (fixture, size, LABELS_ROWS, NULL);
      g_autoptr (AttnArrayFile) atlas = compute (fixture, path, "head-atlas");
      g_autoptr (AttnArrayFile) pair = compute (fixture, path, "compare --compare head --layer 0");
      g_autoptr (AttnArrayFile) all = compute (fixture, path, "--head all");
      g_autoptr (AttnArrayFile) mean = compute (fixture, path, "--head mean");
      g_autoptr (AttnTensor) difference = fixture_get_tensor (pair, "panel_0_2");
      g_autoptr (AttnTensor) weights = fixture_get_tensor (all, "weights");
      g_autoptr (AttnTensor) average = fixture_get_tensor (mean, "weights");
      const gsize shape[] = { 1, N_HEADS, size->n_rows, size->n_columns };
      const gsize mean_shape[] = { 1, 1, size->n_rows, size->n_columns };

      g_assert_true (attn_tensor_has_shape (difference, 2, shape + 2));
      g_assert_true (attn_tensor_has_shape (weights, 4, shape));
      g_assert_true (attn_tensor_has_shape (average, 4, mean_shape));
      for (gsize head = 0; head < N_HEADS; head++)
        {
          g_autofree char *name = g_strdup_printf ("panel_0_%zu", head);
          g_autoptr (AttnTensor) panel = fixture_get_tensor (atlas, name);

          g_assert_true (attn_tensor_has_shape (panel, 2, shape + 2));
          for (gsize k = 0; k < size->n_rows * size->n_columns; k++)
            {
              gsize row = k / size->n_columns;
              gsize column = k % size->n_columns;
              double expected = get_weight (size, head, row, column);
              gsize index = head * size->n_rows * size->n_columns + k;

              g_assert_cmpfloat_with_epsilon (panel->data[k], expected, TOLERANCE);
              g_assert_cmpfloat_with_epsilon (weights->data[index], expected, TOLERANCE);
              g_assert_cmpfloat_with_epsilon (average->data[k], get_mean (size, row, column),
                                              TOLERANCE);
              g_assert_cmpfloat_with_epsilon (difference->data[k],
                                              get_weight (size, 1, row, column) -
                                                  get_weight (size, 0, row, column),
                                              TOLERANCE);
            }
        }
      fixture_assert_labels (all, "query_labels", "q", 0, size->n_rows);
      fixture_assert_labels (all, "key_labels", "k", 0, size->n_columns);
      remove_recording (path);
    }
}

/* Roles are keys; what is told is the attention that the last query pays to them. */
static void
test_layer_token (Fixture       *fixture,
                  gconstpointer  data)
{
  for (gsize s = 0; s < G_N_ELEMENTS (sizes); s++)
    {
      const Size *size = &sizes[s];
      gsize last = size->n_columns - 1;
      g_autofree char *path = save_recording (fixture, size, LABELS_TOKENS, NULL);
      g_autofree char *line =
          g_strdup_printf ("layer-token --reduce mean --positions answer=%zu,exact=%zu-%zu",
                           MIN (last, 1), last, last);
      g_autoptr (AttnArrayFile) file = compute (fixture, path, line);
      g_autoptr (AttnTensor) map = fixture_get_tensor (file, "panel_0_0");
      g_auto (GStrv) names = attn_array_file_dup_labels (file, "panel_0_0_columns");
      gsize n_known = 0;

      g_assert_cmpuint (map->shape[0], ==, 1);
      for (gsize column = 0; column < map->shape[1]; column++)
        {
          gint64 number = g_ascii_strtoll (names[column], NULL, 10);
          gsize key = number < 0 ? size->n_columns + number : G_MAXSIZE;

          if (g_str_equal (names[column], "first_answer"))
            key = MIN (last, 1);
          else if (g_str_has_prefix (names[column], "exact_answer_last"))
            key = last;

          if (key == G_MAXSIZE)
            continue;
          g_assert_cmpfloat_with_epsilon (map->data[column],
                                          get_mean (size, size->n_rows - 1, key), TOLERANCE);
          n_known++;
        }
      g_assert_cmpuint (n_known, ==, 2 + MIN (size->n_columns, 8));
      remove_recording (path);
    }
}

/* A region that lies beyond the smaller of both sizes. */
static void
test_region (Fixture       *fixture,
             gconstpointer  data)
{
  const Size *size = &sizes[2];
  g_autofree char *path = save_recording (fixture, size, LABELS_NONE, NULL);
  g_autoptr (AttnArrayFile) file =
      compute (fixture, path, "single --head 3 --layer 0 --region 90-96,38-39");
  const char *text = attn_array_file_get_metadata (file, "attention-grid");
  const char *mean = text != NULL ? strstr (text, "\"mean\":") : NULL;
  double sum = 0;

  g_assert_nonnull (mean);
  for (gsize row = 38; row < 40; row++)
    for (gsize column = 90; column < 97; column++)
      sum += get_weight (size, 3, row, column);
  g_assert_cmpfloat_with_epsilon (g_ascii_strtod (mean + strlen ("\"mean\":"), NULL), sum / 14,
                                  TOLERANCE);
  remove_recording (path);
}

static void
test_labels (Fixture       *fixture,
             gconstpointer  data)
{
  for (gsize s = 0; s < 2; s++)
    for (Labels labels = LABELS_NONE; labels < N_LABELS; labels++)
      {
        g_autofree char *path = save_recording (fixture, &sizes[s], labels, NULL);
        g_autofree char *svg = fixture_get_path (fixture, "a.svg");
        g_autoptr (AttnArrayFile) file = compute (fixture, path, "single --head mean");

        fixture_assert_labels (file, "panel_0_0_rows", labels == LABELS_NONE ? "" : "q", 0,
                               sizes[s].n_rows);
        fixture_assert_labels (file, "panel_0_0_columns", labels == LABELS_NONE ? "" : "k", 0,
                               sizes[s].n_columns);
        g_autofree char *a = fixture_run ("render", "single", "--head", "mean", "--model", path,
                                          "-o", svg, NULL);
        g_autofree char *b = fixture_run ("render", "head-atlas", "--model", path, "-o", svg, NULL);
        fixture_remove (fixture, "a.svg");
        remove_recording (path);
      }
}

/* What makes no sense without as many keys as queries, or without queries and keys. */
static void
test_refused (Fixture       *fixture,
              gconstpointer  data)
{
  static const char * const presets[] = { "mean-operation", "epsilon", "compare" };
  g_autofree char *out = fixture_get_path (fixture, "a.npy");
  g_autofree char *path = save_recording (fixture, &sizes[0], LABELS_TOKENS, NULL);
  g_autofree char *npz = fixture_get_path (fixture, "a.npz");
  const Size other = { 2, 4 };

  for (gsize i = 0; i < G_N_ELEMENTS (presets); i++)
    fixture_fail (1, "recorded attention weights", "compute", presets[i], "--model", path, "-o",
                  npz, NULL);
  fixture_fail (1, "--measure sink", "compute", "score-atlas", "--model", path, "-o", out, NULL);
  fixture_fail (1, "2 queries x 3 keys", "compute", "head-groups", "--model", path, "-o", out,
                NULL);
  fixture_fail (1, "2 queries x 3 keys", "compute", "head-groups", "--detect", "share=0.5",
                "--model", path, "-o", out, NULL);
  fixture_fail (1, "without “query”", "compute", "--what", "scores", "--model", path, "-o", out,
                NULL);
  fixture_fail (1, "without “value”", "compute", "--what", "value", "--model", path, "-o", out,
                NULL);
  fixture_fail (1, "queries 2 found", "compute", "single", "--queries", "2", "--model", path,
                "-o", out, NULL);
  fixture_fail (1, "hidden keys 3 found", "compute", "single", "--hide-keys", "3", "--model",
                path, "-o", out, NULL);

  g_autofree char *wide = save_recording (fixture, &other, LABELS_NONE, NULL);
  fixture_fail (1, "3 keys found in r and 4 in r", "compute", "compare", "--compare", "model",
                "--head", "1", "--layer", "0", "--model", path, "--with-model", wide, "-o",
                npz, NULL);
  remove_recording (path);
  remove_recording (wide);

  g_autofree char *causal = save_recording (fixture, &sizes[0], LABELS_NONE, "true");
  fixture_fail (1, "“causal” found with 2 queries x 3 keys", "compute", "--model", causal, "-o",
                out, NULL);
  remove_recording (causal);
}

int
main (int    argc,
      char **argv)
{
  fixture_init (&argc, &argv);

  fixture_add ("/cli/rectangular/panels", test_panels);
  fixture_add ("/cli/rectangular/grids", test_grids);
  fixture_add ("/cli/rectangular/layer-token", test_layer_token);
  fixture_add ("/cli/rectangular/region", test_region);
  fixture_add ("/cli/rectangular/labels", test_labels);
  fixture_add ("/cli/rectangular/refused", test_refused);

  return g_test_run ();
}
