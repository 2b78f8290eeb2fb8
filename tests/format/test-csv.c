/* SPDX-License-Identifier: GPL-3.0-or-later */

/* CSV: matrices, long form, quoting, numbers. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "attn-readers.h"
#include "format-fixture.h"
#include "../comma-locale.h"

static void
check_csv (const AttnArrayFile *file,
           const char          *expected)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = attn_csv_write (file, &error);
  gsize size;

  g_assert_no_error (error);
  const char *data = g_bytes_get_data (bytes, &size);
  g_autofree char *found = g_strndup (data, size);
  g_assert_cmpstr (found, ==, expected);
}

static AttnArrayFile *
new_matrix (void)
{
  const gsize shape[] = { 2, 3 };
  const float data[] = { 1, 0, 0.1f, NAN, -1e-10f, INFINITY };
  AttnArrayFile *file = attn_array_file_new (NULL);

  attn_array_file_add (file, fixture_array ("panel_0_0", ATTN_DTYPE_F32, 2, shape, data), NULL);
  return file;
}

static void
test_plain_matrix (void)
{
  g_autoptr (AttnArrayFile) file = new_matrix ();

  check_csv (file, "1,0,0.100000001\nNaN,-1.00000001e-10,inf\n");
}

static void
test_labels_are_quoted (void)
{
  const char * const rows[] = { "a,b", "say \"é\"", NULL };
  const char * const columns[] = { "It", " is", "line\nbreak", NULL };
  g_autoptr (AttnArrayFile) file = new_matrix ();

  attn_array_file_add (file, attn_array_new_strings ("row_labels", rows), NULL);
  attn_array_file_add (file, attn_array_new_strings ("panel_0_0_columns", columns), NULL);
  check_csv (file, ",It, is,\"line\nbreak\"\n"
                   "\"a,b\",1,0,0.100000001\n"
                   "\"say \"\"é\"\"\",NaN,-1.00000001e-10,inf\n");
}

/* Too few labels are none: a shifted column would be a silent error. */
static void
test_labels_in_metadata (void)
{
  g_autoptr (AttnArrayFile) file = new_matrix ();

  attn_array_file_set_metadata (file, "column_labels", "[\"a\",\"b\",\"c\"]");
  attn_array_file_set_metadata (file, "row_labels", "[\"a\"]");
  check_csv (file, "a,b,c\n1,0,0.100000001\nNaN,-1.00000001e-10,inf\n");
}

static void
test_long_form (void)
{
  const gsize shape[] = { 1, 2, 1, 2 };
  const float data[] = { 1, 2, 3, 4 };
  g_autoptr (AttnArrayFile) file = attn_array_file_new (NULL);

  attn_array_file_add (file, fixture_array ("x", ATTN_DTYPE_F32, 4, shape, data), NULL);
  check_csv (file, "layer,head,query,key,value\n"
                   "0,0,0,0,1\n0,0,0,1,2\n0,1,0,0,3\n0,1,0,1,4\n");

  attn_array_file_set_metadata (file, "dimensions", "[\"layer\",\"head\",\"token\",\"feature\"]");
  attn_array_file_set_metadata (file, "layer_labels", "[\"7\"]");
  attn_array_file_set_metadata (file, "feature_labels", "[\"a\",\"b,\"]");
  check_csv (file, "layer,head,token,feature,value\n"
                   "7,0,0,a,1\n7,0,0,\"b,\",2\n7,1,0,a,3\n7,1,0,\"b,\",4\n");
}

static void
test_other_dimensions (void)
{
  const gsize shape[] = { 2, 1, 1, 1, 1 };
  const float data[] = { 1, 2 };
  g_autoptr (AttnArrayFile) scalar = attn_array_file_new (NULL);
  g_autoptr (AttnArrayFile) vector = attn_array_file_new (NULL);
  g_autoptr (AttnArrayFile) many = attn_array_file_new (NULL);

  attn_array_file_add (scalar, fixture_array ("x", ATTN_DTYPE_F32, 0, NULL, data), NULL);
  attn_array_file_add (vector, fixture_array ("x", ATTN_DTYPE_F32, 1, shape, data), NULL);
  attn_array_file_add (many, fixture_array ("x", ATTN_DTYPE_F32, 5, shape, data), NULL);
  check_csv (scalar, "value\n1\n");
  check_csv (vector, "index,value\n0,1\n1,2\n");
  check_csv (many, "dimension_0,dimension_1,dimension_2,dimension_3,dimension_4,value\n"
                   "0,0,0,0,0,1\n1,0,0,0,0,2\n");
}

/* More elements than are converted at a time. */
static void
test_many_elements (void)
{
  const gsize shape[] = { 5000 };
  g_autofree gint16 *data = g_new (gint16, shape[0]);
  g_autoptr (GString) expected = g_string_new ("index,value\n");
  g_autoptr (AttnArrayFile) file = attn_array_file_new (NULL);

  for (gsize i = 0; i < shape[0]; i++)
    {
      data[i] = 2500 - (int) i;
      g_string_append_printf (expected, "%d,%d\n", (int) i, data[i]);
    }
  attn_array_file_add (file, fixture_array ("x", ATTN_DTYPE_I16, 1, shape, data), NULL);
  check_csv (file, expected->str);
}

static void
test_comma_locale (void)
{
  g_autoptr (AttnArrayFile) file = new_matrix ();

  if (!enter_comma_locale ())
    return;
  check_csv (file, "1,0,0.100000001\nNaN,-1.00000001e-10,inf\n");
  setlocale (LC_NUMERIC, "C");
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/format/csv/plain-matrix", test_plain_matrix);
  g_test_add_func ("/format/csv/labels-are-quoted", test_labels_are_quoted);
  g_test_add_func ("/format/csv/labels-in-metadata", test_labels_in_metadata);
  g_test_add_func ("/format/csv/long-form", test_long_form);
  g_test_add_func ("/format/csv/other-numbers-of-dimensions", test_other_dimensions);
  g_test_add_func ("/format/csv/many-elements", test_many_elements);
  g_test_add_func ("/format/csv/point-in-a-locale-with-commas", test_comma_locale);
  return fixture_run ();
}
