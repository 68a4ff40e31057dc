// SPDX-License-Identifier: Apache-2.0
// Method: subspace iteration with a Chebyshev filter, for graphs with few edges, whose products are cheap.
// Reference: Zhou, Saad, Tiago, Chelikowsky, "Self-consistent-field calculations using Chebyshev-filtered subspace
//   iteration", 2006.
// Algorithm: a block W of k + max(6, k/2) columns, rounded up to a multiple of 16. Rows are read in whole cache lines, so
//   rounding up costs little, and more columns after the k-th make the filter steeper. Repeat: Y = L W, Ritz pairs,
//   residuals; then
//   W <- orth(p(L) W), where p damps everything below the last Ritz value of the block (filter.h). The degree of p
//   follows from the distance of that value to the k-th.
// Start: for stored graphs from coarser graphs (multilevel.h), otherwise random. If tau = 0 and a stored graph has at least
//   k components with edges, its leading eigenvectors are known: for each of the k largest components, sqrt(d_i) on its
//   points.
// Labels: with the option cutoff = soft, some vectors of the block after the k-th are used for the labels too
//   (soft_cutoff.h). They are less exact than the k leading ones, but their weights are at most 1/2.
// End: at the tolerance, if one is given. Otherwise as soon as one of these holds:
//   - the largest residual is below a twentieth of the gap between the k-th Ritz value and the next; the error of the
//     subspace is then below 1/20;
//   - the labels hardly change (label_watch.h): a filter leaves a share c = 1 / filter_growth(theta_k) of the error. If
//     this filter changed a share x of the labels, all later filters together change about x c / (1 - c), which must be
//     below 0.001. The rule is not used if c is above 0.7: one filter then changes too little to prove anything;
//   - for 12 iterations in a row (2 near the rounding error), the largest residual was never a tenth below its smallest
//     earlier value.
//   The last rule also holds with a tolerance. In any case the run ends if its budget is spent, or after 4,000 products.
//   If no tolerance is given and the residual at the end is not below the gap, the status is `unresolved`. If a tolerance
//   is given and not reached, the status is `stalled` or `budget`.
// Cost: one product with L for each degree of the polynomial p; memory: six blocks.
#include "mbsc/solvers/chebyshev/chebyshev.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "mbsc/affinity/graph/components.h"
#include "mbsc/base/float64.h"
#include "mbsc/base/require.h"
#include "mbsc/solvers/budget.h"
#include "mbsc/solvers/chebyshev/label_watch.h"
#include "mbsc/solvers/chebyshev/multilevel.h"
#include "mbsc/solvers/chebyshev/operator.h"
#include "mbsc/solvers/chebyshev/soft_cutoff.h"
#include "mbsc/solvers/rayleigh_ritz.h"
#include "mbsc/solvers/registry.h"

namespace mbsc {
namespace {

constexpr double share_of_gap = 0.05;
constexpr int64_t most_products = 4000;
constexpr int64_t fewest_points_of_soft = 1000;  // with fewer, eigenvectors after the k-th are mostly noise

int64_t block_of(int64_t n, const ClusterOptions& options) {
  const int64_t k = options.clusters;
  const int64_t automatic = (k + std::max<int64_t>(6, k / 2) + 15) / 16 * 16;
  return std::min(n, std::max(k, options.block_size.value_or(automatic)));
}

void resolve_chebyshev(int64_t n, ClusterOptions& options) {
  options.block_size = block_of(n, options);
  const bool uses_kmeans = options.assign == Assign::kmeans;
  require(uses_kmeans || options.cutoff != Cutoff::soft, "cutoff = soft applies to assign = kmeans only");
  const bool is_soft = uses_kmeans && options.affinity == AffinityKind::neighbors && n >= fewest_points_of_soft;
  if (!options.cutoff) options.cutoff = is_soft ? Cutoff::soft : Cutoff::sharp;
}

SolverMemory chebyshev_memory(int64_t, int64_t, const ClusterOptions& options) {
  return {.columns = 6 * *options.block_size, .block = *options.block_size};
}

/// The rows of the matrix `from`, in the order of points instead of places (Affinity::places).
template <class T>
Matrix<T> rows_by_point(const Normalized<T>& L, Matrix<T> from) {
  if (L.places() == nullptr || from.empty()) return from;
  return L.places()->template to_rows<T>(L.comm(), from);
}

/// The values of own points, by place.
template <class Value, class T, class Given>
std::vector<Value> by_place(const Normalized<T>& L, std::span<const Given> values) {
  const std::vector<Value> own(values.begin(), values.end());
  return L.places() == nullptr ? own : L.places()->template to_places<Value>(L.comm(), own);
}

/// sqrt(d_i) on the nodes of each of the k largest components. Empty if there are fewer than k components with edges.
template <class T>
Matrix<T> component_vectors(const SparseMatrix& graph, std::span<const double> degrees, int64_t k,
                            const RowSpace& space) {
  const Components components = find_components(graph, space);
  if (components.count() < k || components.sizes[size_t(k - 1)] < 2) return {};
  Matrix<T> W(graph.rows(), k);
  for (int64_t i = 0; i < W.rows(); ++i)
    if (const int32_t c = components.of[size_t(i)]; c < k) W(i, c) = T(std::sqrt(degrees[size_t(i)]));
  orthonormalize_in_order<T>(space, W, 0);
  return W;
}

/// The iteration: a block, its Ritz pairs, and what was reached. The rows of the block are those of the operator.
template <class T>
class ChebyshevRun {
 public:
  ChebyshevRun(const Normalized<T>& L, const ClusterOptions& options, const Observer<T>& observer)
      : L_(L),
        options_(options),
        limits_(options.limits),
        observer_(observer),
        k_(options.clusters),
        columns_(*options.block_size),
        budget_(L.n(), limits_, double(most_products), L.comm(), true) {}

