#!/usr/bin/env bash
# mathml-to-latex 1.8.0 and KaTeX 0.19.1 together: a per cent sign within a number comes out as it is, and LaTeX begins a
# comment there, so that the rest of the formula isn't drawn: half of an equation is gone without an error. As an operator
# of its own the sign is escaped. Functions written as identifiers come out as a product of letters.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund mathml-to-latex@1.8.0 katex@0.19.1
cat >seen.mjs <<'JS'
import assert from 'node:assert/strict'
import katex from 'katex'
import { MathMLToLaTeX } from 'mathml-to-latex'

const formulas = {
  'sign in the number': '<mrow><mi>a</mi><mo>=</mo><mn>50%</mn><mo>+</mo><mi>b</mi></mrow>',
  'sign as an operator': '<mrow><mi>a</mi><mo>=</mo><mn>50</mn><mo>%</mo><mo>+</mo><mi>b</mi></mrow>',
  'sine of x': '<mrow><mi>sin</mi><mi>x</mi></mrow>',
}
const seen = {}
for (const [name, inner] of Object.entries(formulas)) {
  const latex = MathMLToLaTeX.convert(`<math xmlns="http://www.w3.org/1998/Math/MathML">${inner}</math>`)
  // What KaTeX draws, as text.
  const drawn = katex.renderToString(latex, { output: 'html', strict: false }).replace(/<[^>]*>/g, '')
  seen[name] = { LaTeX: latex, drawn: drawn.replace(/\u200b/g, '') }
}
console.log('mathml-to-latex 1.8.0, KaTeX 0.19.1')
console.table(seen)
assert.deepEqual(Object.values(seen), [
  { LaTeX: 'a = 50% + b', drawn: 'a=50' },
  { LaTeX: 'a = 50 \\% + b', drawn: 'a=50%+b' },
  { LaTeX: 'sin x', drawn: 'sinx' },
])
JS
node seen.mjs
