/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * As src/pch/attn-pch.h, for the library of the window. */

#include <gtk/gtk.h>
