/* SPDX-License-Identifier: GPL-3.0-or-later */

/* CSV and TSV from elsewhere: labels or none, quotes, separators, line ends, numbers; and what the
 * writer wrote. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "attn-array-private.h"
#include "attn-memory.h"
#include "attn-readers.h"
#include "format-fixture.h"
#include "../comma-locale.h"

static AttnArrayFile *
read_text_as (AttnTableHeader  header,
              const char      *text)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
  g_autoptr (AttnArrayFile) file = attn_array_file_new ("FILE");
  g_autoptr (GError) error = NULL;

  attn_array_file_set_header (file, header);
  if (!attn_csv_read (file, bytes, &error))
    g_error ("“%s”: %s", text, error->message);
  return g_steal_pointer (&file);
}

static void
assert_refused (const char *text,
                int         code,
                const char *message_part)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));

  fixture_assert_refused (attn_csv_read, bytes, code, message_part);
}

/* @expected: the labels, with “|” between; %NULL for none. */
static void
check_labels (const AttnArrayFile *file,
              const char          *name,
              const char          *expected)
{
  g_auto (GStrv) labels = attn_array_file_dup_labels (file, name);
  g_autofree char *joined = labels != NULL ? g_strjoinv ("|", labels) : NULL;

  g_assert_cmpstr (joined, ==, expected);
}

/* NaN stands for itself. */
static void
check_text_as (AttnTableHeader  header,
               const char      *text,
               gsize            n_rows,
               gsize            n_columns,
               const float     *values,
               const char      *row_labels,
               const char      *column_labels)
{
  g_autoptr (AttnArrayFile) file = read_text_as (header, text);
  const AttnArray *matrix = attn_array_file_get_nth (file, 0);
  g_autofree float *found = g_new (float, n_rows *n_columns);

  g_assert_cmpstr (matrix->name, ==, "");
  g_assert_cmpuint (matrix->n_dims, ==, 2);
  if (matrix->shape[0] != n_rows || matrix->shape[1] != n_columns)
    g_error ("“%s”: %" G_GSIZE_FORMAT " x %" G_GSIZE_FORMAT " found, expected %" G_GSIZE_FORMAT
             " x %" G_GSIZE_FORMAT,
             text, matrix->shape[0], matrix->shape[1], n_rows, n_columns);
  g_assert_true (attn_array_read (matrix, 0, n_rows * n_columns, found, NULL));
  for (gsize i = 0; i < n_rows * n_columns; i++)
    if (isnan (values[i]) ? !isnan (found[i]) : found[i] != values[i])
      g_error ("“%s”, number %" G_GSIZE_FORMAT ": %.9g found, expected %.9g", text, i, found[i],
               values[i]);
  check_labels (file, "row_labels", row_labels);
  check_labels (file, "column_labels", column_labels);
}

static void
check_text (const char  *text,
            gsize        n_rows,
            gsize        n_columns,
            const float *values,
            const char  *row_labels,
            const char  *column_labels)
{
  check_text_as (ATTN_TABLE_HEADER_AUTO, text, n_rows, n_columns, values, row_labels,
                 column_labels);
}

#define V(...) ((const float[]) { __VA_ARGS__ })

