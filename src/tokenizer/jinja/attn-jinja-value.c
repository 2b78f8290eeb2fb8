/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Operations on values of templates, with the results of Python. */

#include "config.h"

#include "attn-jinja-value.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* Limits of one run of a template. Published templates need a few thousand steps and some hundred
 * kilobytes. BYTES_PER_STEP bytes read or written count as a step. */
#define MAX_STEPS      ((gsize) 4 << 20)
#define MAX_BYTES      ((gsize) 64 << 20)
#define MAX_DEPTH      400
#define BYTES_PER_STEP 16

/* -- The run -- */

/**
 * attn_jinja_run_init:
 * @run: (out caller-allocates): to be cleared by attn_jinja_run_clear(); its values live until then
 * @where: names the template's file in error messages
 * @now: the time that the template may ask for
 */
void
attn_jinja_run_init (AttnJinjaRun *run,
                     const char   *where,
                     GDateTime    *now)
{
  *run = (AttnJinjaRun) { .where = where, .now = now, .line = 1 };
  run->blocks = g_ptr_array_new_with_free_func (g_free);
}

void
attn_jinja_run_clear (AttnJinjaRun *run)
{
  g_clear_pointer (&run->blocks, g_ptr_array_unref);
  g_clear_error (&run->error);
}

/**
 * attn_jinja_run_spend:
 * @n_steps: number of steps that are about to be done
 *
 * Returns: whether the run goes on: nothing has failed, and the limit leaves that many steps
 */
gboolean
attn_jinja_run_spend (AttnJinjaRun *run,
                      gsize         n_steps)
{
  if (run->error != NULL)
    return FALSE;
  if (n_steps > MAX_STEPS - run->n_steps)
    {
      attn_jinja_fail (run, ATTN_ERROR_LIMIT, _("more than %zu steps found, expected fewer"),
                       MAX_STEPS);
      return FALSE;
    }
  run->n_steps += n_steps;
  return TRUE;
}

/* Counts steps for bytes that are about to be read or written. Returns FALSE if the limit is
 * exceeded. */
gboolean
attn_jinja_run_spend_bytes (AttnJinjaRun *run,
                            gsize         n_bytes)
{
  return attn_jinja_run_spend (run, 1 + n_bytes / BYTES_PER_STEP);
}

/**
 * attn_jinja_run_enter:
 *
 * Counts one more level of a function that calls itself. attn_jinja_run_leave() must follow,
 * whatever the outcome.
 *
 * Returns: whether the run goes on: nothing has failed, and no limit is exceeded
 */
gboolean
attn_jinja_run_enter (AttnJinjaRun *run)
{
  if (++run->depth > MAX_DEPTH)
    attn_jinja_fail (run, ATTN_ERROR_LIMIT, _("more than %d things within each other found"),
                     MAX_DEPTH);
  return attn_jinja_run_spend (run, 1);
}

void
attn_jinja_run_leave (AttnJinjaRun *run)
{
  run->depth--;
}

/**
 * attn_jinja_run_alloc:
 *
 * Returns: (not nullable): @n_bytes of zeros, which live as long as the run. Beyond the limit of
 *   memory they are returned, too, but the run fails.
 */
gpointer
attn_jinja_run_alloc (AttnJinjaRun *run,
                      gsize         n_bytes)
{
  gpointer block = g_malloc0 (n_bytes);

  g_ptr_array_add (run->blocks, block);
  run->n_bytes += n_bytes;
  if (run->n_bytes > MAX_BYTES)
    attn_jinja_fail (run, ATTN_ERROR_LIMIT, _("more than %zu bytes of memory taken"), MAX_BYTES);
  return block;
}

/* Copies a text into the memory of the run. @text: (array length=n_bytes) */
char *
attn_jinja_run_dup (AttnJinjaRun *run,
                    const char   *text,
                    gsize         n_bytes)
{
  char *copy = attn_jinja_run_alloc (run, n_bytes + 1);

  memcpy (copy, text, n_bytes);
  return copy;
}

/**
 * attn_jinja_fail:
 *
 * Ends the run with an error: a sentence, in front of which the file and the line of the template
 * are put. Only the first failure of a run is kept.
 *
 * Returns: an undefined value, for a function that has to give one
 */
