/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The command line: all subcommands that need no display, and the command line for a study. */

#pragma once

#include "attn-study.h"

G_BEGIN_DECLS

gboolean attn_cli_handles (int          argc,
                           char       **argv);
int      attn_cli_run     (int          argc,
                           char       **argv);

char    *attn_cli_print_command (const AttnStudy *study);

G_END_DECLS
