/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "../save-arrays.h"
#include "model-fixture.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

const Recipe plain_recipe = {
  .n_layers = 2,
  .n_heads = 4,
  .width = 32,
  .mlp_width = 128,
  .n_positions = 40,
  .vocabulary_size = 50,
  .dtype = ATTN_DTYPE_F32,
  .has_prefix = TRUE,
  .extra = "",
  .seed = 1,
};

/* Sum of 12 uniform numbers less 6: near enough to a normal distribution. */
static double
random_normal (GRand *rand)
{
  double sum = -6.0;

  for (int i = 0; i < 12; i++)
    sum += g_rand_double (rand);
  return sum;
}

/* Truncates; the reference reads what was written. Subnormal halves become 0. */
guint16
half_from_float (float value)
{
  guint32 bits;

  memcpy (&bits, &value, sizeof bits);
  gint32 exponent = (gint32) ((bits >> 23) & 0xff) - 127;
  guint16 sign = (guint16) ((bits >> 16) & 0x8000);
  if (exponent < -14)
    return sign;
  return sign | (guint16) ((guint32) (exponent + 15) << 10) | (guint16) ((bits & 0x7fffff) >> 13);
}

static void
add_tensor (AttnArrayFile *file,
            GRand         *rand,
            const Recipe  *recipe,
            const char    *name,
            gsize          n_rows,
            gsize          n_columns,
            double         mean,
            double         deviation)
{
  g_autoptr (GError) error = NULL;
  gsize shape[] = { n_rows, n_columns };
  gsize n = n_rows * MAX (n_columns, 1);
  gsize item_size = attn_dtype_get_size (recipe->dtype);
  guint8 *data = g_malloc (n * item_size);

  for (gsize i = 0; i < n; i++)
    {
      float value = (float) (mean + deviation * random_normal (rand));
      guint16 half = half_from_float (value);

      if (recipe->dtype == ATTN_DTYPE_BF16)
        {
          guint32 bits;

          memcpy (&bits, &value, sizeof bits);
          half = bits >> 16;
        }
      memcpy (data + i * item_size, item_size == 4 ? (void *) &value : (void *) &half, item_size);
    }
  gboolean is_prefixed = recipe->has_prefix && strcmp (name, "lm_head.weight") != 0;
  g_autofree char *full_name = g_strconcat (is_prefixed ? "transformer." : "", name, NULL);
  g_autoptr (GBytes) bytes = g_bytes_new_take (data, n * item_size);
  AttnArray *array =
      attn_array_new (full_name, recipe->dtype, n_columns > 0 ? 2 : 1, shape, bytes, &error);
  g_assert_no_error (error);
  attn_array_file_add (file, array, &error);
  g_assert_no_error (error);
}

static void
add_layer (AttnArrayFile *file,
           GRand         *rand,
           const Recipe  *recipe,
           gsize          layer)
{
  gsize width = recipe->width;
  gsize mlp_width = recipe->mlp_width;
  double deviation = 1.0 / sqrt ((double) width);
  const struct
  {
    const char *name;
    gsize n_rows;
    gsize n_columns;
    double mean;
    double deviation;
  } tensors[] = {
    { "ln_1.weight", width, 0, 1.0, 0.1 },
    { "ln_1.bias", width, 0, 0.0, 0.1 },
    /* Wide enough that attention is far from uniform. */
    { "attn.c_attn.weight", width, 3 * width, 0.0, 1.5 * deviation },
    { "attn.c_attn.bias", 3 * width, 0, 0.1, 0.3 },
    { "attn.c_proj.weight", width, width, 0.0, deviation },
    { "attn.c_proj.bias", width, 0, 0.0, 0.1 },
    { "ln_2.weight", width, 0, 1.0, 0.1 },
    { "ln_2.bias", width, 0, 0.0, 0.1 },
    { "mlp.c_fc.weight", width, mlp_width, 0.0, deviation },
    { "mlp.c_fc.bias", mlp_width, 0, 0.0, 0.1 },
    { "mlp.c_proj.weight", mlp_width, width, 0.0, 1.0 / sqrt ((double) mlp_width) },
    { "mlp.c_proj.bias", width, 0, 0.0, 0.1 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (tensors); i++)
    {
      g_autofree char *name = g_strdup_printf ("h.%" G_GSIZE_FORMAT ".%s", layer, tensors[i].name);

      add_tensor (file, rand, recipe, name, tensors[i].n_rows, tensors[i].n_columns,
                  tensors[i].mean, tensors[i].deviation);
    }
  if (recipe->has_buffers)
    {
      g_autofree char *name = g_strdup_printf ("h.%" G_GSIZE_FORMAT ".attn.bias", layer);

      add_tensor (file, rand, recipe, name, 7, 7, 0.0, 1.0);
    }
}

/**
 * write_config:
 *
 * Returns: (transfer full): the path of the config.json that was written
 */
char *
write_config (const char *directory,
              const char *json)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = g_build_filename (directory, "config.json", NULL);

  g_file_set_contents (path, json, -1, &error);
  g_assert_no_error (error);
  return g_steal_pointer (&path);
}

