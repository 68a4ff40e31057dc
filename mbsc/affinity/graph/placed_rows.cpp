// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/graph/placed_rows.h"

#include <algorithm>
#include <numeric>

#include "mbsc/affinity/graph/distinct_rows.h"
#include "mbsc/affinity/graph/partition.h"
#include "mbsc/linalg/row_exchange.h"

namespace mbsc {
namespace {

/// For each rank: which of the hashes that it has sent occur more than once.
std::vector<std::vector<uint8_t>> find_repeated(const std::vector<std::vector<uint64_t>>& hashes) {
  std::vector<uint64_t> all;
  for (const auto& part : hashes) all.insert(all.end(), part.begin(), part.end());
  std::sort(all.begin(), all.end());
  std::vector<std::vector<uint8_t>> is_repeated(hashes.size());
  for (size_t rank = 0; rank < hashes.size(); ++rank)
    for (const uint64_t hash : hashes[rank]) {
      const auto at = std::lower_bound(all.begin(), all.end(), hash);
      is_repeated[rank].push_back(at + 1 < all.end() && at[1] == hash ? 1 : 0);
    }
  return is_repeated;
}

/// For each distinct row of this rank, the first (global) point that has it. All rows with the same hash are compared by
/// one rank. Collective.
std::vector<int32_t> find_first_points(const DistinctRows& local, const RowSpace& space) {
  const Comm& comm = space.comm();
  const auto ranks = static_cast<size_t>(comm.size());
  const int64_t d = local.rows.cols();
  std::vector<int32_t> first(static_cast<size_t>(local.count()));
  for (size_t row = 0; row < first.size(); ++row)
    first[row] = int32_t(space.own_rows().begin) + local.copies[size_t(local.starts[row])];
  if (ranks == 1) return first;
  std::vector<std::vector<uint64_t>> hashes(ranks);
  std::vector<std::vector<int32_t>> sent(ranks), points(ranks);
  for (size_t row = 0; row < first.size(); ++row) {
    const uint64_t hash = hash_of(local.rows.row(int64_t(row)), d);
    hashes[size_t(hash % ranks)].push_back(hash);
    sent[size_t(hash % ranks)].push_back(int32_t(row));
  }
  const auto is_repeated =
      exchange_parts<uint8_t>(comm, find_repeated(exchange_parts<uint64_t>(comm, std::move(hashes))));
  std::vector<std::vector<float>> rows(ranks);
  for (size_t rank = 0; rank < ranks; ++rank) {
    std::vector<int32_t> asked;
    for (size_t i = 0; i < sent[rank].size(); ++i) {
      if (is_repeated[rank][i] == 0) continue;
      const float* row = local.rows.row(sent[rank][i]);
      rows[rank].insert(rows[rank].end(), row, row + d);
      points[rank].push_back(first[size_t(sent[rank][i])]);
      asked.push_back(sent[rank][i]);
    }
    sent[rank] = std::move(asked);
  }
  rows = exchange_parts<float>(comm, std::move(rows));
  points = exchange_parts<int32_t>(comm, std::move(points));
  // Points arrive in ascending order, so the first point of each group is the first of all.
  std::vector<float> all;
  std::vector<int32_t> numbers;
  for (size_t rank = 0; rank < ranks; ++rank) {
    all.insert(all.end(), rows[rank].begin(), rows[rank].end());
    numbers.insert(numbers.end(), points[rank].begin(), points[rank].end());
  }
  const DistinctRows groups =
      find_distinct(Points(MatrixView<const float>(all.data(), int64_t(numbers.size()), d)), space.threads());
  size_t at = 0;
  for (auto& part : points)
    for (int32_t& point : part) point = numbers[size_t(groups.copies[size_t(groups.starts[size_t(groups.of[at++])])])];
  points = exchange_parts<int32_t>(comm, std::move(points));
  for (size_t rank = 0; rank < ranks; ++rank)
    for (size_t i = 0; i < sent[rank].size(); ++i) first[size_t(sent[rank][i])] = points[rank][i];
  return first;
}

/// Moves row i to row places[i], along each cycle of the permutation.
void permute(const std::vector<int32_t>& places, Matrix<float>& rows) {
  const int64_t d = rows.cols();
  std::vector<float> carried(static_cast<size_t>(d));
  std::vector<uint8_t> is_moved(places.size());
  for (size_t begin = 0; begin < places.size(); ++begin) {
    if (is_moved[begin]) continue;
    std::copy_n(rows.row(int64_t(begin)), d, carried.begin());
    for (size_t at = begin; !is_moved[at];) {
      is_moved[at] = 1;
      at = size_t(places[at]);
      std::swap_ranges(carried.begin(), carried.end(), rows.row(int64_t(at)));
    }
  }
}

/// Sends rows to the owners of their places. Returns the own rows by place. Collective.
Matrix<float> move_to_places(const RowSpace& space, const std::vector<int32_t>& places, Matrix<float> rows) {
  const int64_t d = rows.cols(), first = space.own_rows().begin;
  const auto ranks = static_cast<size_t>(space.comm().size());
  if (ranks == 1) {
    permute(places, rows);
    return rows;
  }
  std::vector<std::vector<int32_t>> numbers(ranks);
  std::vector<std::vector<float>> values(ranks);
  for (size_t i = 0; i < places.size(); ++i) {
    const auto rank = size_t(space.rank_of_row(places[i]));
    numbers[rank].push_back(places[i]);
    values[rank].insert(values[rank].end(), rows.row(int64_t(i)), rows.row(int64_t(i)) + d);
  }
  rows = {};
  numbers = exchange_parts<int32_t>(space.comm(), std::move(numbers));
  values = exchange_parts<float>(space.comm(), std::move(values));
  Matrix<float> out(space.local_rows(), d);
  for (size_t rank = 0; rank < ranks; ++rank)
    for (size_t i = 0; i < numbers[rank].size(); ++i)
      std::copy_n(values[rank].data() + i * size_t(d), d, out.row(numbers[rank][i] - first));
  return out;
}

/// A point and the place of its row.
struct PlacedPoint {
  int32_t place, point;
};

/// Computes `starts` and `copies` from the own points and the places of their rows. Collective.
void find_copies(const RowSpace& points, const std::vector<int32_t>& place_of, PlacedRows& placed) {
  const RowSpace& space = placed.space;
  std::vector<std::vector<PlacedPoint>> parts(static_cast<size_t>(space.comm().size()));
  for (size_t i = 0; i < place_of.size(); ++i)
    parts[size_t(space.rank_of_row(place_of[i]))].push_back(
        {place_of[i], int32_t(points.own_rows().begin) + int32_t(i)});
  parts = exchange_parts<PlacedPoint>(space.comm(), std::move(parts));
  const int64_t first = space.own_rows().begin;
  placed.starts.assign(size_t(space.local_rows()) + 1, 0);
  for (const auto& part : parts)
    for (const PlacedPoint& copy : part) ++placed.starts[size_t(copy.place - first) + 1];
  std::partial_sum(placed.starts.begin(), placed.starts.end(), placed.starts.begin());
  placed.copies.resize(size_t(placed.starts.back()));
  std::vector<int64_t> next(placed.starts.begin(), placed.starts.end() - 1);
  for (const auto& part : parts)
    for (const PlacedPoint& copy : part) placed.copies[size_t(next[size_t(copy.place - first)]++)] = copy.point;
  const int64_t mine = placed.starts.back();
  const std::vector<int64_t> all = space.comm().gather<int64_t>(std::span<const int64_t>(&mine, 1));
  const int64_t before = std::accumulate(all.begin(), all.begin() + space.comm().rank(), int64_t{0});
  for (int64_t& start : placed.starts) start += before;
}

}  // namespace

PlacedRows place_rows(const Points& points, const RowSpace& rows, Metric metric, uint64_t seed) {
  const Comm& comm = rows.comm();
  const int64_t first_row = rows.own_rows().begin;
  DistinctRows local = find_distinct(points, rows.threads(), metric);
  const std::vector<int32_t> first = find_first_points(local, rows);
  // Keep the rows whose first point this rank owns. Their numbers follow those of the ranks before it.
  std::vector<int32_t> place_of_row(first.size(), -1), kept;
  for (size_t row = 0; row < first.size(); ++row)
    if (rows.own_rows().contains(first[row])) kept.push_back(int32_t(row));
  if (kept.size() < first.size()) {
    for (size_t i = 0; i < kept.size(); ++i)
      std::copy_n(local.rows.row(kept[i]), points.features, local.rows.row(int64_t(i)));
    Matrix<float> fewer(int64_t(kept.size()), points.features);
    std::copy_n(local.rows.data(), fewer.size(), fewer.data());
    local.rows = std::move(fewer);
  }
  const auto mine = int64_t(kept.size());
  const std::vector<int64_t> counts = comm.gather<int64_t>(std::span<const int64_t>(&mine, 1));
  const int64_t before = std::accumulate(counts.begin(), counts.begin() + comm.rank(), int64_t{0});
  PlacedRows placed;
  placed.space = RowSpace(std::accumulate(counts.begin(), counts.end(), int64_t{0}), rows.threads(), comm);
  std::vector<int32_t> places(kept.size());
  std::iota(places.begin(), places.end(), int32_t(before));
  if (rows.n() > most_unplaced_points) places = find_places({local.rows, {before, before + mine}, &placed.space}, seed);
  // Rows that are kept by another rank: ask for their places.
  Matrix<int32_t> of_point(rows.local_rows(), 1);
  for (size_t i = 0; i < kept.size(); ++i) {
    place_of_row[size_t(kept[i])] = places[i];
    of_point(first[size_t(kept[i])] - first_row, 0) = places[i];
  }
  std::vector<int64_t> wanted;
  for (size_t row = 0; row < first.size(); ++row)
    if (place_of_row[row] < 0) wanted.push_back(first[row]);
  std::sort(wanted.begin(), wanted.end());
  const RowExchange others(rows, wanted);
  const Matrix<int32_t> theirs = others.fetch<int32_t>(comm, of_point);
  for (size_t row = 0; row < first.size(); ++row)
    if (place_of_row[row] < 0)
      place_of_row[row] = theirs(std::lower_bound(wanted.begin(), wanted.end(), first[row]) - wanted.begin(), 0);
  placed.rows = move_to_places(placed.space, places, std::move(local.rows));
  std::vector<int32_t> place_of(local.of.size());
  for (size_t i = 0; i < place_of.size(); ++i) place_of[i] = place_of_row[size_t(local.of[i])];
  find_copies(rows, place_of, placed);
  return placed;
}

}  // namespace mbsc
