import { type Chunks, setChunks } from './loading'

/** Loads the page of a program, which is the same for all. */
const program = () => import('./routes/programa')

/** Each page's own chunk. The entries of the site name them (src/main.ts), so that links in pages do not import pages. */
setChunks({
  '/': () => import('./routes/inicio'),
  '/informacion': () => import('./routes/informacion'),
  '/historia': () => import('./routes/historia'),
  '/impacto': () => import('./routes/impacto'),
  '/equipo': () => import('./routes/equipo'),
  '/voluntarios': () => import('./routes/voluntarios'),
  '/programas': () => import('./routes/programas'),
  '/programas/composicion': program,
  '/programas/orquesta': program,
  '/programas/docentes': program,
  '/instrumentos': () => import('./routes/instrumentos'),
  '/ensambles': () => import('./routes/ensambles'),
  '/calendario': () => import('./routes/calendario'),
  '/contacto': () => import('./routes/contacto'),
  '/donar': () => import('./routes/donar'),
  '/donar/gracias': () => import('./routes/gracias'),
  '/privacidad': () => import('./routes/privacidad'),
  '/eventos/:id': () => import('./routes/evento'),
  '/LogIn': () => import('./routes/log-in'),
  '/AdminView': () => import('./routes/admin-view'),
  '*': () => import('./routes/no-encontrada'),
} satisfies Chunks)
