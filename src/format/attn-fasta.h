/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads the sequences of a FASTA file (Pearson and Lipman 1988) one by one. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The most residues of a sequence, far more than any protein has. */
#define ATTN_FASTA_MAX_RESIDUES (1 << 20)

/**
 * AttnFasta:
 * @where: what messages call the file; outlives it, as the text does
 * @next: behind what was read
 * @line: number of the line before it, counted from 1; 0 in front of the first
 */
typedef struct
{
  const char *where;
  const char *next;
  const char *end;
  gsize line;
} AttnFasta;

gboolean  attn_fasta_is_file   (const char  *path);
gboolean  attn_fasta_recognise (const char  *path,
                                const char  *text,
                                gsize        length);
AttnFasta attn_fasta_begin     (const char  *where,
                                const char  *text,
                                gsize        length);
gboolean  attn_fasta_next      (AttnFasta   *fasta,
                                char       **sequence,
                                GError     **error);

G_END_DECLS
