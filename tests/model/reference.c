/* SPDX-License-Identifier: GPL-3.0-or-later */

/* GPT-2 once more, in double precision and loops, written from its description and sharing nothing
 * with the program but the reader of the file. */

#include "config.h"

#include "model-fixture.h"

#include <math.h>
#include <string.h>

typedef struct
{
  AttnArrayFile *file;
  const Recipe *recipe;
  gsize n_tokens;
} Run;

static AttnTensor *
load (const Run  *run,
      const char *name)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *long_name = g_strconcat ("transformer.", name, NULL);
  const AttnArray *array = attn_array_file_lookup (run->file, name);

  if (array == NULL)
    array = attn_array_file_lookup (run->file, long_name);
  g_assert_nonnull (array);
  AttnTensor *tensor = attn_array_to_tensor (array, &error);
  g_assert_no_error (error);
  return tensor;
}

static AttnTensor *
load_of_layer (const Run  *run,
               gsize       layer,
               const char *name)
{
  g_autofree char *full_name = g_strdup_printf ("h.%zu.%s", layer, name);

  return load (run, full_name);
}

/* y[t] = (x[t] - mean) / sqrt (variance + epsilon) * weight + bias */
static double *
norm (const Run    *run,
      const double *x,
      AttnTensor   *weight,
      AttnTensor   *bias)
{
  gsize width = run->recipe->width;
  double epsilon = strstr (run->recipe->extra, "layer_norm_epsilon") != NULL ? 0.001 : 1e-5;
  double *y = g_new (double, run->n_tokens *width);

  for (gsize t = 0; t < run->n_tokens; t++)
    {
      double mean = 0.0;
      double variance = 0.0;

      for (gsize i = 0; i < width; i++)
        mean += x[t * width + i] / (double) width;
      for (gsize i = 0; i < width; i++)
        variance += pow (x[t * width + i] - mean, 2.0) / (double) width;
      for (gsize i = 0; i < width; i++)
        y[t * width + i] =
            (x[t * width + i] - mean) / sqrt (variance + epsilon) * weight->data[i] + bias->data[i];
    }
  attn_tensor_unref (weight);
  attn_tensor_unref (bias);
  return y;
}

/* y[t][o] = sum over i of x[t][i] w[i][o] + b[o] */
static double *
linear (const Run    *run,
        const double *x,
        AttnTensor   *weight,
        AttnTensor   *bias)
{
  gsize n_in = weight->shape[0];
  gsize n_out = weight->shape[1];
  double *y = g_new (double, run->n_tokens *n_out);

  for (gsize t = 0; t < run->n_tokens; t++)
    for (gsize o = 0; o < n_out; o++)
      {
        double sum = bias->data[o];

        for (gsize i = 0; i < n_in; i++)
          sum += x[t * n_in + i] * weight->data[i * n_out + o];
        y[t * n_out + o] = sum;
      }
  attn_tensor_unref (weight);
  attn_tensor_unref (bias);
  return y;
}

static double
activate (const Run *run,
          double     x)
{
  const char *extra = run->recipe->extra;

  if (strstr (extra, "\"gelu\"") != NULL)
    return 0.5 * x * (1.0 + erf (x / G_SQRT2));
  if (strstr (extra, "\"relu\"") != NULL)
    return MAX (x, 0.0);
  if (strstr (extra, "\"silu\"") != NULL)
    return x / (1.0 + exp (-x));
  if (strstr (extra, "\"quick_gelu\"") != NULL)
    return x / (1.0 + exp (-1.702 * x));
  if (strstr (extra, "\"tanh\"") != NULL)
    return tanh (x);
  return 0.5 * x * (1.0 + tanh (sqrt (2.0 / G_PI) * (x + 0.044715 * x * x * x)));
}

/* What the mean of the vector at (h, t), or its scaled self, is in place i. @x: [T][3 D], the
 * component beginning at @begin. */
