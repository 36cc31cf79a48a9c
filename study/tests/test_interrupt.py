"""An interrupted study leaves no files behind."""

import os
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from support import program

# One that makes files.
FIGURE = "2012-3"
# How long it may take until there are files, and until it has ended: not speeds, but when to give up.
PATIENCE_SECONDS = 120
# Between the first file and the signal: at first files are being written, later read.
MOMENTS_SECONDS = (0, 0.05, 0.5)


class AnInterrupt(unittest.TestCase):
    def test_to_the_program_leaves_no_files(self):
        for moment in MOMENTS_SECONDS:
            with self.subTest(moment):
                self.interrupt(signal.SIGINT, os.kill, moment)

    def test_by_the_terminal_goes_to_its_workers_too_and_leaves_no_files(self):
        self.interrupt(signal.SIGINT, os.killpg, MOMENTS_SECONDS[-1])

    def test_a_request_to_terminate_and_a_lost_terminal_leave_no_files(self):
        for number in (signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number.name):
                self.interrupt(number, os.kill, MOMENTS_SECONDS[-1])

    def interrupt(self, number, send, moment):
        def as_from_a_terminal():
            # A shell's background jobs, and what they start, ignore interrupts.
            signal.signal(number, signal.SIG_DFL)

        with tempfile.TemporaryDirectory() as scratch, tempfile.TemporaryFile() as said:
            command = [program(self), "--scratch", scratch, FIGURE]
            options = {"stdin": subprocess.DEVNULL, "stdout": said, "stderr": said, "start_new_session": True}
            process = subprocess.Popen(command, preexec_fn=as_from_a_terminal, **options)
            try:
                self.wait_for_a_folder(process, Path(scratch), said)
                time.sleep(moment)
                self.assertIsNone(process.poll(), self.words(said, "it ended before it was interrupted"))
                send(process.pid, number)
                code = process.wait(PATIENCE_SECONDS)
            finally:
                if process.poll() is None:
                    process.kill()
                    process.wait()
            self.assertEqual(code, 130, self.words(said, "its exit code"))
            self.assertEqual(os.listdir(scratch), [], self.words(said, "what it left"))

    def wait_for_a_folder(self, process, scratch, said):
        give_up = time.monotonic() + PATIENCE_SECONDS
        while not any(scratch.glob("manyhash-study-*")):
            self.assertIsNone(process.poll(), self.words(said, "it ended without a folder for its files"))
            self.assertLess(time.monotonic(), give_up, self.words(said, "it made no folder for its files"))
            time.sleep(0.005)

    @staticmethod
    def words(said, what):
        said.seek(0)
        return f"{what}; it said: {said.read().decode(errors='replace')}"


if __name__ == "__main__":
    unittest.main()
