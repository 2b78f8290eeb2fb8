/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The most memory that a forward pass takes, and what long texts cost: linear in the tokens but for
 * the maps that are asked for. Each peak is that of a process of its own. */

#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "attn-pass.h"
#include "attn-trace-rows.h"
#include "bench.h"

#define LAYER 11
#define HEAD  3

static AttnTrace *
run (AttnModel     *model,
     const guint32 *ids,
     gsize          n_ids,
     AttnQuantity   keep)
{
  AttnTraceRequest request = { .ids = ids, .n_ids = n_ids, .keep = keep };
  g_autoptr (GError) error = NULL;
  AttnTrace *trace = attn_trace_compute (model, &request, NULL, NULL, NULL, &error);

  if (trace == NULL)
    g_error ("%s", error->message);
  return trace;
}

/* What the child computes, and keeps. */
typedef struct
{
  AttnModel *model;
  const guint32 *ids;
  gsize n_ids;
  AttnTrace *trace;
} Pass;

static void
run_pass (gpointer data)
{
  Pass *pass = data;

  pass->trace = run (pass->model, pass->ids, pass->n_ids, ATTN_QUANTITY_RESIDUAL);
}

/* In the child: prints the megabytes that a pass took beyond what was there before it, and beyond
 * what it was asked to keep. */
static void
print_peak (const char *directory,
            gsize       n_tokens)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnModel) model = attn_model_open (directory, &error);
  if (model == NULL)
    g_error ("%s", error->message);
  g_autofree guint32 *ids = random_ids (n_tokens, 1000, 1);
  Pass pass = { model, ids, n_tokens, NULL };
  double peak = find_peak_mb (run_pass, &pass);
  const AttnModelInfo *info = attn_model_get_info (model);

  printf ("%.6g %.6g\n", peak,
          (double) (info->n_layers * n_tokens * info->width * sizeof (float)) * 1e-6);
  attn_trace_unref (pass.trace);
}

static void
measure_peak (const char  *program,
              const Shape *shape,
              AttnDtype    dtype,
              const char  *name,
              const gsize *lengths,
              gsize        n_lengths)
{
  char *directory = write_model (shape, dtype);
  g_autoptr (GError) error = NULL;
  AttnModel *model = attn_model_open (directory, &error);
  gsize d = shape->width / shape->n_heads;
  gsize n_layer = shape->width * (2 * shape->width + 2 * d * shape->n_key_heads +
                                  (shape->family == SHAPE_LLAMA ? 3 : 2) * shape->mlp_width);
  double first = 0.0, last = 0.0;

  if (model == NULL)
    g_error ("%s", error->message);
  for (gsize i = 0; i < n_lengths; i++)
    {
      g_autoptr (GArray) values = series_new ();
      g_autoptr (GArray) limits = series_new ();
      g_autofree char *number = g_strdup_printf ("%zu", lengths[i]);
      g_autofree char *title = g_strdup_printf ("peak of a pass, %s, %s, %zu tokens", name,
                                                attn_dtype_get_name (dtype), lengths[i]);

      for (int round = 0; round < 3; round++)
        {
          const char *argv[] = { program, directory, number, NULL };
          g_autofree char *output = NULL;
          double peak, kept;

          if (!g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &output, NULL,
                             NULL, &error))
            g_error ("%s", error->message);
          if (sscanf (output, "%lf %lf", &peak, &kept) != 2)
            g_error ("%s: “%s” found, expected two numbers", title, output);
          series_add (values, peak - kept);
          /* Activations as they are planned, and two layers as float32. */
          series_add (limits, ((double) attn_pass_estimate (model, lengths[i]) +
                               8.0 * (double) n_layer) *
                                  1e-6);
        }
      Figure figure = {
        "memory", title, "MB", values, limits, "activations and two layers", "1 x"
      };
      print_figure (&figure);
      if (i + 2 == n_lengths)
        first = series_get_median (values);
      last = series_get_median (values);
    }
  if (n_lengths >= 2)
    print_note ("memory",
                "%s, %s: the peak grows with the tokens to the power of %.2f from %zu to %zu.",
                name, attn_dtype_get_name (dtype),
                log (last / first) /
                    log ((double) lengths[n_lengths - 1] / (double) lengths[n_lengths - 2]),
                lengths[n_lengths - 2], lengths[n_lengths - 1]);
  attn_model_unref (model);
  remove_model (directory);
}

static void
print_time (const char *name,
            GArray     *values)
{
  Figure figure = { .group = "memory", .name = name, .unit = "ms", .values = values };

  print_figure (&figure);
}

/* Parts of one head's map of a long text. */
static void
measure_long (gsize n_tokens)
{
  static const gsize parts[] = { 1, 64, 900 };
  char *directory = write_model (&gpt2_small, ATTN_DTYPE_F32);
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnModel) model = attn_model_open (directory, &error);
  if (model == NULL)
    g_error ("%s", error->message);
  g_autofree guint32 *ids = random_ids (n_tokens, 1000, 1);
  g_autoptr (GArray) whole = series_new ();
  g_autofree char *name =
      g_strdup_printf ("GPT-2 small, %zu tokens, residual streams, keys and values kept", n_tokens);
  double begin = now_ms ();
  g_autoptr (AttnTrace) trace = run (model, ids, n_tokens, ATTN_QUANTITIES_TO_CONTINUE);

  series_add (whole, now_ms () - begin);
  print_time (name, whole);
  for (gsize i = 0; i <= G_N_ELEMENTS (parts); i++)
    {
      g_autoptr (GArray) values = series_new ();
      gsize n_rows = i < G_N_ELEMENTS (parts) ? parts[i] : n_tokens;
      g_autofree char *title = g_strdup_printf ("the last %zu rows of one head's map of %zu tokens",
                                                n_rows, n_tokens);

      for (int round = 0; round < 6; round++)
        {
          begin = now_ms ();
          g_autoptr (AttnTraceRows) rows =
              attn_trace_rows_new (trace, LAYER, HEAD, NULL, NULL, NULL, &error);
          g_autofree float *weights = g_new (float, n_rows *n_tokens);
          if (rows == NULL ||
              !attn_trace_rows_compute (rows, n_tokens - n_rows, n_rows, weights, &error))
            g_error ("%s", error->message);
          if (round > 0) /* the first fills in the layer's queries and keys */
            series_add (values, now_ms () - begin);
        }
      print_time (title, values);
    }
  remove_model (directory);
}

int
main (int    argc,
      char **argv)
{
  static const gsize short_lengths[] = { 128, 1024 };
  static const gsize long_lengths[] = { 1024, 4096, 8192 };
  Shape llama = llama_1b;

  if (argc == 3)
    {
      print_peak (argv[1], (gsize) g_ascii_strtoull (argv[2], NULL, 10));
      return 0;
    }
  llama.n_layers = 2;
  measure_peak (argv[0], &llama, ATTN_DTYPE_BF16, "Llama 1.1B, 2 layers", short_lengths,
                G_N_ELEMENTS (short_lengths));
  /* A pass over 8,192 tokens takes a while. */
  Shape gpt2 = gpt2_small;
  gpt2.n_layers = is_full_run () ? 12 : 2;
  measure_peak (argv[0], &gpt2, ATTN_DTYPE_F32,
                is_full_run () ? "GPT-2 small" : "GPT-2 small, 2 layers", long_lengths,
                G_N_ELEMENTS (long_lengths));
  measure_long (8192);
  return 0;
}
