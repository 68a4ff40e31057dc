// SPDX-License-Identifier: Apache-2.0
// One pass over all pairs of points, each kernel value evaluated once and used on both sides (pair_ring.h says in which
// order). Rows stay with their rank; columns go around the ranks block by block, with what was summed for them so far, so
// that a rank holds a few blocks of other ranks at a time, never their whole share.
// Cost: n^2/2 kernel values over all ranks. Bytes that come to a rank: n/2 rows of coordinates, right-hand sides and sums.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <thread>
#include <vector>

#include "mbsc/affinity/neighbours.h"
#include "mbsc/affinity/packing.h"
#include "mbsc/affinity/pair_ring.h"
#include "mbsc/affinity/tile_cache.h"
#include "mbsc/base/stop_token.h"
#include "mbsc/linalg/row_space.h"

namespace mbsc {

/// Columns that a strip of a pass takes together: packed for all threads, twice, they shall be megabytes.
constexpr int64_t most_turns_together = 4;
inline int64_t turns_together(const RowBlocks& blocks, int64_t features, int64_t bytes_of_value) {
  const int64_t bytes = blocks.block_rows() * features * bytes_of_value;
  return bytes <= int64_t{2} << 20 ? most_turns_together : bytes <= int64_t{16} << 20 ? 2 : 1;
}

/// What a pass multiplies and where its sums go. Sum is T for products and double for degrees.
template <class T, class Sum>
struct PassOperands {
  simd::Task task = simd::Task::multiply;
  MatrixView<const T> V;                       ///< own rows of the right-hand sides; degrees: a column of ones
  MatrixView<Sum> row_sums, column_sums;       ///< own rows, added to
  LargestEntries<T>* row_largest = nullptr;    ///< of own rows, where they are wanted
  LargestEntries<T>* column_largest = nullptr;
  TileCache* keep = nullptr;                   ///< where values go
  const TileCache* kept = nullptr;             ///< where they come from
};

template <class T, class Sum>
class SymmetricPass {
 public:
  /// `points` are this rank's rows. All of these must outlive this.
  SymmetricPass(const RowSpace& space, const Points& points, const PackingRule& rule, const simd::Tile<T>& form,
                const PassOperands<T, Sum>& operands)
      : blocks_(space.blocks()),
        comm_(space.comm()),
        points_(points),
        rule_(rule),
        form_(form),
        operands_(operands),
        ring_(blocks_.count()),
        own_(space.own_blocks()),
        first_row_(space.own_rows().begin) {}

  /// The kernel values evaluated. Incomplete where it was asked to stop. `progress` hears the share that is done, from the
  /// calling thread.
  int64_t run(int threads, const StopToken& stop, const std::function<void(double)>& progress) {
    if (own_.size() == 0) return 0;
    stop_ = &stop;
    progress_ = &progress;
    caller_ = std::this_thread::get_id();
    for (int64_t i = own_.begin; i < own_.end; ++i) all_tiles_ += ring_.reach_of_row(i) + 1;
    next_ = neighbour(1);
    previous_ = neighbour(-1);
    // A column must have left the rank before its strip, not within it.
    int64_t together = turns_together(blocks_, points_.features, int64_t(sizeof(T)));
    if (next_ != comm_.rank())
      for (int rank = 0; rank < comm_.size(); ++rank)
        if (const int64_t theirs = blocks_.blocks_of_rank(rank, comm_.size()).size(); theirs > 0)
          together = std::min(together, theirs);
    strips_ = cut_into_strips(ring_, own_, together);
    slots_.resize(2);
    for (auto& slot : slots_) slot = std::make_unique<Slot>(together);
    if (next_ == comm_.rank())
      work_through(strips_, threads);
    else
      travel(threads);
    if (progress && told_ < 1 && !stop.stop_requested()) progress(1);
    return values_;
  }

