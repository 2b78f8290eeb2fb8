/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The opcodes (instructions) of pickles, as defined by Lib/pickle.py and Lib/pickletools.py of
 * CPython. The function of each changes the stack of the machine. */

#include "config.h"

#include "attn-pickle-opcodes.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-error.h"
#include "attn-pickle-private.h"

/* The most bytes of a name that a message shows. */
#define MAX_SHOWN 80

/* Returns the value @depth below the top of the stack, which must exist. */
static const AttnPickleValue *
get_at (const AttnPickleMachine *machine,
        gsize                    depth)
{
  return attn_pickle_machine_get (machine, attn_pickle_machine_peek (machine, depth));
}

static gboolean
run_none (AttnPickleMachine       *machine,
          const AttnPickleOperand *operand)
{
  return attn_pickle_machine_push (machine, (AttnPickleValue) { .kind = ATTN_PICKLE_NONE });
}

static gboolean
run_integer (AttnPickleMachine       *machine,
             const AttnPickleOperand *operand)
{
  return attn_pickle_machine_push (
      machine, (AttnPickleValue) { .kind = ATTN_PICKLE_INTEGER, .integer = operand->integer });
}

static gboolean
run_boolean (AttnPickleMachine       *machine,
             const AttnPickleOperand *operand)
{
  return attn_pickle_machine_push (
      machine, (AttnPickleValue) { .kind = ATTN_PICKLE_BOOLEAN, .integer = operand->integer });
}

/* Makes a tuple of the top 0 to 3 values of the stack. Their number depends on the opcode. */
static gboolean
run_small_tuple (AttnPickleMachine       *machine,
                 const AttnPickleOperand *operand)
{
  gsize n = operand->integer;

  return attn_pickle_machine_require (machine, n) &&
         attn_pickle_machine_collect (machine, ATTN_PICKLE_TUPLE, n);
}

static gboolean
run_empty_dict (AttnPickleMachine       *machine,
                const AttnPickleOperand *operand)
{
  return attn_pickle_machine_collect (machine, ATTN_PICKLE_DICT, 0);
}

/* Pushes an integer of any length, which is stored in two's complement, lowest byte first. One of
 * more than 64 bits, such as a magic number, is not kept. */
static gboolean
run_long (AttnPickleMachine       *machine,
          const AttnPickleOperand *operand)
{
  guint64 bits = operand->size > 0 && operand->data[operand->size - 1] >= 0x80 ? G_MAXUINT64 : 0;

  if (operand->size > sizeof bits)
    return attn_pickle_machine_push (machine, (AttnPickleValue) { .kind = ATTN_PICKLE_OTHER });
  for (gsize i = operand->size; i-- > 0;)
    bits = bits << 8 | operand->data[i];
  return attn_pickle_machine_push (
      machine, (AttnPickleValue) { .kind = ATTN_PICKLE_INTEGER, .integer = (gint64) bits });
}

/* Pushes a floating-point number. Such a number is the only one that pickles store with the highest
 * byte first. */
static gboolean
run_number (AttnPickleMachine       *machine,
            const AttnPickleOperand *operand)
{
  guint64 bits = 0;
  double number;

  for (gsize i = 0; i < sizeof bits; i++)
    bits = bits << 8 | operand->data[i];
  memcpy (&number, &bits, sizeof number);
  return attn_pickle_machine_push (
      machine, (AttnPickleValue) { .kind = ATTN_PICKLE_NUMBER, .number = number });
}

static gboolean
run_text (AttnPickleMachine       *machine,
          const AttnPickleOperand *operand)
{
  return attn_pickle_machine_push (
      machine, (AttnPickleValue) { .kind = ATTN_PICKLE_TEXT,
                                   .n = (guint32) operand->size,
                                   .text = (const char *) operand->data });
}

static gboolean
run_other (AttnPickleMachine       *machine,
           const AttnPickleOperand *operand)
{
  return attn_pickle_machine_push (machine, (AttnPickleValue) { .kind = ATTN_PICKLE_OTHER });
}

