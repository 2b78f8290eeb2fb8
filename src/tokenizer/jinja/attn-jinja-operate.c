/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Operators and slices of templates, with the results of Python. */

#include "config.h"

#include "attn-jinja-value.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

/* -- Slices -- */

/* Converts one bound of a slice to an index. A negative bound is counted from the end. @usual: the
 * index if the bound is missing; @n: number of items */
static gint64
place (AttnJinjaRun   *run,
       AttnJinjaValue  value,
       gint64          usual,
       gint64          lowest,
       gint64          highest,
       gint64          n)
{
  gint64 at;

  if (attn_jinja_is (value, ATTN_JINJA_ABSENT) || attn_jinja_is (value, ATTN_JINJA_NONE))
    return usual;
  if (!attn_jinja_get_integer (value, &at))
    {
      attn_jinja_fail_type (run, value, "[:]");
      return usual;
    }
  return CLAMP (at < 0 ? MAX (at, -n - 1) + n : at, lowest, highest);
}

/**
 * attn_jinja_slice:
 * @first, @end, @step: those of "value[first:end:step]", integers or absent
 *
 * Takes a part of a list or a text, as Python does.
 */
AttnJinjaValue
attn_jinja_slice (AttnJinjaRun   *run,
                  AttnJinjaValue  value,
                  AttnJinjaValue  first,
                  AttnJinjaValue  end,
                  AttnJinjaValue  step)
{
  gboolean is_text = attn_jinja_is (value, ATTN_JINJA_STRING);
  gint64 by = 1;

  if (!is_text && (!attn_jinja_is (value, ATTN_JINJA_LIST) ||
                   value.list->form >= ATTN_JINJA_FORM_VIEW))
    return attn_jinja_is (value, ATTN_JINJA_UNDEFINED) && value.name == NULL
               ? value
               : attn_jinja_fail_type (run, value, "[:]");
  if (step.type > ATTN_JINJA_NONE && (!attn_jinja_get_integer (step, &by) || by == 0))
    return attn_jinja_fail_type (run, step, "[::]");

  const AttnJinjaList *list = attn_jinja_walk (run, value);
  AttnJinjaValue part = attn_jinja_list (run, is_text ? ATTN_JINJA_FORM_LIST : list->form);
  gint64 n = (gint64) list->n_items;
  gint64 at = by > 0 ? place (run, first, 0, 0, n, n) : place (run, first, n - 1, -1, n - 1, n);
  gint64 stop = by > 0 ? place (run, end, n, 0, n, n) : place (run, end, -1, -1, n - 1, n);
  by = CLAMP (by, -n - 1, n + 1);
  for (; (by > 0 ? at < stop : at > stop) && run->error == NULL; at += by)
    attn_jinja_list_add (run, part.list, list->items[at]);
  if (!is_text)
    return part;
  GString *text = g_string_new (NULL);
  for (gsize i = 0; i < part.list->n_items; i++)
    g_string_append (text, part.list->items[i].text);
  return attn_jinja_take_text (run, text);
}

/* -- Operators -- */

static AttnJinjaValue
fail_overflow (AttnJinjaRun *run)
{
  return attn_jinja_fail (run, ATTN_ERROR_LIMIT, _("a number beyond 64 bits found"));
}

static AttnJinjaValue
fail_zero (AttnJinjaRun *run)
{
  return attn_jinja_fail (run, ATTN_ERROR_UNSUPPORTED, _("a division by zero found"));
}

static gboolean
raise_integer (gint64  base,
               gint64  exponent,
               gint64 *power)
{
  *power = 1;
  if (base >= -1 && base <= 1)
    *power = exponent == 0 || (base == -1 && exponent % 2 == 0) ? 1 : base;
  else
    while (exponent-- > 0)
      if (__builtin_mul_overflow (*power, base, power))
        return FALSE;
  return TRUE;
}

static AttnJinjaValue
operate_integers (AttnJinjaRun *run,
                  const char   *operation,
                  gint64        a,
                  gint64        b)
{
  gboolean is_floor = g_str_equal (operation, "//");
  gint64 result = 0;
  gboolean fits = TRUE;

  if (*operation == '+')
    fits = !__builtin_add_overflow (a, b, &result);
  else if (*operation == '-')
    fits = !__builtin_sub_overflow (a, b, &result);
  else if (*operation == '*' && operation[1] == '\0')
    fits = !__builtin_mul_overflow (a, b, &result);
  else if (*operation == '*')
    {
      if (b < 0)
        return a == 0 ? fail_zero (run) : attn_jinja_float (pow ((double) a, (double) b));
      fits = raise_integer (a, b, &result);
    }
  else if (b == 0)
    return fail_zero (run);
  else if (*operation == '/' && !is_floor)
    return attn_jinja_float ((double) a / (double) b);
  else if (b == -1)
    {
      if (is_floor)
        fits = !__builtin_sub_overflow (0, a, &result);
    }
  else
    {
      gint64 rest = a % b;
      gboolean is_below = rest != 0 && (rest < 0) != (b < 0);

      result = is_floor ? a / b - is_below : rest + (is_below ? b : 0);
    }
  return fits ? attn_jinja_integer (result) : fail_overflow (run);
}

