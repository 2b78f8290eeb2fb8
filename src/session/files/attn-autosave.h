/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Saves the studies of open windows, for the case that the program is killed or crashes. Each
 * window has a file in the state directory while it is open, and deletes it when it is closed. */

#pragma once

#include "attn-session.h"

G_BEGIN_DECLS

#define ATTN_TYPE_AUTOSAVE (attn_autosave_get_type ())
G_DECLARE_FINAL_TYPE (AttnAutosave, attn_autosave, ATTN, AUTOSAVE, GObject)

/**
 * AttnLeftover:
 * @study: the study that was open in the window
 * @time: when it was last saved, in seconds since 1970
 * @path: (nullable): the user's file of the study
 * @etag: (nullable): etag of that file when the window last read or wrote it
 * @is_changed: whether the study had changes that the file does not have, or the file no longer
 *   exists
 * @missing: (nullable) (element-type guint): numbers of its models without a file, see
 *   attn_study_find_missing()
 * @is_ended: whether the program was told to end and could not ask the user about the changes;
 *   %FALSE after a crash
 *
 * A file that a window left when its program was killed or crashed. This object holds the lock of
 * the file, so that no other process finds it.
 */
typedef struct
{
  const AttnStudy *study;
  gint64 time;
  char *path;
  char *etag;
  gboolean is_changed;
  gboolean is_ended;
  GArray *missing;

  /*< private >*/
  char *file;
  int lock;
} AttnLeftover;

AttnAutosave *attn_autosave_new (AttnSession *session,
                                 const char *directory);
gboolean attn_autosave_flush (AttnAutosave *autosave);
void attn_autosave_end (AttnAutosave *autosave);
void attn_autosave_take_over (AttnAutosave *autosave,
                              AttnLeftover *leftover);
void attn_autosave_discard (AttnAutosave *autosave);
char *attn_autosave_dup_directory (void);

GPtrArray *attn_leftovers_find (const char *directory,
                                guint most,
                                GPtrArray *damaged,
                                guint *n_others);
void attn_leftover_discard (AttnLeftover *leftover);
void attn_leftover_free (AttnLeftover *leftover);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnLeftover, attn_leftover_free)

G_END_DECLS
