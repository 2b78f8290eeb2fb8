/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Published methods of quantizing matrices, such as GPTQ: how a checkpoint says that it uses one,
 * and which tensors hold the codes (small integers), scales and zeros of a matrix. */

#pragma once

#include "attn-array.h"
#include "attn-json.h"

G_BEGIN_DECLS

/* The most inputs, or rows, of a matrix that may share a scale. */
#define ATTN_SCHEMES_MAX_GROUP (1 << 20)

typedef struct _AttnSchemeRules AttnSchemeRules;

/**
 * AttnQuantization:
 * @method: (nullable): name of the method, "gptq"; %NULL if the configuration names none
 * @bits: bits of a code
 * @group_size: how many inputs share a scale; %G_MAXSIZE if all of a row do
 * @zero: number that is subtracted from codes, or, if the matrix has zeros, added to these
 * @has_zeros: whether each matrix has a tensor of zeros, the codes that stand for 0
 * @has_groups: whether each matrix has a tensor with the number of each input's group
 * @mode: (nullable): mode of MLX whose codes are small floats: "mxfp4", "mxfp8" or "nvfp4"
 * @rules: (nullable): settings of single modules
 * @beside: (nullable): name of the file beside config.json from which these settings are
 * @n_block_rows: rows of a block of bytes that share a scale
 * @n_block_columns: columns of such a block
 *
 * The form in which the matrices of a quantized model are stored, as its configuration says.
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

/* Finds a tensor of the checkpoint by its name; a function of the caller, which returns NULL if the
 * checkpoint has no such tensor. */
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
