#!/usr/bin/env bash
# Temml 0.13.5 takes a comma between digits for part of a number, whatever stands around it: the set {100,200,300} is one
# number in its MathML, and so are an index of two and a point without a blank. On the screen it looks right; a reader of
# formulas (speech-rule-engine 4.1.5) says one number of nine digits, and no longer that 1,2 is an index. KaTeX 0.19.1
# makes three numbers of the same text.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund temml@0.13.5 katex@0.19.1 speech-rule-engine@4.1.5
cat >seen.mjs <<'JS'
import assert from 'node:assert/strict'
import katex from 'katex'
import speech from 'speech-rule-engine'
import temml from 'temml'

await speech.setupEngine({ locale: 'en', domain: 'mathspeak', modality: 'speech' })
await speech.engineReady()
const withoutLatex = (html) => html.match(/<math.*<\/math>/s)[0].replace(/<annotation.*<\/annotation>/s, '')
const renderers = {
  KaTeX: (latex) => withoutLatex(katex.renderToString(latex, { output: 'mathml' })),
  Temml: (latex) => temml.renderToString(latex),
}
const seen = []
for (const latex of ['\\{100,200,300\\}', '\\{100, 200, 300\\}', 'a_{1,2}'])
  for (const [renderer, render] of Object.entries(renderers)) {
    const mathml = render(latex)
    seen.push({ LaTeX: latex, renderer, numbers: mathml.match(/<mn>/g).length, 'read aloud': speech.toSpeech(mathml) })
  }
console.table(seen)
assert.deepEqual(seen.map((row) => [row.numbers, row['read aloud']]), [
  [3, 'StartSet 100 comma 200 comma 300 EndSet'],
  [1, 'StartSet 100,200,300 EndSet'],
  [3, 'StartSet 100 comma 200 comma 300 EndSet'],
  [3, 'StartSet 100 comma 200 comma 300 EndSet'],
  [2, 'a Subscript 1 comma 2'],
  [1, 'a 1 comma 2'],
])
JS
node seen.mjs
