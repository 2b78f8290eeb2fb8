/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Table of questions, their answers, and whether each answer is correct, from which probes are
 * fitted. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * AttnProbeColumn:
 *
 * Columns that a probe needs in its table. Each is found by its name.
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
 * @label: 1 if the answer is correct, else 0
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
 * @where: name of the file, for messages
 * @checksum: SHA-256 of the file
 * @rows: (element-type AttnProbeRow): the rows of the table
 * @n_labels: number of rows with label 0, and of rows with label 1
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
