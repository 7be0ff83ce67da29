// Matrices with orthonormal columns, shared by Stiefel, Grassmann and the rotations.
#pragma once

#include <string>

#include <quasar/manifold.hpp>

namespace quasar {

// The nearest orthonormal matrix to one that is orthonormal up to rounding, x (3 I - x'x) / 2: one step of Newton and
// Schulz, which squares the error (Higham, "Functions of Matrices", 2008, section 8.3).
Mat polished(MatIn x);

// (x + u)(I + u'u)^-1/2, which is orthonormal where x is and x'u is skew: the polar factor of x + u.
Mat polar_retraction(MatIn x, MatIn u);

// Uniform (Haar): the orthonormal factor of a matrix of normals, with signs that make the triangular one's diagonal
// positive (Mezzadri, Notices of the AMS 54, 2007).
void random_orthonormal(Stream& stream, MatOut out);

std::string orthonormal_fault(MatIn x);  // empty where x'x = I

}  // namespace quasar
