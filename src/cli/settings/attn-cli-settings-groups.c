/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Options for the figure of head groups. A group is the set of tokens within which a head
 * attends. */

#include "config.h"

#include <glib/gi18n.h>
#include <string.h>

#include "attn-cli-settings.h"
#include "attn-error.h"
#include "attn-json.h"
#include "attn-text.h"

/* Largest head number that --group and --groups accept. */
#define MAX_HEAD 65535

/* Splits a list of tokens at commas. In a token, "\," stands for a comma and "\\" for a
 * backslash. */
static char **
split_tokens (const char *text)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_autoptr (GString) token = g_string_new (NULL);

  for (const char *p = text;; p++)
    {
      if (*p == ',' || *p == '\0')
        {
          g_strv_builder_add (builder, token->str);
          g_string_truncate (token, 0);
          if (*p == '\0')
            break;
        }
      else
        {
          p += *p == '\\' && (p[1] == ',' || p[1] == '\\');
          g_string_append_c (token, *p);
        }
    }
  return g_strv_builder_end (builder);
}

static gboolean
parse_head (const char *text,
            guint64    *head)
{
  return g_ascii_string_to_unsigned (text, 10, 0, MAX_HEAD, head, NULL);
}

static void
add_group (AttnStudy          *study,
           gsize               head,
           const char * const *tokens)
{
  study->groups.rule = ATTN_GROUP_RULE_ASSIGNED;
  g_ptr_array_add (study->groups.assigned, attn_group_new (head, tokens));
}

/* The first --group removes the groups of the preset or study. */
static void
begin_groups (AttnStudy *study)
{
  g_ptr_array_set_size (study->groups.assigned, 0);
}

static gboolean
apply_group (AttnStudy   *study,
             const char  *value,
             GError     **error)
{
  const char *expected = _("a head and its tokens such as 0=It,I");
  const char *equals = strchr (value, '=');
  g_autofree char *number = equals != NULL ? g_strndup (value, equals - value) : NULL;
  guint64 head;

  if (!g_utf8_validate (value, -1, NULL) || number == NULL || !parse_head (number, &head))
    return attn_field_fail (value, expected, error);

  g_auto (GStrv) tokens = split_tokens (equals + 1);
  for (char **token = tokens; *token != NULL; token++)
    if (**token == '\0')
      return attn_field_fail (value, expected, error);
  add_group (study, head, (const char * const *) tokens);
  return TRUE;
}

/* Reads an array of one or more strings. Returns %NULL for anything else. */
static char **
read_tokens (JsonNode *node)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  if (!JSON_NODE_HOLDS_ARRAY (node) || json_array_get_length (json_node_get_array (node)) == 0)
    return NULL;

  JsonArray *array = json_node_get_array (node);
  for (guint i = 0; i < json_array_get_length (array); i++)
    {
      JsonNode *element = json_array_get_element (array, i);

      if (!JSON_NODE_HOLDS_VALUE (element) || json_node_get_value_type (element) != G_TYPE_STRING)
        return NULL;
      g_strv_builder_add (builder, json_node_get_string (element));
    }
  return g_strv_builder_end (builder);
}

/* Reads groups from a JSON file with the tokens of each head: {"0": ["It", "I"], "1": ["is", "am",
 * "the"]} */
static gboolean
apply_groups (AttnStudy   *study,
              const char  *value,
              GError     **error)
{
  const char *expected = _("heads and their tokens such as {\"0\": [\"It\", \"I\"]}");
  g_autofree char *display = g_filename_display_name (value);
  g_autoptr (JsonNode) root = attn_json_load (value, error);

  if (root == NULL)
    return FALSE;
  if (!JSON_NODE_HOLDS_OBJECT (root) || json_object_get_size (json_node_get_object (root)) == 0)
    return attn_fail (error, ATTN_ERROR_ARGUMENT, _("%s: something else found, expected %s"),
                      display, expected);

  JsonObject *object = json_node_get_object (root);
  g_autoptr (GList) names = json_object_get_members (object);
  begin_groups (study);
  for (GList *name = names; name != NULL; name = name->next)
    {
      g_auto (GStrv) tokens = read_tokens (json_object_get_member (object, name->data));
      guint64 head;

      if (tokens == NULL || !parse_head (name->data, &head))
        return attn_fail (error, ATTN_ERROR_ARGUMENT, _("%s: “%s” found, expected %s"), display,
                          (const char *) name->data, expected);
      add_group (study, head, (const char * const *) tokens);
    }
  return TRUE;
}

/* Parses "threshold=0.1" or "share=0.7"; "share" alone means the default share. */
static gboolean
apply_detect (AttnStudy   *study,
              const char  *value,
              GError     **error)
{
  const char *expected = _("threshold=0.1 or share=0.7, a number above 0 and up to 1");
  const char *equals = strchr (value, '=');
  g_autofree char *name =
      equals != NULL ? g_strndup (value, equals - value) : g_strdup (value);
  AttnGroupRule rule;
  double level = ATTN_GROUP_DEFAULT_SHARE;

  if (!attn_text_parse_name (attn_group_rule_names, name, &rule, NULL) ||
      rule == ATTN_GROUP_RULE_ASSIGNED || (equals == NULL && rule == ATTN_GROUP_RULE_THRESHOLD) ||
      (equals != NULL && !attn_text_parse_number (equals + 1, &level)) ||
      !(level > 0 && level <= 1))
    return attn_field_fail (value, expected, error);
  /* Groups are found in the unmodified attention, unless a later option masks tokens. */
  study->groups.rule = rule;
  study->groups.level = level;
  study->groups.has_mask = FALSE;
  study->groups.mask = ATTN_MASK_NONE;
  return TRUE;
}

const AttnCliSetting attn_cli_groups_settings[] = {
  { "group", "HEAD=TOKEN,TOKEN", N_("The tokens within which a head attends; repeatable"),
    apply_group, begin_groups, .about = "groups.heads" },
  { "groups", "FILE.json", N_("The same of all heads: {\"0\": [\"It\", \"I\"]}"), apply_groups },
  { "detect", "threshold=N|share=N",
    N_("Find the groups in the attention of all heads, with the mask of the model"),
    apply_detect },
  { NULL },
};
