/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads the tokenizer from the metadata of a GGUF file. The meaning of the keys, their defaults and
 * the named patterns follow llama_vocab::impl::load() and llm_tokenizer_bpe of llama.cpp. */

#include "config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-tokenizer-component.h"
#include "attn-error.h"
#include "attn-gguf.h"
#include "attn-tokenizer-readers.h"

#define KEY(name) "tokenizer.ggml." name

#define GPT2_PATTERN \
  "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+"
#define LLAMA3_PATTERN                                                                          \
  "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]" \
  "+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"
#define TEKKEN_PATTERN                                                                         \
  "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+|" \
  "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*|" \
  "\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"
#define CONTRACTIONS "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
#define SPACES       "\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"
#define QWEN35_PATTERN                                          \
  CONTRACTIONS "|[^\\r\\n\\p{L}\\p{N}]?[\\p{L}\\p{M}]+|\\p{N}|" \
               " ?[^\\s\\p{L}\\p{M}\\p{N}]+[\\r\\n]*|" SPACES
/* The pattern of Spark's tokenizer, which makes each line break a word, even if several follow one
 * another. */
#define SPARK_PATTERN                                      \
  "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|" \
  "[^\\r\\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+|[\\r\\n]|\\s+(?!\\S)|\\s+"
/* Pattern of letters that replaces the list in DeepSeek's pattern: all letters that have a case,
 * except the Georgian letters that had none when the list was made. */
#define DEEPSEEK_LETTERS "\\s?(?:(?![\u10d0-\u10ff])[\\p{Lu}\\p{Ll}\\p{Lt}])+"
#define DEEPSEEK_MARKS   "\\s?[!-/:-~\uff01-\uff0f\uff1a-\uff5e\u2018-\u201f\u3000-\u3002]+"
#define DEEPSEEK_HAN     "[\u4e00-\u9fa5\u0800-\u4e00\uac00-\ud7ff]+"
#define KANJI_AND_KANA   "[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+"
#define DEEPSEEK_V3_PATTERN                                \
  "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|" \
  "[^\\r\\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\\r\\n]*|" SPACES
#define BAILING_PATTERN                                          \
  "'(?i:[sdmt]|ll|ve|re)|[^\\r\\n\\p{L}\\p{N}]?+\\p{L}+|\\p{N}|" \
  " ?[^\\s\\p{L}\\p{N}]++[\\r\\n]*|\\s*[\\r\\n]|\\s+(?!\\S)|\\s+"
#define SEED_PATTERN                                       \
  CONTRACTIONS "|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1}|" \
               " ?[^\\s\\p{L}\\p{N}\\r\\n]+|" SPACES
#define EXAONE_MOE_PATTERN                                                            \
  CONTRACTIONS "|[^\\r\\n\\p{L}\\p{N}]?(?:\\p{L}\\p{M}*(?: \\p{L}\\p{M}*)*)+|\\p{N}|" \
               " ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]?|\\s*[\\r\\n]|\\s+(?!\\S)|\\s+"
#define MINICPM5_PATTERN \
  CONTRACTIONS "|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}+| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|" SPACES
#define YOUTU_SCRIPTS                                                                          \
  "[\uac00-\ud7a3\u3131-\u318e]+|"                                                             \
  "[\uff01\u2026\u201c\u201d\u2018\u2019\u2014\uff1a\uff1b\uff0c\u3001-\u303f\ufe30-\ufe4f]+|" \
  "[\u3105-\u312f]+|" KANJI_AND_KANA
#define OTHER     "\\p{Lm}\\p{Lo}\\p{M}]"
#define CAPITALS  "[\\p{Lu}\\p{Lt}" OTHER
#define LOWERCASE "[\\p{Ll}" OTHER
#define CASES                                                           \
  "[^\\r\\n\\p{L}\\p{N}]?" CAPITALS "*" LOWERCASE "+" CONTRACTIONS "?|" \
  "[^\\r\\n\\p{L}\\p{N}]?" CAPITALS "+" LOWERCASE "*" CONTRACTIONS "?|"
