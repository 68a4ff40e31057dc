// SPDX-License-Identifier: Apache-2.0
// Options by their Python names, from the option table.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "mbsc/options.h"

namespace mbsc::python {

/// The options that a dictionary of arguments sets. None is skipped; "auto" means automatic. Throws InvalidInput if a
/// name is unknown or a value has the wrong type.
ClusterOptions options_of(const nanobind::dict& given);

/// A message of the library with Python's names and words of options: at its beginning, and wherever it has
/// `name = word`.
std::string in_python_words(const std::string& message);

/// The table for the documentation of the estimator: one dictionary for each option that is a Python argument.
nanobind::list describe_options();

}  // namespace mbsc::python
