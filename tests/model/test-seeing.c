/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Models of texts that see, both halves against PyTorch's, and what they take. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "attn-continuation.h"
#include "attn-error.h"
#include "model-fixture.h"

#define N_ANSWER   8
#define N_PICTURES 2

typedef struct
{
  const char *name;
  gsize image_token;
  gsize n_text; /* tokens, one of them of the picture */
  gsize place;  /* of that */
  gsize n_rows; /* of tokens of the picture, as the columns */
  gsize n_columns;
  gsize n_before; /* of them, which are no patches */
} Seeing;

static const Seeing seeing[] = {
  { "llava", 30, 7, 2, 3, 3, 0 },
  { "llava-layers", 30, 3, 0, 3, 3, 1 },
  { "gemma3-seeing", 30, 7, 3, 2, 2, 0 },
  { "qwen2_5_vl", 30, 6, 2, 3, 4, 0 },
  { "qwen3_vl", 30, 6, 2, 3, 4, 0 },
  { "qwen2_5_vl-flat", 30, 3, 0, 2, 1, 0 },
};

/* Texts with two pictures, of two sizes where the model takes them. */
typedef struct
{
  const char *name;
  gsize places[N_PICTURES]; /* of the first of their tokens, once they stand for all of them */
  gsize sizes[N_PICTURES][2];
} Several;

static const Several several[] = {
  { "llava", { 1, 12 }, { { 3, 3 }, { 3, 3 } } },
  { "gemma3-seeing", { 2, 7 }, { { 2, 2 }, { 2, 2 } } },
  { "qwen2_5_vl", { 2, 16 }, { { 3, 4 }, { 5, 2 } } },
  { "qwen3_vl", { 2, 16 }, { { 3, 4 }, { 5, 2 } } },
};

static guint32 *
read_numbers (const char *name,
              const char *member,
              gsize      *n)
{
  g_autoptr (AttnTensor) tensor = read_expected (name, member);
  guint32 *numbers = g_new (guint32, tensor->shape[0]);

  *n = tensor->shape[0];
  for (gsize i = 0; i < *n; i++)
    numbers[i] = (guint32) tensor->data[i];
  return numbers;
}

/* One half with its picture. */
static AttnModel *
open_half (const char *name,
           const char *half)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *directory = g_test_build_filename (G_TEST_DIST, "model", name, NULL);
  g_autoptr (AttnModel) model = attn_model_open_attention (directory, half, &error);
  g_autoptr (AttnTensor) pixels = read_expected (name, "pixels");

  g_assert_no_error (error);
  AttnModel *bound = attn_model_bind_pixels (model, pixels, &error);
  g_assert_no_error (error);
  if (attn_model_get_info (bound)->takes_picture)
    {
      gsize n_ids;
      g_autofree guint32 *ids = read_numbers (name, "ids", &n_ids);
      g_autoptr (AttnTokens) tokens = attn_tokens_new_from_ids (ids, n_ids, NULL);
      g_autoptr (AttnTokens) same = attn_model_insert_pictures (bound, tokens, &error);

      g_assert_no_error (error);
      g_assert_cmpuint (same->n_tokens, ==, n_ids);
    }
  return bound;
}

/* What enters each layer and leaves the last: within 1e-4 of the largest number. */
static void
check_residual (AttnModel  *model,
                const char *name,
                const char *half)
{
  gsize n_ids;
  g_autofree char *member = g_strconcat (half, ":residual", NULL);
  g_autoptr (AttnTensor) expected = read_expected (name, member);
  g_autofree guint32 *ids =
      read_numbers (name, g_str_equal (half, "vision") ? "patches" : "ids", &n_ids);
  g_autoptr (AttnTrace) trace =
      compute_trace (model, ids, n_ids, NULL, ATTN_QUANTITY_RESIDUAL | ATTN_QUANTITY_FINAL, NULL);
  gsize n = expected->shape[1] * expected->shape[2], n_layers = expected->shape[0] - 1;
  double largest = 0.0, apart = 0.0;

  g_assert_cmpuint (expected->shape[1], ==, n_ids);
  g_assert_cmpuint (n_layers, ==, attn_model_get_info (model)->n_layers);
  for (gsize layer = 0; layer <= n_layers; layer++)
    {
      AttnQuantity quantity = layer < n_layers ? ATTN_QUANTITY_RESIDUAL : ATTN_QUANTITY_FINAL;
      g_autoptr (AttnTensor) found = attn_trace_get (trace, quantity, layer);

      for (gsize i = 0; i < n; i++)
        {
          largest = MAX (largest, fabs (expected->data[layer * n + i]));
          apart = MAX (apart, fabs (expected->data[layer * n + i] - found->data[i]));
        }
    }
  g_test_message ("%s: off by %g of %g", half, apart, largest);
  g_assert_cmpfloat (apart, <, 1e-4 * largest);
}

