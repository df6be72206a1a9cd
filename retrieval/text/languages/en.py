"""English."""

from typing import Final

from retrieval.text.languages.language import Frames, Language, SmallTalk, numbered, phrases, words

ENGLISH: Final = Language(
    code="en",
    pointers=words(
        """it its itself he him his she her hers they them their theirs this that these those one ones there here
        such same former latter another other others else more also too then instead"""
    ),
    stop_words=words(
        """a an the and or but nor so yet if of in on at by for from to into onto over under with without within
        about as than is are was were be been being am do does did done doing have has had having can could may
        might must shall should will would i me my mine we us our ours you your yours not no yes any some all each
        every both few many much most least very just only even still ever never again because while whereas
        although though tell say said please know think want need like give get got make made let see up out off
        down between through during before after above below against"""
    ),
    asking=words("who whom whose which what when where why how"),
    months=numbered(
        """january/jan february/feb march/mar april/apr may june/jun july/jul august/aug september/sep/sept
        october/oct november/nov december/dec"""
    ),
    dates=words(
        """monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays
        fridays saturdays sundays mon tue wed thu fri sat sun"""
    ),
    nameless=words(
        """american british english scottish welsh irish french german italian spanish portuguese dutch belgian swiss
        austrian swedish norwegian danish finnish polish czech hungarian romanian bulgarian greek turkish russian
        ukrainian indian pakistani chinese japanese korean vietnamese thai indonesian australian canadian mexican
        brazilian argentine chilean cuban african nigerian egyptian israeli arab arabic iranian iraqi asian european
        latin jewish christian catholic muslim islamic mr mrs ms miss dr sir"""
    ),
    relations=words(
        """of that which who whose where whom when both same older younger earlier first born between also more later
        's"""
    ),
    participles=words("ed ing"),
    joining=words("of the and de del della di da du des la le van von der den in al el y"),
    abbreviations=words(
        """dr mr mrs ms prof st vs eg ie e.g i.e cf fig figs no nos vol pp al ca approx inc ltd co corp jr sr dept est
        u.s u.k u.n d.c a.m p.m ph.d bzw ca usw z.b d.h nr str bd"""
    ),
    names="capitals",
    openers=phrases("yes, no, in short, in brief, in summary, short answer, correct, exactly, not quite, it depends"),
    negations=words(
        """no not never none nobody nothing nowhere neither nor without cannot don't doesn't didn't isn't aren't
        wasn't weren't won't wouldn't can't couldn't shouldn't mustn't needn't hasn't haven't hadn't"""
    ),
    numbers=numbered("one two/twice three/thrice four five six seven eight nine ten eleven twelve/dozen"),
    now=words(
        """today yesterday tomorrow tonight now nowadays currently current recent recently latest newest lately ago
        upcoming"""
    ),
    beside_periods=words("last next past previous coming this following these"),
    periods=words(
        """year years month months week weeks weekend day days quarter quarters decade decades century season summer
        winter spring autumn fall morning evening night monday tuesday wednesday thursday friday saturday sunday
        january february march april may june july august september october november december"""
    ),
    addressing=words(
        """link links linked url urls http https website webpage homepage site address e-mail
        email mail mailbox download domain endpoint portal"""
    ),
    small_talk=SmallTalk(
        greetings=phrases(
            """hi, hi there, hello, hello there, hey, hey there, good morning, good afternoon, good evening, greetings,
            how are you, how are you doing, hello everyone, hi all, nice to meet you"""
        ),
        thanks=phrases(
            """thanks, thank you, thanks a lot, many thanks, thank you very much, thank you so much, thanks so much,
            thx, much appreciated, cheers, thanks again, thank you again, thanks for your help,
            thank you for your help, that's all thanks, great thanks, great thank you, ok thanks, okay thanks,
            perfect thanks"""
        ),
        farewells=phrases(
            """bye, goodbye, good bye, bye bye, see you, see you later, good night, have a nice day, have a good day,
            take care, farewell, have a great day, have a lovely day, have a good one, have a nice weekend,
            have a great weekend, enjoy your day"""
        ),
        asides=phrases(
            """ok, okay, please, alright, all right, great, perfect, excuse me, sorry, quick question,
            one more question, thanks in advance, thank you in advance, please and thank you"""
        ),
        asks=words("can could would please tell i i'm i'd"),
        praise=phrases(
            """thanks, thank you, thank u, thankyou, thx, thnx, tnx, tks, ty, tysm, cheers, much obliged, appreciated,
            appreciate it, appreciate that, appreciate you, appreciate your help, appreciate the help, ok, okay, k,
            kk, alright, all right, great, perfect, awesome, amazing, excellent, fantastic, wonderful, brilliant,
            superb, super, splendid, terrific, fabulous, marvelous, marvellous, outstanding, impressive, incredible,
            cool, nice, good, lovely, neat, sweet, understood, noted, roger that, gotcha, got it, got that, i see, i
            understand, makes sense, make sense, makes perfect sense, made sense, clear now, all clear, crystal
            clear, very clear, that works, works for me, sounds good, sounds great, fair enough, will do, good to
            know, helpful, useful, helps, helped, exactly, spot on, made my day, saved my day, saved me, well done,
            kudos, bravo, wow, yay, hooray, love it, love this, you rock, the best, a star, lifesaver, life saver,
            no problem, no worries, fine by me, that's fine, that's all, that is all, that will be all, that'll be
            all, nothing else, no more questions, no further questions, all good, all set, exactly what i needed,
            just what i needed, what i was looking for, much better, great stuff, good stuff, clears it up,
            clears that up, cleared it up,
            cleared that up, answers my question, answered my question, fine thanks, thats great"""
        ),
        beside=phrases(
            """a lot, a bunch, a million, a ton, a bit, lots, tons, many, million, so, very, really, truly, indeed,
            pretty, quite, just, too, much, that, this, it, that's, it's, was, is, are, were, has, have, been, you,
            u, your, you're, you've, the, a, an, for, me, my, us, i, i'm, we, all, everything, of, to, oh, ah, aha,
            well, yes, yeah, yep, yup, no, now, then, again, always, as always, answer, answers, answering,
            response, responding, reply, explanation, explaining, explaining that, clarification, clarifying, info,
            information, job, work, one, thing, man, mate, dude, buddy, friend, friends, guys, bro, sir, everyone,
            team, your help, the help, all your help, helping, being, exactly, big help, great help, quick, fast,
            detailed, thorough, clear, kind, so kind, patience, your time, time, sure, do, did, be, what i needed,
            needed, and thanks, and thank you, to know, anyway, though, nope, kindly, ta, right, true, correct, i'll
            try, i'll try that, i'll check, i'll have a look, clearing that up, letting me know, getting back to me,
            my question, my questions, answered, in advance, up, thats, happy with, stuff"""
        ),
        replies=("Hello! What would you like to know?", "You are welcome.", "Goodbye!"),
    ),
    frames=Frames(
        nothing="No documents were found for this question.",
        unsearched="No documents were found, and not every search was answered: the record says why.",
        left_out="Documents were found, but none of them may be shown: the record says why.",
        unread="No language model is configured, so nobody has read these passages for you. The best matches:",
        failed="The language model wrote no answer ({why}). These are the best matches:",
        other_language="Language of the documents: {languages}. Without a language model, please ask in it.",
        languages="English German French Spanish Italian Portuguese Chinese Japanese Korean",
        cut="The answer breaks off here: the language model did not finish it.",
        unsure="The documents that were found may not answer this question completely.",
        to_go_on="To go on:",
        missing="**What is missing**",
        sources="**Sources**",
        offer="I answer questions from a collection of documents. What would you like to know?",
    ),
)
