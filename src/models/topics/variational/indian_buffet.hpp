// The probabilities of vibp: an Indian buffet process, cut off at K topics. Either finite,
//
//   pi_k ~ Beta(a / K, 1),
//
// or by sticks, pi_k = prod_{i<=k} v_i with v_i ~ Beta(a, 1). a ~ Gamma in both.
//
// T. Griffiths and Z. Ghahramani, The Indian buffet process, JMLR 12 (2011) 1185-1224; F. Doshi-Velez, K. Miller, J.
// Van Gael and Y. W. Teh, Variational inference for the Indian buffet process, AISTATS 2009.
#pragma once

#include "models/topics/variational/inclusion_law.hpp"
#include "models/topics/variational/laws.hpp"

namespace quasar {

class FiniteBuffet final : public InclusionLaw {
 public:
  FiniteBuffet(Index topics, const GammaPrior& prior);

  void start() override;
  Vec mean_logs() const override;
  Vec mean_log_complements() const override;
  Vec means() const override;
  double bound() const override;
  Index lines() const override { return 2; }
  void line(Index i, In included, double documents) override;
  std::vector<NamedNumber> scalars() const override { return {{"alpha", alpha.mean()}}; }
  void save(Writer& out) const override { fields(*this, out); }
  void load(Reader& in) override { fields(*this, in); }

  std::vector<BetaLaw> pi;
  GammaLaw alpha;  // a

 private:
  static void fields(auto& self, auto&& visit) {
    for (auto& law : self.pi) visit("pi", law);
    visit("alpha", self.alpha);
  }

  GammaPrior prior_;
};

// log(1 - pi_k) = log sum_{y<=k} (1 - v_y) prod_{m<y} v_m >= sum_y q_ky [log(1 - v_y) + sum_{m<y} log v_m - log q_ky]
class StickBuffet final : public InclusionLaw {
 public:
  StickBuffet(Index topics, const GammaPrior& prior);

  void start() override;
  Vec mean_logs() const override;
  Vec mean_log_complements() const override;
  Vec means() const override;
  double bound() const override;
  Index lines() const override { return 3; }
  void line(Index i, In included, double documents) override;
  std::vector<NamedNumber> scalars() const override { return {{"alpha", alpha.mean()}}; }
  void save(Writer& out) const override { fields(*this, out); }
  void load(Reader& in) override { fields(*this, in); }

  std::vector<BetaLaw> v;
  Mat q;  // q_ky: a column for each topic k, zero below its diagonal
  GammaLaw alpha;

 private:
  Vec breaking_logs() const;  // E log(1 - v_y) + sum_{m<y} E log v_m
  void learn_q();
  void learn_v(In included, double documents);
  static void fields(auto& self, auto&& visit) {
    for (auto& law : self.v) visit("v", law);
    visit("q", self.q);
    visit("alpha", self.alpha);
  }

  GammaPrior prior_;
};

}  // namespace quasar
