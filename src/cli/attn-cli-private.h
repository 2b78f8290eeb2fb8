/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Functions that several subcommands of the command line use, and the subcommands themselves.
 * Private to src/cli. */

#pragma once

#include <gio/gio.h>

#include "attn-progress.h"
#include "attn-tokenizer.h"

G_BEGIN_DECLS

#define ATTN_CLI_SUCCESS 0
#define ATTN_CLI_FAILURE 1
#define ATTN_CLI_USAGE   2
/* Exit status after SIGINT, the same that a shell reports for a program that SIGINT has ended. */
#define ATTN_CLI_INTERRUPTED 130

/* Returned by attn_cli_parse() instead of an exit status if the subcommand is to be run. */
#define ATTN_CLI_CONTINUE (-1)

/**
 * AttnCliSyntax:
 * @subcommand: name of the subcommand, such as "render"
 * @operands: arguments other than options, as the help shows them, such as "MODEL TEXT"
 * @min_operands: least number of these arguments
 * @max_operands: largest number of these arguments
 * @summary: line of the help that says what the subcommand does, translated
 * @description: (nullable): text of the help after the list of options, translated
 * @entries: (array zero-terminated=1): the options except --help
 * @user_data: data for the callbacks of @entries
 */
typedef struct
{
  const char *subcommand;
  const char *operands;
  guint min_operands;
  guint max_operands;
  const char *summary;
  const char *description;
  const GOptionEntry *entries;
  gpointer user_data;
} AttnCliSyntax;

int      attn_cli_parse         (const AttnCliSyntax  *syntax,
                                 int                   argc,
                                 char                **argv,
                                 char               ***operands);
int      attn_cli_fail          (const GError         *error);
int      attn_cli_fail_missing  (const char           *path,
                                 const char           *expected);
int      attn_cli_fail_usage    (const char           *format,
                                 ...) G_GNUC_PRINTF (1, 2);
void     attn_cli_print         (const char           *text);
void     attn_cli_print_json    (const char           *json);
void     attn_cli_note          (const char           *format,
                                 ...) G_GNUC_PRINTF (1, 2);
void     attn_cli_note_dropped  (const AttnTokens     *tokens,
                                gsize                 number);

const AttnProgress *attn_cli_get_progress (void);
void                attn_cli_end_progress (void);

int      attn_cli_render        (int                   argc,
                                 char                **argv);
int      attn_cli_compute       (int                   argc,
                                 char                **argv);
int      attn_cli_generate      (int                   argc,
                                 char                **argv);
int      attn_cli_info          (int                   argc,
                                 char                **argv);
int      attn_cli_survey        (int                   argc,
                                 char                **argv);
int      attn_cli_probe         (int                   argc,
                                 char                **argv);
int      attn_cli_tokenize      (int                   argc,
                                 char                **argv);
int      attn_cli_presets       (int                   argc,
                                 char                **argv);

G_END_DECLS
