/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Members of a pickle's values that are filled by the machine. */

#pragma once

#include "attn-pickle.h"

G_BEGIN_DECLS

struct _AttnPickle
{
  GArray *values; /* of AttnPickleValue */
  AttnPickleId root;
};

G_END_DECLS
