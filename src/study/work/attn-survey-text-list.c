/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-survey-text-list.h"

AttnSurveyTexts *
attn_survey_texts_ref (AttnSurveyTexts *texts)
{
  return g_atomic_rc_box_acquire (texts);
}

static void
clear_texts (gpointer data)
{
  AttnSurveyTexts *texts = data;

  for (gsize i = 0; i < texts->n_texts; i++)
    {
      g_free (texts->texts[i].label);
      g_free (texts->texts[i].ids);
      g_free (texts->texts[i].text);
      g_free (texts->texts[i].file);
      g_free (texts->texts[i].target);
    }
  attn_model_reference_clear (&texts->model);
  g_free (texts->message);
}

void
attn_survey_texts_unref (AttnSurveyTexts *texts)
{
  if (texts != NULL)
    g_atomic_rc_box_release_full (texts, clear_texts);
}
