#include "../../src/io/run_data.hpp"
