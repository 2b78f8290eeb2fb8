/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-edits.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "attn-cell.h"
#include "attn-error.h"
#include "attn-head-groups.h"
#include "attn-input-bind.h"
#include "attn-probe-file.h"
#include "attn-study-table.h"
#include "attn-survey-settle.h"
#include "attn-workspace.h"

/* Number of token ids that replace a text (stand in for it) if the model has no tokenizer. */
#define N_STAND_INS 15

/* Adjusts the numbers of the inputs that patches take from after an input was removed or moved, and
 * removes patches that take from a removed input. @from: old index of the input, or -1; @to: new
 * index, or -1 */
static void
follow_inputs (AttnStudy *study,
               int        from,
               int        to)
{
  GPtrArray *interventions = study->extra_interventions;

  for (guint i = interventions->len; i-- > 0 && to < 0;)
    {
      const AttnIntervention *patch = g_ptr_array_index (interventions, i);

      if (patch->operation == ATTN_OPERATION_PATCH && (int) patch->input == from)
        g_ptr_array_remove_index (interventions, i);
    }
  g_autoptr (GPtrArray) patches = attn_study_list_patches (study);
  for (guint i = 0; i < patches->len; i++)
    {
      gsize *patched = g_ptr_array_index (patches, i);
      int input = (int) *patched;

      if (input == from && to >= 0)
        input = to;
      else
        {
          input -= from >= 0 && input > from;
          input += to >= 0 && input >= to;
        }
      /* If the input from which the study's own patch takes values was removed, the patch takes
       * them from the next input. */
      *patched = MIN ((gsize) input, study->inputs->len - 1);
    }
}

/**
 * attn_edits_move_input:
 * @from: index of the input
 * @to: its new index; a number beyond the last index means the last one
 *
 * Moves an input. The inputs between both indices move up or down by one, and patches still take
 * from the same inputs.
 */
void
attn_edits_move_input (AttnStudy *study,
                       guint      from,
                       guint      to)
{
  g_return_if_fail (from < study->inputs->len);

  gpointer input = g_ptr_array_steal_index (study->inputs, from);
  g_ptr_array_insert (study->inputs, MIN (to, study->inputs->len), input);
  follow_inputs (study, (int) from, (int) MIN (to, study->inputs->len - 1));
}

/**
 * attn_edits_remove_input:
 *
 * Removes an input and the interventions that patch from it.
 */
void
attn_edits_remove_input (AttnStudy *study,
                         guint      index)
{
  g_ptr_array_remove_index (study->inputs, index);
  follow_inputs (study, (int) index, -1);
}

/**
 * attn_edits_duplicate_input:
 *
 * Inserts a copy of the input at @index right behind it.
 */
void
attn_edits_duplicate_input (AttnStudy *study,
                            guint      index)
{
  g_return_if_fail (index < study->inputs->len);

  g_ptr_array_insert (study->inputs, index + 1,
                      attn_input_copy (g_ptr_array_index (study->inputs, index)));
  follow_inputs (study, -1, (int) index + 1);
}

/**
 * attn_edits_find_groups:
 *
 * Sets the rule by which the groups of tokens of each head are found: in the unchanged attention of
 * the model, by the default share of the weight. Groups that were assigned by hand stay in the
 * study, for the case that the user returns to them.
 */
void
attn_edits_find_groups (AttnStudy *study)
{
  study->groups.rule = ATTN_GROUP_RULE_SHARE;
  study->groups.level = ATTN_GROUP_DEFAULT_SHARE;
  study->groups.has_mask = FALSE;
  study->groups.mask = ATTN_MASK_NONE;
}

/* Tells whether the study has the groups of tokens that its preset @origin assigns. */
static gboolean
has_groups_of (const AttnStudy *study,
               const AttnStudy *origin)
{
  return study->groups.rule == ATTN_GROUP_RULE_ASSIGNED && study->groups.assigned->len > 0 &&
         attn_field_equal (attn_study_find_field ("groups.heads"), study, origin);
}

/**
 * attn_edits_fit_groups:
 * @is_recorded: whether the model is a recording, whose tokens do not come from the input's text
 *
 * Replaces groups that do not fit the first input: those of a preset consist of words of the
 * preset's input. If the study's input lacks these words, groups are found in the attention
 * instead. Groups that were assigned by hand stay as they are.
 */
