/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads a matrix from CSV or TSV according to RFC 4180, with or without a header and an index
 * column. A table with one line for each element is read by attn-csv-long.c.
 *
 * Rules that tell labels from numbers:
 * - A cell that is not a number is a label; an empty cell is the number NaN.
 * - If the last cell of the file, which is always a number, is not quoted, a quoted cell is a label
 *   even if it reads as a number. R writes such files, and so does attn-csv.c.
 * - The first row is a header if it contains a label, and the first column is an index if it does.
 *   Their common cell, the corner, decides only if no other cell does: if it is a name ("token",
 *   not "0,5"), there are both a header and an index.
 * - If the first cell of a header is layer or index without quotes, the first column is an index if
 *   its numbers are whole and increase from row to row.
 * - A first row of 0, 1, 2, ... is a header, as pandas writes one for columns without names, and
 *   such a first column is an index, if the other numbers are not whole. A matrix of whole numbers
 *   that begins so is refused, since both readings are possible.
 * - If each row has one cell more than the first, the first row is a header and the first column
 *   an index: R writes such files.
 * - Lines that begin with "# " are comments. The last of them is a header if it has a name for each
 *   column, or the numbers 0, 1, 2, ...
 * - An empty first cell without quotes means that there are both a header and an index, unless the
 *   file has other empty cells, which are then NaN, and header and index do not both count 0, 1, 2,
 *   ...
 *
 * If the user has chosen by --header which labels the file has, the choice applies instead of these
 * rules.
 *
 * The text is read twice: once to count and to find the labels, once to fill the matrix. */

#include "config.h"

#include "attn-readers.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "attn-array-private.h"
#include "attn-csv-scan.h"
#include "attn-error.h"
#include "attn-memory.h"

/* The number of rows at the beginning of the file by which the separator is chosen. */
#define N_SAMPLED_ROWS 16

/* Places of the table where labels can stand: the first cell, the rest of the first row, the rest
 * of the first column. */
typedef enum
{
  CORNER,
  HEADER,
  INDEX,
  N_PLACES,
} Place;

/* Facts about the cells of a table, from the first reading of the file, by which labels and numbers
 * are told apart. */
typedef struct
{
  gsize n_rows;
  gsize n_columns;
  gboolean has_text[N_PLACES];
  gboolean has_quotes[N_PLACES];
  gboolean is_corner_empty; /* and not quoted */
  gboolean is_corner_name;  /* begins with a letter */
  gboolean is_corner_index; /* is "layer" or "index" */
  gboolean is_last_quoted;  /* the last cell of the file */
  gboolean has_empty;       /* an empty cell outside the corner */
  gboolean is_counting;     /* whether the first column increases from row to row */
  double last_counted;
  gboolean is_short;       /* the first row has one cell less */
  gboolean counts_columns; /* the first row: 0, 1, 2, ... */
  gboolean counts_rows;    /* whether the first column is 0, 1, 2, ..., from the first row on */
  gboolean counts_others;  /* whether the first column is 0, 1, 2, ... from the second row on */
  gboolean counts_names;   /* whether the first row is 0, 1, 2, ... from the second column on */
  gsize n_inner;           /* number of cells outside the first row and column */
  gsize n_inner_whole;     /* number of whole numbers among the cells outside the first row and
                            * column */
  gsize n_below;           /* cells below the first row */
  gsize n_below_whole;
  gsize n_beside; /* cells outside the first column */
  gsize n_beside_whole;
} Survey;

/* Rates how well the separator of @csv fits the first rows of the text: the more cells are numbers,
 * the better. If all rows have the same number of cells, and more than one, that outweighs any
 * number of numbers; with a wrong separator, every row has one cell. */
