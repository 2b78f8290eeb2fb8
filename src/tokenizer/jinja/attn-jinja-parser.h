/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The interface between the files of the parser: reading marks (lexical tokens), creating nodes of
 * the syntax tree, parsing expressions. */

#pragma once

#include "attn-jinja-syntax.h"

G_BEGIN_DECLS

/**
 * AttnJinjaParser:
 * @marks: (element-type AttnJinjaMark): the marks of the template, from attn_jinja_scan()
 * @at: index of the mark that is read next
 *
 * State of the reading of a template into a syntax tree.
 */
typedef struct
{
  AttnJinjaRun *run;
  GArray *marks;
  guint at;
} AttnJinjaParser;

const AttnJinjaMark *attn_jinja_look (const AttnJinjaParser *parser,
                                      guint                  ahead);
const AttnJinjaMark *attn_jinja_take (AttnJinjaParser *parser);
gboolean attn_jinja_is_mark (const AttnJinjaParser *parser,
                             AttnJinjaMarkType      type);
gboolean attn_jinja_is_next (const AttnJinjaParser *parser,
                             guint                  ahead,
                             const char            *text);
gboolean attn_jinja_skip (AttnJinjaParser *parser,
                          const char      *text);
void attn_jinja_fail_mark (AttnJinjaParser *parser,
                           const char      *expected);
void attn_jinja_expect (AttnJinjaParser *parser,
                        const char      *text);
void attn_jinja_expect_mark (AttnJinjaParser  *parser,
                             AttnJinjaMarkType type,
                             const char       *text);
const char *attn_jinja_take_name (AttnJinjaParser *parser);
gboolean attn_jinja_is_failed (const AttnJinjaParser *parser);
AttnJinjaNode *attn_jinja_node (AttnJinjaParser  *parser,
                                AttnJinjaNodeType type,
                                const char       *name,
                                AttnJinjaNode    *first,
                                AttnJinjaNode    *second);
void attn_jinja_node_add (AttnJinjaParser *parser,
                          AttnJinjaNode   *node,
                          AttnJinjaNode   *item);
AttnJinjaNode *attn_jinja_bare_node (AttnJinjaParser   *parser,
                                     AttnJinjaNodeType  type,
                                     const char        *name);
AttnJinjaNode *attn_jinja_constant (AttnJinjaParser *parser,
                                    AttnJinjaValue   value);
AttnJinjaNode *attn_jinja_parse_tuple (AttnJinjaParser *parser,
                                       gboolean         with_condition,
                                       const char      *other_end,
                                       gboolean         may_be_empty);
AttnJinjaNode *attn_jinja_parse_name (AttnJinjaParser *parser);
AttnJinjaNode *attn_jinja_parse_filters (AttnJinjaParser *parser,
                                         AttnJinjaNode   *node,
                                         gboolean         is_begun);
AttnJinjaNode *attn_jinja_parse_expression (AttnJinjaParser *parser,
                                            gboolean         with_condition);

G_END_DECLS