/* Weights, logits and what enters the layers of both halves, under operations, too. */
static void
test_golden (gconstpointer data)
{
  const Seeing *own = data;
  g_autoptr (AttnModel) text = open_half (own->name, NULL);
  g_autoptr (AttnModel) vision = open_half (own->name, "vision");
  const AttnModelInfo *info = attn_model_get_info (text);

  g_assert_cmpstr (info->attention, ==, "text");
  g_assert_cmpuint (g_strv_length ((char **) info->attentions), ==, 2);
  g_assert_true (info->takes_picture);
  g_assert_false (info->needs_picture);
  g_assert_true (info->has_logits);
  g_assert_cmpint (info->image_token, ==, own->image_token);
  g_assert_cmpuint (attn_model_count_pictures (text), ==, 1);
  g_assert_cmpuint (attn_model_get_picture (text, 0).n_rows, ==, own->n_rows);
  g_assert_cmpuint (attn_model_get_picture (text, 0).n_columns, ==, own->n_columns);
  g_assert_cmpstr (attn_model_get_info (vision)->attention, ==, "vision");
  g_assert_true (attn_model_get_info (vision)->needs_picture);
  check_golden_half (text, own->name, "text", 2);
  check_golden_half (vision, own->name, "vision", 2);
  check_residual (text, own->name, "text");
  check_residual (vision, own->name, "vision");
}

/* One token of the text becomes as many as the picture has; those stay as they are. */
static void
test_tokens (gconstpointer data)
{
  const Seeing *own = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnModel) model = open_half (own->name, NULL);
  gsize n_all, n_picture = own->n_before + own->n_rows * own->n_columns;
  g_autofree guint32 *all = read_numbers (own->name, "ids", &n_all);
  g_autofree guint32 *written = g_new (guint32, own->n_text);

  g_assert_cmpuint (n_all, ==, own->n_text - 1 + n_picture);
  for (gsize i = 0; i < own->n_text; i++)
    written[i] = all[i <= own->place ? i : i + n_picture - 1];
  for (gsize is_whole = 0; is_whole < 2; is_whole++)
    {
      g_autoptr (AttnTokens) tokens = attn_tokens_new_from_ids (
          is_whole ? all : written, is_whole ? n_all : own->n_text, NULL);
      g_autoptr (AttnTokens) inserted = attn_model_insert_pictures (model, tokens, &error);
      g_autofree char *last =
          g_strdup_printf ("%zu,%zu", own->n_rows - 1, own->n_columns - 1);
      gsize end = own->place + n_picture;

      g_assert_no_error (error);
      g_assert_cmpuint (inserted->n_tokens, ==, n_all);
      for (gsize i = 0; i < n_all; i++)
        g_assert_cmpuint (inserted->tokens[i].id, ==, all[i]);
      g_assert_cmpstr (inserted->labels[own->place], ==, own->n_before > 0 ? "[CLS]" : "0,0");
      g_assert_cmpstr (inserted->labels[own->place + own->n_before + 1], ==,
                       own->n_columns > 1 ? "0,1" : "1,0");
      g_assert_cmpstr (inserted->labels[end - 1], ==, last);
      g_assert_true (inserted->labels[end][0] == '#');
      g_assert_cmpuint (attn_model_get_picture (model, 0).first_patch, ==,
                        own->place + own->n_before);
    }
}

/* The largest logit but that of a token of a picture, which may not stand behind a text. */
static guint32
choose_next (AttnModel   *model,
             const float *logits)
{
  const AttnModelInfo *info = attn_model_get_info (model);
  guint32 chosen = info->image_token == 0 ? 1 : 0;

  for (guint32 i = chosen + 1; i < info->vocabulary_size; i++)
    if ((gint64) i != info->image_token && logits[i] > logits[chosen])
      chosen = i;
  return chosen;
}

