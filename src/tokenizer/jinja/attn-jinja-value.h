/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Values of the template language, and the run of a template, which owns them. All memory belongs
 * to the run, whose memory, number of steps and depth of recursion are limited. Operations have the
 * semantics of Python. */

#pragma once

#include <glib.h>

#include "attn-error.h"
#include "attn-jinja.h"

G_BEGIN_DECLS

/**
 * AttnJinjaType:
 * @ATTN_JINJA_ABSENT: no value: an argument that a call does not have
 * @ATTN_JINJA_UNDEFINED: a name or an item that is missing; written as an empty text
 * @ATTN_JINJA_LOOP: the variable "loop" of a loop
 * @ATTN_JINJA_FUNCTION: a macro, a method of a value, a function of the language
 *
 * Types of the values of a template. Those not described are None, bool, int, float, str, list and
 * dict of Python, and the namespace of Jinja.
 */
typedef enum
{
  ATTN_JINJA_ABSENT,
  ATTN_JINJA_UNDEFINED,
  ATTN_JINJA_NONE,
  ATTN_JINJA_BOOLEAN,
  ATTN_JINJA_INTEGER,
  ATTN_JINJA_FLOAT,
  ATTN_JINJA_STRING,
  ATTN_JINJA_LIST,
  ATTN_JINJA_MAP,
  ATTN_JINJA_NAMESPACE,
  ATTN_JINJA_LOOP,
  ATTN_JINJA_FUNCTION,
} AttnJinjaType;

/**
 * AttnJinjaForm:
 * @ATTN_JINJA_FORM_VIEW: keys, values or items of a map: it has a length, but no item can be
 *   indexed
 * @ATTN_JINJA_FORM_GENERATOR: a result of map, select and the like: it can be walked through once
 *
 * Kinds of sequences, which differ in what may be done with them.
 */
typedef enum
{
  ATTN_JINJA_FORM_LIST,
  ATTN_JINJA_FORM_TUPLE,
  ATTN_JINJA_FORM_RANGE,
  ATTN_JINJA_FORM_VIEW,
  ATTN_JINJA_FORM_GENERATOR,
} AttnJinjaForm;

typedef struct _AttnJinjaRun AttnJinjaRun;
typedef struct _AttnJinjaValue AttnJinjaValue;
typedef struct _AttnJinjaList AttnJinjaList;
typedef struct _AttnJinjaMap AttnJinjaMap;
typedef struct _AttnJinjaLoop AttnJinjaLoop;
typedef struct _AttnJinjaFunction AttnJinjaFunction;

/**
 * AttnJinjaValue:
 * @name: (nullable): of an undefined value, the name that is not defined
 * @text: UTF-8, NUL-terminated
 */
struct _AttnJinjaValue
{
  AttnJinjaType type;
  union
  {
    const char *name;
    gboolean truth;
    gint64 integer;
    double number;
    const char *text;
    AttnJinjaList *list;
    AttnJinjaMap *map;
    AttnJinjaLoop *loop;
    const AttnJinjaFunction *function;
  };
};

struct _AttnJinjaList
{
  AttnJinjaForm form;
  AttnJinjaValue *items;
  gsize n_items;
  gsize n_allocated;
};

/* Map: items in the order of insertion. The search for a key is linear, since maps in templates are
 * small. */
struct _AttnJinjaMap
{
  AttnJinjaValue *keys;
  AttnJinjaValue *values;
  gsize n_items;
  gsize n_allocated;
};

/**
 * AttnJinjaRun:
 * @where: names the template's file in error messages
 * @line: line of the template at which the run is
 * @error: (nullable): the first error that occurred; values computed after it have no meaning
 * @now: the time that the template may ask for
 *
 * One run of a template, from its parsing to the end of its output.
 */
struct _AttnJinjaRun
{
  const char *where;
  guint line;
  GError *error;
  GDateTime *now;
  GPtrArray *blocks;
  gsize n_bytes;
  gsize n_steps;
  guint depth;
};

void     attn_jinja_run_init  (AttnJinjaRun *run,
                               const char   *where,
                               GDateTime    *now);
void     attn_jinja_run_clear (AttnJinjaRun *run);
gboolean attn_jinja_run_spend (AttnJinjaRun *run,
                               gsize         n_steps);
gboolean attn_jinja_run_spend_bytes (AttnJinjaRun *run,
                                     gsize         n_bytes);
gboolean attn_jinja_run_enter (AttnJinjaRun *run);
void     attn_jinja_run_leave (AttnJinjaRun *run);
gpointer attn_jinja_run_alloc (AttnJinjaRun *run,
                               gsize         n_bytes);
char    *attn_jinja_run_dup   (AttnJinjaRun *run,
                               const char   *text,
                               gsize         n_bytes);

AttnJinjaValue attn_jinja_fail (AttnJinjaRun *run,
                                AttnError     code,
                                const char   *format,
                                ...) G_GNUC_PRINTF (3, 4);
