// SPDX-License-Identifier: Apache-2.0
// Counter-based random numbers: every draw is a pure function of (seed, stream, counter), so that it does
// not matter which thread or rank asks for it, or in which order.
// Philox4x32-10: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
#pragma once

#include <array>
#include <cstdint>

namespace mbsc {

/// What a stream of random numbers is for. Two purposes never share numbers.
enum class Stream : uint32_t {
  start = 1,  ///< a random initial basis
  batch,      ///< the keyed permutation of columns
  signs,      ///< signs and counts of the estimator `signed`
  landmarks,  ///< Nystrom's landmarks
  refill,     ///< random directions that replace lost ones
  gamma,      ///< pairs of points whose distances choose gamma
  kmeans,     ///< seeding
  cut,        ///< columns of the sampled normalized cut
  generate,   ///< synthetic data
  test,
  degrees,    ///< columns of sampled degrees
  extension,  ///< rows that tell how eigenvectors extend to new points
};

/// Random numbers of one (seed, stream).
class Random {
 public:
  Random(uint64_t seed, Stream stream) : seed_(seed), stream_(static_cast<uint32_t>(stream)) {}

  /// 64 random bits number (major, minor).
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
/// bits that holds n, walked until it lands inside (at most four steps on average).
class KeyedPermutation {
 public:
  KeyedPermutation(int64_t n, const Random& random, uint64_t key);
  /// Where i goes; a bijection of [0, n).
  int64_t operator()(int64_t i) const;

 private:
  static constexpr int rounds = 6;
  int64_t n_;
  int half_bits_;
  std::array<uint64_t, rounds> keys_;
};

}  // namespace mbsc
