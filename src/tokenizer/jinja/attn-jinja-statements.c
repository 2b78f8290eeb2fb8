/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Parses statements of a template, each as parser.py of Jinja 3.1 does, and whole templates. */

#include "config.h"

#include "attn-jinja-parser.h"

#include <glib/gi18n-lib.h>

static AttnJinjaNode *parse_body (AttnJinjaParser *parser,
                                  const char * const *ends);

/* Parses the target of an assignment: a name, or several separated by commas. @with_members:
 * whether a member of a namespace, "a.b", may be assigned to as well */
static AttnJinjaNode *
parse_target (AttnJinjaParser *parser,
              gboolean         with_members)
{
  AttnJinjaNode *tuple = attn_jinja_bare_node (parser, ATTN_JINJA_NODE_LIST, NULL);
  gboolean is_tuple = FALSE;

  tuple->is_set = TRUE;
  attn_jinja_run_enter (parser->run);
  while (!attn_jinja_is_failed (parser) && !attn_jinja_is_next (parser, 0, "in") &&
         (attn_jinja_is_mark (parser, ATTN_JINJA_MARK_NAME) || attn_jinja_is_next (parser, 0, "(")))
    {
      AttnJinjaNode *item;

      if (attn_jinja_skip (parser, "("))
        {
          item = parse_target (parser, with_members);
          attn_jinja_expect (parser, ")");
        }
      else
        item = attn_jinja_parse_name (parser);
      if (with_members && item->type == ATTN_JINJA_NODE_NAME && attn_jinja_skip (parser, "."))
        {
          item->type = ATTN_JINJA_NODE_MEMBER;
          item->value = attn_jinja_string (attn_jinja_take_name (parser));
        }
      if (item->type == ATTN_JINJA_NODE_CONSTANT)
        attn_jinja_fail_mark (parser, "name");
      attn_jinja_node_add (parser, tuple, item);
      if (!attn_jinja_skip (parser, ","))
        break;
      is_tuple = TRUE;
    }
  attn_jinja_run_leave (parser->run);
  if (tuple->n_items == 0)
    attn_jinja_fail_mark (parser, "name");
  return !is_tuple && tuple->n_items == 1 ? tuple->items[0] : tuple;
}

static AttnJinjaNode *
parse_for (AttnJinjaParser *parser)
{
  static const char * const ends[] = { "endfor", "else", NULL };
  AttnJinjaNode *node = attn_jinja_bare_node (parser, ATTN_JINJA_NODE_FOR, NULL);

  node->parts[0] = parse_target (parser, FALSE);
  attn_jinja_expect (parser, "in");
  node->parts[1] = attn_jinja_parse_tuple (parser, FALSE, "recursive", FALSE);
  if (attn_jinja_skip (parser, "if"))
    node->parts[3] = attn_jinja_parse_expression (parser, TRUE);
  node->is_set = attn_jinja_skip (parser, "recursive");
  node->parts[2] = parse_body (parser, ends);
  if (g_str_equal (attn_jinja_take (parser)->text, "else"))
    {
      node->parts[4] = parse_body (parser, ends);
      attn_jinja_expect (parser, "endfor");
    }
  return node;
}

static AttnJinjaNode *
parse_if (AttnJinjaParser *parser)
{
  static const char * const ends[] = { "elif", "else", "endif", NULL };
  AttnJinjaNode *node = attn_jinja_bare_node (parser, ATTN_JINJA_NODE_IF, NULL);
  const char *word = "if";

  while (!attn_jinja_is_failed (parser) && !g_str_equal (word, "endif"))
    {
      if (!g_str_equal (word, "else"))
        attn_jinja_node_add (parser, node, attn_jinja_parse_tuple (parser, FALSE, NULL, FALSE));
      attn_jinja_node_add (parser, node,
                           parse_body (parser, g_str_equal (word, "else") ? ends + 2 : ends));
      word = attn_jinja_take (parser)->text;
    }
  return node;
}

static AttnJinjaNode *
parse_set (AttnJinjaParser *parser)
{
  static const char * const ends[] = { "endset", NULL };
  AttnJinjaNode *target = parse_target (parser, TRUE);
  AttnJinjaNode *node = attn_jinja_node (parser, ATTN_JINJA_NODE_SET, NULL, target, NULL);

  if (attn_jinja_skip (parser, "="))
    {
      node->parts[1] = attn_jinja_parse_tuple (parser, TRUE, NULL, FALSE);
      return node;
    }
  node->type = ATTN_JINJA_NODE_SET_BLOCK;
  node->parts[2] = attn_jinja_parse_filters (parser, NULL, FALSE);
  node->parts[1] = parse_body (parser, ends);
  attn_jinja_take (parser);
  return node;
}

