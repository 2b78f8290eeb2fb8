/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-pickle-machine.h"

#include <glib/gi18n-lib.h>

#include "attn-error.h"
#include "attn-memory.h"
#include "attn-pickle-private.h"

/* The most values of a pickle, and the most items of all its containers: far more than a checkpoint
 * has, in which a tensor takes about 25 values. */
#define MAX_VALUES ((gsize) 1 << 22)
#define MAX_ITEMS  (4 * MAX_VALUES)

/* Sets the machine's error for a pickle that is damaged or not written by torch.save(). Returns
 * FALSE. */
gboolean
attn_pickle_machine_fail (const AttnPickleMachine *machine)
{
  return attn_fail (machine->error, ATTN_ERROR_FORMAT,
                    _("%s: a damaged pickle found (at its byte %zu), expected what torch.save "
                      "writes"),
                    machine->where, machine->position);
}

/* Checks that one more element can be added to @array: there is memory for it, and it is not one of
 * too many. */
gboolean
attn_pickle_machine_reserve (const AttnPickleMachine *machine,
                             const GArray            *array,
                             gsize                    item_size)
{
  if (array->len >= MAX_VALUES)
    return attn_fail (machine->error, ATTN_ERROR_LIMIT,
                      _("%s: more than %zu values found in the pickle, expected fewer"),
                      machine->where, MAX_VALUES);
  /* The array is large and full: the next element would double its memory. */
  if (array->len >= 4096 && (array->len & (array->len - 1)) == 0)
    return attn_memory_check (2 * array->len * item_size, machine->where, machine->error);
  return TRUE;
}

/* Returns the value with the given id. The pointer is valid until the next new value is pushed. */
AttnPickleValue *
attn_pickle_machine_get (const AttnPickleMachine *machine,
                         AttnPickleId             id)
{
  return &g_array_index (machine->pickle->values, AttnPickleValue, id);
}

/* Pushes a value that exists already onto the stack. */
gboolean
attn_pickle_machine_push_id (AttnPickleMachine *machine,
                             AttnPickleId       id)
{
  if (!attn_pickle_machine_reserve (machine, machine->stack, sizeof id))
    return FALSE;
  g_array_append_val (machine->stack, id);
  return TRUE;
}

/* Adds a new value to the pickle and pushes it onto the stack. */
gboolean
attn_pickle_machine_push (AttnPickleMachine *machine,
                          AttnPickleValue    value)
{
  if (!attn_pickle_machine_reserve (machine, machine->pickle->values, sizeof value))
    return FALSE;
  g_array_append_val (machine->pickle->values, value);
  return attn_pickle_machine_push_id (machine, machine->pickle->values->len - 1);
}

/* Returns the number of values on the stack below the last mark. */
static gsize
get_floor (const AttnPickleMachine *machine)
{
  return machine->marks->len > 0
             ? g_array_index (machine->marks, guint32, machine->marks->len - 1)
             : 0;
}

/* Checks that the stack has at least @n values above the last mark. */
gboolean
attn_pickle_machine_require (AttnPickleMachine *machine,
                             gsize              n)
{
  return machine->stack->len - get_floor (machine) >= n || attn_pickle_machine_fail (machine);
}

/* Returns the id of the value @depth below the top of the stack, which must exist. */
AttnPickleId
attn_pickle_machine_peek (const AttnPickleMachine *machine,
                          gsize                    depth)
{
  return g_array_index (machine->stack, AttnPickleId, machine->stack->len - 1 - depth);
}

/* Removes the top @n values from the stack, which must have at least so many. */
void
attn_pickle_machine_drop (AttnPickleMachine *machine,
                          gsize              n)
{
  g_array_set_size (machine->stack, machine->stack->len - n);
}

/* Removes the last mark of the stack. @n: (out): the number of values above it, which stay */
gboolean
attn_pickle_machine_pop_mark (AttnPickleMachine *machine,
                              gsize             *n)
{
  if (machine->marks->len == 0)
    return attn_pickle_machine_fail (machine);
  *n = machine->stack->len - get_floor (machine);
  g_array_set_size (machine->marks, machine->marks->len - 1);
  return TRUE;
}

