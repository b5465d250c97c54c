export type Theme = 'system' | 'light' | 'dark';

export const themeOptions: readonly { value: Theme; label: string }[] = [
  { value: 'system', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];

const key = 'tocsin.theme';

/** Returns the theme that the user has chosen on this device, or `system` if the user has chosen none. */
export function storedTheme(): Theme {
  const value = window.localStorage.getItem(key);
  return value === 'light' || value === 'dark' ? value : 'system';
}

export function storeTheme(theme: Theme): void {
  window.localStorage.setItem(key, theme);
  applyTheme(theme);
}

export function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}
