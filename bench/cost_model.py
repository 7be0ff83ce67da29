"""What an iteration of a blocked sampler costs: ratings, numbers, messages and rounds of a sum, and the seconds they take.

The model of docs/distributed.md. B x B blocks, of which an iteration takes B; W is where it is, H comes to it.
"""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Method:
    gradients: int  # an iteration
    moved: int  # arrays of the shape of H that go with a block of it, in one message
    kept: int  # arrays of the shape of x
    summed: int = 0  # numbers of each block that are added over all ranks


METHODS = {
    "dsgld": Method(gradients=1, moved=1, kept=1),
    "dpsgld": Method(gradients=1, moved=2, kept=2),
    "dsghmc": Method(gradients=1, moved=2, kept=2),
    "dhamcmc": Method(gradients=2, moved=4, kept=6, summed=6),
}


@dataclass(frozen=True)
class Problem:
    ratings: int
    users: int
    items: int
    rank: int
    blocks: int

    @property
    def numbers(self):
        return (self.users + self.items) * self.rank


@dataclass(frozen=True)
class Machine:
    rating: float  # seconds a rating and gradient
    number: dict  # of a sampler: seconds to draw a normal and to move a number by it
    latency: float  # seconds a message
    bandwidth: float  # bytes a second


@dataclass(frozen=True)
class Work:  # of one rank in an iteration
    ratings: float
    numbers: float
    messages: float
    bytes: float
    rounds: float  # of messages one after another: a sum over ranks goes up a tree and down again
    bytes_of_round: float


@dataclass(frozen=True)
class Seconds:
    gradient: float
    noise: float
    messages: float
    sums: float

    @property
    def total(self):
        return self.gradient + self.noise + self.messages + self.sums

    @property
    def communication(self):
        return (self.messages + self.sums) / self.total


def owner(block, ranks, blocks):
    return -(-(block + 1) * ranks // blocks) - 1


def blocks_moved(ranks, blocks):
    """Of a rank, on the average over the parts that may follow each other: blocks of H that leave it after an iteration."""
    owners = [owner(b, ranks, blocks) for b in range(blocks)]
    leaving = sum(owners[b] != owners[(b - shift) % blocks] for shift in range(blocks) for b in range(blocks))
    return leaving / blocks / ranks


def work(problem, method, ranks):
    moved = blocks_moved(ranks, problem.blocks)
    of_a_block = 8 * problem.rank * problem.items / problem.blocks
    return Work(
        ratings=method.gradients * problem.ratings / problem.blocks / ranks,
        numbers=problem.numbers / ranks,
        messages=moved,
        bytes=moved * method.moved * of_a_block,
        rounds=2 * math.ceil(math.log2(ranks)) if method.summed else 0,
        bytes_of_round=8 * method.summed * problem.blocks,
    )


def seconds(problem, sampler, ranks, machine):
    """Nothing is taken to be hidden behind computation: an upper bound of what messages cost."""
    one = work(problem, METHODS[sampler], ranks)
    return Seconds(
        gradient=one.ratings * machine.rating,
        noise=one.numbers * machine.number[sampler],
        messages=one.messages * machine.latency + one.bytes / machine.bandwidth,
        sums=one.rounds * (machine.latency + one.bytes_of_round / machine.bandwidth),
    )


def flops(problem, method, ranks):
    """w'h, and e h and e w added to the slopes, are 2 K each."""
    return 6 * problem.rank * work(problem, method, ranks).ratings


def memory(problem, method, ranks):
    """Bytes of a rank: 12 a rating, 4 a user and block, 8 a number and array; the first holds x once more for a draw."""
    share = 12 * problem.ratings + 4 * problem.users * problem.blocks + 8 * problem.numbers * method.kept
    return share / ranks
