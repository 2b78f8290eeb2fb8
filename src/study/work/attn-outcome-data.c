/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-outcome-data.h"

#include <math.h>

static void
write_pair (AttnJsonWriter *writer,
            const char     *name,
            double          before,
            double          after)
{
  if (isnan (before))
    return;
  attn_json_writer_begin_array (writer, name);
  attn_json_writer_add_number (writer, NULL, before);
  attn_json_writer_add_number (writer, NULL, after);
  attn_json_writer_end_array (writer);
}

/**
 * attn_outcome_write:
 * @outcome: (nullable): %NULL writes nothing
 * @writer: a writer that is within a JSON object
 *
 * Writes the effect as the object "effect", with means over the positions: "kl" and "loss" in bits,
 * loss and "perplexity" both before and after the interventions, and "logit-difference" at the last
 * position.
 */
void
attn_outcome_write (const AttnOutcome *outcome,
                    AttnJsonWriter    *writer)
{
  if (outcome == NULL)
    return;
  attn_json_writer_begin_object (writer, "effect");
  attn_json_writer_add_number (writer, "kl", outcome->kl);
  attn_json_writer_add_number (writer, "total-variation", outcome->total_variation);
  write_pair (writer, "loss", outcome->loss[0], outcome->loss[1]);
  write_pair (writer, "perplexity", exp2 (outcome->loss[0]), exp2 (outcome->loss[1]));
  write_pair (writer, "logit-difference", outcome->logit_difference[0],
              outcome->logit_difference[1]);
  attn_json_writer_end_object (writer);
}

static void
write_numbers (AttnJsonWriter *writer,
               const char     *name,
               const double   *values,
               gsize           n)
{
  attn_json_writer_begin_array (writer, name);
  for (gsize i = 0; i < n; i++)
    attn_json_writer_add_number (writer, NULL, values[i]);
  attn_json_writer_end_array (writer);
}

/* Writes "curves", an object with "epsilons" and each curve by its name. */
static void
write_curves (const AttnChart *chart,
              AttnJsonWriter  *writer)
{
  attn_json_writer_begin_object (writer, "curves");
  write_numbers (writer, "epsilons", chart->x, chart->n);
  for (gsize i = 0; i < chart->n_curves; i++)
    write_numbers (writer, chart->curves[i].name, chart->curves[i].values, chart->n);
  attn_json_writer_end_object (writer);
}

/* Writes an object with the numbers "x", their meaning "x-title", and each curve by its name. */
static void
write_chart (const AttnChart *chart,
             AttnJsonWriter  *writer)
{
  attn_json_writer_begin_object (writer, NULL);
  attn_json_writer_add_string (writer, "x-title", chart->x_title);
  write_numbers (writer, "x", chart->x, chart->n);
  for (gsize i = 0; i < chart->n_curves; i++)
    write_numbers (writer, chart->curves[i].name, chart->curves[i].values, chart->n);
  attn_json_writer_end_object (writer);
}

/**
 * attn_outcome_write_charts:
 * @charts: (nullable) (element-type AttnChart): %NULL writes nothing
 * @writer: a writer that is within a JSON object
 *
 * Writes the curves over ε below a grid as "curves", or the charts below a survey as a list
 * "charts".
 */
void
attn_outcome_write_charts (const GPtrArray *charts,
                           AttnJsonWriter  *writer)
{
  if (charts == NULL)
    return;
  if (!((const AttnChart *) charts->pdata[0])->has_page)
    {
      write_curves (charts->pdata[0], writer);
      return;
    }
  attn_json_writer_begin_array (writer, "charts");
  for (guint i = 0; i < charts->len; i++)
    write_chart (charts->pdata[i], writer);
  attn_json_writer_end_array (writer);
}

/* Adds @tensor as an array. @name: (transfer full) @tensor: (transfer full) */
static gboolean
add_tensor (AttnArrayFile  *file,
            char           *name,
            AttnTensor     *tensor,
            GError        **error)
{
  g_autofree char *owned = name;
  g_autoptr (AttnTensor) values = tensor;

  return attn_array_file_add (file, attn_array_new_from_tensor (owned, values), error);
}