/* Parses the parameters of a macro, after its opening bracket. */
static void
parse_parameters (AttnJinjaParser *parser,
                  AttnJinjaNode   *macro)
{
  while (!attn_jinja_is_failed (parser) && !attn_jinja_is_next (parser, 0, ")"))
    {
      if (macro->n_items > 0)
        attn_jinja_expect (parser, ",");
      AttnJinjaNode *parameter =
          attn_jinja_bare_node (parser, ATTN_JINJA_NODE_PARAMETER, attn_jinja_take_name (parser));
      if (attn_jinja_skip (parser, "="))
        parameter->parts[0] = attn_jinja_parse_expression (parser, TRUE);
      else if (macro->n_items > 0 && macro->items[macro->n_items - 1]->parts[0] != NULL)
        attn_jinja_fail_mark (parser, "=");
      attn_jinja_node_add (parser, macro, parameter);
    }
  attn_jinja_expect (parser, ")");
}

static AttnJinjaNode *
parse_macro (AttnJinjaParser *parser)
{
  static const char * const ends[] = { "endmacro", NULL };
  const char *name = attn_jinja_take_name (parser);
  AttnJinjaNode *macro = attn_jinja_bare_node (parser, ATTN_JINJA_NODE_MACRO, name);

  attn_jinja_expect (parser, "(");
  parse_parameters (parser, macro);
  macro->parts[0] = parse_body (parser, ends);
  attn_jinja_take (parser);
  return macro;
}

static AttnJinjaNode *
parse_call_block (AttnJinjaParser *parser)
{
  static const char * const ends[] = { "endcall", NULL };
  AttnJinjaNode *caller = attn_jinja_bare_node (parser, ATTN_JINJA_NODE_MACRO, "caller");
  AttnJinjaNode *node = attn_jinja_node (parser, ATTN_JINJA_NODE_CALL_BLOCK, NULL, NULL, caller);

  if (attn_jinja_skip (parser, "("))
    parse_parameters (parser, caller);
  node->parts[0] = attn_jinja_parse_expression (parser, TRUE);
  if (node->parts[0]->type != ATTN_JINJA_NODE_CALL)
    attn_jinja_fail_mark (parser, "(");
  caller->parts[0] = parse_body (parser, ends);
  attn_jinja_take (parser);
  return node;
}

static AttnJinjaNode *
parse_filter_block (AttnJinjaParser *parser)
{
  static const char * const ends[] = { "endfilter", NULL };
  AttnJinjaNode *node = attn_jinja_bare_node (parser, ATTN_JINJA_NODE_FILTER_BLOCK, NULL);

  node->parts[0] = attn_jinja_parse_filters (parser, NULL, TRUE);
  node->parts[1] = parse_body (parser, ends);
  attn_jinja_take (parser);
  return node;
}

static AttnJinjaNode *
parse_with (AttnJinjaParser *parser)
{
  static const char * const ends[] = { "endwith", NULL };
  AttnJinjaNode *node = attn_jinja_bare_node (parser, ATTN_JINJA_NODE_WITH, NULL);

  while (!attn_jinja_is_failed (parser) && !attn_jinja_is_mark (parser, ATTN_JINJA_MARK_BLOCK_END))
    {
      if (node->n_items > 0)
        attn_jinja_expect (parser, ",");
      if (!attn_jinja_is_mark (parser, ATTN_JINJA_MARK_NAME))
        attn_jinja_fail_mark (parser, "name");
      else
        attn_jinja_node_add (parser, node, attn_jinja_parse_name (parser));
      attn_jinja_expect (parser, "=");
      attn_jinja_node_add (parser, node, attn_jinja_parse_expression (parser, TRUE));
    }
  node->parts[0] = parse_body (parser, ends);
  attn_jinja_take (parser);
  return node;
}

/* Parses {% generation %}, with which transformers marks the tokens of an answer. Its contents are
 * written as if the tag were not there. */
static AttnJinjaNode *
parse_generation (AttnJinjaParser *parser)
{
  static const char * const ends[] = { "endgeneration", NULL };
  AttnJinjaNode *node = attn_jinja_bare_node (parser, ATTN_JINJA_NODE_SCOPE, NULL);

  node->parts[0] = parse_body (parser, ends);
  attn_jinja_take (parser);
  return node;
}

