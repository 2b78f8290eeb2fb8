/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads the sequences of proteins of a FASTA file (Pearson and Lipman 1988) one by one. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The most residues (letters) of a sequence, far more than any protein has. */
#define ATTN_FASTA_MAX_RESIDUES (1 << 20)

/**
 * AttnFasta:
 * @where: the name of the file in messages; it must live longer than the reader, as the text must
 * @next: the text that has not been read
 * @end: the end of the text
 * @line: number of the line before @next, counted from 1; 0 before the first line
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
