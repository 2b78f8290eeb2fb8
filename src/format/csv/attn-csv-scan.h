/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Iterates over the cells of a text in CSV (comma-separated values) according to RFC 4180. */

#pragma once

#include "attn-array.h"

G_BEGIN_DECLS

/**
 * AttnCsv:
 * @start: the beginning of the text, which extends to before @end
 * @next: the text that has not been read
 * @text: the current cell, to which attn_csv_next() went last, @length bytes long; if it is quoted,
 *   the text between its quotes
 * @row: the row of the current cell, counted from 0 without empty lines; behind the last cell, the
 *   number of rows
 * @line: where the row of the current cell begins
 * @is_last: whether the current cell is the last of its row
 * @is_broken: whether the quotes of the current cell do not close, or text stands behind them
 *
 * A scan of a text. It owns nothing: a copy of the structure goes on from the same cell,
 * independently.
 */
typedef struct
{
  const char *start;
  const char *end;
  const char *next;
  char separator;
  const char *text;
  gsize length;
  gsize row;
  gsize column;
  const char *line;
  gboolean is_quoted;
  gboolean is_last;
  gboolean is_broken;
} AttnCsv;

AttnCsv  attn_csv_begin       (const char     *text,
                               gsize           length);
gboolean attn_csv_next        (AttnCsv        *csv);
gsize    attn_csv_count_lines (const AttnCsv  *csv,
                               const char     *p);
gboolean attn_csv_is_empty    (const AttnCsv  *csv);
gboolean attn_csv_get_number  (const AttnCsv  *csv,
                               double         *value);
gboolean attn_csv_read_float  (const AttnCsv  *csv,
                               const char     *path,
                               float          *out,
                               GError        **error);
char    *attn_csv_dup_label   (const AttnCsv  *csv);
gboolean attn_csv_add_labels  (AttnArrayFile  *file,
                               const char     *name,
                               GPtrArray      *labels,
                               GError        **error);
gboolean attn_csv_read_long   (AttnArrayFile  *file,
                               AttnCsv         start,
                               gsize           n_rows,
                               gsize           n_columns,
                               gboolean       *is_long,
                               GError        **error);

G_END_DECLS
