from tests.contracts.answer.cases import CASES
from tests.contracts.answer.golden import write

for case, answer in CASES.items():
    write(case, answer)
