# SPDX-License-Identifier: GPL-3.0-or-later
# Makes the list of resources of the rows of attn-presets.c.
1i <gresources><gresource prefix="/io/github/attentiongrid/AttentionGrid/presets">
s|^  [{] "([a-z0-9-]+)", N_.*|<file>\1.json</file>|p
$a </gresource></gresources>