#define GPT4O_PATTERN CASES "\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|" SPACES
#define YOUTU_PATTERN CASES "\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|" SPACES
#define JAIS_2_PATTERN                                                                      \
  CONTRACTIONS "|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|" \
               "\\s*[\\r\\n]+|\\s{512}(?!\\S)|\\s{256}(?!\\S)|\\s{128}(?!\\S)|"             \
               "\\s{64}(?!\\S)|\\s{32}(?!\\S)|\\s{16}(?!\\S)|\\s{8}(?!\\S)|"                \
               "\\s{4}(?!\\S)|\\s{1,2}(?!\\S)|\\s{1}"
#define UFAKZEKA_PATTERN \
  "[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|" SPACES
/* Pattern that excludes Han characters from the classes of letters, since they form words of their
 * own. */
#define NO_HAN "(?!\\p{Han})"
#define KIMI_PATTERN                                                                          \
  "\\p{Han}+|"                                                                                \
  "[^\\r\\n\\p{L}\\p{N}]?(?:" NO_HAN CAPITALS ")*(?:" NO_HAN LOWERCASE ")+" CONTRACTIONS "?|" \
  "[^\\r\\n\\p{L}\\p{N}]?(?:" NO_HAN CAPITALS ")+(?:" NO_HAN LOWERCASE ")*" CONTRACTIONS "?|" \
  "\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|" SPACES
/* Pattern that cuts a number into groups of three digits, counted from the right. */
#define THOUSANDS "\\p{N}{1,3}(?=(?:\\p{N}{3})*(?!\\p{N}))"
#define AFMOE_SCRIPTS                                                                            \
  "[\u4e00-\u9fff\u3400-\u4dbf\uf900-\ufaff\u3040-\u309f\u30a0-\u30ff\uff65-\uff9f\u2f00-\u2fdf" \
  "\u0e40-\u0e7f\u0e80-\u0eff\u1780-\u17ff\u1000-\u109f\uaa60-\uaa7f\ua9e0-\ua9ff\uac00-\ud7af"  \
  "\u1100-\u11ff]+"
#define BLOOM_PATTERN " ?[^(\\s|.,!?…。，、।۔،)]+"

#define MAX_PATTERNS 6

/* A rule by which BPE cuts a text into words. @names: values of “tokenizer.ggml.pre” that select
 * it, separated by spaces; @model: how pieces are spelled, by default in the byte-level alphabet.
 * In ATTN_TOKENIZER_SCORED_BPE "▁" stands for a space and the text is not cut (llama.cpp cuts it at
 * line breaks, which no merge crosses); in ATTN_TOKENIZER_WORD_BPE it is cut at spaces. */
typedef struct
{
  const char *names;
  const char *patterns[MAX_PATTERNS + 1];
  AttnTokenizerModel model;
  gboolean ignores_merges;
  gboolean adds_begin;
  gboolean always_begins; /* whether the first token is put before a text, whatever the metadata
                           * say */
  gboolean composes;
} WordRule;

