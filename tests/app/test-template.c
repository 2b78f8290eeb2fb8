/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Templates whose tooltips are set while nobody has to be asked where the pointer is. */

#include "config.h"

#include "app-fixture.h"
#include "attn-app-resources.h"
#include "attn-template.h"
#include "attn-tooltip.h"

#define RESOURCES "/io/github/attentiongrid/AttentionGrid/"

static void
test_hidden_meanwhile (void)
{
  g_autofree char *quiet = attn_template_dup_quiet (
      "<object><property name=\"tooltip-text\" translatable=\"yes\">A &amp; B</property>"
      "<property name=\"visible\">False</property></object>"
      "<object><property name=\"label\">C</property></object>");
  g_autofree char *unfinished = attn_template_dup_quiet ("<property name=\"tooltip-text\"");

  g_assert_cmpstr (quiet, ==,
                   "<object><property name=\"visible\">False</property>"
                   "<property name=\"tooltip-text\" translatable=\"yes\">A &amp; B</property>"
                   "<property name=\"visible\">True</property>"
                   "<property name=\"visible\">False</property></object>"
                   "<object><property name=\"label\">C</property></object>");
  g_assert_cmpstr (unfinished, ==, "<property name=\"tooltip-text\"");
}

/* Of each element that is open: has its visibility been told, and its tooltip? */
typedef struct
{
  const char *name;
  GArray *is_told;
} Reader;

static void
start_cb (GMarkupParseContext  *context,
          const char           *element,
          const char          **names,
          const char          **values,
          gpointer              user_data,
          GError              **error)
{
  Reader *reader = user_data;
  const gboolean no = FALSE;
  guint parent = reader->is_told->len - 1;
  gboolean is_property = g_str_equal (element, "property");

  if (is_property && g_str_equal (values[0], "visible"))
    g_array_index (reader->is_told, gboolean, parent) = TRUE;
  if (is_property && g_str_equal (values[0], "tooltip-text") &&
      g_array_index (reader->is_told, gboolean, parent))
    g_error ("%s: visible found before tooltip-text, expected behind it", reader->name);
  g_array_append_val (reader->is_told, no);
}

static void
end_cb (GMarkupParseContext  *context,
        const char           *element,
        gpointer              user_data,
        GError              **error)
{
  Reader *reader = user_data;

  g_array_set_size (reader->is_told, reader->is_told->len - 1);
}

static void
test_order_of_properties (void)
{
  static const GMarkupParser parser = { .start_element = start_cb, .end_element = end_cb };
  g_auto (GStrv) names = g_resources_enumerate_children (RESOURCES, 0, NULL);

  g_assert_nonnull (names);
  for (char **name = names; *name != NULL; name++)
    {
      if (!g_str_has_suffix (*name, ".ui"))
        continue;

      g_autofree char *path = g_strconcat (RESOURCES, *name, NULL);
      g_autoptr (GBytes) bytes = g_resources_lookup_data (path, 0, NULL);
      g_autoptr (GArray) is_told = g_array_new (FALSE, TRUE, sizeof (gboolean));
      Reader reader = { *name, is_told };
      g_autoptr (GMarkupParseContext) context =
          g_markup_parse_context_new (&parser, 0, &reader, NULL);
      g_autoptr (GError) error = NULL;

      g_markup_parse_context_parse (context, g_bytes_get_data (bytes, NULL),
                                    g_bytes_get_size (bytes), &error);
      g_assert_no_error (error);
    }
}

static void
test_tooltip_of_a_new_widget (void)
{
  GtkWidget *label = g_object_ref_sink (gtk_label_new ("Label"));

  attn_tooltip_set (label, "Tooltip");
  g_assert_cmpstr (gtk_widget_get_tooltip_text (label), ==, "Tooltip");
  g_assert_true (gtk_widget_get_visible (label));
  gtk_widget_set_visible (label, FALSE);
  attn_tooltip_set (label, "Another");
  g_assert_cmpstr (gtk_widget_get_tooltip_text (label), ==, "Another");
  g_assert_false (gtk_widget_get_visible (label));
  g_object_unref (label);
}

int
main (int    argc,
      char **argv)
{
  fixture_init (&argc, &argv);

  g_autoptr (GtkApplication) application = fixture_new_application ();

  g_test_add_func ("/app/template/hidden-meanwhile", test_hidden_meanwhile);
  g_test_add_func ("/app/template/order-of-properties", test_order_of_properties);
  g_test_add_func ("/app/template/tooltip-of-a-new-widget", test_tooltip_of_a_new_widget);
  return fixture_run (g_steal_pointer (&application));
}
