/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Arrays that another program's forward pass left, opened as a model. */

#include "config.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "../save-arrays.h"
#include "attn-error.h"
#include "model-fixture.h"

#define N_TOKENS 9

static const guint32 ids[N_TOKENS] = { 7, 3, 3, 9, 21, 0, 29, 12, 5 };

/* The fixtures' own rounding: the same products in the same order, read back from float32. */
#define TOLERANCE 2e-6

typedef struct
{
  char *directory;
} Fixture;

static void
set_up (Fixture       *fixture,
        gconstpointer  data)
{
  fixture->directory = g_dir_make_tmp ("attn-recording-XXXXXX", NULL);
}

static void
tear_down (Fixture       *fixture,
           gconstpointer  data)
{
  remove_checkpoint (fixture->directory);
}

/* [L, heads, T, x] of all layers side by side. */
static AttnArray *
stack (AttnTrace    *trace,
       const char   *name,
       AttnQuantity  quantity,
       gsize         n_layers)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  gsize shape[4] = { n_layers };

  for (gsize layer = 0; layer < n_layers; layer++)
    {
      g_autoptr (AttnTensor) tensor = attn_trace_get (trace, quantity, layer);

      memcpy (shape + 1, tensor->shape, 3 * sizeof *shape);
      g_byte_array_append (bytes, (const guint8 *) tensor->data,
                           attn_tensor_get_n_elements (tensor) * sizeof (float));
    }
  g_autoptr (GBytes) data = g_byte_array_free_to_bytes (g_steal_pointer (&bytes));
  return attn_array_new (name, ATTN_DTYPE_F32, 4, shape, data, NULL);
}

static char *
save (const Fixture       *fixture,
      const AttnArrayFile *file,
      const char          *name)
{
  g_autoptr (GError) error = NULL;
  char *path = g_build_filename (fixture->directory, name, NULL);

  save_arrays (file, path, &error);
  g_assert_no_error (error);
  return path;
}

static AttnModel *
open_recording (const char *path)
{
  g_autoptr (GError) error = NULL;
  AttnModel *model = attn_model_open (path, &error);

  g_assert_no_error (error);
  g_assert_true (attn_model_get_info (model)->is_recording);
  return model;
}

static AttnTrace *
trace_recording (AttnModel *recording)
{
  g_autoptr (AttnTokens) tokens = attn_model_dup_recorded_tokens (recording);
  g_autofree guint32 *numbers = g_new (guint32, tokens->n_tokens);

  for (gsize i = 0; i < tokens->n_tokens; i++)
    numbers[i] = tokens->tokens[i].id;
  return compute_trace (recording, numbers, tokens->n_tokens, NULL,
                        ATTN_QUANTITY_SCORES | ATTN_QUANTITY_WEIGHTS, NULL);
}

static void
assert_close (const AttnTensor *a,
              const AttnTensor *b)
{
  gsize n = attn_tensor_get_n_elements (a);

  g_assert_cmpuint (n, ==, attn_tensor_get_n_elements (b));
  for (gsize i = 0; i < n; i++)
    g_assert_cmpfloat_with_epsilon (a->data[i], b->data[i], TOLERANCE);
}

static void
assert_same_weights (AttnTrace  *a,
                     AttnTrace  *b,
                     gsize       n_layers,
                     const char *first,
                     const char *second)
{
  for (gsize layer = 0; layer < n_layers; layer++)
    {
      g_autofree char *scope = g_strdup_printf (" layers %zu", layer);
      g_autoptr (GPtrArray) on_model = interventions_from_text (first);
      g_autoptr (GPtrArray) on_recording = interventions_from_text (second);

      for (guint i = 0; i < on_model->len; i++)
        {
          AttnIntervention *p = g_ptr_array_index (on_model, i);
          AttnIntervention *q = g_ptr_array_index (on_recording, i);

          p->layers = attn_index_set_new_range (layer, layer);
          q->layers = attn_index_set_new_range (layer, layer);
        }
      g_autoptr (AttnTensor) x = compute_weights (a, layer, "all", on_model);
      g_autoptr (AttnTensor) y = compute_weights (b, layer, "all", on_recording);
      assert_close (x, y);
    }
}

static AttnArray *
new_array (const char  *name,
           guint        n_dims,
           const gsize *shape,
           const float *values,
           gsize        n)
{
  g_autoptr (GBytes) bytes = g_bytes_new (values, n * sizeof *values);

  return attn_array_new (name, ATTN_DTYPE_F32, n_dims, shape, bytes, NULL);
}

