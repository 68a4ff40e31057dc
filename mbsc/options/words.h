// SPDX-License-Identifier: Apache-2.0
// The words that an option accepts if its value is a choice. The command line, Python, the summary and messages use the
// same words, except for those in OptionRow::python_words.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "mbsc/options.h"

namespace mbsc {

template <class Enum>
using Words = std::vector<std::pair<std::string, Enum>>;

namespace words {

inline const Words<AffinityKind> affinities{{"rbf", AffinityKind::rbf},
                                            {"exponential", AffinityKind::exponential},
                                            {"cosine", AffinityKind::cosine},
                                            {"neighbors", AffinityKind::neighbors},
                                            {"landmarks", AffinityKind::landmarks},
                                            {"precomputed", AffinityKind::precomputed}};
inline const Words<Metric> metrics{{"euclidean", Metric::euclidean}, {"cosine", Metric::cosine}};
inline const Words<NeighborWeights> edge_weights{{"gaussian", NeighborWeights::gaussian},
                                                 {"shared", NeighborWeights::shared},
                                                 {"gaussian_shared", NeighborWeights::gaussian_shared},
                                                 {"binary", NeighborWeights::binary},
                                                 {"local", NeighborWeights::local},
                                                 {"fuzzy", NeighborWeights::fuzzy}};
inline const Words<EdgeRule> edge_rules{{"union", EdgeRule::either}, {"mutual", EdgeRule::mutual}};
inline const Words<Symmetrize> symmetrizations{
    {"mean", Symmetrize::mean}, {"max", Symmetrize::max}, {"mutual", Symmetrize::mutual}};
inline const Words<Scaling> scalings{{"none", Scaling::none},
                                     {"unit", Scaling::unit},
                                     {"symmetric", Scaling::symmetric},
                                     {"standard", Scaling::standard}};
inline const Words<DegreeKind> degree_kinds{
    {"exact", DegreeKind::exact}, {"sampled", DegreeKind::sampled}, {"nystrom", DegreeKind::nystrom}};
inline const Words<EmbeddingScale> embedding_scales{
    {"none", EmbeddingScale::none}, {"row", EmbeddingScale::row}, {"degree", EmbeddingScale::degree}};
inline const Words<Cutoff> cutoffs{{"sharp", Cutoff::sharp}, {"soft", Cutoff::soft}};
inline const Words<Assign> assignments{{"kmeans", Assign::kmeans}, {"cluster_qr", Assign::cluster_qr}};
inline const Words<Start> starts{
    {"random", Start::random}, {"nystrom", Start::nystrom}, {"neighbors", Start::neighbors}};
inline const Words<StepRule> step_rules{{"ritz", StepRule::ritz}, {"adagrad", StepRule::adagrad}};
inline const Words<ColumnChoice> column_choices{{"importance", ColumnChoice::importance},
                                                {"uniform", ColumnChoice::uniform}};
inline const Words<Estimator> estimators{{"columns", Estimator::columns}, {"signed", Estimator::signs}};
inline const Words<Sampling> samplings{{"reshuffle", Sampling::reshuffle}, {"independent", Sampling::independent}};
inline const Words<PowerOperator> power_operators{{"plain", PowerOperator::plain}, {"shifted", PowerOperator::shifted}};

}  // namespace words

template <class Enum>
const std::string& word_of(const Words<Enum>& words, Enum value) {
  auto found = words.begin();
  while (found->second != value) ++found;
  return found->first;
}

}  // namespace mbsc
