/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-page.h"

#include <gio/gio.h>
#include <string.h>

#include "attn-checksum.h"
#include "attn-markup.h"
#include "attn-page-private.h"
#include "attn-page-resources.h"

#define RESOURCE_PREFIX "/io/github/attentiongrid/AttentionGrid/page/"

/* The number of cells above which a panel of a page is an image rather than paths, as browsers draw
 * images faster. */
#define MAX_PATH_CELLS 40000

/* Registers the resource of pages, which the linker would drop from a static library if nothing
 * referred to it. */
static gpointer
register_resources (gpointer data)
{
  g_resources_register (attn_page_get_resource ());
  return NULL;
}

/* Returns the source of a file that pages are made of, such as "page.css". (transfer full) */
static char *
dup_part (const char *name)
{
  static GOnce once = G_ONCE_INIT;
  g_autofree char *path = g_strconcat (RESOURCE_PREFIX, name, NULL);

  g_once (&once, register_resources, NULL);
  g_autoptr (GBytes) bytes = g_resources_lookup_data (path, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
  g_return_val_if_fail (bytes != NULL, g_strdup (""));
  return g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
}

/* Returns the hash of a script or style for the Content-Security-Policy (CSP level 3, section
 * 2.3.1). (transfer full) */
static char *
hash_part (const char *part)
{
  guint8 digest[ATTN_CHECKSUM_BYTES];

  attn_checksum_compute (part, strlen (part), digest);
  g_autofree char *base64 = g_base64_encode (digest, sizeof digest);
  return g_strdup_printf ("'sha256-%s'", base64);
}

static void
append_text (GString    *page,
             const char *text)
{
  g_autofree char *clean = attn_markup_clean (text, -1);
  g_autofree char *escaped = g_markup_escape_text (clean, -1);

  g_string_append (page, escaped);
}

/* Appends JSON with "<" escaped, which is allowed as the character occurs only within strings. */
static void
append_json (GString    *page,
             const char *json)
{
  for (const char *p = json; *p != '\0'; p++)
    if (*p == '<')
      g_string_append (page, "\\u003c");
    else
      g_string_append_c (page, *p);
}

/* Fills the placeholder of "page.html" called @name. */
static gboolean
append_place (GString          *page,
              const char       *name,
              const AttnScene  *scene,
              GBytes           *svg,
              const char       *title,
              const char       *metadata,
              GError          **error)
{
  g_autofree char *style = dup_part ("page.css");
  g_autofree char *script = dup_part ("page.js");

  if (g_str_equal (name, "policy"))
    {
      g_autofree char *style_hash = hash_part (style);
      g_autofree char *script_hash = hash_part (script);

      g_string_append_printf (page,
                              "default-src 'none'; img-src data:; style-src %s; script-src %s; "
                              "base-uri 'none'; form-action 'none'",
                              style_hash, script_hash);
    }
  else if (g_str_equal (name, "title"))
    append_text (page, title);
  else if (g_str_equal (name, "version"))
    append_text (page, ATTN_VERSION);
  else if (g_str_equal (name, "origin"))
    g_string_append (page, metadata != NULL
                               ? ", which opens this page as the study that it was made from"
                               : "");
  else if (g_str_equal (name, "style"))
    g_string_append (page, style);
  else if (g_str_equal (name, "script"))
    g_string_append (page, script);
  else if (g_str_equal (name, "figure"))
    g_string_append_len (page, g_bytes_get_data (svg, NULL), (gssize) g_bytes_get_size (svg));
  else if (g_str_equal (name, "numbers"))
    return attn_page_append_numbers (page, scene, error);
  else if (g_str_equal (name, "study"))
    {
      g_string_append (page, ATTN_PAGE_STUDY_TAG);
      append_json (page, metadata != NULL ? metadata : "null");
      g_string_append (page, "</script>");
    }
  else
    g_warn_if_reached ();
  return TRUE;
}

/**
 * attn_page_write:
 * @scene: what to write
 * @options: of the SVG that the page shows; text stays text, without titles of cells
 * @title: (nullable): title of the document
 * @metadata: (nullable): JSON that describes the figure, such as the study
 * @error: return location: errors of [func@attn_svg_write], %ATTN_ERROR_LIMIT for a page of more
 *   than 20 MB, errors of reading the rows of a long panel
 *
 * The page consists of the SVG, the numbers of its cells, the style and the script, whose hashes
 * are all that its Content-Security-Policy lets in beside pictures within the file. The text of
 * tokens stands in JSON and in SVG and is never markup. The same scene and options give the same
 * bytes.
 *
 * Returns: (transfer full): HTML, UTF-8
 */
GBytes *
attn_page_write (const AttnScene       *scene,
                 const AttnSvgOptions  *options,
                 const char            *title,
                 const char            *metadata,
                 GError               **error)
{
  AttnSvgOptions svg_options = *options;
  g_autofree char *template = dup_part ("page.html");

  svg_options.outlines_text = FALSE;
  svg_options.has_cell_titles = FALSE;
  svg_options.is_inline = TRUE;
  svg_options.frame = NULL;
  if (svg_options.max_path_cells == 0 || svg_options.max_path_cells > MAX_PATH_CELLS)
    svg_options.max_path_cells = MAX_PATH_CELLS;
  g_autoptr (GBytes) svg = attn_svg_write (scene, &svg_options, NULL, NULL, error);
  if (svg == NULL)
    return NULL;

  GString *page = g_string_sized_new (128 * 1024);
  /* A placeholder stands between two "@@". The template is split at "@@" before placeholders are
   * replaced, so that "@@" in the contents means nothing. */
  g_auto (GStrv) parts = g_strsplit (template, "@@", -1);
  for (gsize i = 0; parts[i] != NULL; i++)
    if (i % 2 == 0)
      g_string_append (page, parts[i]);
    else if (!append_place (page, parts[i], scene, svg, title != NULL ? title : "Attention Grid",
                            metadata, error))
      {
        g_string_free (page, TRUE);
        return NULL;
      }

  gsize length = page->len;
  g_autoptr (GBytes) bytes = g_string_free_to_bytes (page);
  return attn_page_check_size ((double) length, error) ? g_steal_pointer (&bytes) : NULL;
}