  Solution<T> run() {
    pairs_.status = limits_.tolerance ? Status::budget : Status::finished;
    try {
      prepare();
      iterate();
    } catch (const Stopped&) {
      pairs_.status = Status::stopped;
    }
    pairs_.vectors = rows_by_point(L_, std::move(pairs_.vectors));
    if (pairs_.weighted) pairs_.weighted->vectors = rows_by_point(L_, std::move(pairs_.weighted->vectors));
    pairs_.seconds = budget_.seconds();
    return std::move(pairs_);
  }

 private:
  /// Makes the operator and the first block.
  void prepare() {
    watch_.emplace(L_.rows(), by_place<float>(L_, L_.inverse_root_degrees()), options_);
    if constexpr (std::is_same_v<T, float>)
      if (L_.edges() != nullptr) return prepare_graph();
    operator_ = std::make_unique<NormalizedOperator<T>>(L_, options_.stop);
    W_ = random_basis(L_, columns_, options_.seed);
  }

  void prepare_graph() requires std::is_same_v<T, float> {
    const SparseMatrix& graph = *L_.edges();
    const RowSpace& space = L_.rows();  // places are distributed like points
    const std::vector<double> degrees = by_place<double>(L_, L_.degrees());
    const double tau = L_.regularization_added();
    auto graph_operator = std::make_unique<GraphOperator>(graph, degrees, tau, space, options_.stop);
    if (tau == 0) W_ = component_vectors<T>(graph, degrees, k_, space);
    is_known_ = !W_.empty();
    if (!is_known_) {
      MultilevelStart start = multilevel_start(*graph_operator, graph, degrees, L_.places() != nullptr, k_, columns_,
                                               options_.seed, options_.stop);
      W_ = std::move(start.block);
      count(start.products);
    }
    operator_ = std::move(graph_operator);
  }

  void iterate() {
    while (true) {
      values_ = operator_->rotate_to_ritz(W_, image_);
      count(1);
      ++pairs_.iterations;
      take_pairs();
      if (!report()) {
        pairs_.status = Status::stopped;
        return;
      }
      if (is_known_ || is_done()) return;
      const double cut = std::clamp(values_[columns_ - 1], -0.9, 1 - 1e-7);
      const int64_t degree = filter_degree(values_[k_ - 1], cut, 30, 8, 120);
      left_ = 1 / filter_growth(values_[k_ - 1], cut, degree);
      operator_->filter(cut, degree, W_);
      count(degree);
      orthonormalize_or_refill<T>(operator_->space(), W_, options_.seed, pairs_.iterations);
    }
  }

  void count(int64_t products) {
    pairs_.full_products += products;
    pairs_.columns_evaluated += products * L_.n();
    pairs_.flops += 2.0 * double(products) * double(L_.n()) * double(columns_);
  }

  /// The k leading columns with their values and residuals, and the subspace error that follows from these and the gap.
  void take_pairs() {
    const RowSpace& space = operator_->space();
    pairs_.vectors = Matrix<T>(W_.rows(), k_);
    copy<T>(space, W_.view().columns_between(0, k_), pairs_.vectors);
    pairs_.values.assign(values_.data(), values_.data() + k_);
    pairs_.residuals = residual_norms<T>(space, image_.view().columns_between(0, k_), pairs_.vectors, values_.head(k_));
    pairs_.values_are_exact = true;
    residual_ = largest_residual(pairs_);
    if (options_.cutoff == Cutoff::soft) take_weighted();
    if (values_.size() == k_) return;
    gap_ = values_[k_ - 1] - values_[k_];
    pairs_.subspace_error = gap_ > 0 ? std::min(1.0, residual_ / gap_) : 1;
    pairs_.subspace_error_source = ErrorSource::residuals;
  }

