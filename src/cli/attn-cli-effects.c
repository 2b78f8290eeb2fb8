/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Checks that each option changes the output. An option that changes nothing is taken for a mistake
 * and refused with a message. */

#include "config.h"

#include "attn-cli-effects.h"

#include <glib/gi18n.h>

#include "attn-array-format.h"
#include "attn-cell.h"
#include "attn-error.h"
#include "attn-matrix.h"
#include "attn-model.h"

/* Tells whether an option is given, by its name. Inputs ("text") and operations such as "mean" are
 * stored elsewhere than other options. */
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
  if (g_str_equal (expected, ATTN_NEED_MODEL))
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("--%s: found with recorded arrays, which predict nothing, expected a model "
                        "(--model)"),
                      option);
  return attn_fail (error, ATTN_ERROR_ARGUMENT,
                    _("--%s: found with a figure that it does not change, expected one of %s"),
                    option, expected);
}

/* Returns a copy of the study with all operations of the command line, also those that will become
 * the operation that the grid varies. */
static AttnStudy *
add_operations (const AttnStudy      *study,
                const AttnCliOptions *options)
{
  AttnStudy *whole = attn_study_copy (study);
  g_autoptr (GPtrArray) asked = attn_cli_options_build (options, NULL, NULL, NULL);

  for (guint i = 0; i < asked->len; i++)
    g_ptr_array_add (whole->extra_interventions, attn_intervention_copy (asked->pdata[i]));
  return whole;
}

/* Tells whether --cut is the only intervention. A cut has no site, and its own queries and keys
 * instead of --scope-tokens. */
static gboolean
has_cut_alone (const AttnStudy      *whole,
               const AttnCliOptions *options)
{
  return attn_cli_options_has_operation (options, ATTN_OPERATION_CUT) &&
         attn_field_get_need (attn_study_find_field ("site"), whole) != NULL;
}

static gboolean
check_setting (const AttnStudy       *whole,
               const AttnCliOptions  *options,
               const AttnCliSetting  *setting,
               GError               **error)
{
  const char *need = attn_cli_setting_get_need (setting, whole);

  if (need == NULL && g_str_equal (setting->name, "scope-tokens") &&
      has_cut_alone (whole, options))
    need = attn_field_get_need (attn_study_find_field ("site"), whole);
  return need == NULL || fail_effect (setting->name, need, error);
}

/**
 * attn_cli_check_settings:
 * @study: (nullable): the study after all options were applied; %NULL for a subcommand without a
 *   study, for which only axis, site and scope of interventions are checked
 * @error: return location for %ATTN_ERROR_ARGUMENT, which names the option
 *
 * Returns: %FALSE if an option has no effect in this figure
 */
gboolean
attn_cli_check_settings (const AttnStudy       *study,
                         const AttnCliOptions  *options,
                         GError               **error)
{
  static const char * const names[] = { "axis", "site", "scope-layers", "scope-heads",
                                        "scope-tokens", NULL };
  g_autoptr (AttnStudy) empty = attn_study_new ();
  g_autoptr (AttnStudy) whole = add_operations (study != NULL ? study : empty, options);
  const AttnField *inputs = attn_study_find_field ("inputs");
  const AttnField *operation = attn_study_find_field ("operation");

  for (guint i = 0; i < options->choices->len; i++)
    {
      const AttnCliSetting *setting = g_array_index (options->choices, AttnCliChoice, i).setting;

      if ((study != NULL || g_strv_contains (names, setting->name)) &&
          !check_setting (whole, options, setting, error))
        return FALSE;
    }
  if (study == NULL)
    return TRUE;
  const AttnFigureTraits *traits = attn_study_get_traits (study);
  if (!attn_cli_options_check_head (options, traits->has_grid || traits->has_measure, error))
    return FALSE;
  if (is_given (options, "text") && attn_field_get_need (inputs, whole) != NULL)
    return fail_effect ("text", attn_field_get_need (inputs, whole), error);
  for (AttnOperation i = 0; i < ATTN_N_OPERATIONS; i++)
    if (attn_cli_options_has_operation (options, i) &&
        attn_field_get_need (operation, whole) != NULL)
      return fail_effect (attn_operation_names[i], attn_field_get_need (operation, whole), error);
  return TRUE;
}

