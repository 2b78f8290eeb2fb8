/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Prepares pictures for a model as the image processors of the Python library transformers 4.57 do:
 * image_processing_vit.py, _deit, _bit, _clip, _llava, _gemma3, _qwen2_vl, _siglip,
 * _dinov3_vit_fast and image_transforms.py. The variants called “Fast” give the same numbers except
 * for rounding. */

#include "config.h"

#include "attn-processor.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "attn-error.h"
#include "attn-json.h"

#define MAX_SIDE 16384

/* A kind of image processor: its name, and its defaults for settings that preprocessor_config.json
 * does not have. */
typedef struct
{
  const char *name; /* name of the image processor, without the suffix “ImageProcessor” or, in old
                     * files, “FeatureExtractor” */
  const char *family;
  gsize size;
  gboolean is_shortest_edge;
  gsize crop_size; /* 0: no crop */
  AttnFilter filter;
  const double *mean; /* mean of red, green and blue by which pixels are normalized; @deviation
                       * likewise */
  const double *deviation;
  gsize multiple; /* 0 for fixed sizes */
} Kind;

static const double clip_mean[] = { 0.48145466, 0.4578275, 0.40821073 };
static const double clip_deviation[] = { 0.26862954, 0.26130258, 0.27577711 };
static const double imagenet_mean[] = { 0.485, 0.456, 0.406 };
static const double imagenet_deviation[] = { 0.229, 0.224, 0.225 };
static const double half[] = { 0.5, 0.5, 0.5 };

static const Kind kinds[] = {
  { "ViT", "vit", 224, FALSE, 0, ATTN_FILTER_BILINEAR, half, half },
  { "DeiT", "deit", 256, FALSE, 224, ATTN_FILTER_BICUBIC, half, half },
  { "Bit", "dinov2", 224, TRUE, 224, ATTN_FILTER_BICUBIC, clip_mean, clip_deviation },
  { "Bit", "dinov2_with_registers", 224, TRUE, 224, ATTN_FILTER_BICUBIC, clip_mean,
    clip_deviation },
  { "CLIP", "clip", 224, TRUE, 224, ATTN_FILTER_BICUBIC, clip_mean, clip_deviation },
  { "Llava", "llava", 224, TRUE, 224, ATTN_FILTER_BICUBIC, clip_mean, clip_deviation },
  { "Qwen2VL", "qwen2_5_vl", 0, FALSE, 0, ATTN_FILTER_BICUBIC, clip_mean, clip_deviation, 28 },
  { "Qwen2VL", "qwen3_vl", 0, FALSE, 0, ATTN_FILTER_BICUBIC, half, half, 32 },
  { "Gemma3", "gemma3", 224, FALSE, 0, ATTN_FILTER_BILINEAR, half, half },
  { "Siglip", "siglip", 224, FALSE, 0, ATTN_FILTER_BICUBIC, half, half },
  { "DINOv3ViT", "dinov3_vit", 224, FALSE, 0, ATTN_FILTER_BILINEAR, imagenet_mean,
    imagenet_deviation },
};

/* Returns the kind of image processor that the configuration file names, or the usual one of the
 * model family if the file names none. */
static const Kind *
find_kind (AttnJsonReader *json,
           const char     *family)
{
  g_autoptr (GString) known = g_string_new (NULL);
  const char *name = attn_json_read_string (
      json, "image_processor_type", attn_json_read_string (json, "feature_extractor_type", NULL));

  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      const char *endings[] = { "ImageProcessor", "ImageProcessorFast", "FeatureExtractor" };

      if (name == NULL && strcmp (kinds[i].family, family) == 0)
        return &kinds[i];
      for (gsize k = 0; name != NULL && k < G_N_ELEMENTS (endings); k++)
        {
          g_autofree char *full = g_strconcat (kinds[i].name, endings[k], NULL);

          if (strcmp (name, full) == 0)
            return &kinds[i];
        }
      if (i == 0 || strcmp (kinds[i].name, kinds[i - 1].name) != 0)
        g_string_append_printf (known, "%s%sImageProcessor", i > 0 ? ", " : "", kinds[i].name);
    }
  attn_json_fail (json, ATTN_ERROR_UNSUPPORTED,
                  _("%s: “image_processor_type”: %s found, expected one of %s"), json->where,
                  name != NULL ? name : "null", known->str);
  return &kinds[0];
}

/* Tells whether a member of the configuration is an object. Returns FALSE once an error is set,
 * since nothing more is read then. */
