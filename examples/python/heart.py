"""Logistic regression of heart disease on thirteen measurements."""

from pathlib import Path

import pandas as pd

import quasar

frame = pd.read_csv(Path(__file__).resolve().parents[1] / "heart.csv")
run = quasar.sample(quasar.model("logistic", frame, target="y"), draws=1000, seed=1)
print(run)

raises_the_risk = (run.posterior["beta"] > 0).mean(axis=(0, 1))
for predictor, probability in zip(run.coords["predictor"], raises_the_risk, strict=True):
    print(f"P({predictor} raises the risk) = {probability:.2f}")
