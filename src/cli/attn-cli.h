/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The command line: every subcommand that needs no display. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

gboolean attn_cli_handles (int          argc,
                           char       **argv);
int      attn_cli_run     (int          argc,
                           char       **argv);

G_END_DECLS