static void
test_labels_or_none (void)
{
  const float *four = V (1, 2, 3, 4);

  check_text ("1,2\n3,4\n", 2, 2, four, NULL, NULL);
  check_text ("a,b\n1,2\n3,4\n", 2, 2, four, NULL, "a|b");
  check_text ("a,1,2\nb,3,4\n", 2, 2, four, "a|b", NULL);
  check_text (",a,b\nc,1,2\nd,3,4\n", 2, 2, four, "c|d", "a|b");
  check_text ("token,a,b\nc,1,2\nd,3,4\n", 2, 2, four, "c|d", "a|b");
  /* Some labels are numbers. */
  check_text ("7,a\n1,2\n3,4\n", 2, 2, four, NULL, "7|a");
  check_text ("7,1,2\nb,3,4\n", 2, 2, four, "7|b", NULL);
  /* As pandas writes a frame without names, or with names on one axis. */
  check_text (",0,1\n0,1,2\n1,3,4\n", 2, 2, four, "0|1", "0|1");
  check_text (",a,b\n0,1,2\n1,3,4\n", 2, 2, four, "0|1", "a|b");
  check_text (",0,1\na,1,2\nb,3,4\n", 2, 2, four, "a|b", "0|1");
  check_text ("token,0,1\n0,1,2\n1,3,4\n", 2, 2, four, "0|1", "0|1");
  /* A probe's table: the first column numbers the layers. */
  check_text ("layer,a,b\n0,1,2\n2,3,4\n", 2, 2, four, "0|2", "a|b");
  check_text ("layer,b\n1,2\n0.5,4\n", 2, 2, V (1, 2, 0.5f, 4), NULL, "layer|b");
  check_text ("\"layer\",b\n1,2\n3,4\n", 2, 2, four, NULL, "layer|b");
  /* As R does. */
  check_text ("\"1\",\"2\"\n1,2\n3,4\n", 2, 2, four, NULL, "1|2");
  check_text ("\"\",\"1\",\"2\"\n\"1\",1,2\n\"2\",3,4\n", 2, 2, four, "1|2", "1|2");
  /* Quotes everywhere say nothing. */
  check_text ("\"1\",\"2\"\n\"3\",\"4\"\n", 2, 2, four, NULL, NULL);
  /* Lines and columns of one. */
  check_text ("a\n1\n2\n3\n4\n", 4, 1, four, NULL, "a");
  check_text ("a,1,2,3,4\n", 1, 4, four, "a", NULL);
  check_text ("1\n", 1, 1, four, NULL, NULL);
  check_text ("a,1\n", 1, 1, four, "a", NULL);
  check_text ("a\n1\n", 1, 1, four, NULL, "a");
}

/* What pandas, numpy.savetxt() and R write of a matrix, with names and without. */
static void
test_from_other_programs (void)
{
  const float *half = V (0.5f, 1, 0.25f, 0.75f);
  const float *nine = V (1, 0, 0, 0.5f, 0.5f, 0, 0.25f, 0.25f, 0.5f);

  /* DataFrame (a).to_csv (), with index=False, with header=False, with both; of tokens, of NaN */
  check_text (",0,1\n0,0.5,1.0\n1,0.25,0.75\n", 2, 2, half, "0|1", "0|1");
  check_text ("0,1\n0.5,1.0\n0.25,0.75\n", 2, 2, half, NULL, "0|1");
  check_text ("0,0.5,1.0\n1,0.25,0.75\n", 2, 2, half, "0|1", NULL);
  check_text ("0.5,1.0\n0.25,0.75\n", 2, 2, half, NULL, NULL);
  check_text ("token,It,I\n0,0.5,1.0\n1,0.25,0.75\n", 2, 2, half, "0|1", "It|I");
  check_text (",0,1\n0,,1.0\n1,0.25,\n", 2, 2, V (NAN, 1, 0.25f, NAN), "0|1", "0|1");
  check_text ("0;1\n0.5;1.0\n0.25;0.75\n", 2, 2, half, NULL, "0|1");
  /* numpy.savetxt (f, a); with delimiter=","; with header= */
  check_text ("5.000000000000000000e-01 1.000000000000000000e+00\n"
              "2.500000000000000000e-01 7.500000000000000000e-01\n",
              2, 2, half, NULL, NULL);
  check_text ("0.000000000000000000e+00 1.000000000000000000e+00\n"
              "1.000000000000000000e+00 0.000000000000000000e+00\n",
              2, 2, V (0, 1, 1, 0), NULL, NULL);
  check_text ("# 0 1\n0.5 1.0\n0.25 0.75\n", 2, 2, half, NULL, "0|1");
  check_text ("# of head\n0.5 1.0\n0.25 0.75\n", 2, 2, half, NULL, NULL);
  check_text ("# made by hand\n# It,I\n0.5,1.0\n0.25,0.75\n", 2, 2, half, NULL, "It|I");
  /* write.csv (m), with row.names = FALSE; write.table (m), with quote = FALSE */
  check_text ("\"\",\"V1\",\"V2\"\n\"1\",0.5,1\n\"2\",0.25,0.75\n", 2, 2, half, "1|2", "V1|V2");
  check_text ("\"V1\",\"V2\"\n0.5,1\n0.25,0.75\n", 2, 2, half, NULL, "V1|V2");
  check_text ("\"V1\" \"V2\"\n\"1\" 0.5 1\n\"2\" 0.25 0.75\n", 2, 2, half, "1|2", "V1|V2");
  check_text ("V1 V2\n1 0.5 1\n2 0.25 0.75\n", 2, 2, half, "1|2", "V1|V2");
  check_text ("0,1,2\n1,0,0\n0.5,0.5,0\n0.25,0.25,0.5\n", 3, 3, nine, NULL, "0|1|2");
  check_text ("1,0,0\n0.5,0.5,0\n0.25,0.25,0.5\n", 3, 3, nine, NULL, NULL);
  /* What nobody can tell */
  assert_refused ("0,1\n1,0\n", ATTN_ERROR_AMBIGUOUS, "numbers that count from 0 found");
  assert_refused ("0,1,2,3\n4,5,6,7\n8,9,10,11\n", ATTN_ERROR_AMBIGUOUS, "expected --header");
  assert_refused ("0,5\n1,7\n", ATTN_ERROR_AMBIGUOUS, "numbers that count from 0 found");
  check_text ("0.0,1\n1,0\n", 2, 2, V (0, 1, 1, 0), NULL, NULL);
}

