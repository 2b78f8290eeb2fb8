/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-found-models.h"

#include <string.h>

#include "attn-file.h"
#include "attn-json.h"

/* Largest size in bytes of the small files of other programs that are read. A manifest of Ollama
 * has 1 kB, a reference in the Hugging Face cache 40 bytes. */
#define MAX_SMALL_BYTES ((gsize) 1 << 20)

/* Largest number of folder entries that are examined, so that a large folder causes no delay. */
#define MAX_ENTRIES 1000

typedef void (*FindFunc) (GPtrArray *models,
                          const char *program,
                          const char *folder);

static void
free_model (gpointer data)
{
  AttnFoundModel *model = data;

  g_free (model->name);
  g_free (model->path);
  g_free (model);
}

static void
add_model (GPtrArray  *models,
           const char *program,
           const char *name,
           const char *path)
{
  AttnFoundModel *model = g_new (AttnFoundModel, 1);

  model->program = program;
  model->name = g_filename_display_name (name);
  model->path = g_strdup (path);
  g_ptr_array_add (models, model);
}

static int
compare_names (gconstpointer a,
               gconstpointer b)
{
  return strcmp (*(const char * const *) a, *(const char * const *) b);
}

/* Lists the names in a folder that have the given prefix and suffix, sorted. */
static GPtrArray *
list_names (const char *folder,
            const char *prefix,
            const char *suffix)
{
  g_autoptr (GDir) directory = g_dir_open (folder, 0, NULL);
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  const char *name;

  for (guint n = 0; directory != NULL && n < MAX_ENTRIES &&
                    (name = g_dir_read_name (directory)) != NULL;
       n++)
    if (name[0] != '.' && g_str_has_prefix (name, prefix) && g_str_has_suffix (name, suffix))
      g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, compare_names);
  return names;
}

/* Finds GGUF files in a folder. Of a model in several files only the first is listed. Files that
 * only project pictures (mmproj) are left out. */
static void
find_gguf (GPtrArray  *models,
           const char *program,
           const char *folder)
{
  g_autoptr (GPtrArray) names = list_names (folder, "", ".gguf");

  for (guint i = 0; i < names->len; i++)
    {
      const char *name = names->pdata[i];
      const char *part = strstr (name, "-of-");
      g_autofree char *path = g_build_filename (folder, name, NULL);
      g_autofree char *stem = g_strndup (name, strlen (name) - strlen (".gguf"));

      if (part != NULL && part - name >= 6 && !g_str_has_prefix (part - 6, "-00001-of-"))
        continue;
      if (strstr (name, "mmproj") == NULL && g_file_test (path, G_FILE_TEST_IS_REGULAR))
        add_model (models, program, stem, path);
    }
}

/* Reads a small text file of another program. Returns %NULL if the file does not exist, is a pipe
 * or a device, or is too large. */
static char *
read_small (const char *path)
{
  g_autoptr (GBytes) bytes = attn_file_read (path, MAX_SMALL_BYTES, NULL);
  gsize length = 0;
  const char *text = bytes != NULL ? g_bytes_get_data (bytes, &length) : NULL;

  return text != NULL ? g_strndup (text, length) : NULL;
}

/* Finds models in a Hugging Face cache: models--ORGANISATION--NAME/snapshots/COMMIT, with the
 * current commit in refs/main. */
