/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-survey-report.h"

#include <glib/gi18n-lib.h>
#include <json-glib/json-glib.h>
#include <math.h>

#include "attn-attribution-report.h"
#include "attn-bootstrap.h"
#include "attn-text.h"

const AttnHeadKind attn_head_kinds[ATTN_N_HEAD_KINDS] = {
  { "sink", ATTN_STATISTIC_SINK, TRUE, 0.5 },
  { "previous-token", ATTN_STATISTIC_PREVIOUS, FALSE, 0.5 },
  { "duplicate-token", ATTN_STATISTIC_DUPLICATE, FALSE, 0.4 },
  { "induction", ATTN_STATISTIC_INDUCTION, FALSE, 0.4 },
  { "positional", ATTN_STATISTIC_OFFSET, TRUE, 0.5 },
  { "delimiter", ATTN_STATISTIC_DELIMITER, FALSE, 0.5 },
};

/* Draws bootstrap samples and computes the confidence interval. @n: number of groups of texts with
 * the same value; @counts: number of texts in each group; @values: value of each group */
static void
bootstrap (gsize            n,
           const guint64   *counts,
           const double    *values,
           AttnHeadFinding *finding)
{
  /* The seed is fixed, so that the same survey gives the same interval. */
  g_autoptr (GRand) rand = g_rand_new_with_seed (ATTN_BOOTSTRAP_SEED);
  double threshold = attn_head_kinds[finding->kind].threshold;
  double means[ATTN_BOOTSTRAP_SAMPLES];
  gsize n_above = 0;

  for (gsize sample = 0; sample < ATTN_BOOTSTRAP_SAMPLES; sample++)
    {
      double sum = 0.0;
      double all = 0.0;

      for (gsize i = 0; i < n; i++)
        {
          double count = counts[i] > 0 ? attn_bootstrap_draw (rand, (double) counts[i]) : 0.0;

          sum += count * values[i];
          all += count;
        }
      means[sample] = all > 0.0 ? sum / all : 0.0;
      n_above += means[sample] > threshold;
    }
  attn_bootstrap_find_interval (means, &finding->low, &finding->high);
  finding->confidence = (double) n_above / ATTN_BOOTSTRAP_SAMPLES;
}

/* Finds the key or distance that has more than %ATTN_SINK_THRESHOLD of the weight in the most
 * texts. Only the first half of the keys is searched, which at least half of the queries can attend
 * to. Returns: whether the head is of the kind */
static gboolean
find_place (const AttnSurveyData *data,
            gsize                 cell,
            AttnHeadFinding      *finding)
{
  const AttnHeadKind *kind = &attn_head_kinds[finding->kind];
  gboolean is_sink = kind->statistic == ATTN_STATISTIC_SINK;
  const guint64 *counts = is_sink ? data->key_counts + cell * data->length
                                  : data->offset_counts + cell * data->n_offsets;
  gsize n = is_sink ? MAX (data->length / 2, 1) : data->n_offsets;
  guint64 n_texts = attn_tally_get_count (data->tallies[kind->statistic], cell);
  gsize best = 0;

  for (gsize i = 1; i < n; i++)
    if (counts[i] > counts[best])
      best = i;
  finding->place = is_sink ? (gssize) best : attn_survey_data_get_distance (data, best);
  finding->value = (double) counts[best] / (double) n_texts;
  if (!(finding->value > kind->threshold))
    return FALSE;

  const guint64 groups[] = { counts[best], n_texts - counts[best] };
  const double values[] = { 1.0, 0.0 };
  bootstrap (G_N_ELEMENTS (groups), groups, values, finding);
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
  const guint64 *counts = attn_tally_get_histogram (tally, cell);
  double sum = 0.0;

  /* The texts of a bin of the histogram count with its middle value, shifted so that the mean over
   * all bins is the exact mean over the texts. */
  for (gsize i = 0; i < ATTN_TALLY_BINS; i++)
    sum += (double) counts[i] * attn_tally_get_bin (tally, i);
  for (gsize i = 0; i < ATTN_TALLY_BINS; i++)
    values[i] = attn_tally_get_bin (tally, i) + finding->value -
                sum / (double) attn_tally_get_count (tally, cell);
  bootstrap (ATTN_TALLY_BINS, counts, values, finding);
  return TRUE;
}

/**
 * attn_survey_report_find:
 *
 * Returns: (transfer full) (element-type AttnHeadFinding): all heads that are of a known kind,
 *   sorted by condition, kind, layer and head; kinds whose statistic was not surveyed are left out
 */
