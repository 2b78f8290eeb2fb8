/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A text that goes on row by row says what a whole pass over each of its beginnings says. */

#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "attn-continuation.h"
#include "attn-error.h"
#include "attn-memory.h"
#include "attn-rotary.h"
#include "attn-source-private.h"
#include "attn-threads.h"
#include "attn-transformer.h"
#include "model-fixture.h"

#define N_PROMPT 7
#define N_ANSWER 32

/* Logits this near are a tie: another order of additions decides. */
#define TIE 1e-5

/* Products of one row and of many round in another way, and so they do with each kernel; random
 * layers make ten to a hundred times of it. A row that is wrong is so by much more. */
#define TOLERANCE 1e-3

static const guint32 prompt[N_PROMPT] = { 3, 1, 4, 1, 5, 9, 2 };
static const guint32 others[] = { 7, 7, 2, 8, 1 };

static const char * const operations[] = {
  "baseline",
  "query/scale=0.25/all/all/all",
  "key/mean-head/all/all/all",
  "value/mean-feature/all/0/1-4",
  "output/zero/all/1/all",
  "scores/cut=0/all/all/all",
  "residual/patch:0=3,2=5/1/all/all",
  "inner/zero/0/all/all",
};

static GPtrArray *
make_interventions (AttnModel  *model,
                    const char *text)
{
  GPtrArray *interventions = interventions_from_text (text);

  for (guint i = 0; i < interventions->len; i++)
    {
      AttnIntervention *intervention = interventions->pdata[i];

      if (intervention->operation == ATTN_OPERATION_PATCH)
        intervention->source = attn_source_new (model, others, G_N_ELEMENTS (others));
    }
  return interventions;
}

static AttnContinuation *
begin (AttnModel *model,
       gsize      n_most,
       GPtrArray *interventions)
{
  g_autoptr (GError) error = NULL;
  AttnContinuation *continuation = attn_continuation_new (model, prompt, N_PROMPT, n_most,
                                                          interventions, 0, NULL, NULL, &error);

  g_assert_no_error (error);
  return continuation;
}

static void
append (AttnContinuation *continuation,
        guint32           id)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (attn_continuation_append (continuation, id, NULL, &error));
  g_assert_no_error (error);
}

static guint32
find_largest (const float *logits,
              gsize        n)
{
  guint32 largest = 0;

  for (guint32 i = 1; i < n; i++)
    if (logits[i] > logits[largest])
      largest = i;
  return largest;
}

/* One row of logits of a continuation and of a whole pass; returns the token to go on with. */
static guint32
compare_rows (const float *found,
              const float *expected,
              gsize        n,
              gsize        n_ids,
              const char  *what)
{
  guint32 chosen = find_largest (found, n);
  double largest = 0.0;

  for (gsize i = 0; i < n; i++)
    {
      double scale = fmax (1.0, fabs (expected[i]));

      largest = fmax (largest, fabs ((double) found[i] - expected[i]) / scale);
    }
  if (largest > TOLERANCE)
    g_test_message ("%s: %g found behind token %zu, expected at most %g", what, largest, n_ids,
                    TOLERANCE);
  g_assert_cmpfloat (largest, <=, TOLERANCE);
  if (expected[find_largest (expected, n)] - expected[chosen] > TIE)
    g_assert_cmpuint (chosen, ==, find_largest (expected, n));
  return chosen;
}

/* The last row of a whole pass over what the continuation has; returns the token to go on with. */
static guint32
compare_to_whole (AttnModel              *model,
                  const AttnContinuation *continuation,
                  GPtrArray              *interventions,
                  const char             *what)
{
  gsize n = attn_model_get_info (model)->vocabulary_size;
  gsize n_ids;
  const guint32 *ids = attn_continuation_get_ids (continuation, &n_ids);
  g_autoptr (AttnTrace) trace =
      compute_trace (model, ids, n_ids, interventions, ATTN_QUANTITY_LOGITS, NULL);
  g_autoptr (AttnTensor) logits = attn_trace_get (trace, ATTN_QUANTITY_LOGITS, 0);

  return compare_rows (attn_continuation_get_logits (continuation), logits->data + (n_ids - 1) * n,
                       n, n_ids, what);
}

