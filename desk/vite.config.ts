import { defineConfig } from 'vite'
import { texts } from './texts.ts'

export default defineConfig({
  base: '/desk/',
  plugins: [texts()],
  // The build names its version by its sources.
  define: { __VERSION__: '"development"' },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  resolve: { alias: { react: 'preact/compat', 'react-dom': 'preact/compat' } },
  build: {
    target: 'es2023',
    // The policy of the pages allows neither inline scripts nor what such a polyfill would be for.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    manifest: true,
  },
  server: {
    proxy: Object.fromEntries(
      ['/api', '/login', '/logout', '/files', '/pages.css'].map((path) => [
        path,
        { target: 'http://127.0.0.1:3000', ws: true },
      ]),
    ),
  },
})
