/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Opening checkpoints, good and bad. */

#include "config.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "attn-error.h"
#include "model-fixture.h"

/* The config.json of plain_recipe with some text instead of other text. */
static char *
edit_config (const char *directory,
             const char *from,
             const char *to)
{
  g_autofree char *path = g_build_filename (directory, "config.json", NULL);
  g_autofree char *json = NULL;

  g_assert_true (g_file_get_contents (path, &json, NULL, NULL));
  g_autoptr (GString) edited = g_string_new (json);
  g_assert_cmpuint (g_string_replace (edited, from, to, 0), ==, 1);
  return write_config (directory, edited->str);
}

static void
assert_refused (const char *path,
                GQuark      domain,
                int         code,
                const char *part)
{
  g_autoptr (GError) error = NULL;
  AttnModel *model = attn_model_open (path, &error);

  g_assert_null (model);
  if (!g_error_matches (error, domain, code) || strstr (error->message, part) == NULL)
    g_test_message ("“%s” (%s, %d), “%s” expected", error->message,
                    g_quark_to_string (error->domain), error->code, part);
  g_assert_error (error, domain, code);
  g_assert_nonnull (strstr (error->message, part));
}

static void
test_info (void)
{
  g_autoptr (GError) error = NULL;
  char *directory = write_checkpoint (&plain_recipe);
  g_autoptr (AttnModel) model = attn_model_open (directory, &error);
  g_assert_no_error (error);
  const AttnModelInfo *info = attn_model_get_info (model);
  g_autofree char *name = g_path_get_basename (directory);

  g_assert_cmpstr (info->family, ==, "gpt2");
  g_assert_cmpuint (info->n_layers, ==, 2);
  g_assert_cmpuint (info->n_heads, ==, 4);
  g_assert_cmpuint (info->n_key_heads, ==, 4);
  g_assert_cmpuint (info->head_width, ==, 8);
  g_assert_cmpuint (info->width, ==, 32);
  g_assert_cmpuint (info->mlp_width, ==, 128);
  g_assert_cmpuint (info->n_positions, ==, 40);
  g_assert_cmpuint (info->vocabulary_size, ==, 50);
  g_assert_true (info->is_causal);
  g_assert_false (info->has_query_key_norm);
  g_assert_false (info->has_rotary);
  g_assert_cmpstr (info->position_scheme, ==, "learned");
  g_assert_cmpstr (info->dtype, ==, "F32");
  g_assert_cmpuint (info->n_bytes, ==, 4 * info->n_parameters);
  g_assert_cmpuint (info->n_parameters, ==, (50 + 40 + 2) * 32 + 2 * (12 * 32 * 32 + 13 * 32));
  g_assert_cmpstr (attn_model_get_path (model), ==, directory);
  g_assert_cmpstr (attn_model_get_name (model), ==, name);
  g_assert_cmpstr (attn_model_get_families ()[0], ==, "llama");
  remove_checkpoint (directory);
}

static void
test_file_in_directory (void)
{
  static const char * const names[] = { "config.json", "model.safetensors", "" };
  g_autoptr (GError) error = NULL;
  char *directory = write_checkpoint (&plain_recipe);
  g_autofree char *fingerprint = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_build_filename (directory, names[i], NULL);
      g_autoptr (AttnModel) model = attn_model_open (path, &error);

      g_assert_no_error (error);
      if (fingerprint != NULL)
        g_assert_cmpstr (attn_model_get_fingerprint (model), ==, fingerprint);
      g_free (fingerprint);
      fingerprint = g_strdup (attn_model_get_fingerprint (model));
      g_assert_cmpuint (strlen (fingerprint), ==, 64);
    }
  remove_checkpoint (directory);
}

