import type { Route } from '@playwright/test'
import { accessible, expect, fits, I, S, paste, seed, stored, test } from './console'

const PROJECT = 'demo-data'
const DATA = `/data/${PROJECT}/(default)`

const EVERYTHING = {
  text: S('hello'),
  big: I('9007199254740993'),
  half: { doubleValue: 2 },
  yes: { booleanValue: true },
  when: { timestampValue: '2030-01-31T12:00:00.123456Z' },
  nothing: { nullValue: null },
  place: { geoPointValue: { latitude: 18.5, longitude: -69.9 } },
  blob: { bytesValue: 'aGVsbG8=' },
  to: { referenceValue: `projects/${PROJECT}/databases/(default)/documents/people/p0001` },
  there: { referenceValue: 'projects/elsewhere/databases/(default)/documents/people/ann' },
  list: { arrayValue: { values: [S('a'), I(2)] } },
  address: { mapValue: { fields: { city: S('Bani') } } },
  direction: {
    mapValue: { fields: { __type__: S('__vector__'), value: { arrayValue: { values: [{ doubleValue: 0.5 }, { doubleValue: 1 }] } } } },
  },
}

test.beforeAll(async () => {
  const people = Array.from(
    { length: 450 },
    (_, i) => [`people/p${String(i).padStart(4, '0')}`, { name: S(`Person ${i}`), age: I(i % 90) }] as const,
  )
  await seed(PROJECT, {
    ...Object.fromEntries(people),
    'types/all': EVERYTHING,
    'ghosts/none/orders/o1': { n: I(1) },
    'orders/o2': { n: I(2) },
  })
})

test('collections, a long table by pages, and a document', async ({ page }) => {
  await page.goto(DATA)
  await page.getByRole('link', { name: /^people \d/ }).click()
  const grid = page.getByRole('grid')
  await expect(grid.getByRole('row', { name: 'p0000' })).toBeVisible()
  await expect(page.getByText('100+ loaded')).toBeVisible()
  await grid.getByRole('row', { name: 'p0000' }).focus()
  for (const loaded of ['200+', '300+', '400+', '450']) {
    await page.keyboard.press('End')
    await expect(page.getByText(`${loaded} loaded`)).toBeVisible()
  }
  await page.keyboard.press('End')
  await expect(grid.getByRole('row', { name: 'p0449' })).toBeFocused()
  // Only visible rows are rendered.
  expect(await grid.getByRole('row').count()).toBeLessThan(60)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/people\/p0449$/)
  await expect(page.getByRole('region', { name: 'people/p0449' }).getByLabel('Value of name')).toHaveValue('Person 449')
  await accessible(page)
  await fits(page)
})

test('changes by other clients are shown and marked for a while', async ({ page }) => {
  await page.goto(`${DATA}/people`)
  const grid = page.getByRole('grid')
  await expect(page.getByText('Live', { exact: true }).locator('.on')).toBeVisible()
  await seed(PROJECT, { 'people/p0002': { name: S('Changed meanwhile'), age: I(7) } })
  const row = grid.getByRole('row', { name: 'p0002' })
  await expect(row).toContainText('Changed meanwhile')
  await expect(row).toHaveClass(/changed/)
  await seed(PROJECT, { 'people/p0002a': { name: S('New') } })
  await expect(grid.getByRole('row', { name: 'p0002a' })).toBeVisible()
})