static const WordRule word_rules[] = {
  { .names = "default",
    .patterns = { "[\\p{P}\\$\\+<=>\\^~\\|]+", GPT2_PATTERN, "\\p{N}+", "[0-9][0-9][0-9]" } },
  { .names = "gpt-2 phi-2 mpt olmo jais roberta-bpe jina-es jina-de jina-v1-en jina-v2-es "
             "jina-v2-de jina-v2-code gigachat a.x-4.0 mellum exaone4 trillion granite-docling "
             "modern-bert",
    .patterns = { NULL } }, /* no pattern here: the default is the pattern of GPT-2 */
  { .names = "llama-bpe llama3 llama-v3 falcon3 falcon-h1 pixtral midm-2.0 lfm2 "
             "jina-v5-nano",
    .patterns = { LLAMA3_PATTERN },
    .ignores_merges = TRUE,
    .adds_begin = TRUE },
  { .names = "dbrx smaug-bpe chatglm-bpe glm4", .patterns = { LLAMA3_PATTERN } },
  /* The original tokenizers of these models compose characters (NFC) first. */
  { .names = "qwen2 deepseek-r1-qwen f2llmv2",
    .patterns = { ATTN_QWEN2_PATTERN },
    .composes = TRUE },
  { .names = "stablelm2 kormo megrez hunyuan grok-2 solar-open",
    .patterns = { ATTN_QWEN2_PATTERN } },
  { .names = "starcoder refact command-r smollm codeshell exaone minerva-7b mellum2",
    .patterns = { "\\p{N}", GPT2_PATTERN } },
  { .names = "falcon",
    .patterns = { "[\\p{P}\\$\\+<=>\\^~\\|`]+", GPT2_PATTERN, "[0-9][0-9][0-9]" } },
  { .names = "bloom poro-chat gpt3-finnish", .patterns = { BLOOM_PATTERN } },
  { .names = "viking", .patterns = { BLOOM_PATTERN, "\\p{N}" } },
  { .names = "tekken",
    .patterns = { TEKKEN_PATTERN },
    .ignores_merges = TRUE,
    .adds_begin = TRUE },
  { .names = "gpt-4o llama4 kanana2 talkie minimax-m2", .patterns = { GPT4O_PATTERN } },
  { .names = "qwen35", .patterns = { QWEN35_PATTERN }, .composes = TRUE },
  { .names = "deepseek-llm",
    .patterns = { "[\r\n]", DEEPSEEK_LETTERS, DEEPSEEK_MARKS, "\\s+$", DEEPSEEK_HAN, "\\p{N}+" } },
  { .names = "deepseek-coder",
    .patterns = { "[\r\n]", "\\s?\\p{L}+", "\\s?\\p{P}+", DEEPSEEK_HAN, "\\p{N}" } },
  { .names = "deepseek-v3 hunyuan-dense joyai-llm hy_v4",
    .patterns = { "\\p{N}{1,3}", KANJI_AND_KANA, DEEPSEEK_V3_PATTERN } },
  { .names = "spark2_5",
    .patterns = { "\\p{N}{1,3}", KANJI_AND_KANA, SPARK_PATTERN, "\\p{N}" } },
  { .names = "bailingmoe bailingmoe2 llada-moe", .patterns = { BAILING_PATTERN } },
  { .names = "seed-coder", .patterns = { SEED_PATTERN } },
  { .names = "exaone-moe", .patterns = { EXAONE_MOE_PATTERN } },
  { .names = "minicpm5",
    .patterns = { "\\p{N}{1,3}", MINICPM5_PATTERN },
    .ignores_merges = TRUE },
  { .names = "tiny_aya cohere2moe",
    .patterns = { "\\d{1,3}(?=(?:\\d{3})*\\b)", GPT4O_PATTERN } },
  { .names = "youtu", .patterns = { YOUTU_SCRIPTS, YOUTU_PATTERN }, .ignores_merges = TRUE },
  { .names = "jais-2", .patterns = { JAIS_2_PATTERN } },
  { .names = "kimi-k2", .patterns = { KIMI_PATTERN } },
  { .names = "granite-embed-multi-97m", .patterns = { GPT4O_PATTERN }, .ignores_merges = TRUE },
  { .names = "ufakzeka", .patterns = { UFAKZEKA_PATTERN } },
  { .names = "laguna", .patterns = { "[^\\n]+|[\\n]+", ATTN_QWEN2_PATTERN } },
  { .names = "superbpe", .patterns = { "\\p{N}+", THOUSANDS } },
  { .names = "afmoe", .patterns = { THOUSANDS, AFMOE_SCRIPTS, DEEPSEEK_V3_PATTERN } },
  { .names = "chameleon",
    .patterns = { "<sentinel:[0-9]+>", "(?:IMGIMG)[A-I]{1,4}Z", "[\\t\\n]|    |  ", "\\p{N}",
                  "[\\p{P}!-/:-@\\[-`{-~]", GPT2_PATTERN },
    .adds_begin = TRUE },
  { .names = "gemma4 granite-embed-multi-311m",
    .model = ATTN_TOKENIZER_SCORED_BPE,
    .always_begins = TRUE },
  { .names = "sarvam-moe", .model = ATTN_TOKENIZER_SCORED_BPE },
  { .names = "whitespace", .model = ATTN_TOKENIZER_WORD_BPE },
};

/* Default settings of each kind of tokenizer, by the value of “tokenizer.ggml.model”, for settings
 * that the metadata omit. */
