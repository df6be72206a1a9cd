from tests.contracts.foundry.cases import CASES
from tests.contracts.foundry.golden import write

for case, answer in CASES.items():
    write(case, answer)
