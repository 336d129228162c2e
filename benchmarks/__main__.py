"""Run the benchmarks and print their tables: ``python -m benchmarks``."""

from benchmarks import per_call
from benchmarks.timing import machine


def main() -> None:
    """Print every table with the machine's description."""
    print(f'Machine: {machine()}\n')
    for line in per_call.rows():
        print(line, flush=True)


if __name__ == '__main__':
    main()