/* Adds a value to a container, a tuple or dictionary. */
gboolean
attn_pickle_machine_add_item (AttnPickleMachine *machine,
                              AttnPickleId       container,
                              AttnPickleId       item)
{
  AttnPickleValue *value = attn_pickle_machine_get (machine, container);

  /* Each item takes at least one byte of the pickle, since an opcode has pushed it. Only if a list
   * is copied several times can there be more items than bytes, so that is refused. */
  if (machine->n_items++ >= MIN (machine->size, MAX_ITEMS))
    return attn_pickle_machine_fail (machine);
  if ((value->n & (value->n - 1)) == 0)
    {
      gsize n = MAX (1, 2 * (gsize) value->n);

      if (n > 4096 && !attn_memory_check (n * sizeof item, machine->where, machine->error))
        return FALSE;
      value->items = g_realloc_n (value->items, n, sizeof item);
    }
  value->items[value->n++] = item;
  return TRUE;
}

/* Moves @n values of the stack to a container, and drops the @n_above values above them. */
static gboolean
add_items (AttnPickleMachine *machine,
           AttnPickleId       container,
           gsize              n,
           gsize              n_above)
{
  for (gsize i = n + n_above; i-- > n_above;)
    if (!attn_pickle_machine_add_item (machine, container, attn_pickle_machine_peek (machine, i)))
      return FALSE;
  attn_pickle_machine_drop (machine, n + n_above);
  return TRUE;
}

/* Replaces the top @n values of the stack by a new container that has them as its items. */
gboolean
attn_pickle_machine_collect (AttnPickleMachine *machine,
                             AttnPickleKind     kind,
                             gsize              n)
{
  if (!attn_pickle_machine_push (machine, (AttnPickleValue) { .kind = kind }))
    return FALSE;
  AttnPickleId container = attn_pickle_machine_peek (machine, 0);
  return add_items (machine, container, n, 1) && attn_pickle_machine_push_id (machine, container);
}

/* Moves the top @n values of the stack to the container below them, which must be of @kind. If that
 * is the result of a call, which is never computed, the values are dropped. */
gboolean
attn_pickle_machine_extend (AttnPickleMachine *machine,
                            AttnPickleKind     kind,
                            gsize              n)
{
  if (!attn_pickle_machine_require (machine, n + 1))
    return FALSE;
  AttnPickleId container = attn_pickle_machine_peek (machine, n);
  gboolean is_other =
      attn_pickle_machine_get (machine, container)->kind == ATTN_PICKLE_OTHER ||
      attn_pickle_machine_get (machine, container)->kind == ATTN_PICKLE_CALL;
  if (!is_other && attn_pickle_machine_get (machine, container)->kind != kind)
    return attn_pickle_machine_fail (machine);
  if (kind == ATTN_PICKLE_DICT && n % 2 != 0)
    return attn_pickle_machine_fail (machine);
  if (!is_other)
    return add_items (machine, container, n, 0);
  attn_pickle_machine_drop (machine, n);
  return TRUE;
}

/* Stores the top value of the stack in the memo, from which later opcodes can fetch it by
 * @index. */
gboolean
attn_pickle_machine_put (AttnPickleMachine *machine,
                         guint64            index)
{
  if (!attn_pickle_machine_require (machine, 1))
    return FALSE;
  /* Larger indices of the memo do not occur, since writers number the memo from 0. */
  if (index >= machine->size || index >= MAX_VALUES)
    return attn_pickle_machine_fail (machine);
  if (index >= machine->memo->len)
    {
      if (index >= 4096 &&
          !attn_memory_check ((index + 1) * sizeof (AttnPickleId), machine->where, machine->error))
        return FALSE;
      g_array_set_size (machine->memo, index + 1);
    }
  g_array_index (machine->memo, AttnPickleId, index) = attn_pickle_machine_peek (machine, 0) + 1;
  return TRUE;
}
