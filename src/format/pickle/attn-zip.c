/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads zip archives as described by PKWARE's APPNOTE.TXT: members, then the central directory with
 * an entry for each, then a record with the position of the directory. The sizes of members are
 * taken only from the directory: PyTorch 1.13 writes sizes of 0 before a member (flag 8) and the
 * right ones after it, where a reader would have to know the size to find them. Sizes and offsets
 * of 64 bits are in extra fields and records. */

#include "config.h"

#include "attn-zip.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-error.h"

#define LOCAL_BYTES     30
#define ENTRY_BYTES     46
#define END_BYTES       22
#define END64_BYTES     56
#define LOCATOR_BYTES   20
#define MAX_COMMENT     65535
#define EXTRA_64        0x0001
#define FLAGS_ENCRYPTED (1 << 0 | 1 << 6 | 1 << 13)

/**
 * Member:
 * @local: where the header before the member begins
 * @size: bytes of the member, as the directory says
 * @packed_size: bytes that the member takes in the archive, fewer if it is compressed
 */
typedef struct
{
  char *name;
  guint64 local;
  guint64 size;
  guint64 packed_size;
  guint16 flags;
  guint16 method;
} Member;

/**
 * AttnZip:
 * @directory: where the central directory begins, before which all members end
 * @by_name: for the name of each member its index in @members plus 1
 */
struct _AttnZip
{
  GBytes *bytes;
  guint64 directory;
  GArray *members;
  GHashTable *by_name;
};

static guint16
get_16 (const guint8 *data)
{
  return (guint16) (data[0] | data[1] << 8);
}

static guint32
get_32 (const guint8 *data)
{
  return get_16 (data) | (guint32) get_16 (data + 2) << 16;
}

static guint64
get_64 (const guint8 *data)
{
  return get_32 (data) | (guint64) get_32 (data + 4) << 32;
}

static gboolean
has_signature (const guint8 *data,
               const char   *kind)
{
  return data[0] == 'P' && data[1] == 'K' && data[2] == kind[0] && data[3] == kind[1];
}

static gboolean
fail_damaged (const char  *where,
              GError     **error)
{
  return attn_fail (error, ATTN_ERROR_FORMAT,
                    _("%s: a damaged zip archive found, expected a whole one (is the file cut "
                      "off?)"),
                    where);
}

/**
 * attn_zip_begins:
 *
 * Returns: whether the bytes begin as a zip archive that is not empty
 */
gboolean
attn_zip_begins (GBytes *bytes)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);

  return size >= 4 && has_signature (data, "\3\4");
}

static void
clear_member (gpointer member)
{
  g_free (((Member *) member)->name);
}

/* Finds the record at the end of the archive, behind which there can be a comment. @end: (out):
 * where the record begins. Returns FALSE if there is none. */
static gboolean
find_end (const guint8 *data,
          gsize         size,
          gsize        *end)
{
  gsize first = size - MIN (size, END_BYTES + MAX_COMMENT);

  if (size < END_BYTES)
    return FALSE;
  for (gsize position = size - END_BYTES + 1; position-- > first;)
    if (has_signature (data + position, "\5\6") &&
        get_16 (data + position + 20) == size - END_BYTES - position)
      {
        *end = position;
        return TRUE;
      }
  return FALSE;
}

/* Finds the central directory of the archive. @begin, @n_bytes: (out): begin and size of the
 * directory; @n: (out): its number of entries */
static gboolean
find_directory (const guint8  *data,
                gsize          size,
                guint64       *begin,
                guint64       *n_bytes,
                guint64       *n,
                const char    *where,
                GError       **error)
{
  gsize end;

  if (!find_end (data, size, &end))
    return fail_damaged (where, error);
  *n = get_16 (data + end + 10);
  *n_bytes = get_32 (data + end + 12);
  *begin = get_32 (data + end + 16);

  const guint8 *locator = data + end - LOCATOR_BYTES;
  if (end >= LOCATOR_BYTES && has_signature (locator, "\6\7"))
    {
      guint64 record = get_64 (locator + 8);

      if (end - LOCATOR_BYTES < END64_BYTES || record > end - LOCATOR_BYTES - END64_BYTES ||
          !has_signature (data + record, "\6\6"))
        return fail_damaged (where, error);
      *n = get_64 (data + record + 32);
      *n_bytes = get_64 (data + record + 40);
      *begin = get_64 (data + record + 48);
      end = record;
    }
  if (*begin > end || *n_bytes > end - *begin || *n > *n_bytes / ENTRY_BYTES)
    return fail_damaged (where, error);
  return TRUE;
}

/* Reads the extra fields of a directory's entry. One of them has 64-bit values for those of size,
 * packed size and position, in this order, whose 32 bits in the entry are all ones. */
static gboolean
read_extra (const guint8 *extra,
            gsize         n_extra,
            Member       *member)
{
  guint64 *values[] = { &member->size, &member->packed_size, &member->local };

  while (n_extra >= 4)
    {
      gsize n_field = get_16 (extra + 2);

      if (n_field > n_extra - 4)
        return FALSE;
      if (get_16 (extra) == EXTRA_64)
        {
          const guint8 *next = extra + 4;

          for (gsize i = 0; i < G_N_ELEMENTS (values); i++)
            if (*values[i] == G_MAXUINT32)
              {
                if (extra + 4 + n_field - next < 8)
                  return FALSE;
                *values[i] = get_64 (next);
                next += 8;
              }
          return TRUE;
        }
      extra += 4 + n_field;
      n_extra -= 4 + n_field;
    }
  return TRUE;
}

