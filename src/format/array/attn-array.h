/* SPDX-License-Identifier: GPL-3.0-or-later */

/* An array of numbers or texts as it is stored in a file: bytes with an element type, a byte order
 * and a shape; and files of such arrays. */

#pragma once

#include <glib.h>

#include "attn-quant.h"
#include "attn-tensor.h"

G_BEGIN_DECLS

/**
 * AttnDtype:
 *
 * Types of the elements of arrays in files. %ATTN_DTYPE_UNICODE is NumPy's UTF-32 text of fixed
 * width, for labels. From %ATTN_DTYPE_Q8_0 on they are the block types of GGUF files: each block of
 * numbers shares a scale, and a row consists of whole blocks. %ATTN_DTYPE_F4 has two numbers in a
 * byte, whose scales are in an array of their own.
 */
#define ATTN_DTYPE_VALUE(NAME, ...) ATTN_DTYPE_##NAME,

typedef enum
{
  ATTN_DTYPE_F32,
  ATTN_DTYPE_F16,
  ATTN_DTYPE_BF16,
  ATTN_DTYPE_F64,
  ATTN_DTYPE_I8,
  ATTN_DTYPE_I16,
  ATTN_DTYPE_I32,
  ATTN_DTYPE_I64,
  ATTN_DTYPE_U8,
  ATTN_DTYPE_U16,
  ATTN_DTYPE_U32,
  ATTN_DTYPE_U64,
  ATTN_DTYPE_BOOL,
  ATTN_DTYPE_F8_E4M3,
  ATTN_DTYPE_F8_E5M2,
  ATTN_DTYPE_F8_E8M0,
  ATTN_DTYPE_UNICODE,
  ATTN_QUANT_TYPES (ATTN_DTYPE_VALUE)
} AttnDtype;

const char *attn_dtype_get_name    (AttnDtype    dtype);
gsize       attn_dtype_get_size    (AttnDtype    dtype);
void        attn_dtype_get_block   (AttnDtype    dtype,
                                    gsize       *n_elements,
                                    gsize       *n_bytes);
gboolean    attn_dtype_is_block    (AttnDtype    dtype);
void        attn_dtype_to_float32  (AttnDtype    dtype,
                                    const void  *source,
                                    gsize        n_elements,
                                    float       *out);

typedef struct _AttnArray AttnArray;
typedef struct _AttnPacked AttnPacked;

/**
 * AttnArray:
 * @name: the name of the array in the file; "" in a file that holds only one array
 * @n_dims: 0 for a scalar; at most %ATTN_ARRAY_MAX_DIMS
 * @item_size: bytes of an element; for a block type, bytes of a block
 * @is_fortran: whether the elements are stored with the first dimension fastest, not the last
 * @is_strided: whether @strides, and not @is_fortran, say where the elements lie
 * @strides: if @is_strided, for each dimension the distance, in elements, from one index to the
 *   next; 0 if all indices are the same element
 * @is_swapped: whether the bytes of each element are in the opposite of this machine's order
 * @bytes: (nullable): the elements; a slice of the mapped file if the format allows that; %NULL in
 *   a file that was read by [func@attn_array_file_outline]
 * @scales: (nullable): factors of the elements, one for each block of @n_scale_rows rows and
 *   @n_scale_columns columns; see [func@attn_array_set_scales]
 * @packed: (nullable): the codes of a few bits that the elements, rows from @first_packed_row on,
 *   are computed from; see [func@attn_packed_new]
 */
#define ATTN_ARRAY_MAX_DIMS 8

/* The functions that read a matrix stored as codes of a few bits, and that release its reference to
 * the tensors in which the codes are stored. */
typedef struct
{
  void (*read) (const AttnArray *array,
                gsize            first,
                gsize            n_elements,
                float           *out);
  void (*unref) (AttnPacked *packed);
} AttnPackedFuncs;

struct _AttnArray
{
  char *name;
  AttnDtype dtype;
  guint n_dims;
  gsize shape[ATTN_ARRAY_MAX_DIMS];
  gsize item_size;
  gboolean is_fortran;
  gboolean is_strided;
  gsize strides[ATTN_ARRAY_MAX_DIMS];
  gboolean is_swapped;
  GBytes *bytes;
  AttnArray *scales;
  gsize n_scale_rows;
  gsize n_scale_columns;
  AttnPacked *packed;
  const AttnPackedFuncs *packed_funcs;
  gsize first_packed_row;
};

AttnArray  *attn_array_new             (const char          *name,
                                        AttnDtype            dtype,
                                        guint                n_dims,
                                        const gsize         *shape,
                                        GBytes              *bytes,
                                        GError             **error);
AttnArray  *attn_array_new_strided     (const char          *name,
                                        AttnDtype            dtype,
                                        guint                n_dims,
                                        const gsize         *shape,
                                        const gsize         *strides,
                                        GBytes              *bytes,
                                        GError             **error);
