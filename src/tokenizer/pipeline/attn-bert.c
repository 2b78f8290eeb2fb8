/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-bert.h"

/* White_Space of Unicode's PropList.txt. */
static gboolean
is_white_space (gunichar character)
{
  switch (character)
    {
    case 0x20:
    case 0x85:
    case 0xA0:
    case 0x1680:
    case 0x2028:
    case 0x2029:
    case 0x202F:
    case 0x205F:
    case 0x3000:
      return TRUE;
    default:
      return (character >= 0x09 && character <= 0x0D) ||
             (character >= 0x2000 && character <= 0x200A);
    }
}

static gboolean
is_dropped (gunichar character)
{
  if (character == '\t' || character == '\n' || character == '\r')
    return FALSE;
  if (character == 0 || character == 0xFFFD)
    return TRUE;
  switch (g_unichar_type (character))
    {
    case G_UNICODE_CONTROL:
    case G_UNICODE_FORMAT:
    case G_UNICODE_PRIVATE_USE:
    case G_UNICODE_SURROGATE:
      return TRUE;
    default:
      return FALSE;
    }
}

/* The blocks of BERT's tokenization.py, with the gap that the tokenizers library left in them: what
 * checkpoints were trained with counts. */
static gboolean
is_chinese (gunichar character)
{
  static const struct
  {
    gunichar first;
    gunichar last;
  } blocks[] = {
    { 0x3400, 0x4DBF },
    { 0x4E00, 0x9FFF },
    { 0xF900, 0xFAFF },
    { 0x20000, 0x2A6DF },
    { 0x2A700, 0x2B73F },
    { 0x2B740, 0x2B81F },
    { 0x2B920, 0x2CEAF },
    { 0x2F800, 0x2FA1F },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (blocks); i++)
    if (character >= blocks[i].first && character <= blocks[i].last)
      return TRUE;
  return FALSE;
}

/**
 * attn_bert_clean:
 * @text: controls and characters that stand for nothing are taken out of it; white space of any
 *   kind becomes a space
 */
void
attn_bert_clean (AttnMappedText *text)
{
  AttnMappedText edited;

  attn_mapped_text_start_edit (&edited, text->length);
  for (gsize begin = 0, end; begin < text->length; begin = end)
    {
      gunichar character = g_utf8_get_char (text->text + begin);
      gsize origin_begin, origin_end;

      end = begin + g_utf8_skip[(guint8) text->text[begin]];
      if (is_dropped (character))
        continue;
      if (!is_white_space (character))
        {
          attn_mapped_text_append_copy (&edited, text, begin, end);
          continue;
        }
      attn_mapped_text_get_origin (text, begin, end, &origin_begin, &origin_end);
      attn_mapped_text_append (&edited, " ", 1, origin_begin, origin_end);
    }
  attn_mapped_text_finish_edit (text, &edited);
}

/**
 * attn_bert_space_chinese:
 * @text: spaces are put around each Chinese character
 */
void
attn_bert_space_chinese (AttnMappedText *text)
{
  AttnMappedText edited;

  attn_mapped_text_start_edit (&edited, text->length);
  for (gsize begin = 0, end; begin < text->length; begin = end)
    {
      gboolean is_word = is_chinese (g_utf8_get_char (text->text + begin));
      gsize origin_begin, origin_end;

      end = begin + g_utf8_skip[(guint8) text->text[begin]];
      attn_mapped_text_get_origin (text, begin, end, &origin_begin, &origin_end);
      if (is_word)
        attn_mapped_text_append (&edited, " ", 1, origin_begin, origin_begin);
      attn_mapped_text_append_copy (&edited, text, begin, end);
      if (is_word)
        attn_mapped_text_append (&edited, " ", 1, origin_end, origin_end);
    }
  attn_mapped_text_finish_edit (text, &edited);
}
