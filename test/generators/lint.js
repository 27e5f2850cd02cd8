// Prints what the recommended rules of redocly and spectral find in the documents, as JSON: node lint.js FILE…
import { readFile } from 'node:fs/promises'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import spectral from '@stoplight/spectral-core'
import parsers from '@stoplight/spectral-parsers'
import rulesets from '@stoplight/spectral-rulesets'

const config = await createConfig({ extends: ['recommended'] })
const { oas, asyncapi } = rulesets
const found = []
for (const file of process.argv.slice(2)) {
  const source = await readFile(file, 'utf8')
  for (const { severity, ruleId, message, location } of await lintFromString({
    source,
    config,
    absoluteRef: file,
  }))
    found.push({ tool: 'redocly', file, severity, rule: ruleId, message, at: location[0]?.pointer })
  const linter = new spectral.Spectral()
  linter.setRuleset({
    extends: [
      [oas, 'recommended'],
      [asyncapi, 'recommended'],
    ],
  })
  for (const { severity, code, message, path } of await linter.run(
    new spectral.Document(source, parsers.Json, file),
  ))
    found.push({
      tool: 'spectral',
      file,
      severity: severity === 0 ? 'error' : 'warn',
      rule: code,
      message,
      at: path.join('/'),
    })
}
console.log(JSON.stringify(found))
