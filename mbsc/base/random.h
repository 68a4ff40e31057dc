// SPDX-License-Identifier: Apache-2.0
// Counter-based random numbers: every draw is a pure function of (seed, stream, counter). The thread or rank that
// draws, and the order of the draws, do not matter.
// Philox4x32-10: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
#pragma once

#include <array>
#include <cstdint>

namespace mbsc {

/// The purpose of a stream of random numbers. Two purposes never share numbers.
enum class Stream : uint32_t {
  start = 1,  ///< a random initial basis
  batch,      ///< the keyed permutation of columns
  signs,      ///< signs and counts of the estimator `signed`
  landmarks,  ///< the landmarks of Nystrom
  refill,     ///< random directions that replace lost ones
  gamma,      ///< pairs of points whose distances determine gamma
  kmeans,     ///< seeding
  cut,        ///< columns of the sampled normalized cut
  generate,   ///< synthetic data
  test,
  degrees,    ///< columns of sampled degrees
  extension,  ///< rows that show how eigenvectors extend to new points
  neighbors,  ///< columns that show whether a run needs a graph of neighbors
};

/// Random numbers of one (seed, stream).
class Random {
 public:
  Random(uint64_t seed, Stream stream) : seed_(seed), stream_(static_cast<uint32_t>(stream)) {}

  /// The 64 random bits with number (major, minor).
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
/// bits that can hold n - 1. It is applied until the result is below n (at most four times on average).
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
