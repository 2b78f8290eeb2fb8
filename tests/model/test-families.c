/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Each family's forward pass against PyTorch's, and what sets the families apart. */

#include "config.h"

#include <math.h>

#include "attn-error.h"
#include "model-fixture.h"

typedef struct
{
  const char *name; /* of the folder with the checkpoint */
  const char *position_scheme;
  gboolean has_rotary;
  gboolean has_query_key_norm;
  gboolean is_causal;
  gsize n_key_heads;
  gsize n_positions;
} Family;

static const Family families[] = {
  { "llama", "rotary", TRUE, FALSE, TRUE, 2, 64 },
  { "llama-biased", "rotary", TRUE, FALSE, TRUE, 1, 64 },
  { "llama-linear", "rotary, linear scaling", TRUE, FALSE, TRUE, 2, 64 },
  { "llama-dynamic", "rotary, dynamic scaling", TRUE, FALSE, TRUE, 2, 12 },
  { "llama-llama3", "rotary, llama3 scaling", TRUE, FALSE, TRUE, 1, 64 },
  { "llama-sharded", "rotary", TRUE, FALSE, TRUE, 2, 64 },
  { "mistral", "rotary", TRUE, FALSE, TRUE, 2, 64 },
  { "qwen2", "rotary", TRUE, FALSE, TRUE, 2, 64 },
  { "qwen3", "rotary", TRUE, TRUE, TRUE, 2, 64 },
  { "gpt_neox", "rotary", TRUE, FALSE, TRUE, 4, 32 },
  { "gpt_neox-sequential", "rotary", TRUE, FALSE, TRUE, 4, 32 },
  { "phi", "rotary", TRUE, FALSE, TRUE, 4, 32 },
  { "phi-normed", "rotary", TRUE, TRUE, TRUE, 2, 32 },
  { "gptj", "rotary", TRUE, FALSE, TRUE, 4, 32 },
  { "opt", "learned", FALSE, FALSE, TRUE, 4, 32 },
  { "opt-post-norm", "learned", FALSE, FALSE, TRUE, 4, 32 },
  { "bloom", "ALiBi", FALSE, FALSE, TRUE, 5, 32 },
  { "gemma", "rotary", TRUE, FALSE, TRUE, 1, 64 },
  { "gemma2", "rotary", TRUE, FALSE, TRUE, 2, 64 },
  { "bert", "learned", FALSE, FALSE, FALSE, 4, 20 },
  { "roberta", "learned", FALSE, FALSE, FALSE, 4, 18 },
  { "distilbert", "learned", FALSE, FALSE, FALSE, 4, 20 },
};

static AttnModel *
open_fixture (const char *name)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *directory = g_test_build_filename (G_TEST_DIST, "model", name, NULL);
  AttnModel *model = attn_model_open (directory, &error);

  g_assert_no_error (error);
  return model;
}

static void
test_golden (gconstpointer data)
{
  const Family *family = data;

  check_golden (family->name, 4);
}

static void
test_info (gconstpointer data)
{
  const Family *family = data;
  g_autoptr (AttnModel) model = open_fixture (family->name);
  const AttnModelInfo *info = attn_model_get_info (model);
  guint32 ids[65] = { 0 };

  g_assert_true (g_str_has_prefix (family->name, info->family));
  g_assert_cmpstr (info->position_scheme, ==, family->position_scheme);
  g_assert_cmpint (info->has_rotary, ==, family->has_rotary);
  g_assert_cmpint (info->has_query_key_norm, ==, family->has_query_key_norm);
  g_assert_cmpint (info->is_causal, ==, family->is_causal);
  g_assert_cmpuint (info->n_key_heads, ==, family->n_key_heads);
  g_assert_cmpuint (info->n_positions, ==, family->n_positions);
  g_assert_true (attn_model_check_ids (model, ids, family->n_positions, NULL));
  g_assert_false (attn_model_check_ids (model, ids, family->n_positions + 1, NULL));
  g_assert_cmpuint (attn_model_estimate_memory (model, 8), >, 0);
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (families); i++)
    {
      g_autofree char *golden = g_strdup_printf ("/model/families/golden/%s", families[i].name);
      g_autofree char *info = g_strdup_printf ("/model/families/info/%s", families[i].name);

      g_test_add_data_func (golden, &families[i], test_golden);
      g_test_add_data_func (info, &families[i], test_info);
    }
  return g_test_run ();
}
