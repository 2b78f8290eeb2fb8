/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-survey-figure.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "attn-error.h"
#include "attn-figure-run.h"
#include "attn-file.h"
#include "attn-range.h"
#include "attn-regions.h"
#include "attn-result-private.h"
#include "attn-survey-run.h"
#include "attn-survey-spec.h"
#include "attn-text.h"
#include "attn-workspace-private.h"

/* Limits of the aspect ratio (width / height) of a map, so that maps of few layers or heads stay
 * legible. Between them, cells are square. */
#define MIN_ASPECT 0.6
#define MAX_ASPECT 2.5

/* The number of significant digits of an effect on predictions. */
#define N_DIGITS 3

/* The number, behind the numbers of the statistics, of a map that follows the sink score: the share
 * of the texts in which key 0 is a sink. */
#define SINK_RATE ATTN_N_STATISTICS

/* Numbers of the maps that follow the KL divergence of an attribution: the angle between final
 * states, and the number of texts in which a head is among the heads with the largest effect. */
#define ANGLE (ATTN_N_STATISTICS + 1)
#define FIRST (ATTN_N_STATISTICS + 2)

/* --- Counting --- */

/* Runs a survey, or returns the existing data if it has the same settings, texts and model. */
static AttnSurveyData *
run_survey (const AttnStudy     *study,
            AttnWorkspace       *workspace,
            AttnModel           *model,
            const AttnProgress  *progress,
            GCancellable        *cancellable,
            GError             **error)
{
  const AttnSurveyRun run = { .n_shards = 1 };
  g_autoptr (AttnSurveySpec) spec = attn_survey_spec_new (study, model, error);
  g_autoptr (AttnSurvey) survey =
      spec != NULL ? attn_survey_new (spec, cancellable, error) : NULL;

  if (survey == NULL)
    return NULL;
  if (workspace->survey != NULL &&
      g_str_equal (workspace->survey->json, attn_survey_get_json (survey)))
    return attn_survey_data_ref (workspace->survey);

  AttnSurveyData *data = attn_survey_run (survey, &run, progress, cancellable, error);
  if (data == NULL)
    {
      if (error != NULL && *error == NULL)
        g_cancellable_set_error_if_cancelled (cancellable, error);
      return NULL;
    }
  g_clear_pointer (&workspace->survey, attn_survey_data_unref);
  workspace->survey = attn_survey_data_ref (data);
  return data;
}

/* --- What is shown --- */

/* (element-type guint): numbers of the maps that are shown: the statistics in the order of the
 * enum, with the sink rate after the sink score; or the maps of an attribution. */
static GArray *
list_shown (const AttnStudy      *study,
            const AttnSurveyData *data)
{
  GArray *shown = g_array_new (FALSE, FALSE, sizeof (guint));
  const guint rate = SINK_RATE;
  const guint attributed[] = { ATTN_STATISTIC_ATTRIBUTION, ANGLE, FIRST };

  if (data->attribution != NULL)
    return g_array_append_vals (shown, attributed, G_N_ELEMENTS (attributed));
  for (guint pass = 0; pass < 2 && shown->len == 0; pass++)
    for (guint i = 0; i < ATTN_N_MAP_STATISTICS; i++)
      if (data->tallies[i] != NULL && (pass == 1 || study->survey.statistics[i]))
        {
          g_array_append_val (shown, i);
          if (i == ATTN_STATISTIC_SINK)
            g_array_append_val (shown, rate);
        }
  return shown;
}

static const char *
get_label (const AttnSurveyData *data,
           guint                 shown)
{
  if (shown == ANGLE)
    return N_("Angle (°)");
  if (shown == FIRST)
    return N_("Texts in First 10");
  if (shown == ATTN_STATISTIC_ATTRIBUTION)
    return data->attribution->is_in_bits ? N_("KL (bits)") : N_("KL (nats)");
  return shown == SINK_RATE ? N_("Sink Rate") : attn_survey_charts_get_label (data, shown);
}

static double
get_value (const AttnSurveyData *data,
           guint                 shown,
           gsize                 cell)
{
  if (shown == ANGLE)
    return data->attribution->angles[cell];
  if (shown != SINK_RATE)
    return attn_tally_get_mean (data->tallies[shown], cell);
  return (double) data->key_counts[cell * data->length] /
         (double) attn_tally_get_count (data->tallies[ATTN_STATISTIC_SINK], cell);
}

