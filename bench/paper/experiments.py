# SPDX-License-Identifier: Apache-2.0
"""The parts of the reproduction: the requests that each of them sends to bench_paper and to the program mbsc."""
import hashlib
import json
import os
import pathlib
import subprocess
import tempfile

import search
import shared
import sizes


class Bench:
    """The programs, the sizes, the store of results, and the folder of files that can be made again."""

    def __init__(self, program, mbsc, plan, store, folder):
        self.program, self.mbsc, self.plan, self.store, self.folder = program, mbsc, plan, store, folder

    def data(self, name, **others):
        """The part `data` of a request. In the quick run, blobs replace a missing data set."""
        points = self.plan["points"].get(name, 0)
        request = {"name": name if shared.has_data(name) or points == 0 else "blobs", **others}
        return request | ({"points": points} if points else {})

    def has(self, name):
        if shared.has_data(name) or name in self.plan["points"]:
            return True
        print(f"{name}: skipped: no data in {shared.data_folder()}")
        return False

    def ask(self, request):
        """Sends a request to bench_paper and returns its answer."""
        with tempfile.TemporaryDirectory() as folder:
            asked, answer = (pathlib.Path(folder) / name for name in ("request.json", "answer.json"))
            asked.write_text(json.dumps(request | {"cache": str(self.folder)}), encoding="utf-8")
            subprocess.run([self.program, asked, answer], check=True,
                           env=dict(os.environ, MBSC_DATA=str(shared.data_folder())))
            return json.loads(answer.read_text(encoding="utf-8"))

    def measure(self, part, key, request):
        return self.store.measure(part, key, request, self.ask)


