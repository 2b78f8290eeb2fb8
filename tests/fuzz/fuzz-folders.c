/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Small files that are read because they stand beside others: configurations of a tokenizer, of
 * answers, pictures and sounds, the manifests of Ollama, and the groups of heads of an option. */

#include "config.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "attn-chat.h"
#include "attn-cli-settings.h"
#include "attn-end-tokens.h"
#include "attn-log-mel.h"
#include "attn-processor.h"
#include "attn-sound-names.h"
#include "attn-study.h"
#include "attn-tokenizer.h"
#ifdef HAVE_SESSION
#include "attn-found-models.h"
#endif
#include "fuzz-targets.h"

/* Pixels above which no picture is prepared. */
#define MAX_PIXELS 65536

static char *root;

/* The files that a target leaves there, then their folders from the deepest up. */
static const char * const left[] = {
  "tokenizer/tokenizer.json", "rose/config.json", "rose/model.safetensors", "rose/tokenizer.json",
  "whisper/config.json", "whisper/model.safetensors", "whisper/tokenizer.json",
  "ollama/blobs/sha256-1", "tokenizer", "rose", "whisper", "preprocessor",
  "ollama/manifests/registry.ollama.ai/library/m", "ollama/manifests/registry.ollama.ai/library",
  "ollama/manifests/registry.ollama.ai", "ollama/manifests", "ollama/blobs", "ollama", "."
};

static void
remove_root (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (left); i++)
    {
      g_autofree char *path = g_canonicalize_filename (left[i], root);

      g_remove (path);
    }
  g_free (root);
}

/* Returns: (transfer full): where that is, its folders made */
static char *
get_place (const char *name)
{
  g_autoptr (GError) error = NULL;

  if (root == NULL)
    {
      /* In memory where there is such a place: thousands a second are written. */
      if (g_file_test ("/dev/shm", G_FILE_TEST_IS_DIR))
        g_setenv ("TMPDIR", "/dev/shm", FALSE);
      root = g_dir_make_tmp ("attn-fuzz-XXXXXX", &error);
      g_assert_no_error (error);
      atexit (remove_root);
    }
  char *path = g_build_filename (root, name, NULL);
  g_autofree char *directory = g_path_get_dirname (path);
  g_assert_cmpint (g_mkdir_with_parents (directory, 0700), ==, 0);
  return path;
}

/* Returns: (transfer full): the file, for drop() */
static char *
put (const char   *name,
     const guint8 *data,
     gsize         size)
{
  g_autoptr (GError) error = NULL;
  char *path = get_place (name);

  g_file_set_contents_full (path, (const char *) data, (gssize) size, G_FILE_SET_CONTENTS_NONE,
                            0600, &error);
  g_assert_no_error (error);
  return path;
}

static void
drop (char *path)
{
  g_unlink (path);
  g_free (path);
}

/* Puts a link in place of a copy. @from: its folder */
static void
link_file (const char *from,
           const char *folder,
           const char *name)
{
  g_autofree char *source = g_build_filename (from, name, NULL);
  g_autofree char *absolute = g_canonicalize_filename (source, NULL);
  g_autofree char *target = g_build_filename (folder, name, NULL);
  g_autofree char *path = get_place (target);

  g_unlink (path);
  g_assert_cmpint (symlink (absolute, path), ==, 0);
}

/* Makes a folder in which a checkpoint's files are, and opens it. */
static AttnModel *
open_linked (const char *from,
             const char *folder)
{
  static const char * const names[] = { "config.json", "model.safetensors", "tokenizer.json" };
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    link_file (from, folder, names[i]);
  g_autofree char *path = get_place (folder);
  AttnModel *model = attn_model_open (path, &error);
  g_assert_no_error (error);
  return model;
}

/* tokenizer_config.json, and behind a byte of 0 a chat_template.jinja, beside a tokenizer. */
void
fuzz_run_tokenizer_config (const guint8 *data,
                           gsize         size)
{
  static const char message[] = " Say <it>.\n";
  static gboolean is_linked;
  const guint8 *end = size > 0 ? memchr (data, 0, size) : NULL;
  char *config = put ("tokenizer/tokenizer_config.json", data,
                      end != NULL ? (gsize) (end - data) : size);
  char *template = end != NULL ? put ("tokenizer/chat_template.jinja", end + 1,
                                      size - (gsize) (end + 1 - data))
                               : NULL;
  g_autofree char *path = get_place ("tokenizer/tokenizer.json");
  g_autoptr (GError) error = NULL;
  g_autoptr (GError) refusal = NULL;
  g_auto (AttnChat) chat = { 0 };
  gsize first = 0, last = 0;

  if (!is_linked)
    {
      g_autofree char *rose = fuzz_dup_model_path ();

      link_file (rose, "tokenizer", "tokenizer.json");
      is_linked = TRUE;
    }
  g_autoptr (AttnTokenizer) tokenizer = attn_tokenizer_load (path, &error);
  g_assert_true ((tokenizer != NULL) == (error == NULL));
  if (tokenizer != NULL)
    {
      g_autoptr (AttnTokens) tokens = attn_tokenizer_encode (tokenizer, message, -1, TRUE, &error);

      g_assert_true ((tokens != NULL) == (error == NULL));
    }
  if (attn_chat_load (path, &chat, &refusal))
    {
      g_assert_no_error (refusal);
      g_autofree char *framed =
          attn_chat_frame (&chat, message, strlen (message), &first, &last, &refusal);
      g_assert_true ((framed != NULL) == (refusal == NULL));
      g_assert_true (framed == NULL || (first <= last && last <= strlen (message)));
    }
  else
    g_assert_nonnull (refusal);
  drop (config);
  if (template != NULL)
    drop (template);
}

