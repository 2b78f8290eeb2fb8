/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads and writes NumPy's .npz format: a zip archive with an .npy file for each array. */

#include "config.h"

#include "attn-readers.h"

#include <archive.h>
#include <archive_entry.h>
#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <locale.h>
#include <string.h>

#include "attn-array-private.h"
#include "attn-error.h"
#include "attn-memory.h"

/* The highest compression ratio of DEFLATE: 258 bytes from 2 bits. A member of the archive with a
 * higher one is corrupt. */
#define MAX_RATIO 1032

/* The approximate bytes of the headers and the directory entry of a member, a file in the
 * archive. */
#define MEMBER_BYTES 512

#define SUFFIX ".npy"

typedef struct archive ReadArchive;
typedef struct archive WriteArchive;
typedef struct archive_entry ArchiveEntry;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReadArchive, archive_read_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WriteArchive, archive_write_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ArchiveEntry, archive_entry_free)

/* Sets the character encoding of this thread to UTF-8 as long as a variable of this type is in
 * scope. libarchive converts the names of members according to the locale and, in the locale "C",
 * loses names that are not ASCII. */
typedef struct
{
  locale_t previous; /* the locale of the thread before; 0 if it was not changed */
} CharacterLocale;

static void
enter_utf8 (CharacterLocale *locale)
{
  static gsize is_made;
  static locale_t utf8; /* never freed */

  if (g_once_init_enter (&is_made))
    {
      utf8 = newlocale (LC_CTYPE_MASK, "C.UTF-8", (locale_t) 0);
      g_once_init_leave (&is_made, 1);
    }
  if (utf8 != (locale_t) 0)
    locale->previous = uselocale (utf8);
}

static void
leave_utf8 (CharacterLocale *locale)
{
  if (locale->previous != (locale_t) 0)
    uselocale (locale->previous);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (CharacterLocale, leave_utf8)

static gboolean
fail (const char      *where,
      struct archive  *archive,
      const char      *expected,
      GError         **error)
{
  const char *found = archive != NULL ? archive_error_string (archive) : NULL;
  g_autofree char *message =
      g_utf8_make_valid (found != NULL ? found : _("damaged data found"), -1);

  /* Some messages of libarchive end in a newline. */
  g_strchomp (message);
  return attn_fail (error, ATTN_ERROR_FORMAT, "%s: %s, %s", where, message, expected);
}

/* Returns the content of the archive's current member: a slice of @bytes if it is stored
 * uncompressed, since libarchive then returns pointers into its input. Reading to the end checks
 * the checksum (CRC). Fails before decompressing all if the beginning is not that of an .npy file
 * of @size bytes. If @outline is not %NULL, only the header is read, and @outline is set to the
 * array that it describes. */
static GBytes *
read_data (struct archive  *archive,
           GBytes          *bytes,
           const char      *name,
           gsize            size,
           const char      *where,
           AttnArray      **outline,
           GError         **error)
{
  gsize n_archive;
  const guint8 *start = g_bytes_get_data (bytes, &n_archive);
  g_autoptr (GBytes) slice = NULL;
  g_autofree guint8 *data = NULL;
  g_autoptr (AttnArray) array = NULL;
  gsize n_first = MIN (size, ATTN_NPY_MAX_HEADER);
  gsize n_allocated = 0;
  gsize n_read = 0;
  const void *block;
  size_t n_block;
  la_int64_t offset;
  int status;

  while ((status = archive_read_data_block (archive, &block, &n_block, &offset)) == ARCHIVE_OK)
    {
      gsize position = (const guint8 *) block - start;

      if ((guint64) offset != n_read || n_block > size - n_read)
        break;
      if (n_block == size && block != NULL && (const guint8 *) block >= start &&
          position < n_archive && size <= n_archive - position)
        slice = g_bytes_new_from_bytes (bytes, position, size);
      else if (n_block > 0)
        {
          if (n_read + n_block > n_allocated)
            {
              n_allocated = array != NULL ? size : MAX (n_first, n_read + n_block);
              data = g_realloc (data, n_allocated);
            }
          memcpy (data + n_read, block, n_block);
        }
      n_read += n_block;
      if (array != NULL || n_read < n_first)
        continue;
      array = attn_npy_outline (name, where, slice != NULL ? block : data, n_read, size, error);
      if (array != NULL && outline != NULL)
        *outline = g_steal_pointer (&array);
      if (array == NULL)
        return NULL;
    }
  if (status != ARCHIVE_EOF || n_read != size)
    {
      fail (where, status != ARCHIVE_OK && status != ARCHIVE_EOF ? archive : NULL,
            _("expected the bytes and the checksum that the directory promises"), error);
      return NULL;
    }
  return slice != NULL ? g_steal_pointer (&slice)
                       : g_bytes_new_take (g_steal_pointer (&data), size);
}

static char *
dup_member_name (struct archive_entry *entry)
{
  const char *name = archive_entry_pathname_utf8 (entry);

  if (name == NULL)
    name = archive_entry_pathname (entry);
  return name != NULL && g_utf8_validate (name, -1, NULL) ? g_strdup (name) : NULL;
}

static gboolean
check_member (const AttnArrayFile   *file,
              struct archive_entry  *entry,
              const char            *member,
              gsize                  n_archive,
              gsize                 *n_total,
              GError               **error)
{
  g_autofree char *where =
      g_strdup_printf (_("%s: member “%s”"), attn_array_file_get_path (file), member);
  gint64 size = archive_entry_size (entry);

  if (archive_entry_filetype (entry) != AE_IFREG || archive_entry_is_encrypted (entry) ||
      !g_str_has_suffix (member, SUFFIX))
    return attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                      _("%s found, expected .npy files that are not encrypted"), where);
  if (!archive_entry_size_is_set (entry) || size < 0 || (guint64) size / MAX_RATIO > n_archive ||
      !g_size_checked_add (n_total, *n_total, size))
    return attn_fail (error, ATTN_ERROR_FORMAT,
                      _("%s: %" PRId64 " bytes promised, expected what an archive of %zu bytes "
                        "can hold"),
                      where, size, n_archive);
  return attn_array_file_is_outline (file) || attn_memory_check (*n_total, where, error);
}