void
attn_edits_fit_groups (AttnStudy *study,
                       gboolean   is_recorded)
{
  if (!attn_study_get_traits (study)->has_groups || study->preset == NULL ||
      study->inputs->len == 0)
    return;

  g_autoptr (AttnStudy) origin = attn_presets_load (study->preset, NULL);
  const AttnInput *input = g_ptr_array_index (study->inputs, 0);
  if (origin != NULL && has_groups_of (study, origin) &&
      (is_recorded || input->text == NULL ||
       !attn_groups_are_words_of (study->groups.assigned, input->text)))
    attn_edits_find_groups (study);
}

/* Makes an input of token ids that stands in for a text: the first input gets the ids 0 to 14, the
 * second 15 to 29 and so on. */
static AttnInput *
new_stand_in (guint       index,
              const char *text)
{
  guint32 ids[N_STAND_INS];

  for (guint i = 0; i < N_STAND_INS; i++)
    ids[i] = index * N_STAND_INS + i;
  AttnInput *stand_in = attn_input_new_ids (ids, N_STAND_INS, 0);
  stand_in->stands_for = g_strdup (text);
  return stand_in;
}

/* Makes an input of the picture or sound that ships with the program, which stands in for the text
 * of @other. Returns %NULL if the file is missing. */
static AttnInput *
new_stand_in_file (const char      *name,
                   gboolean         is_sound,
                   const AttnInput *other)
{
  g_autofree char *path = attn_data_find (name);
  const char *text = other->text != NULL ? other->text : other->stands_for;
  AttnInput *stand_in = path == NULL ? NULL
                        : is_sound   ? attn_input_new_sound (path, FALSE)
                                     : attn_input_new_picture (path, FALSE);

  if (stand_in != NULL)
    stand_in->stands_for = g_strdup (text != NULL ? text : ATTN_EDITS_FALLBACK_TEXT);
  return stand_in;
}

/* Separator between several texts in one string, while one shipped picture or sound stands in for
 * all of them. */
#define TEXT_END "\x1E"

/* Tells whether @input is a shipped picture or sound that stands in for a text. */
static gboolean
stands_for_text (const AttnInput *input)
{
  return (attn_input_is_picture (input) || attn_input_is_sound (input)) &&
         input->stands_for != NULL;
}

/* Merges all inputs that are the shipped picture or sound into one, which keeps the texts that they
 * replaced. Several equal inputs would only give equal panels. */
static void
join_stand_ins (AttnStudy *study)
{
  AttnInput *first = NULL;

  for (guint i = 0; i < study->inputs->len;)
    {
      AttnInput *input = g_ptr_array_index (study->inputs, i);
      gboolean is_one = stands_for_text (input);

      if (is_one && first != NULL)
        {
          g_autofree char *before = first->stands_for;

          first->stands_for = g_strconcat (before, TEXT_END, input->stands_for, NULL);
          attn_edits_remove_input (study, i);
          continue;
        }
      first = is_one ? input : first;
      i++;
    }
}

/**
 * attn_edits_part_stand_ins:
 *
 * Undoes the merging of stand-ins: for each text that one shipped picture or sound stands for, the
 * study gets an input of its own with the same picture or sound.
 */
void
attn_edits_part_stand_ins (AttnStudy *study)
{
  for (guint i = 0; i < study->inputs->len; i++)
    {
      AttnInput *input = g_ptr_array_index (study->inputs, i);
      const char *end = stands_for_text (input) ? strstr (input->stands_for, TEXT_END) : NULL;

      if (end == NULL)
        continue;
      attn_edits_duplicate_input (study, i);
      AttnInput *rest = g_ptr_array_index (study->inputs, i + 1);
      g_free (rest->stands_for);
      rest->stands_for = g_strdup (end + strlen (TEXT_END));
      input->stands_for[end - input->stands_for] = '\0';
    }
}

/* Returns an input that the model can take to replace @input: a text for a picture or sound, or the
 * reverse. Returns %NULL if @input can stay. */
