/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-regions.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "attn-error.h"
#include "attn-matrix.h"
#include "attn-roles.h"

/* Parses one end of a range of tokens: one of @names, which may be NULL, or else a number counted
 * from 0. */
static gboolean
parse_end (GStrv       names,
           const char *text,
           gsize       length,
           gsize      *index)
{
  g_autofree char *end = g_strndup (text, length);
  guint64 value;

  for (gsize i = 0; names != NULL && names[i] != NULL; i++)
    if (g_str_equal (names[i], end))
      {
        *index = i;
        return TRUE;
      }
  if (!g_ascii_string_to_unsigned (end, 10, 0, G_MAXINT32 - 1, &value, NULL))
    return FALSE;
  *index = value;
  return TRUE;
}

/* Parses a range such as "first_answer:-1", "4-28", "3" or a name. The separator of its ends is ":"
 * if it occurs, else "-". */
static gboolean
parse_range (GStrv       names,
             const char *text,
             gsize      *first,
             gsize      *last)
{
  gsize length = strlen (text);

  if (parse_end (names, text, length, first))
    {
      *last = *first;
      return TRUE;
    }
  for (const char *separators = ":-"; *separators != '\0'; separators++)
    for (const char *p = strchr (text, *separators); p != NULL; p = strchr (p + 1, *separators))
      if (parse_end (names, text, p - text, first) &&
          parse_end (names, p + 1, text + length - p - 1, last))
        return *first <= *last;
  return FALSE;
}

/* Gets the names of the figure's rows and columns if regions are given by names of tokens; else
 * both stay NULL. */
static gboolean
get_names (const AttnStudy           *study,
           const AttnModelReference  *model,
           GStrv                     *rows,
           GStrv                     *columns,
           GError                   **error)
{
  if (!attn_study_get_traits (study)->has_roles)
    return TRUE;
  if (attn_matrix_is_one (model))
    {
      g_autoptr (AttnMatrixFile) matrix = attn_matrix_load (model, error);

      if (matrix == NULL)
        return FALSE;
      *rows = g_steal_pointer (&matrix->row_labels);
      *columns = g_steal_pointer (&matrix->column_labels);
      return TRUE;
    }

  gsize n = attn_roles_get_n_columns (&study->roles);
  *columns = g_new0 (char *, n + 1);
  for (gsize i = 0; i < n; i++)
    (*columns)[i] = g_strdup (attn_roles_get_name (&study->roles, i));
  return TRUE;
}

/* Skips the panel number and the slash that can stand before a region, as in "2/0-3,2-5". A slash
 * within a name is not skipped. */
static const char *
skip_panel (const char *text,
            gsize      *panel)
{
  const char *slash = strchr (text, '/');

  *panel = 0;
  return slash != NULL && parse_end (NULL, text, slash - text, panel) ? slash + 1 : text;
}

/**
 * attn_study_parse_region:
 * @study: the study on whose figure the region lies
 * @text: "COLUMNS,ROWS", such as "0-3,2-5"; "first_answer:-1,4-28" where the columns have names;
 *   "NAME=COLUMNS,ROWS" gives the region a name; "2/COLUMNS,ROWS" puts it on another panel than the
 *   first, counted from 0 along the rows of the grid
 * @error: return location for %ATTN_ERROR_ARGUMENT, and for the errors of [func@attn_matrix_load]
 *   if the columns are those of a file
 *
 * Returns: (transfer full) (nullable): the region
 */
AttnStudyRegion *
attn_study_parse_region (const AttnStudy  *study,
                         const char       *text,
                         GError          **error)
{
  g_auto (GStrv) rows = NULL;
  g_auto (GStrv) columns = NULL;
  const char *sign = strchr (text, '=');
  g_autofree char *name = sign != NULL ? g_strndup (text, sign - text) : NULL;
  AttnRegion region = { .name = name };
  gsize panel;

  if (!get_names (study, &study->model, &rows, &columns, error))
    return NULL;
  const char *place = skip_panel (sign != NULL ? sign + 1 : text, &panel);
  const char *comma = strrchr (place, ',');
  g_autofree char *before = comma != NULL ? g_strndup (place, comma - place) : NULL;
  if (comma != NULL &&
      parse_range (columns, before, &region.first_column, &region.last_column) &&
      parse_range (rows, comma + 1, &region.first_row, &region.last_row))
    return attn_study_region_new (panel, &region);
  if (columns != NULL)
    {
      g_autofree char *known = g_strjoinv (", ", columns);

      return attn_fail_null (
          error, ATTN_ERROR_ARGUMENT,
          _("“%s” found, expected columns and rows such as %s:%s,0-1; the columns are %s"), text,
          columns[0], columns[g_strv_length (columns) - 1], known);
    }
  return attn_fail_null (error, ATTN_ERROR_ARGUMENT,
                         _("“%s” found, expected columns and rows such as 0-3,2-5"), text);
}

