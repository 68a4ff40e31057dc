// SPDX-License-Identifier: Apache-2.0
// mbsc._core: the library as functions of arrays and dictionaries. What a user sees is python/mbsc.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <string>

#include "arrays.h"
#include "interruptible.h"
#include "mbsc/affinity/kernel_affinity.h"
#include "mbsc/affinity/matrix_affinity.h"
#include "mbsc/affinity/rectangular_product.h"
#include "mbsc/base/require.h"
#include "mbsc/base/thread_pool.h"
#include "mbsc/comm/mpi_world.h"
#include "mbsc/metrics/normalized_cut.h"
#include "mbsc/metrics/scores.h"
#include "mbsc/option_words.h"
#include "mbsc/predict.h"
#include "mbsc/simd_level.h"
#include "mbsc/summary.h"
#include "mbsc/version.h"
#include "options.h"

namespace mbsc::python {
namespace {

int threads_of(int threads) { return threads > 0 ? threads : default_threads(); }

nb::dict columns_of(const std::vector<TraceEntry>& trace) {
  std::vector<int64_t> iteration;
  std::vector<double> passes, objective, seconds;
  for (const TraceEntry& entry : trace) {
    iteration.push_back(entry.iteration);
    passes.push_back(entry.passes);
    objective.push_back(entry.objective);
    seconds.push_back(entry.seconds);
  }
  nb::dict columns;
  columns["iteration"] = to_numpy(std::move(iteration));
  columns["passes"] = to_numpy(std::move(passes));
  columns["objective"] = to_numpy(std::move(objective));
  columns["seconds"] = to_numpy(std::move(seconds));
  return columns;
}

/// One call of cluster(); `points` are those of this rank, n is of all.
struct Call {
  Points points;
  ClusterOptions options;
  int64_t n = 0;
  Clustering result;