static gboolean
is_object (const AttnJsonReader *json,
           const char           *member)
{
  JsonNode *node =
      json->error == NULL ? json_object_get_member (json->object, member) : NULL;

  return node != NULL && JSON_NODE_HOLDS_OBJECT (node);
}

/* Reads a size in pixels, which is a number or an object such as {"height": 224, "width": 224}.
 * @shortest_edge: (out) (nullable): set only if the size is that of the shorter side */
static void
read_size (AttnJsonReader *json,
           const char     *member,
           gboolean        is_shortest_edge,
           gsize           fallback,
           gsize          *shortest_edge,
           gsize          *height,
           gsize          *width)
{
  JsonObject *root = json->object;

  if (is_object (json, member))
    {
      json->object = attn_json_read_object (json, member);
      is_shortest_edge = json_object_has_member (json->object, "shortest_edge");
      if (!is_shortest_edge || json_object_has_member (json->object, "longest_edge"))
        {
          static const char * const sides[] = { "height", "width" };

          is_shortest_edge = FALSE;
          for (gsize i = 0; i < G_N_ELEMENTS (sides); i++)
            {
              if (!json_object_has_member (json->object, sides[i]))
                attn_json_fail (json, ATTN_ERROR_UNSUPPORTED,
                                _("%s: “%s”: no “%s” found, expected height and width, or the "
                                  "shortest edge alone"),
                                json->where, member, sides[i]);
              *(i == 0 ? height : width) =
                  attn_json_read_size (json, sides[i], 1, MAX_SIDE, fallback);
            }
        }
      else
        *height = *width = attn_json_read_size (json, "shortest_edge", 1, MAX_SIDE, fallback);
      json->object = root;
    }
  else
    *height = *width = attn_json_read_size (json, member, 1, MAX_SIDE, fallback);
  if (shortest_edge != NULL && is_shortest_edge)
    *shortest_edge = *height;
}

/* Reads the settings of image processors that keep a picture's proportions: the sides become
 * multiples of the side of one token's square, and the number of pixels is limited. */
static void
read_multiples (AttnJsonReader *json,
                AttnProcessor  *processor)
{
  JsonObject *root = json->object;
  gsize patch = attn_json_read_size (json, "patch_size", 1, MAX_SIDE, 14);
  gsize merge = attn_json_read_size (json, "merge_size", 1, 64, 2);

  processor->multiple = patch * merge;
  processor->least = attn_json_read_size (json, "min_pixels", 1, G_MAXINT, 56 * 56);
  processor->most = attn_json_read_size (json, "max_pixels", 1, G_MAXINT, 28 * 28 * 1280);
  if (!is_object (json, "size"))
    return;
  json->object = attn_json_read_object (json, "size");
  processor->least =
      attn_json_read_size (json, "shortest_edge", 1, G_MAXINT, processor->least);
  processor->most = attn_json_read_size (json, "longest_edge", 1, G_MAXINT, processor->most);
  json->object = root;
}

/* Reads three numbers, one for each of red, green and blue. @is_divisor: whether pixels are divided
 * by them, so that 0 is an error */
static void
read_channels (AttnJsonReader *json,
               const char     *member,
               const double   *fallback,
               gboolean        is_divisor,
               double          numbers[3])
{
  JsonArray *array = attn_json_read_array (json, member);
  gboolean is_good = array == NULL || json_array_get_length (array) == 3;

  for (guint i = 0; i < 3; i++)
    {
      JsonNode *node = array != NULL && is_good ? json_array_get_element (array, i) : NULL;
      GType type = node != NULL ? json_node_get_value_type (node) : G_TYPE_INVALID;

      numbers[i] = fallback[i];
      if (node == NULL)
        continue;
      if (type == G_TYPE_DOUBLE || type == G_TYPE_INT64)
        numbers[i] = json_node_get_double (node);
      else
        is_good = FALSE;
    }
  for (guint i = 0; i < 3; i++)
    is_good = is_good && isfinite (numbers[i]) && fabs (numbers[i]) < 1e6 &&
              (!is_divisor || fabs (numbers[i]) > 1e-6);
  if (!is_good)
    attn_json_fail (json, ATTN_ERROR_FORMAT,
                    _("%s: “%s”: another array found, expected three numbers"), json->where,
                    member);
}

