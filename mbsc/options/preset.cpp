// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "mbsc/base/require.h"
#include "mbsc/cluster.h"
#include "mbsc/options/table.h"

namespace mbsc {

void apply_preset(const std::string& preset, int64_t n, ClusterOptions& options) {
  require(preset == "paper", "the only preset is paper; got '{}'", preset);
  options.regularization = 0;
  options.embedding_scale = EmbeddingScale::none;
  if (options.method && *options.method != "minibatch") return;
  options.method = "minibatch";
  options.step_rule = StepRule::adagrad;
  options.guards = 0;
  options.batch_size = std::min<int64_t>(100, n);
  options.start = Start::nystrom;
  options.landmarks = std::min<int64_t>(10, n);
  options.adagrad = AdaGradOptions();
}

}  // namespace mbsc
