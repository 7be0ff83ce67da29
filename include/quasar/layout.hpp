#include "../../src/io/names.hpp"
