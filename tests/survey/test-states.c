/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a survey counts beside maps: norms, massive activations, delimiters. */

#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "attn-survey-states.h"

static void
test_norms (void)
{
  /* Two heads side by side, two tokens. */
  float data[] = { 3, 4, 0, 1, 0, 0, 6, -8 };
  const AttnVectors vectors = {
    .data = data,
    .n_heads = 2,
    .n_tokens = 2,
    .width = 2,
    .head_stride = 2,
    .token_stride = 4,
  };
  double norms[2];

  attn_survey_states_measure (&vectors, norms);
  g_assert_cmpfloat (norms[0], ==, 3);
  g_assert_cmpfloat (norms[1], ==, 5);
}

static int
compare (gconstpointer a,
         gconstpointer b)
{
  return (*(const float *) a > *(const float *) b) - (*(const float *) a < *(const float *) b);
}

/* Against sorting all numbers; above 100 alone is not enough, nor is the median alone. */
static void
test_massive (void)
{
  enum
  {
    T = 5,
    D = 64
  };

  for (guint seed = 0; seed < 20; seed++)
    {
      g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
      float scale = seed % 4 == 0 ? 10.0f : 0.01f;
      float data[T * D];
      float sorted[T * D];
      double counts[T];

      for (gsize i = 0; i < T * D; i++)
        data[i] = scale * (float) g_rand_double_range (rand, -1, 1);
      data[3] = 150;
      data[D + 7] = -99;
      data[2 * D] = data[2 * D + 1] = -2e4f;
      for (gsize i = 0; i < T * D; i++)
        sorted[i] = fabsf (data[i]);
      qsort (sorted, T * D, sizeof *sorted, compare);
      float median = sorted[(T * D - 1) / 2];
      const AttnVectors vectors = {
        .data = data,
        .n_heads = 1,
        .n_tokens = T,
        .width = D,
        .head_stride = D,
        .token_stride = D,
      };

      attn_survey_states_count_massive (&vectors, counts);
      for (gsize token = 0; token < T; token++)
        {
          double expected = 0;

          for (gsize i = token * D; i < (token + 1) * D; i++)
            expected += fabsf (data[i]) > 100.0f && fabsf (data[i]) > 1000.0f * median;
          g_assert_cmpfloat (counts[token], ==, expected);
        }
      g_assert_cmpfloat (counts[0], ==, seed % 4 == 0 ? 0 : 1);
      g_assert_cmpfloat (counts[2], ==, 2);
    }
}

static void
test_delimiters (void)
{
  const guint32 ids[] = { 0, 1, 2, 3, 4, 5 };
  char *words[] = { "␣,", "A", "↵", "␣", "…!", "␣.A", NULL };
  g_autoptr (AttnTokens) tokens = attn_tokens_new_from_ids (ids, 6, words);

  tokens->tokens[1].is_special = TRUE;
  g_autofree guint8 *delimiters = attn_survey_states_find_delimiters (tokens);
  const guint8 expected[] = { 1, 1, 1, 0, 1, 0 };
  g_assert_cmpmem (delimiters, 6, expected, 6);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/survey/states/norms", test_norms);
  g_test_add_func ("/survey/states/massive", test_massive);
  g_test_add_func ("/survey/states/delimiters", test_delimiters);
  return g_test_run ();
}
