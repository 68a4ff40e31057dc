// SPDX-License-Identifier: Apache-2.0
// The row of the reader table for Matrix Market files. Boisvert, Pozo, Remington, "The Matrix Market exchange formats:
// initial design", 1996. A file is
//     %%MatrixMarket matrix coordinate real symmetric      a header: format, type of the values, symmetry
//     % any number of comments
//     34 34 78                                             rows, columns, entries
//     2 1 0.5                                              row and column, counted from 1, and a weight
// The format `coordinate` has a line for each entry, `array` a line for each value of a dense matrix, column by column.
// A pattern has no weights; they are 1. The weights of an integer matrix must be integers. Each entry of a symmetric
// matrix is also the entry of the transposed place, on whichever side of the diagonal it is. Blank lines and comments
// may be anywhere.
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <functional>

#include "mbsc/base/require.h"
#include "mbsc/io/graph_builder.h"
#include "mbsc/io/number.h"
#include "mbsc/io/numbered_lines.h"
#include "mbsc/io/reader.h"
#include "mbsc/io/row_parser.h"

namespace mbsc {
namespace {

constexpr std::string_view banner = "%%matrixmarket";

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = char(c - 'A' + 'a');
  return lower;
}

/// Calls use(row, column, weight) for each entry, counted from 0, in the order of the file.
class MtxFile {
 public:
  using Use = std::function<bool(int32_t row, int32_t column, double weight)>;

  explicit MtxFile(InputStream& stream) : name_(stream.name()), lines_(stream) {
    read_banner();
    read_sizes();
  }

  int64_t nodes() const { return nodes_; }
  bool is_symmetric() const { return is_symmetric_; }
  int64_t line() const { return lines_.number(); }

  /// Stops if use() returns false.
  void read_entries(const Use& use) {
    std::string_view line;
    int64_t found = 0;
    int32_t row = 0, column = 0;  // of the next value of an array
    while (next_line(line)) {
      if (found == entries_) lines_.fail(fmt::format("there must be {} entries; this is one more", entries_));
      ++found;
      double weight = 1;
      try {
        if (is_array_) {
          weight = take_weight(line);
        } else {
          row = take_index(line, "row");
          column = take_index(line, "column");
          if (!is_pattern_) weight = take_weight(line);
        }
        if (!line.empty()) throw LineError{fmt::format("{} is one column too many", shown(line))};
      } catch (const LineError& error) {
        lines_.fail(error.message);
      }
      const bool is_stored = !is_array_ || weight > 0;
      if (is_stored && !use(row, column, weight)) return;
      if (is_array_ && ++row == nodes_) row = is_symmetric_ ? ++column : (++column, 0);
    }
    if (found < entries_) lines_.fail(fmt::format("the file ends after {} of {} entries", found, entries_));
  }

 private:
  /// The next line that is neither blank nor a comment.
  bool next_line(std::string_view& line) {
    while (lines_.next(line))
      if (!line.empty() && line.front() != '%') return true;
    return false;
  }

  void require_word(bool is_known, const std::string& what, const std::string& word, const char* known) const {
    if (!is_known) lines_.fail(fmt::format("the {} must be {}; got {}", what, known, shown(word)));
  }

  void read_banner() {
    std::string_view line;
    lines_.next(line);
    const std::string text = lower_case(line);
    std::string_view rest = text;
    if (take_word(rest) != banner) lines_.fail("the header must begin with %%MatrixMarket; got " + shown(line));
    const std::string object(take_word(rest)), format(take_word(rest)), type(take_word(rest)),
        symmetry(take_word(rest));
    require_word(object == "matrix", "object", object, "matrix");
    require_word(format == "coordinate" || format == "array", "format", format, "coordinate or array");
    is_array_ = format == "array";
    is_pattern_ = type == "pattern";
    const bool is_number = type == "real" || type == "double" || type == "integer" || type == "unsigned-integer";
    require_word(is_number || (is_pattern_ && !is_array_), "type of the values", type,
                 is_array_ ? "real or integer" : "real, integer or pattern");
    require_word(symmetry == "general" || symmetry == "symmetric", "symmetry", symmetry, "general or symmetric");
    is_symmetric_ = symmetry == "symmetric";
    is_integer_ = type == "integer" || type == "unsigned-integer";
    if (!rest.empty())
      lines_.fail(fmt::format("the header has four words after %%MatrixMarket; {} is one more", shown(rest)));
  }

