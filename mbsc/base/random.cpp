// SPDX-License-Identifier: Apache-2.0
#include "mbsc/base/random.h"

#include <bit>
#include <cmath>
#include <numbers>

namespace mbsc {
namespace {

__extension__ using uint128 = unsigned __int128;

uint64_t mix(uint64_t x) {  // splitmix64's finalizer
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

}  // namespace

std::array<uint32_t, 4> Random::words(uint64_t major, uint64_t minor) const {
  const uint64_t key = mix(seed_ ^ mix(stream_));
  uint32_t k0 = static_cast<uint32_t>(key), k1 = static_cast<uint32_t>(key >> 32);
  std::array<uint32_t, 4> c = {static_cast<uint32_t>(major), static_cast<uint32_t>(major >> 32),
                               static_cast<uint32_t>(minor), static_cast<uint32_t>(minor >> 32)};
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = uint64_t{0xD2511F53u} * c[0], p1 = uint64_t{0xCD9E8D57u} * c[2];
    c = {static_cast<uint32_t>(p1 >> 32) ^ c[1] ^ k0, static_cast<uint32_t>(p1),
         static_cast<uint32_t>(p0 >> 32) ^ c[3] ^ k1, static_cast<uint32_t>(p0)};
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return c;
}

uint64_t Random::bits(uint64_t major, uint64_t minor) const {
  const auto w = words(major, minor);
  return (uint64_t{w[1]} << 32) | w[0];
}

double Random::uniform(uint64_t major, uint64_t minor) const {
  return static_cast<double>(bits(major, minor) >> 11) * 0x1p-53;
}

double Random::normal(uint64_t major, uint64_t minor) const {
  const auto w = words(major, minor);
  const double u = (static_cast<double>((((uint64_t{w[1]} << 32) | w[0]) >> 11)) + 0.5) * 0x1p-53;
  const double v = static_cast<double>((((uint64_t{w[3]} << 32) | w[2]) >> 11)) * 0x1p-53;
  return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
}

int64_t Random::below(int64_t bound, uint64_t major, uint64_t minor) const {
  // Multiply-shift: the bias is below bound / 2^64.
  return static_cast<int64_t>((static_cast<uint128>(bits(major, minor)) * static_cast<uint128>(bound)) >> 64);
}

KeyedPermutation::KeyedPermutation(int64_t n, const Random& random, uint64_t key) : n_(n) {
  const int bits = std::bit_width(static_cast<uint64_t>(n > 1 ? n - 1 : 1));
  half_bits_ = (bits + 1) / 2;
  for (int r = 0; r < rounds; ++r) keys_[r] = random.bits(key, uint64_t{1} << 63 | unsigned(r));
}

int64_t KeyedPermutation::operator()(int64_t i) const {
  const uint64_t mask = (uint64_t{1} << half_bits_) - 1;
  uint64_t x = static_cast<uint64_t>(i);
  do {
    uint64_t left = x >> half_bits_, right = x & mask;
    for (const uint64_t key : keys_) {
      const uint64_t next = left ^ (mix(right ^ key) & mask);
      left = right;
      right = next;
    }
    x = (left << half_bits_) | right;
  } while (x >= static_cast<uint64_t>(n_));
  return static_cast<int64_t>(x);
}

}  // namespace mbsc
