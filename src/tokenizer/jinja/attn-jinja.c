/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The interpreter of templates: statements, expressions, and the scopes of their names. */

#include "config.h"

#include "attn-jinja.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-jinja-library.h"

/* A scope of names and the scope that encloses it. Each iteration of a loop, each call of a macro
 * and each block with names of its own creates one; the bodies of a condition do not. */
struct _AttnJinjaScope
{
  AttnJinjaScope *parent;
  AttnJinjaMap names;
};

typedef enum
{
  FLOW_ON,
  FLOW_BREAK,
  FLOW_CONTINUE,
} Flow;

/**
 * Runner:
 * @flow: whether the statement that was run last ended an iteration of a loop, and how
 */
typedef struct
{
  AttnJinjaRun *run;
  Flow flow;
} Runner;

static AttnJinjaValue evaluate (Runner *runner,
                                AttnJinjaScope *scope,
                                const AttnJinjaNode *node);
static void execute (Runner *runner,
                     AttnJinjaScope *scope,
                     const AttnJinjaNode *node,
                     GString *out);

/* -- Names -- */

static AttnJinjaScope *
new_scope (Runner         *runner,
           AttnJinjaScope *parent)
{
  AttnJinjaScope *scope = attn_jinja_run_alloc (runner->run, sizeof *scope);

  scope->parent = parent;
  return scope;
}

static void
set_name (Runner         *runner,
          AttnJinjaScope *scope,
          const char     *name,
          AttnJinjaValue  value)
{
  attn_jinja_map_set (runner->run, &scope->names, attn_jinja_string (name), value);
}

static AttnJinjaValue
new_function (Runner            *runner,
              AttnJinjaFunction  contents)
{
  AttnJinjaFunction *function = attn_jinja_run_alloc (runner->run, sizeof *function);

  *function = contents;
  return (AttnJinjaValue) { .type = ATTN_JINJA_FUNCTION, .function = function };
}

static AttnJinjaValue
find_name (Runner         *runner,
           AttnJinjaScope *scope,
           const char     *name)
{
  AttnJinjaValue value = attn_jinja_undefined (name);

  for (; scope != NULL; scope = scope->parent)
    if (attn_jinja_map_get (runner->run, &scope->names, attn_jinja_string (name), &value))
      return value;
  const AttnJinjaRow *row = attn_jinja_find_function (name);
  return row != NULL ? new_function (runner, (AttnJinjaFunction) { .row = row }) : value;
}

/* Assigns a value to a name or to an attribute of a namespace, or the items of a value to several
 * names or attributes. */
static void
assign (Runner              *runner,
        AttnJinjaScope      *scope,
        const AttnJinjaNode *target,
        AttnJinjaValue       value)
{
  if (target->type == ATTN_JINJA_NODE_NAME)
    set_name (runner, scope, target->name, value);
  else if (target->type == ATTN_JINJA_NODE_MEMBER)
    {
      AttnJinjaValue space = find_name (runner, scope, target->name);

      if (attn_jinja_is (space, ATTN_JINJA_NAMESPACE))
        attn_jinja_map_set (runner->run, space.map, target->value, value);
      else
        attn_jinja_fail_type (runner->run, space, "set");
    }
  else
    {
      const AttnJinjaList *items = attn_jinja_walk (runner->run, value);

      if (items->n_items != target->n_items)
        attn_jinja_fail (runner->run, ATTN_ERROR_UNSUPPORTED,
                         _("%zu values found for %zu names, expected as many"), items->n_items,
                         target->n_items);
      for (gsize i = 0; i < target->n_items && runner->run->error == NULL; i++)
        assign (runner, scope, target->items[i], items->items[i]);
    }
}

/* -- Calls -- */

/* Runs the body of a statement and returns its output as a text. */
static AttnJinjaValue
capture (Runner              *runner,
         AttnJinjaScope      *scope,
         const AttnJinjaNode *body)
{
  GString *text = g_string_new (NULL);

  execute (runner, scope, body, text);
  return attn_jinja_take_text (runner->run, text);
}

