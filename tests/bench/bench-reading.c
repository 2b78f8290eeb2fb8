/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A pass over weights that nothing has in memory, beside reading the file once and beside the same
 * pass over weights that are in memory. */

#include "config.h"

#include <fcntl.h>
#include <unistd.h>

#include "attn-memory.h"
#include "attn-trace.h"
#include "bench.h"

#define N_TOKENS   128
#define READ_BYTES ((gsize) 1 << 20)

static double
time_read (const char *path)
{
  g_autofree char *buffer = g_malloc (READ_BYTES);
  double begin = now_ms ();
  int fd = open (path, O_RDONLY);

  while (read (fd, buffer, READ_BYTES) > 0)
    ;
  close (fd);
  return now_ms () - begin;
}

static double
time_pass (AttnModel *model)
{
  g_autofree guint32 *ids = random_ids (N_TOKENS, 1000, 1);
  const AttnTraceRequest request = {
    .ids = ids,
    .n_ids = N_TOKENS,
    .keep = ATTN_QUANTITY_WEIGHTS,
  };
  g_autoptr (GError) error = NULL;
  double begin = now_ms ();
  g_autoptr (AttnTrace) trace = attn_trace_compute (model, &request, NULL, NULL, NULL, &error);

  if (trace == NULL)
    g_error ("%s", error->message);
  return now_ms () - begin;
}

static void
print_times (const char *name,
             const char *what,
             GArray     *values,
             GArray     *limits,
             const char *limit_name,
             const char *bound)
{
  g_autofree char *title = g_strdup_printf ("%s, %s", name, what);
  Figure figure = { "reading", title, "ms", values, limits, limit_name, bound };

  print_figure (&figure);
}

/* What is mapped counts, too. Five sixteenths of the weights may stay. */
static void
measure_resident (const char *directory,
                  const char *name,
                  gsize       n_bytes)
{
  g_autoptr (GArray) values = series_new ();
  AttnModel *model = open_model (directory);
  g_autofree char *title =
      g_strdup_printf ("%s, resident beside the weights that may stay", name);

  attn_memory_set_limit (n_bytes / 8 * 5);
  for (int round = 0; round < 2; round++)
    {
      reset_peak_memory ();
      time_pass (model);
      series_add (values, get_memory_mb ("VmHWM") - (double) n_bytes / 16e6 * 5.0);
    }
  attn_memory_set_limit (0);
  attn_model_unref (model);
  Figure figure = { "reading", title, "MB", values, NULL, NULL, "1000 MB" };
  print_figure (&figure);
}

int
main (int    argc,
      char **argv)
{
  Shape shape = llama_7b;

  if (!is_full_run ())
    shape.n_layers = 4;
  g_autofree char *name =
      g_strdup_printf ("Llama 7B, %zu layers, BF16, %d tokens", shape.n_layers, N_TOKENS);
  gsize n_bytes = 2 * shape.n_layers * shape.width * (4 * shape.width + 3 * shape.mlp_width);
  char *directory = write_model (&shape, ATTN_DTYPE_BF16);
  g_autofree char *path = g_build_filename (directory, "model.safetensors", NULL);
  g_autoptr (GArray) cold = series_new ();
  g_autoptr (GArray) limits = series_new ();
  g_autoptr (GArray) warm = series_new ();
  g_autoptr (GArray) reads = series_new ();

  for (int round = 0; round < 3; round++)
    {
      forget_model (directory);
      series_add (reads, time_read (path));
      forget_model (directory);
      AttnModel *model = open_model (directory);
      series_add (cold, time_pass (model));
      double first = time_pass (model);
      double second = time_pass (model);
      series_add (warm, MIN (first, second));
      attn_model_unref (model);
      series_add (limits, MAX (g_array_index (reads, double, round),
                               g_array_index (warm, double, round)));
    }
  print_times (name, "nothing in memory", cold, limits, "the slower of reading and computing",
               "1.15 x");
  print_times (name, "all in memory", warm, NULL, NULL, NULL);
  print_times (name, "the file read once", reads, NULL, NULL, NULL);
  measure_resident (directory, name, n_bytes);
  remove_model (directory);
  return 0;
}
