/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Adjusts other settings of a study after one setting has changed, for the window and the command
 * line. */

#include "config.h"

#include <string.h>

#include "attn-study-private.h"

/**
 * attn_study_fit_quantity:
 *
 * Gives the colours of @study the range of the quantity that it shows: 0 to 1 for weights and
 * rollout, red above and blue below 0 for logits and cosines, else that of the data. Masked
 * scores have a colour of their own, since 0 is a score like others.
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
 * Gives the colours of @study the range of its measure: 0 to 1 for shares of weight, red above and
 * blue below 0 for a change of the loss, else that of the data. An effect has the operation that it
 * is named after; the factor of arXiv 2410.13708 where there is none.
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
 * Gives the colours of @study the range of its state: red above and blue below 0 for a cosine, else
 * that of the data.
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
 * The operation of @study does nothing any more; further operations stay.
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
 * Leaves out what was about panels that are others now: regions, differences, the part of each that
 * is shown.
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
 * Leaves out the token and the one that it is compared with where they came with the preset of a
 * map of patches: they answer its inputs. Those that were chosen stay.
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
