/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Filters of templates, with the semantics of filters.py of Jinja 3.1. Filters that write HTML are
 * not supported. */

#include "config.h"

#include "attn-jinja-library.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

/* -- Text -- */

ATTN_JINJA_APPLY (to_string)
{
  return attn_jinja_string (attn_jinja_to_text (run, subject));
}

ATTN_JINJA_APPLY (lower)
{
  return attn_jinja_lower (run, attn_jinja_to_text (run, subject));
}

ATTN_JINJA_APPLY (upper)
{
  return attn_jinja_upper (run, attn_jinja_to_text (run, subject));
}

ATTN_JINJA_APPLY (capitalize)
{
  return attn_jinja_capitalize (run, attn_jinja_to_text (run, subject));
}

/* Converts a text to title case. A word begins after a space, a hyphen or an opening bracket. */
ATTN_JINJA_APPLY (title)
{
  GString *text = g_string_new (NULL);
  gboolean is_inside = FALSE;

  for (const char *at = attn_jinja_to_text (run, subject); *at != '\0';
       at = g_utf8_next_char (at))
    {
      gunichar character = g_utf8_get_char (at);

      g_string_append_unichar (text, is_inside ? g_unichar_tolower (character)
                                               : g_unichar_totitle (character));
      is_inside = !attn_jinja_is_space (character) &&
                  (character > 0x7f || strchr ("-({[<", (int) character) == NULL);
    }
  return attn_jinja_take_text (run, text);
}

ATTN_JINJA_APPLY (trim)
{
  return attn_jinja_strip (run, attn_jinja_to_text (run, subject), arguments[0], TRUE, TRUE);
}

ATTN_JINJA_APPLY (replace)
{
  return attn_jinja_replace (run, attn_jinja_to_text (run, subject),
                             attn_jinja_to_text (run, arguments[0]),
                             attn_jinja_to_text (run, arguments[1]),
                             attn_jinja_want_integer (run, arguments[2], -1, "replace"));
}

ATTN_JINJA_APPLY (indent)
{
  const char *text = attn_jinja_to_text (run, subject), *space;
  gboolean with_first = attn_jinja_is_true (arguments[1]);
  gboolean with_blank = attn_jinja_is_true (arguments[2]);
  AttnJinjaValue width = arguments[0];

  if (!attn_jinja_is (width, ATTN_JINJA_STRING))
    {
      gint64 n = attn_jinja_want_integer (run, width, 4, "indent");

      width = attn_jinja_operate (run, "*", attn_jinja_string (" "), attn_jinja_integer (n));
    }
  space = attn_jinja_to_text (run, width);
  AttnJinjaValue lines = attn_jinja_split_lines (run, text, FALSE);
  gsize n = strlen (text);
  GString *indented = g_string_new (NULL);

  /* Jinja's indent counts an empty line after a final newline, and an empty text as one line. */
  if (n == 0 || text[n - 1] == '\n')
    attn_jinja_list_add (run, lines.list, attn_jinja_string (""));
  for (gsize i = 0; i < lines.list->n_items && attn_jinja_run_spend_bytes (run, strlen (space));
       i++)
    {
      const char *line = lines.list->items[i].text;

      g_string_append (indented, i > 0 ? "\n" : "");
      if (i == 0 ? with_first : with_blank || *line != '\0')
        g_string_append (indented, space);
      g_string_append (indented, line);
    }
  return attn_jinja_take_text (run, indented);
}

ATTN_JINJA_APPLY (format)
{
  AttnJinjaValue values = { .type = ATTN_JINJA_LIST, .list = call->values };

  if (call->named->n_items > 0)
    return attn_jinja_fail_type (run, call->named->values[0], "format");
  call->values->form = ATTN_JINJA_FORM_TUPLE;
  return attn_jinja_fill (run, attn_jinja_to_text (run, subject), values);
}