/* A change of the values leaves recorded weights as they are, bit for bit; one of the queries has
 * them computed. */
static void
test_value_leaves_weights (Fixture       *fixture,
                           gconstpointer  data)
{
  static const float recorded[4] = { 1, 0, 0.375, 0.625 };
  static const float vectors[4] = { 1, 2, 3, 4 };
  static const gsize shape[] = { 2, 2 };
  static const guint32 both[] = { 0, 1 };
  static const struct
  {
    const char *intervention;
    gboolean is_recorded;
  } cases[] = {
    { "value/scale=0.5/all/all/all", TRUE },
    { "value/mean-feature/all/all/all", TRUE },
    { "query/scale=0.5/all/all/all", FALSE },
  };
  g_autoptr (AttnArrayFile) file = attn_array_file_new (NULL);

  attn_array_file_add (file, new_array ("weights", 2, shape, recorded, 4), NULL);
  attn_array_file_add (file, new_array ("query", 2, shape, vectors, 4), NULL);
  attn_array_file_add (file, new_array ("key", 2, shape, vectors, 4), NULL);
  attn_array_file_add (file, new_array ("value", 2, shape, vectors, 4), NULL);
  g_autofree char *path = save (fixture, file, "all.npz");
  g_autoptr (AttnModel) recording = open_recording (path);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GPtrArray) interventions = interventions_from_text (cases[i].intervention);
      g_autoptr (AttnTrace) trace =
          compute_trace (recording, both, 2, interventions, ATTN_QUANTITY_WEIGHTS, NULL);
      g_autoptr (AttnTensor) weights = attn_trace_get (trace, ATTN_QUANTITY_WEIGHTS, 0);

      g_assert_cmpint (memcmp (weights->data, recorded, sizeof recorded) == 0, ==,
                       cases[i].is_recorded);
    }
}

/* Queries and keys of a rotary model with grouped heads: what acts behind the rotation there acts
 * on what was recorded here. */
static void
test_queries_and_keys (Fixture       *fixture,
                       gconstpointer  data)
{
  static const char * const files[] = { "qk.npz", "qk.safetensors" };
  g_autoptr (AttnModel) model = open_fixture ("llama");
  gsize n_layers = attn_model_get_info (model)->n_layers;
  g_autoptr (AttnTrace) trace = compute_trace (
      model, ids, N_TOKENS, NULL,
      ATTN_QUANTITY_QUERY | ATTN_QUANTITY_KEY | ATTN_QUANTITY_VALUE | ATTN_QUANTITY_WEIGHTS, NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autoptr (AttnArrayFile) file = attn_array_file_new (NULL);

      attn_array_file_add (file, stack (trace, "query", ATTN_QUANTITY_QUERY, n_layers), NULL);
      attn_array_file_add (file, stack (trace, "key", ATTN_QUANTITY_KEY, n_layers), NULL);
      attn_array_file_add (file, stack (trace, "value", ATTN_QUANTITY_VALUE, n_layers), NULL);
      g_autofree char *path = save (fixture, file, files[i]);
      g_autoptr (AttnModel) recording = open_recording (path);
      const AttnModelInfo *info = attn_model_get_info (recording);
      g_autoptr (AttnTrace) recorded = trace_recording (recording);

      g_assert_cmpuint (info->n_layers, ==, n_layers);
      g_assert_cmpuint (info->n_heads, ==, attn_model_get_info (model)->n_heads);
      g_assert_cmpuint (info->n_key_heads, ==, attn_model_get_info (model)->n_key_heads);
      g_assert_true (info->is_causal);
      assert_same_weights (trace, recorded, n_layers, "key/scale=1/all/all/all",
                           "key/scale=1/all/all/all");
      assert_same_weights (trace, recorded, n_layers, "query/scale=0.25@rotated/all/all/all",
                           "query/scale=0.25/all/all/all");
      assert_same_weights (trace, recorded, n_layers, "key/mean-feature@rotated/all/all/all",
                           "key/mean-feature/all/all/all");
      assert_same_weights (trace, recorded, n_layers, "key/mean-head@rotated/all/all/all",
                           "key/mean-head/all/all/all");
    }
}