test('every type has a control, and saving keeps each to the last digit', async ({ page }) => {
  await page.goto(`${DATA}/types/all`)
  const pane = page.getByRole('region', { name: 'types/all' })
  await expect(pane.getByLabel('Value of big')).toHaveValue('9007199254740993')
  await expect(pane.getByLabel('Value of half')).toHaveValue('2.0')
  await expect(pane.getByLabel('Value of direction')).toHaveValue('0.5, 1')
  await pane.getByLabel('Value of text').fill('good bye')
  await pane.getByLabel('Value of yes').selectOption('false')
  await pane.getByLabel('Latitude').fill('19')
  await pane.getByRole('application').focus()
  await page.keyboard.press('ArrowRight')
  await pane.getByLabel('Value of list[1]').fill('3')
  await pane.getByLabel('Value of address.city').fill('Azua')
  await pane.getByLabel('Value of when').fill('2031-02-01T08:00:00.500')
  await pane.getByRole('button', { name: 'Add field' }).click()
  await pane.getByLabel('Name of the field').fill('added')
  await page.keyboard.press('Enter')
  await pane.getByLabel('Type of added').selectOption('integer')
  await pane.getByLabel('Value of added').fill('x')
  await expect(pane.getByRole('alert')).toHaveText('This is not a value of this type.')
  await pane.getByLabel('Value of added').fill('-5')
  await pane.getByRole('button', { name: 'Save' }).click()
  await expect(pane.getByText('Unsaved changes')).toBeHidden()
  const saved = await stored(PROJECT, 'types/all')
  expect(saved?.fields).toEqual({
    ...EVERYTHING,
    text: S('good bye'),
    yes: { booleanValue: false },
    place: { geoPointValue: { latitude: 19, longitude: -68.9 } },
    there: { referenceValue: 'projects/elsewhere/databases/(default)/documents/people/ann' },
    list: { arrayValue: { values: [S('a'), I(3)] } },
    address: { mapValue: { fields: { city: S('Azua') } } },
    when: { timestampValue: '2031-02-01T12:00:00.500456Z' },
    added: I(-5),
  })
  await page.getByRole('status').getByRole('button', { name: 'Undo' }).click()
  await expect(pane.getByLabel('Value of text')).toHaveValue('hello')
  expect((await stored(PROJECT, 'types/all'))?.fields).toEqual(EVERYTHING)
  await pane.getByRole('tab', { name: 'JSON' }).click()
  await expect(pane.getByRole('textbox', { name: 'JSON' })).toContainText('"projects/elsewhere/databases/(default)/documents/people/ann"')
  await expect(pane.getByText('Unsaved changes')).toBeHidden()
  await pane.getByRole('tab', { name: 'Fields' }).click()
  await accessible(page)
  await fits(page)
})

test('JSON shows an error at its line, and saves when it is whole', async ({ page }) => {
  await seed(PROJECT, { 'notes/n': { a: I(1) } })
  await page.goto(`${DATA}/notes/n`)
  await page.getByRole('tab', { name: 'JSON' }).click()
  const editor = page.getByRole('textbox', { name: 'JSON' })
  await paste(editor, '{\n  "a": 1,\n  "when": { "$timestamp": "soon" }\n}')
  await expect(page.getByText('Line 3, column 27: expected a time')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Save' })).toBeDisabled()
  await paste(editor, '{ "a": 1.0, "when": { "$timestamp": "2030-01-01T00:00:00Z" } }')
  await expect(page.getByRole('button', { name: 'Save' })).toBeEnabled()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Unsaved changes')).toBeHidden()
  expect((await stored(PROJECT, 'notes/n'))?.fields).toEqual({ a: { doubleValue: 1 }, when: { timestampValue: '2030-01-01T00:00:00Z' } })
})

test('only changed values are saved: changes of other values by others stay', async ({ page, quiet }) => {
  // A save of an older version is refused and repeated.
  quiet(/400/)
  const address = (city: string, zip: string) => ({ mapValue: { fields: { city: S(city), zip: S(zip) } } })
  await seed(PROJECT, { 'notes/both': { a: S('one'), b: S('one'), address: address('Bani', '1'), old: I(1) } })
  await page.goto(`${DATA}/notes/both`)
  const written: unknown[] = []
  page.on('request', (request) => {
    if (request.url().endsWith(':commit')) written.push(request.postDataJSON())
  })
  await page.getByLabel('Value of a', { exact: true }).fill('mine')
  await page.getByLabel('Value of address.city').fill('Azua')
  await page.getByRole('button', { name: 'Remove old' }).click()
  await seed(PROJECT, { 'notes/both': { a: S('one'), b: S('theirs'), address: address('Bani', '2'), old: I(1) } })
  await expect(page.getByLabel('Value of b')).toHaveValue('theirs')
  await expect(page.getByLabel('Value of a', { exact: true })).toHaveValue('mine')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Unsaved changes')).toBeHidden()
  expect((await stored(PROJECT, 'notes/both'))?.fields).toEqual({ a: S('mine'), b: S('theirs'), address: address('Azua', '2') })
  expect(written).toMatchObject([{ writes: [{ updateMask: { fieldPaths: ['a', 'address.city', 'old'] } }] }])
  // Undo gives back only what was saved.
  await seed(PROJECT, { 'notes/both': { a: S('mine'), b: S('later'), address: address('Azua', '2') } })
  await page.getByRole('status').getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByLabel('Value of a', { exact: true })).toHaveValue('one')
  expect((await stored(PROJECT, 'notes/both'))?.fields).toEqual({ a: S('one'), b: S('later'), address: address('Bani', '2'), old: I(1) })
})

