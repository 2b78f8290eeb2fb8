/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The reference of a study (a file that users save) to its model: the model's path and how it is
 * opened. */

#pragma once

#include "attn-array.h"

G_BEGIN_DECLS

/* The metadata key by which a file of probes is known, and the array of such a file that is used if
 * a study names none: the map of the probes' AUC. */
#define ATTN_MODEL_REFERENCE_PROBE     "probe"
#define ATTN_MODEL_REFERENCE_PROBE_MAP "auc"

/**
 * AttnModelReference:
 * @path: (nullable): checkpoint directory or file, %NULL for the model that ships with the program
 * @adapter: (nullable): directory of the adapter whose changes are added to the model's weights
 * @array: (nullable): name of the array that the study is about, in a file of several
 * @header: whether the first row and column of a table (.csv) are labels or numbers
 * @fingerprint: (nullable): fingerprint of the model's files when the study was made, to tell later
 *   whether they have changed
 */
typedef struct
{
  char *path;
  char *adapter;
  char *array;
  AttnTableHeader header;
  char *fingerprint;
} AttnModelReference;

AttnModelReference *attn_model_reference_new   (const char               *path,
                                                const char               *fingerprint);
AttnModelReference *attn_model_reference_copy  (const AttnModelReference *reference);
void                attn_model_reference_set   (AttnModelReference       *reference,
                                                const char               *path);
void                attn_model_reference_parse (AttnModelReference       *reference,
                                                const char               *text);
void                attn_model_reference_take  (AttnModelReference       *reference,
                                                const AttnModelReference *other);
void                attn_model_reference_settle (AttnModelReference      *reference,
                                                const AttnModelReference *beside);
AttnArrayFile      *attn_model_reference_load_arrays (const AttnModelReference *reference,
                                                      GError             **error);
gboolean            attn_model_reference_equal (const AttnModelReference *reference,
                                                const AttnModelReference *other);
void                attn_model_reference_clear (AttnModelReference       *reference);
void                attn_model_reference_free  (AttnModelReference       *reference);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AttnModelReference, attn_model_reference_clear)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnModelReference, attn_model_reference_free)

G_END_DECLS