static AttnStatistic
find_statistic (const AttnSurveyData *data,
                AttnStatistic         wanted)
{
  if (data->tallies[wanted] != NULL)
    return wanted;
  for (AttnStatistic i = 0; i < ATTN_N_HEAD_STATISTICS; i++)
    if (data->tallies[i] != NULL)
      return i;
  return wanted;
}

/* Finds @number in the list @numbers. Returns FALSE if the list lacks it. @place: (out): index of
 * the number */
static gboolean
find_number (const gsize *numbers,
             gsize        n_numbers,
             int          number,
             gsize       *place)
{
  for (gsize i = 0; i < n_numbers; i++)
    if (number >= 0 && numbers[i] == (gsize) number)
      {
        *place = i;
        return TRUE;
      }
  return FALSE;
}

/**
 * attn_survey_figure_get_choice:
 *
 * Returns: the condition, head and statistics of @data that the charts of @study show. If the
 *   survey does not have the study's head, it is the head with the largest mean.
 */
AttnSurveyChoice
attn_survey_figure_get_choice (const AttnStudy      *study,
                               const AttnSurveyData *data)
{
  AttnSurveyChoice choice = {
    .condition = MIN (study->survey.condition, data->n_conditions - 1),
    .statistic = find_statistic (data, study->survey.statistic),
    .against = find_statistic (data, study->survey.against),
  };
  g_autoptr (GArray) shown = list_shown (study, data);
  gsize n = data->n_layers * data->n_heads;
  double largest = -INFINITY;

  for (guint i = 0; i < shown->len; i++)
    if (g_array_index (shown, guint, i) == (guint) choice.statistic)
      choice.group = i * data->n_conditions + choice.condition;

  if (find_number (data->layers, data->n_layers, study->layer, &choice.layer) &&
      find_number (data->heads, data->n_heads, study->head, &choice.head))
    return choice;
  for (gsize i = 0; i < n && data->tallies[choice.statistic] != NULL; i++)
    {
      double mean =
          attn_tally_get_mean (data->tallies[choice.statistic], choice.condition * n + i);

      if (!(mean > largest))
        continue;
      largest = mean;
      choice.layer = i / data->n_heads;
      choice.head = i % data->n_heads;
    }
  return choice;
}

/* Returns labels for the layers or heads of a map. @numbers: (nullable): their numbers; %NULL for
 * 0, 1, 2, ... */
static char **
number_labels (const gsize *numbers,
               gsize        n)
{
  char **labels = g_new0 (char *, n + 1);

  for (gsize i = 0; i < n; i++)
    labels[i] = g_strdup_printf ("%zu", numbers != NULL ? numbers[i] : i);
  return labels;
}

/* Tells whether the columns of the map @shown are positions in the text rather than heads. */
static gboolean
is_by_position (guint shown)
{
  return shown >= ATTN_N_HEAD_STATISTICS && shown < ATTN_N_MAP_STATISTICS;
}

/* Returns the number of text positions that have a value, because at least one text was long
 * enough. */
static gsize
count_positions (const AttnSurveyData *data,
                 guint                 shown)
{
  gsize n = data->length;

  while (n > 1 && attn_tally_get_count (data->tallies[shown], n - 1) == 0)
    n--;
  return n;
}

/* Returns labels such as "0.02 s" for the @n positions of a sound, which are @seconds apart. */
static char **
time_labels (double seconds,
             gsize  n)
{
  char **labels = g_new0 (char *, n + 1);

  for (gsize i = 0; i < n; i++)
    labels[i] = attn_model_format_time ((double) i, seconds);
  return labels;
}

