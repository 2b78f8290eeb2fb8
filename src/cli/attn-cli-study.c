/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-cli-study.h"

#include <glib/gi18n.h>
#include <string.h>

#include "attn-cli-effects.h"
#include "attn-cli-output.h"
#include "attn-cli-private.h"
#include "attn-effects.h"
#include "attn-error.h"
#include "attn-follow.h"
#include "attn-probe-file.h"
#include "attn-regions.h"
#include "attn-survey-settle.h"

static gboolean
is_preset (const char *name,
           GString    *names)
{
  gsize n_presets;
  const AttnPreset *presets = attn_presets_get_all (&n_presets);

  for (gsize i = 0; i < n_presets; i++)
    {
      if (g_str_equal (presets[i].name, name))
        return TRUE;
      g_string_append_printf (names, "%s, ", presets[i].name);
    }
  return FALSE;
}

/* Loads a preset by its name; or by its path a study, or a study that shows a file of probes or of
 * a survey. */
static AttnStudy *
load_study (const char  *operand,
            GError     **error)
{
  g_autoptr (GString) names = g_string_new (NULL);
  g_autofree char *display = g_filename_display_name (operand);

  if (is_preset (operand, names))
    return attn_presets_load (operand, error);
  g_auto (AttnModelReference) reference = { NULL };
  attn_model_reference_parse (&reference, operand);
  if (attn_probe_map_is_one (&reference))
    return attn_probe_load_study (&reference, error);
  if (attn_survey_file_is_one (&reference))
    return attn_survey_load_study (&reference, error);
  if (g_file_test (operand, G_FILE_TEST_EXISTS))
    return attn_study_load (operand, error);
  /* An operand that looks like a path is reported as a missing file, any other as an unknown
   * preset. */
  if (strchr (operand, G_DIR_SEPARATOR) != NULL || g_str_has_suffix (operand, ".json"))
    {
      g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT,
                   _("%s: no such file found, expected a study"), display);
      return NULL;
    }
  return attn_fail_null (
      error, ATTN_ERROR_ARGUMENT,
      _("%s: no preset and no file of that name found, expected %sor the file of a study"), display,
      names->str);
}

/* Replaces the inputs of the study by copies of @inputs, unless there are none. */
static void
set_inputs (AttnStudy       *study,
            const GPtrArray *inputs)
{
  if (inputs->len == 0)
    return;
  attn_study_forget_answers (study);
  g_ptr_array_set_size (study->inputs, 0);
  for (guint i = 0; i < inputs->len; i++)
    g_ptr_array_add (study->inputs, attn_input_copy (inputs->pdata[i]));
}

static gboolean
contains (const GArray *numbers,
          double        number)
{
  for (guint i = 0; i < numbers->len; i++)
    if (g_array_index (numbers, double, i) == number)
      return TRUE;
  return FALSE;
}

/* Finds the intervention of the command line whose operation the grid is to vary (its own
 * operation): the first one on queries, keys or values, preferably no patch or cut. All other
 * interventions act in every panel. */
static const AttnIntervention *
find_own (const AttnCliOptions *options)
{
  const AttnIntervention *own = NULL;

  for (guint i = options->operations->len; i > 0; i--)
    {
      const AttnIntervention *asked = g_ptr_array_index (options->operations, i - 1);
      gboolean is_plain = asked->operation < ATTN_OPERATION_PATCH;

      if ((asked->component < ATTN_N_COMPONENTS || asked->operation == ATTN_OPERATION_CUT) &&
          (is_plain || own == NULL || own->operation >= ATTN_OPERATION_PATCH))
        own = asked;
    }
  return own;
}

/* Sets the grid's own operation from the command line, unless rows or columns of the study already
 * vary components, factors or axis. A survey prefers a scaling, as that can have several
 * factors. */
