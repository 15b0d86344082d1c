/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Mathematical functions, for modules that include <math.h>. `limpet-rtlinux` links them from
 * Debian's musl, as a module of RTLinux is linked with -lm.
 */
#ifndef RTLINUX_MATH_H
#define RTLINUX_MATH_H

#ifdef __cplusplus
extern "C" {
#endif

#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#define HUGE_VAL __builtin_huge_val()
#define HUGE_VALF __builtin_huge_valf()
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define isnan(x) __builtin_isnan(x)
#define isinf(x) __builtin_isinf_sign(x)
#define isfinite(x) __builtin_isfinite(x)
#define signbit(x) __builtin_signbit(x)

/* Functions of one and of two numbers, each for double and for float. */
#define RTLINUX_MATH_1(name)                                                                       \
	double name(double x);                                                                     \
	float name##f(float x)
#define RTLINUX_MATH_2(name)                                                                       \
	double name(double x, double y);                                                           \
	float name##f(float x, float y)

RTLINUX_MATH_1(sin);
RTLINUX_MATH_1(cos);
RTLINUX_MATH_1(tan);
RTLINUX_MATH_1(asin);
RTLINUX_MATH_1(acos);
RTLINUX_MATH_1(atan);
RTLINUX_MATH_1(sinh);
RTLINUX_MATH_1(cosh);
RTLINUX_MATH_1(tanh);
RTLINUX_MATH_1(asinh);
RTLINUX_MATH_1(acosh);
RTLINUX_MATH_1(atanh);
RTLINUX_MATH_1(exp);
RTLINUX_MATH_1(exp2);
RTLINUX_MATH_1(expm1);
RTLINUX_MATH_1(log);
RTLINUX_MATH_1(log2);
RTLINUX_MATH_1(log10);
RTLINUX_MATH_1(log1p);
RTLINUX_MATH_1(sqrt);
RTLINUX_MATH_1(cbrt);
RTLINUX_MATH_1(floor);
RTLINUX_MATH_1(ceil);
RTLINUX_MATH_1(fabs);
RTLINUX_MATH_1(rint);
RTLINUX_MATH_1(round);
RTLINUX_MATH_1(trunc);
RTLINUX_MATH_2(atan2);
RTLINUX_MATH_2(pow);
RTLINUX_MATH_2(hypot);
RTLINUX_MATH_2(fmod);
RTLINUX_MATH_2(fmin);
RTLINUX_MATH_2(fmax);
RTLINUX_MATH_2(remainder);
RTLINUX_MATH_2(copysign);
double ldexp(double x, int exponent);
double frexp(double x, int *exponent);
double modf(double x, double *whole);
float modff(float x, float *whole);
long lrint(double x);
long lround(double x);

#ifdef __cplusplus
}
#endif

#endif
