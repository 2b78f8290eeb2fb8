/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Recorded queries and keys of two sequences, [2, 4, 5, 6] and [2, 2, 7, 6]: what is shown and
 * computed of them, or refused. What is expected is computed here from the arrays, in double. */

#include "config.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "../save-arrays.h"
#include "cli-fixture.h"

#define N_LAYERS    2
#define N_HEADS     4
#define N_KEY_HEADS 2
#define N_QUERIES   5
#define N_KEYS      7
#define WIDTH       6
#define TOLERANCE   2e-5

typedef enum
{
  AXIS_NONE,
  AXIS_FEATURE,
  AXIS_TOKEN,
  AXIS_HEAD,
} Axis;

/* Vectors of a layer, [n_heads, n_tokens, WIDTH]. */
typedef struct
{
  gsize n_heads;
  gsize n_tokens;
  double values[N_HEADS * N_KEYS * WIDTH];
} Vectors;

/* A recorded value, of no order. */
static float
get_recorded (gsize seed,
              gsize i)
{
  return (float) (((i * i * 37 + i * 101 + seed * 59) % 211) / 70.0 - 1.5);
}

static AttnTensor *
make_array (gsize seed,
            gsize n_heads,
            gsize n_tokens)
{
  const gsize shape[] = { N_LAYERS, n_heads, n_tokens, WIDTH };
  AttnTensor *tensor = attn_tensor_new (4, shape, NULL);

  for (gsize i = 0; i < attn_tensor_get_n_elements (tensor); i++)
    tensor->data[i] = get_recorded (seed, i);
  return tensor;
}

static void
load_vectors (Vectors *vectors,
              gsize    seed,
              gsize    n_heads,
              gsize    n_tokens,
              gsize    layer)
{
  gsize n = n_heads * n_tokens * WIDTH;

  vectors->n_heads = n_heads;
  vectors->n_tokens = n_tokens;
  for (gsize i = 0; i < n; i++)
    vectors->values[i] = get_recorded (seed, layer * n + i);
}

/* The mean over the axis takes the place of each value along it. */
static void
average (Vectors *vectors,
         Axis     axis)
{
  const gsize sizes[] = { vectors->n_heads, vectors->n_tokens, WIDTH };
  const gsize strides[] = { vectors->n_tokens * WIDTH, WIDTH, 1 };
  gsize along = 2;

  if (axis == AXIS_HEAD || axis == AXIS_TOKEN)
    along = axis == AXIS_HEAD ? 0 : 1;
  gsize stride = strides[along];
  for (gsize i = 0; axis != AXIS_NONE && i < sizes[0] * strides[0]; i++)
    if (i / stride % sizes[along] == 0)
      {
        double sum = 0;

        for (gsize k = 0; k < sizes[along]; k++)
          sum += vectors->values[i + k * stride];
        for (gsize k = 0; k < sizes[along]; k++)
          vectors->values[i + k * stride] = sum / (double) sizes[along];
      }
}

/* The weights of a head, or, at -1, their mean over the heads: each row sees all keys. */
static void
weigh (const Vectors *queries,
       const Vectors *keys,
       int            head,
       double         weights[N_QUERIES][N_KEYS])
{
  memset (weights, 0, sizeof (double) * N_QUERIES * N_KEYS);
  for (int h = MAX (head, 0); h < (head >= 0 ? head + 1 : N_HEADS); h++)
    for (gsize i = 0; i < N_QUERIES; i++)
      {
        double row[N_KEYS];
        double sum = 0;

        for (gsize k = 0; k < N_KEYS; k++)
          {
            const double *a = queries->values + ((gsize) h * N_QUERIES + i) * WIDTH;
            const double *b =
                keys->values + ((gsize) h / (N_HEADS / N_KEY_HEADS) * N_KEYS + k) * WIDTH;
            double score = 0;

            for (gsize f = 0; f < WIDTH; f++)
              score += a[f] * b[f];
            row[k] = exp (score / sqrt (WIDTH));
            sum += row[k];
          }
        for (gsize k = 0; k < N_KEYS; k++)
          weights[i][k] += row[k] / sum / (head >= 0 ? 1 : N_HEADS);
      }
}