ATTN_JINJA_APPLY (count_words)
{
  const char *text = attn_jinja_to_text (run, subject);
  gboolean is_inside = FALSE;
  gint64 n = 0;

  for (; *text != '\0'; text = g_utf8_next_char (text))
    {
      gboolean is_word = *text == '_' || g_unichar_isalnum (g_utf8_get_char (text));

      n += is_word && !is_inside;
      is_inside = is_word;
    }
  return attn_jinja_integer (n);
}

/* -- Numbers -- */

ATTN_JINJA_APPLY (absolute)
{
  gint64 integer;

  if (attn_jinja_get_integer (subject, &integer) && integer > G_MININT64)
    return attn_jinja_integer (ABS (integer));
  if (!attn_jinja_is (subject, ATTN_JINJA_FLOAT))
    return attn_jinja_fail_type (run, subject, "abs");
  return attn_jinja_float (fabs (subject.number));
}

/* Parses a text as a number. Fails if anything but white space comes before or after the number. */
static gboolean
parse_float (const char *text,
             double     *number)
{
  char *end;

  while (attn_jinja_is_space (g_utf8_get_char (text)))
    text = g_utf8_next_char (text);
  *number = g_ascii_strtod (text, &end);
  if (end == text || strchr (text, 'x') != NULL || strchr (text, 'X') != NULL)
    return FALSE;
  while (attn_jinja_is_space (g_utf8_get_char (end)))
    end = g_utf8_next_char (end);
  return *end == '\0';
}

/* Parses an integer in the given base, which may have the prefix 0x, 0o or 0b of the base. */
static gboolean
parse_integer (const char *text,
               gint64      base,
               gint64     *integer)
{
  char letter = base == 16 ? 'x' : base == 8 ? 'o'
                               : base == 2   ? 'b'
                                             : '\0';
  gboolean has_sign = letter != '\0' && *text == '0' && g_ascii_tolower (text[1]) == letter;

  return base >= 2 && base <= 36 &&
         g_ascii_string_to_signed (text + (has_sign ? 2 : *text == '+'), (guint) base, G_MININT64,
                                   G_MAXINT64, integer, NULL);
}

ATTN_JINJA_APPLY (to_integer)
{
  gint64 base = attn_jinja_want_integer (run, arguments[1], 10, "int"), integer;
  double number = NAN;

  if (attn_jinja_get_integer (subject, &integer))
    return attn_jinja_integer (integer);
  if (attn_jinja_is (subject, ATTN_JINJA_STRING))
    {
      const char *text = attn_jinja_strip (run, subject.text, attn_jinja_none (), TRUE, TRUE).text;

      if (parse_integer (text, base, &integer))
        return attn_jinja_integer (integer);
      if (!parse_float (text, &number))
        number = NAN;
    }
  else if (attn_jinja_is (subject, ATTN_JINJA_FLOAT))
    number = subject.number;
  /* 2^63 is the smallest number that does not fit into a gint64. */
  if (fabs (number) < 0x1p63)
    return attn_jinja_integer ((gint64) number);
  return arguments[0].type == ATTN_JINJA_ABSENT ? attn_jinja_integer (0) : arguments[0];
}

ATTN_JINJA_APPLY (to_float)
{
  double number;

  if (attn_jinja_get_number (subject, &number) ||
      (attn_jinja_is (subject, ATTN_JINJA_STRING) && parse_float (subject.text, &number)))
    return attn_jinja_float (number);
  return arguments[0].type == ATTN_JINJA_ABSENT ? attn_jinja_float (0) : arguments[0];
}

/* Rounds a number to @precision decimal places: with the method "ceil" or "floor" up or down,
 * otherwise to the nearest number, ties to even. */
static double
round_number (double      number,
              gint64      precision,
              const char *method)
{
  double factor = pow (10, (double) ABS (precision));
  char buffer[512], form[16];

  if (g_str_equal (method, "ceil") || g_str_equal (method, "floor"))
    {
      double (*towards) (double) = *method == 'c' ? ceil : floor;

      return precision < 0 ? towards (number / factor) * factor
                           : towards (number * factor) / factor;
    }
  if (precision < 0)
    return nearbyint (number / factor) * factor;
  if (fabs (number) >= 0x1p52)
    return number;
  g_snprintf (form, sizeof form, "%%.%df", (int) precision);
  return g_ascii_strtod (g_ascii_formatd (buffer, sizeof buffer, form, number), NULL);
}

