"""What an answer may keep. `citations` is the way in: `check` takes an answer apart and puts together what holds.

markdown     blocks of an answer; `remains`: which of them still stand when others went
pieces       what a block consists of; `written`: pieces as text again, so that a renderer finds nothing else
statements   the sentences of a block; `claims`: each with what it rests on; `admissions`: that say what is missing
basis        what it may rest on; `code`: whether code does
cited        which chunks a citation names; `quotations`: where quoted words stand; `addresses`: which may be linked
"""
