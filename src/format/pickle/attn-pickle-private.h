/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The structure of a parsed pickle, which the machine that runs pickles fills. */

#pragma once

#include "attn-pickle.h"

G_BEGIN_DECLS

struct _AttnPickle
{
  GArray *values; /* of AttnPickleValue */
  AttnPickleId root;
};

G_END_DECLS