static void
test_fingerprint_changes (void)
{
  Recipe recipe = plain_recipe;
  char *a = write_checkpoint (&recipe);
  recipe.seed = 2;
  char *b = write_checkpoint (&recipe);
  g_autoptr (AttnModel) first = attn_model_open (a, NULL);
  g_autoptr (AttnModel) second = attn_model_open (b, NULL);
  g_autofree char *path = edit_config (a, "\"n_layer\"", "\"unused\": 1, \"n_layer\"");
  g_autoptr (AttnModel) third = attn_model_open (a, NULL);

  g_assert_cmpstr (attn_model_get_fingerprint (first), !=, attn_model_get_fingerprint (second));
  g_assert_cmpstr (attn_model_get_fingerprint (first), !=, attn_model_get_fingerprint (third));
  remove_checkpoint (a);
  remove_checkpoint (b);
}

/* Token ids need no tokenizer; a text does, and the message says so each time. */
static void
test_without_tokenizer (void)
{
  g_autoptr (GError) error = NULL;
  const guint32 ids[] = { 1, 2, 3 };
  char *directory = write_checkpoint (&plain_recipe);
  g_autoptr (AttnModel) model = attn_model_open (directory, &error);
  g_assert_no_error (error);
  g_autoptr (AttnTrace) trace = compute_trace (model, ids, 3, NULL, ATTN_QUANTITY_WEIGHTS, NULL);

  for (int i = 0; i < 2; i++)
    {
      g_assert_null (attn_model_get_tokenizer (model, &error));
      g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT);
      g_clear_error (&error);
      g_assert_null (attn_model_get_tokenizer (model, NULL));
    }
  remove_checkpoint (directory);
}

static void
test_bad_tokenizer (void)
{
  g_autoptr (GError) error = NULL;
  char *directory = write_checkpoint (&plain_recipe);
  g_autofree char *path = g_build_filename (directory, "tokenizer.json", NULL);
  g_assert_true (g_file_set_contents (path, "{\"model\": 7}", -1, NULL));
  g_autoptr (AttnModel) model = attn_model_open (directory, &error);
  g_assert_no_error (error);

  g_assert_null (attn_model_get_tokenizer (model, &error));
  g_assert_nonnull (error);
  g_assert_nonnull (strstr (error->message, "tokenizer.json"));
  remove_checkpoint (directory);
}

static void
test_missing_files (void)
{
  char *directory = write_checkpoint (&plain_recipe);
  g_autofree char *config = g_build_filename (directory, "config.json", NULL);
  g_autofree char *weights = g_build_filename (directory, "model.safetensors", NULL);
  g_autofree char *index = g_build_filename (directory, "model.safetensors.index.json", NULL);
  g_autofree char *other = g_build_filename (directory, "notes.txt", NULL);
  g_autofree char *nothing = g_build_filename (directory, "nothing", NULL);

  g_assert_true (g_file_set_contents (other, "x", -1, NULL));
  assert_refused (other, ATTN_ERROR, ATTN_ERROR_UNSUPPORTED, "expected a model (its directory");
  assert_refused (other, ATTN_ERROR, ATTN_ERROR_UNSUPPORTED, "a study is a .json or .svg file");
  assert_refused (nothing, G_FILE_ERROR, G_FILE_ERROR_NOENT, "nothing");
  g_unlink (weights);
  assert_refused (directory, G_FILE_ERROR, G_FILE_ERROR_NOENT, "model.safetensors");
  g_assert_true (g_file_set_contents (index, "{}", -1, NULL));
  assert_refused (directory, ATTN_ERROR, ATTN_ERROR_FORMAT, "no “weight_map” found");
  g_assert_true (g_file_set_contents (weights, "", -1, NULL));
  g_unlink (config);
  assert_refused (directory, G_FILE_ERROR, G_FILE_ERROR_NOENT,
                  "a directory without config.json found, expected that of a model");
  /* Nothing of a model at all. */
  g_unlink (index);
  g_unlink (weights);
  assert_refused (directory, G_FILE_ERROR, G_FILE_ERROR_NOENT,
                  "a directory without config.json found, expected that of a model");
  remove_checkpoint (directory);
}

/* Each name under which pickled weights lie on disks, given itself and, where it can only be the
 * weights, found in its directory: a download that was cut off says so. */
