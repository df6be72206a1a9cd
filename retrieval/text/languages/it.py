"""Italian."""

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

ITALIAN: Final = Language(
    code="it",
    pointers=words(
        """egli ella esso essa essi esse lui lei loro gli suo sua suoi sue questo questa questi queste ciò quello
        quella quelli quelle lì là qui qua ci ne stesso stessa stessi stesse altro altra altri altre anche inoltre
        poi allora"""
    ),
    stop_words=words(
        """il lo la i le un uno una l d c dell all nell sull dall del dello della dei degli delle al allo alla ai
        agli alle dal dalla dai dalle nel nello nella nei negli nelle sul sulla sui sulle di a da in con su per
        tra fra e ed o ma né che se non sì è sono siamo era erano fu furono essere ha ho hai hanno
        aveva avere fa fare fatto può posso possono potere deve devo voglio vorrei mi ti vi si io tu noi voi mio
        mia miei mie tuo tua nostro nostra vostro vostra senza sotto sopra verso fino durante contro dopo prima
        più meno molto molta molti molte poco già ancora sempre mai tutto tutta tutti tutte ogni qualche alcuni
        alcune perché mentre quel quei dimmi dire sapere"""
    ),
    asking=words("chi cosa quale quali qual quando dove come quanto quanta quanti quante"),
    months=numbered(
        """gennaio/gen febbraio/feb marzo/mar aprile/apr maggio/mag giugno/giu luglio/lug agosto/ago
        settembre/set ottobre/ott novembre/nov dicembre/dic"""
    ),
    dates=words("""lunedì martedì mercoledì giovedì venerdì sabato domenica"""),
    nameless=words(
        """italiano italiana italiani italiane inglese inglesi britannico francese francesi tedesco tedesca tedeschi
        spagnolo spagnola spagnoli portoghese americano americana americani russo russa russi cinese cinesi giapponese
        giapponesi africano europeo europea europei greco greci turco turchi svizzero austriaco cattolici ebrei sig sigg
        dott prof signor signora san santa santo articolo capitolo figura"""
    ),
    relations=words(
        """di del dello della dell' dei degli delle che chi cui quale quali dove entrambi entrambe stesso stessa
        maggiore minore primo prima nato nata tra fra anche più dopo"""
    ),
    joining=words("di del della dei degli delle da dal d e la lo le il von van de al"),
    abbreviations=LETTERS
    | words(
        """a.c all app avv c.a ca cap cf cit co d.c dir dott dr dssa e.g ecc ed es fasc geom gr i.e ibid inc ing jr lett
        mons mr on p.es pag pagg ph.d pp prof rag sec seg sg sig sigg sigra spett ss trad u.k u.s vs"""
    ),
    numbered=words("art artt fig max min no nº nr par tab tel vol"),
    names="capitals",
    joins="",
    openers=phrases(
        "sì, no, in breve, in sintesi, in poche parole, risposta breve, esatto, corretto, non proprio, dipende"
    ),
    negations=words("non mai nessun nessuno nessuna niente nulla né senza"),
    numbers=numbered("un/uno/una due tre quattro cinque sei sette otto nove dieci undici dodici/dozzina"),
    now=words("oggi ieri domani adesso ora attualmente attuale attuali recente recenti recentemente ultimamente fa"),
    beside_periods=words(
        """ultimo ultima ultimi ultime prossimo prossima prossimi prossime scorso scorsa scorsi scorse passato passata
        questo questa questi queste quest"""
    ),
    periods=words(
        """anno anni mese mesi settimana settimane giorno giorni trimestre decennio secolo estate inverno primavera
        autunno lunedì martedì mercoledì giovedì venerdì sabato domenica gennaio febbraio marzo aprile maggio giugno
        luglio agosto settembre ottobre novembre dicembre"""
    ),
    addressing=words("link collegament url indirizz sito e-mail email scaric dominio portale"),
    small_talk=SmallTalk(
        greetings=phrases("ciao, buongiorno, buonasera, salve, buon giorno, buona sera"),
        thanks=phrases("grazie, grazie mille, molte grazie, tante grazie"),
        farewells=phrases("arrivederci, buonanotte, buona notte, a presto, a domani, buona giornata, buona serata"),
        asides=phrases("per favore, scusi, scusa"),
        asks=words("che perché può puoi potrebbe vorrei"),
        praise=phrases(
            """grazie, ringrazio, ok, okay, va bene, d'accordo, capito, capisco, chiaro, chiarissimo, inteso, ricevuto,
            perfetto, perfetta, ottimo, ottima, fantastico, fantastica, eccellente, meraviglioso, splendido,
            stupendo, magnifico, geniale, bravo, brava, bravissimo, bene, benissimo, bello, bellissimo, super,
            utile, utilissimo, utilissima, mi aiuta, aiuta molto, aiutato, aiutata, buono a sapersi, buona risposta,
            ben fatto, è tutto, nient'altro, wow, gentile, gentilissimo, ha senso, quello che cercavo, quello che mi
            serviva, risponde alla mia domanda, risposto alla mia domanda"""
        ),
        beside=phrases(
            """mille, molte, tante, molto, tanto, davvero, veramente, proprio, così, tutto, è, era, ho, ha, hai, mi ha,
            questo, questa, quello, ciò, mi, ti, la, lei, sei, stato, stata, per, per la risposta, della risposta,
            dell'aiuto, per avermi risposto, risposta, l'aiuto, il tuo aiuto, il suo aiuto, spiegazione, la
            spiegazione, le informazioni, le info, informazioni, di cuore, ancora, di nuovo, a lei, a te, a voi, sì,
            no, ah, oh, allora, ora, adesso, per ora, esattamente, chiara, rapida, di tutto, un lavoro, lavoro, e
            grazie, in anticipo"""
        ),
        replies=("Buongiorno! Che cosa desidera sapere?", "Prego.", "Arrivederci!"),
    ),
    frames=Frames(
        nothing="Non è stato trovato alcun documento per questa domanda.",
        unsearched="Nessun documento è stato trovato, e non tutte le ricerche hanno risposto: il registro dice perché.",
        left_out="Sono stati trovati documenti, ma nessuno viene mostrato: il registro dice perché.",
        unread=(
            "Non è configurato alcun modello linguistico, quindi nessuno ha letto questi passaggi per "
            "Lei. I risultati migliori:"
        ),
        failed="Il modello linguistico non ha scritto una risposta ({why}). I risultati migliori:",
        other_language="Lingua dei documenti: {languages}. Senza modello linguistico, chieda in questa lingua.",
        languages="inglese tedesco francese spagnolo italiano portoghese cinese giapponese coreano",
        cut="La risposta si interrompe qui: il modello linguistico non l’ha terminata.",
        unsure="I documenti trovati forse non rispondono completamente a questa domanda.",
        to_go_on="Per continuare:",
        missing="**Che cosa manca**",
        sources="**Fonti**",
        offer="Rispondo a domande a partire da una raccolta di documenti. Che cosa desidera sapere?",
    ),
)
