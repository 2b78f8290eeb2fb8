/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Finds the files of a checkpoint from a path. Weights lie in one file, or in several “shards” with
 * an index (a JSON file) that says which tensor lies in which shard; a GGUF file may be split in
 * “parts”. */

#include "config.h"

#include "attn-checkpoint.h"

#include <glib/gi18n-lib.h>
#include <limits.h>
#include <string.h>

#include "attn-adapter.h"
#include "attn-array-format.h"
#include "attn-error.h"
#include "attn-file.h"
#include "attn-gguf.h"
#include "attn-json.h"
#include "attn-text.h"

#define CONFIG_NAME  "config.json"
#define WEIGHTS_NAME "model.safetensors"

/* The name of the file in which nanoGPT's training leaves a model's weights and sizes. */
#define TRAINING_NAME "ckpt.pt"

/**
 * Form:
 * @whole: the file name of weights that are in one file
 * @index: the name of the index, the file that says which tensor lies in which of several shards
 * @start: how the names of shards begin
 * @suffix: how the names of shards end
 *
 * Names that the library transformers gives to the files of weights in one format.
 */
typedef struct
{
  const char *whole;
  const char *index;
  const char *start;
  const char *suffix;
} Form;

/* The formats of weights. Of a directory with weights in both formats, the first format here is
 * used. */
static const Form forms[] = {
  { WEIGHTS_NAME, "model.safetensors.index.json", "model-", ".safetensors" },
  { "pytorch_model.bin", "pytorch_model.bin.index.json", "pytorch_model-", ".bin" },
};

/* Names of files without weights whose path may be given in place of the checkpoint's directory. */
static const char * const companions[] = {
  CONFIG_NAME, "generation_config.json", "tokenizer.json", "tokenizer_config.json",
  "special_tokens_map.json", "added_tokens.json", "vocab.json", "vocab.txt", "merges.txt", NULL
};

static gboolean
exists_in (const char *directory,
           const char *name)
{
  g_autofree char *path = g_build_filename (directory, name, NULL);

  return g_file_test (path, G_FILE_TEST_EXISTS);
}

/* Returns the format whose index has the file name @name, or NULL if it is not the name of an
 * index. */
static const Form *
find_form_of_index (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (forms); i++)
    if (g_str_equal (name, forms[i].index))
      return &forms[i];
  return NULL;
}

/* Returns the format of the weights in a directory, or NULL if it has no weights. */
static const Form *
find_form_in (const char *directory)
{
  for (gsize i = 0; i < G_N_ELEMENTS (forms); i++)
    if (exists_in (directory, forms[i].whole) || exists_in (directory, forms[i].index))
      return &forms[i];
  return NULL;
}

/**
 * attn_checkpoint_has_file:
 * @path: path of a file
 *
 * Returns: whether it is a file of a checkpoint without weights, such as config.json or
 *   tokenizer.json, whose path stands for that of the checkpoint's directory
 */
gboolean
attn_checkpoint_has_file (const char *path)
{
  g_autofree char *directory = g_path_get_dirname (path);
  g_autofree char *name = g_path_get_basename (path);

  return (g_strv_contains (companions, name) || find_form_of_index (name) != NULL) &&
         exists_in (directory, CONFIG_NAME);
}

static int
compare_names (gconstpointer a,
               gconstpointer b)
{
  return strcmp (*(const char * const *) a, *(const char * const *) b);
}

/* Returns the sorted names of the files in the directory that end in @suffix. */
static GPtrArray *
list_names (const char *directory,
            const char *suffix)
{
  g_autoptr (GDir) dir = g_dir_open (directory, 0, NULL);
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (name[0] != '.' && g_str_has_suffix (name, suffix))
      g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, compare_names);
  return names;
}

static char *
join_names (const GPtrArray *names)
{
  g_autoptr (GString) joined = g_string_new (NULL);

  for (guint i = 0; i < names->len; i++)
    g_string_append_printf (joined, "%s%s", i > 0 ? ", " : "", (char *) names->pdata[i]);
  return g_filename_display_name (joined->str);
}

