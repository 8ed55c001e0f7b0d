// Five functions of both generations that trigger each other: a document in c is marked, the mark creates a record in
// log, the record increments a sum, and the change of the sum is recorded with its author.
const { initializeApp } = require('firebase-admin/app')
const { getFirestore, FieldValue } = require('firebase-admin/firestore')
const { onDocumentCreated, onDocumentUpdated, onDocumentWrittenWithAuthContext } = require('firebase-functions/v2/firestore')
const v1 = require('firebase-functions/v1')

initializeApp()
const db = getFirestore()

exports.marks = v1.firestore.document('c/{id}').onCreate((snapshot, context) => snapshot.ref.update({ mark: context.params.id }))

exports.records = onDocumentUpdated('c/{id}', (event) => {
  const { before, after } = event.data
  if (after.data().mark && !before.data().mark) {
    return db.doc(`log/${event.params.id}`).create({ n: after.data().n })
  }
})

exports.sums = onDocumentCreated('log/{id}', () => db.doc('sum/all').set({ n: FieldValue.increment(1) }, { merge: true }))

exports.notes = onDocumentWrittenWithAuthContext('sum/{id}', (event) => db.doc('noted/last').set({ by: event.authType }))

exports.mourns = v1.firestore.document('c/{id}').onDelete((snapshot, context) =>
  db.doc(`gone/${context.params.id}`).create({ n: snapshot.data().n }))

// Triggered by an account of the CLI's own Auth emulator.
exports.greets = v1.auth.user().onCreate((user) => db.doc(`greeted/${user.uid}`).set({ anonymous: user.providerData.length === 0 }))
