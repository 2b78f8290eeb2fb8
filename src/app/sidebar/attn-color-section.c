/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-color-section.h"

#include <glib/gi18n.h>
#include <math.h>

#include "attn-error.h"
#include "attn-file-chooser.h"
#include "attn-inquiry.h"
#include "attn-text.h"
#include "attn-typed.h"

/* The size in pixels of a swatch, the sample of a colour map in the list of maps. */
#define SWATCH_WIDTH  56
#define SWATCH_HEIGHT 12

struct _AttnColorSection
{
  GtkBox parent_instance;

  AttnSession *session;
  AttnBinder *binder;
  gboolean is_reversed; /* whether the swatches show the colour maps from their upper end */
  GtkEditable *low;
  GtkEditable *high;
  GtkColorChooser *masked;
};

G_DEFINE_FINAL_TYPE (AttnColorSection, attn_color_section, GTK_TYPE_BOX)

/* --- The colour map --- */

/* Draws the sample of a colour map. @data: twice the index of the map, plus 1 if it is drawn
 * reversed, from its upper to its lower end */
static void
draw_swatch (GtkDrawingArea *swatch,
             cairo_t        *cr,
             int             width,
             int             height,
             gpointer        data)
{
  guint code = GPOINTER_TO_UINT (data);
  const AttnRgb *table = attn_colormap_get_table (code / 2, code % 2 == 1);

  for (int i = 0; i < width; i++)
    {
      AttnRgb rgb = table[i * ATTN_COLORMAP_SIZE / width];

      cairo_set_source_rgb (cr, rgb.red / 255.0, rgb.green / 255.0, rgb.blue / 255.0);
      cairo_rectangle (cr, i, 0, 1, height);
      cairo_fill (cr);
    }
}

static void
colormap_setup_cb (GtkSignalListItemFactory *factory,
                   GtkListItem              *item)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  GtkWidget *label = gtk_label_new (NULL);
  GtkWidget *swatch =
      g_object_new (GTK_TYPE_DRAWING_AREA, "content-width", SWATCH_WIDTH, "content-height",
                    SWATCH_HEIGHT, "valign", GTK_ALIGN_CENTER, "accessible-role",
                    GTK_ACCESSIBLE_ROLE_PRESENTATION, NULL);

  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_MIDDLE);
  gtk_label_set_width_chars (GTK_LABEL (label), 6);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_widget_set_hexpand (label, TRUE);
  gtk_box_append (GTK_BOX (box), swatch);
  gtk_box_append (GTK_BOX (box), label);
  gtk_list_item_set_child (item, box);
}

static void
colormap_bind_cb (GtkSignalListItemFactory *factory,
                  GtkListItem              *item,
                  AttnColorSection         *self)
{
  GtkWidget *swatch = gtk_widget_get_first_child (gtk_list_item_get_child (item));
  GtkStringObject *name = gtk_list_item_get_item (item);
  guint code = 2 * gtk_list_item_get_position (item) + (self->is_reversed ? 1 : 0);

  gtk_drawing_area_set_draw_func (GTK_DRAWING_AREA (swatch), draw_swatch, GUINT_TO_POINTER (code),
                                  NULL);
  gtk_label_set_label (GTK_LABEL (gtk_widget_get_next_sibling (swatch)),
                       gtk_string_object_get_string (name));
}

/* A colour map that a thread reads from a CSV file of RGB values. */
typedef struct
{
  char *path;
  AttnColormap colormap;
  GError *error; /* (nullable) */
} Map;

static void
map_run (gpointer data)
{
  Map *map = data;

  attn_colormap_load_csv (map->path, &map->colormap, &map->error);
}

static void
map_free (gpointer data)
{
  Map *map = data;

  g_free (map->path);
  g_clear_error (&map->error);
  g_free (map);
}

/* Sets the colour map that was read in the study, or tells why it could not be read. */
static void
map_take (gpointer owner,
          gpointer data)
{
  AttnColorSection *self = owner;
  const Map *map = data;

  if (self->session == NULL)
    return;
  if (map->error != NULL)
    {
      attn_binder_fail (self->binder, map->error);
      return;
    }
  AttnStudy *study = attn_study_copy (attn_session_get_study (self->session));
  study->style.colormap = map->colormap;
  attn_session_edit (self->session, study, NULL);
}

static void
colormap_chosen_cb (gpointer        object,
                    GFile          *file,
                    GtkFileChooser *chooser)
{
  static const AttnInquiry inquiry = { map_run, map_take, map_free };
  Map *map;

  if (!g_file_is_native (file))
    return;
  map = g_new0 (Map, 1);
  map->path = g_file_get_path (file);
  attn_inquiry_start (&inquiry, object, map);
}

static void
open_colormap (GtkWidget  *widget,
               const char *action_name,
               GVariant   *parameter)
{
  attn_file_chooser_open (widget, _("Open a Colour Map"), GTK_FILE_CHOOSER_ACTION_OPEN, NULL,
                          colormap_chosen_cb);
}

