/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A matrix from CSV or TSV after RFC 4180, with or without a header and an index column. What has
 * one line an element is for attn-csv-long.c.
 *
 * What is a label and what a number:
 * - A cell that is not a number is a label; an empty cell is the number NaN.
 * - Where the last cell of the file, which is always a number, has no quotes, a cell with quotes is
 *   a label though it reads as a number. R writes so, and so does attn-csv.c.
 * - The first row is a header if it holds a label, the first column an index if it does. The cell
 *   that they share counts only if nothing else does and it is a name ("token", not "0,5"): then
 *   there are both.
 * - Under a header whose first cell is layer or index without quotes, whole numbers that grow from row to row
 *   are an index.
 * - An empty first cell without quotes says that there are both, unless the file has more empty
 *   cells, which then mean NaN.
 *
 * The text is read twice: once to count and to find the labels, once to fill the matrix. */

#include "config.h"

#include "attn-readers.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "attn-csv-private.h"
#include "attn-error.h"
#include "attn-memory.h"
#include "attn-text.h"

/* Rows that decide what separates the cells. */
#define N_SAMPLED_ROWS 16
/* A longer one is no number that anybody wrote. */
#define MAX_NUMBER_BYTES 400
/* The digits that fit 64 bits; the rest are below the rounding of a double. */
#define MAX_DIGITS 18
/* The largest power of ten that is a double. */
#define MAX_POWER 22
/* All integers up to it are a double. */
#define MAX_EXACT_MANTISSA (G_GUINT64_CONSTANT (1) << 53)

/* What the first reading found. */
typedef struct
{
  gsize n_rows;
  gsize n_columns;
  gboolean is_corner_empty; /* and without quotes */
  gboolean is_corner_text;
  gboolean is_corner_name; /* begins with a letter */
  gboolean is_corner_quoted;
  gboolean is_corner_index;    /* "layer" or "index" */
  gboolean is_column_counting; /* below it, each number an integer above the one before */
  double last_counted;
  gboolean has_row_text; /* in the first row, behind its first cell */
  gboolean has_row_quotes;
  gboolean has_column_text; /* in the first column, below its first cell */
  gboolean has_column_quotes;
  gboolean has_empty; /* elsewhere than in the corner */
  gboolean is_last_quoted;
} Survey;

static gboolean
is_blank (char c)
{
  return c == ' ' || c == '\t';
}

/* Exact up to one rounding within 22, up to three beyond. */
static double
scale_by_ten (guint64 mantissa,
              gint64  exponent)
{
  static const double powers[MAX_POWER + 1] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7,
                                                1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
  double value = mantissa;

  for (; exponent < 0; exponent += MIN (-exponent, MAX_POWER))
    value /= powers[MIN (-exponent, MAX_POWER)];
  for (; exponent > 0; exponent -= MIN (exponent, MAX_POWER))
    value *= powers[MIN (exponent, MAX_POWER)];
  return value;
}

/* Whether any number within four roundings of @value is the same float32. */
static gboolean
is_safe (double value)
{
  return (float) (value * (1 - 0x1p-51)) == (float) (value * (1 + 0x1p-51));
}

/* What stands behind the digits, such as "e-10", added to @exponent. */
static gboolean
scan_exponent (const char **p,
               const char  *end,
               gint64      *exponent)
{
  const char *digit = *p + 1;
  gboolean is_negative = digit < end && *digit == '-';
  int number = 0;
  int n_digits = 0;

  if (digit < end && (*digit == '-' || *digit == '+'))
    digit++;
  for (; digit < end && g_ascii_isdigit (*digit) && n_digits < 4; digit++, n_digits++)
    number = 10 * number + (*digit - '0');
  *exponent += is_negative ? -number : number;
  *p = digit;
  return n_digits > 0;
}

/* "12", "-0.25", ".5", "1e-10", more quickly than strtod, which minds the locale. @value is the
 * nearest double or one that rounds to the same float32. Returns FALSE for everything else, the
 * numbers included that need more care. */
