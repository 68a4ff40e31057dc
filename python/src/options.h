// SPDX-License-Identifier: Apache-2.0
// Options by their Python names, from the option table.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "mbsc/options.h"

namespace mbsc::python {

/// Sets the options in a dictionary of arguments; None is skipped, "auto" is automatic. Throws for unknown names and
/// values of the wrong type.
ClusterOptions options_of(const nanobind::dict& given);

/// A message of the library that begins with the name of an option, with the Python argument instead.
std::string in_python_words(const std::string& message);

/// The table for the documentation of the estimator: one dictionary for each option that is a Python argument.
nanobind::list describe_options();

}  // namespace mbsc::python
