/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Modules that a configuration names, by name or by regular expression, with the settings for their
 * matrices. */

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