static AttnJinjaValue
call_macro (Runner                  *runner,
            const AttnJinjaFunction *function,
            const AttnJinjaCall     *call)
{
  const AttnJinjaNode *macro = function->macro;
  AttnJinjaScope *scope = new_scope (runner, function->scope);
  AttnJinjaValue others = attn_jinja_list (runner->run, ATTN_JINJA_FORM_TUPLE);
  AttnJinjaValue named = attn_jinja_map (runner->run, ATTN_JINJA_MAP);
  Flow flow = runner->flow;

  for (gsize i = 0; i < call->named->n_items; i++)
    {
      const char *name = call->named->keys[i].text;
      gsize j = 0;

      while (j < macro->n_items && !g_str_equal (macro->items[j]->name, name))
        j++;
      if (g_str_equal (name, "caller"))
        set_name (runner, scope, name, call->named->values[i]);
      else if (j == macro->n_items)
        attn_jinja_map_set (runner->run, named.map, call->named->keys[i],
                            call->named->values[i]);
    }
  for (gsize i = macro->n_items; i < call->values->n_items; i++)
    attn_jinja_list_add (runner->run, others.list, call->values->items[i]);
  for (gsize i = 0; i < macro->n_items && runner->run->error == NULL; i++)
    {
      const AttnJinjaNode *parameter = macro->items[i];
      AttnJinjaValue value = attn_jinja_undefined (parameter->name);

      if (i < call->values->n_items)
        value = call->values->items[i];
      else if (!attn_jinja_map_get (runner->run, call->named, attn_jinja_string (parameter->name),
                                    &value) &&
               parameter->parts[0] != NULL)
        value = evaluate (runner, scope, parameter->parts[0]);
      set_name (runner, scope, parameter->name, value);
    }
  set_name (runner, scope, "varargs", others);
  set_name (runner, scope, "kwargs", named);
  AttnJinjaValue text = capture (runner, scope, macro->parts[0]);
  runner->flow = flow;
  return text;
}

/* Evaluates the arguments of a call in a template and expands "*" and "**". */
static AttnJinjaCall
evaluate_arguments (Runner              *runner,
                    AttnJinjaScope      *scope,
                    const AttnJinjaNode *node)
{
  AttnJinjaRun *run = runner->run;
  AttnJinjaCall call = { attn_jinja_list (run, ATTN_JINJA_FORM_LIST).list,
                         attn_jinja_map (run, ATTN_JINJA_MAP).map };

  for (gsize i = 0; i < node->n_items && run->error == NULL; i++)
    {
      const char *name = node->items[i]->name;
      AttnJinjaValue value = evaluate (runner, scope, node->items[i]->parts[0]);

      if (name == NULL)
        attn_jinja_list_add (run, call.values, value);
      else if (g_str_equal (name, "*"))
        {
          const AttnJinjaList *items = attn_jinja_walk (run, value);

          for (gsize j = 0; j < items->n_items; j++)
            attn_jinja_list_add (run, call.values, items->items[j]);
        }
      else if (!g_str_equal (name, "**"))
        attn_jinja_map_set (run, call.named, attn_jinja_string (name), value);
      else if (!attn_jinja_is (value, ATTN_JINJA_MAP))
        attn_jinja_fail_type (run, value, "**");
      else
        for (gsize j = 0; j < value.map->n_items; j++)
          if (!attn_jinja_is (value.map->keys[j], ATTN_JINJA_STRING))
            attn_jinja_fail_type (run, value.map->keys[j], "**");
          else
            attn_jinja_map_set (run, call.named, value.map->keys[j], value.map->values[j]);
    }
  return call;
}

static void run_loop (Runner *runner,
                      AttnJinjaScope *scope,
                      const AttnJinjaNode *node,
                      AttnJinjaValue sequence,
                      gsize depth,
                      GString *out);

/* Runs the body of a recursive loop again for other items, one level deeper. Fails if the loop is
 * not recursive. */
static AttnJinjaValue
call_loop (Runner              *runner,
           const AttnJinjaLoop *loop,
           const AttnJinjaCall *call)
{
  GString *text = g_string_new (NULL);

  if (!loop->node->is_set || call->values->n_items != 1)
    attn_jinja_fail (runner->run, ATTN_ERROR_UNSUPPORTED,
                     _("a loop that is called found, expected a recursive one and its items"));
  else
    run_loop (runner, loop->scope, loop->node, call->values->items[0], loop->depth + 1, text);
  return attn_jinja_take_text (runner->run, text);
}

/* Evaluates a call of a macro, function, method or recursive loop. @caller: (nullable): the macro
 * of a {% call %} block, which the called macro can use as "caller" */
