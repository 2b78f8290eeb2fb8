/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads files that PyTorch's torch.save() wrote. Since PyTorch 1.6 they are zip archives of
 * uncompressed members in one folder of any name:
 *
 *   FOLDER/data.pkl a pickle of the saved object, tensors without their elements FOLDER/data/KEY
 *   the elements of a storage FOLDER/byteorder "little" or "big"; not before 2.1
 *
 * Before 1.6, and on request, the file is a sequence of pickles: a magic number, the version 1001,
 * facts about the machine, the saved object, the list of the storages' keys. The storages follow in
 * the order of that list, each as the number of its elements in 8 bytes, lowest first, and the
 * elements. See torch/serialization.py. */

#include "config.h"

#include "attn-readers.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-error.h"
#include "attn-memory.h"
#include "attn-torch-state.h"
#include "attn-torch-tensor.h"

#define PICKLE    "/data.pkl"
#define BYTEORDER "byteorder"
#define VERSION   1001

/* The magic number 0x1950a86a20f9469cfc6c at the beginning of the old format, as a pickle stores an
 * integer of 10 bytes. */
#define MAGIC       "\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19"
#define MAGIC_BYTES 12
/* The most bytes of a pickle before the magic number: two opcodes, with the protocol and the length
 * of a frame. */
#define MAX_BEFORE_MAGIC 11

/* The most bytes of a pickle. It holds no elements of tensors, so the limit is that of the header
 * of a safetensors file. */
#define MAX_PICKLE_BYTES ((gsize) 100000000)

static gboolean
has_old_magic (GBytes *bytes)
{
  gsize size;
  const char *data = g_bytes_get_data (bytes, &size);

  for (gsize i = 2; i <= MAX_BEFORE_MAGIC && size >= i + MAGIC_BYTES; i++)
    if (memcmp (data + i, MAGIC, MAGIC_BYTES) == 0)
      return (guchar) data[0] == 0x80;
  return FALSE;
}

/* Returns the name of the archive's member FOLDER/data.pkl, or NULL if there is none or several. */
static const char *
find_pickle (const AttnZip *zip)
{
  const char *found = NULL;

  for (gsize i = 0; i < attn_zip_get_n (zip); i++)
    {
      const char *name = attn_zip_get_name (zip, i);

      if (!g_str_has_suffix (name, PICKLE) || strchr (name, '/') != strrchr (name, '/'))
        continue;
      if (found != NULL)
        return NULL;
      found = name;
    }
  return found;
}

/**
 * attn_torch_is_content:
 * @is_named: whether the name of the file has a suffix of PyTorch's files
 * @bytes: the content of the file
 *
 * Returns: whether the file was written by torch.save(). If a zip archive is cut off, its directory
 *   at the end is missing, and only its name tells it from other archives.
 */
gboolean
attn_torch_is_content (gboolean  is_named,
                       GBytes   *bytes)
{
  if (has_old_magic (bytes))
    return TRUE;
  if (!attn_zip_begins (bytes) || is_named)
    return attn_zip_begins (bytes);
  g_autoptr (AttnZip) zip = attn_zip_new (bytes, "", NULL);
  return zip != NULL && find_pickle (zip) != NULL;
}

/* Parses a copy of the pickle that begins at @start, since the mapped file could change. @copy:
 * (out): the copy, which must live as long as the result; @n_used: (out): the length of the pickle
 * in bytes */
static AttnPickle *
parse_copy (GBytes      *bytes,
            gsize        start,
            guint8     **copy,
            gsize       *n_used,
            const char  *where,
            GError     **error)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);
  gsize n = MIN (size - start, MAX_PICKLE_BYTES);
  /* The pickle is parsed a first time to learn its length in bytes. */
  g_autoptr (AttnPickle) first = attn_pickle_parse (data + start, n, n_used, where, error);

  if (first == NULL)
    return NULL;
  n = *n_used;
  g_clear_pointer (&first, attn_pickle_free);
  *copy = attn_memory_try_alloc (n, where, error);
  if (*copy == NULL)
    return NULL;
  memcpy (*copy, data + start, n);
  return attn_pickle_parse (*copy, n, n_used, where, error);
}