  void run(const Comm& comm, const StageObserver& observe) {
    n = 0;
    for (const int64_t rows : comm.gather<int64_t>(std::span<const int64_t>(&points.rows, 1))) n += rows;
    result = cluster(points, options, comm, observe);
  }
};

/// `communicator` is the address of an MPI_Comm, whose ranks share the points; null where there are no ranks.
nb::dict run_cluster(const AnyMatrix& X, const nb::dict& given, nb::object observer, uintptr_t communicator) {
  const auto call = std::make_shared<Call>(Call{points_of(X), options_of(given), 0, {}});
  const auto work = [call, communicator](const StopToken& stop, const StageObserver& observe) {
    call->options.stop = stop;
    if (communicator == 0) {
      call->run(serial_comm(), observe);
    } else {
      call->run(*join_world(reinterpret_cast<void*>(communicator)), observe);
    }
    call->options.stop = {};
  };
  run_interruptible(std::move(observer), {nb::cast(X)}, work);
  Clustering& c = call->result;
  nb::dict found;
  found["summary"] = summary_json(call->n, call->points.features, call->options, c);
  found["labels"] = to_numpy(std::vector<int64_t>(c.labels.begin(), c.labels.end()));
  found["embedding"] = to_numpy(std::move(c.embedding));
  found["eigenvalues"] = to_numpy(std::move(c.eigenvalues));
  found["residuals"] = c.residuals.empty() ? nb::object(nb::none()) : nb::cast(to_numpy(std::move(c.residuals)));
  found["degrees"] = to_numpy(std::move(c.degrees));
  found["cluster_centers"] = to_numpy(std::move(c.cluster_centers));
  found["gamma"] = c.gamma;
  found["iterations"] = c.iterations;
  found["status"] = to_string(c.status);
  found["history"] = columns_of(c.trace);
  return found;
}

/// Collective: threads of this rank where ranks that have the same processors share them.
int run_threads_of_rank(uintptr_t communicator) {
  const nb::gil_scoped_release release;
  return default_threads(join_world(reinterpret_cast<void*>(communicator))->sharing_processors());
}

/// Views of the arrays in a dictionary, which are to be kept as long as the work on them takes.
Model model_of(const nb::dict& given, std::vector<nb::object>& kept) {
  Model model;
  const auto has = [&](const char* name) { return given.contains(name) && !given[name].is_none(); };
  for (const auto& [key, value] : given) kept.push_back(nb::borrow(value));
  if (has("points")) model.points = points_of(nb::cast<AnyMatrix>(given["points"], false));
  if (has("row_hashes")) model.row_hashes = span_of(nb::cast<DenseVector<uint64_t>>(given["row_hashes"], false));
  model.affinity = value_of(words::affinities, "affinity", nb::cast<std::string>(given["affinity"]));
  model.gamma = nb::cast<double>(given["gamma"]);
  model.regularization = nb::cast<double>(given["regularization"]);
  model.embedding_scale =
      value_of(words::embedding_scales, "embedding_scale", nb::cast<std::string>(given["embedding_scale"]));
  model.labels = span_of(nb::cast<DenseVector<int32_t>>(given["labels"], false));
  model.degrees = span_of(nb::cast<DenseVector<double>>(given["degrees"], false));
  model.embedding = view_of(nb::cast<DenseMatrix<float>>(given["embedding"], false));
  model.cluster_centers = view_of(nb::cast<DenseMatrix<double>>(given["cluster_centers"], false));
  if (has("extension")) model.extension = view_of(nb::cast<DenseMatrix<double>>(given["extension"], false));
  return model;
}

NumpyArray<double> run_find_extension(const nb::dict& given, std::vector<double> eigenvalues, bool exact,
                                      std::vector<double> residuals, uint64_t seed, int threads) {
  std::vector<nb::object> kept;
  const Model model = model_of(given, kept);
  const auto result = std::make_shared<Matrix<double>>();
  run_interruptible(nb::none(), std::move(kept), [=](const StopToken& stop, const StageObserver&) {
    *result = find_extension(model, eigenvalues, exact, residuals, seed, threads_of(threads), stop);
  });
  return to_numpy(std::move(*result));
}

nb::tuple run_predict(const nb::dict& given, const AnyMatrix& X, int threads) {
  std::vector<nb::object> kept{nb::cast(X)};
  const Model model = model_of(given, kept);
  const Points points = points_of(X);
  const auto result = std::make_shared<Prediction>();
  run_interruptible(nb::none(), std::move(kept), [=](const StopToken& stop, const StageObserver&) {
    *result = predict(model, points, threads_of(threads), stop);
  });
  return nb::make_tuple(to_numpy(std::vector<int64_t>(result->labels.begin(), result->labels.end())),
                        to_numpy(std::move(result->embedding)));
}

NumpyArray<uint64_t> run_hash_rows(const AnyMatrix& X, int threads) {
  std::vector<uint64_t> hashes;
  {
    const nb::gil_scoped_release release;
    hashes = hash_rows(points_of(X), true, threads_of(threads));
  }
  return to_numpy(std::move(hashes));
}

Kernel kernel_of(const std::string& affinity, double gamma) {
  const AffinityKind kind = value_of(words::affinities, "affinity", affinity);
  require(kind != AffinityKind::precomputed, "affinity must be a kernel: cosine, exponential, rbf; got '{}'", affinity);
  if (kind == AffinityKind::cosine) return {KernelKind::cosine, 1};
  return {kind == AffinityKind::rbf ? KernelKind::rbf : KernelKind::exponential, gamma};
}

template <class T>
NumpyArray<double> run_kernel_product(const AnyMatrix& X, const AnyMatrix& Y, const DenseMatrix<T>& V,
                                      const std::string& affinity, double gamma, int threads) {
  const Points left = points_of(X), right = points_of(Y);
  const Kernel kernel = kernel_of(affinity, gamma);
  const MatrixView<const T> rhs = view_of(V);
  const auto result = std::make_shared<Matrix<double>>(left.rows, rhs.cols);
  run_interruptible(nb::none(), {nb::cast(X), nb::cast(Y), nb::cast(V)},
                    [=](const StopToken& stop, const StageObserver&) {
                      check_finite(left, threads_of(threads));
                      check_finite(right, threads_of(threads));
                      std::vector<int64_t> rows(size_t(left.rows));
                      std::iota(rows.begin(), rows.end(), int64_t{0});
                      multiply_between<T>(left, right, kernel, {rows, {}}, rhs, *result, threads_of(threads), stop);
                    });
  return to_numpy(std::move(*result));
}

/// One full product; degrees come from it as well.
double cut_of(const Points& points, const std::optional<Kernel>& kernel, std::span<const int32_t> labels, int threads,
              const StopToken& stop) {
  const RowSpace rows(points.rows, threads);
  const int64_t clusters = labels.empty() ? 0 : *std::max_element(labels.begin(), labels.end()) + 1;
  if (!kernel) return normalized_cut<float>(MatrixAffinity<float>(points, rows), {}, labels, clusters, stop);
  return normalized_cut<float>(KernelAffinity<float>(points, *kernel, rows), {}, labels, clusters, stop);
}

double run_normalized_cut(const AnyMatrix& X, const DenseVector<int32_t>& labels, const std::string& affinity,
                          double gamma, int threads) {
  const Points points = points_of(X);
  const std::span<const int32_t> assigned = span_of(labels);
  require(std::ssize(assigned) == points.rows, "labels must be one for each of the {} points; got {}", points.rows,
          assigned.size());
  std::optional<Kernel> kernel;
  if (affinity != "precomputed") kernel = kernel_of(affinity, gamma);
  const auto result = std::make_shared<double>(0);
  run_interruptible(nb::none(), {nb::cast(X), nb::cast(labels)}, [=](const StopToken& stop, const StageObserver&) {
    check_finite(points, threads_of(threads));
    *result = cut_of(points, kernel, assigned, threads_of(threads), stop);
  });
  return *result;
}

nb::dict run_score_labels(const DenseVector<int32_t>& truth, const DenseVector<int32_t>& labels) {
  const Scores s = score_labels(span_of(truth), span_of(labels));
  nb::dict scores;
  scores["nmi"] = s.nmi;
  scores["nmi_geometric"] = s.nmi_geometric;
  scores["ari"] = s.ari;
  scores["accuracy"] = s.accuracy;
  return scores;
}

}  // namespace
}  // namespace mbsc::python

