/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A journal is a file of records (byte strings, here the results of chunks of a survey). A record
 * is on disk when attn_journal_append() returns, and is read again after the program was killed. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _AttnJournal AttnJournal;

/**
 * AttnJournalFunc:
 *
 * Called by attn_journal_open() for each record of the file that is complete and undamaged.
 */
typedef void (*AttnJournalFunc) (GBytes   *record,
                                 gpointer  user_data);

AttnJournal *attn_journal_open   (const char       *path,
                                  const char       *subject,
                                  AttnJournalFunc   func,
                                  gpointer          user_data,
                                  GError          **error);
gboolean     attn_journal_append (AttnJournal      *journal,
                                  GBytes           *record,
                                  GError          **error);
gboolean     attn_journal_clear  (AttnJournal      *journal,
                                  GError          **error);
void         attn_journal_close  (AttnJournal      *journal,
                                  gboolean          is_needed);

G_END_DECLS