/* Tells whether a directory has a config.json, and sets @error if it has none. */
static gboolean
has_config (const char  *directory,
            GError     **error)
{
  if (exists_in (directory, CONFIG_NAME))
    return TRUE;

  g_autofree char *where = g_filename_display_name (directory);
  g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT,
               _("%s: a directory without config.json found, expected that of a model, with "
                 "config.json and model.safetensors or with a GGUF file"),
               where);
  return FALSE;
}

/* Tells from the name of a file whether torch.save() wrote it. */
static gboolean
is_torch (const char *name)
{
  return attn_text_has_suffix (name, ".bin") || attn_text_has_suffix (name, ".pt") ||
         attn_text_has_suffix (name, ".pth");
}

static void
fail_without_weights (const char  *directory,
                      GError     **error)
{
  if (!has_config (directory, error))
    return;
  g_autofree char *path = g_build_filename (directory, WEIGHTS_NAME, NULL);
  g_autofree char *where = g_filename_display_name (path);
  g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT,
               _("%s: no such file found, expected the weights of the checkpoint"), where);
}

/* Finds the only snapshot in a model's folder of the Hugging Face cache, for a folder without
 * refs/main, which would name one. A model that was downloaded by its commit has no refs/main. */
static char *
find_only_snapshot (const char  *directory,
                    GError     **error)
{
  g_autofree char *snapshots = g_build_filename (directory, "snapshots", NULL);
  g_autoptr (GPtrArray) commits = list_names (snapshots, "");

  if (commits->len == 0)
    return g_strdup (directory);
  if (commits->len == 1)
    return g_build_filename (snapshots, commits->pdata[0], NULL);

  g_autofree char *joined = join_names (commits);
  g_autofree char *where = g_filename_display_name (snapshots);
  return attn_fail_null (error, ATTN_ERROR_ARGUMENT,
                         _("%s: %u snapshots found and no refs/main, expected one (give its "
                           "path): %s"),
                         where, commits->len, joined);
}

/* Finds the snapshot that refs/main names in a model's folder of the Hugging Face cache. Returns
 * @directory itself if it is not such a folder. */
static char *
find_snapshot (const char  *directory,
               GError     **error)
{
  g_autofree char *reference = g_build_filename (directory, "refs", "main", NULL);
  gsize length;

  if (exists_in (directory, CONFIG_NAME))
    return g_strdup (directory);
  g_autoptr (GBytes) bytes = attn_file_read (reference, PATH_MAX, NULL);
  if (bytes == NULL)
    return find_only_snapshot (directory, error);
  const char *text = g_bytes_get_data (bytes, &length);
  g_autofree char *commit = g_strstrip (g_strndup (text, length));

  g_autofree char *snapshot = g_build_filename (directory, "snapshots", commit, NULL);
  if (*commit == '\0' || strchr (commit, G_DIR_SEPARATOR) != NULL || strcmp (commit, "..") == 0 ||
      !g_file_test (snapshot, G_FILE_TEST_IS_DIR))
    return g_strdup (directory);
  return g_steal_pointer (&snapshot);
}

/* Refuses a directory with an adapter beside the weights: other libraries apply such an adapter
 * when they open the directory, so it is unclear which model is meant. */
static gboolean
check_no_adapter (const char  *directory,
                  GError     **error)
{
  g_autofree char *path = attn_adapter_find_file (directory);

  if (path == NULL)
    return TRUE;
  g_autofree char *where = g_filename_display_name (path);
  return attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                    _("%s: an adapter found beside a model, expected --adapter with "
                      "this folder for the model with it, or the path of the model’s own "
                      "file of weights for the model alone"),
                    where);
}

/* Returns a name for the model: the directory's name without trailing dots and slashes. For a
 * snapshot of the Hugging Face cache, models--OWNER--NAME/snapshots/COMMIT, it is the model's
 * name. */