static gboolean
read_zip (AttnArrayFile  *file,
          GBytes         *bytes,
          GError        **error)
{
  const char *where = attn_array_file_get_path (file);
  g_autoptr (AttnZip) zip = attn_zip_new (bytes, where, error);
  g_autofree guint8 *copy = NULL;
  gsize n_used, n_order;

  if (zip == NULL)
    return FALSE;
  const char *name = find_pickle (zip);
  if (name == NULL)
    return attn_fail (error, ATTN_ERROR_FORMAT,
                      _("%s: an archive without a “data.pkl”, or with several, found, expected one "
                        "that torch.save wrote"),
                      where);
  g_autofree char *folder = g_strndup (name, strlen (name) - strlen (PICKLE));
  g_autofree char *order_name = g_strdup_printf ("%s/%s", folder, BYTEORDER);
  g_autoptr (GBytes) content = attn_zip_get (zip, name, where, error);
  if (content == NULL)
    return FALSE;
  if (g_bytes_get_size (content) > MAX_PICKLE_BYTES)
    return attn_fail (error, ATTN_ERROR_LIMIT,
                      _("%s: a pickle of %zu bytes found, expected at most %zu"), where,
                      g_bytes_get_size (content), MAX_PICKLE_BYTES);
  g_autoptr (AttnPickle) pickle = parse_copy (content, 0, &copy, &n_used, where, error);
  if (pickle == NULL)
    return FALSE;

  g_autoptr (GBytes) order = attn_zip_has (zip, order_name)
                                 ? attn_zip_get (zip, order_name, where, error)
                                 : g_bytes_new_static ("little", strlen ("little"));
  if (order == NULL)
    return FALSE;
  const char *word = g_bytes_get_data (order, &n_order);
  gboolean is_big = n_order == strlen ("big") && memcmp (word, "big", n_order) == 0;
  AttnTorchStorages storages = { .where = where,
                                 .n_bytes = g_bytes_get_size (bytes),
                                 .pickle = pickle,
                                 .zip = zip,
                                 .folder = folder,
                                 .is_swapped = is_big != (G_BYTE_ORDER == G_BIG_ENDIAN) };
  return attn_torch_add_state (file, &storages, error);
}

/* Returns a table with the key of each storage that the pickle refers to, and the bytes of an
 * element of that storage. */
static GHashTable *
list_item_sizes (const AttnPickle *pickle)
{
  GHashTable *sizes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (gsize i = 0; i < attn_pickle_get_n (pickle); i++)
    {
      char *key = NULL;
      AttnDtype dtype;
      gsize n;

      if (attn_torch_describe (pickle, attn_pickle_get (pickle, i), &key, &dtype, &n))
        g_hash_table_insert (sizes, key,
                             GSIZE_TO_POINTER (dtype == ATTN_DTYPE_UNICODE
                                                   ? 0
                                                   : attn_dtype_get_size (dtype)));
    }
  return sizes;
}

/* Returns a table of the storages of a file in the old format, as slices of @bytes by their keys.
 * They follow each other from @position on in the order of @keys. */
