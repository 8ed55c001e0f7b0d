import { expect, fits, I, origins, paste, S, seed, stored, test, toolkit } from './console'

const PROJECT = 'demo-hostile'
const DATA = `/data/${PROJECT}/(default)`
const SCRIPT = '<img src=x onerror="document.title=\'owned\'">'
const HTML = '</b><img src="https://evil.example/x.png" onerror="document.title=&apos;owned&apos;">'
const IDS = [
  '100%',
  'a%2Fb',
  '%',
  SCRIPT.replaceAll('/', ''),
  'ñandú 日本',
  'a?b#c&d=e',
  'a:b',
  ' spaces ',
  `'quotes"`,
  '..a',
  'é́\u202egnp',
  '😀',
  '+1 809',
]

test('documents of any ids are opened, changed and saved', async ({ page }) => {
  await seed(PROJECT, Object.fromEntries(IDS.map((id) => [`c:%/${id}`, { n: I(1) }])))
  await page.goto(DATA)
  await page.getByRole('link', { name: /^c:% \d/ }).click()
  const grid = page.getByRole('grid')
  for (const [i, id] of IDS.entries()) {
    await grid.getByRole('gridcell', { name: id.trim(), exact: true }).click()
    const pane = page.getByRole('region', { name: `c:%/${id}`.trim(), exact: true })
    await pane.getByLabel('Value of n').fill(String(i + 10))
    await pane.getByRole('button', { name: 'Save' }).click()
    await expect(pane.getByText('Unsaved changes')).toBeHidden()
    // Such ids must also work in an address.
    if (/[%?#]/.test(id)) await page.reload()
    await expect(pane.getByLabel('Value of n')).toHaveValue(String(i + 10))
    expect((await stored(PROJECT, `c%3A%25/${encodeURIComponent(id)}`))?.fields).toEqual({ n: I(i + 10) })
  }
  await expect(page).not.toHaveTitle('owned')
})

test('fields of any names are shown and saved', async ({ page }) => {
  const fields = { constructor: S('c'), prototype: S('p'), toString: S('t'), 'a.b': S('dot'), '`': S('tick'), [SCRIPT]: S(SCRIPT), n: I(1) }
  await seed(PROJECT, {
    'names/with': fields,
    'names/without': { n: I(2), m: { mapValue: { fields: { constructor: S('inner'), hasOwnProperty: I(1) } } } },
  })
  await page.goto(`${DATA}/names`)
  await expect(page.getByRole('row', { name: 'without' })).toBeVisible()
  await page.getByRole('gridcell', { name: 'with', exact: true }).click()
  const pane = page.getByRole('region', { name: 'names/with' })
  await expect(pane.getByLabel('Value of constructor')).toHaveValue('c')
  await pane.getByLabel('Value of n').fill('3')
  await pane.getByRole('button', { name: 'Save' }).click()
  await expect(pane.getByText('Unsaved changes')).toBeHidden()
  expect((await stored(PROJECT, 'names/with'))?.fields).toEqual({ ...fields, n: I(3) })
  await page.goto(`${DATA}/names/without`)
  const other = page.getByRole('region', { name: 'names/without' })
  await other.getByRole('button', { name: 'Add field' }).click()
  await other.getByLabel('Name of the field').fill('valueOf')
  await page.keyboard.press('Enter')
  await other.getByRole('button', { name: 'Save' }).click()
  await expect(other.getByText('Unsaved changes')).toBeHidden()
  expect((await stored(PROJECT, 'names/without'))?.fields).toEqual({
    n: I(2),
    valueOf: S(''),
    m: { mapValue: { fields: { constructor: S('inner'), hasOwnProperty: I(1) } } },
  })
})

test('many selected documents are deleted and restored', async ({ page }) => {
  await seed(PROJECT, Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`many/d${String(i).padStart(2, '0')}`, { n: I(i) }])))
  await page.goto(`${DATA}/many`)
  await page.getByLabel('Select all that are loaded').check()
  await page.getByRole('button', { name: 'Delete selected' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByText('60 documents deleted')).toBeVisible()
  await page.getByRole('status').getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByText('60 documents restored')).toBeVisible()
  await expect(page.getByText('60 loaded')).toBeVisible()
})

test('a document of the maximum size and depth is shown and changed', async ({ page }) => {
  let deep = I(1)
  for (let i = 0; i < 19; i++) deep = { mapValue: { fields: { [`level${i}`]: deep } } }
  const wide = Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`field${i}`, S('x'.repeat(100))]))
  await seed(PROJECT, { 'large/deep': { deep }, 'large/wide': wide, 'large/long': { text: S('y'.repeat(900_000)), n: I(1) } })
  await page.goto(`${DATA}/large/deep`)
  for (let level = 2; level < 20; level += 2) await page.getByRole('button', { name: /^Open deep/ }).click()
  await expect(page.getByLabel(/^Value of deep\..*level0$/)).toHaveValue('1')
  await fits(page)
  await page.goto(`${DATA}/large/long`)
  await page.getByLabel('Value of n').fill('2')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Unsaved changes')).toBeHidden()
  await page.goto(`${DATA}/large/wide`)
  await page.getByRole('button', { name: 'Show 200 of 2,800 more' }).click()
  await page.getByLabel('Value of field1350').fill('z')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Unsaved changes')).toBeHidden()
})