/* Reads one entry of the directory and adds its member to @zip. @data: (inout): the rest of the
 * directory, of @n_left bytes */
static gboolean
read_entry (AttnZip       *zip,
            const guint8 **data,
            gsize         *n_left,
            const char    *where,
            GError       **error)
{
  const guint8 *entry = *data;

  if (*n_left < ENTRY_BYTES || !has_signature (entry, "\1\2"))
    return fail_damaged (where, error);
  gsize n_name = get_16 (entry + 28);
  gsize n_extra = get_16 (entry + 30);
  gsize n_all = ENTRY_BYTES + n_name + n_extra + get_16 (entry + 32);
  Member member = {
    .flags = get_16 (entry + 8),
    .method = get_16 (entry + 10),
    .packed_size = get_32 (entry + 20),
    .size = get_32 (entry + 24),
    .local = get_32 (entry + 42),
  };
  if (*n_left < n_all || !read_extra (entry + ENTRY_BYTES + n_name, n_extra, &member))
    return fail_damaged (where, error);
  const char *name = (const char *) entry + ENTRY_BYTES;
  if (!g_utf8_validate (name, n_name, NULL))
    return fail_damaged (where, error);

  member.name = g_strndup (name, n_name);
  g_array_append_val (zip->members, member);
  *data += n_all;
  *n_left -= n_all;
  if (g_hash_table_insert (zip->by_name, member.name, GSIZE_TO_POINTER (zip->members->len)))
    return TRUE;
  return attn_fail (error, ATTN_ERROR_FORMAT, _("%s: member “%s” found twice, expected it once"),
                    where, member.name);
}

/**
 * attn_zip_new:
 * @bytes: the whole archive; a reference is taken
 * @where: the beginning of messages
 * @error: return location for %ATTN_ERROR_FORMAT
 *
 * Reads only the directory of the archive. The memory needed is at most a constant times the
 * directory.
 *
 * Returns: (transfer full) (nullable): a reader of the archive's members
 */
AttnZip *
attn_zip_new (GBytes      *bytes,
              const char  *where,
              GError     **error)
{
  guint64 n_bytes, n;
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);
  g_autoptr (AttnZip) zip = g_new0 (AttnZip, 1);

  zip->bytes = g_bytes_ref (bytes);
  zip->members = g_array_new (FALSE, FALSE, sizeof (Member));
  g_array_set_clear_func (zip->members, clear_member);
  zip->by_name = g_hash_table_new (g_str_hash, g_str_equal);
  if (!find_directory (data, size, &zip->directory, &n_bytes, &n, where, error))
    return NULL;

  const guint8 *entry = data + zip->directory;
  gsize n_left = n_bytes;
  for (guint64 i = 0; i < n; i++)
    if (!read_entry (zip, &entry, &n_left, where, error))
      return NULL;
  return g_steal_pointer (&zip);
}

void
attn_zip_free (AttnZip *zip)
{
  g_bytes_unref (zip->bytes);
  g_array_unref (zip->members);
  g_hash_table_unref (zip->by_name);
  g_free (zip);
}

gsize
attn_zip_get_n (const AttnZip *zip)
{
  return zip->members->len;
}

/**
 * attn_zip_get_name:
 * @index: below [func@attn_zip_get_n]
 *
 * Returns: (transfer none): the path of a member within the archive, UTF-8
 */
const char *
attn_zip_get_name (const AttnZip *zip,
                   gsize          index)
{
  return g_array_index (zip->members, Member, index).name;
}

gboolean
attn_zip_has (const AttnZip *zip,
              const char    *name)
{
  return g_hash_table_contains (zip->by_name, name);
}

/**
 * attn_zip_get:
 * @name: the name of a member
 * @where: the beginning of messages
 * @error: return location: %ATTN_ERROR_FORMAT for a member that does not exist or lies outside the
 *   archive, %ATTN_ERROR_UNSUPPORTED for one that is compressed or encrypted
 *
 * Returns: (transfer full) (nullable): the content of the member, a slice of the archive. Its
 *   checksum is not checked.
 */
GBytes *
attn_zip_get (const AttnZip  *zip,
              const char     *name,
              const char     *where,
              GError        **error)
{
  gsize index = GPOINTER_TO_SIZE (g_hash_table_lookup (zip->by_name, name));
  const guint8 *data = g_bytes_get_data (zip->bytes, NULL);

  if (index == 0)
    return attn_fail_null (error, ATTN_ERROR_FORMAT,
                           _("%s: no member “%s” found, expected it in the archive"), where, name);

  const Member *member = &g_array_index (zip->members, Member, index - 1);
  if ((member->flags & FLAGS_ENCRYPTED) != 0 || member->method != 0 ||
      member->size != member->packed_size)
    return attn_fail_null (error, ATTN_ERROR_UNSUPPORTED,
                           _("%s: member “%s” is compressed or encrypted, expected it stored, as "
                             "torch.save does"),
                           where, name);
  guint64 begin = member->local;
  gboolean is_inside = zip->directory >= LOCAL_BYTES &&
                       begin <= zip->directory - LOCAL_BYTES &&
                       has_signature (data + begin, "\3\4");
  /* The lengths of the name and extra field are taken from the header before the member, since
   * padding makes them differ from those of the directory. */
  if (is_inside)
    begin += LOCAL_BYTES + get_16 (data + begin + 26) + get_16 (data + begin + 28);
  if (!is_inside || begin > zip->directory || member->size > zip->directory - begin)
    {
      fail_damaged (where, error);
      return NULL;
    }
  return g_bytes_new_from_bytes (zip->bytes, begin, member->size);
}
