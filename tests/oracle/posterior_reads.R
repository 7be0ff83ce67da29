# Reads Stan CSV files with rstan and the plain table with read.csv, hands both to posterior, and compares means and
# counts with what it is told.
#
#   Rscript posterior_reads.R base chains draws warmup name=mean ...       base_1.csv ... and base.csv; warmup: rows saved
library(posterior, warn.conflicts = FALSE)

arguments <- commandArgs(trailingOnly = TRUE)
base <- arguments[1]
chains <- as.integer(arguments[2])
draws <- as.integer(arguments[3])
warmup <- as.integer(arguments[4])
pairs <- strsplit(arguments[-(1:4)], "=", fixed = TRUE)
expected <- setNames(as.numeric(sapply(pairs, `[`, 2)), sapply(pairs, `[`, 1))
options(warn = 2)  # a warning of a reader is a failure

same_means <- function(read, what) {
  found <- summarise_draws(read, mean)
  found <- setNames(found$mean, found$variable)
  missing <- setdiff(names(expected), names(found))
  if (length(missing) > 0) stop(what, " lacks ", paste(missing, collapse = ", "))
  wrong <- abs(found[names(expected)] - expected) > 1e-9 * abs(expected)
  if (any(wrong)) stop(what, " has another mean of ", paste(names(expected)[wrong], collapse = ", "))
  if (nchains(read) != chains || niterations(read) != draws) stop(what, " has another number of draws")
}

fit <- rstan::read_stan_csv(sprintf("%s_%d.csv", base, seq_len(chains)))
same_means(as_draws_array(fit), "rstan")
if (fit@sim$warmup2[1] != warmup) stop("rstan found another number of warm-up rows")

stan <- lapply(seq_len(chains), function(i) {
  one <- read.csv(sprintf("%s_%d.csv", base, i), comment.char = "#", check.names = FALSE)
  one <- one[warmup + seq_len(draws), ]
  names(one) <- sub("\\.([0-9.]+)$", "[\\1]", names(one))
  names(one) <- ifelse(grepl("[", names(one), fixed = TRUE), gsub(".", ",", names(one), fixed = TRUE), names(one))
  as_draws_df(one)
})
same_means(do.call(bind_draws, c(stan, along = "chain")), "Stan CSV")

table <- read.csv(paste0(base, ".csv"), check.names = FALSE)
names(table)[1:2] <- c(".chain", ".iteration")
same_means(as_draws_df(table), "the table")
cat(sprintf("posterior %s and rstan %s read %s\n", packageVersion("posterior"), packageVersion("rstan"), base))
