/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-survey-private.h"

#include <math.h>

#include "attn-continuation.h"
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

/* The most tokens that a text may have with its answer: the last of that takes no row. */
static gsize
count_most (const AttnSurvey *survey,
            const AttnSample *sample)
{
  gsize n_positions = attn_model_get_info (survey->spec->model)->n_positions;

  return sample->n_ids + MIN (survey->shape->n_answer - 1, n_positions - sample->n_ids);
}

/* The most probable token each time, in the calling thread alone: with the number of threads the
 * products would be cut in other ways. @answer: [n_answer] */
static gboolean
answer_text (const AttnSurvey  *survey,
             const AttnSample  *sample,
             GPtrArray         *interventions,
             guint64           *answer,
             GCancellable      *cancellable,
             GError           **error)
{
  static const AttnSampling greedy = { .top_p = 1.0 };
  AttnModel *model = survey->spec->model;
  const AttnModelInfo *info = attn_model_get_info (model);
  gsize n_most = count_most (survey, sample);
  g_autoptr (AttnContinuation) continuation =
      attn_continuation_new (model, sample->ids, sample->n_ids, n_most, interventions, 1, NULL,
                             cancellable, error);

  if (continuation == NULL)
    return FALSE;
  for (gsize i = 0;; i++)
    {
      guint32 id = attn_sampling_choose (&greedy, attn_continuation_get_logits (continuation),
                                         info->vocabulary_size, i);

      answer[i] = id;
      if (is_end (survey, id) || sample->n_ids + i == n_most ||
          i + 1 == survey->shape->n_answer)
        return TRUE;
      if (!attn_continuation_append (continuation, id, cancellable, error))
        return FALSE;
    }
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

  for (guint i = 0; i < survey->spec->conditions->len; i++)
    {
      const AttnCondition *condition = survey->spec->conditions->pdata[i];
      guint64 *answer = answers + i * n;

      changes[i] = positions[i] = NAN;
      if (!attn_interventions_check_growing (condition->interventions, survey->spec->model,
                                             sample->n_ids, count_most (survey, sample), NULL))
        continue;
      if (!answer_text (survey, sample, condition->interventions, answer, cancellable, error))
        return FALSE;
      gsize first = find_difference (answers, answer, n);
      changes[i] = first < n ? 1.0 : 0.0;
      if (first < n)
        positions[i] = (double) first;
    }
  return TRUE;
}
