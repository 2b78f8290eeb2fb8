/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-survey-report.h"

#include <glib/gi18n-lib.h>
#include <json-glib/json-glib.h>
#include <math.h>

#include "attn-text.h"

#define N_SAMPLES 1000

const AttnHeadKind attn_head_kinds[ATTN_N_HEAD_KINDS] = {
  { "sink", ATTN_STATISTIC_SINK, 0.5 },
  { "previous-token", ATTN_STATISTIC_PREVIOUS, 0.5 },
  { "duplicate-token", ATTN_STATISTIC_DUPLICATE, 0.4 },
  { "induction", ATTN_STATISTIC_INDUCTION, 0.4 },
};

/* How often something happens that is expected to happen so often: Knuth's way, and beyond 30 the
 * normal distribution, which is as good there. */
static double
draw_poisson (GRand  *rand,
              double  expected)
{
  if (expected > 30.0)
    {
      double angle = g_rand_double_range (rand, 0.0, 2.0 * G_PI);
      double radius = sqrt (-2.0 * log (1.0 - g_rand_double (rand)));

      return MAX (0.0, expected + sqrt (expected) * radius * cos (angle));
    }

  double limit = exp (-expected);
  double product = g_rand_double (rand);
  double n = 0.0;

  for (; product > limit; product *= g_rand_double (rand))
    n++;
  return n;
}

/* The share of bootstrap samples of the texts whose mean is above the threshold. A text comes into
 * a sample as often as Poisson's distribution with mean 1 says (Hanley & MacGibbon 2006), so that a
 * group of n texts comes with mean n. @n: how many groups; @values: the value of each */
static double
bootstrap (gsize          n,
           const guint64 *counts,
           const double  *values,
           double         threshold)
{
  /* The same numbers for the same survey. */
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  gsize n_above = 0;

  for (gsize sample = 0; sample < N_SAMPLES; sample++)
    {
      double sum = 0.0;
      double all = 0.0;

      for (gsize i = 0; i < n; i++)
        {
          double count = counts[i] > 0 ? draw_poisson (rand, (double) counts[i]) : 0.0;

          sum += count * values[i];
          all += count;
        }
      n_above += all > 0.0 && sum / all > threshold;
    }
  return (double) n_above / N_SAMPLES;
}

/* The key that is a sink in the most texts, of those that half of the queries can see. */
static gboolean
find_sink (const AttnSurveyData *data,
           gsize                 cell,
           AttnHeadFinding      *finding)
{
  const guint64 *counts = data->key_counts + cell * data->length;
  guint64 n_texts = attn_tally_get_count (data->tallies[ATTN_STATISTIC_SINK], cell);
  double threshold = attn_head_kinds[finding->kind].threshold;

  for (gsize key = 1; key < data->length / 2; key++)
    if (counts[key] > counts[finding->key])
      finding->key = key;
  finding->value = (double) counts[finding->key] / (double) n_texts;
  if (!(finding->value > threshold))
    return FALSE;

  const guint64 groups[] = { counts[finding->key], n_texts - counts[finding->key] };
  const double values[] = { 1.0, 0.0 };
  finding->confidence = bootstrap (G_N_ELEMENTS (groups), groups, values, threshold);
  return TRUE;
}

static gboolean
find_mean (const AttnSurveyData *data,
           gsize                 cell,
           AttnHeadFinding      *finding)
{
  const AttnHeadKind *kind = &attn_head_kinds[finding->kind];
  const AttnTally *tally = data->tallies[kind->statistic];
  double values[ATTN_TALLY_BINS];

  finding->value = attn_tally_get_mean (tally, cell);
  if (!(finding->value > kind->threshold))
    return FALSE;
  for (gsize i = 0; i < ATTN_TALLY_BINS; i++)
    values[i] = attn_tally_get_bin (tally, i);
  finding->confidence = bootstrap (ATTN_TALLY_BINS, attn_tally_get_histogram (tally, cell), values,
                                   kind->threshold);
  return TRUE;
}

/**
 * attn_survey_report_find:
 *
 * Returns: (transfer full) (element-type AttnHeadFinding): all heads of a kind, by condition, kind,
 *   layer and head; kinds whose statistic was not surveyed are left out
 */