/* Changes @index from the index of a name in @from to the index of the same name in @to. Leaves it
 * unchanged if @to lacks the name. */
static void
move_index (GStrv  from,
            GStrv  to,
            gsize *index)
{
  if (from != NULL && *index < g_strv_length (from))
    parse_end (to, from[*index], strlen (from[*index]), index);
}

/**
 * attn_study_move_regions:
 * @model: the model or matrix that the study will show
 * @error: return location for the errors of [func@attn_matrix_load]
 *
 * Moves the regions of @study before another matrix is shown: each goes to the rows and columns
 * that have the same names in @model, or stays where it is if there are none.
 */
gboolean
attn_study_move_regions (AttnStudy                 *study,
                         const AttnModelReference  *model,
                         GError                   **error)
{
  g_auto (GStrv) old_rows = NULL;
  g_auto (GStrv) old_columns = NULL;
  g_auto (GStrv) rows = NULL;
  g_auto (GStrv) columns = NULL;

  if (study->regions->len == 0)
    return TRUE;
  if (!get_names (study, &study->model, &old_rows, &old_columns, error) ||
      !get_names (study, model, &rows, &columns, error))
    return FALSE;
  for (guint i = 0; i < study->regions->len; i++)
    {
      AttnRegion *region = &((AttnStudyRegion *) g_ptr_array_index (study->regions, i))->region;

      move_index (old_columns, columns, &region->first_column);
      move_index (old_columns, columns, &region->last_column);
      if (region->first_column > region->last_column)
        {
          gsize first = region->last_column;

          region->last_column = region->first_column;
          region->first_column = first;
        }
    }
  return TRUE;
}

/* The rows or the columns of a panel, with the function that gives their positions in the input. */
typedef struct
{
  const AttnPanel *panel;
  gsize n;
  gsize (*get_position) (const AttnPanel *panel,
                         gsize index);
} Side;

static Side
get_rows (const AttnPanel *panel)
{
  return (Side) { panel, attn_panel_get_n_rows (panel), attn_panel_get_row_position };
}

static Side
get_columns (const AttnPanel *panel)
{
  return (Side) { panel, attn_panel_get_n_columns (panel), attn_panel_get_column_position };
}

/* Finds the shown rows or columns whose positions in the input lie between @first and @last.
 * Returns FALSE if none of them is shown. */
static gboolean
find_span (Side   side,
           gsize *first,
           gsize *last)
{
  gsize begin = 0;
  gsize end = side.n;

  while (begin < end && (side.get_position (side.panel, begin) < *first ||
                         side.get_position (side.panel, begin) == ATTN_PANEL_NO_POSITION))
    begin++;
  while (end > begin && side.get_position (side.panel, end - 1) > *last)
    end--;
  *first = begin;
  *last = end - 1;
  return begin < end;
}

static AttnPanel *
get_panel (const AttnGrid *grid,
           gsize           panel)
{
  return panel < grid->n_rows * grid->n_columns ? grid->cells[panel].panel : NULL;
}

/**
 * attn_study_find_region:
 * @region: a region of a study; its rows and columns are positions in the input
 * @grid: the panels of that study
 * @shown: (out): the same region, counted in the rows and columns of its panel; its name belongs to
 *   @region
 *
 * Returns: whether some of the region is shown: not if there is no such panel, nor if its rows or
 *   columns are hidden or the input has become shorter
 */
gboolean
attn_study_find_region (const AttnStudyRegion *region,
                        const AttnGrid        *grid,
                        AttnRegion            *shown)
{
  AttnPanel *panel = get_panel (grid, region->panel);

  *shown = region->region;
  return panel != NULL && find_span (get_rows (panel), &shown->first_row, &shown->last_row) &&
         find_span (get_columns (panel), &shown->first_column, &shown->last_column);
}