/* [T, S] with lists of their own, [H, T, T], and [L, 1, H, T, T] as transformers stacks them. */
static void
test_shapes (Fixture       *fixture,
             gconstpointer  data)
{
  static const float values[24] = { 1, 0, 0.5, 0.5, 1, 0, 0.25, 0.75 };
  static const struct
  {
    guint n_dims;
    gsize shape[5];
    gsize n_layers;
    gsize n_heads;
    gsize n_rows;
    gsize n_columns;
    gboolean is_causal;
  } cases[] = {
    { 2, { 2, 3 }, 1, 1, 2, 3, FALSE },
    { 2, { 2, 2 }, 1, 1, 2, 2, TRUE },
    { 3, { 2, 2, 2 }, 1, 2, 2, 2, TRUE },
    { 4, { 2, 1, 2, 2 }, 2, 1, 2, 2, TRUE },
    { 5, { 2, 1, 3, 2, 2 }, 2, 3, 2, 2, FALSE },
    { 1, { 4 }, 1, 1, 1, 4, FALSE },
  };
  static const float full[24] = { 0.5, 0.5, 1, 0, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5 };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      gsize n = 1;
      for (guint k = 0; k < cases[i].n_dims; k++)
        n *= cases[i].shape[k];
      g_autoptr (AttnArrayFile) file = attn_array_file_new (NULL);
      attn_array_file_add (file,
                           new_array ("whatever", cases[i].n_dims, cases[i].shape,
                                      cases[i].is_causal ? values : full, n),
                           NULL);
      g_autofree char *path = save (fixture, file, "shape.npy");
      g_autoptr (AttnModel) recording = open_recording (path);
      const AttnModelInfo *info = attn_model_get_info (recording);
      g_autoptr (AttnTrace) trace = trace_recording (recording);
      g_autoptr (AttnTensor) weights = attn_trace_get (trace, ATTN_QUANTITY_WEIGHTS, 0);

      g_assert_cmpuint (info->n_layers, ==, cases[i].n_layers);
      g_assert_cmpuint (info->n_heads, ==, cases[i].n_heads);
      g_assert_cmpint (info->is_causal, ==, cases[i].is_causal);
      g_assert_false (info->has_queries_and_keys);
      g_assert_cmpuint (weights->shape[1], ==, cases[i].n_rows);
      g_assert_cmpuint (weights->shape[2], ==, cases[i].n_columns);
      g_assert_cmpuint (g_strv_length ((char **) attn_model_get_recorded_keys (recording)), ==,
                        cases[i].n_columns);
    }
}

/* Layers as arrays of their own, as numpy.savez (file, *attentions) writes them, with batches. */
static void
test_layers_as_arrays (Fixture       *fixture,
                       gconstpointer  data)
{
  const char *prefix = data;
  const gsize shape[] = { 1, 2, 2, 2 };
  const gsize n_layers = 12;
  g_autoptr (AttnArrayFile) file = attn_array_file_new (NULL);

  /* In another order than that of the numbers: by their names, 10 comes before 2. */
  for (gsize i = 0; i < n_layers; i++)
    {
      gsize layer = (i * 5 + 3) % n_layers;
      float share = (float) layer / (float) n_layers;
      const float values[] = { 1, 0, share, 1 - share, 1, 0, 1 - share, share };
      g_autofree char *name = g_strdup_printf ("%s%zu", prefix, layer);

      attn_array_file_add (file, new_array (name, 4, shape, values, 8), NULL);
    }
  g_autofree char *path = save (fixture, file, "layers.npz");
  g_autoptr (AttnModel) recording = open_recording (path);
  g_autoptr (AttnTrace) trace = trace_recording (recording);
  g_assert_cmpuint (attn_model_get_info (recording)->n_layers, ==, n_layers);
  g_assert_cmpuint (attn_model_get_info (recording)->n_heads, ==, 2);
  g_assert_true (attn_model_get_info (recording)->is_causal);
  for (gsize layer = 0; layer < n_layers; layer++)
    {
      g_autoptr (AttnTensor) weights = attn_trace_get (trace, ATTN_QUANTITY_WEIGHTS, layer);

      g_assert_cmpfloat_with_epsilon (weights->data[2], (double) layer / (double) n_layers, 1e-6);
    }
}

