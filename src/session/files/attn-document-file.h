/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a path that is opened stands for, as a thread reads it: the disk may not answer for long. */

#pragma once

#include "attn-study.h"

G_BEGIN_DECLS

/**
 * AttnDocumentFile:
 * @path: what was asked for
 * @is_document: whether it is a study, or a figure that has one; otherwise it is a model
 * @study: (nullable): the study; %NULL for a model, and where it cannot be read
 * @file: (nullable): the file that the study lives in; %NULL for that of a figure
 * @etag: (nullable): of @file, from before it was read, so that a change meanwhile is noticed
 * @missing: (nullable) (element-type guint): see attn_study_find_missing()
 * @model: (nullable): the model that @path is
 * @error: (nullable): why there is no study
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
