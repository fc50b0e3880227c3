"""A discrete-event simulation of servers that share databases; `servers.py` compares it with measurements.

The model is a closed queueing network. A client sends a request, waits for the response, and sends the next one. A request uses the
processor of its server, then of the database once per round trip, waits until the database's log is on disk, and uses the server
again. Each processor has a number of cores and serves requests in the order of their arrival. All transactions that wait for the log
when a write begins are on disk when it ends (group commit).

The costs of a request are measured with one server.
"""

import collections
import dataclasses
import heapq
import itertools
import random
import statistics


@dataclasses.dataclass
class Costs:
    """What one request costs. All times are in seconds."""
    server: float  # processor time of the server
    database: float  # processor time of the database
    client: float  # processor time of the load generator, on the cores of the database; 0 if the load generator has its own machine
    round_trips: int
    network: float  # time of one round trip to the database, without the work of the database
    flush: float  # time of one write of the log, with the wait for a synchronous standby


class Clock:
    """Runs processes, which are generators that yield waits. A wait is a function that gets the clock and a function that resumes the process."""

    def __init__(self, seed):
        self.now = 0.0
        self.random = random.Random(seed)
        self._events = []
        self._order = itertools.count()

    def at(self, time, action):
        heapq.heappush(self._events, (time, next(self._order), action))

    def spawn(self, process):
        def step():
            wait = next(process, None)
            if wait:
                wait(self, step)
        self.at(self.now, step)

    def run(self, until):
        while self._events and not until():
            self.now, _, action = heapq.heappop(self._events)
            action()

    def varied(self, mean):
        """Returns a random service time: half of the mean, plus an exponentially distributed time with the other half as
        its mean."""
        return mean * (0.5 + 0.5 * self.random.expovariate(1)) if mean else 0.0


class Processor:
    """Cores with one queue. `share` is the part of each core that is available: 0.2 in a container that may use a fifth of a core."""

    def __init__(self, cores, share=1.0):
        self.idle = cores
        self.share = share
        self.waiting = collections.deque()

    def use(self, mean):
        """Returns a wait that ends when a core has served the request. `mean` is the mean service time on a whole core."""
        def wait(clock, resume):
            self.waiting.append((clock.varied(mean) / self.share, resume))
            self._next(clock)
        return wait

    def _next(self, clock):
        while self.idle and self.waiting:
            time, resume = self.waiting.popleft()
            self.idle -= 1

            def done(resume=resume):
                self.idle += 1
                self._next(clock)
                resume()
            clock.at(clock.now + time, done)


class Log:
    """The write-ahead log. One write takes a constant time and includes all transactions that wait when it begins."""

    def __init__(self, flush):
        self.flush = flush
        self.waiting = []
        self.is_writing = False

    def commit(self):
        """Returns a wait that ends when a write that began after the call has ended."""
        def wait(clock, resume):
            self.waiting.append(resume)
            if not self.is_writing:
                self._write(clock)
        return wait

    def _write(self, clock):
        batch, self.waiting = self.waiting, []
        self.is_writing = bool(batch)

        def done():
            for resume in batch:
                resume()
            self._write(clock)
        if batch:
            clock.at(clock.now + self.flush, done)


def delay(time):
    return lambda clock, resume: clock.at(clock.now + time, resume)


def simulate(costs, servers, clients, server_cores, server_share, database_cores, database_share=1.0, shards=1, rounds=20, seed=1):
    """Returns the number of requests per second, and the median and the 99th percentile of their durations in seconds.

    `clients` is the number of clients of each server, and `shards` the number of databases. `server_share` and `database_share` are the
    available parts of each core. The simulation ends after `rounds` requests of each client on average, and after at least 10,000 requests in
    total. The first fifth of the requests is not counted.
    """
    clock = Clock(seed)
    databases = [(Processor(database_cores, database_share), Log(costs.flush)) for _ in range(shards)]
    latencies = []
    requests = max(rounds * servers * clients, 10_000)
    ended = 0  # the number of requests that have ended
    warm = 0  # the time at which the first fifth of the requests had ended; 0 before that time

    def client(server, database, log):
        nonlocal ended, warm
        # The clients do not start at the same time, so that their requests are not synchronized.
        yield delay(clock.random.random() * 0.01)
        while True:
            began = clock.now
            if costs.client:
                yield database.use(costs.client)
            # The model assumes that the server does 60% of its work before the round trips to the database.
            yield server.use(costs.server * 0.6)
            for _ in range(costs.round_trips):
                yield delay(costs.network)
                yield database.use(costs.database / costs.round_trips)
            if costs.flush:
                yield log.commit()
            yield server.use(costs.server * 0.4)
            ended += 1
            if ended == requests // 5:
                warm = clock.now
            elif warm:
                latencies.append(clock.now - began)

    for number in range(servers):
        server = Processor(server_cores, server_share)
        for _ in range(clients):
            # Each client refreshes one grant, whose identifier names its database. The grants of a server's clients are
            # in all databases.
            clock.spawn(client(server, *databases[clock.random.randrange(shards)]))
    clock.run(until=lambda: ended == requests)
    latencies.sort()
    return (len(latencies) / (clock.now - warm), statistics.median(latencies), latencies[int(len(latencies) * 0.99)])