/* What an operation on queries or keys makes of the weights of layer 1. */
static void
expect (double query_factor,
        Axis   query_axis,
        double key_factor,
        Axis   key_axis,
        int    head,
        double weights[N_QUERIES][N_KEYS])
{
  Vectors queries;
  Vectors keys;

  load_vectors (&queries, 1, N_HEADS, N_QUERIES, 1);
  load_vectors (&keys, 2, N_KEY_HEADS, N_KEYS, 1);
  average (&queries, query_axis);
  average (&keys, key_axis);
  for (gsize i = 0; i < G_N_ELEMENTS (queries.values); i++)
    {
      if (i < N_HEADS * N_QUERIES * WIDTH)
        queries.values[i] *= query_factor;
      if (i < N_KEY_HEADS * N_KEYS * WIDTH)
        keys.values[i] *= key_factor;
    }
  weigh (&queries, &keys, head, weights);
}

/* @n_values: positions that the values are of; 0 for none
 * Returns: (transfer full): the path of the recording, "r.npz" in the fixture */
static char *
save_recording (Fixture  *fixture,
                gsize     n_values,
                gboolean  has_weights,
                gboolean  has_key_tokens)
{
  static const char * const queries[] = { "q0", "q1", "q2", "q3", "q4", NULL };
  static const char * const keys[] = { "k0", "k1", "k2", "k3", "k4", "k5", "k6", NULL };
  const gsize shape[] = { N_LAYERS, N_HEADS, N_QUERIES, N_KEYS };
  g_autoptr (AttnArrayFile) file = attn_array_file_new (NULL);
  g_autoptr (AttnTensor) query = make_array (1, N_HEADS, N_QUERIES);
  g_autoptr (AttnTensor) key = make_array (2, N_KEY_HEADS, N_KEYS);
  g_autoptr (AttnTensor) value =
      n_values > 0 ? make_array (3, N_KEY_HEADS, n_values) : NULL;
  g_autoptr (AttnTensor) weights = has_weights ? attn_tensor_new (4, shape, NULL) : NULL;
  char *path = fixture_get_path (fixture, "r.npz");
  g_autoptr (GError) error = NULL;

  attn_array_file_add (file, attn_array_new_from_tensor ("q", query), &error);
  attn_array_file_add (file, attn_array_new_from_tensor ("k", key), &error);
  if (value != NULL)
    attn_array_file_add (file, attn_array_new_from_tensor ("v", value), &error);
  for (gsize i = 0; has_weights && i < attn_tensor_get_n_elements (weights); i++)
    weights->data[i] = i % N_KEYS == 0 ? 1.0f : 0.0f;
  if (has_weights)
    attn_array_file_add (file, attn_array_new_from_tensor ("attention", weights), &error);
  attn_array_file_add (file, attn_array_new_strings ("query_tokens", queries), &error);
  if (has_key_tokens)
    attn_array_file_add (file, attn_array_new_strings ("key_tokens", keys), &error);
  save_arrays (file, path, &error);
  g_assert_no_error (error);
  return path;
}

/* What `compute @line` writes of the recording, as .npz. */
static AttnArrayFile *
compute (Fixture    *fixture,
         const char *recording,
         const char *line)
{
  return fixture_compute (fixture, recording, "out.npz", line);
}

/* @before: (nullable): what the panel is the difference to */
static void
assert_panel (const AttnArrayFile *file,
              const char          *name,
              double               expected[N_QUERIES][N_KEYS],
              double               before[N_QUERIES][N_KEYS])
{
  const gsize shape[] = { N_QUERIES, N_KEYS };
  g_autoptr (AttnTensor) panel = fixture_get_tensor (file, name);

  g_assert_true (attn_tensor_has_shape (panel, 2, shape));
  for (gsize i = 0; i < N_QUERIES; i++)
    for (gsize k = 0; k < N_KEYS; k++)
      g_assert_cmpfloat_with_epsilon (panel->data[i * N_KEYS + k],
                                      expected[i][k] - (before != NULL ? before[i][k] : 0),
                                      TOLERANCE);
}