GArray *
attn_survey_report_find (const AttnSurveyData *data)
{
  GArray *findings = g_array_new (FALSE, FALSE, sizeof (AttnHeadFinding));

  for (gsize condition = 0; condition < data->n_conditions; condition++)
    for (gsize kind = 0; kind < ATTN_N_HEAD_KINDS; kind++)
      for (gsize i = 0; i < data->n_layers * data->n_heads; i++)
        {
          AttnStatistic statistic = attn_head_kinds[kind].statistic;
          gsize cell = condition * data->n_layers * data->n_heads + i;
          AttnHeadFinding finding = { .kind = kind,
                                      .condition = condition,
                                      .layer = data->layers[i / data->n_heads],
                                      .head = data->heads[i % data->n_heads] };

          if (data->tallies[statistic] != NULL &&
              (statistic == ATTN_STATISTIC_SINK ? find_sink (data, cell, &finding)
                                                : find_mean (data, cell, &finding)))
            g_array_append_val (findings, finding);
        }
  return findings;
}

/**
 * attn_survey_report_to_text:
 *
 * Returns: (transfer full): a line for each head of a kind, and the thresholds
 */
char *
attn_survey_report_to_text (const AttnSurveyData *data)
{
  g_autoptr (GArray) findings = attn_survey_report_find (data);
  GString *text = g_string_new (NULL);

  g_string_append_printf (text,
                          _("%zu texts of at most %zu tokens; behind each number the share of %d "
                            "bootstrap samples of them that agree\n"),
                          (gsize) data->n_texts, data->length, N_SAMPLES);
  for (gsize kind = 0; kind < ATTN_N_HEAD_KINDS; kind++)
    if (data->tallies[attn_head_kinds[kind].statistic] != NULL)
      g_string_append_printf (
          text,
          attn_head_kinds[kind].statistic == ATTN_STATISTIC_SINK
              ? _("%s: a key has more than 0.3 of the weight in a share of texts above %.1f\n")
              : _("%s: the mean over the texts is above %.1f\n"),
          attn_head_kinds[kind].name, attn_head_kinds[kind].threshold);
  for (guint i = 0; i < findings->len; i++)
    {
      const AttnHeadFinding *finding = &g_array_index (findings, AttnHeadFinding, i);
      gboolean is_sink = attn_head_kinds[finding->kind].statistic == ATTN_STATISTIC_SINK;

      if (i == 0 || finding[-1].condition != finding->condition)
        g_string_append_printf (text, "\n%s\n", data->conditions[finding->condition]);
      g_string_append_printf (text, "  L%zu H%zu  %-16s %.3f  %5.1f %%", finding->layer,
                              finding->head, attn_head_kinds[finding->kind].name, finding->value,
                              100.0 * finding->confidence);
      if (is_sink)
        g_string_append_printf (text, _("  key %zu"), finding->key);
      g_string_append_c (text, '\n');
    }
  return g_string_free (text, FALSE);
}

/**
 * attn_survey_report_to_json:
 *
 * Returns: (transfer full): the thresholds and each head of a kind
 */
char *
attn_survey_report_to_json (const AttnSurveyData *data)
{
  g_autoptr (GArray) findings = attn_survey_report_find (data);
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "texts");
  json_builder_add_int_value (builder, (gint64) data->n_texts);
  json_builder_set_member_name (builder, "thresholds");
  json_builder_begin_object (builder);
  for (gsize kind = 0; kind < ATTN_N_HEAD_KINDS; kind++)
    if (data->tallies[attn_head_kinds[kind].statistic] != NULL)
      {
        json_builder_set_member_name (builder, attn_head_kinds[kind].name);
        json_builder_add_double_value (builder, attn_head_kinds[kind].threshold);
      }
  json_builder_end_object (builder);
  json_builder_set_member_name (builder, "heads");
  json_builder_begin_array (builder);
  for (guint i = 0; i < findings->len; i++)
    {
      const AttnHeadFinding *finding = &g_array_index (findings, AttnHeadFinding, i);

      json_builder_begin_object (builder);
      json_builder_set_member_name (builder, "condition");
      json_builder_add_string_value (builder, data->conditions[finding->condition]);
      json_builder_set_member_name (builder, "kind");
      json_builder_add_string_value (builder, attn_head_kinds[finding->kind].name);
      json_builder_set_member_name (builder, "layer");
      json_builder_add_int_value (builder, (gint64) finding->layer);
      json_builder_set_member_name (builder, "head");
      json_builder_add_int_value (builder, (gint64) finding->head);
      if (attn_head_kinds[finding->kind].statistic == ATTN_STATISTIC_SINK)
        {
          json_builder_set_member_name (builder, "key");
          json_builder_add_int_value (builder, (gint64) finding->key);
        }
      json_builder_set_member_name (builder, "value");
      json_builder_add_double_value (builder, finding->value);
      json_builder_set_member_name (builder, "confidence");
      json_builder_add_double_value (builder, finding->confidence);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
  json_builder_end_object (builder);

  g_autoptr (JsonNode) root = json_builder_get_root (builder);
  return json_to_string (root, TRUE);
}
