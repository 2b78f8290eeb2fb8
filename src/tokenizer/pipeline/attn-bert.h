/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What BERT's normalizer does to characters. */

#pragma once

#include "attn-mapped-text.h"

G_BEGIN_DECLS

void attn_bert_clean         (AttnMappedText *text);
void attn_bert_space_chinese (AttnMappedText *text);

G_END_DECLS
