/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Published methods to quantize a matrix, one row of the table each: how a checkpoint tells that it
 * uses them, and which of its tensors hold what. */

#pragma once

#include "attn-array.h"
#include "attn-json.h"

G_BEGIN_DECLS

/* The maximum of inputs or rows that share a scale. */
#define ATTN_SCHEMES_MAX_GROUP (1 << 20)

typedef struct _AttnSchemeRules AttnSchemeRules;

/**
 * AttnQuantization:
 * @method: (nullable): one of the table, %NULL where the configuration names none
 * @bits: of a code
 * @group_size: inputs that share a scale; %G_MAXSIZE for all of a row
 * @zero: what is subtracted from a code, or added to a stored zero
 * @has_zeros: whether each matrix has zeros of its own
 * @has_groups: whether each matrix has the number of the group of each input
 * @mode: (nullable): of MLX, where the codes are numbers with scales: mxfp4, mxfp8, nvfp4
 * @rules: (nullable): what holds for some modules alone
 * @beside: (nullable): the name of the file beside the configuration that says all this
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
  const char *mode;
  AttnSchemeRules *rules;
  const char *beside;
  gsize n_block_rows;
  gsize n_block_columns;
} AttnQuantization;

/* Finds a tensor of the checkpoint by its name. */
typedef const AttnArray *(*AttnSchemeLookup) (gconstpointer  data,
                                              const char    *name);

gboolean attn_schemes_has_config  (AttnJsonReader          *json);
void     attn_schemes_read_config (AttnJsonReader          *json,
                                   AttnQuantization        *quantization);
const char *attn_schemes_get_beside (gsize                  index);
void     attn_schemes_read_beside (AttnJsonReader          *json,
                                   gsize                    index,
                                   AttnQuantization        *quantization);
gboolean attn_schemes_choose      (const AttnQuantization  *quantization,
                                   const AttnArray         *codes,
                                   const char              *suffix,
                                   const AttnQuantization **own,
                                   GError                 **error);
void     attn_scheme_rules_free   (AttnSchemeRules         *rules);
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
