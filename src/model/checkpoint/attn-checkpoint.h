/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The files of a checkpoint: finds them, and maps the tensors of several files as if they were in
 * one. */

#pragma once

#include "attn-array.h"
#include "attn-fingerprint.h"

G_BEGIN_DECLS

/**
 * AttnCheckpoint:
 * @directory: that holds all files of the checkpoint
 * @name: of the model, for display, "gpt2"
 * @config_path: (nullable): its config.json; %NULL for a GGUF file, which contains the
 *   configuration, and for a file of torch.save without a config.json beside it
 * @index_path: (nullable): the file that says which tensor lies in which of several files
 * @weights_path: (nullable): the one file with weights, if there is no index
 */
typedef struct
{
  char *directory;
  char *name;
  char *config_path;
  char *index_path;
  char *weights_path;
} AttnCheckpoint;

AttnCheckpoint *attn_checkpoint_find (const char            *path,
                                      gboolean               has_adapter,
                                      GError               **error);
gboolean        attn_checkpoint_has_file (const char        *path);
void            attn_checkpoint_free (AttnCheckpoint        *checkpoint);
AttnArrayFile  *attn_checkpoint_load (const AttnCheckpoint  *checkpoint,
                                      AttnFingerprint       *fingerprint,
                                      GError               **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnCheckpoint, attn_checkpoint_free)

G_END_DECLS