static const struct
{
  const char *name;
  AttnTokenizerModel model;
  guint32 begin_id;
  guint32 end_id;
  guint32 unknown_id;
  gboolean adds_begin;
  gboolean adds_end;
  gboolean adds_prefix_space;
} kinds[] = {
  { "gpt2", ATTN_TOKENIZER_BYTE_LEVEL_BPE, ATTN_TOKENIZER_NO_ID, ATTN_TOKENIZER_NO_ID,
    ATTN_TOKENIZER_NO_ID, FALSE, FALSE, FALSE },
  { "llama", ATTN_TOKENIZER_SCORED_BPE, 1, 2, 0, TRUE, FALSE, TRUE },
  { "whitespace", ATTN_TOKENIZER_BYTE_LEVEL_BPE, ATTN_TOKENIZER_NO_ID, ATTN_TOKENIZER_NO_ID,
    ATTN_TOKENIZER_NO_ID, FALSE, FALSE, FALSE },
  { "gemma4", ATTN_TOKENIZER_BYTE_LEVEL_BPE, 2, 1, 3, TRUE, FALSE, FALSE },
  { "bert", ATTN_TOKENIZER_WORDPIECE, 101, 102, 100, TRUE, TRUE, FALSE },
  { "t5", ATTN_TOKENIZER_UNIGRAM, ATTN_TOKENIZER_NO_ID, 1, 2, FALSE, TRUE, FALSE },
};

typedef struct
{
  const AttnGgufMetadata *metadata;
  AttnJsonReader values; /* reads the values of @metadata */
  AttnTokenizerParts *parts;
  gsize kind;
  const WordRule *rule; /* (nullable) */
  guint32 begin_id;     /* id of the token that begins a text, set even if the token is not put
                         * before one */
  guint32 end_id;
} Reader;

static gboolean
find_kind (Reader  *reader,
           GError **error)
{
  const char *name = attn_json_read_string (&reader->values, KEY ("model"), NULL);

  if (!attn_json_finish (&reader->values, error))
    return FALSE;
  if (name == NULL)
    return attn_fail (error, ATTN_ERROR_FORMAT,
                      _("%s: no tokenizer found, expected “tokenizer.ggml.model” in the metadata "
                        "or token ids as input"),
                      reader->parts->where);
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (strcmp (kinds[i].name, name) == 0)
      {
        reader->kind = i;
        reader->parts->model = kinds[i].model;
        return TRUE;
      }
  return attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                    _("%s: “tokenizer.ggml.model”: %s found, expected gpt2, llama, gemma4, bert, "
                      "t5 or whitespace"),
                    reader->parts->where, name);
}

/* Copies strings from the metadata, where they are not NUL-terminated. Fails if one contains a
 * NUL. */
static gboolean
read_strings (Reader      *reader,
              const char  *key,
              GPtrArray   *copies,
              GError     **error)
{
  const AttnGgufString *strings;
  gsize n_strings;

  if (!attn_gguf_metadata_get_strings (reader->metadata, key, &strings, &n_strings, error))
    return FALSE;
  for (gsize i = 0; i < n_strings; i++)
    {
      if (memchr (strings[i].data, '\0', strings[i].length) != NULL)
        return attn_fail (error, ATTN_ERROR_FORMAT,
                          _("%s: “%s”: a NUL in string %zu found, expected text"),
                          reader->parts->where, key, i);
      g_ptr_array_add (copies, g_string_chunk_insert_len (reader->parts->strings, strings[i].data,
                                                          (gssize) strings[i].length));
    }
  return TRUE;
}

static gboolean
check_length (const Reader  *reader,
              const char    *key,
              gsize          n_found,
              GError       **error)
{
  if (n_found == 0 || n_found == reader->parts->pieces->len)
    return TRUE;
  return attn_fail (error, ATTN_ERROR_FORMAT,
                    _("%s: “%s”: %zu elements found, expected one for each of the %zu tokens"),
                    reader->parts->where, key, n_found, (gsize) reader->parts->pieces->len);
}

