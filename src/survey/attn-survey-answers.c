/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-survey-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "attn-continuation.h"
#include "attn-error.h"
#include "attn-sampling.h"
#include "attn-sound-prompt.h"
#include "attn-survey-chunk.h"

static gboolean
is_end (const AttnSurvey *survey,
        guint32           id)
{
  for (guint i = 0; i < survey->ends->len; i++)
    if (g_array_index (survey->ends, guint32, i) == id)
      return TRUE;
  return FALSE;
}

/* Returns the largest number of tokens that the model reads for a text of @n_ids tokens and its
 * answer. The model does not read the last token of the answer, and its positions are limited. */
static gsize
count_most (const AttnModel *model,
            gsize            n_ids,
            gsize            n_answer)
{
  gsize n_positions = attn_model_get_info (model)->n_positions;

  return n_ids + MIN (n_answer - 1, n_positions - n_ids);
}

/* Returns the most probable token that the generation rules of the checkpoint allow. @open:
 * (nullable): [V], buffer for the logits that are left by the rules; %NULL to apply none */
static guint32
choose (const AttnSurvey *survey,
        const float      *logits,
        gsize             n_before,
        gsize             number,
        float            *open)
{
  static const AttnSampling greedy = { .top_p = 1.0 };
  gsize n = attn_model_get_info (survey->spec->model)->vocabulary_size;

  if (open != NULL)
    {
      memcpy (open, logits, n * sizeof *open);
      attn_answer_rules_apply (survey->rules, n_before, number, G_MAXSIZE, open, n);
    }
  return attn_sampling_choose (&greedy, open != NULL ? open : logits, n, number);
}

/* Generates an answer greedily. Runs in the calling thread only, as the rounding would otherwise
 * depend on the number of threads. @answer: (out): [n_answer], token ids; *n_said: (out): number of
 * tokens of the answer, including the end token */
static gboolean
answer_text (const AttnSurvey  *survey,
             AttnModel         *model,
             const guint32     *ids,
             gsize              n_ids,
             gsize              n_answer,
             GPtrArray         *interventions,
             guint64           *answer,
             gsize             *n_said,
             GCancellable      *cancellable,
             GError           **error)
{
  gsize n_most = count_most (model, n_ids, n_answer);
  g_autofree float *open =
      survey->rules != NULL && attn_answer_rules_say (survey->rules)
          ? g_new (float, attn_model_get_info (model)->vocabulary_size)
          : NULL;
  g_autoptr (AttnContinuation) continuation = attn_continuation_new (
      model, ids, n_ids, n_most, interventions, 1, NULL, cancellable, error);

  if (continuation == NULL)
    return FALSE;
  for (gsize i = 0;; i++)
    {
      guint32 id = choose (survey, attn_continuation_get_logits (continuation), n_ids, i, open);

      answer[i] = id;
      *n_said = i + 1;
      if (is_end (survey, id) || n_ids + i == n_most || i + 1 == n_answer)
        return TRUE;
      if (!attn_continuation_append (continuation, id, cancellable, error))
        return FALSE;
    }
}

/* Binds the model to a picture or sound. A picture must give as many tokens as the first picture of
 * its folder, since all share one size of results. */
static AttnModel *
bind_file (const AttnSurvey  *survey,
           const AttnSample  *sample,
           GError           **error)
{
  const AttnSurveySpec *spec = survey->spec;
  g_autoptr (AttnModel) bound = spec->texts.bind_file (spec->model, sample->file, error);

  if (bound == NULL || spec->texts.has_sounds)
    return g_steal_pointer (&bound);
  gsize n = attn_model_get_info (bound)->n_positions;
  if (n != sample->n_ids)
    {
      g_autofree char *where = g_filename_display_name (sample->file);

      return attn_fail_null (error, ATTN_ERROR_SHAPE,
                             _("%s: a picture of %zu tokens found, expected %zu, as the first of "
                               "the folder has"),
                             where, n, sample->n_ids);
    }
  return g_steal_pointer (&bound);
}

