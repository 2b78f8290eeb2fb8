/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-survey-charts.h"

#include <glib/gi18n-lib.h>
#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>

#include "attn-text.h"

/* Height of a chart below the maps of a survey, in lines of text. */
#define N_LINES 11

/* Names of steps of an attribution: a step with fewer chosen heads than MOST_NAMED is named by
 * these heads. */
#define MOST_NAMED 4

/* Labels of the statistics in the figure, where they are not translated; the inspector translates
 * them. */
static const char * const labels[] = {
  [ATTN_STATISTIC_SINK] = N_("Sink Score"),
  [ATTN_STATISTIC_ENTROPY] = N_("Entropy (bits)"),
  [ATTN_STATISTIC_RELATIVE_ENTROPY] = N_("Relative Entropy"),
  [ATTN_STATISTIC_DISTANCE] = N_("Attention Distance (tokens)"),
  [ATTN_STATISTIC_PREVIOUS] = N_("Previous Token"),
  [ATTN_STATISTIC_DUPLICATE] = N_("Duplicate Token"),
  [ATTN_STATISTIC_INDUCTION] = N_("Induction"),
  [ATTN_STATISTIC_PREVIOUS_MASS] = N_("Previous Token (of all weight)"),
  [ATTN_STATISTIC_DUPLICATE_MASS] = N_("Duplicate Token (of all weight)"),
  [ATTN_STATISTIC_INDUCTION_MASS] = N_("Induction (of all weight)"),
  [ATTN_STATISTIC_REPEAT] = N_("Repeated Token"),
  [ATTN_STATISTIC_VARIATION] = N_("Total Variation"),
  [ATTN_STATISTIC_DELIMITER] = N_("Delimiters"),
  [ATTN_STATISTIC_OFFSET] = N_("Fixed Offset"),
  [ATTN_STATISTIC_ATTRIBUTION] = N_("KL of the Head Alone"),
  [ATTN_STATISTIC_RESIDUAL_NORM] = N_("Residual Norm"),
  [ATTN_STATISTIC_QUERY_NORM] = N_("Query Norm"),
  [ATTN_STATISTIC_KEY_NORM] = N_("Key Norm"),
  [ATTN_STATISTIC_VALUE_NORM] = N_("Value Norm"),
  [ATTN_STATISTIC_MASSIVE] = N_("Massive Activations"),
};

/**
 * attn_survey_charts_get_things:
 *
 * Returns: (transfer none): what is surveyed, as the figure names it: texts, or the pictures or
 *   sounds of a folder, such as "Pictures"
 */
const char *
attn_survey_charts_get_things (const AttnSurveyData *data)
{
  g_autoptr (JsonNode) root = json_from_string (data->json, NULL);
  JsonObject *texts = root != NULL && JSON_NODE_HOLDS_OBJECT (root)
                          ? json_object_get_object_member (json_node_get_object (root), "texts")
                          : NULL;

  if (texts == NULL)
    return "Texts";
  return json_object_has_member (texts, "kind")      ? "Pictures"
         : json_object_has_member (texts, "seconds") ? "Sounds"
                                                     : "Texts";
}

/**
 * attn_survey_charts_get_label:
 *
 * Returns: (transfer none): the name of a statistic with its unit, such as "Entropy (bits)"; for
 *   pictures, distances are in patches
 */
const char *
attn_survey_charts_get_label (const AttnSurveyData *data,
                              AttnStatistic         statistic)
{
  return statistic == ATTN_STATISTIC_DISTANCE &&
                 g_str_equal (attn_survey_charts_get_things (data), "Pictures")
             ? N_("Attention Distance (patches)")
             : labels[statistic];
}

#define TIMES " × "

/* Writes the number at @place in @text, if there is one, in the notation of figures, "0.5" for
 * "5e-1". */
static void
rewrite_number (GString *text,
                gssize   place)
{
  const char *number = text->str + place;
  char *end;
  g_autofree char *written = attn_text_format_epsilon (g_ascii_strtod (number, &end));

  if (end == number)
    return;
  g_string_erase (text, place, end - number);
  g_string_insert (text, place, written);
}

