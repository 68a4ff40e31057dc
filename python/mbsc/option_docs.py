# SPDX-License-Identifier: Apache-2.0
"""The documentation of the arguments of the estimator, from the option table of the library."""
from __future__ import annotations

import inspect
import textwrap

from ._core import describe_options


def _entry(row: dict, default) -> str:
    kind = "{" + ", ".join(repr(word) for word in row["words"]) + "}" if row["words"] else row["kind"]
    if default == "auto":
        kind = "{'auto', " + kind[1:] if row["words"] else f"{kind} or 'auto'"
    elif default is None:
        kind = f"{kind} or None"
    text = row["help"][0].upper() + row["help"][1:] + "."
    if row["automatic"] and default in ("auto", None):
        text += f" {default!r}: {row['automatic']}."
    if row["methods"]:
        names = [name if name != "adagrad" else "minibatch with step_rule='adagrad'" for name in row["methods"]]
        text += f" Applies to {', '.join(names)}."
    if row["condition"]:
        name, words = row["condition"]
        text += f" Applies to {name}={' or '.join(repr(word) for word in words)}."
    lines = textwrap.wrap(text, 110, initial_indent="    ", subsequent_indent="    ")
    return "\n".join([f"{row['python']} : {kind}, default={default!r}", *lines])


def document_options(estimator: type) -> type:
    """Replace {options} in the docstring of the class by an entry for each option that the docstring does not describe,
    in the order of the signature."""
    if estimator.__doc__ is None:  # python -OO
        return estimator
    rows = {row["python"]: row for row in describe_options()}
    entries = [_entry(rows[name], parameter.default)
               for name, parameter in inspect.signature(estimator.__init__).parameters.items()
               if name in rows and f"\n    {name} :" not in estimator.__doc__]
    entries.append("memory : int or None, default=None\n    The old name of cache.")
    estimator.__doc__ = estimator.__doc__.replace("{options}", textwrap.indent("\n".join(entries), "    ").lstrip())
    return estimator