static gboolean
parse_simple_number (const char *p,
                     const char *end,
                     double     *value)
{
  gboolean is_negative = p < end && *p == '-';
  gboolean has_digits = FALSE;
  gboolean has_point = FALSE;
  guint64 mantissa = 0;
  gint64 exponent = 0;
  gsize n_digits = 0;

  if (p < end && (*p == '-' || *p == '+'))
    p++;
  for (; p < end && (g_ascii_isdigit (*p) || (*p == '.' && !has_point)); p++)
    {
      if (*p == '.')
        {
          has_point = TRUE;
          continue;
        }
      has_digits = TRUE;
      if (n_digits < MAX_DIGITS)
        {
          mantissa = 10 * mantissa + (*p - '0');
          exponent -= has_point;
        }
      else
        exponent += !has_point;
      /* Zeros in front are not counted. */
      n_digits += mantissa > 0;
    }
  if (!has_digits)
    return FALSE;
  if (p < end && (*p == 'e' || *p == 'E') && !scan_exponent (&p, end, &exponent))
    return FALSE;
  if (p != end || exponent < -2 * MAX_POWER || exponent > 2 * MAX_POWER)
    return FALSE;
  *value = scale_by_ten (mantissa, exponent);
  if ((mantissa > MAX_EXACT_MANTISSA || ABS (exponent) > MAX_POWER || n_digits > MAX_DIGITS) &&
      !is_safe (*value))
    return FALSE;
  if (is_negative)
    *value = -*value;
  return TRUE;
}

static gboolean
parse_word (const char *text,
            double     *value)
{
  static const struct
  {
    const char *word;
    double value;
  } words[] = {
    { "nan", NAN },
    { "inf", INFINITY },
    { "infinity", INFINITY },
  };
  gboolean is_negative = *text == '-';
  const char *word = *text == '-' || *text == '+' ? text + 1 : text;

  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (g_ascii_strcasecmp (word, words[i].word) == 0)
      {
        *value = is_negative ? -words[i].value : words[i].value;
        return TRUE;
      }
  return FALSE;
}

/* With a point whatever the locale. An empty cell is NaN. */
gboolean
attn_csv_parse_cell (const AttnCsvCell *cell,
                     double            *value)
{
  const char *start = cell->text;
  const char *end = start + cell->length;
  char buffer[MAX_NUMBER_BYTES + 1];

  while (start < end && is_blank (*start))
    start++;
  while (start < end && is_blank (end[-1]))
    end--;
  if (start == end)
    {
      *value = NAN;
      return !cell->is_quoted;
    }
  if (parse_simple_number (start, end, value))
    return TRUE;
  if (end - start > MAX_NUMBER_BYTES)
    return FALSE;
  memcpy (buffer, start, end - start);
  buffer[end - start] = '\0';
  return parse_word (buffer, value) || attn_text_parse_number (buffer, value);
}

/* Whether a cell of this text would be taken for a number if it stood without quotes. */
gboolean
attn_csv_is_number (const char *text)
{
  const AttnCsvCell cell = { .text = text, .length = strlen (text) };
  double value;

  return attn_csv_parse_cell (&cell, &value);
}

static gboolean
is_empty (const AttnCsvCell *cell)
{
  return cell->length == 0 && !cell->is_quoted;
}

/* Takes the separator or the end of the line behind a cell. */
static void
finish_cell (AttnCsvScan *scan,
             AttnCsvCell *cell)
{
  cell->is_last = TRUE;
  if (scan->p == scan->end)
    return;
  if (*scan->p == scan->separator)
    {
      cell->is_last = FALSE;
      scan->p++;
      return;
    }
  if (*scan->p++ == '\r' && scan->p < scan->end && *scan->p == '\n')
    scan->p++;
  scan->line++;
}

static gboolean
is_end_of_line (char c)
{
  return c == '\n' || c == '\r';
}

/* Returns FALSE where the quotes do not close or something stands behind them. */
static gboolean
scan_quoted (AttnCsvScan *scan,
             AttnCsvCell *cell)
{
  const char *p = scan->p + 1;

  cell->text = p;
  for (; p < scan->end; p++)
    {
      if (*p == '"')
        {
          if (p + 1 == scan->end || p[1] != '"')
            break;
          p++;
        }
      else if (*p == '\n' || (*p == '\r' && (p + 1 == scan->end || p[1] != '\n')))
        scan->line++;
    }
  if (p == scan->end)
    return FALSE;
  cell->length = p - cell->text;
  scan->p = p + 1;
  if (scan->p < scan->end && *scan->p != scan->separator && !is_end_of_line (*scan->p))
    return FALSE;
  finish_cell (scan, cell);
  return TRUE;
}

gboolean
attn_csv_scan_cell (AttnCsvScan *scan,
                    AttnCsvCell *cell)
{
  const char *p = scan->p;

  cell->is_quoted = p < scan->end && *p == '"';
  if (cell->is_quoted)
    return scan_quoted (scan, cell);
  while (p < scan->end && *p != scan->separator && !is_end_of_line (*p))
    p++;
  cell->text = scan->p;
  cell->length = p - scan->p;
  scan->p = p;
  finish_cell (scan, cell);
  return TRUE;
}