GArray *
attn_survey_report_find (const AttnSurveyData *data)
{
  GArray *findings = g_array_new (FALSE, FALSE, sizeof (AttnHeadFinding));

  for (gsize condition = 0; condition < data->n_conditions; condition++)
    for (gsize kind = 0; kind < ATTN_N_HEAD_KINDS; kind++)
      for (gsize i = 0; i < data->n_layers * data->n_heads; i++)
        {
          const AttnHeadKind *searched = &attn_head_kinds[kind];
          gsize cell = condition * data->n_layers * data->n_heads + i;
          AttnHeadFinding finding = { .kind = kind,
                                      .condition = condition,
                                      .layer = data->layers[i / data->n_heads],
                                      .head = data->heads[i % data->n_heads] };

          if (data->tallies[searched->statistic] != NULL &&
              (searched->has_place ? find_place (data, cell, &finding)
                                   : find_mean (data, cell, &finding)))
            g_array_append_val (findings, finding);
        }
  return findings;
}

static const char *
get_rule (const AttnHeadKind *kind)
{
  if (!kind->has_place)
    return _("%s: the mean over the texts is above %.1f\n");
  return kind->statistic == ATTN_STATISTIC_SINK
             ? _("%s: a key has more than 0.3 of the weight in a share of texts above %.1f\n")
             : _("%s: the key at one distance has more than 0.3 of the weight in a share of texts "
                 "above %.1f\n");
}

/* Finds in which share of the texts the answer of a condition differs from the baseline's, and the
 * mean position of the first difference. Returns: %FALSE for the baseline, or if the survey
 * computed no answers */
static gboolean
find_answers (const AttnSurveyData *data,
              gsize                 condition,
              double               *share,
              double               *position)
{
  const AttnTally *changes = data->tallies[ATTN_STATISTIC_ANSWER];
  const AttnTally *positions = data->tallies[ATTN_STATISTIC_ANSWER_POSITION];

  if (condition == 0 || changes == NULL)
    return FALSE;
  *share = attn_tally_get_mean (changes, condition);
  *position = positions != NULL ? attn_tally_get_mean (positions, condition) : NAN;
  return isfinite (*share);
}

static void
append_answers (const AttnSurveyData *data,
                GString              *text)
{
  double share, position;

  if (data->tallies[ATTN_STATISTIC_ANSWER] != NULL)
    g_string_append_printf (
        text, _("answer: the share of the texts whose greedy answer of at most %zu tokens is "
                "another one, and the first such token, counted from 0, on average\n"),
        data->n_answer);
  for (gsize condition = 1; condition < data->n_conditions; condition++)
    if (find_answers (data, condition, &share, &position))
      {
        g_string_append (text, "  ");
        if (isfinite (position))
          g_string_append_printf (text, _("%s: %.1f %%, token %.1f"), data->conditions[condition],
                                  100.0 * share, position);
        else
          g_string_append_printf (text, _("%s: %.1f %%"), data->conditions[condition],
                                  100.0 * share);
        g_string_append_c (text, '\n');
      }
}

/**
 * attn_survey_report_to_text:
 *
 * Returns: (transfer full): the report as text: the thresholds of the kinds, the share of changed
 *   answers, and a line for each head that is of a kind; for an attribution its own report
 */
char *
attn_survey_report_to_text (const AttnSurveyData *data)
{
  if (data->attribution != NULL)
    return attn_attribution_report_to_text (data);

  g_autoptr (GArray) findings = attn_survey_report_find (data);
  GString *text = g_string_new (NULL);

  g_string_append_printf (text,
                          _("%zu texts of at most %zu tokens; after each number where 95 %% of %d "
                            "bootstrap samples of them are, and the share that agree (seed %d)\n"),
                          (gsize) data->n_texts, data->length, ATTN_BOOTSTRAP_SAMPLES,
                          ATTN_BOOTSTRAP_SEED);
  for (gsize kind = 0; kind < ATTN_N_HEAD_KINDS; kind++)
    if (data->tallies[attn_head_kinds[kind].statistic] != NULL)
      g_string_append_printf (text, get_rule (&attn_head_kinds[kind]), attn_head_kinds[kind].name,
                              attn_head_kinds[kind].threshold);
  append_answers (data, text);
  for (guint i = 0; i < findings->len; i++)
    {
      const AttnHeadFinding *finding = &g_array_index (findings, AttnHeadFinding, i);
      const AttnHeadKind *kind = &attn_head_kinds[finding->kind];

      if (i == 0 || finding[-1].condition != finding->condition)
        g_string_append_printf (text, "\n%s\n", data->conditions[finding->condition]);
      g_string_append_printf (text, "  L%zu H%zu  %-16s %.3f  %.3f–%.3f  %5.1f %%", finding->layer,
                              finding->head, kind->name, finding->value, finding->low,
                              finding->high, 100.0 * finding->confidence);
      if (kind->has_place)
        {
          g_string_append (text, "  ");
          g_string_append_printf (text,
                                  kind->statistic == ATTN_STATISTIC_SINK ? _("key %d")
                                                                         : _("distance %d"),
                                  (int) finding->place);
        }
      g_string_append_c (text, '\n');
    }
  return g_string_free (text, FALSE);
}