static AttnJinjaNode *
parse_break (AttnJinjaParser *parser)
{
  return attn_jinja_bare_node (parser, ATTN_JINJA_NODE_BREAK, NULL);
}

static AttnJinjaNode *
parse_continue (AttnJinjaParser *parser)
{
  return attn_jinja_bare_node (parser, ATTN_JINJA_NODE_CONTINUE, NULL);
}

static const struct
{
  const char *name;
  AttnJinjaNode *(*parse) (AttnJinjaParser *parser);
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
parse_statement (AttnJinjaParser *parser)
{
  guint line = attn_jinja_look (parser, 0)->line;
  const char *name = attn_jinja_take_name (parser);

  for (gsize i = 0; i < G_N_ELEMENTS (statements) && !attn_jinja_is_failed (parser); i++)
    if (g_str_equal (statements[i].name, name))
      {
        AttnJinjaNode *node = statements[i].parse (parser);

        node->line = line;
        attn_jinja_expect_mark (parser, ATTN_JINJA_MARK_BLOCK_END, "%}");
        return node;
      }
  parser->run->line = line;
  attn_jinja_fail (parser->run, ATTN_ERROR_UNSUPPORTED,
                   _("the statement “%s” found, which chat templates do not have"), name);
  return attn_jinja_constant (parser, attn_jinja_none ());
}

static gboolean
is_one_of (const AttnJinjaParser *parser,
           const char * const    *ends)
{
  for (; ends != NULL && *ends != NULL; ends++)
    if (attn_jinja_is_next (parser, 0, *ends))
      return TRUE;
  return FALSE;
}

/* Parses statements up to one of the tags @ends, which is not consumed, or up to the end of the
 * template if @ends is NULL. */
static AttnJinjaNode *
parse_statements (AttnJinjaParser    *parser,
                  const char * const *ends)
{
  AttnJinjaNode *block = attn_jinja_bare_node (parser, ATTN_JINJA_NODE_BLOCK, NULL);

  while (!attn_jinja_is_failed (parser) && !attn_jinja_is_mark (parser, ATTN_JINJA_MARK_END))
    {
      const AttnJinjaMark *mark = attn_jinja_take (parser);

      if (mark->type == ATTN_JINJA_MARK_DATA)
        attn_jinja_node_add (parser, block,
                             attn_jinja_bare_node (parser, ATTN_JINJA_NODE_DATA, mark->text));
      else if (mark->type == ATTN_JINJA_MARK_VARIABLE_BEGIN)
        {
          AttnJinjaNode *output = attn_jinja_bare_node (parser, ATTN_JINJA_NODE_OUTPUT, NULL);

          output->parts[0] = attn_jinja_parse_tuple (parser, TRUE, NULL, FALSE);
          attn_jinja_node_add (parser, block, output);
          attn_jinja_expect_mark (parser, ATTN_JINJA_MARK_VARIABLE_END, "}}");
        }
      else if (is_one_of (parser, ends))
        return block;
      else
        attn_jinja_node_add (parser, block, parse_statement (parser));
    }
  if (ends != NULL && !attn_jinja_is_failed (parser))
    attn_jinja_fail (parser->run, ATTN_ERROR_FORMAT,
                     _("the end of the template found, expected “%s”"), *ends);
  return block;
}

/* Parses the body of a statement, from the end of its opening tag up to one of the tags @ends. */
static AttnJinjaNode *
parse_body (AttnJinjaParser    *parser,
            const char * const *ends)
{
  AttnJinjaNode *body = NULL;

  attn_jinja_skip (parser, ":");
  attn_jinja_expect_mark (parser, ATTN_JINJA_MARK_BLOCK_END, "%}");
  if (attn_jinja_run_enter (parser->run))
    body = parse_statements (parser, ends);
  attn_jinja_run_leave (parser->run);
  return body;
}

/**
 * attn_jinja_parse:
 * @source: a template in UTF-8
 *
 * Returns: (transfer none): the syntax tree of the template; only valid if the run has not failed
 */
AttnJinjaNode *
attn_jinja_parse (AttnJinjaRun *run,
                  const char   *source)
{
  g_autoptr (GArray) marks = attn_jinja_scan (run, source);
  AttnJinjaParser parser = { .run = run, .marks = marks };

  run->line = 1;
  return parse_statements (&parser, NULL);
}
