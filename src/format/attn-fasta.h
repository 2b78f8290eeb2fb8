/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Sequences of a FASTA file (Pearson and Lipman 1988), one after the other. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Far more residues than a protein has, and what a sequence that is read may take. */
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
