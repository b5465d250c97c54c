import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** A file that the reference page loads. */
export interface ReferenceAsset {
  name: string;
  contentType: string;
  content: string | Buffer;
}

const javaScript = 'text/javascript; charset=utf-8';
const css = 'text/css; charset=utf-8';

/** Returns the scripts and style sheets that the reference page loads: those of Swagger UI, and its own. */
export function readReferenceAssets(): ReferenceAsset[] {
  const require = createRequire(import.meta.url);
  return [
    {
      name: 'swagger-ui-bundle.js',
      contentType: javaScript,
      content: readFileSync(require.resolve('swagger-ui-dist/swagger-ui-bundle.js')),
    },
    {
      name: 'swagger-ui.css',
      contentType: css,
      content: readFileSync(require.resolve('swagger-ui-dist/swagger-ui.css')),
    },
    { name: 'reference.js', contentType: javaScript, content: startViewer },
    { name: 'reference.css', contentType: css, content: style },
  ];
}

// The path of the OpenAPI document is relative, so that the page works behind a path prefix. The validator of Swagger
// UI is disabled, because it is a service of a third party.
const startViewer = `SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#operations',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  displayOperationId: true,
  filter: true,
  validatorUrl: null,
});
`;

const style = `body { margin: 0; font: 16px/1.5 system-ui, sans-serif; color: #1f2933; background: #fff; }
header, #messages { max-width: 1420px; margin: 0 auto; padding: 1rem 20px; }
#messages table { border-collapse: collapse; width: 100%; }
#messages td, #messages th {
  text-align: left; vertical-align: top; border-top: 1px solid #d0d7de; padding: .2rem .8rem .2rem 0;
}
#messages pre { overflow-x: auto; padding: .8rem; background: #f3f5f7; }
`;