/**
 * attn_study_region_new_shown:
 * @panel: index of a panel of @grid
 * @shown: a region, counted in the rows and columns of that panel
 *
 * Returns: (transfer full): the same region as a study keeps it, by positions in the input
 */
AttnStudyRegion *
attn_study_region_new_shown (gsize             panel,
                             const AttnGrid   *grid,
                             const AttnRegion *shown)
{
  const AttnPanel *place = get_panel (grid, panel);
  AttnRegion region = *shown;

  g_return_val_if_fail (place != NULL, NULL);

  region.first_row = attn_panel_get_row_position (place, shown->first_row);
  region.last_row = attn_panel_get_row_position (place, shown->last_row);
  region.first_column = attn_panel_get_column_position (place, shown->first_column);
  region.last_column = attn_panel_get_column_position (place, shown->last_column);
  return attn_study_region_new (panel, &region);
}

static gboolean
check_span (const char  *what,
            Side         side,
            gsize        first,
            gsize        last,
            GError     **error)
{
  gsize first_index = first, last_index = last;

  if (find_span (side, &first_index, &last_index))
    return TRUE;
  return attn_fail (error, ATTN_ERROR_ARGUMENT,
                    _("region: %s %zu-%zu found, expected within %zu-%zu"), what, first, last,
                    side.get_position (side.panel, 0),
                    side.get_position (side.panel, side.n - 1));
}

/**
 * attn_study_check_region:
 * @error: return location for %ATTN_ERROR_ARGUMENT, which says where a region can be
 *
 * Returns: whether some of @region is shown in @grid
 */
gboolean
attn_study_check_region (const AttnStudyRegion  *region,
                         const AttnGrid         *grid,
                         GError                **error)
{
  AttnPanel *panel = get_panel (grid, region->panel);
  const AttnRegion *asked = &region->region;

  if (panel != NULL)
    return check_span (_("rows"), get_rows (panel), asked->first_row, asked->last_row, error) &&
           check_span (_("columns"), get_columns (panel), asked->first_column, asked->last_column,
                       error);
  return attn_fail (error, ATTN_ERROR_ARGUMENT, _("region: panel %zu found, expected 0 to %zu"),
                    region->panel, grid->n_rows * grid->n_columns - 1);
}

/**
 * attn_study_apply_regions:
 * @grid: the panels of @study, not shared yet
 *
 * Puts the regions of the study on their panels. A region is cut to the rows and columns that are
 * shown. If none of them is shown, it stays in the study and is drawn again once some are.
 */
void
attn_study_apply_regions (const AttnStudy *study,
                          AttnGrid        *grid)
{
  for (guint i = 0; i < study->regions->len; i++)
    {
      const AttnStudyRegion *place = g_ptr_array_index (study->regions, i);
      AttnRegion shown;

      if (attn_study_find_region (place, grid, &shown))
        attn_grid_add_region (grid, place->panel / grid->n_columns,
                              place->panel % grid->n_columns, &shown);
    }
}

/**
 * attn_region_measure:
 * @region: a region of the panel; rows and columns beyond the panel count as its last
 * @cancellable: (nullable): when canceled, the rows that are not read yet are left out
 *
 * Returns: mean, largest value and number of the region's cells; masked cells and those that are
 *   not a number do not count
 */
AttnRegionMeasures
attn_region_measure (AttnPanel        *panel,
                     const AttnRegion *region,
                     GCancellable     *cancellable)
{
  AttnRegionMeasures measures = { .largest = NAN };
  gsize last_row = MIN (region->last_row, attn_panel_get_n_rows (panel) - 1);
  gsize last_column = MIN (region->last_column, attn_panel_get_n_columns (panel) - 1);
  g_auto (AttnPanelReader) reader = { .panel = panel };
  double sum = 0;

  for (gsize row = MIN (region->first_row, last_row);
       row <= last_row && !g_cancellable_is_cancelled (cancellable); row++)
    {
      const float *values = attn_panel_reader_get_row (&reader, row);

      for (gsize column = MIN (region->first_column, last_column); column <= last_column; column++)
        {
          double value = values[column];

          if (isnan (value) || !attn_panel_is_visible (panel, row, column))
            continue;
          sum += value;
          measures.largest = measures.n_cells == 0 ? value : MAX (measures.largest, value);
          measures.n_cells++;
        }
    }
  measures.mean = measures.n_cells > 0 ? sum / measures.n_cells : NAN;
  return measures;
}
