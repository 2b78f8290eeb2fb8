/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Templates of panel titles and caption: markup with placeholders such as {head}. Those of a preset
 * describe its figure: the study keeps them, but they are used only while its figure is of that
 * kind. */

#include "config.h"

#include <string.h>

#include "attn-study.h"

/* Tells whether @template has a placeholder for the operation's component or factor, in which case
 * the words around it name the operation. */
static gboolean
names_operation (const char *template)
{
  return strstr (template, "{component") != NULL || strstr (template, "{epsilon}") != NULL;
}

/* Tells whether the titles of @preset name what changes along @dimension. */
static gboolean
names_dimension (const AttnStudy *preset,
                 AttnDimension    dimension)
{
  const char *name = dimension == ATTN_DIMENSION_COMPARISON ? "side"
                                                            : attn_dimension_names[dimension];
  g_autofree char *placeholder = g_strdup_printf ("{%s}", name);

  return dimension == ATTN_DIMENSION_NONE ||
         (preset->title != NULL && strstr (preset->title, placeholder) != NULL);
}

/* Returns @template unless it is @original, that of the preset, and @study is no longer a figure of
 * the preset's kind: it has another kind, another operation, or a grid along other dimensions. */
static const char *
choose (const AttnStudy *study,
        const AttnStudy *preset,
        const char      *template,
        const char      *original)
{
  if (preset == NULL || template == NULL || g_strcmp0 (template, original) != 0)
    return template;

  gboolean is_of_operation = names_operation (template) || strchr (template, '{') == NULL;
  gboolean has_operation =
      study->operation == preset->operation && attn_study_has_operation (study);

  return study->figure == preset->figure && (has_operation || !is_of_operation) &&
                 names_dimension (preset, study->rows) &&
                 names_dimension (preset, study->columns)
             ? template
             : NULL;
}

/**
 * attn_study_get_title:
 *
 * A template that came with a preset is used while the figure is of the kind that it describes; one
 * that the user typed is always used. The result depends on @study alone, not on earlier edits.
 *
 * Returns: (nullable): the template of the panel titles; %NULL if panels have default titles
 */
const char *
attn_study_get_title (const AttnStudy *study)
{
  const AttnStudy *preset = attn_presets_get_origin (study);

  return choose (study, preset, study->title, preset != NULL ? preset->title : NULL);
}

/**
 * attn_study_has_own_title:
 *
 * Returns: whether the user typed the template of the titles, and it did not come with a preset
 */
gboolean
attn_study_has_own_title (const AttnStudy *study)
{
  const AttnStudy *preset = attn_presets_get_origin (study);

  return study->title != NULL && (preset == NULL || g_strcmp0 (study->title, preset->title) != 0);
}

/**
 * attn_study_get_caption:
 *
 * Returns: (nullable): the template of the caption, used under the conditions of
 *   [func@attn_study_get_title]; that of a preset only while @study also shows the preset's
 *   quantity
 */
const char *
attn_study_get_caption (const AttnStudy *study)
{
  const AttnStudy *preset = attn_presets_get_origin (study);
  const char *caption =
      choose (study, preset, study->caption, preset != NULL ? preset->caption : NULL);

  return preset != NULL && study->quantity != preset->quantity &&
                 g_strcmp0 (caption, preset->caption) == 0
             ? NULL
             : caption;
}

/**
 * attn_study_says:
 * @placeholder: a placeholder, such as "{epsilon}"
 *
 * Returns: whether the template of the titles or of the caption contains @placeholder
 */
gboolean
attn_study_says (const AttnStudy *study,
                 const char      *placeholder)
{
  const char *title = attn_study_get_title (study);
  const char *caption = attn_study_get_caption (study);

  return (title != NULL && strstr (title, placeholder) != NULL) ||
         (caption != NULL && strstr (caption, placeholder) != NULL);
}
