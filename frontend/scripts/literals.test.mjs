import { expect, it } from 'vitest'
import { wordsIn } from './literals.mjs'

it.each([
  ['between tags', '<p>Hola</p>'],
  ['in a choice', '<p>{open ? "Hola" : t.closed}</p>'],
  ['in a template', '<p>{`Hola ${name}`}</p>'],
  ['in a join', '<p>{"Hola " + name}</p>'],
  ['behind a condition', '<>{open && "Hola"}</>'],
  ['in an attribute that is read out', '<b aria-label="Hola" />'],
  ['in the choice of an attribute', '<b alt={open ? t.open : "Hola"} />'],
])('finds a word %s', (_, code) => {
  expect(wordsIn('a.tsx', code).join()).toContain('Hola')
})

it.each([
  ['a class', '<p className="Hola" />'],
  ['the word of a condition', '<p>{state === "Hola" ? t.open : null}</p>'],
  ['what a call is given', '<p>{text("Hola")}</p>'],
  ['a sign', '<p>{a} • {b}</p>'],
])('lets %s be', (_, code) => {
  expect(wordsIn('a.tsx', code)).toEqual([])
})
