/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Attention with one line an element: what is written reads back, whatever its labels are. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "attn-readers.h"
#include "format-fixture.h"

static AttnArrayFile *
read_text (const char  *text,
           GError     **error)
{
  g_autoptr (AttnArrayFile) file = attn_array_file_new ("w.csv");
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));

  return attn_csv_read (file, bytes, error) ? g_steal_pointer (&file) : NULL;
}

static void
add_labels (AttnArrayFile *file,
            const char    *name,
            const char    *labels)
{
  g_auto (GStrv) strings = g_strsplit (labels, " ", -1);

  attn_array_file_add (file, attn_array_new_strings (name, (const char * const *) strings), NULL);
}

static void
check_labels (const AttnArrayFile *file,
              const char          *name,
              const char          *labels)
{
  g_auto (GStrv) expected = g_strsplit (labels, " ", -1);
  g_auto (GStrv) found = attn_array_file_dup_labels (file, name);

  g_assert_cmpstrv (found, expected);
}

/* Each line has as many labels as the dimension is long, separated by spaces. */
static void
check_round_trip (guint               n_dims,
                  const gsize        *shape,
                  const char         *dimensions,
                  const char * const *labels)
{
  g_autoptr (AttnArrayFile) file = attn_array_file_new (NULL);
  g_auto (GStrv) names = g_strsplit (dimensions, " ", -1);
  g_autoptr (GError) error = NULL;
  gsize n = 1;

  for (guint i = 0; i < n_dims; i++)
    n *= shape[i];
  g_autofree float *data = g_new (float, n);
  for (gsize i = 0; i < n; i++)
    data[i] = i % 7 == 6 ? INFINITY : i / 3.0f;
  attn_array_file_add (file, fixture_array ("weights", ATTN_DTYPE_F32, n_dims, shape, data), NULL);
  add_labels (file, "dimensions", dimensions);
  for (guint i = 0; i < n_dims; i++)
    {
      g_autofree char *name = g_strconcat (names[i], "_labels", NULL);

      add_labels (file, name, labels[i]);
    }

  g_autoptr (GBytes) bytes = attn_csv_write (file, &error);
  g_assert_no_error (error);
  g_autoptr (AttnArrayFile) read = attn_array_file_new ("w.csv");
  attn_csv_read (read, bytes, &error);
  g_assert_no_error (error);
  const AttnArray *array = attn_array_file_lookup (read, "");
  g_assert_nonnull (array);
  g_assert_cmpmem (array->shape, array->n_dims * sizeof *shape, shape, n_dims * sizeof *shape);
  g_assert_cmpmem (g_bytes_get_data (array->bytes, NULL), g_bytes_get_size (array->bytes), data,
                   n * sizeof *data);
  check_labels (read, "dimensions", dimensions);
  for (guint i = 0; i < n_dims; i++)
    {
      g_autofree char *name = g_strconcat (names[i], "_labels", NULL);

      check_labels (read, name, labels[i]);
    }
}

static void
test_round_trip (void)
{
  const char *attention = "layer head query key";
  const struct
  {
    guint n_dims;
    gsize shape[4];
    const char *dimensions;
    const char *labels[4];
  } cases[] = {
    { 4, { 3, 2, 2, 2 }, attention, { "0 1 2", "0 1", "It I", "It I" } },
    /* Words that come again, side by side and apart; a layer and a head among several. */
    { 4, { 1, 1, 5, 5 }, attention, { "7", "mean", "a a , a \"", "a a , a \"" } },
    { 4, { 2, 1, 4, 4 }, attention, { "1 3", "2", "a a a a", "a a a a" } },
    { 4, { 1, 1, 1, 1 }, attention, { "0", "0", "a", "a" } },
    { 4, { 2, 3, 1, 1 }, attention, { "0 1", "0 1 2", "a", "a" } },
    /* Keys that are not the queries. */
    { 4, { 1, 2, 2, 8 }, attention, { "0", "0 1", "x y", "a b c d e f g h" } },
    { 4, { 1, 2, 3, 2 }, attention, { "0", "0 1", "x x y", "a b" } },
    { 3, { 2, 3, 3 }, "head query key", { "0 1", "a b a", "a b a" } },
    /* Queries, keys or values. */
    { 4, { 1, 2, 7, 4 }, "layer head token feature", { "0", "0 1", "a b a a b b c", "0 1 2 3" } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    check_round_trip (cases[i].n_dims, cases[i].shape, cases[i].dimensions, cases[i].labels);
}

/* What is not in order is no attention; the message is the one for a matrix. */
static void
test_out_of_order (void)
{
  const char *texts[] = {
    "layer,head,query,key,value\n0,0,a,a,1\n0,0,b,b,2\n0,0,a,b,3\n0,0,b,a,4\n",
    "layer,head,query,key,value\n0,0,a,a,1\n0,0,a,b,2\n0,0,b,a,3\n",
    "layer,head,query,key,value\n0,0,a,a,1\n1,0,a,a,2\n0,1,a,a,3\n1,1,a,a,4\n",
  };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (AttnArrayFile) file = read_text (texts[i], &error);

      g_assert_null (file);
      g_assert_nonnull (strstr (error->message, "w.csv: line 2, cell 3: “a” found"));
    }
}

static void
test_messages (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnArrayFile) file =
      read_text ("layer,head,query,key,value\n0,0,a,a,1\n1,0,a,a,x\n", &error);

  g_assert_null (file);
  g_assert_nonnull (strstr (error->message, "w.csv: line 3, cell 5: “x” found"));
}

/* A table whose header only looks like it is a matrix as before. */
static void
test_matrix (void)
{
  const char *texts[] = {
    "layer,value\n0,1\n1,2\n",
    "query,key,value\n1,2,3\n4,5,6\n",
    "layer,head,query,key,\"value\"\n0,0,1,2,3\n",
    "layer;head;query;key;value\n0;0;1;2;3\n",
  };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (AttnArrayFile) file = read_text (texts[i], &error);

      g_assert_no_error (error);
      g_assert_cmpuint (attn_array_file_lookup (file, "")->n_dims, ==, 2);
    }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/format/csv-long/round-trip", test_round_trip);
  g_test_add_func ("/format/csv-long/out-of-order", test_out_of_order);
  g_test_add_func ("/format/csv-long/messages", test_messages);
  g_test_add_func ("/format/csv-long/matrix", test_matrix);
  return g_test_run ();
}
