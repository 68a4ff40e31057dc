// SPDX-License-Identifier: Apache-2.0
// mbsc._core: the library as functions of arrays and dictionaries. The public interface is python/mbsc.
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
#include "mbsc/affinity/kernel/rectangular_product.h"
#include "mbsc/affinity/make_affinity.h"
#include "mbsc/affinity/scaling.h"
#include "mbsc/base/require.h"
#include "mbsc/base/thread_pool.h"
#include "mbsc/cluster.h"
#include "mbsc/metrics.h"
#include "mbsc/model.h"
#include "mbsc/options/table.h"
#include "mbsc/report/summary.h"
#include "model.h"
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

/// The rows of this rank: coordinates, or rows of a matrix.
Input input_of(const AnyMatrix& X, const ClusterOptions& options) {
  const bool is_matrix = options.affinity == AffinityKind::precomputed;
  return {is_matrix ? Input::Kind::matrix : Input::Kind::points, points_of(X)};
}

/// One call of cluster().
struct Call {
  Input input;
  ClusterOptions options;
  Clustering result;

  void run(const Comm& comm, const StageObserver& observe) { result = cluster(input, options, comm, observe); }
};

/// An array, or None if it is empty.
nb::object array_or_none(std::vector<double>&& values) {
  return values.empty() ? nb::object(nb::none()) : nb::cast(to_numpy(std::move(values)));
}

nb::dict results_of(Clustering& c) {
  const Plan& plan = c.plan;
  nb::dict found;
  found["summary"] = summary_json(c);
  found["labels"] = to_numpy(std::vector<int64_t>(c.labels.begin(), c.labels.end()));
  found["embedding"] = to_numpy(std::move(c.pairs.vectors));
  found["eigenvalues"] = to_numpy(std::move(c.pairs.values));
  found["residuals"] = array_or_none(std::move(c.pairs.residuals));
  found["degrees"] = to_numpy(std::move(c.degrees.values));
  found["cluster_centers"] = to_numpy(std::move(c.cluster_centers));
  if (c.pairs.weighted) {  // predict() needs them instead of the embedding
    WeightedPairs<float>& pairs = *c.pairs.weighted;
    found["weighted"] = nb::make_tuple(to_numpy(std::move(pairs.vectors)), std::move(pairs.values), pairs.residuals);
  } else {
    found["weighted"] = nb::none();
  }
  found["gamma"] = plan.options.gamma ? nb::cast(*plan.options.gamma) : nb::object(nb::none());
  found["shift"] = array_or_none(std::vector<double>(plan.shift));
  found["scale"] = array_or_none(std::vector<double>(plan.scale));
  found["iterations"] = c.pairs.iterations;
  found["status"] = to_string(c.status);
  found["history"] = columns_of(c.pairs.trace);
  found["graph"] = c.graph ? nb::object(parts_of(c.graph)) : nb::object(nb::none());
  found["landmarks"] = c.landmarks ? nb::object(landmarks_of(*c.landmarks)) : nb::object(nb::none());
  return found;
}

/// `communicator` is the address of an MPI_Comm whose ranks share the points; 0 if there are no ranks.
nb::dict run_cluster(const AnyMatrix& X, const nb::dict& given, nb::object observer, uintptr_t communicator) {
  const ClusterOptions options = options_of(given);
  const auto call = std::make_shared<Call>(Call{input_of(X, options), options, {}});
  call->options.keep_graph = true;  // predict() needs it
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
  return results_of(call->result);
}

/// The arrays of a CSR matrix, or of a CSC matrix if `by_column`.
nb::dict run_cluster_graph(const DenseVector<int64_t>& starts, const DenseVector<int32_t>& columns,
                           const AnyVector& values, bool by_column, const nb::dict& given, nb::object observer) {
  const auto call = std::make_shared<Call>(Call{graph_of(starts, columns, values, by_column), options_of(given), {}});
  run_interruptible(std::move(observer), {nb::cast(starts), nb::cast(columns), nb::cast(values)},
                    [call](const StopToken& stop, const StageObserver& observe) {
                      call->options.stop = stop;
                      call->run(serial_comm(), observe);
                      call->options.stop = {};
                    });
  return results_of(call->result);
}

