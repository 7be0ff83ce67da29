#include "models/topics/variational/special_functions.hpp"

#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>

namespace quasar {
namespace {

namespace policies = boost::math::policies;
using Quiet =
    policies::policy<policies::domain_error<policies::ignore_error>, policies::pole_error<policies::ignore_error>,
                     policies::overflow_error<policies::ignore_error>, policies::promote_double<false>>;

}  // namespace

double digamma(double x) { return boost::math::digamma(x, Quiet()); }
double trigamma(double x) { return boost::math::trigamma(x, Quiet()); }
double log_gamma(double x) { return boost::math::lgamma(x, Quiet()); }

}  // namespace quasar
