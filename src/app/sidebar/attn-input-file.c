/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-input-file.h"

#include "attn-image-read.h"
#include "attn-resample.h"
#include "attn-signal.h"
#include "attn-task.h"
#include "attn-wav.h"

/* Height of the small picture, and the width that it may have, in pixels. */
#define SMALL_HEIGHT 48
#define SMALL_WIDTH  144

/* Pixels of it for one of the screen, for screens that have several. */
#define SHARPNESS 2

/* Kinds of files that an input can be. */
typedef enum
{
  ATTN_FILE_NONE,
  ATTN_FILE_IMAGE,
  ATTN_FILE_PIXELS,
  ATTN_FILE_AUDIO,
  ATTN_FILE_FEATURES,
} AttnFileKind;

struct _AttnInputFile
{
  GtkBox parent_instance;

  AttnFileKind kind;
  char *path;        /* (nullable) */
  gboolean is_alone; /* there is no text beside it */
  double duration;   /* of a sound, in seconds; 0 where it is not known */
  AttnTask *reading;

  GtkPicture *picture;
  GtkLabel *name;
};

G_DEFINE_FINAL_TYPE (AttnInputFile, attn_input_file, GTK_TYPE_BOX)

enum
{
  SIGNAL_MEASURED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

/* The thumbnail of a picture, or the length of a sound in seconds, as a thread reads it from the
 * file at @path. */
typedef struct
{
  AttnFileKind kind;
  char *path;
  AttnImage *small; /* (nullable) */
  double duration;
} Reading;

static void
free_reading (gpointer data)
{
  Reading *reading = data;

  g_clear_pointer (&reading->small, attn_image_unref);
  g_free (reading->path);
  g_free (reading);
}

static void
read_small (Reading *reading)
{
  g_autoptr (AttnImage) image = attn_image_read (reading->path, NULL);

  if (image == NULL)
    return;
  double scale = MIN ((double) SMALL_HEIGHT / (double) image->height,
                      (double) SMALL_WIDTH / (double) image->width) *
                 SHARPNESS;
  gsize width = (gsize) MAX (scale * (double) image->width, 1.0);
  gsize height = (gsize) MAX (scale * (double) image->height, 1.0);
  reading->small = scale < 1.0 ? attn_image_resize (image, ATTN_FILTER_BOX, width, height, NULL,
                                                    NULL)
                               : attn_image_ref (image);
}

static void
run_reading (gpointer  data,
             AttnTask *task,
             gpointer  place)
{
  Reading *reading = data;
  AttnWav wav;

  if (reading->kind == ATTN_FILE_IMAGE)
    read_small (reading);
  else if (attn_wav_describe (reading->path, &wav, NULL))
    reading->duration = attn_wav_get_duration (&wav);
}

static void
deliver_reading (gpointer owner,
                 gpointer data)
{
  AttnInputFile *self = owner;
  const AttnImage *small = ((Reading *) data)->small;

  if (small != NULL)
    {
      g_autoptr (GBytes) bytes = g_bytes_new (small->rgb, small->width * small->height * 3);
      g_autoptr (GdkTexture) texture =
          gdk_memory_texture_new ((int) small->width, (int) small->height, GDK_MEMORY_R8G8B8, bytes,
                                  small->width * 3);

      gtk_picture_set_paintable (self->picture, GDK_PAINTABLE (texture));
    }
  gtk_widget_set_visible (GTK_WIDGET (self->picture), small != NULL);
  self->duration = ((Reading *) data)->duration;
  free_reading (data);
  if (self->duration > 0.0)
    g_signal_emit (self, signals[SIGNAL_MEASURED], 0);
}

static const AttnTaskKind reading_kind = {
  .run = run_reading,
  .deliver = deliver_reading,
  .free = free_reading,
};

static void
attn_input_file_dispose (GObject *object)
{
  attn_task_give_up (&ATTN_INPUT_FILE (object)->reading);

  G_OBJECT_CLASS (attn_input_file_parent_class)->dispose (object);
}

static void
attn_input_file_finalize (GObject *object)
{
  g_free (ATTN_INPUT_FILE (object)->path);

  G_OBJECT_CLASS (attn_input_file_parent_class)->finalize (object);
}

static void
attn_input_file_class_init (AttnInputFileClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = attn_input_file_dispose;
  G_OBJECT_CLASS (klass)->finalize = attn_input_file_finalize;

  /* Emitted when the length of the sound is known. */
  signals[SIGNAL_MEASURED] = attn_signal_new (klass, "measured", 0);
}

static void
attn_input_file_init (AttnInputFile *self)
{
  GtkBox *box = GTK_BOX (self);

  gtk_box_set_spacing (box, 6);
  self->picture = GTK_PICTURE (gtk_picture_new ());
  gtk_picture_set_can_shrink (self->picture, TRUE);
  gtk_widget_set_size_request (GTK_WIDGET (self->picture), -1, SMALL_HEIGHT);
  gtk_widget_set_halign (GTK_WIDGET (self->picture), GTK_ALIGN_START);
  gtk_widget_set_visible (GTK_WIDGET (self->picture), FALSE);
  gtk_box_append (box, GTK_WIDGET (self->picture));
  self->name = GTK_LABEL (gtk_label_new (NULL));
  gtk_label_set_ellipsize (self->name, PANGO_ELLIPSIZE_MIDDLE);
  gtk_label_set_xalign (self->name, 0.0f);
  gtk_widget_set_hexpand (GTK_WIDGET (self->name), TRUE);
  gtk_widget_add_css_class (GTK_WIDGET (self->name), "dim-label");
  gtk_box_append (box, GTK_WIDGET (self->name));
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
}

/* Another file than before: a thread reads the picture, or measures the sound. */
static void
take_path (AttnInputFile *self,
           const char    *path)
{
  attn_task_give_up (&self->reading);
  g_free (self->path);
  self->path = g_strdup (path);
  self->duration = 0.0;
  gtk_widget_set_visible (GTK_WIDGET (self->picture), FALSE);
  gtk_picture_set_paintable (self->picture, NULL);
  if (self->kind != ATTN_FILE_IMAGE && self->kind != ATTN_FILE_AUDIO)
    return;
  Reading *reading = g_new0 (Reading, 1);
  reading->kind = self->kind;
  reading->path = g_strdup (path);
  attn_task_start (&reading_kind, self, reading, TRUE, &self->reading);
}

/**
 * attn_input_file_set_input:
 * @input: a picture or a sound, or a text with or without a picture
 *
 * Shows what file it has, if any.
 */
void
attn_input_file_set_input (AttnInputFile   *self,
                           const AttnInput *input)
{
  const char *files[] = { NULL, input->image, input->pixels, input->audio, input->features };
  AttnFileKind kind = G_N_ELEMENTS (files) - 1;

  while (kind != ATTN_FILE_NONE && files[kind] == NULL)
    kind--;
  const char *path = files[kind];
  g_autofree char *shown = path != NULL ? g_filename_display_basename (path) : NULL;
  g_autofree char *whole = path != NULL ? g_filename_display_name (path) : NULL;

  self->is_alone = path != NULL && !attn_input_is_text (input);
  if (kind != self->kind || g_strcmp0 (path, self->path) != 0)
    {
      self->kind = kind;
      take_path (self, path);
    }
  gtk_label_set_label (self->name, shown != NULL ? shown : "");
  gtk_widget_set_tooltip_text (GTK_WIDGET (self), whole);
  /* If the input is a sound alone, its entry already shows the path. */
  gtk_widget_set_visible (GTK_WIDGET (self->name), !self->is_alone);
  gtk_widget_set_visible (GTK_WIDGET (self), kind == ATTN_FILE_IMAGE || !self->is_alone);
  if (path == NULL)
    gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
}

/**
 * attn_input_file_get_path:
 *
 * Returns: (transfer none) (nullable): of the picture or sound
 */
const char *
attn_input_file_get_path (AttnInputFile *self)
{
  return self->path;
}

/**
 * attn_input_file_is_alone:
 *
 * Returns: whether the input is a picture or a sound and nothing else
 */
gboolean
attn_input_file_is_alone (AttnInputFile *self)
{
  return self->is_alone;
}

/**
 * attn_input_file_get_duration:
 *
 * Returns: of the sound, in seconds; 0 for anything else
 */
double
attn_input_file_get_duration (AttnInputFile *self)
{
  return self->duration;
}

/**
 * attn_input_file_new_input:
 * @path: of a file of the same kind
 *
 * Returns: (transfer full): an input of that file alone
 */
AttnInput *
attn_input_file_new_input (AttnInputFile *self,
                           const char    *path)
{
  if (self->kind == ATTN_FILE_AUDIO || self->kind == ATTN_FILE_FEATURES)
    return attn_input_new_sound (path, self->kind == ATTN_FILE_FEATURES);
  return attn_input_new_picture (path, self->kind == ATTN_FILE_PIXELS);
}

/**
 * attn_input_file_add_to:
 * @input: (inout): a text
 *
 * Gives it the picture that stands in it, if there is one.
 */
void
attn_input_file_add_to (AttnInputFile *self,
                        AttnInput     *input)
{
  if (self->kind == ATTN_FILE_IMAGE)
    input->image = g_strdup (self->path);
  if (self->kind == ATTN_FILE_PIXELS)
    input->pixels = g_strdup (self->path);
}
