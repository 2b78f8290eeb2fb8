/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Tokenizers for the tests: those of this folder, and small ones made to order. */

#pragma once

#include "attn-tokenizer.h"

G_BEGIN_DECLS

/* JSON as the tests write it: with ' in place of ". */
#define FIXTURE_BYTE_LEVEL \
  "{'type':'ByteLevel','add_prefix_space':false,'trim_offsets':true,'use_regex':true}"

char          *fixture_json          (const char     *text);
AttnTokenizer *fixture_load          (const char     *name);
char          *fixture_document      (const char     *pre_tokenizer,
                                      const char     *members,
                                      const char     *model_members);
AttnTokenizer *fixture_load_text     (const char     *text,
                                      gssize          length,
                                      GError        **error);
AttnTokenizer *fixture_load_document (const char     *pre_tokenizer,
                                      const char     *members,
                                      const char     *model_members,
                                      GError        **error);
char          *fixture_join_labels   (AttnTokens     *tokens);
char          *fixture_encode        (AttnTokenizer  *tokenizer,
                                      const char     *text);

G_END_DECLS