  void read_sizes() {
    std::string_view line;
    if (!next_line(line)) lines_.fail("the file ends before the line of the sizes");
    const std::string all(line);
    const int64_t rows = take_size(line, all), columns = take_size(line, all);
    if (!is_array_) entries_ = take_size(line, all);
    if (!line.empty()) fail_sizes(all);
    if (rows != columns)
      lines_.fail(fmt::format("the matrix of a graph must be square; this one is {} x {}", rows, columns));
    check_nodes(rows, fmt::format("{}:{}", name_, lines_.number()));
    nodes_ = rows;
    if (is_array_) entries_ = is_symmetric_ ? rows * (rows + 1) / 2 : rows * rows;
  }

  [[noreturn]] void fail_sizes(const std::string& line) const {
    lines_.fail(fmt::format("the sizes must be {}; got {}",
                            is_array_ ? "rows and columns" : "rows, columns and entries", shown(line)));
  }

  int64_t take_size(std::string_view& line, const std::string& all) const {
    const std::string_view word = take_word(line);
    int64_t size = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), size);
    if (error != std::errc() || end != word.data() + word.size() || size < 0) fail_sizes(all);
    return size;
  }

  double take_weight(std::string_view& line) const {
    const std::string_view word = take_word(line);
    const double weight = parse_weight(word);
    if (is_integer_ && weight != std::floor(weight))
      throw LineError{fmt::format("the weight {} is not an integer, but the header says integer", shown(word))};
    return weight;
  }

  int32_t take_index(std::string_view& line, const char* what) const {
    const std::string_view word = take_word(line);
    int64_t index = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), index);
    if (word.empty()) throw LineError{fmt::format("there is no {}", what)};
    if (error == std::errc::invalid_argument || end != word.data() + word.size())
      throw LineError{fmt::format("the {} {} is not an integer", what, shown(word))};
    if (error != std::errc() || index < 1 || index > nodes_)
      throw LineError{fmt::format("the {} {} is not in [1, {}]", what, word, nodes_)};
    return int32_t(index - 1);
  }

  std::string name_;
  NumberedLines lines_;
  bool is_array_ = false, is_pattern_ = false, is_integer_ = false, is_symmetric_ = false;
  int64_t nodes_ = 0, entries_ = 0;
};

GraphFile read_mtx(InputStream& stream, const ReadOptions&) {
  MtxFile file(stream);
  GraphBuilder builder;
  file.read_entries([&](int32_t row, int32_t column, double weight) {
    builder.add(row, column, weight);
    if (file.is_symmetric() && row != column) builder.add(column, row, weight);
    return true;
  });
  return {builder.build(file.nodes(), stream.name()), {}, "mtx"};
}

std::optional<int64_t> find_line_of(InputStream& stream, int64_t row, int64_t column) {
  MtxFile file(stream);
  std::optional<int64_t> line;
  file.read_entries([&](int32_t i, int32_t j, double) {
    if (i == row && j == column) line = file.line();
    return !line;
  });
  return line;
}

Certainty detect(std::string_view head, std::string_view file_name) {
  if (lower_case(head.substr(0, banner.size())) == banner) return Certainty::magic;
  return file_name.ends_with(".mtx") ? Certainty::name : Certainty::none;
}

}  // namespace

const Reader& mtx_reader() {
  static const Reader reader = {
      .name = "mtx", .is_text = true, .detect = detect, .read_graph = read_mtx, .find_line = find_line_of};
  return reader;
}

}  // namespace mbsc