test('a save merges with a change that the page has not seen', async ({ page, quiet }) => {
  quiet(/400/)
  await seed(PROJECT, { 'notes/unseen': { a: S('one'), b: S('one') } })
  await page.goto(`${DATA}/notes/unseen`)
  await page.getByLabel('Value of a').fill('mine')
  // The other client's change arrives just before the save does.
  const late = async (route: Route) => {
    await seed(PROJECT, { 'notes/unseen': { a: S('one'), b: S('theirs') } })
    await route.continue()
  }
  await page.route('**/*:commit', late, { times: 1 })
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Unsaved changes')).toBeHidden()
  expect((await stored(PROJECT, 'notes/unseen'))?.fields).toEqual({ a: S('mine'), b: S('theirs') })
})

test('a conflict shows both values where they are always visible', async ({ page }) => {
  const others = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`f${i}`, I(i)]))
  await seed(PROJECT, { 'notes/conflict': { ...others, a: S('one'), z: S('one') } })
  await page.goto(`${DATA}/notes/conflict`)
  await page.getByLabel('Value of z').fill('my z')
  await page.getByLabel('Value of a').fill('my a')
  await seed(PROJECT, { 'notes/conflict': { ...others, a: S('their a'), z: S('their z') } })
  const conflicts = page.getByRole('list', { name: 'Conflicts' })
  await expect(conflicts.getByRole('listitem', { name: 'a' })).toContainText('my a')
  await expect(conflicts.getByRole('listitem', { name: 'a' })).toContainText('their a')
  for (const field of ['Value of a', 'Value of z']) {
    await page.getByLabel(field).scrollIntoViewIfNeeded()
    await expect(conflicts).toBeInViewport({ ratio: 1 })
  }
  await expect(page.getByRole('button', { name: 'Save' })).toBeDisabled()
  await accessible(page)
  await fits(page)
  await conflicts.getByRole('listitem', { name: 'a' }).getByRole('button', { name: 'Take theirs' }).click()
  await expect(page.getByLabel('Value of a')).toHaveValue('their a')
  await conflicts.getByRole('listitem', { name: 'z' }).getByRole('button', { name: 'Keep yours' }).click()
  await expect(conflicts).toBeHidden()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Unsaved changes')).toBeHidden()
  expect((await stored(PROJECT, 'notes/conflict'))?.fields).toMatchObject({ a: S('their a'), z: S('my z') })
})

