/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Functions of the structs that a study keeps in lists, such as inputs, and the names of its
 * enumerated settings. */

#include "config.h"

#include <glib/gi18n-lib.h>

#include "attn-error.h"
#include "attn-study.h"

#define FIGURE_WORD(NAME, name, word, ...) [ATTN_FIGURE_##NAME] = word,

const char * const attn_figure_kind_names[] = { ATTN_FIGURE_KINDS (FIGURE_WORD) NULL };

const char * const attn_dimension_names[] = {
  [ATTN_DIMENSION_NONE] = "none",
  [ATTN_DIMENSION_INPUT] = "input",
  [ATTN_DIMENSION_COMPONENT] = "component",
  [ATTN_DIMENSION_EPSILON] = "epsilon",
  [ATTN_DIMENSION_LAYER] = "layer",
  [ATTN_DIMENSION_HEAD] = "head",
  [ATTN_DIMENSION_SITE] = "site",
  [ATTN_DIMENSION_AXIS] = "axis",
  [ATTN_DIMENSION_MODEL] = "model",
  [ATTN_DIMENSION_COMPARISON] = "comparison",
  NULL,
};

const char * const attn_head_measure_names[] = {
  [ATTN_HEAD_MEASURE_SINK] = "sink",
  [ATTN_HEAD_MEASURE_ENTROPY] = "entropy",
  [ATTN_HEAD_MEASURE_DISTANCE] = "distance",
  [ATTN_HEAD_MEASURE_PREVIOUS] = "previous",
  [ATTN_HEAD_MEASURE_DUPLICATE] = "duplicate",
  [ATTN_HEAD_MEASURE_INDUCTION] = "induction",
  [ATTN_HEAD_MEASURE_CHANGE] = "change",
  [ATTN_HEAD_MEASURE_EFFECT_ZERO] = "effect:zero",
  [ATTN_HEAD_MEASURE_EFFECT_MEAN] = "effect:mean",
  [ATTN_HEAD_MEASURE_LOSS_ZERO] = "loss:zero",
  [ATTN_HEAD_MEASURE_LOSS_MEAN] = "loss:mean",
  [ATTN_HEAD_MEASURE_EFFECT_SCALE] = "effect:scale",
  [ATTN_HEAD_MEASURE_OUTPUT_NORM] = "output-norm",
  [ATTN_HEAD_MEASURE_QUERY_NORM] = "query-norm",
  [ATTN_HEAD_MEASURE_KEY_NORM] = "key-norm",
  [ATTN_HEAD_MEASURE_VALUE_NORM] = "value-norm",
  NULL,
};

const char * const attn_effect_unit_names[] = { "bits", "nats", NULL };
const char * const attn_survey_unit_names[] = { "nats", "bits", NULL };

const char * const attn_survey_chart_names[] = { "scatter", "histogram", "curves", NULL };

const char * const attn_state_names[] = { "norm", "cosine", "largest", "attention", "mlp", NULL };

const char * const attn_state_curve_names[] = { "entropy", "sink", "first", NULL };

const char * const attn_patched_names[] = { "residual", "output", "inner", "heads", NULL };

const char * const attn_group_rule_names[] = {
  [ATTN_GROUP_RULE_ASSIGNED] = "assigned",
  [ATTN_GROUP_RULE_THRESHOLD] = "threshold",
  [ATTN_GROUP_RULE_SHARE] = "share",
  NULL,
};

const char * const attn_reduction_names[] = {
  [ATTN_REDUCTION_MEAN] = "mean",
  [ATTN_REDUCTION_MAX] = "max",
  [ATTN_REDUCTION_RELATIVE] = "relative",
  NULL,
};

/**
 * attn_study_count_flags:
 * @flags: (array length=n): flags, such as the components of a study
 *
 * Returns: how many flags are %TRUE
 */
gsize
attn_study_count_flags (const gboolean *flags,
                        gsize           n)
{
  gsize count = 0;

  for (gsize i = 0; i < n; i++)
    count += flags[i] != FALSE;
  return count;
}

/**
 * attn_input_new_text:
 * @text: the input's text in UTF-8
 * @n_tokens: how many tokens from the start are used, 0 for all
 */
AttnInput *
attn_input_new_text (const char *text,
                     gsize       n_tokens)
{
  AttnInput *input = g_new0 (AttnInput, 1);

  input->text = g_strdup (text);
  input->n_tokens = n_tokens;
  return input;
}

/**
 * attn_input_new_ids:
 * @ids: (array length=n_ids): token ids, used as they are
 * @n_tokens: how many ids from the start are used, 0 for all
 */
AttnInput *
attn_input_new_ids (const guint32 *ids,
                    gsize          n_ids,
                    gsize          n_tokens)
{
  AttnInput *input = g_new0 (AttnInput, 1);

  input->ids = g_memdup2 (ids, n_ids * sizeof *ids);
  input->n_ids = n_ids;
  input->n_tokens = n_tokens;
  return input;
}

