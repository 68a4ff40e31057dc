// SPDX-License-Identifier: Apache-2.0
// The row of the reader table for LIBSVM's sparse format. A line is `label index:value index:value ... # comment`. The
// indices ascend from 1, and the value of an index that is missing is 0. Chang and Lin, "LIBSVM: a library for support
// vector machines", 2011.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "mbsc/io/number.h"
#include "mbsc/io/text_lines.h"
#include "mbsc/io/text_reader.h"

namespace mbsc {
namespace {

constexpr int64_t largest_index = std::numeric_limits<int32_t>::max();

std::string_view without_comment(std::string_view line) {
  return trim(line.substr(0, std::min(line.find('#'), line.size())));
}

/// Removes the text up to the next space from `text`, and the space too. Returns the removed text without the space.
std::string_view take_token(std::string_view& text) {
  size_t length = 0;
  while (length < text.size() && !is_blank(text[length])) ++length;
  const std::string_view token = text.substr(0, length);
  text = trim(text.substr(length));
  return token;
}

struct Entry {
  int64_t index = 0;
  double value = 0;
};

/// Returns false if the token is not index:value.
bool parse_entry(std::string_view token, Entry& entry) {
  const char* end = token.data() + token.size();
  const auto [colon, error] = std::from_chars(token.data(), end, entry.index);
  if (error != std::errc() || colon == end || *colon != ':') return false;
  return read_number(colon + 1, end, entry.value) == end;
}

void check_entry(std::string_view token, const Entry& entry, int64_t last_index) {
  if (entry.index < 1 || entry.index > largest_index) {
    throw LineError{fmt::format("index {} is not in [1, {}]", entry.index, largest_index)};
  }
  if (entry.index <= last_index) {
    throw LineError{fmt::format("index {} comes after {}; indices must ascend", entry.index, last_index)};
  }
  if (!std::isfinite(entry.value)) {
    throw LineError{shown(token) + " is not allowed: values must be finite"};
  }
}

/// Parses a row. If `to` is null, only checks it.
template <class T>
bool parse_row(std::string_view line, int64_t width, T* to, Label& label) {
  std::string_view rest = without_comment(line);
  label.text = take_token(rest);
  if (label.text.find(':') != std::string_view::npos) {
    throw LineError{"there is no label before " + shown(label.text)};
  }
  if (to != nullptr) std::fill_n(to, width, T{0});
  int64_t last_index = 0;
  bool exact = true;
  while (!rest.empty()) {
    const std::string_view token = take_token(rest);
    Entry entry;
    if (!parse_entry(token, entry)) throw LineError{shown(token) + " is not index:value"};
    check_entry(token, entry, last_index);
    last_index = entry.index;
    // `width` is at least the last index of the line. So after an index above `width`, a smaller one follows: an error.
    if (to != nullptr && entry.index <= width) exact = store(entry.value, to[entry.index - 1]) && exact;
  }
  return exact;
}

class LibsvmParser final : public RowParser {
 public:
  bool has_labels() const override { return true; }
  bool is_row(std::string_view line) const override { return !without_comment(line).empty(); }
  bool fixed_width() const override { return false; }
  /// The last index of the line.
  int64_t width(std::string_view line) const override {
    const std::string_view row = without_comment(line);
    const size_t colon = row.rfind(':');
    if (colon == std::string_view::npos) return 0;
    size_t begin = colon;
    while (begin > 0 && !is_blank(row[begin - 1])) --begin;
    int64_t index = 0;
    std::from_chars(row.data() + begin, row.data() + colon, index);
    return std::clamp<int64_t>(index, 0, largest_index);
  }
  bool parse(std::string_view line, int64_t width, float* to, Label& label) const override {
    return parse_row(line, width, to, label);
  }
  bool parse(std::string_view line, int64_t width, double* to, Label& label) const override {
    return parse_row(line, width, to, label);
  }
};

/// Whether the first line with more than a label has index:value after the label.
bool looks_like_libsvm(std::string_view head) {
  while (!head.empty()) {
    std::string_view rest = without_comment(take_line(head));
    take_token(rest);
    if (rest.empty()) continue;
    Entry entry;
    return parse_entry(take_token(rest), entry);
  }
  return false;
}

Certainty detect(std::string_view head, std::string_view file_name) {
  if (looks_like_libsvm(head)) return Certainty::content;
  const bool has_columns = head.find_first_of(",;\t") != std::string_view::npos;
  for (const std::string_view ending : {".libsvm", ".svm", ".svmlight"})
    if (file_name.ends_with(ending) && !has_columns) return Certainty::name;
  return Certainty::none;
}

TextRows find_rows(std::string&, TextChunks&, const ReadOptions&, const std::string&) {
  TextRows rows;
  rows.parser = std::make_unique<LibsvmParser>();
  rows.format = "libsvm";
  return rows;
}

}  // namespace

const Reader& libsvm_reader() {
  static const Reader reader = text_reader("libsvm", detect, find_rows);
  return reader;
}

}  // namespace mbsc