static AttnJinjaValue
evaluate_call (Runner               *runner,
               AttnJinjaScope       *scope,
               const AttnJinjaNode  *node,
               const AttnJinjaValue *caller)
{
  AttnJinjaRun *run = runner->run;
  AttnJinjaValue called = evaluate (runner, scope, node->parts[0]);
  AttnJinjaCall call = evaluate_arguments (runner, scope, node);

  if (caller != NULL)
    attn_jinja_map_set (run, call.named, attn_jinja_string ("caller"), *caller);
  run->line = node->line;
  if (run->error != NULL)
    return called;
  if (attn_jinja_is (called, ATTN_JINJA_LOOP))
    return call_loop (runner, called.loop, &call);
  if (!attn_jinja_is (called, ATTN_JINJA_FUNCTION))
    return attn_jinja_fail_type (run, called, "()");
  return called.function->row != NULL
             ? attn_jinja_apply (run, called.function->row, called.function->subject, &call)
             : call_macro (runner, called.function, &call);
}

static AttnJinjaValue
evaluate_filter (Runner              *runner,
                 AttnJinjaScope      *scope,
                 const AttnJinjaNode *node,
                 AttnJinjaValue       subject)
{
  AttnJinjaCall call = evaluate_arguments (runner, scope, node);

  runner->run->line = node->line;
  return attn_jinja_filter (runner->run, node->name, subject, &call);
}

/* Applies the filters of a {% filter %} block to @text, the output of its body. The innermost
 * filter is applied first, to @text itself. */
static AttnJinjaValue
filter_block (Runner              *runner,
              AttnJinjaScope      *scope,
              const AttnJinjaNode *filters,
              AttnJinjaValue       text)
{
  if (filters == NULL || !attn_jinja_run_enter (runner->run))
    return text;
  text = filter_block (runner, scope, filters->parts[0], text);
  text = evaluate_filter (runner, scope, filters, text);
  attn_jinja_run_leave (runner->run);
  return text;
}

/* -- Expressions -- */

static AttnJinjaValue
evaluate_list (Runner              *runner,
               AttnJinjaScope      *scope,
               const AttnJinjaNode *node)
{
  AttnJinjaValue list = attn_jinja_list (
      runner->run, node->is_set ? ATTN_JINJA_FORM_TUPLE : ATTN_JINJA_FORM_LIST);

  for (gsize i = 0; i < node->n_items && runner->run->error == NULL; i++)
    attn_jinja_list_add (runner->run, list.list, evaluate (runner, scope, node->items[i]));
  return list;
}

static AttnJinjaValue
evaluate_map (Runner              *runner,
              AttnJinjaScope      *scope,
              const AttnJinjaNode *node)
{
  AttnJinjaValue map = attn_jinja_map (runner->run, ATTN_JINJA_MAP);

  for (gsize i = 0; i + 1 < node->n_items && runner->run->error == NULL; i += 2)
    {
      AttnJinjaValue key = evaluate (runner, scope, node->items[i]);

      attn_jinja_map_set (runner->run, map.map, key,
                          evaluate (runner, scope, node->items[i + 1]));
    }
  return map;
}

static gboolean
compare (AttnJinjaRun   *run,
         const char     *comparison,
         AttnJinjaValue  a,
         AttnJinjaValue  b)
{
  if (g_str_equal (comparison, "=="))
    return attn_jinja_equal (run, a, b);
  if (g_str_equal (comparison, "!="))
    return !attn_jinja_equal (run, a, b);
  if (g_str_equal (comparison, "in"))
    return attn_jinja_contains (run, b, a);
  if (g_str_equal (comparison, "not"))
    return !attn_jinja_contains (run, b, a);
  int order = attn_jinja_compare (run, a, b);
  return *comparison == '<' ? order < 0 || (comparison[1] == '=' && order == 0)
                            : order > 0 || (comparison[1] == '=' && order == 0);
}

static AttnJinjaValue
evaluate_compare (Runner              *runner,
                  AttnJinjaScope      *scope,
                  const AttnJinjaNode *node)
{
  AttnJinjaValue before = evaluate (runner, scope, node->items[0]);
  gboolean is_right = TRUE;

  for (gsize i = 1; i < node->n_items && is_right && runner->run->error == NULL; i++)
    {
      AttnJinjaValue value = evaluate (runner, scope, node->items[i]->parts[0]);

      is_right = compare (runner->run, node->items[i]->name, before, value);
      before = value;
    }
  return attn_jinja_boolean (is_right);
}

