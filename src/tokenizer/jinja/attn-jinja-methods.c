/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Attributes and items of values, and the methods of lists and maps, as Python has them. Methods
 * that change a value are refused, as the sandbox of transformers does. */

#include "config.h"

#include "attn-jinja-library.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* -- Methods of lists and maps -- */

ATTN_JINJA_APPLY (refuse_change)
{
  return attn_jinja_fail (run, ATTN_ERROR_UNSUPPORTED,
                          _("a method that changes a value found, which templates may not"));
}

ATTN_JINJA_APPLY (count_items)
{
  gint64 n = 0;

  for (gsize i = 0; i < subject.list->n_items; i++)
    n += attn_jinja_equal (run, subject.list->items[i], arguments[0]);
  return attn_jinja_integer (n);
}

ATTN_JINJA_APPLY (index_item)
{
  for (gsize i = 0; i < subject.list->n_items; i++)
    if (attn_jinja_equal (run, subject.list->items[i], arguments[0]))
      return attn_jinja_integer ((gint64) i);
  return attn_jinja_fail_type (run, subject, "index");
}

static const AttnJinjaRow list_methods[] = {
  { "count", count_items, 1, { "value" } },
  { "index", index_item, 1, { "value" } },
  { "append", refuse_change, 0, { "*" } },
  { "extend", refuse_change, 0, { "*" } },
  { "insert", refuse_change, 0, { "*" } },
  { "pop", refuse_change, 0, { "*" } },
  { "remove", refuse_change, 0, { "*" } },
  { "reverse", refuse_change, 0, { "*" } },
  { "sort", refuse_change, 0, { "*" } },
  { "clear", refuse_change, 0, { "*" } },
};

ATTN_JINJA_APPLY (get)
{
  AttnJinjaValue value = attn_jinja_is_absent (arguments[1]) ? attn_jinja_none () : arguments[1];

  attn_jinja_map_get (run, subject.map, arguments[0], &value);
  return value;
}

/* Returns the pairs of key and value of a map. @form: the type of the list */
AttnJinjaValue
attn_jinja_items (AttnJinjaRun       *run,
                  const AttnJinjaMap *map,
                  AttnJinjaForm       form)
{
  AttnJinjaValue items = attn_jinja_list (run, form);

  for (gsize i = 0; i < map->n_items && run->error == NULL; i++)
    attn_jinja_list_add (run, items.list, attn_jinja_pair (run, map->keys[i], map->values[i]));
  return items;
}

ATTN_JINJA_APPLY (get_items)
{
  return attn_jinja_items (run, subject.map, ATTN_JINJA_FORM_VIEW);
}

static AttnJinjaValue
view (AttnJinjaRun         *run,
      const AttnJinjaValue *items,
      gsize                 n_items)
{
  AttnJinjaValue list = attn_jinja_list (run, ATTN_JINJA_FORM_VIEW);

  for (gsize i = 0; i < n_items && run->error == NULL; i++)
    attn_jinja_list_add (run, list.list, items[i]);
  return list;
}

ATTN_JINJA_APPLY (get_keys)
{
  return view (run, subject.map->keys, subject.map->n_items);
}

ATTN_JINJA_APPLY (get_values)
{
  return view (run, subject.map->values, subject.map->n_items);
}

ATTN_JINJA_APPLY (copy)
{
  return subject;
}

static const AttnJinjaRow map_methods[] = {
  { "get", get, 1, { "key", "default" } },
  { "items", get_items, 0, { NULL } },
  { "keys", get_keys, 0, { NULL } },
  { "values", get_values, 0, { NULL } },
  { "copy", copy, 0, { NULL } },
  { "clear", refuse_change, 0, { "*" } },
  { "pop", refuse_change, 0, { "*" } },
  { "popitem", refuse_change, 0, { "*" } },
  { "setdefault", refuse_change, 0, { "*" } },
  { "update", refuse_change, 0, { "*" } },
};

/* -- Loops -- */

ATTN_JINJA_APPLY (cycle)
{
  gsize n = call->values->n_items;

  return n > 0 ? call->values->items[subject.loop->index % n]
               : attn_jinja_fail_type (run, subject, "cycle");
}

ATTN_JINJA_APPLY (has_changed)
{
  AttnJinjaValue now = { .type = ATTN_JINJA_LIST, .list = call->values };
  AttnJinjaValue before = subject.loop->changed;

  if (before.type != ATTN_JINJA_ABSENT && attn_jinja_equal (run, before, now))
    return attn_jinja_boolean (FALSE);
  subject.loop->changed = now;
  return attn_jinja_boolean (TRUE);
}

static const AttnJinjaRow loop_methods[] = {
  { "cycle", cycle, 0, { "*" } },
  { "changed", has_changed, 0, { "*" } },
};

