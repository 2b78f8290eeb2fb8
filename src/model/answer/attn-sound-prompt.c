/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Builds the tokens with which Whisper's generation begins: the start token, the language, which is
 * detected from the sound if the user does not name it, the task, and the token for no timestamps.
 * Follows _retrieve_init_tokens() of transformers 4.57, generation_whisper.py. */

#include "config.h"

#include "attn-sound-prompt.h"

#include <glib/gi18n-lib.h>

#include "attn-error.h"
#include "attn-json.h"
#include "attn-sound-names.h"
#include "attn-trace.h"

#define MAX_FORCED 16

/**
 * Prompt:
 * @forced: element-type gint64: ids of the tokens behind the start token; -1 for one that is not
 *   determined yet
 * @languages: element-type guint32: ids of the tokens of all languages
 * @silence: id of the token that says that there are no timestamps; -1 for none
 */
typedef struct
{
  GArray *forced;
  GArray *languages;
  gint64 silence;
} Prompt;

static void
prompt_clear (Prompt *prompt)
{
  g_array_unref (prompt->forced);
  g_array_unref (prompt->languages);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Prompt, prompt_clear)

/* Returns the token id that an object has for a language or task, {"<|es|>": 50262}, or -1 if it
 * has none. @asked: the name, with or without the bars */
static gint64
find_named (JsonObject          *object,
            const char          *asked,
            const AttnModelInfo *info)
{
  g_autofree char *lower = g_ascii_strdown (asked, -1);
  g_autofree char *token = g_strdup_printf ("<|%s|>", lower);
  JsonNode *node = object != NULL ? json_object_get_member (object, lower) : NULL;
  gint64 id;

  if (node == NULL && object != NULL)
    node = json_object_get_member (object, token);
  if (node == NULL || !JSON_NODE_HOLDS_VALUE (node) ||
      json_node_get_value_type (node) != G_TYPE_INT64)
    return -1;
  id = json_node_get_int (node);
  return id >= 0 && (guint64) id < info->vocabulary_size ? id : -1;
}

/* Lists the names of an object's members for a message, without bars: "en, es" for "<|en|>" and
 * "<|es|>". */
static char *
list_names (JsonObject *object)
{
  g_autoptr (GList) names = object != NULL ? json_object_get_members (object) : NULL;
  GString *list = g_string_new (NULL);

  for (const GList *name = names; name != NULL; name = name->next)
    {
      g_autofree char *bare = attn_sound_names_dup_bare (name->data);

      g_string_append_printf (list, "%s%s", list->len > 0 ? ", " : "", bare);
    }
  if (list->len == 0)
    g_string_append (list, _("none"));
  return g_string_free (list, FALSE);
}

/* Replaces the checkpoint's forced tokens by those for the requested language and task, as the
 * published code does. The language is left open, to be detected, if only the task is given; the
 * task is to transcribe if only the language is given. */
static gboolean
set_words (AttnJsonReader        *json,
           const AttnModelInfo   *info,
           const AttnSoundWords  *words,
           Prompt                *prompt,
           GError               **error)
{
  JsonObject *languages = attn_json_read_object (json, "lang_to_id");
  JsonObject *tasks = attn_json_read_object (json, "task_to_id");
  const struct
  {
    const char *option;
    const char *asked;
    JsonObject *known;
    const char *member;
  } asked[] = {
    { "language", words->language, languages, "lang_to_id" },
    { "task", words->task != NULL ? words->task : tasks != NULL ? "transcribe"
                                                                : NULL,
      tasks,
      "task_to_id" },
  };

  g_array_set_size (prompt->forced, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (asked); i++)
    {
      gint64 id = asked[i].asked != NULL ? find_named (asked[i].known, asked[i].asked, info) : -1;

      if (asked[i].asked != NULL && id < 0)
        {
          g_autofree char *names = list_names (asked[i].known);

          return attn_fail (error, ATTN_ERROR_ARGUMENT,
                            _("%s “%s” found, expected one that “%s” in %s has: %s"),
                            asked[i].option, asked[i].asked, asked[i].member, json->where, names);
        }
      if (id >= 0 || (i == 0 && languages != NULL))
        g_array_append_val (prompt->forced, id);
    }
  return TRUE;
}

/* Returns the token id in @node, or -1 if it is null. Sets the error of @json for any other
 * value. */
static gint64
read_id (AttnJsonReader      *json,
         const char          *member,
         JsonNode            *node,
         const AttnModelInfo *info)
{
  gint64 id = JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_INT64
                  ? json_node_get_int (node)
                  : -1;

  if (JSON_NODE_HOLDS_NULL (node))
    return -1;
  if (id < 0 || (guint64) id >= info->vocabulary_size)
    attn_json_fail (json, ATTN_ERROR_FORMAT,
                    _("%s: %s: something else found, expected token ids from 0 to %zu"),
                    json->where, member, info->vocabulary_size - 1);
  return id;
}

/* Reads “forced_decoder_ids”: pairs of a position in the answer and a token that is forced there,
 * from position 1 on; pairs behind a gap are not read. */
