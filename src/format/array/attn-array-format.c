/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-array-format.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-array-private.h"
#include "attn-error.h"
#include "attn-file.h"
#include "attn-memory.h"
#include "attn-readers.h"
#include "attn-text.h"

static gboolean
read_npy (AttnArrayFile  *file,
          GBytes         *bytes,
          GError        **error)
{
  return attn_npy_read (file, "", bytes, error);
}

static GBytes *
write_npy (const AttnArrayFile  *file,
           GError              **error)
{
  gsize n_arrays;

  return attn_npy_write (attn_array_file_find_single (file, &n_arrays), error);
}

/* Defines a row of the table below for files that PyTorch's torch.save() wrote, which have one of
 * several suffixes. */
#define TORCH(name)                    \
  .suffix = name,                      \
  .flags = ATTN_ARRAY_FORMAT_MODEL,    \
  .is_content = attn_torch_is_content, \
  .read = attn_torch_read

/* The formats, in the order in which messages list them and in which the beginning of a file is
 * compared with theirs. An archive of NumPy arrays comes after one of PyTorch tensors, since both
 * are zip files. Text formats have no beginning of their own, so only the suffix tells them. */
const AttnArrayFormat attn_array_formats[] = {
  { TORCH (".bin") },
  { TORCH (".pt"), .open_title = N_("Weights (PyTorch)") },
  { TORCH (".pth") },
  { .suffix = ".npz",
    .flags = ATTN_ARRAY_FORMAT_RECORDING | ATTN_ARRAY_FORMAT_WRITES_MORE,
    .magic = { "PK\3\4", "PK\5\6" },
    .export_title = N_("NumPy arrays, all panels"),
    .read = attn_npz_read,
    .write = attn_npz_write },
  { .suffix = ".npy",
    .flags = ATTN_ARRAY_FORMAT_RECORDING | ATTN_ARRAY_FORMAT_WRITES_ONE,
    .magic = { "\x93NUMPY" },
    .export_title = N_("NumPy array, one panel"),
    .read = read_npy,
    .write = write_npy },
  { .suffix = ".csv",
    .flags = ATTN_ARRAY_FORMAT_RECORDING | ATTN_ARRAY_FORMAT_TEXT | ATTN_ARRAY_FORMAT_WRITES_ONE,
    .export_title = N_("Table (CSV), one panel"),
    .read = attn_csv_read,
    .write = attn_csv_write },
  { .suffix = ".tsv",
    .flags = ATTN_ARRAY_FORMAT_RECORDING | ATTN_ARRAY_FORMAT_TEXT,
    .read = attn_csv_read },
  { .suffix = ".safetensors",
    .flags = ATTN_ARRAY_FORMAT_RECORDING | ATTN_ARRAY_FORMAT_MODEL | ATTN_ARRAY_FORMAT_WRITES_MORE,
    .magic = { "{" },
    .magic_offset = 8,
    .open_title = N_("Weights (safetensors)"),
    .read = attn_safetensors_read,
    .write = attn_safetensors_write },
  { .suffix = ".gguf",
    .flags = ATTN_ARRAY_FORMAT_MODEL,
    .magic = { "GGUF" },
    .open_title = N_("Weights (GGUF)"),
    .read = attn_gguf_read },
  { NULL },
};

/**
 * attn_array_format_find:
 *
 * Returns: (transfer none) (nullable): the format whose suffix @path ends in, or %NULL if there is
 *   none
 */
const AttnArrayFormat *
attn_array_format_find (const char *path)
{
  for (const AttnArrayFormat *format = attn_array_formats; format->suffix != NULL; format++)
    if (attn_text_has_suffix (path, format->suffix))
      return format;
  return NULL;
}

/**
 * attn_array_format_has:
 *
 * Returns: whether @path has the suffix of a format that has at least one of @flags
 */
gboolean
attn_array_format_has (const char           *path,
                       AttnArrayFormatFlags  flags)
{
  const AttnArrayFormat *format = attn_array_format_find (path);

  return format != NULL && (format->flags & flags) != 0;
}

/**
 * attn_array_format_list:
 * @separator: the text between two suffixes, such as ", "
 *
 * Returns: (transfer full): the suffixes of all formats that have at least one of @flags, for
 *   messages
 */
