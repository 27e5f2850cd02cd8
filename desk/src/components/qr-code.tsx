import { useEffect, useState } from 'preact/hooks'

/** A QR code of an address, for cameras; the address stands beside it as text. */
export function QrCode({ text }: { text: string }) {
  const [rows, setRows] = useState<boolean[][]>()
  useEffect(() => {
    // A code that can't be drawn leaves the text.
    import('uqr').then(
      ({ encode }) => setRows(encode(text).data),
      () => {},
    )
  }, [text])
  if (!rows) return null
  const path = rows
    .flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])))
    .join('')
  return (
    <svg
      class="qr-code"
      viewBox={`0 0 ${rows.length} ${rows.length}`}
      role="img"
      aria-label="QR code of the address"
    >
      <rect width={rows.length} height={rows.length} fill="#fff" />
      <path d={path} fill="#000" shape-rendering="crispEdges" />
    </svg>
  )
}
