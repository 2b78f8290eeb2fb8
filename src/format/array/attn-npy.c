/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads and writes NumPy's .npy format, a file with one array: "\x93NUMPY", the version (2 bytes),
 * the length of the header (little-endian, 2 bytes in version 1, else 4), the header, a Python
 * dictionary that ends in a newline, and the elements.
 *
 *   {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
 *
 * https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html */

#include "config.h"

#include "attn-readers.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-array-private.h"
#include "attn-error.h"
#include "attn-memory.h"

#define MAGIC       "\x93NUMPY"
#define MAGIC_BYTES 6
/* The most bytes of a header that is read. That of an array of numbers takes about 100. */
#define MAX_HEADER_BYTES 65536
/* The number of bytes to whose multiple the elements begin in a file that is written. */
#define ALIGNMENT 64
/* The most characters of an element of NumPy's type U (text). NumPy stores the number of its bytes
 * in an int. */
#define MAX_TEXT_WIDTH (G_MAXINT32 / 4)

typedef struct
{
  AttnDtype dtype;
  gsize width; /* number of characters of an element of text, else 1 */
  gboolean is_swapped;
  gboolean is_fortran;
  guint n_dims;
  gsize shape[ATTN_ARRAY_MAX_DIMS];
} Header;

static const struct
{
  const char *code;
  AttnDtype dtype;
} codes[] = {
  { "f4", ATTN_DTYPE_F32 },
  { "f2", ATTN_DTYPE_F16 },
  { "f8", ATTN_DTYPE_F64 },
  { "i1", ATTN_DTYPE_I8 },
  { "i2", ATTN_DTYPE_I16 },
  { "i4", ATTN_DTYPE_I32 },
  { "i8", ATTN_DTYPE_I64 },
  { "u1", ATTN_DTYPE_U8 },
  { "u2", ATTN_DTYPE_U16 },
  { "u4", ATTN_DTYPE_U32 },
  { "u8", ATTN_DTYPE_U64 },
  { "b1", ATTN_DTYPE_BOOL },
};

/* Matches a header: a Python dictionary of three members in any order, whose strings have no
 * escapes. A shape is "()", "(3,)", "(2, 3)" or "(2, 3,)"; "(3)" is refused, since it is a number
 * in Python. Python 2 wrote long integers as 3L. */
#define SIZE "\\s*[0-9]+L?\\s*"
static const char header_pattern[] =
    "\\A\\s*\\{\\s*(?:(?:"
    "(['\"])descr\\g{-1}\\s*:\\s*(?:(['\"])(?<descr>[^'\"\\\\\\x00]*)\\g{-2}|(?<fields>\\[.*\\]))|"
    "(['\"])fortran_order\\g{-1}\\s*:\\s*(?<order>True|False)|"
    "(['\"])shape\\g{-1}\\s*:\\s*\\("
    "(?<shape>\\s*(?:" SIZE ",(?:" SIZE "(?:," SIZE ")*,?)?)?\\s*)\\)"
    ")\\s*(?:,\\s*|(?=\\}))){3}\\}\\s*\\z";

static gboolean
refuse_header (const char  *where,
               const char  *expected,
               GError     **error)
{
  return attn_fail (error, ATTN_ERROR_FORMAT,
                    _("%s: something else found in the header, expected %s"), where, expected);
}

/* Reads the shape of the array into @header. @sizes: the text between the parentheses */
static gboolean
read_shape (const char  *where,
            const char  *sizes,
            Header      *header,
            GError     **error)
{
  char *end;

  for (const char *p = sizes; *(p += strcspn (p, "0123456789")) != '\0'; p = end)
    {
      guint64 size = g_ascii_strtoull (p, &end, 10);

      if (header->n_dims == ATTN_ARRAY_MAX_DIMS)
        return attn_fail (error, ATTN_ERROR_LIMIT,
                          _("%s: more dimensions found, expected at most %d"), where,
                          ATTN_ARRAY_MAX_DIMS);
      if (size >= G_MAXSIZE)
        return refuse_header (where, _("“shape” with a tuple of sizes that fit the memory"), error);
      header->shape[header->n_dims++] = size;
    }
  return TRUE;
}

static gboolean
refuse_descr (const char  *where,
              const char  *descr,
              const char  *kind,
              GError     **error)
{
  g_autofree char *valid = g_utf8_make_valid (descr, -1);

  return attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                    _("%s: %s “%s” found, expected floating-point numbers of 2, 4 or 8 bytes, "
                      "integers, booleans or Unicode text"),
                    where, kind, valid);
}

