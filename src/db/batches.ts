interface Waiting<Input, Output> {
  input: Input
  resolve: (output: Output) => void
  reject: (error: unknown) => void
}

export interface BatchOptions<Input, Output> {
  /** Lanes run side by side, one statement each at a time. */
  lanes: number
  /** Most inputs that share a statement. */
  size: number
  /** Inputs with the same key share a lane, so that lanes never wait for one another's rows. */
  key: (input: Input) => number
  /** One statement for all. Its outputs are in the order of the inputs; if it throws, nothing was written. */
  run: (inputs: Input[]) => Promise<Output[]>
}

/**
 * Gathers calls that wait for the database into one statement and one commit. Nothing waits while a lane
 * is idle. If a shared statement fails, each of its inputs runs alone, so that one bad input fails alone.
 */
export function batched<Input, Output>(
  options: BatchOptions<Input, Output>,
): (input: Input) => Promise<Output> {
  const lanes = Array.from({ length: options.lanes }, () => ({
    queue: [] as Waiting<Input, Output>[],
    busy: false,
  }))

  async function drain(lane: (typeof lanes)[number]): Promise<void> {
    while (lane.queue.length > 0) await runTogether(lane.queue.splice(0, options.size))
    lane.busy = false
  }

  async function runTogether(batch: Waiting<Input, Output>[]): Promise<void> {
    try {
      const outputs = await options.run(batch.map(({ input }) => input))
      for (const [index, { resolve }] of batch.entries()) resolve(outputs[index] as Output)
    } catch (error) {
      if (batch.length === 1) batch[0]?.reject(error)
      else for (const each of batch) await runTogether([each])
    }
  }

  return (input) =>
    new Promise((resolve, reject) => {
      const lane = lanes[options.key(input) % lanes.length] as (typeof lanes)[number]
      lane.queue.push({ input, resolve, reject })
      if (lane.busy) return
      lane.busy = true
      // After this turn of the event loop, so that requests that arrived together leave together.
      setImmediate(() => void drain(lane))
    })
}