static gboolean
run_mark (AttnPickleMachine       *machine,
          const AttnPickleOperand *operand)
{
  if (!attn_pickle_machine_reserve (machine, machine->marks, sizeof (guint32)))
    return FALSE;
  g_array_append_val (machine->marks, machine->stack->len);
  return TRUE;
}

static gboolean
run_tuple (AttnPickleMachine       *machine,
           const AttnPickleOperand *operand)
{
  gsize n;

  return attn_pickle_machine_pop_mark (machine, &n) &&
         attn_pickle_machine_collect (machine, ATTN_PICKLE_TUPLE, n);
}

static gboolean
run_dict (AttnPickleMachine       *machine,
          const AttnPickleOperand *operand)
{
  gsize n;

  if (!attn_pickle_machine_pop_mark (machine, &n))
    return FALSE;
  return n % 2 == 0 ? attn_pickle_machine_collect (machine, ATTN_PICKLE_DICT, n)
                    : attn_pickle_machine_fail (machine);
}

static gboolean
run_append (AttnPickleMachine       *machine,
            const AttnPickleOperand *operand)
{
  return attn_pickle_machine_extend (machine, ATTN_PICKLE_TUPLE, 1);
}

static gboolean
run_set_item (AttnPickleMachine       *machine,
              const AttnPickleOperand *operand)
{
  return attn_pickle_machine_extend (machine, ATTN_PICKLE_DICT, 2);
}

static gboolean
run_appends (AttnPickleMachine       *machine,
             const AttnPickleOperand *operand)
{
  gsize n;

  return attn_pickle_machine_pop_mark (machine, &n) &&
         attn_pickle_machine_extend (machine, ATTN_PICKLE_TUPLE, n);
}

static gboolean
run_set_items (AttnPickleMachine       *machine,
               const AttnPickleOperand *operand)
{
  gsize n;

  return attn_pickle_machine_pop_mark (machine, &n) &&
         attn_pickle_machine_extend (machine, ATTN_PICKLE_DICT, n);
}

static gboolean
run_put (AttnPickleMachine       *machine,
         const AttnPickleOperand *operand)
{
  return attn_pickle_machine_put (machine, operand->integer);
}

static gboolean
run_memoize (AttnPickleMachine       *machine,
             const AttnPickleOperand *operand)
{
  return attn_pickle_machine_put (machine, machine->memo->len);
}

static gboolean
run_get (AttnPickleMachine       *machine,
         const AttnPickleOperand *operand)
{
  guint64 index = operand->integer;
  AttnPickleId id =
      index < machine->memo->len ? g_array_index (machine->memo, AttnPickleId, index) : 0;

  return id > 0 ? attn_pickle_machine_push_id (machine, id - 1)
                : attn_pickle_machine_fail (machine);
}

/* Returns the beginning of a name from the file, for messages. Invalid UTF-8 and control characters
 * are replaced. */
static char *
dup_shown (const void *text,
           gsize       size)
{
  g_autofree char *start = g_strndup (text, MIN (size, MAX_SHOWN));
  char *shown = g_utf8_make_valid (start, -1);

  for (char *c = shown; *c != '\0'; c++)
    if ((guchar) *c < ' ' || *c == 0x7f)
      *c = '?';
  return shown;
}

static gboolean
push_name (AttnPickleMachine *machine,
           const void        *module,
           gsize              n_module,
           const void        *name,
           gsize              n_name)
{
  const AttnPickleName *row = attn_pickle_name_find (module, n_module, name, n_name);

  if (row != NULL)
    return attn_pickle_machine_push (
        machine, (AttnPickleValue) { .kind = ATTN_PICKLE_NAME, .name = row });

  g_autofree char *shown_module = dup_shown (module, n_module);
  g_autofree char *shown_name = dup_shown (name, n_name);
  return attn_fail (machine->error, ATTN_ERROR_UNSUPPORTED,
                    _("%s: %s.%s found, expected tensors, numbers, texts and collections of them "
                      "alone (nothing of it was run; save the model’s state_dict)"),
                    machine->where, shown_module, shown_name);
}

