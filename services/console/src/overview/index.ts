export { OverviewPage } from './overview-page.js';
