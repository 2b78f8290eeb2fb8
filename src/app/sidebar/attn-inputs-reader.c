/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-inputs-reader.h"

#include <errno.h>
#include <glib/gi18n.h>

#include "attn-edits.h"
#include "attn-error.h"
#include "attn-fasta.h"
#include "attn-image-read.h"
#include "attn-inquiry.h"
#include "attn-popover.h"
#include "attn-save.h"
#include "attn-wav.h"

struct _AttnInputsReader
{
  GObject parent_instance;

  /* %NULL once the reader is closed */
  GtkWidget *section; /* unowned */
  AttnBinder *binder; /* unowned */
  AttnSession *session;

  GCancellable *cancellable; /* stops reading files */
};

G_DEFINE_FINAL_TYPE (AttnInputsReader, attn_inputs_reader, G_TYPE_OBJECT)

/* --- Files --- */

static void
add_texts (AttnInputsReader *self,
           const char       *name,
           GBytes           *bytes,
           gboolean          is_whole)
{
  g_autoptr (AttnStudy) study = attn_study_copy (attn_session_get_study (self->session));
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) inputs = attn_inputs_split_text (
      name, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), is_whole, &error);

  if (inputs == NULL || !attn_edits_append_inputs (study, inputs, name, &error))
    attn_binder_fail (self->binder, error);
  else
    attn_session_edit (self->session, g_steal_pointer (&study), NULL);
}

static void
answered_cb (AttnInputsReader *self,
             GtkWidget        *button)
{
  GtkWidget *popover = gtk_widget_get_ancestor (button, GTK_TYPE_POPOVER);

  add_texts (self, g_object_get_data (G_OBJECT (popover), "name"),
             g_object_get_data (G_OBJECT (popover), "bytes"),
             gtk_widget_get_next_sibling (button) == NULL);
  gtk_popover_popdown (GTK_POPOVER (popover));
}

