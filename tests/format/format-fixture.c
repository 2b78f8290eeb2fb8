/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "format-fixture.h"

#include <string.h>

#include "../remove-folder.h"

static char *directory;

char *
fixture_path (const char *name)
{
  if (directory == NULL)
    {
      g_autoptr (GError) error = NULL;

      directory = g_dir_make_tmp ("attn-format-XXXXXX", &error);
      g_assert_no_error (error);
    }
  return g_build_filename (directory, name, NULL);
}

int
fixture_run (void)
{
  int status = g_test_run ();

  if (directory != NULL)
    remove_folder (directory);
  g_clear_pointer (&directory, g_free);
  return status;
}

/* Returns the path. */
char *
fixture_save (const char *name,
              const void *data,
              gsize       size)
{
  g_autoptr (GError) error = NULL;
  char *path = fixture_path (name);

  g_file_set_contents (path, data, size, &error);
  g_assert_no_error (error);
  return path;
}

/* A safetensors file of this header and a buffer of 0, 1, 2, ... */
GBytes *
fixture_safetensors (const char *header,
                     gsize       n_buffer)
{
  GByteArray *bytes = g_byte_array_new ();
  guint64 n_header = GUINT64_TO_LE ((guint64) strlen (header));

  g_byte_array_append (bytes, (const guint8 *) &n_header, sizeof n_header);
  g_byte_array_append (bytes, (const guint8 *) header, strlen (header));
  for (gsize i = 0; i < n_buffer; i++)
    {
      guint8 byte = i;
      g_byte_array_append (bytes, &byte, 1);
    }
  return g_byte_array_free_to_bytes (bytes);
}

AttnArray *
fixture_array (const char  *name,
               AttnDtype    dtype,
               guint        n_dims,
               const gsize *shape,
               const void  *data)
{
  g_autoptr (GError) error = NULL;
  gsize n_elements;

  g_assert_true (attn_shape_get_n_elements (n_dims, shape, &n_elements));
  g_autoptr (GBytes) bytes = g_bytes_new (data, n_elements * attn_dtype_get_size (dtype));
  AttnArray *array = attn_array_new (name, dtype, n_dims, shape, bytes, &error);
  g_assert_no_error (error);
  return array;
}

/* An array of each kind: float32, bytes of odd number, half precision, text, metadata. */
AttnArrayFile *
fixture_file (void)
{
  static const float weights[] = { 1, 0, 0.25, 0.75, -2.5, 1e-30f };
  static const guint8 mask[] = { 1, 0, 1 };
  static const guint16 halves[] = { 0x3c00, 0xc000 };
  static const char * const labels[] = { "<s>", "é 😀", "", NULL };
  const gsize weight_shape[] = { 2, 3 };
  const gsize mask_shape[] = { 3 };
  const gsize half_shape[] = { 1, 2, 1 };
  AttnArrayFile *file = attn_array_file_new (NULL);

  attn_array_file_add (file, fixture_array ("mask", ATTN_DTYPE_BOOL, 1, mask_shape, mask), NULL);
  attn_array_file_add (file, fixture_array ("weights", ATTN_DTYPE_F32, 2, weight_shape, weights),
                       NULL);
  attn_array_file_add (file, fixture_array ("halves", ATTN_DTYPE_F16, 3, half_shape, halves), NULL);
  attn_array_file_add (file, attn_array_new_strings ("labels", labels), NULL);
  attn_array_file_set_metadata (file, "model", "rösé \"2\"");
  return file;
}

void
fixture_assert_refused (FixtureReadFunc  read,
                        GBytes          *bytes,
                        int              code,
                        const char      *message_part)
{
  g_autoptr (AttnArrayFile) file = attn_array_file_new ("FILE");
  g_autoptr (GError) error = NULL;

  g_assert_false (read (file, bytes, &error));
  g_assert_error (error, ATTN_ERROR, code);
  g_assert_true (g_utf8_validate (error->message, -1, NULL));
  if (!g_str_has_prefix (error->message, "FILE") || strstr (error->message, message_part) == NULL)
    g_error ("“%s” found, expected FILE and “%s”", error->message, message_part);
}

/* No beginning of the file is a file. The bytes are copied to a block of their size, so that a
 * reader that goes beyond them is caught by the sanitizer. */
void
fixture_assert_each_cut_refused (FixtureReadFunc  read,
                                 GBytes          *bytes)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);

  for (gsize n = 0; n < size; n++)
    {
      g_autoptr (AttnArrayFile) file = attn_array_file_new ("FILE");
      g_autoptr (GBytes) cut = g_bytes_new (data, n);
      g_autoptr (GError) error = NULL;

      if (read (file, cut, &error))
        g_error ("%" G_GSIZE_FORMAT " of %" G_GSIZE_FORMAT " bytes accepted", n, size);
      g_assert_nonnull (error);
      g_assert_true (g_str_has_prefix (error->message, "FILE"));
    }
}

void
fixture_assert_floats (const AttnArray *array,
                       gsize            n,
                       const float     *expected)
{
  g_autoptr (GError) error = NULL;
  g_autofree float *found = g_new (float, n);

  g_assert_nonnull (array);
  g_assert_cmpuint (attn_array_get_n_elements (array), ==, n);
  g_assert_true (attn_array_read (array, 0, n, found, &error));
  g_assert_no_error (error);
  for (gsize i = 0; i < n; i++)
    g_assert_cmpfloat (found[i], ==, expected[i]);
}

/* Reads every element of every array, so that the sanitizer sees it. */
void
fixture_touch (AttnArrayFile *file)
{
  for (gsize i = 0; i < attn_array_file_get_n_arrays (file); i++)
    {
      const AttnArray *array = attn_array_file_get_nth (file, i);
      gsize n = attn_array_get_n_elements (array);
      g_autoptr (GError) error = NULL;

      g_assert_true (attn_array_file_lookup (file, array->name) == array);
      if (array->dtype == ATTN_DTYPE_UNICODE)
        {
          g_auto (GStrv) strings = attn_array_dup_strings (array, &error);
          g_assert_true (strings != NULL ? g_strv_length (strings) == n : error != NULL);
        }
      else
        {
          g_autofree float *values = g_new (float, n);
          g_assert_true (attn_array_read (array, 0, n, values, &error));
        }
    }
}
