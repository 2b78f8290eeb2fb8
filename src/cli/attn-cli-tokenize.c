/* SPDX-License-Identifier: GPL-3.0-or-later */

/* `attention-grid tokenize`: lists the tokens of a text. */

#include "config.h"

#include <glib/gi18n.h>
#include <json-glib/json-glib.h>
#include <string.h>

#include "attn-cli-options.h"
#include "attn-cli-private.h"
#include "attn-text.h"
#include "attn-tokenizer.h"

static const char *
get_piece (const AttnTokenizer *tokenizer,
           const AttnTokens    *tokens,
           gsize                index)
{
  const char *piece = attn_tokenizer_get_piece (tokenizer, tokens->tokens[index].id);

  return piece != NULL ? piece : tokens->labels[index];
}

static void
print_json (const AttnTokenizer *tokenizer,
            const AttnTokens    *tokens)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "ids");
  json_builder_begin_array (builder);
  for (gsize i = 0; i < tokens->n_tokens; i++)
    json_builder_add_int_value (builder, tokens->tokens[i].id);
  json_builder_end_array (builder);
  json_builder_set_member_name (builder, "tokens");
  json_builder_begin_array (builder);
  for (gsize i = 0; i < tokens->n_tokens; i++)
    json_builder_add_string_value (builder, tokens->labels[i]);
  json_builder_end_array (builder);
  json_builder_set_member_name (builder, "pieces");
  json_builder_begin_array (builder);
  for (gsize i = 0; i < tokens->n_tokens; i++)
    json_builder_add_string_value (builder, get_piece (tokenizer, tokens, i));
  json_builder_end_array (builder);
  json_builder_end_object (builder);

  g_autoptr (JsonNode) root = json_builder_get_root (builder);
  g_autofree char *json = json_to_string (root, FALSE);
  attn_cli_print_json (json);
}

static void
print_table (const AttnTokens *tokens)
{
  for (gsize i = 0; i < tokens->n_tokens; i++)
    {
      g_autofree char *line =
          g_strdup_printf ("%8u  %s\n", tokens->tokens[i].id, tokens->labels[i]);
      attn_cli_print (line);
    }
}

static int
tokenize (const char  *model,
          const char  *text,
          AttnFraming  framing,
          gboolean     wants_json)
{
  g_autoptr (GError) error = NULL;

  if (!attn_text_check_utf8 ("TEXT", text, strlen (text), &error))
    return attn_cli_fail (error);
  if (!attn_tokenizer_exists (model))
    return attn_cli_fail_missing (model, _("a checkpoint or a tokenizer"));
  g_autoptr (AttnTokenizer) tokenizer = attn_tokenizer_load (model, &error);
  if (tokenizer == NULL)
    return attn_cli_fail (error);
  g_autoptr (AttnTokens) tokens =
      attn_tokenizer_encode (tokenizer, text, -1, framing, &error);
  if (tokens == NULL)
    return attn_cli_fail (error);
  attn_cli_note_dropped (tokens, 1);
  if (wants_json)
    print_json (tokenizer, tokens);
  else
    print_table (tokens);
  return ATTN_CLI_SUCCESS;
}

int
attn_cli_tokenize (int    argc,
                   char **argv)
{
  gboolean wants_json = FALSE;
  static const char * const shared[] = { "special-tokens", "chat", NULL };
  g_autoptr (AttnCliOptions) options = attn_cli_options_new ();
  const GOptionEntry own[] = {
    { "json", 0, 0, G_OPTION_ARG_NONE, &wants_json,
      N_("One JSON object: ids, tokens as one reads them, pieces as the vocabulary spells them"),
      NULL },
    { NULL },
  };
  g_autoptr (GArray) entries = attn_cli_options_list_some (options, own, shared);
  const AttnCliSyntax syntax = {
    .subcommand = "tokenize",
    .operands = "MODEL TEXT",
    .min_operands = 2,
    .max_operands = 2,
    .summary = _("Shows id and token of each piece of a text."),
    .description = _(
        "MODEL is a checkpoint, a directory that holds a tokenizer only, or the tokenizer’s file."),
    .entries = (const GOptionEntry *) (gpointer) entries->data,
    .user_data = options,
  };
  g_auto (GStrv) operands = NULL;
  int status = attn_cli_parse (&syntax, argc, argv, &operands);

  if (status != ATTN_CLI_CONTINUE)
    return status;
  return tokenize (operands[0], operands[1], attn_study_get_framing (options->asked), wants_json);
}
