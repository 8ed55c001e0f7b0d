import { readSetting, writeSetting } from './settings'

export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

export function currentTheme(): Theme {
  const stored = readSetting('theme')
  return THEMES.find((theme) => theme === stored) ?? 'system'
}

/** Applies the stored theme. */
export function applyTheme(): void {
  const theme = currentTheme()
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
}

export function setTheme(theme: Theme): void {
  writeSetting('theme', theme)
  applyTheme()
}
