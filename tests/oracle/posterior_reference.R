# What R's posterior says about draws. Called by make_diagnostics_reference.py.
#
# Standard input: one case a line: name, number of chains, number of draws, then the draws chain after chain.
# Standard output: the versions, then lines "name statistic value ...".
suppressPackageStartupMessages(library(posterior))

undefined_if_it_fails <- function(expression) tryCatch(suppressWarnings(expression), error = function(e) NaN)

statistics <- function(x) {
  list(
    mean = mean(x),
    sd = stats::sd(as.vector(x)),
    q5 = quantile2(x, 0.05),
    q50 = quantile2(x, 0.50),
    q95 = quantile2(x, 0.95),
    rhat = undefined_if_it_fails(rhat(x)),
    ess_bulk = undefined_if_it_fails(ess_bulk(x)),
    ess_tail = undefined_if_it_fails(ess_tail(x)),
    ess_mean = undefined_if_it_fails(ess_mean(x)),
    ess_q25 = undefined_if_it_fails(ess_quantile(x, 0.25)),
    mcse_mean = undefined_if_it_fails(mcse_mean(x)),
    mcse_sd = undefined_if_it_fails(mcse_sd(x)),
    mcse_q5 = undefined_if_it_fails(mcse_quantile(x, 0.05)),
    mcse_q50 = undefined_if_it_fails(mcse_quantile(x, 0.50)),
    mcse_q95 = undefined_if_it_fails(mcse_quantile(x, 0.95)),
    autocorrelation = undefined_if_it_fails(autocorrelation(x[, 1])),
    # posterior has no E-BFMI: the formula of Betancourt (2016) in R's words
    ebfmi = apply(x, 2, function(energy) mean(diff(energy)^2) / var(energy))
  )
}

cat("versions", as.character(packageVersion("posterior")), as.character(getRversion()), "\n")
for (line in readLines(file("stdin"))) {
  fields <- strsplit(line, " ")[[1]]
  draws <- matrix(as.numeric(fields[-(1:3)]), ncol = as.integer(fields[2]))
  stopifnot(nrow(draws) == as.integer(fields[3]))
  values <- statistics(draws)
  for (statistic in names(values)) cat(fields[1], statistic, sprintf("%.17g", values[[statistic]]), "\n")
}
