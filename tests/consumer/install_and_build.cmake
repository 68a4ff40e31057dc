# SPDX-License-Identifier: Apache-2.0
# Installs BUILD_DIR under SCRATCH_DIR/prefix, then configures, builds and runs the project in PROJECT_DIR against it.
foreach(name BUILD_DIR PROJECT_DIR SCRATCH_DIR GENERATOR COMPILER BUILD_TYPE)
  if(NOT DEFINED ${name})
    message(FATAL_ERROR "install_and_build.cmake needs -D${name}=...")
  endif()
endforeach()

function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    string(JOIN " " command ${ARGV})
    message(FATAL_ERROR "failed (${result}): ${command}\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE ${SCRATCH_DIR})
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${SCRATCH_DIR}/prefix)
run(${CMAKE_COMMAND} -S ${PROJECT_DIR} -B ${SCRATCH_DIR}/build -G ${GENERATOR}
    -DCMAKE_PREFIX_PATH=${SCRATCH_DIR}/prefix -DCMAKE_CXX_COMPILER=${COMPILER}
    -DCMAKE_BUILD_TYPE=${BUILD_TYPE} "-DCMAKE_CXX_FLAGS=${CXX_FLAGS}")
run(${CMAKE_COMMAND} --build ${SCRATCH_DIR}/build)
run(${SCRATCH_DIR}/build/consumer)
run(${SCRATCH_DIR}/prefix/bin/mbsc --version)
file(REMOVE_RECURSE ${SCRATCH_DIR})
