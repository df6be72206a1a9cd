"""Spanish."""

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

SPANISH: Final = Language(
    code="es",
    pointers=words(
        """él ella ello ellos ellas le les su sus suyo suya suyos suyas este esta esto estos estas ese esa eso esos esas
        aquel aquella aquello aquellos aquellas allí ahí aquí allá acá mismo misma mismos mismas otro otra otros otras
        demás también tampoco entonces además"""
    ),
    stop_words=words(
        """el la los las un una unos unas al del de y e o u ni pero sino que si no sí es soy eres somos son era eran
        fue fueron ser sido sea está estoy están estaba estar estado ha he has hay han había haber hace hacer hizo
        tiene tienen tengo tener tenía puede puedo pueden podría poder debe debo deben quiero quiere querría me te se
        nos os mi mis tu tus nuestro nuestra nuestros nuestras yo tú usted ustedes nosotros vosotros a con
        contra desde durante en entre hacia hasta para por según sin sobre tras como más menos muy tan tanto ya aún
        todavía siempre nunca todo todos toda todas cada algún alguna algunos algunas algo poco pocos mucho mucha
        muchos muchas porque aunque mientras quien quienes cuyo cuya cuyos cuyas donde cuando cual cuales dime diga
        decir sabe saber conocer gracias favor lo tal"""
    ),
    asking=words("""qué quién quiénes cuál cuáles cuándo dónde adónde cómo cuánto cuánta cuántos cuántas porqué"""),
    months=numbered(
        """enero/ene febrero/feb marzo/mar abril/abr mayo junio/jun julio/jul agosto/ago
        septiembre/setiembre/sept octubre/oct noviembre/nov diciembre/dic"""
    ),
    dates=words("""lunes martes miércoles jueves viernes sábado domingo"""),
    nameless=words(
        """español española españoles españolas inglés inglesa ingleses británico británica británicos francés francesa
        franceses alemán alemana alemanes italiano italiana italianos portugués portuguesa portugueses estadounidense
        estadounidenses americano americana americanos mexicano mexicana mexicanos argentino argentina argentinos
        chileno chilena chilenos colombiano colombiana peruano peruana cubano cubana ruso rusa rusos chino china chinos
        japonés japonesa japoneses indio india indios árabe árabes africano africana europeo europea europeos griego
        griegos turco turcos polaco polacos católico católicos cristianos judíos musulmanes sr sra srta sres don doña dr
        dra señor señora san santa artículo capítulo figura"""
    ),
    relations=words(
        """de del que quien quienes cuyo cuya cuyos cuyas cual cuáles donde ambos ambas mismo misma mismos mismas mayor
        menor primero primera nació nacido nacida entre también más tarde antes"""
    ),
    joining=words("de del la las los el y e von van da do dos der al"),
    abbreviations=LETTERS
    | words(
        """a.c aa admón afmo al apdo av avda avdo bco ca cf cía co d.c dir dpto dr dra dto dña ed ee ee.uu ej excmo fdo
        gral hnos i.e ilmo inc izq jr lic ltd ltda mr núm núms p.ej pág págs párr ph.d pp prof profa prov rte sig sr sra
        sras sres srta sta sto teléf tít trad u.k u.s ud uds uu vs"""
    ),
    numbered=words("art arts cap col etc fig máx mín no nº nos tab tel tfno tomo vol vols"),
    names="capitals",
    openers=phrases(
        "sí, no, en resumen, en breve, en pocas palabras, respuesta corta, correcto, exacto, no del todo, depende"
    ),
    negations=words("no nunca jamás nadie nada ningún ninguno ninguna ni sin tampoco"),
    numbers=numbered("un/uno/una dos tres cuatro cinco seis siete ocho nueve diez once doce/docena"),
    now=words(
        """hoy ayer anteayer mañana ahora actualmente actual actuales reciente recientes recientemente últimamente"""
    ),
    beside_periods=words(
        """último última últimos últimas próximo próxima próximos próximas pasado pasada pasados este esta estos estas
        hace"""
    ),
    periods=words(
        """año años mes meses semana semanas día días trimestre década décadas siglo verano invierno primavera otoño
        lunes martes miércoles jueves viernes sábado domingo enero febrero marzo abril mayo junio julio agosto
        septiembre octubre noviembre diciembre"""
    ),
    addressing=words("enlace vínculo url dirección direcciones sitio correo e-mail email descarg dominio portal"),
    small_talk=SmallTalk(
        greetings=phrases(
            """hola, buenos días, buenas tardes, buenas noches, buenas, qué tal, hola a todos, cómo estás,
            cómo está usted"""
        ),
        thanks=phrases(
            """gracias, muchas gracias, mil gracias, muchísimas gracias, gracias por tu ayuda, gracias por su ayuda,
            ok gracias, perfecto gracias"""
        ),
        farewells=phrases(
            """adiós, hasta luego, hasta pronto, hasta mañana, chao, nos vemos, que tenga un buen día,
            que tengas un buen día, buen día"""
        ),
        asides=phrases("por favor, perdón, de antemano gracias, gracias de antemano, de acuerdo, vale, una pregunta"),
        asks=words("por puede puedes podría podrías quiero quisiera me hay"),
        praise=phrases(
            """gracias, ok, okay, okey, vale, de acuerdo, entendido, entiendo, comprendido, comprendo, ya veo, claro,
            perfecto, perfecta, genial, excelente, estupendo, estupenda, fantástico, fantástica, maravilloso,
            maravillosa, increíble, buenísimo, buenísima, magnífico, fenomenal, guay, súper, super, bravo, bueno,
            bien, está bien, muy buena, buena respuesta, buen trabajo, útil, ayuda mucho, me ayuda, me ayudó,
            ayudado, me sirve, me sirvió, servido, agradecido, agradecida, agradezco, anotado, listo, eso es todo,
            nada más, chévere, wow, amable, queda claro, me quedó claro, tiene sentido, lo que buscaba, lo que
            necesitaba, responde a mi pregunta, responde mi pregunta, respondido a mi pregunta"""
        ),
        beside=phrases(
            """mucho, muchas, muchísimas, muchísimo, mil, muy, tan, tanto, tantas, eso, esto, es, fue, ha, han, has,
            sido, por, tu, su, la ayuda, tu ayuda, su ayuda, vuestra ayuda, la respuesta, respuesta, la información,
            información, la info, la explicación, explicación, de verdad, realmente, a usted, a ti, a vosotros,
            usted, eres, me, te, se, le, lo, todo, sí, no, ah, oh, pues, ya, ahora, entonces, otra vez, de nuevo,
            justo, exactamente, rápida, clara, por ahora, responder, contestar, aclarar, aclararlo, aclararme, qué,
            y gracias, está, gran, de gran ayuda, trabajo, una, de antemano, por adelantado"""
        ),
        replies=("¡Hola! ¿Qué le gustaría saber?", "De nada.", "¡Hasta luego!"),
    ),
    frames=Frames(
        nothing="No se ha encontrado ningún documento para esta pregunta.",
        unsearched="No se han encontrado documentos y no todas las búsquedas respondieron: el registro dice por qué.",
        left_out="Se han encontrado documentos, pero no se muestra ninguno: el registro dice por qué.",
        unread=(
            "No hay ningún modelo de lenguaje configurado, así que nadie ha leído estos pasajes por "
            "usted. Los mejores resultados:"
        ),
        failed="El modelo de lenguaje no ha escrito ninguna respuesta ({why}). Los mejores resultados:",
        other_language="Idioma de los documentos: {languages}. Sin un modelo de lenguaje, pregunte en ese idioma.",
        languages="inglés alemán francés español italiano portugués chino japonés coreano",
        cut="La respuesta se interrumpe aquí: el modelo de lenguaje no la ha terminado.",
        unsure="Es posible que los documentos encontrados no respondan del todo a esta pregunta.",
        to_go_on="Para continuar:",
        missing="**Lo que falta**",
        sources="**Fuentes**",
        offer="Respondo preguntas a partir de una colección de documentos. ¿Qué le gustaría saber?",
    ),
)
