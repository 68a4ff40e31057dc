// SPDX-License-Identifier: Apache-2.0
// Method: mini-batches with Ritz steps: the default of `minibatch`, past the paper.
// A budget of B passes is spent on, in this order:
//   1. Warm start: Nystrom from landmarks drawn by importance, at most 2,000 (ritz_plan.h): the leading k' = 3k
//      eigenvectors of the model it gives (nystrom_model.h). Where a kernel is too narrow for them, the leading
//      eigenvectors of the graph of neighbors, if these have less energy (graph_start.h). Or a random block.
//   2. Batches of columns: the important ones are kept where 256 MiB hold them all beside those of the landmarks that
//      are, else evaluated anew for each step; the others come uniformly without replacement. All columns seen so far
//      speak in the estimates G ~ LW and B ~ W'LW, beside the largest entries of each row, which the degree pass has
//      left, and the model of the start as a control variate (batch_memory.h). After one pass both are complete. A
//      step is taken whenever the number of columns has doubled (on small data once, after all: ritz_plan.h):
//          T = T_model + b (B - T_model)        b the share that is not noise: one beside the diagonal, one on it
//          W <- (W U + H U diag(a / theta)) V   theta, U the Ritz pairs of T, H = (I - WW')G: a power step, as far as
//                                               it is not noise (ritz_step.h)
//      So the step needs no tuning, cannot spoil a start that is better than the sample, and is a full power step
//      where the sample is good.
//   3. From 1.5 passes on, full products: block Krylov from W (krylov_basis.h), where there are two or more with four
//      random columns in the block, a probe for leading pairs that were missed. Without a tolerance the result are the
//      images L x of the Ritz vectors x, which the last product gives for nothing, in the order of their own quotients;
//      residuals are bounds.
// Where degrees are sampled, every column tells more of them too: before each step L is rescaled to what is known
// (degree_tally.h, rescaling.h); they are exact after a pass, or with the first full product.
// With `polish` off, step 2 goes on pass after pass: each column is evaluated again and replaces its old self.
// Unbiased: G and B for the rows of one W. Consistent: rows of an earlier W, the shrunk steps. Exact in the limit.
// Cost: every column n kernel values and 2 n k' operations; memory 12 n x k' arrays, n x 400 of the model
//   (or what 256 MiB hold, but k'), two numbers for each edge of the graph, and up to 256 MiB of kept columns.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "mbsc/affinity/sampled_degrees.h"
#include "mbsc/base/random.h"
#include "mbsc/base/require.h"
#include "mbsc/solvers/batch_memory.h"
#include "mbsc/solvers/graph_start.h"
#include "mbsc/solvers/importance.h"
#include "mbsc/solvers/krylov_basis.h"
#include "mbsc/solvers/minibatch_ritz.h"
#include "mbsc/solvers/ritz_plan.h"
#include "mbsc/solvers/ritz_step.h"

namespace mbsc {

using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

constexpr int64_t chunk = 4000;  ///< columns of one product, at most
constexpr int64_t probe_vectors = 4;

template <class T>
class RitzSolver {
 public:
  RitzSolver(const Normalized<T>& L, const SolverOptions& options, const Observer<T>& observer)
      : given_(L),
        space_(L.rows()),
        options_(options),
        observer_(observer),
        n_(L.n()),
        k_(options.clusters),
        columns_(block_columns(n_, options)),
        batch_size_(
            std::min(n_, options.batch_size > 0 ? options.batch_size : std::clamp<int64_t>(n_ / 100, 10, 2000))),
        plan_(plan_ritz(n_, options, batch_size_)),
        budget_(n_, options,
                options.iterations && !options.passes
                    ? std::optional<double>()
                    : options.passes.value_or(double(plan_.products) + double(plan_.sampled) / double(n_)),
                L.comm(), plan_.products >= 1000 || (options.tolerance && !options.passes)) {}