static void
set_operation (AttnStudy            *study,
               const AttnCliOptions *options)
{
  const AttnDimension bound[] = { ATTN_DIMENSION_COMPONENT, ATTN_DIMENSION_EPSILON,
                                  ATTN_DIMENSION_AXIS };
  gboolean is_survey = attn_study_get_traits (study)->has_survey;

  if (!attn_study_get_traits (study)->has_grid && !is_survey)
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (bound); i++)
    if (study->rows == bound[i] || study->columns == bound[i])
      return;

  const AttnIntervention *own = find_own (options);
  for (guint i = 0; is_survey && i < options->operations->len; i++)
    {
      const AttnIntervention *asked = g_ptr_array_index (options->operations, i);

      if (asked->operation == ATTN_OPERATION_SCALE && asked->component < ATTN_N_COMPONENTS)
        own = asked;
    }
  if (own == NULL || (own->operation == ATTN_OPERATION_CUT &&
                      attn_study_changes_along (study, ATTN_DIMENSION_SITE)))
    return;
  study->operation = own->operation;
  if (own->operation == ATTN_OPERATION_PATCH)
    {
      study->patch_input = own->input;
      g_clear_pointer (&study->patch_pairs, g_array_unref);
      study->patch_pairs = own->pairs != NULL ? g_array_copy (own->pairs) : NULL;
    }
  if (own->operation == ATTN_OPERATION_CUT)
    {
      g_clear_pointer (&study->cut_keys, attn_index_set_unref);
      g_clear_pointer (&study->scope_tokens, attn_index_set_unref);
      study->cut_keys = attn_index_set_ref (own->keys);
      study->scope_tokens = attn_index_set_ref (own->tokens);
    }
}

/* Tells whether the --scale options of a survey combine each component with each factor, as the
 * survey's own operation does. If not, as in --scale query=0.5 --scale key=0.1, each becomes an
 * additional intervention with its own factor. */
static gboolean
scales_by_grid (const AttnStudy      *study,
                const AttnCliOptions *options)
{
  g_autoptr (GArray) factors = g_array_new (FALSE, FALSE, sizeof (double));
  gboolean components[ATTN_N_COMPONENTS] = { FALSE };
  gsize n = 0;

  if (!attn_study_get_traits (study)->has_survey || study->operation != ATTN_OPERATION_SCALE ||
      options->asked->epsilons->len > 0)
    return TRUE;
  for (guint i = 0; i < options->operations->len; i++)
    {
      const AttnIntervention *asked = g_ptr_array_index (options->operations, i);

      if (!attn_cli_options_is_own (study, asked))
        continue;
      n++;
      components[asked->component] = TRUE;
      if (!contains (factors, asked->factor))
        g_array_append_val (factors, asked->factor);
    }
  return n == attn_study_count_flags (components, ATTN_N_COMPONENTS) * factors->len &&
         (factors->len < 2 || !study->survey.is_together);
}

/* Sets the grid's own operation and the components that it acts on: from --mean if the study
 * replaces by means, from --scale if it scales, and so on. */
static void
set_components (AttnStudy            *study,
                const AttnCliOptions *options)
{
  gboolean has_own = FALSE;

  set_operation (study, options);
  for (guint i = 0; i < options->operations->len; i++)
    has_own = has_own || attn_cli_options_is_own (study, options->operations->pdata[i]);
  if (!has_own || !scales_by_grid (study, options))
    return;
  memset (study->components, 0, sizeof study->components);
  if (study->operation == ATTN_OPERATION_SCALE)
    g_array_set_size (study->epsilons, 0);
  for (guint i = 0; i < options->operations->len; i++)
    {
      const AttnIntervention *asked = g_ptr_array_index (options->operations, i);

      if (asked->component >= ATTN_N_COMPONENTS || !attn_cli_options_is_own (study, asked))
        continue;
      study->components[asked->component] = TRUE;
      if (asked->operation == ATTN_OPERATION_SCALE && !contains (study->epsilons, asked->factor))
        g_array_append_val (study->epsilons, asked->factor);
    }
}

/**
 * attn_cli_study_apply:
 * @study: (inout): a preset or a study from a file
 * @options: the options to apply; interventions beyond the grid's own operation are left out, see
 *   attn_cli_study_list_extra()
 * @error: return location for %ATTN_ERROR_ARGUMENT, %ATTN_ERROR_FORMAT or %ATTN_ERROR_LIMIT
 */
