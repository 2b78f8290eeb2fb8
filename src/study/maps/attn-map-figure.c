/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-map-figure.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "attn-figure-run.h"
#include "attn-head-map.h"
#include "attn-map-order.h"
#include "attn-patch-map.h"
#include "attn-regions.h"
#include "attn-result-private.h"
#include "attn-statistic.h"
#include "attn-text.h"
#include "attn-titles.h"
#include "attn-workspace-private.h"

/* Limits of the aspect ratio (width / height) of the map, so that a map of few layers or columns
 * stays legible. Between them, cells are square. */
#define MIN_ASPECT 0.6
#define MAX_ASPECT 2.5

/* Microseconds between two updates of a map that is being computed. */
#define SHOWN_EVERY (G_USEC_PER_SEC / 8)

/* Texts of each measure in the figure, where they are not translated; the inspector translates the
 * label. */
static const struct
{
  const char *label;
  const char *caption;
  const char *word; /* format of a sentence about one cell of the map */
} measures[] = {
  [ATTN_HEAD_MEASURE_SINK] = { N_("Sink Score"), "Sink Score of Each Head", N_("sink score %s") },
  [ATTN_HEAD_MEASURE_ENTROPY] = { N_("Entropy (bits)"), "Mean Entropy of a Row of Each Head",
                                  N_("entropy %s bits") },
  [ATTN_HEAD_MEASURE_DISTANCE] = { N_("Attention Distance (tokens)"),
                                   "Mean Attention Distance of Each Head",
                                   N_("attention distance %s tokens") },
  [ATTN_HEAD_MEASURE_PREVIOUS] = { N_("Previous Token"), "Mean Weight on the Token Before",
                                   N_("mean weight %s") },
  [ATTN_HEAD_MEASURE_DUPLICATE] = { N_("Duplicate Token"),
                                    "Mean Weight on Earlier Occurrences of the Token",
                                    N_("mean weight %s") },
  [ATTN_HEAD_MEASURE_INDUCTION] = { N_("Induction"),
                                    "Mean Weight on What Follows Earlier Occurrences",
                                    N_("mean weight %s") },
  [ATTN_HEAD_MEASURE_CHANGE] = { N_("Total Variation"), "Change of Each Head’s Weights",
                                 N_("change %s") },
  [ATTN_HEAD_MEASURE_EFFECT_ZERO] = { N_("KL (bits)"),
                                      "Effect on the Prediction where One Head’s Output Is Zero",
                                      N_("KL %s bits") },
  [ATTN_HEAD_MEASURE_EFFECT_MEAN] = { N_("KL (bits)"), "Effect on the Prediction where One Head’s "
                                                        "Output Is Its Mean",
                                      N_("KL %s bits") },
  [ATTN_HEAD_MEASURE_LOSS_ZERO] = { N_("Change of the Loss (bits)"),
                                    "Loss Added where One Head’s Output Is Zero",
                                    N_("loss %s bits") },
  [ATTN_HEAD_MEASURE_LOSS_MEAN] = { N_("Change of the Loss (bits)"),
                                    "Loss Added where One Head’s Output Is Its Mean",
                                    N_("loss %s bits") },
  [ATTN_HEAD_MEASURE_EFFECT_SCALE] = { N_("KL (bits)"), "Effect on the Prediction where One Head’s "
                                                         "Output Is Multiplied by ε",
                                       N_("KL %s bits") },
  [ATTN_HEAD_MEASURE_OUTPUT_NORM] = { N_("Relative Norm of the Output"),
                                      "Norm of Each Head’s Output Relative to the Mean of Its "
                                      "Layer",
                                      N_("relative norm %s") },
  [ATTN_HEAD_MEASURE_QUERY_NORM] = { N_("Norm of the Query"), "Mean Norm of Each Head’s Queries",
                                     N_("norm %s") },
  [ATTN_HEAD_MEASURE_KEY_NORM] = { N_("Norm of the Key"), "Mean Norm of Each Head’s Keys",
                                   N_("norm %s") },
  [ATTN_HEAD_MEASURE_VALUE_NORM] = { N_("Norm of the Value"), "Mean Norm of Each Head’s Values",
                                     N_("norm %s") },
};

