/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-survey-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "attn-continuation.h"
#include "attn-error.h"
#include "attn-sampling.h"
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

/* The most tokens that a text of @n_ids may have with its answer of at most @n_answer: the last of
 * that takes no row. */
static gsize
count_most (const AttnSurvey *survey,
            gsize             n_ids,
            gsize             n_answer)
{
  gsize n_positions = attn_model_get_info (survey->spec->model)->n_positions;

  return n_ids + MIN (n_answer - 1, n_positions - n_ids);
}

/* The most probable token that the checkpoint lets be said. @open: (nullable): [V], to work in */
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

/* The most probable token each time, in the calling thread alone: with the number of threads the
 * products would be cut in other ways. @answer: (out): [n_answer]; *n_said: how many there are, the
 * end included */
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
  gsize n_most = count_most (survey, n_ids, n_answer);
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

/* The model with a picture, which must have as many tokens as the first. */
static AttnModel *
bind_picture (const AttnSurvey  *survey,
              const AttnSample  *sample,
              GArray           **ids,
              GError           **error)
{
  const AttnSurveySpec *spec = survey->spec;
  g_autoptr (AttnModel) bound = spec->texts.bind_picture (spec->model, sample->picture, error);

  if (bound == NULL)
    return NULL;
  gsize n = attn_model_get_info (bound)->n_positions;
  if (n != sample->n_ids)
    {
      g_autofree char *where = g_filename_display_name (sample->picture);

      return attn_fail_null (error, ATTN_ERROR_SHAPE,
                             _("%s: a picture of %zu tokens found, expected %zu, as the first of "
                               "the folder has"),
                             where, n, sample->n_ids);
    }
  *ids = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_array_append_vals (*ids, sample->ids, (guint) n);
  return g_steal_pointer (&bound);
}

/**
 * attn_survey_bind_text:
 * @sample: a text or a picture
 * @ids: (out) (transfer full) (element-type guint32): of a decoder, its target, or its start token
 *   and what it says, up to the length of the texts; else the text's
 * @cancellable: (nullable)
 * @error: return location for errors of [func@attn_continuation_new]
 *
 * Returns: (transfer full) (nullable): the model that runs over them: a decoder with the text as
 *   its source, one of pictures with its picture, or the survey's own
 */
AttnModel *
attn_survey_bind_text (const AttnSurvey  *survey,
                       const AttnSample  *sample,
                       GArray           **ids,
                       GCancellable      *cancellable,
                       GError           **error)
{
  AttnModel *model = survey->spec->model;
  const AttnModelInfo *info = attn_model_get_info (model);
  gsize n_most = MIN (survey->spec->texts.length, info->n_positions) - 1;
  g_autoptr (GArray) own = g_array_new (FALSE, FALSE, sizeof (guint32));
  guint32 start = (guint32) info->start_token;

  if (sample->picture != NULL)
    return bind_picture (survey, sample, ids, error);
  if (!info->needs_source)
    {
      g_array_append_vals (own, sample->ids, (guint) sample->n_ids);
      *ids = g_steal_pointer (&own);
      return attn_model_ref (model);
    }

  g_autoptr (AttnTokens) source = attn_tokens_new_from_ids (sample->ids, sample->n_ids, NULL);
  g_autoptr (AttnModel) bound = attn_model_bind (model, source);
  g_autofree guint64 *said = g_new (guint64, MAX (n_most, 1));
  gsize n_said = 0;

  if (sample->target != NULL)
    {
      g_array_append_vals (own, sample->target, (guint) MIN (sample->n_target, n_most + 1));
      *ids = g_steal_pointer (&own);
      return g_steal_pointer (&bound);
    }
  g_array_append_val (own, start);
  if (n_most > 0 && !answer_text (survey, bound, &start, 1, n_most, NULL, said, &n_said,
                                  cancellable, error))
    return NULL;
  for (gsize i = 0; i < n_said && !is_end (survey, (guint32) said[i]); i++)
    {
      guint32 id = (guint32) said[i];

      g_array_append_val (own, id);
    }
  *ids = g_steal_pointer (&own);
  return g_steal_pointer (&bound);
}

/* The first token that is another one, an answer that ends before included; @n for none. */
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
 * @answers: (inout): [conditions, n_answer]: %ATTN_SURVEY_NO_TOKEN to begin with
 * @changes: (out): [conditions]: %ATTN_STATISTIC_ANSWER; NaN where the text is too short for what
 *   is done
 * @positions: (out): [conditions]: %ATTN_STATISTIC_ANSWER_POSITION, NaN where nothing has changed
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
  g_autoptr (AttnModel) model = attn_survey_bind_text (survey, sample, &ids, cancellable, error);
  gsize n_said;

  if (model == NULL)
    return FALSE;
  /* A decoder answers behind its start token. */
  const guint32 *given = (const guint32 *) (gpointer) ids->data;
  gsize n_given = attn_model_get_info (model)->needs_source ? 1 : ids->len;
  for (guint i = 0; i < survey->spec->conditions->len; i++)
    {
      const AttnCondition *condition = survey->spec->conditions->pdata[i];
      guint64 *answer = answers + i * n;

      changes[i] = positions[i] = NAN;
      if (!attn_interventions_check_growing (condition->interventions, model, n_given,
                                             count_most (survey, n_given, n), NULL))
        continue;
      if (!answer_text (survey, model, given, n_given, n, condition->interventions, answer,
                        &n_said, cancellable, error))
        return FALSE;
      gsize first = find_difference (answers, answer, n);
      changes[i] = first < n ? 1.0 : 0.0;
      if (first < n)
        positions[i] = (double) first;
    }
  return TRUE;
}