static char *
make_name (const char *directory)
{
  g_autofree char *canonical = g_canonicalize_filename (directory, NULL);
  g_autofree char *snapshots = g_path_get_dirname (canonical);
  g_autofree char *snapshots_name = g_path_get_basename (snapshots);
  g_autofree char *cache = g_path_get_dirname (snapshots);
  g_autofree char *cache_name = g_path_get_basename (cache);
  g_autofree char *base = g_path_get_basename (canonical);
  const char *separator = g_strrstr (cache_name, "--");

  if (strcmp (snapshots_name, "snapshots") == 0 && g_str_has_prefix (cache_name, "models--"))
    return g_filename_display_name (separator + strlen ("--"));
  return g_filename_display_name (base);
}

/* Contents of the index of a checkpoint: the shard (file) in which each tensor lies. */
typedef struct
{
  GStringChunk *strings;
  GPtrArray *tensors; /* names, in the order of the index */
  GHashTable *shards; /* table from the name of a tensor to the name of its file */
} Index;

static void
index_clear (Index *index)
{
  g_clear_pointer (&index->shards, g_hash_table_unref);
  g_clear_pointer (&index->tensors, g_ptr_array_unref);
  g_clear_pointer (&index->strings, g_string_chunk_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Index, index_clear)

/* Reads "weight_map" of an index. A shard that is no string becomes "", which is no file's name and
 * is refused later. */
static void
read_map (Index        *index,
          AttnJsonWalk *walk,
          GString      *string)
{
  attn_json_walk_enter (walk, '{');
  while (attn_json_walk_next (walk, '}') && attn_json_walk_read_name (walk, string))
    {
      char *tensor = g_string_chunk_insert_len (index->strings, string->str, string->len);

      g_string_truncate (string, 0);
      if (attn_json_walk_is_at (walk, '"'))
        attn_json_walk_read_string (walk, string);
      else
        attn_json_walk_skip (walk);
      if (g_hash_table_insert (index->shards, tensor,
                               g_string_chunk_insert_const (index->strings, string->str)))
        g_ptr_array_add (index->tensors, tensor);
    }
}

/* Reads the index of a checkpoint. @index: (out caller-allocates): to be cleared even if the
 * reading fails */
static gboolean
index_load (Index       *index,
            const char  *path,
            GError     **error)
{
  g_autofree char *where = g_filename_display_name (path);
  g_autoptr (GBytes) bytes = attn_file_read_text (path, error);
  g_autoptr (GString) string = g_string_new (NULL);
  gboolean has_map = FALSE;
  AttnJsonWalk walk;
  gsize length;

  index->strings = g_string_chunk_new (4096);
  index->tensors = g_ptr_array_new ();
  index->shards = g_hash_table_new (g_str_hash, g_str_equal);
  if (bytes == NULL)
    return FALSE;
  const char *text = g_bytes_get_data (bytes, &length);
  if (!attn_json_walk_init (&walk, where, text, length, error))
    return FALSE;
  if (!attn_json_walk_is_at (&walk, '{'))
    {
      g_autoptr (JsonNode) root = attn_json_parse (where, text, length, error);
      AttnJsonReader json = { NULL };

      if (root != NULL)
        json = attn_json_begin (root, where);
      return root != NULL && attn_json_finish (&json, error);
    }
  attn_json_walk_enter (&walk, '{');
  while (attn_json_walk_next (&walk, '}') && attn_json_walk_read_name (&walk, string))
    if (strcmp (string->str, "weight_map") == 0 && attn_json_walk_is_at (&walk, '{'))
      {
        has_map = TRUE;
        read_map (index, &walk, string);
      }
    else
      attn_json_walk_skip (&walk);
  if (!attn_json_walk_finish (&walk, error))
    return FALSE;
  return has_map ||
         attn_fail (error, ATTN_ERROR_FORMAT,
                    _("%s: no “weight_map” found, expected the file of each tensor"), where);
}

/* Returns the format whose index in the directory lists the file @name, or NULL if no readable
 * index lists it. */
static const Form *
find_form_of_shard (const char *directory,
                    const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (forms); i++)
    {
      g_autofree char *path = g_build_filename (directory, forms[i].index, NULL);
      g_auto (Index) index = { NULL };
      GHashTableIter iter;
      gpointer shard;

      if (!exists_in (directory, forms[i].index) || !index_load (&index, path, NULL))
        continue;
      g_hash_table_iter_init (&iter, index.shards);
      while (g_hash_table_iter_next (&iter, NULL, &shard))
        if (strcmp (shard, name) == 0)
          return &forms[i];
    }
  return NULL;
}

