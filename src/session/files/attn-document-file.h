/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Finds out what a path that the user opens is (a model, a study or a figure), and reads a study.
 * This can be done in a thread, since a disk can be slow. */

#pragma once

#include "attn-study.h"

G_BEGIN_DECLS

/**
 * AttnDocumentFile:
 * @path: the path that was read
 * @is_document: whether the path is a study, or a figure that contains one; else it is a model
 * @study: (nullable): the study; %NULL for a model, or if the study cannot be read
 * @file: (nullable): the file that the study is saved to; %NULL for the study of a figure, which is
 *   not saved to the figure
 * @etag: (nullable): etag of @file before it was read, so that a change meanwhile is noticed
 * @missing: (nullable) (element-type guint): numbers of the study's models without a file, see
 *   attn_study_find_missing()
 * @model: (nullable): the model, if @path is one
 * @error: (nullable): why the study cannot be read
 */
typedef struct
{
  char *path;
  gboolean is_document;
  const AttnStudy *study;
  char *file;
  char *etag;
  GArray *missing;
  AttnModelReference *model;
  GError *error;
} AttnDocumentFile;

AttnDocumentFile *attn_document_file_read (const char *path,
                                           const AttnModelReference *beside);
void attn_document_file_free (AttnDocumentFile *file);
gboolean attn_document_file_is_study (const char *path);
char *attn_document_file_dup_etag (const char *path);
gboolean attn_document_file_is_overtaken (const char *path,
                                          const char *etag);
const char *attn_document_file_find_same (const char *path,
                                          const char * const *others);
GArray *attn_study_find_missing (const AttnStudy *study);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnDocumentFile, attn_document_file_free)

G_END_DECLS
