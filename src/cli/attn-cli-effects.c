/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What was asked for must be in the figure: an option that changes nothing is a mistake, and is
 * refused. */

#include "config.h"

#include "attn-cli-effects.h"

#include <glib/gi18n.h>

#include "attn-cell.h"
#include "attn-error.h"
#include "attn-matrix.h"
#include "attn-model.h"

#define LAYER_TOKEN (1u << ATTN_FIGURE_LAYER_TOKEN)
#define HEAD_GROUPS (1u << ATTN_FIGURE_HEAD_GROUPS)
#define SCORE_ATLAS (1u << ATTN_FIGURE_SCORE_ATLAS)
#define PATCH_MAP   (1u << ATTN_FIGURE_PATCH_MAP)
#define SURVEY      (1u << ATTN_FIGURE_SURVEY)
#define MAPS        (SCORE_ATLAS | PATCH_MAP)

/* What an option needs in order to change anything: one of the figures, or a grid along whose rows
 * or columns, or between whose sides, that changes. */
static const struct
{
  const char *option;
  guint figures;
  AttnDimension dimension;
  const char *expected;
} needs[] = {
  { "layers", LAYER_TOKEN | SURVEY, ATTN_DIMENSION_LAYER,
    "--rows layer, --compare layer, layer-token" },
  { "heads", LAYER_TOKEN | HEAD_GROUPS | SURVEY, ATTN_DIMENSION_HEAD,
    "--rows head, --compare head, layer-token, head-groups --detect share" },
  { "sites", 0, ATTN_DIMENSION_SITE, "--rows site, --columns site" },
  { "axes", 0, ATTN_DIMENSION_AXIS, "--rows axis, --columns axis" },
  { "with-model", 0, ATTN_DIMENSION_MODEL, "--rows model, --columns model, --compare model" },
  { "question", LAYER_TOKEN, ATTN_DIMENSION_NONE, "layer-token" },
  { "answer", LAYER_TOKEN, ATTN_DIMENSION_NONE, "layer-token" },
  { "exact-answer", LAYER_TOKEN, ATTN_DIMENSION_NONE, "layer-token" },
  { "marked", LAYER_TOKEN, ATTN_DIMENSION_NONE, "layer-token" },
  { "positions", LAYER_TOKEN, ATTN_DIMENSION_NONE, "layer-token" },
  { "after-last", LAYER_TOKEN, ATTN_DIMENSION_NONE, "layer-token" },
  { "reduce", LAYER_TOKEN, ATTN_DIMENSION_NONE, "layer-token" },
  { "array", LAYER_TOKEN, ATTN_DIMENSION_NONE, "layer-token" },
  { "measure", SCORE_ATLAS, ATTN_DIMENSION_NONE, "score-atlas" },
  { "sorted", SCORE_ATLAS, ATTN_DIMENSION_NONE, "score-atlas" },
  { "patched", PATCH_MAP, ATTN_DIMENSION_NONE, "patch-map" },
  { "texts", SURVEY, ATTN_DIMENSION_NONE, "survey" },
  { "random-repeats", SURVEY, ATTN_DIMENSION_NONE, "survey" },
  { "field", SURVEY, ATTN_DIMENSION_NONE, "survey" },
  { "column", SURVEY, ATTN_DIMENSION_NONE, "survey" },
  { "length", SURVEY, ATTN_DIMENSION_NONE, "survey" },
  { "pack", SURVEY, ATTN_DIMENSION_NONE, "survey" },
  { "skip", SURVEY, ATTN_DIMENSION_NONE, "survey" },
  { "limit", SURVEY, ATTN_DIMENSION_NONE, "survey" },
  { "together", SURVEY, ATTN_DIMENSION_NONE, "survey" },
  { "statistic", SURVEY, ATTN_DIMENSION_NONE, "survey" },
  { "of", SURVEY, ATTN_DIMENSION_NONE, "survey" },
  { "against", SURVEY, ATTN_DIMENSION_NONE, "survey" },
  { "condition", SURVEY, ATTN_DIMENSION_NONE, "survey" },
  { "charts", SURVEY, ATTN_DIMENSION_NONE, "survey" },
  { "group", HEAD_GROUPS, ATTN_DIMENSION_NONE, "head-groups" },
  { "groups", HEAD_GROUPS, ATTN_DIMENSION_NONE, "head-groups" },
  { "detect", HEAD_GROUPS, ATTN_DIMENSION_NONE, "head-groups" },
  { "graded", HEAD_GROUPS, ATTN_DIMENSION_NONE, "head-groups" },
  { "mask", HEAD_GROUPS, ATTN_DIMENSION_NONE, "head-groups" },
};

