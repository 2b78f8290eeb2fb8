/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-sound-names.h"

#include <string.h>

#include "attn-json.h"

/**
 * attn_sound_names_dup_bare:
 * @name: name of a language or a task, "es" or "<|es|>", in upper or lower case
 *
 * Returns: (transfer full): the name in lower case and without "<|" and "|>", "es"
 */
char *
attn_sound_names_dup_bare (const char *name)
{
  g_autofree char *lower = g_ascii_strdown (name, -1);
  gsize length = strlen (lower);

  if (length > 4 && g_str_has_prefix (lower, "<|") && g_str_has_suffix (lower, "|>"))
    return g_strndup (lower + 2, length - 4);
  return g_steal_pointer (&lower);
}

static int
compare (gconstpointer a,
         gconstpointer b)
{
  return strcmp (*(char * const *) a, *(char * const *) b);
}

/* Lists the names of an object's members that are token ids, {"<|es|>": 50262}, without bars and in
 * the order of the alphabet: "es". */
static char **
list (JsonObject *object)
{
  g_autoptr (GList) names = object != NULL ? json_object_get_members (object) : NULL;
  GPtrArray *bare = g_ptr_array_new ();

  for (const GList *name = names; name != NULL; name = name->next)
    {
      JsonNode *node = json_object_get_member (object, name->data);

      if (JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_INT64)
        g_ptr_array_add (bare, attn_sound_names_dup_bare (name->data));
    }
  g_ptr_array_sort (bare, compare);
  g_ptr_array_add (bare, NULL);
  return (char **) g_ptr_array_free (bare, FALSE);
}

static JsonObject *
find_object (JsonNode   *root,
             const char *member)
{
  JsonNode *node = root != NULL && JSON_NODE_HOLDS_OBJECT (root)
                       ? json_object_get_member (json_node_get_object (root), member)
                       : NULL;

  return node != NULL && JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
}

/**
 * attn_sound_names_new:
 * @model: any model; lists are empty for a model that hears no sounds
 *
 * Reads the names from generation_config.json. Errors in the file are not reported here, but by
 * attn_sound_prompt_extend() when an answer needs it; the lists are empty then.
 *
 * Returns: (transfer full): the names
 */
AttnSoundNames *
attn_sound_names_new (const AttnModel *model)
{
  g_autofree char *path =
      g_build_filename (attn_model_get_path (model), "generation_config.json", NULL);
  g_autoptr (JsonNode) root =
      attn_model_get_info (model)->needs_sound ? attn_json_load (path, NULL) : NULL;
  AttnSoundNames *names = g_new0 (AttnSoundNames, 1);

  names->languages = list (find_object (root, "lang_to_id"));
  names->tasks = list (find_object (root, "task_to_id"));
  return names;
}

void
attn_sound_names_free (AttnSoundNames *names)
{
  g_strfreev (names->languages);
  g_strfreev (names->tasks);
  g_free (names);
}
