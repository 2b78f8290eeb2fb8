/* SPDX-License-Identifier: GPL-3.0-or-later */

/* `attention-grid info`: describes a model or an array file. */

#include "config.h"

#include <glib/gi18n.h>
#include <json-glib/json-glib.h>

#include "attn-array-format.h"
#include "attn-cli-private.h"
#include "attn-model-facts.h"
#include "attn-text.h"

static void
add_fact (JsonObject     *object,
          const AttnFact *fact)
{
  switch (fact->kind)
    {
    case ATTN_FACT_TEXT:
    case ATTN_FACT_WORDS:
      if (fact->text != NULL)
        json_object_set_string_member (object, fact->name, fact->text);
      else
        json_object_set_null_member (object, fact->name);
      break;
    case ATTN_FACT_FLAG:
      json_object_set_boolean_member (object, fact->name, fact->number != 0);
      break;
    case ATTN_FACT_COUNT:
    case ATTN_FACT_BYTES:
    default:
      json_object_set_int_member (object, fact->name, MIN (fact->number, G_MAXINT64));
      break;
    }
}

static void
describe_model (JsonObject             *object,
                const AttnModel        *model,
                AttnTokenizerOutlining *outlining)
{
  g_autoptr (GPtrArray) facts = attn_model_list_facts (model, outlining);

  json_object_set_string_member (object, "kind", "model");
  for (guint i = 0; i < facts->len; i++)
    add_fact (object, g_ptr_array_index (facts, i));
}

static void
describe_arrays (JsonObject          *object,
                 const AttnArrayFile *file)
{
  JsonArray *arrays = json_array_new ();

  json_object_set_string_member (object, "kind", "arrays");
  json_object_set_array_member (object, "arrays", arrays);
  for (gsize i = 0; i < attn_array_file_get_n_arrays (file); i++)
    {
      const AttnArray *array = attn_array_file_get_nth (file, i);
      JsonObject *described = json_object_new ();
      JsonArray *shape = json_array_new ();

      for (guint k = 0; k < array->n_dims; k++)
        json_array_add_int_element (shape, array->shape[k]);
      json_object_set_string_member (described, "name", array->name);
      json_object_set_string_member (described, "dtype", attn_dtype_get_name (array->dtype));
      json_object_set_array_member (described, "shape", shape);
      json_array_add_object_element (arrays, described);
    }
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

/* Prints the members of a JSON object as lines of name and value. */
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

static JsonNode *
describe (const AttnModelReference  *reference,
          GError                   **error)
{
  const char *path = reference->path;
  gboolean is_arrays = reference->array == NULL &&
                       !attn_array_format_has (path, ATTN_ARRAY_FORMAT_TEXT) &&
                       attn_model_is_array_file (path);
  g_autoptr (AttnArrayFile) file = is_arrays ? attn_array_file_outline (path, error) : NULL;
  /* The tokenizer is read in a thread while the model is opened, since its file can be as long as
   * all headers of the weights. */
  g_autoptr (AttnTokenizerOutlining) outlining =
      is_arrays ? NULL : attn_tokenizer_outlining_new (path);
  g_autoptr (AttnModel) model = is_arrays
                                    ? NULL
                                    : attn_model_open_reference (reference, NULL, error);
  JsonObject *object = json_object_new ();

  if (file != NULL)
    describe_arrays (object, file);
  if (model != NULL)
    describe_model (object, model, outlining);
  g_autoptr (JsonNode) root = json_node_init_object (json_node_alloc (), object);
  json_object_unref (object);
  return file != NULL || model != NULL ? g_steal_pointer (&root) : NULL;
}

int
attn_cli_info (int    argc,
               char **argv)
{
  gboolean wants_json = FALSE;
  g_autofree char *header = NULL;
  g_autofree char *adapter = NULL;
  const GOptionEntry entries[] = {
    { "adapter", 0, 0, G_OPTION_ARG_FILENAME, &adapter,
      N_("Folder of a LoRA adapter that changes the model; without --model, its own is looked for"),
      "DIR" },
    { "header", 0, 0, G_OPTION_ARG_FILENAME, &header,
      N_("What names a table’s columns and rows: its first row, its first column; default: found "
          "by what stands there"),
      "auto|none|row|column|both" },
    { "json", 0, 0, G_OPTION_ARG_NONE, &wants_json, N_("One JSON object"), NULL },
    { NULL },
  };
  const AttnCliSyntax syntax = {
    .subcommand = "info",
    .operands = "FILE[:ARRAY]|DIRECTORY",
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
  g_auto (AttnModelReference) reference = { .adapter = g_steal_pointer (&adapter) };
  attn_model_reference_parse (&reference, operands[0]);
  if (!g_file_test (reference.path, G_FILE_TEST_EXISTS))
    return attn_cli_fail_missing (reference.path, _("a checkpoint or a file of arrays"));
  int place = ATTN_TABLE_HEADER_AUTO;
  if (header != NULL && !attn_text_parse_name (attn_table_header_names, header, &place, &error))
    return attn_cli_fail_usage ("--header: %s", error->message);
  reference.header = place;
  g_autoptr (JsonNode) root = describe (&reference, &error);
  if (root == NULL)
    return attn_cli_fail (error);
  if (!wants_json)
    {
      print_facts (root);
      return ATTN_CLI_SUCCESS;
    }
  g_autofree char *json = json_to_string (root, FALSE);
  attn_cli_print_json (json);
  return ATTN_CLI_SUCCESS;
}
