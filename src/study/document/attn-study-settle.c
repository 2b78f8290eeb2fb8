/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Adjusts other settings of a study after one setting has changed, for the window and the command
 * line. */

#include "config.h"

#include <string.h>

#include "attn-study-private.h"

/**
 * attn_study_fit_quantity:
 *
 * Sets the range of the colour bar for the quantity that @study shows: 0 to 1 for weights and
 * rollout, red above and blue below 0 for logits and cosines, else that of the values. Masked
 * scores get a colour of their own, since 0 is a valid score.
 */
void
attn_study_fit_quantity (AttnStudy *study)
{
  AttnStyle *style = &study->style;
  const AttnStyle usual = attn_style_default ();
  gboolean is_score = study->quantity == ATTN_MAP_SCORES || study->quantity == ATTN_MAP_COSINE ||
                      study->quantity == ATTN_MAP_NORMS;
  gboolean is_share =
      study->quantity == ATTN_MAP_WEIGHTS || study->quantity == ATTN_MAP_ROLLOUT;

  if (is_score)
    style->has_masked_color = TRUE;
  if (study->quantity == ATTN_MAP_LOGIT || study->quantity == ATTN_MAP_COSINE)
    {
      *style = attn_style_get_difference (style);
      return;
    }
  if (style->scale == ATTN_SCALE_SYMMETRIC)
    {
      style->scale = usual.scale;
      style->colormap = usual.colormap;
      style->is_reversed = usual.is_reversed;
    }
  style->range = is_share ? ATTN_RANGE_AUTOMATIC : ATTN_RANGE_DATA;
}

/**
 * attn_study_fit_measure:
 *
 * Sets the range of the colour bar for the measure of @study: 0 to 1 for shares of weight, red
 * above and blue below 0 for a change of the loss, else that of the values. A measure of an effect
 * also sets the operation that it is named after; a scale without a factor gets that of arXiv
 * 2410.13708.
 */
void
attn_study_fit_measure (AttnStudy *study)
{
  AttnStyle *style = &study->style;
  const AttnStyle usual = attn_style_default ();
  AttnHeadMeasure measure = study->measure;
  const double factor = 1e-5;
  AttnOperation operation;

  if (attn_study_measures_effect (study, &operation))
    study->operation = operation;
  if (measure == ATTN_HEAD_MEASURE_EFFECT_SCALE && study->epsilons->len == 0)
    g_array_append_val (study->epsilons, factor);
  if (measure == ATTN_HEAD_MEASURE_LOSS_ZERO || measure == ATTN_HEAD_MEASURE_LOSS_MEAN)
    {
      *style = attn_style_get_difference (style);
      return;
    }
  if (style->scale == ATTN_SCALE_SYMMETRIC)
    {
      style->scale = usual.scale;
      style->colormap = usual.colormap;
      style->is_reversed = usual.is_reversed;
    }
  style->range = measure == ATTN_HEAD_MEASURE_SINK || measure == ATTN_HEAD_MEASURE_PREVIOUS ||
                         measure == ATTN_HEAD_MEASURE_DUPLICATE ||
                         measure == ATTN_HEAD_MEASURE_INDUCTION ||
                         measure == ATTN_HEAD_MEASURE_CHANGE
                     ? ATTN_RANGE_AUTOMATIC
                     : ATTN_RANGE_DATA;
}

/**
 * attn_study_fit_state:
 *
 * Sets the range of the colour bar for the state that @study shows: red above and blue below 0 for
 * a cosine, else that of the values.
 */
void
attn_study_fit_state (AttnStudy *study)
{
  AttnStyle *style = &study->style;
  const AttnStyle usual = attn_style_default ();

  if (study->state == ATTN_STATE_COSINE)
    {
      *style = attn_style_get_difference (style);
      return;
    }
  if (style->scale == ATTN_SCALE_SYMMETRIC)
    {
      style->scale = usual.scale;
      style->colormap = usual.colormap;
      style->is_reversed = usual.is_reversed;
    }
  style->range = ATTN_RANGE_DATA;
}

/**
 * attn_study_end_operation:
 *
 * Ends the operation of @study, so that it acts on nothing; extra interventions stay.
 */
void
attn_study_end_operation (AttnStudy *study)
{
  memset (study->components, 0, sizeof study->components);
  if (study->operation == ATTN_OPERATION_CUT)
    study->operation = ATTN_OPERATION_MEAN;
}

/**
 * attn_study_forget_panels:
 *
 * Removes settings of single panels after the panels have changed: regions, the choice of panels
 * that are shown as differences, and the displayed part of each panel.
 */
void
attn_study_forget_panels (AttnStudy *study)
{
  g_ptr_array_set_size (study->regions, 0);
  g_clear_pointer (&study->differences, attn_index_set_unref);
  g_clear_pointer (&study->views, g_array_unref);
}

/**
 * attn_study_forget_answers:
 *
 * Removes the token and the one that it is compared with if they came with the preset of a patch
 * map, as they are answers to the inputs of the preset. Tokens that the user chose stay.
 */
void
attn_study_forget_answers (AttnStudy *study)
{
  const AttnStudy *origin = attn_presets_get_origin (study);

  if (origin == NULL || !attn_study_get_traits (study)->has_patched)
    return;
  if (g_strcmp0 (study->token, origin->token) == 0)
    g_clear_pointer (&study->token, g_free);
  if (g_strcmp0 (study->versus, origin->versus) == 0)
    g_clear_pointer (&study->versus, g_free);
}
