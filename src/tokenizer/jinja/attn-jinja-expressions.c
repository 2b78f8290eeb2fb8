/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Parses expressions of a template, each construct as parser.py of Jinja 3.1 does. */

#include "config.h"

#include "attn-jinja-parser.h"

#include <glib/gi18n-lib.h>
#include <string.h>

static AttnJinjaNode *parse_unary (AttnJinjaParser *parser,
                                   gboolean with_filters);

static gboolean
is_tuple_end (const AttnJinjaParser *parser,
              const char            *other_end)
{
  return attn_jinja_is_mark (parser, ATTN_JINJA_MARK_VARIABLE_END) ||
         attn_jinja_is_mark (parser, ATTN_JINJA_MARK_BLOCK_END) ||
         attn_jinja_is_next (parser, 0, ")") ||
         (other_end != NULL && attn_jinja_is_next (parser, 0, other_end));
}

/* Parses an expression. Several expressions separated by commas form a tuple. */
AttnJinjaNode *
attn_jinja_parse_tuple (AttnJinjaParser *parser,
                        gboolean         with_condition,
                        const char      *other_end,
                        gboolean         may_be_empty)
{
  AttnJinjaNode *tuple = attn_jinja_bare_node (parser, ATTN_JINJA_NODE_LIST, NULL);
  gboolean is_tuple = FALSE;

  tuple->is_set = TRUE;
  while (!attn_jinja_is_failed (parser) && !is_tuple_end (parser, other_end))
    {
      attn_jinja_node_add (parser, tuple, attn_jinja_parse_expression (parser, with_condition));
      if (!attn_jinja_skip (parser, ","))
        break;
      is_tuple = TRUE;
    }
  if (tuple->n_items == 0 && !may_be_empty)
    attn_jinja_fail_mark (parser, "…");
  return !is_tuple && tuple->n_items == 1 ? tuple->items[0] : tuple;
}

static AttnJinjaNode *
parse_list (AttnJinjaParser *parser)
{
  AttnJinjaNode *list = attn_jinja_bare_node (parser, ATTN_JINJA_NODE_LIST, NULL);

  while (!attn_jinja_is_failed (parser) && !attn_jinja_is_next (parser, 0, "]"))
    {
      if (list->n_items > 0)
        attn_jinja_expect (parser, ",");
      if (!attn_jinja_is_next (parser, 0, "]"))
        attn_jinja_node_add (parser, list, attn_jinja_parse_expression (parser, TRUE));
    }
  attn_jinja_expect (parser, "]");
  return list;
}

static AttnJinjaNode *
parse_map (AttnJinjaParser *parser)
{
  AttnJinjaNode *map = attn_jinja_bare_node (parser, ATTN_JINJA_NODE_MAP, NULL);

  while (!attn_jinja_is_failed (parser) && !attn_jinja_is_next (parser, 0, "}"))
    {
      if (map->n_items > 0)
        attn_jinja_expect (parser, ",");
      if (attn_jinja_is_next (parser, 0, "}"))
        break;
      attn_jinja_node_add (parser, map, attn_jinja_parse_expression (parser, TRUE));
      attn_jinja_expect (parser, ":");
      attn_jinja_node_add (parser, map, attn_jinja_parse_expression (parser, TRUE));
    }
  attn_jinja_expect (parser, "}");
  return map;
}

/* Parses an integer literal: decimal, or with a prefix 0x, 0o or 0b. */
static AttnJinjaNode *
parse_integer (AttnJinjaParser *parser)
{
  const char *text = attn_jinja_take (parser)->text;
  guint base = 10;
  guint64 integer = 0;
  char letter = text[0] == '0' ? g_ascii_tolower (text[1]) : '\0';

  if (letter == 'x' || letter == 'o' || letter == 'b')
    {
      base = letter == 'x' ? 16 : letter == 'o' ? 8
                                                : 2;
      text += 2;
    }
  if (!g_ascii_string_to_unsigned (text, base, 0, G_MAXINT64, &integer, NULL))
    attn_jinja_fail (parser->run, ATTN_ERROR_LIMIT, _("a number beyond 64 bits found"));
  return attn_jinja_constant (parser, attn_jinja_integer ((gint64) integer));
}

