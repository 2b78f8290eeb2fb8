/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Finds models that other programs have stored on this computer. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Largest number of models listed for one program. */
#define ATTN_FOUND_MODELS_MAX 50

/**
 * AttnFoundModel:
 * @program: name of the program whose folder contains the model, such as "Ollama"; not translated
 * @name: name of the model, such as "Qwen/Qwen3-0.6B"
 * @path: (type filename): path of the file or directory to open
 */
typedef struct
{
  const char *program;
  char *name;
  char *path;
} AttnFoundModel;

GPtrArray *attn_found_models_list (void);
gboolean attn_found_models_equal (const GPtrArray *a,
                                  const GPtrArray *b);
GStrv attn_found_models_list_folders (void);

G_END_DECLS
