/* Questions that the documents themselves ask or answer, as suggestions; topics where there is none.

   A question is a heading or a line that asks, in any language, or a sentence that asks in English. An English heading
   such as "How to open a gate" or "Open the gate", and a sentence that gives a reason or defines a thing, become a
   question too. What no rule can turn into a correct question stays a topic. */

const MOST = 3;
const SHORTEST = 8;
const LONGEST = 120;
const LONGEST_TOPIC = 60;
const READ = 4000;

const MARKS =
  /^(?:[-*+#>•\s]|\d{1,3}[.)]\s|\*\*|(?:Q\d*|Question|Frage|Pregunta|Domanda|Pergunta|问|問|سؤال)\s*[:：.])+/u;
const LINK = /\[([^[\]\n]+)\]\([^()\s]*\)/g;
const CODE = /[`|{}<>\\_=@#\[\]"“”«»„()…]|:\/\//u;
const ENDS = /[?？؟]$/u;
const INNER = /[.!?;:](?=\s)|[。！？؟；：](?=.)/u;
const ENGLISH = "what which who whom whose when where why how";
const STARTS = new Set(
  (
    `${ENGLISH} can could do does did is are was were will would should shall may must has have had ` +
    "was wer wem wen wie wo wann warum welche welcher welches welchen welchem wessen wozu woher wohin wieso wofür " +
    "kann können ist sind hat haben darf muss müssen soll gibt que quoi qui quel quelle quels quelles quand où " +
    "pourquoi comment combien puis-je peut-on dois-je faut-il est-ce che chi cosa quale quali dove perché come " +
    "quanto quanta quanti quante quem qual quais onde o wat wie waar wanneer waarom hoe welke"
  ).split(" "),
);
const ASKS = new Set(ENGLISH.split(" "));
const POINTS = /\b(?:this|these|those|it|its|they|them|their|he|she|him|her|his)\b/i;
const LEANS = /\b(?:that|there|here|then|such|we|us|our|i|my|you|your|one|else|so|both|either)\b/i;
const VAGUE =
  "a an and are as at best both but by case contrast difference example exception fact first following for former " +
  "from here idea if in into is it last latter main more most next no not of on only or other over point problem " +
  "question reason rest result results same second so than that the then there thing things third this to under way " +
  "what when where which who whole with worst answer common feature good important interesting key large major new " +
  "possible recent simple small typical";
const UNNAMED = new Set(VAGUE.split(" "));
const DEFINED = /^(A|An) ((?:[a-z][a-z-]+ ){1,2})is (?:a|an|the)\s[a-z]/;
const CLAUSES = new RegExp(
  `\\b(?:${(
    "that which who whom whose where when while if because but or not no only also has have had do does did can " +
    "could will would may might must should is are was were been there here what how why then such " +
    "we us our i my you your one others? both either first second former " +
    "latter since although though said says part simply just"
  ).replaceAll(" ", "|")})\\b`,
  "i",
);
const SUBJECT =
  "((?:(?:[Tt]he|[Aa]n?) )?\\p{L}[\\p{L}-]*(?: [\\p{L}-]+){0,6}?) (is|are|was|were) ([\\p{L}\\d -]{3,80}?)";
const BECAUSE = new RegExp(`^${SUBJECT},? because `, "u");
const WHY = new RegExp(
  `\\b(?:explains?|explained|reasons?|[Tt]hat is|understand|shows?|[Ll]earn) why ${SUBJECT}(?=[,.;:]|$)`,
  "u",
);
const HOW = /^(How|When|Where|What) to ([A-Za-z][a-z-]+)((?: [^\s:;,.!?–—]+){0,9})$/;
const ARTICLE = /^(?:the|an?)$/i;
const OPENER = new RegExp(
  `\\b(?:${(
    "a an the and or in on at by to for from with within without into onto over under above below between among near " +
    "next about against along around across after before during until till since through throughout toward towards " +
    "beside besides beyond behind despite unlike like per via upon off out up down than as " +
    "today tonight tomorrow yesterday now nowadays once sometimes often always never seldom soon later early late " +
    "again still also even perhaps maybe almost quite rather indeed thus hence therefore however meanwhile instead " +
    "otherwise overall many some several few most all none each every another any much more less " +
    "two three four five six seven eight nine ten"
  ).replaceAll(" ", "|")})\\b|^\\S+ly `,
  "i",
);
const NO_VERB = /^(?:be|not|what|which|who|whom|how|when|where|why|guide|(?:.*[^su])?s)$/i;
const ASKED = { How: "How do I", When: "When should I", Where: "Where do I", What: "What should I" };
const ORDER = /^([A-Z][a-z]+)((?: up| out)? (?:a|an|the|your)(?: [^\s:;,.!?–—]+){1,8})$/;
const VERBS = new Set(
  (
    "Add Apply Approve Archive Book Build Buy Call Cancel Change Check Choose Claim Clean Close Configure Connect " +
    "Contact Copy Create Customize Delete Deploy Disable Download Edit Enable Export Extend Find Fix Get Grant " +
    "Import Increase Install Invite Join Limit Make Manage Measure Migrate Monitor Move Open Order Park Pay Pick " +
    "Plan Prepare Print Protect Publish Reach Read Record Recover Register Remove Rename Renew Repair Replace " +
    "Report Request Reserve Reset Restart Restore Return Rotate Run Save Schedule Secure Send Set Share Sign Start " +
    "Stop Submit Switch Test Transfer Turn Uninstall Update Upgrade Upload Use Verify View Write"
  ).split(" "),
);

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
const small = (text) => text.charAt(0).toLowerCase() + text.slice(1);
const words = (text) => text.split(/\s+/);

/** A line without the marks of Markdown and of a list of questions. */
const bare = (line) => line.replace(LINK, "$1").replace(MARKS, "").replace(/\*\*$/, "").trim();

/** A text that is one whole question, as it may be asked; null for any other text. */
function asking(text) {
  const said = text.replace(/^¿/u, "");
  if (text.length < SHORTEST || text.length > LONGEST || !ENDS.test(text)) return null;
  if (CODE.test(text) || INNER.test(said.slice(0, -1)) || POINTS.test(text)) return null;
  const first = words(said)[0].toLowerCase();
  const latin = /\p{Script=Latin}/u.test(said.charAt(0));
  if (latin && text === said && !STARTS.has(first.replace(/['’].*$/u, ""))) return null;
  return latin && (words(said).length < 3 || /^\S+ (?:and|or) /i.test(said)) ? null : text;
}

/** A heading as a question; the part after a colon is read too. Null if no rule knows one. */
function ofHeading(heading) {
  const whole = asking(heading) ?? asking(capital(heading.replace(/^[^:]*:\s+/, "")));
  if (whole) return whole;
  if (CODE.test(heading) || POINTS.test(heading) || /\byou(?:rself)?\b/i.test(heading)) return null;
  const mine = (rest) => rest.replace(/\byour\b/gi, "my");
  const how = HOW.exec(heading);
  if (how && (NO_VERB.test(how[2]) || OPENER.test(how[2]))) return null;
  if (how) return `${ASKED[how[1]]} ${small(how[2])}${mine(how[3])}?`;
  const order = ORDER.exec(heading);
  return order && VERBS.has(order[1]) ? `How do I ${small(order[1])}${mine(order[2])}?` : null;
}

/** The lines of a text that ask. */
const ofLines = (text) => text.split("\n").map((line) => asking(bare(line)));

/** The sentences of a text that ask in English, and that need no other sentence. */
const ofSentences = (text) =>
  sentences(text).map((one) => (ASKS.has(words(one)[0].toLowerCase()) && !LEANS.test(one) ? asking(one) : null));

/** The subject of a sentence as it is written within one; null where the texts do not tell whether it is a name.

    A name stands within a sentence with its capital, or a heading begins with it. Without an article there is no
    subject that has a word such as "in" or "today": what stands before it would come between verb and subject. */
function cased(subject, sentence, all) {
  const first = words(subject)[0];
  if (ARTICLE.test(first)) return small(subject);
  if (OPENER.test(subject)) return null;
  if (!sentence.startsWith(subject)) return subject;
  if (all.includes(` ${small(first)} `)) return small(subject);
  const named = `\\p{Ll},? ${first}\\b|(?:^|\n|> )${first}(?:[,:]|\n|$)`;
  return new RegExp(named, "u").test(all) ? subject : null;
}

/** Questions for what a text gives a reason for: "A road is dark because …" answers "Why is a road dark?". */
const ofReasons = (text, all) =>
  sentences(text).map((one) => {
    const [, subject, verb, rest] = WHY.exec(one) ?? BECAUSE.exec(one) ?? [];
    if (!subject || CLAUSES.test(subject) || CLAUSES.test(rest) || POINTS.test(`${subject} ${rest}`)) return null;
    const start = cased(subject, one, all);
    return start && `Why ${verb} ${start} ${rest}?`;
  });

/** Questions for what a text defines: "A lock is a gate …" answers "What is a lock?". */
const ofDefinitions = (text) =>
  sentences(text).map((one) => {
    const [, article, named] = DEFINED.exec(one) ?? [];
    const clear = named && words(named.trim()).every((word) => !UNNAMED.has(word) && !word.endsWith("ly"));
    return clear ? `What is ${small(article)} ${named.trim()}?` : null;
  });

const sentences = (text) => text.replace(/\n\s*\n|\n(?=\s*[-*|#>])/g, ". ").split(/(?<=[.!?])\s+/);

const texts = (document) => Object.values(document).filter((one) => typeof one === "string");
const heading = (document) =>
  bare(
    String(document.heading_path || document.title || "")
      .split(" > ")
      .at(-1),
  );
const bodies = (document) => texts(document).map((one) => one.slice(0, READ));

const RULES = [
  (document) => [ofHeading(heading(document)), ...bodies(document).flatMap(ofLines)],
  (document) => bodies(document).flatMap(ofSentences),
  (document, all) => bodies(document).flatMap((one) => ofReasons(one, all)),
  (document) => bodies(document).flatMap(ofDefinitions),
];

/** At most three suggestions: questions for the documents, and where they are fewer, headings as topics. */
export function suggested(documents) {
  const all = documents.flatMap(bodies).join("\n");
  const found = RULES.map((rule) => documents.map((one) => rule(one, all).find(Boolean)).filter(Boolean));
  const questions = [...new Set(found.flatMap((one) => spread([...new Set(one)])))].slice(0, MOST);
  const short = documents.map(heading).filter((one) => /\S\s\S/u.test(one) && one.length <= LONGEST_TOPIC);
  const topics = [...new Set(short)].filter((one) => !ENDS.test(one));
  return { questions, topics: spread(topics).slice(0, MOST - questions.length) };
}

/** Up to three values, from all parts of a list. */
function spread(values) {
  const step = Math.max(1, Math.floor(values.length / MOST));
  return values.filter((_, place) => place % step === 0).slice(0, MOST);
}
