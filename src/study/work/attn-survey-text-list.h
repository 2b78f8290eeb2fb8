/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Some texts of a survey. */

#pragma once

#include "attn-model-reference.h"
#include "attn-tally.h"

G_BEGIN_DECLS

/**
 * AttnSurveyText:
 * @found: which text it is, and why it is there
 * @label: (nullable): its tokens; %NULL where the text could not be read
 * @ids: (array length=n_ids): its tokens
 * @text: (nullable): what gives these tokens again; %NULL where nothing does
 * @file: (nullable): the path of the picture or the sound that it is
 * @is_sound: whether it is a sound
 * @target: (nullable) (array length=n_target): what the file says that a decoder reads
 * @adds_special_tokens: whether the tokenizer has to add its own to @text for that
 */
typedef struct
{
  AttnTallyText found;
  char *label;
  guint32 *ids;
  gsize n_ids;
  char *text;
  char *file;
  gboolean is_sound;
  guint32 *target;
  gsize n_target;
  gboolean adds_special_tokens;
} AttnSurveyText;

/**
 * AttnSurveyTexts:
 * @texts: (array length=n_texts): the texts of the head on display: at the top, at the bottom and
 *   in each tenth of the range
 * @model: what they are opened with
 * @message: (nullable): why they could not be read
 *
 * Immutable, in an atomically reference-counted box.
 */
typedef struct
{
  AttnSurveyText texts[ATTN_TALLY_TEXTS];
  gsize n_texts;
  AttnModelReference model;
  char *message;
} AttnSurveyTexts;

AttnSurveyTexts *attn_survey_texts_ref   (AttnSurveyTexts *texts);
void             attn_survey_texts_unref (AttnSurveyTexts *texts);

G_END_DECLS