static AttnJinjaNode *
parse_string (AttnJinjaParser *parser)
{
  GString *text = g_string_new (NULL);

  while (attn_jinja_is_mark (parser, ATTN_JINJA_MARK_STRING))
    g_string_append (text, attn_jinja_take (parser)->text);
  return attn_jinja_constant (parser, attn_jinja_take_text (parser->run, text));
}

AttnJinjaNode *
attn_jinja_parse_name (AttnJinjaParser *parser)
{
  const char *name = attn_jinja_take (parser)->text;

  if (g_str_equal (name, "true") || g_str_equal (name, "True"))
    return attn_jinja_constant (parser, attn_jinja_boolean (TRUE));
  if (g_str_equal (name, "false") || g_str_equal (name, "False"))
    return attn_jinja_constant (parser, attn_jinja_boolean (FALSE));
  if (g_str_equal (name, "none") || g_str_equal (name, "None"))
    return attn_jinja_constant (parser, attn_jinja_none ());
  return attn_jinja_bare_node (parser, ATTN_JINJA_NODE_NAME, name);
}

static AttnJinjaNode *
parse_primary (AttnJinjaParser *parser)
{
  AttnJinjaNode *node;
  double number;

  switch (attn_jinja_look (parser, 0)->type)
    {
    case ATTN_JINJA_MARK_NAME:
      return attn_jinja_parse_name (parser);
    case ATTN_JINJA_MARK_STRING:
      return parse_string (parser);
    case ATTN_JINJA_MARK_INTEGER:
      return parse_integer (parser);
    case ATTN_JINJA_MARK_FLOAT:
      number = g_ascii_strtod (attn_jinja_take (parser)->text, NULL);
      return attn_jinja_constant (parser, attn_jinja_float (number));
    case ATTN_JINJA_MARK_END:
    case ATTN_JINJA_MARK_DATA:
    case ATTN_JINJA_MARK_VARIABLE_BEGIN:
    case ATTN_JINJA_MARK_VARIABLE_END:
    case ATTN_JINJA_MARK_BLOCK_BEGIN:
    case ATTN_JINJA_MARK_BLOCK_END:
    case ATTN_JINJA_MARK_OPERATOR:
    default:
      break;
    }
  if (attn_jinja_skip (parser, "["))
    return parse_list (parser);
  if (attn_jinja_skip (parser, "{"))
    return parse_map (parser);
  if (!attn_jinja_skip (parser, "("))
    {
      attn_jinja_fail_mark (parser, "…");
      return attn_jinja_constant (parser, attn_jinja_none ());
    }
  node = attn_jinja_parse_tuple (parser, TRUE, NULL, TRUE);
  attn_jinja_expect (parser, ")");
  return node;
}

/* Parses the brackets after a value: an index or key, or a slice of up to three numbers separated
 * by colons. */
static AttnJinjaNode *
parse_item (AttnJinjaParser *parser,
            AttnJinjaNode   *value)
{
  AttnJinjaNode *item = attn_jinja_node (parser, ATTN_JINJA_NODE_ITEM, NULL, value, NULL);

  if (!attn_jinja_is_next (parser, 0, ":"))
    item->parts[1] = attn_jinja_parse_expression (parser, TRUE);
  for (guint i = 2; i < 4 && attn_jinja_skip (parser, ":"); i++)
    {
      item->type = ATTN_JINJA_NODE_SLICE;
      if (!attn_jinja_is_next (parser, 0, ":") && !attn_jinja_is_next (parser, 0, "]"))
        item->parts[i] = attn_jinja_parse_expression (parser, TRUE);
    }
  attn_jinja_expect (parser, "]");
  return item;
}

