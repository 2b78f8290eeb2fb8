/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-epsilon-panels.h"

#include <glib/gi18n.h>
#include <string.h>

#include "attn-panel-name.h"

/* The largest number of names of rows, columns or panels in one text. */
#define MOST_NAMES 12

#define SEPARATOR ", " /* between the name of a row and that of a column */

/* The panels of a figure, by the rows and columns that their names tell of */
typedef struct
{
  GPtrArray *rows;    /* (element-type utf8): names of rows, in their order */
  GPtrArray *columns; /* (element-type utf8) */
  GByteArray *cells;  /* (nullable): row by row, whether each panel is chosen */
} Table;

static void
clear_table (Table *table)
{
  g_ptr_array_unref (table->rows);
  g_ptr_array_unref (table->columns);
  g_clear_pointer (&table->cells, g_byte_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Table, clear_table)

/* Returns the index of a name in a list, to which it is added if it is not there. */
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

/* Reads the rows and columns from the names of panels, each of which must have two parts. Returns
 * whether all have. */
static gboolean
read_table (const char * const *names,
            gsize               n_names,
            const gboolean     *is_chosen,
            Table              *table)
{
  g_autofree guint *rows = g_new (guint, n_names);
  g_autofree guint *columns = g_new (guint, n_names);

  for (gsize i = 0; i < n_names; i++)
    {
      g_auto (GStrv) parts = g_strsplit (names[i] != NULL ? names[i] : "", SEPARATOR, -1);

      if (g_strv_length (parts) != 2)
        return FALSE;
      rows[i] = find_or_add (table->rows, parts[0]);
      columns[i] = find_or_add (table->columns, parts[1]);
    }
  gsize n_cells = (gsize) table->rows->len * table->columns->len;
  if (n_cells > G_MAXUINT)
    return FALSE;
  table->cells = g_byte_array_new ();
  g_byte_array_set_size (table->cells, (guint) n_cells);
  memset (table->cells->data, FALSE, n_cells);
  for (gsize i = 0; i < n_names; i++)
    if (is_chosen[i])
      table->cells->data[(gsize) rows[i] * table->columns->len + columns[i]] = TRUE;
  return TRUE;
}

static const guint8 *
get_row (const Table *table,
         guint        row)
{
  return table->cells->data + (gsize) row * table->columns->len;
}

static gboolean
has_same_columns (const Table *table,
                  guint        row,
                  guint        other)
{
  return memcmp (get_row (table, row), get_row (table, other), table->columns->len) == 0;
}

/* Returns (transfer none) (nullable): the format of a text about all rows, or columns, of a list,
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

/* Appends a name to a list in a text, translated. */
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

/* Lists the panels one by one. Returns how many names were written. */
static guint
append_each (const char * const *names,
             gsize               n_names,
             const gboolean     *is_chosen,
             GString            *text)
{
  const char *separator = SEPARATOR;
  guint n = 0;

  /* Names of panels may have commas of their own. */
  for (gsize i = 0; i < n_names; i++)
    if (is_chosen[i] && names[i] != NULL && strchr (names[i], ',') != NULL)
      separator = "; ";
  for (gsize i = 0; i < n_names; i++)
    {
      if (!is_chosen[i])
        continue;
      append_name (text, names[i], separator);
      n++;
    }
  return n;
}

/**
 * attn_epsilon_panels_name:
 * @names: (array length=n_names) (element-type utf8): names of all panels of the figure in English,
 *   as [func@attn_panel_name_translate] reads them; %NULL for a panel without a name
 * @is_chosen: (array length=n_names): which panels are named
 * @is_whole: (out): whether the panels fill rows or columns of the figure that one word tells of
 *
 * Returns: (transfer full) (nullable): the panels in the user's language; %NULL if more than twelve
 *   names would be needed
 */
char *
attn_epsilon_panels_name (const char * const *names,
                          gsize               n_names,
                          const gboolean     *is_chosen,
                          gboolean           *is_whole)
{
  g_auto (Table) table = { g_ptr_array_new_with_free_func (g_free),
                           g_ptr_array_new_with_free_func (g_free), NULL };
  g_autoptr (GString) text = g_string_new (NULL);
  guint n_written = 0, n_groups = 0;

  *is_whole = FALSE;
  if (read_table (names, n_names, is_chosen, &table))
    {
      g_autofree gboolean *is_told = g_new0 (gboolean, table.rows->len + 1);

      for (guint row = 0; row < table.rows->len; row++)
        {
          if (is_told[row] || memchr (get_row (&table, row), TRUE, table.columns->len) == NULL)
            continue;
          n_written += append_rows (&table, row, is_told, text, is_whole);
          n_groups++;
        }
    }
  else
    n_written = append_each (names, n_names, is_chosen, text);
  *is_whole = *is_whole && n_groups == 1;
  return n_written > 0 && n_written <= MOST_NAMES ? g_string_free (g_steal_pointer (&text), FALSE)
                                                  : NULL;
}