/// The default number of threads of this rank. Ranks on the same processors divide the processors. Collective.
int run_threads_of_rank(uintptr_t communicator) {
  const nb::gil_scoped_release release;
  return default_threads(join_world(reinterpret_cast<void*>(communicator))->sharing_processors());
}

nb::dict run_find_index(const nb::dict& given, double recall, uint64_t seed, int threads) {
  std::vector<nb::object> kept;
  const auto model = std::make_shared<const Model>(model_of(given, kept));
  const auto index = std::make_shared<SearchIndex>();
  run_interruptible(nb::none(), std::move(kept), [=](const StopToken& stop, const StageObserver&) {
    *index = find_index(*model, recall, seed, threads_of(threads), stop);
  });
  nb::dict parts;
  if (!index->firsts.empty()) parts["firsts"] = to_numpy(std::move(index->firsts));
  if (!index->leaders.empty()) parts["leaders"] = to_numpy(std::move(index->leaders));
  if (!index->leader_of.empty()) parts["leader_of"] = to_numpy(std::move(index->leader_of));
  parts["probes"] = index->probes;
  return parts;
}

/// `given` has the points of a model and their scaling.
nb::dict run_find_graph(const nb::dict& given, const nb::dict& option_values) {
  std::vector<nb::object> kept;
  const auto points = std::make_shared<const Points>(scaled_points_of(given, kept));
  const auto options = std::make_shared<const ClusterOptions>(options_of(option_values));
  const auto graph = std::make_shared<std::shared_ptr<const FittedGraph>>();
  run_interruptible(nb::none(), std::move(kept),
                    [=](const StopToken& stop, const StageObserver&) { *graph = find_graph(*points, *options, stop); });
  return parts_of(*graph);
}

NumpyArray<double> run_find_extension(const nb::dict& given, std::vector<double> eigenvalues, bool exact,
                                      std::vector<double> residuals, uint64_t seed, int threads) {
  std::vector<nb::object> kept;
  const auto model = std::make_shared<const Model>(model_of(given, kept));
  const auto pairs = std::make_shared<EigenPairs<float>>();
  pairs->values = std::move(eigenvalues);
  pairs->values_are_exact = exact;
  pairs->residuals = std::move(residuals);
  const auto result = std::make_shared<Matrix<double>>();
  run_interruptible(nb::none(), std::move(kept), [=](const StopToken& stop, const StageObserver&) {
    *result = find_extension(*model, *pairs, seed, threads_of(threads), stop);
  });
  return to_numpy(std::move(*result));
}

