import react from '@vitejs/plugin-react';
import { defaultClientConditions, defineConfig } from 'vite';
import { checkFirstLoad } from './build/check-first-load.js';

/** Address of the API to which `npm run dev` forwards requests. `npm start` prints this address. */
const api = process.env.API_URL ?? 'http://127.0.0.1:8700';

export default defineConfig({
  plugins: [react(), checkFirstLoad()],
  // The bundler reads the TypeScript sources of the packages in this repository instead of their compiled output.
  resolve: { conditions: ['tocsin-source', ...defaultClientConditions] },
  // Placeholder for the nonce of the Content-Security-Policy. webhook-api replaces the placeholder in each response.
  // Style elements that libraries add need the nonce.
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    outDir: 'dist/site',
    emptyOutDir: true,
    // With 0, no assets are inlined. Inlined assets would be data: URLs, which the Content-Security-Policy rejects.
    assetsInlineLimit: 0,
    // This limit is so high that Vite never warns about the size of a file. `checkFirstLoad` checks the size instead.
    chunkSizeWarningLimit: 1_000,
    // `cssTarget` lists the lowest browser versions that support `light-dark()` and nested CSS rules.
    target: 'baseline-widely-available',
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    license: { fileName: 'THIRD-PARTY-LICENSES.md' },
  },
  // Address that the development identity provider of `npm start` accepts as a redirect target.
  server: {
    host: '127.0.0.1',
    port: 5173,
    strictPort: true,
    proxy: { '/api': api, '/console/config.json': api },
  },
});
