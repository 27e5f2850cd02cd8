// Makes a client of each kind from an OpenAPI document: node generate.js FILE FOLDER
import { writeFile } from 'node:fs/promises'
import { createClient } from '@hey-api/openapi-ts'
import openapiTypescript, { astToString } from 'openapi-typescript'

const [file, folder] = process.argv.slice(2)
await createClient({
  input: file,
  output: { path: `${folder}/hey-api`, module: { extension: '.js' } },
  plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
  logs: { level: 'silent' },
})
await writeFile(`${folder}/paths.ts`, astToString(await openapiTypescript(new URL(`file://${file}`))))