static AttnJinjaValue
operate_numbers (AttnJinjaRun *run,
                 const char   *operation,
                 double        a,
                 double        b)
{
  if (*operation == '+')
    return attn_jinja_float (a + b);
  if (*operation == '-')
    return attn_jinja_float (a - b);
  if (*operation == '*')
    return attn_jinja_float (operation[1] == '*' ? pow (a, b) : a * b);
  if (b == 0)
    return fail_zero (run);
  if (*operation == '%')
    {
      double rest = fmod (a, b);

      return attn_jinja_float (rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest);
    }
  return attn_jinja_float (operation[1] == '/' ? floor (a / b) : a / b);
}

/* Repeats a text or a list @n times, as the operator "*" does. */
static AttnJinjaValue
repeat (AttnJinjaRun   *run,
        AttnJinjaValue  value,
        gint64          n)
{
  if (attn_jinja_is (value, ATTN_JINJA_STRING))
    {
      gsize length = strlen (value.text);
      GString *text = g_string_new (NULL);

      for (gint64 i = 0; i < n && attn_jinja_run_spend_bytes (run, length); i++)
        g_string_append_len (text, value.text, (gssize) length);
      return attn_jinja_take_text (run, text);
    }
  AttnJinjaValue list = attn_jinja_list (run, value.list->form);
  for (gint64 i = 0; i < n && attn_jinja_run_spend (run, 1); i++)
    for (gsize j = 0; j < value.list->n_items && run->error == NULL; j++)
      attn_jinja_list_add (run, list.list, value.list->items[j]);
  return list;
}

static gboolean
is_plain_list (AttnJinjaValue value)
{
  return attn_jinja_is (value, ATTN_JINJA_LIST) && value.list->form <= ATTN_JINJA_FORM_TUPLE;
}

static AttnJinjaValue
join_lists (AttnJinjaRun        *run,
            const AttnJinjaList *a,
            const AttnJinjaList *b)
{
  AttnJinjaValue list = attn_jinja_list (run, a->form);

  for (gsize i = 0; i < a->n_items + b->n_items && run->error == NULL; i++)
    attn_jinja_list_add (run, list.list,
                         i < a->n_items ? a->items[i] : b->items[i - a->n_items]);
  return list;
}

static AttnJinjaValue
join_texts (AttnJinjaRun *run,
            const char   *a,
            const char   *b)
{
  gsize lengths[] = { strlen (a), strlen (b) };
  char *text = attn_jinja_run_alloc (run, lengths[0] + lengths[1] + 1);

  attn_jinja_run_spend_bytes (run, (lengths[0] + lengths[1]));
  memcpy (text, a, lengths[0]);
  memcpy (text + lengths[0], b, lengths[1]);
  return attn_jinja_string (text);
}

/**
 * attn_jinja_operate:
 * @operation: "+", "-", "*", "/", "//", "%", "**", or "~", which joins the texts of any two values
 *
 * Evaluates "a operation b". If @a is a text, "%" inserts values in place of its %s, %d and the
 * like.
 */
AttnJinjaValue
attn_jinja_operate (AttnJinjaRun   *run,
                    const char     *operation,
                    AttnJinjaValue  a,
                    AttnJinjaValue  b)
{
  gboolean is_text = attn_jinja_is (a, ATTN_JINJA_STRING);
  gint64 integers[2];
  double numbers[2];

  if (!attn_jinja_run_spend (run, 1))
    return attn_jinja_undefined (NULL);
  if (*operation == '~')
    return join_texts (run, attn_jinja_to_text (run, a), attn_jinja_to_text (run, b));
  if (attn_jinja_get_integer (a, &integers[0]) && attn_jinja_get_integer (b, &integers[1]))
    return operate_integers (run, operation, integers[0], integers[1]);
  if (attn_jinja_get_number (a, &numbers[0]) && attn_jinja_get_number (b, &numbers[1]))
    return operate_numbers (run, operation, numbers[0], numbers[1]);
  if (*operation == '+' && is_text && attn_jinja_is (b, ATTN_JINJA_STRING))
    return join_texts (run, a.text, b.text);
  if (*operation == '+' && is_plain_list (a) && is_plain_list (b) && a.list->form == b.list->form)
    return join_lists (run, a.list, b.list);
  if (g_str_equal (operation, "*") && (is_text || is_plain_list (a)) &&
      attn_jinja_get_integer (b, integers))
    return repeat (run, a, integers[0]);
  if (g_str_equal (operation, "*") && (attn_jinja_is (b, ATTN_JINJA_STRING) || is_plain_list (b)) &&
      attn_jinja_get_integer (a, integers))
    return repeat (run, b, integers[0]);
  if (*operation == '%' && is_text)
    return attn_jinja_fill (run, a.text, b);
  return attn_jinja_fail_type (run, is_text || attn_jinja_get_number (a, numbers) ? b : a,
                               operation);
}
