"""Functions that several scripts in this folder use."""

import importlib.machinery
import importlib.util
import pathlib


def load(name):
    """Loads another script in this folder as a module."""
    loader = importlib.machinery.SourceFileLoader(name, str(pathlib.Path(__file__).resolve().parent / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module
