/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads the texts of a file one after the other: lines, JSON objects, rows of a table, or sequences
 * of ids. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * AttnTextForm:
 * @path: (nullable): of the file, whose end says what it is: .csv, .jsonl, .fasta, .fa or .faa;
 *   else a text a line. "-" for standard input; %NULL for lines
 * @where: what messages call it; outlives the reader, as @field does
 * @field: (nullable): member of the objects that holds the text, %NULL for "text"
 * @column: (nullable): of a CSV file: what its first row calls it, or its number, counted from 0,
 *   of a file without such a row
 * @has_target: whether a file of objects, or of a table whose first row says so, may have a
 *   “target” beside the text
 */
typedef struct
{
  const char *path;
  const char *where;
  const char *field;
  const char *column;
  gboolean has_target;
} AttnTextForm;

typedef struct _AttnTextReader AttnTextReader;

AttnTextReader *attn_text_reader_new        (GBytes                *content,
                                             const AttnTextForm    *form,
                                             GError               **error);
void            attn_text_reader_free       (AttnTextReader        *reader);
gboolean        attn_text_reader_next       (AttnTextReader        *reader,
                                             guint64                number,
                                             gboolean               is_wanted,
                                             char                 **text,
                                             GError               **error);
const char     *attn_text_reader_get_target (const AttnTextReader  *reader);
gsize           attn_text_reader_count_rest (const AttnTextReader  *reader);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnTextReader, attn_text_reader_free)

G_END_DECLS