/* Arrays that are called otherwise are no layers, and layers have one shape. */
static void
test_other_arrays_are_no_layers (Fixture       *fixture,
                                 gconstpointer  data)
{
  static const struct
  {
    const char *names[2];
    gsize n_rows;
    const char *message;
  } cases[] = {
    { { "a_0", "b_1" }, 2, "2 arrays found" },
    { { "a_1", "a_2" }, 2, "2 arrays found" },
    { { "a", "b" }, 2, "2 arrays found" },
    { { "a_0", "a_1" }, 1, "“a_0” of shape [2, 2] and “a_1” of shape [1, 2] found" },
  };
  static const float values[] = { 1, 0, 0.5, 0.5 };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const gsize first[] = { 2, 2 }, second[] = { cases[i].n_rows, 2 };
      g_autoptr (AttnArrayFile) file = attn_array_file_new (NULL);
      g_autoptr (GError) error = NULL;

      attn_array_file_add (file, new_array (cases[i].names[0], 2, first, values, 4), NULL);
      attn_array_file_add (
          file, new_array (cases[i].names[1], 2, second, values, 2 * cases[i].n_rows), NULL);
      g_autofree char *path = save (fixture, file, "others.npz");
      g_assert_null (attn_model_open (path, &error));
      g_assert_nonnull (strstr (error->message, cases[i].message));
    }
}

/* "first" [2, 2], "second" [2, 3, 3] and as many others as are asked for, labels of "second". */
static char *
save_several (const Fixture *fixture,
              const char    *name,
              gsize          n_others)
{
  static const float first[] = { 1, 0, 0.5, 0.5 };
  static const float second[] = { 1, 0, 0, 0.5, 0.5, 0, 0.25, 0.25, 0.5,
                                  1, 0, 0, 0.5, 0.5, 0, 0.5, 0.25, 0.25 };
  static const char * const labels[] = { "a", "b", "c", NULL };
  const gsize two[] = { 2, 2 }, three[] = { 2, 3, 3 };
  g_autoptr (AttnArrayFile) file = attn_array_file_new (NULL);

  attn_array_file_add (file, new_array ("first", 2, two, first, 4), NULL);
  attn_array_file_add (file, new_array ("second", 3, three, second, 18), NULL);
  for (gsize i = 0; i < n_others; i++)
    {
      g_autofree char *other = g_strdup_printf ("other %zu", i);

      attn_array_file_add (file, new_array (other, 2, two, first, 4), NULL);
    }
  attn_array_file_add (file, attn_array_new_strings ("tokens", labels), NULL);
  return save (fixture, file, name);
}

static AttnModel *
open_named (const char  *text,
            GError     **error)
{
  g_auto (AttnModelReference) reference = { NULL };

  attn_model_reference_parse (&reference, text);
  return attn_model_open_reference (&reference, NULL, error);
}

/* The array that is named is read as the only one; labels of another number are not its own. */
static void
test_one_array (Fixture       *fixture,
                gconstpointer  data)
{
  static const char * const names[] = { "several.npz", "several.safetensors" };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = save_several (fixture, names[i], 0);
      g_autofree char *first = g_strconcat (path, ":first", NULL);
      g_autofree char *second = g_strconcat (path, ":second", NULL);
      g_autoptr (GError) error = NULL;

      g_assert_null (attn_model_open (path, &error));
      g_assert_error (error, ATTN_ERROR, ATTN_ERROR_AMBIGUOUS);
      g_assert_nonnull (strstr (error->message, "2 arrays found (“first”, “second”)"));
      g_clear_error (&error);

      g_autoptr (AttnModel) matrix = open_named (first, &error);
      g_assert_no_error (error);
      g_assert_cmpuint (attn_model_get_info (matrix)->n_positions, ==, 2);
      g_assert_true (attn_model_get_info (matrix)->is_matrix);
      g_assert_cmpstr (attn_model_get_recorded_keys (matrix)[0], ==, "0");
      g_assert_cmpstr (attn_model_get_name (matrix), ==, "several:first");

      g_autoptr (AttnModel) heads = open_named (second, &error);
      g_assert_no_error (error);
      g_assert_cmpuint (attn_model_get_info (heads)->n_heads, ==, 2);
      g_assert_cmpstr (attn_model_get_recorded_keys (heads)[2], ==, "c");
      g_autoptr (AttnTrace) trace = trace_recording (heads);
      g_autoptr (AttnTensor) weights = attn_trace_get (trace, ATTN_QUANTITY_WEIGHTS, 0);
      g_assert_cmpfloat (weights->data[15], ==, 0.5f);
    }
}

static void
test_missing_array (Fixture       *fixture,
                    gconstpointer  data)
{
  static const char * const asked[] = { "third", "", "tokens", "caf\xe9" };
  g_autofree char *path = save_several (fixture, "many.npz", 20);

  for (gsize i = 0; i < G_N_ELEMENTS (asked); i++)
    {
      g_autofree char *text = g_strconcat (path, ":", asked[i], NULL);
      g_autoptr (GError) error = NULL;

      g_assert_null (open_named (text, &error));
      g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
      g_assert_true (g_utf8_validate (error->message, -1, NULL));
      g_assert_nonnull (strstr (error->message, "22 arrays found (“first”, “second”, “other 0”"));
      g_assert_nonnull (strstr (error->message, "“other 5”, …), expected"));
    }
}