/* Sentences that tell the user what each measure of a head is. */
static const char * const meanings[ATTN_N_HEAD_MEASURES] = {
  [ATTN_HEAD_MEASURE_SINK] =
      N_("The weight on the first key, averaged over the queries: above 0.3 the head counts as a "
          "sink"),
  [ATTN_HEAD_MEASURE_ENTROPY] =
      N_("How many bits a row of weights is spread over, averaged over the queries: 0 if each "
          "query looks at one key alone"),
  [ATTN_HEAD_MEASURE_DISTANCE] =
      N_("How many tokens lie between a query and the keys that it looks at, averaged by weight "
          "and over the queries"),
  [ATTN_HEAD_MEASURE_PREVIOUS] =
      N_("The weight on the token before, averaged over the queries: near 1 in a previous-token "
          "head"),
  [ATTN_HEAD_MEASURE_DUPLICATE] =
      N_("The weight on earlier occurrences of the same token, averaged over the queries whose "
          "token has occurred before"),
  [ATTN_HEAD_MEASURE_INDUCTION] =
      N_("The weight on what followed earlier occurrences of the same token, averaged over the "
          "queries whose token has occurred before: large in an induction head"),
  [ATTN_HEAD_MEASURE_CHANGE] =
      N_("How far the weights with the intervention are from those without it (total variation): "
          "0 if they are the same, 1 if they share nothing"),
};

/**
 * attn_map_figure_explain:
 *
 * Returns: (nullable): a sentence that explains the measure, translated; %NULL for effects and
 *   lengths, whose names say what they are
 */
const char *
attn_map_figure_explain (AttnHeadMeasure measure)
{
  return meanings[measure] != NULL ? _(meanings[measure]) : NULL;
}

static const char * const patched_texts[] = {
  [ATTN_PATCHED_RESIDUAL] = "the Residual Stream",
  [ATTN_PATCHED_OUTPUT] = "the Output of All Heads",
  [ATTN_PATCHED_MLP] = "the Output of the MLP",
  [ATTN_PATCHED_HEADS] = "the Output of One Head",
};

static char **
number_labels (gsize n)
{
  char **labels = g_new0 (char *, n + 1);

  for (gsize i = 0; i < n; i++)
    labels[i] = g_strdup_printf ("%zu", i);
  return labels;
}

/* Returns the sentence of the caption that explains why some layers of the map have no numbers, or
 * "" if no layer lacks numbers. */
static char *
build_note (const AttnStudy     *study,
            const AttnModelInfo *info)
{
  gboolean has_all = info->mapped_layers == NULL ||
                     (attn_study_get_traits (study)->has_patched &&
                      (study->patched == ATTN_PATCHED_RESIDUAL ||
                       study->patched == ATTN_PATCHED_MLP));
  g_autofree gboolean *flags = g_new (gboolean, info->n_layers);

  for (gsize layer = 0; layer < info->n_layers; layer++)
    flags[layer] = !attn_index_set_contains (info->mapped_layers, layer);
  g_autoptr (AttnIndexSet) others =
      has_all ? NULL : attn_index_set_new_from_flags (flags, info->n_layers);
  g_autofree char *numbers = others != NULL ? attn_index_set_to_string (others) : NULL;
  return others != NULL ? g_strdup_printf ("; No Attention Weights in Layers %s", numbers)
                        : g_strdup ("");
}

/* Appends the name of @component to a list of @n names, and sets @is_shared if several heads can
 * share it. */
static void
append_component (GString       *text,
                  gsize         *n,
                  AttnComponent  component,
                  gboolean      *is_shared)
{
  static const char * const names[] = { "Query", "Key", "Value", "Output" };

  if (component > ATTN_COMPONENT_OUTPUT)
    return;
  g_string_append_printf (text, "%s%s", *n > 0 ? " and " : "", names[component]);
  *is_shared |= component == ATTN_COMPONENT_KEY || component == ATTN_COMPONENT_VALUE;
  (*n)++;
}

/* Builds the caption of a map of effects: how each head is changed, at which positions the effect
 * is measured, and whether heads share the changed component. */