/* Figures that have no use for an option, and some that have. */
static const struct
{
  const char *option;
  guint figures;
  const char *expected;
} excluded[] = {
  { "layer", MAPS, "single, epsilon" },
  { "head", HEAD_GROUPS | MAPS, "single, layer-token" },
  { "queries", HEAD_GROUPS | MAPS | SURVEY, "single, layer-token" },
  { "last-queries", HEAD_GROUPS | MAPS | SURVEY, "single, layer-token" },
  { "differences", HEAD_GROUPS | LAYER_TOKEN | MAPS | SURVEY, "single, epsilon" },
  { "quantity", HEAD_GROUPS | LAYER_TOKEN | MAPS | SURVEY, "single, epsilon" },
  { "words", MAPS | SURVEY, "single, epsilon" },
  { "hide-keys", MAPS | SURVEY, "single, epsilon" },
  { "effect", HEAD_GROUPS | LAYER_TOKEN | MAPS | SURVEY, "single, epsilon" },
};

/* The options that are no settings of the study. */
static gboolean
is_given (const AttnCliOptions *options,
          const char           *name)
{
  if (g_str_equal (name, "text"))
    return options->asked->inputs->len > 0;
  for (AttnOperation i = 0; i < ATTN_N_OPERATIONS; i++)
    if (g_str_equal (name, attn_operation_names[i]))
      return attn_cli_options_has_operation (options, i);
  return attn_cli_options_count (options, name) > 0;
}

static gboolean
fail_effect (const char  *option,
             const char  *expected,
             GError     **error)
{
  return attn_fail (error, ATTN_ERROR_ARGUMENT,
                    _("--%s: found with a figure that it does not change, expected one of %s"),
                    option, expected);
}

/* Groups by hand name their heads, and which cells are on follows from the groups alone. */
static gboolean
check_groups (const AttnStudy       *study,
              const AttnCliOptions  *options,
              GError               **error)
{
  static const char * const weighed[] = { "mean", "scale", "zero", "patch", "cut" };

  if (!attn_study_assigns_groups (study))
    return TRUE;
  if (is_given (options, "heads"))
    return fail_effect ("heads", "--detect, --group", error);
  for (gsize i = 0; i < G_N_ELEMENTS (weighed) && !study->groups.is_graded; i++)
    if (is_given (options, weighed[i]))
      return fail_effect (weighed[i], "--detect, --graded", error);
  return TRUE;
}

/* The maps change the model themselves; what else is done to it is seen in its change alone. */
static gboolean
check_maps (const AttnStudy       *study,
            const AttnCliOptions  *options,
            GError               **error)
{
  for (AttnOperation i = 0; !attn_study_shows_operation (study) && i < ATTN_N_OPERATIONS; i++)
    if (attn_cli_options_has_operation (options, i))
      return fail_effect (attn_operation_names[i], "score-atlas --measure change, single, epsilon",
                          error);
  return TRUE;
}

/* Whether @operation is done anywhere. */
static gboolean
is_done (const AttnStudy      *study,
         const AttnCliOptions *options,
         AttnOperation         operation)
{
  for (guint i = 0; study != NULL && i < study->extra_interventions->len; i++)
    if (((const AttnIntervention *) study->extra_interventions->pdata[i])->operation == operation)
      return TRUE;
  return attn_cli_options_has_operation (options, operation) ||
         (study != NULL && study->operation == operation && attn_study_has_operation (study));
}

