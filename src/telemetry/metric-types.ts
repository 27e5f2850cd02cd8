/**
 * Counters and gauges of a process in Prometheus' format (src/telemetry/metrics.ts has all of them). Counting only
 * adds a number, since it is on the most used paths. The values of a label are fixed, and shown from 0 on.
 */
export interface Meter {
  readonly name: string
  /** As lines of the Prometheus text format. */
  render(): Promise<string>
}

interface Description {
  name: string
  help: string
}

/** Only goes up. */
export class Counter implements Meter {
  readonly name: string
  readonly #help: string
  #total = 0

  constructor({ name, help }: Description) {
    this.name = name
    this.#help = help
  }

  add(count = 1): void {
    this.#total += count
  }

  async render(): Promise<string> {
    return head(this.name, this.#help, 'counter') + line(this.name, this.#total)
  }
}

/** Only goes up; one number for each value of a label. */
export class Counters<Value extends string> implements Meter {
  readonly name: string
  readonly #help: string
  readonly #label: string
  readonly #totals: Map<Value, number>

  constructor({ name, help }: Description, label: string, values: readonly Value[]) {
    this.name = name
    this.#help = help
    this.#label = label
    this.#totals = new Map(values.map((value) => [value, 0]))
  }

  add(value: Value, count = 1): void {
    this.#totals.set(value, (this.#totals.get(value) ?? 0) + count)
  }

  async render(): Promise<string> {
    const lines = [...this.#totals].map(([value, total]) => line(this.name, total, { [this.#label]: value }))
    return head(this.name, this.#help, 'counter') + lines.join('')
  }
}

/** Goes up and down, or is read when it is shown; not shown if `read` gives undefined. */
export class Gauge implements Meter {
  readonly name: string
  readonly #help: string
  #value = 0
  read: () => number | undefined | Promise<number | undefined> = () => this.#value

  constructor({ name, help }: Description) {
    this.name = name
    this.#help = help
  }

  add(count: number): void {
    this.#value += count
  }

  get value(): number {
    return this.#value
  }

  async render(): Promise<string> {
    const value = await this.read()
    return value === undefined ? '' : head(this.name, this.#help, 'gauge') + line(this.name, value)
  }
}

/** How often a value was of which size. */
export class Histogram implements Meter {
  readonly name: string
  readonly #help: string
  readonly #bounds: readonly number[]
  readonly #labels: Record<string, string>
  readonly #counts: number[]
  #sum = 0

  /** `bounds` in ascending order. */
  constructor({ name, help }: Description, bounds: readonly number[], labels: Record<string, string> = {}) {
    this.name = name
    this.#help = help
    this.#bounds = bounds
    this.#labels = labels
    this.#counts = Array.from({ length: bounds.length + 1 }, () => 0)
  }

  observe(value: number): void {
    const at = this.#bounds.findIndex((bound) => value <= bound)
    const index = at === -1 ? this.#bounds.length : at
    this.#counts[index] = (this.#counts[index] ?? 0) + 1
    this.#sum += value
  }

  async render(): Promise<string> {
    return head(this.name, this.#help, 'histogram') + this.lines()
  }

  lines(): string {
    let total = 0
    const buckets = this.#counts.map((count, index) => {
      total += count
      const le = String(this.#bounds[index] ?? '+Inf')
      return line(`${this.name}_bucket`, total, { ...this.#labels, le })
    })
    return (
      buckets.join('') +
      line(`${this.name}_sum`, this.#sum, this.#labels) +
      line(`${this.name}_count`, total, this.#labels)
    )
  }
}

/** The same, apart for each combination of labels that there was. */
export class Histograms implements Meter {
  readonly name: string
  readonly #description: Description
  readonly #bounds: readonly number[]
  readonly #all: Histogram[] = []

  constructor(description: Description, bounds: readonly number[]) {
    this.name = description.name
    this.#description = description
    this.#bounds = bounds
  }

  /** Call it once for each combination. */
  add(labels: Record<string, string>): Histogram {
    const histogram = new Histogram(this.#description, this.#bounds, labels)
    this.#all.push(histogram)
    return histogram
  }

  async render(): Promise<string> {
    return (
      head(this.name, this.#description.help, 'histogram') + this.#all.map((each) => each.lines()).join('')
    )
  }
}

function head(name: string, help: string, type: string): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`
}

function line(name: string, value: number, labels: Record<string, string> = {}): string {
  const shown = Object.entries(labels).map(([label, text]) => `${label}="${text}"`)
  return `${name}${shown.length > 0 ? `{${shown.join(',')}}` : ''} ${value}\n`
}