/* Each row against a whole pass over the tokens up to it. */
static void
check_answer_by_beginnings (AttnModel  *model,
                            const char *text,
                            gsize       n_answer)
{
  gsize n_most = MIN (N_PROMPT + n_answer, attn_model_get_info (model)->n_positions);
  g_autoptr (GPtrArray) interventions = make_interventions (model, text);
  g_autoptr (AttnContinuation) continuation = begin (model, n_most, interventions);

  for (gsize n = N_PROMPT; n < n_most; n++)
    append (continuation, compare_to_whole (model, continuation, interventions, text));
  compare_to_whole (model, continuation, interventions, text);
}

/* Positions are turned by angles that depend on how many tokens there are. */
static gboolean
depends_on_length (AttnModel *model,
                   gsize      n_most)
{
  const AttnConfig *config = &((const AttnTransformer *) model)->config;

  for (gsize i = 0; i < ATTN_N_ROPES; i++)
    if (config->ropes[i].width > 0 && !attn_rotary_is_same (&config->ropes[i], N_PROMPT, n_most))
      return TRUE;
  return FALSE;
}

/* Tokens do not see those behind them: one whole pass over the answer has the rows of the passes
 * over all its beginnings. */
static void
check_answer (AttnModel  *model,
              const char *text)
{
  gsize n_most = MIN (N_PROMPT + N_ANSWER, attn_model_get_info (model)->n_positions);
  gsize n = attn_model_get_info (model)->vocabulary_size;
  g_autofree float *rows = g_new (float, (n_most - N_PROMPT + 1) * n);
  gsize n_ids;

  if (depends_on_length (model, n_most))
    {
      check_answer_by_beginnings (model, text, N_ANSWER);
      return;
    }
  g_autoptr (GPtrArray) interventions = make_interventions (model, text);
  g_autoptr (AttnContinuation) continuation = begin (model, n_most, interventions);
  compare_to_whole (model, continuation, interventions, text);
  for (gsize i = N_PROMPT; i <= n_most; i++)
    {
      float *row = rows + (i - N_PROMPT) * n;

      memcpy (row, attn_continuation_get_logits (continuation), n * sizeof *row);
      if (i < n_most)
        append (continuation, find_largest (row, n));
    }
  const guint32 *ids = attn_continuation_get_ids (continuation, &n_ids);
  g_assert_cmpuint (n_ids, ==, n_most);
  g_autoptr (AttnTrace) trace =
      compute_trace (model, ids, n_ids, interventions, ATTN_QUANTITY_LOGITS, NULL);
  g_autoptr (AttnTensor) logits = attn_trace_get (trace, ATTN_QUANTITY_LOGITS, 0);
  for (gsize i = N_PROMPT; i <= n_most; i++)
    compare_rows (rows + (i - N_PROMPT) * n, logits->data + (i - 1) * n, n, i, text);
}

/* A query of the last layer is no concern of the rows behind it, so that a whole pass has the same
 * mean of all tokens up to the last. */
static void
check_mean_of_last_queries (AttnModel *model)
{
  gsize last = attn_model_get_info (model)->n_layers - 1;

  while (!attn_model_has_map (model, last))
    last--;
  if (last < attn_model_get_info (model)->n_layers - 1)
    return;
  g_autofree char *text = g_strdup_printf ("query/mean-token/%zu/all/all", last);
  check_answer_by_beginnings (model, text, 8);
}

static void
check_operations (AttnModel *model)
{
  for (gsize i = 0; i < G_N_ELEMENTS (operations); i++)
    check_answer (model, operations[i]);
  check_mean_of_last_queries (model);
}

static void
test_family (gconstpointer data)
{
  g_autoptr (AttnModel) model = open_fixture (data);
  check_operations (model);
}

