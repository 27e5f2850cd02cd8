import manifest from '../package.json' with { type: 'json' }

/** The service's version as the documents and `/healthz` show it; package.json is the one place that has it. */
export const VERSION: string = manifest.version

/** How nodes of this version name themselves to PostgreSQL; those of 1.0.0 leave the version out. */
export const CONNECTION_NAME = `exam-practice ${VERSION}`
