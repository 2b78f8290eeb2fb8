/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The machine that runs pickles of protocols 2 to 5 (Lib/pickle.py and Lib/pickletools.py of
 * CPython) to read their values. Each opcode (instruction) creates at most one value and one item
 * of a container, so memory is proportional to the bytes read. Neither running nor freeing is
 * recursive. Opcodes that torch.save() does not use, and names that are not in attn-pickle-names.c,
 * are errors. */

#include "config.h"

#include "attn-pickle.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-error.h"
#include "attn-pickle-opcodes.h"
#include "attn-pickle-private.h"

static gboolean
take (AttnPickleMachine  *machine,
      guint64             n,
      const guint8      **data)
{
  if (n > machine->size - machine->position)
    {
      attn_pickle_machine_fail (machine);
      return FALSE;
    }
  *data = machine->data + machine->position;
  machine->position += n;
  return TRUE;
}

/* Reads an unsigned number of @n bytes from the pickle, lowest byte first. */
static gboolean
take_unsigned (AttnPickleMachine *machine,
               gsize              n,
               guint64           *value)
{
  const guint8 *data;

  if (!take (machine, n, &data))
    return FALSE;
  *value = 0;
  for (gsize i = n; i-- > 0;)
    *value = *value << 8 | data[i];
  return TRUE;
}

static gboolean
take_line (AttnPickleMachine  *machine,
           const guint8      **data,
           gsize              *size)
{
  const guint8 *start = machine->data + machine->position;
  const guint8 *end = machine->position < machine->size
                          ? memchr (start, '\n', machine->size - machine->position)
                          : NULL;

  if (end == NULL)
    return attn_pickle_machine_fail (machine);
  *size = end - start;
  return take (machine, *size + 1, data);
}

static gboolean
take_operand (AttnPickleMachine     *machine,
              AttnPickleOperandKind  kind,
              AttnPickleOperand     *operand)
{
  static const guint8 widths[] = {
    [ATTN_PICKLE_OPERAND_UNSIGNED_1] = 1,
    [ATTN_PICKLE_OPERAND_UNSIGNED_2] = 2,
    [ATTN_PICKLE_OPERAND_SIGNED_4] = 4,
    [ATTN_PICKLE_OPERAND_UNSIGNED_4] = 4,
    [ATTN_PICKLE_OPERAND_COUNTED_1] = 1,
    [ATTN_PICKLE_OPERAND_COUNTED_4] = 4,
    [ATTN_PICKLE_OPERAND_COUNTED_8] = 8,
  };
  guint64 value;

  switch (kind)
    {
    case ATTN_PICKLE_OPERAND_NOTHING:
      return TRUE;
    case ATTN_PICKLE_OPERAND_UNSIGNED_1:
    case ATTN_PICKLE_OPERAND_UNSIGNED_2:
    case ATTN_PICKLE_OPERAND_SIGNED_4:
    case ATTN_PICKLE_OPERAND_UNSIGNED_4:
      if (!take_unsigned (machine, widths[kind], &value))
        return FALSE;
      operand->integer = kind == ATTN_PICKLE_OPERAND_SIGNED_4 ? (gint32) value : (gint64) value;
      return TRUE;
    case ATTN_PICKLE_OPERAND_COUNTED_1:
    case ATTN_PICKLE_OPERAND_COUNTED_4:
    case ATTN_PICKLE_OPERAND_COUNTED_8:
      if (!take_unsigned (machine, widths[kind], &value) ||
          !take (machine, value, &operand->data))
        return FALSE;
      operand->size = value;
      return TRUE;
    case ATTN_PICKLE_OPERAND_DOUBLE:
    case ATTN_PICKLE_OPERAND_SKIPPED_8:
      return take (machine, 8, &operand->data);
    case ATTN_PICKLE_OPERAND_LINES:
      return take_line (machine, &operand->data, &operand->size) &&
             take_line (machine, &operand->second, &operand->n_second);
    default:
      g_return_val_if_reached (FALSE);
    }
}

static gboolean
run_next (AttnPickleMachine *machine)
{
  const AttnPickleOpcode *opcode;
  const guint8 *code;

  if (!take (machine, 1, &code))
    return FALSE;
  opcode = attn_pickle_opcode_find (*code);
  if (opcode != NULL)
    {
      AttnPickleOperand operand = { .integer = opcode->integer };

      return take_operand (machine, opcode->operand, &operand) && opcode->run (machine, &operand);
    }
  return attn_fail (machine->error, ATTN_ERROR_UNSUPPORTED,
                    _("%s: opcode 0x%02x found at byte %zu of the pickle, expected those that "
                      "torch.save uses"),
                    machine->where, *code, machine->position - 1);
}

/**
 * attn_pickle_parse:
 * @data: (array length=size): bytes that begin with a pickle. Texts among its values are not
 *   copied, so @data must live as long as the result and not change.
 * @n_used: (out): the length of the pickle in bytes
 * @where: the beginning of messages
 * @error: return location: %ATTN_ERROR_FORMAT for bytes that are no pickle, %ATTN_ERROR_UNSUPPORTED
 *   for the name of a function that is not in the table of names, and for an opcode that
 *   torch.save() does not use, %ATTN_ERROR_LIMIT, %ATTN_ERROR_MEMORY
 *
 * Reads a pickle. No function that it names is called. The memory needed is at most a constant
 * times @size.
 *
 * Returns: (transfer full) (nullable): the values of the pickle
 */
AttnPickle *
attn_pickle_parse (const guint8  *data,
                   gsize          size,
                   gsize         *n_used,
                   const char    *where,
                   GError       **error)
{
  g_autoptr (AttnPickle) pickle = g_new0 (AttnPickle, 1);
  g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (AttnPickleId));
  g_autoptr (GArray) marks = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GArray) memo = g_array_new (FALSE, TRUE, sizeof (AttnPickleId));
  AttnPickleMachine machine = { where, data, size, 0, pickle, stack, marks, memo, 0, FALSE, error };

  pickle->values = g_array_new (FALSE, FALSE, sizeof (AttnPickleValue));
  /* A larger pickle is refused, since the length of a text in it is stored in 32 bits. */
  if (size > G_MAXUINT32)
    return attn_fail_null (error, ATTN_ERROR_LIMIT,
                           _("%s: a pickle of %zu bytes found, expected at most %zu"), where, size,
                           (gsize) G_MAXUINT32);
  while (!machine.is_over)
    if (!run_next (&machine))
      return NULL;
  *n_used = machine.position;
  return g_steal_pointer (&pickle);
}