gboolean
attn_cli_study_apply (AttnStudy             *study,
                      const AttnCliOptions  *options,
                      GError               **error)
{
  /* --model takes over --adapter and --header, even if these stand before it; without --model they
   * apply to the study's model. */
  if (options->asked->model.path != NULL)
    attn_model_reference_take (&study->model, &options->asked->model);
  else if (options->asked->model.adapter != NULL)
    {
      g_free (study->model.adapter);
      study->model.adapter = g_strdup (options->asked->model.adapter);
      g_clear_pointer (&study->model.fingerprint, g_free);
    }
  if (options->asked->model.path == NULL &&
      attn_cli_options_count (options, "header") + attn_cli_options_count (options, "array") > 0)
    study->model.header = options->asked->model.header;
  set_inputs (study, options->asked->inputs);
  /* Rows and columns of the grid are set before its operation, which depends on them. */
  if (!attn_cli_settings_apply (options->choices, study, error) ||
      !attn_cli_check_effects (study, options, error))
    return FALSE;
  set_components (study, options);
  if (options->asked->epsilons->len > 0)
    {
      g_array_unref (study->epsilons);
      study->epsilons = g_array_copy (options->asked->epsilons);
    }
  return attn_cli_check_settings (study, options, error) &&
         (attn_cli_options_count (options, "set") == 0 || attn_study_check (study, error));
}

/* Checks that the model has the fingerprint that the study expects, if any. @option: the option
 * that replaces the model, for the message */
static gboolean
check_fingerprint (AttnWorkspace             *workspace,
                   const AttnModelReference  *reference,
                   const char                *option,
                   GError                   **error)
{
  const char *fingerprint = reference->fingerprint;
  AttnModel *model =
      fingerprint != NULL ? attn_workspace_open_model (workspace, reference, NULL, error) : NULL;

  if (fingerprint == NULL)
    return TRUE;
  if (model == NULL)
    return FALSE;
  if (g_str_equal (fingerprint, attn_model_get_fingerprint (model)))
    return TRUE;

  g_autofree char *where = g_filename_display_name (attn_model_get_path (model));
  return attn_fail (error, ATTN_ERROR_ARGUMENT,
                    _("%s: fingerprint %s found, expected the study’s %s; %s PATH uses a model "
                      "whatever it is"),
                    where, attn_model_get_fingerprint (model), fingerprint, option);
}

static gboolean
check_fingerprints (const AttnStudy  *study,
                    AttnWorkspace    *workspace,
                    GError          **error)
{
  for (guint i = 0; i <= study->other_models->len; i++)
    {
      if (!check_fingerprint (workspace, attn_study_get_model (study, i),
                              i > 0 ? "--with-model" : "--model", error))
        return FALSE;
    }
  return TRUE;
}

/**
 * attn_cli_study_list_extra:
 *
 * Returns: (transfer full) (element-type AttnIntervention): interventions of @options beyond the
 *   grid's own operation, which act in every panel
 */
GPtrArray *
attn_cli_study_list_extra (const AttnStudy      *study,
                           const AttnCliOptions *options)
{
  return attn_cli_options_build (options, scales_by_grid (study, options) ? study : NULL, NULL,
                                 NULL);
}

/* Adds the interventions of attn_cli_study_list_extra() to the study. By default they act on the
 * layer on display. Which layer that is, such as that of the strongest sink, is found by a run
 * without them. */
static gboolean
add_extra_interventions (AttnStudy             *study,
                         const AttnCliOptions  *options,
                         AttnWorkspace         *workspace,
                         GError               **error)
{
  const AttnStudy *own = scales_by_grid (study, options) ? study : NULL;
  g_autoptr (GPtrArray) asked = attn_cli_study_list_extra (study, options);
  g_autoptr (AttnIndexSet) layers = NULL;
  g_autoptr (AttnIndexSet) heads = NULL;

  if (asked->len == 0)
    return TRUE;
  if ((options->asked->acts_on_shown_layer || options->asked->acts_on_shown_head) &&
      attn_study_get_traits (study)->has_layer)
    {
      g_autoptr (AttnResult) plain = attn_job_run (study, workspace, NULL, NULL, error);

      if (plain == NULL)
        return FALSE;
      layers = attn_index_set_new_range (plain->layer, plain->layer);
      if (plain->head >= 0)
        heads = attn_index_set_new_range (plain->head, plain->head);
    }

  g_autoptr (GPtrArray) extra = attn_cli_options_build (options, own, layers, heads);
  for (guint i = 0; i < extra->len; i++)
    {
      AttnIntervention *intervention = attn_intervention_copy (extra->pdata[i]);

      /* The options --axis and --site have set the axis and site of the study, so that both apply
       * to the added interventions as well. */
      intervention->axis = study->axis;
      if (intervention->operation != ATTN_OPERATION_CUT)
        intervention->site = study->site;
      g_ptr_array_add (study->extra_interventions, intervention);
    }
  return TRUE;
}