static gboolean
run_global (AttnPickleMachine       *machine,
            const AttnPickleOperand *operand)
{
  return push_name (machine, operand->data, operand->size, operand->second, operand->n_second);
}

static gboolean
run_stack_global (AttnPickleMachine       *machine,
                  const AttnPickleOperand *operand)
{
  if (!attn_pickle_machine_require (machine, 2))
    return FALSE;
  AttnPickleValue module = *get_at (machine, 1);
  AttnPickleValue name = *get_at (machine, 0);
  if (module.kind != ATTN_PICKLE_TEXT || name.kind != ATTN_PICKLE_TEXT)
    return attn_pickle_machine_fail (machine);
  attn_pickle_machine_drop (machine, 2);
  return push_name (machine, module.text, module.n, name.text, name.n);
}

/* Adds to a dictionary the items given to the call of its class, if the first argument is a tuple
 * of pairs of key and value. */
static gboolean
add_pairs (AttnPickleMachine *machine,
           AttnPickleId       dict,
           AttnPickleId       arguments)
{
  if (attn_pickle_machine_get (machine, arguments)->n == 0)
    return TRUE;
  AttnPickleId pairs = attn_pickle_machine_get (machine, arguments)->items[0];
  if (attn_pickle_machine_get (machine, pairs)->kind != ATTN_PICKLE_TUPLE)
    return TRUE;
  for (gsize i = 0; i < attn_pickle_machine_get (machine, pairs)->n; i++)
    {
      AttnPickleId id = attn_pickle_machine_get (machine, pairs)->items[i];
      const AttnPickleValue *pair = attn_pickle_machine_get (machine, id);

      if (pair->kind != ATTN_PICKLE_TUPLE || pair->n != 2)
        return attn_pickle_machine_fail (machine);
      for (gsize part = 0; part < 2; part++)
        if (!attn_pickle_machine_add_item (machine, dict, pair->items[part]))
          return FALSE;
    }
  return TRUE;
}

/* Replaces a function and its arguments on the stack by a value that stands for the result of the
 * call. Nothing is called. */
static gboolean
run_reduce (AttnPickleMachine       *machine,
            const AttnPickleOperand *operand)
{
  if (!attn_pickle_machine_require (machine, 2))
    return FALSE;
  AttnPickleId arguments = attn_pickle_machine_peek (machine, 0);
  AttnPickleId name = attn_pickle_machine_peek (machine, 1);
  AttnPickleValue called = *attn_pickle_machine_get (machine, name);
  if (called.kind != ATTN_PICKLE_NAME ||
      attn_pickle_machine_get (machine, arguments)->kind != ATTN_PICKLE_TUPLE)
    return attn_pickle_machine_fail (machine);
  attn_pickle_machine_drop (machine, 2);
  if (called.name->meaning == ATTN_PICKLE_MEANS_NOTHING)
    return attn_pickle_machine_push (machine, (AttnPickleValue) { .kind = ATTN_PICKLE_OTHER });
  if (called.name->meaning != ATTN_PICKLE_MEANS_DICT)
    return attn_pickle_machine_push (machine, (AttnPickleValue) { .kind = ATTN_PICKLE_CALL,
                                                                  .name = called.name,
                                                                  .arguments = arguments });
  return attn_pickle_machine_push (machine, (AttnPickleValue) { .kind = ATTN_PICKLE_DICT }) &&
         add_pairs (machine, attn_pickle_machine_peek (machine, 0), arguments);
}

/* Drops the attributes that an object would get, such as the versions of a model's modules. */
static gboolean
run_build (AttnPickleMachine       *machine,
           const AttnPickleOperand *operand)
{
  if (!attn_pickle_machine_require (machine, 2))
    return FALSE;
  attn_pickle_machine_drop (machine, 1);
  return TRUE;
}