/**
 * attn_survey_say:
 * @speaker: a decoder that is bound to its source, such as the output of the encoder
 * @sample: the text, sound or picture, with or without a target for the decoder
 * @n_given: (out) (optional): how many of the tokens stand before those that the decoder generates
 * @cancellable: (nullable)
 * @error: return location for errors of [func@attn_sound_prompt_extend] and of
 *   [func@attn_continuation_new]
 *
 * Finds the tokens that the decoder reads: the target of @sample; or without a target the start
 * token, for sounds the prompt of the checkpoint (such as language and task), and the generated
 * answer.
 *
 * Returns: (transfer full) (nullable) (element-type guint32): the token ids, at most as many as a
 *   text of the survey has
 */
GArray *
attn_survey_say (const AttnSurvey  *survey,
                 AttnModel         *speaker,
                 const AttnSample  *sample,
                 gsize             *n_given,
                 GCancellable      *cancellable,
                 GError           **error)
{
  const AttnModelInfo *info = attn_model_get_info (speaker);
  gsize n_most = MIN (survey->spec->texts.length, info->n_positions);
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autofree guint64 *said = g_new (guint64, n_most);
  guint32 start = (guint32) info->start_token;
  gsize n_said = 0;

  if (sample->target != NULL)
    {
      g_array_append_vals (ids, sample->target, (guint) MIN (sample->n_target, n_most));
      if (n_given != NULL)
        *n_given = 1;
      return g_steal_pointer (&ids);
    }
  g_array_append_val (ids, start);
  if (info->needs_sound && !attn_sound_prompt_extend (speaker, NULL, ids, cancellable,
                                                      error))
    return NULL;
  g_array_set_size (ids, (guint) MIN (ids->len, n_most));
  gsize n = ids->len;
  g_autofree guint32 *given = g_memdup2 (ids->data, n * sizeof *given);
  if (n_given != NULL)
    *n_given = n;
  if (n_most > n && !answer_text (survey, speaker, given, n, n_most - n, NULL, said, &n_said,
                                  cancellable, error))
    return NULL;
  for (gsize i = 0; i < n_said && !is_end (survey, (guint32) said[i]); i++)
    {
      guint32 id = (guint32) said[i];

      g_array_append_val (ids, id);
    }
  return g_steal_pointer (&ids);
}

/**
 * attn_survey_bind_text:
 * @sample: a text, a picture or a sound
 * @ids: (out) (transfer full) (element-type guint32): token ids that the model runs over: for a
 *   decoder those of [func@attn_survey_say]; else those of the text
 * @n_given: (out) (optional): how many of @ids stand before those that a decoder generates; without
 *   a decoder all of them
 * @cancellable: (nullable)
 * @error: return location for errors of [func@attn_survey_say]
 *
 * Returns: (transfer full) (nullable): the model that runs over @ids: a decoder bound to the text
 *   as its source, a model of pictures or sounds bound to the file of @sample, or the survey's
 *   model
 */
AttnModel *
attn_survey_bind_text (const AttnSurvey  *survey,
                       const AttnSample  *sample,
                       GArray           **ids,
                       gsize             *n_given,
                       GCancellable      *cancellable,
                       GError           **error)
{
  AttnModel *model = survey->spec->model;
  g_autoptr (AttnModel) bound = NULL;

  if (sample->file != NULL && (bound = bind_file (survey, sample, error)) == NULL)
    return NULL;
  if (!attn_model_get_info (model)->needs_source)
    {
      *ids = g_array_new (FALSE, FALSE, sizeof (guint32));
      g_array_append_vals (*ids, sample->ids, (guint) sample->n_ids);
      if (n_given != NULL)
        *n_given = sample->n_ids;
      return bound != NULL ? g_steal_pointer (&bound) : attn_model_ref (model);
    }
  if (bound == NULL)
    {
      g_autoptr (AttnTokens) source = attn_tokens_new_from_ids (sample->ids, sample->n_ids, NULL);

      bound = attn_model_bind (model, source);
    }
  *ids = attn_survey_say (survey, bound, sample, n_given, cancellable, error);
  return *ids != NULL ? g_steal_pointer (&bound) : NULL;
}