static gboolean
read_member (AttnArrayFile         *file,
             struct archive        *archive,
             struct archive_entry  *entry,
             GBytes                *bytes,
             gsize                 *n_total,
             GError               **error)
{
  const char *path = attn_array_file_get_path (file);
  g_autofree char *member = dup_member_name (entry);

  if (member == NULL)
    return fail (path, NULL, _("expected names of members in UTF-8"), error);
  if (archive_entry_filetype (entry) == AE_IFDIR)
    return TRUE;
  if (!check_member (file, entry, member, g_bytes_get_size (bytes), n_total, error))
    return FALSE;

  g_autofree char *name = g_strndup (member, strlen (member) - strlen (SUFFIX));
  g_autofree char *where = g_strdup_printf (_("%s: array “%s”"), path, name);
  AttnArray *outline = NULL;
  g_autoptr (GBytes) data =
      read_data (archive, bytes, name, archive_entry_size (entry), where,
                 attn_array_file_is_outline (file) ? &outline : NULL, error);
  return outline != NULL ? attn_array_file_add (file, outline, error)
                         : data != NULL && attn_npy_read (file, name, data, error);
}

/* Makes each text array of no dimensions a text of the metadata as well: so [func@attn_npz_write]
 * stores metadata, and NumPy a single string. */
static gboolean
adopt_metadata (AttnArrayFile  *file,
                GError        **error)
{
  for (gsize i = 0; i < attn_array_file_get_n_arrays (file); i++)
    {
      const AttnArray *array = attn_array_file_get_nth (file, i);

      if (array->dtype != ATTN_DTYPE_UNICODE || array->n_dims != 0)
        continue;
      g_auto (GStrv) strings = attn_array_dup_strings (array, error);
      if (strings == NULL)
        {
          g_prefix_error (error, "%s: ", attn_array_file_get_path (file));
          return FALSE;
        }
      attn_array_file_set_metadata (file, array->name, strings[0]);
    }
  return TRUE;
}

