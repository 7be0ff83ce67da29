"""Bugs to plant in the topic models; mutants_test.py says how a row reads."""

CORPUS = ("exact/corpus",)
GAMMA_PROCESS, SGP = ("exact/gamma_process",), ("joint/topics_sgp",)
ATOMS, SGP_DOCUMENTS = "models/topics/gamma_process_prior.cpp", "models/topics/sgp_documents.cpp"

VARIATIONAL, STOCHASTIC = ("exact/variational_topics",), ("exact/stochastic_topics",)
BETA_PROCESS, SVI = "models/topics/variational/beta_process.cpp", "models/topics/variational/stochastic_gamma_topics.cpp"
AVERAGED, INCLUSION = "models/topics/variational/averaged_words.cpp", "models/topics/variational/inclusion_topics.cpp"
GIBBS, GIBBS_LAWS = ("exact/topics_gibbs",), ("joint/topics_gibbs",)
SWEEP, FACTOR_GIBBS, GAMMA_GP = "models/topics/document_sweep.cpp", "models/topics/factor_gibbs.cpp", "models/topics/gamma_gp.cpp"
LOCAL, TOPIC_SUM, WEIGHT_DENSITY = "models/topics/local_topics.cpp", "models/topics/topic_sum.cpp", "models/topics/weight_density.cpp"
EXPANDED, WORD_MOVES = "kernels/topics/expanded_topics.cpp", "kernels/topics/word_moves.cpp"

FITTING, TOPIC_FILE, TOPIC_FIT = ("exact/topic_fit",), ("exact/topic_file",), "front/topic_fit.cpp"

