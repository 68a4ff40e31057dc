// SPDX-License-Identifier: Apache-2.0
// Options by name: the names are those of the command line and the library.
#pragma once

#include <nanobind/nanobind.h>

#include "mbsc/cluster.h"

namespace mbsc::python {

/// Of a dictionary without those that are None; refuses unknown names and values of the wrong type.
ClusterOptions options_of(const nanobind::dict& given);

}  // namespace mbsc::python
