/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The precompiled header of a library, read once for all its files if the program is configured
 * with -Db_pch=true. Each file includes the headers that it needs all the same. */

#include <gio/gio.h>