static double
change (const Run              *run,
        const AttnIntervention *intervention,
        const double           *x,
        gsize                   begin,
        gsize                   h,
        gsize                   t,
        gsize                   i)
{
  gsize width = run->recipe->width;
  gsize n_heads = run->recipe->n_heads;
  gsize head_width = width / n_heads;
  double sum = 0.0;

#define AT(head, token, place) x[3 * width * (token) + begin + head_width * (head) + (place)]
  if (intervention->operation == ATTN_OPERATION_SCALE)
    return intervention->factor * AT (h, t, i);
  if (intervention->operation == ATTN_OPERATION_ZERO)
    return 0.0;
  switch (intervention->axis)
    {
    case ATTN_AXIS_FEATURE:
      for (gsize j = 0; j < head_width; j++)
        sum += AT (h, t, j);
      return sum / (double) head_width;
    case ATTN_AXIS_TOKEN:
      for (gsize u = 0; u < run->n_tokens; u++)
        sum += AT (h, u, i);
      return sum / (double) run->n_tokens;
    case ATTN_AXIS_HEAD:
    default:
      for (gsize g = 0; g < n_heads; g++)
        sum += AT (g, t, i);
      return sum / (double) n_heads;
    }
#undef AT
}

static void
intervene (const Run              *run,
           const AttnIntervention *intervention,
           double                 *qkv)
{
  gsize width = run->recipe->width;
  gsize head_width = width / run->recipe->n_heads;
  gsize begin = intervention->component * width;
  g_autofree double *old = g_memdup2 (qkv, run->n_tokens * 3 * width * sizeof *qkv);

  for (gsize t = 0; t < run->n_tokens; t++)
    for (gsize h = 0; h < run->recipe->n_heads; h++)
      for (gsize i = 0; i < head_width; i++)
        if (attn_index_set_contains (intervention->heads, h) &&
            attn_index_set_contains (intervention->tokens, t))
          qkv[t * 3 * width + begin + h * head_width + i] =
              change (run, intervention, old, begin, h, t, i);
}

/* @weights: [H][T][T], set. Returns: the heads' weighted values, [T][D] */
static double *
attend (const Run    *run,
        gsize         layer,
        const double *qkv,
        double       *weights)
{
  gsize width = run->recipe->width;
  gsize n_tokens = run->n_tokens;
  gsize head_width = width / run->recipe->n_heads;
  double *context = g_new0 (double, n_tokens *width);
  double divisor = sqrt ((double) head_width);

  if (strstr (run->recipe->extra, "\"scale_attn_weights\": false") != NULL)
    divisor = 1.0;
  if (strstr (run->recipe->extra, "inverse_layer_idx") != NULL)
    divisor *= (double) (layer + 1);
  for (gsize h = 0; h < run->recipe->n_heads; h++)
    for (gsize t = 0; t < n_tokens; t++)
      {
        double *row = weights + (h * n_tokens + t) * n_tokens;
        double largest = -INFINITY;
        double sum = 0.0;

        memset (row, 0, n_tokens * sizeof *row);
        for (gsize k = 0; k <= t; k++)
          {
            for (gsize i = 0; i < head_width; i++)
              row[k] += qkv[t * 3 * width + h * head_width + i] *
                        qkv[k * 3 * width + width + h * head_width + i] / divisor;
            largest = MAX (largest, row[k]);
          }
        for (gsize k = 0; k <= t; k++)
          sum += row[k] = exp (row[k] - largest);
        for (gsize k = 0; k <= t; k++)
          {
            row[k] /= sum;
            for (gsize i = 0; i < head_width; i++)
              context[t * width + h * head_width + i] +=
                  row[k] * qkv[k * 3 * width + 2 * width + h * head_width + i];
          }
      }
  return context;
}

static void
add (double       *x,
     const double *y,
     gsize         n)
{
  for (gsize i = 0; i < n; i++)
    x[i] += y[i];
}

