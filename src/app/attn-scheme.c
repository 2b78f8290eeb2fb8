/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-scheme.h"

#define PORTAL_NAME      "org.freedesktop.portal.Desktop"
#define PORTAL_PATH      "/org/freedesktop/portal/desktop"
#define PORTAL_INTERFACE "org.freedesktop.portal.Settings"
#define NAMESPACE        "org.freedesktop.appearance"

/* The value of the portal's setting "color-scheme" that says that the user prefers dark windows. */
#define PREFERS_DARK 1

static const char * const keys[] = { "color-scheme", "accent-color", NULL };

/* The state of the light or dark scheme. The whole program has one, as GTK has one setting for the
 * display. */
typedef struct
{
  GSettings *settings;    /* (nullable) */
  GDBusConnection *bus;   /* (nullable) */
  GtkCssProvider *accent; /* (nullable): style sheet that sets the desktop's accent colour */
  gboolean had_dark;      /* whether GTK's theme was dark at the start */
  gboolean is_told;       /* whether the desktop has told whether it prefers dark windows */
  gboolean is_dark;       /* whether it prefers dark */
} Scheme;

/* Returns the values of the setting for dark or light that GTK has from 4.20 on, or %NULL with an
 * older GTK, which has only "gtk-application-prefer-dark-theme", deprecated in 4.20. */
static GEnumClass *
find_schemes (void)
{
  GObjectClass *settings = G_OBJECT_GET_CLASS (gtk_settings_get_default ());
  GParamSpec *scheme = g_object_class_find_property (settings, "gtk-interface-color-scheme");

  return scheme != NULL ? G_PARAM_SPEC_ENUM (scheme)->enum_class : NULL;
}

static gboolean
is_gtk_dark (void)
{
  GEnumClass *schemes = find_schemes ();
  gboolean is_dark;
  int value;

  if (schemes == NULL)
    {
      g_object_get (gtk_settings_get_default (), "gtk-application-prefer-dark-theme", &is_dark,
                    NULL);
      return is_dark;
    }
  g_object_get (gtk_settings_get_default (), "gtk-interface-color-scheme", &value, NULL);
  return value == g_enum_get_value_by_nick (schemes, "dark")->value;
}

static void
make_gtk_dark (gboolean is_dark)
{
  GEnumClass *schemes = find_schemes ();

  if (schemes == NULL)
    g_object_set (gtk_settings_get_default (), "gtk-application-prefer-dark-theme", is_dark, NULL);
  else
    g_object_set (gtk_settings_get_default (), "gtk-interface-color-scheme",
                  g_enum_get_value_by_nick (schemes, is_dark ? "dark" : "light")->value, NULL);
}

static void
apply (Scheme *scheme)
{
  g_autofree char *choice = scheme->settings != NULL
                                ? g_settings_get_string (scheme->settings, "color-scheme")
                                : g_strdup ("system");
  gboolean is_dark = g_str_equal (choice, "dark")    ? TRUE
                     : g_str_equal (choice, "light") ? FALSE
                     : scheme->is_told               ? scheme->is_dark
                                                     : scheme->had_dark;

  /* The setting of the theme is written only if it differs: GTK loads its theme again even if the
   * value is the same. */
  if (is_dark != is_gtk_dark ())
    make_gtk_dark (is_dark);
}

/* Gives selections in windows the accent colour of the desktop, under both names that themes use
 * for it. A colour with a component outside 0 to 1 restores the colour of the theme. */
static void
take_accent (Scheme *scheme,
             double  red,
             double  green,
             double  blue)
{
  gboolean is_color = red >= 0 && red <= 1 && green >= 0 && green <= 1 && blue >= 0 && blue <= 1;
  const GdkRGBA color = { (float) red, (float) green, (float) blue, 1 };
  g_autofree char *name = gdk_rgba_to_string (&color);
  g_autofree char *css =
      is_color ? g_strdup_printf ("@define-color theme_selected_bg_color %s;"
                                  "@define-color accent_color %s;",
                                  name, name)
               : g_strdup ("");

  if (scheme->accent == NULL)
    {
      scheme->accent = gtk_css_provider_new ();
      gtk_style_context_add_provider_for_display (gdk_display_get_default (),
                                                  GTK_STYLE_PROVIDER (scheme->accent),
                                                  GTK_STYLE_PROVIDER_PRIORITY_SETTINGS);
    }
  gtk_css_provider_load_from_data (scheme->accent, css, -1);
}

