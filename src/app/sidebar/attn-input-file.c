/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-input-file.h"

#include <glib/gi18n.h>

#include "attn-image-read.h"
#include "attn-resample.h"
#include "attn-signal.h"
#include "attn-task.h"
#include "attn-wav.h"

/* The height of a thumbnail and its largest width, in pixels. */
#define SMALL_HEIGHT 48
#define SMALL_WIDTH  144

/* The number of pixels of a thumbnail for each pixel of its size, for screens with a scale of 2. */
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
  char **paths;      /* (nullable): paths of the sound or the pictures */
  gboolean is_alone; /* whether the input has no text beside the file of a picture or sound */
  double duration;   /* length of a sound in seconds; 0 until it is known */
  AttnTask *reading;

  GtkBox *pictures;
  GtkLabel *name;
  GtkButton *add;
  GtkButton *remove;
};

G_DEFINE_FINAL_TYPE (AttnInputFile, attn_input_file, GTK_TYPE_BOX)

enum
{
  SIGNAL_MEASURED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

/* The thumbnails of pictures, or the length of a sound in seconds, as a thread reads them from the
 * files at @paths. */
typedef struct
{
  AttnFileKind kind;
  char **paths;
  GPtrArray *small; /* of AttnImage */
  double duration;
} Reading;

static void
free_reading (gpointer data)
{
  Reading *reading = data;

  g_ptr_array_unref (reading->small);
  g_strfreev (reading->paths);
  g_free (reading);
}

static void
read_small (Reading    *reading,
            const char *path)
{
  g_autoptr (AttnImage) image = attn_image_read (path, NULL);

  if (image == NULL)
    return;
  double scale = MIN ((double) SMALL_HEIGHT / (double) image->height,
                      (double) SMALL_WIDTH / (double) image->width) *
                 SHARPNESS;
  gsize width = (gsize) MAX (scale * (double) image->width, 1.0);
  gsize height = (gsize) MAX (scale * (double) image->height, 1.0);
  AttnImage *small = scale < 1.0 ? attn_image_resize (image, ATTN_FILTER_BOX, width, height, NULL,
                                                      NULL)
                                 : attn_image_ref (image);
  if (small != NULL)
    g_ptr_array_add (reading->small, small);
}

static void
run_reading (gpointer  data,
             AttnTask *task,
             gpointer  place)
{
  Reading *reading = data;
  AttnWav wav;

  for (gsize i = 0; reading->kind == ATTN_FILE_IMAGE && reading->paths[i] != NULL; i++)
    read_small (reading, reading->paths[i]);
  if (reading->kind == ATTN_FILE_AUDIO && attn_wav_describe (reading->paths[0], &wav, NULL))
    reading->duration = attn_wav_get_duration (&wav);
}

static void
deliver_reading (gpointer owner,
                 gpointer data)
{
  AttnInputFile *self = owner;
  const GPtrArray *all = ((Reading *) data)->small;

  for (guint i = 0; i < all->len; i++)
    {
      const AttnImage *small = all->pdata[i];
      g_autoptr (GBytes) bytes = g_bytes_new (small->rgb, small->width * small->height * 3);
      g_autoptr (GdkTexture) texture =
          gdk_memory_texture_new ((int) small->width, (int) small->height, GDK_MEMORY_R8G8B8, bytes,
                                  small->width * 3);
      GtkWidget *picture = gtk_picture_new_for_paintable (GDK_PAINTABLE (texture));

      gtk_picture_set_can_shrink (GTK_PICTURE (picture), TRUE);
      gtk_widget_set_size_request (picture, -1, SMALL_HEIGHT);
      gtk_box_append (self->pictures, picture);
    }
  gtk_widget_set_visible (GTK_WIDGET (self->pictures), all->len > 0);
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
  g_strfreev (ATTN_INPUT_FILE (object)->paths);

  G_OBJECT_CLASS (attn_input_file_parent_class)->finalize (object);
}

static void
attn_input_file_class_init (AttnInputFileClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = attn_input_file_dispose;
  G_OBJECT_CLASS (klass)->finalize = attn_input_file_finalize;

  /* (): emitted when the length of the sound is known. */
  signals[SIGNAL_MEASURED] = attn_signal_new (klass, "measured", 0);
}

/* Adds a button for the pictures of a text. @action: name of the button's action, whose parameter
 * is the index of the input */
static GtkButton *
add_button (GtkBox     *box,
            const char *icon,
            const char *words,
            const char *action)
{
  GtkWidget *button = gtk_button_new_from_icon_name (icon);

  gtk_button_set_has_frame (GTK_BUTTON (button), FALSE);
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_widget_set_tooltip_text (button, words);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, words,
                                  -1);
  gtk_actionable_set_action_target (GTK_ACTIONABLE (button), "u", 0);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), action);
  gtk_box_append (box, button);
  return GTK_BUTTON (button);
}

static void
attn_input_file_init (AttnInputFile *self)
{
  GtkBox *bar = GTK_BOX (gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6));

  gtk_orientable_set_orientation (GTK_ORIENTABLE (self), GTK_ORIENTATION_VERTICAL);
  self->pictures = GTK_BOX (gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6));
  gtk_widget_set_halign (GTK_WIDGET (self->pictures), GTK_ALIGN_START);
  gtk_widget_set_visible (GTK_WIDGET (self->pictures), FALSE);
  gtk_box_append (GTK_BOX (self), GTK_WIDGET (self->pictures));
  gtk_box_append (GTK_BOX (self), GTK_WIDGET (bar));
  self->name = GTK_LABEL (gtk_label_new (NULL));
  gtk_label_set_ellipsize (self->name, PANGO_ELLIPSIZE_MIDDLE);
  gtk_label_set_xalign (self->name, 0.0f);
  gtk_widget_set_hexpand (GTK_WIDGET (self->name), TRUE);
  gtk_widget_add_css_class (GTK_WIDGET (self->name), "dim-label");
  gtk_box_append (bar, GTK_WIDGET (self->name));
  self->remove = add_button (bar, "list-remove-symbolic",
                             _("Take the last picture out of the text"), "win.remove-picture");
  self->add = add_button (bar, "list-add-symbolic", _("Put another picture into the text"),
                          "win.add-picture");
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
}