 private:
  /// A block of columns, here or on its way.
  struct Columns {
    Range rows;            ///< global
    Points points;         ///< its own, from 0 on
    MatrixView<const T> V;
    MatrixView<Sum> sums;
    LargestEntries<T>* largest = nullptr;
    int64_t first = 0;     ///< of its rows in `largest`
    AlignedVector<std::byte> bytes;  ///< where all of this is, if it came from another rank
    LargestEntries<T> came_with;
    std::unique_ptr<Comm::Pending> message;
  };
  struct Packing {
    simd::Packed<T> points;
    AlignedVector<T> rhs;
    Columns* columns = nullptr;
    Columns local;
  };
  struct Slot {
    explicit Slot(int64_t turns) : packed(size_t(turns)) {}
    std::vector<Packing> packed;
    std::mutex mutex;  ///< of the thresholds of its columns
  };
  /// What one thread needs for one row block and the columns of a strip.
  struct Workspace {
    simd::Packed<T> rows;
    AlignedVector<T> row_rhs, row_out, scratch;
    std::array<AlignedVector<T>, size_t(most_turns_together)> column_out;
    std::array<LargestEntries<T>, size_t(most_turns_together)> column_largest;
    std::array<bool, size_t(most_turns_together)> used{};
    std::vector<int64_t> index;
  };
  static Workspace& thread_workspace() {
    thread_local Workspace workspace;
    return workspace;
  }
  /// Takes the values of one tile to both of their rows.
  struct Offers {
    LargestEntries<T>*rows, *columns;  ///< no columns: the tile has every pair twice itself
    int64_t row, first_row, first_column;
    static void offer(void* context, int64_t i, int64_t j, T value) {
      const Offers& o = *static_cast<Offers*>(context);
      o.rows->offer(o.row + i, o.first_column + j, value);
      if (o.columns) o.columns->offer(j, o.first_row + i, value);
    }
  };

  int64_t outs() const { return operands_.row_sums.cols; }

  /// The next rank that holds rows, up or down the ring.
  int neighbour(int step) const {
    int rank = comm_.rank();
    do rank = (rank + step + comm_.size()) % comm_.size();
    while (blocks_.blocks_of_rank(rank, comm_.size()).size() == 0);
    return rank;
  }

  /// Whether any column needs coordinates.
  bool needs_points() const { return operands_.kept == nullptr || operands_.kept->tiles() < ring_.tiles(); }

  Range local(int64_t block) const {
    const Range rows = blocks_.block(block);
    return {rows.begin - first_row_, rows.end - first_row_};
  }

  Columns own_columns(int64_t block) const {
    const Range rows = local(block);
    Columns c;
    c.rows = blocks_.block(block);
    c.points = points_.rows_between(rows.begin, rows.end);
    c.V = operands_.V.rows_between(rows.begin, rows.end);
    c.sums = operands_.column_sums.rows_between(rows.begin, rows.end);
    c.largest = operands_.column_largest;
    c.first = rows.begin;
    return c;
  }

  void prepare(Slot& slot, const Strip& strip, int64_t turn) {
    Packing& p = slot.packed[size_t(turn - strip.turns.begin)];
    const auto arrived = travelling_.find(turn);
    if (arrived == travelling_.end()) p.local = own_columns(ring_.column_of(turn));
    p.columns = arrived == travelling_.end() ? &p.local : arrived->second.get();
    const Columns& c = *p.columns;
    if (needs_points())
      pack_points(
          c.points, rule_, c.rows.size(), [](int64_t i) { return i; }, simd::group_columns, p.points);
    else
      p.points.resize(c.rows.size(), 0, simd::group_columns);
    pack_right_hand_sides(c.V, simd::group_columns, p.rhs);
  }

  void compute(Slot& slot, const Strip& strip, int64_t row) {
    const int64_t width = simd::panel_rows<T>();
    const Range I = local(row);
    Workspace& work = thread_workspace();
    bool is_packed = false;
    pack_right_hand_sides(operands_.V.rows_between(I.begin, I.end), width, work.row_rhs);
    for (int64_t turn = strip.turns.begin; turn < strip.turns.end; ++turn) {
      const auto place = size_t(turn - strip.turns.begin);
      const int64_t distance = turn - row;
      work.used[place] = distance >= 0 && distance <= ring_.reach_of_row(row) && !stop_->stop_requested();
      if (!work.used[place]) continue;
      const Packing& p = slot.packed[place];
      simd::Tile<T> t = form_;
      if (operands_.keep) t.keep = operands_.keep->tile(row - own_.begin, distance);
      if (operands_.kept) t.kept = operands_.kept->tile(row - own_.begin, distance);
      if (t.kept != nullptr && !is_packed) {
        work.rows.resize(I.size(), 0, width);
      } else if (t.kept == nullptr && !is_packed) {
        pack_points(
            points_, rule_, I.size(), [&](int64_t i) { return I.begin + i; }, width, work.rows);
        is_packed = true;
      }
      run_tile(t, slot, p, work, place, row, distance);
      if (t.kept == nullptr) values_ += I.size() * p.columns->rows.size();
    }
  }

