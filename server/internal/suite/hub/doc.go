// Package hub is the Emulator Hub of `clave start` and `clave exec`. Tools of the Emulator Suite, such as
// rules-unit-testing and the Firebase CLI, use its port to find the running emulators and to request exports (firebase
// emulators:export). They find the port through the locator, a file in the folder of temporary files. The hub holds no
// data; its options describe the emulators.
package hub
