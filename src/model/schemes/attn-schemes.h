/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The published ways to store a matrix in fewer bits, a row each: how a checkpoint says that it has
 * them, and which tensors hold what. */

#pragma once

#include "attn-array.h"
#include "attn-json.h"

G_BEGIN_DECLS

/**
 * AttnQuantization:
 * @method: (nullable): one of the table, %NULL where the configuration names none
 * @bits: of a code
 * @group_size: inputs that share a scale; %G_MAXSIZE for all of a row
 * @zero: what is subtracted from a code, or added to a stored zero
 * @has_zeros: whether each matrix has zeros of its own
 * @has_groups: whether each matrix has the number of the group of each input
 * @others: (nullable): matrices that are stored in other numbers of bits, AttnQuantization by the
 *   name of the module; only @bits and @group_size count
 * @is_beside: whether a file beside the configuration says all this
 * @n_block_rows: of the blocks of bytes that share a scale
 * @n_block_columns: likewise
 *
 * The form in which matrices are stored, by the configuration.
 */
typedef struct
{
  const char *method;
  guint bits;
  gsize group_size;
  int zero;
  gboolean has_zeros;
  gboolean has_groups;
  GHashTable *others;
  gboolean is_beside;
  gsize n_block_rows;
  gsize n_block_columns;
} AttnQuantization;

/* Finds a tensor of the checkpoint by its name. */
typedef const AttnArray *(*AttnSchemeLookup) (gconstpointer  data,
                                              const char    *name);

gboolean attn_schemes_has_config  (AttnJsonReader          *json);
void     attn_schemes_read_config (AttnJsonReader          *json,
                                   AttnQuantization        *quantization);
void     attn_schemes_read_beside (AttnJsonReader          *json,
                                   AttnQuantization        *quantization);
gboolean attn_schemes_find        (const AttnQuantization  *quantization,
                                   const char              *name,
                                   AttnSchemeLookup         lookup,
                                   gconstpointer            data,
                                   AttnArray              **found,
                                   GError                 **error);
gboolean attn_schemes_is_idle     (const AttnQuantization  *quantization,
                                   const AttnArray         *array,
                                   AttnSchemeLookup         lookup,
                                   gconstpointer            data);

G_END_DECLS