static void
add_number (JsonBuilder *builder,
            const char  *name,
            double       value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_double_value (builder, value);
}

/* Adds to the report an array "answers" with the share of changed answers for each condition but
 * the baseline, if the survey computed answers. */
static void
add_answers (const AttnSurveyData *data,
             JsonBuilder          *builder)
{
  double share, position;

  if (data->tallies[ATTN_STATISTIC_ANSWER] == NULL)
    return;
  json_builder_set_member_name (builder, "answers");
  json_builder_begin_array (builder);
  for (gsize condition = 1; condition < data->n_conditions; condition++)
    {
      if (!find_answers (data, condition, &share, &position))
        continue;
      json_builder_begin_object (builder);
      json_builder_set_member_name (builder, "condition");
      json_builder_add_string_value (builder, data->conditions[condition]);
      json_builder_set_member_name (builder, "max_tokens");
      json_builder_add_int_value (builder, (gint64) data->n_answer);
      add_number (builder, "changed", share);
      if (isfinite (position))
        add_number (builder, "position", position);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
}

/**
 * attn_survey_report_to_json:
 *
 * Returns: (transfer full): the report as JSON: the thresholds of the kinds, each head that is of a
 *   kind, the share of changed answers, and the attribution
 */
char *
attn_survey_report_to_json (const AttnSurveyData *data)
{
  g_autoptr (GArray) findings = attn_survey_report_find (data);
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "texts");
  json_builder_add_int_value (builder, (gint64) data->n_texts);
  json_builder_set_member_name (builder, "bootstrap");
  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "samples");
  json_builder_add_int_value (builder, ATTN_BOOTSTRAP_SAMPLES);
  json_builder_set_member_name (builder, "seed");
  json_builder_add_int_value (builder, ATTN_BOOTSTRAP_SEED);
  json_builder_end_object (builder);
  json_builder_set_member_name (builder, "thresholds");
  json_builder_begin_object (builder);
  for (gsize kind = 0; kind < ATTN_N_HEAD_KINDS; kind++)
    if (data->tallies[attn_head_kinds[kind].statistic] != NULL)
      add_number (builder, attn_head_kinds[kind].name, attn_head_kinds[kind].threshold);
  json_builder_end_object (builder);
  json_builder_set_member_name (builder, "heads");
  json_builder_begin_array (builder);
  for (guint i = 0; i < findings->len; i++)
    {
      const AttnHeadFinding *finding = &g_array_index (findings, AttnHeadFinding, i);
      const AttnHeadKind *kind = &attn_head_kinds[finding->kind];

      json_builder_begin_object (builder);
      json_builder_set_member_name (builder, "condition");
      json_builder_add_string_value (builder, data->conditions[finding->condition]);
      json_builder_set_member_name (builder, "kind");
      json_builder_add_string_value (builder, kind->name);
      json_builder_set_member_name (builder, "layer");
      json_builder_add_int_value (builder, (gint64) finding->layer);
      json_builder_set_member_name (builder, "head");
      json_builder_add_int_value (builder, (gint64) finding->head);
      if (kind->has_place)
        {
          json_builder_set_member_name (
              builder, kind->statistic == ATTN_STATISTIC_SINK ? "key" : "distance");
          json_builder_add_int_value (builder, finding->place);
        }
      add_number (builder, "value", finding->value);
      add_number (builder, "low", finding->low);
      add_number (builder, "high", finding->high);
      add_number (builder, "confidence", finding->confidence);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
  add_answers (data, builder);
  if (data->attribution != NULL)
    attn_attribution_report_add (data, builder);
  json_builder_end_object (builder);

  g_autoptr (JsonNode) root = json_builder_get_root (builder);
  return json_to_string (root, TRUE);
}
