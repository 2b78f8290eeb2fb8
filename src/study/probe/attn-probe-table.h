/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Table of questions, answers and whether they are correct. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * AttnProbeColumn:
 *
 * Columns of a table that a probe needs.
 */
typedef enum
{
  ATTN_PROBE_COLUMN_QUESTION,
  ATTN_PROBE_COLUMN_ANSWER,
  ATTN_PROBE_COLUMN_EXACT_ANSWER,
  ATTN_PROBE_COLUMN_LABEL,
  ATTN_PROBE_N_COLUMNS,
} AttnProbeColumn;

/* (array zero-terminated=1): default names of the columns in the header row. */
extern const char * const attn_probe_column_names[];

/**
 * AttnProbeRow:
 * @exact_answer: a part of @answer, without spaces around it
 * @label: 0 or 1
 */
typedef struct
{
  char *question;
  char *answer;
  char *exact_answer;
  guint8 label;
} AttnProbeRow;

/**
 * AttnProbeTable:
 * @where: the file, for messages
 * @checksum: SHA-256 of the file
 * @rows: (element-type AttnProbeRow)
 * @n_labels: rows with label 0 and with label 1
 */
typedef struct
{
  char *where;
  char *checksum;
  GPtrArray *rows;
  gsize n_labels[2];
} AttnProbeTable;

char          **attn_probe_table_list_columns (const char           *path,
                                               GError              **error);
AttnProbeTable *attn_probe_table_load         (const char           *path,
                                               const char * const   *columns,
                                               GError              **error);
gboolean        attn_probe_table_check        (const AttnProbeTable *table,
                                               gsize                 n_least,
                                               GError              **error);
void            attn_probe_table_free         (AttnProbeTable       *table);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnProbeTable, attn_probe_table_free)

G_END_DECLS