/**
 * write_checkpoint:
 *
 * Returns: (transfer full): a new temporary directory, for remove_checkpoint()
 */
char *
write_checkpoint (const Recipe *recipe)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GRand) rand = g_rand_new_with_seed (recipe->seed);
  char *directory = g_dir_make_tmp ("attn-model-XXXXXX", &error);
  g_autofree char *path = g_build_filename (directory, "model.safetensors", NULL);
  g_autoptr (AttnArrayFile) file = attn_array_file_new (path);

  add_tensor (file, rand, recipe, "wte.weight", recipe->vocabulary_size, recipe->width, 0.0, 0.6);
  add_tensor (file, rand, recipe, "wpe.weight", recipe->n_positions, recipe->width, 0.0, 0.3);
  add_tensor (file, rand, recipe, "ln_f.weight", recipe->width, 0, 1.0, 0.1);
  add_tensor (file, rand, recipe, "ln_f.bias", recipe->width, 0, 0.0, 0.1);
  if (recipe->has_logits)
    add_tensor (file, rand, recipe, "lm_head.weight", recipe->vocabulary_size, recipe->width, 0.0,
                0.3);
  if (recipe->has_buffers)
    add_tensor (file, rand, recipe, "something.else", 3, 5, 0.0, 1.0);
  for (gsize layer = 0; layer < recipe->n_layers; layer++)
    add_layer (file, rand, recipe, layer);
  save_arrays (file, path, &error);
  g_assert_no_error (error);

  g_autofree char *json = g_strdup_printf (
      "{\"model_type\": \"gpt2\", %s \"n_layer\": %zu, \"n_head\": %zu, \"n_embd\": %zu,"
      " \"n_positions\": %zu, \"vocab_size\": %zu}",
      recipe->extra, recipe->n_layers, recipe->n_heads, recipe->width, recipe->n_positions,
      recipe->vocabulary_size);
  g_autofree char *config_path = write_config (directory, json);
  return directory;
}

/**
 * remove_checkpoint:
 * @directory: (transfer full): removed with the files in it
 */
void
remove_checkpoint (char *directory)
{
  g_autoptr (GDir) dir = g_dir_open (directory, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (directory, name, NULL);
      g_unlink (path);
    }
  g_rmdir (directory);
  g_free (directory);
}

AttnModel *
open_model (const char *directory)
{
  g_autoptr (GError) error = NULL;
  AttnModel *model = attn_model_open (directory, &error);

  g_assert_no_error (error);
  return model;
}

AttnModel *
open_fixture (const char *name)
{
  g_autofree char *directory = g_test_build_filename (G_TEST_DIST, "model", name, NULL);

  return open_model (directory);
}