ATTN_JINJA_APPLY (to_round)
{
  gint64 precision = attn_jinja_want_integer (run, arguments[0], 0, "round"), integer;
  const char *method =
      attn_jinja_is_absent (arguments[1]) ? "common" : attn_jinja_to_text (run, arguments[1]);
  double number;

  if (!attn_jinja_get_number (subject, &number) || !isfinite (number))
    return attn_jinja_fail_type (run, subject, "round");
  number = round_number (number, CLAMP (precision, -300, 300), method);
  if (!attn_jinja_get_integer (subject, &integer) || !g_str_equal (method, "common"))
    return attn_jinja_float (number);
  return attn_jinja_integer (precision < 0 ? (gint64) number : integer);
}

/* -- Sequences -- */

/* Returns a nested attribute of a value, such as "a.b.0". @usual: the value in place of an
 * undefined one */
static AttnJinjaValue
get_path (AttnJinjaRun   *run,
          AttnJinjaValue  value,
          AttnJinjaValue  path,
          AttnJinjaValue  usual)
{
  g_auto (GStrv) parts = NULL;

  if (!attn_jinja_is (path, ATTN_JINJA_STRING))
    return path.type == ATTN_JINJA_ABSENT ? value : attn_jinja_get_item (run, value, path);
  parts = g_strsplit (path.text, ".", -1);
  for (gsize i = 0; parts[i] != NULL && run->error == NULL; i++)
    {
      guint64 index;
      AttnJinjaValue key =
          g_ascii_string_to_unsigned (parts[i], 10, 0, G_MAXINT32, &index, NULL)
              ? attn_jinja_integer ((gint64) index)
              : attn_jinja_copy_text (run, parts[i], strlen (parts[i]));

      value = attn_jinja_get_item (run, value, key);
      if (attn_jinja_is (value, ATTN_JINJA_UNDEFINED) && usual.type != ATTN_JINJA_ABSENT)
        value = usual;
    }
  return value;
}

ATTN_JINJA_APPLY (set_default)
{
  gboolean is_missing = attn_jinja_is (subject, ATTN_JINJA_UNDEFINED) ||
                        (attn_jinja_is_true (arguments[1]) && !attn_jinja_is_true (subject));

  if (!is_missing)
    return subject;
  return arguments[0].type == ATTN_JINJA_ABSENT ? attn_jinja_string ("") : arguments[0];
}

ATTN_JINJA_APPLY (measure)
{
  gsize length;

  return attn_jinja_measure (subject, &length) ? attn_jinja_integer ((gint64) length)
                                               : attn_jinja_fail_type (run, subject, "length");
}

ATTN_JINJA_APPLY (get_first)
{
  const AttnJinjaList *items = attn_jinja_walk (run, subject);

  return items->n_items > 0 ? items->items[0] : attn_jinja_undefined ("first");
}

ATTN_JINJA_APPLY (get_last)
{
  const AttnJinjaList *items = attn_jinja_walk (run, subject);

  return items->n_items > 0 ? items->items[items->n_items - 1] : attn_jinja_undefined ("last");
}

static AttnJinjaValue
copy_items (AttnJinjaRun        *run,
            const AttnJinjaList *items,
            AttnJinjaForm        form)
{
  AttnJinjaValue list = attn_jinja_list (run, form);

  for (gsize i = 0; i < items->n_items && run->error == NULL; i++)
    attn_jinja_list_add (run, list.list, items->items[i]);
  return list;
}

ATTN_JINJA_APPLY (to_list)
{
  return copy_items (run, attn_jinja_walk (run, subject), ATTN_JINJA_FORM_LIST);
}

