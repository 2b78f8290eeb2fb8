/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Pictures against Pillow and the published processors. */

#include "config.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "attn-array.h"
#include "attn-error.h"
#include "attn-image-read.h"
#include "attn-processor.h"

static char *
build_path (const char *name)
{
  return g_test_build_filename (G_TEST_DIST, "picture", name, NULL);
}

static AttnArrayFile *
load_expected (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = build_path ("expected.npz");
  AttnArrayFile *file = attn_array_file_load (path, &error);

  g_assert_no_error (error);
  return file;
}

/* Every picture by every processor, before normalisation: off by one rounding at most. */
static void
test_prepared (gconstpointer data)
{
  const char *processor_name = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnArrayFile) expected = load_expected ();
  g_autofree char *directory = build_path (processor_name);
  AttnProcessor processor;
  gsize n_cases = 0;

  g_assert_true (attn_processor_load (directory, "vit", &processor, &error));
  g_assert_no_error (error);
  for (gsize i = 0; i < attn_array_file_get_n_arrays (expected); i++)
    {
      const AttnArray *array = attn_array_file_get_nth (expected, i);
      g_auto (GStrv) parts = g_strsplit (array->name, "/", -1);
      gboolean has_pixels = g_strv_length (parts) == 3;

      if (!g_str_equal (parts[0], processor_name))
        continue;
      g_autofree char *path = build_path (parts[1]);
      g_autoptr (AttnImage) image = attn_image_read (path, &error);
      g_assert_no_error (error);
      g_autoptr (AttnImage) prepared = NULL;
      g_autoptr (AttnTensor) pixels =
          attn_processor_prepare (&processor, image, &prepared, NULL, &error);
      g_assert_no_error (error);
      g_autoptr (AttnTensor) reference = attn_array_to_tensor (array, &error);
      g_assert_no_error (error);
      gsize n = attn_tensor_get_n_elements (reference);
      double largest = 0.0;

      g_assert_cmpuint (n, ==, 3 * prepared->height * prepared->width);
      g_assert_cmpuint (reference->shape[has_pixels ? 1 : 0], ==, prepared->height);
      for (gsize k = 0; k < n; k++)
        largest = MAX (largest, fabs ((has_pixels ? pixels->data[k] : prepared->rgb[k]) -
                                      (double) reference->data[k]));
      g_test_message ("%s: off by %g", array->name, largest);
      /* Numbers made of the same bytes are the same, but for float32. */
      g_assert_cmpfloat (largest, <=, has_pixels ? 1e-5 : 1.0);
      n_cases++;
    }
  g_assert_cmpuint (n_cases, ==, 13);
}

/* Colours of JPEGs as Pillow's convert("RGB") makes them of the same decoder's bytes: those of four
 * inks exactly, whatever their file says of them. */
static void
test_read (void)
{
  static const char * const names[] = { "plain.jpg", "turned.jpg", "cmyk.jpg", "ycck.jpg",
                                        "bare.jpg" };
  g_autoptr (AttnArrayFile) expected = load_expected ();

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *path = build_path (names[i]);
      g_autofree char *name = g_strconcat ("read/", names[i], NULL);
      const AttnArray *array = attn_array_file_lookup (expected, name);
      g_autoptr (AttnImage) image = attn_image_read (path, &error);
      g_assert_no_error (error);
      g_autoptr (AttnTensor) reference = attn_array_to_tensor (array, &error);
      g_assert_no_error (error);
      gsize n = attn_tensor_get_n_elements (reference);
      double largest = 0.0;

      g_assert_cmpuint (n, ==, 3 * image->height * image->width);
      for (gsize k = 0; k < n; k++)
        largest = MAX (largest, fabs (image->rgb[k] - (double) reference->data[k]));
      g_test_message ("%s: off by %g", names[i], largest);
      g_assert_cmpfloat (largest, <=, i < 2 ? 1.0 : 0.0);
    }
}

static void
assert_refused (const char *name,
                AttnError   code,
                const char *words)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = build_path (name);

  g_assert_null (attn_image_read (path, &error));
  g_assert_error (error, ATTN_ERROR, (int) code);
  if (strstr (error->message, words) == NULL)
    g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, words));
}

/* What is no picture, and one that no memory holds, of which nothing is decoded. */
static void
test_refused (void)
{
  assert_refused ("expected.npz", ATTN_ERROR_FORMAT, "expected.npz: no picture found (");
  assert_refused ("huge.png", ATTN_ERROR_LIMIT,
                  "huge.png: a picture of 60000 x 60000 pixels found, expected 1 to 134217728");
}

