/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Looks up filters, tests, functions and methods in their tables and calls them. */

#include "config.h"

#include "attn-jinja-library.h"

#include <glib/gi18n-lib.h>

/* Returns the row with the name @name of a table, or NULL */
const AttnJinjaRow *
attn_jinja_find_row (const AttnJinjaRow *rows,
                     gsize               n_rows,
                     const char         *name)
{
  for (gsize i = 0; i < n_rows; i++)
    if (g_str_equal (rows[i].name, name))
      return &rows[i];
  return NULL;
}

/**
 * attn_jinja_apply:
 * @subject: the value that a filter, a test or a method is applied to
 *
 * Gives each parameter of @row its argument of @call, and calls the implementation. Ends the run
 * with an error where an argument has no parameter, or a parameter that is needed has no argument.
 */
AttnJinjaValue
attn_jinja_apply (AttnJinjaRun        *run,
                  const AttnJinjaRow  *row,
                  AttnJinjaValue       subject,
                  const AttnJinjaCall *call)
{
  AttnJinjaValue arguments[ATTN_JINJA_MAX_PARAMETERS] = { { .type = ATTN_JINJA_ABSENT } };
  gsize n_used = 0;
  gboolean takes_any = g_strcmp0 (row->parameters[0], "*") == 0;

  if (!attn_jinja_run_spend (run, 1))
    return attn_jinja_undefined (NULL);
  for (gsize i = 0; !takes_any && i < ATTN_JINJA_MAX_PARAMETERS && row->parameters[i] != NULL; i++)
    {
      if (i < call->values->n_items)
        arguments[i] = call->values->items[i];
      else if (!attn_jinja_map_get (run, call->named, attn_jinja_string (row->parameters[i]),
                                    &arguments[i]) &&
               i < row->n_required)
        return attn_jinja_fail (run, ATTN_ERROR_UNSUPPORTED,
                                _("%s without its argument “%s” found"), row->name,
                                row->parameters[i]);
      n_used += arguments[i].type != ATTN_JINJA_ABSENT;
    }
  if (!takes_any && n_used < call->values->n_items + call->named->n_items)
    return attn_jinja_fail (run, ATTN_ERROR_UNSUPPORTED,
                            _("%s with arguments that are not known here found"), row->name);
  return run->error == NULL ? row->apply (run, subject, arguments, call)
                            : attn_jinja_undefined (NULL);
}

/* Tells whether an argument is missing or is None, which means the same. */
gboolean
attn_jinja_is_absent (AttnJinjaValue argument)
{
  return argument.type == ATTN_JINJA_ABSENT || argument.type == ATTN_JINJA_NONE;
}

/* Returns the integer given by an argument. @usual: value for a missing argument; @what: names the
 * caller in the error about an argument that is no integer */
gint64
attn_jinja_want_integer (AttnJinjaRun   *run,
                         AttnJinjaValue  argument,
                         gint64          usual,
                         const char     *what)
{
  gint64 integer = usual;

  if (!attn_jinja_is_absent (argument) && !attn_jinja_get_integer (argument, &integer))
    attn_jinja_fail_type (run, argument, what);
  return integer;
}