test('thousands of collections are shown in parts and can be searched', async ({ page }) => {
  const project = 'demo-collections'
  await seed(project, Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`coll${i}/x`, { n: I(i) }])))
  await page.goto(`/data/${project}/(default)`)
  const column = page.getByRole('region', { name: 'Collections' })
  await expect(column.getByRole('link', { name: /^coll0 1/ })).toBeVisible()
  await expect(column.getByRole('link')).toHaveCount(200)
  await column.getByRole('button', { name: 'Show 200 of 4,800 more' }).click()
  await expect(column.getByRole('link')).toHaveCount(400)
  // The groups have the same ids and are folded. The first 200 are shown on request.
  await column.getByText('5000', { exact: true }).click()
  await expect(column.getByRole('link')).toHaveCount(600)
  await column.getByRole('searchbox', { name: 'Search: Collections' }).fill('LL4999')
  await column.getByRole('link', { name: /^coll4999 1/ }).click()
  await expect(page.getByRole('row', { name: 'x' })).toBeVisible()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('coll4321')
  await expect(page.getByRole('option', { name: /^coll4321/ })).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/coll4321$/)
})

test('names and texts that clients choose run no script and load nothing', async ({ page, context, quiet }) => {
  quiet(/40[0-9]/)
  const owned = () => expect(page).not.toHaveTitle('owned')
  await seed(PROJECT, {
    [`links/${HTML.replaceAll('/', '')}`]: {
      link: S("javascript:document.title='owned'"),
      html: S(HTML),
      svg: S(`<svg onload="document.title='owned'">`),
    },
  })
  const photoUrl = "javascript:document.title='owned'"
  const user = {
    localId: 'hostile',
    email: 'hostile@example.org',
    displayName: HTML,
    photoUrl,
    customAttributes: JSON.stringify({ role: HTML }),
  }
  await toolkit(`v1/projects/${PROJECT}/accounts`, user)
  await toolkit(`v1/projects/${PROJECT}/accounts:update`, {
    localId: 'hostile',
    displayName: HTML,
    photoUrl,
    customAttributes: user.customAttributes,
  })
  const token = [
    { alg: 'none' },
    { sub: HTML, user_id: HTML, aud: PROJECT, iss: `https://securetoken.google.com/${PROJECT}`, firebase: {} },
  ]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  const path = `notes/${encodeURIComponent(HTML.replaceAll('/', ''))}`
  const refused = await fetch(`${origins().firestore}/v1/projects/${PROJECT}/databases/(default)/documents/${path}`, {
    headers: { authorization: `Bearer ${token}.`, 'user-agent': HTML },
  })
  expect(refused.status).toBe(403)

  await page.goto(`${DATA}/links`)
  await page.getByRole('gridcell', { name: HTML.replaceAll('/', ''), exact: true }).click()
  await expect(page.getByLabel('Value of link')).toHaveValue(photoUrl)
  await owned()
  await page.goto(`/users/${PROJECT}/(default)`)
  await page.getByRole('button', { name: 'hostile@example.org' }).click()
  await expect(page.getByRole('dialog').getByLabel(/photo/i)).toHaveValue(photoUrl)
  await owned()
  await page.goto(`/requests/${PROJECT}/(default)`)
  await page
    .getByRole('row', { name: `get notes/${HTML.replaceAll('/', '')}` })
    .getByRole('button')
    .first()
    .click()
  await page.getByRole('dialog').getByRole('tab', { name: 'Request' }).click()
  await expect(page.getByRole('dialog')).toContainText(HTML.replaceAll('"', '\\"'))
  await owned()
  await page.goto(`/rules/${PROJECT}/(default)`)
  await paste(
    page.getByRole('textbox', { name: 'Draft' }),
    `service cloud.firestore { match /${HTML} { allow read: if '${HTML}' } } // </script>${HTML}`,
  )
  await expect(page.getByRole('textbox', { name: 'Draft' })).toContainText(`</script>${HTML}`)
  await owned()
  for (const place of [
    `${encodeURIComponent(HTML)}/(default)`,
    `${PROJECT}/${encodeURIComponent(HTML)}`,
    `%2e%2e%2f${encodeURIComponent('javascript:alert(1)')}/x`,
  ]) {
    await page.goto(`/data/${place}`)
    await expect(page.getByRole('navigation', { name: 'Menu' })).toBeVisible()
    await owned()
  }
  expect(context.pages()).toHaveLength(1)
})
