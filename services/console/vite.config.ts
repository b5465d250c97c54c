import react from '@vitejs/plugin-react';
import { defaultClientConditions, defineConfig } from 'vite';
import { checkFirstLoad } from './build/check-first-load.js';

/** Address of the API that `npm run dev` uses; `npm start` prints it. */
const api = process.env.API_URL ?? 'http://127.0.0.1:8700';

export default defineConfig({
  plugins: [react(), checkFirstLoad()],
  // Packages of this repository are bundled from their sources.
  resolve: { conditions: ['tocsin-source', ...defaultClientConditions] },
  // webhook-api replaces it in every response; style elements of libraries need it.
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    outDir: 'dist/site',
    emptyOutDir: true,
    // Inlined assets are data: URLs, which the Content-Security-Policy refuses.
    assetsInlineLimit: 0,
    // The limit that counts is checked by checkFirstLoad.
    chunkSizeWarningLimit: 1_000,
    // `light-dark()` and nested rules are used as they are.
    target: 'baseline-widely-available',
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    license: { fileName: 'THIRD-PARTY-LICENSES.md' },
  },
  // The development provider of `npm start` knows this address.
  server: {
    host: '127.0.0.1',
    port: 5173,
    strictPort: true,
    proxy: { '/api': api, '/console/config.json': api },
  },
});