static AttnPanel *
build_map (const AttnSurveyData  *data,
           guint                  shown,
           gsize                  condition,
           GError               **error)
{
  gboolean has_heads = !is_by_position (shown);
  const gsize shape[] = { data->n_layers,
                          has_heads ? data->n_heads : count_positions (data, shown) };
  gsize stride = has_heads ? data->n_heads : data->length;
  g_autoptr (AttnTensor) values = attn_tensor_new_unset (2, shape, error);
  g_auto (GStrv) rows = number_labels (data->layers, data->n_layers);
  double seconds = has_heads ? 0.0 : attn_survey_data_get_seconds (data);
  g_auto (GStrv) columns = seconds > 0.0
                               ? time_labels (seconds, shape[1])
                               : number_labels (has_heads ? data->heads : NULL, shape[1]);
  g_autofree guint64 *counts =
      shown == FIRST ? attn_attribution_count_first (data->attribution, condition) : NULL;

  if (values == NULL)
    return NULL;
  for (gsize i = 0; i < shape[0] * shape[1]; i++)
    values->data[i] =
        counts != NULL && attn_attribution_is_chosen (data->attribution, condition, i) ? NAN
        : counts != NULL
            ? (float) counts[i]
            : (float) get_value (data, shown,
                                 (condition * shape[0] + i / shape[1]) * stride + i % shape[1]);
  return attn_panel_new (values, ATTN_MASK_NONE, (const char * const *) rows,
                         (const char * const *) columns);
}

static gsize
count_texts (const AttnSurveyData *data)
{
  gsize n = 0;

  for (gsize i = 0; i < data->n_lengths; i++)
    n += data->length_texts[i];
  return n;
}

static gboolean
is_complete (const AttnSurveyData *data)
{
  return data->n_texts > 0 && attn_survey_data_count_missing (data) == 0;
}

/* Names the head that turns the final states by the largest angle, and this angle. Returns NULL if
 * no step of the attribution is complete yet. */
static char *
build_chosen (const AttnSurveyData *data)
{
  const AttnAttribution *attribution = data->attribution;

  if (attribution->n_chosen == 0)
    return NULL;
  gsize cell = attribution->chosen[0];
  return g_strdup_printf ("L%zu H%zu, %.3g°", data->layers[cell / data->n_heads],
                          data->heads[cell % data->n_heads], attribution->angles[cell]);
}

/* Names the position at which the KL divergence is measured, unless it is the last token. */
static char *
build_place (const AttnAttribution *attribution)
{
  if (attribution->at == ATTN_AT_LAST)
    return g_strdup ("");
  if (attribution->at == ATTN_AT_ALL)
    return g_strdup (", KL over All Tokens");
  return g_strdup_printf (", KL at Token %d", attribution->at);
}

/* Statistics of effects on predictions and answers that are printed below the maps, as numbers or,
 * if @is_share, as percentages. */
static const struct
{
  AttnStatistic statistic;
  const char *name;
  gboolean is_share;
  gboolean has_baseline;
} effects[] = {
  { ATTN_STATISTIC_KL, ATTN_GRID_KL, FALSE, FALSE },
  { ATTN_STATISTIC_LOSS, ATTN_GRID_LOSS, FALSE, TRUE },
  { ATTN_STATISTIC_ANSWER, "Answer Changed (%)", TRUE, FALSE },
};

/* Names a statistic of maps, or of effects on predictions and answers. */
static const char *
name_statistic (const AttnSurveyData *data,
                guint                 statistic)
{
  for (gsize i = 0; i < G_N_ELEMENTS (effects); i++)
    if (effects[i].statistic == statistic)
      return effects[i].name;
  return get_label (data, statistic);
}

/* A statistic, and the number of texts in which it has a value: the smallest and the largest number
 * of all cells of its maps, as fewer texts have late positions. */
typedef struct
{
  guint statistic;
  guint64 fewest;
  guint64 most;
  gboolean is_named; /* the caption has it already */
} Counted;

/* @list: (element-type Counted) */
static void
add_counted (GArray               *list,
             const AttnSurveyData *data,
             guint                 statistic)
{
  const AttnTally *tally = data->tallies[statistic];
  gsize n = attn_survey_data_count_cells (data, statistic);
  gsize n_shown = is_by_position (statistic) ? count_positions (data, statistic) : data->length;
  Counted counted = { .statistic = statistic, .fewest = G_MAXUINT64 };

  for (gsize i = 0; i < n; i++)
    {
      guint64 count = attn_tally_get_count (tally, i);

      if (is_by_position (statistic) && i % data->length >= n_shown)
        continue;
      counted.fewest = MIN (counted.fewest, count);
      counted.most = MAX (counted.most, count);
    }
  g_array_append_val (list, counted);
}

/* Lists the statistics that the figure has, as maps or as numbers below the maps. (element-type
 * Counted) */
