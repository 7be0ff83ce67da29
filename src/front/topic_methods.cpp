#include "front/topic_methods.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <quasar/errors.hpp>

#include "models/topics/gamma_gp.hpp"
#include "models/topics/gamma_nb.hpp"
#include "models/topics/nb_lda.hpp"
#include "models/topics/sgp.hpp"
#include "models/topics/vbp.hpp"
#include "models/topics/vgp.hpp"
#include "models/topics/vgp_svi.hpp"
#include "models/topics/vibp.hpp"
#include "models/topics/vngp.hpp"
#include "samplers/stochastic_topics.hpp"

namespace quasar {
namespace {

constexpr std::string_view gibbs = "every conditional law is drawn from";
constexpr std::string_view approximate = "the posterior is taken for a product of simple laws";

}  // namespace

std::string_view to_string(TopicKind kind) {
  static constexpr std::array<std::string_view, 3> names = {"sampler", "stochastic", "variational"};
  return names.at(static_cast<std::size_t>(kind));
}

std::span<const TopicMethodEntry> topic_methods() {
  static constexpr TopicMethodEntry methods[] = {
      {.name = "gamma-gp",
       .doc = "topics weighted by the atoms of a gamma process, by Gibbs sampling; learns how many there are",
       .why = gibbs,
       .params = gamma_gp_params,
       .make = make_gamma_gp},
      {.name = "gamma-nb",
       .doc = "the gamma-negative binomial process with room for so many topics, by Gibbs sampling",
       .why = gibbs,
       .params = gamma_nb_params,
       .make = make_gamma_nb},
      {.name = "nb-lda",
       .doc = "latent Dirichlet allocation with a concentration for every document, by Gibbs sampling; so many topics "
              "as are asked for",
       .why = gibbs,
       .count = TopicCount::fixed,
       .params = nb_lda_params,
       .make = make_nb_lda},
      {.name = "sgp",
       .doc = "a gamma process over documents by whole numbers, by Gibbs sampling with births and deaths of topics; "
              "as many as the documents need",
       .why = gibbs,
       .count = TopicCount::open,
       .params = sgp_params,
       .make = make_sgp},
      {.name = "vgp",
       .doc = "topics weighted by the atoms of a gamma process, by variational inference",
       .kind = TopicKind::variational,
       .law = Law::biased,
       .why = approximate,
       .sweeps = 300,
       .params = vgp_params,
       .make = make_vgp},
      {.name = "vgp-svi",
       .doc = "the same by minibatches of documents: for documents that do not fit into memory",
       .kind = TopicKind::variational,
       .law = Law::biased,
       .why = approximate,
       .endless = true,
       .sweeps = 30,
       .params = vgp_svi_params,
       .make = make_vgp_svi},
      {.name = "vngp",
       .doc = "a gamma process as a total weight and sticks, by variational inference",
       .kind = TopicKind::variational,
       .law = Law::biased,
       .why = approximate,
       .sweeps = 300,
       .params = vngp_params,
       .make = make_vngp},
      {.name = "vibp",
       .doc = "topics that take part in a document or not, an Indian buffet process, by variational inference",
       .kind = TopicKind::variational,
       .law = Law::biased,
       .why = approximate,
       .sweeps = 300,
       .params = vibp_params,
       .make = make_vibp},
      {.name = "vbp",
       .doc = "topics that take part in a document or not, a beta process, by variational inference",
       .kind = TopicKind::variational,
       .law = Law::biased,
       .why = approximate,
       .sweeps = 300,
       .params = vbp_params,
       .make = make_vbp},
      {.name = "stochastic-gradient",
       .doc = "gamma-gp or gamma-nb by minibatches of documents and any sampler on estimated gradients: for documents "
              "that do not fit into memory",
       .kind = TopicKind::stochastic,
       .law = Law::consistent,
       .why = "the bias vanishes with the step sizes where topics are kept, and the sampler's does; else local_sweeps "
              "have "
              "a part in it",
       .sweeps = 100,
       .params = stochastic_topics_params,
       .make = make_stochastic_topics},
  };
  return methods;
}

bool is_endless(std::string_view method) {
  return std::ranges::any_of(topic_methods(), [&](const TopicMethodEntry& e) { return e.name == method && e.endless; });
}

const TopicMethodEntry& find_topic_method(std::string_view name) {
  std::vector<std::string_view> names;
  for (const TopicMethodEntry& entry : topic_methods()) {
    if (entry.name == name) return entry;
    names.push_back(entry.name);
  }
  throw UsageError(unknown_name("method", name, names));
}

}  // namespace quasar
