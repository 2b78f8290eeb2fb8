/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A figure view drawn by each renderer that this GTK has: the pixels are those of Cairo. And which
 * of them draws where no graphics card does. */

#include "config.h"

#include <dlfcn.h>
#include <string.h>

#include "app-fixture.h"
#include "attn-renderer.h"
#include "reading-fixture.h"

typedef struct
{
  const char *name;
  const char *constructor; /* looked for in GTK itself, whose versions have different ones */
} Renderer;

static const Renderer renderers[] = {
  { "gl", "gsk_gl_renderer_new" }, /* ngl is another name of it */
  { "vulkan", "gsk_vulkan_renderer_new" },
};

static GskRenderer *
create (const char  *constructor,
        GdkSurface  *surface,
        GError     **error)
{
  GskRenderer *(*new_renderer) (void);

  *(void **) &new_renderer = dlsym (RTLD_DEFAULT, constructor);
  g_autoptr (GskRenderer) renderer = new_renderer ();
  return gsk_renderer_realize (renderer, surface, error) ? g_steal_pointer (&renderer) : NULL;
}

/* BGRA, premultiplied. */
static guchar *
draw (GskRenderer *renderer,
      GtkWidget   *widget,
      gsize       *n_bytes)
{
  g_autoptr (GdkPaintable) paintable = gtk_widget_paintable_new (widget);
  GtkSnapshot *snapshot = gtk_snapshot_new ();
  int width = gtk_widget_get_width (widget);
  int height = gtk_widget_get_height (widget);

  gdk_paintable_snapshot (paintable, snapshot, width, height);
  g_autoptr (GskRenderNode) node = gtk_snapshot_free_to_node (snapshot);
  g_autoptr (GdkTexture) texture = gsk_renderer_render_texture (
      renderer, node, &GRAPHENE_RECT_INIT (0, 0, (float) width, (float) height));
  g_assert_cmpint (gdk_texture_get_width (texture), ==, width);
  g_assert_cmpint (gdk_texture_get_height (texture), ==, height);
  *n_bytes = 4 * (gsize) width * (gsize) height;
  guchar *pixels = g_malloc (*n_bytes);
  gdk_texture_download (texture, pixels, 4 * (gsize) width);
  return pixels;
}

static void
test_pixels_are_those_of_cairo (gconstpointer data)
{
  const Renderer *which = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnGrid) grid = reading_fixture_grid ();
  AttnFigureView *view = attn_figure_view_new ();
  GtkWindow *window = open_figure_view (view, grid);
  GdkSurface *surface = gtk_native_get_surface (GTK_NATIVE (window));
  g_autoptr (GskRenderer) cairo = create ("gsk_cairo_renderer_new", surface, &error);
  g_assert_no_error (error);
  g_autoptr (GskRenderer) renderer = create (which->constructor, surface, &error);

  if (renderer == NULL)
    g_test_skip (error->message);
  /* As a whole, and with cells larger than the numbers in them. */
  for (int zoom = 0; renderer != NULL && zoom < 2; zoom++)
    {
      gsize n_bytes;
      gsize n_drawn;
      g_autofree guchar *expected = draw (cairo, GTK_WIDGET (view), &n_bytes);
      g_autofree guchar *drawn = draw (renderer, GTK_WIDGET (view), &n_drawn);

      g_assert_cmpmem (drawn, n_drawn, expected, n_bytes);
      g_assert_cmpint (memcmp (expected, expected + 4, n_bytes - 4), !=, 0);
      attn_reading_do (attn_figure_view_get_reading (view), ATTN_COMMAND_ZOOM, 2.5, 0);
      gtk_test_widget_wait_for_draw (GTK_WIDGET (view));
    }
  if (renderer != NULL)
    gsk_renderer_unrealize (renderer);
  gsk_renderer_unrealize (cairo);
  close_figure_view (window, view);
}

/* The variable is read by GTK with the first window, so that this is the first test. */
static void
test_software (void)
{
  GdkDisplay *display = gdk_display_get_default ();
  GtkWidget *window = gtk_window_new ();

  g_setenv ("GSK_RENDERER", "gl", TRUE);
  attn_renderer_choose (display);
  g_assert_cmpstr (g_getenv ("GSK_RENDERER"), ==, "gl");
  g_unsetenv ("GSK_RENDERER");
  attn_renderer_choose (display);
  if (gdk_display_prepare_gl (display, NULL))
    g_assert_cmpstr (g_getenv ("GSK_RENDERER"), ==, "cairo");
  gtk_window_present (GTK_WINDOW (window));
  gtk_test_widget_wait_for_draw (window);
  g_assert_cmpstr (G_OBJECT_TYPE_NAME (gtk_native_get_renderer (GTK_NATIVE (window))), ==,
                   "GskCairoRenderer");
  gtk_window_destroy (GTK_WINDOW (window));
  g_setenv ("GSK_RENDERER", "cairo", TRUE);
}

int
main (int    argc,
      char **argv)
{
  /* The display is asked once it is opened; the other tests do not even look for a driver. */
  g_unsetenv ("GDK_DEBUG");
  g_unsetenv ("GDK_DISABLE");
  g_setenv ("LIBGL_ALWAYS_SOFTWARE", "1", TRUE);
  fixture_init (&argc, &argv);
  g_test_add_func ("/app/renderers/cairo-draws-where-the-processor-would-compute-opengl",
                   test_software);
  for (gsize i = 0; i < G_N_ELEMENTS (renderers); i++)
    {
      g_autofree char *path =
          g_strdup_printf ("/app/renderers/%s-draws-the-pixels-of-cairo", renderers[i].name);

      if (dlsym (RTLD_DEFAULT, renderers[i].constructor) != NULL)
        g_test_add_data_func (path, &renderers[i], test_pixels_are_those_of_cairo);
    }
  return g_test_run ();
}
