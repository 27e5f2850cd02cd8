/**
 * Whether texts speak of options by their letter, by their place or together: "A and B", "the first two", "all of the
 * above". Moved options would make them wrong. In doubt they do: a question whose options stay is as good as before.
 */
export function speakOfOptions(texts: readonly string[]): boolean {
  return texts.some((text) => {
    // Nothing else than the letter may stand between $ signs, as in "both $A$ and $B$".
    const plain = text
      .normalize('NFKC')
      .replaceAll(/\$\s*([A-D])\s*\$/g, '$1')
      .replaceAll(/\s+/g, ' ')
    return MENTIONS.some((mention) => mention.test(plain))
  })
}

/** What a letter beside it names is no option: vitamin A, the points A and B. */
const NAMED = [
  ...[
    'vitamins?',
    'hepatitis',
    'influenza',
    'groups?',
    'types?',
    'points?',
    'sets?',
    'events?',
    'class(?:es)?',
  ],
  ...['Vitamine?', 'Gruppen?', 'Punkten?', 'Punkte', 'Mengen', 'Ereignisse', 'Typ', 'Klassen?'],
  ...['vitaminas?', 'grupos?', 'puntos?', 'conjuntos?', 'tipos?', 'sucesos', 'clases?'],
  ...['विटामिन', 'समूह', 'बिंदु', 'बिंदुओं', 'فيتامين', 'النقطتين', 'النقطة', 'المجموعتين'],
].join('|')
const LETTER = '\\(?[A-D]\\)?(?![\\p{L}\\p{N}\\p{M}+*^_-])'
const HINDI = '\\(?[कखगघ]\\)?(?![\\p{L}\\p{N}\\p{M}])'
const ARABIC = '\\(?[أابجد]\\)?(?![\\p{L}\\p{N}\\p{M}])'
/** No letter, number or mark is before it: `\b` knows only the Latin ones. */
const START = '(?<![\\p{L}\\p{N}\\p{M}_-])'
const END = '(?![\\p{L}\\p{N}\\p{M}])'

const words = (pattern: string) => new RegExp(`${START}(?:${pattern})${END}`, 'iu')
/** Letters of options are capitals. */
const letters = (pattern: string) => new RegExp(`${START}(?:${pattern})`, 'u')
/** Of either case in the first letter, since it may begin a sentence. */
const eitherCase = (pattern: string) =>
  pattern
    .split('|')
    .map((word) => `[${word.charAt(0).toLowerCase()}${word.charAt(0).toUpperCase()}]${word.slice(1)}`)
    .join('|')

