/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the converter of llama.cpp does to layers of linear attention. */

#pragma once

#include <json-glib/json-glib.h>

#include "attn-array.h"

/* A tensor on its way into the file. */
typedef struct
{
  char *name;
  gsize n_rows; /* 1 for a vector */
  gsize n_columns;
  gboolean is_vector;
  gsize n_experts; /* whose rows are in it, 0 for a tensor without */
  float *data;
} Tensor;

gboolean gguf_add_delta     (JsonObject      *config,
                             const AttnArray *array,
                             GPtrArray       *tensors);
guint    gguf_count_deltas  (JsonObject      *config,
                             const char     **names,
                             gsize           *values);
