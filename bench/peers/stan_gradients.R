# Gradient calls and effective draws of Stan's NUTS (diag_e, defaults) on the targets of this benchmark.
# Writes one CSV row per target and seed. Usage:
#   Rscript stan_gradients.R OUTPUT.csv HEART.csv SEEDS CHAINS WARMUP DRAWS

suppressMessages(library(rstan))
if (packageVersion("rstan") >= "2.26") stop("the models and the gradient counter are written for rstan 2.21")

arguments <- commandArgs(trailingOnly = TRUE)
if (length(arguments) != 6) stop("usage: stan_gradients.R OUTPUT.csv HEART.csv SEEDS CHAINS WARMUP DRAWS")
output <- arguments[1]
heart <- read.csv(arguments[2])
counts <- as.integer(arguments[3:6])
names(counts) <- c("seeds", "chains", "warmup", "draws")

script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
models <- file.path(dirname(normalizePath(script)), "models")

# Debian's BH package has no headers of its own: they are those of libboost-dev.
if (!nzchar(rstan_options("boost_lib"))) invisible(rstan_options(boost_lib = "/usr/include"))

targets <- list(
  "gaussian-condition-1000" = list(
    model = "gaussian_diagonal", quantities = "x",
    data = list(dim = 50L, condition = 1000)),
  "gaussian-correlation-0.5" = list(
    model = "gaussian_equicorrelated", quantities = "x",
    data = list(dim = 20L, correlation = 0.5)),
  "eight-schools" = list(
    model = "eight_schools", quantities = c("mu", "tau", "theta"),
    data = list(schools = 8L, y = c(28, 8, -3, 7, -1, 1, 18, 12), sigma = c(15, 10, 16, 11, 9, 11, 10, 18))),
  "logistic-heart" = list(
    model = "logistic", quantities = "coefficients",
    data = list(observations = nrow(heart), features = ncol(heart) - 1L, predictors = as.matrix(heart[, -ncol(heart)]),
                y = as.integer(heart[, ncol(heart)]), prior_sd = 10)))

compile <- function(name) {
  counter <- file.path(models, "count_gradients.hpp")
  stan_model(file.path(models, paste0(name, ".stan")), isystem = models, allow_undefined = TRUE,
             includes = sprintf("\n#include \"%s\"\n", counter))
}

# Gradient calls by iteration and chain. Chains run one after the other and the counter runs on through all of them,
# so a chain's first iteration also holds its initialisation and its first search for a step size.
gradients_by_iteration <- function(fit) {
  cumulative <- extract(fit, "gradients", permuted = FALSE, inc_warmup = TRUE)[, , 1, drop = FALSE]
  matrix(diff(c(0, as.vector(cumulative))), nrow = nrow(cumulative))
}

sampler_statistic <- function(fit, name) {
  sapply(get_sampler_params(fit, inc_warmup = TRUE), function(chain) chain[, name])
}

# A transition costs one gradient at its start and one per leapfrog step; whatever else was counted is initialisation
# and the search for a step size, which happen in warm-up only.
check_cost_of_transitions <- function(extra, sampling) {
  stopifnot("a transition took fewer gradients than n_leapfrog__ + 1" = all(extra >= 0),
            "a sampling transition did not take n_leapfrog__ + 1 gradients" = all(extra[sampling, ] == 0))
}

measure <- function(model, target, seed) {
  fit <- suppressWarnings(sampling(
    model, data = target$data, seed = seed, chains = counts[["chains"]], cores = 1, refresh = 0,
    warmup = counts[["warmup"]], iter = counts[["warmup"]] + counts[["draws"]]))
  sampling <- counts[["warmup"]] + seq_len(counts[["draws"]])
  gradients <- gradients_by_iteration(fit)
  extra <- gradients - sampler_statistic(fit, "n_leapfrog__") - 1
  check_cost_of_transitions(extra, sampling)
  draws <- extract(fit, target$quantities, permuted = FALSE)
  data.frame(
    seed = seed,
    gradients = sum(gradients),
    sampling_gradients = sum(gradients[sampling, ]),
    search_gradients = sum(extra),
    min_ess_bulk = min(apply(draws, 3, ess_bulk)),
    quantities = dim(draws)[3],
    divergences = sum(sampler_statistic(fit, "divergent__")[sampling, ]))
}

rows <- lapply(names(targets), function(name) {
  target <- targets[[name]]
  model <- compile(target$model)
  do.call(rbind, lapply(seq_len(counts[["seeds"]]), function(seed) {
    message(sprintf("stan: %s, seed %d of %d", name, seed, counts[["seeds"]]))
    cbind(target = name, rstan = as.character(packageVersion("rstan")), measure(model, target, seed))
  }))
})
write.csv(do.call(rbind, rows), output, row.names = FALSE, quote = FALSE)