/* Reads bytes as a file. Returns: (transfer full) (nullable) */
static AttnImage *
read_bytes (const char    *name,
            const guint8  *bytes,
            gsize          n_bytes,
            GError       **error)
{
  g_autofree char *directory = g_dir_make_tmp ("attn-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (directory, name, NULL);

  g_assert_true (g_file_set_contents (path, (const char *) bytes, (gssize) n_bytes, NULL));
  AttnImage *image = attn_image_read (path, error);
  g_unlink (path);
  g_rmdir (directory);
  return image;
}

/* A JPEG of four inks that ends early is refused, and so is one whose header says 60,000 x 60,000
 * pixels, of which nothing is decoded. */
static void
test_inks_refused (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = build_path ("cmyk.jpg");
  g_autofree char *data = NULL;
  gsize length;

  g_assert_true (g_file_get_contents (path, &data, &length, &error));
  g_assert_no_error (error);
  g_assert_null (read_bytes ("short.jpg", (const guint8 *) data, length - 200, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT);
  g_assert_nonnull (strstr (error->message, "short.jpg: no picture found ("));
  g_clear_error (&error);
  for (gsize i = 0; i + 8 < length; i++)
    if ((guint8) data[i] == 0xff && (guint8) data[i + 1] == 0xc0)
      for (gsize k = 0; k < 2; k++)
        {
          data[i + 5 + 2 * k] = (char) 0xea;
          data[i + 6 + 2 * k] = 0x60;
        }
  g_assert_null (read_bytes ("huge.jpg", (const guint8 *) data, length, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_LIMIT);
}

/* Headers of other formats that say 60,000 x 60,000 or more: nothing is decoded. */
static void
test_huge_headers (void)
{
  static const guint8 jpeg[] = { 0xff, 0xd8, 0xff, 0xc0, 0, 17, 8, 0xea, 0x60, 0xea, 0x60, 3,
                                 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0, 0xff, 0xda, 0,
                                 12, 3, 1, 0, 2, 0, 3, 0, 0, 63, 0, 1,
                                 2, 3, 4, 0xff, 0xd9 };
  static const guint8 gif[] = { 'G', 'I', 'F', '8', '9', 'a', 0xff, 0xff, 0xff, 0xff, 0x80, 0,
                                0, 0, 0, 0, 255, 255, 255, ',', 0, 0, 0, 0,
                                0xff, 0xff, 0xff, 0xff, 0, 2, 1, 0, 0, ';' };
  static const guint8 bmp[] = { 'B', 'M', 54, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0,
                                40, 0, 0, 0, 0x60, 0xea, 0, 0, 0x60, 0xea, 0, 0, 1, 0,
                                24, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                                0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2 };
  const struct
  {
    const char *name;
    const guint8 *bytes;
    gsize n_bytes;
  } cases[] = { { "huge.jpg", jpeg, sizeof jpeg },
                { "huge.gif", gif, sizeof gif },
                { "huge.bmp", bmp, sizeof bmp } };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (read_bytes (cases[i].name, cases[i].bytes, cases[i].n_bytes, &error));
      g_test_message ("%s", error->message);
      /* A loader may refuse it by itself before it says how large it is. */
      g_assert_true (error->domain == ATTN_ERROR);
      g_assert_true (error->code == ATTN_ERROR_LIMIT || error->code == ATTN_ERROR_FORMAT);
      g_assert_nonnull (strstr (error->message, cases[i].name));
    }
}

/* Files that end early or have other bytes in them are pictures or a sentence. */
static void
test_broken (void)
{
  static const char * const names[] = { "plain.jpg", "cmyk.jpg", "ycck.jpg", "landscape.png",
                                        "deep.png", "palette.png", "animated.gif" };
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);
  guint n_refused = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = build_path (names[i]);
      g_autofree char *data = NULL;
      gsize length;

      g_assert_true (g_file_get_contents (path, &data, &length, NULL));
      for (int round = 0; round < 40; round++)
        {
          g_autoptr (GError) error = NULL;
          g_autofree guint8 *bytes = g_memdup2 (data, length);
          gsize n = round % 2 == 0 ? (gsize) g_rand_int_range (rand, 0, (gint32) length) : length;

          for (int k = 0; round % 2 != 0 && k < 4; k++)
            bytes[g_rand_int_range (rand, 0, (gint32) MIN (length, 400))] =
                (guint8) g_rand_int_range (rand, 0, 256);
          g_autoptr (AttnImage) image = read_bytes (names[i], bytes, n, &error);
          g_assert_true ((image == NULL) == (error != NULL));
          n_refused += image == NULL;
        }
    }
  g_assert_cmpuint (n_refused, >, 20);
}