static gboolean
read_types (Reader  *reader,
            GError **error)
{
  GByteArray *types = reader->parts->types;
  GPtrArray *pieces = reader->parts->pieces;
  g_autofree float *found = NULL;
  gsize n_found;

  if (!attn_gguf_metadata_dup_floats (reader->metadata, KEY ("token_type"), &found, &n_found,
                                      error) ||
      !check_length (reader, KEY ("token_type"), n_found, error))
    return FALSE;
  g_byte_array_set_size (types, pieces->len);
  /* Type 0 of a token means “undefined” and is read as normal. Values out of range become
   * G_MAXUINT8, which is refused when the parts are put together. */
  for (gsize i = 0; i < types->len; i++)
    {
      float type = n_found > 0 && found[i] != 0 ? found[i] : ATTN_PIECE_NORMAL;

      types->data[i] = type >= 0 && type < G_MAXUINT8 ? (guint8) type : G_MAXUINT8;
      reader->parts->has_byte_fallback |= types->data[i] == ATTN_PIECE_BYTE;
      /* An empty string in the list of pieces means that its id has no token. */
      if (*(const char *) pieces->pdata[i] == '\0')
        pieces->pdata[i] = NULL;
    }
  return TRUE;
}

static gboolean
read_pieces (Reader  *reader,
             GError **error)
{
  AttnTokenizerParts *parts = reader->parts;
  g_autofree float *scores = NULL;
  gsize n_scores;

  if (!read_strings (reader, KEY ("tokens"), parts->pieces, error) ||
      !read_strings (reader, KEY ("merges"), parts->merges, error) ||
      !read_types (reader, error) ||
      !attn_gguf_metadata_dup_floats (reader->metadata, KEY ("scores"), &scores, &n_scores,
                                      error) ||
      !check_length (reader, KEY ("scores"), n_scores, error))
    return FALSE;
  if (n_scores > 0)
    g_array_append_vals (parts->scores, scores, (guint) n_scores);
  /* A vocabulary whose pieces are not in the byte-level alphabet may contain pieces for bytes, such
   * as "<0x00>", that do not have the type ATTN_PIECE_BYTE. */
  parts->has_byte_fallback |= parts->has_merges && parts->model != ATTN_TOKENIZER_BYTE_LEVEL_BPE &&
                              attn_tokenizer_parts_find (parts, "<0x00>") != ATTN_TOKENIZER_NO_ID;
  return TRUE;
}

/* Returns the token id of the first of the @names, such as "cls bos", that the metadata have a key
 * for, or @fallback. An id beyond the vocabulary, such as 2^32 - 1, means that there is no such
 * token. */
static guint32
read_id (Reader     *reader,
         const char *names,
         guint32     fallback)
{
  g_auto (GStrv) parts = g_strsplit (names, " ", -1);
  gsize id = fallback;
  gboolean is_found = FALSE;

  for (char **part = parts; *part != NULL && !is_found; part++)
    {
      g_autofree char *key = g_strdup_printf (KEY ("%s_token_id"), *part);

      is_found = json_object_has_member (reader->values.object, key);
      id = attn_json_read_size (&reader->values, key, 0, G_MAXUINT32, fallback);
    }
  return id < reader->parts->pieces->len ? (guint32) id : ATTN_TOKENIZER_NO_ID;
}

static void
read_ends (Reader *reader)
{
  AttnTokenizerParts *parts = reader->parts;
  const WordRule *rule = reader->rule;
  gboolean is_wordpiece = parts->model == ATTN_TOKENIZER_WORDPIECE;
  gboolean adds_begin = rule != NULL && rule->adds_begin;

  /* The format spells the key of WordPiece's last token “seperator”. */
  parts->unknown_id = read_id (reader, "unknown", kinds[reader->kind].unknown_id);
  reader->begin_id =
      read_id (reader, is_wordpiece ? "cls bos" : "bos", kinds[reader->kind].begin_id);
  reader->end_id = read_id (reader, is_wordpiece ? "seperator separator eos" : "eos",
                            kinds[reader->kind].end_id);
  if (attn_json_read_boolean (&reader->values, KEY ("add_bos_token"),
                              adds_begin || kinds[reader->kind].adds_begin) ||
      (rule != NULL && rule->always_begins))
    parts->begin_id = reader->begin_id;
  if (attn_json_read_boolean (&reader->values,
                              is_wordpiece ? KEY ("add_sep_token") : KEY ("add_eos_token"),
                              kinds[reader->kind].adds_end))
    parts->end_id = reader->end_id;
}