  void run_tile(simd::Tile<T>& t, Slot& slot, const Packing& p, Workspace& work, size_t place, int64_t row,
                int64_t distance) {
    const int64_t width = simd::panel_rows<T>();
    const Range I = local(row), J = p.columns->rows;
    work.row_out.assign(size_t(work.rows.pieces() * width * outs()), T{});
    t.rows = &work.rows;
    t.columns = &p.points;
    t.row_index = first_row_ + I.begin;
    t.right_hand_sides = operands_.V.cols;
    t.column_rhs = p.rhs.data();
    t.row_out = work.row_out.data();
    t.scratch = &work.scratch;
    if (distance == 0) {
      work.index.resize(size_t(J.size()));
      std::iota(work.index.begin(), work.index.end(), J.begin);
      t.column_index = work.index.data();
    } else {
      AlignedVector<T>& column_out = work.column_out[place];
      column_out.assign(size_t(p.points.pieces() * simd::group_columns * outs()), T{});
      t.row_rhs = work.row_rhs.data();
      t.column_out = column_out.data();
    }
    Offers offers{operands_.row_largest, nullptr, I.begin, first_row_ + I.begin, J.begin};
    if (offers.rows) {
      t.row_least = t.column_least = offers.rows->least() + I.begin;
      if (distance > 0) {
        offers.columns = &work.column_largest[place];
        const std::lock_guard lock(slot.mutex);
        offers.columns->begin(*p.columns->largest, p.columns->first, J.size());
        t.column_least = offers.columns->least();
      }
      t.offer = Offers::offer;
      t.offer_context = &offers;
    }
    simd::run(operands_.task, t);
    if (offers.rows && distance == 0) {
      // What the block's own pairs rule out of the list of its rows need not come into that of its columns, which is
      // still empty.
      const std::lock_guard lock(slot.mutex);
      operands_.column_largest->raise(*offers.rows, I.begin, I.size());
    }
    // Rows of this block are this thread's own until the strip is done.
    add_panels(work.row_out, width, operands_.row_sums.rows_between(I.begin, I.end));
  }

  /// In the order of the rows.
  void apply(Slot& slot, const Strip& strip, int64_t row) {
    Workspace& work = thread_workspace();
    int64_t tiles = 0;
    for (int64_t turn = strip.turns.begin; turn < strip.turns.end; ++turn) {
      const auto place = size_t(turn - strip.turns.begin);
      if (!work.used[place]) continue;
      ++tiles;
      if (turn == row) continue;
      Columns& c = *slot.packed[place].columns;
      const T* from = work.column_out[place].data();
      for (int64_t j = 0; j < c.rows.size(); ++j)
        for (int64_t s = 0; s < outs(); ++s) c.sums(j, s) += Sum(*from++);
      if (c.largest == nullptr) continue;
      const std::lock_guard lock(slot.mutex);
      c.largest->merge(work.column_largest[place], c.first);
    }
    tell(tiles);
  }

  void tell(int64_t tiles) {
    const double share = double(done_ += tiles) / double(all_tiles_);
    if (!*progress_ || std::this_thread::get_id() != caller_ || share < told_ + 0.005 || stop_->stop_requested()) return;
    told_ = share;
    (*progress_)(share);
  }

  void work_through(std::span<const Strip> strips, int threads) {
    const auto slot = [&](int64_t number) -> Slot& { return *slots_[size_t(number)]; };
    const auto prepare = [&](int64_t s, const Strip& strip, int64_t turn) { this->prepare(slot(s), strip, turn); };
    const auto compute = [&](int64_t s, const Strip& strip, int64_t row) { this->compute(slot(s), strip, row); };
    const auto apply = [&](int64_t s, const Strip& strip, int64_t row) { this->apply(slot(s), strip, row); };
    StripQueue queue(strips, own_, prepare, compute, apply);
    queue.run(threads);
  }