static void
test_long_names (Fixture       *fixture,
                 gconstpointer  data)
{
  static const float values[] = { 1, 0, 0.5, 0.5 };
  const gsize shape[] = { 2, 2 };
  g_autoptr (AttnArrayFile) file = attn_array_file_new (NULL);
  g_autoptr (GString) name = g_string_new (NULL);
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < 5000; i++)
    g_string_append (name, "é");
  attn_array_file_add (file, new_array ("a", 2, shape, values, 4), NULL);
  attn_array_file_add (file, new_array (name->str, 2, shape, values, 4), NULL);
  g_autofree char *path = save (fixture, file, "long.safetensors");
  g_assert_null (attn_model_open (path, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_AMBIGUOUS);
  g_assert_nonnull (strstr (error->message, "é…”"));
  g_assert_cmpuint (strlen (error->message), <, 500);
}

/* A file whose name has a colon comes before an array of another. */
static void
test_colon (Fixture       *fixture,
            gconstpointer  data)
{
  static const struct
  {
    const char *text;
    const char *path;
    const char *array;
  } cases[] = {
    { "a.npz", "a.npz", NULL },
    { "a.npz:b", "a.npz", "b" },
    { "a.npz:b:c.npz:d", "a.npz", "b:c.npz:d" },
    { "A.SAFETENSORS:layers.0:w", "A.SAFETENSORS", "layers.0:w" },
    { "a.pt:w", "a.pt", "w" },
    { "a.npy:b", "a.npy:b", NULL },
    { "a.csv:b", "a.csv:b", NULL },
    { "folder:b", "folder:b", NULL },
  };
  g_autofree char *plain = save_several (fixture, "a.npz", 0);
  g_autofree char *colon = g_strconcat (plain, ":first", NULL);
  g_autofree char *more = g_strconcat (colon, ".npz", NULL);
  g_autofree char *array = g_strconcat (more, ":second", NULL);
  g_auto (AttnModelReference) reference = { .header = ATTN_TABLE_HEADER_ROW };

  g_assert_true (g_file_set_contents (colon, "", 0, NULL));
  attn_model_reference_parse (&reference, colon);
  g_assert_cmpstr (reference.path, ==, colon);
  g_assert_null (reference.array);
  g_assert_cmpint (g_rename (colon, more), ==, 0);
  attn_model_reference_parse (&reference, more);
  g_assert_cmpstr (reference.path, ==, more);
  g_assert_null (reference.array);
  g_assert_cmpint (g_unlink (plain), ==, 0);
  attn_model_reference_parse (&reference, array);
  g_assert_cmpstr (reference.path, ==, more);
  g_assert_cmpstr (reference.array, ==, "second");
  g_assert_cmpint (reference.header, ==, ATTN_TABLE_HEADER_ROW);

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      attn_model_reference_parse (&reference, cases[i].text);
      g_assert_cmpstr (reference.path, ==, cases[i].path);
      g_assert_cmpstr (reference.array, ==, cases[i].array);
    }
}

