"""Reckons ratings and likelihood ratios by other methods than the program, for its tests.

    python3 check.py            writes pairs-expected.csv and tables-expected.csv, prints the ratios

Needs numpy and scipy. Ratings: the posterior is maximised with a quasi-Newton method on a plain
likelihood that lists every outcome of every game, and the covariance comes from second differences of
that likelihood. Ratios: both hypotheses are maximised as constrained problems over the probabilities
of the scores.
"""
import itertools
import math
import pathlib

import numpy
from scipy.optimize import minimize
from scipy.stats import norm

HERE = pathlib.Path(__file__).parent
SCALE = 400 / math.log(10)


def read(name):
    rows = []
    for line in (HERE / name).read_text().splitlines():
        if not line.startswith("#"):
            table, winners, count = line.split(",")
            rows.append((tuple(map(int, table.split())), tuple(map(int, winners.split())), int(count)))
    return rows


def ratings(name):
    rows = [row for row in read(name) if row[1]]
    bots = max(bot for table, _, _ in rows for bot in table) + 1
    sizes = sorted({len(winners) for _, winners, _ in rows if len(winners) > 1})

    def loss(x):
        strength = numpy.exp(x[:bots])
        weight = {1: 1.0} | {size: math.exp(x[bots + index]) for index, size in enumerate(sizes)}

        def value(group):
            return weight[len(group)] * math.prod(strength[bot] for bot in group) ** (1 / len(group))

        total = 0.0
        for table, winners, count in rows:
            groups = [g for size in weight for g in itertools.combinations(table, size)]
            total += count * math.log(value(winners) / sum(map(value, groups)))
        prior = sum(v * v for v in x[:bots]) / (2 * (500 / SCALE) ** 2)
        prior += sum(v * v for v in x[bots:]) / (2 * 5.0**2)
        return prior - total

    start = numpy.zeros(bots + len(sizes))
    x = minimize(loss, start, method="BFGS", options={"gtol": 1e-9}).x
    x = minimize(loss, x, method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12, "maxiter": 20000, "maxfev": 20000}).x
    step, size = 1e-3, len(x)
    hessian = numpy.zeros((size, size))
    for i in range(size):
        for j in range(size):
            def at(di, dj):
                y = x.copy()
                y[i] += di * step
                y[j] += dj * step
                return loss(y)
            hessian[i, j] = (at(1, 1) - at(1, -1) - at(-1, 1) + at(-1, -1)) / (4 * step * step)
    covariance = numpy.linalg.inv(hessian)[:bots, :bots] * SCALE**2
    centre = numpy.eye(bots) - 1 / bots
    covariance = centre @ covariance @ centre
    points = centre @ (x[:bots] * SCALE)
    lines = ["# rating,bot,points,standard error; los,one,two,likelihood that one is stronger"]
    for bot in range(bots):
        lines.append(f"rating,{bot},{points[bot]:.4f},{math.sqrt(covariance[bot, bot]):.4f}")
    for one, two in itertools.combinations(range(bots), 2):
        sd = math.sqrt(covariance[one, one] + covariance[two, two] - 2 * covariance[one, two])
        lines.append(f"los,{one},{two},{norm.cdf((points[one] - points[two]) / sd):.6f}")
    (HERE / name.replace(".csv", "-expected.csv")).write_text("\n".join(lines) + "\n")


def ratio(scores, counts, elo0, elo1):
    scores, counts = numpy.array(scores), numpy.array(counts, float)

    def best(elo):
        mean = 1 / (1 + 10 ** (-elo / 400))
        n = counts.sum()
        start = counts / n
        result = minimize(
            lambda p: -(counts / n * numpy.log(p)).sum(),
            start,
            jac=lambda p: -(counts / n) / p,
            method="SLSQP",
            bounds=[(1e-12, 1)] * len(counts),
            constraints=[
                {"type": "eq", "fun": lambda p: p.sum() - 1},
                {"type": "eq", "fun": lambda p: (p * scores).sum() - mean},
            ],
            options={"ftol": 1e-16, "maxiter": 1000},
        )
        return -result.fun * n

    return best(elo1) - best(elo0)


if __name__ == "__main__":
    for name in ["pairs.csv", "tables.csv"]:
        ratings(name)
    print("single", ratio([0, 0.5, 1], [500, 50, 600], 0, 20))
    print("even", ratio([0, 0.5, 1], [500, 1e-3, 500], 0, 20))
    print("pairs", ratio([0, 0.5, 1], [110, 240, 130], 0, 20))