static AttnJinjaValue
evaluate_sign (Runner         *runner,
               const char     *sign,
               AttnJinjaValue  value)
{
  double number;

  if (!attn_jinja_get_number (value, &number))
    return attn_jinja_fail_type (runner->run, value, sign);
  if (attn_jinja_is (value, ATTN_JINJA_FLOAT))
    return attn_jinja_float (*sign == '-' ? -number : number);
  return attn_jinja_operate (runner->run, sign, attn_jinja_integer (0), value);
}

static AttnJinjaValue
evaluate_optional (Runner              *runner,
                   AttnJinjaScope      *scope,
                   const AttnJinjaNode *node)
{
  return node != NULL ? evaluate (runner, scope, node)
                      : (AttnJinjaValue) { .type = ATTN_JINJA_ABSENT };
}

static AttnJinjaValue
evaluate_condition (Runner              *runner,
                    AttnJinjaScope      *scope,
                    const AttnJinjaNode *node)
{
  AttnJinjaValue condition = evaluate (runner, scope, node->parts[0]);
  const AttnJinjaNode *chosen = node->parts[attn_jinja_is_true (condition) ? 1 : 2];

  return chosen != NULL ? evaluate (runner, scope, chosen)
                        : attn_jinja_undefined (NULL);
}

static AttnJinjaValue
evaluate_node (Runner              *runner,
               AttnJinjaScope      *scope,
               const AttnJinjaNode *node)
{
  AttnJinjaRun *run = runner->run;
  AttnJinjaValue first = attn_jinja_undefined (NULL), second;
  AttnJinjaCall call;

  switch (node->type)
    {
    case ATTN_JINJA_NODE_CONSTANT:
      return node->value;
    case ATTN_JINJA_NODE_NAME:
      return find_name (runner, scope, node->name);
    case ATTN_JINJA_NODE_LIST:
      return evaluate_list (runner, scope, node);
    case ATTN_JINJA_NODE_MAP:
      return evaluate_map (runner, scope, node);
    case ATTN_JINJA_NODE_CONDITION:
      return evaluate_condition (runner, scope, node);
    case ATTN_JINJA_NODE_COMPARE:
      return evaluate_compare (runner, scope, node);
    case ATTN_JINJA_NODE_CALL:
      return evaluate_call (runner, scope, node, NULL);
    case ATTN_JINJA_NODE_OR:
      first = evaluate (runner, scope, node->parts[0]);
      return attn_jinja_is_true (first) ? first : evaluate (runner, scope, node->parts[1]);
    case ATTN_JINJA_NODE_AND:
      first = evaluate (runner, scope, node->parts[0]);
      return attn_jinja_is_true (first) ? evaluate (runner, scope, node->parts[1]) : first;
    case ATTN_JINJA_NODE_NOT:
      return attn_jinja_boolean (!attn_jinja_is_true (evaluate (runner, scope, node->parts[0])));
    case ATTN_JINJA_NODE_NEGATE:
      return evaluate_sign (runner, node->name, evaluate (runner, scope, node->parts[0]));
    case ATTN_JINJA_NODE_OPERATE:
      first = evaluate (runner, scope, node->parts[0]);
      second = evaluate (runner, scope, node->parts[1]);
      run->line = node->line;
      return attn_jinja_operate (run, node->name, first, second);
    case ATTN_JINJA_NODE_ATTRIBUTE:
      first = evaluate (runner, scope, node->parts[0]);
      return attn_jinja_get_attribute (run, first, node->name);
    case ATTN_JINJA_NODE_ITEM:
      first = evaluate (runner, scope, node->parts[0]);
      second = evaluate (runner, scope, node->parts[1]);
      return attn_jinja_get_item (run, first, second);
    case ATTN_JINJA_NODE_SLICE:
      first = evaluate (runner, scope, node->parts[0]);
      second = evaluate_optional (runner, scope, node->parts[1]);
      return attn_jinja_slice (run, first, second,
                               evaluate_optional (runner, scope, node->parts[2]),
                               evaluate_optional (runner, scope, node->parts[3]));
    case ATTN_JINJA_NODE_FILTER:
      first = evaluate (runner, scope, node->parts[0]);
      return evaluate_filter (runner, scope, node, first);
    case ATTN_JINJA_NODE_TEST:
      first = evaluate (runner, scope, node->parts[0]);
      call = evaluate_arguments (runner, scope, node);
      return attn_jinja_test (run, node->name, first, &call);
    case ATTN_JINJA_NODE_BLOCK:
    case ATTN_JINJA_NODE_DATA:
    case ATTN_JINJA_NODE_OUTPUT:
    case ATTN_JINJA_NODE_FOR:
    case ATTN_JINJA_NODE_IF:
    case ATTN_JINJA_NODE_SET:
    case ATTN_JINJA_NODE_SET_BLOCK:
    case ATTN_JINJA_NODE_MACRO:
    case ATTN_JINJA_NODE_CALL_BLOCK:
    case ATTN_JINJA_NODE_FILTER_BLOCK:
    case ATTN_JINJA_NODE_WITH:
    case ATTN_JINJA_NODE_SCOPE:
    case ATTN_JINJA_NODE_BREAK:
    case ATTN_JINJA_NODE_CONTINUE:
    case ATTN_JINJA_NODE_PARAMETER:
    case ATTN_JINJA_NODE_MEMBER:
    case ATTN_JINJA_NODE_ARGUMENT:
    default:
      g_assert_not_reached ();
    }
}

