/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The table of the opcodes (instructions of pickles) that torch.save() uses. */

#pragma once

#include "attn-pickle-machine.h"

G_BEGIN_DECLS

/**
 * AttnPickleOperandKind:
 * @ATTN_PICKLE_OPERAND_COUNTED_1: a number of 1 byte (or 4 or 8, by the name), then as many bytes
 * @ATTN_PICKLE_OPERAND_LINES: two lines of text
 *
 * The kinds of operands that follow an opcode in the pickle. The names end in the number of bytes
 * of an integer, of which the lowest comes first.
 */
typedef enum
{
  ATTN_PICKLE_OPERAND_NOTHING,
  ATTN_PICKLE_OPERAND_UNSIGNED_1,
  ATTN_PICKLE_OPERAND_UNSIGNED_2,
  ATTN_PICKLE_OPERAND_SIGNED_4,
  ATTN_PICKLE_OPERAND_UNSIGNED_4,
  ATTN_PICKLE_OPERAND_DOUBLE,
  ATTN_PICKLE_OPERAND_COUNTED_1,
  ATTN_PICKLE_OPERAND_COUNTED_4,
  ATTN_PICKLE_OPERAND_COUNTED_8,
  ATTN_PICKLE_OPERAND_SKIPPED_8,
  ATTN_PICKLE_OPERAND_LINES,
} AttnPickleOperandKind;

/**
 * AttnPickleOperand:
 * @integer: the number that was read, or that of the opcode itself
 * @data: the bytes, or the first line, of @size bytes
 * @second: the second line
 */
typedef struct
{
  gint64 integer;
  const guint8 *data;
  gsize size;
  const guint8 *second;
  gsize n_second;
} AttnPickleOperand;

/**
 * AttnPickleOpcode:
 * @operand: an #AttnPickleOperandKind
 * @run: does what the opcode says
 * @integer: the number that an opcode without an operand stands for
 */
typedef struct
{
  guint8 operand;
  gboolean (*run) (AttnPickleMachine *machine,
                   const AttnPickleOperand *operand);
  gint64 integer;
} AttnPickleOpcode;

const AttnPickleOpcode *attn_pickle_opcode_find (guint8 code);

G_END_DECLS
