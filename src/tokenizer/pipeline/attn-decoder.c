/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-decoder.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-byte-level.h"
#include "attn-byte-pieces.h"
#include "attn-component.h"
#include "attn-error.h"
#include "attn-json.h"
#include "attn-spaces.h"

enum
{
  TYPE_BYTE_FALLBACK,
  TYPE_BYTE_LEVEL,
  TYPE_METASPACE,
  TYPE_REPLACE,
  TYPE_STRIP,
  TYPE_WORDPIECE,
};

typedef struct
{
  int type;
  char *pattern;          /* what is replaced or stripped; the prefix of WordPiece */
  char *content;          /* what is put in its place */
  gsize n_stripped;       /* Strip: how often at the beginning */
  gboolean is_first_only; /* Metaspace, Strip: of the first token only */
  gboolean cleans_up;     /* WordPiece: no space before punctuation */
} Step;

/**
 * AttnDecoder:
 *
 * What the format defines on the list of all pieces is done here piece by piece, so that each token
 * has bytes of its own. Immutable; any thread may use it.
 */
struct _AttnDecoder
{
  GArray *steps;
  gboolean is_fused; /* while it is read: whether what follows sees one text */
};

static void
clear_step (gpointer data)
{
  Step *step = data;

  g_free (step->pattern);
  g_free (step->content);
}

static void
append_step (AttnDecoder *decoder,
             int          type,
             const char  *pattern,
             const char  *content)
{
  Step step = { .type = type, .pattern = g_strdup (pattern), .content = g_strdup (content) };

  g_array_append_val (decoder->steps, step);
}

static Step *
get_last (AttnDecoder *decoder)
{
  return &g_array_index (decoder->steps, Step, decoder->steps->len - 1);
}

static gboolean
read_metaspace (gpointer     stage,
                JsonObject  *object,
                int          kind,
                const char  *where,
                GError     **error)
{
  const char *replacement, *scheme;
  gboolean adds_prefix_space;

  if (!attn_json_get_string (object, where, "replacement", ATTN_SPACE, &replacement, error) ||
      !attn_json_get_string (object, where, "prepend_scheme", "always", &scheme, error) ||
      !attn_json_get_boolean (object, where, "add_prefix_space", TRUE, &adds_prefix_space, error))
    return FALSE;
  append_step (stage, TYPE_METASPACE, replacement, " ");
  get_last (stage)->is_first_only = adds_prefix_space && !g_str_equal (scheme, "never");
  return TRUE;
}

static gboolean
read_replace (gpointer     stage,
              JsonObject  *object,
              int          kind,
              const char  *where,
              GError     **error)
{
  const char *content, *string = NULL;
  JsonObject *pattern;

  if (!attn_json_get_string (object, where, "content", "", &content, error) ||
      !attn_json_get_object (object, where, "pattern", &pattern, error) ||
      (pattern != NULL &&
       !attn_json_get_string (pattern, where, "String", NULL, &string, error)))
    return FALSE;
  if (string == NULL || *string == '\0')
    return attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                      _("%s: decoder Replace without a string found, expected { \"String\": \"▁\" "
                        "}"),
                      where);
  append_step (stage, TYPE_REPLACE, string, content);
  return TRUE;
}

static gboolean
read_strip (gpointer     stage,
            JsonObject  *object,
            int          kind,
            const char  *where,
            GError     **error)
{
  const char *content;
  gsize n_begin, n_end;

  if (!attn_json_get_string (object, where, "content", " ", &content, error) ||
      !attn_json_get_size (object, where, "start", 0, G_MAXINT32, 0, &n_begin, error) ||
      !attn_json_get_size (object, where, "stop", 0, G_MAXINT32, 0, &n_end, error))
    return FALSE;
  if (n_end > 0 || *content == '\0')
    return attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                      _("%s: decoder Strip with stop %zu and content “%s” found, expected one "
                        "that strips a character at the start"),
                      where, n_end, content);
  append_step (stage, TYPE_STRIP, content, NULL);
  get_last (stage)->n_stripped = n_begin;
  get_last (stage)->is_first_only = ((AttnDecoder *) stage)->is_fused;
  return TRUE;
}

