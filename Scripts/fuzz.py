"""Builds the fuzzer, with the dependencies that `swift build --build-tests` has built: python3 Scripts/fuzz.py PROGRAM

PROGRAM is the path of the executable file to create. The script compiles only the modules in MODULES again, with
instrumentation and without optimization. `swift build` for another configuration would take much longer, because it
would compile all dependencies again.
"""

import pathlib
import re
import shutil
import sys

from scripts import load

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Each module is listed after the modules that it imports.
MODULES = [
    "SallyportProtocol", "SallyportRemote", "Sallyport", "SallyportSystem", "SallyportDesktop", "SallyportWebAuthn", "SallyportServer", "FuzzProperties"]
FOLDERS = {"FuzzProperties": "Fuzz/Properties"}
# Matches the object files of our own modules that are left out when linking, because the modules are either compiled
# again or not needed. The three modules named in the pattern are linked as they were built, without instrumentation,
# because no fuzz target tests them.
LEFT_OUT = re.compile(r"/(?!SallyportResources|SallyportLanguages|SallyportLook)Sallyport\w*\.build/")
# Options of the build that only make the compiler stricter. The fuzzer is compiled without them.
STRICTNESS = {"-warnings-as-errors"}


def main(program):
    platforms = load("platforms")
    scratch = program.parent / "built"
    shutil.rmtree(scratch, ignore_errors=True)
    modules = scratch / "modules"
    modules.mkdir(parents=True)
    objects = []
    for name in MODULES:
        compiler, options = platforms.arguments(name)
        options = [word for word in options if word not in STRICTNESS]
        objects.append(scratch / f"{name}.o")
        platforms.run(
            [compiler, "-parse-as-library", "-module-name", name, "-I", modules, *options, "-sanitize=fuzzer", "-wmo", "-Onone", "-emit-module",
             "-emit-module-path", modules / f"{name}.swiftmodule", "-c", *platforms.sources(ROOT / FOLDERS.get(name, f"Sources/{name}")),
             "-o", objects[-1]])
    compiler, options = platforms.arguments("FuzzProperties")
    options = [word for word in options if word not in STRICTNESS]
    linked_objects = (platforms.BUILD / "sallyportd.product" / "Objects.LinkFileList").read_text(encoding="utf-8").split("\n")
    others = [line.strip("'\"") for line in linked_objects if line and not LEFT_OUT.search(line)]
    # SwiftPM does the same: if the entry point were called main, the linker would use the main function of libFuzzer's
    # library instead.
    entry = ["-Xfrontend", "-entry-point-function-name", "-Xfrontend", "fuzz_main", "-Xlinker", "--defsym=main=fuzz_main"]
    platforms.run(
        [compiler, "-parse-as-library", "-module-name", "Driver", "-I", modules, *options, *entry, "-sanitize=fuzzer", "-Onone",
         *platforms.sources(ROOT / "Fuzz" / "Driver"), *objects, *others, "-lz", "-lstdc++", "-o", program])


main(pathlib.Path(sys.argv[1]).resolve())