static void
take_value (Scheme   *scheme,
            GVariant *value)
{
  g_autoptr (GVariant) inner = g_variant_ref (value);

  /* Unwraps the value: the portal wraps it in one variant or two, depending on its version. */
  while (g_variant_is_of_type (inner, G_VARIANT_TYPE_VARIANT))
    {
      GVariant *child = g_variant_get_variant (inner);

      g_variant_unref (inner);
      inner = child;
    }
  if (g_variant_is_of_type (inner, G_VARIANT_TYPE ("(ddd)")))
    {
      double red, green, blue;

      g_variant_get (inner, "(ddd)", &red, &green, &blue);
      take_accent (scheme, red, green, blue);
    }
  if (!g_variant_is_of_type (inner, G_VARIANT_TYPE_UINT32))
    return;
  scheme->is_told = TRUE;
  scheme->is_dark = g_variant_get_uint32 (inner) == PREFERS_DARK;
  apply (scheme);
}

static void
changed_cb (GDBusConnection *bus,
            const char      *sender,
            const char      *path,
            const char      *interface,
            const char      *signal,
            GVariant        *parameters,
            gpointer         user_data)
{
  const char *name_space, *key;
  g_autoptr (GVariant) value = NULL;

  if (!g_variant_is_of_type (parameters, G_VARIANT_TYPE ("(ssv)")))
    return;
  g_variant_get (parameters, "(&s&sv)", &name_space, &key, &value);
  if (g_str_equal (name_space, NAMESPACE) && g_strv_contains (keys, key))
    take_value (user_data, value);
}

static void
read_cb (GObject      *bus,
         GAsyncResult *result,
         gpointer      user_data)
{
  g_autoptr (GVariant) reply =
      g_dbus_connection_call_finish (G_DBUS_CONNECTION (bus), result, NULL);

  /* Without a desktop portal no reply comes, and the colours of the theme stay. */
  if (reply == NULL)
    return;
  g_autoptr (GVariant) value = g_variant_get_child_value (reply, 0);
  take_value (user_data, value);
}

static void
bus_cb (GObject      *source,
        GAsyncResult *result,
        gpointer      user_data)
{
  Scheme *scheme = user_data;

  scheme->bus = g_bus_get_finish (result, NULL);
  if (scheme->bus == NULL)
    return;
  g_dbus_connection_signal_subscribe (scheme->bus, PORTAL_NAME, PORTAL_INTERFACE, "SettingChanged",
                                      PORTAL_PATH, NAMESPACE, G_DBUS_SIGNAL_FLAGS_NONE, changed_cb,
                                      scheme, NULL);
  for (gsize i = 0; keys[i] != NULL; i++)
    g_dbus_connection_call (scheme->bus, PORTAL_NAME, PORTAL_PATH, PORTAL_INTERFACE, "Read",
                            g_variant_new ("(ss)", NAMESPACE, keys[i]), G_VARIANT_TYPE ("(v)"),
                            G_DBUS_CALL_FLAGS_NONE, -1, NULL, read_cb, scheme);
}

/**
 * attn_scheme_follow:
 * @settings: (nullable): the settings of the program, with the user's choice
 *
 * From now on makes windows light or dark as the user has chosen or, if the user leaves it to the
 * system, as the desktop prefers, and gives what is selected in them the accent colour of the
 * desktop. To be called once.
 */
void
attn_scheme_follow (GSettings *settings)
{
  static Scheme scheme;

  g_return_if_fail (scheme.settings == NULL);

  scheme.had_dark = is_gtk_dark ();
  if (settings != NULL)
    {
      scheme.settings = g_object_ref (settings);
      g_signal_connect_swapped (settings, "changed::color-scheme", G_CALLBACK (apply), &scheme);
    }
  apply (&scheme);
  g_bus_get (G_BUS_TYPE_SESSION, NULL, bus_cb, &scheme);
}
