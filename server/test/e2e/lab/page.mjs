// The part of the lab's test that runs in a page: the programs of client.mjs with the web SDK.
import * as app from 'firebase/app'
import * as auth from 'firebase/auth'
import * as firestore from 'firebase/firestore'
import * as lite from 'firebase/firestore/lite'
import { programs } from './client.mjs'

for (const part of [firestore, lite]) part.setLogLevel('silent')

/** Runs a program; labControl and labCodes are the driver's. */
const run = ({ program, world }) => {
  const { host, control, codes } = { host: (name) => `${name}.localhost`, control: window.labControl, codes: window.labCodes }
  window.lab ??= programs({ app, auth, firestore, lite }, { ...world, host, control, codes })
  return window.lab[program]()
}

window.programs = { run }
