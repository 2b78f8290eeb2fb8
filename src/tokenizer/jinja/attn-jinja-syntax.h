/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The lexical tokens (marks) and the syntax tree of a template. Follows the grammar of Jinja 3.1
 * with the settings of transformers: trim_blocks and lstrip_blocks, with the tags break, continue
 * and generation. */

#pragma once

#include "attn-jinja-value.h"

G_BEGIN_DECLS

typedef enum
{
  ATTN_JINJA_MARK_END,
  ATTN_JINJA_MARK_DATA,
  ATTN_JINJA_MARK_VARIABLE_BEGIN,
  ATTN_JINJA_MARK_VARIABLE_END,
  ATTN_JINJA_MARK_BLOCK_BEGIN,
  ATTN_JINJA_MARK_BLOCK_END,
  ATTN_JINJA_MARK_NAME,
  ATTN_JINJA_MARK_STRING,
  ATTN_JINJA_MARK_INTEGER,
  ATTN_JINJA_MARK_FLOAT,
  ATTN_JINJA_MARK_OPERATOR,
} AttnJinjaMarkType;

/**
 * AttnJinjaMark:
 * @text: the mark as it stands in the template; a string without its quotes, its escapes replaced
 *
 * A lexical token of a template.
 */
typedef struct
{
  AttnJinjaMarkType type;
  const char *text;
  guint line;
} AttnJinjaMark;

/**
 * AttnJinjaNodeType:
 * @ATTN_JINJA_NODE_BLOCK: items are statements
 * @ATTN_JINJA_NODE_DATA: name is text that is put out as it is
 * @ATTN_JINJA_NODE_OUTPUT: parts are the expression
 * @ATTN_JINJA_NODE_FOR: parts are the target, the sequence, the body, the condition on items and
 *   the body for a sequence without items, the last two or %NULL; is_set: the loop is recursive
 * @ATTN_JINJA_NODE_IF: items are conditions and bodies by turns; the last one may be the body of an
 *   "else"
 * @ATTN_JINJA_NODE_SET: parts are target and value
 * @ATTN_JINJA_NODE_SET_BLOCK: parts are target, body and the filters on the body, or %NULL
 * @ATTN_JINJA_NODE_MACRO: name; items are parameters; parts are the body
 * @ATTN_JINJA_NODE_CALL_BLOCK: parts are the call and the macro that the called one sees as
 *   "caller"
 * @ATTN_JINJA_NODE_FILTER_BLOCK: parts are the filters and the body
 * @ATTN_JINJA_NODE_WITH: items are targets and values by turns; parts are the body
 * @ATTN_JINJA_NODE_SCOPE: parts are a body that has names of its own
 * @ATTN_JINJA_NODE_PARAMETER: name; parts are its default value, or %NULL
 * @ATTN_JINJA_NODE_CONSTANT: value
 * @ATTN_JINJA_NODE_NAME: name
 * @ATTN_JINJA_NODE_MEMBER: a target "a.b": name is that of the namespace, "a"; value is the member,
 *   "b"
 * @ATTN_JINJA_NODE_LIST: items are those of the list; is_set: it is a tuple
 * @ATTN_JINJA_NODE_MAP: items are keys and values by turns
 * @ATTN_JINJA_NODE_CONDITION: "a if b else c": parts are b, a, and c or %NULL
 * @ATTN_JINJA_NODE_AND: parts are the operands, as of OR and NOT
 * @ATTN_JINJA_NODE_COMPARE: items are the first value, then for each comparison an argument, whose
 *   name is the operator and whose part is the other value
 * @ATTN_JINJA_NODE_OPERATE: name is the operator, parts its two sides
 * @ATTN_JINJA_NODE_NEGATE: parts are the number; is_set: the sign is plus
 * @ATTN_JINJA_NODE_ATTRIBUTE: parts are the value; name is the attribute
 * @ATTN_JINJA_NODE_ITEM: parts are the value and the key
 * @ATTN_JINJA_NODE_SLICE: parts are the value and its three numbers, each or %NULL
 * @ATTN_JINJA_NODE_CALL: parts are what is called; items are arguments
 * @ATTN_JINJA_NODE_FILTER: name; parts are the value, or %NULL for the body of a block; items are
 *   arguments
 * @ATTN_JINJA_NODE_TEST: name; parts are the value; items are arguments
 * @ATTN_JINJA_NODE_ARGUMENT: parts are the value; name is that of the parameter, "*" or "**" if the
 *   value holds several arguments, or %NULL
 *
 * Says of each type of node what its parts, its items and its other members are.
 */
typedef enum
{
  ATTN_JINJA_NODE_BLOCK,
  ATTN_JINJA_NODE_DATA,
  ATTN_JINJA_NODE_OUTPUT,
  ATTN_JINJA_NODE_FOR,
  ATTN_JINJA_NODE_IF,
  ATTN_JINJA_NODE_SET,
  ATTN_JINJA_NODE_SET_BLOCK,
  ATTN_JINJA_NODE_MACRO,
  ATTN_JINJA_NODE_CALL_BLOCK,
  ATTN_JINJA_NODE_FILTER_BLOCK,
  ATTN_JINJA_NODE_WITH,
  ATTN_JINJA_NODE_SCOPE,
  ATTN_JINJA_NODE_BREAK,
  ATTN_JINJA_NODE_CONTINUE,
  ATTN_JINJA_NODE_PARAMETER,
  ATTN_JINJA_NODE_CONSTANT,
  ATTN_JINJA_NODE_NAME,
  ATTN_JINJA_NODE_MEMBER,
  ATTN_JINJA_NODE_LIST,
  ATTN_JINJA_NODE_MAP,
  ATTN_JINJA_NODE_CONDITION,
  ATTN_JINJA_NODE_OR,
  ATTN_JINJA_NODE_AND,
  ATTN_JINJA_NODE_NOT,
  ATTN_JINJA_NODE_COMPARE,
  ATTN_JINJA_NODE_OPERATE,
  ATTN_JINJA_NODE_NEGATE,
  ATTN_JINJA_NODE_ATTRIBUTE,
  ATTN_JINJA_NODE_ITEM,
  ATTN_JINJA_NODE_SLICE,
  ATTN_JINJA_NODE_CALL,
  ATTN_JINJA_NODE_FILTER,
  ATTN_JINJA_NODE_TEST,
  ATTN_JINJA_NODE_ARGUMENT,
} AttnJinjaNodeType;

#define ATTN_JINJA_MAX_PARTS 5

typedef struct _AttnJinjaNode AttnJinjaNode;

/**
 * AttnJinjaNode:
 * @parts, @items: child nodes, in fixed places and as a list: #AttnJinjaNodeType says which
 *
 * A statement or an expression of a template, with the nodes that it consists of.
 */
struct _AttnJinjaNode
{
  AttnJinjaNodeType type;
  guint line;
  gboolean is_set;
  const char *name;
  AttnJinjaValue value;
  AttnJinjaNode *parts[ATTN_JINJA_MAX_PARTS];
  AttnJinjaNode **items;
  gsize n_items;
  gsize n_allocated;
};

GArray        *attn_jinja_scan  (AttnJinjaRun *run,
                                 const char   *source);
AttnJinjaNode *attn_jinja_parse (AttnJinjaRun *run,
                                 const char   *source);

G_END_DECLS
