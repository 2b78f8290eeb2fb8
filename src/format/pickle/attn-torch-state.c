/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-torch-state.h"

#include <glib/gi18n-lib.h>
#include <json-glib/json-glib.h>
#include <string.h>

#include "attn-error.h"
#include "attn-torch.h"

/* The deepest nesting of dictionaries in which weights are searched, such as {"model":
 * {"state_dict": …}}. */
#define MAX_DEPTH 4

/* Keys of a checkpoint under which the weights of the model are stored: by nanoGPT and fairseq,
 * Lightning, PyTorch's tutorials, DeepSpeed. */
static const char * const state_names[] = { "model", "state_dict", "model_state_dict", "module" };

/* Parts that wrappers of a model add to the names of its weights: torch.compile(), fully sharded
 * training (FSDP) and activation checkpointing. */
static const char * const wrappers[] = { "_orig_mod.", "_fsdp_wrapped_module.",
                                         "_checkpoint_wrapped_module." };

/* The prefix that PyTorch's DataParallel adds to the names of all weights. */
#define PARALLEL "module."

/* Returns the dictionary that @dict has under one of the known keys, or @dict itself if it has
 * none. Returns NULL with an error if there are several different dictionaries. */
static const AttnPickleValue *
descend (const AttnPickle       *pickle,
         const AttnPickleValue  *dict,
         const char             *where,
         GError                **error)
{
  const AttnPickleValue *found = NULL;
  const char *found_name = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (state_names); i++)
    {
      const AttnPickleValue *value = attn_pickle_lookup (pickle, dict, state_names[i]);

      if (value == NULL || value->kind != ATTN_PICKLE_DICT)
        continue;
      if (found != NULL && found != value)
        return attn_fail_null (error, ATTN_ERROR_UNSUPPORTED,
                               _("%s: weights in “%s” and in “%s” found, expected one of them"),
                               where, found_name, state_names[i]);
      found = value;
      found_name = state_names[i];
    }
  return found != NULL ? found : dict;
}

static const AttnPickleValue *
find_state (const AttnPickle  *pickle,
            const char        *where,
            GError           **error)
{
  const AttnPickleValue *dict = attn_pickle_get_root (pickle);

  for (gsize depth = 0; depth < MAX_DEPTH; depth++)
    {
      const AttnPickleValue *inner = descend (pickle, dict, where, error);

      if (inner == NULL || inner == dict)
        return inner;
      dict = inner;
    }
  return dict;
}

/* Returns a tensor's name without the parts that wrappers have added. */
static char *
strip_wrappers (const char *name)
{
  g_autoptr (GString) stripped = g_string_new (name);

  for (gsize i = 0; i < G_N_ELEMENTS (wrappers); i++)
    {
      gsize n = strlen (wrappers[i]);
      gsize position = 0;

      while (position < stripped->len)
        {
          const char *found = strstr (stripped->str + position, wrappers[i]);

          if (found == NULL)
            break;
          position = found - stripped->str;
          if (position == 0 || stripped->str[position - 1] == '.')
            g_string_erase (stripped, position, n);
          else
            position += n;
        }
    }
  return g_string_free (g_steal_pointer (&stripped), FALSE);
}

/* Returns the name of item @i of @dict, or NULL if the item is not a tensor. Names are not copied
 * all at once, since a malicious pickle can repeat a long name a million times; a second tensor
 * with the same name is refused. */
static char *
dup_name (const AttnPickle      *pickle,
          const AttnPickleValue *dict,
          gsize                  i)
{
  if (!attn_torch_is_tensor (pickle, attn_pickle_get_item (pickle, dict, 2 * i + 1)))
    return NULL;

  g_autofree char *name = attn_pickle_dup_text (attn_pickle_get_item (pickle, dict, 2 * i));
  return name != NULL ? strip_wrappers (name) : NULL;
}

static gboolean
are_parallel (const AttnPickle      *pickle,
              const AttnPickleValue *dict)
{
  for (gsize i = 0; i < dict->n / 2; i++)
    {
      g_autofree char *name = dup_name (pickle, dict, i);

      if (name != NULL && !g_str_has_prefix (name, PARALLEL))
        return FALSE;
    }
  return TRUE;
}

/* Adds the sizes of a nanoGPT model, which its checkpoint has beside the weights, to the metadata
 * of @file as a JSON object. */
static void
add_model_args (AttnArrayFile    *file,
                const AttnPickle *pickle)
{
  const AttnPickleValue *root = attn_pickle_get_root (pickle);
  const AttnPickleValue *args = attn_pickle_lookup (pickle, root, ATTN_TORCH_MODEL_ARGS);

  if (args == NULL || args->kind != ATTN_PICKLE_DICT)
    return;

  g_autoptr (JsonObject) object = json_object_new ();
  for (gsize i = 0; i + 1 < args->n; i += 2)
    {
      g_autofree char *key = attn_pickle_dup_text (attn_pickle_get_item (pickle, args, i));
      const AttnPickleValue *value = attn_pickle_get_item (pickle, args, i + 1);

      if (key == NULL)
        continue;
      if (value->kind == ATTN_PICKLE_BOOLEAN)
        json_object_set_boolean_member (object, key, value->integer != 0);
      else if (value->kind == ATTN_PICKLE_INTEGER)
        json_object_set_int_member (object, key, value->integer);
    }
  g_autoptr (JsonNode) node = json_node_init_object (json_node_alloc (), object);
  g_autofree char *text = json_to_string (node, FALSE);
  attn_array_file_set_metadata (file, ATTN_TORCH_MODEL_ARGS, text);
}

/**
 * attn_torch_add_state:
 * @file: the file that the tensors of the model are added to, by their names without the parts that
 *   wrappers have added
 * @error: return location: %ATTN_ERROR_FORMAT and other errors of [func@attn_torch_new_array],
 *   %ATTN_ERROR_UNSUPPORTED for a checkpoint without a dictionary of tensors or with several
 *
 * Adds the weights of a checkpoint. Their dictionary is the saved object itself, or is in it under
 * one of the keys that training programs use; all else, such as the state of an optimizer, is
 * ignored. The sizes of a nanoGPT model become metadata with the key %ATTN_TORCH_MODEL_ARGS, a JSON
 * object.
 */
gboolean
attn_torch_add_state (AttnArrayFile            *file,
                      const AttnTorchStorages  *storages,
                      GError                  **error)
{
  const AttnPickle *pickle = storages->pickle;
  const AttnPickleValue *dict = find_state (pickle, storages->where, error);

  if (dict == NULL)
    return FALSE;
  gsize n = dict->kind == ATTN_PICKLE_DICT ? dict->n / 2 : 0;
  gsize n_skipped = n > 0 && are_parallel (pickle, dict) ? strlen (PARALLEL) : 0;
  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *name = dup_name (pickle, dict, i);

      if (name == NULL)
        continue;
      AttnArray *array =
          attn_torch_new_array (storages, name + n_skipped,
                                attn_pickle_get_item (pickle, dict, 2 * i + 1), error);
      if (array == NULL || !attn_array_file_add (file, array, error))
        return FALSE;
    }
  if (attn_array_file_get_n_arrays (file) == 0)
    return attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                      _("%s: no dictionary of tensors by their names found, expected the "
                        "state_dict of a model"),
                      storages->where);
  add_model_args (file, pickle);
  return TRUE;
}
