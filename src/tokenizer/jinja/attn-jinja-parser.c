/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Marks made into a tree, each construct as parser.py of Jinja 3.1 reads it. */

#include "config.h"

#include "attn-jinja-syntax.h"

#include <glib/gi18n-lib.h>
#include <string.h>

typedef struct
{
  AttnJinjaRun *run;
  GArray *marks;
  guint at;
} Parser;

static AttnJinjaNode *parse_expression (Parser *parser,
                                        gboolean with_condition);
static AttnJinjaNode *parse_unary (Parser *parser,
                                   gboolean with_filters);
static AttnJinjaNode *parse_body (Parser *parser,
                                  const char * const *ends);

/* -- Marks -- */

/* The mark that is @ahead of the one that is read next. */
static const AttnJinjaMark *
look (const Parser *parser,
      guint         ahead)
{
  return &g_array_index (parser->marks, AttnJinjaMark,
                         MIN (parser->at + ahead, parser->marks->len - 1));
}

static const AttnJinjaMark *
take (Parser *parser)
{
  const AttnJinjaMark *mark = look (parser, 0);

  parser->at++;
  parser->run->line = look (parser, 0)->line;
  return mark;
}

static gboolean
is_mark (const Parser      *parser,
         AttnJinjaMarkType  type)
{
  return look (parser, 0)->type == type;
}

/* Tells whether an operator or a name follows. */
static gboolean
is_next (const Parser *parser,
         guint         ahead,
         const char   *text)
{
  const AttnJinjaMark *mark = look (parser, ahead);

  return (mark->type == ATTN_JINJA_MARK_OPERATOR || mark->type == ATTN_JINJA_MARK_NAME) &&
         g_str_equal (mark->text, text);
}

static gboolean
skip (Parser     *parser,
      const char *text)
{
  if (!is_next (parser, 0, text))
    return FALSE;
  take (parser);
  return TRUE;
}

static void
fail (Parser     *parser,
      const char *expected)
{
  const AttnJinjaMark *mark = look (parser, 0);

  parser->run->line = mark->line;
  attn_jinja_fail (parser->run, ATTN_ERROR_FORMAT, _("“%s” found, expected “%s”"), mark->text,
                   expected);
}

static void
expect (Parser     *parser,
        const char *text)
{
  if (!skip (parser, text))
    fail (parser, text);
}

static void
expect_mark (Parser            *parser,
             AttnJinjaMarkType  type,
             const char        *text)
{
  if (is_mark (parser, type))
    take (parser);
  else
    fail (parser, text);
}

static const char *
take_name (Parser *parser)
{
  if (is_mark (parser, ATTN_JINJA_MARK_NAME))
    return take (parser)->text;
  fail (parser, "name");
  return "";
}

static gboolean
is_failed (const Parser *parser)
{
  return parser->run->error != NULL;
}

/* -- Nodes -- */

static AttnJinjaNode *
new_node (Parser            *parser,
          AttnJinjaNodeType  type,
          const char        *name,
          AttnJinjaNode     *first,
          AttnJinjaNode     *second)
{
  AttnJinjaNode *node = attn_jinja_run_alloc (parser->run, sizeof *node);

  attn_jinja_run_spend (parser->run, 1);
  node->type = type;
  node->line = look (parser, 0)->line;
  node->name = name;
  node->parts[0] = first;
  node->parts[1] = second;
  return node;
}

static void
add (Parser        *parser,
     AttnJinjaNode *node,
     AttnJinjaNode *item)
{
  if (node->n_items == node->n_allocated)
    {
      AttnJinjaNode **items = node->items;

      node->n_allocated = MAX (4, 2 * node->n_allocated);
      node->items = attn_jinja_run_alloc (parser->run, node->n_allocated * sizeof *node->items);
      if (node->n_items > 0)
        memcpy (node->items, items, node->n_items * sizeof *items);
    }
  node->items[node->n_items++] = item;
}

static AttnJinjaNode *
new_constant (Parser         *parser,
              AttnJinjaValue  value)
{
  AttnJinjaNode *node = new_node (parser, ATTN_JINJA_NODE_CONSTANT, NULL, NULL, NULL);

  node->value = value;
  return node;
}

/* -- Expressions -- */

