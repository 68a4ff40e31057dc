// SPDX-License-Identifier: Apache-2.0
// SharedInput: an input whose rows are distributed over the ranks by whole row blocks. The ranks may pass the rows in
// any other distribution.
#pragma once

#include <memory>
#include <vector>

#include "mbsc/cluster.h"
#include "mbsc/linalg/row_balance.h"

namespace mbsc {

class SharedInput {
 public:
  /// Collective. Copies the rows only if some are on the wrong rank, or if the ranks pass different types.
  SharedInput(const Input& given, const Comm& comm);

  const Input& input() const { return input_; }
  Input& input() { return input_; }
  InputShape shape() const;
  /// Moves labels, vectors and degrees back to the rows that each rank passed in. Collective.
  void give_back(Clustering& result) const;

 private:
  template <class Value>
  void take();

  Input input_;
  RowBalance balance_;
  int ranks_;
  int64_t given_rows_;
  std::shared_ptr<void> owned_;
};

}  // namespace mbsc
