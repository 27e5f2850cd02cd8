import { defineConfig } from 'vite'

export default defineConfig({
  base: '/desk/',
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