/* A decoder goes on with its target: rows see the same source each time, changed or not. */
static void
test_decoder (gconstpointer data)
{
  static const char * const attentions[] = { "decoder", "cross" };

  for (gsize i = 0; i < G_N_ELEMENTS (attentions); i++)
    {
      g_autoptr (AttnModel) model = open_golden_attention (data, attentions[i], NULL, NULL);

      check_operations (model);
    }
  /* The source is whole from the beginning, and so is its mean. */
  g_autoptr (AttnModel) cross = open_golden_attention (data, "cross", NULL, NULL);
  check_answer_by_beginnings (cross, "key/mean-token/all/all/all value/mean-token/0/1/all", 8);
}

/* The means of keys that a token meets: of the tokens that were given, and then of all up to each.
 * Taken here from the keys of a pass without the operation, and patched into another. */
static void
test_mean_over_tokens_so_far (void)
{
  const gsize n_ids = N_PROMPT + 5;
  g_autoptr (AttnModel) model = open_fixture ("opt");
  const AttnModelInfo *info = attn_model_get_info (model);
  g_autoptr (GPtrArray) mean = interventions_from_text ("key/mean-token/0/all/all");
  g_autoptr (AttnContinuation) continuation = begin (model, n_ids, mean);

  while (TRUE)
    {
      gsize n;
      const guint32 *ids = attn_continuation_get_ids (continuation, &n);
      g_autoptr (AttnTrace) plain = compute_trace (model, ids, n, NULL, ATTN_QUANTITY_KEY, NULL);
      g_autoptr (AttnTensor) keys = attn_trace_get (plain, ATTN_QUANTITY_KEY, 0);
      g_autoptr (GError) error = NULL;
      AttnTensor *means = attn_tensor_copy (keys, &error);
      g_autoptr (GPtrArray) patches = interventions_from_text ("key/patch/0/all/all");
      AttnIntervention *patch = patches->pdata[0];

      for (gsize head = 0; head < info->n_heads; head++)
        for (gsize token = 0; token < n; token++)
          for (gsize i = 0; i < info->head_width; i++)
            {
              gsize n_summed = MAX (token + 1, N_PROMPT);
              const float *column = keys->data + head * n * info->head_width + i;
              double sum = 0.0;

              for (gsize k = 0; k < n_summed; k++)
                sum += column[k * info->head_width];
              means->data[(head * n + token) * info->head_width + i] =
                  (float) (sum / (double) n_summed);
            }
      patch->source = attn_source_new (model, ids, n);
      *attn_source_place (patch->source, ATTN_COMPONENT_KEY, ATTN_SITE_PROJECTION, 0) = means;
      guint32 next = compare_to_whole (model, continuation, patches, "mean so far");
      if (n == n_ids)
        break;
      append (continuation, next);
    }
}

/* The scope names tokens that are not there yet. */
static void
test_scope_behind_the_prompt (void)
{
  const gsize n_ids = N_PROMPT + 6;
  g_autoptr (AttnModel) model = open_fixture ("llama");
  g_autoptr (GPtrArray) interventions =
      interventions_from_text ("value/zero/all/all/9-11 scores/cut=8/all/all/all");
  g_autoptr (AttnContinuation) continuation = begin (model, n_ids, interventions);

  for (gsize n = N_PROMPT; n < n_ids; n++)
    append (continuation, n == n_ids - 1 ? 5 : (guint32) (n * 3 % 31));
  compare_to_whole (model, continuation, interventions, "scope");
}

