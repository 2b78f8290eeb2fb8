# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures of a benchmark as JSON objects, a line each, as bench.h has them."""

import json
import statistics


def spread(values):
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}


def report(group, name, unit, values, bound=None, limits=None, limit_name=None):
    """Values of several runs; of each the ratio to its limit, where there are any."""
    line = {"group": group, "name": name, "unit": unit, "runs": len(values), "value": spread(values)}
    if limits:
        line |= {"limit": spread(limits), "limit_name": limit_name,
                 "ratio": spread([value / limit for value, limit in zip(values, limits)])}
    if bound:
        line["bound"] = bound
    print(json.dumps(line, ensure_ascii=False), flush=True)