static gboolean
read_descr (const char  *where,
            const char  *descr,
            Header      *header,
            GError     **error)
{
  const char *code = descr;
  gboolean is_big = G_BYTE_ORDER == G_BIG_ENDIAN;
  guint64 width;

  if (*code != '\0' && strchr ("<>|=", *code) != NULL)
    {
      is_big = *code == '>' || (*code != '<' && is_big);
      code++;
    }
  header->is_swapped = is_big != (G_BYTE_ORDER == G_BIG_ENDIAN);
  header->width = 1;
  for (guint i = 0; i < G_N_ELEMENTS (codes); i++)
    if (strcmp (code, codes[i].code) == 0)
      {
        header->dtype = codes[i].dtype;
        return TRUE;
      }
  if (code[0] == 'U' &&
      g_ascii_string_to_unsigned (code + 1, 10, 0, MAX_TEXT_WIDTH, &width, NULL))
    {
      header->dtype = ATTN_DTYPE_UNICODE;
      header->width = width;
      return TRUE;
    }
  return refuse_descr (
      where, descr,
      code[0] == 'O' ? _("an array of pickled Python objects, which could run code,") : _("type"),
      error);
}

static gboolean
scan_header (const char  *where,
             const char  *text,
             gsize        length,
             Header      *header,
             GError     **error)
{
  g_autoptr (GRegex) regex = g_regex_new (header_pattern, G_REGEX_RAW | G_REGEX_DOTALL, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;
  int start;

  g_regex_match_full (regex, text, (gssize) length, 0, 0, &match, NULL);
  g_autofree char *descr = g_match_info_fetch_named (match, "descr");
  g_autofree char *fields = g_match_info_fetch_named (match, "fields");
  g_autofree char *order = g_match_info_fetch_named (match, "order");
  g_autofree char *sizes = g_match_info_fetch_named (match, "shape");
  /* The text of a group that did not match is "", and all texts are NULL if the whole pattern did
   * not match. A description or a shape that did match can be empty too, so the position of the
   * group tells. */
  if (order == NULL || *order == '\0' ||
      !g_match_info_fetch_named_pos (match, "shape", &start, NULL) || start < 0 ||
      !g_match_info_fetch_named_pos (match, *fields != '\0' ? "fields" : "descr", &start, NULL) ||
      start < 0)
    return refuse_header (where, _("“descr”, “fortran_order” and “shape”, each once"), error);
  if (*fields != '\0')
    return refuse_descr (where, "[...]", _("a structured type"), error);
  header->is_fortran = *order == 'T';
  return read_descr (where, descr, header, error) && read_shape (where, sizes, header, error);
}

/* Determines where the text of the header begins and ends in @data. Returns FALSE with an error if
 * the file does not begin as an .npy file or ends within the header. */
static gboolean
find_header (const char    *where,
             const guint8  *data,
             gsize          size,
             gsize         *header_start,
             gsize         *header_end,
             GError       **error)
{
  gsize n_header = 0;
  gsize n_length_bytes;

  if (size < MAGIC_BYTES + 2 || memcmp (data, MAGIC, MAGIC_BYTES) != 0)
    return attn_fail (error, ATTN_ERROR_FORMAT,
                      _("%s: other first bytes found, expected those of NumPy’s .npy format"),
                      where);
  if (data[6] < 1 || data[6] > 3 || data[7] != 0)
    return attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                      _("%s: version %d.%d of the .npy format found, expected 1.0, 2.0 or 3.0"),
                      where, data[6], data[7]);

  n_length_bytes = data[6] == 1 ? 2 : 4;
  *header_start = MAGIC_BYTES + 2 + n_length_bytes;
  for (gsize i = 0; i < n_length_bytes && size >= *header_start; i++)
    n_header |= (gsize) data[MAGIC_BYTES + 2 + i] << (8 * i);
  if (size < *header_start || n_header > size - *header_start || n_header > MAX_HEADER_BYTES)
    return attn_fail (error, ATTN_ERROR_FORMAT,
                      _("%s: a header of %zu bytes found in a file of %zu, expected one that fits "
                        "and has at most %d"),
                      where, n_header, size, MAX_HEADER_BYTES);
  *header_end = *header_start + n_header;
  return TRUE;
}

