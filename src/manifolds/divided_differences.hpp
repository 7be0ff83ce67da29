// f[a, b] = (f(b) - f(a)) / (b - a) and f[a, b, c] = (f[b, c] - f[a, b]) / (c - a), continued to equal arguments by
// derivatives. They are the derivatives of functions of matrices (Daleckii and Krein; Higham, "Functions of Matrices",
// 2008, section 3.2).
#pragma once

namespace quasar {

double log_difference(double a, double b);            // of the logarithm, a and b > 0
double exp_difference(double a, double b, double c);  // of the exponential

}  // namespace quasar
