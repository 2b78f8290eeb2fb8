/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-epsilon-panels.h"

#include <glib/gi18n.h>
#include <string.h>

#include "attn-panel-name.h"

/* The largest number of names of rows, columns or panels in one text. */
#define MOST_NAMES 12

#define SEPARATOR ", " /* separator between the name of a row and that of a column in a panel's
                        * name */

struct _AttnEpsilonPanels
{
  GPtrArray *names; /* (element-type utf8): names of all panels; may have NULL */

  /* Rows and columns of the figure by the two parts of the panels' names; empty if a name lacks a
   * part */
  GPtrArray *rows;    /* (element-type utf8): names of the figure's rows, in their order */
  GPtrArray *columns; /* (element-type utf8) */
  GArray *places;     /* (element-type gsize): place of each panel, counted row by row */
};

/* Panels that are to be named, in the places of the figure's rows and columns. */
typedef struct
{
  const GPtrArray *rows;
  const GPtrArray *columns;
  const guint8 *cells; /* [rows, columns]: whether each panel is chosen */
} Table;

/* Returns the index of a name in a list, to which a new name is added. */
static guint
find_or_add (GPtrArray  *list,
             const char *name)
{
  guint index;

  if (!g_ptr_array_find_with_equal_func (list, name, g_str_equal, &index))
    {
      index = list->len;
      g_ptr_array_add (list, g_strdup (name));
    }
  return index;
}

/* Derives the rows and columns of the figure from the names of all panels. */
static void
read_places (AttnEpsilonPanels *panels)
{
  gsize n = panels->names->len;
  g_autofree guint *rows = g_new (guint, n);
  g_autofree guint *columns = g_new (guint, n);

  for (gsize i = 0; i < n; i++)
    {
      const char *name = panels->names->pdata[i];
      g_auto (GStrv) parts = g_strsplit (name != NULL ? name : "", SEPARATOR, -1);

      if (g_strv_length (parts) != 2)
        {
          g_ptr_array_set_size (panels->rows, 0);
          g_ptr_array_set_size (panels->columns, 0);
          return;
        }
      rows[i] = find_or_add (panels->rows, parts[0]);
      columns[i] = find_or_add (panels->columns, parts[1]);
    }
  for (gsize i = 0; i < n; i++)
    {
      gsize place = (gsize) rows[i] * panels->columns->len + columns[i];

      g_array_append_val (panels->places, place);
    }
}

/**
 * attn_epsilon_panels_new:
 * @names: (array length=n_names) (element-type utf8): names of all panels of the figure in English,
 *   as [func@attn_panel_name_translate] reads them; %NULL for a panel without a name
 *
 * Returns: (transfer full)
 */
AttnEpsilonPanels *
attn_epsilon_panels_new (const char * const *names,
                         gsize               n_names)
{
  AttnEpsilonPanels *panels = g_new (AttnEpsilonPanels, 1);

  *panels = (AttnEpsilonPanels) {
    .names = g_ptr_array_new_full ((guint) n_names, g_free),
    .rows = g_ptr_array_new_with_free_func (g_free),
    .columns = g_ptr_array_new_with_free_func (g_free),
    .places = g_array_new (FALSE, FALSE, sizeof (gsize)),
  };
  for (gsize i = 0; i < n_names; i++)
    g_ptr_array_add (panels->names, g_strdup (names[i]));
  read_places (panels);
  return panels;
}

void
attn_epsilon_panels_free (AttnEpsilonPanels *panels)
{
  g_ptr_array_unref (panels->names);
  g_ptr_array_unref (panels->rows);
  g_ptr_array_unref (panels->columns);
  g_array_unref (panels->places);
  g_free (panels);
}

static const guint8 *
get_row (const Table *table,
         guint        row)
{
  return table->cells + (gsize) row * table->columns->len;
}

static gboolean
has_same_columns (const Table *table,
                  guint        row,
                  guint        other)
{
  return memcmp (get_row (table, row), get_row (table, other), table->columns->len) == 0;
}

/* Returns (transfer none) (nullable): the format of a text about all rows or columns of a figure,
 * if these are numbered, as inputs are. */
static const char *
find_whole (const GPtrArray *list)
{
  static const struct
  {
    const char *prefix;
    const char *format;
  } kinds[] = {
    /* Translators: %s are names of panels, which are of each input, such as “Query, Key” */
    { "input ", N_("%s, all inputs") },
    /* Translators: %s are names of panels, which are of each layer, such as “Query, Key” */
    { "layer ", N_("%s, all layers") },
    /* Translators: %s are names of panels, which are of each head, such as “Query, Key” */
    { "head ", N_("%s, all heads") },
  };

  for (gsize kind = 0; kind < G_N_ELEMENTS (kinds); kind++)
    {
      gsize length = strlen (kinds[kind].prefix);
      guint n = 0;

      while (n < list->len &&
             g_ascii_strncasecmp (list->pdata[n], kinds[kind].prefix, length) == 0 &&
             g_ascii_isdigit (((const char *) list->pdata[n])[length]))
        n++;
      if (n == list->len && n > 1)
        return _(kinds[kind].format);
    }
  return NULL;
}

