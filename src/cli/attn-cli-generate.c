/* SPDX-License-Identifier: GPL-3.0-or-later */

/* `attention-grid generate`: continues a text with generated tokens, without and with an
 * intervention. */

#include "config.h"

#include <glib/gi18n.h>
#include <json-glib/json-glib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "attn-cli-effects.h"
#include "attn-cli-inputs.h"
#include "attn-cli-interrupt.h"
#include "attn-cli-private.h"
#include "attn-end-tokens.h"
#include "attn-error.h"
#include "attn-generation.h"
#include "attn-job.h"
#include "attn-speaker.h"
#include "attn-text.h"

#define DEFAULT_MAX_TOKENS 128
#define MAX_MAX_TOKENS     ((gsize) 1 << 24)

/* The character U+FFFD, which replaces bytes that are not valid UTF-8, and NUL. */
#define REPLACEMENT "\357\277\275"

/* Values of the options that only the subcommand `generate` has; %NULL for an option that is not
 * given. */
typedef struct
{
  char *temperature;
  char *top_k;
  char *top_p;
  char *seed;
  char *max_tokens;
  char **stops;
  gboolean wants_json;
} Asked;

static void
asked_clear (Asked *asked)
{
  g_free (asked->temperature);
  g_free (asked->top_k);
  g_free (asked->top_p);
  g_free (asked->seed);
  g_free (asked->max_tokens);
  g_strfreev (asked->stops);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Asked, asked_clear)

/**
 * Answer:
 * @pending: bytes at the end that are no complete character yet
 * @text: all complete characters before that
 * @n_printed: number of bytes of @text that were already printed
 *
 * The text of one answer, as far as it was generated.
 */
typedef struct
{
  GString *pending;
  GString *text;
  gsize n_printed;
} Answer;

typedef struct
{
  const Asked *asked;
  const AttnTokenizer *tokenizer; /* (nullable): %NULL prints ids */
  guint32 last_id;                /* last token of the prompt */
  gboolean has_both;
  gboolean has_begun;
  Answer answers[2]; /* answer of the baseline, then of the modified model */
} Printer;

static void
printer_init (Printer *printer)
{
  for (gsize i = 0; i < 2; i++)
    printer->answers[i] = (Answer) { g_string_new (NULL), g_string_new (NULL), 0 };
}

static void
printer_clear (Printer *printer)
{
  for (gsize i = 0; i < 2; i++)
    {
      g_string_free (printer->answers[i].pending, TRUE);
      g_string_free (printer->answers[i].text, TRUE);
    }
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Printer, printer_clear)

/* Appends the bytes of a token that follows the last token of the prompt: the bytes of both minus
 * those of the first, since the text of a token can depend on the one before. Appends nothing for
 * an id that the tokenizer does not have. */
static void
append_token (const Printer *printer,
              guint32        id,
              Answer        *answer)
{
  const guint32 ids[] = { printer->last_id, id };
  GString *bytes = answer->pending;

  if (printer->tokenizer == NULL)
    {
      g_string_append_printf (bytes, answer->text->len > 0 ? " %u" : "%u", id);
      return;
    }
  g_autoptr (GBytes) before = attn_tokenizer_decode (printer->tokenizer, ids, 1, NULL);
  g_autoptr (GBytes) both = attn_tokenizer_decode (printer->tokenizer, ids, 2, NULL);
  if (before == NULL || both == NULL)
    return;
  gsize n_before = g_bytes_get_size (before);
  gsize n_both;
  const char *data = g_bytes_get_data (both, &n_both);
  if (n_both > n_before)
    g_string_append_len (bytes, data + n_before, (gssize) (n_both - n_before));
}

/* Moves all complete characters from the pending bytes to the text of the answer, or all bytes if
 * @takes_all. Returns: (transfer full): the characters moved */
static char *
take_characters (Answer   *answer,
                 gboolean  takes_all)
{
  g_autoptr (GString) taken = g_string_new (NULL);
  const char *from = answer->pending->str;
  const char *end = from + answer->pending->len;

  while (from < end)
    {
      gunichar c = g_utf8_get_char_validated (from, end - from);

      if (c == (gunichar) -2 && !takes_all)
        break;
      if (c == (gunichar) -2 || c == (gunichar) -1 || c == 0)
        {
          g_string_append (taken, REPLACEMENT);
          from++;
          continue;
        }
      g_string_append_unichar (taken, c);
      from = g_utf8_next_char (from);
    }
  g_string_erase (answer->pending, 0, from - answer->pending->str);
  g_string_append (answer->text, taken->str);
  return g_string_free (g_steal_pointer (&taken), FALSE);
}

