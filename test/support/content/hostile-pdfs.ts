import { deflateSync } from 'node:zlib'
import { textPdf } from './text-pdf.ts'

const PAGES = '<</Type /Catalog /Pages 2 0 R>>'
const FONT = '<</Font <</F1 <</Type /Font /Subtype /Type1 /BaseFont /Helvetica>>>>>>'
const page = (more: string) =>
  `<</Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources ${FONT} ${more}>>`
const stream = (bytes: Buffer | string, more = '', length = Buffer.byteLength(bytes)) =>
  Buffer.concat([
    Buffer.from(`<</Length ${length} ${more}>>\nstream\n`),
    Buffer.from(bytes),
    Buffer.from('\nendstream'),
  ])
const draw = (text: string) => `BT /F1 12 Tf 50 700 Td (${text}) Tj ET`

/** A file of these objects, numbered from 1. */
function pdfOf(objects: (string | Buffer)[], trailer = ''): Buffer {
  const parts = objects.map((object, index) =>
    Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), Buffer.from(object), Buffer.from('\nendobj\n')]),
  )
  const offsets: number[] = []
  let at = 9
  for (const part of parts) {
    offsets.push(at)
    at += part.length
  }
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  return Buffer.concat([
    Buffer.from('%PDF-1.4\n'),
    ...parts,
    Buffer.from(
      `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}trailer <</Size ${objects.length + 1} /Root 1 0 R ${trailer}>>\nstartxref\n${at}\n%%EOF\n`,
    ),
  ])
}

const leaf = (text: string) => [page('/Contents 4 0 R'), stream(draw(text))]
const tree = (kids: string, count: number) => `<</Type /Pages /Count ${count} /Kids [${kids}]>>`

/** Each node of the tree has one below it. */
function deepTree(depth: number): Buffer {
  const nodes = Array.from({ length: depth }, (_, n) => tree(`${n + 6} 0 R`, 1))
  return pdfOf([PAGES, tree('5 0 R', 1), ...leaf('Deep'), ...nodes, page('/Contents 4 0 R')])
}

const whole = textPdf(['First page.', 'Second page.', 'Third page.'])

/** PDFs that nobody wrote by mistake. They cost memory and time where a reader trusts them. */
export const HOSTILE_PDFS: Record<string, Buffer> = {
  'a tree of pages 20,000 deep': deepTree(20_000),
  'a tree of pages that is its own branch': pdfOf([PAGES, tree('3 0 R 2 0 R', 2), ...leaf('Once')]),
  'a tree that says it has two thousand million pages': pdfOf([
    PAGES,
    tree('3 0 R', 2 ** 31 - 1),
    ...leaf('One'),
  ]),
  'a tree that says it has fewer than none': pdfOf([PAGES, tree('3 0 R', -5), ...leaf('One')]),
  'a page as large as a country': pdfOf([
    PAGES,
    tree('3 0 R', 1),
    `<</Type /Page /Parent 2 0 R /MediaBox [-1e30 -1e30 1e30 1e30] /Resources ${FONT} /Contents 4 0 R>>`,
    stream(draw('Large')),
  ]),
  'a page of three million words': pdfOf([
    PAGES,
    tree('3 0 R', 1),
    page('/Contents 4 0 R'),
    stream(deflateSync(`BT /F1 12 Tf ${'(word ) Tj '.repeat(3_000_000)} ET`), '/Filter /FlateDecode'),
  ]),
  'a word of five million letters': pdfOf([
    PAGES,
    tree('3 0 R', 1),
    page('/Contents 4 0 R'),
    stream(deflateSync(draw('x'.repeat(5_000_000))), '/Filter /FlateDecode'),
  ]),
  'a drawing that draws itself': pdfOf([
    PAGES,
    tree('3 0 R', 1),
    '<</Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Resources <</XObject <</A 4 0 R>>>> /Contents 5 0 R>>',
    stream(
      '/A Do /A Do',
      '/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources <</XObject <</A 4 0 R>>>>',
    ),
    stream('/A Do'),
  ]),
  'a stream that is no compressed one': pdfOf([
    PAGES,
    tree('3 0 R', 1),
    page('/Contents 4 0 R'),
    stream('not compressed at all', '/Filter /FlateDecode'),
  ]),
  'a stream that ends too soon': pdfOf([
    PAGES,
    tree('3 0 R', 1),
    page('/Contents 4 0 R'),
    stream(deflateSync(draw('Cut off '.repeat(500))).subarray(0, 40), '/Filter /FlateDecode'),
  ]),
  'a stream with forty filters': pdfOf([
    PAGES,
    tree('3 0 R', 1),
    page('/Contents 4 0 R'),
    stream(deflateSync(draw('x')), `/Filter [${'/FlateDecode '.repeat(40)}]`),
  ]),
  'a stream that is longer than its file': pdfOf([
    PAGES,
    tree('3 0 R', 1),
    page('/Contents 4 0 R'),
    stream(draw('Short'), '', 2 ** 40),
  ]),
  'a file that ends in the middle': whole.subarray(0, whole.length * 0.6),
  'a file whose table of objects lies': Buffer.from(
    whole.toString('latin1').replaceAll(/\d{10} 00000 n/g, '9999999999 00000 n'),
    'latin1',
  ),
  'an encrypted file': pdfOf(
    [
      PAGES,
      tree('3 0 R', 1),
      ...leaf('Secret'),
      `<</Filter /Standard /V 1 /R 2 /P -4 /O <${'a5'.repeat(32)}> /U <${'5a'.repeat(32)}>>>`,
    ],
    `/Encrypt 5 0 R /ID [<${'00'.repeat(16)}> <${'00'.repeat(16)}>]`,
  ),
  'nothing but its beginning': Buffer.from('%PDF-1.7\n'),
}