static GArray *
list_counted (const AttnSurveyData *data,
              const GArray         *shown)
{
  GArray *list = g_array_new (FALSE, FALSE, sizeof (Counted));

  for (guint i = 0; i < shown->len; i++)
    if (g_array_index (shown, guint, i) < ATTN_N_STATISTICS)
      add_counted (list, data, g_array_index (shown, guint, i));
  for (gsize i = 0; i < G_N_ELEMENTS (effects); i++)
    if (data->tallies[effects[i].statistic] != NULL)
      add_counted (list, data, effects[i].statistic);
  return list;
}

/* Appends the names of statistics from @first on that have a value in the same number of texts, and
 * that number: "Residual Norm, Query Norm: 3 to 12". */
static void
append_counted (GString              *text,
                const AttnSurveyData *data,
                GArray               *list,
                guint                 first)
{
  const Counted *counted = &g_array_index (list, Counted, first);

  for (guint i = first; i < list->len; i++)
    {
      Counted *other = &g_array_index (list, Counted, i);

      if (other->fewest != counted->fewest || other->most != counted->most)
        continue;
      other->is_named = TRUE;
      g_string_append_printf (text, "%s%s", i > first ? ", " : "",
                              name_statistic (data, other->statistic));
    }
  if (counted->fewest < counted->most)
    g_string_append_printf (text, ": %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT,
                            counted->fewest, counted->most);
  else
    g_string_append_printf (text, ": %" G_GUINT64_FORMAT, counted->most);
}

/* Names the statistics that do not have a value in each of @n_texts texts, as induction has none
 * where no token repeats, and the number of texts with a value: ", Fewer for Induction: 7; Residual
 * Norm, Query Norm: 3 to 12". "" if there are none. */
static char *
build_counts (const AttnSurveyData *data,
              const GArray         *shown,
              gsize                 n_texts)
{
  GString *text = g_string_new (NULL);
  g_autoptr (GArray) list = list_counted (data, shown);

  for (guint i = 0; i < list->len; i++)
    {
      const Counted *counted = &g_array_index (list, Counted, i);

      if (counted->is_named || (counted->fewest == n_texts && counted->most == n_texts))
        continue;
      g_string_append (text, text->len == 0 ? ", Fewer for " : "; ");
      append_counted (text, data, list, i);
    }
  return g_string_free (text, FALSE);
}

static char *
build_caption (const AttnSurveyData *data,
               const GArray         *shown)
{
  gsize n = count_texts (data);
  const char *things = attn_survey_charts_get_things (data);

  if (data->attribution != NULL)
    {
      g_autofree char *operation =
          attn_survey_charts_write_operation (data->attribution->operation);
      g_autofree char *place = build_place (data->attribution);
      g_autofree char *chosen = data->n_conditions == 1 ? build_chosen (data) : NULL;

      return g_strdup_printf ("One Head at a Time: %s%s, %zu %s%s of up to %zu Tokens%s%s",
                              operation, place, n, things, is_complete (data) ? "" : " so Far",
                              data->length, chosen != NULL ? ". Largest Angle: " : "",
                              chosen != NULL ? chosen : "");
    }

  g_autofree char *counts = build_counts (data, shown, n);
  g_autofree char *loss =
      data->n_conditions == 1 && data->tallies[ATTN_STATISTIC_LOSS] != NULL
          ? attn_text_format_weight (attn_tally_get_mean (data->tallies[ATTN_STATISTIC_LOSS], 0), 3)
          : NULL;

  return g_strdup_printf ("Mean over %zu %s%s of up to %zu Tokens%s%s%s%s", n, things,
                          is_complete (data) ? "" : " so Far", data->length, counts,
                          loss != NULL ? ". Loss: " : "", loss != NULL ? loss : "",
                          loss != NULL ? " bits" : "");
}

/* Returns the number of columns for @n maps: about square, or one column less if that leaves fewer
 * places empty. */
static gsize
count_columns (gsize n)
{
  gsize wide = (gsize) ceil (sqrt (1.5 * (double) n));
  gsize narrow = MAX (wide - 1, 1);
  gsize n_empty = (wide - n % wide) % wide;

  return (narrow - n % narrow) % narrow < n_empty ? narrow : wide;
}

/* Makes a grid with a row for each map and a column for each condition. If there is only one
 * condition, its maps are arranged in several columns. */