static AttnJinjaValue
get_of_loop (const AttnJinjaLoop *loop,
             const char          *name)
{
  gsize i = loop->index, n = loop->items->n_items;
  const struct
  {
    const char *name;
    AttnJinjaValue value;
  } attributes[] = {
    { "index", attn_jinja_integer ((gint64) i + 1) },
    { "index0", attn_jinja_integer ((gint64) i) },
    { "revindex", attn_jinja_integer ((gint64) (n - i)) },
    { "revindex0", attn_jinja_integer ((gint64) (n - i) - 1) },
    { "first", attn_jinja_boolean (i == 0) },
    { "last", attn_jinja_boolean (i + 1 == n) },
    { "length", attn_jinja_integer ((gint64) n) },
    { "depth", attn_jinja_integer ((gint64) loop->depth + 1) },
    { "depth0", attn_jinja_integer ((gint64) loop->depth) },
    { "previtem", i > 0 ? loop->items->items[i - 1] : attn_jinja_undefined (name) },
    { "nextitem", i + 1 < n ? loop->items->items[i + 1] : attn_jinja_undefined (name) },
  };

  for (gsize j = 0; j < G_N_ELEMENTS (attributes); j++)
    if (g_str_equal (attributes[j].name, name))
      return attributes[j].value;
  return attn_jinja_undefined (name);
}

/* -- Attributes and items -- */

static const AttnJinjaRow *
find_method (AttnJinjaValue  value,
             const char     *name)
{
  if (attn_jinja_is (value, ATTN_JINJA_STRING))
    return attn_jinja_find_string_method (name);
  if (attn_jinja_is (value, ATTN_JINJA_LIST))
    return attn_jinja_find_row (list_methods, G_N_ELEMENTS (list_methods), name);
  if (attn_jinja_is (value, ATTN_JINJA_MAP))
    return attn_jinja_find_row (map_methods, G_N_ELEMENTS (map_methods), name);
  if (attn_jinja_is (value, ATTN_JINJA_LOOP))
    return attn_jinja_find_row (loop_methods, G_N_ELEMENTS (loop_methods), name);
  return NULL;
}

/* Looks up a method, or an attribute of a namespace or a loop. Returns %FALSE if none has that
 * name. */
static gboolean
get_own (AttnJinjaRun   *run,
         AttnJinjaValue  value,
         const char     *name,
         AttnJinjaValue *attribute)
{
  const AttnJinjaRow *row = find_method (value, name);

  *attribute = attn_jinja_undefined (name);
  if (row != NULL)
    {
      AttnJinjaFunction *method = attn_jinja_run_alloc (run, sizeof *method);

      *method = (AttnJinjaFunction) { .row = row, .subject = value };
      *attribute = (AttnJinjaValue) { .type = ATTN_JINJA_FUNCTION, .function = method };
    }
  else if (attn_jinja_is (value, ATTN_JINJA_NAMESPACE))
    return attn_jinja_map_get (run, value.map, attn_jinja_string (name), attribute);
  else if (attn_jinja_is (value, ATTN_JINJA_LOOP))
    *attribute = get_of_loop (value.loop, name);
  return attribute->type != ATTN_JINJA_UNDEFINED;
}

/* Looks up an item of a list, a map or a text. Returns %FALSE if the item does not exist. */
static gboolean
get_item (AttnJinjaRun   *run,
          AttnJinjaValue  value,
          AttnJinjaValue  key,
          AttnJinjaValue *item)
{
  gint64 index, n;

  if (attn_jinja_is (value, ATTN_JINJA_MAP))
    return attn_jinja_map_get (run, value.map, key, item);
  if (!attn_jinja_get_integer (key, &index) ||
      (attn_jinja_is (value, ATTN_JINJA_LIST) ? value.list->form >= ATTN_JINJA_FORM_VIEW
                                              : !attn_jinja_is (value, ATTN_JINJA_STRING)))
    return FALSE;
  gsize length;
  attn_jinja_measure (value, &length);
  n = (gint64) length;
  if (index < -n || index >= n)
    return FALSE;
  index += index < 0 ? n : 0;
  if (attn_jinja_is (value, ATTN_JINJA_LIST))
    *item = value.list->items[index];
  else
    {
      const char *at = g_utf8_offset_to_pointer (value.text, index);

      attn_jinja_run_spend_bytes (run, length);
      *item = attn_jinja_copy_text (run, at, (gsize) (g_utf8_next_char (at) - at));
    }
  return TRUE;
}

/**
 * attn_jinja_get_attribute:
 *
 * Evaluates "value.name". A method goes before an item of the same name. Ends the run with an error
 * if @value itself is undefined.
 */
AttnJinjaValue
attn_jinja_get_attribute (AttnJinjaRun   *run,
                          AttnJinjaValue  value,
                          const char     *name)
{
  AttnJinjaValue attribute;

  if (attn_jinja_is (value, ATTN_JINJA_UNDEFINED))
    return attn_jinja_fail_type (run, value, name);
  if (!get_own (run, value, name, &attribute) && attn_jinja_is (value, ATTN_JINJA_MAP))
    attn_jinja_map_get (run, value.map, attn_jinja_string (name), &attribute);
  return attribute;
}

/**
 * attn_jinja_get_item:
 *
 * Evaluates "value[key]". An item goes before a method of the same name. Ends the run with an error
 * if @value itself is undefined.
 */
AttnJinjaValue
attn_jinja_get_item (AttnJinjaRun   *run,
                     AttnJinjaValue  value,
                     AttnJinjaValue  key)
{
  AttnJinjaValue item = attn_jinja_undefined (attn_jinja_is (key, ATTN_JINJA_STRING) ? key.text
                                                                                     : NULL);

  if (attn_jinja_is (value, ATTN_JINJA_UNDEFINED))
    return attn_jinja_fail_type (run, value, "[]");
  if (!get_item (run, value, key, &item) && attn_jinja_is (key, ATTN_JINJA_STRING))
    get_own (run, value, key.text, &item);
  return item;
}
