// SPDX-License-Identifier: Apache-2.0
#include "mbsc/solvers/krylov/krylov_until.h"

#include <cmath>
#include <limits>
#include <optional>

#include "mbsc/base/float64.h"
#include "mbsc/solvers/krylov/krylov_basis.h"

namespace mbsc {
namespace {

/// A Krylov space that grows until a tolerance is met, and the best certified pairs so far.
template <class T>
class KrylovRun {
 public:
  KrylovRun(const Normalized<T>& L, const ClusterOptions& options, const Budget& budget, const Observer<T>& observer,
            KrylovStart<T> start, EigenPairs<T>& pairs)
      : L_(L),
        options_(options),
        budget_(budget),
        observer_(observer),
        pairs_(pairs),
        n_(L.n()),
        k_(options.clusters),
        sizes_(krylov_sizes(n_, options)),
        tolerance_(options.limits.tolerance.value_or(sizeof(T) == 4 ? 1e-5 : 1e-10)),
        target_(tolerance_),
        probes_(start.probes),
        known_(start.block.cols() - start.probes),
        image_(std::move(start.image)),
        fresh_(L.entry_error() == 0) {
    open(std::move(start.block));
  }

  void run() {
    pairs_.status = Status::budget;
    try {
      pairs_.status = iterate();
    } catch (const Stopped&) {
      pairs_.status = Status::stopped;
    }
    if (pairs_.vectors.empty() || pairs_.status == Status::stopped) take_uncertified();
    pairs_.values_are_exact = !pairs_.residuals.empty();
  }

 private:
  /// An estimated residual below this is rounding error: only a certificate gives more information.
  static constexpr double least_estimate = 2 * double(std::numeric_limits<T>::epsilon());

  Status iterate() {
    while (true) {
      if (!expand()) return Status::stopped;
      // One more step and its certificate take two products.
      const bool is_last = budget_.spent(pairs_.columns_evaluated + 2 * n_ - 1, pairs_.iterations);
      const bool is_due = has_enough() && (residual_ <= std::max(target_, least_estimate) || is_last);
      if (!is_due && advance()) continue;
      // The estimate meets the tolerance, the budget ends, or the basis spans the whole space.
      const bool is_better = certify_ritz_pairs();
      if (best_ <= tolerance_) return Status::converged;
      if (is_last) return Status::budget;
      if (!fresh_) {
        restart_with_fresh_values();
        continue;
      }
      if (!is_due || !is_better) return Status::stalled;
      target_ = residual_ * 0.5 * tolerance_ / best_;  // the estimate was too optimistic
      if (!advance()) return Status::stalled;
    }
  }

  bool has_enough() const { return krylov_->columns() >= k_; }
  bool advance() { return krylov_->advance(sizes_.keep, uint64_t(pairs_.iterations)); }

  void open(Matrix<T> block) {
    const auto multiply = [this](MatrixView<const T> in, MatrixView<T> out) {
      if (!image_.empty()) {
        copy<T>(L_.rows(), image_, out);
        image_ = {};
      } else if (fresh_) {
        L_.multiply_anew(in, out, options_.stop);
      } else {
        L_.multiply(in, out, options_.stop);
      }
    };
    krylov_.emplace(L_.rows(), multiply, options_.seed, std::move(block), sizes_.capacity);
  }

  /// Products with cached kernel values are cheap and lead close to the result. If a certificate shows that this is not
  /// close enough, the remaining products evaluate all values again.
  void restart_with_fresh_values() {
    fresh_ = true;
    probes_ = 0;
    open(krylov_->ritz_vectors(std::min(sizes_.block, krylov_->columns())));
  }

  /// One product; returns false if the observer ends the run.
  bool expand() {
    krylov_->expand();
    const double N = double(n_);
    ++pairs_.iterations;
    ++pairs_.full_products;
    pairs_.columns_evaluated += n_;
    pairs_.flops += 2 * N * N * double(sizes_.block) + 4 * N * double(sizes_.block * krylov_->columns());
    if (const auto probe = krylov_->probe(known_, probes_, k_)) pairs_.probe = probe;
    residual_ = has_enough() ? krylov_->largest_residual(k_) : std::numeric_limits<double>::infinity();
    const int64_t columns = krylov_->columns();
    if (options_.keep_block) pairs_.block = krylov_->next_iterate(std::min(std::max(k_, sizes_.block), columns));
    return observe(options_, observer_,
                   Progress<T>{pairs_.iterations, double(pairs_.columns_evaluated) / N,
                               budget_.fraction(pairs_.columns_evaluated, pairs_.iterations),
                               krylov_->values().head(std::min(k_, columns)).sum(), residual_, pairs_.block},
                   budget_.seconds(), pairs_);
  }

  /// Recomputes the residuals of the leading Ritz pairs and keeps the pairs if they are the best so far. Returns false
  /// if the residual fell by less than 30 %.
  bool certify_ritz_pairs() {
    EigenPairs<T> candidate;
    candidate.vectors = krylov_->ritz_vectors(k_);
    certify(L_, options_.stop, k_, candidate);
    pairs_.columns_evaluated += n_;
    ++pairs_.full_products;
    pairs_.flops += 2 * double(n_) * double(n_) * double(k_);
    const double residual = largest_residual(candidate);
    if (residual < best_ || pairs_.vectors.empty()) {
      pairs_.vectors = std::move(candidate.vectors);
      pairs_.values = std::move(candidate.values);
      pairs_.residuals = std::move(candidate.residuals);
    }
    const bool is_better = residual < 0.7 * best_;
    best_ = std::min(best_, residual);
    return is_better;
  }

  void take_uncertified() {
    if (has_enough()) {
      pairs_.vectors = krylov_->ritz_vectors(k_);
      pairs_.values.assign(krylov_->values().data(), krylov_->values().data() + k_);
    } else {
      pairs_.vectors = random_basis(L_, k_, options_.seed);
      pairs_.values.assign(size_t(k_), 0.0);
    }
    pairs_.residuals.clear();
  }

  const Normalized<T>& L_;
  const ClusterOptions& options_;
  const Budget& budget_;
  const Observer<T>& observer_;
  EigenPairs<T>& pairs_;
  const int64_t n_, k_;
  const KrylovSizes sizes_;
  const double tolerance_;
  double target_;                                          ///< estimated residual at which a certificate is computed
  double residual_ = 0;                                    ///< estimate, the largest of k
  double best_ = std::numeric_limits<double>::infinity();  ///< best certified residual so far
  int64_t probes_;
  const int64_t known_;
  Matrix<T> image_;  ///< L times the first block, until it is used
  bool fresh_;       ///< products evaluate every value again
  std::optional<KrylovBasis<T>> krylov_;
};

}  // namespace

template <class T>
void krylov_until(const Normalized<T>& L, const ClusterOptions& options, const Budget& budget, KrylovStart<T> start,
                  const Observer<T>& observer, EigenPairs<T>& pairs) {
  KrylovRun<T>(L, options, budget, observer, std::move(start), pairs).run();
}

#define MBSC_INSTANTIATE(T)                                                                              \
  template void krylov_until(const Normalized<T>&, const ClusterOptions&, const Budget&, KrylovStart<T>, \
                             const Observer<T>&, EigenPairs<T>&);
MBSC_INSTANTIATE(float)
MBSC_FLOAT64(MBSC_INSTANTIATE(double))
#undef MBSC_INSTANTIATE

}  // namespace mbsc