nb::tuple run_predict(const nb::dict& given, const AnyMatrix& X, int threads) {
  std::vector<nb::object> kept{nb::cast(X)};
  const auto model = std::make_shared<const Model>(model_of(given, kept));
  const Points points = points_of(X);
  const auto result = std::make_shared<Prediction>();
  run_interruptible(nb::none(), std::move(kept), [=](const StopToken& stop, const StageObserver&) {
    *result = predict(*model, points, threads_of(threads), stop);
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

template <class T>
NumpyArray<double> run_kernel_product(const AnyMatrix& X, const AnyMatrix& Y, const DenseMatrix<T>& V,
                                      const std::string& affinity, double gamma, int threads) {
  const Points left = points_of(X), right = points_of(Y);
  const Kernel kernel = kernel_of(affinity_of(affinity), gamma);
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

/// `kept` are the arrays that the input and the labels view.
double cut_of(const Input& input, std::span<const int32_t> labels, const ClusterOptions& options,
              std::vector<nb::object> kept) {
  const auto result = std::make_shared<double>(0);
  run_interruptible(nb::none(), std::move(kept), [=](const StopToken& stop, const StageObserver&) {
    ClusterOptions stoppable = options;
    stoppable.stop = stop;
    *result = normalized_cut(input, labels, stoppable);
  });
  return *result;
}

double run_normalized_cut(const AnyMatrix& X, const DenseVector<int32_t>& labels, const std::string& affinity,
                          double gamma, int threads) {
  ClusterOptions options;
  options.affinity = affinity_of(affinity);
  options.gamma = gamma;
  options.threads = threads_of(threads);
  return cut_of(input_of(X, options), span_of(labels), options, {nb::cast(X), nb::cast(labels)});
}

double run_normalized_cut_of_graph(const DenseVector<int64_t>& starts, const DenseVector<int32_t>& columns,
                                   const AnyVector& values, bool by_column, const DenseVector<int32_t>& labels,
                                   int threads) {
  ClusterOptions options;
  options.threads = threads_of(threads);
  return cut_of(graph_of(starts, columns, values, by_column), span_of(labels), options,
                {nb::cast(starts), nb::cast(columns), nb::cast(values), nb::cast(labels)});
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
      PyErr_SetString(PyExc_ValueError, in_python_words(e.what()).c_str());
    } catch (const Stopped&) {
      PyErr_SetString(PyExc_RuntimeError, "stopped on request before there was an answer");
    }
  });
  m.attr("__version__") = version();
  m.def(
      "simd_level", [] { return std::string(simd_level()); }, "The SIMD level in use: AVX2, ...");
  m.def(
      "default_threads", [] { return default_threads(); }, "The default number of threads of a run.");
  m.def("describe_options", &describe_options, "The option table, a dictionary for each Python argument.");
  m.def("threads_of_rank", &run_threads_of_rank, "communicator"_a, "The default number for a rank; collective.");
  m.def("cluster", &run_cluster, "X"_a.noconvert(), "options"_a, "observer"_a.none() = nb::none(), "communicator"_a = 0,
        "The whole clustering; returns a dictionary of results.");
  m.def("cluster_graph", &run_cluster_graph, "starts"_a.noconvert(), "columns"_a.noconvert(), "values"_a.noconvert(),
        "by_column"_a, "options"_a, "observer"_a.none() = nb::none(), "The same for the arrays of a sparse matrix.");
  m.def("find_extension", &run_find_extension, "model"_a, "eigenvalues"_a, "eigenvalues_are_exact"_a, "residuals"_a,
        "seed"_a, "threads"_a = 0, "The k x k matrix that extends the eigenvectors to new points.");
  m.def("find_graph", &run_find_graph, "model"_a, "options"_a,
        "The neighbor graph of the points of a model, as the clustering built it.");
  m.def("find_index", &run_find_index, "model"_a, "recall"_a, "seed"_a, "threads"_a = 0,
        "The parts of a model with a graph that the search for nearest points needs.");
  m.def("predict", &run_predict, "model"_a, "X"_a.noconvert(), "threads"_a = 0, "Labels and rows of the embedding.");
  m.def("hash_rows", &run_hash_rows, "X"_a.noconvert(), "threads"_a = 0, "A hash of each row, rounded to float32.");
  m.def("kernel_product", &run_kernel_product<float>, "X"_a.noconvert(), "Y"_a.noconvert(), "V"_a.noconvert(),
        "affinity"_a, "gamma"_a, "threads"_a = 0, "A(X, Y) V in float32 tiles.");
  m.def("kernel_product", &run_kernel_product<double>, "X"_a.noconvert(), "Y"_a.noconvert(), "V"_a.noconvert(),
        "affinity"_a, "gamma"_a, "threads"_a = 0, "A(X, Y) V in float64 tiles.");
  m.def("normalized_cut", &run_normalized_cut, "X"_a.noconvert(), "labels"_a.noconvert(), "affinity"_a, "gamma"_a,
        "threads"_a = 0, "The normalized cut of a labeling: one full product.");
  m.def("normalized_cut_of_graph", &run_normalized_cut_of_graph, "starts"_a.noconvert(), "columns"_a.noconvert(),
        "values"_a.noconvert(), "by_column"_a, "labels"_a.noconvert(), "threads"_a = 0,
        "The same for the arrays of a sparse matrix.");
  m.def("score_labels", &run_score_labels, "truth"_a.noconvert(), "labels"_a.noconvert(),
        "Agreement of two labelings: nmi, nmi_geometric, ari, accuracy.");
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(&finish_abandoned));
}
