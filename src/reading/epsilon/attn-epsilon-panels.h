/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Names some of a figure's panels in few words: by whole rows or columns of panels where they fill
 * these, such as "Query, Key, all inputs". */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * AttnEpsilonPanels:
 *
 * Names of a figure's panels and the rows and columns that they tell of. Immutable.
 */
typedef struct _AttnEpsilonPanels AttnEpsilonPanels;

AttnEpsilonPanels *attn_epsilon_panels_new  (const char * const      *names,
                                             gsize                    n_names);
void               attn_epsilon_panels_free (AttnEpsilonPanels       *panels);
char              *attn_epsilon_panels_name (const AttnEpsilonPanels *panels,
                                             const gboolean          *is_chosen,
                                             gboolean                *is_whole);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnEpsilonPanels, attn_epsilon_panels_free)

G_END_DECLS