  void take_weighted() {
    const RowSpace& space = operator_->space();
    WeightedPairs<T>& out = pairs_.weighted.emplace();
    out.weights = soft_weights({values_.data(), size_t(values_.size())}, size_t(k_));
    const auto c = std::ssize(out.weights);
    out.values.assign(values_.data(), values_.data() + c);
    const auto leading = W_.view().columns_between(0, c);
    out.residuals = residual_norms<T>(space, image_.view().columns_between(0, c), leading, values_.head(c));
    out.vectors = Matrix<T>(W_.rows(), c);
    space.for_each_block([&](int64_t, Range rows) {
      for (int64_t i = rows.begin; i < rows.end; ++i)
        for (int64_t j = 0; j < c; ++j) out.vectors(i, j) = T(out.weights[size_t(j)]) * leading(i, j);
    });
  }

  bool report() {
    const Progress<T> progress{pairs_.iterations,
                               double(pairs_.columns_evaluated) / double(L_.n()),
                               budget_.fraction(pairs_.columns_evaluated, pairs_.iterations),
                               values_.head(k_).sum(),
                               residual_,
                               W_};
    return observe(options_, observer_, progress, budget_.seconds(), pairs_);
  }

  /// Whether the labels change so little that the filters still to come would hardly change them either.
  bool labels_are_still() {
    const double changed = watch_->template update<T>(pairs_.labeled_vectors());
    return pairs_.iterations > 1 && left_ < 0.7 && changed * left_ / (1 - left_) <= 0.001;
  }

  /// Whether the run ends here. Sets the status.
  bool is_done() {
    if (limits_.tolerance && residual_ <= *limits_.tolerance) {
      pairs_.status = Status::converged;
      return true;
    }
    if (!limits_.tolerance && (residual_ <= share_of_gap * gap_ || labels_are_still())) {
      pairs_.status = residual_ < gap_ ? Status::finished : Status::unresolved;
      return true;
    }
    waiting_ = residual_ < 0.9 * best_ ? 0 : waiting_ + 1;
    best_ = std::min(best_, residual_);
    const bool is_rounding = residual_ < 20 * double(std::numeric_limits<T>::epsilon());
    if (waiting_ >= (is_rounding ? 2 : 12)) {
      pairs_.status = limits_.tolerance ? Status::stalled : residual_ < gap_ ? Status::finished : Status::unresolved;
      return true;
    }
    if (!budget_.spent(pairs_.columns_evaluated, pairs_.iterations)) return false;
    pairs_.status = residual_ < gap_ || limits_.tolerance ? Status::budget : Status::unresolved;
    return true;
  }

  const Normalized<T>& L_;
  const ClusterOptions& options_;
  const Limits& limits_;
  const Observer<T>& observer_;
  const int64_t k_, columns_;
  const Budget budget_;
  std::unique_ptr<const Operator<T>> operator_;
  std::optional<LabelWatch> watch_;
  Solution<T> pairs_;
  Matrix<T> W_, image_;     ///< the block and its product
  bool is_known_ = false;   ///< the block has the eigenvectors of components
  Eigen::VectorXd values_;  ///< Ritz values
  double left_ = 1;         ///< the share of the error that the last filter left
  double residual_ = 0;
  double gap_ = 2;  ///< between the k-th value and the next
  double best_ = std::numeric_limits<double>::infinity();
  int waiting_ = 0;  ///< iterations since the residual last fell
};

}  // namespace

template <class T>
Solution<T> solve_chebyshev(const Normalized<T>& L, const ClusterOptions& given, const Observer<T>& observer) {
  ClusterOptions options = given;
  resolve_chebyshev(L.n(), options);
  return ChebyshevRun<T>(L, options, observer).run();
}

const SolverRow& chebyshev_solver() {
  static const SolverRow row{.name = "chebyshev",
                             .method = "chebyshev",
                             .resolve = resolve_chebyshev,
                             .memory = chebyshev_memory,
                             .solve = solve_chebyshev<float>,
                             MBSC_FLOAT64(.solve_double = solve_chebyshev<double>)};
  return row;
}

template Solution<float> solve_chebyshev(const Normalized<float>&, const ClusterOptions&, const Observer<float>&);
MBSC_FLOAT64(template Solution<double> solve_chebyshev(const Normalized<double>&, const ClusterOptions&,
                                                       const Observer<double>&);)

}  // namespace mbsc
