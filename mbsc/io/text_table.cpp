// SPDX-License-Identifier: Apache-2.0
#include "mbsc/io/text_table.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "mbsc/base/parallel.h"
#include "mbsc/base/require.h"
#include "mbsc/io/class_index.h"
#include "mbsc/io/growing_values.h"
#include "mbsc/io/row_range.h"
#include "mbsc/io/text_lines.h"

namespace mbsc {
namespace {

/// Lines of a chunk that one thread parses.
struct Piece {
  std::string_view text;
  int64_t first_line = 0;
  int64_t first_row = 0;
  int64_t lines = 0;
  int64_t rows = 0;
  int64_t width = 0;            ///< the number of values in its longest row
  bool exact = true;            ///< all values are exact in the type of the table
  std::vector<int32_t> labels;  ///< of the rows that are kept; indices into `classes`
  ClassIndex classes;
  std::optional<std::string> error;
};

/// Splits a text into about `count` pieces of whole lines.
std::vector<Piece> split(std::string_view text, int count) {
  std::vector<Piece> pieces;
  const size_t target = text.size() / static_cast<size_t>(count) + 1;
  while (!text.empty()) {
    const size_t newline = text.find('\n', std::min(target, text.size()) - 1);
    const size_t length = newline == std::string_view::npos ? text.size() : newline + 1;
    pieces.emplace_back().text = text.substr(0, length);
    text.remove_prefix(length);
  }
  return pieces;
}

class TextTableReader {
 public:
  TextTableReader(const RowParser& parser, const ReadOptions& options, const std::string& name, int64_t first_line)
      : parser_(parser),
        options_(options),
        name_(name),
        values_(name),
        wanted_(options.rows.value_or(Range{0, std::numeric_limits<int64_t>::max()})),
        next_line_(first_line) {}

  /// Parses the lines of a chunk. Meanwhile one thread reads the next chunk.
  void read(std::string_view text, TextChunks& chunks) {
    const int pieces_per_thread = options_.threads > 1 ? 4 : 1;
    std::vector<Piece> pieces = split(text, std::max(options_.threads, 1) * pieces_per_thread);
    each(pieces, [this](Piece& piece) { measure(piece); });
    const int64_t before = kept_rows();
    int64_t width = width_;
    for (Piece& piece : pieces) {
      piece.first_line = next_line_;
      piece.first_row = next_row_;
      next_line_ += piece.lines;
      next_row_ += piece.rows;
      width = std::max(width, piece.width);
    }
    if (width > width_) lengthen(pieces, before, width);
    if (kept_rows() == before) return;
    values_.reserve(kept_rows() * width_);
    parse(pieces, before, chunks);
    for (Piece& piece : pieces) merge_labels(piece);
  }

  /// Whether the result is known without the rest of the file.
  bool complete() const { return next_row_ >= wanted_.end && parser_.fixed_width(); }

  Table finish() {
    // A part may have no rows and no features. The caller checks whether all parts together have some.
    require(next_row_ > 0 || options_.part, "{}: there are no rows", name_);
    const Range range = checked_rows(options_, next_row_, name_);
    require(width_ > 0 || options_.part, "{}: there are no features, only labels", name_);
    Table table;
    table.rows = range.size();
    table.features = width_;
    table.first_row = range.begin;
    table.type = values_.type();
    table.buffer = values_.release(table.rows * table.features);
    table.truth = std::move(truth_);
    table.class_names = classes_.release();
    sort_integer_classes(table.truth, table.class_names);
    return table;
  }

 private:
  template <class Work>
  void each(std::vector<Piece>& pieces, Work&& work) const {
    parallel_for(options_.threads, static_cast<int64_t>(pieces.size()),
                 [&](int64_t p) { work(pieces[static_cast<size_t>(p)]); });
  }

  /// The number of rows so far that belong to the table.
  int64_t kept_rows() const { return std::clamp(next_row_, wanted_.begin, wanted_.end) - wanted_.begin; }

  /// Counts lines and rows, and finds the width.
  void measure(Piece& piece) const {
    std::string_view text = piece.text;
    while (!text.empty()) {
      const std::string_view line = take_line(text);
      ++piece.lines;
      if (!parser_.is_row(line)) continue;
      ++piece.rows;
      piece.width = std::max(piece.width, parser_.width(line));
    }
  }

