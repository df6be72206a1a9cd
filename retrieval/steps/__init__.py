"""The steps of the answer workflow, each one file: what a model is asked, how its reply is read, what the rules do.

    route       are documents needed?          route-1.txt
    queries     what to search for             queries-1.txt
    chunks      references become chunks: distinct, bounded, fenced as data
    judge       which chunks, and are they enough?  judge-1.txt
    write       the answer                     write-1.txt
    conclude    judge and write in one reply   conclude-1.txt
    citations   what an answer may keep
    prior, extract, bridge    evidence, answer and follow-up without a model

A prompt is a text file with a version in its name; a change makes a new version. Nothing here awaits.
"""
