// SPDX-License-Identifier: Apache-2.0
#include "mbsc/flow/choose_affinity.h"

#include "mbsc/base/require.h"
#include "mbsc/options/table.h"

namespace mbsc {
namespace {

/// The method that is chosen for a graph of points.
std::string method_of(AffinityKind kind) { return kind == AffinityKind::landmarks ? "transfer" : "chebyshev"; }

/// The first given option that speaks against this affinity; null if there is none.
const OptionRow* find_objection(const ClusterOptions& given, AffinityKind kind) {
  static const ClusterOptions defaults;
  const bool is_graph = kind == AffinityKind::neighbors || kind == AffinityKind::landmarks;
  ClusterOptions trial = given;
  trial.affinity = kind;
  for (const OptionRow& row : option_rows()) {
    if (row.get(given) == row.get(defaults)) continue;
    if (row.condition && row.condition->option == "affinity" && !meets_condition(row, trial)) return &row;
    if (row.name == "method" && (is_graph ? given.method != method_of(kind) : given.method == "transfer")) return &row;
    if (row.name == "landmarks" && kind == AffinityKind::neighbors) return &row;
    if (is_graph && !applies(row, find_solver(method_of(kind), StepRule::ritz))) return &row;
  }
  return nullptr;
}

std::string describe(const OptionRow& row, const ClusterOptions& given) {
  return row.name == "method" ? fmt::format("method is {}", *given.method) : fmt::format("{} is given", row.name);
}

}  // namespace

bool is_possible(const ClusterOptions& given, AffinityKind kind) { return find_objection(given, kind) == nullptr; }

AffinityChoice choose_affinity(const InputShape& shape, const ClusterOptions& given) {
  if (shape.kind != Input::Kind::points)
    return {AffinityKind::precomputed,
            shape.kind == Input::Kind::graph ? "the input is a graph" : "the input is a matrix of affinities"};
  // `neighbors` has a meaning for both graphs. Unless another option needs landmarks, the neighbor graph is meant.
  const bool is_large = shape.n > most_points_of_neighbors && !given.neighbors;
  const AffinityKind first = is_large ? AffinityKind::landmarks : AffinityKind::neighbors,
                     second = is_large ? AffinityKind::neighbors : AffinityKind::landmarks;
  const OptionRow* objection = find_objection(given, first);
  if (objection == nullptr && !is_large && shape.n > most_points_of_neighbors) return {first, "neighbors is given"};
  if (objection == nullptr)
    return {first, fmt::format("there are {} {} points", is_large ? "more than" : "at most", most_points_of_neighbors)};
  const std::string reason = describe(*objection, given);
  if (is_possible(given, second)) return {second, reason};
  const OptionRow* other = find_objection(given, AffinityKind::rbf);
  if (other == nullptr) return {AffinityKind::rbf, reason};
  if (other == objection) other = find_objection(given, second);
  throw InvalidInput(fmt::format("affinity must be given, because {} and {} do not choose the same one",
                                 objection->name, other->name));
}

}  // namespace mbsc
