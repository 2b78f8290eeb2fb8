/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Removes the mnemonics of labels, for places where a mnemonic has no effect, such as a list, or
 * would activate another control. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Returns a label without the underscore of its mnemonic and without a letter behind the label,
 * "(_S)", which some languages use for it. Two underscores become one that is shown. */
static inline char *
attn_mnemonic_drop (const char *label)
{
  g_autoptr (GRegex) mnemonic =
      g_regex_new ("\\(_[^_]\\)|_(_?)", G_REGEX_DEFAULT, G_REGEX_MATCH_DEFAULT, NULL);

  return g_regex_replace (mnemonic, label, -1, 0, "\\1", G_REGEX_MATCH_DEFAULT, NULL);
}

G_END_DECLS