AttnArray *
random_array (GRand     *rand,
              AttnDtype  dtype,
              gsize      n_rows,
              gsize      n_columns,
              gint32     first,
              gint32     end)
{
  const gsize shape[] = { n_rows, n_columns };
  gsize n_block_elements;
  gsize n_block_bytes;

  attn_dtype_get_block (dtype, &n_block_elements, &n_block_bytes);
  gsize n_bytes = n_rows * n_columns / n_block_elements * n_block_bytes;
  guint8 *data = g_malloc (n_bytes);
  for (gsize i = 0; i < n_bytes; i++)
    data[i] = (guint8) g_rand_int_range (rand, first, end);
  g_autoptr (GBytes) bytes = g_bytes_new_take (data, n_bytes);
  return attn_array_new ("w", dtype, 2, shape, bytes, NULL);
}

/**
 * copy_fixture:
 * @name: a folder that make_fixtures.py made
 *
 * Returns: all files of it but the expected results
 */
Copy
copy_fixture (const char *name)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *source = g_test_build_filename (G_TEST_DIST, "model", name, NULL);
  g_autoptr (GDir) dir = g_dir_open (source, 0, &error);
  g_assert_no_error (error);
  Copy copy = { g_dir_make_tmp ("attn-model-XXXXXX", &error) };
  const char *file;

  g_assert_no_error (error);
  while ((file = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *from = g_build_filename (source, file, NULL);
      g_autofree char *to = g_build_filename (copy.directory, file, NULL);
      g_autofree char *data = NULL;
      gsize length;

      if (strcmp (file, "expected.safetensors") == 0)
        continue;
      g_assert_true (g_file_get_contents (from, &data, &length, NULL));
      g_assert_true (g_file_set_contents (to, data, (gssize) length, NULL));
    }
  return copy;
}

/**
 * set_member:
 * @member: such as "\"head_dim\": 7", which replaces what config.json says
 */
void
set_member (const Copy *copy,
            const char *member)
{
  g_autofree char *path = g_build_filename (copy->directory, "config.json", NULL);
  g_autofree char *json = NULL;
  g_autofree char *name = g_strndup (member, (gsize) (strchr (member, ':') - member));

  g_assert_true (g_file_get_contents (path, &json, NULL, NULL));
  g_autoptr (GString) edited = g_string_new (json);
  g_autofree char *unused = g_strdup_printf ("\"unused-%s", name + 1);
  g_autofree char *begin = g_strdup_printf ("{ %s,", member);
  g_string_replace (edited, name, unused, 0);
  g_string_replace (edited, "{", begin, 1);
  g_autofree char *written = write_config (copy->directory, edited->str);
}

/**
 * rename_tensor:
 * @to: as long as @from
 */
void
rename_tensor (const Copy *copy,
               const char *file,
               const char *from,
               const char *to)
{
  g_autofree char *path = g_build_filename (copy->directory, file, NULL);
  g_autofree char *data = NULL;
  gsize length;

  g_assert_cmpuint (strlen (from), ==, strlen (to));
  g_assert_true (g_file_get_contents (path, &data, &length, NULL));
  char *at = memmem (data, length, from, strlen (from));
  g_assert_nonnull (at);
  memcpy (at, to, strlen (to));
  g_assert_true (g_file_set_contents (path, data, (gssize) length, NULL));
}

/**
 * largest_error:
 *
 * Returns: the largest absolute difference; infinite where one of both is not a number or a bound
 */
double
largest_error (const AttnTensor *found,
               const double     *expected)
{
  double largest = 0.0;

  for (gsize i = 0; i < attn_tensor_get_n_elements (found); i++)
    {
      double error = fabs ((double) found->data[i] - expected[i]);

      if (isnan (error))
        return INFINITY;
      largest = MAX (largest, error);
    }
  return largest;
}