static void
read_forced (AttnJsonReader      *json,
             const AttnModelInfo *info,
             Prompt              *prompt)
{
  static const char member[] = "forced_decoder_ids";
  JsonArray *array = attn_json_read_array (json, member);

  for (guint i = 0; array != NULL && i < MIN (json_array_get_length (array), MAX_FORCED); i++)
    {
      JsonNode *node = json_array_get_element (array, i);
      JsonArray *pair = JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;

      if (pair == NULL || json_array_get_length (pair) != 2)
        {
          attn_json_fail (json, ATTN_ERROR_FORMAT,
                          _("%s: “%s”: something else found, expected pairs of a position and a "
                            "token"),
                          json->where, member);
          return;
        }
      if (read_id (json, member, json_array_get_element (pair, 0), info) != (gint64) i + 1)
        return;
      gint64 id = read_id (json, member, json_array_get_element (pair, 1), info);
      g_array_append_val (prompt->forced, id);
    }
}

static void
read_members (AttnJsonReader      *json,
              const AttnModelInfo *info,
              Prompt              *prompt)
{
  JsonObject *languages = attn_json_read_object (json, "lang_to_id");
  g_autoptr (GList) names = languages != NULL ? json_object_get_members (languages) : NULL;
  JsonNode *silence = json_object_get_member (json->object, "no_timestamps_token_id");

  read_forced (json, info, prompt);
  for (const GList *name = names; name != NULL; name = name->next)
    {
      gint64 number =
          read_id (json, "lang_to_id", json_object_get_member (languages, name->data), info);
      guint32 id = (guint32) number;

      if (number >= 0)
        g_array_append_val (prompt->languages, id);
    }
  if (silence != NULL && !attn_json_read_boolean (json, "return_timestamps", FALSE))
    prompt->silence = read_id (json, "no_timestamps_token_id", silence, info);
}

/* Sets *language to the token of the language that is spoken: the most probable of all languages'
 * tokens behind the start token. */
static gboolean
hear_language (AttnModel     *model,
               const GArray  *ids,
               const GArray  *languages,
               GCancellable  *cancellable,
               gint64        *language,
               GError       **error)
{
  const AttnTraceRequest request = {
    .ids = (const guint32 *) (gpointer) ids->data,
    .n_ids = ids->len,
    .keep = ATTN_QUANTITY_LOGITS,
  };
  g_autoptr (AttnTrace) trace =
      attn_trace_compute (model, &request, NULL, NULL, cancellable, error);
  g_autoptr (AttnTensor) logits =
      trace != NULL ? attn_trace_get (trace, ATTN_QUANTITY_LOGITS, 0) : NULL;

  if (logits == NULL)
    return FALSE;
  const float *last = logits->data + (ids->len - 1) * logits->shape[1];
  *language = g_array_index (languages, guint32, 0);
  for (guint i = 1; i < languages->len; i++)
    if (last[g_array_index (languages, guint32, i)] > last[*language])
      *language = g_array_index (languages, guint32, i);
  return TRUE;
}

static gboolean
load (const AttnModel       *model,
      const AttnSoundWords  *words,
      Prompt                *prompt,
      GError               **error)
{
  gboolean has_words = words != NULL && (words->language != NULL || words->task != NULL);
  g_autofree char *path =
      g_build_filename (attn_model_get_path (model), "generation_config.json", NULL);
  g_autofree char *where = g_filename_display_name (path);

  if (!has_words && !g_file_test (path, G_FILE_TEST_EXISTS))
    return TRUE;
  g_autoptr (JsonNode) root = attn_json_load (path, error);
  if (root == NULL)
    return FALSE;
  AttnJsonReader json = attn_json_begin (root, where);
  read_members (&json, attn_model_get_info (model), prompt);
  if (!attn_json_finish (&json, error))
    return FALSE;
  return !has_words || set_words (&json, attn_model_get_info (model), words, prompt, error);
}

/**
 * attn_sound_prompt_extend:
 * @model: the decoder of a speech model, with its sound
 * @words: (nullable): the language and task that the user asks for
 * @ids: (inout) (element-type guint32): the decoder's start token, to which tokens are added
 * @cancellable: (nullable): polled for each layer
 * @error: return location: errors of [func@attn_json_load] and [func@attn_trace_compute],
 *   %ATTN_ERROR_FORMAT, %ATTN_ERROR_ARGUMENT for words that the checkpoint does not know
 *
 * Adds the tokens with which an answer begins by generation_config.json and @words; none if the
 * checkpoint has no such file and @words names nothing.
 */
gboolean
attn_sound_prompt_extend (AttnModel             *model,
                          const AttnSoundWords  *words,
                          GArray                *ids,
                          GCancellable          *cancellable,
                          GError               **error)
{
  g_auto (Prompt) prompt = { g_array_new (FALSE, FALSE, sizeof (gint64)),
                             g_array_new (FALSE, FALSE, sizeof (guint32)), -1 };
  gint64 last = -1;

  if (!load (model, words, &prompt, error))
    return FALSE;
  if (prompt.languages->len > 0)
    {
      gint64 open = -1;

      if (prompt.forced->len == 0)
        g_array_append_val (prompt.forced, open);
      if (g_array_index (prompt.forced, gint64, 0) < 0 &&
          !hear_language (model, ids, prompt.languages, cancellable,
                          &g_array_index (prompt.forced, gint64, 0), error))
        return FALSE;
    }
  if (prompt.forced->len > 0)
    last = g_array_index (prompt.forced, gint64, prompt.forced->len - 1);
  if (prompt.silence >= 0 && last != prompt.silence)
    g_array_append_val (prompt.forced, prompt.silence);
  for (guint i = 0; i < prompt.forced->len; i++)
    {
      guint32 id = (guint32) g_array_index (prompt.forced, gint64, i);

      if (g_array_index (prompt.forced, gint64, i) >= 0)
        g_array_append_val (ids, id);
    }
  return TRUE;
}
