/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads the texts of a file one after the other. A text is a line, a member of a JSON object, a
 * cell in a row of a table, or a sequence in a FASTA file. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * AttnTextForm:
 * @path: (nullable): path of the file, whose suffix tells the format: .csv, .jsonl, .fasta, .fa or
 *   .faa; with any other suffix, for "-" (standard input) and for %NULL each line is a text
 * @where: name of the file in messages; it outlives the reader, as @field does
 * @field: (nullable): member of the JSON objects that holds the text; %NULL for "text"
 * @column: (nullable): column of a CSV file with the texts: its name in the first row, or its
 *   number, counted from 0, in a file without such a row
 * @has_target: whether to read a “target” beside each text: a member of the JSON objects, or a
 *   column that the first row names
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
