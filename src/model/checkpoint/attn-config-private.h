/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Functions of the files that read a configuration. */

#pragma once

#include "attn-config.h"

G_BEGIN_DECLS

/* Far above every model there is, and small enough that a product of two of them times the size of
 * a float fits a gsize, and 4 MAX_WIDTH an int. */
#define MAX_LAYERS     65536
#define MAX_WIDTH      (1 << 24)
#define MAX_POSITIONS  (1 << 28)
#define MAX_VOCABULARY (1 << 28)
#define MAX_EXPERTS    16384

/* The roles that a family or its configuration has or has not together. */
#define ATTN_ATTENTION_BIASES                                                \
  (ATTN_ROLE_BIT (ATTN_ROLE_QKV_BIAS) | ATTN_ROLE_BIT (ATTN_ROLE_QUERY_BIAS) | \
   ATTN_ROLE_BIT (ATTN_ROLE_KEY_BIAS) | ATTN_ROLE_BIT (ATTN_ROLE_VALUE_BIAS) | \
   ATTN_ROLE_BIT (ATTN_ROLE_OUTPUT_BIAS) | ATTN_ROLE_BIT (ATTN_ROLE_QUERY_DOWN_BIAS) | \
   ATTN_ROLE_BIT (ATTN_ROLE_KEY_DOWN_BIAS) | ATTN_ROLE_BIT (ATTN_ROLE_KEY_TURNED_BIAS))
#define ATTN_INNER_BIASES                                                    \
  (ATTN_ROLE_BIT (ATTN_ROLE_GATE_BIAS) | ATTN_ROLE_BIT (ATTN_ROLE_UP_BIAS) | \
   ATTN_ROLE_BIT (ATTN_ROLE_DOWN_BIAS))
#define ATTN_QUERY_KEY_NORMS                                                                  \
  (ATTN_ROLE_BIT (ATTN_ROLE_QUERY_NORM_SCALE) | ATTN_ROLE_BIT (ATTN_ROLE_QUERY_NORM_BIAS) | \
   ATTN_ROLE_BIT (ATTN_ROLE_KEY_NORM_SCALE) | ATTN_ROLE_BIT (ATTN_ROLE_KEY_NORM_BIAS))
#define ATTN_LAYER_VECTORS                                                                      \
  (ATTN_ROLE_BIT (ATTN_ROLE_LAYER_EMBEDDING) | ATTN_ROLE_BIT (ATTN_ROLE_LAYER_INPUT) |          \
   ATTN_ROLE_BIT (ATTN_ROLE_LAYER_INPUT_NORM_SCALE) | ATTN_ROLE_BIT (ATTN_ROLE_LAYER_GATE) |    \
   ATTN_ROLE_BIT (ATTN_ROLE_LAYER_OUTPUT) | ATTN_ROLE_BIT (ATTN_ROLE_LAYER_OUTPUT_NORM_SCALE))

gboolean    attn_config_has_value   (JsonObject  *object,
                                     const char  *name);
gboolean    attn_config_is_null     (JsonObject  *object,
                                     const char  *name);
const char *attn_config_find_alias  (JsonObject  *object,
                                     const char  *names);
double      attn_config_read_number (AttnJsonReader  *json,
                                     const char      *member,
                                     double           minimum,
                                     double           maximum,
                                     double           fallback);
void        attn_config_read_windows (AttnJsonReader *json,
                                     AttnConfig      *config);
void        attn_config_read_globals (AttnJsonReader *json,
                                     AttnConfig      *config);
void        attn_config_read_layer_ropes (AttnJsonReader *json,
                                     AttnConfig      *config);
void        attn_config_read_rope   (AttnJsonReader  *json,
                                     AttnConfig      *config);

G_END_DECLS
