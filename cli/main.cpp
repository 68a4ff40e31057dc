// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "mbsc/version.h"

int main() { std::printf("mbsc %s\n", mbsc::version); }
