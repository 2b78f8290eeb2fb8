/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The same for the libraries of the window. */

#include <gtk/gtk.h>