static gboolean
is_tuple_end (const Parser *parser,
              const char   *other_end)
{
  return is_mark (parser, ATTN_JINJA_MARK_VARIABLE_END) ||
         is_mark (parser, ATTN_JINJA_MARK_BLOCK_END) || is_next (parser, 0, ")") ||
         (other_end != NULL && is_next (parser, 0, other_end));
}

/* One expression, or several with commas, which are a tuple. */
static AttnJinjaNode *
parse_tuple (Parser     *parser,
             gboolean    with_condition,
             const char *other_end,
             gboolean    may_be_empty)
{
  AttnJinjaNode *tuple = new_node (parser, ATTN_JINJA_NODE_LIST, NULL, NULL, NULL);
  gboolean is_tuple = FALSE;

  tuple->is_set = TRUE;
  while (!is_failed (parser) && !is_tuple_end (parser, other_end))
    {
      add (parser, tuple, parse_expression (parser, with_condition));
      if (!skip (parser, ","))
        break;
      is_tuple = TRUE;
    }
  if (tuple->n_items == 0 && !may_be_empty)
    fail (parser, "…");
  return !is_tuple && tuple->n_items == 1 ? tuple->items[0] : tuple;
}

static AttnJinjaNode *
parse_list (Parser *parser)
{
  AttnJinjaNode *list = new_node (parser, ATTN_JINJA_NODE_LIST, NULL, NULL, NULL);

  while (!is_failed (parser) && !is_next (parser, 0, "]"))
    {
      if (list->n_items > 0)
        expect (parser, ",");
      if (!is_next (parser, 0, "]"))
        add (parser, list, parse_expression (parser, TRUE));
    }
  expect (parser, "]");
  return list;
}

static AttnJinjaNode *
parse_map (Parser *parser)
{
  AttnJinjaNode *map = new_node (parser, ATTN_JINJA_NODE_MAP, NULL, NULL, NULL);

  while (!is_failed (parser) && !is_next (parser, 0, "}"))
    {
      if (map->n_items > 0)
        expect (parser, ",");
      if (is_next (parser, 0, "}"))
        break;
      add (parser, map, parse_expression (parser, TRUE));
      expect (parser, ":");
      add (parser, map, parse_expression (parser, TRUE));
    }
  expect (parser, "}");
  return map;
}

/* A number as the template has it: decimal, or 0x, 0o, 0b. */
static AttnJinjaNode *
parse_integer (Parser *parser)
{
  const char *text = take (parser)->text;
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
  return new_constant (parser, attn_jinja_integer ((gint64) integer));
}

static AttnJinjaNode *
parse_string (Parser *parser)
{
  GString *text = g_string_new (NULL);

  while (is_mark (parser, ATTN_JINJA_MARK_STRING))
    g_string_append (text, take (parser)->text);
  return new_constant (parser, attn_jinja_take_text (parser->run, text));
}

static AttnJinjaNode *
parse_name (Parser *parser)
{
  const char *name = take (parser)->text;

  if (g_str_equal (name, "true") || g_str_equal (name, "True"))
    return new_constant (parser, attn_jinja_boolean (TRUE));
  if (g_str_equal (name, "false") || g_str_equal (name, "False"))
    return new_constant (parser, attn_jinja_boolean (FALSE));
  if (g_str_equal (name, "none") || g_str_equal (name, "None"))
    return new_constant (parser, attn_jinja_none ());
  return new_node (parser, ATTN_JINJA_NODE_NAME, name, NULL, NULL);
}