static gboolean
read_spaces (Reader  *reader,
             GError **error)
{
  AttnTokenizerParts *parts = reader->parts;
  g_autofree float *charsmap = NULL;
  g_autofree guint8 *bytes = NULL;
  gsize n_bytes;

  parts->adds_prefix_space = attn_json_read_boolean (&reader->values, KEY ("add_space_prefix"),
                                                     kinds[reader->kind].adds_prefix_space);
  parts->removes_extra_spaces =
      attn_json_read_boolean (&reader->values, KEY ("remove_extra_whitespaces"), FALSE);
  if (!attn_gguf_metadata_dup_floats (reader->metadata, KEY ("precompiled_charsmap"), &charsmap,
                                      &n_bytes, error))
    return FALSE;
  bytes = g_malloc0 (n_bytes);
  for (gsize i = 0; i < n_bytes; i++)
    if (charsmap[i] >= G_MININT8 && charsmap[i] <= G_MAXUINT8)
      bytes[i] = (guint8) (int) charsmap[i];
  parts->charsmap = g_bytes_new (bytes, n_bytes);
  return TRUE;
}

static char *
list_word_rules (void)
{
  g_autoptr (GString) names = g_string_new (NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (word_rules); i++)
    g_string_append_printf (names, "%s%s", i > 0 ? " " : "", word_rules[i].names);
  g_string_replace (names, " ", ", ", 0);
  return g_string_free (g_steal_pointer (&names), FALSE);
}

static void
take_rule (AttnTokenizerParts *parts,
           const WordRule     *rule)
{
  parts->model = rule->model;
  if (rule->patterns[0] != NULL)
    parts->patterns = rule->patterns;
  parts->ignores_merges = rule->ignores_merges;
  parts->composes = rule->composes;
  parts->has_merges = TRUE;
}

/* Finds the rule for cutting words by the name in “tokenizer.ggml.pre”. Older files have no name
 * and get the default rule; the kinds of tokenizer “gemma4” and “whitespace” have one rule each, of
 * the same name. */
static gboolean
find_word_rule (Reader  *reader,
                GError **error)
{
  const char *kind = kinds[reader->kind].name;
  const char *name = attn_json_read_string (&reader->values, KEY ("pre"), "default");

  if (reader->parts->model != ATTN_TOKENIZER_BYTE_LEVEL_BPE)
    return TRUE;
  if (strcmp (kind, "gpt2") != 0)
    name = kind;
  for (gsize i = 0; i < G_N_ELEMENTS (word_rules); i++)
    {
      g_auto (GStrv) names = g_strsplit (word_rules[i].names, " ", -1);

      if (!g_strv_contains ((const char * const *) names, name))
        continue;
      reader->rule = &word_rules[i];
      take_rule (reader->parts, reader->rule);
      return TRUE;
    }

  g_autofree char *known = list_word_rules ();
  return attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                    _("%s: “tokenizer.ggml.pre”: %s found, expected one of %s"),
                    reader->parts->where, name, known);
}

/* Replaces spaces by "▁" in user-defined pieces, which files spell with spaces, unlike all other
 * pieces of SentencePiece. */
static void
restore_spaces (AttnTokenizerParts *parts)
{
  for (guint i = 0; i < parts->pieces->len; i++)
    {
      const char *piece = parts->pieces->pdata[i];

      if (piece == NULL || parts->types->data[i] != ATTN_PIECE_USER_DEFINED)
        continue;
      g_autoptr (GString) spelled = g_string_new (piece);
      g_string_replace (spelled, " ", "▁", 0);
      parts->pieces->pdata[i] = g_string_chunk_insert (parts->strings, spelled->str);
    }
}

/* Converts llama.cpp's spelling of WordPiece, "▁" before pieces that begin a word, to BERT's, "##"
 * before pieces that continue one. */
