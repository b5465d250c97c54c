import { useEffect, useState } from 'react';
import { NavLink, Outlet, ScrollRestoration, useLocation, useNavigation } from 'react-router';
import { useWhoami } from '../api/index.js';
import { usePaths, useWorkspaceId } from '../paths.js';
import { Button, Failure, Loading, SelectField } from '../ui/index.js';
import { useSignOut } from './sign-out.js';
import { storedTheme, storeTheme, type Theme, themeOptions } from './theme.js';
import { rememberWorkspace, WorkspaceSwitch } from './workspace-switch.js';

/**
 * Shows the navigation next to the content of a page. In windows narrower than 900 px, a button opens the navigation.
 */
export function Layout() {
  const [isMenuOpen, setMenuOpen] = useState(false);
  const { pathname } = useLocation();
  const workspaceId = useWorkspaceId();
  const { error, refetch } = useWhoami();
  const isOpeningPage = useNavigation().state !== 'idle';
  useEffect(() => rememberWorkspace(workspaceId), [workspaceId]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu closes when another page opens.
  useEffect(() => setMenuOpen(false), [pathname]);
  return (
    <div className="layout">
      {/* A new page starts at its top, and the back button returns to the previous position. */}
      <ScrollRestoration />
      <a className="skip-link button" href="#content">
        Skip to the content
      </a>
      <header className="side" data-open={isMenuOpen}>
        <div className="brand">
          <img src="/favicon.svg" alt="" width={24} height={24} />
          <span>Tocsin</span>
          <Button
            kind="quiet"
            aria-expanded={isMenuOpen}
            aria-controls="menu"
            onPress={() => setMenuOpen(!isMenuOpen)}
          >
            Menu
          </Button>
        </div>
        <div id="menu" className="menu">
          <WorkspaceSwitch />
          <Navigation />
          <Account />
        </div>
      </header>
      <main id="content" tabIndex={-1} className="content">
        {/* The previous page stays until the script of the next one is loaded. */}
        <div className="opening">{isOpeningPage && <Loading what="the page" />}</div>
        {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
        <Outlet key={workspaceId} />
      </main>
    </div>
  );
}

function Navigation() {
  const paths = usePaths();
  const pages: [string, string][] = [
    ['Overview', paths.overview()],
    ['Deliveries', paths.deliveries()],
    ['Alerts', paths.alerts()],
    ['Webhooks', paths.webhooks()],
    ['Alert rules', paths.alertRules()],
    ['Audit', paths.audit()],
    ['Settings', paths.settings()],
  ];
  return (
    <nav aria-label="Pages">
      <ul>
        {pages.map(([name, path]) => (
          <li key={name}>
            <NavLink to={path}>{name}</NavLink>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Account() {
  const { data } = useWhoami();
  const signOut = useSignOut();
  const [theme, setTheme] = useState(storedTheme);
  return (
    <div className="account">
      <SelectField
        label="Theme"
        value={theme}
        options={themeOptions}
        onChange={(value) => {
          setTheme(value as Theme);
          storeTheme(value as Theme);
        }}
      />
      <div className="row">
        <span className="muted">{data?.display}</span>
        <Button kind="quiet" onPress={signOut}>
          Sign out
        </Button>
      </div>
    </div>
  );
}
