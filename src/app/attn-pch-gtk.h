/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The precompiled header of the window's library (see src/pch/attn-pch.h). */

#include <gtk/gtk.h>