char *
attn_array_format_list (AttnArrayFormatFlags  flags,
                        const char           *separator)
{
  GString *list = g_string_new (NULL);

  for (const AttnArrayFormat *format = attn_array_formats; format->suffix != NULL; format++)
    if ((format->flags & flags) != 0)
      g_string_append_printf (list, "%s%s", list->len > 0 ? separator : "", format->suffix);
  return g_string_free (list, FALSE);
}

/**
 * attn_array_format_parse:
 * @path: the path of a file to be written
 * @error: return location for %ATTN_ERROR_ARGUMENT, whose message lists the suffixes that can be
 *   written
 *
 * Returns: (transfer none) (nullable): the format that the suffix of @path stands for, if it can be
 *   written
 */
const AttnArrayFormat *
attn_array_format_parse (const char  *path,
                         GError     **error)
{
  if (attn_array_format_has (path, ATTN_ARRAY_FORMAT_WRITES))
    return attn_array_format_find (path);

  g_autofree char *display = g_filename_display_name (path);
  g_autofree char *suffixes = attn_array_format_list (ATTN_ARRAY_FORMAT_WRITES, ", ");
  return attn_fail_null (error, ATTN_ERROR_ARGUMENT,
                         _("%s: unknown suffix found, expected one of %s"), display, suffixes);
}

static gboolean
has_magic (const AttnArrayFormat *format,
           GBytes                *bytes)
{
  gsize size;
  const char *data = g_bytes_get_data (bytes, &size);

  for (gsize i = 0; i < G_N_ELEMENTS (format->magic) && format->magic[i] != NULL; i++)
    {
      gsize length = strlen (format->magic[i]);

      if (size >= format->magic_offset + length &&
          memcmp (data + format->magic_offset, format->magic[i], length) == 0)
        return TRUE;
    }
  return FALSE;
}

/* Determines the format of a file by its content, and for text by its suffix. If the content is of
 * no known format, returns the one of the suffix, whose reader then says what it expected. */
static const AttnArrayFormat *
find_by_content (const char *path,
                 GBytes     *bytes)
{
  for (const AttnArrayFormat *format = attn_array_formats; format->suffix != NULL; format++)
    {
      gboolean is_named = attn_text_has_suffix (path, format->suffix);

      if (format->is_content != NULL ? format->is_content (is_named, bytes)
          : format->magic[0] != NULL ? has_magic (format, bytes)
                                     : is_named)
        return format;
    }
  return attn_array_format_find (path);
}

static gboolean
read_by_content (AttnArrayFile  *file,
                 GBytes         *bytes,
                 GError        **error)
{
  const char *path = attn_array_file_get_path (file);
  const AttnArrayFormat *format = find_by_content (path, bytes);
  g_autoptr (GBytes) copy = NULL;
  gsize size;
  const void *data = g_bytes_get_data (bytes, &size);

  if (format == NULL)
    {
      g_autofree char *suffixes = attn_array_format_list (~0u, ", ");
      return attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                        _("%s: unknown content found, expected one of %s"), path, suffixes);
    }
  if ((format->flags & ATTN_ARRAY_FORMAT_TEXT) == 0)
    return format->read (file, bytes, error);
  /* The text is copied into memory, since it is read twice and the mapped file could change in
   * between. */
  if (!attn_memory_check (size, path, error))
    return FALSE;
  copy = g_bytes_new (data, size);
  return format->read (file, copy, error);
}

static AttnArrayFile *
load (const char       *path,
      AttnTableHeader   header,
      gboolean          is_outline,
      GError          **error)
{
  g_autoptr (AttnArrayFile) file = attn_array_file_new (path);
  g_autoptr (GBytes) bytes = attn_file_map (path, error);
  g_autoptr (GError) local_error = NULL;

  if (bytes == NULL)
    return NULL;
  attn_array_file_set_header (file, header);
  if (is_outline)
    attn_array_file_set_outline (file);
  gboolean is_read = read_by_content (file, bytes, &local_error);
  /* Checks first whether the file has changed while it was read, since any other error can be a
   * consequence of that. */
  if (!attn_file_check (bytes, error))
    return NULL;
  if (is_read)
    return g_steal_pointer (&file);
  g_propagate_error (error, g_steal_pointer (&local_error));
  return NULL;
}

