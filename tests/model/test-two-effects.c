/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Operations in each attention of two sequences, patches between sources and between targets, and
 * cuts: what the decoder says of them, against make_two_effects.py. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "attn-error.h"
#include "attn-generation.h"
#include "attn-prediction.h"
#include "attn-source.h"
#include "model-fixture.h"

static const char * const names[] = { "t5", "t5-gated", "bart", "plbart", "mbart",
                                      "marian", "m2m_100", "pegasus", "whisper" };
static const char * const attentions[] = { "encoder", "decoder", "cross" };

/* Of the largest logit: float32 through an encoder and a decoder of sharpened layers. */
#define TOLERANCE 1e-4

/* Bits, to which float32 logits tell an effect; and of a larger one its part. */
#define EFFECT_TOLERANCE 1e-4

/* In each attention. */
#define N_CASES   10
#define N_ANSWERS 6

/**
 * Golden:
 * @source: of the model, as tokens
 * @target: of the decoder
 */
typedef struct
{
  AttnArrayFile *expected;
  AttnModel *model; /* of the attention, with its source */
  AttnTokens *source;
  guint32 *target;
  gsize n_target;
  AttnSource *other; /* for patches */
} Golden;

static guint32 *
load_ids (const AttnArrayFile *file,
          const char          *name,
          gsize               *n_ids)
{
  g_autoptr (AttnTensor) values = attn_array_to_tensor (attn_array_file_lookup (file, name), NULL);
  guint32 *ids;

  g_assert_nonnull (values);
  ids = g_new (guint32, values->shape[0]);
  *n_ids = values->shape[0];
  for (gsize i = 0; i < *n_ids; i++)
    ids[i] = (guint32) values->data[i];
  return ids;
}

static AttnTokens *
load_tokens (const AttnArrayFile *file,
             const char          *name)
{
  gsize n;
  g_autofree guint32 *ids = load_ids (file, name, &n);

  return attn_tokens_new_from_ids (ids, n, NULL);
}

/* @features: the name of the sound, where the model hears one */
static AttnModel *
bind_source (const Golden *golden,
             AttnModel    *model,
             AttnTokens   *source,
             const char   *features)
{
  g_autoptr (GError) error = NULL;
  const AttnArray *array = attn_array_file_lookup (golden->expected, features);

  if (!attn_model_get_info (model)->needs_sound)
    return attn_model_get_info (model)->needs_source ? attn_model_bind (model, source)
                                                     : attn_model_ref (model);
  g_autoptr (AttnTensor) heard = attn_array_to_tensor (array, &error);
  g_assert_no_error (error);
  AttnModel *bound = attn_model_bind_features (model, heard, source, &error);
  g_assert_no_error (error);
  return bound;
}

static void
open_golden (Golden     *golden,
             const char *name,
             const char *attention)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *directory = g_test_build_filename (G_TEST_DIST, "model", name, NULL);
  g_autofree char *path = g_build_filename (directory, "effects.safetensors", NULL);
  g_autoptr (AttnModel) base = attn_model_open_attention (directory, attention, &error);
  gboolean is_encoder = g_str_equal (attention, "encoder");
  gboolean is_decoder = g_str_equal (attention, "decoder");

  g_assert_no_error (error);
  golden->expected = attn_array_file_load (path, &error);
  g_assert_no_error (error);
  golden->source = load_tokens (golden->expected, "ids");
  golden->target = load_ids (golden->expected, "target", &golden->n_target);

  /* Another source, of the decoder's own attention another target alone. */
  g_autoptr (AttnTokens) other =
      load_tokens (golden->expected, is_decoder ? "ids" : "other_ids");
  gsize n_others;
  g_autofree guint32 *others =
      load_ids (golden->expected, is_encoder ? "other_ids" : "other_target", &n_others);
  golden->model = bind_source (golden, base, golden->source, "features");
  g_autoptr (AttnModel) bound =
      bind_source (golden, base, other, is_decoder ? "features" : "other_features");
  golden->other = attn_source_new (bound, others, n_others);
}

static void
clear_golden (Golden *golden)
{
  attn_array_file_unref (golden->expected);
  attn_model_unref (golden->model);
  attn_tokens_unref (golden->source);
  attn_source_unref (golden->other);
  g_free (golden->target);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Golden, clear_golden)