static void
test_cut_pickles_refused (void)
{
  static const struct
  {
    const char *name;
    gboolean is_found;
  } cases[] = {
    { "pytorch_model.bin", TRUE },
    { "pytorch_model-00001-of-00002.bin", FALSE },
    { "ckpt.pt", TRUE },
    { "optimizer.pt", FALSE },
    { "weights.PTH", FALSE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      char *directory = write_checkpoint (&plain_recipe);
      g_autofree char *weights = g_build_filename (directory, "model.safetensors", NULL);
      g_autofree char *pickle = g_build_filename (directory, cases[i].name, NULL);
      g_autofree char *sentence =
          g_strconcat (cases[i].name, ": a damaged zip archive found", NULL);

      g_assert_true (g_file_set_contents (pickle, "PK\3\4", -1, NULL));
      assert_refused (pickle, ATTN_ERROR, ATTN_ERROR_FORMAT, sentence);
      g_unlink (weights);
      if (cases[i].is_found)
        assert_refused (directory, ATTN_ERROR, ATTN_ERROR_FORMAT, sentence);
      else
        assert_refused (directory, G_FILE_ERROR, G_FILE_ERROR_NOENT, "model.safetensors");
      g_unlink (pickle);
      remove_checkpoint (directory);
    }
}

static void
test_config_refused (void)
{
  const struct
  {
    const char *from;
    const char *to;
    int code;
    const char *part;
  } cases[] = {
    { "\"gpt2\"", "\"zebra\"", ATTN_ERROR_UNSUPPORTED,
      "“model_type”: zebra found, expected one of llama" },
    { "\"gpt2\"", "3", ATTN_ERROR_FORMAT, "“model_type”" },
    { "\"model_type\": \"gpt2\",", "", ATTN_ERROR_FORMAT, "no “model_type” found" },
    { "\"n_layer\": 2", "\"n_layer\": \"2\"", ATTN_ERROR_FORMAT, "“n_layer”" },
    { "\"n_layer\": 2", "\"n_layer\": [2]", ATTN_ERROR_FORMAT, "“n_layer”" },
    { "\"n_layer\": 2", "\"n_layer\": 0", ATTN_ERROR_LIMIT, "“n_layer”: 0 found" },
    { "\"n_layer\": 2", "\"n_layer\": -2", ATTN_ERROR_LIMIT, "“n_layer”: -2 found" },
    { "\"n_layer\": 2", "\"n_layer\": 1000000000", ATTN_ERROR_LIMIT,
      "“n_layer”: 1000000000 found" },
    { "\"n_layer\": 2", "\"n_layer\": 3", ATTN_ERROR_FORMAT, "no tensor “h.2.ln_1.weight” found" },
    { "\"n_head\": 4", "\"n_head\": 5", ATTN_ERROR_SHAPE, "5 heads found" },
    { "\"n_head\": 4", "\"n_head\": 64", ATTN_ERROR_SHAPE, "64 heads found" },
    { "\"n_embd\": 32", "\"n_embd\": 1000000000", ATTN_ERROR_LIMIT, "“n_embd”: 1000000000 found" },
    { "\"n_embd\": 32", "\"n_embd\": 64", ATTN_ERROR_SHAPE,
      "tensor “wte.weight”: shape [50, 32] found, expected [50, 64]" },
    { "\"n_embd\": 32", "\"n_embd\": 3.5", ATTN_ERROR_FORMAT, "“n_embd”" },
    { "\"vocab_size\": 50", "\"vocab_size\": 51", ATTN_ERROR_SHAPE, "tensor “wte.weight”" },
    { "\"vocab_size\": 50", "\"vocab_size\": 9223372036854775807", ATTN_ERROR_LIMIT,
      "“vocab_size”" },
    { "\"n_positions\": 40", "\"n_positions\": 1024", ATTN_ERROR_SHAPE, "tensor “wpe.weight”" },
    { "\"n_layer\"", "\"n_inner\": 77, \"n_layer\"", ATTN_ERROR_SHAPE, "mlp.c_fc.weight" },
    { "\"n_layer\"", "\"layer_norm_epsilon\": -1, \"n_layer\"", ATTN_ERROR_LIMIT,
      "“layer_norm_epsilon”" },
    { "\"n_layer\"", "\"activation_function\": \"sine\", \"n_layer\"", ATTN_ERROR_UNSUPPORTED,
      "sine found" },
    { "\"n_layer\"", "\"scale_attn_weights\": 1, \"n_layer\"", ATTN_ERROR_FORMAT,
      "“scale_attn_weights”" },
    { "\"n_layer\"", "\"tie_word_embeddings\": false, \"n_layer\"", ATTN_ERROR_FORMAT,
      "no tensor “lm_head.weight” found" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      char *directory = write_checkpoint (&plain_recipe);
      g_autofree char *path = edit_config (directory, cases[i].from, cases[i].to);

      assert_refused (directory, ATTN_ERROR, cases[i].code, cases[i].part);
      remove_checkpoint (directory);
    }
}

static void
test_config_not_an_object (void)
{
  static const char * const texts[] = { "", "[]", "7", "{", "\"gpt2\"" };
  char *directory = write_checkpoint (&plain_recipe);

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autofree char *path = write_config (directory, texts[i]);
      g_autoptr (GError) error = NULL;

      g_assert_null (attn_model_open (directory, &error));
      g_assert_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT);
    }
  remove_checkpoint (directory);
}