static gboolean
read_wordpiece (gpointer     stage,
                JsonObject  *object,
                int          kind,
                const char  *where,
                GError     **error)
{
  const char *prefix;
  gboolean cleans_up;

  if (!attn_json_get_string (object, where, "prefix", "##", &prefix, error) ||
      !attn_json_get_boolean (object, where, "cleanup", TRUE, &cleans_up, error))
    return FALSE;
  append_step (stage, TYPE_WORDPIECE, prefix, NULL);
  get_last (stage)->cleans_up = cleans_up;
  return TRUE;
}

static gboolean
read_fuse (gpointer     stage,
           JsonObject  *object,
           int          kind,
           const char  *where,
           GError     **error)
{
  ((AttnDecoder *) stage)->is_fused = TRUE;
  return TRUE;
}

static gboolean
read_plain (gpointer     stage,
            JsonObject  *object,
            int          kind,
            const char  *where,
            GError     **error)
{
  append_step (stage, kind, NULL, NULL);
  return TRUE;
}

static const AttnComponentType components[] = {
  { "ByteFallback", TYPE_BYTE_FALLBACK, read_plain },
  { "ByteLevel", TYPE_BYTE_LEVEL, read_plain },
  { "Fuse", 0, read_fuse },
  { "Metaspace", 0, read_metaspace },
  { "Replace", 0, read_replace },
  { "Sequence", .sequence = "decoders" },
  { "Strip", 0, read_strip },
  { "WordPiece", 0, read_wordpiece },
  { NULL },
};

static void
append_default (AttnDecoder        *decoder,
                AttnDecoderDefault  fallback)
{
  switch (fallback)
    {
    case ATTN_DECODER_PLAIN:
      return;
    case ATTN_DECODER_BYTE_LEVEL:
      append_step (decoder, TYPE_BYTE_LEVEL, NULL, NULL);
      return;
    case ATTN_DECODER_SPACES:
    case ATTN_DECODER_ALL_SPACES:
      append_step (decoder, TYPE_BYTE_FALLBACK, NULL, NULL);
      append_step (decoder, TYPE_METASPACE, ATTN_SPACE, " ");
      get_last (decoder)->is_first_only = fallback == ATTN_DECODER_SPACES;
      return;
    case ATTN_DECODER_WORDPIECE:
      append_step (decoder, TYPE_WORDPIECE, "##", NULL);
      get_last (decoder)->cleans_up = TRUE;
      return;
    }
}

/**
 * attn_decoder_new:
 * @node: (nullable): the decoder of a tokenizer.json
 * @fallback: what to do where there is none, or null
 * @where: the file
 * @error: return location for %ATTN_ERROR_FORMAT, and %ATTN_ERROR_UNSUPPORTED for a type or an
 *   option that is not known
 */
AttnDecoder *
attn_decoder_new (JsonNode            *node,
                  AttnDecoderDefault   fallback,
                  const char          *where,
                  GError             **error)
{
  g_autoptr (AttnDecoder) decoder = g_new0 (AttnDecoder, 1);

  decoder->steps = g_array_new (FALSE, FALSE, sizeof (Step));
  g_array_set_clear_func (decoder->steps, clear_step);
  if (node == NULL || JSON_NODE_HOLDS_NULL (node))
    append_default (decoder, fallback);
  else if (!attn_component_read (node, components, decoder, where, _("decoder"), error))
    return NULL;
  return g_steal_pointer (&decoder);
}

void
attn_decoder_free (AttnDecoder *decoder)
{
  g_array_unref (decoder->steps);
  g_free (decoder);
}

static void
strip (const Step *step,
       GString    *text)
{
  gsize length = strlen (step->pattern);

  for (gsize i = 0; i < step->n_stripped; i++)
    {
      if (!g_str_has_prefix (text->str, step->pattern))
        return;
      g_string_erase (text, 0, length);
    }
}

