// SPDX-License-Identifier: Apache-2.0
// The row of the reader table for edge lists: a line for each edge, with the ids of its two nodes and, optionally, its
// weight. The columns are separated by commas, tabs, semicolons or blanks, whichever the first edge has (in this order).
// '#' or '%' begins a line of comment. An id is any text without the separator. The nodes are those that occur. They are
// numbered in the order of their first occurrence, or in ascending order if all ids are integers.
// The edges have no direction. The weights of edges with the same two nodes are added, whichever node comes first. An
// edge from a node to itself adds the node to the graph and nothing else.
// Two or three columns of numbers could also be points, so the content does not tell that a file is an edge list: its
// name must end in .edges or .edgelist, or the format must be given.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <numeric>
#include <optional>

#include "mbsc/io/class_index.h"
#include "mbsc/io/graph_builder.h"
#include "mbsc/io/number.h"
#include "mbsc/io/numbered_lines.h"
#include "mbsc/io/reader.h"
#include "mbsc/io/row_parser.h"
#include "mbsc/io/text_lines.h"

namespace mbsc {
namespace {

/// The separator of the columns; ' ' means any number of blanks.
char separator_of(std::string_view line) {
  for (const char separator : {',', '\t', ';'})
    if (line.find(separator) != std::string_view::npos) return separator;
  return ' ';
}

/// Splits a line into its columns.
void split(std::string_view line, char separator, std::vector<std::string_view>& cells) {
  cells.clear();
  if (separator == ' ') {
    while (!line.empty()) cells.push_back(take_word(line));
    return;
  }
  while (true) {
    const size_t end = std::min(line.find(separator), line.size());
    cells.push_back(trim(line.substr(0, end)));
    if (end == line.size()) return;
    line.remove_prefix(end + 1);
  }
}

/// Throws LineError unless these are the columns of an edge.
void check_columns(const std::vector<std::string_view>& cells, size_t columns, int64_t first_line) {
  if (cells.size() != 2 && cells.size() != 3)
    throw LineError{fmt::format("an edge has 2 or 3 columns (two nodes and a weight); this line has {}", cells.size())};
  if (cells.size() != columns)
    throw LineError{fmt::format("this line has {} columns, but line {} has {}", cells.size(), first_line, columns)};
  for (size_t c = 0; c < 2; ++c)
    if (cells[c].empty()) throw LineError{fmt::format("column {}, the id of a node, is empty", c + 1)};
}

/// The new number of each node if all ids are integers: their ascending order. Nothing otherwise, and if two different
/// texts are the same integer.
std::optional<std::vector<int32_t>> integer_order(const std::vector<std::string>& ids) {
  std::vector<int64_t> values;
  for (const std::string& id : ids) {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), value);
    if (error != std::errc() || end != id.data() + id.size()) return std::nullopt;
    values.push_back(value);
  }
  std::vector<int32_t> order(ids.size()), number(ids.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) { return values[size_t(a)] < values[size_t(b)]; });
  for (size_t place = 0; place < order.size(); ++place) {
    number[size_t(order[place])] = int32_t(place);
    if (place > 0 && values[size_t(order[place])] == values[size_t(order[place - 1])]) return std::nullopt;
  }
  return number;
}

/// The edges of a file, in its order.
struct Edges {
  std::vector<int32_t> from, to;
  std::vector<double> weights;
  std::vector<std::string> ids;
};

Edges read_lines(NumberedLines& lines) {
  Edges edges;
  ClassIndex nodes;
  std::vector<std::string_view> cells;
  char separator = ' ';
  size_t columns = 0;
  int64_t first_line = 0;
  for (std::string_view line; lines.next(line);) {
    if (line.empty() || line.front() == '#' || line.front() == '%') continue;
    if (first_line == 0) separator = separator_of(line);
    split(line, separator, cells);
    if (first_line == 0) columns = cells.size(), first_line = lines.number();
    try {
      check_columns(cells, columns, first_line);
      if (columns == 3) edges.weights.push_back(parse_weight(cells[2]));
    } catch (const LineError& error) {
      lines.fail(error.message);
    }
    if (nodes.names().size() > size_t(std::numeric_limits<int32_t>::max()) - 2) lines.fail("there are too many nodes");
    edges.from.push_back(nodes.index_of(cells[0]));
    edges.to.push_back(nodes.index_of(cells[1]));
  }
  if (first_line == 0) lines.fail("there are no edges, only comments and blank lines");
  edges.ids = nodes.release();
  return edges;
}

GraphFile read_edges(InputStream& stream, const ReadOptions&) {
  NumberedLines lines(stream);
  Edges edges = read_lines(lines);
  if (const auto number = integer_order(edges.ids)) {
    for (int32_t& node : edges.from) node = (*number)[size_t(node)];
    for (int32_t& node : edges.to) node = (*number)[size_t(node)];
    std::vector<std::string> sorted(edges.ids.size());
    for (size_t i = 0; i < edges.ids.size(); ++i) sorted[size_t((*number)[i])] = std::move(edges.ids[i]);
    edges.ids = std::move(sorted);
  }
  GraphBuilder builder;
  for (size_t e = 0; e < edges.from.size(); ++e) {
    const double weight = edges.weights.empty() ? 1 : edges.weights[e];
    builder.add(edges.from[e], edges.to[e], weight);
    if (edges.from[e] != edges.to[e]) builder.add(edges.to[e], edges.from[e], weight);
  }
  const auto nodes = int64_t(edges.ids.size());
  return {builder.build(nodes, stream.name()), std::move(edges.ids), "edges"};
}

Certainty detect(std::string_view, std::string_view file_name) {
  return file_name.ends_with(".edges") || file_name.ends_with(".edgelist") ? Certainty::name : Certainty::none;
}

}  // namespace

const Reader& edges_reader() {
  static const Reader reader = {.name = "edges", .is_text = true, .detect = detect, .read_graph = read_edges};
  return reader;
}

}  // namespace mbsc