static GHashTable *
map_storages (GBytes            *bytes,
              gsize              position,
              const AttnPickle  *pickle,
              const AttnPickle  *keys,
              const char        *where,
              GError           **error)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);
  const AttnPickleValue *list = attn_pickle_get_root (keys);
  g_autoptr (GHashTable) sizes = list_item_sizes (pickle);
  g_autoptr (GHashTable) storages = g_hash_table_new_full (
      g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_bytes_unref);
  const AttnPickleValue *item;

  for (gsize i = 0; (item = attn_pickle_get_item (keys, list, i)) != NULL; i++)
    {
      g_autofree char *key = attn_pickle_dup_text (item);
      gsize item_size =
          key != NULL ? GPOINTER_TO_SIZE (g_hash_table_lookup (sizes, key)) : 0;
      guint64 n = 0;
      gsize n_bytes;

      if (item_size == 0)
        return attn_fail_null (error, ATTN_ERROR_FORMAT,
                               _("%s: storage “%s” of an unknown type found, expected one that a "
                                 "tensor refers to"),
                               where, key != NULL ? key : "");
      if (size - position >= sizeof n)
        memcpy (&n, data + position, sizeof n);
      n = GUINT64_FROM_LE (n);
      if (size - position < sizeof n || !g_size_checked_mul (&n_bytes, n, item_size) ||
          n_bytes > size - position - sizeof n)
        return attn_fail_null (error, ATTN_ERROR_FORMAT,
                               _("%s: storage “%s” at byte %zu found, expected it to end within "
                                 "the %zu bytes (is the file cut off?)"),
                               where, key, position, size);
      position += sizeof n;
      g_hash_table_insert (storages, g_steal_pointer (&key),
                           g_bytes_new_from_bytes (bytes, position, n_bytes));
      position += n_bytes;
    }
  return g_steal_pointer (&storages);
}

/* The pickles of a file in the old format, in the order in which they follow each other. */
enum
{
  NUMBER,
  VERSION_OF_FORM,
  MACHINE,
  SAVED,
  KEYS,
  N_PICKLES,
};

static gboolean
read_old (AttnArrayFile  *file,
          GBytes         *bytes,
          GError        **error)
{
  const char *where = attn_array_file_get_path (file);
  g_autoptr (GPtrArray) pickles =
      g_ptr_array_new_with_free_func ((GDestroyNotify) attn_pickle_free);
  g_autoptr (GPtrArray) copies = g_ptr_array_new_with_free_func (g_free);
  gsize position = 0;

  for (gsize i = 0; i < N_PICKLES; i++)
    {
      guint8 *copy = NULL;
      gsize n_used;
      AttnPickle *pickle = parse_copy (bytes, position, &copy, &n_used, where, error);

      g_ptr_array_add (copies, copy);
      if (pickle == NULL)
        return FALSE;
      g_ptr_array_add (pickles, pickle);
      position += n_used;
    }

  const AttnPickleValue *version = attn_pickle_get_root (pickles->pdata[VERSION_OF_FORM]);
  if (version->kind != ATTN_PICKLE_INTEGER || version->integer != VERSION)
    return attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                      _("%s: another version of torch.save found, expected %d"), where, VERSION);
  const AttnPickle *saved = pickles->pdata[SAVED];
  g_autoptr (GHashTable) by_key =
      map_storages (bytes, position, saved, pickles->pdata[KEYS], where, error);
  AttnTorchStorages storages = { .where = where,
                                 .n_bytes = g_bytes_get_size (bytes),
                                 .pickle = saved,
                                 .by_key = by_key,
                                 .is_swapped = G_BYTE_ORDER == G_BIG_ENDIAN };
  return by_key != NULL && attn_torch_add_state (file, &storages, error);
}

/**
 * attn_torch_read:
 * @file: the file that the tensors are added to; its path begins each message
 * @bytes: the content of the file; the tensors are slices of it
 * @error: return location: %ATTN_ERROR_FORMAT, %ATTN_ERROR_UNSUPPORTED for a pickle with names of
 *   other functions than those of tensors and of other harmless objects, %ATTN_ERROR_LIMIT,
 *   %ATTN_ERROR_SHAPE, %ATTN_ERROR_MEMORY
 *
 * Reads the tensors of a model. No function that the file names is called. Other objects of a
 * training, such as the state of an optimizer, are ignored; see [func@attn_torch_add_state].
 */
gboolean
attn_torch_read (AttnArrayFile  *file,
                 GBytes         *bytes,
                 GError        **error)
{
  if (attn_zip_begins (bytes))
    return read_zip (file, bytes, error);
  if (has_old_magic (bytes))
    return read_old (file, bytes, error);
  return attn_fail (error, ATTN_ERROR_FORMAT,
                    _("%s: other first bytes found, expected those of a file that torch.save "
                      "wrote"),
                    attn_array_file_get_path (file));
}
