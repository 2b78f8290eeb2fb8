/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A text that maps each of its bytes to its position in the original text, before it was edited. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * AttnMappedText:
 * @text: valid UTF-8, not terminated
 * @length: bytes of @text
 *
 * A text that a normalizer or a pre-tokenizer edits. While nothing has been edited it borrows the
 * original text and takes no memory; afterwards each byte of it takes %ATTN_MAPPED_TEXT_BYTES.
 */
typedef struct
{
  const char *text;
  gsize length;

  /*< private >*/
  gsize origin;          /* position of the first byte in the original text, while the text is
                          * unedited */
  const guint32 *begins; /* [length]: position in the original text at which each byte begins; NULL
                          * while unedited */
  const guint32 *ends;   /* [length]: position in the original text at which each byte ends */
  GString *own_text;     /* storage of the three members above, unless the text is a slice */
  GArray *own_begins;
  GArray *own_ends;
} AttnMappedText;

/* The largest length of a text, in bytes. Positions in the original text are stored in 32 bits, and
 * GRegex uses int. */
#define ATTN_MAPPED_TEXT_MAX_LENGTH ((gsize) G_MAXINT32)

#define ATTN_MAPPED_TEXT_BYTES (1 + 2 * sizeof (guint32))

void attn_mapped_text_init        (AttnMappedText        *text,
                                   const char            *bytes,
                                   gsize                  length,
                                   gsize                  origin);
void attn_mapped_text_init_slice  (AttnMappedText        *slice,
                                   const AttnMappedText  *text,
                                   gsize                  begin,
                                   gsize                  end);
void attn_mapped_text_clear       (AttnMappedText        *text);
void attn_mapped_text_get_origin  (const AttnMappedText  *text,
                                   gsize                  begin,
                                   gsize                  end,
                                   gsize                 *origin_begin,
                                   gsize                 *origin_end);
void attn_mapped_text_start_edit  (AttnMappedText        *edited,
                                   gsize                  n_expected);
void attn_mapped_text_append      (AttnMappedText        *edited,
                                   const char            *bytes,
                                   gsize                  n_bytes,
                                   gsize                  origin_begin,
                                   gsize                  origin_end);
void attn_mapped_text_append_copy (AttnMappedText        *edited,
                                   const AttnMappedText  *source,
                                   gsize                  begin,
                                   gsize                  end);
void attn_mapped_text_replace     (AttnMappedText        *edited,
                                   const AttnMappedText  *source,
                                   gsize                  begin,
                                   gsize                  end,
                                   const char            *replacement,
                                   gsize                  length);
void attn_mapped_text_insert      (AttnMappedText        *edited,
                                   const AttnMappedText  *source,
                                   gsize                  position,
                                   const char            *text);
void attn_mapped_text_finish_edit (AttnMappedText        *text,
                                   AttnMappedText        *edited);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AttnMappedText, attn_mapped_text_clear)

G_END_DECLS