  // Between ranks. A message has, one after the other and each from a whole number of cache lines on: coordinates,
  // right-hand sides (of products), sums, largest entries; what goes home has the last two.
  enum Channel { onward, home };
  struct Layout {
    int64_t coordinates = 0, rhs = 0, sums = 0, largest = 0, end = 0;
  };
  Layout layout(int64_t rows, bool goes_home) const {
    const auto whole = [](int64_t bytes) { return (bytes + 63) / 64 * 64; };
    const int64_t value = points_.type == ScalarType::float32 ? 4 : 8;
    Layout at;
    at.rhs = goes_home || !needs_points() ? 0 : whole(rows * points_.features * value);
    const bool has_rhs = !goes_home && operands_.task == simd::Task::multiply;
    at.sums = at.rhs + (has_rhs ? whole(rows * operands_.V.cols * int64_t(sizeof(T))) : 0);
    at.largest = at.sums + whole(rows * outs() * int64_t(sizeof(Sum)));
    at.end = at.largest + (operands_.row_largest ? whole(operands_.row_largest->state_bytes(rows)) : 0);
    return at;
  }

  /// Columns that another rank will send.
  std::unique_ptr<Columns> expect(int64_t turn) const {
    auto c = std::make_unique<Columns>();
    c->rows = blocks_.block(ring_.column_of(turn));
    const int64_t rows = c->rows.size();
    const Layout at = layout(rows, false);
    c->bytes.resize(size_t(at.end));
    std::byte* bytes = c->bytes.data();
    c->points = points_;
    c->points.data = bytes;
    c->points.rows = rows;
    c->points.row_stride = points_.features;
    c->points.feature_stride = 1;
    // Ones need not travel.
    const T* rhs = operands_.task == simd::Task::multiply ? reinterpret_cast<const T*>(bytes + at.rhs) : ones_.data();
    c->V = {rhs, rows, operands_.V.cols};
    c->sums = {reinterpret_cast<Sum*>(bytes + at.sums), rows, outs()};
    if (operands_.row_largest) {
      c->came_with = LargestEntries<T>(rows, operands_.row_largest->each());
      c->largest = &c->came_with;
    }
    c->message = comm_.start_receive(std::span<std::byte>(c->bytes), next_, onward);
    return c;
  }

  void take(Columns& c) const {
    c.message->wait();
    if (c.largest) c.came_with.read_state(0, c.rows.size(), c.bytes.data() + layout(c.rows.size(), false).largest);
  }

  /// The columns as bytes, for the next rank or for the one they come from.
  AlignedVector<std::byte> pack_message(const Columns& c, bool goes_home) const {
    const int64_t rows = c.rows.size();
    const Layout at = layout(rows, goes_home);
    AlignedVector<std::byte> bytes(static_cast<size_t>(at.end));
    if (at.rhs > at.coordinates) copy_coordinates(c.points, bytes.data());
    if (at.sums > at.rhs) copy_rows<T>(c.V, bytes.data() + at.rhs);
    copy_rows<Sum>(c.sums, bytes.data() + at.sums);
    if (c.largest) c.largest->write_state(c.first, rows, bytes.data() + at.largest);
    return bytes;
  }
  template <class Value>
  static void copy_rows(MatrixView<const Value> from, std::byte* to) {
    for (int64_t i = 0; i < from.rows; ++i)
      std::memcpy(to + size_t(i * from.cols) * sizeof(Value), from.row(i), size_t(from.cols) * sizeof(Value));
  }
  static void copy_coordinates(const Points& points, std::byte* to) {
    const auto copy = [&]<class Value>(const Value* from) {
      auto* out = reinterpret_cast<Value*>(to);
      for (int64_t i = 0; i < points.rows; ++i)
        for (int64_t f = 0; f < points.features; ++f)
          *out++ = from[i * points.row_stride + f * points.feature_stride];
    };
    points.type == ScalarType::float32 ? copy(static_cast<const float*>(points.data))
                                       : copy(static_cast<const double*>(points.data));
  }

  struct Sent {
    AlignedVector<std::byte> bytes;
    std::unique_ptr<Comm::Pending> message;
  };

  int home_of(int64_t block) const { return blocks_.rank_of_block(block, comm_.size()); }

