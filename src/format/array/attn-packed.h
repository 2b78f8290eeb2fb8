/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Matrices stored as codes of a few bits (GPTQ, AWQ and others), with scales and zeros in tensors
 * of their own. */

#pragma once

#include "attn-array.h"

G_BEGIN_DECLS

/**
 * AttnPackedOrder:
 * @ATTN_PACKED_DOWN: [in, out]: the bits of a column follow one another down the words of 32 bits
 * @ATTN_PACKED_INTERLEAVED: [in, out]: a word has eight columns of a row, the even ones below
 * @ATTN_PACKED_ACROSS: [out, in]: the bits of a row follow one another
 * @ATTN_PACKED_BYTES: [out, in]: a signed byte each
 * @ATTN_PACKED_FLAT: [out, in]: two codes a byte, the first one above, over the ends of the rows
 *
 * Where a code stands; the lowest bits of a word come first.
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
 * @bits: of a code, 2 to 8
 * @group_size: inputs that share a scale; of %ATTN_PACKED_FLAT, numbers
 * @zero: what is subtracted from a code, or added to each of @zeros
 * @words: (nullable): the codes
 * @scales: [groups, out] where codes lie as [in, out], else [out, groups]
 * @zeros: (nullable): codes of what is subtracted, packed along the outputs, or plain bytes
 * @biases: (nullable): as @scales, what is added after all
 * @groups: (nullable): [in], the number of the group of each input
 * @table: (nullable): [16], the numbers that codes stand for
 * @nested: (nullable): numbers that the bytes of @scales stand for, [256], times those of
 *   @nested_scales for each @nested_size of them, plus @nested_offset
 *
 * weight = (code - zero) scale + bias.
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
