/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-input-words.h"

#include <glib/gi18n.h>

#include "attn-drop-down.h"
#include "attn-input-bind.h"
#include "attn-language-names.h"
#include "attn-signal.h"

/* The number of entries up to which a list has no search field: more are found faster by typing. */
#define N_SEARCHED 12

/* Settings of a sound input: its language and task. */
enum
{
  LANGUAGE,
  TASK,
  N_CHOICES
};

struct _AttnInputWords
{
  GtkBox parent_instance;

  gboolean is_syncing;
  char *words[N_CHOICES];   /* (nullable): language and task of the input in the study */
  char **names[N_CHOICES];  /* names of languages or tasks in the list, behind its first entry
                             * “none” */
  guint n_known[N_CHOICES]; /* number of @names that the model knows */
  GtkWidget *lines[N_CHOICES];
  GtkDropDown *choices[N_CHOICES];
};

enum
{
  SIGNAL_CHANGED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (AttnInputWords, attn_input_words, GTK_TYPE_BOX)

/* Returns: the index of the entry for @word; 0, that of “none”, if it is %NULL */
static guint
find (char       **names,
      const char  *word)
{
  g_autofree char *bare = word != NULL ? attn_sound_names_dup_bare (word) : NULL;

  for (guint i = 0; bare != NULL && names[i] != NULL; i++)
    if (g_str_equal (names[i], bare))
      return i + 1;
  return 0;
}

static void
selected_cb (GtkDropDown    *drop_down,
             GParamSpec     *pspec,
             AttnInputWords *self)
{
  int choice = drop_down == self->choices[LANGUAGE] ? LANGUAGE : TASK;
  guint selected = gtk_drop_down_get_selected (drop_down);

  if (self->is_syncing || selected == GTK_INVALID_LIST_POSITION ||
      selected == find (self->names[choice], self->words[choice]))
    return;
  g_free (self->words[choice]);
  self->words[choice] = selected > 0 ? g_strdup (self->names[choice][selected - 1]) : NULL;
  g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
}

static void
attn_input_words_finalize (GObject *object)
{
  AttnInputWords *self = ATTN_INPUT_WORDS (object);

  for (gsize i = 0; i < N_CHOICES; i++)
    {
      g_free (self->words[i]);
      g_strfreev (self->names[i]);
    }

  G_OBJECT_CLASS (attn_input_words_parent_class)->finalize (object);
}

static void
attn_input_words_class_init (AttnInputWordsClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = attn_input_words_finalize;

  signals[SIGNAL_CHANGED] = attn_signal_new (klass, "changed", 0);
}

static void
add_choice (AttnInputWords *self,
            int             choice,
            const char     *title,
            const char     *tooltip)
{
  GtkWidget *line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *label = gtk_label_new (title);
  /* The search of the list looks at the texts of the entries. */
  GtkExpression *string = gtk_property_expression_new (GTK_TYPE_STRING_OBJECT, NULL, "string");
  GtkWidget *drop_down = gtk_drop_down_new (NULL, string);

  gtk_label_set_xalign (GTK_LABEL (label), 0.0f);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_widget_set_hexpand (label, TRUE);
  gtk_widget_add_css_class (label, "dim-label");
  gtk_widget_set_tooltip_text (line, tooltip);
  gtk_box_append (GTK_BOX (line), label);
  gtk_box_append (GTK_BOX (line), drop_down);
  gtk_box_append (GTK_BOX (self), line);
  self->lines[choice] = line;
  self->choices[choice] = GTK_DROP_DOWN (drop_down);
  self->names[choice] = g_new0 (char *, 1);
  g_signal_connect_object (drop_down, "notify::selected", G_CALLBACK (selected_cb), self, 0);
}

static void
attn_input_words_init (AttnInputWords *self)
{
  gtk_orientable_set_orientation (GTK_ORIENTABLE (self), GTK_ORIENTATION_VERTICAL);
  gtk_box_set_spacing (GTK_BOX (self), 3);
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
  add_choice (self, LANGUAGE, _("Language"),
              _("The language that is spoken in the sound, where the target is the model’s own "
                "answer"));
  add_choice (self, TASK, _("Task"),
              _("What the model says of the sound, where the target is its own answer: its words, "
                "or their translation into English"));
  g_autoptr (GtkSizeGroup) width = gtk_size_group_new (GTK_SIZE_GROUP_HORIZONTAL);
  for (gsize i = 0; i < N_CHOICES; i++)
    gtk_size_group_add_widget (width, GTK_WIDGET (self->choices[i]));
}

/**
 * attn_input_words_set_index:
 * @index: index of the input, from 0; the number that the user hears is 1 more
 *
 * Gives the controls names for assistive technology, with the number of the input.
 */
void
attn_input_words_set_index (AttnInputWords *self,
                            guint           index)
{
  g_autofree char *language = g_strdup_printf (_("Language of input %u"), index + 1);
  g_autofree char *task = g_strdup_printf (_("Task of input %u"), index + 1);

  attn_drop_down_set_label (self->choices[LANGUAGE], language);
  attn_drop_down_set_label (self->choices[TASK], task);
}

/* Returns the title of an entry: for a language its name and behind that its code, which files and
 * options use. */
static char *
dup_title (int         choice,
           const char *name)
{
  if (choice == TASK && g_str_equal (name, "transcribe"))
    return g_strdup (C_ ("task", "Transcribe"));
  if (choice == TASK && g_str_equal (name, "translate"))
    return g_strdup (C_ ("task", "Translate"));
  return choice == LANGUAGE ? attn_language_names_dup_title (name) : g_strdup (name);
}

static int
compare_titles (const void *a,
                const void *b)
{
  g_autofree char *first = dup_title (LANGUAGE, *(char * const *) a);
  g_autofree char *second = dup_title (LANGUAGE, *(char * const *) b);

  return g_utf8_collate (first, second);
}

/* Returns the names that the model knows, and the name in the study if the model does not know it;
 * languages are sorted by their titles. */
static char **
list_names (int          choice,
            char       **known,
            const char  *word)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  g_strv_builder_addv (builder, (const char **) known);
  if (word != NULL && find (known, word) == 0)
    {
      g_autofree char *bare = attn_sound_names_dup_bare (word);

      g_strv_builder_add (builder, bare);
    }
  char **names = g_strv_builder_end (builder);