ATTN_JINJA_APPLY (reverse)
{
  const AttnJinjaList *items = attn_jinja_walk (run, subject);
  AttnJinjaValue list = attn_jinja_list (run, ATTN_JINJA_FORM_GENERATOR);
  GString *text;

  for (gsize i = items->n_items; i > 0 && run->error == NULL; i--)
    attn_jinja_list_add (run, list.list, items->items[i - 1]);
  if (!attn_jinja_is (subject, ATTN_JINJA_STRING))
    return list;
  text = g_string_new (NULL);
  for (gsize i = 0; i < list.list->n_items; i++)
    g_string_append (text, list.list->items[i].text);
  return attn_jinja_take_text (run, text);
}

ATTN_JINJA_APPLY (join)
{
  const AttnJinjaList *items = attn_jinja_walk (run, subject);
  AttnJinjaValue absent = { .type = ATTN_JINJA_ABSENT };
  const char *between = attn_jinja_to_text (run, arguments[0]);
  GString *text = g_string_new (NULL);

  for (gsize i = 0; i < items->n_items && attn_jinja_run_spend_bytes (run, strlen (between)); i++)
    {
      g_string_append (text, i > 0 ? between : "");
      attn_jinja_print (run, get_path (run, items->items[i], arguments[1], absent), text);
    }
  return attn_jinja_take_text (run, text);
}

ATTN_JINJA_APPLY (to_items)
{
  if (attn_jinja_is (subject, ATTN_JINJA_UNDEFINED))
    return attn_jinja_list (run, ATTN_JINJA_FORM_GENERATOR);
  return attn_jinja_is (subject, ATTN_JINJA_MAP)
             ? attn_jinja_items (run, subject.map, ATTN_JINJA_FORM_GENERATOR)
             : attn_jinja_fail_type (run, subject, "items");
}

ATTN_JINJA_APPLY (sum)
{
  const AttnJinjaList *items = attn_jinja_walk (run, subject);
  AttnJinjaValue absent = { .type = ATTN_JINJA_ABSENT };
  AttnJinjaValue total =
      arguments[1].type == ATTN_JINJA_ABSENT ? attn_jinja_integer (0) : arguments[1];

  for (gsize i = 0; i < items->n_items && run->error == NULL; i++)
    total = attn_jinja_operate (run, "+", total,
                                get_path (run, items->items[i], arguments[0], absent));
  return total;
}

/* -- Sorting -- */

/* Returns the key by which an item is sorted. Texts are lowercased unless @with_case. */
static AttnJinjaValue
get_sort_key (AttnJinjaRun   *run,
              AttnJinjaValue  item,
              AttnJinjaValue  attribute,
              gboolean        with_case)
{
  AttnJinjaValue absent = { .type = ATTN_JINJA_ABSENT };
  AttnJinjaValue key = get_path (run, item, attribute, absent);

  return attn_jinja_is (key, ATTN_JINJA_STRING) && !with_case ? attn_jinja_lower (run, key.text)
                                                              : key;
}

/* Sorts pairs of key and item by their keys. The sort is stable. */
static void
sort_pairs (AttnJinjaRun  *run,
            AttnJinjaList *pairs,
            gboolean       is_reversed)
{
  for (gsize i = 1; i < pairs->n_items && run->error == NULL; i++)
    {
      AttnJinjaValue moved = pairs->items[i];
      gsize j = i;

      for (; j > 0; j--)
        {
          AttnJinjaValue before = pairs->items[j - 1].list->items[0];
          AttnJinjaValue key = moved.list->items[0];
          gboolean is_equal = attn_jinja_equal (run, before, key);
          int order = is_equal ? 0 : attn_jinja_compare (run, before, key);

          if (run->error != NULL || (is_reversed ? order >= 0 : order <= 0))
            break;
          pairs->items[j] = pairs->items[j - 1];
        }
      pairs->items[j] = moved;
    }
}

