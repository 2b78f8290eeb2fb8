/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the reader of CSV does for those who read one in another form or write it. */

#pragma once

#include "attn-array.h"

G_BEGIN_DECLS

typedef struct
{
  const char *p;
  const char *end;
  char separator;
  gsize line; /* of @p, from 1 */
} AttnCsvScan;

/* @text, @length: what is between the quotes, if there are any, else the whole cell. */
typedef struct
{
  const char *text;
  gsize length;
  gboolean is_quoted;
  gboolean is_last; /* of its row */
} AttnCsvCell;

gboolean attn_csv_is_number  (const char         *text);
gboolean attn_csv_find_row   (AttnCsvScan        *scan);
gboolean attn_csv_scan_cell  (AttnCsvScan        *scan,
                              AttnCsvCell        *cell);
gboolean attn_csv_parse_cell (const AttnCsvCell  *cell,
                              double             *value);
char    *attn_csv_dup_label  (const AttnCsvCell  *cell);
gboolean attn_csv_fill_cell  (const char         *path,
                              const AttnCsvCell  *cell,
                              gsize               line,
                              gsize               column,
                              float              *out,
                              GError            **error);
gboolean attn_csv_add_labels (AttnArrayFile      *file,
                              const char         *name,
                              GPtrArray          *labels,
                              GError            **error);

gboolean attn_csv_read_long  (AttnArrayFile      *file,
                              const AttnCsvScan  *start,
                              gboolean           *is_long,
                              GError            **error);

G_END_DECLS
