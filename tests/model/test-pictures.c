/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Models of pictures against PyTorch's, and what they take. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "attn-effect-meter.h"
#include "attn-error.h"
#include "model-fixture.h"

typedef struct
{
  const char *name;
  gsize n_rows;
  gsize n_columns;
  gsize n_leading;
} Picture;

static const Picture pictures[] = {
  { "vit", 3, 5, 1 },
  { "vit-biasless", 3, 3, 1 },
  { "deit", 2, 2, 2 },
  { "dinov2", 4, 4, 1 },
  { "dinov2-wide", 3, 5, 1 },
  { "dinov2_with_registers", 2, 7, 4 },
  { "dinov3_vit", 2, 5, 3 },
  { "dinov3_vit-gated", 4, 4, 1 },
  { "clip", 3, 3, 1 },
  { "siglip", 3, 3, 0 },
};

static AttnModel *
open_picture (const char *name)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnModel) model = open_fixture (name);
  g_autoptr (AttnTensor) pixels = read_expected (name, "pixels");
  AttnModel *bound = attn_model_bind_pixels (model, pixels, &error);

  g_assert_no_error (error);
  return bound;
}

/* Weights and labels, under operations, too. */
static void
test_golden (gconstpointer data)
{
  const Picture *picture = data;
  g_autoptr (AttnModel) model = open_picture (picture->name);

  check_golden_model (model, picture->name, 3);
}

/* What enters each layer and leaves the last, of models without logits: within 1e-4 of the largest
 * number. @member: of the expected results */
static void
check_residual (AttnModel     *model,
                const char    *name,
                const char    *member,
                const guint32 *ids,
                gsize          n_ids)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnTensor) expected = read_expected (name, member);
  g_autoptr (AttnTrace) trace = compute_trace (
      model, ids, n_ids, NULL,
      ATTN_QUANTITY_RESIDUAL | ATTN_QUANTITY_ATTENTION | ATTN_QUANTITY_MLP, NULL);
  gsize n = expected->shape[1] * expected->shape[2], n_layers = expected->shape[0] - 1;
  double largest = 0.0, apart = 0.0;

  g_assert_cmpuint (expected->shape[1], ==, n_ids);
  for (gsize layer = 0; layer <= n_layers; layer++)
    {
      gsize below = MIN (layer, n_layers - 1);
      g_autoptr (AttnTensor) found = attn_trace_get (trace, ATTN_QUANTITY_RESIDUAL, below);
      g_autoptr (AttnTensor) attention = attn_trace_get (trace, ATTN_QUANTITY_ATTENTION, below);
      g_autoptr (AttnTensor) mlp = attn_trace_get (trace, ATTN_QUANTITY_MLP, below);

      for (gsize i = 0; i < n; i++)
        {
          double value = found->data[i];
          double reference = expected->data[layer * n + i];

          if (layer == n_layers)
            value += (double) attention->data[i] + mlp->data[i];
          largest = MAX (largest, fabs (reference));
          apart = MAX (apart, fabs (value - reference));
        }
    }
  g_test_message ("off by %g of %g", apart, largest);
  g_assert_cmpfloat (apart, <, 1e-4 * largest);
}

static void
test_residual (gconstpointer name)
{
  g_autoptr (AttnModel) model = open_picture (name);
  g_autoptr (AttnTokens) tokens = attn_model_list_patches (model);
  g_autofree guint32 *ids = attn_tokens_dup_ids (tokens);

  check_residual (model, name, "residual", ids, tokens->n_tokens);
}

static AttnModel *
open_half (const char *name,
           const char *half)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *directory = g_test_build_filename (G_TEST_DIST, "model", name, NULL);
  AttnModel *model = attn_model_open_attention (directory, half, &error);

  g_assert_no_error (error);
  return model;
}

/* Both halves of a checkpoint, under operations, too; the one that sees comes first. */
static void
test_halves (gconstpointer name)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnModel) first = open_half (name, NULL);
  g_autoptr (AttnModel) text = open_half (name, "text");
  g_autoptr (AttnTensor) pixels = read_expected (name, "pixels");
  g_autoptr (AttnModel) vision = attn_model_bind_pixels (first, pixels, &error);
  const AttnModelInfo *info = attn_model_get_info (text);
  gboolean is_clip = g_str_has_prefix (name, "clip");

  g_assert_no_error (error);
  g_assert_cmpstr (attn_model_get_info (first)->attention, ==, "vision");
  g_assert_cmpuint (g_strv_length ((char **) info->attentions), ==, 2);
  g_assert_cmpstr (info->attention, ==, "text");
  g_assert_false (info->needs_picture);
  g_assert_false (info->needs_source);
  g_assert_false (info->has_logits);
  g_assert_cmpint (info->is_causal, ==, is_clip);
  g_assert_cmpuint (info->n_layers, ==, 3);
  g_assert_cmpuint (info->n_positions, ==, 16);
  check_golden_half (vision, name, "vision", 4);
  check_golden_half (text, name, "text", 4);

  g_autoptr (AttnTensor) ids = read_expected (name, "ids");
  g_autofree guint32 *own = g_new (guint32, ids->shape[0]);
  for (gsize i = 0; i < ids->shape[0]; i++)
    own[i] = (guint32) ids->data[i];
  check_residual (text, name, "text:residual", own, ids->shape[0]);
  g_autoptr (AttnTokens) patches = attn_model_list_patches (vision);
  g_autofree guint32 *numbers = attn_tokens_dup_ids (patches);
  check_residual (vision, name, "vision:residual", numbers, patches->n_tokens);
}