/* All heads of all layers, of which nothing is masked. */
static void
test_weights (Fixture       *fixture,
              gconstpointer  data)
{
  const gsize shape[] = { N_LAYERS, N_HEADS, N_QUERIES, N_KEYS };
  g_autofree char *path = save_recording (fixture, N_KEYS, FALSE, TRUE);
  g_autoptr (AttnArrayFile) file = compute (fixture, path, "--what weights");
  g_autoptr (AttnTensor) weights = fixture_get_tensor (file, "weights");
  const float *found = weights->data;

  g_assert_true (attn_tensor_has_shape (weights, 4, shape));
  fixture_assert_labels (file, "query_labels", "q", 0, N_QUERIES);
  fixture_assert_labels (file, "key_labels", "k", 0, N_KEYS);
  for (gsize layer = 0; layer < N_LAYERS; layer++)
    for (int head = 0; head < N_HEADS; head++)
      {
        double expected[N_QUERIES][N_KEYS];
        Vectors queries;
        Vectors keys;

        load_vectors (&queries, 1, N_HEADS, N_QUERIES, layer);
        load_vectors (&keys, 2, N_KEY_HEADS, N_KEYS, layer);
        weigh (&queries, &keys, head, expected);
        for (gsize i = 0; i < N_QUERIES * N_KEYS; i++)
          g_assert_cmpfloat_with_epsilon (*found++, expected[i / N_KEYS][i % N_KEYS], TOLERANCE);
      }

  g_autoptr (AttnArrayFile) keys = compute (fixture, path, "--what key");
  g_autoptr (AttnArrayFile) values = compute (fixture, path, "--what value");
  g_autoptr (AttnArrayFile) queries = compute (fixture, path, "--what query");
  fixture_assert_labels (keys, "token_labels", "k", 0, N_KEYS);
  fixture_assert_labels (values, "token_labels", "k", 0, N_KEYS);
  fixture_assert_labels (queries, "token_labels", "q", 0, N_QUERIES);
  fixture_remove (fixture, "r.npz");
}

/* Panels of one head, of the mean of all, and of what operations make of them. */
static void
test_panels (Fixture       *fixture,
             gconstpointer  data)
{
  static const struct
  {
    const char *options;
    double query_factor;
    Axis query_axis;
    double key_factor;
    Axis key_axis;
  } cases[] = {
    { "", 1, AXIS_NONE, 1, AXIS_NONE },
    { " --scale query=0.25", 0.25, AXIS_NONE, 1, AXIS_NONE },
    { " --scale key=0.001", 1, AXIS_NONE, 0.001, AXIS_NONE },
    { " --scale value=0.001", 1, AXIS_NONE, 1, AXIS_NONE },
    { " --zero key", 1, AXIS_NONE, 0, AXIS_NONE },
    { " --mean query --axis feature", 1, AXIS_FEATURE, 1, AXIS_NONE },
    { " --mean query --axis token", 1, AXIS_TOKEN, 1, AXIS_NONE },
    { " --mean query --axis head", 1, AXIS_HEAD, 1, AXIS_NONE },
    { " --mean key --axis feature", 1, AXIS_NONE, 1, AXIS_FEATURE },
    { " --mean key --axis token", 1, AXIS_NONE, 1, AXIS_TOKEN },
    { " --mean key --axis head", 1, AXIS_NONE, 1, AXIS_HEAD },
    { " --mean value --axis feature", 1, AXIS_NONE, 1, AXIS_NONE },
  };
  g_autofree char *path = save_recording (fixture, N_KEYS, FALSE, TRUE);

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    for (int head = -1; head < N_HEADS; head += 3)
      {
        g_autofree char *line =
            head < 0 ? g_strdup_printf ("single --layer 1 --head mean%s", cases[i].options)
                     : g_strdup_printf ("single --layer 1 --head %d%s", head, cases[i].options);
        g_autoptr (AttnArrayFile) file = compute (fixture, path, line);
        double expected[N_QUERIES][N_KEYS];

        expect (cases[i].query_factor, cases[i].query_axis, cases[i].key_factor, cases[i].key_axis,
                head, expected);
        assert_panel (file, "panel_0_0", expected, NULL);
        fixture_assert_labels (file, "panel_0_0_rows", "q", 0, N_QUERIES);
        fixture_assert_labels (file, "panel_0_0_columns", "k", 0, N_KEYS);
      }
  fixture_remove (fixture, "r.npz");
}

