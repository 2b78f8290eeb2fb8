/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-cli.h"

#include <errno.h>
#include <glib/gi18n.h>
#include <stdio.h>
#include <string.h>

#include "attn-blas.h"
#include "attn-cli-private.h"
#include "attn-file.h"
#include "attn-threads.h"

typedef struct
{
  const char *name;
  const char *usage;
  const char *summary;
  int (*run) (int argc,
              char **argv);
} Subcommand;

static const Subcommand subcommands[] = {
  { "render", "PRESET|STUDY [options] -o FIGURE", N_("draw a figure"), attn_cli_render },
  { "compute", "[PRESET|STUDY] [options] -o ARRAY", N_("write attention weights as an array"),
    attn_cli_compute },
  { "generate", "--text TEXT [options] [--json]",
    N_("continue a text, with and without an intervention"), attn_cli_generate },
  { "info", "FILE|DIRECTORY [--json]", N_("say what a model or an array file holds"),
    attn_cli_info },
  { "tokenize", "MODEL TEXT [--json]", N_("show the tokens of a text"), attn_cli_tokenize },
  { "survey", "[STUDY] --texts FILE [options] -o FILE.npz",
    N_("count what the heads of a model do over many texts"), attn_cli_survey },
  { "probe", "--table ANSWERS.csv [options] -o FILE.npz",
    N_("find out which tokens tell right from wrong answers"), attn_cli_probe },
  { "presets", "", N_("list the figures that ship with the program"), attn_cli_presets },
};

static void
print_help (void)
{
  g_autoptr (GString) help = g_string_new (NULL);

  g_string_append_printf (help, _("Usage:\n  attention-grid [FILE…]  %s\n"),
                          _("open the window on a model, a study or an array"));
  for (gsize i = 0; i < G_N_ELEMENTS (subcommands); i++)
    g_string_append_printf (help, "  attention-grid %s%s%s\n", subcommands[i].name,
                            subcommands[i].usage[0] != '\0' ? " " : "", subcommands[i].usage);
  g_string_append (help, "  attention-grid --version | --help | SUBCOMMAND --help\n");
  g_string_append_printf (help, "\n%s\n", _("Subcommands:"));
  for (gsize i = 0; i < G_N_ELEMENTS (subcommands); i++)
    g_string_append_printf (help, "  %-10s %s\n", subcommands[i].name, _(subcommands[i].summary));
  attn_cli_print (help->str);
}

static const Subcommand *
find_subcommand (const char *word)
{
  for (gsize i = 0; i < G_N_ELEMENTS (subcommands); i++)
    if (g_str_equal (subcommands[i].name, word))
      return &subcommands[i];
  return NULL;
}

static gboolean
is_help (const char *word)
{
  return g_str_equal (word, "--help") || g_str_equal (word, "-h");
}

/**
 * attn_cli_handles:
 * @argc: number of words in @argv
 * @argv: words of the command line, as main() got them
 *
 * Returns: whether the command line begins with a subcommand, --help or --version, so that no
 *   window is needed
 */
gboolean
attn_cli_handles (int    argc,
                  char **argv)
{
  return argc > 1 && (find_subcommand (argv[1]) != NULL || is_help (argv[1]) ||
                      g_str_equal (argv[1], "--version"));
}

static void
print_version (void)
{
  g_autofree char *text = g_strdup_printf ("attention-grid " ATTN_VERSION "\n%s, %u threads\n",
                                           attn_blas_get_config (), attn_threads_get ());

  attn_cli_print (text);
}

/* Flushes standard output and reports an error of writing, such as a full disk, which may only show
 * at the flush. */
static int
flush_output (int status)
{
  if (fflush (stdout) == 0 && !ferror (stdout))
    return status;

  g_autoptr (GError) error = g_error_new (G_FILE_ERROR, g_file_error_from_errno (errno),
                                          _("standard output: %s"), g_strerror (errno));
  return attn_cli_fail (error);
}

/**
 * attn_cli_run:
 * @argc: number of words in @argv
 * @argv: words of the command line, for which attn_cli_handles() returned %TRUE
 *
 * Returns: the exit status: 0, 1 for a failure, 2 for wrong usage, 130 if SIGINT ended it
 */
int
attn_cli_run (int    argc,
              char **argv)
{
  const Subcommand *subcommand = find_subcommand (argv[1]);

  if (subcommand != NULL)
    {
      /* All files that the subcommand reads are listed, so that it refuses to write to them. */
      g_autoptr (AttnFileList) files = attn_file_list_new ();

      attn_file_list_begin (files);
      int status = subcommand->run (argc - 1, argv + 1);
      attn_file_list_end (files);
      return flush_output (status);
    }
  if (argc > 2)
    return attn_cli_fail_usage (_("%s: “%s” found, expected nothing after it"), argv[1], argv[2]);
  if (is_help (argv[1]))
    print_help ();
  else
    print_version ();
  return flush_output (ATTN_CLI_SUCCESS);
}