static void
assert_config_refused (const char *json,
                       const char *words)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *directory = g_dir_make_tmp ("attn-XXXXXX", &error);
  g_autofree char *path = g_build_filename (directory, "preprocessor_config.json", NULL);
  AttnProcessor processor;

  g_assert_true (g_file_set_contents (path, json, -1, &error));
  g_assert_false (attn_processor_load (directory, "vit", &processor, &error));
  if (error == NULL || strstr (error->message, words) == NULL)
    g_test_message ("%s: %s", json, error != NULL ? error->message : "taken");
  g_assert_nonnull (strstr (error->message, words));
  g_unlink (path);
  g_rmdir (directory);
}

/* A step that is not known is not left out in silence. */
static void
test_config (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *nowhere = build_path ("generators");
  AttnProcessor processor;

  assert_config_refused ("{\"image_processor_type\": \"BeitImageProcessor\"}",
                         "BeitImageProcessor found, expected one of ViTImageProcessor, "
                         "DeiTImageProcessor, BitImageProcessor, CLIPImageProcessor, "
                         "LlavaImageProcessor, Qwen2VLImageProcessor, Gemma3ImageProcessor, "
                         "SiglipImageProcessor, DINOv3ViTImageProcessor");
  assert_config_refused ("{\"do_pad\": true}", "“do_pad”: true found, expected false");
  assert_config_refused ("{\"image_processor_type\": \"Gemma3ImageProcessor\", "
                         "\"do_pan_and_scan\": true}",
                         "“do_pan_and_scan”: true found, expected false");
  assert_config_refused ("{\"size\": {\"longest_edge\": 5}}", "no “height” found");
  assert_config_refused ("{\"size\": 0}", "“size”");
  assert_config_refused ("{\"do_resize\": 5, \"size\": {\"height\": 3}}", "“do_resize”");
  assert_config_refused ("[{\"size\": 3}]", "expected an object");
  assert_config_refused ("{\"resample\": 9}", "“resample”");
  assert_config_refused ("{\"image_std\": [1, 0, 1]}", "“image_std”: another array found");
  assert_config_refused ("{\"image_mean\": [1, 2]}", "“image_mean”: another array found");
  g_assert_false (attn_processor_load (nowhere, "vit", &processor, &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT);
  g_assert_nonnull (strstr (error->message, "it says how pictures are prepared"));
}

/* The part of a picture that is left of it, in its own pixels. */
static void
test_box (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *directory = build_path ("dinov2");
  g_autofree char *path = build_path ("landscape.png");
  g_autoptr (AttnImage) image = attn_image_read (path, &error);
  AttnProcessor processor;
  AttnBox box;

  g_assert_no_error (error);
  g_assert_true (attn_processor_load (directory, "dinov2", &processor, &error));
  g_autoptr (AttnTensor) pixels = attn_processor_prepare (&processor, image, NULL, &box, &error);
  g_assert_no_error (error);
  /* 41 x 23 becomes 32 x 18, of which the middle 14 x 14 stays. */
  g_assert_cmpfloat (fabs (box.left - 9.0 * 41.0 / 32.0), <, 1e-9);
  g_assert_cmpfloat (fabs (box.bottom - 16.0 * 23.0 / 18.0), <, 1e-9);
}

int
main (int    argc,
      char **argv)
{
  static const char * const processors[] = { "vit", "vit-old", "deit", "dinov2", "clip",
                                             "siglip", "box", "hamming", "nearest",
                                             "qwen2_5_vl", "llava", "gemma3" };

  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (processors); i++)
    {
      g_autofree char *name = g_strconcat ("/picture/prepared/", processors[i], NULL);

      g_test_add_data_func (name, processors[i], test_prepared);
    }
  g_test_add_func ("/picture/read", test_read);
  g_test_add_func ("/picture/inks-refused", test_inks_refused);
  g_test_add_func ("/picture/refused", test_refused);
  g_test_add_func ("/picture/huge-headers", test_huge_headers);
  g_test_add_func ("/picture/broken", test_broken);
  g_test_add_func ("/picture/config", test_config);
  g_test_add_func ("/picture/box", test_box);
  return g_test_run ();
}
