#!/usr/bin/env bash
# ts-fsrs 5.4.2 (FSRS-6, default weights, fuzz off): a card pressed twice, ten minutes apart, is due in two days at noon and
# in seven when midnight in Greenwich lies between, wherever one learns: days are counted by UTC's calendar, and the
# second press counts as one of the next day. In India that is half past five in the morning, in California the afternoon.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund ts-fsrs@5.4.2
cat >seen.mjs <<'JS'
import assert from 'node:assert/strict'
import { createEmptyCard, FSRSVersion, fsrs, Rating } from 'ts-fsrs'

const scheduler = fsrs({ enable_fuzz: false })
function pressTwice(first, minutes) {
  const begun = new Date(first)
  const again = new Date(begun.getTime() + minutes * 60_000)
  const { card } = scheduler.next(createEmptyCard(begun), begun, Rating.Good)
  const { scheduled_days, stability } = scheduler.next(card, again, Rating.Good).card
  return { 'due in days': scheduled_days, stability: Number(stability.toFixed(2)) }
}
const seen = {
  '12:00 and 12:10 UTC': pressTwice('2026-05-04T12:00:00Z', 10),
  '23:55 and 00:05 UTC': pressTwice('2026-05-04T23:55:00Z', 10),
}
console.log(`ts-fsrs ${FSRSVersion}`)
console.table(seen)
assert.deepEqual(Object.values(seen).map((row) => Object.values(row)), [[2, 2.31], [7, 7.32]])
JS
node seen.mjs