static gsize
rate_separator (AttnCsv csv)
{
  gsize n_numbers = 0;
  gsize n_first = 0;
  gboolean is_even = TRUE;
  double value;

  while (attn_csv_next (&csv) && csv.row < N_SAMPLED_ROWS)
    {
      n_numbers += !attn_csv_is_empty (&csv) && attn_csv_get_number (&csv, &value);
      if (csv.is_last && csv.row == 0)
        n_first = csv.column;
      is_even = is_even && (!csv.is_last || (csv.column > 0 && csv.column == n_first));
    }
  return n_numbers + (is_even && !csv.is_broken ? G_MAXSIZE / 2 : 0);
}

/* Chooses the separator of cells (comma, tab, semicolon or space) with the best rating. If ratings
 * are equal, a comma is preferred, or in a .tsv file a tab. */
static char
choose_separator (AttnCsv     csv,
                  const char *path)
{
  g_autofree char *lower = g_ascii_strdown (path, -1);
  const char *candidates = g_str_has_suffix (lower, ".tsv") ? "\t,; " : ",\t; ";
  char best = candidates[0];
  gsize best_rating = 0;

  for (const char *candidate = candidates; *candidate != '\0'; candidate++)
    {
      csv.separator = *candidate;
      gsize rating = rate_separator (csv);
      if (rating > best_rating)
        {
          best = *candidate;
          best_rating = rating;
        }
    }
  return best;
}

/* Tells whether a header's cell is the name of a column of row numbers, such as "layer". */
static gboolean
is_index_name (const AttnCsv *cell)
{
  static const char * const names[] = { "layer", "layers", "index" };

  for (gsize i = 0; i < G_N_ELEMENTS (names) && !cell->is_quoted; i++)
    if (cell->length == strlen (names[i]) &&
        g_ascii_strncasecmp (cell->text, names[i], cell->length) == 0)
      return TRUE;
  return FALSE;
}

/* Tells whether a cell is an integer of at least 0 that is not written as "1.0" or "1e0". @number:
 * (out): its value */
static gboolean
is_whole (const AttnCsv *cell,
          guint64       *number)
{
  g_autofree char *text =
      cell->length < 20 && !cell->is_quoted ? g_strndup (cell->text, cell->length) : NULL;

  return text != NULL && g_ascii_string_to_unsigned (g_strstrip (text), 10, 0, G_MAXINT64, number,
                                                     NULL);
}

static void
survey_counts (Survey        *survey,
               const AttnCsv *cell)
{
  guint64 number = G_MAXUINT64;
  gboolean whole = is_whole (cell, &number);

  if (cell->row == 0 && cell->column == 0)
    {
      survey->counts_columns = survey->counts_names = TRUE;
      survey->counts_rows = survey->counts_others = TRUE;
    }
  if (cell->row == 0)
    survey->counts_columns = survey->counts_columns && number == cell->column;
  if (cell->row == 0 && cell->column > 0)
    survey->counts_names = survey->counts_names && number == cell->column - 1;
  if (cell->column == 0)
    survey->counts_rows = survey->counts_rows && number == cell->row;
  if (cell->column == 0 && cell->row > 0)
    survey->counts_others = survey->counts_others && number == cell->row - 1;
  survey->n_below += cell->row > 0;
  survey->n_below_whole += cell->row > 0 && whole;
  survey->n_beside += cell->column > 0;
  survey->n_beside_whole += cell->column > 0 && whole;
  survey->n_inner += cell->row > 0 && cell->column > 0;
  survey->n_inner_whole += cell->row > 0 && cell->column > 0 && whole;
}

static void
survey_cell (Survey        *survey,
             const AttnCsv *cell)
{
  Place place = cell->row > 0 ? INDEX : cell->column > 0 ? HEADER
                                                         : CORNER;
  double value;

  survey->is_last_quoted = cell->is_quoted;
  survey->has_empty |= place != CORNER && attn_csv_is_empty (cell);
  if (cell->row > 0 && cell->column > 0)
    return;

  gboolean is_text = !attn_csv_get_number (cell, &value);
  survey->has_text[place] |= is_text;
  survey->has_quotes[place] |= cell->is_quoted;
  if (place == CORNER)
    {
      survey->is_corner_empty = attn_csv_is_empty (cell);
      survey->is_corner_name =
          is_text && cell->length > 0 && g_unichar_isalpha (g_utf8_get_char (cell->text));
      survey->is_corner_index = is_index_name (cell);
      survey->is_counting = TRUE;
      survey->last_counted = -1;
    }
  else if (place == INDEX)
    {
      survey->is_counting = survey->is_counting && !is_text && value > survey->last_counted &&
                            value == floor (value);
      survey->last_counted = value;
    }
}