/**
 * attn_input_new_picture:
 * @path: path of a picture, or of an array of pixels
 * @is_prepared: whether @path is an array [channels, height, width], which is used without
 *   preparation
 */
AttnInput *
attn_input_new_picture (const char *path,
                        gboolean    is_prepared)
{
  AttnInput *input = g_new0 (AttnInput, 1);

  attn_input_add_picture (input, path, is_prepared);
  return input;
}

/**
 * attn_input_add_picture:
 * @path: path of a picture, or of an array of pixels
 * @is_prepared: whether @path is an array [channels, height, width], which is used without
 *   preparation; either all pictures of an input are arrays or none
 *
 * Adds a picture to the input, behind those that it has.
 */
void
attn_input_add_picture (AttnInput  *input,
                        const char *path,
                        gboolean    is_prepared)
{
  char ***pictures = is_prepared ? &input->pixels : &input->images;
  gsize n = *pictures != NULL ? g_strv_length (*pictures) : 0;

  *pictures = g_renew (char *, *pictures, n + 2);
  (*pictures)[n] = g_strdup (path);
  (*pictures)[n + 1] = NULL;
}

/**
 * attn_input_get_pictures:
 *
 * Returns: (transfer none) (nullable) (array zero-terminated=1): paths of the input's pictures or
 *   arrays of pixels; %NULL if it has none
 */
const char * const *
attn_input_get_pictures (const AttnInput *input)
{
  return (const char * const *) (input->pixels != NULL ? input->pixels : input->images);
}

/**
 * attn_input_count_pictures:
 *
 * Returns: how many pictures or arrays of pixels @input has
 */
gsize
attn_input_count_pictures (const AttnInput *input)
{
  const char * const *pictures = attn_input_get_pictures (input);

  return pictures != NULL ? g_strv_length ((char **) pictures) : 0;
}

/**
 * attn_input_is_picture:
 *
 * Returns: whether @input has pictures or arrays of pixels, alone or within a text
 */
gboolean
attn_input_is_picture (const AttnInput *input)
{
  return attn_input_get_pictures (input) != NULL;
}

/**
 * attn_input_is_text:
 *
 * Returns: whether @input has a text or token ids, with or without pictures
 */
gboolean
attn_input_is_text (const AttnInput *input)
{
  return input->text != NULL || input->ids != NULL;
}

/**
 * attn_input_new_sound:
 * @path: path of a sound, or of an array of features
 * @is_prepared: whether @path is an array [bins, frames], which is used without preparation
 */
AttnInput *
attn_input_new_sound (const char *path,
                      gboolean    is_prepared)
{
  AttnInput *input = g_new0 (AttnInput, 1);

  *(is_prepared ? &input->features : &input->audio) = g_strdup (path);
  return input;
}

/**
 * attn_input_is_sound:
 *
 * Returns: whether @input is a sound or an array of a sound's features
 */
gboolean
attn_input_is_sound (const AttnInput *input)
{
  return input->audio != NULL || input->features != NULL;
}

/**
 * attn_input_parse_ids:
 * @text: token ids separated by commas, "2,17,5"; spaces around the ids are ignored
 * @error: return location for %ATTN_ERROR_ARGUMENT
 *
 * Returns: (transfer full) (nullable): an input that uses all these ids
 */
AttnInput *
attn_input_parse_ids (const char  *text,
                      GError     **error)
{
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_auto (GStrv) parts = g_strsplit (text, ",", -1);

  for (char **part = parts; *part != NULL; part++)
    {
      const char *number = g_strstrip (*part);
      guint64 value;

      if (!g_ascii_string_to_unsigned (number, 10, 0, G_MAXUINT32, &value, NULL))
        return attn_fail_null (error, ATTN_ERROR_ARGUMENT,
                               _("“%s” found, expected token ids such as 2,17,5"), number);
      guint32 id = value;
      g_array_append_val (ids, id);
    }

  if (ids->len == 0)
    return attn_fail_null (error, ATTN_ERROR_ARGUMENT,
                           _("nothing found, expected token ids such as 2,17,5"));
  return attn_input_new_ids ((const guint32 *) ids->data, ids->len, 0);
}

/**
 * attn_study_region_new:
 * @panel: index of the panel that the region lies on, row-major in the grid
 * @region: the region, which is copied with its name
 */
AttnStudyRegion *
attn_study_region_new (gsize             panel,
                       const AttnRegion *region)
{
  AttnStudyRegion *copy = g_new0 (AttnStudyRegion, 1);

  copy->panel = panel;
  copy->region = *region;
  copy->region.name = g_strdup (region->name);
  return copy;
}

/**
 * attn_group_new:
 * @tokens: (array zero-terminated=1): the group's tokens as text, which are copied
 */
AttnGroup *
attn_group_new (gsize               head,
                const char * const *tokens)
{
  AttnGroup *group = g_new0 (AttnGroup, 1);

  group->head = head;
  group->tokens = g_strdupv ((char **) tokens);
  return group;
}