/* Goes to the next row; lines without anything are none. Returns FALSE at the end. */
gboolean
attn_csv_find_row (AttnCsvScan *scan)
{
  while (scan->p < scan->end && is_end_of_line (*scan->p))
    {
      if (*scan->p++ == '\r' && scan->p < scan->end && *scan->p == '\n')
        scan->p++;
      scan->line++;
    }
  return scan->p < scan->end;
}

/* How well a separator fits the first rows: numbers found, and whether all rows are as long, of
 * more than one cell, which lines without the separator have, too. */
static gsize
count_numbers (AttnCsvScan  scan,
               gboolean    *is_even)
{
  gsize n_numbers = 0;
  gsize n_first = 0;

  *is_even = TRUE;
  for (guint row = 0; row < N_SAMPLED_ROWS && attn_csv_find_row (&scan); row++)
    {
      gsize n_cells = 0;
      double value;
      AttnCsvCell cell;

      do
        {
          if (!attn_csv_scan_cell (&scan, &cell))
            {
              *is_even = FALSE;
              return n_numbers;
            }
          n_cells++;
          n_numbers += !is_empty (&cell) && attn_csv_parse_cell (&cell, &value);
        }
      while (!cell.is_last);
      if (row == 0)
        n_first = n_cells;
      *is_even = *is_even && n_cells == n_first && n_cells > 1;
    }
  return n_numbers;
}

/* What leaves rows of equal length and the most numbers; where that does not decide, a comma, or
 * what the suffix says. */
static char
choose_separator (const AttnCsvScan *start,
                  const char        *path)
{
  g_autofree char *lower = g_ascii_strdown (path, -1);
  const char *candidates = g_str_has_suffix (lower, ".tsv") ? "\t,;" : ",\t;";
  char best = candidates[0];
  gboolean is_best_even = FALSE;
  gsize n_best = 0;

  for (guint i = 0; candidates[i] != '\0'; i++)
    {
      AttnCsvScan scan = *start;
      gboolean is_even;

      scan.separator = candidates[i];
      gsize n = count_numbers (scan, &is_even);
      if (i == 0 || is_even > is_best_even || (is_even == is_best_even && n > n_best))
        {
          best = candidates[i];
          is_best_even = is_even;
          n_best = n;
        }
    }
  return best;
}

/* What a column of numbers is called that number the rows. */
static gboolean
is_index_name (const AttnCsvCell *cell)
{
  static const char * const names[] = { "layer", "layers", "index" };

  for (gsize i = 0; i < G_N_ELEMENTS (names) && !cell->is_quoted; i++)
    if (cell->length == strlen (names[i]) &&
        g_ascii_strncasecmp (cell->text, names[i], cell->length) == 0)
      return TRUE;
  return FALSE;
}

static void
survey_cell (Survey            *survey,
             const AttnCsvCell *cell,
             gsize              row,
             gsize              column)
{
  gboolean is_corner = row == 0 && column == 0;
  double value;

  survey->is_last_quoted = cell->is_quoted;
  survey->has_empty = survey->has_empty || (!is_corner && is_empty (cell));
  if (row > 0 && column > 0)
    return;

  gboolean is_text = !attn_csv_parse_cell (cell, &value);
  if (is_corner)
    {
      survey->is_corner_empty = is_empty (cell);
      survey->is_corner_text = is_text;
      survey->is_corner_name =
          is_text && cell->length > 0 && g_unichar_isalpha (g_utf8_get_char (cell->text));
      survey->is_corner_quoted = cell->is_quoted;
      survey->is_corner_index = is_index_name (cell);
      survey->is_column_counting = TRUE;
      survey->last_counted = -1;
    }
  else if (row == 0)
    {
      survey->has_row_text = survey->has_row_text || is_text;
      survey->has_row_quotes = survey->has_row_quotes || cell->is_quoted;
    }
  else
    {
      survey->has_column_text = survey->has_column_text || is_text;
      survey->has_column_quotes = survey->has_column_quotes || cell->is_quoted;
      survey->is_column_counting = survey->is_column_counting && !is_text &&
                                   value > survey->last_counted && value == floor (value);
      survey->last_counted = value;
    }
}

