#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later

"""Studies as a person handles them: saved, opened, lost and recovered, in one window and in two.
Takes the program as its only argument; to be run by under-display --bus --manager. Speaks TAP."""

import csv
import glob
import json
import os
import re
import shutil
import sys
import time

import drive

def find_autosaves():
    return glob.glob(os.path.join(drive.STATE, "*.autosave"))


def await_autosave():
    drive.wait_for("the study to be kept", find_autosaves)


def start(directory, *arguments):
    return drive.Program(directory, *arguments)


def press(program, name):
    program.click(program.await_node("button", name))
    program.park()


def check_killed_study_is_offered(directory):
    program = start(directory)
    try:
        program.key("alt+k")
        program.await_figure("3 × 2 panels")
        await_autosave()
    finally:
        program.kill()

    program = start(directory)
    try:
        program.await_node("label", "Not Closed Properly Last Time.*")
        unnamed = drive.find_unnamed(program.nodes())
        assert not unnamed, unnamed
        # What is there can be used meanwhile.
        program.await_figure("3 × 3 panels")
        press(program, "Restore")
        program.await_figure("3 × 2 panels")
        assert not program.find("label", "Not Closed Properly Last Time.*")
        program.quit()
    finally:
        program.kill()
    assert not find_autosaves()


def check_ended_study_is_offered_if_changed(directory):
    """A program that is told to end keeps what is not saved, and leaves nothing else."""
    program = start(directory)
    program.process.terminate()
    assert program.process.wait(20) == 0
    program.kill()
    assert not find_autosaves(), find_autosaves()
    program = start(directory)
    try:
        program.key("alt+k")
        program.await_figure("3 × 2 panels")
        program.process.terminate()
        assert program.process.wait(20) == 0
    finally:
        program.kill()
    assert len(find_autosaves()) == 1, find_autosaves()
    program = start(directory)
    try:
        program.await_node("label", "Unsaved Changes Were Kept.*")
        press(program, "Discard")
        program.quit()
    finally:
        program.kill()
    assert not find_autosaves(), find_autosaves()


def check_discarded_study_is_gone(directory):
    program = start(directory)
    try:
        program.key("alt+k")
        program.await_figure("3 × 2 panels")
        await_autosave()
    finally:
        program.kill()

    program = start(directory)
    try:
        press(program, "Discard")
        drive.wait_for("the study to go", lambda: not find_autosaves())
        program.quit()
    finally:
        program.kill()

    program = start(directory)
    try:
        time.sleep(0.5)
        assert not program.find("label", "Not Closed Properly Last Time.*")
        program.quit()
    finally:
        program.kill()


def check_saved_study_is_the_figure(directory):
    """What is saved renders to what the window exports, and opens without a question."""
    path = os.path.join(directory, "my.attention.json")
    exported = os.path.join(directory, "exported.svg")
    rendered = os.path.join(directory, "rendered.svg")
    program = start(directory)
    try:
        program.key("alt+k")
        program.await_figure("3 × 2 panels")
        program.await_node("label", "• New Study")
        program.key("ctrl+s")
        program.choose_file("Save Study", path)
        program.await_node("label", "my")
        drive.open_export_chooser(program, "svg")
        program.choose_file("Export Figure", exported)
        program.await_node("label", "Exported to .*svg")
        check_completed_name_is_asked_about(program, path)
        check_name_with_an_ending_is_kept(program, directory)
        # Nothing to ask: it is saved.
        program.key("ctrl+q")
        assert program.process.wait(drive.PATIENCE) == 0, program.read_log()
    finally:
        program.kill()
    drive.run_cli("render", path, "-o", rendered)
    with open(exported, "rb") as a, open(rendered, "rb") as b:
        assert a.read() == b.read()
    assert json.load(open(path))["model"]["fingerprint"]

    for opened in (path, exported):
        program = start(directory, opened)
        try:
            program.await_figure("3 × 2 panels")
            program.key("ctrl+q")
            assert program.process.wait(drive.PATIENCE) == 0, program.read_log()
        finally:
            program.kill()


