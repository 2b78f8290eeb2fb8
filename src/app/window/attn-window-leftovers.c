/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Leftovers: studies of an earlier run of the program that ended without closing its windows, as in
 * a crash. */

#include "config.h"

#include "attn-window-private.h"

#include <glib/gi18n.h>

#include "attn-errands.h"

/* The largest number of characters of an input's text in the name of an unsaved study. */
#define MAX_FIRST_WORDS 24

/* The largest number of studies offered at a time, as each opens a window. */
#define MAX_LEFTOVERS 10

#define LEFTOVERS "leftovers"
#define DAMAGED   "damaged"

static void
tell_about_damaged (AttnWindow *self,
                    GPtrArray  *damaged)
{
  g_autoptr (GString) names = g_string_new (NULL);

  for (guint i = 0; i < damaged->len; i++)
    {
      g_autofree char *name = g_filename_display_name (g_ptr_array_index (damaged, i));

      g_string_append_printf (names, "%s%s", i > 0 ? ", " : "", name);
    }
  g_autofree char *text =
      g_strdup_printf (_("%s: found damaged, expected what was open last time; the file stays."),
                       names->str);
  const AttnNotice notice = {
    .id = DAMAGED,
    .type = GTK_MESSAGE_WARNING,
    .title = _("What Was Open Could Not Be Restored"),
    .text = text,
  };
  attn_notices_show (self->notices, &notice);
}

/* Shortens a text to its first words: "A rose is a rose, and a…" */
static char *
dup_first_words (const char *text)
{
  const char *end = text;
  glong length = 0;

  for (const char *p = text; *p != '\0' && length <= MAX_FIRST_WORDS; length++)
    {
      p = g_utf8_next_char (p);
      if (length < MAX_FIRST_WORDS && (*p == '\0' || g_unichar_isspace (g_utf8_get_char (p))))
        end = p;
    }
  /* A first word that is too long, or a text of a language without spaces, is cut at a
   * character. */
  if (end == text)
    end = g_utf8_offset_to_pointer (text, MIN (length, MAX_FIRST_WORDS));
  g_autofree char *words = g_strndup (text, end - text);
  return g_strconcat (g_strstrip (words), *end != '\0' ? "…" : "", NULL);
}

/* Names a leftover study: by its file, or, if it was never saved, by its preset and the first words
 * of its first text, so that two such studies have different names. */
static char *
dup_leftover_name (const AttnLeftover *leftover)
{
  const AttnStudy *study = leftover->study;
  const AttnInput *input =
      study->inputs->len > 0 ? g_ptr_array_index (study->inputs, 0) : NULL;
  GString *name;
  gsize n_presets;
  const AttnPreset *presets = attn_presets_get_all (&n_presets);

  if (leftover->path != NULL)
    return attn_window_dup_document_name (leftover->path);
  name = g_string_new (NULL);
  for (gsize i = 0; i < n_presets; i++)
    if (g_strcmp0 (presets[i].name, study->preset) == 0)
      g_string_append (name, _(presets[i].title));
  if (name->len == 0)
    g_string_append (name, _("New Study"));
  if (input != NULL && input->text != NULL && *input->text != '\0')
    {
      g_autofree char *words = dup_first_words (input->text);

      g_string_append_printf (name, " — %s", words);
    }
  return g_string_free (name, FALSE);
}

/* Restores a leftover study. The file that it was kept in is removed only after the window has
 * autosaved the study; if that fails, the study is offered again at the next start. Takes ownership
 * of @leftover. */
static void
restore_leftover (AttnWindow   *self,
                  AttnLeftover *leftover)
{
  attn_session_restore (self->session, attn_study_ref (leftover->study), leftover->path,
                        leftover->etag, leftover->is_changed, leftover->missing);
  if (attn_session_get_question (self->session).kind == ATTN_MODEL_QUESTION_MISSING)
    attn_leftover_free (leftover);
  else
    attn_autosave_take_over (self->autosave, leftover);
}

/* Tells whether the window can show another study without a loss: its study has no file and no
 * unsaved changes. */
static gboolean
has_nothing_to_lose (AttnWindow *self)
{
  return !attn_session_is_changed (self->session) &&
         attn_session_get_document (self->session)->path == NULL;
}

static void
restore (AttnWindow *self)
{
  g_autoptr (GPtrArray) leftovers = g_steal_pointer (&self->leftovers);

  for (gboolean is_first = TRUE; leftovers != NULL && leftovers->len > 0; is_first = FALSE)
    {
      AttnWindow *window = self;

      if (!is_first || !has_nothing_to_lose (self))
        {
          window = attn_window_new (gtk_window_get_application (GTK_WINDOW (self)));
          gtk_window_present (GTK_WINDOW (window));
        }
      restore_leftover (window, g_ptr_array_steal_index (leftovers, 0));
    }
  attn_notices_hide (self->notices, LEFTOVERS);
}

static void
discard_all (gpointer data,
             gpointer user_data)
{
  GPtrArray *leftovers = data;

  for (guint i = 0; i < leftovers->len; i++)
    attn_leftover_discard (g_ptr_array_index (leftovers, i));
}

