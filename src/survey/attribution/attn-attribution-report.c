/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-attribution-report.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "attn-bootstrap.h"

/* Draws bootstrap samples of the texts, the same samples for all heads. Returns: (transfer full):
 * [cells, samples]: mean KL divergence of each head in each sample */
static double *
draw_means (const AttnAttribution *attribution)
{
  /* The seed is fixed, so that the same survey gives the same numbers. */
  g_autoptr (GRand) rand = g_rand_new_with_seed (ATTN_BOOTSTRAP_SEED);
  gsize n_cells = attribution->n_cells;
  gsize n_means = n_cells * ATTN_BOOTSTRAP_SAMPLES;
  double *means = g_new (double, n_means);
  g_autofree double *sums = g_new (double, n_cells);
  g_autofree double *counts = g_new (double, n_cells);

  for (gsize sample = 0; sample < ATTN_BOOTSTRAP_SAMPLES; sample++)
    {
      for (gsize cell = 0; cell < n_cells; cell++)
        sums[cell] = counts[cell] = 0.0;
      for (guint i = 0; i < attribution->texts->len; i++)
        {
          const AttnAttributionText *text = attribution->texts->pdata[i];
          double count = attn_bootstrap_draw (rand, 1.0);

          for (gsize cell = 0; cell < n_cells; cell++)
            if (!isnan (text->kl[cell]))
              {
                sums[cell] += count * text->kl[cell];
                counts[cell] += count;
              }
        }
      for (gsize cell = 0; cell < n_cells; cell++)
        means[cell * ATTN_BOOTSTRAP_SAMPLES + sample] =
            counts[cell] > 0.0 ? sums[cell] / counts[cell] : 0.0;
    }
  return means;
}

/* Compares heads to sort them by descending mean, NaN last. Heads of equal means stay in the order
 * of the model. */
static int
compare_findings (gconstpointer a,
                  gconstpointer b)
{
  const AttnAttributionFinding *first = a;
  const AttnAttributionFinding *second = b;

  if (isnan (first->kl) || isnan (second->kl) || first->kl == second->kl)
    {
      int order = isnan (first->kl) - isnan (second->kl);

      if (order != 0)
        return order;
      return first->layer != second->layer ? (first->layer > second->layer ? 1 : -1)
                                           : (first->head > second->head) -
                                                 (first->head < second->head);
    }
  return first->kl < second->kl ? 1 : -1;
}

/**
 * attn_attribution_report_find:
 * @data: with an attribution
 *
 * Returns: (transfer full) (element-type AttnAttributionFinding): all heads, sorted by descending
 *   mean KL divergence
 */
GArray *
attn_attribution_report_find (const AttnSurveyData *data)
{
  const AttnAttribution *attribution = data->attribution;
  const AttnTally *tally = data->tallies[ATTN_STATISTIC_ATTRIBUTION];
  GArray *findings = g_array_new (FALSE, FALSE, sizeof (AttnAttributionFinding));
  g_autofree guint64 *counts = attn_attribution_count_first (attribution, 0);
  g_autofree double *means = draw_means (attribution);

  for (gsize cell = 0; cell < attribution->n_cells; cell++)
    {
      AttnAttributionFinding finding = {
        .layer = data->layers[cell / data->n_heads],
        .head = data->heads[cell % data->n_heads],
        .kl = attn_tally_get_mean (tally, cell),
        .n_first = counts[cell],
        .angle = attribution->angles[cell],
      };

      attn_bootstrap_find_interval (means + cell * ATTN_BOOTSTRAP_SAMPLES, &finding.low,
                                    &finding.high);
      g_array_append_val (findings, finding);
    }
  g_array_sort (findings, compare_findings);
  return findings;
}

static const char *
get_unit (const AttnAttribution *attribution)
{
  return attribution->is_in_bits ? "bits" : "nats";
}

/* Describes the position at which the KL divergence is measured. */
static char *
describe_place (const AttnAttribution *attribution)
{
  if (attribution->at == ATTN_AT_ALL)
    return g_strdup (_("over all tokens"));
  if (attribution->at == ATTN_AT_LAST)
    return g_strdup (_("at the last token"));
  return g_strdup_printf (_("at token %d"), attribution->at);
}

/* Appends the head that each complete step chose, if there are several steps. */
static void
append_chosen (const AttnSurveyData *data,
               GString              *text)
{
  const AttnAttribution *attribution = data->attribution;

  for (gsize step = 0; attribution->n_steps > 1 && step < attribution->n_chosen; step++)
    {
      gsize cell = attribution->chosen[step];

      g_string_append_printf (text, _("step %zu: L%zu H%zu, %.4f°\n"), step + 1,
                              data->layers[cell / data->n_heads], data->heads[cell % data->n_heads],
                              attribution->angles[step * attribution->n_cells + cell]);
    }
}

