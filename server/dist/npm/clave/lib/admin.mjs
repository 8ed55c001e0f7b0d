export { claveApp, claveFirestore, claveOptions, firestoreSettings } from './admin.js'
