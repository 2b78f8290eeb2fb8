/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reading a tokenizer.json: every component, and files that are wrong. */

#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>

#include "attn-error.h"
#include "attn-memory.h"
#include "attn-tokenizer.h"
#include "tokenizer-fixture.h"

static AttnTokenizer *
load (const char *pre_tokenizer,
      const char *members,
      const char *model_members)
{
  g_autoptr (GError) error = NULL;
  AttnTokenizer *tokenizer = fixture_load_document (pre_tokenizer, members, model_members, &error);

  g_assert_no_error (error);
  return tokenizer;
}

static void
assert_labels (AttnTokenizer *tokenizer,
               const char    *text,
               const char    *expected)
{
  g_autofree char *labels = fixture_encode (tokenizer, text);

  g_assert_cmpstr (labels, ==, expected);
}

static void
test_kind_and_size (void)
{
  g_autoptr (AttnTokenizer) tokenizer = load (NULL, NULL, NULL);

  g_assert_cmpstr (attn_tokenizer_get_kind (tokenizer), ==, "byte-level BPE");
  g_assert_cmpuint (attn_tokenizer_get_size (tokenizer), ==, 261);
  g_assert_cmpstr (attn_tokenizer_get_piece (tokenizer, 260), ==, "Ġw");
  assert_labels (tokenizer, "hello world", "hello|␣w|o|r|l|d");
}

static void
test_type_of_bpe_may_be_left_out (void)
{
  g_autofree char *document = fixture_document (NULL, NULL, NULL);
  g_auto (GStrv) halves = g_strsplit (document, "\"type\":\"BPE\",", 2);
  g_autofree char *untyped = g_strconcat (halves[0], halves[1], NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnTokenizer) tokenizer = fixture_load_text (untyped, -1, &error);

  g_assert_no_error (error);
  assert_labels (tokenizer, "hell", "hell");
}

static void
test_prefix_space (void)
{
  g_autoptr (AttnTokenizer) tokenizer =
      load ("{'type':'ByteLevel','add_prefix_space':true}", NULL, NULL);
  g_autoptr (AttnTokens) tokens = attn_tokenizer_encode (tokenizer, "wa", -1, TRUE, NULL);

  assert_labels (tokenizer, "wa", "␣w|a");
  assert_labels (tokenizer, " wa", "␣w|a");
  assert_labels (tokenizer, "", "");
  /* The space that was put in front is not in the text. */
  g_assert_cmpuint (tokens->tokens[0].begin, ==, 0);
  g_assert_cmpuint (tokens->tokens[0].end, ==, 1);
  g_assert_cmpuint (tokens->tokens[1].begin, ==, 1);
}