AttnJinjaValue attn_jinja_fail_type (AttnJinjaRun   *run,
                                     AttnJinjaValue  value,
                                     const char     *what);
const char    *attn_jinja_get_type_name (AttnJinjaValue value);

static inline AttnJinjaValue
attn_jinja_undefined (const char *name)
{
  return (AttnJinjaValue) { .type = ATTN_JINJA_UNDEFINED, .name = name };
}

static inline AttnJinjaValue
attn_jinja_none (void)
{
  return (AttnJinjaValue) { .type = ATTN_JINJA_NONE };
}

static inline AttnJinjaValue
attn_jinja_boolean (gboolean truth)
{
  return (AttnJinjaValue) { .type = ATTN_JINJA_BOOLEAN, .truth = truth != FALSE };
}

static inline AttnJinjaValue
attn_jinja_integer (gint64 integer)
{
  return (AttnJinjaValue) { .type = ATTN_JINJA_INTEGER, .integer = integer };
}

static inline AttnJinjaValue
attn_jinja_float (double number)
{
  return (AttnJinjaValue) { .type = ATTN_JINJA_FLOAT, .number = number };
}

/* Makes a value of a text without copying it. @text: must be valid for the lifetime of the run */
static inline AttnJinjaValue
attn_jinja_string (const char *text)
{
  return (AttnJinjaValue) { .type = ATTN_JINJA_STRING, .text = text };
}

static inline gboolean
attn_jinja_is (AttnJinjaValue value,
               AttnJinjaType  type)
{
  return value.type == type;
}

AttnJinjaValue attn_jinja_copy_text (AttnJinjaRun  *run,
                                     const char    *text,
                                     gsize          n_bytes);
AttnJinjaValue attn_jinja_take_text (AttnJinjaRun  *run,
                                     GString       *text);
AttnJinjaValue attn_jinja_list      (AttnJinjaRun  *run,
                                     AttnJinjaForm  form);
AttnJinjaValue attn_jinja_map       (AttnJinjaRun  *run,
                                     AttnJinjaType  type);
AttnJinjaValue attn_jinja_pair      (AttnJinjaRun   *run,
                                     AttnJinjaValue  first,
                                     AttnJinjaValue  second);
void           attn_jinja_list_add  (AttnJinjaRun   *run,
                                     AttnJinjaList  *list,
                                     AttnJinjaValue  item);
void           attn_jinja_map_set   (AttnJinjaRun   *run,
                                     AttnJinjaMap   *map,
                                     AttnJinjaValue  key,
                                     AttnJinjaValue  value);
gboolean       attn_jinja_map_get   (AttnJinjaRun       *run,
                                     const AttnJinjaMap *map,
                                     AttnJinjaValue      key,
                                     AttnJinjaValue     *value);

gboolean attn_jinja_get_integer (AttnJinjaValue  value,
                                 gint64         *integer);
gboolean attn_jinja_get_number  (AttnJinjaValue  value,
                                 double         *number);
gboolean attn_jinja_is_true     (AttnJinjaValue  value);
gboolean attn_jinja_equal       (AttnJinjaRun   *run,
                                 AttnJinjaValue  a,
                                 AttnJinjaValue  b);
int      attn_jinja_compare     (AttnJinjaRun   *run,
                                 AttnJinjaValue  a,
                                 AttnJinjaValue  b);
gboolean attn_jinja_contains    (AttnJinjaRun   *run,
                                 AttnJinjaValue  container,
                                 AttnJinjaValue  item);
gboolean attn_jinja_measure     (AttnJinjaValue  value,
                                 gsize          *length);
AttnJinjaList *attn_jinja_walk  (AttnJinjaRun   *run,
                                 AttnJinjaValue  value);
/* Functions of attn-jinja-text.c: values of a template as text. */
void     attn_jinja_print    (AttnJinjaRun   *run,
                              AttnJinjaValue  value,
                              GString        *text);
char    *attn_jinja_to_text  (AttnJinjaRun   *run,
                              AttnJinjaValue  value);
void     attn_jinja_print_repr (AttnJinjaRun   *run,
                                AttnJinjaValue  value,
                                GString        *text);
AttnJinjaValue attn_jinja_fill (AttnJinjaRun   *run,
                                const char     *format,
                                AttnJinjaValue  values);

/* Functions of attn-jinja-operate.c: operators and slices of a template. */
AttnJinjaValue attn_jinja_slice (AttnJinjaRun   *run,
                                 AttnJinjaValue  value,
                                 AttnJinjaValue  first,
                                 AttnJinjaValue  end,
                                 AttnJinjaValue  step);
AttnJinjaValue attn_jinja_operate (AttnJinjaRun   *run,
                                   const char     *operation,
                                   AttnJinjaValue  a,
                                   AttnJinjaValue  b);

G_END_DECLS
