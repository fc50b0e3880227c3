"""Formats the results as Markdown, as in docs/performance.md.

The limit of an operation is the rate of a bare server that does only the necessary work for the same requests: signatures, and reads
and writes of rows. A result also has the name, the p99, and the processor time of its limit.
"""


def line(result):
    """One line for the terminal, which is printed as soon as the operation is measured."""
    return (f"{result['name']:<18} {result['connections']:>2}: {result['rate']:>8,.0f}/s  p50 {result['p50']:.2f} ms  "
            f"p99 {result['p99']:.2f} ms  {result['processor']:.0f} us  {share(result)} of {result['limit']}")


def share(result):
    """The median share of the limit, and the range of the shares of all turns."""
    shares = result["shares"]
    return f"{result['share']:.2f} ({shares[0]:.2f}–{shares[-1]:.2f})"


def markdown(results):
    machine = results["machine"]
    parts = [f"{machine['date']}, commit {machine['commit']}, {machine['cores']} cores ({machine['processor']}), "
             f"Linux {machine['kernel']}, Swift {machine['swift']}. Load average before {machine['load']:.1f}, "
             f"after {results['load']:.1f} (the run itself causes about 2).", "", *_operations(results), ""]
    if "memory" in results:
        memory = results["memory"]
        parts += [f"Start to first response: {results['start']:.0f} ms. Memory idle: {memory['idle']:.0f} MiB, "
                  f"highest under load: {memory['load']:.0f} MiB.", ""]
    if "rates" in results:
        parts += [*_rates(results["rates"]), ""]
    if "commands" in results:
        parts += [*_commands(results["commands"]), ""]
    return "\n".join(parts)


def _operations(results):
    if results.get("store") == "postgres":
        return _operations_on_postgres(results)
    rows = [f"Medians of {results['turns']} turns of {results['seconds']} s, each between two turns of the limit. "
            "The share of the limit is the median of the shares of all turns, with their range in parentheses.", "",
            "| operation | connections | per second | p50, ms | p99, ms | processor, µs | limit per second | share of the limit | p99 of the limit, ms | processor of the limit, µs |",
            "|---|---|---|---|---|---|---|---|---|---|"]
    for result in results["operations"]:
        rows.append(
            f"| {result['name']} | {result['connections']} | {result['rate']:,.0f} | {result['p50']:.2f} | {result['p99']:.2f} "
            f"| {result['processor']:.0f} | {result['limit']}: {result['limit_rate']:,.0f} | {share(result)} "
            f"| {result['limit_p99']:.2f} | {result['limit_processor']:.0f} |")
    return rows


def _operations_on_postgres(results):
    rows = [f"On PostgreSQL on the same cores. Medians of {results['turns']} turns of {results['seconds']} s, each between two turns of "
            "the limit. The share of the limit is the median of the shares of all turns, with their range in parentheses.", "",
            "| operation | connections | per second | p50, ms | p99, ms | processor of sallyportd, µs | of PostgreSQL, µs | disk writes "
            "| limit per second | share of the limit | share of pgbench |",
            "|---|---|---|---|---|---|---|---|---|---|---|"]
    for result in results["operations"]:
        pgbench = f"{result['rate'] / result['pgbench']:.2f} of {result['pgbench']:,.0f}" if "pgbench" in result else ""
        rows.append(
            f"| {result['name']} | {result['connections']} | {result['rate']:,.0f} | {result['p50']:.2f} | {result['p99']:.2f} "
            f"| {result['processor']:.0f} | {result['database']:.0f} | {result['writes']:.2f} "
            f"| {result['limit']}: {result['limit_rate']:,.0f} | {share(result)} | {pgbench} |")
    return rows


def _rates(rates):
    signatures, tokens, commits = rates["signatures"], rates["tokens"], rates["commits"]
    grouped = commits["grouped"]
    return [
        "| operations per second | |", "|---|---|",
        f"| ES256 signatures, swift-crypto, one core | {signatures['signature']:,.0f} |",
        f"| complete ES256 tokens, JWSSerializer, one core | {signatures['serializer']:,.0f} |",
        f"| complete ES256 tokens, JWTKit, one core | {signatures['jwtKit']:,.0f} |",
        f"| ES256 verifications, swift-crypto, one core | {signatures['verification']:,.0f} |",
        f"| requests accepted by an API, with a cached token, one core | {tokens['remembered']:,.0f} |",
        f"| the same, a new token each time | {tokens['new']:,.0f} |",
        f"| the same, a cached bound token and a new DPoP proof each time | {tokens['bound']:,.0f} |",
        f"| SQLite commits of one row, `synchronous=FULL`, alone | {commits['alone']:,.0f} |",
        *(f"| the same through the store's group commit, {callers} callers | {rate:,.0f} |"
          for callers, rate in sorted(_pairs(grouped), key=lambda pair: pair[0])),
        f"| Argon2id verifications, 19 MiB, t=2, one core | {rates['passwordsOneCore']:,.0f} |",
        f"| the same on all cores | {rates['passwordsAllCores']:,.0f} |",
    ]


def _pairs(grouped):
    """The pairs (number of callers, rate). Swift encodes a dictionary with integer keys as a JSON object, or as a list in which each key
    is followed by its value."""
    if isinstance(grouped, dict):
        return [(int(callers), rate) for callers, rate in grouped.items()]
    return list(zip(grouped[::2], grouped[1::2]))


def _commands(commands):
    def cell(times):
        return f"{times['median']:.1f} ms ({times['best']:.1f} at best)" if times else "not measured"
    return ["| command, from fork to end | |", "|---|---|", f"| a static Swift program that does nothing | {cell(commands['empty'])} |",
            f"| `sallyport token` with a valid stored token | {cell(commands['token'])} |"]
