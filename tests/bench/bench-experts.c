/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Large models of which each token goes through a few experts: opening them, passes beside the same
 * products by OpenBLAS, and what stays out of memory. Their files are sparse: they take little room
 * on the disk. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "attn-array-format.h"
#include "attn-linear.h"
#include "attn-trace.h"
#include "bench.h"

#define N_TOKENS 128
#define N_INFOS  5

static void
print (const char *name,
       const char *what,
       const char *unit,
       GArray     *values,
       GArray     *limits,
       const char *limit_name,
       const char *bound)
{
  g_autofree char *title = g_strdup_printf ("%s, %s", name, what);
  Figure figure = { "experts", title, unit, values, limits, limit_name, bound };

  print_figure (&figure);
}

/* As a user does it, nothing of the file in memory. */
static void
measure_info (const char *program,
              const char *directory,
              const char *name)
{
  const char *argv[] = { program, "info", directory, NULL };
  g_autoptr (GArray) values = series_new ();

  for (int round = 0; round < N_INFOS; round++)
    {
      forget_model (directory);
      series_add (values, time_program (argv));
    }
  print (name, "info, nothing of it in memory", "ms", values, NULL, NULL, "100 ms");
}

/* The tokens that each expert of a layer gets: a router sees their embeddings, as add_experts() has
 * it. */
static void
count_rows (const Shape         *shape,
            const AttnArrayFile *file,
            gsize                layer,
            const guint32       *ids,
            gsize               *n_rows)
{
  gsize width = shape->width;
  gsize n = shape->n_experts;
  g_autofree char *name =
      g_strdup_printf (shape->family == SHAPE_GPT_OSS ? "model.layers.%zu.mlp.router.weight"
                                                      : "model.layers.%zu.mlp.gate.weight",
                       layer);
  const AttnArray *embedding = attn_array_file_lookup (file, "model.embed_tokens.weight");
  g_autofree float *router = g_new (float, n *width);
  g_autofree float *x = g_new (float, width);
  g_autofree float *scores = g_new (float, n);

  attn_array_read (attn_array_file_lookup (file, name), 0, n * width, router, NULL);
  for (gsize token = 0; token < N_TOKENS; token++)
    {
      attn_array_read (embedding, ids[token] * width, width, x, NULL);
      for (gsize expert = 0; expert < n; expert++)
        {
          scores[expert] = 0.0f;
          for (gsize i = 0; i < width; i++)
            scores[expert] += x[i] * router[expert * width + i];
        }
      for (gsize used = 0; used < shape->n_used_experts; used++)
        {
          gsize best = 0;

          for (gsize expert = 1; expert < n; expert++)
            if (scores[expert] > scores[best])
              best = expert;
          scores[best] = -INFINITY;
          n_rows[best]++;
        }
    }
}

static double
time_pass (AttnModel     *model,
           const guint32 *ids,
           gsize          n_ids,
           gsize          layer)
{
  g_autoptr (AttnIndexSet) layers = attn_index_set_new_range (layer, layer);
  const AttnTraceRequest request = {
    .ids = ids,
    .n_ids = n_ids,
    .keep = ATTN_QUANTITY_WEIGHTS,
    .layers = layers,
  };
  g_autoptr (GError) error = NULL;
  double begin = now_ms ();
  g_autoptr (AttnTrace) trace = attn_trace_compute (model, &request, NULL, NULL, NULL, &error);

  if (trace == NULL)
    g_error ("%s", error->message);
  return now_ms () - begin;
}

/* @n_layers: up to which layer a pass goes */
static void
measure_pass (const Shape *shape,
              const char  *directory,
              const char  *name,
              gsize        n_layers)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = g_build_filename (directory, "model.safetensors", NULL);
  AttnArrayFile *file = attn_array_file_load (path, &error);
  g_autofree guint32 *ids = random_ids (N_TOKENS, 1000, 1);
  g_autofree gsize *rows = g_new0 (gsize, n_layers * shape->n_experts);
  g_autofree char *what =
      g_strdup_printf ("weights of layer %zu, %d tokens", n_layers, N_TOKENS);
  g_autofree char *what_first = g_strconcat (what, ", nothing in memory", NULL);
  g_autoptr (GArray) first = series_new ();
  g_autoptr (GArray) values = series_new ();
  g_autoptr (GArray) limits = series_new ();
  Shape part = *shape;
  Limit limit;

  if (file == NULL)
    g_error ("%s", error->message);
  for (gsize layer = 0; layer + 1 < n_layers; layer++)
    count_rows (shape, file, layer, ids, rows + layer * shape->n_experts);
  part.n_layers = n_layers;
  limit_init (&limit, &part, N_TOKENS, FALSE);
  limit.expert_rows = rows;
  g_clear_pointer (&file, attn_array_file_unref);
  for (int round = 0; round < 3; round++)
    {
      series_add (limits, time_limit (&limit));
      forget_model (directory);
      g_autoptr (AttnModel) model = open_model (directory);
      series_add (first, time_pass (model, ids, N_TOKENS, n_layers - 1));
      series_add (values, time_pass (model, ids, N_TOKENS, n_layers - 1));
    }
  limit_clear (&limit);
  print (name, what_first, "ms", first, limits, "same products by cblas_sgemm", NULL);
  print (name, what, "ms", values, limits, "same products by cblas_sgemm", "1.3 x");
}

/* One token goes through as many experts as a token can; of the weights only those and what all
 * tokens share has to be in memory. */
static void
measure_memory (void)
{
  const Shape shape = { SHAPE_QWEN3_MOE, 4, 2048, 16, 4, 1408, 32000, 4096, 128, 64, 4 };
  const gsize n_before = shape.n_layers - 1;
  const gsize n_qkv = (shape.n_heads + 2 * shape.n_key_heads) * shape.head_width;
  const gsize n_expert = 3 * shape.mlp_width * shape.width;
  const gsize n_read =
      shape.n_layers * n_qkv * shape.width +
      n_before * (shape.n_heads * shape.head_width * shape.width +
                  shape.n_used_experts * n_expert);
  char *directory = write_model (&shape, ATTN_DTYPE_BF16);
  AttnModel *model = open_model (directory);
  g_autofree guint32 *ids = random_ids (1, 1000, 1);
  g_autoptr (GArray) values = series_new ();
  g_autoptr (GArray) limits = series_new ();
  double before = get_memory_mb ("RssFile");

  time_pass (model, ids, 1, n_before);
  series_add (values, get_memory_mb ("RssFile") - before);
  series_add (limits, (double) n_read * 2e-6);
  attn_model_unref (model);
  remove_model (directory);
  print ("4 of 64 experts", "weights in memory", "MB", values, limits, "weights that are used",
         "1.1 x");
  print_note ("experts", "The experts of three layers with 64 each are %.0f MB.",
              (double) (n_before * shape.n_experts * n_expert) * 2e-6);
}

static void
measure (const char  *program,
         const Shape *shape,
         const char  *name,
         gsize        n_layers)
{
  char *directory = write_model (shape, ATTN_DTYPE_BF16);

  measure_info (program, directory, name);
  measure_pass (shape, directory, name, n_layers);
  remove_model (directory);
}

int
main (int    argc,
      char **argv)
{
  gsize n_layers = is_full_run () ? 12 : 3;

  measure_memory ();
  measure (argv[1], &gpt_oss_20b, "gpt-oss 20.9B, MXFP4", n_layers);
  measure (argv[1], &qwen3_moe_30b, "Qwen3 30.5B, BF16", n_layers);
  if (!is_full_run ())
    print_note ("experts", "--full goes up to layer 12.");
  return 0;
}
