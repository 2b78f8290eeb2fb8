/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-left-out.h"

#include <glib/gi18n-lib.h>

#include "attn-markup.h"

/* Tells whether the scene has marks of @role; with @is_of_panel, only marks of panels count. Ticks
 * of a panel tell that only every nth row or column has a label. */
static gboolean
has_marks (const AttnScene *scene,
           const char      *role,
           gboolean         is_of_panel)
{
  for (gsize i = 0; i < scene->marks->len; i++)
    {
      const AttnMark *mark = attn_scene_get_mark (scene, i);

      if (g_str_equal (mark->role, role) && (mark->group >= 0 || !is_of_panel))
        return TRUE;
    }
  return FALSE;
}

static gboolean
has_axis_title (const AttnScene *scene,
                const char      *text)
{
  g_autofree char *title = attn_markup_from_text (text);

  for (gsize i = 0; i < scene->marks->len; i++)
    {
      const AttnMark *mark = attn_scene_get_mark (scene, i);

      if (g_str_equal (mark->role, "axis-label") && g_str_equal (mark->markup, title))
        return TRUE;
    }
  return FALSE;
}

/* Tells whether the label of the colour bar is left out. The label begins with the name of the
 * values and may go on: "Attention Weight / Uniform". */
static gboolean
lacks_value_label (const AttnScene *scene)
{
  g_autofree char *label = NULL;

  if (scene->grid->value_label == NULL || scene->grid->is_binary ||
      !has_marks (scene, "colorbar", FALSE))
    return FALSE;
  label = attn_markup_from_text (scene->grid->value_label);
  for (gsize i = 0; i < scene->marks->len; i++)
    {
      const AttnMark *mark = attn_scene_get_mark (scene, i);

      if (g_str_equal (mark->role, "axis-label") &&
          (g_str_has_prefix (mark->markup, label) || g_str_equal (mark->markup, "Difference")))
        return FALSE;
    }
  return TRUE;
}

static gboolean
has_cut_text (const AttnScene *scene)
{
  for (gsize i = 0; i < scene->marks->len; i++)
    {
      const AttnMark *mark = attn_scene_get_mark (scene, i);

      if (mark->markup != NULL && g_str_has_suffix (mark->markup, "…"))
        return TRUE;
    }
  return FALSE;
}

static gboolean
has_titles (const AttnGrid *grid)
{
  for (gsize i = 0; i < grid->n_rows * grid->n_columns; i++)
    if (grid->cells[i].title != NULL)
      return TRUE;
  return FALSE;
}

static gboolean
lacks_charts (const AttnScene *scene)
{
  return scene->grid->charts != NULL && !has_marks (scene, "curve", FALSE) &&
         !has_marks (scene, "point", FALSE) && !has_marks (scene, "bar", FALSE);
}

static gboolean
lacks_bars (const AttnScene *scene)
{
  return scene->grid->n_strip_columns > 0 && !has_marks (scene, "bar", TRUE);
}

static gboolean
lacks_numbers (const AttnScene *scene)
{
  const AttnGrid *grid = scene->grid;

  for (gsize i = 0; grid->number_names != NULL && i < grid->n_rows * grid->n_columns; i++)
    if (grid->cells[i].numbers != NULL)
      return !has_marks (scene, "numbers", TRUE);
  return FALSE;
}

/* Returns the name of the labels that are left out, in the user's language: all, those of one side,
 * or some; %NULL if all are there. Labels of rows do not count where a diagram beside the rows
 * names these. */
static const char *
name_missing_labels (const AttnScene *scene)
{
  const AttnGrid *grid = scene->grid;
  gboolean has_rows = has_marks (scene, "row-label", FALSE);
  gboolean has_columns = has_marks (scene, "column-label", FALSE);
  gboolean are_tokens = grid->row_title == NULL && grid->column_title == NULL;
  gboolean is_thinned = has_marks (scene, "tick", TRUE);

  if (!has_rows && !has_columns)
    return are_tokens ? _("token labels") : _("labels");
  if (!has_columns)
    return is_thinned ? _("the labels of the columns and some of those of the rows")
                      : _("the labels of the columns");
  if (!has_rows && grid->diagram == NULL)
    return is_thinned ? _("the labels of the rows and some of those of the columns")
                      : _("the labels of the rows");
  if (!is_thinned)
    return NULL;
  return are_tokens ? _("some of the token labels") : _("some of the labels");
}

/**
 * attn_scene_list_left_out:
 * @counts_values: whether numbers in the cells are listed, too: in a window they appear when the
 *   user zooms in
 *
 * Returns: (transfer full) (nullable): the parts of a figure that the style asks for and the page
 *   has no room for, in the user's language, such as "token labels, numbers in the cells"; %NULL
 *   for nothing
 */
char *
attn_scene_list_left_out (const AttnScene *scene,
                          gboolean         counts_values)
{
  const AttnStyle *style = &scene->style;
  const AttnGrid *grid = scene->grid;
  const char *labels = style->shows_tokens ? name_missing_labels (scene) : NULL;
  const struct
  {
    gboolean is_left_out;
    const char *name;
  } parts[] = {
    { style->shows_titles && has_titles (grid) && !has_marks (scene, "title", FALSE) &&
          !has_marks (scene, "heading", FALSE),
      _("titles") },
    { style->shows_titles && grid->has_own_titles && has_marks (scene, "heading", FALSE) &&
          !has_marks (scene, "title", FALSE),
      /* Translators: titles that the user wrote, if shorter headings stand in their place */
      _("your own titles") },
    { style->shows_caption && grid->caption != NULL && !has_marks (scene, "caption", FALSE),
      _("the caption") },
    { style->shows_colorbar && !grid->is_binary && !has_marks (scene, "colorbar", FALSE),
      _("the colour bar") },
    { lacks_value_label (scene), _("the label of the colour bar") },
    { labels != NULL, labels },
    { style->shows_tokens &&
          (!has_axis_title (scene, grid->column_title != NULL ? grid->column_title : "Key") ||
           !has_axis_title (scene, grid->row_title != NULL ? grid->row_title : "Query")),
      _("the names of the axes") },
    { lacks_bars (scene), _("the bars") },
    { lacks_numbers (scene), _("the numbers below the panels") },
    { lacks_charts (scene), _("the charts") },
    { has_cut_text (scene), _("the ends of long texts") },
    { counts_values && style->shows_values && !grid->is_binary &&
          !has_marks (scene, "value", FALSE),
      _("numbers in the cells") },
  };
  g_autoptr (GString) list = g_string_new (NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    if (parts[i].is_left_out)
      g_string_append_printf (list, "%s%s", list->len > 0 ? ", " : "", parts[i].name);
  return list->len > 0 ? g_string_free (g_steal_pointer (&list), FALSE) : NULL;
}

/**
 * attn_scene_get_smallest_text:
 *
 * Returns: the size of the smallest text, in points; 0 if there is none
 */
double
attn_scene_get_smallest_text (const AttnScene *scene)
{
  double smallest = 0;

  for (gsize i = 0; i < scene->marks->len; i++)
    {
      const AttnMark *mark = attn_scene_get_mark (scene, i);

      if (mark->kind == ATTN_MARK_TEXT && (smallest == 0 || mark->font_size < smallest))
        smallest = mark->font_size;
    }
  return smallest;
}