/* What the file says of the answers of a model. */
static void
list_answers (const AttnModel *model)
{
  g_autoptr (GArray) ends = NULL;
  g_autoptr (GArray) words = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GError) error = NULL;
  g_autoptr (GError) refusal = NULL;

  g_assert_true (attn_model_list_end_tokens (model, &ends, &error) == (error == NULL));
  g_assert_true (attn_model_list_single_tokens (model, "bad_words_ids", words, &refusal) ==
                 (refusal == NULL));
  g_autoptr (AttnSoundNames) names = attn_sound_names_new (model);
  for (char **name = names->languages; *name != NULL; name++)
    {
      g_autofree char *bare = attn_sound_names_dup_bare (*name);

      g_assert_nonnull (bare);
    }
}

/* generation_config.json, beside the model that ships and, where the tests' files are known, beside
 * one that hears. */
void
fuzz_run_generation_config (const guint8 *data,
                            gsize         size)
{
  static AttnModel *model, *hearing;
  const char *tests = g_getenv ("G_TEST_SRCDIR");
  char *path = put ("rose/generation_config.json", data, size);

  if (model == NULL)
    {
      g_autofree char *rose = fuzz_dup_model_path ();

      model = open_linked (rose, "rose");
    }
  list_answers (model);
  drop (path);
  if (tests == NULL)
    return;
  path = put ("whisper/generation_config.json", data, size);
  if (hearing == NULL)
    {
      g_autofree char *whisper = g_build_filename (tests, "model", "whisper", NULL);

      hearing = open_linked (whisper, "whisper");
    }
  list_answers (hearing);
  drop (path);
}

/* preprocessor_config.json of pictures and of sounds. */
void
fuzz_run_preprocessor_config (const guint8 *data,
                              gsize         size)
{
  static const char * const families[] = { "vit", "clip", "dinov2", "qwen2_5_vl", "other" };
  char *path = put ("preprocessor/preprocessor_config.json", data, size);
  g_autoptr (GError) refusal = NULL;
  AttnLogMel log_mel;

  g_assert_true (attn_log_mel_load (path, &log_mel, &refusal) == (refusal == NULL));
  g_assert_true (refusal != NULL || log_mel.hop > 0);
  for (gsize i = 0; i < G_N_ELEMENTS (families); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (AttnImage) image = attn_image_new (7, 5, NULL);
      g_autoptr (AttnImage) prepared = NULL;
      AttnProcessor processor;
      AttnBox box;

      memset (image->rgb, 100, 7 * 5 * 3);
      g_assert_true (attn_processor_load (path, families[i], &processor, &error) ==
                     (error == NULL));
      if (error != NULL || MAX (processor.height, processor.shortest_edge) > 256 ||
          processor.width > 256 || processor.least > MAX_PIXELS ||
          processor.crop_height * processor.crop_width > MAX_PIXELS)
        continue;
      g_autoptr (AttnTensor) pixels =
          attn_processor_prepare (&processor, image, &prepared, &box, &error);
      g_assert_true ((pixels != NULL) == (error == NULL));
    }
  drop (path);
}

/* The groups of heads that an option names. */
void
fuzz_run_groups (const guint8 *data,
                 gsize         size)
{
  char *path = fuzz_write_file ("groups.json", data, size);
  const AttnCliSetting *setting = attn_cli_settings_find ("groups");
  g_autoptr (AttnStudy) study = attn_study_new ();
  g_autoptr (GError) error = NULL;

  g_assert_true (setting->apply (study, path, &error) == (error == NULL));
  if (error == NULL)
    {
      g_autofree char *json = attn_study_to_json (study);

      g_assert_nonnull (json);
    }
  drop (path);
}

#ifdef HAVE_SESSION
/* The manifest of a model that Ollama keeps, which is read before anything is opened. */
void
fuzz_run_ollama_manifest (const guint8 *data,
                          gsize         size)
{
  char *path = put ("ollama/manifests/registry.ollama.ai/library/m/latest", data, size);
  g_autofree char *blob = put ("ollama/blobs/sha256-1", (const guint8 *) "GGUF", 4);
  g_autofree char *folder = get_place ("ollama");

  g_setenv ("OLLAMA_MODELS", folder, TRUE);
  /* No other folder is looked into. */
  g_setenv ("HOME", folder, TRUE);
  g_setenv ("XDG_CACHE_HOME", folder, TRUE);
  g_autoptr (GPtrArray) models = attn_found_models_list ();
  g_assert_cmpuint (models->len, <=, 1);
  if (models->len > 0)
    g_assert_true (g_str_has_prefix (((AttnFoundModel *) models->pdata[0])->path, folder));
  drop (path);
}
#endif