static gboolean
run_persistent (AttnPickleMachine       *machine,
                const AttnPickleOperand *operand)
{
  if (!attn_pickle_machine_require (machine, 1))
    return FALSE;
  AttnPickleId arguments = attn_pickle_machine_peek (machine, 0);
  if (attn_pickle_machine_get (machine, arguments)->kind != ATTN_PICKLE_TUPLE)
    return attn_pickle_machine_fail (machine);
  attn_pickle_machine_drop (machine, 1);
  return attn_pickle_machine_push (
      machine, (AttnPickleValue) { .kind = ATTN_PICKLE_STORAGE, .arguments = arguments });
}

static gboolean
run_pop (AttnPickleMachine       *machine,
         const AttnPickleOperand *operand)
{
  if (!attn_pickle_machine_require (machine, 1))
    return FALSE;
  attn_pickle_machine_drop (machine, 1);
  return TRUE;
}

static gboolean
run_pop_mark (AttnPickleMachine       *machine,
              const AttnPickleOperand *operand)
{
  gsize n;

  if (!attn_pickle_machine_pop_mark (machine, &n))
    return FALSE;
  attn_pickle_machine_drop (machine, n);
  return TRUE;
}

static gboolean
run_dup (AttnPickleMachine       *machine,
         const AttnPickleOperand *operand)
{
  return attn_pickle_machine_require (machine, 1) &&
         attn_pickle_machine_push_id (machine, attn_pickle_machine_peek (machine, 0));
}

static gboolean
run_protocol (AttnPickleMachine       *machine,
              const AttnPickleOperand *operand)
{
  return operand->integer <= 5 ||
         attn_fail (machine->error, ATTN_ERROR_UNSUPPORTED,
                    _("%s: a pickle of protocol %d found, expected at most 5"), machine->where,
                    (int) operand->integer);
}

static gboolean
run_frame (AttnPickleMachine       *machine,
           const AttnPickleOperand *operand)
{
  return TRUE;
}

static gboolean
run_stop (AttnPickleMachine       *machine,
          const AttnPickleOperand *operand)
{
  if (!attn_pickle_machine_require (machine, 1))
    return FALSE;
  machine->pickle->root = attn_pickle_machine_peek (machine, 0);
  machine->is_over = TRUE;
  return TRUE;
}

/* Functions of the opcodes, indexed by the byte in the pickle; a byte without a function is no
 * opcode that torch.save() uses. */
