/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Iterates over the cells of a CSV text according to RFC 4180. */

#pragma once

#include "attn-array.h"

G_BEGIN_DECLS

/**
 * AttnCsv:
 * @start: the text, @end behind it
 * @text: the cell that attn_csv_next() found last, @length bytes long; what is between the quotes
 *   if there are any
 * @row: of that cell, from 0, lines without anything not counted; behind the last cell, how many
 *   rows there are
 * @line: where its row begins
 * @is_last: whether it ends its row
 * @is_broken: quotes do not close, or something stands behind them
 *
 * A plain value: a copy goes on from where the original is.
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