/* Selects the study's colour map in the list, in which maps stand in the order in which they were
 * registered. */
static void
sync_colormap (AttnColorSection *self,
               const AttnStyle  *style)
{
  GtkDropDown *drop_down = attn_binder_find (self->binder, "style.colormap");
  guint n_old = g_list_model_get_n_items (gtk_drop_down_get_model (drop_down));
  guint n = MAX (n_old, MAX ((guint) style->colormap + 1, ATTN_N_COLORMAPS));

  if (n == n_old && self->is_reversed == style->is_reversed)
    return;
  g_autofree const char **all = g_new0 (const char *, n + 1);
  for (guint i = 0; i < n; i++)
    all[i] = attn_colormap_get_name (i);
  self->is_reversed = style->is_reversed;
  attn_binder_splice (self->binder, "style.colormap", 0, n_old, all);
}

/* --- The ends of the range --- */

static void
sync_ends (AttnColorSection *self,
           const AttnStyle  *style)
{
  char low[G_ASCII_DTOSTR_BUF_SIZE];
  char high[G_ASCII_DTOSTR_BUF_SIZE];

  g_ascii_formatd (low, sizeof low, "%.6g", style->low);
  g_ascii_formatd (high, sizeof high, "%.6g", style->high);
  if (!g_str_equal (gtk_editable_get_text (self->low), low))
    gtk_editable_set_text (self->low, low);
  if (!g_str_equal (gtk_editable_get_text (self->high), high))
    gtk_editable_set_text (self->high, high);
  if (attn_typed_accept (GTK_WIDGET (self->low)) | attn_typed_accept (GTK_WIDGET (self->high)))
    attn_binder_fail (self->binder, NULL);
}

static void
set_ends (AttnColorSection *self,
          double            low,
          double            high,
          const char       *what)
{
  AttnStudy *study = attn_study_copy (attn_session_get_study (self->session));

  if (low != study->style.low || high != study->style.high)
    {
      study->style.range = ATTN_RANGE_FIXED;
      study->style.low = low;
      study->style.high = high;
      study->style.tick = (high - low) / 5;
    }
  attn_session_edit (self->session, study, what);
}

static gboolean
parse_ends (AttnColorSection *self,
            double           *low,
            double           *high)
{
  return attn_typed_parse (gtk_editable_get_text (self->low), low) &&
         attn_typed_parse (gtk_editable_get_text (self->high), high) && *low < *high;
}

static gboolean
take_ends (AttnColorSection *self)
{
  double low, high;

  if (!parse_ends (self, &low, &high))
    return FALSE;
  set_ends (self, low, high, NULL);
  sync_ends (self, &attn_session_get_study (self->session)->style);
  return TRUE;
}

static gboolean
has_focus_within (GtkEditable *entry)
{
  return (gtk_widget_get_state_flags (GTK_WIDGET (entry)) & GTK_STATE_FLAG_FOCUS_WITHIN) != 0;
}

static void
range_entered_cb (AttnColorSection *self)
{
  if (take_ends (self))
    return;
  g_autoptr (GError) error =
      g_error_new (ATTN_ERROR, ATTN_ERROR_ARGUMENT,
                   _("Range: “%s” to “%s” found, expected two numbers, the smaller one first"),
                   gtk_editable_get_text (self->low), gtk_editable_get_text (self->high));
  gboolean is_high = has_focus_within (self->high);
  attn_typed_refuse (GTK_WIDGET (self->low), is_high ? NULL : error->message);
  attn_typed_refuse (GTK_WIDGET (self->high), is_high ? error->message : NULL);
  attn_binder_fail (self->binder, error);
}

static gboolean
has_other_ends (AttnColorSection *self)
{
  const AttnStyle *style = &attn_session_get_study (self->session)->style;
  double low, high;

  return !parse_ends (self, &low, &high) || low != style->low || high != style->high;
}

/* Sets the ends of the range in the study when the focus leaves both entries. While it moves from
 * one entry to the other, the lower end may still be above the upper end. */
static void
end_leave_cb (AttnColorSection *self)
{
  if (has_other_ends (self))
    take_ends (self);
}

static void
range_leave_cb (AttnColorSection *self)
{
  if (has_other_ends (self))
    range_entered_cb (self);
}

/* Returns a value changed by one step of the up or down key: by a twentieth of 1 or, for a smaller
 * value, by half of its power of ten. */
static double
step_value (double value,
            int    direction)
{
  double magnitude = value != 0 ? pow (10, floor (log10 (fabs (value)) - 1e-9)) : 1;
  double step = magnitude >= 0.1 ? 0.05 : magnitude / 2;

  return round ((value + direction * step) / step) * step;
}