AttnJinjaValue
attn_jinja_fail (AttnJinjaRun *run,
                 AttnError     code,
                 const char   *format,
                               ...)
{
  va_list arguments;

  if (run->error == NULL)
    {
      g_autofree char *sentence = NULL;

      va_start (arguments, format);
      sentence = g_strdup_vprintf (format, arguments);
      va_end (arguments);
      attn_set_error (&run->error, code, _("%s: line %u of the chat template: %s"), run->where,
                      run->line, sentence);
    }
  return attn_jinja_undefined (NULL);
}

/* Returns the name that the type of a value has in Python, which authors of templates know. */
const char *
attn_jinja_get_type_name (AttnJinjaValue value)
{
  static const char * const names[] = {
    [ATTN_JINJA_ABSENT] = "Undefined",
    [ATTN_JINJA_UNDEFINED] = "Undefined",
    [ATTN_JINJA_NONE] = "None",
    [ATTN_JINJA_BOOLEAN] = "bool",
    [ATTN_JINJA_INTEGER] = "int",
    [ATTN_JINJA_FLOAT] = "float",
    [ATTN_JINJA_STRING] = "str",
    [ATTN_JINJA_LIST] = "list",
    [ATTN_JINJA_MAP] = "dict",
    [ATTN_JINJA_NAMESPACE] = "namespace",
    [ATTN_JINJA_LOOP] = "loop",
    [ATTN_JINJA_FUNCTION] = "function",
  };
  static const char * const forms[] = {
    [ATTN_JINJA_FORM_LIST] = "list",
    [ATTN_JINJA_FORM_TUPLE] = "tuple",
    [ATTN_JINJA_FORM_RANGE] = "range",
    [ATTN_JINJA_FORM_VIEW] = "dict_items",
    [ATTN_JINJA_FORM_GENERATOR] = "generator",
  };

  return attn_jinja_is (value, ATTN_JINJA_LIST) ? forms[value.list->form] : names[value.type];
}

/**
 * attn_jinja_fail_type:
 * @what: what cannot be done with the type of @value: an operator, or the name of a filter, test,
 *   method or function
 *
 * Returns: an undefined value, as [func@attn_jinja_fail]
 */
AttnJinjaValue
attn_jinja_fail_type (AttnJinjaRun   *run,
                      AttnJinjaValue  value,
                      const char     *what)
{
  if (attn_jinja_is (value, ATTN_JINJA_UNDEFINED) && value.name != NULL)
    return attn_jinja_fail (run, ATTN_ERROR_UNSUPPORTED, _("%s is undefined where %s stands"),
                            value.name, what);
  return attn_jinja_fail (run, ATTN_ERROR_UNSUPPORTED,
                          _("a value of type %s found where %s stands, expected another"),
                          attn_jinja_get_type_name (value), what);
}

/* -- Making values -- */

AttnJinjaValue
attn_jinja_copy_text (AttnJinjaRun *run,
                      const char   *text,
                      gsize         n_bytes)
{
  attn_jinja_run_spend_bytes (run, n_bytes);
  return attn_jinja_string (attn_jinja_run_dup (run, text, n_bytes));
}

/* Makes a value of a text. @text: (transfer full) */
AttnJinjaValue
attn_jinja_take_text (AttnJinjaRun *run,
                      GString      *text)
{
  AttnJinjaValue value = attn_jinja_copy_text (run, text->str, text->len);

  g_string_free (text, TRUE);
  return value;
}

AttnJinjaValue
attn_jinja_list (AttnJinjaRun  *run,
                 AttnJinjaForm  form)
{
  AttnJinjaList *list = attn_jinja_run_alloc (run, sizeof *list);

  list->form = form;
  return (AttnJinjaValue) { .type = ATTN_JINJA_LIST, .list = list };
}

/* Makes an empty map. @type: ATTN_JINJA_MAP or ATTN_JINJA_NAMESPACE */
AttnJinjaValue
attn_jinja_map (AttnJinjaRun  *run,
                AttnJinjaType  type)
{
  return (AttnJinjaValue) { .type = type,
                            .map = attn_jinja_run_alloc (run, sizeof (AttnJinjaMap)) };
}

AttnJinjaValue
attn_jinja_pair (AttnJinjaRun   *run,
                 AttnJinjaValue  first,
                 AttnJinjaValue  second)
{
  AttnJinjaValue pair = attn_jinja_list (run, ATTN_JINJA_FORM_TUPLE);

  attn_jinja_list_add (run, pair.list, first);
  attn_jinja_list_add (run, pair.list, second);
  return pair;
}