/* A half that was saved alone is a family of its own; one that sees has no other. */
static void
test_halves_alone (void)
{
  g_autoptr (GError) error = NULL;
  Copy copy = copy_fixture ("clip-halves");
  g_autofree char *clip = g_test_build_filename (G_TEST_DIST, "model", "clip", NULL);

  set_member (&copy, "\"model_type\": \"clip_text_model\"");
  g_autoptr (AttnModel) text = open_model (copy.directory);
  g_assert_cmpstr (attn_model_get_info (text)->attention, ==, "text");
  g_assert_cmpstr (attn_model_get_info (text)->family, ==, "clip_text_model");
  g_assert_cmpuint (g_strv_length ((char **) attn_model_get_info (text)->attentions), ==, 1);
  remove_checkpoint (copy.directory);

  g_assert_null (attn_model_open_attention (clip, "text", &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
  g_assert_nonnull (strstr (error->message, "attention “text” found, expected one of vision"));
}

/* Angles by row and column need a head of four numbers for each frequency. */
static void
test_angles (void)
{
  Copy copy = copy_fixture ("dinov3_vit");
  g_autoptr (GError) error = NULL;

  set_member (&copy, "\"num_attention_heads\": 4");
  g_assert_null (attn_model_open (copy.directory, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_SHAPE);
  g_assert_nonnull (strstr (error->message, "heads of width 6 found, expected a multiple of 4"));
  remove_checkpoint (copy.directory);
}

static void
test_info (gconstpointer data)
{
  const Picture *picture = data;
  g_autoptr (AttnModel) model = open_picture (picture->name);
  const AttnModelInfo *info = attn_model_get_info (model);

  g_assert_true (info->needs_picture);
  g_assert_cmpstr (info->attention, ==, "vision");
  g_assert_false (info->is_causal);
  g_assert_cmpuint (info->n_patch_rows, ==, picture->n_rows);
  g_assert_cmpuint (info->n_patch_columns, ==, picture->n_columns);
  g_assert_cmpuint (info->n_leading_tokens, ==, picture->n_leading);
  g_assert_cmpuint (info->n_positions, ==,
                    picture->n_leading + picture->n_rows * picture->n_columns);
}

/* Tokens are called by what they are, patches by row and column. */
static void
test_labels (void)
{
  g_autoptr (AttnModel) registers = open_picture ("dinov2_with_registers");
  g_autoptr (AttnTokens) tokens = attn_model_list_patches (registers);
  g_autoptr (AttnModel) deit = open_picture ("deit");
  g_autoptr (AttnTokens) others = attn_model_list_patches (deit);

  g_assert_cmpuint (tokens->n_tokens, ==, 18);
  g_assert_cmpstr (tokens->labels[0], ==, "[CLS]");
  g_assert_cmpstr (tokens->labels[1], ==, "[REG 1]");
  g_assert_cmpstr (tokens->labels[3], ==, "[REG 3]");
  g_assert_cmpstr (tokens->labels[4], ==, "0,0");
  g_assert_cmpstr (tokens->labels[17], ==, "1,6");
  g_assert_cmpstr (others->labels[1], ==, "[DIST]");
  g_assert_cmpstr (others->labels[5], ==, "1,1");
}

/* Labels have the names that config.json gives them; one without a name is not guessed. */
static void
test_label_names (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnModel) vit = open_picture ("vit");
  g_autoptr (AttnModel) deit = open_picture ("deit");
  g_autofree char *hat = attn_model_dup_output_label (vit, 2);
  g_autofree char *beyond = attn_model_dup_output_label (vit, 3);
  g_autofree char *number = attn_model_dup_output_label (deit, 1);
  Copy copy = copy_fixture ("vit");

  g_assert_cmpstr (hat, ==, "hat");
  g_assert_cmpstr (beyond, ==, "3");
  g_assert_cmpstr (number, ==, "1");
  g_assert_null (attn_model_get_info (deit)->label_names);
  set_member (&copy, "\"id2label\": {\"0\": \"cat\", \"2\": \"hat\"}");
  g_assert_null (attn_model_open (copy.directory, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT);
  g_assert_nonnull (strstr (error->message, "no name of label 1 found"));
  remove_checkpoint (copy.directory);
}

static void
assert_refused (const char  *name,
                const gsize *shape,
                AttnError    code,
                const char  *words)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnModel) model = open_fixture (name);
  g_autoptr (AttnTensor) pixels = attn_tensor_new (3, shape, &error);

  g_assert_no_error (error);
  g_assert_null (attn_model_bind_pixels (model, pixels, &error));
  g_assert_error (error, ATTN_ERROR, (int) code);
  if (strstr (error->message, words) == NULL)
    g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, words));
}

