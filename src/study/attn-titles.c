/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The texts stand in the figure, whose language does not follow the reader's: nothing here is
 * translated but the messages. */

#include "config.h"

#include "attn-titles.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-error.h"
#include "attn-study-private.h"
#include "attn-text.h"

static const char * const component_titles[ATTN_N_COMPONENTS] = {
  [ATTN_COMPONENT_QUERY] = "Query",
  [ATTN_COMPONENT_KEY] = "Key",
  [ATTN_COMPONENT_VALUE] = "Value",
};

/* "Query, Key and Value" of those that are on, each between @before and @after. */
static char *
join_components (const gboolean *components,
                 const char     *before,
                 const char     *after)
{
  GString *text = g_string_new (NULL);
  gsize n_left = 0;

  for (int c = 0; c < ATTN_N_COMPONENTS; c++)
    n_left += components[c];
  for (int c = 0; c < ATTN_N_COMPONENTS; c++)
    {
      if (!components[c])
        continue;
      g_string_append_printf (text, "%s%s%s", before, component_titles[c], after);
      n_left--;
      g_string_append (text, n_left > 1 ? ", " : n_left == 1 ? " and "
                                                             : "");
    }
  return g_string_free (text, FALSE);
}

static char *
format_head (int head)
{
  return head == ATTN_HEAD_MEAN ? g_strdup ("mean") : g_strdup_printf ("%d", head);
}

/* Markup for the placeholder @name of @length bytes, or NULL if there is none of that name. */
static char *
dup_value (const char      *name,
           gsize            length,
           const AttnStudy *study,
           const AttnCell  *cell,
           gsize            layer,
           int              head)
{
  g_autofree char *word = g_strndup (name, length);

  if (g_str_equal (word, "components"))
    return join_components (study->components, "<i>", "</i>");
  if (g_str_equal (word, "component"))
    return join_components (cell->components, "", "");
  if (g_str_equal (word, "epsilon"))
    return attn_text_format_factor (cell->epsilon);
  if (g_str_equal (word, "input"))
    return g_strdup_printf ("%zu", cell->input + 1);
  if (g_str_equal (word, "layer"))
    return g_strdup_printf ("%zu", layer);
  if (g_str_equal (word, "head"))
    return format_head (head);
  return NULL;
}

/* A brace that does not enclose one lowercase word is a brace. */
static gboolean
is_placeholder (const char *brace,
                gsize      *length)
{
  *length = strspn (brace + 1, "abcdefghijklmnopqrstuvwxyz-");
  return *length > 0 && brace[1 + *length] == '}';
}

static char *
fill_in (const char       *where,
         const char       *template,
         const AttnStudy  *study,
         const AttnCell   *cell,
         gsize             layer,
         int               head,
         GError          **error)
{
  g_autoptr (GString) text = g_string_new (NULL);
  const char *rest = template;
  gsize length;

  for (const char *brace; (brace = strchr (rest, '{')) != NULL;)
    {
      g_string_append_len (text, rest, brace - rest);
      if (!is_placeholder (brace, &length))
        {
          g_string_append_c (text, '{');
          rest = brace + 1;
          continue;
        }

      g_autofree char *value = dup_value (brace + 1, length, study, cell, layer, head);
      if (value == NULL)
        {
          g_set_error (
              error, ATTN_ERROR, ATTN_ERROR_ARGUMENT,
              _("%s: {%.*s} found, expected {component}, {components}, {epsilon}, {input}, {layer} "
                "or {head}"),
              where, (int) length, brace + 1);
          return NULL;
        }
      g_string_append (text, value);
      rest = brace + length + 2;
    }
  g_string_append (text, rest);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/**
 * attn_titles_build_caption:
 * @error: return location for %ATTN_ERROR_ARGUMENT
 *
 * Returns: (transfer full) (nullable): markup of the caption; "" for a study without one
 */
char *
attn_titles_build_caption (const AttnStudy  *study,
                           gsize             layer,
                           int               head,
                           GError          **error)
{
  AttnCell cell = attn_cell_get (study, 0, 0);

  /* There is no one component of the whole grid: {component} means all that are on. */
  memcpy (cell.components, study->components, sizeof cell.components);
  return fill_in (_("caption"), study->caption != NULL ? study->caption : "", study, &cell, layer,
                  head, error);
}

/**
 * attn_titles_build_title:
 * @error: return location for %ATTN_ERROR_ARGUMENT
 *
 * Returns: (transfer full) (nullable): markup of the title of a panel; "" for a study without one
 */
char *
attn_titles_build_title (const AttnStudy  *study,
                         const AttnCell   *cell,
                         gsize             layer,
                         int               head,
                         GError          **error)
{
  return fill_in (_("title"), study->title != NULL ? study->title : "", study, cell, layer, head,
                  error);
}

static void
append_part (GString    *name,
             const char *part)
{
  if (name->len > 0)
    g_string_append (name, ", ");
  g_string_append (name, part);
}

/**
 * attn_titles_build_name:
 *
 * Returns: (transfer full): plain text that names a panel within its grid, such as "Query, ε =
 * 5e-1"
 */
char *
attn_titles_build_name (const AttnStudy *study,
                        const AttnCell  *cell,
                        gsize            layer,
                        int              head)
{
  const AttnDimension dimensions[] = { study->rows, study->columns };
  GString *name = g_string_new (NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (dimensions); i++)
    {
      g_autofree char *epsilon = attn_text_format_factor (cell->epsilon);
      g_autofree char *part = NULL;

      if (dimensions[i] == ATTN_DIMENSION_INPUT)
        part = g_strdup_printf ("Input %zu", cell->input + 1);
      else if (dimensions[i] == ATTN_DIMENSION_COMPONENT)
        part = join_components (cell->components, "", "");
      else if (dimensions[i] == ATTN_DIMENSION_EPSILON)
        part = g_strdup_printf ("ε = %s", epsilon);
      if (part != NULL)
        append_part (name, part);
    }
  if (name->len == 0)
    {
      g_autofree char *head_text = format_head (head);
      g_string_printf (name, "Layer %zu, head %s", layer, head_text);
    }
  return g_string_free (name, FALSE);
}