static void
write_text (const Fixture *fixture,
            const char    *name,
            const char    *text)
{
  g_autofree char *path = g_build_filename (fixture->directory, name, NULL);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

static void
assert_labels (const char *path,
               const char *first_query,
               const char *last_key)
{
  g_autoptr (AttnModel) recording = open_recording (path);
  g_autoptr (AttnTokens) tokens = attn_model_dup_recorded_tokens (recording);
  const char * const *keys = attn_model_get_recorded_keys (recording);

  g_assert_cmpstr (tokens->labels[0], ==, first_query);
  g_assert_cmpstr (keys[g_strv_length ((char **) keys) - 1], ==, last_key);
}

static void
test_labels (Fixture       *fixture,
             gconstpointer  data)
{
  static const float values[4] = { 1, 0, 0.5, 0.5 };
  static const gsize shape[] = { 2, 2 };
  static const char * const own[] = { "A", "Ġrose", NULL };
  g_autoptr (AttnArrayFile) plain = attn_array_file_new (NULL);
  g_autoptr (AttnArrayFile) labelled = attn_array_file_new (NULL);

  attn_array_file_add (plain, new_array ("", 2, shape, values, 4), NULL);
  g_autofree char *path = save (fixture, plain, "a.npy");
  assert_labels (path, "0", "1");
  /* As a program of Windows saves it. */
  write_text (fixture, "tokens.txt", "\xef\xbb\xbfThe\r\n rose\r\n");
  assert_labels (path, "The", "␣rose");
  write_text (fixture, "a.tokens.json",
              "{\"query_tokens\": [\"x\", \"y\"], \"key_tokens\": [\"u\", \"v\"]}");
  assert_labels (path, "x", "v");

  attn_array_file_add (labelled, new_array ("attention", 2, shape, values, 4), NULL);
  attn_array_file_add (labelled, attn_array_new_strings ("tokens", own), NULL);
  g_autofree char *npz = save (fixture, labelled, "b.npz");
  assert_labels (npz, "A", "␣rose");

  /* Byte-level vocabularies spell bytes: é, and the first byte of a longer character. */
  static const char * const spelled[] = { "Ã©Ċ", "ĠÃ©", NULL };
  g_autoptr (AttnArrayFile) bytes = attn_array_file_new (NULL);
  attn_array_file_add (bytes, new_array ("attention", 2, shape, values, 4), NULL);
  attn_array_file_add (bytes, attn_array_new_strings ("tokens", spelled), NULL);
  g_autofree char *bytes_path = save (fixture, bytes, "bytes.npz");
  assert_labels (bytes_path, "é↵", "␣é");

  /* The tokens of queries and keys are those of both sides of the weights. */
  static const float vectors[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
  static const gsize wide[] = { 2, 4 };
  g_autoptr (AttnArrayFile) both = attn_array_file_new (NULL);
  attn_array_file_add (both, new_array ("query", 2, wide, vectors, 8), NULL);
  attn_array_file_add (both, new_array ("key", 2, wide, vectors, 8), NULL);
  attn_array_file_add (both, attn_array_new_strings ("token_labels", own), NULL);
  g_autofree char *both_path = save (fixture, both, "both.npz");
  assert_labels (both_path, "A", "␣rose");

  write_text (fixture, "probe.csv", "layer,first,last\n0,0.5,0.75\n2,0.25,1\n");
  g_autofree char *csv = g_build_filename (fixture->directory, "probe.csv", NULL);
  assert_labels (csv, "0", "last");
}

static void
assert_refused (const char *path,
                int         code,
                const char *part)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (attn_model_open (path, &error));
  g_assert_error (error, ATTN_ERROR, code);
  g_assert_nonnull (strstr (error->message, part));
}

static void
test_refused (Fixture       *fixture,
              gconstpointer  data)
{
  static const float values[24] = { 0 };
  static const gsize two[] = { 2, 2 };
  static const gsize query[] = { 1, 2, 3, 4 };
  static const gsize key[] = { 1, 2, 3, 2 };
  g_autoptr (AttnArrayFile) unnamed = attn_array_file_new (NULL);
  g_autoptr (AttnArrayFile) misfit = attn_array_file_new (NULL);
  g_autoptr (AttnArrayFile) plain = attn_array_file_new (NULL);

  attn_array_file_add (unnamed, new_array ("left", 2, two, values, 4), NULL);
  attn_array_file_add (unnamed, new_array ("right", 2, two, values, 4), NULL);
  g_autofree char *unnamed_path = save (fixture, unnamed, "two.npz");
  assert_refused (unnamed_path, ATTN_ERROR_AMBIGUOUS, "“left”, “right”");

  /* An array without a name is called by the file's. */
  static const gsize five[] = { 2, 2, 1, 2, 3 };
  g_autoptr (AttnArrayFile) nameless = attn_array_file_new (NULL);
  attn_array_file_add (nameless, new_array ("", 5, five, values, 24), NULL);
  g_autofree char *nameless_path = save (fixture, nameless, "five.npy");
  assert_refused (nameless_path, ATTN_ERROR_SHAPE, "“five.npy” of shape [2, 2, 1, 2, 3]");

  attn_array_file_add (misfit, new_array ("query", 4, query, values, 24), NULL);
  attn_array_file_add (misfit, new_array ("key", 4, key, values, 12), NULL);
  g_autofree char *misfit_path = save (fixture, misfit, "misfit.npz");
  assert_refused (misfit_path, ATTN_ERROR_SHAPE, "“query”");

  attn_array_file_add (plain, new_array ("", 2, two, values, 4), NULL);
  g_autofree char *plain_path = save (fixture, plain, "plain.npy");
  write_text (fixture, "plain.tokens.txt", "one\ntwo\nthree\n");
  assert_refused (plain_path, ATTN_ERROR_SHAPE, "3 tokens found, expected 2");
  write_text (fixture, "plain.tokens.json", "{\"words\": []}");
  assert_refused (plain_path, ATTN_ERROR_FORMAT, "no list of tokens");
}

static GPtrArray *
on_layers (const char *text,
           gsize       first,
           gsize       last)
{
  GPtrArray *interventions = interventions_from_text (text);

  for (guint i = 0; i < interventions->len; i++)
    {
      AttnIntervention *intervention = g_ptr_array_index (interventions, i);

      intervention->layers = attn_index_set_new_range (first, last);
    }
  return interventions;
}

/* A trace of a recording is computed with interventions as one of the model is, in the layer that
 * they act on; what lies above would have to be run. */
static void
test_traces_with_interventions (Fixture       *fixture,
                                gconstpointer  data)
{
  static const char * const texts[] = { "query/scale=0.25/all/0/all", "key/mean-head/all/all/all",
                                        "key/mean-token/all/all/all", "value/scale=3/all/all/all" };
  const AttnQuantity keep =
      ATTN_QUANTITY_QUERY | ATTN_QUANTITY_KEY | ATTN_QUANTITY_VALUE | ATTN_QUANTITY_WEIGHTS;
  g_autoptr (AttnModel) model = open_fixture ("gpt2-prefixed");
  gsize n_layers = attn_model_get_info (model)->n_layers;
  g_autoptr (AttnTrace) trace = compute_trace (model, ids, N_TOKENS, NULL, keep, NULL);

  for (guint with_weights = 0; with_weights < 2; with_weights++)
    {
      g_autoptr (AttnArrayFile) file = attn_array_file_new (NULL);

      attn_array_file_add (file, stack (trace, "query", ATTN_QUANTITY_QUERY, n_layers), NULL);
      attn_array_file_add (file, stack (trace, "key", ATTN_QUANTITY_KEY, n_layers), NULL);
      attn_array_file_add (file, stack (trace, "value", ATTN_QUANTITY_VALUE, n_layers), NULL);
      if (with_weights)
        attn_array_file_add (file, stack (trace, "attention", ATTN_QUANTITY_WEIGHTS, n_layers),
                             NULL);
      g_autofree char *path = save (fixture, file, "layers.npz");
      g_autoptr (AttnModel) recording = open_recording (path);
      g_autoptr (AttnTokens) tokens = attn_model_dup_recorded_tokens (recording);
      g_autofree guint32 *numbers = g_new (guint32, tokens->n_tokens);

      for (gsize i = 0; i < tokens->n_tokens; i++)
        numbers[i] = tokens->tokens[i].id;
      for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
        for (gsize layer = 0; layer < n_layers; layer++)
          {
            g_autoptr (GError) error = NULL;
            g_autoptr (GPtrArray) here = on_layers (texts[i], layer, layer);
            g_autoptr (GPtrArray) everywhere = on_layers (texts[i], 0, n_layers - 1);
            g_autoptr (AttnIndexSet) layers = attn_index_set_new_range (layer, layer);
            g_autoptr (AttnTrace) expected =
                compute_trace (model, ids, N_TOKENS, here, keep, NULL);
            AttnTraceRequest request = {
              .ids = numbers,
              .n_ids = tokens->n_tokens,
              .interventions = here,
              .keep = keep,
              .layers = layers,
            };
            g_autoptr (AttnTrace) found =
                attn_trace_compute (recording, &request, NULL, NULL, NULL, &error);

            g_assert_no_error (error);
            for (AttnQuantity quantity = ATTN_QUANTITY_QUERY; quantity <= ATTN_QUANTITY_WEIGHTS;
                 quantity <<= 1)
              if ((keep & quantity) != 0)
                {
                  g_autoptr (AttnTensor) a = attn_trace_get (expected, quantity, layer);
                  g_autoptr (AttnTensor) b = attn_trace_get (found, quantity, layer);

                  assert_close (a, b);
                }

            request.interventions = everywhere;
            g_autoptr (AttnTrace) above =
                attn_trace_compute (recording, &request, NULL, NULL, NULL, &error);
            if (layer == 0)
              g_assert_no_error (error);
            else
              g_assert_error (error, ATTN_ERROR, ATTN_ERROR_UNSUPPORTED);
          }
    }
}

/* Weights alone show nothing that an operation could act on. */
static void
test_weights_refuse_interventions (Fixture       *fixture,
                                   gconstpointer  data)
{
  static const float values[4] = { 1, 0, 0.5, 0.5 };
  static const gsize shape[] = { 2, 2 };
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnArrayFile) file = attn_array_file_new (NULL);
  g_autoptr (GPtrArray) interventions = interventions_from_text ("key/mean-feature/all/all/all");

  attn_array_file_add (file, new_array ("", 2, shape, values, 4), NULL);
  g_autofree char *path = save (fixture, file, "w.npy");
  g_autoptr (AttnModel) recording = open_recording (path);
  g_autoptr (AttnTrace) trace = trace_recording (recording);
  g_assert_null (
      attn_trace_compute_weights (trace, 0, NULL, interventions, NULL, NULL, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
  g_assert_true (g_str_has_prefix (error->message, path));
}

/* Nothing of a file that was cut or spoiled anywhere is more than an error or an array. */
static void
test_mutations (Fixture       *fixture,
                gconstpointer  data)
{
  g_autoptr (AttnModel) model = open_fixture ("llama");
  gsize n_layers = attn_model_get_info (model)->n_layers;
  g_autoptr (AttnTrace) trace =
      compute_trace (model, ids, N_TOKENS, NULL, ATTN_QUANTITY_QUERY | ATTN_QUANTITY_KEY, NULL);
  g_autoptr (AttnArrayFile) file = attn_array_file_new (NULL);
  g_autoptr (GRand) rand = g_rand_new_with_seed (20261121);
  g_autofree char *bytes = NULL;
  gsize length;

  attn_array_file_add (file, stack (trace, "query", ATTN_QUANTITY_QUERY, n_layers), NULL);
  attn_array_file_add (file, stack (trace, "key", ATTN_QUANTITY_KEY, n_layers), NULL);
  g_autofree char *path = save (fixture, file, "m.safetensors");
  g_assert_true (g_file_get_contents (path, &bytes, &length, NULL));
  for (int i = 0; i < 500; i++)
    {
      g_autofree char *copy = g_memdup2 (bytes, length);
      /* The header decides; the numbers behind it may be any. */
      gsize n_header = MIN (length, 400);
      gsize cut = i % 5 == 0 ? (gsize) g_rand_int_range (rand, 0, length) : length;

      for (int k = 0; k < 3; k++)
        copy[g_rand_int_range (rand, 0, n_header)] = g_rand_int_range (rand, 0, 256);
      g_assert_true (g_file_set_contents (path, copy, cut, NULL));
      g_autoptr (GError) error = NULL;
      g_autoptr (AttnModel) recording = attn_model_open (path, &error);
      g_assert_true ((recording != NULL) == (error == NULL));
      if (recording != NULL && attn_model_get_info (recording)->n_positions < 1000)
        {
          g_autoptr (AttnTrace) recorded = trace_recording (recording);
          g_assert_nonnull (recorded);
        }
    }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);

#define ADD(path, func) g_test_add (path, Fixture, NULL, set_up, func, tear_down)
  ADD ("/model/recording/queries-and-keys-intervene-as-the-model-does", test_queries_and_keys);
  ADD ("/model/recording/value-leaves-recorded-weights", test_value_leaves_weights);
  ADD ("/model/recording/traces-with-interventions", test_traces_with_interventions);
  ADD ("/model/recording/shapes", test_shapes);
  g_test_add ("/model/recording/layers-as-arrays", Fixture, "arr_", set_up, test_layers_as_arrays,
              tear_down);
  g_test_add ("/model/recording/layers-as-arrays-by-name", Fixture, "layer_", set_up,
              test_layers_as_arrays, tear_down);
  ADD ("/model/recording/other-arrays-are-no-layers", test_other_arrays_are_no_layers);
  ADD ("/model/recording/one-array-of-several", test_one_array);
  ADD ("/model/recording/missing-array-lists-those-found", test_missing_array);
  ADD ("/model/recording/long-names-are-cut", test_long_names);
  ADD ("/model/recording/colon-in-the-name-of-a-file", test_colon);
  ADD ("/model/recording/labels-in-the-file-and-beside-it", test_labels);
  ADD ("/model/recording/refused-with-what-was-found", test_refused);
  ADD ("/model/recording/weights-alone-refuse-interventions", test_weights_refuse_interventions);
  ADD ("/model/recording/mutations-are-refused-or-read", test_mutations);
#undef ADD
  return g_test_run ();
}
