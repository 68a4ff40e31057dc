// SPDX-License-Identifier: Apache-2.0
// The words of options that are choices: one spelling for the command line, the summary and Python.
#pragma once

#include <map>
#include <string>

#include "mbsc/base/require.h"
#include "mbsc/cluster.h"

namespace mbsc {

template <class Enum>
using Words = std::map<std::string, Enum>;

namespace words {

inline const Words<Method> methods{
    {"minibatch", Method::minibatch}, {"nystrom", Method::nystrom}, {"power", Method::power}, {"exact", Method::exact}};
inline const Words<AffinityKind> affinities{{"rbf", AffinityKind::rbf},
                                            {"exponential", AffinityKind::exponential},
                                            {"cosine", AffinityKind::cosine},
                                            {"precomputed", AffinityKind::precomputed}};
inline const Words<DegreeKind> degree_kinds{
    {"exact", DegreeKind::exact}, {"sampled", DegreeKind::sampled}, {"nystrom", DegreeKind::nystrom}};
inline const Words<EmbeddingScale> embedding_scales{
    {"none", EmbeddingScale::none}, {"row", EmbeddingScale::row}, {"degree", EmbeddingScale::degree}};
inline const Words<Estimator> estimators{{"columns", Estimator::columns}, {"signed", Estimator::signs}};
inline const Words<Sampling> samplings{{"reshuffle", Sampling::reshuffle}, {"independent", Sampling::independent}};
inline const Words<StepRule> step_rules{{"ritz", StepRule::ritz}, {"adagrad", StepRule::adagrad}};
inline const Words<ColumnChoice> column_choices{{"importance", ColumnChoice::importance},
                                                {"uniform", ColumnChoice::uniform}};
inline const Words<Start> starts{{"auto", Start::automatic},
                                 {"random", Start::random},
                                 {"nystrom", Start::nystrom},
                                 {"neighbors", Start::neighbors}};
inline const Words<PowerOperator> operators{{"plain", PowerOperator::plain}, {"shifted", PowerOperator::shifted}};
inline const Words<Scaling> scalings{{"none", Scaling::none},
                                     {"unit", Scaling::unit},
                                     {"symmetric", Scaling::symmetric},
                                     {"standard", Scaling::standard}};

}  // namespace words

/// "columns, signed": all there are, after `also`.
template <class Enum>
std::string choices(const Words<Enum>& words, const std::string& also = "") {
  std::string text = also;
  for (const auto& entry : words) text += (text.empty() ? "" : ", ") + entry.first;
  return text;
}

/// Refuses a word that is none of these, naming the option, the choices and the word.
template <class Enum>
Enum value_of(const Words<Enum>& words, const char* option, const std::string& word) {
  const auto found = words.find(word);
  require(found != words.end(), "{} must be one of {}; got '{}'", option, choices(words), word);
  return found->second;
}

template <class Enum>
const std::string& word_of(const Words<Enum>& words, Enum value) {
  auto found = words.begin();
  while (found->second != value) ++found;
  return found->first;
}

}  // namespace mbsc