/**
 * attn_array_file_load:
 * @path: the path of a file of arrays
 * @error: return location: #GFileError, %ATTN_ERROR_FORMAT for content that breaks the rules of its
 *   format, %ATTN_ERROR_UNSUPPORTED for content that this program does not read,
 *   %ATTN_ERROR_MEMORY, %ATTN_ERROR_LIMIT, %ATTN_ERROR_SHAPE, %ATTN_ERROR_CHANGED; each message
 *   begins with @path
 *
 * Maps the file into memory. The arrays are slices of it, except those of a compressed .npz and of
 * a table in text (.csv, .tsv). The beginning of the file tells the format, not the suffix, except
 * for text. Any thread may call.
 *
 * Returns: (transfer full) (nullable): the file's arrays
 */
AttnArrayFile *
attn_array_file_load (const char  *path,
                      GError     **error)
{
  return load (path, ATTN_TABLE_HEADER_AUTO, FALSE, error);
}

/**
 * attn_array_file_load_table:
 * @path: as for [func@attn_array_file_load]
 * @header: whether the first row or column of a table in text (.csv, .tsv) are labels; ignored for
 *   other formats
 * @error: return location, as for [func@attn_array_file_load]; also %ATTN_ERROR_AMBIGUOUS for a
 *   table that can be read in several ways
 *
 * Returns: (transfer full) (nullable): the file's arrays
 */
AttnArrayFile *
attn_array_file_load_table (const char       *path,
                            AttnTableHeader   header,
                            GError          **error)
{
  return load (path, header, FALSE, error);
}

/**
 * attn_array_file_outline:
 * @path: as for [func@attn_array_file_load]
 * @error: return location, as for [func@attn_array_file_load]
 *
 * Reads which arrays a file has without decompressing them: the arrays of an .npz have a name, a
 * type and a shape, but no elements, and the file has no metadata. Other formats are read as usual.
 *
 * Returns: (transfer full) (nullable): the file's arrays
 */
AttnArrayFile *
attn_array_file_outline (const char  *path,
                         GError     **error)
{
  return load (path, ATTN_TABLE_HEADER_AUTO, TRUE, error);
}

/**
 * attn_array_format_write:
 * @format: a format that can be written
 * @error: return location: %ATTN_ERROR_ARGUMENT for arrays that the format cannot hold, such as
 *   several in a .npy, %ATTN_ERROR_MEMORY
 *
 * Makes the content of a file with the arrays of @file. The same arrays give the same bytes.
 *
 * Returns: (transfer full) (nullable): the content of a file
 */
GBytes *
attn_array_format_write (const AttnArrayFormat  *format,
                         const AttnArrayFile    *file,
                         GError                **error)
{
  gsize n_arrays;

  if ((format->flags & ATTN_ARRAY_FORMAT_WRITES_ONE) == 0 ||
      attn_array_file_find_single (file, &n_arrays) != NULL)
    return format->write (file, error);

  g_autofree char *others = attn_array_format_list (ATTN_ARRAY_FORMAT_WRITES_MORE, ", ");
  return attn_fail_null (error, ATTN_ERROR_ARGUMENT,
                         _("%s: %zu arrays found, expected one; %s hold more"), format->suffix,
                         n_arrays, others);
}

/**
 * attn_array_file_serialize:
 * @path: the path of the file that will be written. Its suffix chooses the format.
 * @error: return location: %ATTN_ERROR_ARGUMENT for a suffix of no format that can be written, or
 *   an array that the format cannot hold, %ATTN_ERROR_MEMORY; each message begins with @path
 *
 * Returns: (transfer full) (nullable): the content of the file; the same arrays give the same bytes
 */
GBytes *
attn_array_file_serialize (const AttnArrayFile  *file,
                           const char           *path,
                           GError              **error)
{
  const AttnArrayFormat *format = attn_array_format_parse (path, error);
  g_autofree char *where = g_filename_display_name (path);
  GBytes *bytes = format != NULL ? attn_array_format_write (format, file, error) : NULL;

  if (format != NULL && bytes == NULL)
    g_prefix_error (error, "%s: ", where);
  return bytes;
}