static void
find_hub (GPtrArray  *models,
          const char *program,
          const char *folder)
{
  g_autoptr (GPtrArray) names = list_names (folder, "models--", "");

  for (guint i = 0; i < names->len; i++)
    {
      g_autofree char *path = g_build_filename (folder, names->pdata[i], NULL);
      g_autofree char *snapshots = g_build_filename (path, "snapshots", NULL);
      g_autofree char *ref = g_build_filename (path, "refs", "main", NULL);
      g_autoptr (GPtrArray) commits = list_names (snapshots, "", "");
      g_autoptr (GString) name = g_string_new ((char *) names->pdata[i] + strlen ("models--"));
      g_autofree char *commit = read_small (ref);

      if (commit == NULL && commits->len > 0)
        commit = g_strdup (commits->pdata[0]);
      if (commit == NULL || strchr (g_strstrip (commit), G_DIR_SEPARATOR) != NULL)
        continue;
      g_autofree char *snapshot = g_build_filename (snapshots, commit, NULL);
      g_autofree char *config = g_build_filename (snapshot, "config.json", NULL);
      g_string_replace (name, "--", "/", 0);
      if (g_file_test (config, G_FILE_TEST_IS_REGULAR))
        add_model (models, program, name->str, snapshot);
      else
        find_gguf (models, program, snapshot);
    }
}

/* Finds GGUF files two folders deep: ORGANIZATION/NAME/FILE.gguf */
static void
find_two_deep (GPtrArray  *models,
               const char *program,
               const char *folder)
{
  g_autoptr (GPtrArray) names = list_names (folder, "", "");

  for (guint i = 0; i < names->len; i++)
    {
      g_autofree char *path = g_build_filename (folder, names->pdata[i], NULL);
      g_autoptr (GPtrArray) inner = list_names (path, "", "");

      for (guint j = 0; j < inner->len; j++)
        {
          g_autofree char *own = g_build_filename (path, inner->pdata[j], NULL);

          find_gguf (models, program, own);
        }
    }
}

static const char *
get_string (JsonObject *object,
            const char *name)
{
  JsonNode *node = json_object_get_member (object, name);

  return node != NULL && json_node_get_value_type (node) == G_TYPE_STRING
             ? json_node_get_string (node)
             : "";
}

/* Returns the file with the weights that a manifest of Ollama names, or %NULL if it names none. */
static char *
dup_blob (const char *folder,
          const char *manifest)
{
  g_autofree char *text = read_small (manifest);
  g_autoptr (JsonNode) root = text != NULL ? attn_json_parse (manifest, text, -1, NULL) : NULL;
  JsonObject *object = root != NULL && JSON_NODE_HOLDS_OBJECT (root) ? json_node_get_object (root)
                                                                     : NULL;
  JsonNode *layers = object != NULL ? json_object_get_member (object, "layers") : NULL;
  JsonArray *array = layers != NULL && JSON_NODE_HOLDS_ARRAY (layers) ? json_node_get_array (layers)
                                                                      : NULL;

  for (guint i = 0; array != NULL && i < json_array_get_length (array); i++)
    {
      JsonNode *node = json_array_get_element (array, i);
      JsonObject *layer = JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;

      if (layer == NULL ||
          strcmp (get_string (layer, "mediaType"), "application/vnd.ollama.image.model") != 0)
        continue;
      g_autofree char *name = g_strdup (get_string (layer, "digest"));
      g_strdelimit (name, ":", '-');
      if (strchr (name, G_DIR_SEPARATOR) == NULL)
        return g_build_filename (folder, "blobs", name, NULL);
    }
  return NULL;
}

/* Finds models of Ollama, which are listed in manifests/registry.ollama.ai/library/NAME/TAG. */
static void
find_ollama (GPtrArray  *models,
             const char *program,
             const char *folder)
{
  g_autofree char *library =
      g_build_filename (folder, "manifests", "registry.ollama.ai", "library", NULL);
  g_autoptr (GPtrArray) names = list_names (library, "", "");

  for (guint i = 0; i < names->len; i++)
    {
      g_autofree char *path = g_build_filename (library, names->pdata[i], NULL);
      g_autoptr (GPtrArray) tags = list_names (path, "", "");

      for (guint j = 0; j < tags->len; j++)
        {
          g_autofree char *manifest = g_build_filename (path, tags->pdata[j], NULL);
          g_autofree char *blob = dup_blob (folder, manifest);
          g_autofree char *name =
              g_strdup_printf ("%s:%s", (char *) names->pdata[i], (char *) tags->pdata[j]);

          if (blob != NULL && g_file_test (blob, G_FILE_TEST_IS_REGULAR))
            add_model (models, program, name, blob);
        }
    }
}

