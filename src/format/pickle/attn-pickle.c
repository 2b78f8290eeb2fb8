/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The machine of pickles, protocols 2 to 5 (Lib/pickle.py and Lib/pickletools.py of CPython). Each
 * opcode makes at most one value and one item, so that memory is a constant times the bytes read;
 * there is no recursion, here or in what frees it. An opcode that writers of tensors do not use
 * ends it, and so does a name that is not in the table. */

#include "config.h"

#include "attn-pickle.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-error.h"
#include "attn-memory.h"
#include "attn-pickle-private.h"

/* Far more values than any checkpoint has; a tensor takes some 25. */
#define MAX_VALUES ((gsize) 1 << 22)
#define MAX_ITEMS  (4 * MAX_VALUES)

/* Bytes of a name that a message repeats. */
#define MAX_SHOWN 80

/**
 * Machine:
 * @marks: how long the stack was at each mark
 * @memo: a value's number plus 1; 0 where nothing was put
 * @n_items: items of all containers
 * @is_over: whether the end was told
 */
typedef struct
{
  const char *where;
  const guint8 *data;
  gsize size;
  gsize position;
  AttnPickle *pickle;
  GArray *stack; /* of AttnPickleId */
  GArray *marks; /* of guint32 */
  GArray *memo;  /* of AttnPickleId */
  gsize n_items;
  gboolean is_over;
  GError **error;
} Machine;

/* Kinds of what stands behind an opcode. */
typedef enum
{
  NOTHING,
  UNSIGNED_1,
  UNSIGNED_2,
  SIGNED_4,
  UNSIGNED_4,
  DOUBLE,
  COUNTED_1,
  COUNTED_4,
  COUNTED_8,
  SKIPPED_8,
  LINES,
} OperandKind;

typedef struct
{
  gint64 integer;
  const guint8 *data;
  gsize size;
  const guint8 *second;
  gsize n_second;
} Operand;

static gboolean
fail_damaged (const Machine *machine)
{
  return attn_fail (machine->error, ATTN_ERROR_FORMAT,
                    _("%s: a damaged pickle found (at its byte %zu), expected what torch.save "
                      "writes"),
                    machine->where, machine->position);
}

/* Room for one more: never more than what was read pays for. */
static gboolean
reserve (const Machine *machine,
         const GArray  *array,
         gsize          item_size)
{
  if (array->len >= MAX_VALUES)
    return attn_fail (machine->error, ATTN_ERROR_LIMIT,
                      _("%s: more than %zu values found in the pickle, expected fewer"),
                      machine->where, MAX_VALUES);
  /* Where it has to grow, which it does by doubling. */
  if (array->len >= 4096 && (array->len & (array->len - 1)) == 0)
    return attn_memory_check (2 * array->len * item_size, machine->where, machine->error);
  return TRUE;
}

static AttnPickleValue *
get (const Machine *machine,
     AttnPickleId   id)
{
  return &g_array_index (machine->pickle->values, AttnPickleValue, id);
}

static gboolean
push_id (Machine      *machine,
         AttnPickleId  id)
{
  if (!reserve (machine, machine->stack, sizeof id))
    return FALSE;
  g_array_append_val (machine->stack, id);
  return TRUE;
}

static gboolean
push (Machine         *machine,
      AttnPickleValue  value)
{
  if (!reserve (machine, machine->pickle->values, sizeof value))
    return FALSE;
  g_array_append_val (machine->pickle->values, value);
  return push_id (machine, machine->pickle->values->len - 1);
}

/* How much of the stack lies below the last mark. */
static gsize
get_floor (const Machine *machine)
{
  return machine->marks->len > 0
             ? g_array_index (machine->marks, guint32, machine->marks->len - 1)
             : 0;
}

static gboolean
require (Machine *machine,
         gsize    n)
{
  return machine->stack->len - get_floor (machine) >= n || fail_damaged (machine);
}

/* The value @depth below the top, which there is. */
static AttnPickleId
peek (const Machine *machine,
      gsize          depth)
{
  return g_array_index (machine->stack, AttnPickleId, machine->stack->len - 1 - depth);
}

