/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads the study that is embedded in an exported figure: in the metadata of an SVG, or in a script
 * element of a web page that is not executed. */

#include "config.h"

#include "attn-study-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-error.h"
#include "attn-file.h"
#include "attn-json.h"
#include "attn-page.h"

/* Largest nesting depth of elements before the metadata of an SVG: drawing programs can put others
 * there. */
#define MAX_DEPTH 100

#define ELEMENT_END "</script>"

typedef struct
{
  GString *text; /* (nullable): contents of the element <metadata> read so far */
  guint depth;   /* nesting depth of elements */
  gboolean is_inside;
  gboolean is_done;
} Reader;

/* Stops the parser with an error, its only way to stop, once the metadata is read or can no longer
 * follow. */
static void
stop (GError **error)
{
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_CANCELLED, "");
}

static void
start_element_cb (GMarkupParseContext  *context,
                  const char           *name,
                  const char          **attribute_names,
                  const char          **attribute_values,
                  gpointer              user_data,
                  GError              **error)
{
  Reader *reader = user_data;

  reader->depth++;
  /* Metadata is read only from an element that is a child of the root. It must contain text and no
   * elements. */
  if (reader->depth == 2 && g_str_equal (name, "metadata"))
    {
      reader->text = g_string_new (NULL);
      reader->is_inside = TRUE;
    }
  else if (reader->is_inside || (reader->depth == 1 && !g_str_equal (name, "svg")) ||
           reader->depth > MAX_DEPTH)
    stop (error);
}

static void
end_element_cb (GMarkupParseContext  *context,
                const char           *name,
                gpointer              user_data,
                GError              **error)
{
  Reader *reader = user_data;

  reader->depth--;
  if (reader->is_inside)
    {
      reader->is_inside = FALSE;
      reader->is_done = TRUE;
      stop (error);
    }
}

static void
text_cb (GMarkupParseContext  *context,
         const char           *text,
         gsize                 length,
         gpointer              user_data,
         GError              **error)
{
  Reader *reader = user_data;

  if (reader->is_inside)
    g_string_append_len (reader->text, text, length);
}

/* Returns a copy of the contents of <metadata>, or NULL if the SVG has none. */
static char *
dup_metadata (const char *svg,
              gsize       length)
{
  static const GMarkupParser parser = {
    .start_element = start_element_cb,
    .end_element = end_element_cb,
    .text = text_cb,
  };
  Reader reader = { NULL };
  g_autoptr (GMarkupParseContext) context = g_markup_parse_context_new (&parser, 0, &reader, NULL);

  /* If parsing ended with an error other than that of stop(), the metadata is incomplete. */
  g_markup_parse_context_parse (context, svg, length, NULL);
  if (reader.is_done)
    return g_string_free (reader.text, FALSE);
  if (reader.text != NULL)
    g_string_free (reader.text, TRUE);
  return NULL;
}

/* Reads the study in @metadata, which has @n_bytes. Returns NULL without an error if there is no
 * study in it. */
static AttnStudy *
read_metadata (const char  *where,
               const char  *metadata,
               gsize        n_bytes,
               GError     **error)
{
  JsonNode *study = NULL;

  if (!attn_file_check_size (where, n_bytes, ATTN_STUDY_MAX_BYTES, error))
    return NULL;
  g_autoptr (JsonNode) root =
      n_bytes > 0 ? attn_json_parse (where, metadata, (gssize) n_bytes, NULL) : NULL;
  if (root != NULL && JSON_NODE_HOLDS_OBJECT (root))
    study = json_object_get_member (json_node_get_object (root), "study");
  return study != NULL && JSON_NODE_HOLDS_OBJECT (study)
             ? attn_study_read (json_node_get_object (study), where, error)
             : NULL;
}

/**
 * attn_study_from_svg:
 * @where: what messages begin with, such as the file's path
 * @svg: what the file holds, or its first %ATTN_STUDY_MAX_SVG bytes
 * @length: number of bytes of @svg
 * @error: return location: %ATTN_ERROR_FORMAT where there is no study in it, and errors of
 *   [func@attn_study_from_json]
 *
 * Returns: (transfer full) (nullable): the study that the figure was exported from
 */
AttnStudy *
attn_study_from_svg (const char  *where,
                     const char  *svg,
                     gsize        length,
                     GError     **error)
{
  g_autofree char *metadata = dup_metadata (svg, length);
  g_autoptr (GError) reason = NULL;
  AttnStudy *study =
      read_metadata (where, metadata, metadata != NULL ? strlen (metadata) : 0, &reason);

  if (study != NULL)
    return study;
  if (reason != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&reason));
      return NULL;
    }
  return attn_fail_null (error, ATTN_ERROR_FORMAT,
                         _("%s: no study found in its metadata, expected an SVG that Attention "
                           "Grid has exported"),
                         where);
}

/**
 * attn_study_is_page:
 * @text: what a file begins with
 * @length: number of bytes of @text
 *
 * Returns: whether the file is a web page, which begins with "<!DOCTYPE html", rather than an SVG
 */
gboolean
attn_study_is_page (const char *text,
                    gsize       length)
{
  const char start[] = "<!DOCTYPE html";

  return length >= strlen (start) && g_ascii_strncasecmp (text, start, strlen (start)) == 0;
}

/**
 * attn_study_from_page:
 * @where: what messages begin with, such as the file's path
 * @html: what the file holds, or its first %ATTN_STUDY_MAX_SVG bytes
 * @length: number of bytes of @html
 * @error: return location: %ATTN_ERROR_FORMAT where there is no study in it, and errors of
 *   [func@attn_study_from_json]
 *
 * Reads the one element that [func@attn_page_write] writes: its text has no "<", so that a search
 * for its tags finds them, whatever else the page contains.
 *
 * Returns: (transfer full) (nullable): the study that the page was exported from
 */
AttnStudy *
attn_study_from_page (const char  *where,
                      const char  *html,
                      gsize        length,
                      GError     **error)
{
  const char *begin = g_strstr_len (html, (gssize) length, ATTN_PAGE_STUDY_TAG);
  const char *end = NULL;
  g_autoptr (GError) reason = NULL;

  if (begin != NULL)
    {
      begin += strlen (ATTN_PAGE_STUDY_TAG);
      end = memchr (begin, '<', length - (gsize) (begin - html));
    }
  gsize n_left = end != NULL ? length - (gsize) (end - html) : 0;
  gboolean is_closed = n_left >= strlen (ELEMENT_END) &&
                       strncmp (end, ELEMENT_END, strlen (ELEMENT_END)) == 0;
  AttnStudy *study =
      is_closed ? read_metadata (where, begin, (gsize) (end - begin), &reason) : NULL;
  if (study != NULL)
    return study;
  if (reason != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&reason));
      return NULL;
    }
  return attn_fail_null (error, ATTN_ERROR_FORMAT,
                         _("%s: no study found in the page, expected a web page that Attention "
                           "Grid has exported"),
                         where);
}