static void
rewrite_factors (GString *text)
{
  gssize place = 0;

  for (const char *times; (times = strstr (text->str + place, TIMES)) != NULL;)
    {
      place = times + strlen (TIMES) - text->str;
      rewrite_number (text, place);
    }
}

static char *
write_operation (const char *operation,
                 gboolean    has_factor)
{
  GString *text = g_string_new (operation);

  g_string_replace (text, " at projection", "", 0);
  g_string_replace (text, has_factor ? " scale " : " scale 1e0", has_factor ? TIMES : TIMES "ε", 0);
  rewrite_factors (text);
  return g_string_free (text, FALSE);
}

/**
 * attn_survey_charts_write_operation:
 * @operation: an intervention as text, see [func@attn_intervention_to_string]
 *
 * Returns: (transfer full): the name of the intervention in the figure, such as "query × 0.5"
 */
char *
attn_survey_charts_write_operation (const char *operation)
{
  return write_operation (operation, TRUE);
}

/* Names a step of an attribution by the heads that earlier steps chose, which stay changed. */
static char *
build_step_name (const AttnSurveyData *data,
                 gsize                 step)
{
  const AttnAttribution *attribution = data->attribution;
  GString *name = g_string_new ("Each Head Alone");

  if (step > 0 && step <= attribution->n_chosen && step < MOST_NAMED)
    g_string_assign (name, "With");
  else if (step > 0)
    g_string_printf (name, "With %zu Others", step);
  for (gsize i = 0; i < step && step <= attribution->n_chosen && step < MOST_NAMED; i++)
    g_string_append_printf (name, "%s L%zu H%zu", i > 0 ? "," : "",
                            data->layers[attribution->chosen[i] / data->n_heads],
                            data->heads[attribution->chosen[i] % data->n_heads]);
  return g_string_free (name, FALSE);
}

/**
 * attn_survey_charts_build_name:
 * @has_factor: whether the name contains the factor ε, if the condition has one
 *
 * Returns: (transfer full): the name of a condition in the figure, such as "query × 0.5"
 */
char *
attn_survey_charts_build_name (const AttnSurveyData *data,
                               gsize                 condition,
                               gboolean              has_factor)
{
  if (data->attribution != NULL)
    return build_step_name (data, condition);
  if (condition == 0)
    return g_strdup ("Baseline");
  return write_operation (has_factor ? data->conditions[condition] : data->series[condition],
                          has_factor);
}

/**
 * attn_survey_charts_get_cell:
 *
 * Returns: index of the chosen condition, layer and head among the cells of a statistic's tally
 */
gsize
attn_survey_charts_get_cell (const AttnSurveyData   *data,
                             const AttnSurveyChoice *choice)
{
  return (choice->condition * data->n_layers + choice->layer) * data->n_heads + choice->head;
}

static AttnChart *
new_chart (AttnChartKind kind,
           gsize         n,
           gsize         n_curves)
{
  AttnChart *chart = attn_chart_new (n, n_curves, 0);

  chart->kind = kind;
  chart->n_lines = N_LINES;
  chart->has_page = TRUE;
  return chart;
}

/* --- A statistic against another --- */

static AttnChart *
build_scatter (const AttnSurveyData   *data,
               const AttnSurveyChoice *choice)
{
  gsize n = data->n_layers * data->n_heads;
  AttnChart *chart = new_chart (ATTN_CHART_POINTS, n, 1);

  chart->is_linear = TRUE;
  chart->n_columns = data->n_heads;
  chart->group = choice->group;
  chart->chosen = (gssize) (choice->layer * data->n_heads + choice->head);
  if (data->attribution != NULL)
    chart->x_title = g_strdup ("Angle (°)");
  else
    chart->x_title = g_strdup (attn_survey_charts_get_label (data, choice->against));
  chart->titles[0] = g_strdup (attn_survey_charts_get_label (data, choice->statistic));
  chart->curves[0].name = g_strdup (chart->titles[0]);
  for (gsize i = 0; i < n; i++)
    {
      gsize cell = choice->condition * n + i;

      chart->x[i] = data->attribution != NULL
                        ? data->attribution->angles[cell]
                        : attn_tally_get_mean (data->tallies[choice->against], cell);
      chart->curves[0].values[i] = attn_tally_get_mean (data->tallies[choice->statistic], cell);
    }
  return chart;
}