/**
 * attn_npz_read:
 * @file: the file that the arrays are added to; its path begins each message
 * @bytes: the content of the .npz file; arrays that are stored without compression are slices of it
 * @error: return location: %ATTN_ERROR_FORMAT, %ATTN_ERROR_UNSUPPORTED for members that are not
 *   .npy files, %ATTN_ERROR_MEMORY if they take more than the memory limit when decompressed
 *
 * Reads all arrays of an archive. The name of an array is that of its member without ".npy". A text
 * without dimensions is also added to the metadata.
 */
gboolean
attn_npz_read (AttnArrayFile  *file,
               GBytes         *bytes,
               GError        **error)
{
  const char *path = attn_array_file_get_path (file);
  g_auto (CharacterLocale) locale = { 0 };
  g_autoptr (ReadArchive) archive = archive_read_new ();
  struct archive_entry *entry;
  gsize n_total = 0;
  int status;

  enter_utf8 (&locale);
  /* The seeking reader of libarchive uses the directory at the end of the archive, so it detects a
   * truncated file. */
  if (archive == NULL || archive_read_support_format_zip_seekable (archive) != ARCHIVE_OK ||
      archive_read_open_memory (archive, g_bytes_get_data (bytes, NULL),
                                g_bytes_get_size (bytes)) != ARCHIVE_OK)
    return fail (path, archive, _("expected a zip archive"), error);

  while ((status = archive_read_next_header (archive, &entry)) == ARCHIVE_OK)
    if (!read_member (file, archive, entry, bytes, &n_total, error))
      return FALSE;
  if (status != ARCHIVE_EOF)
    return fail (path, archive, _("expected a zip archive of .npy files"), error);
  return attn_array_file_is_outline (file) || adopt_metadata (file, error);
}

/* A growing buffer for the archive that is written. GByteArray is not used since its length has
 * only 32 bits. */
typedef struct
{
  guint8 *data;
  gsize size;
  gsize n_allocated;
} Buffer;

static la_ssize_t
write_cb (struct archive *archive,
          void           *user_data,
          const void     *block,
          size_t          n_block)
{
  Buffer *buffer = user_data;

  if (n_block > buffer->n_allocated - buffer->size)
    {
      gsize n_wanted = MAX (buffer->n_allocated * 3 / 2, buffer->size + n_block);
      guint8 *data = g_try_realloc (buffer->data, n_wanted);

      if (data == NULL)
        {
          archive_set_error (archive, ENOMEM, "%s", g_strerror (ENOMEM));
          return -1;
        }
      buffer->data = data;
      buffer->n_allocated = n_wanted;
    }
  memcpy (buffer->data + buffer->size, block, n_block);
  buffer->size += n_block;
  return n_block;
}

static gboolean
write_member (struct archive   *archive,
              const AttnArray  *array,
              GError          **error)
{
  g_autoptr (ArchiveEntry) entry = archive_entry_new ();
  g_autofree char *member =
      g_strconcat (array->name[0] != '\0' ? array->name : "arr_0", SUFFIX, NULL);
  g_autoptr (GBytes) npy = attn_npy_write (array, error);
  gsize size;

  if (npy == NULL)
    return FALSE;

  /* The member's time of modification is not set, so that the same arrays give the same bytes. */
  const void *data = g_bytes_get_data (npy, &size);
  archive_entry_set_pathname_utf8 (entry, member);
  archive_entry_set_filetype (entry, AE_IFREG);
  archive_entry_set_perm (entry, 0644);
  archive_entry_set_size (entry, size);
  if (archive_write_header (archive, entry) == ARCHIVE_OK &&
      archive_write_data (archive, data, size) == (la_ssize_t) size &&
      archive_write_finish_entry (archive) == ARCHIVE_OK)
    return TRUE;
  return fail (member, archive, _("expected to write it"), error);
}