def check_completed_name_is_asked_about(program, path):
    """A name without a suffix stands for a file that is there: it is not written under half a name."""
    bare = path[:-len(".attention.json")]
    before = os.stat(path).st_mtime_ns
    program.key("ctrl+shift+s")
    window = program.await_window("Save Study")
    program.enter_path(bare)

    def is_completed():
        if program.find_text(re.escape(os.path.basename(path))):
            return True
        program.key("Return")
        time.sleep(0.3)
        return False
    drive.wait_for("the name with its suffix", is_completed)

    def is_closed():
        """The question goes before the chooser that asks it."""
        program.key("Escape")
        return drive.is_soon(lambda: not program.is_visible(window), 0.5)
    drive.wait_for("the file chooser to close", is_closed)
    program.focus(program.xid)
    assert not os.path.exists(bare)
    assert os.stat(path).st_mtime_ns == before


def check_name_with_an_ending_is_kept(program, directory):
    program.key("ctrl+shift+s")
    program.choose_file("Save Study", os.path.join(directory, "mine.json"))
    program.await_node("label", "mine.json")
    # Typed over the selection, which leaves ".json" behind it.
    program.key("ctrl+shift+s")
    window = program.await_window("Save Study")
    drive.wait_for("the name in the file chooser", lambda: program.find_text("mine.json"))
    program.type("mine-too.json")
    drive.wait_for("what was typed", lambda: program.find_text("mine-too.json.json"))
    program.accept_file(window)
    program.await_node("label", "mine-too.json")
    names = sorted(name for name in os.listdir(directory) if name.startswith("mine"))
    assert names == ["mine-too.json", "mine.json"], names


def check_missing_model_is_asked_for(directory):
    model = os.path.join(directory, "moved")
    study = os.path.join(directory, "study.json")
    with open(os.path.join(directory, "my.attention.json")) as file:
        content = json.load(file)
    content["model"]["path"] = model
    with open(study, "w") as file:
        json.dump(content, file)

    program = start(directory, study)
    try:
        program.await_node("label", "Where Is the Model of “study.json”\\?.*")
        program.await_node("label", ".*moved: not found.*")
        program.await_figure("3 × 3 panels")
        shutil.copytree(os.path.join(os.environ["ATTENTION_GRID_DATADIR"], "models", "rose"), model)
        press(program, "Locate…")
        program.choose_file("Locate the Model", model)
        program.await_figure("3 × 2 panels")
        assert not program.find("label", "Where Is the Model.*")
        program.quit()
    finally:
        program.kill()

    # Another model in the same place is not taken in silence.
    content["model"]["fingerprint"] = "0" * 64
    with open(study, "w") as file:
        json.dump(content, file)
    program = start(directory, study)
    try:
        program.await_node("label", "The Study Was Made With Another Model.*")
        press(program, "Use It Anyway")
        drive.wait_for("the warning to go", lambda: not program.find(
            "label", "The Study Was Made With Another Model.*"))
        program.quit()
    finally:
        program.kill()


def open_second_study(program, directory):
    """One that is in a file, beside a study that is changed."""
    program.key("alt+k")
    program.await_figure("3 × 2 panels")
    program.key("ctrl+o")
    program.choose_file("Open a Model or Study File",
                        os.path.join(directory, "my.attention.json"))
    drive.wait_for("a second window", lambda: count_windows(program) == 2)


def check_two_windows(directory):
    """A second study does not take the place of one that is changed."""
    program = start(directory)
    try:
        open_second_study(program, directory)
        program.await_node("label", "my")
        program.await_node("label", "• New Study")
        program.quit()
    finally:
        program.kill()


def check_two_killed_windows_come_back(directory):
    """Each with its own study, the one that is in a file as well as the one that is not."""
    program = start(directory)
    try:
        open_second_study(program, directory)
        drive.wait_for("both studies to be kept", lambda: len(find_autosaves()) == 2)
    finally:
        program.kill()

    program = start(directory)
    try:
        program.await_node("label", ".*(“my”|“Mean Operation — .*…”) .* and 1 more")
        press(program, "Restore")
        drive.wait_for("a second window", lambda: count_windows(program) == 2)
        program.await_node("label", "my")
        program.await_node("label", "• New Study")
        assert len(find_autosaves()) == 2, find_autosaves()
        program.quit()
    finally:
        program.kill()
    assert not find_autosaves()


