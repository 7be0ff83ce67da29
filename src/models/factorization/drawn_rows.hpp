// Rows of users and items given one recorded draw: those that were fitted as they were recorded, those of newcomers
// drawn, from the prior of that draw or given the ratings they come with.
//
// A newcomer's row is named by the label, so that it is the same wherever the label stands and whoever else is new.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <quasar/config.hpp>
#include <quasar/core.hpp>
#include <quasar/rng.hpp>

#include "models/factorization/factorization.hpp"
#include "models/factorization/newcomers.hpp"
#include "models/factorization/recorded_order.hpp"
#include "models/factorization/row_conditional.hpp"
#include "models/factorization/row_prior.hpp"

namespace quasar {

// DataError: the draws of a run are not recorded as this model records them.
void require_recorded_order(const Config& config, const ConstantData& constants, const Layout& layout,
                            const std::string& run_name);

class DrawnRows {
 public:
  DrawnRows(const Config& config, std::shared_ptr<const KnownAndNew> rows);  // parameters of bpmf or mf
  DrawnRows(const DrawnRows& other);

  // The draw must stay where it is while its rows are asked for. Costs nothing by itself.
  void take(std::span<const double> draw, const Rng& rng);

  double expected(Index user, Index item);      // rating: center + scale (U'V + a + b)
  void expected_of_items(Index user, Out out);  // likewise, of all items: those that were fitted, then new ones
  double sigma() const { return sigma_; }       // of a rating around it
  const KnownAndNew& rows() const { return *rows_; }

 private:
  struct Row {
    Eigen::Map<const Vec> factors;
    double bias;
  };
  struct Side {
    std::string name;
    const KeptSide& kept;
    const Newcomers& newcomers;
    std::unique_ptr<RowPrior> prior;
    Index recorded_prior = 0;  // numbers of the draw
    const double *factors = nullptr, *biases = nullptr, *hyper = nullptr;
    bool law_known = false;
    RowLaw law = {};
    Mat drawn = {};  // a column for each newcomer
    std::vector<char> is_drawn = {};
    Index known() const { return std::ssize(kept.labels); }
  };
  DrawnRows(FactorizationSetup setup, std::shared_ptr<const KnownAndNew> rows);
  Side make_side(std::unique_ptr<RowPrior> prior, const std::string& name, const KeptSide& kept,
                 const Newcomers& newcomers) const;
  Side copy_of(const Side& side) const;
  struct Places {  // of one side in a draw
    Index prior, biases, factors;
  };
  static void take_side(Side& side, const double* draw, const Places& at);
  Row row(Side& side, const Side& other, Index place);
  void draw_newcomer(Side& side, const Side& other, Index i);
  const RowLaw& law(Side& side) const;

  std::shared_ptr<const KnownAndNew> rows_;
  FactorizationSettings settings_;
  Side users_, items_;
  RowConditional conditional_;
  double sigma_ = 1;
  Rng rng_{0};
};

}  // namespace quasar
