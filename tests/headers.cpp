// SPDX-License-Identifier: Apache-2.0
// Builds the precompiled header that all test programs share; it has no tests.
int main() { return 0; }