def sha256(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


def data(bench):
    """Stores n, d, the classes, and the checksums of the file and of the scaled points."""
    def describe(request):
        with tempfile.TemporaryDirectory() as folder:
            points = pathlib.Path(folder) / "points.npy"
            answer = bench.ask({"data": request, "write_points": str(points)})
            file = shared.data_folder() / f"{request['name'].split('-')[0]}.csv.gz"
            return answer["data"] | {"sha256": sha256(file) if file.exists() else None, "sha256_points": sha256(points)}
    for name in sizes.FIGURE_SETS + sizes.COVTYPE_SETS:
        if bench.has(name):
            bench.store.measure("data", name, bench.data(name), describe)


def figure_runs(plan, name):
    """{key: request}. Each request is one process."""
    checks = plan["checks"]
    seeds = list(range(plan["seeds"]))
    requests = {"exact": {"needs_exact": True, "runs": [{"name": "exact", "method": "exact", "seeds": seeds,
                                                         "embeddings": ["none", "row", "degree"]}]}}
    for m in plan["batch_sizes"][name]:
        run = {"name": f"minibatch-{m}", "method": "minibatch", "seeds": seeds, "checks": checks,
               "options": {"batch_size": m}}
        requests[run["name"]] = {"needs_exact": True, "runs": [run]}
    for degrees in ("exact", "nystrom"):
        requests[f"nystrom, degrees {degrees}"] = {"needs_exact": True, "runs": [
            {"name": f"nystrom-{m}", "method": "nystrom", "seeds": seeds,
             "options": {"landmarks": m, "degrees": degrees}} for m in plan["landmarks"]]}
    products, repetitions = plan["power"][name]
    requests["power"] = {"needs_exact": True, "runs": [
        {"name": "power", "method": "power", "seeds": list(range(repetitions)), "checks": [products]}]}
    for restarts, repetitions in plan["choices"][name].items():
        requests[f"choices, {restarts} restarts"] = {"needs_exact": True, "runs": [
            {"name": f"choices-{restarts}", "method": "minibatch", "seeds": list(range(repetitions)), "checks": [1],
             "restarts": restarts, "embeddings": ["none", "row", "degree"],
             "options": {"batch_size": plan["batch_sizes"][name][-1]}}]}
    budgets, repetitions = plan["ours"][name]
    requests["ours"] = {"needs_exact": True, "neighbors": True, "runs": [
        {"name": "ours", "method": "ours", "seeds": list(range(repetitions)), "checks": budgets}]}
    return requests


def figure(bench):
    for name in sizes.FIGURE_SETS:
        if bench.has(name):
            for key, request in figure_runs(bench.plan, name).items():
                bench.measure(f"figure-{name}", key, {"data": bench.data(name)} | request)


def covtype_rows(plan, name):
    """{row of the table: options of mbsc}"""
    about = plan["covtype"][name]
    plain = ["--regularization", "0", "--embedding-scale", "none"]
    rows = {}
    for m in about["batch_sizes"]:
        rows[f"minibatch-{m}"] = ["--method", "minibatch", "--preset", "paper", "--batch-size", m, "--iterations",
                                  plan["iterations"]]
    # On all of Covtype, exact degrees take minutes for each row.
    for degrees in ("nystrom", "exact") if about["exact"] else ("nystrom",):
        for m in about["batch_sizes"]:
            rows[f"nystrom-{m}" + ("" if degrees == "nystrom" else ", exact degrees")] = [
                "--method", "nystrom", "--landmarks", m, "--degrees", degrees, *plain]
    rows["power"] = ["--method", "power", "--iterations", 3, *plain]
    rows["ours"] = ["--method", "minibatch", "--passes", about["ours"], *plain]
    if about["exact"]:
        rows["defaults"] = ["--method", "minibatch", "--passes", about["ours"]]
        rows["exact"] = ["--method", "exact", "--tolerance", "1e-4", *plain]
    return rows


def points_file(bench, name):
    """The file that mbsc reads, and its options for scaling: all of Covtype, or points that bench_paper has scaled."""
    request = bench.data(name)
    if name == "covtype-II" and "points" not in request:
        return shared.data_folder() / "covtype.csv.gz", ["--scale", "unit"]
    path = bench.folder / f"{name}.npy"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        bench.ask({"data": request, "write_points": str(path)})
    return path, []


def run_mbsc(bench, name, request):
    """Runs mbsc once for each seed and returns the summaries."""
    file, scaling = points_file(bench, name)
    found = []
    for seed in request["seeds"]:
        with tempfile.TemporaryDirectory() as folder:
            summary = pathlib.Path(folder) / "summary.json"
            command = [bench.mbsc, "cluster", file, *scaling, "-k", request["clusters"], "--label-column", "last",
                       "--gamma", repr(request["gamma"]), "--seed", seed, "--labels", pathlib.Path(folder) / "labels",
                       "--summary", summary, "--quiet", *request["options"]]
            subprocess.run([str(word) for word in command], check=True)
            found.append({key: value for key, value in json.loads(summary.read_text(encoding="utf-8")).items()
                          if key != "input"})
    return found


def covtype(bench):
    for name in sizes.COVTYPE_SETS:
        if not bench.has(name):
            continue
        about = bench.ask({"data": bench.data(name)})["data"]
        for row, options in covtype_rows(bench.plan, name).items():
            sizes_of_set = bench.plan["covtype"][name]
            seeds = sizes_of_set["seeds_of"].get(row, sizes_of_set["seeds"])
            request = {"data": bench.data(name), "clusters": about["clusters"], "gamma": about["gamma"],
                       "seeds": list(range(seeds)),
                       "options": [str(word) for word in options]}
            bench.store.measure(name, row, request, lambda asked, name=name: run_mbsc(bench, name, asked))


def variance(bench):
    if bench.has("pendigits"):
        bench.measure("variance", "pendigits", {"data": bench.data("pendigits"), "needs_exact": True,
                                                "variance": bench.plan["variance"]})


def stability_variants(most):
    """{(group, name): options}. All other options are those of the preset, with m = 100. `most`: the largest batch."""
    variants = {("step", f"{factor:g}/sqrt(n)"): {"step_factor": factor} for factor in (0.03, 0.1, 0.3, 1, 3, 10)}
    variants |= {("batch", str(m)): {"batch_size": m} for m in (10, 20, 50, 100, 200, 500, 1000) if m <= most}
    variants |= {("start", "random"): {"start": "random"}, ("start", "nystrom, 10 landmarks"): {},
                 ("start", "nystrom, 100 landmarks"): {"landmarks": 100}}
    variants |= {("stop", f"a step below {stall:g}"): {"stall": stall} for stall in (0.1, 0.03, 0.01, 0.003, 0.001)}
    variants[("estimator", "columns, reshuffled")] = {}
    variants[("estimator", "columns, drawn anew")] = {"sampling": "independent"}
    for l in (1, 2, 10, 50):
        variants[("estimator", f"signed, l = {l}, reshuffled")] = {"estimator": "signed", "nonzeros": l}
        variants[("estimator", f"signed, l = {l}, drawn anew")] = {"estimator": "signed", "nonzeros": l,
                                                                  "sampling": "independent"}
    return variants


def stability(bench):
    for name, repetitions in bench.plan["stability"].items():
        if not bench.has(name):
            continue
        for (group, word), options in stability_variants(bench.plan["points"].get(name, 10**9)).items():
            # A run with a stopping rule may take up to three passes.
            run = {"name": "minibatch", "method": "minibatch", "seeds": list(range(repetitions)),
                   "checks": [3 if group == "stop" else 1], "options": options}
            bench.measure("stability", f"{name}: {group}: {word}", {"data": bench.data(name), "needs_exact": True,
                                                                    "runs": [run]})


def missing(plan, store):
    """What a whole run still has to measure, by part. For the search on Covtype-I, it checks only whether there are any
    results."""
    wanted = {f"figure-{name}": set(figure_runs(plan, name)) for name in sizes.FIGURE_SETS}
    wanted |= {name: set(covtype_rows(plan, name)) for name in sizes.COVTYPE_SETS}
    wanted["stability"] = {f"{name}: {group}: {word}" for name in plan["stability"]
                           for group, word in stability_variants(plan["points"].get(name, 10**9))}
    wanted |= {"data": set(sizes.FIGURE_SETS + sizes.COVTYPE_SETS), "variance": {"pendigits"}}
    found = {part: sorted(keys - set(store.read(part))) for part, keys in wanted.items()}
    if not store.read("covtype-search"):
        found["covtype-search"] = ["all"]
    return {part: keys for part, keys in found.items() if keys}


PARTS = {"data": data, "figure": figure, "covtype": covtype, "variance": variance, "stability": stability,
         "covtype-search": search.search}