AttnTrace *
compute_trace (AttnModel       *model,
               const guint32   *ids,
               gsize            n_ids,
               GPtrArray       *interventions,
               AttnQuantity     keep,
               const AttnTrace *baseline)
{
  g_autoptr (GError) error = NULL;
  AttnTraceRequest request = {
    .ids = ids,
    .n_ids = n_ids,
    .interventions = interventions,
    .keep = keep,
  };
  AttnTrace *trace = attn_trace_compute (model, &request, baseline, NULL, NULL, &error);

  g_assert_no_error (error);
  g_assert_nonnull (trace);
  return trace;
}

static AttnIndexSet *
set_from_text (const char *text)
{
  g_autoptr (GError) error = NULL;
  AttnIndexSet *set = NULL;

  if (strcmp (text, "all") != 0)
    set = attn_index_set_parse (text, &error);
  g_assert_no_error (error);
  return set;
}

/* The weights of the heads written as "all" or "0,2-3". */
AttnTensor *
compute_weights (AttnTrace  *baseline,
                 gsize       layer,
                 const char *heads,
                 GPtrArray  *interventions)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnIndexSet) set = set_from_text (heads);
  AttnTensor *weights =
      attn_trace_compute_weights (baseline, layer, set, interventions, NULL, NULL, &error);

  g_assert_no_error (error);
  g_assert_nonnull (weights);
  return weights;
}

/**
 * intervention_from_text:
 * @text: "COMPONENT/OPERATION/LAYERS/HEADS/TOKENS", as make_fixtures.py names its cases, with
 *   "@SITE" behind the operation where it is not the projection; of a patch without its source
 */
AttnIntervention *
intervention_from_text (const char *text)
{
  g_auto (GStrv) parts = g_strsplit (text, "/", -1);
  AttnComponent component;
  AttnAxis axis;
  AttnSite site = ATTN_SITE_PROJECTION;
  AttnIntervention *intervention;

  g_assert_cmpuint (g_strv_length (parts), ==, 5);
  g_assert_true (attn_text_parse_name (attn_component_names, parts[0], &component, NULL));
  char *at = strchr (parts[1], '@');
  if (at != NULL)
    {
      g_assert_true (attn_text_parse_name (attn_site_names, at + 1, &site, NULL));
      *at = '\0';
    }
  if (g_str_has_prefix (parts[1], "scale="))
    intervention = attn_intervention_new_scale (
        component, g_ascii_strtod (parts[1] + strlen ("scale="), NULL), site);
  else if (g_str_equal (parts[1], "zero"))
    intervention = attn_intervention_new (component, ATTN_OPERATION_ZERO, site);
  else if (g_str_has_prefix (parts[1], "cut="))
    intervention = attn_intervention_new_cut (NULL, set_from_text (parts[1] + strlen ("cut=")));
  else if (g_str_has_prefix (parts[1], "patch"))
    {
      intervention = attn_intervention_new (component, ATTN_OPERATION_PATCH, site);
      intervention->input = 1;
      if (parts[1][strlen ("patch")] == ':')
        {
          intervention->pairs = attn_pairs_parse (parts[1] + strlen ("patch:"), NULL);
          g_assert_nonnull (intervention->pairs);
        }
    }
  else
    {
      g_assert_true (attn_text_parse_name (attn_axis_names, parts[1] + strlen ("mean-"), &axis,
                                           NULL));
      intervention = attn_intervention_new_mean (component, axis, site);
    }
  intervention->layers = set_from_text (parts[2]);
  intervention->heads = set_from_text (parts[3]);
  intervention->tokens = set_from_text (parts[4]);
  return intervention;
}

static void
free_intervention (gpointer intervention)
{
  attn_intervention_free (intervention);
}

/**
 * interventions_from_text:
 * @text: interventions with a space between; "baseline" or nothing for none
 */
GPtrArray *
interventions_from_text (const char *text)
{
  GPtrArray *interventions = g_ptr_array_new_with_free_func (free_intervention);
  g_auto (GStrv) parts = g_strsplit (text, " ", -1);

  for (char **part = parts; *part != NULL && strcmp (*part, "baseline") != 0; part++)
    g_ptr_array_add (interventions, intervention_from_text (*part));
  return interventions;
}
