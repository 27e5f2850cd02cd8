#!/usr/bin/env bash
# openid-client 6.9.0: in the Basic header of a client its id and secret are encoded down to hyphens, dots, underscores and
# tildes, which the form encoding that RFC 6749 asks for leaves alone (all but the tilde, in browsers). A provider that
# doesn't decode the header, as many don't, knows no client of that name, and its refusal says only `invalid_client`.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund openid-client@6.9.0
cat >seen.mjs <<'JS'
import assert from 'node:assert/strict'
import { ClientSecretBasic } from 'openid-client'

const headers = new Headers()
const authenticate = ClientSecretBasic('a-b_c.d~e')
await authenticate({ issuer: 'https://provider.example' }, { client_id: 'exam-practice' }, new URLSearchParams(), headers)
const sent = Buffer.from(headers.get('authorization').replace('Basic ', ''), 'base64').toString()
const form = new URLSearchParams({ 'exam-practice': 'a-b_c.d~e' }).toString()
console.log('openid-client 6.9.0, client exam-practice, secret a-b_c.d~e')
console.log(`in the header:             ${sent}`)
console.log(`as forms have it (WHATWG): ${form}`)
assert.equal(sent, 'exam%2Dpractice:a%2Db%5Fc%2Ed%7Ee')
assert.equal(form, 'exam-practice=a-b_c.d%7Ee')
JS
node seen.mjs
