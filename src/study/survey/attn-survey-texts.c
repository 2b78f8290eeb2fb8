/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-survey-texts.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-attribution-work.h"
#include "attn-error.h"
#include "attn-result-private.h"
#include "attn-survey-charts.h"
#include "attn-survey-figure.h"
#include "attn-survey-spec.h"
#include "attn-workspace-private.h"

/* Largest number of characters of a text in its label. */
#define LABEL_LENGTH 100

/**
 * attn_survey_texts_are_missing:
 *
 * Returns: whether @result is of a survey, and the texts of the head on display were not read yet
 */
gboolean
attn_survey_texts_are_missing (const AttnResult *result)
{
  return result->survey != NULL && result->texts == NULL;
}

/* --- Where they are --- */

/* Returns @path, or if no file exists there, the path of a file with the same name in the folder of
 * the survey. */
static char *
find_file (const char *path,
           const char *survey_path)
{
  if (path == NULL || g_file_test (path, G_FILE_TEST_EXISTS))
    return g_strdup (path);

  g_autofree char *directory = g_path_get_dirname (survey_path);
  g_autofree char *name = g_path_get_basename (path);
  char *beside = g_build_filename (directory, name, NULL);
  if (!g_file_test (beside, G_FILE_TEST_EXISTS))
    {
      g_free (beside);
      return g_strdup (path);
    }
  return beside;
}

/* Opens the model that was surveyed. For a survey from a file, this is the shipped model if it has
 * the fingerprint of the surveyed one, else the model at the path in the file. */
static AttnModel *
open_model (const AttnResult    *result,
            AttnWorkspace       *workspace,
            AttnModelReference  *reference,
            GError             **error)
{
  const char *survey_path = attn_model_get_path (result->model);

  if (attn_model_get_info (result->model)->n_surveyed == 0)
    {
      attn_model_reference_take (reference, &result->study->model);
      return attn_workspace_open_model (workspace, reference, result->study->attention, error);
    }
  AttnModel *shipped = attn_workspace_open_model (workspace, NULL, NULL, NULL);
  g_autofree char *fingerprint = attn_survey_data_dup_fingerprint (result->survey);
  g_autofree char *attention = attn_survey_data_dup_attention (result->survey);
  if (shipped != NULL && g_strcmp0 (attn_model_get_fingerprint (shipped), fingerprint) == 0)
    return shipped;
  reference->path = find_file (result->survey->model_path, survey_path);
  reference->adapter = find_file (result->survey->adapter_path, survey_path);
  if (reference->path != NULL)
    return attn_workspace_open_model (workspace, reference, attention, error);
  return attn_fail_null (error, ATTN_ERROR_ARGUMENT,
                         _("%s: no path of the surveyed model found, expected one"), survey_path);
}

/* Opens the file or folder of texts with the settings with which the survey read it. */
static AttnTexts *
open_texts (const AttnResult  *result,
            AttnModel         *model,
            GCancellable      *cancellable,
            GError           **error)
{
  if (attn_model_get_info (result->model)->n_surveyed == 0)
    {
      g_autoptr (AttnSurveySpec) spec = attn_survey_spec_new (result->study, model, error);

      return spec != NULL ? attn_texts_open (&spec->texts, model, cancellable, error) : NULL;
    }

  AttnTextsSpec spec;
  attn_survey_data_get_texts (result->survey, &spec);
  g_autofree char *field = spec.field;
  g_autofree char *column = spec.column;
  g_autofree char *path =
      find_file (spec.path, attn_model_get_path (result->model));
  spec.path = path;
  attn_survey_spec_set_files (model, &spec);
  if (path == NULL && spec.n_random == 0)
    return attn_fail_null (error, ATTN_ERROR_ARGUMENT,
                           _("%s: no path of the texts found, expected one"),
                           attn_model_get_path (result->model));
  g_autoptr (AttnTexts) texts = attn_texts_open (&spec, model, cancellable, error);
  if (texts == NULL)
    return NULL;
  g_autofree char *checksum = attn_survey_data_dup_checksum (result->survey);
  if (g_strcmp0 (attn_texts_get_checksum (texts), checksum) == 0)
    return g_steal_pointer (&texts);
  return attn_fail_null (error, ATTN_ERROR_CHANGED,
                         _("%s: other texts found than those that were surveyed"),
                         path != NULL ? path : "");
}