gboolean    attn_array_is_row_major    (const AttnArray     *array);
AttnArray  *attn_array_share           (const AttnArray     *array);
AttnArray  *attn_array_new_from_tensor (const char          *name,
                                        AttnTensor          *tensor);
AttnArray  *attn_array_new_strings     (const char          *name,
                                        const char * const  *strings);
gboolean    attn_array_set_scales      (AttnArray           *array,
                                        const AttnArray     *scales,
                                        gsize                n_rows,
                                        gsize                n_columns,
                                        GError             **error);
void        attn_array_free            (AttnArray           *array);
gsize       attn_array_get_n_elements  (const AttnArray     *array);
AttnTensor *attn_array_to_tensor       (const AttnArray     *array,
                                        GError             **error);
gboolean    attn_array_read            (const AttnArray     *array,
                                        gsize                first,
                                        gsize                n_elements,
                                        float               *out,
                                        GError             **error);
const float *attn_array_peek_float32   (const AttnArray     *array);
char      **attn_array_dup_strings     (const AttnArray     *array,
                                        GError             **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnArray, attn_array_free)

typedef struct _AttnArrayFile AttnArrayFile;

/**
 * AttnTableHeader:
 * @ATTN_TABLE_HEADER_AUTO: determined from the content of their cells; if that is not clear,
 *   reading fails
 * @ATTN_TABLE_HEADER_NONE: all cells belong to the matrix
 * @ATTN_TABLE_HEADER_ROW: the first row names the columns
 * @ATTN_TABLE_HEADER_COLUMN: the first column names the rows
 * @ATTN_TABLE_HEADER_BOTH: the first row names the columns, and the first column the rows
 *
 * The meaning of the first row and the first column of a table in text (.csv, .tsv): labels or
 * numbers.
 */
typedef enum
{
  ATTN_TABLE_HEADER_AUTO,
  ATTN_TABLE_HEADER_NONE,
  ATTN_TABLE_HEADER_ROW,
  ATTN_TABLE_HEADER_COLUMN,
  ATTN_TABLE_HEADER_BOTH,
} AttnTableHeader;

/* (array zero-terminated=1): the names of the values of AttnTableHeader in files and on the command
 * line, in their order. */
extern const char * const attn_table_header_names[];

AttnArrayFile    *attn_array_file_new          (const char           *path);
AttnArrayFile    *attn_array_file_load         (const char           *path,
                                                GError              **error);
AttnArrayFile    *attn_array_file_load_table   (const char           *path,
                                                AttnTableHeader       header,
                                                GError              **error);
AttnArrayFile    *attn_array_file_outline      (const char           *path,
                                                GError              **error);
AttnArrayFile    *attn_array_file_ref          (AttnArrayFile        *file);
void              attn_array_file_unref        (AttnArrayFile        *file);
const char       *attn_array_file_get_path     (const AttnArrayFile  *file);
gsize             attn_array_file_get_n_arrays (const AttnArrayFile  *file);
const AttnArray  *attn_array_file_get_nth      (const AttnArrayFile  *file,
                                                gsize                 index);
const AttnArray  *attn_array_file_lookup       (const AttnArrayFile  *file,
                                                const char           *name);
const char       *attn_array_file_get_metadata (const AttnArrayFile  *file,
                                                const char           *key);
const AttnArray  *attn_array_file_find_single  (const AttnArrayFile  *file,
                                                gsize                *n_arrays);
char             *attn_array_file_dup_names    (const AttnArrayFile  *file,
                                                gsize                *n_arrays);
gboolean          attn_array_file_select       (AttnArrayFile        *file,
                                                const char           *name,
                                                GError              **error);
const AttnArray  *attn_array_file_get_selected (const AttnArrayFile  *file);
gboolean          attn_array_file_add          (AttnArrayFile        *file,
                                                AttnArray            *array,
                                                GError              **error);
gboolean          attn_array_file_add_numbers  (AttnArrayFile        *file,
                                                const char           *name,
                                                AttnDtype             dtype,
                                                guint                 n_dims,
                                                const gsize          *shape,
                                                gconstpointer         numbers,
                                                GError              **error);
char            **attn_array_file_dup_metadata_keys (const AttnArrayFile *file);
char            **attn_array_file_dup_labels   (const AttnArrayFile  *file,
                                                const char           *name);
char            **attn_array_file_dup_n_labels (const AttnArrayFile  *file,
                                                const char           *name,
                                                gsize                 n);
void              attn_array_file_set_metadata (AttnArrayFile        *file,
                                                const char           *key,
                                                const char           *value);
GBytes           *attn_array_file_serialize    (const AttnArrayFile  *file,
                                                const char           *path,
                                                GError              **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnArrayFile, attn_array_file_unref)

G_END_DECLS