static void
read_steps (AttnJsonReader *json,
            const Kind     *kind,
            AttnProcessor  *processor)
{
  static const char * const others[] = { "do_pad", "do_thumbnail", "do_align_long_axis",
                                         "do_flip_channel_order", "do_pan_and_scan" };
  static const double zeros[] = { 0.0, 0.0, 0.0 }, ones[] = { 1.0, 1.0, 1.0 };
  gboolean normalizes = attn_json_read_boolean (json, "do_normalize", TRUE);

  processor->resizes = attn_json_read_boolean (json, "do_resize", TRUE);
  processor->filter = (AttnFilter) attn_json_read_size (json, "resample", 0, ATTN_N_FILTERS - 1,
                                                        kind->filter);
  if (kind->multiple > 0)
    read_multiples (json, processor);
  else
    read_size (json, "size", kind->is_shortest_edge, kind->size, &processor->shortest_edge,
               &processor->height, &processor->width);
  if (attn_json_read_boolean (json, "do_center_crop", kind->crop_size > 0))
    read_size (json, "crop_size", FALSE, kind->crop_size > 0 ? kind->crop_size : kind->size, NULL,
               &processor->crop_height, &processor->crop_width);
  processor->factor = attn_json_read_boolean (json, "do_rescale", TRUE)
                          ? attn_json_read_number (json, "rescale_factor", 1.0 / 255.0)
                          : 1.0;
  if (!(fabs (processor->factor) > 1e-9 && fabs (processor->factor) < 1e9))
    attn_json_fail (json, ATTN_ERROR_LIMIT,
                    _("%s: “rescale_factor”: %g found, expected 1e-9 to 1e9"), json->where,
                    processor->factor);
  read_channels (json, "image_mean", kind->mean, FALSE, processor->mean);
  read_channels (json, "image_std", kind->deviation, TRUE, processor->deviation);
  if (!normalizes)
    {
      memcpy (processor->mean, zeros, sizeof zeros);
      memcpy (processor->deviation, ones, sizeof ones);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (others); i++)
    if (attn_json_read_boolean (json, others[i], FALSE))
      attn_json_fail (json, ATTN_ERROR_UNSUPPORTED, _("%s: “%s”: %s found, expected %s"),
                      json->where, others[i], "true", "false");
}

/**
 * attn_processor_load:
 * @path: the path of a checkpoint's folder, or of a file in it
 * @family: the family of its model, such as "vit", for files that do not name a processor
 * @processor: (out caller-allocates): the settings in its preprocessor_config.json
 * @error: return location: #GFileError if there is no such file, %ATTN_ERROR_UNSUPPORTED for an
 *   unknown processor or step, %ATTN_ERROR_FORMAT, %ATTN_ERROR_LIMIT
 */
gboolean
attn_processor_load (const char     *path,
                     const char     *family,
                     AttnProcessor  *processor,
                     GError        **error)
{
  g_autofree char *directory =
      g_file_test (path, G_FILE_TEST_IS_DIR) ? g_strdup (path) : g_path_get_dirname (path);
  g_autofree char *file = g_build_filename (directory, "preprocessor_config.json", NULL);
  g_autofree char *where = g_filename_display_name (file);

  memset (processor, 0, sizeof *processor);
  if (!g_file_test (file, G_FILE_TEST_EXISTS))
    {
      g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT,
                   _("%s: no such file found, expected it, for it says how pictures are prepared; "
                     "an array of pixels needs none"),
                   where);
      return FALSE;
    }
  g_autoptr (JsonNode) root = attn_json_load (file, error);
  if (root == NULL)
    return FALSE;
  AttnJsonReader json = attn_json_begin (root, where);
  read_steps (&json, find_kind (&json, family), processor);
  return attn_json_finish (&json, error);
}

/* Returns the center of a picture, @height x @width pixels, as center_crop() of
 * image_transforms.py. If the picture is too small, black borders are added. @left, @top: (out):
 * position of the result in @image, negative if it has borders */
static AttnImage *
crop (const AttnImage  *image,
      gsize             height,
      gsize             width,
      gssize           *left,
      gssize           *top,
      GError          **error)
{
  AttnImage *out = attn_image_new (width, height, error);
  gssize more_down = (gssize) image->height - (gssize) height;
  gssize more_across = (gssize) image->width - (gssize) width;

  /* The half of an odd number of pixels is rounded towards minus infinity, as in Python. */
  *top = more_down >= 0 ? more_down / 2 : -((-more_down + 1) / 2);
  *left = more_across >= 0 ? more_across / 2 : -((-more_across + 1) / 2);
  for (gsize y = 0; out != NULL && y < height; y++)
    for (gsize x = 0; x < width; x++)
      {
        gssize row = *top + (gssize) y, column = *left + (gssize) x;

        if (row >= 0 && column >= 0 && row < (gssize) image->height &&
            column < (gssize) image->width)
          memcpy (out->rgb + (y * width + x) * 3,
                  image->rgb + ((gsize) row * image->width + (gsize) column) * 3, 3);
      }
  return out;
}