/* Returns the path of part @part of a split GGUF model, or NULL if the path is not of the form
 * “NAME-00002-of-00003.gguf”. Parts are counted from 1. */
static char *
make_part_path (const char *path,
                gsize       part)
{
  gsize n_tail = strlen ("-00002-of-00003.gguf");
  gsize n_stem = strlen (path) - MIN (strlen (path), n_tail);

  if (!g_regex_match_simple ("-[0-9]{5}-of-[0-9]{5}\\.gguf$", path, 0, 0))
    return NULL;
  return g_strdup_printf ("%.*s-%05zu%s", (int) n_stem, path, part, path + n_stem + 6);
}

/* Tells whether all names are parts of one GGUF model, and the first name is that of part 1. */
static gboolean
are_parts (const GPtrArray *names)
{
  for (guint i = 0; i < names->len; i++)
    {
      g_autofree char *first = make_part_path (names->pdata[i], 1);

      if (g_strcmp0 (first, names->pdata[0]) != 0)
        return FALSE;
    }
  return names->len > 0;
}

/* Finds the only GGUF file of a directory without other weights, or part 1 of its only split GGUF
 * model. Sets @error if there are several models. */
static gboolean
find_gguf (const char  *directory,
           char       **path,
           GError     **error)
{
  g_autoptr (GPtrArray) names = list_names (directory, ".gguf");

  *path = NULL;
  if (names->len == 0 || exists_in (directory, CONFIG_NAME) || find_form_in (directory) != NULL)
    return TRUE;
  if (names->len == 1 || are_parts (names))
    {
      *path = g_build_filename (directory, names->pdata[0], NULL);
      return TRUE;
    }

  g_autofree char *joined = join_names (names);
  g_autofree char *where = g_filename_display_name (directory);
  return attn_fail (error, ATTN_ERROR_ARGUMENT,
                    _("%s: %u GGUF files found, expected one (give its path): %s"), where,
                    names->len, joined);
}

/* Sets the path of a GGUF checkpoint and its name: the file name without suffix and without the
 * number of the part. */
static void
set_gguf (AttnCheckpoint *checkpoint,
          char           *path)
{
  char *first = make_part_path (path, 1);
  g_autofree char *base = g_path_get_basename (path);

  if (first != NULL)
    base[strlen (base) - strlen ("-00002-of-00003.gguf")] = '\0';
  else if (g_str_has_suffix (base, ".gguf"))
    base[strlen (base) - strlen (".gguf")] = '\0';
  if (first != NULL)
    g_free (path);
  checkpoint->weights_path = first != NULL ? first : path;
  checkpoint->name = g_filename_display_name (base);
}

/* Finds the weights of the directory: one file, several shards, or the file that nanoGPT's training
 * leaves. */
static gboolean
find_weights (AttnCheckpoint  *checkpoint,
              GError         **error)
{
  const char *directory = checkpoint->directory;
  const Form *form = find_form_in (directory);

  if (form != NULL && exists_in (directory, form->whole))
    checkpoint->weights_path = g_build_filename (directory, form->whole, NULL);
  else if (form != NULL)
    checkpoint->index_path = g_build_filename (directory, form->index, NULL);
  else if (exists_in (directory, TRAINING_NAME))
    checkpoint->weights_path = g_build_filename (directory, TRAINING_NAME, NULL);
  else
    fail_without_weights (directory, error);
  return form != NULL || checkpoint->weights_path != NULL;
}

/**
 * attn_checkpoint_find:
 * @path: a checkpoint directory in the layout of Hugging Face, a file in it, a model's folder in
 *   the Hugging Face cache, a GGUF file or a directory with one, or a file that torch.save wrote
 * @has_adapter: whether the user names the adapter that changes the weights, so that an adapter
 *   beside the weights does not matter
 * @error: return location: #GFileError, %ATTN_ERROR_UNSUPPORTED for a file that is none of these,
 *   %ATTN_ERROR_ARGUMENT for a directory with several models
 *
 * Reads no file, except an index if @path is of a file of weights. Symbolic links are followed.
 *
 * Returns: (transfer full) (nullable): the paths of the checkpoint's files
 */