static gboolean
check_size (const char    *where,
            const Header  *header,
            gsize          found,
            GError       **error)
{
  g_autofree char *shape = attn_shape_to_string (header->n_dims, header->shape);
  gsize n_elements;
  gsize expected;

  if (!attn_shape_get_n_elements (header->n_dims, header->shape, &n_elements) ||
      !g_size_checked_mul (&expected, n_elements, header->width) ||
      !g_size_checked_mul (&expected, expected, attn_dtype_get_size (header->dtype)))
    return attn_fail (error, ATTN_ERROR_SHAPE,
                      _("%s: shape %s found, expected sizes whose product fits the memory"), where,
                      shape);
  if (expected == found && (header->width > 0 || n_elements == 0))
    return TRUE;
  return attn_fail (error, ATTN_ERROR_FORMAT,
                    _("%s: %zu bytes of data found, expected %zu for shape %s"), where, found,
                    expected, shape);
}

static char *
dup_where (const AttnArrayFile *file,
           const char          *name)
{
  if (name[0] == '\0')
    return g_strdup (attn_array_file_get_path (file));
  return g_strdup_printf (_("%s: array “%s”"), attn_array_file_get_path (file), name);
}

/* Reads the header of an .npy file, and checks its size. @data: (array length=n_data): the
 * beginning of the file; @size: the bytes of the whole file; @start: (out): where the elements
 * begin, which extend to the end */
static gboolean
read_header (const char    *where,
             const guint8  *data,
             gsize          n_data,
             gsize          size,
             Header        *header,
             gsize         *start,
             GError       **error)
{
  gsize begin;

  if (!find_header (where, data, n_data, &begin, start, error))
    return FALSE;

  return scan_header (where, (const char *) data + begin, *start - begin, header, error) &&
         check_size (where, header, size - *start, error);
}

/**
 * attn_npy_outline:
 * @name: the array's name
 * @where: the beginning of messages
 * @data: (array length=n_data): the beginning of an .npy file, at least %ATTN_NPY_MAX_HEADER bytes
 *   or all of it
 * @size: the size of the whole file in bytes
 * @error: return location, as for [func@attn_npy_read]
 *
 * Returns: (transfer full) (nullable): the array without its elements; %NULL with an error if the
 *   file is not of the size that its header says
 */
AttnArray *
attn_npy_outline (const char    *name,
                  const char    *where,
                  const guint8  *data,
                  gsize          n_data,
                  gsize          size,
                  GError       **error)
{
  Header header = { 0 };
  gsize start;

  if (!read_header (where, data, n_data, size, &header, &start, error))
    return NULL;

  return attn_array_new_outline (name, header.dtype, header.n_dims, header.shape, NULL, error);
}

/**
 * attn_npy_read:
 * @file: the file that the array is added to; its path begins each message
 * @name: the array's name; "" for a file of its own
 * @bytes: the content of the .npy file; the elements of the array are a slice of it
 * @error: return location: %ATTN_ERROR_FORMAT, %ATTN_ERROR_UNSUPPORTED for types that are not plain
 *   numbers or text, %ATTN_ERROR_SHAPE, %ATTN_ERROR_LIMIT
 */
