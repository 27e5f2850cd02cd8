/** Shown at the start when the service can't be reached. */
export function ServiceUnreachable({ again }: { again: () => void }) {
  return (
    <main class="alone">
      <h1>The service can’t be reached</h1>
      <p>Your desk opens as soon as it answers again. Nothing that you wrote is lost.</p>
      <button type="button" class="main" onClick={again}>
        Try again
      </button>
    </main>
  )
}