static gboolean
has_label (const Survey *survey,
           Place         place)
{
  return survey->has_text[place] || (survey->has_quotes[place] && !survey->is_last_quoted);
}

static gboolean
survey_cells (AttnCsv           csv,
              const char       *path,
              AttnTableHeader   header,
              Survey           *survey,
              GError          **error)
{
  while (attn_csv_next (&csv))
    {
      survey_cell (survey, &csv);
      survey_counts (survey, &csv);
      if (csv.row == 0)
        survey->n_columns = csv.column + 1;
      else if (csv.row == 1 && csv.is_last && csv.column == survey->n_columns &&
               (header == ATTN_TABLE_HEADER_AUTO
                    ? has_label (survey, HEADER) || has_label (survey, CORNER)
                    : header == ATTN_TABLE_HEADER_BOTH))
        {
          survey->is_short = TRUE;
          survey->n_columns++;
        }
      else if (csv.is_last && csv.column + 1 != survey->n_columns)
        return attn_fail (error, ATTN_ERROR_SHAPE,
                          _("%s: line %zu: %zu cells found, expected %zu as in the first row"),
                          path, attn_csv_count_lines (&csv, csv.line), csv.column + 1,
                          survey->n_columns);
    }
  survey->n_rows = csv.row;
  if (csv.is_broken)
    return attn_fail (error, ATTN_ERROR_FORMAT,
                      _("%s: line %zu: quotes around part of a cell or not closed found, expected "
                        "them around a whole one"),
                      path, attn_csv_count_lines (&csv, csv.line));
  return survey->n_rows > 0 ||
         attn_fail (error, ATTN_ERROR_FORMAT, _("%s: no cells found, expected a matrix of numbers"),
                    path);
}

/* Tells whether a row or column with the numbers 0, 1, ..., @n - 1 is a header or an index and not
 * a part of the matrix: no other number (@n_others in all) is whole, or some are not whole and @n >
 * 2, since attention weights do not exceed 1. */
static gboolean
is_apart (gsize n,
          gsize n_others,
          gsize n_whole)
{
  return n_others > 0 && (n_whole == 0 || (n > 2 && n_whole < n_others));
}

/* Decides for a file without labels whether a first row 0, 1, 2, ... is a header, or such a first
 * column an index. Fails if both readings are possible. */
static gboolean
find_counts (const Survey  *survey,
             const char    *path,
             gboolean      *has_header,
             gboolean      *has_index,
             GError       **error)
{
  if (survey->n_rows < 2 || survey->n_columns < 2)
    return TRUE;
  if (survey->counts_columns)
    *has_header = is_apart (survey->n_columns, survey->n_below, survey->n_below_whole);
  else if (survey->counts_rows)
    *has_index = is_apart (survey->n_rows, survey->n_beside, survey->n_beside_whole);
  return !(survey->counts_columns || survey->counts_rows) || *has_header || *has_index ||
         attn_fail (error, ATTN_ERROR_AMBIGUOUS,
                    _("%s: numbers that count from 0 found in the first row or column, which can "
                      "be a header or a part of the matrix; expected --header (none, row, column "
                      "or both) to say so, quotes around a header’s, or a point in the matrix’s "
                      "(0.0)"),
                    path);
}

/* Sets from the user's choice whether the table has a header and an index. Fails if no matrix would
 * be left. */