/* Returns a multiple of @multiple near @side of a picture. @round: rounds up, down or to the
 * nearest */
static gsize
round_side (double side, gsize multiple, double (*round) (double x))
{
  return (gsize) round (side / (double) multiple) * multiple;
}

/* Computes the size to which a picture is resized if both sides must be multiples of a number, as
 * smart_resize() of image_processing_qwen2_vl.py does. */
static void
find_multiples (const AttnProcessor *processor,
                const AttnImage     *image,
                gsize               *height,
                gsize               *width)
{
  double n = (double) image->height * (double) image->width, factor = 1.0;
  double (*round) (double x) = rint;

  *height = round_side ((double) image->height, processor->multiple, round);
  *width = round_side ((double) image->width, processor->multiple, round);
  if (*height * *width > processor->most)
    {
      factor = 1.0 / sqrt (n / (double) processor->most);
      round = floor;
    }
  else if (*height * *width < processor->least)
    {
      factor = sqrt ((double) processor->least / n);
      round = ceil;
    }
  else
    return;
  *height = MAX (round_side ((double) image->height * factor, processor->multiple, round),
                 processor->multiple);
  *width = MAX (round_side ((double) image->width * factor, processor->multiple, round),
                processor->multiple);
}

/* Computes the size to which a picture is resized, as get_resize_output_image_size() of
 * image_transforms.py does. */
static void
find_sides (const AttnProcessor *processor,
            const AttnImage     *image,
            gsize               *height,
            gsize               *width)
{
  gsize edge = processor->shortest_edge;

  if (processor->multiple > 0)
    {
      find_multiples (processor, image, height, width);
      return;
    }
  *height = processor->height;
  *width = processor->width;
  if (edge == 0)
    return;
  *height = image->height < image->width ? edge : edge * image->height / image->width;
  *width = image->height < image->width ? edge * image->width / image->height : edge;
}

/**
 * attn_processor_prepare:
 * @image: a picture of any size
 * @prepared: (out) (optional) (transfer full): the picture that the model sees, resized and cropped
 * @box: (out) (optional): the part of @image that the model sees, in pixels of @image; it can reach
 *   beyond @image if black borders were added
 * @error: return location: %ATTN_ERROR_LIMIT for a picture whose longer side would become far too
 *   long, %ATTN_ERROR_MEMORY
 *
 * Prepares a picture for a model.
 *
 * Returns: (transfer full) (nullable): [3, height, width]: the numbers for red, green and blue that
 *   the model takes
 */
AttnTensor *
attn_processor_prepare (const AttnProcessor  *processor,
                        const AttnImage      *image,
                        AttnImage           **prepared,
                        AttnBox              *box,
                        GError              **error)
{
  g_autoptr (AttnImage) sized = attn_image_ref ((AttnImage *) image);
  gsize height = image->height, width = image->width;
  gssize left = 0, top = 0;

  if (processor->resizes)
    {
      find_sides (processor, image, &height, &width);
      if (MAX (height, width) > MAX_SIDE || MIN (height, width) == 0)
        return attn_fail_null (error, ATTN_ERROR_LIMIT,
                               _("a picture of %zu x %zu pixels found, expected one whose longer "
                                 "side becomes at most %d pixels"),
                               image->width, image->height, MAX_SIDE);
      attn_image_unref (sized);
      sized = attn_image_resize (image, processor->filter, width, height, NULL, error);
    }
  if (sized != NULL && processor->crop_height > 0)
    {
      AttnImage *middle =
          crop (sized, processor->crop_height, processor->crop_width, &left, &top, error);

      attn_image_unref (sized);
      sized = middle;
    }
  if (sized == NULL)
    return NULL;

  const gsize shape[] = { 3, sized->height, sized->width };
  AttnTensor *pixels = attn_tensor_new_unset (3, shape, error);
  gsize n = sized->height * sized->width;
  if (pixels == NULL)
    return NULL;
  for (gsize channel = 0; channel < 3; channel++)
    for (gsize i = 0; i < n; i++)
      pixels->data[channel * n + i] =
          (float) ((sized->rgb[i * 3 + channel] * processor->factor - processor->mean[channel]) /
                   processor->deviation[channel]);
  if (box != NULL)
    {
      double across = (double) image->width / (double) width;
      double down = (double) image->height / (double) height;

      *box = (AttnBox) { (double) left * across, (double) top * down,
                         ((double) left + (double) sized->width) * across,
                         ((double) top + (double) sized->height) * down };
    }
  if (prepared != NULL)
    *prepared = g_steal_pointer (&sized);
  return pixels;
}
