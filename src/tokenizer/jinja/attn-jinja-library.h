/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Tables of the filters, tests, functions, methods and attributes that a template can use. Using a
 * name that is in none of them is an error. */

#pragma once

#include "attn-jinja-syntax.h"

G_BEGIN_DECLS

#define ATTN_JINJA_MAX_PARAMETERS 6

typedef struct _AttnJinjaScope AttnJinjaScope;

/**
 * AttnJinjaCall:
 * @values: the arguments without a name
 * @named: the arguments with a name, by name
 *
 * The arguments of a call of a filter, test, function, method or macro.
 */
typedef struct
{
  AttnJinjaList *values;
  AttnJinjaMap *named;
} AttnJinjaCall;

/**
 * AttnJinjaRow:
 * @apply: the implementation. @arguments: one for each of @parameters, absent where the call has
 *   none; @call: the arguments as the template gives them
 * @n_required: how many of @parameters, from the first on, must have an argument
 * @parameters: names of the parameters; "*" alone for any arguments
 *
 * A row in the table of filters, tests, functions or methods.
 */
typedef struct
{
  const char *name;
  AttnJinjaValue (*apply) (AttnJinjaRun         *run,
                           AttnJinjaValue        subject,
                           const AttnJinjaValue *arguments,
                           const AttnJinjaCall  *call);
  guint n_required;
  const char *parameters[ATTN_JINJA_MAX_PARAMETERS];
} AttnJinjaRow;

/* Declares the implementation of a filter, test, function or method, to be listed in a table. */
#define ATTN_JINJA_APPLY(function)                                               \
  static AttnJinjaValue function (AttnJinjaRun *run G_GNUC_UNUSED,               \
                                  AttnJinjaValue subject G_GNUC_UNUSED,          \
                                  const AttnJinjaValue *arguments G_GNUC_UNUSED, \
                                  const AttnJinjaCall *call G_GNUC_UNUSED)

/**
 * AttnJinjaFunction:
 * @row: (nullable): the row of a method, which is called on @subject, or of a function of the
 *   language
 * @macro: (nullable): without @row, a macro, which sees the names of @scope
 *
 * Anything that a template can call, except a loop.
 */
struct _AttnJinjaFunction
{
  const AttnJinjaRow *row;
  AttnJinjaValue subject;
  const AttnJinjaNode *macro;
  AttnJinjaScope *scope;
};

/**
 * AttnJinjaLoop:
 * @changed: the arguments of the last call of loop.changed(), absent before the first
 * @node: the statement {% for %}, and @scope: the scope around it, for a loop that calls itself
 *
 * A {% for %} that is being run: the variable "loop" of the template.
 */
struct _AttnJinjaLoop
{
  const AttnJinjaList *items;
  gsize index;
  gsize depth;
  AttnJinjaValue changed;
  const AttnJinjaNode *node;
  AttnJinjaScope *scope;
};

const AttnJinjaRow *attn_jinja_find_function (const char *name);
const AttnJinjaRow *attn_jinja_find_row      (const AttnJinjaRow *rows,
                                              gsize               n_rows,
                                              const char         *name);

gboolean       attn_jinja_is_absent    (AttnJinjaValue  argument);
gint64         attn_jinja_want_integer (AttnJinjaRun   *run,
                                        AttnJinjaValue  argument,
                                        gint64          usual,
                                        const char     *what);
AttnJinjaValue attn_jinja_apply (AttnJinjaRun        *run,
                                 const AttnJinjaRow  *row,
                                 AttnJinjaValue       subject,
                                 const AttnJinjaCall *call);
AttnJinjaValue attn_jinja_filter (AttnJinjaRun        *run,
                                  const char          *name,
                                  AttnJinjaValue       subject,
                                  const AttnJinjaCall *call);
AttnJinjaValue attn_jinja_test   (AttnJinjaRun        *run,
                                  const char          *name,
                                  AttnJinjaValue       subject,
                                  const AttnJinjaCall *call);
AttnJinjaValue attn_jinja_get_attribute (AttnJinjaRun   *run,
                                         AttnJinjaValue  value,
                                         const char     *name);
AttnJinjaValue attn_jinja_get_item      (AttnJinjaRun   *run,
                                         AttnJinjaValue  value,
                                         AttnJinjaValue  key);

/* Functions of attn-jinja-strings.c, and attn_jinja_items() of attn-jinja-methods.c, which filters
 * also use. */
const AttnJinjaRow *attn_jinja_find_string_method (const char *name);
AttnJinjaValue attn_jinja_strip      (AttnJinjaRun   *run,
                                      const char     *text,
                                      AttnJinjaValue  characters,
                                      gboolean        at_start,
                                      gboolean        at_end);
AttnJinjaValue attn_jinja_replace    (AttnJinjaRun   *run,
                                      const char     *text,
                                      const char     *old,
                                      const char     *new_text,
                                      gint64          n_times);
AttnJinjaValue attn_jinja_lower      (AttnJinjaRun   *run,
                                      const char     *text);
AttnJinjaValue attn_jinja_upper      (AttnJinjaRun   *run,
                                      const char     *text);
AttnJinjaValue attn_jinja_capitalize (AttnJinjaRun   *run,
                                      const char     *text);
AttnJinjaValue attn_jinja_split_lines (AttnJinjaRun  *run,
                                       const char    *text,
                                       gboolean       with_ends);
AttnJinjaValue attn_jinja_items      (AttnJinjaRun       *run,
                                      const AttnJinjaMap *map,
                                      AttnJinjaForm       form);

/* Function of attn-jinja-json.c: the filter "tojson". */
AttnJinjaValue attn_jinja_to_json (AttnJinjaRun         *run,
                                   AttnJinjaValue        subject,
                                   const AttnJinjaValue *arguments,
                                   const AttnJinjaCall  *call);

G_END_DECLS
