import { createRoot } from 'react-dom/client';
import './ui/theme.css';
import './ui/base.css';
import './ui/components.css';
import './ui/controls.css';
import './ui/table.css';
import './app/layout.css';
import { App } from './app/app.js';
import { startSignIn } from './app/sign-in.js';
import { applyTheme, storedTheme } from './app/theme.js';
import { Welcome } from './app/welcome.js';

applyTheme(storedTheme());
const root = createRoot(document.getElementById('root')!);
root.render(<Welcome />);
startSignIn(window.location).then(
  (signIn) => root.render(signIn.kind === 'signed-in' ? <App {...signIn} /> : <Welcome {...signIn} />),
  (error: Error) => root.render(<Welcome problem={error.message} />),
);
