/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Labels without their mnemonics, where there is none or it would be that of another control. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Removes the underscore of a mnemonic from a label and, where a language puts the letter behind
 * the label, "(_S)", that, too. Two underscores are one that is meant. */
static inline char *
attn_mnemonic_drop (const char *label)
{
  g_autoptr (GRegex) mnemonic =
      g_regex_new ("\\(_[^_]\\)|_(_?)", G_REGEX_DEFAULT, G_REGEX_MATCH_DEFAULT, NULL);

  return g_regex_replace (mnemonic, label, -1, 0, "\\1", G_REGEX_MATCH_DEFAULT, NULL);
}

G_END_DECLS