/**
 * attn_survey_bind_speaker:
 * @model: an encoder, from [func@attn_survey_bind_text]
 * @sample: the text that the encoder reads
 * @interventions: (nullable) (element-type AttnIntervention): interventions on the encoder
 * @cancellable: (nullable)
 * @error: return location for errors of [func@attn_model_bind_decoder]
 *
 * Returns: (transfer full) (nullable): the encoder's decoder, bound to the output of the encoder
 */
AttnModel *
attn_survey_bind_speaker (AttnModel         *model,
                          const AttnSample  *sample,
                          GPtrArray         *interventions,
                          GCancellable      *cancellable,
                          GError           **error)
{
  g_autoptr (AttnTokens) source = attn_tokens_new_from_ids (sample->ids, sample->n_ids, NULL);

  return attn_model_bind_decoder (model, source, interventions, cancellable, error);
}

/* Finds the index of the first token in which two answers differ, or @n if none does. If one answer
 * ends before the other, that counts as a difference. */
static gsize
find_difference (const guint64 *a,
                 const guint64 *b,
                 gsize          n)
{
  gsize i = 0;

  while (i < n && a[i] == b[i])
    i++;
  return i;
}

/**
 * attn_survey_answers_compute:
 * @sample: a text
 * @answers: (inout): [conditions, n_answer]: token ids; the caller fills it with
 *   %ATTN_SURVEY_NO_TOKEN, which stays behind the end of an answer
 * @changes: (out): [conditions]: %ATTN_STATISTIC_ANSWER; NaN where the text is too short for the
 *   condition's interventions
 * @positions: (out): [conditions]: %ATTN_STATISTIC_ANSWER_POSITION; NaN where the answer is the
 *   baseline's
 * @cancellable: (nullable)
 * @error: return location for errors of [func@attn_continuation_new]
 *
 * Computes the greedy answer to a text under each condition, in the calling thread alone.
 */
gboolean
attn_survey_answers_compute (const AttnSurvey  *survey,
                             const AttnSample  *sample,
                             guint64           *answers,
                             double            *changes,
                             double            *positions,
                             GCancellable      *cancellable,
                             GError           **error)
{
  gsize n = survey->shape->n_answer;
  g_autoptr (GArray) ids = NULL;
  gsize n_given;
  gsize n_said;
  g_autoptr (AttnModel) model =
      attn_survey_bind_text (survey, sample, &ids, &n_given, cancellable, error);
  gboolean has_speaker = model != NULL && attn_model_has_decoder (model);
  g_autoptr (AttnModel) speaker = NULL;

  if (model == NULL)
    return FALSE;
  if (has_speaker)
    {
      speaker = attn_survey_bind_speaker (model, sample, NULL, cancellable, error);
      g_clear_pointer (&ids, g_array_unref);
      ids = speaker != NULL ? attn_survey_say (survey, speaker, sample, &n_given, cancellable,
                                               error)
                            : NULL;
      if (ids == NULL)
        return FALSE;
    }
  const guint32 *given = (const guint32 *) (gpointer) ids->data;
  gsize n_own = has_speaker ? sample->n_ids : n_given;
  for (guint i = 0; i < survey->spec->conditions->len; i++)
    {
      const AttnCondition *condition = survey->spec->conditions->pdata[i];
      g_autoptr (AttnModel) changed = NULL;
      guint64 *answer = answers + i * n;

      changes[i] = positions[i] = NAN;
      if (!attn_interventions_check_growing (
              condition->interventions, model, n_own,
              has_speaker ? n_own : count_most (model, n_given, n), NULL))
        continue;
      if (has_speaker &&
          (changed = attn_survey_bind_speaker (model, sample, condition->interventions,
                                               cancellable, error)) == NULL)
        return FALSE;
      if (!answer_text (survey, has_speaker ? changed : model, given, n_given, n,
                        has_speaker ? NULL : condition->interventions, answer, &n_said,
                        cancellable, error))
        return FALSE;
      gsize first = find_difference (answers, answer, n);
      changes[i] = first < n ? 1.0 : 0.0;
      if (first < n)
        positions[i] = (double) first;
    }
  return TRUE;
}