/* The grids of the published figures, and a difference: B less A. */
static void
test_grids (Fixture       *fixture,
            gconstpointer  data)
{
  static const double factors[] = { 0.5, 1e-3, 1e-10 };
  g_autofree char *path = save_recording (fixture, N_KEYS, FALSE, TRUE);
  g_autofree char *svg = fixture_get_path (fixture, "a.svg");
  g_autoptr (AttnArrayFile) means =
      compute (fixture, path, "mean-operation --layer 1 --head 2 --axis feature");
  g_autoptr (AttnArrayFile) scaled = compute (fixture, path, "epsilon --layer 1 --head 2");
  g_autoptr (AttnArrayFile) both =
      compute (fixture, path, "compare --layer 1 --head 2 --scale key=0.1");
  double before[N_QUERIES][N_KEYS];
  double expected[N_QUERIES][N_KEYS];

  expect (1, AXIS_NONE, 1, AXIS_NONE, 2, before);
  expect (1, AXIS_FEATURE, 1, AXIS_NONE, 2, expected);
  assert_panel (means, "panel_0_0", expected, NULL);
  expect (1, AXIS_NONE, 1, AXIS_FEATURE, 2, expected);
  assert_panel (means, "panel_0_1", expected, NULL);
  assert_panel (means, "panel_0_2", before, NULL);
  for (gsize i = 0; i < 9; i++)
    {
      g_autofree char *name = g_strdup_printf ("panel_%zu_%zu", i / 3, i % 3);

      /* A row is a component, a column a factor. */
      expect (i / 3 == 0 ? factors[i % 3] : 1, AXIS_NONE, i / 3 == 1 ? factors[i % 3] : 1,
              AXIS_NONE, 2, expected);
      assert_panel (scaled, name, expected, NULL);
    }
  expect (1, AXIS_NONE, 0.1, AXIS_NONE, 2, expected);
  assert_panel (both, "panel_0_0", before, NULL);
  assert_panel (both, "panel_0_1", expected, NULL);
  assert_panel (both, "panel_0_2", expected, before);

  g_autofree char *a =
      fixture_run ("render", "head-atlas", "--model", path, "-o", svg, NULL);
  g_autofree char *b = fixture_run ("render", "single", "--head", "1", "--model", path, "-o", svg,
                                    NULL);
  g_autofree char *text = fixture_read_text (svg);
  g_assert_cmpstr (a, ==, "");
  g_assert_cmpstr (b, ==, "");
  g_assert_nonnull (text);
  fixture_remove (fixture, "a.svg");
  fixture_remove (fixture, "r.npz");
}

/* Heads of a scope are query heads, of keys, too: each names the key head that it shares. */
static void
test_scope (Fixture       *fixture,
            gconstpointer  data)
{
  static const struct
  {
    const char *heads;
    int head;
    gboolean are_changed[N_KEY_HEADS];
  } cases[] = {
    { "0", 0, { TRUE, FALSE } },
    { "1", 0, { TRUE, FALSE } },
    { "1", 2, { TRUE, FALSE } },
    { "3", 2, { FALSE, TRUE } },
    { "1,2", 0, { TRUE, TRUE } },
    { "shown", 1, { TRUE, FALSE } },
    { "2", 1, { FALSE, TRUE } },
    { "shown", 3, { FALSE, TRUE } },
  };
  g_autofree char *path = save_recording (fixture, 0, FALSE, TRUE);
  g_autofree char *out = fixture_get_path (fixture, "a.npz");

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *line =
          g_strdup_printf ("single --layer 1 --head %d --mean key --axis head --scope-heads %s",
                           cases[i].head, cases[i].heads);
      g_autoptr (AttnArrayFile) file = compute (fixture, path, line);
      double expected[N_QUERIES][N_KEYS];
      Vectors queries;
      Vectors keys;
      Vectors means;

      load_vectors (&queries, 1, N_HEADS, N_QUERIES, 1);
      load_vectors (&keys, 2, N_KEY_HEADS, N_KEYS, 1);
      means = keys;
      average (&means, AXIS_HEAD);
      for (gsize k = 0; k < N_KEY_HEADS * N_KEYS * WIDTH; k++)
        if (cases[i].are_changed[k / (N_KEYS * WIDTH)])
          keys.values[k] = means.values[k];
      weigh (&queries, &keys, cases[i].head, expected);
      assert_panel (file, "panel_0_0", expected, NULL);
    }
  fixture_fail (1, "heads 4 found, expected 0 to 3", "compute", "single", "--mean=key",
                "--scope-heads=4", "--model", path, "-o", out, NULL);
  fixture_remove (fixture, "r.npz");
}

