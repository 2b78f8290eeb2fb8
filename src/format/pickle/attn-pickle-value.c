/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Access to the values of a parsed pickle, the format in which Python stores objects. */

#include "config.h"

#include <string.h>

#include "attn-pickle-private.h"

void
attn_pickle_free (AttnPickle *pickle)
{
  for (guint i = 0; i < pickle->values->len; i++)
    {
      AttnPickleValue *value = &g_array_index (pickle->values, AttnPickleValue, i);

      if (value->kind == ATTN_PICKLE_TUPLE || value->kind == ATTN_PICKLE_DICT)
        g_free (value->items);
    }
  g_array_unref (pickle->values);
  g_free (pickle);
}

gsize
attn_pickle_get_n (const AttnPickle *pickle)
{
  return pickle->values->len;
}

/**
 * attn_pickle_get:
 * @id: below [func@attn_pickle_get_n]
 *
 * Returns: (transfer none): the value with that id
 */
const AttnPickleValue *
attn_pickle_get (const AttnPickle *pickle,
                 AttnPickleId      id)
{
  return &g_array_index (pickle->values, AttnPickleValue, id);
}

/**
 * attn_pickle_get_root:
 *
 * Returns: (transfer none): the value that the pickle stores, from which all others can be reached
 */
const AttnPickleValue *
attn_pickle_get_root (const AttnPickle *pickle)
{
  return attn_pickle_get (pickle, pickle->root);
}

/**
 * attn_pickle_get_item:
 * @value: a value of any kind
 *
 * Returns: (transfer none) (nullable): an item of a tuple; of a dictionary a key (even @index) or
 *   value (odd); %NULL if @value has no such item
 */
const AttnPickleValue *
attn_pickle_get_item (const AttnPickle      *pickle,
                      const AttnPickleValue *value,
                      gsize                  index)
{
  gboolean has_items = value->kind == ATTN_PICKLE_TUPLE || value->kind == ATTN_PICKLE_DICT;

  return has_items && index < value->n ? attn_pickle_get (pickle, value->items[index]) : NULL;
}

/**
 * attn_pickle_lookup:
 * @dict: a value of any kind
 *
 * Returns: (transfer none) (nullable): the value for @key, the last one if there are several, as in
 *   Python; %NULL if there is none or @dict is no dictionary
 */
const AttnPickleValue *
attn_pickle_lookup (const AttnPickle      *pickle,
                    const AttnPickleValue *dict,
                    const char            *key)
{
  const AttnPickleValue *found = NULL;

  if (dict->kind != ATTN_PICKLE_DICT)
    return NULL;
  for (gsize i = 0; i + 1 < dict->n; i += 2)
    if (attn_pickle_is_text (attn_pickle_get (pickle, dict->items[i]), key))
      found = attn_pickle_get (pickle, dict->items[i + 1]);
  return found;
}

gboolean
attn_pickle_is_text (const AttnPickleValue *value,
                     const char            *text)
{
  return value->kind == ATTN_PICKLE_TEXT && value->n == strlen (text) &&
         memcmp (value->text, text, value->n) == 0;
}

/**
 * attn_pickle_dup_text:
 * @value: a value of any kind
 *
 * Returns: (transfer full) (nullable): a copy of the text; %NULL if @value is no text, is not
 *   UTF-8, contains a zero, or has more than %ATTN_PICKLE_MAX_TEXT bytes, since a malicious pickle
 *   could have one long text copied a million times
 */
char *
attn_pickle_dup_text (const AttnPickleValue *value)
{
  return value->kind == ATTN_PICKLE_TEXT && value->n <= ATTN_PICKLE_MAX_TEXT &&
                 g_utf8_validate (value->text, value->n, NULL)
             ? g_strndup (value->text, value->n)
             : NULL;
}
