/* SPDX-License-Identifier: GPL-3.0-or-later */

/* `attention-grid info`: what a model or an array file holds. */

#include "config.h"

#include <glib/gi18n.h>
#include <json-glib/json-glib.h>

#include "attn-array-format.h"
#include "attn-cli-private.h"
#include "attn-model-facts.h"

static void
add_text (JsonBuilder *builder,
          const char  *member,
          const char  *value)
{
  json_builder_set_member_name (builder, member);
  json_builder_add_string_value (builder, value);
}

static void
add_fact (JsonBuilder    *builder,
          const AttnFact *fact)
{
  json_builder_set_member_name (builder, fact->name);
  switch (fact->kind)
    {
    case ATTN_FACT_TEXT:
    case ATTN_FACT_WORDS:
      if (fact->text != NULL)
        json_builder_add_string_value (builder, fact->text);
      else
        json_builder_add_null_value (builder);
      break;
    case ATTN_FACT_FLAG:
      json_builder_add_boolean_value (builder, fact->number != 0);
      break;
    case ATTN_FACT_COUNT:
    case ATTN_FACT_BYTES:
    default:
      json_builder_add_int_value (builder, MIN (fact->number, G_MAXINT64));
      break;
    }
}

static JsonNode *
describe_model (const AttnModel *model)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autoptr (GPtrArray) facts = attn_model_list_facts (model);

  json_builder_begin_object (builder);
  add_text (builder, "kind", "model");
  for (guint i = 0; i < facts->len; i++)
    add_fact (builder, g_ptr_array_index (facts, i));
  json_builder_end_object (builder);
  return json_builder_get_root (builder);
}

static void
add_array (JsonBuilder     *builder,
           const AttnArray *array)
{
  json_builder_begin_object (builder);
  add_text (builder, "name", array->name);
  add_text (builder, "dtype", attn_dtype_get_name (array->dtype));
  json_builder_set_member_name (builder, "shape");
  json_builder_begin_array (builder);
  for (guint i = 0; i < array->n_dims; i++)
    json_builder_add_int_value (builder, array->shape[i]);
  json_builder_end_array (builder);
  json_builder_end_object (builder);
}

static JsonNode *
describe_arrays (const AttnArrayFile *file)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  json_builder_begin_object (builder);
  add_text (builder, "kind", "arrays");
  json_builder_set_member_name (builder, "arrays");
  json_builder_begin_array (builder);
  for (gsize i = 0; i < attn_array_file_get_n_arrays (file); i++)
    add_array (builder, attn_array_file_get_nth (file, i));
  json_builder_end_array (builder);
  json_builder_end_object (builder);
  return json_builder_get_root (builder);
}

static char *
format_fact (const char *member,
             JsonNode   *value)
{
  if (JSON_NODE_HOLDS_NULL (value))
    return g_strdup (_("none"));
  if (json_node_get_value_type (value) == G_TYPE_INT64 &&
      (g_str_equal (member, "bytes") || g_str_has_prefix (member, "memory_")))
    return g_format_size (json_node_get_int (value));
  if (json_node_get_value_type (value) == G_TYPE_STRING)
    return json_node_dup_string (value);
  return json_to_string (value, FALSE);
}

static void
print_array_list (JsonArray *arrays)
{
  for (guint i = 0; i < json_array_get_length (arrays); i++)
    {
      JsonObject *array = json_array_get_object_element (arrays, i);
      g_autofree char *shape = json_to_string (json_object_get_member (array, "shape"), FALSE);
      g_autofree char *line =
          g_strdup_printf ("%-8s %-20s %s\n", json_object_get_string_member (array, "dtype"), shape,
                           json_object_get_string_member (array, "name"));
      attn_cli_print (line);
    }
}

/* The JSON object as lines: member, value. */
static void
print_facts (JsonNode *root)
{
  JsonObjectIter iter;
  const char *member;
  JsonNode *value;

  json_object_iter_init_ordered (&iter, json_node_get_object (root));
  while (json_object_iter_next_ordered (&iter, &member, &value))
    {
      if (JSON_NODE_HOLDS_ARRAY (value))
        {
          print_array_list (json_node_get_array (value));
          continue;
        }
      g_autofree char *text = format_fact (member, value);
      g_autofree char *words = g_strdelimit (g_strdup (member), "_", ' ');
      g_autofree char *line = g_strdup_printf ("%-22s %s\n", words, text);
      attn_cli_print (line);
    }
}

/* A safetensors file without a configuration beside it is a file of arrays, with one it is a
 * model. */
static gboolean
is_array_file (const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *config = g_build_filename (folder, "config.json", NULL);

  if (g_file_test (path, G_FILE_TEST_IS_DIR))
    return FALSE;
  return attn_array_format_has (path, ATTN_ARRAY_FORMAT_RECORDING) &&
         !attn_array_format_has (path, ATTN_ARRAY_FORMAT_TEXT) &&
         (!attn_array_format_has (path, ATTN_ARRAY_FORMAT_MODEL) ||
          !g_file_test (config, G_FILE_TEST_EXISTS));
}

static JsonNode *
describe (const char  *path,
          GError     **error)
{
  if (is_array_file (path))
    {
      g_autoptr (AttnArrayFile) file = attn_array_file_outline (path, error);
      return file != NULL ? describe_arrays (file) : NULL;
    }

  g_autoptr (AttnModel) model = attn_model_open (path, error);
  return model != NULL ? describe_model (model) : NULL;
}

int
attn_cli_info (int    argc,
               char **argv)
{
  gboolean wants_json = FALSE;
  const GOptionEntry entries[] = {
    { "json", 0, 0, G_OPTION_ARG_NONE, &wants_json, N_("One JSON object"), NULL },
    { NULL },
  };
  const AttnCliSyntax syntax = {
    .subcommand = "info",
    .operands = "FILE|DIRECTORY",
    .min_operands = 1,
    .max_operands = 1,
    .summary = _("Says what a model or a file of arrays holds."),
    .entries = entries,
  };
  g_auto (GStrv) operands = NULL;
  g_autoptr (GError) error = NULL;
  int status = attn_cli_parse (&syntax, argc, argv, &operands);

  if (status != ATTN_CLI_CONTINUE)
    return status;
  if (!g_file_test (operands[0], G_FILE_TEST_EXISTS))
    return attn_cli_fail_missing (operands[0], _("a checkpoint or a file of arrays"));
  g_autoptr (JsonNode) root = describe (operands[0], &error);
  if (root == NULL)
    return attn_cli_fail (error);
  if (!wants_json)
    {
      print_facts (root);
      return ATTN_CLI_SUCCESS;
    }
  g_autofree char *json = json_to_string (root, FALSE);
  attn_cli_print (json);
  attn_cli_print ("\n");
  return ATTN_CLI_SUCCESS;
}
