/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Cuts text at the matches of a regular expression. */

#pragma once

#include "attn-tokenizer-component.h"

G_BEGIN_DECLS

/**
 * AttnSplitBehavior:
 * @ATTN_SPLIT_ISOLATED: each match is a word, and so is each stretch between two matches
 * @ATTN_SPLIT_REMOVED: matches are dropped
 * @ATTN_SPLIT_MERGED_WITH_PREVIOUS: a match ends the word before it
 * @ATTN_SPLIT_MERGED_WITH_NEXT: a match begins the word behind it
 * @ATTN_SPLIT_CONTIGUOUS: matches that touch are one word
 *
 * Selects what becomes of the matches at which a text is cut.
 */
typedef enum
{
  ATTN_SPLIT_ISOLATED,
  ATTN_SPLIT_REMOVED,
  ATTN_SPLIT_MERGED_WITH_PREVIOUS,
  ATTN_SPLIT_MERGED_WITH_NEXT,
  ATTN_SPLIT_CONTIGUOUS,
} AttnSplitBehavior;

/* The classes \s and \w of Unicode, to be put inside the brackets of a character class; those of
 * PCRE differ slightly. Source: White_Space of PropList.txt; UTS #18, Annex C: letters, marks,
 * digits, connectors, and the letters in circles and squares. */
#define ATTN_SPLITTER_SPACES                                                                     \
  "\\x09-\\x0D\\x20\\x{85}\\x{A0}\\x{1680}\\x{2000}-\\x{200A}\\x{2028}\\x{2029}\\x{202F}\\x{205F}" \
  "\\x{3000}"
#define ATTN_SPLITTER_WORDS                                                                   \
  "\\p{L}\\p{M}\\p{Nd}\\p{Nl}\\p{Pc}\\x{24B6}-\\x{24E9}\\x{1F130}-\\x{1F149}\\x{1F150}-" \
  "\\x{1F169}\\x{1F170}-\\x{1F189}"

#define ATTN_SPLITTER_WHITE_SPACE "[" ATTN_SPLITTER_SPACES "]"

typedef struct _AttnSplitter AttnSplitter;

AttnSplitter *attn_splitter_new           (const char          *pattern,
                                           AttnSplitBehavior    behavior,
                                           gboolean             is_inverted,
                                           const char          *where,
                                           GError             **error);
AttnSplitter *attn_splitter_new_from_json (AttnTokenizerComponent       *component,
                                           AttnSplitBehavior    behavior,
                                           gboolean             is_inverted);
void          attn_splitter_free          (AttnSplitter        *splitter);
gboolean      attn_splitter_split         (const AttnSplitter  *splitter,
                                           const char          *text,
                                           gsize                begin,
                                           gsize                end,
                                           GArray              *words,
                                           GError             **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnSplitter, attn_splitter_free)

G_END_DECLS