static AttnInput *
replace_other (const AttnInput     *input,
               const AttnModelInfo *info)
{
  gboolean is_picture = attn_input_is_picture (input), is_sound = attn_input_is_sound (input);

  if (info->needs_picture)
    return is_picture ? NULL : new_stand_in_file ("pictures/garden.png", FALSE, input);
  if (info->needs_sound)
    return is_sound ? NULL : new_stand_in_file ("sounds/bells.wav", TRUE, input);
  if (info->is_recording || !(is_picture || is_sound) || (is_picture && info->takes_picture))
    return NULL;
  return attn_input_new_text (
      input->stands_for != NULL ? input->stands_for : ATTN_EDITS_FALLBACK_TEXT, 0);
}

static void
forget_target (AttnInput *input)
{
  g_clear_pointer (&input->target, g_free);
  g_clear_pointer (&input->target_ids, g_free);
  input->n_target_ids = 0;
}

/**
 * attn_edits_fit_inputs:
 * @info: properties of the study's model
 *
 * Replaces inputs that the model cannot take. For a model without a tokenizer, token ids stand in
 * for each text. For a model of pictures or sounds, one shipped picture or sound stands in for all
 * texts. A model of texts gets the texts back. Targets are removed if the model has no decoder.
 * Groups are adapted, see [func@attn_edits_fit_groups].
 */
void
attn_edits_fit_inputs (AttnStudy           *study,
                       const AttnModelInfo *info)
{
  gboolean takes_text = info->is_recording || info->has_tokenizer;

  if (!info->needs_picture && !info->needs_sound && !info->is_recording)
    attn_edits_part_stand_ins (study);
  attn_edits_part_pictures (study, info);
  for (guint i = 0; i < study->inputs->len; i++)
    {
      AttnInput *input = g_ptr_array_index (study->inputs, i);
      attn_edits_fit_seeing (input, info);
      AttnInput *other = replace_other (input, info);

      if (other != NULL)
        {
          g_ptr_array_index (study->inputs, i) = other;
          attn_input_free (input);
          input = other;
        }
      if (!attn_model_info_has_decoder (info))
        forget_target (input);
      if (attn_input_is_picture (input) || attn_input_is_sound (input))
        continue;
      if (takes_text ? input->stands_for == NULL : input->ids != NULL)
        continue;
      if (takes_text)
        g_ptr_array_index (study->inputs, i) = attn_input_new_text (input->stands_for, 0);
      else
        g_ptr_array_index (study->inputs, i) = new_stand_in (i, input->text);
      attn_input_free (input);
    }
  if (info->needs_picture || info->needs_sound)
    join_stand_ins (study);
  attn_edits_fit_groups (study, info->is_recording);
}

/**
 * attn_edits_limit_tokens:
 *
 * Limits each input that has more tokens than the model has positions to as many tokens from its
 * beginning.
 *
 * Returns: whether an input was limited
 */
gboolean
attn_edits_limit_tokens (AttnStudy       *study,
                         const AttnModel *model)
{
  gboolean has_changed = FALSE;

  for (guint i = 0; i < study->inputs->len; i++)
    {
      AttnInput *input = g_ptr_array_index (study->inputs, i);
      g_autoptr (GError) error = NULL;

      /* Pictures and sounds are never cut off to fewer tokens. */
      if (attn_input_is_picture (input) || attn_input_is_sound (input))
        continue;
      g_autoptr (AttnTokens) tokens =
          attn_input_tokenize (input, i + 1, model, attn_study_get_framing (study), &error);

      if (!g_error_matches (error, ATTN_ERROR, ATTN_ERROR_LIMIT))
        continue;
      gsize before = input->n_tokens;
      input->n_tokens = attn_model_get_info (model)->n_positions;
      tokens = attn_input_tokenize (input, i + 1, model, attn_study_get_framing (study), NULL);
      /* If tokenizing still fails, the input has another error, and the number of tokens is
       * restored. */
      if (tokens == NULL)
        input->n_tokens = before;
      has_changed = has_changed || tokens != NULL;
    }
  return has_changed;
}

/**
 * attn_edits_show_model:
 * @model: path and adapter of the model, which is open; a path of %NULL is the shipped model
 * @info: properties of that model
 *
 * Builds the study for a model that was opened. Recorded arrays are shown without interventions and
 * in their own range of values; a matrix of layers and tokens, probes and surveys get the preset
 * that fits them. The first attention of the model is shown. A layer or head that the model does
 * not have is replaced by the one with the strongest sink.
 *
 * Returns: (transfer full): a copy of @study with that model, or a study of another preset that
 *   fits the model
 */
