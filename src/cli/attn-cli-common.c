/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Prints messages and returns exit statuses for all subcommands, and parses their options. */

#include "config.h"

#include "attn-cli-private.h"

#include <errno.h>
#include <glib/gi18n.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "attn-error.h"
#include "attn-file.h"
#include "attn-text.h"

/**
 * attn_cli_print:
 * @text: lines for the user in UTF-8
 *
 * Prints on standard output, in UTF-8 whatever the locale: g_print() would replace characters that
 * a C locale cannot show.
 */
void
attn_cli_print (const char *text)
{
  g_autofree char *shown = attn_text_show_controls (text, "\n\t");

  fputs (shown, stdout);
}

/**
 * attn_cli_print_json:
 * @json: a line of JSON
 *
 * Prints JSON on standard output. Control characters that JSON allows become \uXXXX, so that they
 * do not act on a terminal.
 */
void
attn_cli_print_json (const char *json)
{
  g_autoptr (GString) escaped = g_string_new (NULL);

  for (const char *p = json; *p != '\0'; p = g_utf8_next_char (p))
    {
      gunichar c = g_utf8_get_char (p);

      if (c >= 0x7f && c < 0xa0)
        g_string_append_printf (escaped, "\\u%04x", c);
      else
        g_string_append_unichar (escaped, c);
    }
  fprintf (stdout, "%s\n", escaped->str);
}

/**
 * attn_cli_note:
 * @format: one sentence, with arguments as for printf()
 *
 * Prints a message on standard error.
 */
void
attn_cli_note (const char *format,
                           ...)
{
  va_list args;

  va_start (args, format);
  g_autofree char *message = g_strdup_vprintf (format, args);
  va_end (args);
  /* The message can contain any bytes, such as those of file names. It is printed as valid UTF-8,
   * with control characters made visible. */
  g_autofree char *valid = g_utf8_make_valid (message, -1);
  g_autofree char *shown = attn_text_show_controls (valid, "");

  fprintf (stderr, "attention-grid: %s\n", shown);
}

/**
 * attn_cli_note_dropped:
 * @tokens: tokens of an input
 * @number: number of that input, from 1
 *
 * Prints on standard error how many characters of the input were left out because no token stands
 * for them, if there are any.
 */
void
attn_cli_note_dropped (const AttnTokens *tokens,
                       gsize             number)
{
  if (tokens->n_dropped > 0)
    attn_cli_note (_("input %zu: %zu characters or bytes found that the vocabulary has no token "
                     "for, left out; the first at byte %zu"),
                   number, tokens->n_dropped, tokens->first_dropped);
}

/**
 * attn_cli_fail:
 * @error: the error, with a message for the user
 *
 * Prints the message on standard error.
 *
 * Returns: the exit status of a failure
 */
int
attn_cli_fail (const GError *error)
{
  attn_cli_note ("%s", error->message);
  return ATTN_CLI_FAILURE;
}

/**
 * attn_cli_fail_missing:
 * @path: path of a file that does not exist, or is something else than expected
 * @expected: what should be there, such as "a checkpoint", translated
 *
 * Returns: the exit status of a failure
 */
int
attn_cli_fail_missing (const char *path,
                       const char *expected)
{
  g_autofree char *display = g_filename_display_name (path);

  attn_cli_note (g_file_test (path, G_FILE_TEST_EXISTS)
                     ? _("%s: something else found, expected %s")
                     : _("%s: no such file or directory found, expected %s"),
                 display, expected);
  return ATTN_CLI_FAILURE;
}

/**
 * attn_cli_fail_usage:
 *
 * Prints a message about a wrong command line on standard error. The arguments are as for printf().
 *
 * Returns: the exit status of wrong usage
 */
int
attn_cli_fail_usage (const char *format,
                                 ...)
{
  va_list args;

  va_start (args, format);
  g_autofree char *message = g_strdup_vprintf (format, args);
  va_end (args);
  attn_cli_note ("%s", message);
  return ATTN_CLI_USAGE;
}