static AttnJinjaValue
pair_with_keys (AttnJinjaRun   *run,
                AttnJinjaValue  subject,
                AttnJinjaValue  attribute,
                gboolean        with_case)
{
  const AttnJinjaList *items = attn_jinja_walk (run, subject);
  AttnJinjaValue pairs = attn_jinja_list (run, ATTN_JINJA_FORM_LIST);

  for (gsize i = 0; i < items->n_items && run->error == NULL; i++)
    attn_jinja_list_add (
        run, pairs.list,
        attn_jinja_pair (run, get_sort_key (run, items->items[i], attribute, with_case),
                         items->items[i]));
  return pairs;
}

ATTN_JINJA_APPLY (sort)
{
  AttnJinjaValue pairs =
      pair_with_keys (run, subject, arguments[2], attn_jinja_is_true (arguments[1]));

  if (attn_jinja_is (arguments[2], ATTN_JINJA_STRING) && strchr (arguments[2].text, ',') != NULL)
    return attn_jinja_fail_type (run, arguments[2], "sort");
  sort_pairs (run, pairs.list, attn_jinja_is_true (arguments[0]));
  for (gsize i = 0; i < pairs.list->n_items; i++)
    pairs.list->items[i] = pairs.list->items[i].list->items[1];
  return pairs;
}

ATTN_JINJA_APPLY (sort_map)
{
  gboolean by_value = attn_jinja_is (arguments[1], ATTN_JINJA_STRING) &&
                      g_str_equal (arguments[1].text, "value");
  AttnJinjaValue pairs;

  if (!attn_jinja_is (subject, ATTN_JINJA_MAP))
    return attn_jinja_fail_type (run, subject, "dictsort");
  pairs = pair_with_keys (run, attn_jinja_items (run, subject.map, ATTN_JINJA_FORM_LIST),
                          attn_jinja_integer (by_value), attn_jinja_is_true (arguments[0]));
  sort_pairs (run, pairs.list, attn_jinja_is_true (arguments[2]));
  for (gsize i = 0; i < pairs.list->n_items; i++)
    pairs.list->items[i] = pairs.list->items[i].list->items[1];
  return pairs;
}

static AttnJinjaValue
get_extreme (AttnJinjaRun         *run,
             AttnJinjaValue        subject,
             const AttnJinjaValue *arguments,
             int                   sign)
{
  AttnJinjaValue pairs =
      pair_with_keys (run, subject, arguments[1], attn_jinja_is_true (arguments[0]));
  gsize best = 0;

  for (gsize i = 1; i < pairs.list->n_items && run->error == NULL; i++)
    if (sign * attn_jinja_compare (run, pairs.list->items[i].list->items[0],
                                   pairs.list->items[best].list->items[0]) >
        0)
      best = i;
  return pairs.list->n_items > 0 ? pairs.list->items[best].list->items[1]
                                 : attn_jinja_undefined ("max");
}

ATTN_JINJA_APPLY (get_largest)
{
  return get_extreme (run, subject, arguments, 1);
}

ATTN_JINJA_APPLY (get_smallest)
{
  return get_extreme (run, subject, arguments, -1);
}

ATTN_JINJA_APPLY (get_unique)
{
  AttnJinjaValue pairs =
      pair_with_keys (run, subject, arguments[1], attn_jinja_is_true (arguments[0]));
  AttnJinjaValue seen = attn_jinja_list (run, ATTN_JINJA_FORM_LIST);
  AttnJinjaValue list = attn_jinja_list (run, ATTN_JINJA_FORM_GENERATOR);

  for (gsize i = 0; i < pairs.list->n_items && run->error == NULL; i++)
    {
      const AttnJinjaValue *pair = pairs.list->items[i].list->items;

      if (attn_jinja_contains (run, seen, pair[0]))
        continue;
      attn_jinja_list_add (run, seen.list, pair[0]);
      attn_jinja_list_add (run, list.list, pair[1]);
    }
  return list;
}

/* -- Filters and tests applied to each item of a list -- */

/* Returns the call without its first @n_first arguments. The first arguments name a filter or test,
 * to which the others are passed. */