static AttnGrid *
new_grid (const AttnSurveyData *data,
          const GArray         *shown)
{
  gsize n_columns = count_columns (shown->len);

  if (data->n_conditions == 1)
    {
      AttnGrid *grid = attn_grid_new ((shown->len + n_columns - 1) / n_columns, n_columns);

      grid->scope = ATTN_RANGE_SCOPE_PANEL;
      return grid;
    }
  AttnGrid *grid = attn_grid_new (shown->len, data->n_conditions);
  grid->scope = ATTN_RANGE_SCOPE_ROW;
  grid->row_headings = g_new0 (char *, shown->len + 1);
  grid->column_headings = g_new0 (char *, data->n_conditions + 1);
  for (guint i = 0; i < shown->len; i++)
    grid->row_headings[i] = g_strdup (get_label (data, g_array_index (shown, guint, i)));
  for (gsize i = 0; i < data->n_conditions; i++)
    grid->column_headings[i] = attn_survey_charts_build_name (data, i, TRUE);
  return grid;
}

/* Returns the number of digits that tell the effect of each condition from that of the baseline. */
static guint
find_digits (const AttnSurveyData *data,
             gsize                 effect)
{
  const AttnTally *tally = data->tallies[effects[effect].statistic];
  guint n_digits = N_DIGITS;

  for (gsize i = 1; i < data->n_conditions && effects[effect].has_baseline; i++)
    n_digits = MAX (n_digits, attn_text_find_digits (attn_tally_get_mean (tally, 0),
                                                     attn_tally_get_mean (tally, i), N_DIGITS));
  return n_digits;
}

static char *
format_effect (const AttnSurveyData *data,
               gsize                 effect,
               gsize                 condition)
{
  if (condition == 0 && !effects[effect].has_baseline)
    return g_strdup ("–");

  double mean = attn_tally_get_mean (data->tallies[effects[effect].statistic], condition);
  return effects[effect].is_share
             ? g_strdup_printf ("%.0f", 100 * mean)
             : attn_text_format_weight (mean, find_digits (data, effect));
}

/* Adds below each column the effects of its condition on predictions and answers. If there is only
 * the baseline, the caption names its effects instead. */
static void
add_effects (const AttnSurveyData *data,
             AttnGrid             *grid)
{
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();
  gsize n = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (effects) && data->n_conditions > 1; i++)
    if (data->tallies[effects[i].statistic] != NULL)
      {
        g_strv_builder_add (names, effects[i].name);
        n++;
      }
  if (n == 0)
    return;
  grid->number_names = g_strv_builder_end (names);
  grid->has_numbers_once = TRUE;
  for (gsize condition = 0; condition < grid->n_columns; condition++)
    {
      GStrv numbers = g_new0 (char *, n + 1);
      gsize row = 0;

      for (gsize i = 0; i < G_N_ELEMENTS (effects); i++)
        if (data->tallies[effects[i].statistic] != NULL)
          numbers[row++] = format_effect (data, i, condition);
      attn_grid_get_cell (grid, grid->n_rows - 1, condition)->numbers = numbers;
    }
}

/* Adds below the map of each complete step of an attribution the head that turns the final states
 * by the largest angle. */
static void
add_chosen (const AttnSurveyData *data,
            AttnGrid             *grid)
{
  const AttnAttribution *attribution = data->attribution;
  const char * const names[] = { "Head", N_("Angle (°)"), NULL };

  if (grid->n_columns != data->n_conditions || attribution->n_chosen == 0)
    return;
  grid->number_names = g_strdupv ((char **) names);
  grid->has_numbers_once = TRUE;
  for (gsize step = 0; step < attribution->n_chosen; step++)
    {
      gsize cell = attribution->chosen[step];
      GStrv numbers = g_new0 (char *, G_N_ELEMENTS (names));

      numbers[0] = g_strdup_printf ("L%zu H%zu", data->layers[cell / data->n_heads],
                                    data->heads[cell % data->n_heads]);
      numbers[1] = attn_text_format_weight (
          attribution->angles[step * attribution->n_cells + cell], 3);
      attn_grid_get_cell (grid, grid->n_rows - 1, step)->numbers = numbers;
    }
}

/* Returns the label of a map without "Attention", as its title has little room and all maps are of
 * attention. */
static const char *
shorten (const char *label)
{
  static const char word[] = "Attention ";

  return g_str_has_prefix (label, word) ? label + strlen (word) : label;
}

/* Outlines in each complete step of an attribution the head that was chosen, which stays changed
 * from then on. */