static gboolean
survey_row (AttnCsvScan  *scan,
            const char   *path,
            Survey       *survey,
            GError      **error)
{
  gsize line = scan->line;
  gsize n_cells = 0;
  AttnCsvCell cell;

  do
    {
      if (!attn_csv_scan_cell (scan, &cell))
        {
          g_set_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT,
                       _("%s: line %zu: quotes around part of a cell or not closed "
                         "found, expected them around a whole one"),
                       path, line);
          return FALSE;
        }
      survey_cell (survey, &cell, survey->n_rows, n_cells++);
    }
  while (!cell.is_last);
  if (survey->n_rows > 0 && n_cells != survey->n_columns)
    {
      g_set_error (error, ATTN_ERROR, ATTN_ERROR_SHAPE,
                   _("%s: line %zu: %zu cells found, expected %zu as in the first row"),
                   path, line, n_cells, survey->n_columns);
      return FALSE;
    }
  survey->n_columns = n_cells;
  survey->n_rows++;
  return TRUE;
}

/* The rules at the head of this file. */
static void
find_labels (const Survey *survey,
             gboolean     *has_header,
             gboolean     *has_index)
{
  gboolean quotes_count = !survey->is_last_quoted;
  gboolean is_quoted_label = quotes_count && survey->is_corner_quoted;
  gboolean is_corner_text = survey->is_corner_text || is_quoted_label;
  gboolean is_corner_name = survey->is_corner_name || is_quoted_label;

  *has_header = survey->has_row_text || (quotes_count && survey->has_row_quotes);
  *has_index = survey->has_column_text || (quotes_count && survey->has_column_quotes) ||
               (*has_header && survey->is_corner_index && survey->is_column_counting);
  if (survey->n_rows == 1 || survey->n_columns == 1)
    {
      /* A header above nothing would leave no matrix. */
      *has_header = survey->n_rows > 1 && (*has_header || is_corner_text);
      *has_index = survey->n_columns > 1 && (*has_index || is_corner_text);
    }
  else if (survey->is_corner_empty ? *has_header || *has_index || !survey->has_empty
                                   : is_corner_name && !*has_header && !*has_index)
    *has_header = *has_index = TRUE;
}

/* Between quotes, two quotes are one. */
char *
attn_csv_dup_label (const AttnCsvCell *cell)
{
  if (!cell->is_quoted)
    return g_strndup (cell->text, cell->length);

  char *label = g_malloc (cell->length + 1);
  char *out = label;
  for (gsize i = 0; i < cell->length; i++)
    {
      *out++ = cell->text[i];
      if (cell->text[i] == '"')
        i++;
    }
  *out = '\0';
  return label;
}

gboolean
attn_csv_fill_cell (const char         *path,
                    const AttnCsvCell  *cell,
                    gsize               line,
                    gsize               column,
                    float              *out,
                    GError            **error)
{
  double value;

  if (attn_csv_parse_cell (cell, &value))
    {
      *out = value;
      if (!isinf (*out) || isinf (value))
        return TRUE;
    }

  g_autofree char *text = g_utf8_substring (cell->text, 0,
                                            MIN (g_utf8_strlen (cell->text, cell->length), 40));
  g_set_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT,
               _("%s: line %zu, cell %zu: “%s” found, expected a number with a point that fits float32"),
               path, line, column + 1, text);
  return FALSE;
}

/* The second reading. @values: [n_rows, n_columns] without labels. */
static gboolean
fill (AttnCsvScan    scan,
      const char    *path,
      const Survey  *survey,
      gboolean       has_header,
      gboolean       has_index,
      float         *values,
      GPtrArray     *row_labels,
      GPtrArray     *column_labels,
      GError       **error)
{
  for (gsize row = 0; row < survey->n_rows && attn_csv_find_row (&scan); row++)
    for (gsize column = 0; column < survey->n_columns; column++)
      {
        gboolean is_header = has_header && row == 0;
        gboolean is_index = has_index && column == 0;
        gsize line = scan.line;
        AttnCsvCell cell;

        attn_csv_scan_cell (&scan, &cell);
        if (is_header && !is_index)
          g_ptr_array_add (column_labels, attn_csv_dup_label (&cell));
        else if (is_index && !is_header)
          g_ptr_array_add (row_labels, attn_csv_dup_label (&cell));
        else if (!is_header && !attn_csv_fill_cell (path, &cell, line, column, values++, error))
          return FALSE;
      }
  g_ptr_array_add (row_labels, NULL);
  g_ptr_array_add (column_labels, NULL);
  return TRUE;
}