/* Takes the paths of other files: a thread makes thumbnails of the pictures, or measures the length
 * of the sound. */
static void
take_paths (AttnInputFile      *self,
            const char * const *paths)
{
  GtkWidget *child;

  attn_task_give_up (&self->reading);
  g_strfreev (self->paths);
  self->paths = g_strdupv ((char **) paths);
  self->duration = 0.0;
  gtk_widget_set_visible (GTK_WIDGET (self->pictures), FALSE);
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->pictures))) != NULL)
    gtk_box_remove (self->pictures, child);
  if (self->kind != ATTN_FILE_IMAGE && self->kind != ATTN_FILE_AUDIO)
    return;
  Reading *reading = g_new0 (Reading, 1);
  reading->kind = self->kind;
  reading->paths = g_strdupv ((char **) paths);
  reading->small = g_ptr_array_new_with_free_func ((GDestroyNotify) attn_image_unref);
  attn_task_start (&reading_kind, self, reading, TRUE, &self->reading);
}

/* Returns: (transfer full): the names of the files, or their whole paths, as one text */
static char *
join_names (const char * const *paths,
            gboolean            is_whole)
{
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();

  for (gsize i = 0; paths != NULL && paths[i] != NULL; i++)
    {
      g_autofree char *name = is_whole ? g_filename_display_name (paths[i])
                                       : g_filename_display_basename (paths[i]);

      g_strv_builder_add (names, name);
    }
  g_auto (GStrv) all = g_strv_builder_end (names);
  return g_strjoinv (is_whole ? "\n" : ", ", all);
}

/**
 * attn_input_file_set_input:
 * @input: a picture or a sound, or a text with or without pictures
 * @index: index of the input in the study
 *
 * Shows the pictures or the sound of the input, if it has any.
 */
void
attn_input_file_set_input (AttnInputFile   *self,
                           const AttnInput *input,
                           guint            index)
{
  const char *sounds[] = { input->audio != NULL ? input->audio : input->features, NULL };
  const char * const *pictures = attn_input_get_pictures (input);
  const char * const *paths = pictures != NULL ? pictures : sounds[0] != NULL ? sounds
                                                                              : NULL;
  AttnFileKind kind = input->images != NULL     ? ATTN_FILE_IMAGE
                      : input->pixels != NULL   ? ATTN_FILE_PIXELS
                      : input->audio != NULL    ? ATTN_FILE_AUDIO
                      : input->features != NULL ? ATTN_FILE_FEATURES
                                                : ATTN_FILE_NONE;
  g_autofree char *shown = join_names (paths, FALSE);
  g_autofree char *whole = join_names (paths, TRUE);
  gboolean is_same = self->paths == NULL || paths == NULL
                         ? (gpointer) self->paths == (gpointer) paths
                         : g_strv_equal ((const char * const *) self->paths, paths);

  self->is_alone = paths != NULL && !attn_input_is_text (input);
  if (kind != self->kind || !is_same)
    {
      self->kind = kind;
      take_paths (self, paths);
    }
  gtk_label_set_label (self->name, shown);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self), *whole != '\0' ? whole : NULL);
  /* If the input is a sound alone, its entry already shows the path. */
  gtk_widget_set_visible (GTK_WIDGET (self->name), !self->is_alone);
  gtk_widget_set_visible (GTK_WIDGET (self), kind == ATTN_FILE_IMAGE || !self->is_alone);
  gtk_actionable_set_action_target (GTK_ACTIONABLE (self->add), "u", index);
  gtk_actionable_set_action_target (GTK_ACTIONABLE (self->remove), "u", index);
  gtk_widget_set_visible (GTK_WIDGET (self->add), kind == ATTN_FILE_IMAGE && !self->is_alone);
  gtk_widget_set_visible (GTK_WIDGET (self->remove),
                          kind == ATTN_FILE_IMAGE && !self->is_alone && paths[1] != NULL);
  if (paths == NULL)
    gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
}

/**
 * attn_input_file_get_path:
 *
 * Returns: (transfer none) (nullable): the path of the sound or of the first picture; %NULL for an
 *   input without a file
 */
const char *
attn_input_file_get_path (AttnInputFile *self)
{
  return self->paths != NULL ? self->paths[0] : NULL;
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
 * Returns: the length of the sound in seconds; 0 for an input that is no sound, or until it is
 *   known
 */
double
attn_input_file_get_duration (AttnInputFile *self)
{
  return self->duration;
}

/**
 * attn_input_file_new_input:
 * @path: path of another picture or sound, of the same kind as the present one
 *
 * Returns: (transfer full): a new input that is that file, without a text
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
 * @input: (inout): an input with a text
 *
 * Adds to @input the pictures that its text refers to, if this widget shows any.
 */
void
attn_input_file_add_to (AttnInputFile *self,
                        AttnInput     *input)
{
  gboolean is_prepared = self->kind == ATTN_FILE_PIXELS;

  if (self->kind != ATTN_FILE_IMAGE && !is_prepared)
    return;
  for (gsize i = 0; self->paths[i] != NULL; i++)
    attn_input_add_picture (input, self->paths[i], is_prepared);
}