static AttnJinjaNode *
parse_primary (Parser *parser)
{
  AttnJinjaNode *node;

  switch (look (parser, 0)->type)
    {
    case ATTN_JINJA_MARK_NAME:
      return parse_name (parser);
    case ATTN_JINJA_MARK_STRING:
      return parse_string (parser);
    case ATTN_JINJA_MARK_INTEGER:
      return parse_integer (parser);
    case ATTN_JINJA_MARK_FLOAT:
      return new_constant (parser,
                           attn_jinja_float (g_ascii_strtod (take (parser)->text, NULL)));
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
  if (skip (parser, "["))
    return parse_list (parser);
  if (skip (parser, "{"))
    return parse_map (parser);
  if (!skip (parser, "("))
    {
      fail (parser, "…");
      return new_constant (parser, attn_jinja_none ());
    }
  node = parse_tuple (parser, TRUE, NULL, TRUE);
  expect (parser, ")");
  return node;
}

/* Parses the brackets behind a value: a key, or up to three numbers with colons. */
static AttnJinjaNode *
parse_item (Parser        *parser,
            AttnJinjaNode *value)
{
  AttnJinjaNode *item = new_node (parser, ATTN_JINJA_NODE_ITEM, NULL, value, NULL);

  if (!is_next (parser, 0, ":"))
    item->parts[1] = parse_expression (parser, TRUE);
  for (guint i = 2; i < 4 && skip (parser, ":"); i++)
    {
      item->type = ATTN_JINJA_NODE_SLICE;
      if (!is_next (parser, 0, ":") && !is_next (parser, 0, "]"))
        item->parts[i] = parse_expression (parser, TRUE);
    }
  expect (parser, "]");
  return item;
}

/* The arguments of a call, behind its bracket. */
static void
parse_arguments (Parser        *parser,
                 AttnJinjaNode *call)
{
  while (!is_failed (parser) && !is_next (parser, 0, ")"))
    {
      const char *name = NULL;

      if (call->n_items > 0)
        expect (parser, ",");
      if (is_next (parser, 0, ")"))
        break;
      if (is_next (parser, 0, "*") || is_next (parser, 0, "**"))
        name = take (parser)->text;
      else if (is_mark (parser, ATTN_JINJA_MARK_NAME) && is_next (parser, 1, "="))
        {
          name = take (parser)->text;
          take (parser);
        }
      AttnJinjaNode *argument = new_node (parser, ATTN_JINJA_NODE_ARGUMENT, name, NULL, NULL);
      argument->parts[0] = parse_expression (parser, TRUE);
      add (parser, call, argument);
    }
  expect (parser, ")");
}

static AttnJinjaNode *
parse_call (Parser        *parser,
            AttnJinjaNode *called)
{
  AttnJinjaNode *call = new_node (parser, ATTN_JINJA_NODE_CALL, NULL, called, NULL);

  take (parser);
  parse_arguments (parser, call);
  return call;
}

static AttnJinjaNode *
parse_postfix (Parser        *parser,
               AttnJinjaNode *node)
{
  while (!is_failed (parser))
    if (is_next (parser, 0, "("))
      node = parse_call (parser, node);
    else if (skip (parser, "["))
      node = parse_item (parser, node);
    else if (!skip (parser, "."))
      break;
    else if (is_mark (parser, ATTN_JINJA_MARK_INTEGER))
      node = new_node (parser, ATTN_JINJA_NODE_ITEM, NULL, node, parse_integer (parser));
    else
      {
        node = new_node (parser, ATTN_JINJA_NODE_ATTRIBUTE, NULL, node, NULL);
        node->name = take_name (parser);
      }
  return node;
}

/* A name with points, as extensions have them. */
static const char *
take_long_name (Parser *parser)
{
  const char *name = take_name (parser);

  while (skip (parser, "."))
    {
      g_autofree char *longer = g_strconcat (name, ".", take_name (parser), NULL);

      name = attn_jinja_run_dup (parser->run, longer, strlen (longer));
    }
  return name;
}

/* Filters, the first without its bar where @is_begun; @node: (nullable): what they act on */
static AttnJinjaNode *
parse_filters (Parser        *parser,
               AttnJinjaNode *node,
               gboolean       is_begun)
{
  while (!is_failed (parser) && (is_begun || skip (parser, "|")))
    {
      node = new_node (parser, ATTN_JINJA_NODE_FILTER, NULL, node, NULL);
      node->name = take_long_name (parser);
      if (skip (parser, "("))
        parse_arguments (parser, node);
      is_begun = FALSE;
    }
  return node;
}

/* Tells whether the words behind "is name" are an argument of the test without brackets. */
static gboolean
is_argument (const Parser *parser)
{
  switch (look (parser, 0)->type)
    {
    case ATTN_JINJA_MARK_STRING:
    case ATTN_JINJA_MARK_INTEGER:
    case ATTN_JINJA_MARK_FLOAT:
      return TRUE;
    case ATTN_JINJA_MARK_NAME:
      return !is_next (parser, 0, "else") && !is_next (parser, 0, "or") &&
             !is_next (parser, 0, "and");
    case ATTN_JINJA_MARK_OPERATOR:
      return is_next (parser, 0, "[") || is_next (parser, 0, "{");
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
parse_test (Parser        *parser,
            AttnJinjaNode *value)
{
  gboolean is_not = skip (parser, "not");
  AttnJinjaNode *test = new_node (parser, ATTN_JINJA_NODE_TEST, NULL, value, NULL);

  test->name = take_long_name (parser);
  if (skip (parser, "("))
    parse_arguments (parser, test);
  else if (is_argument (parser))
    {
      AttnJinjaNode *argument = new_node (parser, ATTN_JINJA_NODE_ARGUMENT, NULL, NULL, NULL);

      if (is_next (parser, 0, "is"))
        fail (parser, "and");
      argument->parts[0] = parse_postfix (parser, parse_primary (parser));
      add (parser, test, argument);
    }
  return is_not ? new_node (parser, ATTN_JINJA_NODE_NOT, NULL, test, NULL) : test;
}

static AttnJinjaNode *
parse_filters_and_tests (Parser        *parser,
                         AttnJinjaNode *node)
{
  while (!is_failed (parser))
    if (is_next (parser, 0, "|"))
      node = parse_filters (parser, node, FALSE);
    else if (skip (parser, "is"))
      node = parse_test (parser, node);
    else if (is_next (parser, 0, "("))
      node = parse_call (parser, node);
    else
      break;
  return node;
}

static AttnJinjaNode *
parse_unary (Parser   *parser,
             gboolean  with_filters)
{
  AttnJinjaNode *node;

  if (!attn_jinja_run_enter (parser->run))
    node = new_constant (parser, attn_jinja_none ());
  else if (is_next (parser, 0, "-") || is_next (parser, 0, "+"))
    {
      gboolean is_plus = take (parser)->text[0] == '+';

      node = new_node (parser, ATTN_JINJA_NODE_NEGATE, is_plus ? "+" : "-",
                       parse_unary (parser, FALSE), NULL);
      node->is_set = is_plus;
    }
  else
    node = parse_primary (parser);
  attn_jinja_run_leave (parser->run);
  node = parse_postfix (parser, node);
  return with_filters ? parse_filters_and_tests (parser, node) : node;
}

/* Operators of two sides, the ones that bind closest last. */
static AttnJinjaNode *
parse_operators (Parser *parser,
                 guint   level)
{
  static const char * const levels[][4] = {
    { "+", "-" }, { "~" }, { "*", "/", "//", "%" }, { "**" }
  };

  if (level == G_N_ELEMENTS (levels))
    return parse_unary (parser, TRUE);
  AttnJinjaNode *node = parse_operators (parser, level + 1);
  while (!is_failed (parser))
    {
      guint i = 0;

      while (i < G_N_ELEMENTS (levels[level]) &&
             (levels[level][i] == NULL || !is_next (parser, 0, levels[level][i])))
        i++;
      if (i == G_N_ELEMENTS (levels[level]))
        break;
      take (parser);
      node = new_node (parser, ATTN_JINJA_NODE_OPERATE, levels[level][i], node, NULL);
      node->parts[1] = parse_operators (parser, level + 1);
    }
  return node;
}

/* Operators between which the same value is asked twice: a < b < c. */
static AttnJinjaNode *
parse_compare (Parser *parser)
{
  static const char * const operators[] = { "==", "!=", "<", "<=", ">", ">=", "in", "not" };
  AttnJinjaNode *first = parse_operators (parser, 0), *compare = NULL;

  while (!is_failed (parser))
    {
      guint i = 0;

      while (i < G_N_ELEMENTS (operators) && !is_next (parser, 0, operators[i]))
        i++;
      if (i == G_N_ELEMENTS (operators) ||
          (g_str_equal (operators[i], "not") && !is_next (parser, 1, "in")))
        break;
      take (parser);
      if (g_str_equal (operators[i], "not"))
        take (parser);
      if (compare == NULL)
        {
          compare = new_node (parser, ATTN_JINJA_NODE_COMPARE, NULL, NULL, NULL);
          add (parser, compare, first);
        }
      AttnJinjaNode *side = new_node (parser, ATTN_JINJA_NODE_ARGUMENT, operators[i], NULL, NULL);
      side->parts[0] = parse_operators (parser, 0);
      add (parser, compare, side);
    }
  return compare != NULL ? compare : first;
}

static AttnJinjaNode *
parse_not (Parser *parser)
{
  guint n = 0;

  while (skip (parser, "not"))
    n++;
  AttnJinjaNode *node = parse_compare (parser);
  /* Three make what one makes. */
  for (n = n > 2 ? 2 - n % 2 : n; n > 0; n--)
    node = new_node (parser, ATTN_JINJA_NODE_NOT, NULL, node, NULL);
  return node;
}

static AttnJinjaNode *
parse_and (Parser *parser)
{
  AttnJinjaNode *node = parse_not (parser);

  while (!is_failed (parser) && skip (parser, "and"))
    {
      node = new_node (parser, ATTN_JINJA_NODE_AND, NULL, node, NULL);
      node->parts[1] = parse_not (parser);
    }
  return node;
}

static AttnJinjaNode *
parse_or (Parser *parser)
{
  AttnJinjaNode *node = parse_and (parser);

  while (!is_failed (parser) && skip (parser, "or"))
    {
      node = new_node (parser, ATTN_JINJA_NODE_OR, NULL, node, NULL);
      node->parts[1] = parse_and (parser);
    }
  return node;
}

/* @with_condition: whether "if … else …" may follow */
static AttnJinjaNode *
parse_expression (Parser   *parser,
                  gboolean  with_condition)
{
  gboolean goes_on = attn_jinja_run_enter (parser->run);
  AttnJinjaNode *node =
      goes_on ? parse_or (parser) : new_constant (parser, attn_jinja_none ());

  while (goes_on && with_condition && !is_failed (parser) && skip (parser, "if"))
    {
      AttnJinjaNode *condition = parse_or (parser);

      node = new_node (parser, ATTN_JINJA_NODE_CONDITION, NULL, condition, node);
      if (skip (parser, "else"))
        node->parts[2] = parse_expression (parser, TRUE);
    }
  attn_jinja_run_leave (parser->run);
  return node;
}

/* -- Statements -- */

/* A name, or several with commas, that values are given to. */
static AttnJinjaNode *
parse_target (Parser   *parser,
              gboolean  with_members)
{
  AttnJinjaNode *tuple = new_node (parser, ATTN_JINJA_NODE_LIST, NULL, NULL, NULL);
  gboolean is_tuple = FALSE;

  tuple->is_set = TRUE;
  attn_jinja_run_enter (parser->run);
  while (!is_failed (parser) && !is_next (parser, 0, "in") &&
         (is_mark (parser, ATTN_JINJA_MARK_NAME) || is_next (parser, 0, "(")))
    {
      AttnJinjaNode *item;

      if (skip (parser, "("))
        {
          item = parse_target (parser, with_members);
          expect (parser, ")");
        }
      else
        item = parse_name (parser);
      if (with_members && item->type == ATTN_JINJA_NODE_NAME && skip (parser, "."))
        {
          item->type = ATTN_JINJA_NODE_MEMBER;
          item->value = attn_jinja_string (take_name (parser));
        }
      if (item->type == ATTN_JINJA_NODE_CONSTANT)
        fail (parser, "name");
      add (parser, tuple, item);
      if (!skip (parser, ","))
        break;
      is_tuple = TRUE;
    }
  attn_jinja_run_leave (parser->run);
  if (tuple->n_items == 0)
    fail (parser, "name");
  return !is_tuple && tuple->n_items == 1 ? tuple->items[0] : tuple;
}

static AttnJinjaNode *
parse_for (Parser *parser)
{
  static const char * const ends[] = { "endfor", "else", NULL };
  AttnJinjaNode *node = new_node (parser, ATTN_JINJA_NODE_FOR, NULL, NULL, NULL);

  node->parts[0] = parse_target (parser, FALSE);
  expect (parser, "in");
  node->parts[1] = parse_tuple (parser, FALSE, "recursive", FALSE);
  if (skip (parser, "if"))
    node->parts[3] = parse_expression (parser, TRUE);
  node->is_set = skip (parser, "recursive");
  node->parts[2] = parse_body (parser, ends);
  if (g_str_equal (take (parser)->text, "else"))
    {
      node->parts[4] = parse_body (parser, ends);
      expect (parser, "endfor");
    }
  return node;
}

static AttnJinjaNode *
parse_if (Parser *parser)
{
  static const char * const ends[] = { "elif", "else", "endif", NULL };
  AttnJinjaNode *node = new_node (parser, ATTN_JINJA_NODE_IF, NULL, NULL, NULL);
  const char *word = "if";

  while (!is_failed (parser) && !g_str_equal (word, "endif"))
    {
      if (!g_str_equal (word, "else"))
        add (parser, node, parse_tuple (parser, FALSE, NULL, FALSE));
      add (parser, node, parse_body (parser, g_str_equal (word, "else") ? ends + 2 : ends));
      word = take (parser)->text;
    }
  return node;
}

static AttnJinjaNode *
parse_set (Parser *parser)
{
  static const char * const ends[] = { "endset", NULL };
  AttnJinjaNode *target = parse_target (parser, TRUE);
  AttnJinjaNode *node = new_node (parser, ATTN_JINJA_NODE_SET, NULL, target, NULL);

  if (skip (parser, "="))
    {
      node->parts[1] = parse_tuple (parser, TRUE, NULL, FALSE);
      return node;
    }
  node->type = ATTN_JINJA_NODE_SET_BLOCK;
  node->parts[2] = parse_filters (parser, NULL, FALSE);
  node->parts[1] = parse_body (parser, ends);
  take (parser);
  return node;
}

/* The parameters of a macro, behind its bracket. */
static void
parse_parameters (Parser        *parser,
                  AttnJinjaNode *macro)
{
  while (!is_failed (parser) && !is_next (parser, 0, ")"))
    {
      if (macro->n_items > 0)
        expect (parser, ",");
      AttnJinjaNode *parameter =
          new_node (parser, ATTN_JINJA_NODE_PARAMETER, take_name (parser), NULL, NULL);
      if (skip (parser, "="))
        parameter->parts[0] = parse_expression (parser, TRUE);
      else if (macro->n_items > 0 && macro->items[macro->n_items - 1]->parts[0] != NULL)
        fail (parser, "=");
      add (parser, macro, parameter);
    }
  expect (parser, ")");
}

static AttnJinjaNode *
parse_macro (Parser *parser)
{
  static const char * const ends[] = { "endmacro", NULL };
  AttnJinjaNode *macro = new_node (parser, ATTN_JINJA_NODE_MACRO, take_name (parser), NULL, NULL);

  expect (parser, "(");
  parse_parameters (parser, macro);
  macro->parts[0] = parse_body (parser, ends);
  take (parser);
  return macro;
}

static AttnJinjaNode *
parse_call_block (Parser *parser)
{
  static const char * const ends[] = { "endcall", NULL };
  AttnJinjaNode *caller = new_node (parser, ATTN_JINJA_NODE_MACRO, "caller", NULL, NULL);
  AttnJinjaNode *node = new_node (parser, ATTN_JINJA_NODE_CALL_BLOCK, NULL, NULL, caller);

  if (skip (parser, "("))
    parse_parameters (parser, caller);
  node->parts[0] = parse_expression (parser, TRUE);
  if (node->parts[0]->type != ATTN_JINJA_NODE_CALL)
    fail (parser, "(");
  caller->parts[0] = parse_body (parser, ends);
  take (parser);
  return node;
}

static AttnJinjaNode *
parse_filter_block (Parser *parser)
{
  static const char * const ends[] = { "endfilter", NULL };
  AttnJinjaNode *node = new_node (parser, ATTN_JINJA_NODE_FILTER_BLOCK, NULL, NULL, NULL);

  node->parts[0] = parse_filters (parser, NULL, TRUE);
  node->parts[1] = parse_body (parser, ends);
  take (parser);
  return node;
}

static AttnJinjaNode *
parse_with (Parser *parser)
{
  static const char * const ends[] = { "endwith", NULL };
  AttnJinjaNode *node = new_node (parser, ATTN_JINJA_NODE_WITH, NULL, NULL, NULL);

  while (!is_failed (parser) && !is_mark (parser, ATTN_JINJA_MARK_BLOCK_END))
    {
      if (node->n_items > 0)
        expect (parser, ",");
      if (!is_mark (parser, ATTN_JINJA_MARK_NAME))
        fail (parser, "name");
      else
        add (parser, node, parse_name (parser));
      expect (parser, "=");
      add (parser, node, parse_expression (parser, TRUE));
    }
  node->parts[0] = parse_body (parser, ends);
  take (parser);
  return node;
}

/* Parses the mark of an answer's tokens for transformers; its contents are put out. */
static AttnJinjaNode *
parse_generation (Parser *parser)
{
  static const char * const ends[] = { "endgeneration", NULL };
  AttnJinjaNode *node = new_node (parser, ATTN_JINJA_NODE_SCOPE, NULL, NULL, NULL);

  node->parts[0] = parse_body (parser, ends);
  take (parser);
  return node;
}

static AttnJinjaNode *
parse_break (Parser *parser)
{
  return new_node (parser, ATTN_JINJA_NODE_BREAK, NULL, NULL, NULL);
}

static AttnJinjaNode *
parse_continue (Parser *parser)
{
  return new_node (parser, ATTN_JINJA_NODE_CONTINUE, NULL, NULL, NULL);
}

static const struct
{
  const char *name;
  AttnJinjaNode *(*parse) (Parser *parser);
} statements[] = {
  { "for", parse_for },
  { "if", parse_if },
  { "set", parse_set },
  { "macro", parse_macro },
  { "call", parse_call_block },
  { "filter", parse_filter_block },
  { "with", parse_with },
  { "generation", parse_generation },
  { "break", parse_break },
  { "continue", parse_continue },
};

static AttnJinjaNode *
parse_statement (Parser *parser)
{
  guint line = look (parser, 0)->line;
  const char *name = take_name (parser);

  for (gsize i = 0; i < G_N_ELEMENTS (statements) && !is_failed (parser); i++)
    if (g_str_equal (statements[i].name, name))
      {
        AttnJinjaNode *node = statements[i].parse (parser);

        node->line = line;
        expect_mark (parser, ATTN_JINJA_MARK_BLOCK_END, "%}");
        return node;
      }
  parser->run->line = line;
  attn_jinja_fail (parser->run, ATTN_ERROR_UNSUPPORTED,
                   _("the statement “%s” found, which chat templates do not have"), name);
  return new_constant (parser, attn_jinja_none ());
}

static gboolean
is_one_of (const Parser       *parser,
           const char * const *ends)
{
  for (; ends != NULL && *ends != NULL; ends++)
    if (is_next (parser, 0, *ends))
      return TRUE;
  return FALSE;
}

/* Statements up to one of @ends, which stays to be taken; up to the end of the template where
 * there are none. */
static AttnJinjaNode *
parse_statements (Parser             *parser,
                  const char * const *ends)
{
  AttnJinjaNode *block = new_node (parser, ATTN_JINJA_NODE_BLOCK, NULL, NULL, NULL);

  while (!is_failed (parser) && !is_mark (parser, ATTN_JINJA_MARK_END))
    {
      const AttnJinjaMark *mark = take (parser);

      if (mark->type == ATTN_JINJA_MARK_DATA)
        add (parser, block, new_node (parser, ATTN_JINJA_NODE_DATA, mark->text, NULL, NULL));
      else if (mark->type == ATTN_JINJA_MARK_VARIABLE_BEGIN)
        {
          AttnJinjaNode *output = new_node (parser, ATTN_JINJA_NODE_OUTPUT, NULL, NULL, NULL);

          output->parts[0] = parse_tuple (parser, TRUE, NULL, FALSE);
          add (parser, block, output);
          expect_mark (parser, ATTN_JINJA_MARK_VARIABLE_END, "}}");
        }
      else if (is_one_of (parser, ends))
        return block;
      else
        add (parser, block, parse_statement (parser));
    }
  if (ends != NULL && !is_failed (parser))
    attn_jinja_fail (parser->run, ATTN_ERROR_FORMAT,
                     _("the end of the template found, expected “%s”"), *ends);
  return block;
}

/* Parses the body between a tag, of which the end comes next, and one of @ends. */
static AttnJinjaNode *
parse_body (Parser             *parser,
            const char * const *ends)
{
  AttnJinjaNode *body = NULL;

  skip (parser, ":");
  expect_mark (parser, ATTN_JINJA_MARK_BLOCK_END, "%}");
  if (attn_jinja_run_enter (parser->run))
    body = parse_statements (parser, ends);
  attn_jinja_run_leave (parser->run);
  return body;
}

/**
 * attn_jinja_parse:
 * @source: a template in UTF-8
 *
 * Returns: (transfer none): its tree, of use where the run has not failed
 */
AttnJinjaNode *
attn_jinja_parse (AttnJinjaRun *run,
                  const char   *source)
{
  g_autoptr (GArray) marks = attn_jinja_scan (run, source);
  Parser parser = { .run = run, .marks = marks };

  run->line = 1;
  return parse_statements (&parser, NULL);
}