  EigenPairs<T> solve() {
    pairs_.guards = columns_ - k_;
    pairs_.batch_size = constant_ ? batch_size_ : 0;
    pairs_.status = options_.tolerance ? Status::budget : Status::finished;
    start();
    try {
      const bool go_on = run_batches();
      kept_ = {};
      model_.reset();
      known_.reset();
      if ((go_on || stalled_) && plan_.products > 0 && !budget_.spent(0, 0)) finish();
    } catch (const Stopped&) {
      pairs_.status = Status::stopped;
    }
    if (pairs_.vectors.empty()) take_block();
    if (options_.keep_block && pairs_.block.empty()) pairs_.block = std::move(W_);
    if (better_) pairs_.degrees = better_->all_degrees();
    pairs_.seconds = budget_.seconds();
    return std::move(pairs_);
  }

 private:
  const Normalized<T>& L() const { return better_ ? *better_ : given_; }

  void start() {
    // Without regularization a row of degree zero is a zero row of L, and no product sums it.
    if (degree_error(space_, given_.all_degrees()).largest > 0)
      tally_.emplace(space_, given_.all_degrees(), given_.regularization_added() == 0);
    theta_ = VectorXd::Zero(columns_);
    pairs_.iterations = 1;
    if (options_.start == Start::random) {
      W_ = random_basis(L(), columns_, options_);
      return;
    }
    const bool by_importance = options_.columns == ColumnChoice::importance;
    int64_t count = worthwhile_landmarks(L(), plan_.sampled, options_);
    // Where landmarks are far too few for a narrow kernel, the graph may know more; some columns tell.
    const bool compare = graph_may_start(L(), count, options_);
    const NeighborGraph* graph =
        compare || options_.start == Start::neighbors ? L().all_degrees().graph.get() : nullptr;
    require(graph || options_.start != Start::neighbors,
            "the start `neighbors` needs exact degrees and at most {} points", int64_t{1} << 20);
    const int64_t to_compare =
        graph && compare ? std::clamp<int64_t>(plan_.sampled / 20, 2, std::max<int64_t>(200, n_ / 100)) : 0;
    if (to_compare > 0)
      count = std::min(count, most_landmarks<T>(n_, std::max<int64_t>(1, plan_.sampled - to_compare), options_));
    const auto landmarks = important_columns(L(), count, by_importance, options_.seed);
    pairs_.landmarks = int64_t(landmarks.size());
    batches_ = worthwhile_batches(L(), pairs_.landmarks, options_);
    // A single batch needs no control variate, and the model is a start alone; landmarks are plenty then, and the
    // product with all columns betters any block of theirs to the same.
    const int64_t most_rank = single_batch() ? 4 * columns_ : n_;
    model_.emplace(L(), landmarks, std::min(model_rank(n_, columns_), most_rank), options_.stop);
    pairs_.columns_evaluated = model_->columns_evaluated();
    kept_ = model_->take_kept();
    W_ = model_->leading(columns_, options_, single_batch() ? 1 : 1e-5);
    Matrix<T> image(W_.rows(), columns_);
    model_->multiply(W_, image);
    theta_ = gram<T>(space_, W_, image).diagonal();
    // A clock may end the batch before it is all, and then the model counts.
    if (!options_.control_variate || (single_batch() && !options_.seconds)) model_.reset();
    if (!graph) return;
    Matrix<T> other = graph_block(L(), *graph, columns_, options_);
    pairs_.start_is_graph = !compare;
    if (compare) {
      const EnergyEstimate energy = compare_energy<T>(L(), W_, other, to_compare, options_);
      count_columns(energy.columns);
      pairs_.start_is_graph = energy.difference < 0;
    }
    if (pairs_.start_is_graph) W_ = std::move(other);
  }

  /// The next columns in the order of the batches: the others, reshuffled for each pass.
  std::vector<int64_t> next_columns(int64_t count) {
    std::vector<int64_t> columns;
    while (int64_t(columns.size()) < count && position_ < n_) {
      if (!permutation_) permutation_.emplace(n_, Random(options_.seed, Stream::batch), uint64_t(pass_));
      const int64_t j = (*permutation_)(position_++);
      if (!certain_[size_t(j)]) columns.push_back(j);
    }
    if (position_ >= n_) {
      ++pass_;
      position_ = 0;
      permutation_.reset();
    }
    std::sort(columns.begin(), columns.end());
    return columns;
  }