static void
discard (AttnWindow *self)
{
  if (self->leftovers != NULL)
    attn_errands_push (discard_all, g_steal_pointer (&self->leftovers),
                       (GDestroyNotify) g_ptr_array_unref);
  attn_notices_hide (self->notices, LEFTOVERS);
}

/* Drops the list of leftover studies when the user closes the notice; the files stay, and the next
 * start of the program offers the studies again. */
static void
leave (AttnWindow *self)
{
  g_clear_pointer (&self->leftovers, g_ptr_array_unref);
}

/**
 * attn_window_end:
 *
 * Keeps unsaved changes for the next start of the program, as it is told to end.
 */
void
attn_window_end (AttnWindow *window)
{
  attn_autosave_end (window->autosave);
}

/**
 * Found:
 * @leftovers: (nullable) (element-type AttnLeftover): studies that can be restored
 *
 * The leftovers that a thread has found; it looks in a thread since a disk may not answer.
 */
typedef struct
{
  GPtrArray *leftovers;
  GPtrArray *damaged;
  guint n_others;
} Found;

static void
found_run (gpointer  data,
           AttnTask *task,
           gpointer  place)
{
  Found *found = data;
  g_autofree char *directory = attn_autosave_dup_directory ();

  found->leftovers =
      attn_leftovers_find (directory, MAX_LEFTOVERS, found->damaged, &found->n_others);
}

static void
found_free (gpointer data)
{
  Found *found = data;

  g_clear_pointer (&found->leftovers, g_ptr_array_unref);
  g_ptr_array_unref (found->damaged);
  g_free (found);
}

/* Returns a text that names the study that was kept last and tells the number of the others: a list
 * of all would cover the figure. @n_others: number of studies beyond those listed in @leftovers,
 * some of which may belong to windows that are open */
static char *
describe_leftovers (const GPtrArray *leftovers,
                    guint            n_others)
{
  const AttnLeftover *last = g_ptr_array_index (leftovers, 0);
  g_autofree char *name = dup_leftover_name (last);
  g_autoptr (GDateTime) time = g_date_time_new_from_unix_local (last->time);
  g_autofree char *when = g_date_time_format (time, "%x %R");
  guint n_more = leftovers->len - 1;

  if (n_more > 0 && n_others > 0)
    /* Translators: the name of a study, when it was kept, and how many others there are */
    return g_strdup_printf (
        g_dngettext (NULL, "“%s” (%s) and %u more, and older ones, which the next start offers",
                     "“%s” (%s) and %u more, and older ones, which the next start offers", n_more),
        name, when, n_more);
  if (n_more > 0)
    /* Translators: the name of a study, when it was kept, and how many others there are */
    return g_strdup_printf (
        g_dngettext (NULL, "“%s” (%s) and %u more", "“%s” (%s) and %u more", n_more), name, when,
        n_more);
  if (n_others > 0)
    /* Translators: the name of a study, and when it was kept */
    return g_strdup_printf (_("“%s” (%s), and older ones, which the next start offers"), name,
                            when);
  /* Translators: the name of a study, and when it was kept */
  return g_strdup_printf (_("“%s” (%s)"), name, when);
}

static void
offer (AttnWindow *window,
       Found      *found)
{
  static const AttnAction actions[] = {
    { "restore", G_CALLBACK (restore) },
    { "discard-leftovers", G_CALLBACK (discard) },
    { "leave-leftovers", G_CALLBACK (leave) },
  };
  const GPtrArray *leftovers = found->leftovers;

  if (found->damaged->len > 0)
    tell_about_damaged (window, found->damaged);
  if (leftovers->len == 0)
    return;
  gboolean was_ended = TRUE;
  for (guint i = 0; i < leftovers->len; i++)
    was_ended = was_ended && ((const AttnLeftover *) g_ptr_array_index (leftovers, i))->is_ended;

  g_autofree char *text = describe_leftovers (leftovers, found->n_others);
  const AttnNotice notice = {
    .id = LEFTOVERS,
    .type = GTK_MESSAGE_QUESTION,
    .title = was_ended ? _("Unsaved Changes Were Kept")
                       : _("Not Closed Properly Last Time"),
    .text = text,
    .actions = { { _("_Restore"), "win.restore" }, { _("_Discard"), "win.discard-leftovers" } },
    .close_action = "win.leave-leftovers",
  };
  window->leftovers = g_steal_pointer (&found->leftovers);
  attn_actions_add (window, actions, G_N_ELEMENTS (actions), window);
  attn_notices_show (window->notices, &notice);
}

static void
found_deliver (gpointer owner,
               gpointer data)
{
  offer (owner, data);
  found_free (data);
}

/**
 * attn_window_offer_leftovers:
 *
 * If the program ended last time without being closed, as in a crash, offers in a notice to restore
 * the studies that were open, once a thread has found them.
 */
void
attn_window_offer_leftovers (AttnWindow *window)
{
  static const AttnTaskKind task_kind = {
    .run = found_run,
    .deliver = found_deliver,
    .free = found_free,
  };
  Found *found = g_new0 (Found, 1);

  found->damaged = g_ptr_array_new_with_free_func (g_free);
  attn_task_start (&task_kind, window, found, TRUE, &window->finding);
}