static void
drop (Machine *machine,
      gsize    n)
{
  g_array_set_size (machine->stack, machine->stack->len - n);
}

/* Takes the last mark away. @n: how many values lie above it */
static gboolean
pop_mark (Machine *machine,
          gsize   *n)
{
  if (machine->marks->len == 0)
    return fail_damaged (machine);
  *n = machine->stack->len - get_floor (machine);
  g_array_set_size (machine->marks, machine->marks->len - 1);
  return TRUE;
}

/* Adds an item to a container. */
static gboolean
add_item (Machine      *machine,
          AttnPickleId  container,
          AttnPickleId  item)
{
  AttnPickleValue *value = get (machine, container);

  /* Each item was pushed by an opcode of its own, but for those of a list that is copied. */
  if (machine->n_items++ >= MIN (machine->size, MAX_ITEMS))
    return fail_damaged (machine);
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

/* The upper @n values become the items of a new container. */
static gboolean
collect (Machine        *machine,
         AttnPickleKind  kind,
         gsize           n)
{
  gsize first = machine->stack->len - n;

  if (!push (machine, (AttnPickleValue) { .kind = kind }))
    return FALSE;
  AttnPickleId container = peek (machine, 0);
  for (gsize i = 0; i < n; i++)
    if (!add_item (machine, container, g_array_index (machine->stack, AttnPickleId, first + i)))
      return FALSE;
  drop (machine, n + 1);
  return push_id (machine, container);
}

static gboolean
run_none (Machine       *machine,
          const Operand *operand)
{
  return push (machine, (AttnPickleValue) { .kind = ATTN_PICKLE_NONE });
}

static gboolean
run_true (Machine       *machine,
          const Operand *operand)
{
  return push (machine, (AttnPickleValue) { .kind = ATTN_PICKLE_BOOLEAN, .integer = TRUE });
}

static gboolean
run_false (Machine       *machine,
           const Operand *operand)
{
  return push (machine, (AttnPickleValue) { .kind = ATTN_PICKLE_BOOLEAN });
}

static gboolean
run_integer (Machine       *machine,
             const Operand *operand)
{
  return push (machine,
               (AttnPickleValue) { .kind = ATTN_PICKLE_INTEGER, .integer = operand->integer });
}

/* Two's complement, the lowest byte first. */
static gboolean
run_long (Machine       *machine,
          const Operand *operand)
{
  guint64 bits = operand->size > 0 && operand->data[operand->size - 1] >= 0x80 ? G_MAXUINT64 : 0;

  if (operand->size > sizeof bits)
    return push (machine, (AttnPickleValue) { .kind = ATTN_PICKLE_OTHER });
  for (gsize i = operand->size; i-- > 0;)
    bits = bits << 8 | operand->data[i];
  return push (machine,
               (AttnPickleValue) { .kind = ATTN_PICKLE_INTEGER, .integer = (gint64) bits });
}

/* The only number with the highest byte first. */
static gboolean
run_number (Machine       *machine,
            const Operand *operand)
{
  guint64 bits = 0;
  double number;

  for (gsize i = 0; i < sizeof bits; i++)
    bits = bits << 8 | operand->data[i];
  memcpy (&number, &bits, sizeof number);
  return push (machine, (AttnPickleValue) { .kind = ATTN_PICKLE_NUMBER, .number = number });
}

static gboolean
run_text (Machine       *machine,
          const Operand *operand)
{
  return push (machine, (AttnPickleValue) { .kind = ATTN_PICKLE_TEXT,
                                            .n = (guint32) operand->size,
                                            .text = (const char *) operand->data });
}

static gboolean
run_other (Machine       *machine,
           const Operand *operand)
{
  return push (machine, (AttnPickleValue) { .kind = ATTN_PICKLE_OTHER });
}

static gboolean
run_empty_tuple (Machine       *machine,
                 const Operand *operand)
{
  return collect (machine, ATTN_PICKLE_TUPLE, 0);
}

static gboolean
run_empty_dict (Machine       *machine,
                const Operand *operand)
{
  return collect (machine, ATTN_PICKLE_DICT, 0);
}

static gboolean
run_mark (Machine       *machine,
          const Operand *operand)
{
  if (!reserve (machine, machine->marks, sizeof (guint32)))
    return FALSE;
  g_array_append_val (machine->marks, machine->stack->len);
  return TRUE;
}

static gboolean
run_tuple (Machine       *machine,
           const Operand *operand)
{
  gsize n;

  return pop_mark (machine, &n) && collect (machine, ATTN_PICKLE_TUPLE, n);
}

static gboolean
run_dict (Machine       *machine,
          const Operand *operand)
{
  gsize n;

  if (!pop_mark (machine, &n))
    return FALSE;
  return n % 2 == 0 ? collect (machine, ATTN_PICKLE_DICT, n) : fail_damaged (machine);
}

static gboolean
run_tuple_1 (Machine       *machine,
             const Operand *operand)
{
  return require (machine, 1) && collect (machine, ATTN_PICKLE_TUPLE, 1);
}

static gboolean
run_tuple_2 (Machine       *machine,
             const Operand *operand)
{
  return require (machine, 2) && collect (machine, ATTN_PICKLE_TUPLE, 2);
}

static gboolean
run_tuple_3 (Machine       *machine,
             const Operand *operand)
{
  return require (machine, 3) && collect (machine, ATTN_PICKLE_TUPLE, 3);
}

/* Adds the upper @n values to the container below them. What a call would make takes them, too, and
 * is not changed by it. */
static gboolean
extend (Machine        *machine,
        AttnPickleKind  kind,
        gsize           n)
{
  if (!require (machine, n + 1))
    return FALSE;
  AttnPickleId container = peek (machine, n);
  gboolean is_other =
      get (machine, container)->kind == ATTN_PICKLE_OTHER ||
      get (machine, container)->kind == ATTN_PICKLE_CALL;
  if (!is_other && get (machine, container)->kind != kind)
    return fail_damaged (machine);
  if (kind == ATTN_PICKLE_DICT && n % 2 != 0)
    return fail_damaged (machine);
  for (gsize i = n; !is_other && i > 0; i--)
    if (!add_item (machine, container, peek (machine, i - 1)))
      return FALSE;
  drop (machine, n);
  return TRUE;
}

static gboolean
run_append (Machine       *machine,
            const Operand *operand)
{
  return extend (machine, ATTN_PICKLE_TUPLE, 1);
}

static gboolean
run_set_item (Machine       *machine,
              const Operand *operand)
{
  return extend (machine, ATTN_PICKLE_DICT, 2);
}

static gboolean
run_appends (Machine       *machine,
             const Operand *operand)
{
  gsize n;

  return pop_mark (machine, &n) && extend (machine, ATTN_PICKLE_TUPLE, n);
}

static gboolean
run_set_items (Machine       *machine,
               const Operand *operand)
{
  gsize n;

  return pop_mark (machine, &n) && extend (machine, ATTN_PICKLE_DICT, n);
}

static gboolean
put (Machine *machine,
     guint64  index)
{
  if (!require (machine, 1))
    return FALSE;
  /* Writers count up from 0. */
  if (index >= machine->size || index >= MAX_VALUES)
    return fail_damaged (machine);
  if (index >= machine->memo->len)
    {
      if (index >= 4096 &&
          !attn_memory_check ((index + 1) * sizeof (AttnPickleId), machine->where, machine->error))
        return FALSE;
      g_array_set_size (machine->memo, index + 1);
    }
  g_array_index (machine->memo, AttnPickleId, index) = peek (machine, 0) + 1;
  return TRUE;
}

static gboolean
run_put (Machine       *machine,
         const Operand *operand)
{
  return put (machine, operand->integer);
}

static gboolean
run_memoize (Machine       *machine,
             const Operand *operand)
{
  return put (machine, machine->memo->len);
}

static gboolean
run_get (Machine       *machine,
         const Operand *operand)
{
  guint64 index = operand->integer;
  AttnPickleId id =
      index < machine->memo->len ? g_array_index (machine->memo, AttnPickleId, index) : 0;

  return id > 0 ? push_id (machine, id - 1) : fail_damaged (machine);
}

/* A part of a name as it can be shown, whatever it holds. */
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
push_name (Machine    *machine,
           const void *module,
           gsize       n_module,
           const void *name,
           gsize       n_name)
{
  const AttnPickleName *row = attn_pickle_name_find (module, n_module, name, n_name);

  if (row != NULL)
    return push (machine, (AttnPickleValue) { .kind = ATTN_PICKLE_NAME, .name = row });

  g_autofree char *shown_module = dup_shown (module, n_module);
  g_autofree char *shown_name = dup_shown (name, n_name);
  return attn_fail (machine->error, ATTN_ERROR_UNSUPPORTED,
                    _("%s: %s.%s found, expected tensors, numbers, texts and collections of them "
                      "alone (nothing of it was run; save the model’s state_dict)"),
                    machine->where, shown_module, shown_name);
}

static gboolean
run_global (Machine       *machine,
            const Operand *operand)
{
  return push_name (machine, operand->data, operand->size, operand->second, operand->n_second);
}

static gboolean
run_stack_global (Machine       *machine,
                  const Operand *operand)
{
  if (!require (machine, 2))
    return FALSE;
  AttnPickleValue module = *get (machine, peek (machine, 1));
  AttnPickleValue name = *get (machine, peek (machine, 0));
  if (module.kind != ATTN_PICKLE_TEXT || name.kind != ATTN_PICKLE_TEXT)
    return fail_damaged (machine);
  drop (machine, 2);
  return push_name (machine, module.text, module.n, name.text, name.n);
}

/* A dictionary of pairs, of which there may be a list. */
static gboolean
add_pairs (Machine      *machine,
           AttnPickleId  dict,
           AttnPickleId  arguments)
{
  if (get (machine, arguments)->n == 0)
    return TRUE;
  AttnPickleId pairs = get (machine, arguments)->items[0];
  if (get (machine, pairs)->kind != ATTN_PICKLE_TUPLE)
    return TRUE;
  for (gsize i = 0; i < get (machine, pairs)->n; i++)
    {
      const AttnPickleValue *pair = get (machine, get (machine, pairs)->items[i]);

      if (pair->kind != ATTN_PICKLE_TUPLE || pair->n != 2)
        return fail_damaged (machine);
      for (gsize part = 0; part < 2; part++)
        if (!add_item (machine, dict, pair->items[part]))
          return FALSE;
    }
  return TRUE;
}

/* Nothing is called: the value says what would be. */
static gboolean
run_reduce (Machine       *machine,
            const Operand *operand)
{
  if (!require (machine, 2))
    return FALSE;
  AttnPickleId arguments = peek (machine, 0);
  AttnPickleValue called = *get (machine, peek (machine, 1));
  if (called.kind != ATTN_PICKLE_NAME || get (machine, arguments)->kind != ATTN_PICKLE_TUPLE)
    return fail_damaged (machine);
  drop (machine, 2);
  if (called.name->meaning == ATTN_PICKLE_MEANS_NOTHING)
    return push (machine, (AttnPickleValue) { .kind = ATTN_PICKLE_OTHER });
  if (called.name->meaning != ATTN_PICKLE_MEANS_DICT)
    return push (machine, (AttnPickleValue) { .kind = ATTN_PICKLE_CALL,
                                              .name = called.name,
                                              .arguments = arguments });
  return push (machine, (AttnPickleValue) { .kind = ATTN_PICKLE_DICT }) &&
         add_pairs (machine, peek (machine, 0), arguments);
}

/* The attributes of an object, such as the versions of a model's parts. */
static gboolean
run_build (Machine       *machine,
           const Operand *operand)
{
  if (!require (machine, 2))
    return FALSE;
  drop (machine, 1);
  return TRUE;
}

static gboolean
run_persistent (Machine       *machine,
                const Operand *operand)
{
  if (!require (machine, 1))
    return FALSE;
  AttnPickleId arguments = peek (machine, 0);
  if (get (machine, arguments)->kind != ATTN_PICKLE_TUPLE)
    return fail_damaged (machine);
  drop (machine, 1);
  return push (machine,
               (AttnPickleValue) { .kind = ATTN_PICKLE_STORAGE, .arguments = arguments });
}

static gboolean
run_pop (Machine       *machine,
         const Operand *operand)
{
  if (!require (machine, 1))
    return FALSE;
  drop (machine, 1);
  return TRUE;
}

static gboolean
run_pop_mark (Machine       *machine,
              const Operand *operand)
{
  gsize n;

  if (!pop_mark (machine, &n))
    return FALSE;
  drop (machine, n);
  return TRUE;
}

static gboolean
run_dup (Machine       *machine,
         const Operand *operand)
{
  return require (machine, 1) && push_id (machine, peek (machine, 0));
}

static gboolean
run_protocol (Machine       *machine,
              const Operand *operand)
{
  return operand->integer <= 5 ||
         attn_fail (machine->error, ATTN_ERROR_UNSUPPORTED,
                    _("%s: a pickle of protocol %d found, expected at most 5"), machine->where,
                    (int) operand->integer);
}

static gboolean
run_frame (Machine       *machine,
           const Operand *operand)
{
  return TRUE;
}

static gboolean
run_stop (Machine       *machine,
          const Operand *operand)
{
  if (!require (machine, 1))
    return FALSE;
  machine->pickle->root = peek (machine, 0);
  machine->is_over = TRUE;
  return TRUE;
}

static const struct
{
  guint8 code;
  guint8 operand;
  gboolean (*run) (Machine *machine,
                   const Operand *operand);
} opcodes[] = {
  { '.', NOTHING, run_stop },
  { '(', NOTHING, run_mark },
  { ')', NOTHING, run_empty_tuple },
  { ']', NOTHING, run_empty_tuple },
  { '}', NOTHING, run_empty_dict },
  { '0', NOTHING, run_pop },
  { '1', NOTHING, run_pop_mark },
  { '2', NOTHING, run_dup },
  { 'B', COUNTED_4, run_other },
  { 'C', COUNTED_1, run_other },
  { 'G', DOUBLE, run_number },
  { 'J', SIGNED_4, run_integer },
  { 'K', UNSIGNED_1, run_integer },
  { 'M', UNSIGNED_2, run_integer },
  { 'N', NOTHING, run_none },
  { 'Q', NOTHING, run_persistent },
  { 'R', NOTHING, run_reduce },
  { 'T', COUNTED_4, run_text },
  { 'U', COUNTED_1, run_text },
  { 'X', COUNTED_4, run_text },
  { 'a', NOTHING, run_append },
  { 'b', NOTHING, run_build },
  { 'c', LINES, run_global },
  { 'd', NOTHING, run_dict },
  { 'e', NOTHING, run_appends },
  { 'h', UNSIGNED_1, run_get },
  { 'j', UNSIGNED_4, run_get },
  { 'l', NOTHING, run_tuple },
  { 'q', UNSIGNED_1, run_put },
  { 'r', UNSIGNED_4, run_put },
  { 's', NOTHING, run_set_item },
  { 't', NOTHING, run_tuple },
  { 'u', NOTHING, run_set_items },
  { 0x80, UNSIGNED_1, run_protocol },
  { 0x81, NOTHING, run_reduce },
  { 0x85, NOTHING, run_tuple_1 },
  { 0x86, NOTHING, run_tuple_2 },
  { 0x87, NOTHING, run_tuple_3 },
  { 0x88, NOTHING, run_true },
  { 0x89, NOTHING, run_false },
  { 0x8a, COUNTED_1, run_long },
  { 0x8b, COUNTED_4, run_long },
  { 0x8c, COUNTED_1, run_text },
  { 0x8d, COUNTED_8, run_text },
  { 0x8e, COUNTED_8, run_other },
  { 0x8f, NOTHING, run_empty_tuple },
  { 0x90, NOTHING, run_appends },
  { 0x91, NOTHING, run_tuple },
  { 0x93, NOTHING, run_stack_global },
  { 0x94, NOTHING, run_memoize },
  { 0x95, SKIPPED_8, run_frame },
  { 0x96, COUNTED_8, run_other },
};

static gboolean
take (Machine       *machine,
      guint64        n,
      const guint8 **data)
{
  if (n > machine->size - machine->position)
    return fail_damaged (machine);
  *data = machine->data + machine->position;
  machine->position += n;
  return TRUE;
}

/* Of @n bytes, the lowest first. */
static gboolean
take_unsigned (Machine *machine,
               gsize    n,
               guint64 *value)
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
take_line (Machine       *machine,
           const guint8 **data,
           gsize         *size)
{
  const guint8 *start = machine->data + machine->position;
  const guint8 *end = machine->position < machine->size
                          ? memchr (start, '\n', machine->size - machine->position)
                          : NULL;

  if (end == NULL)
    return fail_damaged (machine);
  *size = end - start;
  return take (machine, *size + 1, data);
}

static gboolean
take_operand (Machine     *machine,
              OperandKind  kind,
              Operand     *operand)
{
  static const guint8 widths[] = {
    [UNSIGNED_1] = 1,
    [UNSIGNED_2] = 2,
    [SIGNED_4] = 4,
    [UNSIGNED_4] = 4,
    [COUNTED_1] = 1,
    [COUNTED_4] = 4,
    [COUNTED_8] = 8,
  };
  guint64 value;

  switch (kind)
    {
    case NOTHING:
      return TRUE;
    case UNSIGNED_1:
    case UNSIGNED_2:
    case SIGNED_4:
    case UNSIGNED_4:
      if (!take_unsigned (machine, widths[kind], &value))
        return FALSE;
      operand->integer = kind == SIGNED_4 ? (gint32) value : (gint64) value;
      return TRUE;
    case COUNTED_1:
    case COUNTED_4:
    case COUNTED_8:
      if (!take_unsigned (machine, widths[kind], &value) ||
          !take (machine, value, &operand->data))
        return FALSE;
      operand->size = value;
      return TRUE;
    case DOUBLE:
    case SKIPPED_8:
      return take (machine, 8, &operand->data);
    case LINES:
      return take_line (machine, &operand->data, &operand->size) &&
             take_line (machine, &operand->second, &operand->n_second);
    default:
      g_return_val_if_reached (FALSE);
    }
}

static gboolean
run_next (Machine *machine)
{
  Operand operand = { 0 };
  const guint8 *code;

  if (!take (machine, 1, &code))
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (opcodes); i++)
    if (opcodes[i].code == *code)
      return take_operand (machine, opcodes[i].operand, &operand) &&
             opcodes[i].run (machine, &operand);
  return attn_fail (machine->error, ATTN_ERROR_UNSUPPORTED,
                    _("%s: opcode 0x%02x found at byte %zu of the pickle, expected those that "
                      "torch.save uses"),
                    machine->where, *code, machine->position - 1);
}

/**
 * attn_pickle_parse:
 * @data: (array length=size): begins with a pickle; texts of the values lie in it, so that it must
 *   live as long as these and not change
 * @n_used: (out): how many bytes the pickle has
 * @where: what messages begin with
 * @error: return location: %ATTN_ERROR_FORMAT for bytes that are no pickle, %ATTN_ERROR_UNSUPPORTED
 *   for a name that is not in the table of names, with that name, and for an opcode that writers of
 *   tensors do not use, %ATTN_ERROR_LIMIT, %ATTN_ERROR_MEMORY
 *
 * Runs nothing that the pickle names. Memory: at most a constant times @size.
 *
 * Returns: (transfer full) (nullable): its values
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
  Machine machine = { where, data, size, 0, pickle, stack, marks, memo, 0, FALSE, error };

  pickle->values = g_array_new (FALSE, FALSE, sizeof (AttnPickleValue));
  /* A text's length has 32 bits. */
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
