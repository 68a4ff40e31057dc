// SPDX-License-Identifier: Apache-2.0
#include "bench/paper/runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "mbsc/base/require.h"
#include "mbsc/base/stopwatch.h"
#include "mbsc/cluster.h"
#include "mbsc/flow/embedding.h"
#include "mbsc/kmeans/kmeans.h"
#include "mbsc/metrics.h"
#include "mbsc/solvers/krylov/exact.h"
#include "mbsc/solvers/minibatch/minibatch.h"
#include "mbsc/solvers/nystrom/nystrom.h"
#include "mbsc/solvers/nystrom/nystrom_basis.h"
#include "mbsc/solvers/paper/paper.h"
#include "mbsc/solvers/power/power.h"
#include "mbsc/solvers/rayleigh_ritz.h"

namespace mbsc::bench {
namespace {

using nlohmann::ordered_json;

EmbeddingScale embedding_of(const std::string& word) {
  if (word == "row") return EmbeddingScale::row;
  return word == "degree" ? EmbeddingScale::degree : EmbeddingScale::none;
}

/// The cost of a method up to a checkpoint.
struct Look {
  int64_t iteration = 0;
  double passes = 0, operations = 0, seconds = 0;
};

/// Measures the vectors of a run at its checkpoints, and records the results. The time of the measurements does not
/// count as time of the solver.
class Record {
 public:
  Record(const Setting& setting, const ordered_json& run, uint64_t seed)
      : setting_(setting), L_(setting.L), run_(run), seed_(seed) {}

  double seconds() const { return clock_.seconds() - paused_; }

  void add(const Look& look, MatrixView<const float> vectors) {
    const double begin = clock_.seconds();
    ordered_json point = {{"iteration", look.iteration},
                          {"passes", look.passes},
                          {"operations", look.operations},
                          {"seconds", look.seconds}};
    if (setting_.exact.rows() > 0) point["error"] = subspace_error<float>(L_.rows(), setting_.exact, vectors);
    Matrix<float> copied(vectors.rows, vectors.cols);
    copy<float>(L_.rows(), vectors, copied);
    for (const std::string word : run_.value("embeddings", ordered_json::array({"none"})))
      point["scores"][word] = score(copied, embedding_of(word));
    points_.push_back(point);
    paused_ += clock_.seconds() - begin;
  }

  ordered_json result() const {
    const ordered_json& last = points_.back();
    std::string scores;
    for (const auto& [word, found] : last["scores"].items())
      scores += fmt::format(", NMI {:.4f} ({})", found["nmi"].get<double>(), word);
    fmt::print("{}, {}, seed {}: {:.3g} passes, {:.2f} s{}\n", setting_.problem.set.name,
               run_.at("name").get<std::string>(), seed_, last["passes"].get<double>(), last["seconds"].get<double>(),
               scores);
    std::fflush(stdout);
    return {{"seed", seed_}, {"points", points_}};
  }

 private:
  ordered_json score(const Matrix<float>& vectors, EmbeddingScale scale) const {
    const Matrix<float> rows = embed(vectors, setting_.affinity, L_, scale, {});
    KMeansOptions options;
    options.clusters = setting_.problem.set.clusters;
    options.restarts = run_.value("restarts", 10);
    options.seed = seed_;
    const KMeansResult found = kmeans<float>(L_.rows(), rows, find_isolated(L_, scale).flags, options);
    std::vector<int32_t> truth, labels;  // without isolated points, which have no label
    for (size_t i = 0; i < found.labels.size(); ++i) {
      if (found.labels[i] < 0) continue;
      truth.push_back(setting_.problem.set.truth[i]);
      labels.push_back(found.labels[i]);
    }
    const Scores scores = score_labels(truth, labels);
    return {{"nmi", scores.nmi}, {"nmi_geometric", scores.nmi_geometric}, {"ari", scores.ari}};
  }