static gboolean
check_needs (const AttnStudy       *study,
             const AttnCliOptions  *options,
             GError               **error)
{
  static const char * const tokens[] = { "token", "versus" };

  for (gsize i = 0; i < G_N_ELEMENTS (needs); i++)
    if (is_given (options, needs[i].option) &&
        (attn_study_get_traits (study)->has_grid ? !attn_cell_varies (study, needs[i].dimension)
                                                 : (needs[i].figures >> study->figure & 1) == 0))
      return fail_effect (needs[i].option, needs[i].expected, error);
  for (gsize i = 0; i < G_N_ELEMENTS (excluded); i++)
    if (is_given (options, excluded[i].option) && excluded[i].figures >> study->figure & 1)
      return fail_effect (excluded[i].option, excluded[i].expected, error);
  /* Of a survey an input is there to be patched from. */
  if (is_given (options, "text") && attn_study_get_traits (study)->has_survey &&
      !is_done (study, options, ATTN_OPERATION_PATCH))
    return fail_effect ("text", "--patch, single, epsilon", error);
  /* What changes along the grid is not the same in all of it. */
  if (is_given (options, "layer") && attn_cell_varies (study, ATTN_DIMENSION_LAYER))
    return fail_effect ("layer", "--layers", error);
  if (is_given (options, "head") && attn_cell_varies (study, ATTN_DIMENSION_HEAD))
    return fail_effect ("head", "--heads", error);
  if (is_given (options, "renormalise") && !study->hides_keys)
    return fail_effect ("renormalise", "--hide-keys", error);
  gboolean has_logits = study->quantity == ATTN_MAP_LOGIT ||
                        attn_study_get_traits (study)->has_patched ||
                        attn_study_count_flags (study->effects, ATTN_N_SHOWN_EFFECTS) > 0;
  for (gsize i = 0; i < G_N_ELEMENTS (tokens) && !has_logits; i++)
    if (is_given (options, tokens[i]))
      return fail_effect (tokens[i], "--quantity logit, --effect, patch-map", error);
  return check_maps (study, options, error) && check_groups (study, options, error);
}

/**
 * attn_cli_check_interventions:
 * @study: (nullable): with all that the options make of it; %NULL where nothing but the options
 *   says what is computed
 * @error: return location for %ATTN_ERROR_ARGUMENT, which names the option
 *
 * Returns: whether something is done to the model, if an option says how or where
 */
gboolean
attn_cli_check_interventions (const AttnStudy       *study,
                              const AttnCliOptions  *options,
                              GError               **error)
{
  static const char * const names[] = { "site", "scope-layers", "scope-heads", "scope-tokens" };
  gboolean is_any_done = FALSE;
  gboolean is_cut_alone = TRUE;

  gboolean has_mean = study != NULL && attn_study_means_heads (study);

  if (is_given (options, "axis") && !has_mean && !is_done (study, options, ATTN_OPERATION_MEAN))
    return fail_effect ("axis", "--mean", error);
  for (AttnOperation i = 0; i < ATTN_N_OPERATIONS; i++)
    if (is_done (study, options, i))
      {
        is_any_done = TRUE;
        is_cut_alone = is_cut_alone && i == ATTN_OPERATION_CUT;
      }
  /* A cut has queries and keys instead; those of a study's own are its scope. */
  gboolean has_own_cut = study != NULL && study->operation == ATTN_OPERATION_CUT &&
                         !attn_cli_options_has_operation (options, ATTN_OPERATION_CUT);
  for (gsize i = 0; i < G_N_ELEMENTS (names) && is_any_done && is_cut_alone; i++)
    if ((i == 0 || (i == 3 && !has_own_cut)) && is_given (options, names[i]))
      return fail_effect (names[i], "--mean, --scale, --zero, --patch", error);
  for (gsize i = 0; i < G_N_ELEMENTS (names) && !is_any_done; i++)
    if (is_given (options, names[i]))
      return fail_effect (names[i], "--mean, --scale, --zero, --patch, --cut", error);
  return TRUE;
}

/* A matrix from a file is drawn as it is. */
static gboolean
check_matrix (const AttnStudy       *study,
              const AttnCliOptions  *options,
              GError               **error)
{
  static const char * const computed[] = {
    "text", "question", "answer", "exact-answer", "marked", "positions", "reduce",
    "layers", "heads", "queries", "last-queries", "after-last", "words", "head",
    "hide-keys", "renormalise", "count-sink", "special-tokens", "chat", "mean", "scale", "zero",
    "patch", "cut",
    "axis", "site", "scope-layers", "scope-heads", "scope-tokens"
  };

  if (options->asked->model.path != NULL && is_given (options, "array"))
    return fail_effect ("model", "--model, --array", error);
  if (!attn_study_get_traits (study)->has_roles || !attn_matrix_is_one (study->model.path))
    return TRUE;
  for (gsize i = 0; i < G_N_ELEMENTS (computed); i++)
    if (is_given (options, computed[i]))
      return fail_effect (computed[i], "layer-token --model PATH", error);
  return TRUE;
}