/* An answer to a text with a picture, a token at a time, has the logits of a pass over all of it:
 * its positions go on behind the picture's. */
static void
test_answer (gconstpointer data)
{
  const Seeing *own = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnModel) model = open_half (own->name, NULL);
  gsize n_vocabulary = attn_model_get_info (model)->vocabulary_size, n_prompt, n_ids;
  g_autofree guint32 *prompt = read_numbers (own->name, "ids", &n_prompt);
  gsize n_most = n_prompt + N_ANSWER;
  g_autofree float *rows = g_new (float, (N_ANSWER + 1) * n_vocabulary);
  g_autoptr (AttnContinuation) continuation = attn_continuation_new (
      model, prompt, n_prompt, n_most, NULL, 0, NULL, NULL, &error);

  g_assert_no_error (error);
  for (gsize i = 0; i <= N_ANSWER; i++)
    {
      const float *logits = attn_continuation_get_logits (continuation);

      memcpy (rows + i * n_vocabulary, logits, n_vocabulary * sizeof *logits);
      if (i < N_ANSWER)
        attn_continuation_append (continuation, choose_next (model, logits), NULL, &error);
      g_assert_no_error (error);
    }
  const guint32 *ids = attn_continuation_get_ids (continuation, &n_ids);
  g_autoptr (AttnTrace) trace =
      compute_trace (model, ids, n_ids, NULL, ATTN_QUANTITY_LOGITS, NULL);
  g_autoptr (AttnTensor) whole = attn_trace_get (trace, ATTN_QUANTITY_LOGITS, 0);
  const float *expected = whole->data + (n_prompt - 1) * n_vocabulary;
  for (gsize i = 0; i < (N_ANSWER + 1) * n_vocabulary; i++)
    g_assert_cmpfloat_with_epsilon (rows[i], expected[i], 1e-4 * fmax (1.0, fabs (expected[i])));
}

/* The half for texts with both pictures, each called by its number. */
static AttnModel *
open_several (const Several *own)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *directory = g_test_build_filename (G_TEST_DIST, "model", own->name, NULL);
  g_autofree char *expected = g_build_filename ("several", own->name, NULL);
  g_autoptr (AttnModel) model = attn_model_open (directory, &error);
  g_autoptr (AttnTensor) first = read_expected (expected, "pixels:0");
  g_autoptr (AttnTensor) second = read_expected (expected, "pixels:1");
  const AttnPixels pictures[N_PICTURES] = { { first, NULL }, { second, NULL } };

  g_assert_no_error (error);
  AttnModel *bound = attn_model_bind_pictures (model, pictures, N_PICTURES, 0, &error);
  g_assert_no_error (error);
  return bound;
}

/* Weights, logits and what enters the layers, under operations, too; and where the pictures are. */
static void
test_several (gconstpointer data)
{
  const Several *own = data;
  g_autoptr (GError) error = NULL;
  g_autofree char *expected = g_build_filename ("several", own->name, NULL);
  g_autoptr (AttnModel) model = open_several (own);
  gsize n_ids, n_written = 0;
  g_autofree guint32 *ids = read_numbers (expected, "ids", &n_ids);
  g_autofree guint32 *written = g_new (guint32, n_ids);

  for (gsize i = 0; i < n_ids; i++)
    if (ids[i] != 30 || i == 0 || ids[i - 1] != 30)
      written[n_written++] = ids[i];
  for (gsize is_whole = 0; is_whole < 2; is_whole++)
    {
      g_autoptr (AttnTokens) tokens = attn_tokens_new_from_ids (
          is_whole ? ids : written, is_whole ? n_ids : n_written, NULL);
      g_autoptr (AttnTokens) inserted = attn_model_insert_pictures (model, tokens, &error);

      g_assert_no_error (error);
      g_assert_cmpuint (inserted->n_tokens, ==, n_ids);
      for (gsize i = 0; i < n_ids; i++)
        g_assert_cmpuint (inserted->tokens[i].id, ==, ids[i]);
      for (gsize i = 0; i < N_PICTURES; i++)
        {
          const AttnPicture picture = attn_model_get_picture (model, i);
          g_autofree char *last = g_strdup_printf ("%zu:%zu,%zu", i + 1, own->sizes[i][0] - 1,
                                                   own->sizes[i][1] - 1);

          g_assert_cmpuint (picture.begin, ==, own->places[i]);
          g_assert_cmpuint (picture.n_rows, ==, own->sizes[i][0]);
          g_assert_cmpuint (picture.n_columns, ==, own->sizes[i][1]);
          g_assert_cmpstr (inserted->labels[picture.end - 1], ==, last);
          g_assert_cmpuint (attn_model_find_picture (model, picture.begin), ==, i);
          g_assert_cmpuint (attn_model_find_picture (model, picture.end), ==, N_PICTURES);
        }
    }
  check_golden_half (model, expected, "text", 2);
  check_residual (model, expected, "text");
}