  /// False where the run was asked to end.
  bool run_batches() {
    // Iterations are batches, whatever the start and the certain columns cost.
    const bool by_iterations = options_.iterations && !options_.passes;
    const int64_t sampled = by_iterations ? plan_.sampled : plan_.sampled - pairs_.columns_evaluated;
    int64_t left = by_iterations ? std::numeric_limits<int64_t>::max() / 4 : sampled;
    if (int64_t(kept_.indices.size()) == n_) return run_kept();
    // A sample smaller than half the landmarks knows less than they do.
    if (left < std::max<int64_t>(4, pairs_.landmarks / 2)) return observe_step();
    std::vector<uint8_t> certain(size_t(space_.local_rows()));
    if (options_.columns == ColumnChoice::importance && !model_random())
      certain = certain_columns<T>(L(), W_, std::min(sampled, n_) / 4, std::min(sampled, n_) / 16);
    left -= keep_certain(certain);
    if (int64_t(kept_.indices.size()) == n_) return run_kept();
    if (const NeighborGraph* largest = L().all_degrees().graph.get(); model_ && largest && !single_batch()) {
      known_.emplace(space_, *largest, L().inverse_root_degrees());
      model_->leave_out(*largest);
    }
    BatchMemory<T> memory(L(), columns_, certain, tally_ ? &*tally_ : nullptr, known_ ? &*known_ : nullptr);
    int64_t doublings = batches_;
    const int64_t certain_cost = memory.certain_count() - int64_t(kept_.indices.size());
    const int64_t first_pass = std::min(left - doublings * certain_cost, memory.others());
    // A first batch that is small against the landmarks would tell nothing but noise.
    while (doublings > 1 && (first_pass >> (doublings - 1)) < pairs_.landmarks / 4) --doublings;
    int64_t seen = 0, steps = 0;
    while (left > 0 && !budget_.spent(0, pairs_.iterations - 1)) {
      // As many as all before; after the first pass a quarter of a pass at a time.
      const int64_t target = first_pass >> std::max<int64_t>(0, doublings - 1 - steps++);
      int64_t count = std::max<int64_t>(1, seen < first_pass ? target - seen : memory.others() / 4);
      const int64_t before = pairs_.columns_evaluated;
      ++pairs_.iterations;
      if (certain_cost > 0 && left > certain_cost && !add_certain(memory)) return false;
      count = std::min(constant_ ? batch_size_ : count, left - (pairs_.columns_evaluated - before));
      if (count <= 0) break;
      if (!kept_.indices.empty()) memory.add_kept(kept_, W_);
      if (!add_batch(memory, count)) return false;
      seen += count;
      left -= pairs_.columns_evaluated - before;
      // One part does not tell its noise.
      if ((memory.parts() > 1 || memory.is_complete()) && !step(memory)) return false;
      if (pairs_.columns_evaluated == before) break;
    }
    return true;
  }

  /// With every column in memory steps cost nothing.
  bool run_kept() {
    certain_.assign(size_t(n_), 1);
    BatchMemory<T> memory(L(), columns_, std::vector<uint8_t>(size_t(space_.local_rows()), 1),
                          tally_ ? &*tally_ : nullptr);
    for (int round = 0; round < 8; ++round) {
      memory.add_kept(kept_, W_);
      ++pairs_.iterations;
      if (!observe_step() || !step(memory)) return false;
    }
    return true;
  }

  /// The certain columns are kept as well where there is room, and those that are kept are certain. Returns their cost.
  int64_t keep_certain(std::vector<uint8_t>& certain) {
    const Range own = space_.own_rows();
    for (const int64_t j : kept_.indices)
      if (own.contains(j)) certain[size_t(j - own.begin)] = 0;
    certain_ = L().comm().template gather<uint8_t>(certain);
    std::vector<int64_t> columns;
    for (int64_t j = 0; j < n_; ++j)
      if (certain_[size_t(j)]) columns.push_back(j);
    const auto count = int64_t(columns.size());
    const bool fits = count > 0 && count + int64_t(kept_.indices.size()) <= kept_count<T>(n_);
    if (fits) {
      keep_more(L(), columns, kept_, options_.stop);
      count_columns(count);
    }
    for (const int64_t j : kept_.indices) {
      certain_[size_t(j)] = 1;
      if (own.contains(j)) certain[size_t(j - own.begin)] = 1;
    }
    return fits ? count : 0;
  }

