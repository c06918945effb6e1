"""Takes messages from the outbox and hands them to workers. An invented program, written as a sample to search in."""

from __future__ import annotations

import heapq
import logging
import random
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

log = logging.getLogger("dispatcher")

RETRY_MINUTES = (1, 5, 30, 120)
LATER_MINUTES = 360
GIVE_UP_HOURS = 72


@dataclass(order=True)
class Message:
    """One message on its way, ordered by when it is due."""

    due: float
    number: int = field(compare=False)
    customer: str = field(compare=False)
    country: str = field(compare=False)
    body: str = field(compare=False)
    tries: int = field(default=0, compare=False)
    created: float = field(default_factory=time.time, compare=False)

    def expired(self, now: float) -> bool:
        """Whether it has been on its way for so long that nobody wants it any more."""
        return now - self.created > GIVE_UP_HOURS * 3600

    def wait(self) -> float:
        """Seconds until the next try, with up to a tenth more so that not all come back at once."""
        minutes = RETRY_MINUTES[self.tries] if self.tries < len(RETRY_MINUTES) else LATER_MINUTES
        return minutes * 60 * random.uniform(1.0, 1.1)


class Limiter:
    """A bucket of tokens for each customer: it fills at a steady rate, and each message takes one."""

    def __init__(self, per_second: float, burst: int) -> None:
        self.per_second = per_second
        self.burst = burst
        self._tokens: dict[str, float] = defaultdict(lambda: float(burst))
        self._seen: dict[str, float] = {}

    def take(self, customer: str, now: float) -> bool:
        """Whether the customer may send now. A first message always may."""
        passed = now - self._seen.get(customer, now)
        self._seen[customer] = now
        filled = min(self.burst, self._tokens[customer] + passed * self.per_second)
        if filled < 1:
            self._tokens[customer] = filled
            return False
        self._tokens[customer] = filled - 1
        return True

    def forget(self, before: float) -> int:
        """Drop the buckets of customers who were quiet since ``before``; how many there were."""
        quiet = [customer for customer, seen in self._seen.items() if seen < before]
        for customer in quiet:
            del self._seen[customer]
            self._tokens.pop(customer, None)
        return len(quiet)


class Router:
    """Chooses the carrier of a country; one that failed too often is left out for a while."""

    TOO_MANY = 5
    PAUSE = 900.0

    def __init__(self, carriers: dict[str, list[str]]) -> None:
        self.carriers = carriers
        self._failures: dict[str, int] = defaultdict(int)
        self._paused: dict[str, float] = {}

    def choose(self, country: str, now: float) -> str:
        """The first carrier of the country that is not paused.

        Raises:
            LookupError: If no carrier is configured for the country, or all of them are paused.
        """
        for carrier in self.carriers.get(country, []):
            if self._paused.get(carrier, 0.0) <= now:
                return carrier
        raise LookupError(f"no route to {country}")

    def failed(self, carrier: str, now: float) -> None:
        """Count a failure. The fifth in a row pauses the carrier for a quarter of an hour."""
        self._failures[carrier] += 1
        if self._failures[carrier] >= self.TOO_MANY:
            log.warning("carrier %s paused", carrier)
            self._paused[carrier] = now + self.PAUSE
            self._failures[carrier] = 0

    def worked(self, carrier: str) -> None:
        """A delivery went through: the count of failures begins anew."""
        self._failures[carrier] = 0


class Duplicates:
    """Remembers the last messages, so that one that a shop posts twice is sent once."""

    def __init__(self, remembered: int = 100_000) -> None:
        self._order: deque[tuple[str, int]] = deque(maxlen=remembered)
        self._known: set[tuple[str, int]] = set()

    def seen(self, message: Message) -> bool:
        """Whether the same customer had the same words delivered to the same country lately."""
        key = (message.customer, hash((message.country, message.body.strip().lower())))
        if key in self._known:
            return True
        if len(self._order) == self._order.maxlen:
            self._known.discard(self._order[0])
        self._order.append(key)
        self._known.add(key)
        return False


class Dispatcher:
    """The loop: what is due goes out, what failed comes back later, what is too old is laid aside."""

    def __init__(
        self,
        router: Router,
        limiter: Limiter,
        send: Callable[[str, Message], bool],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.router = router
        self.limiter = limiter
        self.send = send
        self.clock = clock
        self.duplicates = Duplicates()
        self.dead: list[Message] = []
        self._queue: list[Message] = []
        self._stopping = False

    def accept(self, message: Message) -> bool:
        """Put a new message into the queue; False for one that was accepted before."""
        if self.duplicates.seen(message):
            log.info("message %d is a duplicate", message.number)
            return False
        heapq.heappush(self._queue, message)
        return True

    def due(self) -> Iterator[Message]:
        """Messages whose time has come, the oldest first."""
        now = self.clock()
        while self._queue and self._queue[0].due <= now:
            yield heapq.heappop(self._queue)

    def step(self) -> int:
        """Send everything that is due; how many messages went out."""
        sent = 0
        held: list[Message] = []
        for message in self.due():
            now = self.clock()
            if message.expired(now):
                self.dead.append(message)
                continue
            if not self.limiter.take(message.customer, now):
                message.due = now + 1.0
                held.append(message)
                continue
            try:
                carrier = self.router.choose(message.country, now)
            except LookupError as error:
                log.error("message %d: %s", message.number, error)
                self.again(message)
                continue
            if self.send(carrier, message):
                self.router.worked(carrier)
                sent += 1
            else:
                self.router.failed(carrier, now)
                self.again(message)
        for message in held:
            heapq.heappush(self._queue, message)
        return sent

    def again(self, message: Message) -> None:
        """Another try later."""
        message.due = self.clock() + message.wait()
        message.tries += 1
        heapq.heappush(self._queue, message)

    def requeue(self, number: int) -> bool:
        """Take a message out of the dead-letter queue and begin with it anew; False if it is not there."""
        for place, message in enumerate(self.dead):
            if message.number == number:
                del self.dead[place]
                message.tries = 0
                message.created = message.due = self.clock()
                heapq.heappush(self._queue, message)
                return True
        return False

    def run(self, pause: float = 0.2) -> None:
        """Work until ``stop`` is called; buckets of quiet customers are forgotten once an hour."""
        cleaned = self.clock()
        while not self._stopping:
            if not self.step():
                time.sleep(pause)
            if self.clock() - cleaned > 3600:
                self.limiter.forget(cleaned)
                cleaned = self.clock()

    def stop(self, *_: object) -> None:
        """For signal handlers: finish the step that is under way, then leave."""
        self._stopping = True