/* Appends the translated name of a panel to a list in a text. */
static void
append_name (GString    *text,
             const char *name,
             const char *separator)
{
  g_autofree char *translated = attn_panel_name_translate (name);

  g_string_append_printf (text, "%s%s", text->len > 0 ? separator : "", translated);
}

/* Appends the panels of @row and of the later rows in which the same columns are chosen, and marks
 * these rows as told. @is_whole: (out): whether the panels fill rows or columns of the figure that
 * are told by one word. Returns how many names were written. */
static guint
append_rows (const Table *table,
             guint        row,
             gboolean    *is_told,
             GString     *text,
             gboolean    *is_whole)
{
  g_autoptr (GString) rows = g_string_new (NULL);
  g_autoptr (GString) columns = g_string_new (NULL);
  guint n_rows = 0, n_columns = 0;

  for (guint i = row; i < table->rows->len; i++)
    {
      if (!has_same_columns (table, row, i))
        continue;
      append_name (rows, table->rows->pdata[i], SEPARATOR);
      is_told[i] = TRUE;
      n_rows++;
    }
  for (guint i = 0; i < table->columns->len; i++)
    {
      if (!get_row (table, row)[i])
        continue;
      append_name (columns, table->columns->pdata[i], SEPARATOR);
      n_columns++;
    }
  const char *all_rows = n_rows == table->rows->len ? find_whole (table->rows) : NULL;
  const char *all_columns = n_columns == table->columns->len ? find_whole (table->columns) : NULL;

  g_string_append (text, text->len > 0 ? "; " : "");
  *is_whole = all_rows != NULL || all_columns != NULL;
  if (*is_whole)
    {
      g_auto (GStrv) parts = g_strsplit (all_rows != NULL ? all_rows : all_columns, "%s", 2);
      g_autofree char *whole =
          g_strjoinv (all_rows != NULL ? columns->str : rows->str, parts);

      g_string_append (text, whole);
      return all_rows != NULL ? n_columns : n_rows;
    }
  if (n_rows == 1 && n_columns == 1)
    g_string_append_printf (text, "%s" SEPARATOR "%s", rows->str, columns->str);
  else
    g_string_append_printf (text, _("%s: %s"), rows->str, columns->str);
  return n_rows + n_columns;
}

/* Lists the names of panels one by one. Returns the number of names written. */
static guint
append_each (const GPtrArray *names,
             const gboolean  *is_chosen,
             GString         *text)
{
  const char *separator = SEPARATOR;
  guint n = 0;

  /* Names of panels may themselves have commas. */
  for (guint i = 0; i < names->len; i++)
    if (is_chosen[i] && names->pdata[i] != NULL && strchr (names->pdata[i], ',') != NULL)
      separator = "; ";
  for (guint i = 0; i < names->len; i++)
    {
      if (!is_chosen[i])
        continue;
      append_name (text, names->pdata[i], separator);
      n++;
    }
  return n;
}

/* Names the chosen panels by rows and columns of the figure. Returns the number of names
 * written. */
static guint
append_table (const AttnEpsilonPanels *panels,
              const gboolean          *is_chosen,
              GString                 *text,
              gboolean                *is_whole)
{
  guint n_rows = panels->rows->len;
  guint n_columns = panels->columns->len;
  g_autofree guint8 *cells = g_new0 (guint8, (gsize) n_rows * n_columns);
  g_autofree gboolean *is_told = g_new0 (gboolean, n_rows);
  const Table table = { panels->rows, panels->columns, cells };
  guint n_written = 0, n_groups = 0;

  for (guint i = 0; i < panels->places->len; i++)
    if (is_chosen[i])
      cells[g_array_index (panels->places, gsize, i)] = TRUE;
  for (guint row = 0; row < n_rows; row++)
    {
      if (is_told[row] || memchr (get_row (&table, row), TRUE, n_columns) == NULL)
        continue;
      n_written += append_rows (&table, row, is_told, text, is_whole);
      n_groups++;
    }
  *is_whole = *is_whole && n_groups == 1;
  return n_written;
}

/**
 * attn_epsilon_panels_name:
 * @is_chosen: (array): of each panel, whether it is named
 * @is_whole: (out): whether the panels fill rows or columns of the figure that one word tells of
 *
 * Returns: (transfer full) (nullable): the panels in the user's language; %NULL if more than twelve
 *   names would be needed
 */
char *
attn_epsilon_panels_name (const AttnEpsilonPanels *panels,
                          const gboolean          *is_chosen,
                          gboolean                *is_whole)
{
  g_autoptr (GString) text = g_string_new (NULL);
  guint n_written;

  *is_whole = FALSE;
  n_written = panels->rows->len > 0 ? append_table (panels, is_chosen, text, is_whole)
                                    : append_each (panels->names, is_chosen, text);
  return n_written > 0 && n_written <= MOST_NAMES ? g_string_free (g_steal_pointer (&text), FALSE)
                                                  : NULL;
}