/* The same programs with a matrix of whole numbers, where the reader of the file is told what names
 * columns and rows. */
static void
test_header_is_told (void)
{
  const float *four = V (0, 1, 1, 0);

  /* DataFrame (a).to_csv (), with index=False, with header=False, with both */
  check_text_as (ATTN_TABLE_HEADER_BOTH, ",0,1\n0,0,1\n1,1,0\n", 2, 2, four, "0|1", "0|1");
  check_text_as (ATTN_TABLE_HEADER_ROW, "0,1\n0,1\n1,0\n", 2, 2, four, NULL, "0|1");
  check_text_as (ATTN_TABLE_HEADER_COLUMN, "0,0,1\n1,1,0\n", 2, 2, four, "0|1", NULL);
  check_text_as (ATTN_TABLE_HEADER_NONE, "0,1\n1,0\n", 2, 2, four, NULL, NULL);
  /* numpy.savetxt (f, a, fmt="%d"), with header="0 1" */
  check_text_as (ATTN_TABLE_HEADER_NONE, "0 1\n1 0\n", 2, 2, four, NULL, NULL);
  check_text_as (ATTN_TABLE_HEADER_ROW, "# 0 1\n0 1\n1 0\n", 2, 2, four, NULL, "0|1");
  check_text_as (ATTN_TABLE_HEADER_NONE, "# 0 1\n0 1\n1 0\n", 2, 2, four, NULL, NULL);
  check_text_as (ATTN_TABLE_HEADER_COLUMN, "# 0 1\n7 0 1\n9 1 0\n", 2, 2, four, "7|9", NULL);
  /* write.table (m, quote = FALSE) of names that are numbers, with row.names or col.names FALSE */
  check_text_as (ATTN_TABLE_HEADER_BOTH, "0 1\n0 0 1\n1 1 0\n", 2, 2, four, "0|1", "0|1");
  check_text_as (ATTN_TABLE_HEADER_ROW, "0 1\n0 1\n1 0\n", 2, 2, four, NULL, "0|1");
  check_text_as (ATTN_TABLE_HEADER_COLUMN, "0 0 1\n1 1 0\n", 2, 2, four, "0|1", NULL);
  /* What could be told is read as it is told, too. */
  check_text_as (ATTN_TABLE_HEADER_NONE, "0,1\n0.5,1.0\n", 2, 2, V (0, 1, 0.5f, 1), NULL, NULL);
  check_text_as (ATTN_TABLE_HEADER_ROW, "layer,a\n0,1\n1,0\n", 2, 2, four, NULL, "layer|a");
  check_text_as (ATTN_TABLE_HEADER_COLUMN, "a,0,1\nb,1,0\n", 2, 2, four, "a|b", NULL);
}

/* A header that leaves no matrix, or names that are left in it. */
static void
test_header_that_cannot_be (void)
{
  static const struct
  {
    AttnTableHeader header;
    const char *text;
    int code;
    const char *message_part;
  } cases[] = {
    { ATTN_TABLE_HEADER_ROW, "0,1\n", ATTN_ERROR_SHAPE, "1 rows and 2 columns found" },
    { ATTN_TABLE_HEADER_COLUMN, "0\n1\n", ATTN_ERROR_SHAPE, "“column”" },
    { ATTN_TABLE_HEADER_BOTH, "0\n", ATTN_ERROR_SHAPE, "“both”" },
    { ATTN_TABLE_HEADER_NONE, "a,b\n1,2\n", ATTN_ERROR_FORMAT, "“a”" },
    { ATTN_TABLE_HEADER_COLUMN, "a,b\n1,2\n", ATTN_ERROR_FORMAT, "“b”" },
    { ATTN_TABLE_HEADER_ROW, "a,b\nc,2\n", ATTN_ERROR_FORMAT, "“c”" },
    { ATTN_TABLE_HEADER_ROW, "0 1\n0 0 1\n", ATTN_ERROR_SHAPE, "line 2: 3 cells found" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GBytes) bytes = g_bytes_new_static (cases[i].text, strlen (cases[i].text));
      g_autoptr (AttnArrayFile) file = attn_array_file_new ("FILE");
      g_autoptr (GError) error = NULL;

      attn_array_file_set_header (file, cases[i].header);
      g_assert_false (attn_csv_read (file, bytes, &error));
      g_assert_error (error, ATTN_ERROR, cases[i].code);
      g_assert_nonnull (strstr (error->message, cases[i].message_part));
    }
}

