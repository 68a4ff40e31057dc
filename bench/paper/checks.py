# SPDX-License-Identifier: Apache-2.0
"""Checks of the quick run, which must hold for any data and seed."""
import re

import experiments
import readings
import sizes


def check_figure(store):
    for name in sizes.FIGURE_SETS:
        runs = readings.runs_of(store.read(f"figure-{name}"))
        assert readings.batches(runs) == sizes.QUICK["batch_sizes"][name], runs.keys()
        assert readings.landmarks(runs) == readings.landmarks(runs, "own") == sizes.QUICK["landmarks"]
        for results in runs.values():
            for result in results:
                for look in result["points"]:
                    assert 0 <= look["scores"]["none"]["nmi"] <= 1 and 0 <= look["error"] <= 1 + 1e-4, look
                passes = [look["passes"] for look in result["points"]]
                assert passes == sorted(passes)
        for look in readings.final(runs["exact"]):
            assert look["error"] < 1e-3
        for m in sizes.QUICK["batch_sizes"][name]:
            for look in readings.final(runs[f"minibatch-{m}"]):
                assert 0.9 < look["passes"] < 1.3, look


def check_variance(store):
    """Measured and computed variances agree within a quarter, after 300 draws."""
    for at in next(iter(store.read("variance").values()))["result"]["variance"]:
        for entry in [*at["signed"], at["columns"]]:
            assert 0.75 < entry["measured"] / entry["formula"] < 1.33, entry
        for entry in at["signed"]:
            assert entry["measured"] < 1.25 * entry["paper_bound"], entry


def check_quick(store, folder):
    assert set(store.read("data")) == set(sizes.FIGURE_SETS + sizes.COVTYPE_SETS)
    check_figure(store)
    for name in sizes.COVTYPE_SETS:
        rows = store.read(name)
        assert set(rows) == set(experiments.covtype_rows(sizes.QUICK, name)), rows.keys()
        assert all(0 <= run["nmi"] <= 1 for row in rows.values() for run in row["result"])
    check_variance(store)
    assert len(store.read("stability")) > 20 and store.read("covtype-search")
    text = (folder / "paper.md").read_text(encoding="utf-8")
    for title in ("Data", "NMI against operations", "Covtype", "Variance", "Stability", "Which settings", "Findings"):
        assert f"\n## {title}" in text, title
    assert not re.search(r"\bnan\b|Not measured", text)