/* Parses the arguments of a call, after its opening bracket. */
static void
parse_arguments (AttnJinjaParser *parser,
                 AttnJinjaNode   *call)
{
  while (!attn_jinja_is_failed (parser) && !attn_jinja_is_next (parser, 0, ")"))
    {
      const char *name = NULL;

      if (call->n_items > 0)
        attn_jinja_expect (parser, ",");
      if (attn_jinja_is_next (parser, 0, ")"))
        break;
      if (attn_jinja_is_next (parser, 0, "*") || attn_jinja_is_next (parser, 0, "**"))
        name = attn_jinja_take (parser)->text;
      else if (attn_jinja_is_mark (parser, ATTN_JINJA_MARK_NAME) &&
               attn_jinja_is_next (parser, 1, "="))
        {
          name = attn_jinja_take (parser)->text;
          attn_jinja_take (parser);
        }
      AttnJinjaNode *argument = attn_jinja_bare_node (parser, ATTN_JINJA_NODE_ARGUMENT, name);
      argument->parts[0] = attn_jinja_parse_expression (parser, TRUE);
      attn_jinja_node_add (parser, call, argument);
    }
  attn_jinja_expect (parser, ")");
}

static AttnJinjaNode *
parse_call (AttnJinjaParser *parser,
            AttnJinjaNode   *called)
{
  AttnJinjaNode *call = attn_jinja_node (parser, ATTN_JINJA_NODE_CALL, NULL, called, NULL);

  attn_jinja_take (parser);
  parse_arguments (parser, call);
  return call;
}

static AttnJinjaNode *
parse_postfix (AttnJinjaParser *parser,
               AttnJinjaNode   *node)
{
  while (!attn_jinja_is_failed (parser))
    if (attn_jinja_is_next (parser, 0, "("))
      node = parse_call (parser, node);
    else if (attn_jinja_skip (parser, "["))
      node = parse_item (parser, node);
    else if (!attn_jinja_skip (parser, "."))
      break;
    else if (attn_jinja_is_mark (parser, ATTN_JINJA_MARK_INTEGER))
      node = attn_jinja_node (parser, ATTN_JINJA_NODE_ITEM, NULL, node, parse_integer (parser));
    else
      {
        node = attn_jinja_node (parser, ATTN_JINJA_NODE_ATTRIBUTE, NULL, node, NULL);
        node->name = attn_jinja_take_name (parser);
      }
  return node;
}

/* Parses a name that may contain dots, as the filters of Jinja extensions do. */
static const char *
take_long_name (AttnJinjaParser *parser)
{
  const char *name = attn_jinja_take_name (parser);

  while (attn_jinja_skip (parser, "."))
    {
      g_autofree char *longer = g_strconcat (name, ".", attn_jinja_take_name (parser), NULL);

      name = attn_jinja_run_dup (parser->run, longer, strlen (longer));
    }
  return name;
}

/* Parses a chain of filters. @node: (nullable): the value to which they are applied; @is_begun:
 * whether the first filter has no "|" before it */
AttnJinjaNode *
attn_jinja_parse_filters (AttnJinjaParser *parser,
                          AttnJinjaNode   *node,
                          gboolean         is_begun)
{
  while (!attn_jinja_is_failed (parser) && (is_begun || attn_jinja_skip (parser, "|")))
    {
      node = attn_jinja_node (parser, ATTN_JINJA_NODE_FILTER, NULL, node, NULL);
      node->name = take_long_name (parser);
      if (attn_jinja_skip (parser, "("))
        parse_arguments (parser, node);
      is_begun = FALSE;
    }
  return node;
}

/* Tells whether the next mark begins an argument of the test in "x is name", written without
 * brackets, such as the 3 of "x is divisibleby 3". */