  bool model_random() const { return options_.start == Start::random; }
  bool single_batch() const { return batches_ == 1; }

  bool add_certain(BatchMemory<T>& memory) {
    std::vector<int64_t> columns;
    for (int64_t j = 0; j < n_; ++j)
      if (certain_[size_t(j)] && !std::binary_search(kept_.indices.begin(), kept_.indices.end(), j))
        columns.push_back(j);
    for (size_t at = 0; at < columns.size(); at += size_t(chunk)) {
      const size_t count = std::min(size_t(chunk), columns.size() - at);
      memory.add_certain({columns.data() + at, count}, W_, options_.stop);
      count_columns(int64_t(count));
      if (!observe_step()) return false;
    }
    return true;
  }

  /// At least eight products, which tell the noise of the batch by how they differ; fewer where there is none.
  bool add_batch(BatchMemory<T>& memory, int64_t count) {
    const bool completes = !options_.seconds && memory.is_complete(count);  // the clock may end it before
    const bool at_once = completes && memory.takes_all_at_once() && count == memory.others();
    const int64_t parts =
        at_once ? 1 : std::min(count, std::max<int64_t>(completes ? 1 : 8, (count + chunk - 1) / chunk));
    for (int64_t part = 0; part < parts; ++part) {
      const std::vector<int64_t> columns = next_columns(count * (part + 1) / parts - count * part / parts);
      if (columns.empty()) continue;
      memory.add(columns, W_, model_ ? &*model_ : nullptr, options_.stop, completes);
      count_columns(int64_t(columns.size()));
      if (!observe_step()) return false;
      if (budget_.spent(0, 0)) break;  // the clock
    }
    return true;
  }

  void count_columns(int64_t count) {
    pairs_.columns_evaluated += count;
    pairs_.flops += 2.0 * double(n_) * double(columns_) * double(count);
  }

  bool step(BatchMemory<T>& memory) {
    memory.end_batch(W_, model_ ? &*model_ : nullptr);
    if (tally_) {
      const MatrixXd M = take_degrees(tally_->degrees(memory.others()), [&](const Rescaling<T>& by) {
        memory.rescale(by);
        if (model_) model_->rescale(by);
        rescale(by, kept_);
      });
      memory.turn(M);
    }
    const auto e = memory.estimate(W_, model_ ? &*model_ : nullptr);
    pairs_.control_variate = e.control_variate;
    const auto symmetric = [](const MatrixXd& B) { return MatrixXd((B + B.transpose()) / 2); };
    MatrixXd B = symmetric(e.projected);
    if (model_) {
      Matrix<T> image(W_.rows(), columns_);
      model_->multiply(W_, image);
      const MatrixXd prior = symmetric(gram<T>(space_, W_, image));
      const MatrixXd off = B - prior;
      const VectorXd own = off.diagonal();
      B = prior + shrinkage(off.squaredNorm() - own.squaredNorm(), e.projected_noise[0]) * off;
      B.diagonal() = prior.diagonal() + shrinkage(own.squaredNorm(), e.projected_noise[1]) * own;
    }
    const RitzStep step = ritz_step(B, gram<T>(space_, e.H, e.H), e.noise, e.projected_noise.sum(), k_);
    theta_ = step.values;
    pairs_.subspace_error = step.error;
    pairs_.subspace_error_source = ErrorSource::batches;
    Matrix<T> next(W_.rows(), columns_);
    multiply<T>(space_, W_, step.turn, next);
    subtract<T>(space_, e.H, -step.add, next);
    orthonormalize_in_order<T>(space_, next, options_);
    pairs_.flops += 12.0 * double(n_) * double(columns_) * double(columns_);
    const double moved = options_.stall ? subspace_error<T>(space_, W_, next) : 0;
    memory.turn(gram<T>(space_, W_, next));
    W_ = std::move(next);
    if (options_.stall && step.is_heard && moved < *options_.stall) {
      pairs_.status = options_.tolerance ? Status::stalled : Status::finished;
      stalled_ = true;
      return false;
    }
    return true;
  }

