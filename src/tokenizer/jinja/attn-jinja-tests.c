/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Tests, as in "x is defined", with the semantics of tests.py of Jinja 3.1. */

#include "config.h"

#include "attn-jinja-library.h"

#include <glib/gi18n-lib.h>

ATTN_JINJA_APPLY (is_defined)
{
  return attn_jinja_boolean (!attn_jinja_is (subject, ATTN_JINJA_UNDEFINED));
}

ATTN_JINJA_APPLY (is_undefined)
{
  return attn_jinja_boolean (attn_jinja_is (subject, ATTN_JINJA_UNDEFINED));
}

ATTN_JINJA_APPLY (is_none)
{
  return attn_jinja_boolean (attn_jinja_is (subject, ATTN_JINJA_NONE));
}

ATTN_JINJA_APPLY (is_boolean)
{
  return attn_jinja_boolean (attn_jinja_is (subject, ATTN_JINJA_BOOLEAN));
}

ATTN_JINJA_APPLY (is_exactly_true)
{
  return attn_jinja_boolean (attn_jinja_is (subject, ATTN_JINJA_BOOLEAN) && subject.truth);
}

ATTN_JINJA_APPLY (is_exactly_false)
{
  return attn_jinja_boolean (attn_jinja_is (subject, ATTN_JINJA_BOOLEAN) && !subject.truth);
}

ATTN_JINJA_APPLY (is_integer)
{
  return attn_jinja_boolean (attn_jinja_is (subject, ATTN_JINJA_INTEGER));
}

ATTN_JINJA_APPLY (is_float)
{
  return attn_jinja_boolean (attn_jinja_is (subject, ATTN_JINJA_FLOAT));
}

ATTN_JINJA_APPLY (is_number)
{
  double number;

  return attn_jinja_boolean (attn_jinja_get_number (subject, &number));
}

ATTN_JINJA_APPLY (is_string)
{
  return attn_jinja_boolean (attn_jinja_is (subject, ATTN_JINJA_STRING));
}

ATTN_JINJA_APPLY (is_mapping)
{
  return attn_jinja_boolean (attn_jinja_is (subject, ATTN_JINJA_MAP));
}

/* An undefined value counts as callable, as in Jinja; the call itself then fails. */
ATTN_JINJA_APPLY (is_callable)
{
  return attn_jinja_boolean (attn_jinja_is (subject, ATTN_JINJA_FUNCTION) ||
                             attn_jinja_is (subject, ATTN_JINJA_LOOP) ||
                             attn_jinja_is (subject, ATTN_JINJA_UNDEFINED));
}

/* A value is a sequence if it has a length and its items can be looked up by index or key. */
ATTN_JINJA_APPLY (is_sequence)
{
  gsize length;

  return attn_jinja_boolean (
      attn_jinja_measure (subject, &length) &&
      !(attn_jinja_is (subject, ATTN_JINJA_LIST) && subject.list->form >= ATTN_JINJA_FORM_VIEW));
}

ATTN_JINJA_APPLY (is_iterable)
{
  gsize length;

  return attn_jinja_boolean (attn_jinja_measure (subject, &length) ||
                             attn_jinja_is (subject, ATTN_JINJA_LIST) ||
                             attn_jinja_is (subject, ATTN_JINJA_LOOP));
}

ATTN_JINJA_APPLY (is_lower)
{
  const char *text = attn_jinja_to_text (run, subject);
  AttnJinjaValue method = attn_jinja_get_attribute (run, attn_jinja_string (text), "islower");

  return attn_jinja_apply (run, method.function->row, attn_jinja_string (text), call);
}

ATTN_JINJA_APPLY (is_upper)
{
  const char *text = attn_jinja_to_text (run, subject);
  AttnJinjaValue method = attn_jinja_get_attribute (run, attn_jinja_string (text), "isupper");

  return attn_jinja_apply (run, method.function->row, attn_jinja_string (text), call);
}

ATTN_JINJA_APPLY (is_equal)
{
  return attn_jinja_boolean (attn_jinja_equal (run, subject, arguments[0]));
}

ATTN_JINJA_APPLY (is_unequal)
{
  return attn_jinja_boolean (!attn_jinja_equal (run, subject, arguments[0]));
}

ATTN_JINJA_APPLY (is_below)
{
  return attn_jinja_boolean (attn_jinja_compare (run, subject, arguments[0]) < 0);
}

