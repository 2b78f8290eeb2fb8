/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The window, split into files by subject. Each file calls only functions of the files listed
 * before it. attn-window-readout.c is the line below the figure, -heads.c goes to another head,
 * -opening.c reads what is opened, -files.c asks what to open, -documents.c saves the study,
 * -export.c exports and copies, -reading.c moves and searches, -actions.c edits, -palette.c finds
 * all of these by name, attn-window.c shows the figure, and -leftovers.c restores the studies of an
 * earlier run. */

#pragma once

#include "attn-actions.h"
#include "attn-autosave.h"
#include "attn-export-job.h"
#include "attn-figure-view.h"
#include "attn-file-chooser.h"
#include "attn-inspector.h"
#include "attn-model-info.h"
#include "attn-notices.h"
#include "attn-session.h"
#include "attn-sidebar.h"
#include "attn-strip.h"
#include "attn-task.h"
#include "attn-window.h"
#include "attn-work-bar.h"

G_BEGIN_DECLS

struct _AttnWindow
{
  GtkApplicationWindow parent_instance;

  AttnSession *session;
  GSettings *settings;          /* (nullable): settings of the program; %NULL if their schema is not
                                 * installed */
  AttnTask *exporting;          /* (nullable): the export under way */
  gboolean closes_after_export; /* whether the window closes once the export under way ends */
  AttnTask *copying;            /* (nullable): task that draws the figure for the clipboard */
  gboolean waits_to_copy;       /* whether the user asked for a copy of the figure before it was
                                 * computed */
  gboolean copies_whole;        /* whether the copy that the user waits for is of the whole figure,
                                 * not of a panel */
  gboolean is_syncing;

  /* Size of the window in pixels, without its shadow; 0 before the window is realized */
  int width;
  int header_natural; /* natural width of the header when the window was last fitted to its size,
                       * pixels */
  int header_width;   /* width of the header when the window was last fitted to its size, pixels */

  /* The document: the study, its file, and studies of earlier runs */
  AttnAutosave *autosave;
  GPtrArray *leftovers;  /* (nullable) (element-type AttnLeftover): studies of earlier runs, while
                          * they are offered */
  char *recent_model;    /* (nullable): path of the model last added to the recent files */
  char *recent_path;     /* (nullable): path of the study last added to the recent files */
  AttnTask *opening;     /* (nullable): task that reads the file to be opened */
  guint opening_timeout; /* id of the timeout that tells the user that opening takes long */
  guint picture_input;   /* index of the input that a picture is chosen for */
  AttnTask *saving;      /* (nullable): writes the study */
  guint saving_timeout;
  char *next_path;     /* (nullable): file to save the study to after @saving */
  gboolean next_keeps; /* argument of the next saving, see [func@attn_session_begin_saving] */
  AttnTask *finding;   /* (nullable): looks for @leftovers */
  gboolean closes_after_saving;
  gboolean is_closing; /* whether the user has decided about unsaved changes, so that the window may
                        * close */

  /* Reading the figure */
  const AttnStudy *shown_study; /* (nullable): study whose result is on display */
  char *shown_place;            /* (nullable): layer and head of @shown_study, as text */
  const AttnStudy *came_from;   /* (nullable): study of the figure from which a head was opened */
  gboolean holds_baseline;      /* whether the user holds down the key that shows the baseline */
  gboolean had_baseline_column; /* whether the figure had a baseline column at the last
                                 * attn_window_sync_heads() */
  gboolean has_pointer_readout;
  gboolean has_measures;     /* whether the last line of the readout has measures of a panel */
  gboolean is_dim;           /* whether nearly all weights of the figure have one colour */
  int extreme_measure;       /* AttnHeadMeasure whose head of largest value is to be shown, or -1 */
  int diagram_head;          /* index of the head whose box in the diagram was clicked last */
  AttnTask *summing;         /* (nullable): task that sums the chosen rows or columns of the
                              * figure */
  char *chosen;              /* (nullable): text about the chosen rows or columns of the figure,
                              * with their sum */
  char *note;                /* (nullable): text about the last action, shown in the readout for
                              * some time */
  guint note_timeout;        /* removes @note; 0 if there is none */
  const AttnStudy *note_study; /* (nullable): study that was shown when @note was set */
  const AttnStudy *export_before; /* (nullable): study of the window when the last export was
                                   * chosen */
  const AttnStudy *export_chosen; /* (nullable): study with the choices of the last export */
  const AttnStudy *exported;      /* (nullable): the study of the figure exported last */
  char *exported_name;     /* (nullable): the name of its file */
  char *exported_document; /* (nullable): path of the document whose figure was exported last */
  guint stale_timeout;       /* id of the timeout that marks the figure as out of date */
  gboolean is_stale;         /* whether the figure is marked as out of date */
  gboolean shows_unfinished; /* whether the figure is a map whose cells are still being computed */
  AttnStudy *preset;         /* (nullable): the preset that the study began as, unchanged */
  const AttnStudy *cut;      /* (nullable): study about which a notice says that its text is cut */
  gpointer told_of_change;   /* grid of panels for which the user was told that its file has
                              * changed */