static void
test_not_a_number (void)
{
  const float *values = V (NAN, 2, NAN, 4, NAN, -INFINITY);

  check_text ("1,,2\n,3,4\n", 2, 3, V (1, NAN, 2, NAN, 3, 4), NULL, NULL);
  check_text ("NaN,2\nnan,4\n,-inf\n", 3, 2, values, NULL, NULL);
  /* Empty cells elsewhere mean NaN, and so the first one does. */
  check_text (",2\n,4\n,-Infinity\n", 3, 2, values, NULL, NULL);
  check_text (",a,b\nc,,2\nd,,4\n", 2, 2, V (NAN, 2, NAN, 4), "c|d", "a|b");
}

static void
test_quotes (void)
{
  check_text (",\"a,b\",\"say \"\"é\"\"\"\n\"line\nbreak\",1,2\n\"\",3,4\n", 2, 2, V (1, 2, 3, 4),
              "line\nbreak|", "a,b|say \"é\"");
  /* In the middle of a cell they are characters; spaces belong to a label. */
  check_text (" 5\" , It \n1,2\n", 1, 2, V (1, 2), NULL, " 5\" | It ");
  check_text ("\"1.5\", 2 \n\t3,\"4\"\n", 2, 2, V (1.5f, 2, 3, 4), NULL, NULL);
  assert_refused ("1,2\n3,\"4\n", ATTN_ERROR_FORMAT, "line 2");
  assert_refused ("1,2\n3,4\n\"5\"x,6\n", ATTN_ERROR_FORMAT, "line 3");
}

static void
test_separators (void)
{
  const float *values = V (0.5f, 2, 3, 4);

  check_text ("0.5;2\n3;4\n", 2, 2, values, NULL, NULL);
  check_text ("0.5\t2\n3\t4\n", 2, 2, values, NULL, NULL);
  check_text (";a,b\nc;0.5\nd;2\n", 2, 1, values, "c|d", "a,b");
  /* Labels that hold another separator do not mislead it. */
  check_text (",;,\t\n;,0.5,2\n\t,3,4\n", 2, 2, values, ";|\t", ";|\t");
  /* A decimal comma would be two numbers, or none. */
  assert_refused ("0,5;2\n3;4\n", ATTN_ERROR_FORMAT, "expected a number");
}

static void
test_line_ends (void)
{
  const float *values = V (1, 2, 3, 4);

  check_text ("1,2\r\n3,4\r\n", 2, 2, values, NULL, NULL);
  check_text ("1,2\r3,4\r", 2, 2, values, NULL, NULL);
  check_text ("1,2\n3,4", 2, 2, values, NULL, NULL);
  check_text ("1,2\r\n3,4", 2, 2, values, NULL, NULL);
  check_text ("\n1,2\n\n\r\n3,4\n\n", 2, 2, values, NULL, NULL);
  check_text ("\xef\xbb\xbf"
              "1,2\n3,4\n",
              2, 2, values, NULL, NULL);
  check_text ("\xef\xbb\xbf"
              "a,b\n1,2\n3,4\n",
              2, 2, values, NULL, "a|b");
  check_text ("1,\n3,\n", 2, 2, V (1, NAN, 3, NAN), NULL, NULL);
  check_text ("1,2\n3,", 2, 2, V (1, 2, 3, NAN), NULL, NULL);
}