static gboolean
set_labels (const Survey     *survey,
            AttnTableHeader   header,
            const char       *path,
            gboolean         *has_header,
            gboolean         *has_index,
            GError          **error)
{
  *has_header = header == ATTN_TABLE_HEADER_ROW || header == ATTN_TABLE_HEADER_BOTH;
  *has_index = header == ATTN_TABLE_HEADER_COLUMN || header == ATTN_TABLE_HEADER_BOTH;
  return (survey->n_rows > (gsize) *has_header && survey->n_columns > (gsize) *has_index) ||
         attn_fail (error, ATTN_ERROR_SHAPE,
                    _("%s: %zu rows and %zu columns found with the header “%s”, expected a matrix "
                      "beside it"),
                    path, survey->n_rows, survey->n_columns, attn_table_header_names[header]);
}

/* Decides whether the table has a header and an index, by the rules at the top of this file. */
static gboolean
find_labels (const Survey  *survey,
             const char    *path,
             gboolean      *has_header,
             gboolean      *has_index,
             GError       **error)
{
  gboolean is_corner_name = survey->is_corner_name ||
                            (survey->has_quotes[CORNER] && !survey->is_last_quoted);

  *has_header = has_label (survey, HEADER);
  *has_index = has_label (survey, INDEX) ||
               (*has_header && survey->is_corner_index && survey->is_counting) ||
               (*has_header && survey->counts_others && survey->n_rows > 2 &&
                survey->n_inner > 0 && survey->n_inner_whole == 0);
  if (survey->is_short)
    *has_header = *has_index = TRUE;
  if (!*has_header && !*has_index && !has_label (survey, CORNER) && !survey->is_corner_empty)
    return find_counts (survey, path, has_header, has_index, error);
  if (survey->n_rows == 1 || survey->n_columns == 1)
    {
      /* The only row of a table is not a header, and the only column not an index, since no matrix
       * would be left. */
      *has_header = survey->n_rows > 1 && (*has_header || has_label (survey, CORNER));
      *has_index = survey->n_columns > 1 && (*has_index || has_label (survey, CORNER));
    }
  else if (survey->is_corner_empty ? *has_header || *has_index || !survey->has_empty ||
                                         (survey->counts_names && survey->counts_others)
                                   : is_corner_name && !*has_header && !*has_index)
    *has_header = *has_index = TRUE;
  return TRUE;
}

/* Reads the labels and numbers of the table in the second reading of the file, and adds them to
 * @file. */
static gboolean
read_matrix (AttnArrayFile  *file,
             AttnCsv         csv,
             const Survey   *survey,
             GError        **error)
{
  const char *path = attn_array_file_get_path (file);
  g_autoptr (GPtrArray) row_labels = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) column_labels = g_ptr_array_new_with_free_func (g_free);
  AttnTableHeader header = attn_array_file_get_header (file);
  gboolean has_header = FALSE;
  gboolean has_index = FALSE;

  if (header == ATTN_TABLE_HEADER_AUTO
          ? !find_labels (survey, path, &has_header, &has_index, error)
          : !set_labels (survey, header, path, &has_header, &has_index, error))
    return FALSE;
  const gsize shape[] = { survey->n_rows - has_header, survey->n_columns - has_index };
  /* The product cannot overflow, since each cell takes at least one byte of the file, the separator
   * behind it. */
  gsize n_bytes = shape[0] * shape[1] * sizeof (float);
  g_autofree float *values = attn_memory_try_alloc (n_bytes, path, error);
  if (values == NULL)
    return FALSE;

  float *out = values;
  while (attn_csv_next (&csv))
    {
      gboolean is_header = has_header && csv.row == 0;
      gboolean is_index = has_index && csv.column == 0 && !(is_header && survey->is_short);

      if (is_header != is_index)
        g_ptr_array_add (is_header ? column_labels : row_labels, attn_csv_dup_label (&csv));
      else if (!is_header && !attn_csv_read_float (&csv, path, out++, error))
        return FALSE;
    }
  g_ptr_array_add (row_labels, NULL);
  g_ptr_array_add (column_labels, NULL);

  g_autoptr (GBytes) bytes = g_bytes_new_take (g_steal_pointer (&values), n_bytes);
  return attn_array_file_add (file, attn_array_new ("", ATTN_DTYPE_F32, 2, shape, bytes, NULL),
                              error) &&
         (!has_index || attn_csv_add_labels (file, "row_labels", row_labels, error)) &&
         (!has_header || attn_csv_add_labels (file, "column_labels", column_labels, error));
}