/* Whether the tokenizer has something to do. */
static gboolean
has_text (const GPtrArray *inputs)
{
  if (inputs == NULL || inputs->len == 0)
    return TRUE;
  for (guint i = 0; i < inputs->len; i++)
    if (((const AttnInput *) g_ptr_array_index (inputs, i))->text != NULL)
      return TRUE;
  return FALSE;
}

/**
 * attn_cli_check_inputs:
 * @model_path: (nullable): of the first model
 * @inputs: (nullable) (element-type AttnInput): what is computed; %NULL or empty for texts that
 *   that --text did not give
 * @error: return location for %ATTN_ERROR_ARGUMENT
 *
 * Returns: whether inputs, if there are any, are read: recorded arrays bring their own;
 *   and whether --special-tokens and --chat have a text to act on
 */
gboolean
attn_cli_check_inputs (const char            *model_path,
                       const GPtrArray       *inputs,
                       const AttnCliOptions  *options,
                       GError               **error)
{
  gboolean has_model = model_path == NULL || !attn_model_is_array_file (model_path);

  if (is_given (options, "special-tokens") && !(has_model && has_text (inputs)))
    return fail_effect ("special-tokens", "--text, --text-file", error);
  if (is_given (options, "chat") && !(has_model && has_text (inputs)))
    return fail_effect ("chat", "--text, --text-file", error);
  if (options->asked->inputs->len == 0 || has_model)
    return TRUE;

  g_autofree char *display = g_filename_display_name (model_path);
  return attn_fail (error, ATTN_ERROR_ARGUMENT,
                    _("--text: found with %s, expected none, since recorded arrays bring their own "
                      "tokens"),
                    display);
}

/**
 * attn_cli_check_effects:
 * @study: with the options that change one thing of it each, and before --mean, --scale and the
 *   like
 * @error: return location for %ATTN_ERROR_ARGUMENT, which names the option
 *
 * Returns: whether everything that the command line asks for is in the figure: what changes nothing
 *   would be a mistake without a message
 */
gboolean
attn_cli_check_effects (const AttnStudy       *study,
                        const AttnCliOptions  *options,
                        GError               **error)
{
  gboolean has_models = attn_cell_varies (study, ATTN_DIMENSION_MODEL);
  gboolean has_question = attn_study_asks_question (study);

  if (!check_needs (study, options, error) || !check_matrix (study, options, error) ||
      (!has_models &&
       !attn_cli_check_inputs (study->model.path, has_question ? NULL : study->inputs, options,
                               error)))
    return FALSE;
  if (study->layer == ATTN_CLI_ALL || study->head == ATTN_CLI_ALL)
    return attn_fail (
        error, ATTN_ERROR_ARGUMENT,
        study->layer == ATTN_CLI_ALL
            ? _("--layer: “all” found, expected a number, since this figure shows one layer")
            : _("--head: “all” found, expected a number, mean or strongest-sink, since this figure "
                "shows one head"));
  if (study->rows == study->columns && study->rows != ATTN_DIMENSION_NONE)
    return attn_fail (
        error, ATTN_ERROR_ARGUMENT,
        _("study: %s found along rows and columns, expected two different dimensions"),
        attn_dimension_names[study->rows]);
  if (is_given (options, "layer") && attn_study_get_traits (study)->has_roles)
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("--layer: found with a figure of all layers, expected --layers for some of "
                        "them"));
  if (options->asked->inputs->len > 0 && has_question)
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("--text: found with a question and an answer, expected --positions with "
                        "it, or --question, --answer and --exact-answer instead"));
  if (options->asked->epsilons->len > 0 && study->operation != ATTN_OPERATION_SCALE)
    return attn_fail (
        error, ATTN_ERROR_ARGUMENT,
        _("--epsilons: found with a figure of means, expected one that scales, such as epsilon"));
  for (guint i = 0; i < options->asked->inputs->len; i++)
    if (attn_cli_options_patches_from (options, i))
      return TRUE;
  return options->asked->inputs->len <= 1 || attn_study_get_traits (study)->has_patched ||
         attn_cell_varies (study, ATTN_DIMENSION_INPUT) ||
         attn_fail (error, ATTN_ERROR_ARGUMENT,
                    _("--text: %u inputs found, expected one, since this figure does not set "
                      "inputs side by side"),
                    options->asked->inputs->len);
}