static void
restore_wordpieces (Reader *reader)
{
  static const char mark[] = "▁";
  const guint32 specials[] = { reader->parts->unknown_id, reader->begin_id, reader->end_id };
  AttnTokenizerParts *parts = reader->parts;

  for (gsize i = 0; i < G_N_ELEMENTS (specials); i++)
    if (specials[i] != ATTN_TOKENIZER_NO_ID)
      parts->types->data[specials[i]] = ATTN_PIECE_CONTROL;
  for (guint i = 0; i < parts->pieces->len; i++)
    {
      char *piece = parts->pieces->pdata[i];

      /* In old files pieces in brackets, such as "[CLS]", have no "▁" and are special tokens. */
      if (piece == NULL || parts->types->data[i] != ATTN_PIECE_NORMAL ||
          (piece[0] == '[' && piece[1] != '\0' && g_str_has_suffix (piece, "]")))
        continue;
      if (g_str_has_prefix (piece, mark))
        parts->pieces->pdata[i] = piece + strlen (mark);
      else
        {
          g_autofree char *continued = g_strconcat ("##", piece, NULL);

          parts->pieces->pdata[i] = g_string_chunk_insert (parts->strings, continued);
        }
    }
}

/* Tells whether no normal piece has an ASCII capital, which means that the tokenizer lowercases. */
static gboolean
is_lower (const AttnTokenizerParts *parts)
{
  for (guint i = 0; i < parts->pieces->len; i++)
    for (const char *at = parts->pieces->pdata[i];
         at != NULL && parts->types->data[i] == ATTN_PIECE_NORMAL && *at != '\0'; at++)
      if (g_ascii_isupper (*at))
        return FALSE;
  return TRUE;
}

/* Reads how letters and accents are normalized. Older files do not tell whether WordPiece
 * lowercases: it is derived from the vocabulary. */
static void
read_case (Reader *reader)
{
  static const char accents[] = KEY ("normalizer.strip_accents");
  AttnTokenizerParts *parts = reader->parts;
  gboolean is_wordpiece = parts->model == ATTN_TOKENIZER_WORDPIECE;
  gboolean has_accents = json_object_has_member (reader->values.object, accents);
  gboolean strips = attn_json_read_boolean (&reader->values, accents, FALSE);

  parts->lowercases = attn_json_read_boolean (&reader->values, KEY ("normalizer.lowercase"),
                                              is_wordpiece && is_lower (parts));
  parts->strips_accents = has_accents && strips;
  parts->keeps_accents = has_accents && !strips;
}

/**
 * attn_tokenizer_read_gguf:
 * @parts: (inout): initialized with the path of a GGUF file; receives what the file says
 * @error: return location for %ATTN_ERROR_FORMAT, %ATTN_ERROR_UNSUPPORTED for a model or a way to
 *   cut words that is not known, and what reading the file reports
 *
 * Special tokens are those of type “control”; tokens of type “user defined” are found in a text as
 * they stand.
 */
gboolean
attn_tokenizer_read_gguf (AttnTokenizerParts  *parts,
                          GError             **error)
{
  g_autoptr (AttnArrayFile) file = attn_array_file_load (parts->path, error);
  Reader reader = { .parts = parts };
  gboolean is_read;

  if (file == NULL)
    return FALSE;
  reader.metadata = attn_array_file_get_gguf (file);
  if (reader.metadata == NULL)
    return attn_fail (error, ATTN_ERROR_FORMAT,
                      _("%s: other first bytes found, expected those of the GGUF format"),
                      parts->where);
  reader.values = (AttnJsonReader) { attn_gguf_metadata_get_values (reader.metadata),
                                     parts->where };
  is_read = find_kind (&reader, error) && find_word_rule (&reader, error) &&
            read_pieces (&reader, error) && read_spaces (&reader, error);
  if (is_read)
    {
      read_ends (&reader);
      if (parts->model == ATTN_TOKENIZER_WORDPIECE)
        restore_wordpieces (&reader);
      else if (parts->model == ATTN_TOKENIZER_SCORED_BPE ||
               parts->model == ATTN_TOKENIZER_UNIGRAM)
        restore_spaces (parts);
      read_case (&reader);
    }
  is_read = is_read && attn_json_finish (&reader.values, error);
  g_clear_error (&reader.values.error);
  if (!is_read)
    return FALSE;
  parts->has_chat = TRUE;
  attn_chat_read_gguf (reader.metadata, parts->where, &parts->chat, &parts->chat_error);
  return TRUE;
}