static void
mark_chosen (const AttnSurveyData *data,
             AttnGrid             *grid,
             gsize                 n_shown)
{
  const AttnAttribution *attribution = data->attribution;

  for (gsize step = 0; attribution != NULL && step < attribution->n_chosen; step++)
    {
      gsize cell = attribution->chosen[step];
      gsize row = cell / data->n_heads;
      gsize column = cell % data->n_heads;
      g_autofree char *name =
          g_strdup_printf ("L%zu H%zu", data->layers[row], data->heads[column]);
      const AttnRegion region = { name, row, row, column, column, FALSE, 0 };

      for (gsize i = 0; i < n_shown; i++)
        {
          gsize index = i * data->n_conditions + step;

          attn_grid_add_region (grid, index / grid->n_columns, index % grid->n_columns, &region);
        }
    }
}

static gboolean
fill_cell (const AttnSurveyData  *data,
           guint                  shown,
           gsize                  condition,
           AttnGrid              *grid,
           gsize                  index,
           GError               **error)
{
  AttnGridCell *cell = &grid->cells[index];
  g_autofree char *name = attn_survey_charts_build_name (data, condition, TRUE);

  cell->panel = build_map (data, shown, condition, error);
  if (cell->panel == NULL)
    return FALSE;
  if (condition > 0 && data->attribution == NULL)
    cell->baseline = build_map (data, shown, 0, error);
  else
    cell->baseline = attn_panel_ref (cell->panel);
  if (cell->baseline == NULL)
    return FALSE;
  cell->name = g_strdup_printf ("%s, %s", get_label (data, shown), name);
  cell->value_name = g_strdup (get_label (data, shown));
  cell->column_name = is_by_position (shown) ? "Position" : "Head";
  cell->title = data->n_conditions > 1
                    ? g_markup_printf_escaped ("%s, %s", shorten (get_label (data, shown)), name)
                    : g_strdup (shorten (get_label (data, shown)));
  return TRUE;
}

static AttnGrid *
build_grid (const AttnStudy         *study,
            const AttnSurveyData    *data,
            const AttnSurveyChoice  *choice,
            GError                 **error)
{
  g_autoptr (GArray) shown = list_shown (study, data);
  gsize n_by_position = 0;
  const AttnRegion head = { NULL, choice->layer, choice->layer, choice->head, choice->head, TRUE,
                            0 };

  if (data->tallies[choice->statistic] == NULL)
    return attn_fail_null (error, ATTN_ERROR_ARGUMENT,
                           _("survey: no statistic of heads found, expected one to draw, such as "
                             "sink"));
  g_autoptr (AttnGrid) grid = new_grid (data, shown);
  grid->is_untouched = data->n_conditions == 1 || data->attribution != NULL;
  for (guint i = 0; i < shown->len; i++)
    for (gsize condition = 0; condition < data->n_conditions; condition++)
      if (!fill_cell (data, g_array_index (shown, guint, i), condition, grid,
                      i * data->n_conditions + condition, error))
        return NULL;
  if (data->attribution != NULL)
    add_chosen (data, grid);
  else
    add_effects (data, grid);
  attn_study_apply_regions (study, grid);
  /* The pin at the head on display is drawn behind the regions of the study, which were added
   * first. */
  for (gsize i = 0; i < grid->n_rows * grid->n_columns; i++)
    if (grid->cells[i].panel != NULL &&
        !is_by_position (g_array_index (shown, guint, i / data->n_conditions)))
      attn_grid_add_region (grid, i / grid->n_columns, i % grid->n_columns, &head);
  mark_chosen (data, grid, shown->len);
  attn_survey_charts_add (study, data, choice, grid);
  grid->row_title = g_strdup ("Layer");
  for (guint i = 0; i < shown->len; i++)
    n_by_position += is_by_position (g_array_index (shown, guint, i));
  grid->column_title = g_strdup (n_by_position == 0 ? "Head" : "Head, Position");
  const char *caption = attn_study_get_caption (study);
  grid->caption = caption != NULL ? g_strdup (caption) : build_caption (data, shown);
  grid->value_label = g_strdup (study->value_label != NULL  ? study->value_label
                                : data->attribution != NULL ? "Value"
                                                            : "Mean");
  /* In the maps of an attribution, only a head that an earlier step chose has the value NaN. */
  if (data->attribution != NULL && data->attribution->n_chosen > 0 && data->n_conditions > 1)
    grid->nan_name = N_("Chosen");
  grid->value_word = data->attribution != NULL ? "%s" : N_("mean %s");
  grid->aspect = CLAMP ((double) data->n_heads / (double) data->n_layers, MIN_ASPECT, MAX_ASPECT);
  return g_steal_pointer (&grid);
}