static void
run_layer (const Run *run,
           gsize      layer,
           GPtrArray *interventions,
           double    *x,
           double    *weights)
{
  gsize n = run->n_tokens * run->recipe->width;
  g_autofree double *a = norm (run, x, load_of_layer (run, layer, "ln_1.weight"),
                               load_of_layer (run, layer, "ln_1.bias"));
  g_autofree double *qkv = linear (run, a, load_of_layer (run, layer, "attn.c_attn.weight"),
                                   load_of_layer (run, layer, "attn.c_attn.bias"));

  for (guint i = 0; i < interventions->len; i++)
    {
      const AttnIntervention *intervention = g_ptr_array_index (interventions, i);

      if (attn_index_set_contains (intervention->layers, layer))
        intervene (run, intervention, qkv);
    }
  g_autofree double *context = attend (run, layer, qkv, weights);
  g_autofree double *b = linear (run, context, load_of_layer (run, layer, "attn.c_proj.weight"),
                                 load_of_layer (run, layer, "attn.c_proj.bias"));
  add (x, b, n);
  g_autofree double *c = norm (run, x, load_of_layer (run, layer, "ln_2.weight"),
                               load_of_layer (run, layer, "ln_2.bias"));
  g_autofree double *inner = linear (run, c, load_of_layer (run, layer, "mlp.c_fc.weight"),
                                     load_of_layer (run, layer, "mlp.c_fc.bias"));
  for (gsize i = 0; i < run->n_tokens * run->recipe->mlp_width; i++)
    inner[i] = activate (run, inner[i]);
  g_autofree double *d = linear (run, inner, load_of_layer (run, layer, "mlp.c_proj.weight"),
                                 load_of_layer (run, layer, "mlp.c_proj.bias"));
  add (x, d, n);
}

/**
 * reference_compute:
 * @directory: a checkpoint that write_checkpoint() wrote
 * @interventions: at the projection
 */
Reference *
reference_compute (const char    *directory,
                   const Recipe  *recipe,
                   const guint32 *ids,
                   gsize          n_ids,
                   GPtrArray     *interventions)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = g_build_filename (directory, "model.safetensors", NULL);
  g_autoptr (AttnArrayFile) file = attn_array_file_load (path, &error);
  const Run run = { file, recipe, n_ids };
  gsize width = recipe->width;

  g_assert_no_error (error);
  g_autoptr (AttnTensor) tokens = load (&run, "wte.weight");
  g_autoptr (AttnTensor) positions = load (&run, "wpe.weight");
  g_autofree double *x = g_new (double, n_ids *width);
  for (gsize t = 0; t < n_ids; t++)
    for (gsize i = 0; i < width; i++)
      x[t * width + i] = (double) tokens->data[ids[t] * width + i] + positions->data[t * width + i];

  Reference *reference = g_new (Reference, 1);
  *reference = (Reference) { recipe->n_layers,
                             recipe->n_heads,
                             n_ids,
                             recipe->vocabulary_size,
                             g_new (double, recipe->n_layers * recipe->n_heads * n_ids * n_ids),
                             g_new0 (double, n_ids * recipe->vocabulary_size) };
  for (gsize layer = 0; layer < recipe->n_layers; layer++)
    run_layer (&run, layer, interventions, x,
               reference->weights + layer * recipe->n_heads * n_ids * n_ids);

  g_autofree double *y = norm (&run, x, load (&run, "ln_f.weight"), load (&run, "ln_f.bias"));
  g_autoptr (AttnTensor) head =
      recipe->has_logits ? load (&run, "lm_head.weight") : attn_tensor_ref (tokens);
  for (gsize t = 0; t < n_ids; t++)
    for (gsize v = 0; v < recipe->vocabulary_size; v++)
      for (gsize i = 0; i < width; i++)
        reference->logits[t * recipe->vocabulary_size + v] +=
            y[t * width + i] * head->data[v * width + i];
  return reference;
}

void
reference_free (Reference *reference)
{
  g_free (reference->weights);
  g_free (reference->logits);
  g_free (reference);
}
