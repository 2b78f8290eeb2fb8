/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The table of the formats of array files, with one row for each. */

#pragma once

#include "attn-array.h"

G_BEGIN_DECLS

/**
 * AttnArrayFormatFlags:
 * @ATTN_ARRAY_FORMAT_RECORDING: such a file holds arrays that another program recorded
 * @ATTN_ARRAY_FORMAT_MODEL: it holds the weights of a model
 * @ATTN_ARRAY_FORMAT_TEXT: it is a table in text, which may begin with anything
 * @ATTN_ARRAY_FORMAT_WRITES_ONE: it can be written, and has room for one array of numbers
 * @ATTN_ARRAY_FORMAT_WRITES_MORE: it can be written, with any number of arrays
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
 * @suffix: how the names of its files end, in any case
 * @magic: how its files begin, one or the other; none for text
 * @magic_offset: where that stands
 * @is_content: (nullable): tells by the bytes where a beginning does not; @is_named: whether the
 *   file has @suffix
 * @open_title: (nullable): what a file chooser calls it that asks for a model
 * @export_title: (nullable): what the window calls it when it exports panels
 * @read: adds what @bytes hold to @file
 * @write: makes the content of a file
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

/* The last row has no suffix. */
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