AttnStudy *
attn_edits_show_model (const AttnStudy          *study,
                       const AttnModelReference *model,
                       const AttnModelInfo      *info)
{
  gboolean suits = (info->n_surveyed > 0 && attn_study_get_traits (study)->has_survey) ||
                   (info->is_matrix && attn_study_get_traits (study)->has_roles);
  const char *preset = info->n_surveyed > 0 ? "survey" : "single";
  g_autoptr (AttnStudy) single = NULL;

  if (info->is_recording && !suits)
    single = info->is_probe ? attn_probe_load_study (model, NULL)
                            : attn_presets_load (preset, NULL);
  AttnStudy *shown = attn_study_copy (single != NULL ? single : study);

  if (single != NULL && !info->is_probe)
    shown->style.range = ATTN_RANGE_DATA;
  /* Recorded arrays that contain a picture are shown with the attention over that picture. */
  if (info->is_recording && info->n_patch_rows > 0)
    shown->is_over_picture = TRUE;
  attn_model_reference_take (&shown->model, model);
  g_clear_pointer (&shown->attention, g_free);
  if (shown->layer >= (int) info->n_layers)
    shown->layer = ATTN_LAYER_STRONGEST_SINK;
  if (shown->head >= (int) info->n_heads)
    shown->head = ATTN_HEAD_STRONGEST_SINK;
  attn_edits_fit_inputs (shown, info);
  if (info->n_surveyed > 0)
    attn_survey_fit_study (shown, model->path);
  return shown;
}

/**
 * attn_edits_choose_attention:
 * @info: properties of the study's model
 * @name: name of one of the model's attentions, such as "vision"
 *
 * Shows that attention of the model. If it takes pictures and the former one takes texts, or the
 * reverse, the inputs are replaced as by [func@attn_edits_fit_inputs].
 */
void
attn_edits_choose_attention (AttnStudy           *study,
                             const AttnModelInfo *info,
                             const char          *name)
{
  AttnModelInfo chosen = *info;

  g_free (study->attention);
  study->attention = g_strdup (name);
  chosen.needs_picture = g_str_equal (name, "vision");
  chosen.takes_picture = info->sees && !chosen.needs_picture;
  attn_edits_fit_inputs (study, &chosen);
}

/**
 * attn_edits_compare_with_base:
 *
 * Shows the model without its adapter, the model with it and their difference.
 *
 * Returns: %FALSE if the study's model has no adapter, so that nothing is changed
 */
gboolean
attn_edits_compare_with_base (AttnStudy *study)
{
  g_autoptr (AttnModelReference) changed = attn_model_reference_copy (&study->model);
  g_autofree char *base = NULL;

  if (changed->adapter == NULL && !attn_model_dup_base (changed->path, &base))
    return FALSE;
  attn_model_reference_set (&study->model, base != NULL ? base : changed->path);
  g_ptr_array_set_size (study->other_models, 0);
  g_ptr_array_add (study->other_models, g_steal_pointer (&changed));
  study->rows = ATTN_DIMENSION_NONE;
  study->columns = ATTN_DIMENSION_COMPARISON;
  study->compared = ATTN_DIMENSION_MODEL;
  memset (study->components, 0, sizeof study->components);
  attn_study_forget_panels (study);
  return TRUE;
}

/* Removes inputs for which @is_like is false, and inputs that stand in for texts. */
static void
keep_only (AttnStudy *study, gboolean (*is_like) (const AttnInput *input))
{
  for (guint i = study->inputs->len; i-- > 0;)
    {
      AttnInput *input = g_ptr_array_index (study->inputs, i);

      if (!is_like (input) || input->stands_for != NULL)
        g_ptr_array_remove_index (study->inputs, i);
    }
}

/**
 * attn_edits_add_picture:
 * @info: (nullable): properties of the study's model
 * @path: path of the picture; the file is not read yet
 *
 * Adds a picture as an input. The first picture replaces all texts, sounds and stand-ins, and
 * panels are then drawn over it; further pictures are added beside it. For a model that reads
 * pictures within texts, the picture is inserted into a text.
 */
void
attn_edits_add_picture (AttnStudy           *study,
                        const AttnModelInfo *info,
                        const char          *path)
{
  if (info != NULL && info->takes_picture)
    {
      attn_edits_insert_picture (study, info, path);
      return;
    }
  keep_only (study, attn_input_is_picture);
  study->is_over_picture = study->is_over_picture || study->inputs->len == 0;
  g_ptr_array_add (study->inputs, attn_input_new_picture (path, FALSE));
}