/* --- Reading --- */

static char *
build_label (const AttnModel *model,
             const guint32   *ids,
             gsize            n_ids)
{
  const AttnTokenizer *tokenizer = attn_model_get_tokenizer (model, NULL);
  g_autoptr (AttnTokens) tokens =
      tokenizer != NULL ? attn_tokenizer_label_ids (tokenizer, ids, n_ids, NULL)
                        : attn_tokens_new_from_ids (ids, n_ids, NULL);
  GString *label = g_string_new (NULL);

  for (gsize i = 0; tokens != NULL && i < n_ids && label->len < LABEL_LENGTH; i++)
    g_string_append_printf (label, "%s%s", tokenizer == NULL && i > 0 ? " " : "",
                            tokens->labels[i]);
  g_string_replace (label, "␣", " ", 0);
  if (label->len >= LABEL_LENGTH)
    g_string_append (label, "…");
  return g_strstrip (g_string_free (label, FALSE));
}

/* Decodes the ids of @text from @begin to @end, which exclude the special tokens that the tokenizer
 * adds. Returns whether tokenizing the decoded text gives all ids of @text again. */
static gboolean
set_text (const AttnTokenizer *tokenizer,
          gsize                begin,
          gsize                end,
          gboolean             adds_special_tokens,
          AttnSurveyText      *text)
{
  g_autoptr (GBytes) bytes =
      attn_tokenizer_decode (tokenizer, text->ids + begin, end - begin, NULL);
  gsize length = 0;
  const char *decoded = bytes != NULL ? g_bytes_get_data (bytes, &length) : NULL;

  if (decoded == NULL || !g_utf8_validate (decoded, (gssize) length, NULL))
    return FALSE;
  g_autoptr (AttnTokens) again =
      attn_tokenizer_encode (tokenizer, decoded, (gssize) length,
                             adds_special_tokens ? ATTN_FRAMING_SPECIAL : ATTN_FRAMING_NONE, NULL);
  if (again == NULL || again->n_tokens != text->n_ids)
    return FALSE;
  for (gsize i = 0; i < text->n_ids; i++)
    if (again->tokens[i].id != text->ids[i])
      return FALSE;
  text->text = g_strndup (decoded, length);
  text->adds_special_tokens = adds_special_tokens;
  return TRUE;
}

/* Decodes the ids of @text, as a user can edit a text more easily than ids. If the text was
 * truncated or begins within a word, there can be none that gives the same tokens. */
static void
find_text (const AttnModel *model,
           AttnSurveyText  *text)
{
  const AttnTokenizer *tokenizer = attn_model_get_tokenizer (model, NULL);
  g_autoptr (AttnTokens) tokens =
      tokenizer != NULL ? attn_tokenizer_label_ids (tokenizer, text->ids, text->n_ids, NULL) : NULL;
  gsize begin = 0;
  gsize end = text->n_ids;

  if (tokens == NULL)
    return;
  while (begin < end && tokens->tokens[begin].is_special)
    begin++;
  while (end > begin && tokens->tokens[end - 1].is_special)
    end--;
  if (begin == end || !set_text (tokenizer, begin, end, TRUE, text))
    set_text (tokenizer, 0, text->n_ids, FALSE, text);
}

static void
take_sample (AttnSurveyTexts  *texts,
             const AttnSample *sample,
             const AttnModel  *model)
{
  for (gsize i = 0; i < texts->n_texts; i++)
    {
      AttnSurveyText *text = &texts->texts[i];

      if (text->found.number != sample->number)
        continue;
      text->n_ids = sample->n_ids;
      text->ids = g_memdup2 (sample->ids, sample->n_ids * sizeof *sample->ids);
      text->n_target = sample->n_target;
      text->target = g_memdup2 (sample->target, sample->n_target * sizeof *sample->target);
      if (sample->file != NULL)
        {
          text->file = g_strdup (sample->file);
          text->is_sound = attn_model_get_info (model)->needs_sound;
          text->label = g_filename_display_basename (sample->file);
          continue;
        }
      text->label = build_label (model, sample->ids, sample->n_ids);
      find_text (model, text);
    }
}

static gboolean
is_wanted (const AttnSurveyTexts *texts,
           guint64                number)
{
  for (gsize i = 0; i < texts->n_texts; i++)
    if (texts->texts[i].found.number == number)
      return TRUE;
  return FALSE;
}

