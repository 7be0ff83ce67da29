  real count_gradient(real density);
  real gradients_so_far();