/**
 * attn_edits_add_sound:
 * @path: path of the sound; the file is not read yet
 *
 * Adds a sound as an input. The first sound replaces all texts, pictures and stand-ins, and takes
 * over the target of the first of them; further sounds are added beside it.
 */
void
attn_edits_add_sound (AttnStudy  *study,
                      const char *path)
{
  AttnInput *sound = attn_input_new_sound (path, FALSE);
  const AttnInput *first = study->inputs->len > 0 ? study->inputs->pdata[0] : NULL;

  if (first != NULL && (first->stands_for != NULL || !attn_input_is_sound (first)))
    {
      sound->target = g_strdup (first->target);
      sound->target_ids = g_memdup2 (first->target_ids,
                                     first->n_target_ids * sizeof *first->target_ids);
      sound->n_target_ids = first->n_target_ids;
    }
  keep_only (study, attn_input_is_sound);
  g_ptr_array_add (study->inputs, sound);
}

/**
 * attn_edits_append_inputs:
 * @inputs: (element-type AttnInput): inputs to copy into the study
 * @where: name of their file, for the message
 * @error: return location for %ATTN_ERROR_LIMIT
 *
 * Returns: %FALSE if the study would get more than %ATTN_EDITS_MAX_INPUTS inputs, so that none is
 *   added
 */
gboolean
attn_edits_append_inputs (AttnStudy   *study,
                          GPtrArray   *inputs,
                          const char  *where,
                          GError     **error)
{
  guint n_left = ATTN_EDITS_MAX_INPUTS - MIN (study->inputs->len, ATTN_EDITS_MAX_INPUTS);

  if (inputs->len > n_left)
    return attn_fail (error, ATTN_ERROR_LIMIT,
                      _("%s: %u inputs found, expected at most %u beside those that are there"),
                      where, inputs->len, n_left);
  for (guint i = 0; i < inputs->len; i++)
    g_ptr_array_add (study->inputs, attn_input_copy (g_ptr_array_index (inputs, i)));
  return TRUE;
}

/**
 * attn_edits_count_epsilons:
 *
 * Returns: how many of the study's factors ε the figure uses, from the first on: 0 if it scales
 *   nothing, 1 if ε does not vary along rows or columns
 */
guint
attn_edits_count_epsilons (const AttnStudy *study)
{
  if (study->operation != ATTN_OPERATION_SCALE)
    return 0;
  return attn_study_changes_along (study, ATTN_DIMENSION_EPSILON) ? study->epsilons->len
                                                                  : MIN (study->epsilons->len, 1);
}

/**
 * attn_edits_drop_unused_epsilons:
 * @study: a study whose figure uses only its first factors ε, or none
 *
 * Replaces unused factors by those of the preset, so that a command line need not list them, or
 * removes them if the used factors are not the preset's.
 */
void
attn_edits_drop_unused_epsilons (AttnStudy *study)
{
  g_autoptr (AttnStudy) preset =
      study->preset != NULL ? attn_presets_load (study->preset, NULL) : NULL;
  /* A survey has a condition for each factor ε, and a curve over ε marks each factor. */
  gboolean uses_all =
      study->rows == ATTN_DIMENSION_EPSILON || study->columns == ATTN_DIMENSION_EPSILON ||
      attn_study_get_traits (study)->has_survey ||
      (study->effects[ATTN_SHOWN_CURVE] && attn_study_has_factor (study));
  guint n_used = MAX (attn_edits_count_epsilons (study),
                      (guint) attn_study_says (study, "{epsilon}"));

  if (uses_all || n_used > study->epsilons->len)
    return;
  if (preset != NULL && n_used <= preset->epsilons->len &&
      (n_used == 0 ||
       memcmp (preset->epsilons->data, study->epsilons->data, n_used * sizeof (double)) == 0))
    {
      g_array_set_size (study->epsilons, 0);
      g_array_append_vals (study->epsilons, preset->epsilons->data, preset->epsilons->len);
    }
  else
    g_array_set_size (study->epsilons, MAX (n_used, MIN (study->epsilons->len, 1)));
}