test('create, duplicate, rename and delete with undo', async ({ page, quiet }) => {
  quiet(/409/)
  await page.goto(DATA)
  await page.getByRole('button', { name: 'New collection' }).click()
  await page.getByLabel('Collection id').fill('made')
  await page.getByLabel('Document id').fill('__no__')
  await expect(page.getByText('An id has 1 to 1500 bytes')).toBeVisible()
  await page.getByLabel('Document id').fill('one')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page).toHaveURL(/made\/one$/)
  const pane = page.getByRole('region', { name: 'made/one' })
  await pane.getByRole('button', { name: 'Add field' }).click()
  await pane.getByLabel('Name of the field').fill('x')
  await page.keyboard.press('Enter')
  await pane.getByRole('button', { name: 'Save' }).click()
  await expect(pane.getByText('Unsaved changes')).toBeHidden()
  await pane.getByRole('button', { name: 'Actions' }).click()
  await page.getByRole('menuitem', { name: 'Duplicate' }).click()
  await page.getByLabel('Document id').fill('one')
  await page.getByRole('button', { name: 'Save' }).last().click()
  await expect(page.getByText('There is already a document with this id.')).toBeVisible()
  await page.getByLabel('Document id').fill('two')
  await page.getByRole('button', { name: 'Save' }).last().click()
  await expect(page).toHaveURL(/made\/two$/)
  await page.getByRole('region', { name: 'made/two' }).getByRole('button', { name: 'Actions' }).click()
  await page.getByRole('menuitem', { name: 'Rename' }).click()
  await expect(page.getByLabel('Document id')).toHaveValue('two')
  await page.getByLabel('Document id').fill('three')
  await page.getByRole('button', { name: 'Save' }).last().click()
  await expect(page).toHaveURL(/made\/three$/)
  expect(await stored(PROJECT, 'made/two')).toBeNull()
  expect((await stored(PROJECT, 'made/three'))?.fields).toEqual({ x: S('') })

  await page.getByRole('region', { name: 'made', exact: true }).getByRole('button', { name: 'Actions' }).click()
  await page.getByRole('menuitem', { name: 'Delete collection' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('2 documents in 1 collection will be deleted.')
  await accessible(page)
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByText('2 documents deleted')).toBeVisible()
  expect(await stored(PROJECT, 'made/one')).toBeNull()
  await page.getByRole('status').getByRole('button', { name: 'Undo' }).last().click()
  await expect(page.getByText('2 documents restored')).toBeVisible()
  expect((await stored(PROJECT, 'made/three'))?.fields).toEqual({ x: S('') })
})

test('missing documents and collection groups link to the documents below', async ({ page }) => {
  await page.goto(`${DATA}/ghosts`)
  await page.getByRole('row', { name: 'none' }).click()
  await expect(page.getByText('This document does not exist.')).toBeVisible()
  await page.getByRole('region', { name: 'ghosts/none' }).getByRole('link', { name: 'orders' }).click()
  await expect(page.getByRole('row', { name: 'o1' })).toBeVisible()
  await page.goto(`${DATA}/orders?group=1`)
  await expect(page.getByRole('row', { name: 'ghosts/none/orders/o1' })).toBeVisible()
  await page.getByRole('row', { name: 'orders/o2' }).click()
  await expect(page).toHaveURL(/doc=orders%2Fo2/)
  await expect(page.getByLabel('Value of n')).toHaveValue('2')
})