static GPtrArray *
read_case (const Golden *golden,
           const char   *text)
{
  GPtrArray *interventions = interventions_from_text (text);

  for (guint i = 0; i < interventions->len; i++)
    {
      AttnIntervention *intervention = g_ptr_array_index (interventions, i);

      if (intervention->operation == ATTN_OPERATION_PATCH)
        intervention->source = attn_source_ref (golden->other);
    }
  return interventions;
}

/* The decoder, whose encoder is changed where that is what is on display. *left: what is done to
 * the model that is returned */
static AttnModel *
bind (const Golden  *golden,
      GPtrArray     *interventions,
      GPtrArray    **left)
{
  g_autoptr (GError) error = NULL;

  *left = interventions;
  if (!attn_model_has_decoder (golden->model))
    return attn_model_ref (golden->model);
  *left = NULL;
  AttnModel *bound =
      attn_model_bind_decoder (golden->model, golden->source, interventions, NULL, &error);
  g_assert_no_error (error);
  return bound;
}

static AttnTrace *
say (const Golden *golden,
     GPtrArray    *interventions)
{
  GPtrArray *left;
  g_autoptr (AttnModel) model = bind (golden, interventions, &left);

  return compute_trace (model, golden->target, golden->n_target, left, ATTN_QUANTITY_FINAL, NULL);
}

static void
assert_near (double      found,
             double      expected,
             double      tolerance,
             const char *what,
             gsize       index)
{
  if (isnan (expected) ? !isnan (found) : !(fabs (found - expected) <= tolerance))
    g_error ("%s: %g found at %zu, expected %g within %g", what, found, index, expected,
             tolerance);
}

static AttnTensor *
load (const Golden *golden,
      const char   *label,
      const char   *name)
{
  g_autofree char *member = g_strconcat (label, "/", name, NULL);
  AttnTensor *tensor =
      attn_array_to_tensor (attn_array_file_lookup (golden->expected, member), NULL);

  g_assert_nonnull (tensor);
  return tensor;
}

static void
check_case (const Golden *golden,
            AttnTrace    *before,
            const char   *label,
            const char   *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) interventions = read_case (golden, text);
  g_autoptr (AttnTrace) after = say (golden, interventions);
  g_autoptr (AttnTensor) logits = load (golden, label, "logits");
  g_autoptr (AttnTensor) kl = load (golden, label, "kl");
  g_autoptr (AttnTensor) loss = load (golden, label, "loss");
  gsize n = golden->n_target;
  g_autofree AttnPredictionEffect *effects = g_new (AttnPredictionEffect, n);
  const AttnPredictionRequest request = { .n_rows = n, .answer = ATTN_ANSWER_NONE };
  g_autoptr (AttnTensor) found = attn_trace_compute_logits (after, 0, n, NULL, &error);
  double largest = 0.0;

  g_assert_no_error (error);
  for (gsize i = 0; i < attn_tensor_get_n_elements (logits); i++)
    largest = MAX (largest, fabs (logits->data[i]));
  for (gsize i = 0; i < attn_tensor_get_n_elements (logits); i++)
    assert_near (found->data[i], logits->data[i], TOLERANCE * largest, label, i);
  g_assert_true (attn_prediction_compare (before, after, &request, effects, NULL, NULL, &error));
  g_assert_no_error (error);
  for (gsize i = 0; i < n; i++)
    {
      assert_near (effects[i].kl, kl->data[i], EFFECT_TOLERANCE * (1.0 + kl->data[i]), label, i);
      for (gsize k = 0; k < 2; k++)
        {
          double expected = loss->data[k * n + i];

          assert_near (effects[i].loss[k], expected,
                       EFFECT_TOLERANCE * (1.0 + (isnan (expected) ? 0.0 : expected)), label, i);
        }
    }
}

