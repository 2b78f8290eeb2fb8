/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Functions shared by the files that read a configuration. The first error is kept in @json. */

#pragma once

#include "attn-config.h"

G_BEGIN_DECLS

/* The largest sizes that are accepted, far above any model's. The product of two widths and the
 * size of a float fits a gsize, and 4 MAX_WIDTH an int. */
#define MAX_LAYERS     65536
#define MAX_WIDTH      (1 << 24)
#define MAX_POSITIONS  (1 << 28)
#define MAX_VOCABULARY (1 << 28)
#define MAX_EXPERTS    16384

/* The prefix that an activation's name has in T5's configurations if the feed-forward layers have a
 * gate: "gated-gelu". */
#define ATTN_CONFIG_GATED "gated-"

/* Sets of roles (kinds of tensors) of a layer that a configuration switches on or off together, or
 * whose biases it switches together. */
#define ATTN_ATTENTION_ROLES                                          \
  (ATTN_ROLE_BIT (ATTN_ROLE_QKV) | ATTN_ROLE_BIT (ATTN_ROLE_QUERY) |  \
   ATTN_ROLE_BIT (ATTN_ROLE_KEY) | ATTN_ROLE_BIT (ATTN_ROLE_VALUE) |  \
   ATTN_ROLE_BIT (ATTN_ROLE_OUTPUT) | ATTN_ROLE_BIT (ATTN_ROLE_Q_A) | \
   ATTN_ROLE_BIT (ATTN_ROLE_KV_A) | ATTN_ROLE_BIT (ATTN_ROLE_K_ROPE))
#define ATTN_MLP_ROLES                                             \
  (ATTN_ROLE_BIT (ATTN_ROLE_GATE) | ATTN_ROLE_BIT (ATTN_ROLE_UP) | \
   ATTN_ROLE_BIT (ATTN_ROLE_DOWN))
#define ATTN_QUERY_KEY_NORMS \
  (ATTN_ROLE_BIT (ATTN_ROLE_QUERY_NORM) | ATTN_ROLE_BIT (ATTN_ROLE_KEY_NORM))
#define ATTN_LAYER_VECTORS                                                              \
  (ATTN_ROLE_BIT (ATTN_ROLE_LAYER_INPUT) | ATTN_ROLE_BIT (ATTN_ROLE_LAYER_INPUT_NORM) | \
   ATTN_ROLE_BIT (ATTN_ROLE_LAYER_GATE) |                                               \
   ATTN_ROLE_BIT (ATTN_ROLE_LAYER_OUTPUT) | ATTN_ROLE_BIT (ATTN_ROLE_LAYER_OUTPUT_NORM))

void        attn_config_set_slot    (AttnConfig  *config,
                                     AttnRole     role,
                                     AttnSlot     slot,
                                     gboolean     is_there);
void        attn_config_drop_role   (AttnConfig  *config,
                                     AttnRole     role);
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
char       *attn_config_dup_name    (const AttnConfig *config,
                                     AttnRole         role,
                                     AttnSlot         slot,
                                     gsize            layer);
AttnActivation attn_config_find_activation (AttnJsonReader *json,
                                     const char      *member,
                                     const char      *name);
void        attn_config_read_activation (AttnJsonReader *json,
                                     AttnConfig      *config);
void        attn_config_expect      (AttnJsonReader  *json,
                                     const char      *member,
                                     gboolean         expected);
void        attn_config_read_roles  (AttnJsonReader  *json,
                                     AttnConfig      *config);
void        attn_config_check_unsupported (AttnJsonReader *json,
                                     AttnConfig      *config);
void        attn_config_read_windows (AttnJsonReader *json,
                                     AttnConfig      *config);
void        attn_config_read_globals (AttnJsonReader *json,
                                     AttnConfig      *config);
void        attn_config_read_layer_ropes (AttnJsonReader *json,
                                     AttnConfig      *config);
void        attn_config_choose_positions (AttnJsonReader *json,
                                     AttnConfig      *config);
void        attn_config_read_residues (AttnJsonReader *json,
                                     AttnConfig      *config);
void        attn_config_read_pictures (AttnJsonReader *json,
                                     AttnConfig      *config);
void        attn_config_read_sight (AttnJsonReader  *json,
                                     JsonObject      *root,
                                     AttnConfig      *config);
void        attn_config_read_sounds (AttnJsonReader *json,
                                     AttnConfig      *config);
void        attn_config_read_rope   (AttnJsonReader  *json,
                                     AttnConfig      *config);

G_END_DECLS