static char *
build_effect_caption (const AttnStudy     *study,
                      const AttnModelInfo *info,
                      AttnOperation        operation)
{
  static const char * const axes[] = { "Head Dimension", "Tokens", "Heads" };
  const GPtrArray *further = study->extra_interventions;
  g_autoptr (GString) text = g_string_new ("Effect on the Prediction ");
  gboolean is_shared = FALSE;
  gsize n = 0;
  double factor = study->epsilons->len > 0 ? g_array_index (study->epsilons, double, 0) : 0.0;

  if (study->effect_at == ATTN_AT_LAST)
    g_string_append (text, "at the Last Token ");
  else if (study->effect_at >= 0)
    g_string_append_printf (text, "at Token %d ", study->effect_at);
  g_string_append (text, "where One Head’s ");
  for (AttnComponent c = 0; study->operation == operation && c < ATTN_N_COMPONENTS; c++)
    if (study->components[c])
      append_component (text, &n, c, &is_shared);
  for (guint i = 0; i < further->len; i++)
    {
      const AttnIntervention *other = further->pdata[i];

      factor = n == 0 ? other->factor : factor;
      append_component (text, &n, other->component, &is_shared);
    }
  if (n == 0)
    append_component (text, &n, ATTN_COMPONENT_OUTPUT, &is_shared);
  g_autofree char *epsilon = attn_text_format_epsilon (factor);
  g_string_append (text, n > 1 ? " Are " : " Is ");
  if (operation == ATTN_OPERATION_SCALE)
    g_string_append_printf (text, "Multiplied by ε = %s", epsilon);
  else if (operation == ATTN_OPERATION_MEAN)
    g_string_append_printf (text, "%s Mean over %s", n > 1 ? "Their" : "Its", axes[study->axis]);
  else
    g_string_append (text, "Zero");
  if (is_shared && info->n_key_heads < info->n_heads)
    g_string_append (text, "; Heads of One Key Head Have the Same Value");
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* Builds the caption of a map. @answers: for a patch map, the two tokens whose logits are
 * compared */
static char *
build_caption (const AttnStudy     *study,
               const AttnModelInfo *info,
               char * const         answers[2])
{
  g_autofree char *note = build_note (study, info);
  static const char * const axes[] = { "Head Dimension", "Tokens", "Heads" };
  gboolean has_axis = attn_study_means_heads (study);
  AttnOperation operation;
  const char *own = attn_study_get_caption (study);

  if (own != NULL)
    return g_strdup (own);
  if (attn_study_measures_effect (study, &operation))
    {
      g_autofree char *effect = build_effect_caption (study, info, operation);

      return g_strconcat (effect, note, NULL);
    }
  if (attn_study_get_traits (study)->has_measure)
    return g_strconcat (measures[study->measure].caption, has_axis ? " over " : "",
                        has_axis ? axes[study->axis] : "", note, NULL);
  g_autofree char *patched = g_markup_printf_escaped (
      "Input 2 with %s of Input 1: “%s” against “%s” after the Last Token",
      patched_texts[study->patched], answers[0], answers[1]);
  return g_strconcat (patched, note, NULL);
}

/* Returns the sink score of the first of @n_tokens keys if each query spreads its weight evenly
 * over the keys that it sees. */
static double
get_uniform_score (gsize    n_tokens,
                   gboolean is_causal)
{
  double sum = 0;

  for (gsize row = 0; row < n_tokens; row++)
    sum += 1.0 / (double) (is_causal ? row + 1 : n_tokens);
  return sum / (double) MAX (n_tokens, 1);
}

/* Appends the sink rate, the share of heads whose score in @values is above the threshold; and, if
 * even weights come near the threshold in so short a text, the score that these have. */
static char *
add_sink_rate (char             *caption,
               const AttnTensor *values,
               gsize             n_tokens,
               gboolean          is_causal)
{
  GString *text = g_string_new (caption);
  double uniform = get_uniform_score (n_tokens, is_causal);
  gsize n_known;
  gsize n_sinks = attn_sinks_count (values->data, values->shape[0] * values->shape[1], &n_known);

  g_string_append_printf (text, "; Sink Rate: %zu of %zu above %g", n_sinks, n_known,
                          ATTN_SINK_THRESHOLD);
  if (uniform > ATTN_SINK_THRESHOLD / 2)
    g_string_append_printf (text, " (Even Weights over %zu Tokens: %.2f)", n_tokens, uniform);
  g_free (caption);
  return g_string_free (text, FALSE);
}

/* Copies @numbers, [layers, heads] of one measure of @map, into @values. */
static void
copy_measure (const AttnHeadMap *map,
              const double      *numbers,
              AttnTensor        *values)
{
  for (gsize i = 0; i < map->n_layers * map->n_heads; i++)
    values->data[i] = (float) numbers[i];
}

/* Makes the figure of a map. @values: [layers, heads] or [layers, positions]. @before: (nullable):
 * the same map without interventions. @known: (nullable): [layers]: span of the cells of each row
 * that are computed so far; all other cells are 0. */
static AttnResult *
make_result (const AttnStudy *study,
             AttnWorkspace   *workspace,
             char * const     answers[2],
             AttnTensor      *values,
             AttnTensor      *before,
             const AttnSpan  *known)
{
  gboolean is_atlas = attn_study_get_traits (study)->has_measure;
  AttnOperation operation;
  gboolean has_nats = attn_study_measures_effect (study, &operation) &&
                      study->effect_unit == ATTN_EFFECT_NATS;
  gsize n_columns = values->shape[1];
  gboolean has_heads = is_atlas || study->patched == ATTN_PATCHED_HEADS;
  g_auto (GStrv) rows = number_labels (values->shape[0]);
  g_auto (GStrv) columns =
      has_heads ? number_labels (n_columns)
                : g_strdupv (attn_workspace_get_baseline (workspace, 0, 1)->tokens->labels);
  g_autoptr (AttnGrid) grid = attn_grid_new (1, 1);
  AttnGridCell *cell = &grid->cells[0];

  cell->panel = known != NULL ? attn_panel_new_with_visibility (
                                    values, known, (const char * const *) rows,
                                    (const char * const *) columns)
                              : attn_panel_new (values, ATTN_MASK_NONE,
                                                (const char * const *) rows,
                                                (const char * const *) columns);
  cell->baseline = before != NULL ? attn_panel_new (before, ATTN_MASK_NONE,
                                                    (const char * const *) rows,
                                                    (const char * const *) columns)
                                  : attn_panel_ref (cell->panel);
  grid->is_untouched = before == NULL;
  cell->name = g_strdup (has_heads ? "Layer x head" : "Layer x token");
  cell->title = g_strdup (attn_study_get_title (study));
  cell->input = has_heads ? 0 : 1;
  grid->row_title = g_strdup ("Layer");
  grid->column_title = g_strdup (has_heads ? "Head" : "Token");
  grid->has_names = !has_heads;
  const AttnModelInfo *info = attn_model_get_info (workspace->models->pdata[0]);
  char *caption = build_caption (study, info, answers);
  if (is_atlas && known == NULL && study->measure == ATTN_HEAD_MEASURE_SINK &&
      attn_study_get_caption (study) == NULL)
    caption = add_sink_rate (
        caption, values,
        g_strv_length (attn_workspace_get_baseline (workspace, 0, 0)->tokens->labels),
        info->is_causal);
  grid->caption = attn_titles_add_attention (caption, info);
  grid->value_label = g_strdup (study->value_label != NULL ? study->value_label
                                : is_atlas                 ? measures[study->measure].label
                                                           : N_("Logit Difference Recovered"));
  if (study->value_label == NULL && has_nats)
    {
      g_free (grid->value_label);
      grid->value_label = g_strdup (N_("KL (nats)"));
    }
  grid->value_word = has_nats   ? N_("KL %s nats")
                     : is_atlas ? measures[study->measure].word
                                : N_("%s of the logit difference recovered");
  grid->aspect = CLAMP ((double) n_columns / (double) values->shape[0], MIN_ASPECT, MAX_ASPECT);
  attn_study_apply_regions (study, grid);
  return attn_result_new_for_job (study, workspace, g_steal_pointer (&grid), 0, ATTN_HEAD_MEAN);
}

/* A map that is displayed while it is being computed. */
typedef struct
{
  const AttnStudy *study;
  AttnWorkspace *workspace;
  const AttnProgress *progress;
  const AttnHeadMap *map; /* (nullable): head map with the values, unless they are written
                           * directly */
  AttnTensor *values;
  AttnTensor *before; /* (nullable): values of the unchanged model, if they differ from @map */
  gint64 shown;       /* time at which the map was last displayed, in microseconds */
  char *answers[2];   /* names of both answers of a map of patches */
} Filling;

/* Returns (transfer full) the span of each row from its first number to its last. Cells outside the
 * span are set to 0. */
static AttnSpan *
find_known (AttnTensor *values)
{
  gsize n = values->shape[1];
  AttnSpan *known = g_new (AttnSpan, values->shape[0]);

  for (gsize row = 0; row < values->shape[0]; row++)
    {
      float *cells = values->data + row * n;
      AttnSpan span = { 0, n };

      while (span.first < n && isnan (cells[span.first]))
        cells[span.first++] = 0.0f;
      while (span.end > span.first && isnan (cells[span.end - 1]))
        cells[--span.end] = 0.0f;
      known[row] = span;
    }
  return known;
}

static void
filling_cb (const char *stage,
            double      fraction,
            gpointer    user_data)
{
  Filling *filling = user_data;
  gint64 now = g_get_monotonic_time ();

  attn_progress_report (filling->progress, stage, fraction);
  if (!attn_workspace_is_watched (filling->workspace) || fraction == 0 ||
      now - filling->shown < SHOWN_EVERY)
    return;
  filling->shown = now;
  if (filling->map != NULL)
    copy_measure (filling->map, filling->map->values[filling->study->measure], filling->values);
  g_autoptr (AttnTensor) values = attn_tensor_copy (filling->values, NULL);
  if (values == NULL)
    return;
  g_autofree AttnSpan *known = find_known (values);
  AttnResult *unfinished = make_result (filling->study, filling->workspace, filling->answers,
                                        values, NULL, known);
  unfinished->grid->is_unfinished = TRUE;
  attn_workspace_show (filling->workspace, unfinished);
}

typedef AttnTensor *(*ComputeFunc) (Filling *filling,
                                    GCancellable *cancellable,
                                    GError **error);

static AttnTensor *
compute_atlas (Filling       *filling,
               GCancellable  *cancellable,
               GError       **error)
{
  const AttnProgress progress = { filling_cb, filling };
  g_autoptr (AttnHeadMap) map =
      attn_head_map_new (filling->workspace, 1u << filling->study->measure);
  const gsize shape[] = { map->n_layers, map->n_heads };
  g_autoptr (AttnTensor) values = attn_tensor_new (2, shape, error);

  filling->map = map;
  filling->values = values;
  if (values == NULL || !attn_head_map_fill (map, filling->study, filling->workspace, &progress,
                                             cancellable, error))
    return NULL;
  copy_measure (map, map->values[filling->study->measure], values);
  if (filling->study->measure >= ATTN_HEAD_MEASURE_OUTPUT_NORM &&
      attn_study_is_changed (filling->study))
    {
      filling->before = attn_tensor_new (2, shape, error);
      if (filling->before == NULL)
        return NULL;
      copy_measure (map, map->before[filling->study->measure], filling->before);
    }
  return g_steal_pointer (&values);
}

static AttnTensor *
compute_patches (Filling       *filling,
                 GCancellable  *cancellable,
                 GError       **error)
{
  const AttnProgress progress = { filling_cb, filling };
  const AttnStudy *study = filling->study;
  const AttnModel *model = filling->workspace->models->pdata[0];
  g_autoptr (AttnTensor) values = attn_patch_map_new (study, filling->workspace, error);
  AttnAnswer answer;

  filling->values = values;
  if (values == NULL ||
      !attn_patch_map_find_answer (study, filling->workspace, &answer, cancellable, error))
    return NULL;
  filling->answers[0] = attn_model_dup_output_label (model, answer.token);
  filling->answers[1] = attn_model_dup_output_label (model, answer.versus);
  return attn_patch_map_fill (values, study, filling->workspace, &answer, &progress, cancellable,
                              error)
             ? g_steal_pointer (&values)
             : NULL;
}

static AttnResult *
run (const AttnStudy     *study,
     AttnWorkspace       *workspace,
     ComputeFunc          compute,
     const AttnProgress  *progress,
     GCancellable        *cancellable,
     GError             **error)
{
  Filling filling = {
    .study = study,
    .workspace = workspace,
    .progress = progress,
    .shown = g_get_monotonic_time (),
  };
  g_autoptr (AttnTensor) values = attn_workspace_prepare (workspace, study, cancellable, error)
                                      ? compute (&filling, cancellable, error)
                                      : NULL;

  g_autoptr (AttnTensor) before = filling.before;
  g_autofree char *token = filling.answers[0];
  g_autofree char *versus = filling.answers[1];

  return values != NULL
             ? make_result (study, workspace, filling.answers, values, before, NULL)
             : NULL;
}

/* Computes a score atlas, a map of [layers, heads]. The watcher of the workspace gets the
 * incomplete map a few times a second. Errors are those of attn_head_map_fill(). */
AttnResult *
attn_score_atlas_figure_run (const AttnStudy     *study,
                             AttnWorkspace       *workspace,
                             const AttnProgress  *progress,
                             GCancellable        *cancellable,
                             GError             **error)
{
  g_autoptr (AttnResult) result =
      run (study, workspace, compute_atlas, progress, cancellable, error);

  return result != NULL && study->sorts_heads ? attn_result_restyle (result, study)
                                              : g_steal_pointer (&result);
}

/* Computes a patch map of [layers, heads] or [layers, positions], which is displayed while it is
 * incomplete. Fails as attn_patch_map_new() and attn_patch_map_fill() do. */
AttnResult *
attn_patch_map_figure_run (const AttnStudy     *study,
                           AttnWorkspace       *workspace,
                           const AttnProgress  *progress,
                           GCancellable        *cancellable,
                           GError             **error)
{
  return run (study, workspace, compute_patches, progress, cancellable, error);
}

/**
 * attn_map_figure_open:
 * @result: the result of a score atlas or of a patch map
 * @layer: a row of the map
 * @column: a column of the map: a head or a position
 *
 * Returns: (transfer full): a study that opens this cell: of the head of an atlas; or of the
 *   attention in the layer of a patch, without and with the patch from the first input into the
 *   second
 */
AttnStudy *
attn_map_figure_open (const AttnResult *result,
                      gsize             layer,
                      gsize             column)
{
  const AttnStudy *study = result->study;
  gboolean is_atlas = attn_study_get_traits (study)->has_measure;
  gsize n_layers = attn_model_get_info (result->model)->n_layers;

  if (is_atlas && study->sorts_heads && result->computed != NULL)
    {
      AttnPanel *atlas = result->computed->grid->cells[0].panel;
      gsize n_heads = attn_panel_get_n_columns (atlas);
      g_autofree gsize *order = attn_map_order_read (atlas);
      gsize head = order[layer * n_heads + column];

      layer = head / n_heads;
      column = head % n_heads;
    }
  AttnStudy *opened = attn_presets_load (is_atlas ? "single" : "compare", NULL);
  gboolean has_heads = is_atlas || study->patched == ATTN_PATCHED_HEADS;

  g_return_val_if_fail (opened != NULL, NULL);

  attn_model_reference_take (&opened->model, &study->model);
  opened->model.fingerprint = g_strdup (study->model.fingerprint);
  opened->adds_special_tokens = study->adds_special_tokens;
  opened->applies_chat = study->applies_chat;
  g_ptr_array_set_size (opened->inputs, 0);
  for (guint i = study->inputs->len; !is_atlas && i-- > 0;)
    if (i < 2)
      g_ptr_array_add (opened->inputs, attn_input_copy (study->inputs->pdata[i]));
  if (is_atlas)
    g_ptr_array_add (opened->inputs, attn_input_copy (study->inputs->pdata[0]));
  memset (opened->components, 0, sizeof opened->components);
  g_clear_pointer (&opened->title, g_free);
  g_clear_pointer (&opened->caption, g_free);
  opened->head = has_heads ? (int) column : ATTN_HEAD_MEAN;
  opened->layer = (int) layer;
  if (is_atlas)
    return opened;

  AttnIntervention *patch = attn_patch_map_build_patch (study->patched, layer, column);
  patch->input = 1; /* number in @opened of the first input of @study */
  g_ptr_array_add (opened->extra_interventions, patch);
  /* A change of a layer's output is seen by attention only in the next layer. */
  if (study->patched != ATTN_PATCHED_RESIDUAL)
    opened->layer = (int) MIN (layer + 1, n_layers - 1);
  if (study->patched == ATTN_PATCHED_HEADS)
    opened->head = ATTN_HEAD_MEAN;
  g_free (opened->token);
  g_free (opened->versus);
  opened->token = g_strdup (study->token);
  opened->versus = g_strdup (study->versus);
  return opened;
}
