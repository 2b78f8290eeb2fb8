/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-help.h"

#include <glib/gi18n.h>

#include "attn-blas.h"

#define WIDTH  680
#define HEIGHT 720

/* Pango markup. At most two screens: what is not needed to read a figure stands in the manual
 * page. */
static const struct
{
  const char *title;
  const char *text;
} sections[] = {
  { N_("Reading a map"),
    N_("Each panel is one matrix of attention weights. A <b>row</b> is a query: the token that "
        "looks. A <b>column</b> is a key: a token that is looked at. The cell says how much of the "
        "row’s attention goes there; a row adds up to 1. In a model that reads from left to right, a "
        "query sees only itself and what stands before it: the upper right is masked, its weight "
        "exactly 0.\n"
        "Point at a cell to read it; click it, and F9 shows its row and column in numbers. Scroll to "
        "zoom, drag to move, Ctrl+0 to see all again. Zoomed out, a pixel shows the largest weight "
        "under it, so that a lone bright cell stays in sight.") },
  { N_("What to look for"),
    N_("A bright first column is an <b>attention sink</b>: a head that has nothing to do rests on "
        "the first token. Its <b>sink score</b> is the weight on that column, averaged over the "
        "rows; above 0.3 the head counts as a sink. <b>Entropy</b> is how many bits a row is spread "
        "over: 0 for all on one key, the logarithm of the number of keys for a uniform row. "
        "<b>Difference</b> and <b>total variation</b> say how far the panel is from the one "
        "without the intervention.") },
  { N_("Interventions"),
    N_("The query, key or value of a layer is replaced before the weights are computed.\n"
        "<b>Mean</b> over features: each vector becomes its own mean, in every place. Over tokens: "
        "every token gets the mean of all. Over heads: every head gets the mean of the heads.\n"
        "<b>Factor ε</b> multiplies every vector. At ε = 1 nothing changes; the smaller it is, the "
        "more alike the scores become, and at 0 every row is uniform: row <i>i</i> holds "
        "1/(<i>i</i> + 1) in each cell.\n"
        "An operation on the <b>value</b> never changes the weights of its own layer, only those of "
        "later ones.") },
  { N_("Where it acts"),
    N_("<b>Projection</b>: on what the layer’s matrices give, their bias included. <b>Normed</b>: "
        "behind the norm of queries and keys, in models that have one. <b>Rotated</b>: behind the "
        "rotary embedding, in models that have one.\n"
        "It acts on all heads and tokens of the layer on display, unless <b>Scope</b> names others. "
        "What is done in a layer shows in all that come after it.") },
  { N_("Traps"),
    N_("• A norm behind the site undoes a scaling before it: the figure looks as if nothing had "
        "been done. Choose “Normed” or “Rotated” instead.\n"
        "• The mean of the key over tokens makes rows uniform at “Rotated”; at “Projection” in a "
        "rotary model it does not, since positions are put in afterwards.\n"
        "• With grouped heads one key serves several queries: scaling the key of one head scales it "
        "for its neighbours.\n"
        "• On a scale from 0 to 1, rows of many tokens look alike: 1/100 and 1/200 have nearly one "
        "colour. Read the numbers, or choose a logarithmic scale.\n"
        "• Without special tokens there may be no &lt;s&gt; to rest on, and the sink moves to the "
        "first word.\n"
        "• Weights say where a head looks, not what the model makes of it.") },
};

static GtkWidget *
make_label (const char *text,
            gboolean    is_markup)
{
  GtkWidget *label = gtk_label_new (NULL);

  if (is_markup)
    gtk_label_set_markup (GTK_LABEL (label), text);
  else
    gtk_label_set_text (GTK_LABEL (label), text);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_max_width_chars (GTK_LABEL (label), 76);
  gtk_label_set_natural_wrap_mode (GTK_LABEL (label), GTK_NATURAL_WRAP_NONE);
  gtk_widget_set_halign (label, GTK_ALIGN_FILL);
  return label;
}

/* Paragraphs of their own, so that space stands between them. */
static void
append_text (GtkBox     *box,
             const char *text)
{
  g_auto (GStrv) paragraphs = g_strsplit (text, "\n", -1);

  for (gsize i = 0; paragraphs[i] != NULL; i++)
    gtk_box_append (box, make_label (paragraphs[i], TRUE));
}

static GtkWidget *
make_page (void)
{
  GtkWidget *page = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);

  for (gsize i = 0; i < G_N_ELEMENTS (sections); i++)
    {
      GtkWidget *title = make_label (_(sections[i].title), FALSE);

      gtk_widget_add_css_class (title, "title-2");
      gtk_box_append (GTK_BOX (page), title);
      append_text (GTK_BOX (page), _(sections[i].text));
    }
  gtk_widget_add_css_class (page, "help-page");
  return page;
}

static void
add_shortcuts (GtkWidget *window)
{
  static const char * const keys[] = { "Escape", "F1" };
  GtkEventController *controller = gtk_shortcut_controller_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    gtk_shortcut_controller_add_shortcut (
        GTK_SHORTCUT_CONTROLLER (controller),
        gtk_shortcut_new (gtk_shortcut_trigger_parse_string (keys[i]),
                          gtk_named_action_new ("window.close")));
  gtk_widget_add_controller (window, controller);
}

/**
 * attn_help_new:
 * @parent: (nullable): a window to stand above
 *
 * Returns: (transfer none): a window that explains what the program shows
 */
GtkWindow *
attn_help_new (GtkWindow *parent)
{
  GtkWidget *window = gtk_window_new ();
  GtkWidget *scrolled = gtk_scrolled_window_new ();

  gtk_window_set_title (GTK_WINDOW (window), _("Reading a Figure"));
  gtk_window_set_titlebar (GTK_WINDOW (window), gtk_header_bar_new ());
  gtk_window_set_default_size (GTK_WINDOW (window), WIDTH, HEIGHT);
  gtk_window_set_transient_for (GTK_WINDOW (window), parent);
  gtk_window_set_destroy_with_parent (GTK_WINDOW (window), TRUE);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scrolled), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), make_page ());
  /* The keyboard scrolls it. */
  gtk_widget_set_focusable (scrolled, TRUE);
  gtk_window_set_child (GTK_WINDOW (window), scrolled);
  add_shortcuts (window);
  return GTK_WINDOW (window);
}

/**
 * attn_help_dup_system:
 *
 * Returns: (transfer full): what the program runs on, with versions, a line each
 */
char *
attn_help_dup_system (void)
{
  g_autofree char *os = g_get_os_info (G_OS_INFO_KEY_PRETTY_NAME);
  GdkDisplay *display = gdk_display_get_default ();

  return g_strdup_printf ("%s%sGTK %u.%u.%u, %s\nGLib %u.%u.%u\ncairo %s\nPango %s\n%s\n",
                          os != NULL ? os : "", os != NULL ? "\n" : "", gtk_get_major_version (),
                          gtk_get_minor_version (), gtk_get_micro_version (),
                          display != NULL ? G_OBJECT_TYPE_NAME (display) : "no display",
                          glib_major_version, glib_minor_version, glib_micro_version,
                          cairo_version_string (), pango_version_string (), attn_blas_get_config ());
}
