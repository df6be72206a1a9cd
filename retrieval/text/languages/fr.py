"""French."""

from typing import Final

from retrieval.text.languages.language import (
    LETTERS,
    Frames,
    Language,
    SmallTalk,
    numbered,
    phrases,
    words,
)

FRENCH: Final = Language(
    code="fr",
    pointers=words(
        """il elle ils elles lui leur leurs eux son sa ses cet cette ces ceci cela ça celui celle ceux celles là ici
        même mêmes tel telle tels telles autre autres aussi alors ensuite sinon"""
    ),
    stop_words=words(
        """le la les l un une des du de d au aux à et ou mais ni donc que qu ne pas n plus non oui est suis es
        sommes êtes sont était étaient étais être sera seront serait ont a ai as avons avez avait avaient avoir eu
        fait faire fais font peut peux peuvent pouvez pouvons pourrait doit dois doivent devrait faut veux veut voulez
        voudrais je j tu nous vous me m te t se s mon ma mes ton ta tes notre nos votre vos on soi dans sur sous par
        pour avec sans chez entre vers depuis jusque jusqu avant après pendant contre selon si comme très bien tout
        tous toute toutes chaque quelque quelques plusieurs peu beaucoup moins encore toujours jamais déjà c dont puis
        parce puisque lorsque afin dire dis dites sais savez savoir pense connaître merci svp plaît ce ci y
        en aujourd hui été aucun aucune"""
    ),
    asking=words(
        """qui quoi quel quelle quels quelles où quand pourquoi comment combien lequel laquelle lesquels lesquelles
        duquel auquel"""
    ),
    months=numbered(
        """janvier/janv février/févr mars avril/avr mai juin juillet août septembre/sept octobre/oct
        novembre/nov décembre/déc"""
    ),
    dates=words("""juil lundi mardi mercredi jeudi vendredi samedi dimanche"""),
    nameless=words(
        """français française françaises anglais anglaise britannique britanniques allemand allemande allemands italien
        italienne italiens espagnol espagnole espagnols portugais portugaise belge belges suisse suisses américain
        américaine américains canadien canadienne canadiens québécois russe russes chinois chinoise japonais japonaise
        indien indienne indiens arabe arabes africain africaine africains européen européenne européens grec grecs turc
        turcs polonais polonaise néerlandais autrichien autrichiens catholique catholiques chrétiens juifs musulmans m
        mm mme mmes mlle monsieur madame mademoiselle docteur dr saint sainte article chapitre figure"""
    ),
    relations=words(
        """de du des d' qui dont où quel quelle quels quelles lequel laquelle deux mêmes même né née nés entre aussi
        plus premier première tard tôt jeune âgé"""
    ),
    joining=words("de du des la le les d et en sur sous von van del der al"),
    abbreviations=LETTERS
    | words(
        """adr al apr appt av bd bibl boul c.-à-d ca cf ch coll dir dr env ex fasc i.e ibid inc j.-c jr ltd ltée mgr mm
        mr p.ex ph.d pp préf prof réf sc sr st ste suiv trad u.k u.s vol vs"""
    ),
    numbered=words("art chap fig hab id max min no nos n° part pl tab tel tél"),
    names="capitals",
    joins="",
    openers=phrases("oui, non, si, en bref, en résumé, pour résumer, réponse courte, exactement, pas tout à fait"),
    negations=words("ne n pas jamais aucun aucune rien sans ni non nul nulle"),
    numbers=numbered("un/une deux trois quatre cinq six sept huit neuf dix onze douze/douzaine"),
    now=words(
        """aujourd aujourd'hui hier demain maintenant actuellement actuel actuelle actuels actuelles récent récente
        récents récentes récemment dernièrement désormais"""
    ),
    beside_periods=words(
        """dernier dernière derniers dernières prochain prochaine prochains prochaines passé passée passés ce cet cette
        ces depuis y"""
    ),
    periods=words(
        """an ans année années mois semaine semaines jour jours trimestre décennie siècle été hiver printemps automne
        lundi mardi mercredi jeudi vendredi samedi dimanche janvier février mars avril mai juin juillet août septembre
        octobre novembre décembre"""
    ),
    addressing=words("lien liens url adresse site courriel e-mail email mail télécharg domaine portail"),
    small_talk=SmallTalk(
        greetings=phrases(
            """bonjour, salut, bonsoir, coucou, bonjour à tous, comment allez vous, comment ça va, ça va,
            bonjour monsieur, bonjour madame"""
        ),
        thanks=phrases(
            """merci, merci beaucoup, merci bien, un grand merci, merci à vous, merci pour votre aide,
            merci pour ton aide, mille mercis, ok merci, parfait merci"""
        ),
        farewells=phrases(
            """au revoir, à bientôt, bonne nuit, bonne journée, bonne soirée, à demain, à plus tard,
            bonne fin de journée, bon week end"""
        ),
        asides=phrases("s'il vous plaît, s'il te plaît, excusez moi, d'accord, pardon, merci d'avance, une question"),
        asks=words("que qu'est est pouvez peux peut pourriez je j'aimerais y"),
        praise=phrases(
            """merci, mercis, remercie, ok, okay, d'accord, d'acc, parfait, parfaite, super, génial, géniale,
            excellent, excellente, formidable, magnifique, merveilleux, fantastique, impeccable, nickel, top, bravo,
            chouette, cool, très bien, c'est bien, bien, très bon, très bonne, entendu, compris, je comprends, je
            vois, c'est clair, très clair, plus clair, c'est noté, c'est bon, noté, bien reçu, ça marche, ça roule,
            ça me va, utile, utiles, m'aide, ça aide, aidé, aidée, wow, bonne réponse, bien joué, bon à savoir,
            c'est tout, ce sera tout, rien d'autre, sympa, gentil, gentille, reconnaissant, reconnaissante, ce que
            je cherchais, ce qu'il me fallait, ce que je voulais savoir, répond à ma question, répondu à ma question"""
        ),
        beside=phrases(
            """beaucoup, très, vraiment, tellement, trop, tout, tout à fait, exactement, c'est, c'était, ça, cela, ce,
            est, était, m'a, m'ont, vous m'avez, tu m'as, pour, votre, ton, ta, vos, tes, votre aide, ton aide,
            l'aide, cette aide, la réponse, cette réponse, réponse, réponses, l'explication, explication,
            explications, les explications, ces explications, les infos, les informations, ces informations, ces
            infos, l'info, l'information, vous, te, toi, à vous, à toi, êtes, le meilleur, la meilleure, me, moi,
            j'ai, je, suis, oui, non, ah, oh, eh, alors, donc, encore, encore une fois, infiniment, mille, mille
            fois, un grand, grand, également, aussi, maintenant, pour le moment, pour l'instant, voilà, rapide,
            claire, complète, précise, de, avoir répondu, mieux, clair, de votre part, et merci, bien, d'avance,
            par avance, avez, as"""
        ),
        replies=("Bonjour ! Que souhaitez-vous savoir ?", "Je vous en prie.", "Au revoir !"),
    ),
    frames=Frames(
        nothing="Aucun document n’a été trouvé pour cette question.",
        unsearched="Aucun document n’a été trouvé, des recherches restent sans réponse : le journal dit pourquoi.",
        left_out="Des documents ont été trouvés, mais aucun n’est montré : le journal dit pourquoi.",
        unread=(
            "Aucun modèle de langage n’est configuré : personne n’a lu ces passages pour vous. Les "
            "meilleurs résultats :"
        ),
        failed="Le modèle de langage n’a pas écrit de réponse ({why}). Les meilleurs résultats :",
        other_language="Langue des documents : {languages}. Sans modèle de langage, demandez dans cette langue.",
        languages="anglais allemand français espagnol italien portugais chinois japonais coréen",
        cut="La réponse s’interrompt ici : le modèle de langage ne l’a pas terminée.",
        unsure="Les documents trouvés ne répondent peut-être pas entièrement à cette question.",
        to_go_on="Pour continuer :",
        missing="**Ce qui manque**",
        sources="**Sources**",
        offer="Je réponds aux questions à partir d’une collection de documents. Que souhaitez-vous savoir ?",
    ),
)