/**
 * attn_attribution_report_to_text:
 * @data: with an attribution
 *
 * Returns: (transfer full): the report as text, with a line for each head
 */
char *
attn_attribution_report_to_text (const AttnSurveyData *data)
{
  const AttnAttribution *attribution = data->attribution;
  g_autoptr (GArray) findings = attn_attribution_report_find (data);
  g_autofree char *place = describe_place (attribution);
  GString *text = g_string_new (NULL);

  g_string_append_printf (
      text,
      _("%u texts of at most %zu tokens, each head changed alone: %s\n"
        "the mean KL %s in %s with where 95 %% of %d bootstrap samples of the texts are (seed %d), "
        "in how many texts the head is among the first %d, and the angle of the final states (%zu "
        "singular vectors)\n"),
      attribution->texts->len, data->length, attribution->operation, place,
      get_unit (attribution), ATTN_BOOTSTRAP_SAMPLES, ATTN_BOOTSTRAP_SEED, ATTN_ATTRIBUTION_FIRST,
      attribution->rank);
  append_chosen (data, text);
  g_string_append_c (text, '\n');
  for (guint i = 0; i < findings->len; i++)
    {
      const AttnAttributionFinding *finding =
          &g_array_index (findings, AttnAttributionFinding, i);

      if (isnan (finding->kl))
        continue;
      g_string_append_printf (text, "  L%zu H%zu  %.4g  %.4g–%.4g  %zu", finding->layer,
                              finding->head, finding->kl, finding->low, finding->high,
                              (gsize) finding->n_first);
      if (!isnan (finding->angle))
        g_string_append_printf (text, "  %.4f°", finding->angle);
      g_string_append_c (text, '\n');
    }
  return g_string_free (text, FALSE);
}

static void
add_integer (JsonBuilder *builder,
             const char  *name,
             gsize        value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_int_value (builder, (gint64) value);
}

static void
add_string (JsonBuilder *builder,
            const char  *name,
            const char  *value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_string_value (builder, value);
}

/* Adds a number to a table, or nothing if it is NaN, which means that it is not known. */
static void
add_number (JsonBuilder *builder,
            const char  *name,
            double       value)
{
  if (isnan (value))
    return;
  json_builder_set_member_name (builder, name);
  json_builder_add_double_value (builder, value);
}

/**
 * attn_attribution_report_add:
 * @data: with an attribution
 * @builder: JSON builder, inside of an object
 *
 * Adds a member "attribution": the intervention, the head that each step chose, and all heads in
 * the order of attn_attribution_report_find().
 */
void
attn_attribution_report_add (const AttnSurveyData *data,
                             JsonBuilder          *builder)
{
  const AttnAttribution *attribution = data->attribution;
  g_autoptr (GArray) findings = attn_attribution_report_find (data);
  g_autofree char *position = g_strdup_printf ("%d", attribution->at);

  json_builder_set_member_name (builder, "attribution");
  json_builder_begin_object (builder);
  add_string (builder, "operation", attribution->operation);
  add_string (builder, "unit", get_unit (attribution));
  add_string (builder, "at",
              attribution->at == ATTN_AT_LAST  ? "last"
              : attribution->at == ATTN_AT_ALL ? "all"
                                               : position);
  add_integer (builder, "rank", attribution->rank);
  json_builder_set_member_name (builder, "chosen");
  json_builder_begin_array (builder);
  for (gsize step = 0; step < attribution->n_chosen; step++)
    {
      gsize cell = attribution->chosen[step];

      json_builder_begin_object (builder);
      add_integer (builder, "layer", data->layers[cell / data->n_heads]);
      add_integer (builder, "head", data->heads[cell % data->n_heads]);
      add_number (builder, "angle", attribution->angles[step * attribution->n_cells + cell]);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
  json_builder_set_member_name (builder, "heads");
  json_builder_begin_array (builder);
  for (guint i = 0; i < findings->len; i++)
    {
      const AttnAttributionFinding *finding =
          &g_array_index (findings, AttnAttributionFinding, i);

      if (isnan (finding->kl))
        continue;
      json_builder_begin_object (builder);
      add_integer (builder, "layer", finding->layer);
      add_integer (builder, "head", finding->head);
      add_number (builder, "kl", finding->kl);
      add_number (builder, "low", finding->low);
      add_number (builder, "high", finding->high);
      add_integer (builder, "first", (gsize) finding->n_first);
      add_number (builder, "angle", finding->angle);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
  json_builder_end_object (builder);
}
