// SPDX-License-Identifier: Apache-2.0
// Counter-based random numbers: every draw is a pure function of (seed, stream, counter). It does not depend on the
// thread or rank that draws, or on the order of the draws. A counter is a pair of numbers (major, minor).
// Philox4x32-10: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
#pragma once

#include <array>
#include <cstdint>

namespace mbsc {

/// The purpose of a stream of random numbers. Different purposes use different numbers.
enum class Stream : uint32_t {
  start = 1,  ///< a random initial basis; the order of the points in a multilevel start
  batch,      ///< the keyed permutation of columns
  signs,      ///< signs and counts of the estimator `signed`
  landmarks,  ///< the landmarks of Nystrom
  refill,     ///< random vectors that replace linearly dependent ones in a basis
  gamma,      ///< points whose distances determine gamma
  kmeans,     ///< initial centers
  cut,        ///< columns of the sampled normalized cut
  generate,   ///< synthetic data
  test,
  degrees,    ///< columns of sampled degrees
  extension,  ///< rows from which the extension of eigenvectors to new points is fitted
  neighbors,  ///< columns that predict whether a run needs neighbors; partitions and samples of the neighbor search
};

/// The random numbers of one seed and one stream. Each function returns the number at counter (major, minor).
class Random {
 public:
  Random(uint64_t seed, Stream stream) : seed_(seed), stream_(static_cast<uint32_t>(stream)) {}

  /// 64 random bits.
  uint64_t bits(uint64_t major, uint64_t minor = 0) const;
  /// Uniform in [0, 1), 53 bits.
  double uniform(uint64_t major, uint64_t minor = 0) const;
  /// Standard normal (Box-Muller on the four words of one counter).
  double normal(uint64_t major, uint64_t minor = 0) const;
  /// Uniform integer in [0, bound).
  int64_t below(int64_t bound, uint64_t major, uint64_t minor = 0) const;

 private:
  std::array<uint32_t, 4> words(uint64_t major, uint64_t minor) const;
  uint64_t seed_;
  uint32_t stream_;
};

/// A pseudo-random permutation of [0, n) in O(1) memory: a Feistel network on the smallest even number of
/// bits that can hold n - 1. The network is applied again until the result is below n (at most four times on average).
class KeyedPermutation {
 public:
  KeyedPermutation(int64_t n, const Random& random, uint64_t key);
  /// The image of i; a bijection of [0, n).
  int64_t operator()(int64_t i) const;

 private:
  static constexpr int rounds = 6;
  int64_t n_;
  int half_bits_;
  std::array<uint64_t, rounds> keys_;
};

}  // namespace mbsc
