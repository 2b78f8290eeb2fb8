/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Controls that each stand for one member of the session's study. */

#pragma once

#include <gtk/gtk.h>

#include "attn-session.h"

G_BEGIN_DECLS

typedef struct _AttnBinder AttnBinder;

/* Called with what was wrong with something typed. */
typedef void (*AttnBinderFailFunc) (gpointer user_data,
                                    const GError *error);

/* What a control stands for where that is not simply the value of a member. */
typedef int (*AttnBinderGetFunc) (const AttnStudy *study);
typedef void (*AttnBinderSetFunc) (AttnStudy *study,
                                   int value);

/* The place of a member, such as ATTN_MEMBER (style.low). */
#define ATTN_MEMBER(member) G_STRUCT_OFFSET (AttnStudy, member)

AttnBinder *attn_binder_new        (AttnSession        *session,
                                    AttnBinderFailFunc  fail,
                                    gpointer            user_data);
void        attn_binder_free       (AttnBinder         *binder);
void        attn_binder_add_flag   (AttnBinder         *binder,
                                    gpointer            widget,
                                    gsize               offset,
                                    AttnBinderSetFunc   set);
void        attn_binder_add_choice (AttnBinder         *binder,
                                    GtkDropDown        *drop_down,
                                    gsize               offset,
                                    AttnBinderGetFunc   get,
                                    AttnBinderSetFunc   set);
void        attn_binder_add_size   (AttnBinder         *binder,
                                    GtkSpinButton      *spin,
                                    gsize               offset);
void        attn_binder_add_uint   (AttnBinder         *binder,
                                    GtkSpinButton      *spin,
                                    gsize               offset);
void        attn_binder_add_number (AttnBinder         *binder,
                                    GtkAdjustment      *adjustment,
                                    gsize               offset);
void        attn_binder_add_text   (AttnBinder         *binder,
                                    GtkEditable        *entry,
                                    gsize               offset);
void        attn_binder_add_set    (AttnBinder         *binder,
                                    GtkEditable        *entry,
                                    gsize               offset,
                                    const char         *what);
void        attn_binder_add_set_or (AttnBinder         *binder,
                                    GtkEditable        *entry,
                                    gsize               offset,
                                    gsize               usual_offset,
                                    const char         *what);
void        attn_binder_sync       (AttnBinder         *binder);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnBinder, attn_binder_free)

G_END_DECLS