/* Finds the first occurrence of any text of --stop. Returns its offset, or the length of the text
 * if there is none. */
static gsize
find_stop (const Printer *printer,
           const GString *text)
{
  gsize first = text->len;

  for (char **stop = printer->asked->stops; stop != NULL && *stop != NULL; stop++)
    {
      const char *found = strstr (text->str, *stop);

      if (found != NULL)
        first = MIN (first, (gsize) (found - text->str));
    }
  return first;
}

/* Returns the number of bytes at the end of the text that can be the beginning of a text of
 * --stop. */
static gsize
count_held (const Printer *printer,
            const GString *text)
{
  gsize held = 0;

  for (char **stop = printer->asked->stops; stop != NULL && *stop != NULL; stop++)
    for (gsize n = MIN (strlen (*stop) - 1, text->len); n > held; n--)
      if (memcmp (text->str + text->len - n, *stop, n) == 0)
        held = n;
  return held;
}

/* Prints the part of an answer that is new and cannot become part of a text of --stop. */
static void
print_text (const Printer *printer,
            Answer        *answer,
            gboolean       is_last)
{
  gsize end = find_stop (printer, answer->text);

  if (end == answer->text->len && !is_last)
    end -= count_held (printer, answer->text);
  if (end <= answer->n_printed)
    return;
  g_autofree char *part =
      g_strndup (answer->text->str + answer->n_printed, end - answer->n_printed);
  attn_cli_print (part);
  fflush (stdout);
  answer->n_printed = end;
}

static void
add_number (JsonBuilder *builder,
            const char  *name,
            double       number)
{
  json_builder_set_member_name (builder, name);
  if (isfinite (number))
    json_builder_add_double_value (builder, number);
  else
    json_builder_add_null_value (builder);
}

static void
print_json (const Printer       *printer,
            const AttnGenerated *token,
            const char          *text)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "answer");
  json_builder_add_string_value (builder, token->is_modified ? "modified" : "baseline");
  json_builder_set_member_name (builder, "number");
  json_builder_add_int_value (builder, (gint64) token->number);
  json_builder_set_member_name (builder, "id");
  json_builder_add_int_value (builder, token->id);
  json_builder_set_member_name (builder, "text");
  if (printer->tokenizer != NULL)
    json_builder_add_string_value (builder, text);
  else
    json_builder_add_null_value (builder);
  json_builder_set_member_name (builder, "end");
  json_builder_add_boolean_value (builder, token->is_end);
  add_number (builder, "probability", token->probability);
  add_number (builder, "entropy", token->entropy);
  add_number (builder, "kl", token->kl);
  json_builder_end_object (builder);

  g_autoptr (JsonNode) root = json_builder_get_root (builder);
  g_autofree char *json = json_to_string (root, FALSE);
  attn_cli_print_json (json);
  fflush (stdout);
}

static void
print_heading (const char *before,
               const char *text)
{
  g_autofree char *heading = g_strdup_printf ("%s%s\n", before, text);

  attn_cli_print (heading);
}

/* Erases the line of the progress before the first text is printed. */
static void
begin_text (Printer *printer)
{
  if (!printer->has_begun)
    attn_cli_end_progress ();
  printer->has_begun = TRUE;
}

static gboolean
print_token_cb (const AttnGenerated *token,
                gpointer             user_data)
{
  Printer *printer = user_data;
  Answer *answer = &printer->answers[token->is_modified];

  begin_text (printer);
  if (!token->is_end || printer->asked->wants_json)
    append_token (printer, token->id, answer);
  g_autofree char *text = take_characters (answer, FALSE);
  if (printer->asked->wants_json)
    print_json (printer, token, text);
  else if (!token->is_modified)
    {
      if (printer->has_both && token->number == 0)
        print_heading ("", _("Baseline:"));
      print_text (printer, answer, FALSE);
    }
  return find_stop (printer, answer->text) == answer->text->len && !ferror (stdout);
}

/* Prints the rest of the first answer, then the whole second answer. Both are generated at the same
 * time, but printed one after the other. */
