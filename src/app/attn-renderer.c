/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-renderer.h"

#include <epoxy/gl.h>
#include <string.h>

/* Names of Mesa's OpenGL drivers that compute on the processor. The name that OpenGL reports
 * contains one of them. */
static const char * const software[] = { "llvmpipe", "softpipe", "swrast", "Software Rasterizer" };

/* Tells whether the display has OpenGL, but the processor computes it. */
static gboolean
is_software (GdkDisplay *display)
{
  g_autoptr (GdkGLContext) context = NULL;
  gboolean is_found = FALSE;

  if (!gdk_display_prepare_gl (display, NULL))
    return FALSE;
  context = gdk_display_create_gl_context (display, NULL);
  if (context == NULL || !gdk_gl_context_realize (context, NULL))
    return FALSE;
  gdk_gl_context_make_current (context);
  const char *name = (const char *) glGetString (GL_RENDERER);
  for (gsize i = 0; i < G_N_ELEMENTS (software) && name != NULL; i++)
    is_found |= strstr (name, software[i]) != NULL;
  gdk_gl_context_clear_current ();
  return is_found;
}

/**
 * attn_renderer_choose:
 * @display: a display on which no window has been opened yet
 *
 * Makes GTK draw with Cairo where OpenGL would be computed by the processor, as on a remote display
 * or without a graphics card: a frame of nine heatmaps of 1,024 tokens takes 10 ms so, and 70 ms by
 * OpenGL. If the user has set the environment variable GSK_RENDERER, that decides: GTK reads it
 * with its first window, and has no other way to choose.
 */
void
attn_renderer_choose (GdkDisplay *display)
{
  if (g_getenv ("GSK_RENDERER") == NULL && is_software (display))
    g_setenv ("GSK_RENDERER", "cairo", TRUE);
}