/* Returns a copy of an array of items that has room for @n_allocated items. */
static AttnJinjaValue *
grow (AttnJinjaRun   *run,
      AttnJinjaValue *items,
      gsize           n_items,
      gsize           n_allocated)
{
  AttnJinjaValue *grown = attn_jinja_run_alloc (run, n_allocated * sizeof *grown);

  if (n_items > 0)
    memcpy (grown, items, n_items * sizeof *grown);
  return grown;
}

void
attn_jinja_list_add (AttnJinjaRun   *run,
                     AttnJinjaList  *list,
                     AttnJinjaValue  item)
{
  if (!attn_jinja_run_spend (run, 1))
    return;
  if (list->n_items == list->n_allocated)
    {
      list->n_allocated = MAX (4, 2 * list->n_allocated);
      list->items = grow (run, list->items, list->n_items, list->n_allocated);
    }
  list->items[list->n_items++] = item;
}

/* Returns the index of a key of a map, or n_items if the map does not contain it. */
static gsize
find_key (AttnJinjaRun       *run,
          const AttnJinjaMap *map,
          AttnJinjaValue      key)
{
  gsize i = 0;

  while (i < map->n_items && !attn_jinja_equal (run, map->keys[i], key))
    i++;
  return i;
}

void
attn_jinja_map_set (AttnJinjaRun   *run,
                    AttnJinjaMap   *map,
                    AttnJinjaValue  key,
                    AttnJinjaValue  value)
{
  if ((attn_jinja_is (key, ATTN_JINJA_LIST) && key.list->form != ATTN_JINJA_FORM_TUPLE) ||
      attn_jinja_is (key, ATTN_JINJA_MAP))
    attn_jinja_fail_type (run, key, "{}");
  gsize i = find_key (run, map, key);
  if (run->error != NULL)
    return;
  if (i == map->n_items)
    {
      if (map->n_items == map->n_allocated)
        {
          map->n_allocated = MAX (4, 2 * map->n_allocated);
          map->keys = grow (run, map->keys, map->n_items, map->n_allocated);
          map->values = grow (run, map->values, map->n_items, map->n_allocated);
        }
      map->keys[map->n_items++] = key;
    }
  map->values[i] = value;
}

/* Looks up a key of a map. @value: (out): not changed if the map does not have the key */
gboolean
attn_jinja_map_get (AttnJinjaRun       *run,
                    const AttnJinjaMap *map,
                    AttnJinjaValue      key,
                    AttnJinjaValue     *value)
{
  gsize i = find_key (run, map, key);

  if (i < map->n_items)
    *value = map->values[i];
  return i < map->n_items;
}

/* -- Asking values -- */

/* Gets the integer that a value holds. Booleans count as integers, as in Python. */
gboolean
attn_jinja_get_integer (AttnJinjaValue  value,
                        gint64         *integer)
{
  if (attn_jinja_is (value, ATTN_JINJA_BOOLEAN))
    *integer = value.truth;
  else if (attn_jinja_is (value, ATTN_JINJA_INTEGER))
    *integer = value.integer;
  else
    return FALSE;
  return TRUE;
}

gboolean
attn_jinja_get_number (AttnJinjaValue  value,
                       double         *number)
{
  gint64 integer;

  if (attn_jinja_get_integer (value, &integer))
    *number = (double) integer;
  else if (attn_jinja_is (value, ATTN_JINJA_FLOAT))
    *number = value.number;
  else
    return FALSE;
  return TRUE;
}

gboolean
attn_jinja_is_true (AttnJinjaValue value)
{
  switch (value.type)
    {
    case ATTN_JINJA_ABSENT:
    case ATTN_JINJA_UNDEFINED:
    case ATTN_JINJA_NONE:
      return FALSE;
    case ATTN_JINJA_BOOLEAN:
      return value.truth;
    case ATTN_JINJA_INTEGER:
      return value.integer != 0;
    case ATTN_JINJA_FLOAT:
      return value.number != 0;
    case ATTN_JINJA_STRING:
      return value.text[0] != '\0';
    case ATTN_JINJA_LIST:
      return value.list->n_items > 0 || value.list->form == ATTN_JINJA_FORM_GENERATOR;
    case ATTN_JINJA_MAP:
      return value.map->n_items > 0;
    case ATTN_JINJA_NAMESPACE:
    case ATTN_JINJA_LOOP:
    case ATTN_JINJA_FUNCTION:
    default:
      return TRUE;
    }
}