  void travel(int threads) {
    if (operands_.task != simd::Task::multiply) ones_.assign(size_t(blocks_.block_rows()), T{1});
    // What own columns come home with, from the rank of the last row they meet.
    std::vector<std::pair<int64_t, Sent>> coming;
    for (int64_t block = own_.begin; block < own_.end; ++block) {
      const int last = home_of((block - ring_.reach_of_column(block) + ring_.blocks()) % ring_.blocks());
      if (last == comm_.rank()) continue;
      Sent sent{AlignedVector<std::byte>(size_t(layout(blocks_.block(block).size(), true).end)), nullptr};
      sent.message = comm_.start_receive(std::span<std::byte>(sent.bytes), last, home);
      coming.emplace_back(block, std::move(sent));
    }
    const auto await = [&](const Strip& strip) {
      for (int64_t turn = std::max(strip.turns.begin, own_.end); turn < strip.turns.end; ++turn)
        if (ring_.rows_of_turn(own_, turn).size() > 0) travelling_[turn] = expect(turn);
    };
    std::deque<std::vector<Sent>> under_way;
    await(strips_.front());
    for (size_t s = 0; s < strips_.size(); ++s) {
      const Strip& strip = strips_[s];
      if (s + 1 < strips_.size()) await(strips_[s + 1]);
      for (int64_t turn = strip.turns.begin; turn < strip.turns.end; ++turn)
        if (const auto arriving = travelling_.find(turn); arriving != travelling_.end()) take(*arriving->second);
      work_through({&strip, 1}, threads);
      under_way.emplace_back();
      for (int64_t turn = strip.turns.begin; turn < strip.turns.end; ++turn) send_on(turn, under_way.back());
      if (under_way.size() > 2) finish(under_way);
    }
    while (!under_way.empty()) finish(under_way);
    for (auto& [block, sent] : coming) {
      sent.message->wait();
      come_home(block, sent.bytes.data());
    }
  }

  void finish(std::deque<std::vector<Sent>>& under_way) const {
    for (Sent& sent : under_way.front()) sent.message->wait();
    under_way.pop_front();
  }

  void send_on(int64_t turn, std::vector<Sent>& sent) {
    const int64_t block = ring_.column_of(turn);
    const bool goes_home = turn - ring_.reach_of_column(block) >= own_.begin;
    const auto arrived = travelling_.find(turn);
    if (arrived == travelling_.end()) {
      if (goes_home || turn >= own_.end) return;  // it never left, or nobody here met it
      sent.push_back({pack_message(own_columns(block), false), nullptr});
    } else {
      Columns& c = *arrived->second;
      if (goes_home) {
        sent.push_back({pack_message(c, true), nullptr});
      } else {
        if (c.largest) c.largest->write_state(0, c.rows.size(), c.bytes.data() + layout(c.rows.size(), false).largest);
        sent.push_back({std::move(c.bytes), nullptr});
      }
      travelling_.erase(arrived);
    }
    sent.back().message = comm_.start_send(std::span<const std::byte>(sent.back().bytes),
                                           goes_home ? home_of(block) : previous_, goes_home ? home : onward);
  }

  void come_home(int64_t block, const std::byte* bytes) const {
    const Columns own = own_columns(block);
    const Layout at = layout(own.rows.size(), true);
    const auto* sums = reinterpret_cast<const Sum*>(bytes + at.sums);
    for (int64_t i = 0; i < own.sums.rows; ++i) std::copy_n(sums + i * outs(), outs(), own.sums.row(i));
    if (own.largest) own.largest->read_state(own.first, own.rows.size(), bytes + at.largest);
  }

  const RowBlocks& blocks_;
  const Comm& comm_;
  const Points& points_;
  const PackingRule& rule_;
  const simd::Tile<T>& form_;
  const PassOperands<T, Sum>& operands_;
  const PairRing ring_;
  const Range own_;
  const int64_t first_row_;
  int next_ = 0, previous_ = 0;
  std::vector<Strip> strips_;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::map<int64_t, std::unique_ptr<Columns>> travelling_;  ///< by turn
  std::vector<T> ones_;
  const StopToken* stop_ = nullptr;
  const std::function<void(double)>* progress_ = nullptr;
  std::thread::id caller_;
  int64_t all_tiles_ = 0;
  std::atomic<int64_t> done_{0}, values_{0};
  double told_ = 0;
};

}  // namespace mbsc
