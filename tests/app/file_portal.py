#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later

"""Answers a program that asks for files, as the portal of a desktop would, at random from a seed: with
files that open and files that do not, with places to write to and places where nobody can, or with
"cancel". The file dialog of GTK stays out of a run that is about the program.

    file_portal.py DIRECTORY MODEL SEED

DIRECTORY takes what the program writes, MODEL is the folder of a checkpoint. "ready" is printed when
questions are answered. Interfaces: org.freedesktop.portal.FileChooser, version 3, and of
org.freedesktop.portal.Inhibit what GTK 4.24 asks of every portal, whether the session ends: it never does."""

import os
import random
import struct
import sys

from gi.repository import Gio, GLib

NAME = "org.freedesktop.portal.Desktop"
PATH = "/org/freedesktop/portal/desktop"
REQUEST = "org.freedesktop.portal.Request"
CHOOSER, INHIBIT = Gio.DBusNodeInfo.new_for_xml("""<node><interface name="org.freedesktop.portal.FileChooser">
<method name="OpenFile"><arg name="parent" type="s" direction="in"/><arg name="title" type="s" direction="in"/>
<arg name="options" type="a{sv}" direction="in"/><arg name="handle" type="o" direction="out"/></method>
<method name="SaveFile"><arg name="parent" type="s" direction="in"/><arg name="title" type="s" direction="in"/>
<arg name="options" type="a{sv}" direction="in"/><arg name="handle" type="o" direction="out"/></method>
<property name="version" type="u" access="read"/></interface>
<interface name="org.freedesktop.portal.Inhibit">
<method name="CreateMonitor"><arg name="window" type="s" direction="in"/>
<arg name="options" type="a{sv}" direction="in"/><arg name="handle" type="o" direction="out"/></method>
<property name="version" type="u" access="read"/></interface></node>""").interfaces

ACCEPTED, CANCELLED = 0, 1
LONGEST_ANSWER_MS = 300


def write_npy(path, n):
    """Causal attention of n tokens, [1, 1, n, n]."""
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, %d, %d), }" % (n, n)
    header += " " * (-(len(header) + 11) % 64) + "\n"
    rows = (1 / (i + 1) if j <= i else 0 for i in range(n) for j in range(n))
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack("<%df" % (n * n), *rows))


def write_files(directory):
    """What can be opened besides what the program writes."""
    texts = {"colours.csv": "0,0,0\n255,255,255\n", "table.csv": "1,2\n3,4\n", "lines.txt": "A rose\nis a rose\n",
             "broken.json": '{"version": 1, "inputs": [', "other.json": "{}\n", "empty.npz": ""}
    for name, text in texts.items():
        with open(os.path.join(directory, name), "w") as file:
            file.write(text)
    with open(os.path.join(directory, "latin.txt"), "wb") as file:
        file.write("Rosé\n".encode("latin-1"))
    write_npy(os.path.join(directory, "attention.npy"), 24)
    os.mkdir(os.path.join(directory, "folder"))


class Chooser:
    """One question after the other, each answered a moment later."""

    def __init__(self, directory, model, seed):
        self.directory = directory
        self.model = model
        self.chance = random.Random(seed)

    def choose_to_open(self, options):
        if options.get("directory"):
            return self.chance.choice([self.model, self.model, os.path.join(self.directory, "folder")])
        names = sorted(name for name in os.listdir(self.directory) if not name.startswith("."))
        return os.path.join(self.directory, self.chance.choice(names + ["gone.json"]))

    def choose_to_save(self, options):
        name = os.path.basename(options.get("current_name") or "unnamed")
        return self.chance.choice([os.path.join(self.directory, name)] * 4 +
                                  [os.path.join(self.directory, "second " + name),
                                   os.path.join(self.directory, os.path.splitext(name)[0]),
                                   os.path.join("/proc", name)])

    @staticmethod
    def name_request(sender, options):
        return "%s/request/%s/%s" % (PATH, sender[1:].replace(".", "_"), options["handle_token"])

    def answer(self, bus, sender, handle, path):
        accepted = path is not None
        uris = [GLib.filename_to_uri(path)] if accepted else []
        bus.emit_signal(sender, handle, REQUEST, "Response",
                        GLib.Variant("(ua{sv})", (ACCEPTED if accepted else CANCELLED,
                                                  {"uris": GLib.Variant("as", uris)})))
        return GLib.SOURCE_REMOVE

    def called(self, bus, sender, _path, _interface, method, parameters, invocation):
        options = parameters.unpack()[2]
        path = None
        if self.chance.random() < 0.7:
            choose = self.choose_to_save if method == "SaveFile" else self.choose_to_open
            path = choose(options)
        handle = self.name_request(sender, options)
        invocation.return_value(GLib.Variant("(o)", (handle,)))
        GLib.timeout_add(self.chance.randrange(LONGEST_ANSWER_MS), self.answer, bus, sender, handle, path)

    def asked_for_monitor(self, _bus, sender, _path, _interface, _method, parameters, invocation):
        options = parameters.unpack()[1]
        invocation.return_value(GLib.Variant("(o)", (self.name_request(sender, options),)))

    @staticmethod
    def read_property(*_):
        return GLib.Variant("u", 3)


def main():
    directory, model, seed = sys.argv[1], sys.argv[2], int(sys.argv[3])
    write_files(directory)
    chooser = Chooser(directory, model, seed)
    bus = Gio.bus_get_sync(Gio.BusType.SESSION)
    bus.register_object(PATH, CHOOSER, chooser.called, chooser.read_property, None)
    bus.register_object(PATH, INHIBIT, chooser.asked_for_monitor, chooser.read_property, None)
    Gio.bus_own_name_on_connection(bus, NAME, Gio.BusNameOwnerFlags.REPLACE,
                                   lambda *_: print("ready", flush=True), None)
    GLib.MainLoop().run()


main()