ATTN_JINJA_APPLY (is_at_most)
{
  return attn_jinja_boolean (attn_jinja_compare (run, subject, arguments[0]) <= 0);
}

ATTN_JINJA_APPLY (is_above)
{
  return attn_jinja_boolean (attn_jinja_compare (run, subject, arguments[0]) > 0);
}

ATTN_JINJA_APPLY (is_at_least)
{
  return attn_jinja_boolean (attn_jinja_compare (run, subject, arguments[0]) >= 0);
}

ATTN_JINJA_APPLY (is_in)
{
  return attn_jinja_boolean (attn_jinja_contains (run, arguments[0], subject));
}

ATTN_JINJA_APPLY (is_same)
{
  return attn_jinja_boolean (subject.type == arguments[0].type &&
                             attn_jinja_equal (run, subject, arguments[0]));
}

static gboolean
is_divisible (AttnJinjaRun   *run,
              AttnJinjaValue  value,
              AttnJinjaValue  by)
{
  AttnJinjaValue rest = attn_jinja_operate (run, "%", value, by);

  return attn_jinja_equal (run, rest, attn_jinja_integer (0));
}

ATTN_JINJA_APPLY (is_divisible_by)
{
  return attn_jinja_boolean (is_divisible (run, subject, arguments[0]));
}

ATTN_JINJA_APPLY (is_even)
{
  return attn_jinja_boolean (is_divisible (run, subject, attn_jinja_integer (2)));
}

ATTN_JINJA_APPLY (is_odd)
{
  AttnJinjaValue rest = attn_jinja_operate (run, "%", subject, attn_jinja_integer (2));

  return attn_jinja_boolean (attn_jinja_equal (run, rest, attn_jinja_integer (1)));
}

static const AttnJinjaRow tests[] = {
  { "defined", is_defined, 0, { NULL } },
  { "undefined", is_undefined, 0, { NULL } },
  { "none", is_none, 0, { NULL } },
  { "boolean", is_boolean, 0, { NULL } },
  { "true", is_exactly_true, 0, { NULL } },
  { "false", is_exactly_false, 0, { NULL } },
  { "integer", is_integer, 0, { NULL } },
  { "float", is_float, 0, { NULL } },
  { "number", is_number, 0, { NULL } },
  { "string", is_string, 0, { NULL } },
  { "mapping", is_mapping, 0, { NULL } },
  { "sequence", is_sequence, 0, { NULL } },
  { "iterable", is_iterable, 0, { NULL } },
  { "callable", is_callable, 0, { NULL } },
  { "lower", is_lower, 0, { NULL } },
  { "upper", is_upper, 0, { NULL } },
  { "even", is_even, 0, { NULL } },
  { "odd", is_odd, 0, { NULL } },
  { "divisibleby", is_divisible_by, 1, { "num" } },
  { "sameas", is_same, 1, { "other" } },
  { "in", is_in, 1, { "seq" } },
  { "==", is_equal, 1, { "b" } },
  { "eq", is_equal, 1, { "b" } },
  { "equalto", is_equal, 1, { "b" } },
  { "!=", is_unequal, 1, { "b" } },
  { "ne", is_unequal, 1, { "b" } },
  { ">", is_above, 1, { "b" } },
  { "gt", is_above, 1, { "b" } },
  { "greaterthan", is_above, 1, { "b" } },
  { ">=", is_at_least, 1, { "b" } },
  { "ge", is_at_least, 1, { "b" } },
  { "<", is_below, 1, { "b" } },
  { "lt", is_below, 1, { "b" } },
  { "lessthan", is_below, 1, { "b" } },
  { "<=", is_at_most, 1, { "b" } },
  { "le", is_at_most, 1, { "b" } },
};

/**
 * attn_jinja_test:
 * @subject: the value that is tested
 *
 * Ends the run with an error if there is no test of that name.
 */
AttnJinjaValue
attn_jinja_test (AttnJinjaRun        *run,
                 const char          *name,
                 AttnJinjaValue       subject,
                 const AttnJinjaCall *call)
{
  const AttnJinjaRow *row = attn_jinja_find_row (tests, G_N_ELEMENTS (tests), name);

  if (row == NULL)
    return attn_jinja_fail (run, ATTN_ERROR_UNSUPPORTED,
                            _("the test “%s” found, which is not known here"), name);
  return attn_jinja_apply (run, row, subject, call);
}