  /// Goes over to better degrees: W -> (W / r) M, orthonormal. Returns M; `rescale_others` sees to what else is known.
  template <class Function>
  MatrixXd take_degrees(Degrees degrees, Function rescale_others) {
    if (!degrees.sampled()) tally_.reset();
    auto better = std::make_unique<Normalized<T>>(given_.with(std::move(degrees)));
    const Rescaling<T> by(L(), *better);
    by.divide_rows(W_);
    Matrix<T> next = W_;
    orthonormalize_in_order<T>(space_, next, options_);
    const MatrixXd cross = gram<T>(space_, W_, next);
    const MatrixXd M = gram<T>(space_, W_, W_).completeOrthogonalDecomposition().solve(cross);
    W_ = std::move(next);
    rescale_others(by);
    better_ = std::move(better);
    return M;
  }

  /// Where the batches left degrees that are not exact, the first full product sums all rows: L W with them.
  Matrix<T> first_product() {
    Matrix<T> image;
    if (!tally_) return image;
    image = Matrix<T>(W_.rows(), columns_);
    Degrees degrees = L().all_degrees();
    std::vector<double> sums(degrees.sum.size());
    L().multiply(W_, image, options_.stop, &sums);
    for (size_t i = 0; i < sums.size(); ++i)
      if (degrees.variance[i] > 0 || (L().regularization_added() > 0 && degrees.sum[i] == 0)) degrees.sum[i] = sums[i];
    degrees.make_exact();
    Matrix<T> flat(W_.rows(), columns_);
    L().add_exact(W_, flat);
    const MatrixXd M = take_degrees(std::move(degrees), [&](const Rescaling<T>& by) {
      subtract<T>(space_, flat, MatrixXd::Identity(columns_, columns_), image);
      by.multiply_rows(image);
    });
    // A column on points that have no neighbor after all was lost, and a random one has taken its place.
    const VectorXd norms = M.colwise().norm();
    if (norms.minCoeff() < 1e-3 || norms.maxCoeff() > 1e3) {
      pairs_.columns_evaluated += n_;
      ++pairs_.full_products;
      ++wasted_products_;
      return {};
    }
    multiply<T>(space_, image, M, image);
    L().add_exact(W_, image);
    return image;
  }

  bool observe_step(double residual = std::nan("")) {
    const bool go_on = observe(L(), options_, observer_,
                               Progress<T>{pairs_.iterations, double(pairs_.columns_evaluated) / double(n_),
                                           budget_.fraction(pairs_.columns_evaluated, pairs_.iterations - 1),
                                           theta_.head(k_).sum(), residual, W_},
                               budget_.seconds(), pairs_);
    if (!go_on) pairs_.status = Status::stopped;
    return go_on;
  }

  /// The k leading columns of the block, with what the batches say of their eigenvalues.
  void take_block() {
    pairs_.vectors = Matrix<T>(W_.rows(), k_);
    copy<T>(space_, W_.view().columns_between(0, k_), pairs_.vectors);
    pairs_.values.assign(theta_.data(), theta_.data() + k_);
    pairs_.values_are_exact = false;
  }

  /// With what full products the budget has left: a polish, or, with a tolerance, at least a certificate.
  void finish() {
    int64_t products = plan_.products;
    if (options_.iterations && options_.passes)
      products = std::min(products, *options_.iterations - (pairs_.iterations - 1));
    if (!stalled_ && products >= (options_.tolerance ? 2 : 1))
      polish(products);
    else if (options_.tolerance)
      certify_block(first_product());
  }

  void certify_block(Matrix<T> image) {
    const Status otherwise = stalled_ ? Status::stalled : Status::budget;
    EigenPairs<T> certified = pairs_;
    certified.subspace_error = std::nan("");
    certified.subspace_error_source = ErrorSource::none;
    certified.vectors = W_;
    certify(L(), options_.stop, k_, certified, std::move(image));
    pairs_ = std::move(certified);
    pairs_.status = largest_residual(pairs_) <= *options_.tolerance ? Status::converged : otherwise;
  }

