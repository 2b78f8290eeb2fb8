/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the tests of src/app share: windows of the program, and what is in them. */

#pragma once

#include "attn-window-private.h"
#include "waiting.h"

G_BEGIN_DECLS

void            iterate                 (void);

void            fixture_init            (int            *argc,
                                         char         ***argv);
GtkApplication *fixture_new_application (void);
int             fixture_run             (GtkApplication *application);
AttnWindow     *open_window             (GtkApplication *application);
AttnWindow     *open_preset             (GtkApplication *application,
                                         const char     *preset);
void            wait_for_figure         (AttnWindow     *window);
void            close_window            (gpointer        window);
void            export_figure           (AttnWindow     *window,
                                         const char     *path,
                                         AttnExportKind  kind,
                                         gssize          panel);
GtkWindow      *open_figure_view        (AttnFigureView *view,
                                         AttnGrid       *grid);
void            close_figure_view       (GtkWindow      *window,
                                         AttnFigureView *view);

gpointer        find_widget             (gpointer        widget,
                                         GType           type);
gpointer        find_id                 (gpointer        widget,
                                         const char     *id);
GtkLabel       *find_label_with         (gpointer        widget,
                                         const char     *part);
GtkLabel       *find_label              (gpointer        widget,
                                         const char     *text);
GPtrArray      *find_controllers        (gpointer        widget,
                                         GType           type);
gboolean        press_shortcut          (gpointer        widget,
                                         guint           key,
                                         GdkModifierType state);
GtkTextBuffer  *find_buffer               (gpointer        row);
char           *dup_shown_text          (gpointer        row);
void            type_text               (gpointer        row,
                                         const char     *text);

void            bind_translations       (void);
void            set_language            (const char     *language);
char *read_copied_text (AttnWindow *window);

G_END_DECLS
