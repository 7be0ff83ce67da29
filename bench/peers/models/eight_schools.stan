// Rubin's eight schools, non-centred: theta = mu + tau * z.
functions {
#include count_gradients.stan
}
data {
  int<lower=1> schools;
  vector[schools] y;
  vector<lower=0>[schools] sigma;
}
transformed data {
  real gradients_before = gradients_so_far();
}
parameters {
  real mu;
  real<lower=0> tau;
  vector[schools] z;
}
transformed parameters {
  vector[schools] theta = mu + tau * z;
}
model {
  target += count_gradient(target());
  mu ~ normal(0, 5);
  tau ~ cauchy(0, 5);
  z ~ normal(0, 1);
  y ~ normal(theta, sigma);
}
generated quantities {
  real gradients = gradients_so_far() - gradients_before;
}