static void
test_numbers (void)
{
  check_text ("+1,-.5,2.,1E3,1e-3,0.1,-0\n", 1, 7, V (1, -0.5f, 2, 1000, 0.001f, 0.1f, 0), NULL,
              NULL);
  check_text ("1e-45,1.17549435e-38,3.40282347e38,1e-400,0.000000000000000000000000000001\n", 1, 5,
              V (1e-45f, 1.17549435e-38f, 3.40282347e38f, 0, 1e-30f), NULL, NULL);
  /* By way of the nearest double, as everywhere: halfway between two float32 is the even one, and
   * so is what differs from halfway only in digits that a double does not hold. */
  check_text ("16777217,16777219,16777217.00000001,16777217.000000000000000001\n", 1, 4,
              V (16777216, 16777220, 16777218, 16777216), NULL, NULL);
  check_text ("123456789012345678901234567890,1.000000014901161194e-01\n", 1, 2,
              V (1.23456789e29f, 0.1f), NULL, NULL);
  assert_refused ("1,2\n3,1e39\n", ATTN_ERROR_FORMAT, "line 2, cell 2: “1e39”");
  assert_refused ("1,2\n3,4\n5,0x10\n", ATTN_ERROR_FORMAT, "line 3, cell 2: “0x10”");
  assert_refused ("1,2\n3,4\n5,1.2.3\n", ATTN_ERROR_FORMAT, "line 3");
  assert_refused ("1,2\n3,4\n5,1e\n", ATTN_ERROR_FORMAT, "line 3");
  assert_refused ("1,2\n3,4\n5,-\n", ATTN_ERROR_FORMAT, "line 3");
  assert_refused ("1,2\n3,4\n5,1 2\n", ATTN_ERROR_FORMAT, "line 3");
}

/* Every float32 comes back from the nine digits that the writer gives it, and from 19. */
static void
test_digits (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (3);
  g_autoptr (GString) text = g_string_new (NULL);
  const guint n = 20000;
  g_autofree float *values = g_new (float, 2 * n);

  for (guint i = 0; i < n; i++)
    {
      guint32 bits = g_rand_int (random);
      float value;

      memcpy (&value, &bits, sizeof value);
      value = isfinite (value) ? value : 1;
      values[2 * i] = values[2 * i + 1] = value;
      g_string_append_printf (text, "%.9g,%.18e\n", value, value);
    }
  check_text (text->str, n, 2, values, NULL, NULL);
}

static void
test_bad_content (void)
{
  assert_refused ("", ATTN_ERROR_FORMAT, "no cells");
  assert_refused ("\n\r\n", ATTN_ERROR_FORMAT, "no cells");
  assert_refused ("\xef\xbb\xbf", ATTN_ERROR_FORMAT, "no cells");
  assert_refused ("1,2\n3,\xe9\n", ATTN_ERROR_FORMAT, "UTF-8");
  assert_refused ("a,b\n", ATTN_ERROR_FORMAT, "line 1");
  assert_refused ("a\n", ATTN_ERROR_FORMAT, "line 1");
  assert_refused ("1,2\n3,4\nx,y\n", ATTN_ERROR_FORMAT, "line 3, cell 2: “y”");
}

static void
test_ragged (void)
{
  assert_refused ("1,2\n3,4\n5\n6,7\n", ATTN_ERROR_SHAPE,
                  "line 3: 1 cells found, expected 2 as in the first row");
  assert_refused ("1,2\n3,4,5\n", ATTN_ERROR_SHAPE, "line 2: 3 cells");
  /* Lines within quotes and empty ones count. */
  assert_refused ("\"a\nb\",c\n\n1,2\n3\n", ATTN_ERROR_SHAPE, "line 5");
}

static void
check_round_trip (const char * const *rows,
                  const char * const *columns,
                  gsize               n_rows,
                  gsize               n_columns)
{
  const float data[] = { 0.1f, NAN, -1e-10f, INFINITY, 3, 1e30f };
  const gsize shape[] = { n_rows, n_columns };
  g_autoptr (AttnArrayFile) file = attn_array_file_new (NULL);
  g_autofree char *row_text = rows != NULL ? g_strjoinv ("|", (char **) rows) : NULL;
  g_autofree char *column_text = columns != NULL ? g_strjoinv ("|", (char **) columns) : NULL;
  g_autoptr (GError) error = NULL;

  attn_array_file_add (file, fixture_array ("x", ATTN_DTYPE_F32, 2, shape, data), NULL);
  if (rows != NULL)
    attn_array_file_add (file, attn_array_new_strings ("row_labels", rows), NULL);
  if (columns != NULL)
    attn_array_file_add (file, attn_array_new_strings ("column_labels", columns), NULL);
  g_autoptr (GBytes) bytes = attn_csv_write (file, &error);
  g_assert_no_error (error);
  g_autofree char *text = g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  check_text (text, n_rows, n_columns, data, row_text, column_text);
}