/* Recorded weights come before those that would be computed, until something is changed. */
static void
test_recorded_weights (Fixture       *fixture,
                       gconstpointer  data)
{
  g_autofree char *path = save_recording (fixture, 0, TRUE, FALSE);
  g_autoptr (AttnArrayFile) file = compute (fixture, path, "single --layer 1 --head 3");
  g_autoptr (AttnTensor) panel = fixture_get_tensor (file, "panel_0_0");
  g_autoptr (AttnArrayFile) scaled =
      compute (fixture, path, "single --layer 1 --head 3 --scale key=0.5");
  double expected[N_QUERIES][N_KEYS];

  for (gsize i = 0; i < N_QUERIES * N_KEYS; i++)
    g_assert_cmpfloat_with_epsilon (panel->data[i], i % N_KEYS == 0 ? 1 : 0, TOLERANCE);
  fixture_assert_labels (file, "panel_0_0_columns", "", 0, N_KEYS);
  expect (1, AXIS_NONE, 0.5, AXIS_NONE, 3, expected);
  assert_panel (scaled, "panel_0_0", expected, NULL);
  fixture_remove (fixture, "r.npz");
}

static void
test_refused (Fixture       *fixture,
              gconstpointer  data)
{
  static const struct
  {
    const char *named;
    const char *words[4];
  } cases[] = {
    { "residual stream", { "compute", "state" } },
    { "another sequence", { "compute", "--what", "rollout" } },
    { "expected a model for the logits", { "compute", "--what", "logits" } },
    { "without positions", { "compute", "score-atlas", "--measure", "distance" } },
    { "recorded attention", { "compute", "score-atlas", "--measure", "effect:zero" } },
    { "expected one of a sequence to itself", { "compute", "head-groups" } },
    { "without a rotary embedding",
      { "compute", "single", "--scale=key=0.5", "--site=rotated" } },
    { "expected one of cross", { "compute", "--attention", "text" } },
    { "tokens 7", { "compute", "single", "--scale=key=0.5", "--scope-tokens=7" } },
    { "tokens 5", { "compute", "single", "--scale=query=0.5", "--scope-tokens=5" } },
  };
  g_autofree char *out = fixture_get_path (fixture, "a.npz");
  g_autofree char *path = save_recording (fixture, N_KEYS, FALSE, TRUE);

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const char * const *w = cases[i].words;

      fixture_fail (1, cases[i].named, w[0], "--model", path, "-o", out, w[1], w[2], w[3], NULL);
    }
  fixture_remove (fixture, "r.npz");

  g_autofree char *other = save_recording (fixture, N_QUERIES, FALSE, TRUE);
  fixture_fail (1, "expected shapes of one forward pass", "compute", "--model", other, "-o", out,
                NULL);
  fixture_remove (fixture, "r.npz");
}

int
main (int    argc,
      char **argv)
{
  fixture_init (&argc, &argv);

  fixture_add ("/cli/cross-recording/weights", test_weights);
  fixture_add ("/cli/cross-recording/panels", test_panels);
  fixture_add ("/cli/cross-recording/grids", test_grids);
  fixture_add ("/cli/cross-recording/scope", test_scope);
  fixture_add ("/cli/cross-recording/recorded-weights", test_recorded_weights);
  fixture_add ("/cli/cross-recording/refused", test_refused);

  return g_test_run ();
}
