"""`make conformance`: both runs, what they came to, what was skipped and why."""

import sys

from tests.conformance.runner import LEFT_OUT, VERSION, Outcome, run_in_process, run_knowledge, run_over_loopback
from tests.third_parties import KNOWLEDGE_CONFORMANCE


def main() -> int:
    print(f"Microsoft's tests of azure-search-documents {VERSION}", flush=True)
    outcomes = {"over loopback": run_over_loopback(), "in process": run_in_process()}
    outcomes |= {f"knowledge bases, {version}": run_knowledge(version) for version in KNOWLEDGE_CONFORMANCE}
    for title, outcome in outcomes.items():
        _tell(title, outcome)
    print("not run:")
    for files, reason in LEFT_OUT.items():
        print(f"  {files}*: {reason}")
    return 1 if any(outcome.failed for outcome in outcomes.values()) else 0


def _tell(title: str, outcome: Outcome) -> None:
    print(f"{title}: {outcome.passed} passed, {len(outcome.failed)} failed, {len(outcome.skipped)} skipped")
    for name, reason in outcome.skipped.items():
        print(f"  skipped {name}: {reason}")
    for name, reason in outcome.failed.items():
        print(f"  failed {name}: {reason}")
    if outcome.failed:
        print(outcome.said)


if __name__ == "__main__":
    sys.exit(main())
