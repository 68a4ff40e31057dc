# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C, callbacks, progress, threads, warnings: how a long run behaves inside Python."""
import signal
import subprocess
import sys
import textwrap
import threading
import time
import warnings

import numpy as np
import pytest
import threadpoolctl
from sklearn.exceptions import ConvergenceWarning

from mbsc import MiniBatchSpectralClustering, Stage, progress, threads

LONG = np.random.RandomState(0).standard_normal((30_000, 50)).astype(np.float32)  # a certified result takes minutes
SHORT = LONG[:300]


def long_run(**options):
    return MiniBatchSpectralClustering(5, method="exact", tol=1e-12, gamma=0.01, random_state=0, **options)


def interrupt_after(seconds):
    main = threading.main_thread().ident
    timer = threading.Timer(seconds, lambda: signal.pthread_kill(main, signal.SIGINT))
    timer.start()
    return time.monotonic() + seconds


@pytest.mark.parametrize("after", [0.3, 2.0])
def test_ctrl_c_answers_within_a_second_and_leaves_the_estimator_as_it_was(after):
    model = long_run()
    asked = interrupt_after(after)
    with pytest.raises(KeyboardInterrupt):
        model.fit(LONG)
    assert time.monotonic() - asked < 1.0
    assert not hasattr(model, "labels_") and not hasattr(model, "n_features_in_")
    assert model.set_params(tol=None).fit(SHORT).labels_.shape == (300,)


def test_an_interrupted_refit_keeps_the_fit_before():
    model = MiniBatchSpectralClustering(5, random_state=0).fit(SHORT[:, :7])
    labels = model.labels_
    model.set_params(method="exact", tol=1e-12, gamma=0.01)
    interrupt_after(0.3)
    with pytest.raises(KeyboardInterrupt):
        model.fit(LONG)
    assert model.labels_ is labels and model.n_features_in_ == 7


def test_an_interrupted_script_ends_with_a_traceback_and_not_with_a_crash():
    script = textwrap.dedent("""
        import numpy as np, os, signal, threading
        from mbsc import MiniBatchSpectralClustering
        X = np.random.RandomState(0).standard_normal((30000, 50)).astype(np.float32)
        threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        MiniBatchSpectralClustering(5, method="exact", tol=1e-12, random_state=0).fit(X)
    """)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300)
    assert done.returncode == -signal.SIGINT and "KeyboardInterrupt" in done.stderr
    assert "terminate" not in done.stderr


def test_other_threads_run_while_it_runs():
    counted = []
    ended = threading.Event()

    def count():
        while not ended.is_set():
            counted.append(None)
            time.sleep(0.01)

    thread = threading.Thread(target=count)
    thread.start()
    began = time.monotonic()
    MiniBatchSpectralClustering(5, method="exact", seconds=1.0, gamma=0.01, random_state=0).fit(LONG[:8000])
    elapsed = time.monotonic() - began
    ended.set()
    thread.join()
    assert len(counted) > 10 * elapsed, "a tenth of what a free interpreter lets through"


def test_it_runs_on_a_thread_that_is_not_the_main_one():
    found = []
    thread = threading.Thread(target=lambda: found.append(MiniBatchSpectralClustering(2, random_state=0).fit(SHORT)))
    thread.start()
    thread.join()
    assert found[0].status_ == "finished"


def test_a_callback_hears_every_stage_on_the_calling_thread():
    heard, where = [], set()
    MiniBatchSpectralClustering(3, passes=2.0, random_state=0,
                                callback=lambda stage: (heard.append(stage), where.add(threading.get_ident()))).fit(SHORT)
    assert isinstance(heard[0], Stage) and where == {threading.get_ident()}
    assert [name for name in ("degrees", "solve", "kmeans") if name in {s.name for s in heard}] == \
        ["degrees", "solve", "kmeans"]
    assert heard[-1].passes > 0


def test_a_callback_that_returns_false_ends_the_run_with_an_answer():
    model = long_run(callback=lambda stage: not (stage.name == "solve" and stage.iteration >= 2)).fit(LONG[:3000])
    assert model.status_ == "stopped" and set(model.labels_) == set(range(5))


def test_a_callback_that_stops_before_there_is_an_answer():
    with pytest.raises(RuntimeError, match="before there was an answer"):
        long_run(callback=lambda stage: False).fit(LONG[:3000])


def test_what_a_callback_raises_arrives():
    def complain(stage):
        raise KeyError("from the callback")

    with pytest.raises(KeyError, match="from the callback"):
        long_run(callback=complain).fit(LONG)


@pytest.mark.parametrize("plain", [False, True])
def test_verbose_shows_progress(capfd, monkeypatch, plain):
    if plain:
        monkeypatch.setattr(progress, "tqdm", None)
    MiniBatchSpectralClustering(3, verbose=1, random_state=0).fit(SHORT)
    assert "mbsc solve" in capfd.readouterr().err
    MiniBatchSpectralClustering(3, random_state=0).fit(SHORT)
    assert capfd.readouterr().err == ""


def test_limits_of_threadpoolctl_hold_unless_n_jobs_says_otherwise():
    from sklearn.cluster import KMeans  # loads the OpenMP library to be limited

    KMeans(2, n_init=1).fit(SHORT)
    with threadpoolctl.threadpool_limits(1):
        assert threads.threads_for(None) == 1
        assert MiniBatchSpectralClustering(2, random_state=0).fit(SHORT).summary_["threads"] == 1
        assert threads.threads_for(3) == 3
    assert threads.threads_for(-1) >= threads.threads_for(-2) >= 1


def test_a_tolerance_that_was_not_met_is_a_convergence_warning():
    with pytest.warns(ConvergenceWarning, match="budget spent before the tolerance was met"):
        MiniBatchSpectralClustering(4, method="exact", tol=1e-7, max_iter=2, random_state=0).fit(LONG[:2000])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        MiniBatchSpectralClustering(4, method="exact", max_iter=2, random_state=0).fit(LONG[:2000])
        MiniBatchSpectralClustering(2, tol=1e-3, random_state=0).fit(SHORT)
