# SPDX-License-Identifier: Apache-2.0
# Defines mbsc::mbsc by libmbsc.a in MBSC_PREBUILT, a build folder of the same sources.
add_library(mbsc STATIC IMPORTED)
add_library(mbsc::mbsc ALIAS mbsc)
set_target_properties(mbsc PROPERTIES IMPORTED_LOCATION ${MBSC_PREBUILT}/mbsc/libmbsc.a)
target_compile_features(mbsc INTERFACE cxx_std_20)
target_include_directories(mbsc INTERFACE ${PROJECT_SOURCE_DIR} ${MBSC_PREBUILT}/generated)
target_link_libraries(mbsc INTERFACE Eigen3::Eigen fmt::fmt Threads::Threads hwy::hwy FastFloat::fast_float
                      nlohmann_json::nlohmann_json ZLIB::ZLIB)
