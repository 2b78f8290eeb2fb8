/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Binds controls to the settings of a study, the fields of its table: the id of a control in the
 * .ui file is the name of its field. */

#pragma once

#include <gtk/gtk.h>

#include "attn-field.h"
#include "attn-session.h"

G_BEGIN_DECLS

typedef struct _AttnBinder AttnBinder;

/* Called with the error in a typed value, and with %NULL when the value has been corrected. */
typedef void (*AttnBinderFailFunc) (gpointer      user_data,
                                    const GError *error);

/* Called with a control of the setting @field and the text that names it. @group: (nullable): the
 * label above a row of buttons. */
typedef void (*AttnBinderControlFunc) (GtkWidget       *control,
                                       const AttnField *field,
                                       const char      *label,
                                       const char      *group,
                                       gpointer         user_data);

AttnBinder *attn_binder_new  (GtkWidget          *root,
                              AttnSession        *session,
                              AttnBinderFailFunc  fail,
                              gpointer            user_data);
void        attn_binder_free (AttnBinder         *binder);
gpointer    attn_binder_find (AttnBinder         *binder,
                              const char         *id);
void        attn_binder_fail (AttnBinder         *binder,
                              const GError       *error);
void        attn_binder_sync (AttnBinder         *binder);
void        attn_binder_show_what_applies (AttnBinder *binder,
                              const AttnStudy    *study);
void        attn_binder_foreach (AttnBinder      *binder,
                              AttnBinderControlFunc func,
                              gpointer            user_data);
void        attn_binder_splice (AttnBinder       *binder,
                              const char         *id,
                              guint               position,
                              guint               n_removals,
                              const char * const *additions);
void        attn_binder_list_numbers (AttnBinder *binder,
                              const char         *id,
                              guint               n_words,
                              const char         *format,
                              gsize               first,
                              gsize               n);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnBinder, attn_binder_free)

G_END_DECLS