  /* Built behind the first frame */
  AttnSidebar *sidebar;     /* (nullable): the side bar, see attn_window_get_sidebar() */
  AttnInspector *inspector; /* (nullable): the inspector, see attn_window_get_inspector() */
  guint building;           /* source that builds both */
  guint showing;            /* source that shows the side bar */

  /* Template widgets */
  GtkPaned *panes;
  GtkPaned *figure_panes;
  AttnStrip *strip;
  AttnFigureView *view;
  AttnReading *reading; /* the figure that @view draws, with its cursor and views */
  GtkDropDown *presets;
  AttnNotices *notices;
  GtkWidget *readout;
  GtkLabel *document_title;
  GtkLabel *document_subtitle;
  AttnModelInfoPopover *model_info;
  GtkMenuButton *open_button;
  GtkWidget *export_button;
  GtkWidget *export_label;
  GtkWidget *export_symbol;
  GMenu *recent_section;
  GMenu *clear_section;
  GMenu *found_section;
  GStrv recent_paths;      /* (nullable): paths of the recent files in the menu */
  GPtrArray *found_models; /* (nullable) (element-type AttnFoundModel): models on this computer that
                            * the menu offers */
  AttnTask *searching;     /* (nullable): the task that searches for @found_models */
  AttnTask *listing;       /* (nullable): the task that lists @recent_paths */
  GtkStack *stack;
  GtkLabel *empty_text;
  GtkButton *empty_button;
  GtkButton *back_pill;
  GtkLabel *back_name;
  GtkWidget *baseline_pill;
  GtkButton *place_pill;
  AttnWorkBar *job_bar;
  AttnWorkBar *export_bar;
  GtkStack *readout_pages;
  GtkWidget *readout_reading;
  GtkLabel *readout_note;
  GtkLabel *readout_cell;
  GtkLabel *note_link;
  GtkStack *readout_lines;
  GtkWidget *readout_numbers;
  GtkLabel *readout_said;
  GtkLabel *readout_value;
  GtkLabel *readout_panel;
  GtkWidget *panel_lines;
  GtkLabel *widest_value;
  GtkLabel *widest_panel;
  GtkSearchBar *search_bar;
  GtkEditable *search_entry;
  GtkLabel *search_state;
  GMenuModel *open_menu;
  GMenuModel *view_menu;
  GMenuModel *primary_menu;
  GMenuModel *cell_menu;
  GMenuModel *scale_menu;
};

/* The milliseconds after which the window says that a disk has not answered. */
#define ATTN_SLOW_DISK_MS 1000

/* Ids of the notices (message bars) of the window, by which they are replaced or removed. */
#define ATTN_NOTICE_ENTRY   "entry"   /* notice that a typed value is invalid; removed when the
                                       * study changes */
#define ATTN_NOTICE_COMPUTE "compute" /* notice that the figure could not be computed; removed when
                                       * a figure is computed */
#define ATTN_NOTICE_OPEN    "open"    /* notice that a file could not be opened; removed when
                                       * another file is open */
#define ATTN_NOTICE_TOKENS  "tokens"  /* notice that a text is cut; removed when the inputs
                                       * change */
#define ATTN_NOTICE_SAVE    "save"
#define ATTN_NOTICE_EXPORT  "export"