static AttnJinjaCall
get_rest (AttnJinjaRun        *run,
          const AttnJinjaCall *call,
          gsize                n_first)
{
  AttnJinjaCall rest = { attn_jinja_list (run, ATTN_JINJA_FORM_LIST).list, call->named };

  for (gsize i = n_first; i < call->values->n_items && run->error == NULL; i++)
    attn_jinja_list_add (run, rest.values, call->values->items[i]);
  return rest;
}

/* Returns the items of a value, or NULL if the value is false: then a filter does not check its
 * other arguments, as in Jinja's filters.py (sync_do_map, select_or_reject). */
static const AttnJinjaList *
walk_true (AttnJinjaRun   *run,
           AttnJinjaValue  subject)
{
  return attn_jinja_is_true (subject) ? attn_jinja_walk (run, subject) : NULL;
}

ATTN_JINJA_APPLY (map)
{
  const AttnJinjaList *items = walk_true (run, subject);
  AttnJinjaValue list = attn_jinja_list (run, ATTN_JINJA_FORM_GENERATOR);
  AttnJinjaValue attribute = { .type = ATTN_JINJA_ABSENT }, usual = attribute;
  AttnJinjaCall rest = get_rest (run, call, 1);

  if (items == NULL)
    return list;
  attn_jinja_map_get (run, call->named, attn_jinja_string ("attribute"), &attribute);
  attn_jinja_map_get (run, call->named, attn_jinja_string ("default"), &usual);
  if (call->values->n_items == 0 ? attribute.type == ATTN_JINJA_ABSENT
                                 : !attn_jinja_is (call->values->items[0], ATTN_JINJA_STRING))
    return attn_jinja_fail_type (run, attn_jinja_undefined (NULL), "map");
  for (gsize i = 0; i < items->n_items && run->error == NULL; i++)
    attn_jinja_list_add (run, list.list,
                         call->values->n_items == 0
                             ? get_path (run, items->items[i], attribute, usual)
                             : attn_jinja_filter (run, call->values->items[0].text,
                                                  items->items[i], &rest));
  return list;
}

/* Returns the items for which a test, named in the arguments, is true or false, as @is_wanted says.
 * Without a test the truth of the value decides. @with_attribute: tests the attribute that the
 * first argument names instead of the item */
static AttnJinjaValue
choose (AttnJinjaRun        *run,
        AttnJinjaValue       subject,
        const AttnJinjaCall *call,
        gboolean             with_attribute,
        gboolean             is_wanted)
{
  const AttnJinjaList *items = walk_true (run, subject);
  AttnJinjaValue list = attn_jinja_list (run, ATTN_JINJA_FORM_GENERATOR);
  AttnJinjaValue absent = { .type = ATTN_JINJA_ABSENT };
  gsize n_first = with_attribute ? 1 : 0;
  gboolean has_test = call->values->n_items > n_first;
  AttnJinjaCall rest = get_rest (run, call, n_first + 1);

  if (items == NULL)
    return list;
  if (call->values->n_items < n_first ||
      (has_test && !attn_jinja_is (call->values->items[n_first], ATTN_JINJA_STRING)))
    return attn_jinja_fail_type (run, attn_jinja_undefined (NULL), "select");
  for (gsize i = 0; i < items->n_items && run->error == NULL; i++)
    {
      AttnJinjaValue value = items->items[i];

      if (with_attribute)
        value = get_path (run, value, call->values->items[0], absent);
      if (has_test)
        value = attn_jinja_test (run, call->values->items[n_first].text, value, &rest);
      if (attn_jinja_is_true (value) == is_wanted)
        attn_jinja_list_add (run, list.list, items->items[i]);
    }
  return list;
}

ATTN_JINJA_APPLY (select_items)
{
  return choose (run, subject, call, FALSE, TRUE);
}

ATTN_JINJA_APPLY (reject_items)
{
  return choose (run, subject, call, FALSE, FALSE);
}