/**
 * attn_outcome_add_arrays:
 * @outcome: (nullable): %NULL adds nothing
 * @prefix: beginning of the arrays' names: PREFIX_kl [T], PREFIX_loss [2, T] before and after and,
 *   if two tokens are chosen, PREFIX_logit_difference [2, T] likewise
 * @error: return location: %ATTN_ERROR_MEMORY and errors of [func@attn_array_file_add]
 */
gboolean
attn_outcome_add_arrays (const AttnOutcome  *outcome,
                         const char         *prefix,
                         AttnArrayFile      *file,
                         GError            **error)
{
  const gsize shape[] = { 2, outcome != NULL ? outcome->n : 1 };
  gsize n = shape[1];

  if (outcome == NULL)
    return TRUE;

  g_autoptr (AttnTensor) kl = attn_tensor_new (1, shape + 1, error);
  g_autoptr (AttnTensor) loss = kl != NULL ? attn_tensor_new (2, shape, error) : NULL;
  g_autoptr (AttnTensor) difference = loss != NULL ? attn_tensor_new (2, shape, error) : NULL;
  for (gsize i = 0; difference != NULL && i < 2 * n; i++)
    {
      const AttnPredictionEffect *at = &outcome->positions[i % n];

      kl->data[i % n] = (float) at->kl;
      loss->data[i] = (float) at->loss[i / n];
      difference->data[i] = (float) at->logit_difference[i / n];
    }
  return difference != NULL &&
         add_tensor (file, g_strconcat (prefix, "_kl", NULL), g_steal_pointer (&kl), error) &&
         add_tensor (file, g_strconcat (prefix, "_loss", NULL), g_steal_pointer (&loss), error) &&
         (isnan (outcome->logit_difference[0]) ||
          add_tensor (file, g_strconcat (prefix, "_logit_difference", NULL),
                      g_steal_pointer (&difference), error));
}

/* Returns the name of an array of a chart. @own: (nullable): name of an array of curves over ε;
 * %NULL for "chart_N" with @suffix */
static char *
build_chart_name (const char *own,
                  guint       number,
                  const char *suffix)
{
  return own != NULL ? g_strdup (own) : g_strdup_printf ("chart_%u%s", number, suffix);
}

/**
 * attn_outcome_add_curves:
 * @number: index of the chart below a survey
 * @error: return location: %ATTN_ERROR_MEMORY and errors of [func@attn_array_file_add]
 *
 * Adds the n curves over ε below a grid as "curves" [n, steps], "curve_epsilons" [steps] and
 * "curve_names"; those of a chart of a survey as "chart_N" [n, steps], "chart_N_x" [steps] and
 * "chart_N_names".
 */
gboolean
attn_outcome_add_curves (const AttnChart  *chart,
                         guint             number,
                         AttnArrayFile    *file,
                         GError          **error)
{
  gboolean is_effect = !chart->has_page;
  const gsize shape[] = { chart->n_curves, chart->n };
  g_autofree const char **names = g_new0 (const char *, chart->n_curves + 1);
  g_autofree char *name = build_chart_name (is_effect ? "curve_names" : NULL, number, "_names");
  g_autoptr (AttnTensor) x = attn_tensor_new (1, shape + 1, error);
  g_autoptr (AttnTensor) curves = x != NULL ? attn_tensor_new (2, shape, error) : NULL;

  for (gsize i = 0; curves != NULL && i < chart->n; i++)
    x->data[i] = (float) chart->x[i];
  for (gsize i = 0; curves != NULL && i < chart->n_curves; i++)
    {
      names[i] = chart->curves[i].name;
      for (gsize step = 0; step < chart->n; step++)
        curves->data[i * chart->n + step] = (float) chart->curves[i].values[step];
    }
  return curves != NULL &&
         add_tensor (file, build_chart_name (is_effect ? "curves" : NULL, number, ""),
                     g_steal_pointer (&curves), error) &&
         add_tensor (file, build_chart_name (is_effect ? "curve_epsilons" : NULL, number, "_x"),
                     g_steal_pointer (&x), error) &&
         attn_array_file_add (file, attn_array_new_strings (name, names), error);
}
