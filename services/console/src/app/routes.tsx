import type { ComponentType } from 'react';
import { Navigate, type RouteObject } from 'react-router';
import { Loading } from '../ui/index.js';
import { ChooseWorkspace } from './choose-workspace.js';
import { ErrorPage, NotFoundPage } from './error-page.js';
import { Layout } from './layout.js';

/** Returns a loader that loads the script of a page when the user opens the page. */
function page<Name extends string>(load: () => Promise<Record<Name, ComponentType>>, name: Name) {
  return async () => ({ Component: (await load())[name] });
}

const overview = () => import('../overview/index.js');
const deliveries = () => import('../deliveries/index.js');
const alerts = () => import('../alerts/index.js');
const webhooks = () => import('../webhooks/index.js');
const webhookEditor = () => import('../webhooks/editor.js');
const alertRules = () => import('../alert-rules/index.js');
const audit = () => import('../audit/index.js');
const settings = () => import('../settings/index.js');

export const routes: RouteObject[] = [
  {
    path: '/',
    ErrorBoundary: ErrorPage,
    HydrateFallback: () => <Loading what="the page" />,
    children: [
      { index: true, Component: ChooseWorkspace },
      {
        path: 'w/:workspaceId',
        Component: Layout,
        children: [
          {
            ErrorBoundary: ErrorPage,
            children: [
              { index: true, Component: () => <Navigate replace to="overview" /> },
              { path: 'overview', lazy: page(overview, 'OverviewPage') },
              { path: 'deliveries', lazy: page(deliveries, 'DeliveriesPage') },
              { path: 'deliveries/:deliveryId', lazy: page(deliveries, 'DeliveryPage') },
              { path: 'alerts', lazy: page(alerts, 'AlertsPage') },
              { path: 'alerts/:alertId', lazy: page(alerts, 'AlertPage') },
              { path: 'webhooks', lazy: page(webhooks, 'WebhooksPage') },
              { path: 'webhooks/new', lazy: page(webhookEditor, 'NewWebhookPage') },
              { path: 'webhooks/:webhookId', lazy: page(webhooks, 'WebhookPage') },
              { path: 'webhooks/:webhookId/edit', lazy: page(webhookEditor, 'EditWebhookPage') },
              { path: 'alert-rules', lazy: page(alertRules, 'AlertRulesPage') },
              { path: 'alert-rules/new', lazy: page(alertRules, 'NewAlertRulePage') },
              { path: 'alert-rules/:alertRuleId', lazy: page(alertRules, 'AlertRulePage') },
              { path: 'audit', lazy: page(audit, 'AuditPage') },
              { path: 'settings', lazy: page(settings, 'SettingsPage') },
              { path: '*', Component: NotFoundPage },
            ],
          },
        ],
      },
      { path: '*', Component: NotFoundPage },
    ],
  },
];