/* The names that other configurations use for the same numbers. */
static void
test_config_aliases (void)
{
  g_autoptr (GError) error = NULL;
  char *directory = write_checkpoint (&plain_recipe);
  g_autofree char *path = write_config (
      directory, "{\"model_type\": \"gpt2\", \"num_hidden_layers\": 2, \"num_attention_heads\": 4,"
                 " \"hidden_size\": 32, \"max_position_embeddings\": 40, \"vocab_size\": 50,"
                 " \"intermediate_size\": 128, \"n_layer\": null}");
  g_autoptr (AttnModel) model = attn_model_open (directory, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (attn_model_get_info (model)->n_layers, ==, 2);

  g_autofree char *other = write_config (
      directory,
      "{\"model_type\": \"gpt2\", \"n_layer\": 2, \"n_head\": 4, \"n_embd\": 32, \"n_ctx\": 40,"
      " \"vocab_size\": 50}");
  g_autoptr (AttnModel) second = attn_model_open (directory, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (attn_model_get_info (second)->n_positions, ==, 40);
  remove_checkpoint (directory);
}

/* Tensors by their turn missing, of integers, and misshapen. */
static void
test_tensors_refused (void)
{
  char *directory = write_checkpoint (&plain_recipe);
  g_autofree char *path = g_build_filename (directory, "model.safetensors", NULL);
  g_autofree char *original = NULL;
  gsize length;
  static const char * const names[] = {
    "wte.weight",
    "wpe.weight",
    "ln_f.bias",
    "h.1.ln_1.weight",
    "h.0.attn.c_attn.weight",
    "h.1.attn.c_attn.bias",
    "h.1.attn.c_proj.weight",
    "h.0.ln_2.bias",
    "h.1.mlp.c_fc.weight",
    "h.1.mlp.c_proj.bias",
  };

  g_assert_true (g_file_get_contents (path, &original, &length, NULL));
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *member = g_strdup_printf ("\"transformer.%s\"", names[i]);
      g_autofree char *data = g_memdup2 (original, length);
      char *at = memmem (data, length, member, strlen (member));
      g_autofree char *missing =
          g_strdup_printf ("no tensor “%s” found, expected one of shape [", names[i]);
      g_autofree char *integers = g_strdup_printf ("tensor “%s”: dtype I32 found", names[i]);
      g_autofree char *misshapen = g_strdup_printf ("tensor “%s”: shape [", names[i]);

      /* Another name of the same length. */
      at[strlen (member) - 2] = '~';
      g_assert_true (g_file_set_contents (path, data, (gssize) length, NULL));
      assert_refused (directory, ATTN_ERROR, ATTN_ERROR_FORMAT, missing);

      at[strlen (member) - 2] = names[i][strlen (names[i]) - 1];
      char *dtype = g_strstr_len (at, -1, "\"F32\"");
      memcpy (dtype, "\"I32\"", 5);
      g_assert_true (g_file_set_contents (path, data, (gssize) length, NULL));
      assert_refused (directory, ATTN_ERROR, ATTN_ERROR_UNSUPPORTED, integers);

      /* A matrix as a vector of as many elements: the header stays as long as it was. */
      memcpy (dtype, "\"F32\"", 5);
      char *shape = strchr (g_strstr_len (at, -1, "\"shape\""), '[');
      char *comma = strchr (shape, ',');
      char *bracket = strchr (shape, ']');
      if (comma == NULL || comma > bracket)
        continue;
      gint64 product =
          g_ascii_strtoll (shape + 1, NULL, 10) * g_ascii_strtoll (comma + 1, NULL, 10);
      g_autofree char *flat = g_strdup_printf ("%" G_GINT64_FORMAT, product);
      memset (shape + 1, ' ', (gsize) (bracket - shape) - 1);
      g_assert_cmpuint (strlen (flat), <=, (gsize) (bracket - shape) - 1);
      memcpy (shape + 1, flat, strlen (flat));
      g_assert_true (g_file_set_contents (path, data, (gssize) length, NULL));
      assert_refused (directory, ATTN_ERROR, ATTN_ERROR_SHAPE, misshapen);
    }
  remove_checkpoint (directory);
}

/* Whatever stands in config.json, the outcome is an error or a model that computes. */
static void
test_config_mutations (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (41);
  const guint32 ids[] = { 1, 2, 3, 4 };
  char *directory = write_checkpoint (&plain_recipe);
  g_autofree char *path = g_build_filename (directory, "config.json", NULL);
  g_autofree char *original = NULL;
  guint n_opened = 0;
  gsize length;
  static const char letters[] = "0123456789-.eE{}[]\",: ntf\\u\x80";

  g_assert_true (g_file_get_contents (path, &original, &length, NULL));
  for (guint i = 0; i < 1500; i++)
    {
      g_autofree char *json = g_memdup2 (original, length + 1);
      g_autoptr (GError) error = NULL;

      for (gint n = g_rand_int_range (rand, 1, 4); n > 0; n--)
        json[g_rand_int_range (rand, 0, (gint32) length)] =
            letters[g_rand_int_range (rand, 0, sizeof letters - 1)];
      g_assert_true (g_file_set_contents_full (path, json, (gssize) length,
                                               G_FILE_SET_CONTENTS_NONE, 0600, NULL));
      g_autoptr (AttnModel) model = attn_model_open (directory, &error);
      g_assert_true ((model != NULL) != (error != NULL));
      if (model == NULL)
        continue;
      n_opened++;
      AttnTraceRequest request = { ids, 4, NULL, ATTN_QUANTITY_LOGITS, NULL };
      AttnTrace *trace = attn_trace_compute (model, &request, NULL, NULL, NULL, &error);
      g_assert_true ((trace != NULL) != (error != NULL));
      g_clear_pointer (&trace, attn_trace_unref);
    }
  g_assert_cmpuint (n_opened, >, 0);
  g_assert_cmpuint (n_opened, <, 1500);
  remove_checkpoint (directory);
}

/* Weights that are not numbers are told by name when the result shows them. */
static void
test_nan_weights (void)
{
  g_autoptr (GError) error = NULL;
  const guint32 ids[] = { 1, 2, 3, 4 };
  const guint32 nan_value = GUINT32_TO_LE (0x7fc00000);
  char *directory = write_checkpoint (&plain_recipe);
  g_autofree char *path = g_build_filename (directory, "model.safetensors", NULL);
  g_autofree char *data = NULL;
  gsize length;

  g_assert_true (g_file_get_contents (path, &data, &length, NULL));
  g_autoptr (AttnArrayFile) file = attn_array_file_load (path, &error);
  g_assert_no_error (error);
  /* The embedding of token 3, which stands at position 2. */
  const AttnArray *array = attn_array_file_lookup (file, "transformer.wte.weight");
  gsize n_bytes;
  const void *begin = g_bytes_get_data (array->bytes, &n_bytes);
  char *at = memmem (data, length, begin, n_bytes);
  memcpy (at + 3 * 32 * sizeof (float), &nan_value, sizeof nan_value);
  g_clear_pointer (&file, attn_array_file_unref);
  g_assert_true (g_file_set_contents (path, data, (gssize) length, NULL));

  g_autoptr (AttnModel) model = attn_model_open (directory, &error);
  g_assert_no_error (error);
  AttnTraceRequest request = { ids, 4, NULL, ATTN_QUANTITY_WEIGHTS, NULL };
  g_assert_null (attn_trace_compute (model, &request, NULL, NULL, NULL, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT);
  g_assert_nonnull (strstr (error->message, "transformer.wte.weight"));
  g_assert_nonnull (strstr (error->message, "nan found at 96"));
  remove_checkpoint (directory);
}

/* Each file is a bad one in a directory whose name is no UTF-8. */
static void
test_messages_are_utf8 (void)
{
  static const char * const names[] = {
    "none",
    "config.json",
    "model.safetensors",
    "model.safetensors.index.json",
    "vocab.txt",
    "tokenizer.json",
    "vocab.json",
    "tokenizer_config.json",
    "merges.txt",
    "tokenizer.model",
    "a.gguf",
    "a.npy",
    "a.npz",
    "a.csv",
    "a.bin",
    "pytorch_model.bin",
  };
  static const char * const texts[] = { "", "{}", "{\"weight_map\": {}}", "{\"a\": 1, \xff}" };
  g_autofree char *parent = g_dir_make_tmp ("attn-open-XXXXXX", NULL);
  g_autofree char *directory = g_build_filename (parent, "caf\xe9", NULL);

  g_assert_cmpint (g_mkdir (directory, 0700), ==, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (names) * G_N_ELEMENTS (texts); i++)
    {
      const char *name = names[i / G_N_ELEMENTS (texts)];
      g_autofree char *path = g_build_filename (directory, name, NULL);
      const char *opened[] = { path, directory };

      if (i >= G_N_ELEMENTS (texts))
        g_assert_true (g_file_set_contents (path, texts[i % G_N_ELEMENTS (texts)], -1, NULL));
      for (gsize k = 0; k < 4; k++)
        {
          g_autoptr (GError) error = NULL;

          if (k < 2)
            g_assert_null (attn_model_open (opened[k % 2], &error));
          else
            g_assert_null (attn_tokenizer_load (opened[k % 2], &error));
          if (!g_utf8_validate (error->message, -1, NULL) ||
              strstr (error->message, "caf\357\277\275") == NULL)
            g_error ("%s: “%s”", name, error->message);
        }
      g_unlink (path);
    }
  g_assert_cmpint (g_rmdir (directory), ==, 0);
  g_assert_cmpint (g_rmdir (parent), ==, 0);
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/model/open/info", test_info);
  g_test_add_func ("/model/open/file-in-directory", test_file_in_directory);
  g_test_add_func ("/model/open/fingerprint-changes", test_fingerprint_changes);
  g_test_add_func ("/model/open/without-tokenizer", test_without_tokenizer);
  g_test_add_func ("/model/open/bad-tokenizer", test_bad_tokenizer);
  g_test_add_func ("/model/open/missing-files", test_missing_files);
  g_test_add_func ("/model/open/cut-pickles-refused", test_cut_pickles_refused);
  g_test_add_func ("/model/open/config-refused", test_config_refused);
  g_test_add_func ("/model/open/config-not-an-object", test_config_not_an_object);
  g_test_add_func ("/model/open/config-aliases", test_config_aliases);
  g_test_add_func ("/model/open/tensors-refused", test_tensors_refused);
  g_test_add_func ("/model/open/config-mutations", test_config_mutations);
  g_test_add_func ("/model/open/messages-are-utf8", test_messages_are_utf8);
  g_test_add_func ("/model/open/weights-not-a-number", test_nan_weights);
  return g_test_run ();
}
