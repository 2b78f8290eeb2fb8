/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-template.h"

#include <string.h>

#define RESOURCES "/io/github/attentiongrid/AttentionGrid/"

#define TOOLTIP "<property name=\"tooltip-text\""
#define END     "</property>"
#define HIDE    "<property name=\"visible\">False</property>"
#define SHOW    "<property name=\"visible\">True</property>"

/**
 * attn_template_dup_quiet:
 * @text: a description of widgets in the format of #GtkBuilder
 *
 * Changes a description so that each widget is hidden while its tooltip is set. For a visible
 * widget GTK then asks the display twice where the pointer is, even before there is a window: for
 * the 240 tooltips of a window this took a quarter of its start. A widget that is to stay hidden
 * must set that after its tooltip.
 *
 * Returns: (transfer full): the changed description
 */
char *
attn_template_dup_quiet (const char *text)
{
  g_autoptr (GString) quiet = g_string_sized_new (2 * strlen (text));
  const char *rest = text, *tooltip;

  while ((tooltip = strstr (rest, TOOLTIP)) != NULL)
    {
      const char *end = strstr (tooltip, END);

      if (end == NULL)
        break;
      end += strlen (END);
      g_string_append_len (quiet, rest, tooltip - rest);
      g_string_append (quiet, HIDE);
      g_string_append_len (quiet, tooltip, end - tooltip);
      g_string_append (quiet, SHOW);
      rest = end;
    }
  g_string_append (quiet, rest);
  return g_string_free (g_steal_pointer (&quiet), FALSE);
}

/**
 * attn_template_set:
 * @name: name of a file in the resources of the program, such as "sidebar.ui"
 *
 * Sets the template of @widget_class from the file. To be called in class_init.
 */
void
attn_template_set (GtkWidgetClass *widget_class,
                   const char     *name)
{
  g_autofree char *path = g_strconcat (RESOURCES, name, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = g_resources_lookup_data (path, G_RESOURCE_LOOKUP_FLAGS_NONE, &error);

  if (bytes == NULL)
    g_error ("%s", error->message);

  g_autofree char *text =
      g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  char *quiet = attn_template_dup_quiet (text);
  g_autoptr (GBytes) template = g_bytes_new_take (quiet, strlen (quiet));
  gtk_widget_class_set_template (widget_class, template);
}
