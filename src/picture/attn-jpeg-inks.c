/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-jpeg-inks.h"

#include <setjmp.h>
#include <stdio.h>

#include <jerror.h>
#include <jpeglib.h>

typedef struct
{
  struct jpeg_error_mgr manager; /* error handler of libjpeg, which sees only this first member */
  jmp_buf place;
  char words[JMSG_LENGTH_MAX];
} Trouble;

static void
fail_cb (j_common_ptr jpeg)
{
  Trouble *trouble = (Trouble *) jpeg->err;

  jpeg->err->format_message (jpeg, trouble->words);
  longjmp (trouble->place, 1);
}

/* Handles a warning of libjpeg: a file that ends early is refused, as Pillow does; other warnings
 * are ignored. */
static void
warn_cb (j_common_ptr jpeg,
         int          level)
{
  if (level < 0 && jpeg->err->msg_code == JWRN_JPEG_EOF)
    fail_cb (jpeg);
}

static void
begin (struct jpeg_decompress_struct *jpeg,
       Trouble                       *trouble)
{
  jpeg->err = jpeg_std_error (&trouble->manager);
  trouble->manager.error_exit = fail_cb;
  trouble->manager.emit_message = warn_cb;
}

/**
 * attn_jpeg_has_inks:
 * @width: (out): in pixels
 * @height: (out): in pixels
 *
 * Returns: whether @data is a JPEG with four channels: cyan, magenta, yellow and black (CMYK)
 */
gboolean
attn_jpeg_has_inks (const guint8 *data,
                    gsize         n_bytes,
                    gsize        *width,
                    gsize        *height)
{
  struct jpeg_decompress_struct jpeg = { 0 };
  Trouble trouble;
  volatile gboolean has_inks = FALSE; /* read after a longjmp */

  if (n_bytes < 3 || data[0] != 0xff || data[1] != 0xd8)
    return FALSE;
  begin (&jpeg, &trouble);
  if (setjmp (trouble.place) == 0)
    {
      jpeg_create_decompress (&jpeg);
      jpeg_mem_src (&jpeg, data, n_bytes);
      jpeg_read_header (&jpeg, TRUE);
      *width = jpeg.image_width;
      *height = jpeg.image_height;
      has_inks = jpeg.num_components == 4 && jpeg.out_color_space == JCS_CMYK;
    }
  jpeg_destroy_decompress (&jpeg);
  return has_inks;
}

/* Returns a * b / 255 for two values of a channel, rounded to the nearest integer. */
static guint8
multiply (guint8 a,
          guint8 b)
{
  guint product = (guint) a * b + 128;

  return (guint8) (((product >> 8) + product) >> 8);
}

/**
 * attn_jpeg_read_inks:
 * @data: a JPEG of four inks, as [func@attn_jpeg_has_inks] tells
 * @rgb: (out caller-allocates): [height, width, 3]: red, green and blue of each pixel
 *
 * Decodes the picture and converts its inks to colours as cmyk2rgb() in Convert.c of Pillow does: a
 * channel is the light that black leaves, less the share of it that the channel's ink takes. 255
 * means no ink and 0 full ink, whether the file says so or not.
 *
 * Returns: (transfer full) (nullable): libjpeg's message if the file is damaged; %NULL on success
 */
char *
attn_jpeg_read_inks (const guint8 *data,
                     gsize         n_bytes,
                     guint8       *rgb)
{
  struct jpeg_decompress_struct jpeg = { 0 };
  Trouble trouble;
  char * volatile words = NULL;

  begin (&jpeg, &trouble);
  if (setjmp (trouble.place) != 0)
    words = g_strdup (trouble.words);
  else
    {
      jpeg_create_decompress (&jpeg);
      jpeg_mem_src (&jpeg, data, n_bytes);
      jpeg_read_header (&jpeg, TRUE);
      jpeg_start_decompress (&jpeg);
      gsize n = jpeg.output_width;
      JSAMPARRAY row = jpeg.mem->alloc_sarray ((j_common_ptr) &jpeg, JPOOL_IMAGE, n * 4, 1);
      while (jpeg.output_scanline < jpeg.output_height)
        {
          guint8 *to = rgb + (gsize) jpeg.output_scanline * n * 3;

          jpeg_read_scanlines (&jpeg, row, 1);
          for (gsize i = 0; i < n * 3; i++)
            {
              const guint8 *inks = row[0] + i / 3 * 4;

              to[i] = inks[3] - multiply (255 - inks[i % 3], inks[3]);
            }
        }
      jpeg_finish_decompress (&jpeg);
    }
  jpeg_destroy_decompress (&jpeg);
  return words;
}
