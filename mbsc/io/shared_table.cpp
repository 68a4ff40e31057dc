// SPDX-License-Identifier: Apache-2.0
// read_shared_table(): each rank reads some rows; then rows move until each rank has its row blocks.
#include "mbsc/io/shared_table.h"

#include <algorithm>
#include <cstring>

#include "mbsc/base/require.h"
#include "mbsc/comm/agree.h"
#include "mbsc/io/class_index.h"
#include "mbsc/linalg/row_balance.h"
#include "mbsc/read.h"

namespace mbsc {
namespace {

/// The texts of all ranks, in the order of the ranks.
std::vector<std::string> gather_texts(const Comm& comm, const std::vector<std::string>& mine) {
  std::vector<int64_t> lengths;
  std::string joined;
  for (const std::string& text : mine) {
    lengths.push_back(int64_t(text.size()));
    joined += text;
  }
  const std::vector<char> all = comm.gather<char>(joined);
  std::vector<std::string> texts;
  const char* at = all.data();
  for (const int64_t length : comm.gather<int64_t>(lengths)) {
    texts.emplace_back(at, size_t(length));
    at += length;
  }
  return texts;
}

/// Gives a class the same number on all ranks.
void merge_classes(const Comm& comm, Table& table) {
  ClassIndex classes;
  for (const std::string& name : gather_texts(comm, table.class_names)) classes.index_of(name);
  std::vector<int32_t> number;
  for (const std::string& name : table.class_names) number.push_back(classes.index_of(name));
  for (int32_t& label : table.truth) label = number[size_t(label)];
  table.class_names = classes.release();
  sort_integer_classes(table.truth, table.class_names);
}

template <class T>
std::unique_ptr<void, Table::Free> copy_to_buffer(const std::vector<T>& values) {
  std::unique_ptr<void, Table::Free> buffer(std::malloc(std::max<size_t>(1, values.size() * sizeof(T))));
  if (!buffer) throw std::bad_alloc();
  if (!values.empty()) std::memcpy(buffer.get(), values.data(), values.size() * sizeof(T));
  return buffer;
}

/// Moves each row to the rank that owns its block. All ranks get the same type and the same number of features, because
/// a part of a LIBSVM file may have fewer features than the whole.
template <class T>
void rearrange(const RowBalance& balance, int64_t features, Table& table) {
  const std::vector<T> given = stored_rows<T>(table.points(), features);
  table.buffer.reset();
  table.buffer = copy_to_buffer(balance.to_shares<T>(given, features));
  table.type = sizeof(T) == 4 ? ScalarType::float32 : ScalarType::float64;
  table.features = features;
  table.column_major = false;
  table.rows = balance.share().size();
}

/// Turns the rows that this rank has read into its share of the table.
SharedTable share_rows(const Comm& comm, const std::string& name, Table table) {
  const RowBalance balance(comm, table.rows);
  require(balance.n() > 0, "{}: there are no rows", name);
  struct Kind {
    int64_t features;
    int32_t wide, has_truth;
  };
  const bool has_rows = table.rows > 0;
  const Kind mine{table.features, has_rows && table.type == ScalarType::float64, has_rows && !table.truth.empty()};
  Kind all{};
  for (const Kind& kind : comm.gather<Kind>(std::span<const Kind>(&mine, 1)))
    all = {std::max(all.features, kind.features), all.wide | kind.wide, all.has_truth | kind.has_truth};
  require(all.features > 0, "{}: there are no features, only labels", name);
  const bool differs = !balance.is_balanced() || table.features != all.features ||
                       (table.type == ScalarType::float64) != (all.wide != 0);
  if (comm.any(differs && has_rows) || !balance.is_balanced())
    all.wide ? rearrange<double>(balance, all.features, table) : rearrange<float>(balance, all.features, table);
  table.type = all.wide ? ScalarType::float64 : ScalarType::float32;
  table.features = all.features;
  merge_classes(comm, table);
  if (all.has_truth && !balance.is_balanced()) table.truth = balance.to_shares<int32_t>(table.truth, 1);
  table.first_row = balance.share().begin;
  return {std::move(table), balance.n()};
}

}  // namespace

SharedTable read_shared_table(const std::string& path, const ReadOptions& options, const Comm& comm) {
  SharedTable shared;
  if (comm.size() == 1) {
    shared.own = read_table(path, options);
    shared.n = shared.own.rows;
    return shared;
  }
  Table table;
  // Only rank 0 looks at the file first, because a pipe can be read only once.
  int64_t rows = 0;
  bool by_parts = false;
  agree(comm, [&] {
    if (comm.rank() != 0) return;
    if (path == "-") {
      table = read_table(path, options);
    } else if (can_read_parts(path, options)) {
      by_parts = true;
    } else {
      rows = count_rows(path, options);
    }
  });
  by_parts = comm.broadcast<int>(by_parts) != 0;
  rows = comm.broadcast(rows);
  agree(comm, [&] {
    if (path == "-") return;
    ReadOptions mine = options;
    if (by_parts) {
      mine.part = {comm.rank(), comm.size()};
    } else {
      const RowBlocks blocks(rows);
      mine.rows = blocks.rows_of(blocks.blocks_of_rank(comm.rank(), comm.size()));
    }
    table = read_table(path, mine);
  });
  table.format = gather_texts(comm, {table.format}).front();
  return share_rows(comm, path, std::move(table));
}

}  // namespace mbsc
