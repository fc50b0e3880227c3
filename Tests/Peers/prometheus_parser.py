"""Reads metrics from standard input with Prometheus' library for Python, and prints each metric with its type.

Fails if the library finds no metrics, a metric has no help text, or a histogram contradicts itself.
"""
import sys

from prometheus_client.parser import text_string_to_metric_families

families = list(text_string_to_metric_families(sys.stdin.read()))
for family in families:
    print(family.name, family.type)
    if not family.documentation:
        sys.exit(f"{family.name} has no help")
    if family.type != "histogram":
        continue
    counts = {}
    for sample in family.samples:
        labels = tuple(sorted((name, value) for name, value in sample.labels.items() if name != "le"))
        counts.setdefault((sample.name, labels), []).append(sample.value)
    # Each bucket counts its values and the values of all buckets before it, so the last bucket counts all values.
    for (name, labels), values in counts.items():
        if name.endswith("_bucket") and (values != sorted(values) or values[-1] != counts[family.name + "_count", labels][0]):
            sys.exit(f"{name}{labels} does not add up: {values}")
if not families:
    sys.exit("no metrics found")
