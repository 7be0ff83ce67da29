// Unit variances, every pair correlated by rho: covariance S = (1 - rho) I + rho 11', whose inverse is
// (I - rho / (1 + (dim - 1) rho) 11') / (1 - rho).
functions {
#include count_gradients.stan
}
data {
  int<lower=2> dim;
  real<lower=0, upper=1> correlation;
}
transformed data {
  real gradients_before = gradients_so_far();
  real shrinkage = correlation / (1 + (dim - 1) * correlation);
}
parameters {
  vector[dim] x;
}
model {
  target += count_gradient(target());
  target += -0.5 * (dot_self(x) - shrinkage * square(sum(x))) / (1 - correlation);
}
generated quantities {
  real gradients = gradients_so_far() - gradients_before;
}