/* Asks whether a file of several lines is a single input, or has an input in each line. */
static void
ask_how (AttnInputsReader *self,
         const char       *name,
         GBytes           *bytes,
         guint             n_lines)
{
  GtkWidget *popover = gtk_popover_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  g_autofree char *question = g_strdup_printf (
      g_dngettext (NULL, "%s has %u line", "%s has %u lines", n_lines), name, n_lines);
  GtkWidget *label = gtk_label_new (question);
  GtkWidget *lines = gtk_button_new_with_mnemonic (_("One Input per _Line"));
  GtkWidget *whole = gtk_button_new_with_mnemonic (_("The _Whole File as One Input"));

  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_max_width_chars (GTK_LABEL (label), 30);
  gtk_widget_add_css_class (lines, "suggested-action");
  gtk_box_append (GTK_BOX (box), label);
  gtk_box_append (GTK_BOX (box), lines);
  gtk_box_append (GTK_BOX (box), whole);
  gtk_popover_set_child (GTK_POPOVER (popover), box);
  g_signal_connect_object (lines, "clicked", G_CALLBACK (answered_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (whole, "clicked", G_CALLBACK (answered_cb), self, G_CONNECT_SWAPPED);
  g_object_set_data_full (G_OBJECT (popover), "name", g_strdup (name), g_free);
  g_object_set_data_full (G_OBJECT (popover), "bytes", g_bytes_ref (bytes),
                          (GDestroyNotify) g_bytes_unref);

  /* No place is given, so that the popover points at the button even when it moves: a file from the
   * command line is read before the window is laid out. */
  attn_popover_open (GTK_POPOVER (popover), attn_binder_find (self->binder, "open_texts"), NULL);
}

/* Tells the user the error that occurred with @file. Returns: whether there was one, or the reader
 * is closed */
static gboolean
has_failed (AttnInputsReader  *self,
            GFile             *file,
            GError           **error)
{
  g_autofree char *path = g_file_get_parse_name (file);

  if (self->binder == NULL || g_error_matches (*error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return TRUE;
  if (*error == NULL)
    return FALSE;
  g_prefix_error (error, "%s: ", path);
  attn_binder_fail (self->binder, *error);
  return TRUE;
}

static void
loaded_cb (GObject      *object,
           GAsyncResult *async_result,
           gpointer      user_data)
{
  g_autoptr (AttnInputsReader) self = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes =
      g_file_load_bytes_finish (G_FILE (object), async_result, NULL, &error);
  g_autofree char *path = g_file_get_parse_name (G_FILE (object));
  g_autofree char *name = g_file_get_basename (G_FILE (object));

  if (has_failed (self, G_FILE (object), &error))
    return;
  g_autoptr (GPtrArray) lines = attn_inputs_split_text (path, g_bytes_get_data (bytes, NULL),
                                                        g_bytes_get_size (bytes), FALSE, &error);
  if (lines == NULL)
    attn_binder_fail (self->binder, error);
  else if (lines->len > 1 && !attn_fasta_is_file (name))
    ask_how (self, name, bytes, lines->len);
  else
    add_texts (self, name, bytes, FALSE);
}

static void
queried_cb (GObject      *object,
            GAsyncResult *async_result,
            gpointer      user_data)
{
  g_autoptr (AttnInputsReader) self = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GFileInfo) info = g_file_query_info_finish (G_FILE (object), async_result, &error);

  if (info != NULL && g_file_info_get_file_type (info) != G_FILE_TYPE_REGULAR)
    g_set_error (&error, ATTN_ERROR, ATTN_ERROR_ARGUMENT,
                 _("something else found, expected a file of text"));
  else if (info != NULL && g_file_info_get_size (info) > ATTN_EDITS_MAX_TEXT)
    g_set_error (&error, ATTN_ERROR, ATTN_ERROR_LIMIT,
                 _("%zu bytes found, expected a text of at most %zu"),
                 (gsize) g_file_info_get_size (info), (gsize) ATTN_EDITS_MAX_TEXT);
  if (!has_failed (self, G_FILE (object), &error))
    g_file_load_bytes_async (G_FILE (object), self->cancellable, loaded_cb, g_object_ref (self));
}

/* A file that a thread inspects: it may be a sound, or a part of a checkpoint such as vocab.txt. */
typedef struct
{
  GFile *file;
  gboolean is_sound;
  gboolean is_part;
} Sorting;

static void
sorting_run (gpointer data)
{
  Sorting *sorting = data;
  g_autofree char *path = g_file_get_path (sorting->file);

  sorting->is_sound = path != NULL && attn_wav_is_file (path);
  sorting->is_part = path != NULL && !sorting->is_sound && attn_model_is_described_by (path);
}

static void
sorting_free (gpointer data)
{
  Sorting *sorting = data;

  g_object_unref (sorting->file);
  g_free (sorting);
}

static void
add_sound (AttnInputsReader *self,
           const char       *path)
{
  AttnStudy *study = attn_study_copy (attn_session_get_study (self->session));

  attn_edits_add_sound (study, path);
  attn_session_edit (self->session, study, NULL);
}

/* Has the window open the file if it is a part of a checkpoint, adds it as an input if it is a
 * sound, and reads any other file as text. */
static void
sorting_take (gpointer owner,
              gpointer data)
{
  static const char attributes[] =
      G_FILE_ATTRIBUTE_STANDARD_TYPE "," G_FILE_ATTRIBUTE_STANDARD_SIZE;
  AttnInputsReader *self = owner;
  const Sorting *sorting = data;
  g_autofree char *path = g_file_get_path (sorting->file);

  if (self->binder == NULL)
    return;
  if (sorting->is_sound)
    add_sound (self, path);
  else if (sorting->is_part)
    gtk_widget_activate_action (self->section, "win.open-recent", "^ay", path);
  else
    g_file_query_info_async (sorting->file, attributes, G_FILE_QUERY_INFO_NONE,
                             G_PRIORITY_DEFAULT, self->cancellable, queried_cb,
                             g_object_ref (self));
}

/* Returns the properties of the session's model, %NULL if none is open. */
static const AttnModelInfo *
get_info (AttnInputsReader *self)
{
  AttnModel *model = attn_session_get_model (self->session);

  return model != NULL ? attn_model_get_info (model) : NULL;
}

/**
 * attn_inputs_reader_load:
 * @file: a file of text, a picture or a sound
 *
 * Adds what is in the file to the inputs. A text of one line is an input; for several lines the
 * user is asked whether each is one; each sequence of a FASTA file is one.
 * Pictures replace texts and are added to other pictures; sounds likewise.
 */
void
attn_inputs_reader_load (AttnInputsReader *self,
                         GFile            *file)
{
  static const AttnInquiry inquiry = { sorting_run, sorting_take, sorting_free };
  g_autofree char *path = g_file_get_path (file);

  if (path != NULL && attn_image_is_file (path))
    {
      AttnStudy *study = attn_study_copy (attn_session_get_study (self->session));

      attn_edits_add_picture (study, get_info (self), path);
      attn_session_edit (self->session, study, NULL);
      return;
    }
  Sorting *sorting = g_new0 (Sorting, 1);
  sorting->file = g_object_ref (file);
  attn_inquiry_start (&inquiry, self, sorting);
}

/**
 * attn_inputs_reader_takes:
 *
 * Returns: whether a file is, by its name, a text, a picture or a sound, which can be an input, see
 *   [func@attn_inputs_reader_load]
 */
gboolean
attn_inputs_reader_takes (GFile *file)
{
  static const char * const suffixes[] = { ".txt", ".text", ".md", ".tsv", ".log",
                                           ".fasta", ".fa", ".faa", ".wav", ".wave" };
  g_autofree char *path = g_file_get_path (file);
  g_autofree char *lower = g_ascii_strdown (path != NULL ? path : "", -1);

  if (path != NULL && attn_image_is_file (path))
    return TRUE;
  for (gsize i = 0; i < G_N_ELEMENTS (suffixes); i++)
    if (g_str_has_suffix (lower, suffixes[i]))
      return TRUE;
  return FALSE;
}

/* --- The clipboard --- */

/* A picture from the clipboard that a thread writes to a file. */
typedef struct
{
  GdkTexture *texture;
  char *path; /* (nullable) */
  GError *error;
} Keeping;

/* Writes a picture to a file, as studies refer to pictures by their paths. The name is made from
 * the contents, so that the same picture is written once. Returns: its path (transfer full)
 * (nullable) */
static char *
keep_picture (GdkTexture  *texture,
              GError     **error)
{
  g_autoptr (GBytes) png = gdk_texture_save_to_png_bytes (texture);
  g_autofree char *folder =
      g_build_filename (g_get_user_data_dir (), GETTEXT_PACKAGE, "pictures", NULL);
  g_autofree char *checksum = g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, png);
  g_autofree char *name = g_strdup_printf ("%.12s.png", checksum);
  g_autofree char *path = g_build_filename (folder, name, NULL);

  if (g_mkdir_with_parents (folder, 0700) != 0)
    {
      g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (errno), "%s: %s", folder,
                   g_strerror (errno));
      return NULL;
    }
  return attn_save_bytes (path, png, error) ? g_steal_pointer (&path) : NULL;
}

static void
keeping_run (gpointer data)
{
  Keeping *keeping = data;

  keeping->path = keep_picture (keeping->texture, &keeping->error);
}

static void
keeping_free (gpointer data)
{
  Keeping *keeping = data;

  g_object_unref (keeping->texture);
  g_free (keeping->path);
  g_clear_error (&keeping->error);
  g_free (keeping);
}

static void
keeping_take (gpointer owner,
              gpointer data)
{
  AttnInputsReader *self = owner;
  const Keeping *keeping = data;

  if (self->binder != NULL && keeping->path == NULL)
    attn_binder_fail (self->binder, keeping->error);
  else if (self->binder != NULL)
    {
      AttnStudy *study = attn_study_copy (attn_session_get_study (self->session));

      attn_edits_add_picture (study, get_info (self), keeping->path);
      attn_session_edit (self->session, study, NULL);
    }
}

static void
pasted_cb (GObject      *object,
           GAsyncResult *async_result,
           gpointer      user_data)
{
  static const AttnInquiry inquiry = { keeping_run, keeping_take, keeping_free };
  g_autoptr (AttnInputsReader) self = user_data;
  g_autoptr (GError) error = NULL;
  GdkTexture *texture =
      gdk_clipboard_read_texture_finish (GDK_CLIPBOARD (object), async_result, &error);

  if (texture != NULL)
    {
      Keeping *keeping = g_new0 (Keeping, 1);

      keeping->texture = texture;
      attn_inquiry_start (&inquiry, self, keeping);
    }
  else if (self->binder != NULL && !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    attn_binder_fail (self->binder, error);
}

/**
 * attn_inputs_reader_paste:
 *
 * Adds the picture of the clipboard to the inputs, if there is one.
 *
 * Returns: whether the clipboard has a picture
 */
gboolean
attn_inputs_reader_paste (AttnInputsReader *self)
{
  GdkClipboard *clipboard = gtk_widget_get_clipboard (self->section);

  if (!gdk_content_formats_contain_gtype (gdk_clipboard_get_formats (clipboard),
                                          GDK_TYPE_TEXTURE))
    return FALSE;
  gdk_clipboard_read_texture_async (clipboard, self->cancellable, pasted_cb, g_object_ref (self));
  return TRUE;
}

/* --- The object --- */

static void
attn_inputs_reader_finalize (GObject *object)
{
  AttnInputsReader *self = ATTN_INPUTS_READER (object);

  g_object_unref (self->cancellable);
  g_clear_object (&self->session);

  G_OBJECT_CLASS (attn_inputs_reader_parent_class)->finalize (object);
}

static void
attn_inputs_reader_class_init (AttnInputsReaderClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = attn_inputs_reader_finalize;
}

static void
attn_inputs_reader_init (AttnInputsReader *self)
{
  self->cancellable = g_cancellable_new ();
}

/**
 * attn_inputs_reader_new:
 * @section: the widget of the inputs, in whose window files are read and pasted
 * @session: the session whose study gets the inputs
 * @binder: the binder of the side bar, which tells errors, and finds the button that a question
 *   about a file points at
 *
 * The reader must be closed with attn_inputs_reader_close() before @section or @binder goes.
 */
AttnInputsReader *
attn_inputs_reader_new (GtkWidget   *section,
                        AttnSession *session,
                        AttnBinder  *binder)
{
  AttnInputsReader *self = g_object_new (ATTN_TYPE_INPUTS_READER, NULL);

  self->section = section;
  self->session = g_object_ref (session);
  self->binder = binder;
  return self;
}

/**
 * attn_inputs_reader_close:
 *
 * Stops reading: what is being read is not added any more.
 */
void
attn_inputs_reader_close (AttnInputsReader *self)
{
  g_cancellable_cancel (self->cancellable);
  self->section = NULL;
  self->binder = NULL;
  g_clear_object (&self->session);
}
