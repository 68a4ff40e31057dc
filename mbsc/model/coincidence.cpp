// SPDX-License-Identifier: Apache-2.0
#include "mbsc/model/coincidence.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "mbsc/linalg/row_space.h"
#include "mbsc/model.h"

namespace mbsc {
namespace {

/// One step of a hash. For given `bits` it is a bijection of `hash`. The multiplier is that of MurmurHash3.
uint64_t mix(uint64_t hash, uint64_t bits) {
  hash = (hash ^ bits) * 0xff51afd7ed558ccdULL;
  return hash ^ (hash >> 32);
}

}  // namespace

std::vector<uint64_t> hash_rows(const Points& points, bool rounded, int threads) {
  std::vector<uint64_t> hashes(size_t(points.rows));
  RowSpace(points.rows, threads).for_each_block([&](int64_t, Range range) {
    for (int64_t i = range.begin; i < range.end; ++i) {
      uint64_t hash = uint64_t(points.features);
      for (int64_t f = 0; f < points.features; ++f) {
        double value = points.raw(i, f);
        if (rounded) value = double(float(value));
        hash = mix(hash, std::bit_cast<uint64_t>(value + 0.0));  // maps -0 to 0
      }
      hashes[size_t(i)] = hash;
    }
  });
  return hashes;
}

Coincidence find_coincidence(std::span<const uint64_t> rows, std::span<const uint64_t> others) {
  std::vector<int64_t> order(rows.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return rows[size_t(a)] != rows[size_t(b)] ? rows[size_t(a)] < rows[size_t(b)] : a < b;
  });
  const auto first_equal = [&](uint64_t hash) {
    const auto at = std::lower_bound(order.begin(), order.end(), hash,
                                     [&](int64_t row, uint64_t value) { return rows[size_t(row)] < value; });
    return at != order.end() && rows[size_t(*at)] == hash ? *at : int64_t{-1};
  };
  // For the first row of each group of equal rows: the first of the others that coincides with it.
  std::vector<int64_t> other_of(rows.size(), -1);
  for (size_t j = 0; j < others.size() && !rows.empty(); ++j) {
    const int64_t i = first_equal(others[j]);
    if (i >= 0 && other_of[size_t(i)] < 0) other_of[size_t(i)] = int64_t(j);
  }
  Coincidence found;
  found.place.resize(rows.size());
  found.partner.assign(others.size(), -1);
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto leader = size_t(first_equal(rows[i]));
    if (leader != i && other_of[leader] >= 0) {
      found.place[i] = found.place[leader];
      continue;
    }
    found.place[i] = int64_t(found.distinct.size());
    if (leader == i && other_of[i] >= 0) found.partner[size_t(other_of[i])] = found.place[i];
    found.distinct.push_back(int64_t(i));
  }
  return found;
}

}  // namespace mbsc