/* Writes each text of the metadata as an array of text without dimensions, which NumPy reads as a
 * string. */
static gboolean
write_metadata (struct archive       *archive,
                const AttnArrayFile  *file,
                GError              **error)
{
  g_auto (GStrv) keys = attn_array_file_dup_metadata_keys (file);

  for (char **key = keys; *key != NULL; key++)
    {
      const char *strings[] = { attn_array_file_get_metadata (file, *key), NULL };

      if (attn_array_file_lookup (file, *key) != NULL)
        continue;
      g_autoptr (AttnArray) array = attn_array_new_strings (*key, strings);
      array->n_dims = 0;
      if (!write_member (archive, array, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
write_members (struct archive       *archive,
               const AttnArrayFile  *file,
               GError              **error)
{
  for (gsize i = 0; i < attn_array_file_get_n_arrays (file); i++)
    if (!write_member (archive, attn_array_file_get_nth (file, i), error))
      return FALSE;
  return write_metadata (archive, file, error);
}

/* Allocates the buffer with about the final size of the archive, so that it is rarely
 * reallocated. */
static gboolean
allocate_buffer (const AttnArrayFile  *file,
                 Buffer               *buffer,
                 GError              **error)
{
  g_auto (GStrv) keys = attn_array_file_dup_metadata_keys (file);
  gsize n_bytes = 0;

  /* Metadata are stored as UTF-32, with 4 bytes a character. */
  for (char **key = keys; *key != NULL; key++)
    n_bytes += strlen (attn_array_file_get_metadata (file, *key)) * 4 + MEMBER_BYTES;
  for (gsize i = 0; i < attn_array_file_get_n_arrays (file); i++)
    {
      const AttnArray *array = attn_array_file_get_nth (file, i);

      if (!g_size_checked_add (&n_bytes, n_bytes, g_bytes_get_size (array->bytes) + MEMBER_BYTES))
        n_bytes = G_MAXSIZE;
    }
  buffer->data = attn_memory_try_alloc (n_bytes, _(".npz file"), error);
  buffer->n_allocated = n_bytes;
  return buffer->data != NULL;
}

/**
 * attn_npz_write:
 * @error: return location for %ATTN_ERROR_MEMORY
 *
 * Makes an .npz file. Arrays are stored without compression, so that a reader can map them into
 * memory; each text of the metadata is stored as a text array without dimensions, unless there is
 * an array with that name.
 *
 * Returns: (transfer full) (nullable): the content of the file; the same arrays give the same bytes
 */
GBytes *
attn_npz_write (const AttnArrayFile  *file,
                GError              **error)
{
  g_auto (CharacterLocale) locale = { 0 };
  g_autoptr (WriteArchive) archive = archive_write_new ();
  Buffer buffer = { 0 };
  gboolean is_written;

  if (!allocate_buffer (file, &buffer, error))
    return NULL;
  enter_utf8 (&locale);
  is_written = archive != NULL && archive_write_set_format_zip (archive) == ARCHIVE_OK &&
               archive_write_zip_set_compression_store (archive) == ARCHIVE_OK &&
               archive_write_set_options (archive, "zip:hdrcharset=UTF-8") == ARCHIVE_OK &&
               archive_write_set_bytes_in_last_block (archive, 1) == ARCHIVE_OK &&
               archive_write_open (archive, &buffer, NULL, write_cb, NULL) == ARCHIVE_OK;
  if (!is_written)
    fail (".npz", archive, _("expected to write a zip archive"), error);
  else
    is_written = write_members (archive, file, error);
  if (is_written && archive_write_close (archive) != ARCHIVE_OK)
    is_written = fail (".npz", archive, _("expected to write a zip archive"), error);
  /* Frees the archive before the buffer, since libarchive writes to the buffer when it closes the
   * archive. */
  g_clear_pointer (&archive, archive_write_free);
  if (is_written)
    return g_bytes_new_take (buffer.data, buffer.size);
  g_free (buffer.data);
  return NULL;
}