/* The half for pictures, which sees the second, gives the text both. */
static void
test_beside (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *directory = g_test_build_filename (G_TEST_DIST, "model", "qwen2_5_vl", NULL);
  g_autoptr (AttnModel) model = attn_model_open_attention (directory, "vision", &error);
  g_autoptr (AttnTensor) first = read_expected ("several/qwen2_5_vl", "pixels:0");
  g_autoptr (AttnTensor) second = read_expected ("several/qwen2_5_vl", "pixels:1");
  const AttnPixels pictures[N_PICTURES] = { { first, NULL }, { second, NULL } };
  gsize n_ids;
  g_autofree guint32 *ids = read_numbers ("several/qwen2_5_vl", "ids", &n_ids);
  g_autoptr (AttnTokens) tokens = attn_tokens_new_from_ids (ids, n_ids, NULL);

  g_assert_no_error (error);
  g_autoptr (AttnModel) vision =
      attn_model_bind_pictures (model, pictures, N_PICTURES, 1, &error);
  g_assert_no_error (error);
  g_autoptr (AttnTokens) patches = attn_model_list_patches (vision);
  g_assert_cmpuint (patches->n_tokens, ==, 40);
  g_autoptr (AttnModel) text = attn_model_bind_decoder (vision, patches, NULL, NULL, &error);
  g_assert_no_error (error);
  g_autoptr (AttnTokens) inserted = attn_model_insert_pictures (text, tokens, &error);
  g_assert_no_error (error);
  check_golden_half (text, "several/qwen2_5_vl", "text", 2);
}

/* Fewer tokens of pictures than pictures, more, and those of one apart. */
static void
test_several_refused (void)
{
  static const guint32 texts[][20] = { { 1, 30, 2 },
                                       { 30, 30, 30, 2 },
                                       { 1, 2, 3 },
                                       { 30, 30, 30, 30, 30, 1, 30, 30, 30, 30, 30, 30, 30, 30, 30,
                                         30, 30, 30, 30 } };
  static const gsize lengths[] = { 3, 4, 3, 19 };
  static const char * const words[] = { "1 tokens of pictures and 2 pictures found",
                                        "3 tokens of pictures and 2 pictures found",
                                        "0 tokens of pictures and 2 pictures found",
                                        "or the 18 that they become" };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (AttnModel) model = open_several (&several[0]);
      g_autoptr (AttnTokens) tokens = attn_tokens_new_from_ids (texts[i], lengths[i], NULL);

      g_assert_null (attn_model_insert_pictures (model, tokens, &error));
      g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
      g_assert_nonnull (strstr (error->message, words[i]));
    }
}

static void
assert_refused (AttnModel     *model,
                const guint32 *ids,
                gsize          n_ids,
                const char    *words)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnTokens) tokens = attn_tokens_new_from_ids (ids, n_ids, NULL);

  g_assert_null (attn_model_insert_pictures (model, tokens, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
  if (strstr (error->message, words) == NULL)
    g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, words));
}