/* What was begun and not finished is computed again. */
static void
test_cancelled (gconstpointer data)
{
  g_autoptr (AttnModel) model = open_fixture (data);
  g_autoptr (AttnContinuation) continuation = begin (model, N_PROMPT + 4, NULL);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  gsize n_ids;

  append (continuation, 8);
  g_cancellable_cancel (cancellable);
  g_assert_false (attn_continuation_append (continuation, 6, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_null (attn_continuation_get_logits (continuation));
  attn_continuation_get_ids (continuation, &n_ids);
  g_assert_cmpuint (n_ids, ==, N_PROMPT + 1);
  append (continuation, 2);
  compare_to_whole (model, continuation, NULL, "cancelled");
}

static void
test_threads (gconstpointer data)
{
  g_autoptr (AttnModel) model = open_fixture (data);
  gsize n = attn_model_get_info (model)->vocabulary_size;
  g_autofree float *first = g_new (float, n);

  for (guint n_threads = 1; n_threads <= 4; n_threads *= 2)
    {
      attn_threads_set (n_threads);
      g_autoptr (AttnContinuation) continuation = begin (model, N_PROMPT + 8, NULL);

      for (guint32 i = 0; i < 8; i++)
        append (continuation, i * 5 % 31);
      const float *logits = attn_continuation_get_logits (continuation);
      if (n_threads == 1)
        memcpy (first, logits, n * sizeof *first);
      g_assert_cmpmem (logits, n * sizeof *first, first, n * sizeof *first);
    }
  attn_threads_set (0);
}

static void
assert_refused (const char *name,
                gsize       n_most,
                const char *text,
                AttnError   code,
                const char *pattern)
{
  g_autoptr (AttnModel) model = open_fixture (name);
  g_autoptr (GPtrArray) interventions = interventions_from_text (text);
  g_autoptr (GError) error = NULL;

  g_assert_null (attn_continuation_new (model, prompt, N_PROMPT, n_most, interventions, 0, NULL,
                                        NULL, &error));
  g_assert_error (error, ATTN_ERROR, (gint) code);
  if (!g_pattern_match_simple (pattern, error->message))
    g_test_message ("%s", error->message);
  g_assert_true (g_pattern_match_simple (pattern, error->message));
}

static void
test_refused (void)
{
  assert_refused ("bert", 9, "baseline", ATTN_ERROR_UNSUPPORTED,
                  "*: a bert model found, whose tokens see those that follow*");
  assert_refused ("llama", 9, "value/zero/all/all/9", ATTN_ERROR_ARGUMENT, "*tokens*9*");
  assert_refused ("llama", 9, "value/zero@normed/all/all/1", ATTN_ERROR_ARGUMENT, "*normed*");
}

static void
test_no_room (void)
{
  g_autoptr (AttnModel) model = open_fixture ("llama");
  g_autoptr (AttnContinuation) continuation = begin (model, N_PROMPT, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_nonnull (attn_continuation_get_logits (continuation));
  g_assert_false (attn_continuation_append (continuation, 1, NULL, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_LIMIT);
}

/* What is announced covers what is taken: with one byte less it is refused before anything is
 * computed. */
static void
test_memory_is_planned (void)
{
  g_autoptr (AttnModel) model = open_fixture ("llama");
  gsize limit = attn_memory_get_limit ();
  gsize n_bytes = attn_continuation_estimate (model, N_PROMPT, 64);
  g_autoptr (GError) error = NULL;

  attn_memory_set_limit (n_bytes - 1);
  g_assert_null (attn_continuation_new (model, prompt, N_PROMPT, 64, NULL, 0, NULL, NULL, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_MEMORY);
  attn_memory_set_limit (limit);
  g_assert_cmpuint (attn_continuation_estimate (model, 1, 64), >,
                    attn_continuation_estimate (model, 1, 8));
}

/* Bytes that /proc says of this process; 0 where it does not. */
static gsize
read_status (const char *member)
{
  g_autofree char *text = NULL;
  const char *found = g_file_get_contents ("/proc/self/status", &text, NULL, NULL)
                          ? strstr (text, member)
                          : NULL;

  return found != NULL ? (gsize) g_ascii_strtoull (found + strlen (member), NULL, 10) * 1024 : 0;
}

/* Has the system forget the most memory that there was. */
static gboolean
forget_peak (void)
{
  FILE *file = fopen ("/proc/self/clear_refs", "w");
  gboolean is_done = file != NULL && fputs ("5", file) >= 0;

  return file != NULL && fclose (file) == 0 && is_done;
}

/* 4,096 tokens take no more than was announced for them, to the last position; one more is
 * refused. */
static void
test_long_context (void)
{
  const gsize n_positions = 4096, n_prompt = 4088;
  Recipe recipe = plain_recipe;
  recipe.width = 128;
  recipe.mlp_width = 512;
  recipe.n_positions = n_positions;
  char *directory = write_checkpoint (&recipe);
  g_autoptr (AttnModel) model = open_model (directory);
  gsize n_planned = attn_continuation_estimate (model, n_prompt, n_positions);
  g_autofree guint32 *ids = g_new (guint32, n_prompt);
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < n_prompt; i++)
    ids[i] = (guint32) (i * 7 % recipe.vocabulary_size);
  /* What is taken once, by threads and for products. */
  attn_continuation_free (
      attn_continuation_new (model, ids, 64, 65, NULL, 0, NULL, NULL, &error));
  g_assert_no_error (error);
  G_GNUC_UNUSED gboolean is_told = forget_peak ();
  gsize n_before = read_status ("VmRSS:");

  g_autoptr (AttnContinuation) continuation =
      attn_continuation_new (model, ids, n_prompt, n_positions, NULL, 0, NULL, NULL, &error);
  g_assert_no_error (error);
  for (gsize i = n_prompt; i < n_positions; i++)
    append (continuation, (guint32) (i % recipe.vocabulary_size));
  gsize n_after = read_status ("VmHWM:");
  g_test_message ("%zu bytes planned, %zd taken", n_planned, (gssize) (n_after - n_before));
  /* Sanitizers keep memory of their own beside the program's. */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  /* 8 MB: the weights' pages, and what malloc keeps. */
  if (is_told && n_before > 0 && n_after > 0)
    g_assert_cmpuint (n_after, <=, n_before + n_planned + ((gsize) 8 << 20));
#endif

  g_assert_false (attn_continuation_append (continuation, 1, NULL, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_LIMIT);
  g_assert_nonnull (strstr (error->message, "4097 tokens found, expected 1 to 4096"));
  remove_checkpoint (directory);
}

/* Every fixture of a model that continues a text, those of families to come included. */
static void
add_families (void)
{
  g_autofree char *folder = g_test_build_filename (G_TEST_DIST, "model", NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  gsize n = 0;
  gsize n_decoders = 0;

  g_assert_nonnull (dir);
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *config = g_build_filename (folder, name, "config.json", NULL);

      if (!g_file_test (config, G_FILE_TEST_EXISTS))
        continue;
      g_autoptr (AttnModel) model = open_fixture (name);
      if (attn_model_has_decoder (model))
        {
          g_autofree char *decoder = g_strdup_printf ("/model/continuation/decoder/%s", name);

          g_test_add_data_func_full (decoder, g_strdup (name), test_decoder, g_free);
          n_decoders++;
        }
      if (!attn_continuation_check (model, NULL))
        continue;
      g_autofree char *path = g_strdup_printf ("/model/continuation/family/%s", name);
      g_test_add_data_func_full (path, g_strdup (name), test_family, g_free);
      n++;
    }
  g_assert_cmpuint (n, >=, 60);
  g_assert_cmpuint (n_decoders, >=, 9);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  add_families ();
  g_test_add_func ("/model/continuation/mean-over-tokens-so-far", test_mean_over_tokens_so_far);
  g_test_add_func ("/model/continuation/scope-behind-the-prompt", test_scope_behind_the_prompt);
  g_test_add_data_func ("/model/continuation/cancelled", "llama", test_cancelled);
  g_test_add_data_func ("/model/continuation/cancelled-with-state", "qwen3_next", test_cancelled);
  g_test_add_data_func ("/model/continuation/threads", "gemma3", test_threads);
  g_test_add_data_func ("/model/continuation/threads-with-state", "qwen3_next", test_threads);
  g_test_add_func ("/model/continuation/refused", test_refused);
  g_test_add_func ("/model/continuation/no-room", test_no_room);
  g_test_add_func ("/model/continuation/memory-is-planned", test_memory_is_planned);
  g_test_add_func ("/model/continuation/long-context", test_long_context);
  return g_test_run ();
}