static gboolean
is_equal_list (AttnJinjaRun        *run,
               const AttnJinjaList *a,
               const AttnJinjaList *b)
{
  gsize i = 0;

  if (a == b)
    return TRUE;
  if (a->form != b->form || a->n_items != b->n_items || a->form >= ATTN_JINJA_FORM_VIEW)
    return FALSE;
  while (i < a->n_items && attn_jinja_equal (run, a->items[i], b->items[i]))
    i++;
  return i == a->n_items;
}

static gboolean
is_equal_map (AttnJinjaRun       *run,
              const AttnJinjaMap *a,
              const AttnJinjaMap *b)
{
  AttnJinjaValue value;
  gsize i = 0;

  if (a == b)
    return TRUE;
  while (a->n_items == b->n_items && i < a->n_items &&
         attn_jinja_map_get (run, b, a->keys[i], &value) &&
         attn_jinja_equal (run, a->values[i], value))
    i++;
  return i == a->n_items && a->n_items == b->n_items;
}

gboolean
attn_jinja_equal (AttnJinjaRun   *run,
                  AttnJinjaValue  a,
                  AttnJinjaValue  b)
{
  gint64 integers[2];
  double numbers[2];
  gboolean is_equal = FALSE;

  if (!attn_jinja_run_enter (run))
    ;
  else if (attn_jinja_get_integer (a, &integers[0]) && attn_jinja_get_integer (b, &integers[1]))
    is_equal = integers[0] == integers[1];
  else if (attn_jinja_get_number (a, &numbers[0]) && attn_jinja_get_number (b, &numbers[1]))
    is_equal = numbers[0] == numbers[1];
  else if (a.type != b.type)
    is_equal = FALSE;
  else if (attn_jinja_is (a, ATTN_JINJA_STRING))
    is_equal = g_str_equal (a.text, b.text);
  else if (attn_jinja_is (a, ATTN_JINJA_LIST))
    is_equal = is_equal_list (run, a.list, b.list);
  else if (attn_jinja_is (a, ATTN_JINJA_MAP))
    is_equal = is_equal_map (run, a.map, b.map);
  else if (attn_jinja_is (a, ATTN_JINJA_NAMESPACE))
    is_equal = a.map == b.map;
  else if (attn_jinja_is (a, ATTN_JINJA_LOOP))
    is_equal = a.loop == b.loop;
  else if (attn_jinja_is (a, ATTN_JINJA_FUNCTION))
    is_equal = a.function == b.function;
  else
    is_equal = TRUE;
  attn_jinja_run_leave (run);
  return is_equal;
}

/**
 * attn_jinja_compare:
 *
 * Ends the run with an error if the values have no order, such as a number and a text.
 *
 * Returns: below 0 if @a is smaller, 0 if the values are equal, above 0 if @a is larger
 */
int
attn_jinja_compare (AttnJinjaRun   *run,
                    AttnJinjaValue  a,
                    AttnJinjaValue  b)
{
  double numbers[2];
  int order = 0;

  if (!attn_jinja_run_enter (run))
    ;
  else if (attn_jinja_is (a, ATTN_JINJA_INTEGER) && attn_jinja_is (b, ATTN_JINJA_INTEGER))
    order = (a.integer > b.integer) - (a.integer < b.integer);
  else if (attn_jinja_get_number (a, &numbers[0]) && attn_jinja_get_number (b, &numbers[1]))
    order = (numbers[0] > numbers[1]) - (numbers[0] < numbers[1]);
  else if (attn_jinja_is (a, ATTN_JINJA_STRING) && attn_jinja_is (b, ATTN_JINJA_STRING))
    order = strcmp (a.text, b.text); /* strcmp() of UTF-8 has the order of code points */
  else if (attn_jinja_is (a, ATTN_JINJA_LIST) && attn_jinja_is (b, ATTN_JINJA_LIST) &&
           a.list->form == b.list->form && a.list->form <= ATTN_JINJA_FORM_TUPLE)
    {
      gsize n = MIN (a.list->n_items, b.list->n_items);

      for (gsize i = 0; i < n && order == 0 && run->error == NULL; i++)
        if (!attn_jinja_equal (run, a.list->items[i], b.list->items[i]))
          order = attn_jinja_compare (run, a.list->items[i], b.list->items[i]);
      if (order == 0)
        order = (a.list->n_items > n) - (b.list->n_items > n);
    }
  else
    attn_jinja_fail_type (run, attn_jinja_get_number (a, numbers) ? b : a, "<");
  attn_jinja_run_leave (run);
  return order;
}