static AttnJinjaValue
evaluate (Runner              *runner,
          AttnJinjaScope      *scope,
          const AttnJinjaNode *node)
{
  AttnJinjaValue value = attn_jinja_undefined (NULL);

  runner->run->line = node->line;
  if (attn_jinja_run_enter (runner->run))
    value = evaluate_node (runner, scope, node);
  attn_jinja_run_leave (runner->run);
  return value;
}

/* -- Statements -- */

/* Returns the items of a loop that fulfil its condition. */
static AttnJinjaValue
choose_items (Runner              *runner,
              AttnJinjaScope      *scope,
              const AttnJinjaNode *node,
              AttnJinjaValue       sequence)
{
  const AttnJinjaList *items = attn_jinja_walk (runner->run, sequence);
  AttnJinjaValue chosen = attn_jinja_list (runner->run, ATTN_JINJA_FORM_LIST);

  for (gsize i = 0; i < items->n_items && runner->run->error == NULL; i++)
    {
      AttnJinjaScope *inner = new_scope (runner, scope);

      assign (runner, inner, node->parts[0], items->items[i]);
      if (attn_jinja_is_true (evaluate (runner, inner, node->parts[3])))
        attn_jinja_list_add (runner->run, chosen.list, items->items[i]);
    }
  return chosen;
}

static void
run_loop (Runner              *runner,
          AttnJinjaScope      *scope,
          const AttnJinjaNode *node,
          AttnJinjaValue       sequence,
          gsize                depth,
          GString             *out)
{
  AttnJinjaLoop *loop = attn_jinja_run_alloc (runner->run, sizeof *loop);

  if (node->parts[3] != NULL)
    sequence = choose_items (runner, scope, node, sequence);
  loop->items = attn_jinja_walk (runner->run, sequence);
  loop->depth = depth;
  loop->node = node;
  loop->scope = scope;
  for (; loop->index < loop->items->n_items && runner->run->error == NULL; loop->index++)
    {
      AttnJinjaScope *inner = new_scope (runner, scope);

      set_name (runner, inner, "loop", (AttnJinjaValue) { .type = ATTN_JINJA_LOOP, .loop = loop });
      assign (runner, inner, node->parts[0], loop->items->items[loop->index]);
      execute (runner, inner, node->parts[2], out);
      Flow flow = runner->flow;
      runner->flow = FLOW_ON;
      if (flow == FLOW_BREAK)
        break;
    }
  if (loop->items->n_items == 0 && node->parts[4] != NULL)
    execute (runner, new_scope (runner, scope), node->parts[4], out);
}

static void
run_if (Runner              *runner,
        AttnJinjaScope      *scope,
        const AttnJinjaNode *node,
        GString             *out)
{
  gsize i = 0;

  while (i + 1 < node->n_items && runner->run->error == NULL &&
         !attn_jinja_is_true (evaluate (runner, scope, node->items[i])))
    i += 2;
  /* The items of an "if" statement alternate between conditions and bodies. The last one may be the
   * body of an "else", without a condition. */
  if (i < node->n_items)
    execute (runner, scope, node->items[i + 1 < node->n_items ? i + 1 : i], out);
}

