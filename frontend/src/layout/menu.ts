import { t } from '../i18n/es'

/** A page in the menu. */
export type Entrada = { a: string; texto: string }

/** The group of pages under one button. */
export type Grupo = { id: 'informaciones' | 'programas'; texto: string; entradas: Entrada[] }

/** The menu's two groups (F-013). */
export const GRUPOS: Grupo[] = [
  {
    id: 'informaciones',
    texto: t.barra.informaciones,
    entradas: [
      { a: '/historia', texto: t.barra.historia },
      { a: '/equipo', texto: t.barra.equipo },
      { a: '/voluntarios', texto: t.barra.voluntarios },
    ],
  },
  {
    id: 'programas',
    texto: t.barra.programas,
    entradas: [
      { a: '/instrumentos', texto: t.barra.instrumentos },
      { a: '/calendario', texto: t.barra.calendario },
    ],
  },
]