/* Returns a copy of the study of the window, to be edited. (transfer full) */
static inline AttnStudy *
attn_window_copy_study (AttnWindow *self)
{
  return attn_study_copy (attn_session_get_study (self->session));
}

AttnSidebar *attn_window_get_sidebar (AttnWindow *self);
AttnInspector *attn_window_get_inspector (AttnWindow *self);
AttnInputsSection *attn_window_get_inputs (AttnWindow *self);
void attn_window_build_behind_frame (AttnWindow *self);
void attn_window_add_panes (AttnWindow *self);

void attn_window_show_typed_error (AttnWindow *self,
                                   const GError *error);

void attn_window_sync_readout (AttnWindow *self);
void attn_window_sync_hint (AttnWindow *self);
void attn_window_sync_chosen (AttnWindow *self);
void attn_window_keep_readout_place (AttnWindow *self);
void attn_window_adapt_readout (AttnWindow *self,
                                int         height);
gboolean attn_window_is_overview (AttnWindow *self);
GdkContentProvider *attn_window_offer_text (const char *text);
void attn_window_show_note (AttnWindow *self,
                            const char *note);
void attn_window_show_copied (AttnWindow *self,
                              const char *what,
                              const char *line);
void attn_window_show_figure_note (AttnWindow *self,
                                   const char *note);
void attn_window_sync_note (AttnWindow *self);
void attn_window_show_hint (AttnWindow *self);
void attn_window_show_file_note (AttnWindow *self,
                                 const char *note,
                                 const char *path);

void attn_window_add_heads (AttnWindow *self);
void attn_window_sync_heads (AttnWindow *self);
void attn_window_leave_figure (AttnWindow *self);
const char *attn_window_get_extreme_title (AttnHeadMeasure measure);
gboolean attn_window_shows_baseline (AttnWindow *self);
void attn_window_bind_keys (GtkWidgetClass *klass);
const char *attn_window_find_key (guint key,
                                  GdkModifierType modifiers,
                                  const char **argument);

void attn_window_leave_survey (AttnWindow *self,
                               AttnStudy *study);
void attn_window_add_survey (AttnWindow *self);

void attn_window_add_probe (AttnWindow *self);

void attn_window_show_open_error (AttnWindow *self,
                                  const char *name,
                                  const GError *error);
void attn_window_open_elsewhere (AttnWindow *self,
                                 GFile *file);
void attn_window_open_path (AttnWindow *self,
                            const char *path);
void attn_window_cancel_opening (AttnWindow *self);

void attn_window_add_files (AttnWindow *self);
void attn_window_ask_reading (AttnWindow *self,
                              const char *path,
                              gboolean is_other);
void attn_window_ask_reading_of_others (AttnWindow *self,
                                        const GError *error);
void attn_window_add_documents (AttnWindow *self);
void attn_window_sync_document (AttnWindow *self);
void attn_window_remember_recent (AttnWindow *self);
char *attn_window_dup_document_name (const char *path);
void attn_window_close_later (AttnWindow *self);
gboolean attn_window_ask_before_closing (AttnWindow *self);

void attn_window_add_export (AttnWindow *self);
void attn_window_sync_export (AttnWindow *self);
void attn_window_save_survey (AttnWindow *self,
                              AttnSurveyData *survey,
                              const char *path);
void attn_window_export (AttnWindow *self,
                         AttnResult *result,
                         const char *path,
                         AttnExportKind kind,
                         gssize panel);
void attn_window_cancel_export (AttnWindow *self);
gboolean attn_window_wait_for_export (AttnWindow *self);
void attn_window_copy_at_last (AttnWindow *self);

void attn_window_add_reading (AttnWindow *self);
void attn_window_sync_reading (AttnWindow *self);
void attn_window_adapt_panes (AttnWindow *self);
void attn_window_find_next (AttnWindow *self);
void attn_window_find_previous (AttnWindow *self);

void attn_window_add_actions (AttnWindow *self);
void attn_window_sync_actions (AttnWindow *self);
void attn_window_load_preset (AttnWindow *self,
                              const char *name);
void attn_window_choose_query (AttnWindow *self,
                               gsize query);

void attn_window_add_palette (AttnWindow *self);

G_END_DECLS