static void
run_with (Runner              *runner,
          AttnJinjaScope      *scope,
          const AttnJinjaNode *node,
          GString             *out)
{
  AttnJinjaScope *inner = new_scope (runner, scope);

  for (gsize i = 0; i + 1 < node->n_items && runner->run->error == NULL; i += 2)
    assign (runner, inner, node->items[i], evaluate (runner, scope, node->items[i + 1]));
  execute (runner, inner, node->parts[0], out);
}

static void
run_output (Runner              *runner,
            AttnJinjaScope      *scope,
            const AttnJinjaNode *expression,
            GString             *out)
{
  gboolean is_safe = expression->type == ATTN_JINJA_NODE_FILTER && expression->n_items == 0 &&
                     g_str_equal (expression->name, "safe");

  attn_jinja_print (runner->run,
                    evaluate (runner, scope, is_safe ? expression->parts[0] : expression), out);
}

static void
execute_node (Runner              *runner,
              AttnJinjaScope      *scope,
              const AttnJinjaNode *node,
              GString             *out)
{
  AttnJinjaValue value;

  switch (node->type)
    {
    case ATTN_JINJA_NODE_BLOCK:
      for (gsize i = 0;
           i < node->n_items && runner->flow == FLOW_ON && runner->run->error == NULL; i++)
        execute (runner, scope, node->items[i], out);
      break;
    case ATTN_JINJA_NODE_DATA:
      attn_jinja_print (runner->run, attn_jinja_string (node->name), out);
      break;
    case ATTN_JINJA_NODE_OUTPUT:
      run_output (runner, scope, node->parts[0], out);
      break;
    case ATTN_JINJA_NODE_FOR:
      value = evaluate (runner, scope, node->parts[1]);
      run_loop (runner, scope, node, value, 0, out);
      break;
    case ATTN_JINJA_NODE_IF:
      run_if (runner, scope, node, out);
      break;
    case ATTN_JINJA_NODE_SET:
      value = evaluate (runner, scope, node->parts[1]);
      assign (runner, scope, node->parts[0], value);
      break;
    case ATTN_JINJA_NODE_SET_BLOCK:
      value = capture (runner, new_scope (runner, scope), node->parts[1]);
      assign (runner, scope, node->parts[0],
              filter_block (runner, scope, node->parts[2], value));
      break;
    case ATTN_JINJA_NODE_MACRO:
      set_name (runner, scope, node->name,
                new_function (runner, (AttnJinjaFunction) { .macro = node, .scope = scope }));
      break;
    case ATTN_JINJA_NODE_CALL_BLOCK:
      value = new_function (runner,
                            (AttnJinjaFunction) { .macro = node->parts[1], .scope = scope });
      attn_jinja_print (runner->run, evaluate_call (runner, scope, node->parts[0], &value), out);
      break;
    case ATTN_JINJA_NODE_FILTER_BLOCK:
      value = capture (runner, new_scope (runner, scope), node->parts[1]);
      attn_jinja_print (runner->run, filter_block (runner, scope, node->parts[0], value), out);
      break;
    case ATTN_JINJA_NODE_WITH:
      run_with (runner, scope, node, out);
      break;
    case ATTN_JINJA_NODE_SCOPE:
      execute (runner, new_scope (runner, scope), node->parts[0], out);
      break;
    case ATTN_JINJA_NODE_BREAK:
      runner->flow = FLOW_BREAK;
      break;
    case ATTN_JINJA_NODE_CONTINUE:
      runner->flow = FLOW_CONTINUE;
      break;
    case ATTN_JINJA_NODE_PARAMETER:
    case ATTN_JINJA_NODE_CONSTANT:
    case ATTN_JINJA_NODE_NAME:
    case ATTN_JINJA_NODE_MEMBER:
    case ATTN_JINJA_NODE_LIST:
    case ATTN_JINJA_NODE_MAP:
    case ATTN_JINJA_NODE_CONDITION:
    case ATTN_JINJA_NODE_OR:
    case ATTN_JINJA_NODE_AND:
    case ATTN_JINJA_NODE_NOT:
    case ATTN_JINJA_NODE_COMPARE:
    case ATTN_JINJA_NODE_OPERATE:
    case ATTN_JINJA_NODE_NEGATE:
    case ATTN_JINJA_NODE_ATTRIBUTE:
    case ATTN_JINJA_NODE_ITEM:
    case ATTN_JINJA_NODE_SLICE:
    case ATTN_JINJA_NODE_CALL:
    case ATTN_JINJA_NODE_FILTER:
    case ATTN_JINJA_NODE_TEST:
    case ATTN_JINJA_NODE_ARGUMENT:
    default:
      g_assert_not_reached ();
    }
}