const MENTIONS = [
  // A and B; A, B and C; A or B
  new RegExp(
    `(?<!(?:${NAMED}) )${START}${LETTER}(?:, ?${LETTER}){0,3},? ?(?:and|or|nor|und|oder|noch|sowie|als auch|y|e|o|u|ni|como|और|तथा|एवं|व|या|و|أو|&|/) ?${LETTER}`,
    'u',
  ),
  new RegExp(`${START}${HINDI}(?:, ?${HINDI}){0,3} (?:और|तथा|एवं|व|या) ${HINDI}`, 'u'),
  new RegExp(`${START}${ARABIC}(?: ?[،,] ?${ARABIC}){0,3} (?:و ?|أو )${ARABIC}`, 'u'),
  // option B, the answer (C), Antwort: D
  letters(
    `(?:${eitherCase('option|options|answer|answers|choice|choices|alternative|alternatives|statement|statements|antwort|antworten|auswahl|aussage|aussagen|lösung|möglichkeit|opción|opciones|respuesta|respuestas|alternativa|alternativas|inciso|afirmación')}|विकल्प|विकल्पों|उत्तर|कथन)(?: is| ist| es| está|s)?(?: the| letter| la| el)?:? ?["“'*]*${LETTER}`,
  ),
  letters(`(?:विकल्प|विकल्पों|उत्तर|कथन) ?:? ?${HINDI}`),
  letters(
    `(?:ال)?(?:خيار|خيارات|إجابة|اجابة|جواب|بديل|عبارة)(?: هي| هو)?(?: الصحيحة| الصحيح)?(?: هي| هو)? ?:? ?(?:${LETTER}|${ARABIC})`,
  ),
  letters(
    `(?:${eitherCase('correct answer is|right answer is|key is|richtig ist|correcta es')}):? ?["“'*]*${LETTER}`,
  ),
  // (B), B), B is right; but not A is …, where A is a variable
  /(?<![\p{L}\p{N}\p{M}_\\^(])\([A-D]\)(?![\p{L}\p{N}])/u,
  /(?:^|[.;:!?] )[A-D](?:[):.] |\)|,| [-–—] )/u,
  letters(
    `[A-D] (?:(?:is|are|was|would be|ist|wäre|sind|es|son|sería|है|हैं) )?(?:the )?(?:only )?(?:correct|incorrect|right|wrong|true|false|richtig|falsch|korrekt|zutreffend|correct[ao]|incorrect[ao]|fals[ao]|verdader[ao]|सही|गलत|ग़लत|صحيح|صحيحة|خطأ|خاطئة)${END}`,
  ),
  letters(
    `(?:${eitherCase('only|neither|both|except|nur|weder|beide|sowohl|solo|sólo|solamente|ni|tanto')}|केवल|सिर्फ़|सिर्फ|फقط|فقط) ${LETTER}(?! (?:few|single|little|small))`,
  ),
  letters(`[A-D] (?:only|alone|allein|solamente|केवल|فقط)${END}`),
  // all of the above, none of these, both of them
  words(
    '(?:all|none|neither|both|any|some|each|either|one|two|three|more than one|which) (?:of )?(?:the )?(?:above|those above|preceding|foregoing|aforementioned)',
  ),
  words(
    '(?:all|none|neither|both|any|each|either|more than one|two|three) of (?:these|those|them|the (?:other )?(?:options|answers|choices|alternatives|statements|others))',
  ),
  words(
    '(?:all|none|neither|both|any|each|either|two|three|other|others?|remaining|previous|preceding) (?:the )?(?:options|answers|choices|alternatives)',
  ),
  words(
    '(?:options|answers|choices|statements) (?:above|below)|the above|(?:none|all|both|neither)(?: (?:is|are) (?:correct|right|true|wrong|false))',
  ),
  /^(?:none|all|both|neither)(?: (?:of them|apply|applies))?[.!]?$/iu,
  // the first two, the last option, options 1 and 2
  words(
    'the (?:first|last) (?:two|three|2|3)|the (?:two|three) (?:first|last)|(?:the )?(?:first|second|third|fourth|last|former|latter) (?:one|option|answer|choice|alternative)s?',
  ),
  words(
    '(?:option|answer|choice|alternative)s? (?:no\\. ?|number )?(?:[1-4]|one|two|three|four)|(?:only )?[1-4] (?:and|or|und|oder|y|o|और|या) [1-4] only',
  ),
  words(
    'the (?:first|second|third|fourth) and (?:the )?(?:second|third|fourth|last)(?: (?:options?|answers?|choices?))?',
  ),
  // German
  words(
    '(?:alle|keine?[rs]?|beide|nichts|eine[rs]?|mehrere) (?:der |die |von |den )?(?:oben(?:stehenden)?(?: genannten| aufgeführten)?|obigen?|genannten?|vorgenannten?|vorherigen|vorstehenden|davon|diesen|dieser|antworten|optionen|aussagen|möglichkeiten)',
  ),
  words(
    '(?:alles|beides) (?:davon|genannte|oben genannte|obige)|(?:alle|beide|keine) (?:sind |ist )?(?:richtig|falsch)|keine?s (?:davon|von (?:diesen|beiden))',
  ),
  words(
    '(?:die|den) (?:ersten|letzten) (?:beiden|zwei|drei)|(?:die|der) (?:erste|zweite|dritte|vierte|letzte)[nr]? (?:antwort|option|auswahl|möglichkeit|aussage)|(?:antwort|option)(?:en)? [1-4]|beide antworten|die (?:anderen|übrigen) (?:antworten|optionen)',
  ),
  /^(?:alle|beide|beides|keine?s?|alles)(?: genannten?)?[.!]?$/iu,
  // Spanish
  words(
    '(?:tod[ao]s|ningun[ao]|ambas|ambos|algun[ao]|cualquiera|más de una|dos) (?:de )?(?:l[ao]s |ell[ao]s|est[ao]s|es[ao]s)?(?:anteriores|opciones|respuestas|alternativas|mencionad[ao]s|de arriba|demás)|(?:tod[ao]s|ningun[ao]|ambas|ambos) (?:de )?(?:ell[ao]s|est[ao]s|es[ao]s)',
  ),
  words(
    '(?:tod[ao]s|ningun[ao]|ambas) (?:son|es) (?:correct|fals|verdader)[ao]s?|(?:tod[ao]|nada) (?:de )?lo anterior|l[ao]s anteriores',
  ),
  words(
    'l[ao]s (?:dos|tres) (?:primer|últim)[ao]s|l[ao]s (?:primer|últim)[ao]s (?:dos|tres)|la (?:primera|segunda|tercera|cuarta|última) (?:opción|respuesta|alternativa)|(?:opción|opciones|respuesta) [1-4]|(?:el|la) (?:primer[ao]|segund[ao]) y (?:el|la) (?:segund|tercer|cuart|últim)[ao]',
  ),
  /^(?:tod[ao]s|ambas|ambos|ningun[ao])[.!]?$/iu,
  // Hindi
  words(
    '(?:उपरोक्त|उपर्युक्त|उपरोक्‍त|ऊपर (?:के|दिए|दिये|लिखे)|इन|इनमें|उनमें)(?: (?:में से|मे से|से|गए|गये))?(?: विकल्पों)?(?: (?:में से|मे से))? (?:सभी|कोई|दोनों|कोई भी|कोई नहीं|एक से अधिक|सब)',
  ),
  words(
    '(?:उपरोक्त|उपर्युक्त)|(?:ये|यह) (?:सभी|दोनों)|(?:सभी|दोनों|अन्य|पहला|पहले|दूसरा|दूसरे|तीसरा|तीसरे|चौथा|अंतिम|आख़िरी|आखिरी) (?:विकल्प|उत्तर|दो|दोनों|कथन)|विकल्प [1-4१-४]|(?:पहला|पहले) और (?:दूसरा|दूसरे|तीसरा|तीसरे)',
  ),
  words('(?:इनमें|इन में) से (?:कोई|सभी|दोनों)|कोई नहीं|दोनों सही|सभी सही'),
  /^(?:सभी|दोनों|कोई नहीं)[।.!]?$/u,
  // Arabic
  words(
    '(?:مما|ما) (?:سبق|ذكر|تقدم|ورد)|(?:جميع|كل|كافة|أي من|لا شيء من|ليس أي من|لا أحد من|كلا|كلتا|باقي|بقية) (?:الخيارات|الخيارين|الإجابات|الإجابتين|الاجابات|البدائل|العبارات|هذه|ما سبق|ما ذكر)|أعلاه',
  ),
  words(
    '(?:الخياران|الخيارين|الإجابتان|الإجابتين)(?: (?:الأولان|الأولين|الأوليان|الأخيران|الأخيرين|الأخيرتان))?|(?:الخيار|الإجابة|البديل) (?:الأول|الأولى|الثاني|الثانية|الثالث|الثالثة|الرابع|الرابعة|الأخير|الأخيرة|[1-4١-٤])|(?:أول|آخر) (?:اثنين|خيارين|إجابتين|ثلاثة)|الأول والثاني|الأولى والثانية|(?:جميعها|كلاهما|كلتاهما|كلها|لا شيء منها|ليس أي منها|لا أحد منها|أي منها|لا شيء منهما)',
  ),
]