static int
fail_option (const AttnCliSyntax *syntax,
             const GError        *error)
{
  if (error->domain == G_OPTION_ERROR)
    return attn_cli_fail_usage (_("%s: %s, expected options as in “attention-grid %s --help”"),
                                syntax->subcommand, error->message, syntax->subcommand);
  /* An invalid value is wrong usage, exit status 2; a file that cannot be read is a failure, exit
   * status 1. */
  if (g_error_matches (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT))
    return attn_cli_fail_usage ("%s", error->message);
  return attn_cli_fail (error);
}

static int
check_operands (const AttnCliSyntax  *syntax,
                char                **operands)
{
  guint n = operands != NULL ? g_strv_length (operands) : 0;

  if (n < syntax->min_operands)
    return attn_cli_fail_usage (_("%s: too few arguments found, expected %s"), syntax->subcommand,
                                syntax->operands);
  if (n > syntax->max_operands)
    return attn_cli_fail_usage (_("%s: “%s” found, expected nothing after %s"), syntax->subcommand,
                                operands[syntax->max_operands],
                                syntax->max_operands > 0 ? syntax->operands : syntax->subcommand);
  return ATTN_CLI_CONTINUE;
}

/**
 * attn_cli_parse:
 * @syntax: options and operands of the subcommand
 * @argc: number of words in @argv
 * @argv: the subcommand and the words that follow it
 * @operands: (out) (transfer full) (nullable) (array zero-terminated=1): words that are no options;
 *   %NULL if there are none
 *
 * Returns: %ATTN_CLI_CONTINUE; or an exit status, if help or an error message was printed
 */
int
attn_cli_parse (const AttnCliSyntax   *syntax,
                int                    argc,
                char                 **argv,
                char                ***operands)
{
  g_auto (GStrv) remaining = NULL;
  gboolean wants_help = FALSE;
  const GOptionEntry common[] = {
    { "help", 'h', 0, G_OPTION_ARG_NONE, &wants_help, N_("Show this help"), NULL },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &remaining, NULL, NULL },
    { NULL },
  };
  g_autoptr (GError) error = NULL;
  g_autoptr (GOptionContext) context = g_option_context_new (syntax->operands);
  GOptionGroup *group = g_option_group_new (NULL, NULL, NULL, syntax->user_data, NULL);
  g_auto (GStrv) words = g_strdupv (argv);

  g_option_group_set_translation_domain (group, GETTEXT_PACKAGE);
  g_option_group_add_entries (group, syntax->entries);
  g_option_group_add_entries (group, common);
  g_option_context_set_main_group (context, group);
  g_option_context_set_help_enabled (context, FALSE); /* GLib's help ends the program */
  g_option_context_set_summary (context, syntax->summary);
  g_option_context_set_description (context, syntax->description);

  if (!g_option_context_parse_strv (context, &words, &error))
    return fail_option (syntax, error);
  if (wants_help)
    {
      /* GLib begins the help with the name of the program, so that the subcommand is added to the
       * name. */
      g_autofree char *name = g_strdup_printf ("attention-grid %s", syntax->subcommand);
      g_set_prgname (name);
      g_autofree char *help = g_option_context_get_help (context, TRUE, NULL);
      attn_cli_print (help);
      return ATTN_CLI_SUCCESS;
    }

  int status = check_operands (syntax, remaining);
  *operands = g_steal_pointer (&remaining);
  return status;
}

static void
print_progress (const char *stage,
                double      fraction,
                gpointer    user_data)
{
  g_autofree char *shown = attn_text_show_controls (stage, "");

  fprintf (stderr, "\r%3.0f %%  %s\033[K", 100.0 * fraction, shown);
}

/**
 * attn_cli_get_progress:
 *
 * Returns: (transfer none) (nullable): a callback that prints the progress on one line of standard
 *   error; %NULL if standard error is no terminal
 */
const AttnProgress *
attn_cli_get_progress (void)
{
  static const AttnProgress progress = { print_progress, NULL };

  return isatty (STDERR_FILENO) ? &progress : NULL;
}

/**
 * attn_cli_end_progress:
 *
 * Erases the line of [func@attn_cli_get_progress] from the terminal.
 */
void
attn_cli_end_progress (void)
{
  if (attn_cli_get_progress () != NULL)
    fputs ("\r\033[K", stderr);
}
