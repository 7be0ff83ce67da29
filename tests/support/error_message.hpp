// The message of the error that a call throws; the test fails when it throws none, or one of another kind.
#pragma once

#include <gtest/gtest.h>

#include <exception>
#include <string>

namespace quasar::test {

template <class Error, class Call>
std::string error_message(Call&& call) {
  try {
    call();
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    return error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "another kind of error: " << error.what();
  }
  return {};
}

}  // namespace quasar::test