static gsize
count_cells (AttnCsv csv)
{
  while (attn_csv_next (&csv))
    if (csv.is_last)
      return csv.column + 1;
  return 0;
}

static gboolean
is_row_of_counts (AttnCsv csv)
{
  guint64 number;

  while (attn_csv_next (&csv) && csv.row == 0)
    if (!is_whole (&csv, &number) || number != csv.column)
      return FALSE;
  return TRUE;
}

/* Skips lines before the first row that begin with "# ", as numpy.savetxt() writes them, and takes
 * the column names from the last one. If cells are separated by spaces, only the names 0, 1, 2, ...
 * are accepted, since any comment consists of words between spaces. */
static void
skip_comments (AttnCsv         *csv,
               AttnTableHeader  header_kind,
               const char      *path)
{
  const char *line = csv->next;
  AttnCsv header = { 0 };

  while (csv->end - line >= 2 && line[0] == '#' && line[1] == ' ')
    {
      const char *begin = line + 2;

      while (line < csv->end && *line != '\n' && *line != '\r')
        line++;
      header = attn_csv_begin (begin, (gsize) (line - begin));
      while (line < csv->end && (*line == '\n' || *line == '\r'))
        line++;
    }
  csv->start = csv->next = line;
  csv->separator = choose_separator (*csv, path);
  if (header.start == NULL || header_kind == ATTN_TABLE_HEADER_NONE ||
      header_kind == ATTN_TABLE_HEADER_COLUMN)
    return;
  header.separator = csv->separator;
  if (count_cells (header) == count_cells (*csv) &&
      (csv->separator != ' ' || is_row_of_counts (header)))
    csv->start = csv->next = header.start;
}

/**
 * attn_csv_read:
 * @file: the file that the matrix is added to, as a float32 array named "", and its labels, as
 *   arrays of text named "row_labels" and "column_labels"; its path begins each message
 * @bytes: the content of the .csv or .tsv file, UTF-8 with or without a byte order mark; lines end
 *   in LF, CR LF or CR
 * @error: return location: %ATTN_ERROR_FORMAT for text that is not UTF-8, quotes that do not close,
 *   a cell that is neither number nor label and a file without cells, %ATTN_ERROR_SHAPE for rows of
 *   different lengths, %ATTN_ERROR_AMBIGUOUS, %ATTN_ERROR_MEMORY; the message names the line
 *
 * Reads a table. Cells are separated by commas, semicolons, tabs or spaces, whichever fits; numbers
 * have a decimal point in every locale. A file that [func@attn_csv_write] has written is read back
 * to the same values and labels; for attention of three or four dimensions this is an array named
 * "", labels named "query_labels" and so on, and the names of the dimensions as "dimensions".
 */
gboolean
attn_csv_read (AttnArrayFile  *file,
               GBytes         *bytes,
               GError        **error)
{
  const char *path = attn_array_file_get_path (file);
  gsize size;
  const char *text = g_bytes_get_data (bytes, &size);
  AttnCsv csv = attn_csv_begin (size > 0 ? text : "", size);
  AttnTableHeader header = attn_array_file_get_header (file);
  Survey survey = { 0 };
  gboolean is_long = FALSE;

  if (!g_utf8_validate_len (csv.start, csv.end - csv.start, NULL))
    return attn_fail (error, ATTN_ERROR_FORMAT,
                      _("%s: other bytes found, expected UTF-8 text without zeros"), path);
  skip_comments (&csv, header, path);
  return survey_cells (csv, path, header, &survey, error) &&
         (header != ATTN_TABLE_HEADER_AUTO ||
          attn_csv_read_long (file, csv, survey.n_rows, survey.n_columns, &is_long, error)) &&
         (is_long || read_matrix (file, csv, &survey, error));
}
