// Independent normals whose variances are log-spaced from 1 down to 1 / condition.
functions {
#include count_gradients.stan
}
data {
  int<lower=2> dim;
  real<lower=1> condition;
}
transformed data {
  real gradients_before = gradients_so_far();
  vector[dim] scale;
  for (i in 1:dim) scale[i] = condition ^ (-0.5 * (i - 1) / (dim - 1));
}
parameters {
  vector[dim] x;
}
model {
  target += count_gradient(target());
  x ~ normal(0, scale);
}
generated quantities {
  real gradients = gradients_so_far() - gradients_before;
}