/* The tokenizers library, decoders/wordpiece.rs, cleanup(). */
static void
clean_up (GString *text)
{
  static const char * const pairs[][2] = {
    { " .", "." },
    { " ?", "?" },
    { " !", "!" },
    { " ,", "," },
    { " ' ", "'" },
    { " n't", "n't" },
    { " 'm", "'m" },
    { " do not", " don't" },
    { " 's", "'s" },
    { " 've", "'ve" },
    { " 're", "'re" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (pairs); i++)
    g_string_replace (text, pairs[i][0], pairs[i][1], 0);
}

static void
join_word (const Step *step,
           gboolean    is_first,
           GString    *text)
{
  if (!is_first && g_str_has_prefix (text->str, step->pattern))
    g_string_erase (text, 0, strlen (step->pattern));
  else if (!is_first)
    g_string_prepend_c (text, ' ');
  if (step->cleans_up)
    clean_up (text);
}

static void
apply_step (const Step *step,
            gboolean    is_first,
            GString    *text)
{
  gboolean drops_space = is_first && step->is_first_only;

  switch (step->type)
    {
    case TYPE_METASPACE:
      if (drops_space && g_str_has_prefix (text->str, step->pattern))
        g_string_erase (text, 0, strlen (step->pattern));
      g_string_replace (text, step->pattern, step->content, 0);
      return;
    case TYPE_REPLACE:
      g_string_replace (text, step->pattern, step->content, 0);
      return;
    case TYPE_STRIP:
      if (drops_space || !step->is_first_only)
        strip (step, text);
      return;
    case TYPE_WORDPIECE:
      join_word (step, is_first, text);
      return;
    default:
      return;
    }
}

/* A piece that is bytes is not text to the other steps. Returns whether it was one. */
static gboolean
append_as_bytes (const AttnDecoder *decoder,
                 const char        *piece,
                 GString           *bytes)
{
  for (guint i = 0; i < decoder->steps->len; i++)
    {
      int type = g_array_index (decoder->steps, Step, i).type;
      int byte = type == TYPE_BYTE_FALLBACK ? attn_byte_pieces_parse (piece) : -1;

      if (type == TYPE_BYTE_LEVEL && attn_byte_level_decode (piece, bytes))
        return TRUE;
      if (byte < 0)
        continue;
      g_string_append_c (bytes, (char) byte);
      return TRUE;
    }
  return FALSE;
}

/**
 * attn_decoder_append:
 * @piece: a token as the vocabulary spells it
 * @is_added: whether it is an added token: those are spelled as they are, in WordPiece with a space
 *   in front
 * @is_first: whether no token stands before it
 * @bytes: where the bytes are appended that it stands for
 */
void
attn_decoder_append (const AttnDecoder *decoder,
                     const char        *piece,
                     gboolean           is_added,
                     gboolean           is_first,
                     GString           *bytes)
{
  if (!is_added && append_as_bytes (decoder, piece, bytes))
    return;

  g_autoptr (GString) text = g_string_new (piece);
  for (guint i = 0; i < decoder->steps->len; i++)
    {
      const Step *step = &g_array_index (decoder->steps, Step, i);

      if (!is_added || step->type == TYPE_WORDPIECE)
        apply_step (step, is_first, text);
    }
  g_string_append_len (bytes, text->str, text->len);
}

/**
 * attn_decoder_append_alone:
 * @piece: a token as the vocabulary spells it
 * @bytes: where the bytes are appended that it is shown with
 *
 * What says how a token joins the one before it is kept: the space of "▁the", the "##" of "##ing".
 */
void
attn_decoder_append_alone (const AttnDecoder *decoder,
                           const char        *piece,
                           GString           *bytes)
{
  if (append_as_bytes (decoder, piece, bytes))
    return;

  g_autoptr (GString) text = g_string_new (piece);
  for (guint i = 0; i < decoder->steps->len; i++)
    {
      const Step *step = &g_array_index (decoder->steps, Step, i);

      if (step->type == TYPE_METASPACE || step->type == TYPE_REPLACE)
        g_string_replace (text, step->pattern, step->content, 0);
    }
  g_string_append_len (bytes, text->str, text->len);
}
