// SPDX-License-Identifier: Apache-2.0
#include "bench/paper/variance.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>

#include "mbsc/cluster.h"
#include "mbsc/linalg/tall.h"
#include "mbsc/solvers/paper/estimator.h"
#include "mbsc/solvers/paper/paper.h"

namespace mbsc::bench {
namespace {

using nlohmann::ordered_json;

double square_sum(const Matrix<float>& X) {
  double sum = 0;
  for (int64_t i = 0; i < X.size(); ++i) sum += double(X.data()[i]) * double(X.data()[i]);
  return sum;
}

/// The terms of the formulas, averaged over the columns of W.
struct Terms {
  double n = 0, first = 0, second = 0, third = 0;

  double exactly_l(double l, double vectors) const {
    const double c = n * (l - 1) / (l * (n - 1));
    return ((2 * c - 1) * first + (n / l - 3 * c) * second + c * third) / vectors;
  }
  double paper(double l, double vectors) const { return (first + (n / l - 3) * second + third) / vectors; }
  double bound(double l, double vectors) const { return (first + n / l * third) / vectors; }
  /// n^2/m (1 - m/n) s_i^2 with s_i^2 = (sum_j L_ij^2 w_j^2 - g_i^2/n) / (n - 1).
  double columns(double m) const { return n * n / m * (1 - m / n) * (second - first / n) / (n - 1); }
};

/// Uses L o L = S^2 (A o A) S^2. The elementwise square of a Gaussian kernel is a Gaussian kernel with twice the gamma.
Terms terms_of(const Setting& setting, const Matrix<float>& W, const Matrix<float>& G) {
  const Normalized<float>& L = setting.L;
  const int64_t n = W.rows(), k = W.cols();
  const KernelAffinity<float> squared(setting.problem.set.points,
                                      {setting.problem.kernel.kind, 2 * setting.problem.kernel.gamma}, L.rows());
  Matrix<float> V(n, k + 1), Y(n, k + 1);
  const auto square_of = [&](int64_t i) { return std::pow(double(L.inverse_root_degree(i)), 2); };
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t c = 0; c < k; ++c) V(i, c) = float(square_of(i) * std::pow(double(W(i, c)), 2));
    V(i, k) = float(square_of(i));
  }
  squared.multiply(V, Y, {});
  Terms terms;
  terms.n = double(n);
  terms.first = square_sum(G) / double(k);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t c = 0; c < k; ++c) terms.second += square_of(i) * double(Y(i, c)) / double(k);
    terms.third += square_of(i) * double(Y(i, k));
  }
  return terms;
}

/// The variance over `draws` independent batches.
double measured(const Setting& setting, const ClusterOptions& options, const Matrix<float>& W, const Matrix<float>& G,
                int64_t draws) {
  const BatchPlan plan(W.rows(), options);
  Matrix<float> estimate(W.rows(), W.cols());
  double sum = 0;
  for (int64_t t = 0; t < draws; ++t) {
    const Batch<float> batch = make_batch<float>(plan, t, setting.L.rows(), W);
    setting.L.multiply_columns(batch.columns, batch.coefficients, estimate, {});
    for (int64_t i = 0; i < estimate.size(); ++i) sum += std::pow(double(estimate.data()[i]) - G.data()[i], 2);
  }
  return sum / double(draws * W.cols());  // the mean is known, so that no degree of freedom is lost
}

ordered_json variances_at(const Setting& setting, const Matrix<float>& W, const ordered_json& request) {
  Matrix<float> G(W.rows(), W.cols());
  setting.L.multiply(W, G, {});
  const Terms terms = terms_of(setting, W, G);
  ClusterOptions options;
  options.seed = request.value("seed", uint64_t{0}) + 1;  // other batches than those that led to W
  options.adagrad.sampling = Sampling::independent;
  const int64_t draws = request.at("draws");
  ordered_json at = {{"first", terms.first}, {"second", terms.second}, {"third", terms.third}};
  for (const int64_t l : request.at("nonzeros").get<std::vector<int64_t>>()) {
    const int64_t vectors = request.at("batch_size").get<int64_t>() / l;
    options.batch_size = vectors * l;
    options.adagrad.estimator = Estimator::signs;
    options.adagrad.nonzeros = l;
    at["signed"].push_back({{"nonzeros", l},
                            {"vectors", vectors},
                            {"measured", measured(setting, options, W, G, draws)},
                            {"formula", terms.exactly_l(double(l), double(vectors))},
                            {"paper_formula", terms.paper(double(l), double(vectors))},
                            {"paper_bound", terms.bound(double(l), double(vectors))}});
  }
  options.adagrad.estimator = Estimator::columns;
  options.batch_size = request.at("batch_size").get<int64_t>();
  at["columns"] = {{"measured", measured(setting, options, W, G, draws)},
                   {"formula", terms.columns(double(*options.batch_size))}};
  return at;
}

}  // namespace

ordered_json measure_variance(const Setting& setting, const ordered_json& request) {
  ClusterOptions options;
  apply_preset("paper", setting.L.n(), options);
  options.clusters = setting.problem.set.clusters;
  options.seed = request.value("seed", uint64_t{0});
  options.start = Start::random;
  const std::vector<double> checks = request.at("checks");
  options.limits.passes = checks.back();
  ordered_json found = ordered_json::array();
  size_t next = 0;
  solve_paper<float>(setting.L, options, [&](const Progress<float>& progress) {
    bool due = false;
    for (; next < checks.size() && progress.passes >= checks[next]; ++next) due = true;
    if (!due) return true;
    Matrix<float> W(progress.basis.rows, progress.basis.cols);
    copy<float>(setting.L.rows(), progress.basis, W);
    found.push_back(
        {{"passes", progress.passes}, {"error", subspace_error<float>(setting.L.rows(), setting.exact, W)}});
    found.back().update(variances_at(setting, W, request));
    fmt::print("variance at {:.3g} passes\n", progress.passes);
    std::fflush(stdout);
    return true;
  });
  found.push_back({{"passes", nullptr}, {"error", 0}});
  found.back().update(variances_at(setting, setting.exact, request));
  return found;
}

}  // namespace mbsc::bench