gboolean
attn_npy_read (AttnArrayFile  *file,
               const char     *name,
               GBytes         *bytes,
               GError        **error)
{
  g_autofree char *where = dup_where (file, name);
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);
  Header header = { 0 };
  gsize start;

  if (!read_header (where, data, size, size, &header, &start, error))
    return FALSE;

  g_autoptr (GBytes) elements = g_bytes_new_from_bytes (bytes, start, size - start);
  AttnArray *array =
      attn_array_new (name, header.dtype, header.n_dims, header.shape, elements, error);
  if (array == NULL)
    {
      g_prefix_error (error, "%s: ", attn_array_file_get_path (file));
      return FALSE;
    }
  array->is_fortran = header.is_fortran;
  array->is_swapped = header.is_swapped && attn_dtype_get_size (header.dtype) > 1;
  return attn_array_file_add (file, array, error);
}

/* Builds the header of an .npy file with exactly the spaces that NumPy writes, so that files are
 * the same byte by byte. */
static GString *
build_header (const AttnArray *array,
              AttnDtype        dtype)
{
  char order = G_BYTE_ORDER == G_BIG_ENDIAN ? '>' : '<';
  GString *header = g_string_new ("{'descr': '");

  if (dtype == ATTN_DTYPE_UNICODE)
    g_string_append_printf (header, "%cU%zu", order, array->item_size / 4);
  for (guint i = 0; i < G_N_ELEMENTS (codes); i++)
    if (codes[i].dtype == dtype)
      g_string_append_printf (header, "%c%s", attn_dtype_get_size (dtype) > 1 ? order : '|',
                              codes[i].code);
  g_string_append (header, "', 'fortran_order': False, 'shape': (");
  for (guint i = 0; i < array->n_dims; i++)
    g_string_append_printf (header, "%s%zu", i > 0 ? ", " : "", array->shape[i]);
  g_string_append (header, array->n_dims == 1 ? ",), }" : "), }");
  while ((MAGIC_BYTES + 4 + header->len + 1) % ALIGNMENT != 0)
    g_string_append_c (header, ' ');
  g_string_append_c (header, '\n');
  return header;
}

/**
 * attn_npy_write:
 * @error: return location for %ATTN_ERROR_MEMORY
 *
 * Makes an .npy file with the elements in C order and this machine's byte order. BF16 and the block
 * types, which NumPy does not have, are written as F32.
 *
 * Returns: (transfer full) (nullable): the bytes of an .npy file of version 1.0
 */
GBytes *
attn_npy_write (const AttnArray  *array,
                GError          **error)
{
  gboolean is_widened = array->dtype == ATTN_DTYPE_BF16 || attn_dtype_is_block (array->dtype);
  gsize n_elements = attn_array_get_n_elements (array);
  gsize n_data = is_widened ? n_elements * sizeof (float) : g_bytes_get_size (array->bytes);
  g_autoptr (GString) header = build_header (array, is_widened ? ATTN_DTYPE_F32 : array->dtype);
  gsize start = MAGIC_BYTES + 4 + header->len;

  /* The elements in the file's buffer are aligned for floats, since they begin at a multiple of 64
   * bytes. */
  g_autofree guint8 *data = attn_memory_try_alloc (start + n_data, _(".npy file"), error);
  if (data == NULL)
    return NULL;
  memcpy (data, MAGIC "\1\0", MAGIC_BYTES + 2);
  data[MAGIC_BYTES + 2] = header->len & 0xff;
  data[MAGIC_BYTES + 3] = header->len >> 8;
  memcpy (data + MAGIC_BYTES + 4, header->str, header->len);
  if (!is_widened)
    attn_array_gather (array, 0, n_elements, data + start);
  else if (!attn_array_read (array, 0, n_elements, (float *) (data + start), error))
    return NULL;
  return g_bytes_new_take (g_steal_pointer (&data), start + n_data);
}
