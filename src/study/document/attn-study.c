/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-study-private.h"

#include <string.h>

/**
 * attn_study_new:
 *
 * Returns: (transfer full): a study of one panel without an intervention: the head of the shipped
 *   model with the strongest sink. It has no input yet.
 */
AttnStudy *
attn_study_new (void)
{
  const AttnRecord *record = attn_study_get_record ();
  AttnStudy *study = g_atomic_rc_box_dup (record->size, (gpointer) record->usual);

  attn_record_init (record, study);
  return study;
}

/**
 * attn_study_copy:
 *
 * Returns: (transfer full): a copy to change, which shares nothing that can be changed
 */
AttnStudy *
attn_study_copy (const AttnStudy *study)
{
  const AttnRecord *record = attn_study_get_record ();
  AttnStudy *copy = g_atomic_rc_box_dup (record->size, (AttnStudy *) study);

  attn_record_own (record, copy);
  return copy;
}

/**
 * attn_study_ref:
 *
 * From any thread.
 *
 * Returns: (transfer full): @study, which must not be changed any more
 */
const AttnStudy *
attn_study_ref (const AttnStudy *study)
{
  return g_atomic_rc_box_acquire ((AttnStudy *) study);
}

static void
clear (gpointer study)
{
  attn_record_clear (attn_study_get_record (), study);
}

void
attn_study_unref (const AttnStudy *study)
{
  if (study != NULL)
    g_atomic_rc_box_release_full ((AttnStudy *) study, clear);
}

/**
 * attn_study_equal:
 *
 * Returns: whether both say the same in every member
 */
gboolean
attn_study_equal (const AttnStudy *a,
                  const AttnStudy *b)
{
  return a == b || attn_record_equal (attn_study_get_record (), a, b);
}

/**
 * attn_study_has_panels_of:
 *
 * Returns: whether @a and @b show the same panels: whatever they differ in is a matter of drawing
 */
gboolean
attn_study_has_panels_of (const AttnStudy *a,
                          const AttnStudy *b)
{
  const AttnRecord *record = attn_study_get_record ();

  for (gsize i = 0; i < record->n_fields; i++)
    if (record->fields[i].effect == ATTN_EFFECT_COMPUTE &&
        !attn_field_equal (&record->fields[i], a, b))
      return FALSE;
  return TRUE;
}

/**
 * attn_study_get_model:
 * @index: 0 for the first model, from 1 on for the others
 *
 * Returns: (transfer none): where it is, to be changed only in a study that was not given away
 */
AttnModelReference *
attn_study_get_model (const AttnStudy *study,
                      guint            index)
{
  return index > 0 ? g_ptr_array_index (study->other_models, index - 1)
                   : (AttnModelReference *) &study->model;
}

/**
 * attn_study_fit_quantity:
 *
 * Gives the colours of @study the range of the quantity that it shows: 0 to 1 for weights and
 * rollout, red above and blue below 0 for logits, else that of the data. Masked
 * scores have a colour of their own, since 0 is a score like others.
 */
void
attn_study_fit_quantity (AttnStudy *study)
{
  AttnStyle *style = &study->style;
  const AttnStyle usual = attn_style_default ();
  gboolean is_score = study->quantity == ATTN_MAP_SCORES;
  gboolean is_share =
      study->quantity == ATTN_MAP_WEIGHTS || study->quantity == ATTN_MAP_ROLLOUT;

  if (is_score)
    style->has_masked_color = TRUE;
  if (study->quantity == ATTN_MAP_LOGIT)
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
 * blue below 0 for a change of the loss, else that of the data.
 */
void
attn_study_fit_measure (AttnStudy *study)
{
  AttnStyle *style = &study->style;
  const AttnStyle usual = attn_style_default ();
  AttnHeadMeasure measure = study->measure;

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
 * attn_study_set_texts:
 * @path: (type filename): of many texts
 *
 * A survey of @study is of these texts from now on, not of random tokens.
 */
void
attn_study_set_texts (AttnStudy  *study,
                      const char *path)
{
  const AttnStudy *usual = attn_study_get_record ()->usual;

  if (study->survey.texts == NULL && study->survey.n_random > 0)
    study->survey.length = usual->survey.length;
  g_free (study->survey.texts);
  study->survey.texts = g_strdup (path);
  study->survey.n_random = 0;
}

/**
 * attn_study_get_framing:
 *
 * Returns: what stands around each text
 */
AttnFraming
attn_study_get_framing (const AttnStudy *study)
{
  return study->applies_chat          ? ATTN_FRAMING_CHAT
         : study->adds_special_tokens ? ATTN_FRAMING_SPECIAL
                                      : ATTN_FRAMING_NONE;
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
 * attn_study_list_patches:
 *
 * Returns: (transfer container) (element-type gsize): where @study says which inputs are patched
 *   from, its own operation first; to be changed only in a study that was not given away
 */
GPtrArray *
attn_study_list_patches (const AttnStudy *study)
{
  GPtrArray *inputs = g_ptr_array_new ();

  if (study->operation == ATTN_OPERATION_PATCH)
    g_ptr_array_add (inputs, (gpointer) &study->patch_input);
  for (guint i = 0; i < study->extra_interventions->len; i++)
    {
      AttnIntervention *patch = g_ptr_array_index (study->extra_interventions, i);

      if (patch->operation == ATTN_OPERATION_PATCH)
        g_ptr_array_add (inputs, &patch->input);
    }
  return inputs;
}