/**
 * attn_survey_figure_run:
 * @study: a study whose figure is %ATTN_FIGURE_SURVEY
 * @workspace: the workspace, which keeps the last survey
 * @progress: (nullable): is told how many texts are done
 * @cancellable: (nullable): checked at each layer of each batch of texts
 * @error: return location: %G_IO_ERROR_CANCELLED; errors of [func@attn_survey_data_load] if the
 *   model is a survey's file, else of [func@attn_survey_run]
 *
 * Makes the figure of a survey, which is read from a file or computed as @study asks.
 *
 * Returns: (transfer full) (nullable): a map of each statistic under each condition, with a pin at
 *   the head on display, and charts below
 */
AttnResult *
attn_survey_figure_run (const AttnStudy     *study,
                        AttnWorkspace       *workspace,
                        const AttnProgress  *progress,
                        GCancellable        *cancellable,
                        GError             **error)
{
  AttnModel *model =
      attn_workspace_open_model (workspace, &study->model, study->attention, error);

  if (model == NULL)
    return NULL;
  g_autoptr (AttnSurveyData) data =
      attn_model_get_info (model)->n_surveyed > 0
          ? attn_survey_data_load (attn_model_get_path (model), error)
          : run_survey (study, workspace, model, progress, cancellable, error);
  if (data == NULL)
    return NULL;

  AttnSurveyChoice choice = attn_survey_figure_get_choice (study, data);
  AttnGrid *grid = build_grid (study, data, &choice, error);
  if (grid == NULL)
    return NULL;
  attn_range_prepare (grid, &study->style);

  AttnResult *result = attn_result_new (study, model, grid, data->layers[choice.layer],
                                        (int) data->heads[choice.head]);
  result->survey = g_steal_pointer (&data);
  return result;
}

/**
 * attn_survey_figure_choose:
 * @result: the result of a survey
 * @group: index of a panel, or -1 for a point of the scatter
 * @row: row of the head in the map
 * @column: column of the head in the map
 *
 * Returns: (transfer full): the study with that head on display, and with charts of the statistic
 *   and condition of that panel
 */
AttnStudy *
attn_survey_figure_choose (const AttnResult *result,
                           int               group,
                           gsize             row,
                           gsize             column)
{
  const AttnSurveyData *data = result->survey;
  AttnStudy *study = attn_study_copy (result->study);
  g_autoptr (GArray) shown = list_shown (study, data);
  gsize place = group >= 0 ? (gsize) group / data->n_conditions : shown->len;

  guint statistic = place < shown->len ? g_array_index (shown, guint, place) : SINK_RATE;

  study->layer = (int) data->layers[MIN (row, data->n_layers - 1)];
  if (!is_by_position (statistic))
    study->head = (int) data->heads[MIN (column, data->n_heads - 1)];
  if (place >= shown->len)
    return study;

  study->survey.condition = (gsize) group % data->n_conditions;
  if (!is_by_position (statistic))
    study->survey.statistic = statistic == SINK_RATE          ? ATTN_STATISTIC_SINK
                              : statistic < ATTN_N_STATISTICS ? statistic
                                                              : ATTN_STATISTIC_ATTRIBUTION;
  return study;
}

/**
 * attn_survey_is_growing:
 *
 * Returns: whether @result is of a survey's file to which texts are still being added
 */
gboolean
attn_survey_is_growing (const AttnResult *result)
{
  return result->survey != NULL && attn_model_get_info (result->model)->n_surveyed > 0 &&
         !is_complete (result->survey);
}

/**
 * attn_survey_has_grown:
 * @result: a result for which [func@attn_survey_is_growing] is %TRUE
 *
 * Returns: whether the file has changed since it was read
 */
gboolean
attn_survey_has_grown (const AttnResult *result)
{
  g_autofree char *stamp = attn_file_dup_stamp (attn_model_get_path (result->model));

  return g_strcmp0 (stamp, result->survey->stamp) != 0;
}
