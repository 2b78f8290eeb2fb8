# SPDX-License-Identifier: GPL-3.0-or-later

"""What a program that is driven says on standard error."""

import re

# What it is asked to say; and how GTK miscounts in any program: now and then, where a button is pressed while a
# menu comes or goes (the same of any other widget is a complaint), and from 4.24 on the frames of a menu where no
# compositor runs.
PASSED_OVER = re.compile("first figure|Broken accounting of active state for widget 0x[0-9a-f]+\\(GtkPopoverMenu\\)$"
                         "|gdk_frame_timings_submitted\\(\\) called on submitted frame\\.$")


def read_complaints(log_path):
    """All of it but for what is passed over."""
    with open(log_path, errors="replace") as log:
        return "".join(line for line in log if line.strip() and not PASSED_OVER.search(line))