static void
print_rest (Printer *printer)
{
  for (gsize i = 0; i < (printer->has_both ? 2 : 1); i++)
    {
      Answer *answer = &printer->answers[i];

      g_free (take_characters (answer, TRUE));
      if (i > 0)
        print_heading ("\n", _("Modified:"));
      print_text (printer, answer, TRUE);
      attn_cli_print ("\n");
    }
}

static gboolean
parse_size (const char  *option,
            const char  *text,
            gsize        maximum,
            gsize       *size,
            GError     **error)
{
  guint64 number;

  if (text == NULL)
    return TRUE;
  if (!g_ascii_string_to_unsigned (text, 10, 1, maximum, &number, NULL))
    {
      g_autofree char *display = g_filename_display_name (text);
      return attn_fail (error, ATTN_ERROR_ARGUMENT,
                        _("%s: “%s” found, expected a number from 1 to %zu"), option, display,
                        maximum);
    }
  *size = (gsize) number;
  return TRUE;
}

static gboolean
fail_value (const char  *option,
            const char  *text,
            const char  *expected,
            GError     **error)
{
  g_autofree char *display = g_filename_display_name (text);

  return attn_fail (error, ATTN_ERROR_ARGUMENT, _("%s: “%s” found, expected %s"), option, display,
                    expected);
}

/* Refuses the options of sampling if the most probable token is always taken, as they would change
 * nothing. */
static gboolean
check_drawn (const Asked  *asked,
             GError      **error)
{
  const struct
  {
    const char *option;
    const char *text;
  } others[] = { { "--top-k", asked->top_k },
                 { "--top-p", asked->top_p },
                 { "--seed", asked->seed } };

  for (gsize i = 0; i < G_N_ELEMENTS (others); i++)
    if (others[i].text != NULL)
      return attn_fail (error, ATTN_ERROR_ARGUMENT,
                        _("%s: no --temperature above 0 found, expected one, since the most "
                          "probable tokens are not sampled"),
                        others[i].option);
  return TRUE;
}

static gboolean
parse_sampling (const Asked   *asked,
                AttnSampling  *sampling,
                GError       **error)
{
  *sampling = (AttnSampling) { .top_p = 1.0 };
  if (asked->temperature != NULL &&
      (!attn_text_parse_number (asked->temperature, &sampling->temperature) ||
       !(sampling->temperature >= 0.0 && sampling->temperature <= 1e3)))
    return fail_value ("--temperature", asked->temperature, _("a number from 0 to 1000"), error);
  if (sampling->temperature == 0.0)
    return check_drawn (asked, error);
  if (asked->top_p != NULL && (!attn_text_parse_number (asked->top_p, &sampling->top_p) ||
                               !(sampling->top_p > 0.0 && sampling->top_p <= 1.0)))
    return fail_value ("--top-p", asked->top_p, _("a share above 0, up to 1"), error);
  if (asked->seed != NULL &&
      !g_ascii_string_to_unsigned (asked->seed, 10, 0, G_MAXUINT64, &sampling->seed, NULL))
    return fail_value ("--seed", asked->seed, _("a whole number from 0 to 18446744073709551615"),
                       error);
  return parse_size ("--top-k", asked->top_k, G_MAXINT32, &sampling->top_k, error);
}

static gboolean
check_stops (const Asked  *asked,
             GError      **error)
{
  for (char **stop = asked->stops; stop != NULL && *stop != NULL; stop++)
    {
      if (!attn_text_check_utf8 ("--stop", *stop, strlen (*stop), error))
        return FALSE;
      if (**stop == '\0')
        return fail_value ("--stop", *stop, _("a text"), error);
    }
  return TRUE;
}

/* Returns the index of the input to be continued: the first input from which no patch takes its
 * values. */
static guint
find_input (const AttnCliOptions *options)
{
  guint i = 0;

  while (i + 1 < options->asked->inputs->len && !attn_cli_inputs_is_written (options, i))
    i++;
  return i;
}

static void
print_difference (const AttnGenerationResult *result)
{
  g_autofree char *sentence =
      result->first_difference == G_MAXSIZE
          ? g_strdup_printf ("\n%s\n", _("Both answers are the same."))
          : g_strdup_printf (_("\nThe answers differ from token %zu on, counted from 0.\n"),
                             result->first_difference);

  attn_cli_print (sentence);
}

