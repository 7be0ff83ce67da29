// What the page of a run shows, as one JSON object: the contract between C++, which computes, and the page's script,
// which draws. P parameters, C chains (rows of the chain dimension), n stored draws of each. "base64" is an array of
// little-endian numbers (report/base64.hpp), the last index fastest. Undefined numbers are null. Texts are not escaped:
// the script sets them as text, never as HTML.
//
// {
//   "title":   "logistic on heart.csv, nuts"
//   "facts":   [["model", "logistic"], ["data", "heart.csv"], ...]       pairs of texts
//   "command": "quasar sample --model logistic ..."     makes the run again; "": not known
//   "configuration": "[run]\n..."                       TOML, all settings; "": not known
//   "hashes":  [["data heart.csv", "..."], ...]
//   "problems": [{"kind", "what", "advice", "parameters": "R-hat: tau 1.034, ..."}]   the gravest first; advice and
//              parameters may be ""
//   "checked": ["R-hat", ...]                           what was looked at
//   "chains": C, "draws": n, "kept": ""                 kept: a sentence where not every draw is stored
//   "limits":  {"r_hat": 1.01, "ess_per_chain": 100, "e_bfmi": 0.3}     beyond which a number is marked, as
//              diagnostics/checks.hpp has them
//   "columns": ["mean", "mcse", "sd", "5%", "50%", "95%", "ess_bulk", "ess_tail", "r_hat"]
//              and "weighted_mean" behind them where draws weigh as a changing step size does
//   "names":   [P], "summary": [P][columns]
//   "order":   [P]                                      numbers of parameters, from 0, the worst first
//   "trace":   null or {"at": [T] numbers of draws from 1, "low": [P], "high": [P], "data": base64 uint16 [P][C][T]}
//              value = low + (high - low) q / 65534; q = 65535: not finite
//   "rank":    null or {"bins": B, "expected": count per bin if chains agree, "data": base64 uint16 [P][C][B]}
//   "density": null or {"points": N, "low": [P], "high": [P], "data": base64 uint8 [P][C][N]}
//              x from low to high in even steps; heights in 255ths of the highest of the parameter
//   "autocorrelation": null or {"lags": L, "data": base64 int8 [P][C][L]}   rho = q / 127, lag 0 first; -128: undefined
//   "pairs":   null or {"parameters": [2..6], "values": [parameters][m], "divergent": [m] of 0 and 1}
//   "energy":  null or {"low", "high", "marginal": [bins], "transition": [bins], "e_bfmi": [C]}     report/energies.hpp
//   "steps":   [{"name", "label", "at": iterations, "warmup": how many of `at` are warm-up, "values": [C][at]}]
//   "check":   null or what `quasar sample --check --json` prints as "check"
//   "held_out": null or {"scores": [["rmse", 0.85], ...],
//              "curves": [{"name", "label", "x_label", "x": [rows][], "y": [rows][]}],  rows: chains or ensembles
//              "calibration": null or {"kind": "interval" or "probability", "expected", "observed", "count": lists}}
// }
#pragma once

#include <nlohmann/json.hpp>

#include <quasar/run_data.hpp>

namespace quasar {

// Takes a part of the draws at a time into memory.
nlohmann::ordered_json report_data(const Run& run);

}  // namespace quasar
