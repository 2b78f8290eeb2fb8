/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Journal of records, which are on disk when attn_journal_append() returns and are read again after
 * the program was killed. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _AttnJournal AttnJournal;

/**
 * AttnJournalFunc:
 *
 * Is given each record that arrived whole.
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