/* --- The texts of a head --- */

static AttnChart *
build_histogram (const AttnSurveyData   *data,
                 const AttnSurveyChoice *choice)
{
  const AttnTally *tally = data->tallies[choice->statistic];
  const guint64 *counts =
      attn_tally_get_histogram (tally, attn_survey_charts_get_cell (data, choice));
  double half = (attn_tally_get_bin (tally, 1) - attn_tally_get_bin (tally, 0)) / 2;
  gboolean is_log = data->attribution != NULL;
  AttnChart *chart = new_chart (ATTN_CHART_BARS, ATTN_TALLY_BINS, 1);

  chart->is_linear = TRUE;
  chart->x_title = g_strdup_printf ("%s%s, L%zu H%zu", is_log ? "log₁₀ " : "",
                                    attn_survey_charts_get_label (data, choice->statistic),
                                    data->layers[choice->layer],
                                    data->heads[choice->head]);
  chart->titles[0] = g_strdup (attn_survey_charts_get_things (data));
  chart->curves[0].name = g_strdup (chart->titles[0]);
  for (gsize i = 0; i < ATTN_TALLY_BINS; i++)
    {
      chart->x[i] = is_log ? log10 (attn_tally_get_edge (tally, i))
                           : attn_tally_get_bin (tally, i) - half;
      chart->curves[0].values[i] = (double) counts[i];
    }
  chart->x[0] = fabs (chart->x[0]) < half * 1e-6 ? 0 : chart->x[0];
  chart->x_end = is_log ? log10 (attn_tally_get_edge (tally, ATTN_TALLY_BINS))
                        : attn_tally_get_bin (tally, ATTN_TALLY_BINS - 1) + half;
  return chart;
}

/* --- Sink rate and effects as curves --- */

/* Returns the share of the texts in which key 0 is a sink under a condition, for the mean over the
 * heads or for one head. */
static double
get_rate (const AttnSurveyData *data,
          gsize                 condition,
          gssize                index)
{
  gsize n = data->n_layers * data->n_heads;
  double sum = 0;

  for (gsize i = index >= 0 ? (gsize) index : 0; i < (index >= 0 ? (gsize) index + 1 : n); i++)
    {
      gsize cell = condition * n + i;

      sum += (double) data->key_counts[cell * data->length] /
             (double) attn_tally_get_count (data->tallies[ATTN_STATISTIC_SINK], cell);
    }
  return sum / (index >= 0 ? 1 : (double) n);
}

static double
get_length_rate (const AttnSurveyData *data,
                 gsize                 condition,
                 gssize                index,
                 gsize                 length)
{
  gsize n = data->n_layers * data->n_heads;
  double sum = 0;

  for (gsize i = index >= 0 ? (gsize) index : 0; i < (index >= 0 ? (gsize) index + 1 : n); i++)
    sum += (double) data->length_counts[(condition * n + i) * data->n_lengths + length];
  return sum / (index >= 0 ? 1 : (double) n) / (double) data->length_texts[length];
}

static int
compare_factors (gconstpointer a,
                 gconstpointer b)
{
  double first = *(const double *) a;
  double second = *(const double *) b;

  return (first < second) - (first > second);
}

/* Lists the factors ε of all conditions in descending order, including 1 for the baseline. */
static GArray *
list_factors (const AttnSurveyData *data)
{
  GArray *factors = g_array_new (FALSE, FALSE, sizeof (double));
  const double one = 1;

  g_array_append_val (factors, one);
  for (gsize i = 0; i < data->n_conditions; i++)
    {
      gboolean is_new = data->factors[i] > 0;

      for (guint k = 0; k < factors->len && is_new; k++)
        is_new = g_array_index (factors, double, k) != data->factors[i];
      if (is_new)
        g_array_append_val (factors, data->factors[i]);
    }
  g_array_sort (factors, compare_factors);
  return factors;
}

