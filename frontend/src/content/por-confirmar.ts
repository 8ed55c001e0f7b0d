import { acerca } from './acerca'
import { donar } from './donar'
import { ensambles } from './ensambles'
import { equipo } from './equipo'
import { historia } from './historia'
import { impacto } from './impacto'
import { inicio } from './inicio'
import { instrumentos } from './instrumentos'
import { privacidad } from './privacidad'
import { programas } from './programas'
import { voluntarios } from './voluntarios'

/** A statement on the site that the foundation has not confirmed yet, and the file of src/content that contains it. */
export type UnconfirmedFact = { file: string; fact: string }

const de = (file: string, facts: readonly string[]): UnconfirmedFact[] => facts.map((fact) => ({ file, fact }))

/** Every invented fact in the pages' texts that the foundation must replace or confirm, for `npm run contenido`. */
export const unconfirmedFacts: readonly UnconfirmedFact[] = [
  ...de(
    'inicio.ts',
    inicio.testimonials.list.map(({ text, who }) => `testimonio de ${who}: «${text}»`),
  ),
  ...de('inicio.ts', [inicio.newsletter.text]),
  ...de('historia.ts', [
    historia.origin.detail,
    `${historia.appointment.author}: «${historia.appointment.text}»`,
    ...historia.gallery.tiles.map(({ foot }) => foot),
  ]),
  ...de(
    'voluntarios.ts',
    voluntarios.stories.list.map(({ name, text }) => `historia de ${name}: «${text}»`),
  ),
  ...de(
    'voluntarios.ts',
    voluntarios.next.steps.map(({ name, text }) => `${name}: ${text}`),
  ),
  ...de(
    'ensambles.ts',
    ensambles.concerts.map(({ title, date }) => `${title}: ${date}`),
  ),
  ...de(
    'ensambles.ts',
    ensambles.list.flatMap(({ title, details }) => details.map((detail) => `${title}: ${detail}`)),
  ),
  ...de(
    'programas.ts',
    programas.list.flatMap(({ title, details }) => details.map(({ text }) => `${title}: ${text}`)),
  ),
  ...de(
    'equipo.ts',
    equipo.directors.list.filter(({ name }) => name === null).map(({ role, text }) => `${role}: sin nombre. ${text}`),
  ),
  ...de('donar.ts', [
    ...donar.target.effects.map(({ amount, dollars, que }) => `${amount} (US$ ${dollars}): ${que}`),
    `${donar.historia.who}: «${donar.historia.text}»`,
  ]),
  ...de('acerca.ts', [acerca.project.detail]),
  ...de('impacto.ts', [
    ...impacto.counts.list.filter(({ figure }) => figure === null).map(({ name }) => `${name}: sin cifra`),
    ...impacto.method.steps.map(({ name, text }) => `${name}: ${text}`),
  ]),
  ...de(
    'instrumentos.ts',
    instrumentos.introduction.steps.map(({ name, text }) => `${name}: ${text}`),
  ),
  ...de(
    'instrumentos.ts',
    instrumentos.details.list.map(({ name, text }) => `${name}: ${text}`),
  ),
  ...de(
    'privacidad.ts',
    privacidad.sections.flatMap(({ paragraphs }) => paragraphs).filter((paragraph) => /\d/.test(paragraph)),
  ),
]
