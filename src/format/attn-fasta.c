/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-fasta.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-error.h"
#include "attn-text.h"

/* The most bytes of a line of the file that a message shows. */
#define MAX_SHOWN 32

/**
 * attn_fasta_is_file:
 *
 * Returns: whether the path has a suffix of FASTA files: .fasta, .fa or .faa
 */
gboolean
attn_fasta_is_file (const char *path)
{
  return attn_text_has_suffix (path, ".fasta") || attn_text_has_suffix (path, ".fa") ||
         attn_text_has_suffix (path, ".faa");
}

/**
 * attn_fasta_begin:
 * @where: the name of the file in messages
 * @text: (array length=length): its content, without a byte order mark; any bytes
 *
 * Returns: a reader that stands before the first sequence
 */
AttnFasta
attn_fasta_begin (const char *where,
                  const char *text,
                  gsize       length)
{
  return (AttnFasta) { where, text, text + length, 0 };
}

/* Reads the next line of the file. @line: (out): the line, without its line break, of @length
 * bytes */
static void
next_line (AttnFasta   *fasta,
           const char **line,
           gsize       *length)
{
  const char *newline = memchr (fasta->next, '\n', (gsize) (fasta->end - fasta->next));
  const char *end = newline != NULL ? newline : fasta->end;

  *line = fasta->next;
  fasta->next = newline != NULL ? newline + 1 : fasta->end;
  fasta->line++;
  if (end > *line && end[-1] == '\r')
    end--;
  *length = (gsize) (end - *line);
}

static gboolean
fail_line (const AttnFasta  *fasta,
           const char       *message,
           const char       *line,
           gsize             length,
           GError          **error)
{
  g_autofree char *valid = g_utf8_make_valid (line, (gssize) MIN (length, MAX_SHOWN));
  g_autofree char *shown = attn_text_show_controls (valid, "");

  return attn_fail (error, ATTN_ERROR_FORMAT, message, fasta->where, fasta->line, shown);
}

/* Tells whether a line is to be ignored: it is blank, or a comment, which in old files begins with
 * a semicolon. */
static gboolean
is_idle (const char *line,
         gsize       length)
{
  for (gsize i = 0; i < length && line[0] != ';'; i++)
    if (!g_ascii_isspace (line[i]))
      return FALSE;
  return TRUE;
}

static gboolean
read_header (AttnFasta  *fasta,
             GError    **error)
{
  while (fasta->next < fasta->end)
    {
      const char *line;
      gsize length;

      next_line (fasta, &line, &length);
      if (is_idle (line, length))
        continue;
      if (line[0] == '>')
        return TRUE;
      return fail_line (fasta,
                        _("%s: line %zu: “%s” found, expected a header of FASTA, which begins "
                          "with >"),
                        line, length, error);
    }
  return FALSE;
}

static gboolean
add_residues (const AttnFasta  *fasta,
              const char       *line,
              gsize             length,
              GString          *residues,
              GError          **error)
{
  for (gsize i = 0; i < length; i++)
    {
      if (g_ascii_isspace (line[i]))
        continue;
      if (line[i] == '\0' || (!g_ascii_isalpha (line[i]) && strchr ("*-.", line[i]) == NULL))
        return fail_line (fasta,
                          _("%s: line %zu: “%s” found, expected residues: letters, *, - and ."),
                          line + i, length - i, error);
      if (residues->len == ATTN_FASTA_MAX_RESIDUES)
        return attn_fail (error, ATTN_ERROR_LIMIT,
                          _("%s: line %zu: a sequence of more than %d residues found, expected at "
                            "most as many"),
                          fasta->where, fasta->line, ATTN_FASTA_MAX_RESIDUES);
      g_string_append_c (residues, line[i]);
    }
  return TRUE;
}

/* Tells whether a line can be a part of a sequence as programs print it: only capital letters, *, -
 * and . occur in it. */
static gboolean
is_printed (const char *line,
            gsize       length)
{
  while (length > 0 && g_ascii_isspace (line[length - 1]))
    length--;
  for (gsize i = 0; i < length; i++)
    if (line[i] == '\0' || (!g_ascii_isupper (line[i]) && strchr ("*-.", line[i]) == NULL))
      return FALSE;
  return length > 0;
}

/**
 * attn_fasta_recognise:
 * @path: (nullable): the path of the file; "-" for standard input
 * @text: (array length=length): its content, without a byte order mark; any bytes
 *
 * A file is recognized by the suffix of its name. Standard input and files below /dev have none:
 * they are recognized by a header, a line that begins with >, and below it a line of only capital
 * letters, *, - and .
 *
 * Returns: whether it is a FASTA file
 */
gboolean
attn_fasta_recognise (const char *path,
                      const char *text,
                      gsize       length)
{
  AttnFasta fasta = attn_fasta_begin (NULL, text, length);
  gboolean has_header = FALSE;

  if (path == NULL || (!g_str_equal (path, "-") && !g_str_has_prefix (path, "/dev/")))
    return path != NULL && attn_fasta_is_file (path);
  while (fasta.next < fasta.end)
    {
      const char *line;
      gsize n;

      next_line (&fasta, &line, &n);
      if (is_idle (line, n))
        continue;
      if (has_header)
        return is_printed (line, n);
      if (line[0] != '>')
        return FALSE;
      has_header = TRUE;
    }
  return FALSE;
}

/**
 * attn_fasta_next:
 * @sequence: (out) (transfer full): the residues (letters) of the next sequence as they stand in
 *   the file, its lines joined, without the header line; "" for a sequence without residues
 * @error: return location for %ATTN_ERROR_FORMAT for lines that FASTA does not allow,
 *   %ATTN_ERROR_LIMIT for more than %ATTN_FASTA_MAX_RESIDUES residues
 *
 * Returns: whether there was another sequence; %FALSE without an error at the end, and with @error
 *   set if a sequence cannot be read
 */
gboolean
attn_fasta_next (AttnFasta  *fasta,
                 char      **sequence,
                 GError    **error)
{
  g_autoptr (GString) residues = g_string_new (NULL);

  if (!read_header (fasta, error))
    return FALSE;
  while (fasta->next < fasta->end && *fasta->next != '>')
    {
      const char *line;
      gsize length;

      next_line (fasta, &line, &length);
      if (!is_idle (line, length) && !add_residues (fasta, line, length, residues, error))
        return FALSE;
    }
  *sequence = g_string_free (g_steal_pointer (&residues), FALSE);
  return TRUE;
}