/* Quantities that a curve can show. */
typedef enum
{
  CURVE_ALL, /* the sink rate of the mean head */
  CURVE_ONE, /* curve of the sink rate of the head on display */
  CURVE_KL,
  CURVE_LOSS,
} Curve;

static const AttnStatistic counted[] = { ATTN_STATISTIC_SINK, ATTN_STATISTIC_SINK,
                                         ATTN_STATISTIC_KL, ATTN_STATISTIC_LOSS };

static char *
name_curve (const AttnSurveyData   *data,
            const AttnSurveyChoice *choice,
            const char             *name,
            Curve                   curve)
{
  static const char * const words[] = { "all heads", NULL, "KL", "loss" };

  if (words[curve] != NULL)
    return g_strdup_printf ("%s, %s", name, words[curve]);
  return g_strdup_printf ("%s, L%zu H%zu", name, data->layers[choice->layer],
                          data->heads[choice->head]);
}

static double
get_point (const AttnSurveyData   *data,
           const AttnSurveyChoice *choice,
           gsize                   condition,
           Curve                   curve)
{
  if (curve > CURVE_ONE)
    return attn_tally_get_mean (data->tallies[counted[curve]], condition);
  return get_rate (data, condition,
                   curve == CURVE_ALL ? -1
                                      : (gssize) (choice->layer * data->n_heads + choice->head));
}

/* Lists the names of the series of conditions, which differ only in ε. (element-type utf8) */
static GPtrArray *
list_series (const AttnSurveyData *data)
{
  GPtrArray *series = g_ptr_array_new ();

  for (gsize i = 0; i < data->n_conditions; i++)
    if (data->factors[i] > 0 &&
        !g_ptr_array_find_with_equal_func (series, data->series[i], g_str_equal, NULL))
      g_ptr_array_add (series, data->series[i]);
  return series;
}

static gsize
count_curves (const AttnSurveyData *data,
              Curve                 first,
              Curve                 last)
{
  gsize n = 0;

  for (Curve curve = first; curve <= last; curve++)
    n += data->tallies[counted[curve]] != NULL;
  return n;
}

/* Sets the name and the values of one curve of @chart: of each condition of a series at its factor,
 * and of the baseline at 1. At the factors of other series there is no value. */
static void
fill_curve (AttnCurve              *filled,
            const AttnChart        *chart,
            const AttnSurveyData   *data,
            const AttnSurveyChoice *choice,
            const char             *series,
            Curve                   curve)
{
  for (gsize point = 0; point < chart->n; point++)
    filled->values[point] = chart->x[point] == 1 ? get_point (data, choice, 0, curve) : NAN;
  for (gsize i = data->n_conditions; i-- > 0;)
    {
      gsize point = 0;

      if (!(data->factors[i] > 0) || !g_str_equal (data->series[i], series))
        continue;
      while (chart->x[point] != data->factors[i])
        point++;
      filled->values[point] = get_point (data, choice, i, curve);
      g_free (filled->name);
      g_autofree char *name = attn_survey_charts_build_name (data, i, FALSE);
      filled->name = name_curve (data, choice, name, curve);
    }
}

/* Builds a chart over ε with the curves from @first to @last, as far as the survey computed them,
 * for each series. Returns %NULL if no curve was computed. */
static AttnChart *
build_factor_curves (const AttnSurveyData   *data,
                     const AttnSurveyChoice *choice,
                     const char             *title,
                     Curve                   first,
                     Curve                   last)
{
  g_autoptr (GArray) factors = list_factors (data);
  g_autoptr (GPtrArray) series = list_series (data);
  gsize n_each = count_curves (data, first, last);

  if (series->len * n_each == 0)
    return NULL;

  AttnChart *chart = new_chart (ATTN_CHART_CURVES, factors->len, n_each * series->len);
  AttnCurve *next = chart->curves;
  chart->has_legend = TRUE;
  chart->x_title = g_strdup ("ε");
  chart->titles[0] = g_strdup (title);
  memcpy (chart->x, factors->data, factors->len * sizeof *chart->x);
  for (guint k = 0; k < series->len; k++)
    for (Curve curve = first; curve <= last; curve++)
      if (data->tallies[counted[curve]] != NULL)
        fill_curve (next++, chart, data, choice, series->pdata[k], curve);
  return chart;
}

