/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A token of an answer, beside reading the weights once from memory, which is the least that it can
 * take. */

#include "config.h"

#include <string.h>

#include "attn-continuation.h"
#include "attn-parallel.h"
#include "attn-threads.h"
#include "bench.h"

#define N_PROMPT 32
#define N_TOKENS 96

/* Bytes that a thread reads at a time. */
#define CHUNK ((gsize) 4 << 20)
/* How many bytes ahead are fetched: by itself the processor stops at the end of each page. */
#define AHEAD 4096

typedef struct
{
  const guint8 *bytes;
  gsize n_bytes;
  guint64 sums[ATTN_MAX_THREADS];
} Reading;

/* Every byte, by nothing that could take longer than the memory does. */
static void
read_chunk (gsize    task,
            gsize    worker,
            gpointer user_data)
{
  Reading *reading = user_data;
  const guint8 *from = reading->bytes + task * CHUNK;
  gsize n = MIN (CHUNK, reading->n_bytes - task * CHUNK) / 64;
  guint64 lanes[8] = { 0 };

  for (gsize i = 0; i < n; i++, from += 64)
    {
      __builtin_prefetch (from + AHEAD);
#pragma GCC unroll 8
      for (gsize lane = 0; lane < 8; lane++)
        {
          guint64 word;

          memcpy (&word, from + 8 * lane, sizeof word);
          lanes[lane] ^= word;
        }
    }
  for (gsize lane = 0; lane < 8; lane++)
    reading->sums[worker] ^= lanes[lane];
}

static double
time_reading (GBytes *weights)
{
  gsize n_bytes;
  const guint8 *bytes = g_bytes_get_data (weights, &n_bytes);
  Reading reading = { bytes, n_bytes, { 0 } };
  double begin = now_ms ();

  attn_parallel_run ((n_bytes + CHUNK - 1) / CHUNK, attn_threads_get (), read_chunk, &reading);
  return now_ms () - begin;
}

/* Of the weights where they are mapped. */
static GBytes *
map_weights (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GMappedFile) file = g_mapped_file_new (path, FALSE, &error);

  if (file == NULL)
    g_error ("%s", error->message);
  return g_mapped_file_get_bytes (file);
}

/* @kind: what is measured. @n_ids: the ids of the prompt are below it */
static void
measure (const char *path,
         const char *weights_path,
         const char *kind,
         gsize       n_ids,
         const char *bound)
{
  g_autoptr (AttnModel) model = open_model (path);
  g_autoptr (GBytes) weights = map_weights (weights_path);
  g_autofree guint32 *ids = random_ids (N_PROMPT + N_TOKENS, n_ids, 1);
  g_autoptr (GArray) values = series_new ();
  g_autoptr (GArray) limits = series_new ();
  g_autoptr (GError) error = NULL;
  g_autofree char *name = g_strdup_printf ("%s, a token of an answer", kind);
  g_autoptr (AttnContinuation) continuation = attn_continuation_new (
      model, ids, N_PROMPT, N_PROMPT + N_TOKENS, NULL, 0, NULL, NULL, &error);

  if (continuation == NULL)
    g_error ("%s", error->message);
  for (gsize i = 0; i < N_TOKENS; i++)
    {
      double limit = time_reading (weights);
      double begin = now_ms ();

      if (!attn_continuation_append (continuation, ids[N_PROMPT + i], NULL, &error))
        g_error ("%s", error->message);
      if (i < 2)
        continue;
      series_add (values, now_ms () - begin);
      series_add (limits, limit);
    }
  Figure figure = { "answer", name, "ms", values, limits, "reading the weights once", bound };
  print_figure (&figure);
}

static void
measure_plain (void)
{
  char *directory = write_model (&llama_1b, ATTN_DTYPE_BF16);
  g_autofree char *path = g_build_filename (directory, "model.safetensors", NULL);

  measure (directory, path, "Llama 1.1B, BF16", llama_1b.vocabulary_size, "1.25 x");
  remove_model (directory);
}

static void
measure_quantised (AttnDtype dtype)
{
  char *path = write_gguf (&llama_1b, dtype);
  g_autofree char *kind = g_strdup_printf ("Llama 1.1B, %s", attn_dtype_get_name (dtype));

  measure (path, path, kind, llama_1b.vocabulary_size, "1.5 x");
  remove_gguf (path);
}

/* With arguments: GGUF files, for a look at another program beside this one. */
int
main (int    argc,
      char **argv)
{
  for (int i = 1; i < argc; i++)
    {
      g_autofree char *kind = g_path_get_basename (argv[i]);

      measure (argv[i], argv[i], kind, N_PROMPT, NULL);
    }
  if (argc > 1)
    return 0;
  measure_plain ();
  measure_quantised (ATTN_DTYPE_Q8_0);
  measure_quantised (ATTN_DTYPE_Q4_K);
  return 0;
}