/* Moves the regions and differences, which belong to panels of the study as it was loaded, to the
 * same panels after the options. */
static gboolean
follow_panels (AttnStudy        *study,
               const AttnStudy  *loaded,
               AttnWorkspace    *workspace,
               GError          **error)
{
  AttnModel *model =
      attn_workspace_open_model (workspace, &study->model, study->attention, error);

  if (model == NULL)
    return FALSE;
  attn_study_follow_panels (study, loaded, attn_model_get_info (model));
  return TRUE;
}

/* Checks that regions and differences from the command line are of panels that exist. The regions
 * of the command line stand behind those of the study. */
static gboolean
check_panels (const AttnResult      *result,
              const AttnCliOptions  *options,
              GError               **error)
{
  const GPtrArray *regions = result->study->regions;
  guint n_asked = attn_cli_options_count (options, "region");

  if (attn_cli_options_count (options, "differences") > 0 &&
      !attn_index_set_check (result->study->differences,
                             result->grid->n_rows * result->grid->n_columns, _("panels"), error))
    return FALSE;
  for (guint i = regions->len - MIN (n_asked, regions->len); i < regions->len; i++)
    if (!attn_study_check_region (regions->pdata[i], result->grid, error))
      return FALSE;
  return TRUE;
}

/* Loads the preset "survey" without its texts, as the command line has to name them. */
static AttnStudy *
load_empty_survey (GError **error)
{
  AttnStudy *study = attn_presets_load ("survey", error);

  if (study != NULL)
    attn_study_set_texts (study, NULL);
  return study;
}

/**
 * attn_cli_load_study:
 * @operand: (nullable): name of a preset or path of a study; %NULL for a survey without texts,
 *   which options add
 * @options: options that change the study
 * @workspace: workspace in which models are opened
 * @status: (out): exit status if %NULL is returned, after a message was printed
 *
 * Returns: (transfer full) (nullable): the study with all options applied; its models have the
 *   fingerprints that it expects
 */
AttnStudy *
attn_cli_load_study (const char           *operand,
                     const AttnCliOptions *options,
                     AttnWorkspace        *workspace,
                     int                  *status)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnStudy) study =
      operand != NULL ? load_study (operand, &error) : load_empty_survey (&error);
  g_autoptr (AttnStudy) loaded = study != NULL ? attn_study_copy (study) : NULL;

  if (study == NULL || !attn_cli_study_apply (study, options, &error))
    {
      *status = g_error_matches (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT)
                    ? attn_cli_fail_usage ("%s", error->message)
                    : attn_cli_fail (error);
      return NULL;
    }
  if (!check_fingerprints (study, workspace, &error) ||
      !add_extra_interventions (study, options, workspace, &error) ||
      !follow_panels (study, loaded, workspace, &error))
    {
      *status = attn_cli_fail (error);
      return NULL;
    }
  return g_steal_pointer (&study);
}

/**
 * attn_cli_run_study:
 * @operand: name of a preset or path of a study
 * @options: options that change the study
 * @status: (out): exit status if %NULL is returned, after a message was printed
 *
 * Returns: (transfer full) (nullable): the result with its computed panels
 */
AttnResult *
attn_cli_run_study (const char           *operand,
                    const AttnCliOptions *options,
                    int                  *status)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (AttnStudy) study = attn_cli_load_study (operand, options, workspace, status);

  if (study == NULL)
    return NULL;
  g_autoptr (AttnResult) result =
      attn_cli_output_check (options, &error)
          ? attn_effects_run (study, workspace, attn_cli_get_progress (), NULL, &error)
          : NULL;
  attn_cli_end_progress ();
  if (result == NULL || !check_panels (result, options, &error))
    {
      *status = attn_cli_fail (error);
      return NULL;
    }
  return g_steal_pointer (&result);
}