static gsize
count_lengths (const AttnSurveyData *data)
{
  gsize n_known = 0;

  for (gsize i = 0; i < data->n_lengths; i++)
    n_known += data->length_texts[i] > 0;
  return n_known;
}

/* Builds the curves of the sink rate over the length of the texts, for a chosen condition. */
static AttnChart *
build_length_curves (const AttnSurveyData   *data,
                     const AttnSurveyChoice *choice)
{
  gssize index = (gssize) (choice->layer * data->n_heads + choice->head);
  g_autofree char *name = attn_survey_charts_build_name (data, choice->condition, TRUE);

  if (count_lengths (data) < 2)
    return NULL;

  AttnChart *chart = new_chart (ATTN_CHART_CURVES, data->n_lengths, 2);
  chart->has_legend = TRUE;
  chart->is_linear = TRUE;
  chart->x_title = g_strdup ("Tokens of the Text");
  chart->titles[0] = g_strdup ("Sink Rate");
  for (Curve curve = CURVE_ALL; curve <= CURVE_ONE; curve++)
    chart->curves[curve].name = name_curve (data, choice, name, curve);
  for (gsize i = 0; i < data->n_lengths; i++)
    {
      chart->x[i] = (double) (i + 1) * (double) data->length / (double) data->n_lengths;
      for (gsize k = 0; k < 2; k++)
        chart->curves[k].values[i] =
            data->length_texts[i] > 0
                ? get_length_rate (data, choice->condition, k == 0 ? -1 : index, i)
                : NAN;
    }
  return chart;
}

/**
 * attn_survey_charts_explain_curves:
 *
 * Returns: (transfer none) (nullable): a sentence for the user, translated, about what the survey
 *   lacks for curves over ε or over the length of its texts; %NULL if it has what they need
 */
const char *
attn_survey_charts_explain_curves (const AttnSurveyData *data)
{
  gboolean has_rate = data->tallies[ATTN_STATISTIC_SINK] != NULL;
  gboolean has_factor = FALSE;

  for (gsize i = 0; i < data->n_conditions && !has_factor; i++)
    has_factor = data->factors[i] > 0;
  if (data->attribution != NULL)
    return NULL;
  if (!has_rate && data->tallies[ATTN_STATISTIC_KL] == NULL &&
      data->tallies[ATTN_STATISTIC_LOSS] == NULL)
    return _("No curves: they are of the sink score, KL or loss, and none of these is counted");
  if (has_factor || (has_rate && count_lengths (data) > 1))
    return NULL;
  return has_rate ? _("No curves: nothing is scaled by ε, and all texts are about as long. Scale "
                      "query, key or value for curves over ε")
                  : _("No curves: nothing is scaled by ε. Scale query, key or value for them");
}

/**
 * attn_survey_charts_add:
 * @grid: (inout): the grid of maps, to which the charts are added that @study asks for and @data
 *   has
 */
void
attn_survey_charts_add (const AttnStudy        *study,
                        const AttnSurveyData   *data,
                        const AttnSurveyChoice *choice,
                        AttnGrid               *grid)
{
  gboolean has_curves = study->survey.charts[ATTN_SURVEY_CHART_CURVES];
  AttnChart *charts[5] = { NULL };

  if (study->survey.charts[ATTN_SURVEY_CHART_SCATTER])
    charts[0] = build_scatter (data, choice);
  if (study->survey.charts[ATTN_SURVEY_CHART_HISTOGRAM])
    charts[1] = build_histogram (data, choice);
  if (has_curves)
    {
      charts[2] = build_factor_curves (data, choice, "Sink Rate", CURVE_ALL, CURVE_ONE);
      charts[3] = build_factor_curves (data, choice, "Bits", CURVE_KL, CURVE_LOSS);
    }
  if (has_curves && data->tallies[ATTN_STATISTIC_SINK] != NULL)
    charts[4] = build_length_curves (data, choice);
  for (gsize i = 0; i < G_N_ELEMENTS (charts); i++)
    if (charts[i] != NULL)
      attn_grid_add_chart (grid, charts[i]);
}