static gboolean
is_argument (const AttnJinjaParser *parser)
{
  switch (attn_jinja_look (parser, 0)->type)
    {
    case ATTN_JINJA_MARK_STRING:
    case ATTN_JINJA_MARK_INTEGER:
    case ATTN_JINJA_MARK_FLOAT:
      return TRUE;
    case ATTN_JINJA_MARK_NAME:
      return !attn_jinja_is_next (parser, 0, "else") && !attn_jinja_is_next (parser, 0, "or") &&
             !attn_jinja_is_next (parser, 0, "and");
    case ATTN_JINJA_MARK_OPERATOR:
      return attn_jinja_is_next (parser, 0, "[") || attn_jinja_is_next (parser, 0, "{");
    case ATTN_JINJA_MARK_END:
    case ATTN_JINJA_MARK_DATA:
    case ATTN_JINJA_MARK_VARIABLE_BEGIN:
    case ATTN_JINJA_MARK_VARIABLE_END:
    case ATTN_JINJA_MARK_BLOCK_BEGIN:
    case ATTN_JINJA_MARK_BLOCK_END:
    default:
      return FALSE;
    }
}

static AttnJinjaNode *
parse_test (AttnJinjaParser *parser,
            AttnJinjaNode   *value)
{
  gboolean is_not = attn_jinja_skip (parser, "not");
  AttnJinjaNode *test = attn_jinja_node (parser, ATTN_JINJA_NODE_TEST, NULL, value, NULL);

  test->name = take_long_name (parser);
  if (attn_jinja_skip (parser, "("))
    parse_arguments (parser, test);
  else if (is_argument (parser))
    {
      AttnJinjaNode *argument = attn_jinja_bare_node (parser, ATTN_JINJA_NODE_ARGUMENT, NULL);

      if (attn_jinja_is_next (parser, 0, "is"))
        attn_jinja_fail_mark (parser, "and");
      argument->parts[0] = parse_postfix (parser, parse_primary (parser));
      attn_jinja_node_add (parser, test, argument);
    }
  return is_not ? attn_jinja_node (parser, ATTN_JINJA_NODE_NOT, NULL, test, NULL) : test;
}

static AttnJinjaNode *
parse_filters_and_tests (AttnJinjaParser *parser,
                         AttnJinjaNode   *node)
{
  while (!attn_jinja_is_failed (parser))
    if (attn_jinja_is_next (parser, 0, "|"))
      node = attn_jinja_parse_filters (parser, node, FALSE);
    else if (attn_jinja_skip (parser, "is"))
      node = parse_test (parser, node);
    else if (attn_jinja_is_next (parser, 0, "("))
      node = parse_call (parser, node);
    else
      break;
  return node;
}

static AttnJinjaNode *
parse_unary (AttnJinjaParser *parser,
             gboolean         with_filters)
{
  AttnJinjaNode *node;

  if (!attn_jinja_run_enter (parser->run))
    node = attn_jinja_constant (parser, attn_jinja_none ());
  else if (attn_jinja_is_next (parser, 0, "-") || attn_jinja_is_next (parser, 0, "+"))
    {
      gboolean is_plus = attn_jinja_take (parser)->text[0] == '+';

      node = attn_jinja_node (parser, ATTN_JINJA_NODE_NEGATE, is_plus ? "+" : "-",
                              parse_unary (parser, FALSE), NULL);
      node->is_set = is_plus;
    }
  else
    node = parse_primary (parser);
  attn_jinja_run_leave (parser->run);
  node = parse_postfix (parser, node);
  return with_filters ? parse_filters_and_tests (parser, node) : node;
}

/* Parses binary operators that bind at least as strongly as those of @level, where level 0 binds
 * the weakest. */
static AttnJinjaNode *
parse_operators (AttnJinjaParser *parser,
                 guint            level)
{
  static const char * const levels[][4] = {
    { "+", "-" }, { "~" }, { "*", "/", "//", "%" }, { "**" }
  };

  if (level == G_N_ELEMENTS (levels))
    return parse_unary (parser, TRUE);
  AttnJinjaNode *node = parse_operators (parser, level + 1);
  while (!attn_jinja_is_failed (parser))
    {
      guint i = 0;

      while (i < G_N_ELEMENTS (levels[level]) &&
             (levels[level][i] == NULL || !attn_jinja_is_next (parser, 0, levels[level][i])))
        i++;
      if (i == G_N_ELEMENTS (levels[level]))
        break;
      attn_jinja_take (parser);
      node = attn_jinja_node (parser, ATTN_JINJA_NODE_OPERATE, levels[level][i], node, NULL);
      node->parts[1] = parse_operators (parser, level + 1);
    }
  return node;
}

