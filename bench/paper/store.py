# SPDX-License-Identifier: Apache-2.0
"""The store of measurements: one file for each part, one entry for each measurement, with the request, the machine and
the commit. A request whose result is in the store is not measured again."""
import json
import time

import shared

SOURCES = ["cli", ":(glob)bench/paper/*.cpp", ":(glob)bench/paper/*.h", ":(glob)bench/convergence/*.cpp"]


class Store:
    def __init__(self, folder):
        self.folder = folder

    def path(self, part):
        return self.folder / f"{part}.json"

    def read(self, part):
        path = self.path(part)
        return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}

    def measure(self, part, key, request, function):
        """The result of function(request): from the store, or measured now and stored."""
        kept = self.read(part)
        request = json.loads(json.dumps(request))
        if key not in kept or kept[key]["request"] != request:
            print(f"{part}: {key}", flush=True)
            start = time.monotonic()
            result = function(request)
            seconds = round(time.monotonic() - start, 1)
            kept = self.read(part)
            kept[key] = {"request": request, "commit": shared.commit(*SOURCES), "machine": shared.machine(),
                         "seconds": seconds, "result": result}
            self.folder.mkdir(parents=True, exist_ok=True)
            unfinished = self.path(part).with_suffix(".part")
            unfinished.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
            unfinished.replace(self.path(part))
        return kept[key]["result"]