/* Refuses options that are for computing with a model if the study draws a matrix from a file as it
 * is. */
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
  if (!attn_study_get_traits (study)->has_roles || !attn_matrix_is_one (&study->model))
    return TRUE;
  for (gsize i = 0; i < G_N_ELEMENTS (computed); i++)
    if (is_given (options, computed[i]))
      return fail_effect (computed[i], "layer-token --model PATH", error);
  return TRUE;
}

/* Tells whether any input is a text, so that options of the tokenizer have an effect. No inputs
 * mean the default text. */
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

static gboolean
has_picture (const GPtrArray *inputs)
{
  for (guint i = 0; inputs != NULL && i < inputs->len; i++)
    if (attn_input_is_picture (g_ptr_array_index (inputs, i)))
      return TRUE;
  return FALSE;
}

/* Tells whether a file of recorded arrays has the grid of a picture's patches. Returns %TRUE for a
 * file that cannot be read, as that is reported when it is opened. */
static gboolean
has_grid (const AttnModelReference *model)
{
  g_autoptr (AttnArrayFile) file = attn_model_reference_load_arrays (model, NULL);

  return file == NULL || attn_array_file_lookup (file, "grid") != NULL;
}

/**
 * attn_cli_check_inputs:
 * @model: the first model; a path of %NULL is the shipped model
 * @inputs: (nullable) (element-type AttnInput): inputs that are computed; %NULL or empty for texts
 *   that do not come from --text
 * @error: return location for %ATTN_ERROR_ARGUMENT
 *
 * Returns: %FALSE if --special-tokens or --chat is given without a text, --over-picture without a
 *   picture, --header without a table, or inputs for recorded arrays, which bring their own tokens
 */
gboolean
attn_cli_check_inputs (const AttnModelReference  *model,
                       const GPtrArray           *inputs,
                       const AttnCliOptions      *options,
                       GError                   **error)
{
  const char *path = model->path;
  gboolean has_model = path == NULL || (model->array == NULL && !attn_model_is_array_file (path));

  if (is_given (options, "header") &&
      (path == NULL || !attn_array_format_has (path, ATTN_ARRAY_FORMAT_TEXT)))
    return fail_effect ("header", "--model TABLE.csv, --array TABLE.csv", error);

  if (is_given (options, "special-tokens") && !(has_model && has_text (inputs)))
    return fail_effect ("special-tokens", "--text, --text-file", error);
  if (is_given (options, "over-picture") &&
      !(has_model ? has_picture (inputs) : has_grid (model)))
    return fail_effect ("over-picture", "--image, --pixels, --model RECORDING.npz", error);
  if (is_given (options, "chat") && !(has_model && has_text (inputs)))
    return fail_effect ("chat", "--text, --text-file", error);
  if (options->asked->inputs->len == 0 || has_model)
    return TRUE;

  g_autofree char *display = g_filename_display_name (path);
  return attn_fail (error, ATTN_ERROR_ARGUMENT,
                    _("--text: found with %s, expected none, since recorded arrays bring their own "
                      "tokens"),
                    display);
}

/**
 * attn_cli_check_effects:
 * @study: the study after the options that change one setting each, but before operations such as
 *   --mean and --scale were applied
 * @error: return location for %ATTN_ERROR_ARGUMENT, which names the option
 *
 * Returns: %FALSE if an option has no effect in this figure, which is taken for a mistake of the
 *   user
 */
gboolean
attn_cli_check_effects (const AttnStudy       *study,
                        const AttnCliOptions  *options,
                        GError               **error)
{
  gboolean has_models = attn_study_changes_along (study, ATTN_DIMENSION_MODEL);
  gboolean has_question = attn_study_asks_question (study);

  if (!check_matrix (study, options, error) ||
      (!has_models &&
       !attn_cli_check_inputs (&study->model, has_question ? NULL : study->inputs, options,
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
         attn_study_changes_along (study, ATTN_DIMENSION_INPUT) ||
         attn_fail (error, ATTN_ERROR_ARGUMENT,
                    _("--text: %u inputs found, expected one, since this figure does not set "
                      "inputs side by side"),
                    options->asked->inputs->len);
}
