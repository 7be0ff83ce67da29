#!/usr/bin/env python3
"""Writes examples/trial.csv, an invented trial: 240 patients of eight clinics, three treatments, did they recover?

Recovery is drawn from a logistic regression whose coefficients are those below, with a clinic's own intercept of standard
deviation 0.6. Twelve values of bmi are left out.
"""

import math
import pathlib
import random

CLINICS = ("Aster", "Birch", "Cedar", "Dahlia", "Elm", "Fern", "Gorse", "Hazel")
ARMS = {"placebo": 0.0, "low": 0.6, "high": 1.2}
TARGET = pathlib.Path(__file__).resolve().parents[1] / "examples" / "trial.csv"


def main():
    draw = random.Random(8)
    effects = {clinic: draw.gauss(0, 0.6) for clinic in CLINICS}
    lines = ["clinic,age,sex,bmi,arm,recovered"]
    for patient in range(240):
        clinic, arm, sex = draw.choice(CLINICS), draw.choice(list(ARMS)), draw.choice(("female", "male"))
        age, bmi = draw.randint(20, 79), draw.gauss(26, 4)
        slope = -0.02 if sex == "female" else -0.05
        score = -0.6 + effects[clinic] + ARMS[arm] + slope * (age - 50) - 0.05 * (bmi - 26)
        recovered = "yes" if draw.random() < 1 / (1 + math.exp(-score)) else "no"
        lines.append(f"{clinic},{age},{sex},{'' if patient % 20 == 19 else f'{bmi:.1f}'},{arm},{recovered}")
    TARGET.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