static const AttnPickleOpcode opcodes[256] = {
  ['.'] = { ATTN_PICKLE_OPERAND_NOTHING, run_stop },
  ['('] = { ATTN_PICKLE_OPERAND_NOTHING, run_mark },
  [')'] = { ATTN_PICKLE_OPERAND_NOTHING, run_small_tuple },
  [']'] = { ATTN_PICKLE_OPERAND_NOTHING, run_small_tuple },
  ['}'] = { ATTN_PICKLE_OPERAND_NOTHING, run_empty_dict },
  ['0'] = { ATTN_PICKLE_OPERAND_NOTHING, run_pop },
  ['1'] = { ATTN_PICKLE_OPERAND_NOTHING, run_pop_mark },
  ['2'] = { ATTN_PICKLE_OPERAND_NOTHING, run_dup },
  ['B'] = { ATTN_PICKLE_OPERAND_COUNTED_4, run_other },
  ['C'] = { ATTN_PICKLE_OPERAND_COUNTED_1, run_other },
  ['G'] = { ATTN_PICKLE_OPERAND_DOUBLE, run_number },
  ['J'] = { ATTN_PICKLE_OPERAND_SIGNED_4, run_integer },
  ['K'] = { ATTN_PICKLE_OPERAND_UNSIGNED_1, run_integer },
  ['M'] = { ATTN_PICKLE_OPERAND_UNSIGNED_2, run_integer },
  ['N'] = { ATTN_PICKLE_OPERAND_NOTHING, run_none },
  ['Q'] = { ATTN_PICKLE_OPERAND_NOTHING, run_persistent },
  ['R'] = { ATTN_PICKLE_OPERAND_NOTHING, run_reduce },
  ['T'] = { ATTN_PICKLE_OPERAND_COUNTED_4, run_text },
  ['U'] = { ATTN_PICKLE_OPERAND_COUNTED_1, run_text },
  ['X'] = { ATTN_PICKLE_OPERAND_COUNTED_4, run_text },
  ['a'] = { ATTN_PICKLE_OPERAND_NOTHING, run_append },
  ['b'] = { ATTN_PICKLE_OPERAND_NOTHING, run_build },
  ['c'] = { ATTN_PICKLE_OPERAND_LINES, run_global },
  ['d'] = { ATTN_PICKLE_OPERAND_NOTHING, run_dict },
  ['e'] = { ATTN_PICKLE_OPERAND_NOTHING, run_appends },
  ['h'] = { ATTN_PICKLE_OPERAND_UNSIGNED_1, run_get },
  ['j'] = { ATTN_PICKLE_OPERAND_UNSIGNED_4, run_get },
  ['l'] = { ATTN_PICKLE_OPERAND_NOTHING, run_tuple },
  ['q'] = { ATTN_PICKLE_OPERAND_UNSIGNED_1, run_put },
  ['r'] = { ATTN_PICKLE_OPERAND_UNSIGNED_4, run_put },
  ['s'] = { ATTN_PICKLE_OPERAND_NOTHING, run_set_item },
  ['t'] = { ATTN_PICKLE_OPERAND_NOTHING, run_tuple },
  ['u'] = { ATTN_PICKLE_OPERAND_NOTHING, run_set_items },
  [0x80] = { ATTN_PICKLE_OPERAND_UNSIGNED_1, run_protocol },
  [0x81] = { ATTN_PICKLE_OPERAND_NOTHING, run_reduce },
  [0x85] = { ATTN_PICKLE_OPERAND_NOTHING, run_small_tuple, 1 },
  [0x86] = { ATTN_PICKLE_OPERAND_NOTHING, run_small_tuple, 2 },
  [0x87] = { ATTN_PICKLE_OPERAND_NOTHING, run_small_tuple, 3 },
  [0x88] = { ATTN_PICKLE_OPERAND_NOTHING, run_boolean, TRUE },
  [0x89] = { ATTN_PICKLE_OPERAND_NOTHING, run_boolean },
  [0x8a] = { ATTN_PICKLE_OPERAND_COUNTED_1, run_long },
  [0x8b] = { ATTN_PICKLE_OPERAND_COUNTED_4, run_long },
  [0x8c] = { ATTN_PICKLE_OPERAND_COUNTED_1, run_text },
  [0x8d] = { ATTN_PICKLE_OPERAND_COUNTED_8, run_text },
  [0x8e] = { ATTN_PICKLE_OPERAND_COUNTED_8, run_other },
  [0x8f] = { ATTN_PICKLE_OPERAND_NOTHING, run_small_tuple },
  [0x90] = { ATTN_PICKLE_OPERAND_NOTHING, run_appends },
  [0x91] = { ATTN_PICKLE_OPERAND_NOTHING, run_tuple },
  [0x93] = { ATTN_PICKLE_OPERAND_NOTHING, run_stack_global },
  [0x94] = { ATTN_PICKLE_OPERAND_NOTHING, run_memoize },
  [0x95] = { ATTN_PICKLE_OPERAND_SKIPPED_8, run_frame },
  [0x96] = { ATTN_PICKLE_OPERAND_COUNTED_8, run_other },
};

/**
 * attn_pickle_opcode_find:
 *
 * Returns: (transfer none) (nullable): the row of the table with that opcode, or %NULL for one that
 *   torch.save() does not use
 */
const AttnPickleOpcode *
attn_pickle_opcode_find (guint8 code)
{
  return opcodes[code].run != NULL ? &opcodes[code] : NULL;
}
