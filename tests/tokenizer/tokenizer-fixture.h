/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Tokenizers for the tests: those of this folder, and small ones made to order. */

#pragma once

#include <json-glib/json-glib.h>

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
AttnTokenizer *fixture_load_file     (const char     *name,
                                      const char     *text,
                                      gssize          length,
                                      const char     *other,
                                      const char     *other_text,
                                      GError        **error);
AttnTokenizer *fixture_load_document (const char     *pre_tokenizer,
                                      const char     *members,
                                      const char     *model_members,
                                      GError        **error);
AttnTokens    *fixture_tokens        (AttnTokenizer  *tokenizer,
                                      const char     *text,
                                      gssize          length,
                                      gboolean        add_special_tokens);
JsonNode      *fixture_load_expected (const char     *name);
void           fixture_assert_agrees (AttnTokenizer  *tokenizer,
                                      const char     *expected);
void           fixture_assert_decodes (AttnTokenizer *tokenizer,
                                       AttnTokens    *tokens,
                                       const char    *text,
                                       gsize          length);
void           fixture_append_random (GString        *text,
                                      GRand          *rand);
void           fixture_mutate        (GString        *text,
                                      GRand          *rand);
char          *fixture_join_labels   (AttnTokens     *tokens);
char          *fixture_encode        (AttnTokenizer  *tokenizer,
                                      const char     *text);

G_END_DECLS
