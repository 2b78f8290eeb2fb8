/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The files of tests/fuzz/corpus, a folder a target. */

#pragma once

#include "fuzz-targets.h"

G_BEGIN_DECLS

/**
 * FuzzFile:
 * @data: exactly as long as the file, so that a sanitizer sees what is read behind it
 */
typedef struct
{
  char *name;
  guint8 *data;
  gsize size;
} FuzzFile;

GPtrArray *fuzz_load_corpus   (const FuzzTarget *target);
int        fuzz_run_on_corpus (int              *argc,
                               char           ***argv,
                               const char       *prefix,
                               GTestDataFunc     test);

G_END_DECLS