MUTANTS = {
    # documents and files of them
    "documents: counts of one word are not added up": ("io/word_counts.cpp", "last->count += entry->count;", "last->count = entry->count;", CORPUS),
    "documents: not sorted": ("io/word_counts.cpp", "std::ranges::sort(first, entries_.end(), {}, key);", "(void)0;", CORPUS),
    "documents: a header promises any number of words": ("io/numbered_documents.cpp", " && numbered.words <= most) return;", ") return;", CORPUS),
    "documents: known words by other numbers": ("io/numbered_documents.cpp", "counts.add(n, *number, document.counts[i]);", "counts.add(n, document.words[i], document.counts[i]);", CORPUS),
    "documents: frequent words last": ("io/named_counts.cpp", "totals[a] > totals[b]", "totals[a] < totals[b]", CORPUS),
    "documents: a vocabulary of the same words is refused": ("io/named_counts.cpp", " && settings.vocabulary != settings.known->names", "", CORPUS),
    "documents: words that come as words are cut again": ("io/text_documents.cpp", "        counts.add(document, word, 1);\n", "        counts.add_text(document, word);\n", CORPUS),
    "new texts: cut as the fit was, whatever is asked for": ("front/read_corpus.cpp", 'given.emplace("min_length", length);', 'given.insert_or_assign("min_length", length);', CORPUS),
    "tokens: overlong bytes are letters": ("io/tokenizer.cpp", "code < least[length] || ", "", CORPUS),
    "tokens: an apostrophe ends a word": ("io/tokenizer.cpp", "if (!inside) return true;", "return true;", CORPUS),
    "packed corpus: words that are not there": ("io/packed_corpus.cpp", "one.word >= head_.vocabulary || ", "", CORPUS),
    "packed corpus: documents out of order": ("io/packed_corpus.cpp", " || !std::ranges::is_sorted(begin)", "", CORPUS),
    # the gamma process
    "rounds that are kept count as missed": ("models/topics/gamma_process.cpp", "boost::math::gamma_p(shape, y)", "boost::math::gamma_q(shape, y)", GAMMA_PROCESS),
    "a stick is broken twice at one place": ("models/topics/gamma_process.cpp", "construction == AtomConstruction::sticks ? draws.beta(1, process.alpha) : last", "last", SGP),
    "an atom's weight is not integrated out": (ATOMS, "- (count + 1) * std::log(c", "- count * std::log(c", GAMMA_PROCESS),
    "alpha does not know how many atoms there are": (ATOMS, "prior.alpha.shape + static_cast<double>(atoms.count())", "prior.alpha.shape", SGP),
    "an atom's weight without its prior": (ATOMS, "/ (atoms.c + exposure", "/ (exposure", SGP),
    "weights without tokens as in the prior": (SGP_DOCUMENTS, "running_sums_.back() / std::numbers::e", "running_sums_.back()", SGP),
    "weights with tokens as if none were hidden": ("models/topics/integer_weights.cpp", "std::log(g) - 1", "std::log(g)", GAMMA_PROCESS),
    "every atom of the prior is unused": ("models/topics/sgp.cpp", "if (draws.uniform() < std::exp(-documents * atoms.weight(kept))) ++kept;", "++kept;", SGP),
    "topics that move leave their words behind": ("models/topics/sgp.cpp", "kept(k, v) = counts(before, v)", "kept(k, v) = counts(k, v)", SGP),
    "documents draw by the name of the thread": ("models/topics/sgp.cpp", 'rng.child("document", n)', 'rng.child("document", thread)', GAMMA_PROCESS),
    "experiments: bounds that ascend are averaged": ("../experiments/topic_curves.cpp", "if (candidate.draws && step", "if (step", ("exact/topic_experiments",)),
    # variational
    "bound: without log d!": ("models/topics/variational/allocations.cpp", "return constant_ - of_ratios", "return -of_ratios", VARIATIONAL),
    "tangent of the bound: without gt": ("models/topics/variational/gamma_documents.cpp", "weights.cwiseProduct(sums)", "sums", VARIATIONAL),
    "words: totals of topics do not count": ("models/topics/variational/topic_dirichlets.cpp", "factors.cwiseProduct(of_topic).cwiseMax", "factors.cwiseMax", VARIATIONAL),
    "scales: prior of p forgotten": ("models/topics/variational/document_scales.cpp", "tokens_.array() + (prior_->a0 + second_)", "tokens_.array() + second_", VARIATIONAL),
    "vgp: T as if its shape were a round more": ("models/topics/variational/atom_weights.cpp", "Vec::LinSpaced(rounds.rows(), 0, static_cast<double>(rounds.rows() - 1))", "Vec::LinSpaced(rounds.rows(), 1, static_cast<double>(rounds.rows()))", VARIATIONAL),
    "vgp: slope of T as published": ("models/topics/variational/decay.cpp", "return {1 + (power + 1 - u)", "return {-1 + (power + 1 - u)", VARIATIONAL),
    "ascent: steps in the numbers, not in their logarithms": ("models/topics/variational/ascent.cpp", "return {du / u, dv / v};", "return {du, dv};", VARIATIONAL),
    "vngp: a stick leaves its own share to the next": ("models/topics/variational/stick_weights.cpp", "    V[k] = {1 + count, whole.alpha + behind};\n    behind += count;\n", "    behind += count;\n    V[k] = {1 + count, whole.alpha + behind};\n", VARIATIONAL),
    "vngp: alpha without its Gamma function": ("models/topics/variational/stick_weights.cpp", "/ a + constant - digamma(a) > 0", "/ a + constant > 0", VARIATIONAL),
    "vngp: shares as if they summed to 1": ("models/topics/variational/independent_weights.cpp", "whole.c.mean() + evidence.exposure * sum_of_shares()", "whole.c.mean() + evidence.exposure", VARIATIONAL),
    "vibp: a topic's probability has all of alpha": ("models/topics/variational/indian_buffet.cpp", "alpha.mean() / topics + s,", "alpha.mean() + s,", VARIATIONAL),
    "vibp: topics and their sticks change places": ("models/topics/variational/indian_buffet.cpp", "1 + missed.dot(q.row(at)", "1 + missed.dot(q.col(at)", VARIATIONAL),
    "vbp: what documents miss is T's alone": (BETA_PROCESS, "alpha.mean() + missed * (1 - shared)}", "alpha.mean() + missed}", VARIATIONAL),
    "vbp: complements of the T before": (BETA_PROCESS, "(documents - included[k]) * y[k]});\n  }\n  find_complements_of_T();", "(documents - included[k]) * y[k]});\n  }", VARIATIONAL),
    "inclusion: topics that are absent cost nothing": (INCLUSION, " -\n                         (1 - eps) * shapes_.col(n).array() / rates_.col(n).array();", ";", VARIATIONAL),
    "vgp-svi: words of a batch stand for themselves": (SVI, "words_.learn(batch.documents.words, batch.allocations, rate, batch.scale);", "words_.learn(batch.documents.words, batch.allocations, rate, 1);", VARIATIONAL),
    "vgp-svi: weights by the batch alone": (SVI, "moved * (batch.scale * evidence.counts - evidence_.counts)", "moved * (evidence.counts - evidence_.counts)", VARIATIONAL),
    "vgp-svi: words that a batch lacks do not fade": (AVERAGED, "rate * scale / factor_ * counts", "rate * scale * counts", VARIATIONAL),
    "restarts: the last is kept": ("models/topics/variational/variational_topics.cpp", "if (bound > objective_) {", "if (std::isfinite(bound)) {", VARIATIONAL),
    # Gibbs
    "a token counts itself": (SWEEP, "      put(topics[token], -1U);\n      topics[token] = choose(word, uniform(token, topics.size(), uniforms));\n", "      const TopicOfToken before = topics[token];\n      topics[token] = choose(word, uniform(token, topics.size(), uniforms));\n      put(before, -1U);\n", GIBBS),
    "tokens do not see those drawn before them": (SWEEP, "  totals_[topic] = weights_[topic] + static_cast<float>(counts_[topic]);\n", "", GIBBS),
    "topics: groups of lanes are not passed": ("simd/topic_choice.cpp", "while (g < 3 && rest >= group[g]) rest -= group[g++];", "while (g < 3 && rest >= group[g]) ++g;", GIBBS),
    "uniforms: a long document has those of its first tokens again": (SWEEP, "if (place == 0) stream", "if (token == 0) stream", GIBBS),
    "tables: all guests that are looked at sit alone": ("models/topics/tables.cpp", "if (draws.uniform() * (r + i) < r + a) ++alone;", "++alone;", GIBBS),
    "tables: large counts in the order of threads": ("models/topics/tables.cpp", "  std::ranges::sort(large);\n", "", GIBBS),
    "saved topics may be any": ("models/topics/token_topics.cpp", "return k < topics_;", "return true;", GIBBS),
    "tables: a guest counts himself": ("models/topics/tables.cpp", "draws.binomial(above, r / (r + i))", "draws.binomial(above, r / (r + i + 1))", GIBBS),
    "shares: of the topics of the last draw alone": ("front/topic_fit_result.cpp", "  add_topics_without_share(found);\n", "", ("exact/topic_fit",)),
    "tables: those of the first thread alone": ("models/topics/topic_weights.cpp", "t < of_thread_.size(); ++t) all.add", "t < 1; ++t) all.add", GIBBS),
    "counts of words: those of the first thread alone": ("models/topics/token_topics.cpp", "if (threads() == 1) return;", "if (threads() >= 1) return;", GIBBS),
    "gammas: small shapes are not raised to 1/a": ("simd/gamma_draws.cpp", "hn::Exp(d, hn::Div(hn::Log(d, hn::LoadU(d, in.boost + i)), shape))", "hn::LoadU(d, in.boost + i)", GIBBS),
    "gammas: second tries are the same in every chunk": ("core/many_gammas.cpp", "others.seek(static_cast<std::uint64_t>(first + i));", "others.seek(static_cast<std::uint64_t>(i));", GIBBS),
    "words: every group draws the same numbers": ("models/topics/topic_words.cpp", 'rng.child("words", static_cast<std::uint64_t>(group))', 'rng.child("words")', GIBBS),
    "words: their mean has the prior of one word": ("models/topics/topic_words.cpp", "prior * static_cast<double>(counts.cols())", "prior", GIBBS),
    "p turned round": (FACTOR_GIBBS, "settings_.b0 + weights_->sum(n), settings_.a0 + tokens_of_document_[at(n)]", "settings_.a0 + tokens_of_document_[at(n)], settings_.b0 + weights_->sum(n)", GIBBS_LAWS),
    "p stays where it was": (FACTOR_GIBBS, "  draw_scales(rng);\n  weights_->draw", "  weights_->draw", GIBBS),
    "every sweep draws the same numbers": (FACTOR_GIBBS, "rng_.at(static_cast<std::uint64_t>(sweeps_++))", "rng_.at(0 * static_cast<std::uint64_t>(sweeps_++))", GIBBS_LAWS),
    "gamma-gp: weights of the sweep before": (GAMMA_GP, 'rng_.child("hyperparameters"));\n  set_atoms(std::move(atoms_));', 'rng_.child("hyperparameters"));', GIBBS),
    "gamma-gp: hyperparameters stay where they were": (GAMMA_GP, '  update_hyperparameters(prior_, atoms_, rng_.child("hyperparameters"));\n', "", GIBBS),
    "gamma-gp: exposure of a mean document": (GAMMA_GP, "exposures.sum(), prior_.rounds", "exposures.mean(), prior_.rounds", GIBBS_LAWS),
    "gamma-nb: tables of tables by the mass of all topics": ("models/topics/gamma_nb.cpp", "(tables[k]), g0 / topics,", "(tables[k]), g0,", GIBBS_LAWS),
    "gamma-nb: g0 without the rate of the weights": ("models/topics/gamma_nb.cpp", "std::log1p(q / prior_.c0)", "std::log1p(q)", GIBBS_LAWS),
    "nb-lda: exposure of one topic": ("models/topics/nb_lda.cpp", "topics * exposures[j]", "exposures[j]", GIBBS_LAWS),
    "nb-lda: tables by the name of the thread": ("models/topics/nb_lda.cpp", 'rng_.child("document", static_cast<std::uint64_t>(document))', 'rng_.child("document", thread)', GIBBS),
    # stochastic gradients
    "weights: N/n forgotten": (TOPIC_SUM, "add_slope(x, weight, 0, grad);", "add_slope(x, 1, 0, grad);", STOCHASTIC),
    "weights: logarithms without their Jacobian": (TOPIC_SUM, "add_slope(x, 1, 1, grad);", "add_slope(x, 1, 0, grad);", STOCHASTIC),
    "weights: a document's p without its prior": (TOPIC_SUM, "probability_.a + static_cast<double>(local_->tokens(id))", "static_cast<double>(local_->tokens(id))", STOCHASTIC),
    "gamma does not know the rounds": (WEIGHT_DENSITY, "{prior_.gamma.shape + k, prior_.gamma.rate + rounds}", "{prior_.gamma.shape + k, prior_.gamma.rate}", STOCHASTIC),
    "T without the chain rule": (WEIGHT_DENSITY, "-at.theta.segment(topics_, topics_).cwiseProduct(weight_slope)", "-weight_slope", STOCHASTIC),
    "kept topics: the last look is not taken back": (LOCAL, "count_kept(held_[i], -1U);", "(void)0;", STOCHASTIC),
    "batches: counts of the last iteration stay": (LOCAL, "  held_.clear();\n  counts_.setZero();", "  held_.clear();", STOCHASTIC),
    "documents: the same numbers at every look": (LOCAL, 'rng_.at(iteration_).child("document"', 'rng_.child("document"', STOCHASTIC),
    "documents: known ones begin anew": (LOCAL, "if (!settings_.keep || !seen_[static_cast<std::size_t>(held.document)]) {", "if (true) {", STOCHASTIC),
    "words: noise without the metric": (EXPANDED, "(step_size * g).sqrt()", "std::sqrt(step_size)", STOCHASTIC),
    "words: leapfrog without the metric's volume": (EXPANDED, "eta_ - 0.5 + data.weight * data.counts(k, word);\n    const double kicked", "eta_ - 1 + data.weight * data.counts(k, word);\n    const double kicked", STOCHASTIC),
    "words: the pull of where the step began": (EXPANDED, "    set_pull(data);\n    for_words([&](Index word) { arrive", "    for_words([&](Index word) { arrive", STOCHASTIC),
    "words: a batch stands for itself": (WORD_MOVES, "data{local.counts(), local.weight()}", "data{local.counts(), 1}", STOCHASTIC),
    "words: exact draws of the batch alone": (WORD_MOVES, "local.keeps() ? local.kept_counts() : local.counts()", "local.counts()", STOCHASTIC),
    "words: steps do not become shorter": (WORD_MOVES, "settings_.step_size(iteration)", "settings_.step_size(0)", STOCHASTIC),
    "weights after loading are those of the start": ("samplers/weight_chain.cpp", "  chain_->load(in);\n  set_weights();", "  chain_->load(in);", STOCHASTIC),
    "steps are measured where nothing has been seen": ("samplers/weight_chain.cpp", 'is_zero("step_size") && is_zero("learning_rate")', "false", STOCHASTIC),
    "step sizes do not know the batch": ("samplers/weight_chain.cpp", "const double step = 0.2 / (1 + noise);", "const double step = 0.2;", STOCHASTIC),
    # the command line, files of topics
    "draws of the burn-in are kept": (TOPIC_FIT, "crossed(std::max(before - burn_in, 0.0), now - burn_in, keep_every_)", "crossed(before, now, keep_every_)", FITTING),
    "words that are held out are fitted": (TOPIC_FIT, "DocumentsInMemory>(tokens.split->seen)", "DocumentsInMemory>(*documents.documents->whole())", FITTING),
    "other documents are judged by half of their tokens": (TOPIC_FIT, "of_documents(others, usual_share_held_out, rng)", "of_documents(others, 0.5, rng)", FITTING),
    "shares stay where their topics were": ("front/topic_fit_result.cpp", "shares_(order, Eigen::all)", "shares_", FITTING),
    "a fit that is resumed has no curve": ("front/topic_fit_state.cpp", "&self.curve_.passes, &self.curve_.seconds, &self.curve_.perplexity", "&self.curve_.passes, &self.curve_.seconds", FITTING),
    "every draw is written over the first": ("io/topic_file_write.cpp", "slab.start[0] = entry;", "slab.start[0] = 0;", TOPIC_FILE),
    "the posterior has the burn-in": ("io/topic_file_write.cpp", "info.burn_in + 1e-9", "0.0", TOPIC_FILE),
    "negative weights pass": ("io/topic_file_read.cpp", "all_at_least(all_weights, 0)", "true", TOPIC_FILE),
    "topics that sum to anything pass": ("io/topic_file_read.cpp", ".abs() < rounding", ".abs() < 1", TOPIC_FILE),
}

# The sources that a test program is compiled with, where a mutated header is in them.
RECOMPILED = {}