  if (choice == LANGUAGE)
    qsort (names, g_strv_length (names), sizeof *names, compare_titles);
  return names;
}

/* Fills a list anew. @word: (nullable): the name in the study, which is selected */
static void
fill (AttnInputWords  *self,
      int              choice,
      char           **known,
      const char      *word)
{
  g_autoptr (GtkStringList) list = gtk_string_list_new (NULL);
  char **names = list_names (choice, known, word);
  guint n_names = g_strv_length (names);

  g_strfreev (self->names[choice]);
  self->names[choice] = names;
  self->n_known[choice] = g_strv_length (known);
  if (choice == LANGUAGE)
    /* Translators: the language that the model hears in the sound */
    gtk_string_list_append (list, C_ ("language", "Heard"));
  else
    /* Translators: the task with which the model was published */
    gtk_string_list_append (list, C_ ("task", "As Published"));
  for (guint i = 0; i < n_names; i++)
    gtk_string_list_take (list, dup_title (choice, names[i]));
  gtk_drop_down_set_model (self->choices[choice], G_LIST_MODEL (list));
  gtk_drop_down_set_enable_search (self->choices[choice], n_names > N_SEARCHED);
}

/* Tells whether the list can stay as it is: it has the entries that list_names() would give, or one
 * more, the name that the study had before. A list must not be filled again while the user is
 * choosing an entry of it. */
static gboolean
serves (AttnInputWords  *self,
        int              choice,
        char           **known,
        const char      *word)
{
  guint n_known = g_strv_length (known);

  if (self->n_known[choice] != n_known)
    return FALSE;
  for (guint i = 0; i < n_known; i++)
    if (!g_strv_contains ((const char * const *) self->names[choice], known[i]))
      return FALSE;
  return word == NULL || find (self->names[choice], word) > 0;
}

/**
 * attn_input_words_set_input:
 * @input: an input of any kind; only a sound has a language and a task
 * @names: (nullable): the languages and tasks that the model knows
 *
 * Shows the language and task that the study has for the input. If the input has a target, that
 * says both already, and the controls are insensitive.
 */
void
attn_input_words_set_input (AttnInputWords       *self,
                            const AttnInput      *input,
                            const AttnSoundNames *names)
{
  const char *words[] = { input->language, input->task };
  char *none[] = { NULL };
  char **known[] = { names != NULL ? names->languages : none,
                     names != NULL ? names->tasks : none };
  gboolean is_there = FALSE;

  self->is_syncing = TRUE;
  for (int i = 0; i < N_CHOICES; i++)
    {
      gboolean is_useful = *known[i] != NULL || words[i] != NULL;

      if (g_strcmp0 (self->words[i], words[i]) != 0)
        {
          g_free (self->words[i]);
          self->words[i] = g_strdup (words[i]);
        }
      if (!serves (self, i, known[i], words[i]))
        fill (self, i, known[i], words[i]);
      gtk_drop_down_set_selected (self->choices[i], find (self->names[i], words[i]));
      gtk_widget_set_visible (self->lines[i], is_useful);
      is_there = is_there || is_useful;
    }
  self->is_syncing = FALSE;
  gtk_widget_set_visible (GTK_WIDGET (self), is_there && attn_input_is_sound (input));
  gtk_widget_set_sensitive (GTK_WIDGET (self), !attn_input_has_target (input));
}

/**
 * attn_input_words_add_to:
 * @input: (inout): an input without a language and a task
 *
 * Sets the chosen language and task in @input if it is a sound.
 */
void
attn_input_words_add_to (AttnInputWords *self,
                         AttnInput      *input)
{
  if (!attn_input_is_sound (input))
    return;
  input->language = g_strdup (self->words[LANGUAGE]);
  input->task = g_strdup (self->words[TASK]);
}