/**
 * attn_jinja_measure:
 * @length: (out): number of items, or of characters of a text
 *
 * Returns: whether a value of this type has a length
 */
gboolean
attn_jinja_measure (AttnJinjaValue  value,
                    gsize          *length)
{
  *length = 0;
  if (attn_jinja_is (value, ATTN_JINJA_STRING))
    *length = (gsize) g_utf8_strlen (value.text, -1);
  else if (attn_jinja_is (value, ATTN_JINJA_MAP))
    *length = value.map->n_items;
  else if (attn_jinja_is (value, ATTN_JINJA_LIST) && value.list->form != ATTN_JINJA_FORM_GENERATOR)
    *length = value.list->n_items;
  else
    return attn_jinja_is (value, ATTN_JINJA_UNDEFINED);
  return TRUE;
}

static AttnJinjaList *
split_characters (AttnJinjaRun *run,
                  const char   *text)
{
  AttnJinjaValue list = attn_jinja_list (run, ATTN_JINJA_FORM_LIST);

  for (const char *next; *text != '\0' && run->error == NULL; text = next)
    {
      next = g_utf8_next_char (text);
      attn_jinja_list_add (run, list.list,
                           attn_jinja_copy_text (run, text, (gsize) (next - text)));
    }
  return list.list;
}

/**
 * attn_jinja_walk:
 * @value: a sequence; a map, whose items are its keys; or a text, whose items are its characters
 *
 * Ends the run with an error for a value without items, such as a number. A generator is empty
 * afterwards.
 *
 * Returns: (transfer none): the items; not to be changed
 */
AttnJinjaList *
attn_jinja_walk (AttnJinjaRun   *run,
                 AttnJinjaValue  value)
{
  AttnJinjaList *list = attn_jinja_list (run, ATTN_JINJA_FORM_LIST).list;

  switch (value.type)
    {
    case ATTN_JINJA_UNDEFINED:
      break;
    case ATTN_JINJA_STRING:
      return split_characters (run, value.text);
    case ATTN_JINJA_LIST:
      if (value.list->form != ATTN_JINJA_FORM_GENERATOR)
        return value.list;
      *list = *value.list;
      *value.list = (AttnJinjaList) { .form = ATTN_JINJA_FORM_GENERATOR };
      break;
    case ATTN_JINJA_MAP:
      list->items = value.map->keys;
      list->n_items = value.map->n_items;
      list->n_allocated = value.map->n_items;
      break;
    case ATTN_JINJA_ABSENT:
    case ATTN_JINJA_NONE:
    case ATTN_JINJA_BOOLEAN:
    case ATTN_JINJA_INTEGER:
    case ATTN_JINJA_FLOAT:
    case ATTN_JINJA_NAMESPACE:
    case ATTN_JINJA_LOOP:
    case ATTN_JINJA_FUNCTION:
    default:
      attn_jinja_fail_type (run, value, "for … in");
      break;
    }
  return list;
}

gboolean
attn_jinja_contains (AttnJinjaRun   *run,
                     AttnJinjaValue  container,
                     AttnJinjaValue  item)
{
  if (attn_jinja_is (container, ATTN_JINJA_STRING))
    {
      if (!attn_jinja_is (item, ATTN_JINJA_STRING))
        return attn_jinja_is_true (attn_jinja_fail_type (run, item, "in"));
      return attn_jinja_run_spend_bytes (run, strlen (container.text)) &&
             strstr (container.text, item.text) != NULL;
    }
  const AttnJinjaList *items = attn_jinja_walk (run, container);
  for (gsize i = 0; i < items->n_items && run->error == NULL; i++)
    if (attn_jinja_equal (run, items->items[i], item))
      return TRUE;
  return FALSE;
}