/* An array of text has room for its longest string in each place. */
gboolean
attn_csv_add_labels (AttnArrayFile  *file,
                     const char     *name,
                     GPtrArray      *labels,
                     GError        **error)
{
  const char * const *strings = (const char * const *) labels->pdata;
  g_autofree char *where = g_strdup_printf ("%s: %s", attn_array_file_get_path (file), name);
  gsize n_bytes = sizeof (guint32);

  for (gsize i = 0; strings[i] != NULL; i++)
    n_bytes = MAX (n_bytes, sizeof (guint32) * g_utf8_strlen (strings[i], -1));
  if (!g_size_checked_mul (&n_bytes, n_bytes, labels->len))
    n_bytes = G_MAXSIZE;
  return attn_memory_check (n_bytes, where, error) &&
         attn_array_file_add (file, attn_array_new_strings (name, strings), error);
}

static gboolean
read_matrix (AttnArrayFile      *file,
             const AttnCsvScan  *start,
             const Survey       *survey,
             GError            **error)
{
  const char *path = attn_array_file_get_path (file);
  g_autoptr (GPtrArray) row_labels = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) column_labels = g_ptr_array_new_with_free_func (g_free);
  gboolean has_header;
  gboolean has_index;

  find_labels (survey, &has_header, &has_index);
  const gsize shape[] = { survey->n_rows - has_header, survey->n_columns - has_index };
  /* A cell takes at least one byte of the file, the separator: this cannot overflow. */
  gsize n_bytes = shape[0] * shape[1] * sizeof (float);
  if (!attn_memory_check (n_bytes, path, error))
    return FALSE;

  g_autofree float *values = g_malloc (n_bytes);
  if (!fill (*start, path, survey, has_header, has_index, values, row_labels, column_labels, error))
    return FALSE;
  g_autoptr (GBytes) bytes = g_bytes_new_take (g_steal_pointer (&values), n_bytes);
  return attn_array_file_add (file, attn_array_new ("", ATTN_DTYPE_F32, 2, shape, bytes, NULL),
                              error) &&
         (!has_index || attn_csv_add_labels (file, "row_labels", row_labels, error)) &&
         (!has_header || attn_csv_add_labels (file, "column_labels", column_labels, error));
}

/**
 * attn_csv_read:
 * @file: where the matrix goes, as float32 named "", and its labels, as text named "row_labels" and
 *   "column_labels"; its path begins each message
 * @bytes: the whole file, UTF-8 with or without a byte order mark; lines end in LF, CR LF or CR
 * @error: return location: %ATTN_ERROR_FORMAT for text that is not UTF-8, quotes that do not close,
 *   a cell that is neither number nor label and a file without cells, %ATTN_ERROR_SHAPE for rows of
 *   different lengths, %ATTN_ERROR_MEMORY; the line is named
 *
 * Cells are separated by commas, semicolons or tabs, whichever fits; numbers have a point in every
 * locale. What [func@attn_csv_write] makes of a matrix reads back to the same values and labels,
 * and so does what it makes of attention: an array named "" of three or four dimensions, labels
 * named "query_labels" and so on, and the names of the dimensions as "dimensions".
 */
gboolean
attn_csv_read (AttnArrayFile  *file,
               GBytes         *bytes,
               GError        **error)
{
  const char *path = attn_array_file_get_path (file);
  gsize size;
  const char *text = g_bytes_get_data (bytes, &size);
  AttnCsvScan start = { .p = size > 0 ? text : "", .line = 1 };
  Survey survey = { 0 };
  gboolean is_long;

  start.end = start.p + size;
  if (size >= 3 && memcmp (text, "\xef\xbb\xbf", 3) == 0)
    start.p += 3;
  if (!g_utf8_validate_len (start.p, start.end - start.p, NULL))
    {
      g_set_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT,
                   _("%s: other bytes found, expected UTF-8 text without zeros"), path);
      return FALSE;
    }

  if (!attn_csv_read_long (file, &start, &is_long, error))
    return FALSE;
  if (is_long)
    return TRUE;
  start.separator = choose_separator (&start, path);
  AttnCsvScan scan = start;
  while (attn_csv_find_row (&scan))
    if (!survey_row (&scan, path, &survey, error))
      return FALSE;
  if (survey.n_rows == 0)
    {
      g_set_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT,
                   _("%s: no cells found, expected a matrix of numbers"), path);
      return FALSE;
    }
  return read_matrix (file, &start, &survey, error);
}