/* Folders where programs keep models: the one that the environment variable names, followed by
 * inner, or else the usual folder of the user. Folders that do not exist are skipped. */
static const struct
{
  const char *program;
  FindFunc find;
  const char *variable;
  const char *inner;
  gboolean is_cache; /* whether the usual folder of a program is in the cache folder, else in the
                      * home folder */
  const char *usual;
} places[] = {
  { "Hugging Face", find_hub, "HF_HUB_CACHE", NULL, FALSE, NULL },
  { "Hugging Face", find_hub, "HF_HOME", "hub", TRUE, "huggingface/hub" },
  { "llama.cpp", find_gguf, "LLAMA_CACHE", NULL, TRUE, "llama.cpp" },
  { "LM Studio", find_two_deep, NULL, NULL, FALSE, ".lmstudio/models" },
  { "Ollama", find_ollama, "OLLAMA_MODELS", NULL, FALSE, ".ollama/models" },
};

static char *
dup_folder (gsize place)
{
  const char *value = places[place].variable != NULL ? g_getenv (places[place].variable) : NULL;
  g_autofree char *folder = NULL;

  if (value != NULL && *value != '\0')
    folder = g_build_filename (value, places[place].inner, NULL);
  else if (places[place].usual != NULL)
    folder = g_build_filename (places[place].is_cache ? g_get_user_cache_dir () : g_get_home_dir (),
                               places[place].usual, NULL);
  return folder != NULL && g_file_test (folder, G_FILE_TEST_IS_DIR) ? g_steal_pointer (&folder)
                                                                    : NULL;
}

/**
 * attn_found_models_list:
 *
 * Looks into the folders in which llama.cpp, transformers, LM Studio and Ollama keep models. Reads
 * names and no weights, so that a listed model can turn out not to be supported.
 *
 * Returns: (transfer full) (element-type AttnFoundModel): models by program, then by name, at most
 *   %ATTN_FOUND_MODELS_MAX of each folder
 */
GPtrArray *
attn_found_models_list (void)
{
  GPtrArray *models = g_ptr_array_new_with_free_func (free_model);

  for (gsize i = 0; i < G_N_ELEMENTS (places); i++)
    {
      g_autofree char *folder = dup_folder (i);
      guint n = models->len;

      if (folder != NULL)
        places[i].find (models, places[i].program, folder);
      if (models->len - n > ATTN_FOUND_MODELS_MAX)
        g_ptr_array_set_size (models, (int) n + ATTN_FOUND_MODELS_MAX);
    }
  return models;
}

/**
 * attn_found_models_equal:
 * @a: (nullable) (element-type AttnFoundModel): a list; %NULL counts as an empty one
 * @b: (nullable) (element-type AttnFoundModel): another list
 *
 * Returns: whether both lists have the same programs, names and paths in the same order
 */
gboolean
attn_found_models_equal (const GPtrArray *a,
                         const GPtrArray *b)
{
  guint n = a != NULL ? a->len : 0;
  gboolean are_equal = n == (b != NULL ? b->len : 0);

  for (guint i = 0; i < n && are_equal; i++)
    {
      const AttnFoundModel *left = a->pdata[i];
      const AttnFoundModel *right = b->pdata[i];

      are_equal = strcmp (left->program, right->program) == 0 &&
                  strcmp (left->name, right->name) == 0 && strcmp (left->path, right->path) == 0;
    }
  return are_equal;
}

/**
 * attn_found_models_list_folders:
 *
 * Returns: (transfer full) (array zero-terminated=1): the folders of [func@attn_found_models_list]
 *   that exist
 */
GStrv
attn_found_models_list_folders (void)
{
  g_autoptr (GStrvBuilder) folders = g_strv_builder_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (places); i++)
    {
      g_autofree char *folder = dup_folder (i);

      if (folder != NULL)
        g_strv_builder_add (folders, folder);
    }
  return g_strv_builder_end (folders);
}
