/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The readers of files that come from elsewhere, each as a function of bytes. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  const char *name;                  /* of the target, and of the folder of its corpus */
  void (*run) (const guint8 *data,   /* what the file holds */
               gsize         size);
} FuzzTarget;

const FuzzTarget *fuzz_find_target (const char *name);
char             *fuzz_write_file  (const char *name,
                                    const void *data,
                                    gsize       size);
char             *fuzz_dup_model_path (void);

void fuzz_run_checkpoint (const guint8 *data,
                          gsize         size);
void fuzz_run_adapter    (const guint8 *data,
                          gsize         size);
void fuzz_run_tokenizer_config    (const guint8 *data,
                                   gsize         size);
void fuzz_run_generation_config   (const guint8 *data,
                                   gsize         size);
void fuzz_run_preprocessor_config (const guint8 *data,
                                   gsize         size);
void fuzz_run_groups              (const guint8 *data,
                                   gsize         size);
void fuzz_run_ollama_manifest     (const guint8 *data,
                                   gsize         size);

G_END_DECLS
