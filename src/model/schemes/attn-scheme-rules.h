/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Rules for single modules of a quantized model: a configuration names modules
 * (“model.layers.0.mlp.up_proj”), whole or by a regular expression, and says how their matrices are
 * stored. */

#pragma once

#include "attn-schemes.h"

G_BEGIN_DECLS

AttnSchemeRules *attn_scheme_rules_new         (const char              *where);
void             attn_scheme_rules_add_name    (AttnSchemeRules         *rules,
                                                const char              *module,
                                                const AttnQuantization  *own);
void             attn_scheme_rules_add_pattern (AttnSchemeRules         *rules,
                                                const char              *pattern,
                                                const AttnQuantization  *own,
                                                AttnJsonReader          *json);
void             attn_scheme_rules_end         (AttnSchemeRules         *rules);
gboolean         attn_scheme_rules_choose      (const AttnQuantization  *quantization,
                                                const char              *module,
                                                const AttnQuantization **own,
                                                GError                 **error);

G_END_DECLS