test('queries with conditions, orders, aggregations, explain and code', async ({ page }) => {
  await page.goto(`${DATA}/people`)
  await page.getByRole('button', { name: 'Query' }).click()
  const form = page.getByRole('form', { name: 'Query' })
  await form.getByLabel('Field').fill('age')
  await form.getByLabel('Operator').selectOption('>=')
  await form.getByLabel('Type').selectOption('integer')
  await form.getByLabel('Value').fill('88')
  await form.getByRole('button', { name: 'Add order' }).click()
  await form.getByLabel('Order by').fill('age')
  await form.getByLabel('Direction').selectOption('desc')
  await form.getByLabel('Limit').fill('7')
  await form.getByRole('button', { name: 'Run' }).click()
  await expect(page.getByText('7 loaded')).toBeVisible()
  await expect(page.getByRole('row', { name: 'p0089' })).toBeVisible()
  await page.reload()
  await expect(page.getByText('7 loaded')).toBeVisible()
  await page.getByRole('button', { name: '1 condition' }).click()
  await form.getByRole('button', { name: 'Explain' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('age DESC')
  await expect(dialog).toContainText('Documents returned')
  await accessible(page)
  await page.keyboard.press('Escape')
  await form.getByRole('button', { name: 'As code' }).click()
  await expect(dialog).toContainText('where("age", ">=", 88)')
  await dialog.getByRole('tab', { name: 'Go' }).click()
  await expect(dialog).toContainText('Where("age", ">=", int64(88))')
  await accessible(page)
  await page.keyboard.press('Escape')
  await form.getByLabel('Limit').fill('')
  await form.getByRole('button', { name: 'Add aggregation' }).click()
  await form.getByRole('button', { name: 'Run' }).click()
  await expect(form.getByRole('status')).toContainText('count10')
  await fits(page)
})

test('lists of values are entered one by one, with commas in them', async ({ page }) => {
  await seed(PROJECT, { 'cities/a': { name: S('Santo Domingo, Este') }, 'cities/b': { name: S('Bani') }, 'cities/c': { name: S('Azua') } })
  await page.goto(`${DATA}/cities`)
  await page.getByRole('button', { name: 'Query' }).click()
  const form = page.getByRole('form', { name: 'Query' })
  const value = (n: number) => form.getByLabel(`Value ${n}`, { exact: true })
  await form.getByLabel('Field').fill('name')
  await form.getByLabel('Operator').selectOption('in')
  await value(1).fill('Santo Domingo, Este')
  await form.getByRole('button', { name: 'Add value' }).click()
  await value(2).fill('nowhere')
  await form.getByRole('button', { name: 'Add value' }).click()
  await value(3).fill('Azua')
  await form.getByRole('button', { name: 'Remove value 2' }).click()
  await form.getByRole('button', { name: 'Run' }).click()
  await expect(page.getByText('2 loaded')).toBeVisible()
  await page.reload()
  await page.getByRole('button', { name: '1 condition' }).click()
  await expect(value(1)).toHaveValue('Santo Domingo, Este')
  await expect(value(2)).toHaveValue('Azua')
  await accessible(page)
  await fits(page)
  await form.getByLabel('Operator').selectOption('not-in')
  await form.getByRole('button', { name: 'Run' }).click()
  await expect(page.getByRole('row', { name: 'Bani' })).toBeVisible()
  await expect(page.getByText('1 loaded')).toBeVisible()
})

test('the console opens the collection of the last visit', async ({ page }) => {
  const project = 'demo-console'
  await seed(project, { 'visited/first': { n: I(1) } })
  await page.goto(`/data/${project}/(default)/visited/first`)
  await expect(page.getByLabel('Value of n')).toBeVisible()
  await page.goto('/')
  await expect(page).toHaveURL(/\/visited$/)
  await expect(page.getByRole('row', { name: 'first' })).toBeVisible()
})

test('documents are exported to files and imported from them', async ({ page }) => {
  await page.goto(`${DATA}/types`)
  const table = page.getByRole('region', { name: 'types', exact: true })
  await expect(table.getByRole('gridcell', { name: 'all', exact: true })).toBeVisible()
  for (const format of ['JSON', 'CSV']) {
    await table.getByRole('button', { name: 'Actions' }).click()
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name: `Export as ${format}` }).click()])
    const path = await file.path()
    const target = `from-${format.toLowerCase()}`
    await seed(PROJECT, { [`${target}/x`]: { n: I(1) } })
    await page.goto(`${DATA}/${target}`)
    const other = page.getByRole('region', { name: target, exact: true })
    await other.getByRole('button', { name: 'Actions' }).click()
    await page.getByRole('menuitem', { name: 'Import' }).click()
    await page.getByLabel('File').setInputFiles({
      name: `types.${format.toLowerCase()}`,
      mimeType: 'text/plain',
      buffer: await import('node:fs/promises').then((fs) => fs.readFile(path)),
    })
    await page.getByRole('dialog').getByRole('button', { name: 'Import' }).click()
    await expect(page.getByText('1 document imported')).toBeVisible()
    expect((await stored(PROJECT, `${target}/all`))?.fields).toEqual((await stored(PROJECT, 'types/all'))?.fields)
    await page.goto(`${DATA}/types`)
  }
})
