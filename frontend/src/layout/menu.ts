import { t } from '../i18n/es'

/** A page in the menu. */
export type Entry = { a: string; text: string }

/** The group of pages under one button. */
export type Group = { id: 'informaciones' | 'programas'; text: string; entries: Entry[] }

/** The menu's two groups (F-013). */
export const GROUPS: Group[] = [
  {
    id: 'informaciones',
    text: t.bar.informaciones,
    entries: [
      { a: '/historia', text: t.bar.historia },
      { a: '/equipo', text: t.bar.equipo },
      { a: '/voluntarios', text: t.bar.voluntarios },
    ],
  },
  {
    id: 'programas',
    text: t.bar.programas,
    entries: [
      { a: '/instrumentos', text: t.bar.instrumentos },
      { a: '/calendario', text: t.bar.calendar },
    ],
  },
]