  const Setting& setting_;
  const Normalized<float>& L_;
  const ordered_json& run_;
  uint64_t seed_;
  ordered_json points_ = ordered_json::array();
  Stopwatch clock_;
  double paused_ = 0;
};

void set_options(const ordered_json& given, ClusterOptions& options) {
  const auto set = [&](const char* name, auto& option) {
    if (given.contains(name)) option = given.at(name).get<typename std::decay_t<decltype(option)>::value_type>();
  };
  set("batch_size", options.batch_size);
  set("landmarks", options.landmarks);
  set("step", options.adagrad.step);
  set("stall", options.limits.stall);
  set("iterations", options.limits.iterations);
  options.adagrad.nonzeros = given.value("nonzeros", options.adagrad.nonzeros);
  if (given.value("start", "") == "random") options.start = Start::random;
  if (given.value("estimator", "") == "signed") options.adagrad.estimator = Estimator::signs;
  if (given.value("sampling", "") == "independent") options.adagrad.sampling = Sampling::independent;
}

ClusterOptions paper_options(const Setting& setting, const ordered_json& given, ClusterOptions options) {
  const int64_t n = setting.L.n();
  apply_preset("paper", n, options);
  set_options(given, options);
  options.batch_size = std::min(*options.batch_size, n);
  // The step as a multiple of 1/sqrt(n), which means the same for every data set.
  if (given.contains("step_factor"))
    options.adagrad.step = given.at("step_factor").get<double>() / std::sqrt(double(n));
  return options;
}

void run_minibatch(const Setting& setting, const ordered_json& run, const ClusterOptions& base, Record& record) {
  ClusterOptions options = paper_options(setting, run.value("options", ordered_json::object()), base);
  const std::vector<double> checks = run.at("checks");
  const double n = double(setting.L.n()), k = double(options.clusters);
  const double of_start = options.start == Start::random ? 0 : double(*options.landmarks);
  const double half_batch = 0.5 * double(*options.batch_size) / n;
  if (!options.limits.iterations) options.limits.passes = checks.back();
  size_t next = 0;
  Look last;
  bool shown = false;
  const EigenPairs<float> pairs = solve_paper<float>(setting.L, options, [&](const Progress<float>& progress) {
    const double columns = progress.passes * n - of_start, t = double(progress.iteration);
    last = {progress.iteration, progress.passes, 2 * n * k * columns + t * (6 * n * k * k - k * k), record.seconds()};
    shown = false;
    for (; next < checks.size() && columns / n >= checks[next] - half_batch; ++next) shown = true;
    if (shown) record.add(last, progress.basis);
    return true;
  });
  if (!shown) record.add(last, pairs.vectors);
}

void run_nystrom(const Setting& setting, const ordered_json& run, ClusterOptions options, Record& record) {
  set_options(run.value("options", ordered_json::object()), options);
  if (options.landmarks) options.landmarks = std::min(*options.landmarks, setting.L.n());
  const EigenPairs<float> pairs = solve_nystrom<float>(setting.L, options);
  record.add({pairs.iterations, double(pairs.columns_evaluated) / double(setting.L.n()), pairs.flops, pairs.seconds},
             pairs.vectors);
}

void run_power(const Setting& setting, const ordered_json& run, ClusterOptions options, Record& record) {
  options.limits.iterations = int64_t(std::llround(run.at("checks").back().get<double>()));
  const double n = double(setting.L.n()), k = double(options.clusters);
  solve_power<float>(setting.L, options, [&](const Progress<float>& progress) {
    const double t = double(progress.iteration);
    record.add({progress.iteration, progress.passes, t * (2 * n * n * k - n * k) + 2 * n * k * k + 2 * k * k * k,
                record.seconds()},
               progress.basis);
    return true;
  });
}

void run_ours(const Setting& setting, const ordered_json& run, ClusterOptions options, Record& record) {
  for (const double passes : run.at("checks").get<std::vector<double>>()) {
    options.limits.passes = passes;
    const EigenPairs<float> pairs = solve_minibatch<float>(setting.L, options);
    // As for the other methods, the evaluation of affinities does not count. The Gram matrix of the landmarks and their
    // products with the block are not in pairs.flops, and are added here.
    const double n = double(setting.L.n()), m = double(pairs.landmarks), c = double(options.clusters + pairs.guards);
    record.add(
        {pairs.iterations, double(pairs.columns_evaluated) / n, pairs.flops + 2 * n * m * (m + c), pairs.seconds},
        pairs.vectors);
  }
}

ordered_json perform_once(const Setting& setting, const ordered_json& run, uint64_t seed) {
  const std::string method = run.at("method");
  ClusterOptions options;
  options.clusters = setting.problem.set.clusters;
  options.seed = seed;
  Record record(setting, run, seed);
  if (method == "minibatch") {
    run_minibatch(setting, run, options, record);
  } else if (method == "nystrom") {
    run_nystrom(setting, run, options, record);
  } else if (method == "power") {
    run_power(setting, run, options, record);
  } else if (method == "ours") {
    run_ours(setting, run, options, record);
  } else {
    require(method == "exact", "there is no method {}", method);
    record.add({}, setting.exact);
  }
  return record.result();
}

}  // namespace

ordered_json perform(const Setting& setting, const ordered_json& run) {
  const ordered_json given = run.value("options", ordered_json::object());
  ordered_json results = ordered_json::array();
  for (const uint64_t seed : run.at("seeds").get<std::vector<uint64_t>>()) {
    if (given.value("degrees", "exact") == "exact") {
      results.push_back(perform_once(setting, run, seed));
      continue;
    }
    const Stopwatch clock;
    const int64_t landmarks = std::min(given.at("landmarks").get<int64_t>(), setting.L.n());
    const Normalized<float> L(setting.affinity, nystrom_degrees(setting.affinity, landmarks, seed, {}), 0);
    const double seconds = clock.seconds();
    results.push_back(perform_once({setting.problem, setting.affinity, L, setting.exact}, run, seed));
    results.back()["degrees_seconds"] = seconds;
  }
  return results;
}

Matrix<float> solve_exactly(const Problem& problem, int threads, ordered_json& facts) {
  constexpr int64_t most_bytes = int64_t{4} << 30;
  const int64_t n = problem.set.points.rows;
  KernelAffinity<float> affinity(problem.set.points, problem.kernel, RowSpace(n, threads));
  // Cached values are rounded: they allow a tolerance of 1e-4, and are worthwhile if a product takes many seconds.
  const bool caches = n * n <= most_bytes && double(n) * double(n) * affinity.cost_of_value() > 5e11;
  if (caches) affinity.keep_values(n * n);
  const Stopwatch clock;
  const Normalized<float> L(affinity, affinity.degrees({}), 0);
  const double degrees_seconds = clock.seconds();
  ClusterOptions options;
  options.clusters = problem.set.clusters;
  options.limits.tolerance = caches ? 1e-4 : 1e-5;
  EigenPairs<float> pairs = solve_exact<float>(L, options);
  facts = {{"passes", double(pairs.columns_evaluated) / double(n)},
           {"operations", pairs.flops},
           {"degrees_seconds", degrees_seconds},
           {"seconds", pairs.seconds},
           {"cached_bytes", affinity.cached_bytes()},
           {"eigenvalues", pairs.values},
           {"largest_residual", largest_residual(pairs)}};
  return std::move(pairs.vectors);
}

}  // namespace mbsc::bench
