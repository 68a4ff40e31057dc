// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/graph/set_search.h"

#include <algorithm>
#include <limits>

#include "mbsc/base/parallel.h"
#include "mbsc/linalg/row_exchange.h"

namespace mbsc {
namespace {

/// For each rank, some values.
template <class T>
using Parts = std::vector<std::vector<T>>;

/// The sets of the batch that begins with set `first`: as many as fit if a worker may have `most` points.
Range batch_from(size_t first, const std::vector<SearchSet>& sets, int64_t most, int ranks) {
  std::vector<int64_t> load(static_cast<size_t>(ranks));
  size_t end = first;
  for (; end < sets.size(); ++end) {
    int64_t& of_worker = load[size_t(sets[end].worker)];
    if (of_worker > 0 && of_worker + sets[end].size > most) break;
    of_worker += sets[end].size;
  }
  return {int64_t(first), int64_t(end)};
}

/// What the owners of points send to each worker.
struct Delivery {
  Parts<int32_t> numbers;  ///< of the points, ascending
  Parts<float> rows;
  Parts<int32_t> members;  ///< for each set of the worker: the number of members, then their positions in `numbers`
};

Delivery pack(const OwnPoints& points, const std::vector<SearchSet>& sets, Range batch) {
  const auto ranks = static_cast<size_t>(points.space->comm().size());
  Delivery out{Parts<int32_t>(ranks), Parts<float>(ranks), Parts<int32_t>(ranks)};
  for (int64_t s = batch.begin; s < batch.end; ++s) {
    auto& numbers = out.numbers[size_t(sets[size_t(s)].worker)];
    numbers.insert(numbers.end(), sets[size_t(s)].own.begin(), sets[size_t(s)].own.end());
  }
  for (size_t rank = 0; rank < ranks; ++rank) {
    auto& numbers = out.numbers[rank];
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    out.rows[rank].reserve(numbers.size() * size_t(points.rows.cols));
    for (const int32_t number : numbers) {
      const float* row = points.rows.row(number - points.numbers.begin);
      out.rows[rank].insert(out.rows[rank].end(), row, row + points.rows.cols);
    }
  }
  for (int64_t s = batch.begin; s < batch.end; ++s) {
    const auto worker = size_t(sets[size_t(s)].worker);
    const auto& numbers = out.numbers[worker];
    out.members[worker].push_back(int32_t(sets[size_t(s)].own.size()));
    auto at = numbers.begin();
    for (const int32_t number : sets[size_t(s)].own) {
      at = std::lower_bound(at, numbers.end(), number);
      out.members[worker].push_back(int32_t(at - numbers.begin()));
    }
  }
  return out;
}

/// Puts the sets together from what their owners have sent. Ranks own ascending ranges of points, so the members of a set
/// ascend.
void unpack(const Delivery& arrived, const std::vector<SearchSet>& sets, Range batch, int me, SetBatch& out) {
  for (const auto& numbers : arrived.numbers) out.point_of.insert(out.point_of.end(), numbers.begin(), numbers.end());
  for (int64_t s = batch.begin; s < batch.end; ++s)
    if (sets[size_t(s)].worker == me) out.numbers.push_back(s);
  out.members.resize(out.numbers.size());
  int32_t before = 0;
  for (size_t rank = 0; rank < arrived.members.size(); ++rank) {
    const int32_t* at = arrived.members[rank].data();
    for (Members& set : out.members)
      for (int32_t count = *at++; count > 0; --count) set.push_back(before + *at++);
    before += int32_t(arrived.numbers[rank].size());
  }
}

/// The lists of a batch, by the owners of the points. All lists have the same length; a missing entry has the number -1.
Parts<NearPoint> pack_lists(const SetBatch& batch, const Delivery& arrived) {
  const int64_t each = batch.lists.each();
  Parts<NearPoint> out(arrived.numbers.size());
  int64_t row = 0;
  for (size_t rank = 0; rank < out.size(); ++rank)
    for (size_t i = 0; i < arrived.numbers[rank].size(); ++i, ++row) {
      const auto list = batch.lists.list(row);
      for (const NearPoint& near : list) out[rank].push_back({near.distance, batch.point_of[size_t(near.point)]});
      out[rank].resize(out[rank].size() + size_t(each) - list.size(), {std::numeric_limits<float>::infinity(), -1});
    }
  return out;
}

/// `numbers` are the points that were sent to a worker, and `found` the lists that it has returned.
void merge(const OwnPoints& points, const std::vector<int32_t>& numbers, const std::vector<NearPoint>& found,
           NearLists& lists) {
  constexpr int64_t chunk = 1024;
  const auto count = int64_t(numbers.size()), each = lists.each();
  parallel_for(points.space->threads(), (count + chunk - 1) / chunk, [&](int64_t c) {
    for (int64_t i = c * chunk; i < std::min(count, (c + 1) * chunk); ++i) {
      const auto first = found.begin() + i * each;
      const auto end = std::find_if(first, first + each, [](const NearPoint& near) { return near.point < 0; });
      lists.merge(numbers[size_t(i)] - points.numbers.begin, std::span(first, end));
    }
  });
}

}  // namespace

void search_sets(const OwnPoints& points, std::vector<SearchSet> sets, const StopToken& stop,
                 const std::function<void(SetBatch& batch)>& search, NearLists& lists) {
  const Comm& comm = points.space->comm();
  if (comm.size() == 1) {
    SetBatch batch{lists, {}, {}, {}};
    for (size_t s = 0; s < sets.size(); ++s) {
      batch.numbers.push_back(int64_t(s));
      batch.members.push_back(std::move(sets[s].own));
    }
    return search(batch);
  }
  const int64_t most = points.space->n() / comm.size();
  for (size_t first = 0; first < sets.size();) {
    if (comm.broadcast<int>(stop.stop_requested()) != 0) throw Stopped();
    const Range batch = batch_from(first, sets, most, comm.size());
    first = size_t(batch.end);
    Delivery sent = pack(points, sets, batch), arrived;
    arrived.numbers = exchange_parts<int32_t>(comm, Parts<int32_t>(sent.numbers));
    arrived.rows = exchange_parts<float>(comm, std::move(sent.rows));
    arrived.members = exchange_parts<int32_t>(comm, std::move(sent.members));
    int64_t count = 0;
    for (const auto& numbers : arrived.numbers) count += int64_t(numbers.size());
    Matrix<float> rows(count, points.rows.cols);
    float* to = rows.data();
    for (auto& part : arrived.rows) {
      to = std::copy(part.begin(), part.end(), to);
      part = {};
    }
    NearLists found(rows, lists.each());
    SetBatch mine{found, {}, {}, {}};
    unpack(arrived, sets, batch, comm.rank(), mine);
    if (!mine.numbers.empty()) search(mine);
    const Parts<NearPoint> returned = exchange_parts<NearPoint>(comm, pack_lists(mine, arrived));
    for (size_t rank = 0; rank < returned.size(); ++rank) merge(points, sent.numbers[rank], returned[rank], lists);
  }
}

}  // namespace mbsc
