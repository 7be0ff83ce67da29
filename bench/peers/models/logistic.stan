// Logistic regression. Predictors are standardised with the population sd, sampling and prior are on that scale;
// `coefficients` (intercept first) are on the scale of the data, the scale on which Quasar reports them.
functions {
#include count_gradients.stan
}
data {
  int<lower=1> observations;
  int<lower=1> features;
  matrix[observations, features] predictors;
  int<lower=0, upper=1> y[observations];
  real<lower=0> prior_sd;
}
transformed data {
  real gradients_before = gradients_so_far();
  vector[features] centre;
  vector[features] spread;
  matrix[observations, features] standardised;
  for (j in 1:features) {
    vector[observations] deviation;
    centre[j] = mean(predictors[, j]);
    deviation = predictors[, j] - centre[j];
    spread[j] = sqrt(dot_self(deviation) / observations);
    standardised[, j] = deviation / spread[j];
  }
}
parameters {
  real intercept;
  vector[features] slopes;
}
model {
  target += count_gradient(target());
  intercept ~ normal(0, prior_sd);
  slopes ~ normal(0, prior_sd);
  y ~ bernoulli_logit(intercept + standardised * slopes);
}
generated quantities {
  vector[features + 1] coefficients;
  real gradients = gradients_so_far() - gradients_before;
  coefficients[2:] = slopes ./ spread;
  coefficients[1] = intercept - dot_product(coefficients[2:], centre);
}
