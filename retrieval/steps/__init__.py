"""The steps of the answer workflow, each one file: what a model is asked, how its reply is read, what the rules do.

    route       are documents needed?          route-1.txt
    queries     what to search for             queries-1.txt
    chunks      references become chunks: distinct, bounded, fenced as data
    judge       which chunks, and are they enough?  judge-1.txt
    write       the answer                     write-1.txt
    conclude    judge and write in one reply   conclude-1.txt
    citing      what an answer may keep, a package of its own
    prior, extract, bridge, missing    evidence, answer, follow-up and what to ask without a model
    prompts, replies    what prompts and their readers share; courtesies  what is said around a question, or instead

A prompt is a text file with a version in its name; a change makes a new version. Nothing here awaits.
"""