  /// Gives all rows the new width. An invalid line may have an extremely large width, so all lines are checked before
  /// memory is allocated.
  void lengthen(std::vector<Piece>& pieces, int64_t rows, int64_t width) {
    if (!parser_.fixed_width()) {
      each(pieces, [this](Piece& piece) { parse_lines<float>(piece, nullptr); });
      throw_first_error(pieces);
    }
    values_.lengthen_rows(rows, width_, width);
    width_ = width;
  }

  void parse(std::vector<Piece>& pieces, int64_t rows_before, TextChunks& chunks) {
    // Task 0 reads the next chunk; task p parses piece p - 1.
    parallel_for(options_.threads, static_cast<int64_t>(pieces.size()) + 1, [&](int64_t p) {
      if (p > 0) {
        parse_piece(pieces[static_cast<size_t>(p - 1)]);
      } else if (!complete()) {
        chunks.read_ahead();
      }
    });
    if (!std::all_of(pieces.begin(), pieces.end(), [](const Piece& piece) { return piece.exact; })) {
      values_.widen(rows_before * width_);
      each(pieces, [this](Piece& piece) { parse_piece(piece); });
    }
    throw_first_error(pieces);
  }

  void parse_piece(Piece& piece) {
    if (values_.type() == ScalarType::float32) {
      parse_lines(piece, values_.float32());
    } else {
      parse_lines(piece, values_.float64());
    }
  }

  /// Parses the rows of a piece that are kept. If `values` is null, only checks them.
  template <class T>
  void parse_lines(Piece& piece, T* values) const {
    piece.labels.clear();
    piece.exact = true;
    std::string_view text = piece.text;
    int64_t line_number = piece.first_line - 1;
    int64_t row = piece.first_row - 1;
    Label label;
    try {
      while (!text.empty() && row + 1 < wanted_.end) {
        const std::string_view line = take_line(text);
        ++line_number;
        if (!parser_.is_row(line)) continue;
        if (++row < wanted_.begin) continue;
        T* to = values == nullptr ? nullptr : values + (row - wanted_.begin) * width_;
        if (!parser_.parse(line, width_, to, label)) {
          piece.exact = false;
          return;
        }
        if (parser_.has_labels()) piece.labels.push_back(piece.classes.index_of(label.text));
      }
    } catch (const LineError& error) {
      const std::string column = error.column > 0 ? fmt::format(", column {}", error.column) : "";
      piece.error = fmt::format("{}:{}{}: {}", name_, line_number, column, error.message);
    }
  }

  void throw_first_error(const std::vector<Piece>& pieces) const {
    for (const Piece& piece : pieces) {
      if (piece.error) throw InvalidInput(*piece.error);
    }
  }

  /// Appends the labels of a piece, with the class numbers of the table.
  void merge_labels(const Piece& piece) {
    std::vector<int32_t> numbers;
    for (const std::string& name : piece.classes.names()) numbers.push_back(classes_.index_of(name));
    for (const int32_t label : piece.labels) truth_.push_back(numbers[static_cast<size_t>(label)]);
  }

  const RowParser& parser_;
  const ReadOptions& options_;
  const std::string& name_;
  GrowingValues values_;
  Range wanted_;       ///< the rows of the file that belong to the table
  int64_t next_line_;  ///< the number of the next line of the file
  int64_t next_row_ = 0;
  int64_t width_ = 0;
  ClassIndex classes_;
  std::vector<int32_t> truth_;
};

}  // namespace

Table read_text_table(TextChunks& chunks, std::string text, int64_t first_line, const RowParser& parser,
                      const ReadOptions& options, const std::string& name) {
  checked_rows(options, std::numeric_limits<int64_t>::max(), name);  // the number of rows is not known yet
  TextTableReader reader(parser, options, name, first_line);
  do {
    if (options.stop.stop_requested()) throw Stopped();
    reader.read(text, chunks);
  } while (!reader.complete() && chunks.next(text));
  return reader.finish();
}

}  // namespace mbsc