AttnCheckpoint *
attn_checkpoint_find (const char  *path,
                      gboolean     has_adapter,
                      GError     **error)
{
  g_autoptr (AttnCheckpoint) checkpoint = g_new0 (AttnCheckpoint, 1);
  g_autofree char *where = g_filename_display_name (path);
  g_autofree char *name = NULL;
  g_autofree char *gguf = NULL;

  if (g_file_test (path, G_FILE_TEST_IS_DIR))
    {
      checkpoint->directory = find_snapshot (path, error);
      if (checkpoint->directory == NULL || !find_gguf (checkpoint->directory, &gguf, error))
        return NULL;
    }
  else if (g_file_test (path, G_FILE_TEST_EXISTS))
    {
      checkpoint->directory = g_path_get_dirname (path);
      name = g_path_get_basename (path);
      if (attn_gguf_is_file (path))
        gguf = g_strdup (path);
    }
  else
    {
      g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT,
                   _("%s: no such file or directory found, expected a checkpoint"), where);
      return NULL;
    }

  if (gguf != NULL)
    {
      set_gguf (checkpoint, g_steal_pointer (&gguf));
      return g_steal_pointer (&checkpoint);
    }

  const char *directory = checkpoint->directory;
  gboolean is_weights =
      name != NULL && (g_str_has_suffix (name, ".safetensors") || is_torch (name));
  if (!is_weights && !has_adapter && !check_no_adapter (directory, error))
    return NULL;
  const Form *form = name == NULL ? NULL
                     : is_weights ? find_form_of_shard (directory, name)
                                  : find_form_of_index (name);
  if (name != NULL && !is_weights && form == NULL && !g_strv_contains (companions, name))
    {
      g_autofree char *arrays = attn_array_format_list (ATTN_ARRAY_FORMAT_RECORDING, ", ");

      return attn_fail_null (error, ATTN_ERROR_UNSUPPORTED,
                             _("%s: a file of another kind found, expected a model (its "
                               "directory, its config.json or model.safetensors, or a GGUF file) "
                               "or arrays (%s); a study is a .json or .svg file"),
                             where, arrays);
    }

  /* The path of a shard or of an index opens all shards of the checkpoint, that of any other file
   * of weights only this file. */
  if (form != NULL)
    checkpoint->index_path = g_build_filename (directory, form->index, NULL);
  else if (is_weights)
    checkpoint->weights_path = g_strdup (path);
  else if (!find_weights (checkpoint, error))
    return NULL;
  gboolean has_own_sizes =
      checkpoint->weights_path != NULL && is_torch (checkpoint->weights_path);
  if (!exists_in (directory, CONFIG_NAME) && has_own_sizes)
    {
      checkpoint->name = make_name (directory);
      return g_steal_pointer (&checkpoint);
    }
  if (!has_config (directory, error))
    return NULL;
  checkpoint->config_path = g_build_filename (directory, CONFIG_NAME, NULL);
  checkpoint->name = make_name (directory);
  return g_steal_pointer (&checkpoint);
}

void
attn_checkpoint_free (AttnCheckpoint *checkpoint)
{
  g_free (checkpoint->directory);
  g_free (checkpoint->name);
  g_free (checkpoint->config_path);
  g_free (checkpoint->index_path);
  g_free (checkpoint->weights_path);
  g_free (checkpoint);
}