/* Resolves conflicts between the dimensions of rows and columns after one of them was changed. If
 * both would be equal, they are swapped. @here: the changed dimension; *there: that of the other
 * side; @before: the previous dimension of the changed side */
static void
settle_dimension (AttnStudy     *study,
                  AttnDimension  here,
                  AttnDimension *there,
                  AttnDimension  before)
{
  if (*there == here && here != ATTN_DIMENSION_NONE)
    *there = before;
  /* The axis belongs to the mean and ε to scaling, which are different operations, so that a grid
   * cannot vary both. */
  if ((here == ATTN_DIMENSION_AXIS && *there == ATTN_DIMENSION_EPSILON) ||
      (here == ATTN_DIMENSION_EPSILON && *there == ATTN_DIMENSION_AXIS))
    *there = ATTN_DIMENSION_NONE;
  attn_cell_need_members (study);
  attn_study_forget_panels (study);
}

static gboolean
is_of_other_operation (const AttnStudy *study,
                       AttnDimension    dimension)
{
  return (dimension == ATTN_DIMENSION_EPSILON && study->operation != ATTN_OPERATION_SCALE) ||
         (dimension == ATTN_DIMENSION_AXIS && study->operation != ATTN_OPERATION_MEAN) ||
         ((dimension == ATTN_DIMENSION_COMPONENT || dimension == ATTN_DIMENSION_SITE) &&
          study->operation == ATTN_OPERATION_CUT);
}

/* Sets the measure of a score atlas that shows effects of an operation to the current operation. */
static void
settle_effect (AttnStudy *study)
{
  AttnOperation operation;

  if (!attn_study_measures_effect (study, &operation))
    return;
  if (study->operation == ATTN_OPERATION_SCALE)
    study->measure = ATTN_HEAD_MEASURE_EFFECT_SCALE;
  else if (study->operation == ATTN_OPERATION_MEAN)
    study->measure = ATTN_HEAD_MEASURE_EFFECT_MEAN;
  else if (study->operation == ATTN_OPERATION_ZERO)
    study->measure = ATTN_HEAD_MEASURE_EFFECT_ZERO;
  /* The measure uses a single factor ε for all heads. */
  if (study->epsilons->len > 1)
    g_array_set_size (study->epsilons, 0);
  attn_study_fit_measure (study);
}

/* Removes dimensions that the operation does not have, and sets its defaults: a patch needs a valid
 * source input, and a cut removes key 0 by default, which only the first query cannot do
 * without. */
static void
settle_operation (AttnStudy *study)
{
  AttnDimension *sides[] = { &study->rows, &study->columns };

  for (gsize i = 0; i < G_N_ELEMENTS (sides); i++)
    if (is_of_other_operation (study, *sides[i]))
      {
        *sides[i] = ATTN_DIMENSION_NONE;
        attn_study_forget_panels (study);
      }
  if (study->operation == ATTN_OPERATION_SCALE)
    attn_cell_need_epsilons (study);
  if (study->operation == ATTN_OPERATION_PATCH)
    study->patch_input = MIN (study->patch_input, study->inputs->len - 1);
  if (study->operation == ATTN_OPERATION_CUT && study->cut_keys == NULL)
    study->cut_keys = attn_index_set_new_range (0, 0);
}

/* Resets the chosen layers, heads and tokens of the study, as each kind of attention of a model
 * (such as encoder and cross-attention) has its own. */
static void
settle_attention (AttnStudy *study)
{
  study->layer = ATTN_LAYER_STRONGEST_SINK;
  study->head = ATTN_HEAD_STRONGEST_SINK;
  g_clear_pointer (&study->layers, attn_index_set_unref);
  g_clear_pointer (&study->heads, attn_index_set_unref);
  g_clear_pointer (&study->scope_tokens, attn_index_set_unref);
  g_clear_pointer (&study->queries, attn_index_set_unref);
  attn_study_forget_panels (study);
}

/**
 * attn_edits_explain_last_component:
 *
 * Returns: message for the user why the last component of a figure with a panel for each component
 *   cannot be switched off
 */
const char *
attn_edits_explain_last_component (void)
{
  return _("The figure has a panel for each component: at least one stays. Another one takes its "
           "place once that is on.");
}