NB_MODULE(_core, m) {
  using namespace mbsc;
  using namespace mbsc::python;
  using namespace nb::literals;
  m.doc() = "The compiled part of mbsc; the interface is the package mbsc.";
  nb::register_exception_translator([](const std::exception_ptr& error, void*) {
    try {
      std::rethrow_exception(error);
    } catch (const InvalidInput& e) {
      PyErr_SetString(PyExc_ValueError, e.what());
    } catch (const Stopped&) {
      PyErr_SetString(PyExc_RuntimeError, "stopped on request before there was an answer");
    }
  });
  m.attr("__version__") = version;
  m.def(
      "simd_level", [] { return std::string(simd_level()); }, "The SIMD level in use: AVX2, ...");
  m.def(
      "default_threads", [] { return default_threads(); }, "The threads a run takes unless told.");
  m.def("threads_of_rank", &run_threads_of_rank, "communicator"_a, "The same for a rank; collective.");
  m.def("cluster", &run_cluster, "X"_a.noconvert(), "options"_a, "observer"_a.none() = nb::none(),
        "communicator"_a = 0, "The whole flow; a dictionary of results.");
  m.def("find_extension", &run_find_extension, "model"_a, "eigenvalues"_a, "eigenvalues_are_exact"_a, "residuals"_a,
        "seed"_a, "threads"_a = 0, "How the eigenvectors extend to new points: k x k.");
  m.def("predict", &run_predict, "model"_a, "X"_a.noconvert(), "threads"_a = 0, "Labels and rows of the embedding.");
  m.def("hash_rows", &run_hash_rows, "X"_a.noconvert(), "threads"_a = 0, "A hash of each row, rounded to float32.");
  m.def("kernel_product", &run_kernel_product<float>, "X"_a.noconvert(), "Y"_a.noconvert(), "V"_a.noconvert(),
        "affinity"_a, "gamma"_a, "threads"_a = 0, "A(X, Y) V in float32 tiles.");
  m.def("kernel_product", &run_kernel_product<double>, "X"_a.noconvert(), "Y"_a.noconvert(), "V"_a.noconvert(),
        "affinity"_a, "gamma"_a, "threads"_a = 0, "A(X, Y) V in float64 tiles.");
  m.def("normalized_cut", &run_normalized_cut, "X"_a.noconvert(), "labels"_a.noconvert(), "affinity"_a, "gamma"_a,
        "threads"_a = 0, "The normalized cut of a labeling: one full product.");
  m.def("score_labels", &run_score_labels, "truth"_a.noconvert(), "labels"_a.noconvert(),
        "Agreement of two labelings: nmi, nmi_geometric, ari, accuracy.");
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(&finish_abandoned));
}
