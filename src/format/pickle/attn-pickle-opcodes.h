/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The table of the opcodes that writers of tensors use. */

#pragma once

#include "attn-pickle-machine.h"

G_BEGIN_DECLS

/**
 * AttnPickleOperandKind:
 * @ATTN_PICKLE_OPERAND_COUNTED_1: bytes, behind their number, which has as many itself
 * @ATTN_PICKLE_OPERAND_LINES: two lines
 *
 * Kinds of what stands behind an opcode; numbers are of so many bytes, the lowest first.
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
 * @integer: what was read, or what the opcode itself says
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
 * @integer: what an opcode without an operand says
 */
typedef struct
{
  guint8 code;
  guint8 operand;
  gboolean (*run) (AttnPickleMachine *machine,
                   const AttnPickleOperand *operand);
  gint64 integer;
} AttnPickleOpcode;

const AttnPickleOpcode *attn_pickle_opcode_find (guint8 code);

G_END_DECLS
