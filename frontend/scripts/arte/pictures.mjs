import { P, TINTS } from './lib/palette.mjs'
import { picture } from './lib/print.mjs'
import { empty, events, lost } from './scenes/events.mjs'
import * as hero1 from './scenes/hero-1.mjs'
import * as hero2 from './scenes/hero-2.mjs'
import * as hero3 from './scenes/hero-3.mjs'
import * as hero4 from './scenes/hero-4.mjs'
import * as hero5 from './scenes/hero-5.mjs'
import * as hero6 from './scenes/hero-6.mjs'
import { HEADER, headers } from './scenes/headers.mjs'
import { history } from './scenes/history.mjs'
import { concerts, ensembles, programs } from './scenes/programs.mjs'
import { about, cityMap, volunteers } from './scenes/stories.mjs'
import { strip } from './scenes/strip.mjs'
import { directors, group } from './scenes/team.mjs'
import { calendar, instruments } from './scenes/wide.mjs'

/** The default position of a hero's upright crop. */
const UPRIGHT = [700, 60, 630, 840]

/** A hero in its wide and upright formats. */
const hero = (name, { draw, ground, upright = UPRIGHT }) => [
  [name, () => picture({ width: 1600, height: 900, ground, body: draw() })],
  [`${name}-movil`, () => picture({ width: 630, height: 840, ground, viewBox: upright, body: draw() })],
]

/** One picture. */
const one = (name, { draw, ...frame }) => [name, () => picture({ ...frame, body: draw() })]

/** A numbered family of pictures. */
const family = (name, scenes) => scenes.map((scene, i) => one(`${name}-${i + 1}`, scene))

/** Every picture of the site, as `[name, draw]`. */
export const pictures = () => [
  ...[hero1, hero2, hero3, hero4, hero5, hero6].flatMap((scene, i) => hero(`hero-${i + 1}`, scene)),
  ...family('tira', strip),
  ...family('historia', history),
  ...family('equipo', directors),
  ...family('equipo-grupo', group),
  ...family('programa', programs),
  ...family('ensamble', ensembles),
  ...family('concierto', concerts),
  ...family('voluntario', volunteers),
  ...family('acerca', about),
  ...family('evento', events),
  one('instrumentos-hero', { width: 1600, height: 700, draw: instruments }),
  one('calendario-hero', { width: 1600, height: 700, draw: calendar }),
  ...Object.entries(headers).map(([page, draw]) => one(`cabecera-${page}`, { ...HEADER, draw })),
  one('mapa', cityMap),
  ...Object.entries(empty).map(([name, draw]) => one(`vacio-${name}`, { width: 400, height: 300, ground: TINTS.mar, draw })),
  one('no-encontrada', { width: 800, height: 600, ground: P.crema, draw: lost }),
]
