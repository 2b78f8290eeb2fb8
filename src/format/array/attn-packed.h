/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Packed matrices: weights of a model that are stored as codes of a few bits each (GPTQ, AWQ and
 * others), with scales and zero points in tensors of their own. Rows are the outputs of the matrix,
 * columns its inputs. */

#pragma once

#include "attn-array.h"

G_BEGIN_DECLS

/**
 * AttnPackedOrder:
 * @ATTN_PACKED_DOWN: [in, out]: the codes of a column follow one another down a column of 32-bit
 *   words
 * @ATTN_PACKED_INTERLEAVED: [in, out]: a word holds the codes of eight columns of a row, those of
 *   even columns in its low half
 * @ATTN_PACKED_ACROSS: [out, in]: the codes of a row follow one another along the words
 * @ATTN_PACKED_BYTES: [out, in]: a code is a signed byte
 * @ATTN_PACKED_FLAT: [out, in]: two codes in a byte, the first one in its high half; a byte can
 *   hold the last code of a row and the first of the next
 *
 * The order in which codes are stored; in a word, the first code has the lowest bits.
 */
typedef enum
{
  ATTN_PACKED_DOWN,
  ATTN_PACKED_INTERLEAVED,
  ATTN_PACKED_ACROSS,
  ATTN_PACKED_BYTES,
  ATTN_PACKED_FLAT
} AttnPackedOrder;

/**
 * AttnPacking:
 * @bits: the bits of a code, 2 to 8
 * @group_size: the number of inputs that share a scale; for %ATTN_PACKED_FLAT, of consecutive codes
 * @zero: the number that is subtracted from a code, or added to each of @zeros if there are any
 * @words: the codes
 * @scales: [groups, out] if codes are stored as [in, out], else [out, groups]
 * @zeros: (nullable): the numbers that are subtracted from the codes of each group, as codes packed
 *   along the outputs, or as bytes
 * @biases: (nullable): numbers that are added last, of the shape of @scales
 * @groups: (nullable): [in]: for each input the number of its group
 * @table: (nullable): [16]: the numbers that 4-bit codes stand for
 * @nested: (nullable): [256]: the numbers that the bytes of @scales stand for. Each @nested_size
 *   scales are multiplied by one number of @nested_scales, and @nested_offset is added.
 *
 * The tensors in which a packed matrix is stored: weight = (code - zero) scale + bias.
 */
typedef struct
{
  AttnPackedOrder order;
  guint bits;
  gsize group_size;
  int zero;
  const AttnArray *words;
  const AttnArray *scales;
  const AttnArray *zeros;
  const AttnArray *biases;
  const AttnArray *groups;
  const AttnArray *table;
  const AttnArray *nested;
  const AttnArray *nested_scales;
  gsize nested_size;
  float nested_offset;
} AttnPacking;

AttnArray *attn_packed_new       (const char         *name,
                                  const AttnPacking  *packing,
                                  gsize               n_outputs,
                                  gsize               n_inputs,
                                  GError            **error);
AttnArray *attn_packed_take_rows (const AttnArray    *array,
                                  gsize               first,
                                  gsize               n);
gboolean   attn_packed_is_input_major (const AttnArray *array);
void       attn_packed_read      (const AttnArray    *array,
                                  gsize               first_line,
                                  gsize               n_lines,
                                  gsize               first,
                                  gsize               n,
                                  float              *out,
                                  gsize               stride);

G_END_DECLS
