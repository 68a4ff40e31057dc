// SPDX-License-Identifier: Apache-2.0
// mbsc score: how well two files of labels agree.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/commands.h"
#include "mbsc/base/require.h"
#include "mbsc/metrics.h"
#include "mbsc/read.h"

namespace mbsc::cli {
namespace {

struct ScoreFlags {
  std::string left, right;
  bool json = false;
};

int run(const ScoreFlags& flags) {
  const LabelFile left = read_labels(flags.left), right = read_labels(flags.right);
  require(left.labels.size() == right.labels.size(), "{} has {} labels, but {} has {}", flags.left, left.labels.size(),
          flags.right, right.labels.size());
  const Scores s = score_labels(left.labels, right.labels);
  if (flags.json) {
    const nlohmann::ordered_json j{{"n", left.labels.size()},
                                   {"nmi", s.nmi},
                                   {"nmi_geometric", s.nmi_geometric},
                                   {"ari", s.ari},
                                   {"accuracy", s.accuracy}};
    fmt::print("{}\n", j.dump(2));
  } else {
    fmt::print("nmi            {:.6f}\nnmi_geometric  {:.6f}\nari            {:.6f}\naccuracy       {:.6f}\n", s.nmi,
               s.nmi_geometric, s.ari, s.accuracy);
  }
  return done;
}

}  // namespace

Command add_score(CLI::App& app) {
  CLI::App* command = app.add_subcommand("score", "compare two files of labels");
  const auto flags = std::make_shared<ScoreFlags>();
  command->add_option("truth", flags->left, "file of the true labels, one per line")->required();
  command->add_option("labels", flags->right, "file of the labels to score, one per line")->required();
  command->add_flag("--json", flags->json, "print JSON");
  return [flags](const Comm& comm) { return comm.rank() == 0 ? run(*flags) : int(done); };  // one rank is enough
}

}  // namespace mbsc::cli