/* Logits, KL and loss of each operation, patch and cut. */
static void
test_effects (gconstpointer name)
{
  for (gsize a = 0; a < G_N_ELEMENTS (attentions); a++)
    {
      g_auto (Golden) golden = { NULL };
      g_autofree char *prefix = g_strconcat (attentions[a], ":", NULL);
      gsize n_cases = 0;

      open_golden (&golden, name, attentions[a]);
      g_autoptr (AttnTrace) before = say (&golden, NULL);
      for (gsize i = 0; i < attn_array_file_get_n_arrays (golden.expected); i++)
        {
          const char *member = attn_array_file_get_nth (golden.expected, i)->name;

          if (!g_str_has_prefix (member, prefix) || !g_str_has_suffix (member, "/logits"))
            continue;
          g_autofree char *label = g_strndup (member, strlen (member) - strlen ("/logits"));
          check_case (&golden, before, label, label + strlen (prefix));
          n_cases++;
        }
      g_assert_cmpuint (n_cases, ==, N_CASES);
    }
}

static gboolean
hear_cb (const AttnGenerated *token,
         gpointer             user_data)
{
  GArray **heard = user_data;

  g_array_append_val (heard[token->is_modified], token->id);
  return TRUE;
}

/* The start token, and what is said behind it. */
static void
check_answer (const Golden *golden,
              const char   *label,
              const char   *text)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *member = g_strconcat (label, "/answer", NULL);
  gsize n;
  g_autofree guint32 *expected = load_ids (golden->expected, member, &n);
  g_autoptr (GPtrArray) interventions = read_case (golden, text);
  GPtrArray *left;
  g_autoptr (AttnModel) model = bind (golden, NULL, &left);
  g_autoptr (AttnModel) changed = bind (golden, interventions, &left);
  gboolean is_encoder = attn_model_has_decoder (golden->model);
  g_autoptr (GArray) baseline = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GArray) modified = g_array_new (FALSE, FALSE, sizeof (guint32));
  GArray *heard[] = { baseline, modified };
  const AttnGenerationRequest request = {
    .ids = expected,
    .n_ids = 1,
    .interventions = left,
    .changed = is_encoder && interventions->len > 0 ? changed : NULL,
    .sampling = { .top_p = 1.0 },
    .max_tokens = n - 1,
  };
  AttnGenerationResult result;

  g_assert_true (attn_generation_run (model, &request, hear_cb, heard, &result, NULL, NULL,
                                      &error));
  g_assert_no_error (error);
  const GArray *said = interventions->len > 0 ? modified : baseline;
  g_assert_cmpuint (baseline->len, ==, n - 1);
  g_assert_cmpmem (said->data, said->len * sizeof (guint32), expected + 1,
                   (n - 1) * sizeof (guint32));
}

/* Greedy answers are, id by id, what a whole pass over each beginning says. */
static void
test_answers (gconstpointer name)
{
  for (gsize a = 0; a < G_N_ELEMENTS (attentions); a++)
    {
      g_auto (Golden) golden = { NULL };
      g_autofree char *prefix = g_strconcat (attentions[a], ":", NULL);
      gsize n_answers = 0;

      open_golden (&golden, name, attentions[a]);
      for (gsize i = 0; i < attn_array_file_get_n_arrays (golden.expected); i++)
        {
          const char *member = attn_array_file_get_nth (golden.expected, i)->name;

          if (!g_str_has_prefix (member, prefix) || !g_str_has_suffix (member, "/answer"))
            continue;
          g_autofree char *label = g_strndup (member, strlen (member) - strlen ("/answer"));
          check_answer (&golden, label, label + strlen (prefix));
          n_answers++;
        }
      g_assert_cmpuint (n_answers, ==, N_ANSWERS);
    }
}

/* A change of the encoder is checked as one. */
static void
test_refused (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) interventions = interventions_from_text ("key/zero/3/all/all");
  g_auto (Golden) golden = { NULL };

  open_golden (&golden, "t5", "encoder");
  g_assert_null (
      attn_model_bind_decoder (golden.model, golden.source, interventions, NULL, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *effects = g_strconcat ("/model/two-effects/effects/", names[i], NULL);
      g_autofree char *answers = g_strconcat ("/model/two-effects/answers/", names[i], NULL);

      g_test_add_data_func (effects, names[i], test_effects);
      g_test_add_data_func (answers, names[i], test_answers);
    }
  g_test_add_func ("/model/two-effects/refused", test_refused);
  return g_test_run ();
}
