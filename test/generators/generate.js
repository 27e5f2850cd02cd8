// Makes a client of each kind from an OpenAPI document: node generate.js FILE FOLDER
import { writeFile } from 'node:fs/promises'
import { createClient } from '@hey-api/openapi-ts'
import openapiTypescript, { astToString } from 'openapi-typescript'
import ts from 'typescript'

const [file, folder] = process.argv.slice(2)
await createClient({
  input: file,
  output: { path: `${folder}/hey-api`, module: { extension: '.js' } },
  plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
  logs: { level: 'silent' },
})
const blob = ts.factory.createTypeReferenceNode('Blob')
const paths = await openapiTypescript(new URL(`file://${file}`), {
  // As its documentation advises: files of forms are blobs, and what has a default can be left out.
  defaultNonNullable: false,
  transform: ({ format }) => (format === 'binary' ? blob : undefined),
})
await writeFile(`${folder}/paths.ts`, astToString(paths))