static void
note_positions (const AttnGenerationResult *result,
                const AttnModelInfo        *info,
                gboolean                    has_both)
{
  gboolean is_full = result->ends[0] == ATTN_ANSWER_END_POSITIONS;

  if (is_full || (has_both && result->ends[1] == ATTN_ANSWER_END_POSITIONS))
    attn_cli_note (_("the answer ends here, since the model has no more than %zu positions"),
                   info->n_positions);
}

/* Generates and prints the answers. After an interrupt or an error the incomplete answers are
 * printed. Returns: the exit status */
static int
run (AttnModel                   *model,
     const AttnTokenizer         *tokenizer,
     const AttnGenerationRequest *request,
     const Asked                 *asked)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  AttnCliInterrupt *interrupt = attn_cli_interrupt_new (cancellable);
  AttnGenerationResult result;
  g_auto (Printer) printer = {
    .asked = asked,
    .tokenizer = tokenizer,
    .last_id = request->ids[request->n_ids - 1],
    .has_both = request->changed != NULL ||
                (request->interventions != NULL && request->interventions->len > 0),
  };

  printer_init (&printer);
  gboolean is_done =
      attn_generation_run (model, request, print_token_cb, &printer, &result,
                           attn_cli_get_progress (), cancellable, &error);
  attn_cli_interrupt_free (interrupt);
  begin_text (&printer);
  if (!asked->wants_json && (is_done || result.n_tokens[0] > 0))
    print_rest (&printer);
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return ATTN_CLI_INTERRUPTED;
  if (!is_done)
    return attn_cli_fail (error);
  if (printer.has_both && !asked->wants_json)
    print_difference (&result);
  note_positions (&result, attn_model_get_info (model), printer.has_both);
  return ATTN_CLI_SUCCESS;
}

/* Finds the tokenizer of the model. *tokenizer is %NULL if the model has none: input and answers
 * are then token ids, and --stop is refused. */
static gboolean
find_tokenizer (const AttnModel      *model,
                const Asked          *asked,
                const AttnTokenizer **tokenizer,
                GError              **error)
{
  *tokenizer = NULL;
  if (attn_model_get_info (model)->has_tokenizer)
    {
      *tokenizer = attn_model_get_tokenizer (model, error);
      return *tokenizer != NULL;
    }
  return asked->stops == NULL ||
         attn_fail (error, ATTN_ERROR_ARGUMENT,
                    _("--stop: found with a model without a tokenizer, expected one"));
}

static int
generate (const AttnCliOptions *options,
          const Asked          *asked)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (GArray) ends = NULL;
  const AttnTokenizer *tokenizer;
  gsize n_most = DEFAULT_MAX_TOKENS;
  AttnSampling sampling;

  if (!parse_sampling (asked, &sampling, &error) ||
      !parse_size ("--max-tokens", asked->max_tokens, MAX_MAX_TOKENS, &n_most, &error) ||
      !check_stops (asked, &error) || !attn_cli_check_settings (NULL, options, &error) ||
      !attn_cli_check_inputs (&options->asked->model, options->asked->inputs, options, &error))
    return attn_cli_fail_usage ("%s", error->message);
  if (attn_cli_inputs_count (options) != 1)
    return attn_cli_fail_usage (_("generate: %zu inputs found, expected one --text or --ids"),
                                attn_cli_inputs_count (options));

  AttnModel *model = attn_workspace_open_model (workspace, &options->asked->model,
                                                options->asked->attention, &error);
  if (model == NULL || !find_tokenizer (model, asked, &tokenizer, &error))
    return attn_cli_fail (error);
  g_autoptr (GPtrArray) models = NULL;
  g_autoptr (GPtrArray) inputs =
      attn_cli_inputs_tokenize (options, model, -1, &models, &error);
  g_autoptr (AttnAnswerRules) rules =
      inputs != NULL ? attn_answer_rules_load (model, &error) : NULL;
  if (rules == NULL || !attn_model_list_end_tokens (model, &ends, &error) ||
      !attn_cli_options_check_head (options, FALSE, &error))
    return attn_cli_fail (error);
  g_autoptr (GPtrArray) interventions = attn_cli_options_build (options, NULL, NULL, NULL);
  attn_cli_inputs_bind_patches (inputs, models, interventions);

  guint input = find_input (options);
  g_auto (AttnSpeaker) speaker = { NULL };
  if (!attn_speaker_init (&speaker, models->pdata[input], options->asked->inputs->pdata[input],
                          input + 1, inputs->pdata[input], attn_study_get_framing (options->asked),
                          interventions, NULL, &error) ||
      !attn_speaker_begin (&speaker, options->asked->inputs->pdata[input], NULL, &error))
    return attn_cli_fail (error);
  g_autofree guint32 *ids = attn_tokens_dup_ids (speaker.tokens);
  const AttnGenerationRequest request = {
    .ids = ids,
    .n_ids = speaker.tokens->n_tokens,
    .interventions = speaker.interventions,
    .changed = speaker.changed,
    .sampling = sampling,
    .max_tokens = n_most,
    .ends = (const guint32 *) (gpointer) ends->data,
    .n_ends = ends->len,
    .rules = rules,
  };
  return run (speaker.model, tokenizer, &request, asked);
}

