/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Basic steps of the parser, which reads one mark (lexical token) after the other, and the nodes
 * that it creates. */

#include "config.h"

#include "attn-jinja-parser.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* -- Marks -- */

/* Returns the mark (lexical token) that is @ahead marks after the next one. */
const AttnJinjaMark *
attn_jinja_look (const AttnJinjaParser *parser,
                 guint                  ahead)
{
  return &g_array_index (parser->marks, AttnJinjaMark,
                         MIN (parser->at + ahead, parser->marks->len - 1));
}

const AttnJinjaMark *
attn_jinja_take (AttnJinjaParser *parser)
{
  const AttnJinjaMark *mark = attn_jinja_look (parser, 0);

  parser->at++;
  parser->run->line = attn_jinja_look (parser, 0)->line;
  return mark;
}

gboolean
attn_jinja_is_mark (const AttnJinjaParser *parser,
                    AttnJinjaMarkType      type)
{
  return attn_jinja_look (parser, 0)->type == type;
}

/* Tells whether the mark that is @ahead marks after the next one is the operator or name @text. */
gboolean
attn_jinja_is_next (const AttnJinjaParser *parser,
                    guint                  ahead,
                    const char            *text)
{
  const AttnJinjaMark *mark = attn_jinja_look (parser, ahead);

  return (mark->type == ATTN_JINJA_MARK_OPERATOR || mark->type == ATTN_JINJA_MARK_NAME) &&
         g_str_equal (mark->text, text);
}

gboolean
attn_jinja_skip (AttnJinjaParser *parser,
                 const char      *text)
{
  if (!attn_jinja_is_next (parser, 0, text))
    return FALSE;
  attn_jinja_take (parser);
  return TRUE;
}

void
attn_jinja_fail_mark (AttnJinjaParser *parser,
                      const char      *expected)
{
  const AttnJinjaMark *mark = attn_jinja_look (parser, 0);

  parser->run->line = mark->line;
  attn_jinja_fail (parser->run, ATTN_ERROR_FORMAT, _("“%s” found, expected “%s”"), mark->text,
                   expected);
}

void
attn_jinja_expect (AttnJinjaParser *parser,
                   const char      *text)
{
  if (!attn_jinja_skip (parser, text))
    attn_jinja_fail_mark (parser, text);
}

void
attn_jinja_expect_mark (AttnJinjaParser   *parser,
                        AttnJinjaMarkType  type,
                        const char        *text)
{
  if (attn_jinja_is_mark (parser, type))
    attn_jinja_take (parser);
  else
    attn_jinja_fail_mark (parser, text);
}

const char *
attn_jinja_take_name (AttnJinjaParser *parser)
{
  if (attn_jinja_is_mark (parser, ATTN_JINJA_MARK_NAME))
    return attn_jinja_take (parser)->text;
  attn_jinja_fail_mark (parser, "name");
  return "";
}

gboolean
attn_jinja_is_failed (const AttnJinjaParser *parser)
{
  return parser->run->error != NULL;
}

/* -- Nodes -- */

AttnJinjaNode *
attn_jinja_node (AttnJinjaParser   *parser,
                 AttnJinjaNodeType  type,
                 const char        *name,
                 AttnJinjaNode     *first,
                 AttnJinjaNode     *second)
{
  AttnJinjaNode *node = attn_jinja_run_alloc (parser->run, sizeof *node);

  attn_jinja_run_spend (parser->run, 1);
  node->type = type;
  node->line = attn_jinja_look (parser, 0)->line;
  node->name = name;
  node->parts[0] = first;
  node->parts[1] = second;
  return node;
}

/* Creates a node whose parts and items are set later. */
AttnJinjaNode *
attn_jinja_bare_node (AttnJinjaParser   *parser,
                      AttnJinjaNodeType  type,
                      const char        *name)
{
  return attn_jinja_node (parser, type, name, NULL, NULL);
}

void
attn_jinja_node_add (AttnJinjaParser *parser,
                     AttnJinjaNode   *node,
                     AttnJinjaNode   *item)
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

AttnJinjaNode *
attn_jinja_constant (AttnJinjaParser *parser,
                     AttnJinjaValue   value)
{
  AttnJinjaNode *node = attn_jinja_bare_node (parser, ATTN_JINJA_NODE_CONSTANT, NULL);

  node->value = value;
  return node;
}