/* Reads the texts of the survey one after the other, up to the last that @texts lists. */
static gboolean
read_texts (AttnSurveyTexts  *texts,
            AttnTexts        *source,
            const AttnModel  *model,
            GCancellable     *cancellable,
            GError          **error)
{
  guint64 last = 0;

  for (gsize i = 0; i < texts->n_texts; i++)
    last = MAX (last, texts->texts[i].found.number);
  for (guint64 number = attn_texts_get_number (source); number <= last;
       number = attn_texts_get_number (source))
    {
      AttnSample *sample = NULL;
      GError *local_error = NULL;

      if (g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;
      if (!attn_texts_next (source, is_wanted (texts, number), &sample, &local_error))
        {
          if (local_error != NULL)
            g_propagate_error (error, local_error);
          return local_error == NULL;
        }
      if (sample == NULL)
        continue;
      take_sample (texts, sample, model);
      attn_sample_free (sample);
    }
  return TRUE;
}

/**
 * attn_survey_texts_add:
 * @result: a result for which [func@attn_survey_texts_are_missing] is %TRUE
 * @error: return location for %G_IO_ERROR_CANCELLED
 *
 * Reads the texts in which the head on display has its largest, smallest and other values. If they
 * cannot be read, the returned result has a message about it, and @error is not set.
 *
 * Returns: (transfer full) (nullable): @result with these texts; %NULL if canceled
 */
AttnResult *
attn_survey_texts_add (const AttnResult  *result,
                       AttnWorkspace     *workspace,
                       GCancellable      *cancellable,
                       GError           **error)
{
  AttnSurveyTexts *texts = g_atomic_rc_box_new0 (AttnSurveyTexts);
  AttnSurveyChoice choice = attn_survey_figure_get_choice (result->study, result->survey);
  const AttnTally *tally = result->survey->tallies[choice.statistic];
  AttnTallyText found[ATTN_TALLY_TEXTS];
  g_autoptr (GError) local_error = NULL;

  texts->n_texts = attn_tally_list_texts (
      tally, attn_survey_charts_get_cell (result->survey, &choice), found);
  for (gsize i = 0; i < texts->n_texts; i++)
    texts->texts[i].found = found[i];

  AttnModel *model = open_model (result, workspace, &texts->model, &local_error);
  g_autoptr (AttnTexts) source =
      model != NULL ? open_texts (result, model, cancellable, &local_error) : NULL;
  if (source == NULL || !read_texts (texts, source, model, cancellable, &local_error))
    texts->message = g_strdup (local_error->message);
  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    {
      attn_survey_texts_unref (texts);
      return NULL;
    }
  AttnResult *more = attn_result_extend (result, attn_grid_ref (result->grid), result->outcomes);
  more->texts = texts;
  return more;
}

/* Adds to @study the inputs from which the survey's patches take. Returns: (element-type gsize):
 * for each number of an input in the survey, its number in @study; 0 if it is not there */
static GArray *
add_inputs (AttnStudy            *study,
            const AttnSurveyData *survey)
{
  g_autoptr (GPtrArray) inputs = attn_survey_data_list_inputs (survey);
  GArray *numbers = g_array_new (FALSE, TRUE, sizeof (gsize));

  for (guint i = 0; i < inputs->len; i++)
    {
      const GArray *array = inputs->pdata[i];
      const guint32 *ids = (const guint32 *) (gconstpointer) array->data;
      gsize number = array->len > 0 ? study->inputs->len : 0;

      if (array->len > 0)
        g_ptr_array_add (study->inputs, attn_input_new_ids (ids, array->len, 0));
      g_array_append_val (numbers, number);
    }
  return numbers;
}

/* Lists the interventions of a step of an attribution: on the displayed head and on the heads that
 * earlier steps chose. Returns: (transfer full) (element-type AttnIntervention): empty if the file
 * contains an invalid operation */
static GPtrArray *
list_attributed (const AttnSurveyData   *survey,
                 const AttnSurveyChoice *choice)
{
  const AttnAttribution *attribution = survey->attribution;
  GPtrArray *done = g_ptr_array_new_with_free_func ((GDestroyNotify) attn_intervention_free);
  AttnIntervention *operation = attn_intervention_parse (attribution->operation);
  gsize n_steps = MIN (choice->condition, attribution->n_chosen);

  for (gsize i = 0; operation != NULL && i <= n_steps; i++)
    {
      gsize cell = i < n_steps ? attribution->chosen[i]
                               : choice->layer * survey->n_heads + choice->head;

      g_ptr_array_add (done,
                       attn_attribution_bind (operation, survey->layers[cell / survey->n_heads],
                                              survey->heads[cell % survey->n_heads]));
    }
  g_clear_pointer (&operation, attn_intervention_free);
  return done;
}

/* Sets the interventions of a condition in the study. A single intervention on a component becomes
 * the study's own operation, so that its controls edit it. An unknown condition in a file is
 * treated as the baseline. */
static void
set_condition (AttnStudy              *study,
               const AttnSurveyData   *survey,
               const AttnSurveyChoice *choice)
{
  g_autoptr (GArray) numbers = add_inputs (study, survey);
  g_auto (GStrv) parts = g_strsplit (survey->conditions[choice->condition], "; ", -1);
  g_autoptr (GPtrArray) done =
      survey->attribution != NULL
          ? list_attributed (survey, choice)
          : g_ptr_array_new_with_free_func ((GDestroyNotify) attn_intervention_free);

  for (char **part = parts; survey->attribution == NULL && *part != NULL; part++)
    {
      AttnIntervention *intervention = attn_intervention_parse (*part);

      if (intervention == NULL)
        return;
      if (intervention->operation == ATTN_OPERATION_PATCH)
        intervention->input = intervention->input < numbers->len
                                  ? g_array_index (numbers, gsize, intervention->input)
                                  : 0;
      g_ptr_array_add (done, intervention);
    }
  const AttnIntervention *first = done->len > 0 ? done->pdata[0] : NULL;
  if (done->len != 1 || first->component >= ATTN_N_COMPONENTS)
    {
      g_ptr_array_extend_and_steal (study->extra_interventions, g_steal_pointer (&done));
      return;
    }
  study->operation = first->operation;
  study->components[first->component] = TRUE;
  study->axis = first->axis;
  study->site = first->site;
  study->acts_on_shown_layer = FALSE;
  study->scope_layers = attn_index_set_ref (first->layers);
  study->scope_heads = attn_index_set_ref (first->heads);
  study->scope_tokens = attn_index_set_ref (first->tokens);
  study->patch_input = first->input;
  if (first->pairs != NULL)
    study->patch_pairs = g_array_ref (first->pairs);
  if (first->operation == ATTN_OPERATION_SCALE)
    {
      g_array_set_size (study->epsilons, 0);
      g_array_append_val (study->epsilons, first->factor);
    }
}

/**
 * attn_survey_texts_open:
 * @result: a result that has its texts
 * @index: index of a text that could be read
 *
 * Returns: (transfer full): a study that shows the head on display for that text, under the
 *   condition that the charts show
 */
AttnStudy *
attn_survey_texts_open (const AttnResult *result,
                        gsize             index)
{
  const AttnSurveyText *text = &result->texts->texts[index];
  AttnStudy *opened = attn_presets_load ("single", NULL);

  g_return_val_if_fail (opened != NULL && text->n_ids > 0, NULL);

  attn_model_reference_take (&opened->model, &result->texts->model);
  g_ptr_array_set_size (opened->inputs, 0);
  opened->is_over_picture = text->file != NULL && !text->is_sound;
  AttnInput *input = text->is_sound       ? attn_input_new_sound (text->file, FALSE)
                     : text->file != NULL ? attn_input_new_picture (text->file, FALSE)
                     : text->text != NULL ? attn_input_new_text (text->text, 0)
                                          : attn_input_new_ids (text->ids, text->n_ids, 0);
  input->target_ids = g_memdup2 (text->target, text->n_target * sizeof *text->target);
  input->n_target_ids = text->n_target;
  g_ptr_array_add (opened->inputs, input);
  opened->attention = attn_survey_data_dup_attention (result->survey);
  if (text->text != NULL)
    opened->adds_special_tokens = text->adds_special_tokens;
  memset (opened->components, 0, sizeof opened->components);
  AttnSurveyChoice choice = attn_survey_figure_get_choice (result->study, result->survey);
  set_condition (opened, result->survey, &choice);
  opened->layer = (int) result->layer;
  opened->head = result->head;
  return opened;
}