/* Returns the sorted file names of the shards that the index names, each once. */
static GPtrArray *
list_shards (const char   *where,
             const Index  *index,
             GError      **error)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) shards = g_ptr_array_new ();

  for (guint i = 0; i < index->tensors->len; i++)
    {
      const char *tensor = index->tensors->pdata[i];
      const char *shard = g_hash_table_lookup (index->shards, tensor);

      /* Equal names have the same pointer, since @index->strings stores each name once. */
      if (!g_hash_table_add (seen, (gpointer) shard))
        continue;

      /* A shard must be a file name without a directory, since an index must not refer to files
       * outside its own. */
      if (*shard == '\0' || strchr (shard, G_DIR_SEPARATOR) != NULL || shard[0] == '.')
        return attn_fail_null (error, ATTN_ERROR_FORMAT,
                               _("%s: tensor “%s”: “%s” found, expected the name of a file beside "
                                 "it"),
                               where, tensor, shard);
      g_ptr_array_add (shards, (gpointer) shard);
    }
  if (shards->len == 0)
    return attn_fail_null (error, ATTN_ERROR_FORMAT,
                           _("%s: “weight_map”: no tensor found, expected the file of each"),
                           where);
  g_ptr_array_sort (shards, compare_names);
  return g_steal_pointer (&shards);
}

/* Refuses shards in the directory that the index does not name: they are from another version of
 * the checkpoint, and to ignore them silently would hide that files are mixed up. */
