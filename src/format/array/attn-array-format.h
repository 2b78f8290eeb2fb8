/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The table of the formats of files that hold arrays, such as .npy and .safetensors, with one row
 * for each suffix. */

#pragma once

#include "attn-array.h"

G_BEGIN_DECLS

/**
 * AttnArrayFormatFlags:
 * @ATTN_ARRAY_FORMAT_RECORDING: a file of this format can hold attention weights that another
 *   program has recorded
 * @ATTN_ARRAY_FORMAT_MODEL: it can hold the parameters of a model
 * @ATTN_ARRAY_FORMAT_TEXT: it is a table in text, which can begin with any bytes
 * @ATTN_ARRAY_FORMAT_WRITES_ONE: the program can write it, with one array of numbers
 * @ATTN_ARRAY_FORMAT_WRITES_MORE: the program can write it, with any number of arrays
 */
typedef enum
{
  ATTN_ARRAY_FORMAT_RECORDING = 1 << 0,
  ATTN_ARRAY_FORMAT_MODEL = 1 << 1,
  ATTN_ARRAY_FORMAT_TEXT = 1 << 2,
  ATTN_ARRAY_FORMAT_WRITES_ONE = 1 << 3,
  ATTN_ARRAY_FORMAT_WRITES_MORE = 1 << 4,
} AttnArrayFormatFlags;

#define ATTN_ARRAY_FORMAT_WRITES (ATTN_ARRAY_FORMAT_WRITES_ONE | ATTN_ARRAY_FORMAT_WRITES_MORE)

/**
 * AttnArrayFormat:
 * @suffix: the ending of the names of its files, such as ".npy", in upper or lower case
 * @magic: the bytes that its files begin with, up to two alternatives; none for text
 * @magic_offset: the position of these bytes in the file
 * @is_content: (nullable): used instead of @magic: tells whether @bytes are a file of this format;
 *   @is_named: whether the file has @suffix
 * @open_title: (nullable): the name of the format in the file chooser for models
 * @export_title: (nullable): the name of the format where the window exports panels
 * @read: adds the arrays and metadata of @bytes, a whole file, to @file
 * @write: (nullable): makes the content of a file with the arrays and metadata of @file
 */
typedef struct
{
  const char *suffix;
  AttnArrayFormatFlags flags;
  const char *magic[2];
  gsize magic_offset;
  gboolean (*is_content) (gboolean is_named,
                          GBytes *bytes);
  const char *open_title;
  const char *export_title;
  gboolean (*read) (AttnArrayFile *file,
                    GBytes *bytes,
                    GError **error);
  GBytes *(*write) (const AttnArrayFile *file,
                    GError **error);
} AttnArrayFormat;

/* The formats of array files. The last row, which only marks the end, has a NULL suffix. */
extern const AttnArrayFormat attn_array_formats[];

const AttnArrayFormat *attn_array_format_find    (const char            *path);
gboolean               attn_array_format_has     (const char            *path,
                                                  AttnArrayFormatFlags   flags);
char                  *attn_array_format_list    (AttnArrayFormatFlags   flags,
                                                  const char            *separator);
const AttnArrayFormat *attn_array_format_parse   (const char            *path,
                                                  GError               **error);
GBytes                *attn_array_format_write   (const AttnArrayFormat *format,
                                                  const AttnArrayFile   *file,
                                                  GError               **error);

G_END_DECLS
