// SPDX-License-Identifier: Apache-2.0
#include "options.h"

#include <nanobind/stl/string.h>

#include <functional>
#include <map>
#include <string>

#include "mbsc/base/require.h"
#include "mbsc/option_words.h"

namespace mbsc::python {
namespace {

namespace nb = nanobind;
using Set = std::function<void(ClusterOptions&, const char* name, nb::handle value)>;

std::string text_of(nb::handle value) { return nb::cast<std::string>(nb::repr(value)); }

template <class T>
T cast(const char* name, nb::handle value, const char* kind) {
  T result{};
  require(nb::try_cast(value, result), "{} must be {}; got {}", name, kind, text_of(value));
  return result;
}

/// A number; what the library checks itself has no least value here.
template <class T, class Member>
Set number(Member member, const char* kind, T least = std::numeric_limits<T>::lowest()) {
  return [=](ClusterOptions& options, const char* name, nb::handle value) {
    const T x = cast<T>(name, value, kind);
    require(x >= least, "{} must be at least {}; got {}", name, least, x);
    member(options) = x;
  };
}
template <class Member>
Set real(Member member) {
  return number<double>(member, "a number");
}
template <class Member>
Set whole(Member member, int64_t least = std::numeric_limits<int64_t>::lowest()) {
  return number<int64_t>(member, "a whole number", least);
}
template <class Member>
Set flag(Member member) {
  return [=](ClusterOptions& options, const char* name, nb::handle value) {
    member(options) = cast<bool>(name, value, "True or False");
  };
}
template <class Enum, class Member>
Set word(const Words<Enum>& words, Member member) {
  return [&words, member](ClusterOptions& options, const char* name, nb::handle value) {
    require(nb::isinstance<nb::str>(value), "{} must be one of {}; got {}", name, choices(words), text_of(value));
    member(options) = value_of(words, name, nb::cast<std::string>(value));
  };
}

#define MBSC_OPTION(member) \
  [](ClusterOptions & o) -> auto& { return o.member; }

const std::map<std::string, Set>& setters() {
  static const std::map<std::string, Set> all{
      {"clusters", whole(MBSC_OPTION(clusters))},
      {"method", word(words::methods, MBSC_OPTION(method))},
      {"affinity", word(words::affinities, MBSC_OPTION(affinity))},
      {"gamma", real(MBSC_OPTION(gamma))},
      {"degrees", word(words::degree_kinds, MBSC_OPTION(degrees))},
      {"degree_columns", whole(MBSC_OPTION(degree_columns), 1)},
      {"regularization", real(MBSC_OPTION(regularization))},
      {"embedding_scale", word(words::embedding_scales, MBSC_OPTION(embedding_scale))},
      {"restarts", number<int>(MBSC_OPTION(restarts), "a whole number")},
      {"seed", number<uint64_t>(MBSC_OPTION(seed), "a whole number, not negative")},
      {"threads", number<int>(MBSC_OPTION(threads), "a whole number", 0)},
      {"memory", whole(MBSC_OPTION(memory), 0)},
      {"passes", real(MBSC_OPTION(solver.passes))},
      {"iterations", whole(MBSC_OPTION(solver.iterations))},
      {"seconds", real(MBSC_OPTION(solver.seconds))},
      {"tolerance", real(MBSC_OPTION(solver.tolerance))},
      {"stall", real(MBSC_OPTION(solver.stall))},
      {"start", word(words::starts, MBSC_OPTION(solver.start))},
      {"step_rule", word(words::step_rules, MBSC_OPTION(solver.step_rule))},
      {"guards", whole(MBSC_OPTION(solver.guards))},
      {"columns", word(words::column_choices, MBSC_OPTION(solver.columns))},
      {"control_variate", flag(MBSC_OPTION(solver.control_variate))},
      {"polish", flag(MBSC_OPTION(solver.polish))},
      {"estimator", word(words::estimators, MBSC_OPTION(solver.estimator))},
      {"sampling", word(words::samplings, MBSC_OPTION(solver.sampling))},
      {"batch_size", whole(MBSC_OPTION(solver.batch_size), 1)},
      {"nonzeros", whole(MBSC_OPTION(solver.nonzeros))},
      {"probability", real(MBSC_OPTION(solver.probability))},
      {"step", real(MBSC_OPTION(solver.step))},
      {"epsilon", real(MBSC_OPTION(solver.epsilon))},
      {"landmarks", whole(MBSC_OPTION(solver.landmarks), 1)},
      {"power_operator", word(words::operators, MBSC_OPTION(solver.power_operator))},
      {"block_size", whole(MBSC_OPTION(solver.block_size), 1)},
      {"basis_size", whole(MBSC_OPTION(solver.basis_size), 1)},
  };
  return all;
}

#undef MBSC_OPTION

}  // namespace

ClusterOptions options_of(const nb::dict& given) {
  ClusterOptions options;
  for (const auto& [key, value] : given) {
    if (value.is_none()) continue;
    const std::string name = nb::cast<std::string>(key);
    const auto found = setters().find(name);
    require(found != setters().end(), "there is no option {}", name);
    found->second(options, name.c_str(), value);
  }
  require(!options.gamma || options.affinity == AffinityKind::rbf || options.affinity == AffinityKind::exponential,
          "gamma goes with the affinities rbf and exponential only");
  return options;
}

}  // namespace mbsc::python