  void polish(int64_t products) {
    SolverOptions options = options_;
    options.block_size = columns_;
    const int64_t probes = products >= 2 && columns_ - k_ >= probe_vectors ? probe_vectors : 0;
    if (probes > 0) {
      const auto fresh = W_.view().columns_between(columns_ - probes, columns_);
      fill_normal<T>(space_, fresh, Random(options_.seed, Stream::refill), ~uint64_t{0});
      orthonormalize_against<T>(space_, W_.view().columns_between(0, columns_ - probes), fresh);
    }
    Matrix<T> image = first_product();
    products -= wasted_products_;
    if (products == 0) return;
    if (options_.tolerance) {
      if (products == 1) return certify_block(std::move(image));  // enough to tell how good the block is
      pairs_.subspace_error = std::nan("");
      pairs_.subspace_error_source = ErrorSource::none;
      const int64_t before = pairs_.full_products;
      krylov_until(L(), options, budget_, W_, observer_, pairs_, std::move(image), probes);
      if (pairs_.full_products == before) pairs_.vectors = {};  // stopped in the first: what the batches found
      return;
    }
    const KrylovSizes sizes = krylov_sizes(n_, options);
    KrylovBasis<T> krylov(space_, multiply_from(L(), options_.stop, image), options, W_, sizes.capacity);
    for (int64_t product = 1; product <= products; ++product) {
      krylov.expand();
      ++pairs_.iterations;
      ++pairs_.full_products;
      pairs_.columns_evaluated += n_;
      pairs_.flops += 2.0 * double(n_) * double(n_) * double(columns_);
      take_ahead(krylov.ahead(columns_));
      pairs_.probe = krylov.probe(columns_ - probes, probes, k_);
      theta_ = krylov.values().head(columns_);
      if (!observe_step(largest_residual(pairs_))) return;
      if (product == products || budget_.spent(0, 0)) return;
      if (!krylov.advance(sizes.keep, uint64_t(pairs_.iterations))) return;
    }
  }

  /// The result after a full product; the error by the gap to the next value.
  void take_ahead(typename KrylovBasis<T>::Ahead ahead) {
    pairs_.vectors = Matrix<T>(W_.rows(), k_);
    copy<T>(space_, ahead.vectors.view().columns_between(0, k_), pairs_.vectors);
    pairs_.values.assign(ahead.values.data(), ahead.values.data() + k_);
    pairs_.values_are_exact = false;
    ahead.residuals.array() += L().entry_error();  // bounds they stay where values were kept
    pairs_.residuals.assign(ahead.residuals.data(), ahead.residuals.data() + k_);
    pairs_.residuals_are_bounds = true;
    const double gap = columns_ > k_ ? ahead.values[k_ - 1] - ahead.values[k_] : 0;
    const double residual = ahead.residuals.head(k_).norm() / std::sqrt(double(k_));
    pairs_.subspace_error = gap > 0 ? std::min(1.0, residual / gap) : std::nan("");
    pairs_.subspace_error_source = gap > 0 ? ErrorSource::residuals : ErrorSource::none;
    if (options_.keep_block) pairs_.block = std::move(ahead.vectors);
  }

  const Normalized<T>& given_;
  std::unique_ptr<Normalized<T>> better_;  ///< with the degrees that the columns have told
  std::optional<DegreeTally> tally_;       ///< while degrees are not exact
  const RowSpace& space_;
  const SolverOptions& options_;
  const Observer<T>& observer_;
  const int64_t n_, k_, columns_, batch_size_;
  const bool constant_ = options_.batch_size > 0 || options_.iterations;  ///< batches
  const RitzPlan plan_;
  const Budget budget_;
  EigenPairs<T> pairs_;
  Matrix<T> W_;
  VectorXd theta_;
  std::optional<NystromModel<T>> model_;
  std::optional<SparsePart<T>> known_;  ///< while the batches run
  KeptColumns<T> kept_;
  std::vector<uint8_t> certain_;  ///< every row
  std::optional<KeyedPermutation> permutation_;
  int64_t pass_ = 0, position_ = 0, wasted_products_ = 0, batches_ = 8;
  bool stalled_ = false;
};

}  // namespace

template <class T>
EigenPairs<T> solve_minibatch_ritz(const Normalized<T>& L, const SolverOptions& options, const Observer<T>& observer) {
  return RitzSolver<T>(L, options, observer).solve();
}

template EigenPairs<float> solve_minibatch_ritz(const Normalized<float>&, const SolverOptions&, const Observer<float>&);
template EigenPairs<double> solve_minibatch_ritz(const Normalized<double>&, const SolverOptions&,
                                                 const Observer<double>&);

}  // namespace mbsc