def check_no_place_to_keep_is_told(directory):
    """Once, where something is in the way of the directory; the study itself can be saved."""
    blocked = os.path.join(directory, "blocked")
    path = os.path.join(directory, "kept.attention.json")
    with open(blocked, "w"):
        pass
    os.environ["XDG_STATE_HOME"] = blocked
    try:
        program = start(directory)
    finally:
        del os.environ["XDG_STATE_HOME"]
    try:
        assert not program.find("label", "The Study Is Not Kept in Case of a Crash.*")
        program.key("alt+k")
        program.await_figure("3 × 2 panels")
        program.await_node("label", "The Study Is Not Kept in Case of a Crash.*")
        program.key("ctrl+s")
        program.choose_file("Save Study", path)
        program.await_node("label", "kept")
        assert os.path.exists(path)
        program.quit()
    finally:
        program.kill()


def count_windows(program):
    """GTK 4.8 gives the second window no role, only its name."""
    return sum("Attention Grid" in name for _, name, _ in program.nodes())


class German(drive.Program):
    """The same program, whose figure is called otherwise."""

    def await_node(self, role, name):
        return super().await_node(role, {"Figure": "Abbildung"}.get(name, name))


COMMA_LOCALE = "de_DE.UTF-8"


def has_comma_locale():
    return os.path.isdir(os.path.join(os.environ.get("LOCPATH", "/nowhere"), COMMA_LOCALE))


def check_german(directory):
    """German words; numbers with a comma in the window, and with a point in what is written."""
    kept = {name: os.environ[name] for name in ("LC_ALL", "LANGUAGE") if name in os.environ}
    os.environ["LANGUAGE"] = "de"
    if has_comma_locale():
        os.environ["LC_ALL"] = COMMA_LOCALE
    else:
        print("# no locale with a decimal comma: the numbers are not looked at")
    try:
        program = German(directory)
    finally:
        del os.environ["LANGUAGE"]
        os.environ.update(kept)
    try:
        for role, name in (("button", "Öffnen"), ("button", "Exportieren"),
                           ("label", "Eingaben")):
            program.await_node(role, name)
        if has_comma_locale():
            check_commas(program, directory)
        program.quit()
    finally:
        program.kill()


def check_commas(program, directory):
    said = program.sweep(7)
    weights = [text for text in said if re.search(r"Gewicht \d", text)]
    assert len(weights) >= 4, said
    for text in weights:
        assert re.search(r"Gewicht (\d,\d+|\d+(,\d+)?e[−-]\d+|[01])\b", text), text
    program.park()
    written = os.path.join(directory, "deutsch.csv")
    program.key("ctrl+e")
    program.await_node("button", "Exportieren…")
    program.await_node("label", r"(?s).*mm · Datei \d+,\d.*B · .*")
    drive.choose_format(program, 5)
    program.await_node("label", r"[^·]*: \d+,\d.*B")
    program.key("alt+e")
    program.choose_file("Abbildung exportieren", written)
    drive.wait_for("the table", lambda: os.path.exists(written))
    with open(written, newline="") as table:
        values = [value for row in csv.reader(table) for value in row]
    assert any(re.fullmatch(r"0\.\d+", value) for value in values), values
    assert not any(re.fullmatch(r"\d+,\d+", value) for value in values), values


CHECKS = [check_killed_study_is_offered, check_ended_study_is_offered_if_changed,
          check_discarded_study_is_gone,
          check_saved_study_is_the_figure, check_missing_model_is_asked_for, check_two_windows,
          check_two_killed_windows_come_back, check_no_place_to_keep_is_told,
          check_german]


if __name__ == "__main__":
    sys.exit(drive.run_session("/app/documents/", [], CHECKS))
