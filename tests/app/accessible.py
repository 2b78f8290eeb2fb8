# SPDX-License-Identifier: GPL-3.0-or-later

"""The tree of a program that assistive technology is told of (AT-SPI 2), asked of its bus: all of it by a
few calls, where the library Atspi waits for five at each node."""

import ast
import re
import typing

import gi
gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, Gio, GLib

ROOT = "/org/a11y/atspi/accessible/root"
# Roles of what has no children
LEAVES = {int(Atspi.Role.LABEL), int(Atspi.Role.IMAGE)}
# A node in the text of GetItems: its path, its parent's, its place there, its number of children, its name and its role.
# Item by item GLib takes three times as long.
TEXT = r"""('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
ITEM = re.compile(r"\(\('[^']*', '([^']*)'\), \('[^']*', '[^']*'\), \('[^']*', '([^']*)'\), (-?\d+), (-?\d+), \[[^]]*\], " +
                  TEXT + r", (\d+), ")


class Bus:
    """The bus that assistive technology and programs share."""

    def __init__(self):
        session = Gio.bus_get_sync(Gio.BusType.SESSION)
        address, = session.call_sync("org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress",
                                     None, None, Gio.DBusCallFlags.NONE, -1, None)
        self.connection = Gio.DBusConnection.new_for_address_sync(
            address, Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT |
            Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION, None, None)
        self.leaves = set()  # the paths of those that were listed, which nobody has to ask again
        self.children = {}  # the paths below each path when it was asked last

    def ask(self, owner, path, interface, method, arguments=None):
        return self.connection.call_sync(owner, path, interface, method, arguments, None,
                                         Gio.DBusCallFlags.NONE, -1, None)

    def call(self, owner, path, interface, method, arguments=None):
        return self.ask(owner, path, interface, method, arguments).unpack()

    def find_program(self, pid):
        """The name on the bus of the program of that process, or None."""
        programs, = self.call("org.a11y.atspi.Registry", ROOT, "org.a11y.atspi.Accessible", "GetChildren")
        for owner, _ in programs:
            found, = self.call("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
                               "GetConnectionUnixProcessID", GLib.Variant("(s)", (owner,)))
            if found == pid:
                return owner
        return None

    def list_nodes(self, owner, anew=True):
        """Every node of a program, from the root on, the last child first. Unless anew, a node is not asked for its
        children where they seem to be those that it had when it was asked last: one that shows for the first time
        just behind one that no longer does is not seen."""
        cache = {} if anew else self.read_cache(owner)
        # The cache of GTK has what somebody has asked for, and keeps what no longer shows.
        children = self.find_children(owner, cache)
        if not children.keys() <= cache.keys():
            cache = self.read_cache(owner)
        self.leaves.update(path for path, item in cache.items() if item.role in LEAVES)
        stack = [(ROOT, None)]
        while stack:
            path, parent = stack.pop()
            if path in cache:
                node = Node(self, owner, path, cache[path].role, cache[path].name, parent)
                yield node
                stack += [(child, node) for child in children[path]]

    def read_cache(self, owner):
        """What GTK keeps, by path; nothing where the program has ended."""
        try:
            answer = self.ask(owner, "/org/a11y/atspi/cache", "org.a11y.atspi.Cache", "GetItems")
        except GLib.Error:
            return {}
        # GLib writes texts as Python does.
        return {path: Item(parent, int(index), int(n_children),
                           ast.literal_eval(name) if "\\" in name else name[1:-1], int(role))
                for path, parent, index, n_children, name, role in ITEM.findall(answer.print_(False))}

    def find_children(self, owner, cache):
        """The paths below each path, a level of the tree at a time."""
        children = {}
        level = {ROOT}
        while level:
            known = {path for path in level if self.has_same_children(path, cache)}
            children.update((path, self.children[path]) for path in known)
            self.ask_for_children(owner, level - known, children)
            level = {child for path in level for child in children[path] if child not in children}
        self.children = children
        return children

    def has_same_children(self, path, cache):
        """Whether as many as it had the last time are still in their places."""
        if path not in cache or path not in self.children or len(self.children[path]) != cache[path].n_children:
            return False
        for i, child in enumerate(self.children[path]):
            item = cache.get(child)
            # What a stack holds is in a page, which is in the stack.
            if item is not None and item.parent != path:
                item = cache.get(item.parent)
            if item is None or item.parent != path or item.index != i:
                return False
        return True

    def ask_for_children(self, owner, paths, children):
        """Asks all and then waits for all, which is several times as quick as one after the other."""
        def keep(connection, result, path):
            try:
                found = connection.call_finish(result).get_child_value(0)
            except GLib.Error:  # It went away meanwhile.
                children[path] = []
            else:
                children[path] = [found.get_child_value(i).get_child_value(1).get_string()
                                  for i in range(found.n_children())]
        n_expected = len(children) + len(paths)
        for path in paths:
            if path in self.leaves:
                children[path] = []
                continue
            self.connection.call(owner, path, "org.a11y.atspi.Accessible", "GetChildren", None, None,
                                 Gio.DBusCallFlags.NONE, -1, None, keep, path)
        context = GLib.MainContext.default()
        while len(children) < n_expected:
            context.iteration(True)


class Item(typing.NamedTuple):
    """A node as the cache tells of it."""
    parent: str
    index: int
    n_children: int
    name: str
    role: int


class Node:
    """A widget, with its role and name as they were when it was listed; what it is asked it answers anew."""

    def __init__(self, bus, owner, path, role, name, parent):
        self.bus = bus
        self.owner = owner
        self.path = path
        self.parent = parent
        # As GTK 4.18 calls it with version 2.56 of the accessibility library
        role = Atspi.role_get_name(Atspi.Role(role))
        self.role = "button" if role == "push button" else role
        self.name = name

    def __eq__(self, other):
        return isinstance(other, Node) and self.path == other.path

    def get_window(self):
        """What it was in when it was listed."""
        node = self
        while node.role != "frame":
            node = node.parent
        return node

    def is_in(self, other):
        """Whether it was inside the other when it was listed."""
        node = self
        while node is not None and node != other:
            node = node.parent
        return node is not None

    def call(self, interface, method, arguments=None):
        return self.bus.call(self.owner, self.path, "org.a11y.atspi." + interface, method, arguments)

    def get(self, interface, name):
        value, = self.bus.call(self.owner, self.path, "org.freedesktop.DBus.Properties", "Get",
                               GLib.Variant("(ss)", ("org.a11y.atspi." + interface, name)))
        return value

    def get_name(self):
        return self.get("Accessible", "Name")

    def get_description(self):
        return self.get("Accessible", "Description")

    def has_state(self, state):
        """By its name in Atspi.StateType, in small letters."""
        bit = int(getattr(Atspi.StateType, state.upper()))
        states, = self.call("Accessible", "GetState")
        return states[bit // 32] >> bit % 32 & 1 == 1

    def get_index(self):
        """Its place among the children of its parent, from 0."""
        index, = self.call("Accessible", "GetIndexInParent")
        return index

    def get_extents(self):
        """Left, top, width, height in the window."""
        extents, = self.call("Component", "GetExtents",
                             GLib.Variant("(u)", (int(Atspi.CoordType.WINDOW),)))
        return extents

    def is_on_screen(self):
        """GTK 4.8 does not tell whether a widget shows; one that does not has no size."""
        try:
            _, _, width, height = self.get_extents()
        except GLib.Error:
            return False
        return width > 1 and height > 1

    def get_text(self):
        length = self.get("Text", "CharacterCount")
        text, = self.call("Text", "GetText", GLib.Variant("(ii)", (0, length)))
        return text

    def set_text(self, text):
        self.call("EditableText", "SetTextContents", GLib.Variant("(s)", (text,)))

    def get_value(self):
        return self.get("Value", "CurrentValue")

    def do_action(self, number):
        self.call("Action", "DoAction", GLib.Variant("(i)", (number,)))