/* The vocabulary joins a space to whatever it stands beside, unless there is a cut. */
static void
test_split_behaviors (void)
{
  static const char vocabulary[] =
      "'vocab':{'a':0,'w':1,'Ġ':2,'aĠ':3,'Ġw':4,'ĠĠ':5},"
      "'merges':['a Ġ','Ġ w','Ġ Ġ']";
  static const struct
  {
    const char *behavior;
    const char *is_inverted;
    const char *expected; /* of "a w  w" */
  } cases[] = {
    { "Isolated", "false", "a|␣|w|␣|␣|w" },
    { "Isolated", "true", "a|␣|w|␣|␣|w" },
    { "Removed", "false", "a|w|w" },
    { "Removed", "true", "␣|␣|␣" },
    { "MergedWithPrevious", "false", "a␣|w|␣|␣|w" },
    { "MergedWithNext", "false", "a|␣w|␣|␣w" },
    { "Contiguous", "false", "a|␣|w|␣␣|w" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    for (int is_regex = 0; is_regex < 2; is_regex++)
      {
        g_autofree char *split = g_strdup_printf (
            "{'type':'Sequence','pretokenizers':[{'type':'Split','pattern':{%s},"
            "'behavior':'%s','invert':%s},{'type':'ByteLevel','add_prefix_space':false,"
            "'use_regex':false}]}",
            is_regex ? "'Regex':'\\\\s'" : "'String':' '",
            cases[i].behavior, cases[i].is_inverted);
        g_autoptr (AttnTokenizer) tokenizer = load (split, NULL, vocabulary);

        assert_labels (tokenizer, "a w  w", cases[i].expected);
      }
}

/* BLOOM's pattern: a class within a class. */
static void
test_classes_within_classes (void)
{
  g_autoptr (AttnTokenizer) tokenizer = load (
      "{'type':'Sequence','pretokenizers':[{'type':'Split','pattern':"
      "{'Regex':' ?[^(\\\\s|[.,!?…])]+'},'behavior':'Removed'},{'type':'ByteLevel',"
      "'add_prefix_space':false,'use_regex':false}]}",
      NULL, NULL);

  assert_labels (tokenizer, "he, [hell] (o)!  w.", ",|␣|(|)|!|␣|.");
}

/* What the library, which does it with Oniguruma, takes for a word: marks and superscripts, too.
 * PCRE has a space that Unicode has not. */
static void
test_shorthands_are_those_of_oniguruma (void)
{
  static const char format[] =
      "{'type':'Sequence','pretokenizers':[{'type':'Split','pattern':{'Regex':'%s'},'behavior':"
      "'Removed'},{'type':'ByteLevel','add_prefix_space':false,'use_regex':false}]}";
  static const struct
  {
    const char *pattern;
    const char *text;
    const char *expected;
  } cases[] = {
    { "\\\\w+", "h\u0301\u00b9_\u0660-\u2160\u24b6.", "-|." },
    { "[^\\\\w]+", "h, l", "h|l" },
    { "\\\\W", "h, l", "h|l" },
    { "\\\\s", "h \u3000\xC2\x85"
               "l",
      "h|l" },
    { "[\\\\s.]", "h. l", "h|l" },
    { "[\\\\s]", "\u180e", "\\xE1|\\xA0|\\x8E" },
    { "\\\\S", "h l", "␣" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *split = g_strdup_printf (format, cases[i].pattern);
      g_autoptr (AttnTokenizer) tokenizer = load (split, NULL, NULL);

      assert_labels (tokenizer, cases[i].text, cases[i].expected);
    }
}

static void
test_digits (void)
{
  static const char format[] =
      "{'type':'Sequence','pretokenizers':[{'type':'Digits','individual_digits':%s},"
      "{'type':'ByteLevel','add_prefix_space':false,'use_regex':false}]}";
  static const char vocabulary[] =
      "'vocab':{'1':0,'2':1,'12':2,'a':3,'2a':4},'merges':['1 2','2 a']";
  g_autofree char *one = g_strdup_printf (format, "true");
  g_autofree char *runs = g_strdup_printf (format, "false");
  g_autoptr (AttnTokenizer) single = load (one, NULL, vocabulary);
  g_autoptr (AttnTokenizer) together = load (runs, NULL, vocabulary);

  assert_labels (single, "12a", "1|2|a");
  assert_labels (together, "12a", "12|a");
  assert_labels (together, "2a", "2|a");
}

static void
test_merges_are_ignored_for_whole_words (void)
{
  static const char vocabulary[] =
      "'vocab':{'a':0,'b':1,'c':2,'ab':3,'abc':4},'merges':['a b']%s";
  g_autofree char *with = g_strdup_printf (vocabulary, "");
  g_autofree char *without = g_strdup_printf (vocabulary, ",'ignore_merges':true");
  g_autoptr (AttnTokenizer) merging = load (NULL, NULL, with);
  g_autoptr (AttnTokenizer) ignoring = load (NULL, NULL, without);

  assert_labels (merging, "abc", "ab|c");
  assert_labels (ignoring, "abc", "abc");
  assert_labels (ignoring, "abcab", "ab|c|ab");

  /* A token that was added is no piece: it counts where the text as given has it. */
  g_autoptr (AttnTokenizer) adding = load (
      NULL,
      "'added_tokens':[{'id':9,'content':'cb','special':true}],'normalizer':{'type':'Lowercase'}",
      without);
  assert_labels (adding, "cb", "cb");
  assert_labels (adding, "CB", "c|b");
}

static void
test_byte_without_token (void)
{
  static const char vocabulary[] = "'vocab':{'a':0,'?':1},'merges':[]";
  g_autofree char *with_unknown = g_strconcat (vocabulary, ",'unk_token':'?'", NULL);
  g_autofree char *with_fused = g_strconcat (with_unknown, ",'fuse_unk':true", NULL);
  g_autoptr (AttnTokenizer) strict = load (NULL, NULL, vocabulary);
  g_autoptr (AttnTokenizer) lenient = load (NULL, NULL, with_unknown);
  g_autoptr (AttnTokenizer) fusing = load (NULL, NULL, with_fused);
  g_autoptr (GError) error = NULL;

  /* As the published tokenizers do; what is beside it has its place. */
  g_autoptr (AttnTokens) tokens = attn_tokenizer_encode (strict, "babba", -1, FALSE, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (tokens->n_tokens, ==, 2);
  g_assert_cmpuint (tokens->n_dropped, ==, 3);
  g_assert_cmpuint (tokens->first_dropped, ==, 0);
  g_assert_cmpuint (tokens->tokens[0].begin, ==, 0);
  g_assert_cmpuint (tokens->tokens[0].end, ==, 4);
  g_assert_cmpuint (tokens->tokens[1].end, ==, 5);
  assert_labels (strict, "babba", "a|a");
  g_autoptr (AttnTokens) whole = attn_tokenizer_encode (strict, "aa", -1, FALSE, &error);
  g_assert_cmpuint (whole->n_dropped, ==, 0);
  assert_labels (lenient, "abba", "a|?|?|a");
  assert_labels (fusing, "abba", "a|?|a");
}

static void
test_added_tokens (void)
{
  g_autoptr (AttnTokenizer) tokenizer = load (
      NULL,
      "'added_tokens':[{'id':300,'content':'<a>','special':true},"
      "{'id':301,'content':'<a><b>','special':true},"
      "{'id':302,'content':'he','special':true,'single_word':true},"
      "{'id':303,'content':'[L]','special':true,'lstrip':true},"
      "{'id':304,'content':'[R]','special':true,'rstrip':true}]",
      "'vocab':{'a':0,'b':1,'<':2,'>':3,'Ġ':4,'h':5,'e':6},'merges':[]");

  assert_labels (tokenizer, "a<a>b", "a|<a>|b");
  assert_labels (tokenizer, "<a><b><a>", "<a><b>|<a>"); /* the longest */
  assert_labels (tokenizer, "<a><b", "<a>|<|b");
  assert_labels (tokenizer, "he bhe heb he", "he|␣|b|h|e|␣|h|e|b|␣|he");
  assert_labels (tokenizer, "a  [L] b", "a|[L]|␣|b");
  assert_labels (tokenizer, "a [R]  b", "a|␣|[R]|b");
  assert_labels (tokenizer, "[R]  [L]", "[R]|[L]"); /* the spaces belong to the first */
}

static void
test_normalizers (void)
{
  static const struct
  {
    const char *normalizer;
    const char *text;
    const char *decoded;
  } cases[] = {
    { "{'type':'NFC'}", "e\u0301a 각 \u09c7\u09be", "éa 각 \u09cb" },
    { "{'type':'NFD'}", "é", "e\u0301" },
    { "{'type':'NFKC'}", "ﬁ ｶﾞ ①", "fi ガ 1" },
    { "{'type':'NFKD'}", "ﬁé", "fie\u0301" },
    { "{'type':'Lowercase'}", "ÀB İ", "àb i\u0307" },
    { "{'type':'Lowercase'}", "ⅧⒶ", "ⅷⓐ" },
    { "{'type':'StripAccents'}", "e\u0301a", "ea" },
    { "{'type':'Prepend','prepend':'__'}", "a", "__a" },
    { "{'type':'Prepend','prepend':'__'}", "", "" },
    { "{'type':'Replace','pattern':{'String':'.'},'content':'!'}", "a.b", "a!b" },
    { "{'type':'Replace','pattern':{'Regex':'b+'},'content':''}", "abba", "aa" },
    { "{'type':'Sequence','normalizers':[{'type':'NFD'},{'type':'StripAccents'},"
      "{'type':'Lowercase'}]}",
      "ÉÀ", "ea" },
    { "{'type':'Strip'}", " \u00a0a b\t\n ", "a b" },
    { "{'type':'Strip','strip_left':false}", " a b \t", " a b" },
    { "{'type':'Strip','strip_right':false}", " a b ", "a b " },
    { "{'type':'Strip'}", "  ", "" },
    { "{'type':'BertNormalizer'}", "\u00c9A\u0301 \u0130\t字b\u200b\ufffd\u00ad", "ea i  字 b" },
    { "{'type':'BertNormalizer','strip_accents':false}", "ÉA\u0301", "éa\u0301" },
    { "{'type':'BertNormalizer','lowercase':false}", "ÉA\u0301", "ÉA\u0301" },
    { "{'type':'BertNormalizer','lowercase':false,'strip_accents':true}", "ÉA\u0301", "EA" },
    { "{'type':'BertNormalizer','handle_chinese_chars':false}", "a字B", "a字b" },
    { "{'type':'BertNormalizer','clean_text':false}", "A\t\u200bB", "a\t\u200bb" },
    { "null", "É", "É" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *members = g_strdup_printf ("'normalizer':%s", cases[i].normalizer);
      g_autoptr (AttnTokenizer) tokenizer = load (NULL, members, NULL);
      g_autoptr (AttnTokens) tokens =
          attn_tokenizer_encode (tokenizer, cases[i].text, -1, TRUE, NULL);
      g_autoptr (GString) ids = g_string_new (NULL);

      for (gsize j = 0; j < tokens->n_tokens; j++)
        {
          g_autoptr (GBytes) bytes =
              attn_tokenizer_decode (tokenizer, &tokens->tokens[j].id, 1, NULL);
          gsize length;
          const char *data = g_bytes_get_data (bytes, &length);

          g_assert_cmpuint (tokens->tokens[j].begin, <=, tokens->tokens[j].end);
          g_assert_cmpuint (tokens->tokens[j].end, <=, strlen (cases[i].text));
          g_string_append_len (ids, data, length);
        }
      g_assert_cmpstr (ids->str, ==, cases[i].decoded);
    }
}

/* Twelve replacements, each ten times as long: a terabyte from one letter. */
static void
test_growth_is_bounded (void)
{
  g_autoptr (GString) members = g_string_new ("'normalizer':{'type':'Sequence','normalizers':[");
  g_autoptr (AttnTokenizer) tokenizer = NULL;
  g_autoptr (GError) error = NULL;

  for (int i = 0; i < 12; i++)
    g_string_append_printf (members, "%s{'type':'Replace','pattern':{'String':'a'},'content':'%s'}",
                            i > 0 ? "," : "", "aaaaaaaaaa");
  g_string_append (members, "]}");
  tokenizer = load (NULL, members->str, NULL);

  attn_memory_set_limit (1 << 20);
  AttnTokens *tokens = attn_tokenizer_encode (tokenizer, "a", -1, TRUE, &error);
  attn_memory_set_limit (0);
  g_assert_null (tokens);
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_MEMORY);
}

/* A composed character stands for the bytes that it was composed from. */
static void
test_normalized_offsets (void)
{
  g_autoptr (AttnTokenizer) tokenizer = load (NULL, "'normalizer':{'type':'NFC'}", NULL);
  g_autoptr (AttnTokens) tokens = attn_tokenizer_encode (tokenizer, "ae\u0301b", -1, TRUE, NULL);

  g_assert_cmpuint (tokens->n_tokens, ==, 4);
  for (gsize i = 1; i < 3; i++)
    {
      g_assert_cmpuint (tokens->tokens[i].begin, ==, 1);
      g_assert_cmpuint (tokens->tokens[i].end, ==, 4);
    }
  g_assert_cmpuint (tokens->tokens[3].begin, ==, 4);
  g_assert_cmpuint (tokens->tokens[3].end, ==, 5);
}

static void
test_added_tokens_of_normalized_text (void)
{
  g_autoptr (AttnTokenizer) tokenizer = load (
      NULL,
      "'normalizer':{'type':'Lowercase'},"
      "'added_tokens':[{'id':300,'content':'Rose','special':false,'normalized':true},"
      "{'id':301,'content':'Tulip','special':true,'normalized':false}]",
      NULL);

  assert_labels (tokenizer, "ROSE rose", "Rose|␣|Rose");
  assert_labels (tokenizer, "Tulip", "Tulip");
  assert_labels (tokenizer, "TU", "t|u");
}

static void
test_post_processors (void)
{
  static const char added[] =
      "'added_tokens':[{'id':300,'content':'<s>','special':true},"
      "{'id':301,'content':'</s>','special':true}],'post_processor':%s";
  static const struct
  {
    const char *processor;
    const char *expected; /* of "a" */
  } cases[] = {
    { "null", "a" },
    { "{'type':'ByteLevel','trim_offsets':false}", "a" },
    { "{'type':'BertProcessing','cls':['<s>',300],'sep':['</s>',301]}", "<s>|a|</s>" },
    { "{'type':'RobertaProcessing','cls':['<s>',300],'sep':['</s>',301],"
      "'trim_offsets':true}",
      "<s>|a|</s>" },
    { "{'type':'TemplateProcessing','single':[{'Sequence':{'id':'A','type_id':0}},"
      "{'SpecialToken':{'id':'E','type_id':0}}],'pair':[],'special_tokens':{'E':{'id':'E',"
      "'ids':[301,301],'tokens':['</s>','</s>']}}}",
      "a|</s>|</s>" },
    { "{'type':'Sequence','processors':[{'type':'BertProcessing','cls':['<s>',300],"
      "'sep':['</s>',301]},{'type':'BertProcessing','cls':['</s>',301],"
      "'sep':['<s>',300]}]}",
      "</s>|<s>|a|</s>|<s>" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *members = g_strdup_printf (added, cases[i].processor);
      g_autoptr (AttnTokenizer) tokenizer = load (NULL, members, NULL);

      assert_labels (tokenizer, "a", cases[i].expected);
    }
}

typedef struct
{
  const char *pre_tokenizer;
  const char *members;
  const char *model_members;
  AttnError code;
  const char *found; /* in the message */
} BadCase;

/* Members given twice: the last one counts, which is how a case replaces what a document has. */
static const BadCase bad_cases[] = {
  { "{'type':'Foo'}", NULL, NULL, ATTN_ERROR_UNSUPPORTED,
    "pre-tokenizer “Foo” found, expected one of BertPreTokenizer, ByteLevel" },
  { "{'type':'Sequence','pretokenizers':[{'type':'Bar'}]}", NULL, NULL, ATTN_ERROR_UNSUPPORTED,
    "pre-tokenizer “Bar”" },
  { "17", NULL, NULL, ATTN_ERROR_FORMAT, "pre-tokenizer" },
  { "{}", NULL, NULL, ATTN_ERROR_UNSUPPORTED, "pre-tokenizer “”" },
  { "{'type':'ByteLevel','add_prefix_space':3}", NULL, NULL, ATTN_ERROR_FORMAT,
    "add_prefix_space" },
  { "{'type':'Split','behavior':'Isolated'}", NULL, NULL, ATTN_ERROR_FORMAT, "pattern" },
  { "{'type':'Split','pattern':{'Regex':'('},'behavior':'Isolated'}", NULL, NULL,
    ATTN_ERROR_UNSUPPORTED, "pattern “(”" },
  { "{'type':'Split','pattern':{'Regex':'[a-z&&[^b]]'},'behavior':'Isolated'}", NULL, NULL,
    ATTN_ERROR_UNSUPPORTED, "[a-z&&[^b]]" },
  { "{'type':'Split','pattern':{'String':' '},'behavior':'Odd'}", NULL, NULL,
    ATTN_ERROR_UNSUPPORTED, "“Odd”" },
  { "{'type':'Sequence','pretokenizers':[" FIXTURE_BYTE_LEVEL ",{'type':'Digits'}]}", NULL, NULL,
    ATTN_ERROR_UNSUPPORTED, "another pre-tokenizer after ByteLevel" },
  { NULL, "'normalizer':{'type':'Nmt'}", NULL, ATTN_ERROR_UNSUPPORTED, "normalizer “Nmt”" },
  { NULL, "'normalizer':[]", NULL, ATTN_ERROR_FORMAT, "normalizer" },
  { NULL, "'post_processor':{'type':'Baz'}", NULL, ATTN_ERROR_UNSUPPORTED, "post-processor “Baz”" },
  { NULL, "'post_processor':{'type':'BertProcessing','cls':['a',9999],'sep':['a',1]}", NULL,
    ATTN_ERROR_FORMAT, "9999" },
  { NULL, "'post_processor':{'type':'BertProcessing'}", NULL, ATTN_ERROR_FORMAT, "post-processor" },
  { NULL, "'post_processor':{'type':'TemplateProcessing','single':[]}", NULL, ATTN_ERROR_FORMAT,
    "without the text" },
  { NULL,
    "'post_processor':{'type':'TemplateProcessing','single':[{'SpecialToken':{'id':'X'}},"
    "{'Sequence':{'id':'A'}}]}",
    NULL, ATTN_ERROR_FORMAT, "“X”" },
  { NULL, "'decoder':{'type':'CTC'}", NULL, ATTN_ERROR_UNSUPPORTED, "decoder “CTC”" },
  { NULL, "'decoder':{'type':'Replace','pattern':{'Regex':'a'},'content':''}", NULL,
    ATTN_ERROR_UNSUPPORTED, "decoder Replace" },
  { NULL, "'decoder':{'type':'Strip','content':' ','start':0,'stop':1}", NULL,
    ATTN_ERROR_UNSUPPORTED, "stop 1" },
  { NULL, "'normalizer':{'type':'Precompiled','precompiled_charsmap':'A?=='}", NULL,
    ATTN_ERROR_FORMAT, "base64" },
  { NULL, "'normalizer':{'type':'Precompiled','precompiled_charsmap':'AAA='}", NULL,
    ATTN_ERROR_FORMAT, "of too few bytes" },
  { NULL, "'normalizer':{'type':'Precompiled','precompiled_charsmap':'//8AAAAAAAAAAAAA'}", NULL,
    ATTN_ERROR_FORMAT, "of another size" },
  { "{'type':'Metaspace','replacement':'__'}", NULL, NULL, ATTN_ERROR_FORMAT, "“__”" },
  { "{'type':'Metaspace','prepend_scheme':'odd'}", NULL, NULL, ATTN_ERROR_UNSUPPORTED, "“odd”" },
  { NULL, NULL, "'type':'WordPiece'", ATTN_ERROR_UNSUPPORTED, "ByteLevel with model WordPiece" },
  { NULL, NULL, "'type':'Words'", ATTN_ERROR_UNSUPPORTED, "model “Words”" },
  { NULL, NULL, "'type':'Unigram','vocab':[]", ATTN_ERROR_FORMAT, "without a vocabulary" },
  { NULL, NULL, "'type':'Unigram','vocab':[['a']]", ATTN_ERROR_FORMAT, "entry 0" },
  { NULL, NULL, "'type':'Unigram','vocab':[['a',0],['b',null]]", ATTN_ERROR_FORMAT, "entry 1" },
  { NULL, NULL, "'type':'Unigram','vocab':[['a',0],['a',0]]", ATTN_ERROR_FORMAT, "“a”" },
  { NULL, NULL, "'type':'Unigram','vocab':[['a',0]],'unk_id':1", ATTN_ERROR_LIMIT, "unk_id" },
  { NULL, "'version':'2.0'", NULL, ATTN_ERROR_UNSUPPORTED, "version “2.0”" },
  { NULL, "'model':{'type':'Unknown'}", NULL, ATTN_ERROR_UNSUPPORTED, "model “Unknown”" },
  { NULL, "'model':null", NULL, ATTN_ERROR_FORMAT, "model" },
  { NULL, "'added_tokens':[3]", NULL, ATTN_ERROR_FORMAT, "added token" },
  { NULL, "'added_tokens':[{'id':3}]", NULL, ATTN_ERROR_FORMAT, "content" },
  { NULL, "'added_tokens':[{'id':300,'content':'hello'}]", NULL, ATTN_ERROR_FORMAT, "“hello”" },
  { NULL, "'added_tokens':[{'id':3,'content':'<s>'}]", NULL, ATTN_ERROR_FORMAT, "“<s>”" },
  { NULL, "'added_tokens':[{'id':2000000000,'content':'<s>'}]", NULL, ATTN_ERROR_FORMAT,
    "2000000000" },
  { NULL, NULL, "'vocab':{}", ATTN_ERROR_FORMAT, "vocabulary" },
  { NULL, NULL, "'vocab':[]", ATTN_ERROR_FORMAT, "vocab" },
  { NULL, NULL, "'vocab':{'a':-1}", ATTN_ERROR_FORMAT, "-1" },
  { NULL, NULL, "'vocab':{'a':1.5}", ATTN_ERROR_FORMAT, "“a”" },
  { NULL, NULL, "'vocab':{'a':null}", ATTN_ERROR_FORMAT, "“a”" },
  { NULL, NULL, "'vocab':{'a':1,'b':1}", ATTN_ERROR_FORMAT, "“b”" },
  { NULL, NULL, "'vocab':{'a':4000000000}", ATTN_ERROR_FORMAT, "4000000000" },
  { NULL, NULL, "'merges':null", ATTN_ERROR_FORMAT, "merges" },
  { NULL, NULL, "'merges':['h']", ATTN_ERROR_FORMAT, "merge 0" },
  { NULL, NULL, "'merges':['h e l']", ATTN_ERROR_FORMAT, "merge 0" },
  { NULL, NULL, "'merges':[['h']]", ATTN_ERROR_FORMAT, "merge 0" },
  { NULL, NULL, "'merges':[['h',{}]]", ATTN_ERROR_FORMAT, "merge 0" },
  { NULL, NULL, "'merges':[{}]", ATTN_ERROR_FORMAT, "merge 0" },
  { NULL, NULL, "'merges':['h e','x y']", ATTN_ERROR_FORMAT, "“xy” of merge 1" },
  { NULL, NULL, "'dropout':0.1", ATTN_ERROR_UNSUPPORTED, "dropout" },
  { "{'type':'Whitespace'}", NULL, "'end_of_word_suffix':'</w>'", ATTN_ERROR_UNSUPPORTED,
    "“</w>”" },
  { NULL, NULL, "'continuing_subword_prefix':'##'", ATTN_ERROR_UNSUPPORTED, "“##”" },
};

static void
test_bad_component_is_named (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (bad_cases); i++)
    {
      const BadCase *bad = &bad_cases[i];
      g_autoptr (GError) error = NULL;
      g_autoptr (AttnTokenizer) tokenizer = fixture_load_document (bad->pre_tokenizer, bad->members,
                                                                   bad->model_members, &error);

      g_assert_null (tokenizer);
      g_test_message ("%s", error->message);
      g_assert_error (error, ATTN_ERROR, (int) bad->code);
      g_assert_nonnull (strstr (error->message, "tokenizer.json: "));
      g_assert_nonnull (strstr (error->message, bad->found));
    }
}

static void
test_paths (void)
{
  g_autofree char *directory = g_test_build_filename (G_TEST_DIST, "tokenizer", "gpt2", NULL);
  g_autofree char *here = g_test_build_filename (G_TEST_DIST, "tokenizer", NULL);
  static const char * const found[] = { "", "tokenizer.json", "config.json", "model.safetensors",
                                        "tokenizer_config.json", "model.safetensors.index.json" };

  for (gsize i = 0; i < G_N_ELEMENTS (found); i++)
    {
      g_autofree char *path = g_build_filename (directory, found[i], NULL);
      g_autoptr (GError) error = NULL;
      g_autoptr (AttnTokenizer) tokenizer = attn_tokenizer_load (path, &error);

      g_assert_no_error (error);
      g_assert_true (attn_tokenizer_exists (path));
    }
  g_assert_false (attn_tokenizer_exists (here));
  g_autoptr (GError) error = NULL;
  g_assert_null (attn_tokenizer_load (here, &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT);
}

/* Outlines that began before they are asked for: of what is asked for, and of another path. */
static void
test_outline_begins_early (void)
{
  static const char * const names[] = { "gpt2", "llama2-model", "bert", "" };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    for (gsize k = 0; k < G_N_ELEMENTS (names); k++)
      {
        g_autofree char *path = g_test_build_filename (G_TEST_DIST, "tokenizer", names[i], NULL);
        g_autofree char *other = g_test_build_filename (G_TEST_DIST, "tokenizer", names[k], NULL);
        g_autoptr (AttnTokenizerOutlining) outlining = attn_tokenizer_outlining_new (other);
        g_autoptr (GError) error = NULL;
        g_autoptr (GError) expected_error = NULL;
        AttnTokenizerOutline outline = { 0 };
        AttnTokenizerOutline expected = { 0 };
        gboolean is_there = attn_tokenizer_outline (path, &expected, &expected_error);

        /* It can be asked for more than once. */
        for (int round = 0; round < 2; round++)
          {
            g_clear_error (&error);
            g_assert_true (attn_tokenizer_outlining_finish (outlining, path, &outline, &error) ==
                           is_there);
            if (is_there)
              {
                g_assert_cmpstr (outline.kind, ==, expected.kind);
                g_assert_cmpuint (outline.size, ==, expected.size);
                continue;
              }
            g_assert_cmpstr (error->message, ==, expected_error->message);
            g_assert_error (error, expected_error->domain, expected_error->code);
          }
      }
}

static void
test_missing_merges_are_named (void)
{
  g_autofree char *directory = g_dir_make_tmp ("attn-tokenizer-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (directory, "vocab.json", NULL);
  g_autoptr (GError) error = NULL;

  g_assert_true (g_file_set_contents (path, "{\"a\": 0}", -1, NULL));
  g_assert_null (attn_tokenizer_load (directory, &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT);
  g_assert_nonnull (strstr (error->message, "merges.txt"));
  g_unlink (path);
  g_rmdir (directory);
}

typedef struct
{
  const char *name;
  const char *text; /* with ' in place of " */
} Beside;

/* A tokenizer from files of a directory of their own. */
static AttnTokenizer *
load_files (const Beside  *files,
            gsize          n_files,
            GError       **error)
{
  g_autofree char *directory = g_dir_make_tmp ("attn-tokenizer-XXXXXX", NULL);
  AttnTokenizer *tokenizer = NULL;

  for (gsize i = 0; i < 2 * n_files; i++)
    {
      g_autofree char *path = g_build_filename (directory, files[i % n_files].name, NULL);
      const char *given = files[i % n_files].text;
      g_autofree char *text =
          strchr (given, '"') == NULL ? fixture_json (given) : g_strdup (given);

      if (i == n_files)
        tokenizer = attn_tokenizer_load (directory, error);
      if (i < n_files)
        g_assert_true (g_file_set_contents (path, text, -1, NULL));
      else
        g_unlink (path);
    }
  g_rmdir (directory);
  return tokenizer;
}

static const char small_vocabulary[] =
    "{'a':0,'1':1,'2':2,'12':3,'<|endoftext|>':4,'Ġ':5,'.':6,'Ċ':7,'.Ċ':8,'é':9,"
    "'Ã':10,'©':11,'Ã©':12,'e':13,'Ì':14,'ģ':15}";
static const char small_merges[] = "#version: 0.2\n1 2\n. Ċ\nÃ ©\n";

/* The class says whether digits stand alone, whether a line break stays with a full stop, and
 * whether characters are composed. */
static void
test_class_of_vocabulary (void)
{
  static const struct
  {
    const char *config;
    const char *labels; /* NULL for one that is refused */
  } cases[] = {
    { "{'tokenizer_class':'GPT2Tokenizer'}", "a|12|.|↵|e|\\xCC|\\x81" },
    { "{'tokenizer_class':'CodeGenTokenizer'}", "a|12|.|↵|e|\\xCC|\\x81" },
    { "{'tokenizer_class':'Qwen2Tokenizer'}", "a|1|2|.↵|é" },
    { "{'tokenizer_class':'BlenderbotTokenizer'}", NULL },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const Beside files[] = { { "vocab.json", small_vocabulary },
                               { "merges.txt", small_merges },
                               { "tokenizer_config.json", cases[i].config } };
      g_autoptr (GError) error = NULL;
      g_autoptr (AttnTokenizer) tokenizer = load_files (files, G_N_ELEMENTS (files), &error);

      if (cases[i].labels == NULL)
        {
          g_assert_error (error, ATTN_ERROR, ATTN_ERROR_UNSUPPORTED);
          g_assert_nonnull (strstr (error->message, "class BlenderbotTokenizer found"));
          continue;
        }
      g_assert_no_error (error);
      assert_labels (tokenizer, "a12.\ne\u0301", cases[i].labels);
    }
}

/* Tokens beside a vocabulary, by either of two files; the configuration goes first. */
static void
test_added_tokens_beside_vocabulary (void)
{
  const Beside decoder = { "tokenizer_config.json",
                           "{'added_tokens_decoder':{'20':{'content':'<|a1|>','special':true},"
                           "'4':{'content':'<|endoftext|>','special':true}}}" };
  const Beside list = { "added_tokens.json", "{'<|a1|>':21}" };
  const Beside broken = { "added_tokens.json", "{'<|a1|>':'x'}" };
  const Beside none = { "other", "" };
  const struct
  {
    Beside files[2];
    guint32 id; /* 0 for an error */
  } cases[] = { { { decoder, none }, 20 },
                { { list, none }, 21 },
                { { decoder, list }, 20 },
                { { broken, none }, 0 } };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const Beside files[] = { { "vocab.json", small_vocabulary },
                               { "merges.txt", small_merges },
                               cases[i].files[0],
                               cases[i].files[1] };
      g_autoptr (GError) error = NULL;
      g_autoptr (AttnTokenizer) tokenizer = load_files (files, G_N_ELEMENTS (files), &error);

      if (cases[i].id == 0)
        {
          g_assert_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT);
          continue;
        }
      g_assert_no_error (error);
      assert_labels (tokenizer, "a<|a1|>1", "a|<|a1|>|1");
      g_assert_cmpstr (attn_tokenizer_get_piece (tokenizer, cases[i].id), ==, "<|a1|>");
      g_assert_cmpuint (attn_tokenizer_get_size (tokenizer), ==, cases[i].id + 1);
    }
}

/* Some classes make the post-processor anew. */
static void
test_ends_by_class (void)
{
  static const char added[] =
      "'added_tokens':[{'id':400,'content':'<s>','special':true},{'id':401,'content':'</s>',"
      "'special':true}],'post_processor':{'type':'TemplateProcessing','single':[{'SpecialToken':"
      "{'id':'<s>','type_id':0}},{'Sequence':{'id':'A','type_id':0}}],'special_tokens':{'<s>':"
      "{'id':'<s>','ids':[400],'tokens':['<s>']}}}";
  static const struct
  {
    const char *config;
    const char *labels;
  } cases[] = {
    { "{}", "<s>|hello" },
    { "{'tokenizer_class':'PreTrainedTokenizerFast','add_bos_token':false}", "<s>|hello" },
    { "{'tokenizer_class':'LlamaTokenizerFast'}", "<s>|hello" },
    { "{'tokenizer_class':'LlamaTokenizer','add_bos_token':false}", "hello" },
    { "{'tokenizer_class':'GemmaTokenizer','add_eos_token':true,'bos_token':{'content':'<s>'},"
      "'eos_token':'</s>'}",
      "<s>|hello|</s>" },
    { "{'tokenizer_class':'GPTNeoXTokenizer'}", "hello" },
    { "{'tokenizer_class':'GPTNeoXTokenizer','add_bos_token':true}", NULL },
  };
  g_autofree char *document = fixture_document (NULL, added, NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const Beside files[] = { { "tokenizer.json", document },
                               { "tokenizer_config.json", cases[i].config } };
      g_autoptr (GError) error = NULL;
      g_autoptr (AttnTokenizer) tokenizer = load_files (files, G_N_ELEMENTS (files), &error);

      if (cases[i].labels == NULL)
        {
          g_assert_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT);
          g_assert_nonnull (strstr (error->message, "“<|endoftext|>”"));
          continue;
        }
      g_assert_no_error (error);
      assert_labels (tokenizer, "hello", cases[i].labels);
    }
}

static void
test_any_file_name (void)
{
  g_autofree char *document = fixture_document (NULL, NULL, NULL);
  g_autofree char *directory = g_dir_make_tmp ("attn-tokenizer-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (directory, "mine.json", NULL);
  g_autoptr (GError) error = NULL;

  g_assert_true (g_file_set_contents (path, document, -1, NULL));
  g_autoptr (AttnTokenizer) tokenizer = attn_tokenizer_load (path, &error);
  g_assert_no_error (error);
  assert_labels (tokenizer, "hello", "hello");
  g_unlink (path);
  g_rmdir (directory);
}

/* Only white space may follow the last bracket: no shorter file is whole. */
static void
test_truncated_file_is_refused (void)
{
  g_autofree char *document = fixture_document (NULL, NULL, NULL);
  gsize length = strlen (document);

  for (gsize kept = 0; kept < length; kept += kept < length - 120 ? 37 : 1)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (AttnTokenizer) tokenizer = fixture_load_text (document, kept, &error);

      g_assert_null (tokenizer);
      g_assert_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT);
    }
}

/* An error or a tokenizer that works; nothing else. */
static void
test_mutated_file_never_crashes (void)
{
  g_autofree char *document = fixture_json (
      "{'version':'1.0','added_tokens':[{'id':8,'content':'<s>','single_word':false,"
      "'special':true}],'normalizer':{'type':'NFC'},"
      "'pre_tokenizer':{'type':'Sequence','pretokenizers':[{'type':'Split','pattern':"
      "{'Regex':'\\\\s+|a'},'behavior':'Isolated','invert':false},{'type':'ByteLevel',"
      "'add_prefix_space':true,'use_regex':false}]},'post_processor':{'type':'TemplateProcessing',"
      "'single':[{'SpecialToken':{'id':'<s>'}},{'Sequence':{'id':'A'}}],'special_tokens':"
      "{'<s>':{'id':'<s>','ids':[8],'tokens':['<s>']}}},'model':{'type':'BPE','dropout':null,"
      "'unk_token':'a','continuing_subword_prefix':'','ignore_merges':false,'vocab':{'a':0,"
      "'b':1,'c':2,'Ġ':3,'ab':4,'abc':5,'Ġa':6},'merges':['a b',['ab','c'],'Ġ a']}}");
  g_autoptr (GRand) rand = g_rand_new_with_seed (2410);
  guint n_loaded = 0;

  for (int round = 0; round < 10000; round++)
    {
      g_autoptr (GString) text = g_string_new (document);
      g_autoptr (GError) error = NULL;
      g_autoptr (AttnTokenizer) tokenizer = NULL;
      int n_mutations = g_rand_int_range (rand, 1, 4);

      for (int i = 0; i < n_mutations; i++)
        fixture_mutate (text, rand);
      tokenizer = fixture_load_text (text->str, text->len, &error);
      g_assert_true ((tokenizer != NULL) == (error == NULL));
      if (tokenizer == NULL)
        continue;
      n_loaded++;

      g_autoptr (AttnTokens) tokens =
          attn_tokenizer_encode (tokenizer, "abc <s> ab\u0301x", -1, TRUE, NULL);
      for (gsize i = 0; tokens != NULL && i < tokens->n_tokens; i++)
        g_assert_cmpuint (tokens->tokens[i].id, <, attn_tokenizer_get_size (tokenizer));
    }
  g_assert_cmpuint (n_loaded, >, 100);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tokenizer/load/kind-and-size", test_kind_and_size);
  g_test_add_func ("/tokenizer/load/type-of-bpe-may-be-left-out", test_type_of_bpe_may_be_left_out);
  g_test_add_func ("/tokenizer/load/paths-in-a-checkpoint", test_paths);
  g_test_add_func ("/tokenizer/load/outline-begins-early", test_outline_begins_early);
  g_test_add_func ("/tokenizer/load/missing-merges-are-named", test_missing_merges_are_named);
  g_test_add_func ("/tokenizer/load/class-of-vocabulary", test_class_of_vocabulary);
  g_test_add_func ("/tokenizer/load/added-tokens-beside-vocabulary",
                   test_added_tokens_beside_vocabulary);
  g_test_add_func ("/tokenizer/load/ends-by-class", test_ends_by_class);
  g_test_add_func ("/tokenizer/load/any-file-name", test_any_file_name);
  g_test_add_func ("/tokenizer/load/bad-component-is-named", test_bad_component_is_named);
  g_test_add_func ("/tokenizer/load/truncated-file-is-refused", test_truncated_file_is_refused);
  g_test_add_func ("/tokenizer/load/mutated-file-never-crashes", test_mutated_file_never_crashes);
  g_test_add_func ("/tokenizer/pre-tokenizer/prefix-space", test_prefix_space);
  g_test_add_func ("/tokenizer/pre-tokenizer/split-behaviors", test_split_behaviors);
  g_test_add_func ("/tokenizer/pre-tokenizer/classes-within-classes", test_classes_within_classes);
  g_test_add_func ("/tokenizer/pre-tokenizer/shorthands-are-those-of-oniguruma",
                   test_shorthands_are_those_of_oniguruma);
  g_test_add_func ("/tokenizer/pre-tokenizer/digits", test_digits);
  g_test_add_func ("/tokenizer/bpe/merges-are-ignored-for-whole-words",
                   test_merges_are_ignored_for_whole_words);
  g_test_add_func ("/tokenizer/bpe/byte-without-token", test_byte_without_token);
  g_test_add_func ("/tokenizer/added-tokens/leftmost-longest-and-flags", test_added_tokens);
  g_test_add_func ("/tokenizer/added-tokens/of-normalized-text",
                   test_added_tokens_of_normalized_text);
  g_test_add_func ("/tokenizer/normalizer/kinds", test_normalizers);
  g_test_add_func ("/tokenizer/normalizer/growth-is-bounded", test_growth_is_bounded);
  g_test_add_func ("/tokenizer/normalizer/offsets", test_normalized_offsets);
  g_test_add_func ("/tokenizer/post-processor/kinds", test_post_processors);
  return g_test_run ();
}
