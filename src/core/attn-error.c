/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-error.h"

G_DEFINE_QUARK (attn-error-quark, attn_error)