/* Tokens are anything: numbers, spaces, separators, quotes, nothing. */
static void
test_written_files (void)
{
  static const char * const labels[][4] = {
    { "It", " is", NULL },
    { "1", "2", NULL },
    { "", "a", NULL },
    { "", "", NULL },
    { ";", ",", NULL },
    { "1;2;3", "1\t2", NULL },
    { " ", "\n", NULL },
    { "nan", "inf", NULL },
    { "\"", "\"\"", NULL },
    { "\r", "é 😀", NULL },
    { "-", ".", NULL },
    { "a", "2", NULL },
    { "\xef\xbb\xbf", "x", NULL },
  };
  static const char * const one_labels[][2] = {
    { "a", NULL }, { "1", NULL }, { "", NULL }, { " ", NULL }, { ";", NULL }
  };

  check_round_trip (NULL, NULL, 2, 2);
  for (guint i = 0; i < G_N_ELEMENTS (labels); i++)
    {
      check_round_trip (labels[i], NULL, 2, 2);
      check_round_trip (NULL, labels[i], 2, 2);
      check_round_trip (labels[i], NULL, 2, 1);
      check_round_trip (NULL, labels[i], 1, 2);
      for (guint k = 0; k < G_N_ELEMENTS (labels); k++)
        check_round_trip (labels[i], labels[k], 2, 2);
    }
  for (guint i = 0; i < G_N_ELEMENTS (one_labels); i++)
    {
      check_round_trip (one_labels[i], NULL, 1, 3);
      check_round_trip (NULL, one_labels[i], 3, 1);
      for (guint k = 0; k < G_N_ELEMENTS (one_labels); k++)
        check_round_trip (one_labels[i], one_labels[k], 1, 1);
    }
}

/* Text that begins as another format does, and both suffixes. */
static void
test_suffixes (void)
{
  static const char * const names[] = { "a.csv", "a.TSV" };
  static const char * const texts[] = { "GGUF,b\n1,2\n", "1234567,{\n1,2\n" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    for (guint k = 0; k < G_N_ELEMENTS (texts); k++)
      {
        g_autofree char *path = fixture_save (names[i], texts[k], strlen (texts[k]));
        g_autoptr (GError) error = NULL;
        g_autoptr (AttnArrayFile) file = attn_array_file_load (path, &error);

        g_assert_no_error (error);
        fixture_assert_floats (attn_array_file_get_nth (file, 0), 2, V (1, 2));
      }
}

static void
test_comma_locale (void)
{
  if (!enter_comma_locale ())
    return;
  check_text ("0.5,1e-45\n", 1, 2, V (0.5f, 1e-45f), NULL, NULL);
  setlocale (LC_NUMERIC, "C");
}

/* An array of text is as wide as its longest: one long label must not take the memory. */
static void
test_memory (void)
{
  g_autoptr (GString) text = g_string_new ("\"");

  for (guint i = 0; i < 1000000; i++)
    g_string_append_c (text, 'x');
  g_string_append (text, "\",1\n");
  for (guint i = 0; i < 1000; i++)
    g_string_append (text, "y,1\n");
  attn_memory_set_limit (1 << 30);
  assert_refused (text->str, ATTN_ERROR_MEMORY, "row_labels");
  attn_memory_set_limit (0);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/format/csv-read/labels-or-none", test_labels_or_none);
  g_test_add_func ("/format/csv-read/from-other-programs", test_from_other_programs);
  g_test_add_func ("/format/csv-read/header-is-told", test_header_is_told);
  g_test_add_func ("/format/csv-read/header-that-cannot-be", test_header_that_cannot_be);
  g_test_add_func ("/format/csv-read/not-a-number", test_not_a_number);
  g_test_add_func ("/format/csv-read/quotes", test_quotes);
  g_test_add_func ("/format/csv-read/separators", test_separators);
  g_test_add_func ("/format/csv-read/line-ends", test_line_ends);
  g_test_add_func ("/format/csv-read/numbers", test_numbers);
  g_test_add_func ("/format/csv-read/digits-are-enough", test_digits);
  g_test_add_func ("/format/csv-read/bad-content", test_bad_content);
  g_test_add_func ("/format/csv-read/ragged-rows-name-the-line", test_ragged);
  g_test_add_func ("/format/csv-read/written-files", test_written_files);
  g_test_add_func ("/format/csv-read/suffixes", test_suffixes);
  g_test_add_func ("/format/csv-read/point-in-a-locale-with-commas", test_comma_locale);
  g_test_add_func ("/format/csv-read/one-long-label", test_memory);
  return fixture_run ();
}
