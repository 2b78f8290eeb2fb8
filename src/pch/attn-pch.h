/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Read once for a whole library where -Db_pch=true asks for it. Each file includes what it needs
 * all the same. */

#include <gio/gio.h>
