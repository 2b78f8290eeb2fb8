/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The rows of the table of families, each list up to one without a name.
 *
 * Tensor names are those of the Hugging Face checkpoints, without ".weight" and ".bias": "*" stands
 * for a bias beside the weight or scale, "!" for a name that ends there. Sizes are those of
 * AttnFamilySizes. */

#pragma once

#include "attn-family.h"

G_BEGIN_DECLS

extern const AttnFamily attn_families_gated[];
extern const AttnFamily attn_families_plain[];
extern const AttnFamily attn_families_encoders[];

G_END_DECLS