/* Parses comparisons, which can be chained: in a < b < c, b is evaluated once. */
static AttnJinjaNode *
parse_compare (AttnJinjaParser *parser)
{
  static const char * const operators[] = { "==", "!=", "<", "<=", ">", ">=", "in", "not" };
  AttnJinjaNode *first = parse_operators (parser, 0), *compare = NULL;

  while (!attn_jinja_is_failed (parser))
    {
      guint i = 0;

      while (i < G_N_ELEMENTS (operators) && !attn_jinja_is_next (parser, 0, operators[i]))
        i++;
      if (i == G_N_ELEMENTS (operators) ||
          (g_str_equal (operators[i], "not") && !attn_jinja_is_next (parser, 1, "in")))
        break;
      attn_jinja_take (parser);
      if (g_str_equal (operators[i], "not"))
        attn_jinja_take (parser);
      if (compare == NULL)
        {
          compare = attn_jinja_bare_node (parser, ATTN_JINJA_NODE_COMPARE, NULL);
          attn_jinja_node_add (parser, compare, first);
        }
      AttnJinjaNode *side = attn_jinja_bare_node (parser, ATTN_JINJA_NODE_ARGUMENT, operators[i]);
      side->parts[0] = parse_operators (parser, 0);
      attn_jinja_node_add (parser, compare, side);
    }
  return compare != NULL ? compare : first;
}

static AttnJinjaNode *
parse_not (AttnJinjaParser *parser)
{
  guint n = 0;

  while (attn_jinja_skip (parser, "not"))
    n++;
  AttnJinjaNode *node = parse_compare (parser);
  /* Three times "not" has the same effect as once, and four times the same as twice. */
  for (n = n > 2 ? 2 - n % 2 : n; n > 0; n--)
    node = attn_jinja_node (parser, ATTN_JINJA_NODE_NOT, NULL, node, NULL);
  return node;
}

typedef AttnJinjaNode *(*ParsePart) (AttnJinjaParser *parser);

/* Parses operands joined by a word such as "and". */
static AttnJinjaNode *
parse_joined (AttnJinjaParser   *parser,
              const char        *word,
              AttnJinjaNodeType  type,
              ParsePart          parse_part)
{
  AttnJinjaNode *node = parse_part (parser);

  while (!attn_jinja_is_failed (parser) && attn_jinja_skip (parser, word))
    {
      node = attn_jinja_node (parser, type, NULL, node, NULL);
      node->parts[1] = parse_part (parser);
    }
  return node;
}

static AttnJinjaNode *
parse_and (AttnJinjaParser *parser)
{
  return parse_joined (parser, "and", ATTN_JINJA_NODE_AND, parse_not);
}

static AttnJinjaNode *
parse_or (AttnJinjaParser *parser)
{
  return parse_joined (parser, "or", ATTN_JINJA_NODE_OR, parse_and);
}

/* Parses an expression. @with_condition: whether an "if … else …" may follow it */
AttnJinjaNode *
attn_jinja_parse_expression (AttnJinjaParser *parser,
                             gboolean         with_condition)
{
  gboolean goes_on = attn_jinja_run_enter (parser->run);
  AttnJinjaNode *node =
      goes_on ? parse_or (parser) : attn_jinja_constant (parser, attn_jinja_none ());

  while (goes_on && with_condition && !attn_jinja_is_failed (parser) &&
         attn_jinja_skip (parser, "if"))
    {
      AttnJinjaNode *condition = parse_or (parser);

      node = attn_jinja_node (parser, ATTN_JINJA_NODE_CONDITION, NULL, condition, node);
      if (attn_jinja_skip (parser, "else"))
        node->parts[2] = attn_jinja_parse_expression (parser, TRUE);
    }
  attn_jinja_run_leave (parser->run);
  return node;
}
