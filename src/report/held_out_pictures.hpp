// How good the predictions of held-out rows are: scores, how they became better, and whether they mean what they say.
#pragma once

#include <nlohmann/json.hpp>

#include <quasar/run_data.hpp>

namespace quasar::report {

// null: nothing was predicted. Calibration of numbers: how many observations lie in the central interval of each level
// of their predictive law. Of classes: of all (row, class) pairs with a probability in a bin, how many classes were
// observed, against the mean probability in that bin (DeGroot and Fienberg 1983).
nlohmann::ordered_json held_out_pictures(const HeldOutResult& held_out);

}  // namespace quasar::report
