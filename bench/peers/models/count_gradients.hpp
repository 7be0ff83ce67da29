// Counts the gradients that Stan takes. A model evaluated with autodiff variables is a gradient call; with plain
// doubles (the check of an initial point, the writing of a draw) it is not. Included inside the model's own namespace.
inline long& gradient_counter() {
  static long calls = 0;
  return calls;
}

// Adds nothing to the density; T0__ is Stan's name for the scalar type of the argument.
template <typename T0__>
typename boost::math::tools::promote_args<T0__>::type count_gradient(const T0__&, std::ostream*) {
  if (std::is_same<T0__, stan::math::var>::value) ++gradient_counter();
  return 0;
}

inline double gradients_so_far(std::ostream*) { return static_cast<double>(gradient_counter()); }