/* A text without the picture's token, with too many, or with some apart. */
static void
test_refused (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnModel) model = open_half ("llava", NULL);
  g_autoptr (AttnModel) blind = open_fixture ("llava");
  const guint32 none[] = { 1, 2, 3 }, two[] = { 1, 30, 30, 2 };
  const guint32 apart[] = { 30, 30, 30, 30, 30, 1, 30, 30, 30, 30 };
  g_autoptr (AttnTokens) tokens = attn_tokens_new_from_ids (two, G_N_ELEMENTS (two), NULL);

  assert_refused (model, none, G_N_ELEMENTS (none), "a text without the token of a picture found");
  assert_refused (model, two, G_N_ELEMENTS (two), "2 tokens of a picture found, expected one");
  assert_refused (model, apart, G_N_ELEMENTS (apart), "9 tokens of a picture found");
  g_assert_false (attn_model_check_picture_token (blind, tokens, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
  g_assert_nonnull (strstr (error->message, "token 30 of a picture found at position 1"));
}

/* Configurations that the program does not follow. */
static void
test_config (void)
{
  static const char * const members[][2] = {
    { "\"vision_feature_layer\": 4", "expected one of the 3 layers" },
    { "\"vision_feature_layer\": [1, \"a\"]", "expected a whole number or up to 16" },
    { "\"vision_feature_select_strategy\": \"half\"", "half found, expected one of default, full" },
    { "\"vision_config\": {\"model_type\": \"bert\"}", "“bert” found, expected a family of pict" },
    { "\"text_config\": {\"model_type\": \"vit\"}", "“vit” found, expected a family of texts" },
    { "\"vision_config\": null", "no “vision_config” found" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (members); i++)
    {
      Copy copy = copy_fixture ("llava");
      g_autoptr (GError) error = NULL;

      set_member (&copy, members[i][0]);
      g_assert_null (attn_model_open_attention (copy.directory, "vision", &error));
      if (error == NULL || strstr (error->message, members[i][1]) == NULL)
        g_test_message ("%s: %s", members[i][0], error != NULL ? error->message : "");
      g_assert_nonnull (strstr (error->message, members[i][1]));
      remove_checkpoint (copy.directory);
    }
}

/* The vision half by the name that transformers 5 saves it by, "qwen2_5_vl_vision". */
static void
test_newer_names (void)
{
  static const char * const names[] = { "qwen2_5_vl", "qwen3_vl" };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      Copy copy = copy_fixture (names[i]);
      g_autofree char *path = g_build_filename (copy.directory, "config.json", NULL);
      g_autofree char *json = NULL;
      g_autoptr (GError) error = NULL;

      g_assert_true (g_file_get_contents (path, &json, NULL, NULL));
      const char *half = strstr (json, "\"vision_config\"");
      g_autofree char *name = g_strdup_printf ("\"%s\"", names[i]);
      g_autofree char *newer = g_strdup_printf ("\"%s_vision\"", names[i]);
      g_autoptr (GString) edited = g_string_new (half);
      g_assert_cmpuint (g_string_replace (edited, name, newer, 1), ==, 1);
      g_string_prepend_len (edited, json, half - json);
      g_assert_true (g_file_set_contents (path, edited->str, -1, NULL));
      g_autoptr (AttnModel) model = attn_model_open_attention (copy.directory, "vision", &error);
      g_assert_no_error (error);
      g_assert_true (attn_model_get_info (model)->needs_picture);
      remove_checkpoint (copy.directory);
    }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (seeing); i++)
    {
      g_autofree char *golden = g_strconcat ("/model/seeing/golden/", seeing[i].name, NULL);
      g_autofree char *tokens = g_strconcat ("/model/seeing/tokens/", seeing[i].name, NULL);
      g_autofree char *answer = g_strconcat ("/model/seeing/answer/", seeing[i].name, NULL);

      g_test_add_data_func (golden, &seeing[i], test_golden);
      g_test_add_data_func (tokens, &seeing[i], test_tokens);
      g_test_add_data_func (answer, &seeing[i], test_answer);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (several); i++)
    {
      g_autofree char *name = g_strconcat ("/model/seeing/several/", several[i].name, NULL);

      g_test_add_data_func (name, &several[i], test_several);
    }
  g_test_add_func ("/model/seeing/beside", test_beside);
  g_test_add_func ("/model/seeing/several-refused", test_several_refused);
  g_test_add_func ("/model/seeing/refused", test_refused);
  g_test_add_func ("/model/seeing/config", test_config);
  g_test_add_func ("/model/seeing/newer-names", test_newer_names);
  return g_test_run ();
}