int
attn_cli_generate (int    argc,
                   char **argv)
{
  static const char * const shared[] = {
    "model", "adapter", "attention", "text", "text-file", "ids", "image", "pixels", "audio",
    "features", "target", "target-ids", "language", "task", "special-tokens", "chat", "mean",
    "scale", "zero", "patch", "cut", "axis", "site", "scope-layers", "scope-heads",
    "scope-tokens", "threads", NULL
  };
  g_auto (Asked) asked = { 0 };
  g_autoptr (AttnCliOptions) options = attn_cli_options_new ();
  const GOptionEntry own[] = {
    { "max-tokens", 0, 0, G_OPTION_ARG_FILENAME, &asked.max_tokens,
      N_("How many tokens an answer has at most; default 128"), "N" },
    { "temperature", 0, 0, G_OPTION_ARG_FILENAME, &asked.temperature,
      N_("Temperature at which tokens are sampled; default 0: the most probable token"),
      "T" },
    { "top-k", 0, 0, G_OPTION_ARG_FILENAME, &asked.top_k,
      N_("Sample from the K most probable tokens"), "K" },
    { "top-p", 0, 0, G_OPTION_ARG_FILENAME, &asked.top_p,
      N_("Sample from the fewest tokens whose probabilities are P together"), "P" },
    { "seed", 0, 0, G_OPTION_ARG_FILENAME, &asked.seed,
      N_("Seed of the sampling; default 0"), "S" },
    { "stop", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &asked.stops,
      N_("A text that ends an answer and is left out; repeatable"), "TEXT" },
    { "json", 0, 0, G_OPTION_ARG_NONE, &asked.wants_json,
      N_("A JSON object a token, each on a line as soon as it is there"), NULL },
    { NULL },
  };
  g_autoptr (GArray) entries = attn_cli_options_list_some (options, own, shared);
  const AttnCliSyntax syntax = {
    .subcommand = "generate",
    .operands = "",
    .summary = _("Continues a text, token by token, without and with an intervention."),
    .description = _(
        "With --mean, --scale, --zero, --patch or --cut there are two answers: the baseline’s and "
        "the modified one, both drawn with the same random numbers. They act on all layers unless "
        "--scope-layers says otherwise, on the text and on the answer; a mean over the tokens is "
        "that of the text, and for each token of the answer that of all up to it. An encoder’s "
        "decoder answers, after its start token or --target; --attention says which of their "
        "attentions is changed.\n\n"
        "An answer ends with a token that the checkpoint says ends a text, with a text of --stop, "
        "after --max-tokens, where the model has no more positions, and with Ctrl+C, which leaves "
        "what there is. Tokens that the checkpoint forces or bars (forced_bos_token_id, "
        "forced_eos_token_id, suppress_tokens, begin_suppress_tokens, bad_words_ids) are forced "
        "and barred. Of an object of --json, probability and entropy are of the model, whatever "
        "tokens are drawn from, and kl is in bits from the baseline, as long as both answers are "
        "the same."),
    .entries = (const GOptionEntry *) (gpointer) entries->data,
    .user_data = options,
  };
  g_auto (GStrv) operands = NULL;
  int status = attn_cli_parse (&syntax, argc, argv, &operands);

  return status == ATTN_CLI_CONTINUE ? generate (options, &asked) : status;
}