static void
execute (Runner              *runner,
         AttnJinjaScope      *scope,
         const AttnJinjaNode *node,
         GString             *out)
{
  runner->run->line = node->line;
  if (attn_jinja_run_enter (runner->run))
    execute_node (runner, scope, node, out);
  attn_jinja_run_leave (runner->run);
}

/* -- The template -- */

/* Creates the content of a message: a text, or a list of texts and pictures. */
static AttnJinjaValue
new_content (AttnJinjaRun           *run,
             const AttnJinjaMessage *message)
{
  if (message->content != NULL)
    return attn_jinja_string (message->content);
  AttnJinjaValue list = attn_jinja_list (run, ATTN_JINJA_FORM_LIST);
  for (gsize i = 0; i < message->n_parts; i++)
    {
      AttnJinjaValue part = attn_jinja_map (run, ATTN_JINJA_MAP);
      const char *text = message->parts[i].text;

      attn_jinja_map_set (run, part.map, attn_jinja_string ("type"),
                          attn_jinja_string (text != NULL ? "text" : "image"));
      if (text != NULL)
        attn_jinja_map_set (run, part.map, attn_jinja_string ("text"), attn_jinja_string (text));
      attn_jinja_list_add (run, list.list, part);
    }
  return list;
}

/* Creates the outermost scope, with the names that transformers passes to a template. */
static AttnJinjaScope *
new_context (Runner               *runner,
             const AttnJinjaInput *input)
{
  AttnJinjaRun *run = runner->run;
  AttnJinjaScope *scope = new_scope (runner, NULL);
  AttnJinjaValue messages = attn_jinja_list (run, ATTN_JINJA_FORM_LIST);

  for (gsize i = 0; i < input->n_messages; i++)
    {
      AttnJinjaValue message = attn_jinja_map (run, ATTN_JINJA_MAP);

      attn_jinja_map_set (run, message.map, attn_jinja_string ("role"),
                          attn_jinja_string (input->messages[i].role));
      attn_jinja_map_set (run, message.map, attn_jinja_string ("content"),
                          new_content (run, &input->messages[i]));
      attn_jinja_list_add (run, messages.list, message);
    }
  set_name (runner, scope, "messages", messages);
  set_name (runner, scope, "tools", attn_jinja_none ());
  set_name (runner, scope, "documents", attn_jinja_none ());
  set_name (runner, scope, "add_generation_prompt", attn_jinja_boolean (input->begins_answer));
  for (gsize i = 0; i < input->n_variables; i++)
    set_name (runner, scope, input->variables[i].name,
              attn_jinja_string (input->variables[i].text));
  return scope;
}

/**
 * attn_jinja_render:
 * @where: names the template's file in error messages
 * @source: a template in UTF-8
 * @input: the conversation and what else the template is given
 * @error: return location for %ATTN_ERROR_FORMAT, where @source is no valid template;
 *   %ATTN_ERROR_UNSUPPORTED where it uses a name or a feature that is not known here, and where the
 *   template itself refuses the conversation; %ATTN_ERROR_LIMIT where it takes too many steps or
 *   too much memory. Each message names the line.
 *
 * Runs a template as transformers does: with trim_blocks and lstrip_blocks, in a sandbox in which
 * no value can be changed, without tools and documents.
 *
 * Returns: (transfer full) (nullable): the text that the template writes
 */
char *
attn_jinja_render (const char            *where,
                   const char            *source,
                   const AttnJinjaInput  *input,
                   GError               **error)
{
  AttnJinjaRun run;
  Runner runner = { .run = &run };
  g_autoptr (GString) out = g_string_new (NULL);

  attn_jinja_run_init (&run, where, input->now);
  const AttnJinjaNode *template = attn_jinja_parse (&run, source);
  if (run.error == NULL)
    execute (&runner, new_scope (&runner, new_context (&runner, input)), template, out);
  gboolean is_right = run.error == NULL;
  if (!is_right)
    g_propagate_error (error, g_steal_pointer (&run.error));
  attn_jinja_run_clear (&run);
  return is_right ? g_string_free (g_steal_pointer (&out), FALSE) : NULL;
}
