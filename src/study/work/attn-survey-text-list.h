/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Texts of a survey in which the head on display has its largest, smallest or other values. */

#pragma once

#include "attn-model-reference.h"
#include "attn-tally.h"

G_BEGIN_DECLS

/**
 * AttnSurveyText:
 * @found: number of the text in the survey, and where its value lies in the range
 * @label: (nullable): the text's tokens in words; %NULL if the text could not be read
 * @ids: (array length=n_ids): its tokens
 * @text: (nullable): a text that the tokenizer turns into the same tokens; %NULL if there is none
 * @file: (nullable): path of the picture or sound, if the text is one
 * @is_sound: whether @file is a sound
 * @target: (nullable) (array length=n_target): ids that a decoder reads, as the file of texts has
 *   them
 * @adds_special_tokens: whether the tokenizer must add its special tokens to @text to give these
 *   tokens
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
 * @model: the model with which the texts are opened
 * @message: (nullable): the error, if the texts could not be read
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
