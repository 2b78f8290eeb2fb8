/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The command line: runs the subcommands, which need no display, and prints the command line that
 * draws a given study. */

#pragma once

#include "attn-study.h"

G_BEGIN_DECLS

gboolean attn_cli_handles (int          argc,
                           char       **argv);
int      attn_cli_run     (int          argc,
                           char       **argv);

char    *attn_cli_print_command    (const AttnStudy *study);
char    *attn_cli_print_command_to (const AttnStudy *study,
                                    const char      *file);

G_END_DECLS