static gboolean
check_surplus_shards (const AttnCheckpoint  *checkpoint,
                      const char            *index_where,
                      const GPtrArray       *shards,
                      GError               **error)
{
  const char *directory = checkpoint->directory;
  g_autofree char *index = g_path_get_basename (checkpoint->index_path);
  const Form *form = find_form_of_index (index);
  g_autoptr (GDir) dir = g_dir_open (directory, 0, error);
  const char *name;

  if (dir == NULL)
    return FALSE;
  while ((name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_prefix (name, form->start) && g_str_has_suffix (name, form->suffix) &&
        !g_ptr_array_find_with_equal_func ((GPtrArray *) shards, name, g_str_equal, NULL))
      {
        g_autofree char *path = g_build_filename (directory, name, NULL);
        g_autofree char *where = g_filename_display_name (path);

        return attn_fail (error, ATTN_ERROR_FORMAT,
                          _("%s: a file found that %s does not name, expected the files of one "
                            "checkpoint"),
                          where, index_where);
      }
  return TRUE;
}

/* Adds the tensors of the file at @path to @all, and fails if the index places any of them in
 * another shard. */
static gboolean
add_shard (AttnArrayFile  *all,
           const char     *path,
           const char     *shard,
           const Index    *index,
           GError        **error)
{
  const char *index_where = attn_array_file_get_path (all);
  g_autofree char *where = g_filename_display_name (path);

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    {
      g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT,
                   _("%s: no such file found, expected the weights that %s names"), where,
                   index_where);
      return FALSE;
    }

  g_autoptr (AttnArrayFile) file = attn_array_file_load (path, error);
  if (file == NULL)
    return FALSE;
  for (gsize i = 0; i < attn_array_file_get_n_arrays (file); i++)
    {
      const AttnArray *array = attn_array_file_get_nth (file, i);

      if (g_hash_table_lookup (index->shards, array->name) != shard)
        return attn_fail (error, ATTN_ERROR_FORMAT,
                          _("%s: tensor “%s” found, expected only those that %s places there"),
                          where, array->name, index_where);

      if (!attn_array_file_add (all, attn_array_share (array), error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
check_complete (const AttnArrayFile  *all,
                const char           *directory,
                const Index          *index,
                GError              **error)
{
  for (guint i = 0; i < index->tensors->len; i++)
    {
      const char *tensor = index->tensors->pdata[i];

      if (attn_array_file_lookup (all, tensor) != NULL)
        continue;
      g_autofree char *path =
          g_build_filename (directory, g_hash_table_lookup (index->shards, tensor), NULL);
      g_autofree char *where = g_filename_display_name (path);

      return attn_fail (error, ATTN_ERROR_FORMAT,
                        _("%s: no tensor “%s” found, expected it as %s says"), where, tensor,
                        attn_array_file_get_path (all));
    }
  return TRUE;
}

/* Adds to @all, which is part 1 of a split GGUF model and holds its metadata, the tensors of the
 * other parts. */
static gboolean
add_parts (AttnArrayFile    *all,
           const char       *first_path,
           AttnFingerprint  *fingerprint,
           GError          **error)
{
  const AttnGgufMetadata *metadata = attn_array_file_get_gguf (all);
  const char *where = attn_array_file_get_path (all);

  if (metadata == NULL)
    return TRUE;
  AttnJsonReader json = { attn_gguf_metadata_get_values (metadata), where, NULL };
  gsize n_parts = attn_json_read_size (&json, "split.count", 0, 99999, 1);
  gsize n_tensors = attn_json_read_size (&json, "split.tensors.count", 0, G_MAXINT32, 0);
  if (!attn_json_finish (&json, error))
    return FALSE;
  for (gsize part = 2; part <= n_parts; part++)
    {
      g_autofree char *path = make_part_path (first_path, part);
      g_autofree char *expected = g_strdup_printf ("-of-%05zu.gguf", n_parts);

      if (path == NULL || !g_str_has_suffix (path, expected))
        return attn_fail (error, ATTN_ERROR_FORMAT,
                          _("%s: the first of %zu parts found, expected a name that ends in "
                            "“-00001%s”"),
                          where, n_parts, expected);
      if (!g_file_test (path, G_FILE_TEST_EXISTS))
        {
          g_autofree char *name = g_filename_display_name (path);

          g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT,
                       _("%s: no such file found, expected the weights that %s names"), name,
                       where);
          return FALSE;
        }
      g_autoptr (AttnArrayFile) file = attn_array_file_load (path, error);
      if (file == NULL)
        return FALSE;
      for (gsize i = 0; i < attn_array_file_get_n_arrays (file); i++)
        {
          const AttnArray *array = attn_array_file_get_nth (file, i);

          if (!attn_array_file_add (all, attn_array_share (array), error))
            return FALSE;
        }
      attn_fingerprint_add (fingerprint, path, 1);
    }
  if (n_parts < 2 || n_tensors == 0 || attn_array_file_get_n_arrays (all) == n_tensors)
    return TRUE;
  return attn_fail (error, ATTN_ERROR_FORMAT,
                    _("%s: %zu tensors found in its parts, expected %zu"), where,
                    attn_array_file_get_n_arrays (all), n_tensors);
}

/**
 * attn_checkpoint_load:
 * @fingerprint: (inout): the files with the weights are added to it
 * @error: return location: errors of [func@attn_array_file_load], #GFileError for a shard that is
 *   missing, %ATTN_ERROR_FORMAT for an index and shards that do not fit each other
 *
 * Maps the weights. Tensors of several shards are presented as those of one file, whose path is
 * that of the index.
 *
 * Returns: (transfer full) (nullable): the tensors of all files
 */
AttnArrayFile *
attn_checkpoint_load (const AttnCheckpoint  *checkpoint,
                      AttnFingerprint       *fingerprint,
                      GError               **error)
{
  const char *index_path = checkpoint->index_path;

  if (index_path == NULL)
    {
      const char *path = checkpoint->weights_path;
      g_autoptr (AttnArrayFile) file = attn_array_file_load (path, error);
      const AttnGgufMetadata *gguf = file != NULL ? attn_array_file_get_gguf (file) : NULL;

      if (file == NULL)
        return NULL;
      attn_fingerprint_add (fingerprint, path,
                            gguf != NULL ? attn_gguf_metadata_get_n_header_bytes (gguf) : 0);
      return add_parts (file, path, fingerprint, error) ? g_steal_pointer (&file) : NULL;
    }

  g_auto (Index) index = { NULL };
  gboolean is_read = index_load (&index, index_path, error);
  g_autoptr (AttnArrayFile) all = attn_array_file_new (index_path);
  const char *where = attn_array_file_get_path (all);
  g_autoptr (GPtrArray) shards = is_read ? list_shards (where, &index, error) : NULL;
  if (shards == NULL || !check_surplus_shards (checkpoint, where, shards, error))
    return NULL;

  for (guint i = 0; i < shards->len; i++)
    {
      const char *shard = g_ptr_array_index (shards, i);
      g_autofree char *path = g_build_filename (checkpoint->directory, shard, NULL);

      if (!add_shard (all, path, shard, &index, error))
        return NULL;
      attn_fingerprint_add (fingerprint, path, 0);
    }
  return check_complete (all, checkpoint->directory, &index, error) ? g_steal_pointer (&all) : NULL;
}
