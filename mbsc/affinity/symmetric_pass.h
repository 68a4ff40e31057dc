// SPDX-License-Identifier: Apache-2.0
// One pass over all pairs of points, each kernel value evaluated once and used on both sides (pair_ring.h says in which
// order). Rows stay with their rank; columns come block by block from the ranks they belong to, and what was summed for them
// so far from the rank that has met them before, so that a rank holds a few blocks of others at a time, never their share.
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
#include <thread>
#include <vector>

#include "mbsc/affinity/neighbors.h"
#include "mbsc/affinity/packing.h"
#include "mbsc/affinity/pair_ring.h"
#include "mbsc/affinity/ring_errands.h"
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
        errands_(ring_, blocks_, comm_.rank(), comm_.size(),
                 turns_together(blocks_, points_.features, int64_t(sizeof(T)))),
        first_row_(space.own_rows().begin) {}

  /// The kernel values evaluated. Incomplete where it was asked to stop. `progress` hears the share that is done, from the
  /// calling thread.
  int64_t run(int threads, const StopToken& stop, const std::function<void(double)>& progress) {
    if (own_.size() == 0) return 0;
    stop_ = &stop;
    progress_ = &progress;
    caller_ = std::this_thread::get_id();
    for (int64_t i = own_.begin; i < own_.end; ++i) all_tiles_ += ring_.reach_of_row(i) + 1;
    strips_ = cut_into_strips(ring_, own_, errands_.together());
    slots_.resize(2);
    for (auto& slot : slots_) slot = std::make_unique<Slot>(errands_.together());
    if (errands_.is_alone())
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
    AlignedVector<std::byte> bytes, sum_bytes;  ///< where all of this is, if it came from other ranks
    LargestEntries<T> came_with;
    std::unique_ptr<Comm::Pending> message, sum_message;
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
    const auto arrived = traveling_.find(turn);
    if (arrived == traveling_.end()) p.local = own_columns(ring_.column_of(turn));
    p.columns = arrived == traveling_.end() ? &p.local : arrived->second.get();
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

  // Between ranks. A column block comes to a rank in two messages: its coordinates and right-hand sides from its home, where
  // they are all the time, and its sums and largest entries from the rank that has met it last; in the end these go home.
  // Ranks go through strips of the same number side by side, and what a strip needs is sent, and awaited, one strip before:
  // a rank holds coordinates of two strips of others. Sums wait on the rank that made them until the next one wants them,
  // no more than there are in a rank's share. So nobody waits for a message that its sender cannot have sent, nor for one
  // to be taken by somebody who has to wait for this rank first, whether or not the transport keeps what is sent.
  enum class Channel { operands, sums, home };

  static int64_t whole(int64_t bytes) { return (bytes + 63) / 64 * 64; }
  int64_t coordinate_bytes(int64_t rows) const {
    const int64_t value = points_.type == ScalarType::float32 ? 4 : 8;
    return needs_points() ? whole(rows * points_.features * value) : 0;
  }
  int64_t operand_bytes(int64_t rows) const {  // ones need not travel
    const bool has_rhs = operands_.task == simd::Task::multiply;
    return coordinate_bytes(rows) + (has_rhs ? whole(rows * operands_.V.cols * int64_t(sizeof(T))) : 0);
  }
  int64_t largest_at(int64_t rows) const { return whole(rows * outs() * int64_t(sizeof(Sum))); }
  int64_t sum_bytes(int64_t rows) const {
    return largest_at(rows) + (operands_.row_largest ? whole(operands_.row_largest->state_bytes(rows)) : 0);
  }

  struct Sent {
    AlignedVector<std::byte> bytes;
    std::unique_ptr<Comm::Pending> message;
  };

  /// Columns of others that a strip of this rank needs.
  void expect(int64_t strip) {
    const Range turns = errands_.turns_of_strip(own_, strip);
    for (int64_t turn = turns.begin; turn < turns.end; ++turn) {
      if (!errands_.is_foreign(own_, turn)) continue;
      const int64_t block = ring_.column_of(turn);
      auto c = std::make_unique<Columns>();
      c->rows = blocks_.block(block);
      const int64_t rows = c->rows.size();
      c->bytes.resize(size_t(operand_bytes(rows)));
      c->sum_bytes.resize(size_t(sum_bytes(rows)));
      c->points = points_;
      c->points.data = c->bytes.data();
      c->points.rows = rows;
      c->points.row_stride = points_.features;
      c->points.feature_stride = 1;
      const std::byte* rhs = c->bytes.data() + coordinate_bytes(rows);
      c->V = {operands_.task == simd::Task::multiply ? reinterpret_cast<const T*>(rhs) : ones_.data(), rows,
              operands_.V.cols};
      c->sums = {reinterpret_cast<Sum*>(c->sum_bytes.data()), rows, outs()};
      if (operands_.row_largest) {
        c->came_with = LargestEntries<T>(rows, operands_.row_largest->each());
        c->largest = &c->came_with;
      }
      if (!c->bytes.empty()) c->message = receive(c->bytes, errands_.home_of(block), Channel::operands);
      c->sum_message = receive(c->sum_bytes, errands_.next(), Channel::sums);
      traveling_[turn] = std::move(c);
    }
  }

  void take(const Strip& strip) {
    for (int64_t turn = strip.turns.begin; turn < strip.turns.end; ++turn) {
      const auto arriving = traveling_.find(turn);
      if (arriving == traveling_.end()) continue;
      Columns& c = *arriving->second;
      if (c.message) c.message->wait();
      c.sum_message->wait();
      if (c.largest) c.came_with.read_state(0, c.rows.size(), c.sum_bytes.data() + largest_at(c.rows.size()));
    }
  }

  void send(AlignedVector<std::byte> bytes, int to, Channel channel, std::vector<Sent>& sent) const {
    sent.push_back({std::move(bytes), nullptr});
    sent.back().message = comm_.start_send(std::span<const std::byte>(sent.back().bytes), to, int(channel));
  }
  std::unique_ptr<Comm::Pending> receive(AlignedVector<std::byte>& bytes, int from, Channel channel) const {
    return comm_.start_receive(std::span<std::byte>(bytes), from, int(channel));
  }

  /// Coordinates and right-hand sides of own columns, for that strip of others.
  void send_operands(int64_t strip, std::vector<Sent>& sent) const {
    if (strip >= errands_.strips()) return;
    for (const auto& errand : errands_.outgoing(strip))
      if (operand_bytes(1) > 0) send(pack_operands(own_columns(errand.block)), errand.rank, Channel::operands, sent);
  }
  AlignedVector<std::byte> pack_operands(const Columns& c) const {
    AlignedVector<std::byte> bytes(static_cast<size_t>(operand_bytes(c.rows.size())));
    if (needs_points()) copy_coordinates(c.points, bytes.data());
    if (operands_.task == simd::Task::multiply) copy_rows<T>(c.V, bytes.data() + coordinate_bytes(c.rows.size()));
    return bytes;
  }

  /// Sums that the rank below needs in that strip, as far as they are ready: those of turns before `done`.
  void send_sums(int64_t strip, int64_t done, std::vector<Sent>& sent) {
    const int below = errands_.previous();
    const Range rows = errands_.blocks_of(below), turns = errands_.turns_of_strip(rows, strip);
    for (int64_t turn = std::max(turns.begin, next_to_send_); turn < turns.end; ++turn) {
      if (!errands_.is_foreign(rows, turn)) continue;
      const int64_t block = ring_.column_of(turn), here = errands_.turn_of(own_, block);
      if (here >= done) return;
      next_to_send_ = turn + 1;
      if (const auto waiting = waiting_.find(here); waiting != waiting_.end()) {
        send(std::move(waiting->second), below, Channel::sums, sent);
        waiting_.erase(waiting);
      } else {
        send(pack_sums(own_columns(block)), below, Channel::sums, sent);
      }
    }
  }

  AlignedVector<std::byte> pack_sums(const Columns& c) const {
    AlignedVector<std::byte> bytes(static_cast<size_t>(sum_bytes(c.rows.size())));
    copy_rows<Sum>(c.sums, bytes.data());
    if (c.largest) c.largest->write_state(c.first, c.rows.size(), bytes.data() + largest_at(c.rows.size()));
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

  /// After a strip: columns of others that have met their last row go home, the sums of the others wait.
  void put_away(const Strip& strip, std::vector<Sent>& sent) {
    for (int64_t turn = strip.turns.begin; turn < strip.turns.end; ++turn) {
      const auto arrived = traveling_.find(turn);
      if (arrived == traveling_.end()) continue;
      Columns& c = *arrived->second;
      const int64_t block = ring_.column_of(turn), rows = c.rows.size();
      if (c.largest) c.largest->write_state(0, rows, c.sum_bytes.data() + largest_at(rows));
      if (turn - ring_.reach_of_column(block) >= own_.begin)
        send(std::move(c.sum_bytes), errands_.home_of(block), Channel::home, sent);
      else
        waiting_[turn] = std::move(c.sum_bytes);
      traveling_.erase(arrived);
    }
  }

  using Returns = std::vector<std::pair<int64_t, Sent>>;
  Returns expect_home(int64_t strip) const {
    Returns returns;
    for (const auto& errand : errands_.returning(strip)) {
      Sent coming{AlignedVector<std::byte>(size_t(sum_bytes(blocks_.block(errand.block).size()))), nullptr};
      coming.message = receive(coming.bytes, errand.rank, Channel::home);
      returns.emplace_back(errand.block, std::move(coming));
    }
    return returns;
  }

  void come_home(Returns& returns) const {
    for (auto& [block, coming] : returns) {
      coming.message->wait();
      const Columns own = own_columns(block);
      const auto* sums = reinterpret_cast<const Sum*>(coming.bytes.data());
      for (int64_t i = 0; i < own.sums.rows; ++i) std::copy_n(sums + i * outs(), outs(), own.sums.row(i));
      if (own.largest)
        own.largest->read_state(own.first, own.rows.size(), coming.bytes.data() + largest_at(own.rows.size()));
    }
  }

  void travel(int threads) {
    if (operands_.task != simd::Task::multiply) ones_.assign(size_t(blocks_.block_rows()), T{1});
    std::deque<std::vector<Sent>> sent;
    std::deque<Returns> returns;
    const auto finish_oldest = [&] {
      for (Sent& message : sent.front()) message.message->wait();
      sent.pop_front();
      come_home(returns.front());
      returns.pop_front();
    };
    int64_t done = own_.begin;
    for (int64_t s = 0; s < errands_.strips(); ++s) {
      expect(s + 1);
      returns.push_back(expect_home(s));
      sent.emplace_back();
      send_operands(s + 1, sent.back());
      send_sums(s + 1, done, sent.back());
      if (s < int64_t(strips_.size())) {
        const Strip& strip = strips_[size_t(s)];
        take(strip);
        work_through({&strip, 1}, threads);
        put_away(strip, sent.back());
        done = strip.turns.end;
        send_sums(s + 1, done, sent.back());
      }
      if (sent.size() > 2) finish_oldest();
    }
    while (!sent.empty()) finish_oldest();
  }

  const RowBlocks& blocks_;
  const Comm& comm_;
  const Points& points_;
  const PackingRule& rule_;
  const simd::Tile<T>& form_;
  const PassOperands<T, Sum>& operands_;
  const PairRing ring_;
  const Range own_;
  const RingErrands errands_;
  const int64_t first_row_;
  std::vector<Strip> strips_;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::map<int64_t, std::unique_ptr<Columns>> traveling_;   ///< by turn
  std::map<int64_t, AlignedVector<std::byte>> waiting_;      ///< sums, by turn
  int64_t next_to_send_ = 0;                                 ///< turn of the rank below
  std::vector<T> ones_;
  const StopToken* stop_ = nullptr;
  const std::function<void(double)>* progress_ = nullptr;
  std::thread::id caller_;
  int64_t all_tiles_ = 0;
  std::atomic<int64_t> done_{0}, values_{0};
  double told_ = 0;
};

}  // namespace mbsc
