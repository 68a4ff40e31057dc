// SPDX-License-Identifier: Apache-2.0
// Uses the installed headers and the installed library; exit code 0 when the answer is right.
#include <cstdio>

#include "mbsc/base/random.h"
#include "mbsc/version.h"

// The one place that calls the library: the public API goes here.
static bool works() {
  const double draw = mbsc::Random(0, mbsc::Stream::test).uniform(0);
  return draw >= 0 && draw < 1;
}

int main() {
  std::printf("mbsc %s\n", mbsc::version);
  return works() ? 0 : 1;
}
