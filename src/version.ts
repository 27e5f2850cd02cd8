import manifest from '../package.json' with { type: 'json' }

/** The service's version as the documents and `/healthz` show it; package.json is the one place that has it. */
export const VERSION: string = manifest.version
