/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The smaller values that a study consists of, and the names of its choices. */

#include "config.h"

#include <glib/gi18n-lib.h>

#include "attn-error.h"
#include "attn-study-private.h"

static const char * const figure_kind_names[] = {
  [ATTN_FIGURE_GRID] = "grid",
  [ATTN_FIGURE_HEAD_GROUPS] = "head-groups",
  [ATTN_FIGURE_LAYER_TOKEN] = "layer-token",
  NULL,
};

static const char * const dimension_names[] = {
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

static const char * const group_rule_names[] = {
  [ATTN_GROUP_RULE_ASSIGNED] = "assigned",
  [ATTN_GROUP_RULE_THRESHOLD] = "threshold",
  [ATTN_GROUP_RULE_SHARE] = "share",
  NULL,
};

static const char * const reduction_names[] = {
  [ATTN_REDUCTION_MEAN] = "mean",
  [ATTN_REDUCTION_MAX] = "max",
  [ATTN_REDUCTION_RELATIVE] = "relative",
  NULL,
};

/**
 * attn_names_parse:
 * @names: (array zero-terminated=1): by value
 * @text: what was found
 * @value: (out): the place of @text among them
 * @error: return location for %ATTN_ERROR_ARGUMENT, which lists the names
 *
 * Returns: whether it is one of them
 */
gboolean
attn_names_parse (const char * const  *names,
                  const char          *text,
                  int                 *value,
                  GError             **error)
{
  for (int i = 0; names[i] != NULL; i++)
    if (g_str_equal (names[i], text))
      {
        *value = i;
        return TRUE;
      }

  g_autofree char *list = g_strjoinv (", ", (char **) names);
  g_set_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT, _("“%s” found, expected one of %s"), text,
               list);
  return FALSE;
}

/* attn_dimension_get_name() and attn_dimension_parse(), and so on: the names as in files. */
#define DEFINE_NAMES(name, Type)                                               \
  const char *attn_##name##_get_name (Type value)                              \
  {                                                                            \
    return name##_names[value];                                                \
  }                                                                            \
                                                                               \
  gboolean attn_##name##_parse (const char *text, Type *value, GError **error) \
  {                                                                            \
    int choice;                                                                \
                                                                               \
    if (!attn_names_parse (name##_names, text, &choice, error))                \
      return FALSE;                                                            \
    *value = choice;                                                           \
    return TRUE;                                                               \
  }

DEFINE_NAMES (figure_kind, AttnFigureKind)
DEFINE_NAMES (dimension, AttnDimension)
DEFINE_NAMES (group_rule, AttnGroupRule)
DEFINE_NAMES (reduction, AttnReduction)

/**
 * attn_compared_parse:
 * @name: what A and B of a comparison differ in; "intervention" has no dimension
 * @error: return location for %ATTN_ERROR_ARGUMENT, which lists the names
 */
gboolean
attn_compared_parse (const char     *name,
                     AttnDimension  *dimension,
                     GError        **error)
{
  static const char * const names[] = { "intervention", "input", "layer", "head", "model", NULL };
  int choice;

  if (!attn_names_parse (names, name, &choice, error))
    return FALSE;
  *dimension = ATTN_DIMENSION_NONE;
  return choice == 0 || attn_dimension_parse (name, dimension, error);
}

AttnModelReference *
attn_model_reference_new (const char *path,
                          const char *fingerprint)
{
  AttnModelReference *reference = g_new0 (AttnModelReference, 1);

  reference->path = g_strdup (path);
  reference->fingerprint = g_strdup (fingerprint);
  return reference;
}

gboolean
attn_model_reference_equal (const AttnModelReference *a,
                            const AttnModelReference *b)
{
  return g_strcmp0 (a->path, b->path) == 0 && g_strcmp0 (a->fingerprint, b->fingerprint) == 0;
}

void
attn_model_reference_free (AttnModelReference *reference)
{
  if (reference == NULL)
    return;
  g_free (reference->path);
  g_free (reference->fingerprint);
  g_free (reference);
}

/**
 * attn_study_region_new:
 * @panel: index of the panel, row-major in the grid
 * @region: copied with its name
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

gboolean
attn_study_region_equal (const AttnStudyRegion *a,
                         const AttnStudyRegion *b)
{
  const AttnRegion *p = &a->region;
  const AttnRegion *q = &b->region;

  return a->panel == b->panel && g_strcmp0 (p->name, q->name) == 0 &&
         p->first_row == q->first_row && p->last_row == q->last_row &&
         p->first_column == q->first_column && p->last_column == q->last_column &&
         p->is_pin == q->is_pin;
}

void
attn_study_region_free (AttnStudyRegion *region)
{
  if (region == NULL)
    return;
  g_free (region->region.name);
  g_free (region);
}

/**
 * attn_group_new:
 * @tokens: (array zero-terminated=1): copied
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

gboolean
attn_group_equal (const AttnGroup *a,
                  const AttnGroup *b)
{
  return a->head == b->head && g_strv_equal ((const char * const *) a->tokens,
                                             (const char * const *) b->tokens);
}

void
attn_group_free (AttnGroup *group)
{
  if (group == NULL)
    return;
  g_strfreev (group->tokens);
  g_free (group);
}
