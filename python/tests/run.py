"""Runs the tests of the package with a Python that has pytest and NumPy; without one they are skipped (exit 77).

    run.py LIBRARY VMAF CLIPGEN [PYTEST ARGUMENT...]
"""
import os
import pathlib
import subprocess
import sys

library, vmaf, clipgen = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:4])
root = pathlib.Path(__file__).resolve().parents[2]
for python in (sys.executable, "/usr/bin/python3"):
    if subprocess.run([python, "-c", "import numpy, pytest"], stderr=subprocess.DEVNULL).returncode == 0:
        break
else:
    print("skipped: no Python here has pytest and NumPy (Debian: python3-pytest, python3-numpy)")
    sys.exit(77)
env = {**os.environ, "VMAF_TURBO_LIBRARY": library, "VMAF_TURBO_PROGRAMS": os.path.dirname(vmaf), "CLIPGEN": clipgen, "PYTHONDONTWRITEBYTECODE": "1"}
sys.exit(subprocess.call([python, "-m", "pytest", "-q", *sys.argv[4:]], cwd=root, env=env))
