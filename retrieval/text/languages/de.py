"""German."""

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

_MONTHS: Final = numbered(
    """januar/jänner/jan februar/feber/feb märz/mär april/apr mai juni/jun juli/jul august/aug september/sep/sept
    oktober/okt november/nov dezember/dez"""
)

GERMAN: Final = Language(
    code="de",
    pointers=words(
        """er ihn ihm ihr ihre ihren ihrem ihrer ihres seine seinen seinem seiner seines sie ihnen dies diese diesen
        diesem dieser dieses jene jenen jenem jener jenes dort hier dorthin dahin daher dabei dafür dagegen danach
        daran darauf daraus darin darüber darum davon davor dazu dazwischen solche solchen solcher solches
        derselbe dieselbe dasselbe denselben demselben derselben dieselben andere anderen anderem anderer anderes
        sonst auch dann stattdessen ersterer letzterer"""
    ),
    polite=frozenset(("Sie", "Ihnen", "Ihr", "Ihre", "Ihren", "Ihrem", "Ihrer", "Ihres")),
    stop_words=words(
        """der die das den dem des ein eine einen einem einer eines und oder aber sondern denn doch jedoch nicht kein
        keine keinen keinem keiner keines ist sind bin bist war waren warst gewesen sei wäre wären wird
        werden wurde wurden worden würde würden hat haben habe hast hatte hatten gehabt hätte hätten kann können
        könnte könnten konnte konnten muss müssen musste mussten soll sollen sollte sollten darf dürfen durfte
        durften mag mögen möchte möchten will wollen wollte wollten tun tut tat getan ich mich mir mein meine
        meinen meinem meiner meines du dich dir dein deine deinen deinem deiner deines wir uns unser unsere
        unseren unserem unserer unseres ihr euch euer eure euren eurem eurer eures man sich selbst in im ins an am
        ans auf aufs aus bei beim mit nach von vom vor zu zum zur für über unter um durch gegen ohne bis seit
        während wegen trotz zwischen hinter neben außer als ob wenn falls weil dass damit so wie sehr noch nur
        schon etwa ja nein bitte alle allen aller alles jede jeden jedem jeder jedes einige einigen etwas
        viel viele vielen mehr meisten wenig wenige immer nie wieder es sein da damit dessen deren gibt gab geben
        sag sage sagen sagt denke denken brauche brauchen gern"""
    ),
    asking=words(
        """was wer wen wem wessen wo woher wohin wann warum weshalb wieso wozu wie wieviel wieviele welche welchen
        welchem welcher welches worüber womit wofür worin woran worauf woraus wovon"""
    ),
    months=_MONTHS,
    dates=words(
        "montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag mo di mi do fr sa so wochenende"
    ),
    nameless=words(
        """deutsche deutschen deutscher deutsch deutsches österreicher schweizer franzose franzosen französisch
        engländer englisch engländerin brite briten spanier spanisch italiener italienisch türke türken türkisch russe
        russen russisch pole polen polnisch chinese chinesen chinesisch japaner japanisch amerikaner amerikanische
        amerikanischen amerikanischer europäer europäische europäischen europäischer niederländer grieche griechen
        schwede schweden däne dänen inder araber afrikaner katholik katholiken protestanten christen juden muslime herr
        herrn frau dr prof doktor professor ende anfang mitte beginn anfangs jahr jahre jahren jahres jahrhundert
        jahrhunderts tag tage tagen woche wochen monat monate monaten stunde stunden minute minuten sekunde sekunden uhr
        prozent euro cent dollar franken mark million millionen milliarde milliarden tausend hundert dutzend paar meter
        metern kilometer kilometern zentimeter millimeter quadratmeter quadratkilometer kubikmeter hektar grad zoll fuß
        meilen knoten liter litern gramm kilo kilogramm pfund zentner tonne tonnen volt watt kilowatt megawatt hertz
        stück stücke glas gläser tasse tassen flasche flaschen becher dose dosen eimer kasten kiste kisten sack säcke
        schachtel packung packungen päckchen beutel tüte tüten teller schale schalen kanne kannen krug fass fässer rolle
        rollen haufen schluck tropfen handvoll löffel teelöffel esslöffel scheibe scheiben seite seiten blatt blätter
        prise bund art arten anzahl menge mengen teil teile sorte sorten reihe reihen gruppe gruppen hälfte drittel
        viertel morgen abend nachmittag mittag nacht vormittag früh heute guten gute liebe lieber sehr geehrte geehrter
        damen herren artikel absatz kapitel abschnitt punkt nummer zeile abbildung tabelle schritt stufe version band
        klasse raum zimmer stock etage haus gleis tor null eins zwei drei vier fünf sechs sieben acht neun zehn elf
        zwölf"""
    ),
    relations=words(
        """des dessen deren von vom welche welchen welchem welcher welches wer wo wem wessen beide beiden beides selben
        gleichen älter jünger früher später zuerst erste ersten geboren zwischen auch mehr"""
    )
    | phrases(", der; , die; , das; , den; , dem", divided_by=";"),
    joining=words("von vom zu zum zur der den dem des de la van"),
    abbreviations=LETTERS
    | words(
        """abb abs abt allg anm aufl bd bearb begr bes betr bez bsp bspw bzgl bzw ca cf chr co dgl dipl dr ebd einschl
        entspr ev evtl ff fr geb gegr ges gest ggf hbf hg hl hr hrsg inc inkl insb insbes jh jhd jhdt jr kath lt ltd mio
        mr mrd mrs nachm nr nrn od ph.d phil pp prof resp rd sog sr st std stellv str tel tsd u.a u.k u.s u.u usf usw
        vgl vorm vs z.b z.t z.zt d.h zit zt zzgl zzt"""
    ),
    numbered=words("akt art bde fig kap max min no nos par pos rn seite sp tab vol ziff"),
    ordinals=words(
        """jahrhundert jahrhunderts jahrhunderten jahrtausend jahrtausends weltkrieg weltkriegs weltkrieges jahrestag
        geburtstag todestag lebensjahr lebensjahres tag tages tage monat jahr jahres woche stunde minute mal
        kapitel kapitels auflage auflagen ausgabe band teil teils klasse stock stockwerk etage obergeschoss platz
        platzes rang runde liga bundesliga semester quartal quartals halbjahr schritt schritts stufe version satz
        absatz advent sonntag montag dienstag mittwoch donnerstag freitag samstag bezirk division armee grad
        grades ordnung"""
    )
    | _MONTHS.keys(),
    names="runs",
    openers=phrases(
        "ja, nein, kurz, kurz gesagt, zusammengefasst, kurze antwort, richtig, genau, nicht ganz, es kommt darauf an"
    ),
    negations=words(
        "nicht kein keine keinen keinem keiner keines nie niemals niemand niemanden nichts nirgends weder ohne"
    ),
    numbers=numbered(
        "ein/eins/eine/einen/einem/einer zwei/zweimal drei/dreimal vier fünf sechs sieben acht neun zehn elf zwölf"
    ),
    now=words(
        """heute gestern vorgestern morgen übermorgen jetzt derzeit momentan gegenwärtig zurzeit heutzutage aktuell
        aktuelle aktueller aktuelles aktuellen aktuellem kürzlich neulich neueste neuesten neuester neuestes jüngste
        jüngsten bisher"""
    ),
    beside_periods=words(
        """letzte letzten letzter letztes letztem vergangene vergangenen vergangenes vorige vorigen voriges nächste
        nächsten nächster nächstes kommende kommenden kommendes diese diesen dieser dieses diesem seit vor"""
    ),
    periods=words(
        """jahr jahre jahren jahres monat monate monaten monats woche wochen wochenende tag tage tagen quartal quartale
        jahrzehnt jahrzehnte jahrzehnten sommer winter frühling frühjahr herbst montag dienstag mittwoch donnerstag
        freitag samstag sonntag januar februar märz april mai juni juli august september oktober november dezember"""
    ),
    addressing=words(
        """link links weblink downloadlink verlinkt url urls adresse adressen webseite webseiten website homepage
        internetseite e-mail email mail domain download portal"""
    ),
    small_talk=SmallTalk(
        greetings=phrases(
            """hallo, guten morgen, guten tag, guten abend, servus, moin, grüß gott, grüezi, hallo zusammen,
            wie geht es dir, wie geht es ihnen, wie geht's"""
        ),
        thanks=phrases(
            """danke, danke schön, dankeschön, vielen dank, danke sehr, besten dank, herzlichen dank, danke dir,
            danke ihnen, danke für die hilfe, vielen dank für ihre hilfe, vielen dank für deine hilfe, ok danke,
            super danke"""
        ),
        farewells=phrases(
            """tschüss, tschüs, auf wiedersehen, gute nacht, bis bald, bis später, schönen tag noch, bis morgen,
            schönen abend noch, schönen tag, einen schönen tag noch, schönes wochenende"""
        ),
        asides=phrases("bitte, entschuldigung, danke im voraus, alles klar, in ordnung, eine frage, noch eine frage"),
        asks=words("kann können könnte könntest könnten darf gibt ich ist sind hat haben"),
        praise=phrases(
            """danke, dankeschön, danke schön, dank, vielen dank, besten dank, herzlichen dank, tausend dank, thx, ok,
            okay, alles klar, in ordnung, passt, gut, prima, super, klasse, spitze, perfekt, ausgezeichnet,
            hervorragend, wunderbar, großartig, grossartig, fantastisch, genial, cool, schön, sehr schön, top, echt
            toll, ganz toll, ist toll, sehr toll, hilfreich, hilft, geholfen, weitergeholfen, weiterhilft,
            verstanden, verstehe, leuchtet ein, wieder was gelernt, gut zu wissen, einverstanden, bravo, wow, nett,
            lieb, freundlich, klar, das war's, das wars, das war alles, das ist alles, das wäre alles, das reicht
            mir, keine weiteren fragen, keine fragen mehr, mehr wollte ich nicht wissen, bedanke mich, gute antwort,
            gute arbeit, gute erklärung, gute auskunft, supi, genau richtig, genau das, bin zufrieden, weiß
            bescheid, weiss bescheid, bestens, beantwortet meine frage, meine frage beantwortet"""
        ),
        beside=phrases(
            """toll, tolle, toller, lieben, liebe, hab, habe ich, gesucht, gesucht habe, besser, das, dies, es, ist,
            war, mir, uns, mich, ich, sie, du, ihnen, dir, euch, ihr, ihre, ihrer, deine, deiner, eure, für, sehr,
            wirklich, echt, ganz, total, so, viel, viele, vielen, herzlichen, herzlich, weiter, schon, mal,
            nochmals, noch mal, nochmal, erstmal, erst mal, ja, nein, na, ach so, achso, aha, ah, oh, dann, jetzt,
            nun, hat, haben, hast, sind, bist, wäre, alles, und danke, und vielen dank, antwort, antworten, die
            antwort, auskunft, die auskunft, erklärung, die erklärung, die info, die infos, die informationen, die
            hilfe, ihre hilfe, deine hilfe, eure hilfe, die schnelle antwort, die schnelle hilfe, die gute
            erklärung, die ausführliche antwort, schnelle, ausführliche, gute, gut gemacht, arbeit, mühe, die mühe,
            wie immer, genau, was ich brauchte, was ich brauche, was ich gesucht habe, was ich wissen wollte, leute,
            soweit, erklärt, gemacht, von ihnen, von dir, einfach, freut mich, auch, die ausführliche, im voraus, vorab,
            meine frage, beantwortet, damit"""
        ),
        replies=("Hallo! Was möchten Sie wissen?", "Gern geschehen.", "Auf Wiedersehen!"),
    ),
    frames=Frames(
        nothing="Zu dieser Frage wurden keine Dokumente gefunden.",
        unsearched="Es wurden keine Dokumente gefunden, aber nicht jede Suche wurde beantwortet: Siehe das Protokoll.",
        left_out="Es wurden Dokumente gefunden, aber keines davon wird gezeigt: Warum, steht im Protokoll.",
        unread=(
            "Es ist kein Sprachmodell eingerichtet, also hat niemand diese Stellen für Sie gelesen. Die besten Treffer:"
        ),
        failed="Das Sprachmodell hat keine Antwort geschrieben ({why}). Die besten Treffer:",
        other_language="Sprache der Dokumente: {languages}. Ohne Sprachmodell fragen Sie bitte in dieser Sprache.",
        languages="Englisch Deutsch Französisch Spanisch Italienisch Portugiesisch Chinesisch Japanisch Koreanisch",
        cut="Die Antwort bricht hier ab: Das Sprachmodell hat sie nicht zu Ende geschrieben.",
        unsure="Die gefundenen Dokumente beantworten diese Frage vielleicht nicht vollständig.",
        to_go_on="So geht es weiter:",
        missing="**Was fehlt**",
        sources="**Quellen**",
        offer="Ich beantworte Fragen aus einer Sammlung von Dokumenten. Was möchten Sie wissen?",
    ),
)