/**
 * attn_edits_settle:
 * @study: a copy of @before in which one setting was changed
 * @before: the study before that change
 * @shown_layer: number of the layer on display, in which the user has chosen a head; -1 if it is
 *   not known
 *
 * Changes the settings that have to agree with the changed one. Rows and columns never have the
 * same dimension, and a new dimension gets what it needs, such as factors ε. A new operation
 * removes dimensions that it does not have. Choosing the layer of the strongest sink also chooses
 * the sink's head; choosing a head instead of that fixes the layer on display. If keys are to be
 * hidden and none is chosen, key 0 is hidden.
 *
 * Returns: %FALSE with %ATTN_ERROR_ARGUMENT if no study can have the changed setting: no component
 *   in a figure with a panel for each component, or a cut of all keys
 */
gboolean
attn_edits_settle (AttnStudy        *study,
                   const AttnStudy  *before,
                   int               shown_layer,
                   GError          **error)
{
  if (attn_study_changes_along (before, ATTN_DIMENSION_COMPONENT) &&
      study->rows == before->rows && study->columns == before->columns &&
      !attn_study_has_operation (study))
    return attn_fail (error, ATTN_ERROR_ARGUMENT, "%s", attn_edits_explain_last_component ());
  if (study->operation == ATTN_OPERATION_CUT && study->cut_keys == NULL &&
      before->cut_keys != NULL)
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("all keys found, expected positions such as 0 or 0,3-5"));
  if (study->rows != before->rows)
    settle_dimension (study, study->rows, &study->columns, before->rows);
  else if (study->columns != before->columns)
    settle_dimension (study, study->columns, &study->rows, before->columns);
  else if (study->operation != before->operation)
    {
      settle_operation (study);
      settle_effect (study);
    }
  else if (study->quantity != before->quantity)
    attn_study_fit_quantity (study);
  else if (study->measure != before->measure)
    attn_study_fit_measure (study);
  else if (study->state != before->state)
    attn_study_fit_state (study);
  else if (g_strcmp0 (study->attention, before->attention) != 0)
    settle_attention (study);
  else if (study->compared != before->compared)
    attn_cell_need_members (study);
  else if (study->layer != before->layer && study->layer == ATTN_LAYER_STRONGEST_SINK)
    study->head = ATTN_HEAD_STRONGEST_SINK;
  else if (study->head != before->head && study->head != ATTN_HEAD_STRONGEST_SINK &&
           study->layer == ATTN_LAYER_STRONGEST_SINK)
    study->layer = shown_layer;
  else if (study->hides_keys && !before->hides_keys && study->hidden_keys == NULL)
    study->hidden_keys = attn_index_set_new_range (0, 0);
  return TRUE;
}

static int
compare_numbers (gconstpointer a,
                 gconstpointer b)
{
  double first = *(const double *) a;
  double second = *(const double *) b;

  return (first > second) - (first < second);
}

/* Returns a power of ten near the middle of the widest gap between the factors, on a logarithmic
 * scale. */
static double
find_gap (const GArray *epsilons)
{
  g_autoptr (GArray) sorted = g_array_copy ((GArray *) epsilons);
  double one = 1;
  double widest = 0;
  double middle = one;

  g_array_append_val (sorted, one);
  g_array_sort (sorted, compare_numbers);
  for (guint i = 1; i < sorted->len; i++)
    {
      double low = log10 (g_array_index (sorted, double, i - 1));
      double high = log10 (g_array_index (sorted, double, i));

      if (high - low <= widest)
        continue;
      widest = high - low;
      middle = pow (10, widest >= 2 ? round ((low + high) / 2) : (low + high) / 2);
    }
  return middle;
}

/**
 * attn_edits_append_epsilon:
 *
 * Adds a factor ε: a hundredth of the smallest one, or if that is below the least possible factor,
 * a factor in the widest gap between two of them.
 */
void
attn_edits_append_epsilon (AttnStudy *study)
{
  double smallest = 1e2;

  for (guint i = 0; i < study->epsilons->len; i++)
    smallest = MIN (smallest, g_array_index (study->epsilons, double, i));
  /* The smallest factor has a tolerance, since the division rounds. */
  double epsilon = smallest / 100 > ATTN_EPSILON_MIN * (1 - 1e-9)
                       ? MAX (smallest / 100, ATTN_EPSILON_MIN)
                       : find_gap (study->epsilons);
  g_array_append_val (study->epsilons, epsilon);
}
