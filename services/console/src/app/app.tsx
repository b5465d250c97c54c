import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import type { Session } from '@tocsin/client/browser';
import { useState } from 'react';
import { createBrowserRouter } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { ClientProvider } from '../api/index.js';
import { NowProvider } from '../ui/index.js';
import { routes } from './routes.js';
import { SignOutContext } from './sign-out.js';

/** Shows the pages of the console to a user who is signed in. */
export function App({ session, signOut }: { session: Session; signOut(): void }) {
  const [router] = useState(() => createBrowserRouter(routes));
  const [queries] = useState(createQueryClient);
  return (
    <QueryClientProvider client={queries}>
      <ClientProvider session={session}>
        <SignOutContext value={signOut}>
          <NowProvider>
            <RouterProvider router={router} />
          </NowProvider>
        </SignOutContext>
      </ClientProvider>
    </QueryClientProvider>
  );
}

function createQueryClient(): QueryClient {
  return new QueryClient({
    // React Query does not retry requests, because the API client retries them. With `networkMode: 'always'`, requests
    // are sent even if the browser reports that it is offline, because the API can run on the user's own machine.
    defaultOptions: {
      queries: { retry: false, networkMode: 'always', staleTime: 4_000 },
      mutations: { networkMode: 'always' },
    },
  });
}
