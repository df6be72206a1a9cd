"""Portuguese."""

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

PORTUGUESE: Final = Language(
    code="pt",
    pointers=words(
        """ele ela eles elas lhe lhes dele dela deles delas nele nela neles nelas seu sua seus suas este esta isto
        estes estas esse essa isso esses essas aquele aquela aquilo aqueles aquelas deste desta disto desse dessa
        disso neste nesta nisto nesse nessa nisso ali aí aqui lá mesmo mesma mesmos mesmas outro outra outros
        outras também então"""
    ),
    stop_words=words(
        """o a os as um uma uns umas ao aos à às de do da dos das em no na nos nas num numa por pelo pela pelos pelas
        para com sem sob sobre entre até desde após contra durante e ou mas nem que se não sim é sou és somos são
        era eram foi foram ser sido seja está estou estão estava estar tem têm tinha ter há houve haver faz fazer
        fez pode posso podem poder deve devo quero queria me te lhe eu tu você vocês nós meu minha meus minhas teu
        tua nosso nossa vos como mais menos muito muita muitos muitas pouco já ainda sempre nunca todo toda todos
        todas cada algum alguma alguns algumas algo porque cujo cuja diga dizer sabe saber favor"""
    ),
    asking=words("qual quais quê quantas quanto quanta quantos porquê aonde onde quem quando"),
    months=numbered(
        """janeiro/jan fevereiro/fev março/mar abril/abr maio junho/jun julho/jul agosto/ago setembro/set
        outubro/out novembro/nov dezembro/dez"""
    ),
    dates=words("""segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado domingo"""),
    nameless=words(
        """português portuguesa portugueses brasileiro brasileira brasileiros inglês inglesa ingleses francês francesa
        franceses alemão alemã alemães italiano italiana italianos espanhol espanhola espanhóis americano americana
        americanos russo russa russos chinês chinesa chineses japonês japonesa africano africana europeu europeia sr sra
        srs dom dona dr dra senhor senhora santo santa são artigo capítulo figura"""
    ),
    relations=words(
        """de do da dos das que quem cujo cuja cujos cujas qual onde ambos ambas mesmo mesma mais menor maior
        primeiro primeira nasceu nascido nascida entre também antes depois"""
    ),
    joining=words("de do da dos das e la los del van von der al"),
    abbreviations=LETTERS
    | words(
        """a.c aa ap av ca cap cf cia co d.c dir dr dra e.g ed ex exmo fl i.e ilmo inc jr lda ltda mr p.ex pp pág págs
        ph.d prof profa prov séc sr sra sras srs sta sto trad u.k u.s v.ex vs"""
    ),
    numbered=words("art arts fig máx mín no nº núm obs tab tel vol"),
    names="capitals",
    openers=phrases(
        "sim, não, em resumo, em suma, em poucas palavras, resposta curta, correto, exato, não exatamente, depende"
    ),
    negations=words("não nunca jamais ninguém nada nenhum nenhuma nem sem"),
    numbers=numbered("um/uma dois/duas três quatro cinco seis sete oito nove dez onze doze/dúzia"),
    now=words("hoje ontem amanhã agora atualmente atual atuais recente recentes recentemente ultimamente"),
    beside_periods=words(
        """último última últimos últimas próximo próxima próximos próximas passado passada passados este esta estes
        estas neste nesta deste desta há"""
    ),
    periods=words(
        """ano anos mês meses semana semanas dia dias trimestre década décadas século verão inverno primavera outono
        feira sábado domingo janeiro fevereiro março abril
        maio junho julho agosto setembro outubro novembro dezembro"""
    ),
    addressing=words("link ligação ligações url endereço sítio site e-mail email baixar download domínio portal"),
    small_talk=SmallTalk(
        greetings=phrases("olá, oi, bom dia, boa tarde, boa noite, tudo bem"),
        thanks=phrases("obrigado, obrigada, muito obrigado, muito obrigada"),
        farewells=phrases("tchau, adeus, até logo, até breve, até amanhã, tenha um bom dia"),
        asides=phrases("por favor, desculpe, com licença"),
        asks=words("que como por pode poderia"),
        praise=phrases(
            """obrigado, obrigada, obrigadão, brigado, valeu, agradeço, agradecido, agradecida, grato, ok, okay, está
            bem, tá bom, tudo bem, certo, entendi, entendido, compreendi, percebi, compreendo, claro, perfeito,
            perfeita, ótimo, ótima, óptimo, óptima, excelente, fantástico, fantástica, maravilhoso, maravilha,
            incrível, genial, sensacional, que legal, muito legal, bacana, bom, boa, muito bem, bem, útil, ajuda
            muito, ajudou, ajudou-me, me ajuda, isso ajuda, combinado, beleza, fixe, bom saber, é tudo, só isso,
            mais nada, bravo, uau, gentil, super, faz sentido, o que eu procurava, o que eu precisava,
            responde à minha pergunta, respondeu à minha pergunta"""
        ),
        beside=phrases(
            """legal, muito, muita, mesmo, tão, tanto, demais, isso, isto, é, foi, era, me, mim, pela, pelo, por, sua,
            tua, pela ajuda, sua ajuda, tua ajuda, a ajuda, resposta, a resposta, informação, informações, as
            informações, explicação, a explicação, a você, a si, a todos, você, de verdade, realmente, exatamente,
            tudo, sim, não, ah, oh, então, agora, por agora, por enquanto, novamente, de novo, mais uma vez, rápida,
            clara, trabalho, e obrigado, e obrigada, desde já, antecipadamente"""
        ),
        replies=("Olá! O que gostaria de saber?", "De nada.", "Até logo!"),
    ),
    frames=Frames(
        nothing="Não foram encontrados documentos para esta pergunta.",
        unsearched="Não foram encontrados documentos, e nem todas as pesquisas tiveram resposta: o registo diz porquê.",
        left_out="Foram encontrados documentos, mas nenhum é mostrado: o registo diz porquê.",
        unread=(
            "Não há nenhum modelo de linguagem configurado, por isso ninguém leu estas passagens por "
            "si. Os melhores resultados:"
        ),
        failed="O modelo de linguagem não escreveu nenhuma resposta ({why}). Os melhores resultados:",
        other_language="Língua dos documentos: {languages}. Sem um modelo de linguagem, pergunte nessa língua.",
        languages="inglês alemão francês espanhol italiano português chinês japonês coreano",
        cut="A resposta interrompe-se aqui: o modelo de linguagem não a terminou.",
        unsure="Os documentos encontrados talvez não respondam completamente a esta pergunta.",
        to_go_on="Para continuar:",
        missing="**O que falta**",
        sources="**Fontes**",
        offer="Respondo a perguntas a partir de uma coleção de documentos. O que gostaria de saber?",
    ),
)