ATTN_JINJA_APPLY (select_by_attribute)
{
  return choose (run, subject, call, TRUE, TRUE);
}

ATTN_JINJA_APPLY (reject_by_attribute)
{
  return choose (run, subject, call, TRUE, FALSE);
}

ATTN_JINJA_APPLY (get_attribute)
{
  return attn_jinja_get_attribute (run, subject, attn_jinja_to_text (run, arguments[0]));
}

/* Refuses filters that write HTML. The filter "safe" is refused, too, unless it is the last one of
 * an output, where it has no effect and run_output() of attn-jinja.c leaves it out. */
ATTN_JINJA_APPLY (refuse_markup)
{
  return attn_jinja_fail (run, ATTN_ERROR_UNSUPPORTED,
                          _("a filter for HTML found on %s, which chat templates do not write"),
                          attn_jinja_get_type_name (subject));
}

static const AttnJinjaRow filters[] = {
  { "abs", absolute, 0, { NULL } },
  { "attr", get_attribute, 1, { "name" } },
  { "capitalize", capitalize, 0, { NULL } },
  { "count", measure, 0, { NULL } },
  { "d", set_default, 0, { "default_value", "boolean" } },
  { "default", set_default, 0, { "default_value", "boolean" } },
  { "dictsort", sort_map, 0, { "case_sensitive", "by", "reverse" } },
  { "e", refuse_markup, 0, { "*" } },
  { "escape", refuse_markup, 0, { "*" } },
  { "first", get_first, 0, { NULL } },
  { "float", to_float, 0, { "default" } },
  { "forceescape", refuse_markup, 0, { "*" } },
  { "format", format, 0, { "*" } },
  { "indent", indent, 0, { "width", "first", "blank" } },
  { "int", to_integer, 0, { "default", "base" } },
  { "items", to_items, 0, { NULL } },
  { "join", join, 0, { "d", "attribute" } },
  { "last", get_last, 0, { NULL } },
  { "length", measure, 0, { NULL } },
  { "list", to_list, 0, { NULL } },
  { "lower", lower, 0, { NULL } },
  { "map", map, 0, { "*" } },
  { "max", get_largest, 0, { "case_sensitive", "attribute" } },
  { "min", get_smallest, 0, { "case_sensitive", "attribute" } },
  { "reject", reject_items, 0, { "*" } },
  { "rejectattr", reject_by_attribute, 0, { "*" } },
  { "replace", replace, 2, { "old", "new", "count" } },
  { "reverse", reverse, 0, { NULL } },
  { "round", to_round, 0, { "precision", "method" } },
  { "safe", refuse_markup, 0, { "*" } },
  { "select", select_items, 0, { "*" } },
  { "selectattr", select_by_attribute, 0, { "*" } },
  { "sort", sort, 0, { "reverse", "case_sensitive", "attribute" } },
  { "string", to_string, 0, { NULL } },
  { "sum", sum, 0, { "attribute", "start" } },
  { "title", title, 0, { NULL } },
  { "tojson", attn_jinja_to_json, 0, { "ensure_ascii", "indent", "separators", "sort_keys" } },
  { "trim", trim, 0, { "chars" } },
  { "unique", get_unique, 0, { "case_sensitive", "attribute" } },
  { "upper", upper, 0, { NULL } },
  { "wordcount", count_words, 0, { NULL } },
};

/**
 * attn_jinja_filter:
 * @subject: the value that the filter is applied to
 *
 * Ends the run with an error if there is no filter of that name.
 */
AttnJinjaValue
attn_jinja_filter (AttnJinjaRun        *run,
                   const char          *name,
                   AttnJinjaValue       subject,
                   const AttnJinjaCall *call)
{
  const AttnJinjaRow *row = attn_jinja_find_row (filters, G_N_ELEMENTS (filters), name);

  if (row == NULL)
    return attn_jinja_fail (run, ATTN_ERROR_UNSUPPORTED,
                            _("the filter “%s” found, which is not known here"), name);
  return attn_jinja_apply (run, row, subject, call);
}