static gboolean
range_key_cb (AttnColorSection      *self,
              guint                  key,
              guint                  code,
              GdkModifierType        state,
              GtkEventControllerKey *controller)
{
  int direction = key == GDK_KEY_Up || key == GDK_KEY_KP_Up       ? 1
                  : key == GDK_KEY_Down || key == GDK_KEY_KP_Down ? -1
                                                                  : 0;
  GtkWidget *entry = gtk_event_controller_get_widget (GTK_EVENT_CONTROLLER (controller));
  double low, high;

  if (direction == 0 || (state & gtk_accelerator_get_default_mod_mask ()) != 0 ||
      !parse_ends (self, &low, &high))
    return GDK_EVENT_PROPAGATE;
  if (entry == GTK_WIDGET (self->low))
    low = step_value (low, direction);
  else
    high = step_value (high, direction);
  if (low < high)
    set_ends (self, low, high, "range");
  return GDK_EVENT_STOP;
}

static void
on_leave (gpointer          widget,
          GCallback         callback,
          AttnColorSection *self)
{
  GtkEventController *focus = gtk_event_controller_focus_new ();

  g_signal_connect_swapped (focus, "leave", callback, self);
  gtk_widget_add_controller (widget, focus);
}

static GtkEditable *
set_up_end (AttnColorSection *self,
            const char       *id)
{
  GtkWidget *entry = attn_binder_find (self->binder, id);
  GtkEventController *keys = gtk_event_controller_key_new ();

  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  g_signal_connect_swapped (keys, "key-pressed", G_CALLBACK (range_key_cb), self);
  gtk_widget_add_controller (entry, keys);
  on_leave (entry, G_CALLBACK (end_leave_cb), self);
  g_signal_connect_swapped (entry, "activate", G_CALLBACK (range_entered_cb), self);
  return GTK_EDITABLE (entry);
}

/* --- Masked cells --- */

static void
masked_chosen_cb (AttnColorSection *self)
{
  AttnStudy *study = attn_study_copy (attn_session_get_study (self->session));
  GdkRGBA rgba;

  gtk_color_chooser_get_rgba (self->masked, &rgba);
  study->style.masked_color =
      (AttnRgb) { round (255 * rgba.red), round (255 * rgba.green), round (255 * rgba.blue) };
  study->style.has_masked_color = TRUE;
  attn_session_edit (self->session, study, NULL);
}

static void
sync_masked (AttnColorSection *self,
             const AttnStyle  *style)
{
  const AttnRgb rgb = style->masked_color;
  const GdkRGBA rgba = { rgb.red / 255.0, rgb.green / 255.0, rgb.blue / 255.0, 1 };

  gtk_color_chooser_set_rgba (self->masked, &rgba);
}

/* --- The section --- */

static void
attn_color_section_dispose (GObject *object)
{
  g_clear_object (&ATTN_COLOR_SECTION (object)->session);

  G_OBJECT_CLASS (attn_color_section_parent_class)->dispose (object);
}

static void
attn_color_section_class_init (AttnColorSectionClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = attn_color_section_dispose;
  gtk_widget_class_install_action (GTK_WIDGET_CLASS (klass), "sidebar.open-colormap", NULL,
                                   open_colormap);
}

static void
attn_color_section_init (AttnColorSection *self)
{
}

/**
 * attn_color_section_set_up:
 * @session: the session whose study has the colours that are shown and edited
 * @binder: the binder of the side bar, which finds the widgets of the section; it must live as long
 *   as the section
 */
void
attn_color_section_set_up (AttnColorSection *self,
                           AttnSession      *session,
                           AttnBinder       *binder)
{
  g_autoptr (GtkListItemFactory) factory = gtk_signal_list_item_factory_new ();

  self->session = g_object_ref (session);
  self->binder = binder;
  g_signal_connect (factory, "setup", G_CALLBACK (colormap_setup_cb), NULL);
  g_signal_connect (factory, "bind", G_CALLBACK (colormap_bind_cb), self);
  gtk_drop_down_set_factory (attn_binder_find (binder, "style.colormap"), factory);
  self->low = set_up_end (self, "low");
  self->high = set_up_end (self, "high");
  on_leave (gtk_widget_get_parent (GTK_WIDGET (self->low)), G_CALLBACK (range_leave_cb), self);
  self->masked = attn_binder_find (binder, "masked_color");
  /* GTK does not pass the label of a colour button on to the button inside it, which takes the
   * focus and so needs the label for assistive technology. */
  gtk_accessible_update_property (
      GTK_ACCESSIBLE (gtk_widget_get_first_child (GTK_WIDGET (self->masked))),
      GTK_ACCESSIBLE_PROPERTY_LABEL, _("Colour of masked cells"), -1);
  g_signal_connect_swapped (self->masked, "color-set", G_CALLBACK (masked_chosen_cb), self);
}

/**
 * attn_color_section_sync:
 *
 * Updates the list of colour maps, the ends of the range and the colour of masked cells to what the
 * study has.
 */
void
attn_color_section_sync (AttnColorSection *self)
{
  const AttnStyle *style = &attn_session_get_study (self->session)->style;

  sync_colormap (self, style);
  sync_ends (self, style);
  sync_masked (self, style);
}
