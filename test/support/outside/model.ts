import { ModelStub } from '../../../scripts/model-stub.ts'
import type { Config } from '../../../src/settings/config.ts'

export interface TestModel {
  stub: ModelStub
  /** Settings of a service that uses it. */
  ai: Config['ai']
}

/** A stub of the model for the tests of a file. Close it in `afterAll`. */
export async function startModel(settings: Partial<Config['ai']> = {}): Promise<TestModel> {
  const stub = new ModelStub()
  const baseUrl = await stub.listen()
  return { stub, ai: { apiKey: 'a key of the tests', baseUrl, model: 'stub', silenceMs: 5_000, ...settings } }
}