/* Another size is taken only by models whose published code interpolates. */
static void
test_refused (void)
{
  const gsize other[] = { 3, 12, 20 }, gray[] = { 1, 13, 20 }, small[] = { 3, 2, 40 },
              large[] = { 3, 300, 300 };

  assert_refused ("vit", other, ATTN_ERROR_SHAPE, "expected a height of 13 and a width of 20");
  assert_refused ("vit", gray, ATTN_ERROR_SHAPE, "expected [3 channels, height, width]");
  assert_refused ("dinov2", small, ATTN_ERROR_LIMIT, "expected 1 to 4096 patches of 3 x 3");
  assert_refused ("dinov2", large, ATTN_ERROR_LIMIT, "expected 1 to 4096 patches of 3 x 3");
}

/* Nothing is computed of a model that has no picture. */
static void
test_without_picture (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnModel) model = open_fixture ("vit");
  const guint32 ids[] = { 0, 1, 2 };
  const AttnTraceRequest request = { ids, 3, NULL, ATTN_QUANTITY_WEIGHTS, NULL };

  g_assert_null (attn_trace_compute (model, &request, NULL, NULL, NULL, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
  g_assert_nonnull (strstr (error->message, "a model of pictures found and no picture"));
}

/* What a change does to the labels is the same, whichever rows are asked for, and as the logits
 * say. 1e-6: the last bits of a logarithm. */
static void
test_effect (gconstpointer name)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnModel) model = open_picture (name);
  gsize n = attn_model_get_info (model)->n_positions;
  g_autoptr (AttnTokens) tokens = attn_model_list_patches (model);
  g_autofree guint32 *ids = attn_tokens_dup_ids (tokens);
  g_autoptr (GPtrArray) interventions = interventions_from_text ("value/zero/0/all/all");
  g_autoptr (AttnTrace) before = compute_trace (model, ids, n, NULL, ATTN_QUANTITY_LOGITS, NULL);
  g_autoptr (AttnTrace) after =
      compute_trace (model, ids, n, interventions, ATTN_QUANTITY_LOGITS, NULL);
  g_autoptr (AttnTensor) p = attn_trace_get (before, ATTN_QUANTITY_LOGITS, 0);
  g_autoptr (AttnTensor) q = attn_trace_get (after, ATTN_QUANTITY_LOGITS, 0);
  double sums[2] = { 0.0 }, kl = 0.0;
  const AttnSpan spans[] = { { 0, 1 }, { n - 2, n }, { 0, n } };

  for (gsize i = 0; i < p->shape[1]; i++)
    {
      sums[0] += exp (p->data[i]);
      sums[1] += exp (q->data[i]);
    }
  for (gsize i = 0; i < p->shape[1]; i++)
    kl += exp (p->data[i]) / sums[0] *
          (p->data[i] - log (sums[0]) - q->data[i] + log (sums[1])) / G_LN2;
  for (gsize i = 0; i < G_N_ELEMENTS (spans); i++)
    {
      AttnMeanEffect effect;
      AttnEffectMeter *meter = attn_effect_meter_new (model, ids, n, spans[i], NULL, NULL, &error);

      g_assert_no_error (error);
      g_assert_true (attn_effect_meter_compute (meter, interventions, &effect, NULL, &error));
      attn_effect_meter_free (meter);
      g_assert_cmpfloat (fabs (effect.kl - kl), <, 1e-6);
      g_assert_true (isnan (effect.loss));
    }
  g_assert_cmpfloat (kl, >, 1e-4);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (pictures); i++)
    {
      g_autofree char *golden = g_strconcat ("/model/pictures/golden/", pictures[i].name, NULL);
      g_autofree char *info = g_strconcat ("/model/pictures/info/", pictures[i].name, NULL);

      g_test_add_data_func (golden, &pictures[i], test_golden);
      g_test_add_data_func (info, &pictures[i], test_info);
    }
  g_test_add_data_func ("/model/pictures/effect/vit", "vit", test_effect);
  g_test_add_data_func ("/model/pictures/effect/dinov2", "dinov2", test_effect);
  g_test_add_data_func ("/model/pictures/residual/dinov3_vit", "dinov3_vit", test_residual);
  g_test_add_data_func ("/model/pictures/residual/dinov3_vit-gated", "dinov3_vit-gated",
                        test_residual);
  g_test_add_func ("/model/pictures/angles", test_angles);
  g_test_add_data_func ("/model/pictures/halves/clip", "clip-halves", test_halves);
  g_test_add_data_func ("/model/pictures/halves/siglip", "siglip-halves", test_halves);
  g_test_add_func ("/model/pictures/halves-alone", test_halves_alone);
  g_test_add_func ("/model/pictures/labels", test_labels);
  g_test_add_func ("/model/pictures/label-names", test_label_names);
  g_test_add_func ("/model/pictures/refused", test_refused);
  g_test_add_func ("/model/pictures/without-picture", test_without_picture);
  return g_test_run ();
}
